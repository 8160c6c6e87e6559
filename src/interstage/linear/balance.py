"""Residuals of a point of an assembly, with vehicle, devices and samples together, and Newton's method on them.

    r(y) = [ v̇_r(y);  ż(y);  f(y);  C(y);  k⁺(y) - k ] = 0,      y ← y - s (∂r/∂y)⁺ r      C: what closures forbid

y are coordinates, the states z of devices, and k, what samples leave for the next ones: discrete states, outputs that
are held, numbers that laws remember. k⁺ is what one sample of everything makes of k, the vehicle standing still.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from interstage.copies import Copies
from interstage.errors import SolverError
from interstage.linear.assembly_plant import AssemblyPlant, span_of
from interstage.linear.differences import jacobian_of
from interstage.linear.memory import Path, Remembered, as_numbers, copied, is_whole, moved, numbers_in
from interstage.linear.newton import Residual, Solution, solve
from interstage.multibody.types import asked
from interstage.simulation.plant.declarations import Out
from interstage.simulation.run.coupled_system import ClosedLoop

ROUND_OFF = 1e-14  # residuals beside the sizes of what balances that are none
NOTHING = 1e-12  # size from which what samples keep counts: smaller is what round-off leaves of zero
SETTLED = 30  # samples after which a loop that settles has settled as far as a drift is seen
REACH = 1e-3, 1e3  # how far a joint is from where its drive wants it, at least and at most (rad or m)
BISECTIONS = 40


@dataclass
class Balance:
    """What is asked of a trim of an assembly.

    places : unknown coordinates, in v;  rows : accelerations that shall vanish, in v, None: those of the unknowns
    functions, names : residuals of the user; names of rows and functions
    driven : joints whose motion devices say are unknowns too
    """

    places: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))
    rows: np.ndarray | None = None
    functions: Sequence[Residual] = ()
    names: list[str] = field(default_factory=list)
    driven: bool = True
    max_iterations: int = 50
    tolerance: float = 1e-9


class SampledMemory:
    """What samples leave for the next ones: discrete states, held outputs, numbers that laws remember.

    Marks of sensors that integrate are not among them: what these say follows from the motion.
    names, periods (s) : of each number;  like : of the same assembly, whose numbers of laws are followed here too
    """

    def __init__(self, plant: AssemblyPlant, like: SampledMemory | None = None):
        plan, integrating = plant.plan, plant.integrating()
        self.plant = plant
        every = {plan.parts[e.part].path: float(e.every * plan.clock.tick) for e in plan.sampled}
        own = [
            (k, every.get(path, np.nan))
            for name, slot in plan.slots.items()
            for path in [name.rpartition(".")[0]]
            if slot.kind == "w" and path not in integrating
            for k in range(slot.start, slot.start + slot.size)
        ]
        self.w = np.array([k for k, _ in own], dtype=np.int64)
        held = held_signals(plant)
        self.s = np.array([k for k, _ in held], dtype=np.int64)
        owners = {k: plant.owner(k) for k in plant.laws}
        self.laws: Remembered = Remembered(
            owners, _changing(plant, owners) if like is None else like.laws.paths
        )
        discrete, signals = plant.names_of("w"), plant.names_of("s")
        self.names = [discrete[k] for k in self.w] + [signals[k] for k in self.s]
        periods = [T for _, T in own] + [every[path] for _, path in held]
        self.names += self.laws.names(self._path)
        for (k, _), shape in zip(self.laws.paths, self.laws.shapes):
            periods += [every.get(plan.parts[k].path, np.nan)] * int(np.prod(shape))
        self.periods = np.array(periods)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def remembers(self) -> bool:
        """Whether a sample reads what others have left."""
        return len(self.w) > 0 or len(self.laws) > 0

    def read(self, loop: ClosedLoop) -> np.ndarray:
        """Return the numbers as they are."""
        v = loop.tapes.vectors
        return np.concatenate([v["w"][self.w], v["s"][self.s], self.laws.read(self._path)])

    def put(self, loop: ClosedLoop, values: np.ndarray) -> None:
        """Let the numbers be others; those of laws are as at the point before."""
        v, at = loop.tapes.vectors, len(self.w) + len(self.s)
        v["w"][self.w], v["s"][self.s] = values[: len(self.w)], values[len(self.w) : at]
        self.laws.add(values[at:] - self.laws.start)

    def memory(self, values: np.ndarray, live: np.ndarray) -> dict[str, dict[str, object]]:
        """Return copies of the attributes of laws that lead to live numbers among values: {path: {name: value}}."""
        at, found = len(self.w) + len(self.s), dict[str, dict[str, object]]()
        self.plant.recall()
        self.laws.add(values[at:] - self.laws.start)
        for (k, path), shape in zip(self.laws.paths, self.laws.shapes):
            size = int(np.prod(shape))
            if np.isin(np.arange(at, at + size), live).any():
                name = str(path[0][1])
                own = found.setdefault(self._path(k), {})
                own[name] = getattr(self.plant.owner(k), name)
            at += size
        found = Copies().of(found)
        self.plant.recall()
        return found

    def _path(self, k: int) -> str:
        return self.plant.plan.parts[k].path


def _changing(plant: AssemblyPlant, owners: dict[int, Any]) -> list[tuple[int, Path]]:
    """Return where laws keep numbers that a sample changes, all of them shaken a little, and that stay where they are.

    Integers count calls, unless a sample makes them floats.
    """
    if not owners or not plant.plan.sampled:
        return []
    rng = np.random.default_rng(5)

    def shaken(size: np.ndarray) -> np.ndarray:
        return 1e-6 * np.maximum(1.0, np.abs(size)) * rng.uniform(0.5, 1.0, np.shape(size))

    plant.recall()
    before = copied(numbers_in(owners))
    steps = {at: shaken(as_numbers(v).real) for at, v in before.items() if not is_whole(v)}
    loop, x = plant.begin({k: shaken(v) for k, v in plant.magnitudes().items()}, plant.before)
    for (k, path), step in steps.items():
        moved(owners[k], path, step)
    signals = [k for k, _ in held_signals(plant)]  # what is behind a delay comes too
    for vector, places in ((loop.tapes.vectors["w"], slice(None)), (loop.tapes.vectors["s"], signals)):
        vector[places] += shaken(vector[places].real)
    plant.sample(loop, x.q, x.v)
    after = copied(numbers_in(owners))
    plant.recall()
    return [
        at
        for at, old in before.items()
        if at in after and not is_whole(after[at]) and np.shape(np.asarray(after[at])) == np.shape(np.asarray(old))
        and not np.array_equal(as_numbers(after[at]), as_numbers(old) + steps.get(at, 0.0))
    ]  # fmt: skip


def held_signals(plant: AssemblyPlant) -> list[tuple[int, str]]:
    """Return the signals that are sampled, each with the path of what samples it."""
    found: list[tuple[int, str]] = []
    for entry in plant.plan.sampled:
        part = plant.plan.parts[entry.part]
        for name, port in part.what.fields.items():
            if isinstance(port, Out) and part.samples(name):
                found += [(k, part.path) for k in range(*span_of(plant.plan, f"{part.path}.{name}"))]
    return list(dict.fromkeys(found))


class Residuals:
    """Residuals near a point, as functions of changes y of its unknowns: coordinates, device states, samples.

    rows : numbers of the unknown coordinates among those that are free;  whole : what samples keep is unknown too
    z : numbers of the states of devices that shall stand still, among `plant.states`
    """

    def __init__(self, plant: AssemblyPlant, rows: np.ndarray, what: Balance):
        self.plant, self.rows, self.what, self.whole = plant, rows, what, False
        self.asked = plant.free[rows] if what.rows is None else what.rows
        self.kept = SampledMemory(plant)
        self.start = {**plant.before, "s": plant.vectors["s"]}
        self.start["n"] = self.start["n"].copy()
        for path in plant.integrating():  # they say what is, not what was gained since a mark
            for span in plant.whole_numbers(path):
                self.start["n"][span] = 0
        integrated = [
            k
            for path, marks in plant.integrating().items()
            for state in marks
            for k in range(*span_of(plant.plan, f"{path}.{state}"))
        ]
        self.z = np.flatnonzero(~np.isin(plant.states, integrated))
        loop, _ = plant.begin({n: np.zeros(k) for n, k in plant.sizes().items()}, self.start)
        self.kept0 = self.kept.read(loop)
        self.after = self.kept0
        self.live = np.arange(len(self.kept))

    def leave_out_idle(self) -> dict[str, float]:
        """Let states of devices that nothing depends on go on changing: an angle that a rotor has turned by.

        Return their rates by name.
        """
        if not len(self.z):
            return {}
        y, m, k = np.zeros(sum(self.sizes())), len(self.rows), len(self.asked)
        rate = self(y)[k : k + len(self.z)]
        idle = rate != 0.0
        if idle.any():
            aside = y.copy()
            aside[m:] = 0.1 * np.random.default_rng(5).normal(size=len(self.z))  # no slope vanishes by chance
            for at in (y, aside):
                idle &= np.abs(self.jacobian(at)[:, m:]).max(axis=0) == 0.0
        names = self.plant.device_states()
        found = {names[self.z[j]]: float(rate[j]) for j in np.flatnonzero(idle)}
        self.z = self.z[~idle]
        return found

    def sizes(self) -> tuple[int, int, int]:
        """Return how many unknown coordinates, states and kept numbers there are."""
        return len(self.rows), len(self.z), len(self.live) if self.whole else 0

    def split(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return changes of coordinates, states and kept numbers."""
        m, n, _ = self.sizes()
        return y[:m], y[m : m + n], y[m + n :]

    def changes(self, y: np.ndarray) -> dict[str, np.ndarray]:
        """Return changes of q, v, z, u for values of the unknowns."""
        found = {name: np.zeros(n, y.dtype) for name, n in self.plant.sizes().items()}
        found["q"][self.rows], found["z"][self.z], _ = self.split(y)
        return found

    def values(self, y: np.ndarray) -> np.ndarray:
        """Return how large the unknowns are."""
        known = self.plant.magnitudes()
        q, z, k = self.split(np.abs(y))
        kept = np.abs(self.kept0[self.live]) + k if self.whole else k
        return np.concatenate([known["q"][self.rows] + q, known["z"][self.z] + z, kept])

    def kept_at(self, y: np.ndarray) -> np.ndarray:
        """Return what samples find at a change."""
        if not self.whole:
            return self.kept0
        found = self.kept0.astype(y.dtype)
        found[self.live] += self.split(y)[2]
        return found

    def run(self, y: np.ndarray, samples: int = 1) -> tuple[ClosedLoop, np.ndarray, np.ndarray]:
        """Return the loop after samples and a right-hand side at a change, accelerations (nv,), and coordinates."""
        plant = self.plant
        plant.recall()
        loop, x = plant.begin(self.changes(y), self.start)
        if self.whole:
            self.kept.put(loop, self.kept_at(y))
        if plant.plan.sampled:
            for _ in range(samples):
                plant.sample(loop, x.q, x.v)
            self.after = self.kept.read(loop)
        qdot, vdot = np.empty_like(x.q), np.empty_like(x.v)
        plant.done(loop, loop.right_side(x.q, x.v, plant.t, qdot, vdot))
        self.x = x
        plant.recall()
        return loop, vdot, x.q

    def __call__(self, y: np.ndarray) -> np.ndarray:
        """Return r (m,): accelerations, rates, functions, what samples change, and last what closures forbid."""
        loop, vdot, _ = self.run(y)
        zdot = loop.tapes.vectors["Z"][self.plant.states[self.z]].copy()
        system, x = self.plant.system, self.x
        own = [asked(f, "a residual", system, x, vdot) for f in self.what.functions]
        left = [(self.after - self.kept_at(y))[self.live]] if self.whole else []
        opened = self.plant.openings(self.changes(y))
        return np.concatenate([vdot[self.asked], zdot, *own, *left, opened])

    def jacobian(self, y: np.ndarray) -> np.ndarray:
        """Return ∂r/∂y at y."""
        return jacobian_of(lambda d: self(y + d), self.values(y), bool(self.plant.memory))[0]

    def take_samples(self, y: np.ndarray) -> np.ndarray:
        """Let what samples keep and change be unknown too; return the unknowns y with it, as after one sample.

        What no sample changes is left out, as gains among the attributes of a law, and what has no effect on the
        residuals: it may drift.
        """
        self(y)
        first, n = self.after - self.kept0, len(y)
        self.whole = True
        start = np.concatenate([y, first])
        r, J = self(start), self.jacobian(start)
        kept = self.kept_rows(r)
        changed = (r[kept] != 0.0) | (first != 0.0) | J[kept].any(axis=1)
        acts, read = np.delete(J[:, n:], kept, axis=0).any(axis=0), J[kept, n:] != 0.0
        for _ in first:
            acts, before = acts | read[acts].any(axis=0), acts
            if (acts == before).all():
                break
        self.live = np.flatnonzero(changed & acts)
        return np.concatenate([y, first[self.live]])

    def moving(self, y: np.ndarray) -> bool:
        """Return whether the vehicle moves at a change, or coordinates accelerate that are no unknowns."""
        _, vdot, _ = self.run(y)
        others = np.setdiff1d(np.arange(len(vdot)), [*self.asked, *self.plant.free[self.rows]])
        size = max(1.0, float(np.abs(vdot).max(initial=0.0)))
        return bool(self.plant.x0.v.any() or np.abs(vdot[others]).max(initial=0.0) > ROUND_OFF**0.5 * size)

    def drifts(self, y: np.ndarray, after: int = 1) -> dict[str, float]:
        """Return rates of what a sample after some would change, the vehicle standing still, largest first."""
        if not self.kept.remembers:
            return {}
        self.run(y, after)
        once = self.after
        self.run(y, after + 1)
        rates = (self.after - once) / self.kept.periods
        sizes = np.maximum(np.abs(once), 1e-3 * np.abs(once).max())
        changed = np.abs(self.after - once) > np.maximum(1e-9 * sizes, 1e-3 * NOTHING)
        order = np.argsort(-np.abs(rates), kind="stable")
        return {self.kept.names[k]: float(rates[k]) for k in order if changed[k] and np.isfinite(rates[k])}

    def settled_drift(self, y: np.ndarray) -> tuple[str, float]:
        """Return the state of samples that still drifts most after many of them, and its rate; "": there is none."""
        self.whole = False
        found = self.drifts(y[: len(self.rows) + len(self.z)], SETTLED)
        m, n = len(self.kept.w), len(self.kept.w) + len(self.kept.s)
        states = {*self.kept.names[:m], *self.kept.names[n:]}
        return next(((name, rate) for name, rate in found.items() if name in states), ("", 0.0))

    def kept_rows(self, r: np.ndarray) -> slice:
        """Return where residuals of what samples keep lie: before those of closures."""
        end = len(r) - self.plant.system.n_closure
        return slice(end - self.sizes()[2], end)

    def states(self) -> np.ndarray:
        """Return which kept numbers are unknowns and no outputs."""
        if not self.whole:
            return np.zeros(0, dtype=np.int64)
        m, n = len(self.kept.w), len(self.kept.w) + len(self.kept.s)
        return self.live[(self.live < m) | (self.live >= n)]

    def names(self) -> list[str]:
        """Return names of the residuals that are neither functions nor closures nor kept."""
        every, m = self.plant.system.velocity_names(), self.plant.device_states()
        return [f"acceleration of {every[k]}" for k in self.asked] + [f"rate of {m[k]}" for k in self.z]


@dataclass
class BalanceEquations:
    """Residuals of an assembly at values y of its unknowns."""

    residuals: Residuals
    y: np.ndarray
    floor = ROUND_OFF

    @property
    def n(self) -> int:
        """How many unknowns there are."""
        return len(self.y)

    def residual(self) -> np.ndarray:
        """Return r (m,)."""
        return self.residuals(self.y)

    def jacobian(self) -> np.ndarray:
        """Return ∂r/∂y (m, n)."""
        return self.residuals.jacobian(self.y)

    def moved(self, step: np.ndarray) -> BalanceEquations:
        """Return the equations at other values of the unknowns."""
        return replace(self, y=self.y + step)

    def n_own(self, r: np.ndarray) -> int:
        """Return how many residuals are not those of closures."""
        return len(r) - self.residuals.plant.system.n_closure

    def row_sizes(self, J: np.ndarray) -> np.ndarray:
        """Return the largest entry of each row of the Jacobian: units of devices are of any size."""
        rows = np.abs(J).max(axis=1, initial=0.0)
        rows[rows == 0.0] = 1.0
        return rows

    def scale(self, before: np.ndarray, J: np.ndarray | None, step: np.ndarray | None) -> np.ndarray:
        """Return sizes of residuals: the largest at the start, and of what samples keep, that of what it is made of."""
        kept = self.residuals.kept_rows(before)
        others = np.delete(before, kept)
        found = np.full(len(before), max(float(np.abs(others).max(initial=0.0)), 1.0))
        if J is not None and step is not None:
            sizes = self.residuals.values(self.y) + np.abs(step)
            found[kept] = np.maximum(np.abs(J[kept]) @ sizes, NOTHING)
        return found


def solved(
    residual: Residuals, y: np.ndarray, driven: np.ndarray
) -> tuple[np.ndarray, Solution[BalanceEquations]]:
    """Return the unknowns at which the residuals vanish, and how they were found.

    driven : numbers of the unknowns that drives move
    """
    before = residual(y)
    if len(driven) and residual.what.rows is None:
        J = residual.jacobian(y)
        limited = driven[(J[driven, driven] == 0.0) & (before[driven] != 0.0)]
        if len(limited):
            y = _within_limits(residual, y, limited)
    found = solve(BalanceEquations(residual, y), residual.what.max_iterations)
    y, r = found.equations.y, found.after
    if np.any(np.abs(r) > residual.what.tolerance * found.scale):
        raise _failed(residual, y, r, found.scale)
    residual(y)  # samples are left as they are there
    return y, replace(found, before=before)


def _failed(residual: Residuals, y: np.ndarray, r: np.ndarray, limit: np.ndarray) -> SolverError:
    """Say which residual is left."""
    names = residual.names()
    worst, kept = int(np.argmax(np.abs(r) / limit)), residual.kept_rows(r)
    if kept.start <= worst < kept.stop:
        k = int(residual.live[worst - kept.start])
        name, rate = residual.settled_drift(y)
        if not name:
            name, rate = residual.kept.names[k], r[worst] / residual.kept.periods[k]
        return SolverError(
            "no steady state was found: what is sampled drifts",
            where=f"'{name}'",
            got=f"{rate:.3g} a second",
            hint="an integrator rests where its input vanishes: let more coordinates be unknowns=, or leave its wire "
            "out and hold the input with set=",
        )
    n = residual.sizes()[1]
    first = len(residual.asked) + n
    if worst < first:
        name = names[worst].removeprefix("acceleration of ").removeprefix("rate of ")
        where, got = f"'{name}'", f"a rate of {r[worst]:.3g} is left"
    elif worst < kept.start:
        where, got = "residuals", f"a function of them stays at {r[worst]:.3g}"
    else:
        where, got = "closures", f"they stay open by {r[worst]:.3g}"
    return SolverError(
        "no steady state was found", where=where, got=got, hint="start nearer, or hold other inputs with set="
    )


def _within_limits(residual: Callable[[np.ndarray], np.ndarray], y: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return y where drives k are not at their rate limits, by bisection; each is a function of its own joint.

    At a limit a drive does not change with its joint, and Newton's method has no direction.
    """
    r = residual(y)[k]
    way, near, far = np.sign(r), y[k].copy(), y[k].copy()
    size = REACH[0]
    while size <= REACH[1]:
        out = residual(_put(y, k, near + way * size))[k] * way < 0.0
        far[out & (far == near)] = (near + way * size)[out & (far == near)]
        if (far != near).all():
            break
        size *= 2.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (near + far)
        new = residual(_put(y, k, middle))[k]
        over = new * way < 0.0
        far[over], near[~over] = middle[over], middle[~over]
    return _put(y, k, 0.5 * (near + far))


def _put(y: np.ndarray, k: np.ndarray, values: np.ndarray) -> np.ndarray:
    found = y.copy()
    found[k] = values
    return found
