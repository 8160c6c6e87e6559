"""Output of shells: forces per length, fibre stresses, ply stresses, and the geometric stiffness of membranes.

The results of a shell are eight numbers at each place (centre, then corners where the family has them), in
element axes: N_x N_y N_xy, M_x M_y M_xy, V_x V_y, with NASTRAN's signs: moments are positive where the fibre at
negative z is in tension,

    σ = N/t - M z/I,   I = (12I/t³) t³/12.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from interstage.fem.elements.block import OutputOptions, ResultRows
from interstage.jit import in_ranges, kernel

FORCES = ("mx", "my", "mxy", "bmx", "bmy", "bmxy", "tx", "ty")
COMPOSITE = ("o11", "o22", "t12", "t1z", "t2z", "angle", "major", "minor", "max_shear")


class LaminatePlies(NamedTuple):
    """What ply stresses need, in the material axes of the laminate.

    compliance : (6, 6) from N, M (M = Bε + Dκ, κ from (θy, -θx)) to ε, κ
    Q : (p, 3, 3) plane-stress stiffness of each ply in its own axes
    turn : (p, 3, 3) strains in ply axes from strains in material axes
    z : (p,) height of the middle of each ply
    shear : (p, 2) transverse shear stress at the top of each ply for unit V_x, V_y
    unlike : (p, 3, 2) stresses in ply axes of unit mean temperature and of a unit gradient, the laminate free
    labels : (p,) number of each ply from below, or its global id (PCOMPG)
    """

    compliance: np.ndarray
    Q: np.ndarray
    turn: np.ndarray
    z: np.ndarray
    shear: np.ndarray
    unlike: np.ndarray
    labels: np.ndarray


class ShellOutput(NamedTuple):
    """Output data of shell sections, one row a section.

    z : (m, 2) fibre distances; nan where half the thickness of the element is meant
    inertia : (m,) 12I/t³
    plies : for each section `LaminatePlies`, or None if it is homogeneous or its plies have no stresses
    layered : (m,) bool, a laminate, which has no fibre stresses
    """

    z: np.ndarray
    inertia: np.ndarray
    plies: list[LaminatePlies | None]
    layered: np.ndarray

    def select(self, rows: np.ndarray) -> ShellOutput:
        """Data of sections `rows`, in that order."""
        plies = [self.plies[k] for k in rows.tolist()]
        return ShellOutput(self.z[rows], self.inertia[rows], plies, self.layered[rows])


@kernel
def fibre_stresses(first, last, results, places, t, inertia, z, max_shear, out):
    """Stresses of both fibres of elements first..last-1: out (k, n * places * 2, 8).

    results (n, 8 * points, k); t (n, points) thickness; inertia (n,) 12I/t³; z (n, 2). Columns: distance, σx, σy,
    τxy, angle of the larger principal stress in degrees, both principal stresses, von Mises or maximum shear.
    """
    for e in range(first, last):
        for place in range(places):
            i0 = 8 * place
            thick = t[e, place]
            bend = 12.0 / (inertia[e] * thick**3) if inertia[e] > 0.0 else 0.0
            for fibre in range(2):
                height = z[e, fibre]
                lever = bend * height
                row = (e * places + place) * 2 + fibre
                for m in range(results.shape[2]):
                    sx = results[e, i0, m] / thick - lever * results[e, i0 + 3, m]
                    sy = results[e, i0 + 1, m] / thick - lever * results[e, i0 + 4, m]
                    t12 = results[e, i0 + 2, m] / thick - lever * results[e, i0 + 5, m]
                    mean, half = 0.5 * (sx + sy), 0.5 * (sx - sy)
                    radius = np.sqrt(half * half + t12 * t12)
                    o = out[m, row]
                    o[0], o[1], o[2], o[3] = height, sx, sy, t12
                    o[4] = 0.5 * np.arctan2(t12, half) * (180.0 / np.pi)
                    o[5], o[6] = mean + radius, mean - radius
                    if max_shear:
                        o[7] = radius
                    else:
                        o[7] = np.sqrt(mean * mean + 3.0 * radius * radius)


@kernel
def add_strains(g, functions, U, first, out, row):
    """out[row:row+3] += εx, εy, γxy of `functions` displacement pairs in rows U[first:], gradients g."""
    for a in range(functions):
        u, v = U[first + 2 * a], U[first + 2 * a + 1]
        for c in range(U.shape[1]):
            out[row, c] += g[a, 0] * u[c]
            out[row + 1, c] += g[a, 1] * v[c]
            out[row + 2, c] += g[a, 1] * u[c] + g[a, 0] * v[c]


@kernel
def section_forces(strains, A, B, D, t, t2, t3, out):
    """out (6, n) = N and −M from ε, κ (6, n); t, t2, t3: thickness over that of the section, its square and cube."""
    for i in range(3):
        for c in range(strains.shape[1]):
            n = m = 0.0
            for j in range(3):
                e, k = strains[j, c], strains[3 + j, c]
                n += t * A[i, j] * e + t2 * B[i, j] * k
                m += t2 * B[i, j] * e + t3 * D[i, j] * k
            out[i, c] = n
            out[3 + i, c] = -m


@kernel
def add_membrane_geometric(E, g, N, weight, full, K):
    """Add weight times the geometric stiffness of membrane forces N (3,) at one point to K (6c, 6c).

    NASTRAN's form: N_x (w,x² + v,x²) + N_y (w,y² + u,y²) + 2 N_xy w,x w,y; full: N_ab u_i,a u_i,b.
    E (3,3) element axes as rows, g (c, 2) gradients of the shape functions.
    """
    for a in range(g.shape[0]):
        for b in range(g.shape[0]):
            xx, yy = N[0] * g[a, 0] * g[b, 0], N[1] * g[a, 1] * g[b, 1]
            cw = xx + yy + N[2] * (g[a, 0] * g[b, 1] + g[a, 1] * g[b, 0])
            cu, cv = (cw, cw) if full else (yy, xx)
            for i in range(3):
                for j in range(3):
                    term = cu * E[0, i] * E[0, j] + cv * E[1, i] * E[1, j] + cw * E[2, i] * E[2, j]
                    K[6 * a + i, 6 * b + j] += weight * term


def force_rows(block, results: np.ndarray, corners: bool) -> list[ResultRows]:
    """Forces per length of all elements of a block."""
    places = results.shape[1] // 8 if corners else 1
    n, k = len(block), results.shape[2]
    values = results[:, : 8 * places].reshape(n * places, 8, k).transpose(2, 0, 1)
    nodes = _places(block, np.arange(n), places) if results.shape[1] > 8 and corners else None
    return [ResultRows(block.name, FORCES, np.repeat(block.eid, places), values, nodes)]


def stress_rows(
    block, results: np.ndarray, corners: bool, max_shear: bool, heat: np.ndarray | None = None
) -> list[ResultRows]:
    """Fibre stresses of homogeneous elements and ply stresses of laminates; heat as in `OutputOptions`."""
    out = []
    layered = block.output.layered[block.section]
    here = np.flatnonzero(~layered)
    if len(here):
        mine = results if len(here) == len(block) else results[here]
        out.append(_fibre_rows(block, here, mine, corners, max_shear))
    out += [
        _ply_rows(block, s, np.flatnonzero(block.section == s), results, heat)
        for s in np.unique(block.section[layered])
        if block.output.plies[s] is not None
    ]
    return out


def strain_rows(block, results: np.ndarray, options: OutputOptions, corners: bool) -> list[ResultRows]:
    """Strains ε + zκ at the fibres of homogeneous elements, element axes; laminates have none.

    With `curvature` the two rows are ε beside 0 and, as NASTRAN lists it, -κ beside -1. The last column is
    √(4/9 (εx² + εy² - εxεy) + γ²/3), or the largest γ.
    """
    here = np.flatnonzero(~block.output.layered[block.section])
    if not len(here):
        return []
    places, k, sections = results.shape[1] // 8 if corners else 1, results.shape[2], block.sections
    n, section = len(here) * places, np.repeat(block.section[here], places)
    t, z = _thickness_and_fibres(block, here, results.shape[1] // 8)
    ratio = (t[:, :places] / sections.thickness[block.section[here], None]).reshape(n, 1, 1)
    forces = results[here, : 8 * places].reshape(n, 8, k)
    c, w = (np.repeat(one, places, axis=0) for one in block.material_direction(here))
    given = [turned_stress(forces[:, 0:3], c, w) / ratio, turned_stress(-forces[:, 3:6], c, w) / ratio**2]
    stiff = np.block([[sections.A, sections.B], [sections.B, sections.D]])
    strain = np.linalg.pinv(stiff, hermitian=True)[section] @ np.concatenate(given, axis=1)
    strain[:, 3:] /= ratio
    strain[:, 2::3] *= 0.5  # as tensors
    ends = [turned_stress(strain[:, i : i + 3], c, -w) for i in (0, 3)]
    height = np.repeat(z, places, axis=0)
    e = ends[0][:, None] + height[:, :, None, None] * ends[1][:, None]
    if options.curvature:
        height = np.broadcast_to([0.0, -1.0], height.shape)
        e = np.stack([ends[0], -ends[1]], axis=1)
    e = e.reshape(2 * n, 3, k)
    x, y, xy = e[:, 0], e[:, 1], e[:, 2]
    mean, half = 0.5 * (x + y), 0.5 * (x - y)
    radius = np.hypot(half, xy)
    last = (
        2.0 * radius
        if options.max_shear
        else np.sqrt(4.0 / 9.0 * (x * x + y * y - x * y) + 4.0 / 3.0 * xy * xy)
    )
    angle = np.rad2deg(0.5 * np.arctan2(xy, half))
    z = np.broadcast_to(height.reshape(-1, 1), x.shape)
    values = np.stack([z, x, y, 2.0 * xy, angle, mean + radius, mean - radius, last], axis=-1)
    columns = ("fiber_curvature" if options.curvature else "fiber_distance", "exx", "eyy", "exy", "angle")
    columns = (*columns, "emax", "emin", "max_shear" if options.max_shear else "von_mises")
    nodes, eid = np.repeat(_places(block, here, places), 2), np.repeat(block.eid[here], 2 * places)
    return [ResultRows(block.name, columns, eid, np.ascontiguousarray(values.transpose(1, 0, 2)), nodes)]


def _thickness_and_fibres(block, here: np.ndarray, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Thickness (n, points) at the centre and the corners, and heights (n, 2) of the fibres, of elements `here`."""
    section = block.section[here]
    mean = block.sections.thickness[section] * block.taper[here].mean(axis=1)
    t = np.repeat(mean[:, None], points, axis=1)
    if points > 1:
        t[:, 1:] = block.sections.thickness[section, None] * block.taper[here]
    z = block.output.z[section]
    return t, np.where(np.isnan(z), 0.5 * mean[:, None] * [-1.0, 1.0], z)


def _fibre_rows(block, here, results, corners, max_shear) -> ResultRows:
    points = results.shape[1] // 8
    places = points if corners else 1
    section = block.section[here]
    t, z = _thickness_and_fibres(block, here, points)
    out = np.empty((results.shape[2], len(here) * places * 2, 8))
    inertia = block.output.inertia[section]
    in_ranges(fibre_stresses, len(here), results, places, t, inertia, z, max_shear, out)
    last = "max_shear" if max_shear else "von_mises"
    columns = ("fiber_distance", "oxx", "oyy", "txy", "angle", "omax", "omin", last)
    nodes = np.repeat(_places(block, here, places), 2)
    return ResultRows(block.name, columns, np.repeat(block.eid[here], 2 * places), out, nodes)


def _places(block, here, places) -> np.ndarray:
    """Grid rows of the results of elements `here`, centre (-1) first."""
    centre = np.full((len(here), 1), -1)
    return np.column_stack([centre, block.nodes[here, : places - 1]]).ravel()


def _ply_rows(block, s: int, here: np.ndarray, results: np.ndarray, heat: np.ndarray | None) -> ResultRows:
    """Stresses in the middle of each ply at the centre of the elements `here` of laminate s.

    In-plane stresses are in ply axes; transverse shear is that at the top of the ply in material axes.
    """
    plies = block.output.plies[s]
    c, w = block.material_direction(here)
    forces = results[here, :8]
    N, M = turned_stress(forces[:, 0:3], c, w), turned_stress(-forces[:, 3:6], c, w)
    strain = np.einsum("ij,njk->nik", plies.compliance, np.concatenate([N, M], axis=1))
    local = strain[:, None, :3] + plies.z[:, None, None] * strain[:, None, 3:]
    stress = np.einsum("pij,pjl,nplk->npik", plies.Q, plies.turn, local)
    if heat is not None:
        stress += np.einsum("pit,nt->npi", plies.unlike, heat[here])[:, :, :, None]
    V = np.stack([c * forces[:, 6] + w * forces[:, 7], c * forces[:, 7] - w * forces[:, 6]], axis=1)
    shear = plies.shear[:, :, None] * V[:, None]
    mean, half = 0.5 * (stress[:, :, 0] + stress[:, :, 1]), 0.5 * (stress[:, :, 0] - stress[:, :, 1])
    radius = np.hypot(half, stress[:, :, 2])
    angle = 0.5 * np.rad2deg(np.arctan2(stress[:, :, 2], half))
    derived = np.stack([angle, mean + radius, mean - radius, radius], axis=2)
    values = np.concatenate([stress, shear, derived], axis=2)
    p = len(plies.z)
    values = values.reshape(len(here) * p, 9, -1).transpose(2, 0, 1)
    layers = np.tile(plies.labels, len(here))
    return ResultRows(
        f"{block.name}_COMPOSITE", COMPOSITE, np.repeat(block.eid[here], p), values, None, layers
    )


def turned_stress(s: np.ndarray, c: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Plane stress components (n, 3, k) in axes turned by an angle of cosine c and sine w (n, 1)."""
    x, y, xy = s[:, 0], s[:, 1], s[:, 2]
    return np.stack(
        [
            c * c * x + w * w * y + 2 * c * w * xy,
            w * w * x + c * c * y - 2 * c * w * xy,
            c * w * (y - x) + (c * c - w * w) * xy,
        ],
        axis=1,
    )
