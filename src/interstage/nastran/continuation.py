"""Put continuation lines behind their parents, whatever their order in the deck.

A continuation without an identifier (blank, `+`, `*`) belongs to the line before it. One with an identifier
(`+ID`, `*ID`) belongs to the line whose field 10 asks for it, as a rule again the line before.
"""

from __future__ import annotations

import numpy as np

from interstage.nastran.physical import BLANK8, Lines, pack
from interstage.nastran.source import Text

_SHIFT, _TOP = np.uint64(8), np.uint64(32 << 56)


def chain(text: Text, lines: Lines) -> np.ndarray:
    """Order of the lines in which every continuation follows its parent (n,)."""
    order = np.arange(len(lines.number))
    if len(order) and lines.more[0]:
        raise text.error(int(lines.number[0]), "a continuation line comes before any card")
    mark = (lines.head >> _SHIFT) | _TOP  # without the leading + or *
    want = (lines.tail >> _SHIFT) | _TOP
    stray = lines.more & (mark != BLANK8)
    stray[1:] &= (mark[1:] != want[:-1]) & (mark[1:] != lines.tail[:-1])
    if not stray.any():
        return order
    return _OutOfSequence(text, lines, mark, want).order(np.flatnonzero(stray).tolist())


class _OutOfSequence:
    """Continuations that do not follow the line that asks for them."""

    def __init__(self, text: Text, lines: Lines, mark: np.ndarray, want: np.ndarray):
        self.text, self.lines, self.mark, self.want = text, lines, mark, want
        self.asked: dict[int, list[int]] = {}
        for k in np.flatnonzero(lines.tail != BLANK8).tolist():
            keys = {_plain(int(want[k])), _plain(int(lines.tail[k]))} - {int(BLANK8)}
            for key in keys:
                if not self._served(k):
                    self.asked.setdefault(key, []).append(k)

    def _served(self, k: int) -> bool:
        """Has line k the continuation it asks for right behind it?"""
        if k + 1 >= len(self.mark) or not self.lines.more[k + 1]:
            return False
        return bool(self.mark[k + 1] in (self.want[k], self.lines.tail[k], BLANK8))

    def order(self, stray: list[int]) -> np.ndarray:
        """Order of all lines with the stray ones moved behind those that ask for them."""
        follower = self._followers(stray)
        moved = set(follower.values())
        heads = np.flatnonzero(~self.lines.more).tolist()
        runs = sorted([*heads, *moved])
        stop = dict(zip(runs, [*runs[1:], len(self.mark)]))
        end_of = {stop[run] - 1: run for run in runs}  # a run takes the stray run asked for by its last line
        for parent, child in follower.items():
            if parent not in end_of:
                raise self._error(child, "two continuations claim the same place behind one line")
        out: list[int] = []
        for head in heads:
            run: int | None = head
            while run is not None:
                out.extend(range(run, stop[run]))
                run = follower.get(stop[run] - 1)
        if len(out) != len(self.mark):
            seen = np.zeros(len(self.mark), bool)
            seen[out] = True
            raise self._error(int(np.argmin(seen)), "continuation lines refer to each other in a circle")
        return np.array(out)

    def _followers(self, stray: list[int]) -> dict[int, int]:
        """Stray lines by the line that asks for them; those nobody asks for stay in place, if they may."""
        follower: dict[int, int] = {}
        orphans = []
        for k in stray:
            parents = self.asked.get(_plain(int(self.mark[k])), [])
            if len(parents) > 1:
                raise self._error(
                    k, "several cards ask for this continuation", "use unique identifiers in field 10"
                )
            if not parents:
                if self.lines.tail[k - 1] != BLANK8:
                    raise self._error(
                        k,
                        "no card asks for this continuation",
                        "field 10 of the line before and field 1 of the continuation must agree",
                    )
                orphans.append(int(self.lines.number[k]))
            elif parents[0] in follower:
                raise self._error(k, "two continuations have the same identifier", "use unique identifiers")
            else:
                follower[parents[0]] = k
        if orphans:
            self.text.note(
                orphans, "no card asks for this continuation: it is taken for one of the line before"
            )
        return follower

    def _error(self, k: int, what: str, hint: str | None = None):
        return self.text.error(int(self.lines.number[k]), what, hint=hint)


def _plain(code: int) -> int:
    """The identifier with blanks in front removed."""
    return pack(code.to_bytes(8, "little").strip())
