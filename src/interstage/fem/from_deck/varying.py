"""Springs and dampers of a deck that change with frequency: PBUSHT, PELAST, PDAMPT."""

from __future__ import annotations

from interstage.fem.dynamics import Table
from interstage.fem.from_deck.context import Context
from interstage.nastran import CardTable

USERS = {"PELAST": ("CELAS1", "CELAS3"), "PDAMPT": ("CDAMP1", "CDAMP3")}
FIELDS = {"PELAST": ("K", "GE"), "PDAMPT": ("B",)}


def read_varying(
    ctx: Context, tables: dict[int, Table]
) -> dict[str, dict[int, dict[tuple[str, int], Table]]]:
    """Tables of frequency by card of the element, element, and ("K" | "B" | "GE", component)."""
    out: dict[str, dict[int, dict[tuple[str, int], Table]]] = {}
    for name, users in USERS.items():
        table = ctx.deck.cards(name)
        for i, row in enumerate(table.rows()):
            found = {
                (key, 0): _table(table, i, tables, tid)
                for key, tid in zip(FIELDS[name], row[1:])
                if tid not in (None, 0)
            }
            for user in users:
                _give(ctx, out, user, row[0], found)
    table = ctx.deck.cards("PBUSHT")
    for i, row in enumerate(table.rows()):
        _give(ctx, out, "CBUSH", row[0], _bush(table, i, row, tables))
    return out


def _bush(table: CardTable, i: int, row: list, tables: dict[int, Table]) -> dict[tuple[str, int], Table]:
    """Lines of a keyword and six tables; tables of force over stroke (KN) belong to nonlinear solutions."""
    found: dict[tuple[str, int], Table] = {}
    for first in range(1, len(row), 8):
        key, values = row[first], (row[first + 1 : first + 7] + [None] * 6)[:6]
        behind = row[first + 7] if len(row) > first + 7 else None  # the second field of the next line
        if behind is not None or (
            key not in ("K", "B", "GE", "KN") and any(v is not None for v in [key, *values])
        ):
            raise table.error(
                i,
                "PBUSHT has a line without a keyword in its third field",
                expected="K, B, GE or KN and six tables",
                got=str(key if behind is None else behind),
                hint="leave the second field of continuation lines blank",
            )
        if key in (None, "KN"):
            continue
        if key == "GE" and not any(values[1:]):  # as on PBUSH the first holds for all six
            values = [values[0]] * 6
        for c, tid in enumerate(values):
            if tid not in (None, 0):
                found[key, c] = _table(table, i, tables, tid)
    return found


def _table(table: CardTable, i: int, tables: dict[int, Table], tid: object) -> Table:
    if not isinstance(tid, int) or tid not in tables:
        raise table.error(i, f"{table.name} refers to table {tid}, which is not among TABLED1 to TABLED4")
    return tables[tid]


def _give(ctx: Context, out: dict, user: str, pid: object, found: dict) -> None:
    """Give tables to the elements of a property."""
    if not found:
        return
    cards = ctx.deck.cards(user)
    for e in range(len(cards)):
        row = cards.row(e)
        if (row[1] if len(row) > 1 and row[1] is not None else row[0]) == pid:
            out.setdefault(user, {})[row[0]] = found
