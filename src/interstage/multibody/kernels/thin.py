"""Sums over pairs of modes of a body with few mass points, by the rows of `flex.thin`: B_rs = Σ_k W_k,r W_k,sᵀ.

With p = Σ_r W_r η_r and ṗ = Σ_r W_r η̇_r (3,) of each row what `flex.pairs` reads from tables is

    Σ_s J2_rs η_s = W_r·p 1 - sym(W_r pᵀ),    Σ_s a_sr η_s = p×W_r,    Σ_s ω·a_sr η̇_s = (ω×ṗ)·W_r      summed over rows
"""

from __future__ import annotations

import numpy as np

from interstage.multibody.handle import stage
from interstage.multibody.kernels.rows import clear_vector
from interstage.multibody.kernels.slots import low
from interstage.multibody.kernels.small import inlined, kernel


@kernel
def _four_sums(W, at, x, i, v, m, length):
    """Return the sums of four rows that follow each other at `at` times x[i...], and times v[m...]."""
    s = 0.0 * x[i]
    t, u, w = s, s, s
    p, q, r, z = s, s, s, s
    second, third, fourth = at + length, at + length + length, at + length + length + length
    for k in range(length):
        e, f, g, h = W[at + k], W[second + k], W[third + k], W[fourth + k]
        place, speed = x[i + k], v[m + k]
        s += e * place
        t += f * place
        u += g * place
        w += h * place
        p += e * speed
        q += f * speed
        r += g * speed
        z += h * speed
    return (s, t, u, w), (p, q, r, z)


@kernel
def _add_four(W, at, y, j, o, length, a, b):
    """Add four rows times a (4,) to y[j...], and times b (4,) to y[o...]."""
    second, third, fourth = at + length, at + length + length, at + length + length + length
    for k in range(length):
        e, f, g, h = W[at + k], W[second + k], W[third + k], W[fourth + k]
        y[j + k] += a[0] * e + a[1] * f + a[2] * g + a[3] * h
        y[o + k] += b[0] * e + b[1] * f + b[2] * g + b[3] * h


@inlined
def _across(s, a, t, b):
    """Return s a - t b of four numbers each."""
    return (s * a[0] - t * b[0], s * a[1] - t * b[1], s * a[2] - t * b[2], s * a[3] - t * b[3])


@stage("nxx")
def thin_pairs(tree, work, i, q, v):
    """Do `flex.pairs` for body i by its rows, four at a time: of each four first x, then y, then z."""
    n, W, y, w = tree.body_modes[i], tree.flex_thin, work.mode_y, low(work.V, i)
    base = 10 * tree.body_mode[i]
    clear_vector(y[base : base + 10 * n])
    length, first = np.uint64(n), np.uint64(base)
    place, speed = np.uint64(tree.body_eta[i]), np.uint64(tree.joint_v[i] + tree.joint_nv[i])
    four, at = length + length + length + length, np.uint64(tree.body_thin[i])
    y1 = first + length
    y2 = y1 + length
    y3, y4, y5, y6, y7, y8 = (
        y2 + length,
        first + four,
        y1 + four,
        y2 + four,
        y2 + four + length,
        first + four + four,
    )
    y9 = y8 + length
    for _ in range(tree.body_rank[i]):
        x, u = _four_sums(W, at, q, place, v, speed, length)
        ahead = at + four
        b, c = _four_sums(W, ahead, q, place, v, speed, length)
        last = ahead + four
        d, e = _four_sums(W, last, q, place, v, speed, length)
        # planes: W_x p_x, W_y p_y, W_z p_z, W_x p_y, W_x p_z, W_y p_x, W_y p_z, W_z p_x, W_z p_y, (ω×ṗ)·W
        _add_four(W, at, y, first, y9, length, x, _across(w[1], e, w[2], c))
        _add_four(W, at, y, y3, y4, length, b, d)
        _add_four(W, ahead, y, y1, y9, length, b, _across(w[2], u, w[0], e))
        _add_four(W, ahead, y, y5, y6, length, x, d)
        _add_four(W, last, y, y2, y9, length, d, _across(w[0], c, w[1], u))
        _add_four(W, last, y, y7, y8, length, x, b)
        at = last + four
    _planes_of_pairs(y, base, n, tree.body_order[i] == 2)


@kernel
def _planes_of_pairs(y, base, n, second):
    """Turn the nine products W_a p_b into J2 (6), zero without `second`, and p×W (3)."""
    half = 0.5 if second else 0.0
    for r in range(base, base + n):
        xx, yy, zz = half * y[r], half * y[r + n], half * y[r + 2 * n]
        xy, xz, yx = y[r + 3 * n], y[r + 4 * n], y[r + 5 * n]
        yz, zx, zy = y[r + 6 * n], y[r + 7 * n], y[r + 8 * n]
        y[r], y[r + n], y[r + 2 * n] = 2.0 * (yy + zz), 2.0 * (xx + zz), 2.0 * (xx + yy)
        y[r + 3 * n], y[r + 4 * n], y[r + 5 * n] = -half * (xy + yx), -half * (xz + zx), -half * (yz + zy)
        y[r + 6 * n], y[r + 7 * n], y[r + 8 * n] = zy - yz, xz - zx, yx - xy
