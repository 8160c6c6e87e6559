"""Explicit Runge-Kutta methods: a tableau, and one step kernel for all of them.

    k_i = f(t + c_i h, y + h Σ_j<i a_ij k_j),      y' = y + h Σ b_i k_i

Where a method estimates its error or is asked for dense output, the slope at the end of the step is one stage more;
it is taken where closures and prescribed joints have put the end, and is the first stage of the next step.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from interstage.multibody.kernels.small import kernel
from interstage.system.methods.base import Compiled, family, rows_of
from interstage.system.methods.slope import add_slopes, finish, slope

# A (s + 1, s): rows of the stages, then b;  c (s,): their times
# error (s + 1,): b - b̂, or (0,) where no estimate is wanted
# rows (s + 1,): node of each stage and of the end, in the tables of what changes with time
Tableau = namedtuple("Tableau", ["A", "c", "error", "rows"])


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
        return Tableau(A, self.c, error, rows_of(self.c))

    @property
    def slopes(self) -> int:
        """Slopes that a step leaves: those of the stages, and that of the end."""
        return len(self.b) + 1

    def polynomial(self) -> np.ndarray | None:
        """Return `dense` as an array (s + 1, d)."""
        return None if self.dense is None else np.array(self.dense)


@family(Tableau)
@kernel
def explicit_step(tree, work, m, acts, t, row, y, h, s, known):
    """Write the end of a step of h from y at t into s.z, and the slopes into s.K. Return the status.

    row : of the tables, where the step begins;  known : K[0] is there already
    """
    K, z, n, stages = s.K, s.z, len(y), m.A.shape[1]
    for i in range(stages + 1):
        for k in range(n):
            z[k] = y[k]
        add_slopes(K, m.A[i], i, h, z)
        if i < stages and not (i == 0 and known):
            status = slope(tree, work, acts, t + m.c[i] * h, row + m.rows[i], z, K[i])
            if status != 0:
                return status
    status = finish(tree, work, acts, row + m.rows[stages], z)
    if status == 0 and len(m.error) > 0:
        status = slope(tree, work, acts, t + h, row + m.rows[stages], z, K[stages])
    return status
