"""Closures across flexible bodies against the augmented system of Kane's equations, at rest and at hundreds of rad/s.

[M Jᵀ; J 0][v̇; -λ] = [f; -J̇v], M and f of `Kane` on the cut tree, J̇v by a complex step along the motion. Differences in
place of that step lose digits with speed: at 400 rad/s and 4 ms two digits are left.
"""

import numpy as np
import pytest

import interstage as ist
from interstage.fem import lumped_beam
from interstage.kane import Kane
from interstage.multibody import State

JOINTS = [ist.Locked(), ist.Prismatic("x"), ist.Revolute("z"), ist.Universal("xy"), ist.Ball()]
CLOSURES = [ist.Universal("xy"), ist.Ball(), ist.Revolute("y"), ist.Planar("z"), ist.Slot("x")]


def any_rotation(rng):
    q = rng.normal(size=4)
    return ist.Rotation.from_quaternion(q / np.linalg.norm(q)).matrix


def two_trees(rng, k):
    """A free body with two beams, the tip of one joined to the middle of a third that is free."""
    mb = ist.Multibody("m", gravity=[0.3, -1.0, 2.0])
    mb.add_body("a", mass=5.0, com=rng.normal(size=3) * 0.2, inertia=[2, 3, 4], joint=ist.Free())
    for name, parent, joint in (("b", "a", JOINTS[k]), ("c", "a", JOINTS[-1 - k]), ("d", None, ist.Free())):
        bending = tuple(rng.uniform(50, 200, 2))
        K, M, nodes = lumped_beam(2.0, 4, EA=1e5, GJ=80.0, EI=bending, mass=[0.4] * 3 + [0.01, 0.012, 0.015])
        beam = ist.Component.from_matrices(K, M, nodes, n_modes=4, aset={1: 123456}, rvdof={5: 123})
        more = {} if parent is None else {"parent": parent, "at": [0.3, 0, 0], "rotation": any_rotation(rng)}
        mb.add_body(name, component=beam, node=1, joint=joint, order=2, **more)
    mb.close("loop", ("b", 5), ("d", 3), joint=CLOSURES[k])
    return mb


@pytest.mark.parametrize("speed", [0.3, 300.0])
@pytest.mark.parametrize("k", range(len(CLOSURES)))
def test_closed_systems_are_the_augmented_ones(k, speed):
    rng = np.random.default_rng(k)
    mb = two_trees(rng, k)
    system = mb.compile()
    x = system.state()
    for name in ("b", "c", "d"):
        x[name].eta[:] = 0.05 * rng.normal(size=len(x[name].eta))
    x["d"].quaternion[:] = ist.Rotation(system.rotation(x, "b", 5)).quaternion
    x["d"].position[:] = system.position(x, "b", 5) - (system.position(x, "d", 3) - x["d"].position)
    x.v[:] = 0.3 * rng.normal(size=system.nv)
    for name in ("a", "d"):
        x[name].velocity[:3] *= speed / 0.3
    x = system.assemble(x)
    found = system.forward_dynamics(x)
    mb.closures.clear()
    kane = Kane(mb, like=system)
    M = np.asarray(kane.mass_matrix(x.q))
    f = M @ np.asarray(kane.accelerations(x.q, x.v))
    J = system.closure_jacobian(x)
    ahead = State(x.layout, x.q + 1e-30j * np.asarray(kane.rates(x.q, x.v)), x.v.astype(complex))
    turning = np.imag(system.closure_jacobian(ahead) @ x.v) / 1e-30
    d, m = 1.0 / np.sqrt(np.diag(M)), len(J)
    whole = np.block([[M * np.outer(d, d), (J * d).T], [J * d, np.zeros((m, m))]])
    wanted = np.linalg.solve(whole, np.concatenate([f * d, -turning]))[: system.nv] * d
    # both solve equations of condition 1e6 at most: ten digits
    np.testing.assert_allclose(found, wanted, atol=1e-10 * np.abs(wanted).max())
