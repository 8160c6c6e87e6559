"""Balanced truncation: leave out the states that inputs hardly reach and outputs hardly see, with a bound on the error.

Of the stable part, A P + P Aᵀ + B Bᵀ = 0 and Aᵀ Q + Q A + Cᵀ C = 0 give P = L_c L_cᵀ and Q = L_o L_oᵀ; the singular
values σ of L_oᵀ L_c = U Σ Vᵀ are Hankel's, and T = L_c V Σ^-½, T⁻¹ = Σ^-½ Uᵀ L_oᵀ balance it. With the first n kept,
‖G - G_n‖∞ ≤ 2 Σ_{k>n} σ_k. Poles that are not stable (rigid motion, instability) are split off and kept as they are.
Source: Antoulas, Approximation of Large-Scale Dynamical Systems (2005), 7.1 to 7.3; Glover, Int. J. Control 39 (1984).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.linalg as sl

from interstage.errors import InputError, SolverError

if TYPE_CHECKING:
    from interstage.linear.model import LinearModel

MARGIN = 1e-9  # of the largest pole: poles nearer to the imaginary axis than this are kept as they are
NEAR_ZERO = (
    1e-6  # of the largest pole, and poles nearer to zero: rounding splits the pair of a rigid motion so far
)


class Split(NamedTuple):
    """A model in two parts that do not touch: stable, and the rest."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    A_rest: np.ndarray
    B_rest: np.ndarray
    C_rest: np.ndarray


def reduce(model: LinearModel, n: int | None, error: float | None) -> LinearModel:
    """Return a model with n balanced states besides those that are not stable, or as few as the error allows."""
    if (n is None) == (error is None):
        raise InputError("say how far to reduce", where="reduce", expected="n= or error=")
    part = split(model)
    sigma, T, T_inverse = balanced(part)
    tail = 2.0 * np.append(np.cumsum(sigma[::-1])[::-1], 0.0)  # bound if the first k are kept
    if n is None:
        if error is None or not error >= 0.0:
            raise InputError("the error must be a number from 0 on", where="reduce", got=repr(error))
        n = int(np.argmax(tail <= error))
    if not isinstance(n, int | np.integer) or not 0 <= n <= len(sigma):
        raise InputError(
            "that many states cannot be kept",
            where="reduce",
            expected=f"n from 0 to {len(sigma)}, the states of the stable part",
            got=repr(n),
        )
    T, T_inverse = T[:, :n], T_inverse[:n]
    A = sl.block_diag(T_inverse @ part.A @ T, part.A_rest)
    found = {"hankel": sigma, "bound": float(tail[n]), "not_stable": len(part.A_rest)}
    return replace(
        model,
        A=A.reshape(len(A), len(A)),
        B=np.vstack([T_inverse @ part.B, part.B_rest]),
        C=np.hstack([part.C @ T, part.C_rest]),
        states=[f"balanced {k + 1}" for k in range(n)] + [f"kept {k + 1}" for k in range(len(part.A_rest))],
        state_index={},
        state_units=[],
        extras={**model.extras, "reduction": found},
    )


def split(model: LinearModel) -> Split:
    """Return the stable part and the rest, by an ordered Schur form and a Sylvester equation."""
    A = model.A
    if not len(A):
        return Split(A, model.B, model.C, A, model.B, model.C)
    largest = float(np.abs(np.linalg.eigvals(A)).max())

    def stable(re: float, im: float) -> bool:
        return re < -MARGIN * largest and np.hypot(re, im) > NEAR_ZERO * largest

    S, Z, m = sl.schur(A, output="real", sort=stable)
    B, C = Z.T @ model.B, model.C @ Z
    X = sl.solve_sylvester(S[:m, :m], -S[m:, m:], -S[:m, m:]) if 0 < m < len(A) else np.zeros((m, len(A) - m))
    return Split(S[:m, :m], B[:m] - X @ B[m:], C[:, :m], S[m:, m:], B[m:], C[:, :m] @ X + C[:, m:])


def balanced(part: Split) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Hankel singular values (m,) of the stable part, and T (n, m), T⁻¹ (m, n) to balanced states."""
    if not len(part.A):
        return np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0))
    reach = _factor(sl.solve_continuous_lyapunov(part.A, -part.B @ part.B.T))
    see = _factor(sl.solve_continuous_lyapunov(part.A.T, -part.C.T @ part.C))
    U, sigma, Vt = np.linalg.svd(see.T @ reach)
    known = sigma > len(sigma) * np.finfo(float).eps * max(sigma[0], np.finfo(float).tiny)
    scale = np.zeros(len(sigma))
    scale[known] = sigma[known] ** -0.5
    return sigma, reach @ Vt.T * scale, scale[:, None] * (U.T @ see.T)


def _factor(G: np.ndarray) -> np.ndarray:
    """Return L with L Lᵀ = G, of a matrix that is positive but for rounding."""
    value, vector = np.linalg.eigh(0.5 * (G + G.T))
    if not np.isfinite(value).all():
        raise SolverError(
            "the model has no Gramians", hint="its stable poles lie too near the imaginary axis"
        )
    return vector * np.sqrt(np.clip(value, 0.0, None))
