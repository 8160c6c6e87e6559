"""Put a component's frame at a node: modes that vanish there, the same physics.

Modes are defined up to a rigid motion. With the motion of the new reference node a taken away,

    γ' = γ - s - λ_a×l,   λ' = λ - λ_a,   s = γ_a - λ_a×l_a,   l' = l - l_a,

the body frame moves with node a. Stiffness is unchanged; integrals follow from those in the file
(`ModalIntegrals.about`), and the modes are made orthonormal again by the eigenvectors T of (K, G0').

Geometric stiffness follows from K, KR and RR of its unit loads, K' = Tᵀ(K - KR λ_a - λ_aᵀKRᵀ + λ_aᵀRR λ_a)T: a
translation strains nothing, and the loads themselves, balanced, do not know where the frame is.

Nodes that turn with their inertia (`rotary`, NESC report App. E.2) by R = exp[θ]×, θ = λη, have in second order of
deformations

    J += Σ ΘJ - JΘ + ½(Θ²J + JΘ²) - ΘJΘ,    Fη̇ += Σ θ×Jθ̇ - ½ J(θ×θ̇)         (Θ = [θ]×)

on top of point masses; what else the report lists (modal mass, products of three in F) is of higher order. Their sums
follow from the moments of the file, M1' = M1 - λ_a M0, M2' = M2 - λ_a M1 - M1 λ_a + λ_a λ_a M0.

Where nothing forces a change (no node, unit modal mass in the file) T is the identity. Viscous damping is a matrix
of rigid motions and modes, congruent to that of the file; structural damping is TᵀK4T until the joint tells how the
body is held.

Integrals of pairs of modes as products of few rows, where few points carry the mass.

B_rs = Σ m γ_r γ_sᵀ over points is the product WᵀW of rows W (k, 3n), one for each axis of a mode, as many as there are
points that move. A stick of forty nodes has forty rows, however many modes it has: sums over all pairs of modes then
cost 18 k n products instead of 12 n², and read 3 k n numbers instead of 4.5 n².

The rows are eigenvectors of B times the roots of their eigenvalues. Those of a sum of squares are not negative: the
most negative one tells how large rounding is in B, and what is not larger than that is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular
from scipy.linalg.lapack import dpstrf

from interstage.component.component import Component
from interstage.component.damping import damping_parts, equivalent_viscous
from interstage.component.integrals import ModalIntegrals, motion_at, skew
from interstage.errors import InputError, ModelError

UNIT_MASS = 1e-9  # deviation of modal masses from the identity that counts as rounding


@dataclass
class Turning:
    """What nodes that turn add to point masses: J1 (n, 3, 3), J2 (n, n, 3, 3) and F1 (n, n, 3), rows by rows."""

    J1: np.ndarray
    J2: np.ndarray
    F1: np.ndarray


@dataclass
class FlexibleBodyData:
    """A flexible body about its frame, n modes with unit modal mass, N nodes; constants of one tree body.

    l (N, 3), gamma (N, 3, n), lam (N, 3, n) of the nodes; integrals : about its frame, with moments where its order
    needs them; turning: what rotary nodes add, None where they are points; stiffness (n,) modal; viscous,
    structural (n, n) modal damping of the component; drag (6, 6 + n) of its dampers to ground on [ω; v; η̇], None
    where there are none; geometric: stiffness (n, n) of each unit load as `component.GeometricStiffness` names it.
    """

    name: str
    node_ids: np.ndarray
    l: np.ndarray
    gamma: np.ndarray
    lam: np.ndarray
    integrals: ModalIntegrals
    stiffness: np.ndarray
    viscous: np.ndarray
    structural: np.ndarray
    drag: np.ndarray | None = None
    T: np.ndarray = field(
        default_factory=lambda: np.zeros((0, 0))
    )  # (modes of the component, n): its eta = T eta
    geometric: dict[tuple[int, int], np.ndarray] = field(default_factory=dict)
    turning: Turning | None = None

    @property
    def n_modes(self) -> int:
        """Number of modes."""
        return len(self.stiffness)

    @cached_property
    def thin(self) -> np.ndarray | None:
        """Rows (k, 3, n) whose products are B, where they are few (`multibody.flexible_body`)."""
        B = self.integrals.B
        return None if B is None or self.turning is not None else thin_rows(B)

    def swing_rates(self, loose: np.ndarray, spring: np.ndarray) -> np.ndarray:
        """Return ω (k,) at which springs (k,) alone swing the rigid body in each of the motions `loose` (6, k)."""
        inertia = np.einsum("ik,ij,jk->k", loose, self.integrals.rigid_mass, loose)
        return np.sqrt(np.abs(spring) / np.maximum(inertia, 1e-300))

    def held_modes(self, loose: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return ω (n,), Φ (n, n) and MΦ (n, n) of the modes of the body whose frame may do the motions `loose` (6, k).

        Clamped (k = 0), the modes are the coordinates. Otherwise they solve K φ = ω² M φ with H the loose motions and
        M = I - M_ηr H (HᵀM_rrH)⁻¹ HᵀM_rη.
        """
        n = self.n_modes
        if loose.shape[1] == 0 or n == 0:
            return np.sqrt(np.abs(self.stiffness)), np.eye(n), np.eye(n)
        HFE = loose.T @ np.vstack([self.integrals.F0, self.integrals.E])
        M = (
            np.eye(n)
            - HFE.T @ np.linalg.lstsq(loose.T @ self.integrals.rigid_mass @ loose, HFE, rcond=None)[0]
        )
        # the inverse problem: modes that take all of the rigid inertia leave a motion without mass, not an error
        root = np.sqrt(np.maximum(np.abs(self.stiffness), 1e-300))
        inverse, Y = eigh(0.5 * (M + M.T) / np.outer(root, root))
        inverse, Y = inverse[::-1], Y[:, ::-1]
        omega = 1.0 / np.sqrt(np.maximum(inverse, 1e-16 * inverse[0]))
        return omega, Y * omega / root[:, None], root[:, None] * Y / omega

    def damping(self, ratio: np.ndarray | None, loose: np.ndarray) -> np.ndarray:
        """Return the modal damping C (n, n) of the body whose frame may do the motions `loose` (6, k).

        ratio : one or one for each mode of the body so held, C = MΦ diag(2ζω) ΦᵀM, instead of the component's damping;
            None: that of the component, C_viscous + MΦ X ΦᵀM with X_rs = (ΦᵀK4Φ)_rs/√(ω_r ω_s)
        """
        if ratio is None and not self.structural.any():
            return self.viscous
        omega, modes, rows = self.held_modes(loose)
        if ratio is not None:
            return rows * (2.0 * ratio * omega) @ rows.T
        own = equivalent_viscous(modes.T @ self.structural @ modes, omega)
        return self.viscous + rows @ own @ rows.T

    @property
    def frequencies_hz(self) -> np.ndarray:
        """Frequencies (n,) of the body held at its frame."""
        return np.sqrt(np.abs(self.stiffness)) / (2.0 * np.pi)


def reference_to(
    component: Component, node: int | None, order: int, n_modes: int | None = None, rotary: bool = False
) -> FlexibleBodyData:
    """Return the component about `node` (None: about its own reference point, modes as they are).

    `order` above 0 asks for the integrals, `rotary` for those of nodes that turn; `n_modes` keeps the lowest modes of
    the body held at the node.
    """
    c = component
    n = c.n_modes
    if order > 0 and not c.has_integrals:
        raise InputError(
            f"fidelity {order} needs modal integrals",
            where=f"component '{c.name}'",
            hint="make the component with modal_integrals=True, or use order=0",
        )
    l_a, Pi = np.zeros(3), np.zeros((6, n))
    if node is not None:
        row = c.node_row(node)
        l_a = c.node_positions[row]
        Pi = motion_at(l_a, c.gamma[row], c.lam[row])
    own = c.integrals if order > 0 else c.integrals.zero_order()
    moved = own.about(l_a, Pi)
    K = (2.0 * np.pi * np.asarray(c.frequencies_hz)) ** 2 * np.diag(c.G0)
    squares, T = _orthonormal(K, moved.G, c, node)
    if n_modes is not None and not 0 <= n_modes <= n:
        raise InputError(
            "a body cannot keep so many modes",
            where=f"component '{c.name}'",
            expected=f"0 to {n}",
            got=f"{n_modes}",
        )
    keep = np.sort(np.argsort(squares, kind="stable")[: n if n_modes is None else n_modes])
    T, squares = T[:, keep], squares[keep]
    viscous, structural, drag = _damping(c, Pi, l_a, T)
    swing = np.cross(Pi[:3].T[None, :, :], c.node_positions[:, None, :]).transpose(0, 2, 1)
    return FlexibleBodyData(
        name=c.name,
        node_ids=np.asarray(c.node_ids),
        l=c.node_positions - l_a,
        gamma=(c.gamma - Pi[3:] - swing) @ T,
        lam=(c.lam - Pi[:3]) @ T,
        integrals=moved.in_basis(T),
        stiffness=squares,
        viscous=viscous,
        structural=structural,
        drag=drag,
        T=T,
        geometric=_geometric(c, Pi[:3], T),
        turning=_turning(c, Pi[:3], T) if rotary and order > 0 else None,
    )


def _turning(c: Component, turn: np.ndarray, T: np.ndarray) -> Turning:
    """Return what rotary nodes add, with turns (3, n) of the node taken out of the modes."""
    assert c.rotary is not None
    M0, M1, M2 = (c.rotary[name] for name in ("M0", "M1", "M2"))
    mixed = np.einsum("ar,sbij->rsabij", turn, M1)
    M2 = M2 - mixed - mixed.transpose(1, 0, 3, 2, 4, 5) + np.einsum("ar,bs,ij->rsabij", turn, turn, M0)
    M1 = np.einsum("raij,rk->kaij", M1 - np.einsum("ar,ij->raij", turn, M0), T)
    M2 = np.einsum("rsabij,rk,sl->klabij", M2, T, T, optimize=True)
    e = skew(np.eye(3)).transpose(1, 0, 2)  # (x×y)_i = e_iak x_a y_k
    once = np.einsum("iak,rakj->rij", e, M1)
    twice = np.einsum("iap,pbq,rsabqj->rsij", e, e, M2, optimize=True)
    J2 = 0.5 * (twice + twice.transpose(0, 1, 3, 2))
    J2 -= np.einsum("iap,qbj,rsabpq->rsij", e, e, M2, optimize=True)
    F1 = np.einsum("iap,rsabpb->rsi", e, M2) - 0.5 * np.einsum("pab,rsabip->rsi", e, M2)
    return Turning(once + once.transpose(0, 2, 1), J2, F1)


def _geometric(c: Component, turn: np.ndarray, T: np.ndarray) -> dict[tuple[int, int], np.ndarray]:
    """Return the geometric stiffness (n, n) of each unit load, with turns (3, n) of the node taken out of the modes."""
    own = c.geometric_stiffness
    if own is None:
        return {}
    mixed = own.KR @ turn
    K = own.K - mixed - mixed.transpose(0, 2, 1) + turn.T @ own.RR @ turn
    return {(int(node), int(k)): T.T @ one @ T for (node, k), one in zip(own.load, K)}


def _damping(c: Component, Pi: np.ndarray, l_a: np.ndarray, T: np.ndarray):
    """Return viscous and structural modal damping (n, n) about node a, and drag (6, 6 + n) or None.

    With x the rigid motion of the file's frame and x' that of a frame at node a, x = X x' - Πa η.
    """
    viscous, structural = damping_parts(c)
    if c.ground_damping is None:
        return T.T @ viscous @ T, T.T @ structural @ T, None
    rr, rm = c.ground_damping[:, :6], c.ground_damping[:, 6:]
    viscous = viscous - Pi.T @ rm - rm.T @ Pi + Pi.T @ rr @ Pi
    X = np.eye(6)
    X[3:, :3] = skew(l_a)
    drag = X.T @ np.hstack([rr @ X, (rm - rr @ Pi) @ T])
    return T.T @ viscous @ T, T.T @ structural @ T, drag


def _advice(c: Component) -> str:
    """What to do about modes that are dependent: by their frequencies, a rigid mode among them or a massless node."""
    hz = np.sort(c.frequencies_hz[~np.asarray(c.residual_vector, dtype=bool)])
    if len(hz) > 1 and (hz[0] <= 0.0 or hz[1] > 100.0 * hz[0]):
        return (
            f"its mode at {hz[0]:.3g} Hz looks like a rigid mode: make the component again with rigid_threshold_hz "
            "(--rigid-threshold) above that frequency"
        )
    return (
        "a node without rotary inertia cannot be held in rotation: add a small rotary inertia (CONM2) there"
    )


def _orthonormal(
    K: np.ndarray, G: np.ndarray, c: Component, node: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return squared frequencies (n,) and T (n, n) with TᵀGT = I, TᵀKT diagonal: ascending, or the file's modes.

    Where the file's modes have unit modal mass to rounding they are kept one by one, in the order of the file.
    """
    if len(K) == 0:
        return np.zeros(0), np.zeros((0, 0))
    if np.abs(G - np.eye(len(K))).max() < UNIT_MASS:
        return K, np.eye(len(K))
    least = float(np.linalg.eigvalsh(G)[0])
    if least <= 1e-12 * np.max(np.diag(G)):
        raise ModelError(
            f"the modes of component '{c.name}' are not independent once node {node} is held",
            got=f"smallest modal mass {least:.2e}",
            hint=_advice(c),
        )
    # the inverse problem keeps the low frequencies accurate when the highest are huge
    scale = 1.0 / np.sqrt(np.where(K > 0.0, K, np.max(K, initial=1.0)))
    if np.all(K > 0.0):
        values, Y = eigh(scale[:, None] * G * scale[None, :])
        values, Y = values[::-1], Y[:, ::-1]
        squares = 1.0 / values
        T = scale[:, None] * Y * np.sqrt(squares)
    else:
        squares, T = eigh(np.diag(K), G)
    # make modal masses one to rounding: low modes are taken out of high ones, which leaves the stiffness diagonal
    for _ in range(2):
        T = solve_triangular(cholesky(T.T @ G @ T, lower=True), T.T, lower=True).T
    squares = np.einsum("rk,r,rk->k", T, K, T)
    T = T * np.where(T[np.argmax(np.abs(T), axis=0), np.arange(len(K))] < 0.0, -1.0, 1.0)
    return squares, T


LEAST = 24  # modes from which on rows are looked for
WORTH = 0.6  # rows for each mode up to which they cost less than pairs
ROUGH = 1e-10  # negative eigenvalues beyond this part of the largest are no rounding: B is no sum of squares
CLEAR = 4.0  # times the size of rounding: eigenvalues that are kept
ROUNDING = 1e-14  # of the largest eigenvalue, at least


def thin_rows(B: np.ndarray) -> np.ndarray | None:
    """Return W (k, 3, n) with B_ij,rs = Σ_k W_k,ir W_k,js of B (3, 3, n, n); None where it would not be worth it."""
    n = B.shape[-1]
    if n < LEAST:
        return None
    H = B.transpose(0, 2, 1, 3).reshape(3 * n, 3 * n)
    H = 0.5 * (H + H.T)
    rank = dpstrf(H, tol=10.0 * ROUGH * H.diagonal().max())[2]  # a quick look: no fewer rows than this
    if rank > WORTH * n:
        return None
    values, vectors = eigh(H)
    noise = max(-values[0], 0.0)
    kept = values > max(CLEAR * noise, ROUNDING * values[-1])
    if noise > ROUGH * values[-1] or kept.sum() > WORTH * n:
        return None
    return (np.sqrt(values[kept]) * vectors[:, kept]).T.reshape(-1, 3, n)
