"""Small structures and trees for the tests of the engine: Bernoulli beams with six dofs a node, random trees."""

from __future__ import annotations

import numpy as np

from interstage.component import Component
from interstage.multibody import (
    Ball,
    Cylindrical,
    Free,
    Gimbal,
    Locked,
    Multibody,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Universal,
)

JOINTS = [
    Locked(),
    Revolute("y"),
    Revolute([1.0, 2.0, -1.0], stiffness=3.0, damping=0.2, rest=0.1),
    Prismatic("x", stiffness=5.0),
    Cylindrical("z", damping=[0.1, 0.3]),
    Universal("xy", stiffness=[1.0, 2.0]),
    Gimbal("zyx"),
    Ball(stiffness=2.0, damping=0.1),
    Planar("z"),
    Planar([1.0, 1.0, 0.3]),
    Free(),
    Screw("y", pitch=0.7),
]


def bar_matrices(L, A, Iy, Iz, Jt, E, G, rho, lumped=False):
    """Return K, M (12, 12) of a bar along x, dofs T1 T2 T3 R1 R2 R3 a node; consistent or lumped mass."""
    K, M = np.zeros((12, 12)), np.zeros((12, 12))
    for dofs, k in (((0, 6), E * A / L), ((3, 9), G * Jt / L)):
        K[np.ix_(dofs, dofs)] += k * np.array([[1, -1], [-1, 1]])
    m = rho * A * L
    k4 = np.array([[12, 6 * L, -12, 6 * L], [6 * L, 4 * L**2, -6 * L, 2 * L**2]])
    k4 = np.vstack([k4, [-12, -6 * L, 12, -6 * L], [6 * L, 2 * L**2, -6 * L, 4 * L**2]]) / L**3
    m4 = np.array([[156, 22 * L, 54, -13 * L], [22 * L, 4 * L**2, 13 * L, -3 * L**2]])
    m4 = m / 420 * np.vstack([m4, [54, 13 * L, 156, -22 * L], [-13 * L, -3 * L**2, -22 * L, 4 * L**2]])
    sign = np.diag([1.0, -1.0, 1.0, -1.0])
    y, z = np.ix_((1, 5, 7, 11), (1, 5, 7, 11)), np.ix_((2, 4, 8, 10), (2, 4, 8, 10))
    K[y] += E * Iz * k4
    K[z] += sign @ (E * Iy * k4) @ sign
    if lumped:
        for d in (0, 1, 2, 6, 7, 8):
            M[d, d] = m / 2
        for d in (3, 4, 5, 9, 10, 11):
            M[d, d] = m * L**2 / 420 + m * 1e-4
    else:
        M[y] += m4
        M[z] += sign @ m4 @ sign
        bar = np.array([[2, 1], [1, 2]]) / 6
        M[np.ix_((0, 6), (0, 6))] += m * bar
        M[np.ix_((3, 9), (3, 9))] += rho * (Iy + Iz) * L * bar
    return K, M


def beam_matrices(
    n_elements, length=1.0, lumped=False, bend=0.0, E=2e9, rho=1000.0, width=0.05, tip_mass=0.0
):
    """Return K, M and nodes {1..n+1: xyz} of a (bent) beam of square section from the origin along x."""
    A, I = width**2, width**4 / 12
    s = np.linspace(0.0, length, n_elements + 1)
    xyz = np.stack([s, bend * s**2, 0.3 * bend * s**2], axis=1)
    N = len(xyz)
    K, M = np.zeros((6 * N, 6 * N)), np.zeros((6 * N, 6 * N))
    for e in range(n_elements):
        d = xyz[e + 1] - xyz[e]
        L = np.linalg.norm(d)
        x = d / L
        y = np.cross([0.0, 0.0, 1.0], x)
        y /= np.linalg.norm(y)
        T = np.kron(np.eye(4), np.array([x, y, np.cross(x, y)]))
        k, m = bar_matrices(L, A, I, I, 1.7 * I, E, E / 2.6, rho, lumped)
        at = slice(6 * e, 6 * e + 12)
        K[at, at] += T.T @ k @ T
        M[at, at] += T.T @ m @ T
    M[6 * N - 6 : 6 * N - 3, 6 * N - 6 : 6 * N - 3] += tip_mass * np.eye(3)
    return K, M, {k + 1: p for k, p in enumerate(xyz)}


def beam(n_elements=6, n_modes=8, aset=1, name="beam", **options):
    """Return a beam component with normalized component modes of one interface node (aset=None: free modes)."""
    K, M, nodes = beam_matrices(n_elements, **options)
    interface = None if aset is None else {aset: 123456}
    return Component.from_matrices(K, M, nodes, n_modes=n_modes, aset=interface, name=name)


def random_rotation(rng):
    """Return a random rotation matrix."""
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.sign(np.linalg.det(Q))


def random_inertia(rng):
    """Return mass, com, inertia about com of a random cloud of points."""
    p, m = rng.normal(size=(6, 3)) * 0.3, rng.uniform(0.2, 1.0, 6)
    c = m @ p / m.sum()
    d = p - c
    return (
        m.sum(),
        c,
        np.einsum("n,nij->ij", m, (d**2).sum(1)[:, None, None] * np.eye(3) - d[:, :, None] * d[:, None, :]),
    )


def random_tree(
    rng, n_bodies, joints=JOINTS, components=(), orders=(0, 1, 2), gravity=(0.3, -1.0, -9.0), heavy=1.0
):
    """Return a Multibody of random topology; about half of the bodies are flexible where components are given."""
    mb = Multibody("random", gravity=gravity)
    for i in range(n_bodies):
        parent = None if i == 0 or rng.random() < 0.1 else f"b{rng.integers(i)}"
        joint = joints[rng.integers(len(joints))]
        at = None
        if parent is not None:
            on = mb.spec(parent).component
            at = rng.normal(size=3) * 0.3 if on is None else int(rng.choice(on.node_ids))
        place = {"parent": parent, "at": at, "rotation": random_rotation(rng), "joint": joint}
        if len(components) and rng.random() < 0.6:
            component = components[rng.integers(len(components))]
            order = int(rng.choice(orders))
            mb.add_body(
                f"b{i}",
                component=component,
                node=int(next(iter(component.aset), component.node_ids[0])),
                order=order,
                rotary=component.rotary is not None and order > 0,
                damping=0.01,
                **place,
            )
        else:
            mass, com, inertia = random_inertia(rng)
            mb.add_body(f"b{i}", mass=heavy * mass, com=com, inertia=heavy * inertia, **place)
    return mb


def random_state(system, rng, deflection=0.003, speed=1.0):
    """Return a random state: large joint motion, modal coordinates for tip deflections of `deflection`."""
    x = system.state()
    for spec in system.model.specs:
        body = x[spec.name]
        body.q[:] = rng.normal(size=body.q.shape)
        body.v[:] = speed * rng.normal(size=body.v.shape)
        body.eta[:] = deflection * rng.normal(size=body.eta.shape)
        body.etadot[:] = speed * deflection * 10.0 * rng.normal(size=body.etadot.shape)
        if not spec.joint.linear:
            body.quaternion[:] /= np.linalg.norm(body.quaternion)
    return x
