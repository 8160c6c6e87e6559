"""Compiled work of a burning vehicle: integrals from masses, equations of motion of one flexible body, its flight.

Integrals come as one vector p, as `ModalIntegrals.pack` makes it. The body has velocities u = [w; v; η̇], w and v of
its frame in its own axes, and the kinetic energy T = ½ u' M(η) u:

    J(η) = J0 + Σ (J1_r + J1_r') η_r + Σ J2_rs η_r η_s,   J1 = tr(A) 1 - A,  J2 = tr(B) 1 - B'
    mp(η) = first + E η,   F(η) = F0 + Σ (Σ m γ_r x γ_s) η_r,   G
"""

from __future__ import annotations

import numpy as np

from interstage.jit import kernel
from interstage.spatial.quaternion import quaternion_normalize, quaternion_rate, quaternion_to_matrix
from interstage.spatial.rotvec import rotvec_to_matrix
from interstage.spatial.vec3 import cross, dot, rotate, rotate_inverse


@kernel
def packed_size(n):
    """Return how many numbers the integrals of n shapes are."""
    return 26 + 18 * n + 11 * n * n


@kernel
def weigh(base, first, level_mass, level_values, masses, out):
    """Write the integrals (p,) of masses (T,): base and, for each tank, the two levels around its mass."""
    out[:] = base
    for k in range(len(masses)):
        i, last = first[k], first[k + 1] - 1
        if i == last:
            out += level_values[i]
            continue
        while i < last - 1 and masses[k].real >= level_mass[i + 1]:
            i += 1
        w = (masses[k] - level_mass[i]) / (level_mass[i + 1] - level_mass[i])
        if w.real < 0.0:
            w = 0.0 * w
        if w.real > 1.0:
            w = 0.0 * w + 1.0
        low, high = level_values[i], level_values[i + 1]
        for j in range(len(out)):
            out[j] += low[j] + w * (high[j] - low[j])


@kernel
def _moments(p, n, start, x, Y):
    """Write Y (3, 3, n) = Σ_r x_r B[:, :, r, :]."""
    Y[:] = 0.0
    for a in range(3):
        for b in range(3):
            at = start + (3 * a + b) * n * n
            for r in range(n):
                c = x[r]
                row = at + r * n
                for s in range(n):
                    Y[a, b, s] += c * p[row + s]


@kernel
def body_terms(n, order, p, eta, u, Y, Yd, M, b):
    """Write the mass matrix M (6+n, 6+n) and the bias b (6+n,) without stiffness, of u = [w; v; η̇].

    order : 2, or 0 for constant J and F with mp = first + E η;  Y, Yd (3, 3, n) : scratch
    """
    w, v, ed = u[:3], u[3:6], u[6:]
    oE, oF, oG = 13, 13 + 3 * n, 13 + 6 * n
    oA = oG + 2 * n * n
    oB = oA + 9 * n
    kind = b.dtype
    mp, Ed = np.empty(3, kind), np.empty(3, kind)
    J, Jd = np.empty((3, 3), kind), np.zeros((3, 3), kind)
    m = p[0]
    for a in range(3):
        mp[a] = p[1 + a]
        Ed[a] = 0.0
        for r in range(n):
            mp[a] += p[oE + a * n + r] * eta[r]
            Ed[a] += p[oE + a * n + r] * ed[r]
        for c in range(3):
            J[a, c] = p[4 + 3 * a + c]
    M[:] = 0.0
    for r in range(n):
        for a in range(3):
            M[a, 6 + r] = p[oF + a * n + r]
            M[3 + a, 6 + r] = p[oE + a * n + r]
        for s in range(n):
            M[6 + r, 6 + s] = p[oG + r * n + s]
    b[:] = 0.0
    if order == 2:
        _moments(p, n, oB, eta, Y)
        _moments(p, n, oB, ed, Yd)
        for a in range(3):
            for c in range(3):
                x, xd, z, zd = 0.0 * mp[0], 0.0 * mp[0], 0.0 * mp[0], 0.0 * mp[0]
                for r in range(n):
                    x += p[oA + (3 * a + c) * n + r] * eta[r]
                    xd += p[oA + (3 * a + c) * n + r] * ed[r]
                    z += Y[a, c, r] * eta[r]
                    zd += Y[a, c, r] * ed[r]
                # J1 + J1' = 2 tr(A) 1 - A - A', and the same of B
                J[a, c] -= x
                J[c, a] -= x
                J[c, a] -= z
                Jd[a, c] -= xd + zd
                Jd[c, a] -= xd + zd
                if a == c:
                    for i in range(3):
                        J[i, i] += 2.0 * x + z
                        Jd[i, i] += 2.0 * (xd + zd)
        w2 = dot(w, w)
        for r in range(n):
            M[0, 6 + r] += Y[1, 2, r] - Y[2, 1, r]
            M[1, 6 + r] += Y[2, 0, r] - Y[0, 2, r]
            M[2, 6 + r] += Y[0, 1, r] - Y[1, 0, r]
            turn = w[0] * (Yd[1, 2, r] - Yd[2, 1, r]) + w[1] * (Yd[2, 0, r] - Yd[0, 2, r])
            turn += w[2] * (Yd[0, 1, r] - Yd[1, 0, r])
            b[6 + r] = 2.0 * turn
            for a in range(3):
                at = oA + 4 * a * n + r  # diagonal of A
                b[6 + r] -= (p[at] + Y[a, a, r]) * w2
                for c in range(3):
                    b[6 + r] += w[a] * (p[oA + (3 * a + c) * n + r] + Y[a, c, r]) * w[c]
    for a in range(3):
        M[3 + a, 3 + a] = m
        for c in range(3):
            M[a, c] = J[a, c]
    M[0, 4], M[0, 5], M[1, 5] = -mp[2], mp[1], -mp[0]
    M[1, 3], M[2, 3], M[2, 4] = mp[2], -mp[1], mp[0]
    for i in range(6 + n):
        for j in range(i):
            M[i, j] = M[j, i] if i >= 3 else M[i, j]
    # momenta h about the origin and l, then w x h + v x l, w x l, and what η̇ changes in them
    t, h, l = np.empty(3, kind), np.empty(3, kind), np.empty(3, kind)
    for a in range(3):
        h[a], l[a] = 0.0, 0.0
        for j in range(6 + n):
            h[a] += M[a, j] * u[j]
            l[a] += M[3 + a, j] * u[j]
    cross(w, h, t)
    b[:3] += t
    cross(v, l, t)
    b[:3] += t
    cross(Ed, v, t)
    b[:3] += t
    for a in range(3):
        b[a] += dot(Jd[a], w)
    cross(w, l, t)
    b[3:6] += t
    cross(w, Ed, t)
    b[3:6] += t
    cross(v, w, t)  # w . (E_r x v) = E_r . (v x w)
    for r in range(n):
        for a in range(3):
            b[6 + r] -= p[oE + a * n + r] * t[a]


@kernel
def _site(l, gamma, eta, ed, u, place, speed):
    """Write place (3,) and velocity (3,) of a node, body axes: l + γη, v + w x place + γη̇."""
    kind = speed.dtype
    t = np.empty(3, kind)
    for a in range(3):
        place[a] = l[a]
        speed[a] = u[3 + a]
        for r in range(len(eta)):
            place[a] += gamma[a, r] * eta[r]
            speed[a] += gamma[a, r] * ed[r]
    cross(u[:3], place, t)
    speed += t


@kernel
def _push(place, gamma, force, Q):
    """Add a force (3,), body axes, at a node to generalized forces."""
    t = np.empty(3, Q.dtype)
    cross(place, force, t)
    Q[:3] += t
    Q[3:6] += force
    for r in range(len(Q) - 6):
        for a in range(3):
            Q[6 + r] += gamma[a, r] * force[a]


@kernel
def flow_forces(site_l, site_gamma, segment, flow, eta, u, Q):
    """Add internal flow: each segment a -> b of mass flow g pushes both of its ends by -g (v_b - v_a).

    segment (s, 2) : sites;  flow (s,)
    """
    kind = Q.dtype
    pa, pb, va, vb = np.empty(3, kind), np.empty(3, kind), np.empty(3, kind), np.empty(3, kind)
    force = np.empty(3, kind)
    for s in range(len(segment)):
        a, b = segment[s, 0], segment[s, 1]
        _site(site_l[a], site_gamma[a], eta, u[6:], u, pa, va)
        _site(site_l[b], site_gamma[b], eta, u[6:], u, pb, vb)
        for k in range(3):
            force[k] = -flow[s] * (vb[k] - va[k])
        _push(pa, site_gamma[a], force, Q)
        _push(pb, site_gamma[b], force, Q)


@kernel
def load_forces(site_l, site_gamma, site_lam, load_site, load_kind, load_axis, size, R, eta, Q, pushed):
    """Add loads: load_kind 0 force in world axes, 1 force that follows its node, 2 and 3 torques so.

    load_axis (L, 3), size (L,);  R (3, 3) : attitude of the body
    pushed (sites, 6) : is written, forces and torques T1 T2 T3 R1 R2 R3 at the sites, body axes
    """
    pushed[:] = 0.0
    kind = Q.dtype
    d, place, turn, T = np.empty(3, kind), np.empty(3, kind), np.empty(3, kind), np.empty((3, 3), kind)
    for i in range(len(load_site)):
        if size[i] == 0.0:
            continue
        at = load_site[i]
        for a in range(3):
            place[a], turn[a] = site_l[at, a], 0.0
            for r in range(len(eta)):
                place[a] += site_gamma[at, a, r] * eta[r]
                turn[a] += site_lam[at, a, r] * eta[r]
        if load_kind[i] % 2 == 0:
            rotate_inverse(R, load_axis[i], d)
        else:
            rotvec_to_matrix(turn, T)
            rotate(T, load_axis[i], d)
        d *= size[i]
        first = 0 if load_kind[i] < 2 else 3
        for a in range(3):
            pushed[at, first + a] += d[a]
        if load_kind[i] < 2:
            _push(place, site_gamma[at], d, Q)
        else:
            Q[:3] += d
            for r in range(len(eta)):
                for a in range(3):
                    Q[6 + r] += site_lam[at, a, r] * d[a]


@kernel
def load_stiffness_forces(site, part, K, w, pushed, eta, Q):
    """Take what loads make of the stiffness from modal forces: Σ_p c_p K_p η.

    site (k,) : of a load at a node, -1 for the spin;  part (k,) : 0 to 5, T1 T2 T3 R1 R2 R3 or ω_xω_x ω_yω_y ω_zω_z
    ω_xω_y ω_xω_z ω_yω_z;  K (k, n, n);  pushed (sites, 6) : of `load_forces`
    """
    for k in range(len(site)):
        c = part[k]
        if site[k] >= 0:
            size = pushed[site[k], c]
        elif c < 3:
            size = w[c] * w[c]
        else:
            size = w[(c - 3) // 2] * w[(c - 3) // 2 + 1 if c != 4 else 2]
        if size == 0.0:
            continue
        for r in range(len(eta)):
            for s in range(len(eta)):
                Q[6 + r] -= size * K[k, r, s] * eta[s]


@kernel
def momentum(n, order, p, eta, u, Y, Yd, M, b, out):
    """Write M u (6+n,); return ½ u' M u."""
    body_terms(n, order, p, eta, u, Y, Yd, M, b)
    energy = 0.0 * out[0]
    for i in range(6 + n):
        out[i] = 0.0
        for j in range(6 + n):
            out[i] += M[i, j] * u[j]
        energy += 0.5 * u[i] * out[i]
    return energy


@kernel
def _slope(n, order, p, C, stiff, gravity, site, loads, size, segment, flow, x, work, xd):
    """Write the rates of a state x = [position 3, quaternion 4, η, w, v, η̇]; stiff : first of load_stiffness_forces."""
    site_l, site_gamma, site_lam = site
    load_site, load_kind, load_axis = loads
    R, g, Y, Yd, M, b, Q, pushed = work
    stiff_site, stiff_part, K = stiff
    eta, u = x[7 : 7 + n], x[7 + n :]
    quaternion_to_matrix(x[3:7], R)
    rotate(R, u[3:6], xd[:3])
    quaternion_rate(x[3:7], u[:3], xd[3:7])
    xd[7 : 7 + n] = u[6:]
    body_terms(n, order, p, eta, u, Y, Yd, M, b)
    Q[:] = -b
    rotate_inverse(R, gravity, g)
    for i in range(6 + n):
        for a in range(3):
            Q[i] += M[i, 3 + a] * g[a]
    oK = 13 + 6 * n + n * n
    for r in range(n):
        for s in range(n):
            Q[6 + r] -= p[oK + r * n + s] * eta[s] + C[r, s] * u[6 + s]
    load_forces(site_l, site_gamma, site_lam, load_site, load_kind, load_axis, size, R, eta, Q, pushed)
    load_stiffness_forces(stiff_site, stiff_part, K, u, pushed, eta, Q)
    flow_forces(site_l, site_gamma, segment, flow, eta, u, Q)
    xd[7 + n :] = np.linalg.solve(M, Q)


@kernel
def fly_steps(
    n, order, step, library, damping, stiffness, gravity, site, loads, segment, histories, every, x, log, left
):
    """Fly with RK4, integrals taken once a step at its middle.

    library : base, first, level_mass, level_values of `Partition`
    damping : C (k, n, n), and for each step its first matrix and the weight of the next
    stiffness : site and part of loads as in `load_stiffness_forces`, K (k, loads, n, n), and steps as of damping
    histories : masses (N + 1, T) at the ends of steps, (N, T) at mid-step; loads (N, 3, L) at the start, middle and
        end of a step; flows (N, s)
    x : state, changed;  log (rows, len(x)) : every so many steps
    left (7,) : momentum [h; l] about the world's origin and energy that departing mass takes along, world axes
    Returns how many steps were made: fewer than N where the motion is no longer finite.
    """
    base, first, level_mass, level_values = library
    C_all, C_at, C_weight = damping
    stiff_site, stiff_part, K_all, K_at, K_weight = stiffness
    edges, masses, sizes, flows = histories
    p, old = np.empty_like(base), np.empty_like(base)
    work = (
        np.empty((3, 3)), np.empty(3), np.empty((3, 3, n)), np.empty((3, 3, n)), np.empty((6 + n, 6 + n)),
        np.empty(6 + n), np.empty(6 + n), np.zeros((len(site[0]), 6)),
    )  # fmt: skip
    k1, k2, k3, k4 = np.empty_like(x), np.empty_like(x), np.empty_like(x), np.empty_like(x)
    C, K, y = np.empty((n, n)), np.empty_like(K_all[0]), np.empty_like(x)
    stiff = (stiff_site, stiff_part, K)
    carried, h = np.zeros(7), step
    row = 0
    weigh(base, first, level_mass, level_values, edges[0], old)
    for i in range(len(masses)):
        weigh(base, first, level_mass, level_values, masses[i], p)
        _leave(n, order, old, p, x, work, y, left)
        old[:] = p
        C[:] = (1.0 - C_weight[i]) * C_all[C_at[i]]
        if C_weight[i] > 0.0:
            C += C_weight[i] * C_all[C_at[i] + 1]
        if len(stiff_site):
            K[:] = (1.0 - K_weight[i]) * K_all[K_at[i]]
            if K_weight[i] > 0.0:
                K += K_weight[i] * K_all[K_at[i] + 1]
        if i % every == 0:
            log[row] = x
            row += 1
        _slope(n, order, p, C, stiff, gravity, site, loads, sizes[i, 0], segment, flows[i], x, work, k1)
        _carry(n, site, segment, flows[i], x, h / 6.0, carried)
        y[:] = x + 0.5 * h * k1
        _slope(n, order, p, C, stiff, gravity, site, loads, sizes[i, 1], segment, flows[i], y, work, k2)
        _carry(n, site, segment, flows[i], y, h / 3.0, carried)
        y[:] = x + 0.5 * h * k2
        _slope(n, order, p, C, stiff, gravity, site, loads, sizes[i, 1], segment, flows[i], y, work, k3)
        _carry(n, site, segment, flows[i], y, h / 3.0, carried)
        y[:] = x + h * k3
        _slope(n, order, p, C, stiff, gravity, site, loads, sizes[i, 2], segment, flows[i], y, work, k4)
        _carry(n, site, segment, flows[i], y, h / 6.0, carried)
        x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        if not np.all(np.isfinite(x)):
            return i
        quaternion_normalize(x[3:7], x[3:7])
    weigh(base, first, level_mass, level_values, edges[-1], p)
    _leave(n, order, old, p, x, work, y, left)
    left += carried
    log[row] = x
    return len(masses)


@kernel
def _world_site(n, R, l, gamma, x, place, speed):
    """Write place (3,) and velocity (3,) of a node in world axes; R (3, 3) : attitude of the state x."""
    t = np.empty(3, place.dtype)
    _site(l, gamma, x[7 : 7 + n], x[13 + n :], x[7 + n :], t, speed)
    rotate(R, t, place)
    place += x[:3]
    t[:] = speed
    rotate(R, t, speed)


@kernel
def _carry(n, site, segment, flow, x, weight, out):
    """Add what departs from exits less what departs where it was, [h; l] and kinetic energy (7,), times a weight.

    Each segment a -> b of mass flow g carries g (v_b - v_a), g (r_b x v_b - r_a x v_a), ½g (v_b² - v_a²).
    """
    if len(segment) == 0:
        return
    site_l, site_gamma, _ = site
    R, place, speed, t = np.empty((3, 3)), np.empty(3), np.empty(3), np.empty(3)
    quaternion_to_matrix(x[3:7], R)
    for s in range(len(segment)):
        for end in range(2):
            g = weight * flow[s] * (2 * end - 1)
            _world_site(n, R, site_l[segment[s, end]], site_gamma[segment[s, end]], x, place, speed)
            cross(place, speed, t)
            out[:3] += g * t
            out[3:6] += g * speed
            out[6] += 0.5 * g * dot(speed, speed)


@kernel
def flow_momentum(n, site_l, site_gamma, segment, flow, x, out):
    """Write the momentum [h; l] (6,) about the world's origin that flow has relative to the structure.

    Σ g r_a x r_b, Σ g (r_b - r_a): that of straight segments.
    """
    out[:] = 0.0
    R, a, b, t = np.empty((3, 3)), np.empty(3), np.empty(3), np.empty(3)
    quaternion_to_matrix(x[3:7], R)
    for s in range(len(segment)):
        _world_site(n, R, site_l[segment[s, 0]], site_gamma[segment[s, 0]], x, a, t)
        _world_site(n, R, site_l[segment[s, 1]], site_gamma[segment[s, 1]], x, b, t)
        cross(a, b, t)
        out[:3] += flow[s] * t
        out[3:] += flow[s] * (b - a)


@kernel
def _leave(n, order, old, new, x, work, y, left):
    """Add momentum and energy of the mass between two sets of integrals to what was left behind."""
    R, t, Y, Yd, M, b, Q, _ = work
    gone = old - new
    if not np.any(gone):
        return
    eta, u = x[7 : 7 + n], x[7 + n :]
    left[6] += momentum(n, order, gone, eta, u, Y, Yd, M, b, Q)
    quaternion_to_matrix(x[3:7], R)
    rotate(R, Q[3:6], y[3:6])
    rotate(R, Q[:3], y[:3])
    cross(x[:3], y[3:6], t)
    for a in range(3):
        left[a] += y[a] + t[a]
        left[3 + a] += y[3 + a]
