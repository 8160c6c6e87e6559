"""Single results of a deck's elements as functions of the motion."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import scipy.sparse as sp

from interstage.component.recovery import Recoverer
from interstage.component.results import ElementResult
from interstage.errors import InputError, known_names
from interstage.fem.elements.block import OutputOptions
from interstage.fem.model import FEModel
from interstage.fem.recovery import ElementTables, Recovery, Table

SHELL_FORCES = {"mx", "my", "mxy", "tx", "ty"}
SHELLS = ("CQUAD", "CTRIA")


def element_rows(fe: FEModel, T_gf: sp.csr_matrix, wanted: Mapping[str, ElementResult]) -> Recoverer | None:
    """Return wanted results as functions of free coordinates (nf, k), T_gf (n_dof, nf); None where there are none."""
    if not wanted:
        return None
    still = Recovery(fe, np.zeros((fe.grids.n_dof, 1)), OutputOptions(corners=True))
    places = {name: _place(still, name, one) for name, one in wanted.items()}
    units = [_quantity(fe, table, wanted[name]) for name, (table, _, _) in places.items()]

    def rows(u: np.ndarray) -> np.ndarray:
        found = Recovery(fe, np.asarray(T_gf @ u), still.options)
        made: dict[tuple[str, str], Table] = {}
        out = np.empty((len(places), u.shape[1]))
        for k, (name, (table, row, column)) in enumerate(places.items()):
            key = table, wanted[name].kind
            if key not in made:
                made[key] = _tables(found, table)[key[1]]
            out[k] = made[key].values[:, row, column]
        return out

    return Recoverer(list(wanted), units, rows)


def _tables(recovery: Recovery, table: str) -> ElementTables:
    return recovery.forces if table == "forces" else recovery.stresses


def _place(still: Recovery, name: str, one: ElementResult) -> tuple[str, int, int]:
    """Return table, row and column of a result."""
    where = f"recover, '{name}'"
    tables = [one.table] if one.table else ["forces", "stresses"]
    having = [table for table in tables if one.kind in _tables(still, table)]
    if not having:
        known = {kind for table in tables for kind in _tables(still, table)}
        raise InputError(f"there are no results of {one.kind}", where=where, hint=known_names(known))
    found = {table: _tables(still, table)[one.kind] for table in having}
    table = next((t for t in having if one.column in found[t].columns), having[0])
    shown = found[table]
    if one.column not in shown.columns:
        columns = [column for each in found.values() for column in each.columns]
        raise InputError(f"there is no column '{one.column}'", where=where, hint=known_names(columns))
    rows = np.flatnonzero(shown.element_ids == one.element)
    if not len(rows):
        raise InputError(
            f"{one.kind} {one.element} is not in the model", where=where, hint=known_names(shown.element_ids)
        )
    return table, _row(shown, rows, one, where), shown.columns.index(one.column)


def _row(table: Table, rows: np.ndarray, one: ElementResult, where: str) -> int:
    """Return the row of a result among those of its element."""
    if table.node_ids is not None:
        nodes = table.node_ids[rows]
        node = one.node if one.node is not None or len(set(nodes.tolist())) > 1 else int(nodes[0])
        if node is None and 0 in nodes:
            node = 0
        if node is None or node not in nodes:
            raise InputError(
                f"the place of the result on {one.kind} {one.element} is not clear",
                where=where,
                expected=f"one of {sorted(set(nodes.tolist()))} after the column",
                got=f"{one.node}",
            )
        rows = rows[nodes == node]
    elif one.node is not None:
        raise InputError(f"results of {one.kind} have no places", where=where, got=f"{one.node}")
    fibre = one.fibre if one.fibre is not None or len(rows) > 1 else 1
    if fibre is None or not 1 <= fibre <= len(rows):
        raise InputError(
            f"the fibre of the result on {one.kind} {one.element} is not clear",
            where=where,
            expected=f"1 to {len(rows)} after the place",
            got=f"{one.fibre}",
        )
    return int(rows[fibre - 1])


def _quantity(fe: FEModel, table: str, one: ElementResult) -> str:
    """Return what a result is, as `stored.QUANTITIES` has it."""
    column = one.column
    if column.endswith("_displacement"):
        return "displacement"
    if column.endswith("_strain"):
        return "strain"
    if table == "stresses":
        return "stress"
    if one.kind.startswith(SHELLS):
        return "force per length" if column in SHELL_FORCES else "moment per length"
    if one.kind == "CSHEAR" and column.startswith("shear"):
        return "force per length"  # flows along the edges
    if column == "spring_force":
        return _spring(fe, one)
    turning = "moment" in column or column in ("torque", "torsion", "mx", "my", "mz") or "_torque" in column
    return "moment" if turning else "force"


def _spring(fe: FEModel, one: ElementResult) -> str:
    """Return whether a scalar spring pulls or turns, by the component at its ends."""
    grids = fe.grids
    for springs in fe.springs:
        for dof in np.concatenate(
            [springs.a[springs.eid == one.element], springs.b[springs.eid == one.element]]
        ):
            row = int(np.searchsorted(grids.dof, dof, side="right")) - 1
            if springs.name == one.kind and dof >= 0 and row >= 0 and dof < grids.dof[row] + 6:
                return "force" if dof - grids.dof[row] < 3 else "moment"
    return "force"
