"""Coefficients of the methods: order conditions, stability, and the steps that they make without any vehicle."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import RK45

from interstage.errors import InputError
from interstage.simulation.run.integrators import METHODS, WMethod, method_of

ROS2, ROS3, DOPRI5 = (METHODS[name] for name in ("ros2", "ros3", "dopri5"))

# J. Rang and L. Angermann, BIT 45 (2005) 761
ROS34PW2 = WMethod(
    "ros34pw2",
    order=3,
    embedded=2,
    gamma=4.3586652150845900e-01,
    alpha=((), (8.7173304301691801e-01,), (8.4457060015369423e-01, -1.1299064236484185e-01), (0.0, 0.0, 1.0)),
    gammas=(
        (),
        (-8.7173304301691801e-01,),
        (-9.0338057013044082e-01, 5.4180672388095326e-02),
        (2.4212380706095346e-01, -1.2232505839045147e00, 5.4526025533510214e-01),
    ),
    b=(2.4212380706095346e-01, -1.2232505839045147e00, 1.5452602553351020e00, 4.3586652150845900e-01),
    b_embedded=(
        3.7810903145819369e-01,
        -9.6042292212423178e-02,
        5.0000000000000000e-01,
        2.1793326075422950e-01,
    ),
)


def conditions(method, b):
    """Return the residuals of W-methods by order: of any constant A, and (last) of an A that changes with the stage."""
    data = method.data(False)
    alpha, gamma = data.alpha[:-1], data.gamma
    a, c, b = alpha.sum(axis=1), gamma.sum(axis=1), np.array(b)
    first = [b.sum() - 1.0]
    second = [b @ a - 1 / 2, b @ c]
    third = [b @ a**2 - 1 / 3, b @ alpha @ a - 1 / 6, b @ alpha @ c, b @ gamma @ a, b @ gamma @ c]
    return first, second, third, b @ (a * c)


def largest(*residuals):
    return max(abs(np.concatenate([np.atleast_1d(r) for r in residuals])))


def test_order_conditions_of_w_methods():
    assert largest(*conditions(ROS2, ROS2.b)[:2]) < 1e-15
    assert largest(*conditions(ROS3, ROS3.b)) < 1e-15
    assert largest(*conditions(ROS3, ROS3.b_embedded)[:2]) < 1e-15
    assert largest(*conditions(ROS3, ROS3.b_embedded)) > 1e-3  # an estimate, not the same again
    # the published method holds what it promises, an A of its own for all stages, and not the ninth condition
    assert largest(*conditions(ROS34PW2, ROS34PW2.b)[:3]) < 1e-14
    assert 1e-3 < abs(conditions(ROS34PW2, ROS34PW2.b)[3]) < 1e-2


def stability(method, z, b):
    """Return R(z) of y' = λy with the true Jacobian: 1 + z bᵀ(1 - z(α + γ))⁻¹ 1."""
    data = method.data(False)
    B, one = data.alpha[:-1] + data.gamma, np.ones(len(b))
    return 1.0 + z * (np.array(b) @ np.linalg.solve(np.eye(len(b)) - z * B, one))


@pytest.mark.parametrize("method", [ROS2, ROS3], ids=str)
def test_stiff_modes_are_damped_and_slow_ones_are_not(method):
    y = np.concatenate([np.linspace(0.0, 20.0, 400), np.logspace(1.3, 6, 100)])
    size = np.array([abs(stability(method, 1j * w, method.b)) for w in y])
    assert size.max() <= 1.0 + 1e-14
    assert size[-1] < 1e-5  # L-stable
    # what a mode loses in a step of half a radian
    lost = 1.0 - abs(stability(method, 0.5j, method.b))
    assert lost < (2.5e-4 if method is ROS2 else 8e-5)
    assert abs(stability(method, 0.5j, method.b) - np.exp(0.5j)) < (6e-3 if method is ROS2 else 1e-4)
    if method.b_embedded is not None:
        assert abs(stability(method, 1e8j, method.b_embedded)) < 0.51


def plain_w_step(method, f, A, y, h):
    """Return a step of a W-method as its equations say it, A(Y) of each stage."""
    data, k = method.data(False), []
    for i in range(len(method.b)):
        Y = y + h * sum((data.alpha[i, j] * k[j] for j in range(i)), np.zeros(len(y)))
        right = f(Y) + h * A(Y) @ sum((data.gamma[i, j] * k[j] for j in range(i)), np.zeros(len(y)))
        k.append(np.linalg.solve(np.eye(len(y)) - h * method.gamma * A(Y), right))
    return y + h * sum(b * s for b, s in zip(method.b, k))


@pytest.mark.parametrize(("changing", "wanted"), [(False, 3.0), (True, 3.0)])
def test_order_with_a_matrix_that_is_no_jacobian(changing, wanted):
    """Local errors fall with h⁴, whatever A; those of the published method with h³ where A changes with the stage."""
    rng = np.random.default_rng(5)
    P, Q, R = rng.normal(size=(3, 4, 4))
    y0 = rng.normal(size=4)

    def f(y):
        return P @ np.sin(y) + (Q @ y) * y

    def A(y):
        return R * (1.0 + (np.cos(3.0 * y) @ y if changing else 0.0))

    def local(method, h):
        y = y0
        for _ in range(512):  # the classical method in steps that leave nothing
            s = h / 512
            a = f(y)
            b = f(y + 0.5 * s * a)
            c = f(y + 0.5 * s * b)
            y = y + s / 6 * (a + 2 * b + 2 * c + f(y + s * c))
        return np.linalg.norm(plain_w_step(method, f, A, y0, h) - y)

    def order(method, h):
        return np.log2(local(method, h) / local(method, h / 2)) - 1.0

    assert order(ROS2, 1e-3) == pytest.approx(2.0, abs=0.1)
    assert order(ROS3, 1e-3) == pytest.approx(wanted, abs=0.1)
    if changing:
        assert order(ROS34PW2, 1e-3) < 2.5
    else:
        assert order(ROS34PW2, 1e-3) == pytest.approx(3.0, abs=0.1)


def test_dormand_and_prince_as_scipy_has_them():
    data = DOPRI5.data(True)
    for i in range(6):
        np.testing.assert_allclose(data.A[i, :5], RK45.A[i], rtol=1e-15)
    np.testing.assert_allclose(data.A[6], RK45.B, rtol=1e-15)
    np.testing.assert_allclose(data.c, RK45.C, atol=1e-15)
    np.testing.assert_allclose(np.abs(data.error), np.abs(RK45.E), atol=1e-16)
    np.testing.assert_allclose(DOPRI5.polynomial(), RK45.P, rtol=1e-14)


def test_nodes_are_the_times_of_the_stages():
    assert list(METHODS["rk4"].nodes) == [0.0, 0.5, 1.0]
    assert list(ROS2.nodes) == [0.0, 1.0]
    for method in (ROS3, DOPRI5):
        np.testing.assert_array_equal(method.nodes, sorted({*method.c, 0.0, 1.0}))


def test_unknown_methods_are_refused_with_those_that_are_known():
    for wrong in ("euler", 4, None):
        with pytest.raises(InputError, match=r"rk4, ros2, ros3, dopri5, dop853"):
            method_of(wrong)
    assert method_of(ROS3) is ROS3
