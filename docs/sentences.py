"""Every sentence that the code can refuse with, read from its sources: the list of the troubleshooting page."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

MARK = "<!-- every sentence -->"
ERRORS = {
    "InputError",
    "DeckError",
    "ModelError",
    "SolverError",
    "FileError",
    "InertiaError",
    "InterstageError",
    "CallError",
    "Fault",
}
ROOMS = {
    "nastran": "Reading decks, op2 and op4",
    "fem": "Finite elements",
    "component": "Components",
    "linalg": "Factorization and eigenmodes",
    "mass": "Mass tree",
    "multibody": "Vehicles",
    "staged_vehicle": "Vehicles that burn",
    "simulation": "Runs, devices and assemblies",
    "devices": "The shelf",
    "linear": "Linear models",
    "studies": "Studies",
    "native": "Flights without Python",
    "exchange": "Other tools",
    "report": "Reports",
    "cli": "The command",
}


class Sentence(NamedTuple):
    """What is said, what was expected, what to do; … stands for what differs from case to case."""

    what: str
    expected: str
    hint: str


def text_of(node: ast.expr | None) -> str:
    """Return a text of the sources with … for what is filled in; nothing where it is no text.

    >>> text_of(ast.parse("f'body {name} is gone'", mode="eval").body)
    'body … is gone'
    """
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return (text_of(node.left) or "…") + (text_of(node.right) or "…")
    if isinstance(node, ast.IfExp):
        return text_of(node.body) or text_of(node.orelse)
    return ""


def sentences(file: Path) -> Iterator[Sentence]:
    """Yield what the code of a file can refuse with."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in ERRORS or name in ("damaged", "error", "refused"):
            what = " ".join(text_of(node.args[0]).split())
            given = {k.arg: " ".join(text_of(k.value).split()) for k in node.keywords}
            if len(what.replace("…", "").strip()) > 5:
                yield Sentence(what, given.get("expected", ""), given.get("hint", ""))


@cache
def by_room(source: Path) -> dict[str, list[Sentence]]:
    """Return all sentences by room, each once, in order of their words."""
    found: dict[str, set[Sentence]] = {}
    for file in sorted(source.rglob("*.py")):
        parts = file.relative_to(source).parts
        found.setdefault(parts[0] if len(parts) > 1 else "files", set()).update(sentences(file))
    return {
        room: sorted(found[room]) for room in [*ROOMS, *sorted(set(found) - set(ROOMS))] if found.get(room)
    }


def page(source: Path) -> str:
    """Return the list as Markdown."""
    out = []
    for room, said in by_room(source).items():
        out += [f"## {ROOMS.get(room, room)}", ""]
        for one in said:
            more = [f"expected {one.expected}"] if one.expected else []
            more += [one.hint] if one.hint else []
            out.append(f"- **{_plain(one.what)}**{'  ' + _plain('; '.join(more)) if more else ''}")
        out.append("")
    return "\n".join(out)


def _plain(text: str) -> str:
    for mark in "\\`*_[]<>$|{}#":
        text = text.replace(mark, f"\\{mark}")
    return text
