"""Balanced truncation: leave out the states that inputs hardly reach and outputs hardly see, with a bound on the error.

Of the stable part, A P + P Aᵀ + B Bᵀ = 0 and Aᵀ Q + Q A + Cᵀ C = 0 (A P Aᵀ - P + B Bᵀ = 0, ... from sample to sample)
give P = L_c L_cᵀ and Q = L_o L_oᵀ; the singular values σ of L_oᵀ L_c = U Σ Vᵀ are Hankel's, and T = L_c V Σ^-½,
T⁻¹ = Σ^-½ Uᵀ L_oᵀ balance it. With the first n kept, ‖G - G_n‖∞ ≤ 2 Σ_{k>n} σ_k. Poles that are not surely stable
(rigid motion, instability) are split off and kept as they are.

Units of states do not matter: they are scaled first, by A, and where A leaves the scale of a group of states open, by
inputs and outputs. The bound is a theorem of exact numbers: the error of what is returned is measured where it can be
large, and a bound that does not hold is not given.
Source: Antoulas, Approximation of Large-Scale Dynamical Systems (2005), 7.1 to 7.3; Glover, Int. J. Control 39 (1984);
in discrete time Al-Saggaf and Franklin, IEEE Trans. Automat. Contr. 32 (1987).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.linalg as sl
from scipy.sparse.csgraph import connected_components

from interstage.errors import InputError, SolverError
from interstage.linear import eigenvectors
from interstage.linear.border import Doubt
from interstage.linear.gramians import factor
from interstage.linear.poles import seen_as
from interstage.linear.response import response_at

if TYPE_CHECKING:
    from interstage.linear.model import LinearModel

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
    if error is not None and not error >= 0.0:
        raise InputError("the error must be a number from 0 on", where="reduce", got=repr(error))
    part = split(model)
    sigma, T, T_inverse = balanced(part)
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
        kept = _kept(part, T[:, :k], T_inverse[:k]) if k <= known else (part.A, part.B, part.C)
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


def _kept(part: Split, T: np.ndarray, T_inverse: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
    A, scale = eigenvectors.balanced(A)
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


def balanced(part: Split) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
