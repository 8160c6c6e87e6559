"""Phases of a run in memory and in a growing file, and what acted, computed again at their rows.

What acted on a flight, once more at the rows of its log: accelerations, forces of joints, results inside bodies.

The log has every number that devices push the vehicle with. These are put where they were, and the vehicle is asked by
the right-hand side of the flight; devices do not run again.

Phases of a flight: stretches between changes of the vehicle or its state, in memory and in the file that grows.

A file that grows takes no new datasets, so that phases are tables more, empty where nothing has changed:

STATES (n,)    q and v of the rows of phases whose sizes are not those of the first, one after the other; the columns
               of these rows in the table of steps are NaN
CHANGES (n,)   bytes: the vehicles of phases as small HDF5 files, one after the other
BOOKED (m, 15) of each event: time, momentum [h; p] before and after, energy before and after
PHASES (m, 2)  of each phase after the first: its first row in the table of steps, where the bytes of its vehicle end;
               no bytes: it is that of the phase before
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import TypeAlias

import h5py
import numpy as np

from interstage.calls import named_arguments
from interstage.errors import FileError, InputError
from interstage.hdf5 import FileFault, file_image, opened
from interstage.multibody import State, System
from interstage.multibody.load_recovery import recovery_of
from interstage.multibody.loads import Loads
from interstage.multibody.model_file import put_system, system_in
from interstage.multibody.queries import refuse
from interstage.output import reason
from interstage.simulation.log.layout import Contents, LogColumns
from interstage.simulation.log.phases import Inputs, Phase
from interstage.simulation.log.points import LoadsInFile, loads_of_json
from interstage.simulation.plant.declarations import ANY, GRAVITY
from interstage.simulation.plant.plan import ExecutionPlan, SignalSlot, Touch
from interstage.simulation.plant.prescribed_inputs import AHEAD, Ahead
from interstage.simulation.plant.vehicle_interface import Touching, gravity_of_roots, held_joints
from interstage.simulation.run.applied_loads import Acting
from interstage.simulation.run.coupled_system import ClosedLoop
from interstage.simulation.run.dense_output import Dense
from interstage.simulation.run.events import EventRecord
from interstage.simulation.run.operating_point import as_described


@dataclass(frozen=True)
class Acted:
    """What is known of a stretch of a flight: its plan, what is logged, what is touched, what acted beside devices.

    dense : the motion between its rows, where that is kept
    start : {port: value} of what is sampled as the run began, which holds until its first sample
    """

    plan: ExecutionPlan
    columns: LogColumns
    touching: Touching
    inputs: Inputs | None
    dense: Dense | None = None
    start: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def alone(self) -> bool:
        """Whether the vehicle has no devices."""
        return all(isinstance(part.what, Ahead) for part in self.plan.parts)

    def inputs_at(self, system: System, steps: np.ndarray, samples: Sequence[np.ndarray]) -> Inputs:
        """Return what acted on a vehicle without devices at rows of steps: loads, and accelerations of motions."""
        inputs = self.inputs
        if inputs is None:  # nothing but those
            acting, t = Acting(Loads.of(system), "world"), float(steps[0, 0]) if len(steps) else 0.0
            inputs = Inputs()
            inputs.add(t, acting.vector(system, t), *acting.rows(system, t), acting, t)
        motions = [
            touch
            for touch in self.touching.of(system)[2]
            if touch.axes == "joint" and touch.quantity not in AHEAD
        ]
        if not motions:
            return inputs
        numbers, said = self.pushes(steps, samples)
        to = np.concatenate([np.arange(system.nv)[system.layout[self.touching.joint(t)].v] for t in motions])
        where = np.concatenate([np.arange(t.slot.start, t.slot.start + t.slot.size) for t in motions])
        return replace(inputs, driven=(to, said[:, np.searchsorted(numbers, where)]))

    def pushes(
        self, steps: np.ndarray, samples: Sequence[np.ndarray], kinds: Sequence[str] | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers (n,) of signals that push the vehicle, and what they said at rows of steps (m, n).

        samples : the tables of sampled signals, whose values are held;  kinds : quantities that are meant, None: all
        """
        touches = [t for t in self.plan.pushes if kinds is None or t.quantity in kinds]
        numbers = np.unique([k for t in touches for k in range(t.slot.start, t.slot.start + t.slot.size)])
        numbers = numbers.astype(np.int64)
        first = steps.shape[1] - len(self.columns.s) - len(self.columns.z)
        at = {int(n): steps[:, first + j] for j, n in enumerate(self.columns.s)}
        begun = self._begun()
        for (_, _, signals), table in zip(self.columns.groups, samples):
            last = np.searchsorted(table[:, 0], steps[:, 0], "right")  # row 0: before the first sample
            for j, n in enumerate(signals.tolist()):
                at[n] = np.append(begun[n], table[:, 1 + j])[last]
        for touch in touches:
            if not set(range(touch.slot.start, touch.slot.start + touch.slot.size)) <= set(at):
                raise InputError(
                    f"the log does not have what '{touch.port}' said",
                    hint="give its name in keep=, or leave keep= out",
                )
        return numbers, np.array([at[int(n)] for n in numbers]).reshape(len(numbers), len(steps)).T

    def _begun(self) -> np.ndarray:
        """Return all signals as the run began: those of a run from a point of another hold what they said there."""
        found = self.plan.initial["s"].copy()
        for name, value in self.start.items():
            slot = self.plan.slots[name]
            found[slot.start : slot.start + slot.size] = np.ravel(value)
        return found


class InputsOfFile(Inputs):
    """What acted on a phase of a log from a file; loads are made of the file when they are asked for.

    number : of the phase;  systems : the vehicles up to it;  t, steps : its rows
    """

    def __init__(
        self,
        contents: Contents,
        number: int,
        systems: tuple[System, ...],
        t: np.ndarray,
        steps: np.ndarray,
    ):
        self.table, self.driven = None, None
        self._made_of = contents, number, systems, float(t[0]) if len(t) else 0.0
        kept, system = contents.points, systems[-1]
        if kept is not None and contents.alone:
            bodies = [b for b in kept.driven if b in system.layout and system.joint_mode(b) == "prescribed"]
            if bodies:
                to = np.concatenate([np.arange(system.nv)[system.layout[body].v] for body in bodies])
                self.driven = to, steps[:, [column for body in bodies for column in kept.driven[body]]]

    def __getattr__(self, name: str) -> object:
        if name != "loads":
            raise AttributeError(name)
        self.loads = _loads_of_file(*self._made_of)
        return self.loads


Held = tuple[float, np.ndarray, np.ndarray, np.ndarray, Acting]


def _loads_of_file(contents: Contents, number: int, systems: Sequence[System], t: float) -> list[Held]:
    """Return the loads of a phase as `Inputs` has them; none where the file does not say what acted."""
    kept, system = contents.points, systems[-1]
    if not contents.alone or kept is None:
        return []
    told = None if contents.acted is None or number >= len(contents.acted) else contents.acted[number]
    if told is not None:
        pairs = [(float(at), loads_of_json(loads)) for at, loads in told]  # type: ignore[arg-type]
        return [_held(Acting(loads, "world"), system, at) for at, loads in pairs if isinstance(loads, Loads)]
    loads = kept.loads.made() if isinstance(kept.loads, LoadsInFile) else kept.loads
    if isinstance(loads, str):
        return []
    acting = Acting(Loads.of(systems[0]) if loads is None else loads, "world")
    for old, new in pairwise(systems):
        if old is not new:
            acting.follow(old, new, t, kept.changes.heirs)
    return [_held(acting, system, t)]


def _held(acting: Acting, system: System, t: float) -> Held:
    return (t, acting.vector(system, t), *acting.rows(system, t), acting)


@named_arguments
class FlightPhase(Phase):
    """A phase of a flight with devices that knows what acted; rows of the tables of steps and samples are its own."""

    def __init__(
        self,
        system: System,
        t: np.ndarray,
        q: np.ndarray,
        v: np.ndarray,
        masses: tuple[dict[str, np.ndarray], dict[str, np.ndarray]],
        acted: Acted,
        tables: tuple[np.ndarray, Sequence[np.ndarray]],
    ):
        super().__init__(system, t, q, v, acted.dense or None, inertia=masses[0], propellant=masses[1])
        self._acted_on, self._logged = acted, tables
        self._once: tuple[np.ndarray, np.ndarray] | None = None
        self._untold: InputError | None = None  # why it did not go along to another process
        self._field: dict[str, np.ndarray] | None = None

    @property
    def acting(self) -> Inputs | None:
        """What acted beside devices, None where that is not known."""
        if self._acted_on is None:
            return None
        return Inputs() if self._acted_on.inputs is None else self._acted_on.inputs

    def __getstate__(self) -> dict[str, object]:
        # devices do not travel: what they did at the rows does
        if self._once is None and self._untold is None and len(self.t):
            try:
                self._once = self._answers
            except InputError as why:
                self._untold = why
        return {**super().__getstate__(), "_acted_on": None, "_logged": None}

    @property
    def _answers(self) -> tuple[np.ndarray, np.ndarray]:
        if self._once is None:
            vdot, forces, _ = self._replayed([])
            self._once = vdot, forces
        return self._once

    def gravity(self, first: int, last: int) -> dict[str, np.ndarray] | None:
        """Return the mean gravity (3,) that devices say from a row to another, by body that hangs on nothing.

        World axes. None where there are too few rows to follow it.
        """
        if self._field is None:
            self._field = self._said_gravity()
        found = {}
        for name, g in self._field.items():
            rows, t = g[first : last + 1], self.t[first : last + 1]
            if not len(rows) or np.abs(np.diff(rows, axis=0)).max(initial=0.0) > COARSE * np.abs(rows).max():
                return None
            found[name] = np.trapezoid(rows, t, axis=0) / (t[-1] - t[0])
        return found

    def _said_gravity(self) -> dict[str, np.ndarray]:
        """Return the gravity (m, 3) that devices say at all rows."""
        acted = self._acted_on
        if acted is None or not any(touch.quantity in GRAVITY for touch in acted.plan.pushes):
            return {}
        loop, _ = _silent(acted, self.system.with_settings(), [], float(self.t[0]) if len(self.t) else 0.0)
        try:
            roots = gravity_of_roots(self.system, loop.loop)
        finally:
            loop.release()
        numbers, said = acted.pushes(*self._logged, GRAVITY)
        at = {
            root: np.searchsorted(numbers, np.add.outer(first, np.arange(3))) for root, first in roots.items()
        }
        return {root: said[:, columns].sum(axis=1) for root, columns in at.items()}

    def _results(self, body: str) -> np.ndarray:
        names = recovery_of(self.system, body).names
        return self._replayed([(body, name) for name in names])[2]

    def _replayed(self, results: list[tuple[str, str]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return accelerations and forces of joints (m, nv), and results inside bodies (m, r), at all rows."""
        if self._untold is not None:
            raise self._untold
        if self._acted_on is None:
            raise InputError("the log does not have what acted", hint="ask before it goes to another process")
        if held_joints(self._acted_on.plan):
            raise InputError(
                "devices hold and free joints of this flight: the log does not have what these carried",
                hint="let a device look at it: joint.reaction(), or a StrainGauge",
            )
        numbers, said = self._acted_on.pushes(*self._logged)
        view = self.system.with_settings()
        inputs = self._acted_on.inputs
        loop, first = _silent(self._acted_on, view, results, float(self.t[0]) if len(self.t) else 0.0)
        (bodies, inertia), tanks = self._masses, self._acted_on.plan.tanks
        vdot, forces, found = (
            np.empty_like(self.v),
            np.empty_like(self.v),
            np.empty((len(self.t), len(results))),
        )
        qdot, s = np.empty(view.nq), loop.tapes.vectors["s"]
        try:
            for k, t in enumerate(self.t.tolist()):
                view.settings.body_inertia[bodies] = inertia[k]
                for tank, rows in self.propellant.items():
                    loop.tapes.vectors["z"][tanks[tank].start] = rows[k]
                s[numbers] = said[k]
                if inputs is not None and inputs.changes:
                    loop.set_base(*inputs.at(t, k, view))
                status = loop.right_side(self.q[k].copy(), self.v[k].copy(), t, qdot, vdot[k])
                if status != 0:
                    refuse(view, status, State(view.layout, self.q[k], self.v[k]), loop.loop.tau)
                forces[k], found[k] = loop.loop.needed, s[first:]
        finally:
            loop.release()
        return vdot, forces, found


def _silent(acted: Acted, system: System, results: list[tuple[str, str]], t: float) -> tuple[ClosedLoop, int]:
    """Return the loop of a flight whose devices say nothing, and the first signal of some results inside bodies.

    t : time whose loads act beside them
    """
    plan, first = acted.plan, len(acted.plan.initial["s"])
    felt = [
        Touch("result", place, "inside", SignalSlot("s", first + k, (), ANY), f"{place[0]}, {place[1]}")
        for k, place in enumerate(results)
    ]
    more = np.append(plan.initial["s"], np.zeros(len(results)))
    silent = replace(
        plan, ahead=[], before=[], after=[], rates=[], sampled=[], looks=[], felt=felt,
        initial={**plan.initial, "s": more}, sample_feels=False,
    )  # fmt: skip
    touching = replace(acted.touching, plan=silent)
    base = None if acted.inputs is None else acted.inputs.at(t, 0, system)
    return ClosedLoop(silent, system, base=base, touching=touching, carries=True), first


# names, dtypes and shapes of a row
Tables: TypeAlias = tuple[tuple[str, str, tuple[int, ...]], ...]
TABLES: Tables = (
    ("STATES", "f8", ()),
    ("CHANGES", "u1", ()),
    ("BOOKED", "f8", (15,)),
    ("PHASES", "i8", (2,)),
)
STATES, CHANGES, BOOKED, PHASES = range(4)
WORDS = "vehicle of a phase"
OF_THE_VEHICLE = "it has the vehicle alone, without what devices keep; log.point(k or t) has both"
CHUNK = 1 << 12
COARSE = 0.2  # change of gravity from a row to the next, beside its size, that a mean of rows does not follow


def no_rows(tables: Tables = TABLES) -> list[np.ndarray]:
    """Return the tables of a flight in which nothing changes."""
    return [np.zeros((0, *shape), dtype) for _, dtype, shape in tables]


def create(file: h5py.File, tables: Tables = TABLES) -> list[h5py.Dataset]:
    """Return the tables in a file, empty."""
    return [
        file.create_dataset(
            name, (0, *shape), maxshape=(None, *shape), chunks=(64 if shape else CHUNK, *shape), dtype=dtype
        )
        for name, dtype, shape in tables
    ]


def alike(a: System, b: System) -> bool:
    """Return whether states of two vehicles have the same sizes."""
    return (a.nq, a.nv) == (b.nq, b.nv)


def image_of(system: System, before: System) -> np.ndarray:
    """Return the bytes (n,) of a vehicle that comes after another: none where it is the same."""
    if system is before:
        return np.zeros(0, np.uint8)
    image = file_image(lambda f: put_system(f, system, system.model is not before.model), WORDS)
    return np.frombuffer(image, np.uint8)


def systems_of(tables: Sequence[np.ndarray], first: System, known: Sequence[System] = ()) -> list[System]:
    """Return the vehicles of all phases, that of the first given; known : those that were read before."""
    found, begin, data = [first], 0, tables[CHANGES].astype(np.uint8)
    for _, end in tables[PHASES].tolist():
        if not begin <= end <= len(data):
            raise FileFault("'PHASES' has vehicles that are not there")
        found.append(known[len(found)] if len(found) < len(known) else _system(data[begin:end], found[-1]))
        begin = end
    return found


def _system(image: np.ndarray, before: System) -> System:
    if not len(image):
        return before
    try:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "vehicle.h5"
            path.write_bytes(image.tobytes())
            with opened(path, WORDS) as f:
                return system_in(f, path, before)
    except OSError as err:
        raise FileError(
            "the vehicles of a log cannot be unpacked", where=gettempdir(), got=reason(err)
        ) from None


def phases_of(
    logged: Sequence[np.ndarray],
    tables: Sequence[np.ndarray],
    systems: Sequence[System],
    contents: Contents,
    acted: Sequence[Acted | None],
) -> list[Phase]:
    """Return the phases of tables of steps and samples; a phase that has no rows yet is left out.

    acted : what is known of what acted, of each phase; none of a log from a file
    """
    (steps, *samples), first, at = logged, systems[0], 0
    inertia, propellant = contents.inertia, contents.propellant
    known = acted if len(acted) == len(systems) else [None] * len(systems)
    begins = [0, *tables[PHASES][:, 0].tolist()]
    trees = tuple({id(one.tree): one.tree for one in systems}.values())
    found: list[Phase] = []
    for number, (system, begin, end, what) in enumerate(
        zip(systems, begins, [*begins[1:], len(steps)], known)
    ):
        rows = steps[begin : min(end, len(steps))]
        q, v = rows[:, 1 : 1 + first.nq], rows[:, 1 + first.nq : 1 + first.nq + first.nv]
        if not alike(system, first):
            width = system.nq + system.nv
            if at + len(rows) * width > len(tables[STATES]):
                raise FileFault("'STATES' has not the states of all phases")
            states = tables[STATES][at : at + len(rows) * width].reshape(len(rows), width)
            at += states.size
            q, v = states[:, : system.nq], states[:, system.nq :]
        if len(rows) or not found:
            q, v = np.ascontiguousarray(q), np.ascontiguousarray(v)
            masses = {body: rows[:, columns] for body, columns in inertia.items() if body in system.layout}
            tanks = {
                tank: rows[:, column] for tank, column in propellant.items() if tank in system.propellant
            }
            t = rows[:, 0].copy()
            if what is None:
                inputs: Inputs = InputsOfFile(contents, number, tuple(systems[: number + 1]), t, rows)
                found.append(Phase(system, t, q, v, None, inputs, masses, tanks))
            elif what.alone:
                inputs = what.inputs_at(system, rows, samples)
                found.append(Phase(system, t, q, v, what.dense or None, inputs, masses, tanks))
            else:
                found.append(FlightPhase(system, t, q, v, (masses, tanks), what, (rows, samples)))
            found[-1].lacks = "" if contents.alone else OF_THE_VEHICLE
            found[-1].vehicles = tuple(systems[: number + 1])
            found[-1].others, found[-1].first = trees, as_described(systems[: number + 1])
    return found


def split(rows: np.ndarray, system: System, first: System) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of steps as the table of steps has them, and their states (n,) where sizes are others."""
    if alike(system, first):
        return rows, np.zeros(0)
    width = system.nq + system.nv
    gap = np.full((len(rows), first.nq + first.nv), np.nan)
    return np.hstack([rows[:, :1], gap, rows[:, 1 + width :]]), rows[:, 1 : 1 + width].ravel()


def booked(event: EventRecord) -> np.ndarray:
    """Return the row (1, 15) of an event."""
    sums = event.momentum_before, event.momentum_after
    return np.concatenate([[event.t], *sums, [event.energy_before, event.energy_after]])[None]


def with_books(events: Sequence[EventRecord], rows: np.ndarray) -> list[EventRecord]:
    """Return events, known by their texts, with what was booked of them; those without are as they are."""
    known = [
        EventRecord(float(row[0]), one.name, one.what, row[1:7], row[7:13], float(row[13]), float(row[14]))
        for one, row in zip(events, rows)
    ]
    return known + list(events[len(known) :])
