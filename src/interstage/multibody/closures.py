"""Describe loop closures: what is joined to what, and which scalar conditions that makes.

A closure joins two places as a joint would: its frame F sits on the first place (turned by `rotation`), the frame of
the second place coincides with F at zero coordinates of the joint, and whatever the joint does not allow is a row:

    Locked       travel x, y, z; turn x, y, z          Universal   travel x, y, z; the angle of its axes
    Revolute     travel x, y, z; two tilts of the axis Ball, Gimbal  travel x, y, z
    Prismatic    two travels across; turn x, y, z      Planar      travel along the normal; two tilts
    Cylindrical  two travels across; two tilts         Screw       as cylindrical; travel less pitch times turn
    Slot         two travels across

Rows of closures that hold, and what they answer with: J M⁻¹Jᵀ, and the part of it below which nothing moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from interstage.errors import InputError, ModelError
from interstage.multibody.joints import SPRING, Joint, as_joint
from interstage.multibody.kernels import closure_rows as rows
from interstage.multibody.state import State
from interstage.multibody.types import SiteKey, Target
from interstage.spatial.checks import as_array

if TYPE_CHECKING:
    from interstage.multibody.compile import SiteArrays
    from interstage.multibody.flexible_body import FlexibleBodyData
    from interstage.multibody.model import Multibody
    from interstage.multibody.system import System


GROUND = "ground"
ROUNDING = 1e-13  # tolerance of projections: radians, or lengths beside the size of the vehicle

End: TypeAlias = tuple[str | None, int | np.ndarray]


@dataclass(frozen=True)
class ClosureSpec:
    """One closure as described: `ends` are (body, node or point), body None for the ground."""

    name: str
    ends: tuple[End, End]
    joint: Joint
    rotation: np.ndarray


def end_of(model: Multibody, end: Target, where: str) -> End:
    """Return a checked end: (None, point) on the ground, (body, point) or (body, node)."""
    if end is None:
        return None, np.zeros(3)
    if not isinstance(end, tuple | list) or len(end) != 2:
        raise InputError(
            "not an end of a closure",
            where=where,
            expected='(body, node), (body, point), or ("ground", point)',
            got=repr(end),
        )
    body, place = end
    if body is None or (body == GROUND and GROUND not in model.bodies):
        return None, as_array(
            (0.0, 0.0, 0.0) if place is None else place, (3,), f"{where}, point on the ground"
        )
    spec = model.spec(body, where=where)
    if spec.component is None:
        if isinstance(place, int | np.integer):
            raise InputError(
                f"the rigid body '{body}' has points, not nodes",
                where=where,
                expected="three numbers",
                got=f"{place}",
            )
        return body, as_array(
            (0.0, 0.0, 0.0) if place is None else place, (3,), f"{where}, point of '{body}'"
        )
    if place is None:
        place = spec.node
    if not isinstance(place, int | np.integer) or isinstance(place, bool):
        raise InputError(
            f"the flexible body '{body}' is joined at a node",
            where=where,
            expected="a node id",
            got=repr(place),
        )
    spec.component.node_row(int(place))
    return body, int(place)


def check_ends(model: Multibody, ends: tuple[End, End], where: str) -> None:
    """Refuse to join a place with itself, or two places that cannot move apart."""
    (body, first), (other, second) = ends
    if body != other:
        return
    flexible = body is not None and model.spec(body).component is not None
    if not flexible or first == second:
        raise InputError(
            "a closure joins two different bodies, or two nodes of a flexible one",
            where=where,
            got=f"'{body or GROUND}' twice",
        )


def check_joint(joint: Joint, where: str) -> Joint:
    """Return the joint of a closure, or say why it cannot be one."""
    as_joint(joint, where)
    if not joint.closure_rows():
        raise InputError(
            f"a {type(joint).__name__} joint closes nothing",
            where=where,
            hint="choose a joint that holds something",
        )
    if joint.prescribed:
        raise InputError(
            "the joint of a closure cannot be prescribed",
            where=where,
            hint="prescribe a joint of the tree instead",
        )
    if any(np.any(joint.spread(name)) for name in SPRING):
        raise InputError(
            "the joint of a closure has no spring and no damper",
            where=where,
            hint="put a small body with a sprung joint on the tree and close the loop with it",
        )
    return joint


def row_names(model: Multibody) -> list[tuple[str, str]]:
    """Return (closure, words) of every row."""
    return [(spec.name, row.words) for spec in model.closures for row in spec.joint.closure_rows()]


def closure_keys(model: Multibody) -> list[SiteKey]:
    """Return the places (body number, node or point) that closures need as sites, each once, in order."""
    index = {name: i for i, name in enumerate(model.bodies)}
    keys: dict[SiteKey, None] = {}
    for spec in model.closures:
        for body, place in spec.ends:
            if body is not None:
                keys[index[body], _key(place)] = None
    return list(keys)


def _key(place: int | np.ndarray) -> int | tuple[float, ...]:
    return tuple(place.tolist()) if isinstance(place, np.ndarray) else place


def closure_sites(
    model: Multibody, flexes: list[FlexibleBodyData | None]
) -> tuple[list[SiteKey], list[SiteArrays]]:
    """Return keys and sites of the ends of closures: a system has them first among its sites after the ports."""
    from interstage.multibody.compile import site_of

    keys = closure_keys(model)
    for spec in model.closures:
        if any(row.kind != rows.ALONG for row in spec.joint.closure_rows()):
            for body, place in spec.ends:
                i = -1 if body is None else model.bodies.index(body)
                flex, component = (None, None) if i < 0 else (flexes[i], model.specs[i].component)
                if body is not None and flex is not None and component is not None and isinstance(place, int):
                    _check_turning(spec, body, place, component.node_row(place), flex)
    return keys, [
        site_of(model, flexes, body, place if isinstance(place, int) else np.array(place))
        for body, place in keys
    ]


def _check_turning(spec: ClosureSpec, body: str, node: int, row: int, flex: FlexibleBodyData) -> None:
    """Refuse to hold the rotation of a node that has none in the component."""
    moves = np.abs(flex.gamma[row]).max(initial=0.0) > 1e-9 * np.abs(flex.gamma).max(initial=0.0)
    if moves and not flex.lam[row].any():
        raise ModelError(
            f"node {node} of body '{body}' has no rotation in any mode: a {type(spec.joint).__name__} cannot hold it",
            where=f"closure '{spec.name}'",
            hint="use a Ball closure, or connect the node by a rigid element (RBE2, RBE3) that gives it rotations",
        )


def closure_arrays(model: Multibody, n_port: int, sites: list[SiteArrays]) -> dict[str, np.ndarray]:
    """Return the arrays of a `Tree` that belong to closures."""
    number = {key: n_port + k for k, key in enumerate(closure_keys(model))}
    index = {name: i for i, name in enumerate(model.bodies)}
    specs = model.closures
    table = [spec.joint.closure_rows() for spec in specs]
    flat = [row for part in table for row in part]
    ends = [[-1 if b is None else number[index[b], _key(p)] for b, p in spec.ends] for spec in specs]
    points = [[np.zeros(3) if b is not None else p for b, p in spec.ends] for spec in specs]
    kind = np.array([row.kind for row in flat], dtype=np.int64)
    lengths = np.isin(kind, (rows.ALONG, rows.SCREW_ROW))
    parents = [-1 if spec.parent is None else index[spec.parent] for spec in model.specs]
    bodies = [[-1 if b is None else index[b] for b, _ in spec.ends] for spec in specs]
    return coupling_arrays(parents, bodies, [len(part) for part in table]) | {
        "closure_site": np.array(ends, dtype=np.int64).reshape(-1, 2),
        "closure_row": np.cumsum([0, *(len(part) for part in table)]).astype(np.int64),
        "closure_R": np.array([spec.rotation for spec in specs], dtype=float).reshape(-1, 9),
        "closure_p": np.array(points, dtype=float).reshape(-1, 6),
        "row_kind": kind,
        "row_u": np.array([row.u for row in flat], dtype=float).reshape(-1, 3),
        "row_w": np.array([row.w for row in flat], dtype=float).reshape(-1, 3),
        "row_c": np.array([row.c for row in flat], dtype=float),
        "row_tolerance": ROUNDING * np.where(lengths, _size(model, sites), 1.0),
    }


def coupling_arrays(parents: list[int], ends: list[list[int]], rows_of: list[int]) -> dict[str, np.ndarray]:
    """Return which bodies hang together on the ground, and which closures couple.

    parents (N,) and ends of closures: numbers of bodies, -1 for the ground;  rows_of : number of rows of each closure
    """
    branch: list[int] = []
    count = 0
    for parent in parents:
        branch.append(count if parent < 0 else branch[parent])
        count += parent < 0
    feels = [{branch[i] for i in pair if i >= 0} for pair in ends]
    users: list[list[int]] = [[] for _ in range(count)]
    for c, branches in enumerate(feels):
        for b in branches:
            users[b].append(c)
    near = [sorted({d for b in branches for d in users[b] if d >= c}) for c, branches in enumerate(feels)]
    first = [min([c, *(d for b in branches for d in users[b])]) for c, branches in enumerate(feels)]
    starts = np.cumsum([0, *rows_of])
    return {
        "body_branch": np.array(branch, dtype=np.int64),
        "branch_start": np.cumsum([0, *np.bincount(branch, minlength=count)]).astype(np.int64),
        "branch_body": np.argsort(np.array(branch, dtype=np.int64), kind="stable").astype(np.int64),
        "near_start": np.cumsum([0, *map(len, near)]).astype(np.int64),
        "near_closure": np.array([d for part in near for d in part], dtype=np.int64),
        "row_first": np.repeat(starts[first], rows_of).astype(np.int64),
    }


def _size(model: Multibody, sites: list[SiteArrays]) -> float:
    """Return a length of the order of the vehicle."""
    lengths = [float(np.abs(site.l).max()) for site in sites]
    lengths += [float(np.abs(s.at).max()) for s in model.specs if isinstance(s.at, np.ndarray)]
    lengths += [float(np.abs(p).max()) for c in model.closures for b, p in c.ends if b is None]
    return max(lengths, default=0.0) or 1.0


def kept(system: System) -> np.ndarray:
    """Return the numbers of the rows that are not left out."""
    return np.flatnonzero(system.settings.row_keep)


def in_use(system: System) -> np.ndarray:
    """Return a mask (m,) of the rows of closures that are not open."""
    closed = np.array([spec.name not in system.settings.opened for spec in system.model.closures], dtype=bool)
    return np.repeat(closed, np.diff(system.tree.closure_row))


def answers(system: System, x: State) -> tuple[np.ndarray, np.ndarray, int]:
    """Return J M⁻¹Jᵀ (m, m) of the rows in use, the answers (m,) below which rows cannot move, and the status."""
    view = system.with_settings()
    view.settings.row_keep[:] = in_use(system)
    with view.engine.borrow(np.dtype(np.float64)) as scratch:
        status = scratch.closure_response(x.q.real.copy(), np.zeros(system.nv))
        return scratch.work.closure_L.copy(), scratch.work.closure_rest.copy(), status


def least_answers(system: System, x: State) -> np.ndarray:
    """Return J M⁻¹Jᵀ (m,) below which a row cannot move (`stillness`); zero where M has no inverse."""
    _, rest, status = answers(system, x)
    return rest if status == 0 else np.zeros_like(rest)
