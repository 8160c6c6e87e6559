"""Eigenvalue requests of a deck: EIGRL and EIGR."""

from __future__ import annotations

from dataclasses import replace

from interstage.fem.from_deck.context import Context
from interstage.linalg.eigen_request import EigenRequest
from interstage.nastran import CardTable

# these methods of EIGR find all eigenvalues and ND vectors; the others search the range for ND modes
_TRIDIAGONAL = ("GIV", "MGIV", "HOU", "MHOU", "AGIV", "AHOU")


def read_eigen_requests(ctx: Context) -> dict[int, EigenRequest]:
    """Return requests by set id."""
    out: dict[int, EigenRequest] = {}
    table = ctx.deck.cards("EIGRL")
    for i in range(len(table)):
        row = _row(table, i, 8)
        _add(out, table, i, _request(ctx, table, i, low=row[1], high=row[2], count=row[3], norm=row[7]))
    table = ctx.deck.cards("EIGR")
    for i in range(len(table)):
        row = _row(table, i, 12)
        if row[1] == "FEER":  # F1 is the center of what is looked for, F2 an accuracy
            request = _request(ctx, table, i, low=row[2], high=None, count=row[5], norm=row[8])
            _add(out, table, i, replace(request, low=None, nearest=request.low or 0.0))
            continue
        request = _request(ctx, table, i, low=row[2], high=row[3], count=row[5], norm=row[8])
        if isinstance(row[1], str) and row[1] in _TRIDIAGONAL and row[5]:
            request = EigenRequest(low=None, high=None, count=request.count, norm=request.norm)
        _add(out, table, i, request)
    return out


def read_buckling_requests(ctx: Context) -> dict[int, EigenRequest]:
    """Return the EIGB requests by set id: load factors L1 to L2, NDP of them."""
    out: dict[int, EigenRequest] = {}
    table = ctx.deck.cards("EIGB")
    for i in range(len(table)):
        row = _row(table, i, 8)
        _add(out, table, i, _request(ctx, table, i, low=row[2], high=row[3], count=row[5], norm=None))
    return out


def _row(table: CardTable, i: int, n: int) -> list:
    row = table.row(i)
    return row + [None] * (n - len(row))


def _add(out: dict, table: CardTable, i: int, request: EigenRequest) -> None:
    sid = int(table.integer(1)[i])
    if sid in out:
        raise table.error(i, f"eigenvalue request {sid} is defined twice")
    out[sid] = request


def _request(ctx: Context, table: CardTable, i: int, low, high, count, norm) -> EigenRequest:
    for name, value, kind in (
        ("lower", low, (int, float)),
        ("upper", high, (int, float)),
        ("ND", count, int),
    ):
        if value is not None and not isinstance(value, kind):
            raise table.error(i, f"the {name} field of {table.name} is not a number", got=repr(value))
    if low is not None and high is not None and high <= low:
        raise table.error(
            i, "the frequency range is empty", expected="V1 < V2", got=f"{low:g} and {high:g} Hz"
        )
    if count is not None and count < 0:
        raise table.error(i, "the number of modes is negative", got=str(count))
    if norm not in (None, "MASS", "MAX"):
        # the frequencies are the same, so that it is no reason to refuse the deck
        ctx.notes.append(
            f"{table.label(i)}: normalization {norm} is not supported, modes are scaled to unit mass"
        )
    if not count and high is None:
        count = 1
    return EigenRequest(
        low=None if low is None else float(low),
        high=None if high is None else float(high),
        count=count or None,
        norm="max" if norm == "MAX" else "mass",
    )
