"""No module reads another module's private names, found by the syntax tree.

A name is private if it starts with one underscore. It belongs to the modules that define it: at their top, in the
body of a class (`__slots__` too), or by an assignment to `self` or `cls`. Every other module that names it reads what
is not its own: `from m import _x`, `m._x`, `obj._x`, `getattr(obj, "_x")`. A class may use what it inherits from a
class of the same room through `self`, `cls` and `super()`.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
# documented names of named tuples and of os
OPEN = {"_asdict", "_exit", "_field_defaults", "_fields", "_make", "_replace"}

# Reads of what other packages keep private, by room: these numbers only shrink.
ALLOWED = {
    "interstage.compiled": 8,  # numba's and numpy's: this room is the door to them
}


class Read(NamedTuple):
    """A read of a private name that is not the reader's."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


GIVE = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For | ast.NamedExpr | ast.With
LOOKED_AT = (ast.Module, ast.ClassDef, *GIVE.__args__, ast.ImportFrom, ast.Attribute, ast.Call)


class Source(NamedTuple):
    """A module: its path, the nodes of its syntax tree that matter, and the private names that it defines."""

    path: Path
    nodes: list[ast.AST]
    names: frozenset[str]


def room_of(path: Path) -> str:
    """Return the room of a file: a package or module under `interstage`, or a folder of the repository."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return f"interstage.{parts[2]}" if parts[:2] == ("src", "interstage") else parts[0]


def is_private(name: object) -> bool:
    """Return whether a name starts with one underscore and is no dunder, no lone `_` and no open name."""
    if not isinstance(name, str) or name in OPEN:
        return False
    return name.startswith("_") and not name.startswith("__") and name.strip("_") != ""


def targets(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what an assignment, a loop or a `with` gives a value to."""
    match node:
        case ast.Assign():
            found = list(node.targets)
        case ast.AnnAssign() | ast.AugAssign() | ast.For() | ast.NamedExpr():
            found = [node.target]
        case ast.With():
            found = [item.optional_vars for item in node.items if item.optional_vars is not None]
        case _:
            found = []
    for target in found:
        yield from (n for n in ast.walk(target) if isinstance(n, ast.Name | ast.Attribute))


def is_own(node: ast.AST) -> bool:
    """Return whether an expression is `self`, `cls` or `super()`."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "super"
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def defined(nodes: list[ast.AST]) -> frozenset[str]:
    """Return the private names that a module defines."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef | ast.ClassDef):
                    names.add(part.name)
                for target in targets(part):
                    if isinstance(target, ast.Name):
                        names.add(target.id)
                        if target.id == "__slots__" and isinstance(part, ast.Assign):
                            names.update(ast.literal_eval(part.value))
        elif isinstance(node, GIVE):
            for target in targets(node):
                if isinstance(target, ast.Attribute) and is_own(target.value):
                    names.add(target.attr)
    return frozenset(filter(is_private, names))


def read_names(source: Source) -> Iterator[tuple[int, str, str, bool]]:
    """Yield line, name, text, and whether by inheritance, of each private name of others that a module may read."""
    for node in source.nodes:
        match node:
            case ast.ImportFrom():
                for alias in node.names:
                    sibling = source.path.with_name(alias.name + ".py")
                    if is_private(alias.name) and not sibling.is_file():
                        yield node.lineno, alias.name, f"from {node.module} import {alias.name}", False
            case ast.Attribute() if is_private(node.attr):
                yield node.lineno, node.attr, ast.unparse(node), is_own(node.value)
            case ast.Call(
                func=ast.Name("getattr" | "setattr" | "hasattr" | "delattr"), args=[_, ast.Constant(name), *_]
            ):
                if is_private(name):
                    yield node.lineno, name, ast.unparse(node), False


def reads_of(sources: list[Source]) -> dict[str, list[Read]]:
    """Return the reads of others' private names, by the room that reads."""
    owned: dict[str, set[str]] = {}
    for source in sources:
        owned.setdefault(room_of(source.path), set()).update(source.names)
    found: dict[str, list[Read]] = {}
    for source in sources:
        room = room_of(source.path)
        for line, name, text, inherited in read_names(source):
            imported = text.startswith("from ")
            own = owned[room] if inherited else source.names
            if imported or name not in own:
                file = source.path.relative_to(ROOT).as_posix()
                found.setdefault(room, []).append(Read(file, line, text))
    return found


def source_of(path: Path, text: str | None = None) -> Source:
    """Return a module as its file, or a given text, has it."""
    tree = ast.parse(path.read_text(encoding="utf-8") if text is None else text)
    nodes = [node for node in ast.walk(tree) if isinstance(node, LOOKED_AT)]
    return Source(path, nodes, defined(nodes))


@cache
def paths() -> list[Path]:
    """Return all modules of the repository."""
    folders = ("src/interstage", "examples", "validation", "benchmarks", "tests")
    found = [p for folder in folders for p in sorted((ROOT / folder).rglob("*.py"))]
    return [*found, *sorted((ROOT / "docs").glob("*.py"))]


@cache
def reads() -> dict[str, list[Read]]:
    """Return all reads of others' private names in the repository; they are looked for when the first test runs."""
    return reads_of([source_of(p) for p in paths()])


@pytest.mark.parametrize("room", sorted(set(map(room_of, paths()))))
def test_no_module_reads_private_names_of_others(room: str):
    found = reads().get(room, [])
    files = Counter(read.file for read in found)
    assert len(found) <= ALLOWED.get(room, 0), f"{files}\n" + "\n".join(map(str, found))


HERE = ROOT / "src" / "interstage"
OWNER = "class Owner:\n    __slots__ = ('_q',)\n    def __init__(self):\n        (self._v, x) = 0, 1\n"


@pytest.mark.parametrize(
    "text",
    [
        "from interstage.a.owner import _x",
        "import interstage.a.owner as m\nm._x",
        "def f(obj):\n    return obj._q",
        "def f(obj):\n    obj._q = 1",
        "def f(obj):\n    return getattr(obj, '_v')",
        "class C(Owner):\n    def f(self):\n        return self._q",
        "def f(x):\n    (x.y[0])._slices",
    ],
)
def test_a_read_of_another_rooms_private_name_is_found(text: str):
    sources = [source_of(HERE / "a" / "owner.py", OWNER), source_of(HERE / "b" / "reader.py", text)]
    assert list(reads_of(sources)) == ["interstage.b"]


@pytest.mark.parametrize(
    "text",
    [
        "class C:\n    def f(self):\n        self._q = 1\n    def g(self, other):\n        return self._q == other._q",
        "_limit = 3\n\ndef f():\n    return _limit",
        "def f(row):\n    return row._replace(x=1)._asdict()",
        "class C:\n    _kind = 1\n\nC._kind",
        "for _ in range(3): pass",
        "def f(x):\n    return x.__class__.__name__",
        "class C(Owner):\n    def f(self):\n        return self._q + super()._v",  # inherited in the same room
    ],
)
def test_what_is_ones_own_is_no_such_read(text: str):
    sources = [source_of(HERE / "a" / "owner.py", OWNER), source_of(HERE / "a" / "reader.py", text)]
    assert reads_of(sources) == {}
