"""Static solutions: mechanisms, iterative refinement, residual vectors.

Say which part of a structure can move without resistance, and why that may be.

Solve with held stiffness matrices to full accuracy, and small eigenproblems with all their digits.

Residual vectors: what a truncated basis lacks under static loads.

With modes Phi (Phi' M Phi = I, K Phi = M Phi w2) and loads P the missing static response is

    R = K^-1 (P - M Phi Phi' P),       R' K R G = R' M R G w_R^2,       residual vectors R G

as in "FModal: a flexible body dynamics modeling pipeline", App. A. A free body is loaded in balance first
(inertia relief): P - M Phi_r Phi_r' P with its rigid modes Phi_r, and the static solution is freed of rigid
motion.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from interstage.errors import ModelError
from interstage.linalg.factor import Factor, NotPositiveDefinite

# Stiffness added to every diagonal (relative) to make a singular matrix factorizable.
REGULAR = 1e-12
WEAK = 1e-9


def mechanism_error(
    K, describe: Callable[[int], str], what: str = "the structure", point: np.ndarray | None = None
) -> ModelError:
    """Make the error for a stiffness matrix that is singular: names the weak dofs and the likely cause.

    Parameters
    ----------
    K : (n, n) sparse, positive semidefinite but for rounding errors
    describe : names equation i, e.g. "grid 12 component 3"
    what : the part of the model that is solved for
    point : (n,) number of the grid that each equation belongs to, to see how much of the structure moves
    """
    K = sp.csr_array(K)
    weak, shape = weak_motion(K)
    if not len(weak):
        return ModelError(
            f"{what} cannot be solved: the stiffness matrix is not positive definite",
            hint="look for negative stiffness in direct input matrices (DMIG), springs or materials",
        )
    names = [describe(int(i)) for i in weak]
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ModelError(
        f"{what} can move without resistance (mechanism)",
        where=", ".join(names[:5]) + more,
        hint=likely_cause(K, weak, shape, describe, np.arange(len(shape)) // 6 if point is None else point),
    )


def weak_motion(K) -> tuple[np.ndarray, np.ndarray]:
    """Equations whose pivot vanishes, and the motion (n,) of the first of them, largest component 1."""
    diagonal = K.diagonal()
    floor = 1e-14 * np.abs(diagonal).max(initial=0.0)
    added = np.where(np.abs(diagonal) > floor, REGULAR * np.abs(diagonal), max(floor, 1e-300))
    for growth in (1.0, 1e2, 1e4):
        try:
            factor = Factor(sp.csr_array(K + sp.diags_array(growth * added)), definite=True)
            break
        except NotPositiveDefinite:
            continue
    else:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    pivots = factor.pivots()
    dead = np.abs(diagonal) <= floor
    weak = np.flatnonzero((pivots < WEAK * max(1.0, growth)) | dead)
    weak = weak[np.argsort(np.where(dead[weak], -1.0, pivots[weak]), kind="stable")]
    if not len(weak):
        weak = np.array([int(np.argmin(pivots))])
    load = np.zeros(K.shape[0])
    load[weak[0]] = max(float(np.abs(diagonal).max(initial=0.0)), 1.0)
    shape = factor.solve(load)
    return weak, shape / max(float(np.abs(shape).max()), 1e-300)


def likely_cause(K, weak: np.ndarray, shape: np.ndarray, describe, point: np.ndarray) -> str:
    """Guess why the structure is free to move from what moves."""
    moving = len(np.unique(point[np.abs(shape) > 1e-3]))
    rotation = describe(int(weak[0])).endswith(("component 4", "component 5", "component 6"))
    if np.abs(K.diagonal()[weak[0]]) <= 1e-14 * np.abs(K.diagonal()).max(initial=0.0):
        if rotation:
            return (
                "no element resists this rotation: shells have none about their normal with PARAM K6ROT 0, "
                "rods and solids none at all; constrain it or use PARAM AUTOSPC YES"
            )
        return "nothing is connected to it: connect it, constrain it or use PARAM AUTOSPC YES"
    if moving > max(1.0, 0.5 * len(np.unique(point))):
        return "most of the structure moves as a rigid body: supports (SPC) are missing or not selected"
    if rotation and moving <= 3:
        return "a rotation is hardly held: check pin flags, K6ROT and elements in one line"
    return "a part of the structure moves by itself: check its connections, pin flags and releases"


SINGULAR = 1e-12  # pivot over diagonal entry below which a stiffness counts as singular

AT_INTERFACE = (
    "the body held at its interface",
    "the aset must hold all rigid motion and every mechanism: name its grids with all components, as in {1: 123456}, "
    "and leave a motion free by the joint in the multibody model: 123456 with a Revolute there is a hinge",
)
AT_RIGID_MOTION = (
    "the body without its rigid motions",
    "either the deck has a mechanism there, or a motion of the whole body has no inertia, as the roll of bars along a "
    "line: bars have none about their axis; give grids inertia (CONM2, I11), or keep a lumped body that has it "
    "instead of separating all",
)


class RefinedFactor:
    """A factor of a stiffness matrix whose solutions are refined by residuals in extended precision.

    Fine meshes of beams and shells lose six or more digits of 16 in a plain solution; two steps with the residual
    in extended precision give them back. Very large systems are left as they are.

    Parameters
    ----------
    K : (n, n) symmetric positive definite, sparse or dense; a mechanism is a ModelError that says what moves
    describe : names equation i in that error;  held : what it is a matrix of, and what to do about a mechanism
    """

    WORK = 2e8  # products of matrix entries and right-hand sides up to which refinement is worth its time

    def __init__(
        self,
        K: Any,
        describe: Callable[[int], str] = "equation {}".format,
        held: tuple[str, str] = AT_INTERFACE,
    ):
        self.K, self.long, self.held = sp.csr_array(K), None, held
        try:
            self.factor = Factor(self.K, definite=True)
        except NotPositiveDefinite:
            raise self._mechanism(describe) from None
        if self.K.shape[0] and self.factor.pivots().min() < SINGULAR:
            raise self._mechanism(describe)

    def _mechanism(self, describe: Callable[[int], str]) -> ModelError:
        what, remedy = self.held
        found = mechanism_error(self.K, describe, what)
        return ModelError(found.what, where=found.where, hint=remedy)

    def solve(self, B: np.ndarray) -> np.ndarray:
        """Return X with K X = B for B (n,) or (n, k)."""
        X = self.factor.solve(B)
        columns = 1 if B.ndim == 1 else B.shape[1]
        if not columns or self.K.nnz * columns > self.WORK:
            return X
        if self.long is None:
            self.long = self.K.astype(np.longdouble)
        for _ in range(2):
            X = X + self.factor.solve(np.asarray(B - self.long @ X.astype(np.longdouble), dtype=float))
        return X


def flexible_eigenvalues(Phi: np.ndarray, M: Any, solution: np.ndarray) -> np.ndarray:
    """Squared frequencies of modes by their flexibility, `phi'M phi / phi'M K^-1 M phi`.

    solution : K^-1 M Phi. The quotient with K itself loses digits on fine meshes, this one does not.
    """
    MPhi = M @ Phi
    return np.einsum("ij,ij->j", Phi, MPhi) / np.einsum("ij,ij->j", MPhi, solution)


def factored_eigen(F: np.ndarray, m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Solve `F'F y = w2 m y` by singular values of F, which keeps twice the digits of low modes.

    An eigensolver on F'F has errors of the size eps w_max^2 everywhere; singular values have eps w_max.
    """
    scale = 1 / np.sqrt(np.diag(m))
    L = la.cholesky((m + m.T) / 2 * scale[:, None] * scale[None, :], lower=True)
    A = la.solve_triangular(L, (F * scale).T, lower=True).T
    _, sigma, Vt = la.svd(A, full_matrices=A.shape[0] < A.shape[1])
    sigma = np.append(sigma, np.zeros(len(m) - len(sigma)))[::-1]
    return sigma**2, scale[:, None] * la.solve_triangular(L, Vt[::-1].T, lower=True, trans="T")


def rayleigh_ritz(K: Any, M: Any, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Solve the pencil in the span of V; vectors are M-orthonormal, values ascend."""
    V = V / np.sqrt(np.einsum("ij,ij->j", V, M @ V))
    k, m = V.T @ (K @ V), V.T @ (M @ V)
    values, Y = la.eigh((k + k.T) / 2, (m + m.T) / 2)
    return values, V @ Y


NOTHING_NEW = 1e-13  # share of a load's strain energy below which its residual is rounding
BALANCED = 1e-7  # share of its own terms below which a load balanced by inertia is rounding
DEPENDENT = 1e-11  # share of a load's strain energy, for what the residuals before it leave


def residual_vectors(
    K: Any,
    M: Any,
    Phi: np.ndarray,
    P: np.ndarray,
    *,
    rigid: np.ndarray | None = None,
    factor: RefinedFactor | None = None,
    describe: Callable[[int], str] = "equation {}".format,
    massless: bool = False,
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return residual vectors (nf, p'), their frequencies in Hz, and sentences about dropped ones.

    Phi : (nf, n) modes, mass-normalized; P : (nf, p) load patterns
    rigid : (nf, k) mass-normalized zero-energy modes of a body that is not held (inertia relief)
    factor : a factor of K, where the body is held and one is at hand
    massless : keep those that move no mass, last, of unit stiffness and infinite frequency
    """
    notes: list[str] = []
    rigid = np.zeros((K.shape[0], 0)) if rigid is None else rigid
    strains = _strains(M, P, rigid)
    if not strains.all():
        notes.append(
            f"{np.count_nonzero(~strains)} residual loads dropped: they move the free body without straining it"
        )
        P = P[:, strains]
    basis = np.hstack([rigid, Phi])
    rest = P - M @ (basis @ (basis.T @ P))
    full, R = np.hsplit(static_response(K, M, np.hstack([P, rest]), rigid, factor, describe), 2)
    energy = np.einsum("ij,ij->j", full, P)
    for _ in range(2):
        R -= basis @ (basis.T @ (M @ R))
    new = np.einsum("ij,ij->j", R, rest) > NOTHING_NEW * np.where(energy > 0, energy, np.inf)
    if not new.all():
        notes.append(
            f"{np.count_nonzero(~new)} residual vectors dropped: the modes hold their static response already"
        )
    R, rest, energy = R[:, new], rest[:, new], energy[new]
    keep = _independent(R.T @ rest, energy)
    if len(keep) < R.shape[1]:
        notes.append(f"{R.shape[1] - len(keep)} residual vectors dropped: linearly dependent on the others")
    if not len(keep):
        return R[:, keep], np.zeros(0), notes
    return _orthonormal(M, R[:, keep], rest[:, keep], basis, notes, massless, _slowest(K, M))


def _strains(M: Any, P: np.ndarray, rigid: np.ndarray) -> np.ndarray:
    """Tell which loads (nf, p) still load a free body when its inertia balances them, as M times a rigid motion does
    not.
    """
    if not rigid.shape[1]:
        return np.ones(P.shape[1], dtype=bool)
    along = rigid.T @ P
    size = np.abs(P) + abs(M) @ (np.abs(rigid) @ np.abs(along))
    return np.any(np.abs(P - M @ (rigid @ along)) > BALANCED * size, axis=0)


def _slowest(K: Any, M: Any) -> float:
    """Return the largest m/k of the single coordinates, s²: what round-off of a mass is measured by."""
    k, m = K.diagonal(), M.diagonal()
    return float(np.max(m[k > 0.0] / k[k > 0.0], initial=0.0))


def _orthonormal(M, R, rest, basis, notes, keep_massless, slowest):
    """Diagonalize K and M over the residuals; those that move no mass have no frequency, and are dropped or kept.

    Without mass are those far faster than any other and than `slowest`, which holds where none of them moves mass.
    R'KR is taken as R' times the loads that made R: the product with K would cancel most of its digits on a
    fine mesh.
    """
    k = R.T @ rest
    scale = 1 / np.sqrt(np.diag(k))
    R = R * scale
    k, m = k * scale[:, None] * scale[None, :], R.T @ (M @ R)
    mu, G = la.eigh((m + m.T) / 2, (k + k.T) / 2)
    massless = mu < 1e-14 * max(mu[-1], slowest, np.finfo(float).tiny)
    still = R @ G[:, massless]
    if massless.any() and not keep_massless:
        notes.append(
            f"{np.count_nonzero(massless)} residual vectors dropped: they move no mass, hence no frequency "
            "(static response to those loads stays incomplete; a small inertia at the loaded grid mends it)"
        )
    mu, G = mu[~massless][::-1], G[:, ~massless][:, ::-1]
    V = R @ G / np.sqrt(mu)
    V -= basis @ (basis.T @ (M @ V))
    V /= np.sqrt(np.einsum("ij,ij->j", V, M @ V))
    hz = 1 / (2 * np.pi * np.sqrt(mu))
    if keep_massless and still.shape[1]:
        V, hz = np.hstack([V, still]), np.concatenate([hz, np.full(still.shape[1], np.inf)])
    return V, hz, notes


def static_response(
    K: Any,
    M: Any,
    P: np.ndarray,
    rigid: np.ndarray,
    factor: RefinedFactor | None,
    describe: Callable[[int], str] = "equation {}".format,
) -> np.ndarray:
    """Solve K u = P; with rigid modes present, under balanced loads and without rigid motion in u."""
    if not rigid.shape[1]:
        return (factor or RefinedFactor(K, describe)).solve(P)
    u = held_response(K, P - M @ (rigid @ (rigid.T @ P)), rigid, describe)
    return u - rigid @ (rigid.T @ (M @ u))


def held_response(
    K: Any, P: np.ndarray, rigid: np.ndarray, describe: Callable[[int], str] = "equation {}".format
) -> np.ndarray:
    """Solve K u = P for balanced loads, with as many coordinates held as there are rigid motions (nf, k)."""
    held = la.qr(rigid.T, mode="r", pivoting=True)[1][: rigid.shape[1]]
    free = np.setdiff1d(np.arange(K.shape[0]), held)
    u = np.zeros_like(P)
    u[free] = RefinedFactor(K[free][:, free], lambda i: describe(int(free[i])), AT_RIGID_MOTION).solve(
        P[free]
    )
    return u


def _independent(gram: np.ndarray, energy: np.ndarray) -> np.ndarray:
    """Choose independent columns by pivoted Cholesky of the strain-energy Gram matrix, scaled by full
    energies.
    """
    scale = 1 / np.sqrt(energy)
    A = gram * scale[:, None] * scale[None, :]
    chosen: list[int] = []
    floor = DEPENDENT * np.diag(A)
    for _ in range(len(A)):
        rest = np.diag(A).copy()
        rest[chosen] = -1.0
        best = int(np.argmax(rest))
        if rest[best] <= max(floor[best], NOTHING_NEW):
            break
        A = A - np.outer(A[:, best], A[best]) / A[best, best]
        chosen.append(best)
    return np.sort(np.array(chosen, dtype=np.int64))


def load_columns(n: int, dofs: np.ndarray) -> np.ndarray:
    """Unit loads (n, p) on single degrees of freedom."""
    P = np.zeros((n, len(dofs)))
    P[dofs, np.arange(len(dofs))] = 1.0
    return P
