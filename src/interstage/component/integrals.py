"""Modal integrals: inertia of the deformed body as constants of its modes.

Zero order comes from the finite-element mass matrix itself; first and second order from its point masses
(NESC report, Eq. E.3.1), each the translational mass of a node or a lumped mass at its own centre of
gravity, which moves with `gamma + lam x o`. Everything is summed over blocks of nodes, so that a large
model needs little more than its mode shapes in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

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


def rigid_integrals(
    M: sp.csr_matrix, positions: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray, list[str]]:
    """Return mass, centre of mass and inertia about the origin from `M_rr = S' M S`."""
    S = rigid_motion(positions)
    M_rr = S.T @ (M @ S)
    masses = np.diag(M_rr)[3:]
    mass = float(masses.mean())
    notes = []
    if np.ptp(masses) > 1e-9 * abs(mass):
        notes.append(
            f"the total mass differs by direction ({', '.join(f'{m:g}' for m in masses)}): the mean is used"
        )
    mp = M_rr[:3, 3:]
    first = np.array([mp[2, 1] - mp[1, 2], mp[0, 2] - mp[2, 0], mp[1, 0] - mp[0, 1]]) / 2
    com = first / mass if mass > 0 else np.zeros(3)
    return mass, com, (M_rr[:3, :3] + M_rr[:3, :3].T) / 2, notes


def zero_order(
    M: sp.csr_matrix, positions: np.ndarray, Pi: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return `E = S_v' M Pi` (3,n), `F0 = S_w' M Pi` (3,n) and `G0 = Pi' M Pi` (n,n), block by block.

    M : (6N, 6N) sparse, component axes; Pi : (6N, n) rows T1 T2 T3 R1 R2 R3 of each node
    """
    n_nodes, n = len(positions), Pi.shape[1]
    P, G0 = np.zeros((6, n)), np.zeros((n, n))
    for first in range(0, n_nodes, BLOCK):
        last = min(first + BLOCK, n_nodes)
        rows = slice(6 * first, 6 * last)
        MPi = M[rows] @ Pi
        P += rigid_motion(positions[first:last]).T @ MPi
        G0 += Pi[rows].T @ MPi
    return P[3:], P[:3], (G0 + G0.T) / 2


@dataclass
class PointIntegrals:
    """First- and second-order integrals of point masses; see `Component` for the definitions."""

    J1: np.ndarray
    J2: np.ndarray
    F1: np.ndarray
    mass: float
    c: np.ndarray
    S2: np.ndarray
    E: np.ndarray

    def fields(self) -> dict[str, Any]:
        """Return the integrals by their names in the component record."""
        moments = {"pm_mass": self.mass, "pm_c": self.c, "pm_S2": self.S2, "pm_E": self.E}
        return {"J1": self.J1, "J2": self.J2, "F1": self.F1, **moments}


def point_integrals(
    points: PointMasses, positions: np.ndarray, gamma: np.ndarray, lam: np.ndarray
) -> PointIntegrals:
    """Sum the integrals of the point masses over blocks (Eq. E.3.1).

    A_r = sum m l gamma_r^T,  B_rs = sum m gamma_r gamma_s^T;  J1 = tr(A) I - A,  J2 = tr(B) I - B^T,
    F1[r,:,s] = sum m gamma_r x gamma_s.

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
    return PointIntegrals(*_from_moments(A, B), float(points.mass.sum()), c, S2, E)


def _from_moments(A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """J1 (n,3,3), J2 (n,n,3,3), F1 (n,3,n) from A (3,3,n) and B (3,3,n,n)."""
    n = A.shape[2]
    J1 = -A.transpose(2, 0, 1).copy()
    J2 = np.empty((n, n, 3, 3))
    J2[:] = -B.transpose(2, 3, 1, 0)
    trace_A, trace_B = np.einsum("aar->r", A), np.einsum("aars->rs", B)
    for i in range(3):
        J1[:, i, i] += trace_A
        J2[:, :, i, i] += trace_B
    F1 = np.stack([B[1, 2] - B[2, 1], B[2, 0] - B[0, 2], B[0, 1] - B[1, 0]], axis=1)
    return J1, J2, F1


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
    out = {
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
