"""Slopes of accelerations of closed loops against complex steps of their whole forward dynamics.

`step` asks for steps: forward dynamics with closures, which is held against dense equations elsewhere. Both sides are
exact but for round-off, which grows with the condition of J M⁻¹Jᵀ.
"""

from __future__ import annotations

import numpy as np
import pytest
from closure_models import BENT, RELATIONS, four_bar, mixed, pinned
from multibody_models import random_state
from test_stiffening_of_loops import BARS, FORCES, chain, part, same_state  # noqa: F401

import interstage as ist
from interstage.linear.differences import COMPLEX_STEP


def assert_near(found, truth, tolerance):
    """Compare matrices by their size."""
    assert np.abs(found - truth).max() <= tolerance * np.abs(truth).max()


def assert_alike(system, x, inputs, **options):
    """Linearize by slopes and by steps; every matrix by its own size."""
    found = ist.linearize(system, x, inputs, **options)
    truth = ist.linearize(system, x, inputs, step=COMPLEX_STEP, **options)
    assert found.states == truth.states
    assert_near(found.A, truth.A, 1e-10)
    assert_near(found.B, truth.B, 1e-10)


@pytest.mark.parametrize("k", [0, 3, 5, 8, 10, 11])
def test_rigid_and_flexible_bodies_in_two_loops(k):
    """Every kind of row, to the ground and between bodies, moving, under loads that follow the world and a node."""
    rng = np.random.default_rng(k)
    system = mixed(RELATIONS[k], rng)
    x = system.assemble(random_state(system, rng, deflection=1e-3))
    forces = [
        ist.Wrench("right", rng.normal(size=6), 3, "node"),
        ist.Wrench("tip", rng.normal(size=6), [0.1, 0, 0]),
    ]
    inputs = [ist.NodeForce("left", 4), ist.JointForce("tip"), ist.ModalForce("right", 1)]
    # springs of modes are the largest entries of A: 1e6 times what closures add
    assert_alike(system, x, inputs, forces=forces, tau=rng.normal(size=system.nv))


@pytest.mark.kernels
@pytest.mark.parametrize("coupler", [None, BENT])
@pytest.mark.parametrize("stabilization", ["projection", "baumgarte"])
def test_a_four_bar_whose_crank_is_driven(coupler, stabilization):
    system = four_bar(coupler=coupler, joint=ist.Ball() if coupler is not None else None)
    x = pinned(system, 0.7, 2.0)
    system.drop_redundant(x)
    system.stabilize(stabilization)
    assert_alike(system, x, [ist.JointForce("crank"), ist.NodeForce("rocker", [1.0, 0, 0], "y")])
    system.set_joint_mode("crank", "prescribed")
    driven = [ist.JointAcceleration("crank")]
    assert_alike(system, x, driven, accelerations={"crank": 0.3})


def test_geometric_stiffness_under_the_forces_of_a_closure(part):  # noqa: F811
    tree, loop = chain(part, False), chain(part, True)
    x = random_state(tree, np.random.default_rng(3), deflection=1e-3)
    y = same_state(tree, x, loop)
    tip = ist.NodeForce("b", BARS + 1)
    everything = ist.CustomOutput("vdot", lambda system, x, vdot: vdot)
    found = ist.linearize(loop, y, tip, everything, forces=FORCES)
    # h⁴ of truncation and ε/h of round-off beside the springs of modes
    steps = ist.linearize(loop, y, tip, forces=FORCES, method="central-4", step=1e-5)
    assert_near(found.A, steps.A, 1e-9)
    # accelerations are affine in the forces
    base = loop.forward_dynamics(y, forces=FORCES)
    loads = ist.Loads.of(loop, FORCES)
    for k, channel in enumerate(tip.channels(loop)):
        more = loop.forward_dynamics(y, forces=loads.plus(channel.load(loop), 10.0))
        assert_near(found.D[:, k], (more - base) / 10.0, 1e-8)
