"""The inverse of the mass matrix, by answers of the articulated tree to unit forces: no digits are lost in long chains.

Rows and columns of joints that are not free are zero.
"""

from __future__ import annotations

from interstage.multibody.handle import stage
from interstage.multibody.kernels.articulated import inward
from interstage.multibody.kernels.outward import spread
from interstage.multibody.kernels.responses import body_inward, no_forces, to_parent
from interstage.multibody.kernels.rows import clear, clear_vector, solve_ldlt
from interstage.multibody.kernels.small import add, kernel, scale


@kernel
def _push_hinge(tree, work, i, a):
    """Put a unit force on velocity a of the joint of body i."""
    x, U = work.u[i], work.U
    x[a] = 1.0
    nv = tree.joint_nv[i]
    if nv == 1:
        x[0] = work.L[i, 0, 0]
    else:
        solve_ldlt(work.L[i], nv, x)
    t, f = scale(0.0, (U[i, 0], U[i, 1], U[i, 2])), scale(0.0, (U[i, 3], U[i, 4], U[i, 5]))
    for b in range(nv):
        k = 6 * b
        t = add(t, scale(x[b], (U[i, k], U[i, k + 1], U[i, k + 2])))
        f = add(f, scale(x[b], (U[i, k + 3], U[i, k + 4], U[i, k + 5])))
    to_parent(tree, work, i, t, f)


@stage("xxxM", "int64")
def inverse_mass(tree, work, q, v, tau, out):
    """Write M⁻¹ (nv, nv) after `body_terms`; return the status of `inward`. tau (nv,) is scratch."""
    clear_vector(tau)
    clear(out)
    status = inward(tree, work, q, v, tau)
    if status != 0:
        return status
    for i in range(tree.sizes[0]):
        iv, nv = tree.joint_v[i], tree.joint_nv[i]
        free = nv if work.joint_mode[i] == 0 else 0
        for k in range(nv + tree.body_modes[i]):
            if free <= k < nv:
                continue
            no_forces(tree, work)
            if k < nv:
                _push_hinge(tree, work, i, k)
            else:
                work.mode_beta[tree.body_mode[i] + k - nv] = 1.0
                body_inward(tree, work, i)
            j = tree.body_parent[i]
            while j >= 0:
                body_inward(tree, work, j)
                j = tree.body_parent[j]
            spread(tree, work, out[iv + k], False)
    return 0
