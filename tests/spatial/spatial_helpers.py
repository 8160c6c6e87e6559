"""What the tests of the spatial room share: random inputs, complex steps, formulas written another way."""

from __future__ import annotations

import inspect

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm

STEP = 1e-40


def numbers(low=-3.0, high=3.0):
    """Floats of ordinary size, without subnormal ones (whose squares vanish)."""
    return st.floats(low, high, allow_subnormal=False)


def vectors(n=3, low=-3.0, high=3.0):
    return st.lists(numbers(low, high), min_size=n, max_size=n).map(np.array)


def quaternions():
    return vectors(4, -1.0, 1.0).filter(lambda q: q @ q > 1e-2).map(lambda q: q / np.sqrt(q @ q))


def bodies():
    """(mass, com, I_com) of a real body: four point masses or more, hence all rules hold by nature."""

    def make(seed):
        rng = np.random.default_rng(seed)
        return point_cloud(rng.uniform(0.1, 2.0, 6), rng.uniform(-1.0, 1.0, (6, 3)))

    return st.integers(0, 2**32 - 1).map(make)


def point_cloud(m, x):
    """Mass properties of point masses m (n,) at x (n, 3), from the definition."""
    com = m @ x / m.sum()
    d = x - com
    inertia = sum(mi * (di @ di * np.eye(3) - np.outer(di, di)) for mi, di in zip(m, d))
    return m.sum(), com, inertia


def hat(a):
    """[a]× written as a cross product with the unit vectors, complex or real."""
    return np.cross(np.asarray(a), np.eye(3)).T


def exp_and_integral(A):
    """(exp A, ∫₀¹ exp(sA) ds) from one exponential of a block matrix (Van Loan)."""
    n = len(A)
    E = expm(np.block([[A, np.eye(n)], [np.zeros((n, 2 * n))]]))
    return E[:n, :n], E[:n, n:]


def left_jacobian(theta):
    return exp_and_integral(hat(theta))[1]


def left_jacobian_slope(theta, d):
    """Slope of J_l along d: the corner block of the integral at [A D; 0 A]."""
    A, D, Z = hat(theta), hat(d), np.zeros((3, 3))
    return exp_and_integral(np.block([[A, D], [Z, A]]))[1][:3, 3:]


def left_jacobian_second_slope(theta, d, e):
    """Second slope of J_l along d and e, from doubling the block matrix again."""
    A, D, E, Z = hat(theta), hat(d), hat(e), np.zeros((3, 3))
    X = np.block([[A, D, E, Z], [Z, A, Z, E], [Z, Z, A, D], [Z, Z, Z, A]])
    return exp_and_integral(X)[1][:3, 9:]


def hamilton(p, q):
    """Product of quaternions from i² = j² = k² = ijk = −1, in scalar and vector parts."""
    scalar = p[0] * q[0] - p[1:] @ q[1:]
    return np.concatenate([[scalar], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


def elementary(axis, angle):
    """Turn about a coordinate axis."""
    return expm(angle * hat(np.eye(3)[axis]))


def exp_rotation(theta):
    """exp([θ]×) through the integral: R = I + [θ] J_l."""
    return np.eye(3) + hat(theta) @ left_jacobian(theta)


def writes(kernel, shape):
    """Make a function that returns what a kernel writes; 0-d arguments go in as scalars."""

    def function(*args):
        out = np.empty(shape, dtype=np.result_type(float, *args))
        kernel(*[a[()] if a.ndim == 0 else a for a in args], out)
        return out

    return function


class Cases:
    """A list of (kernel name, label, function of args -> array, args, slope of args and directions)."""

    def __init__(self):
        self.entries = []

    def add(self, kernel_name, function, args, slope, label=""):
        args = [np.asarray(a, dtype=float) for a in args]
        self.entries.append((kernel_name, kernel_name + label, function, args, slope))

    def names(self):
        return [entry[1] for entry in self.entries]

    def covered(self):
        return {entry[0] for entry in self.entries}


def check_slope(entry):
    """Compare the complex step with the analytic slope along a random direction.

    Tolerance 1e-13, relative to the larger of 1 and the slope: a complex step has no truncation error, and
    nothing in the spatial room may lose more than three digits to rounding.
    """
    _, _, function, args, slope = entry
    g = np.random.default_rng(7)
    directions = [np.asarray(g.normal(size=a.shape)) for a in args]
    value = function(*[np.asarray(a + 1j * STEP * d) for a, d in zip(args, directions)])
    expected = slope(*args, *directions)
    assert np.abs(value.imag / STEP - expected).max() <= 1e-13 * max(1.0, np.abs(expected).max())
    # the real part is the value itself, to the rounding of complex arithmetic
    real = function(*args)
    assert np.abs(value.real - real).max() <= 1e-14 * max(1.0, np.abs(real).max())


def public_kernels(*modules):
    """Names of the functions that modules define and do not hide."""
    names = set()
    for module in modules:
        for name, value in vars(module).items():
            function = getattr(value, "py_func", value)
            own = inspect.isfunction(function) and function.__module__ == module.__name__
            if own and not name.startswith("_"):
                names.add(name)
    return names
