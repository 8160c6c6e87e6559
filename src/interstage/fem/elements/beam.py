"""CBEAM: the tapered beam, whose axis is the line of shear centres.

Axial force and bending act at the neutral axis, which may be offset from the shear centres; torsion and
transverse shear act at the shear centres; non-structural mass may be offset too. Sections vary linearly
between stations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from interstage.fem.elements.bar import LineBlock, LineGeometry, pinned_mass, placed_geometric
from interstage.fem.elements.block import OutputOptions, ResultRows
from interstage.fem.elements.line_common import (
    bending_stress,
    cantilever_stiffness,
    end_moments,
    rigid_arm,
    transform,
)

_GAUSS = np.polynomial.legendre.leggauss(
    3
)  # NASTRAN's: a tapered run agrees to 2e-7 with 3 points, not with 2 or 4
_GAUSS_MASS = np.polynomial.legendre.leggauss(5)  # the mass integrands are polynomials of degree 7 at most


@dataclass(frozen=True)
class BeamSection:
    """One beam property: section values at stations, and constants.

    Attributes
    ----------
    x : (s,) stations as fractions of the length, 0 first and 1 last
    A, I1, I2, I12, J, nsm : (s,) at the stations
    E, G, rho : material
    K1, K2 : shear factors, 0 for no shear flexibility
    S1, S2 : shear relief of taper: part of the shear that the flanges carry is S M / L
    nsi : (2,) non-structural moment of inertia per length about its centre, ends A and B
    nsm_offset, neutral_axis : (2, 2) y and z of the non-structural mass and of the neutral axis
        from the shear centre, rows for ends A and B
    output : (s,) bool, stations where forces and stresses are asked for; the ends by default
    stress_points : (s, 4, 2) y and z of the points C D E F from the shear centre
    """

    x: np.ndarray
    A: np.ndarray
    I1: np.ndarray
    I2: np.ndarray
    I12: np.ndarray
    J: np.ndarray
    nsm: np.ndarray
    E: float
    G: float
    rho: float
    K1: float = 1.0
    K2: float = 1.0
    S1: float = 0.0
    S2: float = 0.0
    nsi: np.ndarray = field(default_factory=lambda: np.zeros(2))
    nsm_offset: np.ndarray = field(default_factory=lambda: np.zeros((2, 2)))
    neutral_axis: np.ndarray = field(default_factory=lambda: np.zeros((2, 2)))
    output: np.ndarray | None = None
    stress_points: np.ndarray | None = None

    def points(self, rule) -> tuple[np.ndarray, np.ndarray]:
        """Positions and weights of a quadrature rule repeated between the stations."""
        a, b = self.x[:-1, None], self.x[1:, None]
        at = 0.5 * (a + b) + 0.5 * (b - a) * rule[0]
        return at.ravel(), (0.5 * (b - a) * rule[1]).ravel()

    def flexibility(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Unit flexibilities (6, 6) of bending and of shear, and which components have stiffness (6,).

        With ξ = x/L and the load (Fx, Fy, Fz, Mx, My, Mz) at the shear centre of B, the section carries
        N = Fx, T = Mx, m1 = Mz + Fy (L - x) + Fx y_n and m2 = -My + Fz (L - x) + Fx z_n about the neutral
        axis (y_n, z_n); curvatures are (E I)⁻¹ m with I = [[I1, I12], [I12, I2]]. The shear that strains
        the web is V_i = F_i - S_i m_i / L.
        """
        xi, weight = self.points(_GAUSS)
        A, I1, I2, I12, J = (np.interp(xi, self.x, v) for v in (self.A, self.I1, self.I2, self.I12, self.J))
        y_n, z_n = (np.interp(xi, [0.0, 1.0], self.neutral_axis[:, i]) for i in (0, 1))
        axial, plane1, plane2, torsion = (
            self.E * min(self.A) > 0.0,
            self.E * min(self.I1) > 0.0,
            self.E * min(self.I2) > 0.0,
            self.G * min(self.J) > 0.0,
        )
        active = np.array([axial, plane1, plane2, torsion, plane2, plane1])
        m1, m2 = np.zeros((2, 6, len(xi)))
        m1[0], m1[1], m1[5] = y_n, 1.0 - xi, 1.0
        m2[0], m2[2], m2[4] = z_n, 1.0 - xi, -1.0
        bending, shear = np.zeros((6, 6)), np.zeros((6, 6))
        if axial:
            bending[0, 0] = np.sum(weight / (self.E * A))
        if torsion:
            bending[3, 3] = np.sum(weight / (self.G * J))
        if plane1 and plane2:
            d = weight / (self.E * (I1 * I2 - I12**2))
            bending += (m1 * (d * I2)) @ m1.T + (m2 * (d * I1)) @ m2.T
            bending -= (m1 * (d * I12)) @ m2.T + (m2 * (d * I12)) @ m1.T
        elif plane1:
            bending += (m1 * (weight / (self.E * I1))) @ m1.T
        elif plane2:
            bending += (m2 * (weight / (self.E * I2))) @ m2.T
        for K, S, m, force in ((self.K1, self.S1, m1, 1), (self.K2, self.S2, m2, 2)):
            if K * self.G * min(self.A) > 0.0:
                v = -S * m
                v[force] += 1.0
                shear += (v * (weight / (K * self.G * A))) @ v.T
        return bending, shear, active

    def compliance(self, x: np.ndarray) -> np.ndarray:
        """Strains (ε γy γz φ' κy κz) of unit (Fx Fy Fz Mx My Mz), (..., 6, 6), at stations x (...)."""
        A, I1, I2, I12, J = (np.interp(x, self.x, v) for v in (self.A, self.I1, self.I2, self.I12, self.J))
        y_n, z_n = (np.interp(x, [0.0, 1.0], self.neutral_axis[:, i]) for i in (0, 1))
        out = np.zeros((*np.shape(x), 6, 6))
        m1, m2 = np.zeros((2, *np.shape(x), 6))
        m1[..., 0], m1[..., 5] = y_n, 1.0
        m2[..., 0], m2[..., 4] = z_n, -1.0
        d = 1.0 / (self.E * (I1 * I2 - I12**2))
        for left, right, value in (
            (m1, m1, d * I2),
            (m2, m2, d * I1),
            (m1, m2, -d * I12),
            (m2, m1, -d * I12),
        ):
            out += value[..., None, None] * left[..., :, None] * right[..., None, :]
        out[..., 0, 0] += 1.0 / (self.E * A)
        for at, stiffness in ((1, self.K1 * self.G * A), (2, self.K2 * self.G * A), (3, self.G * J)):
            out[..., at, at] += np.where(
                stiffness > 0.0, 1.0 / np.where(stiffness > 0.0, stiffness, 1.0), 0.0
            )
        return out

    def mass_integrals(self) -> MassIntegrals:
        """Integrals of the mass per length along the beam."""
        xi, weight = self.points(_GAUSS_MASS)
        structural = self.rho * np.interp(xi, self.x, self.A) * weight
        extra = np.interp(xi, self.x, self.nsm) * weight
        twist = self.rho * np.interp(xi, self.x, self.I1 + self.I2) * weight
        twist += np.interp(xi, [0.0, 1.0], self.nsi) * weight
        cubic = np.array(
            [
                1.0 - 3.0 * xi**2 + 2.0 * xi**3,
                xi - 2.0 * xi**2 + xi**3,
                3.0 * xi**2 - 2.0 * xi**3,
                xi**3 - xi**2,
            ]
        )
        linear = np.array([1.0 - xi, xi])
        # row 0 structural mass at the neutral axis, row 1 non-structural mass at its own offset
        return MassIntegrals(
            ends=np.array([linear @ structural, linear @ extra]),
            linear=np.array([(linear * structural) @ linear.T, (linear * extra) @ linear.T]),
            cubic=np.array([(cubic * structural) @ cubic.T, (cubic * extra) @ cubic.T]),
            twist_ends=linear @ twist,
            twist_linear=(linear * twist) @ linear.T,
        )


@dataclass(frozen=True)
class MassIntegrals:
    """Integrals over ξ of mass per length (row 0 structural, 1 non-structural) and of polar inertia."""

    ends: np.ndarray  # (2, 2) ∫ m N_i, N linear
    linear: np.ndarray  # (2, 2, 2) ∫ m N_i N_j
    cubic: np.ndarray  # (2, 4, 4) ∫ m H_i H_j, H the Hermite cubics, slopes per unit ξ
    twist_ends: np.ndarray  # (2,) ∫ ρI_p N_i
    twist_linear: np.ndarray  # (2, 2)


class BeamBlock(LineBlock):
    """CBEAM elements.

    Stiffness: inverse of the cantilever flexibility of the tapered beam, all integrals exact.
    Mass: lumped by the shares ∫ m N_i of each end with the torsional inertia L ∫ρ(I1 + I2) N_i, which for
    linear taper is ρL(I_pA/3 + I_pB/6); `rotary=True` adds ρ I L/2 about both bending axes as NX
    versions after 2019 do. Coupled: cubic in bending without shear or rotary terms (it reproduces
    published coupled-mass frequencies to their digits), along the axis the mean of lumped and
    consistent, linear in torsion.

    Parameters
    ----------
    which : (n,) index into `sections`
    """

    def __init__(
        self,
        eid,
        nodes,
        geometry: LineGeometry,
        sections: Sequence[BeamSection],
        which: np.ndarray,
        ge=None,
        rotary: bool = False,
    ):
        super().__init__("CBEAM", eid, nodes, ge)
        self.geometry = geometry
        self.which = np.asarray(which, dtype=np.int64)
        self.rotary = rotary
        self.take_sections(sections)

    def take_sections(self, sections: Sequence[BeamSection]) -> None:
        """Take sections, to which `which` points, and what follows from them."""
        self.sections = list(sections)
        flexibilities = [section.flexibility() for section in self.sections]
        self._bending = np.array([f[0] for f in flexibilities]).reshape(-1, 6, 6)
        self._shear = np.array([f[1] for f in flexibilities]).reshape(-1, 6, 6)
        self._active = np.array([f[2] for f in flexibilities], dtype=bool).reshape(-1, 6)
        self._mass = [section.mass_integrals() for section in self.sections]

    def unpinned(self, rows: slice) -> np.ndarray:
        """Stiffness (n, 12, 12) in element axes before pins are released."""
        which = self.which[rows]
        return cantilever_stiffness(
            self._bending[which], self._shear[which], self._active[which], self.geometry.length[rows]
        )

    def section_compliance(self, rows: np.ndarray, x: np.ndarray) -> np.ndarray:
        out = np.empty((*x.shape, 6, 6))
        which = self.which[rows]
        for index in np.unique(which):
            out[which == index] = self.sections[index].compliance(x[which == index])
        return out

    def force_tables(self, results, options: OutputOptions) -> list[ResultRows]:
        columns = ("sd", "bending_moment1", "bending_moment2", "shear1", "shear2", "axial_force")
        return self._tables((*columns, "total_torque", "warping_torque"), results, self._station_forces)

    def stress_tables(self, results, options: OutputOptions) -> list[ResultRows]:
        columns = ("sxc", "sxd", "sxe", "sxf", "smax", "smin", "MS_tension", "MS_compression")
        return self._tables(columns, results, self._station_stresses)

    def strain_tables(self, results, options: OutputOptions) -> list[ResultRows]:
        (rows,) = self.stress_tables(results, options)
        E, order = np.array([section.E for section in self.sections])[self.which], np.argsort(self.eid)
        at = order[np.searchsorted(self.eid, rows.eid, sorter=order)]
        return [replace(rows, values=rows.values / np.where(E > 0.0, E, np.inf)[at, None])]

    def _tables(self, columns, results, station) -> list[ResultRows]:
        """One table with the stations of each element in order, elements in the order of the block."""
        eid, nodes, values, order = [], [], [], []
        for index, section in enumerate(self.sections):
            here = np.flatnonzero(self.which == index)
            last = len(section.x) - 1
            shown = np.isin(np.arange(last + 1), (0, last)) if section.output is None else section.output
            for s in np.flatnonzero(shown):
                at = 0 if s == 0 else (1 if s == last else None)
                eid.append(self.eid[here])
                nodes.append(np.full(len(here), -1) if at is None else self.nodes[here, at])
                values.append(station(section, int(s), here, results[here]))
                order.append(here * (last + 2.0) + s)
        sequence = np.lexsort((np.concatenate(order), np.concatenate(eid)))
        stacked = np.concatenate(values, axis=1)[:, sequence]
        return [
            ResultRows(
                self.name, columns, np.concatenate(eid)[sequence], stacked, np.concatenate(nodes)[sequence]
            )
        ]

    def _section_forces(self, section: BeamSection, s: int, F: np.ndarray):
        """Axial force and moments about the neutral axis (n, k) at station s; F (n, 12, k)."""
        x = section.x[s]
        M1, M2 = ((1.0 - x) * M[0] + x * M[1] for M in end_moments(F))
        y_n, z_n = (1.0 - x) * section.neutral_axis[0] + x * section.neutral_axis[1]
        N = x * F[:, 6] - (1.0 - x) * F[:, 0]
        return N, M1 + N * y_n, M2 + N * z_n, (y_n, z_n)

    def _station_forces(self, section: BeamSection, s: int, here, F) -> np.ndarray:
        N, M1, M2, _ = self._section_forces(section, s, F)
        x, zero = section.x[s], np.zeros_like(N)
        shear1, shear2, torque = (x * F[:, 6 + k] - (1.0 - x) * F[:, k] for k in (1, 2, 3))
        parts = [zero + x, M1, M2, shear1, shear2, N, torque, zero]
        return np.stack(parts, axis=2).transpose(1, 0, 2)

    def _station_stresses(self, section: BeamSection, s: int, here, F) -> np.ndarray:
        N, M1, M2, neutral = self._section_forces(section, s, F)
        points = np.zeros((4, 2)) if section.stress_points is None else section.stress_points[s]
        # a section whose points are not given shows axial stress alone
        points = np.where(points.any(), points - np.array(neutral), 0.0)
        inertia = (np.full(len(here), getattr(section, name)[s]) for name in ("I1", "I2", "I12"))
        points = np.broadcast_to(points, (len(here), 4, 2))
        stress = bending_stress(M1, M2, *inertia, points) + (N / section.A[s])[:, None]
        margin = np.full_like(N, np.nan)
        parts = [*stress.transpose(1, 0, 2), stress.max(axis=1), stress.min(axis=1), margin, margin]
        return np.stack(parts, axis=2).transpose(1, 0, 2)

    def geometric_stiffness(self, rows: slice, results: np.ndarray, full: bool) -> np.ndarray:
        polar = [np.mean((s.I1[[0, -1]] + s.I2[[0, -1]]) / s.A[[0, -1]]) for s in self.sections]
        return placed_geometric(
            self.geometry[rows], self.unpinned(rows), results, np.array(polar)[self.which[rows]], full
        )

    def mass(self, rows: slice, coupled: bool) -> np.ndarray:
        geometry, which = self.geometry[rows], self.which[rows]
        L = geometry.length
        out = np.zeros((len(which), 12, 12))
        for kind, offsets in ((0, "neutral_axis"), (1, "nsm_offset")):
            local = self._coupled(which, kind, L) if coupled else self._lumped(which, kind, L)
            out += self._at_offset(local, which, offsets)
        out += self._twist(which, L, coupled)
        if self.rotary and not coupled:
            out += self._rotary(which, L)
        if coupled:
            out = pinned_mass(out, self.unpinned(rows), geometry.pins)
        return transform(out, geometry.end_motion())

    def _gather(self, name: str, which: np.ndarray) -> np.ndarray:
        return np.array([getattr(one, name) for one in self._mass])[which]

    def _lumped(self, which, kind, L):
        ends = self._gather("ends", which)[:, kind] * L[:, None]
        out = np.zeros((len(which), 12, 12))
        for i in (0, 1, 2):
            out[:, i, i], out[:, 6 + i, 6 + i] = ends[:, 0], ends[:, 1]
        return out

    def _coupled(self, which, kind, L):
        out = np.zeros((len(which), 12, 12))
        ends = self._gather("ends", which)[:, kind] * L[:, None]
        linear = self._gather("linear", which)[:, kind] * L[:, None, None]
        cubic = self._gather("cubic", which)[:, kind] * L[:, None, None]
        for p, i in enumerate((0, 6)):
            out[:, i, i] = 0.5 * ends[:, p]
            for q, j in enumerate((0, 6)):
                out[:, i, j] += 0.5 * linear[:, p, q]
        for dofs, sign in (((1, 5, 7, 11), 1.0), ((2, 4, 8, 10), -1.0)):
            size = np.stack([np.ones_like(L), sign * L, np.ones_like(L), sign * L], axis=1)
            out[:, np.array(dofs)[:, None], dofs] = cubic * size[:, :, None] * size[:, None, :]
        return out

    def _at_offset(self, local, which, name):
        """Move a mass matrix from the line of mass centres to the line of shear centres."""
        offsets = np.array([getattr(section, name) for section in self.sections])[which]
        if not offsets.any():
            return local
        T = np.zeros_like(local)
        for end, first in ((0, 0), (1, 6)):
            arm = np.column_stack([np.zeros(len(which)), offsets[:, end]])
            T[:, first : first + 6, first : first + 6] = rigid_arm(arm)
        return transform(local, T)

    def _twist(self, which, L, coupled):
        out = np.zeros((len(which), 12, 12))
        if coupled:
            values = self._gather("twist_linear", which) * L[:, None, None]
            out[:, np.array([3, 9])[:, None], [3, 9]] = values
        else:
            values = self._gather("twist_ends", which) * L[:, None]
            out[:, 3, 3], out[:, 9, 9] = values[:, 0], values[:, 1]
        return out

    def _rotary(self, which, L):
        out = np.zeros((len(which), 12, 12))
        for dof, name in ((4, "I2"), (5, "I1")):
            # both ends get the value of end A: fitted to element mass matrices of NX 2412
            value = np.array([section.rho * getattr(section, name)[0] for section in self.sections])[which]
            out[:, dof, dof] = out[:, 6 + dof, 6 + dof] = 0.5 * value * L
        return out
