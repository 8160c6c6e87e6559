"""What bars, beams, rods and bushes share: axes, offsets, recovery, geometric stiffness.

What two-node elements share: frames, rigid offsets, pin flags and the cantilever stiffness.

Local axes: x from end A to end B, y in the plane of the orientation vector v, z = x × y. Local dofs of
an end: u v w θx θy θz. Plane 1 is the xy plane (v, θz), plane 2 the xz plane (w, -θy).

Forces and stresses of bars and beams from their end forces.

End forces F (12) act on the element at A and B in element axes, after offsets. NASTRAN's section moments are
M1 = M_z and M2 = -M_y of the section: M1a = -M_z(A), M2a = M_y(A), M1b = M_z(B), M2b = -M_y(B);
shear, axial force and torque are those of each end, in a table with one value those at A; without loads between the
ends V = (M_a - M_b)/L and they are alike. With stress points (y, z) from the neutral axis

    σ = N/A - [(M1 I2 - M2 I12) y + (M2 I1 - M1 I12) z] / (I1 I2 - I12²)

Geometric stiffness of bars and beams from their end forces.

With cubic v, w, linear twist φ, axial force N, section moments M_y, M_z (linear along the element) and
torque T, the second-order work of the section forces is

    Π = ½ ∫ N (v'² + w'² + (I_p/A) φ'²) dx - ∫ (M_z φ)' w' + (M_y φ)' v' dx  [+ ½ ∫ T (v''w' - w''v') dx]

The first three terms (axial force, moments with the shear that goes with them) are NASTRAN's: integrated they
give the matrix of routine DBAR of NASTRAN-95. The full form adds the torque and lets end moments
follow half the rotation of their node (semi-tangential moments; McGuire, Gallagher and Ziemian, Matrix
Structural Analysis, 2000, ch. 9), which joints between elements of different directions need:
K(θx, θy) -= ½ M_z, K(θx, θz) += ½ M_y at each end; and the shear forces turn with the chord, Π -= (V_y Δv +
V_z Δw) Δu / L. Then a rigid turn θ gives the forces θ × f and ½ θ × m.
"""

from __future__ import annotations

import numpy as np

PARALLEL = 1e-8  # sine of the smallest angle between an orientation vector and the axis


def cross_matrix(w: np.ndarray) -> np.ndarray:
    """Matrices (n, 3, 3) with `cross_matrix(w) @ t = w × t` for vectors w (n, 3)."""
    out = np.zeros((len(w), 3, 3))
    out[:, 0, 1], out[:, 0, 2] = -w[:, 2], w[:, 1]
    out[:, 1, 0], out[:, 1, 2] = w[:, 2], -w[:, 0]
    out[:, 2, 0], out[:, 2, 1] = -w[:, 1], w[:, 0]
    return out


def frames(axis: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Axes (n, 3, 3) as columns from the x direction (n, 3) and an orientation vector (n, 3).

    z = x × v, y = z × x. The second result marks rows where v is parallel to x or either is zero.
    """
    x = _unit(axis)
    z = np.cross(x, _unit(v))
    size = np.linalg.norm(z, axis=1)
    bad = ~(size > PARALLEL)
    z = z / np.where(bad, 1.0, size)[:, None]
    return np.stack([x, np.cross(z, x), z], axis=2), bad


def any_frames(axis: np.ndarray) -> np.ndarray:
    """Axes (n, 3, 3) with x along `axis` and y anywhere across it, for elements that need no more."""
    helper = np.zeros_like(axis)
    helper[np.arange(len(axis)), np.argmin(np.abs(axis), axis=1)] = 1.0
    return frames(axis, helper)[0]


def rigid_arm(w: np.ndarray) -> np.ndarray:
    """Motion (6) of a point at w (n, 3) from a node, from the motion of the node: (n, 6, 6), same axes.

    u_point = u + θ × w, θ_point = θ.
    """
    out = np.broadcast_to(np.eye(6), (len(w), 6, 6)).copy()
    out[:, :3, 3:] = -cross_matrix(w)
    return out


def turn(R: np.ndarray) -> np.ndarray:
    """(n, 6, 6) that turns basic components of translation and rotation into those of axes R (n, 3, 3)."""
    out = np.zeros((len(R), 6, 6))
    out[:, :3, :3] = out[:, 3:, 3:] = R.transpose(0, 2, 1)
    return out


def end_motion(R: np.ndarray, w_a: np.ndarray, w_b: np.ndarray) -> np.ndarray:
    """(n, 12, 12) from grid motion (basic axes) to end motion (element axes); offsets in basic axes."""
    out = np.zeros((len(R), 12, 12))
    local = turn(R)
    out[:, :6, :6] = local @ rigid_arm(w_a)
    out[:, 6:, 6:] = local @ rigid_arm(w_b)
    return out


def transform(matrix: np.ndarray, T: np.ndarray) -> np.ndarray:
    """T' matrix T for stacks of matrices, made exactly symmetric."""
    out = T.transpose(0, 2, 1) @ matrix @ T
    return 0.5 * (out + out.transpose(0, 2, 1))


def release(stiffness: np.ndarray, pins: np.ndarray) -> np.ndarray:
    """Condense the released dofs `pins` (n, 12) out of element stiffness matrices (n, 12, 12).

    One dof after the other, K <- K - k kᵀ / k_ii; a dof whose remaining stiffness is zero (both ends of a
    shaft free to twist) is left free. The released rows and columns are zero in the result.
    """
    if not pins.any():
        return stiffness
    out = stiffness.copy()
    first = np.einsum("nii->ni", stiffness)
    for dof in range(pins.shape[1]):
        here = np.flatnonzero(pins[:, dof])
        if not len(here):
            continue
        k = out[here]
        pivot = k[:, dof, dof]
        alive = pivot > 1e-11 * first[here, dof]
        column = np.where(alive[:, None], k[:, :, dof], 0.0)
        k = k - column[:, :, None] * column[:, None, :] / np.where(alive, pivot, 1.0)[:, None, None]
        k[:, dof, :] = 0.0
        k[:, :, dof] = 0.0
        out[here] = k
    return out


def pin_motion(stiffness: np.ndarray, pins: np.ndarray) -> np.ndarray:
    """Motion (n, 12, 12) of all end dofs for motions of those that are not released.

    A released dof follows without load, u_p = -Σ k_pj u_j / k_pp with the stiffness condensed so far (`release`);
    one without stiffness stays at rest.
    """
    n = len(stiffness)
    T = np.broadcast_to(np.eye(12), (n, 12, 12)).copy()
    k, first = stiffness, np.einsum("nii->ni", stiffness)
    for dof in range(12):
        if not pins[:, dof].any():
            continue
        pivot = k[:, dof, dof]
        alive = pins[:, dof] & (pivot > 1e-11 * first[:, dof])
        row = np.where(alive[:, None], -k[:, dof] / np.where(alive, pivot, 1.0)[:, None], 0.0)
        row[:, dof] = 0.0
        step = np.broadcast_to(np.eye(12), (n, 12, 12)).copy()
        step[:, dof] = np.where(pins[:, dof, None], row, step[:, dof])
        T = T @ step
        k = release(k, pins & (np.arange(12) == dof))
    return T


def arm_stiffness(force: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Geometric stiffness (n, 3, 3) of a node's rotation where a force (n, 3) acts at the end of a rigid arm w.

    The end moves by ½ θ × (θ × w) to second order, so that K = ½ (f wᵀ + w fᵀ) - (f·w) 1.
    """
    both = force[:, :, None] * w[:, None, :]
    dot = np.einsum("ni,ni->n", force, w)
    return 0.5 * (both + both.transpose(0, 2, 1)) - dot[:, None, None] * np.eye(3)


def string_stiffness(axis: np.ndarray, tension: np.ndarray) -> np.ndarray:
    """Geometric stiffness (n, 12, 12), basic axes, of a line with unit axis (n, 3) and force by length F/L (n,).

    The ends resist being moved apart across the axis, K = ±(F/L) (1 - axis axisᵀ).
    """
    block = tension[:, None, None] * (np.eye(3) - axis[:, :, None] * axis[:, None, :])
    out = np.zeros((len(axis), 12, 12))
    out[:, :3, :3] = out[:, 6:9, 6:9] = block
    out[:, :3, 6:9] = out[:, 6:9, :3] = -block
    return out


def cantilever_stiffness(
    bending: np.ndarray, shear: np.ndarray, active: np.ndarray, length: np.ndarray
) -> np.ndarray:
    """Stiffness (n, 12, 12) in local axes from the flexibility of the beam held at A and loaded at B.

    The flexibility is f = L S (bending + shear / L²) S with S = diag(1, L, L, 1, 1, 1) for the load
    (Fx, Fy, Fz, Mx, My, Mz) at B; `bending` and `shear` (n, 6, 6) belong to the section and do not
    depend on L. With T the rigid motion of B for a motion of A, K_BB = f⁻¹ and
    K = [[TᵀK_BB T, -TᵀK_BB], [-K_BB T, K_BB]]. Components that are not `active` (n, 6) have no stiffness.
    """
    n = len(length)
    L = length[:, None, None]
    f = bending + shear / L**2
    both = active[:, :, None] & active[:, None, :]
    f = np.where(both, f, 0.0)
    f[:, np.arange(6), np.arange(6)] += ~active
    k = np.where(both, np.linalg.inv(f), 0.0)
    S = np.ones((n, 6))
    S[:, 1] = S[:, 2] = 1.0 / length
    k = k * S[:, :, None] * S[:, None, :] / L
    k = 0.5 * (k + k.transpose(0, 2, 1))
    T = rigid_arm(np.column_stack([length, np.zeros(n), np.zeros(n)]))
    kT = k @ T
    out = np.empty((n, 12, 12))
    out[:, 6:, 6:] = k
    out[:, 6:, :6] = -kT
    out[:, :6, 6:] = -kT.transpose(0, 2, 1)
    out[:, :6, :6] = T.transpose(0, 2, 1) @ kT
    return out


def _unit(v: np.ndarray) -> np.ndarray:
    size = np.linalg.norm(v, axis=1, keepdims=True)
    return v / np.where(size > 0.0, size, 1.0)


def end_moments(F: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Section moments M1 and M2 at A and B, each (2, n, k), from end forces F (n, 12, k)."""
    return np.stack([-F[:, 5], F[:, 11]]), np.stack([F[:, 4], -F[:, 10]])


def bending_stress(M1, M2, I1, I2, I12, points) -> np.ndarray:
    """Bending stress (n, 4, k) at points (n, 4, 2) of moments (n, k); inertias (n,).

    A section that does not resist bending in a plane carries no stress of that plane.
    """
    det = I1 * I2 - I12**2
    whole = det > 0.0
    safe = np.where(whole, det, 1.0)
    c11 = np.where(whole, I2 / safe, np.where(I1 > 0.0, 1.0 / np.where(I1 > 0.0, I1, 1.0), 0.0))
    c22 = np.where(whole, I1 / safe, np.where(I2 > 0.0, 1.0 / np.where(I2 > 0.0, I2, 1.0), 0.0))
    c12 = np.where(whole, -I12 / safe, 0.0)
    a = c11[:, None] * M1 + c12[:, None] * M2
    b = c22[:, None] * M2 + c12[:, None] * M1
    return -(points[:, :, :1] * a[:, None] + points[:, :, 1:] * b[:, None])


_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(3)  # integrands of degree 4


def line_geometric_stiffness(
    length: np.ndarray, forces: np.ndarray, polar: np.ndarray, full: bool
) -> np.ndarray:
    """Geometric stiffness (n, 12, 12) in element axes.

    Parameters
    ----------
    length : (n,)
    forces : (n, 12) forces on the element at ends A and B: Fx Fy Fz Mx My Mz
    polar : (n,) I_p/A, squared radius of gyration of twist
    full : add torque and semi-tangential end moments
    """
    N, T = forces[:, 6], forces[:, 9]
    My = np.stack([-forces[:, 4], forces[:, 10]])  # section moments at A and B
    Mz = np.stack([-forces[:, 5], forces[:, 11]])
    out = np.zeros((len(length), 12, 12))
    for point, weight in zip(0.5 + 0.5 * _POINTS, 0.5 * _WEIGHTS):
        v1, w1, v2, w2, twist, twist1 = _derivatives(length, point)
        scale = weight * length
        out += _product(scale * N, v1, v1) + _product(scale * N, w1, w1)
        out += _product(scale * N * polar, twist1, twist1)
        for M, slope in ((Mz, w1), (My, v1)):
            moment = (1.0 - point) * M[0] + point * M[1]
            rate = (M[1] - M[0]) / length
            turned = moment[:, None] * twist1 + rate[:, None] * twist
            out -= _both(scale, turned, slope)
        if full:
            out += 0.5 * (_both(scale * T, v2, w1) - _both(scale * T, w2, v1))
    if full:
        for first in (0, 6):
            for other, M in ((4, -0.5 * forces[:, first + 5]), (5, 0.5 * forces[:, first + 4])):
                out[:, first + 3, first + other] += M
                out[:, first + other, first + 3] += M
        along = np.zeros((len(length), 12))
        along[:, 0], along[:, 6] = -1.0, 1.0
        for dof in (1, 2):
            across = np.zeros_like(along)
            across[:, dof], across[:, 6 + dof] = -1.0, 1.0
            out -= _both(forces[:, 6 + dof] / length, along, across)
    return out


def _derivatives(length: np.ndarray, s: float):
    """v', w', v'', w'', φ, φ' (n, 12) at the fraction s of the length for unit end motions."""
    n, L = len(length), length
    v1, w1, v2, w2, twist, twist1 = np.zeros((6, n, 12))
    slope = (6 * s * s - 6 * s) / L, 1 - 4 * s + 3 * s * s, (6 * s - 6 * s * s) / L, 3 * s * s - 2 * s
    curve = (12 * s - 6) / L**2, (6 * s - 4) / L, (6 - 12 * s) / L**2, (6 * s - 2) / L
    for k, (dof_v, dof_w, sign) in enumerate(((1, 2, 1.0), (5, 4, -1.0), (7, 8, 1.0), (11, 10, -1.0))):
        v1[:, dof_v], w1[:, dof_w] = slope[k], sign * slope[k]
        v2[:, dof_v], w2[:, dof_w] = curve[k], sign * curve[k]
    twist[:, 3], twist[:, 9] = 1.0 - s, s
    twist1[:, 3], twist1[:, 9] = -1.0 / L, 1.0 / L
    return v1, w1, v2, w2, twist, twist1


def _product(scale: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return scale[:, None, None] * a[:, :, None] * b[:, None, :]


def _both(scale: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    one = _product(scale, a, b)
    return one + one.transpose(0, 2, 1)
