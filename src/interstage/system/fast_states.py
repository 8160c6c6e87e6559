"""Fixed steps that are too long for what devices make fast: their states, and what their forces let swing.

What devices say is explicit in every compiled method, in W-methods too: with λ an eigenvalue of ∂ẏ/∂y at the start,
y = [q; v; z] with the states z of devices, a step multiplies its part by

    R(hλ) = 1 + hλ bᵀ(1 - hλ A)⁻¹ 1      in place of      exp(hλ)

with the rows A and weights b of the stages. What should decay grows where |R| > 1: for real λ from h|λ| = 2.79 on with
`rk4`, from 2 on with `ros2`, from 2.40 on with `ros3`. What swings gains or loses damping, ln|R|/h - Re λ: an undamped
spring in steps of `rk4` loses (hω)⁶/144 a step. Such a run ends in finite numbers that mean nothing.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from interstage.errors import FidelityWarning, InputError, caller_level
from interstage.multibody import State
from interstage.system.law import Law
from interstage.system.methods import Compiled

if TYPE_CHECKING:
    from interstage.system.flight import Flight

MOST = 200  # states: with more, those of devices alone are looked at, and of these as many
DIFFERENCE, FAR = 1e-6, 1e-9  # step of differences, and beside a size from which that is more
DECAYS = 1e-3  # |Re λ| beside |λ| from which something is meant to decay
WRONG, FINE = (
    0.1,
    0.01,
)  # change of an amplitude in the run, and of its own rate of decay: warned of; aimed at
OWN = 0.3  # share of |λ| that forces of devices make, from which it is theirs
MOST_STEPS = 1e7  # of a run whose steps nobody chose


def growth(method: Compiled, w: complex) -> float:
    """Return |R(w)| of what a method treats explicitly, w = hλ."""
    rows = np.asarray(method.data(False)[0])  # those of the stages, then the weights
    s = rows.shape[1]
    k = np.linalg.solve(np.eye(s) - w * rows[:s], np.ones(s))
    return float(abs(1.0 + w * (rows[s] @ k)))


@dataclass
class Rates:
    """How fast a flight may change at its start: eigenvalues λ (n,) of ∂ẏ/∂y and what they are of.

    J : ∂ẏ/∂y (n, n);  vectors, left : right and left eigenvectors, columns
    names : of the entries of y;  whole : the vehicle is in y too
    """

    J: np.ndarray
    values: np.ndarray
    vectors: np.ndarray
    left: np.ndarray
    names: list[str]
    whole: bool

    def of_devices(self, flight: Flight, k: int) -> bool:
        """Return whether devices make an eigenvalue: by their states, or by what they do to the vehicle."""
        if not self.whole:
            return True
        nq, n = flight.system.nq, flight.system.nq + flight.system.nv
        bare = self.J.copy()  # rates of coordinates are those of the vehicle
        bare[nq:] = 0.0
        bare[nq:n, :n] = _of_vehicle(flight)
        # by left vectors, not by the inverse of the right ones: a free body has fewer vectors than eigenvalues of zero
        left, right = self.left[:, k].conj(), self.vectors[:, k]
        share = abs(left @ ((self.J - bare) @ right))
        return bool(share > OWN * abs(self.values[k] * (left @ right)))

    def name(self, k: int) -> str:
        """Return the entry that moves most, beside its kind."""
        size = np.abs(self.vectors[:, k])
        return self.names[int(np.argmax(size))]


def rates_of(flight: Flight) -> Rates | None:
    """Return how fast a flight may change at its start; None where that cannot be found."""
    plan, loop, system = flight.plan, flight.loop, flight.system
    laws = any(isinstance(plan.parts[e.part].what, Law) for e in (*plan.before, *plan.after))
    if laws or loop.without or not isinstance(flight.method, Compiled):
        return None
    n, nz = system.nq + system.nv, len(plan.initial["z"])
    whole = 0 < n + nz <= MOST and not system.n_closure and not system.any_held and not plan.ahead
    if not whole and not 0 < nz <= MOST:
        return None
    J = _slopes(flight, whole)
    if J is None:
        return None
    names = [c.name for c in (*system.layout.coordinates(), *system.layout.velocities())] if whole else []
    values, left, vectors = scipy.linalg.eig(J, left=True)
    return Rates(J, values, vectors, left, names + _names_of_states(flight, nz), whole)


def _names_of_states(flight: Flight, n: int) -> list[str]:
    """Return the names of fields that the states of devices belong to."""
    found = [""] * n
    for name, slot in flight.plan.slots.items():
        if slot.kind == "z":
            found[slot.start : slot.start + slot.size] = [name] * slot.size
    return found


def _slopes(flight: Flight, whole: bool) -> np.ndarray | None:
    """Return ∂ẏ/∂y at the start, or ∂ż/∂z alone, nothing changed; None where it cannot be found."""
    tapes, nq, nv = flight.loop.tapes, flight.system.nq, flight.system.nv
    kept = {kind: vector.copy() for kind, vector in tapes.vectors.items()}
    start = np.concatenate([flight.q, flight.v, kept["z"]])
    qdot, vdot = np.empty(nq), np.empty(nv)

    def rates(y: np.ndarray) -> np.ndarray:
        for kind, vector in kept.items():
            tapes.vectors[kind][:] = vector
        tapes.vectors["z"][:] = y[nq + nv :]
        status = flight.loop.right_side(y[:nq].copy(), y[nq : nq + nv].copy(), flight.t, qdot, vdot)
        if status != 0:
            return np.full(len(y), np.nan)
        return np.concatenate([qdot, vdot, tapes.vectors["Z"]])

    try:
        J = _differences(rates, start) if whole else _differences(rates, start, nq + nv)[nq + nv :]
    finally:
        for kind, vector in kept.items():
            tapes.vectors[kind][:] = vector
    return J if np.isfinite(J).all() else None


def _differences(f: Callable[[np.ndarray], np.ndarray], y: np.ndarray, first: int = 0) -> np.ndarray:
    """Return ∂f/∂y by the entries from `first` on."""
    at, columns = f(y), []
    for k in range(first, len(y)):
        moved = y.copy()
        moved[k] += max(DIFFERENCE, FAR * abs(y[k]))
        columns.append((f(moved) - at) / (moved[k] - y[k]))
    return np.array(columns).T


def _of_vehicle(flight: Flight) -> np.ndarray:
    """Return ∂v̇/∂[q; v] of the vehicle without devices."""
    system, nq = flight.system, flight.system.nq

    def rates(y: np.ndarray) -> np.ndarray:
        return system.forward_dynamics(State(system.layout, y[:nq], y[nq:]))

    return _differences(rates, np.concatenate([flight.q, flight.v]))


def gained(method: Compiled, value: complex, h: float) -> float:
    """Return the rate (1/s) at which steps of h let a part grow that should not, negative: what they take from it."""
    size = growth(method, h * value)
    return math.log(max(size, 1e-300)) / h - value.real


def is_followed(method: Compiled, value: complex, h: float, length: float, limit: float) -> bool:
    """Return whether equal steps of h keep the size of a part over a run, to a limit; of what decays: that it does."""
    if value.real < -DECAYS * abs(value) and growth(method, h * value) > 1.0:
        return False
    if abs(value.imag) <= abs(value.real):
        return True
    gain = abs(gained(method, value, h))
    return gain * length <= limit or gain <= limit * abs(value.real)


def longest_step(method: Compiled, value: complex, h: float, length: float) -> float:
    """Return a step of at most h that follows a part of eigenvalue `value` well; limits are those of `FINE`."""
    if is_followed(method, value, h, length, FINE):
        return h
    low = 0.0
    for _ in range(40):
        middle = 0.5 * (low + h)
        low, h = (middle, h) if is_followed(method, value, middle, length, FINE) else (low, middle)
    return low


def warn_of_fast_states(flight: Flight) -> None:
    """Warn of what devices make too fast for fixed steps, by differences of the right-hand side at the start."""
    method = flight.method
    if flight.by.step is None or not isinstance(method, Compiled):
        return
    found = rates_of(flight)
    if found is None:
        return
    h, length = _longest(flight), float(flight.until) - flight.t
    lost = [k for k, value in enumerate(found.values) if not is_followed(method, value, h, length, WRONG)]
    lost = [k for k in lost if found.of_devices(flight, k)]
    if not lost:
        return
    worst = max(
        lost, key=lambda k: (growth(method, h * complex(found.values[k])) > 1.0, abs(found.values[k]))
    )
    below = min(longest_step(method, found.values[k], h, length) for k in lost)
    warnings.warn(
        f"steps of {h:.3g} s by {method} are too long for {_words(method, found, worst, h, length)}; take steps "
        f"below {below:.3g} s, or leave step= out with method='dopri5'",
        FidelityWarning,
        stacklevel=caller_level(),
    )


def _words(method: Compiled, found: Rates, k: int, h: float, length: float) -> str:
    """Say what is too fast, and what the steps do to it."""
    value, name = found.values[k], found.name(k)
    if abs(value.imag) <= abs(value.real):
        slow = f"the state '{name}', whose time constant is {1.0 / abs(value):.3g} s"
        return f"{slow}: errors grow, as states of devices are explicit"
    gain = gained(method, value, h)
    words = f"what devices let swing at {abs(value.imag) / (2.0 * math.pi):.3g} Hz ('{name}')"
    if growth(method, h * value) > 1.0:
        return f"{words}: it grows, as forces and states of devices are explicit"
    kept = 100.0 * (1.0 - math.exp(max(gain, -700.0 / length) * length)) if gain < 0.0 else 0.0
    return f"{words}: they take {kept:.3g} % of it in the run beside its own damping"


def chosen_step(flight: Flight) -> Fraction | None:
    """Return the step that a run takes whose steps nobody chose, None: the one it has will do."""
    method, step = flight.method, flight.by.step
    found = rates_of(flight) if step is not None else None
    if found is None or step is None or not isinstance(method, Compiled):
        return None
    h, length, worst = _longest(flight), float(flight.until) - flight.t, -1
    for k, value in enumerate(found.values):
        if (
            method.implicit
            and not is_followed(method, value, h, length, FINE)
            and not found.of_devices(flight, k)
        ):
            continue
        shorter = longest_step(method, value, h, length)
        h, worst = (shorter, k) if shorter < h else (h, worst)
    if worst < 0:
        return None
    if length > MOST_STEPS * h:
        value = found.values[worst]
        raise InputError(
            f"the run needs steps of {h:.3g} s by {method}, and more than {MOST_STEPS:.0e} of them",
            where=f"'{found.name(worst)}', which changes at {abs(value):.3g} rad/s",
            hint="give step= to take others, or a method for stiff systems, method='radau'",
        )
    decade = Fraction(10) ** math.floor(math.log10(h))
    return max(k * decade for k in (1, 2, 5) if k * decade <= h)


def _longest(flight: Flight) -> float:
    """Return the length of steps: equal ones between the samples of what is sampled most often."""
    plan, step = flight.plan, flight.by.step
    assert step is not None
    gap = min((e.every * plan.clock.tick for e in plan.sampled), default=flight.until - flight.start)
    gap = min(gap, flight.until - flight.start)
    return float(gap / math.ceil(gap / step))
