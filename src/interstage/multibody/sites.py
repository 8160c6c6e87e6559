"""Places on bodies: the origin of the frame, a point of a rigid body, a node of a flexible one.

A place is an arm l in the kernels' frame of its body (which sits in the joint), and what modes add: λη turns it, γη
moves it. Points of rigid bodies need nothing else. Loads at nodes, and many questions about the same nodes, use
sites: rows of the kernels' tables, made once for each node that is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError
from interstage.multibody.compile import SiteArrays, site_of
from interstage.multibody.impulse import frames_of
from interstage.multibody.kernel_interface import NO_SITES
from interstage.multibody.node_checks import check_loaded
from interstage.multibody.state import State
from interstage.multibody.types import SiteKey
from interstage.spatial.checks import as_array
from interstage.spatial.rotvec import exp_coefficients, jacobian_coefficients

if TYPE_CHECKING:
    from interstage.multibody.model_data import ModelData


NO_ARM, UNTURNED, NO_MODES = np.zeros(3), np.eye(3), np.zeros((3, 0))


def _node(system: ModelData, i: int, place: Any) -> int:
    """Return a node of the flexible body i."""
    if not isinstance(place, int | np.integer) or isinstance(place, bool):
        body = system.bodies[i]
        raise InputError(f"the flexible body '{body}' has nodes, not points", got=repr(place))
    return int(place)


def shape_of(system: ModelData, body: str, place: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return l (3,), λ and γ (3, n) of a place in the kernels' frame of its body; n is 0 where no mode moves it."""
    i = system.body(body)
    flex = system.flexes[i]
    if flex is None:
        if place is not None and np.ndim(place) == 0:
            raise InputError(
                f"the rigid body '{body}' has points, not nodes",
                expected="a point (3,) in its frame",
                got=repr(place),
            )
        point = NO_ARM if place is None else as_array(place, (3,), f"point of rigid body '{body}'")
        return point - system.model.specs[i].offset, NO_MODES, NO_MODES
    if place is None:
        return NO_ARM, NO_MODES, NO_MODES
    component = system.model.specs[i].component
    assert component is not None
    row = component.node_row(_node(system, i, place))
    return flex.l[row], np.ascontiguousarray(flex.lam[row]), np.ascontiguousarray(flex.gamma[row])


def located(system: ModelData, pairs: Sequence[tuple[str, Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Return sites (k,) and arms (k, 3) of places (body, place) for the kernels.

    On rigid bodies, and at the frame of a flexible one, the site is -1 - body, and the arm leads to the place.
    """
    found: list[tuple[int, int | None]] = []
    arms, new = np.zeros((len(pairs), 3)), dict[SiteKey, SiteArrays]()
    for k, (body, place) in enumerate(pairs):
        i = system.body(body)
        flex = system.flexible(body)
        if flex is None or place is None:
            arms[k] = shape_of(system, body, place)[0]
            found.append((i, None))
            continue
        node = _node(system, i, place)
        rigid_origin = flex.n_modes == 0 and node == system.model.specs[i].node
        found.append((i, None if rigid_origin else node))
        if not rigid_origin and (i, node) not in system.site_rows:
            new[i, node] = site_of(system.model, system.flexes, i, node)
    if new:
        system.add_sites(new)
    numbers = [-1 - i if node is None else system.site_rows[i, node] for i, node in found]
    return np.array(numbers, dtype=np.int64), arms


def loaded(system: ModelData, pairs: Sequence[tuple[str, Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Do `located` for places where forces act: refuse those that a body insists on knowing and does not."""
    for body, place in pairs:
        spec = system.model.specs[system.body(body)]
        node = spec.node if place is None else place
        if isinstance(node, int | np.integer):
            check_loaded(spec, int(node))
    return located(system, pairs)


def _rows(system: ModelData, body: str, nodes: Any) -> tuple[int, Any, np.ndarray]:
    """Return the number of a body, its flexible part (or None), and rows of nodes or points (k, 3)."""
    i = system.body(body)
    flex = system.flexible(body)
    if flex is None:
        points = np.atleast_2d(np.asarray(np.zeros(3) if nodes is None else nodes, dtype=float))
        return i, None, as_array(points, (len(points), 3), f"points of rigid body '{body}'")
    if nodes is None:
        return i, flex, np.arange(len(flex.l))
    component = system.model.specs[i].component
    assert component is not None
    return i, flex, np.array([component.node_row(int(node)) for node in np.atleast_1d(nodes)], dtype=int)


def _arms(system: ModelData, x: State, i: int, flex: Any, rows: np.ndarray) -> np.ndarray:
    """Return deformed places (k, 3) in the kernels' frame of a body."""
    if flex is None:
        return (rows - system.model.specs[i].offset).astype(x.q.dtype)
    eta = x.q[system.layout[system.bodies[i]].eta]
    return flex.l[rows] + flex.gamma[rows] @ eta


def positions(system: ModelData, x: State, body: str, nodes: ArrayLike | None) -> np.ndarray:
    """Return world positions (k, 3) of nodes of a flexible body (None: all) or points (k, 3) of a rigid one."""
    i, flex, rows = _rows(system, body, nodes)
    frames = frames_of(system, x)
    return frames.p[i] + _arms(system, x, i, flex, rows) @ frames.R[i].T


def pose(system: ModelData, x: State, body: str, place: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return rotation (3, 3) and position (3,) of a place in the world."""
    i, frames = system.body(body), frames_of(system, x)
    local, l = local_pose(system, x, body, place)
    return frames.R[i] @ local, frames.p[i] + frames.R[i] @ l


def local_pose(system: ModelData, x: State, body: str, place: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return rotation (3, 3) and position (3,) of a place in the kernels' frame of its body."""
    l, lam, gamma = shape_of(system, body, place)
    if not gamma.shape[1]:
        return UNTURNED, l
    eta = x.q[system.layout[body].eta]
    theta = lam @ eta
    a1, a2 = exp_coefficients(theta @ theta)
    X = np.array([[0.0, -theta[2], theta[1]], [theta[2], 0.0, -theta[0]], [-theta[1], theta[0], 0.0]])
    return np.eye(3) + a1 * X + a2 * (X @ X), l + gamma @ eta


def _frame_jacobian(system: ModelData, x: State, i: int) -> np.ndarray:
    """Return J (6, nv) of the kernels' frame of a body, world axes."""
    J = np.empty((6, system.nv), x.q.dtype)
    system.engine.jacobian(x.q, np.zeros_like(x.v), i, NO_SITES, J)
    return J


def jacobian(system: ModelData, x: State, body: str, place: Any) -> np.ndarray:
    """Return J (6, nv) with [ω; v] = J v of a place on a body, world axes."""
    i = system.body(body)
    l, lam, gamma = shape_of(system, body, place)
    J = _frame_jacobian(system, x, i)
    if gamma.shape[1] or l.any():
        shifted = _shifted(system, x, body, J, l[None], lam[None], gamma[None])
        return shifted[0]
    return J


def jacobians(system: ModelData, x: State, body: str, nodes: ArrayLike | None) -> np.ndarray:
    """Return J (k, 6, nv) with [ω; v] = J v of many places on a body, world axes."""
    i, flex, rows = _rows(system, body, nodes)
    J = _frame_jacobian(system, x, i)
    if flex is None:
        none = np.zeros((len(rows), 3, 0))
        return _shifted(system, x, body, J, rows - system.model.specs[i].offset, none, none)
    return _shifted(system, x, body, J, flex.l[rows], flex.lam[rows], flex.gamma[rows])


def _shifted(
    system: ModelData, x: State, body: str, J0: np.ndarray, l: np.ndarray, lam: np.ndarray, gamma: np.ndarray
) -> np.ndarray:
    """Return J (k, 6, nv) of places l (k, 3), λ and γ (k, 3, n): J0 of the frame, shifted; modes add [R J_l λ; R γ]."""
    R = frames_of(system, x).R[system.body(body)]
    where, n = system.layout[body], lam.shape[2]
    eta = x.q[where.eta]
    arms = (l + (gamma @ eta if n else 0.0)) @ R.T
    J = np.empty((len(arms), 6, system.nv), x.q.dtype)
    J[:, :3] = J0[:3]
    J[:, 3:] = J0[3:] + np.cross(J0[:3].T[None], arms[:, None, :]).transpose(0, 2, 1)
    if n:
        theta = lam @ eta
        coefficients = [jacobian_coefficients(s)[:2] for s in np.einsum("ki,ki->k", theta, theta)]
        a2, a3 = np.array(coefficients).reshape(-1, 2).T
        once = np.cross(theta[:, None, :], lam.transpose(0, 2, 1)).transpose(0, 2, 1)
        twice = np.cross(theta[:, None, :], once.transpose(0, 2, 1)).transpose(0, 2, 1)
        J[:, :3, where.etadot] += R @ (lam + a2[:, None, None] * once + a3[:, None, None] * twice)
        J[:, 3:, where.etadot] += R @ gamma
    return J
