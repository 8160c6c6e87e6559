"""The same equations on jax arrays: jit, vmap over states and parameters, grad; double precision."""

from __future__ import annotations

import numpy as np
import pytest
from kane_models import BENT
from multibody_models import random_state

from interstage.errors import InputError
from interstage.kane import Kane
from interstage.multibody import Ball, Free, Gimbal, Multibody, Revolute

jax = pytest.importorskip("jax", reason="jax (extra 'batch') is not installed")


@pytest.fixture(scope="module", autouse=True)
def double_precision():
    """Switch jax to float64 for this module alone, and to compile quickly: the same numbers to round-off."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_enable_x64", before)
    jax.config.update("jax_disable_most_optimizations", False)


@pytest.fixture(scope="module")
def case(double_precision):
    """A free bus, a bent flexible boom on a gimbal, a rigid tip on a hinge at its deformed node; both array modules."""
    mb = Multibody("bus", gravity=[0.1, 0.2, -1.0])
    mb.add_body("bus", mass=8.0, com=[0.1, 0, 0], inertia=[1.0, 1.5, 2.0], joint=Free())
    mb.add_body(
        "boom", component=BENT, node=3, parent="bus", at=[0.5, 0, 0.1], joint=Gimbal("zyx"), damping=0.01
    )
    mb.add_body(
        "tip", mass=0.5, com=[0, 0.1, 0], inertia=[0.1, 0.1, 0.2], parent="boom", at=5, joint=Revolute("x")
    )
    system = mb.compile()
    x = random_state(system, np.random.default_rng(8))
    return mb, x, Kane(mb, like=system), Kane(mb, like=system, xp=jax.numpy)


def _relative(a, b):
    return np.abs(np.asarray(a) - np.asarray(b)).max() / np.abs(np.asarray(b)).max()


@pytest.fixture(scope="module")
def states(case):
    """256 states about the one of the case."""
    rng = np.random.default_rng(1)
    _, x, _, _ = case
    return x.q + 0.01 * rng.normal(size=(256, len(x.q))), x.v + 0.1 * rng.normal(size=(256, len(x.v)))


@pytest.fixture(scope="module")
def everything(case):
    """Accelerations, M and f, and reactions under loads, in one compiled function."""
    kj = case[3]

    def run(q, v):
        vdot = kj.accelerations(q, v, forces=FORCES)
        return vdot, *kj.equations(q, v, forces=FORCES), kj.reactions(q, v, vdot, FORCES)

    return jax.jit(run)


FORCES = {("boom", 5): np.arange(1.0, 7.0), "bus": np.ones(6)}


def test_jax_equals_numpy(case, everything):
    _, x, k, _ = case
    vdot, M, f, found = everything(x.q, x.v)
    want = k.accelerations(x.q, x.v, forces=FORCES)
    assert vdot.dtype == np.float64
    assert _relative(vdot, want) <= 1e-12
    assert _relative(M, k.mass_matrix(x.q)) <= 1e-12
    assert _relative(f, -k.bias(x.q, x.v, FORCES)) <= 1e-12
    theirs = k.reactions(x.q, x.v, want, FORCES)
    scale = max(abs(w).max() for w in theirs.values())
    assert max(np.abs(found[name] - w).max() for name, w in theirs.items()) <= 1e-12 * scale


def test_batch_of_256_states_equals_256_calls(case, everything, states):
    q, v = states
    together = jax.jit(jax.vmap(lambda a, b: case[3].accelerations(a, b, forces=FORCES)))(q, v)
    alone = np.stack([everything(a, b)[0] for a, b in zip(q, v)])
    assert together.shape == alone.shape == (256, case[3].nv)
    assert _relative(together, alone) <= 1e-12
    by_numpy = np.stack([case[2].accelerations(a, b, forces=FORCES) for a, b in zip(q[:16], v[:16])])
    assert _relative(alone[:16], by_numpy) <= 1e-12


def test_map_over_masses_and_stiffness(case):
    """A tree of parameters with a batch axis: each entry as if the vehicle had been described so."""
    _, x, k, kj = case
    factors = np.array([0.5, 1.0, 2.0])

    def scaled(p, s):
        bus, boom, tip = p.bodies
        bus = bus._replace(mass=s * bus.mass, mp=s * bus.mp, J0=s * bus.J0)
        return p._replace(bodies=(bus, boom._replace(stiffness=s * boom.stiffness), tip))

    run = jax.jit(jax.vmap(lambda s: kj.accelerations(x.q, x.v, parameters=scaled(kj.parameters, s))))
    got = run(factors)
    for row, s in zip(got, factors):
        want = k.accelerations(x.q, x.v, parameters=scaled(k.parameters, s))
        assert _relative(row, want) <= 1e-12
    assert _relative(got[1], k.accelerations(x.q, x.v)) <= 1e-12
    assert _relative(got[0], got[1]) > 1e-3


def test_gradient_equals_complex_step_at_zero_deformation(double_precision):
    """d v̇/d(q, stiffness) by reverse mode beside a complex step through numpy.

    The undeformed vehicle at rest is where most people differentiate: no 0/0 may appear there.
    """
    mb = Multibody("still", gravity=[0, 0, -1.0])
    mb.add_body("boom", component=BENT, node=3, n_modes=2, joint=Ball(stiffness=1.0))
    mb.add_body("tip", mass=1.0, com=[0.1, 0, 0], inertia=np.eye(3), parent="boom", at=5, joint=Revolute("z"))
    k, kj = Kane(mb), Kane(mb, xp=jax.numpy)
    q, v = k.nominal()
    v = v + 0.1
    gradient = jax.jit(jax.grad(lambda q, p: kj.accelerations(q, v, parameters=p)[0], argnums=(0, 1)))
    by_q, by_p = gradient(q, kj.parameters)
    h = 1e-30
    want = [np.imag(k.accelerations(q + 1j * h * e, v)[0]) / h for e in np.eye(k.nq)]
    np.testing.assert_allclose(by_q, want, rtol=0, atol=1e-10 * np.abs(want).max())
    boom, slopes = k.parameters.bodies[0], []
    for e in np.eye(len(boom.E[0])):
        other = boom._replace(stiffness=boom.stiffness + 1j * h * e, F0=boom.F0 + 1j * h * e)
        p = k.parameters._replace(bodies=(other, k.parameters.bodies[1]))
        slopes.append(np.imag(k.accelerations(q, v, parameters=p)[0]) / h)
    got = by_p.bodies[0].stiffness + by_p.bodies[0].F0.sum(axis=0)
    np.testing.assert_allclose(got, slopes, rtol=0, atol=1e-10 * np.abs(slopes).max())


def test_single_precision_is_refused():
    mb = Multibody("one")
    mb.add_body("a", mass=1.0, inertia=np.eye(3))
    jax.config.update("jax_enable_x64", False)
    try:
        with pytest.raises(InputError, match="jax_enable_x64"):
            Kane(mb, xp=jax.numpy)
    finally:
        jax.config.update("jax_enable_x64", True)
