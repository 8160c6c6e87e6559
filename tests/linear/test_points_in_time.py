"""Linear models of assemblies at points of time, and of laws that drop complex numbers: closed forms and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import Servomotor
from scipy.integrate import solve_ivp

import interstage as ist

M = np.array([[2.5, 0.5], [0.5, 0.5]])  # of the two bodies below


class Amplifier(ist.Device):
    """y = (1 + 2 t) x."""

    x, y = ist.In("rad"), ist.Out("N*m")

    def outputs(d, t):
        d.y = (1.0 + 2.0 * t) * d.x


class Scheduled(ist.Device):
    """y = -(1 + t) x, sampled."""

    x, y = ist.In("rad"), ist.Out("N*m")

    def sample(d, t):
        d.y = -(1.0 + t) * d.x


def two_bodies(stiffness):
    mb = ist.Multibody("two bodies")
    mb.add_body("a", mass=1.0, inertia=2.0 * np.eye(3), joint=ist.Revolute("y"))
    spring = ist.Revolute("y", stiffness=stiffness)
    mb.add_body("b", mass=1.0, inertia=0.5 * np.eye(3), parent="a", joint=spring)
    return mb.compile()


@pytest.fixture(scope="module")
def vehicle():
    return two_bodies(10.0)


def at_three_seconds(made, vehicle):
    """Return the point of a flight at its end."""
    return ist.simulate(made, vehicle.state(q=[0.3, 0.0]), until=3.0, step=0.01).operating_point()


def test_what_is_sampled_says_at_a_point_what_it_says_at_its_time(vehicle):
    made = ist.Assembly("gain", vehicle=vehicle).add("motor", Servomotor(joint="a"))
    made.add("law", Scheduled(), every=0.01).wire({"motor.seen": "law.x", "law.y": "motor.command"})
    point = at_three_seconds(made, vehicle)
    for sampled in (False, True):
        found = ist.linearize(made, point, outputs=["law.y"], sampled=sampled)
        assert found.C[0] == pytest.approx([-4.0, 0.0, 0.0, 0.0], abs=1e-12)


def test_a_frame_at_a_point_is_flown_at_its_time(vehicle):
    """Of M q̈ = [(1 + 2 t) q₁, -10 q₂] over the frame from 3 s on: scipy's transition matrix."""
    made = (
        ist.Assembly("gain", vehicle=vehicle)
        .add("motor", Servomotor(joint="a"))
        .add("amplifier", Amplifier())
    )
    made.add("law", Scheduled(), every=0.1)
    made.wire({"motor.seen": ["amplifier.x", "law.x"], "amplifier.y": "motor.command"})

    def rates(t, y):
        return np.concatenate([y[2:], np.linalg.solve(M, [(1.0 + 2.0 * t) * y[0], -10.0 * y[1]])])

    exact = [solve_ivp(rates, (3.0, 3.1), e, rtol=1e-11, atol=1e-12).y[:, -1] for e in np.eye(4)]
    found = ist.linearize(made, at_three_seconds(made, vehicle), sampled=True)
    assert found.states == ["a.angle", "b.angle", "a.angle_rate", "b.angle_rate"]
    # RK4 of 10 ms: h⁴ω⁵/120 t with ω = 5 rad/s
    assert pytest.approx(np.array(exact).T, abs=1e-6) == found.A


@pytest.mark.parametrize("stiffness", [10.0, 1e7])
def test_a_law_that_drops_complex_numbers_is_noticed_beside_stiff_modes(stiffness):
    """u = -3 |(x, v/2)| at (0.3, 0.4): its slopes are -3 x/n and -3 v/(4 n), whatever else the vehicle has."""
    system = two_bodies(stiffness)
    made = ist.Assembly("norm", vehicle=system).add("motor", Servomotor(joint="a"))
    made.add("law", lambda t, x, v: -3.0 * np.linalg.norm([x, 0.5 * v]), out={"u": "N*m"})
    made.wire({"motor.seen": "law.x", "motor.speed": "law.v", "law.u": "motor.command"})
    x, n = system.state(q=[0.3, 0.0], v=[0.4, 0.0]), np.hypot(0.3, 0.2)
    gains = np.array([-3.0 * 0.3 / n, 0.0, -0.75 * 0.4 / n, 0.0])
    found = ist.linearize(made, x, outputs=["law.u"])
    assert found.C[0] == pytest.approx(gains, abs=1e-8)
    plain = ist.linearize(made, x, inputs=["motor.command"])
    # differences of accelerations of 1e7/s² a radian over 1e-6 rad: rounding of 1e-9 of them
    exact = plain.A + plain.B @ gains[None]
    assert pytest.approx(exact, abs=1e-8 + 1e-13 * stiffness) == found.A
    assert pytest.approx(exact, abs=1e-8 + 1e-13 * stiffness) == ist.linearize(made, x).A


def test_an_assembly_starts_from_a_finite_state(vehicle):
    made = ist.Assembly("motor", vehicle=vehicle).add("motor", Servomotor(joint="a"))
    x = vehicle.state()
    x.q[1] = np.nan
    with pytest.raises(ist.InterstageError, match=r"not finite: q\[1\] \(b.angle\)"):
        ist.simulate(made, x, until=1.0, step=0.1, set={"motor.command": 0.0})
