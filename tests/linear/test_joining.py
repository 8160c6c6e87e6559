"""Linear models joined, sampled and followed in time, against python-control, closed forms and the run of a loop."""

from __future__ import annotations

import control
import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError, SolverError
from interstage.linear.model import LinearModel, SampledModel

RNG = np.random.default_rng(5)


def model(n, nu, ny, name, direct=0.3, **more):
    A = RNG.normal(size=(n, n)) - 2.0 * np.eye(n)
    B, C, D = RNG.normal(size=(n, nu)), RNG.normal(size=(ny, n)), direct * RNG.normal(size=(ny, nu))
    return LinearModel(A, B, C, D, name=name, **more)


PLANT, LAW = model(4, 2, 3, "plant"), model(2, 3, 2, "law")
HZ = np.array([0.0, 0.1, 0.7, 3.0])


def theirs(lin):
    return control.ss(lin.A, lin.B, lin.C, lin.D, lin.dt or 0)


def gains(system):
    z = np.exp(2j * np.pi * HZ * system.dt) if system.dt else 2j * np.pi * HZ
    return np.array([system(s) for s in z])


def test_series_and_feedback_are_those_of_python_control():
    joined = PLANT.series(LAW)
    assert joined.frequency_response(HZ) == pytest.approx(gains(theirs(LAW) * theirs(PLANT)), abs=1e-12)
    for sign in (-1, 1):
        closed = PLANT.feedback(LAW, sign)
        exact = theirs(PLANT).feedback(theirs(LAW), sign)
        assert closed.frequency_response(HZ) == pytest.approx(gains(exact), abs=1e-11)
        assert np.sort_complex(closed.poles()) == pytest.approx(np.sort_complex(exact.poles()), abs=1e-11)
    assert joined.states[0] == "plant.x1" and joined.states[-1] == "law.x2"
    assert joined.inputs == PLANT.inputs and joined.outputs == LAW.outputs


def test_gains_on_some_channels():
    K = np.array([[2.0, -1.0]])
    closed = PLANT.feedback(K, inputs="u2", outputs=["y3", "y1"])
    whole = np.zeros((2, 3))
    whole[1, 2], whole[1, 0] = K[0]
    exact = theirs(PLANT).feedback(control.ss([], [], [], whole))
    assert closed.frequency_response(HZ) == pytest.approx(gains(exact), abs=1e-11)


@pytest.mark.parametrize("method", ["zoh", "foh", "tustin"])
def test_samples_are_those_of_python_control(method):
    ours = PLANT.discretize(0.1, method)
    exact = theirs(PLANT).sample(0.1, method="foh" if method == "foh" else method)
    assert isinstance(ours, SampledModel) and ours.dt == 0.1 and ours.outputs == PLANT.outputs
    assert ours.frequency_response(HZ) == pytest.approx(gains(exact), abs=1e-12)
    loop = ours.feedback(LAW.discretize(0.1))
    exact = theirs(ours).feedback(theirs(LAW.discretize(0.1)))
    assert isinstance(loop, SampledModel)
    assert np.sort_complex(loop.poles()) == pytest.approx(np.sort_complex(exact.poles()), abs=1e-12)


def test_responses_in_time():
    t = np.linspace(0.0, 5.0, 101)
    u, x0 = np.column_stack([np.sin(t), np.cos(3 * t)]), np.array([1.0, -1.0, 0.5, 0.2])
    exact = control.forced_response(theirs(PLANT), t, u.T, x0).outputs.T  # straight lines between times
    assert PLANT.time_response(t, u, x0) == pytest.approx(exact, abs=1e-11)
    steps = PLANT.discretize(t[1])
    exact = control.forced_response(theirs(steps), None, u.T, x0).outputs.T
    assert steps.time_response(u, x0) == pytest.approx(exact, abs=1e-12)
    assert PLANT.time_response(t, u, x0, held=True) == pytest.approx(exact, abs=1e-11)
    # a lag that is switched on, at unequal times
    lag, at = LinearModel([[-2.0]], [[2.0]], [[1.0]], [[0.0]]), np.array([0.0, 0.1, 0.5, 3.0])
    assert lag.time_response(at, 1.0)[:, 0] == pytest.approx(1 - np.exp(-2 * at), abs=1e-14)


def test_the_loop_of_models_is_the_loop_of_the_assembly():
    """A cart with a lag and a sampled law: the frame's model against models that are sampled and joined."""
    mb = ist.Multibody("cart")
    mb.add_body("cart", mass=2.0, inertia=np.eye(3), joint=ist.Prismatic("x", stiffness=3.0, damping=0.4))
    cart = mb.compile()

    class Rail(ist.Device):
        joint = ist.JointRef("m")
        command, f = ist.In("N"), ist.ContinuousState("N")
        x, v, force = joint.coordinate(), joint.rate(), joint.force()
        place, speed = ist.Out("m"), ist.Out("m/s")

        def outputs(d, t):
            d.force = d.f
            d.place = d.x
            d.speed = d.v

        def rates(d, t):
            d.fdot = 5.0 * (d.command - d.f)

    made = ist.Assembly("cart", vehicle=cart).add("rail", Rail(joint="cart"))
    lin = ist.linearize(made, cart.state(), inputs="rail.command", outputs=["rail.place", "rail.speed"])
    law = LinearModel(
        np.zeros((0, 0)), np.zeros((0, 2)), np.zeros((1, 0)), [[4.0, 2.0]], input_units=["m", "m/s"]
    )
    closed = lin.discretize(0.1).feedback(law)
    made.add("law", lambda t, x, v: -4.0 * x - 2.0 * v, every=0.1, out={"u": "N"})
    made.wire({"rail.place": "law.x", "rail.speed": "law.v", "law.u": "rail.command"})
    frame = ist.linearize(made, cart.state(), sampled=True, step="1 ms")
    assert np.sort_complex(closed.poles()) == pytest.approx(np.sort_complex(frame.poles()), abs=1e-10)
    x0 = np.zeros(3)
    x0[lin.states.index("cart.travel")] = 1.0
    log = ist.simulate(made, cart.state(q=[1.0]), until=3, step="1 ms")
    seen = closed.time_response(np.zeros(31), x0)
    assert log["rail.place"][::100] == pytest.approx(seen[:, 0], abs=1e-10)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: PLANT.discretize(0.0), "a sample time is above zero"),
        (lambda: PLANT.discretize(0.1, "euler"), "unknown method"),
        (lambda: PLANT.discretize(0.1).discretize(0.1), "the model is sampled already"),
        (lambda: PLANT.series(PLANT), "numbers of signals do not fit"),
        (lambda: PLANT.feedback(np.eye(2)), "the gains do not fit"),
        (lambda: PLANT.feedback(LAW.discretize(0.1)), "models of different times are not joined"),
        (lambda: PLANT.feedback(LAW, 2), "a sign is 1 or -1"),
        (lambda: PLANT.time_response([0, 0], 0.0), "times must increase"),
        (lambda: PLANT.time_response([0, 1], [1.0, 2.0, 3.0]), "inputs do not fit"),
        (lambda: PLANT.time_response([0, 1], 0.0, [1.0]), "the state does not fit"),
        (lambda: PLANT.feedback([[1.0]], inputs="u3", outputs="y1"), "u3"),
    ],
)
def test_what_cannot_be_is_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()


def test_units_and_loops_without_solution_are_refused():
    one = LinearModel([[-1.0]], [[1.0]], [[1.0]], [[1.0]], output_units=["rad/s"], input_units=["N*m"])
    two = LinearModel([[-1.0]], [[1.0]], [[1.0]], [[1.0]], input_units=["Hz"], output_units=["N*m"])
    with pytest.raises(InputError, match=r"the units do not fit \(series, from 'y1' to 'u1'\)"):
        one.series(two)
    with pytest.raises(SolverError, match="the loop has no solution"):
        one.feedback([[1.0]], sign=1)


def test_a_sample_time_may_be_said_in_words():
    """As every other period: "100 ms", "10 Hz"."""
    one = PLANT.discretize(0.1)
    for period in ("100 ms", "10 Hz", "1/10 s"):
        other = PLANT.discretize(period)
        assert other.dt == 0.1 and np.array_equal(other.A, one.A)
    with pytest.raises(InputError, match="discretize, dt"):
        PLANT.discretize("10 m")


def test_sampled_poles_have_the_frequency_and_damping_of_what_was_sampled():
    """z = exp(s T): the oscillator comes back from its samples, a pole at zero forgets at once."""
    T, w, zeta = 0.05, 3.0, 0.2
    z = np.exp(w * (-zeta + 1j * np.sqrt(1.0 - zeta**2)) * T)
    A = np.zeros((4, 4))
    A[:2, :2], A[2, 2] = [[z.real, z.imag], [-z.imag, z.real]], -0.5
    poles = SampledModel(A, np.zeros((4, 0)), np.zeros((0, 4)), np.zeros((0, 0)), dt=T).poles()
    assert poles.dt == T and poles[:2].dt == T and poles.stable
    assert poles[:2].frequency_hz == pytest.approx([w / (2 * np.pi)] * 2, rel=1e-12)
    assert poles[:2].damping == pytest.approx([zeta] * 2, rel=1e-12)
    assert poles.damped_hz[2] == pytest.approx(0.5 / T)  # a negative one: half the rate of samples
    assert np.isinf(poles.frequency_hz[3]) and poles.damping[3] == 1.0
    lines = str(poles).splitlines()
    assert lines[0].split() == ["real", "imaginary", "size", "Hz", "damping", "poles"]
    assert lines[1].split() == ["0", "0", "0.000000", "1"] and lines[2].split()[-1] == "2"
    assert float(lines[2].split()[3]) == pytest.approx(w / (2 * np.pi), rel=1e-6)


def test_linear_models_print_their_names_and_whether_they_are_stable():
    text = str(PLANT).splitlines()
    assert text[0].startswith("LinearModel") and text[-1].split()[:2] == ["poles", "stable,"]
    words = {line.split()[0]: line for line in text[1:]}
    assert all(name in words["outputs"] for name in PLANT.outputs)
    free, grown = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0, 1.0], [4.0, 0.0]])
    for A, word in ((free, "marginal"), (grown, "unstable"), (-np.eye(2), "stable")):
        lin = LinearModel(A, np.zeros((2, 0)), np.zeros((0, 2)), np.zeros((0, 0)))
        assert lin.poles().verdict == lin.discretize("10 ms").poles().verdict == word


def test_the_response_of_a_sampled_model_is_that_of_dense_solves():
    """With a rigid body, whose poles at one are defective, and a light mode."""
    T, w = 0.02, 2.0 * np.pi * 7.0
    turn = np.exp(-0.004 * w * T) * np.array(
        [[np.cos(w * T), np.sin(w * T)], [-np.sin(w * T), np.cos(w * T)]]
    )
    A = np.zeros((4, 4))
    A[:2, :2], A[2:, 2:] = [[1.0, T], [0.0, 1.0]], turn
    B, C = np.array([[T**2 / 2], [T], [0.1], [0.3]]), np.array([[1.0, 0.0, 2.0, 0.5], [0.0, 1.0, 0.0, 1.0]])
    model = SampledModel(A, B, C, np.zeros((2, 1)), dt=T)
    hz = np.array([0.01, 0.5, 6.99, 7.0, 24.9])
    z = np.exp(2j * np.pi * hz * T)
    dense = np.array([C @ np.linalg.solve(one * np.eye(4) - A, B) for one in z])
    assert model.frequency_response(hz) == pytest.approx(dense, rel=1e-9)
