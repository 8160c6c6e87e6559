"""Poles, modes and invariant zeros of linear models, and how far rounding may have moved them.

Eigenvectors of equal eigenvalues: they are independent here. LAPACK's vectors of equal eigenvalues may be parallel,
and real ones conjugate pairs: they come one by one from a triangular factor whose entries between equals are rounding.
The space that belongs to equal eigenvalues is well defined, though: what their vectors span, or, where these fail, the
leading Schur vectors after those eigenvalues were brought to the front (LAPACK's trsen; Bai and Demmel 1993).

Rounding: some poles may have been moved away from the border of stability by rounding alone. An error E in A moves a
simple pole λ by wᴴ E v/wᴴ v at most: by ‖E‖ κ, κ = |w||v|/|wᴴ v| (Wilkinson 1965, 2.9; the matrix is balanced first,
so that units of states do not matter). Slow poles beside fast ones are known as well as their own κ says, however
large ‖A‖ is beside them. Poles that rounding has split, those of rigid motion above all, have κ as large as what they
were split by is small; such a group can be where its middle is, and no farther away than it is wide.

Invariant zeros: there [A - sI, B; C, D] loses rank. Rows and columns that cannot lose rank are removed by orthogonal
transformations until D has full rank, first from the left, then from the right (Emami-Naeini and Van Dooren,
Automatica 18, 1982); infinite zeros disappear with them. What is left is a generalized eigenproblem of finite zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy.linalg import eig, null_space, schur, svd
from scipy.linalg.lapack import dgebal, ztrsen
from scipy.sparse.csgraph import connected_components

from interstage.calls import named_arguments
from interstage.errors import SolverError

EPS = float(np.finfo(float).eps)
INDEPENDENT = 1e-4  # vectors whose singular values fall below this part of the largest are not


def balance_matrix(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return A scaled by powers of two, and the scales s (n,): A_b = A s/s'."""
    if len(A) == 0:
        return A, np.ones(0)
    # LAPACK's own routine: scipy's wrapper warns of scales beyond the range of integers
    A_b, _, _, scale, _ = dgebal(A, scale=1, permute=0)
    return A_b, scale


def eigenvectors(A: np.ndarray, real: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues (n,) and vectors (n, n) of a balanced matrix; equals have an orthonormal basis of their space.

    real : eigenvalues are real but for rounding: so are the vectors of equals. A Jordan block is left as LAPACK has
    it, and so are poles at zero, which are such blocks in a free vehicle (but not where eigenvalues are real).
    """
    values, V = np.linalg.eig(A)
    zero = 1e2 * EPS * np.linalg.norm(A)
    slack = 1e-9 * np.abs(values) + zero
    factors: list[np.ndarray] = []
    for places in clusters(values, slack):
        mean, near = values[places].mean(), 20.0 * slack[places].max()
        if not real and abs(mean) <= 1e4 * zero:
            continue
        basis = _spanned(V[:, places], real)
        if basis is None:
            factors = factors or list(schur(A, output="complex"))
            basis = _leading(*factors, values[places], near)
            basis = _spanned(basis, real) if basis is not None else None
        if basis is None:
            continue
        block = basis.conj().T @ (A @ basis)
        if np.linalg.norm(block - mean * np.eye(len(places))) <= near:
            V = V.astype(np.result_type(V, basis))
            V[:, places] = basis
    return values, V


def _spanned(V: np.ndarray, real: bool) -> np.ndarray | None:
    """Return an orthonormal basis (n, m) of what m vectors span, or None where they are not independent.

    Conjugates to rounding come together in a real cluster: real and imaginary parts have m real vectors in them.
    """
    m = V.shape[1]
    U, s, _ = np.linalg.svd(np.hstack([V.real, V.imag]) if real else V, full_matrices=False)
    return U[:, :m] if s[m - 1] > INDEPENDENT * s[0] else None


def _leading(T: np.ndarray, Z: np.ndarray, values: np.ndarray, near: float) -> np.ndarray | None:
    """Return the Schur vectors (n, m) of m eigenvalues, brought to the front."""
    chosen = np.abs(np.diag(T) - values.mean()) <= near + np.abs(values - values.mean()).max()
    if chosen.sum() != len(values):
        return None
    _, Q, *_, info = ztrsen(chosen.astype(np.int32), T, Z, job="N")
    return Q[:, : len(values)] if info == 0 else None


def clusters(values: np.ndarray, slack: np.ndarray) -> list[np.ndarray]:
    """Return places of values that lie together, two or more each: neighbours of neighbours belong to one."""
    if not len(values):
        return []
    near = np.abs(values[:, None] - values[None, :]) <= np.maximum(slack[:, None], slack[None, :])
    _, label = connected_components(near, directed=False)
    return [g for g in (np.flatnonzero(label == k) for k in np.unique(label)) if len(g) > 1]


EXACT = 100.0 * EPS  # part of ‖A‖ by which matrices are wrong whose derivatives are exact
DIFFERENCED = 1e-9  # and those that were differenced
WIDE = 2.0  # a group may lie this many of its widths away from where it seems to be


class Doubt:
    """How far poles may have moved: `slack` (n,), each on its own, and `error`, what all share.

    A : (n, n);  values : its eigenvalues (n,);  rounding : of A, beside its size
    """

    def __init__(self, A: np.ndarray, values: np.ndarray, rounding: float = EXACT):
        A_b = balance_matrix(np.asarray(A, dtype=float))[0]
        self.error = rounding * float(np.linalg.norm(A_b))
        found, left, right = scipy.linalg.eig(A_b, left=True, right=True)
        along = np.abs(np.sum(left.conj() * right, axis=0))
        size = np.linalg.norm(left, axis=0) * np.linalg.norm(right, axis=0)
        condition = size / np.maximum(along, np.finfo(float).tiny * np.maximum(size, 1.0))
        same = np.abs(np.asarray(values)[:, None] - found[None, :]).argmin(axis=1)
        apart = np.abs(found[:, None] - found[None, :]) + np.diag(np.full(len(found), np.inf))
        near = apart.min(axis=1, initial=np.inf)
        self.slack = np.maximum(self.error, np.minimum(self.error * condition, WIDE * near))[same]

    def within(self, distance: np.ndarray) -> np.ndarray:
        """Return which poles (n,) may be where their distance (n,) would be none."""
        return np.abs(distance) <= self.slack


@named_arguments
class Poles(np.ndarray):
    """Eigenvalues (n,), complex, in order of size, with frequency and damping; prints as a table.

    What rounding leaves of poles on the border of stability counts as on it; see `interstage.linear.poles`.
    """

    _of: tuple[np.ndarray, float] | None = None  # the matrix, and the part of its size by which it is wrong
    _known: Doubt | None = None

    def __array_finalize__(self, other: object) -> None:
        # a part of the poles is judged as the whole was
        self._of = getattr(other, "_of", None)

    def of(self, A: np.ndarray, rounding: float) -> Poles:
        """Return the poles, with the matrix whose eigenvalues they are: what they may be is judged by it."""
        self._of = A, rounding
        return self

    def _doubt(self) -> Doubt | None:
        if self._known is None and self._of is not None and self.size and self.ndim == 1:
            self._known = Doubt(self._of[0], np.asarray(self), self._of[1])
        return self._known

    @property
    def continuous(self) -> np.ndarray:
        """λ as numbers (n,); of samples ln(z)/dt."""
        return np.asarray(self)

    @property
    def frequency_hz(self) -> np.ndarray:
        """Undamped natural frequency: size of λ over 2π."""
        return np.abs(np.asarray(self)) / (2.0 * np.pi)

    @property
    def damped_hz(self) -> np.ndarray:
        """Frequency of the oscillation Im λ/2π."""
        return np.asarray(self).imag / (2.0 * np.pi)

    @property
    def damping(self) -> np.ndarray:
        """Damping ratio: -Re λ over the size of λ; 0 for a pole at zero."""
        values = np.asarray(self)
        size = np.abs(values)
        return np.where(size > 0.0, -values.real / np.where(size > 0.0, size, 1.0), 0.0)

    @property
    def stable(self) -> bool:
        """True if all real parts are negative, and surely so."""
        return self.verdict == "stable"

    @property
    def verdict(self) -> str:
        """ "stable", "unstable" (something grows), or "marginal": something neither grows nor dies away."""
        if self.growing:
            return "unstable"
        outside = self._outside()
        sure = outside < 0.0 if (doubt := self._doubt()) is None else (outside < 0.0) & ~doubt.within(outside)
        return "stable" if sure.all() else "marginal"

    @property
    def growing(self) -> int:
        """Number of poles that grow, and surely so."""
        outside, doubt = self._outside(), self._doubt()
        if doubt is None:
            return int(np.sum(outside > 1e-6 * np.abs(np.asarray(self))))
        return int(np.sum((outside > 0.0) & ~doubt.within(outside)))

    def _outside(self) -> np.ndarray:
        """Return how far poles lie beyond the border of stability (n,)."""
        return np.asarray(self).real

    def _at(self, place: complex) -> np.ndarray:
        """Return which poles may lie at a place (n,)."""
        values, doubt = np.asarray(self), self._doubt()
        if doubt is None:
            return np.abs(values - place) < 1e-5 * max(1.0, float(np.abs(values).max(initial=0.0)) ** 0.5)
        return doubt.within(np.abs(values - place))

    def rows(self) -> list[tuple[complex, float, float, int]]:
        """Return (pole, Hz, damping ratio, count) with conjugates as one row and poles at zero together."""
        return self._rows(0j)

    def _rows(self, *together: complex) -> list[tuple[complex, float, float, int]]:
        values, left, found = np.asarray(self), np.ones(len(self), dtype=bool), []
        for place in together:
            here = left & self._at(place)
            found += [(place, 0.0, 0.0, int(here.sum()))] if here.any() else []
            left &= ~here
        for z, f, d in zip(values[left], self.frequency_hz[left], self.damping[left]):
            if z.imag >= 0.0:
                found.append((complex(z), float(f), float(d), 2 if z.imag > 0.0 else 1))
        return found

    def __str__(self) -> str:
        if self.ndim != 1 or not np.iscomplexobj(self):
            return np.array_str(np.asarray(self))
        rows = self.rows()
        shown = rows if len(rows) <= 60 else [*rows[:50], None, *rows[-5:]]
        return "\n".join(
            [self._head(), *(f"{'...':>14}" if row is None else self._line(*row) for row in shown)]
        )

    def _head(self, more: str = "") -> str:
        return f"{'real':>14} {'imaginary':>14}{more} {'Hz':>12} {'damping':>10} {'poles':>5}"

    def _line(self, z: complex, f: float, damping: float, count: int, more: str = "") -> str:
        if f == 0.0 and damping == 0.0:
            shown = "" if more and z == 0j else "0"
            return f"{z.real:14.6g} {'0':>14}{more} {shown:>12} {'':>10} {count:5d}"
        return f"{z.real:14.6g} {z.imag:14.6g}{more} {f:12.7g} {damping:10.6f} {count:5d}"

    __repr__ = __str__


class SampledPoles(Poles):
    """Eigenvalues z (n,) of a map from one sample to the next, `dt` seconds later, largest first.

    Frequency and damping are those of ln(z)/dt; z = 0 forgets everything in one sample.
    """

    dt: float = 1.0

    def __array_finalize__(self, other: object) -> None:
        super().__array_finalize__(other)
        self.dt = getattr(other, "dt", 1.0)

    @property
    def continuous(self) -> np.ndarray:
        """ln(z)/dt; -inf where z is zero."""
        z = np.asarray(self)
        with np.errstate(divide="ignore"):
            return np.log(np.abs(z)) / self.dt + 1j * (np.angle(z) / self.dt)

    @property
    def frequency_hz(self) -> np.ndarray:
        """Undamped natural frequency: size of ln(z)/dt over 2π; infinite where z is zero."""
        return np.abs(self.continuous) / (2.0 * np.pi)

    @property
    def damped_hz(self) -> np.ndarray:
        """Frequency of the oscillation, up to half of that of the samples."""
        return self.continuous.imag / (2.0 * np.pi)

    @property
    def damping(self) -> np.ndarray:
        """Damping ratio of ln(z)/dt; 0 for a pole at one, 1 for one at zero."""
        s, size = self.continuous, np.abs(self.continuous)
        usual = np.isfinite(size) & (size > 0.0)
        return np.where(usual, -s.real / np.where(usual, size, 1.0), np.where(np.isinf(size), 1.0, 0.0))

    def _outside(self) -> np.ndarray:
        return np.abs(np.asarray(self)) - 1.0

    def rows(self) -> list[tuple[complex, float, float, int]]:
        """Return (pole, Hz, damping ratio, count) with conjugates as one row, poles at zero and at one together."""
        return self._rows(0j, 1.0 + 0j)

    def _head(self, more: str = "") -> str:
        return super()._head(f" {'size':>10}{more}")

    def _line(self, z: complex, f: float, damping: float, count: int, more: str = "") -> str:
        return super()._line(z, f, damping, count, f" {abs(z):10.6f}{more}")

    __repr__ = Poles.__str__


def poles_of(A: np.ndarray, rounding: float = EXACT) -> Poles:
    """Return the eigenvalues of A in order of size, conjugates together with the positive one second."""
    if len(A) == 0:
        return np.zeros(0, complex).view(Poles)
    values = np.linalg.eigvals(balance_matrix(A)[0]).astype(complex)
    order = np.lexsort((values.imag, np.round(np.abs(values), 9)))
    return values[order].view(Poles).of(A, rounding)


def sampled_poles_of(A: np.ndarray, dt: float, rounding: float = EXACT) -> Poles:
    """Return the eigenvalues of a map from one sample to the next, largest first."""
    values = np.linalg.eigvals(balance_matrix(A)[0])
    return seen_as(values[np.argsort(-np.abs(values), kind="stable")], dt).of(A, rounding)


@dataclass(frozen=True)
class LinearModes:
    """Modes of a linear model in order of frequency.

    frequencies_hz (m,), damping (m,) ratios, poles (m,), shapes (n, m) in the states (complex where damped)
    Of a sampled model poles are eigenvalues z, frequencies and damping those of ln(z)/dt.
    """

    frequencies_hz: np.ndarray
    damping: np.ndarray
    poles: np.ndarray
    shapes: np.ndarray
    states: Sequence[str]

    def __len__(self) -> int:
        return len(self.frequencies_hz)


def seen_as(values: np.ndarray, dt: float | None) -> Poles:
    """Return eigenvalues as poles of continuous time, or of samples dt seconds apart."""
    if dt is None:
        return values.astype(complex).view(Poles)
    poles = values.astype(complex).view(SampledPoles)
    poles.dt = dt
    return poles


def damped_modes(A: np.ndarray, states: Sequence[str], dt: float | None = None) -> LinearModes:
    """Return eigenvectors of A, one of each conjugate pair (Im λ >= 0), of unit length.

    Poles that coincide have independent shapes where there are any: orthogonal in the balanced states. Poles at zero
    of a free vehicle have not (a place that drifts needs a rate).
    """
    still = 0.0 if dt is None else 1.0  # the pole of what stays as it is
    A_b, scale = balance_matrix(A - still * np.eye(len(A)))
    values, V = eigenvectors(A_b)
    keep = np.flatnonzero(values.imag >= 0.0)
    keep = keep[np.argsort(seen_as(values[keep] + still, dt).frequency_hz, kind="stable")]
    V, poles = scale[:, None] * V[:, keep], seen_as(values[keep] + still, dt)
    shapes = V / np.linalg.norm(V, axis=0)
    return LinearModes(poles.frequency_hz, poles.damping, np.asarray(poles), shapes, states)


def undamped_modes(A: np.ndarray, n_position: int, states: Sequence[str]) -> LinearModes:
    """Return modes of δq̈ = G A_vq δq, the model without its rate terms; unstable ones have negative frequency.

    Modes of one frequency have independent shapes, orthogonal in the balanced states.
    """
    n = n_position
    S, scale = balance_matrix(A[:n, n:] @ A[n:, :n])
    values, V = eigenvectors(S, real=True)
    _refuse_flutter(S, values)
    order = np.argsort(-values.real, kind="stable")
    square = -values.real[order]
    w = np.sign(square) * np.sqrt(np.abs(square))
    shapes = np.vstack([scale[:, None] * V.real[:, order], np.zeros((len(A) - n, len(w)))])
    size = np.linalg.norm(shapes, axis=0)
    shapes = shapes / np.where(size > 0.0, size, 1.0)
    return LinearModes(w / (2.0 * np.pi), np.zeros(len(w)), 1j * w, shapes, states)


def _refuse_flutter(S: np.ndarray, values: np.ndarray) -> None:
    """Refuse squares of frequencies that are complex: forces that follow have coupled two modes."""
    floor = 1e-6 * np.abs(values) + 1e3 * EPS * np.linalg.norm(S)
    worst = int(np.argmax(np.abs(values.imag) - floor)) if len(values) else 0
    if len(values) and abs(values[worst].imag) > floor[worst]:
        hz = np.sqrt(abs(values[worst])) / (2.0 * np.pi)
        raise SolverError(
            "the model without its rate terms has no real modes: forces that are not conservative couple two of them",
            where=f"near {hz:.4g} Hz",
            hint="use modes(damped=True)",
        )


_EPS = float(np.finfo(float).eps)


def invariant_zeros(A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray) -> np.ndarray:
    """Return the finite invariant zeros (k,), complex, in order of size."""
    n, nu, ny = len(A), B.shape[1], len(C)
    if 0 in (n, nu, ny):
        return np.zeros(0, complex)
    A, B, C, D, rate = _scaled(A, B, C, D)
    tolerance = 10.0 * _EPS * max(n, nu, ny) * max(1.0, np.linalg.norm(A, 2))
    A, B, C, D = _reduced(A, B, C, D, tolerance)
    At, Ct, Bt, Dt = _reduced(A.T, C.T, B.T, D.T, tolerance)
    A, B, C, D = At.T, Bt.T, Ct.T, Dt.T
    if len(A) == 0:
        return np.zeros(0, complex)
    if D.size == 0:
        zeros = np.linalg.eigvals(A)
    else:
        N = null_space(np.hstack([C, D]), rcond=_EPS)
        zeros = eig(np.hstack([A, B]) @ N, N[: len(A)], right=False)
    zeros = zeros[np.isfinite(zeros)] * rate
    return zeros[np.lexsort((zeros.imag, np.round(np.abs(zeros), 9)))]


def _scaled(A, B, C, D) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float]:
    """Return a balanced model with time in units of a middling pole and channels of about unit size."""
    A, scale = balance_matrix(A)
    B, C = B / scale[:, None], C * scale
    size = np.abs(np.linalg.eigvals(A))
    size = size[size > 1e-6 * size.max(initial=0.0)]
    rate = float(np.exp(np.log(size).mean())) if len(size) else 1.0
    B = B / rate  # with A: C (sI - A)⁻¹ B beside D is the same at s/rate
    columns = np.linalg.norm(np.vstack([B, D]), axis=0)
    columns = np.where(columns > 0.0, columns, 1.0)
    B, D = B / columns, D / columns
    rows = np.linalg.norm(np.hstack([C, D]), axis=1)
    rows = np.where(rows > 0.0, rows, 1.0)
    return A / rate, B, C / rows[:, None], D / rows[:, None], rate


def _reduced(A, B, C, D, tolerance: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return a smaller model with the same zeros whose D has full row rank."""
    while len(D):
        U, s, _ = svd(D) if D.shape[1] else (np.eye(len(D)), np.zeros(0), None)
        rank = int(np.sum(s > tolerance))
        C, D = U.T @ C, U.T @ D
        bare, C, D = C[rank:], C[:rank], D[:rank]
        if len(bare) == 0 or len(A) == 0:
            break
        _, s, Vt = svd(bare)
        seen = int(np.sum(s > tolerance))
        if seen == 0:
            break
        # states that some output shows at once cannot move at a zero: their rates become outputs
        V = np.vstack([Vt[seen:], Vt[:seen]]).T
        k = len(A) - seen
        A, B, C = V.T @ A @ V, V.T @ B, C @ V
        C, D = np.vstack([C[:, :k], A[k:, :k]]), np.vstack([D, B[k:]])
        A, B = A[:k, :k], B[:k]
    return A, B, C, D
