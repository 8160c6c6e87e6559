"""Geometric stiffness under forces across joints, which depend on the accelerations that they are to give.

Forward dynamics starts without it,

    f = P α + z (inboard),   z⊥ + L w (ports),       h = -Σ f_k K_k η,

and adds the answer M⁻¹h of the tree, whose forces across joints make the next h, until it is nothing (`settle`): one
inward pass of inertias, then of forces alone. h shrinks from pass to pass by about the ratio of Σ K_k η to the inertia
that couples modes and frame: small deformations, few passes. Inverse dynamics knows the forces and needs none.
What acts on a free joint is known before (`stiffening.known_loads`), and such a joint exerts nothing in the answers.

Where as many passes as there are forces would not settle them (a freely hinged blade, modes of next to no mass), they
are found at once: with R the forces that answer unit forces f_k, column by column, and f⁰ those still unanswered,

    f = f⁰ + R f,      (1 - R) f = f⁰
"""

from __future__ import annotations

from interstage.multibody.address_table import stage
from interstage.multibody.kernels.algebra import add, inertia_times, kernel
from interstage.multibody.kernels.array_access import (
    clear_vector,
    get_inertia,
    high,
    low,
    put6,
    solve_general,
)
from interstage.multibody.kernels.geometric_stiffness import NOT_SETTLED, add_carried, add_six, is_loose
from interstage.multibody.kernels.modal_elimination import body_inward, no_forces, spread

PASSES = 80
SETTLED = 1e-12  # new modal force of a pass, as a share of the largest, that ends them
SURE = 0.01  # of it: a pass that is expected to end there is not looked at


@kernel
def _forces_of(tree, work, i):
    """Write the forces across the joints of body i into z and site_z, after an outward pass; none of a free joint."""
    if is_loose(tree, work, i):
        for k in range(6):
            work.z[i, k] = 0.0
    else:
        t, f = inertia_times(get_inertia(work.P, i), low(work.A, i), high(work.A, i))
        put6(work.z, i, add(t, low(work.z, i)), add(f, high(work.z, i)))
    for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
        put6(work.site_z, s, low(work.site_f, s), high(work.site_f, s))


@kernel
def gather(tree, work, q):
    """Add Σ f_k K_k η of the forces across joints of a pass to mode_h, after its outward pass."""
    for i in range(tree.sizes[0]):
        if tree.body_stiff[i] > 0:
            _forces_of(tree, work, i)
            mode = tree.body_mode[i]
            add_carried(tree, work, i, q, work.mode_h[mode : mode + tree.body_modes[i]])


@kernel
def share_of(tree, work, first, more):
    """Return the largest modal force in mode_h, as a share of those of its body in the first pass.

    first : this is that pass;  more : it is one that belongs to it, with other forces on the same modes

    Imaginary parts are derivatives (complex steps): they settle by themselves.
    """
    largest = 0.0
    for i in range(tree.sizes[0]):
        if tree.body_stiff[i] <= 0:
            continue
        gap, slope, size, steep = 0.0, 0.0, 0.0, 0.0
        for r in range(tree.body_mode[i], tree.body_mode[i] + tree.body_modes[i]):
            h = work.mode_h[r]
            gap, slope = max(gap, abs(h.real)), max(slope, abs(h.imag))
            if first or more:
                force = work.mode_beta[r] / work.mode_d[r]
                size, steep = max(size, abs(force.real)), max(steep, abs(force.imag))
        if first:
            work.stiff_size[2 * i], work.stiff_size[2 * i + 1] = size + gap, steep + slope
        elif more:
            work.stiff_size[2 * i] = max(work.stiff_size[2 * i].real, size + gap)
            work.stiff_size[2 * i + 1] = max(work.stiff_size[2 * i + 1].real, steep + slope)
        if gap > 0.0:
            largest = max(largest, gap / work.stiff_size[2 * i].real)
        if slope > 0.0:
            largest = max(largest, slope / work.stiff_size[2 * i + 1].real)
    return largest


@kernel
def take_modal(tree, work):
    """Put -mode_h on the modes, and clear it."""
    for i in range(tree.sizes[0]):
        if tree.body_stiff[i] > 0:
            mode = tree.body_mode[i]
            for r in range(mode, mode + tree.body_modes[i]):
                work.mode_beta[r] -= work.mode_h[r]
    clear_vector(work.mode_h)


@kernel
def take_inward(tree, work):
    """Write the answer of the tree to forces on bodies, modes and ports into stiff_v."""
    for i in range(tree.sizes[0] - 1, -1, -1):
        if tree.body_stiff[i] != 0 or len(tree.closure_site) > 0:
            body_inward(tree, work, i)
    spread(tree, work, work.stiff_v, False)


@kernel
def count_forces(tree, work):
    """Return the number of forces across joints that change the stiffness of bodies, six a joint."""
    count = 0
    for i in range(tree.sizes[0]):
        if tree.body_stiff[i] > 0:
            if tree.body_root[i] >= 0 and not is_loose(tree, work, i):
                count += 6
            for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
                if tree.site_load[s] >= 0:
                    count += 6
    return count


@kernel
def list_forces(tree, work, f):
    """Write the forces across those joints, as `gather` left them, to f."""
    at = 0
    for i in range(tree.sizes[0]):
        if tree.body_stiff[i] > 0:
            if tree.body_root[i] >= 0 and not is_loose(tree, work, i):
                for k in range(6):
                    f[at + k] = work.z[i, k]
                at += 6
            for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
                if tree.site_load[s] >= 0:
                    for k in range(6):
                        f[at + k] = work.site_z[s, k]
                    at += 6


@kernel
def load_modes(tree, work, f):
    """Write Σ f_k K_k η of listed forces to mode_h."""
    clear_vector(work.mode_h)
    at = 0
    for i in range(tree.sizes[0]):
        if tree.body_stiff[i] > 0:
            mode = tree.body_mode[i]
            h = work.mode_h[mode : mode + tree.body_modes[i]]
            if tree.body_root[i] >= 0 and not is_loose(tree, work, i):
                add_six(
                    work.mode_G, 6 * mode, (f[at], f[at + 1], f[at + 2], f[at + 3], f[at + 4], f[at + 5]), h
                )
                at += 6
            for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
                if tree.site_load[s] >= 0:
                    c = (-f[at], -f[at + 1], -f[at + 2], -f[at + 3], -f[at + 4], -f[at + 5])
                    add_six(work.site_G, 6 * tree.site_start[s], c, h)
                    at += 6


@kernel
def carried_forces(tree, work, f):
    """Write the forces across joints after an outward pass to f, as `list_forces` does."""
    for i in range(tree.sizes[0]):
        if tree.body_stiff[i] > 0:
            _forces_of(tree, work, i)
    list_forces(tree, work, f)


@kernel
def _answer_to(tree, work, f):
    """Write the answer of the tree to Σ f_k K_k η of listed forces into stiff_v."""
    load_modes(tree, work, f)
    no_forces(tree, work)
    take_modal(tree, work)
    take_inward(tree, work)


@kernel
def _settle_at_once(tree, work, count, vdot):
    """Add the answer to the forces across joints that `gather` left, and to all that they make; return a status."""
    R, f, x = work.settle_R, work.settle_f[:count], work.settle_f[count : 2 * count]
    list_forces(tree, work, f)
    for k in range(count):
        clear_vector(x)
        x[k] = 1.0
        _answer_to(tree, work, x)
        carried_forces(tree, work, x)
        for j in range(count):
            R[j, k] = -x[j]
        R[k, k] += 1.0
    if not solve_general(R, count, f):
        return NOT_SETTLED
    _answer_to(tree, work, f)
    for k in range(len(vdot)):
        vdot[k] += work.stiff_v[k]
    return 0


@stage("xx", "int64")
def settle(tree, work, q, vdot):
    """Add to accelerations what geometric stiffness makes of the forces across joints, after an outward pass.

    With closures it leaves Σ f_k K_k η of the open tree in mode_h, and the forces f_k in settle_f: `closed` adds what
    it makes of them all.
    """
    clear_vector(work.mode_h)
    gather(tree, work, q)
    before = share_of(tree, work, True, False)
    last, count = False, count_forces(tree, work)
    count = count if count <= len(work.settle_R) else 0
    if count > 0 and len(tree.closure_site) > 0:
        list_forces(tree, work, work.settle_f)
    if before <= SETTLED or len(tree.closure_site) > 0:
        return 0
    for _ in range(PASSES):
        no_forces(tree, work)
        take_modal(tree, work)
        take_inward(tree, work)
        for k in range(len(vdot)):
            vdot[k] += work.stiff_v[k]
        if last:
            return 0
        gather(tree, work, q)
        share = share_of(tree, work, False, False)
        if share <= SETTLED:
            return 0
        if count > 0 and share * (share / before) ** count > SETTLED:
            return _settle_at_once(tree, work, count, vdot)
        last = share * share <= SURE * SETTLED * before  # the next one would be share²/before
        before = share
    return NOT_SETTLED
