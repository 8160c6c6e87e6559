"""The beam behind the launch-vehicle cases: a deck that meets the numbers printed in the NESC report, Figure F.6.1.

Forty-one grids along x, one every half metre from the nose (grid 1) to the gimbal (grid 41), and a sensor (grid 52)
on an arm at the nose. Sections taper and have a product of inertia; lumped masses sit off the centre line, so that
bending in both planes, torsion and stretching all couple. One ballast closes the sum: 1695 kg with its centre of
mass at the origin, which puts gimbal and sensor where the report has them. The stiffness is chosen so that 24
elastic modes lie below 30 Hz. The beam itself is ours, the report's is not public.
"""

from __future__ import annotations

import numpy as np

MASS = 1695.0  # kg
GIMBAL, SENSOR = 41, 52
GIMBAL_AT = np.array([-8.581901, -0.003632793, -0.004860088])  # m from the centre of mass
SENSOR_AT = np.array([11.418099, 0.996367207, -0.004860088])
GRIDS, LENGTH = 41, 20.0
MODES, DAMPING = 24, 0.01
ENGINE_MASS, ENGINE_COM = 50.0, np.array([-1.0, 0.1, -0.2])  # kg; m aft of the gimbal, in engine axes
ENGINE_INERTIA = np.array([[7.5, -4.5, 10.3], [-4.5, 28.0, -2.0], [10.3, -2.0, 29.5]])  # kg m2 about its com
THRUST = 1000.0  # N
BALLAST_GRID = 37
ARM_AREA, ARM_INERTIA = 2.0e-3, 4.0e-5  # m2, m4, of the bar to the sensor
# offset equipment: grid, mass kg, offset m from the grid, inertia kg m2 about its own centre of mass
EQUIPMENT = (
    (3, 45.0, (0.10, 0.22, -0.15), (6.0, 4.0, 5.0)),
    (9, 70.0, (0.0, -0.30, 0.10), (9.0, 6.0, 7.0)),
    (16, 90.0, (-0.05, 0.15, 0.35), (12.0, 10.0, 9.0)),
    (27, 110.0, (0.08, -0.12, -0.28), (15.0, 9.0, 11.0)),
    (35, 60.0, (0.0, 0.33, 0.05), (7.0, 8.0, 5.0)),
    (40, 35.0, (-0.1, -0.18, 0.21), (5.0, 3.0, 3.5)),
)


def positions() -> np.ndarray:
    """Return positions (41, 3) of the grids of the centre line from the nose to the gimbal."""
    x = GIMBAL_AT[0] + LENGTH * (1.0 - np.linspace(0.0, 1.0, GRIDS))
    return np.column_stack([x, np.full(GRIDS, GIMBAL_AT[1]), np.full(GRIDS, GIMBAL_AT[2])])


def rings() -> np.ndarray:
    """Return masses (41,) of the rings of skin and tank at the grids, heavier towards the gimbal."""
    s = np.linspace(0.0, 1.0, GRIDS)
    return 20.0 + 11.0 * s + 2.5 * np.sin(7.0 * s)


def _mass_card(element: int, grid: int, mass: float, offset, inertia) -> list[str]:
    a, b, c = inertia
    x, y, z = offset
    return [
        f"CONM2*,{element},{grid},0,{mass:.15e}",
        f"*,{x:.15e},{y:.15e},{z:.15e},",
        f"*,{a:.15e},0.0,{b:.15e},0.0",
        f"*,0.0,{c:.15e}",
    ]


def _masses(scale: float = 1.0) -> list[tuple[int, float, np.ndarray, tuple[float, float, float]]]:
    """Return every lumped mass: grid, mass, offset, inertia; the last one is the ballast."""
    out = []
    for k, mass in enumerate(rings()):
        radius = 0.55 - 0.2 * (1.0 - k / (GRIDS - 1)) ** 2
        round_, flat = scale * mass * radius**2, scale * 0.5 * mass * radius**2
        out.append((k + 1, mass, np.zeros(3), (round_, 0.9 * flat, 1.1 * flat)))
    out += [(grid, mass, np.array(offset), inertia) for grid, mass, offset, inertia in EQUIPMENT]
    out.append((SENSOR, 2.0, np.zeros(3), (0.02, 0.02, 0.02)))
    at = dict(zip(range(1, GRIDS + 1), positions())) | {SENSOR: SENSOR_AT}
    total = sum(mass for _, mass, _, _ in out)
    moment = sum(mass * (at[grid] + offset) for grid, mass, offset, _ in out)
    ballast = MASS - total
    out.append((BALLAST_GRID, ballast, -moment / ballast - at[BALLAST_GRID], (10.0, 8.0, 9.0)))
    return out


def section(k: int) -> tuple[float, float, float, float]:
    """Return area, both moments of area, and width in metres of bar k + 1."""
    s = (k + 0.5) / (GRIDS - 1)
    wide = 0.55 + 0.45 * s + 0.08 * np.sin(9.0 * s)
    return 4.5e-5 * wide, 8.0e-6 * wide**2, 6.4e-6 * wide**2.2, wide


def beam_deck() -> str:
    """Return the deck of the beam without its engine; the basic origin is the centre of mass."""
    lines = ["SOL 103", "CEND", "BEGIN BULK", "MAT1,1,1.56+11,6.0+10,,0."]
    for k, (x, y, z) in enumerate(positions()):
        lines.append(f"GRID*,{k + 1},0,{x:.15e},{y:.15e}\n*,{z:.15e},0")
    x, y, z = SENSOR_AT
    lines.append(f"GRID*,{SENSOR},0,{x:.15e},{y:.15e}\n*,{z:.15e},0")
    for k in range(GRIDS - 1):
        area, I1, I2, wide = section(k)
        J, I12 = 7.0e-5 * wide**2, 0.12 * np.sqrt(I1 * I2)
        lines.append(f"PBAR*,{k + 1},1,{area:.15e},{I1:.15e}\n*,{I2:.15e},{J:.15e},,")
        lines.append(f"*,,,,\n*,,,,\n*,,,{I12:.15e},")
        lines.append(f"CBAR,{k + 1},{k + 1},{k + 2},{k + 1},0.,1.,0.")
    lines += [
        f"PBAR,52,1,{ARM_AREA:.1e},{ARM_INERTIA:.1e},{ARM_INERTIA:.1e},6.0-5",
        f"CBAR,52,52,1,{SENSOR},0.,0.,1.",
    ]
    for k, (grid, mass, offset, inertia) in enumerate(_masses()):
        lines += _mass_card(101 + k, grid, mass, offset, inertia)
    return "\n".join([*lines, "ENDDATA"])


def component(damping: float = DAMPING, n_modes: int = MODES, stiffening: bool = False):
    """Return the component of the beam: its first free modes about its centre of mass, damped, all integrals.

    stiffening : with its geometric stiffness under loads in the gimbal
    """
    from interstage import Component
    from interstage.nastran import deck_from_text

    return Component.from_deck(
        deck_from_text(beam_deck()),
        n_modes=n_modes,
        aset={},
        damping=damping,
        geometric_stiffness=[GIMBAL] if stiffening else False,
        name="launch vehicle",
    )


def rod_table() -> list[tuple[int, int, np.ndarray, float]]:
    """Return the bars as rods: rows of the near and the far end, rows beyond, and I_p/A. Rows as in `lumps`."""
    table = []
    for k in range(GRIDS - 1):
        area, I1, I2, _ = section(k)
        table.append((k + 1, k, np.r_[0 : k + 1, GRIDS], (I1 + I2) / area))
    return [*table, (0, GRIDS, np.array([GRIDS]), 2.0 * ARM_INERTIA / ARM_AREA)]


def lumps() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the lumped masses: row of the node, mass (P,), offset (P, 3), inertia (P, 3, 3) about its own centre.

    They are the numbers on the CONM2 cards; rows count grids 1 to 41, then 52. Bars have no mass.
    """
    found = _masses()
    row = np.array([GRIDS if grid == SENSOR else grid - 1 for grid, _, _, _ in found])
    mass = np.array([mass for _, mass, _, _ in found])
    offset = np.array([offset for _, _, offset, _ in found])
    return row, mass, offset, np.array([np.diag(inertia) for _, _, _, inertia in found])
