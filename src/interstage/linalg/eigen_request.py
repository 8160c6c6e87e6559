"""What modes are wanted: a frequency range, a number, a normalization."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EigenRequest:
    """Modes between `low` and `high` in Hz (None: open), at most `count` of them from below; `norm` mass or max."""

    low: float | None = None
    high: float | None = None
    count: int | None = 10
    norm: str = "mass"

    def __str__(self) -> str:
        ends = [f"{end:g} Hz" if end is not None else "open" for end in (self.low, self.high)]
        return f"{'all' if self.count is None else self.count} from {ends[0]} to {ends[1]}"
