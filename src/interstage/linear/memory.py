"""Memory of control laws: numbers anywhere in their objects, put back in place after every call.

A law is called many times with small changes, each time from the same memory. `Snapshot` keeps what lists,
dictionaries, deques, sets, arrays and plain objects hold that an object leads to, and puts it back into the same ones,
so that what two laws share stays shared. `Remembered` are the numbers among them that samples change: states of a
sampled model. What no attribute leads to (enclosed variables, globals, arguments of `functools.partial`, generators)
cannot be put back: a law that keeps its memory there returns something else when it is called again, and `Hidden`
reports it.
"""

from __future__ import annotations

import functools
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from types import BuiltinFunctionType, FunctionType, GeneratorType, MethodType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from interstage.copies import attributes_of
from interstage.errors import InputError
from interstage.simulation.plant.serialization import plain_object, put_attributes

Path = tuple[tuple[str, Any], ...]  # from an object to what it holds: ("attribute", name) or ("item", key)
CONTAINERS = (list, dict, deque, set, tuple, frozenset)
UNCHANGED = (
    str,
    bytes,
    bool,
    int,
    float,
    complex,
    type(None),
    np.generic,
    type,
    FunctionType,
    MethodType,
    ModuleType,
    BuiltinFunctionType,
)


def _kind(value: object) -> str:
    """Return how a value is kept: "items", "array", "object", "generator" of random numbers, "plain" or "opaque"."""
    if isinstance(value, CONTAINERS):
        return "items"
    if isinstance(value, np.ndarray):
        return "array"
    if isinstance(value, np.random.Generator):
        return "generator"
    if isinstance(value, UNCHANGED):
        return "plain"
    module = type(value).__module__
    if module.partition(".")[0] in ("interstage", "numpy", "scipy") and not module.startswith(
        "interstage.demo"
    ):
        return "plain"
    return "object" if plain_object(value) or type(value) is SimpleNamespace else "opaque"


def _held(value: object) -> list[tuple[tuple[str, Any], object]]:
    """Return what a value holds, each with the step that leads there."""
    if isinstance(value, dict):
        return [(("item", key), inner) for key, inner in value.items()]
    if isinstance(value, list | tuple | deque):
        return [(("item", k), inner) for k, inner in enumerate(value)]
    if isinstance(value, FunctionType):
        return [(("attribute", name), inner) for name, inner in vars(value).items() if name != "__wrapped__"]
    if _kind(value) == "object":
        return [(("attribute", name), inner) for name, inner in attributes_of(value).items()]
    return []


class Snapshot:
    """What everything holds that some objects lead to; `restore` puts it back in place."""

    def __init__(self, roots: Sequence[object]):
        self._saved: list[tuple[object, Any]] = []
        self._seen: dict[int, object] = {}
        self._copies: dict[int, object] = {}
        for root in roots:
            self._keep(root)

    def _keep(self, value: object) -> None:
        if id(value) in self._seen:
            return
        self._seen[id(value)] = value
        kind = _kind(value)
        if isinstance(value, FunctionType):
            self._saved.append((value, dict(vars(value))))
        elif kind == "array":
            assert isinstance(value, np.ndarray)
            self._saved.append((value, value.copy()))
        elif kind == "generator":
            self._saved.append((value, value.bit_generator.state))  # type: ignore[attr-defined]
        elif kind == "object":
            self._saved.append((value, attributes_of(value)))
        elif isinstance(value, list | dict | deque | set):
            self._saved.append((value, value.copy()))
        elif kind == "opaque":
            try:
                self._copies[id(value)] = deepcopy(value)
            except Exception:  # what cannot be copied is left: a law that leans on it does not repeat itself
                return
        for _, inner in _held(value):
            self._keep(inner)

    def _fresh(self, value: object) -> object:
        return deepcopy(self._copies[id(value)]) if id(value) in self._copies else value

    def restore(self) -> None:
        """Put everything back."""
        for value, kept in self._saved:
            if isinstance(value, np.ndarray):
                if value.flags.writeable:
                    value[...] = kept
            elif isinstance(value, np.random.Generator):
                value.bit_generator.state = kept
            elif isinstance(value, FunctionType):
                vars(value).clear()
                vars(value).update({name: self._fresh(inner) for name, inner in kept.items()})
            elif isinstance(value, list):
                value[:] = [self._fresh(inner) for inner in kept]
            elif isinstance(value, dict):
                value.clear()
                value.update({key: self._fresh(inner) for key, inner in kept.items()})
            elif isinstance(value, deque):
                value.clear()
                value.extend(self._fresh(inner) for inner in kept)
            elif isinstance(value, set):
                value.clear()
                value.update(kept)
            else:
                put_attributes(value, {name: self._fresh(inner) for name, inner in kept.items()})

    def changed(self) -> list[object]:
        """Return the lists, dictionaries, deques, sets, arrays and objects that hold something else by now."""
        return [value for value, kept in self._saved if not _alike(_now(value), kept)]


def _now(value: object) -> object:
    if isinstance(value, FunctionType):
        return vars(value)
    if isinstance(value, np.random.Generator):
        return value.bit_generator.state
    return attributes_of(value) if _kind(value) == "object" else value


def _alike(one: Any, two: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(two, np.ndarray):
        return isinstance(one, np.ndarray) and isinstance(two, np.ndarray) and np.array_equal(one, two)
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(_alike(one[key], two[key]) for key in one)
    if isinstance(one, list | deque) and isinstance(two, list | deque):
        return len(one) == len(two) and all(map(_alike, one, two))
    return one is two or (isinstance(one, (*UNCHANGED, set)) and bool(one == two))


# numbers ------------------------------------------------------------------------------------------------


def numbers_in(roots: Mapping[int, object]) -> dict[tuple[int, Path], object]:
    """Return the numbers and arrays of numbers that objects lead to, each once, by object and how it is reached."""
    seen: set[int] = set()
    return {(k, path): value for k, root in roots.items() for path, value in _numbers(root, (), seen)}


def _numbers(value: object, path: Path, seen: set[int]) -> Iterator[tuple[Path, object]]:
    if path and _is_number(value):
        yield path, value
        return
    if id(value) in seen:
        return
    seen.add(id(value))
    for step, inner in _held(value):
        if isinstance(inner, np.ndarray):
            if id(inner) in seen:
                continue
            seen.add(id(inner))
        yield from _numbers(inner, (*path, step), seen)


def _is_number(value: object) -> bool:
    if isinstance(value, bool | np.bool_):
        return False
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "O":
            return all(_is_number(item) and not isinstance(item, np.ndarray) for item in value.ravel())
        return value.dtype.kind in "iufc"
    return isinstance(value, int | float | complex | np.number)


def copied(found: Mapping[tuple[int, Path], object]) -> dict[tuple[int, Path], object]:
    """Return numbers with copies of arrays."""
    return {place: np.array(v) if isinstance(v, np.ndarray) else v for place, v in found.items()}


def is_whole(value: object) -> bool:
    """Return whether a number, or all of an array, is an integer by its type."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "O":
            return all(is_whole(item) for item in value.ravel())
        return value.dtype.kind in "iu"
    return isinstance(value, int | np.integer)


def look(root: object, path: Path) -> object:
    """Return what a path leads to; KeyError where it leads nowhere."""
    found: Any = root
    for kind, key in path:
        try:
            found = attributes_of(found)[key] if kind == "attribute" else found[key]
        except (LookupError, TypeError) as err:
            raise KeyError(path) from err
    return found


def put(root: object, path: Path, value: object) -> None:
    """Let a path lead to another number; tuples on the way are made anew."""
    kind, key = path[-1]
    parent: Any = look(root, path[:-1])
    if kind == "attribute":
        if key in getattr(parent, "__dict__", {}):
            vars(parent)[key] = value
        else:
            object.__setattr__(parent, key, value)
    elif isinstance(parent, tuple):
        items = [*parent[:key], value, *parent[key + 1 :]]
        put(root, path[:-1], type(parent)(*items) if hasattr(parent, "_fields") else tuple(items))
    else:
        parent[key] = value


def moved(root: object, path: Path, delta: np.ndarray) -> None:
    """Add changes to the number or array that a path leads to: in place where its own type can hold them."""
    value = look(root, path)
    old = np.asarray(value)
    new = np.asarray(old + delta.reshape(old.shape))
    if isinstance(value, np.ndarray) and value.flags.writeable and value.dtype.kind == new.dtype.kind:
        value[...] = new
    else:
        put(root, path, new if new.ndim else new[()])


def as_numbers(value: object) -> np.ndarray:
    """Return a number or an array of numbers as a vector of floats or complex numbers."""
    array = np.ravel(np.asarray(value))
    if array.dtype.kind != "O":
        return array
    return array.astype(complex if any(isinstance(item, complex) for item in array) else float)


def said(path: Path) -> str:
    """Return a path as Python writes it.

    >>> said((("attribute", "m"), ("item", 0)))
    'm[0]'
    """
    return "".join(f".{key}" if kind == "attribute" else f"[{key!r}]" for kind, key in path).removeprefix(".")


class Remembered:
    """Numbers that laws remember, in one vector.

    owners : objects of laws by number;  paths : (number, path) of each number or array among them
    """

    def __init__(self, owners: Mapping[int, object], paths: Sequence[tuple[int, Path]]):
        self.owners, self.paths = owners, list(paths)
        self.shapes = [np.shape(np.asarray(look(owners[k], path))) for k, path in self.paths]
        self.start = np.concatenate(
            [np.zeros(0), *(as_numbers(look(owners[k], path)) for k, path in self.paths)]
        )

    def __len__(self) -> int:
        return len(self.start)

    def add(self, delta: np.ndarray) -> None:
        """Add changes to the numbers."""
        at = 0
        for (k, path), shape in zip(self.paths, self.shapes):
            size = int(np.prod(shape))
            moved(self.owners[k], path, delta[at : at + size])
            at += size

    def read(self, law: Callable[[int], str]) -> np.ndarray:
        """Return the numbers as they are; law : name of a law by its number."""
        found: list[np.ndarray] = []
        for (k, path), shape in zip(self.paths, self.shapes):
            try:
                value = look(self.owners[k], path)
            except KeyError:
                value = None
            if not _is_number(value) or np.shape(np.asarray(value)) != shape:
                raise InputError(
                    f"what '{law(k)}' remembers changes its size within a frame",
                    where=said(path),
                    expected=f"shape {shape}",
                    got=repr(value)[:60],
                )
            found.append(as_numbers(value))
        return np.concatenate([np.zeros(0), *found])

    def names(self, law: Callable[[int], str]) -> list[str]:
        """Return a name for each number."""
        return [
            one if not shape else f"{one}[{', '.join(map(str, place))}]"
            for (k, path), shape in zip(self.paths, self.shapes)
            for one in [f"{law(k)}.{said(path)}"]
            for place in (np.ndindex(*shape) if shape else [()])
        ]


# hidden memory ----------------------------------------------------------------------------------------


def hidden_places(function: object) -> list[tuple[str, object, Callable[[], object]]]:
    """Return what a law can remember beside its attributes: (words, what it is now, a function that looks again)."""
    found: list[tuple[str, object, Callable[[], object]]] = []
    _hidden(function, found, set())
    return found


def _hidden(value: Any, found: list, seen: set[int], depth: int = 0) -> None:
    if id(value) in seen or depth > 6:
        return
    seen.add(id(value))
    if isinstance(value, functools.partial):
        inside = [*value.args, *value.keywords.values()]
        found.append(("an argument of functools.partial", inside, lambda: inside))
        _hidden(value.func, found, seen, depth + 1)
    elif isinstance(value, GeneratorType):
        found.append((f"the generator '{value.__name__}'", value, lambda: value))
    elif isinstance(value, MethodType):
        _hidden(value.__func__, found, seen, depth + 1)
        _hidden(value.__self__, found, seen, depth + 1)
    elif isinstance(value, FunctionType):
        _hidden_in_function(value, found, seen, depth)
    elif _kind(value) in ("object", "items"):
        call = vars(type(value)).get("__call__") if _kind(value) == "object" else None
        if call is not None:
            _hidden(call, found, seen, depth + 1)
        for _, inner in _held(value):
            if callable(inner) or isinstance(inner, GeneratorType) or _kind(inner) in ("object", "items"):
                _hidden(inner, found, seen, depth + 1)


def _hidden_in_function(function: FunctionType, found: list, seen: set[int], depth: int) -> None:
    module = (function.__module__ or "").partition(".")[0]
    if module in sys.stdlib_module_names - {"__main__"} or module in (
        "numpy",
        "scipy",
        "interstage",
        "numba",
    ):
        return
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            inside = cell.cell_contents
        except ValueError:
            continue
        found.append(
            (f"'{name}', which it encloses", inside, functools.partial(getattr, cell, "cell_contents"))
        )
        _hidden(inside, found, seen, depth + 1)
    for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        found.append(("the default of an argument", value, lambda value=value: value))
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    for name in sorted(names & function.__globals__.keys()):
        value = function.__globals__[name]
        if isinstance(value, ModuleType | type):
            continue
        if not isinstance(value, FunctionType):
            found.append((f"the global '{name}'", value, functools.partial(function.__globals__.get, name)))
        _hidden(value, found, seen, depth + 1)


def _codes(code: Any) -> Iterator[Any]:
    yield code
    for inner in code.co_consts:
        if hasattr(inner, "co_names"):
            yield from _codes(inner)


class Hidden:
    """What a law may remember beside its attributes, as it was: says what has changed, and puts it back."""

    def __init__(self, function: object):
        self._places = [
            (words, value, again, Snapshot([value])) for words, value, again in hidden_places(function)
        ]

    def changed(self) -> list[str]:
        """Return words for what is different by now."""
        return [
            words
            for words, value, again, kept in self._places
            if kept.changed() or not _alike(again(), value) or isinstance(value, GeneratorType)
        ]

    def restore(self) -> None:
        """Put lists, arrays and objects back, and enclosed variables and globals that have other values."""
        for _, value, again, kept in self._places:
            kept.restore()
            if isinstance(again, functools.partial) and not _alike(again(), value):
                _put_back(again, value)


def _put_back(again: functools.partial, value: object) -> None:
    if again.func is getattr:
        again.args[0].cell_contents = value
    else:
        again.func.__self__[again.args[0]] = value  # type: ignore[attr-defined]
