"""Sudden changes of velocity: what a joint that locks, or a docking, does to a vehicle.

At an instant only impulses in the new constraints act, so that the motion afterwards is, of all motions that the
new constraints allow, the one nearest to the motion before in the metric of the kinetic energy (Gauss; Carnot):

    v⁺ = argmin ½ (u(v) - u⁻)ᵀ M_bodies (u(v) - u⁻),      u(v): velocities of all bodies and modes

With a motion v₀ that the new constraints allow and the rest e = u⁻ - u(v₀), this is v⁺ = v₀ + M⁻¹ r, where r is
the generalized momentum of e. Here e is a rigid motion of everything outboard of one joint. Rigid motions of
a whole free tree are allowed before and after, hence linear and angular momentum are conserved; v⁺ is an
orthogonal projection of u⁻, hence kinetic energy does not rise, and the loss is the energy of u⁻ - u(v⁺).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from interstage.multibody.arrays import Work
from interstage.multibody.closures import kept, least_answers
from interstage.multibody.joint_modes import with_locked
from interstage.multibody.kernel_interface import NO_SITES
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.multibody.model_data import ModelData
    from interstage.multibody.system import System


@dataclass(frozen=True)
class Change:
    """What a change of a vehicle did: momentum [h; p] (6,) about the world origin, energy, before and after.

    shift : largest displacement of a body or node that was needed (snapping to a port, holding a bent body at another
        node, other data), zero where nothing moved
    """

    kind: str
    body: str
    momentum_before: np.ndarray
    momentum_after: np.ndarray
    energy_before: float
    energy_after: float
    shift: float = 0.0

    @property
    def energy_loss(self) -> float:
        """Energy that the change took (negative: it was added)."""
        return self.energy_before - self.energy_after

    def __str__(self) -> str:
        jump = f", nodes jump by up to {self.shift:.3g}" if self.shift > 0.0 else ""
        return f"{self.kind} '{self.body}': energy {self.energy_before:.6g} -> {self.energy_after:.6g}{jump}"


@dataclass(frozen=True)
class JointFrames:
    """World rotation (N, 3, 3), position (N, 3) of the kernels' body frames, and velocity (N, 6) in body axes."""

    R: np.ndarray
    p: np.ndarray
    V: np.ndarray


def frames_of(system: ModelData, x: State) -> JointFrames:
    """Return where all body frames are and how they move."""
    N = len(system.model.specs)
    with system.engine.borrow(x.q.dtype) as scratch:
        work = scratch.observe(x.q, x.v, np.zeros_like(x.v), NO_SITES)
        return JointFrames(work.Rw[:N].reshape(N, 3, 3).copy(), work.pw[:N].copy(), work.V[:N].copy())


def trees_of(system: ModelData) -> np.ndarray:
    """Return the root (N,) of each body."""
    root = np.arange(len(system.model.specs))
    for i, parent in enumerate(system.tree.body_parent):
        if parent >= 0:
            root[i] = root[parent]
    return root


def linked_roots(system: ModelData, root: int) -> list[int] | None:
    """Return the roots of all trees that closures join to one tree, or None where these are not free as a whole."""
    trees, found = trees_of(system), {root}
    links = [
        {-1 if body is None else int(trees[system.body(body)]) for body, _ in spec.ends}
        for spec in system.model.closures
        if spec.name not in system.settings.opened
    ]
    while any(link & found and not link <= found for link in links):
        found = found.union(*(link for link in links if link & found))
    for i in found:
        free = i >= 0 and system.model.specs[i].joint.is_free
        if not free or system.held[system.layout[system.bodies[i]].v].any():
            return None
    return sorted(found)


def outboard(system: ModelData, body: int) -> list[int]:
    """Return a body and all that hangs on it."""
    found = {body}
    for i, parent in enumerate(system.tree.body_parent):
        if parent in found:
            found.add(i)
    return sorted(found)


def momentum_of_motion(system: ModelData, x: State, motion: dict[int, np.ndarray]) -> np.ndarray:
    """Return the generalized momentum (nv,) of bodies that move with `motion` {body: [ω; v] (6,)}, body axes.

    All others, and all modes, rest. Momenta are gathered inwards as forces are in inverse dynamics.
    """
    with system.engine.borrow(np.dtype(np.float64)) as scratch:
        scratch.sums(x.q, x.v, np.zeros(3), np.zeros(9))
        return _gathered(system, scratch.work, motion)


def _gathered(system: ModelData, work: Work, motion: dict[int, np.ndarray]) -> np.ndarray:
    """Gather the momenta of moving bodies inwards, mass properties of all in the scratch."""
    tree = system.tree
    p, F = np.zeros(system.nv), np.zeros((len(system.model.specs), 6))
    for i, V in motion.items():
        m, mp = work.I[i, 0], work.I[i, 1:4]
        xx, yy, zz, xy, xz, yz = work.I[i, 4:10]
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        F[i, :3] = J @ V[:3] + np.cross(mp, V[3:])
        F[i, 3:] = m * V[3:] + np.cross(V[:3], mp)
        n, first = int(tree.body_modes[i]), int(tree.joint_v[i] + tree.joint_nv[i])
        if n:
            f, e = 3 * int(tree.body_mode[i]), 3 * int(tree.body_flex[i])
            p[first : first + n] += V[:3] @ work.mode_F[f : f + 3 * n].reshape(3, n)
            p[first : first + n] += V[3:] @ work.pool_E[e : e + 3 * n].reshape(3, n)
    for i in range(len(F) - 1, -1, -1):
        if not F[i].any():
            continue
        nv, iv = int(tree.joint_nv[i]), int(tree.joint_v[i])
        p[iv : iv + nv] += work.H[i, : 6 * nv].reshape(nv, 6) @ F[i]
        parent, port = int(tree.body_parent[i]), int(tree.body_port[i])
        if parent < 0:
            continue
        R = work.R[i].reshape(3, 3)
        f = R @ F[i, 3:]
        t = R @ F[i, :3] + np.cross(work.p[i], f)
        if port >= 0:
            n, at = int(tree.body_modes[parent]), 3 * int(tree.site_start[port])
            first = int(tree.joint_v[parent] + tree.joint_nv[parent])
            turned = work.site_J[port].reshape(3, 3).T @ t
            p[first : first + n] += turned @ tree.site_lam[at : at + 3 * n].reshape(3, n)
            p[first : first + n] += f @ tree.site_gam[at : at + 3 * n].reshape(3, n)
            t = t + np.cross(work.site_p[port], f)
        F[parent, :3] += t
        F[parent, 3:] += f
    return p


def rigid_twist(frames: JointFrames, bodies: list[int], about: int, V: np.ndarray) -> dict[int, np.ndarray]:
    """Return {body: [ω; v]} (body axes) of bodies that move as one with [ω; v] (world axes) of body `about`."""
    motion = {}
    for i in bodies:
        v = V[3:] + np.cross(V[:3], frames.p[i] - frames.p[about])
        motion[i] = np.concatenate([frames.R[i].T @ V[:3], frames.R[i].T @ v])
    return motion


def plastic(system: System, x: State, body: int, rest: np.ndarray) -> None:
    """Write v⁺ into x, which holds an allowed motion v₀; everything outboard of `body` moved with `rest` more.

    rest : [ω; v] (6,) of the body frame before less that of v₀, world axes
    Velocities of joints that are prescribed or locked keep the values they have in x: their drives take up what
    that needs, inside the vehicle.
    """
    frames = frames_of(system, x)
    motion = rigid_twist(frames, outboard(system, body), body, rest)
    r = momentum_of_motion(system, x, motion)
    _project(system, x, r)


def keep_motion(system: System, x: State, before: Mapping[int, tuple[np.ndarray, np.ndarray]]) -> None:
    """Write v⁺ into x, which holds an allowed motion v₀, of bodies that moved otherwise before a change.

    What is kept is the velocity of a centre of mass and the spin, also where the change has moved or turned the body.
    before : {body: (R (3, 3), V (6,))} attitude of its frame, and [ω; v] of this in its own axes, before
    """
    now = frames_of(system, x)
    with system.engine.borrow(np.dtype(np.float64)) as scratch:
        scratch.sums(x.q, x.v, np.zeros(3), np.zeros(9))
        motion = {}
        for i, (R, V) in before.items():
            turn, c = now.R[i].T @ R, scratch.work.I[i, 1:4] / scratch.work.I[i, 0]
            spin = turn @ V[:3] - now.V[i, :3]
            speed = turn @ (V[3:] + np.cross(V[:3], c)) - now.V[i, 3:] - np.cross(now.V[i, :3], c)
            motion[i] = np.concatenate([spin, speed - np.cross(spin, c)])
        r = _gathered(system, scratch.work, motion)
    _project(system, x, r)


def solve_momentum(system: System, x: State, r: np.ndarray) -> np.ndarray:
    """Return M⁻¹ r (nv,) at linear cost; zero at joints that are not free.

    With geometric stiffness M is solved as it stands: forces across joints, which change the stiffness, would bring a
    share of the impulse into the modes that no velocity at the nodes answers, and energy might rise.

    Accelerations from rest are M⁻¹(τ - b) with the static forces b. They are asked for at τ = r s and at 0, with a
    factor s that makes b small beside r s, so that b leaves no more than rounding.
    """
    still = State(x.layout, x.q, np.zeros_like(x.v))
    r = np.where(system.held, 0.0, r)
    if not r.any():
        return np.zeros(system.nv)  # nothing is struck, or nothing can move
    if system.stiffens:
        free = np.flatnonzero(~system.held)
        answers = np.zeros(system.nv)
        answers[free] = np.linalg.solve(system.mass_matrix(still)[np.ix_(free, free)], r[free])
        return answers
    weight = float(np.abs(system.bias(still)).max())
    base = _accelerations(system, still, np.zeros(system.nv))

    def factor(values: np.ndarray) -> float:
        """Return a power of two that makes values large beside static forces."""
        return float(
            2.0 ** min(np.round(np.log2(1e12 * (1.0 + weight)) - np.log2(np.abs(values).max())), 900.0)
        )

    def answer(load: np.ndarray) -> np.ndarray:
        s = factor(load)
        return (_accelerations(system, still, s * load) - base) / s

    dv = answer(r)
    # what is left of r, M dv found by inverse dynamics with a large factor for the same reason
    s = factor(dv)
    left = r - (system.inverse_dynamics(still, s * dv) - system.bias(still)) / s
    left[system.held] = 0.0
    return dv + answer(left) if left.any() else dv


def _accelerations(system: System, still: State, tau: np.ndarray) -> np.ndarray:
    """Return accelerations from rest under generalized forces."""
    tau = system.generalized_input(tau)
    vdot = np.empty(system.nv)
    status = system.engine.forward(still.q, still.v, tau, NO_SITES, np.zeros((0, 6)), vdot)
    if status != 0:
        system.refuse(status, still)
    return vdot


def fit_closures(system: System, x: State) -> None:
    """Change velocities by impulses of the closures, so that these do not open."""
    _project(system, x, np.zeros(system.nv))


def _project(system: System, x: State, r: np.ndarray) -> None:
    """Add M⁻¹ r to the velocities; with closures, of all velocities that they allow the nearest to that."""
    if not system.n_closure:
        x.v += solve_momentum(system, x, r)
        return
    slots = np.flatnonzero(~system.held)
    M = system.mass_matrix(x)[np.ix_(slots, slots)]
    J = system.closure_jacobian(x)[:, slots]
    solved = np.linalg.solve(M, np.concatenate([r[slots, None], J.T], axis=1))
    x.v[slots] += solved[:, 0]
    W = solved[:, 1:]
    moves = np.diag(J @ W) > least_answers(system, x)[kept(system)]
    J, W = J[moves], W[:, moves]
    for _ in range(2):
        x.v[slots] -= W @ np.linalg.lstsq(J @ W, system.closure_rate(x)[moves], rcond=1e-12)[0]


def set_rates(system: System, x: State, body: str, rates: np.ndarray) -> None:
    """Give the joint of a body new velocities by an impulse of its drive; all others answer by M v̇ = impulse.

    Momentum of a free vehicle is conserved: the impulse acts inside it. Making a moving joint stop is a plastic
    impact, its energy does not rise.
    """
    i = system.body(body)
    where = system.layout[body].v
    jump = x.v[where] - rates
    x.v[where] = rates
    R = frames_of(system, x).R[i]
    e = _subspace(system, x, i) @ jump
    # locked while the impulse acts
    plastic(with_locked(system, body), x, i, np.concatenate([R @ e[:3], R @ e[3:]]))


def _subspace(system: ModelData, x: State, i: int) -> np.ndarray:
    """Return H (6, nv of the joint) of a body, body axes."""
    nv = int(system.tree.joint_nv[i])
    with system.engine.borrow(x.q.dtype) as scratch:
        work = scratch.observe(x.q, x.v, np.zeros_like(x.v), NO_SITES)
        return work.H[i, : 6 * nv].reshape(nv, 6).T.copy()
