"""Explicit Runge-Kutta methods by their tableaus.

Explicit Runge-Kutta methods, each by its tableau; their step is `kernels.explicit`.

The classical method of Runge and Kutta; it needs h below 2.8/ω_max of the fastest mode.

Dormand and Prince's method of order 5 with an estimate of order 4 and dense output of order 4.

J. R. Dormand and P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19; dense output: Hairer, Nørsett and Wanner I, II.6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interstage.simulation.run.integrators.base import CompiledMethod
from interstage.simulation.run.integrators.integration_loop import EXPLICIT
from interstage.simulation.run.integrators.step_kernels import Tableau


@dataclass(frozen=True, eq=False)
class Explicit(CompiledMethod):
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


RK4 = Explicit(
    "rk4",
    order=4,
    turn=0.2,
    A=((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)),
    b=(1 / 6, 1 / 3, 1 / 3, 1 / 6),
)


DOPRI5 = Explicit(
    "dopri5",
    order=5,
    embedded=4,
    turn=0.4,
    A=(
        (),
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    ),
    b=(35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    b_embedded=(5179 / 57600, 0.0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40),
    dense=(
        (1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432),
        (0.0, 0.0, 0.0, 0.0),
        (0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799),
        (0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072),
        (0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632),
        (0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844),
        (0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423),
    ),
)
