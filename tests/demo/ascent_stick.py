"""Heron as a stick: bars along its axis with the grids that the flight needs, for kernels and tests."""

from __future__ import annotations

from interstage.component import Component
from interstage.demo import heron
from interstage.demo.vehicle import core_component
from interstage.nastran import deck_from_text


def stick_deck() -> str:
    """Return bars along the axis with Heron's gimbals, engines, payload and gyro platform."""
    cards = ["SOL 103", "CEND", "BEGIN BULK", "MAT1,1,7.6+10,,.33,0.", "PBAR,1,1,.06,.11,.1,.2"]
    stations = {1: 0.0, 2: 8.0, 3: 16.0, 4: 24.0, heron.FORWARD_GYRO: 29.5, 5: 36.0, heron.PAYLOAD_GRID: 42.8}
    grids = list(stations)
    for k, (grid, x) in enumerate(stations.items()):
        cards += [f"GRID,{grid},,{x},0.,0."]
        if k:
            cards.append(f"CBAR,{k},1,{grids[k - 1]},{grid},0.,1.,0.")
    for a, b in zip(heron.GIMBAL_GRIDS, heron.ENGINE_GRIDS):
        y, z = heron.engine_position(heron.GIMBAL_GRIDS.index(a))[1:]
        cards += [f"GRID,{a},,0.,{y:.6f},{z:.6f}", f"GRID,{b},,{-heron.ENGINE_CG},{y:.6f},{z:.6f}"]
        cards += [f"CBAR,{a},1,1,{a},1.,0.,0.", f"RBE2,{b},{a},123456,{b}"]
        i, j, k = heron.ENGINE_INERTIA
        cards += [f"CONM2,{b},{b},,{heron.ENGINE_MASS}", f",{i},,{j},,,{k}"]
    i, j, k = heron.PAYLOAD_INERTIA
    cards += [f"CONM2,900,{heron.PAYLOAD_GRID},,{heron.PAYLOAD_MASS}", f",{i},,{j},,,{k}"]
    return "\n".join(cards)


def stick() -> Component:
    """Return the stick as a component, with the masses of its stations as density of the bars."""
    lines = stick_deck().replace("MAT1,1,7.6+10,,.33,0.", "MAT1,1,7.6+10,,.33,66000.")
    return core_component(deck_from_text(lines + "\nENDDATA\n"), 3)
