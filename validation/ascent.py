"""A launch vehicle flies to T+300 s with ideal actuators, as that of the NESC report does (D.2), closed loop.

Heron, the vehicle of the demo: a core of shells whose modes were made without the engines (EOTM, gimbals and payload in
the interface), four engines of 0.9 MN on prescribed universal joints. As in the NESC report (NASA/TM-2020-5008164, D.2)
there is one finite-element model of one fill of the tanks: the mass stays the same, and so do gains, allocation,
thrust, and with them the margins of all six times, whose curves lie on each other. (But for the yaw gain at T+60 s
below 0.006 Hz: the vehicle pitches at 0.95°/s there, once round in 0.0026 Hz, and a yaw error of axes that turn becomes
one of roll and comes back, an undamped pair of poles at that frequency.) No air. The reference is our own: the pitch
programme that ends with the most speed at 230 km with a path of 10°, found for a point mass and written in
columns as those of POST. Gains of least cost on the linear model hold attitude, rate, and place and speed across the
thrust; filters keep them out of the bending; least squares share the angular acceleration out to the eight gimbal
angles, at 50 Hz throughout. Limits were set before the first flight.

- Frequencies below 11 Hz of models with the engines held, beside those of the single finite-element model: engines in
  the modes and counted twice (EITM), out of them (EOTM), both by all free modes below 11 Hz, and the model as flown.
- The flight: error of the centre of mass and of the attitude against the reference, gimbals, vibration at the end.
- Linear models of one frame, software and all, at six times: each axis opened, the others closed. Bending is held where
  at every frequency it is below one by 6 dB, or 30° off ±180°.
- The ring-down: a pulse of the demand at 120 s, the nonlinear flight with it less that without it; poles are fitted to
  the difference from values 10 % off, and set beside those of the linear model. At 60 s, while the vehicle pitches
  over, such fits miss: axes that turn couple the place across the thrust with
  that along it, and roll with yaw, and a window of some seconds does not tell so many well-damped poles apart. There
  the run is set beside linear models that change with time, motion by motion (`validation/ascent_pulse.py`).
- By hand (`validation/ascent_devices.py`): the path of the center of mass by scipy with gravity of its own, what
  gimbals do to the rigid vehicle, the servo of a gimbal and the rate that the inertial unit has.

    python -m validation ascent
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

import interstage as ist
from interstage.demo import ascent
from interstage.demo.ascent import GAIN_DB, PHASE_DEG
from interstage.demo.ascent_vehicle import wanted
from interstage.demo.heron_deck import heron_deck
from interstage.demo.vehicle import CORE, core_component
from interstage.nastran import deck_from_text
from interstage.report.plots import (
    BLUE,
    COLORS,
    GREY,
    ORANGE,
    decibels,
    dress,
    frequency_errors,
    new_figure,
    nichols,
    open_loop_phase,
)
from validation.ascent_devices import path_rows, pulse_rows, sensor_rows
from validation.ascent_models import Frequencies, frequencies
from validation.ascent_pulse import apart
from validation.ascent_runs import AXES, QUIET, Flown, Point, flown, points, ringing, rung_down
from validation.study import Row, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MODES = 20  # fixed-interface modes of the core
PLACE, ATTITUDE, AT_STOP, POLES, VIBRATION = 50.0, 0.2, 0.5, 0.02, 0.01  # m, deg, s, relative, deg
STOP_DEG = 6.0


@dataclass
class Outcome:
    """All that was found."""

    ready: ascent.Ascent
    hz: Frequencies
    flight: Flown
    points: list[Point]
    rung: dict[str, tuple[complex, complex]]
    pulse: dict[str, float]
    hand: list[Row]


@cache
def flown_core() -> ist.Component:
    """Return the core as it flies."""
    return core_component(deck_from_text(heron_deck()), MODES, wanted())


def run() -> Outcome:
    """Build, design, fly, linearize and ring."""
    core = flown_core()
    ready = ascent.prepare(core)
    hz = frequencies(core)
    flight = flown(ready)
    found = points(ready, ascent.POINTS)
    near = min(found, key=lambda point: abs(point.t - 120.0))
    rung = ringing(ready)
    hand = path_rows(ready, flight.log) + pulse_rows(ready, rung) + sensor_rows(flight.log, CORE)
    return Outcome(ready, hz, flight, found, rung_down(rung, near.poles), apart(ready), hand)


def study() -> Study:
    """Compare frequencies, fly, and hold everything to its limit."""
    about = __doc__.split("\n\n", 1)[1].rsplit("\n\n", 1)[0].strip()
    out = Study("ascent", "An ascent to T+300 s with ideal actuators", about)
    found = run()
    _models(out, found.hz)
    _flight(out, found)
    _margins(out, found.points)
    for name, (linear, fit) in found.rung.items():
        error = abs(fit - linear) / abs(linear)
        damping = abs(fit.real / linear.real - 1.0)
        out.rows.append(
            Row("ring-down at 120 s", f"pole of {name}, 1/s", f"{linear:.5f}", f"{fit:.5f}", max(error, damping),
                POLES, "relative, of the pole and of its real part, whichever is more")
        )  # fmt: skip
    for name, off in found.pulse.items():
        note = "difference in 14 s, of the peak, without bending; the model goes from that of the begin to the last"
        out.rows.append(Row("pulse at 60 s", f"{name}, model and run", "", "", off, POLES, note))
    out.rows += found.hand
    out.pictures["ascent_frequencies.png"] = lambda path: draw_models(found.hz).savefig(path, dpi=110)
    out.pictures["ascent_flight.png"] = lambda path: draw_flight(found).savefig(path, dpi=110)
    out.pictures["ascent_loops.png"] = lambda path: draw_loops(found.points).savefig(path, dpi=110)
    out.pictures["ascent_nichols.png"] = lambda path: draw_nichols(found.points).savefig(path, dpi=110)
    return out


def _models(out: Study, hz: Frequencies) -> None:
    worst = {}
    for name, values in hz.models.items():
        n = min(len(values), len(hz.truth))
        error = np.abs(values[:n] - hz.truth[:n])
        worst[name] = float(error.max())
        pairs = [", ".join(f"{f:.4f}" for f in (*some[:2], some[n - 1])) for some in (hz.truth, values)]
        limit = 0.02 if name == "EOTM as flown" else None
        out.rows.append(
            Row(
                name,
                f"{n} frequencies below 11 Hz, Hz",
                *pairs,
                worst[name],
                limit,
                "largest difference, Hz",
                "not judged: the error of this way of making modes; a row below holds their ratio"
                * (limit is None),
            )
        )
    ratio = worst["EOTM"] / worst["EITM"]
    note = "Figure D.2.5: EOTM nearer"
    out.rows.append(Row("EOTM over EITM", "largest error, ratio", "< 1", f"{ratio:.3f}", ratio, 1.0, note))


def _flight(out: Study, found: Outcome) -> None:
    one, reference = found.flight, found.ready.reference
    end = float(np.linalg.norm(one.place[-1]))
    most = float(np.linalg.norm(one.place, axis=1).max())
    height = f"{reference['gdalt'][-1] / 1e3:.1f} km, {reference['veli'][-1]:.0f} m/s"
    case = "flight"
    out.rows.append(
        Row(case, "place against the reference at T+300 s, m", height, f"{end:.2f}", end, PLACE,
            f"{most:.2f} m at most")
    )  # fmt: skip
    off = float(np.abs(one.attitude).max())
    out.rows.append(
        Row(case, "attitude against the reference, most of any axis, deg", "", f"{off:.3f}", off, ATTITUDE)
    )
    largest = float(np.abs(one.gimbals).max())
    stuck = float(np.diff(one.t).max() * (np.abs(one.gimbals).max(axis=1) > 0.99 * STOP_DEG).sum())
    out.rows.append(
        Row(
            case,
            "gimbal at its stop, s",
            "",
            f"{stuck:.1f}",
            stuck,
            AT_STOP,
            f"largest angle {largest:.3f}° of 6°",
            "asked for before the first flight",
        )
    )
    for x, loads in one.loads.items():
        walls = one.moments[x][int(np.searchsorted(one.t, QUIET - 1e-6))]
        words = f"bending moment at {x:g} m, T+{QUIET:g} s, kN m"
        apart = float(np.abs(walls - loads).max() / np.abs(loads).max())
        note = "loads of all above the station; forces that its walls carry, recovered"
        out.rows.append(Row(case, words, f"{loads[0] / 1e3:.2f}", f"{walls[0] / 1e3:.2f}", apart, 0.02, note))
    shake = vibration(one)
    out.rows.append(
        Row(case, "no limit cycle: gimbals about their mean of a second, last 30 s, deg", "", f"{shake:.1e}", shake,
            VIBRATION)
    )  # fmt: skip


def vibration(one: Flown) -> float:
    """Return the most that a gimbal differs from its mean of a second, in the last 30 s, deg."""
    late = one.gimbals[one.t > one.t[-1] - 30.0]
    width = round(1.0 / (one.t[1] - one.t[0]))
    mean = np.apply_along_axis(lambda y: np.convolve(y, np.ones(width) / width, "valid"), 0, late)
    return float(np.abs(late[width // 2 : width // 2 + len(mean)] - mean).max())


def _margins(out: Study, found: list[Point]) -> None:
    """Add margins of each axis over all times."""
    when = ", ".join(f"{point.t:g}" for point in found)
    for k, axis in enumerate(AXES):
        mine = [point.margins[k] for point in found]
        gains = [min(m.gain_db, m.less_db) for m in mine]
        short = [0.0 if m.bending_deg >= PHASE_DEG else GAIN_DB - m.bending_db for m in mine]
        less = f"{min(m.less_db for m in mine):.1f}"
        for words, least, values, lacks, note in (
            ("rigid gain margin, dB", GAIN_DB, gains, [GAIN_DB - g for g in gains], f"downwards {less}"),
            ("rigid phase margin, deg", PHASE_DEG, [m.phase_deg for m in mine],
             [PHASE_DEG - m.phase_deg for m in mine], f"at {mine[0].phase_hz:.3f} Hz"),
            ("bending below one, dB", GAIN_DB, [m.bending_db for m in mine], short,
             f"peak at {mine[0].bending_hz:.2f} Hz"),
        ):  # fmt: skip
            ours = ", ".join(f"{value:.1f}" for value in values)
            out.rows.append(
                Row(f"{axis} at T+{when} s", words, f"≥ {least:g}", ours, max(0.0, *lacks), 0.0, note)
            )


def draw_models(hz: Frequencies) -> Figure:
    """Draw frequencies and errors of the models, as Figure D.2.5."""
    errors = {name: values - hz.truth[: len(values)] for name, values in hz.models.items()}
    return frequency_errors(
        hz.truth, errors, title="Heron with engines held, modes below 11 Hz (Figure D.2.5)"
    )


def draw_flight(found: Outcome) -> Figure:
    """Draw errors of place and rates of the IMU (Figure D.2.6), gimbals, modes, moments and the reference."""
    one, reference = found.flight, found.ready.reference
    figure = new_figure(13.0, 10.5)
    place, rates, gimbals, modes, bending, path = figure.subplots(3, 2).ravel()
    for k, (name, color) in enumerate(zip(("up", "right", "ahead"), COLORS)):
        place.plot(one.t, one.place[:, k], color=color, lw=1.1, label=name)
    for k, (name, color) in enumerate(zip(AXES, COLORS)):
        rates.plot(one.t, one.rates[:, k], color=color, lw=1.0, label=name)
    for k, color in zip((0, 1), COLORS):
        gimbals.plot(one.t, one.gimbals[:, k], color=color, lw=1.0, label=f"engine 1, {('pitch', 'yaw')[k]}")
    for k, color in zip(range(6), COLORS):
        modes.plot(one.t, one.modes[:, k] - one.modes[-1, k], color=color, lw=0.8, label=f"mode {k + 1}")
    for (x, moment), color in zip(one.moments.items(), COLORS):
        bending.plot(one.t, 1e-3 * moment[:, 0], color=color, lw=0.7, label=f"x = {x:g} m, about y")
    path.plot(reference.t, 1e-3 * reference["gdalt"], color=BLUE, lw=1.2, label="height, km")
    path.plot(
        reference.t,
        -np.degrees(reference["pitch"]),
        color=ORANGE,
        lw=1.2,
        label="pitch from the vertical, deg",
    )
    dress(place, "time, s", "m", "Centre of mass less reference, world axes", True)
    dress(rates, "time, s", "deg/s", "Rates at the IMU, body axes", True)
    dress(gimbals, "time, s", "deg", "Gimbal angles", True)
    dress(modes, "time, s", "", "Modal coordinates less those at the end", True)
    dress(bending, "time, s", "kN m", "Bending moment of two stations", True)
    dress(path, "time, s", "", "Reference", True)
    return figure


def draw_loops(found: list[Point]) -> Figure:
    """Draw gain and phase of the loops in pitch and yaw at all times."""
    figure = new_figure(12.0, 7.0)
    axes = figure.subplots(2, 2, sharex=True)
    for column, axis in zip(axes.T, (1, 2)):
        for point, color in zip(found, COLORS):
            loop = point.loops[axis]
            column[0].semilogx(point.f_hz, decibels(loop), color=color, lw=1.0, label=f"T+{point.t:g} s")
            column[1].semilogx(point.f_hz, open_loop_phase(loop), color=color, lw=1.0)
        column[0].axhline(0.0, color=GREY, lw=0.8)
        column[0].axhline(-GAIN_DB, color=GREY, lw=0.8, ls="--")
        column[1].axhline(-180.0, color=GREY, lw=0.8, ls="--")
        dress(column[0], "", "gain, dB", f"Open loop, {AXES[axis]}", True)
        dress(column[1], "frequency, Hz", "phase, deg")
    return figure


def draw_nichols(found: list[Point]) -> Figure:
    """Draw the loops in pitch over phase with the margins asked for."""
    f = found[0].f_hz
    curves = {f"T+{point.t:g} s": point.loops[1] for point in found}
    return nichols(f, curves, title="Open loop, pitch", margins=(GAIN_DB, PHASE_DEG))
