"""Normal modes: the lowest eigenvalues of K x = λ M x, or those in a frequency range.

K and M are symmetric and may both be singular (free structures, massless dofs). Small problems are
solved densely; larger ones by block shift-invert Lanczos with a Sturm count that proves that no mode
is missing.

>>> import numpy as np
>>> K = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
>>> modes = eigenmodes(K, np.eye(3), n_modes=2)
>>> np.round(modes.eigenvalues, 6)
array([0.198062, 1.554958])
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from interstage.errors import InputError, ModelError
from interstage.linalg.dense_modes import dense_modes
from interstage.linalg.lanczos import mass_operator
from interstage.linalg.pencil import Pencil
from interstage.linalg.slicing import Wanted, sparse_modes

DENSE_SIZE = 300
DOUBTFUL = 1e-4  # residual above which a mode is not to be trusted


@dataclass
class EigenResult:
    """Eigenvalues and vectors with the evidence for them.

    Attributes
    ----------
    eigenvalues : (k,) ascending, rad²/s²; rigid-body values come out near zero with either sign
    vectors : (n, k), xᵀMx = 1 (or largest component 1 with `norm="max"`); the largest component is positive
    residuals : (k,) ‖Kx - λMx‖ / ‖Kx‖, the denominator at least 1e-6 ‖diag(K) x‖ (rigid-body modes)
    sturm_checked : the inertia of K - σM above the last mode confirms their number
    n_shifts : factorizations made
    factor_seconds, solve_seconds : wall time in factorizations and in everything else
    notes : sentences about what had to be done
    massless : dofs that were left out because they move without stiffness and mass
    """

    eigenvalues: np.ndarray
    vectors: np.ndarray
    residuals: np.ndarray
    sturm_checked: bool
    n_shifts: int
    factor_seconds: float
    solve_seconds: float
    notes: list[str] = field(default_factory=list)
    massless: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def frequencies_hz(self) -> np.ndarray:
        """sign(λ) √|λ| / 2π."""
        return np.sign(self.eigenvalues) * np.sqrt(np.abs(self.eigenvalues)) / (2.0 * np.pi)


def eigenmodes(
    K,
    M,
    n_modes: int | None = None,
    f_min: float | None = None,
    f_max: float | None = None,
    norm: str = "mass",
    progress: Callable[[int, int, str], None] | None = None,
) -> EigenResult:
    """Compute normal modes with the meaning of NASTRAN's EIGRL V1, V2, ND.

    Parameters
    ----------
    K, M : (n, n) symmetric, sparse or dense
    n_modes : at most this many, the lowest; None: all in the range if `f_max` is given, else one
    f_min, f_max : range in Hz; blank or non-positive `f_min` takes in negative and rigid-body modes
    norm : "mass" or "max"
    progress : called as progress(done, wanted, text) once the work takes more than two seconds
    """
    K, M, wanted = _checked(K, M, n_modes, f_min, f_max, norm)
    start = time.perf_counter()
    pencil = Pencil(K, M)
    if not pencil.has_mass:
        raise ModelError(
            "the model has no mass, so it has no modes",
            hint="give a density or mass elements, or run statics",
        )
    checked, notes, massless = True, [], np.zeros(0, dtype=np.int64)
    most = (wanted.count or 0) > pencil.n // 4
    small = pencil.n <= DENSE_SIZE or (most and pencil.n <= 5 * DENSE_SIZE)
    if small:
        massless = pencil.ground_massless_mechanisms()
        values, vectors = dense_modes(pencil)
    else:
        search = sparse_modes(pencil, wanted, progress)
        values, vectors, checked, notes = search.values, search.vectors, search.sturm_checked, search.notes
        massless = getattr(search, "grounded", massless)
    values, vectors = _chosen(values, vectors, wanted)
    residuals = _residuals(pencil, values, vectors)
    doubtful = np.flatnonzero(residuals > DOUBTFUL)
    if len(doubtful):
        notes = [
            *notes,
            f"mode {doubtful[0] + 1} has a residual of {residuals[doubtful[0]]:.0e}: few digits are right",
        ]
    vectors = _signed(pencil.expand(vectors))
    if norm == "max" and vectors.size:
        vectors = vectors / np.abs(vectors).max(axis=0)
    other = time.perf_counter() - start - pencil.factor_seconds
    return EigenResult(
        values, vectors, residuals, checked, pencil.n_factors, pencil.factor_seconds, other, notes, massless
    )


def _checked(K, M, n_modes, f_min, f_max, norm):
    K, M = sp.csr_array(K), sp.csr_array(M)
    if K.shape != M.shape or K.shape[0] != K.shape[1]:
        raise InputError("K and M must be square and of one size", got=f"{K.shape} and {M.shape}")
    if norm not in ("mass", "max"):
        raise InputError("the normalization is not known", expected="'mass' or 'max'", got=repr(norm))
    if n_modes is not None and n_modes < 1:
        raise InputError("the number of modes must be at least one", where="n_modes", got=str(n_modes))
    for name, A in (("K", K), ("M", M)):
        if not np.isfinite(A.data).all():
            raise InputError(f"{name} holds numbers that are not finite")
    lower = -np.inf if f_min is None or f_min <= 0.0 else (2 * np.pi * f_min) ** 2
    upper = np.inf if f_max is None else np.sign(f_max) * (2 * np.pi * f_max) ** 2
    if lower > upper:
        raise InputError("the frequency range is empty", got=f"{f_min} to {f_max} Hz")
    if n_modes is None and f_max is None:
        n_modes = 1
    return K, M, Wanted(n_modes, lower, upper)


def _chosen(values, vectors, wanted: Wanted):
    """The wanted modes in ascending order; an end of the range belongs to it."""
    order = np.argsort(values, kind="stable")
    slack = 1e-9
    low = wanted.lower - slack * abs(wanted.lower) if np.isfinite(wanted.lower) else -np.inf
    high = wanted.upper + slack * abs(wanted.upper) if np.isfinite(wanted.upper) else np.inf
    order = order[(values[order] >= low) & (values[order] <= high)]
    order = order[: wanted.count] if wanted.count is not None else order
    return values[order], vectors[:, order]


def _residuals(pencil: Pencil, values, X) -> np.ndarray:
    mass = mass_operator(pencil.M)
    KX = pencil.K @ X
    floor = 1e-6 * np.linalg.norm(pencil.K.diagonal()[:, None] * X, axis=0)
    size = np.maximum(np.maximum(np.linalg.norm(KX, axis=0), floor), np.finfo(float).tiny)
    return np.linalg.norm(KX - mass(X) * values, axis=0) / size


def _signed(X: np.ndarray) -> np.ndarray:
    """Make the largest component of each vector positive (the first of those equal to it within 1e-6)."""
    if not X.size:
        return X
    size = np.abs(X)
    first = np.argmax(size > (1.0 - 1e-6) * size.max(axis=0), axis=0)
    return X * np.where(X[first, np.arange(X.shape[1])] < 0.0, -1.0, 1.0)
