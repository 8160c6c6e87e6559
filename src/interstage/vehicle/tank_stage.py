"""A stage without a deck: a thin cylinder with columns of propellant on its axis."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from interstage.errors import InputError, shown
from interstage.nastran import deck_from_text
from interstage.nastran.builders import ON_AXIS, cylinder_deck, ring_stations
from interstage.output import write_text
from interstage.vehicle.stage import Stage

DEFAULT_ELEMENTS = (16, 24)


def cylinder_stage(
    name: str,
    length: float,
    radius: float,
    thickness: float,
    tanks: Mapping[str, Sequence[float]],
    levels: int,
    deck: str | os.PathLike[str] | None,
    options: dict[str, Any],
) -> Stage:
    """Return the stage; arguments as in `Stage.cylinder`."""
    columns = {tank: _column(tank, given, length) for tank, given in tanks.items()}
    if isinstance(levels, bool) or not isinstance(levels, int) or levels < 2:
        raise InputError("Stage.cylinder: levels must be an integer of at least 2", got=shown(levels))
    stations = [*options.pop("stations", ()), *(x for column in columns.values() for x in column[:2])]
    elements = options.get("elements", DEFAULT_ELEMENTS)
    text = cylinder_deck(length, radius, thickness, stations=stations, axis=True, **options)
    stage = Stage.from_deck(
        deck_from_text(text) if deck is None else write_text(deck, text, what="deck"), name=name
    )
    rings = ring_stations(length, elements[0], stations)
    nodes = [1, *(ON_AXIS + k for k in range(2, len(rings))), 2]
    for tank, (bottom, top, mass) in columns.items():
        part = np.linspace(0.0, 1.0, levels)
        filled = {
            float(mass * p): column_mass(rings, bottom, bottom + p * (top - bottom), float(mass * p))
            for p in part
        }
        stage.add_tank(tank, levels=filled, nodes=nodes)
    return stage


def column_mass(x: np.ndarray, bottom: float, surface: float, mass: float) -> sp.csr_matrix:
    """Return the mass matrix (6n, 6n) of a column of liquid, at nodes on its axis.

    Mass goes to the nodes by ∫ ρA N_i dx with N_i linear between them: mass and center of mass are those of the column.

    x (n,) : nodes on the axis, ascending, among them the bottom; bottom, surface : of the liquid, m; mass : kg
    """
    share = np.zeros(len(x))
    if mass > 0.0:
        for i in range(len(x) - 1):
            a, b = max(x[i], bottom), min(x[i + 1], surface)
            if b > a:
                upper = (0.5 * (a + b) - x[i]) / (x[i + 1] - x[i])
                share[[i, i + 1]] += mass * (b - a) / (surface - bottom) * np.array([1.0 - upper, upper])
    return sp.csr_matrix(sp.diags(np.kron(share, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0])))


def _column(tank: str, given: Sequence[float], length: float) -> tuple[float, float, float]:
    """Return bottom, top and mass of a tank, checked."""
    try:
        bottom, top, mass = (float(number) for number in given)
    except (TypeError, ValueError):
        raise InputError(
            f"tank '{tank}' must be three numbers",
            expected="bottom in m, top in m, mass in kg",
            got=shown(given),
        ) from None
    if not 0.0 <= bottom < top <= length:
        raise InputError(
            f"tank '{tank}' must lie inside the cylinder, its bottom below its top",
            expected=f"0 to {length:g} m",
            got=f"bottom {bottom:g} m, top {top:g} m",
        )
    if not (np.isfinite(mass) and mass > 0.0):
        raise InputError(f"tank '{tank}': mass must be positive", got=f"{mass:g} kg")
    return bottom, top, mass
