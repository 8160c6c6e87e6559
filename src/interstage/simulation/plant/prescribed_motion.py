"""Inputs that are prescribed in time: motions of joints, masses, generalized forces, as curves with derivatives.

Motions as curves: values and derivatives at many times, of tables, splines and functions.

Derivatives that are not given (`PrescribedMotion.derivatives` says how each is found):

    tables               quintic splines
    splines of scipy     their own derivatives
    functions of numpy   the function is followed with its two derivatives (`time_derivatives`): exact to rounding
    complex functions    a complex step, exact to rounding, and extrapolated differences of it
    black boxes          extrapolated differences with steps that fit the motion (`time_derivatives`)

Inputs that change with time: motions of prescribed joints, masses, generalized forces.

What is given is followed exactly: an angle history fixes angle and rate at every stage of every step, a rate history
the rate (the angle is its integral, with the accuracy of the integrator), an acceleration history neither. Derivatives
that are not given are found as `curves` says. Where a level and its derivative are both given they are compared, and a
`MotionWarning` says where they disagree. Another one says where an angle or a rate jumps: the joint follows, but the
vehicle gets no impulse, which an acceleration, or the action `SetJointMode` of an event, would give it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from interstage._renamed import former_names
from interstage.calls import named_arguments
from interstage.errors import (
    InputError,
    InterstageError,
    MotionWarning,
    caller_level,
    percent,
    raised,
    shown,
)
from interstage.multibody.compile import rigid_numbers
from interstage.multibody.model import checked_inertia
from interstage.multibody.types import needed_arguments
from interstage.simulation.plant.time_derivatives import Jet, differences, rows_of
from interstage.spatial import RigidInertia

Function = Callable[[float], np.ndarray]
NAMES = ("angle", "rate", "acceleration")
IMAGINARY = 1e-30
TRIED = (0.0, 0.37, 1.3)  # times at which ways of differentiation are tried
BEND = (
    1e-9  # change of slope between two rows of a table, beside its largest slope: less than this is rounding
)
RINGS = 24  # rows after which a quintic spline has forgotten a corner, to 1e-9 of it
DISAGREE = 1e-3  # beside the size of a level: more than this is no rounding
NO_JETS = (TypeError, ValueError, AttributeError, IndexError, NotImplementedError, ArithmeticError)


def _level(source: Any, order: int, t: float) -> np.ndarray:
    """Return the derivative (n,) of a source at one time."""
    return source.rows(np.array([float(t)]), order)[order][0]


class MotionProfile:
    """A motion made ready to be asked at many times."""

    def __init__(self, motion: PrescribedMotion):
        given = [getattr(motion, name) for name in NAMES]
        sources = {k: _source(g, NAMES[k]) for k, g in enumerate(given) if g is not None}
        first = min(sources)
        # (source, how often differentiated) of each level, None where it is integrated
        self.plan: list[tuple[Any, int] | None] = [None, None, None]
        for k in range(first, 3):
            last = max(j for j in sources if j <= k)
            self.plan[k] = sources[last], k - last
        self.pairs = [k for k in (0, 1) if k in sources and k + 1 in sources]

    @property
    def levels(self) -> list[tuple[Function | None, str]]:
        """Functions of angle, rate and acceleration, each with a word on where it comes from."""
        out: list[tuple[Function | None, str]] = []
        for entry in self.plan:
            if entry is None:
                out.append((None, "integrated"))
                continue
            source, order = entry
            how = source.how[order - 1] if order else "given"
            out.append((partial(_level, source, order), how))
        return out

    def rows(self, times: np.ndarray) -> list[np.ndarray | None]:
        """Return angle, rate and acceleration (T, n), None where they are integrated."""
        most: dict[int, int] = {}
        for source, order in filter(None, self.plan):
            most[id(source)] = max(order, most.get(id(source), 0))
        found: dict[int, list] = {}
        out: list[np.ndarray | None] = []
        for entry in self.plan:
            if entry is None:
                out.append(None)
                continue
            source, order = entry
            if id(source) not in found:
                found[id(source)] = source.rows(times, most[id(source)])
            out.append(found[id(source)][order])
        return out

    @property
    def corners(self) -> np.ndarray:
        """Times at which a table begins or ceases to bend, rising."""
        tables = [entry[0] for entry in self.plan if entry is not None and isinstance(entry[0], _Table)]
        return np.unique(np.concatenate([np.zeros(0), *(table.corners for table in tables)]))

    def disagreement(self, times: np.ndarray) -> tuple[str, float, float, np.ndarray, np.ndarray] | None:
        """Return (name, share, time, given, derived) of a level that is not the derivative of the one before."""
        rows = self.rows(times)
        for k in self.pairs:
            given, entry = rows[k + 1], self.plan[k]
            assert given is not None and entry is not None
            derived = entry[0].rows(times, 1)[1]
            if given.shape != derived.shape:
                continue
            off = np.abs(given - derived).max(axis=1)
            size = max(np.abs(given).max(), np.abs(derived).max())
            # at a kink any derivative will do: one time of several may be one
            if size > 0.0 and np.sort(off)[len(off) // 2] > DISAGREE * size:
                j = int(np.argmax(off))
                return NAMES[k + 1], off[j] / size, times[j], given[j], derived[j]
        return None


def _source(given: Any, name: str) -> Any:
    """Return a history as something that has rows of values and derivatives at many times."""
    if not callable(given):
        return _Table(given, name)
    interpolate = scipy.interpolate
    if isinstance(given, interpolate.BSpline | interpolate.PPoly | interpolate.UnivariateSpline):
        return _Splined(given)
    return _Given(given)


class _Splined:
    """A spline with derivatives of its own: callable at many times, time first."""

    how = ("spline", "spline")

    def __init__(self, spline: Any):
        self.spline = spline

    def rows(self, times: np.ndarray, order: int) -> list[np.ndarray]:
        """Return values and derivatives up to an order, each (T, n)."""
        splines = [self.spline, *(self.spline.derivative(k) for k in range(1, order + 1))]
        return [np.asarray(s(times), dtype=float).reshape(len(times), -1) for s in splines]


class _Table(_Splined):
    """A spline through a table, of degree five where there are enough rows."""

    def __init__(self, table: Any, name: str):
        try:
            t, y = np.asarray(table[0], dtype=float), np.asarray(table[1], dtype=float)
        except (TypeError, ValueError, IndexError, RuntimeWarning):
            t, y = np.zeros(0), np.zeros(0)
        good = t.ndim == 1 and len(t) > 1 and y.ndim in (1, 2) and len(y) == len(t)
        if not good or not np.all(np.diff(t) > 0.0) or not (np.isfinite(t).all() and np.isfinite(y).all()):
            raise InputError(
                "a table of a history must have rising times and a finite value for each",
                where=name,
                expected="(times (n,), values (n,) or (n, dofs)), n > 1",
            )
        self.name, self.first, self.last = name, t[0], t[-1]
        super().__init__(scipy.interpolate.make_interp_spline(t, y, k=min(5, len(t) - 1)))
        slope = np.diff(y.reshape(len(t), -1), axis=0) / np.diff(t)[:, None]
        bends = np.abs(np.diff(slope, axis=0)).max(axis=1) > BEND * np.abs(slope).max(initial=0.0)
        straight = ~np.concatenate([[False], bends, [False]])
        # ends of stretches that are straight, and of those that are not; the spline rings on both sides of them
        ends = np.flatnonzero(straight[1:] != straight[:-1])[:, None] + np.arange(-RINGS, RINGS + 2)
        self.corners = t[np.unique(ends.clip(0, len(t) - 1))] if ends.size else t[:0]

    def rows(self, times: np.ndarray, order: int) -> list[np.ndarray]:
        if order > self.spline.k:
            raise InputError(
                "a table is too short for its derivatives", where=self.name, expected="six rows or more"
            )
        slack = 1e-9 * (1.0 + abs(self.last))
        outside = (times < self.first - slack) | (times > self.last + slack)
        if np.any(outside):
            raise InputError(
                "a table of a history does not cover the run",
                where=self.name,
                expected=f"times from {self.first:g} to {self.last:g}",
                got=f"t = {times[outside][0]:g}",
            )
        return super().rows(np.clip(times, self.first, self.last), order)


class _Given:
    """A function of time, and the best way to differentiate it."""

    def __init__(self, f: Callable[[Any], Any]):
        self.f = f
        self.at_once = True  # asked at many times in one call, until that fails
        self.way: tuple[str, str] | None = None

    @property
    def how(self) -> tuple[str, str]:
        """How first and second derivatives are found."""
        return self._decided(())

    def _decided(self, times: Sequence[float]) -> tuple[str, str]:
        """Choose a way once, by trial at a few times of its own and those given."""
        if self.way is None:
            tried = [t for t in (*TRIED, *times) if self._finite(t)]
            if self._takes(tried, lambda t: rows_of(self.f(Jet.of_times(np.array([t]))), 1)[1][0]):
                self.way = "exact", "exact"
            elif self._takes(tried, self._step):
                self.way = "complex step", "differences of complex steps"
            else:
                self.way = "differences", "differences"
        return self.way

    def value(self, t: complex) -> np.ndarray:
        """Return f (n,) at one time, complex where it is."""
        return np.atleast_1d(np.asarray(self.f(t))).ravel()

    def rows(self, times: np.ndarray, order: int) -> list[np.ndarray]:
        """Return values and derivatives up to an order, each (T, n)."""
        if order and self._decided(times[:1].tolist())[0] == "exact":
            return list(self._jets(times)[: order + 1])
        out = [self._values(times)]
        if order and self.way is not None and self.way[0] == "complex step":
            out.append(self._steps(times))
            if order == 2:
                out.append(differences(self._steps, times, 1)[0][0])
        elif order:
            out += [found for found, _ in differences(self._around, times, *range(1, order + 1))]
        return out

    def wrong(self, t: float) -> bool:
        """Return whether the complex step is not the derivative at a time."""
        return self.off(t, self._steps([t])[0])

    def _steps(self, times: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return the first derivative (N, n) by complex steps."""
        return self._around(times, self._step)

    def _step(self, t: float) -> np.ndarray:
        value = self.value(t + 1j * IMAGINARY)
        if value.dtype.kind != "c":
            raise TypeError("a complex time gives real numbers")
        return value.imag / IMAGINARY

    def _around(
        self, times: Sequence[float] | np.ndarray, f: Callable[[float], np.ndarray] | None = None
    ) -> np.ndarray:
        """Return values (N, n) of the function, or of one made of it, NaN where there are none."""
        if f is None and self.at_once:
            try:
                return self._values(np.asarray(times))
            except Exception:  # outside of where the function is defined: the nearer steps decide
                self.at_once = False
        found: list[Any] = []
        for t in map(float, times):
            try:
                found.append(np.asarray((f or self.value)(t), dtype=float))
            except Exception:
                found.append(None)
        n = max((len(row) for row in found if row is not None), default=1)
        return np.array([np.full(n, np.nan) if row is None or len(row) != n else row for row in found])

    def _values(self, times: np.ndarray) -> np.ndarray:
        """Return f (T, n), by one call where the function takes many times."""
        if self.at_once and len(times) > 3:
            try:
                found = np.asarray(self.f(times), dtype=float)
            except Exception:
                found = np.zeros(0)
            if found.ndim in (1, 2) and found.shape[-1] == len(times):
                found = found.reshape(-1, len(times)).T
                if self._agrees(times, found):
                    return found
            self.at_once = False
        return np.array([self.value(float(t)) for t in times], dtype=float)

    def _agrees(self, times: np.ndarray, found: np.ndarray) -> bool:
        """Return whether what came of one call is what comes of several."""
        for k in (0, len(times) // 2, len(times) - 1):
            alone = np.asarray(self.value(float(times[k])), dtype=float)
            if alone.shape != found[k].shape or not np.allclose(alone, found[k], rtol=1e-12, atol=1e-14):
                return False
        return True

    def _jets(self, times: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return f, f', f'' (T, n) by jets: of all times together, or one by one where the function branches."""
        if self.at_once and len(times) > 1:
            try:
                found = rows_of(self.f(Jet.of_times(times)), len(times))
                if self._agrees(times, found[0]):
                    return found
            except NO_JETS:
                pass
            self.at_once = False
        rows = [rows_of(self.f(Jet.of_times(np.array([t]))), 1) for t in times]
        return tuple(np.concatenate([row[k] for row in rows]) for k in range(3))

    def _finite(self, t: float) -> bool:
        """Return whether the function can be asked at and around a time."""
        try:
            value = np.asarray(self.value(t), dtype=float)
        except Exception:  # not defined there
            return False
        wanted, error = differences(self._around, np.array([t]), 1)[0]
        return bool(np.isfinite(value).all() and np.isfinite(wanted).all() and np.isfinite(error).all())

    def _takes(self, times: Sequence[float], derivative: Callable[[float], np.ndarray]) -> bool:
        """Return whether a way to the first derivative agrees with differences at all of some times."""
        for t in times:
            try:
                found = derivative(t)
            except Exception:  # the function does not take such numbers
                return False
            if self.off(t, found):
                return False
        return len(times) > 0

    def off(self, t: float, found: np.ndarray) -> bool:
        """Return whether a first derivative is not what differences show, by more than their error."""
        wanted, error = (part[0] for part in differences(self._around, np.array([t]), 1)[0])
        limit = 10.0 * error + 1e-6 * (np.abs(wanted) + np.abs(self.value(t)))
        return found.shape != wanted.shape or bool(np.any(np.abs(found - wanted) > limit))


History = Callable[[float], ArrayLike] | tuple[ArrayLike, ArrayLike]
CHECK = 500  # rows of a table between two looks at whether levels agree
TWIN = 1e-9  # of the longest time between rows: times that are this near are one
UNSEEN = 1e-3  # share of a level that changes between two rows without its derivative, to be looked into


@named_arguments
@dataclass(frozen=True)
class PrescribedMotion:
    """The motion of a prescribed joint: angle, rate or acceleration (or travel ...) as function of time.

    Each is a function f(t) that returns one number for each degree of freedom, or a table (times, values). Give the
    highest level that is known; derivatives beside it are used as given.

    >>> PrescribedMotion(angle=lambda t: 0.1 * np.sin(t)).derivatives
    {'rate': 'exact', 'acceleration': 'exact'}
    """

    angle: History | None = None
    rate: History | None = None
    acceleration: History | None = None

    def __post_init__(self) -> None:
        if self.angle is None and self.rate is None and self.acceleration is None:
            raise InputError("a motion needs a history", expected="angle=, rate= or acceleration=")

    @property
    def levels(self) -> list[tuple[Function | None, str]]:
        """Functions of angle, rate and acceleration, each with a word on where it comes from."""
        return MotionProfile(self).levels

    @property
    def derivatives(self) -> dict[str, str]:
        """How rates and accelerations that were not given are found."""
        return {name: how for name, (_, how) in zip(NAMES, self.levels) if how not in ("given", "integrated")}


def check_motion(motion: Any, body: str, joint: Any) -> None:
    """Refuse what is no motion, and angles of a joint that has none."""
    if not isinstance(motion, PrescribedMotion):
        raise InputError(
            f"not a motion of body '{body}'", expected="as in ist.PrescribedMotion(angle=f)", got=repr(motion)
        )
    if motion.angle is not None and not joint.linear:
        raise InputError(
            f"the joint of body '{body}' has no angles to prescribe",
            got=f"a {type(joint).__name__} joint",
            hint="give a rate= or acceleration= history",
        )


class BoundMotion:
    """A motion on one joint of one system: rows of numbers for the kernels."""

    def __init__(self, motion: PrescribedMotion, body: str, joint: Any):
        check_motion(motion, body, joint)
        self.motion, self.body, self.nv = motion, body, joint.nv
        self.curve = MotionProfile(motion)
        self.seen: list[float] = []
        self.asked = CHECK
        self.told_jump = False

    def at(self, t: float) -> list[np.ndarray | None]:
        """Return angle, rate and acceleration (nv,) at a time, None where they are integrated."""
        return [None if row is None else row[0] for row in self.table(np.array([t]))]

    def table(self, times: np.ndarray) -> list[np.ndarray | None]:
        """Return angle, rate and acceleration (T, nv), checked, None where they are integrated."""
        try:
            out = self.curve.rows(times)
            self._look(times)
        except InterstageError:
            raise
        except Exception as err:
            raise InputError(
                f"the motion of body '{self.body}' failed at t = {self._when(times):g}",
                got=raised(err),
            ) from err
        for name, rows in zip(NAMES, out):
            if rows is None:
                continue
            fits = rows.shape == (len(times), self.nv)
            if not fits or not np.isfinite(rows).all():
                k = 0 if not fits else int(np.argmin(np.isfinite(rows).all(axis=1)))
                raise InputError(
                    f"the motion of body '{self.body}' does not fit its joint",
                    where=f"{name}, t = {times[k]:g}",
                    expected=f"{self.nv} finite numbers",
                    got=f"{np.array2string(rows[k], threshold=6)}",
                    hint=None if getattr(self.motion, name) is not None else f"give {name}= too",
                )
        if len(times) > 1 and not self.told_jump:
            self._look_for_jumps(times, out)
        return out

    def _look_for_jumps(self, times: np.ndarray, rows: list[np.ndarray | None]) -> None:
        """Warn once where a level changes between two rising times without its derivative, |Δf - ∫f' dt| (trapezoid).

        The interval that is worst is halved six times: what is only fast comes to agree on the way.
        """
        apart = np.append(
            True, np.diff(times) > TWIN * np.diff(times).max()
        )  # ends of steps have a row on each side
        times, h = times[apart], np.diff(times[apart])
        rows = [None if row is None else row[apart] for row in rows]
        for k in (0, 1):
            level, rate = rows[k], rows[k + 1]
            if level is None:
                continue
            assert rate is not None
            gap = np.abs(_unexplained(h[:, None], level, rate)).max(axis=1)
            gap[h <= 0.0] = 0.0
            j = int(np.argmax(gap))
            if gap[j] <= UNSEEN * np.abs(level).max():
                continue
            span, least = times[j : j + 2], 0.6 * gap[j]
            while gap[j] > least and span[1] - span[0] > h[j] / 63.0:  # six times, whatever rounds
                three = np.array([span[0], 0.5 * (span[0] + span[1]), span[1]])
                some, slope = self.curve.rows(three)[k : k + 2]
                assert some is not None and slope is not None
                half = np.abs(_unexplained(np.diff(three)[:, None], some, slope)).max(axis=1)
                m = int(np.argmax(half))
                gap[j], span = half[m], three[m : m + 2]
            if not gap[j] > least:
                continue
            self.told_jump = True
            warnings.warn(
                f"the {NAMES[k]} of the motion of body '{self.body}' jumps by {gap[j]:.3g} at t = {span[1]:.6g}: "
                "the joint follows, but nothing gives the vehicle the impulse that this takes; round the corner, or "
                f"start the new motion by an event, as in SetJointMode('{self.body}', 'prescribed', motion)",
                MotionWarning,
                stacklevel=caller_level(),
            )

    def _when(self, times: np.ndarray) -> float:
        """Return the first time at which the motion fails."""
        for t in times:
            try:
                self.curve.rows(np.array([t]))
            except Exception:
                return float(t)
        return float(times[0])

    def _look(self, times: np.ndarray) -> None:
        """Look now and then whether what was given, and how it is differentiated, agree."""
        if self.asked >= CHECK:
            self.seen += times[np.unique(np.linspace(0, len(times) - 1, 7).astype(int))].tolist()
        self.asked += len(times)
        if len(self.seen) < 7:
            return
        some, self.seen, self.asked = np.array(self.seen), [], 0
        for source, order in filter(None, self.curve.plan):
            wrong = [t for t in some if order == 1 and source.how[0] == "complex step" and source.wrong(t)]
            if wrong:
                raise InputError(
                    f"the motion of body '{self.body}' is not analytic: complex steps do not give its derivative",
                    where=f"t = {wrong[0]:g}",
                    hint="give the rate too, or take real times only (as with float(t))",
                )
        found = self.curve.disagreement(some)
        if found is not None:
            name, share, t, given, derived = found
            warnings.warn(
                f"the {name} of the motion of body '{self.body}' is not the derivative of its {_before(name)}: "
                f"{percent(share)} off at t = {t:g} ({given} given, {derived} by differentiation)",
                MotionWarning,
                stacklevel=caller_level(),
            )


def _unexplained(h: np.ndarray, level: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Return Δf - ∫f' dt (T - 1, n) between rows of a level and its derivative (T, n), by the trapezoidal rule."""
    return np.diff(level, axis=0) - 0.5 * h * (rate[1:] + rate[:-1])


def _before(name: str) -> str:
    return NAMES[NAMES.index(name) - 1]


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
            value = self.f(t, x.copy()) if self.of_state else self.f(t)
        except InterstageError:
            raise
        except Exception as err:
            raise InputError(
                f"the mass history of body '{self.body}' failed at t = {t:g}",
                got=raised(err),
            ) from err
        if isinstance(value, RigidInertia):
            value = (value.mass, value.com, value.inertia)
        where = f"mass of body '{self.body}' at t = {t:g}"
        if not isinstance(value, tuple | list) or not 1 <= len(value) <= 3:
            raise InputError(
                f"mass history of '{self.body}' returned {shown(value)}: expected RigidInertia or (mass, com, inertia)",
                where=f"t = {t:g}",
                hint="a point mass m in the joint is (m, [0, 0, 0], [0, 0, 0])",
            )
        missing: tuple[Any, ...] = ((0.0, 0.0, 0.0), None)
        mass, com, inertia = (*tuple(value), *missing[len(value) - 1 :])
        return checked_inertia(mass, com, inertia, where)

    def table(self, times: np.ndarray, x: Any, origin: np.ndarray) -> np.ndarray:
        """Return m, m c, J (T, 10) at many times: rows that are plainly those of a body are checked all at once.

        x : a state for all times, or one for each
        """
        states = x if isinstance(x, list) else [x] * len(times)
        found = [self._raw(float(t), state) for t, state in zip(times, states)]
        whole = [row for row in found if row is not None]
        if len(whole) < len(found):
            return np.array([self.numbers(float(t), state, origin) for t, state in zip(times, states)])
        mass, com = np.array([row[0] for row in whole]), np.array([row[1] for row in whole])
        tensor = np.array([row[2] for row in whole])
        out = rigid_rows(mass, com - origin, tensor)
        for k in np.flatnonzero(~_plain(mass, com, tensor)):
            out[k] = self.numbers(float(times[k]), states[k], origin)
        return out

    def _raw(self, t: float, x: Any) -> tuple[float, np.ndarray, np.ndarray] | None:
        """Return mass, com and inertia as the function gives them; None where they have to be looked at one by one."""
        try:
            value = self.f(t, x.copy()) if self.of_state else self.f(t)
            if isinstance(value, RigidInertia):
                return value.mass, value.com, value.inertia
            if not isinstance(value, tuple | list) or not 1 <= len(value) <= 3:
                return None
            missing: tuple[Any, ...] = ((0.0, 0.0, 0.0), None)
            given = (*tuple(value), *missing[len(value) - 1 :])
            mass, com = float(given[0]), np.asarray(given[1], float)
            tensor = np.zeros((3, 3)) if given[2] is None else np.asarray(given[2], float)
        except Exception:
            return None
        tensor = np.diag(tensor) if tensor.shape == (3,) else tensor
        return (mass, com, tensor) if com.shape == (3,) and tensor.shape == (3, 3) else None

    def numbers(self, t: float, x: Any, origin: np.ndarray) -> np.ndarray:
        """Return m, m c, J (10,) about a point of the body's frame."""
        return rigid_numbers(self.inertia(t, x), origin)


def rigid_rows(mass: np.ndarray, com: np.ndarray, tensor: np.ndarray) -> np.ndarray:
    """Return m, m c, J (T, 10) of masses (T,), centres (T, 3) and inertias about them (T, 3, 3)."""
    m, (x, y, z) = mass, com.T
    J = 0.5 * (tensor + tensor.transpose(0, 2, 1))
    rows = [m, m * x, m * y, m * z]
    rows += [
        J[:, 0, 0] + m * (y * y + z * z),
        J[:, 1, 1] + m * (x * x + z * z),
        J[:, 2, 2] + m * (x * x + y * y),
    ]
    rows += [J[:, 0, 1] - m * x * y, J[:, 0, 2] - m * x * z, J[:, 1, 2] - m * y * z]
    return np.stack(rows, axis=1)


def _plain(mass: np.ndarray, com: np.ndarray, tensor: np.ndarray) -> np.ndarray:
    """Return (T,) where mass properties are well within what `RigidInertia.check` takes."""
    with np.errstate(all="ignore"):
        finite = np.isfinite(mass) & np.isfinite(com).all(axis=1) & np.isfinite(tensor).all(axis=(1, 2))
        size = np.abs(tensor).max(axis=(1, 2))
        even = np.abs(tensor - tensor.transpose(0, 2, 1)).max(axis=(1, 2)) <= 1e-12 * size
        moments = np.linalg.eigvalsh(np.where(finite[:, None, None], tensor, 0.0))
        room = moments[:, 0] + moments[:, 1] - moments[:, 2] >= -1e-7 * size
        return finite & (mass > 0.0) & even & (moments[:, 0] >= -1e-7 * size) & room


__getattr__ = former_names(__name__)
