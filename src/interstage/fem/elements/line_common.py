"""What two-node elements share: frames, rigid offsets, pin flags and the cantilever stiffness.

Local axes: x from end A to end B, y in the plane of the orientation vector v, z = x × y. Local dofs of
an end: u v w θx θy θz. Plane 1 is the xy plane (v, θz), plane 2 the xz plane (w, -θy).
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
