"""Edges in time of functions that ask for it: where a branch on t turns, steps of a method's own end.

`500.0 if t < 0.004 else 0.0` does not say when it jumps, and a pulse may lie between two stages of a long step. The
function is called with a time that remembers what it is compared with (`Moment`): from the comparisons of one call
follows when the next of them turns, there the function is asked again, and so on to the end of the run.

Found are comparisons of t, of sums, differences, multiples and remainders of it with numbers, of integer parts, in
Python and by numpy. Not found is what passes t to code that compares inside (np.interp, np.searchsorted), or depends on
what happens in the run: for these max_step, or an event at the time.
"""

from __future__ import annotations

import dis
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from interstage.multibody.loads import TimeTable
from interstage.simulation.plant.coupled_kernels import plain
from interstage.simulation.plant.device import Device
from interstage.simulation.plant.prescribed_inputs import Ahead, MassHistory
from interstage.simulation.plant.prescribed_motion import Mass
from interstage.simulation.plant.python_block import Law
from interstage.simulation.run.integrators import Library
from interstage.simulation.run.integrators.step_kernels import just_after

if TYPE_CHECKING:
    from interstage.simulation.run.applied_loads import Acting
    from interstage.simulation.run.integration import Integrator


MOST = 5000  # edges of one function that are looked for
SOON = 100  # edges of one function that are looked for anew where an event has changed something
AHEAD = 10.0  # runs that are looked at: a run that is resumed may end later
REMEMBERS = {"STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR"}
CHANGES = {
    "add", "append", "appendleft", "clear", "extend", "insert", "next", "pop", "popleft", "print", "put", "remove",
    "send", "setdefault", "update", "write",
}  # names of what changes what it is called of  # fmt: skip
COMPARED = {
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
}
LINEAR = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "remainder": operator.mod,
    "floor_divide": operator.floordiv,
}
SCALAR = (int, float, np.integer, np.floating)


class Moment(float):
    """A time, or a multiple of it and a number: value = slope · t + offset. It notes when comparisons of it turn."""

    slope: float
    offset: float
    edges: set[float]

    @classmethod
    def of(cls, value: float, slope: float, offset: float, edges: set[float]) -> Moment:
        """Return one whose edges go to a set."""
        made = cls(value)
        made.slope, made.offset, made.edges = slope, offset, edges
        return made

    @property
    def real(self) -> Moment:
        """Itself: devices write d.x.real of numbers that may be complex."""
        return self

    def _note(self, other: object) -> None:
        for value in np.atleast_1d(np.asarray(other)).ravel():
            edge = (float(np.real(value)) - self.offset) / self.slope
            if math.isfinite(edge):
                self.edges.add(edge)

    def _compared(self, other: object, how: Callable[[Any, Any], Any]) -> Any:
        if isinstance(other, Moment):
            if other.slope != self.slope:
                self.edges.add((other.offset - self.offset) / (self.slope - other.slope))
            return how(float(self), float(other))
        if isinstance(other, SCALAR) or (isinstance(other, np.ndarray) and other.dtype.kind in "fiu"):
            self._note(other)
        return how(float(self), other)

    def __lt__(self, other: object) -> Any:
        return self._compared(other, operator.lt)

    def __le__(self, other: object) -> Any:
        return self._compared(other, operator.le)

    def __gt__(self, other: object) -> Any:
        return self._compared(other, operator.gt)

    def __ge__(self, other: object) -> Any:
        return self._compared(other, operator.ge)

    def __eq__(self, other: object) -> Any:
        return self._compared(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._compared(other, operator.ne)

    __hash__ = float.__hash__

    def __bool__(self) -> bool:
        self._note(0.0)
        return float(self) != 0.0

    def _made(self, slope: float, offset: float, value: float) -> Moment | float:
        return Moment.of(value, slope, offset, self.edges) if slope else value

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Moment):
            value = float(self) + float(other)
            return self._made(self.slope + other.slope, self.offset + other.offset, value)
        if not isinstance(other, SCALAR):
            return float(self) + other
        return self._made(self.slope, self.offset + float(other), float(self) + float(other))

    __radd__ = __add__

    def __neg__(self) -> Any:
        return self._made(-self.slope, -self.offset, -float(self))

    def __pos__(self) -> Moment:
        return self

    def __sub__(self, other: Any) -> Any:
        return self + (-other) if isinstance(other, (Moment, *SCALAR)) else float(self) - other

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other if isinstance(other, SCALAR) else other - float(self)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Moment) or not isinstance(other, SCALAR):
            return float(self) * (float(other) if isinstance(other, Moment) else other)
        k = float(other)
        return self._made(k * self.slope, k * self.offset, k * float(self))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Moment) or not isinstance(other, SCALAR):
            return float(self) / (float(other) if isinstance(other, Moment) else other)
        k = float(other)
        return self._made(self.slope / k, self.offset / k, float(self) / k)

    def _cells(self, size: float) -> float:
        """Note where the value enters the next cell of a size, either way; return that of now."""
        cell = math.floor(float(self) / size)
        self._note([cell * size, (cell + 1) * size])
        return float(cell)

    def __mod__(self, other: Any) -> Any:
        k = float(other) if isinstance(other, SCALAR) and not isinstance(other, Moment) else 0.0
        if not k:
            return float(self) % other
        return self._made(self.slope, self.offset - k * self._cells(k), float(self) % k)

    def __floordiv__(self, other: Any) -> Any:
        k = float(other) if isinstance(other, SCALAR) and not isinstance(other, Moment) else 0.0
        return self._cells(k) if k else float(self) // other

    def __floor__(self) -> int:
        return int(self._cells(1.0))

    def __int__(self) -> int:
        self._cells(1.0)
        return int(float(self))

    __trunc__ = __int__

    def __ceil__(self) -> int:
        self._cells(1.0)
        return math.ceil(float(self))

    def __round__(self, digits: int | None = None) -> Any:  # type: ignore[override]
        (self + 0.5)._cells(1.0)
        return round(float(self), digits) if digits is not None else round(float(self))

    def __abs__(self) -> Any:
        self._note(0.0)
        return self if float(self) >= 0.0 else -self

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Compare and reckon as Python does; all else by numpy, as of a plain number."""
        how = COMPARED.get(ufunc.__name__) or LINEAR.get(ufunc.__name__)
        if method == "__call__" and how is not None and len(inputs) == 2 and not options:
            a, b = inputs
            if isinstance(a, Moment) and (ufunc.__name__ in COMPARED or isinstance(b, (Moment, *SCALAR))):
                return how(a, b)
            if not isinstance(a, Moment) and ufunc.__name__ in COMPARED:
                b._note(a)
            elif isinstance(a, SCALAR) and not isinstance(a, Moment):
                return how(float(a), b)
        if ufunc in (np.floor, np.trunc, np.ceil, np.heaviside, np.sign):
            first = inputs[0]
            if isinstance(first, Moment):
                first._note(0.0) if ufunc in (np.heaviside, np.sign) else first._cells(1.0)
        given = [float(one) if isinstance(one, Moment) else one for one in inputs]
        return getattr(ufunc, method)(*given, **options)


Function: TypeAlias = Callable[[Moment], object]


def edges_of(function: Function, start: float, until: float, most: int = MOST) -> list[float]:
    """Return the times after the start, rising, at which comparisons of a function of time turn, no more than `most`.

    A function that fails has none: what is wrong with it is said where it acts.
    """
    found: list[float] = []
    t = start
    while len(found) < most:
        edges: set[float] = set()
        at = plain(just_after)(t)
        try:
            function(Moment.of(at, 1.0, 0.0, edges))
        except Exception:
            return found
        near = 4.0 * (at - t) + 1e-12 * (1.0 + abs(t))
        coming = [edge for edge in edges if edge > t + near]
        if not coming or min(coming) >= until:
            return found
        t = min(coming)
        found.append(t)
    return found


def found_edges(run: Integrator, acting: Acting | None, changed: bool = False) -> np.ndarray:
    """Return the times at which functions of time of a run turn, where its method has steps of its own.

    acting : loads that no law changes, None: there are none
    changed : something has changed what devices and laws compare t with: those from now on, some of each
    """
    if not (isinstance(run.method, Library) or run.by.step is None):
        return np.zeros(0)
    kept = {kind: vector.copy() for kind, vector in run.loop.tapes.vectors.items()}
    start, until = float(run.start), float(run.until)
    span = (run.t, until, SOON) if changed else (start, start + AHEAD * (until - start), MOST)
    found = [
        edge
        for function, of_run in _functions(run, acting)
        if of_run or not changed
        for edge in edges_of(function, *span)
    ]
    for kind, vector in kept.items():
        run.loop.tapes.vectors[kind][:] = vector
    return np.unique(found)


def moving_edges(run: Integrator) -> list[str]:
    """Return the devices and laws whose edges in time a run may move."""
    return [
        part.path
        for part in run.plan.parts
        if (isinstance(part.what, Device) and any(_timed_functions(part.what)))
        or (isinstance(part.what, Law) and not part.every and _is_plain(part.what.function))
    ]


def _timed_functions(device: Device) -> Iterator[FunctionType]:
    """Yield the functions of a device that run at every instant and read the time."""
    for name in ("outputs", "rates"):
        function = device.functions.get(name)
        if isinstance(function, FunctionType) and _asks_for_time(function):
            yield function


def _functions(run: Integrator, acting: Acting | None) -> Iterator[tuple[Function, bool]]:
    """Yield functions of time: of loads, motions, masses, and of laws and devices, with their inputs of now.

    And whether the run may change when they turn.
    """
    system = run.system
    if acting is not None:
        yield from ((one, False) for one in _among(force.wrench for force in acting.loads.forces))
        if acting.loads.law is not None:
            yield lambda t: acting.loads.tau_at(t, system), False
    for part in run.plan.parts:
        what = part.what
        if isinstance(what, Ahead):
            given = what.given if what.body else None  # loads are those above
            if isinstance(given, MassHistory):
                if not Mass(given.f, what.body).of_state:
                    yield given.f, False
            elif given is not None:
                yield from ((one, False) for one in _among((given.angle, given.rate, given.acceleration)))
        elif isinstance(what, Device):
            view = run.loop.tapes.view(part)
            for function in _timed_functions(what):
                yield partial(function, view), True
        elif isinstance(what, Law) and not part.every and _is_plain(what.function):
            values = {name: run.loop.tapes.array(f"{part.path}.{name}") for name in what.ins}
            given_now = {name: v.copy() if v.ndim else float(v) for name, v in values.items()}
            yield partial(what.function, **given_now), True


def _among(given: Iterable[object]) -> list[Function]:
    """Return those that are functions, and no tables."""
    return [one for one in given if callable(one) and not isinstance(one, TimeTable)]


def _asks_for_time(function: FunctionType) -> bool:
    """Return whether a function of a device reads its second argument."""
    code = function.__code__
    t = code.co_varnames[1] if code.co_argcount > 1 else ""
    return any(
        one.opname.startswith("LOAD_") and t in _names(one.argval) for one in dis.get_instructions(code)
    )


def _names(given: object) -> tuple[object, ...]:
    return given if isinstance(given, tuple) else (given,)


def _is_plain(function: object) -> bool:
    """Return whether a function may be called besides: it keeps nothing."""
    if not isinstance(function, FunctionType) or CHANGES & {*function.__code__.co_names}:
        return False
    return not any(one.opname in REMEMBERS for one in dis.get_instructions(function.__code__))
