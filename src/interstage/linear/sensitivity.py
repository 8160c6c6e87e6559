"""Derivatives of poles and margins of closed loops along parameters, from derivatives of A, B, C and D.

A simple pole with eigenvectors A x = λ x, yᴴ A = λ yᴴ moves by dλ = yᴴ dA x/(yᴴ x). A margin is a function of the
frequency response at a crossing ω that moves along, so that with ℓ = ln L

    dω = -(∂ Re ℓ)/(∂ Re ℓ/∂ω),   dφ = ∂ Im ℓ + (∂ Im ℓ/∂ω) dω         where |L| = 1
    dω = -(∂ Im ℓ)/(∂ Im ℓ/∂ω),   d ln|L| = ∂ Re ℓ + (∂ Re ℓ/∂ω) dω     where L is real and negative

and the largest |S| or |S - 1/2| moves as its value at its frequency does. All follow from the closed loop
S = (I + L)⁻¹, L_i = 1/S_ii - 1, whose poles are away from the axis where those of L are not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eig

from interstage.calls import named_arguments
from interstage.errors import InputError, SolverError, did_you_mean, shown
from interstage.linear.margins import Margins
from interstage.linear.model import LinearModel
from interstage.linear.plant import Matrices

DEFECTIVE = 1e-8  # |yᴴ x| of unit eigenvectors below which a pole is not simple


def closed_matrices(M: Matrices, moves: Sequence[Matrices]) -> tuple[Matrices, list[Matrices]]:
    """Return A, B, C, D of S = (I + L)⁻¹, and their derivatives for those of L."""
    A, B, C, D = M
    E = np.linalg.inv(np.eye(len(D)) + D)
    closed = A - B @ E @ C, B @ E, -E @ C, E
    found = []
    for dA, dB, dC, dD in moves:
        dE = -E @ dD @ E
        found.append(
            (
                dA - dB @ E @ C - B @ dE @ C - B @ E @ dC,
                dB @ E + B @ dE,
                -dE @ C - E @ dC,
                dE,
            )
        )
    return closed, found


@dataclass(frozen=True)
class MarginDerivative:
    """How a margin moves with a parameter.

    loop, kind ("gain" in dB, "phase" in deg, "delay" in s, "modulus", "disk"), frequency_hz, value
    derivative : {parameter: change of the value for a unit of the parameter}
    """

    loop: str
    kind: str
    frequency_hz: float
    value: float
    derivative: dict[str, float]


@named_arguments
@dataclass(frozen=True, repr=False)
class Sensitivities:
    """Derivatives of poles and margins along parameters at their nominal values; prints as a table.

    parameters, half_ranges : names, and half of each range
    poles (n,), pole_derivatives (p, n) : complex; of a sampled model z;  NaN where a pole is not simple
    margins : of each crossing, and of modulus and disk margin of each loop; empty for a model that is no loop
    errors : {parameter: estimate of the relative error of its derivatives of A, B, C and D}
    """

    parameters: tuple[str, ...]
    half_ranges: tuple[float, ...]
    poles: np.ndarray
    pole_derivatives: np.ndarray
    margins: tuple[MarginDerivative, ...]
    errors: dict[str, float]
    dt: float | None = None

    def pole(self, parameter: str) -> np.ndarray:
        """Return d(pole)/d(parameter) (n,) in the order of `poles`."""
        if parameter not in self.parameters:
            raise InputError(
                f"there is no parameter '{parameter}'", hint=did_you_mean(parameter, self.parameters)
            )
        return self.pole_derivatives[self.parameters.index(parameter)]

    def worst(self, kind: str, loop: str | None = None) -> MarginDerivative:
        """Return the row of the least margin of a kind: "gain", "phase", "delay", "modulus" or "disk"."""
        rows = [row for row in self.margins if row.kind == kind and loop in (None, row.loop)]
        if not rows:
            raise InputError(
                f"there is no margin '{kind}'" + ("" if loop is None else f" of loop '{loop}'"),
                expected=", ".join(sorted({row.kind for row in self.margins}))
                or "none: the model is no loop",
                got=shown(kind),
            )
        return min(rows, key=lambda row: abs(row.value))

    def table(self, most: int = 8) -> str:
        """Return the least margins and the poles that move most, for half of each range of parameters."""
        half = np.array(self.half_ranges)
        width = max(len("parameter"), *(len(name) for name in self.parameters))
        lines = [f"change for half of the range of each parameter ({len(self.parameters)} parameters)"]
        least: dict[tuple[str, str], MarginDerivative] = {}
        for row in self.margins:
            old = least.get((row.loop, row.kind))
            if old is None or abs(row.value) < abs(old.value):
                least[row.loop, row.kind] = row
        for row in least.values():
            moves = np.array([row.derivative[name] for name in self.parameters]) * half
            lines.append(f"  {row.loop}: {row.kind} {row.value:.4g} at {row.frequency_hz:.5g} Hz")
            for k in np.argsort(-np.abs(moves))[:most]:
                lines.append(f"    {self.parameters[k]:<{width}}  {moves[k]:+.4g}")
        size = np.abs(self.pole_derivatives) * half[:, None]
        size = np.where(np.isfinite(size), size, 0.0)
        lines.append(f"  {'poles that move most':<{width + 2}}  {'pole':>24}  change")
        for flat in np.argsort(-size.ravel())[: 2 * most]:
            k, j = np.unravel_index(flat, size.shape)
            if size[k, j] > 0.0 and self.poles[j].imag >= 0.0:
                move = self.pole_derivatives[k, j] * half[k]
                lines.append(f"    {self.parameters[k]:<{width}}  {self.poles[j]:24.6g}  {move:+.4g}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return (
            f"<Sensitivities: {len(self.poles)} poles and {len(self.margins)} margins "
            f"to {len(self.parameters)} parameters>"
        )


def pole_derivatives(A: np.ndarray, moves: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the eigenvalues (n,) of A and their derivatives (p, n); NaN where an eigenvalue is not simple."""
    values, left, right = eig(A, left=True, right=True)
    overlap = np.einsum("ij,ij->j", left.conj(), right)
    simple = np.abs(overlap) > DEFECTIVE
    apart = np.abs(values[:, None] - values[None, :]) + np.diag(np.full(len(values), np.inf))
    simple &= apart.min(axis=1, initial=np.inf) > 1e-9 * np.maximum(
        np.abs(values), 1e-9 * np.abs(values).max(initial=1.0)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        found = [np.einsum("ij,ij->j", left.conj(), dA @ right) / overlap for dA in moves]
    rates = np.array(found).reshape(len(moves), len(values))
    rates[:, ~simple] = np.nan
    return values, rates


class _Response:
    """S of a closed loop with its derivatives along parameters and frequency, at one frequency (Hz)."""

    def __init__(self, closed: Matrices, moves: Sequence[Matrices], dt: float | None, frequency_hz: float):
        A, B, C, D = closed
        omega = 2.0 * np.pi * frequency_hz
        if not np.isfinite(omega):
            self.S, self.by_omega = D.astype(complex), np.zeros_like(D, dtype=complex)
            self.moves = [dD.astype(complex) for *_, dD in moves]
            return
        s = 1j * omega if dt is None else np.exp(1j * omega * dt)
        turn = 1j if dt is None else 1j * dt * s
        R = np.linalg.inv(s * np.eye(len(A)) - A) if len(A) else np.zeros((0, 0))
        X, Y = R @ B, C @ R
        self.S = D + C @ X
        self.by_omega = -turn * (Y @ X)
        self.moves = [dD + dC @ X + Y @ dA @ X + Y @ dB for dA, dB, dC, dD in moves]


def margin_derivatives(
    loop: LinearModel, margins: Margins, moves: Mapping[str, Matrices]
) -> tuple[MarginDerivative, ...]:
    """Return derivatives of all margins of a loop along parameters;  moves : derivatives of its A, B, C and D."""
    closed, along = closed_matrices((loop.A, loop.B, loop.C, loop.D), list(moves.values()))
    names = list(moves)
    found: list[MarginDerivative] = []
    ends = [0.0] if loop.dt is None else [0.0, 0.5 / loop.dt]
    for row in margins.rows:
        k = loop.inputs.index(row.loop)
        at = _Response(closed, along, loop.dt, row.frequency_hz)
        S = at.S[k, k]
        by = np.array([-dS[k, k] / (S * (1.0 - S)) for dS in at.moves])  # of ln L = ln(1/S - 1)
        slope = -at.by_omega[k, k] / (S * (1.0 - S))
        if row.kind == "phase":
            omega = -by.real / slope.real
            lag = by.imag + slope.imag * omega
            found.append(_row(row.loop, "phase", row.frequency_hz, row.value, names, np.degrees(lag)))
            w = 2.0 * np.pi * row.frequency_hz
            if np.isfinite(row.delay_s) and w > 0.0:
                delay = lag / w - row.delay_s / w * omega
                found.append(_row(row.loop, "delay", row.frequency_hz, row.delay_s, names, delay))
        else:
            end = any(abs(row.frequency_hz - e) <= 1e-12 * max(e, 1e-9) for e in ends)
            omega = np.zeros(len(by)) if end else -by.imag / slope.imag
            decibel = -20.0 / np.log(10.0) * (by.real + slope.real * omega)
            found.append(_row(row.loop, "gain", row.frequency_hz, row.value, names, decibel))
    for k, one in enumerate(margins.loops):
        for kind, value, hz, center in (
            ("modulus", one.modulus, one.modulus_hz, 0.0),
            ("disk", one.disk, one.disk_hz, 0.5),
        ):
            at = _Response(closed, along, loop.dt, hz)
            away = at.S[k, k] - center
            moved = np.array([(np.conj(away) * dS[k, k]).real for dS in at.moves])
            found.append(_row(one.loop, kind, hz, value, names, -moved / abs(away) ** 3))
    return tuple(found)


def _row(
    loop: str, kind: str, hz: float, value: float, names: Sequence[str], derivative: np.ndarray
) -> MarginDerivative:
    return MarginDerivative(
        loop, kind, float(hz), float(value), {n: float(d) for n, d in zip(names, derivative)}
    )


def matrix_derivative(
    model: Callable[[float], np.ndarray], at: float, half: float, rtol: float = 1e-9, levels: int = 6
) -> tuple[np.ndarray, float]:
    """Return the derivative of a matrix along a number by Ridders' extrapolation, and its relative error.

    The matrices are exact but for rounding, so that first steps may be long: where they are affine one is exact.
    """
    h = half
    row = [(model(at + h) - model(at - h)) / (2.0 * h)]
    best, error = row[0], np.full(row[0].shape, np.inf)
    for _ in range(1, levels):
        h *= 0.5
        new = [(model(at + h) - model(at - h)) / (2.0 * h)]
        for j, older in enumerate(row):
            new.append(new[j] + (new[j] - older) / (4.0 ** (j + 1) - 1.0))
            doubt = np.maximum(np.abs(new[j + 1] - new[j]), np.abs(new[j + 1] - older))
            better = doubt < error
            best, error = np.where(better, new[j + 1], best), np.where(better, doubt, error)
        scale = max(float(np.abs(best).max(initial=0.0)), np.finfo(float).tiny)
        if error.max(initial=0.0) <= rtol * scale:
            break
        row = new
    if not np.isfinite(best).all():
        raise SolverError("uncertain: the derivative of a model along a parameter is not finite")
    return best, float(error.max(initial=0.0)) / max(
        float(np.abs(best).max(initial=0.0)), np.finfo(float).tiny
    )
