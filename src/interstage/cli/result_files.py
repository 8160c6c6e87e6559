"""Write what `modes` and `static` found as op2, punch, universal file or listing, by the name of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError
from interstage.nastran.result_files import (
    CORNER_TYPES,
    FORCE_TYPES,
    ElementForces,
    PointResults,
    listing_text,
    op2_bytes,
    punch_text,
    unv_text,
)
from interstage.output import write_bytes, write_text

if TYPE_CHECKING:
    from interstage.fem import Displacements, FEModel, Modes
    from interstage.fem.recovery import Table

KINDS = (".op2", ".pch", ".unv", ".f06")


def check_names(paths: list[Path]) -> None:
    """Refuse files of other kinds before anything is computed."""
    for path in paths:
        if path.suffix.lower() not in KINDS:
            raise InputError(
                "the kind of a result file shows by its name", expected=", ".join(KINDS), got=path.name
            )


def of_modes(fe: FEModel, modes: Modes, subcase: int) -> list[PointResults]:
    """Eigenvectors as tables of points."""
    k = len(modes.frequencies_hz)
    return [
        _results(
            fe,
            "eigenvectors",
            np.full(k, subcase),
            np.arange(1, k + 1),
            modes.shapes.T,
            modes.eigenvalues,
            modes.generalized_mass,
        )
    ]


def of_statics(fe: FEModel, results: list[Displacements]) -> list[PointResults]:
    """Displacements and forces of single-point constraints as tables of points."""
    subcase = np.array([one.subcase for one in results])
    ones = np.ones(len(results), dtype=np.int64)
    return [
        _results(fe, "displacements", subcase, ones, np.array([one.displacement for one in results])),
        _results(fe, "spcforces", subcase, ones, np.array([one.spc_forces for one in results])),
    ]


def element_forces(
    tables: Sequence[Mapping[str, Table]], subcase: np.ndarray, eigenvalues: np.ndarray | None = None
) -> list[ElementForces]:
    """Forces of elements as an op2 file has them, from one table a load case, or one of all modes.

    Elements that op2 files of ours have no place for are left out.
    """
    out = []
    for name, first in tables[0].items():
        at_corners = first.node_ids is not None and name != "CBEAM"
        if name not in (CORNER_TYPES if at_corners else FORCE_TYPES):
            continue
        values = first.values if eigenvalues is not None else np.stack([one[name].values for one in tables])
        number = np.arange(1, len(values) + 1) if eigenvalues is not None else np.ones(len(values), np.int64)
        out.append(
            ElementForces(name, subcase, number, first.element_ids, first.node_ids, values, eigenvalues)
        )
    return out


def _results(fe: FEModel, kind: str, subcase, number, vectors, eigenvalues=None, masses=None) -> PointResults:
    """Tables (k, n, 6) of g-set vectors (k, n_dof), points in ascending id; a scalar point has one component."""
    grids = fe.grids
    ids = np.concatenate([grids.id, grids.spoint])
    types = np.concatenate([np.ones(len(grids.id), np.int64), np.full(len(grids.spoint), 2)])
    values = np.zeros((len(vectors), len(ids), 6))
    values[:, : len(grids.id)] = vectors[:, grids.dof[:, None] + np.arange(6)]
    values[:, len(grids.id) :, 0] = vectors[:, grids.spoint_dof]
    order = np.argsort(ids, kind="stable")
    return PointResults(
        kind, subcase, number, ids[order], types[order], values[:, order], eigenvalues, masses
    )


def write_results(
    path: Path,
    fe: FEModel,
    results: list[PointResults],
    notes: list[str],
    forces: Sequence[ElementForces] = (),
) -> None:
    """Write results into one file, its kind by its name; forces of elements into op2 files alone."""
    kind = path.suffix.lower()
    if kind == ".op2":
        write_bytes(path, op2_bytes(results, fe.source, forces), "op2 file")
    elif kind == ".pch":
        write_text(path, punch_text(results, fe.source), "punch file")
    elif kind == ".unv":
        write_text(
            path, unv_text([_basic(fe, one) for one in results], fe.grids.xyz, fe.source), "universal file"
        )
    else:
        write_text(path, listing_text(results, fe.source, notes), "listing")


def _basic(fe: FEModel, one: PointResults) -> PointResults:
    """Results with the components of grids in basic axes."""
    grids = one.types == 1
    turned = one.values.copy()
    for first in (0, 3):
        part = one.values[:, grids, first : first + 3]
        turned[:, grids, first : first + 3] = np.einsum("nij,knj->kni", fe.grids.R_basic_cd, part)
    return PointResults(
        one.kind, one.subcase, one.number, one.ids, one.types, turned, one.eigenvalues, one.masses
    )
