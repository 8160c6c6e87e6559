"""Places on bodies: numbers of sites for the kernels, and many nodes of one body at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError
from interstage.multibody.compile import Site, extend_tree, site_of
from interstage.multibody.engine import Engine
from interstage.multibody.impulse import frames_of
from interstage.multibody.state import State
from interstage.spatial.checks import as_array
from interstage.spatial.rotvec import jacobian_coefficients

if TYPE_CHECKING:
    from interstage.multibody.api import System


def _key(system: System, body: str, place: Any) -> tuple[int, Any]:
    """Return (number of the body, node or point), with None for the frame origin."""
    i = system.body(body)
    flex = system._flexes[i]
    if place is None:
        # the kernels' frame of a rigid body sits in its joint
        return i, None if system.model.specs[i].port is None else (0.0, 0.0, 0.0)
    if flex is None:
        return i, tuple(as_array(place, (3,), f"point of rigid body '{body}'").tolist())
    if not isinstance(place, int | np.integer):
        raise InputError(f"the flexible body '{body}' has nodes, not points", got=repr(place))
    rigid_origin = flex.n_modes == 0 and place == system.model.specs[i].node
    return i, None if rigid_origin else int(place)


def sites(system: System, places: Sequence[tuple[str, Any]]) -> list[int]:
    """Return the numbers of sites, -1 - body for frame origins; new ones are added all at once."""
    keys = [_key(system, body, place) for body, place in places]
    new: dict[tuple, Site] = {}
    for key in keys:
        if key[1] is not None and key not in system._sites and key not in new:
            new[key] = site_of(system.model, system._flexes, *key)
    if new:
        first = int(system.tree.sizes[2])
        system.engine = Engine(extend_tree(system.tree, list(new.values())), system.settings)
        system._extra += new.values()
        system._sites |= {key: first + k for k, key in enumerate(new)}
        system._door = None
    return [-1 - i if place is None else system._sites[i, place] for i, place in keys]


def _rows(system: System, body: str, nodes: Any) -> tuple[int, Any, np.ndarray]:
    """Return the number of a body, its flexible part (or None), and rows of nodes or points (k, 3)."""
    i = system.body(body)
    flex = system._flexes[i]
    if flex is None:
        points = np.atleast_2d(np.asarray(np.zeros(3) if nodes is None else nodes, dtype=float))
        return i, None, as_array(points, (len(points), 3), f"points of rigid body '{body}'")
    if nodes is None:
        return i, flex, np.arange(len(flex.l))
    component = system.model.specs[i].component
    return i, flex, np.array([component.node_row(int(node)) for node in np.atleast_1d(nodes)], dtype=int)


def _arms(system: System, x: State, i: int, flex: Any, rows: np.ndarray) -> np.ndarray:
    """Return deformed places (k, 3) from the body origin, body axes."""
    if flex is None:
        return rows.astype(x.q.dtype)
    eta = x.q[system._slices[system.bodies[i]].eta]
    return flex.l[rows] + flex.gamma[rows] @ eta


def positions(system: System, x: State, body: str, nodes: ArrayLike | None) -> np.ndarray:
    """Return world positions (k, 3) of nodes of a flexible body (None: all) or points (k, 3) of a rigid one."""
    i, flex, rows = _rows(system, body, nodes)
    frames = frames_of(system, x)
    arms = _arms(system, x, i, flex, rows) - system.model.specs[i].offset
    return frames.p[i] + arms @ frames.R[i].T


def jacobians(system: System, x: State, body: str, nodes: ArrayLike | None) -> np.ndarray:
    """Return J (k, 6, nv) with [ω; v] = J v of many places on a body, world axes.

    The body's own Jacobian is shifted to every place; its modes add [R J_l λ; R γ].
    """
    i, flex, rows = _rows(system, body, nodes)
    J0 = system.jacobian(x, body)
    R = system.rotation(x, body)
    arms = _arms(system, x, i, flex, rows) @ R.T
    J = np.empty((len(arms), 6, system.nv), x.q.dtype)
    J[:, :3] = J0[:3]
    J[:, 3:] = J0[3:] + np.cross(J0[:3].T[None], arms[:, None, :]).transpose(0, 2, 1)
    if flex is not None and flex.n_modes:
        where = system._slices[body]
        lam, theta = flex.lam[rows], flex.lam[rows] @ x.q[where.eta]
        coefficients = [jacobian_coefficients(s)[:2] for s in np.einsum("ki,ki->k", theta, theta)]
        a2, a3 = np.array(coefficients).reshape(-1, 2).T
        once = np.cross(theta[:, None, :], lam.transpose(0, 2, 1)).transpose(0, 2, 1)
        twice = np.cross(theta[:, None, :], once.transpose(0, 2, 1)).transpose(0, 2, 1)
        J[:, :3, where.etadot] += R @ (lam + a2[:, None, None] * once + a3[:, None, None] * twice)
        J[:, 3:, where.etadot] += R @ flex.gamma[rows]
    return J
