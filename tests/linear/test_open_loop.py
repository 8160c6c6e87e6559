"""Loops opened at inputs of devices: closed again they are the loop of `linearize`; margins are those of runs."""

from __future__ import annotations

import control
import device_library
import numpy as np
import pytest
from device_library import Lag, Rail, Ruler, Servo

import interstage as ist
from interstage.errors import InputError

MASS, T = 2.0, 0.1


@pytest.fixture(scope="module")
def cart():
    return device_library.cart(MASS)


def pd(cart, every=T, offset=None, delay=None, wire_delay=None, sensor=T, kp=3.0, kd=2.0):
    made = ist.Assembly("pd", vehicle=cart).add("rail", Rail(joint="cart"))
    made.add("sensor", Ruler(joint="cart"), every=sensor)
    law = lambda t, x, v: -kp * x - kd * v  # noqa: E731
    made.add("law", law, every=every, offset=offset, delay=delay, out={"u": "N"})
    made.wire({"sensor.place": "law.x", "sensor.speed": "law.v"})
    made.wire({"law.u": "rail.command"}, delay=wire_delay)
    return made


def moving(poles):
    """Poles away from zero, where those of delay lines are."""
    poles = np.asarray(poles)
    return np.sort_complex(poles[np.abs(poles) > 1e-6])


def closed(loop):
    """Poles of unit negative feedback around a loop."""
    E = np.linalg.inv(np.eye(len(loop.C)) + loop.D)
    return np.linalg.eigvals(loop.A - loop.B @ E @ loop.C)


def test_a_sampled_law_on_a_double_integrator_is_that_of_python_control(cart):
    loop = ist.open_loop(pd(cart), cart.state(), at="rail.command")
    plant = control.ss([[0, 1], [0, 0]], [[0], [1 / MASS]], np.eye(2), np.zeros((2, 1))).sample(T)
    L = control.ss([], [], [], [[3.0, 2.0]], T) * plant
    f = np.array([0.1, 0.5, 1.0, 3.0, 4.9])
    expected = L(np.exp(2j * np.pi * f * T))
    assert loop.dt == T and loop.inputs == loop.outputs == ["rail.command"]
    assert loop.frequency_response(f)[:, 0, 0] == pytest.approx(np.ravel(expected), rel=1e-9)


TIMINGS = [
    {},
    {"wire_delay": T},
    {"wire_delay": 2 * T},
    {"delay": T},
    {"every": 2 * T, "wire_delay": T},
    {"every": 2 * T},
    {"offset": "0.05 s", "sensor": T},
    {"every": 2 * T, "offset": T, "delay": 2 * T},
    {"every": 2 * T, "offset": "0.05 s", "wire_delay": 2 * T},
]


@pytest.mark.parametrize("timing", TIMINGS, ids=str)
def test_closed_again_it_is_the_loop_of_linearize(cart, timing):
    """Periods, offsets and delays of all kinds: the closed loop of L has the poles of the model that nobody cut."""
    made = pd(cart, kp=1.0, kd=1.2, **timing)
    loop = ist.open_loop(made, cart.state(), at="rail.command")
    whole = ist.linearize(made, cart.state(), sampled=True)
    assert loop.dt == whole.dt
    assert moving(closed(loop)) == pytest.approx(moving(whole.poles()), abs=1e-9)


def test_its_margins_are_those_of_runs(cart):
    """The gain of the law is scaled to 0.99 and 1.01 of the margin: runs decay and grow. A wire delay likewise."""
    loop = ist.open_loop(pd(cart), cart.state(), at="rail.command")
    m = loop.margins()
    assert m.stable and np.isfinite(m.gain_up_db)

    def grows(**changed):
        log = ist.simulate(pd(cart, **changed), cart.state(q=[1.0]), until=60, step=T)
        y = np.abs(log["sensor.place"])
        return y[-100:].max() > y[200:300].max()

    edge = 10 ** (m.gain_up_db / 20)
    assert not grows(kp=3.0 * edge * 0.99, kd=2.0 * edge * 0.99)
    assert grows(kp=3.0 * edge * 1.01, kd=2.0 * edge * 1.01)
    samples = m.delay_s / T
    assert not grows(wire_delay=int(np.floor(samples)) * T)
    assert grows(wire_delay=int(np.ceil(samples)) * T)


def test_a_continuous_loop_with_a_lag(cart):
    """L = k/(m s² (τs + 1)) (1 + T s) by hand."""

    class Law(ist.Device):
        x, v, u = ist.In("m"), ist.In("m/s"), ist.Out("N")

        def outputs(d, t):
            d.u = -3.0 * d.x - 4.0 * d.v

    class Scale(ist.Device):
        joint = ist.JointRef("m")
        at, rate = joint.coordinate(), joint.rate()
        place, speed = ist.Out("m"), ist.Out("m/s")

        def outputs(d, t):
            d.place, d.speed = d.at, d.rate

    made = ist.Assembly("lag", vehicle=cart).add("rail", Rail(joint="cart")).add("scale", Scale(joint="cart"))
    made.add("law", Law()).add("lag", Lag(tau=0.05))
    made.wire({"scale.place": "law.x", "scale.speed": "law.v", "law.u": "lag.u", "lag.y": "rail.command"})
    s = 2j * np.pi * np.array([0.05, 0.3, 2.0])
    expected = (3.0 + 4.0 * s) / (MASS * s**2 * (0.05 * s + 1))
    for at in ("rail.command", "lag.u", "law.x"):
        loop = ist.open_loop(made, cart.state(), at=at)
        assert loop.dt is None
        if at != "law.x":  # one of two paths that are closed
            assert loop.frequency_response(s.imag / 2 / np.pi)[:, 0, 0] == pytest.approx(expected, rel=1e-9)
        whole = np.sort_complex(ist.linearize(made, cart.state()).poles())
        assert np.sort_complex(closed(loop)) == pytest.approx(whole, abs=1e-9)


def two_axes(every="20 ms"):
    """A servo of two axes in a loop of its own: its angles are fed back with cross-coupling."""
    made = ist.Assembly("axes").add("servo", Servo(limit=1e6, x=[0.0, 0.0]))

    class Law:
        def __call__(self, t, angle):
            return {"u": -np.array([[0.8, 0.3], [-0.2, 0.5]]) @ angle}

    return made.add("law", Law(), every=every, out={"u": "rad[2]"}).wire(
        {"servo.angle": "law.angle", "law.u": "servo.command"}
    )


def test_elements_of_a_port_with_the_others_closed():
    made = two_axes()
    both = ist.open_loop(made, at="servo.command")
    assert both.inputs == ["servo.command[0]", "servo.command[1]"]
    whole = moving(ist.linearize(made, None, sampled=True).poles())
    assert moving(closed(both)) == pytest.approx(whole, abs=1e-9)
    m = both.margins()
    for k in range(2):
        one = ist.open_loop(made, at=f"servo.command[{k}]")
        assert one.inputs == [f"servo.command[{k}]"]
        assert moving(closed(one)) == pytest.approx(whole, abs=1e-9)
        assert one.margins().phase_deg == pytest.approx(m.loops[k].phase_deg, rel=1e-6)
        assert one.margins().modulus == pytest.approx(m.loops[k].modulus, rel=1e-5)


def test_units_of_connections_do_not_change_a_loop(cart):
    """A law in kN on a rail in N: the loop is the same."""

    def made(unit, factor):
        law = lambda t, x, v: (-3.0 * x - 2.0 * v) * factor  # noqa: E731
        one = ist.Assembly("units", vehicle=cart).add("rail", Rail(joint="cart"))
        one.add("sensor", Ruler(joint="cart"), every=T).add("law", law, every=T, out={"u": unit})
        return one.wire({"sensor.place": "law.x", "sensor.speed": "law.v", "law.u": "rail.command"})

    f = np.array([0.2, 1.0, 4.0])
    loops = [ist.open_loop(made(*one), cart.state(), at="rail.command") for one in (("N", 1.0), ("kN", 1e-3))]
    first, second = (one.frequency_response(f) for one in loops)
    assert second == pytest.approx(first, rel=1e-9)


def test_regions_by_what_moves():
    """A free hull with a bending appendage and a slosh mass: crossings are named by the states that dominate them."""
    mb = ist.Multibody("hull")
    mb.add_body("hull", mass=500.0, inertia=[80.0, 300.0, 300.0], joint=ist.Free())
    w_s, w_b = 2 * np.pi * 0.5, 2 * np.pi * 6.0
    slosh = ist.Revolute("z", stiffness=30.0 * w_s**2, damping=2 * 0.002 * 30.0 * w_s)
    mb.add_body("slosh mass", mass=20.0, com=[0, 1.0, 0], inertia=[10.0] * 3, parent="hull", joint=slosh)
    K = np.zeros((12, 12))
    k, c = 40.0 * w_b**2, 1e9
    for d in range(6):
        stiff = k if d == 5 else c
        K[d, d] = K[6 + d, 6 + d] = stiff
        K[d, 6 + d] = K[6 + d, d] = -stiff
    M = np.diag([1e-3] * 6 + [1.0, 1.0, 1.0, 40.0, 40.0, 40.0])
    vane = ist.Component.from_matrices(K, M, nodes={1: [0, 0, 0], 2: [0, 0, 0]}, aset={1: 123456}, n_modes=1)
    mb.add_body("vane", component=vane, node=1, parent="hull", at=[0, 0, 0], joint=ist.Locked(), damping=1e-3)
    system = mb.compile()

    class Wheel(ist.Device):
        hull = ist.Site()
        turned, spin, torque = hull.attitude(), hull.rate(), hull.torque()
        command, angle, rate = ist.In("N*m"), ist.Out("rad"), ist.Out("rad/s")

        def outputs(d, t):
            d.torque[2] = d.command
            d.angle = 2.0 * d.turned[3]
            d.rate = d.spin[2]

    made = ist.Assembly("hull", vehicle=system).add("wheel", Wheel(hull="hull"))
    gain = 400.0 * (2 * np.pi * 0.1) ** 2
    made.add("law", lambda t, a, r: -gain * a - 2200.0 * r, every="20 ms", out={"u": "N*m"})
    made.wire({"wheel.angle": "law.a", "wheel.rate": "law.r", "law.u": "wheel.command"})
    loop = ist.open_loop(made, system.state(), at="wheel.command")
    rows = loop.margins().rows
    regions = {row.region for row in rows}
    assert {"rigid", "slosh", "bending"} >= regions and "bending" in regions
    bending = [row.frequency_hz for row in rows if row.region == "bending"]
    assert min(bending) > 3.0
    slow = [row.region for row in rows if row.frequency_hz < 0.3]
    assert set(slow) <= {"rigid"}


def test_what_cannot_be_opened_is_refused(cart):
    made = pd(cart, sensor=T / 2)
    with pytest.raises(InputError, match="is an output; a loop is opened at an input"):
        ist.open_loop(made, cart.state(), at="law.u")
    with pytest.raises(InputError, match="several times in a frame"):
        ist.open_loop(made, cart.state(), at="law.x")
    with pytest.raises(InputError, match="there is no port"):
        ist.open_loop(made, cart.state(), at="rail.nothing")
    with pytest.raises(InputError, match="at must name inputs"):
        ist.open_loop(made, cart.state())
    with pytest.raises(InputError, match="opened in an Assembly"):
        ist.open_loop(cart, cart.state(), at="rail.command")
    free = ist.Assembly("free", vehicle=cart).add("rail", Rail(joint="cart"))
    with pytest.raises(InputError, match="nothing is connected to"):
        ist.open_loop(free, cart.state(), at="rail.command")
    lagged = pd(cart).add("lag", Lag()).add("more", Lag()).wire({"lag.y": "more.u"})
    with pytest.raises(InputError, match="is continuous, and other devices are sampled"):
        ist.open_loop(lagged, cart.state(), at="more.u")
