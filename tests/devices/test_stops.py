"""Stops, play and gears, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import interstage as ist
from interstage import devices as dev
from interstage.devices.contact import dissipation_for
from interstage.errors import InputError

J_A, J_B = 0.5, 2.0


def restitution(d):
    """Return e with d (1 + e) = ln((1 + d)/(1 - d e)), d = a v."""
    return brentq(lambda e: d * (1 + e) - np.log((1 + d) / (1 - d * e)), 1e-9, min(1.0, 1 / d) - 1e-12)


@pytest.fixture(scope="module")
def hinge():
    mb = ist.Multibody("hinge")
    mb.add_body("arm", mass=1.0, inertia=[1, 1, J_A], joint=ist.Revolute("z"))
    mb.add_body("slide", mass=J_A, inertia=[1, 1, 1], joint=ist.Prismatic("x"))
    return mb.compile()


@pytest.fixture(scope="module")
def held():
    """Two wheels on hinges of the ground."""
    mb = ist.Multibody("held")
    for name, inertia in (("a", J_A), ("b", J_B)):
        mb.add_body(name, mass=1.0, inertia=[1, 1, inertia], joint=ist.Revolute("z"))
    return mb.compile()


@pytest.fixture(scope="module")
def wheels():
    """Two wheels on parallel hinges of one free housing."""
    mb = ist.Multibody("gear box")
    mb.add_body("housing", mass=5.0, inertia=[3, 3, 4.0], joint=ist.Free())
    for name, inertia, x in (("a", J_A, 0.0), ("b", J_B, 0.3)):
        mb.add_body(
            name, mass=1.0, inertia=[1, 1, inertia], parent="housing", at=[x, 0, 0], joint=ist.Revolute("z")
        )
    return mb.compile()


@pytest.mark.parametrize("speed", [0.5, 2.0])
@pytest.mark.parametrize("body", ["arm", "slide"])
def test_a_stop_gives_back_what_its_dissipation_leaves(hinge, body, speed):
    """Both limits; e by the equation of Hunt and Crossley's law; given at 2 rad/s, 0.6 is met there."""
    Stop = dev.JointStop if body == "arm" else dev.PrismaticStop
    given = {"stiffness": 200.0, "restitution": (0.6, 2.0), "low": -0.2, "high": 0.1}
    made = ist.Assembly("stop", vehicle=hinge).add("stop", Stop(joint=body, **given))
    x = hinge.state()
    x[body].v[:] = speed
    log = ist.simulate(made, x, until=0.8, step="1/4000 s")
    v, a = log[body].v[:, 0], dissipation_for(0.6, 2.0)
    e = restitution(a * speed)
    # steps do not begin where contact does: h² k/J of the speed
    if speed == 0.5:
        assert v[-1] == pytest.approx(-e * speed, rel=1e-5)
    else:
        assert e == pytest.approx(0.6, abs=1e-12)
        assert v[log.t == 0.35] == pytest.approx(-1.2, rel=1e-5)
        assert v[-1] == pytest.approx(1.2 * restitution(a * 1.2), rel=1e-5)


def test_what_lies_on_a_stop_rests_there(hinge):
    made = ist.Assembly("stop", vehicle=hinge)
    made.add("stop", dev.JointStop(joint="arm", stiffness=200.0, dissipation=2.0, low=-1, high=0.1))

    class Push(ist.Device):
        joint = ist.JointRef()
        torque = joint.force()

        def outputs(d, t):
            d.torque = 4.0

    made.add("push", Push(joint="arm"))
    log = ist.simulate(made, hinge.state(), until=30, step="1 ms")
    assert log["arm"].q[-1, 0] == pytest.approx(0.1 + 4.0 / 200.0, abs=1e-9)


def test_play_makes_swings_longer(hinge):
    """Half a period of a spring on each side and the way between: 2π √(J/k) + 2 gap/v."""
    k, gap, v = 80.0, 0.3, 0.7
    made = ist.Assembly("play", vehicle=hinge).add("it", dev.Backlash(joint="arm", gap=gap, stiffness=k))
    x = hinge.state()
    x["arm"].v[:] = v
    log = ist.simulate(made, x, until=8, step="1/4000 s")
    q = log["arm"].q[:, 0]
    up = np.flatnonzero((q[:-1] < 0) & (q[1:] >= 0))
    times = log.t[up] - q[up] / v
    assert np.diff(times) == pytest.approx(2 * np.pi * np.sqrt(J_A / k) + 2 * gap / v, abs=1e-5)


@pytest.mark.parametrize("ratio", [3.0, -0.5])
def test_a_gear_turns_both_and_keeps_momentum(held, wheels, ratio):
    """Wheel b coasts, a is still: their mean follows the ratio, the teeth ring at √(k (1/J_a + n²/J_b)).

    On a free housing momentum is kept.
    """
    k, w_b = 500.0, 0.8
    made = ist.Assembly("gear", vehicle=held).add("gear", dev.Gear(a="a", b="b", ratio=ratio, stiffness=k))
    x = held.state()
    x["b"].v[:] = w_b
    log = ist.simulate(made, x, until=2, step="1/8000 s")
    w = np.sqrt(k * (1 / J_A + ratio**2 / J_B))
    twist = -ratio * w_b * np.sin(w * log.t) / w
    assert log["gear.twist"] == pytest.approx(twist, abs=1e-9)
    # n J_a ω_a + J_b ω_b is kept
    common = J_B * w_b / (J_B + ratio**2 * J_A)
    mean = common * log.t + (w_b - common) * np.sin(w * log.t) / w
    assert log["b"].q[:, 0] == pytest.approx(mean, abs=1e-9)

    free = ist.Assembly("gear", vehicle=wheels)
    free.add("gear", dev.Gear(a="a", b="b", ratio=ratio, stiffness=k, damping=0.5))
    x = wheels.state()
    x["b"].v[:] = w_b
    log = ist.simulate(free, x, until=2, step="1/2000 s")
    moved = wheels.momentum(log.state(-1)) - wheels.momentum(log.state(0))
    assert np.abs(moved).max() < 1e-10


def test_teeth_with_play_collide(held):
    """a runs freely through half the play, then hands on what two inertias hand on that collide without loss."""
    n, gap, speed, k = 3.0, 0.4, 1.5, 4000.0
    made = ist.Assembly("gear", vehicle=held)
    made.add("gear", dev.Gear(a="a", b="b", ratio=n, stiffness=k, gap=gap))
    x = held.state()
    x["a"].v[:] = speed
    log = ist.simulate(made, x, until=0.25, step="1/20000 s")
    touched = log.t[np.abs(log["gear.mesh"]) > 0]
    w = np.sqrt(k * (1 / J_A + n**2 / J_B))
    assert touched[0] == pytest.approx(0.5 * gap / speed, abs=1e-4)
    assert touched[-1] == pytest.approx(0.5 * gap / speed + np.pi / w, abs=2e-4)
    # seen from a, b is an inertia J_b/n²
    other = J_B / n**2
    assert log["a"].v[-1, 0] == pytest.approx((J_A - other) / (J_A + other) * speed, rel=1e-5)
    assert log["b"].v[-1, 0] == pytest.approx(2 * J_A / (J_A + other) * speed / n, rel=1e-5)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: dev.JointStop(joint="arm", stiffness=1, low=1, high=0),
            "JointStop.low must be below JointStop.high",
        ),
        (lambda: dev.JointStop(joint="arm", stiffness=1, restitution=0.5), r"is a pair \(e, speed\)"),
        (lambda: dev.JointStop(joint="arm", stiffness=1, restitution=(1.5, 1)), "a restitution is above 0"),
        (lambda: dev.Backlash(joint="arm", stiffness=1, gap=-1), "Backlash.gap must be at least 0"),
        (lambda: dev.Gear(a="a", b="b", stiffness=0.0), "Gear.stiffness must be above 0"),
    ],
)
def test_what_cannot_be_is_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()
