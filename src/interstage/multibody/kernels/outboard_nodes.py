"""What hangs on the ports of a flexible body, eliminated by a symmetric factorization of its true rank.

A port is met with P⁺ and z⁺ of its children. P⁺ is semidefinite: a hinge leaves no inertia along its own motion. With
the rows that hold no inertia skipped (the largest pivots come first, by real size),

    P⁺ = L D Lᵀ,    z⁺ = L D ζ + z⊥        (z⊥ in skipped rows alone: forces of the hinge itself)

and with L, D, ζ of all ports of a body stacked, the forces at the ports under α of the body are

    S w = Lᵀ(Ψα + g) + ζ,     S = D⁻¹ + LᵀWL,     f = z⊥ + L w

with g of the modes under z⊥ as well. ζ is an acceleration, so that a heavy child costs no digits. The part of W that
turns with the ports goes to L: LᵀWL = EᵀW₀E, E = [J_lᵀ 0; 0 1] L, W₀ constant. S is positive definite for positive D;
it is factored as Σ sᵢᵀsᵢ/dᵢ by rows, with [LᵀΨ | Lᵀg + ζ] carried along as seven more columns y, and P grows by
Σ yᵢᵀyᵢ/dᵢ. No roots and no conjugates, so that it serves complex steps. Rows [S | y] lie in `port_G`, with dᵢ replaced
by its inverse.
"""

from __future__ import annotations

import numpy as np

from interstage.multibody.kernels.algebra import add, cross, kernel, turn, turn_back
from interstage.multibody.kernels.array_access import (
    add6,
    add_rows,
    dense6,
    get3,
    get9,
    get_inertia,
    high,
    low,
    put6,
    rows_times,
)

EMPTY = 1e-14  # share of the inertia outboard of a hinge below which a pivot is rounding


@kernel
def _factor_port(tree, work, s):
    """Write L, E, 1/D and the order of pivots of what hangs on port s."""
    A, L, D, order = work.Y, work.port_L, work.port_D, work.port_order
    dense6(get_inertia(work.site_P, s), A)
    turning, moving = work.site_s[s, 0].real, work.site_s[s, 1].real
    turning = 1.0 / turning if turning > 0.0 else 0.0
    moving = 1.0 / moving if moving > 0.0 else 0.0
    rank = 0
    for m in range(6):
        best, p = EMPTY, -1
        for j in range(3):
            size = abs(A[j, j].real) * turning
            if size > best:
                best, p = size, j
        for j in range(3, 6):
            size = abs(A[j, j].real) * moving
            if size > best:
                best, p = size, j
        if p < 0:
            break
        inverse = 1.0 / A[p, p]
        for k in range(6):
            L[s, 6 * k + m] = A[k, p] * inverse
        L[s, 6 * p + m] = 1.0
        x = (A[p, 0], A[p, 1], A[p, 2], A[p, 3], A[p, 4], A[p, 5])
        for k in range(6):
            f = L[s, 6 * k + m]
            A[k, 0] -= f * x[0]
            A[k, 1] -= f * x[1]
            A[k, 2] -= f * x[2]
            A[k, 3] -= f * x[3]
            A[k, 4] -= f * x[4]
            A[k, 5] -= f * x[5]
        for k in range(6):
            A[p, k] = 0.0
            A[k, p] = 0.0
        D[s, m] = inverse
        order[s, m] = p
        rank += 1
    order[s, 6] = rank
    for m in range(rank, 6):
        for k in range(6):
            L[s, 6 * k + m] = 0.0
    J, E = get9(work.site_J, s), work.port_E
    for m in range(6):
        x = turn_back(J, (L[s, m], L[s, 6 + m], L[s, 12 + m]))
        E[s, m], E[s, 6 + m], E[s, 12 + m] = x
        E[s, 18 + m], E[s, 24 + m], E[s, 30 + m] = L[s, 18 + m], L[s, 24 + m], L[s, 30 + m]


@kernel
def factor_ports(tree, work, i):
    """Factor what hangs on each port of body i."""
    for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
        _factor_port(tree, work, s)


@kernel
def _take_wrench(tree, work, s, t, f, d, beta):
    """Take D⁻¹[λ; γ]ᵀ[t; f] of port s from beta (n,)."""
    n, at = len(beta), 3 * tree.site_start[s]
    lam, gam = work.row_lam[at : at + 3 * n], work.row_gam[at : at + 3 * n]
    a, b, c = lam[:n], lam[n : 2 * n], lam[2 * n : 3 * n]
    x, y, z = gam[:n], gam[n : 2 * n], gam[2 * n : 3 * n]
    for r in range(n):
        force = (t[0] * a[r] + t[1] * b[r] + t[2] * c[r]) + (f[0] * x[r] + f[1] * y[r] + f[2] * z[r])
        beta[r] -= d[r] * force


@kernel
def _is_free_of_force(z, s):
    """Return whether nothing hangs on port s that exerts a force: most ports, where answers to forces are asked."""
    turned = z[s, 0] != 0.0 or z[s, 1] != 0.0 or z[s, 2] != 0.0
    return not (turned or z[s, 3] != 0.0 or z[s, 4] != 0.0 or z[s, 5] != 0.0)


@kernel
def take_port_forces(tree, work, i, beta):
    """Split z⁺ of the ports of body i into ζ and z⊥ (left in site_z), and take z⊥ to D⁻¹β and to z of the body."""
    n, mode = tree.body_modes[i], tree.body_mode[i]
    L, z = work.port_L, work.site_z
    d = work.mode_d[mode : mode + n]
    for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
        if _is_free_of_force(z, s):
            for m in range(6):
                work.port_zeta[s, m] = 0.0
            continue
        for m in range(work.port_order[s, 6]):
            e = z[s, work.port_order[s, m]]
            for k in range(6):
                z[s, k] -= L[s, 6 * k + m] * e
            work.port_zeta[s, m] = e * work.port_D[s, m]
        t, f = low(z, s), high(z, s)
        _take_wrench(tree, work, s, turn_back(get9(work.site_J, s), t), f, d, beta)
        add6(work.z, i, add(t, cross(get3(work.site_p, s), f)), f)


@kernel
def modal_motion(tree, work, s, beta):
    """Return Π D⁻¹β of port s: what D⁻¹β makes of its acceleration, halves."""
    n, at = len(beta), 3 * tree.site_start[s]
    spin = turn(get9(work.site_J, s), rows_times(work.row_lam[at : at + 3 * n], beta))
    return spin, rows_times(work.row_gam[at : at + 3 * n], beta)


@kernel
def _extent(tree, work, i):
    """Return where rows of body i start in port_G, how far they lie apart, and how many there are."""
    begin, end = tree.body_ports[i], tree.body_ports[i + 1]
    rank = 0
    for s in range(begin, end):
        rank += work.port_order[s, 6]
    return 36 * tree.body_block[i] + 48 * begin, 6 * (end - begin) + 8, rank


@kernel
def _rows_of_compliance(W, at, step, E, s, m, out, length):
    """Write Eᵀ W of column m of port s, for six rows `step` apart from `at` on."""
    a, b, c = E[s, m], E[s, 6 + m], E[s, 12 + m]
    d, e, f = E[s, 18 + m], E[s, 24 + m], E[s, 30 + m]
    x0 = np.uint64(at)
    x1, x2, x3 = np.uint64(at + step), np.uint64(at + 2 * step), np.uint64(at + 3 * step)
    x4, x5 = np.uint64(at + 4 * step), np.uint64(at + 5 * step)
    for k in range(np.uint64(length)):
        out[k] = (a * W[x0 + k] + b * W[x1 + k] + c * W[x2 + k]) + (
            d * W[x3 + k] + e * W[x4 + k] + f * W[x5 + k]
        )


@kernel
def _put_rows(tree, work, i, base, step, rank):
    """Write S and y of body i."""
    begin, end = tree.body_ports[i], tree.body_ports[i + 1]
    width, W0 = 6 * (end - begin), 36 * tree.body_block[i]
    G, E, L, Psi, v, order = work.port_G, work.port_E, work.port_L, work.Psi, work.body_f, work.port_order
    k = 0
    for s in range(begin, end):
        first = k
        at = 6 * (s - begin)
        for m in range(order[s, 6]):
            _rows_of_compliance(work.W0, W0 + at * (width + 1), width, E, s, m, v, width - at)
            row, x = base + k * step + first, 0
            for t in range(s, end):
                # six columns: those beyond the rank are zero, and written over
                for j in range(6):
                    G[row + j] = (v[x] * E[t, j] + v[x + 1] * E[t, 6 + j] + v[x + 2] * E[t, 12 + j]) + (
                        v[x + 3] * E[t, 18 + j] + v[x + 4] * E[t, 24 + j] + v[x + 5] * E[t, 30 + j]
                    )
                row += order[t, 6]
                x += 6
            G[base + k * step + k] += work.port_D[s, m]
            last = work.port_zeta[s, m]
            for j in range(6):
                total = 0.0 * last
                for q in range(6):
                    total += L[s, 6 * q + m] * Psi[6 * s + q, j]
                G[row + j] = total
                last += L[s, 6 * j + m] * work.site_g[s, j]
            G[row + 6] = last
            k += 1


@kernel
def _less_four(G, y, length, a, b, c, d, e, f, g, h):
    """Take e G_a + f G_b + g G_c + h G_d from `length` numbers of G at y; a, b, c, d are positions."""
    for k in range(length):
        G[y + k] -= (e * G[a + k] + f * G[b + k]) + (g * G[c + k] + h * G[d + k])


@kernel
def _reduce(G, base, step, rank):
    """Eliminate the rows of S and y in place; return False at a pivot of zero."""
    for i in range(rank):
        y = base + i * step + i
        length = np.uint64(rank - i + 7)
        for j in range(0, i, 4):
            a = base + j * step
            # rows from i on do not count
            b, c, d = (
                a + step if j + 1 < i else a,
                a + 2 * step if j + 2 < i else a,
                a + 3 * step if j + 3 < i else a,
            )
            e = G[a + i] * G[a + j]
            f = G[b + i] * G[b + j + 1] if j + 1 < i else 0.0 * e
            g = G[c + i] * G[c + j + 2] if j + 2 < i else 0.0 * e
            h = G[d + i] * G[d + j + 3] if j + 3 < i else 0.0 * e
            _less_four(
                G,
                np.uint64(y),
                length,
                np.uint64(a + i),
                np.uint64(b + i),
                np.uint64(c + i),
                np.uint64(d + i),
                e,
                f,
                g,
                h,
            )
        if not abs(G[y].real) > 0.0:
            return False
        G[y] = 1.0 / G[y]
    return True


@kernel
def eliminate_ports(tree, work, i):
    """Add what hangs on the ports to z of body i and write the (6, 6) inertia of it to Y; return whether it can be.

    After `factor_ports`, `take_port_forces`, with Psi and site_g in place.
    """
    base, step, rank = _extent(tree, work, i)
    _put_rows(tree, work, i, base, step, rank)
    G, Y = work.port_G, work.Y
    if not _reduce(G, base, step, rank):
        return False
    for k in range(6):
        for j in range(6):
            Y[k, j] = 0.0
    for k in range(rank):
        row = base + k * step
        y, inverse = row + rank, G[row + k]
        for a in range(6):
            f = inverse * G[y + a]
            for j in range(6):
                Y[a, j] += f * G[y + j]
            work.z[i, a] += f * G[y + 6]
    return True


@kernel
def forces_inward(tree, work, i):
    """Take new forces at the ports of body i, with S of before: write y₇ and add to z of the body."""
    base, step, rank = _extent(tree, work, i)
    G, L, k = work.port_G, work.port_L, 0
    for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
        for m in range(work.port_order[s, 6]):
            total = work.port_zeta[s, m]
            for j in range(6):
                total += L[s, 6 * j + m] * work.site_g[s, j]
            G[base + k * step + rank + 6] = total
            k += 1
    for k in range(rank):
        row = base + k * step
        f = G[row + rank + 6] * G[row + k]
        for j in range(k + 1, rank):
            G[base + j * step + rank + 6] -= f * G[row + j]
        for j in range(6):
            work.z[i, j] += f * G[row + rank + j]


@kernel
def no_port_forces(tree, work, i):
    """Clear y₇ of body i."""
    base, step, rank = _extent(tree, work, i)
    for k in range(rank):
        work.port_G[base + k * step + rank + 6] = 0.0


@kernel
def port_forces(tree, work, i, out):
    """Write the forces f at the ports of body i (site_f), with A of the body known, and take them from modes to `out`.

    out (n,): Πᵀ(f - z⊥) is added. W₀ needs the forces less z⊥ turned back by J_l: `port_t`.
    """
    base, step, rank = _extent(tree, work, i)
    G, w, L, n = work.port_G, work.body_f, work.port_L, len(out)
    for k in range(rank - 1, -1, -1):
        row = base + k * step
        y = row + rank
        total = G[y + 6]
        for j in range(6):
            total += G[y + j] * work.A[i, j]
        for j in range(k + 1, rank):
            total -= G[row + j] * w[j]
        w[k] = total * G[row + k]
    k = 0
    for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
        for j in range(6):
            total = 0.0 * work.site_z[s, j]
            for m in range(work.port_order[s, 6]):
                total += L[s, 6 * j + m] * w[k + m]
            work.site_f[s, j] = total
        k += work.port_order[s, 6]
        t, f = turn_back(get9(work.site_J, s), low(work.site_f, s)), high(work.site_f, s)
        add6(work.site_f, s, low(work.site_z, s), high(work.site_z, s))
        at, x = 3 * tree.site_start[s], 6 * s
        add_rows(out, work.row_lam[at : at + 3 * n], t)
        add_rows(out, work.row_gam[at : at + 3 * n], f)
        for j in range(3):
            work.port_t[x + j] = t[j]
            work.port_t[x + 3 + j] = f[j]


@kernel
def port_accelerations(tree, work, i):
    """Write Ψα + g - W(f - z⊥) of the ports of body i, after `port_forces`."""
    begin, end = tree.body_ports[i], tree.body_ports[i + 1]
    width, row = 6 * (end - begin), 36 * tree.body_block[i]
    x, a, W0, first = work.port_t, work.body_f, work.W0, np.uint64(6 * begin)
    for s in range(begin, end):
        for j in range(6):
            total, at = 0.0 * x[first], np.uint64(row)
            for m in range(np.uint64(width)):
                total += W0[at + m] * x[first + m]
            a[j] = total
            row += width
        t = turn(get9(work.site_J, s), (a[0], a[1], a[2]))
        put6(work.site_a, s, (-t[0], -t[1], -t[2]), (-a[3], -a[4], -a[5]))
        for j in range(6):
            total = work.site_g[s, j]
            for m in range(6):
                total += work.Psi[6 * s + j, m] * work.A[i, m]
            work.site_a[s, j] += total
