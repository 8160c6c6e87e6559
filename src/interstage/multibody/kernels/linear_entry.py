"""Door to the slopes of inverse dynamics and the inverse of the mass matrix."""

from __future__ import annotations

from interstage.multibody.arrays import Tree
from interstage.multibody.handle import tree_of, work_of
from interstage.multibody.kernels.inverse import inverse
from interstage.multibody.kernels.inverse_mass import inverse_mass
from interstage.multibody.kernels.load_slopes import load_answers, load_columns
from interstage.multibody.kernels.mass_matrix import composite
from interstage.multibody.kernels.mode_slopes import MODE, mode_answers, mode_slopes
from interstage.multibody.kernels.rows import clear_vector
from interstage.multibody.kernels.slopes import ANSWER, CHANGE, joint_slopes, rigid_answers
from interstage.multibody.kernels.small import inlined, kernel


@inlined
def _table(room, first, rows, width):
    """Return the numbers of `room` from one on as rows."""
    return room[first : first + rows * width].reshape(rows, width)


def room_for_slopes(tree: Tree) -> int:
    """Return how many numbers `slopes` needs as scratch."""
    bodies, _, sites, _, nv, modes = tree.sizes.tolist()
    ports, widest = len(tree.site_lam) // 3, int(tree.body_modes.max(initial=0))
    return (bodies + 1 + sites) * ANSWER + (nv + ports) * CHANGE + modes * MODE + nv + 20 * widest


@kernel
def slopes(tree, work, q, v, vdot, sites, wrenches, places, units, room, J, B):
    """Write slopes of inverse dynamics at q, v, v̇ and M⁻¹; return the status of `inward`.

    sites, wrenches : that act;  places, units : those whose units are the columns of B (nv, k)
    room : scratch of `room_for_slopes` numbers, for `slopes` and `mode_slopes`
    J (5 nv, nv), B : of zeros; the last nv rows of J are M⁻¹
    """
    clear_vector(room)
    nv, n_modes, n_ports = tree.sizes[4], tree.sizes[5], len(tree.site_lam) // 3
    bodies = _table(room, 0, tree.sizes[0] + 1, ANSWER)
    at = bodies.size
    frames = _table(room, at, tree.sizes[2], ANSWER)
    at += frames.size
    cols = _table(room, at, nv, CHANGE)
    at += cols.size
    ports = _table(room, at, n_ports, CHANGE)
    at += ports.size
    modes = _table(room, at, n_modes, MODE)
    at += modes.size
    tau, rest = room[at : at + nv], room[at + nv :]
    inverse(tree, work, q, v, vdot, sites, wrenches, tau)
    composite(tree, work)
    rigid_answers(tree, work, v, bodies, frames)
    if n_modes > 0:
        mode_answers(tree, work, q, v, vdot, bodies, frames, ports, modes, rest, J)
    if len(sites) > 0:
        load_answers(tree, work, q, sites, wrenches, bodies, modes, rest, J)
    joint_slopes(tree, work, q, v, vdot, bodies, frames, cols, ports, J)
    if n_modes > 0:
        mode_slopes(tree, work, q, bodies, frames, cols, ports, modes, J)
    if len(places) > 0:
        load_columns(tree, work, q, places, units, ports, B)
    return inverse_mass(tree, work, q, v, tau, J[4 * nv :])


@kernel
def enter_slopes(handle, q, v, vdot, sites, wrenches, places, units, room, J, B):
    """Call `slopes` on a handle."""
    tree, work = tree_of(handle), work_of(handle, q)
    return slopes(tree, work, q, v, vdot, sites, wrenches, places, units, room, J, B)
