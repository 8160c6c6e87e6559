"""Linear models of assemblies: closed forms, python-control, sympy, differences, and the nonlinear run."""

from __future__ import annotations

import device_library
import numpy as np
import pytest
import sympy
from device_library import Lag, Rail, Ruler, Wrench
from scipy.linalg import block_diag, expm

import interstage as ist
from interstage.errors import InputError, SolverError


class Eye(ist.Device):
    joint = ist.JointRef("m")
    x = joint.coordinate()
    place = ist.Out("m")

    def outputs(d, t):
        d.place = d.x


class Integrator(ist.Device):
    e, total, y = ist.In("m"), ist.DiscreteState("m*s"), ist.Out("m*s")

    def sample(d, t):
        d.total += d.e * d.period
        d.y = d.total


@pytest.fixture(scope="module")
def cart():
    return device_library.cart(stiffness=3.0, damping=0.4)


@pytest.fixture(scope="module")
def pendulum():
    mb = ist.Multibody("pendulum on a cart", gravity=[0, 0, -9.81])
    mb.add_body("cart", mass=2.0, inertia=np.eye(3), joint=ist.Prismatic("x"))
    mb.add_body(
        "rod",
        mass=0.5,
        com=[0, 0, 0.8],
        inertia=np.diag([0.1, 0.1, 0.0]) + 1e-9 * np.eye(3),
        parent="cart",
        joint=ist.Revolute("y"),
    )
    return mb.compile()


def test_a_lag_before_a_cart_is_its_matrix(cart):
    made = ist.Assembly("open", vehicle=cart).add("rail", Rail(joint="cart")).add("lag", Lag(tau=0.25))
    made.wire({"lag.y": "rail.command"})
    lin = ist.linearize(made, cart.state(), inputs=["lag.u"], outputs=["rail.place", "lag.y"])
    assert lin.states[2] == "lag.x" and len(lin.states) == 3
    assert pytest.approx(np.array([[0, 1, 0], [-1.5, -0.2, 0.5], [0, 0, -4.0]]), abs=1e-14) == lin.A
    assert (
        lin.B[:, 0] == pytest.approx([0, 0, 4.0]) and pytest.approx(np.array([[1, 0, 0], [0, 0, 1]])) == lin.C
    )
    assert lin.inputs == ["lag.u"] and lin.output_units == ["m", "N"]


def test_a_continuous_loop_agrees_with_sympy(pendulum):
    """Cart and pendulum with a nonlinear continuous law: A by complex steps against symbolic derivatives."""
    made = (
        ist.Assembly("loop", vehicle=pendulum).add("rail", Rail(joint="cart")).add("eye", Eye(joint="cart"))
    )
    made.add("law", lambda t, x: -3.0 * np.sin(x), out={"u": "N"})
    made.wire({"eye.place": "law.x", "law.u": "rail.command"})
    x0 = pendulum.state(q=[0.3, 0.4], v=[0.2, -0.5])
    found = ist.linearize(made, x0).A
    x, th, v, w = sympy.symbols("x th v w")
    M, m, l, g, J = 2.0, 0.5, 0.8, 9.81, 0.1 + 1e-9
    c, s = sympy.cos(th), sympy.sin(th)
    mass = sympy.Matrix([[M + m, m * l * c], [m * l * c, J + m * l**2]])
    force = sympy.Matrix([-3 * sympy.sin(x) + m * l * s * w**2, m * g * l * s])
    f = sympy.Matrix([v, w, *(mass.inv() * force)])
    exact = f.jacobian([x, th, v, w]).subs({x: 0.3, th: 0.4, v: 0.2, w: -0.5})
    assert found == pytest.approx(np.array(exact, dtype=float), abs=1e-12)


def test_an_input_that_is_wired_is_cut_there_and_held(cart):
    made = ist.Assembly("cut", vehicle=cart).add("rail", Rail(joint="cart")).add("eye", Eye(joint="cart"))
    made.add("law", lambda t, x: -100.0 * x, out={"u": "N"})
    made.wire({"eye.place": "law.x", "law.u": "rail.command"})
    closed = ist.linearize(made, cart.state())
    opened = ist.linearize(made, cart.state(q=[0.1]), inputs="rail.command", outputs="law.u")
    assert closed.A[1, 0] == pytest.approx(-51.5) and opened.A[1, 0] == pytest.approx(-1.5)
    assert opened.B[1, 0] == pytest.approx(0.5) and opened.C[0, 0] == pytest.approx(-100.0)


def test_sampled_outputs_are_what_an_ideal_sample_would_say(cart):
    made = ist.Assembly("see", vehicle=cart).add("sensor", Ruler(joint="cart", sigma=0.1), every="10 ms")
    lin = ist.linearize(made, cart.state(), outputs=["sensor.*"])
    assert [lin.C[lin.outputs.index(f"sensor.{n}")].tolist() for n in ("place", "speed")] == [[1, 0], [0, 1]]


def test_a_quaternion_state_has_three_small_turns():
    mb = ist.Multibody("free")
    mb.add_body("bus", mass=10.0, inertia=np.diag([1.0, 2.0, 3.0]), joint=ist.Free())
    system = mb.compile()

    class Torquer(ist.Device):
        at = ist.Site()
        attitude = at.attitude()
        rate = at.rate("body")
        torque = at.torque("body")

        def outputs(d, t):
            for k in range(3):
                d.torque[k] = -2.0 * 2.0 * d.attitude[k + 1] - 3.0 * d.rate[k]

    lin = ist.linearize(ist.Assembly("pd", vehicle=system).add("pd", Torquer(at="bus")), system.state())
    wx = lin.states.index("bus.wx")
    assert lin.A[wx, lin.states.index("bus.rx")] == pytest.approx(-2.0) and lin.A[wx, wx] == pytest.approx(
        -3.0
    )


# sampled --------------------------------------------------------------------------------------------


def loop_of(cart, law, **more):
    made = ist.Assembly("loop", vehicle=cart).add("rail", Rail(joint="cart"))
    made.add("sensor", Ruler(joint="cart", sigma=0.1), every="0.1 s").add(
        "law", law, every="0.1 s", out={"u": "N"}
    )
    return made.wire({"sensor.place": "law.x", "sensor.speed": "law.v"}).wire(
        {"law.u": "rail.command"}, **more
    )


def discrete(T=0.1):
    A, B = np.array([[0, 1], [-1.5, -0.2]]), np.array([[0.0], [0.5]])
    whole = expm(T * np.block([[A, B], [np.zeros((1, 3))]]))
    return whole[:2, :2], whole[:2, 2:]


def test_a_sampled_loop_is_zero_order_hold_and_law(cart):
    F, G = discrete()
    model = ist.linearize(
        loop_of(cart, lambda t, x, v: -4.0 * x - 2.0 * v), cart.state(), sampled=True, step="1 ms"
    )
    exact = F - G @ [[4.0, 2.0]]
    assert model.dt == 0.1 and pytest.approx(exact, abs=1e-10) == model.A
    assert model.method["method"] == "complex-step"
    assert abs(model.poles()).max() == pytest.approx(abs(np.linalg.eigvals(exact)).max(), abs=1e-10)


def test_a_delay_adds_its_state(cart):
    F, G = discrete()
    model = ist.linearize(
        loop_of(cart, lambda t, x, v: -4.0 * x, delay="0.1 s"), cart.state(), sampled=True, step="1 ms"
    )
    exact = np.block([[F, G], [np.array([[-4.0, 0.0]]), np.zeros((1, 1))]])
    assert np.sort_complex(model.poles()) == pytest.approx(
        np.sort_complex(np.linalg.eigvals(exact)), abs=1e-10
    )


def test_a_long_delay_adds_a_line_of_states(cart):
    F, G = discrete()
    made = loop_of(cart, lambda t, x, v: -4.0 * x, delay="0.3 s")
    line = np.diag([1.0, 1.0], -1)
    exact = block_diag(F, line)
    exact[:2, -1:] = G
    exact[2, 0] = -4.0
    found = ist.linearize(made, cart.state(), sampled=True, step="1 ms").poles()
    assert np.sort(abs(found)) == pytest.approx(np.sort(abs(np.linalg.eigvals(exact))), abs=1e-10)


def test_a_law_that_remembers_brings_its_memory(cart):
    class Integral:
        def __init__(self):
            self.total, self.gain, self.count = 0.0, 0.5, 0

        def __call__(self, t, x, v):
            self.total = self.total + 0.1 * x
            self.count += 1
            return -4.0 * x - 2.0 * v - self.gain * self.total

    F, G = discrete()
    law = Integral()
    model = ist.linearize(loop_of(cart, law), cart.state(), sampled=True, step="1 ms")
    exact = np.zeros((3, 3))
    exact[:2, :2] = F - G @ [[4.0 + 0.05, 2.0]]
    exact[:2, 2:] = -0.5 * G
    exact[2] = [0.1, 0, 1]
    assert np.sort_complex(model.poles()) == pytest.approx(
        np.sort_complex(np.linalg.eigvals(exact)), abs=1e-10
    )
    assert "law.total" in model.states and "law.gain" not in model.states
    assert law.total == 0.0 and law.count == 0


def test_a_law_that_drops_complex_numbers_is_differenced(cart):
    F, G = discrete()
    for law in (
        lambda t, x, v: -4.0 * np.real(x) - 2.0 * np.real(v),
        lambda t, x, v: -4.0 * float(x) - 2.0 * float(v),
    ):
        model = ist.linearize(loop_of(cart, law), cart.state(), sampled=True, step="1 ms")
        assert model.method["method"] == "central-2"
        assert pytest.approx(F - G @ [[4.0, 2.0]], abs=1e-8) == model.A


class Attracted(ist.Device):
    body = ist.Site()
    r, push = body.position(), body.force("world")
    seen, force = ist.Out("m", 3), ist.In("N", 3)

    def outputs(d, t):
        d.seen[:] = d.r
        d.push[:] = d.force


def test_differences_are_as_long_as_states_are_large():
    """Gravity by a law that drops complex numbers, 7000 km from the center: μ/r³ (3 e eᵀ - 1) in closed form.

    A step of 1e-6 m would leave 1e-4 of it, one of 7 m has truncation (h/r)² = 1e-12 and rounding 1e-9.
    """
    mu, place = 3.986e14, np.array([6e6, 2e6, -3e6])
    mb = ist.Multibody("satellite")
    mb.add_body("bus", mass=1.0, inertia=np.eye(3), joint=ist.Free())
    system = mb.compile()

    def law(t, r):
        r = np.real(r)
        return -mu * r / np.linalg.norm(r) ** 3

    made = ist.Assembly("orbit", vehicle=system).add("pull", Attracted(body="bus"))
    made.add("law", law, out={"f": "N[3]"}).wire({"pull.seen": "law.r", "law.f": "pull.force"})
    x = system.state()
    x["bus"].position[:] = place
    lin = ist.linearize(made, x)
    assert lin.method["method"] == "central-2"
    r = np.linalg.norm(place)
    exact = mu / r**3 * (3.0 * np.outer(place, place) / r**2 - np.eye(3))
    rows = [lin.states.index(f"bus.v{axis}") for axis in "xyz"]
    columns = [lin.states.index(f"bus.{axis}") for axis in "xyz"]
    assert np.abs(lin.A[np.ix_(rows, columns)] - exact).max() < 1e-8 * np.abs(exact).max()


def test_a_limit_that_is_near_does_not_spoil_the_slope(cart):
    """A law that is clipped at 0.1 µm: differences of 1 µm would clip it, its slope at zero is that of the law."""

    def loop(law):
        made = ist.Assembly("loop", vehicle=cart).add("rail", Rail(joint="cart"))
        made.add("eye", Eye(joint="cart"))
        made.add("law", law, out={"u": "N"}, every=0.1)
        made.wire({"eye.place": "law.x", "law.u": "rail.command"})
        return ist.linearize(made, cart.state(), sampled=True, step="1 ms")

    clipped, free = (
        loop(law) for law in (lambda t, x: -2.0 * np.clip(x, -1e-7, 1e-7), lambda t, x: -2.0 * x)
    )
    assert clipped.method["method"] == "complex-step"
    assert pytest.approx(free.A, abs=1e-12) == clipped.A


def test_discrete_states_of_devices_and_several_rates(cart):
    """Integrator at 5 Hz, sensor at 10 Hz: eigenvalues of the hand-made map of a frame of 0.2 s."""
    made = ist.Assembly("rates", vehicle=cart).add("rail", Rail(joint="cart"))
    made.add("sensor", Ruler(joint="cart", sigma=0.1), every="0.1 s").add("sum", Integrator(), every="0.2 s")
    made.add("law", lambda t, x, i: -4.0 * x - 0.5 * i, every="0.1 s", out={"u": "N"})
    made.wire({"sensor.place": ["law.x", "sum.e"], "sum.y": "law.i", "law.u": "rail.command"})
    F, G = discrete()
    S = np.eye(3)
    S[2, 0] = 0.2  # the integrator takes the place at the beginning of the frame
    half = np.eye(3)
    half[:2, :2], half[:2, 2:] = F - G @ [[4.0, 0.0]], -0.5 * G
    model = ist.linearize(made, cart.state(), sampled=True, step="1 ms")
    assert model.dt == 0.2
    exact = np.linalg.eigvals(half @ half @ S)
    assert np.sort_complex(model.poles()) == pytest.approx(np.sort_complex(exact), abs=1e-10)


def test_inputs_and_outputs_of_a_frame(cart):
    made = (
        ist.Assembly("io", vehicle=cart)
        .add("rail", Rail(joint="cart"))
        .add("sensor", Ruler(joint="cart", sigma=0.1), every="0.1 s")
    )
    F, G = discrete()
    model = ist.linearize(
        made, cart.state(), inputs="rail.command", outputs="sensor.place", sampled=True, step="1 ms"
    )
    assert pytest.approx(F, abs=1e-10) == model.A and pytest.approx(G, abs=1e-10) == model.B
    assert pytest.approx(np.array([[1.0, 0.0]])) == model.C and pytest.approx(np.zeros((1, 1))) == model.D
    z = np.exp(2j * np.pi * 0.7 * 0.1)
    assert model.frequency_response(0.7)[0, 0, 0] == pytest.approx(
        np.linalg.solve(z * np.eye(2) - F, G)[0, 0]
    )


def test_python_control_agrees(cart):
    control = pytest.importorskip("control")
    model = ist.linearize(
        loop_of(cart, lambda t, x, v: -4.0 * x - 2.0 * v), cart.state(), sampled=True, step="1 ms"
    )
    plant = control.ss([[0, 1], [-1.5, -0.2]], [[0], [0.5]], np.eye(2), np.zeros((2, 1))).sample(0.1)
    closed = plant.feedback(control.ss([], [], [], [[4.0, 2.0]], 0.1))
    assert np.sort_complex(closed.poles()) == pytest.approx(np.sort_complex(model.poles()), abs=1e-10)
    assert model.to_control().dt == 0.1


def test_a_spinning_vehicle_agrees_with_differences_of_the_run():
    """The map of a frame about a moving point against differences of `simulate` itself."""
    mb = ist.Multibody("spin")
    mb.add_body("bus", mass=10.0, com=[0.1, 0, 0], inertia=np.diag([1.0, 2.0, 2.5]), joint=ist.Free())
    system = mb.compile()

    class Gyro(ist.Device):
        at = ist.Site()
        w, y = at.rate("body"), ist.Out("rad/s", 3)

        def sample(d, t):
            d.y[:] = d.w

    made = (
        ist.Assembly("spin", vehicle=system)
        .add("gyro", Gyro(at="bus"), every="50 ms")
        .add("jets", Wrench(at="bus"))
    )
    made.add("law", lambda t, w: -2.0 * w, every="0.1 s", out={"u": "N*m[3]"})
    made.wire({"gyro.y": "law.w", "law.u": "jets.torque"})
    x0 = system.state(v=[0.3, -0.4, 0.5, 1.0, 0.2, -0.1])
    model = ist.linearize(made, x0, sampled=True, step="10 ms")
    rates = [model.states.index(f"bus.w{a}") for a in "xyz"]
    h = 1e-5
    for k in range(3):
        ends = []
        for sign in (1, -1):
            x = x0.copy()
            x.v[k] += sign * h
            ends.append(ist.simulate(made, x, until=0.1, step="10 ms").v[-1, :3])
        assert model.A[rates, rates[k]] == pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"inputs": ["rail.comand"]}, "there is no port 'rail.comand'.*did you mean rail.command"),
        ({"outputs": ["rail.plac"]}, "there is no port or state 'rail.plac'"),
        ({"inputs": [ist.JointForce("cart")]}, "inputs and outputs of an assembly are names"),
        ({"sampled": True}, "nothing in the assembly is sampled"),
    ],
)
def test_bad_arguments_are_refused(cart, arguments, said):
    with pytest.raises(InputError, match=said):
        ist.linearize(
            ist.Assembly("x", vehicle=cart).add("rail", Rail(joint="cart")), cart.state(), **arguments
        )


# trim -----------------------------------------------------------------------------------------------


def test_a_trim_brings_structure_and_devices_to_rest(cart):
    """3 N through a lag against a spring of 3 N/m: one metre; the run stays there, and the model starts there."""
    made = ist.Assembly("push", vehicle=cart).add("rail", Rail(joint="cart")).add("lag", Lag())
    made.wire({"lag.y": "rail.command"})
    x0 = ist.trim(made, cart.state(), set={"lag.u": 3.0})
    assert x0.q[0] == pytest.approx(1.0, abs=1e-14) and x0.values["lag.x"] == pytest.approx(3.0, abs=1e-14)
    log = ist.simulate(made, x0, until=2, step="10 ms")
    assert np.abs(log.q - 1.0).max() < 1e-12
    assert ist.linearize(made, x0, inputs="lag.u").operating_point["q"] == pytest.approx([1.0])


def test_a_trim_asks_sampled_laws_until_they_agree(cart):
    made = loop_of(cart, lambda t, x, v: 6.0 - 1.0 * x)
    x0 = ist.trim(made, cart.state())
    assert x0.q[0] == pytest.approx(1.5, abs=1e-10)  # 3 x = 6 - x


def test_a_trim_without_a_vehicle_and_one_that_does_not_exist():
    x0 = ist.trim(ist.Assembly("lag").add("lag", Lag()), None, set={"lag.u": 2.0})
    assert x0.values["lag.x"] == pytest.approx(2.0)

    class Climb(ist.Device):
        x = ist.ContinuousState("m")

        def rates(d, t):
            d.xdot = 1.0 + d.x * d.x

    with pytest.raises(SolverError, match=r"no steady state was found \('c.x'\)"):
        ist.trim(ist.Assembly("climb").add("c", Climb()), None)
