"""One vehicle alone in flight, by dense equations: M(t) u̇ + b = Q with constant shapes and changing mass.

There is no term of Ṁ: what leaves has the velocity of the place that it leaves, and takes its momentum along. Thrust
is an external load. With `path`, propellant flows through the structure to its exit: each segment of mass flow g
pushes both of its ends by -g (v_b - v_a), which sums to the Coriolis force -2 g ω x Δr and to jet damping. Integrals
are taken once a step, at its middle, and the method is RK4.

This is the second opinion for vehicles in the multibody engine, and the tool for studies of shapes.

Motion of one burning vehicle: its state, and the log of a flight.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import h5py
import numpy as np
from numpy.typing import ArrayLike

from interstage._renamed import former_names
from interstage.calls import named_arguments
from interstage.component.integrals import ModalIntegrals
from interstage.errors import (
    FidelityWarning,
    InputError,
    SolverError,
    caller_level,
    did_you_mean,
    percent,
    shown,
)
from interstage.hdf5 import link_name, opened, plain_name, put_array, put_text, write_hdf5
from interstage.multibody.fidelity import LOAD_MATTERS, WINDOWS, WITHOUT, load_share
from interstage.spatial.checks import as_array
from interstage.spatial.functions import matrix_from_quaternion
from interstage.staged_vehicle.geometric_stiffness import LoadPlaces, load_stiffness, unknown_stresses
from interstage.staged_vehicle.integrals import Partition, Ratio, damping_matrix
from interstage.staged_vehicle.kernels import flow_momentum, fly_steps, momentum
from interstage.staged_vehicle.reduced_basis import Propellant, ReducedBasis
from interstage.staged_vehicle.to_component import reference_component
from interstage.units import quantity

History: TypeAlias = float | Callable[[float], float] | ArrayLike
"""A constant, a function of time, or a table (k, 2) of times and values, linear between; a time twice is a jump."""
Place: TypeAlias = tuple[str, int]

KINDS = {"force": 0, "follower": 1, "torque": 2, "follower torque": 3}
EDGE = 1e-9  # of a step: how far inside it its ends are sampled, so that jumps on the grid are met from the right side
REFRESH = 0.01  # of a tank's propellant: damping is made anew so often, and ramped between


@dataclass(frozen=True)
class NodalLoad:
    """A load at a node.

    at : (stage, node);  axis : (3,) direction;  size : its history
    kind : "force" or "torque" in world axes; "follower" or "follower torque", whose axis turns with the node
    """

    at: Place
    axis: ArrayLike
    size: History
    kind: str = "force"


@named_arguments
def simulate_free_flight(
    shapes: ReducedBasis,
    *,
    until: float | str,
    step: float | str,
    loads: Sequence[NodalLoad] = (),
    flow: Mapping[str, History] | None = None,
    propellant: Propellant | None = None,
    path: Mapping[str, Sequence[Place]] | None = None,
    damping: Ratio = 0.0,
    order: int = 2,
    geometric_stiffness: bool | None = None,
    gravity: ArrayLike | None = None,
    start: FreeFlightState | None = None,
    position: ArrayLike = (0.0, 0.0, 0.0),
    quaternion: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    velocity: ArrayLike = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    eta: ArrayLike | None = None,
    etadot: ArrayLike | None = None,
    every: int = 1,
) -> BurnLog:
    """Fly one vehicle alone from time 0.

    Parameters
    ----------
    shapes : of the vehicle, for this phase
    until, step : s, or a text as "2 ms"; jumps of loads and flows belong on the grid of steps
    loads : at nodes
    flow : {tank: mass flow out of it}; a tank that is empty (at its lowest level) gives nothing
    propellant : {tank: mass} at the start, or a part of all (default: full)
    path : {tank: [places from the tank to the exit]} along which its propellant flows, each segment carrying what is
        lost upstream of it; without a path internal flow is left out
    damping : ratio of every mode at the current mass, a number or a function of its frequency in Hz
    order : 2, or 0 for constant inertia J and F, which keeps first = first0 + E η
    geometric_stiffness : let spin and the loads change the stiffness, balanced by the inertia of the mass of now (None:
        where all stages know their stresses; else loads that matter are warned of)
    gravity : (3,) world axes (default: that of the vehicle)
    position (3,), quaternion (4,), velocity (6,) : of the body frame at the start; velocity [w; v] in its axes
    eta (n,), etadot (n,) : at the start
    start : all of these and the propellant, as a log or a staging gives them
    every : steps between rows of the log
    """
    if start is not None:
        position, quaternion, velocity = start.position, start.quaternion, start.velocity
        eta, etadot, propellant = start.eta, start.etadot, start.propellant
    n, stack = len(shapes), shapes.stack
    if order not in (0, 2):
        raise InputError("the order of a flight is not usable", expected="0 or 2", got=shown(order))
    until, step = quantity(until, "s", "until"), quantity(step, "s", "step")
    steps = _steps(until, step, every)
    given = stack.propellant(propellant)
    flow = dict(flow or {})
    for name in [*flow, *(path or {})]:
        if name not in stack.tanks:
            raise InputError(f"there is no tank '{name}'", where="flow", hint=did_you_mean(name, stack.tanks))
    for name in flow:
        if len(stack.tanks[name].masses) == 1:
            raise InputError(
                "a tank of one level cannot burn",
                where=f"flow of '{name}'",
                hint="add a level, as {0: 0 * M} for the empty tank",
            )
    burning = tuple(name for name in stack.tanks if name in flow)
    partition = shapes.partition.settled(burning, given)
    edges, middle, taken = _burnt(shapes, burning, given, flow, steps, step)
    site = _sites(shapes, loads, path or {}, burning)
    sizes = np.array([_sampled(load.size, steps, step, f"load at {load.at}") for load in loads])
    sizes = np.ascontiguousarray(sizes.reshape(len(loads), steps, 3).transpose(1, 2, 0))
    x = np.concatenate(
        [
            as_array(position, (3,), "position"),
            as_array(quaternion, (4,), "quaternion"),
            np.zeros(n) if eta is None else as_array(eta, (n,), "eta"),
            as_array(velocity, (6,), "velocity"),
            np.zeros(n) if etadot is None else as_array(etadot, (n,), "etadot"),
        ]
    )
    rows = -(-steps // every) + 1
    log, left = np.zeros((rows, len(x))), np.zeros(7)
    flows = taken @ site.share.T if len(burning) else np.zeros((steps, len(site.segment)))
    try:
        done = fly_steps(
            n,
            order,
            step,
            (partition.base, partition.first, partition.level_mass, partition.level_values),
            _damping(partition, middle, damping),
            _stiffness(shapes, partition, given, middle, site, loads, sizes, geometric_stiffness),
            shapes.gravity if gravity is None else as_array(gravity, (3,), "gravity"),
            site.nodes,
            (site.load, *_load_arrays(loads)),
            site.segment,
            (edges, middle, sizes, flows),
            every,
            x,
            log,
            left,
        )
    except np.linalg.LinAlgError:  # of numbers that are no longer finite
        done = every * max(int(np.count_nonzero(log.any(axis=1))) - 1, 0)
    if done < steps:
        raise SolverError(
            "the flight has grown without bounds",
            where=f"t = {done * step:g} s",
            hint=f"take steps shorter than {step:g} s, or fewer fast shapes",
        )
    at = np.minimum(np.arange(rows) * every, steps)
    masses = {name: np.full(rows, given[name]) for name in stack.tanks}
    masses |= {name: edges[at, k] for k, name in enumerate(burning)}
    p, q, e, u, d = np.split(log, [3, 7, 7 + n, 13 + n], axis=1)
    flowing = np.zeros((rows, 6))
    if steps and len(site.segment):
        for row, now in enumerate(flows[np.minimum(at, steps - 1)]):
            flow_momentum(n, *site.nodes[:2], site.segment, now, log[row], flowing[row])
    return BurnLog(shapes, order, at * step, p, q, e, u, d, masses, flowing, left)


@dataclass(frozen=True, eq=False)
class _Sites:
    """Nodes that are pushed: their l, γ, λ; load (L,) and segment (s, 2) by number of node; share (s, T) of flows."""

    nodes: tuple[np.ndarray, np.ndarray, np.ndarray]
    load: np.ndarray
    segment: np.ndarray
    share: np.ndarray


def _sites(
    shapes: ReducedBasis,
    loads: Sequence[NodalLoad],
    path: Mapping[str, Sequence[Place]],
    burning: Sequence[str],
) -> _Sites:
    known: dict[int, int] = {}

    def number(place: Place) -> int:
        return known.setdefault(shapes.row(*place), len(known))

    at = np.array([number(load.at) for load in loads], dtype=np.int64)
    segments, shares = [], []
    for name, places in path.items():
        if len(places) < 2:
            raise short_path(f"path of '{name}'", places)
        passing = upstream(shapes, name, [shapes.row(*place) for place in places])
        for a, b, share in zip(places, list(places)[1:], passing):
            segments.append((number(a), number(b)))
            shares.append([share * (tank == name) for tank in burning])
    rows = np.array(list(known), dtype=np.int64)
    Phi = shapes.nodes.reshape(-1, 6, len(shapes))[rows]
    gamma, lam = (np.ascontiguousarray(Phi[:, part]) for part in (slice(0, 3), slice(3, 6)))
    return _Sites(
        (shapes.stack.positions[rows].reshape(-1, 3), gamma, lam),
        at,
        np.array(segments, dtype=np.int64).reshape(-1, 2),
        np.array(shares).reshape(len(segments), len(burning)),
    )


def short_path(where: str, places: Sequence[Place]) -> InputError:
    """Return the error of a path that leads nowhere."""
    return InputError(
        "a path leads from a tank to its exit",
        where=where,
        expected="two places or more",
        got=shown(list(places)),
    )


def upstream(shapes: ReducedBasis, tank: str, path: list[int]) -> np.ndarray:
    """Return the part (s,) of a tank's flow that passes each segment of a path: all that is lost upstream of it.

    Each node of the tank feeds the place of the path that is nearest, by its share of the mass between full and empty.
    """
    levels, positions = shapes.stack.tanks[tank], shapes.stack.positions
    mass = np.zeros(6 * len(positions))
    move = levels.rows % 6 < 3
    mass[levels.rows] = (levels.M[-1] - levels.M[0]) @ move.astype(float) * move
    share = mass.reshape(-1, 6)[:, :3].sum(axis=1)
    nearest = np.linalg.norm(positions[:, None] - positions[path], axis=2).argmin(axis=1)
    fed = np.bincount(nearest, weights=share / share.sum(), minlength=len(path))
    return np.cumsum(fed)[:-1]


def _load_arrays(loads: Sequence[NodalLoad]) -> tuple[np.ndarray, np.ndarray]:
    for load in loads:
        if load.kind not in KINDS:
            raise InputError(
                "the kind of a load is not known", expected=", ".join(KINDS), got=shown(load.kind)
            )
    kinds = np.array([KINDS[load.kind] for load in loads], dtype=np.int64)
    axes = [as_array(load.axis, (3,), f"load at {load.at}, axis") for load in loads]
    return kinds, np.array(axes).reshape(-1, 3)


def _steps(until: float, step: float, every: int) -> int:
    if not 0.0 < step < np.inf or not 0.0 <= until < np.inf or every < 1:
        raise InputError("until, step and every are not usable", got=f"{until}, {step}, {every}")
    steps = round(until / step)
    if abs(steps * step - until) > 1e-6 * step:
        raise InputError(
            "the time is not a whole number of steps", expected=f"a multiple of {step:g}", got=f"{until:g}"
        )
    return steps


def _sampled(history: History, steps: int, step: float, where: str) -> np.ndarray:
    """Return values (steps, 3) at the start, middle and end of each step, inside it."""
    t = step * (np.arange(steps)[:, None] + np.array([EDGE, 0.5, 1.0 - EDGE]))
    if callable(history):
        found = np.array([float(history(float(one))) for one in t.ravel()]).reshape(t.shape)
    elif np.ndim(history) == 0:
        found = np.full(t.shape, float(history))  # type: ignore[arg-type]
    else:
        table = np.asarray(history, dtype=float)
        if table.ndim != 2 or table.shape[1] != 2 or np.any(np.diff(table[:, 0]) < 0.0):
            raise InputError(
                "a history is not usable",
                where=where,
                expected="a number, a function of time, or rows of times (never falling) and values",
                got=shown(history),
            )
        found = np.interp(t, table[:, 0], table[:, 1])
    if not np.all(np.isfinite(found)):
        raise InputError("a history is not finite", where=where)
    return found


def _burnt(
    shapes: ReducedBasis,
    burning: tuple[str, ...],
    start: Mapping[str, float],
    flow: Mapping[str, History],
    steps: int,
    step: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return masses (steps + 1, T) at the ends of steps, (steps, T) at their middles, and the mean flows (steps, T)."""
    edges, middle = np.zeros((steps + 1, len(burning))), np.zeros((steps, len(burning)))
    for k, name in enumerate(burning):
        f = _sampled(flow[name], steps, step, f"flow of '{name}'")
        if np.any(f < 0.0):
            raise InputError(
                "a flow is negative", where=f"flow of '{name}'", expected="0 or more, out of the tank"
            )
        low = float(shapes.stack.tanks[name].masses[0])
        edges[:, k] = start[name] - np.concatenate([[0.0], np.cumsum(step / 6.0 * (f @ [1.0, 4.0, 1.0]))])
        middle[:, k] = edges[:-1, k] - step / 24.0 * (f @ [5.0, 8.0, -1.0])
        edges[:, k], middle[:, k] = np.maximum(edges[:, k], low), np.maximum(middle[:, k], low)
    return edges, middle, -np.diff(edges, axis=0) / step


def _damping(
    partition: Partition, middle: np.ndarray, ratio: Ratio
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return matrices C (k, n, n) over the burn, the first for each step and the weight of the next."""
    steps, n = len(middle), partition.n
    if not steps or (not callable(ratio) and ratio == 0.0):
        return np.zeros((1, n, n)), np.zeros(steps, dtype=np.int64), np.zeros(steps)
    masses, k, weight = _knots(partition, middle)
    found = [damping_matrix(ModalIntegrals.unpack(partition.packed(one), n), ratio) for one in masses]
    return np.array(found), k, weight


def _stiffness(
    shapes: ReducedBasis,
    partition: Partition,
    start: Mapping[str, float],
    middle: np.ndarray,
    site: _Sites,
    loads: Sequence[NodalLoad],
    sizes: np.ndarray,
    wanted: bool | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return site and part of loads, what these make of the stiffness (k, loads, n, n), and steps as in `_damping`."""
    steps, n = len(middle), partition.n
    if wanted is None:
        wanted = unknown_stresses(shapes.stack) is None
        if not wanted:
            _warn_of_loads(shapes, loads, sizes)
    if not wanted or not steps:
        none = np.zeros(0, dtype=np.int64)
        return none, none, np.zeros((1, 0, n, n)), np.zeros(steps, dtype=np.int64), np.zeros(steps)
    own = load_stiffness(shapes, LoadPlaces(tuple(dict.fromkeys(load.at for load in loads))))
    at = {load.at: int(number) for load, number in zip(loads, site.load)}
    masses, k, weight = _knots(partition, middle)
    found = []
    for one in masses:
        fill = {**start, **dict(zip(partition.tanks, one.tolist()))}
        K = own.at(shapes.partition.weights(fill), shapes.integrals(fill))[:, :n, :n]
        found.append(0.5 * (K + K.transpose(0, 2, 1)))
    sites = np.array([-1 if place is None else at[place] for place in own.places], dtype=np.int64)
    return sites, (own.load - 1).astype(np.int64), np.array(found), k, weight


def _warn_of_loads(shapes: ReducedBasis, loads: Sequence[NodalLoad], sizes: np.ndarray) -> None:
    """Warn of forces (steps, 3, loads) that would change the stiffness if stresses were known.

    Forces are means over parts of the flight, as of those of runs: a pulse does not count.
    """
    axes = np.array([np.asarray(load.axis, dtype=float) * ("torque" not in load.kind) for load in loads])
    parts = np.array_split(sizes, min(WINDOWS, len(sizes)))
    forces = np.array([one.mean(axis=(0, 1)) @ axes.reshape(-1, 3) for one in parts])
    force = forces[np.linalg.norm(forces, axis=1).argmax()]
    size = float(np.linalg.norm(force))
    if size == 0.0:
        return
    share, hz = load_share(reference_component(shapes, "vehicle"), size, force / size)
    if share > LOAD_MATTERS:
        stages = ", ".join(name for name, known in shapes.stack.stressed.items() if known is None)
        warnings.warn(
            f"the vehicle carries {size:.4g} of force {WITHOUT}: its mode of {hz:.4g} Hz is too stiff by about "
            f"{percent(share)}; make its stages from decks ({stages or 'and its tanks of mass alone'})",
            FidelityWarning,
            stacklevel=caller_level(),
        )


def _knots(partition: Partition, middle: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return masses (k, T) over the burn, a percent of a tank apart; of each step the first, and weight of the next."""
    steps = len(middle)
    span = np.array([np.ptp(partition.level_mass[a:b]) for a, b in zip(partition.first, partition.first[1:])])
    burnt = (
        np.abs(middle - middle[:1]) / np.where(span > 0.0, span, 1.0) if middle.size else np.zeros((steps, 1))
    )
    along = burnt.max(axis=1)  # part that the tank which is ahead has burnt
    if along[-1] <= 0.0:
        return middle[:1], np.zeros(steps, dtype=np.int64), np.zeros(steps)
    knots = np.linspace(0.0, along[-1], max(2, int(np.ceil(along[-1] / REFRESH)) + 1))
    at = np.minimum(np.searchsorted(along, knots), steps - 1)
    k = np.clip(np.searchsorted(knots, along, side="right") - 1, 0, len(knots) - 2)
    weight = np.clip((along - knots[k]) / np.diff(knots)[k], 0.0, 1.0)
    return middle[at], k.astype(np.int64), weight


FORMAT = "interstage burning flight 1"


@dataclass(frozen=True, eq=False)
class FreeFlightState:
    """Motion of one flexible vehicle: position (3,) and quaternion (4,) of its frame, velocity (6,) [w; v] in its axes.

    eta, etadot : (n,);  propellant : {tank: mass}
    """

    position: np.ndarray
    quaternion: np.ndarray
    velocity: np.ndarray
    eta: np.ndarray
    etadot: np.ndarray
    propellant: dict[str, float]


@named_arguments
@dataclass(frozen=True, eq=False, repr=False)
class BurnLog:
    """A flight: t (N,), position (N, 3), quaternion (N, 4), eta (N, n), velocity (N, 6) [w; v] in body axes, etadot.

    propellant : {tank: (N,)}
    flowing : (N, 6) momentum [h; l] about the world's origin that propellant on its path has relative to the structure
    left_behind : (7,) momentum [h; l] about the world's origin and kinetic energy that departed mass has taken along:
        with the velocity of the exit where it flows along a path, of the place where it was otherwise
    """

    shapes: ReducedBasis
    order: int
    t: np.ndarray
    position: np.ndarray
    quaternion: np.ndarray
    eta: np.ndarray
    velocity: np.ndarray
    etadot: np.ndarray
    propellant: dict[str, np.ndarray]
    flowing: np.ndarray
    left_behind: np.ndarray

    def state(self, row: int = -1) -> FreeFlightState:
        """Return the state at a row (default: the end)."""
        return FreeFlightState(
            self.position[row],
            self.quaternion[row],
            self.velocity[row],
            self.eta[row],
            self.etadot[row],
            {name: float(masses[row]) for name, masses in self.propellant.items()},
        )

    def rate(self, stage: str, node: int) -> np.ndarray:
        """Return the angular velocity (N, 3) of a node, body axes: w + λ η̇ (small rotations)."""
        row = self.shapes.row(stage, node)
        return self.velocity[:, :3] + self.etadot @ self.shapes.nodes[6 * row + 3 : 6 * row + 6].T

    def deflection(self, stage: str, node: int) -> np.ndarray:
        """Return the displacement (N, 3) of a node less the rigid motion that fits all nodes best, body axes."""
        row = self.shapes.row(stage, node)
        return self.eta @ self.shapes.elastic()[6 * row : 6 * row + 3].T

    def node_position(self, stage: str, node: int) -> np.ndarray:
        """Return the position (N, 3) of a node, world axes."""
        return self.position + self._turned(self._local(stage, node))

    def node_velocity(self, stage: str, node: int) -> np.ndarray:
        """Return the velocity (N, 3) of a node, world axes."""
        row = self.shapes.row(stage, node)
        relative = self.etadot @ self.shapes.nodes[6 * row : 6 * row + 3].T
        turning = np.cross(self.velocity[:, :3], self._local(stage, node))
        return self._turned(self.velocity[:, 3:] + turning + relative)

    def momentum(self, row: int = -1) -> np.ndarray:
        """Return [h; l] about the world's origin at a row, what flows included, and the kinetic energy (7,).

        World axes. The energy is that of the structure and of propellant that moves with it.
        """
        n = len(self.shapes)
        u = np.concatenate([self.velocity[row], self.etadot[row]])
        fill = {name: float(masses[row]) for name, masses in self.propellant.items()}
        p = self.shapes.partition.at(fill).pack()
        out, work = np.empty(6 + n), (np.empty((3, 3, n)), np.empty((3, 3, n)))
        energy = momentum(
            n, self.order, p, self.eta[row], u, *work, np.empty((6 + n, 6 + n)), np.empty(6 + n), out
        )
        R = matrix_from_quaternion(self.quaternion[row])
        l = R @ out[3:6]
        rigid = np.concatenate([R @ out[:3] + np.cross(self.position[row], l), l])
        return np.concatenate([rigid + self.flowing[row], [energy]])

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the flight to an HDF5 file; `BurnLog.load` reads it with the shapes it was flown with."""

        def fill(f: h5py.File) -> None:
            put_text(f, "format", FORMAT)
            put_array(f, "order", self.order)
            for name in _COLUMNS:
                put_array(f, name, getattr(self, name))
            put_array(f, "left_behind", self.left_behind)
            tanks = f.create_group("propellant")
            for name, masses in self.propellant.items():
                put_array(tanks, link_name(name), masses)

        return write_hdf5(path, fill, "flight of a burning vehicle")

    @classmethod
    def load(cls, path: str | os.PathLike[str], shapes: ReducedBasis) -> BurnLog:
        """Read a flight that `save` has written, flown with these shapes."""
        with opened(path, "flight of a burning vehicle") as f:
            if f.text("format") != FORMAT:
                raise InputError("this is the file of something else", expected=FORMAT, got=f.text("format"))
            t = f.array("t", (None,))
            n, rows = len(shapes), len(t)
            columns = {name: f.array(name, (rows, *size(n))) for name, size in _COLUMNS.items()}
            tanks = f.child("propellant")
            found = {plain_name(link): tanks.array(link, (rows,)) for link in tanks.names()}
            if set(found) != set(shapes.stack.tanks):
                raise InputError(
                    "the flight is of other tanks",
                    expected=", ".join(shapes.stack.tanks),
                    got=", ".join(found),
                )
            masses = {name: found[name] for name in shapes.stack.tanks}
            left = f.array("left_behind", (7,))
            return cls(shapes, f.integer("order"), propellant=masses, left_behind=left, **columns)

    def _local(self, stage: str, node: int) -> np.ndarray:
        row = self.shapes.row(stage, node)
        return self.shapes.stack.positions[row] + self.eta @ self.shapes.nodes[6 * row : 6 * row + 3].T

    def _turned(self, vectors: np.ndarray) -> np.ndarray:
        turned = [matrix_from_quaternion(q) @ r for q, r in zip(self.quaternion, vectors)]
        return np.array(turned).reshape(-1, 3)

    def __repr__(self) -> str:
        burnt = "".join(
            f", {name} {masses[0]:g} to {masses[-1]:g}"
            for name, masses in self.propellant.items()
            if masses[0] != masses[-1]
        )
        return f"<BurnLog: {len(self.t)} rows to {self.t[-1]:g} s, {len(self.shapes)} shapes{burnt}>"


_COLUMNS = {
    "t": lambda n: (),
    "position": lambda n: (3,),
    "quaternion": lambda n: (4,),
    "eta": lambda n: (n,),
    "velocity": lambda n: (6,),
    "etadot": lambda n: (n,),
    "flowing": lambda n: (6,),
}

__getattr__ = former_names(__name__)
