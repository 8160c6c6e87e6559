"""Fly a launcher with everything on: propellant burns, air and gusts, hydraulic gimbals, bending, software in Python.

The demo's launcher as two stages that burn: four gimballed engines on hydraulic actuators, forces of the air on nodes,
wind and turbulence, an inertial unit with nine error terms on a node that bends. A reference comes from a pitch
programme of a point mass, gains and notches from linear models at six times of flight. The loops have their margins
before anything flies; the same gains without notches, as for a rigid vehicle, are unstable in bending.

    python examples/heron_ascent.py [seconds]

flies the first seconds; 300 is the whole ascent with its staging. Draws the loops and the flight into heron_ascent.png.
The parts: `interstage.demo.ascent_vehicle` (stages, tanks, shapes), `ascent_plant` (devices), `ascent_points` (linear
models), `ascent_control` (design, margins), `ascent_law` (software), `ascent_flight` (all of it as one assembly).
"""

from __future__ import annotations

import sys

import numpy as np

from interstage.demo import ascent_control as control
from interstage.demo import ascent_plant as plant
from interstage.demo import ascent_points as points
from interstage.demo.ascent_control import AscentPlan
from interstage.demo.ascent_flight import ascent
from interstage.report.plots import BLUE, COLORS, GREY, ORANGE, dress, new_figure


def design() -> tuple[list[points.Point], AscentPlan, AscentPlan]:
    """Return linear models, and what the software knows: designed for the flexible vehicle, and for a rigid one."""
    reference, stack = points.reference(), plant.Stack.of()
    at = points.points(stack, reference)
    lever, drop = np.array([(one.t, one.lever) for one in at]), points.separation(reference)
    plans = [AscentPlan(*control.design(at, filtered=f), reference, lever, drop) for f in (True, False)]
    return at, plans[0], plans[1]


def fastest_growth(one: points.Point, plan: AscentPlan) -> float:
    """Return how fast bending grows in the closed loop, 1/s; negative: it is damped."""
    z = np.asarray(control.closed_loop(one, plan.upper if one.upper else plan.first).poles())
    s = np.log(z[np.abs(z) > 1e-3]) / plant.FRAME
    return float(s[s.imag > 2 * np.pi * 0.7 * one.bending[0]].real.max())


def main(until: float = 10.0) -> None:
    """Design, look at the margins, fly, draw."""
    at, plan, rigid = design()
    print(
        "time, s   first bending, Hz   rigid margins       bending   growth of bending, 1/s: this design, rigid design"
    )
    held = []
    for one in at:
        pitch = control.margins_of(one, plan.upper if one.upper else plan.first)[1]
        growth = fastest_growth(one, plan), fastest_growth(one, rigid)
        print(
            f"{one.t:7.0f} {one.bending[0]:15.2f}        {pitch.gain:5.1f} dB {pitch.phase:4.0f}°   "
            f"{pitch.peak:6.1f} dB          {growth[0]:6.2f}  {growth[1]:6.2f}"
        )
        held.append(pitch.holds and growth[0] < 0.0)
    assert all(held), "rigid margins of 6 dB and 30 deg, bending below -6 dB"
    assert fastest_growth(at[0], rigid) > 0.1, "what a rigid vehicle would forgive"
    flight = ascent()
    log = flight.fly(until=until)
    error = np.degrees(np.abs(log["fsw.error"])).max()
    height, left = log["earth.altitude"][-1], sum(log.propellant[tank][-1] for tank in ("fuel", "lox"))
    print(
        f"at {until:g} s: {height:.0f} m high, {left / 1e3:.1f} t left in the first stage",
        *log.events,
        sep="\n",
    )
    print(
        f"attitude within {error:.2f} deg, gimbals within {np.degrees(np.abs(log['tvc1.angle'])).max():.2f} deg"
    )
    assert error < 5.0
    draw(at, plan, rigid, log)


def draw(at, plan, rigid, log) -> None:
    """Draw the pitch loop at lift-off with and without filters, attitude error and gimbals."""
    figure = new_figure(11.0, 7.0)
    axes = figure.subplots(2, 2)
    for one, axis in ((at[0], axes[0, 0]), (at[2], axes[0, 1])):
        hz = control.grid(one)
        for name, each, color in (("rigid design", rigid, ORANGE), ("this design", plan, BLUE)):
            L = control.open_loops(one, each.first, hz)[:, 1]
            axis.semilogx(hz, 20.0 * np.log10(np.abs(L)), color=color, lw=1, label=name)
        axis.axhline(-6.0, color=GREY, ls="--", lw=0.8)
        dress(axis, "frequency, Hz", "gain, dB", f"pitch loop at T + {one.t:.0f} s", True)
    for k, name in enumerate(("roll", "pitch", "yaw")):
        t, y = log.times("fsw.error"), np.degrees(log["fsw.error"][:, k])
        axes[1, 0].plot(t, y, color=COLORS[k], lw=0.8, label=name)
    dress(axes[1, 0], "time, s", "attitude error, deg", "", True)
    axes[1, 1].plot(log.times("tvc1.angle"), np.degrees(log["tvc1.angle"]), lw=0.8)
    dress(axes[1, 1], "time, s", "gimbal of engine 1, deg")
    figure.savefig("heron_ascent.png", dpi=110)


if __name__ == "__main__":
    main(*(float(word) for word in sys.argv[1:]))
