"""Geometric stiffness of bars and beams from their end forces.

With cubic v, w, linear twist φ, axial force N, section moments M_y, M_z (linear along the element) and
torque T, the second-order work of the section forces is

    Π = ½ ∫ N (v'² + w'² + (I_p/A) φ'²) dx - ∫ (M_z φ)' w' + (M_y φ)' v' dx  [+ ½ ∫ T (v''w' - w''v') dx]

The first three terms (axial force, moments with the shear that goes with them) are NASTRAN's: integrated they
give the matrix of routine DBAR of NASTRAN-95. The full form adds the torque and lets end moments
follow half the rotation of their node (semi-tangential moments; McGuire, Gallagher and Ziemian, Matrix
Structural Analysis, 2000, ch. 9), which joints between elements of different directions need:
K(θx, θy) -= ½ M_z, K(θx, θz) += ½ M_y at each end; and the shear forces turn with the chord, Π -= (V_y Δv +
V_z Δw) Δu / L. Then a rigid turn θ gives the forces θ × f and ½ θ × m.
"""

from __future__ import annotations

import numpy as np

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(3)  # integrands of degree 4


def line_geometric_stiffness(
    length: np.ndarray, forces: np.ndarray, polar: np.ndarray, full: bool
) -> np.ndarray:
    """Geometric stiffness (n, 12, 12) in element axes.

    Parameters
    ----------
    length : (n,)
    forces : (n, 12) forces on the element at ends A and B: Fx Fy Fz Mx My Mz
    polar : (n,) I_p/A, squared radius of gyration of twist
    full : add torque and semi-tangential end moments
    """
    N, T = forces[:, 6], forces[:, 9]
    My = np.stack([-forces[:, 4], forces[:, 10]])  # section moments at A and B
    Mz = np.stack([-forces[:, 5], forces[:, 11]])
    out = np.zeros((len(length), 12, 12))
    for point, weight in zip(0.5 + 0.5 * _POINTS, 0.5 * _WEIGHTS):
        v1, w1, v2, w2, twist, twist1 = _derivatives(length, point)
        scale = weight * length
        out += _product(scale * N, v1, v1) + _product(scale * N, w1, w1)
        out += _product(scale * N * polar, twist1, twist1)
        for M, slope in ((Mz, w1), (My, v1)):
            moment = (1.0 - point) * M[0] + point * M[1]
            rate = (M[1] - M[0]) / length
            turned = moment[:, None] * twist1 + rate[:, None] * twist
            out -= _both(scale, turned, slope)
        if full:
            out += 0.5 * (_both(scale * T, v2, w1) - _both(scale * T, w2, v1))
    if full:
        for first in (0, 6):
            for other, M in ((4, -0.5 * forces[:, first + 5]), (5, 0.5 * forces[:, first + 4])):
                out[:, first + 3, first + other] += M
                out[:, first + other, first + 3] += M
        along = np.zeros((len(length), 12))
        along[:, 0], along[:, 6] = -1.0, 1.0
        for dof in (1, 2):
            across = np.zeros_like(along)
            across[:, dof], across[:, 6 + dof] = -1.0, 1.0
            out -= _both(forces[:, 6 + dof] / length, along, across)
    return out


def _derivatives(length: np.ndarray, s: float):
    """v', w', v'', w'', φ, φ' (n, 12) at the fraction s of the length for unit end motions."""
    n, L = len(length), length
    v1, w1, v2, w2, twist, twist1 = np.zeros((6, n, 12))
    slope = (6 * s * s - 6 * s) / L, 1 - 4 * s + 3 * s * s, (6 * s - 6 * s * s) / L, 3 * s * s - 2 * s
    curve = (12 * s - 6) / L**2, (6 * s - 4) / L, (6 - 12 * s) / L**2, (6 * s - 2) / L
    for k, (dof_v, dof_w, sign) in enumerate(((1, 2, 1.0), (5, 4, -1.0), (7, 8, 1.0), (11, 10, -1.0))):
        v1[:, dof_v], w1[:, dof_w] = slope[k], sign * slope[k]
        v2[:, dof_v], w2[:, dof_w] = curve[k], sign * curve[k]
    twist[:, 3], twist[:, 9] = 1.0 - s, s
    twist1[:, 3], twist1[:, 9] = -1.0 / L, 1.0 / L
    return v1, w1, v2, w2, twist, twist1


def _product(scale: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return scale[:, None, None] * a[:, :, None] * b[:, None, :]


def _both(scale: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    one = _product(scale, a, b)
    return one + one.transpose(0, 2, 1)
