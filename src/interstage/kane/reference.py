"""Modal integrals of a component about its inboard node, by one change of basis.

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
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import eigh

from interstage.component.damping import damping_parts
from interstage.component.record import Component
from interstage.errors import InputError, ModelError
from interstage.kane.ops import LEVI

# matrices of e_1×, e_2×, e_3×
_TURNS = np.stack([LEVI @ e for e in np.eye(3)])


@dataclass(frozen=True)
class Shapes:
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
) -> Shapes:
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
    return Shapes(
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
        geometric=_geometric(c, modes @ T),
    )


def _geometric(c: Component, shapes: np.ndarray) -> dict[tuple[int, int], np.ndarray]:
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
