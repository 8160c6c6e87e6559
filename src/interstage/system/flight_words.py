"""What a flight says where it cannot go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import SolverError
from interstage.multibody import State
from interstage.multibody.diagnosis import refuse
from interstage.system.kernels import flights, stretch
from interstage.system.stable_steps import is_sane, too_long, went_to_infinity

if TYPE_CHECKING:
    from interstage.system.flight import Flight

GOES_ON = (flights.DONE, flights.FULL, flights.PAUSED, flights.STEPPED, flights.TIMED)


def check(flight: Flight, status: int) -> None:
    """Refuse what forward dynamics refused, and numbers that are none."""
    flight.loop.tapes.check()
    z = flight.loop.tapes.vectors["z"]
    if not (np.isfinite(flight.q).all() and np.isfinite(flight.v).all()):
        raise _infinite(flight)
    if len(z) and not np.isfinite(z).all():
        states = {n: slot for n, slot in flight.plan.slots.items() if slot.kind == "z"}
        lost = next(n for n, slot in states.items() if not np.isfinite(z[slot.where]).all())
        raise _infinite(flight, f"'{lost}'")
    if status in GOES_ON:
        return
    _check_pushes(flight)
    fixed = None if flight.by.step is None else float(flight.step)
    if not is_sane(flight.q, flight.v) or (fixed and too_long(flight.system, flight.method, fixed)):
        raise _infinite(flight)
    if flight.by.step is None and _goes_on(flight):
        raise SolverError(
            f"the method {flight.method} stopped at t = {flight.t:.6g}",
            got=f"steps of {flight.loop.loop.pace[stretch.STEP]:.3g} s",
            hint="what devices say may jump there: declare an event or sample it",
        )
    refuse(flight.system, status, State(flight.system.layout, flight.q, flight.v), flight.loop.loop.tau)


def _infinite(flight: Flight, where: str = "") -> SolverError:
    """Return what to say of a run that goes to infinity."""
    step = None if flight.by.step is None else float(flight.step)
    return went_to_infinity(
        flight.system, flight.t, flight.q, flight.v, flight.method, step, flight.locks, where
    )


def _goes_on(flight: Flight) -> bool:
    """Tell if there is a slope where the flight stands."""
    q, v = flight.q.copy(), flight.v.copy()
    return flight.loop.right_side(q, v, flight.t, np.empty_like(q), np.empty_like(v)) == 0


def _check_pushes(flight: Flight) -> None:
    """Refuse forces that are no numbers: forward dynamics cannot tell where they come from."""
    for touch in flight.plan.pushes:
        value = flight.loop.tapes.vectors["s"][touch.slot.where]
        if not np.isfinite(value).all():
            raise SolverError(f"'{touch.port}' is not finite at t = {flight.t:.6g}", got=str(value))
