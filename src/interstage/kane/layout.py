"""Constants of a vehicle for Kane's equations, and the modal integrals of its components about their inboard nodes.

Modal integrals of a component about its inboard node, by one change of basis.

Add the six rigid motions about the file's reference point to the modes: shapes [e×l, e, γ_r]. A frame at node a
and modes that vanish there are combinations of these 6 + n shapes, the columns of

    Q = [ 1      0   -λ_a T ]        s = γ_a - λ_a×l_a
        [ [l_a]× 1   -s T   ]        T: combinations of modes that become the coordinates
        [ 0      0    T     ]

so that every integral that is bilinear in shapes follows by Q: the mass matrix QᵀM Q holds J, mp, F0, E and the
modal mass at once, the point-mass tensors ∫ l γᵀ and ∫ γ γᵀ follow alike, and so do the moments of
nodes that turn. The columns of T are the modes of the body
held at its node, unit modal mass, ascending frequency, largest entry positive; those of the file as they are where they
have unit modal mass; or those of another basis.

Constants of a vehicle for Kane's equations: what never changes (`ModelConstants`) and numbers (`Parameters`).

`Parameters` is a tree of named tuples of arrays: jax maps over it and differentiates by it as it stands.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.linalg import eigh

from interstage.component.component import Component
from interstage.component.damping import damping_parts
from interstage.errors import InputError, ModelError
from interstage.kane.joints import LEVI, Array, Step, check_steps
from interstage.multibody.model import BodySpec, Multibody, vehicle_units
from interstage.multibody.node_checks import check_loads

# matrices of e_1×, e_2×, e_3×
_TURNS = np.stack([LEVI @ e for e in np.eye(3)])


@dataclass(frozen=True)
class InboardShapes:
    """Integrals of n shapes about a frame; see `Body` for names.

    damping (6 + n, 6 + n) : viscous damping of the component on rigid motion and shapes; structural (n, n)
    geometric : stiffness (n, n) of each unit load as `component.GeometricStiffness` names it
    """

    l: np.ndarray
    gamma: np.ndarray
    lam: np.ndarray
    mass: float
    mp: np.ndarray
    J0: np.ndarray
    E: np.ndarray
    F0: np.ndarray
    G: np.ndarray
    J1: np.ndarray
    J2: np.ndarray
    F1: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    structural: np.ndarray
    geometric: dict[tuple[int, int], np.ndarray] = field(default_factory=dict)

    def loads(self, node: int, order: tuple[int, ...] = (4, 5, 6, 1, 2, 3)) -> np.ndarray:
        """Return the geometric stiffness (6, n, n) of unit loads [t; f] at a node, component axes."""
        n = len(self.stiffness)
        return np.array([self.geometric.get((node, k), np.zeros((n, n))) for k in order])

    def spin(self) -> np.ndarray:
        """Return that of the products of ω: xx yy zz xy xz yz."""
        return self.loads(0, (1, 2, 3, 4, 5, 6))


def about_node(
    c: Component,
    node: int | None,
    order: int,
    n_modes: int | None = None,
    like: tuple[np.ndarray, np.ndarray] | None = None,
    rotary: bool = False,
) -> InboardShapes:
    """Return the integrals of a component about `node` (None: about its own reference point).

    rotary : with those of nodes that turn with their inertia
    like : gamma, lam (N, 3, n) of all nodes about the same frame: the shapes to take as coordinates
    """
    if order > 0 and not c.has_integrals:
        raise InputError(
            f"fidelity {order} needs modal integrals",
            where=f"component '{c.name}'",
            hint="make the component with modal_integrals=True, or use order=0",
        )
    n = c.n_modes
    l_a, rigid = np.zeros(3), np.zeros((6, n))
    if node is not None:
        row = c.node_row(node)
        l_a = c.node_positions[row]
        lam_a = c.lam[row]
        rigid = np.vstack([lam_a, c.gamma[row] - np.cross(lam_a.T, l_a).T])
    gamma = c.gamma - rigid[3:] - np.cross(rigid[:3].T[None], c.node_positions[:, None]).transpose(0, 2, 1)
    lam = c.lam - rigid[:3]
    frame = np.zeros((6 + n, 6))
    frame[:6] = np.eye(6)
    frame[3:6, :3] = LEVI @ l_a
    modes = np.vstack([-rigid, np.eye(n)])
    mass = _mass_matrix(c)
    modal = modes.T @ mass @ modes
    K = (2.0 * np.pi * np.asarray(c.frequencies_hz)) ** 2 * np.diag(c.G0)
    if like is None:
        T = held_modes(K, modal, c.name)
        T = T[:, np.sort(np.argsort(np.sum(T * K[:, None] * T, axis=0), kind="stable")[:n_modes])]
    else:
        T = _same_shapes((gamma, lam), like, modal, c.name)
    Q = np.hstack([frame, modes @ T])
    M = Q.T @ mass @ Q
    J1, J2, F1 = _change_of_inertia(c, modes @ T, l_a, order)
    if rotary:
        turning = _turning_nodes(c, modes @ T)
        J1, J2, F1 = J1 + turning[0], J2 + (order > 1) * turning[1], F1 + turning[2]
    viscous, structural = damping_parts(c)
    grounded = np.zeros((6 + n, 6 + n))
    grounded[6:, 6:] = viscous
    if c.ground_damping is not None:
        grounded[:6], grounded[6:, :6] = c.ground_damping, c.ground_damping[:, 6:].T
    return InboardShapes(
        l=c.node_positions - l_a,
        gamma=gamma @ T,
        lam=lam @ T,
        mass=float(c.mass),
        mp=np.array([M[2, 4], M[0, 5], M[1, 3]]),
        J0=M[:3, :3],
        E=M[3:6, 6:],
        F0=M[:3, 6:],
        G=M[6:, 6:],
        J1=J1,
        J2=J2,
        F1=F1,
        stiffness=np.sum(T * K[:, None] * T, axis=0),
        damping=Q.T @ grounded @ Q,
        structural=T.T @ structural @ T,
        geometric=_geometric_about(c, modes @ T),
    )


def _geometric_about(c: Component, shapes: np.ndarray) -> dict[tuple[int, int], np.ndarray]:
    """Return the geometric stiffness of each unit load on shapes (6 + n, k) of rotations, translations and modes."""
    own, found = c.geometric_stiffness, {}
    for k in range(0 if own is None else len(own.load)):
        whole = np.zeros((6 + c.n_modes, 6 + c.n_modes))
        whole[:3, :3], whole[6:, 6:] = own.RR[k], own.K[k]
        whole[6:, :3], whole[:3, 6:] = own.KR[k], own.KR[k].T
        found[int(own.load[k, 0]), int(own.load[k, 1])] = shapes.T @ whole @ shapes
    return found


def _mass_matrix(c: Component) -> np.ndarray:
    """Return the mass matrix (6 + n, 6 + n) of rotations and translations about the reference point, and modes."""
    first = LEVI @ (c.mass * np.asarray(c.com))
    FE = np.vstack([c.F0, c.E])
    rigid = np.block([[c.inertia, first], [first.T, c.mass * np.eye(3)]])
    return np.block([[rigid, FE], [FE.T, c.G0]])


def held_modes(K: np.ndarray, G: np.ndarray, name: str) -> np.ndarray:
    """Return T (n, n) with TᵀGT = 1, Tᵀdiag(K)T ascending, largest entry of a column positive."""
    n = len(K)
    if n == 0 or np.abs(G - np.eye(n)).max() < 1e-9:
        return np.eye(n)
    try:
        if np.all(K > 0.0):
            # compliance: the lowest modes come out best
            root = 1.0 / np.sqrt(K)
            compliance, Y = eigh(G * root[:, None] * root[None, :])
            if compliance[0] <= 0.0:
                raise np.linalg.LinAlgError
            T = (root[:, None] * Y / np.sqrt(compliance))[:, ::-1]
        else:
            T = eigh(np.diag(K), G)[1]
    except np.linalg.LinAlgError:
        raise ModelError(
            f"the modes of component '{name}' are not independent once its inboard node is held",
            hint="add a small rotary inertia at the node, or use fewer modes",
        ) from None
    biggest = T[np.argmax(np.abs(T), axis=0), np.arange(n)]
    return T * np.where(biggest < 0.0, -1.0, 1.0)


def _same_shapes(own: tuple, like: tuple, G: np.ndarray, name: str) -> np.ndarray:
    """Return T (n, k) with own shapes times T equal to `like`, modal mass kept at one."""
    n, k = own[0].shape[2], like[0].shape[2]
    length = np.abs(own[0]).max(initial=0.0) / max(np.abs(own[1]).max(initial=0.0), 1e-300)
    A, B = (np.vstack([g.reshape(-1, m), length * r.reshape(-1, m)]) for (g, r), m in ((own, n), (like, k)))
    scale = 1.0 / np.maximum(np.linalg.norm(A, axis=0), 1e-300)
    T, _, rank, _ = np.linalg.lstsq(A * scale, B, rcond=1e-12)
    T = scale[:, None] * T
    if rank < n or np.abs(A @ T - B).max(initial=0.0) > 1e-8 * np.abs(B).max(initial=0.0):
        raise ModelError(
            f"the modal coordinates of component '{name}' cannot be matched by the motion of its nodes",
            expected=f"{n} independent shapes",
            got=f"{rank}",
            hint="leave out `like`, or make the component with more nodes",
        )
    values, Y = np.linalg.eigh(T.T @ G @ T)
    return T @ (Y / np.sqrt(values)) @ Y.T


def _change_of_inertia(
    c: Component, C: np.ndarray, l_a: np.ndarray, order: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return J1 (k, 3, 3), J2 (k, k, 3, 3), F1 (k, 3, k) of the point masses for shapes C (6 + n, k).

    At order 0 of one point, the whole mass at the centre of mass.
    """
    n, eye = c.n_modes, np.eye(3)
    if order == 0:
        # one point, the whole mass at the centre of mass, moves by E/m
        E = C.T @ np.vstack([_TURNS @ (c.mass * c.com), c.mass * eye, c.E.T])
        return _slopes_of_inertia(
            np.einsum("i,kj->kij", c.com - l_a, E), np.einsum("ki,lj->klij", E, E) / c.mass
        )
    A_modes = 0.5 * np.trace(c.J1, axis1=1, axis2=2)[:, None, None] * eye - c.J1
    B_modes = 0.5 * np.trace(c.J2, axis1=2, axis2=3)[..., None, None] * eye - c.J2.transpose(0, 1, 3, 2)
    E = np.vstack([_TURNS @ c.pm_c, c.pm_mass * eye, c.pm_E.T])  # ∫ γ
    A = np.concatenate(
        [c.pm_S2 @ _TURNS.transpose(0, 2, 1), c.pm_c[:, None] * eye[:, None, :], A_modes]
    )  # ∫ l γᵀ
    B = np.zeros((6 + n, 6 + n, 3, 3))  # ∫ γ γᵀ, rows by rows
    B[:3] = np.einsum("aij,bjk->abik", _TURNS, A)
    B[3:6] = np.einsum("ai,bj->abij", eye, E)
    B[6:, :6] = B[:6, 6:].transpose(1, 0, 3, 2)
    B[6:, 6:] = B_modes
    A = np.einsum("aij,ak->kij", A, C) - np.einsum("i,aj,ak->kij", l_a, E, C)
    J1, J2, F1 = _slopes_of_inertia(A, np.einsum("abij,ak,bl->klij", B, C, C, optimize=True))
    return J1, J2 if order > 1 else np.zeros_like(J2), F1


def _slopes_of_inertia(A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return J1, J2, F1 of A_k = ∫ l γ_kᵀ (k, 3, 3) and B_kl = ∫ γ_k γ_lᵀ (k, k, 3, 3)."""
    eye = np.eye(3)
    J1 = 2.0 * np.trace(A, axis1=1, axis2=2)[:, None, None] * eye - A - A.transpose(0, 2, 1)
    J2 = np.trace(B, axis1=2, axis2=3)[..., None, None] * eye - 0.5 * (B + B.transpose(0, 1, 3, 2))
    F1 = np.stack(
        [B[..., 1, 2] - B[..., 2, 1], B[..., 2, 0] - B[..., 0, 2], B[..., 0, 1] - B[..., 1, 0]], axis=1
    )
    return J1, J2, F1


def _turning_nodes(c: Component, C: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what nodes that turn add to J1, J2, F1, for shapes C (6 + n, k): from T = ½ΩᵀIΩ of a node, with

        Ω = ω - θ×ω + ½θ×(θ×ω) + θ̇ - ½θ×θ̇       (axes of the node, second order in θ and θ̇)

    whose products of ω with ω and of ω with θ̇ are ½ωᵀJω and ω·Fη̇. A rigid rotation turns every node by itself, a
    translation none.
    """
    assert c.rotary is not None
    I, n, cross = c.rotary["M0"], c.n_modes, LEVI.transpose(0, 2, 1)  # (x×y)_i = cross_iac x_a y_c
    one = np.zeros((6 + n, 3, 3, 3))
    one[:3], one[6:] = np.einsum("ka,ij->kaij", np.eye(3), I), c.rotary["M1"]
    two = np.zeros((6 + n, 6 + n, 3, 3, 3, 3))
    two[:3] = np.einsum("ka,lbij->klabij", np.eye(3), one)
    two[6:, :3] = two[:3, 6:].transpose(1, 0, 3, 2, 4, 5)
    two[6:, 6:] = c.rotary["M2"]
    one = np.einsum("kaij,kp->paij", one, C)
    two = np.einsum("klabij,kp,lq->pqabij", two, C, C, optimize=True)
    # first order: -ω·I(θ×ω);  second: ½(θ×ω)·I(θ×ω) + ½ω·I(θ×(θ×ω)),  -θ̇·I(θ×ω) - ½ω·I(θ×θ̇)
    J1 = -2.0 * np.einsum("paij,jak->pik", one, cross)
    J2 = np.einsum("pqabij,iac,jbd->pqcd", two, cross, cross, optimize=True)
    J2 = J2 + np.einsum("pqabij,jac,cbd->pqid", two, cross, cross, optimize=True)
    F1 = -np.einsum("pqabbj,jac->pcq", two, cross) - 0.5 * np.einsum("pqabij,jab->piq", two, cross)
    J2 = 0.5 * (J2 + J2.transpose(1, 0, 2, 3))
    return 0.5 * (J1 + J1.transpose(0, 2, 1)), 0.5 * (J2 + J2.transpose(0, 1, 3, 2)), F1


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
class SiteConstants:
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
class ModelConstants:
    """The tree and the order of its coordinates; `held` are velocities whose accelerations are given."""

    places: tuple[SiteConstants, ...]
    nq: int
    nv: int
    held: tuple[int, ...]


class HasModel(Protocol):
    """A compiled system, as far as its description goes: nothing else of it is read here but shapes."""

    @property
    def model(self) -> Multibody:
        """The description."""
        ...


def shapes_of(model: Multibody, like: HasModel | None = None) -> list[InboardShapes | None]:
    """Return the integrals of each flexible body, once for each distinct use; None for a rigid one."""
    made: dict[tuple, InboardShapes] = {}
    out: list[InboardShapes | None] = []
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


def build(model: Multibody, shapes: list[InboardShapes | None]) -> tuple[ModelConstants, Parameters]:
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
            SiteConstants(
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
    return ModelConstants(tuple(places), nq, nv, tuple(held)), Parameters(
        np.array(model.gravity, dtype=float), bodies
    )


def _numbers(spec: BodySpec, own: InboardShapes | None, on: InboardShapes | None, model: Multibody) -> Body:
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
    spec: BodySpec, own: InboardShapes | None, on: InboardShapes | None, model: Multibody
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


def _inertia(spec: BodySpec, own: InboardShapes | None) -> dict[str, np.ndarray]:
    """Return mass properties and modal numbers of a body."""
    if own is None:
        rigid = spec.inertia
        m, p = float(rigid.mass), np.asarray(rigid.com, dtype=float) - spec.offset
        own = InboardShapes(
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


def _left_to_the_frame(spec: BodySpec, own: InboardShapes, rigid: np.ndarray) -> np.ndarray:
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


def _damping(spec: BodySpec, own: InboardShapes) -> np.ndarray:
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
