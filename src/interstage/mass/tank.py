"""A propellant tank or solid motor: a mass body whose centre of mass and inertia follow its contents."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InertiaError, InputError
from interstage.mass.body import MassBody
from interstage.mass.fill import FillLaw
from interstage.mass.inertia_spec import check_core
from interstage.mass.orientation import Orientation, OrientationLike
from interstage.spatial import RigidInertia
from interstage.spatial.checks import as_array


@named_arguments
class Tank(MassBody):
    """A tank with contents that obey a fill law.

    Parameters
    ----------
    name : name of the part
    law : fill law (`CylinderFill`, `SphereFill`, `SolidGrain`, `FillTable`, or any object with `capacity` and
        `properties`), in the structure axes of the tank
    fill : part of the capacity that is filled, 0 to 1; or
    contents : mass of the contents
    dry_mass, dry_position, dry_inertia : of the empty tank; inertia about its centre of mass, structure axes
    orientation : body axes with respect to structure axes

    >>> from interstage.mass import CylinderFill
    >>> lox = Tank("oxygen", CylinderFill(radius=1.0, length=4.0, density=1141.0), dry_mass=300.0)
    >>> _ = lox.burn(0.5 * lox.law.capacity)
    >>> round(lox.fill, 12), lox.level
    (0.5, 2.0)
    """

    def __init__(
        self,
        name: str,
        law: FillLaw,
        fill: float | None = None,
        contents: float | None = None,
        dry_mass: float = 0.0,
        dry_position: ArrayLike = (0.0, 0.0, 0.0),
        dry_inertia: ArrayLike | None = None,
        orientation: OrientationLike | None = None,
    ):
        where = f"tank '{name}'"
        if not hasattr(law, "capacity") or not hasattr(law, "properties"):
            raise InputError("not a fill law", where=where, expected="an object with capacity and properties")
        if fill is not None and contents is not None:
            raise InputError(
                "the contents of a tank are given twice", where=where, hint="give fill or contents"
            )
        self.law = law
        J = np.zeros((3, 3)) if dry_inertia is None else np.asarray(dry_inertia, dtype=float)
        dry = RigidInertia(dry_mass, dry_position, np.diag(J) if J.shape == (3,) else J)
        self._dry = check_core(dry, where)
        super().__init__(name, orientation=Orientation.of(orientation, where))
        if contents is None:
            contents = (1.0 if fill is None else float(as_array(fill, (), f"{where}, fill"))) * law.capacity
        self.set_contents(contents)

    @property
    def contents(self) -> float:
        """Mass of the contents."""
        return self._contents

    @property
    def fill(self) -> float:
        """Part of the capacity that is filled."""
        return self._contents / self.law.capacity

    @property
    def level(self) -> float:
        """Height of the surface above the bottom, for laws that have one."""
        if not hasattr(self.law, "level"):
            raise InputError(f"a {type(self.law).__name__} has no level", where=f"tank '{self.name}'")
        return self.law.level(self._contents)

    @property
    def dry(self) -> RigidInertia:
        """Properties of the empty tank, structure axes."""
        return self._dry

    def set_contents(self, mass: float) -> None:
        """Change the mass of the contents; centre of mass and inertia follow the law."""
        mass = float(as_array(mass, (), f"tank '{self.name}', contents"))
        capacity = self.law.capacity
        # a mass that misses the limits by rounding is at the limit
        slack = 1e-12 * capacity
        if not -slack <= mass <= capacity + slack:
            raise InertiaError(
                "the contents do not fit into the tank",
                where=f"tank '{self.name}'",
                expected=f"0 to {capacity:.9g}",
                got=f"{mass:.9g}",
            )
        self._contents = mass = min(max(mass, 0.0), capacity)
        com, inertia = self.law.properties(mass)
        both = RigidInertia(mass, com, inertia)
        if self._dry.mass > 0.0:
            both = self._dry + both
        self._write_core(both.mass, both.com, both.inertia)

    def burn(self, mass: float) -> float:
        """Take mass out of the contents and return what was taken: no more than there was."""
        mass = float(as_array(mass, (), f"tank '{self.name}', burn"))
        if mass < 0.0:
            raise InertiaError(
                "a tank cannot burn a negative mass", where=f"tank '{self.name}'", got=f"{mass:.9g}"
            )
        taken = min(mass, self._contents)
        self.set_contents(self._contents - taken)
        return taken

    def set_core(self, *args: object, **kwargs: object) -> None:
        """Refuse: the core of a tank follows its contents."""
        if hasattr(self, "_contents"):
            raise InputError(
                "the core of a tank follows its contents",
                where=f"tank '{self.name}'",
                hint="use set_contents or burn",
            )
