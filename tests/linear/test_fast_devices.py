"""Frames of sampled loops around devices that are much faster than their samples: event-driven matrix exponentials."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import Ruler
from scipy.linalg import block_diag, expm

import interstage as ist
from interstage import devices as dev

MASS = 2.0


class Pusher(ist.Device):
    """Pushes a cart behind a lag."""

    joint = ist.JointRef("m")
    lag = ist.Parameter("s", 0.05)
    command, force = ist.In("N"), joint.force()
    f = ist.ContinuousState("N")

    def outputs(d, t):
        d.force = d.f

    def rates(d, t):
        d.fdot = (d.command - d.f) / d.lag


@pytest.fixture(scope="module")
def cart():
    mb = ist.Multibody("cart")
    mb.add_body("m", mass=MASS, inertia=np.eye(3), joint=ist.Prismatic("x", stiffness=3.0, damping=0.1))
    return mb.compile()


def plant(lag):
    """Return A, B of [x, v, f] with the force f behind its lag."""
    A = np.array([[0.0, 1.0, 0.0], [-3.0 / MASS, -0.1 / MASS, 1.0 / MASS], [0.0, 0.0, -1.0 / lag]])
    return A, np.array([[0.0], [0.0], [1.0 / lag]])


def held(A, B, T):
    """Return exp(AT) and the response to what is held."""
    n, m = B.shape
    both = expm(T * np.block([[A, B], [np.zeros((m, n + m))]]))
    return both[:n, :n], both[:n, n:]


@pytest.mark.parametrize("lag", [0.05, 3e-3, 1e-3, 1e-7])
def test_a_lag_of_any_speed_is_its_zero_order_hold(cart, lag):
    made = ist.Assembly("x", vehicle=cart).add("p", Pusher(joint="m", lag=lag))
    made.add("s", Ruler(joint="m"), every="20 ms")
    found = ist.linearize(made, cart.state(), inputs="p.command", outputs="s.place", sampled=True)
    F, G = held(*plant(lag), 0.02)
    assert found.states == ["m.travel", "m.travel_rate", "p.f"]
    # rounding of exponentials that are squared log2(T/lag) times
    assert pytest.approx(F, abs=1e-12) == found.A
    assert pytest.approx(G, abs=1e-12) == found.B


def test_rates_offsets_and_a_delay_around_a_fast_lag_are_those_of_an_event_driven_simulation(cart):
    """Sensor every 20 ms, law every 30 ms from 10 ms on, a late wire: the product of exponentials and samples."""
    lag, kx, kv = 2e-3, 30.0, 8.0
    made = ist.Assembly("x", vehicle=cart).add("p", Pusher(joint="m", lag=lag))
    made.add("s", Ruler(joint="m"), every="20 ms")
    made.add("law", lambda t, x, v: -kx * x - kv * v, every="30 ms", offset="10 ms", out={"u": "N"})
    made.wire({"s.place": "law.x", "s.speed": "law.v"})
    made.wire({"law.u": "p.command"}, delay="5 ms")
    A, B = plant(lag)
    # [x v f | place speed | u | command], from before the samples of 0 s to before those of 60 ms
    n = 7
    whole = np.eye(n)
    A7 = np.zeros((n, n))
    A7[:3, :3], A7[:3, 6:] = A, B
    events = [(0.0, "s"), (0.02, "s"), (0.04, "s"), (0.01, "law"), (0.04, "law")]
    events += [(t + 0.005, "wire") for t in (0.01, 0.04)]
    rank = {"s": 0, "law": 1, "wire": 2}
    now = 0.0
    for t, what in sorted(events, key=lambda e: (e[0], rank[e[1]])):
        whole, now = expm((t - now) * A7) @ whole, t
        jump = np.eye(n)
        if what == "s":
            jump[3:5], jump[3, 0], jump[4, 1] = 0.0, 1.0, 1.0
        elif what == "law":
            jump[5], jump[5, 3], jump[5, 4] = 0.0, -kx, -kv
        else:
            jump[6], jump[6, 5] = 0.0, 1.0
        whole = jump @ whole
    whole = expm((0.06 - now) * A7) @ whole
    found = ist.linearize(made, cart.state(), sampled=True)
    assert found.dt == pytest.approx(0.06)
    wanted = np.linalg.eigvals(whole)
    ours = found.poles()
    large = np.sort_complex(wanted[np.abs(wanted) > 1e-9])
    assert np.sort_complex(ours[np.abs(ours) > 1e-9]) == pytest.approx(large, abs=1e-10)


@pytest.mark.parametrize("hertz", [20.0, 200.0, 20e3])
def test_a_spring_between_bodies_of_any_stiffness_is_exact(hertz):
    """Two carts of 1 kg: z of their centre is a double one, those of the spring exp(pT)."""
    mb = ist.Multibody("two")
    for name in "ab":
        mb.add_body(name, mass=1.0, inertia=np.eye(3), joint=ist.Prismatic("x"))
    two, w, zeta = mb.compile(), 2 * np.pi * hertz, 0.02
    x = two.state(q=[0.0, 1.0])
    spring = dev.Spring(a="a", b="b", stiffness=0.5 * w**2, damping=zeta * w, length=1.0)
    made = ist.Assembly("x", vehicle=two).add("k", spring).add("s", Ruler(joint="a"), every="20 ms")
    found = ist.linearize(made, x, outputs="s.place", sampled=True)
    joint = np.array([[0.0, 1.0], [-w * w, -2 * zeta * w]])
    # q' = [centre; stretch]: a = centre - stretch/2, b = centre + stretch/2
    turn = np.kron(np.eye(2), np.array([[1.0, -0.5], [1.0, 0.5]]))  # [q; v] of carts from those
    order = [0, 2, 1, 3]
    flow = block_diag([[1.0, 0.02], [0.0, 1.0]], expm(0.02 * joint))[np.ix_(order, order)]
    wanted = turn @ flow @ np.linalg.inv(turn)
    scale = np.array([1.0, 1.0, w, w])
    ours, exact = (M * scale / scale[:, None] for M in (found.A, wanted))
    # rounding, times the turns that are squared up from a small one
    assert ours == pytest.approx(exact, abs=1e-11 * max(1.0, 0.02 * w))


def test_a_hydraulic_engine_that_shakes_itself_is_unstable_in_its_sampled_model_too():
    """Little damping of the rod: the continuous model grows, and each sampled pole is exp(pT) of it."""
    mb = ist.Multibody("v")
    mb.add_body("core", mass=5000.0, inertia=[2000, 40000, 40000], joint=ist.Free())
    engine = {"mass": 100.0, "com": [-0.5, 0, 0], "inertia": [10, 20, 20]}
    mb.add_body("engine", parent="core", at=[-5, 0, 0], joint=ist.Universal(("y", "z")), **engine)
    system = mb.compile()
    given = {"bandwidth": "6 Hz", "rod_stiffness": 4e6, "fluid_stiffness": 2e6, "damping": 200.0}
    made = ist.Assembly("t", vehicle=system).add("tvc", dev.HydraulicTVC(joint="engine", **given))
    made.add("g", dev.Gyro(at="core", every="20 ms"))
    given = {"inputs": "tvc.command"}
    slow = np.exp(0.02 * ist.linearize(made, system.state(), outputs="tvc.angle", **given).poles())
    z = ist.linearize(made, system.state(), outputs="g.rate", sampled=True, **given).poles()
    assert np.abs(slow).max() > 1.2
    swinging = np.sort_complex(slow[np.abs(slow.imag) > 1e-3])
    assert len(swinging) >= 4
    found = np.sort_complex(z[np.abs(z.imag) > 1e-3])
    assert found == pytest.approx(swinging, abs=1e-7)  # pairs of equal poles: the root of rounding


@pytest.mark.parametrize("late", [0.06, 0.08, 0.065])
def test_a_valve_delay_of_whole_frames_of_another_device_is_exact(cart, late):
    """A thruster every 100 ms behind a delay that is, to rounding, a whole number of the sensor's 20 ms, or is not."""
    jet = dev.Thruster(at="m", axis=[1, 0, 0], thrust=10.0, valve_delay=late, every="100 ms")
    made = ist.Assembly("x", vehicle=cart).add("s", Ruler(joint="m"), every="20 ms").add("jet", jet)
    made.add("law", lambda t, y: 0.05 - 0.02 * y, every="100 ms", out={"width": "s"})
    made.wire({"s.place": "law.y", "law.width": "jet.width"})
    found = ist.linearize(made, cart.state(), sampled=True)
    A = np.array([[0.0, 1.0], [-3.0 / MASS, -0.1 / MASS]])
    B = np.array([[0.0], [10.0 / 0.1 / MASS]])  # thrust of a width, spread over the period
    (first, before), (second, after) = held(A, B, late), held(A, B, 0.1 - late)
    whole, seen = second @ first, np.array([[-0.02, 0.0]])
    truth = np.block([[whole + after @ seen, second @ before], [seen, np.zeros((1, 1))]])
    assert found.n_states == 3
    assert pytest.approx(truth, abs=1e-9) == found.A
