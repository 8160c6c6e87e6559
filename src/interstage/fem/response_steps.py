"""Time steps of transient responses, and shock response spectra.

Integrate the response of a structure in time: modes alone exactly, everything else by NASTRAN's Newmark scheme.

Shock response spectra: the largest absolute acceleration of oscillators on a base that follows a history.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.linalg import expm
from scipy.sparse.linalg import splu

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.fem.response_problem import ResponseProblem


def step_times(steps) -> tuple[np.ndarray, np.ndarray]:
    """Times of all steps, and which of them are kept: the first, every NO-th of each run, and the last."""
    t, kept = [0.0], [0]
    for count, step, every in zip(steps.count, steps.step, steps.keep):
        first = len(t)
        t += (t[-1] + step * np.arange(1, count + 1)).tolist()
        kept += [first + k - 1 for k in range(every, count + 1, every)]
    if kept[-1] != len(t) - 1:
        kept.append(len(t) - 1)
    return np.array(t), np.array(kept)


def exact_modes(problem: ResponseProblem, sizes, counts, P, u0, v0):
    """Modes by themselves, exact for loads that are straight between steps: a first-order hold of each.

    What moves no mass follows its load.
    """
    still = np.diag(problem.M) == 0.0
    k, b = np.diag(problem.K), np.diag(problem.B)
    if still.any():
        moving = np.flatnonzero(~still)
        u, v, a = np.zeros((3, *P.shape))
        u[still] = P[still] / k[still, None]
        part = unit_masses(k[moving], b[moving], sizes, counts, P[moving], u0[moving], v0[moving])
        u[moving], v[moving], a[moving] = part
        return u, v, a
    return unit_masses(k, b, sizes, counts, P, u0, v0)


def unit_masses(k, b, sizes, counts, P, u0, v0):
    """Motion, speed and acceleration of unit masses on springs k and dampers b."""
    n, total = P.shape
    u, v = np.zeros((2, n, total))
    u[:, 0], v[:, 0] = u0, v0
    at = 0
    for size, count in zip(sizes, counts):
        # [u v p r]' with p' = r/h: the exponential gives all three maps at once
        A = np.zeros((n, 4, 4))
        A[:, 0, 1] = size
        A[:, 1, 0], A[:, 1, 1], A[:, 1, 2] = -k * size, -b * size, size
        A[:, 2, 3] = 1.0
        step = np.stack([expm(one) for one in A]) if n else np.zeros((0, 4, 4))
        for _ in range(count):
            x = np.stack([u[:, at], v[:, at], P[:, at], P[:, at + 1] - P[:, at]], axis=1)
            x = np.einsum("nij,nj->ni", step[:, :2], x)
            u[:, at + 1], v[:, at + 1] = x.T
            at += 1
    return u, v, P - b[:, None] * v - k[:, None] * u


def newmark(problem: ResponseProblem, sizes, counts, P, u0, v0, exact_start: bool = False):
    """NASTRAN's Newmark scheme with three points, K and loads averaged over them.

    NASTRAN begins with no acceleration: u(-h) = u0 - h v0, under the loads that hold this motion, K u + B v0, at -h
    and at 0. A load that is there from the first instant so acts from the middle of the first step on. exact_start :
    begin with the acceleration of the given loads instead.
    """
    K, B, M = (sp.csc_matrix(A) for A in (problem.K, problem.B, problem.M))
    n, total = P.shape
    u, v, a = np.zeros((3, n, total))
    u[:, 0], v[:, 0] = u0, v0
    a[:, 0] = _start_acceleration(M, P[:, 0] - B @ v0 - K @ u0)
    at, given = 0, P
    if not exact_start:
        P = P.copy()
        P[:, 0] = K @ u0 + B @ v0
    for size, count in zip(sizes, counts):
        factor = splu(sp.csc_matrix(M / size**2 + B / (2 * size) + K / 3.0))
        two, old = 2.0 / size**2 * M - K / 3.0, -M / size**2 + B / (2 * size) - K / 3.0
        if at or exact_start:
            before = u[:, at] - size * v[:, at] + 0.5 * size**2 * a[:, at]
            load = 2.0 * P[:, at] - P[:, at + 1]  # the load before the run, carried back
        else:
            before = u0 - size * v0
            load = K @ before + B @ v0
        for _ in range(count):
            right = (P[:, at + 1] + P[:, at] + load) / 3.0 + two @ u[:, at] + old @ before
            u[:, at + 1] = factor.solve(right)
            # what the scheme means by velocity and acceleration belongs to the middle of its three points
            v[:, at] = (u[:, at + 1] - before) / (2 * size) if at else v[:, at]
            a[:, at] = (u[:, at + 1] - 2 * u[:, at] + before) / size**2 if at else a[:, at]
            before, load, at = u[:, at], P[:, at], at + 1
        v[:, at] = (
            (3 * u[:, at] - 4 * before + u[:, at - 2]) / (2 * size)
            if count > 1
            else (u[:, at] - before) / size
        )
        a[:, at] = _start_acceleration(M, given[:, at] - B @ v[:, at] - K @ u[:, at])
    return u, v, a


def _start_acceleration(M: sp.csc_matrix, force: np.ndarray) -> np.ndarray:
    """Acceleration of what has mass; a dof without mass has none of its own."""
    diagonal = M.diagonal()
    heavy = diagonal > 0.0
    out = np.zeros(len(force))
    part = M[heavy][:, heavy].tocsc()
    if part.nnz == np.count_nonzero(heavy):
        out[heavy] = force[heavy] / diagonal[heavy]
    elif heavy.any():
        out[heavy] = splu(part).solve(force[heavy])
    return out


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
