"""Poles and modes of a linear model, with frequency and damping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from interstage.errors import SolverError
from interstage.linear.border import EXACT, Doubt
from interstage.linear.eigenvectors import EPS, balanced, eigenvectors


class Poles(np.ndarray):
    """Eigenvalues (n,), complex, in order of size, with frequency and damping; prints as a table.

    What rounding leaves of poles on the border of stability counts as on it; see `interstage.linear.border`.
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
    values = np.linalg.eigvals(balanced(A)[0]).astype(complex)
    order = np.lexsort((values.imag, np.round(np.abs(values), 9)))
    return values[order].view(Poles).of(A, rounding)


def sampled_poles_of(A: np.ndarray, dt: float, rounding: float = EXACT) -> Poles:
    """Return the eigenvalues of a map from one sample to the next, largest first."""
    values = np.linalg.eigvals(balanced(A)[0])
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
    A_b, scale = balanced(A - still * np.eye(len(A)))
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
    S, scale = balanced(A[:n, n:] @ A[n:, :n])
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
