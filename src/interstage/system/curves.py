"""Motions as curves: values and derivatives at many times, of tables, splines and functions.

Derivatives that are not given (`Motion.derivatives` says how each is found):

    tables               quintic splines
    splines of scipy     their own derivatives
    functions of numpy   the function is followed with its two derivatives (`jets`): exact to rounding
    complex functions    a complex step, exact to rounding, and extrapolated differences of it
    black boxes          extrapolated differences with steps that fit the motion (`derivatives`)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from interstage.errors import InputError
from interstage.system.derivatives import differences
from interstage.system.jets import Jet, rows_of

if TYPE_CHECKING:
    from interstage.system.histories import Motion

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


class Curve:
    """A motion made ready to be asked at many times."""

    def __init__(self, motion: Motion):
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
            out.append((lambda t, s=source, k=order: s.rows(np.array([float(t)]), k)[k][0], how))
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
            given, derived = rows[k + 1], self.plan[k][0].rows(times, 1)[1]
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

    def __init__(self, f: Callable[[float], ArrayLike]):
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

    def value(self, t: float) -> np.ndarray:
        """Return f (n,) at one time, complex where it is."""
        return np.atleast_1d(np.asarray(self.f(t))).ravel()

    def rows(self, times: np.ndarray, order: int) -> list[np.ndarray]:
        """Return values and derivatives up to an order, each (T, n)."""
        if order and self._decided(times[:1].tolist())[0] == "exact":
            return list(self._jets(times)[: order + 1])
        out = [self._values(times)]
        if order and self.way[0] == "complex step":
            out.append(self._steps(times))
            if order == 2:
                out.append(differences(self._steps, times, 1)[0][0])
        elif order:
            out += [found for found, _ in differences(self._around, times, *range(1, order + 1))]
        return out

    def wrong(self, t: float) -> bool:
        """Return whether the complex step is not the derivative at a time."""
        return self.off(t, self._steps([t])[0])

    def _steps(self, times: Sequence[float]) -> np.ndarray:
        """Return the first derivative (N, n) by complex steps."""
        return self._around(times, self._step)

    def _step(self, t: float) -> np.ndarray:
        value = self.value(t + 1j * IMAGINARY)
        if value.dtype.kind != "c":
            raise TypeError("a complex time gives real numbers")
        return value.imag / IMAGINARY

    def _around(self, times: Sequence[float], f: Callable[[float], np.ndarray] | None = None) -> np.ndarray:
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
