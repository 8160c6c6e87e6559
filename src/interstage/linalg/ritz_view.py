"""Look at the Ritz values of a Lanczos run: what is found, what hides the rest, where copies may be missing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from interstage.linalg.lanczos import BlockLanczos, Ritz

# Ritz values this much smaller than the largest have lost as many digits: they wait until those are locked.
TRUST = 1e-5
HIDING = 1e-4
# Eigenvalues closer than this (relative) are one cluster.
CLUSTER = 1e-6


class View(NamedTuple):
    """Ritz values of a run: eigenvalue estimates and which of them are found.

    up : converged without a gap above the shift; down : converged below it
    following : lower bound on the first one above that is not in `up`
    crowded : as many equal values as the block has columns: there may be more of them than a run can find
    spent : all that can be had to full accuracy at this shift is converged
    """

    ritz: Ritz
    values: np.ndarray
    up: np.ndarray
    down: np.ndarray
    following: float
    crowded: bool
    spent: bool


def look(run: BlockLanczos, sigma: float, zero: float) -> View:
    """Sort the Ritz values of a run at shift σ by side and by convergence; sizes below `zero` are nothing."""
    ritz = run.ritz()
    theta = ritz.theta
    values = sigma + 1.0 / np.where(theta == 0.0, np.finfo(float).tiny, theta)
    trusted = np.abs(theta) > TRUST * np.abs(theta[0])
    good = ritz.converged & trusted
    above, down = np.flatnonzero(theta > 0.0), np.flatnonzero((theta < 0.0) & good)
    lead = len(above) if good[above].all() else int(np.argmin(good[above]))
    end = _first_crowd(values[above[:lead]], run.block, zero)
    crowded = end is not None or _first_crowd(values[down], run.block, zero) is not None
    lead = lead if end is None else end
    following = np.inf
    if lead < len(above):
        i = above[lead]
        following = sigma + 1.0 / (theta[i] + ritz.error[i]) if end is None else values[i]
    spent = bool(good[trusted].all() and not trusted.all())
    return View(ritz, values, above[:lead], down, following, crowded, spent)


def _first_crowd(values: np.ndarray, block: int, zero: float) -> int | None:
    """End of the first group of at least `block` equal values, or None."""
    if len(values) < block:
        return None
    order = np.sort(values)
    size = np.maximum(np.abs(order), zero)
    ends = np.flatnonzero(np.append(np.diff(order) > CLUSTER * size[1:], True)) + 1
    wide = np.flatnonzero(np.diff(np.concatenate([[0], ends])) >= block)
    return int(ends[wide[0]]) if len(wide) else None


def hiding_modes(ritz: Ritz) -> int:
    """Count the converged modes so much closer to the shift than the rest that they hide it.

    With θ of the rest more than 1e4 times smaller, the projected matrix holds the rest to fewer digits
    (rigid-body modes beside a shift just below zero; a mode that the shift happens to lie on).
    """
    theta = np.abs(ritz.theta)
    jump = np.flatnonzero(theta[1:] < HIDING * theta[:-1])
    if not len(jump) or not ritz.converged[: jump[0] + 1].all():
        return 0
    return int(jump[0]) + 1
