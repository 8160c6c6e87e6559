"""CQUAD4: the four-node shell of NASTRAN.

Membrane and bending are the QM6 element of Taylor, Beresford and Wilson (Int. J. Num. Meth. Eng. 10,
1211-1219, 1976) in the plane through the mean of the corners, bending with (θy, −θx) in the place of
(u, v). Drilling is a penalty on θz − ½(v,x − u,y) at the corners.
"""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.dense_kernels import block_times_rows, condense, congruence, follow
from interstage.fem.elements.quad_common import (
    ETA,
    GAUSS,
    XI,
    add_shear,
    bilinear,
    bilinear_jacobian,
    corner_gradients,
    edge_shears,
    place_quad,
    qm6_gradients,
    quad_frame,
    quad_shear_forces,
    quad_work,
    result_point,
    thickness_powers,
)
from interstage.fem.elements.shell_common import ShellBlock
from interstage.fem.elements.shell_recovery import add_membrane_geometric, add_strains, section_forces
from interstage.jit import kernel


@kernel
def add_plane(g, Q, weight, K, lower):
    """Add weight·∫ Bᵀ Q B at one point to K, dofs (corner a: 2a, 2a+1; internal: 8..11), or to its lower part."""
    for a in range(6):
        ax, ay = g[a, 0] * weight, g[a, 1] * weight
        # stress of a unit u and of a unit v of function a
        s0, s1, s2 = Q[0, 0] * ax + Q[0, 2] * ay, Q[0, 1] * ax + Q[1, 2] * ay, Q[0, 2] * ax + Q[2, 2] * ay
        r0, r1, r2 = Q[0, 1] * ay + Q[0, 2] * ax, Q[1, 1] * ay + Q[1, 2] * ax, Q[1, 2] * ay + Q[2, 2] * ax
        i = 2 * a
        last = a + 1 if lower else 6
        for b in range(last):
            bx, by = g[b, 0], g[b, 1]
            j = 2 * b
            K[i, j] += s0 * bx + s2 * by
            K[i, j + 1] += s1 * by + s2 * bx
            K[i + 1, j] += r0 * bx + r2 * by
            K[i + 1, j + 1] += r1 * by + r2 * bx


@kernel
def internal_modes(Km, Kb, W, G):
    """G (4, 8): the internal dofs of the membrane of uniform thickness, a = G u, that its energy is least for.

    Km, Kb (12, 12) are membrane and bending stiffness with their internal dofs last, lower triangles; W is scratch.
    NASTRAN uses the membrane's modes for bending too, where the two differ (laminates), and leaves out how thickness
    varies; a section without membrane stiffness has the modes of bending.
    """
    K = Km if Km[8, 8] > 0.0 else Kb
    for i in range(12):
        for j in range(i + 1):
            W[i, j] = W[j, i] = K[i, j]
    condense(W, 8, 12)
    follow(W, 8, G)


@kernel
def quad_modes(thick, w, Km, Kb, W, G):
    """G (4, 8) of `internal_modes`; thick (4,) are the corner thickness ratios, w.J0 is that of the center."""
    if thick[0] != thick[1] or thick[0] != thick[2] or thick[0] != thick[3]:
        even = even_stiffness(w, w.A if Km[8, 8] > 0.0 else w.D)
        internal_modes(even, even, W, G)
    else:
        internal_modes(Km, Kb, W, G)


@kernel
def even_stiffness(w, section):
    """Plane stiffness (12, 12), lower triangle, of an element of uniform thickness; w.J0 is that of the center."""
    K = np.zeros((12, 12))
    for q in range(4):
        j = qm6_gradients(w.xy, GAUSS * XI[q], GAUSS * ETA[q], w.J0, w.J, w.g)
        add_plane(w.g, section, j, K, True)
    return K


@kernel
def with_modes(K, symmetric, G, KT, C, row, col):
    """C[row:row+8, col:col+8] = Tᵀ K T with T = [1; G]; K (12, 12), its lower triangle if symmetric.

    KT (12, 12) is scratch.
    """
    if symmetric:
        for i in range(12):
            for j in range(i):
                K[j, i] = K[i, j]
    for i in range(12):
        for j in range(8):
            KT[i, j] = K[i, j]
        for m in range(4):
            k = K[i, 8 + m]
            for j in range(8):
                KT[i, j] += k * G[m, j]
    for i in range(8):
        for j in range(8):
            C[row + i, col + j] = KT[i, j]
        for m in range(4):
            g = G[m, i]
            for j in range(8):
                C[row + i, col + j] += g * KT[8 + m, j]


@kernel
def quad_constitutive(thick, coupled, w, Km, Kb, Kc):
    """Integrate over 2×2 points: membrane Km, bending Kb (lower triangles), coupling Kc (12,12), shear w.H (4,4).

    Rows of Kc are those of bending. thick (4,) are the corner thickness ratios. Returns the area.
    """
    uniform = thick[0] == 1.0 and thick[1] == 1.0 and thick[2] == 1.0 and thick[3] == 1.0
    bilinear_jacobian(w.xy, 0.0, 0.0, w.J0)
    Km[:] = 0.0
    Kb[:] = 0.0
    Kc[:] = 0.0
    w.H[:] = 0.0
    area = 0.0
    for q in range(4):
        xi, eta = GAUSS * XI[q], GAUSS * ETA[q]
        j = qm6_gradients(w.xy, xi, eta, w.J0, w.J, w.g)
        t = 1.0
        if not uniform:
            t = bilinear(xi, eta, thick)
        area += j
        add_plane(w.g, w.A, j * t, Km, True)
        add_plane(w.g, w.D, j * t * t * t, Kb, True)
        if coupled:
            add_plane(w.g, w.B, j * t * t, Kc, False)
        add_shear(xi, eta, j * t, w.shear, w.H)
    return area


@kernel
def quad4_range(first, last, xyz, nodes, section, axis, offset, taper, normals, sections, k6rot, out):
    """Stiffness of elements first..last−1 in basic axes; arrays as in `ShellBlock`, out (n, 24, 24)."""
    w = quad_work()
    Km, Kb, Kc = np.empty((12, 12)), np.empty((12, 12)), np.empty((12, 12))
    W, G, C16, CP = np.empty((12, 12)), np.empty((4, 8)), np.zeros((16, 16)), np.empty((24, 24))
    for e in range(first, last):
        place_quad(e, xyz, nodes, section, axis, offset, normals, sections, w)
        p = section[e]
        coupled = sections.coupled[p]
        area = quad_constitutive(taper[e], coupled, w, Km, Kb, Kc)
        quad_modes(taper[e], w, Km, Kb, W, G)
        with_modes(Km, True, G, W, C16, 0, 0)
        with_modes(Kb, True, G, W, C16, 8, 8)
        if coupled:
            with_modes(Kc, False, G, W, C16, 8, 0)
            for i in range(8):
                for j in range(8):
                    C16[j, 8 + i] = C16[8 + i, j]
            block_times_rows(C16, 16, w.P, 0, CP, 24)
        else:
            block_times_rows(C16[:8, :8], 8, w.P, 0, CP, 24)
            block_times_rows(C16[8:, 8:], 8, w.P, 8, CP, 24)
        edge_shears(taper[e], sections.rigid_shear[p], area, w)
        block_times_rows(w.C, 4, w.P, 16, CP, 24)
        quad_drilling(w.xy, 1e-6 * k6rot * w.A[2, 2], taper[e], w.P, CP)
        congruence(w.P, CP, 24, 24, out[e])


@kernel
def quad_drilling(xy, stiffness, thick, P, CP):
    """CP rows of the drilling strains: stiffness·|e_a × e_b| at each corner, e_a and e_b the sides there."""
    for i in range(4):
        a, b = (i + 1) % 4, (i + 3) % 4
        ax, ay = xy[a, 0] - xy[i, 0], xy[a, 1] - xy[i, 1]
        bx, by = xy[b, 0] - xy[i, 0], xy[b, 1] - xy[i, 1]
        k = stiffness * thick[i] * abs(ax * by - ay * bx)
        for c in range(24):
            CP[20 + i, c] = k * P[20 + i, c]


@kernel
def quad4_recovery_range(
    first, last, xyz, nodes, section, axis, offset, taper, normals, sections, k6rot, out
):
    """Forces per length of elements first..last−1 for unit motions: out (n, 40, 24), center and corners.

    With out (n, 32, 24) those of the 2×2 points. Membrane and bending are the QM6 fields with their internal modes;
    transverse shear is that of the center at every place.
    """
    w = quad_work()
    places = out.shape[1] // 8
    Km, Kb, Kc = np.empty((12, 12)), np.empty((12, 12)), np.empty((12, 12))
    W, G = np.empty((12, 12)), np.empty((4, 8))
    inside, strains, V = np.empty((8, 24)), np.empty((6, 24)), np.empty((2, 24))
    for e in range(first, last):
        place_quad(e, xyz, nodes, section, axis, offset, normals, sections, w)
        thick, P, g = taper[e], w.P, w.g
        area = quad_constitutive(thick, False, w, Km, Kb, Kc)
        quad_modes(thick, w, Km, Kb, W, G)
        for i in range(4):
            inside[i] = 0.0
            inside[4 + i] = 0.0
            for j in range(8):
                for c in range(24):
                    inside[i, c] += G[i, j] * P[j, c]
                    inside[4 + i, c] += G[i, j] * P[8 + j, c]
        edge_shears(thick, sections.rigid_shear[section[e]], area, w)
        quad_shear_forces(w.xy, w.C, area, P, V)
        bilinear_jacobian(w.xy, 0.0, 0.0, w.J0)
        for place in range(places):
            xi, eta = result_point(place, places)
            qm6_gradients(w.xy, xi, eta, w.J0, w.J, g)
            t, t2, t3 = thickness_powers(xi, eta, thick)
            strains[:] = 0.0
            add_strains(g, 4, P, 0, strains, 0)
            add_strains(g[4:], 2, inside, 0, strains, 0)
            add_strains(g, 4, P, 8, strains, 3)
            add_strains(g[4:], 2, inside, 4, strains, 3)
            section_forces(strains, w.A, w.B, w.D, t, t2, t3, out[e, 8 * place : 8 * place + 6])
            out[e, 8 * place + 6 : 8 * place + 8] = V


@kernel
def quad4_geometric_range(first, last, xyz, nodes, forces, offset, full, out):
    """Geometric stiffness of elements first..last−1 in basic axes, out (n, 24, 24).

    forces (n, 5, 3): N_x N_y N_xy at the centre and the corners; those of the corners are taken bilinear in between,
    2×2 points.
    """
    x, E, xy, J = np.empty((4, 3)), np.empty((3, 3)), np.empty((4, 2)), np.empty((2, 2))
    g, N = np.empty((4, 2)), np.empty(3)
    for e in range(first, last):
        for i in range(4):
            for k in range(3):
                x[i, k] = xyz[nodes[e, i], k]
        quad_frame(x, E, xy)
        out[e] = 0.0
        for q in range(4):
            xi, eta = GAUSS * XI[q], GAUSS * ETA[q]
            j = corner_gradients(xy, xi, eta, J, g)
            for k in range(3):
                N[k] = bilinear(xi, eta, forces[e, 1:, k])
            add_membrane_geometric(E, g, N, j, full, out[e])


@kernel
def quad4_mass(xyz, nodes, section, taper, sections, coupled, out):
    """Mass of CQUAD4 elements, translations only: row sums ∫ρt N_i dA, or ∫ρt N_i N_j dA if coupled.

    out (n, 24, 24) must be zero on entry. Non-structural mass is not tapered.
    """
    x, E, xy, J = np.empty((4, 3)), np.empty((3, 3)), np.empty((4, 2)), np.empty((2, 2))
    N = np.empty(4)
    for e in range(nodes.shape[0]):
        for i in range(4):
            for k in range(3):
                x[i, k] = xyz[nodes[e, i], k]
        quad_frame(x, E, xy)
        p = section[e]
        for q in range(4):
            xi, eta = GAUSS * XI[q], GAUSS * ETA[q]
            j = bilinear_jacobian(xy, xi, eta, J)
            t = 0.0
            for a in range(4):
                N[a] = 0.25 * (1.0 + XI[a] * xi) * (1.0 + ETA[a] * eta)
                t += N[a] * taper[e, a]
            m = j * (sections.mass[p] + (t - 1.0) * sections.mass_of_thickness[p])
            for a in range(4):
                for k in range(3):
                    if coupled:
                        for b in range(4):
                            out[e, 6 * a + k, 6 * b + k] += m * N[a] * N[b]
                    else:
                        out[e, 6 * a + k, 6 * a + k] += m * N[a]


class Quad4Block(ShellBlock):
    """CQUAD4 elements."""

    corners = 4
    places = 5
    stiffness_kernel = quad4_range
    recovery_kernel = quad4_recovery_range
    geometric_kernel = quad4_geometric_range

    def point_forces(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = self._run(type(self).recovery_kernel, which, 32).reshape(len(which), 4, 8, -1)
        E, x = self.element_axes(which), self.xyz[self.nodes[which]]
        xy = np.einsum("nij,naj->nai", E[:, :2], x)
        at = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
        slope = 0.25 * at[None] * (1.0 + at[None, :, ::-1] * at[:, None, ::-1] / np.sqrt(3.0))
        J = np.einsum("qai,naj->nqij", slope, xy)
        return found[:, :, :6], np.linalg.det(J)

    def mass(self, rows: slice, coupled: bool) -> np.ndarray:
        """Mass (n, 24, 24) in basic axes: translations only."""
        nodes = self.nodes[rows]
        out = np.zeros((len(nodes), 24, 24))
        quad4_mass(self.xyz, nodes, self.section[rows], self.taper[rows], self.sections, coupled, out)
        return out
