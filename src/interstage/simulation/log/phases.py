"""A phase of a run: states of one system at times, what acted on it, and quantities over its rows.

Questions about many states of one system, each in one compiled loop.

A phase of a run: states of one system at times, and what acted on it.

Mass, center of mass and inertia of vehicles over time, as channels of a log.

    log["mass"], log["com"], log["inertia"]     of the vehicle: (m,), (m, 3), (m, 3, 3)
    log["mass.upper"], log["com.upper"], ...    of the vehicle that the body `upper` is part of at the time

The vehicle is all that joints connect, however far it has come apart or been put together by then. Centers of mass are
seen from the origin of the body and in its axes, inertias about the center of mass in the same axes; without a name it
is the root body. Where a log has several vehicles at some time, a body has to be named; NaN while it is not there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import (
    InputError,
    InterstageError,
    did_you_mean,
    known_names,
)
from interstage.jit import COMPILED
from interstage.multibody import State, System
from interstage.multibody.address_table import tree_of, work_of
from interstage.multibody.arrays import Tree
from interstage.multibody.closure_queries import with_closures
from interstage.multibody.kernels.algebra import add, kernel, turn
from interstage.multibody.kernels.array_access import get3, get9
from interstage.multibody.kernels.body_inertia import prepare
from interstage.multibody.kernels.entry import composite_from, sums
from interstage.multibody.kernels.kinematics import kinematics, poses
from interstage.multibody.load_recovery import BodyRecovery, GeometricEnergy, recovery_of
from interstage.multibody.loads import Loads
from interstage.multibody.operating_point import NO_CHANGES, Changes, OperatingPoint, RunHistory
from interstage.multibody.queries import of_composite
from interstage.multibody.sites import local_pose, shape_of
from interstage.multibody.state import BodyState
from interstage.multibody.types import Node
from interstage.simulation.plant.clock import SAME_TIME

if TYPE_CHECKING:
    from interstage.simulation.run.applied_loads import Acting


@kernel
def _sums(tree, work, Q, V, bodies, inertia, tanks, about, out):
    """Write energies and momentum (m, 9) of every row, bodies with the inertia (m, b, 10) that they have there.

    tanks (m, T) : propellant
    """
    for k in range(len(Q)):
        for j in range(len(bodies)):
            for c in range(10):
                work.body_inertia[bodies[j], c] = inertia[k, j, c]
        if tanks.shape[1] > 0:
            for j in range(tanks.shape[1]):
                work.propellant[j] = tanks[k, j]
            prepare(tree, work)
        sums(tree, work, Q[k], V[k], about, out[k])


@kernel
def _enter_sums(handle, Q, V, bodies, inertia, tanks, about, out):
    """Call `_sums` on a handle."""
    tree, work = tree_of(handle), work_of(handle, Q)  # type: ignore[func-returns-value]
    _sums(tree, work, Q, V, bodies, inertia, tanks, about, out)


def sums_of_rows(
    system: System, Q: np.ndarray, V: np.ndarray, bodies: np.ndarray, inertia: np.ndarray, tanks: np.ndarray
) -> np.ndarray:
    """Return kinetic, strain, gravity energy and [h; p] about the world origin of states Q (m, nq), V (m, nv): (m, 9).

    bodies (b,), inertia (m, b, 10) : bodies whose mass is another in each row;  tanks (m, T) : propellant
    """
    out, about = np.empty((len(Q), 9)), np.zeros(3)
    Q, V = np.ascontiguousarray(Q), np.ascontiguousarray(V)
    with system.with_settings().engine.borrow(out.dtype) as scratch:
        if COMPILED:
            _enter_sums(scratch.ready(_enter_sums), Q, V, bodies, inertia, tanks, about, out)
        else:
            _sums(scratch.tree, scratch.work, Q, V, bodies, inertia, tanks, about, out)
    return out


@kernel
def _wholes(tree, work, Q, V, bodies, inertia, tanks, i, root, place, out):
    """Write the inertia (m, 21) of a tree about a place on body i at every row, as `_sums` takes masses."""
    for k in range(len(Q)):
        for j in range(len(bodies)):
            for c in range(10):
                work.body_inertia[bodies[j], c] = inertia[k, j, c]
        if tanks.shape[1] > 0:
            for j in range(tanks.shape[1]):
                work.propellant[j] = tanks[k, j]
            prepare(tree, work)
        composite_from(tree, work, Q[k], V[k], i, root, place, out[k])


@kernel
def _enter_wholes(handle, Q, V, bodies, inertia, tanks, i, root, place, out):
    """Call `_wholes` on a handle."""
    tree, work = tree_of(handle), work_of(handle, Q)  # type: ignore[func-returns-value]
    _wholes(tree, work, Q, V, bodies, inertia, tanks, i, root, place, out)


Wholes = tuple[np.ndarray, np.ndarray, np.ndarray]


def wholes_of_rows(system: System, Q: np.ndarray, V: np.ndarray, masses: Wholes, body: str) -> Wholes:
    """Return mass (m,), center of mass (m, 3) and inertia about it (m, 3, 3) of the tree that has a body.

    From the origin of the body, in its axes, at states Q (m, nq), V (m, nv).
    masses : bodies (b,), inertia (m, b, 10), tanks (m, T) as in `sums_of_rows`
    """
    root = body
    while (parent := system.model.spec(root).parent) is not None:
        root = parent
    R, l = local_pose(system, system.state(), body, None)
    place, out = np.concatenate([R.ravel(), l]), np.empty((len(Q), 21))
    Q, V = np.ascontiguousarray(Q), np.ascontiguousarray(V)
    where = system.body(body), system.body(root), place, out
    with system.with_settings().engine.borrow(out.dtype) as scratch:
        if COMPILED:
            _enter_wholes(scratch.ready(_enter_wholes), Q, V, *masses, *where)
        else:
            _wholes(scratch.tree, scratch.work, Q, V, *masses, *where)
    mass, com, about = of_composite(out)
    square = np.einsum("mi,mi->m", com, com)[:, None, None] * np.eye(3)
    return mass, com, about - mass[:, None, None] * (square - com[:, :, None] * com[:, None, :])


@kernel
def _positions(tree, work, Q, V, i, eta, l, gamma, out):
    """Write the world positions (m, 3) of a place l + γη of body i; eta: where its modal coordinates start."""
    for k in range(len(Q)):
        q = Q[k]
        kinematics(tree, work, q, V[k])
        poses(tree, work)
        for a in range(3):
            s = l[a]
            for r in range(gamma.shape[1]):
                s += gamma[a, r] * q[eta + r]
            out[k, a] = s
        place = add(get3(work.pw, i), turn(get9(work.Rw, i), get3(out, k)))
        for a in range(3):
            out[k, a] = place[a]


@kernel
def _enter_positions(handle, Q, V, i, eta, l, gamma, out):
    """Call `_positions` on a handle."""
    tree, work = tree_of(handle), work_of(handle, Q)  # type: ignore[func-returns-value]
    _positions(tree, work, Q, V, i, eta, l, gamma, out)


def positions_of_rows(system: System, Q: np.ndarray, V: np.ndarray, body: str, node: Any) -> np.ndarray:
    """Return the positions (m, 3) in the world of a place on a body at states Q (m, nq), V (m, nv)."""
    l, _, gamma = shape_of(system, body, node)
    out, eta = np.empty((len(Q), 3)), system.layout[body].eta.start
    arguments = np.ascontiguousarray(Q), np.ascontiguousarray(V), system.body(body), eta, l, gamma, out
    with system.engine.borrow(out.dtype) as scratch:
        if COMPILED:
            _enter_positions(scratch.ready(_enter_positions), *arguments)
        else:
            _positions(scratch.tree, scratch.work, *arguments)
    return out


_Answer = TypeVar("_Answer")


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

    def intervals(self, times: np.ndarray, seen: Callable[[int], System]) -> list[tuple[float, Loads]]:
        """Return the times from which loads hold, and these without functions of time: those of the rows.

        times : of the rows;  seen : the system as it was at a row
        """
        if not self.in_time and self.table is None:
            return [(t, acting.loads) for t, _, _, _, acting in self.loads]
        return [(float(t), self.named(float(t), k, seen(k))) for k, t in enumerate(times)]

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
    vehicles : those of the phases before it, and its own;  first, others : see `RunHistory`
    lacks : why its states are not whole points, "" where they are: what devices keep is in the log
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
    first: int = field(default=1, repr=False)
    others: tuple[Tree, ...] = field(default=(), repr=False)
    lacks: str = field(default="", repr=False)
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

    def state(self, k: int = -1) -> OperatingPoint:
        """Return the k-th state, the last by default, as a point of the run: masses, settings and loads of then."""
        return self.point(k)

    def gravity(self, first: int, last: int) -> dict[str, np.ndarray] | None:
        """Return the mean gravity (3,) that devices say from a row to another: there are none."""
        return {}

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
        first: int | None = None,
    ) -> OperatingPoint:
        """Return the k-th state as a point of the run.

        loads : what acted beside devices, where it is not known here
        values : of devices;  holds : {body: whether a device holds its joint};  the others : see `RunHistory`
        """
        k = range(len(self.t))[k]
        lacking = lacking or (self.lacks if values is None else "")
        system, t = self.system_at(k), float(self.t[k])
        for body, held in (holds or {}).items():
            system.set_joint_mode(body, "locked" if held else "free")
        acting = self.acting
        if acting is not None:
            loads = acting.acting(t, k, system) if acting.known else Loads.of(system)
        elif loads is None:
            loads, unloaded = Loads.of(system), "its log does not have what acted"
        vehicles = (*before, *(self.vehicles or (self.system,)))
        run = RunHistory(
            vehicles,
            sampled,
            forgotten,
            lacking,
            unloaded,
            changes=changes,
            others=self.others,
            first=self.first if first is None else first,
        )
        vdot = partial(self.accelerations_at, k)
        return OperatingPoint(self.bare(k), loads, vdot, system.settings.copy(), values or {}, t, memory, run)

    @property
    def acting(self) -> Inputs | None:
        """What acted beside devices, None where that is not known."""
        return self.inputs if self.inputs.known else None

    @property
    def known(self) -> bool:
        """Whether it is known what acted beside devices."""
        return self.acting is not None

    def between(self, t: float, x: State) -> OperatingPoint:
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

        return OperatingPoint(x, point.loads, vdot, point.settings, {}, t, None, point.run)

    def operating_point(self, k: int = -1) -> OperatingPoint:
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

    def whole(self, what: str, body: str) -> np.ndarray:
        """Return the mass, com or inertia (m, ...) of the vehicle that has a body."""
        return self.wholes(body)[list(SHAPES).index(what)]

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


SHAPES: dict[str, tuple[int, ...]] = {"mass": (), "com": (3,), "inertia": (3, 3)}


def is_mass(name: str) -> bool:
    """Tell if a name is that of a channel of masses."""
    return isinstance(name, str) and name.partition(".")[0] in SHAPES


def check_vehicle(name: str, bodies: Sequence[str], roots: Sequence[Sequence[str]]) -> None:
    """Refuse a channel of a body that is not there, or of no body where phases have several vehicles.

    bodies : of all phases;  roots : of the vehicles of each phase
    """
    what, _, body = name.partition(".")
    if body and body not in bodies:
        raise InputError(f"there is no body '{body}'", where=f"'{name}'", hint=did_you_mean(body, bodies))
    if not body and any(len(one) != 1 for one in roots):
        known = dict.fromkeys(root for one in roots for root in one)
        raise InputError(
            f"'{what}' is of one vehicle, and the log has several",
            got=f"vehicles with the roots {', '.join(known)}",
            hint=f'name a body of the one that is meant: log["{what}.{next(iter(known))}"]',
        )


def masses(phases: Sequence[Phase], name: str) -> tuple[np.ndarray, str]:
    """Return the values (m, ...) of a channel and its unit; see the module."""
    what, _, body = name.partition(".")
    known = dict.fromkeys(b for phase in phases for b in phase.system.bodies)
    check_vehicle(name, list(known), [phase.system.model.roots for phase in phases])
    return np.concatenate([_rows(phase, what, body) for phase in phases]), _unit(phases[0].system, what)


def _rows(phase: Phase, what: str, body: str) -> np.ndarray:
    if body and body not in phase.system.layout:
        return np.full((len(phase), *SHAPES[what]), np.nan)
    return phase.whole(what, body or phase.system.model.roots[0])


def _unit(system: System, what: str) -> str:
    """Return the unit of a channel: those of the vehicle, SI where it does not say any."""
    mass, length = system.units.get("mass", "kg"), system.units.get("length", "m")
    return {"mass": mass, "com": length, "inertia": f"{mass}*{length}^2"}[what]
