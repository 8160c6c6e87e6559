"""Geometric stiffness under forces across joints, which depend on the accelerations that they are to give.

Forward dynamics starts without it,

    f = P α + z (inboard),   z⊥ + L w (ports),       h = -Σ f_k K_k η,

and adds the answer M⁻¹h of the tree, whose forces across joints make the next h, until it is nothing (`settle`): one
inward pass of inertias, then of forces alone. h shrinks from pass to pass by about the ratio of Σ K_k η to the inertia
that couples modes and frame: small deformations, few passes. Inverse dynamics knows the forces and needs none. A free
joint exerts what acts on it, and nothing in the answers.
"""

from __future__ import annotations

from interstage.multibody.handle import stage
from interstage.multibody.kernels.joints import hinge_forces
from interstage.multibody.kernels.outward import spread
from interstage.multibody.kernels.responses import body_inward, no_forces
from interstage.multibody.kernels.rows import clear_vector
from interstage.multibody.kernels.slots import get_inertia, high, low, put6
from interstage.multibody.kernels.small import add, inertia_times, kernel
from interstage.multibody.kernels.stiffening import add_carried, is_loose

PASSES = 80
SETTLED = 1e-12  # new modal force of a pass, as a share of the largest, that ends them
SURE = 0.01  # of it: a pass that is expected to end there is not looked at
NOT_SETTLED = -3  # status: forces across joints and geometric stiffness do not come to rest


@kernel
def _carried(tree, work, i, q, v, tau, first):
    """Write the forces across the joints of body i into z and site_z, after an outward pass."""
    if is_loose(tree, work, i):
        hinge_forces(tree, i, q, v, tau, work.body_f)
        for k in range(6):
            work.z[i, k] = work.body_f[k] if first else 0.0 * work.z[i, k]
    else:
        t, f = inertia_times(get_inertia(work.P, i), low(work.A, i), high(work.A, i))
        put6(work.z, i, add(t, low(work.z, i)), add(f, high(work.z, i)))
    for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
        put6(work.site_z, s, low(work.site_f, s), high(work.site_f, s))


@kernel
def gather(tree, work, q, v, tau, first):
    """Add Σ f_k K_k η of the forces across joints of a pass to mode_h, after its outward pass.

    first : of the pass with all that acts
    """
    for i in range(tree.sizes[0]):
        if tree.body_stiff[i] > 0:
            _carried(tree, work, i, q, v, tau, first)
            mode = tree.body_mode[i]
            add_carried(tree, work, i, q, work.mode_h[mode : mode + tree.body_modes[i]])


@kernel
def share_of(tree, work, first):
    """Return the largest modal force in mode_h, as a share of those of its body in the first pass.

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
            if first:
                force = work.mode_beta[r] / work.mode_d[r]
                size, steep = max(size, abs(force.real)), max(steep, abs(force.imag))
        if first:
            work.stiff_size[2 * i], work.stiff_size[2 * i + 1] = size + gap, steep + slope
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


@stage("xxxx", "int64")
def settle(tree, work, q, v, tau, vdot):
    """Add to accelerations what geometric stiffness makes of the forces across joints, after an outward pass."""
    clear_vector(work.mode_h)
    gather(tree, work, q, v, tau, True)
    before = share_of(tree, work, True)
    if before <= SETTLED:
        return 0
    last = False
    for _ in range(PASSES):
        no_forces(tree, work)
        take_modal(tree, work)
        take_inward(tree, work)
        for k in range(len(vdot)):
            vdot[k] += work.stiff_v[k]
        if last:
            return 0
        gather(tree, work, q, v, tau, False)
        share = share_of(tree, work, False)
        if share <= SETTLED:
            return 0
        last = share * share <= SURE * SETTLED * before  # the next one would be share²/before
        before = share
    return NOT_SETTLED
