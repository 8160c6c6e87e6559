"""Steps that are too long for what is fast: eigenvalues of a run where it stands, and warnings.

How fast a run may change where it stands: eigenvalues of ∂ẏ/∂y, y = [q; v; z] with the states z of devices.

Small motions are those that the vehicle is free to make: δv along N, the null space of the closures' Jacobian among
joints that are neither locked nor known as functions of time, δq along the rates that such velocities mean. Of more
than `MOST` states the fastest modes of bodies are held: what devices do to the others is nearly the same.

Fixed steps that are too long for what devices make fast: their states, and what their forces let swing.

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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from interstage.errors import (
    FidelityWarning,
    InputError,
    InterstageError,
    caller_level,
)
from interstage.multibody import State
from interstage.multibody.closure_queries import jacobian as closure_jacobian
from interstage.multibody.joint_modes import FREE
from interstage.simulation.plant import coupled_kernels as kernels
from interstage.simulation.plant.python_block import Law
from interstage.simulation.run.integrators import CompiledMethod

if TYPE_CHECKING:
    from interstage.simulation.run.integration import Integrator


MOST = 200  # states that are looked at
DIFFERENCE, FAR = 1e-6, 1e-9  # step of differences, and beside a size from which that is more
OWN = 0.3  # share of |λ| that forces of devices make, from which it is theirs


@dataclass
class RunState:
    """Where a run stands, or stood at a row of its log: time, vehicle, vectors of devices."""

    t: float
    q: np.ndarray
    v: np.ndarray
    vectors: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, run: Integrator) -> RunState:
        """Return where a run stands."""
        vectors = {kind: vector.copy() for kind, vector in run.loop.tapes.vectors.items()}
        return cls(run.t, run.q.copy(), run.v.copy(), vectors)


class LocalRates:
    """How fast a run may change at a stand: eigenvalues λ (n,) of J, ∂ẏ/∂y along small motions.

    D : (len(y), n), small motions as columns
    """

    def __init__(self, run: Integrator, at: RunState, D: np.ndarray, J: np.ndarray):
        self.run, self.at, self.D, self.J = run, at, D, J
        self.values = np.linalg.eigvals(J)
        self._vectors: tuple[np.ndarray, np.ndarray] | None = None
        self._bare: np.ndarray | None = None

    def vectors(self) -> tuple[np.ndarray, np.ndarray]:
        """Return left and right eigenvectors, columns."""
        if self._vectors is None:
            self.values, left, right = scipy.linalg.eig(self.J, left=True)
            self._vectors = left, right
        return self._vectors

    def of_devices(self, k: int) -> bool:
        """Return whether devices make an eigenvalue: by their states, or by what they do to the vehicle."""
        left, right = self.vectors()
        if self._bare is None:
            self._bare = _without_devices(self.run, self.at, self.D, self.J)
        # by left vectors, not by the inverse of the right ones: a free body has fewer vectors than eigenvalues of zero
        row = left[:, k].conj()
        share = abs(row @ ((self.J - self._bare) @ right[:, k]))
        return bool(share > OWN * abs(self.values[k] * (row @ right[:, k])))

    def name(self, k: int) -> str:
        """Return the coordinate, velocity or field of a device that moves most."""
        layout, plan = self.run.system.layout, self.run.plan
        names = [c.name for c in (*layout.coordinates(), *layout.velocities())]
        found = [""] * len(self.at.vectors["z"])
        for name, slot in plan.slots.items():
            if slot.kind == "z":
                found[slot.start : slot.start + slot.size] = [name] * slot.size
        return [*names, *found][int(np.argmax(np.abs(self.D @ self.vectors()[1][:, k])))]


def can_be_asked(run: Integrator) -> bool:
    """Return whether the right-hand side may be asked beside the run: laws that remember are not."""
    plan = run.plan
    laws = any(isinstance(plan.parts[e.part].what, Law) for e in (*plan.before, *plan.after))
    return not laws and not run.loop.without and isinstance(run.method, CompiledMethod)


def rates_of(run: Integrator, at: RunState | None = None) -> LocalRates | None:
    """Return how fast a run may change at a stand, that of now; None where that cannot be found."""
    if not can_be_asked(run):
        return None
    at = RunState.of(run) if at is None else at
    D = _small_motions(run, at)
    if D.shape[1] == 0:
        return None
    J = _slopes(run, at, D)
    return None if J is None else LocalRates(run, at, D, J)


def are_too_many(run: Integrator) -> bool:
    """Return whether a vehicle has so many joints that what devices do to it is not looked at."""
    modes = np.isin(np.arange(run.system.nv), _modes(run))
    joints = int(np.count_nonzero(_moving(run) & ~modes))
    return 2 * joints + len(run.plan.initial["z"]) > MOST


def _small_motions(run: Integrator, at: RunState) -> np.ndarray:
    """Return small motions of the vehicle and changes of z, as columns of y; z alone where joints are too many."""
    system, nz = run.system, len(at.vectors["z"])
    nq, nv = system.nq, system.nv
    kept = np.flatnonzero(_moving(run))
    stiff = system.tree.v_stiffness[kept] * np.isin(kept, _modes(run))
    over = len(kept) - (MOST - nz) // 2
    if over > 0:
        held = np.argsort(-stiff, kind="stable")[:over]
        kept = np.delete(kept, held) if (stiff[held] > 0.0).all() else kept[:0]
    V = np.zeros((nv, len(kept)))
    V[kept, np.arange(len(kept))] = 1.0
    if system.n_closure and len(kept):
        G = closure_jacobian(system, State(system.layout, at.q, at.v))
        V = V @ scipy.linalg.null_space(G[:, kept], rcond=1e-9)
    Q = np.zeros((nq, V.shape[1]))
    for column, v in zip(Q.T, V.T):
        qdot = np.empty(nq)
        system.engine.rates(at.q, np.ascontiguousarray(v), qdot)
        column[:] = qdot
    return scipy.linalg.block_diag(Q, V, np.eye(nz))


def _moving(run: Integrator) -> np.ndarray:
    """Return a mask (nv,) of velocities that are neither locked nor prescribed nor known as functions of time."""
    system, known = run.system, run.loop.loop.known_to
    moving = np.ones(system.nv, dtype=bool)
    moving[known[(known >= system.nq) & (known < system.nq + system.nv)] - system.nq] = False
    for i in np.flatnonzero(system.settings.joint_mode != FREE):
        first = int(system.tree.joint_v[i])
        moving[first : first + int(system.tree.joint_nv[i])] = False
    return moving


def _modes(run: Integrator) -> np.ndarray:
    """Return the places of modal rates in v."""
    places = [np.arange(w.etadot.start, w.etadot.stop) for _, w in run.system.layout.items()]
    return np.concatenate([np.zeros(0, dtype=np.int64), *places])


def _slopes(run: Integrator, at: RunState, D: np.ndarray) -> np.ndarray | None:
    """Return ∂ẏ/∂y along small motions (n, n), nothing changed; None where it cannot be found."""
    nq, nv = run.system.nq, run.system.nv

    def rates(y: np.ndarray) -> np.ndarray:
        moved = RunState(at.t, y[:nq], y[nq : nq + nv], {**at.vectors, "z": y[nq + nv :]})
        return asked(run, moved)[0]

    found = _differences(rates, np.concatenate([at.q, at.v, at.vectors["z"]]), D)
    return _along(D, found, nq) if np.isfinite(found).all() else None


def asked(run: Integrator, at: RunState) -> tuple[np.ndarray, np.ndarray]:
    """Return ẏ and all signals at a stand, nothing changed; ẏ is no number where it cannot be found."""
    tapes, nq, nv = run.loop.tapes, run.system.nq, run.system.nv
    now = {kind: vector.copy() for kind, vector in tapes.vectors.items()}
    qdot, vdot = np.empty(nq), np.empty(nv)
    try:
        for kind, vector in at.vectors.items():
            tapes.vectors[kind][:] = vector
        status = run.loop.right_side(at.q.copy(), at.v.copy(), at.t, qdot, vdot)
        rates = np.concatenate([qdot, vdot, tapes.vectors["Z"]])
        return np.full(len(rates), np.nan) if status != 0 else rates, tapes.vectors["s"].copy()
    finally:
        for kind, vector in now.items():
            tapes.vectors[kind][:] = vector


def _along(D: np.ndarray, found: np.ndarray, nq: int) -> np.ndarray:
    """Return the parts of slopes (len(y), n) along small motions."""
    m = int(np.count_nonzero(D[:nq].any(axis=0)))
    if m == 0:
        return D.T @ found
    back = np.linalg.pinv(D[:nq, :m])
    return np.vstack([back @ found[:nq], D[nq:, m:].T @ found[nq:]])


def _differences(f: Callable[[np.ndarray], np.ndarray], y: np.ndarray, D: np.ndarray) -> np.ndarray:
    """Return ∂f/∂y along the columns of D."""
    base, columns = f(y), []
    for way in D.T:
        far = float(np.abs(y[way != 0.0]).max(initial=0.0))
        h = max(DIFFERENCE, FAR * far)
        columns.append((f(y + h * way) - base) / h)
    return np.array(columns).T


def _without_devices(run: Integrator, at: RunState, D: np.ndarray, J: np.ndarray) -> np.ndarray:
    """Return J of the vehicle alone: states of devices do not change, and push nothing."""
    system, nq, nv = run.system, run.system.nq, run.system.nv
    m = int(np.count_nonzero(D[:nq].any(axis=0)))
    bare = J.copy()  # rates of coordinates are those of the vehicle
    bare[m:] = 0.0

    def rates(y: np.ndarray) -> np.ndarray:
        return system.forward_dynamics(State(system.layout, y[:nq], y[nq:]))

    if m:
        try:
            found = _differences(rates, np.concatenate([at.q, at.v]), D[: nq + nv, : 2 * m])
            bare[m : 2 * m, : 2 * m] = D[nq : nq + nv, m : 2 * m].T @ found
        except InterstageError:  # what the vehicle does alone is not known: it is laid to devices
            pass
    return bare


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


def growth(method: CompiledMethod, w: complex) -> float:
    """Return |R(w)| of what a method treats explicitly, w = hλ."""
    return abs(factor(method, w))


def factor(method: CompiledMethod, w: complex) -> complex:
    """Return R(w) of what a method treats explicitly, w = hλ."""
    rows = np.asarray(method.data(False)[0])  # those of the stages, then the weights
    s = rows.shape[1]
    k = np.linalg.solve(np.eye(s) - w * rows[:s], np.ones(s))
    return complex(1.0 + w * (rows[s] @ k))


@dataclass(frozen=True)
class StepSpan:
    """Over which steps are to follow something: all of it, and from sample to sample (None: nothing is sampled).

    most : time in which something may swing once to and fro that acted for `length` alone, as what hits and leaves does
    """

    method: CompiledMethod
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


def warn_of_fast_states(run: Integrator) -> bool:
    """Warn of what devices make too fast for fixed steps, by differences of the right-hand side at the start.

    Return whether there was something to warn of.
    """
    if run.by.step is None or not isinstance(run.method, CompiledMethod):
        return False
    found = _rates(run)
    return found is not None and _warn(run, found, float(run.until) - run.t)


def _pushed(run: Integrator) -> bool:
    """Return whether devices push the vehicle."""
    return any(touch.quantity in ACTING for touch in run.plan.pushes)


def _rates(run: Integrator) -> LocalRates | None:
    """Return how fast a run may change at its start; where the vehicle is too large to tell, say so."""
    if _pushed(run) and can_be_asked(run) and are_too_many(run):
        warnings.warn(
            f"whether steps are short enough for what devices let swing is not known: vehicle "
            f"'{run.system.model.name}' has more joints than are looked at ({MOST} states); compare with "
            "a run of half the step",
            FidelityWarning,
            stacklevel=caller_level(),
        )
    return rates_of(run)


def _warn(run: Integrator, found: LocalRates, length: float, when: str = "") -> bool:
    """Warn of what steps do not follow over a time; return whether there is something."""
    assert isinstance(run.method, CompiledMethod)
    most = float(run.until) - float(run.start) if when else 0.0
    h, over = _longest(run), StepSpan(run.method, length, _frame(run), most)
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


def _words(over: StepSpan, found: LocalRates, k: int, h: float) -> str:
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


def chosen_step(run: Integrator) -> Fraction | None:
    """Return the step that a run takes whose steps nobody chose, None: the one it has will do."""
    method, step = run.method, run.by.step
    found = _rates(run) if step is not None else None
    if found is None or step is None or not isinstance(method, CompiledMethod):
        return None
    h, worst = _longest(run), -1
    over = StepSpan(method, float(run.until) - run.t, _frame(run))
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


def _frame(run: Integrator) -> float | None:
    """Return the shortest time between samples; None where nothing is sampled."""
    plan = run.plan
    return min((float(e.every * plan.clock.tick) for e in plan.sampled), default=None)


def _longest(run: Integrator) -> float:
    """Return the length of steps: equal ones between the samples of what is sampled most often."""
    plan, step = run.plan, run.by.step
    assert step is not None
    gap = min((e.every * plan.clock.tick for e in plan.sampled), default=run.until - run.start)
    gap = min(gap, run.until - run.start)
    return float(gap / math.ceil(gap / step))


def rows_to_look_at(run: Integrator) -> RowsToLookAt | None:
    """Return where a run with equal steps is looked at again, as devices begin to push; None: nowhere."""
    if run.by.step is not None and isinstance(run.method, CompiledMethod) and _pushed(run):
        return RowsToLookAt(run)
    return None


class RowsToLookAt:
    """Where a phase of a run is looked at again when it is over: rows in which devices push far more than before.

    What touches and leaves within a step pushes in no row, what `keep` leaves out neither: of rows after which
    velocities jump it is asked what would push if the vehicle went straight on.

    numbers : of the pushes, those that are logged first;  pushes : columns of these in the log
    most : the largest pushes so far;  acted : how long each acted, in seconds
    """

    def __init__(self, run: Integrator):
        self.run, self.told = run, False
        self.begin()

    def begin(self) -> None:
        """A phase begins."""
        run = self.run
        loop, first = run.loop.loop, 1 + run.system.nq + run.system.nv
        numbers = [
            k
            for touch in run.plan.pushes
            if touch.quantity in ACTING
            for k in range(touch.slot.start, touch.slot.start + touch.slot.size)
        ]
        logged = np.flatnonzero(np.isin(loop.log_s, numbers))
        unseen = np.setdiff1d(np.array(numbers, dtype=np.int64), loop.log_s)
        self.pushes, self.numbers = first + logged, np.concatenate([loop.log_s[logged], unseen])
        self.most = np.abs(run.loop.tapes.vectors["s"][self.numbers].real)
        self.acted = np.zeros(len(self.numbers))
        self.last = np.zeros((0, loop.log.shape[1]))
        self.rows: dict[int, np.ndarray] = {}
        self.jumps: list[tuple[float, float, np.ndarray]] = []

    def note(self) -> None:
        """Look through the rows of the buffer."""
        loop = self.run.loop.loop
        rows = np.vstack([self.last, loop.log[: int(loop.now[kernels.ROWS])]])
        if self.told or not len(self.numbers) or len(rows) < 2:
            return
        self.last = rows[-1:].copy()
        size, n = np.abs(rows[:, self.pushes]), len(self.pushes)
        size[~np.isfinite(size)] = 0.0
        times = np.diff(rows[:, 0])
        self.acted[:n] += times @ (size[1:] > 0.0)
        for k in np.flatnonzero(size.max(axis=0) > PUSHED * self.most[:n]):
            row = rows[int(np.argmax(size[:, k]))]
            if np.isfinite(row).all() and np.abs(row[self.pushes[k]]) > PUSHED * self.most[k]:
                self.rows[int(k)] = row.copy()
                self.most[:n] = np.maximum(self.most[:n], np.abs(row[self.pushes]))
        self._note_jumps(rows, times)

    def _note_jumps(self, rows: np.ndarray, times: np.ndarray) -> None:
        """Keep the rows after which velocities change most, each beside its largest size."""
        system = self.run.system
        v = rows[:, 1 + system.nq : 1 + system.nq + system.nv]
        if not system.nv or not np.isfinite(v).all():
            return
        jump = (np.abs(np.diff(v, axis=0)) / (np.abs(v).max(axis=0) + 1e-300)).max(axis=1)
        for i in np.argsort(-jump, kind="stable")[:JUMPS]:
            self.jumps.append((float(jump[i]), float(times[i]), rows[i].copy()))
        self.jumps = sorted(self.jumps, key=lambda one: -one[0])[:JUMPS]

    def tell(self) -> None:
        """Warn of what steps do not follow in the phase, once in a run."""
        run = self.run
        if self.told or not can_be_asked(run):
            return
        now = RunState.of(run)
        try:
            stands = {k: self._stand(row) for k, row in self.rows.items()}
            stands = {**self._touching(), **stands}
            for k, at in [*stands.items()][-LOOKS:]:
                found = None if self.told else rates_of(run, at)
                if found is not None:
                    self.told = _warn(run, found, float(self.acted[k]), f" at t = {at.t:.6g} s")
        finally:
            asked(run, now)  # masses are those of now

    def _touching(self) -> dict[int, RunState]:
        """Return where pushes that no row shows would act, by push."""
        found: dict[int, RunState] = {}
        silent, nq = self.most == 0.0, self.run.system.nq
        for _, h, row in self.jumps if silent.any() else []:
            at = self._stand(row)
            for share in (0.5, 1.0):
                qdot = np.empty(nq)
                self.run.system.engine.rates(at.q, at.v, qdot)
                on = RunState(at.t, at.q + share * h * qdot, at.v, at.vectors)
                pushed = np.abs(asked(self.run, on)[1][self.numbers].real) > 0.0
                found |= {int(k): on for k in np.flatnonzero(pushed & silent) if k not in found}
        return found

    def _stand(self, row: np.ndarray) -> RunState:
        """Return where the run was at a row; what is not logged is as it is now."""
        run, loop = self.run, self.run.loop.loop
        nq, n = run.system.nq, run.system.nq + run.system.nv
        at, first = RunState.of(run), 1 + n
        for kind, numbers in (("s", loop.log_s), ("z", loop.log_z), ("w", loop.log_w), ("n", loop.log_n)):
            at.vectors[kind][numbers] = row[first : first + len(numbers)]
            first += len(numbers)
        return RunState(float(row[0]), row[1 : 1 + nq].copy(), row[1 + nq : 1 + n].copy(), at.vectors)
