"""Fields of property cards that are read one by one: numbers with their place in messages."""

from __future__ import annotations

from collections.abc import Sequence

from interstage.nastran import CardTable


def number_at(table: CardTable, i: int, row: list, at: int, default: float | None = None) -> float:
    """Number at index `at` of a row; a blank is the default, or an error without one."""
    value = row[at] if at < len(row) else None
    if value is None and default is not None:
        return default
    if not isinstance(value, int | float):
        place = f"field {at % 8 + 2}" + (f" of continuation {at // 8}" if at >= 8 else "")
        raise table.error(
            i, f"{table.name} needs a number in {place}", got="blank" if value is None else value
        )
    return float(value)


def numbers_at(
    table: CardTable, i: int, row: list, first: int, count: int, default: Sequence[float] | None = None
) -> list[float]:
    """Numbers from index `first` of a row on; blanks are those of `default`, or an error without one."""
    return [
        number_at(table, i, row, first + k, None if default is None else default[k]) for k in range(count)
    ]


def field_at(row: list, at: int) -> int | float | str | None:
    """Value at index `at` of a row, None beyond its end."""
    return row[at] if at < len(row) else None
