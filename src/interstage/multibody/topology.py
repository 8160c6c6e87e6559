"""Vehicles that change: bodies leave, dock, change their joints or their flexible data.

Every change makes a new description and a new system from it (arrays only: kernels are compiled for all
vehicles, and flexible data about a node are kept from system to system), and a state of the new system. The old
system and state stay as they were. What is not changed keeps its coordinates; what becomes impossible in the new
vehicle is lost by impulses in the new joint, see `impulse`. `system.change` of the new system tells momentum and
energy before and after. Equations: docs/theory/topology.md.

Several vehicles as one system: bodies, closures and settings of each under names of its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np

from interstage.component.units import meters
from interstage.errors import FidelityWarning, InputError, caller_level, did_you_mean
from interstage.multibody import closure_queries, conservation, impulse
from interstage.multibody.closures import ClosureSpec
from interstage.multibody.impulse import Change, JointFrames, frames_of
from interstage.multibody.joints import Free, Joint, Locked, as_joint
from interstage.multibody.model import BodySpec, Multibody
from interstage.multibody.queries import check_attitudes, check_numbers
from interstage.multibody.state import State, check_belongs
from interstage.multibody.types import Node, Target
from interstage.spatial import RigidInertia, Rotation, RotationLike
from interstage.spatial import functions as spatial
from interstage.spatial.checks import as_array

if TYPE_CHECKING:
    from interstage.multibody.model_data import ModelData
    from interstage.multibody.system import System


# A pose this near to what a joint can take (radians, meters) is taken as it is.
CLOSE = 1e-8
# The same beside the distance from the world's origin.
FAR = 1e-14
# Below this a misfit (radians, meters) is rounding, and nothing is corrected for it.
ROUNDING = 1e-13


# new systems ----------------------------------------------------------------------------------------


def rebuilt(system: System, specs: list[BodySpec]) -> System:
    """Return the system of changed descriptions, in an order in which parents come first."""
    from interstage.multibody.system import System

    new = System(with_specs(system.model, in_order(specs)), system.known)
    before = {spec.name: spec for spec in system.model.specs}
    for spec in new.model.specs:
        old = before.get(spec.name)
        if old is not None and old.joint is spec.joint and spec.joint.nv:
            mode = system.joint_mode(spec.name)
            if new.joint_mode(spec.name) != mode:
                new.set_joint_mode(spec.name, mode)
    closure_queries.carry(system, new)
    carry_propellant(system, new)
    if system.factors:
        warnings.warn(
            f"the vehicle changes: factors on it ({', '.join(system.factors)}) do not hold for the new one",
            FidelityWarning,
            stacklevel=caller_level(),
        )
    return new


def carry_propellant(old: System, new: System) -> None:
    """Let tanks that both vehicles have hold what they hold now."""
    before = dict(zip(old.propellant, old.settings.propellant))
    for k, tank in enumerate(new.propellant):
        new.settings.propellant[k] = before.get(tank, new.settings.propellant[k])


def copy_of(system: System) -> System:
    """Return a system of its own with the same vehicle: masses and joint modes of one do not touch the other."""
    return system.with_settings()


def with_specs(model: Multibody, specs: list[BodySpec]) -> Multibody:
    """Return a description with other bodies, the rest shared."""
    new = replace(model, specs=specs)
    for name, value in vars(new).items():
        if isinstance(value, list) and name != "specs":
            setattr(new, name, list(value))
    here = {None, *(spec.name for spec in specs)}
    new.closures = [c for c in new.closures if here.issuperset(body for body, _ in c.ends)]
    return new


def in_order(specs: list[BodySpec]) -> list[BodySpec]:
    """Return descriptions in the order given, but each after its parent."""
    out: list[BodySpec] = []
    placed: set[str | None] = {None}
    waiting = list(specs)
    while waiting:
        later = []
        for spec in waiting:
            if spec.parent in placed:
                out.append(spec)
                placed.add(spec.name)
            else:
                later.append(spec)
        if len(later) == len(waiting):
            raise InputError(
                "bodies hang on each other in a ring", got=", ".join(f"'{s.name}'" for s in later)
            )
        waiting = later
    return out


def carried(old: System, x: State, new: System) -> State:
    """Return a state of the new system with all coordinates that both have; other joints nominal."""
    y = new.state()
    for spec in new.model.specs:
        if spec.name not in old.layout:
            continue
        a, b = old.layout[spec.name], new.layout[spec.name]
        if type(a.joint) is type(b.joint):
            y.q[b.q], y.v[b.v] = x.q[a.q], x.v[a.v]
        if a.eta.stop - a.eta.start == b.eta.stop - b.eta.start:
            y.q[b.eta], y.v[b.etadot] = x.q[a.eta], x.v[a.etadot]
    return y


def check_state(system: ModelData, x: State) -> None:
    """Refuse a state that belongs to another vehicle, is not finite, or has quaternions without length."""
    check_belongs(system, x)
    check_numbers(system, q=x.q, v=x.v)
    check_attitudes(system, x)


def finish(kind: str, body: str, old: System, x: State, new: System, y: State, shift: float = 0.0):
    """Attach the account of a change to the new system and return it with its state."""
    if new.model.closures:
        y = closure_queries.settled(old, x, new, y, body)
    energy = sum(old.energies(x)), sum(new.energies(y))
    new.change = Change(kind, body, old.momentum(x), new.momentum(y), *energy, shift)
    return new, y


# frames ---------------------------------------------------------------------------------------------


def place_frame(system: System, x: State, frames: JointFrames, body: str | None, place: Any):
    """Return R (3, 3), p (3,) and [ω; v] (6,), world axes, of a node, a point, or (None) the body's own frame.

    The frame of the ground is at rest. A node of a flexible body turns by exp(λη) and moves with J_l λη̇, γη̇.
    """
    if body is None:
        return np.eye(3), np.zeros(3) if place is None else np.asarray(place, dtype=float), np.zeros(6)
    i = system.body(body)
    spec, flex = system.model.specs[i], system.flexes[i]
    R, p, w, u = frames.R[i], frames.p[i], frames.V[i, :3], frames.V[i, 3:]
    R_n, arm, spin, slide = np.eye(3), -spec.offset, np.zeros(3), np.zeros(3)
    if flex is not None and place is not None:
        assert spec.component is not None
        row = spec.component.node_row(place)
        where = system.layout[body]
        theta, rate = flex.lam[row] @ x.q[where.eta], flex.lam[row] @ x.v[where.etadot]
        arm = flex.l[row] + flex.gamma[row] @ x.q[where.eta]
        R_n, spin = spatial.matrix_from_rotvec(theta), spatial.left_jacobian(theta) @ rate
        slide = flex.gamma[row] @ x.v[where.etadot]
    elif place is not None:
        arm = np.asarray(place, dtype=float) - spec.offset
    v = u + np.cross(w, arm) + slide
    return R @ R_n, p + R @ arm, np.concatenate([R @ (w + spin), R @ v])


def moved_to(V: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """Return [ω; v] of a point `arm` away in the same rigid motion."""
    return np.concatenate([V[:3], V[3:] + np.cross(V[:3], arm)])


def _relative(parent: tuple, child: tuple, R_PC: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pose R, p of the child's port in the joint frame on the parent."""
    R_F = parent[0] @ R_PC
    return R_F.T @ child[0], R_F.T @ (child[1] - parent[1])


# joining --------------------------------------------------------------------------------------------


def _misfit(system: System, joint: Joint, q: np.ndarray, pose: tuple) -> tuple[float, float]:
    """Return angle and distance, in meters whatever the unit of the vehicle, between a pose and the joint's at q."""
    turn, gap = joint.misfit(q, *pose)
    return turn, gap * meters(system.units)


def join(old: System, x: State, spec: BodySpec, near: np.ndarray | None, snap: bool):
    """Return the system in which a body is joined as `spec` says, and its state after the impact.

    The parent's tree stays where it is; the body's coordinates are those that keep its pose, or come nearest.
    Returns (system, state, shift).
    """
    frames = frames_of(old, x)
    name, i = spec.name, old.body(spec.name)
    # the port in the child's own axes: a point of a rigid body; a flexible one sits on its frame
    child = place_frame(old, x, frames, name, spec.offset if spec.component is None else None)
    parent = place_frame(old, x, frames, spec.parent, spec.at)
    R, p = _relative(parent, child, spec.rotation)
    q = spec.joint.fit(R, p, near)
    turn, gap = _misfit(old, spec.joint, q, (R, p))
    # far from the origin of the world places are known to their last digit only
    if max(turn, gap) > CLOSE + FAR * np.abs(frames.p).max() * meters(old.units) and not snap:
        raise InputError(
            f"body '{name}' is not where its new joint would hold it",
            where=f"{type(spec.joint).__name__} joint on {_said(spec.parent, spec.at)}",
            expected="a pose that the joint can take",
            got=f"{gap / meters(old.units):.3g} away and {np.rad2deg(turn):.3g} degrees turned",
            hint="snap=True moves it there; without rotation= and at= the joint is put where the body is",
        )
    new = rebuilt(old, [spec if s.name == name else replace(s) for s in old.model.specs])
    y = carried(old, x, new)
    y[name].q[:] = q
    # velocity of the port relative to the joint frame, in the child's axes
    R_fit, p_fit = spec.joint.pose(q)
    R_c = parent[0] @ spec.rotation @ R_fit
    arm = parent[0] @ spec.rotation @ p_fit
    carrier = moved_to(parent[2], arm)
    V = child[2] - carrier
    v, rest = spec.joint.fit_velocities(q, np.concatenate([R_c.T @ V[:3], R_c.T @ V[3:]]))
    y[name].v[:] = v
    shift = 0.0
    if max(turn, gap) > ROUNDING:
        shift = gap / meters(old.units) + turn * float(np.linalg.norm(frames.p[i] - child[1]))
        conservation.restore_center(new, y, int(impulse.trees_of(new)[new.body(name)]), old, x)
    if rest.any():
        number = new.body(name)
        impulse.plastic(new, y, number, np.concatenate([R_c @ rest[:3], R_c @ rest[3:]]))
    if max(turn, gap) > ROUNDING:
        conservation.restore_momentum(new, y, int(impulse.trees_of(new)[new.body(name)]), old, x)
    return new, y, shift


def _said(parent: str | None, at: Any) -> str:
    where = f"node {at}" if isinstance(at, int) else f"{np.round(np.asarray(at), 6).tolist()}"
    return f"{'the ground' if parent is None else repr(parent)} at {where}"


# public changes -------------------------------------------------------------------------------------


def detach(system: System, body: str, x: State) -> tuple[System, State]:
    """Let a body leave with everything it carries: it becomes a Free root, all motion stays as it is."""
    check_state(system, x)
    spec = system.model.specs[system.body(body)]
    if spec.parent is None and spec.joint.is_free:
        raise InputError(
            f"body '{body}' is a root: it hangs on nothing", where="detach", hint=_hanging(system.model)
        )
    frames = frames_of(system, x)
    R, p, V = place_frame(system, x, frames, body, None)
    alone = replace(spec, parent=None, joint=Free(), at=np.zeros(3), rotation=np.eye(3), port=None)
    alone.inertia = _with_body(system, frames, alone)
    new = rebuilt(system, [alone if s.name == body else replace(s) for s in system.model.specs])
    y = carried(system, x, new)
    y[body].q[:] = np.concatenate([spatial.quaternion_from_matrix(R), p])
    y[body].v[:] = np.concatenate([R.T @ V[:3], R.T @ V[3:]])
    return finish("detach", body, system, x, new, y)


def _with_body(system: System, frames: JointFrames, spec: BodySpec) -> RigidInertia | None:
    """Return the inertia of a body that is to be free: a point mass becomes a tiny ball, as it has to turn somehow.

    Its radius of gyration is 1e-6 of the vehicle's size: of no weight in any momentum, and it feels no torque.
    """
    rigid = spec.inertia
    if rigid is None or rigid.mass <= 0.0 or any(s.parent == spec.name for s in system.model.specs):
        return rigid
    size = float(np.linalg.norm(np.ptp(frames.p, axis=0))) or 1.0
    ball = rigid.mass * (1e-6 * size) ** 2
    if np.linalg.eigvalsh(rigid.inertia)[0] > ball:
        return rigid
    return RigidInertia(rigid.mass, rigid.com, rigid.inertia + ball * np.eye(3))


def _hanging(model: Multibody) -> str:
    names = [f"'{s.name}'" for s in model.specs if s.parent is not None]
    return f"bodies that can be detached: {', '.join(names)}" if names else "no body hangs on another"


class DockingOptions(TypedDict, total=False):
    """Keywords of `System.attach`."""

    joint: Joint | None
    rotation: RotationLike | None
    port: Node
    snap: bool


class Docking(NamedTuple):
    """How a body is docked, as `System.attach` says."""

    joint: Joint | None = None
    rotation: RotationLike | None = None
    port: Node = None
    snap: bool = False


def attach(system: System, body: str, place: Target, x: State, how: Docking) -> tuple[System, State]:
    """Dock a free body (and the tree it belongs to) to a place on another tree."""
    from interstage.multibody.reroot import reroot, settle_jump

    check_state(system, x)
    parent, at = _target(system.model, place)
    port = how.port
    _check_free(system, body, parent)
    before, moved = (system, x), 0.0
    spec = system.model.spec(body, "attach")
    if port is not None and spec.component is not None and not isinstance(port, int | np.integer):
        raise InputError(
            f"the flexible body '{body}' is joined at a node", where="attach, port", got=repr(port)
        )
    if spec.parent is not None or (spec.component is not None and port is not None and port != spec.node):
        node = port if spec.component is not None and isinstance(port, int | np.integer) else None
        system, x, moved = reroot(system, body, x, port=None if node is None else int(node))
        spec = system.model.spec(body)
    spec = _docked(system, x, spec, parent, at, how)
    new, y, shift = join(system, x, spec, None, how.snap)
    if moved > 0.0:
        settle_jump(*before, new, y, body, moved)
    return finish("attach", body, *before, new, y, max(shift, moved))


def _target(model: Multibody, place: Any) -> tuple[str | None, Any]:
    """Return (parent, at) of a place; a parent of None is the ground."""
    if place is None or isinstance(place, str):
        parent, at = place, None
    elif isinstance(place, tuple) and len(place) == 2:
        parent, at = place
    else:
        raise InputError(
            "not a place to attach to", expected="(parent, node or point) or parent", got=repr(place)
        )
    if parent is None or (parent == "ground" and parent not in model.bodies):
        return None, None if at is None else as_array(at, (3,), "attach, place on the ground")
    on = model.spec(parent, "attach, place").component
    return parent, at if at is None else model.place(
        parent, at, f"attach to '{parent}'"
    ) if on is None else at


def _check_free(system: System, body: str, parent: str | None) -> None:
    """Refuse bodies that are not free to dock there."""
    i, roots = system.body(body), impulse.trees_of(system)
    root = system.model.specs[roots[i]]
    if not root.joint.is_free or root.parent is not None:
        raise InputError(
            f"body '{body}' is not free: '{root.name}' is held on the ground by a {type(root.joint).__name__} joint",
            where="attach",
            hint=f"detach '{root.name}' first",
        )
    if parent is None or roots[system.body(parent)] != roots[i]:
        return
    below = system.body(parent) in impulse.outboard(system, i)
    why = f"'{parent}' hangs on it" if below and parent != body else "both are in one tree"
    raise InputError(
        f"body '{body}' cannot be attached to '{parent}': {why}",
        where="attach",
        hint="detach it first (system.reattach does both), or join them in a loop by a closure",
    )


def _docked(
    system: System,
    x: State,
    spec: BodySpec,
    parent: str | None,
    at: Any,
    how: Docking,
) -> BodySpec:
    """Return the description of a free body after docking; what is not given is taken from where it is now."""
    frames, where = frames_of(system, x), f"body '{spec.name}'"
    joint, rotation, port = (
        as_joint(Locked() if how.joint is None else how.joint, where),
        how.rotation,
        how.port,
    )
    flexible = None if parent is None else system.model.spec(parent).component
    if flexible is not None:
        system.model.place(parent, at, where)  # a flexible parent is joined at a node
        at = int(at)
    own = place_frame(system, x, frames, spec.name, None)
    if spec.component is not None:
        point = None
    elif port is not None:
        point = as_array(port, (3,), f"{where}, port")
    elif at is None or rotation is not None or how.snap:
        point = np.zeros(3)
    else:
        point = own[0].T @ (place_frame(system, x, frames, parent, at)[1] - own[1])
        point[np.abs(point) * meters(system.units) < ROUNDING] = 0.0
    if at is None:
        base = place_frame(system, x, frames, parent, None)
        p = own[1] if point is None else own[1] + own[0] @ point
        at = base[0].T @ (p - base[1])
    R_P = place_frame(system, x, frames, parent, at)[0]
    R_PC = R_P.T @ own[0] if rotation is None else Rotation.of(rotation, where=f"{where}, rotation").matrix
    port = None if point is None or not point.any() else point
    return replace(spec, parent=parent, at=at, joint=joint, rotation=R_PC, port=port)


def reattach(system: System, body: str, place: Target, x: State, how: Docking) -> tuple[System, State]:
    """Detach a body and attach it elsewhere."""
    system.body(body)  # or say that there is none
    between, y = detach(system, body, x)
    new, z = attach(between, body, place, y, how)
    assert new.change is not None
    return finish("reattach", body, system, x, new, z, new.change.shift)


def replace_joint(
    system: System,
    body: str,
    joint: Joint,
    x: State,
    *,
    rotation: RotationLike | None = None,
    snap: bool = False,
) -> tuple[System, State]:
    """Give a body another joint at the same place.

    Coordinates follow from the present pose. Where the joint cannot take it, the joint frame is put where the body
    is (unless `rotation` is given). Velocities that the new joint does not have are lost in a plastic impact.
    """
    check_state(system, x)
    spec = system.model.specs[system.body(body)]
    as_joint(joint, f"body '{body}'")
    near = x[body].q.copy() if type(joint) is type(spec.joint) and spec.joint.linear else None
    R_PC = spec.rotation if rotation is None else Rotation.of(rotation).matrix
    changed = replace(spec, joint=joint, rotation=R_PC)
    if rotation is None and not snap:
        changed = _where_it_is(system, x, changed)
    new, y, shift = join(system, x, changed, near, snap)
    return finish("replace joint of", body, system, x, new, y, shift)


def _where_it_is(system: System, x: State, spec: BodySpec) -> BodySpec:
    """Return the description with the joint frame moved to the body's pose if its joint cannot take that pose."""
    frames = frames_of(system, x)
    rigid = spec.component is None
    parent = place_frame(system, x, frames, spec.parent, spec.at)
    child = place_frame(system, x, frames, spec.name, spec.offset if rigid else None)
    R, p = _relative(parent, child, spec.rotation)
    turn, gap = _misfit(system, spec.joint, spec.joint.fit(R, p), (R, p))
    if max(turn, gap) <= CLOSE:
        return spec
    if gap > CLOSE and isinstance(spec.at, int) and rigid:
        point = child[0].T @ (parent[1] - child[1]) + spec.offset
        spec = replace(spec, port=point)
    elif gap > CLOSE and not isinstance(spec.at, int):
        base = place_frame(system, x, frames, spec.parent, None)
        spec = replace(spec, at=base[0].T @ (child[1] - base[1]))
    return replace(spec, rotation=parent[0].T @ child[0])


def remove(system: System, body: str, x: State) -> tuple[System, State]:
    """Forget a free body and everything it carries, as one does with a spent stage."""
    check_state(system, x)
    i = system.body(body)
    spec = system.model.specs[i]
    if spec.parent is not None:
        raise InputError(
            f"body '{body}' hangs on '{spec.parent}'", where="remove", hint=f"detach '{body}' first"
        )
    gone = {system.bodies[k] for k in impulse.outboard(system, i)}
    stays = [replace(s) for s in system.model.specs if s.name not in gone]
    if not stays:
        raise InputError(f"nothing would be left without '{body}'", where="remove")
    new = rebuilt(system, stays)
    return finish("remove", body, system, x, new, carried(system, x, new))


def together(name: str, systems: Mapping[str, System]) -> System:
    """Return one system of several, in order; systems : by what goes before the names of their bodies, as "chaser."

    Vehicles do not feel each other but through forces that are applied to both. Joint modes, masses and open closures
    are those of each vehicle now.
    """
    models = {prefix: system.model for prefix, system in systems.items()}
    first = next(iter(models.values()))
    specs, closures = [], []
    for prefix, model in models.items():
        if not np.array_equal(model.gravity, first.gravity):
            raise InputError(
                f"vehicles of '{name}' fall in different ways",
                expected=f"gravity {first.gravity}, as '{first.name}'",
                got=f"{model.gravity} of '{model.name}'",
                hint="leave gravity out of both and add a device that gives it to each",
            )
        specs += [named_under(spec, prefix) for spec in model.specs]
        closures += [_closure(closure, prefix) for closure in model.closures]
    names = [spec.name for spec in specs]
    for body in names:
        if names.count(body) > 1:
            raise InputError(f"there are two bodies '{body}'", where=f"vehicles of '{name}'")
    units = next((model.units for model in models.values() if model.units), {})
    found = Multibody(name, first.gravity, specs, closures, units).compile()
    _set(found, systems)
    return found


def named_under(spec: BodySpec, prefix: str) -> BodySpec:
    """Return a body of a vehicle as it is called among several: tanks have the same prefix."""
    parent = None if spec.parent is None else prefix + spec.parent
    tanks = spec.tanks
    if tanks is not None:
        tanks = replace(tanks, names=tuple(prefix + name for name in tanks.names))
    return replace(spec, name=prefix + spec.name, parent=parent, tanks=tanks)


def _closure(closure: ClosureSpec, prefix: str) -> ClosureSpec:
    ends = tuple((None if body is None else prefix + body, place) for body, place in closure.ends)
    return replace(closure, name=prefix + closure.name, ends=(ends[0], ends[1]))


def _set(system: System, systems: Mapping[str, System]) -> None:
    """Give a system the settings of those that it is made of."""
    own = system.settings
    each = [one.settings for one in systems.values()]
    for array in ("joint_mode", "body_inertia", "row_keep", "propellant"):
        getattr(own, array)[:] = np.concatenate([getattr(one, array) for one in each])
    own.opened = frozenset(prefix + name for prefix, one in systems.items() for name in one.settings.opened)
    options = [one.settings.closure_option for one in systems.values() if one.model.closures]
    for option in options:
        if not np.array_equal(option, options[0]):
            raise InputError("vehicles hold their closures in different ways", where=f"'{system.model.name}'")
        own.closure_option[:] = option


def states_together(system: System, systems: Mapping[str, System], states: Mapping[str, State]) -> State:
    """Return the state of vehicles together; those that are not given are as `System.state` has them."""
    known = {prefix.rstrip("."): one for prefix, one in systems.items()}
    for name in states:
        if name not in known:
            raise InputError(f"there is no vehicle '{name}'", hint=did_you_mean(name, known))
    each = [states.get(name, one.state()) for name, one in known.items()]
    for (name, one), x in zip(known.items(), each):
        if not isinstance(x, State) or len(x.q) != one.nq or len(x.v) != one.nv:
            raise InputError(
                f"not a state of vehicle '{name}'", expected=f"{one.nq} coordinates", got=repr(x)[:60]
            )
    return system.state(np.concatenate([x.q for x in each]), np.concatenate([x.v for x in each]))
