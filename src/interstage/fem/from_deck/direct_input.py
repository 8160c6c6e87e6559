"""Direct input of responses and complex modes: EPOINT, TF, the DMIG of K2PP, B2PP and M2PP, and EIGC."""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.sparse as sp

from interstage.errors import InterstageError
from interstage.fem.direct_input import ComplexRequest, DirectInput, PSetMatrices, SearchRegion
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.dmig import COLUMNS, matrix_terms
from interstage.nastran import CardTable
from interstage.nastran.ids import expand_ids

METHODS = ("INV", "DET", "HESS", "CLAN", "FEER", "ISRR", "IRAM", "QZHESS")


def read_direct_input(ctx: Context) -> DirectInput:
    """Return what the deck gives on the p-set; what is wrong with it waits until it is asked for."""
    try:
        extra = _extra_points(ctx)
        place = partial(_place, ctx, extra)
        names = {n for case in ctx.deck.case.subcases for n in (*case.k2pp, *case.b2pp, *case.m2pp)}
        p = ctx.grids.n_dof + len(extra)
        return DirectInput(
            extra,
            _transfer_functions(ctx, place, p),
            {name: _matrix(ctx, name, place, p) for name in sorted(names)},
            _requests(ctx, place),
        )
    except InterstageError as error:
        return DirectInput(refused=error)


def _extra_points(ctx: Context) -> np.ndarray:
    """EPOINT: ids, THRU ranges included."""
    table = ctx.deck.cards("EPOINT")
    found = [
        expand_ids([v for v in row if v is not None], lambda *a, i=i, **k: table.error(i, *a, **k))
        for i, row in enumerate(table.rows())
    ]
    ids = np.unique(np.concatenate(found)).astype(np.int64) if found else np.zeros(0, dtype=np.int64)
    taken = ids[(ctx.grids.find(ids) >= 0) | (ctx.grids.find_spoint(ids) >= 0)]
    if len(taken):
        raise table.error(0, f"extra point {taken[0]} is a grid or scalar point as well")
    return ids


def _place(ctx: Context, extra: np.ndarray, table: CardTable, i: int, point, component) -> int:
    """p-set dof of a component of a grid, of a scalar point or of an extra point."""
    component = 0 if component is None else component
    at = -1
    if isinstance(point, int) and isinstance(component, int):
        at = ctx.grids.dof_of(point, component)
        k = int(np.searchsorted(extra, point))
        if at < 0 and k < len(extra) and extra[k] == point and component in (0, 1):
            at = ctx.grids.n_dof + k
    if at < 0:
        raise table.error(
            i,
            f"{table.name} refers to a point or component that is not in the deck",
            got=f"point {point}, component {component}",
        )
    return at


def _real(table: CardTable, i: int, value: object) -> float:
    if value is None:
        return 0.0
    if not isinstance(value, int | float):
        raise table.error(i, f"a factor of this {table.name} is not a number", got=repr(value))
    return float(value)


def _transfer_functions(ctx: Context, place, p: int) -> dict[int, PSetMatrices]:
    """TF: SID, GD, CD, B0, B1, B2, and G, C, A0, A1, A2 on each continuation: a row of K, B and M."""
    terms: dict[int, list[tuple[int, int, tuple[float, ...]]]] = {}
    table = ctx.deck.cards("TF")
    for i, row in enumerate(table.rows()):
        row = row + [None] * 8
        if not isinstance(row[0], int) or row[0] < 1:
            raise table.error(i, "TF has no number", "an integer above zero", repr(row[0]))
        mine = terms.setdefault(row[0], [])
        at = place(table, i, row[1], row[2])
        mine.append((at, at, tuple(_real(table, i, v) for v in row[3:6])))
        for first in range(8, len(row), 8):
            part = (row[first : first + 5] + [None] * 5)[:5]
            if part[0] is not None:
                other = place(table, i, part[0], part[1])
                mine.append((at, other, tuple(_real(table, i, v) for v in part[2:])))
    out = {}
    for sid, mine in terms.items():
        rows, cols = ([t[k] for t in mine] for k in (0, 1))
        parts = [sp.coo_array(([t[2][k] for t in mine], (rows, cols)), shape=(p, p)) for k in range(3)]
        out[sid] = PSetMatrices(*(sp.csr_array(A) for A in parts))
    return out


def _matrix(ctx: Context, name: str, place, p: int) -> sp.csr_array:
    """A DMIG on the p-set; it may be complex and need not be symmetric."""
    terms = matrix_terms(ctx, name, place)
    if terms.form == COLUMNS:
        raise terms.table.error(terms.i, f"DMIG {name} holds columns of loads", "IFO = 1 or 6")
    return sp.csr_array(sp.coo_array((terms.values, (terms.rows, terms.cols)), shape=(p, p)))


def _requests(ctx: Context, place) -> dict[int, ComplexRequest]:
    """EIGC: SID, METHOD, NORM, G, C, E, ND0; on continuations αa, ωa, αb, ωb, L, NE, ND of a region each."""
    out: dict[int, ComplexRequest] = {}
    table = ctx.deck.cards("EIGC")
    for i, row in enumerate(table.rows()):
        row = row + [None] * 8
        method = row[1] if row[1] is not None else "CLAN"
        if not isinstance(row[0], int) or row[0] < 1 or method not in METHODS:
            expected = "a number above zero, and one of " + ", ".join(METHODS)
            raise table.error(i, "EIGC needs a number and a METHOD", expected, f"{row[0]}, {row[1]}")
        if row[0] in out:
            raise table.error(i, f"eigenvalue request {row[0]} is defined twice")
        point = place(table, i, row[3], row[4]) if row[2] == "POINT" else None
        regions = []
        for first in range(8, len(row), 8):
            part = (row[first : first + 7] + [None] * 7)[:7]
            if any(isinstance(v, int | float) for v in part):
                regions.append(_region(table, i, part, str(method)))
        out[row[0]] = ComplexRequest(str(method), _count(table, i, row[6]), tuple(regions), point)
    return out


def _region(table: CardTable, i: int, part: list, method: str) -> SearchRegion:
    a = complex(_real(table, i, part[0]), _real(table, i, part[1]))
    if method not in ("INV", "DET"):  # a shift; the fields behind it are sizes of blocks
        return SearchRegion(a, a, 0.0, _count(table, i, part[6]))
    b = complex(_real(table, i, part[2]), _real(table, i, part[3]))
    return SearchRegion(a, b, _real(table, i, part[4]) or 1.0, _count(table, i, part[6]))


def _count(table: CardTable, i: int, value: object) -> int | None:
    if value is None or value == 0:
        return None
    if not isinstance(value, int) or value < 1:
        raise table.error(i, "the number of roots (ND) of this EIGC is not possible", got=repr(value))
    return value
