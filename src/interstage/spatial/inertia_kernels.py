"""Compute with rigid inertia in plain arrays: mass, centre of mass (3,), inertia about it (3, 3).

The spatial inertia about the frame's origin, with first moment c = m p_com, is

    M = [ J  [c] ]      J = I_com + m (p·p 1 − p pᵀ)
        [ [c]ᵀ m 1 ]

and momentum is [h; l] = M [ω; v]. No mass or inertia is checked here: see `RigidInertia.check`.
"""

from __future__ import annotations

import numpy as np

from interstage.jit import kernel


@kernel
def _add_point_inertia(mass, x, y, z, J):
    """Add m (d·d 1 − d dᵀ) to J (3, 3)."""
    J[0, 0] += mass * (y * y + z * z)
    J[1, 1] += mass * (z * z + x * x)
    J[2, 2] += mass * (x * x + y * y)
    xy, yz, zx = mass * x * y, mass * y * z, mass * z * x
    J[0, 1] -= xy
    J[1, 0] -= xy
    J[1, 2] -= yz
    J[2, 1] -= yz
    J[0, 2] -= zx
    J[2, 0] -= zx


@kernel
def inertia_about_point(mass, com, I_com, point, J):
    """Write the inertia about a point (Steiner), J = I_com + m (d·d 1 − d dᵀ), d = com − point."""
    for i in range(3):
        for j in range(3):
            J[i, j] = I_com[i, j]
    _add_point_inertia(mass, com[0] - point[0], com[1] - point[1], com[2] - point[2], J)


@kernel
def inertia_about_com(mass, com, J, point, I_com):
    """Write the inertia about the centre of mass of an inertia J about a point."""
    for i in range(3):
        for j in range(3):
            I_com[i, j] = J[i, j]
    _add_point_inertia(-mass, com[0] - point[0], com[1] - point[1], com[2] - point[2], I_com)


@kernel
def inertia_matrix(mass, com, I_com, M):
    """Write the spatial inertia M (6, 6) about the frame's origin."""
    for i in range(6):
        for j in range(6):
            M[i, j] = 0.0
    for i in range(3):
        M[i + 3, i + 3] = mass
        for j in range(3):
            M[i, j] = I_com[i, j]
    _add_point_inertia(mass, com[0], com[1], com[2], M)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        M[i, 3 + j] = -mass * com[k]
        M[i, 3 + k] = mass * com[j]
        M[3 + j, i] = -mass * com[k]
        M[3 + k, i] = mass * com[j]


@kernel
def inertia_momentum(mass, com, I_com, V, out):
    """Write the momentum [h; l] (6,) of V = [ω; v], both about the frame's origin; `out` may be V.

    l = m (v + ω×p), h = I_com ω + p×l
    """
    a, b, c = V[0], V[1], V[2]
    x, y, z = com[0], com[1], com[2]
    l0 = mass * (V[3] + b * z - c * y)
    l1 = mass * (V[4] + c * x - a * z)
    l2 = mass * (V[5] + a * y - b * x)
    out[0] = I_com[0, 0] * a + I_com[0, 1] * b + I_com[0, 2] * c + y * l2 - z * l1
    out[1] = I_com[1, 0] * a + I_com[1, 1] * b + I_com[1, 2] * c + z * l0 - x * l2
    out[2] = I_com[2, 0] * a + I_com[2, 1] * b + I_com[2, 2] * c + x * l1 - y * l0
    out[3] = l0
    out[4] = l1
    out[5] = l2


@kernel
def transform_inertia(R, p, M, out):
    """Write a symmetric spatial inertia (6, 6) of frame B in frame A: X M Xᵀ, X the force matrix of (R, p).

    Any symmetric M will do, articulated ones too; its lower left block is not read. `out` is not M.
    """
    for block in range(3):
        r, s = 3 * (block // 2), 3 * ((block + 1) // 2)
        for i in range(3):
            x = R[i, 0] * M[r, s] + R[i, 1] * M[r + 1, s] + R[i, 2] * M[r + 2, s]
            y = R[i, 0] * M[r, s + 1] + R[i, 1] * M[r + 1, s + 1] + R[i, 2] * M[r + 2, s + 1]
            z = R[i, 0] * M[r, s + 2] + R[i, 1] * M[r + 1, s + 2] + R[i, 2] * M[r + 2, s + 2]
            for j in range(3):
                out[r + i, s + j] = x * R[j, 0] + y * R[j, 1] + z * R[j, 2]
    shift_inertia(p, out)


@kernel
def shift_inertia(p, M):
    """Overwrite a symmetric spatial inertia (6, 6) about B's origin with that about A's, p = p_AB, same axes.

    With M = [J H; Hᵀ N]: H' = H + [p]N and J' = J + [p]Hᵀ − H'[p].
    """
    px, py, pz = p[0], p[1], p[2]
    for j in range(3):
        a, b, c = M[j, 3], M[j, 4], M[j, 5]
        M[0, j] += py * c - pz * b
        M[1, j] += pz * a - px * c
        M[2, j] += px * b - py * a
    for j in range(3, 6):
        a, b, c = M[3, j], M[4, j], M[5, j]
        M[0, j] += py * c - pz * b
        M[1, j] += pz * a - px * c
        M[2, j] += px * b - py * a
    for i in range(3):
        a, b, c = M[i, 3], M[i, 4], M[i, 5]
        M[i, 0] += py * c - pz * b
        M[i, 1] += pz * a - px * c
        M[i, 2] += px * b - py * a
    # Rounding must not spoil the symmetry that later factorizations count on.
    for i in range(3):
        for j in range(i):
            M[i, j] = 0.5 * (M[i, j] + M[j, i])
            M[j, i] = M[i, j]
            M[i + 3, j + 3] = 0.5 * (M[i + 3, j + 3] + M[j + 3, i + 3])
            M[j + 3, i + 3] = M[i + 3, j + 3]
        for j in range(3):
            M[j + 3, i] = M[i, j + 3]


@kernel
def add_inertia(m1, com1, I1, m2, com2, I2, com, I_com):
    """Write centre of mass (3,) and inertia about it (3, 3) of two bodies together; return their mass.

    I = I1 + I2 + μ (d·d 1 − d dᵀ), μ = m1 m2/(m1 + m2), d = com2 − com1. Outputs may be inputs.
    """
    m = m1 + m2
    x, y, z = com2[0] - com1[0], com2[1] - com1[1], com2[2] - com1[2]
    for i in range(3):
        com[i] = (m1 * com1[i] + m2 * com2[i]) / m
        for j in range(3):
            I_com[i, j] = I1[i, j] + I2[i, j]
    _add_point_inertia(m1 * m2 / m, x, y, z, I_com)
    return m


@kernel
def remove_inertia(m, com, I_com, m1, com1, I1, com2, I2):
    """Write centre of mass (3,) and inertia about it (3, 3) of what is left of a body without part 1.

    Returns the mass that is left. The inverse of `add_inertia`; outputs may be inputs.
    """
    m2 = m - m1
    # d = com2 − com1 follows from com = com1 + (m2/m) d.
    x, y, z = m / m2 * (com[0] - com1[0]), m / m2 * (com[1] - com1[1]), m / m2 * (com[2] - com1[2])
    a, b, c = com1[0] + x, com1[1] + y, com1[2] + z
    for i in range(3):
        for j in range(3):
            I2[i, j] = I_com[i, j] - I1[i, j]
    _add_point_inertia(-m1 * m2 / m, x, y, z, I2)
    com2[0] = a
    com2[1] = b
    com2[2] = c
    return m2


@kernel
def principal_inertia(I_com, work, moments, axes):
    """Write principal moments (3,), ascending, and axes (3, 3) as columns, right-handed: I = A diag(m) Aᵀ.

    Jacobi's rotations with a fixed number of sweeps (six are plenty for three rows), pivots chosen by real
    parts, so that slopes of moments and axes come out of a complex step where the moments are distinct.
    `work` (3, 3) is scratch.
    """
    for i in range(3):
        for j in range(3):
            work[i, j] = 0.5 * (I_com[i, j] + I_com[j, i])
            axes[i, j] = 1.0 if i == j else 0.0
    for _ in range(8):
        for p in range(2):
            for q in range(p + 1, 3):
                _jacobi_rotation(p, q, work, axes)
    for i in range(3):
        moments[i] = work[i, i]
    for p in range(2):
        for q in range(2 - p):
            if moments[q].real > moments[q + 1].real:
                _swap_axes(q, moments, axes)


@kernel
def _jacobi_rotation(p, q, A, axes):
    """Turn axes p and q so that A[p, q] becomes zero."""
    off = A[p, q]
    d = A[q, q] - A[p, p]
    root = np.sqrt(d * d + 4.0 * off * off)
    bottom = d + root if d.real >= 0.0 else d - root
    if off == 0.0 or bottom == 0.0:
        return
    t = 2.0 * off / bottom
    c = 1.0 / np.sqrt(1.0 + t * t)
    s = t * c
    for k in range(3):
        x, y = A[k, p], A[k, q]
        A[k, p] = c * x - s * y
        A[k, q] = s * x + c * y
    for k in range(3):
        x, y = A[p, k], A[q, k]
        A[p, k] = c * x - s * y
        A[q, k] = s * x + c * y
        x, y = axes[k, p], axes[k, q]
        axes[k, p] = c * x - s * y
        axes[k, q] = s * x + c * y


@kernel
def _swap_axes(q, moments, axes):
    """Swap principal axes q and q+1, one of them reversed to stay right-handed."""
    value = moments[q]
    moments[q] = moments[q + 1]
    moments[q + 1] = value
    for i in range(3):
        value = axes[i, q]
        axes[i, q] = axes[i, q + 1]
        axes[i, q + 1] = -value
