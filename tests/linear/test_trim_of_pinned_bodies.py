"""A Free body that closures hold to the ground comes to rest in a trim, without its coordinates being named."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist

G, MASS, COM = 9.81, 2.0, (0.3, 0.0, -0.5)


def pinned(joint=None, on=None):
    mb = ist.Multibody("pinned", gravity=[0, 0, -G])
    if on is not None:
        mb.add_body("stand", mass=10.0, joint=on)
    mb.add_body("bob", mass=MASS, com=COM, inertia=[0.1] * 3, joint=ist.Free())
    end = ("ground", [0, 0, 0]) if on is None else ("stand", [0, 0, 0])
    mb.close("pin", ("bob", [0, 0, 0]), end, joint=joint or ist.Revolute("y"))
    return mb.compile()


@pytest.mark.parametrize("stand", [None, ist.Locked()])
def test_a_pendulum_on_a_pin_hangs_below_it(stand):
    """On the ground, or on what stands there: its center of mass hangs straight down, tan θ = 0.3/0.5."""
    system = pinned(on=stand)
    point = ist.trim(system, system.state())
    com = system.rotation(point, "bob") @ COM
    assert com == pytest.approx([0.0, 0.0, -np.hypot(0.3, 0.5)], abs=1e-9)
    assert "an equilibrium" in str(point.report)


def test_a_ball_is_pushed_aside_by_a_side_force():
    """F at the center of mass: tan θ = F/(m g) from the vertical."""
    system = pinned(ist.Ball())
    push = [ist.Wrench("bob", [0, 0, 0, 0.0, 5.0, 0.0], node=list(COM))]
    point = ist.trim(system, system.state(), forces=push)
    x, y, z = system.rotation(point, "bob") @ COM
    assert x == pytest.approx(0.0, abs=1e-9) and y / -z == pytest.approx(5.0 / (MASS * G), rel=1e-9)


def test_devices_push_a_body_on_its_pin():
    """A device says a torque about the pin: m g d sin θ = T; 1e-7, as trims end at 1e-9 of single forces."""

    class Motor(ist.Device):
        at = ist.Site()
        torque = at.torque("world")

        def outputs(d, t):
            d.torque[0] = d.torque[2] = 0.0
            d.torque[1] = 2.0

    system = pinned()
    flight = ist.Assembly("stand", vehicle=system).add("motor", Motor(at="bob"))
    point = ist.trim(flight, system.state())
    x, _, _ = system.rotation(point, "bob") @ COM
    assert -x * MASS * G == pytest.approx(2.0, rel=1e-7)


def test_a_sled_on_a_rail_still_accelerates():
    """Nothing balances a push along the rail: structure and springs are trimmed, as before, and the report says so."""
    mb = ist.Multibody("rail")
    mb.add_body("sled", mass=5.0, inertia=[1.0] * 3, joint=ist.Free())
    mb.close("rail", ("sled", [0, 0, 0]), ("ground", [0, 0, 0]), joint=ist.Prismatic("x"))
    mb.add_body("load", mass=1.0, parent="sled", at=[0, 0, 0], joint=ist.Prismatic("x", stiffness=100.0))
    system = mb.compile()
    point = ist.trim(system, system.state(), forces={"sled": [0, 0, 0, 12.0, 0, 0]})
    assert point["load"].q[0] == pytest.approx(-2.0 * 1.0 / 100.0, rel=1e-9)  # a = 12/6
    assert "still accelerating" in str(point.report) and point["sled"].position[0] == 0.0
