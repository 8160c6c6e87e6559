"""Fill laws: centre of mass and inertia of what is left in a tank or motor.

Contents are rigid and settled against the end from which `axis` points away (the bottom): liquids with a flat
surface across the axis, as under thrust along it. Slosh is motion, not mass: it belongs to a pendulum or
spring of the vehicle model.

Every law has `capacity`, the mass when full, and `properties(mass)`, which returns centre of mass (3,) and
inertia (3, 3) about it, in the axes of the tank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
Vector = Sequence[float]


class FillLaw(Protocol):
    """What a tank asks of a fill law."""

    @property
    def capacity(self) -> float:
        """Mass when full."""

    def properties(self, mass: float) -> tuple[np.ndarray, np.ndarray]:
        """Return centre of mass (3,) and inertia (3, 3) about it."""


@named_arguments
@dataclass(frozen=True)
class CylinderFill:
    """Liquid in a cylinder with flat ends.

    radius, length, density : of the inside, of the liquid
    bottom : centre (3,) of the end where the liquid settles
    axis : "x", "-z" or a direction (3,), from the bottom to the top
    """

    radius: float
    length: float
    density: float
    bottom: Vector = (0.0, 0.0, 0.0)
    axis: str | Vector = "z"

    def __post_init__(self):
        _check_positive(self, "radius", "length", "density")
        _settle(self, "bottom")

    @property
    def capacity(self) -> float:
        """ρ π R² L."""
        return self.density * np.pi * self.radius**2 * self.length

    def level(self, mass: float) -> float:
        """Return the height h of the surface above the bottom, m = ρ π R² h."""
        return mass / (self.density * np.pi * self.radius**2)

    def properties(self, mass: float) -> tuple[np.ndarray, np.ndarray]:
        """Return centre of mass and inertia of a cylinder: m R²/2 along, m (R²/4 + h²/12) across."""
        h, R = self.level(mass), self.radius
        along, across = 0.5 * mass * R * R, mass * (R * R / 4.0 + h * h / 12.0)
        return _axial(self.bottom, self.axis, 0.5 * h, along, across)


@named_arguments
@dataclass(frozen=True)
class SphereFill:
    """Liquid in a sphere.

    radius, density : of the inside, of the liquid
    center : (3,);  axis : "x", "-z" or a direction (3,), away from where the liquid settles
    """

    radius: float
    density: float
    center: Vector = (0.0, 0.0, 0.0)
    axis: str | Vector = "z"

    def __post_init__(self):
        _check_positive(self, "radius", "density")
        _settle(self, "center")

    @property
    def capacity(self) -> float:
        """ρ 4/3 π R³."""
        return self.density * 4.0 / 3.0 * np.pi * self.radius**3

    def level(self, mass: float) -> float:
        """Return the height h of the surface above the lowest point, m = ρ π h² (R − h/3).

        With u = h/R this is u² − u³/3 = v; Newton's method from √v, on the smaller of liquid and void.
        """
        v = mass / (self.density * np.pi * self.radius**3)
        small = min(v, 4.0 / 3.0 - v)
        if small <= 0.0:
            return 0.0 if v <= 0.0 else 2.0 * self.radius
        u = np.sqrt(small)
        for _ in range(6):
            u -= (u * u * (1.0 - u / 3.0) - small) / (u * (2.0 - u))
        return float(self.radius * (u if v <= 2.0 / 3.0 else 2.0 - u))

    def properties(self, mass: float) -> tuple[np.ndarray, np.ndarray]:
        """Return centre of mass and inertia of the cap of height h.

        Discs at height t have radius² = t (2R − t): with dm = ρ π t (2R − t) dt the moments are
        ∫ t dm, ∫ t² dm and ∫ r² dm, polynomials in h that vanish smoothly with it.
        """
        h, R = self.level(mass), self.radius
        if not mass > 0.0 or h == 0.0:
            return _axial(self.center, self.axis, -R, 0.0, 0.0)
        volume = h * h * (R - h / 3.0)
        first = h**3 * (2.0 * R / 3.0 - h / 4.0) / volume
        second = h**4 * (R / 2.0 - h / 5.0) / volume
        r2 = h**3 * (4.0 * R * R / 3.0 - R * h + h * h / 5.0) / volume
        along, across = 0.5 * mass * r2, mass * (0.25 * r2 + second - first * first)
        return _axial(self.center, self.axis, first - R, along, across)


@named_arguments
@dataclass(frozen=True)
class SolidGrain:
    """Solid propellant: a cylinder with a round bore.

    outer_radius, inner_radius, length, density : of the fresh grain; inner_radius 0 for no bore
    bottom : centre (3,) of the end that an end burner keeps to the last
    axis : "x", "-z" or a direction (3,), from the bottom to the other end
    burning : "bore", from the bore outwards (the centre of mass stays), or "end", from the top downwards
    """

    outer_radius: float
    inner_radius: float
    length: float
    density: float
    bottom: Vector = (0.0, 0.0, 0.0)
    axis: str | Vector = "z"
    burning: str = "bore"

    def __post_init__(self):
        _check_positive(self, "outer_radius", "length", "density")
        _settle(self, "bottom")
        if not 0.0 <= self.inner_radius < self.outer_radius:
            raise InputError(
                "the bore of a grain does not fit",
                expected=f"0 <= inner_radius < {self.outer_radius:g}",
                got=f"{self.inner_radius:g}",
            )
        if self.burning not in ("bore", "end"):
            raise InputError("unknown way of burning", expected="bore or end", got=repr(self.burning))

    @property
    def capacity(self) -> float:
        """ρ π (Ro² − Ri²) L."""
        return self.density * np.pi * (self.outer_radius**2 - self.inner_radius**2) * self.length

    def properties(self, mass: float) -> tuple[np.ndarray, np.ndarray]:
        """Return centre of mass and inertia: m (Ro² + Ri²)/2 along, m (Ro² + Ri²)/4 + m h²/12 across."""
        Ro2, Ri2, h = self.outer_radius**2, self.inner_radius**2, self.length
        if self.burning == "bore":
            Ri2 = max(Ro2 - mass / (self.density * np.pi * h), 0.0)
        else:
            h = mass / (self.density * np.pi * (Ro2 - Ri2))
        along = 0.5 * mass * (Ro2 + Ri2)
        return _axial(self.bottom, self.axis, 0.5 * h, along, 0.5 * along + mass * h * h / 12.0)


@named_arguments
@dataclass(frozen=True)
class FillTable:
    """Contents from a table, between whose rows the centre of mass and the inertia are taken linearly.

    mass (n,) rising, com (n, 3), inertia (n, 3, 3) about the centre of mass, tank axes
    """

    mass: Sequence[float]
    com: Sequence[Vector]
    inertia: Sequence[Sequence[Vector]]

    def __post_init__(self):
        mass, com, inertia = (np.array(v, dtype=float) for v in (self.mass, self.com, self.inertia))
        n = len(mass) if mass.ndim == 1 else 0
        if (
            n < 2
            or com.shape != (n, 3)
            or inertia.shape != (n, 3, 3)
            or np.any(np.diff(mass) <= 0)
            or mass[0] < 0
        ):
            raise InputError(
                "a fill table does not fit together",
                expected="mass (n,) rising from 0 or more, com (n, 3), inertia (n, 3, 3), n >= 2",
                got=f"shapes {mass.shape}, {com.shape}, {inertia.shape}",
            )
        for name, value in (("mass", mass), ("com", com), ("inertia", inertia)):
            object.__setattr__(self, name, value.tolist())

    @property
    def capacity(self) -> float:
        """The last mass of the table."""
        return self.mass[-1]

    def properties(self, mass: float) -> tuple[np.ndarray, np.ndarray]:
        """Return centre of mass and inertia at a mass; below the first row inertia scales with mass."""
        at = max(mass, self.mass[0])
        k = int(np.clip(np.searchsorted(self.mass, at), 1, len(self.mass) - 1))
        s = (at - self.mass[k - 1]) / (self.mass[k] - self.mass[k - 1])
        com = (1.0 - s) * np.array(self.com[k - 1]) + s * np.array(self.com[k])
        inertia = (1.0 - s) * np.array(self.inertia[k - 1]) + s * np.array(self.inertia[k])
        return com, inertia if mass >= at else inertia * (mass / at)


def _settle(law: object, center: str) -> None:
    """Replace axis and centre of a law by a unit vector and a point, both tuples, or say what is wrong."""
    axis = law.axis
    if isinstance(axis, str):
        sign, name = (-1.0, axis[1:]) if axis.startswith("-") else (1.0, axis)
        axis = [sign * x + 0.0 for x in _AXES.get(name, (np.nan,) * 3)]
    for name, value in (("axis", axis), (center, getattr(law, center))):
        vector = np.array(value, dtype=float)
        length = np.linalg.norm(vector) if vector.shape == (3,) else np.nan
        if not np.isfinite(length) or (name == "axis" and length == 0.0):
            raise InputError(
                f"the {name} of a fill law is not a {'direction' if name == 'axis' else 'point'}",
                where=type(law).__name__,
                expected="x, y, z, -x, -y, -z or three numbers" if name == "axis" else "three numbers",
                got=repr(getattr(law, name)),
            )
        object.__setattr__(law, name, tuple((vector / length if name == "axis" else vector).tolist()))


def _axial(
    center: Vector, axis: Vector, height: float, along: float, across: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the point `height` along the axis, and the tensor with two equal moments across it."""
    n = np.array(axis)
    return np.array(center) + height * n, across * np.eye(3) + (along - across) * np.outer(n, n)


def _check_positive(law: object, *names: str) -> None:
    for name in names:
        value = getattr(law, name)
        if not (
            isinstance(value, int | float | np.floating | np.integer) and np.isfinite(value) and value > 0
        ):
            raise InputError(
                f"the {name} of a fill law must be positive", where=type(law).__name__, got=repr(value)
            )


LAWS = {law.__name__: law for law in (CylinderFill, SphereFill, SolidGrain, FillTable)}
