"""Which numbers `carried` works on: results inside flexible bodies that devices see, and reactions of joints."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError, ModelError
from interstage.multibody.recovered import BodyRecovery
from interstage.system.ports import ANY
from interstage.units import unit

if TYPE_CHECKING:
    from interstage.multibody import System
    from interstage.system.plan import Touch

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
