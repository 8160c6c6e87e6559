"""Forces and stresses of bars and beams from their end forces.

End forces F (12) act on the element at A and B in element axes, after offsets. NASTRAN's section moments are
M1 = M_z and M2 = -M_y of the section: M1a = -M_z(A), M2a = M_y(A), M1b = M_z(B), M2b = -M_y(B);
shear, axial force and torque are those of each end, in a table with one value those at A; without loads between the
ends V = (M_a - M_b)/L and they are alike. With stress points (y, z) from the neutral axis

    σ = N/A - [(M1 I2 - M2 I12) y + (M2 I1 - M1 I12) z] / (I1 I2 - I12²)
"""

from __future__ import annotations

import numpy as np


def end_moments(F: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Section moments M1 and M2 at A and B, each (2, n, k), from end forces F (n, 12, k)."""
    return np.stack([-F[:, 5], F[:, 11]]), np.stack([F[:, 4], -F[:, 10]])


def bending_stress(M1, M2, I1, I2, I12, points) -> np.ndarray:
    """Bending stress (n, 4, k) at points (n, 4, 2) of moments (n, k); inertias (n,).

    A section that does not resist bending in a plane carries no stress of that plane.
    """
    det = I1 * I2 - I12**2
    whole = det > 0.0
    safe = np.where(whole, det, 1.0)
    c11 = np.where(whole, I2 / safe, np.where(I1 > 0.0, 1.0 / np.where(I1 > 0.0, I1, 1.0), 0.0))
    c22 = np.where(whole, I1 / safe, np.where(I2 > 0.0, 1.0 / np.where(I2 > 0.0, I2, 1.0), 0.0))
    c12 = np.where(whole, -I12 / safe, 0.0)
    a = c11[:, None] * M1 + c12[:, None] * M2
    b = c22[:, None] * M2 + c12[:, None] * M1
    return -(points[:, :, :1] * a[:, None] + points[:, :, 1:] * b[:, None])
