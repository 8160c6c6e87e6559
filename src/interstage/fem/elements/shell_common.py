"""What shell elements share, with user normals (SNORM).

What the shell families share: section tables, small dense kernels, and the block base class.

A shell element is written as `K = Pᵀ C P`. The rows of P are element quantities (corner displacements,
corner rotations, edge shears, drilling strains) as linear functions of the grid motions in basic axes;
C is block diagonal. Warp, shell normals and offsets only change rows of P.

Shell normals at grids (PARAM SNORM): one normal for all the shells that meet smoothly at a grid.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable

import numpy as np

from interstage.fem.elements.block import ElementBlock, Heat, OutputOptions, ResultRows
from interstage.fem.elements.line_common import arm_stiffness, rigid_arm
from interstage.fem.elements.shell_recovery import ShellOutput, force_rows, strain_rows, stress_rows
from interstage.jit import in_ranges, kernel

THERMAL_CHUNK = 4096  # elements of uneven temperature at once

Sections = namedtuple(
    "Sections",
    "A B D shear shear_flexibility rigid_shear mass mass_of_thickness thickness isotropic coupled",
)
Sections.__doc__ = """Section properties as arrays of m rows, in material axes.

    N = A ε + B κ,  M = B ε + D κ,  V = shear γ,  κ from (θy, −θx) as in-plane motions per unit height.

A, B, D : (m, 3, 3)
shear, shear_flexibility : (m, 2, 2) transverse shear stiffness (force/length) and its inverse
rigid_shear : (m,) bool, no transverse shear flexibility
mass, mass_of_thickness : (m,) mass per area with and without non-structural mass
thickness : (m,)
isotropic : (m,) bool, no rotation from material to element axes is needed
coupled : (m,) bool, B is not zero
"""


@kernel
def tilt(normal, E):
    """n_x/n_z and n_y/n_z of a shell normal (3,) in element axes E (3,3, rows); zero where there is none."""
    nx = normal[0] * E[0, 0] + normal[1] * E[0, 1] + normal[2] * E[0, 2]
    ny = normal[0] * E[1, 0] + normal[1] * E[1, 1] + normal[2] * E[1, 2]
    nz = normal[0] * E[2, 0] + normal[1] * E[2, 1] + normal[2] * E[2, 2]
    if nz == 0.0:
        return 0.0, 0.0
    return nx / nz, ny / nz


@kernel
def rotate_plane(Q, c, s, out):
    """out = Rᵀ Q R: a plane stiffness (3,3) from material to element axes; (c, s) is the material x axis."""
    if s == 0.0 and c == 1.0:
        for i in range(3):
            for j in range(3):
                out[i, j] = Q[i, j]
        return
    R = ((c * c, s * s, c * s), (s * s, c * c, -c * s), (-2 * c * s, 2 * c * s, c * c - s * s))
    for i in range(3):
        for j in range(i, 3):
            total = 0.0
            for k in range(3):
                for l in range(3):
                    total += R[k][i] * Q[k, l] * R[l][j]
            out[i, j] = total
            out[j, i] = total


@kernel
def rotate_shear(G, c, s, out):
    """out = rᵀ G r: a transverse shear matrix (2,2) from material to element axes."""
    out[0, 0] = c * c * G[0, 0] - c * s * (G[0, 1] + G[1, 0]) + s * s * G[1, 1]
    out[1, 1] = s * s * G[0, 0] + c * s * (G[0, 1] + G[1, 0]) + c * c * G[1, 1]
    out[0, 1] = c * s * (G[0, 0] - G[1, 1]) + c * c * G[0, 1] - s * s * G[1, 0]
    out[1, 0] = out[0, 1]


@kernel
def section_in_element(sections, p, axis, E, A, B, D, D_reduced, shear, shear_flexibility):
    """Turn section p to element axes; `axis` is the material x direction (basic), projected on the element.

    E (3,3) has the element axes as rows. Outputs are the last six arguments. D_reduced is bending about the
    neutral axis of each direction by itself, D_ii − B_ii²/A_ii: the transverse shear forces of a Nastran run with an
    unsymmetric laminate (NX 2306) have it in the residual flexibility, to the noise of their 32 bits; D and
    D − B A⁻¹ B miss them by 2.5e-3 and 7e-5.
    """
    c = axis[0] * E[0, 0] + axis[1] * E[0, 1] + axis[2] * E[0, 2]
    s = axis[0] * E[1, 0] + axis[1] * E[1, 1] + axis[2] * E[1, 2]
    length = np.sqrt(c * c + s * s)
    if sections.isotropic[p] or length == 0.0:
        c, s = 1.0, 0.0
    else:
        c, s = c / length, s / length
    rotate_plane(sections.A[p], c, s, A)
    rotate_plane(sections.D[p], c, s, D)
    rotate_plane(sections.B[p], c, s, B)
    for i in range(3):
        for j in range(3):
            D_reduced[i, j] = D[i, j]
        if A[i, i] > 0.0:
            D_reduced[i, i] -= B[i, i] * B[i, i] / A[i, i]
    rotate_shear(sections.shear[p], c, s, shear)
    rotate_shear(sections.shear_flexibility[p], c, s, shear_flexibility)


def _tensor(strain: np.ndarray) -> np.ndarray:
    """Plane tensors (n, 2, 2) of strains (n, 3) with engineering shear."""
    xx, yy, xy = strain[:, 0], strain[:, 1], 0.5 * strain[:, 2]
    return np.stack([np.stack([xx, xy], axis=1), np.stack([xy, yy], axis=1)], axis=1)


class ShellBlock(ElementBlock):
    """Shell elements of one family.

    Parameters
    ----------
    name, eid, nodes, ge : as for `ElementBlock`
    xyz : (n_grids, 3) grid positions in basic axes
    sections : `Sections`
    section : (n,) row of the section of each element
    axis : (n, 3) material x direction in basic axes (projected on the element by the kernels)
    offset : (n,) distance of the reference surface from the grids along the element normal (ZOFFS)
    taper : (n, corners) corner thickness divided by the section thickness
    normals : (n_grids, 3) shell normals at grids, zero rows where there is none
    k6rot : PARAM K6ROT
    output : `ShellOutput`; without it sections are homogeneous and fibres at half the thickness
    """

    corners = 4
    places = 1  # of results: the centre, then the corners where a family has them
    always_corners = False  # show corners without being asked
    stiffness_kernel: Callable
    recovery_kernel: Callable | None = None
    geometric_kernel: Callable

    def __init__(
        self,
        name: str,
        eid,
        nodes,
        xyz: np.ndarray,
        sections: Sections,
        section,
        *,
        axis: np.ndarray | None = None,
        offset: np.ndarray | None = None,
        taper: np.ndarray | None = None,
        normals: np.ndarray | None = None,
        k6rot: float = 100.0,
        ge: np.ndarray | None = None,
        output: ShellOutput | None = None,
    ):
        super().__init__(name, eid, nodes, ge)
        n, m = len(self.eid), len(sections.thickness)
        self.output = output or ShellOutput(
            np.full((m, 2), np.nan), np.ones(m), [None] * m, np.zeros(m, dtype=bool)
        )
        # one memory layout, so that the kernels are compiled once
        self.nodes = np.ascontiguousarray(self.nodes)
        self.xyz = np.ascontiguousarray(xyz, dtype=float)
        self.sections = sections
        self.section = np.ascontiguousarray(section, dtype=np.int64)
        self.axis = self._side_12() if axis is None else np.ascontiguousarray(axis, dtype=float)
        self.offset = np.zeros(n) if offset is None else np.ascontiguousarray(offset, dtype=float)
        shape = (n, self.corners)
        self.taper = np.ones(shape) if taper is None else np.ascontiguousarray(taper, dtype=float)
        self.normals = np.zeros_like(self.xyz) if normals is None else np.ascontiguousarray(normals)
        self.k6rot = float(k6rot)

    def placed(self, rows: np.ndarray, eid: np.ndarray, n_grids: int) -> ElementBlock:
        out = super().placed(rows, eid, n_grids)
        for name in ("xyz", "normals"):
            table = np.zeros((n_grids, 3))
            table[rows] = getattr(self, name)
            setattr(out, name, table)
        return out

    def _side_12(self) -> np.ndarray:
        return self.xyz[self.nodes[:, 1]] - self.xyz[self.nodes[:, 0]]

    def stiffness(self, rows: slice | np.ndarray) -> np.ndarray:
        """Stiffness (n, 6k, 6k) in basic axes."""
        return self._run(type(self).stiffness_kernel, rows, 6 * self.nodes.shape[1])

    @property
    def corner_count(self) -> int:
        return self.corners

    def thermal_motion(self, heat: Heat) -> np.ndarray:
        """Free strains ε and curvatures κ about the first corner: u = ε x, (θy, -θx) = κ x, w = -½ x·κ x."""
        strain = self.expansion @ np.stack([heat.mean, heat.gradient], axis=1)[:, :, None]
        rows = slice(None)
        c, s = (part[:, 0] for part in self.material_direction(rows))
        turn = np.stack([np.stack([c, -s], axis=1), np.stack([s, c], axis=1)], axis=1)
        plane = [turn @ _tensor(strain[:, k : k + 3, 0]) @ turn.transpose(0, 2, 1) for k in (0, 3)]
        E = self.element_axes(rows)
        nodes = np.maximum(self.nodes, 0)
        x = self.xyz[nodes] + self.arms(rows)
        local = np.einsum("nij,nkj->nki", E, x - x[:, :1])
        u = np.einsum("nij,nkj->nki", plane[0], local[:, :, :2])
        bent = np.einsum("nij,nkj->nki", plane[1], local[:, :, :2])
        # along the normal the mean of both strains, so that warped elements keep their shape
        w = 0.5 * np.einsum("nii->n", plane[0])[:, None] * local[:, :, 2]
        w -= 0.5 * np.einsum("nki,nki->nk", bent, local[:, :, :2])
        zero = np.zeros_like(w)
        moved = np.stack([u[:, :, 0], u[:, :, 1], w], axis=2)
        turned = np.stack([-bent[:, :, 1], bent[:, :, 0], zero], axis=2)
        out = np.concatenate([np.einsum("nij,nki->nkj", E, part) for part in (moved, turned)], axis=2)
        # the grids are at the other end of the offset: u - θ × arm
        out[:, :, :3] -= np.cross(out[:, :, 3:], self.arms(rows))
        return out.reshape(len(self), -1) + self.uneven_motion(heat)

    def uneven_motion(self, heat: Heat) -> np.ndarray:
        """Motion (n, 6k) whose element forces are those of what the corners' temperatures differ from their mean by.

            f = ∫ Sᵀ ε₀ (T - T_mean) dA,   K u = f with no motion as a rigid body

        S are forces and moments per length for unit motions, internal modes included, at the points of integration;
        ε₀ the free strains and curvatures of a degree. That is f_u - K_ua K_aa⁻¹ f_a, as Nastran has it.
        """
        out = np.zeros((len(self), 6 * self.nodes.shape[1]))
        spread = heat.nodes[:, : self.corners] - heat.mean[:, None]
        size = np.abs(heat.nodes[:, : self.corners]).max(axis=1)
        uneven = np.flatnonzero(np.abs(spread).max(axis=1) > 1e-13 * size)
        for first in range(0, len(uneven), THERMAL_CHUNK):
            which = uneven[first : first + THERMAL_CHUNK]
            S, weight = self.point_forces(which)
            amount = weight * (spread[which] @ self.point_functions().T)
            f = np.einsum("eq,es,eqsm->em", amount, self.free_strains(which), S, optimize=True)
            out[which] = self._held(which, f)
        return out

    def point_functions(self) -> np.ndarray:
        """Values (q, corners) of the functions of the corners at the points of integration."""
        if self.corners == 3:
            return np.full((3, 3), 1.0 / 6.0) + 0.5 * np.eye(3)
        at = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
        return 0.25 * np.prod(1.0 + at[None] * at[:, None] / np.sqrt(3.0), axis=2)

    def point_forces(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """N and M for unit motions at the points of integration (n, q, 6, 6k), and what they weigh (n, q)."""
        raise NotImplementedError(self.name)

    def free_strains(self, which: np.ndarray) -> np.ndarray:
        """Free strains and curvatures (n, 6) of a degree in element axes, engineering shear, signs of N and M."""
        strain = self.expansion[which][:, :, 0]
        c, s = (part[:, 0] for part in self.material_direction(which))
        out = []
        for x, y, xy in (strain[:, :3].T, -strain[:, 3:].T):
            out += [c * c * x + s * s * y - c * s * xy, s * s * x + c * c * y + c * s * xy]
            out.append(2.0 * c * s * (x - y) + (c * c - s * s) * xy)
        return np.stack(out, axis=1)

    def _held(self, which: np.ndarray, f: np.ndarray) -> np.ndarray:
        """Least motion (m, 6k) of elements under forces: none of it as a rigid body."""
        x = self.xyz[np.maximum(self.nodes[which], 0)]
        size = np.sqrt(np.mean((x - x.mean(axis=1, keepdims=True)) ** 2, axis=(1, 2)))
        scale = np.ones((len(which), self.nodes.shape[1], 6))
        scale[:, :, 3:] = 1.0 / size[:, None, None]  # rotations as lengths, so that what is soft is not lost
        scale = scale.reshape(len(which), -1)
        K = scale[:, :, None] * self.stiffness(which) * scale[:, None, :]
        inverse = np.linalg.pinv(K, rcond=1e-12, hermitian=True)
        return scale * np.einsum("eij,ej->ei", inverse, scale * f)

    def recovery(self, rows: slice) -> np.ndarray | None:
        """N, M, V at the places of the family, (n, 8·places, 6k)."""
        kernel = type(self).recovery_kernel
        return None if kernel is None else self._run(kernel, rows, 8 * self.places)

    def geometric_stiffness(self, rows: slice, results: np.ndarray, full: bool) -> np.ndarray:
        """Geometric stiffness (n, 6k, 6k) of the membrane forces.

        An offset is a rigid arm w from each grid to the surface, u + θ × w; that forces act at the ends of turning
        arms is part of the full form only.
        """
        nodes, offset = self.nodes[rows], self.offset[rows]
        n, size = len(nodes), 6 * nodes.shape[1]
        forces = np.ascontiguousarray(results.reshape(n, -1, 8)[:, :, :3])
        out = np.empty((n, size, size))
        in_ranges(type(self).geometric_kernel, n, self.xyz, nodes, forces, offset, full, out)
        if offset.any():
            self._move_to_grids(rows, full, out)
        return out

    def _move_to_grids(self, rows: slice, full: bool, K: np.ndarray) -> None:
        """Change geometric stiffness on motions of the surface to that on motions of the grids, in place."""
        arms = self.arms(rows)
        n, k = arms.shape[:2]
        # K acts on translations alone: its rows times positions are the nodal forces, ∫ N_ab ∂N/∂a e_b dA
        x = self.positions(rows) + arms
        pushed = np.einsum("naibj,nbj->nai", K.reshape(n, k, 6, k, 6)[:, :, :3, :, :3], x) if full else None
        T = np.zeros((n, 6 * k, 6 * k))
        for a in range(k):
            T[:, 6 * a : 6 * a + 6, 6 * a : 6 * a + 6] = rigid_arm(arms[:, a])
        K[:] = T.transpose(0, 2, 1) @ K @ T
        if pushed is not None:
            for a in range(k):
                r = slice(6 * a + 3, 6 * a + 6)
                K[:, r, r] += arm_stiffness(pushed[:, a], arms[:, a])

    def positions(self, rows: slice = slice(None)) -> np.ndarray:
        """Node positions (n, k, 3)."""
        return self.xyz[self.nodes[rows]]

    def arms(self, rows: slice) -> np.ndarray:
        """Offsets (n, k, 3) of the surface from its grids, basic axes."""
        normal = self.element_axes(rows)[:, 2] * self.offset[rows][:, None]
        return np.repeat(normal[:, None], self.nodes.shape[1], axis=1)

    def _run(self, range_kernel: Callable, rows: slice | np.ndarray, size: int) -> np.ndarray:
        """Run a kernel that fills matrices of `size` rows and as many columns as an element has dofs."""
        nodes = self.nodes[rows]
        out = np.empty((len(nodes), size, 6 * nodes.shape[1]))
        in_ranges(
            range_kernel,
            len(nodes),
            self.xyz,
            nodes,
            self.section[rows],
            self.axis[rows],
            self.offset[rows],
            self.taper[rows],
            self.normals,
            self.sections,
            self.k6rot,
            out,
        )
        return out

    def corner_normals(self) -> np.ndarray:
        """Unit normals (n, corners, 3) from the two sides at each corner."""
        x = self.xyz[self.nodes[:, : self.corners]]
        after = np.roll(x, -1, axis=1) - x
        before = np.roll(x, 1, axis=1) - x
        normal = np.cross(after, before)
        return normal / np.linalg.norm(normal, axis=2, keepdims=True)

    def force_tables(self, results, options: OutputOptions) -> list[ResultRows]:
        return force_rows(self, results, options.corners or self.always_corners)

    def stress_tables(self, results, options: OutputOptions) -> list[ResultRows]:
        corners = options.corners or self.always_corners
        return stress_rows(self, results, corners, options.max_shear, options.heat)

    def strain_tables(self, results, options: OutputOptions) -> list[ResultRows]:
        return strain_rows(self, results, options, options.corners or self.always_corners)

    def element_axes(self, rows) -> np.ndarray:
        """Element axes (n, 3, 3) as rows, basic."""
        x = self.xyz[self.nodes[rows, : self.corners]]
        if self.corners == 3:
            along, other = x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]
            normal = np.cross(along, other)
        else:
            d13, d24 = x[:, 2] - x[:, 0], x[:, 3] - x[:, 1]
            normal = np.cross(d13, d24)
            along = d13 / np.linalg.norm(d13, axis=1)[:, None] - d24 / np.linalg.norm(d24, axis=1)[:, None]
        normal /= np.linalg.norm(normal, axis=1)[:, None]
        along = along / np.linalg.norm(along, axis=1)[:, None]
        return np.stack([along, np.cross(normal, along), normal], axis=1)

    def material_direction(self, rows) -> tuple[np.ndarray, np.ndarray]:
        """Cosine and sine (n, 1) of the angle from the element's x axis to the material axis."""
        E = self.element_axes(rows)
        c, s = (np.einsum("nk,nk->n", self.axis[rows], E[:, i]) for i in (0, 1))
        size = np.hypot(c, s)
        still = (size == 0.0) | self.sections.isotropic[self.section[rows]]
        size = np.where(still, 1.0, size)
        return np.where(still, 1.0, c / size)[:, None], np.where(still, 0.0, s / size)[:, None]


def grid_normals(blocks: Iterable, n_grids: int, tolerance_deg: float) -> np.ndarray:
    """Average the corner normals of all shells at each grid.

        n = Σ (n_i·n) n_i, normalized

    that is, each unit normal n_i weighs with its component along the mean: n is the axis that maximizes
    Σ (n·n_i)², and it does not depend on the signs of the n_i. A grid where any corner normal is more than
    `tolerance_deg` from n has a fold: it gets no normal.

    Parameters
    ----------
    blocks : shell blocks (`nodes`, `corners`, `corner_normals()`)
    n_grids : rows of the grid table
    tolerance_deg : PARAM SNORM; zero or less turns the normals off

    Returns
    -------
    (n_grids, 3) unit normals in basic axes (either sign), zero rows where there is none
    """
    blocks = [block for block in blocks if len(block)]
    if not blocks or tolerance_deg <= 0.0:
        return np.zeros((n_grids, 3))
    grid = np.concatenate([block.nodes[:, : block.corners].ravel() for block in blocks])
    normal = np.concatenate([block.corner_normals().reshape(-1, 3) for block in blocks])

    moment = _second_moments(grid, normal, n_grids)
    used = np.bincount(grid, minlength=n_grids) > 0
    axis = np.zeros((n_grids, 3))
    axis[used] = np.linalg.eigh(moment[used])[1][:, :, 2]
    cosine = np.abs(np.einsum("ij,ij->i", normal, axis[grid]))
    axis[grid[cosine < np.cos(np.deg2rad(tolerance_deg))]] = 0.0
    return axis


def _second_moments(grid: np.ndarray, normal: np.ndarray, n_grids: int) -> np.ndarray:
    """Sum n nᵀ of the normals (m, 3) that belong to the same grid: (n_grids, 3, 3)."""
    out = np.empty((n_grids, 3, 3))
    for i in range(3):
        for j in range(i + 1):
            out[:, i, j] = np.bincount(grid, normal[:, i] * normal[:, j], minlength=n_grids)
            out[:, j, i] = out[:, i, j]
    return out
