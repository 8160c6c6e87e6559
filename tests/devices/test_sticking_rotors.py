"""Rotors of motors and wheels that stick: a torque that reverses slowly, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.errors import InputError

J, C, S, R = 0.02, 0.3, 0.4, 0.05  # inertia, Coulomb and static friction, fall of the torque a second


class Ramp(ist.Device):
    """A torque that falls."""

    start, fall = ist.Parameter("N*m", 0.5), ist.Parameter("N*m/s", R)
    torque = ist.Out("N*m")

    def outputs(d, t):
        d.torque = d.start - d.fall * t


def bench() -> ist.System:
    mb = ist.Multibody("bench")
    mb.add_body("arm", mass=1.0, inertia=[1e6] * 3, joint=ist.Revolute("z"))
    return mb.compile()


def driven(device: ist.Device, port: str, start: float, until: float, step: str) -> ist.Log:
    made = ist.Assembly("ramp", vehicle=bench()).add("ramp", Ramp(start=start)).add("it", device)
    return ist.simulate(made.wire({"ramp.torque": f"it.{port}"}), None, until=until, step=step)


@pytest.mark.parametrize("start", [0.5, 1.2])
def test_a_motor_stops_stands_and_turns_round(start):
    """It runs while U > c, stops at 2(U - c)/r, stands until the torque is -s, or turns at once where it is beyond."""
    motor = dev.StickSlipMotor(joint="arm", inertia=J, stiffness=1e-18, coulomb=C, static=S)
    log = driven(motor, "command", start, 45, "10 ms")
    stop = 2 * (start - C) / R
    stands = abs(start - R * stop) < S
    again = (start + S) / R if stands else stop
    names = [(event.name, round(event.t, 6)) for event in log.events]
    assert names == [("it.stops", round(stop, 6)), *([("it.slips", round(again, 6))] if stands else [])]
    t, speed = log.t, log["it.speed"]
    u = start - R * again
    exact = np.where(
        t < stop,
        ((start - C) * t - R * t**2 / 2) / J,
        np.where(t < again, 0.0, ((u + C) * (t - again) - R * (t - again) ** 2 / 2) / J),
    )
    # speeds of 100 rad/s; where it breaks loose is found to 1e-9 s
    assert np.abs(speed - exact).max() < 2e-7
    assert speed[(t > stop) & (t < again)] == pytest.approx(0.0, abs=0.0)


def test_a_motor_that_stands_does_not_creep_where_one_with_a_smooth_sign_does():
    given = {"joint": "arm", "inertia": J, "stiffness": 1e-18, "coulomb": C, "command": 0.5 * C}
    turned = {}
    for cls in (dev.Motor, dev.StickSlipMotor):
        made = ist.Assembly("x", vehicle=bench()).add("it", cls(**given))
        turned[cls] = ist.simulate(made, None, until=20, step="10 ms")["it.turned"][-1]
    assert turned[dev.StickSlipMotor] == 0.0
    assert turned[dev.Motor] == pytest.approx(20 * 0.1 * np.arctanh(0.5), rel=0.1)


def test_a_motor_that_begins_in_motion_or_overloaded():
    """At the start the load decides: beyond s it slips at once; a rotor that turns slips its way."""
    fast = dev.StickSlipMotor(joint="arm", inertia=J, stiffness=1e-18, coulomb=C, speed=-30.0, command=0.0)
    log = ist.simulate(ist.Assembly("x", vehicle=bench()).add("it", fast), None, until=4, step="10 ms")
    assert [event.t for event in log.events] == pytest.approx([30.0 * J / C], abs=1e-8)
    loaded = dev.StickSlipMotor(joint="arm", inertia=J, stiffness=1e-18, coulomb=C, command=-2 * C)
    log = ist.simulate(ist.Assembly("x", vehicle=bench()).add("it", loaded), None, until=1, step="10 ms")
    assert log["it.speed"][-1] == pytest.approx(-C / J, rel=1e-12)


def test_a_wheel_stands_between_its_ways():
    """The same ramp on a wheel with bristles: from 2(U - c)/r to (U + s)/r it stands, and follows their bend alone."""
    start, stiff = 0.5, 2e3
    given = {"inertia": J, "coulomb": C, "static": S, "stribeck": 0.02, "bristle_stiffness": stiff}
    wheel = dev.StictionReactionWheel(at="arm", bristle_damping=0.5 * np.sqrt(stiff * J), **given)
    log = driven(wheel, "torque", start, 25, "0.5 ms")
    stop, again = 2 * (start - C) / R, (start + S) / R
    t, speed = log.t, log["it.speed"]
    standing = (t > stop + 0.05) & (t < again - 0.3)
    early = (t > stop + 0.5) & (t < stop + 4.0)
    # it follows the torque by the bend of the bristles, faster near the end, where they slide
    assert speed[early] == pytest.approx(-R / stiff, abs=1e-5) and np.abs(speed[standing]).max() < 2e-3
    late = t > again + 2.0
    exact = ((start - R * again + C) * (t - again) - R * (t - again) ** 2 / 2) / J
    assert speed[late] == pytest.approx(exact[late], rel=1e-3)
    slid = (t > 0.5) & (t < stop - 0.5)
    # bending the bristles at first costs c/√(σJ)/2
    assert speed[slid] == pytest.approx((((start - C) * t - R * t**2 / 2) / J)[slid], abs=0.06)


def test_a_wheel_that_stands_does_not_creep():
    given = {"at": "arm", "inertia": J, "coulomb": C, "torque": 0.5 * C}
    made = ist.Assembly("x", vehicle=bench())
    made.add("sticking", dev.StictionReactionWheel(**given, bristle_stiffness=50.0, bristle_damping=1.0))
    made.add("smooth", dev.ReactionWheel(**given))
    log = ist.simulate(made, None, until=20, step="5 ms")
    assert abs(log["sticking.speed"][-1]) < 1e-12
    assert log["sticking.bend"][-1] == pytest.approx(0.5 * C / 50.0, rel=1e-9)
    assert log["smooth.speed"][-1] == pytest.approx(0.1 * np.arctanh(0.5), rel=1e-6)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: dev.StickSlipMotor(joint="arm", inertia=J, stiffness=1.0), "StickSlipMotor needs coulomb="),
        (
            lambda: dev.StickSlipMotor(joint="arm", inertia=J, stiffness=1.0, friction=0.3, static=0.1),
            "StickSlipMotor.static must not be below",
        ),
        (
            lambda: dev.StictionReactionWheel(at="arm", inertia=J, friction=0.3, bristle_stiffness=0.0),
            "StictionReactionWheel.bristle_stiffness must be above 0",
        ),
    ],
)
def test_what_cannot_be_is_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()
