"""Rank the modes of a linear model by what they do between inputs and outputs, and keep those that matter.

In modal form a mode λ has input row b = wB and output column c = Cv. Its peak gain near resonance is
|c||b|/|Re λ|, its Hankel singular value follows from the Gramians of its own two states

    W_c,ij = -b_i b_jᴴ/(λ_i + λ̄_j),     W_o,ij = -c_iᴴ c_j/(λ̄_i + λ_j),     γ² = λ_max(W_c W_o)

(for light damping |b||c|/2|Re λ|; Gregory 1984, Gawronski 2004). Slow poles (rigid-body motion) are always kept.
What is left out may leave its static gain behind: D ← D - C_t A_t⁻¹ B_t.

From sample to sample the distance from the border is 1 - |λ|, and W_c,ij = b_i b_jᴴ/(1 - λ_i λ̄_j), W_o,ij =
c_iᴴ c_j/(1 - λ̄_i λ_j). What stays as it is has its pole at one: slow poles lie there, and A - I takes the place of A.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError, SolverError
from interstage.linear.eigenvectors import clusters
from interstage.linear.poles import seen_as
from interstage.linear.response import GOOD, ModalForm, modal_form

if TYPE_CHECKING:
    from interstage.linear.model import LinearModel

RANKINGS = ("gramian", "gain", "frequency")
DEAD = 0.1  # poles in z below this forget within a sample: they are no slow ones
ZERO = 1e-10  # poles below this part of the largest are at zero


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
    return _kept(model, np.union1d(chosen, standing).astype(np.int64), static_gain)


def _kept(model: LinearModel, chosen: np.ndarray, static_gain: bool) -> LinearModel:
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
