"""Geometric stiffness: modal forces of the loads that a flexible body carries.

    η̈ + M_ηr α + (Ω² + Σ ω_iω_j K_ij + Σ_k f_k K_k) η + ... = β

f_k are forces and moments at nodes, body axes: those of the inboard joint, of the joints at ports (less what the body
exerts on its children) and of external wrenches. Each K is that of a unit load balanced by the inertia of the body, so
that accelerations of the frame and gravity have none. Products of ω go into b_η, external wrenches into their modal
forces. Forces across joints depend on the accelerations that they are to give (`settling`); inverse dynamics knows
them.

Six loads are a block: the products xx yy zz xy xz yz of ω, or [t; f] at a node. -1 in it stands for a load without
effect.
"""

from __future__ import annotations

import numpy as np

from interstage.multibody.address_table import stage
from interstage.multibody.kernels.algebra import kernel
from interstage.multibody.kernels.array_access import low
from interstage.multibody.kernels.joints import FREE, hinge_forces

NOT_SETTLED = -3  # status: forces across joints and geometric stiffness have no common answer


@kernel
def add_product(K, first, x, c, y, start):
    """Add c K x to y[start...]; K (n, n) begins at K[first]. Unsigned positions let the loops run on vectors."""
    n = len(x)
    length, row = np.uint64(n), np.uint64(first)
    for r in range(0, n - 3, 4):
        a, b, d, e = row, row + length, row + length + length, row + length + length + length
        s = 0.0 * x[0]
        t, u, w = s, s, s
        for j in range(length):
            z = x[j]
            s += K[a + j] * z
            t += K[b + j] * z
            u += K[d + j] * z
            w += K[e + j] * z
        at = start + r
        y[at] += c * s
        y[at + 1] += c * t
        y[at + 2] += c * u
        y[at + 3] += c * w
        row = e + length
    for r in range(n - n % 4, n):
        s = 0.0 * x[0]
        for j in range(length):
            s += K[row + j] * x[j]
        y[start + r] += c * s
        row += length


@kernel
def add_stiffness(tree, work, block, c, eta, out):
    """Add Σ_k c_k K_k η to out (n,), K_k the six loads of a block."""
    K = work.pool_stiff
    for k in range(6):
        at = tree.stiff_block[block, k]
        if at >= 0 and c[k] != 0.0:
            add_product(K, at, eta, c[k], out, 0)


@stage("nx")
def spin_stiffness(tree, work, i, q):
    """Add the geometric stiffness of the spin ω of body i to modal velocity terms."""
    n, mode, (x, y, z) = tree.body_modes[i], tree.body_mode[i], low(work.V, i)
    eta, out = q[tree.body_eta[i] : tree.body_eta[i] + n], work.mode_b[mode : mode + n]
    add_stiffness(tree, work, tree.body_spin[i], (x * x, y * y, z * z, x * y, x * z, y * z), eta, out)


@kernel
def node_stiffness(tree, work, block, t, f, eta, out):
    """Take the geometric stiffness of a wrench at a node from modal forces."""
    add_stiffness(tree, work, block, (-t[0], -t[1], -t[2], -f[0], -f[1], -f[2]), eta, out)


@kernel
def _rows_of(tree, work, block, eta, out, start):
    """Write K_k η of a block to out[start...], n numbers a load."""
    n, K = len(eta), work.pool_stiff
    for k in range(start, start + 6 * n):
        out[k] = 0.0
    for k in range(6):
        at = tree.stiff_block[block, k]
        if at >= 0:
            add_product(K, at, eta, 1.0, out, start + n * k)


@kernel
def is_loose(tree, work, i):
    """Return whether body i is free in its joint, so that nothing but what acts on the joint holds it."""
    return tree.joint_kind[i] == FREE and work.joint_mode[i] == 0


@stage("x")
def stiff_rows(tree, work, q):
    """Write K_k η of the joints of every body whose stiffness they change."""
    for i in range(tree.sizes[0]):
        if tree.body_stiff[i] <= 0:
            continue
        eta = q[tree.body_eta[i] : tree.body_eta[i] + tree.body_modes[i]]
        if tree.body_root[i] >= 0 and not is_loose(tree, work, i):
            _rows_of(tree, work, tree.body_root[i], eta, work.mode_G, 6 * tree.body_mode[i])
        for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
            if tree.site_load[s] >= 0:
                _rows_of(tree, work, tree.site_load[s], eta, work.site_G, 6 * tree.site_start[s])


@stage("xxx")
def known_loads(tree, work, q, v, tau):
    """Add Σ f_k K_k η of what acts on free joints to modal velocity terms: nothing else holds such a body."""
    for i in range(tree.sizes[0]):
        if tree.body_stiff[i] > 0 and tree.body_root[i] >= 0 and is_loose(tree, work, i):
            n, mode, f = tree.body_modes[i], tree.body_mode[i], work.body_f
            hinge_forces(tree, i, q, v, tau, f)
            eta, b = q[tree.body_eta[i] : tree.body_eta[i] + n], work.mode_b[mode : mode + n]
            add_stiffness(tree, work, tree.body_root[i], (f[0], f[1], f[2], f[3], f[4], f[5]), eta, b)


@kernel
def add_six(G, first, c, out):
    """Add Σ_k c_k G_k of six rows that begin at G[first] to out (n,)."""
    n = len(out)
    x, y, z = G[first : first + n], G[first + n : first + 2 * n], G[first + 2 * n : first + 3 * n]
    first += 3 * n
    u, v, w = G[first : first + n], G[first + n : first + 2 * n], G[first + 2 * n : first + 3 * n]
    a, b, d, e, f, g = c
    for r in range(n):
        out[r] += (a * x[r] + b * y[r] + d * z[r]) + (e * u[r] + f * v[r] + g * w[r])


@kernel
def add_carried(tree, work, i, q, out):
    """Add Σ f_k K_k η of the forces across the joints of body i (z, site_z) to out (n,)."""
    n, mode, root = tree.body_modes[i], tree.body_mode[i], tree.body_root[i]
    if root >= 0 and is_loose(tree, work, i):
        z, eta = work.z, q[tree.body_eta[i] : tree.body_eta[i] + n]
        add_stiffness(tree, work, root, (z[i, 0], z[i, 1], z[i, 2], z[i, 3], z[i, 4], z[i, 5]), eta, out)
    elif root >= 0:
        z = work.z
        add_six(work.mode_G, 6 * mode, (z[i, 0], z[i, 1], z[i, 2], z[i, 3], z[i, 4], z[i, 5]), out)
    for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
        if tree.site_load[s] >= 0:
            z = work.site_z
            c = (-z[s, 0], -z[s, 1], -z[s, 2], -z[s, 3], -z[s, 4], -z[s, 5])
            add_six(work.site_G, 6 * tree.site_start[s], c, out)
