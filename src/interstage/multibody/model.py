"""Describe a vehicle by names: bodies, where each is joined to its parent, and how it may move there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.component.component import Component
from interstage.component.damping import warn_overcritical
from interstage.component.units import converted, labelled_units, units_text
from interstage.errors import InputError, ModelError, known_names
from interstage.multibody.closures import ClosureSpec, check_ends, check_joint, end_of
from interstage.multibody.joints import Ball, Free, Joint, Locked, as_joint
from interstage.multibody.lumped import HungFluid, add_lumped, refuse_twice
from interstage.multibody.types import Target
from interstage.spatial import RigidInertia, Rotation, RotationLike
from interstage.spatial.checks import as_array

if TYPE_CHECKING:
    from interstage.multibody.propellant_mass import Tanks
    from interstage.multibody.system import System


@dataclass
class BodySpec:
    """One body as described. Rigid: `inertia`; flexible: `component` and its inboard `node`.

    port : point (3,) of a rigid body that sits in its joint, where that is not the origin of its frame
    stiffening : use the geometric stiffness of the component, where it has some; True: and refuse loads that it does
        not know
    rotary : nodes turn with their inertia
    tanks : propellant that changes the integrals of a flexible body
    """

    name: str
    parent: str | None
    joint: Joint
    at: np.ndarray | int
    rotation: np.ndarray
    inertia: RigidInertia | None = None
    component: Component | None = None
    node: int | None = None
    damping: np.ndarray | None = None
    order: int = 0
    n_modes: int | None = None
    port: np.ndarray | None = None
    stiffening: bool | None = None
    rotary: bool = False
    tanks: Tanks | None = None

    @property
    def flexible(self) -> Component:
        """The component of a flexible body."""
        assert self.component is not None
        return self.component

    @property
    def stiffens(self) -> bool:
        """Whether the loads that the body carries change its stiffness."""
        own = None if self.component is None else self.component.geometric_stiffness
        return self.stiffening is not False and own is not None

    @property
    def is_point(self) -> bool:
        """Whether the body is a point mass in its joint."""
        rigid = self.inertia
        return rigid is not None and not (np.any(rigid.inertia) or np.any(rigid.com - self.offset))

    @property
    def offset(self) -> np.ndarray:
        """The point (3,) of the body's frame that sits in its joint."""
        return np.zeros(3) if self.port is None else self.port


@named_arguments
@dataclass(init=False, repr=False)
class Multibody:
    """A tree of rigid and flexible bodies, all in one system of units.

    Parameters
    ----------
    name : name of the vehicle
    gravity : uniform acceleration of gravity (3,), world axes
    units : of the vehicle, as in "SI" or "t-mm-s": rigid bodies, places, gravity and forces are in them, components are
        converted to them. Default: those of its components, which must be the same; not known where theirs are not

    >>> mb = Multibody("pendulum", gravity=[0, 0, -9.81])
    >>> arm = mb.add_body("arm", mass=2.0, com=[0, 0, -0.5])
    >>> mb.bodies
    ['arm']
    """

    name: str
    gravity: np.ndarray
    specs: list[BodySpec] = field(repr=False)
    closures: list[ClosureSpec] = field(repr=False)
    units: dict[str, str]

    @named_arguments
    def __init__(
        self,
        name: str = "vehicle",
        gravity: ArrayLike = (0.0, 0.0, 0.0),
        specs: list[BodySpec] | None = None,
        closures: list[ClosureSpec] | None = None,
        units: Mapping[str, str] | str | None = None,
    ):
        self.name, self.gravity = name, as_array(gravity, (3,), "gravity")
        self.specs = [] if specs is None else specs
        self.closures = [] if closures is None else closures
        self.units = labelled_units(units)
        self.fluids: list[HungFluid] = []  # that `devices.add_slosh` has hung on flexible bodies
        self._converted: dict[int, tuple[Component, Component]] = {}

    def __repr__(self) -> str:
        return f"<Multibody '{self.name}': {len(self.specs)} bodies>"

    def __str__(self) -> str:
        from interstage.multibody import summary

        return summary.of_model(self)

    @property
    def notes(self) -> list[str]:
        """Notes on the precision of what the components were made from, which holds for all that is made of them."""
        from interstage.multibody.fidelity import model_notes

        return model_notes(self)

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies in the order of addition."""
        return [spec.name for spec in self.specs]

    @property
    def roots(self) -> list[str]:
        """Names of the bodies without parent: each is the root of a vehicle."""
        return [spec.name for spec in self.specs if spec.parent is None]

    def spec(self, name: str, where: str = "body") -> BodySpec:
        """Return the description of a body; an unknown name is an error that lists the known ones."""
        for spec in self.specs:
            if spec.name == name:
                return spec
        raise InputError(f"there is no body '{name}'", where=where, hint=known_names(self.bodies))

    @named_arguments
    def add_body(
        self,
        name: str,
        *,
        mass: float | None = None,
        com: ArrayLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike | None = None,
        component: Component | str | Path | None = None,
        node: int | None = None,
        parent: str | None = None,
        at: ArrayLike | int | None = None,
        rotation: RotationLike | None = None,
        joint: Joint | None = None,
        damping: float | Sequence[float] | None = None,
        order: int | None = None,
        n_modes: int | None = None,
        stiffening: bool | None = None,
        rotary: bool | None = None,
        port: ArrayLike | None = None,
        tanks: Tanks | None = None,
        check: bool = True,
    ) -> BodySpec:
        """Add a body to the tree, after its parent.

        Parameters
        ----------
        name : name of the body, new
        mass, com (3,), inertia (3, 3) : of a rigid body; com from the body frame, inertia about com, body axes
            (default: a point mass)
        component : record or file of a flexible body
        node : its inboard node, where the body frame sits (default: the only interface node; without one a
            free body keeps its own reference point)
        parent : name of the parent; None is the ground
        at : where on the parent: a point (3,) of a rigid parent or the ground, a node of a flexible one
        rotation : R_PC, x_parent = R_PC @ x_child at zero joint coordinates
        joint : default Locked; Free for a body on the ground
        damping : ratio, one or one for each mode, of the modes of the body as mounted (clamped at its inboard node, or
            free where its joint is Free); replaces the component's own damping, which is the default
        order : fidelity of the deformed inertia: 0 (without integrals), 1 or 2 (default 2, or 0 where the component
            has no integrals)
        n_modes : keep only so many of the lowest modes of the body held at its node
        stiffening : False leaves out the geometric stiffness that the component has; True refuses joints and forces at
            nodes whose loads it does not know. Default: those are left out of it, and runs, trims and linear models
            warn where they matter
        rotary : nodes turn with their inertia, as discs on a shaft do, instead of moving as points; order 1 or 2, and a
            component made with rotary_integrals=True (default: where the component has those integrals)
        port : point (3,) of a rigid body that sits in the joint, from its frame (default: the origin of its frame)
        tanks : propellant of a flexible body that burns, as `StagedVehicle.multibody` makes it
        check : False takes an inertia as given, even one that no real body has, and a body that the parent's component
            has already
        """
        where = f"body '{name}'"
        if not isinstance(name, str) or not name:
            raise InputError("a body needs a name", expected="text", got=repr(name))
        if name in self.bodies:
            raise InputError(f"there is already a body '{name}'", hint="give every body a name of its own")
        if (mass is None) == (component is None):
            raise InputError(
                "a body is either rigid or flexible", where=where, expected="mass= or component="
            )
        joint = joint if joint is not None else (Free() if parent is None else Locked())
        as_joint(joint, where)
        spec = BodySpec(
            name=name,
            parent=parent,
            joint=joint,
            at=self.place(parent, at, where),
            rotation=Rotation.of(rotation, where=f"{where}, rotation").matrix,
            stiffening=None if stiffening is None else bool(stiffening),
            rotary=bool(rotary),
            tanks=tanks,
        )
        if component is None and tanks is not None:
            raise InputError("tanks belong to a flexible body", where=where)
        if component is None:
            if rotary:
                raise InputError("a rigid body has no nodes that turn", where=f"{where}, rotary")
            spec.inertia = checked_inertia(mass, com, inertia, where, check)  # type: ignore[arg-type]  # None is refused
            spec.port = None if port is None else as_array(port, (3,), f"{where}, port")
            if check:
                refuse_twice(self, spec)
        elif port is not None:
            raise InputError("a flexible body is joined at a node", where=f"{where}, port", hint="use node=")
        else:
            component = self.in_own_units(component, where)
            if rotary is None and isinstance(component, Component):
                spec.rotary = component.rotary is not None and order != 0 and tanks is None
            fill_flexible(spec, component, Mounting(node, damping, order, n_modes), where)
        self.specs.append(spec)
        return spec

    def in_own_units(self, component: Component | str | Path, where: str) -> Component:
        """Return a component in the units of the vehicle, where those were given; one object for one component."""
        if isinstance(component, str | Path):
            component = Component.load(component)
        if not self.units or not isinstance(component, Component) or component.units == self.units:
            return component
        if not component.units:
            raise _unknown_units(component, where, self.units)
        if id(component) not in self._converted:
            self._converted[id(component)] = component, converted(component, self.units)
        return self._converted[id(component)][1]

    def add_lumped(
        self,
        parent: str,
        children: str | Sequence[str] | None = None,
        joints: Mapping[str, Joint] | None = None,
    ) -> list[BodySpec]:
        """Add the lumped masses that were taken out of a flexible body, each on the joint that held it in the deck.

        Parameters
        ----------
        parent : name of the flexible body
        children : names of the child bodies to add, as in "CONM2_301" (default: all)
        joints : child body -> joint in place of the deck's, as in {"CONM2_301": ist.Universal("yz")}

        Returns
        -------
        The bodies that were added, named "parent.child". The frame of each is at its own grid, and its joint where the
        deck has it: a ball joint at the dependent end of an RBAR that holds translations alone, locked to the grid that
        an RBE2 or RBE3 moves.
        """
        return add_lumped(self, parent, children, joints)

    def place(self, parent: str | None, at: ArrayLike | int | None, where: str) -> np.ndarray | int:
        """Return the place on the parent: a point, or a node that its component has."""
        on = None if parent is None else self.spec(parent, where=f"{where}, parent").component
        if on is None:
            if isinstance(at, int | np.integer):
                raise InputError(
                    "a rigid parent has points, not nodes",
                    where=f"{where}, at",
                    expected="three numbers",
                    got=f"{at}",
                )
            return as_array((0.0, 0.0, 0.0) if at is None else at, (3,), f"{where}, at")
        if not isinstance(at, int | np.integer):
            raise InputError(
                f"the flexible parent '{parent}' is joined at a node",
                where=f"{where}, at",
                expected="a node id",
                got=repr(at),
                hint=known_names(on.node_ids),
            )
        on.node_row(int(at))
        return int(at)

    @named_arguments
    def close(
        self,
        name: str,
        first: Target,
        second: Target = None,
        *,
        joint: Joint | None = None,
        rotation: RotationLike | None = None,
    ) -> ClosureSpec:
        """Join two places in a loop.

        Parameters
        ----------
        name : name of the closure, new
        first, second : (body, node) of a flexible body, (body, point) of a rigid one, ("ground", point) or
            (None, point) on the ground, in world axes; None is the origin of the world
        joint : what the second place may do with respect to the first (default Ball)
        rotation : R, x_first = R @ x_second at zero coordinates of the joint
        """
        where = f"closure '{name}'"
        if not isinstance(name, str) or not name:
            raise InputError("a closure needs a name", expected="text", got=repr(name))
        if name in [spec.name for spec in self.closures]:
            raise InputError(
                f"there is already a closure '{name}'", hint="give every closure a name of its own"
            )
        ends = end_of(self, first, where), end_of(self, second, where)
        check_ends(self, ends, where)
        R = Rotation.of(rotation, where=f"{where}, rotation").matrix
        spec = ClosureSpec(name, ends, check_joint(Ball() if joint is None else joint, where), R)
        self.closures.append(spec)
        return spec

    def save(self, path: str | Path) -> None:
        """Write the description to a file (HDF5), components inside, whole or not at all."""
        from interstage.multibody.model_file import write_model

        write_model(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Multibody:
        """Read a description; what compiles from it is what was saved, to the last bit."""
        from interstage.multibody.model_file import read_model

        return read_model(path)

    def compile(self) -> System:
        """Check the description and return the system that computes with it."""
        from interstage.multibody.system import System

        # a system keeps a description of its own: bodies added here later, and masses set there, do not meet
        specs = [replace(spec) for spec in self.specs]
        return System(replace(self, specs=specs, closures=list(self.closures), units=vehicle_units(self)))


def _unknown_units(component: Component, where: str, units: dict[str, str]) -> ModelError:
    """Make the error for a component without units in a vehicle that has some."""
    return ModelError(
        f"the units of component '{component.name}' are not known, those of the vehicle are {units_text(units)}",
        where=where,
        hint='say which they are: component.with_changes(units="SI"), or units= when it is made',
    )


def vehicle_units(model: Multibody) -> dict[str, str]:
    """Return the units of a vehicle, {} where they are not known; components in different ones are an error."""
    used = [(spec.name, spec.component) for spec in model.specs if spec.component is not None]
    known = [(name, c) for name, c in used if c.units]
    if not known:
        return model.units
    first, units = known[0][0], model.units or known[0][1].units
    for name, c in used:
        if not c.units:
            raise _unknown_units(c, f"body '{name}'", units)
        if c.units != units:
            raise ModelError(
                "components of one vehicle are in different units",
                where=f"body '{name}'",
                expected=f"{units_text(units)}, as body '{first}'",
                got=units_text(c.units),
                hint='give the vehicle units, ist.Multibody(..., units="SI"), and components are converted to them',
            )
    return units


def checked_inertia(
    mass: ArrayLike, com: ArrayLike, inertia: ArrayLike | None, where: str, check: bool = True
) -> RigidInertia:
    """Return checked mass properties; a mass of zero is allowed for a body that only carries others."""
    tensor = np.zeros((3, 3)) if inertia is None else np.asarray(inertia, dtype=float)
    if tensor.shape == (3,):
        tensor = np.diag(tensor)
    rigid = RigidInertia(np.asarray(mass, dtype=float), np.asarray(com, dtype=float), tensor)
    if not check or (rigid.mass == 0.0 and not rigid.inertia.any()):
        return rigid
    return rigid.check(where=where)


class MountingOptions(TypedDict, total=False):
    """Keywords of `System.replace_component`."""

    node: int | None
    damping: ArrayLike | None
    order: int | None
    n_modes: int | None


class Mounting(NamedTuple):
    """How a flexible body is used, as `Multibody.add_body` says."""

    node: int | None = None
    damping: ArrayLike | None = None
    order: int | None = None
    n_modes: int | None = None


def fill_flexible(spec: BodySpec, component: Component | str | Path, how: Mounting, where: str) -> None:
    """Fill in the flexible part of a description."""
    node, damping, order, n_modes = how
    if isinstance(component, str | Path):
        component = Component.load(component)
    if not isinstance(component, Component):
        raise InputError(
            "not a component", where=where, expected="a Component or a file", got=repr(component)
        )
    if node is None:
        node = _default_node(spec, component, where)
    if node is not None:
        component.node_row(node)
    if order is None:
        order = 2 if component.has_integrals else 0
    if order not in (0, 1, 2):
        raise InputError("fidelity is 0, 1 or 2", where=f"{where}, order", got=repr(order))
    if spec.rotary and (order == 0 or component.rotary is None):
        raise InputError(
            "nodes that turn need their integrals",
            where=f"{where}, rotary",
            expected="order 1 or 2, and a component with integrals of rotary nodes",
            got=f"order {order}" if component.rotary is not None else f"component '{component.name}' without",
            hint="make the component with rotary_integrals=True (--rotary-integrals)",
        )
    if damping is not None:
        damping = np.asarray(damping, dtype=float)
        if damping.shape not in ((), (n_modes or component.n_modes,)) or not np.all(damping >= 0.0):
            raise InputError(
                "the modal damping does not fit",
                where=f"{where}, damping",
                expected=f"one ratio, or {n_modes or component.n_modes}, not negative",
                got=repr(damping.tolist()),
            )
    if damping is not None:
        warn_overcritical(float(np.max(damping, initial=0.0)), f"{where}, damping")
    spec.component, spec.node, spec.damping = component, node, damping
    spec.order, spec.n_modes = order, n_modes


def _default_node(spec: BodySpec, component: Component, where: str) -> int | None:
    """Return the only interface node, or None for a free body without one."""
    if len(component.aset) == 1:
        return int(next(iter(component.aset)))
    if len(component.aset) == 0 and spec.joint.is_free:
        return None
    raise InputError(
        "the inboard node of a flexible body is not clear",
        where=f"{where}, node",
        expected="node= one of its nodes",
        hint=known_names(component.aset or component.node_ids),
    )
