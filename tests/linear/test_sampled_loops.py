"""Sampled loops of the textbooks, run and linearized, against closed forms, python-control and differences of runs."""

from __future__ import annotations

import control
import device_library
import numpy as np
import pytest
import scipy.linalg
from device_library import Rail, Ruler

import interstage as ist

MASS, T = 2.0, 0.1


class PID(ist.Device):
    """u = kp e + ki T Σe + kd (e - e⁻)/T."""

    kp, ki, kd = ist.Parameter("N/m", 4.0), ist.Parameter("N/m/s", 0.5), ist.Parameter("N*s/m", 6.0)
    wanted, seen, u = ist.In("m", default=0.0), ist.In("m"), ist.Out("N")
    total, last = ist.DiscreteState("m*s"), ist.DiscreteState("m")

    def sample(d, t):
        e = d.wanted - d.seen
        d.total += e * d.period
        d.u = d.kp * e + d.ki * d.total + d.kd * (e - d.last) / d.period
        d.last = e


@pytest.fixture(scope="module")
def cart():
    return device_library.cart(MASS)


@pytest.fixture(scope="module")
def springs():
    """Two masses joined by a spring, on a rail."""
    mb = ist.Multibody("two masses")
    mb.add_body("one", mass=MASS, inertia=np.eye(3), joint=ist.Prismatic("x"))
    joint = ist.Prismatic("x", stiffness=8.0, damping=0.1)
    mb.add_body("two", mass=0.5, inertia=np.eye(3), parent="one", joint=joint)
    return mb.compile()


def double_integrator():
    return control.ss([[0, 1], [0, 0]], [[0], [1 / MASS]], np.eye(2), np.zeros((2, 1)))


def test_a_pid_on_a_double_integrator_is_that_of_python_control(cart):
    """Poles, and the step response of the run, of the loop of transfer functions in z."""
    made = ist.Assembly("pid", vehicle=cart).add("rail", Rail(joint="cart")).add("pid", PID(), every=T)
    made.add("sensor", Ruler(joint="cart"), every=T)
    made.wire({"sensor.place": "pid.seen", "pid.u": "rail.command"})
    z = control.tf("z")
    z.dt = T
    law = 4.0 + 0.5 * T * z / (z - 1) + 6.0 * (z - 1) / (T * z)
    plant = control.tf([T**2 / (2 * MASS), T**2 / (2 * MASS)], [1, -2, 1], T)
    loop = control.feedback(law * plant, 1)
    model = ist.linearize(made, cart.state(), sampled=True, step=T)
    assert np.sort_complex(model.poles()) == pytest.approx(np.sort_complex(loop.poles()), abs=1e-10)
    log = ist.simulate(made, cart.state(), until=10, step=T, set={"pid.wanted": 1.0})
    _, y = control.step_response(loop, T=np.arange(101) * T)
    assert log["sensor.place"] == pytest.approx(y, abs=1e-10)


def test_a_sampled_regulator_is_that_of_python_control(cart):
    """Gains of `dlqr` on our model and on the zero-order hold agree; the run follows (F - GK)ᵏ, its cost is x'Px."""
    made = ist.Assembly("lqr", vehicle=cart).add("rail", Rail(joint="cart"))
    made.add("sensor", Ruler(joint="cart"), every=T)
    outputs = ["sensor.place", "sensor.speed"]
    ours = ist.linearize(
        made, cart.state(), inputs="rail.command", outputs=outputs, sampled=True, step="20 ms"
    )
    plant = double_integrator().sample(T)
    Q, R = np.diag([3.0, 0.5]), np.eye(1) * 0.2
    K, P, poles = control.dlqr(plant, Q, R)
    K_ours, _, _ = control.dlqr(ours.to_control(), Q, R)
    assert K_ours == pytest.approx(K, abs=1e-10)
    F, G = plant.A, plant.B

    made.add("law", lambda t, x, v: -K[0] @ [x, v], every=T, out={"u": "N"})
    made.wire({"sensor.place": "law.x", "sensor.speed": "law.v", "law.u": "rail.command"})
    closed = ist.linearize(made, cart.state(), sampled=True, step="20 ms")
    assert np.sort_complex(closed.poles()) == pytest.approx(np.sort_complex(poles), abs=1e-10)
    start = np.array([1.0, -0.3])
    log = ist.simulate(made, cart.state(q=start[:1], v=start[1:]), until=40, step="20 ms")
    seen = np.column_stack([log["sensor.place"], log["sensor.speed"]])
    exact = [np.linalg.matrix_power(F - G @ K, k) @ start for k in range(len(seen))]
    assert seen == pytest.approx(np.array(exact), abs=1e-10)
    cost = np.einsum("ki,ij,kj->", seen, Q, seen) + R[0, 0] * np.sum(log["law.u"] ** 2)
    assert cost == pytest.approx(start @ P @ start, abs=1e-10)


def test_several_rates_and_a_delay_are_a_loop_of_python_control(cart):
    """Place at 10 Hz, law at 5 Hz, its command 0.1 s late: the loop of a lifted plant, over frames of 0.2 s."""
    made = ist.Assembly("rates", vehicle=cart).add("rail", Rail(joint="cart"))
    made.add("sensor", Ruler(joint="cart"), every=T)
    made.add("law", lambda t, x, v: -3.0 * x - 2.0 * v, every=2 * T, out={"u": "N"})
    made.wire({"sensor.place": "law.x", "sensor.speed": "law.v"})
    made.wire({"law.u": "rail.command"}, delay="0.1 s")
    half = double_integrator().sample(T)
    F, G = half.A, half.B
    # [x; u that acts]: first half with the command before, second half with the new one
    lifted = control.ss(
        np.block([[F @ F, F @ G], [np.zeros((1, 3))]]), np.vstack([G, [[1]]]), np.eye(2, 3), 0, 2 * T
    )
    loop = control.feedback(lifted, control.ss([], [], [], [[3.0, 2.0]], 2 * T))
    model = ist.linearize(made, cart.state(), sampled=True, step=T)
    assert model.dt == 2 * T
    found = model.poles()
    assert np.sort_complex(found[abs(found) > 1e-12]) == pytest.approx(
        np.sort_complex(loop.poles()), abs=1e-10
    )
    log = ist.simulate(made, cart.state(q=[1.0]), until=6, step=T)
    response = control.forced_response(loop, T=np.arange(31) * 2 * T, U=0, X0=[1, 0, 0])
    assert log["sensor.place"][::2] == pytest.approx(response.outputs[0], abs=1e-10)


def test_the_map_of_a_frame_agrees_with_differences_of_runs(springs):
    """All of A of a loop with a lag, a filter in the software and two rates, state by state."""

    class Lag(ist.Device):
        joint = ist.JointRef("m")
        u, force, f = ist.In("N"), joint.force(), ist.ContinuousState("N")

        def outputs(d, t):
            d.force = d.f - 0.3 * d.f * d.f * d.f

        def rates(d, t):
            d.fdot = 8.0 * (d.u - d.f)

    class Filter:
        def __init__(self):
            self.seen = 0.0

        def __call__(self, t, x, v):
            self.seen = 0.7 * self.seen + 0.3 * np.sin(x)
            return -6.0 * self.seen - 2.0 * v

    law = Filter()
    made = ist.Assembly("loop", vehicle=springs).add("lag", Lag(joint="one"))
    made.add("sensor", Ruler(joint="one"), every="50 ms").add("law", law, every=T, out={"u": "N"})
    made.wire({"sensor.place": "law.x", "sensor.speed": "law.v", "law.u": "lag.u"})
    q, v, f, seen = [0.2, 0.05], [0.1, -0.3], 0.4, 0.1
    law.seen = seen
    model = ist.linearize(made, springs.state(q=q, v=v), sampled=True, step="2 ms", set={"lag.f": f})
    assert model.method["method"] == "complex-step"
    names = ["one.travel", "two.travel", "one.travel_rate", "two.travel_rate", "lag.f", "law.seen"]
    assert sorted(model.states) == sorted(names)
    start, h = np.array([*q, *v, f, seen]), 1e-5

    def after(y):
        law.seen = y[5]
        # fourth order on both sides: errors of some 1e-11
        log = ist.simulate(made, springs.state(q=y[:2], v=y[2:4]), until=T, step="1 ms", set={"lag.f": y[4]})
        return np.concatenate([log.q[-1], log.v[-1], [log["lag.f"][-1]]])

    places = [model.states.index(name) for name in names]
    for k, column in enumerate(places):
        e = h * np.eye(6)[k]
        slope = (after(start + e) - after(start - e)) / (2 * h)
        assert model.A[places[:5], column] == pytest.approx(slope, abs=1e-9)


SAMPLE, LATE, GAIN = 0.02, 0.01, -20.0  # s, s, N/m


def _delayed(late, delay=None):
    """Return a mass on a spring whose place is sampled 10 ms after each tick and fed back by a law."""
    mb = ist.Multibody("swing")
    mb.add_body("cart", mass=MASS, inertia=np.eye(3), joint=ist.Prismatic("x", stiffness=3.0))
    made = ist.Assembly("swing", vehicle=mb.compile()).add("rail", Rail(joint="cart"))
    made.add("sensor", Ruler(joint="cart"), every=SAMPLE, offset=LATE)
    made.add("law", lambda t, x: GAIN * x, every=SAMPLE, offset=late, out={"u": "N"})
    made.wire({"sensor.place": "law.x"}, delay=delay)
    return made.wire({"law.u": "rail.command"}), mb.compile().state()


def _poles_of_the_swing(age):
    """Return poles of the loop where the law, when it runs, has a place that was seen `age` samples before."""
    A = np.zeros((3, 3))
    A[0, 1], A[1, 0], A[1, 2] = 1.0, -3.0 / MASS, 1.0 / MASS
    flow = scipy.linalg.expm(A * SAMPLE)  # from one sample of sensor and law to the next
    seen = np.zeros((3 + age, 3 + age))
    seen[:3, :3] = flow
    seen[np.arange(3 + age)[3:], [0, *range(3, 2 + age)][:age]] = 1.0
    law = np.eye(3 + age)
    law[2] = 0.0
    law[2, 0 if age == 0 else 2 + age] = GAIN
    return np.linalg.eigvals(seen @ law)


@pytest.mark.parametrize(
    ("late", "delay", "age"),
    [("10 ms", None, 0), ("30 ms", None, 0), ("1.01 s", None, 0), ("10 ms", "10 ms", 1), ("10 ms", "20 ms", 1),
     ("10 ms", "30 ms", 2)],
)  # fmt: skip
@pytest.mark.parametrize("at", [0.0, 2.0])
def test_a_frame_has_the_samples_that_begin_a_period_late(late, delay, age, at):
    """Offsets, and delays of what has an offset: one pole is outside of the circle, from time zero on."""
    made, x = _delayed(late, delay)
    if at:
        x = ist.simulate(made, x, until=3, step="5 ms").point(at)
    model = ist.linearize(made, x, sampled=True)
    wanted = _poles_of_the_swing(age)
    assert np.abs(wanted).max() > 1.0005
    for pole in wanted[np.abs(wanted) > 0.01]:
        assert np.abs(model.poles() - pole).min() < 1e-9
    assert np.abs(model.poles()).max() == pytest.approx(np.abs(wanted).max(), abs=1e-9)
    said = [note for note in model.notes if "'law' (at" in note]
    assert len(said) == (at == 0.0 and late != "10 ms")
