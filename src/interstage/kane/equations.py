"""Kane's equations: kinematics, inertia, geometric stiffness, and the equations themselves.

Partial velocities and remainder accelerations of every body frame, in world axes.

For the frame of a body or node with angular velocity ω = Ω v and velocity ẋ = V v of its origin,

    ω̇ = Ω v̇ + α,   ẍ = V v̇ + a,

Ω and V (3, nv) are the partial velocities, α and a the remainder accelerations. From the root to the tips go pose,
velocity and remainders: over a lever r fixed to a frame they shift by u + ω×r, a + α×r + ω×(ω×r); a node of a flexible
body adds slopes and displacements of its modes, a joint its partials. Nothing is dropped: a node turns by exp(λη) at
the rate J_l λη̇. Each joint velocity and each modal rate then moves all frames beyond it as a twist [ω_j; s_j] at a
point x_j, which gives all partial velocities at once:

    Ω_ij = ω_j,   V_ij = s_j + ω_j×(x_i - x_j)        (zero where j does not carry i)

Sources: Kane and Levinson, Dynamics (1985); Stoneking, AIAA 2013-4649.

Inertia of the bodies in their own axes: modal integrals at the present deformation and remainder forces.

A body needs the wrench and modal forces [t; f; g] for accelerations [ω̇; a; η̈], a that of its origin in the world:

    t = J ω̇ + mp×a + F η̈ + ω×Jω + J̇ω + ω×Fη̇ + Ḟη̇
    f = ω̇×mp + m a + E η̈ + ω×(ω×mp) + 2 ω×Eη̇
    g_r = F_r·ω̇ + E_r·a + (Gη̈)_r + ω·Σ_s (F1_sr - F1_rs) η̇_s - ½ωᵀ(∂J/∂η_r)ω

with J and F truncated at the order of the body (order 0: J1, J2, F1 of its whole mass at its centre of mass) and
mp = mp0 + Eη at every order, so that the velocity of the origin drops out. For a cloud of masses F1 is antisymmetric,
J̇ω + ω×Fη̇ = 2∫ r×(ω×γη̇) dm; for nodes that turn with their inertia it is not.

Geometric stiffness of bodies in Kane's equations: exact, forces across joints included.

The modal forces -(Σ ω_iω_j K_ij + Σ_k f_k K_k) η of the loads that a body carries are linear in v̇, as the forces across
its joints are: rows g = [slope | rest] (n, nv + 1) of each body, and (M + slope) v̇ = f - rest. M + slope is not
symmetric.

Kane's equations M v̇ = f, and the forces across joints afterwards.

Generalized inertia and active forces are projections on the partial velocities of each body, X_i = [Ω; V] in its
axes and Δ_i, the selection of its modal rates:

    Σ_i { X_iᵀ [t_i; f_i] + Δ_iᵀ g_i }_inertia = Σ_i { X_iᵀ [t; f] + Δ_iᵀ g }_active
    M = Σ_i X_iᵀ I_i X_i + X_iᵀ[F; E]_i Δ_i + Δ_iᵀ[F; E]_iᵀ X_i + Δ_iᵀ G_i Δ_i

All functions are pure: numpy arrays in, numpy arrays out, and the same for jax.
"""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

import numpy as np

from interstage.calls import named_arguments
from interstage.kane.joints import (
    Array,
    FrameMotion,
    Numbers,
    Twists,
    concat,
    coordinate_rates,
    cross,
    cross_rows,
    in_columns,
    moved,
    of_vector,
    shifted,
    skew,
    skews,
    solve_scaled,
    spring_energy,
    spring_forces,
)
from interstage.kane.layout import Body, ModelConstants, Parameters, SiteConstants


class NodeLoad(NamedTuple):
    """A node of body `body` with l (3,), lam and gam (3, n), and a wrench [t; f] (6,) on it, world axes.

    K (6, n, n) : geometric stiffness of a unit wrench there, body axes
    """

    body: int
    l: Array
    lam: Array
    gam: Array
    wrench: Array
    K: Array | None = None


class BodyFrames(NamedTuple):
    """The motions of k frames, first axis k, and their partial velocities Omega, V (k, 3, nv).

    The bodies come first, in order, then the loaded nodes.
    """

    R: Array
    x: Array
    w: Array
    u: Array
    alpha: Array
    a: Array
    Omega: Array
    V: Array


def _on_node(
    xp: ModuleType,
    m: FrameMotion,
    place: SiteConstants | None,
    l: Array,
    lam: Array,
    gam: Array,
    q: Array,
    v: Array,
) -> tuple[FrameMotion, list[Twists]]:
    """Return the motion of a node of a body in motion m, and the twists of its modal rates.

    Deformed position l + γη, rotation exp θ with θ = λη, rate J_l θ̇ in body axes.
    """
    if place is None or place.n_modes == 0:
        return shifted(xp, m, m.R @ l), []
    eta, rate = q[slice(*place.eta)], v[slice(*place.etadot)]
    turn, jacobian, change = of_vector(xp, lam @ eta, lam @ rate)
    turns, slides = m.R @ (jacobian @ lam), m.R @ gam
    spin, slide = turns @ rate, slides @ rate
    W = skew(xp, m.w)
    on = shifted(xp, m, m.R @ (l + gam @ eta))
    on = FrameMotion(
        R=m.R @ turn,
        x=on.x,
        w=on.w + spin,
        u=on.u + slide,
        alpha=on.alpha + W @ spin + m.R @ change,
        a=on.a + 2.0 * (W @ slide),
    )
    return on, [(turns, slides, on.x[:, None] + 0.0 * slides)]


def _on_joint(
    xp: ModuleType, node: FrameMotion, place: SiteConstants, body: Body, q: Array, v: Array
) -> tuple[FrameMotion, list[Twists]]:
    """Return the motion of the frame of a body whose joint sits on `node`, and the twists of its velocities."""
    F = node._replace(R=node.R @ body.rotation)
    at = Numbers(body.axes, body.pitch, q[slice(*place.q)], v[slice(*place.v)])
    return moved(xp, F, place.steps, at)


def frames(
    layout: ModelConstants,
    p: Parameters,
    q: Array,
    v: Array,
    loads: tuple[NodeLoad, ...] = (),
    xp: ModuleType = np,
) -> BodyFrames:
    """Return the motions of all body frames, then those of the loaded nodes."""
    zero = xp.zeros(3)
    world = FrameMotion(xp.asarray(np.eye(3)), zero, zero, zero, zero, zero)
    found: list[FrameMotion] = []
    twists: list[Twists] = []
    for place, body in zip(layout.places, p.bodies):
        on = None if place.parent < 0 else layout.places[place.parent]
        parent = world if on is None else found[place.parent]
        node, modal = _on_node(xp, parent, on, body.l, body.lam, body.gam, q, v)
        motion, joint = _on_joint(xp, node, place, body, q, v)
        found.append(motion)
        twists += modal + joint
    for load in loads:
        node, modal = _on_node(
            xp, found[load.body], layout.places[load.body], load.l, load.lam, load.gam, q, v
        )
        found.append(node)
        twists += modal
    stacked = [xp.stack(part) for part in zip(*found)]
    Omega, V = _partial_velocities(xp, layout, stacked[1], twists, loads)
    R, x, w, u, alpha, a = stacked
    return BodyFrames(R, x, w, u, alpha, a, Omega, V)


def _partial_velocities(
    xp: ModuleType, layout: ModelConstants, x: Array, twists: list[Twists], loads: tuple[NodeLoad, ...]
) -> tuple[Array, Array]:
    """Return Ω and V (k, 3, nv) of frames at x (k, 3) from the twists of all velocities."""
    nothing = (xp.zeros((3, 1)),) * 3
    turns, slides, points = (concat(xp, list(part), axis=1).T for part in zip(*twists, nothing))
    index = xp.asarray(_carriers(layout, loads))
    turn = xp.take(turns, index.reshape(-1), axis=0).reshape(*index.shape, 3)
    slide = xp.take(slides, index.reshape(-1), axis=0).reshape(*index.shape, 3)
    point = xp.take(points, index.reshape(-1), axis=0).reshape(*index.shape, 3)
    V = slide + cross_rows(xp, turn, x[:, None, :] - point)
    return turn.swapaxes(1, 2), V.swapaxes(1, 2)


def _carriers(layout: ModelConstants, loads: tuple[NodeLoad, ...]) -> np.ndarray:
    """Return (k, nv): the twist by which each velocity moves each frame; the last twist is none at all."""
    rows: list[np.ndarray] = []
    first = 0
    none = np.full(layout.nv, -1)

    def joined(row: np.ndarray, start: int, stop: int) -> np.ndarray:
        nonlocal first
        row = row.copy()
        row[start:stop] = np.arange(first, first + stop - start)
        first += stop - start
        return row

    for place in layout.places:
        row = none
        if place.parent >= 0:
            row = joined(rows[place.parent], *layout.places[place.parent].etadot)
        rows.append(joined(row, *place.v))
    rows += [joined(rows[load.body], *layout.places[load.body].etadot) for load in loads]
    table = np.array(rows)
    return np.where(table < 0, first, table)


class Inertias(NamedTuple):
    """Inertia of N bodies, body axes. matrix (N, 6, 6); FE: (6, n) = [F; E] of each body.

    wrench (N, 6) = [t; f] and modal (n,) of each body at zero v̇; momentum (N, 6) = [h; ℓ] about the origins
    """

    matrix: Array
    FE: list[Array]
    wrench: Array
    modal: list[Array]
    momentum: Array


class Deformed(NamedTuple):
    """One body as deformed: J, mp, F, J̇ω + Ḟη̇, and modal remainder forces (n,)."""

    J: Array
    mp: Array
    F: Array
    Jdot_w: Array
    modal: Array


def deformed(xp: ModuleType, place: SiteConstants, body: Body, eta: Array, rate: Array, w: Array) -> Deformed:
    """Return the integrals of a body at modal coordinates eta and rates, turning with w (3,)."""
    J, F = body.J0, body.F0
    mp = body.mp + body.E @ eta if place.n_modes else body.mp
    if place.n_modes == 0:
        return Deformed(J, mp, F, xp.zeros(3), xp.zeros(0))
    slope, F = body.J1, F + xp.tensordot(eta, body.F1, axes=1)
    J = J + xp.tensordot(eta, body.J1, axes=1)
    if place.order != 1:
        bend = xp.tensordot(eta, body.J2, axes=1)
        J = J + xp.tensordot(eta, bend, axes=1)
        slope = slope + 2.0 * bend
    Fdot = xp.tensordot(rate, body.F1, axes=1)
    modal = w @ (Fdot - (body.F1 @ rate).T) - 0.5 * ((slope @ w) @ w)
    return Deformed(J, mp, F, xp.tensordot(rate, slope, axes=1) @ w + Fdot @ rate, modal)


def in_body_axes(R: Array, vectors: Array) -> Array:
    """Return Rᵀ x for frames R (N, 3, 3) and vectors x (N, 3), world axes."""
    return (R.swapaxes(1, 2) @ vectors[..., None])[..., 0]


def inertias(
    layout: ModelConstants, p: Parameters, f: BodyFrames, q: Array, v: Array, xp: ModuleType = np
) -> Inertias:
    """Return the inertia of every body in the motion f."""
    N = len(layout.places)
    w, u, alpha, a = (in_body_axes(f.R[:N], part[:N]) for part in (f.w, f.u, f.alpha, f.a))
    etas = [q[slice(*place.eta)] for place in layout.places]
    rates = [v[slice(*place.etadot)] for place in layout.places]
    found = [deformed(xp, *row, w[i]) for i, row in enumerate(zip(layout.places, p.bodies, etas, rates))]
    J, mp, Jdot_w = (xp.stack([getattr(d, k) for d in found]) for k in ("J", "mp", "Jdot_w"))
    zero = xp.zeros(6)
    FE = [concat(xp, [d.F, body.E]) for d, body in zip(found, p.bodies)]
    stream = xp.stack([c @ rate if rate.shape[0] else zero for c, rate in zip(FE, rates)])
    curl, push = stream[:, :3], stream[:, 3:]
    S = skews(xp, mp)
    mass = xp.stack([body.mass for body in p.bodies])[:, None, None] * xp.asarray(np.eye(3))
    matrix = concat(xp, [concat(xp, [J, S], axis=2), concat(xp, [-S, mass], axis=2)], axis=1)
    turn = cross_rows(xp, w, (J @ w[..., None])[..., 0] + curl) + Jdot_w
    pull = cross_rows(xp, w, cross_rows(xp, w, mp) + 2.0 * push)
    lean = concat(xp, [alpha, a], axis=1)
    modal = [FE[i].T @ lean[i] + d.modal for i, d in enumerate(found)]
    return Inertias(
        matrix=matrix,
        FE=FE,
        wrench=(matrix @ lean[..., None])[..., 0] + concat(xp, [turn, pull], axis=1),
        modal=modal,
        momentum=(matrix @ concat(xp, [w, u], axis=1)[..., None])[..., 0] + stream,
    )


def weights(
    layout: ModelConstants, p: Parameters, f: BodyFrames, q: Array, xp: ModuleType = np
) -> tuple[Array, list[Array]]:
    """Return wrenches (N, 6) and modal forces (n,) of gravity, body axes: slopes of g·(m x + R(mp0 + Eη))."""
    R = f.R[: len(layout.places)]
    g = R.swapaxes(1, 2) @ p.gravity
    mp = xp.stack(first_moments(layout, p, q))
    mass = xp.stack([body.mass for body in p.bodies])
    wrench = concat(xp, [cross_rows(xp, mp, g), mass[:, None] * g], axis=1)
    return wrench, [body.E.T @ g[i] for i, body in enumerate(p.bodies)]


def first_moments(layout: ModelConstants, p: Parameters, q: Array) -> list[Array]:
    """Return mp0 + Eη (3,) of each body: the modes move the centre of mass at every order."""
    return [
        body.mp + body.E @ q[slice(*place.eta)] if place.n_modes else body.mp
        for place, body in zip(layout.places, p.bodies)
    ]


def moved_node(xp: ModuleType, wrench: Array, arm: Array) -> Array:
    """Return a wrench [t; f], or columns of wrenches (6, k), acting at `arm` from the new point."""
    return concat(xp, [wrench[:3] + cross(xp, arm, wrench[3:]), wrench[3:]])


def turned(xp: ModuleType, R: Array, wrench: Array) -> Array:
    """Return a wrench, or columns of wrenches (6, k), in axes R."""
    return concat(xp, [R @ wrench[:3], R @ wrench[3:]])


def stiffens(layout: ModelConstants, p: Parameters) -> bool:
    """Return whether any body has geometric stiffness."""
    return any(place.n_modes and len(body.spin) for place, body in zip(layout.places, p.bodies))


def geometric_rows(
    layout: ModelConstants,
    p: Parameters,
    frames: BodyFrames,
    reactions: list[Array],
    q: Array,
    loads: tuple[NodeLoad, ...] = (),
    xp: ModuleType = np,
) -> tuple[Array, Array]:
    """Return slope (nv, nv) and rest (nv,) of the modal forces that geometric stiffness needs.

    reactions : (6, nv + 1) of each body, what its parent exerts on it, about its origin, world axes
    """
    nv, rows = layout.nv, []
    for i, (place, body) in enumerate(zip(layout.places, p.bodies)):
        rows.append(xp.zeros((place.v[1] - place.v[0], nv + 1)))
        if not place.n_modes:
            continue
        eta, R = q[slice(*place.eta)], frames.R[i].T
        total = xp.zeros((place.n_modes, nv + 1))
        if len(body.spin):
            w = R @ frames.w[i]
            pairs = xp.stack([w[0] * w[0], w[1] * w[1], w[2] * w[2], w[0] * w[1], w[0] * w[2], w[1] * w[2]])
            total = total + _constant(xp, (body.spin @ eta).T @ pairs, nv)
            if len(body.root):
                total = total + (body.root @ eta).T @ turned(xp, R, reactions[i])
            for j, (other, child) in enumerate(zip(layout.places, p.bodies)):
                if other.parent == i:
                    node = frames.x[i] + frames.R[i] @ (child.l + child.gam @ eta)
                    at_node = moved_node(xp, reactions[j], frames.x[j] - node)
                    total = total - (child.port @ eta).T @ turned(xp, R, at_node)
            for load in loads:
                if load.body == i and load.K is not None:
                    total = total + _constant(xp, (load.K @ eta).T @ turned(xp, R, load.wrench), nv)
        rows.append(total)
    whole = concat(xp, rows)
    return whole[:, :nv], whole[:, nv]


def geometric_energy(layout: ModelConstants, q: Array, force: Array) -> Array:
    """Return ½ Σ η·g of the modal forces g, entries of (nv,), that geometric stiffness needs."""
    places = [place for place in layout.places if place.n_modes]
    return 0.5 * sum(q[slice(*place.eta)] @ force[slice(*place.etadot)] for place in places)


def _constant(xp: ModuleType, force: Array, nv: int) -> Array:
    """Return rows (n, nv + 1) of modal forces (n,) that no acceleration changes."""
    return concat(xp, [xp.zeros((len(force), nv)), force[:, None]], axis=1)


class At(NamedTuple):
    """A vehicle, its numbers p, its state q (nq,), v (nv,), the wrenches at its nodes, and numpy or jax."""

    layout: ModelConstants
    p: Parameters
    q: Array
    v: Array
    loads: tuple[NodeLoad, ...] = ()
    xp: ModuleType = np


class EquationTerms(NamedTuple):
    """What the equations are put together from, at a state: frames, inertias, and X (N, 6, nv) of the bodies."""

    at: At
    frames: BodyFrames
    inertias: Inertias
    X: Array


def parts_of(at: At) -> EquationTerms:
    """Return motions, inertias and partial velocities of every body."""
    layout, p, q, v, loads, xp = at
    f = frames(layout, p, q, v, loads, xp)
    N = len(layout.places)
    back = f.R[:N].swapaxes(1, 2)
    X = concat(xp, [back @ f.Omega[:N], back @ f.V[:N]], axis=1)
    return EquationTerms(at, f, inertias(layout, p, f, q, v, xp), X)


def mass_matrix(parts: EquationTerms) -> Array:
    """Return M (nv, nv)."""
    layout, p, *_, xp = parts.at
    nv, X = layout.nv, parts.X
    rigid = X.reshape(-1, nv).T @ (parts.inertias.matrix @ X).reshape(-1, nv)
    if all(place.n_modes == 0 for place in layout.places):
        return rigid
    rows, modal = [], []
    for i, (place, body) in enumerate(zip(layout.places, p.bodies)):
        joint = xp.zeros((place.v[1] - place.v[0], nv))
        rows += [joint, parts.inertias.FE[i].T @ X[i]] if place.n_modes else [joint]
        modal += [joint, in_columns(xp, body.G, place.etadot[0], nv)] if place.n_modes else [joint]
    coupling = concat(xp, rows)
    return rigid + coupling + coupling.T + concat(xp, modal)


def own_forces(at: At) -> Array:
    """Return generalized forces (nv,) of springs and dampers of joints, and of modal stiffness."""
    layout, p, q, v, _, xp = at
    springs, dampers = [], []
    for place, body in zip(layout.places, p.bodies):
        springs += spring_forces(xp, place.steps, body.spring, body.rest, q[slice(*place.q)])
        springs.append(-body.stiffness * q[slice(*place.eta)])
        dampers += [-body.damper * v[slice(*place.v)], xp.zeros(place.n_modes)]
    return concat(xp, springs) + concat(xp, dampers)


def dampings(parts: EquationTerms) -> tuple[Array, list[Array]]:
    """Return wrenches (N, 6) and modal forces (n,) of the damping of bodies, -C [ω; v; η̇], body axes."""
    layout, p, _, v, _, xp = parts.at
    out = []
    for i, (place, body) in enumerate(zip(layout.places, p.bodies)):
        out.append(-body.damping @ concat(xp, [parts.X[i] @ v, v[slice(*place.etadot)]]))
    return xp.stack([force[:6] for force in out]), [force[6:] for force in out]


def forces(parts: EquationTerms) -> Array:
    """Return f (nv,) of M v̇ = f: active forces less what remainder accelerations need."""
    layout, p, q, _, loads, xp = parts.at
    wrench, modal = weights(layout, p, parts.frames, q, xp)
    drag, damping = dampings(parts)
    rows = []
    for place, active, damped, needed in zip(layout.places, modal, damping, parts.inertias.modal):
        rows += [xp.zeros(place.v[1] - place.v[0]), active + damped - needed]
    f = parts.X.reshape(-1, layout.nv).T @ (wrench + drag - parts.inertias.wrench).reshape(-1)
    f = f + concat(xp, rows) + own_forces(parts.at)
    for i, load in enumerate(loads, start=len(layout.places)):
        f = f + parts.frames.Omega[i].T @ load.wrench[:3] + parts.frames.V[i].T @ load.wrench[3:]
    return f


@named_arguments
def kane_equations(
    layout: ModelConstants,
    parameters: Parameters,
    q: Array,
    v: Array,
    tau: Array | None = None,
    loads: tuple[NodeLoad, ...] = (),
    xp: ModuleType = np,
) -> tuple[Array, Array]:
    """Return M (nv, nv) and f (nv,) of Kane's equations M v̇ = f; geometric stiffness makes M unsymmetric.

    q (nq,), v (nv,); tau (nv,) generalized forces; loads: wrenches at nodes
    """
    parts = parts_of(At(layout, parameters, q, v, loads, xp))
    M, f = mass_matrix(parts), forces(parts)
    if stiffens(layout, parameters):
        slope, rest = _geometric_rows(parts)
        M, f = M + slope, f - rest
    return M, f if tau is None else f + tau


def solve(layout: ModelConstants, M: Array, f: Array, given: Array | None, xp: ModuleType = np) -> Array:
    """Return v̇ (nv,) of M v̇ = f, with the accelerations `given` (nv,) at held velocities."""
    if layout.nv == 0:
        return f
    if not layout.held:
        return solve_scaled(xp, M, f)
    mask = np.zeros(layout.nv, dtype=bool)
    mask[list(layout.held)] = True
    free, known = np.flatnonzero(~mask), xp.where(xp.asarray(mask), given, 0.0)
    if len(free) == 0:
        return known
    rest = xp.take(f - M @ known, xp.asarray(free), axis=0)
    block = xp.take(xp.take(M, xp.asarray(free), axis=0), xp.asarray(free), axis=1)
    # back to all velocities by a matrix of zeros and ones
    return known + xp.asarray(np.eye(layout.nv)[:, free]) @ solve_scaled(xp, block, rest)


def reactions(at: At, vdot: Array) -> list[Array]:
    """Return the wrench [t; f] (6,) that the parent exerts on each body, about its point in the joint, world axes.

    Newton and Euler from the tips to the root: what a body's motion needs, less its weight and loads, plus what it
    hands on to its children.
    """
    return [row[:, :-1] @ vdot + row[:, -1] for row in reaction_rows(parts_of(at))]


def reaction_rows(parts: EquationTerms) -> list[Array]:
    """Return `reactions` as rows (6, nv + 1): what multiplies v̇, and what no acceleration changes."""
    layout, p, q, _, loads, xp = parts.at
    f, inertia, nv = parts.frames, parts.inertias, layout.nv
    weight, _ = weights(layout, p, f, q, xp)
    drag, _ = dampings(parts)
    out = []
    for i, place in enumerate(layout.places):
        slope = inertia.matrix[i] @ parts.X[i]
        if place.n_modes:
            slope = slope + in_columns(xp, inertia.FE[i], place.etadot[0], nv)
        rest = inertia.wrench[i] - weight[i] - drag[i]
        out.append(turned(xp, f.R[i], concat(xp, [slope, rest[:, None]], axis=1)))
    for i, load in enumerate(loads, start=len(out)):
        wrench = moved_node(xp, load.wrench, f.x[i] - f.x[load.body])
        out[load.body] = out[load.body] - in_columns(xp, wrench[:, None], nv, nv + 1)
    for i in range(len(out) - 1, -1, -1):
        parent = layout.places[i].parent
        if parent >= 0:
            out[parent] = out[parent] + moved_node(xp, out[i], f.x[i] - f.x[parent])
    return out


def momenta(at: At) -> list[Array]:
    """Return [h; ℓ] (6,) of each body, world axes, h about the world's origin."""
    parts, xp, out = parts_of(at), at.xp, []
    for R, x, own in zip(parts.frames.R, parts.frames.x, parts.inertias.momentum):
        out.append(moved_node(xp, concat(xp, [R @ own[:3], R @ own[3:]]), x))
    return out


def energies(at: At) -> tuple[Array, Array, Array]:
    """Return kinetic, strain (modes and springs) and gravity energy."""
    layout, p, q, v, _, xp = at
    parts = parts_of(at)
    kinetic = 0.5 * (v @ (mass_matrix(parts) @ v))
    strain = gravity = 0.0 * kinetic
    moments = first_moments(layout, p, q)
    for i, (place, body) in enumerate(zip(layout.places, p.bodies)):
        joint, eta = q[slice(*place.q)], q[slice(*place.eta)]
        strain = strain + 0.5 * xp.sum(body.stiffness * eta * eta)
        strain = strain + spring_energy(xp, place.steps, body.spring, body.rest, joint)
        gravity = gravity - p.gravity @ (body.mass * parts.frames.x[i] + parts.frames.R[i] @ moments[i])
    return kinetic, strain, gravity


def load_energy(at: At, vdot: Array) -> Array:
    """Return ½ηᵀ(Σ c K)η of the loads c that bodies with geometric stiffness carry."""
    slope, rest = _geometric_rows(parts_of(at))
    return geometric_energy(at.layout, at.q, slope @ vdot + rest)


def _geometric_rows(parts: EquationTerms) -> tuple[Array, Array]:
    """Return what the loads of bodies with geometric stiffness add to M (nv, nv) and f (nv,)."""
    layout, p, q, _, loads, xp = parts.at
    return geometric_rows(layout, p, parts.frames, reaction_rows(parts), q, loads, xp)


def rates(layout: ModelConstants, q: Array, v: Array, xp: ModuleType = np) -> Array:
    """Return q̇ (nq,)."""
    out = []
    for place in layout.places:
        out += coordinate_rates(xp, place.steps, q[slice(*place.q)], v[slice(*place.v)])
        out.append(v[slice(*place.etadot)])
    return concat(xp, out)
