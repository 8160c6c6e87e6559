"""What a batch is, as arrays: the same for every machine that flies it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from interstage.batch.kernels import Acts, Keep, Law, Patches, Stops
from interstage.batch.law import LinearController, Stop, place_names, places_of
from interstage.batch.numbers import WRENCH, Course, Names, Vector
from interstage.errors import InputError, did_you_mean, shown
from interstage.multibody import State, System
from interstage.multibody.dispersed_parameters import FACTORS, OF_TREE
from interstage.multibody.loads import Loads, Wrench, wrench_rows
from interstage.simulation.plant.clock import count
from interstage.simulation.run.integrators import CompiledMethod, Method
from interstage.studies.design import Design
from interstage.studies.outputs import REDUCTIONS

HISTORY = ""  # how an output is kept whose rows are all kept


@dataclass(frozen=True)
class Output:
    """One output: its name, the entry of [y; u] that it is of, and how it is reduced ("": all rows)."""

    name: str
    at: int
    how: str


@dataclass(frozen=True, eq=False)
class Pace:
    """Steps of a batch: their length, how many, how many between rows and between samples of the law (0: no law).

    start : the time at which samples start, from which kernels count
    """

    step: float
    steps: int
    every: int
    hold: int
    start: float = 0.0

    @classmethod
    def of(
        cls, until: float, step: float, log_step: float | None, hold: float | None, law: bool, start: float
    ) -> Pace:
        """Count them."""
        if until <= start:
            raise InputError(
                "the samples end before they start",
                where="until",
                expected=f"more than {start:g} s, the time of the point",
                got=f"{until:g}",
            )
        steps = count(until - start, step, "until")
        every = 1 if log_step is None else count(log_step, step, "log_step")
        if steps % every:
            raise InputError(
                "until is not a whole number of log_step",
                expected=f"a multiple of {log_step:g}",
                got=f"{until:g}",
            )
        held = 0 if not law else 1 if hold is None else count(hold, step, "every")
        return cls(step, steps, every, held, start)

    @property
    def times(self) -> np.ndarray:
        """Times (rows,) of the rows."""
        return self.start + self.step * self.every * np.arange(self.steps // self.every + 1)


@dataclass(frozen=True, eq=False)
class BatchPlan:
    """A batch ready to fly.

    system : a view of the vehicle with settings of its own;  own : numbers of a sample;  patches, table (columns,
    samples) : what the samples differ by;  course : what of the loads changes with time
    """

    system: System
    x: State
    loads: Loads
    law: LinearController | None
    stops: tuple[Stop, ...]
    outputs: tuple[Output, ...]
    method: Method
    pace: Pace
    design: Design
    own: Vector
    patches: Patches
    sites: np.ndarray
    course: Course

    @property
    def samples(self) -> int:
        """How many samples there are."""
        return len(self.design)

    @property
    def table(self) -> np.ndarray:
        """Numbers (columns, samples) that the samples differ by."""
        return np.ascontiguousarray(self.design.values.T)

    @property
    def histories(self) -> list[Output]:
        """Outputs of which all rows are kept."""
        return [one for one in self.outputs if one.how == HISTORY]

    @property
    def reduced(self) -> list[Output]:
        """Outputs of which one number is kept."""
        return [one for one in self.outputs if one.how != HISTORY]

    def law_arrays(self, views: Mapping[str, np.ndarray]) -> Law:
        """Return the law for the kernels, its numbers in the views of a sample."""
        law, system = self.law, self.system
        seen = [] if law is None else places_of(system, law.measures, "measures")
        low, high = (np.zeros(0), np.zeros(0)) if law is None else law.bounds
        at, source, weight = self._pushes()
        return Law(
            A=views["A"],
            B=views["B"],
            C=views["C"],
            D=views["D"],
            reference=views["reference"],
            seen=np.array(seen, dtype=np.int64),
            low=low,
            high=high,
            push_at=np.array(at, dtype=np.int64),
            push_from=np.array(source, dtype=np.int64),
            push_weight=np.array(weight, dtype=float),
            x=np.zeros(len(views["A"])),
            new=np.zeros(len(views["A"])),
            u=np.zeros(len(views["D"])),
        )

    def acts_arrays(self, load: np.ndarray, scale: np.ndarray) -> Acts:
        """Return what acts, for the kernels: in a vector of loads, with scales of what changes in it with time."""
        nv, course = self.system.nv, self.course
        wrenches, still = load[nv:].reshape(-1, WRENCH), np.zeros(len(course.to))
        return Acts(
            load, load[:nv], self.sites, wrenches, course.to, still, scale, course.times, course.values
        )

    def _pushes(self) -> tuple[list[int], list[int], list[float]]:
        """Return entries of the loads that the law's outputs change, which output, and by how much a unit."""
        at: list[int] = []
        source: list[int] = []
        weight: list[float] = []
        row = self.system.nv + WRENCH * len(self.loads.forces)
        for j, act in enumerate(() if self.law is None else self.law.acts):
            if isinstance(act, Wrench):
                entries, values = list(range(row, row + 6)), act.numbers.tolist()
                row += WRENCH
            else:
                entries, values = places_of(self.system, [act], "acts", "tau"), [1.0]
            at, source, weight = [*at, *entries], [*source, *[j] * len(values)], [*weight, *values]
        return at, source, weight

    def keep_arrays(self) -> Keep:
        """Return what is kept, for the kernels."""
        words = list(REDUCTIONS)
        return Keep(
            np.array([one.at for one in self.histories], dtype=np.int64),
            np.array([one.at for one in self.reduced], dtype=np.int64),
            np.array([words.index(one.how) for one in self.reduced], dtype=np.int64),
            np.zeros(len(self.reduced)),
        )

    def stop_arrays(self) -> Stops:
        """Return the conditions, for the kernels."""
        return Stops(
            np.array([stop.at for stop in self.stops], dtype=np.int64),
            np.array([stop.level for stop in self.stops], dtype=float),
            np.array([stop.sign for stop in self.stops], dtype=float),
        )


def method_in(plan: BatchPlan) -> CompiledMethod:
    """Return the method of a plan, as `simulate_batch` let it in."""
    assert isinstance(plan.method, CompiledMethod)
    return plan.method


def outputs_of(
    texts: Sequence[str] | None, system: System, law: LinearController | None
) -> tuple[Output, ...]:
    """Return outputs from their texts: "final q.arm.angle", "peak law.u1", "v.bus.wx" (its history)."""
    known = place_names(system)
    known |= {f"law.{u}": len(known) + j for j, u in enumerate(() if law is None else law.names)}
    if texts is None:
        texts = [f"final {name}" for name in known]
    if isinstance(texts, str):
        texts = [texts]
    found = []
    for text in texts:
        if not isinstance(text, str) or not text.strip():
            raise InputError(
                "this is no output", where="outputs", expected='as in "final q.arm.angle"', got=shown(text)
            )
        word, _, name = text.strip().rpartition(" ")
        if word.strip() and word.strip() not in REDUCTIONS:
            raise InputError(
                f"'{word}' is no way to reduce an output",
                where=f"output '{text}'",
                expected=", ".join(REDUCTIONS),
            )
        if name not in known:
            raise InputError(
                f"there is no '{name}' to keep", where=f"output '{text}'", hint=did_you_mean(name, known)
            )
        found.append(Output(text.strip(), known[name], word.strip()))
    if len({one.name for one in found}) != len(found):
        raise InputError("an output stands twice", where="outputs")
    return tuple(found)


def plan_of(
    system: System,
    x: State,
    loads: Loads,
    law: LinearController | None,
    stops: tuple[Stop, ...],
    outputs: tuple[Output, ...],
    method: CompiledMethod,
    pace: Pace,
    design: Design,
) -> BatchPlan:
    """Lay out the numbers of a batch; `system` is the caller's own view."""
    course = Course.of(system, loads, pace.step, pace.steps, method.nodes, pace.start)
    still = course.still
    forces = [*still.forces, *(act for act in (() if law is None else law.acts) if isinstance(act, Wrench))]
    _check_law(system, law)
    sites, wrenches = wrench_rows(system, forces, np.float64)
    wrenches[len(loads.forces) :, :6] = 0.0
    names = Names(system, loads.forces, law, course.to)
    targets = [(name, target) for name in design.names for target in names.targets(name)]
    changed = {target.array for _, target in targets}
    arrays = {
        "y": np.concatenate([x.q, x.v]),
        "calm": np.concatenate([still.vector(system), wrenches.ravel()]),
        "scale": np.ones(len(course.to)),
    }
    empty = {"A": (0, 0), "B": (0, 0), "C": (0, 0), "D": (0, 0), "reference": (0,)}
    arrays |= {word: np.zeros(shape) for word, shape in empty.items()} if law is None else law.arrays()
    arrays |= {name: getattr(system.tree, name) for name in OF_TREE if name in changed}
    if "body_inertia" in changed:
        arrays["body_inertia"] = system.settings.body_inertia
    own = Vector(arrays)
    at, column, power = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    for name, target in targets:
        at.append(own.start[target.array] + target.entries)
        column.append(np.full(len(target.entries), design.names.index(name)))
        power.append(np.full(len(target.entries), target.power))
    _check_factors(design)
    patches = Patches(own.base, np.concatenate(at), np.concatenate(column), np.concatenate(power))
    return BatchPlan(system, x, loads, law, stops, outputs, method, pace, design, own, patches, sites, course)


def _check_law(system: System, law: LinearController | None) -> None:
    for act in () if law is None else law.acts:
        if isinstance(act, str) and system.held[places_of(system, [act], "acts", "tau")].any():
            raise InputError(f"the joint of '{act}' is not free: a force there does nothing", where="acts")


def _check_factors(design: Design) -> None:
    """Refuse factors that mean nothing: masses that are not positive, stiffness and damping below zero."""
    for j, name in enumerate(design.names):
        word = name.partition(".")[0]
        least = design.values[:, j].min(initial=np.inf)
        if word in FACTORS and (least < 0.0 or (word == "mass" and least == 0.0)):
            raise InputError(
                f"'{name}' is a factor on what the vehicle has",
                where=f"sample {int(design.values[:, j].argmin())}",
                expected="above zero" if word == "mass" else "zero or above",
                got=f"{least:g}",
            )
