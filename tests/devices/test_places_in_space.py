"""Kinematics of devices in space, with nothing along an axis: beside numpy and scipy's rotations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import interstage as ist
from interstage import devices as dev
from interstage.devices.sensors import moved
from interstage.devices.springs import line_between

OBLIQUE = np.array([2.0, -3.0, 6.0]) / 7.0


@pytest.mark.kernels
def test_the_line_between_two_places():
    p_a, p_b, v_a, v_b = np.random.default_rng(4).normal(size=(4, 3))
    s, rate, *along = line_between(p_a, p_b, v_a, v_b)
    truth = (p_b - p_a) / np.linalg.norm(p_b - p_a)
    assert s == pytest.approx(np.linalg.norm(p_b - p_a), rel=1e-14)
    assert along == pytest.approx(truth, rel=1e-14)
    assert rate == pytest.approx(truth @ (v_b - v_a), rel=1e-13)


@pytest.mark.kernels
@pytest.mark.parametrize("seed", range(4))
def test_motion_of_an_element_beside_a_reference_that_is_turned(seed):
    """Displacement in the reference's axes, and twice the vector of the unit quaternion of the turn."""
    rng = np.random.default_rng(seed)
    p, nominal = rng.normal(size=(2, 2, 3))
    axes, undeformed = (Rotation.from_quat(rng.normal(size=(2, 4))) for _ in range(2))
    q, still = (one.as_quat(scalar_first=True) for one in (axes, undeformed))
    turn = (axes[0].inv() * axes[1] * undeformed[1].inv()).as_quat(canonical=True, scalar_first=True)
    found = moved(p, q, nominal, still, 1)
    assert found[:3] == pytest.approx(axes[0].inv().apply(p[1] - p[0]) - nominal[1], abs=1e-13)
    assert found[3:] == pytest.approx(2.0 * turn[1:], abs=1e-13)


@pytest.fixture(scope="module")
def box():
    mb = ist.Multibody("box")
    mb.add_body("box", mass=40.0, inertia=[3.0, 4.0, 5.0], joint=ist.Free())
    return mb.compile()


@pytest.mark.parametrize("kind", [dev.ReactionWheel, dev.StictionReactionWheel])
def test_a_wheel_turns_beside_the_body_that_carries_it(box, kind):
    """h = J (Ω + a·ω) of an oblique axis on a body that turns about all of its axes."""
    x = box.state()
    x["box"].velocity[:3] = 0.3, -0.2, 0.7
    friction = {"coulomb": 0.01} if kind is dev.StictionReactionWheel else {}
    wheel = kind(at="box", axis=OBLIQUE, inertia=0.05, momentum=2.0, **friction)
    log = ist.simulate(ist.Assembly("x", vehicle=box).add("wheel", wheel), x, until=0.01, step="5 ms")
    assert log["wheel.speed"][0] == pytest.approx(2.0 / 0.05 - OBLIQUE @ [0.3, -0.2, 0.7], rel=1e-13)


def test_the_linear_model_of_a_wheel_at_rest_is_without_its_imbalance(box):
    models = []
    for imbalance in ((0.0, 0.0), (2e-4, 5e-5)):
        wheel = dev.ReactionWheel(at="box", axis=OBLIQUE, inertia=0.05, imbalance=imbalance)
        made = ist.Assembly("x", vehicle=box).add("wheel", wheel)
        models.append(ist.linearize(made, box.state(), inputs="wheel.torque", outputs="wheel.speed"))
    assert np.isfinite(models[1].A).all()
    assert np.array_equal(models[0].A, models[1].A)
    assert np.array_equal(models[0].B, models[1].B)
