"""First and second derivatives of functions of time that are given as black boxes, with an estimate of their error.

Central differences with steps that shrink from a quarter of a second to a hundred thousandth, extrapolated
(Richardson; Ridders 1982), are accurate for motions of millihertz and of kilohertz alike: at each time the entry of
the table with the least estimated error is taken, among those that agree with the smallest steps. Steps are no round
numbers, so that no motion is mistaken for one of a whole number of periods in a step.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

STEPS = 0.2371 * 0.5 ** np.arange(15)
EPSILON = np.finfo(float).eps

# of times (N,), values (N, n), NaN where there are none
Function = Callable[[np.ndarray], np.ndarray]


def differences(f: Function, times: np.ndarray, *orders: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return derivatives of first or second order (T, n) of f at times (T,), each with its estimated error."""
    T, K = len(times), len(STEPS)
    h = (times[:, None] + STEPS) - times[:, None]  # as they are after rounding
    asked = np.concatenate([times[:, None], times[:, None] + h, times[:, None] - h], axis=1)
    values = f(asked.ravel()).reshape(T, 2 * K + 1, -1)
    middle, ahead, behind = values[:, :1], values[:, 1 : K + 1], values[:, K + 1 :]
    size, h = np.nanmax(np.abs(values), axis=1, initial=0.0), h[:, :, None]
    out = []
    for order in orders:
        if order == 1:
            column, rounding = (ahead - behind) / (2.0 * h), EPSILON * size / STEPS[-1]
        else:
            column = (ahead - 2.0 * middle + behind) / h**2
            rounding = 4.0 * EPSILON * size / STEPS[-1] ** 2
        found = _extrapolated(column, h, rounding, order, 2)
        for side, sign in ((ahead, 1.0), (behind, -1.0)):
            # at the ends of where a function is defined there is one side only
            lost = ~np.isfinite(found[0]).all(axis=1)
            if lost.any():
                part = _one_sided(middle[lost], side[lost], sign * h[lost], order)
                edge = _extrapolated(*part, rounding[lost], order, 1)
                for mine, other in zip(found, edge):
                    mine[lost] = other
        out.append(found)
    return out


def _one_sided(
    middle: np.ndarray, side: np.ndarray, h: np.ndarray, order: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return differences towards one side (T, K, n), errors in all powers of their steps, and the steps."""
    if order == 1:
        return (side - middle) / h, np.abs(h)
    # the step before is twice as long
    return (side[:, :-1] - 2.0 * side[:, 1:] + middle) / h[:, 1:] ** 2, np.abs(h[:, 1:])


def _extrapolated(column: np.ndarray, h: np.ndarray, rounding: np.ndarray, order: int, power: int):
    """Return the best entries (T, n) of Richardson's tables (T, K, n) over steps h, and their errors.

    power : by which powers of the step the errors rise, 2 for central differences, 1 for those of one side
    """
    finest = column[:, -1]
    # where the smallest steps see the derivative
    near = (3.0 if power == 1 else 1.0) * np.abs(column[:, -1] - column[:, -2]) + 10.0 * rounding
    best, error = finest.copy(), near.copy()
    for j in range(1, 8):
        ratio = (h[:, :-j] / h[:, j:]) ** 2 if power == 2 else h[:, :-j] / h[:, j:]
        new = column[:, 1:] + (column[:, 1:] - column[:, :-1]) / (ratio - 1.0)
        noise = EPSILON * np.abs(new) + rounding[:, None] * (h[:, -1:] / h[:, j:]) ** order
        wrong = np.maximum(np.abs(new - column[:, 1:]), np.abs(new - column[:, :-1])) + noise
        wrong[~(np.abs(new - finest[:, None]) <= near[:, None])] = np.inf
        row = np.argmin(wrong, axis=1)[:, None]
        least = np.take_along_axis(wrong, row, axis=1)[:, 0]
        better = least < error
        best = np.where(better, np.take_along_axis(new, row, axis=1)[:, 0], best)
        error = np.where(better, least, error)
        column = new
    return best, error
