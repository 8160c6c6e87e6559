"""Vehicles of the tests: the tank beam of the ARTEMIS paper, and a launcher of two stages of lumped beams."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from interstage import InterstageError, Stage, StagedVehicle
from interstage.fem import lumped_beam
from interstage.nastran import Deck, deck_from_text
from validation.burning_beam import artemis_stage, beam_vehicle  # noqa: F401


def refused(call: Callable[[], object]) -> str:
    """Return what the error of a call says."""
    with pytest.raises(InterstageError) as error:
        call()
    return str(error.value)


def grain(n: int, mass: float, filled: float = 1.0) -> np.ndarray:
    """Mass (6n, 6n) of a column along x that is filled from its first node to a part of its length, with no roll."""
    weight = np.clip(n * filled - np.arange(n), 0.0, 1.0)
    weight = mass * weight / max(weight.sum(), 1e-300) if filled else np.zeros(n)
    return np.diag(np.kron(weight, [1.0, 1.0, 1.0, 0.02, 0.02, 0.02]))


def first_stage(levels: int = 5) -> Stage:
    """30 m of solid motor: 12 t dry, 60 t of grain that burns evenly and, near its end, from the top."""
    K, M, nodes = lumped_beam(
        30.0, 12, EA=4e9, GJ=2e9, EI=6e9, mass=[12e3 / 13, 12e3 / 13, 12e3 / 13, 900.0, 900.0, 900.0]
    )
    stage = Stage("first", K=K, M=M, nodes=nodes)
    parts = np.linspace(0.0, 1.0, levels)
    stage.add_tank("grain", levels={60e3 * s: grain(13, 60e3 * s, 0.4 + 0.6 * s) for s in parts})
    return stage


def upper_stage() -> Stage:
    """20 m with two tanks: 5 t dry, 20 t of oxygen on nodes 1 to 5, 4 t of hydrogen on nodes 6 to 9."""
    K, M, nodes = lumped_beam(
        20.0, 8, EA=2e9, GJ=1e9, EI=(2e9, 1.5e9), mass=[5e3 / 9, 5e3 / 9, 5e3 / 9, 300.0, 300.0, 300.0]
    )
    stage = Stage("upper", K=K, M=M, nodes=nodes)
    oxygen = {20e3 * s: grain(5, 20e3 * s, max(s, 0.1)) for s in (0.0, 0.5, 1.0)}
    stage.add_tank("lox", levels=oxygen, nodes=range(1, 6))
    stage.add_tank("lh2", levels={0.0: grain(4, 0.0), 4e3: grain(4, 4e3)}, nodes=range(6, 10))
    return stage


def launcher() -> StagedVehicle:
    """The two stages, one on top of the other, along x."""
    v = StagedVehicle("launcher", gravity=[-9.81, 0.0, 0.0])
    v.add(first_stage())
    v.add(upper_stage(), at=[30.0, 0.0, 0.0])
    v.join("separation", ("first", 13), ("upper", 1))
    return v


FIRST, UPPER = (30.0, 12), (20.0, 8)  # m, bars of the rocket of bars
THRUST = 6e6  # N


def bars(length: float, n: int, inertia: float, mass: float, E: float = 7e10) -> Deck:
    """A stage along x of n bars, with lumped mass and some inertia about every axis at its nodes."""
    lines = [f"MAT1,1,{E:.6e},,.3\nPBAR,1,1,.4,{inertia},{inertia},{2 * inertia}"]
    for k in range(n + 1):
        lines.append(f"GRID,{k + 1},,{length * k / n},0.,0.")
        lines.append(f"CONM2,{100 + k},{k + 1},,{mass / (n + 1)}\n,600.,,600.,,,600.")
    lines += [f"CBAR,{k},1,{k},{k + 1},0.,1.,0." for k in range(1, n + 1)]
    return deck_from_text("\n".join(lines))


def bar_rocket(E: float = 7e10) -> StagedVehicle:
    """Two stages of bars: 60 t of grain over the first, 20 t of oxygen low in the second, an engine that pushes."""
    first = Stage.from_deck(bars(*FIRST, 0.04, 12e3, E), "first")
    first.add_tank(
        "grain", levels={60e3 * s: grain(13, 60e3 * s, 0.4 + 0.6 * s) for s in np.linspace(0, 1, 5)}
    )
    upper = Stage.from_deck(bars(*UPPER, 0.02, 5e3, E), "upper")
    upper.add_tank(
        "lox", levels={20e3 * s: grain(5, 20e3 * s, max(s, 0.1)) for s in (0.0, 0.5, 1.0)}, nodes=range(1, 6)
    )
    v = StagedVehicle("rocket")
    v.add(first)
    v.add(upper, at=[FIRST[0], 0.0, 0.0])
    v.join("separation", ("first", 13), ("upper", 1))
    v.add_engine("main", at=("first", 1), feeds={"grain": 1.0}, flow=2000.0, thrust=THRUST)
    return v


RIGID_END = """
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,3,,2.,0.,0.
GRID,4,,2.5,0.,0.
PBAR,1,1,.01,1.-4,1.-4,2.-4
MAT1,1,7.+10,,.3,2700.
CBAR,1,1,1,2,0.,1.,0.
CBAR,2,1,2,3,0.,1.,0.
RBE2,9,3,123456,4
CONM2,7,4,,5.
,1.,,1.,,,1.
CONM2,8,1,,3.
,1.,,1.,,,1.
"""


def rigid_end_deck() -> object:
    """A bar of two elements with a mass on a rigid arm."""
    return deck_from_text(RIGID_END)
