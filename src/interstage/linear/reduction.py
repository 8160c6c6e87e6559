"""Reduce linear models: modal truncation, and balanced truncation with a verified error bound.

Factors of Gramians: L with L Lᵀ = P of A P + P Aᵀ + B Bᵀ = 0, or of A P Aᵀ - P + B Bᵀ = 0, without P. In complex Schur
form A = Z S Zᴴ the last row of S stands alone. With S = [S₁ s; 0 λ], U = [U₁ u; 0 τ], B = [B₁; b],

    τ = |b|/√(-2 Re λ),    (S₁ + λ̄) u = -(s τ + B₁ βᴴ),        B₁ ← B₁ - u β             β = b/τ
    τ = |b|/√(1 - |λ|²),   (1 - λ̄ S₁) u = λ̄ s τ + B₁ βᴴ,      B₁ ← [B₁, S₁u + sτ] W      W ⟂ [βᴴ; λ̄]

and so on upwards: P = Z U (Z U)ᴴ. Small singular values keep the digits that they would lose in P, the square of U.
Source: Hammarling, IMA J. Numer. Anal. 2 (1982), 303; in discrete time, Systems & Control Letters 17 (1991), 137.

Balanced truncation: it leaves out states that inputs hardly reach and outputs hardly see, with a bound on the error.
Of the stable part, A P + P Aᵀ + B Bᵀ = 0 and Aᵀ Q + Q A + Cᵀ C = 0 (A P Aᵀ - P + B Bᵀ = 0, ... from sample to sample)
give P = L_c L_cᵀ and Q = L_o L_oᵀ; the singular values σ of L_oᵀ L_c = U Σ Vᵀ are Hankel's, and T = L_c V Σ^-½, T⁻¹ =
Σ^-½ Uᵀ L_oᵀ balance it. With the first n kept, ‖G - G_n‖∞ ≤ 2 Σ_{k>n} σ_k. Poles that are not surely stable (rigid
motion, instability) are split off and kept as they are.

Units of states do not matter: they are scaled first, by A, and where A leaves the scale of a group of states open, by
inputs and outputs. The bound is a theorem of exact numbers: the error of what is returned is measured where it can be
large, and a bound that does not hold is not given.
Source: Antoulas, Approximation of Large-Scale Dynamical Systems (2005), 7.1 to 7.3; Glover, Int. J. Control 39 (1984);
in discrete time Al-Saggaf and Franklin, IEEE Trans. Automat. Contr. 32 (1987).

Modal truncation: modes are ranked by their gains from inputs to outputs. In modal form a mode λ has input row b = wB
and output column c = Cv. Its peak gain near resonance is |c||b|/|Re λ|, its Hankel singular value follows from the
Gramians of its own two states

    W_c,ij = -b_i b_jᴴ/(λ_i + λ̄_j),     W_o,ij = -c_iᴴ c_j/(λ̄_i + λ_j),     γ² = λ_max(W_c W_o)

(for light damping |b||c|/2|Re λ|; Gregory 1984, Gawronski 2004). Slow poles (rigid-body motion) are always kept.
What is left out may leave its static gain behind: D ← D - C_t A_t⁻¹ B_t.

From sample to sample the distance from the border is 1 - |λ|, and W_c,ij = b_i b_jᴴ/(1 - λ_i λ̄_j), W_o,ij =
c_iᴴ c_j/(1 - λ̄_i λ_j). What stays as it is has its pole at one: slow poles lie there, and A - I takes the place of A.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.linalg as sl
from scipy.sparse.csgraph import connected_components

from interstage.calls import named_arguments
from interstage.errors import InputError, SolverError
from interstage.linear.poles import Doubt, balance_matrix, clusters, seen_as
from interstage.linear.response import GOOD, ModalForm, modal_form, response_at

if TYPE_CHECKING:
    from interstage.linear.model import LinearModel


def factor(A: np.ndarray, B: np.ndarray, sampled: bool) -> np.ndarray:
    """Return L (n, n), real, of a stable A (n, n) and B (n, m)."""
    n = len(A)
    if not n:
        return np.zeros((0, 0))
    S, Z = sl.schur(np.asarray(A, dtype=float), output="complex")
    rest = Z.conj().T @ B.astype(complex)
    U = np.zeros((n, n), complex)
    for k in range(n - 1, -1, -1):
        pole, b = S[k, k], rest[k]
        size = float(np.linalg.norm(b))
        decay = 1.0 - abs(pole) ** 2 if sampled else -2.0 * pole.real
        # no input reaches the last state: its row and column of P are zero
        if size > 0.0:
            U[k, k], beta = size / np.sqrt(decay), b * (np.sqrt(decay) / size)
            rest = _step(S[:k, :k], S[:k, k], pole, U[:k, k], U[k, k].real, rest[:k], beta, sampled)
        else:
            rest = rest[:k]
    F = Z @ U
    # P is real: so is the factor [Re F, Im F] of it, as wide as it is high after an orthogonal transformation
    return np.asarray(np.linalg.qr(np.hstack([F.real, F.imag]).T, mode="r")).T


def _step(
    S: np.ndarray,
    s: np.ndarray,
    pole: complex,
    u: np.ndarray,
    tau: float,
    rest: np.ndarray,
    beta: np.ndarray,
    sampled: bool,
) -> np.ndarray:
    """Write u (k,), the column of U above τ; return what is left of B (k, m)."""
    k = len(S)
    if not k:
        return rest
    seen = rest @ beta.conj()
    if not sampled:
        u[:] = -sl.solve_triangular(S + np.conj(pole) * np.eye(k), s * tau + seen)
        return rest - np.outer(u, beta)
    u[:] = sl.solve_triangular(np.eye(k) - np.conj(pole) * S, np.conj(pole) * s * tau + seen)
    along = np.concatenate([beta.conj(), [np.conj(pole)]])  # of length 1
    across = np.linalg.qr(along[:, None], mode="complete")[0][:, 1:]
    return np.column_stack([rest, S @ u + s * tau]) @ across


EPS = float(np.finfo(float).eps)
ROUNDING = 1e-9  # part of the largest gain that rounding may add to the bound
OVER = 1e-3  # part of the bound by which a measured error may exceed it


class Split(NamedTuple):
    """A model in two parts that do not touch: stable, and the rest; dt of both."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    A_rest: np.ndarray
    B_rest: np.ndarray
    C_rest: np.ndarray
    dt: float | None


def reduce(model: LinearModel, n: int | None, error: float | None) -> LinearModel:
    """Return a model with n balanced states besides those that are not stable, or as few as the error allows."""
    if (n is None) == (error is None):
        raise InputError("say how far to reduce", where="reduce", expected="n= or error=")
    if error is not None and not float(error) >= 0.0:
        raise InputError("the error must be a number from 0 on", where="reduce", got=repr(error))
    part = split(model)
    sigma, T, T_inverse = balanced_realization(part)
    most = len(sigma)
    if n is not None and (not isinstance(n, int | np.integer) or isinstance(n, bool) or not 0 <= n <= most):
        raise InputError(
            "that many states cannot be kept",
            where="reduce",
            expected=f"n from 0 to {most}, the states of the stable part",
            got=repr(n),
        )
    tail = 2.0 * np.append(np.cumsum(sigma[::-1])[::-1], 0.0)  # bound if the first k are kept
    known = T.shape[1]
    f = _frequencies(part)
    whole = _gains(part, part.A, part.B, part.C, f)
    floor = ROUNDING * float(_sizes(whole).max(initial=0.0))
    first = int(np.argmax(tail <= (np.inf if error is None else error)))
    for k in [min(n, known)] if n is not None else range(first, most + 1):
        kept = _kept_part(part, T[:, :k], T_inverse[:k]) if k <= known else (part.A, part.B, part.C)
        missing = float(_sizes(whole - _gains(part, *kept, f)).max(initial=0.0))
        bound = float(tail[k]) if k <= known else 0.0
        allowed = bound if error is None else max(bound, error)
        if missing <= (1.0 + OVER) * allowed + floor:
            found = {"hankel": sigma, "bound": max(bound, missing), "error": missing}
            return _named(model, part, kept, found)
    raise SolverError(
        "the model cannot be reduced within its bound: its numbers are too far apart for double precision",
        where="reduce",
        expected=f"an error of at most {allowed:.3g}",
        got=f"{missing:.3g} at one of {len(f)} frequencies",
        hint="keep more states, or truncate() modes",
    )


def _kept_part(
    part: Split, T: np.ndarray, T_inverse: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return T_inverse @ part.A @ T, T_inverse @ part.B, part.C @ T


def _named(
    model: LinearModel, part: Split, kept: tuple[np.ndarray, np.ndarray, np.ndarray], found: dict[str, object]
) -> LinearModel:
    """Return what is kept of the stable part and all of the rest as a model."""
    A, B, C = kept
    n, rest = len(A), len(part.A_rest)
    return replace(
        model,
        A=sl.block_diag(A, part.A_rest).reshape(n + rest, n + rest),
        B=np.vstack([B, part.B_rest]),
        C=np.hstack([C, part.C_rest]),
        states=[f"balanced {k + 1}" for k in range(n)] + [f"kept {k + 1}" for k in range(rest)],
        state_index={},
        state_units=[],
        extras={**model.extras, "reduction": {**found, "not_stable": rest}},
    )


# scales and parts -----------------------------------------------------------------------------------------


def scaled(A: np.ndarray, B: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the model with states in other units, by powers of two: A balanced, and inputs beside outputs.

    Between groups of states that do not touch each other A says nothing of their scales: each group has that with which
    the largest rows of B and columns of C are alike.
    """
    A, scale = balance_matrix(A)
    B, C = B / scale[:, None], C * scale
    if not (B.shape[1] and len(C) and len(A)):
        return A, B, C
    count, group = connected_components(A != 0.0, directed=False)
    reach, see = np.linalg.norm(B, axis=1), np.linalg.norm(C, axis=0)
    unit = np.ones(len(A))
    for k in range(count):
        here = group == k
        ratio = reach[here].max(), see[here].max()
        if min(ratio) > 0.0:
            unit[here] = 2.0 ** np.round(0.5 * np.log2(ratio[0] / ratio[1]))
    return A * (unit / unit[:, None]), B / unit[:, None], C * unit


def split(model: LinearModel) -> Split:
    """Return the stable part and the rest, by an ordered Schur form and a Sylvester equation."""
    A, B, C = scaled(model.A, model.B, model.C)
    if not len(A):
        return Split(A, B, C, A, B, C, model.dt)
    values = np.linalg.eigvals(A)
    slack = Doubt(A, values).slack

    def stable(re: float, im: float) -> bool:
        near = int(np.abs(values - complex(re, im)).argmin())
        outside = re if model.dt is None else np.hypot(re, im) - 1.0
        return bool(outside < -slack[near])

    S, Z, m = sl.schur(A, output="real", sort=stable)
    B, C = Z.T @ B, C @ Z
    X = sl.solve_sylvester(S[:m, :m], -S[m:, m:], -S[:m, m:]) if 0 < m < len(A) else np.zeros((m, len(A) - m))
    return Split(S[:m, :m], B[:m] - X @ B[m:], C[:, :m], S[m:, m:], B[m:], C[:, :m] @ X + C[:, m:], model.dt)


def balanced_realization(part: Split) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Hankel singular values (m,) of the stable part, and T (m, k), T⁻¹ (k, m) to those that are no rounding."""
    if not len(part.A):
        return np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0))
    reach = factor(part.A, part.B, part.dt is not None)
    see = factor(part.A.T, part.C.T, part.dt is not None)
    if not (np.isfinite(reach).all() and np.isfinite(see).all()):
        raise SolverError(
            "the model has no Gramians", hint="its stable poles lie too near the border of stability"
        )
    U, sigma, Vt = np.linalg.svd(see.T @ reach)
    known = int(np.sum(sigma > len(sigma) * EPS * max(sigma[0], np.finfo(float).tiny)))
    scale = sigma[:known] ** -0.5
    return sigma, reach @ Vt[:known].T * scale, scale[:, None] * (U[:, :known].T @ see.T)


# the error ------------------------------------------------------------------------------------------------


def _frequencies(part: Split) -> np.ndarray:
    """Return frequencies (k,) in Hz at which an error can be large: at resonances, beside them, between and beyond."""
    poles = seen_as(np.linalg.eigvals(part.A) if len(part.A) else np.zeros(0), part.dt).continuous
    poles = poles[np.isfinite(poles) & (poles.imag >= 0.0)]
    size, decay = np.abs(poles), np.abs(poles.real)
    if not len(poles):
        return np.zeros(1)
    near = poles.imag[:, None] + decay[:, None] * np.array([-3.0, -1.0, -0.3, 0.0, 0.3, 1.0, 3.0])
    low, high = 1e-2 * max(size.min(), 1e-12 * size.max()), 1e2 * size.max()
    if part.dt is not None:
        high = np.pi / part.dt
        low = min(low, 1e-3 * high)
    between = np.geomspace(low, high, 400)
    every = np.unique(np.concatenate([[0.0], near.ravel(), size, between]))
    return every[(every >= 0.0) & (every <= high)] / (2.0 * np.pi)


def _gains(part: Split, A: np.ndarray, B: np.ndarray, C: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Return C (sI - A)⁻¹ B (k, ny, nu) at frequencies f."""
    D = np.zeros((len(C), B.shape[1]))
    if part.dt is None:
        return response_at(A, B, C, D, 2j * np.pi * f)
    return response_at(A - np.eye(len(A)), B, C, D, np.expm1(2j * np.pi * f * part.dt))


def _sizes(H: np.ndarray) -> np.ndarray:
    """Return the largest singular value (k,) of each gain."""
    return np.linalg.norm(H, 2, axis=(1, 2)) if 0 not in H.shape else np.zeros(len(H))


RANKINGS = ("gramian", "gain", "frequency")
DEAD = 0.1  # poles in z below this forget within a sample: they are no slow ones
ZERO = 1e-10  # poles below this part of the largest are at zero


@named_arguments
@dataclass(frozen=True)
class ModalGains:
    """Modes in order of frequency and what they do.

    poles (m,) with Im >= 0, frequencies_hz (m,), damping (m,), gains (m, ny, nu) peak gains, hankel (m,),
    coupling (m,) |b||c|: orders modes whose gains are infinite for want of damping
    """

    poles: np.ndarray
    frequencies_hz: np.ndarray
    damping: np.ndarray
    gains: np.ndarray
    hankel: np.ndarray
    coupling: np.ndarray

    def ranked(self, by: str = "gramian") -> np.ndarray:
        """Return numbers (m,) of modes from 0, most important first."""
        if by not in RANKINGS:
            raise InputError("unknown ranking", where="by", expected=", ".join(RANKINGS), got=repr(by))
        if by == "frequency":
            return np.arange(len(self.poles))
        weight = self.hankel if by == "gramian" else self._scaled_gain()
        return np.lexsort((-self.coupling, -weight))

    def _scaled_gain(self) -> np.ndarray:
        """Return the largest gain of each mode, channels in units of their largest gain."""
        largest = self.gains.max(axis=0, initial=0.0)
        largest = np.where((largest > 0.0) & np.isfinite(largest), largest, 1.0)
        return (self.gains / largest).max(axis=(1, 2), initial=0.0)


def decoupled(model: LinearModel) -> ModalForm:
    """Return the modal form of a model, equal poles turned to its inputs; or say that modes cannot be told apart.

    Of a sampled model the form is that of A - I.
    """
    form = modal_form(_rates(model))
    if form.condition > GOOD:
        raise SolverError(
            "the modes of the model cannot be separated",
            expected=f"a modal transformation of condition below {GOOD:.0e}",
            got=f"{form.condition:.1e}",
            hint="poles coincide without being independent: give the modes some damping, or keep the whole model",
        )
    dead = (
        np.abs(np.linalg.eigvals(form.A_slow) + _still(model)) < DEAD if model.dt is not None else np.zeros(0)
    )
    if dead.any():
        raise SolverError(
            "the modes of the model cannot be separated",
            got=f"{dead.sum()} poles at z = 0 with too few vectors, as a delay of several samples has",
            hint="reduce() takes such models",
        )
    return _turned(form, model.B, model.C)


def _rates(model: LinearModel) -> np.ndarray:
    """Return the matrix without which nothing changes: A, or from sample to sample A - I."""
    return model.A if model.dt is None else model.A - np.eye(len(model.A))


def _still(model: LinearModel) -> float:
    """Return the pole of what stays as it is."""
    return 0.0 if model.dt is None else 1.0


def _turned(form: ModalForm, B: np.ndarray, C: np.ndarray) -> ModalForm:
    """Return the form with another basis for each set of m equal poles: no more of them than inputs can be moved.

    Shapes of equal poles may be mixed at will. With b = U S Vᴴ, the rows of B there, the basis U leaves the last of
    them without input (or, where outputs are fewer, without output), so that they can be left out at no loss.
    """
    T, inverse, k = form.T.copy(), form.T_inverse.copy(), len(form.A_slow)
    if 0 in (B.shape[1], len(C)):
        return form
    for places in clusters(form.poles, 1e-9 * np.abs(form.poles)):
        rows = k + places
        seen = inverse[rows] @ B if B.shape[1] <= len(C) else (C @ T[:, rows]).conj().T
        size = np.linalg.norm(seen, axis=0)
        U = np.linalg.svd(seen / np.where(size > 0.0, size, 1.0))[0]
        T[:, rows], inverse[rows] = T[:, rows] @ U, U.conj().T @ inverse[rows]
    return replace(form, T=T, T_inverse=inverse)


def modal_gains(model: LinearModel) -> ModalGains:
    """Return peak gains and Hankel singular values of every mode that is not slow."""
    form = decoupled(model)
    k = len(form.A_slow)
    places = _one_of_each(form.poles, model)
    poles = seen_as(form.poles[places] + _still(model), model.dt)
    B, C = (form.T_inverse @ model.B)[k:], (model.C @ form.T)[:, k:]
    b, c = B[places], C[:, places].T
    values = np.asarray(poles)
    decay = np.abs(values.real) if model.dt is None else np.abs(1.0 - np.abs(values))
    path = np.abs(c[:, :, None] * b[:, None, :])
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(path > 0.0, path / decay[:, None, None], 0.0)
    hankel = np.array([_hankel(p, x, y, model.dt is not None) for p, x, y in zip(values, b, c)])
    coupling = np.linalg.norm(b, axis=1) * np.linalg.norm(c, axis=1)
    return ModalGains(values, poles.frequency_hz, poles.damping, gains, hankel, coupling)


def _one_of_each(poles: np.ndarray, model: LinearModel) -> np.ndarray:
    """Return places of real poles and of the upper one of each pair, in order of frequency; poles : of the form."""
    places = np.flatnonzero(poles.imag >= 0.0)
    hz = seen_as(poles[places] + _still(model), model.dt).frequency_hz
    return places[np.argsort(hz, kind="stable")]


def _hankel(pole: complex, b: np.ndarray, c: np.ndarray, sampled: bool) -> float:
    """Return the Hankel singular value of a pair of poles (or a real one); infinite without damping."""
    if not np.any(b) or not np.any(c):
        return 0.0
    if (abs(pole) >= 1.0) if sampled else (pole.real >= 0.0):
        return np.inf
    if pole.imag == 0.0:
        decay = 1.0 - pole.real**2 if sampled else -2.0 * pole.real
        return float(np.linalg.norm(b) * np.linalg.norm(c) / decay)
    s = np.array([pole, pole.conjugate()])
    X, Y = np.stack([b, b.conj()]), np.stack([c, c.conj()], axis=1)
    border = s[:, None] * s.conj()[None, :] - 1.0 if sampled else s[:, None] + s.conj()[None, :]
    W_c, W_o = -(X @ X.conj().T) / border, -(Y.conj().T @ Y) / border.conj()
    return float(np.sqrt(max(np.linalg.eigvals(W_c @ W_o).real.max(), 0.0)))


def truncate(
    model: LinearModel,
    n: int | None,
    modes: Sequence[int] | None,
    below_hz: float | None,
    by: str,
    static_gain: bool,
) -> LinearModel:
    """Return a model with some of the modes, in modal states; slow poles and poles at zero are always kept.

    n : number of modes to keep, ranked by "gramian", "gain" or "frequency" (lowest first)
    modes : or their numbers, from 0 in order of frequency;  below_hz : or all below a frequency
    static_gain : keep the gain at zero frequency of what is left out
    """
    if sum(a is not None for a in (n, modes, below_hz)) != 1:
        raise InputError("say which modes to keep", expected="one of n, modes, below_hz")
    ranking = modal_gains(model)
    count = len(ranking.poles)
    if n is not None:
        if not isinstance(n, int | np.integer) or not 0 <= n <= count:
            raise InputError("a wrong number of modes to keep", expected=f"0 to {count}", got=f"{n}")
        chosen = ranking.ranked(by)[:n]
    elif modes is not None:
        whole = all(isinstance(k, int | np.integer) for k in modes)
        chosen = np.array(list(modes) if whole else [-1], dtype=np.int64)
        if len(chosen) and (chosen.min() < 0 or chosen.max() >= count):
            raise InputError("there is no such mode", expected=f"0 to {count - 1}", got=repr(list(modes)))
    else:
        chosen = np.flatnonzero(ranking.frequencies_hz < below_hz)
    # a pole at zero has no static gain to leave behind
    away = np.abs(ranking.poles - _still(model))
    standing = np.flatnonzero(away <= ZERO * away.max(initial=0.0))
    return _kept_states(model, np.union1d(chosen, standing).astype(np.int64), static_gain)


def _kept_states(model: LinearModel, chosen: np.ndarray, static_gain: bool) -> LinearModel:
    T, blocks, names = _real_basis(decoupled(model), model)
    inverse = np.linalg.inv(T)
    A, B, C = inverse @ model.A @ T, inverse @ model.B, model.C @ T
    slow = blocks[0]
    keep = np.concatenate([slow, *(blocks[1 + k] for k in chosen)]).astype(np.int64)
    drop = np.setdiff1d(np.arange(len(A)), keep)
    D = model.D
    if static_gain and len(drop):
        D = D - C[:, drop] @ np.linalg.solve(
            (A - _still(model) * np.eye(len(A)))[np.ix_(drop, drop)], B[drop]
        )
    masked = np.zeros_like(A)
    for block in blocks:
        masked[np.ix_(block, block)] = A[np.ix_(block, block)]
    return replace(
        model,
        A=masked[np.ix_(keep, keep)],
        B=B[keep],
        C=C[:, keep],
        D=D,
        states=[names[k] for k in keep],
        state_units=[""] * len(keep),
        state_index={},
        extras=model.extras | {"modal_basis": T[:, keep]},
        name=f"{model.name}, {len(chosen)} modes",
    )


def _real_basis(form: ModalForm, model: LinearModel) -> tuple[np.ndarray, list[np.ndarray], list[str]]:
    """Return T (n, n) real with the slow block first, then [Re v, Im v] of each mode; blocks; names of states."""
    k = len(form.A_slow)
    Z = form.T[:, :k]
    scale = np.abs(form.T).max(axis=1, initial=0.0)
    scale = np.where(scale > 0.0, scale, 1.0)
    span = np.hstack([Z.real, Z.imag]) / scale[:, None]
    columns = [scale[:, None] * np.linalg.svd(span, full_matrices=False)[0][:, :k]] if k else []
    blocks, names = [np.arange(k)], [f"slow{j + 1}" for j in range(k)]
    at = k
    places = _one_of_each(form.poles, model)
    for number, place in enumerate(places):
        v = form.T[:, k + place]
        hz = float(seen_as(form.poles[[place]] + _still(model), model.dt).frequency_hz[0])
        pair = form.poles[place].imag > 0.0
        v = v * np.exp(-1j * np.angle(v[np.argmax(np.abs(v))]))
        columns.append(np.stack([v.real, v.imag], axis=1) if pair else v.real[:, None])
        width = 2 if pair else 1
        blocks.append(np.arange(at, at + width))
        names += [f"mode{number + 1} {hz:.6g} Hz.{'ab'[j]}" for j in range(width)]
        at += width
    return np.hstack(columns) if columns else np.zeros((0, 0)), blocks, names
