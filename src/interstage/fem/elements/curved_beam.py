"""Beams along curves: CBEND between two grids, CBEAM3 through three.

Between two neighbouring nodes a beam is held at its start and loaded at its end: equilibrium gives the section forces
everywhere along the curve, so that its flexibility is one integral over the compliance of the sections,

    f = ∫ Hᵀ C H ds,   H = Qᵀ [[1, 0], [(x_end - x)×, 1]]   (section forces, axes Q, of a force and moment at the end)

and no displacement is assumed. The stiffness is its inverse, placed at both ends by equilibrium. The same integrals up
to a station give the motion there for motions of the ends, with which mass and geometric stiffness are made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from interstage.errors import ModelError
from interstage.fem.elements.block import ElementBlock, Heat, OutputOptions, ResultRows, by_element
from interstage.fem.elements.line_common import cross_matrix, rigid_arm, transform

FORCES = ("bending_moment1", "bending_moment2", "shear1", "shear2", "axial", "torque")


def gauss_unit(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss points and weights (n,) on [0, 1]."""
    x, w = np.polynomial.legendre.leggauss(n)
    return 0.5 * (x + 1.0), 0.5 * w


def running_rule(points: np.ndarray) -> np.ndarray:
    """Weights (p, p) of integrals from 0 to each of the points, exact for polynomials of degree p - 1."""
    p = len(points)
    powers = np.arange(p)
    return points[:, None] ** (powers + 1) / (powers + 1) @ np.linalg.inv(points[:, None] ** powers)


@dataclass(frozen=True)
class Span:
    """Stretches of curve between two nodes, one an element, at the p points of a Gauss rule.

    Attributes
    ----------
    start, end : (n, 3) places of the nodes of the axis, basic
    x : (n, p, 3) places of the stations
    R : (n, p, 3, 3) section axes as columns: tangent, y, z
    end_axes : (n, 2, 3, 3) the same at start and end
    ds : (n, p) length that goes with each station
    compliance : (n, p, 6, 6) strains (ε γy γz φ' κy κz) of unit (Fx Fy Fz Mx My Mz)
    mass, polar : (n, p) mass and polar moment of inertia per length
    """

    start: np.ndarray
    end: np.ndarray
    x: np.ndarray
    R: np.ndarray
    end_axes: np.ndarray
    ds: np.ndarray
    compliance: np.ndarray
    mass: np.ndarray
    polar: np.ndarray

    def __getitem__(self, rows) -> Span:
        return Span(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def _section(self) -> np.ndarray:
        """H (n, p, 6, 6): section forces, section axes, of unit force and moment at the end, basic axes."""
        n, p = self.ds.shape
        arm = self.end[:, None] - self.x
        H = np.broadcast_to(np.eye(6), (n, p, 6, 6)).copy()
        H[:, :, 3:, :3] = cross_matrix(arm.reshape(-1, 3)).reshape(n, p, 3, 3)
        return _turn(self.R) @ H

    def _end_stiffness(self, H: np.ndarray) -> np.ndarray:
        """Stiffness (n, 6, 6) of the end, the start held: the inverse of f, made of equal scale first."""
        f = np.einsum("np,npij,npik,npkl->njl", self.ds, H, self.compliance, H, optimize=True)
        scale = 1.0 / np.sqrt(np.einsum("nii->ni", f))
        both = scale[:, :, None] * scale[:, None, :]
        k = np.linalg.inv(f * both) * both
        return 0.5 * (k + k.transpose(0, 2, 1))

    def stiffness(self) -> np.ndarray:
        """Stiffness (n, 12, 12) of motions of start and end, basic axes."""
        k, follow = self._end_stiffness(self._section()), self._relative()
        return transform(k, follow)

    def _relative(self) -> np.ndarray:
        """(n, 6, 12) motion of the end beyond that of a rigid body at the start."""
        n = len(self.start)
        T = rigid_arm(self.end - self.start)
        return np.concatenate([-T, np.broadcast_to(np.eye(6), (n, 6, 6))], axis=2)

    def motions(self) -> tuple[np.ndarray, np.ndarray]:
        """Motion (n, p, 6, 12) of the stations and slope u' (n, p, 3, 12) for motions of start and end, basic axes."""
        n, p = self.ds.shape
        points, weights = gauss_unit(p)
        H = self._section()
        force = self._end_stiffness(H) @ self._relative()
        strain = self.compliance @ H @ force[:, None]
        rate = _turn(self.R).transpose(0, 1, 3, 2) @ strain  # du/ds beyond θ × t, and dθ/ds, basic axes
        W = running_rule(points)[None] * (self.ds / weights)[:, None, :]
        arm = self.x[:, :, None] - self.x[:, None]
        turned = np.cross(rate[:, None, :, 3:], arm[..., None], axis=3)
        out = np.zeros((n, p, 6, 12))
        out[:, :, :3] = np.einsum("nij,nijab->niab", W, rate[:, None, :, :3] + turned)
        out[:, :, 3:] = np.einsum("nij,njab->niab", W, rate[:, :, 3:])
        rigid = rigid_arm((self.x - self.start[:, None]).reshape(-1, 3)).reshape(n, p, 6, 6)
        out[:, :, :, :6] += rigid
        tangent = self.R[..., 0]
        slope = rate[:, :, :3] - np.cross(tangent[..., None], out[:, :, 3:], axis=2)
        return out, slope

    def shares(self, value: np.ndarray) -> np.ndarray:
        """(n, 2) shares of the start and the end in ∫ value ds, linear between them."""
        points, _ = gauss_unit(self.ds.shape[1])
        whole = self.ds * value
        return np.stack([whole @ (1.0 - points), whole @ points], axis=1)


def _turn(R: np.ndarray) -> np.ndarray:
    """(n, p, 6, 6) from basic components to those of axes R."""
    out = np.zeros((*R.shape[:2], 6, 6))
    out[:, :, :3, :3] = out[:, :, 3:, 3:] = R.transpose(0, 1, 3, 2)
    return out


@dataclass(frozen=True)
class CurvedStress:
    """What stresses are made of, at start and end of every span: arrays (n, spans, 2, ...).

    A, I1, I2, I12 : sections; points : (..., 4, 2) y and z of the points C D E F
    radius : of curvature towards -y, infinite for linear stresses; shift : of the neutral axis towards the centre
    """

    A: np.ndarray
    I1: np.ndarray
    I2: np.ndarray
    I12: np.ndarray
    points: np.ndarray
    radius: np.ndarray
    shift: np.ndarray


class CurvedBeamBlock(ElementBlock):
    """Beams of k nodes in a row with a curve between any two neighbours.

    Stiffness: exact for the curve and its sections (rule of Gauss points). Mass: lumped by shares linear along each
    curve, with the torsional inertia about the tangent at the node; coupled with the motion that static loads at the
    ends give. Geometric stiffness: ∫ N |u'⊥|² ds of the axial force.

    Parameters
    ----------
    nodes : (n, k) grid rows in order along the axis
    arms : (n, k, 3) from the grids to the axis, basic axes
    spans : k - 1 of them
    """

    def __init__(
        self,
        name: str,
        eid: np.ndarray,
        nodes: np.ndarray,
        arms: np.ndarray,
        spans: Sequence[Span],
        stress: CurvedStress,
        ge: np.ndarray | None = None,
    ):
        super().__init__(name, eid, nodes, ge)
        self.arms, self.spans, self.stress = np.asarray(arms, dtype=float), list(spans), stress

    def _placed(self, parts: list[np.ndarray], rows: slice) -> np.ndarray:
        """Matrices (n, 12, 12) of the spans added up, and moved from the axis to the grids."""
        n, k = self.arms[rows].shape[:2]
        out, T = np.zeros((n, 6 * k, 6 * k)), np.zeros((n, 6 * k, 6 * k))
        for at, part in enumerate(parts):
            out[:, 6 * at : 6 * at + 12, 6 * at : 6 * at + 12] += part
        for node in range(k):
            here = slice(6 * node, 6 * node + 6)
            T[:, here, here] = rigid_arm(self.arms[rows][:, node])
        return transform(out, T)

    def stiffness(self, rows: slice) -> np.ndarray:
        return self._placed([span[rows].stiffness() for span in self.spans], rows)

    def mass(self, rows: slice, coupled: bool) -> np.ndarray:
        one = _coupled_mass if coupled else _lumped_mass
        return self._placed([one(span[rows]) for span in self.spans], rows)

    def thermal_motion(self, heat: Heat) -> np.ndarray:
        """Every grid moves by αT times its place: the curve grows without stress, arms included."""
        if heat.ends.any():
            i = int(np.argmax(heat.ends.any(axis=1)))
            raise ModelError(
                f"{self.name} {self.eid[i]} has a gradient of temperature across it, which is not supported",
                hint="give its mean temperature alone",
            )
        first, last = self.spans[0], self.spans[-1]
        places = np.stack([*(span.start for span in self.spans), last.end], axis=1) - self.arms
        out = np.zeros((len(self), self.nodes.shape[1], 6))
        out[:, :, :3] = (self.expansion * heat.mean)[:, None, None] * (places - first.start[:, None])
        return out.reshape(len(self), -1)

    def recovery(self, rows: slice) -> np.ndarray:
        """Section forces (Fx Fy Fz Mx My Mz) in section axes at start and end of each span, (n, 12 spans, 6k)."""
        n, k = self.arms[rows].shape[:2]
        out = np.zeros((n, 12 * len(self.spans), 6 * k))
        for at, whole in enumerate(self.spans):
            span = whole[rows]
            K, turn = span.stiffness(), _turn(span.end_axes)
            here = slice(12 * at, 12 * at + 12)
            both = np.concatenate([-turn[:, 0] @ K[:, :6], turn[:, 1] @ K[:, 6:]], axis=1)
            for node in (0, 1):
                arm = rigid_arm(self.arms[rows][:, at + node])
                columns = slice(6 * (at + node), 6 * (at + node) + 6)
                out[:, here, columns] += both[:, :, 6 * node : 6 * node + 6] @ arm
        return out

    def _ends(self, results: np.ndarray) -> np.ndarray:
        """Section forces (n, spans, 2, 6, cases)."""
        return results.reshape(len(self), len(self.spans), 2, 6, results.shape[-1])

    def _rows(self, columns: tuple[str, ...], values: np.ndarray) -> list[ResultRows]:
        """Rows for start and end of every span; values (n, spans, 2, columns, cases)."""
        n, ends = len(self), 2 * len(self.spans)
        at = np.repeat(np.arange(len(self.spans)), 2) + np.tile([0, 1], len(self.spans))
        table = by_element(values.reshape(n * ends, len(columns), values.shape[-1]))
        return [ResultRows(self.name, columns, np.repeat(self.eid, ends), table, self.nodes[:, at].ravel())]

    def force_tables(self, results: np.ndarray, options: OutputOptions) -> list[ResultRows]:
        """Moments and shears of planes 1 (y) and 2 (z), axial force and torque at every node, span by span."""
        F = self._ends(results)
        return self._rows(
            FORCES, np.stack([F[..., 5, :], -F[..., 4, :], *(F[..., i, :] for i in (1, 2, 0, 3))], axis=3)
        )

    def stress_tables(self, results: np.ndarray, options: OutputOptions) -> list[ResultRows]:
        """Axial stress at the points C D E F: linear, or that of Winkler for a bend, of moments in its plane.

        σ = N/A - m1 y/I1 - m2 z/I2;  bend: -M1 (y + e)/I1 · R/(R + y) in place of -M1 y/I1
        """
        F, s = self._ends(results), self.stress
        N, M1, M2 = F[..., 0, :], F[..., 5, :], -F[..., 4, :]
        y, z = s.points[..., 0, None], s.points[..., 1, None]
        d = (s.I1 * s.I2 - s.I12**2)[..., None]
        m1 = ((s.I2[..., None] * M1 - s.I12[..., None] * M2) / d)[..., None, :]
        m2 = ((s.I1[..., None] * M2 - s.I12[..., None] * M1) / d)[..., None, :]
        with np.errstate(invalid="ignore"):
            R = s.radius[..., None, None]
            factor = np.where(np.isinf(R), 1.0, R / (R + y))
        stress = (N / s.A[..., None])[..., None, :] - m1 * (y + s.shift[..., None, None]) * factor - m2 * z
        parts = [stress, stress.max(axis=3, keepdims=True), stress.min(axis=3, keepdims=True)]
        return self._rows(("sxc", "sxd", "sxe", "sxf", "smax", "smin"), np.concatenate(parts, axis=3))

    def geometric_stiffness(self, rows: slice, results: np.ndarray, full: bool) -> np.ndarray:
        parts = []
        ends = results.reshape(len(results), len(self.spans), 2, 6)
        for at, whole in enumerate(self.spans):
            span = whole[rows]
            force = np.einsum("nij,nj->ni", span.end_axes[:, 1], ends[:, at, 1, :3])
            tangent = span.R[..., 0]
            N = np.einsum("npi,ni->np", tangent, force)
            _, slope = span.motions()
            across = slope - tangent[..., None] * np.einsum("npi,npia->npa", tangent, slope)[:, :, None]
            parts.append(np.einsum("np,npia,npib->nab", span.ds * N, across, across, optimize=True))
        return self._placed(parts, rows)


def _lumped_mass(span: Span) -> np.ndarray:
    mass, polar = span.shares(span.mass), span.shares(span.polar)
    out = np.zeros((len(mass), 12, 12))
    for node in (0, 1):
        first = 6 * node
        for i in range(3):
            out[:, first + i, first + i] = mass[:, node]
        t = span.end_axes[:, node, :, 0]
        out[:, first + 3 : first + 6, first + 3 : first + 6] = (
            polar[:, node, None, None] * t[:, :, None] * t[:, None]
        )
    return out


def _coupled_mass(span: Span) -> np.ndarray:
    motion, _ = span.motions()
    out = np.einsum(
        "np,npia,npib->nab", span.ds * span.mass, motion[:, :, :3], motion[:, :, :3], optimize=True
    )
    twist = np.einsum("npi,npia->npa", span.R[..., 0], motion[:, :, 3:])
    return out + np.einsum("np,npa,npb->nab", span.ds * span.polar, twist, twist, optimize=True)
