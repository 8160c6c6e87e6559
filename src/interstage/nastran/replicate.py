"""Write out replicated bulk data lines: `=`, `==`, `*n` and `=n`.

A field `=` repeats that field of the line before, `==` this and all that follow, `*n` adds n to it. A line that
consists of `=n` or `=(n)` carries on the line before it n more times:

    GRID,1,,0.,0.,0.
    =,*1,,*10.,==
    =98

are 100 grids, 10 apart.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

import numpy as np

from interstage.nastran.numbers import INTEGER, REAL, parse_text
from interstage.nastran.physical import FREE_COLUMNS
from interstage.nastran.source import Text

MAX_LINES = 2_000_000

_COUNT = re.compile(r"=\(?(\d{1,9})\)?$")
_STEP = re.compile(r"\*\(?([^()]+)\)?$")


def replicates(data: bytes) -> bool:
    """Say whether clean bulk text has lines to write out."""
    if b"=" not in data:  # one byte is found much faster than two
        return False
    if data.startswith(b"=") or b"\n=" in data:
        return True
    at = data.find(b"==")
    while at >= 0:
        start = data.rfind(b"\n", 0, at) + 1
        if b"$" not in data[start:at]:
            return True
        at = data.find(b"==", data.find(b"\n", at) + 1 or len(data))
    return False


def write_out(text: Text, data: bytes, first_line: int) -> tuple[bytes, np.ndarray | None]:
    """Return the text with replication written out, and the line of the buffer that each of its lines came from.

    `data` is clean bulk text that starts at line `first_line` of `text`. Without replication the numbers are None.
    """
    if not replicates(data):
        return data, None
    lines: list[bytes] = []
    numbers: list[int] = []
    state = _Replicator(text)
    given = data.split(b"\n")
    for k, line in enumerate(given):
        made = state.line(first_line + k, line)
        if len(lines) + len(made) > MAX_LINES + len(given):
            raise text.error(
                first_line + k, "replication gives too many cards", expected=f"at most {MAX_LINES}"
            )
        lines += made
        numbers += [first_line + k] * len(made)
    return b"\n".join(lines), np.array(numbers, dtype=np.int64)


class _Replicator:
    """State while the lines are gone through: the fields of the line before, and the pattern to carry on."""

    def __init__(self, text: Text):
        self.text = text
        self.before: list[str] | None = None
        self.pattern: list[str] | None = None

    def line(self, number: int, raw: bytes) -> list[bytes]:
        """Lines that stand for one line of the deck."""
        content = raw.split(b"$", 1)[0].decode("latin-1").rstrip()
        if not content:
            return [raw]
        count = _COUNT.match(content.strip())
        if count:
            if self.pattern is None:
                raise self.text.error(number, f"{count[0]} has no replicated line before it")
            if int(count[1]) > MAX_LINES:
                raise self.text.error(
                    number, "replication gives too many cards", expected=f"at most {MAX_LINES}"
                )
            return [self._next(number, self.pattern) for _ in range(int(count[1]))]
        fields = _fields(content)
        if fields[0] == "=" or "==" in fields:
            self.pattern = fields
            return [self._next(number, fields)]
        self.pattern = None
        continued = fields[0] == "" or fields[0][0] in "+*"
        self.before = None if continued or "*" in fields[0] else fields
        return [raw]

    def _next(self, number: int, pattern: list[str]) -> bytes:
        """The line after `before` by a pattern, in free field."""
        before = self.before
        if before is None:
            raise self.text.error(
                number,
                "this line repeats a card that it cannot",
                hint="only a card on one line in small or free field can be replicated; write the cards out",
            )
        out: list[str] = []
        for j, field in enumerate(pattern):
            old = before[j] if j < len(before) else ""
            if field == "==":
                out += before[j:]
                break
            step = _STEP.match(field)
            out.append(old if field == "=" else self._sum(number, old, step[1]) if step else field)
        self.before = out
        return ",".join(out).encode("latin-1")

    def _sum(self, number: int, old: str, step: str) -> str:
        """The number of a field with a step added, exactly in decimal digits; a blank counts as zero."""
        old = old or ("0" if parse_text(step)[0] == INTEGER else "0.")
        kinds = [parse_text(one)[0] for one in (old, step)]
        if not all(kind in (INTEGER, REAL) for kind in kinds):
            raise self.text.error(
                number, "a replicated field cannot be stepped", got=f"{old or 'blank'} *{step}"
            )
        try:
            total = _decimal(old) + _decimal(step)
        except InvalidOperation:
            raise self.text.error(
                number, "a replicated field cannot be stepped", got=f"{old} *{step}"
            ) from None
        if kinds == [INTEGER, INTEGER]:
            return str(int(total))
        return repr(float(total)).upper()


def _fields(content: str) -> list[str]:
    """Fields of a small-field or free-field line, without the continuation field."""
    if "," in content[:FREE_COLUMNS]:
        return [field.strip() for field in content.split(",")][:9]
    return [content[at : at + 8].strip() for at in range(0, min(len(content), 72), 8)]


def _decimal(field: str) -> Decimal:
    """A NASTRAN number as a decimal: `1.5+3` is 1.5E+3."""
    plain = field.replace(" ", "").replace("D", "E")
    if "E" not in plain:
        plain = plain[:1] + re.sub(r"([+-])", r"E\1", plain[1:])
    return Decimal(plain)
