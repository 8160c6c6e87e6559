"""Waves on the surface of a fluid in a tank of revolution, by finite elements of the potential.

    φ = Φ(r, z) cos θ:   ∫ (∇Φ·∇Ψ + ΦΨ/r²) r dr dz = λ ∫_surface ΦΨ r dr,    λ = ω²/a

Biquadratic elements on lines of equal z, r from the axis to the wall; what is not on the surface is eliminated.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import splu

CELLS = 14  # across and along: 1e-5 of the first frequency
GAUSS = np.polynomial.legendre.leggauss(4)


def _line(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the three quadratic shapes on -1, 0, 1 and their slopes (3, k) at places x (k,)."""
    N = np.array([0.5 * x * (x - 1.0), 1.0 - x * x, 0.5 * x * (x + 1.0)])
    return N, np.array([x - 0.5, -2.0 * x, x + 0.5])


def surface_waves(
    wall: Callable[[np.ndarray], np.ndarray], depth: float, n: int, cells: int = CELLS
) -> tuple[np.ndarray, np.ndarray]:
    """Return λ (n,) and m_n/ρ (n,) of the first waves; wall(z) is the radius of the tank at z above its bottom."""
    m = 2 * cells + 1
    s = np.linspace(0.0, 1.0, m)
    z = depth * 0.5 * (1.0 - np.cos(np.pi * s))  # closer at the bottom and at the surface
    r = 0.5 * (1.0 - np.cos(np.pi * (0.5 + 0.5 * s)))  # and at the wall
    r = (r - r[0]) / (r[-1] - r[0])
    R = wall(z)[:, None] * r[None, :]
    Z = np.broadcast_to(z[:, None], (m, m))
    number = np.arange(m * m).reshape(m, m)
    x, weight = GAUSS
    N, dN = _line(x)
    # shapes (9, g, g) of an element, rows along z, columns along r
    shape = np.einsum("ia,jb->ijab", N, N).reshape(9, *(len(x),) * 2)
    by_z = np.einsum("ia,jb->ijab", dN, N).reshape(shape.shape)
    by_r = np.einsum("ia,jb->ijab", N, dN).reshape(shape.shape)
    rows, columns, values = [], [], []
    for i in range(0, m - 1, 2):
        for j in range(0, m - 1, 2):
            nodes = number[i : i + 3, j : j + 3].ravel()
            rr, zz = R.ravel()[nodes], Z.ravel()[nodes]
            J = [np.einsum("k,kab->ab", c, f) for c in (rr, zz) for f in (by_r, by_z)]
            det = J[0] * J[3] - J[1] * J[2]
            gr = (J[3] * by_r - J[2] * by_z) / det
            gz = (J[0] * by_z - J[1] * by_r) / det
            radius = np.einsum("k,kab->ab", rr, shape)
            w = weight[:, None] * weight[None, :] * np.abs(det) * radius
            K = np.einsum("kab,lab,ab->kl", gr, gr, w) + np.einsum("kab,lab,ab->kl", gz, gz, w)
            K += np.einsum("kab,lab,ab->kl", shape, shape, w / radius**2)
            rows.append(np.repeat(nodes, 9))
            columns.append(np.tile(nodes, 9))
            values.append(K.ravel())
    entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
    K = sparse.csc_matrix(entries, shape=(m * m, m * m))
    top, inside = number[-1, 1:], number[:-1, 1:].ravel()  # Φ = 0 on the axis
    if wall(np.zeros(1))[0] < 1e-9:  # a pointed bottom: one point, and on the axis
        inside = number[1:-1, 1:].ravel()
    Kii, Kis = K[inside][:, inside].tocsc(), K[inside][:, top].toarray()
    S = K[top][:, top].toarray() - Kis.T @ splu(Kii).solve(Kis)
    M, push = np.zeros((m, m)), np.zeros(m)
    for j in range(0, m - 1, 2):
        nodes = np.arange(j, j + 3)
        rr = R[-1, nodes]
        jacobian = dN.T @ rr
        radius = N.T @ rr
        w = weight * jacobian * radius
        M[np.ix_(nodes, nodes)] += np.einsum("ka,la,a->kl", N, N, w)
        push[nodes] += N @ (w * radius)
    rates, shapes = linalg.eigh(0.5 * (S + S.T), M[1:, 1:], subset_by_index=[0, n - 1])
    # shapes have ∫ rΦ² dr = 1
    return rates, np.pi * rates * (shapes.T @ push[1:]) ** 2
