"""Fixed steps that are too long for what devices make fast: their states, and what their forces let swing.

What devices say is explicit in every compiled method, in W-methods too: with λ an eigenvalue of ∂ẏ/∂y at the start
(`rates`), y = [q; v; z] with the states z of devices, a step multiplies its part by

    R(hλ) = 1 + hλ bᵀ(1 - hλ A)⁻¹ 1      in place of      exp(hλ)

with the rows A and weights b of the stages. What should decay grows where |R| > 1: for real λ from h|λ| = 2.79 on with
`rk4`, from 2 on with `ros2`, from 2.40 on with `ros3`. What swings gains or loses damping, ln|R|/h - Re λ: an undamped
spring in steps of `rk4` loses (hω)⁶/144 a step. Such a run ends in finite numbers that mean nothing.

Between samples T apart, n steps, commands act by what is left of a part, Rⁿ in place of exp(λT); and a loop may take
half of the damping that a part has of its own (a margin of 6 dB), beside which the other half is measured.

Where devices begin to push in the run (stops, contacts, springs that harden) it is looked at again, in the rows of the
log where they push most.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import FidelityWarning, InputError, caller_level
from interstage.system import loop_kernels as kernels
from interstage.system.methods import Compiled
from interstage.system.rates import MOST, Rates, Stand, are_too_many, asked, can_be_asked, rates_of

if TYPE_CHECKING:
    from interstage.system.flight import Flight

DECAYS = 1e-3  # |Re λ| beside |λ| from which something is meant to decay
WRONG, FINE = (
    0.1,
    0.01,
)  # change of an amplitude in the run, and of its own rate of decay: warned of; aimed at
SHARE = 0.5  # of the damping of a part, that a sampled loop may take
GROWN = math.log(1e6)  # logarithm of a size beyond which nobody asks how large what grows is
MOST_STEPS = 1e7  # of a run whose steps nobody chose
LOOKS, JUMPS = 6, 20  # rows of a phase that are looked at again: devices push, velocities jump
ACTING = ("force", "torque", "joint_force")  # pushes that make stiffness
PUSHED = 2.0  # times what was pushed before, from which a row is one to look at


def growth(method: Compiled, w: complex) -> float:
    """Return |R(w)| of what a method treats explicitly, w = hλ."""
    return abs(factor(method, w))


def factor(method: Compiled, w: complex) -> complex:
    """Return R(w) of what a method treats explicitly, w = hλ."""
    rows = np.asarray(method.data(False)[0])  # those of the stages, then the weights
    s = rows.shape[1]
    k = np.linalg.solve(np.eye(s) - w * rows[:s], np.ones(s))
    return complex(1.0 + w * (rows[s] @ k))


@dataclass(frozen=True)
class Span:
    """Over which steps are to follow something: all of it, and from sample to sample (None: nothing is sampled).

    most : time in which something may swing once to and fro that acted for `length` alone, as what hits and leaves does
    """

    method: Compiled
    length: float
    frame: float | None = None
    most: float = 0.0

    def time(self, value: complex) -> float:
        """Return the time that counts for a part: half a swing at least of what hits and leaves."""
        return max(self.length, min(self.most, math.pi / abs(value.imag))) if value.imag else self.length

    def gained(self, value: complex, h: float) -> float:
        """Return the rate (1/s) at which steps of h let a part grow that should not, negative: what they take."""
        size = growth(self.method, h * value)
        return math.log(max(size, 1e-300)) / h - value.real

    def is_followed(self, value: complex, h: float, limit: float) -> bool:
        """Return whether steps of h keep the size of a part, to a limit; of what decays, that it does."""
        decays = value.real < -DECAYS * abs(value)
        if decays and growth(self.method, h * value) > 1.0:
            return False
        if decays and self.frame is not None and not self._is_left(value, h, limit):
            return False
        if value.real <= 0.0 and abs(value.imag) <= abs(value.real):
            return True
        gain, length = abs(self.gained(value, h)), self.time(value)
        if value.real > DECAYS * abs(value):
            return gain * min(length, GROWN / value.real) <= limit
        share = 1.0 if self.frame is None else SHARE
        return gain * length <= limit or gain <= limit * share * abs(value.real)

    def _is_left(self, value: complex, h: float, limit: float) -> bool:
        """Return whether as much is left of a part from one sample to the next as should be."""
        assert self.frame is not None
        n = max(1, round(self.frame / h))
        return abs(factor(self.method, self.frame / n * value) ** n - np.exp(self.frame * value)) <= limit

    def longest_step(self, value: complex, h: float) -> float:
        """Return a step of at most h that follows a part of eigenvalue `value` well; limits are those of `FINE`."""
        if self.is_followed(value, h, FINE):
            return h
        low = 0.0
        for _ in range(40):
            middle = 0.5 * (low + h)
            low, h = (middle, h) if self.is_followed(value, middle, FINE) else (low, middle)
        return low


def warn_of_fast_states(flight: Flight) -> bool:
    """Warn of what devices make too fast for fixed steps, by differences of the right-hand side at the start.

    Return whether there was something to warn of.
    """
    if flight.by.step is None or not isinstance(flight.method, Compiled):
        return False
    found = _rates(flight)
    return found is not None and _warn(flight, found, float(flight.until) - flight.t)


def _pushed(flight: Flight) -> bool:
    """Return whether devices push the vehicle."""
    return any(touch.quantity in ACTING for touch in flight.plan.pushes)


def _rates(flight: Flight) -> Rates | None:
    """Return how fast a flight may change at its start; where the vehicle is too large to tell, say so."""
    if _pushed(flight) and can_be_asked(flight) and are_too_many(flight):
        warnings.warn(
            f"whether steps are short enough for what devices let swing is not known: vehicle "
            f"'{flight.system.model.name}' has more joints than are looked at ({MOST} states); compare with "
            "a run of half the step",
            FidelityWarning,
            stacklevel=caller_level(),
        )
    return rates_of(flight)


def _warn(flight: Flight, found: Rates, length: float, when: str = "") -> bool:
    """Warn of what steps do not follow over a time; return whether there is something."""
    assert isinstance(flight.method, Compiled)
    most = float(flight.until) - float(flight.start) if when else 0.0
    h, over = _longest(flight), Span(flight.method, length, _frame(flight), most)
    if all(over.is_followed(value, h, WRONG) for value in found.values):
        return False
    found.vectors()
    lost = [k for k, value in enumerate(found.values) if not over.is_followed(value, h, WRONG)]
    lost = [k for k in lost if found.of_devices(k)]
    if not lost:
        return False
    worst = max(
        lost, key=lambda k: (growth(over.method, h * complex(found.values[k])) > 1.0, abs(found.values[k]))
    )
    below = min(over.longest_step(found.values[k], h) for k in lost)
    warnings.warn(
        f"steps of {h:.3g} s by {over.method} are too long for {_words(over, found, worst, h)}{when}; take steps "
        f"below {below:.3g} s, or leave step= out with method='dopri5'",
        FidelityWarning,
        stacklevel=caller_level(),
    )
    return True


def _words(over: Span, found: Rates, k: int, h: float) -> str:
    """Say what is too fast, and what the steps do to it."""
    value, name = complex(found.values[k]), found.name(k)
    size, gain = growth(over.method, h * value), over.gained(value, h)
    swings = abs(value.imag) > abs(value.real)
    hertz = abs(value.imag) / (2.0 * math.pi)
    if value.real > DECAYS * abs(value):
        what = f"what devices let grow e-fold in {1.0 / value.real:.3g} s ('{name}'"
        what += f", {hertz:.3g} Hz)" if swings else ")"
        time = min(over.length, GROWN / value.real)
        times = math.exp(max(-700.0, min(700.0, gain * time)))
        return f"{what}: in {time:.3g} s it grows to {times:.3g} times what it should"
    what = f"what devices let swing at {hertz:.3g} Hz ('{name}')"
    if not swings:
        what = f"the state '{name}', whose time constant is {1.0 / abs(value):.3g} s"
    if size > 1.0:
        return (
            f"{what}: {'it grows' if swings else 'errors grow'}, as forces and states of devices are explicit"
        )
    if over.frame is not None and not over._is_left(value, h, WRONG):
        n = max(1, round(over.frame / h))
        left = abs(factor(over.method, over.frame / n * value)) ** n
        should = math.exp(over.frame * value.real)
        return (
            f"{what}: from sample to sample they leave {left:.3g} of it, of {should:.3g} that should be left"
        )
    time = over.time(value)
    loss = 100.0 * (1.0 - math.exp(max(gain, -700.0 / time) * time)) if gain < 0.0 else 0.0
    return f"{what}: they take {loss:.3g} % of it in {time:.3g} s beside its own damping"


def chosen_step(flight: Flight) -> Fraction | None:
    """Return the step that a run takes whose steps nobody chose, None: the one it has will do."""
    method, step = flight.method, flight.by.step
    found = _rates(flight) if step is not None else None
    if found is None or step is None or not isinstance(method, Compiled):
        return None
    h, worst = _longest(flight), -1
    over = Span(method, float(flight.until) - flight.t, _frame(flight))
    if all(over.is_followed(value, h, FINE) for value in found.values):
        return None
    found.vectors()
    for k, value in enumerate(found.values):
        if method.implicit and not over.is_followed(value, h, FINE) and not found.of_devices(k):
            continue
        shorter = over.longest_step(value, h)
        h, worst = (shorter, k) if shorter < h else (h, worst)
    if worst < 0:
        return None
    if over.length > MOST_STEPS * h:
        value = found.values[worst]
        raise InputError(
            f"the run needs steps of {h:.3g} s by {method}, and more than {MOST_STEPS:.0e} of them",
            where=f"'{found.name(worst)}', which changes at {abs(value):.3g} rad/s",
            hint="give step= to take others, or a method for stiff systems, method='radau'",
        )
    decade = Fraction(10) ** math.floor(math.log10(h))
    return max(k * decade for k in (1, 2, 5) if k * decade <= h)


def _frame(flight: Flight) -> float | None:
    """Return the shortest time between samples; None where nothing is sampled."""
    plan = flight.plan
    return min((float(e.every * plan.clock.tick) for e in plan.sampled), default=None)


def _longest(flight: Flight) -> float:
    """Return the length of steps: equal ones between the samples of what is sampled most often."""
    plan, step = flight.plan, flight.by.step
    assert step is not None
    gap = min((e.every * plan.clock.tick for e in plan.sampled), default=flight.until - flight.start)
    gap = min(gap, flight.until - flight.start)
    return float(gap / math.ceil(gap / step))


def look_at_rows(flight: Flight) -> None:
    """Let a run with equal steps be looked at again where devices begin to push."""
    if flight.by.step is not None and isinstance(flight.method, Compiled) and _pushed(flight):
        flight.looked = RowsToLookAt(flight)


class RowsToLookAt:
    """Where a phase of a run is looked at again when it is over: rows in which devices push far more than before.

    What touches and leaves within a step pushes in no row: of rows after which velocities jump it is asked what would
    push if the vehicle went straight on.

    pushes : columns of the log;  most : the largest pushes so far;  acted : how long each acted, in seconds
    """

    def __init__(self, flight: Flight):
        self.flight, self.told = flight, False
        self.begin()

    def begin(self) -> None:
        """A phase begins."""
        flight = self.flight
        loop, first = flight.loop.loop, 1 + flight.system.nq + flight.system.nv
        numbers = [
            k
            for touch in flight.plan.pushes
            if touch.quantity in ACTING
            for k in range(touch.slot.start, touch.slot.start + touch.slot.size)
        ]
        logged = np.flatnonzero(np.isin(loop.log_s, numbers))
        self.pushes, self.numbers = first + logged, loop.log_s[logged]
        self.most = np.abs(flight.loop.tapes.vectors["s"][self.numbers].real)
        self.acted = np.zeros(len(logged))
        self.last = np.zeros((0, loop.log.shape[1]))
        self.rows: dict[int, np.ndarray] = {}
        self.jumps: list[tuple[float, float, np.ndarray]] = []

    def note(self) -> None:
        """Look through the rows of the buffer."""
        loop = self.flight.loop.loop
        rows = np.vstack([self.last, loop.log[: int(loop.now[kernels.ROWS])]])
        if self.told or not len(self.pushes) or len(rows) < 2:
            return
        self.last = rows[-1:].copy()
        size = np.abs(rows[:, self.pushes])
        size[~np.isfinite(size)] = 0.0
        times = np.diff(rows[:, 0])
        self.acted += times @ (size[1:] > 0.0)
        for k in np.flatnonzero(size.max(axis=0) > PUSHED * self.most):
            row = rows[int(np.argmax(size[:, k]))]
            if np.isfinite(row).all() and np.abs(row[self.pushes[k]]) > PUSHED * self.most[k]:
                self.rows[int(k)] = row.copy()
                self.most = np.maximum(self.most, np.abs(row[self.pushes]))
        self._note_jumps(rows, times)

    def _note_jumps(self, rows: np.ndarray, times: np.ndarray) -> None:
        """Keep the rows after which velocities change most, each beside its largest size."""
        system = self.flight.system
        v = rows[:, 1 + system.nq : 1 + system.nq + system.nv]
        if not system.nv or not np.isfinite(v).all():
            return
        jump = (np.abs(np.diff(v, axis=0)) / (np.abs(v).max(axis=0) + 1e-300)).max(axis=1)
        for i in np.argsort(-jump, kind="stable")[:JUMPS]:
            self.jumps.append((float(jump[i]), float(times[i]), rows[i].copy()))
        self.jumps = sorted(self.jumps, key=lambda one: -one[0])[:JUMPS]

    def tell(self) -> None:
        """Warn of what steps do not follow in the phase, once in a run."""
        flight = self.flight
        if self.told or not can_be_asked(flight):
            return
        now = Stand.of(flight)
        try:
            stands = {k: self._stand(row) for k, row in self.rows.items()}
            stands = {**self._touching(), **stands}
            for k, at in [*stands.items()][-LOOKS:]:
                found = None if self.told else rates_of(flight, at)
                if found is not None:
                    self.told = _warn(flight, found, float(self.acted[k]), f" at t = {at.t:.6g} s")
        finally:
            asked(flight, now)  # masses are those of now

    def _touching(self) -> dict[int, Stand]:
        """Return where pushes that no row shows would act, by push."""
        found: dict[int, Stand] = {}
        silent, nq = self.most == 0.0, self.flight.system.nq
        for _, h, row in self.jumps if silent.any() else []:
            at = self._stand(row)
            for share in (0.5, 1.0):
                qdot = np.empty(nq)
                self.flight.system.engine.rates(at.q, at.v, qdot)
                on = Stand(at.t, at.q + share * h * qdot, at.v, at.vectors)
                pushed = np.abs(asked(self.flight, on)[1][self.numbers].real) > 0.0
                found |= {int(k): on for k in np.flatnonzero(pushed & silent) if k not in found}
        return found

    def _stand(self, row: np.ndarray) -> Stand:
        """Return where the flight was at a row; what is not logged is as it is now."""
        flight, loop = self.flight, self.flight.loop.loop
        nq, n = flight.system.nq, flight.system.nq + flight.system.nv
        at, first = Stand.of(flight), 1 + n
        for kind, numbers in (("s", loop.log_s), ("z", loop.log_z), ("w", loop.log_w), ("n", loop.log_n)):
            at.vectors[kind][numbers] = row[first : first + len(numbers)]
            first += len(numbers)
        return Stand(float(row[0]), row[1 : 1 + nq].copy(), row[1 + nq : 1 + n].copy(), at.vectors)
