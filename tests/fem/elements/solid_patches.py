"""Meshes and checks that the tests of solid elements share."""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.solid_common import SolidShape

# positions of the inner nodes of MacNeal and Harder's patch test for solids (1985), unit cube
INNER = np.array(
    [
        [0.249, 0.342, 0.192],
        [0.826, 0.288, 0.288],
        [0.850, 0.649, 0.263],
        [0.273, 0.750, 0.230],
        [0.320, 0.186, 0.643],
        [0.677, 0.305, 0.683],
        [0.788, 0.693, 0.644],
        [0.165, 0.745, 0.702],
    ]
)
CUBE = np.array(
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], dtype=float
)
OUTWARD = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
MATERIAL = (1e6, 0.25)


def isotropic(E: float, nu: float) -> np.ndarray:
    """Moduli (6, 6) of an isotropic material."""
    mu = E / 2 / (1 + nu)
    C = np.diag([2 * mu] * 3 + [mu] * 3)
    C[:3, :3] += E * nu / (1 + nu) / (1 - 2 * nu)
    return C


def orthotropic(seed: int = 3) -> np.ndarray:
    """A positive definite, fully anisotropic matrix of moduli."""
    A = np.random.default_rng(seed).normal(size=(6, 6))
    return 1e6 * (A @ A.T + 3.0 * np.eye(6))


def hexa_patch() -> tuple[np.ndarray, np.ndarray]:
    """Seven bricks: one inside and one on each face."""
    xyz = np.concatenate([CUBE, INNER])
    rows = [tuple(range(8, 16))]
    # each outer brick stands on a face of the cube, with the inner face above it
    rows += [tuple(reversed(face)) + tuple(8 + k for k in reversed(face)) for face in OUTWARD]
    return xyz, np.array(rows)


def pyramid_patch() -> tuple[np.ndarray, np.ndarray]:
    """Six pyramids from the faces of the cube to one inner node."""
    xyz = np.concatenate([CUBE, [[0.42, 0.55, 0.38]]])
    return xyz, np.array([tuple(reversed(face)) + (8,) for face in OUTWARD])


def tetra_patch() -> tuple[np.ndarray, np.ndarray]:
    """Twelve tetrahedra from halved faces of the cube to one inner node."""
    xyz, pyramids = pyramid_patch()
    return xyz, np.array([(p[a], p[b], p[c], 8) for p in pyramids for a, b, c in ((0, 1, 2), (0, 2, 3))])


def penta_patch(warp: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Eight wedges: a square cut in four at an inner node, in two layers; `warp` moves the middle layer."""
    plane = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.38, 0.57]])
    xyz = np.concatenate([np.column_stack([plane, np.full(5, z)]) for z in (0.0, 0.45, 1.0)])
    xyz[9] += warp * np.array([0.06, -0.05, 0.08])
    wedges = [(a, (a + 1) % 4, 4) for a in range(4)]
    return xyz, np.array(
        [
            tuple(k + 5 * layer for k in w) + tuple(k + 5 * layer + 5 for k in w)
            for layer in (0, 1)
            for w in wedges
        ]
    )


def with_middles(shape: SolidShape, xyz: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mesh with a node in the middle of each edge."""
    points, index = list(xyz), {}
    rows = []
    for element in corners:
        row = list(element)
        for a, b in shape.edges:
            key = tuple(sorted((element[a], element[b])))
            if key not in index:
                index[key] = len(points)
                points.append((xyz[element[a]] + xyz[element[b]]) / 2.0)
            row.append(index[key])
        rows.append(row)
    return np.array(points), np.array(rows)


def assemble(n: int, nodes: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Dense matrix (3n, 3n)."""
    out = np.zeros((3 * n, 3 * n))
    for row, k in zip(nodes, K):
        dof = (3 * row[:, None] + np.arange(3)).ravel()
        out[np.ix_(dof, dof)] += k
    return out


STRAINS = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)]


def patch_error(xyz: np.ndarray, nodes: np.ndarray, stiffness, C: np.ndarray, strains=STRAINS) -> float:
    """Largest error of inner displacements, relative, when the surface moves with constant strain."""
    K = assemble(
        len(xyz), nodes, stiffness(np.ascontiguousarray(xyz[nodes]), np.repeat(C[None], len(nodes), 0))
    )
    outside = ((np.abs(xyz) < 1e-12) | (np.abs(xyz - 1.0) < 1e-12)).any(axis=1)
    fixed, free = np.flatnonzero(np.repeat(outside, 3)), np.flatnonzero(np.repeat(~outside, 3))
    assert len(free)
    worst = 0.0
    for i, j in strains:
        gradient = np.zeros((3, 3))
        gradient[i, j] += 1e-3
        gradient[j, i] += 1e-3
        exact = (xyz @ gradient).ravel()
        inner = np.linalg.solve(K[np.ix_(free, free)], -K[np.ix_(free, fixed)] @ exact[fixed])
        worst = max(worst, np.abs(inner - exact[free]).max() / np.abs(exact).max())
    return worst


def zero_energy(K: np.ndarray) -> tuple[float, float]:
    """Largest of the six lowest eigenvalues and the seventh, relative to the largest."""
    w = np.linalg.eigvalsh(K)
    return float(np.abs(w[:6]).max() / w[-1]), float(w[6] / w[-1])


def rigid_motions(xyz: np.ndarray) -> np.ndarray:
    """Six rigid motions (3k, 6) of nodes (k, 3)."""
    out = np.zeros((len(xyz), 3, 6))
    for axis in range(3):
        out[:, axis, axis] = 1.0
        out[:, :, 3 + axis] = np.cross(np.eye(3)[axis], xyz)
    return out.reshape(-1, 6)


def rigid_motion_check(K: np.ndarray, xyz: np.ndarray, least: float) -> None:
    """Assert that K has six rigid motions and no other motion with less than `least` of its largest eigenvalue."""
    zero, seventh = zero_energy(K)
    assert zero < 1e-13
    assert seventh > least
    assert np.abs(K @ rigid_motions(xyz)).max() < 1e-12 * np.abs(K).max()
