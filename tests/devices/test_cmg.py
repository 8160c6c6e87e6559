"""Control moment gyros: the torque law, momentum that is kept, a turn in closed form."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev


@pytest.fixture(scope="module")
def bus():
    mb = ist.Multibody("bus")
    mb.add_body("bus", mass=100.0, com=[0.1, 0, 0], inertia=[30, 40, 50], joint=ist.Free())
    return mb.compile()


def test_a_gimbal_rate_is_a_torque_across_spin_and_gimbal(bus):
    """τ = -h δ̇ g × s on a vehicle at rest (Wie, Eq. 7.79)."""
    cmg = dev.CMG(
        at="bus", gimbal=[0, 0, 1], spin=[1, 0, 0], momentum=12.0, rate=0.3, command=0.3, angle="30 deg"
    )
    log = ist.simulate(ist.Assembly("x", vehicle=bus).add("c", cmg), None, until=0.1, step="0.1 s")
    s = np.array([np.cos(np.pi / 6), np.sin(np.pi / 6), 0])
    assert log["c.on_torque"][0] == pytest.approx(-12.0 * 0.3 * np.cross([0, 0, 1], s), abs=1e-12)


def test_a_turn_about_one_axis_is_what_the_momentum_gives():
    """On a hinge about y: I ω + h s_y = 0 with s_y = sin δ, δ̇ by a first-order lag."""
    mb = ist.Multibody("hinge")
    mb.add_body("body", mass=1.0, inertia=[5, 5, 5], joint=ist.Revolute("y"))
    body = mb.compile()
    cmg = dev.CMG(
        at="body", gimbal=[0, 0, 1], spin=[1, 0, 0], momentum=2.0, command=0.5, lag="0.2 s", max_rate=0.4
    )
    log = ist.simulate(ist.Assembly("x", vehicle=body).add("c", cmg), None, until=5, step="5 ms")
    angle = 0.4 * (log.t - 0.2 * (1.0 - np.exp(-log.t / 0.2)))
    assert log["c.angle"] == pytest.approx(angle, abs=1e-8)
    assert log["body"].v[:, 0] == pytest.approx(-2.0 / 5.0 * np.sin(angle), abs=1e-8)


def test_momentum_is_kept(bus):
    """Four gyros in a pyramid, moving gimbals with inertia: the momentum in the world stays."""
    made = ist.Assembly("pyramid", vehicle=bus)
    made.add("law", lambda t: 0.3 * np.sin(t + np.arange(4)), out={"u": "rad/s[4]"})
    gimbals = [[np.cos(a), np.sin(a), 0.7] for a in 0.5 * np.pi * np.arange(4)]
    for k, g in enumerate(gimbals):
        made.add(f"c{k}", dev.CMG(at=("bus", [k, 0, 0]), gimbal=g, momentum=8.0, inertia=0.4))
    made.wire({"law.u": "c*.command"})
    x = bus.state()
    x["bus"].velocity[:3] = [0.02, -0.03, 0.01]
    log = ist.simulate(made, x, until=20, step="10 ms")
    total = []
    for k in (0, 900, -1):
        state = log.state(k)
        own = sum(
            8.0 * log[f"c{i}.along"][k] + 0.4 * log[f"c{i}.rate"][k] * np.array(g) / np.linalg.norm(g)
            for i, g in enumerate(gimbals)
        )
        total.append(bus.momentum(state)[:3] + bus.rotation(state, "bus") @ own)
    assert np.abs(np.diff(log["bus"].velocity[:, :3], axis=0)).max() > 1e-4
    assert total[1] == pytest.approx(total[0], abs=1e-7) and total[2] == pytest.approx(total[0], abs=1e-7)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"momentum": 0}, "CMG.momentum must be above 0.0"),
        ({"momentum": 1, "lag": 0}, "CMG.lag must be above 0.0"),
        ({"momentum": 1, "inertia": -1}, "CMG.inertia must be at least 0.0"),
        (
            {"momentum": 1, "gimbal": [0, 0, 1], "spin": [0, 0, 1]},
            "CMG.spin across its gimbal is no direction",
        ),
    ],
)
def test_gyros_that_cannot_be_are_refused(arguments, said):
    with pytest.raises(ist.InterstageError, match=said):
        dev.CMG(at="bus", **arguments)
