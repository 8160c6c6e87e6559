"""Find the physical lines of the bulk data that hold data, with their format and first and tenth fields."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interstage.nastran.source import Text

FREE_COLUMNS = 10  # free field shows by a comma in the first ten columns (Quick Reference Guide)
BLANK8 = np.uint64(0x2020202020202020)
_KEEP = np.array([(1 << (8 * n)) - 1 for n in range(9)], np.uint64)  # mask of the first n bytes
_FILL = BLANK8 & ~_KEEP
_PLUS, _STAR, _COMMA, _DOLLAR = 43, 42, 44, 36


@dataclass
class Lines:
    """Bulk lines that hold data (no comments, no blank lines)."""

    number: np.ndarray  # line of the buffer
    start: np.ndarray
    end: np.ndarray
    free: np.ndarray
    head: np.ndarray  # first field, as eight bytes in a uint64
    tail: np.ndarray  # field 10, likewise
    large: np.ndarray
    more: np.ndarray  # is a continuation
    commas: np.ndarray  # positions of the commas of the free lines
    comma_start: np.ndarray  # (n + 1,) first comma of each line


def eight(words: np.ndarray, at: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Eight bytes from each position, those past `length` blank, as uint64."""
    picked = words[at].view(np.uint64)
    length = np.clip(length, 0, 8)
    return (picked & _KEEP[length]) | _FILL[length]


def pack(raw: bytes) -> int:
    return int.from_bytes(raw[:8].ljust(8), "little")


def find_lines(
    text: Text, bytes_: np.ndarray, words: np.ndarray, first_line: int, numbers: np.ndarray | None = None
) -> Lines:
    """Find the lines with data, their format and their first and tenth fields.

    `numbers` are the lines of the buffer where the lines come from, if they do not simply follow `first_line`.
    """
    end = np.flatnonzero(bytes_ == 10)
    newline = end.copy()
    start = np.concatenate(([0], end[:-1] + 1)) if len(end) else np.zeros(0, np.int64)
    dollars = np.flatnonzero(bytes_ == _DOLLAR)
    end[np.searchsorted(newline, dollars)[::-1]] = dollars[::-1]  # the first one of a line is written last

    commas = np.flatnonzero(bytes_ == _COMMA)
    comma_line = np.repeat(np.arange(len(end)), np.diff(np.searchsorted(commas, newline), prepend=0))
    commas = commas[: len(comma_line)]
    live = commas < end[comma_line]
    commas, comma_line = commas[live], comma_line[live]
    comma_start = np.searchsorted(comma_line, np.arange(len(end) + 1))
    free = comma_start[1:] > comma_start[:-1]
    first = np.zeros(len(end), np.int64)
    first[free] = commas[comma_start[:-1][free]]
    # a comma further behind is text: equations, labels
    free &= first - start < FREE_COLUMNS
    head_end = np.where(free, first, end)

    head = eight(words, start, head_end - start)
    blank_head = (head == BLANK8) & ~free
    keep = end > start
    suspects = np.flatnonzero(blank_head & keep)
    if len(suspects):
        pairs = np.stack((start[suspects], end[suspects]), axis=1).ravel()
        keep[suspects] = np.logical_or.reduceat(bytes_ != 32, pairs)[::2]
    odd = np.flatnonzero(
        keep & (((head & np.uint64(255)) == 32) & (head != BLANK8) | free & (first - start > 8))
    )
    for k in odd:
        raw = bytes_[start[k] : min(head_end[k], start[k] + (80 if free[k] else 8))].tobytes().strip()
        if len(raw) > 8:
            number = first_line + int(k) if numbers is None else int(numbers[k])
            raise text.error(number, "the card's name is longer than eight characters")
        head[k] = pack(raw)

    pick = np.flatnonzero(keep)
    counts = np.where(free, comma_start[1:] - comma_start[:-1], 0)[pick]
    commas = commas[free[comma_line]]
    lines = Lines(
        number=pick + first_line if numbers is None else numbers[pick],
        start=start[pick],
        end=end[pick],
        free=free[pick],
        head=head[pick],
        tail=np.full(len(pick), BLANK8),
        large=(head[pick].view(np.uint8).reshape(-1, 8) == _STAR).any(axis=1),
        more=np.zeros(len(pick), bool),
        commas=commas,
        comma_start=np.concatenate(([0], np.cumsum(counts))),
    )
    lead = lines.head & np.uint64(255)
    lines.more = (lines.head == BLANK8) | (lead == _PLUS) | (lead == _STAR)
    long = np.flatnonzero(~lines.free & (lines.end - lines.start > 72))
    lines.tail[long] = eight(words, lines.start[long] + 72, lines.end[long] - lines.start[long] - 72)
    return lines
