"""Stresses of a structure over time from its modal coordinates and the elements of its deck, for colours.

Von Mises stress of shells and solids, the largest normal stress of bars, beams and rods, of each element; a grid has
the mean of the elements around it. Mode displacement: σ(Φ η), without what loads do beside moving the modes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

from interstage.fem import FEModel
from interstage.fem.elements.block import OutputOptions
from interstage.fem.recovery import Recovery, Table
from interstage.multibody.flex.reference import FlexibleBody
from interstage.report.looks import rows_of_grids

CHUNK = 32  # times at once
NORMAL = ("axial", "smax", "smin", "smaxa", "smina", "smaxb", "sminb")


def stress_rows(fe: FEModel, flex: FlexibleBody, eta: np.ndarray) -> np.ndarray | None:
    """Return stresses (T, N) at the nodes of a body for modal coordinates (T, n); None where no element has some."""
    at = rows_of_grids(fe, flex.node_ids)
    motion = _motion(fe, flex, at)
    stressed = {name: eid for name, eid, _ in _elements(Recovery(fe, motion[:, :1], OutputOptions()))}
    means = _means(fe, at, len(flex.l), stressed)
    if not means:
        return None
    out = np.zeros((len(eta), len(flex.l)))
    for first in range(0, len(eta), CHUNK):
        rows = slice(first, first + CHUNK)
        for name, _, values in _elements(Recovery(fe, motion @ eta[rows].T, OutputOptions())):
            if name in means:
                out[rows] += (means[name] @ values.T).T
    return out


def _motion(fe: FEModel, flex: FlexibleBody, at: np.ndarray) -> np.ndarray:
    """Return the motion (n_dof, n) of all grids in the modes of a body, on the g-set in CD axes."""
    here = np.flatnonzero(at >= 0)
    turned = fe.grids.R_basic_cd[here].transpose(0, 2, 1)
    motion = np.concatenate([turned @ flex.gamma[at[here]], turned @ flex.lam[at[here]]], axis=1)
    out = np.zeros((fe.grids.n_dof, flex.n_modes))
    out[fe.grids.dof[here][:, None] + np.arange(6)] = motion
    return out


def _means(fe: FEModel, at: np.ndarray, n: int, stressed: dict[str, np.ndarray]) -> dict[str, csr_array]:
    """Return for each type of element the shares (n, E) that its elements have in the nodes around them.

    stressed : ids (E,), rising, of the elements of a type that have stresses
    """
    pairs: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    count = np.zeros(n)
    for block in fe.blocks:
        ids = stressed.get(block.name)
        if ids is None:
            continue
        nodes, eid = np.asarray(block.nodes), np.asarray(block.eid)
        rows = np.where(nodes >= 0, at[nodes], -1)
        rows[((rows < 0) & (nodes >= 0)).any(axis=1) | ~np.isin(eid, ids)] = -1
        element, corner = np.nonzero(rows >= 0)
        node = rows[element, corner]
        np.add.at(count, node, 1.0)
        pairs.setdefault(block.name, []).append((node, np.searchsorted(ids, eid[element])))
    out = {}
    for name, both in pairs.items():
        node, element = (np.concatenate(parts) for parts in zip(*both))
        if len(node):
            out[name] = csr_array((1.0 / count[node], (node, element)), shape=(n, len(stressed[name])))
    return out


def _elements(recovery: Recovery) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield type, ids (E,) rising, and the largest stress (T, E) of each element."""
    tables = recovery.stresses
    for name in tables:
        table = tables[name]
        values = _scalar(table)
        if values is not None and len(table):
            eid, first = np.unique(table.element_ids, return_index=True)
            yield name, eid, np.maximum.reduceat(values, first, axis=1)


def _scalar(table: Table) -> np.ndarray | None:
    """Return one stress (T, r) for every row of a table."""
    if "von_mises" in table.columns:
        return np.nan_to_num(table.column("von_mises"))
    columns = [np.abs(np.nan_to_num(table.column(name))) for name in NORMAL if name in table.columns]
    return np.max(columns, axis=0) if columns else None
