"""Slosh as shapes of a flexible body: bulk data that put masses on springs into the finite-element model of a tank.

For each wave (m_n, L_n, height h_n of its spring, see `slosh`) a mass slides across the axis on springs,

    k_n = m_n a/L_n,    c_n = 2ζ m_n √(a/L_n)

and follows the tank along it; the rigid part m₀, I₀ sits at its height h₀. Modes of the whole are then modes of
structure and fluid together: they need no bodies and no ports, which cost more than modes do.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from interstage.calls import named_arguments
from interstage.devices.slosh import Slosh
from interstage.errors import InputError
from interstage.nastran.card_text import card


@named_arguments
def slosh_cards(
    tank: Slosh,
    *,
    grid: int,
    bottom: Sequence[float],
    first: int,
    acceleration: float,
    damping: float = 0.0,
) -> str:
    """Return bulk data of the fluid in a tank: GRID, RBE2, CELAS2, CDAMP2 and CONM2, in SI and basic axes.

    grid : grid of the structure that carries the tank;  bottom : where its axis, along x, meets its bottom (3,)
    first : first id of new grids and elements;  acceleration : along the axis, m/s²;  damping : ratio of each wave

    >>> from interstage.devices import CylinderSlosh
    >>> tank = CylinderSlosh(radius=1.0, depth=2.0, mass=1000.0)
    >>> cards = slosh_cards(tank, grid=7, bottom=[3.0, 0.0, 0.0], first=9001, acceleration=9.81)
    >>> [line.split()[0] for line in cards.splitlines() if not line.startswith("* ")][:3]
    ['GRID*', 'GRID*', 'RBE2']
    """
    foot = np.asarray(bottom, dtype=float)
    if foot.shape != (3,) or not np.isfinite(foot).all():
        raise InputError("slosh_cards: bottom is no point", expected="three numbers", got=repr(bottom))
    if not (np.isfinite(acceleration) and acceleration > 0.0):
        raise InputError(
            "slosh_cards needs an acceleration", expected="above 0 m/s^2", got=repr(acceleration)
        )
    grids = range(first, first + 2 * len(tank.waves) + 1)
    if first < 1 or not 0.0 <= damping < np.inf:
        raise InputError(
            "slosh_cards: first is an id, damping a ratio", got=f"first={first}, damping={damping}"
        )
    if grid in grids:
        raise InputError(
            "slosh_cards: the grid that carries the tank has an id of the new grids",
            expected=f"none of {grids[0]} to {grids[-1]}",
            got=f"grid={grid}, first={first}",
        )
    out, element = [], first
    for k, wave in enumerate(tank.waves):
        fixed, free = first + 2 * k, first + 2 * k + 1
        rate = wave.frequency(acceleration)
        at = foot + [wave.spring, 0.0, 0.0]
        out += [card("GRID", g, None, *at.tolist()) for g in (fixed, free)]
        out.append(card("RBE2", element, grid, 123456, fixed))
        out.append(card("RBE2", element + 1, grid, 1456, free))
        out.append(card("CONM2", element + 2, free, None, wave.mass))
        element += 3
        for c in (2, 3):
            out.append(card("CELAS2", element, wave.mass * rate**2, fixed, c, free, c))
            element += 1
            if damping > 0.0:
                out.append(card("CDAMP2", element, 2.0 * damping * rate * wave.mass, fixed, c, free, c))
                element += 1
    rest, I0 = first + 2 * len(tank.waves), max(tank.rigid_inertia, 0.0)
    at = foot + [tank.rigid_height, 0.0, 0.0]
    out.append(card("GRID", rest, None, *at.tolist()))
    out.append(card("RBE2", element, grid, 123456, rest))
    inertia = (None, None, None, None, 0.0, 0.0, I0, 0.0, 0.0, I0)
    out.append(card("CONM2", element + 1, rest, None, float(tank.rigid_mass), *inertia))
    return "\n".join(out) + "\n"
