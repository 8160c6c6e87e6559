"""What a pointing error is over time: root mean square by windows, power over frequency, and when it has settled.

An error y (m, k) has rows at equal times; its columns are angles across the line of sight, and its size is that of the
row. Sums over frequency are those over time (Parseval): the last number of a cumulative spectrum is the root mean
square of the whole, its mean taken off.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError


def _rows(t: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray, float]:
    """Return times (m,), values (m, k) and the time between rows, which are equally far apart."""
    times, values = np.asarray(t, dtype=float), np.asarray(y, dtype=float)
    values = values[:, None] if values.ndim == 1 else values
    steps = np.diff(times)
    if times.ndim != 1 or len(times) < 2 or values.ndim != 2 or len(values) != len(times):
        raise InputError("a history has a row of values for each time", got=f"{times.shape}, {values.shape}")
    if not np.allclose(steps, steps[0], rtol=1e-6, atol=0.0) or steps[0] <= 0.0:
        raise InputError("times must be equally far apart", hint="give simulate a log_step")
    return times, values, float(np.mean(steps))


def windowed_rms(t: ArrayLike, y: ArrayLike, window: float) -> tuple[np.ndarray, np.ndarray]:
    """Return ends of windows (n,) and the root mean square of the size of y (n,) in each, one after the other.

    >>> windowed_rms([0.0, 1.0, 2.0, 3.0], [1.0, -1.0, 3.0, 3.0], 2.0)
    (array([2., 4.]), array([1., 3.]))
    """
    times, values, dt = _rows(t, y)
    n = round(window / dt)
    if not 1 <= n <= len(times):
        raise InputError(
            "a window is not longer than the history", expected=f"{dt:g} to {dt * len(times):g} s"
        )
    count = len(times) // n
    square = (values[: count * n] ** 2).sum(axis=1).reshape(count, n)
    return times[0] + dt * n * np.arange(1, count + 1), np.sqrt(square.mean(axis=1))


def cumulative_spectrum(t: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return frequencies (n,) in hertz and the root mean square (n,) of what y has up to each, its mean left out."""
    _, values, dt = _rows(t, y)
    m = len(values)
    power = (np.abs(np.fft.rfft(values, axis=0)) ** 2).sum(axis=1) / m**2
    power[1 : (m + 1) // 2] *= 2.0  # those below and above zero
    return np.fft.rfftfreq(m, dt)[1:], np.sqrt(np.cumsum(power[1:]))


def settling_time(t: ArrayLike, y: ArrayLike, within: float, lasting: float) -> float:
    """Return the first time from which the size of y stays within a limit for so long; infinite where it never does.

    >>> settling_time([0.0, 1.0, 2.0, 3.0, 4.0], [5.0, 0.1, 2.0, 0.1, 0.1], within=1.0, lasting=1.0)
    3.0
    """
    times, values, dt = _rows(t, y)
    n = round(lasting / dt)
    bad = np.flatnonzero(np.linalg.norm(values, axis=1) > within)
    begins = np.concatenate([[0], bad + 1])
    ends = np.concatenate([bad - 1, [len(times) - 1]])
    for begin, end in zip(begins, ends):
        if end - begin >= n:
            return float(times[begin])
    return float("inf")
