"""Every public door has a type that a checker accepts: found by a walk from the names of `interstage`."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import re
import subprocess
import sys
import tomllib
import typing
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import interstage

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "tests" / "typed_user.py"

# Special methods that users call by writing something else.
SPOKEN = {
    "__init__",
    "__call__",
    "__getitem__",
    "__setitem__",
    "__contains__",
    "__iter__",
    "__len__",
    "__enter__",
}
SPOKEN |= {
    "__matmul__",
    "__rmatmul__",
    "__add__",
    "__radd__",
    "__sub__",
    "__rsub__",
    "__mul__",
    "__rmul__",
    "__neg__",
}


class Fault(NamedTuple):
    """A public door without a type, or with one that says nothing."""

    where: str
    why: str

    def __str__(self) -> str:
        return f"{self.where}: {self.why}"


def ours(thing: object) -> bool:
    """Return whether a class or function is defined in the package."""
    return str(getattr(thing, "__module__", "")).partition(".")[0] == "interstage"


def parts(hint: object) -> Iterator[object]:
    """Yield a type and all types inside it, but for what stands inside the types of numpy."""
    yield hint
    if str(getattr(typing.get_origin(hint), "__module__", "")).startswith("numpy"):
        return
    for inner in typing.get_args(hint):
        for one in inner if isinstance(inner, list) else [inner]:
            yield from parts(one)


@cache
def names_for_checkers(module: ModuleType) -> dict[str, object]:
    """Return the names that a module imports for checkers alone."""
    found: dict[str, object] = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for part in (n for n in node.body if isinstance(n, ast.ImportFrom)):
                source = importlib.import_module(str(part.module))
                found |= {alias.asname or alias.name: getattr(source, alias.name) for alias in part.names}
    return found


def hints_of(thing: Callable[..., object] | type) -> dict[str, object]:
    """Return the types of parameters and result of a function, or of the fields of a class."""
    module = sys.modules[thing.__module__]
    return typing.get_type_hints(thing, localns=names_for_checkers(module) | vars(module))


def functions(value: object) -> list[Callable[..., object]]:
    """Return the plain functions behind a function, a method or a property."""
    found: list[Any] = [value]
    if isinstance(value, property):
        found = [value.fget, value.fset]
    elif isinstance(value, classmethod | staticmethod):
        found = [value.__func__]
    elif hasattr(value, "func"):  # cached properties
        found = [value.func]
    return [f for f in found if inspect.isfunction(f) and ours(f)]


class Walk:
    """All doors that a user reaches from the public names: parameters, results, fields, and theirs in turn."""

    def __init__(self) -> None:
        self.faults: set[Fault] = set()
        self.doors: set[str] = set()
        self.waiting: list[object] = [
            getattr(interstage, n) for n in interstage.__all__ if n != "__version__"
        ]
        done: set[int] = set()
        while self.waiting:
            thing = self.waiting.pop()
            if id(thing) not in done:
                done.add(id(thing))
                if isinstance(thing, type):
                    self.look_at_class(thing)
                else:
                    self.look_at(thing)

    def look_at(self, value: object) -> None:
        """Look at a function, method or property."""
        for function in functions(value):
            where = f"{function.__module__}.{function.__qualname__}"
            self.doors.add(where)
            signature = inspect.signature(function)
            wanted = [n for k, n in enumerate(signature.parameters) if k or n not in ("self", "cls")]
            wanted += [] if function.__name__ == "__init__" else ["return"]
            hints = hints_of(function)
            self.faults |= {Fault(where, f"{name} has no type") for name in wanted if name not in hints}
            self.look_at_types(where, hints)

    def look_at_class(self, cls: type) -> None:
        """Look at the public fields, methods and properties of a class, inherited ones too."""
        for base in filter(ours, cls.__mro__):
            if "__annotations__" in vars(base):
                fields = {n: h for n, h in hints_of(base).items() if not n.startswith("_")}
                self.doors |= {f"{base.__module__}.{base.__qualname__}.{name}" for name in fields}
                self.look_at_types(f"{base.__module__}.{base.__qualname__}", fields)
            for name, value in vars(base).items():
                if name in SPOKEN or not name.startswith("_"):
                    self.look_at(value)

    def look_at_types(self, where: str, hints: dict[str, object]) -> None:
        """Note types that say nothing, and remember classes of ours."""
        for name, hint in hints.items():
            inner = list(parts(hint))
            if Any in inner:
                self.faults.add(Fault(where, f"{name} is Any"))
            self.waiting += [t for t in inner if isinstance(t, type) and ours(t)]


@cache
def walk() -> Walk:
    return Walk()


def room_of(where: str) -> str:
    return where.split(".")[1]


def test_the_walk_reaches_what_users_reach():
    reached = walk().doors
    for door in ("system.System.forward_dynamics", "system.System.attach", "state.BodyState.eta"):
        assert f"interstage.multibody.{door}" in reached
    assert {room_of(door) for door in reached} >= {
        "fem",
        "component",
        "mass",
        "linear",
        "simulation",
        "nastran",
    }
    assert len(reached) > 700


@pytest.mark.parametrize("room", sorted({room_of(door) for door in walk().doors}))
def test_every_public_door_has_a_type(room: str):
    faults = sorted(fault for fault in walk().faults if room_of(fault.where) == room)
    assert not faults, "\n".join(map(str, faults))


def test_a_checker_knows_every_public_name():
    stub = ast.parse((ROOT / "src" / "interstage" / "__init__.pyi").read_text(encoding="utf-8"))
    listed = [
        (n.module, a.name, a.asname) for n in stub.body if isinstance(n, ast.ImportFrom) for a in n.names
    ]
    assert sorted(name for _, name, _ in listed) == [n for n in interstage.__all__ if n != "__version__"]
    for module, name, again in listed:
        assert again == name  # the form that exports it
        assert getattr(interstage, name) is getattr(importlib.import_module(module), name)
    assert (ROOT / "src" / "interstage" / "py.typed").is_file()


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_a_checker_reports_misuse_and_nothing_else(tmp_path: Path):
    """The script of a user without its marks of misuse: exactly the marked lines are reported."""
    mark = re.compile(r"  # type: ignore\[([a-z-]+)\]")
    text = SCRIPT.read_text(encoding="utf-8")
    marked = {(k, m[1]) for k, line in enumerate(text.splitlines(), 1) if (m := mark.search(line))}
    script = tmp_path / "user.py"
    script.write_text(mark.sub("", text), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--hide-error-context", str(script)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    reported = re.findall(r"user\.py:(\d+): error: .*\[([a-z-]+)\]", done.stdout)
    assert {(int(line), kind) for line, kind in reported} == marked, done.stdout + done.stderr
    assert len(marked) >= 10


def test_what_the_checker_leaves_out_is_named_and_little():
    """Modules whose inside is not checked stand by name in pyproject.toml and have at most a fourth of all lines."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        overrides = tomllib.load(file)["tool"]["mypy"]["overrides"]
    exempt = {name for part in overrides if part.get("ignore_errors") for name in part["module"]}
    source = ROOT / "src"
    lines = {}
    for path in source.rglob("*.py"):
        module = ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
        lines[module] = len(path.read_text(encoding="utf-8").splitlines())
    assert exempt <= set(lines), sorted(exempt - set(lines))  # neither wildcards nor modules that are gone
    share = sum(lines[name] for name in exempt) / sum(lines.values())
    assert share < 0.25, f"{share:.1%} of the lines are not checked"
