"""A launcher of the class of Ares I burns, drops its first stage and flies on: one run of the engine.

Two stages from decks that are written here, 620 t of grain in the first, 138 t of oxygen and hydrogen in the second
with two waves of slosh in each tank that follow its level, a nozzle on its gimbal, and constant shapes with a certified
error. Propellant is
a state of the run; the grain flows through the motor to the nozzle (jet damping). As the grain is burnt the stack is
cut in two: the upper stage rings, lights its engine and flies on, and the spent stage falls behind.

    python examples/burning_ascent.py [--whole]

flies the last seconds of the first stage and the first ones of the second; `--whole` goes from liftoff to the burnout
of both, and writes a report, burning_ascent.html. Draws the flight into burning_ascent.png.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

import numpy as np

import interstage as ist
from interstage import devices as dev
from interstage.nastran import deck_from_text
from interstage.report.burning import burning_report
from interstage.report.plots import BLUE, ORANGE, dress, new_figure
from interstage.staged_vehicle import ReducedBasis

GRAIN, LOX, LH2 = 620e3, 118e3, 20e3  # kg
THRUST, FLOW = 13.0e6, 5000.0  # N, kg/s of the motor
THRUST2, FLOW2 = 1.3e6, 296.0  # of the upper stage
SHARE, RESIDUAL = LOX / (LOX + LH2), 0.02
BELOW = 36.0  # Hz, of modes that the whole flight has: forty shapes, eight of them waves
YOUNG = 7e10


def stage_deck(
    length: float, n: int, stiff: tuple[float, float], mass: float, roll: float, more: str = ""
) -> object:
    """Return the deck of a dry stage along x: n bars of stiffness EA and EI, lumped masses, and more cards."""
    EA, EI = stiff
    cards = [
        f"MAT1,1,{YOUNG:.6e},,0.3,0.",
        f"PBAR,1,1,{EA / YOUNG:.6e},{EI / YOUNG:.6e},{EI / YOUNG:.6e},{EI / YOUNG:.6e}",
    ]
    for k in range(n + 1):
        cards.append(f"GRID,{k + 1},,{length * k / n:.6f},0.,0.")
        cards += [f"CONM2,{101 + k},{k + 1},,{mass:.6e}", f",{roll:.6e},,{roll:.6e},,,{roll:.6e}"]
    cards += [f"CBAR,{k},1,{k},{k + 1},0.,1.,0." for k in range(1, n + 1)]
    return deck_from_text("SOL 103\nCEND\nBEGIN BULK\n" + "\n".join(cards) + "\n" + more + "ENDDATA\n")


def column(n: int) -> np.ndarray:
    """One kilogram, spread over n nodes, with a little inertia about every axis."""
    return np.kron(np.eye(n), np.diag([1.0, 1.0, 1.0, 0.6, 0.6, 0.6])) / n


def build(slosh: bool = True) -> ist.StagedVehicle:
    """Return the launcher along x, with its engines, and four waves of slosh as shapes of the upper stage."""
    first = ist.Stage.from_deck(stage_deck(52.0, 13, (3e10, 1.2e11), 7e3, 2e4), "first")
    first.add_tank("grain", levels={GRAIN * s: GRAIN * s * column(14) for s in np.linspace(0.0, 1.0, 6)})
    upper = ist.Stage.from_deck(stage_deck(36.0, 12, (1.2e10, 4e10), 2.2e3, 6e3), "upper")
    for tank, mass, nodes in (("lox", LOX, range(2, 6)), ("lh2", LH2, range(6, 10))):
        levels = {mass * s: mass * s * column(4) for s in (RESIDUAL, 1.0)}
        upper.add_tank(tank, levels=levels, nodes=nodes)
    v = ist.StagedVehicle("ares", gravity=[-9.81, 0.0, 0.0])
    v.add(first)
    v.add(upper, at=[52.0, 0.0, 0.0])
    v.join("separation", ("first", 14), ("upper", 1))
    for tank, mass, depth, bottom, node in (("lox", LOX, 4.5, 6.0, 4), ("lh2", LH2, 12.0, 14.0, 8)):
        if slosh:
            fluid = dev.CylinderSlosh(radius=2.7, depth=depth, mass=mass, n=2)
            v.add_slosh(tank, fluid, node=node, bottom=[bottom, 0, 0], acceleration=20.0)
    nozzle = ist.RigidInertia(5e3, [-1.2, 0.0, 0.0], np.diag([4e3, 6e3, 6e3]))
    v.add_engine(
        "motor", at=("first", 1), feeds={"grain": 1.0}, thrust=THRUST, flow=FLOW, lag="50 ms", nozzle=nozzle,
        gimbal=ist.Universal(("y", "z"), stiffness=6e7, damping=1.5e6),
        path=[("first", k) for k in (14, 11, 8, 5, 3, 1)],
    )  # fmt: skip
    feeds = {"lox": SHARE, "lh2": 1.0 - SHARE}
    v.add_engine(
        "engine", at=("upper", 1), feeds=feeds, thrust=THRUST2, flow=FLOW2, throttle=0.0, lag="0.3 s"
    )
    return v


def damping(hz: float) -> float:
    """Half a percent, more above what the shapes were chosen for."""
    return 0.005 if hz < 12.0 else 0.05


@dataclass
class Ascent:
    """A flight: the vehicle, its shapes before and after the staging, the staging and the log."""

    v: ist.StagedVehicle
    shapes: ReducedBasis
    after: ReducedBasis
    staging: object
    log: ist.Log
    grain: float
    mass: float  # at first, kg


def fly(whole: bool = False) -> Ascent:
    """Fly the last of the grain and the first of the upper stage, or all from liftoff to the end of both."""
    v = build()
    attach = ["separation", ("first", 1, "yz")]
    below = BELOW if whole else 8.0
    shapes = v.shapes(below_hz=below, error=2e-3, levels=5, burning=["grain"], attach=attach)
    # tanks are full at the cut: so is the reference, whose inertia balances the attachment shapes of the interface
    after = v.without("first").shapes(below_hz=12.0, error=5e-3, levels=5, reference=1.0)
    grain = GRAIN if whole else 3.0 * FLOW
    system = v.multibody(shapes, propellant={"grain": grain}, damping=damping).compile()
    flight = v.assembly(system, name="ascent")
    x = system.state()
    x["motor nozzle"].q[:] = [0.0, 0.002]
    drop = v.staging("separation", when=v.empty("grain"), shapes=after, damping=damping)
    drop = replace(drop, action=[drop.action, {"engine.throttle": 1.0}])
    dry = replace(v.empty("lox"), action={"engine.throttle": 0.0})
    until = round(grain / FLOW + ((1.0 - RESIDUAL) * (LOX + LH2) / FLOW2 + 10.0 if whole else 3.0))
    rows = 0.1 if whole else 0.01
    log = ist.simulate(flight, x, until=until, step="1 ms", method="ros2", log_step=rows, events=[drop, dry])
    return Ascent(v, shapes, after, drop.action[0], log, grain, float(system.mass_properties(x).mass))


def main(whole: bool = False) -> tuple[float, float]:
    """Fly; return the speed gained while the grain burnt and the rocket equation's."""
    one = fly(whole)
    log, shapes = one.log, one.shapes
    print(shapes.report.title, f"frequencies within {shapes.report.frequency_error:.0e}", sep="\n")
    print(log.phases[1].system.change, *one.staging.parts.values(), sep="\n")
    burn, coast = log.phases[0], log.phases[-1]
    gained = float(np.linalg.norm(burn["ares"].velocity[-1, 3:]))
    time = float(burn.t[-1])
    wanted = THRUST / FLOW * np.log(one.mass / (one.mass - one.grain)) - 9.81 * time
    print(f"burnout at {time:.2f} s and {gained:.1f} m/s; rocket equation, straight up: {wanted:.1f} m/s")
    gap = coast["ares"].position[-1, 0] - coast["first"].position[-1, 0]
    left = log.propellant["lox"][-1] / 1e3
    print(f"the spent stage is {gap:.1f} m behind, {left:.1f} t of oxygen are left")
    draw(log, shapes, one.after)
    if whole:
        burning_report(log, "ares", [shapes, one.after], [one.staging]).save("burning_ascent.html")
    return gained, wanted


def draw(log, shapes, after) -> None:
    """Draw the propellant, and the deflection of the nose beside the foot of the upper stage."""
    figure = new_figure(7.5, 5.5)
    top, low = figure.subplots(2, 1)
    for name, color in (("grain", BLUE), ("lox", ORANGE)):
        top.plot(log.t, log.propellant[name] / 1e3, color=color, lw=1.2, label=name)
    dress(top, "time, s", "propellant, t", legend=True)
    for phase, one, color in ((log.phases[0], shapes, BLUE), (log.phases[-1], after, ORANGE)):
        row = 6 * one.row("upper", 13)
        bend = phase["ares"].eta @ one.elastic()[row : row + 3].T
        low.plot(
            phase.t, 1e3 * bend[:, 1], color=color, lw=1.0, label="stack" if color == BLUE else "upper stage"
        )
    dress(low, "time, s", "nose, mm", legend=True)
    figure.savefig("burning_ascent.png", dpi=110)


if __name__ == "__main__":
    gained, wanted = main("--whole" in sys.argv)
    # thrust dies with a lag of 50 ms behind the last of the grain
    assert abs(gained / wanted - 1.0) < 0.02
