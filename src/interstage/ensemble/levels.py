"""Levels that outputs stay below, with what that is worth: quantiles and their distribution-free bounds.

The number of n independent runs below the p-quantile is binomial, so the k-th smallest output X(k) is above the
quantile with probability P(B(n, p) <= k - 1), whatever the distribution of the output. X(k) with the smallest k that
reaches the confidence is a bound; where not even the largest run does, there is none, and more runs are needed:
n >= ln(1 - c) / ln(p) for an upper one.

Source: David, Nagaraja, Order Statistics, 3rd ed., 7.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from interstage.errors import InputError, shown


@dataclass(frozen=True)
class Level:
    """A level: `percent` of all runs are below `value`; the true level is in low to high at the confidence.

    low, high : infinite where so few runs say nothing;  runs : that count
    left_out : runs that failed or have no number, of which nothing is said
    """

    name: str
    percent: float
    value: float
    low: float
    high: float
    confidence: float
    runs: int
    left_out: int = 0

    @property
    def runs_needed(self) -> int:
        """Runs that both bounds need at least."""
        p, tail = self.percent / 100.0, 0.5 * (1.0 - self.confidence)
        return math.ceil(math.log(tail) / math.log(max(p, 1.0 - p)))

    def __str__(self) -> str:
        text = f"{self.name}: {self.percent:g} % of runs are below {self.value:.6g}"
        low = f"{self.low:.6g}" if math.isfinite(self.low) else "no bound"
        high = f"{self.high:.6g}" if math.isfinite(self.high) else "no bound"
        text += f" ({low} to {high} at {100 * self.confidence:g} % confidence, {self.runs} runs"
        text += f", {self.left_out} without a number left out" if self.left_out else ""
        return text + (f"; both bounds need {self.runs_needed})" if "no bound" in (low, high) else ")")


def level(name: str, values: np.ndarray, percent: float, confidence: float, left_out: int = 0) -> Level:
    """Return the level that `percent` of outputs (n,) are below; infinite ones count."""
    from scipy.stats import binom

    for what, given, most in (("percent", percent, 100.0), ("confidence", confidence, 1.0)):
        if not isinstance(given, int | float) or not 0.0 < given < most:
            raise InputError(f"{what} is out of range", expected=f"above 0, below {most:g}", got=shown(given))
    n, p = len(values), percent / 100.0
    order = np.sort(values)
    below = binom.cdf(np.arange(n), n, p)  # chance that X(k + 1) is above the quantile
    tail = 0.5 * (1.0 - confidence)
    lows, highs = np.flatnonzero(below <= tail), np.flatnonzero(below >= 1.0 - tail)
    return Level(
        name,
        percent,
        float(np.quantile(order, p)) if np.isfinite(order).all() else float(order[min(int(p * n), n - 1)]),
        float(order[lows[-1]]) if len(lows) else -math.inf,
        float(order[highs[0]]) if len(highs) else math.inf,
        confidence,
        n,
        left_out,
    )
