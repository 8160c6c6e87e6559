"""Tables of a deck: pairs of numbers, TABLED1 to TABLED4."""

from __future__ import annotations

import numpy as np

from interstage.fem.dynamics import Polynomial, Table, Tabulated
from interstage.fem.from_deck.context import Context
from interstage.nastran import CardTable, Deck


def number(table: CardTable, i: int, row: list, j: int, name: str, default: float | None = None) -> float:
    """Field j of a card as a number; `default` where it is blank."""
    value = row[j] if j < len(row) else None
    if value is None and default is not None:
        return default
    if not isinstance(value, int | float):
        raise table.error(i, f"{name} of this {table.name} is missing or not a number", got=repr(value))
    return float(value)


def table_points(table: CardTable, i: int, row: list) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of a table up to ENDT; SKIP leaves one out."""
    x, y = [], []
    for a, b in zip(row[::2], [*row[1::2], None]):
        if a == "ENDT" or (a is None and b is None):
            if a == "ENDT":
                break
            continue
        if "SKIP" in (a, b):
            continue
        if not isinstance(a, int | float) or not isinstance(b, int | float):
            raise table.error(i, f"{table.name} needs pairs of numbers up to ENDT", got=f"{a}, {b}")
        x.append(float(a))
        y.append(float(b))
    if not x:
        raise table.error(i, f"{table.name} has no points")
    steps = np.diff(x)
    if steps.min(initial=0.0) < 0.0 < steps.max(initial=0.0):
        at = int(np.argmax(steps * steps[np.argmax(steps != 0.0)] < 0.0))
        raise table.error(
            i, f"{table.name} does not ascend or descend throughout", got=f"{x[at]:g} and then {x[at + 1]:g}"
        )
    order = np.argsort(x, kind="stable") if steps.max(initial=0.0) > 0.0 else np.arange(len(x))[::-1]
    return np.array(x)[order], np.array(y)[order]


def endless_notes(deck: Deck) -> list[str]:
    """Sentences on tables without ENDT: Nastran refuses them."""
    out = []
    for name in ("TABLED1", "TABLED2", "TABLED3", "TABLED4", "TABDMP1", "TABRND1"):
        table = deck.cards(name)
        bad = [i for i, row in enumerate(table.rows()) if "ENDT" not in row]
        if bad:
            more = f", and {len(bad) - 1} others" if len(bad) > 1 else ""
            out.append(
                f"warning: {table.label(bad[0])} has no ENDT{more}: all that is on it counts; Nastran refuses such "
                f"tables ({table.where(bad[0])})"
            )
    return out


def read_tables(ctx: Context) -> dict[int, Table]:
    """Tables of time or frequency by id."""
    out: dict[int, Table] = {}
    for name in ("TABLED1", "TABLED2", "TABLED3", "TABLED4"):
        table = ctx.deck.cards(name)
        for i, row in enumerate(table.rows()):
            row = row + [None] * 9
            if name == "TABLED4":
                coefficients = []
                for value in row[8:]:
                    if value == "ENDT":
                        break
                    if value is not None:
                        coefficients.append(number(table, i, [value], 0, "a coefficient"))
                shift, scale, low, high = (number(table, i, row, j, f"X{j}") for j in (1, 2, 3, 4))
                out[row[0]] = Polynomial(np.array(coefficients), shift, scale, low, high)
                continue
            x, y = table_points(table, i, row[8:])
            if name == "TABLED1":
                axes = (row[1] == "LOG", row[2] == "LOG")
                if any(log and not v.min() > 0.0 for v, log in zip((x, y), axes)):
                    raise table.error(i, "a TABLED1 has numbers up to zero on an axis that is LOG")
                out[row[0]] = Tabulated(x, y, logarithmic=axes, held=row[3] == 1)
            else:
                scale = number(table, i, row, 2, "X2", 1.0) if name == "TABLED3" else 1.0
                held = row[3 if name == "TABLED3" else 2] == 1
                out[row[0]] = Tabulated(x, y, number(table, i, row, 1, "X1", 0.0), scale, held=held)
    return out
