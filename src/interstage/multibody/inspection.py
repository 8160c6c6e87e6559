"""Questions to a system that need no algorithm of their own: poses, motions, sums, impedances."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from interstage.errors import FidelityWarning, InputError, caller_level
from interstage.multibody import places
from interstage.multibody.engine import NO_SITES
from interstage.multibody.impulse import frames_of
from interstage.multibody.kernels.flex import clamps
from interstage.multibody.loads import check_frame, split_place
from interstage.multibody.places import located
from interstage.multibody.state import State
from interstage.multibody.types import Node, Place
from interstage.spatial import RigidInertia

if TYPE_CHECKING:
    from interstage.multibody.api.compiled import Compiled
    from interstage.multibody.api.dynamics import Dynamics
    from interstage.multibody.api.kinematics import Kinematics

WORLD = np.append(np.eye(3), np.zeros(3))
# of the 21 numbers of an inertia: first moments (3,) and second ones (3, 3)
MOMENTS, INERTIA = np.array([13, 8, 9]), np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])


def axes_of(system: Compiled, x: State, body: str, node: Node, frame: str) -> np.ndarray:
    """Return R (3, 3) from the axes of `frame` at a place to the world."""
    return pose(system, x, body, node if frame == "node" else None)[0]


def _observe(system: Compiled, x: State, body: str, node: Node, vdot: np.ndarray):
    """Return R (3, 3) of a body, [ω; v] and acceleration of a place on it (body axes), and R of a node there."""
    (s,), (arm,) = located(system, [(body, node)])
    i, sites = system.body(body), NO_SITES if s < 0 else np.array([s], dtype=np.int64)
    with system.engine.borrow(x.q.dtype) as scratch:
        work = scratch.observe(x.q, x.v, vdot, sites)
        R = work.Rw[i].reshape(3, 3).copy()
        if s >= 0:
            return R, work.site_V[s].copy(), work.site_a[s].copy(), work.site_R[s].reshape(3, 3).copy()
        V, A = work.V[i].copy(), work.A[i].copy()
    if arm.any():
        V[3:] += np.cross(V[:3], arm)
        A[3:] += np.cross(A[:3], arm)
    return R, V, A, None


def pose(system: Compiled, x: State, body: str, node: Node) -> tuple[np.ndarray, np.ndarray]:
    """Return rotation (3, 3) and position (3,) of a place in the world."""
    return places.pose(system, x, body, node)


def motion(
    system: Compiled, x: State, body: str, node: Node, frame: str, vdot: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return velocity [ω; v] and acceleration [ω̇; a] (6,) of a place."""
    check_frame(frame)
    R, V, A, R_node = _observe(system, x, body, node, vdot)
    # the spatial acceleration follows the moving axes: the point's own acceleration has ω×v more
    a = A[3:] + np.cross(V[:3], V[3:])
    if frame != "world":
        R = np.eye(3) if frame == "body" or R_node is None else R_node.T
    return np.concatenate([R @ V[:3], R @ V[3:]]), np.concatenate([R @ A[:3], R @ a])


def whole_from(
    system: Compiled, x: State, body: str | None = None, node: Node = None
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass, centre of mass (3,) and inertia (3, 3) of the whole about a place, in its axes; None: the world."""
    P, i, place = np.empty(21, x.q.dtype), -1, WORLD
    if body is not None:
        i, (R, l) = system.body(body), places.local_pose(system, x, body, node)
        place = np.concatenate([R.ravel(), l]).real
    system.engine.composite(x.q, x.v, i, -1, place, P)
    mass, com, inertia = of_composite(P.real)
    return float(mass), com, inertia


def of_composite(P: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return masses (...), centers of mass (..., 3) and inertias (..., 3, 3) of the 21 numbers of inertias."""
    mass = P[..., 15]
    return mass, P.take(MOMENTS, axis=-1) / mass[..., None], P.take(INERTIA, axis=-1)


def mass_properties(system: Compiled, x: State) -> RigidInertia:
    """Return mass, centre of mass and inertia of the whole in the world frame, found from its first body."""
    body = system.bodies[0]
    near = RigidInertia.from_about_point(*whole_from(system, x, body), np.zeros(3))
    R, p = pose(system, x, body, None)
    R, p = R.real, p.real
    return RigidInertia(near.mass, p + R @ near.com, R @ near.inertia @ R.T)


def center_of_mass(system: Compiled, x: State, inside: np.ndarray | None = None) -> np.ndarray:
    """Return the centre of mass (3,), of some bodies or all: -∂V/∂g of the potential, exact at every fidelity."""
    tree, frames = system.tree, frames_of(system, x)
    with system.engine.borrow(np.dtype(float)) as scratch:
        pool_E = scratch.work.pool_E
    inertia, N = system.settings.body_inertia, int(tree.sizes[0])
    first = inertia[:, 1:4].astype(x.q.dtype)
    for i in range(N):
        n, e, eta = int(tree.body_modes[i]), 3 * int(tree.body_flex[i]), int(tree.body_eta[i])
        if n:
            first[i] = first[i] + pool_E[e : e + 3 * n].reshape(3, n) @ x.q[eta : eta + n]
    m = inertia[:, 0]
    moments = m[:, None] * frames.p + np.einsum("nij,nj->ni", frames.R, first)
    if inside is not None:
        moments, m = moments[inside], m[inside]
    return moments.sum(axis=0) / m.sum()


def operational_inertia(system: Dynamics, x: State, places: Sequence[Place]) -> np.ndarray:
    """Return J M⁻¹ Jᵀ by one forward recursion for each unit wrench, differences from none taken exactly.

    Accelerations are affine in the wrenches: the part for zero wrench at the same state is subtracted.
    Joints that are not free do not yield.
    """
    places = [split_place(p) for p in places]
    J = np.concatenate([system.jacobian(x, *place) for place in places])
    still = State(x.layout, x.q, np.zeros_like(x.v))
    base = system.forward_dynamics(still)
    out = np.empty((len(J), len(J)), x.q.dtype)
    for k in range(len(J)):
        out[:, k] = J @ (system.forward_dynamics(still, tau=J[k].copy()) - base)
    return 0.5 * (out + out.T)


def damping_matrix(system: Kinematics, x: State | None = None) -> np.ndarray:
    """Return C (nv, nv) of the viscous forces -C v of joints and modes, and of dampers to ground at a state."""
    t = system.tree
    C = np.diag(t.v_damping)
    with system.engine.borrow(np.dtype(float)) as scratch:
        pool_C = scratch.work.pool_C
    for i in np.flatnonzero((t.body_mixed >= 0) | (t.body_held >= 0) | (t.body_drag >= 0)):
        n, start, drag = int(t.body_modes[i]), int(t.body_mixed[i]), int(t.body_drag[i])
        held = int(t.body_held[i]) if clamps(system.settings.joint_mode[i], t.joint_nv[i]) else -1
        first = int(t.joint_v[i] + t.joint_nv[i])
        modes = slice(first, first + n)
        if start >= 0:
            C[modes, modes] += pool_C[start : start + n * n].reshape(n, n)
        if held >= 0:
            C[modes, modes] += t.held_C[held : held + n * n].reshape(n, n)
        if drag >= 0:
            x = system.state() if x is None else x
            D = t.drag_C[drag : drag + 6 * (6 + n)].reshape(6, 6 + n)
            J = system.jacobian(x, system.bodies[i], frame="body")
            cross = J.T @ D[:, 6:]
            C += J.T @ D[:, :6] @ J
            C[:, modes] += cross
            C[modes, :] += cross.T
    return C


def warn_of_fidelity(system: Compiled) -> None:
    """Warn of bodies whose mass matrix was found indefinite since the last look."""
    found = system.engine.indefinite
    if not found.any():
        return
    names = [system.bodies[i] for i in np.flatnonzero(found)]
    found[:] = False
    orders = {system.model.spec(name).order for name in names}
    words = {
        0: "order=0 has no inertia that grows with the square of the deformation: use order=2, of a component"
        " with modal integrals",
        1: "order=1 leaves out the inertia that grows with the square of the deformation: use order=2",
        2: "of coupled masses that inertia is approximate: use lumped masses, or deform less",
    }
    warnings.warn(
        f"the mass matrix of {', '.join(names)} is not positive definite: deformations are too large for its"
        f" fidelity, accelerations mean little; {'; '.join(words[k] for k in sorted(orders))}",
        FidelityWarning,
        stacklevel=caller_level(),
    )


def set_mass(system: Compiled, body: str, mass: float, com: Any, inertia: Any, check: bool = True) -> None:
    """Write new mass properties of a rigid body into the settings, and into a description of the system's own."""
    from interstage.multibody.compile import rigid_numbers
    from interstage.multibody.model import checked_inertia

    i = system.body(body)
    if system.flexes[i] is not None:
        raise InputError(f"body '{body}' is flexible: its mass belongs to its component")
    rigid = checked_inertia(mass, com, inertia, f"body '{body}'", check)
    system.settings.body_inertia[i] = rigid_numbers(rigid, system.model.specs[i].offset)
    _describe(system, {i: rigid})


def _describe(system: Compiled, masses: dict[int, RigidInertia]) -> None:
    """Give a system a description of its own with other masses: views share one."""
    specs = list(system.model.specs)
    for i, rigid in masses.items():
        specs[i] = replace(specs[i], inertia=rigid)
    system.model = replace(system.model, specs=specs)


def note_masses(system: Compiled, other: Compiled) -> None:
    """Describe the masses in the settings of a system where they are not those of another of the same vehicle."""
    numbers, specs = system.settings.body_inertia, system.model.specs
    changed = np.flatnonzero((numbers != other.settings.body_inertia).any(axis=1))
    rigid = [i for i in changed.tolist() if system.flexes[i] is None]
    masses = {i: rigid_of(numbers[i], specs[i].offset) for i in rigid}
    if masses:
        _describe(system, masses)


def rigid_of(numbers: np.ndarray, offset: np.ndarray) -> RigidInertia:
    """Return mass properties from the ten numbers of the kernels, of a body whose frame is `offset` from its joint."""
    m, J = float(numbers[0]), numbers[[4, 7, 8, 7, 5, 9, 8, 9, 6]].reshape(3, 3)
    arm = numbers[1:4] / m if m else np.zeros(3)
    return RigidInertia(m, arm + offset, J - m * (arm @ arm * np.eye(3) - np.outer(arm, arm)))
