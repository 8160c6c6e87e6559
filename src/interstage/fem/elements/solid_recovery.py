"""Stresses and geometric stiffness of solids.

The results of a solid are six stresses (xx yy zz xy yz zx, basic axes) at its centre and at its corners: strains of
the element's own field (enhanced or assumed strains included) taken there, times the moduli. Geometric
stiffness takes stresses at the integration points, interpolated from the corners:

    NASTRAN: Π = ½ ∫ ωᵀ (tr σ 1 - σ) ω dV,  ω = ½ curl u;      full: Π = ½ ∫ σ_ij u_k,i u_k,j dV
"""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.block import ResultRows

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))
COLUMNS = ("oxx", "oyy", "ozz", "txy", "tyz", "txz", "omax", "omid", "omin")


def cartesian_gradients(xyz: np.ndarray, dN: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradients (n, p, 3, k) and Jacobian determinants (n, p) from parent gradients dN (p, 3, k)."""
    J = np.einsum("pan,eni->epai", dN, xyz)
    return np.linalg.inv(J) @ dN, np.linalg.det(J)


def strain_matrix(G: np.ndarray) -> np.ndarray:
    """Strains (..., 6, 3k) of displacements with gradients G (..., 3, k)."""
    k = G.shape[-1]
    B = np.zeros((*G.shape[:-2], 6, 3 * k))
    for row, (i, j) in enumerate(PAIRS):
        B[..., row, i::3] = G[..., j, :]
        if i != j:
            B[..., row, j::3] = G[..., i, :]
    return B


def stress_turn(R: np.ndarray) -> np.ndarray:
    """(n, 6, 6) that turns stress vectors from axes A to B, x_B = R x_A: σ_B = R σ_A Rᵀ."""
    Q = np.empty((len(R), 6, 6))
    for row, (i, j) in enumerate(PAIRS):
        for column, (a, b) in enumerate(PAIRS):
            Q[:, row, column] = R[:, i, a] * R[:, j, b]
            if a != b:
                Q[:, row, column] += R[:, i, b] * R[:, j, a]
    return Q


def turn_columns(operator: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Operator (n, r, 3k) on basic components from one on components in axes R (n, 3, 3), x_basic = R x."""
    n, r, m = operator.shape
    turned = operator.reshape(n, r, m // 3, 3) @ R.transpose(0, 2, 1)[:, None]
    return turned.reshape(n, r, m)


def smoothed_strains(xyz, gauss, weights, places, smooth_gauss, smooth_places) -> np.ndarray:
    """Strains (n, p, 6, 3k) at places, shear projected onto the smooth functions (see `smoothed_shear_stiffness`).

    gauss, places : parent gradients (q, 3, k) and (p, 3, k); smooth_* : functions (q, s) and (p, s)
    """
    G, det = cartesian_gradients(xyz, gauss)
    w = weights * det
    M = np.einsum("eq,qa,qb->eab", w, smooth_gauss, smooth_gauss)
    mean = np.einsum("eq,qa,eqin->eain", w, smooth_gauss, G)
    n, s = M.shape[:2]
    beta = np.linalg.solve(M, mean.reshape(n, s, -1)).reshape(mean.shape)
    B = strain_matrix(cartesian_gradients(xyz, places)[0])
    B[:, :, 3:] = strain_matrix(np.einsum("pa,eain->epin", smooth_places, beta))[:, :, 3:]
    return B


def stress_rows(block, results: np.ndarray, max_shear: bool) -> list[ResultRows]:
    """Stresses with principal values at the centre and the corners; results (n, 6 places, k)."""
    n, k = len(block), results.shape[2]
    places = results.shape[1] // 6
    s = results.reshape(n, places, 6, k)
    if block.output_axes is not None:
        s = np.einsum("nij,npjk->npik", stress_turn(block.output_axes.transpose(0, 2, 1)), s)
    s = s.transpose(3, 0, 1, 2).reshape(k, n * places, 6)
    tensor = np.empty((*s.shape[:2], 3, 3))
    for row, (i, j) in enumerate(PAIRS):
        tensor[..., i, j] = tensor[..., j, i] = s[..., row]
    principal = np.linalg.eigvalsh(tensor)[..., ::-1]
    a, b, c = np.moveaxis(principal, -1, 0)
    last = np.sqrt(0.5 * ((a - b) ** 2 + (b - c) ** 2 + (c - a) ** 2))
    if max_shear:  # of solids Nastran means the octahedral shear stress
        last *= np.sqrt(2.0) / 3.0
    values = np.concatenate([s, principal, last[..., None]], axis=-1)
    nodes = np.column_stack([np.full((n, 1), -1), block.nodes[:, : places - 1]]).ravel()
    columns = (*COLUMNS, "max_shear" if max_shear else "von_mises")
    return [ResultRows(block.name, columns, np.repeat(block.eid, places), values, nodes)]


def geometric_stiffness(xyz, dN, weights, corner_functions, results, full: bool) -> np.ndarray:
    """Geometric stiffness (n, 3k, 3k) from results (n, 6 (1 + corners)); corner_functions (p, corners)."""
    n, k = xyz.shape[:2]
    G, det = cartesian_gradients(xyz, dN)
    w = weights * det
    corner = results.reshape(n, -1, 6)[:, 1:]
    s = np.einsum("pc,ecs->eps", corner_functions, corner)
    sigma = np.empty((*s.shape[:2], 3, 3))
    for row, (i, j) in enumerate(PAIRS):
        sigma[..., i, j] = sigma[..., j, i] = s[..., row]
    out = np.zeros((n, k, 3, k, 3))
    if full:
        scalar = np.einsum("ep,epia,epij,epjb->eab", w, G, sigma, G, optimize=True)
        for axis in range(3):
            out[:, :, axis, :, axis] = scalar
        return out.reshape(n, 3 * k, 3 * k)
    S = np.einsum("epii->ep", sigma)[..., None, None] * np.eye(3) - sigma
    W = np.zeros((*G.shape[:2], 3, k, 3))  # ω = ½ g × u
    for i, j, m in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        W[:, :, i, :, m] = 0.5 * G[:, :, j]
        W[:, :, i, :, j] = -0.5 * G[:, :, m]
    W = W.reshape(n, len(dN), 3, 3 * k)
    return np.einsum("ep,epia,epij,epjb->eab", w, W, S, W, optimize=True)
