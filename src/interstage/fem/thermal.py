"""Thermal loads: what elements would do if they were free to expand, and the loads that stand for it.

With u_t the motion of the grids of an element that expands freely, K_e u_t are its loads, and its forces and stresses
are those of u - u_t. For a temperature that is even (in bars: linear along and across) u_t is exact for every element
that passes the patch test. In solids and shells the temperatures of the grids (of shells those of the corners) are
interpolated by the shape functions, and u_t is the motion whose forces are those of that field; lines have the mean of
their grids, as in NASTRAN.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interstage.errors import ModelError, known_names
from interstage.fem.case import SubcaseSelections
from interstage.fem.elements.block import ElementBlock, Heat
from interstage.fem.grids import Grids
from interstage.fem.loads import TemperatureSet
from interstage.fem.model import FEModel
from interstage.reading import is_whole

CHUNK = 4096  # elements whose stiffness is held at once


@dataclass(frozen=True)
class FreeExpansion:
    """What a temperature does.

    load : (n_dof,) on the g-set in CD axes;  motion : {number of the block: free motions (n, m)}
    heat : {number of the block: change of the mean temperature, and gradient through the thickness (n, 2)}
    """

    load: np.ndarray
    motion: dict[int, np.ndarray]
    heat: dict[int, np.ndarray]


def thermal_case(case: SubcaseSelections) -> tuple[int | None, int | None]:
    """Sets of TEMPERATURE(LOAD) and TEMPERATURE(INITIAL) of a subcase; without brackets, or with BOTH, one is both."""
    load = initial = None
    for key, value in case.requests.items():
        name, _, option = key.rstrip(")").partition("(")
        if not name.startswith("TEMP"):
            continue
        words = value.replace("=", " ").split()
        number = int(words[0]) if words and is_whole(words[0]) else None
        if option in ("", "BOTH", "LOAD"):
            load = number
        if option.startswith("INIT"):
            initial = number
    return load, initial


def free_expansion(fe: FEModel, case: SubcaseSelections) -> FreeExpansion | None:
    """Return what the temperatures that a subcase selects do to every element; None if it selects none."""
    load, initial = thermal_case(case)
    return None if load is None else expansion_of_set(fe, load, initial)


def expansion_of_set(fe: FEModel, load: int, initial: int | None = None) -> FreeExpansion:
    """Return what a temperature set does to every element, from an initial set or else from TREF of the materials."""
    hot, cold = _set(fe, load), None if initial is None else _set(fe, initial)
    heat, start = hot.at_grids(fe.grids), None if cold is None else cold.at_grids(fe.grids)
    out, motion, felt = np.zeros(fe.grids.n_dof), {}, {}
    for k, block in enumerate(fe.blocks):
        if not len(block) or block.expansion is None or not block.expansion.any():
            continue
        change = _heat(fe, block, hot, heat, cold, start)
        motion[k], felt[k] = block.thermal_motion(change), np.stack([change.mean, change.gradient], axis=1)
        for first in range(0, len(block), CHUNK):
            rows = slice(first, min(first + CHUNK, len(block)))
            _add(fe.grids, block, rows, block.stiffness(rows) @ motion[k][rows][:, :, None], out)
    return FreeExpansion(out, motion, felt)


def _set(fe: FEModel, number: int) -> TemperatureSet:
    fe.loads.check()
    if number not in fe.loads.temperatures:
        raise ModelError(
            f"temperature set {number} is selected but is not in the deck",
            where=fe.source,
            hint=known_names(sorted(fe.loads.temperatures)),
        )
    found = fe.loads.temperatures[number]
    if found.refused is not None:
        raise found.refused
    return found


def _heat(fe: FEModel, block: ElementBlock, hot, heat, cold, start) -> Heat:
    """Changes of temperature of the elements of a block, from the initial set or else from TREF of the material."""
    # an end that is ground has the temperature of the other one
    places = np.where(block.nodes < 0, block.nodes[:, :1], block.nodes)
    corners = places[:, : block.corner_count]
    nodes = heat[places] - (block.reference_temperature[:, None] if start is None else start[places])
    mean, gradient = heat[corners].mean(axis=1), np.zeros(len(block))
    ends = np.zeros((len(block), 4))
    for i, eid in enumerate(block.eid.tolist() if hot.plates or hot.bars else ()):
        if eid in hot.plates and takes_plate_temperature(block):
            mean[i], gradient[i] = hot.plates[eid]
        elif eid in hot.bars and takes_bar_temperature(block):
            mean[i], ends[i] = np.mean(hot.bars[eid][:2]), hot.bars[eid][2:]
    reference = (
        block.reference_temperature if start is None else _start(block, cold, start[corners].mean(axis=1))
    )
    change = mean - reference
    if np.isnan(change).any():
        i = int(np.argmax(np.isnan(change)))
        bare = corners[i][np.isnan(heat[corners[i]])]
        where = f" at grid {fe.grids.id[bare[0]]}" if len(bare) else ""
        raise ModelError(
            f"{block.name} {block.eid[i]} has no temperature{where}",
            where=fe.source,
            hint="add TEMP or TEMPD to the set that TEMPERATURE selects",
        )
    given = [i for i, eid in enumerate(block.eid.tolist()) if eid in hot.plates or eid in hot.bars]
    nodes[given] = change[given][:, None]
    return Heat(change, nodes, gradient, ends)


def takes_plate_temperature(block: ElementBlock) -> bool:
    """Whether TEMPP1 means elements of this block."""
    return block.expansion is not None and block.expansion.ndim == 3 and block.dofs_per_node == 6


def takes_bar_temperature(block: ElementBlock) -> bool:
    """Whether TEMPRB means elements of this block."""
    return block.expansion is not None and block.expansion.ndim == 1 and block.name != "CBUSH"


def _start(block: ElementBlock, cold: TemperatureSet, at_grids: np.ndarray) -> np.ndarray:
    """Initial temperatures (n,) of elements: those given for plates and bars, else the mean of their corners."""
    out = at_grids
    for i, eid in enumerate(block.eid.tolist() if cold.plates or cold.bars else ()):
        if eid in cold.plates:
            out[i] = cold.plates[eid][0]
        elif eid in cold.bars:
            out[i] = np.mean(cold.bars[eid][:2])
    return out


def _add(grids: Grids, block: ElementBlock, rows: slice, force: np.ndarray, out: np.ndarray) -> None:
    """Add element forces (n, m, 1) in basic axes to a g-set vector in CD axes."""
    nodes, dofs = block.nodes[rows], block.dofs_per_node
    parts = force.reshape(*nodes.shape, dofs // 3, 3)
    turned = np.einsum("nkij,nkpi->nkpj", grids.R_basic_cd[nodes], parts).reshape(*nodes.shape, dofs)
    np.add.at(out, grids.dof[nodes][:, :, None] + np.arange(dofs), turned)
