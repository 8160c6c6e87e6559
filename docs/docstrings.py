"""Docstrings of this project as reStructuredText, and what they say about arguments.

A section ("Parameters" underlined with dashes) or a loose list has one entry a line, "name, other (n, 3) : words", that
indented lines carry on; a blank line ends it. Names, shape and words are told apart here, so that a comma inside a
shape never makes a name.
"""

from __future__ import annotations

import re
from typing import NamedTuple

ITEM = r"(\*{0,2}[A-Za-z_]\w*)(?:\s+(\([^()]*\)|\{[^{}]*\}))?"
ENTRY = re.compile(rf"({ITEM}(?:, {ITEM})*) : (\S.*)")
BOLD = "\x02", "\x03"  # stand for ** until the text is escaped


class Entry(NamedTuple):
    """One line of a list of arguments or attributes: names with their shapes, and words."""

    section: str
    names: dict[str, str]
    words: str


def entry(line: str, section: str = "") -> Entry | None:
    """Read a line of a list; None where it is something else.

    >>> entry("com, inertia (3, 3) : about the centre of mass").names
    {'com': '', 'inertia': '(3, 3)'}
    """
    match = ENTRY.fullmatch(line)
    if match is None:
        return None
    return Entry(section, dict(re.findall(ITEM, match[1])), line.split(" : ", 1)[1])


def entries(text: str) -> list[Entry]:
    """Entries of the sections of a docstring (indentation removed); a line that is none is an error."""
    out, section = [], ""
    lines = text.splitlines()
    for k, line in enumerate(lines):
        if _heads(lines, k):
            section = line.strip()
        elif not line.strip():
            section = ""
        elif section in ("Parameters", "Attributes") and not line.startswith(" ") and not _rule(line):
            found = entry(line, section)
            if found is None:
                raise ValueError(f"'{line}' is no entry of {section}: write 'name (shape) : words'")
            out.append(found)
    return out


def listed(lines: list[str]) -> list[str]:
    """Make headings of sections, and lists of their entries and of entries that stand outside; names are marked."""
    out: list[str] = []
    item = False
    for k, line in enumerate(lines):
        if _heads(lines, k):
            out += [*([""] if out and out[-1].strip() else []), _bold(line.strip()), ""]
            item = False
            continue
        if k and _heads(lines, k - 1):
            continue
        found = entry(line)
        if not line.strip():
            item = False
        elif found is not None:
            if not item and out and out[-1].strip():
                out.append("")
            names = ", ".join(f"{_bold(name)} {shape}".rstrip() for name, shape in found.names.items())
            line, item = f"- {names} : {found.words}", True
        elif item and line.startswith(" "):
            line = f"  {line.strip()}"
        elif item:
            out.append("")
            item = False
        out.append(line)
    return out


def marked(line: str) -> str:
    """Put reStructuredText's mark in the place of the stand-ins."""
    return line.replace(BOLD[0], "**").replace(BOLD[1], "**")


def _bold(text: str) -> str:
    return f"{BOLD[0]}{text.replace('*', '')}{BOLD[1]}"


def _heads(lines: list[str], k: int) -> bool:
    """Say whether line k is the heading of a section."""
    return bool(lines[k].strip()) and k + 1 < len(lines) and _rule(lines[k + 1])


def _rule(line: str) -> bool:
    return len(line.strip()) > 2 and set(line.strip()) == {"-"}
