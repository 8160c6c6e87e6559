"""Worst margins of loops over a box of parameters: a search with exact margins, and bounds by μ beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy

from interstage.calls import named_arguments
from interstage.errors import InputError, shown
from interstage.linear.lft import LFT, corners, guaranteed_peak, uncertain_channels
from interstage.linear.margins import LoopMargins, Margins
from interstage.linear.model import LinearModel
from interstage.linear.sensitivity import MarginDerivative, margin_derivatives

if TYPE_CHECKING:
    from interstage.linear.uncertainty import Uncertain

KINDS = {
    "gain": "gain_db",
    "phase": "phase_deg",
    "delay": "delay_s",
    "modulus": "modulus",
    "disk": "disk",
}
UNITS = {"gain": "dB", "phase": "deg", "delay": "s", "modulus": "", "disk": ""}
TURNS = 6  # of a search from corner to corner along signs of derivatives


@dataclass(frozen=True)
class WorstMargin:
    """The worst margin of a kind of one loop.

    loop, kind : "gain" (dB), "phase" (deg), "delay" (s), "modulus", "disk"
    nominal : at nominal parameters;  worst : of a model linearized at `values`, 0 where it is unstable there
    guaranteed : no case of the transformation in the box has less (mu); NaN where there is no bound
    """

    loop: str
    kind: str
    nominal: float
    worst: float
    values: dict[str, float]
    guaranteed: float = np.nan


@named_arguments
@dataclass(frozen=True, repr=False)
class WorstMargins:
    """Worst margins of all loops over a box of parameters; prints as a table.

    rows : of every loop and kind;  stable : no unstable case was found;  error : of affinity, relative, of modulus
    margins; bounds hold but for it;  cases : models that were linearized for them
    """

    rows: tuple[WorstMargin, ...]
    stable: bool
    error: float
    cases: int
    name: str

    def row(self, kind: str, loop: str | None = None) -> WorstMargin:
        """Return the worst row of a kind, of one loop or of all."""
        found = [row for row in self.rows if row.kind == kind and loop in (None, row.loop)]
        if not found:
            raise InputError(
                "there is no such margin",
                expected=f"{', '.join(KINDS)}; loops {', '.join(dict.fromkeys(row.loop for row in self.rows))}",
                got=shown(kind) if loop is None else f"{kind!r} of {loop!r}",
            )
        return min(found, key=lambda row: row.worst)

    @property
    def gain_db(self) -> float:
        """Worst gain margin, up or down, dB."""
        return self.row("gain").worst

    @property
    def phase_deg(self) -> float:
        """Worst phase margin, degrees."""
        return self.row("phase").worst

    @property
    def delay_s(self) -> float:
        """Worst delay margin, s."""
        return self.row("delay").worst

    @property
    def modulus(self) -> float:
        """Worst modulus margin."""
        return self.row("modulus").worst

    @property
    def disk(self) -> float:
        """Worst symmetric disk margin."""
        return self.row("disk").worst

    def table(self) -> str:
        """Return the margins as text: nominal, worst, and what is guaranteed."""
        verdict = (
            "no unstable case found" if self.stable else "UNSTABLE in the box: its worst margins are zero"
        )
        lines = [f"{self.name}: {verdict} ({self.cases} models linearized)"]
        width = max(4, *(len(row.loop) for row in self.rows))
        lines.append(f"  {'loop':<{width}}  margin        nominal      worst  guaranteed  worst parameters")
        for row in self.rows:
            where = ", ".join(f"{name} {value:.4g}" for name, value in row.values.items())
            bound = f"{row.guaranteed:10.4g}" if np.isfinite(row.guaranteed) else f"{'-':>10}"
            kind = f"{row.kind} {UNITS[row.kind]}".strip()
            lines.append(
                f"  {row.loop:<{width}}  {kind:<10}  {row.nominal:9.4g}  {row.worst:9.4g}  {bound}  {where}"
            )
        lines.append(
            f"  guaranteed by mu at all frequencies for the transformation, whose modulus margins differ by up to "
            f"{100 * self.error:.2g} % from models linearized at corners"
        )
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return (
            f"<WorstMargins of '{self.name}': gain {self.gain_db:.4g} dB, phase {self.phase_deg:.4g} deg, "
            f"modulus {self.modulus:.4g}>"
        )


class _Search:
    """Margins at δ, of exact models and of the transformation, each computed once."""

    def __init__(self, u: Uncertain):
        self.u, self.lft = u, u.lft
        self.known: dict[tuple[float, ...], tuple[LinearModel, Margins]] = {}

    def exact(self, delta: np.ndarray) -> tuple[LinearModel, Margins]:
        """Return the model linearized at δ, and its margins."""
        key = tuple(np.round(delta, 12).tolist())
        if key not in self.known:
            model = self.u.model_at(self.lft.values(delta))
            self.known[key] = model, model.margins()
        return self.known[key]

    def slope(self, model: LinearModel, found: Margins, kind: str, loop: str) -> tuple[float, np.ndarray]:
        """Return the least margin of a kind of one loop and its derivative along δ, as the transformation has it."""
        n = len(model.A)
        moves = {
            name: (M[:n, :n], M[:n, n:], M[n:, :n], M[n:, n:])
            for name, M in zip(self.lft.names, self.lft.slopes)
        }
        rows: list[MarginDerivative] = [
            row for row in margin_derivatives(model, found, moves) if (row.kind, row.loop) == (kind, loop)
        ]
        if not rows:
            return np.inf, np.zeros(len(moves))
        least = min(rows, key=lambda row: abs(row.value))
        sign = 1.0 if least.value >= 0.0 else -1.0
        return abs(least.value), sign * np.array([least.derivative[name] for name in moves])


def _value(found: Margins, kind: str, k: int) -> float:
    if not found.stable:
        return 0.0
    one: LoopMargins = found.loops[k]
    return float(getattr(one, KINDS[kind]))


def search_margins(u: Uncertain, guaranteed: bool) -> WorstMargins:
    """Return the worst margins of an uncertain loop."""
    search, lft = _Search(u), u.lft
    p = len(lft.axes)
    nominal = u.model.margins()
    start = lft.deltas(u.nominal)
    search.known[tuple(np.round(start, 12).tolist())] = u.model, nominal
    for corner in corners(p):
        search.exact(corner)
    loops = list(u.model.inputs)
    for k, loop in enumerate(loops):
        for kind in KINDS:
            _follow(search, kind, loop, k)
    rows = []
    stable = all(found.stable for _, found in search.known.values())
    for k, loop in enumerate(loops):
        bounds = _bounds(lft, k, search) if guaranteed and stable else {}
        for kind in KINDS:
            key, (_, found) = min(search.known.items(), key=lambda item: _value(item[1][1], kind, k))
            rows.append(
                WorstMargin(
                    loop,
                    kind,
                    _value(nominal, kind, k),
                    _value(found, kind, k),
                    lft.values(key),
                    bounds.get(kind, np.nan),
                )
            )
    return WorstMargins(tuple(rows), stable, lft.error, len(search.known), u.model.name)


def _follow(search: _Search, kind: str, loop: str, k: int) -> None:
    """Look for a lesser margin along derivatives: from corner to corner, then inside of the box."""
    delta = np.array(min(search.known, key=lambda key: _value(search.known[key][1], kind, k)))
    for _ in range(TURNS):
        model, found = search.exact(delta)
        if not found.stable:
            return
        _, slope = search.slope(model, found, kind, loop)
        new = np.where(slope > 0.0, -1.0, np.where(slope < 0.0, 1.0, delta))
        if (new == delta).all() or tuple(new) in search.known:
            break
        delta = new
    best = np.array(min(search.known, key=lambda key: _value(search.known[key][1], kind, k)))
    inside = _inside(search, kind, loop, k, 0.5 * best)
    if inside is not None:
        search.exact(inside)


def _inside(search: _Search, kind: str, loop: str, k: int, start: np.ndarray) -> np.ndarray | None:
    """Return where a margin of the transformation is least, from a start, None where that is a corner."""

    def objective(delta: np.ndarray) -> tuple[float, np.ndarray]:
        model = search.lft.at(delta)
        found = model.margins()
        if not found.stable:
            return 0.0, np.zeros(len(delta))
        value, slope = search.slope(model, found, kind, loop)
        return (value, slope) if np.isfinite(value) else (1e3, np.zeros(len(delta)))

    done = scipy.optimize.minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(-1.0, 1.0)] * len(start),
        options={"maxiter": 8, "maxfun": 16},
    )
    found = np.round(done.x, 6)
    return None if (np.abs(found) == 1.0).all() else found


def _bounds(lft: LFT, k: int, search: _Search) -> dict[str, float]:
    """Return what is guaranteed of each kind of margin of a loop."""
    uncertain_channels(lft)
    found = [margins.loops[k] for _, margins in search.known.values()]
    modulus = 1.0 / guaranteed_peak(lft, k, 0.0, 1.0 / min(one.modulus for one in found))
    disk = 1.0 / guaranteed_peak(lft, k, 0.5, 1.0 / min(one.disk for one in found))
    # a disk margin holds for gains from (1 - a/2)/(1 + a/2) on, a modulus margin for those from 1/(1 + m) to 1/(1 - m)
    half = min(0.5 * disk, 1.0 - 1e-12)
    gain = 20.0 * np.log10((1.0 + half) / (1.0 - half))
    phase = 2.0 * np.degrees(np.arctan(half))
    return {
        "modulus": modulus,
        "disk": disk,
        "gain": max(gain, 20.0 * np.log10(1.0 + modulus)),
        "phase": max(phase, 2.0 * np.degrees(np.arcsin(min(0.5 * modulus, 1.0)))),
    }
