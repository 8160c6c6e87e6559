"""What an assembly knows of a study before anything runs: whether its outputs are there, and units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interstage.ensemble.design import Row
from interstage.ensemble.job import Job, own_devices, place_of
from interstage.ensemble.outputs import sought
from interstage.errors import InterstageError
from interstage.multibody import State
from interstage.system import Assembly
from interstage.system.ahead_parts import given_ahead
from interstage.system.flight_log import FlightLog
from interstage.system.flight_point import known_values
from interstage.system.log_columns import columns_of, contents_of
from interstage.system.plan import planned
from interstage.system.views import view_of

KINDS = {("q", "angle"): "rad", ("q", "length"): "m", ("v", "angle"): "rad/s", ("v", "length"): "m/s"}


def checked_units(job: Job, row: Row) -> dict[str, str]:
    """Refuse names that an assembly does not have; return units of outputs and dispersed numbers that it knows."""
    if job.assembly is None:
        return {}
    assembly, flight = job.dispersed(row)
    units = dict(_of_numbers(assembly, row, flight.get("x")))
    log = _empty_log(assembly, flight)
    for name, what in ({} if log is None else job.wanted or {}).items():
        if isinstance(what, str) and log is not None:
            units[name] = sought(what, log.series, name)[1].unit
    return {name: unit for name, unit in units.items() if unit not in ("", "1")}


def _of_numbers(assembly: Assembly, row: Row, x: object) -> Mapping[str, str]:
    """Return units of dispersed numbers."""
    devices, found = dict(own_devices(assembly)), {}
    for name in row:
        path, parameter = place_of(name)
        if path in devices and parameter in devices[path].fields:
            found[name] = devices[path].fields[parameter].unit
    if isinstance(x, State):
        for vector, listed in (("q", x.layout.coordinates()), ("v", x.layout.velocities())):
            found |= {f"{vector}.{c.name}": KINDS.get((vector, c.kind), "") for c in listed}
    return {name: found[name] for name in row if name in found}


def _empty_log(assembly: Assembly, flight: Mapping[str, Any]) -> FlightLog | None:
    """Return the log of a flight before its first row; None where this one cannot be planned: its run says why."""
    x = flight.get("x")
    try:
        beside = given_ahead(assembly.vehicle, flight.get("motions") or {}, flight.get("mass") or {})
        plan = planned(assembly, given=known_values(x, flight.get("set")), beside=beside)
        system = view_of(plan, x)
        return FlightLog(contents_of(plan, system, columns_of(plan, system, flight.get("keep"))), system)
    except InterstageError:
        return None
