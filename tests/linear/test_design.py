"""Gains of least cost against python-control and their own equation; rigid motion against closed forms."""

from __future__ import annotations

import control
import numpy as np
import pytest
from scipy import integrate, linalg

import interstage as ist
from interstage.errors import InputError, SolverError
from interstage.linear.model import SampledModel

RNG = np.random.default_rng(11)
A5, B5 = RNG.normal(size=(5, 5)), RNG.normal(size=(5, 2))
Q5, R2 = np.diag([1.0, 2.0, 0.1, 0.5, 3.0]), np.array([[2.0, 0.3], [0.3, 1.0]])
N52 = 0.1 * RNG.normal(size=(5, 2))


def linear(A, B, kind=ist.LinearModel, **more):
    return kind(A, B, np.eye(len(A)), np.zeros(np.shape(B)), **more)


def test_gains_are_those_of_python_control():
    # two Riccati solvers on a problem of condition ~1e2
    assert ist.lqr(A5, B5, Q=Q5, R=R2, N=N52 * 0.1) == pytest.approx(
        control.lqr(A5, B5, Q5, R2, N52 * 0.1)[0], rel=1e-9
    )
    assert ist.lqr(linear(A5, B5), Q=Q5, R=R2) == pytest.approx(control.lqr(A5, B5, Q5, R2)[0], rel=1e-9)
    found = ist.lqr(linear(A5, B5, SampledModel, dt=0.1), Q=Q5, R=R2)
    assert found == pytest.approx(control.dlqr(A5, B5, Q5, R2)[0], rel=1e-9)
    assert ist.lqr(A5, B5, Q=Q5, R=R2, sampled=True) == pytest.approx(found, rel=1e-12)


def test_the_gain_of_held_inputs_has_the_least_continuous_cost():
    """The cost of a run, integrated by a library, is least at the gain and grows both ways from it."""
    A, B, T = np.array([[0.0, 1.0], [0.5, 0.0]]), np.array([[0.0], [1.0]]), 0.4
    Q, R, x0 = np.diag([1.0, 0.2]), np.array([[0.3]]), np.array([1.0, -0.5])

    def cost(K):
        def slope(t, y, u):
            x = y[:2]
            return [*(A @ x + B[:, 0] * u), x @ Q @ x + R[0, 0] * u * u]

        y = np.array([*x0, 0.0])
        for _ in range(40):
            y = integrate.solve_ivp(
                slope, (0, T), y, args=(float(-(K @ y[:2])[0]),), rtol=1e-11, atol=1e-13
            ).y[:, -1]
        return y[2]

    K = ist.lqr(A, B, Q=Q, R=R, every="400 ms")
    best = cost(K)
    for change in ([[0.02, 0.0]], [[0.0, 0.02]], [[-0.02, 0.01]]):
        ahead, back = cost(K + change), cost(K - np.array(change))
        assert ahead > best and back > best
        # no slope: the parabola through three points has its lowest place within 1e-3 of a change
        assert abs(ahead - back) < 0.02 * (ahead + back - 2.0 * best) + 1e-9
    assert ist.lqr(A, B, Q=Q, R=R, every=1e-5) == pytest.approx(ist.lqr(A, B, Q=Q, R=R), rel=1e-4)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"Q": np.eye(2), "R": [[-1.0]]}, "R is not positive definite"),
        ({"Q": -np.eye(2), "R": [[1.0]]}, "cost can be negative"),
        ({"Q": np.eye(3), "R": [[1.0]]}, "Q does not fit the plant"),
        ({"Q": [[1, 1], [0, 1]], "R": [[1.0]]}, "Q is not symmetric"),
        ({"Q": np.eye(2), "R": [[1.0]], "every": "-1 s"}, "positive time"),
    ],
)
def test_weights_that_make_no_sense_are_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        ist.lqr([[0, 1], [0, 0]], [[0], [1]], **arguments)


def test_a_plant_that_cannot_be_held_is_refused():
    with pytest.raises(SolverError, match="no gain of least cost"):
        ist.lqr([[1.0, 0.0], [0.0, -1.0]], [[0.0], [1.0]], Q=np.eye(2), R=[[1.0]])
    model = ist.LinearModel(
        np.diag([0.0, -1.0]), np.array([[0.0], [1.0]]), np.eye(2), np.zeros((2, 1)), states=["place", "rate"]
    )
    with pytest.raises(SolverError, match=r"lin\.rigid\(\)"):
        ist.lqr(model, Q=np.eye(2), R=[[1.0]])
    with pytest.raises(InputError, match="needs B"):
        ist.lqr(np.eye(2), Q=np.eye(2), R=[[1.0]])


def flexible_axis(lag=0.02, kappa=0.0):
    """Return an axis of inertia 50 with a mode of 3 Hz and an actuator lag: command in, angle and rate out.

    J θ̈ = κθ + a L, a the lagged command, L = 20; the gyro sees 0.8 of the modal rate.
    """
    J, L, w = 50.0, 20.0, 2 * np.pi * 3.0
    A = np.zeros((5, 5))  # θ, ω, η, η̇, a
    A[0, 1] = A[2, 3] = 1.0
    A[1, 0], A[1, 4] = kappa / J, L / J
    A[3, 2], A[3, 3], A[3, 4] = -w * w, -0.01 * w, 0.3
    A[4, 4] = -1.0 / lag
    B = np.array([[0, 0, 0, 0, 1 / lag]]).T
    C = np.array([[1, 0, 0.8, 0, 0], [0, 1, 0, 0.8, 0]])
    return ist.LinearModel(
        A, B, C, np.zeros((2, 1)), outputs=["angle", "rate"], output_units=["rad", "rad/s"]
    )


def test_effectiveness_is_that_of_the_rigid_vehicle():
    model = flexible_axis()
    assert model.effectiveness("rate") == pytest.approx(np.array([[20.0 / 50.0]]), rel=1e-10)
    # an unstable axis: of L/J (s² - κ/J)⁻¹ (1 + lag s)⁻¹ the slow part begins with L/J (1 + O(lag² κ/J))
    unstable = flexible_axis(lag=1e-3, kappa=20.0)
    assert unstable.effectiveness("rate") == pytest.approx(np.array([[0.4]]), rel=1e-6)


def test_rigid_motion_has_angle_and_rate_as_states():
    model = flexible_axis(lag=1e-4, kappa=20.0).rigid()
    assert pytest.approx(np.array([[0, 1], [0.4, 0]]), abs=1e-6) == model.A
    assert pytest.approx(np.array([[0], [1]])) == model.B and model.states == ["angle", "rate"]
    K = ist.lqr(model, Q=np.diag([1.0, 0.5]), R=[[1.0]])
    assert (np.linalg.eigvals(model.A - model.B @ K).real < 0).all()


def test_a_quaternion_is_an_attitude_of_three_angles():
    """A free body, its attitude as quaternion far from unity: θ̇ = ω, I ω̇ = u about three axes."""
    q0 = ist.quaternion.rotate_by([1, 0, 0, 0], [0.3, -0.9, 0.5])
    w, x, y, z = q0
    half = 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])  # δq = half δθ, body axes
    inertia = np.array([[4.0, 0.2, 0], [0.2, 5, 0.3], [0, 0.3, 6]])
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [np.zeros((3, 6))]])
    B = np.vstack([np.zeros((3, 3)), np.linalg.inv(inertia)])
    C = linalg.block_diag(half, np.eye(3))
    model = ist.LinearModel(
        A, B, C, np.zeros((7, 3)), outputs=[*"abcdxyz"],
        output_index={"imu.attitude": np.arange(4), "imu.rate": np.arange(4, 7)},
        output_units=["1"] * 4 + ["rad/s"] * 3,
        operating_point={"y": np.r_[q0, np.zeros(3)]},
    )  # fmt: skip
    assert model.effectiveness("imu.rate") == pytest.approx(np.linalg.inv(inertia), rel=1e-12)
    part = model.rigid()
    assert pytest.approx(A, abs=1e-12) == part.A and pytest.approx(np.eye(6)[:, 3:], abs=1e-12) == part.B
    K = ist.lqr(part, Q=np.diag([1.0] * 3 + [0.5] * 3), R=np.eye(3))
    assert (
        pytest.approx(
            control.lqr(A, np.eye(6)[:, 3:], np.diag([1.0] * 3 + [0.5] * 3), np.eye(3))[0], rel=1e-9
        )
        == K
    )


def test_inputs_that_turn_nothing_are_refused():
    still = flexible_axis()
    still.A[1, 4] = 1e-17
    with pytest.raises(InputError, match="do not turn the vehicle about every axis"):
        still.rigid()


def test_models_without_rotation_are_refused():
    with pytest.raises(InputError, match="as many angles as rates"):
        linear(A5, B5).rigid()
    with pytest.raises(InputError, match=r"no pole below -1 Hz"):
        flexible_axis().effectiveness("rate", below_hz=-1.0)


def test_rigid_motion_with_its_path_under_thrust():
    """v̇ = a θ + b δ and ω̇ = c δ: the inputs are ω̇, so that they push aside by b/c."""
    a, b, c = 20.0, -3.0, 1.5
    A = np.zeros((4, 4))
    A[0, 1] = A[2, 3] = 1.0
    A[3, 0] = a
    model = ist.LinearModel(
        A,
        [[0.0], [c], [0.0], [b]],
        np.eye(4),
        np.zeros((4, 1)),
        outputs=["angle", "rate", "r", "v"],
        output_units=["rad", "rad/s", "m", "m/s"],
    )
    part = model.rigid(position="r", velocity="v")
    np.testing.assert_allclose(part.A, A, atol=1e-12)
    np.testing.assert_allclose(part.B[:, 0], [0.0, 1.0, 0.0, b / c], atol=1e-12)
    assert part.states == ["angle", "rate", "r", "v"]
    assert part.state_units == ["rad", "rad/s", "m", "m/s"]
    with pytest.raises(InputError, match="needs its velocity"):
        model.rigid(position="r")
    with pytest.raises(InputError, match="do not go together"):
        model.rigid(position="r", velocity=["r", "v"])
