"""Gravity by spherical harmonics, without a singularity at the poles, and the files of the ICGEM that hold them.

With r̂ = (s, t, u), ρ = R/r, and Ā_nm(u) the fully normalized derived Legendre functions, (s + it)^m = R_m + iI_m
(Pines, AIAA Journal 11, 1973, 1508; recursions of Lundberg and Schutz, J. Guidance 11, 1988, 31):

    U = μ/r Σ ρⁿ Ā_nm D_nm,    D = C R_m + S I_m,   E = C R_{m-1} + S I_{m-1},   F = S R_{m-1} - C I_{m-1}
    g = a1 x̂ + a2 ŷ + a3 ẑ + a4 r̂,   (a1, a2) = μ/r² Σ ρⁿ m Ā_nm (E, F),   a3 = μ/r² Σ ρⁿ q_nm Ā_{n,m+1} D
    a4 = -μ/r² Σ ρⁿ [(n + m + 1) Ā_nm + u q_nm Ā_{n,m+1}] D,   q_nm = √((n - m)(n + m + 1)/(1 + δ_0m))

Columns m and m + 1 run side by side, so that nothing is stored.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from interstage.errors import InputError
from interstage.jit import kernel


@kernel
def _next(n, m, u, last, before):
    """Return Ā_nm of the two before it in its column; n >= m + 1."""
    if n == m + 1:
        return u * np.sqrt(2.0 * m + 3.0) * last
    square = float(n * n - m * m)
    a = np.sqrt((4.0 * n * n - 1.0) / square)
    b = np.sqrt((2.0 * n + 1.0) * ((n - 1.0) * (n - 1.0) - m * m) / ((2.0 * n - 3.0) * square))
    return a * u * last - b * before


@kernel
def harmonic_gravity(mu, radius, C, S, x, y, z):
    """Return g (3,) at a place in axes of the Earth; C, S (N + 1, N + 1) fully normalized, row n, column m."""
    r = np.sqrt(x * x + y * y + z * z)
    s, t, u, rho = x / r, y / r, z / r, radius / r
    N = len(C) - 1
    zero = 0.0 * r
    a1, a2, a3, a4 = zero, zero, zero, zero
    Rm, Im, Rb, Ib = 1.0 + zero, zero, zero, zero  # (s + it)^m and ^(m - 1)
    first, power = 1.0 + zero, 1.0 + zero  # Ā_mm and ρᵐ
    for m in range(N + 1):
        diagonal = np.sqrt(3.0) * first if m == 0 else np.sqrt((2.0 * m + 3.0) / (2.0 * m + 2.0)) * first
        A, A1, B, B1, p = first, zero, zero, zero, power
        for n in range(m, N + 1):
            if n > m:
                A, A1 = _next(n, m, u, A, A1), A
                B, B1 = (diagonal, zero) if n == m + 1 else (_next(n, m + 1, u, B, B1), B)
                p = p * rho
            q = np.sqrt((n - m) * (n + m + 1.0) * (0.5 if m == 0 else 1.0))
            D = C[n, m] * Rm + S[n, m] * Im
            a1 += p * m * A * (C[n, m] * Rb + S[n, m] * Ib)
            a2 += p * m * A * (S[n, m] * Rb - C[n, m] * Ib)
            a3 += p * q * B * D
            a4 -= p * ((n + m + 1.0) * A + u * q * B) * D
        first, power = diagonal, power * rho
        Rb, Ib = Rm, Im
        Rm, Im = s * Rb - t * Ib, s * Ib + t * Rb
    k = mu / (r * r)
    return k * (a1 + s * a4), k * (a2 + t * a4), k * (a3 + u * a4)


def read_gfc(path: str | Path, degree: int | None = None) -> tuple[float, float, np.ndarray, np.ndarray]:
    """Return μ (m³/s²), R (m) and C, S (N + 1, N + 1), fully normalized, of a file of the ICGEM, to a degree."""
    file = Path(path)
    try:
        lines = file.read_text(encoding="latin-1").splitlines()
    except OSError as err:
        raise InputError(f"the gravity field '{file.name}' cannot be read", got=str(err)) from None
    head: dict[str, str] = {}
    rows: list[tuple[int, int, float, float]] = []
    try:
        for line in lines:
            words = (
                line.replace("D", "E").replace("d", "e").split() if line.startswith("gfc") else line.split()
            )
            if words and words[0] == "gfc":
                rows.append((int(words[1]), int(words[2]), float(words[3]), float(words[4])))
            elif len(words) >= 2:
                head.setdefault(words[0], words[1].replace("D", "E"))
        mu, radius = float(head["earth_gravity_constant"]), float(head["radius"])
    except (KeyError, ValueError, IndexError) as err:
        raise InputError(f"'{file.name}' is no gravity field of the ICGEM", got=str(err)) from None
    if head.get("norm", "fully_normalized") != "fully_normalized":
        raise InputError(f"the coefficients of '{file.name}' are not fully normalized", got=head["norm"])
    most = max((n for n, *_ in rows), default=0)
    top = most if degree is None else degree
    if not rows or not 0 <= top <= most:
        raise InputError(f"'{file.name}' does not reach degree {degree}", expected=f"0 to {most}")
    C, S = np.zeros((top + 1, top + 1)), np.zeros((top + 1, top + 1))
    for n, m, c, s in rows:
        if 0 <= m <= n <= top:
            C[n, m], S[n, m] = c, s
    C[0, 0] = C[0, 0] or 1.0
    return mu, radius, C, S
