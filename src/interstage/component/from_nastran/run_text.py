"""What of a deck goes into the deck of an external run: executive and case control that matter, all bulk data but some.

Cards are found as the reader of decks finds them: a name may stand behind blanks, and a continuation belongs to the
card that asks for its identifier, wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from interstage.nastran import Deck, Subcase

OP4_UNIT = 57
_DROPPED_PARAM = ("POST", "GRDPNT", "EXTOUT", "FIXEDB")
# executive statements that go before the run's own ASSIGN, and those that go behind SOL
_FILE_STATEMENTS = ("NASTRAN", "ASSIGN")
_EXECUTIVE = ("DIAG", "TIME", "GEOMCHECK", "MODEL_CHECK")
_REPLACED_EXECUTIVE = ("SOL", "CEND", "ID", "APP", "ECHOON", "ECHOOFF")
# commands that change the structure or its damping, besides the sets that a subcase has as fields
_REQUESTS = ("SDAMP", "SDAMPING", "DAMPING", "HYBRID", "AUTOSPC", "RIGID")
_TEMPERATURES = ("INIT", "MATE", "BOTH")
# commands for output and for what the run itself asks for: nothing is lost without them
_OUTPUT = (
    "ECHO", "ECHOON", "ECHOOFF", "LINE", "MAXLINES", "PAGE", "DISP", "VECT", "PRES", "VELO", "ACCE", "STRE", "ELST",
    "STRA", "FORC", "ELFO", "SPCF", "MPCF", "GPFO", "GPST", "GPSD", "GPKE", "ESE", "EKE", "EDE", "OLOA", "OUTPUT",
    "XYPLOT", "MEFF", "EXTSEOUT", "RESVEC", "RVDOF", "SVEC", "SUPER", "MODES", "SEALL", "LABEL", "OTIME", "OFREQ",
    "THER", "FLUX", "MODALKE", "MODALSE", "STRFIELD", "SURFACE", "VOLUME",
    "WEIGHTCHECK", "GROUNDCHECK", "ELSUM", "BEGIN",
)  # fmt: skip


def kept_executive(deck: Deck) -> tuple[list[str], list[str]]:
    """Statements of the executive section that the run keeps: those before its ASSIGN, and those behind SOL.

    An ASSIGN of the unit that the run writes to is left out.
    """
    first, behind = [], []
    for word, line in _executive(deck):
        if word in _FILE_STATEMENTS and not (
            word == "ASSIGN" and re.search(rf"UNIT\s*=\s*{OP4_UNIT}\b", line)
        ):
            first.append(line)
        elif word in _EXECUTIVE:
            behind.append(line)
    return first, behind


def dropped_statements(deck: Deck, case: Subcase | None = None) -> list[str]:
    """Executive statements and case control of a deck that an external run leaves out, output requests aside."""
    kept = (*_FILE_STATEMENTS, *_EXECUTIVE, *_REPLACED_EXECUTIVE)
    gone = [word for word, _ in _executive(deck) if word not in kept]
    case = case or deck.case.subcases[0]
    gone += [name for name in case.requests if not (_is_kept(name) or name.upper().startswith(_OUTPUT))]
    return list(dict.fromkeys(gone))


def _executive(deck: Deck) -> list[tuple[str, str]]:
    """First word and text of each statement before CEND, continued lines joined; [] where there is no CEND."""
    lines = [line.split("$")[0].rstrip() for line in deck.text().splitlines()]
    end = next((k for k, line in enumerate(lines) if line.strip().upper() == "CEND"), 0)
    out: list[tuple[str, str]] = []
    more = False
    for line in lines[:end]:
        if not line.strip():
            continue
        if more:
            word, text = out[-1]
            out[-1] = word, f"{text}\n{line}"
        else:
            out.append((re.split(r"[\s,=(]", line.strip().upper(), maxsplit=1)[0], line))
        more = line.endswith(",")
    return out


def _is_kept(name: str) -> bool:
    if name.upper().startswith("TEMP"):
        return "(" not in name or name.partition("(")[2].upper().startswith(_TEMPERATURES)
    return name.upper() in _REQUESTS


def kept_case(deck: Deck, case: Subcase | None, supported: bool = True) -> list[str]:
    """Case control that changes the structure: sets, parameters, temperatures, damping, direct matrices."""
    case = case or deck.case.subcases[0]
    lines = [f"TITLE = {case.title}"] if case.title else []
    chosen = {
        "SPC": case.spc,
        "MPC": case.mpc,
        "NSM": case.nsm,
        "SUPORT1": case.suport1 if supported else None,
    }
    lines += [f"{name} = {number}" for name, number in chosen.items() if number is not None]
    for name, asked in case.requests.items():
        if _is_kept(name):
            option = case.options.get(name, "")
            written = name if "(" in name or not option else f"{name}({option})"
            lines.append(f"{written} = {asked}" if asked else written)
    params = {**deck.case.params, **case.params}
    for name, value in params.items():
        if name == "AUTOSPC" and "AUTOSPC" in case.requests:
            continue
        values = value if isinstance(value, tuple) else (value,)
        lines += [",".join(["PARAM", name, *map(str, values)])] if name not in _DROPPED_PARAM else []
    for name in ("K2GG", "M2GG", "B2GG", "K42GG"):
        matrices = {one: case.factors.get((name, one)) for one in getattr(case, name.lower())}
        parts = [one if factor is None else f"{factor!r}*{one}" for one, factor in matrices.items()]
        lines += [f"{name} = {', '.join(parts)}"] if parts else []
    return lines


class _Line:
    """A line of bulk data: its name and first field, or the identifier of the line that it continues."""

    def __init__(self, text: str):
        body = text.split("$")[0].expandtabs(8).rstrip()
        self.text = text
        free = "," in body[:10]
        parts = [part.strip().upper() for part in body.split(",")] if free else []
        first = parts[0] if free else body[:8].strip().upper()
        self.empty = not body.strip()
        self.continues = not first or first[0] in "+*="
        self.asked = first[1:].strip() if first[:1] in ("+", "*") else ""
        self.name = first.rstrip("*")
        self.field = (
            parts[1] if len(parts) > 1 else body[8:24].strip().upper().split(" ")[0] if not free else ""
        )
        tail = body[72:80].strip().upper() if not free else parts[9] if len(parts) > 9 else parts[-1]
        self.tail = tail[1:] if tail[:1] in ("+", "*") else "" if free and len(parts) <= 9 else tail


def kept_bulk(deck: Deck, dropped: Sequence[str]) -> list[str]:
    """Lines of the bulk data without the cards `dropped` that the run replaces, with their continuations."""
    lines = deck.text().splitlines()
    words = (line.split("$")[0].split()[:1] for line in lines)
    begin = next((k for k, word in enumerate(words) if word and word[0].upper() == "BEGIN"), -1)
    found = [one for one in map(_Line, lines[begin + 1 :]) if not one.empty]
    gone = [
        not one.continues and (one.name in dropped or (one.name == "PARAM" and one.field in _DROPPED_PARAM))
        for one in found
    ]
    tails = {one.tail: k for k, one in enumerate(found) if one.tail}
    changed = True
    while changed:  # a continuation may stand before the line that it continues
        changed = False
        for k, one in enumerate(found):
            if one.continues:
                parent = tails.get(one.asked, k - 1) if one.asked else k - 1
                if parent >= 0 and gone[parent] != gone[k]:
                    gone[k], changed = gone[parent], True
    return [one.text for one, left_out in zip(found, gone) if not left_out]
