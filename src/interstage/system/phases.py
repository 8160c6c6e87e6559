"""A phase of a run: states of one system at times, and what acted on it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError, InterstageError, known_names
from interstage.multibody import Multibody, State, System
from interstage.multibody.closing import with_closures
from interstage.multibody.loads import Loads
from interstage.multibody.potential import GeometricEnergy
from interstage.multibody.recovered import BodyRecovery, recovery_of
from interstage.multibody.state import BodyState
from interstage.multibody.types import Node
from interstage.system.acting import Acting
from interstage.system.flight_point import FlightPoint, Flown
from interstage.system.followed import NO_CHANGES, Changes
from interstage.system.rows import Wholes, positions_of_rows, sums_of_rows, wholes_of_rows

_Answer = TypeVar("_Answer")
SAME_TIME = 1e-12  # times this near to each other, relative, are one


def tidied(system: System, y: np.ndarray) -> State:
    """Return the state of a point [q; v] between steps: quaternions of unit length, closures closed."""
    x = system.state(y[: system.nq], y[system.nq :])
    system.layout.normalize(x.q)
    if system.model.closures:
        system.engine.project(x.q, x.v)
    return x


@dataclass
class Inputs:
    """What acted on a phase.

    loads : (time from which they hold, tau (nv,), sites, wrenches, what acts by name)
    driven : numbers of v (n,) whose accelerations motions say, and these at each row (m, n)
    table : (tau (nv,), sites, wrenches, loads) of each row, where that is known instead of functions of time
    """

    loads: list[tuple[float, np.ndarray, np.ndarray, np.ndarray, Acting]] = field(default_factory=list)
    driven: tuple[np.ndarray, np.ndarray] | None = None
    table: list[tuple[np.ndarray, np.ndarray, np.ndarray, Loads]] | None = None

    def add(
        self,
        t: float,
        tau: np.ndarray,
        sites: np.ndarray,
        wrenches: np.ndarray,
        acting: Acting,
        logged: float,
    ) -> None:
        """Note loads that hold from t on; those that no logged row saw (the last is at `logged`) are forgotten."""
        if self.loads:
            since, _, old_sites, old_wrenches, _ = self.loads[-1]
            if np.array_equal(sites, old_sites) and np.array_equal(wrenches, old_wrenches):
                sites, wrenches = old_sites, old_wrenches
            if logged < since - SAME_TIME * (1.0 + abs(since)):
                self.loads.pop()
        self.loads.append((t, tau, sites, wrenches, acting))

    @property
    def known(self) -> bool:
        """Whether it is known what acted."""
        return bool(self.loads) or self.table is not None

    @property
    def in_time(self) -> bool:
        """Whether something has to be asked of a function of time."""
        return any(load[4].in_time for load in self.loads)

    @property
    def changes(self) -> bool:
        """Whether what acted is not the same all the time."""
        return self.in_time or len(self.loads) > 1

    def _holding(self, t: float) -> tuple[float, np.ndarray, np.ndarray, np.ndarray, Acting]:
        if not self.loads:
            raise InputError(
                "the log does not have what acted",
                hint="of a flight every port is in the log by name; log.end goes on from its end",
            )
        later = bisect_right(self.loads, t, key=lambda load: load[0] - SAME_TIME * (1.0 + abs(t)))
        return self.loads[max(0, later - 1)]

    def named(self, t: float, k: int, system: System) -> Loads:
        """Return the loads at the time of row k by the names of bodies, accelerations of motions among them."""
        if self.table is not None:
            return self.table[k][3]
        loads, vector = self._holding(t)[4].loads.at(t, system), self.at(t, k, system)[0]
        driven = [body for body in system.bodies if system.joint_mode(body) == "prescribed"]
        return replace(loads, accelerations={body: vector[system.layout[body].v] for body in driven})

    def acting(self, t: float, k: int, system: System) -> Loads:
        """Return the loads of row k as a run goes on with them: what is a function of time stays one."""
        if self.table is not None or not self._holding(t)[4].in_time:
            return self.named(t, k, system)
        driven = self.named(t, k, system).accelerations
        return replace(self._holding(t)[4].loads, accelerations=driven)

    def at(self, t: float, k: int, system: System) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the vector for the kernels, sites and wrenches at the time of row k, for the system as it was then."""
        if self.table is not None:
            tau, sites, wrenches, _ = self.table[k]
            return tau.copy(), sites, wrenches
        _, tau, sites, wrenches, acting = self._holding(t)
        if acting.in_time:
            tau, (sites, wrenches) = acting.vector(system, t), acting.rows(system, t)
        else:
            tau = tau.copy()
        if self.driven is not None:
            tau[self.driven[0]] = self.driven[1][k]
        return tau, sites, wrenches


@named_arguments
@dataclass(repr=False)
class Phase:
    """States at times t (m,) of one system: q (m, nq), v (m, nv); `phase["panel"].eta` is (m, n).

    inertia : {body: (m, 10)} of bodies whose mass changed on the way
    propellant : {tank: (m,)} of tanks of bodies that burn
    vehicles : those of the phases before it, and its own;  others : descriptions of those of all phases
    """

    system: System
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    dense: Callable[[float], np.ndarray] | None = field(default=None, repr=False)
    inputs: Inputs = field(default_factory=Inputs, repr=False)
    inertia: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    propellant: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    vehicles: tuple[System, ...] = field(default=(), repr=False)
    others: tuple[Multibody, ...] = field(default=(), repr=False)
    _recovered: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    _wholes: dict[str, Wholes] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        span = f" from t = {self.t[0]:g} to {self.t[-1]:g}" if len(self.t) else ""
        return f"<Phase: {len(self.t)} states{span} of '{self.system.model.name}' ({', '.join(self.system.bodies)})>"

    def __getitem__(self, name: str) -> BodyState:
        slices = self.system.layout
        if name not in slices:
            raise InputError(f"there is no body '{name}'", hint=known_names(slices))
        return BodyState(name, slices[name], self.q, self.v)

    def state(self, k: int = -1) -> FlightPoint:
        """Return the k-th state, the last by default, as a point of the run: masses, settings and loads of then."""
        return self.point(k)

    def bare(self, k: int) -> State:
        """Return coordinates and velocities of a row alone."""
        return self.system.state(self.q[k], self.v[k])

    def point(
        self,
        k: int = -1,
        *,
        loads: Loads | None = None,
        values: Mapping[str, np.ndarray] | None = None,
        holds: Mapping[str, int] | None = None,
        before: tuple[System, ...] = (),
        sampled: bool = True,
        memory: Mapping[str, Mapping[str, object]] | None = None,
        forgotten: tuple[str, ...] = (),
        lacking: str = "",
        unloaded: str = "",
        changes: Changes = NO_CHANGES,
        begun: bool = False,
    ) -> FlightPoint:
        """Return the k-th state as a point of the run.

        loads : what acted beside devices, where it is not known here
        values : of devices;  holds : {body: whether a device holds its joint};  the others : see `Flown`
        """
        k = range(len(self.t))[k]
        system, t = self.system_at(k), float(self.t[k])
        for body, held in (holds or {}).items():
            system.set_joint_mode(body, "locked" if held else "free")
        acting = self.acting
        if acting is not None:
            loads = acting.acting(t, k, system) if acting.known else Loads.of(system)
        elif loads is None:
            loads, unloaded = Loads.of(system), "its log does not have what acted"
        vehicles = (*before, *(self.vehicles or (self.system,)))
        run = Flown(
            vehicles, sampled, forgotten, lacking, unloaded, changes=changes, others=self.others, begun=begun
        )
        vdot = partial(self.accelerations_at, k)
        return FlightPoint(self.bare(k), loads, vdot, system.settings.copy(), values or {}, t, memory, run)

    @property
    def acting(self) -> Inputs | None:
        """What acted beside devices, None where that is not known."""
        return self.inputs if self.inputs.known else None

    @property
    def known(self) -> bool:
        """Whether it is known what acted beside devices."""
        return self.acting is not None

    def between(self, t: float, x: State) -> FlightPoint:
        """Return a state between rows as a point; masses that change are those on the way from row to row."""
        k = max(0, int(np.searchsorted(self.t, t, "right")) - 1)
        point = self.point(k)
        if k + 1 < len(self.t) and t > self.t[k] and (self.inertia or self.propellant):
            share = (t - self.t[k]) / (self.t[k + 1] - self.t[k])
            now, then = point.settings, self.system_at(k + 1).settings
            now.body_inertia[:] += share * (then.body_inertia - now.body_inertia)
            now.propellant[:] += share * (then.propellant - now.propellant)
        system = self.system.with_settings(point.settings)

        def vdot() -> np.ndarray:
            return system.forward_dynamics(State(x.layout, x.q, x.v), forces=point.loads.at(t, system))

        return FlightPoint(x, point.loads, vdot, point.settings, {}, t, None, point.run)

    def operating_point(self, k: int = -1) -> FlightPoint:
        """Return the k-th state as `point` does."""
        return self.point(k)

    def accelerations_at(self, k: int) -> np.ndarray:
        """Return v̇ (nv,) of a row, NaN where the log does not know what acted."""
        try:
            return self.accelerations[k].copy()
        except InterstageError:
            return np.full(self.system.nv, np.nan)

    def system_at(self, k: int) -> System:
        """Return the system as it was at row k: bodies whose mass changed have that of then."""
        settings = self.system.settings.copy()
        for body, rows in self.inertia.items():
            settings.body_inertia[self.system.body(body)] = rows[k]
        settings.propellant[:] = self._tanks[k]
        return self.system.with_settings(settings)

    @cached_property
    def _masses(self) -> tuple[np.ndarray, np.ndarray]:
        """Bodies (b,) whose mass changed, and their inertia (m, b, 10), as the kernels take them."""
        bodies = np.array([self.system.body(body) for body in self.inertia], dtype=np.int64)
        rows = [np.zeros((len(self.t), 0, 10)), *(rows[:, None] for rows in self.inertia.values())]
        return bodies, np.concatenate(rows, axis=1)

    @cached_property
    def _tanks(self) -> np.ndarray:
        """Propellant (m, T) of all tanks of the system at each row."""
        rows = np.tile(self.system.settings.propellant, (len(self.t), 1))
        for k, tank in enumerate(self.system.propellant):
            if tank in self.propellant:
                rows[:, k] = self.propellant[tank]
        return rows

    @cached_property
    def sums(self) -> np.ndarray:
        """Energies (3) and momentum (6) of each row: (m, 9)."""
        return sums_of_rows(self.system, self.q, self.v, *self._masses, self._tanks)

    def wholes(self, body: str) -> Wholes:
        """Return mass (m,), center of mass (m, 3) and inertia (m, 3, 3) of the vehicle that has a body."""
        if body not in self._wholes or len(self._wholes[body][0]) != len(self):  # rows may have been cut off
            masses = *self._masses, self._tanks
            self._wholes[body] = wholes_of_rows(self.system, self.q, self.v, masses, body)
        return self._wholes[body]

    def _acted(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, Loads]]:
        """Return the vector for the kernels (nv,), sites, wrenches and loads at each row."""
        bodies, inertia = self._masses
        view = self.system.with_settings()
        out = []
        for k, t in enumerate(self.t):
            view.settings.body_inertia[bodies] = inertia[k]
            view.settings.propellant[:] = self._tanks[k]
            out.append((*self.inputs.at(float(t), k, view), self.inputs.named(float(t), k, view)))
        return out

    def __getstate__(self) -> dict[str, Any]:
        # functions of time do not travel: what they said at the rows does
        state = dict(self.__dict__)
        if self.inputs.in_time:
            state["inputs"] = Inputs([], None, self._acted())
        return state

    @cached_property
    def accelerations(self) -> np.ndarray:
        """Accelerations v̇ (m, nv) under the loads of the run."""
        return self._answers[0]

    @cached_property
    def forces(self) -> np.ndarray:
        """Generalized forces (m, nv): what was applied, and what prescribed and locked joints needed."""
        return self._answers[1]

    @cached_property
    def _answers(self) -> tuple[np.ndarray, np.ndarray]:
        vdot, tau = np.empty_like(self.v), np.empty_like(self.v)
        bodies, inertia = self._masses
        view = self.system.with_settings()
        with view.engine.borrow(self.v.dtype) as scratch:
            for k, t in enumerate(self.t):
                view.settings.body_inertia[bodies] = inertia[k]
                if self.propellant:
                    view.settings.propellant[:] = self._tanks[k]
                    scratch.prepare()
                load, sites, wrenches = self.inputs.at(float(t), k, view)
                q, v = self.q[k].copy(), self.v[k].copy()
                status = scratch.forward(q, v, load, sites, wrenches, vdot[k])
                if status != 0:
                    self.system.refuse(status, self.bare(k))
                if self.system.model.closures:  # their multipliers are in the scratch
                    sites, wrenches = with_closures(view, scratch.work, sites, wrenches)
                scratch.inverse(q, v, vdot[k], sites, wrenches, tau[k])
        return vdot, tau

    def recovered(self, body: str, name: str, residual: bool = True) -> np.ndarray:
        """Return a result (m,) that the component of a body recovers: a force or stress of an element.

        residual : False leaves out what loads do besides moving the modes (mode displacement)
        """
        rows = recovery_of(self.system, body)
        row = rows.row(name, f"body '{body}'")
        if not residual:
            return self[body].eta @ BodyRecovery(self.system, body).C[row]
        if self._recovered.get(body) is None:
            self._recovered[body] = self._results(body)
        return self._recovered[body][:, row]

    def _results(self, body: str) -> np.ndarray:
        """Return all results (m, r) of a body."""
        view = self.system.with_settings()
        rows = BodyRecovery(view, body)
        return np.array(list(self._under_loads(view, rows.at))).reshape(len(self.t), len(rows.names))

    def _under_loads(
        self, view: System, ask: Callable[[State, np.ndarray, Loads], _Answer]
    ) -> Iterator[_Answer]:
        """Give ask(state, accelerations, loads) at each row, with the masses of then in the settings of a view."""
        bodies, inertia = self._masses
        for k, (t, vdot) in enumerate(zip(self.t, self.accelerations)):
            view.settings.body_inertia[bodies] = inertia[k]
            view.settings.propellant[:] = self._tanks[k]
            yield ask(self.bare(k), vdot, self.inputs.named(float(t), k, view))

    @cached_property
    def geometric(self) -> np.ndarray:
        """Energy (m,) of the loads on bodies with geometric stiffness, as `system.geometric_energy`."""
        if not self.system.stiffens:
            return np.zeros(len(self.t))
        view = self.system.with_settings()
        return np.array(list(self._under_loads(view, GeometricEnergy(view).at)))

    def position(self, body: str, node: Node = None) -> np.ndarray:
        """Return the positions (m, 3) of a place on a body in the world."""
        return positions_of_rows(self.system, self.q, self.v, body, node)
