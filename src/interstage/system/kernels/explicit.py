"""One step of any explicit Runge-Kutta method, by its tableau.

    k_i = f(t + c_i h, y + h Σ_j<i a_ij k_j),      y' = y + h Σ b_i k_i

Where an error estimate or dense output is wanted, the slope at the end of the step is one stage more; it is taken where
closures and prescribed joints have put the end, and is the first stage of the next step.
"""

from __future__ import annotations

from collections import namedtuple

from interstage.multibody.kernels.small import kernel
from interstage.system.kernels.slope import add_slopes, finish, slope
from interstage.system.kernels.stretch import Loops

# A (s + 1, s): rows of the stages, then b;  c (s,): their times
# error (s + 1,): b - b̂, or (0,) where no estimate is wanted
# rows (s + 1,): node of each stage and of the end, in the tables of what changes with time
Tableau = namedtuple("Tableau", ["A", "c", "error", "rows"])


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
    status = finish(tree, work, acts, t + h, row + m.rows[stages], z)
    if status == 0 and len(m.error) > 0:
        status = slope(tree, work, acts, t + h, row + m.rows[stages], z, K[stages])
    return status


EXPLICIT = Loops(explicit_step)
