"""Doors from Python into the kernels: each takes a handle, state arrays and an output.

Without records by address (see `jit`) `Engine` calls the same algorithms with the tuples themselves.
"""

from __future__ import annotations

from interstage.multibody.address_table import stage, tree_of, work_of
from interstage.multibody.kernels.algebra import (
    add,
    kernel,
    product,
    scale,
    shift_inertia,
    transpose,
    turn,
    turn_inertia,
)
from interstage.multibody.kernels.array_access import add_inertia, clear, get3, get9, get_inertia
from interstage.multibody.kernels.body_inertia import body_terms, prepare
from interstage.multibody.kernels.closure_forces import closure_jacobian, closure_response, look, project
from interstage.multibody.kernels.constrained_forward import closed_forward as forward
from interstage.multibody.kernels.inverse_dynamics import accelerations, inverse, site_acceleration
from interstage.multibody.kernels.joints import rates
from interstage.multibody.kernels.kinematics import (
    energies,
    jacobian,
    kinematics,
    momentum,
    poses,
    site_motion,
    site_pose,
)
from interstage.multibody.kernels.mass_matrix import composite, mass_matrix


@kernel
def configure(tree, work, q, v):
    """Write all of position and velocity level: frames, poses, inertias."""
    kinematics(tree, work, q, v)
    poses(tree, work)
    body_terms(tree, work, q, v)


@stage("xxxi")
def observe_sites(tree, work, q, v, vdot, sites):
    """Write pose, velocity and acceleration of sites, those of bodies known."""
    for s in sites:
        site_motion(tree, work, s, site_pose(tree, work, s, q), v)
        site_acceleration(tree, work, s, vdot)


@kernel
def observe(tree, work, q, v, vdot, sites):
    """Write pose, velocity and acceleration of bodies and sites for known v̇."""
    kinematics(tree, work, q, v)
    poses(tree, work)
    accelerations(tree, work, vdot)
    observe_sites(tree, work, q, v, vdot, sites)


@kernel
def site_jacobian(tree, work, q, v, i, sites, J):
    """Write the Jacobian (6, nv) of a site of body i (`sites` of length 1) or of its origin (length 0)."""
    kinematics(tree, work, q, v)
    poses(tree, work)
    accelerations(tree, work, v)
    observe_sites(tree, work, q, v, v, sites)
    jacobian(tree, work, i, sites[0] if len(sites) > 0 else -1, J)


@kernel
def sums(tree, work, q, v, about, out):
    """Write kinetic, strain, gravity energy and [h; p] about a point: (9,)."""
    configure(tree, work, q, v)
    energies(tree, work, q, v, out[:3])
    momentum(tree, work, v, about, out[3:])


@kernel
def composite_from(tree, work, q, v, i, root, place, out):
    """Write the inertia (21,) of the whole about a place on body i (-1: the world), in its axes: blocks A, B, C.

    root : the body on nothing whose tree counts, -1: all
    place (12,) : rotation (9,) and position (3,) of the place in the frame of the body

    Trees are seen from the place, not by way of the world: far from its origin that would leave few digits.
    """
    kinematics(tree, work, q, v)
    poses(tree, work)
    body_terms(tree, work, q, v)
    composite(tree, work)
    R = get9(work.Rw, i)
    at = add(get3(work.pw, i), turn(R, (place[9], place[10], place[11])))
    back, whole = transpose(product(R, get9(place.reshape(1, 12), 0))), out.reshape(1, 21)
    clear(whole)
    for r in range(tree.sizes[0]):
        if tree.body_parent[r] < 0 and (root < 0 or root == r):
            seen = turn_inertia(get_inertia(work.P, r), product(back, get9(work.Rw, r)))
            arm = turn(back, add(get3(work.pw, r), scale(-1.0, at)))
            add_inertia(whole, 0, shift_inertia(seen, arm))


@kernel
def enter_prepare(handle, like):
    """Call `prepare` on a handle."""
    prepare(tree_of(handle), work_of(handle, like))


@kernel
def enter_forward_loaded(handle, q, v, tau, sites, wrenches, vdot):
    """Call `forward` on a handle."""
    return forward(tree_of(handle), work_of(handle, vdot), q, v, tau, sites, wrenches, vdot)


@kernel
def enter_inverse_loaded(handle, q, v, vdot, sites, wrenches, tau):
    """Call `inverse` on a handle."""
    inverse(tree_of(handle), work_of(handle, tau), q, v, vdot, sites, wrenches, tau)


@kernel
def enter_mass_matrix_of(handle, q, v, M):
    """Call `mass_matrix` on a handle."""
    mass_matrix(tree_of(handle), work_of(handle, M), q, v, M)


@kernel
def enter_jacobian(handle, q, v, i, sites, J):
    """Call `site_jacobian` on a handle."""
    site_jacobian(tree_of(handle), work_of(handle, J), q, v, i, sites, J)


@kernel
def enter_sums(handle, q, v, about, out):
    """Call `sums` on a handle."""
    sums(tree_of(handle), work_of(handle, out), q, v, about, out)


@kernel
def enter_observe(handle, q, v, vdot, sites):
    """Call `observe` on a handle."""
    observe(tree_of(handle), work_of(handle, q), q, v, vdot, sites)


@kernel
def enter_composite(handle, q, v, i, root, place, out):
    """Call `composite_from` on a handle."""
    composite_from(tree_of(handle), work_of(handle, out), q, v, i, root, place, out)


@kernel
def enter_closure_rows(handle, q, v):
    """Call `look` on a handle."""
    return look(tree_of(handle), work_of(handle, q), q, v)


@kernel
def enter_closure_response(handle, q, v):
    """Call `closure_response` on a handle."""
    return closure_response(tree_of(handle), work_of(handle, q), q, v)


@kernel
def enter_closure_jacobian(handle, q, v, J):
    """Call `closure_jacobian` on a handle."""
    closure_jacobian(tree_of(handle), work_of(handle, q), q, v, J)


@kernel
def enter_project(handle, q, v):
    """Call `project` on a handle."""
    return project(tree_of(handle), work_of(handle, q), q, v)


@kernel
def enter_rates(handle, q, v, qdot):
    """Call `rates` on a handle."""
    rates(tree_of(handle), q, v, qdot)
