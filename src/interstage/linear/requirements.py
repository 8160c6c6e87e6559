"""Requirements on feedback loops, and tables that say which of them hold.

Margins are those of `LinearModel.margins`, in which no crossing is missed. Gains over a band of frequency are known
from the crossings of c L with |c L| = 1: where a loop scaled by the required gain has no crossing in a band and is
below at its edge, it is below everywhere in it.

Over runs that were drawn at random k of n runs that pass say with confidence c that at least the part p of all
vehicles does, I_p(k, n - k + 1) = 1 - c (Clopper and Pearson, Biometrika 26, 1934, 404).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np
import scipy

from interstage.calls import named_arguments
from interstage.errors import InputError, shown
from interstage.linear.joining import feedback
from interstage.linear.margins import MarginRow, Margins
from interstage.linear.model import LinearModel
from interstage.linear.model_set import LinearModelSet, MarginsSet
from interstage.output import write_text

Band: TypeAlias = tuple[float, float] | None
DB_SCALE = 6.0  # dB that count as much as the whole of a margin
HOLDS = 1e-6  # part of its scale by which a requirement may be missed: rounding


def decibels(size: float) -> float:
    """Return a gain in dB, -inf for none."""
    return float(20.0 * np.log10(size)) if size > 0.0 else -np.inf


@dataclass(frozen=True)
class Found:
    """What a requirement found in a model: value, how far it is missed (above zero) in parts of its scale, and where.

    missed : inf of a loop that is unstable;  frequency_hz : nan where there is none;  loop : name of the channel
    """

    value: float
    missed: float
    frequency_hz: float
    loop: str


@named_arguments
@dataclass(frozen=True)
class Requirement:
    """A requirement on loops; use one of its kinds, such as `GainMargin`.

    band : (from, to) in Hz in which it holds, None: everywhere;  loop : name of one channel, None: all
    """

    band: Band = field(default=None, kw_only=True)
    loop: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.band is None:
            return
        try:
            low, high = (float(value) for value in self.band)
        except (TypeError, ValueError, RuntimeWarning):
            low, high = 1.0, 0.0
        if not 0.0 <= low < high:
            raise InputError(
                f"{type(self).__name__}: band must be two frequencies in Hz, the lower one first",
                expected="e.g. (2.0, 50.0)",
                got=shown(self.band),
            )
        object.__setattr__(self, "band", (low, high))

    def _positive(self, **values: float) -> None:
        for name, value in values.items():
            if (
                not isinstance(value, int | float | np.integer | np.floating)
                or not 0.0 < float(value) < np.inf
            ):
                raise InputError(
                    f"{type(self).__name__}: {name} must be a number above zero", got=shown(value)
                )
            object.__setattr__(self, name, float(value))

    @property
    def words(self) -> str:
        """What is required, as in "gain margin, 0 to 2 Hz"."""
        text = self._what()
        text += "" if self.band is None else f", {self.band[0]:g} to {self.band[1]:g} Hz"
        return text + ("" if self.loop is None else f", {self.loop}")

    @property
    def needs_models(self) -> bool:
        """Whether margins alone cannot tell, because gains between crossings count."""
        return False

    def _what(self) -> str:
        raise InputError("a requirement must be one of its kinds", expected="GainMargin, PhaseMargin, ...")

    def limit(self) -> str:
        """Return the limit as text."""
        raise NotImplementedError

    def told(self, value: float) -> str:
        """Return a value as text, with its unit."""
        raise NotImplementedError

    def missed(self, value: float) -> float:
        """Return how far a value misses it, in parts of its scale; below zero: by how much it holds."""
        raise NotImplementedError

    def measure(self, loop: CheckedLoop, name: str) -> tuple[float, float]:
        """Return the worst value of a channel and its frequency (Hz)."""
        raise NotImplementedError

    def inside(self, hz: float) -> bool:
        """Tell if a frequency is in the band."""
        return self.band is None or self.band[0] <= hz <= self.band[1]


@named_arguments
class _Margin(Requirement):
    """One that the crossings of a loop decide."""

    unit = ""

    def _least(self) -> float:
        raise NotImplementedError

    def limit(self) -> str:
        return f">= {self._least():g}{self.unit}"

    def told(self, value: float) -> str:
        return f"{value:.4g}{self.unit}"

    def missed(self, value: float) -> float:
        return 1.0 - value / self._least()

    def rows(self, loop: CheckedLoop, name: str, kind: str) -> list[MarginRow]:
        """Return the crossings of a kind of a channel in the band."""
        return [
            row
            for row in loop.margins.rows
            if row.loop == name and row.kind == kind and self.inside(row.frequency_hz)
        ]


@named_arguments
@dataclass(frozen=True)
class GainMargin(_Margin):
    """The gain may rise and fall by `db` (dB)."""

    db: float = 6.0
    unit = " dB"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive(db=self.db)

    def _what(self) -> str:
        return "gain margin"

    def _least(self) -> float:
        return self.db

    def measure(self, loop: CheckedLoop, name: str) -> tuple[float, float]:
        rows = self.rows(loop, name, "gain")
        return min(((abs(row.value), row.frequency_hz) for row in rows), default=(np.inf, np.nan))


@named_arguments
@dataclass(frozen=True)
class PhaseMargin(_Margin):
    """The phase may lag and lead by `deg` (degrees)."""

    deg: float = 30.0
    unit = " deg"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive(deg=self.deg)

    def _what(self) -> str:
        return "phase margin"

    def _least(self) -> float:
        return self.deg

    def measure(self, loop: CheckedLoop, name: str) -> tuple[float, float]:
        rows = self.rows(loop, name, "phase")
        return min(((abs(row.value), row.frequency_hz) for row in rows), default=(np.inf, np.nan))


@named_arguments
@dataclass(frozen=True)
class DelayMargin(_Margin):
    """The loop may be late by `seconds` more."""

    seconds: float = 0.02
    unit = " s"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive(seconds=self.seconds)

    def _what(self) -> str:
        return "delay margin"

    def _least(self) -> float:
        return self.seconds

    def measure(self, loop: CheckedLoop, name: str) -> tuple[float, float]:
        rows = self.rows(loop, name, "phase")
        return min(((row.delay_s, row.frequency_hz) for row in rows), default=(np.inf, np.nan))


@named_arguments
class _WholeLoop(_Margin):
    """One on the whole loop, which has no band."""

    def __post_init__(self) -> None:
        if self.band is not None:
            raise InputError(
                f"{type(self).__name__}: it is required of the whole loop and has no band",
                got=shown(self.band),
            )


@named_arguments
@dataclass(frozen=True)
class ModulusMargin(_WholeLoop):
    """The Nyquist curve stays `least` from -1: least |1 + L|, one over the peak of the sensitivity."""

    least: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive(least=self.least)

    def _what(self) -> str:
        return "modulus margin"

    def _least(self) -> float:
        return self.least

    def measure(self, loop: CheckedLoop, name: str) -> tuple[float, float]:
        one = next(each for each in loop.margins.loops if each.loop == name)
        return one.modulus, one.modulus_hz


@named_arguments
@dataclass(frozen=True)
class DiskMargin(_WholeLoop):
    """The symmetric disk margin is `least`: gain and phase may vary together."""

    least: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive(least=self.least)

    def _what(self) -> str:
        return "disk margin"

    def _least(self) -> float:
        return self.least

    def measure(self, loop: CheckedLoop, name: str) -> tuple[float, float]:
        one = next(each for each in loop.margins.loops if each.loop == name)
        return one.disk, one.disk_hz


@named_arguments
@dataclass(frozen=True)
class GainStabilized(Requirement):
    """The loop gain stays below `below_db` (dB) in a band, as that of bending that is gain-stabilized."""

    below_db: float = -6.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.band is None:
            raise InputError("GainStabilized: band is required", expected="band=(from, to) in Hz")
        if not np.isfinite(float(self.below_db)):
            raise InputError("GainStabilized: below_db must be a finite number", got=shown(self.below_db))

    @property
    def needs_models(self) -> bool:
        return True

    def _what(self) -> str:
        return "gain-stabilized"

    def limit(self) -> str:
        return f"<= {self.below_db:g} dB"

    def told(self, value: float) -> str:
        return f"{value:.4g} dB"

    def missed(self, value: float) -> float:
        return (value - self.below_db) / DB_SCALE

    def measure(self, loop: CheckedLoop, name: str) -> tuple[float, float]:
        assert self.band is not None
        return loop.peak_db(name, self.band, self.below_db)


@named_arguments
@dataclass(frozen=True)
class PhaseStabilized(Requirement):
    """In a band the phase is `deg` (degrees) from -180 wherever the loop gain is above `above_db` (dB).

    Bending below `above_db` is gain-stabilized, what is above it is phase-stabilized.
    """

    deg: float = 30.0
    above_db: float = -6.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.band is None:
            raise InputError("PhaseStabilized: band is required", expected="band=(from, to) in Hz")
        self._positive(deg=self.deg)
        if not self.deg <= 180.0 or not np.isfinite(float(self.above_db)):
            raise InputError(
                "PhaseStabilized: deg is at most 180, above_db finite",
                got=f"{self.deg:g}, {shown(self.above_db)}",
            )

    @property
    def needs_models(self) -> bool:
        return True

    def _what(self) -> str:
        return f"phase from -180 above {self.above_db:g} dB"

    def limit(self) -> str:
        return f">= {self.deg:g} deg"

    def told(self, value: float) -> str:
        return "all below" if np.isinf(value) else f"{value:.4g} deg"

    def missed(self, value: float) -> float:
        return 1.0 - value / self.deg

    def measure(self, loop: CheckedLoop, name: str) -> tuple[float, float]:
        assert self.band is not None
        return loop.least_phase_deg(name, self.band, self.above_db)


@named_arguments
@dataclass(frozen=True)
class Crossover(Requirement):
    """The loop gain falls through 0 dB between two frequencies: 0 dB or more at `low_hz`, 0 dB or less at `high_hz`."""

    low_hz: float = 0.0
    high_hz: float = 1.0

    def __post_init__(self) -> None:
        if self.band is not None:
            raise InputError("Crossover: give low_hz and high_hz, not a band", got=shown(self.band))
        self._positive(low_hz=self.low_hz, high_hz=self.high_hz)
        if not self.low_hz < self.high_hz:
            raise InputError(
                "Crossover: low_hz must be below high_hz", got=f"{self.low_hz:g} and {self.high_hz:g}"
            )

    @property
    def needs_models(self) -> bool:
        return True

    def _what(self) -> str:
        return f"crossover, {self.low_hz:g} to {self.high_hz:g} Hz"

    def limit(self) -> str:
        return ">= 0 dB"

    def told(self, value: float) -> str:
        return f"{value:.4g} dB"

    def missed(self, value: float) -> float:
        return -value / DB_SCALE

    def measure(self, loop: CheckedLoop, name: str) -> tuple[float, float]:
        ends = np.array([self.low_hz, self.high_hz])
        dB = 20.0 * np.log10(np.maximum(np.abs(loop.response(name, ends)), 1e-300))
        return min((float(dB[0]), self.low_hz), (float(-dB[1]), self.high_hz))


# loops that are looked at ---------------------------------------------------------------------------------


class CheckedLoop:
    """A loop, or its margins alone, as requirements look at it.

    margins : all of them;  model : the loop, None where there are margins alone
    """

    def __init__(self, what: LinearModel | Margins):
        self.model = what if isinstance(what, LinearModel) else None
        self._margins = what if isinstance(what, Margins) else None
        self._alone: dict[str, LinearModel] = {}

    @cached_property
    def margins(self) -> Margins:
        """Margins of all channels."""
        if self._margins is None:
            assert self.model is not None
            return self.model.margins()
        return self._margins

    def alone(self, name: str) -> LinearModel:
        """Return the loop of one channel with the others closed."""
        assert self.model is not None
        if name not in self._alone:
            loop = self.model
            rest = [k for k, other in enumerate(loop.inputs) if other != name]
            if rest:
                k = loop.inputs.index(name)
                loop = feedback(loop, np.eye(len(rest)), -1, inputs=rest, outputs=rest).select([k], [k])
            self._alone[name] = loop
        return self._alone[name]

    def response(self, name: str, hz: np.ndarray) -> np.ndarray:
        """Return L (nf,) of a channel with the others closed."""
        return self.alone(name).frequency_response(hz)[:, 0, 0]

    def _end(self, name: str, band: tuple[float, float]) -> tuple[float, float]:
        dt = self.alone(name).dt
        return band if dt is None else (band[0], min(band[1], 0.5 / dt))

    def _grid(self, name: str, band: tuple[float, float]) -> np.ndarray:
        """Return frequencies in a band that see every mode."""
        loop = self.alone(name)
        low, high = self._end(name, band)
        if not low < high:
            raise InputError(f"the band {band[0]:g} to {band[1]:g} Hz lies above half the sampling frequency")
        start = max(low, 1e-4 * high)
        found = [np.array([low, high]), np.geomspace(start, high, 400), clusters_at_poles(loop)]
        every = np.unique(np.concatenate(found))
        return every[(every >= low) & (every <= high) & (every > 0.0)]

    def levels(self, name: str, dB: float, band: tuple[float, float]) -> np.ndarray:
        """Return all frequencies (Hz) in a band at which a channel has a gain, by its exact crossings."""
        loop = self.alone(name)
        c = 10.0 ** (-dB / 20.0)
        rows = replace(loop, C=c * loop.C, D=c * loop.D).margins().rows
        low, high = self._end(name, band)
        return np.array([r.frequency_hz for r in rows if r.kind == "phase" and low < r.frequency_hz < high])

    def peak_db(self, name: str, band: tuple[float, float], level: float) -> tuple[float, float]:
        """Return the highest gain in a band (dB) and where; that it is below a level is known from crossings."""
        hz = self._grid(name, band)
        crossings = self.levels(name, level, band)
        hz = np.unique(np.concatenate([hz, crossings, 0.5 * (crossings[1:] + crossings[:-1])]))
        size = np.abs(self.response(name, hz))
        k = int(size.argmax())
        a, b = hz[max(k - 1, 0)], hz[min(k + 1, len(hz) - 1)]
        if b > a:
            finer = scipy.optimize.minimize_scalar(
                lambda f: -abs(self.response(name, np.array([f]))[0]),
                bounds=(a, b),
                method="bounded",
                options={"xatol": 1e-9 * b},
            )
            if -finer.fun > size[k]:
                return decibels(-finer.fun), float(finer.x)
        return decibels(float(size[k])), float(hz[k])

    def least_phase_deg(self, name: str, band: tuple[float, float], level: float) -> tuple[float, float]:
        """Return the least angle from -180 deg where the gain is above a level (dB), and where; inf if nowhere."""
        hz = self._grid(name, band)
        edges = self.levels(name, level, band)
        between = np.concatenate([edges, *(np.linspace(a, b, 40) for a, b in pairwise(edges))])
        real = [row.frequency_hz for row in self.margins.rows if row.kind == "gain" and row.loop == name]
        hz = np.unique(np.concatenate([hz, between, [f for f in real if hz[0] <= f <= hz[-1]]]))
        L = self.response(name, hz)
        loud = 20.0 * np.log10(np.maximum(np.abs(L), 1e-300)) >= level - 1e-7
        if not loud.any():
            return np.inf, np.nan
        angle = np.where(loud, np.abs(np.rad2deg(np.angle(-L))), np.inf)
        k = int(angle.argmin())
        return float(angle[k]), float(hz[k])


def clusters_at_poles(loop: LinearModel) -> np.ndarray:
    """Return frequencies (Hz) about all poles that swing, as dense as each is sharp."""
    s = loop.poles().continuous
    s = s[np.isfinite(s) & (s.imag > 1e-9 * np.abs(s))]
    width = np.concatenate([-np.geomspace(30.0, 0.03, 20), [0.0], np.geomspace(0.03, 30.0, 20)])
    found = (s.imag[:, None] + np.abs(s.real)[:, None] * width).ravel() / (2.0 * np.pi)
    return found[found > 0.0]


# tables -------------------------------------------------------------------------------------------------


@named_arguments
@dataclass(frozen=True)
class RequirementRow:
    """A requirement over all models: the worst value, where, and in which models it fails.

    value : worst, nan where the closed loop of `model` is unstable;  missed : parts of its scale, above zero: fails
    model : number of the worst model;  frequency_hz, loop : of the worst value;  failed : numbers of models that fail
    """

    requirement: Requirement
    value: float
    missed: float
    model: int
    frequency_hz: float
    loop: str
    failed: tuple[int, ...]

    @property
    def passed(self) -> bool:
        """Whether it holds in all models."""
        return not self.failed


@named_arguments
@dataclass(frozen=True, repr=False)
class RequirementTable:
    """Requirements and whether they hold; prints as a table.

    rows : one for each requirement;  values (k,) : what the models go over;  over : name of that
    passes (k,) : whether a model has all of them
    confidence : with which `least_passing` is stated, None: models are not random runs
    """

    rows: tuple[RequirementRow, ...]
    values: np.ndarray
    over: str
    passes: np.ndarray
    confidence: float | None = None

    @property
    def passed(self) -> bool:
        """Whether all requirements hold in all models."""
        return bool(self.passes.all())

    @property
    def binding(self) -> RequirementRow:
        """The requirement that is missed most, or holds with the least to spare."""
        return max(self.rows, key=lambda row: row.missed)

    @property
    def least_passing(self) -> float:
        """Part of all vehicles that has all requirements, at least, with the confidence; nan without one."""
        if self.confidence is None:
            return float(np.nan)
        return least_proportion(int(self.passes.sum()), len(self.passes), self.confidence)

    def table(self) -> str:
        """Return the table as text."""
        wide = max([11, *(len(row.requirement.words) for row in self.rows)])
        limits = [row.requirement.limit() for row in self.rows]
        side = max([8, *(len(text) for text in limits)])
        head = f"{'requirement':<{wide}}  {'required':>{side}}  {'worst':>11}"
        lines = [f"{head}  at {self.over:<12}  Hz          verdict"]
        for row, limit in zip(self.rows, limits):
            value = "unstable" if np.isnan(row.value) else row.requirement.told(row.value)
            value = "no crossing" if np.isinf(row.value) and "inf" in value else value
            hz = "" if np.isnan(row.frequency_hz) else f"{row.frequency_hz:.4g}"
            count = f"FAIL ({len(row.failed)} of {len(self.values)})"
            lines.append(
                f"{row.requirement.words:<{wide}}  {limit:>{side}}  {value:>11}  "
                f"{self.values[row.model]:<15.6g}  {hz:<10}  {'pass' if row.passed else count}"
            )
        passing = int(self.passes.sum())
        lines.append(f"{passing} of {len(self.passes)} models have all requirements")
        if self.confidence is not None:
            lines[-1] += (
                f": at least {100.0 * self.least_passing:.4g} % of all vehicles do, with {100 * self.confidence:g} % "
                "confidence"
            )
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<RequirementTable: {len(self.rows)} requirements, {'pass' if self.passed else 'FAIL'}>"

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain numbers and texts; what is infinite or not a number is None."""

        def plain(value: float) -> float | None:
            return float(value) if np.isfinite(value) else None

        rows = [
            {
                "requirement": row.requirement.words,
                "required": row.requirement.limit(),
                "value": plain(row.value),
                "missed": plain(row.missed),
                "model": row.model,
                "at": plain(self.values[row.model]),
                "frequency_hz": plain(row.frequency_hz),
                "loop": row.loop,
                "failed": list(row.failed),
                "passed": row.passed,
            }
            for row in self.rows
        ]
        return {
            "over": self.over,
            "values": [plain(value) for value in self.values],
            "passes": [bool(one) for one in self.passes],
            "passed": self.passed,
            "confidence": self.confidence,
            "least_passing": plain(self.least_passing),
            "rows": rows,
        }

    def save(self, path: str | Path) -> None:
        """Write `to_dict` as JSON."""
        write_text(path, json.dumps(self.to_dict(), indent=2) + "\n")


def least_proportion(passed: int, runs: int, confidence: float) -> float:
    """Return the part of all runs that passes at least, with a confidence (Clopper and Pearson, one-sided).

    >>> round(least_proportion(59, 59, 0.95), 4)  # 59 runs without failure: 95 % with 95 % confidence
    0.9505
    """
    return 0.0 if passed == 0 else float(scipy.stats.beta.ppf(1.0 - confidence, passed, runs - passed + 1))


def checked_goals(goals: object, where: str) -> list[Requirement]:
    """Return requirements as a list; refuse what is none."""
    given = [goals] if isinstance(goals, Requirement) else goals
    if not isinstance(given, Sequence) or not given or not all(isinstance(one, Requirement) for one in given):
        raise InputError(
            f"{where}: goals must be a list of requirements",
            where="goals",
            expected="e.g. [ist.GainMargin(6.0), ist.PhaseMargin(30.0)]",
            got=shown(goals),
        )
    return list(given)


def find(requirement: Requirement, loop: CheckedLoop) -> Found:
    """Return what a requirement finds in a loop."""
    names = [one.loop for one in loop.margins.loops]
    if requirement.loop is not None and requirement.loop not in names:
        raise InputError(
            f"there is no loop '{requirement.loop}'", where=requirement.words, expected=", ".join(names)
        )
    if not loop.margins.stable:
        return Found(float(np.nan), float(np.inf), float(np.nan), names[0])
    if requirement.needs_models and loop.model is None:
        raise InputError(
            f"'{requirement.words}' needs the loop itself: margins do not tell gains between crossings",
            where="check_requirements",
            hint="give the linear models instead of their margins",
        )
    found = []
    for name in names if requirement.loop is None else [requirement.loop]:
        value, hz = requirement.measure(loop, name)
        found.append(Found(value, requirement.missed(value), hz, name))
    return max(found, key=lambda one: one.missed)


@named_arguments
def check_requirements(
    models: LinearModel | Margins | LinearModelSet | MarginsSet | Sequence[LinearModel],
    goals: Requirement | Sequence[Requirement],
    *,
    confidence: float | None = None,
) -> RequirementTable:
    """Return a table of requirements, what models have of each, and whether they hold.

    A model whose closed loop is unstable fails all of them.

    Parameters
    ----------
    models : a loop or its margins, or a set of loops (`open_loop` at several points) or of margins
    goals : `GainMargin`, `PhaseMargin`, `DelayMargin`, `ModulusMargin`, `DiskMargin`, `GainStabilized`,
        `PhaseStabilized`, `Crossover`
    confidence : where the models are independent random runs, as of a study, the confidence of the statement how many
        of all vehicles have all requirements; None: they are not

    Examples
    --------
    >>> loop = LinearModel([[0, 1, 0], [0, 0, 1], [0, -2, -3]], [[0], [0], [1]], [[2, 0, 0]], [[0]])
    >>> print(check_requirements(loop, [GainMargin(6.0), PhaseMargin(40.0)]))
    requirement    required        worst  at model         Hz          verdict
    gain margin     >= 6 dB     9.542 dB  0                0.2251      pass
    phase margin  >= 40 deg    32.61 deg  0                0.1193      FAIL (1 of 1)
    0 of 1 models have all requirements
    """
    wanted = checked_goals(goals, "check_requirements")
    if confidence is not None and not (isinstance(confidence, int | float) and 0.0 < confidence < 1.0):
        raise InputError(
            "confidence must be between 0 and 1", where="check_requirements", got=shown(confidence)
        )
    parts: Sequence[LinearModel | Margins]
    if isinstance(models, LinearModel | Margins):
        parts, values, over = [models], np.zeros(1), "model"
    elif isinstance(models, LinearModelSet | MarginsSet):
        parts, values, over = list(models), models.values, models.over
    else:
        made = LinearModelSet(models)
        parts, values, over = list(made), made.values, made.over
    if not parts:
        raise InputError("check_requirements: a set must have a model", where="models")
    loops = [CheckedLoop(part) for part in parts]
    return table_of(wanted, loops, values, over, confidence)


def table_of(
    goals: Sequence[Requirement],
    loops: Sequence[CheckedLoop],
    values: np.ndarray,
    over: str,
    confidence: float | None = None,
) -> RequirementTable:
    """Return the table of requirements of loops."""
    rows, passes = [], np.ones(len(loops), dtype=bool)
    for goal in goals:
        found = [find(goal, loop) for loop in loops]
        failed = tuple(k for k, one in enumerate(found) if not one.missed <= HOLDS)
        passes[list(failed)] = False
        worst = max(range(len(found)), key=lambda k: found[k].missed)
        one = found[worst]
        rows.append(RequirementRow(goal, one.value, one.missed, worst, one.frequency_hz, one.loop, failed))
    return RequirementTable(tuple(rows), values.copy(), over, passes, confidence)
