"""Frequency response of large state-space models: H(jω) = C (jωI - A)⁻¹ B + D at thousands of frequencies.

Two forms, each made once for all frequencies, after balancing:

    modal   A = T blkdiag(Λ, A_s) T⁻¹: n divisions a frequency. Rigid-body poles at zero are defective, so that the
            slow poles stay together in a small block A_s. Taken where T is well conditioned.
    schur   A = Z T Zᴴ, triangular, Z unitary: n²/2 multiplications for each input or output, whichever are fewer.
            Backward stable; where that is cheap, one step of refinement with A itself makes it as good as a
            dense solve, also near zeros, where gains are small differences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lu_factor, lu_solve, schur

from interstage.errors import InputError
from interstage.linear.poles import balance_matrix, eigenvectors

FORMS = ("auto", "modal", "schur")
GOOD = 1e7  # condition of the modal transformation up to which it loses less than half of the digits
REFINED = 2e8  # most n² x inputs (or outputs) x frequencies with refinement, a second or so
SLOW = 24  # most poles that are tried as one slow block


@dataclass(frozen=True)
class ModalForm:
    """A T = T blkdiag(A_slow, diag(poles)): `T` (n, n) complex, columns first of the slow block.

    A_slow (k, k), poles (n - k,), condition of T.
    """

    T: np.ndarray
    T_inverse: np.ndarray
    A_slow: np.ndarray
    poles: np.ndarray
    condition: float


def modal_form(A: np.ndarray) -> ModalForm:
    """Return the modal form with the best conditioned choice of slow poles kept in one block."""
    A_b, scale = balance_matrix(np.asarray(A, dtype=float))
    poles, V = eigenvectors(A_b)
    order = np.argsort(np.abs(poles), kind="stable")
    poles, V = poles[order], V[:, order]
    best = None
    for k in _slow_counts(np.abs(poles)):
        T = V.astype(complex)
        if k:
            limit = 0.5 * (abs(poles[k - 1]) + abs(poles[k])) if k < len(poles) else np.inf
            _, Z, found = schur(A_b, output="complex", sort=lambda z, limit=limit: abs(z) < limit)
            if found != k:
                continue
            T[:, :k] = Z[:, :k]
        inverse, condition = _inverted(T)
        if best is None or condition < 0.2 * best[0]:
            best = condition, k, T, inverse
        if condition < 1e4:
            break
    condition, k, T, inverse = best
    inverse = np.linalg.pinv(T) if inverse is None else inverse
    A_slow = inverse[:k] @ A_b @ T[:, :k]
    return ModalForm(scale[:, None] * T, inverse / scale, A_slow, poles[k:], float(condition))


def _inverted(T: np.ndarray) -> tuple[np.ndarray | None, float]:
    """Return the inverse (or None) and a bound of the condition of T by Frobenius norms, over its order."""
    try:
        inverse = np.linalg.inv(T)
    except np.linalg.LinAlgError:
        return None, np.inf
    largest = float(np.abs(inverse).max(initial=0.0))
    if not np.isfinite(largest) or largest > 1e100:
        return None, np.inf
    return inverse, float(np.linalg.norm(T) * np.linalg.norm(inverse) / max(len(T), 1))


def _slow_counts(size: np.ndarray) -> list[int]:
    """Return numbers of slow poles to try: none, then before the three widest gaps, where poles treble or more."""
    ends = np.arange(1, min(SLOW, len(size)) + 1)
    wider = np.array([size[k] / max(size[k - 1], 1e-300) if k < len(size) else 3.0 for k in ends])
    gaps = [int(k) for k in ends[np.argsort(-wider, kind="stable")][:3] if wider[k - 1] >= 3.0]
    return [0, *gaps]


def frequency_response(
    A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray, f_hz: np.ndarray, form: str = "auto"
) -> np.ndarray:
    """Return H (nf, ny, nu), complex."""
    return response_at(A, B, C, D, 2j * np.pi * np.asarray(f_hz, dtype=float), form)


def response_at(
    A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray, s: np.ndarray, form: str = "auto"
) -> np.ndarray:
    """Return C (sI - A)⁻¹ B + D (k, ny, nu) at complex numbers s (k,)."""
    if form not in FORMS:
        raise InputError("unknown form", expected=", ".join(FORMS), got=repr(form))
    if len(A) == 0 or 0 in (len(C), B.shape[1]):
        return np.broadcast_to(D.astype(complex), (len(s), *D.shape)).copy()
    work = len(A) ** 2 * min(B.shape[1], len(C)) * len(s)
    modal = modal_form(A) if form == "modal" or (form == "auto" and work > REFINED) else None
    if modal is not None and (form == "modal" or modal.condition < GOOD):
        H = _by_modes(modal, B, C, D, s)
    else:
        H = _by_schur(A, B, C, D, s)
    for j in np.flatnonzero(~np.isfinite(H).all(axis=(1, 2))):
        H[j] = _at_pole(A, B, C, D, s[j])
    return H


def _at_pole(A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray, s: complex) -> np.ndarray:
    """Return H (ny, nu) at a pole on the axis: infinite, but the limit in channels that do not see the pole.

    The mean of H at s + δ and s - δ is right to δ², extrapolated to δ⁴; a channel that sees the pole grows as
    1/δ or faster.
    """
    A_b, scale = balance_matrix(np.asarray(A, dtype=float))
    B_b, C_b, eye = B / scale[:, None], C * scale, np.eye(len(A))
    away = np.abs(s - np.linalg.eigvals(A_b))
    away = away[away > 1e-7 * max(away.max(), abs(s))]
    delta = 1e-4 * float(away.min() if len(away) else 1.0)

    def near(step: float) -> np.ndarray:
        return C_b @ np.linalg.solve((s + step) * eye - A_b, B_b.astype(complex)) + D

    far, close = [0.5 * (near(d) + near(-d)) for d in (delta, 0.5 * delta)]
    H, size, larger = (4.0 * close - far) / 3.0, np.abs(near(delta)), np.abs(near(0.25 * delta))
    # what round-off leaves of a residue that is zero grows too
    floor = 1e-9 * np.outer(np.linalg.norm(C_b, axis=1), np.linalg.norm(B_b, axis=0)) / delta
    H[(larger > 2.0 * size) & (larger > floor)] = np.inf
    return H


def _by_modes(modal: ModalForm, B: np.ndarray, C: np.ndarray, D: np.ndarray, s: np.ndarray) -> np.ndarray:
    k = len(modal.A_slow)
    B_m, C_m = modal.T_inverse @ B, C @ modal.T
    H = np.empty((len(s), *D.shape), complex)
    fast_B, fast_C = np.ascontiguousarray(B_m[k:]), np.ascontiguousarray(C_m[:, k:])
    slow = _slow_part(modal.A_slow, B_m[:k], C_m[:, :k], s) if k else np.zeros((len(s), 1, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        for j, point in enumerate(s):
            H[j] = (fast_C / (point - modal.poles)) @ fast_B + slow[j]
    return H + D


def _slow_part(A: np.ndarray, B: np.ndarray, C: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Return C (sI - A)⁻¹ B of a small block, infinite at a pole on the axis."""
    H = np.empty((len(s), len(C), B.shape[1]), complex)
    eye = np.eye(len(A))
    for j, point in enumerate(s):
        try:
            H[j] = C @ np.linalg.solve(point * eye - A, B)
        except np.linalg.LinAlgError:
            H[j] = np.inf
    return H


def _by_schur(A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray, s: np.ndarray) -> np.ndarray:
    if B.shape[1] > C.shape[0]:  # the fewer columns: H' = B' (sI - A')⁻¹ C' + D'
        return _by_schur(A.T, C.T, B.T, D.T, s).transpose(0, 2, 1)
    A_b, scale = balance_matrix(np.asarray(A, dtype=float))
    T, Z = schur(A_b, output="complex")
    back, B_b, C_b = Z.conj().T, B / scale[:, None], C * scale
    B_s, C_s = back @ B_b, C_b @ Z
    n, nu = B.shape
    refine = n * n * nu * len(s) <= REFINED
    H = np.empty((len(s), len(C), nu), complex)
    chunk = max(1, 1024 // nu)
    for first in range(0, len(s), chunk):
        part = s[first : first + chunk]
        spread = np.repeat(part, nu)
        X = _solve_upper(T, np.tile(B_s, len(part)), spread)
        if refine:
            with np.errstate(invalid="ignore"):
                X = Z @ X
                left = np.tile(B_b, len(part)) - spread * X + A_b @ X
                X += Z @ _solve_upper(T, back @ left, spread)
        y = (C_b if refine else C_s) @ X
        H[first : first + chunk] = y.reshape(len(C), len(part), nu).transpose(1, 0, 2)
    return H + D


def _solve_upper(T: np.ndarray, X: np.ndarray, s: np.ndarray, rows: int = 16) -> np.ndarray:
    """Return (sI - T)⁻¹ X for upper triangular T, each column of X (overwritten) with its own s.

    Substitution from below in blocks of rows, many columns at once: nearly all work is matrix products.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        for end in range(len(T), 0, -rows):
            begin = max(0, end - rows)
            X[begin:end] += T[begin:end, end:] @ X[end:]
            for i in range(end - 1, begin - 1, -1):
                X[i] += T[i, i + 1 : end] @ X[i + 1 : end]
                X[i] /= s - T[i, i]
    return X


def direct(A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray, f_hz: np.ndarray) -> np.ndarray:
    """Return H (nf, ny, nu) by one dense solve a frequency: slow, for comparison."""
    eye = np.eye(len(A))
    H = [
        C @ lu_solve(lu_factor(2j * np.pi * f * eye - A), B.astype(complex)) + D for f in np.atleast_1d(f_hz)
    ]
    return np.array(H)
