"""Reaction wheels against rotors as bodies, gyrostats in closed form, coast-down, imbalance lines."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import beam

import interstage as ist
from interstage import devices as dev

J, SPEED = 0.08, 60.0
AXES = np.array([[1.0, 0, 0], [0, 1, 0], [1, 2, 3] / np.sqrt(14.0)])


def flexible(rotor: bool):
    """A flexible beam with a hub, and a rotor at its tip: a body on a hinge, or its mass alone fixed there."""
    mb = ist.Multibody("beam and rotor")
    record = beam(n_elements=6, n_modes=6)
    tip = int(record.node_ids[-1])
    mb.add_body("beam", component=record, joint=ist.Free())
    inertia = [0.05, 0.05, J if rotor else 0.0]
    joint = ist.Revolute("z") if rotor else ist.Locked()
    mb.add_body("rotor", mass=3.0, inertia=inertia, parent="beam", at=tip, joint=joint)
    return mb.compile()


def torque(t):
    return 0.4 * np.sin(3.0 * t)


def test_a_wheel_on_a_flexible_body_is_a_rotor_on_a_hinge():
    """Two descriptions of one machine, at a deforming node: rates and speeds agree as the integrator's error does."""
    whole = flexible(rotor=True)
    x = whole.state()
    x["beam"].velocity[:3] = [0.2, -0.1, 0.3]
    x["rotor"].v[:] = SPEED
    body = ist.simulate(
        whole, x, until=1, step=2.5e-4, method="rk4", tau=lambda t: np.eye(whole.nv)[-1] * torque(t)
    )
    held = flexible(rotor=False)
    y = held.state()
    y["beam"].velocity[:3] = [0.2, -0.1, 0.3]
    made = ist.Assembly("wheel", vehicle=held).add("law", torque, out={"u": "N*m"})
    wheel = dev.ReactionWheel(at="rotor", inertia=J, momentum=J * (SPEED + 0.3))
    made.add("wheel", wheel).wire({"law.u": "wheel.torque"})
    log = ist.simulate(made, y, until=1, step="0.25 ms")
    for name in ("velocity", "eta"):
        a, b = getattr(body["beam"], name), getattr(log["beam"], name)
        assert b[-1] == pytest.approx(a[-1], abs=2e-9 + 1e-8 * np.abs(a).max()), name
    assert log["wheel.speed"][-1] == pytest.approx(body["rotor"].v[-1, 0], abs=1e-7)
    assert np.abs(log["beam"].eta).max() > 1e-4  # the node does deform


@pytest.fixture(scope="module")
def bus():
    mb = ist.Multibody("bus")
    mb.add_body("bus", mass=200.0, com=[0.1, -0.2, 0.3], inertia=[40, 55, 70], joint=ist.Free())
    return mb.compile()


def test_momentum_is_kept(bus):
    """Three wheels under torques and friction: the momentum in the world stays, whatever they do."""
    made = ist.Assembly("three", vehicle=bus)
    made.add("law", lambda t: [0.5 * np.sin(t), 0.3, -0.4 * np.cos(2 * t)], out={"u": "N*m[3]"})
    for k, axis in enumerate(AXES):
        wheel = dev.ReactionWheel(
            at=("bus", [0.3, k, 0]), axis=axis, inertia=0.1, friction=(1e-3, 1e-4), speed=50.0
        )
        made.add(f"w{k}", wheel)
    made.wire({"law.u": "w*.torque"})
    x = bus.state()
    x["bus"].velocity[:] = [0.3, -0.2, 0.1, 1.0, 0.0, -0.5]
    log = ist.simulate(made, x, until=20, step="10 ms")
    total = []
    for k in (0, 700, -1):
        s = log.state(k)
        spin = sum(log[f"w{i}.momentum"][k] * a for i, a in enumerate(AXES))
        h, p = np.split(bus.momentum(s), 2)
        total.append(np.concatenate([h + bus.rotation(s, "bus") @ spin, p]))
    assert abs(log["w0.momentum"][-1] - log["w0.momentum"][0]) > 0.1
    assert total[1] == pytest.approx(total[0], abs=1e-7) and total[2] == pytest.approx(total[0], abs=1e-7)


def test_torque_free_precession_of_a_gyrostat():
    """A body of revolution about z with a wheel along z: ω turns at λ = ((I₃ - I₁) ω₃ + h) / I₁ (Hughes 6.2)."""
    mb = ist.Multibody("top")
    mb.add_body("top", mass=1.0, inertia=[3.0, 3.0, 2.0], joint=ist.Free())
    top = mb.compile()
    made = ist.Assembly("x", vehicle=top).add(
        "w", dev.ReactionWheel(at="top", inertia=0.02, momentum="1.5 N*m*s")
    )
    x = top.state()
    x["top"].velocity[:3] = [0.1, 0.0, 0.4]
    log = ist.simulate(made, x, until=30, step="10 ms")
    rate = ((2.0 - 3.0) * 0.4 + 1.5) / 3.0
    exact = 0.1 * np.stack([np.cos(rate * log.t), np.sin(rate * log.t)], axis=1)
    # Euler: I₁ω̇₁ = -(I₃ω₃ + h - I₁ω₃) ω₂
    assert log["top"].velocity[:, :2] == pytest.approx(exact, abs=1e-8)
    assert log["w.speed"] == pytest.approx(1.5 / 0.02 - 0.4, abs=1e-6)


def test_a_wheel_coasts_down_as_friction_says(bus):
    """J Ω̇ = -c - b Ω on a body that is heavy beside it: Ω = (Ω₀ + c/b) e^(-bt/J) - c/b."""
    mb = ist.Multibody("ground")
    mb.add_body("ground", mass=1.0, inertia=np.eye(3), joint=ist.Locked())
    c, b = 2e-3, 1e-3
    made = ist.Assembly("x", vehicle=mb.compile()).add(
        "w", dev.ReactionWheel(at="ground", inertia=0.01, friction=(c, b), speed="100 rad/s")
    )
    log = ist.simulate(made, None, until=60, step="10 ms")
    exact = (100.0 + c / b) * np.exp(-b * log.t / 0.01) - c / b
    sliding = exact > 2.0  # at 20 widths of the smooth sign it is one to 1e-17
    assert log["w.speed"][sliding] == pytest.approx(exact[sliding], abs=1e-9)
    assert 0 < log["w.speed"][-1] < 1e-3  # it comes to rest and does not turn back


def test_limits_of_torque_and_speed(bus):
    made = ist.Assembly("x", vehicle=bus).add(
        "w", dev.ReactionWheel(at="bus", inertia=0.1, max_torque=0.2, max_speed=10.0, torque=5.0)
    )
    log = ist.simulate(made, None, until=20, step="10 ms")
    early = log.t < 4.0
    assert log["w.momentum"][early] == pytest.approx(0.2 * log.t[early], abs=1e-12)
    assert 9.9 < log["w.speed"][-1] <= 10.0 and np.diff(log["w.speed"]).min() > -1e-12


def test_imbalance_shakes_at_the_speed_of_the_wheel():
    """A free body of 50 kg: a line at Ω alone, of U_s Ω²/m across the axis, and of U_d Ω²/(I - J) about it.

    I ẇ = i h w + U_d Ω² e^(iΩt) of w = ω₁ + i ω₂, with h = J Ω, has the second.
    """
    mb = ist.Multibody("box")
    mb.add_body("box", mass=50.0, inertia=[20.0, 20.0, 30.0], joint=ist.Free())
    box = mb.compile()
    speed = 2 * np.pi * 20.0
    wheel = dev.ReactionWheel(at="box", inertia=0.02, imbalance=("3e-5 kg*m", "2e-6 kg*m^2"), speed=speed)
    made = ist.Assembly("x", vehicle=box).add("w", wheel)
    made.add("a", Felt(at="box"))
    log = ist.simulate(made, None, until=2, step="1 ms", log_step="1 ms")
    lines = 2.0 * np.abs(np.fft.rfft(log["a.all"][:-1], axis=0)) / 2000
    f = np.fft.rfftfreq(2000, 1e-3)
    expected = np.array([3e-5 / 50.0, 3e-5 / 50.0, 0.0, 2e-6 / 19.98, 2e-6 / 19.98, 0.0]) * speed**2
    at = int(np.argmin(abs(f - 20.0)))
    assert lines[at] == pytest.approx(expected, rel=1e-5, abs=1e-9)  # small turns of the box
    others = np.delete(lines, at, axis=0)[1:]
    assert others.max() < 2e-3 * expected[0]


class Felt(ist.Device):
    at = ist.Site()
    a, alpha = at.acceleration("body"), at.angular_acceleration("body")
    all = ist.Out("", 6)

    def outputs(d, t):
        for k in range(3):
            d.all[k] = d.a[k]
            d.all[3 + k] = d.alpha[k]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "ReactionWheel needs inertia="),
        ({"inertia": -0.1}, "ReactionWheel.inertia must be above 0.0"),
        ({"inertia": 0.1, "axis": [0, 0, 0]}, "ReactionWheel.axis is no direction"),
        ({"inertia": 0.1, "axis": [0, 0, 1], "side": [0, 0, 2]}, "ReactionWheel.side across its axis is no dir"),
        ({"inertia": 0.1, "friction": (1, 2, 3)}, r"friction does not fit; expected \(coulomb, viscous\)"),
        ({"inertia": 0.1, "friction": (-1e-3, 0)}, "ReactionWheel.coulomb must be at least 0.0"),
        ({"inertia": 0.1, "max_torque": "2 N"}, "the units do not fit"),
        ({"inertia": 0.1, "every": "1 ms", "spede": 3}, "ReactionWheel has no 'spede'; did you mean speed"),
    ],
)  # fmt: skip
def test_wheels_that_cannot_be_are_refused(arguments, said):
    with pytest.raises(ist.InterstageError, match=said):
        dev.ReactionWheel(at="bus", **arguments)


def spun(**values):
    mb = ist.Multibody("bus")
    mb.add_body("bus", mass=10.0, inertia=[4.0, 5.0, 6.0], joint=ist.Free())
    made = ist.Assembly("a", vehicle=mb.compile())
    return made.add("w", dev.ReactionWheel(at="bus", axis=[0, 0, 1], inertia=J, **values))


def test_a_wheel_of_another_inertia_keeps_its_speed():
    """As if it had been made with that inertia; a wheel that is given by its momentum keeps that."""
    how = {"until": 0.1, "step": 0.1}
    asked = {"w.inertia": np.array([2.0 * J])}
    for values, speed in (({"speed": SPEED}, SPEED), ({"momentum": J * SPEED}, 0.5 * SPEED)):
        log = ist.simulate(spun(**values), None, set={"w.inertia": 2.0 * J}, **how)
        assert log["w.speed"][0] == pytest.approx(speed, rel=1e-14)
        made = spun(**values)
        study = ist.monte_carlo(
            made, asked, 1, outputs=["w.speed"], flight={"x": made.vehicle.state(), **how}, workers=0
        )
        assert study["w.speed"][0, 0] == log["w.speed"][0]


def test_a_wheel_of_another_inertia_keeps_its_speed_at_a_point():
    """h = J (Ω + a·ω): with the same speed and the same rate of the bus the momentum is in proportion."""
    made = spun(speed=SPEED, torque=0.5)
    x = made.vehicle.state()
    x["bus"].velocity[:3] = [0.1, 0.2, 0.3]
    log = ist.simulate(made, x, until=1, step="10 ms")
    point = log.state(-1)
    again = ist.simulate(made, point, set={"w.inertia": 3.0 * J}, until=0.1, step="10 ms")
    assert again["w.speed"][0] == pytest.approx(log["w.speed"][-1], rel=1e-13)
    assert again["w.momentum"][0] == pytest.approx(3.0 * log["w.momentum"][-1], rel=1e-13)
    kept = ist.simulate(made, point, set={"w.inertia": 3.0 * J, "w.momentum": 1.0}, until=0.1, step="10 ms")
    assert kept["w.momentum"][0] == 1.0


def test_parameters_set_for_a_run_are_those_of_a_device_made_with_them():
    """Directions are brought to length one, friction that follows from others follows."""
    log = ist.simulate(spun(speed=SPEED), None, set={"w.axis": [0.0, 0.0, 5.0]}, until=0.1, step=0.1)
    made = spun(speed=SPEED)
    exact = ist.simulate(made, None, until=0.1, step=0.1)
    assert np.array_equal(log["w.on_torque"], exact["w.on_torque"])
    with pytest.raises(ist.InterstageError, match="inertia"):
        ist.simulate(spun(), None, set={"w.inertia": -1.0}, until=0.1, step=0.1)


def test_models_and_trims_keep_the_speed_too():
    """A bus that turns about no axis with a wheel along z: ω̇x = -h/Ix ωy, ω̇y = h/Iy ωx with h = J Ω of the other J."""
    given = {"w.inertia": 2.0 * J}
    made = spun(speed=SPEED)
    h = 2.0 * J * SPEED
    point = ist.trim(made, made.vehicle.state(), set=given)
    assert float(point.values["w.momentum"]) == pytest.approx(h, rel=1e-14)
    flown = ist.simulate(made, None, until=0.1, step=0.05).point(1)
    for x in (made.vehicle.state(), flown):
        lin = ist.linearize(made, x, set=given)
        a, b = (lin.states.index(name) for name in ("bus.wx", "bus.wy"))
        assert lin.A[a, b] == pytest.approx(-h / 4.0, rel=1e-12)
        assert lin.A[b, a] == pytest.approx(h / 5.0, rel=1e-12)


def test_dispersed_inertia_at_a_point_keeps_the_speed_there():
    """As `set=` of a run from the same point: the wheel has been sped up since the start."""
    made = spun(speed=SPEED, torque=0.5)
    point = ist.simulate(made, None, until=1, step="10 ms").point(50)
    how = {"until": 0.7, "step": "10 ms"}
    log = ist.simulate(made, point, set={"w.inertia": 2.0 * J}, **how)
    study = ist.monte_carlo(
        made, {"w.inertia": [2.0 * J]}, 1, outputs=["w.speed"], flight={"x": point, **how}, workers=0
    )
    assert log["w.speed"][0] > 1.0001 * SPEED
    np.testing.assert_array_equal(study["w.speed"][0], log["w.speed"])


def test_dispersed_inputs_and_states_hold_at_points():
    """A point has inputs and states of its own: dispersed ones take their place, h = h0 + τ t of each run."""
    made = spun(speed=SPEED, torque=0.5)
    log = ist.simulate(made, None, until=1, step="10 ms")
    how = {"until": 0.7, "step": "10 ms"}
    for point in (log.point(50), ist.trim(made, made.vehicle.state(), set={"w.torque": 0.0})):
        flight = {"x": point, "start": 0.5, **how}
        study = ist.monte_carlo(
            made,
            {"w.torque": [0.0, 2.0], "w.momentum": [1.0, 3.0]},
            2,
            outputs=["w.momentum"],
            flight=flight,
            workers=0,
        )
        np.testing.assert_allclose(study["w.momentum"][:, -1], [1.0, 3.0 + 0.4])
        with pytest.raises(ist.InterstageError, match=r"'w.torque' is dispersed, and given by set= too"):
            ist.monte_carlo(
                made, {"w.torque": [0.0]}, 1, outputs=["w.momentum"],
                flight={**flight, "set": {"w.torque": 1.0}}, workers=0,
            )  # fmt: skip
