"""W-methods, each by its coefficients; their step is `kernels.wmethod`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interstage.system.kernels.flights import WMETHOD
from interstage.system.kernels.wmethod import Coefficients
from interstage.system.methods.base import Compiled


@dataclass(frozen=True, eq=False)
class WMethod(Compiled):
    """A W-method by its coefficients.

    gamma : γ of the diagonal;  alpha, gammas : rows of the stages, strictly lower;  b : (s,) weights
    b_embedded : (s,) weights of the error estimate
    """

    gamma: float = 0.0
    alpha: tuple[tuple[float, ...], ...] = ()
    gammas: tuple[tuple[float, ...], ...] = ()
    b: tuple[float, ...] = ()
    b_embedded: tuple[float, ...] | None = None

    implicit = True
    flights = WMETHOD

    @property
    def c(self) -> np.ndarray:
        """Times of the stages (s,), in steps."""
        return np.array([sum(row) for row in self.alpha])

    def data(self, estimate: bool) -> Coefficients:
        """Return what the step kernel reads, with the weights of the error estimate where that is wanted."""
        s = len(self.b)
        alpha, gamma = np.zeros((s + 1, s)), self.gamma * np.eye(s)
        for i, row in enumerate((*self.alpha, self.b)):
            alpha[i, : len(row)] = row
        for i, row in enumerate(self.gammas):
            gamma[i, : len(row)] += row
        error = np.array(self.b) - np.array(self.b_embedded) if estimate else np.zeros(0)
        return Coefficients(alpha, gamma, error, self.c)

    @property
    def slopes(self) -> int:
        """Slopes that a step leaves: those of the stages."""
        return len(self.b)
