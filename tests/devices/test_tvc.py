"""Gimbals driven as commanded: steps in closed form, limits, and the load that does not move them."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev


@pytest.fixture(scope="module")
def rocket():
    mb = ist.Multibody("rocket")
    mb.add_body("core", mass=2000.0, com=[5, 0, 0], inertia=[900, 2e4, 2e4], joint=ist.Free())
    part = {"mass": 150.0, "com": [-0.6, 0, 0], "inertia": [20, 60, 60]}
    mb.add_body("engine", **part, parent="core", joint=ist.Universal("yz"))
    return mb.compile()


def flown(rocket, until=1.5, **arguments):
    made = ist.Assembly("x", vehicle=rocket).add("tvc", dev.TVC(joint="engine", **arguments))
    made.add("push", dev.Engine(body="engine", thrust="50 kN", level=1.0))
    return ist.simulate(made, None, until=until, step="1 ms")


def test_a_step_is_that_of_a_second_order_whatever_the_load(rocket):
    """Under full thrust, on a vehicle that turns away: the drive holds the gimbal to its closed form."""
    log = flown(rocket, command=[0.05, -0.02], bandwidth="6 Hz", damping=0.6)
    w, z = 2 * np.pi * 6.0, 0.6
    damped = w * np.sqrt(1 - z * z)
    t = log.t
    step = 1.0 - np.exp(-z * w * t) * (np.cos(damped * t) + z * w / damped * np.sin(damped * t))
    assert log["tvc.angle"] == pytest.approx(np.outer(step, [0.05, -0.02]), abs=1e-8)
    assert np.abs(log["core"].velocity[-1, :3]).max() > 0.01  # the vehicle does turn
    assert rocket.joint_mode("engine") == "free"  # the vehicle itself is as it was


def test_radians_a_second_are_a_bandwidth_too():
    assert dev.TVC(joint="x", bandwidth="12.5663706144 rad/s").bandwidth == pytest.approx(2.0)


def test_rate_and_command_are_limited(rocket):
    log = flown(rocket, command=[0.3, 0.0], limit="6 deg", rate_limit="20 deg/s", damping=1.0)
    rate = log["engine"].v[:, 0]
    top = np.radians(20.0)
    # the rate comes up to its limit as 1 - e^(-2ζωt), and stays there
    early = log.t < 0.2
    assert rate[early] == pytest.approx(top * (1 - np.exp(-4 * np.pi * 6.0 * log.t[early])), abs=1e-6)
    assert rate.max() <= top * (1 + 1e-12)
    assert log["tvc.angle"][-1, 0] == pytest.approx(np.radians(6.0), abs=1e-6)


def test_a_driven_gimbal_is_trimmed_and_has_its_poles(rocket):
    made = ist.Assembly("x", vehicle=rocket)
    made.add("tvc", dev.TVC(joint="engine", bandwidth="6 Hz", damping=0.6))
    lin = ist.linearize(
        made, rocket.state(), inputs="tvc.command", outputs="tvc.angle", set={"tvc.command": [0, 0]}
    )
    w = 2 * np.pi * 6.0
    f = np.array([0.5, 6.0, 20.0])
    s = 2j * np.pi * f
    found = lin.frequency_response(f)
    assert found[:, 0, 0] == pytest.approx(w**2 / (s**2 + 2 * 0.6 * w * s + w**2), rel=1e-9)
    assert np.abs(found[:, 0, 1]).max() < 1e-12


def test_one_axis(rocket):
    mb = ist.Multibody("one")
    mb.add_body("nozzle", mass=10.0, inertia=[1, 1, 1], joint=ist.Revolute("y"))
    one = mb.compile()
    made = ist.Assembly("x", vehicle=one).add("tvc", dev.TVC(joint="nozzle", axes=1, command=[0.1]))
    log = ist.simulate(made, None, until=2, step="1 ms")
    assert log["tvc.angle"][-1] == pytest.approx([0.1], abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"bandwidth": 0}, "TVC.bandwidth must be above 0.0"),
        ({"bandwidth": "6 s"}, "the units do not fit"),
        ({"damping": -0.1}, "TVC.damping must be above 0.0"),
        ({"limit": "-1 deg"}, "TVC.limit must be at least 0.0"),
        ({"rate_limit": "5 deg"}, "the units do not fit"),
        ({"command": [1, 2, 3]}, r"the size does not fit \(TVC.command\)"),
    ],
)
def test_drives_that_cannot_be_are_refused(arguments, said):
    with pytest.raises(ist.InterstageError, match=said):
        dev.TVC(joint="engine", **arguments)
