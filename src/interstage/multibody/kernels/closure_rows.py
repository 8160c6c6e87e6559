"""Scalar rows of loop closures: errors, rates, directions and velocity terms.

A closure relates frame F of one site (A) and the frame of another (B), or the ground. Its scalar rows are, with
r from A to B, û fixed in A and ŵ in B (world axes, r = p_B - p_A),

    along     C = û·r                            travel along û
    dot       C = û·ŵ - c                        two axes keep their angle
    turn      C = ½(û_A·ŵ_B - ŵ_A·û_B)           no turn about ŵ×û (B at rest in A)
    screw     C = a·r - pitch θ,  a = û×ŵ        θ the turn about a, whole turns left out

Every one of them has a rate Ċ = u·(ṙ - ω_A×r) + n·(ω_B - ω_A), so that a multiplier λ is the wrench λ[n; u] on
B at p_B and its opposite on A.
"""

from __future__ import annotations

import numpy as np

from interstage.multibody.address_table import stage
from interstage.multibody.kernels.algebra import add, cross, dot, kernel, product, scale, sub, turn
from interstage.multibody.kernels.array_access import get3, get9, high, low, put3, rows_times
from interstage.multibody.kernels.kinematics import site_motion, site_pose

ALONG, DOT, TURN, SCREW_ROW = range(4)


@kernel
def _end_axes(tree, work, c, side):
    """Return the rotation of an end in the world."""
    s = tree.closure_site[c, side]
    if s < 0:
        return get9(work.Rw, -1)
    return product(get9(work.Rw, tree.site_body[s]), get9(work.site_R, s))


@kernel
def _end_place(tree, work, c, side):
    """Return the body of an end, -1 for the ground, and the place of the end from its origin, world axes."""
    s = tree.closure_site[c, side]
    if s < 0:
        p, k = tree.closure_p, 3 * side
        return -1, add(get3(work.pw, -1), (p[c, k], p[c, k + 1], p[c, k + 2]))
    i = tree.site_body[s]
    return i, turn(get9(work.Rw, i), get3(work.site_p, s))


@kernel
def _step_in(tree, work, i):
    """Return the place of body i from the origin of its parent, world axes."""
    p, port = get3(work.p, i), tree.body_port[i]
    if port >= 0:
        p = add(p, get3(work.site_p, port))
    return turn(get9(work.Rw, tree.body_parent[i]), p)


@kernel
def _between(tree, work, c):
    """Return r from the first end to the second, world axes, and the size of what it is a difference of.

    From the body that carries both, so that nothing is lost where a vehicle is far from the origin of the world.
    """
    i, a = _end_place(tree, work, c, 0)
    j, b = _end_place(tree, work, c, 1)
    r, size = sub(b, a), 0.0
    while i != j:  # a child has a higher number than its parent
        if i > j:
            step = _step_in(tree, work, i)
            r, i = sub(r, step), tree.body_parent[i]
        else:
            step = _step_in(tree, work, j)
            r, j = add(r, step), tree.body_parent[j]
        size = max(size, abs(step[0].real) + abs(step[1].real) + abs(step[2].real))
    return r, size


@kernel
def _end_velocity(tree, work, c, side):
    """Return angular and linear velocity of an end, world axes."""
    s = tree.closure_site[c, side]
    if s < 0:
        return low(work.V, -1), high(work.V, -1)
    R = get9(work.Rw, tree.site_body[s])
    return turn(R, low(work.site_V, s)), turn(R, high(work.site_V, s))


@kernel
def _end_acceleration(tree, work, c, side, vdot, full):
    """Return angular and linear acceleration of an end for v̇, world axes; velocity terms where `full`."""
    s = tree.closure_site[c, side]
    if s < 0:
        return low(work.V, -1), high(work.V, -1)
    i = tree.site_body[s]
    n, at, first = tree.body_modes[i], 3 * tree.site_start[s], tree.joint_v[i] + tree.joint_nv[i]
    w, u = low(work.A, i), high(work.A, i)
    u = add(u, cross(w, get3(work.site_p, s)))
    if n > 0:
        part = vdot[first : first + n]
        w = add(w, turn(get9(work.site_J, s), rows_times(tree.site_lam[at : at + 3 * n], part)))
        u = add(u, rows_times(tree.site_gam[at : at + 3 * n], part))
    if full:
        # spatial acceleration to that of the point: ω×v more
        w = add(w, low(work.site_c, s))
        u = add(u, add(high(work.site_c, s), cross(low(work.site_V, s), high(work.site_V, s))))
    R = get9(work.Rw, i)
    return turn(R, w), turn(R, u)


@kernel
def _dot_row(u, w, spin_a, spin_b):
    """Return û·ŵ, n = ŵ×û and ṅ of û fixed in A and ŵ fixed in B."""
    n_dot = add(cross(cross(spin_b, w), u), cross(w, cross(spin_a, u)))
    return dot(u, w), cross(w, u), n_dot


@kernel
def _turn_rows(RF, RB, x, y, spin_a, spin_b):
    """Return value, n, ṅ of ½(x_A·y_B - y_A·x_B)."""
    c1, n1, d1 = _dot_row(turn(RF, x), turn(RB, y), spin_a, spin_b)
    c2, n2, d2 = _dot_row(turn(RF, y), turn(RB, x), spin_a, spin_b)
    return 0.5 * (c1 - c2), scale(0.5, sub(n1, n2)), scale(0.5, sub(d1, d2))


@kernel
def _angle_row(RF, RB, x, y, spin_a, spin_b):
    """Return angle about x×y, its gradient n on ω_B - ω_A, and the velocity terms of its second derivative."""
    relative = sub(spin_b, spin_a)
    half, n_half, d_half = _turn_rows(RF, RB, y, x, spin_a, spin_b)
    s, n_s, d_s = 2.0 * half, scale(2.0, n_half), scale(2.0, d_half)
    c1, n1, d1 = _dot_row(turn(RF, x), turn(RB, x), spin_a, spin_b)
    c2, n2, d2 = _dot_row(turn(RF, y), turn(RB, y), spin_a, spin_b)
    c, n_c, d_c = c1 + c2, add(n1, n2), add(d1, d2)
    square = s * s + c * c
    n = scale(1.0 / square, sub(scale(c, n_s), scale(s, n_c)))
    turned = np.arctan2(s.real, c.real)
    cosine, sine = np.cos(turned), np.sin(turned)
    # what is left is zero, or the imaginary part of a complex step
    turned = turned + (s * cosine - c * sine) / (c * cosine + s * sine)
    rate_s, rate_c = dot(n_s, relative), dot(n_c, relative)
    bias = (c * dot(d_s, relative) - s * dot(d_c, relative)) / square
    bias -= 2.0 * dot(n, relative) * (c * rate_c + s * rate_s) / square
    return turned, n, bias


@kernel
def _orientation(tree, k, RF, RB, spin_a, spin_b):
    """Return value, n and velocity terms of the orientation part of row k."""
    x, y = get3(tree.row_u, k), get3(tree.row_w, k)
    relative = sub(spin_b, spin_a)
    if tree.row_kind[k] == DOT:
        value, n, d = _dot_row(turn(RF, x), turn(RB, y), spin_a, spin_b)
        return value - tree.row_c[k], n, dot(d, relative)
    if tree.row_kind[k] == TURN:
        value, n, d = _turn_rows(RF, RB, x, y, spin_a, spin_b)
        return value, n, dot(d, relative)
    value, n, bias = _angle_row(RF, RB, x, y, spin_a, spin_b)
    return -tree.row_c[k] * value, scale(-tree.row_c[k], n), -tree.row_c[k] * bias


@kernel
def _evaluate(tree, work, c):
    """Write C, Ċ, n, u and the velocity terms of C̈ of the rows of one closure."""
    RB = _end_axes(tree, work, c, 1)
    spin_a, slide_a = _end_velocity(tree, work, c, 0)
    spin_b, slide_b = _end_velocity(tree, work, c, 1)
    RF = product(_end_axes(tree, work, c, 0), get9(tree.closure_R, c))
    r, size = _between(tree, work, c)
    work.closure_size[c] = size
    put3(work.closure_r, c, r)
    moved = sub(slide_b, slide_a)
    relative = sub(spin_b, spin_a)
    slip = sub(moved, cross(spin_a, r))
    # û·(r̈ - ω̇×r) is left to the accelerations
    turning = sub(cross(spin_a, cross(spin_a, r)), scale(2.0, cross(spin_a, moved)))
    for k in range(tree.closure_row[c], tree.closure_row[c + 1]):
        kind = tree.row_kind[k]
        o = 0.0 * r[0]
        value, rate, bias, n, u = o, o, o, (o, o, o), (o, o, o)
        if kind != ALONG:
            value, n, bias = _orientation(tree, k, RF, RB, spin_a, spin_b)
            rate = dot(n, relative)
        if kind in (ALONG, SCREW_ROW):
            x = get3(tree.row_u, k)
            if kind == SCREW_ROW:
                x = cross(x, get3(tree.row_w, k))
            u = turn(RF, x)
            value = value + dot(u, r)
            rate = rate + dot(u, slip)
            bias = bias + dot(u, turning)
        if kind == SCREW_ROW and tree.row_c[k] != 0.0:
            pitch = 2.0 * np.pi * tree.row_c[k]
            value = value - pitch * np.rint(value.real / pitch)
        work.closure_C[k] = value
        work.closure_rate[k] = rate
        work.closure_b[k] = bias
        put3(work.closure_n, k, n)
        put3(work.closure_u, k, u)


@stage("xx")
def closure_rows(tree, work, q, v):
    """Write all rows of position and velocity level, after `kinematics` and `poses`."""
    n_port = tree.sizes[1]
    for c in range(len(tree.closure_site)):
        for side in range(2):
            s = tree.closure_site[c, side]
            if s >= n_port:
                site_motion(tree, work, s, site_pose(tree, work, s, q), v)
    for c in range(len(tree.closure_site)):
        _evaluate(tree, work, c)


@kernel
def put_closure(tree, work, c, vdot, full, out):
    """Write u·(r̈ - ω̇_A×r) + n·(ω̇_B - ω̇_A) of the rows of closure c; A of bodies is known."""
    turn_a, move_a = _end_acceleration(tree, work, c, 0, vdot, full)
    turn_b, move_b = _end_acceleration(tree, work, c, 1, vdot, full)
    move = sub(sub(move_b, move_a), cross(turn_a, get3(work.closure_r, c)))
    relative = sub(turn_b, turn_a)
    for k in range(tree.closure_row[c], tree.closure_row[c + 1]):
        out[k] = dot(get3(work.closure_u, k), move) + dot(get3(work.closure_n, k), relative)


@kernel
def put_accelerations(tree, work, vdot, full, out):
    """Do `put_closure` for all closures."""
    for c in range(len(tree.closure_site)):
        put_closure(tree, work, c, vdot, full, out)
