"""Inputs that change with time: motions of prescribed joints, masses, generalized forces.

What is given is followed exactly: an angle history fixes angle and rate at every stage of every step, a rate history
the rate (the angle is its integral, with the accuracy of the integrator), an acceleration history neither. Derivatives
that are not given are those of a quintic spline for tables. For functions the first derivative is a complex
step, exact to rounding, where the function takes complex times; else, and for the second derivative, central
differences of sixth order (`Motion.derivatives` says which).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import make_interp_spline

from interstage.errors import InputError, InterstageError
from interstage.multibody.compile import rigid_numbers
from interstage.multibody.model import _rigid
from interstage.spatial import RigidInertia

History = Callable[[float], ArrayLike] | tuple[ArrayLike, ArrayLike]
IMAGINARY = 1e-30
DIFFERENCE = 1e-3
# central differences of sixth order: offsets 1, 2, 3
_SIXTH = ((1.0, 0.75), (2.0, -0.15), (3.0, 1.0 / 60.0))


@dataclass(frozen=True)
class Motion:
    """The motion of a prescribed joint: angle, rate or acceleration (or travel ...) as function of time.

    Each is a function f(t) that returns one number for each degree of freedom, or a table (times, values). Give the
    highest level that is known; derivatives beside it are used as given.

    >>> Motion(angle=lambda t: 0.1 * np.sin(t)).derivatives
    {'rate': 'complex step', 'acceleration': 'differences of complex steps'}
    """

    angle: History | None = None
    rate: History | None = None
    acceleration: History | None = None

    def __post_init__(self) -> None:
        if self.angle is None and self.rate is None and self.acceleration is None:
            raise InputError("a motion needs a history", expected="angle=, rate= or acceleration=")

    @property
    def levels(self) -> list[tuple[Callable[[float], np.ndarray] | None, str]]:
        """Functions of angle, rate and acceleration, each with a word on where it comes from."""
        out: list[tuple[Any, str]] = []
        for k, name in enumerate(("angle", "rate", "acceleration")):
            given = getattr(self, name)
            if given is not None:
                out.append((_function(given, name), "given"))
            elif k == 0 or out[-1][0] is None:
                out.append((None, "integrated"))
            else:
                # differentiate what was given last
                last = max(j for j in range(k) if out[j][1] == "given")
                source = getattr(self, ("angle", "rate")[last])
                out.append(_derivative(source, out[last][0], k - last, ("angle", "rate")[last]))
        return out

    @property
    def derivatives(self) -> dict[str, str]:
        """How rates and accelerations that were not given are found."""
        names = ("angle", "rate", "acceleration")
        return {name: how for name, (_, how) in zip(names, self.levels) if how not in ("given", "integrated")}


def _function(given: Any, name: str) -> Callable[[float], np.ndarray]:
    """Return a history as a function that returns a vector."""
    if callable(given):
        return lambda t: np.atleast_1d(np.asarray(given(t)))
    return _Table(given, name)


class _Table:
    """A spline through a table, of degree five where there are enough rows."""

    def __init__(self, table: Any, name: str, order: int = 0):
        try:
            t, y = np.asarray(table[0], dtype=float), np.asarray(table[1], dtype=float)
        except (TypeError, ValueError, IndexError):
            t, y = np.zeros(0), np.zeros(0)
        good = t.ndim == 1 and len(t) > 1 and y.ndim in (1, 2) and len(y) == len(t)
        if not good or not np.all(np.diff(t) > 0.0) or not (np.isfinite(t).all() and np.isfinite(y).all()):
            raise InputError(
                "a table of a history must have rising times and a finite value for each",
                where=name,
                expected="(times (n,), values (n,) or (n, dofs)), n > 1",
            )
        self.name, self.first, self.last = name, t[0], t[-1]
        if order >= len(t):
            raise InputError(
                "a table is too short for its derivatives", where=name, expected="six rows or more"
            )
        spline = make_interp_spline(t, y, k=min(5, len(t) - 1))
        self.spline = spline.derivative(order) if order else spline

    def __call__(self, t: float) -> np.ndarray:
        slack = 1e-9 * (1.0 + abs(self.last))
        if not self.first - slack <= t <= self.last + slack:
            raise InputError(
                "a table of a history does not cover the run",
                where=self.name,
                expected=f"times from {self.first:g} to {self.last:g}",
                got=f"t = {t:g}",
            )
        return np.atleast_1d(self.spline(min(max(t, self.first), self.last)))


def _differences(f: Callable[[float], np.ndarray], h: float = DIFFERENCE) -> Callable[[float], np.ndarray]:
    """Return the derivative by central differences of sixth order."""
    return lambda t: sum(w * (f(t + k * h) - f(t - k * h)) for k, w in _SIXTH) / h


def _derivative(given: Any, f: Any, order: int, name: str) -> tuple[Callable[[float], np.ndarray], str]:
    """Return the first or second derivative of a history and how it is found."""
    if not callable(given):
        return _Table(given, name, order), "spline"
    plain = _differences(f)
    step = _complex_step(f)
    for t in (0.0, 0.37):
        if step is None:
            break
        try:
            a, b = step(t), plain(t)
        except Exception:
            step = None
            break
        if not np.allclose(a, b, rtol=1e-5, atol=1e-6 * (1.0 + np.abs(b).max())):
            step = None
    first, how = (plain, "differences") if step is None else (step, "complex step")
    if order == 1:
        return first, how
    second = _differences(first)
    return second, "differences of differences" if step is None else "differences of complex steps"


def _complex_step(f: Callable[[float], np.ndarray]) -> Callable[[float], np.ndarray] | None:
    """Return Im f(t + iε)/ε where the function takes complex times and answers in kind."""
    try:
        value = f(0.37 + 1j * IMAGINARY)
    except Exception:
        return None
    if not np.iscomplexobj(value):
        return None
    return lambda t: f(t + 1j * IMAGINARY).imag / IMAGINARY


class BoundMotion:
    """A motion on one joint of one system: rows of numbers for the kernels."""

    def __init__(self, motion: Motion, body: str, joint: Any):
        if not isinstance(motion, Motion):
            raise InputError(
                f"not a motion of body '{body}'", expected="as in ist.Motion(angle=f)", got=repr(motion)
            )
        self.motion, self.body, self.nv = motion, body, joint.nv
        (self.angle, _), (self.rate, _), (self.acceleration, _) = motion.levels
        if self.angle is not None and not joint.linear:
            raise InputError(
                f"the joint of body '{body}' has no angles to prescribe",
                got=f"a {type(joint).__name__} joint",
                hint="give a rate= or acceleration= history",
            )

    def values(self, f: Callable[[float], np.ndarray], t: float) -> np.ndarray:
        """Return the numbers (nv,) of a history at a time, checked."""
        try:
            value = np.asarray(f(t), dtype=float)
        except InterstageError:
            raise
        except Exception as err:
            raise InputError(
                f"the motion of body '{self.body}' failed at t = {t:g}", got=f"{type(err).__name__}: {err}"
            ) from err
        if value.shape != (self.nv,) or not np.isfinite(value).all():
            raise InputError(
                f"the motion of body '{self.body}' does not fit its joint",
                where=f"t = {t:g}",
                expected=f"{self.nv} finite numbers",
                got=f"{np.array2string(value, threshold=6)}",
            )
        return value


def needed_arguments(f: Callable) -> int:
    """Return how many arguments a function must have; 0 where it does not say."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return 0
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in plain and p.default is p.empty for p in parameters)


class Mass:
    """A mass history of one rigid body: f(t) or f(t, x) returns a RigidInertia or (mass, com, inertia)."""

    def __init__(self, f: Any, body: str):
        if not callable(f):
            raise InputError(
                f"the mass history of body '{body}' is not a function",
                expected="f(t) or f(t, x)",
                got=repr(f),
            )
        self.f, self.body = f, body
        self.of_state = needed_arguments(f) > 1

    def inertia(self, t: float, x: Any) -> RigidInertia:
        """Return checked mass properties at a time."""
        try:
            value = self.f(t, x) if self.of_state else self.f(t)
        except InterstageError:
            raise
        except Exception as err:
            raise InputError(
                f"the mass history of body '{self.body}' failed at t = {t:g}",
                got=f"{type(err).__name__}: {err}",
            ) from err
        if isinstance(value, RigidInertia):
            value = (value.mass, value.com, value.inertia)
        if not isinstance(value, tuple | list):
            value = (value,)
        where = f"mass of body '{self.body}' at t = {t:g}"
        if not 1 <= len(value) <= 3:
            raise InputError(
                "not mass properties", where=where, expected="mass, com, inertia", got=repr(value)
            )
        mass, com, inertia = (*value, *((0.0, 0.0, 0.0), None)[len(value) - 1 :])
        return _rigid(mass, com, inertia, where)

    def numbers(self, t: float, x: Any, origin: np.ndarray) -> np.ndarray:
        """Return m, m c, J (10,) about a point of the body's frame."""
        return rigid_numbers(self.inertia(t, x), origin)
