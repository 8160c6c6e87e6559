"""The right-hand side that every compiled method integrates: ẏ = f(t, y) of y = [q; v].

    q̇ = N(q) v,      M(q) v̇ = forces(t, q, v)

`slope` is the one place where methods meet the vehicle: what acts reaches it as `Acts`. An assembly puts its own
`enter`, `respond`, `slope` and `finish` there, and its `Loop` for `Acts` (`flights`). Inputs that change with time
(loads, prescribed motions, masses) come as tables of their values at the nodes of each step, the times at which stages
stand (`Feed`), so that every stage sees them at its own time and no Python runs inside the loops. Coordinates and
velocities of prescribed joints are written, not integrated.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from interstage.multibody.kernels.closed import closed_forward as forward
from interstage.multibody.kernels.closure import project
from interstage.multibody.kernels.joints import normalize, rates
from interstage.multibody.kernels.small import kernel

# tau (R, nv): forces, and accelerations at joints that are not free; q (R, len(q_slots)) and v (R, len(v_slots))
# of prescribed joints; inertia (R, len(bodies), 10) of bodies whose mass changes; wrenches (R, k, 10), or none where
# they do not change. R: a row for each node of the steps, ends shared, or 0: no tables.
Feed = namedtuple("Feed", ["tau", "q_slots", "q", "v_slots", "v", "bodies", "inertia", "wrenches"])

# what acts on a stretch of time: tau (nv,), sites (k,), wrenches (k, 10), and tables
Acts = namedtuple("Acts", ["tau", "sites", "wrenches", "feed"])

# of a step: slopes K (stages, n), the state of a stage and at last of the end z (n,), a sum of slopes u (n,),
# forces (nv,), the step for which the implicit shift stands (1,)
Scratch = namedtuple("Scratch", ["K", "z", "u", "force", "shifted"])


def no_feed(nv: int) -> Feed:
    """Return tables without rows: loads are constant, nothing is prescribed."""
    none = np.zeros(0, dtype=np.int64)
    empty = np.zeros((0, 0)), np.zeros((0, 0, 10))
    return Feed(np.zeros((0, nv)), none, empty[0], none, empty[0], none, empty[1], empty[1])


@kernel
def take(work, feed, row, x, y, wrenches):
    """Write row `row` of the tables into masses, coordinates x, velocities y and wrenches."""
    for k in range(len(feed.q_slots)):
        x[feed.q_slots[k]] = feed.q[row, k]
    for k in range(len(feed.v_slots)):
        y[feed.v_slots[k]] = feed.v[row, k]
    for k in range(len(feed.bodies)):
        for j in range(10):
            work.body_inertia[feed.bodies[k], j] = feed.inertia[row, k, j]
    if len(feed.wrenches) > 0:
        for k in range(len(wrenches)):
            for j in range(6):
                wrenches[k, j] = feed.wrenches[row, k, j]


@kernel
def enter(tree, work, acts, t, row, y):
    """Write what is known of y at a time t, which is row `row` of the tables, and return the forces (nv,) there."""
    load = acts.tau
    if len(acts.feed.tau) > 0:
        nq = tree.sizes[3]
        take(work, acts.feed, row, y[:nq], y[nq:], acts.wrenches)
        load = acts.feed.tau[row]
    return load


@kernel
def slope(tree, work, acts, t, row, y, k):
    """Write ẏ into k at a time t, which is row `row` of the tables, and what is known into y. Return the status."""
    nq = tree.sizes[3]
    load = enter(tree, work, acts, t, row, y)
    rates(tree, y[:nq], y[nq:], k[:nq])
    return respond(tree, work, acts, t, y, load, k)


@kernel
def respond(tree, work, acts, t, y, force, k):
    """Write into k all of ẏ but q̇, for forces (nv,), after `enter`. Return the status."""
    nq = tree.sizes[3]
    return forward(tree, work, y[:nq], y[nq:], force, acts.sites, acts.wrenches, k[nq:])


@kernel
def add_slopes(K, weights, count, h, out):
    """Add h Σ weights_j K_j of the first `count` slopes to a vector."""
    for j in range(count):
        a = h * weights[j]
        if a != 0.0:
            for k in range(len(out)):
                out[k] += a * K[j, k]


@kernel
def finish(tree, work, acts, t, row, y):
    """Bring the end of a step to where it belongs: known coordinates, unit quaternions, closures. Return the status."""
    enter(tree, work, acts, t, row, y)
    nq = tree.sizes[3]
    normalize(tree, y[:nq])
    if len(tree.closure_site) > 0 and work.closure_option[0] != 0.0:
        return project(tree, work, y[:nq], y[nq:])
    return 0
