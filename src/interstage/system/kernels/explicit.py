"""One step of any explicit Runge-Kutta method, by its tableau.

    k_i = f(t + c_i h, y + h Σ_j<i a_ij k_j),      y' = y + h Σ b_i k_i

Where an error estimate or dense output is wanted, the slope at the end of the step is one stage more; it is taken where
closures and prescribed joints have put the end, and is the first stage of the next step.

Stages at the ends of a step look just inside of it (`stage_time`): of what jumps there they see the side of the step.
"""

from __future__ import annotations

from collections import namedtuple

from interstage.multibody.kernels.small import kernel
from interstage.system.kernels.slope import add_slopes, finish, slope, stage_time

# A (s + 1, s): rows of the stages, then b;  c (s,): their times
# error (s + 1,): b - b̂, or (0,) where no estimate is wanted
Tableau = namedtuple("Tableau", ["A", "c", "error"])


@kernel
def explicit_step(tree, work, m, loop, t, y, h, s, known):
    """Write the end of a step of h from y at t into s.z, and the slopes into s.K. Return the status.

    known : K[0] is there already
    """
    K, z, n, stages = s.K, s.z, len(y), m.A.shape[1]
    for i in range(stages + 1):
        for k in range(n):
            z[k] = y[k]
        add_slopes(K, m.A[i], i, h, z)
        when = stage_time(t, h, 1.0)
        if i == stages:
            status = finish(tree, work, loop, when, z)
            if status != 0 or len(m.error) == 0:
                return status
        elif i == 0 and known:
            continue
        else:
            when = stage_time(t, h, m.c[i])
        status = slope(tree, work, loop, when, z, K[i])
        if status != 0:
            return status
    return 0
