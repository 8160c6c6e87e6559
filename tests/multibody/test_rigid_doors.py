"""Inverse dynamics and mass matrix of rigid trees: every joint, beside the general kernels; far from the origin."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import JOINTS, random_rotation, random_state

from interstage.multibody import Free, Multibody

NO_SITES, NO_WRENCHES = np.zeros(0, dtype=np.int64), np.zeros((0, 6))


def _tree(seed, far=0.0):
    """Return rigid bodies on all kinds of joints, some of them on the ground, and a state in motion."""
    rng = np.random.default_rng(seed)
    mb = Multibody("tree", gravity=[1.0, 2.0, -9.81])
    joints = [Free(), *JOINTS]
    for i, joint in enumerate(joints):
        parent = None if i == 0 or rng.random() < 0.15 else f"b{rng.integers(i)}"
        place = {"parent": parent, "at": rng.normal(size=3), "rotation": random_rotation(rng)}
        mass = {"mass": 1 + rng.random(), "com": rng.normal(size=3), "inertia": [1.0, 1.2, 1.4]}
        mb.add_body(f"b{i}", joint=joint, **mass, **place)
    system = mb.compile()
    x = random_state(system, rng)
    x["b0"].q[4:] += far
    return system, x, rng.normal(size=system.nv)


@pytest.mark.parametrize("seed", range(3))
def test_all_joints_as_in_the_general_kernels(seed):
    system, x, vdot = _tree(seed)
    M, tau = np.empty((system.nv, system.nv)), np.empty(system.nv)
    system.engine.mass_matrix(x.q, x.v, M)
    system.engine.inverse(x.q, x.v, vdot, NO_SITES, NO_WRENCHES, tau)
    # the same sums in another order
    size = np.sqrt(np.outer(np.diag(M), np.diag(M)))
    assert np.abs((system.mass_matrix(x) - M) / size).max() < 1e-13
    np.testing.assert_allclose(system.inverse_dynamics(x, vdot), tau, atol=1e-13 * np.abs(tau).max())
    np.testing.assert_allclose(system.forward_dynamics(x, tau=tau), vdot, atol=1e-11 * np.abs(vdot).max())


def test_nothing_is_lost_far_from_the_origin():
    """A vehicle 7000 km away has the same M and the same forces."""
    (near, x, vdot), (away, y, _) = _tree(5), _tree(5, far=7e6)
    M = near.mass_matrix(x)
    size = np.sqrt(np.outer(np.diag(M), np.diag(M)))
    assert np.abs((away.mass_matrix(y) - M) / size).max() < 1e-13
    wanted = near.inverse_dynamics(x, vdot)
    np.testing.assert_allclose(away.inverse_dynamics(y, vdot), wanted, atol=1e-12 * np.abs(wanted).max())
