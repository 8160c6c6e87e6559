"""Inputs of a linear model: forces and motions that a control system or a disturbance may give.

Each input is one or more scalar channels. Nodal forces and torques point along axes that turn with the node
(an actuator bolted to the structure) unless `frame` says "body" or "world".
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError, caller_level, known_names, shown
from interstage.multibody.joint_modes import LOCKED, PRESCRIBED
from interstage.multibody.joints import Axis, Coordinate, unit_axis
from interstage.multibody.joints.elementary_motions import ANGLE
from interstage.multibody.loads import Loads, Wrench, check_frame
from interstage.multibody.types import Node

if TYPE_CHECKING:
    from interstage.multibody.system import System


@dataclass(frozen=True)
class InputChannel:
    """One scalar input: a wrench at a place, a generalized force, or the acceleration of a prescribed joint."""

    name: str
    kind: str  # "force", "torque" or "acceleration": what a unit of it is
    force: Wrench | None = None
    tau: int | None = None
    acceleration: tuple[str, int] | None = None
    turning: bool = False  # about an axis, not along it

    def load(self, system: System) -> Loads:
        """Return the loads of one unit of the input."""
        tau, motions = np.zeros(system.nv), {}
        if self.tau is not None:
            tau[self.tau] = 1.0
        if self.acceleration is not None:
            body, number = self.acceleration
            motions[body] = np.zeros(int(system.tree.joint_nv[system.body(body)]))
            motions[body][number] = 1.0
        return Loads((self.force,) if self.force is not None else (), tau, motions)


def directions(axis: Axis | None) -> list[tuple[str, np.ndarray]]:
    """Return (suffix, unit vector) of the channels of an axis argument; None is all three."""
    if axis is None:
        return [(f".{name}", unit_axis(name)) for name in "xyz"]
    if isinstance(axis, str) and axis not in ("x", "y", "z", "-x", "-y", "-z") and set(axis) <= set("xyz"):
        return [(f".{name}", unit_axis(name)) for name in axis]
    return [(f".{axis}" if isinstance(axis, str) else "", unit_axis(axis))]


def place_name(body: str, node: Node) -> str:
    """Return "core.52", "bus" or "bus.[1, 0, 0]"."""
    if node is None:
        return body
    if isinstance(node, str):
        raise InputError(
            f"node of body '{body}' must be a grid id, a point (3,) or None",
            got=shown(node),
            hint=f"name an axis, as in axis={node!r}" if set(node) <= set("-xyz") else None,
        )
    return f"{body}.{node}" if isinstance(node, int | np.integer) else f"{body}.{list(map(float, node))}"


def coordinates(
    system: System, body: str, coordinate: str | int | None, small: bool = False
) -> list[tuple[Coordinate, int]]:
    """Return the chosen velocities of a joint and their places in v; None is all of them.

    small : by the names of small motions instead (not the same for attitudes and free positions)
    """
    layout, key = system.layout, (body, coordinate, small)
    if key in layout.chosen:
        return layout.chosen[key]
    system.body(body)
    where = layout[body]
    own = where.joint.small_motions if small else where.joint.velocities
    names = [c.name for c in own]
    if not names:
        raise InputError(f"the joint of body '{body}' is locked: it has no coordinates")
    if coordinate is None:
        chosen = range(len(names))
    elif isinstance(coordinate, int | np.integer) and 0 <= coordinate < len(names):
        chosen = [int(coordinate)]
    elif coordinate in names:
        chosen = [names.index(coordinate)]
    else:
        raise InputError(
            f"the joint of body '{body}' has no coordinate {coordinate!r}", hint=known_names(names)
        )
    layout.chosen[key] = found = [(own[k], where.v.start + k) for k in chosen]
    return found


@named_arguments
@dataclass(frozen=True)
class AtPlace:
    """A vector at a node of a flexible body, a point of a rigid one, or a body origin (None): up to three channels."""

    body: str
    node: Node = None
    axis: Axis | None = None
    frame: str = "node"
    name: str | None = None

    kind = "vector"

    @property
    def group(self) -> str:
        """Name of the channels together."""
        return self.name or f"{place_name(self.body, self.node)}.{self.kind.replace(' ', '_')}"

    def along(self) -> list[tuple[str, np.ndarray]]:
        """Return (name, unit vector) of each channel; the axes of the frame must be known."""
        check_frame(self.frame)
        found = directions(self.axis)
        alone = self.name is not None and self.axis is not None and len(found) == 1
        return [(self.group + ("" if alone else suffix), unit) for suffix, unit in found]


@named_arguments
@dataclass(frozen=True)
class AtJoint:
    """Something of a joint, one channel for each coordinate (or the one named)."""

    body: str
    coordinate: str | int | None = None
    name: str | None = None

    kind = "angle"

    @property
    def group(self) -> str:
        """Name of the channels together."""
        return self.name or f"{self.body}.joint_{self.kind}"


@named_arguments
class _NodeLoad(AtPlace):
    kind = "force"

    def channels(self, system: System) -> list[InputChannel]:
        """Return the scalar channels."""
        named, turning = self.along(), self.kind == "torque"
        system.site(self.body, self.node)
        found = []
        for name, unit in named:
            wrench = np.concatenate([unit, np.zeros(3)] if turning else [np.zeros(3), unit])
            force = Wrench(self.body, wrench, self.node, self.frame)
            found.append(InputChannel(name, self.kind, force=force, turning=turning))
        return found


@named_arguments
class NodeForce(_NodeLoad):
    """A force at a place: `NodeForce("core", 52, "y")`; without an axis three channels."""


@named_arguments
class NodeTorque(_NodeLoad):
    """A torque at a place: `NodeTorque("core", 52)`; without an axis three channels."""

    kind = "torque"


@named_arguments
class JointForce(AtJoint):
    """Force or torque of a drive in a joint, one channel for each coordinate (or the one named).

    On a prescribed joint, whose drive takes it up, it does nothing: a channel of zeros, and a warning.
    """

    kind = "force"

    def channels(self, system: System) -> list[InputChannel]:
        """Return the scalar channels."""
        i = system.body(self.body)
        if system.settings.joint_mode[i] == LOCKED:
            raise InputError(
                f"the joint of body '{self.body}' is locked: a force there does nothing",
                where="JointForce",
                hint=f"set_joint_mode({self.body!r}, 'free')",
            )
        if system.settings.joint_mode[i] == PRESCRIBED:
            warnings.warn(
                f"the joint of body '{self.body}' is prescribed: its drive takes a joint force up, which does"
                f" nothing; use JointAcceleration({self.body!r})",
                UserWarning,
                stacklevel=caller_level(),
            )
        found = coordinates(system, self.body, self.coordinate)
        return [
            InputChannel(
                _joined(self.group, c.name, len(found)),
                "torque" if c.kind == ANGLE else "force",
                tau=k,
                turning=c.kind == ANGLE,
            )
            for c, k in found
        ]


@named_arguments
class JointAcceleration(AtJoint):
    """Acceleration of a prescribed joint, one channel for each coordinate (or the one named)."""

    kind = "acceleration"

    def channels(self, system: System) -> list[InputChannel]:
        """Return the scalar channels."""
        i = system.body(self.body)
        if system.settings.joint_mode[i] != PRESCRIBED:
            raise InputError(
                f"the joint of body '{self.body}' is not prescribed",
                where="JointAcceleration",
                hint=f"use prescribed=True in its joint, or set_joint_mode({self.body!r}, 'prescribed')",
            )
        found = coordinates(system, self.body, self.coordinate)
        first = int(system.tree.joint_v[i])
        return [
            InputChannel(
                _joined(self.group, c.name, len(found)),
                "acceleration",
                acceleration=(self.body, k - first),
                turning=c.kind == ANGLE,
            )
            for c, k in found
        ]


@named_arguments
@dataclass(frozen=True)
class ModalForce:
    """Generalized force on the modes of a flexible body, one channel a mode (or those numbered, from 1)."""

    body: str
    modes: int | list[int] | None = None
    name: str | None = None

    @property
    def group(self) -> str:
        """Name of the channels together."""
        return self.name or f"{self.body}.modal_force"

    def channels(self, system: System) -> list[InputChannel]:
        """Return the scalar channels."""
        chosen = mode_numbers(system, self.body, self.modes)
        first = system.layout[self.body].etadot.start
        return [InputChannel(f"{self.group}.{r}", "modal force", tau=first + r - 1) for r in chosen]


def mode_numbers(system: System, body: str, modes: int | list[int] | None) -> list[int]:
    """Return numbers (from 1) of the chosen modes of a body."""
    n = int(system.tree.body_modes[system.body(body)])
    if n == 0:
        raise InputError(f"body '{body}' is rigid: it has no modes")
    if modes is None:
        return list(range(1, n + 1))
    chosen = np.atleast_1d(modes).tolist()
    bad = [r for r in chosen if not isinstance(r, int) or not 1 <= r <= n]
    if bad:
        raise InputError(f"body '{body}' has no mode {bad[0]!r}", expected=f"1 to {n}")
    return chosen


def _joined(group: str, coordinate: str, count: int) -> str:
    return group if count == 1 else f"{group}.{coordinate}"


Input = NodeForce | NodeTorque | JointForce | JointAcceleration | ModalForce
