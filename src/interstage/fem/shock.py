"""Shock response spectra: the largest absolute acceleration of oscillators on a base that follows a history."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.fem.response_steps import unit_masses

SETTLING = 1.0  # periods of each oscillator that are followed after the end of the history


@named_arguments
def shock_spectrum(
    time: ArrayLike, acceleration: ArrayLike, frequencies_hz: ArrayLike, *, q: float = 10.0
) -> np.ndarray:
    """Compute the shock response spectrum of a base acceleration (maximax, absolute acceleration).

    Each oscillator starts at rest and is integrated exactly for an acceleration that is linear between samples; after
    the last sample the base has no acceleration, and one more period is followed.

    Parameters
    ----------
    time : (n,) s, ascending
    acceleration : (n,) of the base, in any unit
    frequencies_hz : (k,) natural frequencies of the oscillators
    q : quality factor 1/(2ζ), 10 by convention

    Returns
    -------
    (k,) largest absolute acceleration of each oscillator, in the unit of `acceleration`
    """
    t, a = np.asarray(time, dtype=float), np.asarray(acceleration, dtype=float)
    f = np.atleast_1d(np.asarray(frequencies_hz, dtype=float))
    if t.ndim != 1 or t.shape != a.shape or len(t) < 2 or not (np.diff(t) > 0.0).all():
        raise InputError(
            "time and acceleration must be two arrays of one length, time ascending",
            got=f"shapes {t.shape} and {a.shape}",
        )
    if not (f > 0.0).all() or not q > 0.5:
        raise InputError("shock_spectrum: frequencies must be above zero and q above 0.5", got=f"q = {q:g}")
    steps = np.diff(t)
    cuts = np.flatnonzero(np.abs(np.diff(steps)) > 1e-9 * steps[:-1]) + 1
    runs = np.split(steps, cuts)
    w = 2.0 * np.pi * f
    k, b = w**2, w / q
    sizes, counts = [float(one.mean()) for one in runs], [len(one) for one in runs]
    z, v, _ = unit_masses(k, b, sizes, counts, np.broadcast_to(-a, (len(f), len(a))), 0.0 * f, 0.0 * f)
    largest = np.abs(k[:, None] * z + b[:, None] * v).max(axis=1)
    # free decay in closed form
    decay, turn = 0.5 * b, np.sqrt(k - 0.25 * b**2)
    s = np.linspace(0.0, SETTLING, 400)[None, :] / f[:, None]
    one, two = z[:, -1:], (v[:, -1:] + decay[:, None] * z[:, -1:]) / turn[:, None]
    shape, slope = np.cos(turn[:, None] * s), np.sin(turn[:, None] * s)
    fall = np.exp(-decay[:, None] * s)
    free = fall * (one * shape + two * slope)
    speed = -decay[:, None] * free + fall * turn[:, None] * (two * shape - one * slope)
    return np.maximum(largest, np.abs(k[:, None] * free + b[:, None] * speed).max(axis=1))
