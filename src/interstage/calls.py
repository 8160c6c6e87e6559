"""Calls with arguments that a function does not have, or without those it needs, as sentences.

Python names the class that holds the code ("Doors.from_deck() got an unexpected keyword argument"), which users never
wrote. `named_arguments` says what they wrote, and the argument that they may have meant.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from interstage.errors import InputError, did_you_mean

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
        except TypeError as error:
            # one frame: the call itself was refused, nothing of the function has run
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise
            refused = _refusal(function, given, named)
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


def _said(function: Callable[..., Any], owner: object) -> str:
    """Return how users write a method: with the class they know, whichever one holds its code."""
    kind = owner if isinstance(owner, type) else type(owner)
    return kind.__name__ if function.__name__ == "__init__" else f"{kind.__name__}.{function.__name__}"
