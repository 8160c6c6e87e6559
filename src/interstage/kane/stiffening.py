"""Geometric stiffness of bodies in Kane's equations: exact, forces across joints included.

The modal forces -(Σ ω_iω_j K_ij + Σ_k f_k K_k) η of the loads that a body carries are linear in v̇, as the forces across
its joints are: rows g = [slope | rest] (n, nv + 1) of each body, and (M + slope) v̇ = f - rest. M + slope is not
symmetric.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np

from interstage.kane.kinematics import Frames, Load
from interstage.kane.layout import Layout, Parameters
from interstage.kane.ops import Array, concat, cross


def moved(xp: ModuleType, wrench: Array, arm: Array) -> Array:
    """Return a wrench [t; f], or columns of wrenches (6, k), acting at `arm` from the new point."""
    return concat(xp, [wrench[:3] + cross(xp, arm, wrench[3:]), wrench[3:]])


def turned(xp: ModuleType, R: Array, wrench: Array) -> Array:
    """Return a wrench, or columns of wrenches (6, k), in axes R."""
    return concat(xp, [R @ wrench[:3], R @ wrench[3:]])


def stiffens(layout: Layout, p: Parameters) -> bool:
    """Return whether any body has geometric stiffness."""
    return any(place.n_modes and len(body.spin) for place, body in zip(layout.places, p.bodies))


def geometric_rows(
    layout: Layout,
    p: Parameters,
    frames: Frames,
    reactions: list[Array],
    q: Array,
    loads: tuple[Load, ...] = (),
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
                    at_node = moved(xp, reactions[j], frames.x[j] - node)
                    total = total - (child.port @ eta).T @ turned(xp, R, at_node)
            for load in loads:
                if load.body == i and load.K is not None:
                    total = total + _constant(xp, (load.K @ eta).T @ turned(xp, R, load.wrench), nv)
        rows.append(total)
    whole = concat(xp, rows)
    return whole[:, :nv], whole[:, nv]


def geometric_energy(layout: Layout, q: Array, force: Array) -> Array:
    """Return ½ Σ η·g of the modal forces g, entries of (nv,), that geometric stiffness needs."""
    places = [place for place in layout.places if place.n_modes]
    return 0.5 * sum(q[slice(*place.eta)] @ force[slice(*place.etadot)] for place in places)


def _constant(xp: ModuleType, force: Array, nv: int) -> Array:
    """Return rows (n, nv + 1) of modal forces (n,) that no acceleration changes."""
    return concat(xp, [xp.zeros((len(force), nv)), force[:, None]], axis=1)
