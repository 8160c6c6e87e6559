"""The beam of the Exudyn reference as a component: solid nodes, ten modes fixed at the left face."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from interstage.component import Component
from interstage.multibody import Multibody, Revolute

LEFT, RIGHT, CORNER = 1, 2, 3


def _face_motion(X, shapes, nodes, weights):
    """Return the mean translation and the least-squares rotation (3, n) of a face in each mode."""
    center = weights @ X[nodes]
    move = np.einsum("k,kin->in", weights, shapes[nodes])
    d = X[nodes] - center
    A = np.concatenate([np.array([[0, r[2], -r[1]], [-r[2], 0, r[0]], [r[1], -r[0], 0]]) for r in d])
    turn = np.linalg.lstsq(A, (shapes[nodes] - move).reshape(-1, shapes.shape[2]), rcond=None)[0]
    return center, move, turn


def _point_masses(X, shapes, M_full):
    """Return the masses of the nodes nearest to uniform that reproduce the reduced mass matrix (16, 16)."""
    N = len(X)
    S = np.zeros((N, 3, 16))
    S[:, :, :3] = np.eye(3)
    for axis in range(3):
        S[:, :, 3 + axis] = np.cross(np.eye(3)[axis], X)
    S[:, :, 6:] = shapes
    i, j = np.triu_indices(16)
    A = np.einsum("nke,nke->en", S[:, :, i], S[:, :, j])
    m = np.full(N, M_full[0, 0] / N)
    rhs = M_full[i, j] - A @ m
    scale = 1.0 / np.maximum(np.linalg.norm(A, axis=1), 1e-12 * np.linalg.norm(A))
    return m + np.linalg.lstsq(scale[:, None] * A, scale * rhs, rcond=1e-12)[0]


def exudyn_beam(path) -> Component:
    """Return the beam with its frame at the left face; nodes 1 left, 2 right, 3 corner (1, -0.025, -0.025)."""
    d = np.load(path)
    X, M_full = d["X"], d["Mfull"]
    squares, T = eigh(d["Kr"], d["Mr"])
    shapes = d["Psi"].reshape(len(X), 3, -1)
    m = _point_masses(X, shapes, M_full)
    shapes = shapes @ T
    center, move, turn = _face_motion(X, shapes, d["nodesRight"], d["wRight"])
    corner = int(np.argmin(np.linalg.norm(X - [1.0, -0.025, -0.025], axis=1)))
    gamma = np.stack([np.zeros_like(move), move, shapes[corner]])
    lam = np.stack([np.zeros_like(turn), turn, turn])
    first = m @ X
    dots = np.einsum("n,ni,nir->r", m, X, shapes)
    A = np.einsum("n,ni,njr->rij", m, X, shapes)
    B = np.einsum("n,nir,njs->rsij", m, shapes, shapes, optimize=True)
    eps = np.zeros((3, 3, 3))
    eps[0, 1, 2] = eps[1, 2, 0] = eps[2, 0, 1] = 1.0
    eps[0, 2, 1] = eps[2, 1, 0] = eps[1, 0, 2] = -1.0
    mass = M_full[0, 0]
    com = np.array([M_full[1, 5], M_full[2, 3], M_full[0, 4]]) / mass
    return Component(
        name="exudyn beam",
        node_ids=np.array([LEFT, RIGHT, CORNER]),
        node_positions=np.array([[0.0, 0.0, 0.0], center, X[corner]]),
        gamma=gamma,
        lam=lam,
        frequencies_hz=np.sqrt(squares) / (2 * np.pi),
        mass=mass,
        com=com,
        inertia=M_full[3:6, 3:6],
        E=M_full[:3, 6:] @ T,
        F0=M_full[3:6, 6:] @ T,
        G0=np.eye(len(squares)),
        J1=dots[:, None, None] * np.eye(3) - A,
        J2=np.trace(B, axis1=2, axis2=3)[:, :, None, None] * np.eye(3) - B.transpose(0, 1, 3, 2),
        F1=np.einsum("ijk,rsjk->ris", eps, B),
        pm_mass=m.sum(),
        pm_c=first,
        pm_S2=np.einsum("n,ni,nj->ij", m, X, X),
        pm_E=np.einsum("n,nir->ir", m, shapes),
        aset={LEFT: 123456},
        boundary="craig-bampton",
    )


def chain(beam: Component, k: int, order: int = 2, right: int = RIGHT):
    """Return the system of k beams hanging from the ground on revolute joints about z."""
    mb = Multibody("chain", gravity=[0.0, -9.81, 0.0])
    for i in range(k):
        place = {"parent": f"beam{i - 1}", "at": right} if i else {}
        mb.add_body(f"beam{i}", component=beam, node=LEFT, joint=Revolute("z"), order=order, **place)
    return mb.compile()
