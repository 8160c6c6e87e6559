"""Friction that sticks and slips, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import Motor, Pull
from scipy.integrate import solve_ivp

import interstage as ist
from interstage import devices as dev
from interstage.errors import InputError

MASS, INERTIA = 2.0, 0.5


@pytest.fixture(scope="module")
def joints():
    mb = ist.Multibody("slide and hinge")
    mb.add_body("slide", mass=MASS, inertia=[1, 1, 1], joint=ist.Prismatic("x"))
    mb.add_body("arm", mass=1.0, inertia=[1, 1, INERTIA], joint=ist.Revolute("z"))
    return mb.compile()


def test_a_mass_on_a_spring_that_is_pulled_sticks_and_slips(joints):
    """Sticks until the spring has what breaks it loose, slips half a turn and more, sticks again.

    With the force f that breaks it loose, A = (f - c)/k, ω = √(k/m) and the speed V: stick 2A/V, slip
    (2π - 2 atan(Aω/V))/ω. Bristles as in the paper bend by 1.5e-5 m; they break loose at a little less than s, the
    faster they are loaded the less, and the whole motion agrees with scipy's.
    """
    k, V, c, s, stiff, v_s = 8.0, 0.1, 1.0, 1.5, 1e5, 1e-3
    made = ist.Assembly("pulled", vehicle=joints).add("pull", Pull(joint="slide", stiffness=k, speed=V))
    given = {"coulomb": c, "static": s, "stribeck": v_s, "stiffness": stiff, "damping": np.sqrt(stiff)}
    made.add("rub", dev.PrismaticFriction(joint="slide", **given))
    log = ist.simulate(made, joints.state(), until=13, step="0.05 ms", log_step="1 ms")
    v = log["slide"].v[:, 0]
    slipping = v > 2e-3
    begins = log.t[np.flatnonzero(~slipping[:-1] & slipping[1:])]
    ends = log.t[np.flatnonzero(slipping[:-1] & ~slipping[1:])]
    loose = log["rub.drag"].max()
    assert 0.9 * s < loose < s
    A, w = (loose - c) / k, np.sqrt(k / MASS)
    slip, stick = (2 * np.pi - 2 * np.arctan(A * w / V)) / w, 2 * A / V
    # friction falls from f to c within some v_s, not at once
    assert np.diff(begins) == pytest.approx(slip + stick, rel=2e-2)
    assert v.max() == pytest.approx(V + np.hypot(A * w, V), rel=4e-2)
    stuck = (log.t > ends[0] + 0.2) & (log.t < begins[1] - 0.05)
    assert np.abs(v[stuck]).max() < 0.5 * v_s and np.median(np.abs(v[stuck])) < 3e-5

    def slope(t, y):
        x, v, z = y
        near = np.exp(-((v / v_s) ** 2))
        zdot = v - stiff * abs(v) * z / (c + (s - c) * near)
        return [v, (k * (V * t - x) - stiff * z - np.sqrt(stiff) * near * zdot) / MASS, zdot]

    exact = solve_ivp(
        slope, (0, 6), np.zeros(3), method="LSODA", rtol=1e-9, atol=1e-12, t_eval=log.t[:6001:50]
    )
    assert log["slide"].q[:6001:50, 0] == pytest.approx(exact.y[0], abs=1e-5)


def test_what_is_stuck_does_not_creep(joints):
    """Half of what would break it loose bends the bristles by τ/σ, and there it stays."""
    made = ist.Assembly("stuck", vehicle=joints).add("push", Motor(joint="arm", command=0.5))
    made.add("rub", dev.LuGreFriction(joint="arm", coulomb=1.0, static=1.5, stiffness=1e3, damping=20.0))
    log = ist.simulate(made, joints.state(), until=20, step="1 ms")
    late = log.t > 10
    assert log["rub.bend"][-1] == pytest.approx(0.5 / 1e3, abs=1e-12)
    assert np.ptp(log["arm"].q[late, 0]) < 1e-12 and np.abs(log["arm"].v[late, 0]).max() < 1e-12


def test_what_slides_stops(joints):
    """J v̇ = -c - b v: v = (v0 + c/b) e^(-bt/J) - c/b; it stands after J/b ln(1 + b v0/c)."""
    c, b, v0 = 0.6, 0.2, 3.0
    made = ist.Assembly("coast", vehicle=joints)
    made.add(
        "rub", dev.LuGreFriction(joint="arm", coulomb=c, viscous=b, stiffness=2e3, damping=20.0, bend=c / 2e3)
    )
    x = joints.state()
    x["arm"].v[:] = v0
    log = ist.simulate(made, x, until=6, step="0.1 ms", log_step="5 ms")
    stands = INERTIA / b * np.log(1 + b * v0 / c)
    moving = log.t < stands - 0.01
    exact = (v0 + c / b) * np.exp(-b * log.t / INERTIA) - c / b
    assert log["arm"].v[moving, 0] == pytest.approx(exact[moving], abs=1e-6)
    assert np.abs(log["arm"].v[log.t > 5.0, 0]).max() < 1e-12


@pytest.mark.parametrize("speed", [-0.5, 0.005, 0.02, 0.4])
def test_at_a_constant_speed_it_is_the_curve_of_stribeck(speed):
    mb = ist.Multibody("driven")
    mb.add_body("arm", mass=1e12, inertia=[1e12] * 3, joint=ist.Revolute("z"))
    system = mb.compile()
    c, s, v_s, b = 1.0, 1.6, 0.01, 0.3
    given = {"coulomb": c, "static": s, "stribeck": v_s, "viscous": b, "stiffness": 2e3, "damping": 1.0}
    made = ist.Assembly("driven", vehicle=system).add("rub", dev.LuGreFriction(joint="arm", **given))
    x = system.state()
    x["arm"].v[:] = speed
    log = ist.simulate(made, x, until=10, step="1 ms")
    exact = np.sign(speed) * (c + (s - c) * np.exp(-((speed / v_s) ** 2))) + b * speed
    assert log["rub.drag"][-1] == pytest.approx(exact, abs=1e-9)


def test_its_linear_model_is_that_of_the_stuck_joint(joints):
    made = ist.Assembly("stuck", vehicle=joints)
    made.add("rub", dev.LuGreFriction(joint="arm", coulomb=1.0, stiffness=200.0, damping=2.0))
    poles = np.asarray(ist.linearize(made, joints.state()).poles())
    w = np.sqrt(200.0 / INERTIA)
    ringing = poles[poles.imag > 1.0]
    assert np.abs(ringing) == pytest.approx([w], rel=1e-9)
    assert -ringing.real == pytest.approx([2.0 / (2 * INERTIA)], rel=1e-9)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"coulomb": 1.0, "static": 0.5, "stiffness": 1.0}, "LuGreFriction.static must not be below"),
        ({"coulomb": 0.0, "stiffness": 1.0}, "LuGreFriction.coulomb must be above 0"),
        ({"coulomb": 1.0, "stiffness": 1.0, "stribeck": 0.0}, "LuGreFriction.stribeck must be above 0"),
        ({"coulomb": "1 N", "stiffness": 1.0}, "the units do not fit"),
    ],
)
def test_what_cannot_be_is_refused(given, said):
    with pytest.raises(InputError, match=said):
        dev.LuGreFriction(joint="arm", **given)
