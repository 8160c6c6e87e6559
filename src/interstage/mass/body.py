"""`MassBody`: one part of a vehicle, in a tree of parts, with its own and the assembly's mass properties."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InertiaError, InputError, known_names
from interstage.mass import tree
from interstage.mass.inertia_spec import core_inertia
from interstage.mass.links import Linked
from interstage.mass.orientation import Orientation, OrientationLike
from interstage.mass.point import MassPoint, MassProperties, PointState
from interstage.spatial.checks import as_array


class CoreOptions(TypedDict, total=False):
    """Ways to give an inertia, as `MassBody` says."""

    inertia_spec: str
    orientation: OrientationLike | None
    inertia_orientation: OrientationLike | None
    inertia_offset: ArrayLike | None
    check: bool


@named_arguments
class MassBody(Linked):
    """A part with mass, in a tree of parts that are fixed to each other (JEOD Mass Body).

    Parameters
    ----------
    name : name of the part
    mass : m; 0 for a part that only carries others or is empty
    position : centre of mass (3,) from the structure point, structure axes
    inertia : tensor (3, 3) or moments (3,) as `inertia_spec` says; products carry the sign of the tensor
    inertia_spec : none, body (default), struct_cg, struct, spec_cg or spec: see
        `interstage.mass.inertia_spec`
    orientation : body axes with respect to structure axes, a Rotation or Orientation (default: aligned)
    inertia_orientation, inertia_offset : for spec_cg and spec
    check : False takes a tensor that no body can have (some published data are such)

    Any units that fit together will do; SI unless said otherwise.

    >>> bus = MassBody("bus", mass=100.0, position=[0, 0, 1], inertia=[40, 40, 20])
    >>> tank = MassBody("tank", mass=50.0, inertia=[5, 5, 5])
    >>> tank.attach_to(bus, offset=[0, 0, 2.5])
    >>> bus.composite.mass, bus.composite.position
    (150.0, array([0. , 0. , 1.5]))
    """

    said_by: Mapping[str, str] = MappingProxyType(
        {
            **dict.fromkeys(("mass", "position", "inertia", "inertia_spec"), "set_core(mass=..., ...)"),
            "orientation": "another body: its axes stay",
            "parent": "attach_to, detach or reattach",
        }
    )
    """How to change what looks like an attribute and is none, by its name."""

    def __init__(
        self,
        name: str,
        mass: float = 0.0,
        position: ArrayLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike | None = None,
        inertia_spec: str = "body",
        orientation: OrientationLike | None = None,
        inertia_orientation: OrientationLike | None = None,
        inertia_offset: ArrayLike | None = None,
        check: bool = True,
    ):
        if not isinstance(name, str) or not name:
            raise InputError("a mass body needs a name", expected="text", got=repr(name))
        super().__init__()
        self.name = name
        self._points: dict[str, MassPoint] = {}
        R_SB = Orientation.of(orientation, f"mass body '{name}', orientation").rotation.matrix
        self._R_SB = np.array(R_SB)
        self.set_core(mass, position, inertia, inertia_spec, inertia_orientation, inertia_offset, check)

    def __setattr__(self, name: str, value: object) -> None:
        if name in self.said_by:  # an attribute of that name would say nothing
            raise InputError(
                f"the {name} of a body cannot be assigned",
                where=f"mass body '{self.name}'",
                hint=f"use {self.said_by[name]}",
            )
        super().__setattr__(name, value)

    # the part itself --------------------------------------------------------------------------------

    @property
    def core(self) -> MassProperties:
        """Properties of this part alone."""
        return self._properties(self.rows[0])

    @property
    def composite(self) -> MassProperties:
        """Properties of this part and of everything attached to it, brought up to date."""
        if self.stale:
            tree.update(self)
        return self._properties(self.total)

    def _properties(self, row: np.ndarray) -> MassProperties:
        T = self._R_SB.T
        inertia, position, axes = T @ row[4:].reshape(3, 3) @ self._R_SB, row[1:4].copy(), np.array(T)
        for array in (inertia, position, axes):  # a copy of what was: writing to it would change nothing
            array.flags.writeable = False
        return MassProperties(float(row[0]), position, inertia, axes, self)

    def set_core(
        self,
        mass: float | None = None,
        position: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
        inertia_spec: str = "body",
        inertia_orientation: OrientationLike | None = None,
        inertia_offset: ArrayLike | None = None,
        check: bool = True,
    ) -> None:
        """Change mass, centre of mass or inertia of this part; what is not given stays as it is.

        Without an inertia the tensor about the centre of mass stays (it is dropped with the last mass); use
        `burn` to let it shrink with the mass.
        """
        row = self.rows[0]
        inertia_spec = inertia_spec.lower() if isinstance(inertia_spec, str) else inertia_spec
        mass = row[0] if mass is None else mass
        position = row[1:4] if position is None else position
        if inertia is None and inertia_spec in ("body", "struct", "struct_cg", "none") and mass != 0.0:
            inertia, inertia_spec = row[4:].reshape(3, 3), "struct_cg"
        rigid = core_inertia(
            mass,
            position,
            inertia,
            inertia_spec,
            self._R_SB,
            inertia_orientation,
            inertia_offset,
            f"mass body '{self.name}'",
            check,
        )
        self._write_core(rigid.mass, rigid.com, rigid.inertia)

    def _write_core(self, mass: float, com: np.ndarray, inertia: np.ndarray) -> None:
        """Write properties (structure axes) without a check, and tell the tree."""
        row = self.rows[0]
        row[0], row[1:4], row[4:] = mass, com, inertia.ravel()
        tree.mark(self)

    def saved_extra(self, top: bool) -> dict[str, object]:
        """Return what a class has to save beside mass; `top` for the part that is saved as the root."""
        return {}

    def restore_extra(self, entry: Mapping[str, object], length: float) -> None:
        """Take up what `saved_extra` saved, lengths in units of `length`, when the tree stands."""

    def burn(self, mass: float) -> float:
        """Take mass off this part and return it; the centre of mass stays, the inertia scales."""
        row = self.rows[0]
        mass = float(as_array(mass, (), f"mass body '{self.name}', burn"))
        if not 0.0 <= mass <= row[0]:
            raise InertiaError(
                "a part cannot burn that much",
                where=f"mass body '{self.name}'",
                expected=f"0 to {row[0]:.9g}",
                got=f"{mass:.9g}",
            )
        left = row[0] - mass
        row[4:] *= left / row[0] if row[0] > 0.0 else 0.0
        row[0] = left
        tree.mark(self)
        return mass

    # points -----------------------------------------------------------------------------------------

    def add_point(
        self,
        name: str,
        position: ArrayLike = (0.0, 0.0, 0.0),
        orientation: OrientationLike | None = None,
        T_parent_this: ArrayLike | None = None,
    ) -> MassPoint:
        """Add a named point.

        position : (3,) from the structure point, structure axes
        orientation : a Rotation (x_struct = R x_point) or an Orientation; or
        T_parent_this : matrix (3, 3), x_point = T x_struct (a Rotation stands for its matrix)
        """
        where = f"point '{name}' of mass body '{self.name}'"
        if not isinstance(name, str) or not name:
            raise InputError("a point needs a name", where=f"mass body '{self.name}'", got=repr(name))
        if name in self._points:
            raise InputError(
                f"there is already a point '{name}'",
                where=f"mass body '{self.name}'",
                hint=f"give every point of a body a name of its own; {known_names(self._points)}",
            )
        R_SP = tree.turn(orientation, T_parent_this, where)
        point = MassPoint(self, name, as_array(position, (3,), where), R_SP)
        self._points[name] = point
        return point

    def point(self, name: str | MassPoint) -> MassPoint:
        """Return a point by name."""
        if isinstance(name, MassPoint) and name.body is self:
            return name
        if not isinstance(name, str) or name not in self._points:
            raise InputError(
                f"there is no point {name!r}",
                where=f"mass body '{self.name}'",
                hint=known_names(self._points),
            )
        return self._points[name]

    @property
    def points(self) -> dict[str, MassPoint]:
        """The named points."""
        return dict(self._points)

    @property
    def structure_point(self) -> PointState:
        """Where this part's structure axes are, seen from those of the part it is attached to."""
        return PointState(self.p_PC.copy(), self.R_PC.T.copy())

    # the tree ---------------------------------------------------------------------------------------

    @property
    def parent(self) -> MassBody | None:
        """The part that this one is attached to, None for a root."""
        return self.above

    @property
    def children(self) -> list[MassBody]:
        """Parts attached to this one, in the order of attachment."""
        return list(self.below)

    @property
    def root(self) -> MassBody:
        """The root of this part's tree."""
        return tree.root_of(self)

    def walk(self) -> list[MassBody]:
        """Return this part and all below it, parents first."""
        return tree.walk(self)

    def attach_to(self, parent: MassBody, **how: Unpack[tree.Placement]) -> None:
        """Attach this part to another, by points or by offset and orientation.

        Parameters
        ----------
        point, parent_point : the points fall together, z axes aligned, x and y axes opposed; or
        offset : (3,) from the parent's structure point to this one's, in the parent's structure axes
        T_parent_child : matrix (3, 3), x_child = T x_parent, between structure axes (default: aligned; a
            Rotation stands for its matrix); or
        orientation : the same as a Rotation (x_parent = R x_child) or an Orientation

        If this part is not the root of its tree, its root is attached, such that this part comes to lie as
        asked.
        """
        self.attach_at(parent, *tree.placement(self, parent, **how))

    def attach_child(self, child: MassBody, **how: Unpack[tree.Placement]) -> None:
        """Attach another part to this one: `child.attach_to(self, ...)`."""
        child.attach_to(self, **how)

    def detach(self) -> None:
        """Cut the tree just above this part, which becomes a root with all that is attached to it."""
        self.leave_tree()

    def reattach(self, parent: MassBody | None = None, **how: Unpack[tree.Placement]) -> None:
        """Move this part, with all that is attached to it, elsewhere on its parent or to another parent.

        how : as in `attach_to`
        """
        own = tree.check_has_parent(self, "moved")
        target = own if parent is None else parent
        R, p = tree.placement(self, target, **how)
        tree.root_of(self).move_part(self, target, R, p)

    # The steps that change the tree go through the root concerned, which may have a state to keep right.

    def attach_at(self, parent: MassBody, R_PC: np.ndarray, p_PC: np.ndarray) -> None:
        tree.root_of(self).join_tree(self, parent, R_PC, p_PC)

    def join_tree(self, child: MassBody, parent: MassBody, R_PC: np.ndarray, p_PC: np.ndarray) -> None:
        """Attach this root, such that `child` of its tree lies at (R_PC, p_PC) from the parent."""
        tree.attach(child, parent, R_PC, p_PC)

    def leave_tree(self) -> None:
        tree.detach(self)

    def move_part(self, part: MassBody, parent: MassBody, R_PC: np.ndarray, p_PC: np.ndarray) -> None:
        """Move a part of this root's tree."""
        tree.reattach(part, parent, R_PC, p_PC)

    def save(self, path: str | Path, mass_unit: str = "kg", length_unit: str = "m") -> None:
        """Write this part and all below it to a JSON file; the units say what the numbers are."""
        from interstage.mass.json_file import write_tree

        write_tree(self, path, mass_unit, length_unit)

    @classmethod
    def load(cls, path: str | Path, mass_unit: str = "kg", length_unit: str = "m") -> MassBody:
        """Read a JSON file and return the root of its tree, in the given units."""
        from interstage.mass.json_file import read_tree

        return read_tree(path, mass_unit, length_unit)

    def __str__(self) -> str:
        from interstage.mass.text import tree_text

        return tree_text(self)

    def __repr__(self) -> str:
        kind, mass = type(self).__name__, self.rows[0, 0]
        return f"<{kind} '{self.name}': mass {mass:.6g}, {len(self.below)} children>"
