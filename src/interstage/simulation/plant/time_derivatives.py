"""First and second derivatives of functions of time: exact by forward differentiation, estimated for black boxes.

Functions of time with their first two derivatives, exact to rounding, in one evaluation.

A `Jet` is f(t), f'(t), f''(t) at many times at once. Arithmetic and numpy's functions follow the chain rule

    g(f)' = g' f',      g(f)'' = g'' f'² + g' f''

so that a plain function of t, handed a jet in place of a number, answers with its derivatives. What cannot be carried
(math.sin, foreign code, unknown functions) raises TypeError. The last axis is time; constants have none and get one.
(Truncated Taylor series: Griewank and Walther, Evaluating Derivatives, 2008, ch. 13.)

First and second derivatives of functions of time that are given as black boxes, with an estimate of their error.

Central differences with steps that shrink from a quarter of a second to a hundred thousandth, extrapolated
(Richardson; Ridders 1982), are accurate for motions of millihertz and of kilohertz alike: at each time the entry of
the table with the least estimated error is taken, among those that agree with the smallest steps. Steps are no round
numbers, so that no motion is mistaken for one of a whole number of periods in a step.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

Array = np.ndarray


def _power(a: Array, n: Array) -> tuple[Array, Array, Array]:
    """Return aⁿ and its derivatives for a constant n; a factor of zero ends a series also at a = 0."""
    first, second = np.where(n == 0.0, 1.0, n - 1.0), np.where((n == 0.0) | (n == 1.0), 1.0, n - 2.0)
    return a**n, n * a**first, n * (n - 1.0) * a**second


def _tan(a: Array) -> tuple[Array, Array, Array]:
    t = np.tan(a)
    return t, 1.0 + t * t, 2.0 * t * (1.0 + t * t)


def _tanh(a: Array) -> tuple[Array, Array, Array]:
    t = np.tanh(a)
    return t, 1.0 - t * t, -2.0 * t * (1.0 - t * t)


def _inverse(value: Array, square: Array, slope: float, a: Array) -> tuple[Array, Array, Array]:
    """Return derivatives of a function with g' = slope / √square, square = c ± a², g'' = ∓ a g' / square."""
    first = slope / np.sqrt(square)
    return value, first, first * a / square


UNARY: dict[str, Callable[[Array], tuple[Array, Array, Array]]] = {
    "sin": lambda a: (np.sin(a), np.cos(a), -np.sin(a)),
    "cos": lambda a: (np.cos(a), -np.sin(a), -np.cos(a)),
    "tan": _tan,
    "exp": lambda a: (np.exp(a), np.exp(a), np.exp(a)),
    "expm1": lambda a: (np.expm1(a), np.exp(a), np.exp(a)),
    "log": lambda a: (np.log(a), 1.0 / a, -1.0 / a**2),
    "log1p": lambda a: (np.log1p(a), 1.0 / (1.0 + a), -1.0 / (1.0 + a) ** 2),
    "sqrt": lambda a: (np.sqrt(a), 0.5 / np.sqrt(a), -0.25 / np.sqrt(a) ** 3),
    "square": lambda a: (a * a, 2.0 * a, 2.0 + 0.0 * a),
    "reciprocal": lambda a: (1.0 / a, -1.0 / a**2, 2.0 / a**3),
    "sinh": lambda a: (np.sinh(a), np.cosh(a), np.sinh(a)),
    "cosh": lambda a: (np.cosh(a), np.sinh(a), np.cosh(a)),
    "tanh": _tanh,
    "arcsin": lambda a: _inverse(np.arcsin(a), 1.0 - a * a, 1.0, a),
    "arccos": lambda a: _inverse(np.arccos(a), 1.0 - a * a, -1.0, a),
    "arcsinh": lambda a: (np.arcsinh(a), (1.0 + a * a) ** -0.5, -a * (1.0 + a * a) ** -1.5),
    "arctan": lambda a: (np.arctan(a), 1.0 / (1.0 + a * a), -2.0 * a / (1.0 + a * a) ** 2),
    "absolute": lambda a: (np.abs(a), np.sign(a), 0.0 * a),
    "fabs": lambda a: (np.abs(a), np.sign(a), 0.0 * a),
    "negative": lambda a: (-a, -1.0 + 0.0 * a, 0.0 * a),
    "positive": lambda a: (a, 1.0 + 0.0 * a, 0.0 * a),
    "conjugate": lambda a: (a, 1.0 + 0.0 * a, 0.0 * a),
    "deg2rad": lambda a: (np.deg2rad(a), np.pi / 180.0 + 0.0 * a, 0.0 * a),
    "radians": lambda a: (np.deg2rad(a), np.pi / 180.0 + 0.0 * a, 0.0 * a),
    "rad2deg": lambda a: (np.rad2deg(a), 180.0 / np.pi + 0.0 * a, 0.0 * a),
    "degrees": lambda a: (np.rad2deg(a), 180.0 / np.pi + 0.0 * a, 0.0 * a),
}
# constant between jumps: derivatives are zero
STEPS = {
    "floor", "ceil", "trunc", "rint", "sign", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal",
    "logical_and", "logical_or", "logical_not", "bitwise_and", "bitwise_or", "invert", "heaviside", "floor_divide",
    "isfinite", "isnan",
}  # fmt: skip


def _times(x: Jet, y: Jet) -> Jet:
    return Jet(x.a * y.a, x.b * y.a + x.a * y.b, x.c * y.a + 2.0 * x.b * y.b + x.a * y.c)


def _either(mask: Array, x: Jet, y: Jet) -> Jet:
    return Jet(*(np.where(mask, u, v) for u, v in zip(x.parts, y.parts)))


def _raised(x: Jet, y: Jet) -> Jet:
    """Return x ** y."""
    if not (np.any(y.b) or np.any(y.c)):
        return x.through(lambda a: _power(a, y.a))
    if not (np.any(x.b) or np.any(x.c)):
        log = np.log(x.a)
        return y.through(lambda a: (x.a**a, log * x.a**a, log**2 * x.a**a))
    return np.exp(y * np.log(x))


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: Jet(x.a + y.a, x.b + y.b, x.c + y.c),
    "subtract": lambda x, y: Jet(x.a - y.a, x.b - y.b, x.c - y.c),
    "multiply": _times,
    "divide": lambda x, y: _times(x, np.reciprocal(y)),
    "power": _raised,
    "float_power": _raised,
    "maximum": lambda x, y: _either(x.a >= y.a, x, y),
    "fmax": lambda x, y: _either(x.a >= y.a, x, y),
    "minimum": lambda x, y: _either(x.a <= y.a, x, y),
    "fmin": lambda x, y: _either(x.a <= y.a, x, y),
    "remainder": lambda x, y: x - y * np.floor(x / y),
    "fmod": lambda x, y: x - y * np.trunc(x / y),
    "hypot": lambda x, y: np.sqrt(x * x + y * y),
    "arctan2": lambda x, y: _arctan2(x, y),
}


def _arctan2(y: Jet, x: Jet) -> Jet:
    """Return the angle of (x, y): θ' = (x y' - y x')/r², θ'' from the same quotient."""
    r = x.a**2 + y.a**2
    first = (x.a * y.b - y.a * x.b) / r
    second = (x.a * y.c - y.a * x.c) / r - 2.0 * first * (x.a * x.b + y.a * y.b) / r
    return Jet(np.arctan2(y.a, x.a), first, second)


class Jet(NDArrayOperatorsMixin):
    """Value, first and second derivative, each (..., T) with time last."""

    __slots__ = ("a", "b", "c")

    def __init__(self, a: Any, b: Any, c: Any):
        self.a, self.b, self.c = a, b, c

    @classmethod
    def of_times(cls, t: Array) -> Jet:
        """Return time itself at times (T,)."""
        return cls(t, np.ones_like(t), np.zeros_like(t))

    @property
    def parts(self) -> tuple[Array, Array, Array]:
        """Value and derivatives."""
        return self.a, self.b, self.c

    @property
    def real(self) -> Jet:
        """A jet is real."""
        return self

    def through(self, g: Callable[[Array], tuple[Array, Array, Array]]) -> Jet:
        """Return g of this jet by the chain rule."""
        value, first, second = g(self.a)
        return Jet(value, first * self.b, second * self.b**2 + first * self.c)

    def clip(self, low: Any = None, high: Any = None, **_: Any) -> Jet:
        """Return the jet within limits."""
        out: Any = self if low is None else np.maximum(self, low)  # type: ignore[call-overload]
        return out if high is None else np.minimum(out, high)

    def __bool__(self) -> bool:
        return bool(np.all(self.a)) if np.size(self.a) == 1 else bool(np.asarray(self.a))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        jets = [jet for value in inputs if (jet := _constant(value)) is not None]
        name = ufunc.__name__
        if len(jets) < len(inputs):
            return NotImplemented
        if name in UNARY:
            return jets[0].through(UNARY[name])
        if name in BINARY:
            return BINARY[name](*jets)
        if name in STEPS:
            value = ufunc(*(jet.a for jet in jets))
            return Jet(value, np.zeros(np.shape(value)), np.zeros(np.shape(value)))
        return NotImplemented

    def __array_function__(self, function: Callable, kinds: Any, args: tuple, options: dict) -> Any:
        made = FUNCTIONS.get(function.__name__)
        return NotImplemented if made is None else made(*args, **options)


def _constant(value: Any) -> Jet | None:
    """Return a jet, or a constant as one, with an axis for time; None for what is no number."""
    if isinstance(value, Jet):
        return value
    a = np.asarray(value)
    if a.dtype.kind not in "biuf":
        return None
    a = a.astype(float) if a.dtype.kind in "iu" else a
    a = a[..., None] if a.ndim else a
    return Jet(a, np.zeros(a.shape), np.zeros(a.shape))


def _where(mask: Any, x: Any, y: Any) -> Jet:
    jets = [jet for value in (mask, x, y) if (jet := _constant(value)) is not None]
    if len(jets) < 3:
        raise TypeError("not numbers")
    return _either(jets[0].a != 0, *jets[1:])


def _filled(value: float) -> Callable[..., Jet]:
    return lambda x, *rest, **options: Jet(0.0 * x.a + value, 0.0 * x.a, 0.0 * x.a)


FUNCTIONS: dict[str, Callable] = {
    "where": _where,
    "clip": lambda x, *limits, **named: x.clip(*limits, **named),
    "zeros_like": _filled(0.0),
    "ones_like": _filled(1.0),
    "full_like": lambda x, value, **options: _filled(value)(x),
    "polyval": lambda p, x: reduce(lambda y, c: y * x + c, p, 0.0 * x),
    "real": lambda x: x,
    "sinc": lambda x: _sinc(x),
}


def _sinc(x: Jet) -> Jet:
    """Return sin(πx)/(πx), by its series near zero."""
    small = np.abs(x.a) < 1e-2
    z = np.pi * x
    far = np.sin(z) / Jet(np.where(small, 1.0, z.a), np.where(small, 0.0, z.b), np.where(small, 0.0, z.c))
    s = z * z
    near = 1.0 - s / 6.0 * (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0)))
    return _either(small, near, far)


for _name in UNARY:
    # elements of object arrays are asked for their methods
    setattr(Jet, _name, lambda self, _f=UNARY[_name]: self.through(_f))


def rows_of(answer: Any, T: int) -> tuple[Array, Array, Array]:
    """Return value and derivatives (T, n) of an answer at T times: a jet, or a list of jets and numbers."""
    if isinstance(answer, Jet):
        parts = []
        for part in answer.parts:
            part = np.asarray(part, dtype=float)
            part = part if part.ndim and part.shape[-1] == T else np.broadcast_to(part, (*part.shape[:-1], T))
            parts.append(part.reshape(-1, T).T)
        return parts[0], parts[1], parts[2]
    if isinstance(answer, list | tuple) or (isinstance(answer, np.ndarray) and answer.ndim):
        rows = [rows_of(part, T) for part in answer]
        value, rate, acceleration = (np.concatenate([row[k] for row in rows], axis=1) for k in range(3))
        return value, rate, acceleration
    if isinstance(answer, np.ndarray) and answer.dtype == object:
        return rows_of(answer.item(), T)
    value = np.full((T, 1), float(answer))
    return value, np.zeros((T, 1)), np.zeros((T, 1))


DIFFERENCE_STEPS = 0.2371 * 0.5 ** np.arange(15)
EPSILON = np.finfo(float).eps

# of times (N,), values (N, n), NaN where there are none
Function = Callable[[np.ndarray], np.ndarray]


def differences(f: Function, times: np.ndarray, *orders: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return derivatives of first or second order (T, n) of f at times (T,), each with its estimated error."""
    T, K = len(times), len(DIFFERENCE_STEPS)
    h = (times[:, None] + DIFFERENCE_STEPS) - times[:, None]  # as they are after rounding
    asked = np.concatenate([times[:, None], times[:, None] + h, times[:, None] - h], axis=1)
    values = f(asked.ravel()).reshape(T, 2 * K + 1, -1)
    middle, ahead, behind = values[:, :1], values[:, 1 : K + 1], values[:, K + 1 :]
    size, h = np.nanmax(np.abs(values), axis=1, initial=0.0), h[:, :, None]
    out = []
    for order in orders:
        if order == 1:
            column, rounding = (ahead - behind) / (2.0 * h), EPSILON * size / DIFFERENCE_STEPS[-1]
        else:
            column = (ahead - 2.0 * middle + behind) / h**2
            rounding = 4.0 * EPSILON * size / DIFFERENCE_STEPS[-1] ** 2
        found = _extrapolated(column, h, rounding, order, 2)
        for side, sign in ((ahead, 1.0), (behind, -1.0)):
            # at the ends of where a function is defined there is one side only
            lost = ~np.isfinite(found[0]).all(axis=1)
            if lost.any():
                part = _one_sided(middle[lost], side[lost], sign * h[lost], order)
                edge = _extrapolated(*part, rounding[lost], order, 1)
                for mine, other in zip(found, edge):
                    mine[lost] = other
        out.append(found)
    return out


def _one_sided(
    middle: np.ndarray, side: np.ndarray, h: np.ndarray, order: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return differences towards one side (T, K, n), errors in all powers of their steps, and the steps."""
    if order == 1:
        return (side - middle) / h, np.abs(h)
    # the step before is twice as long
    return (side[:, :-1] - 2.0 * side[:, 1:] + middle) / h[:, 1:] ** 2, np.abs(h[:, 1:])


def _extrapolated(column: np.ndarray, h: np.ndarray, rounding: np.ndarray, order: int, power: int):
    """Return the best entries (T, n) of Richardson's tables (T, K, n) over steps h, and their errors.

    power : by which powers of the step the errors rise, 2 for central differences, 1 for those of one side
    """
    finest = column[:, -1]
    # where the smallest steps see the derivative
    near = (3.0 if power == 1 else 1.0) * np.abs(column[:, -1] - column[:, -2]) + 10.0 * rounding
    best, error = finest.copy(), near.copy()
    for j in range(1, 8):
        ratio = (h[:, :-j] / h[:, j:]) ** 2 if power == 2 else h[:, :-j] / h[:, j:]
        new = column[:, 1:] + (column[:, 1:] - column[:, :-1]) / (ratio - 1.0)
        noise = EPSILON * np.abs(new) + rounding[:, None] * (h[:, -1:] / h[:, j:]) ** order
        wrong = np.maximum(np.abs(new - column[:, 1:]), np.abs(new - column[:, :-1])) + noise
        wrong[~(np.abs(new - finest[:, None]) <= near[:, None])] = np.inf
        row = np.argmin(wrong, axis=1)[:, None]
        least = np.take_along_axis(wrong, row, axis=1)[:, 0]
        better = least < error
        best = np.where(better, np.take_along_axis(new, row, axis=1)[:, 0], best)
        error = np.where(better, least, error)
        column = new
    return best, error
