"""Kane's equations M v̇ = f, and the forces across joints afterwards.

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
from interstage.kane.inertia import Inertias, first_moments, inertias, weights
from interstage.kane.joints import coordinate_rates, spring_energy, spring_forces
from interstage.kane.kinematics import Frames, Load, frames
from interstage.kane.layout import Layout, Parameters
from interstage.kane.ops import Array, concat, in_columns, solve_scaled
from interstage.kane.stiffening import geometric_energy, geometric_rows, moved, stiffens, turned


class At(NamedTuple):
    """A vehicle, its numbers p, its state q (nq,), v (nv,), the wrenches at its nodes, and numpy or jax."""

    layout: Layout
    p: Parameters
    q: Array
    v: Array
    loads: tuple[Load, ...] = ()
    xp: ModuleType = np


class Parts(NamedTuple):
    """What the equations are put together from, at a state: frames, inertias, and X (N, 6, nv) of the bodies."""

    at: At
    frames: Frames
    inertias: Inertias
    X: Array


def parts_of(at: At) -> Parts:
    """Return motions, inertias and partial velocities of every body."""
    layout, p, q, v, loads, xp = at
    f = frames(layout, p, q, v, loads, xp)
    N = len(layout.places)
    back = f.R[:N].swapaxes(1, 2)
    X = concat(xp, [back @ f.Omega[:N], back @ f.V[:N]], axis=1)
    return Parts(at, f, inertias(layout, p, f, q, v, xp), X)


def mass_matrix(parts: Parts) -> Array:
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


def dampings(parts: Parts) -> tuple[Array, list[Array]]:
    """Return wrenches (N, 6) and modal forces (n,) of the damping of bodies, -C [ω; v; η̇], body axes."""
    layout, p, _, v, _, xp = parts.at
    out = []
    for i, (place, body) in enumerate(zip(layout.places, p.bodies)):
        out.append(-body.damping @ concat(xp, [parts.X[i] @ v, v[slice(*place.etadot)]]))
    return xp.stack([force[:6] for force in out]), [force[6:] for force in out]


def forces(parts: Parts) -> Array:
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
    layout: Layout,
    parameters: Parameters,
    q: Array,
    v: Array,
    tau: Array | None = None,
    loads: tuple[Load, ...] = (),
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


def solve(layout: Layout, M: Array, f: Array, given: Array | None, xp: ModuleType = np) -> Array:
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


def reaction_rows(parts: Parts) -> list[Array]:
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
        wrench = moved(xp, load.wrench, f.x[i] - f.x[load.body])
        out[load.body] = out[load.body] - in_columns(xp, wrench[:, None], nv, nv + 1)
    for i in range(len(out) - 1, -1, -1):
        parent = layout.places[i].parent
        if parent >= 0:
            out[parent] = out[parent] + moved(xp, out[i], f.x[i] - f.x[parent])
    return out


def momenta(at: At) -> list[Array]:
    """Return [h; ℓ] (6,) of each body, world axes, h about the world's origin."""
    parts, xp, out = parts_of(at), at.xp, []
    for R, x, own in zip(parts.frames.R, parts.frames.x, parts.inertias.momentum):
        out.append(moved(xp, concat(xp, [R @ own[:3], R @ own[3:]]), x))
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


def _geometric_rows(parts: Parts) -> tuple[Array, Array]:
    """Return what the loads of bodies with geometric stiffness add to M (nv, nv) and f (nv,)."""
    layout, p, q, _, loads, xp = parts.at
    return geometric_rows(layout, p, parts.frames, reaction_rows(parts), q, loads, xp)


def rates(layout: Layout, q: Array, v: Array, xp: ModuleType = np) -> Array:
    """Return q̇ (nq,)."""
    out = []
    for place in layout.places:
        out += coordinate_rates(xp, place.steps, q[slice(*place.q)], v[slice(*place.v)])
        out.append(v[slice(*place.etadot)])
    return concat(xp, out)
