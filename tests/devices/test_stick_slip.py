"""Dry friction with stick and slip by events, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import Pull
from scipy.integrate import solve_ivp

import interstage as ist
from interstage import devices as dev
from interstage.errors import InputError

MASS = 2.0


def slide(stiffness: float = 0.0) -> ist.System:
    mb = ist.Multibody("slide")
    mb.add_body("slide", mass=MASS, inertia=[1, 1, 1], joint=ist.Prismatic("x", stiffness=stiffness))
    return mb.compile()


@pytest.mark.parametrize(
    "steps", [{"step": "10 ms"}, {"step": None, "method": "dopri5"}], ids=["rk4", "dopri5"]
)
def test_a_mass_on_a_spring_that_is_pulled_sticks_and_slips(steps):
    """Stretch u of the spring: s/k where it breaks loose, c/k + A cos ωτ + (V/ω) sin ωτ while it slips, A = (s - c)/k.

    It slips for (2π - 2 atan(Aω/V))/ω and sticks for 2A/V; its fastest is V + √(V² + A²ω²). Steps of RK4 are 1/300 of a
    period: 1e-9; events are found to 1e-9 s.
    """
    k, V, c, s = 8.0, 0.1, 1.0, 1.5
    system = slide()
    made = ist.Assembly("pulled", vehicle=system).add("pull", Pull(joint="slide", stiffness=k, speed=V))
    made.add("rub", dev.PrismaticStickSlip(joint="slide", coulomb=c, static=s))
    log = ist.simulate(made, system.state(), until=16, **steps)
    A, w = (s - c) / k, np.sqrt(k / MASS)
    slip, stick = (2 * np.pi - 2 * np.arctan(A * w / V)) / w, 2 * A / V
    loose = [event.t for event in log.events if event.name == "rub.slips"]
    stops = [event.t for event in log.events if event.name == "rub.stops"]
    first = s / (k * V)
    assert (
        loose == pytest.approx(first + (slip + stick) * np.arange(len(loose)), abs=1e-6) and len(loose) == 5
    )
    assert stops == pytest.approx(first + slip + (slip + stick) * np.arange(len(stops)), abs=1e-6)
    x, v = log["slide"].q[:, 0], log["slide"].v[:, 0]
    last = np.searchsorted(loose, log.t, side="right") - 1
    tau = log.t - np.array(loose)[np.maximum(last, 0)]
    slipping = (last >= 0) & (tau < slip) & (tau > 0)
    exact = V + A * w * np.sin(w * tau) - V * np.cos(w * tau)
    assert np.abs(v - exact)[slipping].max() < 1e-6
    still = ((last < 0) | (tau > slip + 1e-6)) & ~slipping
    assert v[still] == pytest.approx(0.0, abs=0.0)
    assert V + np.hypot(V, A * w) == pytest.approx(v.max(), abs=2e-5 if "method" not in steps else 0.05)
    held = log["rub.drag"][still]
    assert held == pytest.approx((k * (V * log.t - x))[still], abs=1e-9) and held.max() <= s * (1 + 1e-9)


@pytest.mark.parametrize(("start", "static"), [(10.3, 1.0), (10.3, 1.6), (7.9, 1.0), (0.9, 1.0)])
def test_an_oscillator_loses_the_same_at_every_turn(start, static):
    """Coulomb-damped: every half period π/ω takes 2c/k of the amplitude, until the spring is within ±s/k."""
    k, c = 50.0, 1.5
    system = slide(k)
    made = ist.Assembly("damped", vehicle=system)
    made.add("rub", dev.PrismaticStickSlip(joint="slide", coulomb=c, static=static * c))
    log = ist.simulate(made, system.state(q=[start * c / k]), until=6, step="5 ms")
    w, turns, times = np.sqrt(k / MASS), [], []
    x = start
    while abs(x) > static:
        x = -(abs(x) - 2.0) * np.sign(x)
        turns.append(x)
        times.append(np.pi / w * (len(turns)))
    found = [event.t for event in log.events if event.name == "rub.stops"]
    # found to 1e-9 s each, from behind, beside the error of RK4
    assert found == pytest.approx(times, abs=5e-8)
    q = log["slide"].q[:, 0]
    at = [q[np.argmin(np.abs(log.t - t))] for t in times]
    # RK4 at 5 ms: (ωh)⁴ / 120 of the amplitude over a half period
    assert np.array(at) * k / c == pytest.approx(np.array(turns), abs=1e-7)
    assert q[-1] * k / c == pytest.approx(x, abs=1e-7)
    resting = log.t > (times[-1] if times else 0.0) + 1e-6
    assert np.ptp(q[resting]) == 0.0 and np.abs(log["slide"].v[resting]).max() == 0.0


def test_stribecks_curve_against_scipy():
    """One slip with viscous friction and a curve, by scipy's own events."""
    k, V, c, s, vs, b = 8.0, 0.1, 1.0, 1.5, 0.05, 0.3
    system = slide()
    made = ist.Assembly("pulled", vehicle=system).add("pull", Pull(joint="slide", stiffness=k, speed=V))
    given = {"coulomb": c, "static": s, "stribeck": vs, "viscous": b}
    made.add("rub", dev.PrismaticStickSlip(joint="slide", **given))
    log = ist.simulate(made, system.state(), until=6, step="1 ms")

    def slope(t, y):
        return [y[1], (k * (V * t - y[0]) - c - (s - c) * np.exp(-((y[1] / vs) ** 2)) - b * y[1]) / MASS]

    stop = lambda t, y: y[1] if t > first + 0.1 else 1.0  # noqa: E731
    stop.terminal, stop.direction, first = True, -1, s / (k * V)
    # just after it has broken loose, where it moves by the growing pull: m x⃛ = k V
    h = 1e-3
    begin = [k * V * h**3 / 6 / MASS, k * V * h**2 / 2 / MASS]
    exact = solve_ivp(slope, (first + h, 6), begin, method="LSODA", rtol=1e-11, atol=1e-14, events=stop)
    found = next(event.t for event in log.events if event.name == "rub.stops")
    # the start of the comparison is good to the curve's quadratic term, v²/vs²
    assert found == pytest.approx(exact.t_events[0][0], abs=2e-5)
    assert log["slide"].q[np.argmin(np.abs(log.t - found)), 0] == pytest.approx(exact.y[0, -1], abs=2e-6)


@pytest.mark.parametrize("turning", [False, True])
def test_momentum_of_a_block_on_a_free_cart(turning):
    """It slides for v₀/(c(1/m + 1/M)), then both move as one, m v₀/(m + M); all momenta stay, on a turning cart too."""
    m, M, c, v0 = 2.0, 5.0, 0.8, 1.2
    mb = ist.Multibody("cart")
    mb.add_body("cart", mass=M, inertia=[1, 1, 1], joint=ist.Free())
    mb.add_body("block", mass=m, inertia=[0.1] * 3, parent="cart", joint=ist.Prismatic("x"))
    system = mb.compile()
    x = system.state()
    x["block"].v[:], x["cart"].velocity[:3] = v0, [0.1, 0.3, 0.2] if turning else 0.0
    made = ist.Assembly("cart", vehicle=system).add("rub", dev.PrismaticStickSlip(joint="block", coulomb=c))
    log = ist.simulate(made, x, until=4, step="2 ms")
    assert system.momentum(log.state(-1)) == pytest.approx(system.momentum(x), abs=1e-9)
    assert system.energy(log.state(-1)) < system.energy(x)
    if not turning:
        assert [event.t for event in log.events] == pytest.approx([v0 / (c * (1 / m + 1 / M))], abs=1e-8)
        assert log["block"].v[-1, 0] == 0.0
        assert log["cart"].velocity[-1, 3] == pytest.approx(m * v0 / (m + M), rel=1e-9)


def test_it_breaks_loose_at_static_friction_and_not_before():
    """A torque that grows: held to the last bit until it is s, whatever else the vehicle does."""

    class Ramp(ist.Device):
        joint = ist.JointRef()
        torque = joint.force()

        def outputs(d, t):
            d.torque = 0.3 * t

    mb = ist.Multibody("arms", gravity=[0, -9.81, 0])
    mb.add_body("arm", mass=1.0, inertia=[1, 1, 0.5], joint=ist.Revolute("z"))
    mb.add_body("swing", mass=1.0, com=[0.0, -0.4, 0], parent="arm", joint=ist.Revolute("x"))
    system = mb.compile()
    made = ist.Assembly("ramp", vehicle=system).add("ramp", Ramp(joint="arm"))
    made.add("rub", dev.StickSlip(joint="arm", coulomb=0.9, static=1.2))
    log = ist.simulate(made, system.state(q=[0.1, 0.7]), until=8, step="5 ms")
    loose = log.events[0]
    held = log.t < loose.t
    assert loose.name == "rub.slips" and np.ptp(log["arm"].q[held, 0]) == 0.0
    assert np.abs(log["rub.reaction"][held]).max() == pytest.approx(1.2, abs=5e-3)
    k = np.argmin(np.abs(log.t - loose.t))
    assert abs(log["rub.reaction"][np.flatnonzero(np.abs(log.t - loose.t) < 1e-12)[0]]) == pytest.approx(
        1.2, abs=1e-8
    )
    assert k > 0 and log["arm"].q[-1, 0] > 0.2


def test_linear_models_are_of_the_stuck_and_of_the_sliding_joint():
    """Stuck: the joint is locked. Sliding at v: the slope of Stribeck's curve is its damping."""
    system = slide(50.0)
    c, s, vs, v = 1.0, 1.5, 0.1, 0.07
    made = ist.Assembly("x", vehicle=system)
    made.add("rub", dev.PrismaticStickSlip(joint="slide", coulomb=c, static=s, stribeck=vs, way=1))
    x = system.state(v=[v])
    poles = ist.linearize(made, x).poles()
    slope = -2 * v / vs**2 * (s - c) * np.exp(-((v / vs) ** 2))
    assert poles.sum().real == pytest.approx(-slope / MASS, rel=1e-9)
    mb = ist.Multibody("two")
    for name, parent in (("first", None), ("second", "first")):
        mb.add_body(name, mass=MASS, parent=parent, inertia=[1] * 3, joint=ist.Prismatic("x", stiffness=50.0))
    stuck = ist.Assembly("x", vehicle=mb.compile())
    stuck.add("rub", dev.PrismaticStickSlip(joint="first", coulomb=c, held=1))
    assert np.abs(ist.linearize(stuck, None).poles()) == pytest.approx(np.sqrt(50.0 / MASS), rel=1e-9)


def test_a_run_goes_on_from_where_it_sticks():
    """The end of a run knows that the joint is held."""
    system = slide(50.0)
    made = ist.Assembly("x", vehicle=system).add("rub", dev.PrismaticStickSlip(joint="slide", coulomb=1.0))
    one = ist.simulate(made, system.state(q=[0.07]), until=3, step="5 ms")
    more = ist.simulate(made, one.end, until=5, start=3, step="5 ms")
    assert more["slide"].q[-1] == one["slide"].q[-1] and not more.events


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"coulomb": 1.0, "static": 0.5}, "StickSlip.static must not be below"),
        ({"coulomb": 0.0}, "StickSlip.coulomb must be above 0"),
        ({"coulomb": 1.0, "stribeck": -1.0}, "StickSlip.stribeck must be at least 0"),
    ],
)
def test_what_cannot_be_is_refused(given, said):
    with pytest.raises(InputError, match=said):
        dev.StickSlip(joint="arm", **given)
