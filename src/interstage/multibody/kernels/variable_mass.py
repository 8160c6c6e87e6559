"""Bodies that burn: integrals from the propellant in their tanks, and modal mass that is not one.

With constant shapes every integral is linear in the mass matrix, and that of a tank is linear between two of its
levels, so that all integrals of a body are sums, base + Σ_k [level_k + (m_k - mass of level_k) slope_k]. They are
written into the scratch when masses change; no matrix of the structure is touched, and what stands on levels is summed
once for each pair of levels. The numbers of a body of n modes are

    m, m c, J (10);  E (3, n);  F0 (3, n);  J1 (6, n);  G (n, n);  pairs as `body_inertia` reads them;  and, where tanks
    change it, the modal stiffness less the diagonal that the springs of the modes have, K - ω² (n, n);  where loads
    change the stiffness, R and P (6, n, n) and Sᵀp (6, 6), see below

Geometric stiffness is that of unit loads p which the inertia of now balances, p - M S a with a = M_rr⁻¹ Sᵀp. It is
linear in the load: with R_j that of -M S_j, the six rigid accelerations, and P_k that of the six products of the spin,
both sums over levels, and K_p that of the load alone,

    K = K_p + Σ_j a_j R_j      at a node,        K = P_k + Σ_j a_j R_j,  a = M_rr⁻¹ Sᵀp_k      of the spin

Modal mass G is full. With G + shift = L Lᵀ and ξ = Lᵀη̈ the equations of the modes have unit mass,

    ξ + (M_rη L⁻ᵀ)ᵀ α + (Π L⁻ᵀ)ᵀ f = L⁻¹ β,

so that the elimination of modes runs on rows times L⁻ᵀ (`row_E`, `row_F`, `row_lam`, `row_gam`) with D = 1, and η̈ is
L⁻ᵀ ξ. G does not depend on η, and L stays real under complex steps.
"""

from __future__ import annotations

import numpy as np

from interstage.multibody.address_table import stage
from interstage.multibody.kernels.algebra import factor_upper, kernel, lower_three
from interstage.multibody.kernels.dense import (
    cholesky_lower,
    eigen_symmetric,
    solve_lower,
    solve_lower_transposed,
)

REFRESH = 2e-3  # of a tank: geometric stiffness is found at propellant rounded to so much
DAMPED = 5e-3  # of a tank: modal damping and its slopes are, and damping follows these between


@kernel
def _level_below(tree, k, mass):
    """Return the level of tank k at or below a mass, and what is above it; beyond its levels the nearest counts."""
    i, last = tree.tank_level[k], tree.tank_level[k + 1] - 1
    while i < last and mass >= tree.level_mass[i + 1]:
        i += 1
    if i == last or mass <= tree.level_mass[i]:
        return i, 0.0
    return i, mass - tree.level_mass[i]


@kernel
def sums_at(tree, i, masses, offset, out):
    """Write numbers from an offset on of the sums of body i, with masses (T,)."""
    at, numbers, slopes = tree.body_base[i] + offset, tree.tank_numbers, tree.tank_slopes
    for j in range(len(out)):
        out[j] = numbers[at + j]
    for k in range(tree.body_tank[i], tree.body_tank[i + 1]):
        level, more = _level_below(tree, k, masses[k])
        at = tree.level_numbers[level] + offset
        for j in range(len(out)):
            out[j] += numbers[at + j] + more * slopes[at + j]


@kernel
def _stand_on_levels(tree, work, i):
    """Write the sums of body i with every tank at its level below, where one of these is another than before."""
    new = False
    for k in range(tree.body_tank[i], tree.body_tank[i + 1]):
        level, _ = _level_below(tree, k, work.propellant[k])
        new = new or work.level[k] != level
        work.level[k] = level
    if new:
        sums = work.level_sums[tree.body_sums[i] : tree.body_sums[i + 1]]
        numbers = tree.tank_numbers
        sums[:] = numbers[tree.body_base[i] : tree.body_base[i] + len(sums)]
        for k in range(tree.body_tank[i], tree.body_tank[i + 1]):
            at = tree.level_numbers[work.level[k]]
            sums += numbers[at : at + len(sums)]


@kernel
def _add_slopes(tree, work, i, offset, out):
    """Write numbers from an offset on of the sums of body i at the propellant of now, after `_stand_on_levels`."""
    first, n = tree.body_sums[i] + offset, len(out)
    sums = work.level_sums[first : first + n]
    for j in range(n):
        out[j] = sums[j]
    for k in range(tree.body_tank[i], tree.body_tank[i + 1]):
        level = work.level[k]
        more = work.propellant[k] - tree.level_mass[level]
        if more > 0.0 and level < tree.tank_level[k + 1] - 1:
            at = tree.level_numbers[level] + offset
            slope = tree.tank_slopes[at : at + n]
            for j in range(n):
                out[j] += more * slope[j]


@kernel
def pair_count(n):
    """Return how many numbers `body_inertia.pairs` reads for n modes."""
    count = 0
    for r in range(0, n, 4):
        count += 36 * (n - r)
    return count


@kernel
def _weigh_body(tree, work, i):
    """Write the integrals of body i at the propellant of now."""
    n, e, f, pair = tree.body_modes[i], 3 * tree.body_flex[i], 6 * tree.body_flex[i], tree.body_pair[i]
    at, square = 10 + 12 * n, tree.body_square[i]
    _stand_on_levels(tree, work, i)
    _add_slopes(tree, work, i, 0, work.body_inertia[i])
    _add_slopes(tree, work, i, 10, work.pool_E[e : e + 3 * n])
    _add_slopes(tree, work, i, 10 + 3 * n, work.pool_F0[e : e + 3 * n])
    _add_slopes(tree, work, i, at, work.mass_G[square : square + n * n])
    if tree.body_order[i] > 0:
        _add_slopes(tree, work, i, 10 + 6 * n, work.pool_J1[f : f + 6 * n])
        _add_slopes(tree, work, i, at + n * n, work.pool_pair[pair : pair + pair_count(n)])
    if tree.body_soft[i] != 0:
        _add_slopes(tree, work, i, at + n * n + pair_count(n), work.mass_K[square : square + n * n])


@kernel
def _ratio_at(tree, first, rate):
    """Return the damping ratio at a rate, rad/s: linear between the rows of a table, its ends beyond them."""
    count, table = int(tree.tank_ratio[first, 0]), tree.tank_ratio
    at = first + 1
    if rate <= table[at, 0]:
        return table[at, 1]
    for k in range(at, at + count - 1):
        if rate <= table[k + 1, 0]:
            w = (rate - table[k, 0]) / (table[k + 1, 0] - table[k, 0])
            return (1.0 - w) * table[k, 1] + w * table[k + 1, 1]
    return table[at + count - 1, 1]


@kernel
def _round_masses(tree, work, i, size, masses):
    """Write the propellant of body i rounded to a size, of its tanks, to masses (T,); return whether it has changed."""
    new = False
    for k in range(tree.body_tank[i], tree.body_tank[i + 1]):
        top = tree.level_mass[tree.tank_level[k + 1] - 1]
        part = size * (top - tree.level_mass[tree.tank_level[k]])
        rounded = top if part == 0.0 else top - part * np.floor((top - work.propellant[k]) / part + 0.5)
        if rounded != masses[k]:
            masses[k] = rounded
            new = True
    return new


@kernel
def _rigid_mass(tree, i, masses, m, M):
    """Write M_rr (6, 6) of [ω; v] of body i, undeformed; m : (10,) scratch."""
    sums_at(tree, i, masses, 0, m)
    M[:, :] = 0.0
    M[0, 0], M[1, 1], M[2, 2], M[0, 1], M[0, 2], M[1, 2] = m[4], m[5], m[6], m[7], m[8], m[9]
    M[0, 4], M[0, 5], M[1, 5] = -m[3], m[2], -m[1]
    M[1, 3], M[2, 3], M[2, 4] = m[3], -m[2], m[1]
    for a in range(3):
        M[3 + a, 3 + a] = m[0]
    for a in range(6):
        for b in range(a):
            M[a, b] = M[b, a]


@kernel
def _square_at(room, first, n):
    """Return the square (n, n) that begins at a number of scratch."""
    return room[first : first + n * n].reshape(n, n)


@kernel
def _stiffen_body(tree, work, i):
    """Write the geometric stiffness of unit loads on body i, balanced by its inertia at masses that are rounded."""
    n, room = tree.body_modes[i], work.burning
    size, T = n * n, len(work.propellant)
    masses = work.weighed[T : 2 * T]
    offset = 10 + 12 * n + size + pair_count(n)
    if tree.body_soft[i] != 0:
        offset += size
    M, own = _square_at(room, 10, 6), room[46 : 82 + 12 * size]
    sums_at(tree, i, masses, offset, own)
    _rigid_mass(tree, i, masses, room[:10], M)
    whole = cholesky_lower(M)
    K, arm = work.pool_stiff, room[:6]
    for row in range(len(tree.stiff_burn)):
        at, body, unit = tree.stiff_burn[row]
        if body != i:
            continue
        spin, held = tree.unit_spin[unit], tree.unit_at[unit]
        for k in range(size):
            K[at + k] = tree.unit_K[held + k] if spin < 0 else own[(6 + spin) * size + k]
        for k in range(6):
            arm[k] = tree.unit_arm[unit, k] if spin < 0 else own[12 * size + 6 * spin + k]
        if whole:
            solve_lower(M, arm.reshape(6, 1))
            solve_lower_transposed(M, arm.reshape(6, 1))
        else:
            arm[:] = np.nan  # no mass in some direction: a load has no balance
        for j in range(6):
            a = arm[j]
            if a != 0.0:
                for k in range(size):
                    K[at + k] += a * own[j * size + k]


@kernel
def _damp_body(tree, work, i, masses, out):
    """Write modal damping (n n,) by definition at masses (T,): C = M_e Ψ diag(2ζω) Ψᵀ M_e of the free body.

    K Ψ = M_e Ψ ω², Ψᵀ M_e Ψ = 1, M_e = G - M_ηr M_rr⁻¹ M_rη.
    """
    n, first, room = tree.body_modes[i], tree.joint_v[i] + tree.joint_nv[i], work.burning
    size = n * n
    M, rows = _square_at(room, 10, 6), room[46 : 46 + 6 * n].reshape(6, n)
    at = 46 + 6 * n
    G, Y, H = _square_at(room, at, n), _square_at(room, at + size, n), _square_at(room, at + 2 * size, n)
    inverse, e = room[at + 3 * size : at + 3 * size + n], room[at + 3 * size + n : at + 3 * size + 2 * n]
    # [F; E] of both, then G - M_ηr M_rr⁻¹ M_rη by half of it, L⁻¹ M_rη
    sums_at(tree, i, masses, 10, room[46 + 3 * n : 46 + 6 * n])
    sums_at(tree, i, masses, 10 + 3 * n, room[46 : 46 + 3 * n])
    sums_at(tree, i, masses, 10 + 12 * n, room[at : at + size])
    _rigid_mass(tree, i, masses, room[:10], M)
    if not cholesky_lower(M):
        out[:] = np.nan
        return
    solve_lower(M, rows)
    for r in range(n):
        for s in range(n):
            for k in range(6):
                G[r, s] -= rows[k, r] * rows[k, s]
    # the inverse problem with K = H Hᵀ, H⁻¹ M_e H⁻ᵀ y = ω⁻² y: Ψ = H⁻ᵀ y ω, M_e Ψ = H y / ω
    H[:, :] = 0.0
    if tree.body_soft[i] != 0:
        whole = 10 + 12 * n + size + pair_count(n)
        sums_at(tree, i, masses, whole, room[at + 2 * size : at + 3 * size])
    for r in range(n):
        H[r, r] += tree.v_stiffness[first + r]
    if not cholesky_lower(H):
        out[:] = np.nan
        return
    solve_lower(H, G)
    for r in range(n):
        for s in range(n):
            Y[r, s] = G[s, r]
    solve_lower(H, Y)
    for r in range(n):
        for s in range(r):
            Y[r, s] = Y[s, r] = 0.5 * (Y[r, s] + Y[s, r])
    if not eigen_symmetric(Y, inverse, e):
        out[:] = np.nan
        return
    for k in range(n):
        omega = 1.0 / np.sqrt(max(inverse[k], 1e-16 * inverse[n - 1]))
        e[k] = np.sqrt(2.0 * _ratio_at(tree, tree.body_ratio[i], omega) * omega) / omega
    for r in range(n):
        for k in range(n):
            total = 0.0
            for s in range(r + 1):
                total += H[r, s] * Y[s, k]
            G[r, k] = total * e[k]
    for r in range(n):
        for s in range(n):
            total = 0.0
            for k in range(n):
                total += G[r, k] * G[s, k]
            out[n * r + s] = total


@kernel
def _damp_around(tree, work, i):
    """Write modal damping at rounded masses, and its slope with each tank between the ends of what is rounded alike."""
    n, T = tree.body_modes[i], len(work.propellant)
    size, masses = n * n, work.weighed[2 * T :]
    at = (1 + T) * tree.body_square[i]
    _damp_body(tree, work, i, masses, work.mass_C[at : at + size])
    other = work.burning[len(work.burning) - size :]
    for k in range(tree.body_tank[i], tree.body_tank[i + 1]):
        at += size
        slope, middle = work.mass_C[at : at + size], masses[k]
        low, top = tree.level_mass[tree.tank_level[k]], tree.level_mass[tree.tank_level[k + 1] - 1]
        half = 0.5 * DAMPED * (top - low)
        up, down = min(middle + half, top), max(middle - half, low)
        slope[:] = 0.0
        if up <= down:
            continue
        masses[k] = up
        _damp_body(tree, work, i, masses, slope)
        masses[k] = down
        _damp_body(tree, work, i, masses, other)
        masses[k] = middle
        for j in range(size):
            slope[j] = (slope[j] - other[j]) / (up - down)


@kernel
def _damp_now(tree, work, i):
    """Write modal damping at the propellant of now, where nothing but masses has changed it."""
    n, T, to = tree.body_modes[i], len(work.propellant), tree.body_mixed[i]
    size, at = n * n, (1 + T) * tree.body_square[i]
    for j in range(size):
        work.pool_C[to + j] = work.mass_C[at + j]
    for k in range(tree.body_tank[i], tree.body_tank[i + 1]):
        at += size
        more = work.propellant[k] - work.weighed[2 * T + k]
        if more != 0.0:
            for j in range(size):
                work.pool_C[to + j] += more * work.mass_C[at + j]


@stage("", "int64")
def weigh(tree, work):
    """Write integrals of all bodies that burn where their propellant has changed; return whether it has.

    `body_inertia.prepare` follows then.
    """
    changed = False
    for k in range(len(work.propellant)):
        if work.weighed[k] != work.propellant[k]:  # none at first: NaN
            work.weighed[k] = work.propellant[k]
            changed = True
    if not changed:
        return 0
    for i in range(tree.sizes[0]):
        if tree.body_square[i] >= 0:
            _weigh_body(tree, work, i)
            T = len(work.propellant)
            if tree.body_ratio[i] >= 0:
                if _round_masses(tree, work, i, DAMPED, work.weighed[2 * T :]):
                    _damp_around(tree, work, i)
                _damp_now(tree, work, i)
            if tree.body_unit[i] >= 0 and _round_masses(tree, work, i, REFRESH, work.weighed[T : 2 * T]):
                _stiffen_body(tree, work, i)
    return 1


@kernel
def factor_mass(tree, work, i):
    """Write Lᵀ of G + shift of body i, upper rows of a square; return whether it is positive."""
    n, at, first = tree.body_modes[i], tree.body_square[i], tree.joint_v[i] + tree.joint_nv[i]
    G, U = work.mass_G, work.mass_L
    for k in range(at, at + n * n):
        U[k] = G[k]
    for r in range(n):
        U[at + (n + 1) * r] += work.shift[first + r].real
    return factor_upper(U, at, n)


@kernel
def whiten(tree, work, i, rows, to, first, count):
    """Write rows (count, n), threes of them, from rows[first] on times L⁻ᵀ of body i into `to`, at the same place."""
    n, at = tree.body_modes[i], tree.body_square[i]
    for k in range(count * n):
        to[first + k] = rows[first + k]
    for k in range(0, count, 3):
        lower_three(work.mass_L, at, n, to, first + k * n)


@kernel
def soft_times(tree, work, i, x, r):
    """Return row r of (K - ω²) x of body i, x (n,), whose tanks change its stiffness (`body_soft`)."""
    n = tree.body_modes[i]
    at = tree.body_square[i] + n * r
    s = 0.0 * x[0]
    for k in range(n):
        s += work.mass_K[at + k] * x[k]
    return s


@kernel
def mass_times(tree, work, i, x, first, r):
    """Return row r of G x[first ...] of body i, whose modal mass is one where it does not burn."""
    at, n = tree.body_square[i], tree.body_modes[i]
    if at < 0:
        return x[first + r]
    s = 0.0 * x[first]
    for k in range(n):
        s += work.mass_G[at + n * r + k] * x[first + k]
    return s
