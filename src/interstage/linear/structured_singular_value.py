"""Bounds of the structured singular value μ for repeated real and complex scalars, at one frequency and over all.

    μ(M) = 1/min{max |δ_i| : det(I - M Δ) = 0},     Δ = diag(δ_1 I, δ_2 I, ...)

Upper bound (Fan, Tits and Doyle 1991): with Hermitian D > 0 and G (zero for complex δ) that commute with Δ,

    Mᴴ D M + j (G M - Mᴴ G) ≤ β² D     implies     μ(M) ≤ β

Every pair (D, G) gives a bound: the largest eigenvalue of a Hermitian matrix, made small by a gradient search. Over
frequency a pair that is found at one frequency holds on an interval about it whose ends are imaginary eigenvalues of a
Hamiltonian matrix (Ferreres, Magni and Biannic 2003). Intervals are laid until they cover the axis, so that no narrow
peak of a lightly damped mode lies between points of a grid.

Lower bound: Δ with det(I - M Δ) = 0, verified by the smallest singular value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from scipy.linalg import solve_triangular

from interstage.errors import InputError, SolverError, shown

SHARPNESS = (8.0, 40.0, 200.0, 2000.0)  # of the smooth maximum of eigenvalues, stage by stage
SINGULAR = 1e-8  # smallest singular value of I - M Δ that counts as zero, relative to its largest
ON_AXIS = (
    1e-8  # real part of an eigenvalue that counts as imaginary, relative to its size and that of the matrix
)
SLACK = 0.02  # by which a bound over all frequencies may exceed the largest bound at one
MOST_INTERVALS = 2000


class DeltaBlock(NamedTuple):
    """A scalar that stands `size` times on the diagonal of Δ;  real : it is a real number, else complex."""

    name: str
    size: int
    real: bool = True


@dataclass(frozen=True)
class Scalings:
    """D = L Lᴴ and G of an upper bound, block diagonal."""

    D: np.ndarray
    G: np.ndarray


class _Search:
    """Minimize the largest eigenvalue of D^(-1/2) (Mᴴ D M + j (G M - Mᴴ G)) D^(-1/2) over D and G of some blocks."""

    def __init__(self, M: np.ndarray, blocks: Sequence[DeltaBlock]):
        self.M, self.blocks, self.n = M, blocks, len(M)
        low, diagonal, upper, real = [], [], [], []
        at = 0
        for block in blocks:
            for a in range(block.size):
                diagonal.append(at + a)
                if block.real:
                    real.append(at + a)
                for b in range(a):
                    low.append((at + a, at + b))
                    if block.real:
                        upper.append((at + b, at + a))
            at += block.size
        self.diagonal, self.real = np.array(diagonal, int), np.array(real, int)
        self.low = tuple(np.array(low, int).reshape(-1, 2).T)
        self.upper = tuple(np.array(upper, int).reshape(-1, 2).T)
        self.sizes = [len(self.diagonal), *[len(self.low[0])] * 2, len(self.real), *[len(self.upper[0])] * 2]

    def parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return L and Ĝ of a vector."""
        d, lr, li, g, ur, ui = np.split(x, np.cumsum(self.sizes)[:-1])
        L, G = np.zeros((self.n, self.n), complex), np.zeros((self.n, self.n), complex)
        L[self.diagonal, self.diagonal] = np.exp(d)
        L[self.low] = lr + 1j * li
        G[self.real, self.real] = g
        G[self.upper] = ur + 1j * ui
        G[self.upper[::-1]] = ur - 1j * ui
        return L, G

    def scaled(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return L, Ĝ, Lᴴ M L^-ᴴ and the Hermitian matrix."""
        L, G = self.parts(x)
        M = solve_triangular(L, (L.conj().T @ self.M).conj().T, lower=True).conj().T
        GM = 1j * (G @ M)
        return L, G, M, M.conj().T @ M + GM + GM.conj().T

    def largest(self, x: np.ndarray) -> float:
        """Return the largest eigenvalue: a bound of μ²."""
        return float(np.linalg.eigvalsh(self.scaled(x)[3])[-1])

    def smooth(self, x: np.ndarray, sharp: float) -> tuple[float, np.ndarray]:
        """Return a smooth bound of the largest eigenvalue, and its gradient."""
        L, G, M, H = self.scaled(x)
        values, vectors = np.linalg.eigh(H)
        weight = np.exp(sharp * (values - values[-1]))
        total = weight.sum()
        W = (vectors * (weight / total)) @ vectors.conj().T
        P = W @ (M.conj().T + 1j * G)
        # df = 2 Re tr(N dLᴴ L^-ᴴ) = 2 Re tr(L^-ᴴ N dLᴴ), N = M P - P M
        N = M @ P - P @ M
        K = solve_triangular(L.conj().T, N, lower=False)
        MW = M @ W
        Y = 1j * (MW - MW.conj().T)
        d = 2.0 * K[self.diagonal, self.diagonal].real * L[self.diagonal, self.diagonal].real
        low, up = 2.0 * K[self.low], 2.0 * Y[self.upper]
        gradient = np.concatenate([d, low.real, low.imag, Y[self.real, self.real].real, up.real, up.imag])
        return float(values[-1] + np.log(total) / sharp), gradient

    def run(self, enough: float, start: np.ndarray | None = None) -> np.ndarray:
        """Return D and G as a vector: best found, or the first whose bound of μ² is `enough`."""
        best = np.zeros(sum(self.sizes)) if start is None else start
        least = self.largest(best)
        if start is not None and (plain := self.largest(np.zeros_like(best))) < least:
            best, least = np.zeros_like(best), plain

        class Enough(Exception):
            pass

        def watch(x: np.ndarray) -> None:
            nonlocal best, least
            here = self.largest(x)
            if here < least:
                best, least = x.copy(), here
                if least <= enough:
                    raise Enough

        if least <= enough:
            return best
        try:
            for sharp in SHARPNESS:
                size = max(abs(least), 1e-300)
                scipy.optimize.minimize(
                    lambda x, size, sharp: tuple(part / size for part in self.smooth(x, sharp / size)),
                    best,
                    args=(size, sharp),
                    jac=True,
                    method="L-BFGS-B",
                    callback=watch,
                    options={"maxiter": 150, "ftol": 1e-7, "gtol": 1e-9, "maxcor": 20},
                )
        except Enough:
            pass
        return best


def _scalings(search: _Search, x: np.ndarray) -> Scalings:
    L, G = search.parts(x)
    return Scalings(L @ L.conj().T, L @ G @ L.conj().T)


def upper_bound(M: np.ndarray, blocks: Sequence[DeltaBlock], enough: float = 0.0) -> tuple[float, Scalings]:
    """Return an upper bound of μ(M), and D and G that prove it;  enough : a bound at which the search may end."""
    search = _Search(M, blocks)
    x = search.run(enough**2)
    return float(np.sqrt(max(search.largest(x), 0.0))), _scalings(search, x)


def lower_bound(
    M: np.ndarray, blocks: Sequence[DeltaBlock], starts: int = 6, seed: int = 0
) -> tuple[float, np.ndarray | None]:
    """Return a lower bound of μ(M), and δ of each block at which det(I - M Δ) = 0; 0 and None where none was found.

    The least max |δ_i| is sought by sequential quadratic programming from several starts.
    """
    sizes = np.array([block.size for block in blocks])
    kinds = np.array([block.real for block in blocks])
    n, p, nc = len(M), len(blocks), int((~kinds).sum())
    norm = float(np.linalg.norm(M, 2))
    if norm == 0.0:
        return 0.0, None
    M = M / norm
    eye = np.eye(n)
    plain = bool(kinds.all()) and np.abs(M.imag).max() <= 1e-14  # det is real whatever the real δ are
    equations = 1 if plain else 2

    def deltas(x: np.ndarray) -> np.ndarray:
        d = x[1 : 1 + p].astype(complex)
        d[~kinds] += 1j * x[1 + p :]
        return d

    def gap(x: np.ndarray) -> np.ndarray:
        det = np.linalg.det(eye - M * np.repeat(deltas(x), sizes))
        return np.array([det.real, det.imag])[:equations]

    def room(x: np.ndarray) -> np.ndarray:
        d = x[1 : 1 + p]
        real = np.concatenate([x[0] - d[kinds], x[0] + d[kinds]])
        return np.concatenate([real, x[0] ** 2 - d[~kinds] ** 2 - x[1 + p :] ** 2])

    rng = np.random.default_rng(seed)
    best, found = 0.0, None
    for signs in rng.choice([-1.0, 1.0], (64, p)) if plain else []:
        values = np.linalg.eigvals(M.real * np.repeat(signs, sizes))
        real = np.abs(values.real) * (np.abs(values.imag) <= 1e-12)
        if real.max(initial=0.0) > best:
            best = float(real.max())
            found = signs * np.sign(values[int(real.argmax())].real) / best / norm
    for k in range(starts):
        signs = np.ones(p) if k == 0 else rng.choice([-1.0, 1.0], p)
        x0 = np.concatenate([[1.5], 1.2 * signs * rng.uniform(0.5, 1.0, p), rng.uniform(-0.5, 0.5, nc)])
        with np.errstate(all="ignore"):
            done = scipy.optimize.minimize(
                lambda x: x[0],
                x0,
                method="SLSQP",
                constraints=[{"type": "eq", "fun": gap}, {"type": "ineq", "fun": room}],
                options={"maxiter": 200, "ftol": 1e-12},
            )
        if not np.isfinite(done.x).all():
            continue
        d = deltas(done.x)
        size = float(np.abs(d).max())
        if size <= 0.0:
            continue
        values = np.linalg.svd(eye - M * np.repeat(d, sizes), compute_uv=False)
        if values[-1] <= SINGULAR * max(values[0], 1.0) and 1.0 / size > best:
            best, found = 1.0 / size, d / norm
    return best * norm, found


# over all frequencies -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class LoopChannels:
    """M(s) = C (s - A)⁻¹ B + D from w to z, in continuous time; A stable."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray

    def at(self, omega: float) -> np.ndarray:
        """Return M(jω), ω may be infinite."""
        if not np.isfinite(omega):
            return self.D.astype(complex)
        return self.D + self.C @ np.linalg.solve(1j * omega * np.eye(len(self.A)) - self.A, self.B)


def holds_between(M: LoopChannels, scalings: Scalings, omega: float) -> tuple[float, float]:
    """Return the interval about ω on which Mᴴ D M + j (G M - Mᴴ G) < D, where it holds at ω.

    The Hermitian matrix D - Mᴴ D M - j (G M - Mᴴ G) is singular at jω where jω is an eigenvalue of a Hamiltonian one.
    """
    A, B, C, Dt = M.A, M.B, M.C, M.D
    D, G = scalings.D, scalings.G
    size = np.linalg.norm(D, 2)
    D, G = D / size, G / size
    n = len(A)
    Q = -C.T @ D @ C
    S = -C.T @ D @ Dt + 1j * C.T @ G  # of xᴴ S u
    R = D - Dt.T @ D @ Dt - 1j * (G @ Dt - Dt.T @ G)
    least = np.linalg.eigvalsh(0.5 * (R + R.conj().T))[0]
    if abs(least) < 1e-10:
        return omega, omega
    X = np.linalg.solve(R, np.hstack([S.conj().T, B.T.astype(complex)]))
    F = A - B @ X[:, :n]
    H = np.block([[F, -B @ X[:, n:]], [-(Q - S @ X[:, :n]), -F.conj().T]])
    values = np.linalg.eigvals(H)
    scale = np.abs(values)
    near = np.abs(values.real) <= ON_AXIS * np.maximum(scale, 1e-3 * np.median(scale)) + 1e-7 * scale
    at = np.sort(values.imag[near])
    below, above = at[at <= omega], at[at > omega]
    low = float(below[-1]) if len(below) else -np.inf
    high = float(above[0]) if len(above) else np.inf
    if high == np.inf and least <= 0.0:
        raise SolverError("mu: the interval of a bound has no end", got=f"frequency {omega:.6g} rad/s")
    return low, high


@dataclass(frozen=True)
class BoundPeak:
    """A bound over all frequencies: `level`, where it was reached (rad/s), and how many intervals cover the axis."""

    level: float
    omega: float
    intervals: int


def bound_over_frequency(
    scaled: Callable[[float], LoopChannels],
    blocks: Sequence[DeltaBlock],
    first: float,
    frequencies: Sequence[float],
    most: float = np.inf,
) -> BoundPeak:
    """Return a level at which μ of `scaled(level)` is below one at all frequencies from zero on.

    scaled : the channels, that become smaller as the level grows;  first : a level to begin with
    frequencies : rad/s at which the search looks first;  most : above this level it ends, the level is infinite
    """
    level, at = first, np.nan
    points = np.unique(np.concatenate([[0.0], np.sort(np.abs(frequencies)), [np.inf]]))
    gaps = [(0.0, np.inf)]
    count = 0
    queue = list(points[np.isfinite(points)])
    while gaps:
        low, high = gaps[0]
        inside = [w for w in queue if low <= w <= high]
        if inside:
            omega = inside[0]
            queue.remove(omega)
        elif np.isfinite(high):
            omega = 0.5 * (low + high) if low == 0.0 else np.sqrt(low * high)
        else:
            omega = max(2.0 * low, 1.0)
        count += 1
        if count > MOST_INTERVALS:
            raise SolverError(
                "mu: the frequencies could not be covered by intervals",
                got=f"{count} intervals, the next from {low:.6g} rad/s",
            )
        for _ in range(60):
            channels = scaled(level)
            beta, scalings = upper_bound(channels.at(omega), blocks, enough=0.6)
            if beta <= 1.0 - 0.3 * SLACK:
                break
            level, at = level * max(beta, 1.0) * (1.0 + SLACK) if np.isfinite(beta) else np.inf, omega
            if level > most:
                return BoundPeak(np.inf, omega, count)
        a, b = holds_between(channels, scalings, omega)
        width = 1e-7 * max(omega, 1e-6)
        a, b = min(a, omega), max(b, omega)
        if b - a < width:  # a bound that just holds: give it more room
            level *= 1.0 + SLACK
            queue.append(omega)
            continue
        # ends belong to no interval: what is left begins a little inside
        a, b = (
            a + 1e-9 * (omega - a) if np.isfinite(a) else a,
            b - 1e-9 * (b - omega) if np.isfinite(b) else b,
        )
        gaps = [piece for gap in gaps for piece in _without(gap, a, b)]
    return BoundPeak(level, at, count)


def _without(gap: tuple[float, float], a: float, b: float) -> list[tuple[float, float]]:
    low, high = gap
    if b <= low or a >= high:
        return [gap]
    found = []
    if low < a:
        found.append((low, a))
    if b < high:
        found.append((b, high))
    return found


def checked_blocks(M: np.ndarray, blocks: object) -> list[DeltaBlock]:
    """Return blocks given as (size, "real" or "complex"), whose sizes fit M."""
    found: list[DeltaBlock] = []
    for k, one in enumerate(blocks if isinstance(blocks, Sequence) else [None]):
        if isinstance(one, DeltaBlock):
            found.append(one)
            continue
        fits = isinstance(one, Sequence) and len(one) == 2 and one[1] in ("real", "complex")
        if not fits or not isinstance(one[0], int | np.integer) or one[0] < 1:
            raise InputError(
                "mu: blocks must be pairs of size and kind",
                expected='e.g. [(2, "real"), (1, "complex")]',
                got=shown(one),
            )
        found.append(DeltaBlock(f"{k + 1}", int(one[0]), one[1] == "real"))
    if sum(block.size for block in found) != len(M):
        raise InputError(
            "mu: the sizes of blocks must add up to that of M",
            expected=f"{len(M)}",
            got=f"{sum(block.size for block in found)}",
        )
    return found
