"""Effective interface mass: how much each fixed-interface mode of a component is felt at its interface.

With the mass of Craig-Bampton coordinates [u_b; q], made of blocks M_bb, P = M_qb and m = M_qq (diagonal), a mode
answers accelerations of the interface with the force of

    M_i = P_iᵀ P_i / m_i         (nb, nb),          Σ_i M_i + M_rest = M_bb,

M_rest = M_bb - PᵀM_qq⁻¹P being what the interface still feels when every mode is far above its resonance. Its share
e_i = tr(M_bb⁻¹ M_i)/nb, ranks modes (Kammer and Triller, AIAA J. 34, 1996). For an interface of one grid the
diagonal of M_i is the effective mass of the clamped mode about that grid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from interstage.errors import ModelError


@dataclass(frozen=True)
class InterfaceMass:
    """Effective mass of fixed-interface modes at the interface.

    frequencies_hz : (k,)
    uset : (nb, 2) grid and component of the interface coordinates
    masses : (k, nb, nb) M_i;  rest : (nb, nb)
    share : (k,) e_i; they add up to one less the share of the rest
    """

    frequencies_hz: np.ndarray
    uset: np.ndarray
    masses: np.ndarray
    rest: np.ndarray
    share: np.ndarray

    def __repr__(self) -> str:
        lines = ["mode      hz     share  cumulative"]
        for k, (hz, one, most) in enumerate(zip(self.frequencies_hz, self.share, np.cumsum(self.share))):
            lines.append(f"{k + 1:4d} {hz:9.4g} {one:8.5f} {most:10.5f}")
        return "\n".join(lines)


def interface_mass(mass: np.ndarray, frequencies_hz: np.ndarray, uset: np.ndarray) -> InterfaceMass:
    """Return the effective interface mass of Craig-Bampton coordinates: mass (nb + nq, nb + nq), uset (nb + nq, 2)."""
    nb = len(uset) - len(frequencies_hz)
    M_bb, P, m = mass[:nb, :nb], mass[nb:, :nb], mass[nb:, nb:]
    try:
        answer = cho_solve(cho_factor(m), P) if len(m) else P
        inverse = cho_solve(cho_factor(M_bb), np.eye(nb))
    except LinAlgError:
        raise ModelError(
            "the interface has coordinates without mass",
            where="effective interface mass",
            hint="give the interface grids rotary inertia, or leave their rotations out of aset",
        ) from None
    masses = P[:, :, None] * answer[:, None, :]
    share = np.einsum("bc,icb->i", inverse, masses) / max(nb, 1)
    return InterfaceMass(frequencies_hz, uset[:nb], masses, M_bb - P.T @ answer, share)
