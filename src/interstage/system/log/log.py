"""What a simulation leaves behind: times and states by the names of bodies, in one phase or several.

A phase is a stretch of the run with one system; an event that changes the vehicle ends a phase and begins another at
the same time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError, known_names
from interstage.multibody import State, System
from interstage.multibody.operating_point import OperatingPoint
from interstage.multibody.state import BodyState
from interstage.multibody.types import Node
from interstage.system.log.log_file import LogFile, read_log, write_log
from interstage.system.log.phases import Phase, is_mass, masses, tidied
from interstage.system.plant.clock import SAME_TIME, time_of
from interstage.system.plant.connections import split_slice
from interstage.system.run.events import EventRecord

Fly = Callable[[OperatingPoint, float], OperatingPoint]


@dataclass
class Series:
    """Values (m, ...) of something in a log at times t (m,), with a name for each column.

    held : it keeps its value from one time to the next
    """

    name: str
    t: np.ndarray
    values: np.ndarray
    unit: str
    labels: list[str]
    held: bool = False

    @property
    def columns(self) -> np.ndarray:
        """The values (m, n) with everything beside time on one axis."""
        return self.values.reshape(len(self.values), math.prod(self.values.shape[1:]))

    def at(self, times: np.ndarray) -> np.ndarray:
        """Return the values that hold at other times, NaN before the first."""
        rows = np.searchsorted(self.t, times * (1.0 + SAME_TIME), "right") - 1
        found = self.values[np.maximum(rows, 0)].astype(float)
        found[rows < 0] = np.nan
        return found


class BodyHistory:
    """One body's part of a log over several phases; as `BodyState`, with time the first axis.

    t : times of the rows;  quantities that are not alike in all phases (a joint that changed) must be asked of a phase
    """

    def __init__(self, name: str, phases: list[Phase]):
        self._name, self._parts = name, [phase[name] for phase in phases]
        self.t = np.concatenate([phase.t for phase in phases])

    def __getattr__(self, key: str) -> np.ndarray:
        if key.startswith("_") or not hasattr(BodyState, key):
            raise AttributeError(
                f"a body has no '{key}'; known: q, v, eta, etadot, quaternion, position, velocity"
            )
        values = []
        for part in self._parts:
            try:
                values.append(getattr(part, key))
            except InputError as err:
                raise self._unlike(key) from err
        if len({value.shape[1:] for value in values}) > 1:
            raise self._unlike(key)
        return np.concatenate(values)

    def __repr__(self) -> str:
        span = f" from t = {self.t[0]:g} to {self.t[-1]:g}" if len(self.t) else ""
        lines = [f"body '{self._name}' at {len(self.t)} times{span}, in {len(self._parts)} phases"]
        return "\n".join(
            [*lines, *(f"  {line}" for part in self._parts for line in str(part).splitlines()[:1])]
        )

    def _unlike(self, key: str) -> InputError:
        return InputError(
            f"'{key}' of body '{self._name}' is not the same quantity in all phases of the log",
            hint=f"use log.phases[k]['{self._name}'].{key}, or log.position('{self._name}')",
        )


@named_arguments
class Log:
    """States at times t (m,): q (m, nq), v (m, nv); `log["panel"].eta` is (m, n).

    `eta` belongs to the modes of a body as the engine has them, held at its node; `component_eta` to those of its file.
    phases : stretches with one system each;  events : what happened, in order
    info : how the run was made (method, step, steps, evaluations)
    """

    def __init__(
        self,
        phases: list[Phase],
        events: list[EventRecord] | None = None,
        info: dict[str, object] | None = None,
    ):
        self.phases, self.events, self.info = phases, events or [], info or {}
        self.fly: Fly | None = None  # flies from a point to a time as the run did

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "fly": None}  # what flew does not travel

    def save(self, path: str | Path, signals: Mapping[str, tuple[ArrayLike, str]] | None = None) -> None:
        """Write the log file (HDF5), whole or not at all: states, masses, events and signals, not the vehicle.

        Points of the run (`point`, `state`), energies and the vehicle are in files of `simulate(..., log=path)`.

        signals : {name: (values (m,), unit)} to keep beside the states
        """
        write_log(self, path, signals)

    @classmethod
    def load(cls, path: str | Path) -> LogFile:
        """Read a log file: times, states, events and signals, without the system that made them."""
        return read_log(path)

    def __len__(self) -> int:
        return sum(len(phase) for phase in self.phases)

    @property
    def propellant(self) -> dict[str, np.ndarray]:
        """Propellant (m,) of every tank that was a state of the run, NaN while its body was not there."""
        names = dict.fromkeys(tank for phase in self.phases for tank in phase.propellant)
        gone = [np.full(len(phase), np.nan) for phase in self.phases]
        return {
            tank: np.concatenate([p.propellant.get(tank, none) for p, none in zip(self.phases, gone)])
            for tank in names
        }

    def component_eta(self, body: str) -> np.ndarray:
        """Return modal coordinates (m, modes of the component) that go with the shapes in a body's component file.

        Over the phases that have the body; see `System.body_modes`.
        """
        parts = [phase for phase in self.phases if body in phase.system.layout] or self.phases[:1]
        found = [phase[body].eta @ phase.system.body_modes(body).T for phase in parts]
        if len({len(rows.T) for rows in found}) > 1:
            raise InputError(
                f"body '{body}' has components with different modes in the phases of the log",
                hint="use log.phases[k].system.body_modes(body)",
            )
        return np.concatenate(found)

    def __repr__(self) -> str:
        t = self.t
        many = f", {len(self.phases)} phases" if len(self.phases) > 1 else ""
        return f"<Log: {len(t)} states from t = {t[0]:g} to {t[-1]:g}{many}, {len(self.events)} events>"

    @property
    def title(self) -> str:
        """What it is of, in words."""
        return f"'{self.system.model.name}'"

    def written(self) -> list[Series]:
        """Return every port and state: a vehicle alone has none."""
        return []

    def __str__(self) -> str:
        return import_module("interstage.system.log.export").log_text(self)

    @property
    def system(self) -> System:
        """The system at the end."""
        return self.phases[-1].system

    def __getitem__(self, name: str) -> BodyState | BodyHistory | np.ndarray:
        having = [phase for phase in self.phases if name in phase.system.layout]
        if not having and is_mass(name):
            return self.series(name).values
        if len(self.phases) == 1:
            return self.phases[0][name]
        if not having:
            raise InputError(
                f"there is no body '{name}'",
                hint=known_names({n for p in self.phases for n in p.system.bodies}),
            )
        return BodyHistory(name, having)

    def series(self, text: str) -> Series:
        """Return a channel by its name with its times and unit: of a vehicle alone "mass", "com" and "inertia".

        They are those of the vehicle, or as in "mass.upper" of the one that a body is part of at the time; the center
        of mass from the origin of the root body, or the one that is named, in its axes; the inertia about it.
        """
        name, part = split_slice(text)
        if not is_mass(name):
            raise InputError(f"there is no channel '{text}' in the log", hint="it has mass, com and inertia")
        values, unit = masses(self.phases, name)
        labels = [name if values.ndim == 1 else f"{name}{list(k)}" for k in np.ndindex(*values.shape[1:])]
        if part is not None:
            if values.ndim != 2 or part[1] > values.shape[1]:
                raise InputError(f"'{name}' has no such part", got=text)
            values, labels = values[:, slice(*part)], labels[slice(*part)]
            values = values[:, 0] if len(labels) == 1 else values
        return Series(text, self.t, values, unit, labels)

    def _joined(self, name: str) -> np.ndarray:
        parts = [getattr(phase, name) for phase in self.phases]
        if len({part.shape[1:] for part in parts}) > 1:
            raise InputError(
                f"'{name}' has another size in each phase of the log", hint=f"use log.phases[k].{name}"
            )
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    @property
    def t(self) -> np.ndarray:
        """Times (m,); the time of an event comes twice, with the states before and after."""
        return self._joined("t")

    @property
    def q(self) -> np.ndarray:
        """Coordinates (m, nq)."""
        return self._joined("q")

    @property
    def v(self) -> np.ndarray:
        """Velocities (m, nv)."""
        return self._joined("v")

    def _row(self, k: int) -> tuple[Phase, int]:
        """Return the phase of the k-th row, and its number there."""
        n = len(self)
        if not isinstance(k, (int, np.integer)):
            raise InputError(
                "a row of a log is asked for by its number",
                expected=f"a whole number, {-n} to {n - 1}",
                got=repr(k),
                hint="log.at(t) gives the state at a time",
            )
        if not -n <= k < n:
            raise InputError("the log has no such row", expected=f"{-n} to {n - 1}", got=f"{k}")
        k = k % n
        for phase in self.phases:
            if k < len(phase):
                return phase, k
            k -= len(phase)
        raise AssertionError

    def state(self, k: int = -1) -> OperatingPoint:
        """Return the k-th row, the last by default, as a point of the run: with masses, settings and loads of then."""
        phase, k = self._row(k)
        return phase.point(k)

    def point(self, at: int | float | str = -1) -> OperatingPoint:
        """Return a row as a point of the run: `simulate` goes on from its time, `linearize` and `trim` start there.

        at : number of a row, from the end where it is negative, or a time (a float, or a text as "73 s"). Of several
            rows at one time, around an event, it is the last; between two rows the run flies once more from the first
            of them, with the same steps. A log from a file has its rows alone
        """
        return self._at(at, self.state).going_on()

    def operating_point(self, k: int = -1) -> OperatingPoint:
        """Return the k-th row, the last by default, as `state` does, with the loads of its time."""
        return self.state(k).at_its_time()

    def _at(self, at: int | float | str, row: Callable[[int], OperatingPoint]) -> OperatingPoint:
        """Return the point of a row by its number or its time, or fly to a time between two."""
        if isinstance(at, (int, np.integer)) and not isinstance(at, bool):
            return row(int(at))
        t, times = float(time_of(at, "time of a point")) if at != 0 else 0.0, self.t
        near = np.flatnonzero(np.abs(times - t) <= SAME_TIME * (1.0 + abs(t)))
        if len(near):
            return row(int(near[-1]))
        if not len(times) or not times[0] <= t <= times[-1]:
            span = f"{times[0]:.9g} to {times[-1]:.9g} s" if len(times) else "a log with rows"
            raise InputError("time outside the run", where="point", expected=span, got=f"{t:.9g} s")
        k = int(np.searchsorted(times, t))
        if self.fly is None:
            raise InputError(
                f"there is no row at t = {t:.9g} s",
                where="point",
                got=f"rows {k - 1} and {k} at {times[k - 1]:.9g} and {times[k]:.9g} s",
                hint=f"fly there from the row before: simulate(flight, log.point({k - 1}), until={t:.9g}).point()",
            )
        return self.fly(row(k - 1).going_on(), t)

    def at(self, t: float) -> State:
        """Return the state at any time of an adaptive run (its dense output); at an event, the state after it.

        Masses that change are interpolated between rows: `point` flies to the time instead.
        """
        if all(phase.dense is None for phase in self.phases):
            adaptive = "evaluations" in self.info
            raise InputError(
                "the dense output of this run was not kept"
                if adaptive
                else "only adaptive methods have dense output",
                hint="use simulate(..., dense=True)" if adaptive else "use method='dop853', or log.state(k)",
            )
        if not self.t[0] <= t <= self.t[-1]:
            raise InputError("time outside the run", expected=f"{self.t[0]} to {self.t[-1]}", got=f"{t}")
        phase = [p for p in self.phases if p.t[0] <= t][-1]
        if phase.dense is None:  # an event at the very end, or no time between two
            return phase.state()
        return phase.between(t, tidied(phase.system, phase.dense(t)[: phase.system.nq + phase.system.nv]))

    @cached_property
    def _sums(self) -> np.ndarray:
        return np.concatenate([phase.sums for phase in self.phases])

    @property
    def energy(self) -> np.ndarray:
        """Total energy (m,): kinetic, strain, gravity, and where the log knows what acted `geometric`."""
        return self._sums[:, :3].sum(axis=1) + np.concatenate(
            [p.geometric if p.inputs.known else np.zeros(len(p.t)) for p in self.phases]
        )

    @property
    def geometric(self) -> np.ndarray:
        """Energy (m,) of the loads on bodies with geometric stiffness, ½ηᵀ(Σ c K)η (`system.geometric_energy`)."""
        return self._joined("geometric")

    @property
    def kinetic(self) -> np.ndarray:
        """Kinetic energy (m,)."""
        return self._sums[:, 0]

    @property
    def strain(self) -> np.ndarray:
        """Strain energy of modes and springs (m,)."""
        return self._sums[:, 1]

    @property
    def momentum(self) -> np.ndarray:
        """[h; p] (m, 6), angular momentum about the world origin, world axes."""
        return self._sums[:, 3:]

    @property
    def accelerations(self) -> np.ndarray:
        """Accelerations v̇ (m, nv) under the loads of the run."""
        return self._joined("accelerations")

    def torque(self, body: str) -> np.ndarray:
        """Return the generalized force (m, nv) of a body's joint beside its springs and dampers.

        Of a free joint what was applied, of a prescribed or locked one what its drive needed.
        """
        parts = [phase.forces[:, phase.system.layout[body].v] for phase in self.having(body)]
        if len({part.shape[1] for part in parts}) > 1:
            raise InputError(
                f"the joint of body '{body}' is not the same in all phases of the log",
                hint="use log.phases[k].forces",
            )
        return np.concatenate(parts)

    def having(self, body: str) -> list[Phase]:
        """Return the phases that have a body."""
        having = [phase for phase in self.phases if body in phase.system.layout]
        if not having:
            raise InputError(f"there is no body '{body}'", hint=known_names(self.system.bodies))
        return having

    def recovered(self, body: str, name: str, residual: bool = True) -> np.ndarray:
        """Return a force or stress (m,) of an element that the component of a body recovers, by its name there.

        residual : False leaves out what loads do besides moving the modes (mode displacement)
        """
        return np.concatenate([phase.recovered(body, name, residual) for phase in self.having(body)])

    def position(self, body: str, node: Node = None) -> np.ndarray:
        """Return the positions (m, 3) of a place on a body in the world, over the phases that have the body."""
        return np.concatenate([phase.position(body, node) for phase in self.having(body)])

    def velocity(self, body: str, node: Node = None, frame: str = "world") -> np.ndarray:
        """Return [ω; v] (m, 6) of a place on a body, over the phases that have the body."""
        found = [
            phase.system.velocity(phase.bare(k), body, node, frame)
            for phase in self.having(body)
            for k in range(len(phase))
        ]
        return np.array(found).reshape(-1, 6)
