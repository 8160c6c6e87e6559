"""What the vehicle carries, for devices: reactions of joints, forces and stresses inside flexible bodies.

What the vehicle carries, for devices: forces that hold joints, forces and stresses inside flexible bodies.

After forward dynamics the forces across joints follow by inverse dynamics under the same wrenches, closures acting as
loads; a result is the row of `multibody.load_recovery` on them,

    y = C η + A η̈ + S [ωωᵀ] + Σ P [t; f]        over the inboard joint, ports of children, wrenches and closures

Which numbers `carried` works on: results inside flexible bodies that devices see, and reactions of joints.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError, ModelError
from interstage.jit import COMPILED
from interstage.multibody.joint_modes import FREE, LOCKED
from interstage.multibody.kernels.algebra import add, cross, kernel, scale, turn, turn_back
from interstage.multibody.kernels.array_access import clear, clear_vector, get3, get9, high, low
from interstage.multibody.kernels.body_inertia import body_terms
from interstage.multibody.kernels.geometric_stiffness import stiff_rows
from interstage.multibody.kernels.inverse_dynamics import accelerations, balance
from interstage.multibody.kernels.kinematics import external_wrenches
from interstage.multibody.load_recovery import BodyRecovery
from interstage.simulation.plant.declarations import ANY
from interstage.units import unit

if TYPE_CHECKING:
    from interstage.multibody import System
    from interstage.simulation.plant.plan import Touch


# without addresses the loop itself is plain Python around the vehicle's kernels
loop_kernel = kernel if COMPILED else lambda function: function


@loop_kernel
def put_modal_results(tree, loop, q):
    """Write the results that modes alone show."""
    for j in range(len(loop.modal_to)):
        i, at = loop.modal_body[j], loop.modal_first[j]
        eta, y = tree.body_eta[i], 0.0 * loop.s[loop.modal_to[j]]
        for r in range(tree.body_modes[i]):
            y += loop.modal_C[at + r] * q[eta + r]
        loop.s[loop.modal_to[j]] = y


@loop_kernel
def _put_wrench(out, k, axes, t, f):
    """Write a row of wrenches [t; f] and its axes."""
    for c in range(3):
        out[k, c] = t[c]
        out[k, 3 + c] = f[c]
    out[k, 6] = axes


@loop_kernel
def _close(tree, work, loop):
    """Write the wrenches of closures on their ends, world axes, behind those of devices; after forward dynamics."""
    n = len(loop.sites)
    for e in range(len(loop.end_closure)):
        c, o = loop.end_closure[e], 0.0 * loop.carried_wrenches[n + e, 0]
        t, f = (o, o, o), (o, o, o)
        for k in range(tree.closure_row[c], tree.closure_row[c + 1]):
            t = add(t, scale(work.closure_f[k], get3(work.closure_n, k)))
            f = add(f, scale(work.closure_f[k], get3(work.closure_u, k)))
        if loop.end_side[e] == 0:
            t, f = scale(-1.0, add(t, cross(get3(work.closure_r, c), f))), scale(-1.0, f)
        _put_wrench(loop.carried_wrenches, n + e, 0.0, t, f)


@loop_kernel
def balanced(tree, work, loop, q, v, vdot):
    """Leave forces across joints and at ports in the scratch, generalized forces in `needed`; after `kinematics`."""
    for k in range(len(loop.sites)):
        for c in range(10):
            loop.carried_wrenches[k, c] = loop.wrenches[k, c]
    _close(tree, work, loop)
    if len(loop.carried_sites) > 0:
        external_wrenches(tree, work, q, loop.carried_sites, loop.carried_wrenches)
    body_terms(tree, work, q, v)
    if len(work.mode_G) > 0:
        stiff_rows(tree, work, q)
    accelerations(tree, work, vdot)
    balance(tree, work, q, v, vdot, loop.needed)
    if len(loop.carried_sites) > 0:
        clear(work.ext)
        clear_vector(work.mode_ext)


@loop_kernel
def _dot6(c, k, first, t, f):
    """Return the product of six numbers of a row and a wrench."""
    y = c[k, first] * t[0] + c[k, first + 1] * t[1] + c[k, first + 2] * t[2]
    return y + c[k, first + 3] * f[0] + c[k, first + 4] * f[1] + c[k, first + 5] * f[2]


@loop_kernel
def put_carried(tree, work, loop, q, vdot):
    """Write forces of joints that are held, and results inside bodies; after `balanced`."""
    for j in range(len(loop.reaction_from)):
        k, mode = loop.reaction_from[j], work.joint_mode[loop.reaction_body[j]]
        x = loop.needed[k]
        if mode == FREE:
            x = 0.0 * x
        elif mode == LOCKED:  # what devices push there does not move it
            x = x - loop.tau[k]
        loop.s[loop.reaction_to[j]] = x
    for j in range(len(loop.result_to)):
        i, at = loop.result_body[j], loop.result_first[j]
        n, eta, first = tree.body_modes[i], tree.body_eta[i], tree.joint_v[i] + tree.joint_nv[i]
        a, b = low(work.V, i), low(work.z, i)
        squares, products = (a[0] * a[0], a[1] * a[1], a[2] * a[2]), (a[0] * a[1], a[0] * a[2], a[1] * a[2])
        y = _dot6(loop.result_rigid, j, 0, squares, products)
        y += _dot6(loop.result_rigid, j, 6, b, high(work.z, i))
        for r in range(n):
            y += loop.result_modes[at + r] * q[eta + r] + loop.result_modes[at + n + r] * vdot[first + r]
        for m in range(loop.result_term[j], loop.result_term[j + 1]):
            s = loop.term_of[m]
            if s >= 0:
                y -= _dot6(loop.term_c, m, 0, low(work.site_z, s), high(work.site_z, s))
            else:
                y += _of_wrench(work, loop, i, m, -1 - s)
        loop.s[loop.result_to[j]] = y


@loop_kernel
def _of_wrench(work, loop, i, m, k):
    """Return what row k of the wrenches does to a result of body i by term m."""
    t, f = low(loop.carried_wrenches, k), high(loop.carried_wrenches, k)
    axes, s = loop.carried_wrenches[k, 6].real, loop.carried_sites[k]
    if axes == 0.0:
        R = get9(work.Rw, i)
        t, f = turn_back(R, t), turn_back(R, f)
    elif axes == 2.0 and s >= 0:
        R = get9(work.site_R, s)
        t, f = turn(R, t), turn(R, f)
    return _dot6(loop.term_c, m, 0, t, f)


SI = {
    "force": "N",
    "moment": "N*m",
    "force per length": "N/m",
    "moment per length": "N",
    "stress": "Pa",
    "displacement": "m",
    "rotation": "rad",
    "strain": "",
}


@dataclass
class Result:
    """One result of a body that a port shows: its row of `rows`."""

    port: str
    to: int
    body: str
    rows: BodyRecovery
    row: int

    def terms(self, system: System, sites: np.ndarray) -> list[tuple[int, np.ndarray]]:
        """Return (port of a child, or -1 - row of wrenches; coefficients (6,)) of all that acts beside the root."""
        nodes = self.rows.nodes()
        found = [(s, self._of(node)) for s, node in self.rows.ports.items()]
        return found + [(-1 - k, self._of(nodes[int(s)])) for k, s in enumerate(sites) if int(s) in nodes]

    def rigid(self, system: System) -> np.ndarray:
        """Return the coefficients (12,) of products of spin and of the wrench across the inboard joint."""
        spec = system.model.spec(self.body)
        loose = spec.joint.is_free and system.joint_mode(self.body) == "free"
        known = np.zeros(6) if loose and self.rows.node is None else self._of(self.rows.node)
        return np.concatenate([self.rows.spin[self.row], known])

    def _of(self, node: int | None) -> np.ndarray:
        try:
            return self.rows.wrench(node)[self.row]
        except ModelError as err:
            raise ModelError(f"'{self.port}' cannot be said", got=str(err)) from None


def result_of(system: System, touch: Touch) -> Result:
    """Return the result that a port shows, or say what is wrong with it."""
    given = touch.place
    if not (isinstance(given, tuple | list) and len(given) == 2 and all(isinstance(x, str) for x in given)):
        raise InputError(
            f"'{touch.port}' is inside no body",
            expected='(body, result), as in ("boom", "root moment")',
            got=repr(given),
        )
    body, name = given
    try:
        rows = BodyRecovery(system, body)
        if name not in rows.names:
            raise InputError(f"body '{body}' has no result '{name}'", expected=f"one of {rows.names}")
    except InputError as err:
        raise InputError(f"'{touch.port}' has no place on the vehicle", got=str(err)) from None
    row = rows.names.index(name)
    known = SI[rows.quantities[row]]
    if touch.slot.unit != ANY and not unit(touch.slot.unit).same_kind(unit(known)):
        raise InputError(
            f"'{touch.port}' does not fit the result '{name}' of body '{body}'",
            expected=touch.slot.unit or "1",
            got=f"a {rows.quantities[row]}, in {known or '1'}",
        )
    return Result(touch.port, touch.slot.start, body, rows, row)


def carried_arrays(
    system: System,
    touches: Sequence[Touch],
    reactions: np.ndarray,
    sites: np.ndarray,
    dtype: np.dtype,
    always: bool = False,
) -> dict[str, np.ndarray]:
    """Return the arrays of a loop that say what is carried.

    touches : all that devices see;  reactions : velocities of joints whose forces they see;  sites : of wrenches
    always : what is carried is found whatever devices see
    """
    results = [result_of(system, touch) for touch in touches if touch.quantity == "result"]
    asked, tree = always or len(reactions) > 0 or len(results) > 0, system.tree
    ends = [
        (c, side, int(s)) for c, pair in enumerate(tree.closure_site) for side, s in enumerate(pair) if s >= 0
    ]
    ends = ends if asked else []
    carried = _whole([*(sites if asked else ()), *(s for _, _, s in ends)])
    last = tree.joint_v + tree.joint_nv
    joints = [int(np.flatnonzero((tree.joint_v <= k) & (k < last))[0]) for k in reactions]
    terms = [one.terms(system, carried) for one in results]
    rows = [row for found in terms for row in found]
    modes = [np.concatenate([one.rows.C[one.row], one.rows.A[one.row]]) for one in results]
    return _modal_arrays(system, touches) | {
        "needed": np.zeros(system.nv if asked else 0, dtype),
        "carried_sites": carried,
        "carried_wrenches": np.zeros((len(carried), 10), dtype),
        "end_closure": _whole([c for c, _, _ in ends]),
        "end_side": _whole([side for _, side, _ in ends]),
        "reaction_body": _whole(joints),
        "result_to": _whole([one.to for one in results]),
        "result_body": _whole([system.body(one.body) for one in results]),
        "result_first": _starts(modes)[:-1],
        "result_modes": np.concatenate([np.zeros(0), *modes]),
        "result_rigid": np.array([one.rigid(system) for one in results]).reshape(-1, 12),
        "result_term": _starts(terms),
        "term_of": _whole([k for k, _ in rows]),
        "term_c": np.array([c for _, c in rows]).reshape(-1, 6),
    }


def _modal_arrays(system: System, touches: Sequence[Touch]) -> dict[str, np.ndarray]:
    """Return the arrays of results that modes alone show."""
    found = [result_of(system, touch) for touch in touches if touch.quantity == "result_of_modes"]
    rows = [one.rows.C[one.row] for one in found]
    return {
        "modal_to": _whole([one.to for one in found]),
        "modal_body": _whole([system.body(one.body) for one in found]),
        "modal_first": _starts(rows)[:-1],
        "modal_C": np.concatenate([np.zeros(0), *rows]),
    }


def _whole(values: Sequence[int]) -> np.ndarray:
    return np.array(values, dtype=np.int64).reshape(-1)


def _starts(parts: Sequence[Sized]) -> np.ndarray:
    """Return where each of several lists begins in all of them together, and where the last ends."""
    return np.cumsum([0, *map(len, parts)]).astype(np.int64)
