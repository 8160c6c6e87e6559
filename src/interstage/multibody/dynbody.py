"""`DynBody`: a mass tree that moves as one rigid body.

The root of a tree of parts keeps the motion of its structure frame. One composite body with six degrees of
freedom is integrated for the whole tree, by the multibody engine; the motion of every other part and point
follows from it.

- mass that burns or is set leaves the motion of the structure frame as it is: what goes, goes at local
velocity; - a dynamic part that is detached goes on with the motion that it had, and so does the rest;
- when two trees are attached, the common centre of mass, linear and angular momentum are conserved, and the
parent
  keeps its attitude; so they are when a part of a tree is moved;
- plain mass bodies, and trees whose motion was never set, have no motion of their own: attached, they take
  that of the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias, Unpack

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError, ModelError
from interstage.mass import MassBody, MassPoint, MassProperties
from interstage.mass import tree as links
from interstage.mass.body import CoreOptions
from interstage.mass.json_file import register_kind
from interstage.mass.relative import pose_of
from interstage.multibody.joints import Free
from interstage.multibody.loads import as_wrench, place_words
from interstage.multibody.model import Multibody
from interstage.multibody.state import State
from interstage.multibody.system import System
from interstage.multibody.types import NameTable
from interstage.spatial import Rotation, RotationLike
from interstage.spatial.checks import as_array

Point: TypeAlias = str | MassPoint | MassProperties | MassBody | None
"""A point of a tree: by name, a point, core or composite properties, a part (its structure point), None for its own."""

Forces: TypeAlias = NameTable[Point, ArrayLike]
"""Wrenches [t; f] (6,) by point."""


class PointMotion(NamedTuple):
    """Motion of a point: position and velocity (3,) in the world, attitude, and angular velocity.

    rotation : R_world_point;  rate : angular velocity (3,) in the axes of the point
    """

    position: np.ndarray
    velocity: np.ndarray
    rotation: Rotation
    rate: np.ndarray

    @property
    def quaternion(self) -> np.ndarray:
        """Quaternion [w, x, y, z] of the rotation."""
        return self.rotation.quaternion


class Inventory(NamedTuple):
    """Mass of a tree, place and velocity (3,) of its centre of mass in the world, angular momentum (3,) about it."""

    mass: float
    place: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray


@named_arguments
class DynBody(MassBody):
    """A mass body with a state of motion; arguments are those of `MassBody`.

    q (7,), v (6,) : of a root, its structure frame: quaternion and position in the world; [ω; v] in its own axes

    >>> cart = DynBody("cart", mass=2.0, inertia=[1, 1, 1])
    >>> cart.set_state(velocity=[1, 0, 0])
    >>> cart.step(0.5)
    >>> cart.state().position
    array([0.5, 0. , 0. ])
    """

    dynamic = True
    said_by = MappingProxyType(
        {
            **MassBody.said_by,
            "gravity": "another body: its gravity stays",
            **dict.fromkeys(("velocity", "rotation", "rate"), "set_state(position=..., velocity=..., ...)"),
        }
    )

    def __init__(
        self,
        name: str,
        mass: float = 0.0,
        position: ArrayLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike | None = None,
        *,
        gravity: ArrayLike = (0.0, 0.0, 0.0),
        **core: Unpack[CoreOptions],
    ):
        super().__init__(name, mass, position, inertia, **core)
        self._gravity = as_array(gravity, (3,), f"dynamic body '{name}', gravity")
        self.q = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        self.v = np.zeros(6)
        self._placed = False  # a tree whose motion was never set takes that of the tree it is attached to
        self._system: System | None = None
        self._seen: np.ndarray | None = None

    # state ------------------------------------------------------------------------------------------

    def set_state(
        self,
        position: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        rotation: RotationLike | None = None,
        rate: ArrayLike | None = None,
        point: Point = None,
    ) -> None:
        """Set the motion of the tree by that of one of its points; what is not given stays as it is.

        position, velocity : (3,) of the point in the world
        rotation : attitude of the point's axes, R_world_point, a Rotation or matrix
        rate : angular velocity (3,) in the axes of the point
        point : a point, core or composite properties, or a part; default: this part's structure point
        """
        root, pose = self._root(), pose_of(self._named(point))
        now = self.state(point)
        R_NP = now.rotation if rotation is None else Rotation.of(rotation, where="rotation")
        R_NS = R_NP.matrix @ pose.R.T
        w = pose.R @ (now.rate if rate is None else as_array(rate, (3,), "rate"))
        p = now.position if position is None else as_array(position, (3,), "position")
        v = now.velocity if velocity is None else as_array(velocity, (3,), "velocity")
        root._placed = True
        root._write(R_NS, p - R_NS @ pose.p, w, R_NS.T @ v - np.cross(w, pose.p))

    def state(self, point: Point = None) -> PointMotion:
        """Return the motion of a point of the tree (default: this part's structure point)."""
        root, pose = self._root(), pose_of(self._named(point))
        if pose.root is not root:
            raise InputError(f"the point is not in the tree of '{self.name}'", got=repr(point))
        R, w = root._attitude(), root.v[:3]
        return PointMotion(
            root.q[4:] + R @ pose.p,
            R @ (root.v[3:] + np.cross(w, pose.p)),
            Rotation.exact(R @ pose.R),
            pose.R.T @ w,
        )

    def momentum(self, about: ArrayLike = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Return [h; p] (6,) of the tree, world axes: angular momentum about a world point, and linear."""
        root = self._root()
        return root._engine().momentum(root._x(), about)

    def energy(self) -> float:
        """Return the kinetic energy of the whole tree and its potential in uniform gravity."""
        root = self._root()
        return root._engine().energy(root._x())

    def _named(self, point: Point) -> MassPoint | MassProperties | MassBody:
        if point is None:
            return self
        return self.point(point) if isinstance(point, str) else point

    def _root(self) -> DynBody:
        root = links.root_of(self)
        if not isinstance(root, DynBody):
            raise ModelError(f"'{self.name}' hangs on '{root.name}', which has no state of motion")
        return root

    def _is_placed(self) -> bool:
        """Return whether the motion of a root was set, by `set_state` or in q and v."""
        return self._placed or bool((self.q != [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]).any() or self.v.any())

    def _attitude(self) -> np.ndarray:
        return Rotation.from_quaternion(self.q[:4]).matrix

    def _write(self, R_NS: np.ndarray, p_NS: np.ndarray, w: np.ndarray, v: np.ndarray) -> None:
        """Write the structure frame's pose, and its angular and linear velocity in its own axes."""
        self.q[:4] = Rotation.from_matrix(R_NS).quaternion
        self.q[4:], self.v[:3], self.v[3:] = p_NS, w, v

    def saved_extra(self, top: bool) -> dict[str, object]:
        """Return gravity, and the motion of the tree where this part is saved as its root."""
        out: dict[str, object] = {"gravity": self._gravity.tolist()}
        root = self._root()
        if top and root._placed:
            q, v = root.q, root.v
            if root is not self:
                now = self.state()
                R = now.rotation.matrix
                q = np.concatenate([now.quaternion, now.position])
                v = np.concatenate([now.rate, R.T @ now.velocity])
            out["motion"] = {
                "position": q[4:].tolist(),
                "quaternion": q[:4].tolist(),
                "rate": v[:3].tolist(),
                "velocity": v[3:].tolist(),
            }
        return out

    def restore_extra(self, entry: Mapping[str, object], length: float) -> None:
        """Take up gravity and motion, lengths in units of `length`."""
        self._gravity = length * as_array(entry.get("gravity", (0.0, 0.0, 0.0)), (3,), "gravity")
        motion = entry.get("motion")
        if not isinstance(motion, dict):
            return
        quaternion = as_array(motion["quaternion"], (4,), "quaternion")
        size = np.linalg.norm(quaternion)
        if abs(size - 1.0) > 1e-6:
            raise InputError(
                "a quaternion must have unit length", where=f"'{self.name}'", got=f"{quaternion}"
            )
        self.q[:4] = quaternion if abs(size - 1.0) < 1e-15 else quaternion / size
        self.q[4:] = length * as_array(motion["position"], (3,), "position")
        self.v[:3] = as_array(motion["rate"], (3,), "rate")
        self.v[3:] = length * as_array(motion["velocity"], (3,), "velocity")
        self._placed = True

    # integration ------------------------------------------------------------------------------------

    def step(
        self, dt: float, forces: Forces | Callable[[DynBody], Forces] | None = None, frame: str = "world"
    ) -> None:
        """Move the tree on by `dt` (fourth-order Runge-Kutta), its mass held.

        forces : {point: wrench [t; f]}, or a function that returns such a dictionary of the body at each
            stage;
            points are names of points of this part, points or parts of the tree, or None for the structure
            point
        frame : axes of the wrenches: "world", or "point" for those of each point
        """
        root = self._root()
        dt = float(as_array(dt, (), "dt"))
        if frame not in ("world", "point"):
            raise InputError("unknown frame", expected="world or point", got=repr(frame))
        system = root._engine()
        q, v = root.q.copy(), root.v.copy()

        def slope(at_q: np.ndarray, at_v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            root.q, root.v = at_q, at_v
            x = root._x()
            return system.rates(x), system.forward_dynamics(x, tau=self._loads(forces, frame))

        try:
            k1, a1 = slope(q, v)
            k2, a2 = slope(q + 0.5 * dt * k1, v + 0.5 * dt * a1)
            k3, a3 = slope(q + 0.5 * dt * k2, v + 0.5 * dt * a2)
            k4, a4 = slope(q + dt * k3, v + dt * a3)
        except Exception:
            root.q, root.v = q, v
            raise
        root.q = q + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        root.v = v + dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        root._placed = True
        root.q[:4] /= np.linalg.norm(root.q[:4])

    def acceleration(self, forces: Forces | None = None, frame: str = "world") -> np.ndarray:
        """Return [ω̇; v̇] (6,) of the root's structure frame, in its axes (the rates of its velocity)."""
        root = self._root()
        return root._engine().forward_dynamics(root._x(), tau=self._loads(forces, frame))

    def _loads(self, forces: Forces | Callable[[DynBody], Forces] | None, frame: str) -> np.ndarray:
        """Return the sum of wrenches (6,) at the root's structure point, in its axes."""
        total = np.zeros(6)
        if callable(forces):
            forces = forces(self)
        for key, wrench in (forces or {}).items():
            at = key if isinstance(key, str) else getattr(key, "name", None)
            wrench = as_wrench(
                wrench, f"force on {place_words(self.name, None)}{f', at {at!r}' if at else ''}"
            )
            pose = pose_of(self._named(key))
            root = self._root()
            if pose.root is not root:
                raise InputError(f"a force acts outside the tree of '{self.name}'", got=repr(key))
            R = pose.R if frame == "point" else root._attitude().T
            f = R @ wrench[3:]
            total[:3] += R @ wrench[:3] + np.cross(pose.p, f)
            total[3:] += f
        return total

    def _engine(self) -> System:
        """Return the system of one free body with the composite's mass, brought up to date."""
        if self.stale:
            links.update(self)
        system = self._system
        if system is None:
            vehicle = Multibody(self.name, gravity=self._gravity)
            vehicle.add_body(self.name, mass=1.0, inertia=np.eye(3), joint=Free())
            system = self._system = vehicle.compile()
        if self._seen is None or not np.array_equal(self._seen, self.total):
            total = self.composite.rigid
            if not total.mass > 0.0:
                raise ModelError(f"the tree of '{self.name}' has no mass and cannot move")
            # parts were checked when they were made
            system.set_mass(system.bodies[0], total.mass, total.com, total.inertia, check=False)
            self._seen = self.total.copy()
        return system

    def _x(self) -> State:
        return (self._system or self._engine()).state(self.q, self.v)

    # changes of the tree ----------------------------------------------------------------------------

    def join_tree(self, child: MassBody, parent: MassBody, R_PC: np.ndarray, p_PC: np.ndarray) -> None:
        links.check_attach(child, self, parent)
        keeper, own = links.root_of(parent), self.state()
        if not isinstance(keeper, DynBody):
            raise ModelError(f"'{keeper.name}' has no state of motion")
        before = _sum(keeper.inventory(), self.inventory())
        placed, known = self._is_placed(), keeper._is_placed()
        super().join_tree(child, parent, R_PC, p_PC)
        self.q.flags.writeable = self.v.flags.writeable = False  # what is written there would move nothing
        if placed and known:
            keeper._conserve(before)
        elif placed:
            keeper.set_state(own.position, own.velocity, own.rotation, own.rate, point=self)

    def leave_tree(self) -> None:
        links.check_has_parent(self, "detached")
        motion = self.state()
        self._placed = self._root()._is_placed()
        super().leave_tree()
        self.q, self.v = self.q.copy(), self.v.copy()
        R = motion.rotation.matrix
        self._write(R, motion.position, motion.rate, R.T @ motion.velocity)

    def move_part(self, part: MassBody, parent: MassBody, R_PC: np.ndarray, p_PC: np.ndarray) -> None:
        links.check_kinds(part, parent)
        if part.dynamic and links.root_of(parent) is not self:
            part.leave_tree()
            part.attach_at(parent, R_PC, p_PC)
            return
        before = self.inventory() if links.root_of(parent) is self else None
        super().move_part(part, parent, R_PC, p_PC)
        if before is not None:
            self._conserve(before)

    def inventory(self) -> Inventory:
        """Return what this root's tree has, and keeps when it is joined to another."""
        total = self.composite
        if not total.mass > 0.0:
            return Inventory(0.0, np.zeros(3), np.zeros(3), np.zeros(3))
        R, w, com = self._attitude(), self.v[:3], total.position
        velocity = R @ (self.v[3:] + np.cross(w, com))
        return Inventory(total.mass, self.q[4:] + R @ com, velocity, R @ (total.inertia_struct @ w))

    def _conserve(self, before: Inventory) -> None:
        """Give this root the motion with the centre of mass and momentum of before, at its own attitude."""
        mass, place, velocity, spin = before
        if not mass > 0.0:
            return
        total, R = self.composite, self._attitude()
        spin = R.T @ spin
        T = total.T_parent_this
        w = T.T @ total.inverse_inertia @ T @ spin if np.any(spin) else np.zeros(3)
        self.q[4:] = place - R @ total.position
        self.v[:3], self.v[3:] = w, R.T @ velocity - np.cross(w, total.position)


def _sum(a: Inventory, b: Inventory) -> Inventory:
    """Return what two trees have together: spins add up, with m₁m₂/m (r₁ - r₂)×(v₁ - v₂)."""
    mass = a.mass + b.mass
    if not mass > 0.0:
        return a
    reduced = a.mass * b.mass / mass
    # from the first towards the second: no sums of large numbers
    place = a.place + (b.mass / mass) * (b.place - a.place)
    velocity = a.velocity + (b.mass / mass) * (b.velocity - a.velocity)
    return Inventory(
        mass,
        place,
        velocity,
        a.spin + b.spin + reduced * np.cross(a.place - b.place, a.velocity - b.velocity),
    )


register_kind("dynamic", DynBody)
