"""Second-order work of the forces in a tree of rods: the geometric stiffness of a missile, derived on its own.

numpy alone, nothing of the finite elements and of the multibody engine. A rod of the geometrically exact theory
(Reissner, Simo) with axis e, displacement u and rotation vector θ has the strains Γ = Rᵀ(e + u') - e and
K = axial(RᵀR'). To second order, with sections that stay normal to the axis (u' = ε e + θ × e),

    Γ₂ = -½ θ × (θ × e) - ε θ × e,        K₂ = -½ θ × θ'

so that the resultants n, m of a load do the second-order work ∫ n·Γ₂ + m·K₂ dx, and fibres beside the axis, under the
stress n·e/A, the work ½ ∫ n·e (I_p/A) (θ'·e)² dx. Displacements within a rod are cubic across it and linear along and
about it.

A tree of rods that is free in space is statically determinate: the resultants in a rod are the sum of what acts
beyond it. What acts is a unit load at a node, and the inertia of the lumped masses under the rigid acceleration that
it gives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(4)


@dataclass
class Rod:
    """A rod between two nodes (rows), the nodes beyond its far end (rows, that end among them), and I_p/A."""

    near: int
    far: int
    beyond: np.ndarray
    polar: float


def balanced(lumps, positions: np.ndarray, node: int, load: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return forces and moments (N, 3) at nodes: a load [t; f] at one of them and the inertia that balances it.

    lumps : row (P,), mass (P,), offset (P, 3), inertia (P, 3, 3) about its own centre
    """
    row, mass, offset, inertia = lumps
    at = positions[row] + offset
    center = mass @ at / mass.sum()
    arm = at - center
    whole = inertia.sum(axis=0) + np.einsum("p,pij->ij", mass, _square(arm))
    a = load[3:] / mass.sum()
    alpha = np.linalg.solve(whole, load[:3] + np.cross(positions[node] - center, load[3:]))
    pull = -mass[:, None] * (a + np.cross(alpha, arm))
    turning = np.cross(offset, pull) - inertia @ alpha
    force, moment = np.zeros_like(positions), np.zeros_like(positions)
    np.add.at(force, row, pull)
    np.add.at(moment, row, turning)
    force[node] += load[3:]
    moment[node] += load[:3]
    return force, moment


def _square(r: np.ndarray) -> np.ndarray:
    """Return r·r 1 - r rᵀ (P, 3, 3)."""
    return np.einsum("pk,pk->p", r, r)[:, None, None] * np.eye(3) - r[:, :, None] * r[:, None, :]


def unit_stiffness(rods, lumps, positions, gamma, lam, node: int) -> np.ndarray:
    """Return K (6, n, n) of unit moments and forces [t; f] at a node: ηᵀKη/2 is the second-order work of the rods.

    positions (N, 3), gamma, lam (N, 3, n) : nodes and how modes move and turn them
    """
    n = gamma.shape[-1]
    loads = [balanced(lumps, positions, node, unit) for unit in np.eye(6)]
    out = np.zeros((6, n, n))
    for rod in rods:
        e = positions[rod.far] - positions[rod.near]
        length = np.linalg.norm(e)
        e = e / length
        stretch = e @ (gamma[rod.far] - gamma[rod.near]) / length
        for s, weight in zip(0.5 + 0.5 * POINTS, 0.5 * WEIGHTS * length):
            theta, rate = _turning(rod, e, length, s, gamma, lam)
            place = positions[rod.near] + s * length * e
            for k, (force, moment) in enumerate(loads):
                f = force[rod.beyond].sum(axis=0)
                arms = positions[rod.beyond] - place
                m = moment[rod.beyond].sum(axis=0) + np.cross(arms, force[rod.beyond]).sum(axis=0)
                out[k] += weight * _work(e, f, m, theta, rate, stretch, rod.polar)
    return out


def _turning(rod: Rod, e, length: float, s: float, gamma, lam) -> tuple[np.ndarray, np.ndarray]:
    """Return θ and θ' (3, n) at the fraction s of a rod: twist linear, turns across it those of cubic deflections."""
    across = np.eye(3) - np.outer(e, e)
    a, b = lam[rod.near], lam[rod.far]
    chord = np.cross(
        e, (gamma[rod.far] - gamma[rod.near]) / length, axis=0
    )  # e × u': turn of the straight line
    twist = np.outer(e, e) @ ((1 - s) * a + s * b)
    theta = twist + across @ (
        (6 * s - 6 * s * s) * chord + (1 - 4 * s + 3 * s * s) * a + (3 * s * s - 2 * s) * b
    )
    rate = np.outer(e, e) @ (b - a) / length
    rate = rate + across @ ((6 - 12 * s) * chord + (6 * s - 4) * a + (6 * s - 2) * b) / length
    return theta, rate


def _work(e, f, m, theta, rate, stretch, polar) -> np.ndarray:
    """Return the symmetric (n, n) of n·Γ₂ + m·K₂ and of the fibres beside the axis."""
    n = theta.shape[1]
    turned = np.cross(theta.T, e)  # θ × e (n, 3)
    bent = -0.5 * np.einsum("i,rsi->rs", f, np.cross(theta.T[:, None], turned[None]))
    sheared = -np.outer(stretch, turned @ f)
    wound = -0.5 * np.einsum("i,rsi->rs", m, np.cross(theta.T[:, None], rate.T[None]))
    along = rate.T @ e
    fibres = 0.5 * (f @ e) * polar * np.outer(along, along)
    whole = bent + sheared + wound + fibres
    return (whole + whole.T).reshape(n, n)
