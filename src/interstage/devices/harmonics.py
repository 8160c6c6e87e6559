"""Gravity by spherical harmonics, without a singularity at the poles, and the files of the ICGEM that hold them.

With r̂ = (s, t, u), ρ = R/r, and Ā_nm(u) the fully normalized derived Legendre functions, (s + it)^m = R_m + iI_m
(Pines, AIAA Journal 11, 1973, 1508; recursions of Lundberg and Schutz, J. Guidance 11, 1988, 31):

    U = μ/r Σ ρⁿ Ā_nm D_nm,    D = C R_m + S I_m,   E = C R_{m-1} + S I_{m-1},   F = S R_{m-1} - C I_{m-1}
    g = a1 x̂ + a2 ŷ + a3 ẑ + a4 r̂,   (a1, a2) = μ/r² Σ ρⁿ m Ā_nm (E, F),   a3 = μ/r² Σ ρⁿ q_nm Ā_{n,m+1} D
    a4 = -μ/r² Σ ρⁿ [(n + m + 1) Ā_nm + u q_nm Ā_{n,m+1}] D,   q_nm = √((n - m)(n + m + 1)/(1 + δ_0m))

Columns m and m + 1 run side by side, so that nothing is stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np

from interstage.errors import FileError, InputError
from interstage.jit import kernel
from interstage.output import as_path
from interstage.reading import read_text


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


KEYS = ("gfc", "gfct", "trnd", "dot", "acos", "asin")
COLUMNS = {"no": 0, "formal": 2, "calibrated": 2, "calibrated_and_formal": 4}  # of errors, behind C and S
YEAR = 365.25  # days
Term = tuple[str, int, int, float, float, list[str]]


def read_gfc(
    path: str | Path, degree: int | None = None, epoch: str | None = None
) -> tuple[float, float, np.ndarray, np.ndarray]:
    """Return μ (m³/s²), R (m) and C, S (N + 1, N + 1), fully normalized, of a file of the ICGEM, to a degree.

    epoch : date of what changes with time (rows gfct with their trnd, acos and asin); None: as at their own t₀
    """
    file = as_path(path, "gravity field")
    try:
        lines = read_text(file, "gravity field", encoding="latin-1").splitlines()
    except FileError as err:
        raise InputError(f"the gravity field '{file.name}' cannot be read", got=err.got or err.what) from None
    try:
        head, terms = _rows(lines)
        mu, radius = float(head["earth_gravity_constant"]), float(head["radius"])
        errors = COLUMNS[head.get("errors", "formal")]
    except (KeyError, ValueError, IndexError) as err:
        raise InputError(f"'{file.name}' is no gravity field of the ICGEM", got=str(err)) from None
    if head.get("norm", "fully_normalized") != "fully_normalized":
        raise InputError(f"the coefficients of '{file.name}' are not fully normalized", got=head["norm"])
    most = max((n for _, n, *_ in terms), default=0)
    top = most if degree is None else degree
    if not terms or not 0 <= top <= most:
        raise InputError(f"'{file.name}' does not reach degree {degree}", expected=f"0 to {most}")
    C, S = np.zeros((top + 1, top + 1)), np.zeros((top + 1, top + 1))
    chosen = [term for term in terms if 0 <= term[2] <= term[1] <= top]
    for n, m, c, s in _at(chosen, errors, epoch, file.name):
        C[n, m], S[n, m] = C[n, m] + c, S[n, m] + s
    C[0, 0] = C[0, 0] or 1.0
    return mu, radius, C, S


def _rows(lines: list[str]) -> tuple[dict[str, str], list[Term]]:
    """Return the head of a file by name, and the rows behind it; a row of an unknown kind is an error."""
    ends = [k for k, line in enumerate(lines) if line.startswith("end_of_head")]
    first = (
        ends[0] + 1
        if ends
        else next((k for k, line in enumerate(lines) if line.split()[:1] == ["gfc"]), len(lines))
    )
    head: dict[str, str] = {}
    for words in map(str.split, lines[:first]):
        if len(words) >= 2:
            head.setdefault(words[0], words[1].replace("D", "E"))
    terms: list[Term] = []
    for words in filter(None, map(str.split, lines[first:])):
        if words[0] not in KEYS:
            raise ValueError(f"a row {words[0]!r}")
        numbers = [word.replace("D", "E").replace("d", "e") for word in words[3:]]
        terms.append(
            (words[0], int(words[1]), int(words[2]), float(numbers[0]), float(numbers[1]), numbers[2:])
        )
    return head, terms


def _at(
    terms: list[Term], errors: int, epoch: str | None, name: str
) -> Iterator[tuple[int, int, float, float]]:
    """Yield what every coefficient is made of at an epoch: constants, and terms that change with time.

    c(t) = c₀ + trend (t - t₀) + Σ a cos 2π(t - t₀)/P + b sin 2π(t - t₀)/P, t in years
    """
    now = None if epoch is None else _days(epoch)
    starts: dict[tuple[int, int], float] = {}
    for key, n, m, c, s, more in terms:
        times = more[errors:]
        if key == "gfc":
            yield n, m, c, s
            continue
        dated = [_days(word) for word in times if len(word.split(".")[0]) == 8]  # t₀, or t₀ and t₁
        if len(dated) == 2 and now is None:
            raise InputError(
                f"the field '{name}' is another one from time to time", hint="give Earth its epoch"
            )
        if len(dated) == 2 and not dated[0] <= (now or 0.0) < dated[1]:
            continue
        if key == "gfct":
            starts[n, m] = dated[0] if dated else np.nan
            yield n, m, c, s
            continue
        if (n, m) not in starts:
            raise InputError(f"'{name}' has a row {key} {n} {m} without its gfct before it")
        years = 0.0 if now is None or np.isnan(starts[n, m]) else (now - starts[n, m]) / YEAR
        if key in ("trnd", "dot"):
            yield n, m, c * years, s * years
        else:
            angle = 2.0 * np.pi * years / float(times[-1])
            wave = np.cos(angle) if key == "acos" else np.sin(angle)
            yield n, m, c * wave, s * wave
    if now is not None and (lacking := {(n, m) for key, n, m, *_ in terms if key == "gfct"} - starts.keys()):
        n, m = min(lacking)
        raise InputError(
            f"the field '{name}' does not reach the epoch", where=f"coefficient {n}, {m}", got=epoch
        )


def _days(text: str) -> float:
    """Return a date of a gravity field (20050101, or 20050101.1200) or of ours as days from 2000."""
    plain = text if "-" in text else f"{text[:4]}-{text[4:6]}-{text[6:8]}"
    try:
        return (date.fromisoformat(plain[:10]) - date(2000, 1, 1)).days
    except ValueError:
        raise InputError("not a date", got=text, expected="as in 20050101 or 2005-01-01") from None
