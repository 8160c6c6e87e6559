"""Rigid trees against Pinocchio: accelerations, forces, mass matrix, energy, Jacobians."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import random_inertia, random_rotation

from interstage.multibody import Ball, Free, Multibody, Planar, Prismatic, Revolute

pin = pytest.importorskip("pinocchio")
pytestmark = pytest.mark.kernels

TOLERANCE = 1e-10  # relative to the largest entry; both sides work in double precision


def _pin_joint(kind, axis):
    if kind == "revolute":
        return pin.JointModelRevoluteUnaligned(axis)
    if kind == "prismatic":
        return pin.JointModelPrismaticUnaligned(axis)
    return {"ball": pin.JointModelSpherical, "free": pin.JointModelFreeFlyer}[kind]()


def _pair(seed, n=12):
    """Return the same random tree twice: Pinocchio's model and ours."""
    rng = np.random.default_rng(seed)
    theirs, ours, joints = pin.Model(), Multibody("tree", gravity=[0.5, 0.2, -9.81]), []
    theirs.gravity.linear = np.array([0.5, 0.2, -9.81])
    path = [0]
    for i in range(n):
        kind = "free" if i == 0 else rng.choice(["revolute", "prismatic", "ball", "revolute"])
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        parent = int(rng.choice(path)) if i else -1
        path = [*path[: path.index(parent) + 1], i] if i else [0]  # Pinocchio numbers joints depth first
        R, p = random_rotation(rng), rng.normal(size=3)
        m, c, J = random_inertia(rng)
        number = theirs.addJoint(joints[parent] if i else 0, _pin_joint(kind, axis), pin.SE3(R, p), f"j{i}")
        theirs.appendBodyToJoint(number, pin.Inertia(m, c, J), pin.SE3.Identity())
        joints.append(number)
        joint = {"revolute": Revolute(axis), "prismatic": Prismatic(axis), "ball": Ball(), "free": Free()}[
            kind
        ]
        place = {"parent": f"b{parent}" if i else None, "at": p, "rotation": R, "joint": joint}
        ours.add_body(f"b{i}", mass=m, com=c, inertia=J, **place)
    return theirs, ours.compile(), joints, rng


def _convert(theirs, system, joints, x):
    """Return q, v of Pinocchio and the map of velocities: it puts translation first and quaternions scalar last."""
    q, v, order = np.zeros(theirs.nq), np.zeros(theirs.nv), np.zeros(theirs.nv, dtype=int)
    for spec, j in zip(system.model.specs, joints):
        body, iq, iv = x[spec.name], theirs.joints[j].idx_q, theirs.joints[j].idx_v
        first = system.layout[spec.name].v.start
        if isinstance(spec.joint, Free):
            q[iq : iq + 7] = [*body.position, *body.quaternion[1:], body.quaternion[0]]
            order[iv : iv + 6] = first + np.array([3, 4, 5, 0, 1, 2])
        elif isinstance(spec.joint, Ball):
            q[iq : iq + 4] = [*body.quaternion[1:], body.quaternion[0]]
            order[iv : iv + 3] = first + np.arange(3)
        else:
            q[iq] = body.q[0]
            order[iv] = first
    v[:] = x.v[order]
    return q, v, order


@pytest.mark.parametrize("seed", range(6))
def test_random_tree_agrees_with_pinocchio(seed):
    theirs, system, joints, rng = _pair(seed)
    data = theirs.createData()
    x = system.state()
    for name in system.bodies:
        body = x[name]
        body.q[:] = rng.normal(size=body.q.shape)
        if body.q.size >= 4:
            body.quaternion[:] /= np.linalg.norm(body.quaternion)
    x.v[:] = rng.normal(size=system.nv)
    q, v, order = _convert(theirs, system, joints, x)
    tau = rng.normal(size=system.nv)
    expected = pin.aba(theirs, data, q, v, tau[order])
    vdot = system.forward_dynamics(x, tau=tau)
    np.testing.assert_allclose(vdot[order], expected, rtol=0, atol=TOLERANCE * abs(expected).max())
    forces = pin.rnea(theirs, data, q, v, expected)
    np.testing.assert_allclose(
        system.inverse_dynamics(x, vdot)[order], forces, rtol=0, atol=TOLERANCE * abs(forces).max() * 10
    )
    M = pin.crba(theirs, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    np.testing.assert_allclose(
        system.mass_matrix(x)[np.ix_(order, order)], M, rtol=0, atol=TOLERANCE * abs(M).max()
    )
    energy = pin.computeKineticEnergy(theirs, data, q, v) + pin.computePotentialEnergy(theirs, data, q)
    assert system.energy(x) == pytest.approx(energy, rel=TOLERANCE)
    pin.computeJointJacobians(theirs, data, q)
    J = pin.getJointJacobian(theirs, data, joints[-1], pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
    ours = system.jacobian(x, system.bodies[-1])[:, order]
    np.testing.assert_allclose(np.vstack([ours[3:], ours[:3]]), J, atol=1e-12)


def test_planar_joint_agrees_with_pinocchio():
    theirs, ours = pin.Model(), Multibody("p", gravity=[0.5, 0.2, -9.81])
    theirs.gravity.linear = np.array([0.5, 0.2, -9.81])
    R = pin.utils.rotate("x", 0.4)
    c, J = np.array([0.2, -0.1, 0.3]), np.diag([0.3, 0.4, 0.5])
    j = theirs.addJoint(0, pin.JointModelPlanar(), pin.SE3(R, np.array([1.0, 2.0, 3.0])), "j")
    theirs.appendBodyToJoint(j, pin.Inertia(2.0, c, J), pin.SE3.Identity())
    ours.add_body("b", mass=2.0, com=c, inertia=J, joint=Planar("z"), rotation=R, at=[1.0, 2.0, 3.0])
    system = ours.compile()
    x = system.state([0.3, -0.2, 0.7], [0.4, 0.5, -0.6])
    co, si = np.cos(0.7), np.sin(0.7)
    turn = np.array([[co, si], [-si, co]])  # Pinocchio's velocities are in body axes
    v = np.array([*(turn @ x.v[:2]), x.v[2]])
    tau = np.array([0.1, 0.2, 0.3])
    a = pin.aba(
        theirs, theirs.createData(), np.array([0.3, -0.2, co, si]), v, np.array([*(turn @ tau[:2]), tau[2]])
    )
    # d/dt of turn @ v: the rate of the axes enters
    spin = x.v[2] * np.array([v[1], -v[0]])
    expected = np.array([*(turn.T @ (a[:2] - spin)), a[2]])
    np.testing.assert_allclose(system.forward_dynamics(x, tau=tau), expected, atol=1e-12)
