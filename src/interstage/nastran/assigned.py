"""Files that ASSIGN statements of the file management section name: matrices of external superelements."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from interstage.nastran.source import Text, locate

_FILE = re.compile(r"\bINPUTT([24])\s*=\s*(?:'([^']*)'|\"([^\"]*)\"|([^,\s'\"]+))", re.IGNORECASE)
_UNIT = re.compile(r"\bUNIT\s*=\s*([0-9]{1,8})\b", re.IGNORECASE)


@dataclass(frozen=True)
class AssignedFile:
    """A file to read: ASSIGN INPUTT2 (op2) or INPUTT4 (op4), with its name and the line that names it."""

    op2: bool
    name: str
    line: int
    text: Text

    def path(self) -> Path:
        """The file; a DeckError where it is not there or may not be read."""
        root = self.text.root
        if root is None:
            raise self.text.error(self.line, "ASSIGN cannot be followed in a deck that is not a file")
        file, number = self.text.place(self.line)
        where = {"file": file, "line": number, "image": self.text.line(self.line)}
        return locate(self.name, (root,), root, self.text.allow_outside, where, "ASSIGN")


def read_assigned(text: Text, lines: list[tuple[int, str]]) -> dict[int, AssignedFile]:
    """Files of ASSIGN INPUTT2 and INPUTT4 by UNIT; a statement that ends in a comma continues on the next line."""
    out: dict[int, AssignedFile] = {}
    parts: list[str] = []
    first = 0
    for number, line in lines:
        if not line.strip():
            continue
        if not parts and not line.strip().upper().startswith("ASSIGN"):
            continue
        first = first if parts else number
        parts.append(line.strip())
        if parts[-1].endswith(","):
            continue
        statement, parts = " ".join(parts), []
        found = _FILE.search(statement)
        if found is None:
            continue
        unit = _UNIT.search(statement)
        if unit is None:  # nothing can refer to it
            continue
        name = next(one for one in found.groups()[1:] if one is not None).strip()
        out[int(unit[1])] = AssignedFile(found[1] == "2", name, first, text)
    return out
