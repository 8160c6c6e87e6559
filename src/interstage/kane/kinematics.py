"""Partial velocities and remainder accelerations of every body frame, in world axes.

For the frame of a body or node with angular velocity ω = Ω v and velocity ẋ = V v of its origin,

    ω̇ = Ω v̇ + α,   ẍ = V v̇ + a,

Ω and V (3, nv) are the partial velocities, α and a the remainder accelerations. From the root to the tips go pose,
velocity and remainders: over a lever r fixed to a frame they shift by u + ω×r, a + α×r + ω×(ω×r); a node of a flexible
body adds slopes and displacements of its modes, a joint its partials. Nothing is dropped: a node turns by exp(λη) at
the rate J_l λη̇. Each joint velocity and each modal rate then moves all frames beyond it as a twist [ω_j; s_j] at a
point x_j, which gives all partial velocities at once:

    Ω_ij = ω_j,   V_ij = s_j + ω_j×(x_i - x_j)        (zero where j does not carry i)

Sources: Kane and Levinson, Dynamics (1985); Stoneking, AIAA 2013-4649.
"""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

import numpy as np

from interstage.kane.joints import Motion, Numbers, Twists, moved, shifted
from interstage.kane.layout import Body, Layout, Parameters, Place
from interstage.kane.ops import Array, concat, cross_rows, skew
from interstage.kane.rotation import of_vector


class Load(NamedTuple):
    """A node of body `body` with l (3,), lam and gam (3, n), and a wrench [t; f] (6,) on it, world axes.

    K (6, n, n) : geometric stiffness of a unit wrench there, body axes
    """

    body: int
    l: Array
    lam: Array
    gam: Array
    wrench: Array
    K: Array | None = None


class Frames(NamedTuple):
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
    xp: ModuleType, m: Motion, place: Place | None, l: Array, lam: Array, gam: Array, q: Array, v: Array
) -> tuple[Motion, list[Twists]]:
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
    on = Motion(
        R=m.R @ turn,
        x=on.x,
        w=on.w + spin,
        u=on.u + slide,
        alpha=on.alpha + W @ spin + m.R @ change,
        a=on.a + 2.0 * (W @ slide),
    )
    return on, [(turns, slides, on.x[:, None] + 0.0 * slides)]


def _on_joint(
    xp: ModuleType, node: Motion, place: Place, body: Body, q: Array, v: Array
) -> tuple[Motion, list[Twists]]:
    """Return the motion of the frame of a body whose joint sits on `node`, and the twists of its velocities."""
    F = node._replace(R=node.R @ body.rotation)
    at = Numbers(body.axes, body.pitch, q[slice(*place.q)], v[slice(*place.v)])
    return moved(xp, F, place.steps, at)


def frames(
    layout: Layout, p: Parameters, q: Array, v: Array, loads: tuple[Load, ...] = (), xp: ModuleType = np
) -> Frames:
    """Return the motions of all body frames, then those of the loaded nodes."""
    zero = xp.zeros(3)
    world = Motion(xp.asarray(np.eye(3)), zero, zero, zero, zero, zero)
    found: list[Motion] = []
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
    return Frames(*stacked, *_partial_velocities(xp, layout, stacked[1], twists, loads))


def _partial_velocities(
    xp: ModuleType, layout: Layout, x: Array, twists: list[Twists], loads: tuple[Load, ...]
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


def _carriers(layout: Layout, loads: tuple[Load, ...]) -> np.ndarray:
    """Return (k, nv): the twist by which each velocity moves each frame; the last twist is none at all."""
    rows, first = [], 0
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
