"""Modal integrals: inertia of the deformed body as constants of its modes.

Zero order comes from the finite-element mass matrix itself; first and second order from its point masses
(NESC report, Eq. E.3.1), each the translational mass of a node or a lumped mass at its own centre of
gravity, which moves with `gamma + lam x o`. Everything is summed over blocks of nodes, so that a large
model needs little more than its mode shapes in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NotRequired, TypedDict

import numpy as np
import scipy.sparse as sp

from interstage.calls import named_arguments
from interstage.errors import InputError

BLOCK = 4096  # nodes handled at once


@dataclass
class PointMasses:
    """Point masses: `mass` (P,), `row` (P,) of the node that carries each, `offset` (P,3) from that node."""

    mass: np.ndarray
    row: np.ndarray
    offset: np.ndarray


def skew(x: np.ndarray) -> np.ndarray:
    """Return the matrices [x]x of vectors (..., 3), so that [x]x y = x x y."""
    x = np.asarray(x)
    out = np.zeros(x.shape + (3,), dtype=x.dtype)
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -x[..., 2], x[..., 1], -x[..., 0]
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = x[..., 2], -x[..., 1], x[..., 0]
    return out


@named_arguments
@dataclass(frozen=True, eq=False)
class ModalIntegrals:
    """Integrals of the mass of a flexible body over n modes, about a point of its frame.

    They are linear in the mass: integrals of parts that share modes add, subtract and scale.

    Parameters
    ----------
    mass, first, inertia : of the undeformed body: m, ∫ l dm (3,) and the inertia (3, 3) about the point
    E, F0, G : `S_v' M Π` (3, n), `S_w' M Π` (3, n) and the modal mass `Π' M Π` (n, n), of the mass matrix itself
    K : modal stiffness (n, n) where it belongs to the same parts, None where it does not
    A, B : moments (3, 3, n) and (3, 3, n, n) of the point masses, A_r = Σ m l γ_r' and B_rs = Σ m γ_r γ_s'; None
        without integrals of first and second order
    pm_mass, pm_c, pm_S2, pm_E : Σ m, Σ m l (3,), Σ m l l' (3, 3) and Σ m γ (3, n) of the point masses
    """

    mass: float
    first: np.ndarray
    inertia: np.ndarray
    E: np.ndarray
    F0: np.ndarray
    G: np.ndarray
    K: np.ndarray | None = None
    A: np.ndarray | None = None
    B: np.ndarray | None = None
    pm_mass: float = 0.0
    pm_c: np.ndarray | None = None
    pm_S2: np.ndarray | None = None
    pm_E: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        M_rr: np.ndarray,
        P: np.ndarray,
        G: np.ndarray,
        K: np.ndarray | None = None,
        points: ModalIntegrals | None = None,
    ) -> ModalIntegrals:
        """Return the integrals of a mass matrix with `S' M S` (6,6), `S' M Π` (6,n) and `Π' M Π` (n,n).

        S = [rotations, translations];  K (n, n) : modal stiffness;  points : integrals of its point masses, whose
        moments are of first and second order
        """
        own = cls(
            float(np.trace(M_rr[3:, 3:]) / 3),
            -axial(M_rr[:3, 3:]) / 2,
            (M_rr[:3, :3] + M_rr[:3, :3].T) / 2,
            P[3:],
            P[:3],
            (G + G.T) / 2,
            None if K is None else (K + K.T) / 2,
        )
        if points is None:
            return own
        return replace(own, **{name: getattr(points, name) for name in POINTS})

    @property
    def n_modes(self) -> int:
        """Number of modes."""
        return self.G.shape[0]

    @property
    def com(self) -> np.ndarray:
        """Center of mass (3,) of the undeformed body."""
        return self.first / self.mass if self.mass else np.zeros(3)

    @property
    def rigid_mass(self) -> np.ndarray:
        """Mass (6, 6) of the undeformed body about the point, rotations first."""
        cross = skew(self.first)
        return np.block([[self.inertia, cross], [-cross, self.mass * np.eye(3)]])

    @property
    def effective_mass(self) -> np.ndarray:
        """Modal mass (n, n) of the body whose frame is free, G - M_ηr M_rr⁻¹ M_rη."""
        scale = np.sqrt(np.repeat([np.trace(self.inertia), self.mass], 3)) + 1e-300
        mixed = np.vstack([self.F0, self.E]) / scale[:, None]
        M_rr = self.rigid_mass / np.outer(scale, scale)
        return self.G - mixed.T @ np.linalg.lstsq(M_rr, mixed, rcond=1e-12)[0]

    @property
    def J1(self) -> np.ndarray | None:
        """First-order inertia (n, 3, 3), tr(A) 1 - A: the inertia changes by Σ (J1_r + J1_r') η_r."""
        return None if self.A is None else inertia_of_moment(self.A.transpose(2, 0, 1))

    @property
    def J2(self) -> np.ndarray | None:
        """Second-order inertia (n, n, 3, 3), tr(B) 1 - B'."""
        return None if self.B is None else inertia_of_moment(self.B.transpose(2, 3, 1, 0))

    @property
    def F1(self) -> np.ndarray | None:
        """Second-order coupling (n, 3, n), F1[r, :, s] = Σ m γ_r × γ_s."""
        return None if self.B is None else np.ascontiguousarray(axial(self.B).transpose(1, 0, 2))

    def __add__(self, other: ModalIntegrals) -> ModalIntegrals:
        return self._with(lambda a, b: a + b, other)

    def __sub__(self, other: ModalIntegrals) -> ModalIntegrals:
        return self._with(lambda a, b: a - b, other)

    def __mul__(self, factor: float) -> ModalIntegrals:
        return self._with(lambda a: factor * a)

    __rmul__ = __mul__

    def _with(self, act: Callable[..., Any], *others: ModalIntegrals) -> ModalIntegrals:
        """Act on each field; one that any of the operands does not have is left out."""
        out: dict[str, Any] = {}
        for name in SHAPES:
            values = [getattr(one, name) for one in (self, *others)]
            out[name] = None if any(value is None for value in values) else act(*values)
        return ModalIntegrals(**out)

    def zero_order(self) -> ModalIntegrals:
        """Return the same without moments of point masses: integrals of zero order."""
        return replace(self, A=None, B=None, pm_mass=0.0, pm_c=None, pm_S2=None, pm_E=None)

    def in_basis(self, T: np.ndarray) -> ModalIntegrals:
        """Return the integrals of modes Π T, T (n, k)."""

        def changed(name: str) -> Any:
            value, axes = getattr(self, name), SHAPES[name].count("n")
            if value is None or axes == 0:
                return value
            return value @ T if axes == 1 else T.T @ value @ T

        return ModalIntegrals(**{name: changed(name) for name in SHAPES})

    def about(self, point: np.ndarray, motion: np.ndarray | None = None) -> ModalIntegrals:
        """Return the integrals about another point (3,), of modes less a rigid motion.

        With motion = [λ_a; s] (6, n) the modes become γ' = γ - s - λ_a×l and λ' = λ - λ_a; `motion_at` makes it such
        that they vanish at a node. With θ̃ = [λ_a]× and the moments c, S2, E, A, B of the point masses

            E' = E - m s - θ̃c,   A' = A - c sᵀ + S2 θ̃ - l_a E'ᵀ,
            B'_rs = Σ m (γ_r - s_r - θ̃_r l)(γ_s - s_s - θ̃_s l)ᵀ,   G' = G - ΠaᵀP - PᵀΠa + ΠaᵀM_rrΠa,   P = [F0; E]
        """
        Pi = np.zeros((6, self.n_modes)) if motion is None else motion
        rr, P = self.rigid_mass, np.vstack([self.F0, self.E])
        G = self.G - Pi.T @ P - P.T @ Pi + Pi.T @ rr @ Pi
        P = P - rr @ Pi
        lever = _spread(self.first, point)
        return ModalIntegrals(
            self.mass,
            self.first - self.mass * point,
            self.inertia - lever - lever.T + self.mass * _spread(point, point),
            P[3:],
            P[:3] - np.cross(point, P[3:], axisb=0).T,
            0.5 * (G + G.T),
            self.K,
            **self._points_about(point, Pi),
        )

    def _points_about(self, point: np.ndarray, Pi: np.ndarray) -> dict[str, Any]:
        """Return moments of the point masses about another point, of modes less a rigid motion."""
        if self.A is None or self.B is None or self.pm_c is None or self.pm_S2 is None or self.pm_E is None:
            return {}
        t, s, m, c, S2, E = skew(Pi[:3].T), Pi[3:], self.pm_mass, self.pm_c, self.pm_S2, self.pm_E
        swept = t @ c
        E_new = E - m * s - swept.T
        A = self.A - np.einsum("i,jr->ijr", c, s) + np.einsum("ik,rkj->ijr", S2, t)
        A -= np.einsum("i,jr->ijr", point, E_new)
        # Σ m (γ_r - s_r - t_r l)(γ_s - s_s - t_s l)ᵀ term by term; γ_r lᵀ sums to A_rᵀ
        cross = np.einsum("ir,js->ijrs", E, s) + np.einsum("kir,sjk->ijrs", self.A, t)
        rigid = m * np.einsum("ir,js->ijrs", s, s) + np.einsum("ril,sjl->ijrs", t @ S2, t)
        mixed = np.einsum("ir,sj->ijrs", s, swept)
        B = self.B - cross - cross.transpose(1, 0, 3, 2) + rigid + mixed + mixed.transpose(1, 0, 3, 2)
        lever = np.outer(c, point)
        S2 = S2 - lever - lever.T + m * np.outer(point, point)
        return {"A": A, "B": B, "pm_mass": m, "pm_c": c - m * point, "pm_S2": S2, "pm_E": E_new}

    def pack(self) -> np.ndarray:
        """Return all numbers as one vector, in the order of the fields."""
        return np.concatenate([np.ravel(getattr(self, name)) for name in SHAPES])

    @classmethod
    def unpack(cls, numbers: np.ndarray, n: int) -> ModalIntegrals:
        """Return integrals of n modes from one vector as `pack` makes it."""
        shapes = {
            name: tuple(n if letter == "n" else int(letter) for letter in letters.split())
            for name, letters in SHAPES.items()
        }
        size = sum(int(np.prod(shape)) for shape in shapes.values())
        if np.shape(numbers) != (size,):
            raise InputError(
                f"not the integrals of {n} modes",
                expected=f"{size} numbers",
                got=f"shape {np.shape(numbers)}",
            )
        out, start = {}, 0
        for name, shape in shapes.items():
            part = numbers[start : start + int(np.prod(shape))]
            out[name] = part.reshape(shape) if shape else float(part[0])
            start += len(part)
        return cls(**out)  # type: ignore[arg-type]

    def fields(self) -> IntegralFields:
        """Return the integrals by their names in the component record."""
        out = IntegralFields(
            mass=self.mass, com=self.com, inertia=self.inertia, E=self.E, F0=self.F0, G0=self.G
        )
        if self.pm_c is not None and self.pm_S2 is not None:
            out |= {"J1": self.J1, "J2": self.J2, "F1": self.F1}
            out |= {"pm_mass": self.pm_mass, "pm_c": self.pm_c, "pm_S2": self.pm_S2, "pm_E": self.pm_E}
        return out


class IntegralFields(TypedDict):
    """Integrals by the names of the component record."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray
    E: np.ndarray
    F0: np.ndarray
    G0: np.ndarray
    J1: NotRequired[np.ndarray | None]
    J2: NotRequired[np.ndarray | None]
    F1: NotRequired[np.ndarray | None]
    pm_mass: NotRequired[float]
    pm_c: NotRequired[np.ndarray]
    pm_S2: NotRequired[np.ndarray]
    pm_E: NotRequired[np.ndarray | None]


# fields of `ModalIntegrals` by their axes: n of modes
SHAPES = {
    "mass": "",
    "first": "3",
    "inertia": "3 3",
    "E": "3 n",
    "F0": "3 n",
    "G": "n n",
    "K": "n n",
    "A": "3 3 n",
    "B": "3 3 n n",
    "pm_mass": "",
    "pm_c": "3",
    "pm_S2": "3 3",
    "pm_E": "3 n",
}
POINTS = ("A", "B", "pm_mass", "pm_c", "pm_S2", "pm_E")


def inertia_of_moment(moment: np.ndarray) -> np.ndarray:
    """Return inertias tr(A) 1 - A of second moments A (..., 3, 3)."""
    out = np.negative(moment, order="C")
    trace = np.einsum("...aa->...", moment)
    for i in range(3):
        out[..., i, i] += trace
    return out


def moment_of_inertia(inertia: np.ndarray) -> np.ndarray:
    """Return second moments A (..., 3, 3) of inertias J = tr(A) 1 - A."""
    out = np.negative(inertia, order="C")
    half = 0.5 * np.einsum("...aa->...", inertia)
    for i in range(3):
        out[..., i, i] += half
    return out


def axial(moments: np.ndarray) -> np.ndarray:
    """Return Σ a × b (3, ...) of moments Σ a b' (3, 3, ...)."""
    M = moments
    return np.stack([M[1, 2] - M[2, 1], M[2, 0] - M[0, 2], M[0, 1] - M[1, 0]])


def _spread(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return a·b 1 - a b' (3, 3)."""
    return (a @ b) * np.eye(3) - np.outer(a, b)


def motion_at(position: np.ndarray, gamma: np.ndarray, lam: np.ndarray) -> np.ndarray:
    """Return the rigid motion [λ_a; s] (6, n) of a node at `position` (3,), s = γ_a - λ_a×l_a; gamma, lam (3, n)."""
    return np.vstack([lam, gamma - np.cross(lam, position, axisa=0, axisb=0).T])


def rigid_motion(positions: np.ndarray) -> np.ndarray:
    """Motion (6N, 6) of nodes at `positions` (N,3) under `[w; v]` of the origin; rows T1 T2 T3 R1 R2 R3."""
    S = np.zeros((len(positions), 6, 6))
    S[:, :3, :3] = -skew(positions)
    S[:, :3, 3:] = np.eye(3)
    S[:, 3:, :3] = np.eye(3)
    return S.reshape(-1, 6)


def node_blocks(M: Any, n: int) -> np.ndarray | None:
    """Return the 6x6 node blocks (N,6,6) of a lumped mass matrix; None where nodes are coupled."""
    M = sp.coo_matrix(M)
    used = M.data != 0
    i, j, value = M.row[used], M.col[used], M.data[used]
    if np.any(i // 6 != j // 6):
        return None
    out = np.zeros((n, 6, 6))
    np.add.at(out, (i // 6, i % 6, j % 6), value)
    return out


def point_masses(M: Any, n: int) -> tuple[PointMasses, list[str]]:
    """Take the point masses out of a mass matrix (6N, 6N).

    Lumped: mass and offset of each node's block, `M_vw = -m [o]x`. Coupled: the row sums of the translational
    blocks, which keep mass and first moment; where a row sum is negative, the scaled diagonal instead.
    """
    notes: list[str] = []
    blocks = node_blocks(M, n)
    if blocks is not None:
        direct = np.einsum("nii->ni", blocks[:, :3, :3])
        mass = direct.mean(axis=1)
        c = blocks[:, :3, 3:]
        with np.errstate(divide="ignore", invalid="ignore"):
            first = (
                np.stack([c[:, 1, 2] - c[:, 2, 1], c[:, 2, 0] - c[:, 0, 2], c[:, 0, 1] - c[:, 1, 0]], axis=1)
                / 2
            )
            offset = np.where(mass[:, None] > 0, first / mass[:, None], 0.0)
        if np.any(np.ptp(direct, axis=1) > 1e-9 * max(mass.max(initial=0.0), 1e-300)):
            notes.append(
                "some nodes have masses that differ by direction: their mean enters the point masses"
            )
    else:
        M = sp.csr_matrix(M)
        axis = [np.arange(k, 6 * n, 6) for k in range(3)]
        sums = np.stack([np.asarray(M[a][:, a].sum(axis=1)).ravel() for a in axis], axis=1)
        mass, offset = sums.mean(axis=1), np.zeros((n, 3))
        if np.any(mass < 0):
            total = mass.sum()
            diagonal = M.diagonal().reshape(n, 6)[:, :3].mean(axis=1)
            mass = diagonal * (total / diagonal.sum())
            notes.append(
                "row sums of the coupled mass are negative somewhere: point masses from its scaled diagonal"
            )
    used = np.flatnonzero(mass != 0)
    return PointMasses(mass[used], used, offset[used]), notes


def mass_products(
    M: sp.csr_matrix, positions: np.ndarray, Pi: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return `S' M S` (6,6), `S' M Pi` (6,n) and `Pi' M Pi` (n,n) of a mass matrix, block by block.

    M : (6N, 6N) sparse, component axes; Pi : (6N, n) rows T1 T2 T3 R1 R2 R3 of each node
    """
    n = Pi.shape[1]
    S = rigid_motion(positions)
    M_rr, P, G = np.zeros((6, 6)), np.zeros((6, n)), np.zeros((n, n))
    for first in range(0, len(S), 6 * BLOCK):
        rows = slice(first, first + 6 * BLOCK)
        own = M[rows]
        MPi = own @ Pi
        M_rr += S[rows].T @ (own @ S)
        P += S[rows].T @ MPi
        G += Pi[rows].T @ MPi
    return M_rr, P, G


def mass_notes(M_rr: np.ndarray) -> list[str]:
    """Return a note where the mass `S' M S` (6,6) of a body differs by direction."""
    masses = np.diag(M_rr)[3:]
    if np.ptp(masses) <= 1e-9 * abs(masses.mean()):
        return []
    return [f"the total mass differs by direction ({', '.join(f'{m:g}' for m in masses)}): the mean is used"]


def point_integrals(
    points: PointMasses, positions: np.ndarray, gamma: np.ndarray, lam: np.ndarray
) -> ModalIntegrals:
    """Sum the integrals of point masses over blocks (Eq. E.3.1).

    gamma, lam : (N, 3, n)
    """
    n = gamma.shape[2]
    A, B = np.zeros((3, 3, n)), np.zeros((3, 3, n, n))
    E, c, S2 = np.zeros((3, n)), np.zeros(3), np.zeros((3, 3))
    for first in range(0, len(points.mass), BLOCK):
        part = slice(first, first + BLOCK)
        m, row, o = points.mass[part], points.row[part], points.offset[part]
        g = np.ascontiguousarray(gamma[row].transpose(1, 0, 2))
        if np.any(o):
            g += np.cross(lam[row], o[:, :, None], axis=1).transpose(1, 0, 2)
        l = positions[row] + o
        mg = m[None, :, None] * g
        E += mg.sum(axis=1)
        c += m @ l
        S2 += (m[:, None] * l).T @ l
        for b in range(3):
            A[:, b] += l.T @ mg[b]
            for a in range(b + 1):
                B[a, b] += mg[a].T @ g[b]
    for b in range(3):
        for a in range(b):
            B[b, a] = B[a, b].T
    mass, inertia = float(points.mass.sum()), np.trace(S2) * np.eye(3) - S2
    return ModalIntegrals(mass, c, inertia, E, axial(A), np.einsum("aars->rs", B), None, A, B, mass, c, S2, E)


ROTARY_LIMIT = 64  # modes up to which the n^4 array G2 is made


def rotary_integrals(
    M: Any, carried: PointMasses, positions: np.ndarray, gamma: np.ndarray, lam: np.ndarray
) -> dict[str, np.ndarray]:
    """Integrals of nodes that are rigid bodies and turn with `lam` (Eq. E.2.2 to E.2.5): needs a lumped
    mass matrix. `carried` are the point masses whose arms the point integrals have; see `turning_moments`.

    With node inertia J, offset p, `J(eta) = (I + [th]x) J (I - [th]x)`, `p(eta) = p + th x p`, `th = lam
    eta`:

        G(eta)[r,s]   = G0 + sum_l (G1[r,s,l] + G1[s,r,l]) eta_l + sum_lm G2[r,s,l,m] eta_l eta_m
        F(eta)[:,s]   = F0 + sum_r F1[r,:,s] eta_r + sum_rl F2[r,l,:,s] eta_r eta_l
        E(eta)[:,s]   = E + sum_r E1[r,:,s] eta_r
        J(eta)        = J0 + sum_r (J1 + J1^T)[r] eta_r + sum_rs J2[r,s] eta_r eta_s

    G2 has lam where the report prints gamma: the node turns by lam.
    """
    n = gamma.shape[2]
    if n > ROTARY_LIMIT:
        raise InputError(
            "too many modes for the rotary-node integrals, whose size grows with the fourth power",
            expected=f"at most {ROTARY_LIMIT}",
            got=f"{n}",
            hint="ask for fewer modes, or for the point-mass integrals alone",
        )
    blocks = node_blocks(M, len(positions))
    if blocks is None:
        raise InputError(
            "rotary-node integrals need a lumped mass matrix",
            got="a mass matrix that couples nodes",
            hint="use PARAM,COUPMASS,-1, or the point-mass integrals alone",
        )
    points, _ = point_masses(M, len(positions))
    bare = PointMasses(points.mass, points.row, np.zeros_like(points.offset))
    base = point_integrals(bare, positions, gamma, lam)
    out: dict[str, Any] = {
        "G1": np.zeros((n, n, n)),
        "G2": np.zeros((n, n, n, n)),
        "F2": np.zeros((n, n, 3, n)),
        "E1": np.zeros((n, 3, n)),
        "J1": base.J1,
        "J2": base.J2,
        "F1": base.F1,
    }
    p = np.zeros((len(positions), 3))
    mass = np.zeros(len(positions))
    p[points.row], mass[points.row] = points.offset, points.mass
    J = (blocks[:, 3:, 3:] + blocks[:, 3:, 3:].transpose(0, 2, 1)) / 2
    active = np.flatnonzero(np.any(J != 0, axis=(1, 2)) | np.any(p != 0, axis=1))
    for j in active:
        _add_rotary(out, J[j], mass[j] * p[j], positions[j], gamma[j], lam[j])
    return out | turning_moments(J, carried, lam)


def turning_moments(J: np.ndarray, points: PointMasses, lam: np.ndarray) -> dict[str, np.ndarray]:
    """Return sums over nodes of the inertia that turns with them, and of its products with their turns:

        M0 = sum J (3,3),  M1[r,a] = sum lam_ra J (n,3,3,3),  M2[r,s,a,b] = sum lam_ra lam_sb J (n,n,3,3,3,3)

    J (N,3,3) about the nodes, of which the arms of their point masses are taken away.
    """
    n, own = lam.shape[2], J.copy()
    o = points.offset
    arms = np.einsum("pi,pi->p", o, o)[:, None, None] * np.eye(3) - o[:, :, None] * o[:, None, :]
    np.subtract.at(own, points.row, points.mass[:, None, None] * arms)
    own[np.abs(own).max(axis=(1, 2)) <= 1e-12 * np.abs(J).max(axis=(1, 2))] = 0.0  # rounding
    used = np.flatnonzero(own.any(axis=(1, 2)))
    turn, own = lam[used].reshape(len(used), 3 * n), own[used]
    M2 = np.empty((3, 3, 3 * n, 3 * n))
    for i in range(3):
        for j in range(i + 1):
            M2[i, j] = M2[j, i] = turn.T @ (own[:, i, j, None] * turn)
    return {
        "M0": own.sum(axis=0),
        "M1": np.einsum("pk,pij->kij", turn, own).reshape(3, n, 3, 3).transpose(1, 0, 2, 3),
        "M2": M2.reshape(3, 3, 3, n, 3, n).transpose(3, 5, 2, 4, 0, 1),
    }


def _add_rotary(out, J, mp, l, g, h):
    """Add one node: J about the node, mp = m p, position l, gamma g (3,n), lam h (3,n)."""
    lx, px, gx, hx = skew(l), skew(mp), skew(g.T), skew(h.T)
    q = np.cross(h.T, mp)  # m lam_r x p
    qx = skew(q)
    hJ = np.einsum("rab,bc->rac", hx, J)  # [lam_r]x J
    out["G1"] += np.einsum("ar,lab,bs->rsl", h, hJ, h) + np.einsum("ar,lab,bs->rsl", h, qx, g)
    hh = np.einsum("lab,bs->las", hx, h)
    Jhh = np.einsum("ab,mbs->mas", J, hh)
    out["G2"] += np.einsum("lar,mas->rslm", hh, Jhh)
    out["E1"] -= np.einsum("rab,bs->ras", qx, h)
    out["F1"] += np.einsum("rab,bs->ras", hJ, h) - np.einsum("ab,rbs->ras", J, hh)
    out["F1"] += np.einsum("rab,bs->ras", qx, g) - np.einsum("rab,bc,cs->ras", gx, px, h)
    out["F1"] -= np.einsum("ab,rbc,cs->ras", lx, qx, h)
    out["F2"] -= np.einsum("rab,lbs->rlas", hJ, hh) + np.einsum("rab,lbc,cs->rlas", gx, qx, h)
    out["J1"] += hJ - np.einsum("rab,bc->rac", gx, px) - np.einsum("ab,rbc->rac", lx, qx)
    out["J2"] -= np.einsum("rab,sbc->rsac", hJ, hx)
    out["J2"] -= np.einsum("rab,sbc->rsac", gx, qx) + np.einsum("sab,rbc->rsac", qx, gx)
