"""Constants of a vehicle for Kane's equations: what never changes (`Layout`) and numbers (`Parameters`).

`Parameters` is a tree of named tuples of arrays: jax maps over it and differentiates by it as it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.linalg import eigh

from interstage.errors import InputError, ModelError
from interstage.kane.joints import Step, check_steps
from interstage.kane.ops import LEVI, Array
from interstage.kane.reference import Shapes, about_node
from interstage.multibody.load_nodes import check_loads
from interstage.multibody.model import BodySpec, Multibody, vehicle_units


class Body(NamedTuple):
    """Numbers of one body with n modes and a joint of nv velocities, on a parent with k modes.

    mass; mp (3,) = ∫ l dm; J0 (3, 3) about the origin; E, F0 (3, n); G (n, n) modal mass;
    J1 (n, 3, 3), J2 (n, n, 3, 3), F1 (n, 3, n) its change with deformation; stiffness (n,) modal;
    damping (6 + n, 6 + n) on [ω; v; η̇], body axes: modal, and of dampers to ground;
    l (3,), lam, gam (3, k): the node of the parent; rotation (3, 3) of the joint frame there; axes (3, 3) and pitch
    of the joint; spring, damper, rest (nv,) along its coordinates;
    spin, root (6, n, n) : geometric stiffness of the products of ω and of [t; f] at the inboard node; port (6, k, k) :
    of [t; f] at the node of the parent; the first axis is 0 long where there is none.
    """

    mass: Array
    mp: Array
    J0: Array
    E: Array
    F0: Array
    G: Array
    J1: Array
    J2: Array
    F1: Array
    stiffness: Array
    damping: Array
    l: Array
    lam: Array
    gam: Array
    rotation: Array
    axes: Array
    pitch: Array
    spring: Array
    damper: Array
    rest: Array
    spin: Array
    root: Array
    port: Array


class Parameters(NamedTuple):
    """Numbers of a vehicle: gravity (3,), world axes, and the bodies."""

    gravity: Array
    bodies: tuple[Body, ...]


@dataclass(frozen=True)
class Place:
    """Where a body hangs, the elementary motions of its joint, and where its numbers lie.

    q, v : of the joint;  eta, etadot : of the modes, as (first, last)
    """

    name: str
    parent: int
    steps: tuple[Step, ...]
    order: int
    q: tuple[int, int]
    v: tuple[int, int]
    eta: tuple[int, int]
    etadot: tuple[int, int]

    @property
    def n_modes(self) -> int:
        """Number of modes."""
        return self.eta[1] - self.eta[0]


@dataclass(frozen=True)
class Layout:
    """The tree and the order of its coordinates; `held` are velocities whose accelerations are given."""

    places: tuple[Place, ...]
    nq: int
    nv: int
    held: tuple[int, ...]


class HasModel(Protocol):
    """A compiled system, as far as its description goes: nothing else of it is read here but shapes."""

    @property
    def model(self) -> Multibody:
        """The description."""
        ...


def shapes_of(model: Multibody, like: HasModel | None = None) -> list[Shapes | None]:
    """Return the integrals of each flexible body, once for each distinct use; None for a rigid one."""
    made: dict[tuple, Shapes] = {}
    out: list[Shapes | None] = []
    for i, spec in enumerate(model.specs):
        if spec.component is None:
            out.append(None)
            continue
        key = (id(spec.component), spec.node, spec.order, spec.n_modes, spec.rotary)
        if key not in made:
            made[key] = about_node(
                spec.component,
                spec.node,
                spec.order,
                spec.n_modes,
                None if like is None else _shapes_in(like, i),
                spec.rotary,
            )
        out.append(made[key])
    return out


def _shapes_in(system: Any, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Return gamma, lam of body i as a compiled system has them: its choice of coordinates, nothing else."""
    flex = system.flexes[i]
    return flex.gamma, flex.lam


def build(model: Multibody, shapes: list[Shapes | None]) -> tuple[Layout, Parameters]:
    """Return layout and numbers of a description."""
    if not model.specs:
        raise InputError("a vehicle needs at least one body", where=f"'{model.name}'")
    if getattr(model, "closures", None):
        raise ModelError(
            "Kane's formulation here is for trees",
            got=f"{len(model.closures)} loop closures",
            hint="cut the loops",
        )
    vehicle_units(model)
    check_loads(model)
    index = {spec.name: i for i, spec in enumerate(model.specs)}
    places, held, nq, nv = [], [], 0, 0
    for spec, own in zip(model.specs, shapes):
        joint, n = spec.joint, 0 if own is None else len(own.stiffness)
        check_steps(joint.motions, f"body '{spec.name}'")
        if joint.prescribed:
            held += range(nv, nv + joint.nv)
        places.append(
            Place(
                spec.name,
                -1 if spec.parent is None else index[spec.parent],
                joint.motions,
                spec.order if n else 0,
                (nq, nq + joint.nq),
                (nv, nv + joint.nv),
                (nq + joint.nq, nq + joint.nq + n),
                (nv + joint.nv, nv + joint.nv + n),
            )
        )
        nq, nv = nq + joint.nq + n, nv + joint.nv + n
    bodies = tuple(
        _numbers(spec, own, None if place.parent < 0 else shapes[place.parent], model)
        for spec, own, place in zip(model.specs, shapes, places)
    )
    return Layout(tuple(places), nq, nv, tuple(held)), Parameters(
        np.array(model.gravity, dtype=float), bodies
    )


def _numbers(spec: BodySpec, own: Shapes | None, on: Shapes | None, model: Multibody) -> Body:
    """Return the numbers of one body; `on` are the shapes of a flexible parent."""
    joint = spec.joint
    if on is None:
        # frames of bodies sit in their joints: points of a rigid parent count from there
        from_joint = 0.0 if spec.parent is None else model.spec(spec.parent).offset
        l, lam, gam = np.array(spec.at, dtype=float) - from_joint, np.zeros((3, 0)), np.zeros((3, 0))
    else:
        row = model.spec(spec.parent).component.node_row(spec.at)
        l, lam, gam = on.l[row], on.lam[row], on.gamma[row]
    return Body(
        **_inertia(spec, own),
        l=l,
        lam=lam,
        gam=gam,
        rotation=np.array(spec.rotation, dtype=float),
        axes=joint.axes(),
        pitch=np.array(joint.pitch_per_radian),
        spring=joint.spread("stiffness"),
        damper=joint.spread("damping"),
        rest=joint.spread("rest"),
        **_geometric(spec, own, on, model),
    )


def _geometric(
    spec: BodySpec, own: Shapes | None, on: Shapes | None, model: Multibody
) -> dict[str, np.ndarray]:
    """Return the geometric stiffness of a body and of the node that carries it."""
    n, k = (0 if shapes is None else len(shapes.stiffness) for shapes in (own, on))
    found = {"spin": np.zeros((0, n, n)), "root": np.zeros((0, n, n)), "port": np.zeros((0, k, k))}
    if own is not None and spec.stiffens:
        found["spin"] = own.spin()
        if spec.node is not None:
            found["root"] = own.loads(spec.node)
    if on is not None:
        found["port"] = on.loads(spec.at) if model.spec(spec.parent).stiffens else np.zeros((6, k, k))
    return found


def _inertia(spec: BodySpec, own: Shapes | None) -> dict[str, np.ndarray]:
    """Return mass properties and modal numbers of a body."""
    if own is None:
        rigid = spec.inertia
        m, p = float(rigid.mass), np.asarray(rigid.com, dtype=float) - spec.offset
        own = Shapes(
            **dict.fromkeys(("l", "gamma", "lam"), np.zeros(0)),
            mass=m,
            mp=m * p,
            J0=np.asarray(rigid.inertia) + m * (p @ p * np.eye(3) - np.outer(p, p)),
            E=np.zeros((3, 0)),
            F0=np.zeros((3, 0)),
            G=np.zeros((0, 0)),
            J1=np.zeros((0, 3, 3)),
            J2=np.zeros((0, 0, 3, 3)),
            F1=np.zeros((0, 3, 0)),
            stiffness=np.zeros(0),
            damping=np.zeros((6, 6)),
            structural=np.zeros((0, 0)),
        )
    names = ("mp", "J0", "E", "F0", "G", "J1", "J2", "F1", "stiffness")
    numbers = {"mass": np.array(own.mass), **{k: getattr(own, k) for k in names}}
    return {**numbers, "damping": _damping(spec, own)}


def _left_to_the_frame(spec: BodySpec, own: Shapes, rigid: np.ndarray) -> np.ndarray:
    """Return the motions H (6, k) that do not count as held: all of a Free joint, and for structural damping those of
    other joints that are not driven and whose spring swings the rigid body more slowly than it bends."""
    H = spec.joint.freedoms()
    if spec.joint.is_free:
        return H
    if spec.damping is not None or spec.joint.prescribed:
        return H[:, :0]
    bends = eigh(np.diag(own.stiffness), own.G, eigvals_only=True)[0]
    soft = [k < bends * (h @ rigid @ h) for h, k in zip(H.T, spec.joint.spread("stiffness"))]
    return H[:, soft]


def _damping(spec: BodySpec, own: Shapes) -> np.ndarray:
    """Return the damping matrix (6 + n, 6 + n): the component's, or that of the ratios of the description.

    Ratios and structural damping belong to modes of the body by itself, its frame held but for k motions H: modes of
    the k + n coordinates, of which k have no rate. C_all = M Φ X Φᵀ M then acts on the n modal coordinates alone,
    X = diag(2ζω) or X_rs = (ΦᵀK4Φ)_rs/√(ω_r ω_s).
    """
    n = len(own.stiffness)
    out = np.array(own.damping if spec.damping is None else np.zeros((6 + n, 6 + n)))
    if n == 0 or (spec.damping is None and not own.structural.any()):
        return out
    first = LEVI @ own.mp
    rigid = np.block([[own.J0, first], [first.T, own.mass * np.eye(3)]])
    H = _left_to_the_frame(spec, own, rigid)
    k = H.shape[1]
    FE = H.T @ np.vstack([own.F0, own.E])
    mass = np.block([[H.T @ rigid @ H, FE], [FE.T, own.G]])
    K = np.zeros((k + n, k + n))
    K[k:, k:] = np.diag(own.stiffness)
    squares, modes = (part[..., k:] for part in eigh(K, mass))
    omega, rows, shapes = np.sqrt(np.abs(squares)), (mass @ modes)[-n:], modes[-n:]
    if spec.damping is None:
        X = shapes.T @ own.structural @ shapes / np.sqrt(np.outer(omega, omega))
    else:
        X = np.diag(2.0 * spec.damping * omega)
    out[6:, 6:] += rows @ X @ rows.T
    return out
