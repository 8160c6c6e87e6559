"""Expand identification number lists: `1, 2, 5 THRU 20 BY 3 EXCEPT 11`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError

MAX_IDS = 20_000_000

Item = int | float | str | None
Error = Callable[..., Exception]


@named_arguments
def expand_ids(
    values: Sequence[Item], error: Error, limit: int = MAX_IDS, within: np.ndarray | None = None
) -> np.ndarray:
    """Expand a list with THRU, BY and EXCEPT into integers, in the order written.

    Parameters
    ----------
    values : fields of a card (`CardTable.row`), blanks are skipped
    error : makes the error from a sentence, e.g. `functools.partial(table.error, i)`
    limit : most numbers that a list may have
    within : numbers that exist; ranges then give only these (single numbers are kept in any case)

    >>> expand_ids([1, 5, "THRU", 20, "BY", 5, "EXCEPT", 15], ValueError).tolist()
    [1, 5, 10, 20]
    """
    items = [v for v in values if v is not None]
    known = None if within is None else np.unique(_integers(within))
    parts: list[np.ndarray] = []
    total, k = 0, 0
    while k < len(items):
        if k + 1 < len(items) and items[k + 1] in ("THRU", "TO"):
            part, k = _range(items, k, error, limit - total, known)
        else:
            part, k = np.array([_number(items[k], error)], np.int64), k + 1
        parts.append(part)
        total += len(part)
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _integers(within: np.ndarray) -> np.ndarray:
    """Return the numbers that exist as integers; anything else is a sentence."""
    found = np.asarray(within)
    if found.size and found.dtype.kind not in "iu":
        raise InputError("the numbers that exist must be integers", where="within", got=repr(within))
    return found.astype(np.int64)


def _number(value: Item, error: Error) -> int:
    if not isinstance(value, int):
        raise error("the list holds something that is not an integer", got=repr(value))
    return value


def _after(items: list, k: int, word: str, error: Error) -> int:
    """The number behind a key word."""
    if k >= len(items):
        raise error(f"{word} has no number behind it")
    return _number(items[k], error)


def _range(items: list, k: int, error: Error, limit: int, known: np.ndarray | None) -> tuple[np.ndarray, int]:
    """Expand `first THRU last [BY step] [EXCEPT ...]` that starts at item k."""
    first, last = _number(items[k], error), _after(items, k + 2, "THRU", error)
    step, k = 1, k + 3
    if k < len(items) and items[k] == "BY":
        step, k = _after(items, k + 1, "BY", error), k + 2
    if step < 1:
        raise error("BY needs a positive number", got=str(step))
    if last < first:
        raise error("THRU runs backwards", got=f"{first} THRU {last}")
    if known is None:
        count = (last - first) // step + 1
        if count > limit:
            raise error("the list of numbers is too long", got=f"{first} THRU {last}")
        part = np.arange(first, last + 1, step, dtype=np.int64)
        if (last - first) % step:
            part = np.append(part, last)  # the last number belongs to the list even off the step
    else:
        part = known[np.searchsorted(known, first) : np.searchsorted(known, last, side="right")]
        part = part[((part - first) % step == 0) | (part == last)]
    if k < len(items) and items[k] == "EXCEPT":
        part, k = _without(items, k + 1, part, last, error)
    return part, k


def _without(items: list, k: int, part: np.ndarray, last: int, error: Error) -> tuple[np.ndarray, int]:
    """Drop the numbers behind EXCEPT, single or THRU, as long as they lie in the range."""
    while k < len(items) and isinstance(items[k], int) and items[k] <= last:
        low = high = items[k]
        if k + 1 < len(items) and items[k + 1] == "THRU":
            high, k = _after(items, k + 2, "THRU", error), k + 2
        part = part[(part < low) | (part > high)]
        k += 1
    return part, k
