"""Assemblies in time: schedules against exact tables, loops against closed forms, vehicles against other methods."""

from __future__ import annotations

from fractions import Fraction

import device_library
import numpy as np
import pytest
from device_library import (
    Accelerometer,
    Counter,
    DiscretePID,
    Drag,
    Encoder,
    Gain,
    IntegratingGyro,
    Lag,
    Motor,
    NoisyGyro,
    Rail,
    Ruler,
    StateSpace,
    Thruster,
    bus_and,
)
from scipy.linalg import expm

import interstage as ist
from interstage.errors import InputError, InterstageError, SolverError


@pytest.fixture(scope="module")
def vehicle():
    return bus_and("arm", 2.0, [1, 0, 0], [0.1, 0.3, 0.3])


@pytest.fixture(scope="module")
def cart():
    return device_library.cart()


# time -----------------------------------------------------------------------------------------------


def test_samples_fall_exactly_where_they_should():
    periods = {"third": "1/3 s", "seventh": "1/7 s", "fiftieth": 0.02}
    made = ist.Assembly("clock")
    for name, every in periods.items():
        made.add(name, Counter(), every=every)
    log = ist.simulate(made, None, until=2, step=1.0)
    for name, every in (
        ("third", Fraction(1, 3)),
        ("seventh", Fraction(1, 7)),
        ("fiftieth", Fraction(1, 50)),
    ):
        exact = [float(k * every) for k in range(int(2 / every) + 1)]
        assert log[f"{name}.at"].tolist() == exact and log.times(f"{name}.at").tolist() == exact
        assert log[f"{name}.n"].tolist() == list(range(1, len(exact) + 1))
    # steps lead from each due instant to the next
    union = sorted(
        {k * e for e in (Fraction(1, 3), Fraction(1, 7), Fraction(1, 50)) for k in range(int(2 / e) + 1)}
    )
    assert log.t.tolist() == pytest.approx([float(t) for t in union], abs=1e-15)


def test_offsets_and_delays_follow_a_table():
    made = ist.Assembly("delays").add("count", Counter(), every=1)
    for name, delay in (("none", 0), ("half", "1/2 s"), ("one", 1), ("long", "5/2 s")):
        made.add(name, lambda t, u: u, every="1/2 s", out={"y": "1"})
        made.wire({"count.n": f"{name}.u"}, delay=delay)
    made.add("late", Counter(), every=1, offset="1/4 s")
    log = ist.simulate(made, None, until=4, step=1)
    n = [1, 1, 2, 2, 3, 3, 4, 4, 5]  # what `count` says at 0, 0.5, ... 4
    assert log["none.y"].tolist() == n
    assert log["half.y"].tolist() == [0, *n[:-1]]
    assert log["one.y"].tolist() == [0, 0, *n[:-2]]
    assert log["long.y"].tolist() == [0, 0, 0, 0, 0, *n[:-5]]
    assert log["late.at"].tolist() == [0.25, 1.25, 2.25, 3.25]


def test_what_a_device_says_may_reach_others_late():
    """A delay of the device and one of the wire add up."""
    made = ist.Assembly("late").add("count", Counter(delay="1/2 s"), every=1)
    for name, delay in (("one", 0), ("two", "1/2 s")):
        made.add(name, lambda t, u: u, every="1/2 s", out={"y": "1"})
        made.wire({"count.n": f"{name}.u"}, delay=delay)
    log = ist.simulate(made, None, until=3, step=1)
    n = [1, 1, 2, 2, 3, 3, 4]  # what `count` says at 0, 0.5, ... 3
    assert log["one.y"].tolist() == [0, *n[:-1]]
    assert log["two.y"].tolist() == [0, 0, *n[:-2]]


def test_order_at_a_tick_is_sensors_software_step(cart):
    seen = []

    def first(t, x):
        seen.append(("first", t, x))
        return 1.0 if t >= 1.0 else 0.0

    def second(t, u, x):
        seen.append(("second", t, u, x))
        return u

    made = ist.Assembly("order", vehicle=cart)
    made.add("second", second, every="1/2 s", out={"y": "N"}).add(
        "first", first, every="1/2 s", out={"y": "1"}
    )
    made.add("sensor", Ruler(joint="cart"), every="1/2 s").add("rail", Rail(joint="cart"))
    made.wire({"first.y": "second.u", "sensor.place": ["first.x", "second.x"], "second.y": "rail.command"})
    log = ist.simulate(made, cart.state(v=[1.0]), until=2, step="0.1 s")
    assert [entry[0] for entry in seen] == ["first", "second"] * 5
    # the force of 1 N acts from the tick on at which software asked for it
    exact = [t + 0.25 * max(0.0, t - 1.0) ** 2 for t in log.t]
    assert log["rail.place"] == pytest.approx(exact, abs=1e-14)
    assert [entry[2] for entry in seen if entry[0] == "first"] == pytest.approx(
        [0, 0.5, 1, 1.5 + 0.0625, 2.25]
    )
    assert [entry[2] for entry in seen if entry[0] == "second"] == [0, 0, 1, 1, 1]


# closed forms ---------------------------------------------------------------------------------------


def test_a_linear_device_follows_the_matrix_exponential():
    A = np.array([[0.0, 1.0], [-4.0, -0.4]])
    made = ist.Assembly("linear").add(
        "plant", StateSpace(A=A, B=np.ones((2, 1)), C=np.eye(2), x=[1.0, 0.0], u=[0.0])
    )
    log = ist.simulate(made, None, until=3, step="1 ms")
    assert log["plant.y"][-1] == pytest.approx(expm(3 * A) @ [1.0, 0.0], abs=1e-11)
    assert log["plant.x"].shape == (3001, 2)


def test_a_discrete_pid_on_a_double_integrator_is_the_recursion(cart):
    T, kp, ki, kd = 0.1, 4.0, 0.5, 6.0
    made = ist.Assembly("loop", vehicle=cart).add("rail", Rail(joint="cart"))
    made.add("pid", DiscretePID(kp=kp, ki=ki, kd=kd, wanted=1.0), every="0.1 s")
    made.add("see", lambda t, x: x, out={"y": "1"}).add("act", lambda t, u: u, out={"y": "N"})
    made.wire({"rail.place": "see.x", "see.y": "pid.seen", "pid.u": "act.u", "act.y": "rail.command"})
    log = ist.simulate(made, None, until=5, step="50 ms")
    x, v, total, last, found = 0.0, 0.0, 0.0, 0.0, []
    for _ in range(51):
        e = 1.0 - x
        total += e * T
        u = kp * e + ki * total + kd * (e - last) / T
        last = e
        found.append((x, u))
        x, v = x + v * T + 0.5 * u / 2.0 * T**2, v + u / 2.0 * T
    assert log["pid.u"] == pytest.approx([u for _, u in found], abs=1e-10)
    assert log["rail.place"][::2] == pytest.approx([x for x, _ in found], abs=1e-10)


def test_a_multirate_loop_with_delay_is_its_lifted_matrix(cart):
    """Sensor at 10 Hz, law at 5 Hz, its command 0.1 s late: powers of one matrix over a frame of 0.2 s."""
    k, c = 3.0, 2.0
    made = ist.Assembly("lifted", vehicle=cart).add("rail", Rail(joint="cart"))
    made.add("sensor", Ruler(joint="cart"), every="0.1 s")
    made.add("law", Law2(k, c), every="0.2 s", out={"u": "N"})
    made.wire({"sensor.place": "law.x"}).wire({"law.u": "rail.command"}, delay="0.1 s")
    log = ist.simulate(made, cart.state(q=[1.0]), until=4, step="0.1 s")
    T = 0.1
    F, G = np.array([[1, T], [0, 1]]), np.array([T * T / 2, T]) / 2.0
    # state at the beginning of a frame: x, v, u that acts, x seen in the frame before
    x, u, before, places = np.array([1.0, 0.0]), 0.0, 0.0, []
    for _ in range(20):
        places.append(x[0])
        new = -k * x[0] - c * (x[0] - before) / 0.2
        before = x[0]
        x = F @ x + G * u
        places.append(x[0])
        x, u = F @ x + G * new, new
    assert log["rail.place"][:-1] == pytest.approx(places, abs=1e-10)


class Law2:
    """A law with memory: attributes."""

    def __init__(self, k, c):
        self.k, self.c, self.before = k, c, 0.0

    def __call__(self, t, x):
        u = -self.k * x - self.c * (x - self.before) / 0.2
        self.before = x
        return u


# vehicles -------------------------------------------------------------------------------------------


def test_devices_on_a_vehicle_are_the_forces_of_simulate(vehicle):
    """Thrust that follows a point, drag, a motor: the same as a law of `simulate` asked at every step's stages."""
    made = ist.Assembly("flight", vehicle=vehicle)
    made.add("jet", Thruster(at=("bus", [0, 0.5, 0]), throttle=1.0, thrust="7 N"))
    made.add("drag", Drag(at="bus", c=0.4, k=0.3)).add(
        "motor", Motor(joint="arm", stiffness=2.0, damping=0.1)
    )
    x = vehicle.state()
    x["bus"].velocity[:] = [0.1, -0.2, 0.3, 1.0, 0.5, -0.2]
    x["arm"].q[:] = 0.4
    log = ist.simulate(made, x, until=1, step="1 ms")

    def slope(t, y):
        s = vehicle.state(y[: vehicle.nq], y[vehicle.nq :])
        V = vehicle.velocity(s, "bus", frame="body")
        wrench = np.concatenate([-0.3 * V[:3], -0.4 * V[3:]])
        thrust = np.array([0, 0, 0, 7.0, 0, 0])
        tau = np.zeros(vehicle.nv)
        tau[6] = -2.0 * s["arm"].q[0] - 0.1 * s["arm"].v[0]
        R = vehicle.rotation(s, "bus")
        world = [np.concatenate([R @ w[:3], R @ w[3:]]) for w in (wrench, thrust)]
        vdot = vehicle.forward_dynamics(s, {("bus", None): world[0], ("bus", (0, 0.5, 0)): world[1]}, tau)
        return np.concatenate([vehicle.rates(s), vdot])

    from scipy.integrate import solve_ivp

    exact = solve_ivp(slope, (0, 1), np.concatenate([x.q, x.v]), rtol=1e-11, atol=1e-12, method="DOP853").y[
        :, -1
    ]
    found = np.concatenate([log.q[-1], log.v[-1]])
    assert found == pytest.approx(exact, abs=3e-11)


def test_places_show_what_the_system_says(vehicle):
    class Everything(ist.Device):
        at = ist.Site()
        position = at.position()
        attitude = at.attitude()
        w_world = at.rate("world")
        w_body = at.rate("body")
        v_world = at.velocity("world")
        v_node = at.velocity("node")
        a_world = at.acceleration("world")
        a_body = at.acceleration("body")
        alpha = at.angular_acceleration("world")
        copy = ist.Out("m", 3)

        def outputs(d, t):
            d.copy[:] = d.position

    point = [0.3, -0.2, 0.1]
    made = ist.Assembly("look", vehicle=vehicle).add("it", Everything(at=("arm", point)))
    made.add("jet", Thruster(at="bus", throttle=2.0))
    x = vehicle.state()
    x["bus"].quaternion[:] = np.array([0.5, 0.5, 0.5, 0.5])
    x.v[:] = np.linspace(-0.6, 0.7, vehicle.nv)
    x["arm"].q[:] = 0.7
    log = ist.simulate(made, x, until=0.1, step="10 ms")
    for k in (0, -1):
        s = log.state(k)
        R = vehicle.rotation(s, "arm")
        thrust = np.concatenate([np.zeros(3), vehicle.rotation(s, "bus") @ [20.0, 0, 0]])
        vdot = vehicle.forward_dynamics(s, {"bus": thrust})
        V, A = vehicle.velocity(s, "arm", point), vehicle.acceleration(s, vdot, "arm", point)
        assert log["it.position"][k] == pytest.approx(vehicle.position(s, "arm", point), abs=1e-14)
        assert ist.Rotation.from_quaternion(log["it.attitude"][k]).matrix == pytest.approx(R, abs=1e-14)
        for name, value in (
            ("w_world", V[:3]),
            ("w_body", R.T @ V[:3]),
            ("v_world", V[3:]),
            ("v_node", R.T @ V[3:]),
            ("a_world", A[3:]),
            ("a_body", R.T @ A[3:]),
            ("alpha", A[:3]),
        ):
            assert log[f"it.{name}"][k] == pytest.approx(value, abs=1e-12), name
    assert log.velocity("arm", point)[-1] == pytest.approx(V)


def test_an_accelerometer_in_free_fall_feels_nothing(vehicle):
    made = ist.Assembly("fall", vehicle=vehicle).add("feel", Accelerometer(at=("bus", [0.1, 0, 0])))
    made.add("hold", Motor(joint="arm"))
    x = vehicle.state()
    log = ist.simulate(made, x, until=0.1, step="10 ms")
    assert np.abs(log["feel.felt"]).max() < 1e-12


def test_an_integrating_gyro_keeps_the_mean_rate(vehicle):
    made = ist.Assembly("gyro", vehicle=vehicle).add("gyro", IntegratingGyro(at="bus"), every="50 ms")
    made.add("jet", Thruster(at=("bus", [0, 0.5, 0]), throttle=1.0))
    log = ist.simulate(made, None, until=1, step="5 ms")
    angle = np.cumsum(log["gyro.rate"][1:], axis=0) * 0.05
    assert angle[-1] == pytest.approx(log["gyro.theta"][-1], abs=1e-14)
    assert np.abs(angle[-1]).max() > 0.1


def test_noise_is_the_same_in_every_run_and_ideal_devices_have_none(vehicle):
    def run(seed):
        made = ist.Assembly("noise", vehicle=vehicle, seed=seed).add(
            "gyro", NoisyGyro(at="bus"), every="10 ms"
        )
        return ist.simulate(made, None, until=1, step="10 ms")["gyro.rate"]

    assert np.array_equal(run(1), run(1)) and not np.array_equal(run(1), run(2))
    assert run(1).std() == pytest.approx(1e-3, rel=0.2)


def test_a_prescribed_joint_follows_the_acceleration_of_a_device():
    mb = ist.Multibody("driven")
    mb.add_body("arm", mass=2.0, com=[1, 0, 0], inertia=np.eye(3), joint=ist.Revolute("z", prescribed=True))
    vehicle = mb.compile()

    class Drive(ist.Device):
        joint = ist.JointRef()
        acceleration = joint.motion()

        def outputs(d, t):
            d.acceleration = np.cos(t)

    log = ist.simulate(
        ist.Assembly("x", vehicle=vehicle).add("d", Drive(joint="arm")), None, until=2, step="10 ms"
    )
    assert log["arm"].q[:, 0] == pytest.approx(1.0 - np.cos(log.t), abs=1e-9)
    with pytest.raises(InputError, match=r"'m.torque' needs a free joint .*got a prescribed one"):
        ist.simulate(ist.Assembly("x", vehicle=vehicle).add("m", Motor(joint="arm")), None, until=1)


def test_loads_of_an_operating_point_act_beside_devices(cart):
    point = ist.trim(cart, cart.state(), tau=[0.0])
    point.loads.tau[:] = 4.0
    log = ist.simulate(
        ist.Assembly("x", vehicle=cart).add("see", Ruler(joint="cart"), every=1), point, until=1
    )
    assert log["cart"].q[-1] == pytest.approx(1.0, abs=1e-12)


# logs -----------------------------------------------------------------------------------------------


def test_logs_know_ports_bodies_and_states(vehicle):
    made = (
        ist.Assembly("log", vehicle=vehicle)
        .add("enc", Encoder(joint="arm"), every="20 ms")
        .add("lag", Lag(u=1.0))
    )
    x = vehicle.state()
    x["arm"].v[:] = 1.0
    log = ist.simulate(made, x, until=1, step="10 ms", log_step="50 ms")
    assert len(log.t) == 21 and log["lag.y"].shape == (21,) and log["enc.angle"].shape == (51,)
    assert log["bus"].position.shape == (21, 3)
    assert log["lag.x"] == pytest.approx(1 - np.exp(-2 * log.t), abs=1e-8)
    with pytest.raises(InputError, match=r"there is no port or state 'enc.angel'.*did you mean enc.angle"):
        log["enc.angel"]
    few = ist.simulate(made, x, until=1, step="10 ms", keep=["lag.*"])
    assert few.names() == ["lag.y", "lag.x", "lag.u"]
    with pytest.raises(InputError, match=r"'enc.angle' was not kept in the log"):
        few["enc.angle"]


def test_a_flight_goes_on_from_where_another_ended():
    made = ist.Assembly("two").add("lag", Lag(u=1.0)).add("c", Counter(), every="1/4 s")
    once = ist.simulate(made, None, until=1, step="10 ms")
    twice = ist.simulate(made, once.end, until=1, step="10 ms")
    assert twice["lag.x"][-1] == pytest.approx(1 - np.exp(-4), abs=1e-8)
    assert twice["c.n"][0] == once["c.n"][-1] + 1


def test_inputs_that_nothing_is_wired_to_are_held():
    made = ist.Assembly("held").add("lag", Lag())
    with pytest.raises(InputError, match=r"nothing is wired to 'lag.u'"):
        ist.simulate(made, None, until=1)
    log = ist.simulate(made, None, until=5, step="10 ms", set={"lag.u": "0.002 kN", "lag.tau": 0.1})
    assert log["lag.y"][-1] == pytest.approx(2.0)


# what goes wrong ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda t, n: float("nan"), r"'bad'.y at t = 0.5 is not finite; got nan"),
        (
            lambda t, n: [1.0, 2.0],
            r"'bad'.y at t = 0.5 has the wrong size; expected one number, got shape \(2,\)",
        ),
        (lambda t, n: None, r"'bad' returned nothing at t = 0.5; expected a dictionary with y"),
        (lambda t, n: {"z": 1.0}, r"'bad' returned 'z' at t = 0.5, which is not among its outputs"),
        (lambda t, n: {}, r"'bad' did not return 'y' at t = 0.5"),
        (lambda t, n: "high", r"'bad'.y at t = 0.5 is not a number"),
        (lambda t, n: 1 / 0, r"'bad' failed at t = 0.5; got ZeroDivisionError: division by zero"),
        (lambda t, n: 1j, r"'bad'.y at t = 0.5 is complex"),
    ],
)
def test_a_law_that_fails_ends_the_run_with_a_sentence_and_the_log(answer, said):
    made = ist.Assembly("x").add("c", Counter(), every="1/4 s")
    made.add("bad", lambda t, n: answer(t, n) if n > 2 else 0.0, every="1/4 s", out={"y": "1"}).wire(
        {"c.n": "bad.n"}
    )
    with pytest.raises(InterstageError, match=said) as err:
        ist.simulate(made, None, until=2, step="0.1 s")
    assert err.value.log.t[-1] < 0.5 and len(err.value.log.t) > 3


def test_a_continuous_law_that_fails_ends_the_run_too():
    made = ist.Assembly("x").add("bad", lambda t: 1.0 / (t < 0.3), out={"y": "N"}).add("lag", Lag())
    with pytest.raises(SolverError, match=r"'bad' failed at t = 0.3; got ZeroDivisionError"):
        ist.simulate(made.wire({"bad.y": "lag.u"}), None, until=1, step="0.1 s")


def test_a_run_that_explodes_is_stopped():
    made = ist.Assembly("x").add("p", StateSpace(A=[[-1e3]], B=[[1.0]], C=[[1.0]], x=[1.0], u=[0.0]))
    with pytest.raises(SolverError, match=r"went to infinity .*'p\.x'"):
        ist.simulate(made, None, until=100, step="0.1 s")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"until": -1}, "until must be a positive time"),
        ({"step": 0}, "step must be a positive time"),
        ({"method": "ros9"}, "unknown method"),
        ({"control": print}, "control is not for assemblies"),
        ({"set": {"lag.uu": 1}}, r"there is no port or state 'lag.uu'.*did you mean lag.u"),
        ({"set": {"lag.u": "1 m"}}, "the units do not fit"),
        ({"keep": ["nothing"]}, "there is no port or state 'nothing'"),
    ],
)
def test_bad_arguments_are_refused(arguments, said):
    made = ist.Assembly("x").add("lag", Lag(u=1.0))
    with pytest.raises(InputError, match=said):
        ist.simulate(made, None, **({"until": 1, "step": 0.1} | arguments))


def test_places_that_are_not_there_are_named(vehicle):
    made = ist.Assembly("x", vehicle=vehicle).add("g", NoisyGyro(at="bos"), every=1)
    with pytest.raises(
        InputError, match=r"'g.omega' has no place on the vehicle; got there is no body 'bos'"
    ):
        ist.simulate(made, None, until=1)
    made = ist.Assembly("x", vehicle=vehicle).add("m", Motor(joint="bus"))
    with pytest.raises(
        InputError, match=r"'m.angle' does not fit the joint of body 'bus'; expected 7 numbers, got 1"
    ):
        ist.simulate(made, None, until=1)
    with pytest.raises(InputError, match="keep belongs to assemblies"):
        ist.simulate(vehicle, vehicle.state(), until=1, step=0.1, keep=["x"])


@pytest.mark.kernels
def test_a_small_flight_runs_without_compilation_too(cart):
    made = ist.Assembly("x", vehicle=cart).add("rail", Rail(joint="cart"))
    made.add("sensor", Ruler(joint="cart"), every="0.1 s").add(
        "law", lambda t, x: -x, every="0.2 s", out={"u": "N"}
    )
    made.wire({"sensor.place": "law.x", "law.u": "rail.command"})
    log = ist.simulate(made, cart.state(q=[1.0]), until=1, step="0.1 s")
    x, v = 1.0, 0.0
    for _ in range(5):
        u = -x / 2.0
        x, v = x + 0.2 * v + 0.02 * u, v + 0.2 * u
    assert log["rail.place"][-1] == pytest.approx(x, abs=1e-13)


def test_gains_and_time(cart):
    made = ist.Assembly("x").add("g", Gain(u=1.0, b=2.0, w="90 deg/s", k=0.5))
    log = ist.simulate(made, None, until=2, step="0.5 s")
    # rows at the beginning of a step show what is just after it, by 4e-16 of the time or so
    assert log["g.y"] == pytest.approx(0.5 + 2.0 * np.cos(np.pi / 2 * log.t), abs=1e-14)
