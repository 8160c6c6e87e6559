"""Fixed steps that are too long for states of devices.

States z of devices are explicit in every compiled method, in W-methods too: with λ an eigenvalue of ∂ż/∂z, a step
multiplies its part of the error by

    R(hλ) = 1 + hλ bᵀ(1 - hλ A)⁻¹ 1

with the rows A and weights b of the stages, and what should decay grows where |R| > 1: for real λ from h|λ| = 2.79 on
with `rk4`, from 2 on with `ros2`, from 2.40 on with `ros3`. Such a run may end in finite numbers that mean nothing.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import FidelityWarning
from interstage.system.law import Law
from interstage.system.methods import Compiled

if TYPE_CHECKING:
    from interstage.system.flight import Flight

MOST = 200  # states: with more nothing is looked at
DIFFERENCE = 1e-6
DECAYS = 1e-3  # |Re λ| beside |λ| from which something is meant to decay


def growth(method: Compiled, w: complex) -> float:
    """Return |R(w)| of what a method treats explicitly, w = hλ."""
    rows = np.asarray(method.data(False)[0])  # those of the stages, then the weights
    s = rows.shape[1]
    k = np.linalg.solve(np.eye(s) - w * rows[:s], np.ones(s))
    return float(abs(1.0 + w * (rows[s] @ k)))


def warn_of_fast_states(flight: Flight) -> None:
    """Warn of states of devices that are too fast for fixed steps, by differences of their rates at the start."""
    plan, by, method = flight.plan, flight.by, flight.method
    n = len(plan.initial["z"])
    laws = any(isinstance(plan.parts[e.part].what, Law) for e in (*plan.before, *plan.after))
    if by.step is None or not isinstance(method, Compiled) or not 0 < n <= MOST or laws:
        return
    J = _slopes(flight, n)
    if J is None:
        return
    values, vectors = np.linalg.eig(J)
    decaying = values.real < -DECAYS * np.abs(values)
    h = _longest(flight)
    grown = [growth(method, h * value) if down else 0.0 for value, down in zip(values, decaying)]
    worst = int(np.argmax(grown))
    if grown[worst] > 1.0:
        place = int(np.argmax(np.abs(vectors[:, worst])))
        slots = plan.slots.items()
        name = next(n for n, s in slots if s.kind == "z" and s.start <= place < s.start + s.size)
        warnings.warn(
            f"steps of {h:.3g} s by {method} are too long for the state '{name}', whose time constant is "
            f"{1.0 / abs(values[worst]):.3g} s: errors grow, as states of devices are explicit; take steps below "
            f"{_stable(method, values[worst], h):.3g} s, or leave step= out with method='dopri5'",
            FidelityWarning,
            stacklevel=3,
        )


def _slopes(flight: Flight, n: int) -> np.ndarray | None:
    """Return ∂ż/∂z (n, n) at the start, nothing changed; None where it cannot be found."""
    tapes = flight.loop.tapes
    kept = {kind: vector.copy() for kind, vector in tapes.vectors.items()}
    q, v = flight.q.copy(), flight.v.copy()
    qdot, vdot = np.empty_like(q), np.empty_like(v)

    def rates(change: np.ndarray) -> np.ndarray:
        for kind, vector in kept.items():
            tapes.vectors[kind][:] = vector
        tapes.vectors["z"] += change
        status = flight.loop.right_side(q, v, flight.t, qdot, vdot)
        return tapes.vectors["Z"].copy() if status == 0 else np.full(n, np.nan)

    try:
        first = rates(np.zeros(n))
        size = DIFFERENCE * np.maximum(1.0, np.abs(kept["z"]))
        J = np.array([(rates(row) - first) / size[k] for k, row in enumerate(np.diag(size))]).T
    finally:
        for kind, vector in kept.items():
            tapes.vectors[kind][:] = vector
    return J if np.isfinite(J).all() else None


def _longest(flight: Flight) -> float:
    """Return the length of steps: equal ones between the samples of what is sampled most often."""
    plan, step = flight.plan, flight.by.step
    assert step is not None
    gap = min((e.every * plan.clock.tick for e in plan.sampled), default=flight.until - flight.start)
    gap = min(gap, flight.until - flight.start)
    return float(gap / math.ceil(gap / step))


def _stable(method: Compiled, value: complex, h: float) -> float:
    """Return the longest step below h with which a part of eigenvalue `value` does not grow."""
    low = 0.0
    for _ in range(40):
        middle = 0.5 * (low + h)
        low, h = (low, middle) if growth(method, middle * value) > 1.0 else (middle, h)
    return low
