"""Hold a flexible body at another node, give it other data, and turn a tree round.

A flexible body is described about one node. Held at another, the same modal motion is written in modes that vanish
there; shapes agree to first order in the deformation, so that frames of what it carries shift by terms of second
order (`change.shift` tells how far). The pose of the new node on what it docks to is exact. The vehicle as a whole
is put where its centre of mass was, a rigid motion of it makes momentum exact, and its kinetic energy does not rise.
"""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from interstage.component.component import Component
from interstage.errors import FidelityWarning, InputError, caller_level
from interstage.multibody import conservation, impulse
from interstage.multibody.flexible_body import FlexibleBodyData, reference_to
from interstage.multibody.impulse import frames_of
from interstage.multibody.joints import Free
from interstage.multibody.model import BodySpec, Mounting, fill_flexible
from interstage.multibody.state import State
from interstage.multibody.topology import carried, check_state, finish, moved_to, place_frame, rebuilt
from interstage.spatial import functions as spatial

if TYPE_CHECKING:
    from interstage.multibody.system import System


NOTICED = 0.01  # jump of a node beside the size of its body that is worth a warning


def modal_map(system: System, old: BodySpec, new: BodySpec) -> np.ndarray:
    """Return C with η' = C η between the modes of one component held at two nodes.

    η_component = T η of all modes, hence C = T'⁻¹T. T' is orthonormal in the modal mass of the body held at its new
    node: its first rows are the least-squares answer in the mass metric where modes were left out.
    """
    before = _about(system, old, old.n_modes)
    after = _about(system, new, None)
    C = np.linalg.solve(after.T, before.T)
    return C[: C.shape[0] if new.n_modes is None else new.n_modes]


def _about(system: System, spec: BodySpec, n_modes: int | None) -> FlexibleBodyData:
    c = spec.flexible
    key = (id(c), spec.node, spec.order > 0, n_modes, spec.rotary)
    if key not in system.known:
        system.known[key] = reference_to(c, spec.node, spec.order, n_modes, spec.rotary), c
    return system.known[key][0]


def reroot(system: System, body: str, x: State, port: int | None = None) -> tuple[System, State, float]:
    """Make a body the root of its free tree; joints on the way are turned round. Also say how far that moved a node.

    Closures may open a little where flexible bodies are held at other nodes: `topology.finish` closes them.
    port : node at which a flexible body is described from now on; default: the one it has
    """
    by_name = {s.name: s for s in system.model.specs}
    path = [by_name[body]]
    while path[-1].parent is not None:
        path.append(by_name[path[-1].parent])
    first = path[0]
    if port is not None:
        first.flexible.node_row(port)
    top = replace(first, parent=None, at=np.zeros(3), rotation=np.eye(3), joint=Free(), port=None)
    changed = {body: replace(top, node=top.node if port is None else int(port))}
    for inner, outer in itertools.pairwise(path):
        # `outer` carried `inner`: now it hangs on it, at the place where `inner` sat in the joint
        turned = replace(
            outer,
            parent=inner.name,
            at=inner.offset if inner.component is None else inner.node,  # type: ignore[arg-type]
            rotation=inner.rotation.T.copy(),
            joint=inner.joint.reversed(inner.rotation, f"body '{inner.name}'"),
        )
        if outer.component is not None:
            changed[outer.name] = replace(turned, node=int(inner.at))
        else:
            changed[outer.name] = replace(turned, port=_or_none(np.asarray(inner.at)))
    new = rebuilt(system, [changed.get(s.name, replace(s)) for s in system.model.specs])
    for inner, outer in itertools.pairwise(path):
        # the joint that was turned round goes on as it was: free, prescribed or locked
        if inner.joint.nv and new.joint_mode(outer.name) != system.joint_mode(inner.name):
            new.set_joint_mode(outer.name, system.joint_mode(inner.name))
    y = carried(system, x, new)
    moved = _carry_modes(system, x, new, y, by_name, changed)
    _write_joints(system, x, new, y, changed)
    if not moved:
        return new, y, 0.0
    conservation.restore_momentum(new, y, new.body(body), system, x)
    conservation.limit_energy(new, y, new.body(body), system, x)
    return new, y, _displacement(system, x, new, y)


def settle_jump(system: System, x: State, new: System, y: State, body: str, shift: float) -> None:
    """Put a vehicle that docked by another node where its centre of mass was, with the momentum that it had.

    Kinetic energy does not rise, unless the rigid motion alone needs more; large jumps are told.
    """
    root = int(impulse.trees_of(new)[new.body(body)])
    conservation.restore_center(new, y, root, system, x)
    conservation.restore_momentum(new, y, root, system, x)
    gain = conservation.limit_energy(new, y, root, system, x)
    bent = [
        s.name
        for s in new.model.specs
        if s.component is not None and s.node != system.model.spec(s.name).node
    ]
    shapes = [flex.l for flex in map(new.flexible, bent) if flex is not None]
    size = max(float(np.linalg.norm(np.ptp(l, axis=0))) for l in shapes)
    if shift > NOTICED * size or gain:
        warnings.warn(
            f"{', '.join(bent)}: bent too far to be held at another node without a jump: nodes move by {shift:.3g}"
            + (f", kinetic energy rises by {gain:.3g}" if gain else "")
            + f"; a closure at that node keeps all of them where they are (docking of '{body}')",
            FidelityWarning,
            stacklevel=caller_level(),
        )


def _displacement(system: System, x: State, new: System, y: State) -> float:
    """Return the largest displacement of a body's origin, or of a node that both systems have."""
    largest = 0.0
    for name in set(system.bodies) & set(new.bodies):
        nodes = None
        old, now = system.flexible(name), new.flexible(name)
        if old is not None and now is not None:
            nodes = np.intersect1d(old.node_ids, now.node_ids)
        off = new.positions(y, name, nodes) - system.positions(x, name, nodes)
        largest = max(largest, float(np.linalg.norm(off, axis=1).max(initial=0.0)))
    return largest


def _or_none(point: np.ndarray) -> np.ndarray | None:
    return np.asarray(point, dtype=float) if np.any(point) else None


def _carry_modes(system: System, x: State, new: System, y: State, before: dict, changed: dict) -> list[str]:
    """Write modal coordinates of bodies held at other nodes; return which these are."""
    moved = []
    for name, spec in changed.items():
        old = before[name]
        if spec.component is None or spec.node == old.node:
            continue
        C = modal_map(system, old, spec)
        y[name].eta[:], y[name].etadot[:] = C @ x[name].eta, C @ x[name].etadot
        moved.append(name)
    return moved


def _write_joints(system: System, x: State, new: System, y: State, changed: dict[str, BodySpec]) -> None:
    """Write joint coordinates and velocities of changed bodies from the frames that they had."""
    frames = frames_of(system, x)

    def frame(name: str | None, place: Any):
        return place_frame(system, x, frames, name, place)

    for name, spec in changed.items():
        child = frame(name, spec.node if spec.component is not None else spec.offset)
        if spec.parent is None:
            R, p, V = child
            y[name].q[:] = np.concatenate([spatial.quaternion_from_matrix(R), p])
            y[name].v[:] = np.concatenate([R.T @ V[:3], R.T @ V[3:]])
            continue
        parent = frame(spec.parent, spec.at)
        R_F = parent[0] @ spec.rotation
        arm = child[1] - parent[1]
        y[name].q[:] = spec.joint.fit(R_F.T @ child[0], R_F.T @ arm)
        V = child[2] - moved_to(parent[2], arm)
        R = child[0]
        y[name].v[:] = spec.joint.fit_velocities(y[name].q, np.concatenate([R.T @ V[:3], R.T @ V[3:]]))[0]


# other data -----------------------------------------------------------------------------------------


def replace_component(
    system: System,
    body: str,
    component: Any,
    x: State,
    how: Mounting,
) -> tuple[System, State]:
    """Give a flexible body other data: another mode set, mesh state or mass.

    Modal coordinates and rates are those whose shapes come nearest to the present ones at the nodes that both have, by
    least squares in the mass metric, with the inboard node where it is. Of a free vehicle whose mass is the same the
    center of mass then stays where it was, and momentum about any point that stands still is kept, by a rigid move and
    a rigid motion of the vehicle; kinetic energy does not rise. How far nodes have jumped is in `change`, and a
    `FidelityWarning` says where that is much, or energy rises by what the other data have more of it.
    """
    check_state(system, x)
    spec = system.model.specs[system.body(body)]
    if spec.component is None:
        raise InputError(
            f"body '{body}' is rigid", where="replace_component", hint="use set_mass, or simulate(mass=...)"
        )
    changed = replace(spec, component=None, damping=None)
    if how.node is None:
        how = how._replace(node=spec.node)
    if how.damping is None and (spec.damping is None or np.ndim(spec.damping) == 0):
        how = how._replace(damping=spec.damping)
    component = system.model.in_own_units(component, f"body '{body}'")
    fill_flexible(changed, component, how, f"body '{body}'")
    for s in system.model.specs:
        if s.parent == body:
            changed.flexible.node_row(int(s.at))
    if changed.node != spec.node:
        raise InputError(
            "other data must sit at the same inboard node", got=f"{changed.node}", expected=f"{spec.node}"
        )
    new = rebuilt(system, [changed if s.name == body else replace(s) for s in system.model.specs])
    y = carried(system, x, new)
    i, j = system.body(body), new.body(body)
    old, now = system.flexes[i], new.flexes[j]
    assert old is not None and now is not None
    C = shape_map(old, now, changed.flexible)
    y[body].eta[:], y[body].etadot[:] = C @ x[body].eta, C @ x[body].etadot
    before, after = system.settings.body_inertia[i, 0], new.settings.body_inertia[j, 0]
    root, gain = int(impulse.trees_of(new)[j]), 0.0
    if abs(after - before) <= 1e-9 * before and new.model.specs[root].joint.is_free:
        conservation.restore_center(new, y, root, system, x)
        conservation.restore_momentum(new, y, root, system, x)
        gain = conservation.limit_energy(new, y, root, system, x)
    shift, size = _displacement(system, x, new, y), np.linalg.norm(np.ptp(now.l, axis=0))
    made = finish("replace component of", body, system, x, new, y, shift)
    strain = system.energies(x).strain, new.energies(made[1]).strain
    if shift > NOTICED * size or gain or strain[1] > (1.0 + NOTICED) * strain[0]:
        rise = gain + max(strain[1] - strain[0], 0.0)
        warnings.warn(
            f"other data of '{body}': nodes jump by up to {shift:.3g}, energy rises by {rise:.3g}; data whose shapes "
            "hold how the body is bent make that smaller",
            FidelityWarning,
            stacklevel=caller_level(),
        )
    return made


def shape_map(old: FlexibleBodyData, new: FlexibleBodyData, component: Component) -> np.ndarray:
    """Return C with η' = C η, the minimizer of ‖Γ'η' - Γη‖ over the nodes that both have.

    The norm is the mass matrix of the nodes where the component keeps it (Gset, all nodes the same), otherwise equal
    masses with a radius of gyration of a tenth of the body's size at every node.
    """
    ids, a, b = np.intersect1d(old.node_ids, new.node_ids, return_indices=True)
    if len(ids) == 0:
        raise InputError("the two components have no node in common", got=f"'{old.name}' and '{new.name}'")
    before = np.concatenate([old.gamma[a], old.lam[a]], axis=1).reshape(6 * len(ids), -1)
    after = np.concatenate([new.gamma[b], new.lam[b]], axis=1).reshape(6 * len(ids), -1)
    M = component.gset.mass if component.gset is not None else None
    if M is not None and M.shape[0] == len(before) and np.array_equal(component.axes, np.eye(3)):
        A, B = after.T @ (M @ after), after.T @ (M @ before)
        return np.linalg.lstsq(A, B, rcond=1e-12)[0]
    size = np.linalg.norm(np.ptp(new.l, axis=0)) or 1.0
    weight = np.tile([1.0] * 3 + [0.1 * size] * 3, len(ids))[:, None]
    return np.linalg.lstsq(weight * after, weight * before, rcond=1e-12)[0]
