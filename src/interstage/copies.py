"""Independent copies of plain Python objects: what control laws remember between their calls."""

from __future__ import annotations

from copy import deepcopy
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

SAME = (type(None), bool, int, float, complex, str, bytes, np.generic, type, ModuleType)
CODE = (FunctionType, BuiltinFunctionType)


def slots_of_class(cls: type) -> list[str]:
    """Return the names of the slots of a class, as its attributes have them."""
    found = []
    for one in cls.__mro__:
        slots = vars(one).get("__slots__", ())
        for name in [slots] if isinstance(slots, str) else slots:
            private = name.startswith("__") and not name.endswith("__")
            found.append(f"_{one.__name__.lstrip('_')}{name}" if private else name)
    return [name for name in found if name not in ("__dict__", "__weakref__")]


def attributes_of(value: object) -> dict[str, Any]:
    """Return the attributes of an object by name, those in slots too."""
    found = dict(getattr(value, "__dict__", {}))
    slots = slots_of_class(type(value))
    return found | {name: getattr(value, name) for name in slots if hasattr(value, name)}


class Copies:
    """Copies of values, in which objects that were one stay one; objects of this package and code are shared.

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
            return value  # decks, components, models, vehicles: they do not change
        plain = cls.__new__ is object.__new__ and cls.__reduce__ is object.__reduce__
        if not plain or hasattr(cls, "__deepcopy__"):
            made = deepcopy(value)
            self.count += len(made) if hasattr(made, "__len__") else 0
            return self._noted(value, made)
        made = self._noted(value, object.__new__(cls))
        for name, inner in attributes_of(value).items():
            object.__setattr__(made, name, self.of(inner))
        return made
