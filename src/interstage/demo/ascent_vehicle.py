"""Heron for a whole ascent: two stages as sticks of its walls, tanks that empty, engines on gimbals.

The walls of `heron` as bars (A = 2πrt, I = πr³t, shear of thin tubes), what is dry as lumps on their grids. Liquid
stands in the lower part of a tank, as high as there is of it; a level is a mass matrix, and tanks empty from level to
level. The first stage is all below the separation ring (x = 33.5 m), the interstage among it; the upper stage carries
inertial unit, payload and fairing. Four engines hang on gimbals of the first stage, one on the upper.

    x, m    0 ..... 3 .......... 13 ...... 15.5 ......... 28.5 .... 33.5 .......... 39.5 ...... 49.85
            skirt   fuel         intertank  oxidizer                 upper tank      fairing, payload

Bending moments of Heron at two stations, from the forces that its walls and the raceway carry there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from interstage.component.options import Wanted
from interstage.demo import heron
from interstage.demo.vehicle import CORE
from interstage.nastran import Deck, deck_from_text
from interstage.simulation.log.log import Log
from interstage.staged_vehicle import ReducedBasis, Stage, StagedVehicle

NAME = "heron"
FIRST = {
    k + 1: x
    for k, x in enumerate(
        [0.0, 1.5, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.5, 18.1, 20.7, 23.3, 25.9, 28.5, 30.5, 32.0, 33.5]
    )
}
UPPER = {k + 101: x for k, x in enumerate([33.5, 35.0, 36.5, 38.0, 39.5, 41.5, 43.5, 45.5, 47.5, 49.85])}
PAYLOAD, PAYLOAD_AT = 120, 42.0
GIMBALS = (21, 22, 23, 24)  # of the engines of the first stage, around node 1
JETS = {131: (1.3, 0.0), 132: (-1.3, 0.0)}  # roll jets of the upper stage: y, z
RING, JET_NODE, INERTIAL = 101, 104, 105  # nodes of the upper stage; the inertial unit sits on a bending one
DRY = {"first": 13.0e3, "upper": 2.6e3, "fairing": 1.4e3}  # kg besides engines and payload
LIQUID = {  # tank: stage, bottom and top on the axis, kg at first
    "fuel": ("first", 3.0, 11.5, 72.0e3),
    "lox": ("first", 15.5, 28.5, 160.0e3),
    "upper": ("upper", 33.5, 39.5, 15.0e3),
}
RESIDUAL = 0.01  # of a tank's liquid, which stays
LEVELS = 6
FEEDS = {"fuel": 72.0 / 232.0, "lox": 160.0 / 232.0}
NOZZLE2 = {"mass": 250.0, "com": [-0.6, 0.0, 0.0], "inertia": [40.0, 60.0, 60.0]}
YOUNG, YOUNG_FAIRING, POISSON = 7.6e10, 3.2e10, 0.33
BELOW, ERROR = 15.0, 2e-3  # Hz of modes that the shapes meet, and how well
DAMPING = 0.005


def wall(x: float) -> tuple[float, float, float]:
    """Return radius, thickness and Young's modulus of the wall at a station."""
    for section in (*heron.CORE, *heron.FAIRING):
        if section.x0 <= x <= section.x1:
            r = section.r0 + (section.r1 - section.r0) * (x - section.x0) / (section.x1 - section.x0)
            return r, section.thickness, YOUNG_FAIRING if section in heron.FAIRING else YOUNG
    return 0.35, heron.FAIRING[-1].thickness, YOUNG_FAIRING


def stick(nodes: dict[int, float], dry: Sequence[tuple[float, float, float]], stiffness: float) -> list[str]:
    """Return cards of a stage: bars of the walls between grids, and its dry mass (kg, from x, to x) spread on them."""
    cards = [f"GRID,{i},,{x:.4f},0.,0." for i, x in nodes.items()]
    for k, ((a, x0), (b, x1)) in enumerate(pairwise(nodes.items()), 1):
        r, t, E = wall(0.5 * (x0 + x1))
        first = next(iter(nodes))
        area, inertia, pid = 2.0 * np.pi * r * t, np.pi * r**3 * t, first + k
        cards += [
            f"MAT1,{pid},{stiffness * E:.6e},,{POISSON}",
            f"PBAR,{pid},{pid},{area:.6e},{inertia:.6e},{inertia:.6e},{2 * inertia:.6e}",
            ",,,,,,,,",
            ",.5,.5",
            f"CBAR,{pid},{pid},{a},{b},0.,1.,0.",
        ]
    for i, mass in _lumps(nodes, dry).items():
        r = wall(nodes[i])[0]
        about = 0.5 * mass * r**2 + 0.5 * mass  # across: the ring, and what a lump has along the axis
        cards += [f"CONM2,{i + 1000},{i},,{mass:.6e}", f",{mass * r**2:.6e},,{about:.6e},,,{about:.6e}"]
    return cards


def _lumps(nodes: dict[int, float], spread: Sequence[tuple[float, float, float]]) -> dict[int, float]:
    """Return what each node carries of masses (kg) that are spread evenly from x0 to x1."""
    x = np.array(list(nodes.values()))
    edges = np.concatenate([[x[0]], 0.5 * (x[1:] + x[:-1]), [x[-1]]])
    out = np.zeros(len(x))
    for mass, x0, x1 in spread:
        part = np.clip(np.minimum(edges[1:], x1) - np.maximum(edges[:-1], x0), 0.0, None)
        out += mass * part / part.sum()
    return dict(zip(nodes, out))


def _deck(cards: list[str]) -> Deck:
    return deck_from_text("SOL 103\nCEND\nBEGIN BULK\n" + "\n".join(cards) + "\nENDDATA\n")


def first_stage(mass: float = 1.0, stiffness: float = 1.0) -> Stage:
    """Return the first stage, dry and without engines, with its two tanks."""
    cards = stick(FIRST, [(mass * DRY["first"], 0.0, 33.5)], stiffness)
    for grid, k in zip(GIMBALS, range(4)):
        _, y, z = heron.engine_position(k)
        cards.append(f"GRID,{grid},,0.,{y:.6f},{z:.6f}")
    cards.append("RBE2,900,1,123456," + ",".join(map(str, GIMBALS)))
    stage = Stage.from_deck(_deck(cards), "first")
    for tank in FEEDS:
        _add_liquid(stage, tank, FIRST)
    return stage


def upper_stage(mass: float = 1.0, stiffness: float = 1.0) -> Stage:
    """Return the upper stage with its tank, payload and fairing, without its engine."""
    dry = [(mass * DRY["upper"], 33.5, 40.0), (mass * DRY["fairing"], 39.5, 49.85)]
    cards = stick(UPPER, dry, stiffness)
    a, b, c = heron.PAYLOAD_INERTIA
    cards += [
        f"GRID,{PAYLOAD},,{PAYLOAD_AT:.3f},0.,0.",
        f"MAT1,{PAYLOAD},{stiffness * YOUNG:.6e},,{POISSON}",
        f"PBAR,{PAYLOAD},{PAYLOAD},1.0e-2,1.2e-3,1.2e-3,2.4e-3",
        f"CBAR,{PAYLOAD},{PAYLOAD},105,{PAYLOAD},0.,1.,0.",
        f"CONM2,{PAYLOAD + 1000},{PAYLOAD},,{mass * heron.PAYLOAD_MASS:.6e}",
        f",{a:.6e},,{b:.6e},,,{c:.6e}",
    ]
    cards += [f"GRID,{grid},,{UPPER[JET_NODE]:.3f},{y:.4f},{z:.4f}" for grid, (y, z) in JETS.items()]
    cards.append(f"RBE2,900,{JET_NODE},123456," + ",".join(map(str, JETS)))
    stage = Stage.from_deck(_deck(cards), "upper")
    _add_liquid(stage, "upper", UPPER)
    return stage


def _add_liquid(stage: Stage, tank: str, nodes: dict[int, float]) -> None:
    """Add a tank: at every level the liquid stands in its lower part."""
    _, bottom, top, full = LIQUID[tank]
    inside = {i: x for i, x in nodes.items() if bottom - 1e-6 <= x <= top + 2.0}
    levels = {}
    for part in np.linspace(RESIDUAL, 1.0, LEVELS):
        lumps = _lumps(inside, [(part * full, bottom, bottom + part * (top - bottom))])
        r = wall(0.5 * (bottom + top))[0]
        rows = [[m, m, m, 1.0, 0.25 * m * r**2 + 1.0, 0.25 * m * r**2 + 1.0] for m in lumps.values()]
        levels[float(part * full)] = np.diag(np.ravel(rows))
    stage.add_tank(tank, levels=levels, nodes=list(inside))


def heron_stages(mass: float = 1.0, stiffness: float = 1.0) -> StagedVehicle:
    """Return both stages, joined.

    mass : factor of what is dry, payload among it;  stiffness : of Young's modulus
    """
    v = StagedVehicle(NAME)
    v.add(first_stage(mass, stiffness))
    v.add(upper_stage(mass, stiffness))
    v.join("separation", ("first", 17), ("upper", RING))
    return v


def both_shapes(v: StagedVehicle) -> tuple[ReducedBasis, ReducedBasis]:
    """Return shapes of the stack while the first stage burns, and of the upper stage while that burns."""
    attach = ["separation", ("first", 1, "xyz")]
    common = {"error": ERROR, "levels": 5, "certify": 9}
    stack = v.shapes(below_hz=BELOW, burning=["fuel", "lox"], attach=attach, **common)
    upper = v.without("first").shapes(below_hz=2.0 * BELOW, **common)
    return stack, upper


def damped(damping: float = DAMPING):
    """Return the ratio of modes by their frequency: as asked to 30 Hz, 5 % above, where shapes only hold statics."""
    return lambda hz: damping if hz < 2.0 * BELOW else 0.05


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


def moments(log: Log, x: float) -> np.ndarray:
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
