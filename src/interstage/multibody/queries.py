"""Questions to a system that need no algorithm of their own: poses, motions, sums, impedances.

Say in a sentence why an algorithm gave no answer: entries that are no numbers or no attitudes, lock, no inertia.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from interstage.errors import FidelityWarning, InputError, ModelError, caller_level
from interstage.multibody import closure_queries, sites
from interstage.multibody.impulse import frames_of
from interstage.multibody.kernel_interface import NO_SITES
from interstage.multibody.kernels.body_inertia import clamps
from interstage.multibody.kernels.closure_forces import NOT_CLOSED
from interstage.multibody.kernels.geometric_stiffness import NOT_SETTLED
from interstage.multibody.loads import check_frame, split_place
from interstage.multibody.sites import located
from interstage.multibody.state import State
from interstage.multibody.types import Node, Place
from interstage.spatial import RigidInertia

if TYPE_CHECKING:
    from interstage.multibody.model_data import ModelData
    from interstage.multibody.system import System


WORLD = np.append(np.eye(3), np.zeros(3))
# of the 21 numbers of an inertia: first moments (3,) and second ones (3, 3)
MOMENTS, INERTIA = np.array([13, 8, 9]), np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])


def axes_of(system: ModelData, x: State, body: str, node: Node, frame: str) -> np.ndarray:
    """Return R (3, 3) from the axes of `frame` at a place to the world."""
    return pose(system, x, body, node if frame == "node" else None)[0]


def _observe(system: ModelData, x: State, body: str, node: Node, vdot: np.ndarray):
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


def pose(system: ModelData, x: State, body: str, node: Node) -> tuple[np.ndarray, np.ndarray]:
    """Return rotation (3, 3) and position (3,) of a place in the world."""
    return sites.pose(system, x, body, node)


def motion(
    system: ModelData, x: State, body: str, node: Node, frame: str, vdot: np.ndarray
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
    system: ModelData, x: State, body: str | None = None, node: Node = None
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass, centre of mass (3,) and inertia (3, 3) of the whole about a place, in its axes; None: the world."""
    P, i, place = np.empty(21, x.q.dtype), -1, WORLD
    if body is not None:
        i, (R, l) = system.body(body), sites.local_pose(system, x, body, node)
        place = np.concatenate([R.ravel(), l]).real
    system.engine.composite(x.q, x.v, i, -1, place, P)
    mass, com, inertia = of_composite(P.real)
    return float(mass), com, inertia


def of_composite(P: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return masses (...), centers of mass (..., 3) and inertias (..., 3, 3) of the 21 numbers of inertias."""
    mass = P[..., 15]
    return mass, P.take(MOMENTS, axis=-1) / mass[..., None], P.take(INERTIA, axis=-1)


def mass_properties(system: ModelData, x: State) -> RigidInertia:
    """Return mass, centre of mass and inertia of the whole in the world frame, found from its first body."""
    body = system.bodies[0]
    near = RigidInertia.from_about_point(*whole_from(system, x, body), np.zeros(3))
    R, p = pose(system, x, body, None)
    R, p = R.real, p.real
    return RigidInertia(near.mass, p + R @ near.com, R @ near.inertia @ R.T)


def center_of_mass(system: ModelData, x: State, inside: np.ndarray | None = None) -> np.ndarray:
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


def operational_inertia(system: System, x: State, places: Sequence[Place]) -> np.ndarray:
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


def damping_matrix(system: System, x: State | None = None) -> np.ndarray:
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


def warn_of_fidelity(system: ModelData) -> None:
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


def set_mass(system: ModelData, body: str, mass: float, com: Any, inertia: Any, check: bool = True) -> None:
    """Write new mass properties of a rigid body into the settings, and into a description of the system's own."""
    from interstage.multibody.compile import rigid_numbers
    from interstage.multibody.model import checked_inertia

    i = system.body(body)
    if system.flexes[i] is not None:
        raise InputError(f"body '{body}' is flexible: its mass belongs to its component")
    rigid = checked_inertia(mass, com, inertia, f"body '{body}'", check)
    system.settings.body_inertia[i] = rigid_numbers(rigid, system.model.specs[i].offset)
    _describe(system, {i: rigid})


def _describe(system: ModelData, masses: dict[int, RigidInertia]) -> None:
    """Give a system a description of its own with other masses: views share one."""
    specs = list(system.model.specs)
    for i, rigid in masses.items():
        specs[i] = replace(specs[i], inertia=rigid)
    system.model = replace(system.model, specs=specs)


def note_masses(system: ModelData, other: ModelData) -> None:
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


LOCK = 1e-6  # volume of the axes of a gimbal beside its largest, below which it is locked


def check_numbers(system: ModelData, **vectors: Any) -> None:
    """Refuse vectors of names q, v, tau or vdot that have entries which are no numbers, naming the first."""
    for what, values in vectors.items():
        if values is None or np.isfinite(values).all():
            continue
        k = int(np.flatnonzero(~np.isfinite(values))[0])
        names = system.layout.coordinates() if what == "q" else system.layout.velocities()
        words = "the state is not finite: " if what in ("q", "v") else ""
        raise InputError(f"{words}{what}[{k}] ({names[k].name}) is {values[k]}")


def near_lock(system: ModelData, q: np.ndarray, opening: float) -> list[str]:
    """Return the bodies whose joints are nearer to lock than an opening."""
    found = []
    for spec in system.model.specs:
        if spec.joint.lockable:
            angles = q[system.layout[spec.name].q]
            if np.isfinite(angles).all() and spec.joint.opening(angles) < opening:
                found.append(spec.name)
    return found


def check_attitudes(system: ModelData, x: State) -> None:
    """Refuse quaternions without length."""
    for name, where in system.layout.turning():
        quaternion = x.q[where.quaternion]
        if not np.linalg.norm(quaternion) > 1e-150:
            raise InputError(
                f"the quaternion of body '{name}' is no attitude",
                expected="unit length",
                got=repr(quaternion.tolist()),
                hint="[1, 0, 0, 0] is no rotation",
            )


def refuse(system: ModelData, status: int, x: State, tau: Any = None) -> NoReturn:
    """Raise what a kernel found: status of forward dynamics, or -1 for results that are not finite."""
    check_numbers(system, q=x.q, v=x.v, tau=tau)
    check_attitudes(system, x)
    for name in near_lock(system, x.q.real, LOCK):
        if status in (-1, 1 + system.body(name)):
            raise ModelError(
                f"the Gimbal joint of body '{name}' is locked: its axes lie in one plane",
                got=f"angles {np.rad2deg(x[name].q.real).round(3).tolist()} degrees",
                hint="use a Ball joint, or a sequence of axes whose middle angle stays away from this one",
            )
    if status == NOT_SETTLED:
        raise ModelError(
            "geometric stiffness and the forces across joints do not settle: deformations are too large for it",
            hint="cut the body into several, or add it with stiffening=False",
        )
    if status <= NOT_CLOSED:
        closure_queries.refuse(system, status, x)
    if status > 0:
        spec = system.model.specs[status - 1]
        rigid = spec.component is None
        raise ModelError(
            f"body '{spec.name}' and what it carries have no inertia that its {type(spec.joint).__name__} joint"
            " could move",
            expected="a positive definite mass matrix",
            hint="give the body mass and inertia, or lock the joint"
            if rigid
            else _flexible_hint(x[spec.name].eta),
        )
    raise InputError("accelerations are not finite", hint="look at tau, forces and the size of the state")


def _flexible_hint(eta: np.ndarray) -> str:
    """Say what may help a flexible body without inertia in its joint: undeformed, it is not the deformation."""
    if eta.any():
        return "deformations may be too large: use order=2, lumped masses, or smaller deformations"
    return (
        "undeformed, it has no inertia there: give a straight bar inertia about its axis (I11 of a CONM2), use fewer "
        "modes (n_modes=), or lock the joint"
    )
