"""How the frames of ports change with the modes that move them, their rates and accelerations.

With θ, θ̇, θ̈ = λη, λη̇, λη̈ of the node, n = θ×θ̇ and s = θ·θ̇ (`kinematics`)

    δJ_l x   along φ = b2 (θ·φ) θ×x + a2 φ×x + b3 (θ·φ) θ×(θ×x) + a3 (φ×(θ×x) + θ×(φ×x))
    J̇_l θ̇ = b2 s n + b3 s θ×n + a3 θ̇×n

and its slopes are written out; db2/dx and db3/dx come from one complex step. ψ = J_l λ_r turns the frame, γ_r shifts
it: what hangs on it sees δV_n - ψ×V_n, and so on.
"""

from __future__ import annotations

from interstage.multibody.kernels.rows import rows_times
from interstage.multibody.kernels.slots import get3, get9, high, low
from interstage.multibody.kernels.small import add, cross, dot, inlined, kernel, scale, sub, turn
from interstage.multibody.kernels.spatial import put_six
from interstage.spatial.rotvec import jacobian_coefficients

_STEP = 1e-40


@inlined
def column(rows, at, n, r):
    """Return column r of a flat (3, n) array that begins at `at`."""
    return rows[at + r], rows[at + n + r], rows[at + 2 * n + r]


@inlined
def turned_jacobian(theta, phi, a2, a3, b2, b3, x):
    """Return δJ_l x along φ."""
    s, n = dot(theta, phi), cross(theta, x)
    found = add(scale(b2 * s, n), scale(a2, cross(phi, x)))
    found = add(found, scale(b3 * s, cross(theta, n)))
    return add(found, scale(a3, add(cross(phi, n), cross(theta, cross(phi, x)))))


@inlined
def bent_torque(theta, phi, t):
    """Return δJ_lᵀ t along φ: J_lᵀ is J_l of -θ."""
    a2, a3, b2, b3 = jacobian_coefficients(dot(theta, theta))
    return turned_jacobian(scale(-1.0, theta), scale(-1.0, phi), a2, a3, b2, b3, t)


@kernel
def port_changes(tree, work, s, q, v, vdot, sites, ports):
    """Write J of port s and the changes of its frame with each mode and its rate."""
    i = tree.site_body[s]
    n, at, first = tree.body_modes[i], tree.site_start[s], tree.joint_v[i] + tree.joint_nv[i]
    lam, gam = tree.site_lam, tree.site_gam
    rows = lam[3 * at : 3 * (at + n)]
    eta = tree.body_eta[i]
    theta, rate = rows_times(rows, q[eta : eta + n]), rows_times(rows, v[first : first + n])
    slide = rows_times(gam[3 * at : 3 * (at + n)], v[first : first + n])
    faster = rows_times(rows, vdot[first : first + n])
    x = dot(theta, theta)
    a2, a3, b2, b3 = jacobian_coefficients(x)
    _, _, c2, c3 = jacobian_coefficients(complex(x, _STEP))
    d2, d3 = c2.imag / _STEP, c3.imag / _STEP
    JL = get9(work.site_J, s)
    spin = turn(JL, rate)
    put_six(sites, s, 54, (spin, slide))
    w, alpha = low(work.V, i), low(work.A, i)
    w_n, v_n, a_w = low(work.site_V, s), high(work.site_V, s), low(work.site_a, s)
    a_v = sub(high(work.site_a, s), get3(work.g, i))
    side, along = cross(theta, rate), dot(theta, rate)
    high_side = cross(theta, side)
    for r in range(n):
        phi, own = column(lam, 3 * at, n, r), column(gam, 3 * at, n, r)
        psi = turn(JL, phi)
        faster_spin = turned_jacobian(theta, phi, a2, a3, b2, b3, rate)
        grow, bend, more = dot(theta, phi), cross(phi, rate), dot(phi, rate)
        bias = scale(2.0 * d2 * grow * along + b2 * more, side)
        bias = add(bias, scale(b2 * along, bend))
        bias = add(bias, scale(2.0 * d3 * grow * along + b3 * more, high_side))
        bias = add(bias, scale(b3 * along, add(cross(phi, side), cross(theta, bend))))
        bias = add(bias, add(scale(b3 * grow, cross(rate, side)), scale(a3, cross(rate, bend))))
        turned = add(turned_jacobian(theta, phi, a2, a3, b2, b3, faster), bias)
        shifted = cross(w, own)
        turned = sub(turned, add(cross(faster_spin, w_n), cross(spin, faster_spin)))
        moved = sub(cross(alpha, own), add(cross(faster_spin, v_n), cross(spin, shifted)))
        k = at + r
        put_six(ports, k, 0, (sub(faster_spin, cross(psi, w_n)), sub(shifted, cross(psi, v_n))))
        put_six(ports, k, 6, (sub(turned, cross(psi, a_w)), sub(moved, cross(psi, a_v))))
        ports[k, 12], ports[k, 13], ports[k, 14] = psi
        # with the rate: δs = θ·φ, δn = θ×φ
        bend = cross(theta, phi)
        bias = scale(b2, add(scale(grow, side), scale(along, bend)))
        bias = add(bias, scale(b3, add(scale(grow, high_side), scale(along, cross(theta, bend)))))
        bias = add(bias, scale(a3, add(cross(phi, side), cross(rate, bend))))
        put_six(ports, k, 15, (psi, own))
        turned = sub(bias, add(cross(psi, w_n), cross(spin, psi)))
        put_six(ports, k, 21, (turned, sub(shifted, add(cross(psi, v_n), cross(spin, own)))))
        put_six(ports, k, 27, (psi, own))
