"""Operating points along a run: balanced, with the limits of devices that are active there."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import FidelityWarning, InputError, SolverError, caller_level, shown
from interstage.linear.assembly_plant import AssemblyPlant
from interstage.linear.newton import Trim
from interstage.linear.trim import trim
from interstage.linear.validity import limits_at
from interstage.multibody.operating_point import OperatingPoint
from interstage.simulation.log.log import Log
from interstage.simulation.plant.assembly import Assembly


@named_arguments
class Points(Sequence[OperatingPoint]):
    """Points of a run in order of the times that were asked for; iterate over them, or take one by its number.

    t (n,) : their times;  limits : of each, the limits of devices that are active there, in words
    balanced : whether structure and devices are at rest at them (`trim`); `point.report` tells what that changed
    """

    def __init__(self, points: Sequence[OperatingPoint], limits: Sequence[tuple[str, ...]], balanced: bool):
        self._points, self.limits, self.balanced = list(points), list(limits), balanced
        self.t = np.array([point.t for point in points])

    def __len__(self) -> int:
        return len(self._points)

    @overload
    def __getitem__(self, k: int) -> OperatingPoint: ...

    @overload
    def __getitem__(self, k: slice) -> Points: ...

    def __getitem__(self, k: int | slice) -> OperatingPoint | Points:
        if isinstance(k, slice):
            return Points(self._points[k], self.limits[k], self.balanced)
        return self._points[k]

    def __iter__(self) -> Iterator[OperatingPoint]:
        return iter(self._points)

    def __repr__(self) -> str:
        return f"<Points: {len(self)} at t = {', '.join(f'{t:.6g}' for t in self.t)} s>"

    def __str__(self) -> str:
        lines = [f"{'t (s)':>10} {'mass':>12}  {'balanced' if self.balanced else 'as flown'}; active limits"]
        for point, limits in zip(self._points, self.limits):
            mass = point.system.mass_properties(point).mass
            lines.append(f"{point.t:10.6g} {mass:12.6g}  {'; '.join(limits) or 'none'}")
        return "\n".join(lines)


@named_arguments
def points(
    log: Log, times: Sequence[float | str], *, flight: Assembly | None = None, balance: bool = True
) -> Points:
    """Return whole operating points of a run at times, for linear models along a flight.

    Each is the point of the run at that time (`log.point`): vehicle, masses, settings, loads and devices as they were.
    With `balance` it is trimmed (`trim`): modes and joints that springs hold, and states of devices, are where they
    rest under the loads and the steady acceleration of that time, instead of where they were ringing.

    Parameters
    ----------
    log : of a run, or from its file
    times : in s, or as texts such as "73 s"; a run in memory goes to times between its rows
    flight : the assembly that flew, where the log is from a file
    balance : False leaves each point as it was flown

    Limits of devices that are active at a point (a saturated actuator) are in `limits` of what is returned and in a
    warning: a linear model there is not that of small commands.

    Returns
    -------
    Points
        A sequence of `OperatingPoint`; `linearize`, `simulate` and `system.modes` take each.

    Raises
    ------
    SolverError
        No balance was found at a time, which the error names.
    """
    if not isinstance(log, Log):
        raise InputError("points: log must be the log of a run", where="log", got=shown(log))
    if isinstance(times, str) or not isinstance(times, Sequence | np.ndarray):
        raise InputError("points: times must be a list of times, e.g. [10.0, 40.0]", got=shown(times))
    own = log.assembly if flight is None else flight
    if own is None and not log.contents.alone:
        raise InputError(
            "points: a log from a file needs the assembly that flew", where="flight", hint="give flight="
        )
    found: list[OperatingPoint] = []
    limits: list[tuple[str, ...]] = []
    for t in times:
        point = log.point(float(t) if isinstance(t, int | np.integer) else t)
        if balance:
            try:
                point = _balanced(own, point)
            except SolverError as error:
                raise SolverError(
                    f"points: no balance was found at t = {point.t:.9g} s", got=str(error)
                ) from error
        found.append(point)
        limits.append(_active(own, point))
    _warn(found, limits)
    return Points(found, limits, balance)


def _balanced(flight: Assembly | None, point: OperatingPoint) -> OperatingPoint:
    """Return a point at which structure and devices are at rest under the loads of its time."""
    if flight is not None:
        return trim(flight, point)
    steady = trim(point.system, point)
    own = steady.loads, steady.vdot, steady.settings
    return Trim(steady, steady.report, *own, t=point.t, run=point.run)


def _active(flight: Assembly | None, point: OperatingPoint) -> tuple[str, ...]:
    """Return the limits that are active at a point, in words."""
    if flight is None:
        return ()
    plant = AssemblyPlant(flight, point, (), (), None)
    try:
        return tuple(limits_at(plant)[0])
    finally:
        plant.release()


def _warn(found: Sequence[OperatingPoint], limits: Sequence[tuple[str, ...]]) -> None:
    """Warn of points at active limits."""
    words = [f"t = {point.t:.6g} s: {'; '.join(some)}" for point, some in zip(found, limits) if some]
    if words:
        warnings.warn(
            f"limits of devices are active at {len(words)} of {len(found)} points, where a linear model is not that of "
            f"small commands ({' | '.join(words[:3])}{' ...' * (len(words) > 3)})",
            FidelityWarning,
            stacklevel=caller_level(),
        )
