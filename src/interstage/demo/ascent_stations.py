"""Bending moments of Heron at two stations, from the forces that its walls and the raceway carry there."""

from __future__ import annotations

import numpy as np

from interstage.component.options import Wanted
from interstage.demo import heron
from interstage.demo.vehicle import CORE
from interstage.system.log.simulation_log import FlightLog

STATIONS = (9.75, 26.75)  # m: middle of a row of elements in the fuel tank, in the oxidizer tank
FIRST_SHELL, FIRST_RACEWAY = heron.PARTS["tanks and skirts"][0], heron.PARTS["cable raceway"][0]


def row_of_elements(x: float) -> int:
    """Return which row of wall elements, from the bottom, a station is in."""
    below = 0
    for section in heron.CORE:
        if section.x0 <= x < section.x1:
            return below + int((x - section.x0) / (section.x1 - section.x0) * section.elements)
        below += section.elements
    raise ValueError(x)


def wanted() -> Wanted:
    """Return what a component shall recover: axial forces a length of the walls, and of the raceway."""
    found: dict[str, tuple[str | int, ...]] = {}
    for x in STATIONS:
        row = row_of_elements(x)
        for j in range(heron.AROUND):
            element = FIRST_SHELL + heron.AROUND * row + j
            found[f"{x:g} m, wall {j + 1}"] = ("CQUAD4", element, "my")
        found[f"{x:g} m, raceway"] = ("forces", "CBAR", FIRST_RACEWAY + row, "axial")
    return found


def moments(log: FlightLog, x: float) -> np.ndarray:
    """Return bending moments (n, 2) of a station about the y and z axes over the states of a log, N m.

    Σ F r over the wall's elements and the raceway, F the force forwards that each carries: M_y = Σ F z, M_z = -Σ F y.
    """
    section = next(part for part in heron.CORE if part.x0 <= x < part.x1)
    width = 2.0 * section.r0 * np.sin(np.pi / heron.AROUND)
    middle = section.r0 * np.cos(np.pi / heron.AROUND)
    out = np.zeros((len(log), 2))
    for j in range(heron.AROUND):
        angle = 2.0 * np.pi * (j + 0.5) / heron.AROUND
        force = width * log.recovered(CORE, f"{x:g} m, wall {j + 1}")
        out += force[:, None] * middle * np.array([np.sin(angle), -np.cos(angle)])
    angle = 2.0 * np.pi * heron.RACEWAY_MERIDIAN / heron.AROUND
    force = log.recovered(CORE, f"{x:g} m, raceway")
    return out + force[:, None] * section.r0 * np.array([np.sin(angle), -np.cos(angle)])
