"""Derivatives of functions: complex steps for those that take them, central differences for black boxes::

    complex-step   Im f(x + ih)/h                                           no cancellation: exact to round-off
    central-2      [f(x+h) - f(x-h)]/2h                                     error h²f'''/6
    central-4      [8(f(x+h) - f(x-h)) - (f(x+2h) - f(x-2h))]/12h           error h⁴f⁽⁵⁾/30

Round-off adds about ε f/h to the differences. Richardson extrapolation halves the step again and again and
combines the results (Neville's scheme in h²): the difference of neighbours in the scheme estimates the error,
and the step stops shrinking when it meets the relative tolerance or grows again (Ridders 1982).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError, InterstageError

METHODS = ("complex-step", "central-2", "central-4")
ORDER = {"central-2": 2, "central-4": 4}
COMPLEX_STEP = 1e-40
LEVELS = 10  # halvings of Richardson extrapolation at most
_EPS = float(np.finfo(float).eps)

DIFFERENCE = (
    1e-6  # step of central differences, relative to the size of each state or in its unit where that is less
)
SMALL_DIFFERENCE = 1e-9  # of a second look, where the first one may have run into a limit
DROPPED = 1e-4  # laws that disagree with differences by more than this drop complex numbers

How = dict[str, str | float | bool | None]

Function = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Scheme:
    """How to differentiate.

    method : one of METHODS
    step : step in units of each variable's scale; default 1e-40 (complex), ε^(1/3), ε^(1/5), or 0.1 with Richardson
    richardson : extrapolate differences to step zero
    rtol : relative error at which the extrapolation stops
    """

    method: str = "complex-step"
    step: float | None = None
    richardson: bool = False
    rtol: float = 1e-10

    def __post_init__(self):
        if self.method not in METHODS:
            raise InputError("unknown method", expected=", ".join(METHODS), got=repr(self.method))
        number = isinstance(self.step, int | float | np.integer | np.floating)
        if self.step is not None and not (number and np.isfinite(self.step) and self.step > 0.0):
            raise InputError("the step must be positive", where="step", got=repr(self.step))
        if not (isinstance(self.rtol, int | float | np.integer | np.floating) and 0.0 < self.rtol < 1.0):
            raise InputError("the tolerance must lie between 0 and 1", where="rtol", got=repr(self.rtol))
        if self.richardson and self.method == "complex-step":
            raise InputError("complex steps leave nothing to extrapolate", hint='use method="central-2"')

    @property
    def size(self) -> float:
        """The step that is used."""
        if self.step is not None:
            return float(self.step)
        if self.method == "complex-step":
            return COMPLEX_STEP
        if self.richardson:
            return 0.1
        return _EPS ** (1.0 / (ORDER[self.method] + 1.0))

    @property
    def how(self) -> How:
        """What a model says of its derivatives, with an error that is not known."""
        return {
            "method": self.method,
            "step": self.size,
            "richardson": self.richardson,
            "error": np.nan,
        }

    def along(self, f: Function, direction: np.ndarray) -> tuple[np.ndarray, float]:
        """Return df/ds of f(s·direction) at s = 0, and an estimate of its largest error (nan: none)."""
        h = self.size
        if self.method == "complex-step":
            return f(1j * h * direction).imag / h, np.nan
        if not self.richardson:
            return _central(f, direction, h, ORDER[self.method]), np.nan
        return _ridders(f, direction, h, ORDER[self.method], self.rtol)


EXACT = Scheme()


def _central(f: Function, e: np.ndarray, h: float, order: int) -> np.ndarray:
    near = f(h * e) - f(-h * e)
    if order == 2:
        return near / (2.0 * h)
    return (8.0 * near - (f(2.0 * h * e) - f(-2.0 * h * e))) / (12.0 * h)


def _ridders(f: Function, e: np.ndarray, h: float, order: int, rtol: float) -> tuple[np.ndarray, float]:
    """Extrapolate central differences to step zero; each entry keeps the value with its smallest error."""
    row = [_central(f, e, h, order)]
    best, error = row[0], np.full(row[0].shape, np.inf)
    for _ in range(1, LEVELS):
        h *= 0.5
        new = [_central(f, e, h, order)]
        for j, older in enumerate(row):
            factor = 2.0 ** (order + 2 * j)
            new.append(new[j] + (new[j] - older) / (factor - 1.0))
            doubt = np.maximum(np.abs(new[j + 1] - new[j]), np.abs(new[j + 1] - older))
            better = doubt < error
            best, error = np.where(better, new[j + 1], best), np.where(better, doubt, error)
        scale = max(float(np.abs(best).max(initial=0.0)), np.finfo(float).tiny)
        if error.max(initial=0.0) <= rtol * scale:
            break
        row = new
    return best, float(error.max(initial=0.0))


@named_arguments
def jacobian(
    f: Function,
    x: np.ndarray,
    method: str = "complex-step",
    *,
    step: float | None = None,
    richardson: bool = False,
    rtol: float = 1e-10,
    scale: np.ndarray | float = 1.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Return ∂f/∂x (m, n) at x (n,) and an estimate of the largest error of each column (n,), nan where none.

    scale : size of a usual change of each variable; steps are in units of it

    >>> J, error = jacobian(lambda x: np.array([x[0] ** 2 * x[1]]), np.array([3.0, 2.0]))
    >>> J
    array([[12.,  9.]])
    """
    scheme = Scheme(method, step, richardson, rtol)
    x = np.asarray(x, dtype=float)
    sizes = np.broadcast_to(np.asarray(scale, dtype=float), x.shape)
    columns, errors = [], []
    for k in range(len(x)):
        e = np.zeros(len(x))
        e[k] = sizes[k]
        slope, error = scheme.along(lambda d: np.asarray(f(x + d)), e)
        columns.append(slope / sizes[k])
        errors.append(error / sizes[k])
    return np.stack(columns, axis=-1) if columns else np.zeros((len(f(x)), 0)), np.array(errors)


def jacobian_of(
    f: Callable[[np.ndarray], np.ndarray], sizes: np.ndarray, laws: bool, scheme: Scheme = EXACT
) -> tuple[np.ndarray, How]:
    """Return ∂f/∂δ at zero (m, n) and how it was found.

    sizes : (n,) of what the changes δ change; differences have steps h_j = h max(1, size_j)
    laws : there are some: where they drop complex steps, differences with h = 1e-6 are taken instead
    """
    n, scale = len(sizes), np.maximum(1.0, np.abs(sizes))
    how = scheme.how
    if n == 0:
        return np.zeros((len(f(np.zeros(0))), 0)), how
    if scheme.method != "complex-step":
        found = [scheme.along(f, row) for row in np.diag(scale)]
        J = np.array([slope for slope, _ in found]).reshape(n, -1).T / scale
        return J, {**how, "error": float(np.max([error / s for (_, error), s in zip(found, scale)]))}
    unit: list[np.ndarray] = [*np.eye(n)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            h = scheme.size
            columns = [np.imag(f(np.multiply(1j * h, row))) / h for row in unit]
        J = np.array(columns).reshape(n, -1).T
        if not laws or _agrees(f, J, scale):
            return J, how
    except InterstageError as err:
        if not laws:
            raise
        if not isinstance(err.__cause__ or err, InterstageError | TypeError | Warning):
            raise
    steps = [*(DIFFERENCE * np.diag(scale))]
    J = np.array([_slope(f, step) / step.max() for step in steps]).reshape(n, -1).T
    return J, {**how, "method": "central-2", "step": DIFFERENCE}


def _slope(f: Callable[[np.ndarray], np.ndarray], step: np.ndarray) -> np.ndarray:
    """Return half the difference of f over a step to both sides."""
    return 0.5 * (f(step) - f(-step))


def _agrees(f: Callable[[np.ndarray], np.ndarray], J: np.ndarray, scale: np.ndarray) -> bool:
    """Return whether complex steps agree with a difference along one direction, be it a very small one.

    A long difference may run into a limit that is near, where the derivative is that of the complex step; what drops
    complex numbers disagrees with differences of any length. Each row is measured by itself: what a law drops is small
    beside the accelerations of stiff modes.
    """
    way = scale * np.random.default_rng(7).uniform(0.5, 1.0, size=(J.shape[1],))
    along, size = J @ way, np.abs(J) @ way
    differs = np.ones(len(J), dtype=bool)
    for h in (DIFFERENCE, SMALL_DIFFERENCE):
        step = _slope(f, np.multiply(h, way)) / h
        differs &= np.abs(along - step) > DROPPED * (size + np.abs(step) + 1e-3)
        if not differs.any():
            return True
    return False
