"""CTRIA6: the curved six-node shell.

Strains of `curved_kernels`, with assumed fields against locking:

* transverse shear of MITC7 (Bathe, Brezzi and Cho, Comp. Struct. 32, 797-814, 1989): covariant components
  e_r = c0 + c1 r + c2 s + s (c6 r + c7 s), e_s = c3 + c4 r + c5 s − r (c6 r + c7 s), from the tangential
  shear at two points of each side and the means over the element; the rotations have an internal
  bubble 27 r s (1−r−s), condensed;
* membrane of MITC6 (Lee and Bathe, Comp. Struct. 82, 945-962, 2004): e_rr, e_ss and e_qq linear, each from
  three points.
"""

from __future__ import annotations

import numpy as np

from interstage.fem.elements import shell_curved as curved
from interstage.fem.elements.dense_kernels import condense, cross, follow
from interstage.fem.elements.shell_curved import CurvedShellBlock
from interstage.fem.elements.tria3 import Tria3Block
from interstage.jit import kernel

NODES = 6
DOFS = 36
SIZE = DOFS + 2
_LOW, _HIGH, _APART = 0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0), 1.0 / np.sqrt(3.0)
# (r, s, tangent) of the tangential shears on the sides
SHEAR_POINTS = np.array(
    [[p, 0, 1, 0] for p in (_LOW, _HIGH)]
    + [[0, p, 0, 1] for p in (_LOW, _HIGH)]
    + [[1 - p, p, -1, 1] for p in (_LOW, _HIGH)]
)
# points of e_rr, e_ss and e_qq (direction s − r)
MEMBRANE_POINTS = np.array(
    [
        [[_LOW, 0], [_HIGH, 0], [_LOW, _APART]],
        [[0, _LOW], [0, _HIGH], [_APART, _LOW]],
        [[_HIGH, _LOW], [_LOW, _HIGH], [_LOW, _LOW]],
    ]
)


def _shear_basis(r, s):
    """Values (2, 8) of the shear field's functions at a point: rows e_r, e_s."""
    return np.array([[1, r, s, 0, 0, 0, r * s, s * s], [0, 0, 0, 1, r, s, -r * r, -r * s]], dtype=float)


def _shear_solve() -> np.ndarray:
    """Matrix (8, 8) from six tangential shears and two means to the coefficients of the field."""
    rows = [np.array(p[2:]) @ _shear_basis(*p[:2]) for p in SHEAR_POINTS]
    means = sum(2.0 * w * _shear_basis(r, s) for r, s, w in curved.TRIA_FULL)
    return np.linalg.inv(np.vstack([*rows, means]))


SHEAR_SOLVE = _shear_solve()
MEMBRANE_SOLVE = np.array([np.linalg.inv(np.column_stack([np.ones(3), p])) for p in MEMBRANE_POINTS])


@kernel
def covariant(xi, eta, x, nodes, director, N, a1, a2, d):
    """Shape functions, tangents a1, a2 and director d at a point."""
    curved.shape(xi, eta, 3, nodes, N)
    for k in range(3):
        a1[k] = a2[k] = d[k] = 0.0
        for a in range(NODES):
            a1[k] += N[a, 1] * x[a, k]
            a2[k] += N[a, 2] * x[a, k]
            d[k] += N[a, 0] * director[a, k]


@kernel
def shear_row(xi, eta, tr, ts, x, nodes, director, offset, centre, N, a1, a2, d, row):
    """Row (38,) of the covariant shear e_t = a_t·w + d·U,t in the direction t = tr r + ts s."""
    v, turn = np.empty(3), np.empty(3)
    covariant(xi, eta, x, nodes, director, N, a1, a2, d)
    for a in range(NODES):
        slope = tr * N[a, 1] + ts * N[a, 2]
        for k in range(3):
            row[6 * a + k] = slope * d[k]
            v[k] = offset * slope * d[k] + N[a, 0] * (tr * a1[k] + ts * a2[k])
        cross(director[a], v, turn)
        for k in range(3):
            row[6 * a + 3 + k] = turn[k]
    b = 27.0 * xi * eta * (1.0 - xi - eta)
    for i in range(2):
        row[DOFS + i] = 0.0
        for k in range(3):
            row[DOFS + i] += b * centre[i, k] * (tr * a1[k] + ts * a2[k])


@kernel
def tie_shear(x, nodes, director, offset, centre, N, tied):
    """Coefficients tied (8, 38) of the covariant shear field."""
    a1, a2, d, row = np.empty(3), np.empty(3), np.empty(3), np.empty(SIZE)
    value = np.zeros((8, SIZE))
    for q in range(6):
        p = SHEAR_POINTS[q]
        shear_row(p[0], p[1], p[2], p[3], x, nodes, director, offset, centre, N, a1, a2, d, value[q])
    for q in range(len(curved.TRIA_FULL)):
        r, s, w = curved.TRIA_FULL[q, 0], curved.TRIA_FULL[q, 1], 2.0 * curved.TRIA_FULL[q, 2]
        for i in range(2):
            shear_row(r, s, 1.0 - i, 1.0 * i, x, nodes, director, offset, centre, N, a1, a2, d, row)
            for c in range(SIZE):
                value[6 + i, c] += w * row[c]
    for i in range(8):
        for c in range(SIZE):
            tied[i, c] = 0.0
            for q in range(8):
                tied[i, c] += SHEAR_SOLVE[i, q] * value[q, c]


@kernel
def tie_membrane(x, nodes, director, offset, N, tied):
    """Coefficients tied (3, 3, 36) of e_rr, e_ss, e_qq = ½(e_rr + e_ss) − e_rs: constant, r and s terms."""
    a1, a2, d, v, turn = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    value = np.empty((3, DOFS))
    for f in range(3):
        # e_qq is half the stretch along s − r
        tr, ts, half = (1.0, 0.0, 1.0) if f == 0 else ((0.0, 1.0, 1.0) if f == 1 else (-1.0, 1.0, 0.5))
        for q in range(3):
            covariant(MEMBRANE_POINTS[f, q, 0], MEMBRANE_POINTS[f, q, 1], x, nodes, director, N, a1, a2, d)
            for a in range(NODES):
                slope = half * (tr * N[a, 1] + ts * N[a, 2])
                for k in range(3):
                    v[k] = slope * (tr * a1[k] + ts * a2[k])
                    value[q, 6 * a + k] = v[k]
                    v[k] *= offset
                cross(director[a], v, turn)
                for k in range(3):
                    value[q, 6 * a + 3 + k] = turn[k]
        for i in range(3):
            for c in range(DOFS):
                tied[f, i, c] = 0.0
                for q in range(3):
                    tied[f, i, c] += MEMBRANE_SOLVE[f, i, q] * value[q, c]


@kernel
def assumed_rows(xi, eta, x, N, E, centre, shear, membrane, B):
    """Put the tied fields at a point into B (8, 38), and the bubble's part of the curvatures."""
    j11 = j12 = j21 = j22 = 0.0
    for a in range(NODES):
        for k in range(3):
            j11 += N[a, 1] * x[a, k] * E[0, k]
            j12 += N[a, 1] * x[a, k] * E[1, k]
            j21 += N[a, 2] * x[a, k] * E[0, k]
            j22 += N[a, 2] * x[a, k] * E[1, k]
    j = j11 * j22 - j12 * j21
    # e_α = h_α1 a1 + h_α2 a2
    h11, h12, h21, h22 = j22 / j, -j12 / j, -j21 / j, j11 / j
    for c in range(SIZE):
        last = shear[6, c] * xi + shear[7, c] * eta
        er = shear[0, c] + shear[1, c] * xi + shear[2, c] * eta + eta * last
        es = shear[3, c] + shear[4, c] * xi + shear[5, c] * eta - xi * last
        B[6, c] = h11 * er + h12 * es
        B[7, c] = h21 * er + h22 * es
    for c in range(DOFS):
        rr = membrane[0, 0, c] + membrane[0, 1, c] * xi + membrane[0, 2, c] * eta
        ss = membrane[1, 0, c] + membrane[1, 1, c] * xi + membrane[1, 2, c] * eta
        qq = membrane[2, 0, c] + membrane[2, 1, c] * xi + membrane[2, 2, c] * eta
        rs = 0.5 * (rr + ss) - qq
        B[0, c] = h11 * h11 * rr + h12 * h12 * ss + 2.0 * h11 * h12 * rs
        B[1, c] = h21 * h21 * rr + h22 * h22 * ss + 2.0 * h21 * h22 * rs
        B[2, c] = 2.0 * (h11 * h21 * rr + h12 * h22 * ss + (h11 * h22 + h12 * h21) * rs)
    br, bs = 27.0 * eta * (1.0 - 2.0 * xi - eta), 27.0 * xi * (1.0 - xi - 2.0 * eta)
    bx, by = h11 * br + h12 * bs, h21 * br + h22 * bs
    for i in range(2):
        along1 = along2 = 0.0
        for k in range(3):
            along1 += centre[i, k] * E[0, k]
            along2 += centre[i, k] * E[1, k]
        c = DOFS + i
        B[0, c] = B[1, c] = B[2, c] = 0.0
        B[3, c] = bx * along1
        B[4, c] = by * along2
        B[5, c] = by * along1 + bx * along2


@kernel
def tria6_fields(xyz, nodes, offset, w, centre, shear, membrane):
    """Fill nodes, the frame at the centroid and the tied fields; returns the area."""
    curved.place_nodes(xyz, nodes, 3, curved.TRIA_NODES, offset, w)
    area = 0.0
    for q in range(len(curved.TRIA_FULL)):
        curved.shape(curved.TRIA_FULL[q, 0], curved.TRIA_FULL[q, 1], 3, nodes, w.N)
        area += curved.local_basis(w.x, w.N, w.reference, w.E, w.g) * curved.TRIA_FULL[q, 2]
    curved.shape(1.0 / 3.0, 1.0 / 3.0, 3, nodes, w.N)
    curved.local_basis(w.x, w.N, w.reference, centre, w.g)
    tie_shear(w.x, nodes, w.director, offset, centre, w.N, shear)
    tie_membrane(w.x, nodes, w.director, offset, w.N, membrane)
    return area


@kernel
def tria6_matrix(nodes, p, axis, offset, thick, sections, area, w, centre, shear, membrane, B, CB, K):
    """Stiffness K (38, 38) of one element in basic axes; the bubble's rotations are dofs 36, 37."""
    K[:] = 0.0
    for q in range(len(curved.TRIA_FULL)):
        xi, eta = curved.TRIA_FULL[q, 0], curved.TRIA_FULL[q, 1]
        curved.shape(xi, eta, 3, nodes, w.N)
        j = curved.local_basis(w.x, w.N, w.reference, w.E, w.g) * curved.TRIA_FULL[q, 2]
        t = curved.corner_thickness(xi, eta, 3, thick)
        curved.section_at(sections, p, axis, area, w)
        curved.strain_rows(w.N, w.g, w.E, w.director, offset, B)
        assumed_rows(xi, eta, w.x, w.N, w.E, centre, shear, membrane, B)
        curved.add_energy(w.A, w.B, w.D, w.G, j * t, j * t * t, j * t * t * t, j * t, B, CB, K, SIZE)


@kernel
def tria6_range(first, last, xyz, nodes, section, axis, offset, taper, normals, sections, k6rot, out):
    """Stiffness of elements first..last−1 in basic axes; arrays as in `ShellBlock`, out (n, 36, 36)."""
    w, centre, K = curved.curved_work(NODES), np.empty((3, 3)), np.empty((SIZE, SIZE))
    B, CB, shear, membrane = (
        np.empty((8, SIZE)), np.empty((8, SIZE)), np.empty((8, SIZE)), np.empty((3, 3, DOFS))
    )  # fmt: skip
    for e in range(first, last):
        p, z, t = section[e], offset[e], taper[e]
        area = tria6_fields(xyz, nodes[e], z, w, centre, shear, membrane)
        tria6_matrix(nodes[e], p, axis[e], z, t, sections, area, w, centre, shear, membrane, B, CB, K)
        condense(K, DOFS, SIZE)
        for i in range(DOFS):
            for k in range(DOFS):
                out[e, i, k] = K[i, k]


@kernel
def tria6_recovery_range(
    first, last, xyz, nodes, section, axis, offset, taper, normals, sections, k6rot, out
):
    """Forces per length of elements first..last−1 for unit motions: out (n, 32, 36), centre and corners."""
    w, centre, K = curved.curved_work(NODES), np.empty((3, 3)), np.empty((SIZE, SIZE))
    B, CB, shear, membrane = (
        np.empty((8, SIZE)), np.empty((8, SIZE)), np.empty((8, SIZE)), np.empty((3, 3, DOFS))
    )  # fmt: skip
    S, inside, along = np.empty((3, 8, DOFS)), np.empty((2, DOFS)), np.empty(3)
    for e in range(first, last):
        p, z, t = section[e], offset[e], taper[e]
        area = tria6_fields(xyz, nodes[e], z, w, centre, shear, membrane)
        tria6_matrix(nodes[e], p, axis[e], z, t, sections, area, w, centre, shear, membrane, B, CB, K)
        condense(K, DOFS, SIZE)
        follow(K, DOFS, inside)
        curved.output_direction(w.x, nodes[e], 3, w.N, along)
        for q in range(3):
            xi, eta = curved.TRIA_POINTS[q, 0], curved.TRIA_POINTS[q, 1]
            curved.shape(xi, eta, 3, nodes[e], w.N)
            curved.local_basis(w.x, w.N, along, w.E, w.g)
            curved.section_at(sections, p, axis[e], area, w)
            curved.strain_rows(w.N, w.g, w.E, w.director, z, B)
            assumed_rows(xi, eta, w.x, w.N, w.E, centre, shear, membrane, B)
            curved.point_forces(B, inside, curved.corner_thickness(xi, eta, 3, t), w, S[q])
        curved.spread(S, 3, out[e])


class Tria6Block(CurvedShellBlock):
    """CTRIA6 elements."""

    corners = 3
    flat = Tria3Block
    full = curved.TRIA_FULL
    places = 4
    stiffness_kernel = tria6_range
    recovery_kernel = tria6_recovery_range
