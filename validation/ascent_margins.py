"""Margins of the ascent's attitude loops, dispersed in mass, stiffness, damping, thrust and wind.

python -m validation ascent_margins            600 runs, in as many processes as there are cores
ASCENT_RUNS=20 python -m validation ascent_margins
ASCENT_FOLDER=margins python -m validation ascent_margins        goes on where an earlier call ended
"""

from __future__ import annotations

import os
from functools import cache

import numpy as np
from scipy import stats

import interstage as ist
from interstage.demo import ascent_control as control
from interstage.demo import ascent_points as points
from interstage.demo.ascent_control import Schedule
from interstage.demo.ascent_plant import Stack
from interstage.demo.ascent_reference import Reference
from validation.study import Row, Study

RUNS = int(os.environ.get("ASCENT_RUNS", "600"))
FOLDER = os.environ.get("ASCENT_FOLDER")
TIMES = (10.0, 73.0, 125.0)  # s: after lift-off, where the air presses most, light and fast
DISPERSIONS = {
    "mass": stats.norm(1.0, 0.01),  # of structures
    "stiffness": stats.norm(1.0, 0.05),
    "damping": stats.uniform(0.6, 0.8),
    "thrust": stats.norm(1.0, 0.01),
    "wind": stats.truncnorm(-2.5, 2.5, 1.0, 0.4),
}
CONFIDENCE = 0.95
LEVEL = (1.0 - CONFIDENCE) ** (1.0 / RUNS)  # that the worst of so many bounds, whatever the distribution
KINDS = {  # output: which end is bad, what it is
    "gain": (100.0 * (1.0 - LEVEL), "rigid gain margin, dB"),
    "phase": (100.0 * (1.0 - LEVEL), "rigid phase margin, deg"),
    "bending": (100.0 * LEVEL, "peak of bending, dB"),
    "bending phase": (100.0 * (1.0 - LEVEL), "phase of bending above -6 dB, deg"),
}
ENOUGH = 200  # runs for a standard deviation
ABOUT = """The attitude law of the ascent (`interstage.demo.ascent_control`) is designed on linear models of the
vehicle as it is thought to be. Here {runs} vehicles differ from it: dry mass and thrust by 1 %, stiffness
by 5 % (one sigma), damping by up to 40 %, the wind by 40 % (one sigma). Each is trimmed and linearized on
the reference, and the loops are opened at the demand of one axis, the other two closed; a margin is the
worst of roll, pitch and yaw. The reference is the vehicle as it was thought, ours the level that {level:.1f} %
of the runs keep; in such rows error is what lies between the two, margin that the dispersion takes, and no
fault of a calculation. The worst of {runs} runs, which the note names, bounds what {level:.1f} % of all such vehicles
keep at {confidence:.0f} % confidence, whatever the distribution. Standard deviations are held beside those from
slopes at the middle, each number alone by one sigma; their tolerance (three sigma of chance and 3 %) was set
after runs had been seen, in place of 30 % before them. Margins are interpolated at crossings: phases spread by some
hundredths of a degree, as much as lies between two of the frequencies. Every run is
some seconds of work for a core.

Rigid margins hardly move. Bending does: the notches stand on the frequencies of the vehicle as it is thought
to be, and three sigma of stiffness move these by 7.5 %. How many vehicles have a peak above -6 dB with less
than 30 deg of phase, which the design would not allow, is counted: what a test of the real structure is for."""


@cache
def designed() -> tuple[Reference, tuple[Schedule, Schedule]]:
    """Return the reference, and the schedules of the law for the vehicle as it is thought to be."""
    flown = points.reference()
    return flown, control.design(points.points(Stack.of(), flown))


def margins_with(numbers: dict[str, float]) -> dict[str, float]:
    """Return the worst of three loops at each time, of the law that was designed, with another vehicle."""
    flown, schedules = designed()
    stack = Stack.of(numbers["mass"], numbers["stiffness"], numbers["damping"])
    found = {}
    for one in points.points(stack, flown, thrust=numbers["thrust"], wind=numbers["wind"], times=TIMES):
        loops = control.margins_of(one, schedules[int(one.upper)])
        found |= {
            f"gain {one.t:g} s": min(each.gain for each in loops),
            f"phase {one.t:g} s": min(each.phase for each in loops),
            f"bending {one.t:g} s": max(each.peak for each in loops),
            f"bending phase {one.t:g} s": min(each.bending_phase for each in loops),
        }
    return found


def run(row: ist.Row) -> dict[str, float]:
    """Return the margins of one run."""
    return margins_with(dict(row))


def slopes() -> dict[str, float]:
    """Return standard deviations of all margins from their slopes at the middle: √Σ (∂m/∂p σ_p)²."""
    middle = {name: float(one.mean()) for name, one in DISPERSIONS.items()}
    squares: dict[str, float] = {}
    for name, one in DISPERSIONS.items():
        h = float(one.std())
        up, down = (margins_with({**middle, name: middle[name] + sign * h}) for sign in (1.0, -1.0))
        for margin in up:
            squares[margin] = squares.get(margin, 0.0) + (0.5 * (up[margin] - down[margin])) ** 2
    return {margin: float(np.sqrt(total)) for margin, total in squares.items()}


TAKEN = "not judged: margin that the dispersion takes is a result, for which there is no other source"
MISSED = (
    "not judged: what the dispersion makes of a design whose notches stand on one vehicle, against the 6 dB or 30 deg "
    "that it has there"
)
FEW = "not judged: too few runs for a standard deviation"


def study() -> Study:
    """Fly nothing: linear models of every run, their loops with the law that was designed, levels of margins."""
    found = ist.monte_carlo(run, DISPERSIONS, RUNS, 7, None, FOLDER)
    nominal, spread = margins_with(dict.fromkeys(DISPERSIONS, 1.0)), slopes()
    rows = []
    for t in TIMES:
        for kind, (percent, words) in KINDS.items():
            name = f"{kind} {t:g} s"
            level, values = found.percentile(name, percent), found[name]
            worst = np.nanmin(values) if percent < 50.0 else np.nanmax(values)
            note = f"worst run {int(np.flatnonzero(values == worst)[0])}: {worst:.2f}"
            ours = f"{level.value:.2f}"
            size = abs(level.value - nominal[name])
            rows.append(Row(f"t = {t:g} s", words, f"{nominal[name]:.2f}", ours, size, None, note, TAKEN))
        neither = (found[f"bending {t:g} s"] > -6.0) & (found[f"bending phase {t:g} s"] < 30.0)
        count = int(neither.sum())
        words = "vehicles whose bending is neither 6 dB down nor has 30 deg"
        rows.append(
            Row(f"t = {t:g} s", words, "0", f"{count} of {RUNS}", count / RUNS, None, "not met", MISSED)
        )
    for t in TIMES:
        for kind in ("gain", "phase"):
            name = f"{kind} {t:g} s"
            ours, theory = float(np.nanstd(found[name])), spread[name]
            words = f"standard deviation, {KINDS[kind][1]}"
            held = abs(ours / theory - 1.0)
            # three sigma of chance, 3 / sqrt(2 runs), and 3 % for curvature
            limit = 3.0 / np.sqrt(2.0 * RUNS) + 0.03 if RUNS >= ENOUGH else None
            why = FEW if limit is None else "three sigma of chance, and 3 % for curvature"
            cells = f"{theory:.4f}", f"{ours:.4f}", held, limit, "", why, limit is not None
            rows.append(Row(f"t = {t:g} s", words, *cells))
    rows.append(Row("all", "runs that failed", "0", str(len(found.errors)), float(len(found.errors)), 0.0))
    return Study(
        "ascent_margins",
        "Margins of a dispersed ascent",
        ABOUT.format(runs=RUNS, level=100.0 * LEVEL, confidence=100.0 * CONFIDENCE),
        rows,
        pictures={"ascent_margins.png": found.scatter("stiffness", f"bending {TIMES[1]:g} s").savefig},
    )
