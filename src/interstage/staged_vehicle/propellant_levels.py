"""Propellant as a library of matrices: mass and stiffness at a few levels, and what lies between them.

Between levels every matrix is interpolated linearly in the mass of the propellant,

    M_p(m) = (1 - w) M_k + w M_k+1,   w = (m - m_k) / (m_k+1 - m_k),

with weights that depend on the masses alone, are not negative and reproduce the mass: what is linear in M (mass,
first moment, inertia, modal integrals) is interpolated with it, and a sum of masses that no body could have cannot
arise. Cubic interpolation of the entries loses mass, and splines make matrices that are not positive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from interstage.errors import InputError, ModelError, shown
from interstage.multibody.propellant_mass import check_within

WEIGHT = 1e-6  # of the heaviest level: how far a level may be from its label, for matrices printed in decks


@dataclass(frozen=True, eq=False)
class Levels:
    """Matrices of the propellant of one tank at its levels.

    masses : (L,) ascending
    M : L matrices (r, r);  K : L matrices (r, r), or none
    rows : (r,) of the stage's node components (six a node) that the matrices are of
    waves : whether the stiffness is that of waves, which no load passes through
    """

    name: str
    masses: np.ndarray
    M: tuple[sp.csr_matrix, ...]
    K: tuple[sp.csr_matrix, ...]
    rows: np.ndarray
    waves: bool = False

    def interval(self, mass: float) -> tuple[int, float]:
        """Return the level k below a mass and the weight w of level k + 1; a mass beyond the levels is refused."""
        low, high = float(self.masses[0]), float(self.masses[-1])
        check_within(self.name, mass, low, high)
        if len(self.masses) == 1:
            return 0, 0.0
        k = min(int(np.searchsorted(self.masses, mass, side="right")) - 1, len(self.masses) - 2)
        return k, float((mass - self.masses[k]) / (self.masses[k + 1] - self.masses[k]))

    def between(self, matrices: Sequence[sp.csr_matrix], mass: float) -> sp.csr_matrix:
        """Return one of the two families of matrices at a mass."""
        k, w = self.interval(mass)
        return matrices[k] if w == 0.0 else ((1.0 - w) * matrices[k] + w * matrices[k + 1]).tocsr()

    def check_weight(self, translation: np.ndarray) -> None:
        """Refuse a level that does not weigh what its label says: S_v' M S_v = m I.

        translation : (r, 3) motion of the rows as the stage moves by one along each axis
        """
        limit = WEIGHT * max(float(self.masses[-1]), 1e-300)
        for mass, M in zip(self.masses, self.M):
            where = f"tank '{self.name}', level {mass:g}"
            if M.diagonal().min(initial=0.0) < 0.0:
                raise ModelError("a mass is negative", where=where)
            found = translation.T @ (M @ translation)
            if np.abs(found - mass * np.eye(3)).max() > limit:
                along = ", ".join(f"{value:g}" for value in np.diag(found))
                raise ModelError(
                    "a level does not weigh what its label says",
                    where=where,
                    expected=f"{mass:g} along each axis and nothing between them",
                    got=f"{along} along x, y, z",
                    hint="label levels by the mass of the propellant alone; the dry structure belongs to the stage",
                )


def check_mass(M: sp.csr_matrix, translation: np.ndarray, where: str) -> None:
    """Refuse a mass matrix that no structure has: negative, or another mass along another axis.

    translation : (r, 3) motion of the rows as the whole moves by one along each axis
    """
    diagonal = M.diagonal()
    if diagonal.min(initial=0.0) < 0.0:
        row = int(diagonal.argmin())
        raise ModelError(
            "a mass is negative",
            where=f"{where}, row {row} of its mass matrix",
            expected="0 or more",
            got=f"{diagonal[row]:g}",
        )
    found = translation.T @ (M @ translation)
    mass = float(np.trace(found)) / 3.0
    if np.abs(found - mass * np.eye(3)).max() > WEIGHT * max(mass, 1e-300):
        along = ", ".join(f"{value:g}" for value in np.diag(found))
        raise ModelError(
            "a structure does not weigh the same along each axis",
            where=where,
            got=f"{along} along x, y, z",
            hint="a free body has one mass: give nodes their mass along every axis",
        )


def check_labels(name: str, levels: object) -> np.ndarray:
    """Return labels of levels as masses (L,), as given; refuse what is no mass, and one mass twice."""
    where = f"tank '{name}', levels"
    if not isinstance(levels, Mapping):
        raise InputError(
            "levels are labelled by the mass of the propellant",
            where=where,
            expected="{mass: matrix}",
            got=shown(levels),
        )
    labels = list(levels)
    try:
        masses = np.array([float(label) for label in labels])
    except (TypeError, ValueError, RuntimeWarning):
        masses = np.array([np.nan])
    if not len(masses) or not np.all(np.isfinite(masses)) or masses.min() < 0.0:
        raise InputError(
            "levels are labelled by the mass of the propellant",
            where=where,
            expected="{mass: matrix}, masses of 0 or more",
            got=", ".join(str(label) for label in labels) or "no levels",
        )
    if len(np.unique(masses)) != len(masses):
        raise InputError("two levels have one mass", where=where)
    return masses
