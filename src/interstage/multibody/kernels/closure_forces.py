"""Loop closures: cut the loop, find the forces that hold it, bring a state back to where it is closed.

With J the rows of all rates Ċ (`closure_rows`) and γ the velocity terms of C̈,

    (J M⁻¹ Jᵀ) λ = -(J v̇_free + γ + 2α Ċ + β² C),     v̇ = v̇_free + M⁻¹Jᵀ λ

M is not formed: after one inward pass of `articulated`, M⁻¹Jᵀ of a row takes the wrench of the row inwards along
its two paths only, and one outward pass. Positions are brought back by q ⊖ M⁻¹Jᵀ(J M⁻¹Jᵀ)⁻¹C until C vanishes,
velocities by the same with Ċ. (Jain 2011, ch. 11; Featherstone 2008, ch. 8.)

Branches of the tree on the ground do not feel each other but through closures: a row's response lives on the branches
of its two ends, and J M⁻¹Jᵀ has entries where two closures share a branch. It is factored within its envelope, row by
row from the first entry on (`row_first`), so that chains of local loops cost as much as they are long.

Rows that depend on others, or cannot move (`stillness`), make J M⁻¹Jᵀ singular; kernels then return FIRST_ROW - row,
and do not regularise.

Which rows of closures cannot move: their answers beside the rounding of what they are made of.

With ε = Hᵀz of the wrench that a unit multiplier sends in through the joints of its two paths, and D = HᵀPH there,

    J M⁻¹Jᵀ = Σ εᵀD⁻¹ε,      ε = h·(n + ℓ×u) + h'·u,      ℓ from the joint to the place of the wrench

for joint axes [h; h'] (modes: ε = λ·(n + ℓ×u) + γ·u at the node, D their mass). A row that cannot move has ε = 0, which
is computed as a difference of parts of the sizes |h||n|, |h||ℓ||u| and |h'||u|. The free response φ is the sum with
these sizes for ε, what the row would answer with if nothing cancelled; n = 0 and |u| = 1 for travel, |n| = 1 and u = 0
for turns. An answer below REST² φ has its ε below REST of its parts. Rounding makes ε of a few units of 1e-16 (some
more in long chains), and a projection leaves places within 1e-11 of where they should be: REST = 1e-10 stays clear of
both, and rows above it have six digits. φ has the units of the answer, and light joints count in both: neither units
nor ratios of mass matter.
"""

from __future__ import annotations

import numpy as np

from interstage.multibody.address_table import stage
from interstage.multibody.kernels.algebra import add, cross, dot, kernel, scale, sub, turn, turn_back
from interstage.multibody.kernels.array_access import (
    add6,
    add_rows,
    clear,
    clear_vector,
    get3,
    get9,
    square_of_rows,
)
from interstage.multibody.kernels.articulated import inward
from interstage.multibody.kernels.body_inertia import body_terms
from interstage.multibody.kernels.closure_rows import (
    ALONG,
    SCREW_ROW,
    closure_rows,
    put_accelerations,
    put_closure,
)
from interstage.multibody.kernels.joints import REVOLUTE, normalize, rates, turn_velocities
from interstage.multibody.kernels.kinematics import jacobian, kinematics, poses
from interstage.multibody.kernels.modal_elimination import body_inward, no_forces_on, spread_body

FIRST_ROW = -10  # status FIRST_ROW - k: row k depends on the rows before it
NOT_CLOSED = -2  # status: the projection did not reach its tolerance
GRAIN = 1e-15  # rounding of places, beside the coordinates that they are differences of
AIM = 0.01  # error in units of the tolerance at which projections rest: rounding, which singular positions magnify
RANK = 1e-10  # least pivot of the scaled J M⁻¹Jᵀ of independent rows


@kernel
def _body_of(tree, s):
    """Return the body of a site, -1 (the ground) below zero."""
    if s < 0:
        return -1
    return tree.site_body[s]


@kernel
def load_site(tree, work, s, t, f):
    """Put a wrench (world axes) at site s into the force of its body and the modal forces."""
    i = tree.site_body[s]
    R = get9(work.Rw, i)
    t, f = turn_back(R, t), turn_back(R, f)
    total = add(t, cross(get3(work.site_p, s), f))
    add6(work.z, i, scale(-1.0, total), scale(-1.0, f))
    n, at, mode = tree.body_modes[i], 3 * tree.site_start[s], tree.body_mode[i]
    if n > 0:
        t = turn_back(get9(work.site_J, s), t)
        add_rows(work.mode_beta[mode : mode + n], tree.site_lam[at : at + 3 * n], t)
        add_rows(work.mode_beta[mode : mode + n], tree.site_gam[at : at + 3 * n], f)


@kernel
def _branches(tree, c):
    """Return the branches of both ends of closure c, -1 for the ground, and for the second where both are on one."""
    i, j = _body_of(tree, tree.closure_site[c, 0]), _body_of(tree, tree.closure_site[c, 1])
    a = tree.body_branch[i] if i >= 0 else -1
    b = tree.body_branch[j] if j >= 0 else -1
    return a, b if b != a else -1


@kernel
def _unload(tree, work, branch):
    """Clear forces on the bodies of a branch."""
    for k in range(tree.branch_start[branch], tree.branch_start[branch + 1]):
        no_forces_on(tree, work, tree.branch_body[k])


@kernel
def _stop(tree, work, branch):
    """Clear accelerations of the bodies of a branch."""
    for k in range(tree.branch_start[branch], tree.branch_start[branch + 1]):
        for j in range(6):
            work.A[tree.branch_body[k], j] = 0.0


@kernel
def _unit_response(tree, work, c, k, out):
    """Write M⁻¹Jᵀ of row k of closure c, after `inward`: on the branches of its ends, the others do not feel it."""
    one, two = _branches(tree, c)
    for branch in (one, two):
        if branch >= 0:
            _unload(tree, work, branch)
    n, u = get3(work.closure_n, k), get3(work.closure_u, k)
    a, b = tree.closure_site[c, 0], tree.closure_site[c, 1]
    if b >= 0:
        load_site(tree, work, b, n, u)
    if a >= 0:
        n = add(n, cross(get3(work.closure_r, c), u))
        load_site(tree, work, a, scale(-1.0, n), scale(-1.0, u))
    i, j = _body_of(tree, a), _body_of(tree, b)
    # the two paths to the root, merged: a child has a higher number than its parent
    while i >= 0 or j >= 0:
        last = max(i, j)
        body_inward(tree, work, last)
        if i == last:
            i = tree.body_parent[last]
        if j == last:
            j = tree.body_parent[last]
    for branch in (one, two):
        if branch >= 0:
            for at in range(tree.branch_start[branch], tree.branch_start[branch + 1]):
                spread_body(tree, work, tree.branch_body[at], out, False)


@stage("")
def closure_inertia(tree, work):
    """Write M⁻¹Jᵀ (rows of closure_X), J M⁻¹Jᵀ (closure_L), closure_rest, after `inward` and `closure_rows`.

    The accelerations in the scratch are lost. What couples no branch is zero, and is not touched.
    """
    X, L, keep = work.closure_X, work.closure_L, work.row_keep
    clear(work.A[: tree.sizes[0]])
    for c in range(len(tree.closure_site)):
        one, two = _branches(tree, c)
        least_answers(tree, work, c)
        for k in range(tree.closure_row[c], tree.closure_row[c + 1]):
            if keep[k] != 0:
                _unit_response(tree, work, c, k, X[k])
            for j in range(tree.near_start[c], tree.near_start[c + 1]):
                near = tree.near_closure[j]
                if keep[k] != 0:
                    put_closure(tree, work, near, X[k], False, L[k])
                for r in range(tree.closure_row[near], tree.closure_row[near + 1]):
                    if keep[k] == 0 or keep[r] == 0:
                        L[k, r] = 0.0
        for branch in (one, two):
            if branch >= 0:
                _stop(tree, work, branch)
    for k in range(len(tree.row_kind)):
        for j in range(tree.row_first[k], k):
            L[k, j] = L[j, k]


@kernel
def _factor(tree, work):
    """Factor the scaled J M⁻¹Jᵀ in place (unit L, D); return 0 or the status of the first dependent row."""
    L, s, m = work.closure_L, work.closure_s, len(tree.row_kind)
    for k in range(m):
        if work.row_keep[k] == 0:
            L[k, k] = 1.0
        elif not L[k, k].real > work.closure_rest[k].real:
            return FIRST_ROW - k
        s[k] = 1.0 / np.sqrt(L[k, k].real)
    for i in range(m):
        first = tree.row_first[i]
        for j in range(first, i + 1):
            total = L[i, j] * s[i] * s[j]
            for k in range(max(first, tree.row_first[j]), j):
                total -= L[i, k] * L[j, k] * L[k, k]
            L[i, j] = total / L[j, j] if j < i else total
        if not L[i, i].real > RANK:
            return FIRST_ROW - i
    return 0


@kernel
def _solve(tree, L, x):
    """Solve L D Lᵀ x = x in place, with L of `_factor`."""
    m = len(x)
    for i in range(m):
        for k in range(tree.row_first[i], i):
            x[i] -= L[i, k] * x[k]
    for i in range(m):
        x[i] /= L[i, i]
    for i in range(m - 1, -1, -1):
        for k in range(tree.row_first[i], i):
            x[k] -= L[i, k] * x[i]


@kernel
def multipliers(tree, work, right):
    """Write λ (closure_f) of (J M⁻¹Jᵀ) λ = -right; zero for rows that are left out."""
    x, s = work.closure_f, work.closure_s
    for k in range(len(x)):
        x[k] = -right[k] * s[k] if work.row_keep[k] != 0 else 0.0 * s[k]
    _solve(tree, work.closure_L, x)
    for k in range(len(x)):
        x[k] *= s[k]


@kernel
def add_responses(tree, work, out):
    """Add M⁻¹Jᵀλ to a vector as long as v."""
    for c in range(len(tree.closure_site)):
        for branch in _branches(tree, c):
            if branch < 0:
                continue
            for at in range(tree.branch_start[branch], tree.branch_start[branch + 1]):
                i = tree.branch_body[at]
                first = tree.joint_v[i]
                end = first + tree.joint_nv[i] + tree.body_modes[i]
                for k in range(tree.closure_row[c], tree.closure_row[c + 1]):
                    if work.row_keep[k] != 0:
                        f = work.closure_f[k]
                        for j in range(first, end):
                            out[j] += f * work.closure_X[k, j]


@stage("xxx", "int64")
def constrain(tree, work, q, v, vdot):
    """Change free accelerations (of `forward`, its scratch as it left it) to those of the closed system."""
    poses(tree, work)
    closure_rows(tree, work, q, v)
    e = work.closure_e
    put_accelerations(tree, work, vdot, True, e)
    damp, pull = work.closure_option[1], work.closure_option[2]
    for k in range(len(e)):
        e[k] += work.closure_b[k] + damp * work.closure_rate[k] + pull * work.closure_C[k]
    closure_inertia(tree, work)
    status = _factor(tree, work)
    if status != 0:
        return status
    multipliers(tree, work, e)
    add_responses(tree, work, vdot)
    return 0


@kernel
def move(tree, q, step, rate):
    """Move q along a small motion `step` (nv,), quaternions kept at unit length; `rate` (nq,) is scratch."""
    rates(tree, q, step, rate)
    for k in range(len(q)):
        q[k] += rate[k]
    normalize(tree, q)


@kernel
def _look(tree, work, q, v):
    """Write the rows at a state; return the largest error of those kept, in units of their tolerances."""
    kinematics(tree, work, q, v)
    poses(tree, work)
    closure_rows(tree, work, q, v)
    worst = 0.0
    for c in range(len(tree.closure_site)):
        grain = GRAIN * work.closure_size[c].real
        for k in range(tree.closure_row[c], tree.closure_row[c + 1]):
            if work.row_keep[k] != 0:
                along = tree.row_kind[k] == ALONG or tree.row_kind[k] == SCREW_ROW
                tolerance = tree.row_tolerance[k] + (grain if along else 0.0)
                worst = max(worst, abs(work.closure_C[k].real) / tolerance)
    return worst


@stage("xx", "int64")
def closure_response(tree, work, q, v):
    """Write closure_X and closure_L at a state; return the status of `inward`."""
    kinematics(tree, work, q, v)
    poses(tree, work)
    closure_rows(tree, work, q, v)
    body_terms(tree, work, q, v)
    clear_vector(work.closure_v)
    status = inward(tree, work, q, v, work.closure_v)
    if status == 0:
        closure_inertia(tree, work)
    return status


@stage("xx", "int64")
def project(tree, work, q, v):
    """Bring q and v back to the closures in the metric of M (and of `work.shift`); return the status.

    One factorization serves several corrections: it changes little over a step's drift. They go on to the rounding of
    places: at a distance δ from a position where loops could branch, an error ε of the closures is one of ε/δ across
    the motion and of ε v²/δ² in its accelerations. Free bodies that are turned keep their velocities in the world: in
    their own axes these would turn with them, by more the faster all of them fly.
    """
    worst = _look(tree, work, q, v)
    for _ in range(6):
        status = closure_response(tree, work, q, v)
        if status == 0:
            status = _factor(tree, work)
        if status != 0:
            return status
        before = np.inf
        for _ in range(6):
            if worst <= AIM or not worst < 0.5 * before:
                break
            multipliers(tree, work, work.closure_C)
            clear_vector(work.closure_v)
            add_responses(tree, work, work.closure_v)
            turn_velocities(tree, work, q, v, 1.0)
            move(tree, q, work.closure_v, work.closure_q)
            turn_velocities(tree, work, q, v, -1.0)
            before = worst
            worst = _look(tree, work, q, v)
        if worst <= 100.0:
            break
    if not worst <= 100.0:
        return NOT_CLOSED
    for _ in range(2):
        multipliers(tree, work, work.closure_rate)
        add_responses(tree, work, v)
        kinematics(tree, work, q, v)
        closure_rows(tree, work, q, v)
    return 0


@stage("xxM")
def closure_jacobian(tree, work, q, v, J):
    """Write J (m, nv) of all rows with Ċ = J v."""
    kinematics(tree, work, q, v)
    poses(tree, work)
    closure_rows(tree, work, q, v)
    clear(J)
    part, nv = work.closure_J, J.shape[1]
    for c in range(len(tree.closure_site)):
        r = get3(work.closure_r, c)
        for side in range(2):
            s = tree.closure_site[c, side]
            if s < 0:
                continue
            jacobian(tree, work, tree.site_body[s], s, part)
            for k in range(tree.closure_row[c], tree.closure_row[c + 1]):
                n, u = get3(work.closure_n, k), get3(work.closure_u, k)
                sign = 1.0
                if side == 0:
                    n, sign = add(n, cross(r, u)), -1.0
                for j in range(nv):
                    total = n[0] * part[0, j] + n[1] * part[1, j] + n[2] * part[2, j]
                    total += u[0] * part[3, j] + u[1] * part[4, j] + u[2] * part[5, j]
                    J[k, j] += sign * total


@kernel
def look(tree, work, q, v):
    """Write the rows at a state; return the largest error of those kept, in units of their tolerances."""
    return _look(tree, work, q, v)


REST = 1e-10  # share of its parts below which the motion of a row along a joint is none


@kernel
def _wide_hinge(tree, work, i, spin, slide):
    """Return Σ ε²/D of the joint of body i, ε² = spin |h|² + slide |h'|² for each of its axes."""
    H, L, x, total = work.H, work.L, work.u[i], 0.0
    for a in range(tree.joint_nv[i]):
        size = 0.0
        for k in range(6 * a, 6 * a + 3):
            size += spin * H[i, k].real * H[i, k].real + slide * H[i, k + 3].real * H[i, k + 3].real
        # sizes of L⁻¹ε, squared: parts are not let cancel
        for b in range(a):
            size += L[i, a, b].real * L[i, a, b].real * x[b].real
        x[a] = size
        total += size / L[i, a, a].real
    return total


@kernel
def _hinge(tree, work, i, reach):
    """Return φ of the joint of body i under a unit torque, and under a unit force at ℓ² = reach."""
    if work.joint_mode[i] != 0:
        return 0.0, 0.0
    if tree.joint_kind[i] == REVOLUTE:
        inverse = work.L[i, 0, 0].real
        return inverse, reach * inverse
    if tree.joint_nv[i] == 1:
        H, inverse = work.H, work.L[i, 0, 0].real
        h, g = (H[i, 0].real, H[i, 1].real, H[i, 2].real), (H[i, 3].real, H[i, 4].real, H[i, 5].real)
        spin = dot(h, h) * inverse
        return spin, reach * spin + dot(g, g) * inverse
    return _wide_hinge(tree, work, i, 1.0, 0.0), _wide_hinge(tree, work, i, reach, 1.0)


@kernel
def _node(tree, work, i, s, reach):
    """Return φ of the modes of body i at its site s under a unit torque, and under a unit force at ℓ² = reach."""
    if s < tree.sizes[1]:  # a port has its compliance at hand
        begin = tree.body_ports[i]
        step = 6 * (tree.body_ports[i + 1] - begin) + 1
        W, k = work.W0, 36 * tree.body_block[i] + 6 * (s - begin) * step
        spin = (W[k] + W[k + step] + W[k + 2 * step]).real
        return spin, reach * spin + (W[k + 3 * step] + W[k + 4 * step] + W[k + 5 * step]).real
    n, at, mode = tree.body_modes[i], 3 * tree.site_start[s], tree.body_mode[i]
    d = work.mode_d[mode : mode + n]
    spin = square_of_rows(tree.site_lam[at : at + 3 * n], d).real
    return spin, reach * spin + square_of_rows(tree.site_gam[at : at + 3 * n], d).real


@kernel
def _path(tree, work, s):
    """Return φ of a unit torque and of a unit force at site s, from there to the ground."""
    turning, moving, reach, i = 0.0, 0.0, 0.0, tree.site_body[s]
    place = add(get3(work.pw, i), turn(get9(work.Rw, i), get3(work.site_p, s)))
    while i >= 0:
        if tree.body_modes[i] > 0:
            t, f = _node(tree, work, i, s, reach)
            turning += t
            moving += f
        arm = sub(place, get3(work.pw, i))
        reach = dot(arm, arm).real
        t, f = _hinge(tree, work, i, reach)
        turning += t
        moving += f
        s, i = tree.body_port[i], tree.body_parent[i]
    return turning, moving


@kernel
def least_answers(tree, work, c):
    """Write the answers below which rows of closure c do not move (closure_rest), after `inward` and `closure_rows`.

    What the inward pass left of joint forces (u) is lost.
    """
    turning, moving = 0.0, 0.0
    for side in range(2):
        s = tree.closure_site[c, side]
        if s >= 0:
            t, f = _path(tree, work, s)
            if side == 0:  # a force acts at the other end
                r = get3(work.closure_r, c)
                f += dot(r, r).real * t
            turning += t
            moving += f
    for k in range(tree.closure_row[c], tree.closure_row[c + 1]):
        kind, size = tree.row_kind[k], turning
        if kind == ALONG:
            size = moving
        elif kind == SCREW_ROW:
            size = moving + tree.row_c[k] * tree.row_c[k] * turning
        work.closure_rest[k] = REST * REST * size
