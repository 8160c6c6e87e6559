"""The motion between the rows of an adaptive run: one curve a step."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from interstage.system.between import Between

Curve = Callable[[float], np.ndarray]


@dataclass
class Dense:
    """Curves y(t) = [q; v; …] of the steps of a phase, each from the time at which it begins."""

    begins: list[float] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.curves)

    def add(self, t: float, curve: Curve) -> None:
        """Take the curve of a step that begins at t; from there on it stands for what others said."""
        self.begins.append(t)
        self.curves.append(curve)

    def __call__(self, t: float) -> np.ndarray:
        return self.curves[max(0, bisect_right(self.begins, t) - 1)](t)


@dataclass
class Polynomial:
    """The motion inside a step of h from y at t: y + h Σ_i k_i Σ_j D[i, j] u^(j+1), u the part of the step."""

    t: float
    h: float
    y: np.ndarray
    coefficients: np.ndarray

    def __call__(self, t: float) -> np.ndarray:
        u = (t - self.t) / self.h
        return self.y + self.h * (u ** np.arange(1, len(self.coefficients) + 1) @ self.coefficients)


@dataclass
class Cubic:
    """The motion inside a step by `Between`."""

    t: float
    between: Between

    def __call__(self, t: float) -> np.ndarray:
        x = self.between(t - self.t)
        return np.concatenate([x.q, x.v])
