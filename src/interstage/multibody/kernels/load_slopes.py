"""What external wrenches add to slopes of inverse dynamics, and the generalized forces of unit wrenches.

A wrench that keeps to the axes of the world turns against a body that turns by δθ: f → f - δθ×f. With a mode s the
place moves along γ_s, axes of a node turn by ψ_s, and the lever of a torque on the modes, J_lᵀ, changes.
"""

from __future__ import annotations

from interstage.multibody.handle import stage
from interstage.multibody.kernels.kinematics import external_wrenches
from interstage.multibody.kernels.mode_slopes import add_matrix, unit_stiffness
from interstage.multibody.kernels.port_slopes import bent_torque, column
from interstage.multibody.kernels.rows import clear, clear_vector, rows_times
from interstage.multibody.kernels.slopes import at_body, carry_force
from interstage.multibody.kernels.slots import get3, get9, high, low
from interstage.multibody.kernels.small import add, cross, dot, kernel, turn, turn_back
from interstage.multibody.kernels.spatial import plus, put_six, six, times, unit_motion


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
