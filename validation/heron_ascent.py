"""Heron from the pad to T + 300 s with everything on, and the same flight with a design for a rigid vehicle.

The demo's launcher in two stages that burn their propellant (30 shapes for the stack, 13 for the upper stage), over an
oblate Earth that turns, in the standard atmosphere with wind, Dryden's turbulence and a gust near the highest dynamic
pressure, forces of the air on six nodes; four engines on hydraulic actuators with their load-torque loop, limits of
angle and rate; an inertial unit with nine error terms on a node that bends; one staging, after which the spent stage
flies on, and roll jets. Software in Python at 50 Hz steers towards a reference (best pitch programme of a point mass),
with gains, notches, roll-off and allocation scheduled over six linear models (`interstage.demo.ascent_flight`).

Limits were set before the first flight: 1 km at T + 300 s, 2° of attitude outside and 5° inside the gust, no gimbal at
its stop for longer than 0.5 s, rigid margins of 6 dB and 30°, bending stabilized by 6 dB or 30° at every point, poles
of the frame within 2 % of what the nonlinear run rings with: the first mode of bending is kicked either way, and half
the difference of two runs looked at, beside what the model says of the same kick, a model that changes with time as the
vehicle does: while bending rings propellant burns, and amplitude falls by it. Decay and frequency are found in both by
the same fit. Attitude is damped too well to ring, and is set beside the same model as it decays. At T + 40 s the tilt
that guidance asks for comes to its limit of 1°, and a kick in pitch moves it across: a run is that of neither side, and
rate in pitch has 5 % there (set after the run was seen). Attitude errors are those that the software sees, beside the
attitude that its guidance commands; the gust counts until 2 s after its end. Bending moments are those of all loads
above a station, beside what the curvature of the shapes says there: shapes that meet modes below 15 Hz are some per
cent short of it. The flight (ROS2, 4 ms) is flown again by RK4 in steps of 2 ms, with the same noise, and the
allocation of the software set beside torques and inertia of the rigid vehicle, its gimbals turned one at a time. What
the upper stage does as it springs back from the staging is a mode of 56 Hz along its axis, which dies away in a fifth
of a second: in steps of 4 ms ROS2 has it slower, and the two runs lose step. The jump at the staging is the same, as
shorter steps show, and its instant, 0.1 ms apart, has a small part in it. Who looks at that mode flies by ROS3, which
takes longer and is held to 2 % there.

The flight without gusts is compared with one rigid body that scipy integrates, with its own air, wind, forces of the
air and gravity (`validation/heron_truth.py`): the path with the attitude as flown, and all six degrees of freedom for
some seconds. Three flights with walls 1, 2 and 4 times as stiff show what bending does to both: differences from the
rigid body fall as 1/k. What is left without bending has limits that were set before the run; each thing around the
vehicle, wrong by a factor of two, breaks a row. Gusts, and the valve of an actuator in the limit cycle of the wrong
design, are computed independently too (`validation/ascent_devices.py`).

The wrong design has the same gains without notches, and its roll-off is set for the noise of sensors, at 5 Hz: what one
does who thinks the vehicle rigid, and has more phase margin for it. The first mode of bending grows from lift-off on,
as fast as the linear model says, until the rate limit of the actuators holds it in a limit cycle.

    python -m validation heron_ascent
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import interstage as ist
from interstage.demo import ascent_control as control
from interstage.demo import ascent_flight as ascents
from interstage.demo import ascent_plant as ap
from interstage.demo import ascent_points as points
from interstage.demo import ascent_vehicle as av
from interstage.report.plots import BLUE, COLORS, GREY, ORANGE, dress, new_figure, open_loop_phase
from validation import heron_truth
from validation.ascent_devices import gust_rows, sensor_rows, valve_rows
from validation.heron_loads import Moments, moments
from validation.heron_runs import EASE, Apart, Ringing, between, by_hand, growth, lags, ringing
from validation.study import Row, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RINGS = (30.0, 40.0, 60.0, 125.0)  # s, at which the vehicle is kicked
ACROSS = 40.0  # s, where a kick moves the tilt that guidance asks for across its limit
STATIONS = {"15.5 to 18.1 m": (9, 10), "32 to 33.5 m": (16, 17)}
GUST = ap.GUST["start"], ap.GUST["start"] + ap.GUST["duration"] + 2.0  # s, with the time to settle after it
QUIET = ((150.0, 195.0), (260.0, 300.0))  # s without gusts, in which a limit cycle would show
WRONG = 60.0  # s that the wrong design is flown
FINER = "2 ms"  # steps of RK4 that the flight is set beside
SPRINGS = 55.6  # Hz, of the upper stage along its axis
GROWS = 4e-4, 1e-2  # rad/s, between which its growth is measured


@dataclass
class Found:
    """What was flown."""

    one: ascents.Ascent
    log: ist.Log
    at: list[points.Point]
    margins: list[control.Margins]
    rings: list[Ringing]
    wrong: ist.Log
    moments: dict[str, Moments]
    finer: dict[str, Apart]
    hand: list[np.ndarray]


def run() -> Found:
    """Fly the ascent, let it ring, and fly the wrong design until it is lost."""
    one = ascents.ascent()
    _, _, at = ascents.thought()
    schedules = one.plan.first, one.plan.upper
    margins = [each for point in at for each in control.margins_of(point, schedules[int(point.upper)])]
    log = one.fly()
    rings = [ringing(t) for t in RINGS]
    wrong = ascents.ascent(filtered=False).fly(until=WRONG)
    bent = {name: moments(log, one.stack.shapes, *bar) for name, bar in STATIONS.items()}
    fine = one.fly(method="rk4", step=FINER)
    finer = {"ROS2": between(log, fine), "ROS3": between(one.fly(method="ros3"), fine)}
    hand = [by_hand(point.t) @ np.linalg.pinv(point.effect) for point in at if not point.upper]
    return Found(one, log, at, margins, rings, wrong, bent, finer, hand)


def study() -> Study:
    """Hold the flight to its limits."""
    about = __doc__.split("\n\n", 1)[1].rsplit("\n\n", 1)[0].strip()
    out = Study("heron_ascent", "The ascent with everything on", about)
    found = run()
    out.rows += flight_rows(found) + step_rows(found) + margin_rows(found) + hand_rows(found)
    out.rows += ring_rows(found) + wrong_rows(found) + heron_truth.rows()
    out.rows += gust_rows(found.log) + sensor_rows(found.log, av.NAME)
    out.rows += valve_rows(found.wrong, "designed for a rigid vehicle", 0.02)
    for name, draw in (
        ("flight", draw_flight),
        ("bode", draw_bode),
        ("nichols", draw_nichols),
        ("wrong", draw_wrong),
    ):
        out.pictures[f"heron_ascent_{name}.png"] = lambda path, draw=draw: draw(found).savefig(path, dpi=100)
    return out


ASKED = "asked for before the first flight"
BOTH = "one limit for both methods and all times; 0.2 where ROS2 has the axial mode late"
TILT = "the kick moves the tilt of guidance across its limit, where no model is linear"


def longest_at_stop(log: ist.Log) -> float:
    """Return the longest time, s, that an engine was at its stop."""
    worst = 0.0
    for name, limit in [*((f"tvc{k}.angle", ap.LIMIT) for k in range(1, 5)), ("upper_tvc.angle", ap.LIMIT2)]:
        t, at = log.times(name), (np.abs(log[name]) >= 0.995 * limit).any(axis=1)
        for begin in np.flatnonzero(at & ~np.append(False, at[:-1])):
            after = np.flatnonzero(~at[begin:])
            worst = max(worst, float(t[begin + after[0]] if len(after) else t[-1]) - float(t[begin]))
    return worst


def flight_rows(found: Found) -> list[Row]:
    """Position, attitude, gimbals, limit cycles."""
    log, case = found.log, "flight"
    off = ascents.away(found.one, found.log)[1]
    end = float(np.linalg.norm(off[-1]))
    rows = [
        Row(case, "position at T + 300 s, m", "below 1000", f"{end:.0f}", end, 1000.0, "against the reference"),
        Row(case, "position, most on the way, m", "", f"{np.linalg.norm(off, axis=1).max():.0f}",
            float(np.linalg.norm(off, axis=1).max()), 1000.0, "", "what is asked for at the end, on the way too", True),
    ]  # fmt: skip
    when, error = log.times("fsw.error"), np.degrees(np.linalg.norm(log["fsw.error"], axis=1))
    inside = (when >= GUST[0]) & (when <= GUST[1])
    for name, part, limit in (("outside the gust", ~inside, 2.0), ("inside the gust", inside, 5.0)):
        worst = float(error[part].max())
        at = f"at {when[part][int(np.argmax(error[part]))]:.1f} s"
        rows.append(Row(case, f"attitude {name}, deg", f"below {limit:g}", f"{worst:.2f}", worst, limit, at))
    true, t = log.series("imu.gyro.true_attitude").at(when), log.series("guidance.attitude").at(when)
    for words, other, limit, note, why in (
        ("attitude as navigated", log.series("imu.attitude").at(when), 0.05, "errors of the inertial unit",
         "twice what was seen: one draw of nine errors"),
        ("attitude beside the reference", t, 5.0, "with the tilt that guidance asks for to come back to its path",
         "1° of tilt in either axis beside errors of attitude, and the gust"),
    ):  # fmt: skip
        worst = max(float(np.linalg.norm(ist.attitude_error(*pair))) for pair in zip(true, other))
        rows.append(
            Row(
                case,
                f"{words}, most, deg",
                "",
                f"{np.degrees(worst):.3f}",
                np.degrees(worst),
                limit,
                note,
                why,
                True,
            )
        )
    stop = longest_at_stop(log)
    most = np.degrees(max(np.abs(log[f"tvc{k}.angle"]).max() for k in range(1, 5)))
    note = f"first stage {most:.2f} of 6°, upper {np.degrees(np.abs(log['upper_tvc.angle']).max()):.2f} of 5°"
    rows.append(Row(case, "gimbal at its stop, s", "at most 0.5", f"{stop:.2f}", stop, 0.5, note, ASKED))
    for (a, b), name in zip(QUIET, ("tvc1.angle", "upper_tvc.angle")):
        now = (log.times(name) >= a) & (log.times(name) <= b)
        y = np.degrees(log[name][now])
        swing = float(np.ptp(y - _smooth(y, 150), axis=0).max())
        rows.append(Row(case, f"gimbal swings faster than 3 s, T + {a:.0f} to {b:.0f} s, deg", "no limit cycle",
                        f"{swing:.4f}", swing, 0.1, "from peak to peak: noise of sensors"))  # fmt: skip
    rows += jet_rows(log)
    rows += [
        Row(case, f"bending moment at {name}, most, kN m", f"{np.abs(bent.loads).max() / 1e3:.0f}",
            f"{np.abs(bent.curvature).max() / 1e3:.0f}", bent.apart, 0.1,
            "loads of all above; curvature of the wall, by shapes alone")
        for name, bent in found.moments.items()
    ]  # fmt: skip
    pressed = log["aero_upper.dynamic_pressure"] * log["aero_upper.angle"]
    rows.append(
        Row(
            case,
            "q·α, most, Pa rad",
            "",
            f"{np.nanmax(pressed):.0f}",
            float(np.nanmax(pressed)),
            2500.0,
            "",
            "what the gust and the tilt make of the dynamic pressure; some 30 % above what was seen",
            True,
        )
    )
    drop = next(event for event in log.events if event.name == "staging")
    last = log.phases[-1]
    apart = float(np.linalg.norm(last[av.NAME].position[-1] - last["first"].position[-1]))
    rows.append(Row(case, "staging at, s", f"{points.separation(found.one.plan.reference):.1f}", f"{drop.t:.1f}",
                    abs(drop.t - points.separation(found.one.plan.reference)), 2.0,
                    f"the spent stage is {apart / 1e3:.1f} km behind at the end",
                    "tanks run dry as throttled in flight, the reference as throttled in it: 1 % of the burn",
                    True))  # fmt: skip
    return rows


def step_rows(found: Found) -> list[Row]:
    """The flight beside the same by another method and half the step."""
    ringing, shrinks = lags(SPRINGS, float(ascents.STEP.split()[0]) / 1e3)
    springs = f"the upper stage springs back: of {SPRINGS:g} Hz ROS2 makes {ringing:.1f}, and {shrinks:.3f} in a step"
    rows = []
    for name, apart in found.finer.items():
        case, way = f"{name} in {ascents.STEP} beside RK4 in {FINER}", "largest difference on the way"
        rows += [
            Row(case, "position at T + 300 s, m", "", "", apart.position, 0.5, "of 860 km"),
            Row(case, "attitude at T + 300 s, deg", "", "", apart.attitude, 1e-3),
            Row(case, "instant of the staging, s", "", "", apart.staging, 1e-3),
        ]
        soon = f"until {EASE:g} s after the staging"
        for words, error, tolerance, note in (
            ("of the stack", apart.stack, 0.02, way),
            (soon, apart.released, 0.02 if name == "ROS3" else 0.2, way if name == "ROS3" else springs),
            (f"{soon} but the axial one", apart.others, 0.02, way),
            ("later", apart.later, 0.02, way),
            ("at T + 300 s", apart.end, 0.02, "of the largest then"),
        ):
            rows.append(
                Row(case, f"modal coordinates {words}, of the largest", "", "", error, tolerance, note, BOTH)
            )
    return rows


def hand_rows(found: Found) -> list[Row]:
    """The allocation beside what gimbals do to the rigid vehicle."""
    when = ", ".join(f"{one.t:.0f}" for one in found.at if not one.upper)
    rows = []
    for k, axis in enumerate(points.AXES):
        ours = ", ".join(f"{one[k, k]:.4f}" for one in found.hand)
        worst = max(float(np.abs(one[k] - np.eye(3)[k]).max()) for one in found.hand)
        note = "of what is demanded, the other axes none; the rest is bending and air"
        rows.append(
            Row(
                f"allocation at T + {when} s",
                f"{axis} of the rigid vehicle, by hand",
                "1",
                ours,
                worst,
                0.02,
                note,
            )
        )
    return rows


def jet_rows(log: ist.Log) -> list[Row]:
    """How the upper stage rolls: what its rate swings by, and how many frames have a pulse of a jet."""
    a, b = QUIET[1]
    now, frames = (log.t >= a) & (log.t <= b), (log.times("jet1.width") >= a) & (log.times("jet1.width") <= b)
    rate = np.degrees(log.series("imu.gyro.omega").at(log.t)[now, 0])
    pulses = sum(int((log[f"jet{k}.width"][frames] >= 0.5 * ap.PULSE).sum()) for k in (1, 2))
    words = "no limit cycle"
    swing = float(np.ptp(rate))
    return [
        Row("flight", f"roll rate of the upper stage, T + {a:.0f} to {b:.0f} s, deg/s", words, f"{swing:.4f}", swing,
            0.01, "from peak to peak, without noise of sensors", ASKED),
        Row("flight", f"pulses of roll jets, T + {a:.0f} to {b:.0f} s", words, str(pulses), float(pulses), 20.0,
            f"of {int(frames.sum())} frames", ASKED),
    ]  # fmt: skip


def _smooth(y: np.ndarray, n: int) -> np.ndarray:
    """Return a running mean over n rows, ends repeated."""
    padded = np.pad(y, ((n // 2, n - n // 2 - 1), (0, 0)), mode="edge")
    total = np.cumsum(np.vstack([np.zeros((1, y.shape[1])), padded]), axis=0)
    return (total[n:] - total[:-n]) / n


def margin_rows(found: Found) -> list[Row]:
    """Margins of three loops, each over six times."""
    rows = []
    when = ", ".join(f"{one.t:.0f}" for one in found.at)
    for axis in points.AXES:
        mine = [each for each in found.margins if each.axis == axis]
        short = [min(max(m.peak + 6.0, 0.0), max(30.0 - m.bending_phase, 0.0)) for m in mine]
        held = "by gain" if all(m.peak <= -6.0 for m in mine) else "by gain, or by phase"
        for words, wanted, values, lacks, note in (
            ("rigid gain margin, dB", "6 at least", [m.gain for m in mine], [6.0 - m.gain for m in mine], ""),
            ("phase margin, deg", "30 at least", [m.phase for m in mine], [30.0 - m.phase for m in mine], ""),
            ("bending, highest peak, dB", "-6, or 30° aside", [m.peak for m in mine], short, held),
        ):
            ours = ", ".join(f"{value:.1f}" for value in values)
            case = f"{axis} at T + {when} s"
            rows.append(Row(case, words, wanted, ours, max(0.0, *lacks), 0.0, note))
    return rows


def ring_rows(found: Found) -> list[Row]:
    """Poles of the frame beside those of the run."""
    rows = []
    for ring in found.rings:
        case = f"kicked at T + {ring.t:.0f} s"
        note = "of the model as it changes in 3 s, and of half the difference of kicks either way"
        for words, model, run, digits in (
            ("decay of the first mode of bending, 1/s", -ring.model.real, -ring.run.real, 4),
            ("frequency of the first mode of bending, rad/s", ring.model.imag, ring.run.imag, 3),
        ):
            error = abs(run - model) / abs(model)
            rows.append(Row(case, words, f"{model:.{digits}f}", f"{run:.{digits}f}", error, 0.02, note))
        for name, apart in ring.apart.items():
            note = (
                "difference in 2 s, of the peak: the model goes from that of the begin to that of 3 s later"
            )
            across = ring.t == ACROSS and name == "pitch"
            cells = "", "", apart, 0.05 if across else 0.02, note, TILT * across, across
            rows.append(Row(case, f"{name} rate, model and run", *cells))
    return rows


def wrong_pole() -> complex:
    """Return the fastest growing pole of the wrong design at the first point, 1/s."""
    _, _, at = ascents.thought()
    z = np.asarray(control.closed_loop(at[0], ascents.plan(filtered=False).first).poles())
    s = np.log(z[np.abs(z) > 1e-3]) / ap.FRAME
    return complex(s[int(np.argmax(s.real))])


def wrong_rows(found: Found) -> list[Row]:
    """The wrong design: margins as its designer sees them, the pole of bending, and how fast the flight is lost."""
    pole = wrong_pole()
    y = found.wrong["imu.rate"][:, 1]
    rate, turns = growth(found.wrong.times("imu.rate"), y, pole.imag / (2 * np.pi), *GROWS)
    case = "designed for a rigid vehicle"
    largest = float(np.degrees(np.abs(found.wrong["tvc1.angle"]).max()))
    words = f"{pole.real:.3f} 1/s at {pole.imag / (2 * np.pi):.3f} Hz"
    return [
        Row(case, "unstable pole of the model", "right half plane", words, max(-pole.real, 0.0), 0.0),
        Row(case, "growth of the flight, 1/s", f"{pole.real:.3f}", f"{rate:.3f}", abs(rate / pole.real - 1.0), 0.05,
            "pitch rate of the inertial unit"),
        Row(case, "frequency of it, Hz", f"{pole.imag / (2 * np.pi):.4f}", f"{turns / (2 * np.pi):.4f}",
            abs(turns / pole.imag - 1.0), 0.02),
        Row(case, f"gimbal within {WRONG:g} s, deg", "swings", f"{largest:.1f}", 0.0 if largest > 1.0 else 1.0, 0.0),
    ]  # fmt: skip


def draw_flight(found: Found) -> Figure:
    """Draw position error, rates, attitude error, gimbals, propellant, q·α, amplitudes of shapes, bending moments."""
    log = found.log
    figure = new_figure(13.0, 15.0)
    axes = figure.subplots(5, 2)
    t, off = ascents.away(found.one, found.log)
    for k, name in enumerate(("up", "across", "down range")):
        axes[0, 0].plot(t, off[:, k], color=COLORS[k], lw=1, label=name)
    dress(axes[0, 0], "time, s", "position error, m", "centre of mass beside the reference", True)
    when = log.times("imu.rate")
    for k, name in enumerate(("roll", "pitch", "yaw")):
        axes[0, 1].plot(when, np.degrees(log["imu.rate"][:, k]), color=COLORS[k], lw=0.6, label=name)
        axes[1, 0].plot(
            log.times("fsw.error"), np.degrees(log["fsw.error"][:, k]), color=COLORS[k], lw=0.8, label=name
        )
    dress(axes[0, 1], "time, s", "rate, deg/s", "inertial unit", True)
    axes[1, 0].axvspan(*GUST, color=GREY, alpha=0.3)
    dress(axes[1, 0], "time, s", "attitude error, deg", "gust and 2 s after it shaded", True)
    for name, engine, color in (("tvc1.angle", "engine 1", BLUE), ("upper_tvc.angle", "upper stage", ORANGE)):
        for k, axis in enumerate(("pitch", "yaw")):
            axes[1, 1].plot(log.times(name), np.degrees(log[name][:, k]), color=color, lw=0.7, alpha=1.0 - 0.5 * k,
                            label=f"{engine}, {axis}")  # fmt: skip
    dress(axes[1, 1], "time, s", "gimbal, deg", "engine 1 and the engine of the upper stage", True)
    for k, tank in enumerate(("fuel", "lox", "upper")):
        axes[2, 0].plot(log.t, log.propellant[tank] / 1e3, color=COLORS[k], label=tank)
    dress(axes[2, 0], "time, s", "propellant, t", "", True)
    at = log.times("aero_upper.dynamic_pressure")
    pressure, angle = log["aero_upper.dynamic_pressure"], log["aero_upper.angle"]
    axes[2, 1].plot(at, pressure * angle, color=BLUE, lw=0.7, label="q·α, Pa rad")
    axes[2, 1].plot(at, pressure / 10.0, color=ORANGE, label="q / 10, Pa")
    axes[2, 1].set_xlim(0.0, 150.0)
    axes[2, 1].set_ylim(0.0, 4000.0)
    dress(axes[2, 1], "time, s", "", "the air", True)
    stack, upper = log.phases[0], log.phases[-1]
    for k in range(6):
        axes[3, 0].plot(
            stack.t, stack[av.NAME].eta[:, k], lw=0.6, color=COLORS[k % len(COLORS)], label=f"{k + 1}"
        )
    dress(axes[3, 0], "time, s", "√kg m", "amplitudes of shapes, stack", True)
    axes[3, 0].legend(frameon=False, fontsize=9, ncols=6, loc="lower right")
    for k in range(6):
        axes[3, 1].plot(
            upper.t, upper[av.NAME].eta[:, k], lw=0.6, color=COLORS[k % len(COLORS)], label=f"{k + 1}"
        )
    dress(axes[3, 1], "time, s", "√kg m", "amplitudes of shapes, upper stage", True)
    axes[3, 1].legend(frameon=False, fontsize=9, ncols=6, loc="lower right")
    for column, (name, bent) in enumerate(found.moments.items()):
        for k, plane in enumerate(("about y", "about z")):
            axes[4, column].plot(bent.t, bent.loads[:, k] / 1e3, lw=0.6, color=COLORS[k], label=plane)
        dress(axes[4, column], "time, s", "bending moment, kN m", f"loads above x = {name}", True)
    return figure


def draw_bode(found: Found) -> Figure:
    """Draw gain and phase of the pitch loop at six times."""
    figure = new_figure(14.0, 9.0)
    axes = figure.subplots(4, 3)
    for k, (one, hz, L) in enumerate(_pitch_loops(found)):
        gain, phase = axes[2 * (k // 3), k % 3], axes[2 * (k // 3) + 1, k % 3]
        gain.semilogx(hz, 20.0 * np.log10(np.abs(L)), color=BLUE, lw=1)
        for level in (0.0, -6.0):
            gain.axhline(level, color=GREY, ls="--", lw=0.8)
        gain.set_ylim(-70, 40)
        each = next(m for m in found.margins if m.t == one.t and m.axis == "pitch")
        words = f"T + {one.t:.0f} s: {each.gain:.1f} dB, {each.phase:.0f}°, bending {each.peak:.1f} dB"
        dress(gain, "", "gain, dB", words)
        phase.semilogx(hz, open_loop_phase(L), color=ORANGE, lw=1)
        phase.axhline(-180.0, color=GREY, ls="--", lw=0.8)
        dress(phase, "frequency, Hz", "phase, deg")
    return figure


def _pitch_loops(found: Found):
    for one in found.at:
        hz = control.grid(one)
        yield (
            one,
            hz,
            control.open_loops(one, found.one.plan.upper if one.upper else found.one.plan.first, hz)[:, 1],
        )


def draw_nichols(found: Found) -> Figure:
    """Draw the pitch loop at six times over its phase, with the region that margins keep clear."""
    figure = new_figure(14.0, 8.0)
    axes = figure.subplots(2, 3).ravel()
    for axis, (one, hz, L) in zip(axes, _pitch_loops(found)):
        dB, off = 20.0 * np.log10(np.abs(L)), np.degrees(np.angle(-L))  # from -180°
        off = np.where(np.append(False, np.abs(np.diff(off)) > 180.0), np.nan, off)
        slow = hz < 0.75 * one.bending[0]
        axis.plot(off[slow] - 180.0, dB[slow], color=BLUE, lw=1.2, label="rigid")
        axis.plot(off[~slow] - 180.0, dB[~slow], color=ORANGE, lw=0.8, label="bending")
        axis.fill([-210, -180, -150, -180], [0, 6, 0, -6], color=GREY, alpha=0.4)
        axis.set_xlim(-360, 0)
        axis.set_ylim(-50, 40)
        dress(axis, "phase, deg", "gain, dB", f"T + {one.t:.0f} s", True)
    return figure


def draw_wrong(found: Found) -> Figure:
    """Draw the flight of the wrong design: rate and gimbal, beside the growth of the linear model."""
    figure = new_figure(12.0, 4.0)
    left, right = figure.subplots(1, 2)
    t, y = found.wrong.times("imu.rate"), np.abs(np.degrees(found.wrong["imu.rate"][:, 1]))
    left.semilogy(t, y + 1e-6, color=BLUE, lw=0.8, label="flight, designed for a rigid vehicle")
    pole = wrong_pole()
    k = int(np.argmax(y > 0.1))
    left.semilogy(
        t, 0.1 * np.exp(pole.real * (t - t[k])), color=ORANGE, ls="--", label="unstable pole of the model"
    )
    good = np.abs(np.degrees(found.log["imu.rate"][:, 1]))
    now = found.log.times("imu.rate") <= WRONG
    left.semilogy(
        found.log.times("imu.rate")[now], good[now] + 1e-6, color=GREY, lw=0.8, label="for the flexible one"
    )
    left.set_ylim(1e-4, 1e2)
    dress(left, "time, s", "pitch rate, deg/s", "bending grows", True)
    right.plot(
        found.wrong.times("tvc1.angle"), np.degrees(found.wrong["tvc1.angle"][:, 0]), color=BLUE, lw=0.8
    )
    for limit in (-6.0, 6.0):
        right.axhline(limit, color=GREY, ls="--", lw=0.8)
    dress(right, "time, s", "gimbal, deg", "engine 1, stops dashed")
    return figure
