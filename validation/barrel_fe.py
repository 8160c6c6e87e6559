"""A barrel-shaped telescope of our own, as the second observatory of the NESC report, App. G, is.

The report has no numbers of it. A ring of plates is the bus, a barrel of plates keeps the light out, a stiff ring
carries the primary mirror on three struts and the secondary mirror on a tripod inside the barrel; two solar panels
stand off the bus. About 4.6 t, 2.4 m of aperture. Names are those of `observatory_fe`.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from validation import observatory_fe
from validation.observatory_fe import Deck, rotor_inertia

BORESIGHT, IMU, SECONDARY = 125, 130010, 4
WHEELS = (170010, 170011, 170012, 170013)
THRUSTER_NODES = (1001, 1005, 1009, 1013)  # four thrusters at each
WHEEL_AXES = observatory_fe.WHEEL_AXES
SPIN_INERTIA, VISCOUS = 0.5, 1e-4  # kg m2, N m s
ROTOR_MASS, TRANSVERSE = 14.0, 0.3  # kg, kg m2
RADIUS, AROUND = 1.6, 16
HEIGHTS = np.array([-1.6, -0.8, 0.0, 0.9, 1.8, 2.7, 3.6, 4.5, 5.4])  # of the rings; the bus ends at zero

PROPERTIES = """PSHELL,1,1,2.-3,1,600.,3,60.,20.
MAT1,1,7.0+10,,0.33,2700.
MAT1,2,1.1+11,,0.3,1700.
MAT1,3,7.0+8,2.8+8,,55.
PBEAM,2,2,2.0-3,4.0-6,4.0-6,,7.0-6
PBEAM,3,2,6.0-3,3.0-5,3.0-5,,5.0-5
PBEAM,4,2,1.0-3,1.2-6,1.2-6,,2.0-6"""


def _directions() -> np.ndarray:
    """Return the thrusters (16, 3): four at each node, along the wall, outward and both ways along the barrel."""
    out = []
    for k in range(4):
        angle = 2.0 * np.pi * (1 + 4 * k) / AROUND
        tangent, normal = np.array([-np.sin(angle), np.cos(angle), 0.0]), [np.cos(angle), np.sin(angle), 0.0]
        out += [tangent, np.array(normal), np.array([0.0, 0.0, 1.0]), tangent + [0.0, 0.0, 1.0]]
    return np.array(out)


THRUSTERS = _directions()


def _walls(deck: Deck) -> None:
    """Add bus and barrel: rings of plates, a deck at the bottom (centre: grid 2) and one between them (grid 1)."""
    angles = 2.0 * np.pi * np.arange(AROUND) / AROUND
    rim = RADIUS * np.column_stack([np.cos(angles), np.sin(angles), 0.0 * angles])
    for i, z in enumerate(HEIGHTS):
        for j in range(AROUND):
            deck.grid(1000 + 100 * i + j, rim[j] + [0.0, 0.0, z])
    for i in range(len(HEIGHTS) - 1):
        for j in range(AROUND):
            a, b = 1000 + 100 * i + j, 1000 + 100 * i + (j + 1) % AROUND
            deck.plate(a, b, b + 100, a + 100)
    for centre, level in ((2, 0), (1, 2)):
        deck.grid(centre, [0.0, 0.0, HEIGHTS[level]])
        for j in range(AROUND):
            deck.grid(3000 + 100 * level + j, 0.5 * rim[j] + [0.0, 0.0, HEIGHTS[level]])
        for j in range(AROUND):
            inner, outer = (3000 + 100 * level, 1000 + 100 * level)
            n = (j + 1) % AROUND
            deck.plate(centre, inner + j, inner + n)
            deck.plate(inner + j, outer + j, outer + n, inner + n)
        deck.mass(centre, 900.0, (300.0, 300.0, 450.0))
    deck.beam(3, 2, 1)


def _optics(deck: Deck) -> None:
    """Add the mirror's ring on struts from the upper deck, the tripod and the secondary mirror."""
    deck.grid(BORESIGHT, [0.0, 0.0, 0.7])
    deck.mass(BORESIGHT, 850.0, (260.0, 260.0, 480.0))
    top = deck.grid(SECONDARY, [0.0, 0.0, 4.1])
    deck.mass(top, 60.0, (4.0, 4.0, 5.0))
    for k in range(3):
        angle = 2.0 * np.pi * (k + 0.25) / 3
        edge = deck.grid(20 + k, [1.2 * np.cos(angle), 1.2 * np.sin(angle), 0.7])
        deck.beam(3, BORESIGHT, edge)
        foot = 3200 + round(AROUND * (k + 0.25) / 3) % AROUND
        deck.beam(2, edge, foot)
        previous = edge
        for step in range(1, 5):
            here = deck.grid(30 + 10 * k + step, deck.at[edge] + (deck.at[top] - deck.at[edge]) * step / 5)
            deck.beam(4, previous, here)
            previous = here
        deck.beam(4, previous, top)


def _equipment(deck: Deck) -> None:
    """Add IMU, wheels and two solar panels, beams with lumps."""
    deck.grid(IMU, [0.3, 0.2, 0.05])
    deck.rigid(1, IMU)
    for k, wheel in enumerate(WHEELS):
        foot = 3000 + 2 + 4 * k
        deck.grid(wheel, deck.at[foot] + [0.0, 0.0, 0.2])
        deck.rigid(foot, wheel)
        deck.rotor(wheel, ROTOR_MASS, rotor_inertia(k, TRANSVERSE))
    for side, root in ((1.0, 1100), (-1.0, 1108)):
        previous = root
        for step in range(1, 7):
            number = 5000 + (100 if side < 0 else 0) + step
            here = deck.grid(number, deck.at[root] + [0.7 * side * step, 0.0, 0.02 * step])
            deck.beam(4, previous, here)
            deck.mass(here, 16.0 + 0.5 * side, (2.0, 2.0, 2.5))
            previous = here


@cache
def observatory_deck(rotors: bool = True) -> str:
    """Return the deck, with the lumped masses of its rotors or without."""
    deck = Deck(PROPERTIES)
    _walls(deck)
    _optics(deck)
    _equipment(deck)
    return deck.text(rotors)
