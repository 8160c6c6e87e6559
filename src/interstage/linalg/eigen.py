"""Eigenmodes of (K, M): dense for small problems, shift-invert Lanczos for large ones.

Solve small eigenproblems K x = λ M x completely, with K or M singular.

Low modes come from the inverse form L⁻¹ M L⁻ᵀ y = θ y, K - σM = L Lᵀ, λ = σ + 1/θ, high modes from the
mass-condensed form, each where it has more digits:  error of θ ≈ ε θ_max/θ,  error of λ ≈ ε λ_max/λ.

Normal modes: the lowest eigenvalues of K x = λ M x, or those in a frequency range.

K and M are symmetric and may both be singular (free structures, massless dofs). Small problems are
solved densely; larger ones by block shift-invert Lanczos. What is returned has been verified: residuals,
M-orthogonality, and Sturm counts on both sides that prove that no mode is missing. What cannot be
verified is a `SolverError`.

>>> import numpy as np
>>> K = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
>>> modes = eigenmodes(K, np.eye(3), n_modes=2)
>>> np.round(modes.eigenvalues, 6)
array([0.198062, 1.554958])
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.linalg as la

from interstage.calls import named_arguments
from interstage.errors import InputError, ModelError, SolverError
from interstage.linalg.eigen_request import EigenRequest
from interstage.linalg.factor import as_sparse
from interstage.linalg.pencil import (
    DOUBTFUL,
    ORTHOGONAL,
    ROUNDING,
    Evidence,
    Pencil,
    accepted,
    evidence,
    orthogonality,
    rounding_of_value,
)
from interstage.linalg.slicing import EigenRange, sparse_modes

RANK = 1e-12


def dense_modes(pencil: Pencil) -> tuple[np.ndarray, np.ndarray]:
    """All finite eigenvalues (ascending) and M-orthonormal vectors of a pencil."""
    K, M = pencil.K.toarray(), pencil.M.toarray()
    rank = _mass_rank(M)
    if rank == 0:
        return np.zeros(0), np.zeros((pencil.n, 0))
    sigma = -1e-9 * pencil.scale
    values, vectors = _inverse_form(K, M, rank, sigma)
    # A first pass shows where the flexible modes start; a shift of their size keeps all digits of θ.
    flexible = values[np.abs(values) > 100.0 * abs(sigma)]
    if len(flexible) and len(flexible) < len(values):
        sigma = -float(flexible[0])
        values, vectors = _inverse_form(K, M, rank, sigma)
    error_low = (values - sigma) / (values[0] - sigma)
    if error_low[-1] > 1e3:
        top_values, top_vectors = _condensed_form(K, M, rank)
        error_high = np.abs(values[-1]) / np.maximum(np.abs(values), 1e-30 * np.abs(values[-1]))
        high = error_high < error_low
        first = int(np.argmax(high)) if high.any() else len(values)
        values, vectors = values.copy(), vectors.copy()
        values[first:], vectors[:, first:] = top_values[first:], top_vectors[:, first:]
    return values, vectors


def _mass_rank(M: np.ndarray) -> int:
    d = np.sqrt(np.maximum(np.diag(M), 0.0))
    d[d == 0.0] = 1.0
    return int((la.eigvalsh(M / np.outer(d, d)) > RANK).sum())


def _inverse_form(K, M, rank: int, sigma: float):
    """Eigenpairs from the inverse form; moves σ down until K - σM is positive definite."""
    for _ in range(12):
        A = K - sigma * M
        s = 1.0 / np.sqrt(np.maximum(np.diag(A), np.finfo(float).tiny))
        try:
            L = la.cholesky(A * np.outer(s, s), lower=True)
            break
        except la.LinAlgError:
            sigma *= 30.0
    else:
        return _condensed_form(K, M, rank)
    B = la.solve_triangular(L, M * np.outer(s, s), lower=True)
    B = la.solve_triangular(L, B.T, lower=True)
    theta, Y = la.eigh(0.5 * (B + B.T))
    theta, Y = theta[::-1][:rank], Y[:, ::-1][:, :rank]
    theta = np.maximum(theta, np.finfo(float).tiny)
    X = s[:, None] * la.solve_triangular(L, Y, lower=True, trans="T")
    return sigma + 1.0 / theta, _normalized(X, M)


def _condensed_form(K, M, rank: int):
    """Eigenpairs after static condensation of the null space of M."""
    d = np.sqrt(np.maximum(np.diag(M), 0.0))
    d[d == 0.0] = 1.0
    k = np.sqrt(np.maximum(np.diag(K), np.finfo(float).tiny))
    d = np.where(np.diag(M) > 0.0, d, np.where(k > 1e-150, k, 1.0))
    mass, V = la.eigh(M / np.outer(d, d))
    V = V / d[:, None]
    V0, V1 = V[:, : len(mass) - rank], V[:, len(mass) - rank :] / np.sqrt(mass[len(mass) - rank :])
    if V0.shape[1]:
        K00, K01 = V0.T @ K @ V0, V0.T @ K @ V1
        V1 = V1 - V0 @ la.lstsq(K00, K01, cond=1e-13)[0]
    A = V1.T @ K @ V1
    values, Y = la.eigh(0.5 * (A + A.T))
    return values, _normalized(V1 @ Y, M)


def _normalized(X: np.ndarray, M: np.ndarray) -> np.ndarray:
    return X / np.sqrt(np.maximum(np.einsum("ij,ij->j", X, M @ X), np.finfo(float).tiny))


DENSE_SIZE = 300


@dataclass
class EigenResult:
    """Eigenvalues and vectors with the evidence for them.

    Attributes
    ----------
    eigenvalues : (k,) ascending, rad²/s²; rigid-body values come out near zero with either sign
    vectors : (n, k), xᵀMx = 1 (or largest component 1 with `norm="max"`); the largest component is positive
    residuals : (k,) ‖Kx - λMx‖ / ‖Kx‖, the denominator at least 1e-6 ‖diag(K) x‖ (rigid-body modes)
    sturm_checked : the inertias of K - σM below the first and above the last mode confirm their number
        (False only where the factorization cannot count its pivots, and then a note says so)
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


def requested_modes(
    K,
    M,
    request: EigenRequest,
    norm: str = "mass",
    progress: Callable[[int, int, str], None] | None = None,
) -> EigenResult:
    """Modes of a request; those nearest to a frequency f are among those up to 2f, or else the lowest."""
    if request.nearest is None:
        return eigenmodes(K, M, request.count, request.low, request.high, norm, progress)
    wanted, at = request.count or 1, request.nearest
    whole = eigenmodes(K, M, None, None, 2.0 * at, norm, progress) if at > 0.0 else None
    if whole is None or len(whole.eigenvalues) <= wanted:
        return eigenmodes(K, M, wanted, None, None, norm, progress)
    order = np.sort(np.argsort(np.abs(np.abs(whole.frequencies_hz) - at), kind="stable")[:wanted])
    return replace(
        whole,
        eigenvalues=whole.eigenvalues[order],
        vectors=whole.vectors[:, order],
        residuals=whole.residuals[order],
    )


@named_arguments
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
    checked, notes, massless, known = True, [], np.zeros(0, dtype=np.int64), None
    most = (wanted.count or 0) > pencil.n // 4
    small = pencil.n <= DENSE_SIZE or (most and pencil.n <= 5 * DENSE_SIZE)
    if small:
        massless = pencil.ground_massless_mechanisms()
        values, vectors = dense_modes(pencil)
    else:
        search = sparse_modes(pencil, wanted, progress)
        values, vectors, checked, notes = search.values, search.vectors, search.sturm_checked, search.notes
        massless, known = search.grounded, search.residuals
    chosen = _chosen(pencil, values, vectors, wanted)
    values, vectors = values[chosen], _columns(vectors, chosen)
    found = evidence(pencil, values, vectors, DOUBTFUL) if known is None else accepted(known[chosen])
    residuals = _verified(pencil, values, vectors, found, notes, small)
    vectors = _signed(pencil.expand(vectors))
    if norm == "max" and vectors.size:
        vectors = vectors / np.abs(vectors).max(axis=0)
    other = time.perf_counter() - start - pencil.factor_seconds
    return EigenResult(
        values, vectors, residuals, checked, pencil.n_factors, pencil.factor_seconds, other, notes, massless
    )


def _checked(K, M, n_modes, f_min, f_max, norm):
    K, M = as_sparse(K), as_sparse(M)
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
    return K, M, EigenRange(n_modes, lower, upper)


def _columns(X: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Columns of X; a view where they follow each other."""
    if len(which) and (np.diff(which) == 1).all():
        return X[:, which[0] : which[-1] + 1]
    return X[:, which]


def _chosen(pencil: Pencil, values, vectors, wanted: EigenRange) -> np.ndarray:
    """Numbers of the wanted modes in ascending order of values; an end of the range belongs to it.

    Values that are zero but for rounding (rigid-body modes) lie below every positive lower end.
    """
    inside = wanted.inside(values)
    if wanted.lower > 0.0:
        near = np.flatnonzero(inside & (values < 1e-9 * pencil.scale))
        inside[near] = values[near] > rounding_of_value(pencil, vectors[:, near])
    order = np.argsort(values, kind="stable")
    return order[inside[order]][: wanted.count]


def _verified(
    pencil: Pencil, values, vectors, found: Evidence, notes: list[str], dense: bool = False
) -> np.ndarray:
    """Residuals of the modes returned; a mode that is none, or is not orthogonal to the others, is an error.

    A matrix reduced to few dofs may hold nothing but rounding where the structure moves rigidly; a dense solution
    is as good there as the size of its other eigenvalues lets it be.
    """
    wrong = np.flatnonzero(~found.good)
    if dense and len(wrong):
        MX = pencil.M @ vectors[:, wrong]
        r = np.linalg.norm(pencil.K @ vectors[:, wrong] - MX * values[wrong], axis=0)
        level = ROUNDING * pencil.scale
        rigid = np.abs(values[wrong]) < 1e3 * level
        wrong = wrong[~(rigid & (r < level * np.linalg.norm(MX, axis=0)))]
    if len(wrong):
        raise SolverError(
            f"mode {wrong[0] + 1} of {len(values)} was not found to any accuracy",
            expected=f"a residual below {DOUBTFUL:g}",
            got=f"{found.relative[wrong[0]]:.1e}",
            hint="look at the model for tiny masses and stiffnesses beside large ones",
        )
    error = orthogonality(pencil, vectors)
    if error > ORTHOGONAL:
        raise SolverError("the modes found are not orthogonal", got=f"{error:.1e} off the unit matrix")
    doubtful = np.flatnonzero(found.relative > DOUBTFUL)
    if len(doubtful):
        notes.append(
            f"mode {doubtful[0] + 1} has a residual of {found.relative[doubtful[0]]:.0e}, which is rounding of a "
            "badly scaled stiffness: few digits are right"
        )
    return found.relative


def _signed(X: np.ndarray) -> np.ndarray:
    """Make the largest component of each vector positive (the first of those equal to it within 1e-6)."""
    if not X.size:
        return X
    size = np.abs(X)
    first = np.argmax(size > (1.0 - 1e-6) * size.max(axis=0), axis=0)
    return X * np.where(X[first, np.arange(X.shape[1])] < 0.0, -1.0, 1.0)
