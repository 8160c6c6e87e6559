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


def moving(rng, k, speed):
    """Return a closed system in motion with its accelerations, and those of the augmented system for a given J̇v.

    Both are functions of nothing else: (found, wanted, complex step, difference), the last two ways to J̇v.
    """
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
    rates, J = np.asarray(kane.rates(x.q, x.v)), system.closure_jacobian(x)
    d, m = 1.0 / np.sqrt(np.diag(M)), len(J)
    whole = np.block([[M * np.outer(d, d), (J * d).T], [J * d, np.zeros((m, m))]])

    def wanted(turning):
        return np.linalg.solve(whole, np.concatenate([f * d, -turning]))[: system.nv] * d

    def complex_step():
        ahead = State(x.layout, x.q + 1e-30j * rates, x.v.astype(complex))
        return np.imag(system.closure_jacobian(ahead) @ x.v) / 1e-30

    def difference(h):
        one, other = (system.closure_jacobian(State(x.layout, x.q + s * h * rates, x.v)) for s in (1, -1))
        return (one - other) @ x.v / (2.0 * h)

    return found, wanted, complex_step, difference


@pytest.mark.parametrize("speed", [0.3, 300.0])
@pytest.mark.parametrize("k", range(len(CLOSURES)))
def test_closed_systems_are_the_augmented_ones(k, speed):
    found, wanted, complex_step, _ = moving(np.random.default_rng(k), k, speed)
    truth = wanted(complex_step())
    # both solve equations of condition 1e6 at most: ten digits
    np.testing.assert_allclose(found, truth, atol=1e-10 * np.abs(truth).max())


def test_a_step_in_the_reference_makes_the_gap():
    """The worst of 276 such systems: 1e-6 beside a truth by differences of 1 µs, which falls with the step squared."""
    found, wanted, complex_step, difference = moving(np.random.default_rng(1040), 0, 300.0)
    truth = wanted(complex_step())
    size = np.abs(truth).max()
    np.testing.assert_allclose(found, truth, atol=1e-10 * size)
    gaps = [np.abs(found - wanted(difference(h))).max() / size for h in (4e-6, 2e-6, 1e-6)]
    assert gaps[2] > 1e-7
    np.testing.assert_allclose(np.divide(gaps[:-1], gaps[1:]), 4.0, rtol=0.02)
