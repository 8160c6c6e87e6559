"""What is kept of a run: numbers by name, from its log or from what the user's function returned.

A text names a signal of the log, and before it how it is reduced over time:

    "final core.q", "max", "min", "mean", "rms", "peak" (largest magnitude)     one number, or one a component
    ("mean" and "rms" are over time, by the trapezoidal rule: 1/T ∫ y dt and √(1/T ∫ y² dt))
    "imu.rate"                                                                  its whole history

A function takes the log and returns a number or an array.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from interstage.errors import InputError, did_you_mean, shown
from interstage.simulation import Log

Outputs: TypeAlias = Sequence[str] | Mapping[str, "str | Callable[..., object]"] | None
TIMES = "time of "
Found = TypeVar("Found")


def _rms(values: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return √(1/T ∫ y² dt), by the trapezoidal rule."""
    return np.sqrt(_mean(values**2, t))


def _mean(values: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return 1/T ∫ y dt, by the trapezoidal rule: rows need not be equally far apart."""
    if not t[-1] > t[0]:
        return values.mean(axis=0)
    between = np.diff(t).reshape(-1, *[1] * (values.ndim - 1))
    return (between * (values[1:] + values[:-1])).sum(axis=0) / (2.0 * (t[-1] - t[0]))


REDUCTIONS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "final": lambda y, t: y[-1],
    "max": lambda y, t: y.max(axis=0),
    "min": lambda y, t: y.min(axis=0),
    "peak": lambda y, t: np.abs(y).max(axis=0),
    "mean": _mean,
    "rms": _rms,
}


def named(outputs: Outputs) -> dict[str, str | Callable[..., object]] | None:
    """Return outputs by name, or None for all that a mapping has; refuse what is none."""
    if outputs is None:
        return None
    if isinstance(outputs, Mapping):
        found = dict(outputs)
    elif isinstance(outputs, Sequence) and not isinstance(outputs, str):
        found = {text: text for text in outputs if isinstance(text, str)}
        if len(found) != len(outputs):
            raise InputError(
                "outputs are not all names, or one stands twice",
                where="outputs",
                expected="texts, or {name: function}",
                got=shown(outputs),
            )
    else:
        raise InputError("outputs cannot be read", expected="names, or {name: function}", got=shown(outputs))
    for name, what in found.items():
        if not isinstance(name, str) or not name or not (isinstance(what, str) or callable(what)):
            raise InputError(
                "this is no output",
                where=shown(name),
                expected="a text or a function of the log",
                got=shown(what),
            )
    return found


def taken(result: object, wanted: dict[str, str | Callable[..., object]] | None) -> dict[str, np.ndarray]:
    """Return the outputs of a run as arrays of numbers.

    result : a log, or {name: number or array}, or anything that the functions of `wanted` understand
    """
    if wanted is None and isinstance(result, Mapping):
        wanted = {str(name): str(name) for name in result}
    if wanted is None:
        said = 'names as "final core.q", or a build function that returns {name: number}'
        raise InputError("it is not said what to keep of a run", expected=said, got=shown(result))
    found: dict[str, np.ndarray] = {}
    for name, what in wanted.items():
        if isinstance(what, str):
            new = _signal(result, name, what)
            if TIMES + name in new and TIMES + name in wanted:
                raise InputError(
                    f"'{TIMES}{name}' is the name of the times of '{name}'", hint="choose another"
                )
            found |= new
        else:
            found[name] = _numbers(what(result), name)
    return found


def _signal(result: object, name: str, text: str) -> dict[str, np.ndarray]:
    if isinstance(result, Mapping):
        if text not in result:
            raise InputError(f"the run returned no '{text}'", hint=did_you_mean(text, result))
        return {name: _numbers(result[text], name)}
    if not isinstance(result, Log):
        raise InputError(
            f"'{text}' cannot be read from what a run returned",
            expected="a log, or {name: number}",
            got=shown(result),
        )
    word, (y, t) = sought(text, lambda signal: _history(result, signal), name)
    if word:
        return {name: _numbers(REDUCTIONS[word](y, t), name)}
    return {name: _numbers(y, name), TIMES + name: t}


def sought(text: str, look: Callable[[str], Found], name: str) -> tuple[str, Found]:
    """Return the word that reduces in the text of an output, "" for none, and what `look` finds of its signal."""
    word, _, signal = text.partition(" ")
    if word in REDUCTIONS and signal:
        return word, look(signal.strip())
    try:
        return "", look(text)
    except InputError as error:
        if not signal or signal.lstrip()[:1] in "+-":
            raise
        raise InputError(
            f"'{text}' is no signal, and '{word}' no way to reduce one",
            where=f"output '{name}'",
            expected=", ".join(REDUCTIONS),
        ) from error


def _history(log: Any, signal: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a signal of a log over its own times."""
    y = log[signal]
    if not isinstance(y, np.ndarray):
        raise InputError(
            f"'{signal}' is a body, not a signal",
            hint=f"keep it by a function: {{name: lambda log: log.position('{signal}')[-1]}}",
        )
    t = log.times(signal) if hasattr(log, "times") else log.t
    return y, np.asarray(t, dtype=float)


def _numbers(value: object, name: str) -> np.ndarray:
    try:
        array = np.array(value)
    except ValueError:  # rows of different lengths
        array = np.array(None)
    if array.size and array.dtype.kind not in "biuf":
        raise InputError(f"output '{name}' is no number", expected="real numbers", got=shown(value))
    array = array.astype(float)
    if not array.size:
        raise InputError(f"output '{name}' is empty")
    return array
