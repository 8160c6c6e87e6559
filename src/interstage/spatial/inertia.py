"""Mass properties of a rigid body as a record that cannot change, with the rules that they must obey."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InertiaError, InputError
from interstage.spatial import functions, inertia_kernels
from interstage.spatial.checks import as_array
from interstage.spatial.rotation import Rotation


@named_arguments
@dataclass(frozen=True, eq=False, init=False)
class RigidInertia:
    """Mass, centre of mass and inertia of a rigid body, in one frame B.

    Attributes
    ----------
    mass : m
    com : p_BBcm (3,), position of the centre of mass from B's origin, in B
    inertia : I_BBcm_B (3, 3), inertia about the centre of mass, in B's axes; products of inertia carry
        the sign of the tensor, I_xy = −∫xy dm

    Making one looks at shapes only, `check` at the physics. Values may be complex (for slopes).

    >>> rod = RigidInertia(2.0, [0.5, 0, 0], np.diag([0, 1 / 6, 1 / 6]))
    >>> round(float(rod.about([0, 0, 0])[1, 1]), 12)
    0.666666666667
    """

    mass: float
    com: np.ndarray
    inertia: np.ndarray

    def __init__(self, mass: ArrayLike, com: ArrayLike, inertia: ArrayLike):
        center, tensor = _numbers(com, (3,), "centre of mass"), _numbers(inertia, (3, 3), "inertia")
        center.flags.writeable = tensor.flags.writeable = False
        object.__setattr__(self, "mass", _numbers(mass, (), "mass")[()])
        object.__setattr__(self, "com", center)
        object.__setattr__(self, "inertia", tensor)

    def __str__(self) -> str:
        lines = [f"mass            {self.mass:.9g}", "centre of mass  " + _spaced(self.com)]
        for k, row in enumerate(self.inertia):
            lines.append(("inertia (com)   " if k == 0 else " " * 16) + _spaced(row))
        return "\n".join(lines)

    @property
    def p_BBcm(self) -> np.ndarray:
        """Centre of mass (3,) from B's origin, in B: `com`."""
        return self.com

    @property
    def I_BBcm_B(self) -> np.ndarray:
        """Inertia (3, 3) about the centre of mass, in B's axes: `inertia`."""
        return self.inertia

    @property
    def I_BBo_B(self) -> np.ndarray:
        """Inertia (3, 3) about B's origin, in B's axes."""
        return self.about(np.zeros(3))

    @classmethod
    def point(cls, mass: float, com: ArrayLike = (0.0, 0.0, 0.0)) -> RigidInertia:
        """Return a point mass."""
        return cls(mass, com, np.zeros((3, 3)))

    @classmethod
    def from_about_point(
        cls, mass: float, com: ArrayLike, inertia: ArrayLike, point: ArrayLike
    ) -> RigidInertia:
        """Return the record of an inertia given about any point (3,) of the same frame."""
        about = cls(mass, com, inertia)
        m, c, J, p, I_com = functions.with_output(
            (3, 3), about.mass, about.com, about.inertia, _numbers(point, (3,), "point")
        )
        inertia_kernels.inertia_about_com(m[()], c, J, p, I_com)
        return cls(m[()], c, I_com)

    @classmethod
    def from_matrix(cls, M: ArrayLike) -> RigidInertia:
        """Return the record of a spatial inertia (6, 6) about the frame's origin, [t; f] order."""
        M = _numbers(M, (6, 6), "spatial inertia")
        mass = (M[3, 3] + M[4, 4] + M[5, 5]) / 3.0
        if mass == 0:
            raise InertiaError(
                "a spatial inertia without mass has no centre of mass", where="spatial inertia"
            )
        com = 0.5 * np.array([M[2, 4] - M[1, 5], M[0, 5] - M[2, 3], M[1, 3] - M[0, 4]]) / mass
        rigid = cls.from_about_point(mass, com, M[:3, :3], np.zeros(3))
        error = np.abs(rigid.matrix() - M).max()
        if error > 1e-9 * np.abs(M).max():
            raise InertiaError(
                "not the spatial inertia of a rigid body",
                expected="[J [c]; [c]ᵀ m 1] with c = m com",
                got=f"an entry that differs by {error:.3g}",
                hint="articulated and modal inertias have no mass and centre of mass",
            )
        return rigid

    def matrix(self) -> np.ndarray:
        """Return the spatial inertia (6, 6) about the frame's origin, angular part first."""
        return functions.spatial_inertia(self.mass, self.com, self.inertia)

    def about(self, point: ArrayLike) -> np.ndarray:
        """Return the inertia (3, 3) about a point (3,) of the frame."""
        m, c, I_com, p, J = functions.with_output(
            (3, 3), self.mass, self.com, self.inertia, _numbers(point, (3,), "point")
        )
        inertia_kernels.inertia_about_point(m[()], c, I_com, p, J)
        return J

    def shift(self, p_AB: ArrayLike) -> RigidInertia:
        """Return the same body seen from origin A, same axes, p_AB from A to B: com_A = com + p_AB."""
        return RigidInertia(self.mass, self.com + _numbers(p_AB, (3,), "shift"), self.inertia)

    def rotate(self, R_AB: Rotation | ArrayLike) -> RigidInertia:
        """Return the same body in the axes of A, with the same origin: com_A = R com, I_A = R I Rᵀ."""
        R = _numbers(R_AB, (3, 3), "rotation")
        if not np.iscomplexobj(R):
            R = Rotation.of(R).matrix
        return RigidInertia(self.mass, R @ self.com, R @ self.inertia @ R.T)

    def transform(self, R_AB: Rotation | ArrayLike, p_AB: ArrayLike) -> RigidInertia:
        """Return the same body in frame A, given R_AB and p_AB in A: rotate, then shift."""
        return self.rotate(R_AB).shift(p_AB)

    def add(self, other: RigidInertia) -> RigidInertia:
        """Return both bodies as one; both are in the same frame."""
        arrays = functions.with_output(
            3, self.mass, self.com, self.inertia, other.mass, other.com, other.inertia
        )
        m1, c1, I1, m2, c2, I2, com = arrays
        if m1 + m2 == 0:
            raise InertiaError("two bodies without mass have no common centre of mass", where="add")
        inertia = np.empty((3, 3), dtype=com.dtype)
        mass = inertia_kernels.add_inertia(m1[()], c1, I1, m2[()], c2, I2, com, inertia)
        return RigidInertia(mass, com, inertia)

    def remove(self, part: RigidInertia) -> RigidInertia:
        """Return what is left of this body without a part of it; both are in the same frame."""
        arrays = functions.with_output(
            3, self.mass, self.com, self.inertia, part.mass, part.com, part.inertia
        )
        m, c, I_com, m1, c1, I1, com = arrays
        if not (m - m1).real > 0:
            raise InertiaError(
                "removing a part must leave some mass",
                where="remove",
                expected=f"a part lighter than {m.real:.9g}",
                got=f"{m1.real:.9g}",
            )
        inertia = np.empty((3, 3), dtype=com.dtype)
        mass = inertia_kernels.remove_inertia(m[()], c, I_com, m1[()], c1, I1, com, inertia)
        return RigidInertia(mass, com, inertia)

    def __add__(self, other: RigidInertia) -> RigidInertia:
        return self.add(other) if isinstance(other, RigidInertia) else NotImplemented

    def __sub__(self, other: RigidInertia) -> RigidInertia:
        return self.remove(other) if isinstance(other, RigidInertia) else NotImplemented

    def principal(self) -> tuple[np.ndarray, np.ndarray]:
        """Return principal moments (3,), ascending, and R_BP (3, 3), whose columns are their axes."""
        I_com, axes = functions.with_output((3, 3), self.inertia)
        work, moments = np.empty_like(axes), np.empty(3, dtype=axes.dtype)
        inertia_kernels.principal_inertia(I_com, work, moments, axes)
        return moments, axes

    def check(
        self, where: str | None = None, tolerance: float = 1e-6, definite: bool = False
    ) -> RigidInertia:
        """Raise InertiaError unless a real body can have these properties; return self.

        mass > 0; inertia symmetric; principal moments not negative (`definite`: positive); no principal
        moment larger than the sum of the other two. `tolerance` is relative to the largest entry: mass
        property reports are rounded, and flat bodies meet the last rule with equality. Point masses and
        rods have zero moments and pass unless `definite`.
        """
        m, I_com = self.mass.real, self.inertia.real
        if not m > 0:
            raise InertiaError("the mass is not positive", where=where, expected="mass > 0", got=f"{m:.9g}")
        scale = np.abs(I_com).max()
        self._check_symmetry(where, tolerance * scale)
        a, b, c = (float(x) for x in self.principal()[0].real)
        if a < -tolerance * scale or (definite and a <= tolerance * scale):
            raise InertiaError(
                "the inertia is not positive" + (" definite" if definite else ""),
                where=where,
                expected=f"principal moments {'> 0' if definite else '>= 0'} about the centre of mass",
                got=f"{a:.9g}, {b:.9g}, {c:.9g}",
                hint="check the signs, and that the inertia is about the centre of mass",
            )
        if c > a + b + tolerance * scale:
            raise InertiaError(
                "the inertia breaks the triangle inequality",
                where=where,
                expected="no principal moment larger than the sum of the other two",
                got=f"{c:.9g} > {a:.9g} + {b:.9g}",
                hint="check the axes, the units and the point that the inertia is about",
            )
        return self

    def _check_symmetry(self, where: str | None, tolerance: float) -> None:
        for i, j in ((0, 1), (0, 2), (1, 2)):
            upper, lower = self.inertia.real[i, j], self.inertia.real[j, i]
            if abs(upper - lower) > tolerance:
                names = f"I{'xyz'[i]}{'xyz'[j]} = I{'xyz'[j]}{'xyz'[i]}"
                raise InertiaError(
                    "the inertia is not symmetric",
                    where=where,
                    expected=names,
                    got=f"{upper:.9g} and {lower:.9g}",
                )

    def is_close(self, other: RigidInertia, tolerance: float = 1e-12) -> bool:
        """Say whether two records agree to a relative tolerance in mass, centre of mass and inertia."""
        M, N = self.matrix(), other.matrix()
        return bool(np.abs(M - N).max() <= tolerance * max(np.abs(M).max(), np.abs(N).max()))


def _spaced(row: np.ndarray) -> str:
    return "  ".join(f"{value:>13.6g}" for value in row)


def _numbers(value: ArrayLike, shape: tuple[int, ...], where: str) -> np.ndarray:
    """As `as_array`, but with the error that speaks of inertia."""
    try:
        return as_array(value, shape, where, allow_complex=True)
    except InputError as error:
        raise InertiaError(
            error.what, where=error.where, expected=error.expected, got=error.got, hint=error.hint
        ) from None
