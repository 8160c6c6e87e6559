"""Direct matrix input: DMIG matrices that case control adds to stiffness, mass and damping."""

from __future__ import annotations

import numpy as np

from interstage.errors import DeckError
from interstage.fem.from_deck.context import Context
from interstage.fem.scalars import ScalarTerms, SystemTerms
from interstage.nastran import CardTable

_FORMS = {1: "square", 2: "rectangular", 6: "symmetric", 9: "rectangular"}


def read(ctx: Context) -> SystemTerms:
    """Terms of the matrices named by K2GG, M2GG and B2GG in case control (those of the first subcase).

    Factors written in case control and PARAM CK2, CM2, CB2 apply. NASTRAN does not scale M2GG by WTMASS;
    as assembly scales all mass, M2GG is divided by it here.
    """
    out = SystemTerms([], [], [], [])
    subcase = ctx.deck.case.subcases[0]
    for other in ctx.deck.case.subcases[1:]:
        for name in ("k2gg", "m2gg", "b2gg", "factors"):
            if getattr(other, name) != getattr(subcase, name):
                raise DeckError(
                    f"subcases {subcase.id} and {other.id} select different direct input matrices",
                    file=ctx.deck.name,
                    hint="put K2GG, M2GG and B2GG above the subcases, or use one deck for each",
                )
    wtmass = _parameter(ctx, "WTMASS") or 1.0
    for names, target, scale in (
        (subcase.k2gg, out.K, _parameter(ctx, "CK2")),
        (subcase.m2gg, out.M, _parameter(ctx, "CM2") / wtmass),
        (subcase.b2gg, out.B, _parameter(ctx, "CB2")),
    ):
        for name in names:
            factor = getattr(subcase, "factors", {}).get(name, 1.0)
            target.append(_matrix(ctx, name, scale * factor))
    return out


def _parameter(ctx: Context, name: str) -> float:
    value = ctx.params.get(name, 1.0)
    # the parameter may be complex; only its real part has a meaning for real matrices
    value = value[0] if isinstance(value, tuple) else value
    if isinstance(value, str):
        raise DeckError(f"PARAM {name} is not a number", file=ctx.deck.name, got=value)
    return float(value)


def _matrix(ctx: Context, name: str, scale: float) -> ScalarTerms:
    table = ctx.deck.cards("DMIG")
    cards = [(i, table.row(i)) for i in range(len(table))]
    cards = [(i, row + [None] * 8) for i, row in cards if row and str(row[0]) == name]
    headers = [(i, row) for i, row in cards if row[1] == 0]
    if len(headers) != 1:
        what = "has no header (DMIG with 0 in field 3)" if not headers else "has two headers"
        if not cards:
            raise DeckError(f"case control names DMIG {name}, which is not in the deck")
        raise table.error(cards[-1][0], f"DMIG {name} {what}")
    i_header, header = headers[0]
    form = _check_header(table, i_header, name, header)
    rows, cols, values = [], [], []
    for i, row in cards:
        if i == i_header:
            continue
        column = _dof(ctx, table, i, row[1], row[2])
        for first in range(4, len(row) - 3, 4):
            point, component, value, imaginary = row[first : first + 4]
            if point is None:
                continue
            if isinstance(imaginary, int | float) and imaginary != 0:
                raise table.error(i, f"DMIG {name} has imaginary terms, which are not supported")
            if not isinstance(value, int | float):
                raise table.error(i, f"a term of DMIG {name} is not a number", got=str(value))
            rows.append(_dof(ctx, table, i, point, component))
            cols.append(column)
            values.append(scale * float(value))
    return _finish(table, i_header, name, form, np.array(rows), np.array(cols), np.array(values))


def _check_header(table: CardTable, i: int, name: str, header: list) -> int:
    form, kind = header[2], header[3]
    if form not in _FORMS:
        raise table.error(i, f"the form IFO of DMIG {name} is not known", "1, 2 or 6", str(form))
    if kind in (3, 4) or header[4] in (3, 4):
        raise table.error(i, f"DMIG {name} is complex; only real matrices (TIN 1 or 2) are supported")
    return form


def _dof(ctx: Context, table: CardTable, i: int, point, component) -> int:
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


def _finish(table, i, name, form, rows, cols, values) -> ScalarTerms:
    """Both triangles of the matrix; a matrix that is not symmetric cannot be added to K, M or B."""
    rows, cols = rows.astype(np.int64), cols.astype(np.int64)
    if _FORMS[form] == "symmetric":
        key = np.stack([np.minimum(rows, cols), np.maximum(rows, cols)])
        if len(np.unique(key, axis=1).T) < len(rows):
            raise table.error(i, f"a term of the symmetric DMIG {name} is given twice")
        off = rows != cols
        rows, cols, values = (
            np.concatenate([rows, cols[off]]),
            np.concatenate([cols, rows[off]]),
            np.concatenate([values, values[off]]),
        )
    else:
        _check_symmetry(table, i, name, rows, cols, values)
    return ScalarTerms(f"DMIG {name}", np.zeros(len(rows), dtype=np.int64), rows, cols, values)


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
