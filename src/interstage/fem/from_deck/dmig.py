"""Direct matrix input: DMIG matrices that case control adds to stiffness, mass, damping and loads."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from interstage.errors import DeckError
from interstage.fem.from_deck.context import Context
from interstage.fem.scalars import ScalarTerms, SystemTerms
from interstage.nastran import CardTable

_FORMS = {1: "square", 2: "rectangular", 6: "symmetric", 9: "columns"}
COLUMNS = 9


def read(ctx: Context) -> SystemTerms:
    """Terms of the matrices named by K2GG, M2GG, B2GG and K42GG in case control (those of the first subcase).

    Factors written in case control and PARAM CK2, CM2, CB2, CK42 apply. NASTRAN does not scale M2GG by WTMASS;
    as assembly scales all mass, M2GG is divided by it here. Matrices of files (`Deck.given`) are added.
    """
    out = SystemTerms([], [], [], [])
    subcase = ctx.deck.case.subcases[0]
    for other in ctx.deck.case.subcases[1:]:
        for name in ("k2gg", "m2gg", "b2gg", "k42gg", "factors"):
            if getattr(other, name) != getattr(subcase, name):
                raise DeckError(
                    f"subcases {subcase.id} and {other.id} select different direct input matrices",
                    file=ctx.deck.name,
                    hint="put K2GG, M2GG, B2GG and K42GG above the subcases, or use one deck for each",
                )
    wtmass = _parameter(ctx, "WTMASS") or 1.0
    for command, target, scale in (
        ("K2GG", out.K, _parameter(ctx, "CK2")),
        ("M2GG", out.M, _parameter(ctx, "CM2") / wtmass),
        ("B2GG", out.B, _parameter(ctx, "CB2")),
        ("K42GG", out.K4, _parameter(ctx, "CK42")),
    ):
        for name in getattr(subcase, command.lower()):
            factor = subcase.factors.get((command, name), 1.0)
            target.append(_matrix(ctx, name, scale * factor))
    for one in ctx.deck.given:
        i, j = np.nonzero(one.values)
        values = one.values[i, j] / (wtmass if one.kind == "M" else 1.0)
        terms = ScalarTerms(one.name, np.zeros(len(i), dtype=np.int64), one.dofs[i], one.dofs[j], values)
        getattr(out, one.kind).append(terms)
    return out


def _parameter(ctx: Context, name: str) -> float:
    value = ctx.params.get(name, 1.0)
    # the parameter may be complex; only its real part has a meaning for real matrices
    value = value[0] if isinstance(value, tuple) else value
    if isinstance(value, str):
        raise DeckError(f"PARAM {name} is not a number", file=ctx.deck.name, got=value)
    return float(value)


class Terms(NamedTuple):
    """Terms of a DMIG as they stand, the second triangle of a symmetric one included.

    table, i : the header, for messages; form : IFO
    rows, cols : (n,) places; values : (n,), complex where a term has an imaginary part
    """

    table: CardTable
    i: int
    form: int
    rows: np.ndarray
    cols: np.ndarray
    values: np.ndarray


def matrix_terms(ctx: Context, name: str, place: Callable[[CardTable, int, object, object], int]) -> Terms:
    """Read a DMIG; `place` gives the number of a point and component, or raises."""
    table = ctx.deck.cards("DMIG")
    cards = [(i, table.row(i)) for i in range(len(table))]
    cards = [(i, row + [None] * 8) for i, row in cards if row and str(row[0]) == name]
    headers = [(i, row) for i, row in cards if row[1] == 0]
    if len(headers) != 1:
        what = "has no header (DMIG with 0 in field 3)" if not headers else "has two headers"
        if not cards:
            raise DeckError(f"case control names DMIG {name}, which is not in the deck", file=ctx.deck.name)
        raise table.error(cards[-1][0], f"DMIG {name} {what}")
    i_header, header = headers[0]
    form, kind, polar = header[2], header[3], bool(header[5])
    if form not in _FORMS:
        raise table.error(i_header, f"the form IFO of DMIG {name} is not known", "1, 2, 6 or 9", str(form))
    rows, cols, values = [], [], []
    for i, row in cards:
        if i == i_header:
            continue
        column = _column(table, i, row[1]) if form == COLUMNS else place(table, i, row[1], row[2])
        for first in range(4, len(row) - 3, 4):
            point, component, value, imaginary = row[first : first + 4]
            if point is None:
                continue
            other = imaginary if isinstance(imaginary, int | float) and kind in (3, 4) else 0.0
            if isinstance(imaginary, int | float) and imaginary != 0 and kind not in (3, 4):
                raise table.error(i, f"DMIG {name} has imaginary terms, but TIN says that it is real")
            if not isinstance(value, int | float):
                raise table.error(i, f"a term of DMIG {name} is not a number", got=str(value))
            rows.append(place(table, i, point, component))
            cols.append(column)
            values.append(value * np.exp(1j * np.deg2rad(other)) if polar else value + 1j * other)
    both = np.array(rows, dtype=np.int64), np.array(cols, dtype=np.int64)
    return _mirrored(Terms(table, i_header, form, *both, _plain(np.array(values, dtype=complex))), name)


def _plain(values: np.ndarray) -> np.ndarray:
    return values if values.imag.any() else values.real


def _column(table: CardTable, i: int, number: object) -> int:
    if not isinstance(number, int) or number < 1:
        raise table.error(i, "a column of this DMIG has no number", "an integer above zero", repr(number))
    return number - 1


def _mirrored(terms: Terms, name: str) -> Terms:
    """Both triangles of a symmetric matrix."""
    if _FORMS[terms.form] != "symmetric":
        return terms
    table, i, form, rows, cols, values = terms
    key = np.stack([np.minimum(rows, cols), np.maximum(rows, cols)])
    if len(np.unique(key, axis=1).T) < len(rows):
        raise table.error(i, f"a term of the symmetric DMIG {name} is given twice")
    off = rows != cols
    return Terms(
        table,
        i,
        form,
        np.concatenate([rows, cols[off]]),
        np.concatenate([cols, rows[off]]),
        np.concatenate([values, values[off]]),
    )


def read_loads(ctx: Context) -> dict[int, np.ndarray]:
    """Loads (n_dof,) that P2G of each subcase adds, by subcase, times PARAM CP2.

    A matrix of one column acts in every subcase that selects it; one of as many columns as there are subcases gives
    each its own.
    """
    cases = ctx.deck.case.subcases
    out: dict[int, np.ndarray] = {}
    for k, case in enumerate(cases):
        for name in case.p2g:
            terms = matrix_terms(ctx, name, partial(_dof, ctx))
            if np.iscomplexobj(terms.values) or terms.form not in (2, COLUMNS):
                raise terms.table.error(terms.i, f"DMIG {name} is no load", "real, with IFO = 9")
            columns = int(terms.cols.max(initial=0)) + 1
            if columns not in (1, len(cases)):
                raise terms.table.error(
                    terms.i, f"P2G {name} has {columns} columns for {len(cases)} subcases", "one, or one each"
                )
            mine = terms.cols == (k if columns > 1 else 0)
            load = out.setdefault(case.id, np.zeros(ctx.grids.n_dof))
            factor = _parameter(ctx, "CP2") * case.factors.get(("P2G", name), 1.0)
            np.add.at(load, terms.rows[mine], factor * terms.values[mine])
    return out


def _matrix(ctx: Context, name: str, scale: float) -> ScalarTerms:
    """A matrix that is added to K, M or B of the structure: real and symmetric."""
    table, i, form, rows, cols, values = matrix_terms(ctx, name, partial(_dof, ctx))
    if np.iscomplexobj(values):
        raise table.error(i, f"DMIG {name} is complex", hint="K2GG, M2GG and B2GG must be real (TIN 1 or 2)")
    if form == COLUMNS:
        raise table.error(i, f"DMIG {name} holds columns of loads", hint="K2GG, M2GG and B2GG need IFO = 6")
    if _FORMS[form] != "symmetric":
        _check_symmetry(table, i, name, rows, cols, values)
    return ScalarTerms(f"DMIG {name}", np.zeros(len(rows), dtype=np.int64), rows, cols, scale * values)


def _dof(ctx: Context, table: CardTable, i: int, point: object, component: object) -> int:
    component = 0 if component is None else component
    dof = -1
    if isinstance(point, int) and isinstance(component, int):
        dof = ctx.grids.dof_of(point, component)
    if dof < 0:
        raise table.error(
            i,
            "DMIG refers to a point or component that is not in the deck",
            got=f"point {point}, component {component}",
        )
    return dof


def _check_symmetry(table, i, name, rows, cols, values) -> None:
    total: dict[tuple[int, int], float] = {}
    for r, c, value in zip(rows.tolist(), cols.tolist(), values.tolist()):
        total[r, c] = total.get((r, c), 0.0) + value
    size = max((abs(v) for v in total.values()), default=0.0)
    for (r, c), value in total.items():
        if abs(value - total.get((c, r), 0.0)) > 1e-9 * size:
            raise table.error(
                i,
                f"DMIG {name} is not symmetric",
                hint="K2GG, M2GG and B2GG must be symmetric; write it with IFO = 6",
            )
