"""Geared motors: torque at a stalled joint, the frequency of rotor against arm, friction, limits."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev

J, N, K, ARM = 2e-3, 30.0, 4e3, 0.7


@pytest.fixture(scope="module")
def arm():
    mb = ist.Multibody("arm")
    mb.add_body("arm", mass=1.0, inertia=[ARM, ARM, ARM], joint=ist.Revolute("z"))
    return mb.compile()


def motor(**more):
    return dev.Motor(joint="arm", inertia=J, ratio=N, stiffness=K, **more)


def test_rotor_and_arm_swing_against_each_other(arm):
    """ω² = k (1/I + 1/(N² J)), and nothing else but the turn of both."""
    made = ist.Assembly("x", vehicle=arm).add("m", motor())
    poles = ist.linearize(made, arm.state(), inputs="m.command", set={"m.command": 0.0}).poles()
    swing = np.sqrt(K * (1.0 / ARM + 1.0 / (N**2 * J)))
    assert max(abs(p.imag) for p in poles) == pytest.approx(swing, rel=1e-9)


def test_a_constant_torque_turns_both_as_one(arm):
    made = ist.Assembly("x", vehicle=arm).add("m", motor(damping=30.0, command=0.2))
    log = ist.simulate(made, None, until=4, step="1 ms")
    a = N * 0.2 / (ARM + N**2 * J)
    late = log.t > 3.0
    assert np.diff(log["arm"].v[late, 0]) / 1e-3 == pytest.approx(a, rel=1e-6)
    assert log["m.torque"][-1] == pytest.approx(ARM * a, rel=1e-6)


def test_a_motor_runs_up_to_where_its_torque_and_friction_meet(arm):
    """u = τ_max (1 - Ω/Ω₀) against viscous drag: Ω = τ_max / (τ_max/Ω₀ + b)."""
    limits = {"max_torque": 0.5, "no_load_speed": 200.0, "friction": (0.0, 1e-3), "command": 5.0}
    made = ist.Assembly("x", vehicle=arm).add("m", motor(damping=30.0, **limits))
    log = ist.simulate(made, None, until=20, step="1 ms", log_step="0.1 s")
    assert log["m.speed"][-1] == pytest.approx(0.5 / (0.5 / 200.0 + 1e-3), rel=1e-5)


def test_energy_leaves_by_friction_alone(arm):
    made = ist.Assembly("x", vehicle=arm).add("m", motor(command=0.0, speed=90.0, turned=0.3))
    log = ist.simulate(made, arm.state(v=[1.0]), until=2, step="0.2 ms")
    turn, q = log["m.turned"] / N, log["arm"].q[:, 0]
    energy = 0.5 * J * log["m.speed"] ** 2 + 0.5 * ARM * log["arm"].v[:, 0] ** 2 + 0.5 * K * (turn - q) ** 2
    assert energy == pytest.approx(energy[0], rel=1e-7)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"inertia": 0, "stiffness": 1}, "Motor.inertia must be above 0.0"),
        ({"inertia": 1, "stiffness": 0}, "Motor.stiffness must be above 0.0"),
        ({"inertia": 1, "stiffness": 1, "ratio": -2}, "Motor.ratio must be above 0.0"),
        ({"inertia": 1, "stiffness": 1, "friction": ()}, r"Motor.friction does not fit; expected \(coulomb"),
    ],
)
def test_motors_that_cannot_be_are_refused(arguments, said):
    with pytest.raises(ist.InterstageError, match=said):
        dev.Motor(joint="arm", **arguments)
