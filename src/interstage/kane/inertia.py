"""Inertia of the bodies in their own axes: modal integrals at the present deformation and remainder forces.

A body needs the wrench and modal forces [t; f; g] for accelerations [ω̇; a; η̈], a that of its origin in the world:

    t = J ω̇ + mp×a + F η̈ + ω×Jω + J̇ω + ω×Fη̇ + Ḟη̇
    f = ω̇×mp + m a + E η̈ + ω×(ω×mp) + 2 ω×Eη̇
    g_r = F_r·ω̇ + E_r·a + (Gη̈)_r + ω·Σ_s (F1_sr - F1_rs) η̇_s - ½ωᵀ(∂J/∂η_r)ω

with J and F truncated at the order of the body (order 0: J1, J2, F1 of its whole mass at its centre of mass) and
mp = mp0 + Eη at every order, so that the velocity of the origin drops out. For a cloud of masses F1 is antisymmetric,
J̇ω + ω×Fη̇ = 2∫ r×(ω×γη̇) dm; for nodes that turn with their inertia it is not.
"""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

import numpy as np

from interstage.kane.kinematics import Frames
from interstage.kane.layout import Body, Layout, Parameters, Place
from interstage.kane.ops import Array, concat, cross_rows, skews


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


def deformed(xp: ModuleType, place: Place, body: Body, eta: Array, rate: Array, w: Array) -> Deformed:
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


def inertias(layout: Layout, p: Parameters, f: Frames, q: Array, v: Array, xp: ModuleType = np) -> Inertias:
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
    layout: Layout, p: Parameters, f: Frames, q: Array, xp: ModuleType = np
) -> tuple[Array, list[Array]]:
    """Return wrenches (N, 6) and modal forces (n,) of gravity, body axes: slopes of g·(m x + R(mp0 + Eη))."""
    R = f.R[: len(layout.places)]
    g = R.swapaxes(1, 2) @ p.gravity
    mp = xp.stack(first_moments(layout, p, q))
    mass = xp.stack([body.mass for body in p.bodies])
    wrench = concat(xp, [cross_rows(xp, mp, g), mass[:, None] * g], axis=1)
    return wrench, [body.E.T @ g[i] for i, body in enumerate(p.bodies)]


def first_moments(layout: Layout, p: Parameters, q: Array) -> list[Array]:
    """Return mp0 + Eη (3,) of each body: the modes move the centre of mass at every order."""
    return [
        body.mp + body.E @ q[slice(*place.eta)] if place.n_modes else body.mp
        for place, body in zip(layout.places, p.bodies)
    ]
