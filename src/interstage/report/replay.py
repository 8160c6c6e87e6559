"""A flight in 3-D: where every body was, how it was turned and bent, as the page's script replays it.

A point l of a body with displacement shapes γ is drawn at p(t) + R(t) (l + g γ η(t)), with p and R of the body's frame
and a gain g on what bends; what hangs on a structure goes with the place where it hangs (`hanging`). A body whose
nodes or modes are others after a staging has a look for each stretch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from interstage.errors import InputError, known_names
from interstage.fem import FEModel
from interstage.multibody import State, System
from interstage.multibody.types import Node
from interstage.report.figures import pack
from interstage.report.meshes import BodyMesh, look_of
from interstage.report.scene import FULL, ElementPart, Spot, drawn_pose, hung_on, packed_part, spot_of
from interstage.report.stresses import stress_rows
from interstage.simulation import Log
from interstage.spatial import Rotation

Looks = dict[
    str, BodyMesh | Callable[[System], BodyMesh]
]  # of bodies; a function where it depends on the vehicle

MOST_TIMES, MOST_SHAPES = 600, 24
CHANGES = 100  # rows more, of those that follow a change: what leaves is seen to leave
MOST_NUMBERS, MOST_COLOURS = 2_000_000, 1_000_000  # of shapes, and of colours of a body
LEAST = 1e-5  # shapes that move no point by more than this part of the largest displacement are left out
BEND = 0.05  # of the size of the vehicle: what the largest displacement is drawn as
STRESS = "stress"
PRESSURES = {("kg", "m", "s"): "Pa", ("t", "mm", "s"): "MPa"}


@dataclass(frozen=True)
class Stretch:
    """A part of a log with one system: t (m,), q (m, nq), v (m, nv)."""

    system: System
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray

    def states(self) -> list[State]:
        """Return the states of all rows."""
        return [self.system.state(q, v) for q, v in zip(self.q, self.v)]


def stretches_of(log: Log) -> list[Stretch]:
    """Return the stretches of a log, one for each of its phases."""
    return [Stretch(phase.system, phase.t, phase.q, phase.v) for phase in log.phases]


@dataclass(frozen=True)
class Arrow:
    """A vector (m, 3) at times t (m,) that is drawn at a place of a body, in the axes of that place or of the world.

    kind : those of one kind have one colour and one scale;  head : the arrow ends at the place, as forces do
    """

    name: str
    body: str
    node: Node
    t: np.ndarray
    values: np.ndarray
    frame: str = "node"
    kind: str = ""
    unit: str = ""
    head: bool = False


@dataclass
class Drawn:
    """A body with one look: points (N, 3) in its axes, parts on them, poses (T, 7), NaN while it is not there.

    shapes (N, 3, K), eta (T, K) : how points move;  hung : number of the body that carries it, and where
    stress (T', N) : at every `every`-th time
    """

    name: str
    points: np.ndarray
    parts: list[ElementPart]
    poses: np.ndarray
    shapes: np.ndarray
    eta: np.ndarray
    hung: list[tuple[int, Spot]] = field(default_factory=list)
    stress: np.ndarray | None = None
    every: int = 1

    def there(self, k: int) -> bool:
        """Whether the body is there at the k-th time."""
        return bool(np.isfinite(self.poses[k, 0]))

    def frame(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return R and position at the k-th time."""
        return Rotation.from_quaternion(self.poses[k, 3:]).matrix, self.poses[k, :3]

    def reach(self) -> float:
        """Return the largest displacement of a point."""
        most = np.abs(self.eta).max(axis=0, initial=0.0)
        if not len(most):
            return 0.0
        rows = self.eta[np.unique(np.argmax(np.abs(self.eta), axis=0))]
        return float(np.linalg.norm(np.einsum("nik,tk->tni", self.shapes, rows), axis=2).max())

    def figure(self, largest: float, unit: str) -> dict[str, Any]:
        """Return the numbers for the page; largest : stress that has the last colour, and its unit."""
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        out: dict[str, Any] = {
            "name": self.name,
            "points": pack(self.points, "f4"),
            "middle": (0.5 * (low + high)).tolist(),
            "radius": 0.5 * float(np.linalg.norm(high - low)) or 1.0,
            "parts": [packed_part(part) for part in self.parts],
            "hung": [_spot(number, spot) for number, spot in self.hung],
            **self.rows(0),
        }
        if self.shapes.shape[2]:
            scales = np.maximum(np.abs(self.shapes).max(axis=(0, 1)), 1e-300) / FULL
            out["shapes"] = pack(np.round(self.shapes / scales).transpose(2, 0, 1), "i2")
            out["scales"] = scales.tolist()
        if self.stress is not None and largest > 0.0:
            rows = np.round(255.0 * np.clip(self.stress / largest, 0.0, 1.0))
            colour = {"name": STRESS, "unit": unit, "largest": largest, "every": self.every}
            out["colours"] = [colour | {"rows": pack(rows, "u1")}]
        return out

    def rows(self, first: int) -> dict[str, Any]:
        """Return what changes with time, from a row on."""
        out = {"poses": pack(self.poses[first:], "f8")}
        return out | ({"eta": pack(self.eta[first:], "f4")} if self.eta.shape[1] else {})


def _spot(number: int, spot: Spot) -> dict[str, Any]:
    return {
        "body": number,
        "place": spot.place.tolist(),
        "move": spot.move.ravel().tolist(),
        "turn": spot.turn.ravel().tolist(),
    }


@dataclass
class Vectors:
    """An arrow at the times of a replay: vectors (T, 3) in the world, and its place on each look of its body."""

    arrow: Arrow
    vectors: np.ndarray
    at: list[tuple[int, Spot]]

    def longest(self) -> float:
        """Return the length of the longest."""
        return float(np.nan_to_num(np.linalg.norm(self.vectors, axis=1)).max(initial=0.0))


@dataclass
class Replay:
    """Times (T,), bodies and arrows of a flight.

    up (3,) : away from the ground, world axes;  ground (3,) : a point of it under the start, None where there is none
    events : times, and words on what happened then
    unit : of stresses;  turning : centre and angular velocity of the world that it is seen from
    """

    t: np.ndarray
    bodies: list[Drawn]
    arrows: list[Vectors] = field(default_factory=list)
    up: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    ground: np.ndarray | None = None
    events: list[tuple[float, str]] = field(default_factory=list)
    unit: str = ""
    turning: tuple[np.ndarray, np.ndarray] | None = None

    def size(self) -> float:
        """Return the radius of what is drawn about the first body, at the first time."""
        points = self.world(0)
        low, high = points[0].min(axis=0), points[0].max(axis=0)
        around = np.linalg.norm(np.concatenate(points) - 0.5 * (low + high), axis=1)
        return max(float(around.max()), 1e-6)

    def world(self, k: int, gain: float = 1.0) -> list[np.ndarray]:
        """Return the points (N, 3) of every body that is there at the k-th time, in the world."""
        frames = self.frames(k, gain)
        return [
            p + (body.points + gain * (body.shapes @ body.eta[k])) @ R.T
            for body, frame in zip(self.bodies, frames)
            if frame is not None
            for R, p in [frame]
        ]

    def frames(self, k: int, gain: float = 1.0) -> list[tuple[np.ndarray, np.ndarray] | None]:
        """Return R and position of the frame of every body as it is drawn, None while it is not there."""
        drawn: list[tuple[np.ndarray, np.ndarray] | None] = []
        for body in self.bodies:
            frame = body.frame(k) if body.there(k) else None
            for number, spot in body.hung if frame is not None and gain != 1.0 else ():
                parent, seen = self.bodies[number], drawn[number]
                if frame is not None and seen is not None:
                    frame = drawn_pose(frame, spot, parent.eta[k], parent.frame(k), seen, gain)
                    break
            drawn.append(frame)
        return drawn

    def turned_back(self, center: np.ndarray, rate: np.ndarray, first: int = 0) -> None:
        """Show all as from a world that turns with an angular velocity (3,) about a centre, from a row on."""
        self.turning = center, rate
        turn = np.outer(self.t - self.t[0], -rate)
        back = np.array([Rotation.from_rotation_vector(theta).matrix for theta in turn[first:]])
        for body in self.bodies:
            for k in first + np.flatnonzero(np.isfinite(body.poses[first:, 0])):
                R, p = body.frame(int(k))
                body.poses[k, :3] = center + back[k - first] @ (p - center)
                body.poses[k, 3:] = Rotation(back[k - first] @ R).quaternion
        for one in self.arrows:
            one.vectors[first:] = np.einsum("tij,tj->ti", back, one.vectors[first:])

    def figure(self) -> dict[str, Any]:
        """Return the numbers for the page."""
        stress = [float(body.stress.max()) for body in self.bodies if body.stress is not None]
        return {
            "kind": "replay",
            "t": pack(self.t, "f8"),
            "size": self.size(),
            **self.bending(),
            "up": self.up.tolist(),
            **({} if self.ground is None else {"ground": self.ground.tolist()}),
            "bodies": [body.figure(max(stress, default=0.0), self.unit) for body in self.bodies],
            "arrows": self._arrows(),
            "events": [{"t": t, "words": words} for t, words in self.events],
        }

    def bending(self) -> dict[str, float]:
        """Return the largest displacement, and how many times as large as it is bending is drawn at first."""
        most = max((body.reach() for body in self.bodies), default=0.0)
        gain = float(f"{BEND * self.size() / most:.2g}") if most > 0.0 else 1.0
        flexible = any(body.shapes.shape[2] for body in self.bodies)
        return {"most": most, "gain": max(1.0, gain) if flexible else 0.0}

    def _arrows(self) -> list[dict[str, Any]]:
        most: dict[str, float] = {}
        for one in self.arrows:
            most[one.arrow.kind] = max(most.get(one.arrow.kind, 0.0), one.longest())
        return [
            {
                "name": one.arrow.name,
                "kind": one.arrow.kind or one.arrow.name,
                "unit": one.arrow.unit,
                "head": one.arrow.head,
                "most": most[one.arrow.kind] or 1.0,
                "at": [_spot(number, spot) for number, spot in one.at],
                "vectors": pack(one.vectors, "f4"),
            }
            for one in self.arrows
        ]

    def rows(self, first: int) -> dict[str, Any]:
        """Return what has come since a row, as the page takes it."""
        return {
            "t": pack(self.t[first:], "f8"),
            **self.bending(),
            "bodies": [body.rows(first) for body in self.bodies],
            "arrows": [{"vectors": pack(one.vectors[first:], "f4")} for one in self.arrows],
        }


def replay_of(
    stretches: Sequence[Stretch],
    models: Sequence[FEModel] = (),
    arrows: Sequence[Arrow] = (),
    *,
    looks: Mapping[str, BodyMesh | Callable[[System], BodyMesh]] | None = None,
) -> Replay:
    """Return the replay of a flight: times are thinned, less so after a change of the vehicle; what leaves is gone.

    models : of decks, drawn for the flexible bodies that have their grids, with colours of their stresses
    looks : of bodies, in place of boxes and tubes; of one that is another after a staging, a function of the vehicle
    """
    rows = sum(len(one.t) for one in stretches)
    if rows < 2 or not any(one.system.bodies for one in stretches):
        raise InputError("there is nothing to replay", expected="a vehicle at two times or more")
    having = [one for one in stretches if len(one.t)]
    near = CHANGES // max(1, len(having) - 1)
    thin = [
        _thinned(one, max(2, round(MOST_TIMES * len(one.t) / rows)), near if k else 0)
        for k, one in enumerate(having)
    ]
    return ReplayMaker(thin, models, arrows, given=looks).replay


def _replay(thin: Sequence[Stretch], bodies: list[Drawn]) -> Replay:
    replay = Replay(np.concatenate([one.t for one in thin]), bodies)
    units = thin[0].system.model.units
    replay.unit = PRESSURES.get(tuple(units.get(what, "") for what in ("mass", "length", "time")), "")
    pull = np.asarray(thin[0].system.model.gravity, dtype=float)
    if pull.any():
        replay.up = -pull / np.linalg.norm(pull)
    return replay


def _thinned(one: Stretch, most: int, begin: int = 0) -> Stretch:
    """Return a stretch with no more rows than that, first and last kept, and all of those with which it begins."""
    even = np.linspace(0, len(one.t) - 1, min(most, len(one.t))).round().astype(int)
    keep = np.union1d(even, np.arange(min(begin, len(one.t))))
    return Stretch(one.system, one.t[keep], one.q[keep], one.v[keep])


class ReplayMaker:
    """Makes a replay of stretches, and goes on with a run; `looks` numbers looks by body and stretch."""

    def __init__(
        self,
        thin: Sequence[Stretch],
        models: Sequence[FEModel] = (),
        arrows: Sequence[Arrow] = (),
        *,
        given: Mapping[str, BodyMesh | Callable[[System], BodyMesh]] | None = None,
        stress: bool = True,
        every_mode: bool = False,
    ):
        """Make it; every_mode : keep the lowest modes whether they move or not, for a run that goes on."""
        self.given = given or {}
        self.thin, self.states, self.models = thin, [one.states() for one in thin], models
        self.stress, self.every_mode = stress, every_mode
        self.bodies: list[Drawn] = []
        self.modes: list[np.ndarray] = []  # of each look, those that are kept
        self.looks: dict[tuple[str, int], int] = {}
        for name in dict.fromkeys(name for one in thin for name in one.system.bodies):
            for having in self._alike(name):
                for s in having:
                    self.looks[name, s] = len(self.bodies)
                self._add(name, having)
        for (name, s), number in self.looks.items():
            self._hang(name, s, self.bodies[number])
        self.replay = _replay(thin, self.bodies)
        self.replay.arrows = [self._vectors(one) for one in arrows]

    def extend(self, new: Stretch, arrows: Sequence[Arrow]) -> None:
        """Go on with rows of the last stretch; arrows are those of before, with values of then."""
        s, first = len(self.thin) - 1, len(self.replay.t)
        xs = new.states()
        for number, body in enumerate(self.bodies):
            here = self.looks.get((body.name, s)) == number
            eta = (
                np.array([x[body.name].eta for x in xs])[:, self.modes[number]]
                if here and body.eta.shape[1]
                else np.zeros((len(xs), body.eta.shape[1]))
            )
            body.poses = np.concatenate([body.poses, _poses(new.system, xs, body.name if here else None)])
            body.eta = np.concatenate([body.eta, eta])
        for one, arrow in zip(self.replay.arrows, arrows):
            one.vectors = np.concatenate([one.vectors, self._world(arrow, s, new, xs, one.at)])
        self.replay.t = np.concatenate([self.replay.t, new.t])
        if self.replay.turning is not None:
            self.replay.turned_back(*self.replay.turning, first=first)

    def _alike(self, name: str) -> list[list[int]]:
        """Return numbers of stretches in which a body has the same nodes and modes, look by look."""
        groups: list[list[int]] = []
        for s, one in enumerate(self.thin):
            if name not in one.system.bodies:
                continue
            flex = one.system.flexible(name)
            for group in groups:
                other = self.thin[group[0]].system.flexible(name)
                if (flex is None) == (other is None) and (
                    flex is None
                    or other is None
                    or (np.array_equal(flex.l, other.l) and np.array_equal(flex.gamma, other.gamma))
                ):
                    group.append(s)
                    break
            else:
                groups.append([s])
        return groups

    def _add(self, name: str, having: Sequence[int]) -> None:
        system = self.thin[having[0]].system
        flex = system.flexible(name)
        given = self.given.get(name) or look_of(system, name, self.models)
        look = given(system) if callable(given) else given
        n = 0 if flex is None else flex.n_modes
        poses, eta = [], []
        for s, (one, xs) in enumerate(zip(self.thin, self.states)):
            poses.append(_poses(one.system, xs, name if s in having else None))
            if s in having:
                eta.append(np.array([x[name].eta for x in xs]).reshape(len(xs), -1))
            else:
                eta.append(np.zeros((len(xs), n)))
        rows = np.concatenate(eta)
        modes = self._kept(look.shapes, rows)
        drawn = Drawn(
            name, look.points, look.parts, np.concatenate(poses), look.shapes[:, :, modes], rows[:, modes]
        )
        if flex is not None and look.fe is not None and self.stress and n:
            drawn.every = max(1, -(-len(rows) * len(look.points) // MOST_COLOURS))
            drawn.stress = stress_rows(look.fe, flex, rows[:: drawn.every])
        self.bodies.append(drawn)
        self.modes.append(modes)

    def _kept(self, shapes: np.ndarray, eta: np.ndarray) -> np.ndarray:
        """Return the modes that are drawn: those that move a point most, or the lowest."""
        most = min(MOST_SHAPES, max(1, MOST_NUMBERS // max(3 * len(shapes), 1)))
        if self.every_mode:
            return np.arange(min(most, shapes.shape[2]))
        reach = np.abs(eta).max(axis=0, initial=0.0) * np.abs(shapes).max(axis=(0, 1), initial=0.0)
        order = np.sort(np.argsort(-reach, kind="stable")[:most])
        return order[reach[order] > LEAST * reach.max(initial=0.0)]

    def _hang(self, name: str, s: int, drawn: Drawn) -> None:
        """Let a body hang on the look that its parent has in a stretch."""
        found = hung_on(self.thin[s].system, name)
        if found is None:
            return
        number = self.looks[found[0], s]
        # a body that took hold of another after that one was drawn does not take it along
        if number < self.looks[name, s] and all(number != other for other, _ in drawn.hung):
            drawn.hung.append((number, found[1].kept(self.modes[number])))

    def _vectors(self, arrow: Arrow) -> Vectors:
        """Return an arrow at the times of the replay, NaN where its body is not there."""
        values = np.asarray(arrow.values, dtype=float)
        if values.ndim != 2 or values.shape[1] != 3:
            raise InputError(
                f"'{arrow.name}' is no vector", expected="three numbers a time", got=f"{values.shape}"
            )
        numbers = {self.looks[key]: key[1] for key in reversed(self.looks) if key[0] == arrow.body}
        if not numbers:
            bodies = {name for name, _ in self.looks}
            raise InputError(
                f"there is no body '{arrow.body}'", where=f"arrow {arrow.name}", hint=known_names(bodies)
            )
        spots = []
        for number, s in sorted(numbers.items()):
            try:
                spot = spot_of(self.thin[s].system, arrow.body, arrow.node)
            except InputError:  # a node that has left with another part
                if number == min(numbers):
                    raise
                continue
            spots.append((number, spot.kept(self.modes[number])))
        rows = [
            self._world(arrow, s, one, xs, spots) for s, (one, xs) in enumerate(zip(self.thin, self.states))
        ]
        return Vectors(arrow, np.concatenate(rows), spots)

    def _world(
        self, arrow: Arrow, s: int, one: Stretch, xs: Sequence[State], spots: Sequence[tuple[int, Spot]]
    ) -> np.ndarray:
        """Return an arrow (m, 3) in the world at the rows of a stretch, NaN where its place is not there."""
        if self.looks.get((arrow.body, s)) not in [number for number, _ in spots]:
            return np.full((len(xs), 3), np.nan)
        values = np.asarray(arrow.values, dtype=float)
        rows = np.clip(np.searchsorted(arrow.t, one.t * (1.0 + 1e-12), "right") - 1, 0, len(values) - 1)
        if arrow.frame == "world":
            return values[rows]
        node = None if arrow.frame == "body" else arrow.node
        return np.array(
            [one.system.rotation(x, arrow.body, node) @ values[row] for x, row in zip(xs, rows)]
        ).reshape(len(xs), 3)


def _poses(system: System, xs: Sequence[State], name: str | None) -> np.ndarray:
    """Return positions and quaternions (m, 7) of a body's frame, NaN of one that is not there."""
    if name is None:
        return np.full((len(xs), 7), np.nan)
    return np.array([_pose(system, x, name) for x in xs]).reshape(len(xs), 7)


def _pose(system: System, x: State, name: str) -> np.ndarray:
    """Return position and quaternion (7,) of a body's frame."""
    turned = Rotation(system.rotation(x, name)).quaternion
    return np.concatenate([system.position(x, name), turned])
