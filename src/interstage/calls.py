"""Calls with arguments that a function does not have, or without those it needs, as sentences.

Python names the class that holds the code ("Doors.from_deck() got an unexpected keyword argument"), which users never
wrote. `named_arguments` says what they wrote, and the argument that they may have meant. Where a call fails with an
error of Python's own, and an argument is not what its declaration says (a number for a state, text for a number, a
ragged list), that argument is named; with arguments as declared the error stays as it is: it is a fault of ours.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from interstage.errors import InputError, InterstageError, did_you_mean, shown

RAW = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, AssertionError)
# what a name in a declaration means, where it is not the name of a class; None: numbers in an array
_PLAIN: dict[str, tuple[type, ...] | None] = {
    "None": (type(None),),
    "str": (str,),
    "bool": (bool,),
    "bytes": (bytes,),
    "int": (int,),
    "float": (int, float),
    "Path": (str, os.PathLike),
    "PathLike": (str, os.PathLike),
    "Mapping": (Mapping,),
    "dict": (dict,),
    "Period": (int, float, str),
    "ArrayLike": None,
    "ndarray": None,
}
_OURS: tuple[str, ...] = (
    "Assembly",
    "Component",
    "Deck",
    "Device",
    "FEModel",
    "FlightLog",
    "Joint",
    "LinearModel",
    "MassBody",
)
_OURS += ("Multibody", "OperatingPoint", "Rotation", "Stage", "State", "System", "Vehicle")

Wrapped = TypeVar("Wrapped", bound=Callable[..., Any])


class CallError(InputError, TypeError):
    """A call whose arguments do not fit the function: a TypeError too, as Python's own."""


def named_arguments(function: Wrapped) -> Wrapped:
    """Return a function, or a class with its `__init__`, whose calls are refused in words when arguments do not fit.

    A call that fits costs one call more.

    >>> @named_arguments
    ... def fly(vehicle, *, until): ...
    >>> fly("kestrel", untill=3.0)
    Traceback (most recent call last):
    interstage.calls.CallError: fly has no argument 'untill'; did you mean until
    """
    if isinstance(function, type):
        function.__init__ = named_arguments(function.__init__)  # type: ignore[misc]
        return function

    @functools.wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except RAW as error:
            # one frame: the call itself was refused, nothing of the function has run
            inside = error.__traceback__ is None or error.__traceback__.tb_next is not None
            if isinstance(error, InterstageError) or (not inside and not isinstance(error, TypeError)):
                raise
            refused = _misfit(function, given, named) if inside else _refusal(function, given, named)
            if refused is None:
                raise
        raise refused

    return cast(Wrapped, called)


def _refusal(function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> CallError | None:
    """Say why a call does not fit; None of functions whose arguments are not all named, for which Python speaks."""
    asked = inspect.signature(function).parameters
    if any(p.kind in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in asked.values()):
        return None
    of_class = "." in function.__qualname__ and "<locals>" not in function.__qualname__ and bool(given)
    name = _said(function, given[0]) if of_class else function.__name__
    places = [p.name for p in asked.values() if p.kind is not p.KEYWORD_ONLY][of_class:]
    words = [p.name for p in asked.values()][of_class:]
    values = len(given) - of_class
    for word in named:
        if word not in words:
            return CallError(f"{name} has no argument '{word}'", hint=did_you_mean(word, words))
    if values > len(places):
        several = f"{len(places)} arguments ({', '.join(places)})" if len(places) > 1 else "one argument"
        return CallError(
            f"{name} takes {several if places else 'no arguments'} without a name",
            got=str(values),
            hint=f"name the others, as in {words[-1]}=" if len(words) > len(places) else None,
        )
    for word in places[:values]:
        if word in named:
            return CallError(f"{name} is given '{word}' twice", hint="by its place and by its name; keep one")
    missing = [
        p.name
        for p in list(asked.values())[of_class:]
        if p.default is p.empty and p.name not in named and p.name not in places[:values]
    ]
    return CallError(f"{name} needs {', '.join(f'{word}=' for word in missing)}") if missing else None


def _misfit(function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> CallError | None:
    """Name an argument that is not what its declaration says; None where all are, or it cannot be told."""
    try:
        signature = inspect.signature(function)
        values = signature.bind(*given, **named).arguments
    except (TypeError, ValueError):
        return None
    of_class = "." in function.__qualname__ and "<locals>" not in function.__qualname__ and bool(given)
    name = _said(function, given[0]) if of_class else function.__name__
    for word, value in values.items():
        parameter = signature.parameters[word]
        declared = parameter.annotation
        plain = parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        if not plain or not isinstance(declared, str) or (parameter.default is value and value is not ...):
            continue
        if not any(_fits(one, value) for one in _alternatives(declared)):
            wanted = " or ".join(
                one.rpartition(".")[2] if "[" not in one else one for one in _alternatives(declared)
            )
            return CallError(
                f"{name}: {word} must be {wanted}", got=f"{shown(value)} ({type(value).__name__})"
            )
    return None


def _alternatives(text: str) -> list[str]:
    """Return the parts of a declaration between bars outside of brackets."""
    found, depth, start = [], 0, 0
    for k, letter in enumerate(text):
        depth += (letter in "[(") - (letter in "])")
        if letter == "|" and depth == 0:
            found.append(text[start:k].strip())
            start = k + 1
    return [*found, text[start:].strip()]


def _fits(declared: str, value: object) -> bool:
    """Return whether a value is what one part of a declaration says; what cannot be told fits."""
    word = declared.partition("[")[0].rpartition(".")[2]
    if word == "Callable":
        return callable(value)
    if word in _OURS:
        return word in (kind.__name__ for kind in type(value).__mro__)
    if word in ("Sequence", "list", "tuple"):
        return (
            hasattr(value, "__len__")
            and hasattr(value, "__getitem__")
            and not isinstance(value, str | Mapping)
        )
    if word not in _PLAIN:
        return True
    kinds = _PLAIN[word]
    if kinds is None:
        return _is_numbers(value)
    scalar = getattr(value, "dtype", None) is not None and getattr(value, "shape", None) == ()
    return isinstance(value.item() if scalar else value, kinds) and not (  # type: ignore[attr-defined]
        isinstance(value, bool) and word in ("int", "float", "Period")
    )


def _is_numbers(value: object) -> bool:
    """Return whether a value is an array of numbers, or makes one: a list whose rows are equally long."""
    import numpy as np

    try:
        return bool(np.asarray(value).dtype.kind in "biufc")
    except (TypeError, ValueError):
        return False


def _said(function: Callable[..., Any], owner: object) -> str:
    """Return how users write a method: with the class they know, whichever one holds its code."""
    kind = owner if isinstance(owner, type) else type(owner)
    return kind.__name__ if function.__name__ == "__init__" else f"{kind.__name__}.{function.__name__}"
