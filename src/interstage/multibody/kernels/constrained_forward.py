"""Forward dynamics with closed loops, and with geometric stiffness under the forces of closures.

As in `settling`, with modal forces h = Σ f_k K_k η under forces across joints and of closures: each pass is

    v̇ -= M⁻¹h,      (J M⁻¹Jᵀ) δλ = J M⁻¹h,      v̇ += M⁻¹Jᵀ δλ

and the next h that of the forces across joints under h and under δλ, and of δλ where it acts. Where that would not
settle in as many passes as there are forces f and multipliers λ, these are found at once, as there: with R what the
tree and its closures make of unit f and λ, column by column, (1 - R) [f; λ] = [f; λ]⁰.
"""

from __future__ import annotations

from interstage.multibody.address_table import stage
from interstage.multibody.kernels.algebra import add, cross, kernel, scale, turn_back
from interstage.multibody.kernels.array_access import clear_vector, get3, get9, solve_general
from interstage.multibody.kernels.articulated import forward, forward_from_here
from interstage.multibody.kernels.closure_forces import add_responses, constrain, load_site, multipliers
from interstage.multibody.kernels.closure_rows import put_accelerations
from interstage.multibody.kernels.geometric_iteration import (
    PASSES,
    SETTLED,
    carried_forces,
    count_forces,
    gather,
    list_forces,
    load_modes,
    share_of,
    take_inward,
    take_modal,
)
from interstage.multibody.kernels.geometric_stiffness import NOT_SETTLED, add_stiffness
from interstage.multibody.kernels.modal_elimination import no_forces


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
def _load_closures(tree, work, q):
    """Put the multipliers closure_f on the ends of closures, and their Σ f_k K_k η into mode_h."""
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


@kernel
def _under_closures(tree, work, q):
    """Add Σ f_k K_k η of the multipliers closure_f, and of the forces across joints under them, to mode_h."""
    _load_closures(tree, work, q)
    take_inward(tree, work)
    gather(tree, work, q)


@kernel
def _answer(tree, work):
    """Write the answer of the open tree to modal forces mode_h into stiff_v, and the multipliers that it needs."""
    no_forces(tree, work)
    take_modal(tree, work)
    take_inward(tree, work)
    put_accelerations(tree, work, work.stiff_v, False, work.closure_e)


@kernel
def _load_all(tree, work, q, x, count):
    """Write Σ f_k K_k η of listed forces and multipliers x to mode_h."""
    load_modes(tree, work, x)
    for k in range(len(work.closure_f)):
        work.closure_f[k] = x[count + k]
    _load_closures(tree, work, q)


@kernel
def _add(x, y, count):
    for k in range(count):
        x[k] += y[k]


@kernel
def _settle_at_once(tree, work, q, vdot, count):
    """Add the answer to the forces and multipliers in settle_f, and to all that they make; return a status.

    count : of the forces across joints; multipliers come behind them
    """
    m = count + len(work.closure_f)
    R, u, x, y = work.settle_R, work.settle_f[:m], work.settle_f[m : 2 * m], work.settle_f[2 * m : 3 * m]
    for k in range(m):
        clear_vector(x)
        x[k] = 1.0
        _load_all(tree, work, q, x, count)
        _answer(tree, work)
        carried_forces(tree, work, x)
        multipliers(tree, work, work.closure_e)
        _load_closures(tree, work, q)
        take_inward(tree, work)
        carried_forces(tree, work, y)
        _add(x, y, count)
        for j in range(count, m):
            x[j] = work.closure_f[j - count]
        for j in range(m):
            R[j, k] = -x[j]
        R[k, k] += 1.0
    if not solve_general(R, m, u):
        return NOT_SETTLED
    _load_all(tree, work, q, u, count)
    _answer(tree, work)
    for k in range(len(vdot)):
        vdot[k] += work.stiff_v[k]
    multipliers(tree, work, work.closure_e)
    add_responses(tree, work, vdot)
    _add(work.closure_g, work.closure_f, len(work.closure_f))
    return 0


@stage("xx", "int64")
def settle_closed(tree, work, q, vdot):
    """Add to accelerations what geometric stiffness makes of the forces across joints and of closures.

    After `constrain`, with those of the open tree in mode_h; multipliers in closure_f become those of the whole.
    """
    total, rows = work.closure_g, len(work.closure_f)
    for k in range(rows):
        total[k] = work.closure_f[k]
    count = count_forces(tree, work)
    m = count + rows
    m = m if m <= len(work.settle_R) else 0
    f, x = work.settle_f[:count], work.settle_f[m : m + count]
    _under_closures(tree, work, q)
    if m > 0:
        list_forces(tree, work, x)
        _add(f, x, count)
    before, status = share_of(tree, work, False, True), NOT_SETTLED
    for _ in range(PASSES):
        if before <= SETTLED:
            status = 0
            break
        _answer(tree, work)
        for k in range(len(vdot)):
            vdot[k] += work.stiff_v[k]
        gather(tree, work, q)
        if m > 0:
            list_forces(tree, work, f)
        multipliers(tree, work, work.closure_e)
        add_responses(tree, work, vdot)
        _add(total, work.closure_f, rows)
        _under_closures(tree, work, q)
        if m > 0:
            list_forces(tree, work, x)
            _add(f, x, count)
        share = share_of(tree, work, False, False)
        if m > 0 and share > SETTLED and share * (share / before) ** m > SETTLED:
            for k in range(rows):
                work.settle_f[count + k] = work.closure_f[k]
            status = _settle_at_once(tree, work, q, vdot, count)
            break
        before = share
    for k in range(rows):
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
