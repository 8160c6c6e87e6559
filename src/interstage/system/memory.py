"""What laws in Python remember between their calls: attributes of the objects that they are, defaults of arguments.

What a law keeps elsewhere (in a closure, in a global of its module) is not seen here.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from inspect import signature
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from interstage.multibody import System
from interstage.system.described import attributes_of, memory_of, put_attributes
from interstage.system.law import Law
from interstage.system.plan import Plan

MOST = 1_000_000  # values that all copies of what laws remember may have: some hundred megabytes
SAME = (type(None), bool, int, float, complex, str, bytes, np.generic, type, ModuleType, System)
CODE = (FunctionType, BuiltinFunctionType)


def laws_of(plan: Plan) -> dict[str, Law]:
    """Return the laws by their full names."""
    return {part.path: part.what for part in plan.parts if isinstance(part.what, Law)}


def _function(law: Law) -> Any:
    """Return the function that a law calls: its own, or that of a class."""
    called = (
        law.function if isinstance(law.function, FunctionType | MethodType) else type(law.function).__call__
    )
    return getattr(called, "__func__", called)


def _defaults(law: Law) -> dict[str, Any]:
    """Return defaults of arguments that can change, by name: a law may remember in them."""
    found = {}
    function = _function(law)
    if isinstance(function, FunctionType):
        for name, one in signature(function).parameters.items():
            fixed = None | bool | int | float | complex | str | bytes | tuple | type | np.generic
            if (
                one.default is not one.empty
                and not isinstance(one.default, fixed)
                and not callable(one.default)
            ):
                found[name] = one.default
    return found


def hides(law: Law) -> bool:
    """Return whether a law writes enclosed or global variables: what it remembers there is not seen here."""
    function = _function(law)
    if not isinstance(function, FunctionType):
        return False
    code = function.__code__
    return any(
        one.opname in ("STORE_GLOBAL", "DELETE_GLOBAL")
        or (one.opname in ("STORE_DEREF", "DELETE_DEREF") and one.argval in code.co_freevars)
        for one in dis.get_instructions(code)
    )


def _put_defaults(law: Law, held: Mapping[str, Any]) -> None:
    """Let arguments have these defaults."""
    function = _function(law)
    for name in held.keys() & (function.__kwdefaults__ or {}).keys():
        function.__kwdefaults__[name] = held[name]
    if function.__defaults__:
        code = function.__code__
        names = code.co_varnames[: code.co_argcount][-len(function.__defaults__) :]
        function.__defaults__ = tuple(held.get(n, v) for n, v in zip(names, function.__defaults__))


def remembered(laws: Mapping[str, Law]) -> dict[str, dict[str, Any]]:
    """Return what laws remember by their names: in attributes, and ("name()") in defaults of arguments.

    The values are those of the laws themselves, not copies.
    """
    found = {path: memory_of(law.owner) for path, law in laws.items()}
    found |= {f"{path}()": _defaults(law) for path, law in laws.items()}
    return {name: held for name, held in found.items() if held}


def remember(laws: Mapping[str, Law], held: Mapping[str, Mapping[str, Any]]) -> None:
    """Let laws remember what `remembered` returned; the values become their own."""
    for name, values in held.items():
        if name in laws:
            put_attributes(laws[name].owner, values)
        else:
            _put_defaults(laws[name.removesuffix("()")], values)


class Copies:
    """Copies what laws remember; vehicles and code are shared, whatever is one object stays one.

    count : values that were copied
    """

    def __init__(self) -> None:
        self.count = 0
        self._made: dict[int, tuple[object, object]] = {}  # the original lives as long as its number

    def of(self, value: Any) -> Any:
        """Return a copy of a value."""
        self.count += 1
        if isinstance(value, SAME) or type(value) in CODE:
            return value
        if id(value) in self._made:
            return self._made[id(value)][1]
        if type(value) is np.ndarray and value.dtype.kind != "O":
            self.count += value.size // 100
            return self._noted(value, value.copy())
        if type(value) is list:
            made = self._noted(value, [])
            made.extend(map(self.of, value))
            return made
        if type(value) is dict:
            found = self._noted(value, {})
            found.update((self.of(key), self.of(one)) for key, one in value.items())
            return found
        if type(value) in (tuple, set, frozenset):
            return self._noted(value, type(value)(map(self.of, value)))
        return self._object(value)

    def _noted(self, value: object, made: Any) -> Any:
        self._made[id(value)] = value, made
        return made

    def _object(self, value: Any) -> Any:
        cls = type(value)
        if cls.__module__.startswith("interstage."):
            return value  # decks, components, models: they do not change
        plain = cls.__new__ is object.__new__ and cls.__reduce__ is object.__reduce__
        if not plain or hasattr(cls, "__deepcopy__"):
            made = deepcopy(value)
            self.count += len(made) if hasattr(made, "__len__") else 0
            return self._noted(value, made)
        made = self._noted(value, object.__new__(cls))
        for name, inner in attributes_of(value).items():
            object.__setattr__(made, name, self.of(inner))
        return made


class Memories:
    """What laws remembered at the rows of a log: copies before the calls that come after new rows.

    rows : tells how many rows there are by now
    """

    def __init__(self, laws: Mapping[str, Law], rows: Callable[[], int]):
        self.laws, self.rows = laws, rows
        self.owners = {path: law.owner for path, law in laws.items()}
        self.defaults = {f"{path}()": held for path, law in laws.items() if (held := _defaults(law))}
        self.until: list[int] = []  # rows before this one have the copy of the same number
        self.copies: list[dict[str, dict[str, Any]]] = []
        self.count, self.seen, self.over = 0, 0, False
        self.told = 0  # copies that were asked for by `new`

    def __getstate__(self) -> dict[str, object]:
        # laws do not travel: what they remembered at rows does
        return {**self.__dict__, "laws": {}, "owners": {}, "defaults": {}, "rows": int}

    def now(self) -> dict[str, dict[str, Any]]:
        """Return a copy of what laws remember now; raises what cannot be copied."""
        held = {path: memory for path, owner in self.owners.items() if (memory := memory_of(owner))}
        copies = Copies()
        found = copies.of({**held, **self.defaults}) if held or self.defaults else {}
        self.count += copies.count
        return found

    def note(self) -> None:
        """Keep what laws remember, where rows were logged since the last time; before a call of one."""
        rows = self.rows()
        if self.over or rows <= self.seen:
            return
        self.seen = rows
        try:
            self.copies.append(self.now())
            self.until.append(rows)
        except Exception:  # whatever their own copying says
            self.over = True
        self.over |= self.count > MOST

    def new(self) -> Iterator[tuple[int, dict[str, dict[str, Any]]]]:
        """Yield what was kept since the last time: rows before which it holds, and what laws remembered."""
        yield from zip(self.until[self.told :], self.copies[self.told :])
        self.told = len(self.copies)

    def at(self, k: int) -> dict[str, dict[str, Any]] | None:
        """Return what laws remembered at row k; None where that was not kept."""
        j = int(np.searchsorted(self.until, k, "right"))
        return self.copies[j] if j < len(self.copies) else None
