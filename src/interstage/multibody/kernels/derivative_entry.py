"""Door to the slopes of inverse dynamics and the inverse of the mass matrix.

What external wrenches add to slopes of inverse dynamics, and the generalized forces of unit wrenches.

A wrench that keeps to the axes of the world turns against a body that turns by δθ: f → f - δθ×f. With a mode s the
place moves along γ_s, axes of a node turn by ψ_s, and the lever of a torque on the modes, J_lᵀ, changes.

The inverse of the mass matrix, by answers of the articulated tree to unit forces: no digits are lost in long chains.

Rows and columns of joints that are not free are zero.

How the forces of closures and their accelerations change with small motions: complex steps of kinematics.

At multipliers λ and accelerations v̇ that are held, with W the wrenches of closures on their ends (world axes), rates
Ċ = J v and c = J v̇ + γ + 2α Ċ + β² C (`closure`), each at many complex states.
"""

from __future__ import annotations

from interstage.multibody.address_table import stage, tree_of, work_of
from interstage.multibody.arrays import Tree
from interstage.multibody.kernels.algebra import (
    add,
    cross,
    dot,
    inlined,
    kernel,
    plus,
    put_six,
    scale,
    six,
    times,
    turn,
    turn_back,
    unit_motion,
)
from interstage.multibody.kernels.array_access import (
    clear,
    clear_vector,
    get3,
    get9,
    high,
    low,
    put6,
    rows_times,
    solve_ldlt,
)
from interstage.multibody.kernels.articulated import inward
from interstage.multibody.kernels.closure_rows import closure_rows, put_accelerations
from interstage.multibody.kernels.inverse_dynamics import accelerations, inverse
from interstage.multibody.kernels.inverse_dynamics_derivatives import (
    ANSWER,
    CHANGE,
    at_body,
    carry_force,
    joint_slopes,
    rigid_answers,
)
from interstage.multibody.kernels.kinematics import external_wrenches, kinematics, poses
from interstage.multibody.kernels.mass_matrix import composite
from interstage.multibody.kernels.modal_derivatives import (
    MODE,
    add_matrix,
    bent_torque,
    column,
    mode_answers,
    mode_slopes,
    unit_stiffness,
)
from interstage.multibody.kernels.modal_elimination import body_inward, no_forces, spread, to_parent


@inlined
def _table(room, first, rows, width):
    """Return the numbers of `room` from one on as rows."""
    return room[first : first + rows * width].reshape(rows, width)


def room_for_slopes(tree: Tree) -> int:
    """Return how many numbers `slopes` needs as scratch."""
    bodies, _, sites, _, nv, modes = tree.sizes.tolist()
    ports, widest = len(tree.site_lam) // 3, int(tree.body_modes.max(initial=0))
    return (bodies + 1 + sites) * ANSWER + (nv + ports) * CHANGE + modes * MODE + nv + 20 * widest


@kernel
def slopes(tree, work, q, v, vdot, sites, wrenches, places, units, room, J, B):
    """Write slopes of inverse dynamics at q, v, v̇ and M⁻¹; return the status of `inward`.

    sites, wrenches : that act;  places, units : those whose units are the columns of B (nv, k)
    room : scratch of `room_for_slopes` numbers, for `slopes` and `mode_slopes`
    J (5 nv, nv), B : of zeros; the last nv rows of J are M⁻¹
    """
    clear_vector(room)
    nv, n_modes, n_ports = tree.sizes[4], tree.sizes[5], len(tree.site_lam) // 3
    bodies = _table(room, 0, tree.sizes[0] + 1, ANSWER)
    at = bodies.size
    frames = _table(room, at, tree.sizes[2], ANSWER)
    at += frames.size
    cols = _table(room, at, nv, CHANGE)
    at += cols.size
    ports = _table(room, at, n_ports, CHANGE)
    at += ports.size
    modes = _table(room, at, n_modes, MODE)
    at += modes.size
    tau, rest = room[at : at + nv], room[at + nv :]
    inverse(tree, work, q, v, vdot, sites, wrenches, tau)
    composite(tree, work)
    rigid_answers(tree, work, v, bodies, frames)
    if n_modes > 0:
        mode_answers(tree, work, q, v, vdot, bodies, frames, ports, modes, rest, J)
    if len(sites) > 0:
        load_answers(tree, work, q, sites, wrenches, bodies, modes, rest, J)
    joint_slopes(tree, work, q, v, vdot, bodies, frames, cols, ports, J)
    if n_modes > 0:
        mode_slopes(tree, work, q, bodies, frames, cols, ports, modes, J)
    if len(places) > 0:
        load_columns(tree, work, q, places, units, ports, B)
    return inverse_mass(tree, work, q, v, tau, J[4 * nv :])


@kernel
def enter_slopes(handle, q, v, vdot, sites, wrenches, places, units, room, J, B):
    """Call `slopes` on a handle."""
    tree, work = tree_of(handle), work_of(handle, q)
    return slopes(tree, work, q, v, vdot, sites, wrenches, places, units, room, J, B)


@kernel
def _stiffness_of(G, n, r, f):
    """Return Σ f_k (K_k η)_r of rows at the start of G."""
    s = f[0][0] * G[r] + f[0][1] * G[n + r] + f[0][2] * G[2 * n + r]
    return s + f[1][0] * G[3 * n + r] + f[1][1] * G[4 * n + r] + f[1][2] * G[5 * n + r]


@kernel
def _turning(tree, work, i, s, arm, f, block, modes, room, bodies):
    """Add what a wrench in world axes on body i, at site s or at `arm`, does as the body turns."""
    n, mode, lam, gam = tree.body_modes[i], tree.body_mode[i], tree.site_lam, tree.site_gam
    for k in range(3):
        axis = unit_motion(k)[0]
        df = cross(axis, f[0]), cross(axis, f[1])
        total = add(df[0], cross(arm, df[1])), df[1]
        put_six(bodies, i, 36 + 6 * k, plus(six(bodies, i, 36 + 6 * k), total))
        if s < 0:
            df = total
        else:
            at, lever = 3 * tree.site_start[s], turn_back(get9(work.site_J, s), df[0])
            for r in range(n):
                modes[mode + r, 6 + k] += dot(column(lam, at, n, r), lever) + dot(
                    column(gam, at, n, r), df[1]
                )
        if block >= 0:
            for r in range(n):
                modes[mode + r, 6 + k] -= _stiffness_of(room, n, r, df)


@kernel
def _bending(tree, work, i, s, q, f, follows, block, modes, room, J):
    """Add what a wrench at site s does as the modes of body i move the site."""
    n, mode, lam, gam = tree.body_modes[i], tree.body_mode[i], tree.site_lam, tree.site_gam
    at, first, eta = 3 * tree.site_start[s], tree.joint_v[i] + tree.joint_nv[i], tree.body_eta[i]
    JL, p = get9(work.site_J, s), get3(work.site_p, s)
    theta = rows_times(lam[at : at + 3 * n], q[eta : eta + n])
    for r in range(n):
        phi = column(lam, at, n, r)
        x = bent_torque(theta, phi, f[0])
        d = times(0.0, f)
        if follows:
            psi = turn(JL, phi)
            d = cross(psi, f[0]), cross(psi, f[1])
            x = add(x, turn_back(JL, d[0]))
        t = add(add(d[0], cross(p, d[1])), cross(column(gam, at, n, r), f[1]))
        put_six(modes, mode + r, 9, plus(six(modes, mode + r, 9), times(-1.0, (t, d[1]))))
        for k in range(n):
            s_k = dot(column(lam, at, n, k), x) + dot(column(gam, at, n, k), d[1])
            if follows and block >= 0:
                s_k -= _stiffness_of(room, n, k, d)
            J[first + k, first + r] -= s_k


@stage("xiMMMxM")
def load_answers(tree, work, q, sites, wrenches, bodies, modes, room, J):
    """Add what wrenches at sites (see `external_wrenches`) do, after `poses` and the answers of single bodies."""
    for k in range(len(sites)):
        s = sites[k]
        i = tree.site_body[s] if s >= 0 else -1 - s
        n, first = tree.body_modes[i], tree.joint_v[i] + tree.joint_nv[i]
        axes = wrenches[k, 6] if wrenches.shape[1] > 6 else 0.0
        t, h = low(wrenches, k), high(wrenches, k)
        if axes == 0.0:
            R = get9(work.Rw, i)
            t, h = turn_back(R, t), turn_back(R, h)
        elif axes == 2.0 and s >= 0:
            R = get9(work.site_R, s)
            t, h = turn(R, t), turn(R, h)
        arm, block = (0.0, 0.0, 0.0), tree.body_root[i]
        if s >= 0:
            arm, block = get3(work.site_p, s), tree.site_load[s]
        elif wrenches.shape[1] > 9:
            arm = wrenches[k, 7], wrenches[k, 8], wrenches[k, 9]
        if block >= 0:
            eta = tree.body_eta[i]
            unit_stiffness(tree, work, block, q[eta : eta + n], room, 0)
            m = t if s >= 0 else add(t, cross(arm, h))
            add_matrix(tree, work, block, (m[0], m[1], m[2], h[0], h[1], h[2]), J, first, n)
        if axes == 0.0:
            _turning(tree, work, i, s, arm, (t, h), block, modes, room, bodies)
        if s >= 0 and n > 0:
            _bending(tree, work, i, s, q, (t, h), axes == 2.0, block, modes, room, J)


@stage("xiMMM")
def load_columns(tree, work, q, sites, wrenches, ports, out):
    """Write the change of τ (nv,) with each of some wrenches at sites to the columns of `out`, after the slopes."""
    for k in range(len(sites)):
        external_wrenches(tree, work, q, sites[k : k + 1], wrenches[k : k + 1])
        s = sites[k]
        i = tree.site_body[s] if s >= 0 else -1 - s
        first, mode = tree.joint_v[i] + tree.joint_nv[i], tree.body_mode[i]
        for r in range(tree.body_modes[i]):
            out[first + r, k] -= work.mode_ext[mode + r]
        f = times(-1.0, six(work.ext, i, 0))
        at_body(tree, work, i, f, k, out, 0, True)
        carry_force(tree, work, i, f, k, ports, out, 0, True)
    clear(work.ext[: tree.sizes[0]])
    clear_vector(work.mode_ext)


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
