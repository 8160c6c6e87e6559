"""Which rows of closures cannot move: their answers beside the rounding of what they are made of.

With ε = Hᵀz of the wrench that a unit multiplier sends in through the joints of its two paths, and D = HᵀPH there,

    J M⁻¹Jᵀ = Σ εᵀD⁻¹ε,      ε = h·(n + ℓ×u) + h'·u,      ℓ from the joint to the place of the wrench

for joint axes [h; h'] (modes: ε = λ·(n + ℓ×u) + γ·u at the node, D their mass). A row that cannot move has ε = 0, which
is computed as a difference of parts of the sizes |h||n|, |h||ℓ||u| and |h'||u|. The free response φ is the sum with
these sizes for ε, what the row would answer with if nothing cancelled; n = 0 and |u| = 1 for travel, |n| = 1 and u = 0
for turns. An answer below REST² φ has its ε below REST of its parts. Rounding makes ε of a few units of 1e-16 (some
more in long chains), and a projection leaves places within 1e-11 of where they should be: REST = 1e-10 stays clear of
both, and rows above it have six digits. φ has the units of the answer, and light joints count in both: neither units
nor ratios of mass matter.
"""

from __future__ import annotations

from interstage.multibody.kernels.closure_rows import ALONG, SCREW_ROW
from interstage.multibody.kernels.joints import REVOLUTE
from interstage.multibody.kernels.rows import square_of_rows
from interstage.multibody.kernels.slots import get3, get9
from interstage.multibody.kernels.small import add, dot, kernel, sub, turn

REST = 1e-10  # share of its parts below which the motion of a row along a joint is none


@kernel
def _wide_hinge(tree, work, i, spin, slide):
    """Return Σ ε²/D of the joint of body i, ε² = spin |h|² + slide |h'|² for each of its axes."""
    H, L, x, total = work.H, work.L, work.u[i], 0.0
    for a in range(tree.joint_nv[i]):
        size = 0.0
        for k in range(6 * a, 6 * a + 3):
            size += spin * H[i, k].real * H[i, k].real + slide * H[i, k + 3].real * H[i, k + 3].real
        # sizes of L⁻¹ε, squared: parts are not let cancel
        for b in range(a):
            size += L[i, a, b].real * L[i, a, b].real * x[b].real
        x[a] = size
        total += size / L[i, a, a].real
    return total


@kernel
def _hinge(tree, work, i, reach):
    """Return φ of the joint of body i under a unit torque, and under a unit force at ℓ² = reach."""
    if work.joint_mode[i] != 0:
        return 0.0, 0.0
    if tree.joint_kind[i] == REVOLUTE:
        inverse = work.L[i, 0, 0].real
        return inverse, reach * inverse
    if tree.joint_nv[i] == 1:
        H, inverse = work.H, work.L[i, 0, 0].real
        h, g = (H[i, 0].real, H[i, 1].real, H[i, 2].real), (H[i, 3].real, H[i, 4].real, H[i, 5].real)
        spin = dot(h, h) * inverse
        return spin, reach * spin + dot(g, g) * inverse
    return _wide_hinge(tree, work, i, 1.0, 0.0), _wide_hinge(tree, work, i, reach, 1.0)


@kernel
def _node(tree, work, i, s, reach):
    """Return φ of the modes of body i at its site s under a unit torque, and under a unit force at ℓ² = reach."""
    if s < tree.sizes[1]:  # a port has its compliance at hand
        begin = tree.body_ports[i]
        step = 6 * (tree.body_ports[i + 1] - begin) + 1
        W, k = work.W0, 36 * tree.body_block[i] + 6 * (s - begin) * step
        spin = (W[k] + W[k + step] + W[k + 2 * step]).real
        return spin, reach * spin + (W[k + 3 * step] + W[k + 4 * step] + W[k + 5 * step]).real
    n, at, mode = tree.body_modes[i], 3 * tree.site_start[s], tree.body_mode[i]
    d = work.mode_d[mode : mode + n]
    spin = square_of_rows(tree.site_lam[at : at + 3 * n], d).real
    return spin, reach * spin + square_of_rows(tree.site_gam[at : at + 3 * n], d).real


@kernel
def _path(tree, work, s):
    """Return φ of a unit torque and of a unit force at site s, from there to the ground."""
    turning, moving, reach, i = 0.0, 0.0, 0.0, tree.site_body[s]
    place = add(get3(work.pw, i), turn(get9(work.Rw, i), get3(work.site_p, s)))
    while i >= 0:
        if tree.body_modes[i] > 0:
            t, f = _node(tree, work, i, s, reach)
            turning += t
            moving += f
        arm = sub(place, get3(work.pw, i))
        reach = dot(arm, arm).real
        t, f = _hinge(tree, work, i, reach)
        turning += t
        moving += f
        s, i = tree.body_port[i], tree.body_parent[i]
    return turning, moving


@kernel
def least_answers(tree, work, c):
    """Write the answers below which rows of closure c do not move (closure_rest), after `inward` and `closure_rows`.

    What the inward pass left of joint forces (u) is lost.
    """
    turning, moving = 0.0, 0.0
    for side in range(2):
        s = tree.closure_site[c, side]
        if s >= 0:
            t, f = _path(tree, work, s)
            if side == 0:  # a force acts at the other end
                r = get3(work.closure_r, c)
                f += dot(r, r).real * t
            turning += t
            moving += f
    for k in range(tree.closure_row[c], tree.closure_row[c + 1]):
        kind, size = tree.row_kind[k], turning
        if kind == ALONG:
            size = moving
        elif kind == SCREW_ROW:
            size = moving + tree.row_c[k] * tree.row_c[k] * turning
        work.closure_rest[k] = REST * REST * size
