"""Units of a component and their conversion.

A component keeps unit modal mass in every system of units: with mass, length and time factors (m, L, T),
its modal coordinates scale by sqrt(m) L, translational shapes by 1/sqrt(m), rotational shapes by 1/(sqrt(m)
L). Each field of the record declares its unit.
"""

from __future__ import annotations

from collections.abc import Mapping

from interstage.component.record import Component
from interstage.component.stored import Scale
from interstage.component.unit_names import LENGTH, MASS, TABLES, TIME, checked_units
from interstage.errors import InputError

__all__ = ["LENGTH", "MASS", "TABLES", "TIME", "checked_units", "converted", "scaled"]


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
