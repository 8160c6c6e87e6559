"""What modes are wanted: a frequency range, a number, a normalization."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EigenRequest:
    """Modes between `low` and `high` in Hz (None: open), at most `count` of them from below; `norm` mass or max.

    nearest : frequency in Hz to which the `count` modes lie nearest, in place of a range
    """

    low: float | None = None
    high: float | None = None
    count: int | None = 10
    norm: str = "mass"
    nearest: float | None = None

    def __str__(self) -> str:
        if self.nearest is not None:
            return f"{self.count} nearest to {self.nearest:g} Hz"
        ends = [f"{end:g} Hz" if end is not None else "open" for end in (self.low, self.high)]
        return f"{'all' if self.count is None else self.count} from {ends[0]} to {ends[1]}"
