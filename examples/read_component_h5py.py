"""Read a component file with h5py and numpy alone, and check it: clamped frequencies from modes and mass.

    python examples/read_component_h5py.py panel.h5

Without a file name a small beam is made first (the only part that needs Interstage).
"""

import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np


def cross(a):
    """Matrix [a]x."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def clamped_frequencies(path):
    """Frequencies in Hz of the body held at its interface, from the arrays of the file."""
    with h5py.File(path) as f:
        hz = f["ModalSolution/FREQ"][()]
        m, com, J = f["RigidBody/mass"][()], f["RigidBody/cmoffset"][()], f["RigidBody/inertia"][()]
        E, F0, G0 = (f[f"ModalIntegral/{name}"][()] for name in ("P1", "P4", "P6"))
        rows = []
        for grid, components in f["ASET"][()]:
            l = f[f"GridPosition/{grid}"][()]
            gamma, lam = (f[f"ModalSolution/{kind}ModeShape/{grid}"][()] for kind in ("Trans", "Rot"))
            block = np.block([[-cross(l), np.eye(3), gamma], [np.eye(3), np.zeros((3, 3)), lam]])
            rows += [block[int(c) - 1] for c in str(components)]
        stored = f["CraigBampton/FREQ"][()]
    mp = m * cross(com)
    M = np.block([[J, mp, F0], [-mp, m * np.eye(3), E], [F0.T, E.T, G0]])
    K = np.diag(np.concatenate([np.zeros(6), (2 * np.pi * hz) ** 2]))
    # motions that leave the interface where it is
    _, s, V = np.linalg.svd(np.array(rows) / np.sqrt(np.diag(M)))
    Z = V[np.count_nonzero(s > 1e-10 * s[0]) :].T / np.sqrt(np.diag(M))[:, None]
    L = np.linalg.cholesky(Z.T @ M @ Z)
    A = np.linalg.solve(L, np.linalg.solve(L, Z.T @ K @ Z).T)
    return np.sqrt(np.abs(np.linalg.eigvalsh((A + A.T) / 2))) / (2 * np.pi), stored


def make_beam(path):
    """A cantilever of ten bars with a torsional mass on each node, held at node 1."""
    from interstage.component import Component

    n, L, EA, GJ, EI, mass, spin = 11, 0.5, 7e7, 4e3, 6e3, 1.3, 0.01
    K = np.zeros((6 * n, 6 * n))
    bend = EI / L**3 * np.array(
        [[12, 6 * L, -12, 6 * L], [6 * L, 4 * L**2, -6 * L, 2 * L**2],
         [-12, -6 * L, 12, -6 * L], [6 * L, 2 * L**2, -6 * L, 4 * L**2]]
    )  # fmt: skip
    for e in range(n - 1):
        a, b = 6 * e, 6 * e + 6
        for i, k in ((0, EA / L), (3, GJ / L)):
            K[np.ix_([a + i, b + i], [a + i, b + i])] += k * np.array([[1, -1], [-1, 1]])
        for i, j, s in ((1, 5, 1.0), (2, 4, -1.0)):
            dof, flip = [a + i, a + j, b + i, b + j], np.diag([1, s, 1, s])
            K[np.ix_(dof, dof)] += flip @ bend @ flip
    M = np.diag(np.tile([mass] * 3 + [spin] * 3, n))
    nodes = {i + 1: [L * i, 0, 0] for i in range(n)}
    Component.from_matrices(K, M, nodes, n_modes=12, aset={1: 123456}, name="beam").save(path)


def main(path=None):
    """Print clamped frequencies beside those that the file stores; return the worst difference."""
    if path is None:
        path = Path(tempfile.mkdtemp()) / "beam.h5"
        make_beam(path)
    got, stored = clamped_frequencies(path)
    print("clamped, Hz:", np.round(got[:6], 6))
    print("stored,  Hz:", np.round(stored[:6], 6))
    worst = np.max(np.abs(got / stored - 1))
    print(f"largest difference {worst:.1e}")
    return worst


if __name__ == "__main__":
    assert main(*sys.argv[1:2]) < 1e-9  # the file alone gives back the fixed-interface frequencies
