"""Explicit Runge-Kutta methods, each by its tableau; their step is `kernels.explicit`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interstage.system.kernels.explicit import Tableau
from interstage.system.kernels.flights import EXPLICIT
from interstage.system.methods.base import Compiled


@dataclass(frozen=True, eq=False)
class Explicit(Compiled):
    """An explicit method by its tableau.

    A : rows (s, s) of the stages, strictly lower;  b : (s,) weights
    b_embedded : (s + 1,) weights of the estimate, the last that of the slope at the end
    dense : (s + 1, d), y(t + uh) = y + h Σ_i k_i Σ_j dense[i, j] u^(j+1)
    """

    A: tuple[tuple[float, ...], ...] = ()
    b: tuple[float, ...] = ()
    b_embedded: tuple[float, ...] | None = None
    dense: tuple[tuple[float, ...], ...] | None = None

    flights = EXPLICIT

    @property
    def c(self) -> np.ndarray:
        """Times of the stages (s,), in steps."""
        return np.array([sum(row) for row in self.A])

    def data(self, estimate: bool) -> Tableau:
        """Return what the step kernel reads, with the weights of the error estimate where that is wanted."""
        s = len(self.b)
        A = np.zeros((s + 1, s))
        for i, row in enumerate((*self.A, self.b)):
            A[i, : len(row)] = row
        error = np.zeros(0)
        if estimate:
            error = np.append(self.b, 0.0) - np.array(self.b_embedded)
        return Tableau(A, self.c, error)

    @property
    def slopes(self) -> int:
        """Slopes that a step leaves: those of the stages, and that of the end."""
        return len(self.b) + 1

    def polynomial(self) -> np.ndarray | None:
        """Return `dense` as an array (s + 1, d)."""
        return None if self.dense is None else np.array(self.dense)
