"""How a user's function wants to be called: with the system after its other arguments, or without."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError, InterstageError, raised

if TYPE_CHECKING:
    from interstage.multibody.api.dynamics import Dynamics
    from interstage.multibody.state import State


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


def asked(f: Callable, what: str, system: Dynamics, x: State, vdot: np.ndarray) -> np.ndarray:
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
