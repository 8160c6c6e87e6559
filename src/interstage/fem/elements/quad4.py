"""CQUAD4: the four-node shell of NASTRAN.

Membrane and bending are the QM6 element of Taylor, Beresford and Wilson (Int. J. Num. Meth. Eng. 10,
1211-1219, 1976) in the plane through the mean of the corners, bending with (θy, −θx) in the place of
(u, v). Transverse shear is the four-parameter field of MacNeal (Comp. Struct. 8, 175-183, 1978)
with residual bending flexibility. Drilling is a penalty on θz − ½(v,x − u,y) at the corners.
Element x axis: unit(x3 − x1) − unit(x4 − x2); z axis: (x3 − x1) × (x4 − x2).
"""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.shell_common import (
    ShellBlock,
    block_times_rows,
    condense,
    congruence,
    cross,
    invert_pivoted,
    invert_spd,
    normalize,
    section_in_element,
)
from interstage.fem.elements.shell_recovery import add_membrane_geometric
from interstage.jit import in_ranges, kernel

XI = (-1.0, 1.0, 1.0, -1.0)
ETA = (-1.0, -1.0, 1.0, 1.0)
GAUSS = 1.0 / np.sqrt(3.0)
# residual shear flexibility of the linear field terms: 4 (1/ε − 1) with ε = 0.025
RESIDUAL = 156.0


@kernel
def quad_frame(x, E, xy):
    """Find the axes of a quadrilateral and its corners in the mean plane.

    x (4,3) corners in basic axes; E (3,3) axes as rows and xy (4,2) corners relative to their mean are
    outputs. Returns the height of corners 1 and 3 above the mean plane (2 and 4 are as far below).
    """
    for k in range(3):
        E[0, k] = x[2, k] - x[0, k]
        E[1, k] = x[3, k] - x[1, k]
    cross(E[0], E[1], E[2])
    normalize(E[2])
    normalize(E[0])
    normalize(E[1])
    for k in range(3):
        E[0, k] -= E[1, k]
    normalize(E[0])
    cross(E[2], E[0], E[1])
    height = 0.0
    for i in range(4):
        px = py = pz = 0.0
        for k in range(3):
            d = x[i, k] - 0.25 * (x[0, k] + x[1, k] + x[2, k] + x[3, k])
            px += d * E[0, k]
            py += d * E[1, k]
            pz += d * E[2, k]
        xy[i, 0], xy[i, 1] = px, py
        height += 0.25 * pz * (1.0 if i % 2 == 0 else -1.0)
    return height


@kernel
def bilinear_jacobian(xy, xi, eta, J):
    """J (2,2) = [[x,ξ y,ξ], [x,η y,η]] at (ξ, η); returns its determinant."""
    J[:] = 0.0
    for a in range(4):
        gx = 0.25 * XI[a] * (1.0 + ETA[a] * eta)
        ge = 0.25 * ETA[a] * (1.0 + XI[a] * xi)
        J[0, 0] += gx * xy[a, 0]
        J[0, 1] += gx * xy[a, 1]
        J[1, 0] += ge * xy[a, 0]
        J[1, 1] += ge * xy[a, 1]
    return J[0, 0] * J[1, 1] - J[0, 1] * J[1, 0]


@kernel
def qm6_gradients(xy, xi, eta, J0, j0, J, g):
    """Gradients g (6,2) of the bilinear functions and of 1−ξ², 1−η² (through J0, scaled j0/j); returns j."""
    j = bilinear_jacobian(xy, xi, eta, J)
    for a in range(4):
        gx = 0.25 * XI[a] * (1.0 + ETA[a] * eta)
        ge = 0.25 * ETA[a] * (1.0 + XI[a] * xi)
        g[a, 0] = (J[1, 1] * gx - J[0, 1] * ge) / j
        g[a, 1] = (J[0, 0] * ge - J[1, 0] * gx) / j
    # j0/j cancels the determinant in J0⁻¹
    g[4, 0] = -2.0 * xi * J0[1, 1] / j
    g[4, 1] = 2.0 * xi * J0[1, 0] / j
    g[5, 0] = 2.0 * eta * J0[0, 1] / j
    g[5, 1] = -2.0 * eta * J0[0, 0] / j
    return j


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
    """G (4, 8): the internal dofs of the membrane, a = G u, that its energy is least for.

    Km, Kb (12, 12) are membrane and bending stiffness with their internal dofs last, lower triangles; W is scratch.
    NASTRAN uses the membrane's modes for bending too, where the two differ (laminates); a section without
    membrane stiffness has those of bending.
    """
    K = Km if Km[8, 8] > 0.0 else Kb
    for i in range(12):
        for j in range(i + 1):
            W[i, j] = W[j, i] = K[i, j]
    condense(W, 8, 12)
    for p in range(4):
        for c in range(8):
            total = 0.0
            if W[8 + p, 8 + p] > 0.0:
                total = W[8 + p, c]
                for q in range(p):
                    total += W[8 + p, 8 + q] * G[q, c]
                total /= -W[8 + p, 8 + p]
            G[p, c] = total


@kernel
def with_modes(K, symmetric, G, C, row, col):
    """C[row:row+8, col:col+8] = Tᵀ K T with T = [1; G]; K (12, 12), its lower triangle if symmetric."""
    for i in range(8):
        for j in range(8):
            total = 0.0
            for q in range(12):
                # column j of K T at row q
                s = K[q, j] if not symmetric or q >= j else K[j, q]
                for m in range(4):
                    s += (K[q, 8 + m] if not symmetric or q >= 8 + m else K[8 + m, q]) * G[m, j]
                if q < 8:
                    total += s if q == i else 0.0
                else:
                    total += G[q - 8, i] * s
            C[row + i, col + j] = total


@kernel
def residual_flexibility(xy, thick, D_reduced, area, F):
    """Diagonal F (4,) of the residual bending flexibility; thick (4,) are corner thickness ratios."""
    t = 0.25 * (thick[0] + thick[1] + thick[2] + thick[3])
    a = 0.5 * (xy[1, 0] + xy[2, 0] - xy[0, 0] - xy[3, 0])
    b = 0.5 * (xy[2, 1] + xy[3, 1] - xy[0, 1] - xy[1, 1])
    a2, b2 = a * a, b * b
    dx, dy = D_reduced[0, 0] * area * t**3, D_reduced[1, 1] * area * t**3
    F[0] = a2 / 12.0 / dx
    F[1] = a2 * b2 / (4.0 * b2 + RESIDUAL * a2) / dx
    F[2] = b2 / 12.0 / dy
    F[3] = a2 * b2 / (4.0 * a2 + RESIDUAL * b2) / dy


@kernel
def shear_block(xy, rigid, F, H, M, N, C):
    """C (4,4): stiffness of the four edge shears e_i l_i = w_j − w_i + d_i·mean(θy, −θx).

    The field γx = g0 + g1 η, γy = g2 + g3 ξ has d_i·γ(mid-edge i) = e_i l_i; its stiffness is
    (H⁻¹ + diag F)⁻¹. H, M and N are scratch (4,4); H holds ∫ fᵀ shear f on entry unless rigid.
    """
    if rigid:
        H[:] = 0.0
    else:
        invert_spd(H, 4)
    for i in range(4):
        H[i, i] += F[i]
    invert_spd(H, 4)
    for i in range(4):
        j = (i + 1) % 4
        dx, dy = xy[j, 0] - xy[i, 0], xy[j, 1] - xy[i, 1]
        M[i, 0], M[i, 2] = dx, dy
        M[i, 1] = dx * 0.5 * (ETA[i] + ETA[j])
        M[i, 3] = dy * 0.5 * (XI[i] + XI[j])
    invert_pivoted(M, N, 4)
    for i in range(4):
        for j in range(4):
            M[i, j] = H[i, 0] * N[0, j] + H[i, 1] * N[1, j] + H[i, 2] * N[2, j] + H[i, 3] * N[3, j]
    for i in range(4):
        for j in range(4):
            C[i, j] = N[0, i] * M[0, j] + N[1, i] * M[1, j] + N[2, i] * M[2, j] + N[3, i] * M[3, j]


@kernel
def quad_rows(E, xy, height, offset, normal, P, slope, J):
    """Fill the 24 rows of P: corner (u, v), corner (θy, −θx), edge shears, drilling strains.

    Warp: u_i + h_i w,x(i) and v_i + h_i w,y(i). Offset: u + z θy, v − z θx. Shell normals n at the
    corners (normal (4,3), zero if none): θ_xy → θ_xy − (n_xy/n_z)(θz − ω), drilling n·(θ − Ω)/n_z.
    `slope` (4,4,2) is scratch: dN_a/dx, dN_a/dy at corner i.
    """
    P[:] = 0.0
    for i in range(4):
        j = bilinear_jacobian(xy, XI[i], ETA[i], J)
        for a in range(4):
            gx = 0.25 * XI[a] * (1.0 + ETA[a] * ETA[i])
            ge = 0.25 * ETA[a] * (1.0 + XI[a] * XI[i])
            slope[i, a, 0] = (J[1, 1] * gx - J[0, 1] * ge) / j
            slope[i, a, 1] = (J[0, 0] * ge - J[1, 0] * gx) / j
    for i in range(4):
        h = height if i % 2 == 0 else -height
        for k in range(3):
            P[2 * i, 6 * i + k] = E[0, k]
            P[2 * i + 1, 6 * i + k] = E[1, k]
            P[2 * i, 6 * i + 3 + k] = offset * E[1, k]
            P[2 * i + 1, 6 * i + 3 + k] = -offset * E[0, k]
        if h != 0.0:
            for a in range(4):
                for k in range(3):
                    P[2 * i, 6 * a + k] += h * slope[i, a, 0] * E[2, k]
                    P[2 * i + 1, 6 * a + k] += h * slope[i, a, 1] * E[2, k]
    for i in range(4):
        drill = P[20 + i]
        # θz − ω with ω = ½ (v,x − u,y)
        for a in range(4):
            sx, sy = 0.5 * slope[i, a, 0], 0.5 * slope[i, a, 1]
            if sx != 0.0 or sy != 0.0:
                for c in range(24):
                    drill[c] += sy * P[2 * a, c] - sx * P[2 * a + 1, c]
        nx = ny = nz = 0.0
        for k in range(3):
            drill[6 * i + 3 + k] += E[2, k]
            P[8 + 2 * i, 6 * i + 3 + k] = E[1, k]
            P[9 + 2 * i, 6 * i + 3 + k] = -E[0, k]
            nx += normal[i, k] * E[0, k]
            ny += normal[i, k] * E[1, k]
            nz += normal[i, k] * E[2, k]
        if nz == 0.0 or (nx == 0.0 and ny == 0.0):
            continue
        nx, ny = nx / nz, ny / nz
        for c in range(24):
            P[8 + 2 * i, c] -= ny * drill[c]
            P[9 + 2 * i, c] += nx * drill[c]
        for k in range(3):
            drill[6 * i + 3 + k] += nx * E[0, k] + ny * E[1, k]
            for a in range(4):
                drill[6 * a + k] += (ny * slope[i, a, 0] - nx * slope[i, a, 1]) * E[2, k]
    for i in range(4):
        j = (i + 1) % 4
        dx, dy = 0.5 * (xy[j, 0] - xy[i, 0]), 0.5 * (xy[j, 1] - xy[i, 1])
        edge = P[16 + i]
        for c in range(24):
            edge[c] = dx * (P[8 + 2 * i, c] + P[8 + 2 * j, c]) + dy * (P[9 + 2 * i, c] + P[9 + 2 * j, c])
        for k in range(3):
            edge[6 * j + k] += E[2, k]
            edge[6 * i + k] -= E[2, k]


@kernel
def quad_constitutive(xy, thick, A, B, D, shear, coupled, J0, J, g, Km, Kb, Kc, H):
    """Integrate over 2×2 points: membrane Km, bending Kb (lower triangles), coupling Kc (12,12), shear H (4,4).

    Rows of Kc are those of bending. thick (4,) are the corner thickness ratios. Returns the area.
    """
    uniform = thick[0] == 1.0 and thick[1] == 1.0 and thick[2] == 1.0 and thick[3] == 1.0
    j0 = bilinear_jacobian(xy, 0.0, 0.0, J0)
    Km[:] = 0.0
    Kb[:] = 0.0
    Kc[:] = 0.0
    H[:] = 0.0
    area = 0.0
    for q in range(4):
        xi, eta = GAUSS * XI[q], GAUSS * ETA[q]
        j = qm6_gradients(xy, xi, eta, J0, j0, J, g)
        t = 1.0
        if not uniform:
            t = 0.0
            for a in range(4):
                t += 0.25 * (1.0 + XI[a] * xi) * (1.0 + ETA[a] * eta) * thick[a]
        area += j
        add_plane(g, A, j * t, Km, True)
        add_plane(g, D, j * t * t * t, Kb, True)
        if coupled:
            add_plane(g, B, j * t * t, Kc, False)
        w = j * t
        f = (1.0, eta, 1.0, xi)
        for k in range(4):
            for l in range(4):
                H[k, l] += w * shear[k // 2, l // 2] * f[k] * f[l]
    return area


@kernel
def quad4_range(first, last, xyz, nodes, section, axis, offset, taper, normals, sections, k6rot, out):
    """Stiffness of elements first..last−1 in basic axes; arrays as in `ShellBlock`, out (n, 24, 24)."""
    x, normal = np.empty((4, 3)), np.empty((4, 3))
    E, xy, g = np.empty((3, 3)), np.empty((4, 2)), np.empty((6, 2))
    J, J0 = np.empty((2, 2)), np.empty((2, 2))
    A, B, D, Dr = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    shear, flex, F = np.empty((2, 2)), np.empty((2, 2)), np.empty(4)
    H, M, N, C = np.empty((4, 4)), np.empty((4, 4)), np.empty((4, 4)), np.empty((4, 4))
    slope, Km, Kb, Kc = np.empty((4, 4, 2)), np.empty((12, 12)), np.empty((12, 12)), np.empty((12, 12))
    W, G, C16 = np.empty((12, 12)), np.empty((4, 8)), np.zeros((16, 16))
    P, CP = np.empty((24, 24)), np.empty((24, 24))
    for e in range(first, last):
        for i in range(4):
            for k in range(3):
                x[i, k] = xyz[nodes[e, i], k]
                normal[i, k] = normals[nodes[e, i], k]
        p = section[e]
        height = quad_frame(x, E, xy)
        section_in_element(sections, p, axis[e], E, A, B, D, Dr, shear, flex)
        coupled = sections.coupled[p]
        area = quad_constitutive(xy, taper[e], A, B, D, shear, coupled, J0, J, g, Km, Kb, Kc, H)
        quad_rows(E, xy, height, offset[e], normal, P, slope, J)
        internal_modes(Km, Kb, W, G)
        with_modes(Km, True, G, C16, 0, 0)
        with_modes(Kb, True, G, C16, 8, 8)
        if coupled:
            with_modes(Kc, False, G, C16, 8, 0)
            for i in range(8):
                for j in range(8):
                    C16[j, 8 + i] = C16[8 + i, j]
            block_times_rows(C16, 16, P, 0, CP, 24)
        else:
            block_times_rows(C16[:8, :8], 8, P, 0, CP, 24)
            block_times_rows(C16[8:, 8:], 8, P, 8, CP, 24)
        if D[0, 0] > 0.0 and D[1, 1] > 0.0:
            residual_flexibility(xy, taper[e], Dr, area, F)
            shear_block(xy, sections.rigid_shear[p], F, H, M, N, C)
        else:
            C[:] = 0.0
        block_times_rows(C, 4, P, 16, CP, 24)
        quad_drilling(xy, 1e-6 * k6rot * A[2, 2], taper[e], P, CP)
        congruence(P, CP, 24, 24, out[e])


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
def add_strains(g, functions, U, first, out, row):
    """out[row:row+3] += εx, εy, γxy of `functions` displacement pairs in rows U[first:], gradients g."""
    for a in range(functions):
        u, v = U[first + 2 * a], U[first + 2 * a + 1]
        for c in range(U.shape[1]):
            out[row, c] += g[a, 0] * u[c]
            out[row + 1, c] += g[a, 1] * v[c]
            out[row + 2, c] += g[a, 1] * u[c] + g[a, 0] * v[c]


@kernel
def section_forces(strains, A, B, D, t, out):
    """out (6, n) = N and −M from ε, κ (6, n); t is the ratio of the thickness to that of the section."""
    for i in range(3):
        for c in range(strains.shape[1]):
            n = m = 0.0
            for j in range(3):
                e, k = strains[j, c], strains[3 + j, c]
                n += t * (A[i, j] * e + t * B[i, j] * k)
                m += t * t * (B[i, j] * e + t * D[i, j] * k)
            out[i, c] = n
            out[3 + i, c] = -m


@kernel
def quad4_recovery_range(
    first, last, xyz, nodes, section, axis, offset, taper, normals, sections, k6rot, out
):
    """Forces per length of elements first..last−1 for unit motions: out (n, 40, 24), centre and corners.

    Membrane and bending are the QM6 fields with their internal modes, at ξ, η = 0 and ±1; transverse shear is
    that of the centre at every place.
    """
    x, normal = np.empty((4, 3)), np.empty((4, 3))
    E, xy, g = np.empty((3, 3)), np.empty((4, 2)), np.empty((6, 2))
    J, J0 = np.empty((2, 2)), np.empty((2, 2))
    A, B, D, Dr = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    shear, flex, F = np.empty((2, 2)), np.empty((2, 2)), np.empty(4)
    H, M, N, C = np.empty((4, 4)), np.empty((4, 4)), np.empty((4, 4)), np.empty((4, 4))
    slope, Km, Kb, Kc = np.empty((4, 4, 2)), np.empty((12, 12)), np.empty((12, 12)), np.empty((12, 12))
    W, G, P = np.empty((12, 12)), np.empty((4, 8)), np.empty((24, 24))
    inside, strains, V = np.empty((8, 24)), np.empty((6, 24)), np.empty((2, 24))
    for e in range(first, last):
        for i in range(4):
            for k in range(3):
                x[i, k] = xyz[nodes[e, i], k]
                normal[i, k] = normals[nodes[e, i], k]
        p = section[e]
        thick = taper[e]
        height = quad_frame(x, E, xy)
        section_in_element(sections, p, axis[e], E, A, B, D, Dr, shear, flex)
        area = quad_constitutive(xy, thick, A, B, D, shear, False, J0, J, g, Km, Kb, Kc, H)
        quad_rows(E, xy, height, offset[e], normal, P, slope, J)
        internal_modes(Km, Kb, W, G)
        for i in range(4):
            inside[i] = 0.0
            inside[4 + i] = 0.0
            for j in range(8):
                for c in range(24):
                    inside[i, c] += G[i, j] * P[j, c]
                    inside[4 + i, c] += G[i, j] * P[8 + j, c]
        V[:] = 0.0
        if D[0, 0] > 0.0 and D[1, 1] > 0.0:
            residual_flexibility(xy, thick, Dr, area, F)
            shear_block(xy, sections.rigid_shear[p], F, H, M, N, C)
            quad_shear_forces(xy, M, P, V)
        j0 = bilinear_jacobian(xy, 0.0, 0.0, J0)
        for place in range(5):
            xi = 0.0 if place == 0 else XI[place - 1]
            eta = 0.0 if place == 0 else ETA[place - 1]
            qm6_gradients(xy, xi, eta, J0, j0, J, g)
            t = 0.25 * (thick[0] + thick[1] + thick[2] + thick[3]) if place == 0 else thick[place - 1]
            strains[:] = 0.0
            add_strains(g, 4, P, 0, strains, 0)
            add_strains(g[4:], 2, inside, 0, strains, 0)
            add_strains(g, 4, P, 8, strains, 3)
            add_strains(g[4:], 2, inside, 4, strains, 3)
            section_forces(strains, A, B, D, t, out[e, 8 * place : 8 * place + 6])
            out[e, 8 * place + 6 : 8 * place + 8] = V


@kernel
def quad_shear_forces(xy, Q, P, V):
    """V (2, 24): transverse shear at the centre; Q (4, 4) are the forces of the field terms for edge shears.

    V_x = a + b η with ∫ V_x (1, η) dA = (Q_0, Q_1), V_y likewise with ξ.
    """
    J = np.empty((2, 2))
    m = np.zeros((2, 3))
    for q in range(4):
        xi, eta = GAUSS * XI[q], GAUSS * ETA[q]
        j = bilinear_jacobian(xy, xi, eta, J)
        for k in range(2):
            s = eta if k == 0 else xi
            m[k, 0] += j
            m[k, 1] += j * s
            m[k, 2] += j * s * s
    for k in range(2):
        det = m[k, 0] * m[k, 2] - m[k, 1] * m[k, 1]
        for i in range(4):
            f = (m[k, 2] * Q[2 * k, i] - m[k, 1] * Q[2 * k + 1, i]) / det
            for c in range(24):
                V[k, c] += f * P[16 + i, c]


@kernel
def quad4_geometric_range(first, last, xyz, nodes, forces, full, out):
    """Geometric stiffness of elements first..last−1 in basic axes, out (n, 24, 24).

    forces (n, 4, 3): N_x N_y N_xy at the corners, taken bilinear in between; 2×2 points.
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
            j = bilinear_jacobian(xy, xi, eta, J)
            N[:] = 0.0
            for a in range(4):
                gx = 0.25 * XI[a] * (1.0 + ETA[a] * eta)
                ge = 0.25 * ETA[a] * (1.0 + XI[a] * xi)
                g[a, 0] = (J[1, 1] * gx - J[0, 1] * ge) / j
                g[a, 1] = (J[0, 0] * ge - J[1, 0] * gx) / j
                f = 0.25 * (1.0 + XI[a] * xi) * (1.0 + ETA[a] * eta)
                for k in range(3):
                    N[k] += f * forces[e, a, k]
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

    def stiffness(self, rows: slice) -> np.ndarray:
        """Stiffness (n, 24, 24) in basic axes."""
        return self._stiffness(quad4_range, rows)

    def recovery(self, rows: slice) -> np.ndarray:
        """N, M, V at the centre and the four corners, (n, 40, 24)."""
        return self._run(quad4_recovery_range, rows, 40)

    def geometric_stiffness(self, rows: slice, results: np.ndarray, full: bool) -> np.ndarray:
        """Geometric stiffness (n, 24, 24) of the membrane forces at the corners."""
        nodes = self.nodes[rows]
        forces = np.ascontiguousarray(results.reshape(len(nodes), 5, 8)[:, 1:, :3])
        out = np.empty((len(nodes), 24, 24))
        in_ranges(quad4_geometric_range, len(nodes), self.xyz, nodes, forces, full, out)
        return out

    def mass(self, rows: slice, coupled: bool) -> np.ndarray:
        """Mass (n, 24, 24) in basic axes: translations only."""
        nodes = self.nodes[rows]
        out = np.zeros((len(nodes), 24, 24))
        quad4_mass(self.xyz, nodes, self.section[rows], self.taper[rows], self.sections, coupled, out)
        return out
