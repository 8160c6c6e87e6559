"""Door to the slopes of inverse dynamics and the inverse of the mass matrix."""

from __future__ import annotations

from interstage.multibody.handle import tree_of, work_of
from interstage.multibody.kernels.inverse import inverse
from interstage.multibody.kernels.inverse_mass import inverse_mass
from interstage.multibody.kernels.load_slopes import load_answers, load_columns
from interstage.multibody.kernels.mass_matrix import composite
from interstage.multibody.kernels.mode_slopes import mode_answers, mode_slopes
from interstage.multibody.kernels.slopes import joint_slopes, rigid_answers
from interstage.multibody.kernels.small import kernel


@kernel
def slopes(tree, work, q, v, vdot, loads, inputs, scratch, J, B, Minv):
    """Write slopes of inverse dynamics at q, v, v̇ and M⁻¹; return the status of `inward`.

    loads, inputs : (sites, wrenches) that act, and those whose units are the columns of B (nv, k)
    scratch : bodies, sites, cols, ports, modes, room, tau, as in `slopes` and `mode_slopes`
    J (4 nv, nv), B : of zeros
    """
    bodies, frames, cols, ports, modes, room, tau = scratch
    sites, wrenches = loads
    inverse(tree, work, q, v, vdot, sites, wrenches, tau)
    composite(tree, work)
    rigid_answers(tree, work, v, bodies, frames)
    if len(modes) > 0:
        mode_answers(tree, work, q, v, vdot, bodies, frames, ports, modes, room, J)
    if len(sites) > 0:
        load_answers(tree, work, q, sites, wrenches, bodies, modes, room, J)
    joint_slopes(tree, work, q, v, vdot, bodies, frames, cols, ports, J)
    if len(modes) > 0:
        mode_slopes(tree, work, q, bodies, frames, cols, ports, modes, J)
    if len(inputs[0]) > 0:
        load_columns(tree, work, q, inputs[0], inputs[1], ports, B)
    return inverse_mass(tree, work, q, v, tau, Minv)


@kernel
def enter_slopes(handle, q, v, vdot, loads, inputs, scratch, J, B, Minv):
    """Call `slopes` on a handle."""
    return slopes(tree_of(handle), work_of(handle, q), q, v, vdot, loads, inputs, scratch, J, B, Minv)
