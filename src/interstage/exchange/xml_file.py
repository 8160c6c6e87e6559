"""Read XML that nobody vouches for: no entities, no document types, nothing fetched, sizes bounded, lines kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

import numpy as np

from interstage.errors import FileError, shown
from interstage.output import as_path
from interstage.reading import read_bytes

MOST_BYTES, MOST_ELEMENTS, MOST_DEPTH = 32 << 20, 200_000, 200


@dataclass(eq=False)
class Element:
    """An element of a file: its tag, attributes and children, and where it stands."""

    tag: str
    attributes: dict[str, str]
    file: Path
    line: int
    children: list[Element] = field(default_factory=list)

    @property
    def where(self) -> str:
        """File and line, for errors."""
        return f"{self.file}, line {self.line}"

    def fault(self, what: str, **words: str) -> FileError:
        """Return an error that names the place of this element."""
        return FileError(what, where=self.where, **words)

    def all(self, *tags: str) -> list[Element]:
        """Return the children of some tags, in their order."""
        return [child for child in self.children if child.tag in tags]

    def one(self, tag: str) -> Element | None:
        """Return the only child of a tag, None where there is none."""
        found = self.all(tag)
        if len(found) > 1:
            raise found[1].fault(f"<{self.tag}> has more than one <{tag}>")
        return found[0] if found else None

    def text(self, name: str, default: str | None = None) -> str:
        """Return an attribute, which must be there where there is no default."""
        value = self.attributes.get(name, default)
        if value is None:
            raise self.fault(f"<{self.tag}> has no {name}")
        return value

    def numbers(self, name: str, count: int, default: object = None) -> np.ndarray:
        """Return an attribute as numbers (count,); `default` where it is not given."""
        if name not in self.attributes and default is not None:
            return np.array(default, dtype=float)
        text = self.text(name)
        try:
            values = np.array([float(word) for word in text.split()])
        except ValueError:
            values = np.array([np.nan])
        if len(values) != count or not np.isfinite(values).all():
            raise self.fault(
                f"{name} of <{self.tag}> is not what it should be",
                expected="a number" if count == 1 else f"{count} numbers",
                got=shown(text, 60),
            )
        return values

    def number(self, name: str, default: float | None = None) -> float:
        """Return an attribute as one number."""
        return float(self.numbers(name, 1, None if default is None else [default])[0])

    def walk(self) -> Iterator[Element]:
        """Yield this element and all below it."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(reversed(element.children))


def read_xml(path: str | os.PathLike[str], what: str) -> Element:
    """Return the root of a file; whatever it holds, a fault is one sentence (FileError) with its line."""
    path = as_path(path, what)
    return parsed(read_bytes(path, what, MOST_BYTES), path, what)


def parsed(data: bytes, path: Path, what: str) -> Element:
    """Return the root of XML given as bytes."""
    parser = expat.ParserCreate()
    roots: list[Element] = []
    open_elements: list[Element] = []
    count = 0

    def refuse(got: str) -> NoReturn:
        place = f"{path}, line {parser.CurrentLineNumber}"
        raise FileError(f"the {what} holds what is not read", where=place, got=got)

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > MOST_ELEMENTS or len(open_elements) >= MOST_DEPTH:
            refuse(f"more than {MOST_ELEMENTS} elements, or {MOST_DEPTH} inside each other")
        element = Element(tag, attributes, path, parser.CurrentLineNumber)
        (open_elements[-1].children if open_elements else roots).append(element)
        open_elements.append(element)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: open_elements.pop()
    parser.StartDoctypeDeclHandler = lambda *_: refuse("a document type, which may declare entities")
    parser.EntityDeclHandler = lambda *_: refuse("an entity")
    parser.ExternalEntityRefHandler = lambda *_: refuse("an entity of another file")
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        line = getattr(error, "lineno", parser.CurrentLineNumber)
        words = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else str(error)
        raise FileError(f"the {what} is no XML", where=f"{path}, line {line}", got=words) from None
    return roots[0]


def file_beside(element: Element, name: str, folder: Path) -> Path:
    """Return a file that an element names; it must lie in the folder of the file that was opened, or below it."""
    target = Path(os.path.realpath(folder / name))
    if not name or "\0" in name or not target.is_relative_to(os.path.realpath(folder)):
        raise element.fault(
            "a file that is named must lie beside the file that names it", got=shown(name, 80)
        )
    return target
