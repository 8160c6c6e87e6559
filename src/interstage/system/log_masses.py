"""Mass, center of mass and inertia of vehicles over time, as channels of a log.

    log["mass"], log["com"], log["inertia"]     of the vehicle: (m,), (m, 3), (m, 3, 3)
    log["mass.upper"], log["com.upper"], ...    of the vehicle that the body `upper` is part of at the time

The vehicle is all that joints connect, however far it has come apart or been put together by then. Centers of mass are
seen from the origin of the body and in its axes, inertias about the center of mass in the same axes; without a name it
is the root body. Where a log has several vehicles at some time, a body has to be named; NaN while it is not there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from interstage.errors import InputError, did_you_mean
from interstage.multibody import System
from interstage.system.phases import Phase

SHAPES: dict[str, tuple[int, ...]] = {"mass": (), "com": (3,), "inertia": (3, 3)}


def is_mass(name: str) -> bool:
    """Tell if a name is that of a channel of masses."""
    return isinstance(name, str) and name.partition(".")[0] in SHAPES


def roots_of(system: System) -> list[str]:
    """Return the bodies on nothing: each is the root of a vehicle."""
    return [spec.name for spec in system.model.specs if spec.parent is None]


def check_vehicle(name: str, bodies: Sequence[str], roots: Sequence[Sequence[str]]) -> None:
    """Refuse a channel of a body that is not there, or of no body where phases have several vehicles.

    bodies : of all phases;  roots : of the vehicles of each phase
    """
    what, _, body = name.partition(".")
    if body and body not in bodies:
        raise InputError(f"there is no body '{body}'", where=f"'{name}'", hint=did_you_mean(body, bodies))
    if not body and any(len(one) != 1 for one in roots):
        known = dict.fromkeys(root for one in roots for root in one)
        raise InputError(
            f"'{what}' is of one vehicle, and the log has several",
            got=f"vehicles with the roots {', '.join(known)}",
            hint=f'name a body of the one that is meant: log["{what}.{next(iter(known))}"]',
        )


def masses(phases: Sequence[Phase], name: str) -> tuple[np.ndarray, str]:
    """Return the values (m, ...) of a channel and its unit; see the module."""
    what, _, body = name.partition(".")
    known = dict.fromkeys(b for phase in phases for b in phase.system.bodies)
    check_vehicle(name, list(known), [roots_of(phase.system) for phase in phases])
    return np.concatenate([_rows(phase, what, body) for phase in phases]), _unit(phases[0].system, what)


def _rows(phase: Phase, what: str, body: str) -> np.ndarray:
    if body and body not in phase.system.layout:
        return np.full((len(phase), *SHAPES[what]), np.nan)
    return phase.wholes(body or roots_of(phase.system)[0])[list(SHAPES).index(what)]


def _unit(system: System, what: str) -> str:
    """Return the unit of a channel: those of the vehicle, SI where it does not say any."""
    mass, length = system.units.get("mass", "kg"), system.units.get("length", "m")
    return {"mass": mass, "com": length, "inertia": f"{mass}*{length}^2"}[what]
