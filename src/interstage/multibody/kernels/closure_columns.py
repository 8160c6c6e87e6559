"""How the forces of closures and their accelerations change with small motions: complex steps of kinematics.

At multipliers λ and accelerations v̇ that are held, with W the wrenches of closures on their ends (world axes), rates
Ċ = J v and c = J v̇ + γ + 2α Ċ + β² C (`closure`), each at many complex states.
"""

from __future__ import annotations

from interstage.multibody.handle import tree_of, work_of
from interstage.multibody.kernels.closure_rows import closure_rows, put_accelerations
from interstage.multibody.kernels.inverse import accelerations
from interstage.multibody.kernels.kinematics import kinematics, poses
from interstage.multibody.kernels.slots import get3, put6
from interstage.multibody.kernels.small import add, cross, kernel, scale


@kernel
def _wrenches(tree, work, f, out):
    """Write the wrench on the second end of each closure, then on the first, to rows of out (2 closures, 6)."""
    o = work.V[-1, 0]
    for c in range(len(tree.closure_site)):
        n, u = (o, o, o), (o, o, o)
        for k in range(tree.closure_row[c], tree.closure_row[c + 1]):
            n = add(n, scale(f[k], get3(work.closure_n, k)))
            u = add(u, scale(f[k], get3(work.closure_u, k)))
        put6(out, 2 * c, n, u)
        n = add(n, cross(get3(work.closure_r, c), u))
        put6(out, 2 * c + 1, scale(-1.0, n), scale(-1.0, u))


@kernel
def closure_columns(tree, work, Q, V, vdot, f, W, rate, c):
    """Write wrenches W (m, 2 closures, 6), rates and accelerations c (m, rows) of closures at m states Q, V."""
    damp, pull = work.closure_option[1], work.closure_option[2]
    for j in range(len(Q)):
        kinematics(tree, work, Q[j], V[j])
        accelerations(tree, work, vdot)
        poses(tree, work)
        closure_rows(tree, work, Q[j], V[j])
        put_accelerations(tree, work, vdot, True, c[j])
        for k in range(len(f)):
            rate[j, k] = work.closure_rate[k]
            c[j, k] += work.closure_b[k] + damp * work.closure_rate[k] + pull * work.closure_C[k]
        _wrenches(tree, work, f, W[j])


@kernel
def enter_closure_columns(handle, Q, V, vdot, f, W, rate, c):
    """Call `closure_columns` on a handle."""
    closure_columns(tree_of(handle), work_of(handle, vdot), Q, V, vdot, f, W, rate, c)
