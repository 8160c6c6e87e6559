"""Forward dynamics with closed loops, and with geometric stiffness under the forces of closures.

As in `settling`, with modal forces h = Σ f_k K_k η under forces across joints and of closures: each pass is

    v̇ -= M⁻¹h,      (J M⁻¹Jᵀ) δλ = J M⁻¹h,      v̇ += M⁻¹Jᵀ δλ

and the next h that of the forces across joints under h and under δλ, and of δλ where it acts.
"""

from __future__ import annotations

from interstage.multibody.handle import stage
from interstage.multibody.kernels.articulated import forward, forward_from_here
from interstage.multibody.kernels.closure import add_responses, constrain, load_site, multipliers
from interstage.multibody.kernels.closure_rows import put_accelerations
from interstage.multibody.kernels.responses import no_forces
from interstage.multibody.kernels.settling import (
    PASSES,
    SETTLED,
    gather,
    share_of,
    take_inward,
    take_modal,
)
from interstage.multibody.kernels.slots import get3, get9
from interstage.multibody.kernels.small import add, cross, kernel, scale, turn_back
from interstage.multibody.kernels.stiffening import NOT_SETTLED, add_stiffness


@kernel
def _load_end(tree, work, s, t, f, q):
    """Put a wrench (world axes) at site s into the forces of a pass, and its Σ f_k K_k η into mode_h."""
    load_site(tree, work, s, t, f)
    i = tree.site_body[s]
    if tree.site_load[s] >= 0:
        R, n, mode, eta = get9(work.Rw, i), tree.body_modes[i], tree.body_mode[i], tree.body_eta[i]
        t, f = turn_back(R, t), turn_back(R, f)
        h = work.mode_h[mode : mode + n]
        add_stiffness(
            tree, work, tree.site_load[s], (t[0], t[1], t[2], f[0], f[1], f[2]), q[eta : eta + n], h
        )


@kernel
def _under_closures(tree, work, q):
    """Add Σ f_k K_k η of the multipliers closure_f, and of the forces across joints under them, to mode_h."""
    no_forces(tree, work)
    o = work.V[-1, 0]
    for c in range(len(tree.closure_site)):
        t, f = (o, o, o), (o, o, o)
        for k in range(tree.closure_row[c], tree.closure_row[c + 1]):
            size = work.closure_f[k]
            t = add(t, scale(size, get3(work.closure_n, k)))
            f = add(f, scale(size, get3(work.closure_u, k)))
        a, b = tree.closure_site[c, 0], tree.closure_site[c, 1]
        if b >= 0:
            _load_end(tree, work, b, t, f, q)
        if a >= 0:
            t = add(t, cross(get3(work.closure_r, c), f))
            _load_end(tree, work, a, scale(-1.0, t), scale(-1.0, f), q)
    take_inward(tree, work)
    gather(tree, work, q)


@stage("xx", "int64")
def settle_closed(tree, work, q, vdot):
    """Add to accelerations what geometric stiffness makes of the forces across joints and of closures.

    After `constrain`, with those of the open tree in mode_h; multipliers in closure_f become those of the whole.
    """
    _under_closures(tree, work, q)
    total, right = work.closure_g, work.closure_e
    for k in range(len(total)):
        total[k] = work.closure_f[k]
    status = NOT_SETTLED
    for _ in range(PASSES):
        if share_of(tree, work, False) <= SETTLED:
            status = 0
            break
        no_forces(tree, work)
        take_modal(tree, work)
        take_inward(tree, work)
        put_accelerations(tree, work, work.stiff_v, False, right)
        for k in range(len(vdot)):
            vdot[k] += work.stiff_v[k]
        gather(tree, work, q)
        multipliers(tree, work, right)
        add_responses(tree, work, vdot)
        for k in range(len(total)):
            total[k] += work.closure_f[k]
        _under_closures(tree, work, q)
    for k in range(len(total)):
        work.closure_f[k] = total[k]
    return status


@kernel
def _close(tree, work, q, v, vdot, status):
    """Change the accelerations of the open tree, if it has any, to those of the closed system; return the status."""
    if status != 0 or len(tree.closure_site) == 0:
        return status
    status = constrain(tree, work, q, v, vdot)
    if len(work.mode_G) > 0 and status == 0:
        status = settle_closed(tree, work, q, vdot)
    return status


@kernel
def closed_forward(tree, work, q, v, tau, sites, wrenches, vdot):
    """Write v̇ as `forward` does, with the forces of closures; return its status, or that of `constrain`."""
    return _close(tree, work, q, v, vdot, forward(tree, work, q, v, tau, sites, wrenches, vdot))


@kernel
def closed_forward_from_here(tree, work, q, v, tau, sites, wrenches, vdot):
    """Do `closed_forward` where kinematics (and with sites, poses) of q and v stand in the scratch."""
    open_status = forward_from_here(tree, work, q, v, tau, sites, wrenches, vdot)
    return _close(tree, work, q, v, vdot, open_status)
