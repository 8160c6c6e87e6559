"""CBAR: the prismatic beam, whose neutral axis and shear centre coincide."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from interstage.fem.elements.block import ElementBlock, Heat, OutputOptions, ResultRows, by_element
from interstage.fem.elements.line_common import (
    arm_stiffness,
    bending_stress,
    cantilever_stiffness,
    end_moments,
    end_motion,
    line_geometric_stiffness,
    pin_motion,
    release,
    transform,
)


@dataclass(frozen=True)
class LineGeometry:
    """Where bars and beams lie: arrays of n rows.

    R : (n, 3, 3) element axes as columns, basic
    length : (n,) between the ends (after offsets)
    w_a, w_b : (n, 3) offsets of the ends from their grids, basic axes
    pins : (n, 12) bool, released dofs of end A and end B in element axes
    """

    R: np.ndarray
    length: np.ndarray
    w_a: np.ndarray
    w_b: np.ndarray
    pins: np.ndarray

    def __getitem__(self, rows) -> LineGeometry:
        return LineGeometry(self.R[rows], self.length[rows], self.w_a[rows], self.w_b[rows], self.pins[rows])

    def end_motion(self) -> np.ndarray:
        """(n, 12, 12) from grid motion in basic axes to end motion in element axes."""
        return end_motion(self.R, self.w_a, self.w_b)


@dataclass(frozen=True)
class BarSection:
    """Section of each bar, arrays of n rows.

    I1 = ∫y² dA resists bending in plane 1 (xy), I2 = ∫z² dA in plane 2, I12 = ∫yz dA couples them.
    K1, K2 are shear factors, 0 for no shear flexibility; NASTRAN ignores them where I12 is not zero.
    mass_per_length includes non-structural mass.
    """

    E: np.ndarray
    G: np.ndarray
    A: np.ndarray
    I1: np.ndarray
    I2: np.ndarray
    I12: np.ndarray
    J: np.ndarray
    K1: np.ndarray
    K2: np.ndarray
    mass_per_length: np.ndarray

    def __getitem__(self, rows) -> BarSection:
        return BarSection(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


class LineBlock(ElementBlock):
    """Elements between two grids with offsets and pins, whose stiffness without pins a family gives."""

    geometry: LineGeometry

    def unpinned(self, rows: slice) -> np.ndarray:
        """Stiffness (n, 12, 12) in element axes before pins are released."""
        raise NotImplementedError

    def section_compliance(self, rows: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Strains (ε γy γz φ' κy κz) of unit (Fx Fy Fz Mx My Mz), (n, p, 6, 6), at fractions x (n, p) of `rows`."""
        raise NotImplementedError

    def stiffness(self, rows: slice) -> np.ndarray:
        geometry = self.geometry[rows]
        return transform(release(self.unpinned(rows), geometry.pins), geometry.end_motion())

    def thermal_motion(self, heat: Heat) -> np.ndarray:
        """End A stays; end B moves by αTL and turns and bends with the curvatures -αT' of both planes."""
        L, alpha = self.geometry.length, self.expansion
        end = np.zeros((len(self), 6))
        end[:, 0] = alpha * heat.mean * L
        for first, deflection, turn, sign in ((0, 1, 5, 1.0), (2, 2, 4, -1.0)):
            at_a, at_b = heat.ends[:, first], heat.ends[:, first + 1]
            end[:, deflection] = -alpha * L**2 * (at_a / 3.0 + at_b / 6.0)
            end[:, turn] = -sign * alpha * L * (at_a + at_b) / 2.0
        return self.moved(end)

    def moved(self, end: np.ndarray) -> np.ndarray:
        """Motion (n, 12) of the grids, basic axes, that moves end B by `end` (n, 6), element axes, and A not at all."""
        out = np.zeros((len(self), 12))
        out[:, 6:] = np.linalg.solve(self.geometry.end_motion()[:, 6:, 6:], end[:, :, None])[:, :, 0]
        return out

    def recovery(self, rows: slice) -> np.ndarray:
        """Forces on the element at A and B in element axes, (n, 12, 12)."""
        geometry = self.geometry[rows]
        return release(self.unpinned(rows), geometry.pins) @ geometry.end_motion()


class BarBlock(LineBlock):
    """CBAR elements.

    Stiffness: inverse of the cantilever flexibility f11 = L³/3EI + L/KAG, f12 = L²/2EI, f22 = L/EI in each
    plane, coupled by I12; EA/L and GJ/L. Pins are condensed before the offsets are applied.

    Mass: lumped, half on the translations of each end; or coupled as NASTRAN does it: cubic (Hermite) in
    bending without shear or rotary terms, 5/12 and 1/12 along the axis, no torsional inertia. Offsets are
    rigid arms for mass too. With coupled mass a released end follows without load, in mass as in stiffness
    (as NASTRAN-95 has it); lumped mass does not change.

    Parameters
    ----------
    rotary : (n, 2) ρI2 and ρI1, mass moments of inertia per length about local y and z, of which half the
        element's are put on the rotations of each end when mass is lumped; none by default
    stress_points : (n, 4, 2) y and z of the points C D E F where bending stress is asked for
    """

    def __init__(
        self,
        eid,
        nodes,
        geometry: LineGeometry,
        section: BarSection,
        ge: np.ndarray | None = None,
        rotary: np.ndarray | None = None,
        stress_points: np.ndarray | None = None,
    ):
        super().__init__("CBAR", eid, nodes, ge)
        self.geometry, self.section, self.rotary = geometry, section, rotary
        self.stress_points = np.zeros((len(self.eid), 4, 2)) if stress_points is None else stress_points

    def unpinned(self, rows: slice) -> np.ndarray:
        """Stiffness (n, 12, 12) in element axes before pins are released."""
        bending, shear, active = _flexibility(self.section[rows])
        return cantilever_stiffness(bending, shear, active, self.geometry.length[rows])

    def section_compliance(self, rows: np.ndarray, x: np.ndarray) -> np.ndarray:
        s = self.section[rows]
        bending, shear, _ = _flexibility(s)
        out = bending + shear
        # bending holds the unit cantilever: its rotations at B are the curvatures of the section
        out[:, (1, 2, 1, 2), (4, 4, 5, 5)] = out[:, (4, 4, 5, 5), (1, 2, 1, 2)] = 0.0
        out[:, 1:3, 1:3] = shear[:, 1:3, 1:3]
        return np.broadcast_to(out[:, None], (*x.shape, 6, 6))

    def force_tables(self, results, options: OutputOptions) -> list[ResultRows]:
        (M1a, M1b), (M2a, M2b) = end_moments(results)
        shear1, shear2, axial, torque = (-results[:, k] for k in (1, 2, 0, 3))
        values = np.stack([M1a, M2a, M1b, M2b, shear1, shear2, axial, torque], axis=1)
        columns = tuple(f"bending_moment_{end}{plane}" for end in "ab" for plane in (1, 2))
        return [
            ResultRows(
                self.name, (*columns, "shear1", "shear2", "axial", "torque"), self.eid, by_element(values)
            )
        ]

    def stress_tables(self, results, options: OutputOptions) -> list[ResultRows]:
        s = self.section
        M1, M2 = end_moments(results)
        area = np.where(s.A > 0.0, s.A, np.inf)[:, None]
        axial = -results[:, 0] / area, results[:, 6] / area
        margin = np.full_like(axial[0], np.nan)  # no allowable stresses are known
        parts, columns = [], []
        for end, letter in ((0, "a"), (1, "b")):
            bending = bending_stress(M1[end], M2[end], s.I1, s.I2, s.I12, self.stress_points)
            parts += [*bending.transpose(1, 0, 2)]
            columns += [f"s{i}{letter}" for i in (1, 2, 3, 4)]
            if end == 0:
                parts.append(axial[0])
                columns.append("axial")
            parts += [bending.max(axis=1) + axial[end], bending.min(axis=1) + axial[end], margin]
            columns += [f"smax{letter}", f"smin{letter}", "MS_compression" if end else "MS_tension"]
        return [ResultRows(self.name, tuple(columns), self.eid, by_element(np.stack(parts, axis=1)))]

    def strain_tables(self, results, options: OutputOptions) -> list[ResultRows]:
        (rows,) = self.stress_tables(results, options)
        columns = tuple(name.replace("s", "e", 1) if name[0] == "s" else name for name in rows.columns)
        E = np.where(self.section.E > 0.0, self.section.E, np.inf)
        return [replace(rows, columns=columns, values=rows.values / E[:, None])]

    def geometric_stiffness(self, rows: slice, results: np.ndarray, full: bool) -> np.ndarray:
        s = self.section[rows]
        polar = (s.I1 + s.I2) / np.where(s.A > 0.0, s.A, np.inf)
        return placed_geometric(self.geometry[rows], self.unpinned(rows), results, polar, full)

    def mass(self, rows: slice, coupled: bool) -> np.ndarray:
        geometry = self.geometry[rows]
        m = self.section.mass_per_length[rows] * geometry.length
        local = coupled_mass(m, geometry.length) if coupled else lumped_mass(m / 2.0, m / 2.0)
        if self.rotary is not None and not coupled:
            half = 0.5 * self.rotary[rows] * geometry.length[:, None]
            for dof in (4, 10):
                local[:, dof, dof], local[:, dof + 1, dof + 1] = half.T
        if coupled:
            local = pinned_mass(local, self.unpinned(rows), geometry.pins)
        return transform(local, geometry.end_motion())


def placed_geometric(geometry: LineGeometry, stiffness, forces, polar, full: bool) -> np.ndarray:
    """Geometric stiffness (n, 12, 12) of pinned and offset bars in basic axes; arguments as in the local form.

    Offsets are rigid arms; that end forces act at the ends of turning arms is part of the full form only.
    """
    local = line_geometric_stiffness(geometry.length, forces, polar, full)
    local = transform(local, pin_motion(stiffness, geometry.pins))
    out = transform(local, geometry.end_motion())
    if full:
        for first, w in ((0, geometry.w_a), (6, geometry.w_b)):
            force = np.einsum("nij,nj->ni", geometry.R, forces[:, first : first + 3])
            out[:, first + 3 : first + 6, first + 3 : first + 6] += arm_stiffness(force, w)
    return out


def pinned_mass(mass: np.ndarray, stiffness: np.ndarray, pins: np.ndarray) -> np.ndarray:
    """Coupled mass (n, 12, 12) of bars whose released ends follow without load, TᵀMT; local axes."""
    return transform(mass, pin_motion(stiffness, pins)) if pins.any() else mass


def lumped_mass(m_a: np.ndarray, m_b: np.ndarray) -> np.ndarray:
    """(n, 12, 12) with point masses m_a, m_b (n,) on the translations of the ends."""
    out = np.zeros((len(m_a), 12, 12))
    for i in (0, 1, 2):
        out[:, i, i] = m_a
        out[:, 6 + i, 6 + i] = m_b
    return out


def coupled_mass(m: np.ndarray, length: np.ndarray) -> np.ndarray:
    """(n, 12, 12) coupled mass of uniform beams of mass m and length (n,), local axes."""
    out = np.zeros((len(m), 12, 12))
    out[:, 0, 0] = out[:, 6, 6] = 5.0 / 12.0 * m
    out[:, 0, 6] = out[:, 6, 0] = m / 12.0
    # displacement and slope of both ends; the slope of plane 2 is -θy
    hermite = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]]) / 420.0
    for dofs, sign in (((1, 5, 7, 11), 1.0), ((2, 4, 8, 10), -1.0)):
        size = [np.ones_like(length), sign * length, np.ones_like(length), sign * length]
        for p, i in enumerate(dofs):
            for q, j in enumerate(dofs):
                out[:, i, j] = hermite[p, q] * m * size[p] * size[q]
    return out


def _flexibility(s: BarSection) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unit flexibilities (bending, shear) (n, 6, 6) of prismatic bars and the components with stiffness."""
    n = len(s.A)
    bending, shear = np.zeros((n, 6, 6)), np.zeros((n, 6, 6))
    active = np.zeros((n, 6), dtype=bool)
    active[:, 0], active[:, 3] = s.E * s.A > 0.0, s.G * s.J > 0.0
    active[:, 1] = active[:, 5] = s.E * s.I1 > 0.0
    active[:, 2] = active[:, 4] = s.E * s.I2 > 0.0
    bending[:, 0, 0] = _inverse(s.E * s.A)
    bending[:, 3, 3] = _inverse(s.G * s.J)
    # with I12 both planes bend: curvatures are (E I)^-1 m with the 2 x 2 matrix of moments of area
    determinant = np.where(s.I12 != 0.0, s.I1 * s.I2 - s.I12**2, 1.0)
    coupled = s.I12 != 0.0
    d11 = np.where(coupled, s.I2 / determinant * _inverse(s.E), _inverse(s.E * s.I1))
    d22 = np.where(coupled, s.I1 / determinant * _inverse(s.E), _inverse(s.E * s.I2))
    d12 = np.where(coupled, -s.I12 / determinant * _inverse(s.E), 0.0)
    # moments m1 = Mz + Fy (L - x), m2 = -My + Fz (L - x)
    for d, (fa, ma, sa), (fb, mb, sb) in (
        (d11, (1, 5, 1.0), (1, 5, 1.0)),
        (d22, (2, 4, -1.0), (2, 4, -1.0)),
        (d12, (1, 5, 1.0), (2, 4, -1.0)),
        (d12, (2, 4, -1.0), (1, 5, 1.0)),
    ):
        bending[:, fa, fb] += d / 3.0
        bending[:, fa, mb] += sb * d / 2.0
        bending[:, ma, fb] += sa * d / 2.0
        bending[:, ma, mb] += sa * sb * d
    for force, K in ((1, s.K1), (2, s.K2)):
        shear[:, force, force] = np.where(coupled, 0.0, _inverse(K * s.A * s.G))
    return bending, shear, active


def _inverse(x: np.ndarray) -> np.ndarray:
    """1 / x, and 0 where x is not positive (no stiffness, or no shear flexibility)."""
    positive = x > 0.0
    return np.where(positive, 1.0 / np.where(positive, x, 1.0), 0.0)
