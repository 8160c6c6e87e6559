"""Statistics of studies: quantiles with distribution-free bounds, Sobol indices.

Levels that outputs stay below, with what that is worth: quantiles and their distribution-free bounds.

The number of n independent runs below the p-quantile is binomial, so the k-th smallest output X(k) is above the
quantile with probability P(B(n, p) <= k - 1), whatever the distribution of the output. X(k) with the smallest k that
reaches the confidence is a bound; where not even the largest run does, there is none, and more runs are needed:
n >= ln(1 - c) / ln(p) for an upper one.

Source: David, Nagaraja, Order Statistics, 3rd ed., 7.1.

What an output depends on: Sobol's indices where the design allows them, rank correlations otherwise.

With f_A, f_B, f_k the outputs of the N points A, B, and A with column k of B, and V the variance of (f_A, f_B):

    first order   S_k = 1/N Σ f_B (f_k - f_A) / V        share of the variance by quantity k alone
    total         T_k = 1/2N Σ (f_A - f_k)² / V          with all that it does together with others

outputs centred first, which the estimators are not indifferent to. Their standard errors are those of the means over
the N points.

Sources: Saltelli et al., Comput. Phys. Commun. 181 (2010) 259; Jansen, ibid. 117 (1999) 35.
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


@dataclass(frozen=True)
class Sensitivity:
    """Shares by quantity; `first` and `total` are Sobol's indices with standard errors, or None.

    rank : Spearman's correlation of output and quantity over all runs, in -1 to 1
    """

    output: str
    names: tuple[str, ...]
    rank: np.ndarray
    first: np.ndarray | None = None
    total: np.ndarray | None = None
    first_error: np.ndarray | None = None
    total_error: np.ndarray | None = None

    def __str__(self) -> str:
        wide = max(map(len, self.names), default=8)
        head = f"{'sensitivity of ' + self.output:{wide}s}"
        wide = len(head)
        if self.first is None or self.total is None:
            lines = [f"{head}  rank correlation"]
            order = np.argsort(-np.abs(self.rank))
            lines += [f"{self.names[k]:{wide}s}  {self.rank[k]:+16.3f}" for k in order]
            return "\n".join(lines)
        assert self.first_error is not None and self.total_error is not None
        lines = [f"{head}  first order      total            rank correlation"]
        for k in np.argsort(-self.total):
            lines.append(
                f"{self.names[k]:{wide}s}  {self.first[k]:6.3f} ± {self.first_error[k]:5.3f}"
                f"   {self.total[k]:6.3f} ± {self.total_error[k]:5.3f}   {self.rank[k]:+6.3f}"
            )
        return "\n".join(lines)


def sobol(y: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return first-order and total indices and their standard errors from outputs of a "saltelli" design."""
    blocks = y.reshape(width + 2, -1)
    usable = np.isfinite(blocks).all(axis=0)
    blocks = blocks[:, usable]
    blocks = blocks - blocks[:2].mean()
    a, b, mixed = blocks[0], blocks[1], blocks[2:]
    variance = blocks[:2].var()
    n = max(len(a), 1)
    if variance == 0.0 or len(a) < 2:
        nothing = np.full(width, np.nan if len(a) < 2 else 0.0)
        return nothing, nothing, nothing, nothing
    first = b * (mixed - a) / variance
    total = 0.5 * (a - mixed) ** 2 / variance
    errors = [terms.std(axis=1, ddof=1) / np.sqrt(n) for terms in (first, total)]
    return first.mean(axis=1), total.mean(axis=1), errors[0], errors[1]


def rank_correlations(y: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return Spearman's correlation of outputs (n,) with each column (n, d)."""
    from scipy.stats import rankdata

    usable = np.isfinite(y)
    ranks = rankdata(y[usable])
    found = []
    for column in columns[usable].T:
        other = rankdata(column)
        spread = ranks.std() * other.std() if len(ranks) else 0.0
        joint = np.mean((ranks - ranks.mean()) * (other - other.mean())) if spread else np.nan
        # what does not change depends on nothing; of one run nothing can be said
        found.append(joint / spread if spread else 0.0 if len(ranks) > 1 else np.nan)
    return np.array(found)
