"""What a dynamic analysis asks for: loads in time and frequency, frequencies, time steps, tables, random loads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from interstage.errors import InterstageError, ModelError, known_names


@dataclass(frozen=True)
class Tabulated:
    """y(x) by straight lines between points, carried on beyond the ends (EXTRAP); at a jump the mean of both values.

    x, y : (n,) points, x ascending; shift, scale : y is looked up at (x - shift) / scale
    logarithmic : (x axis, y axis) interpolated in logarithms; held : beyond the ends y stays what it is there
    """

    x: np.ndarray
    y: np.ndarray
    shift: float = 0.0
    scale: float = 1.0
    logarithmic: tuple[bool, bool] = (False, False)
    held: bool = False

    def __call__(self, at: np.ndarray) -> np.ndarray:
        """Values at points of any shape."""
        t = (np.asarray(at, dtype=float) - self.shift) / self.scale
        t = np.clip(t, self.x[0], self.x[-1]) if self.held else t
        x, y = (np.log(v) if log else v for v, log in zip((self.x, self.y), self.logarithmic))
        t = np.log(np.maximum(t, 1e-300)) if self.logarithmic[0] else t
        if len(x) == 1:
            return np.full(t.shape, self.y[0])
        right = np.clip(np.searchsorted(x, t, side="right"), 1, len(x) - 1)
        left = np.clip(np.searchsorted(x, t, side="left"), 1, len(x) - 1)
        out = 0.5 * (self._line(x, y, right, t) + self._line(x, y, left, t))
        return np.exp(out) if self.logarithmic[1] else out

    @staticmethod
    def _line(x, y, k, t):
        width = x[k] - x[k - 1]
        share = np.where(width > 0.0, (t - x[k - 1]) / np.where(width > 0.0, width, 1.0), 0.5)
        return y[k - 1] + share * (y[k] - y[k - 1])


@dataclass(frozen=True)
class Polynomial:
    """y(x) = Σ a_k ((x - shift) / scale)^k, x held between `low` and `high` (TABLED4)."""

    coefficients: np.ndarray
    shift: float
    scale: float
    low: float
    high: float

    def __call__(self, at: np.ndarray) -> np.ndarray:
        t = (np.clip(at, self.low, self.high) - self.shift) / self.scale
        return np.polynomial.polynomial.polyval(t, self.coefficients)


@dataclass(frozen=True)
class Gust:
    """Spectrum of turbulence S(f) = 2 w² τ (1 + 2 (p + 1) (kτω)²) / (1 + (kτω)²)^(p + 3/2), ω = 2πf (TABRNDG).

    ratio : τ = L/U, length of the turbulence over the airspeed; size : w, its rms speed; k, p : 1.339, 1/3 of von
    Kármán, 1, 1/2 of Dryden
    """

    ratio: float
    size: float
    k: float
    p: float

    def __call__(self, at: np.ndarray) -> np.ndarray:
        x = (self.k * self.ratio * 2.0 * np.pi * np.asarray(at, dtype=float)) ** 2
        return (
            2.0 * self.size**2 * self.ratio * (1.0 + 2.0 * (self.p + 1.0) * x) / (1.0 + x) ** (self.p + 1.5)
        )


Table = Tabulated | Polynomial


@dataclass(frozen=True)
class TimeLoad:
    """A load that changes with time: `spatial` times a table of t - delay, or A t̃^b e^{ct̃} cos(2πft̃ + phase).

    spatial : ids whose loads give places and sizes; table : of time, or None for the formula
    begin, end : of the formula; frequency, Hz; phase, rad; growth : c; power : b
    delays : id of delays point by point in place of `delay`, 0 without
    motion : None for forces; 0, 1, 2 for an enforced displacement, velocity, acceleration
    """

    spatial: int
    delay: float = 0.0
    table: Table | None = None
    begin: float = 0.0
    end: float = np.inf
    frequency: float = 0.0
    phase: float = 0.0
    growth: float = 0.0
    power: float = 0.0
    delays: int = 0
    motion: int | None = None

    def __call__(self, t: np.ndarray, later: float = 0.0, turned: float = 0.0) -> np.ndarray:
        """Factor at times t of points that are loaded `later` than others, s."""
        delay = self.delay + later
        if self.table is not None:
            return np.where(t >= delay, self.table(t - delay), 0.0)
        s = np.asarray(t, dtype=float) - self.begin - delay
        on = (s >= 0.0) & (s <= self.end - self.begin)
        s = np.where(on, s, 0.0)
        wave = np.cos(2.0 * np.pi * self.frequency * s + self.phase)
        return np.where(on, s**self.power * np.exp(self.growth * s) * wave, 0.0)


@dataclass(frozen=True)
class FrequencyLoad:
    """A load that changes with frequency: (real + i imaginary) or size e^{i angle}, turned by a phase and a delay.

    first, second : tables of frequency in Hz, or constants; polar : size and angle in degrees instead of both parts
    delays, phases, motion : as in TimeLoad; phases point by point in degrees
    """

    spatial: int
    first: Table | float
    second: Table | float
    polar: bool = False
    delay: float = 0.0
    phase: float = 0.0
    delays: int = 0
    phases: int = 0
    motion: int | None = None

    def __call__(self, f: np.ndarray, later: float = 0.0, turned: float = 0.0) -> np.ndarray:
        """Complex factor at frequencies f, Hz, of points that are loaded `later`, s, or `turned`, rad."""
        a, b = (t(f) if callable(t) else np.full(np.shape(f), t) for t in (self.first, self.second))
        value = a * np.exp(1j * np.deg2rad(b)) if self.polar else a + 1j * b
        delay, phase = self.delay + later, self.phase + turned
        return value * np.exp(1j * (phase - 2.0 * np.pi * np.asarray(f) * delay))


@dataclass(frozen=True)
class ModalDamping:
    """Damping of modes by frequency: table of structural damping g, of the critical ratio, or of Q."""

    kind: str
    table: Tabulated

    def g(self, f: np.ndarray) -> np.ndarray:
        """Structural damping coefficient g = 2ζ = 1/Q at frequencies f, Hz."""
        value = self.table(f)
        if self.kind == "CRIT":
            return 2.0 * value
        return 1.0 / value if self.kind == "Q" else value


@dataclass(frozen=True)
class FrequencyList:
    """Frequencies of one card: given, or made of the modes between `low` and `high`.

    kind : "given", "between" (FREQ3), "around" (FREQ4) or "fractions" (FREQ5) of modes
    """

    kind: str
    values: np.ndarray
    low: float = 0.0
    high: float = np.inf
    count: int = 0
    spread: float = 0.0
    cluster: float = 1.0
    logarithmic: bool = False

    def hertz(self, modes: Sequence[float] | np.ndarray) -> np.ndarray:
        """Frequencies in Hz, with those of modes where the card asks for them."""
        if self.kind == "given":
            return self.values
        hz = np.asarray(modes, dtype=float)
        if self.kind == "fractions":
            found = np.outer(self.values, hz).ravel()
        elif self.kind == "around":
            # a mode beside the range counts too if its spread reaches into it
            spread = self.spread if self.count > 1 else 0.0  # one frequency is that of the mode
            found = np.outer(np.linspace(1.0 - spread, 1.0 + spread, max(self.count, 1)), hz).ravel()
        else:
            inside = hz[(hz >= self.low) & (hz <= self.high)]
            ends = np.unique(np.concatenate([[self.low], inside, [self.high]]))
            s = np.linspace(-1.0, 1.0, max(self.count, 2))
            s = np.sign(s) * np.abs(s) ** (1.0 / self.cluster)
            x = np.log(ends) if self.logarithmic else ends
            found = (0.5 * (x[:-1] + x[1:])[:, None] + 0.5 * np.diff(x)[:, None] * s).ravel()
            found = np.exp(found) if self.logarithmic else found
        return found[(found >= self.low * (1 - 1e-12)) & (found <= self.high * (1 + 1e-12))]


@dataclass(frozen=True)
class TimeSteps:
    """Runs of `count` steps of size `step`, every `keep`-th of which is kept."""

    count: tuple[int, ...]
    step: tuple[float, ...]
    keep: tuple[int, ...]


@dataclass
class Dynamics:
    """Dynamic requests of a model by set id.

    spatial : id -> (dofs, values), loads of DAREA; other static loads with that id are added where they are used
    loads : id -> TimeLoad or FrequencyLoad; sums : id of a DLOAD -> (factor, id)
    sequences : id of LSEQ -> EXCITEID -> (load set, temperature set), 0 where there is none
    delays, phases : id -> (dofs, values), s and degrees
    start : id -> (dofs, displacements, velocities)
    spectra : id -> spectrum of frequency in Hz; random : id -> (subcase, subcase, factor, spectrum or 0)
    lags : id -> times of autocorrelations
    varying : card of an element -> element -> what depends on frequency, ("K" | "B" | "GE", component) -> table
    residual_dofs : g-set dofs whose unit loads make residual vectors (RVDOF)
    refused : the error to raise if a response is asked for
    """

    spatial: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    sequences: dict[int, dict[int, tuple[int, int]]] = field(default_factory=dict)
    loads: dict[int, list[TimeLoad | FrequencyLoad]] = field(default_factory=dict)
    sums: dict[int, list[tuple[float, int]]] = field(default_factory=dict)
    frequencies: dict[int, list[FrequencyList]] = field(default_factory=dict)
    steps: dict[int, TimeSteps] = field(default_factory=dict)
    damping: dict[int, ModalDamping] = field(default_factory=dict)
    delays: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    phases: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    start: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=dict)
    spectra: dict[int, Callable[[np.ndarray], np.ndarray]] = field(default_factory=dict)
    random: dict[int, list[tuple[int, int, complex, int]]] = field(default_factory=dict)
    lags: dict[int, np.ndarray] = field(default_factory=dict)
    varying: dict[str, dict[int, dict[tuple[str, int], Table]]] = field(default_factory=dict)
    residual_dofs: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    refused: InterstageError | None = None

    def parts(self, sid: int, kind: type) -> list[tuple[float, TimeLoad | FrequencyLoad]]:
        """Loads of a set with their factors; those of another kind than asked for are an error."""
        found = [(1.0, one) for one in self.loads.get(sid, [])]
        for factor, other in self.sums.get(sid, []):
            if other not in self.loads:
                raise ModelError(
                    f"DLOAD {sid} names load {other}, which is not in the deck",
                    hint=known_names(sorted(self.loads)),
                )
            found += [(factor, one) for one in self.loads[other]]
        if not found:
            known = known_names(sorted({*self.loads, *self.sums}))
            raise ModelError(f"dynamic load {sid} is selected but is not in the deck", hint=known)
        if not all(isinstance(one, kind) for _, one in found):
            wanted = "RLOAD1 and RLOAD2" if kind is FrequencyLoad else "TLOAD1 and TLOAD2"
            raise ModelError(f"dynamic load {sid} is of the wrong kind for this solution", expected=wanted)
        return found
