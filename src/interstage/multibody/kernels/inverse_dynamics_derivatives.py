"""Slopes of inverse dynamics: ∂τ/∂q, ∂τ/∂v, ∂τ/∂v̇ of the whole tree, without stepping through it.

A small change of one coordinate moves everything outboard of it as one rigid body. What hangs on a frame answers to
small changes of the frame's motion by a force at its origin (all in its own axes, as the frame has them),

    δf = I δĀ + B δV + D δθ,        Ā = A - [0; g]

I is the composite inertia, B gathers velocity terms and D loads that keep to the axes of the world. From frame to frame
(X the transform, J the velocity of one in the other) δV' = X δV, δĀ' = X δĀ + δV' × J, δθ' = Rᵀδθ. A coordinate is a
change (δV, δĀ, δθ) of a frame: of a body for its joint, of its ports for a mode. With H_b of a joint (⋅×⋅ of motions)

    q_b:   δV = δJ - H_b×XV,    δĀ = Σ v̇_a ∂H_a/∂q_b - H_b×XĀ + δ(H̊v) + δV×J + V×δJ,    δθ = ω part of H_b
    v_b:   δV = H_b,            δĀ = ∂(H̊v)/∂v_b + H_b×J + V×H_b

and ∂H_a/∂q_b = H_a×H_b where a comes before b in the joint, zero otherwise. q_b is counted along H_b, whatever
the coordinates are. Then one entry for each pair of coordinates on a path:

- rows outboard of columns: Hᵀ[I B D] of the row is carried inwards and meets the change of each column;
- columns outboard of rows: δf of the column, with H_b×* f as its frame turns, is carried inwards and meets each H.

(Carpentier and Mansard 2018; Singh, Russell and Wensing 2022, here with modes: `mode_slopes`.)

Scratch of a call, one row each: `cols` of velocities and `ports` of (port, mode) hold [δV δĀ δθ | δV δĀ | δĀ] of
q, v, v̇ (15 + 12 + 6 numbers); `bodies` and `sites` hold B and D by columns (36 + 18) and J (6). Results are
added to J (4 nv, nv): ∂τ/∂q, ∂τ/∂v, the mass matrix on and below the diagonal, and what geometric stiffness
adds to it.
"""

from __future__ import annotations

from interstage.multibody.address_table import stage
from interstage.multibody.kernels.algebra import (
    AXES,
    IDENTITY,
    ZERO3,
    add,
    against,
    answered,
    at_origin,
    cross,
    crossed,
    crossed_force,
    dot,
    dot6,
    felt_by,
    gathered,
    inertia_times,
    inlined,
    kernel,
    moved_in,
    moved_out,
    plus,
    put_six,
    scale,
    six,
    sub,
    symmetric_times,
    times,
    turn,
    turn_back,
    unit_motion,
)
from interstage.multibody.kernels.array_access import clear, get3, get9, get_inertia, high, low
from interstage.multibody.kernels.joints import BALL, FREE, SLOT, turn_from_rest

CHANGE = 33  # numbers of a row of `cols` and `ports`
ANSWER = 60  # of `bodies` and `sites`


@kernel
def comes_before(kind, a, b):
    """Say whether velocity a of a joint comes before b: a turn or travel that b carries on."""
    if kind == SLOT:
        return a == 3 and b < 3
    return a < b and kind != BALL and kind != FREE


@kernel
def velocity_terms(work, i, J, push, spin, e):
    """Return the change of velocity terms b of body i with its velocity along e.

    J : J̇ (6 numbers);  push, spin : E η̇ and F η̇
    """
    I = work.I
    m, mp = I[i, 0], (I[i, 1], I[i, 2], I[i, 3])
    inertia = (I[i, 4], I[i, 5], I[i, 6], I[i, 7], I[i, 8], I[i, 9])
    w, u = low(work.V, i), high(work.V, i)
    d, s = e
    a = add(cross(d, u), cross(w, s))
    t = add(cross(d, add(symmetric_times(inertia, w), spin)), cross(w, symmetric_times(inertia, d)))
    t = add(add(t, symmetric_times(J, d)), cross(mp, a))
    f = add(cross(d, add(cross(w, mp), scale(2.0, push))), cross(w, cross(d, mp)))
    return t, add(f, scale(m, a))


@kernel
def _to_frame(a, i, R, p, P, b, k):
    """Add what row i of `a` and P, in a frame at p turned by R, answer there to row k of `b`."""
    J = six(a, i, 54)
    for j in range(6):
        V = moved_out(R, p, unit_motion(j))
        f = moved_in(R, p, answered(P, a, i, V, crossed(V, J)))
        put_six(b, k, 6 * j, plus(six(b, k, 6 * j), f))
    for j in range(3):
        x = turn_back(R, AXES[j])
        f = moved_in(R, p, gathered(a, i, 36, x))
        put_six(b, k, 36 + 6 * j, plus(six(b, k, 36 + 6 * j), f))


@kernel
def gather_answers(tree, work, bodies, sites):
    """Add up B and D from the tips to the roots, those of single bodies and J of joints and ports known."""
    for i in range(tree.sizes[0] - 1, -1, -1):
        for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
            _to_frame(sites, s, IDENTITY, get3(work.site_p, s), get_inertia(work.site_P, s), bodies, i)
        parent, port = tree.body_parent[i], tree.body_port[i]
        if parent < 0:
            continue
        R, p, P = get9(work.R, i), get3(work.p, i), get_inertia(work.P, i)
        if port < 0:
            _to_frame(bodies, i, R, p, P, bodies, parent)
        else:
            _to_frame(bodies, i, R, p, P, sites, port)


@kernel
def _bent(work, i, kind, a, b):
    """Return ∂H_a/∂q_b of body i."""
    if comes_before(kind, a, b):
        return crossed(six(work.H, i, 6 * a), six(work.H, i, 6 * b))
    return times(0.0, six(work.H, i, 6 * a))


@kernel
def _bias_slope(tree, work, i, v, b):
    """Return ∂(H̊v)/∂q_b and ∂(H̊v)/∂v_b of the joint of body i."""
    kind, nv, iv = tree.joint_kind[i], tree.joint_nv[i], tree.joint_v[i]
    H = work.H
    along_q, along_v = times(0.0, six(H, i, 0)), times(0.0, six(H, i, 0))
    for a in range(nv):
        for e in range(nv):
            if not comes_before(kind, a, e):
                continue
            both = v[iv + a] * v[iv + e]
            first = crossed(_bent(work, i, kind, a, b), six(H, i, 6 * e))
            second = crossed(six(H, i, 6 * a), _bent(work, i, kind, e, b))
            along_q = plus(along_q, times(both, plus(first, second)))
            if a == b or e == b:
                other = v[iv + e] if a == b else v[iv + a]
                along_v = plus(along_v, times(other, crossed(six(H, i, 6 * a), six(H, i, 6 * e))))
    return along_q, along_v


@kernel
def _joint_changes(tree, work, i, v, vdot, bodies, cols):
    """Write the changes of body i with its joint's coordinates, and with their rates and accelerations."""
    kind, nv, iv = tree.joint_kind[i], tree.joint_nv[i], tree.joint_v[i]
    H, J = work.H, six(bodies, i, 54)
    V, A = six(work.V, i, 0), six(work.A, i, 0)
    carried = plus(A, times(-1.0, six(work.c, i, 0)))
    carried = carried[0], sub(carried[1], get3(work.g, i))
    for a in range(nv):
        carried = plus(carried, times(-vdot[iv + a], six(H, i, 6 * a)))
    before = plus(V, times(-1.0, J))
    for b in range(nv):
        h = six(H, i, 6 * b)
        rate, change = times(0.0, h), times(0.0, h)
        along_q, along_v = rate, rate
        if nv > 1:
            for a in range(nv):
                bent = _bent(work, i, kind, a, b)
                rate = plus(rate, times(v[iv + a], bent))
                change = plus(change, times(vdot[iv + a], bent))
            along_q, along_v = _bias_slope(tree, work, i, v, b)
        dV = plus(rate, times(-1.0, crossed(h, before)))
        dA = plus(plus(change, along_q), times(-1.0, crossed(h, carried)))
        dA = plus(dA, plus(crossed(dV, J), crossed(V, rate)))
        k = iv + b
        put_six(cols, k, 0, dV)
        put_six(cols, k, 6, dA)
        cols[k, 12], cols[k, 13], cols[k, 14] = h[0]
        put_six(cols, k, 15, h)
        put_six(cols, k, 21, plus(along_v, plus(crossed(h, J), crossed(V, h))))
        put_six(cols, k, 27, h)


@inlined
def meet(a, k, V, A, T, J, row, column, nv, third):
    """Add the row (δV, δĀ, δθ parts V, A, T) times the changes of row k of `cols` or `ports` to the results."""
    J[row, column] += dot6(V, six(a, k, 0)) + dot6(A, six(a, k, 6)) + dot(T, (a[k, 12], a[k, 13], a[k, 14]))
    J[nv + row, column] += dot6(V, six(a, k, 15)) + dot6(A, six(a, k, 21))
    J[third + row, column] += dot6(A, six(a, k, 27))


@kernel
def carry_row(tree, work, i, V, A, T, row, bodies, sites, cols, ports, J, third):
    """Carry a row, what it feels of changes of body i, inwards, and let it meet the columns on its way."""
    nv = tree.sizes[4]
    while True:
        for k in range(tree.joint_v[i], tree.joint_v[i] + tree.joint_nv[i]):
            meet(cols, k, V, A, T, J, row, k, nv, third)
        parent, port = tree.body_parent[i], tree.body_port[i]
        if parent < 0:
            return
        R, p = get9(work.R, i), get3(work.p, i)
        V = moved_in(R, p, plus(V, against(six(bodies, i, 54), A)))
        A, T = moved_in(R, p, A), turn(R, T)
        if port >= 0:
            first, at = tree.joint_v[parent] + tree.joint_nv[parent], tree.site_start[port]
            for r in range(tree.body_modes[parent]):
                meet(ports, at + r, V, A, T, J, row, first + r, nv, third)
            p = get3(work.site_p, port)
            V = at_origin(p, plus(V, against(six(sites, port, 54), A)))
            A = at_origin(p, A)
        i = parent


@kernel
def at_body(tree, work, i, f, column, J, first, pure):
    """Add what a change f of the force across the joint of body i is in its own rows; from row `first` of J on."""
    if tree.body_stiff[i] > 0 and tree.body_root[i] >= 0:
        n, at, k = tree.body_modes[i], 6 * tree.body_mode[i], first + tree.joint_v[i] + tree.joint_nv[i]
        G = work.mode_G
        for r in range(n):
            x = at + r
            s = f[0][0] * G[x] + f[0][1] * G[x + n] + f[0][2] * G[x + 2 * n]
            s += f[1][0] * G[x + 3 * n] + f[1][1] * G[x + 4 * n] + f[1][2] * G[x + 5 * n]
            J[k + r, column] += s
    if pure:
        iv = tree.joint_v[i]
        for a in range(tree.joint_nv[i]):
            J[first + iv + a, column] += dot6(six(work.H, i, 6 * a), f)


@kernel
def at_port(tree, work, s, f, column, J, first, pure, ports):
    """Add what a change f of the force at port s is in the rows of the modes that move it."""
    i = tree.site_body[s]
    n, at, k = tree.body_modes[i], tree.site_start[s], first + tree.joint_v[i] + tree.joint_nv[i]
    if pure:
        for r in range(n):
            J[k + r, column] += dot6(six(ports, at + r, 27), f)
    if tree.body_stiff[i] > 0 and tree.site_load[s] >= 0:
        G = work.site_G
        for r in range(n):
            x = 6 * at + r
            c = f[0][0] * G[x] + f[0][1] * G[x + n] + f[0][2] * G[x + 2 * n]
            c += f[1][0] * G[x + 3 * n] + f[1][1] * G[x + 4 * n] + f[1][2] * G[x + 5 * n]
            J[k + r, column] -= c


@kernel
def carry_force(tree, work, i, f, column, ports, J, first, pure):
    """Carry a change f of the force across the joint of body i inwards, and add it to the rows on its way.

    first : the first row of J;  pure : False for what geometric stiffness alone makes of it
    """
    while True:
        parent, port = tree.body_parent[i], tree.body_port[i]
        if parent < 0:
            return
        f = moved_in(get9(work.R, i), get3(work.p, i), f)
        if port >= 0:
            at_port(tree, work, port, f, column, J, first, pure, ports)
            f = at_origin(get3(work.site_p, port), f)
        at_body(tree, work, parent, f, column, J, first, pure)
        i = parent


@kernel
def _springs(tree, work, i, q, J):
    """Add springs and dampers of the joint of body i, and how H turns under the force across it."""
    kind, nv, iv = tree.joint_kind[i], tree.joint_nv[i], tree.joint_v[i]
    size, f = tree.sizes[4], six(work.z, i, 0)
    for a in range(nv):
        k = iv + a
        J[size + k, k] += tree.v_damping[k]
        if tree.v_q[k] >= 0:
            J[k, k] += tree.v_stiffness[k]
        if nv == 1:
            continue
        for b in range(nv):
            if comes_before(kind, a, b):
                J[k, iv + b] += dot6(_bent(work, i, kind, a, b), f)
    if nv >= 3 and tree.v_q[iv] < 0 and tree.v_stiffness[iv] != 0.0:
        # torque 2 s w e/(w² + e·e) of the turn (w, e); along h: δw = -e·h/2, δe = (w h + e×h)/2
        w, e = turn_from_rest(tree, i, q)
        c = tree.v_stiffness[iv] / (w * w + dot(e, e))
        for b in range(3):
            h = AXES[b]
            x = add(scale(w, h), cross(e, h))
            s = dot(e, h)
            for a in range(3):
                J[iv + a, iv + b] += c * (w * x[a] - s * e[a])


@stage("xMM")
def rigid_answers(tree, work, v, bodies, sites):
    """Write B of single rigid bodies and J of all joints; clear the rest."""
    clear(bodies)
    clear(sites)
    for i in range(tree.sizes[0]):
        J = times(0.0, six(work.V, i, 0))
        for a in range(tree.joint_nv[i]):
            J = plus(J, times(v[tree.joint_v[i] + a], six(work.H, i, 6 * a)))
        put_six(bodies, i, 54, J)
        if tree.body_modes[i] > 0:
            continue
        for k in range(6):
            f = velocity_terms(work, i, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), ZERO3, ZERO3, unit_motion(k))
            put_six(bodies, i, 6 * k, f)
        if tree.body_drag[i] >= 0:
            add_drag(tree, i, bodies)


@kernel
def add_drag(tree, i, bodies):
    """Add the dampers to ground on the frame of body i to B."""
    n, at = tree.body_modes[i], tree.body_drag[i]
    for k in range(6):
        for j in range(6):
            bodies[i, 6 * k + j] += tree.drag_C[at + j * (6 + n) + k]


@stage("xxxMMMMM")
def joint_slopes(tree, work, q, v, vdot, bodies, sites, cols, ports, J):
    """Add up answers, and write all entries of which row or column belongs to a joint, but for rows of modes."""
    nv, stiff = tree.sizes[4], len(work.mode_G) > 0
    gather_answers(tree, work, bodies, sites)
    for i in range(tree.sizes[0]):
        _joint_changes(tree, work, i, v, vdot, bodies, cols)
    for i in range(tree.sizes[0]):
        P, iv = get_inertia(work.P, i), tree.joint_v[i]
        for a in range(tree.joint_nv[i]):
            h, k = six(work.H, i, 6 * a), iv + a
            V, T = felt_by(bodies, i, h)
            carry_row(
                tree,
                work,
                i,
                V,
                inertia_times(P, h[0], h[1]),
                T,
                k,
                bodies,
                sites,
                cols,
                ports,
                J,
                2 * nv,
            )
            f = answered(P, bodies, i, six(cols, k, 0), six(cols, k, 6))
            f = plus(f, gathered(bodies, i, 36, h[0]))
            f = plus(f, crossed_force(h, six(work.z, i, 0)))
            carry_force(tree, work, i, f, k, ports, J, 0, True)
            f = answered(P, bodies, i, h, six(cols, k, 21))
            carry_force(tree, work, i, f, k, ports, J, nv, True)
            if stiff:
                carry_force(tree, work, i, inertia_times(P, h[0], h[1]), k, ports, J, 3 * nv, False)
        _springs(tree, work, i, q, J)
