"""Types of what users give by name: places on bodies, and tables of what acts there.

How a user's function wants to be called: with the system after its other arguments, or without.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError, InterstageError, raised

if TYPE_CHECKING:
    from interstage.multibody.state import State
    from interstage.multibody.system import System


Key = TypeVar("Key", covariant=True)
Value = TypeVar("Value", covariant=True)


class NameTable(Protocol[Key, Value]):
    """A dictionary that is only read: one of narrower keys or values is one too."""

    def __iter__(self) -> Iterator[Key]: ...

    def __len__(self) -> int: ...

    def items(self) -> Iterable[tuple[Key, Value]]:
        """Return the pairs of keys and values."""
        ...

    def values(self) -> Collection[Value]:
        """Return the values in the order of the keys."""
        ...


Node: TypeAlias = int | np.integer | Sequence[float] | np.ndarray | None
"""A place on a body: a node of a flexible one, a point (3,) of a rigid one, None for the origin of its frame."""

Place: TypeAlias = str | tuple[str, Node]
"""A body, or a body and a place on it."""

Target: TypeAlias = str | tuple[str | None, Node] | None
"""Where a body is to be attached: a parent, a place on one, or (None) the ground."""

SiteKey: TypeAlias = tuple[int, int | tuple[float, ...]]
"""The number of a body, and a node or (for ends of closures) a point of it."""

Rates: TypeAlias = NameTable[str, ArrayLike]
"""Rates or accelerations of joints by body."""


def needed_arguments(f: Callable) -> int:
    """Return how many arguments a function must have; 0 where it does not say."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return 0
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in plain and p.default is p.empty for p in parameters)


def asks_system(f: Callable, others: int) -> bool:
    """Tell if a function wants the system after its other arguments: it needs one more, or has one named "system"."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return False
    if needed_arguments(f) > others:
        return True
    after = parameters[others : others + 1]
    return bool(after) and after[0].name == "system" and after[0].kind is not inspect.Parameter.KEYWORD_ONLY


def asked(f: Callable, what: str, system: System, x: State, vdot: np.ndarray) -> np.ndarray:
    """Return what a function of (system, x, vdot) answers (k,); it gets copies, and may use them as scratch."""
    try:
        return np.atleast_1d(np.asarray(f(system, x.copy(), vdot.copy())))
    except InterstageError:
        raise
    except Exception as err:
        raise InputError(f"{what} failed", got=raised(err)) from err


def given_system(f: Callable, others: int) -> Callable:
    """Return a function that takes its other arguments and the system, whether f asks for that or not."""
    return f if asks_system(f, others) else _Unasked(f, others)


@dataclass(frozen=True)
class _Unasked:
    """A function that gets its first arguments only; it travels to other processes where the function does."""

    f: Callable
    others: int

    def __call__(self, *arguments: object) -> object:
        return self.f(*arguments[: self.others])
