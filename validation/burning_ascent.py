"""A launcher of the class of Ares I from liftoff to the end of both stages, in one run of the engine.

The vehicle is that of `examples/burning_ascent.py`: two stages from decks, 620 t of grain, 138 t of oxygen and hydrogen
with two waves in each tank that follow its level, a nozzle on its gimbal, constant shapes for each phase (forty for
the stack, thirty-two of its structure and eight of its four slosh masses), damping at the current mass, internal flow
to the nozzle. Nothing is printed of such a flight: it is held against the rocket equation of each stage (straight up
under uniform gravity; the nozzle stands aside by 2 mrad at first and swings back), against the modes of the whole
structure over the burn, and against what a staging must keep.

*The strain energy that a staging keeps* is that of the new shapes. Release does no work, and the finite elements of the
upper stage keep all that the thrust has left in them; shapes that are to meet modes below 12 Hz hold a part. The
attachment shapes of the interface are balanced by the inertia of the reference fill: taken at half the fluid they lose
most at this cut, where the tanks are full (the first of the rows below), taken at full tanks little, which is how the
shapes here are chosen. More shapes keep the rest; the rows below split the same state onto both, and onto more and
more of them. Nothing is damped or released there, and the fit is one of mass, so that strain may also be a little more.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from validation.study import ROUNDS, Row, Study

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))


def study() -> Study:
    """The whole flight."""
    import burning_ascent as ascent

    out = Study("burning_ascent", "A launcher from liftoff to the end of both stages", __doc__)
    one = ascent.fly(whole=True)
    out.rows += speeds(ascent, one) + sweep(one) + staging(one) + kept(one)
    out.pictures["burning_ascent.png"] = lambda path: draw(one, path)
    return out


def speeds(ascent, one) -> list[Row]:
    """Speeds gained by both stages beside the rocket equation."""
    log, case = one.log, "liftoff to burnout"
    burn = log.phases[0]
    gained = float(np.linalg.norm(burn["ares"].velocity[-1, 3:]))
    time = float(burn.t[-1])
    wanted = ascent.THRUST / ascent.FLOW * np.log(one.mass / (one.mass - one.grain)) - 9.81 * time
    rows = [
        Row(
            case,
            "first stage, m/s",
            f"{wanted:.2f}",
            f"{gained:.2f}",
            abs(gained / wanted - 1.0),
            1e-3,
            "rocket equation",
        )
    ]
    upper = [phase for phase in log.phases[1:] if "ares" in phase.system.bodies]
    t = np.concatenate([phase.t for phase in upper])
    axial = np.concatenate([phase["ares"].velocity[:, 3] for phase in upper])
    lox = np.concatenate([phase.propellant["lox"] for phase in upper])
    m0 = 13 * 2.2e3 + ascent.LOX + ascent.LH2  # masses of thirteen grids, and all of the fluid
    end = int(np.argmax(lox <= lox.min() + 1.0))
    burnt = (ascent.LOX + ascent.LH2) * (lox[0] - lox[end]) / ascent.LOX
    speed = ascent.THRUST2 / ascent.FLOW2
    # thrust comes up with a lag, and so does the flow: the equation holds for what was burnt
    wanted = speed * np.log(m0 / (m0 - burnt)) - 9.81 * (t[end] - t[0])
    found = float(axial[end] - axial[0])
    note = "rocket equation for what was burnt; along the axis of the stage"
    rows.append(
        Row(case, "upper stage, m/s", f"{wanted:.2f}", f"{found:.2f}", abs(found / wanted - 1.0), 1e-2, note)
    )
    grain = float(log.propellant["grain"][0] - burn.propellant["grain"][-1])
    rows.append(
        Row(case, "grain burnt, kg", f"{one.grain:.3f}", f"{grain:.3f}", abs(grain / one.grain - 1.0), 1e-8)
    )
    return rows


def sweep(one) -> list[Row]:
    """First bending mode over the burn: constant shapes beside the whole structure."""
    rows = []
    for part in (1.0, 0.7, 0.35, 0.0):
        fill = {"grain": part * one.grain, "lox": 118e3, "lh2": 20e3}
        exact, ours = one.v.modes(fill, n_modes=12).frequencies_hz, one.shapes.modes(fill).frequencies_hz
        k = int(np.argmax(exact > 1.05))  # above the waves
        case, what = f"grain {100 * part:.0f} %", "first mode above the waves, Hz"
        error = abs(ours[k] / exact[k] - 1.0)
        rows.append(Row(case, what, f"{exact[k]:.4f}", f"{ours[k]:.4f}", error, 2e-3, "whole structure"))
        error = float(np.abs(ours[:12] / exact - 1.0).max())
        rows.append(
            Row(case, "twelve modes, largest error", "0", f"{error:.1e}", error, 2e-3, "certified 2e-3")
        )
    return rows


LOST = (
    "not judged: what shapes of the part cannot follow, a property of the set of shapes; rows below show it going to "
    "nothing with more of them"
)


def staging(one) -> list[Row]:
    """What the cut has changed."""
    rows = []
    for name, part in one.staging.parts.items():
        change = np.linalg.norm(part.momentum[1, 3:] - part.momentum[0, 3:]) / np.linalg.norm(
            part.momentum[0, 3:]
        )
        rows.append(
            Row("staging", f"momentum of '{name}'", "unchanged", "", float(change), 1e-13, "", ROUNDS, True)
        )
        kinetic = part.kinetic[0] - part.kinetic[1]
        rows.append(
            Row(
                "staging",
                f"kinetic energy of '{name}', J",
                "never more",
                "",
                max(0.0, -kinetic) / part.kinetic[0],
                1e-12,
            )
        )
        rows.append(
            Row(
                "staging", f"jump of a node of '{name}', m", "", f"{part.jump:.2g}", part.jump, None, why=LOST
            )
        )
        rows.append(
            Row(
                "staging",
                f"strain energy of '{name}', J",
                f"{part.strain[0]:.5g}",
                f"{part.strain[1]:.5g}",
                abs(part.strain[1] - part.strain[0]),
                None,
                "rigid parts keep none",
                LOST,
            )
        )
    change = one.log.phases[1].system.change
    before, after = change.momentum_before[3:], change.momentum_after[3:]
    error = float(np.linalg.norm(after - before) / np.linalg.norm(before))
    note = "parts, and the nozzle that hangs on one of them"
    rows.append(Row("staging", "momentum of all bodies", "unchanged", "", error, 1e-12, note))
    error = max(0.0, -change.energy_loss) / change.energy_before
    taken = f"{-change.energy_loss:.4g}"
    rows.append(Row("staging", "energy of all bodies, J", "never more", taken, error, 1e-12, note))
    return rows


def kept(one) -> list[Row]:
    """Strain energy of the upper stage after the cut, as its shapes grow; the elements themselves keep all of it."""
    from interstage.staged_vehicle import FreeFlightState, split

    last, shapes = one.log.phases[0]["ares"], one.shapes
    fill = {tank: float(rows[-1]) for tank, rows in one.log.phases[0].propellant.items()}
    motion = (last.position[-1], last.quaternion[-1], last.velocity[-1], last.eta[-1], last.etadot[-1])
    state = FreeFlightState(*motion, fill)
    upper, rows = one.v.without("first"), []
    for below, reference, tolerance in (
        (12.0, 0.5, None),
        (12.0, 1.0, 0.03),
        (40.0, 1.0, 0.01),
        (80.0, 1.0, 2e-3),
        (200.0, 1.0, 1e-5),
    ):
        after = upper.shapes(below_hz=below, error=5e-3, levels=5, reference=reference)
        before, now = split(shapes, state, {"ares": after})["ares"].strain
        what = f"strain energy kept by {len(after)} shapes (below {below:g} Hz), J"
        note = f"elements of the part; attachment shapes at fill {reference:g}"
        error = abs(now / before - 1.0)
        why = LOST if tolerance is None else ""
        rows.append(
            Row(
                "staging",
                what,
                f"{before:.5g}",
                f"{now:.5g}",
                error,
                tolerance,
                note,
                why,
                tolerance is not None,
            )
        )
    return rows


def draw(one, path) -> None:
    """Draw propellant, the frequencies over the burn, and the deflection of the nose."""
    from interstage.report.plots import COLORS, dress, new_figure

    figure = new_figure(8.0, 8.0)
    top, middle, low = figure.subplots(3, 1)
    for color, (name, rows) in zip(COLORS, one.log.propellant.items()):
        top.plot(one.log.t, rows / 1e3, color=color, lw=1.2, label=name)
    dress(top, "time, s", "propellant, t", legend=True)
    fills = one.shapes.report.fills
    for k in range(min(len(fill.exact_hz) for fill in fills)):
        middle.plot(
            [100 * (1 - f.part) for f in fills], [f.exact_hz[k] for f in fills], color=COLORS[0], lw=0.8
        )
    dress(middle, "grain burnt, %", "modes, Hz")
    for color, phase, shapes in zip(COLORS, (one.log.phases[0], one.log.phases[1]), (one.shapes, one.after)):
        row = 6 * shapes.row("upper", 13)
        bend = phase["ares"].eta @ shapes.elastic()[row : row + 3].T
        low.plot(phase.t, 1e3 * bend[:, 1], color=color, lw=0.8)
    dress(low, "time, s", "nose, mm")
    figure.savefig(path, dpi=110)
