"""Linearly implicit (Rosenbrock-W) methods by their coefficients.

W-methods, each by its coefficients; their step is `kernels.wmethod`.

A linearly implicit method of order 2 with two stages, as a W-method.

J. G. Verwer, E. J. Spee, J. G. Blom and W. Hundsdorfer, SIAM J. Sci. Comput. 20 (1999) 1456.

A linearly implicit method of order 3 with four stages and an estimate of order 2, as a W-method.

It holds the eight order conditions of W-methods of order 3 and the ninth that a stage-wise A asks for (`wmethod`),
and is stiffly accurate, b_i = α_4i + γ_4i: L-stable with γ = 0.23, for which modes that the steps follow lose little:
|R(iy)| = 1 - 7e-5 at y = ωh = 1/2, where γ = 0.4359 of the methods with a vanishing fourth pole (ROS34PW2 of
J. Rang and L. Angermann, BIT 45 (2005) 761) has 1 - 1e-3. Coefficients found by minimizing the conditions of order 4;
they hold the nine to rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from interstage.simulation.run.integrators.base import CompiledMethod
from interstage.simulation.run.integrators.integration_loop import WMETHOD
from interstage.simulation.run.integrators.step_kernels import Coefficients


@dataclass(frozen=True, eq=False)
class WMethod(CompiledMethod):
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


GAMMA = 1.0 - math.sqrt(0.5)

ROS2 = WMethod(
    "ros2",
    order=2,
    turn=0.05,
    gamma=GAMMA,
    alpha=((), (1.0,)),
    gammas=((), (-2.0 * GAMMA,)),
    b=(0.5, 0.5),
)


_ALPHA4 = (-0.98513482457281511039, 0.89231444782477959079, 1.0928203767480355196)
_GAMMA4 = (1.0492841827055218419, -0.58858122977199494772, -0.69070295293352689415)

ROS3 = WMethod(
    "ros3",
    order=3,
    embedded=2,
    turn=0.1,
    gamma=0.23,
    alpha=((), (0.3925525946813588083,), (0.42649011157005944571, -0.051553020477960804544), _ALPHA4),
    gammas=((), (0.80393015564440194795,), (-1.0331123620185918262, -0.014542547503262623189), _GAMMA4),
    b=(*(a + g for a, g in zip(_ALPHA4, _GAMMA4)), 0.23),
    b_embedded=(0.03461951437221382, 0.3285728619913817, 0.42522080476249124, 0.21158681887391348),
)
