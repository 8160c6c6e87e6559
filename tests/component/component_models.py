"""Small structures for the tests of components: a space frame of Euler beams, lumped or consistent mass."""

from __future__ import annotations

import numpy as np
import scipy.linalg as la


def beam_stiffness(L, EA, GJ, EIy, EIz):
    """Stiffness (12,12) of an Euler beam along x, nodes T1 T2 T3 R1 R2 R3."""
    k = np.zeros((12, 12))
    for i, j, s in ((0, 6, EA / L), (3, 9, GJ / L)):
        k[i, i] = k[j, j] = s
        k[i, j] = k[j, i] = -s
    for (a, b, c, d), EI, sign in (((1, 5, 7, 11), EIz, 1.0), ((2, 4, 8, 10), EIy, -1.0)):
        block = EI / L**3 * np.array(
            [[12, 6 * L, -12, 6 * L], [6 * L, 4 * L**2, -6 * L, 2 * L**2],
             [-12, -6 * L, 12, -6 * L], [6 * L, 2 * L**2, -6 * L, 4 * L**2]]
        )  # fmt: skip
        flip = np.diag([1.0, sign, 1.0, sign])
        k[np.ix_([a, b, c, d], [a, b, c, d])] += flip @ block @ flip
    return k


def beam_mass(L, rho_A, rho_J, lumped):
    """Mass (12,12), lumped with rotary inertia or consistent."""
    m = np.zeros((12, 12))
    if lumped:
        node = np.array([1, 1, 1, 0, 0, 0]) * rho_A * L / 2
        node = node + np.array([0, 0, 0, 1, 0.5, 0.5]) * rho_J * L / 2
        return np.diag(np.concatenate([node, node]))
    for i, j, s in ((0, 6, rho_A * L), (3, 9, rho_J * L)):
        m[i, i] = m[j, j] = s / 3
        m[i, j] = m[j, i] = s / 6
    block = rho_A * L / 420 * np.array(
        [[156, 22 * L, 54, -13 * L], [22 * L, 4 * L**2, 13 * L, -3 * L**2],
         [54, 13 * L, 156, -22 * L], [-13 * L, -3 * L**2, -22 * L, 4 * L**2]]
    )  # fmt: skip
    for (a, b, c, d), sign in (((1, 5, 7, 11), 1.0), ((2, 4, 8, 10), -1.0)):
        flip = np.diag([1.0, sign, 1.0, sign])
        m[np.ix_([a, b, c, d], [a, b, c, d])] += flip @ block @ flip
    return m


def frame(points, links, lumped=True, EA=2e5, GJ=300.0, EIy=400.0, EIz=250.0, rho_A=1.5, rho_J=0.02):
    """Return K, M (6N,6N) and nodes {id: xyz} of a frame of beams; ids are 10, 20, 30, ..."""
    points = np.asarray(points, dtype=float)
    n = len(points)
    K, M = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 6 * n))
    for i, j in links:
        d = points[j] - points[i]
        L = np.linalg.norm(d)
        x = d / L
        y = np.cross([0.3, -0.2, 1.0], x)
        y /= np.linalg.norm(y)
        R = np.kron(np.eye(4), np.array([x, y, np.cross(x, y)]))
        dof = np.r_[6 * i : 6 * i + 6, 6 * j : 6 * j + 6]
        K[np.ix_(dof, dof)] += R.T @ beam_stiffness(L, EA, GJ, EIy, EIz) @ R
        M[np.ix_(dof, dof)] += R.T @ beam_mass(L, rho_A, rho_J, lumped) @ R
    return K, M, {10 * (i + 1): points[i] for i in range(n)}


def straight(n_elements=8, length=4.0, **options):
    """A straight beam along x from the origin."""
    points = np.zeros((n_elements + 1, 3))
    points[:, 0] = np.linspace(0, length, n_elements + 1)
    return frame(points, [(i, i + 1) for i in range(n_elements)], **options)


def bent(**options):
    """A bent, branching frame in space, not symmetric in any way."""
    spine = [[0, 0, 0], [1, 0.1, 0], [2, 0.3, 0.2], [3, 0.2, 0.6], [3.2, 1.1, 0.7], [3.1, 2.0, 1.2]]
    points = [*spine, [2.1, -0.9, 0.4]]
    return frame(points, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (2, 6)], **options)


def lumped_block(mass, offset, inertia):
    """6x6 mass of a rigid body at offset from its node, by its kinetic energy, column by column."""

    def momentum(v, w):
        p = mass * (v + np.cross(w, offset))
        return np.concatenate([p, inertia @ w + np.cross(offset, p)])

    I = np.eye(3)
    return np.array(
        [momentum(I[i], 0 * I[0]) for i in range(3)] + [momentum(0 * I[0], I[i]) for i in range(3)]
    ).T


def clamped_hz(component, held):
    """Frequencies of the component with the given node components held: rigid motion and modes together."""
    c = component
    px = np.array([[0, -c.com[2], c.com[1]], [c.com[2], 0, -c.com[0]], [-c.com[1], c.com[0], 0]])
    M = np.block([
        [c.inertia, c.mass * px, c.F0],
        [-c.mass * px, c.mass * np.eye(3), c.E],
        [c.F0.T, c.E.T, c.G0],
    ])  # fmt: skip
    rows = []
    for node, components in held.items():
        j = c.node_row(node)
        l = c.node_positions[j]
        lx = np.array([[0, -l[2], l[1]], [l[2], 0, -l[0]], [-l[1], l[0], 0]])
        block = np.block([[-lx, np.eye(3), c.gamma[j]], [np.eye(3), np.zeros((3, 3)), c.lam[j]]])
        rows += [block[int(k) - 1] for k in str(components)]
    d = np.diag(M)
    scale = 1 / np.sqrt(np.where(d > 0, d, 1.0))
    C = np.array(rows) * scale
    Z = scale[:, None] * la.null_space(C, rcond=1e-10)
    # singular values of the root of K keep the digits of low modes that an eigensolver on K would lose
    L = la.cholesky(Z.T @ M @ Z, lower=True)
    F = 2 * np.pi * c.frequencies_hz[:, None] * Z[6:]
    return np.sort(la.svdvals(la.solve_triangular(L, F.T, lower=True))) / (2 * np.pi)
