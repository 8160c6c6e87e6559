"""Outputs of a linear model: what sensors at nodes feel, and what the engineer wants to see.

Rates and accelerations are measured along axes that turn with the node, as a sensor bolted to the deformed
structure feels them, unless `frame` says "body" or "world". Positions and attitudes are those in the world unless
`frame` says otherwise. Axes of "body" and "node" turn with the motion for every vector alike, so that a vector u and
the output u' of its rate with respect to the world (position and velocity, velocity and acceleration, rate and angular
acceleration) are tied by

    d/dt y_u = y_u' - ω×y_u,      ω the rate of the axes, zero for "world"
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike

from interstage._renamed import former_names
from interstage.calls import named_arguments
from interstage.errors import InputError, known_names
from interstage.linear.chart import POSITIONS, RATES, turns
from interstage.linear.inputs import AtJoint, AtPlace, coordinates, directions, mode_numbers
from interstage.multibody.joints import Axis, Coordinate
from interstage.multibody.load_recovery import recovery_of
from interstage.multibody.loads import Loads
from interstage.multibody.sites import located
from interstage.multibody.state import State
from interstage.multibody.types import Node, asked

if TYPE_CHECKING:
    from interstage.multibody.system import System


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return a × b (3,), quicker than numpy's for single vectors."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


@dataclass(frozen=True)
class PlaceMotion:
    """Pose and motion of a place: R_body, R_node (3, 3) with x_world = R_body R_node x_node; the rest in body axes."""

    R_body: np.ndarray
    R_node: np.ndarray
    position: np.ndarray
    rate: np.ndarray
    velocity: np.ndarray
    angular_acceleration: np.ndarray
    acceleration: np.ndarray

    def along(self, vector: np.ndarray, frame: str) -> np.ndarray:
        """Return a vector given in body axes along the axes of a frame."""
        if frame == "body":
            return vector
        return self.R_node.T @ vector if frame == "node" else self.R_body @ vector


class Observation:
    """A state with its accelerations, seen by the outputs; each place is looked at once."""

    def __init__(
        self,
        system: System,
        x: State,
        vdot: np.ndarray,
        loads: Loads,
        sites: np.ndarray,
        origin: Observation | None = None,
    ):
        self.system, self.x, self.vdot = system, x, vdot
        self.loads = loads
        self.origin = self if origin is None else origin  # the operating point, from which turns are counted
        self._sites = sites
        self._places: dict[tuple, PlaceMotion] = {}

    @cached_property
    def _work(self) -> dict[str, np.ndarray]:
        """Copies of the scratch that other algorithms would overwrite."""
        names = ("Rw", "pw", "V", "A", "site_R", "site_p", "site_V", "site_a")
        with self.system.engine.borrow(self.x.q.dtype) as scratch:
            work = scratch.observe(self.x.q, self.x.v, self.vdot, self._sites)
            found = {name: getattr(work, name).copy() for name in names[:4]}
            return found | {name: getattr(work, name)[self._sites] for name in names[4:]}

    def place(self, body: str, node: Node) -> PlaceMotion:
        """Return the motion of a place that was named when the sites were gathered."""
        key = body, node if node is None or np.ndim(node) == 0 else tuple(node)
        if key in self._places:
            return self._places[key]
        (s,), (arm,) = located(self.system, [(body, node)])
        i = self.system.body(body)
        w = self._work
        R, p = w["Rw"][i].reshape(3, 3), w["pw"][i]
        V, A, R_node = w["V"][i], w["A"][i], np.eye(3)
        if s >= 0:
            k = int(np.searchsorted(self._sites, s))
            p = p + R @ w["site_p"][k]
            V, A, R_node = w["site_V"][k], w["site_a"][k], w["site_R"][k].reshape(3, 3)
        elif arm.any():
            p = p + R @ arm
            V = np.concatenate([V[:3], V[3:] + cross(V[:3], arm)])
            A = np.concatenate([A[:3], A[3:] + cross(A[:3], arm)])
        # the spatial acceleration follows the moving axes: the point's own acceleration has ω×v more
        a = A[3:] + cross(V[:3], V[3:])
        self._places[key] = found = PlaceMotion(R, R_node, p, V[:3], V[3:], A[:3], a)
        return found

    @cached_property
    def reactions(self) -> dict[str, np.ndarray]:
        """Wrenches across the joints in the axes of each body."""
        return self.system.reactions(self.x, self.vdot, forces=self.loads, frame="body")


@named_arguments
class _NodeOutput(AtPlace):
    def prepare(self, system: System) -> list[tuple[str, str]]:
        """Check names, make sites known, return (name, kind) of each channel."""
        named = self.along()
        located(system, [(self.body, self.node)])
        return [(name, self.kind) for name, _ in named]

    def vector(self, seen: Observation) -> np.ndarray:
        """Return the vector (3,) in the axes of the frame."""
        raise NotImplementedError

    def values(self, seen: Observation) -> np.ndarray:
        """Return the channels (k,)."""
        vector = self.vector(seen)
        if self.axis is None:
            return vector
        return np.array([unit for _, unit in directions(self.axis)]) @ vector


@named_arguments
@dataclass(frozen=True)
class NodePosition(_NodeOutput):
    """Position of a place from the world origin, along axes of the world, or of body or node as they turn.

    A turn about the world origin changes nothing in "body" axes: what is seen there is the body's own way and its
    deformation.
    """

    frame: str = "world"
    kind = "position"

    def vector(self, seen: Observation) -> np.ndarray:
        place = seen.place(self.body, self.node)
        return place.along(place.R_body.T @ place.position, self.frame)


@named_arguments
@dataclass(frozen=True)
class NodeAttitude(_NodeOutput):
    """Turn of a place from where it is at the operating point: sin φ times the axis, along axes of `frame`.

    Its derivative at the operating point is the rate along the same axes.
    """

    frame: str = "world"
    kind = "attitude"

    def vector(self, seen: Observation) -> np.ndarray:
        place, start = seen.place(self.body, self.node), seen.origin.place(self.body, self.node)
        T = (place.R_body @ place.R_node) @ (start.R_body @ start.R_node).T
        turn = 0.5 * np.array([T[2, 1] - T[1, 2], T[0, 2] - T[2, 0], T[1, 0] - T[0, 1]])
        return place.along(place.R_body.T @ turn, self.frame)


@named_arguments
class NodeRate(_NodeOutput):
    """Angular rate of a place, as a gyro feels it."""

    kind = "rate"

    def vector(self, seen: Observation) -> np.ndarray:
        place = seen.place(self.body, self.node)
        return place.along(place.rate, self.frame)


@named_arguments
class NodeVelocity(_NodeOutput):
    """Velocity of a place with respect to the world."""

    kind = "velocity"

    def vector(self, seen: Observation) -> np.ndarray:
        place = seen.place(self.body, self.node)
        return place.along(place.velocity, self.frame)


@named_arguments
class NodeAngularAcceleration(_NodeOutput):
    """Angular acceleration of a place."""

    kind = "angular acceleration"

    def vector(self, seen: Observation) -> np.ndarray:
        place = seen.place(self.body, self.node)
        return place.along(place.angular_acceleration, self.frame)


@named_arguments
@dataclass(frozen=True)
class NodeAcceleration(_NodeOutput):
    """Acceleration of a place; with `specific_force` less gravity, as an accelerometer feels it."""

    specific_force: bool = False
    kind = "acceleration"

    def vector(self, seen: Observation) -> np.ndarray:
        place = seen.place(self.body, self.node)
        a = place.acceleration
        if self.specific_force:
            a = a - place.R_body.T @ seen.system.tree.gravity
        return place.along(a, self.frame)


@named_arguments
class _JointOutput(AtJoint):
    _quantities = POSITIONS

    def prepare(self, system: System) -> list[tuple[str, str]]:
        """Check names, return (name, kind) of each channel."""
        found = self._chosen(system)
        return [
            (self.group if len(found) == 1 else f"{self.group}.{c.name}", self._quantities[c.kind])
            for c, _ in found
        ]

    def _chosen(self, system: System) -> list[tuple[Coordinate, int]]:
        return coordinates(system, self.body, self.coordinate, small=self.kind == "angle")


@named_arguments
class JointAngle(_JointOutput):
    """Coordinates of a joint; of ball and free joints the small turn and shift from the operating point.

    Turns are along the axes of the body, shifts along those of the joint's parent.
    """

    def picks(self, system: System) -> tuple[str, np.ndarray] | None:
        """Return "position" and the places in δq that the channels are; None for ball and free joints."""
        places = np.array([k for _, k in self._chosen(system)], dtype=np.int64)
        return ("position", places) if (system.tree.v_q[places] >= 0).all() else None

    def values(self, seen: Observation) -> np.ndarray:
        """Return the channels (k,)."""
        system = seen.system
        places = [k for _, k in self._chosen(system)]
        where = system.tree.v_q[places]
        if np.all(where >= 0):
            return seen.x.q[where]
        small = turns(system, seen.origin.x, seen.x)[places]
        return np.where(where >= 0, seen.x.q[where], small)


def _number(names: list[str], wanted: str | int, body: str) -> int:
    if isinstance(wanted, int | np.integer) and 0 <= wanted < len(names):
        return int(wanted)
    if wanted in names:
        return names.index(wanted)
    raise InputError(f"the joint of body '{body}' has no coordinate {wanted!r}", hint=known_names(names))


@named_arguments
class JointRate(_JointOutput):
    """Velocities of a joint; of ball and free joints [ω; v] along the axes of the body."""

    kind = "rate"
    _quantities = RATES

    def picks(self, system: System) -> tuple[str, np.ndarray]:
        """Return "rate" and the places in v that the channels are."""
        return "rate", np.array([k for _, k in self._chosen(system)], dtype=np.int64)

    def values(self, seen: Observation) -> np.ndarray:
        """Return the channels (k,)."""
        return seen.x.v[[k for _, k in self._chosen(seen.system)]]


@named_arguments
@dataclass(frozen=True)
class JointReaction:
    """What the parent exerts on a body through its joint: [t; f] at the body origin, in body (or world) axes."""

    body: str
    component: str | None = None
    frame: str = "body"
    name: str | None = None

    @property
    def group(self) -> str:
        """Name of the channels together."""
        return self.name or f"{self.body}.reaction"

    def prepare(self, system: System) -> list[tuple[str, str]]:
        """Check names, return (name, kind) of each channel."""
        system.body(self.body)
        if self.frame not in ("body", "world"):
            raise InputError(
                "unknown frame", where="JointReaction", expected="body or world", got=repr(self.frame)
            )
        return [(f"{self.group}.{c}", "torque" if c[0] == "t" else "force") for c in self._chosen()]

    def _chosen(self) -> list[str]:
        names = ["tx", "ty", "tz", "fx", "fy", "fz"]
        if self.component is None:
            return names
        return [names[_number(names, self.component, self.body)]]

    def values(self, seen: Observation) -> np.ndarray:
        """Return the channels (k,)."""
        wrench = seen.reactions[self.body]
        if self.frame == "world":
            R = seen.place(self.body, None).R_body
            wrench = np.concatenate([R @ wrench[:3], R @ wrench[3:]])
        names = ["tx", "ty", "tz", "fx", "fy", "fz"]
        return wrench[[names.index(c) for c in self._chosen()]]


@named_arguments
@dataclass(frozen=True)
class RecoveredLoad:
    """A force or stress inside a flexible body that its component recovers (`Component.from_deck`, recover).

    result : its name, None for all of them
    residual : False leaves out what loads do besides moving the modes (mode displacement)
    """

    body: str
    result: str | None = None
    residual: bool = True
    name: str | None = None

    @property
    def group(self) -> str:
        """Name of the channels together."""
        return self.name or (self.body if self.result is None else f"{self.body}.{self.result}")

    def prepare(self, system: System) -> list[tuple[str, str]]:
        """Check names, return (name, kind) of each channel."""
        rows = recovery_of(system, self.body)
        if self.result is not None:
            return [(self.group, rows.quantities[rows.row(self.result, f"body '{self.body}'")])]
        return [(f"{self.group}.{name}", kind) for name, kind in zip(rows.names, rows.quantities)]

    def values(self, seen: Observation) -> np.ndarray:
        """Return the channels (k,)."""
        self.prepare(seen.system)
        found = seen.system.recovered(seen.x, self.body, seen.vdot, forces=seen.loads, residual=self.residual)
        return np.array([found[self.result]] if self.result is not None else list(found.values()))


@named_arguments
@dataclass(frozen=True)
class ModalCoordinate:
    """Modal coordinates of a flexible body (modes numbered from 1), or their rates."""

    body: str
    modes: int | list[int] | None = None
    rate: bool = False
    name: str | None = None

    @property
    def group(self) -> str:
        """Name of the channels together."""
        return self.name or f"{self.body}.eta{'_rate' if self.rate else ''}"

    def prepare(self, system: System) -> list[tuple[str, str]]:
        """Check names, return (name, kind) of each channel."""
        kind = "modal rate" if self.rate else "modal coordinate"
        suffix = "_rate" if self.rate else ""
        chosen = mode_numbers(system, self.body, self.modes)
        if self.name:
            return [(self.name if len(chosen) == 1 else f"{self.name}.{r}", kind) for r in chosen]
        return [(f"{self.body}.eta{r}{suffix}", kind) for r in chosen]

    def picks(self, system: System) -> tuple[str, np.ndarray]:
        """Return "position" or "rate" and the places in v that the channels are."""
        first = system.layout[self.body].etadot.start
        return "rate" if self.rate else "position", first + np.array(
            mode_numbers(system, self.body, self.modes)
        ) - 1

    def values(self, seen: Observation) -> np.ndarray:
        """Return the channels (k,)."""
        where = np.array(mode_numbers(seen.system, self.body, self.modes)) - 1
        part = seen.x[self.body]
        return (part.etadot if self.rate else part.eta)[where]


@named_arguments
@dataclass(frozen=True)
class CenterOfMass:
    """Centre of mass of the whole vehicle from the world origin, world axes; modes move it too."""

    axis: Axis | None = None
    name: str | None = None

    @property
    def group(self) -> str:
        """Name of the channels together."""
        return self.name or "center_of_mass"

    def prepare(self, system: System) -> list[tuple[str, str]]:
        """Return (name, kind) of each channel."""
        return [(self.group + suffix, "position") for suffix, _ in directions(self.axis)]

    def values(self, seen: Observation) -> np.ndarray:
        """Return the channels (k,)."""
        return np.array([unit for _, unit in directions(self.axis)]) @ seen.system.center_of_mass(seen.x)


@named_arguments
@dataclass(frozen=True)
class CustomOutput:
    """A function f(system, x, vdot) of the user, a number or a vector, as an output.

    It is differentiated by complex steps if it takes complex states (numpy arithmetic, `system.position`, ...;
    no abs, max or comparison); otherwise by differences.
    """

    name: str
    function: Callable[[System, State, np.ndarray], ArrayLike]
    unit: str = ""

    @property
    def group(self) -> str:
        """Name of the channels together."""
        return self.name

    def values(self, seen: Observation) -> np.ndarray:
        """Return the channels (k,)."""
        return asked(self.function, f"the expression '{self.name}'", seen.system, seen.x, seen.vdot)


class OutputSpec(Protocol):
    """What can be an output: channels of a group, from a look at the moving system."""

    @property
    def group(self) -> str:
        """Name of the channels together."""
        ...

    def values(self, seen: Observation) -> np.ndarray:
        """Return the channels (k,)."""
        ...


def gather_sites(system: System, places: Sequence[tuple[str, Node]]) -> np.ndarray:
    """Return the numbers of the sites among places, after all of them are known to the system."""
    found = np.unique(located(system, places)[0])
    return found[found >= 0]


__getattr__ = former_names(__name__)
