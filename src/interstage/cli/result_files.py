"""Write what `modes` and `static` found as op2, punch, universal file or listing, by the name of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError
from interstage.nastran.cards import of_family
from interstage.nastran.result_files import (
    ElementResults,
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
    from interstage.nastran import Deck

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


def of_elements(
    cards: Deck,
    taken: Sequence[Mapping[str, Mapping[str, Table]]],
    forces: Sequence[Mapping[str, Table]],
    subcase: np.ndarray,
    eigenvalues: np.ndarray | None = None,
) -> tuple[list[ElementResults], list[str]]:
    """Results of elements as an op2 file has them, and a sentence on each table that it has no place for.

    taken : tables by kind and name, of each load case or of all modes at once
    forces : those of elements of each, which alone say where the stations of a CBEAM are
    """
    out, without = [], []
    for kind, tables in taken[0].items():
        for name, first in tables.items():
            each = [one[kind][name].values for one in taken]
            if name == "CBEAM" and kind != "forces":
                places = [one[name].column("sd")[..., None] for one in forces]
                each = [np.concatenate(pair, axis=-1) for pair in zip(places, each)]
            values = each[0] if eigenvalues is not None else np.stack(each)
            number = np.ones(len(values), np.int64) if eigenvalues is None else np.arange(1, len(values) + 1)
            one = ElementResults(
                kind,
                name,
                first.columns,
                subcase,
                number,
                first.element_ids,
                first.node_ids,
                values,
                eigenvalues,
                _systems(cards, name, first.element_ids),
            )
            if one.record is None:
                corners = " without CORNER in case control" if name in ("CQUAD8", "CTRIA6") else ""
                without.append(
                    f"op2 files have no place here for {kind} of {name}{corners}: they are left out"
                )
            else:
                out.append(one)
    return out, without


def _systems(cards: Deck, name: str, ids: np.ndarray) -> np.ndarray | None:
    """Coordinate systems (elements,) that stresses of solids are in, CORDM of their PSOLID; None of others."""
    from interstage.fem.from_deck.lookup import properties_of

    if name not in of_family("solid"):
        return None
    systems: dict[int, int] = {}
    for deck in (cards, *cards.parts.values()):
        given = deck.cards("PSOLID")
        cordm = dict(zip(given.integer(1).tolist(), given.integer(3, 0).tolist()))
        systems |= {eid: cordm.get(pid, 0) for eid, pid in properties_of(deck, name).items()}
    return np.array([systems.get(eid, 0) for eid in np.unique(ids).tolist()], np.int64)


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
    elements: Sequence[ElementResults] = (),
    cards: Deck | None = None,
) -> None:
    """Write results into one file, its kind by its name; those of elements into op2 files alone."""
    kind = path.suffix.lower()
    if kind == ".op2":
        write_bytes(path, op2_bytes(results, fe.source, elements), "op2 file")
    elif kind == ".pch":
        write_text(path, punch_text(results, fe.source), "punch file")
    elif kind == ".unv":
        write_text(
            path, unv_text([_basic(fe, one) for one in results], fe.grids.xyz, fe.source), "universal file"
        )
    else:
        write_text(path, listing_text(results, fe.source, notes, texts_of(cards, results)), "listing")


def texts_of(cards: Deck | None, results: list[PointResults]) -> dict[int, list[str]]:
    """TITLE, SUBTITLE and LABEL by subcase of results."""
    ids = {int(sid) for one in results for sid in one.subcase}
    return {} if cards is None else {sid: list(cards.case.texts(sid).values()) for sid in ids}


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
