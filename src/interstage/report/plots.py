"""Figures by matplotlib: linear models, burns, pointing errors, flights.

Figures of linear models: Bode with differences, Nichols, poles, frequencies against a sweep, MAC.

Every function returns a matplotlib `Figure` and draws on no screen: `figure.savefig("bode.png")`. A response is a
complex array (nf,), or a linear model with `frequency_response` (then `input` and `output` choose the channel, by name
or number). matplotlib is imported when a figure is asked for.

The picture of constant shapes over a burn: frequencies beside those of the whole structure, and the errors.

What a pointing error is over time: root mean square by windows, power over frequency, and when it has settled.

An error y (m, k) has rows at equal times; its columns are angles across the line of sight, and its size is that of the
row. Sums over frequency are those over time (Parseval): the last number of a cumulative spectrum is the root mean
square of the whole, its mean taken off.

Figures of flights: ports and places over time, a chart for each.

Continuous signals are lines; what is sampled keeps its value from one sample to the next, and is drawn so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError, known_names, shown
from interstage.linear.joining import feedback as closed_by
from interstage.multibody.loads import split_place
from interstage.simulation.log.log import Log
from interstage.simulation.log.series import Series
from interstage.staged_vehicle.reduced_basis import BasisReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from interstage.linear.jitter import JitterBudget
    from interstage.linear.margins import MarginRow
    from interstage.linear.model import LinearModel
    from interstage.linear.model_set import LinearModelSet
    from interstage.multibody.types import Node


BLUE, ORANGE, GREEN, RED, GREY = "#1f4e79", "#c55a11", "#3a7d44", "#b02a30", "#7f7f7f"
COLORS = (BLUE, ORANGE, GREEN, RED, "#6b4c9a", GREY)
STYLES = ("-", "--", ":", "-.", "-", "--")


def new_figure(width: float = 7.5, height: float = 5.0) -> Figure:
    """Return an empty figure in the house style, size in inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("figures need matplotlib", hint="install it: pip install matplotlib") from None
    return Figure(figsize=(width, height), layout="constrained")


def dress(axes: Axes, xlabel: str = "", ylabel: str = "", title: str = "", legend: bool = False) -> None:
    """Give axes their labels, a light grid and open corners."""
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    if title:
        axes.set_title(title, fontsize=11)
    axes.grid(True, which="major", alpha=0.3)
    axes.grid(True, which="minor", alpha=0.1)
    axes.spines[["top", "right"]].set_visible(False)
    if legend:
        axes.legend(frameon=False, fontsize=9)


def channel(names: Sequence[str], wanted: int | str, what: str) -> int:
    """Return the number of an input or output given by name or number."""
    if isinstance(wanted, int | np.integer):
        if not -len(names) <= wanted < len(names):
            raise InputError(f"there is no {what} {wanted}", expected=f"0 to {len(names) - 1}")
        return int(wanted) % len(names)
    if wanted not in names:
        raise InputError(f"there is no {what} '{wanted}'", hint=known_names(names))
    return list(names).index(wanted)


def trace(response: Any, f_hz: np.ndarray, input: int | str = 0, output: int | str = 0) -> np.ndarray:
    """Return one channel (nf,) of a response: an array as it is, a linear model evaluated."""
    if hasattr(response, "frequency_response"):
        i = channel(list(response.inputs), input, "input")
        o = channel(list(response.outputs), output, "output")
        return np.asarray(response.frequency_response(f_hz))[:, o, i]
    values = np.asarray(response, dtype=complex)
    if values.shape != f_hz.shape:
        raise InputError(
            "a response does not fit its frequencies", expected=f"shape {f_hz.shape}", got=f"{values.shape}"
        )
    return values


def decibels(response: ArrayLike) -> np.ndarray:
    """Return 20 log10 of the magnitude; zero is -400 dB."""
    return 20.0 * np.log10(np.maximum(np.abs(response), 1e-20))


def open_loop_phase(response: ArrayLike) -> np.ndarray:
    """Return the phase in degrees without jumps (nf,), from -360 to 0 at the first frequency.

    There a loop of negative feedback with two integrators, or one about an unstable vehicle, crosses over beside -180.
    """
    angle = np.rad2deg(np.unwrap(np.angle(response)))
    return angle - 360.0 * np.ceil(angle[0] / 360.0 - 1e-12)


def _traces(
    f_hz: ArrayLike, responses: Mapping[str, Any], input: Any, output: Any
) -> tuple[np.ndarray, dict]:
    try:
        f = np.asarray(f_hz, dtype=float)
    except (TypeError, ValueError, RuntimeWarning):
        f = np.zeros(0)
    if f.ndim != 1 or len(f) < 2 or not np.all(f > 0.0):
        raise InputError("frequencies are not usable", expected="two or more positive numbers, Hz")
    if not isinstance(responses, Mapping) or not responses:
        raise InputError(
            "there is nothing to draw by name",
            expected='{label: response}, as in {"gyro": lin} or {"gyro": H[:, 0, 0]}',
            got="nothing" if isinstance(responses, Mapping) else type(responses).__name__,
        )
    return f, {label: trace(value, f, input, output) for label, value in responses.items()}


@named_arguments
def bode(
    f_hz: ArrayLike,
    responses: Mapping[str, Any],
    *,
    input: int | str = 0,
    output: int | str = 0,
    title: str = "",
    unit: str = "",
    phase: bool = True,
    tolerance_db: float | None = None,
) -> Figure:
    """Draw gains (dB) and phases (deg) over one another, and how far each gain is from the first one's.

    f_hz (nf,); responses {label: (nf,) or linear model}, the first is the reference of the differences
    unit : of the response, for the label of its axis;  tolerance_db : drawn as a band in the difference panel
    """
    f, curves = _traces(f_hz, responses, input, output)
    panels = 1 + phase + (len(curves) > 1)
    figure = new_figure(7.5, 1.6 + 2.1 * panels)
    ratios, start = [1.6] + [1.0] * (panels - 1), 0.0
    axes = np.atleast_1d(figure.subplots(panels, 1, sharex=True, height_ratios=ratios))
    gain, rest = axes[0], list(axes[1:])
    for k, (label, values) in enumerate(curves.items()):
        look = {"color": COLORS[k % 6], "ls": STYLES[k % 6], "lw": 1.4}
        gain.semilogx(f, decibels(values), label=label, **look)
        if phase:
            turned = np.rad2deg(np.unwrap(np.angle(values)))
            # a whole turn apart is the same phase: start as near to the first curve as can be
            start = turned[0] if k == 0 else start
            rest[0].semilogx(f, turned - 360.0 * np.round((turned[0] - start) / 360.0), **look)
    dress(gain, "", f"gain, dB{f' ({unit})' if unit else ''}", title, legend=True)
    if phase:
        dress(rest[0], "", "phase, deg")
    if len(curves) > 1:
        difference_panel(rest[-1], f, curves, tolerance_db)
    axes[-1].set_xlabel("frequency, Hz")
    axes[-1].set_xlim(f[0], f[-1])
    return figure


def difference_panel(
    axes: Axes, f: np.ndarray, curves: Mapping[str, np.ndarray], tolerance_db: float | None
) -> None:
    """Draw gains less that of the first curve, dB, on a scale that fits them."""
    reference = decibels(next(iter(curves.values())))
    largest = 0.0
    for k, values in list(enumerate(curves.values()))[1:]:
        with np.errstate(invalid="ignore"):
            difference = decibels(values) - reference
        difference[~np.isfinite(difference)] = np.nan  # at a pole on the axis
        largest = float(np.nanmax(np.abs(difference), initial=largest))
        axes.semilogx(f, difference, color=COLORS[k % 6], lw=1.1)
    if tolerance_db is not None and tolerance_db < 30.0 * max(largest, 1e-300):
        axes.axhspan(-tolerance_db, tolerance_db, color=GREY, alpha=0.15, lw=0)
        largest = max(largest, tolerance_db)
    if largest > 0.0:
        axes.set_ylim(-1.15 * largest, 1.15 * largest)
    dress(axes, "", "difference, dB")


@named_arguments
def nichols(
    f_hz: ArrayLike,
    responses: Mapping[str, Any],
    *,
    input: int | str = 0,
    output: int | str = 0,
    title: str = "",
    marks_hz: Sequence[float] = (),
    margins: tuple[float, float] | None = (6.0, 30.0),
) -> Figure:
    """Draw open-loop gain (dB) against phase (deg) with the critical points -180 deg - 360 deg k.

    marks_hz : frequencies marked on every curve;  margins : gain dB and phase deg of the diamonds to keep out of
    """
    f, curves = _traces(f_hz, responses, input, output)
    figure = new_figure(7.0, 6.0)
    from matplotlib.ticker import MultipleLocator

    axes = figure.subplots()
    low, high = np.inf, -np.inf
    for k, (label, values) in enumerate(curves.items()):
        gain, angle = decibels(values), open_loop_phase(values)
        # critical points matter where the gain is not far below one
        seen = angle[gain > -40.0] if np.any(gain > -40.0) else angle
        low, high = min(low, seen.min()), max(high, seen.max())
        axes.plot(angle, gain, color=COLORS[k % 6], ls=STYLES[k % 6], lw=1.4, label=label)
        for mark in marks_hz:
            x, y = np.interp(mark, f, angle), np.interp(mark, f, gain)
            axes.plot(x, y, "o", color=COLORS[k % 6], ms=4)
            axes.annotate(f"{mark:g} Hz", (x, y), textcoords="offset points", xytext=(5, 4), fontsize=8)
    for critical in np.arange(-180.0, low - 180.0, -360.0).tolist() + np.arange(180.0, high, 360.0).tolist():
        axes.plot(critical, 0.0, "+", color=RED, ms=11, mew=1.6)
        if margins is not None:
            g, p = margins
            axes.fill(
                critical + p * np.array([-1, 0, 1, 0]), g * np.array([0, 1, 0, -1]), color=RED, alpha=0.12
            )
    axes.axhline(0.0, color=GREY, lw=0.8)
    dress(axes, "open-loop phase, deg", "open-loop gain, dB", title, legend=True)
    axes.xaxis.set_major_locator(MultipleLocator(90.0 * max(1.0, np.ceil((high - low) / 900.0))))
    return figure


@named_arguments
def loop_figure(
    loop: LinearModel,
    kind: str = "bode",
    *,
    f_hz: ArrayLike | None = None,
    title: str = "",
    required: tuple[float, float] | None = (6.0, 30.0),
) -> Figure:
    """Draw a loop with its margins marked: "bode", "nyquist" or "nichols"; of several channels the first one.

    f_hz (nf,) : default three decades around the crossings, denser there
    required : gain dB and phase deg, drawn as a box around the critical point ("nichols") and as bands ("bode")
    """
    if kind not in ("bode", "nyquist", "nichols"):
        raise InputError("loop_figure: unknown kind", expected="bode, nyquist or nichols", got=shown(kind))
    found = loop.margins()
    rows = [row for row in found.rows if row.loop == loop.inputs[0]]
    f = _around(rows, loop) if f_hz is None else np.asarray(f_hz, dtype=float)
    if len(loop.inputs) > 1:
        one = loop.inputs[0]
        rest = [k for k in range(len(loop.inputs)) if k]
        loop = closed_by(loop, np.eye(len(rest)), -1, inputs=rest, outputs=rest).select([one], [one])
    L = trace(loop, f)
    at = np.array([row.frequency_hz for row in rows if row.frequency_hz > 0.0])
    there = trace(loop, at) if len(at) else np.zeros(0, complex)
    if kind == "nichols":
        figure = nichols(f, {loop.name: L}, title=title, margins=required)
        axes = figure.axes[0]
        axes.plot(np.interp(at, f, open_loop_phase(L)), decibels(there), "o", color=ORANGE, ms=5)
        return figure
    if kind == "nyquist":
        figure = new_figure(6.0, 6.0)
        axes = figure.subplots()
        turn = np.linspace(0.0, 2.0 * np.pi, 200)
        axes.plot(np.cos(turn), np.sin(turn), color=GREY, lw=0.8, ls=":")
        size = found.modulus if found.stable else 1.0 / max(1e-9, float(np.abs(1.0 / (1.0 + L)).max()))
        axes.fill(-1.0 + size * np.cos(turn), size * np.sin(turn), color=RED, alpha=0.12, lw=0)
        inside = np.where(np.abs(L) < 4.0, L, np.nan)
        axes.plot(inside.real, inside.imag, color=BLUE, lw=1.4)
        near = np.abs(there) < 4.0
        axes.plot(there[near].real, there[near].imag, "o", color=ORANGE, ms=5)
        axes.plot(-1.0, 0.0, "+", color=RED, ms=11, mew=1.6)
        axes.set(xlim=(-2.5, 1.5), ylim=(-2.0, 2.0), aspect="equal")
        dress(axes, "real part of L", "imaginary part of L", title)
        return figure
    figure = bode(f, {loop.name: L}, title=title)
    gain, phase = figure.axes[:2]
    gain.axhline(0.0, color=GREY, lw=0.8)
    if required is not None:
        gain.axhspan(-required[0], required[0], color=RED, alpha=0.08, lw=0)
    turned = np.rad2deg(np.unwrap(np.angle(L)))
    low, high = turned.min(), turned.max()
    for critical in (
        np.arange(-180.0, low - 180.0, -360.0).tolist() + np.arange(180.0, high + 180.0, 360.0).tolist()
    ):
        phase.axhline(critical, color=GREY, lw=0.8)
        if required is not None:
            phase.axhspan(critical - required[1], critical + required[1], color=RED, alpha=0.08, lw=0)
    phase.set_ylim(low - 20.0, high + 20.0)
    before, height = 0.0, 4
    for row in rows:
        if row.frequency_hz > 0.0:
            height = height + 11 if row.frequency_hz < 1.3 * before else 4  # labels do not lie on one another
            before = row.frequency_hz
            value = decibels(trace(loop, np.array([row.frequency_hz])))[0]
            said = f"{row.value:+.1f} dB" if row.kind == "gain" else f"{row.value:+.0f}°"
            gain.plot(row.frequency_hz, value, "o", color=ORANGE, ms=4)
            gain.annotate(
                said, (row.frequency_hz, value), textcoords="offset points", xytext=(4, 4), fontsize=8
            )
            phase.plot(row.frequency_hz, np.interp(row.frequency_hz, f, turned), "o", color=ORANGE, ms=4)
    return figure


@named_arguments
def model_set_figure(
    models: LinearModelSet,
    regions: Mapping[str, tuple[float, float]] | None = None,
    *,
    required: tuple[float, float] | None = (6.0, 30.0),
    title: str = "",
) -> Figure:
    """Draw frequency and damping of the poles over a set of models; of loops, gain and phase margins too.

    regions : bands of `margins`, a line for each; default: those that the models know
    required : gain dB and phase deg, drawn as lines
    """
    loops = bool(len(models)) and len(models.inputs) == len(models.outputs) > 0
    figure = new_figure(7.5, 8.0 if loops else 4.5)
    charts = figure.subplots(4 if loops else 2, 1, sharex=True)
    x, poles = models.values, models.poles()
    for column in range(poles.poles.shape[1]):
        s = poles.poles[:, column]
        swings = s.imag > 1e-9 * np.abs(s)
        hz = np.where(swings, poles.frequency_hz[:, column], np.nan)
        charts[0].plot(x, hz, ".-", color=BLUE, lw=1.0, ms=4)
        charts[1].plot(
            x, np.where(swings, 100.0 * poles.damping[:, column], np.nan), ".-", color=BLUE, lw=1.0, ms=4
        )
    charts[0].set_yscale("log")
    charts[1].axhline(0.0, color=GREY, lw=0.8)
    dress(charts[0], "", "frequency, Hz", title)
    dress(charts[1], "" if loops else models.over, "damping, %")
    if not loops:
        return figure
    found = models.margins(regions)
    named = sorted({row.region for one in found for row in one.rows if row.region})
    parts = {name: found.region(name) for name in named} or {"all crossings": found}
    for k, (name, part) in enumerate(parts.items()):
        for axes, values in ((charts[2], part.gain_db), (charts[3], part.phase_deg)):
            shown_ = np.where(np.isfinite(values), values, np.nan)
            axes.plot(x, shown_, STYLES[k % 6], color=COLORS[k % 6], marker="o", ms=4, lw=1.2, label=name)
    for axes, least in zip(charts[2:], required or ()):
        axes.axhline(least, color=RED, ls="--", lw=1.0)
    unstable = ~found.stable
    for axes in charts[2:]:
        axes.plot(x[unstable], np.zeros(unstable.sum()), "x", color=RED, ms=8, mew=2)
    dress(charts[2], "", "gain margin, dB", legend=True)
    dress(charts[3], models.over, "phase margin, deg")
    return figure


def _around(rows: Sequence[MarginRow], loop: LinearModel) -> np.ndarray:
    """Return frequencies around the crossings of a loop, denser at each of them."""
    at = np.array([row.frequency_hz for row in rows if row.frequency_hz > 0.0])
    if not len(at):
        at = np.array([f for f in loop.poles().frequency_hz if f > 0.0] or [1.0])
    low, high = at.min() / 30.0, at.max() * 30.0
    if loop.dt is not None:
        high = min(high, 0.5 / loop.dt)
    poles = loop.poles()
    own = [(f, min(z, 0.05)) for f, z in zip(poles.frequency_hz, np.abs(poles.damping)) if low < f < high]
    steps = np.linspace(-1.0, 1.0, 61)
    near = [f * (1.0 + 30.0 * z * d * np.abs(d)) for f, z in own for d in steps]
    near += [f * (1.0 + 0.03 * d) for f in at for d in steps]
    f = np.unique(np.concatenate([np.geomspace(low, high, 1200), near]))
    return f[(f > 0.0) & (f <= high)]


@named_arguments
def pole_map(
    poles: Mapping[str, Any],
    *,
    title: str = "",
    damping: Sequence[float] = (0.005, 0.01, 0.02, 0.05),
    zeros: Mapping[str, ArrayLike] | None = None,
) -> Figure:
    """Draw poles {label: (n,) rad/s or linear model} in Hz, and lines of equal damping ratio.

    Poles (crosses) and zeros (circles) of the upper half plane; the real axis is scaled to show light damping.
    """
    figure = new_figure(6.5, 6.0)
    axes = figure.subplots()
    top, left, right = 1e-9, -1e-9, 1e-9
    for marker, group in (("x", poles), ("o", zeros or {})):
        for k, (label, values) in enumerate(group.items()):
            found = values.poles() if hasattr(values, "poles") else values
            s = _numbers(getattr(found, "values", found), label, complex) / (2.0 * np.pi)
            s = s[s.imag >= 0.0]
            if len(s):
                top = max(top, s.imag.max())
                left, right = min(left, s.real.min()), max(right, s.real.max())
            mark = {"mfc": "none"} if marker == "o" else {}
            name = f"{label} ({len(s)})" if marker == "x" else f"{label}, zeros ({len(s)})"
            axes.plot(
                s.real, s.imag, marker, color=COLORS[k % 6], ms=7 - k, mew=1.4, ls="", label=name, **mark
            )
    axes.axhline(0.0, color=GREY, lw=0.8)
    axes.axvline(0.0, color=GREY, lw=0.8)
    axes.set_xlim(1.15 * left, max(1.15 * right, -0.12 * left))
    axes.set_ylim(-0.03 * top, 1.08 * top)
    for ratio in damping:
        edge = min(1.05 * top, -1.12 * left / ratio)
        axes.plot([0.0, -ratio * edge], [0.0, edge], ":", color=GREY, lw=0.8)
        axes.annotate(f"{100 * ratio:g} %", (-ratio * edge, edge), fontsize=7, color=GREY)
    dress(axes, "real part, Hz", "imaginary part, Hz", title, legend=True)
    return figure


@named_arguments
def frequency_sweep(
    values: ArrayLike,
    frequencies_hz: ArrayLike,
    *,
    xlabel: str = "",
    title: str = "",
    reference_hz: ArrayLike | None = None,
    labels: Sequence[str] = (),
    damping_ratio: ArrayLike | None = None,
) -> Figure:
    """Draw frequencies (k, n) of n tracked modes against a swept value (k,): an angle, a mass, a time of flight.

    reference_hz (k, n) : drawn as open circles;  damping_ratio (k, n) : adds a panel in percent
    """
    x, hz = np.asarray(values, dtype=float), np.asarray(frequencies_hz, dtype=float)
    hz = hz[:, None] if hz.ndim == 1 else hz
    if x.ndim != 1 or hz.ndim != 2 or len(hz) != len(x):
        raise InputError(
            "a sweep does not fit its values",
            expected=f"{x.size} rows of frequencies",
            got=f"shape {hz.shape}",
        )
    panels = 1 if damping_ratio is None else 2
    figure = new_figure(7.5, 3.0 + 2.2 * panels)
    axes = np.atleast_1d(figure.subplots(panels, 1, sharex=True))
    for k, column in enumerate(hz.T):
        label = labels[k] if k < len(labels) else None
        axes[0].plot(x, column, ".-", ms=4, lw=1.3, color=COLORS[k % 6], label=label)
        if damping_ratio is not None:
            axes[1].plot(x, 100 * np.atleast_2d(damping_ratio)[:, k], ".-", ms=4, lw=1.3, color=COLORS[k % 6])
    if reference_hz is not None:
        reference = np.atleast_2d(np.asarray(reference_hz, dtype=float))
        for k, column in enumerate(reference.T):
            axes[0].plot(x, column, "o", mfc="none", color=GREY, ms=7, label="reference" if k == 0 else None)
    dress(axes[0], "", "frequency, Hz", title, legend=bool(labels) or reference_hz is not None)
    if damping_ratio is not None:
        dress(axes[1], "", "damping, %")
    axes[-1].set_xlabel(xlabel)
    return figure


@named_arguments
def frequency_errors(
    reference_hz: ArrayLike,
    errors: Mapping[str, ArrayLike],
    *,
    title: str = "",
    ylabel: str = "error of frequency, Hz",
    floor: float = 1e-12,
    limit: float | None = None,
) -> Figure:
    """Draw reference frequencies (n,) by mode, and below them the size of each set of errors (n,) on a log scale."""
    hz = _numbers(reference_hz, "reference_hz")
    figure = new_figure(7.5, 6.0)
    top, below = figure.subplots(2, 1, sharex=True, height_ratios=[1.0, 1.5])
    below.xaxis.get_major_locator().set_params(integer=True)
    number = np.arange(1, len(hz) + 1)
    top.plot(number, hz, ".", color=BLUE)
    for k, (label, values) in enumerate(errors.items()):
        size = np.maximum(np.abs(_numbers(values, label)), floor)
        below.semilogy(number[: len(size)], size, "os^Dv<"[k % 6], color=COLORS[k % 6], ms=4.5, label=label)
    if limit is not None:
        below.axhline(limit, color=GREY, ls="--", lw=1)
    dress(top, "", "frequency, Hz", title)
    dress(below, "mode", ylabel)
    below.legend(frameon=False, fontsize=9, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


@named_arguments
def mac(
    matrix: ArrayLike,
    *,
    rows_hz: ArrayLike | None = None,
    columns_hz: ArrayLike | None = None,
    row_label: str = "first set",
    column_label: str = "second set",
    title: str = "",
) -> Figure:
    """Draw modal assurance criteria (n, m), 0 to 1, as shades; numbers are written into small pictures."""
    values = np.asarray(matrix)
    fits = values.dtype.kind in "biuf" and values.ndim == 2 and values.size > 0
    if not fits or values.min() < -1e-9 or values.max() > 1.0 + 1e-6:
        raise InputError(
            "a MAC picture needs a matrix of numbers from 0 to 1", got=f"shape {np.shape(matrix)}"
        )
    n, m = values.shape
    figure = new_figure(3.0 + min(0.42 * m, 6.0), 2.4 + min(0.42 * n, 6.0))
    axes = figure.subplots()
    picture = axes.imshow(values, cmap="Blues", vmin=0.0, vmax=1.0, origin="lower", aspect="equal")
    if max(n, m) <= 16:
        for (i, j), value in np.ndenumerate(values):
            if value >= 0.05:
                ink = "white" if value > 0.6 else "black"
                axes.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=7, color=ink)
    for axis, count, hz in ((axes.xaxis, m, columns_hz), (axes.yaxis, n, rows_hz)):
        step = max(1, count // 12)
        where = np.arange(0, count, step)
        names = [f"{k + 1}" if hz is None else f"{np.asarray(hz)[k]:.3g} Hz" for k in where]
        axis.set_ticks(where, names)
    axes.tick_params(axis="x", rotation=90 if columns_hz is not None else 0, labelsize=8)
    axes.tick_params(axis="y", labelsize=8)
    axes.set_xlabel(column_label)
    axes.set_ylabel(row_label)
    if title:
        axes.set_title(title, fontsize=11)
    figure.colorbar(picture, ax=axes, shrink=0.85, label="MAC")
    return figure


def _numbers(values: ArrayLike, label: str, kind: type = float) -> np.ndarray:
    """Return a list of numbers to draw."""
    try:
        found = np.asarray(values, dtype=kind)
    except (TypeError, ValueError, RuntimeWarning):
        found = np.zeros(())
    if found.ndim != 1:
        raise InputError(f"'{label}' cannot be drawn", expected="a list of numbers", got=shown(values))
    return found


def shapes_figure(report: BasisReport) -> Figure:
    """Draw frequencies over the fill, lines of the whole structure and points of the shapes, and errors below."""
    figure = new_figure(7.5, 6.5)
    top, low = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    fills = report.fills
    for k in range(max(len(one.exact_hz) for one in fills)):
        here = [one for one in fills if len(one.exact_hz) > k]
        part = [one.part for one in here]
        names = {"label": "whole structure"} if k == 0 else {}
        top.plot(part, [one.exact_hz[k] for one in here], "-", lw=1.2, color=COLORS[k % 6], **names)
        names = {"label": "shapes"} if k == 0 else {}
        shown = [one.frequencies_hz[k] if np.isfinite(one.frequencies_hz[k]) else np.nan for one in here]
        top.plot(part, shown, "o", mfc="none", ms=4, color=GREY, **names)
    dress(top, "", "frequency, Hz", report.title, legend=True)
    part = [one.part for one in fills]
    floor = 1e-16
    f = [max(float(np.abs(one.frequency_error).max(initial=0.0)), floor) for one in fills]
    m = [max(float((1.0 - one.mac).max(initial=0.0)), floor) for one in fills]
    low.semilogy(part, f, ".-", color=BLUE, label="frequency, worst mode")
    low.semilogy(part, m, ".--", color=ORANGE, label="1 - MAC, worst mode")
    dress(low, "fill", "error", legend=True)
    low.set_xlim(max(part), min(part)) if len(set(part)) > 1 else None
    return figure


def _rows(t: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray, float]:
    """Return times (m,), values (m, k) and the time between rows, which are equally far apart."""
    times, values = np.asarray(t, dtype=float), np.asarray(y, dtype=float)
    values = values[:, None] if values.ndim == 1 else values
    steps = np.diff(times)
    if times.ndim != 1 or len(times) < 2 or values.ndim != 2 or len(values) != len(times):
        raise InputError("a history has a row of values for each time", got=f"{times.shape}, {values.shape}")
    if not np.allclose(steps, steps[0], rtol=1e-6, atol=0.0) or steps[0] <= 0.0:
        raise InputError("times must be equally far apart", hint="give simulate a log_step")
    return times, values, float(np.mean(steps))


def windowed_rms(t: ArrayLike, y: ArrayLike, window: float) -> tuple[np.ndarray, np.ndarray]:
    """Return ends of windows (n,) and the root mean square of the size of y (n,) in each, one after the other.

    >>> windowed_rms([0.0, 1.0, 2.0, 3.0], [1.0, -1.0, 3.0, 3.0], 2.0)
    (array([2., 4.]), array([1., 3.]))
    """
    times, values, dt = _rows(t, y)
    n = round(window / dt)
    if not 1 <= n <= len(times):
        raise InputError(
            "a window is not longer than the history", expected=f"{dt:g} to {dt * len(times):g} s"
        )
    count = len(times) // n
    square = (values[: count * n] ** 2).sum(axis=1).reshape(count, n)
    return times[0] + dt * n * np.arange(1, count + 1), np.sqrt(square.mean(axis=1))


def jitter_figure(budget: JitterBudget, f_hz: ArrayLike, title: str = "") -> Figure:
    """Draw spectral densities of the outputs of a budget over frequencies (nf,), and their rms up to each frequency."""
    f = np.asarray(f_hz, dtype=float)
    psd, rms = budget.psd(f), budget.cumulative(f)
    figure = new_figure(7.5, 5.5)
    top, low = figure.subplots(2, 1, sharex=True)
    for k, (name, unit) in enumerate(zip(budget.outputs, budget.units)):
        color = COLORS[k % len(COLORS)]
        if psd[:, k].any():
            top.loglog(f, np.where(psd[:, k] > 0.0, psd[:, k], np.nan), color=color, lw=1.2)
        low.loglog(
            f, np.where(rms[:, k] > 0.0, rms[:, k], np.nan), color=color, lw=1.4, label=f"{name}, {unit}"
        )
    dress(top, "", "one-sided density, unit²/Hz", title or f"Jitter of {budget.model.name}")
    dress(low, "frequency, Hz", "cumulative rms", legend=True)
    low.set_xlim(f[0], f[-1])
    return figure


def cumulative_spectrum(t: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return frequencies (n,) in hertz and the root mean square (n,) of what y has up to each, its mean left out."""
    _, values, dt = _rows(t, y)
    m = len(values)
    power = (np.abs(np.fft.rfft(values, axis=0)) ** 2).sum(axis=1) / m**2
    power[1 : (m + 1) // 2] *= 2.0  # those below and above zero
    return np.fft.rfftfreq(m, dt)[1:], np.sqrt(np.cumsum(power[1:]))


def settling_time(t: ArrayLike, y: ArrayLike, within: float, lasting: float) -> float:
    """Return the first time from which the size of y stays within a limit for so long; infinite where it never does.

    >>> settling_time([0.0, 1.0, 2.0, 3.0, 4.0], [5.0, 0.1, 2.0, 0.1, 0.1], within=1.0, lasting=1.0)
    3.0
    """
    times, values, dt = _rows(t, y)
    n = round(lasting / dt)
    bad = np.flatnonzero(np.linalg.norm(values, axis=1) > within)
    begins = np.concatenate([[0], bad + 1])
    ends = np.concatenate([bad - 1, [len(times) - 1]])
    for begin, end in zip(begins, ends):
        if end - begin >= n:
            return float(times[begin])
    return float("inf")


MOST_CHARTS = 12  # of a log of which nothing is chosen
MOST_NAMED = 8  # curves of a chart that are named
MOST_POINTS = 6000  # of a curve
AXES = "xyz"
# what a chart of a body's coordinates of a kind is called, and their unit
BODY_CHARTS = {
    "angle": ("turn", "rad"),
    "length": ("travel", "m"),
    "quaternion": ("quaternion", ""),
    "modal": ("modes", ""),
}


def flight_figure(
    log: Log, names: Sequence[str], place: tuple[str, Node] | str | None = None, title: str = ""
) -> Figure:
    """Draw ports of a log over time, and with `place` the position and angular velocity of a place of the vehicle.

    names : ports, patterns, sums or differences, each a chart; bodies, with charts of their joint and modes; none: what
        was sampled or written first
    """
    if len(log.t) < 2:
        raise InputError("a log of fewer than two rows has no curves", got=f"{len(log.t)} rows")
    charts = [chart for name in names for chart in _charts(log, name)]
    if not charts and place is None:
        charts = [one for one in log.written() if one.columns.size][:MOST_CHARTS]
    if not charts and place is None:
        moving = [body for body, where in log.system.layout.items() if where.joint.nv or where.n_modes]
        charts = [chart for body in moving for chart in _charts(log, body)][:MOST_CHARTS]
    charts += [] if place is None else _motion(log, place)
    if not charts:
        raise InputError("there is nothing to draw", hint="give names of ports, or place=(body, node)")
    figure = new_figure(8.0, 0.9 + 1.75 * max(len(charts), 1.4))
    all_axes = np.atleast_1d(figure.subplots(len(charts), 1, sharex=True))
    for axes, one in zip(all_axes, charts):
        _chart(axes, one)
        for event in log.events:
            axes.axvline(event.t, color="0.55", lw=0.8, ls=(0, (2, 2)), zorder=0)
    for event in log.events[:MOST_NAMED]:
        all_axes[0].annotate(
            event.name, (event.t, 1.0), xycoords=("data", "axes fraction"), fontsize=7, color="0.4",
            rotation=90, ha="right", va="top", xytext=(-2, -2), textcoords="offset points",
        )  # fmt: skip
    all_axes[-1].set_xlabel("time, s")
    all_axes[-1].set_xlim(log.t[0], log.t[-1])
    figure.align_ylabels(list(all_axes))
    figure.suptitle(title or log.name, fontsize=12, x=0.01, ha="left")
    return figure


def _charts(log: Log, name: str) -> list[Series]:
    """Return what a name means: a port or more, or the numbers of a body by their kinds."""
    if name not in log.system.layout or name in log.contents.channels:
        return [log.series(name)]
    body, where = log[name], log.system.layout[name]
    assert not isinstance(body, np.ndarray)
    t, found = getattr(body, "t", log.t), []
    for entries, parts, rate in (
        (where.coordinates(), (body.q, body.eta), ""),
        (where.rates(), (body.v, body.etadot), "/s"),
    ):
        columns = np.concatenate(parts, axis=1)
        for kind, group in groupby(enumerate(entries), key=lambda entry: entry[1].kind):
            numbers, labels = zip(*((k, entry.name) for k, entry in group))
            words, unit = BODY_CHARTS[kind]
            said = f"{name}: {'rate of ' if rate else ''}{words}"
            found.append(Series(said, t, columns[:, list(numbers)], unit and unit + rate, list(labels)))
    if not found:
        raise InputError(
            f"the joint of '{name}' is locked: there is nothing to draw", hint="place= draws where it is"
        )
    return found


def _chart(axes: Axes, one: Series) -> None:
    """Draw the curves of one chart; their names stand beside it."""
    columns, labels = one.columns, _labels(one)
    keep = slice(None, None, max(1, -(-len(one.t) // MOST_POINTS)))
    for k, values in enumerate(columns.T):
        axes.plot(
            one.t[keep],
            values[keep],
            color=COLORS[k % len(COLORS)],
            ls=STYLES[k // len(COLORS) % len(STYLES)],
            lw=1.2,
            drawstyle="steps-post" if one.held else "default",
            label=labels[k] if k < MOST_NAMED else None,
        )
    unit = "" if one.unit == "1" else one.unit
    dress(axes, "", unit, legend=False)
    more = f", {columns.shape[1]} curves" if columns.shape[1] > MOST_NAMED else ""
    axes.set_title(f"{one.name}{more}", fontsize=9.5, loc="left", pad=3)
    if columns.shape[1] > 1:
        axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.4)
    axes.ticklabel_format(axis="y", style="sci", scilimits=(-3, 5), useMathText=True)
    axes.yaxis.get_offset_text().set_fontsize(8)
    axes.tick_params(labelsize=8.5)


def _labels(one: Series) -> list[str]:
    """Return short names of the curves: axes of a vector, members of a pattern."""
    n = one.columns.shape[1]
    fields = {label.partition("[")[0] for label in one.labels}
    if len(fields) == 1:
        return list(AXES[:n]) if n == 3 else [str(k) for k in range(n)]
    tails = {label.rpartition(".")[2].partition("[")[0] for label in one.labels}
    if len(tails) > 1:
        return one.labels
    return [label.replace(f".{next(iter(tails))}", "", 1) for label in one.labels]


def _motion(log: Log, place: tuple[str, Node] | str) -> list[Series]:
    """Return where a place was and how it turned."""
    body, node = split_place(place)
    said = body if node is None else f"{body} {np.asarray(node).tolist()}"
    spin, t = log.velocity(body, node)[:, :3], np.concatenate([phase.t for phase in log.having(body)])
    return [
        Series(f"position of {said}", t, log.position(body, node), "m", ["p"] * 3),
        Series(f"angular velocity of {said}, world axes", t, spin, "rad/s", ["w"] * 3),
    ]
