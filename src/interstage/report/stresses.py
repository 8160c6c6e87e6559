"""Stresses at the grids of a structure, for colours: of solutions of a deck, and over time from modal coordinates.

Von Mises stress of shells and solids, the largest normal stress of bars, beams and rods, of each element (of laminates
the ply that has most); a grid has the mean of the elements around it. Over time: mode displacement σ(Φ η), without what
loads do beside moving the modes.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

import numpy as np
from scipy.sparse import csr_array

from interstage.fem import FEModel
from interstage.fem.elements.block import OutputOptions
from interstage.fem.recovery import Recovery, Table
from interstage.multibody.flexible_body import FlexibleBodyData
from interstage.report.meshes import rows_of_grids

CHUNK = 32  # times at once
PLY = ("o11", "o22", "t12", "t1z", "t2z")
NORMAL = ("axial", "smax", "smin", "smaxa", "smina", "smaxb", "sminb")


def stress_rows(fe: FEModel, flex: FlexibleBodyData, eta: np.ndarray) -> np.ndarray | None:
    """Return stresses (T, N) at the nodes of a body for modal coordinates (T, n); None where no element has some."""
    at = rows_of_grids(fe, flex.node_ids)
    motion = _motion(fe, flex, at)
    first = _elements(Recovery(fe, motion[:, :1], OutputOptions()).stresses)
    means = _means(fe, at, len(flex.l), {name: eid for name, (eid, _) in first.items()})
    if not means:
        return None
    out = np.zeros((len(eta), len(flex.l)))
    for first in range(0, len(eta), CHUNK):
        rows = slice(first, first + CHUNK)
        for name, (_, values) in _elements(
            Recovery(fe, motion @ eta[rows].T, OutputOptions()).stresses
        ).items():
            if name in means:
                out[rows] += (means[name] @ values.T).T
    return out


def grid_stresses(fe: FEModel, recovery: Recovery) -> np.ndarray | None:
    """Return stresses (k, N) at the grids for each motion of a solution; None where no element has some."""
    plain = copy(recovery)
    plain.options = OutputOptions()  # von Mises, whatever the deck asks for
    found = _elements(plain.stresses)
    means = _means(
        fe, np.arange(len(fe.grids)), len(fe.grids), {name: eid for name, (eid, _) in found.items()}
    )
    parts = [(means[name] @ found[name][1].T).T for name in means]
    return np.sum(parts, axis=0) if parts else None


def _motion(fe: FEModel, flex: FlexibleBodyData, at: np.ndarray) -> np.ndarray:
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


def _elements(tables: Mapping[str, Table]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return ids (E,), rising, and the largest stress (T, E) of each element, by type; plies belong to it."""
    parts: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    for name in tables:
        table = tables[name]
        values = _scalar(table)
        if values is not None and len(table):
            eid, first = np.unique(table.element_ids, return_index=True)
            largest = np.maximum.reduceat(np.atleast_2d(values), first, axis=1)
            parts.setdefault(name.removesuffix("_COMPOSITE"), []).append((eid, largest))
    out = {}
    for name, both in parts.items():
        eid = np.concatenate([one for one, _ in both])
        order = np.argsort(eid, kind="stable")
        out[name] = eid[order], np.concatenate([one for _, one in both], axis=1)[:, order]
    return out


def _scalar(table: Table) -> np.ndarray | None:
    """Return one stress (T, r) or (r,) for every row of a table."""
    if "von_mises" in table.columns:
        return np.nan_to_num(table.column("von_mises"))
    if "o11" in table.columns:  # a ply: plane stress and transverse shear
        o11, o22, *shears = (np.nan_to_num(table.column(name)) for name in PLY)
        return np.sqrt(o11**2 + o22**2 - o11 * o22 + 3.0 * sum(one**2 for one in shears))
    columns = [np.abs(np.nan_to_num(table.column(name))) for name in NORMAL if name in table.columns]
    return np.max(columns, axis=0) if columns else None
