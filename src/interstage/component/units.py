"""Names of units: which there are, and how a system of units may be written.

Units of a component and their conversion.

A component keeps unit modal mass in every system of units: with mass, length and time factors (m, L, T),
its modal coordinates scale by sqrt(m) L, translational shapes by 1/sqrt(m), rotational shapes by 1/(sqrt(m)
L). Each field of the record declares its unit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from interstage.component.schema import Scale
from interstage.errors import InputError, known_names, shown
from interstage.units import UNITS

if TYPE_CHECKING:
    from interstage.component.component import Component

# units that a file may be in, each in SI
MASS = {name: UNITS[name].factor for name in ("kg", "g", "t", "lbm", "slug", "slinch")}
LENGTH = {name: UNITS[name].factor for name in ("m", "mm", "cm", "km", "in", "ft")}
TIME = {name: UNITS[name].factor for name in ("s", "ms", "min", "h")}
TABLES = {"mass": MASS, "length": LENGTH, "time": TIME}
SI_UNITS = {"mass": "kg", "length": "m", "time": "s"}
EXPECTED = '"SI", "t-mm-s" (mass-length-time), or {"mass": "t", "length": "mm", "time": "s"}'


def checked_units(units: Mapping[str, str] | str) -> dict[str, str]:
    """Read units of mass, length and time, some or all of them: "SI", "t-mm-s" in any order, or a mapping of names.

    >>> checked_units("SI")
    {'mass': 'kg', 'length': 'm', 'time': 's'}
    >>> checked_units("mm-t-s") == checked_units("t-mm-s")
    True
    >>> checked_units({"length": "mm"})
    {'length': 'mm'}
    """
    if isinstance(units, str):
        parts = [p.strip() for p in units.replace(",", "-").split("-")]
        named = {"SI": SI_UNITS}.get(units.strip().upper()) or _by_quantity(parts)
        if len(named) < 2 or (len(parts) > 3 and named is not SI_UNITS):
            raise InputError("the units are not understood", expected=EXPECTED, got=shown(units))
        units = {"time": "s"} | named
    if not isinstance(units, Mapping):
        raise InputError("the units are not understood", expected=EXPECTED, got=shown(units))
    for quantity in units:
        if quantity not in TABLES:
            raise InputError(
                f"'{quantity}' is no quantity with a unit", expected=EXPECTED, hint=known_names(TABLES)
            )
    for quantity, unit in units.items():
        if not isinstance(unit, str) or unit not in TABLES[quantity]:
            raise InputError(
                f"the unit of {quantity} is not known",
                expected=EXPECTED,
                got=shown(unit),
                hint=known_names(TABLES[quantity]),
            )
    return {q: str(units[q]) for q in TABLES if q in units}


def _by_quantity(parts: list[str]) -> dict[str, str]:
    """Return names of units by quantity, in whatever order they stand; by place where a name or a quantity is wrong."""
    found = {quantity: part for part in parts for quantity, known in TABLES.items() if part in known}
    return found if len(found) == len(parts) else dict(zip(TABLES, parts))


def labelled_units(units: Mapping[str, str] | str | None) -> dict[str, str]:
    """Read the units that numbers are in: all three, time in seconds where it is left out; {} where not known.

    >>> labelled_units("slinch-in")
    {'mass': 'slinch', 'length': 'in', 'time': 's'}
    """
    if units is None or (isinstance(units, Mapping) and not units):
        return {}
    found = {"time": "s"} | checked_units(units)
    if len(found) < 3:
        raise InputError("a system of units needs mass and length", expected=EXPECTED, got=shown(units))
    return {q: found[q] for q in TABLES}


def units_text(units: Mapping[str, str]) -> str:
    """Write units for a reader: kg-m-s, or that they are not known."""
    return "-".join(units.values()) if units else "units not known"


def meters(units: Mapping[str, str]) -> float:
    """Return how many meters the unit of length is; lengths whose unit is not known are taken as meters.

    >>> meters({"mass": "t", "length": "mm", "time": "s"}), meters({})
    (0.001, 1.0)
    """
    return LENGTH[units["length"]] if "length" in units else 1.0


def converted(component: Component, units: Mapping[str, str] | str) -> Component:
    """Return the component in other units, as in "SI" or {"length": "mm"}; what is not named stays."""
    have, wanted = component.units, checked_units(units)
    if not have:
        raise InputError(
            f"the units of component '{component.name}' are not known, so that they cannot be converted",
            hint='say which they are when it is made, or by component.with_changes(units="SI")',
        )
    wanted = have | wanted
    m, L, T = (TABLES[q][have[q]] / TABLES[q][wanted[q]] for q in ("mass", "length", "time"))
    return scaled(component, m, L, T, wanted)


def scaled(c: Component, m: float, L: float, T: float, units: Mapping[str, str]) -> Component:
    """Multiply masses by m, lengths by L, times by T, and everything else as its dimension asks."""
    changes = {} if m == L == T == 1.0 else Scale(m, L, T).record(c)
    return c.with_changes(**changes, units=dict(units))
