"""A launcher of the class of Ares I burns, drops its first stage and flies on: one run of the engine.

Two stages from decks that are written here, 620 t of grain in the first, 138 t of oxygen and hydrogen in the second
with two waves of slosh in each tank, a nozzle on its gimbal, and constant shapes with a certified error. Propellant is
a state of the run; the grain flows through the motor to the nozzle (jet damping). As the grain is burnt the stack is
cut in two: the upper stage rings, lights its engine and flies on, and the spent stage falls behind.

    python examples/burning_ascent.py [--whole]

flies the last seconds of the first stage and the first ones of the second; `--whole` goes from liftoff to the burnout
of both. Draws the flight into burning_ascent.png.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

import interstage as ist
from interstage import devices as dev
from interstage.nastran import deck_from_text
from interstage.report.plots import BLUE, ORANGE, dress, new_figure
from interstage.vehicle import PipeFlow, Tank

GRAIN, LOX, LH2 = 620e3, 118e3, 20e3  # kg
THRUST, FLOW = 13.0e6, 5000.0  # N, kg/s of the motor
THRUST2, FLOW2 = 1.3e6, 296.0  # of the upper stage
SHARE = LOX / (LOX + LH2)
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


def build() -> ist.Vehicle:
    """Return the launcher along x, slosh as shapes of the upper stage (four masses, at 20 m/s²)."""
    first = ist.Stage.from_deck(stage_deck(52.0, 13, (3e10, 1.2e11), 7e3, 2e4), "first")
    first.add_tank("grain", levels={GRAIN * s: GRAIN * s * column(14) for s in np.linspace(0.0, 1.0, 6)})
    waves = ""
    for grid, depth, mass, start in ((4, 5.0, 0.5 * LOX, 9001), (8, 8.0, 0.5 * LH2, 9101)):
        tank = dev.CylinderSlosh(radius=2.7, depth=depth, mass=mass, n=2)
        waves += dev.slosh_cards(
            tank, grid=grid, bottom=[3.0 * (grid - 1), 0, 0], first=start, acceleration=20.0, damping=0.005
        )
    upper = ist.Stage.from_deck(stage_deck(36.0, 12, (1.2e10, 4e10), 2.2e3, 6e3, waves), "upper")
    # half of each fluid sloshes and stays; the rest burns
    upper.add_tank("lox", levels={0.0: 0 * column(4), 0.5 * LOX: 0.5 * LOX * column(4)}, nodes=range(2, 6))
    upper.add_tank("lh2", levels={0.0: 0 * column(4), 0.5 * LH2: 0.5 * LH2 * column(4)}, nodes=range(6, 10))
    v = ist.Vehicle("ares", gravity=[-9.81, 0.0, 0.0])
    v.add(first)
    v.add(upper, at=[52.0, 0.0, 0.0])
    v.join("separation", ("first", 14), ("upper", 1))
    return v


def flight_of(v: ist.Vehicle, shapes, grain: float) -> tuple[ist.Assembly, ist.System]:
    """Return the launcher with its motor on a gimbal, the tanks as states, and an engine of the upper stage."""
    mb = v.multibody(shapes, propellant={"grain": grain}, damping=damping)
    foot, base = shapes.node_id("first", 1), shapes.node_id("upper", 1)
    gimbal = ist.Universal(("y", "z"), stiffness=6e7, damping=1.5e6)
    nozzle = {"mass": 5e3, "com": [-1.2, 0, 0], "inertia": [4e3, 6e3, 6e3]}
    mb.add_body("nozzle", **nozzle, parent="ares", at=foot, joint=gimbal)
    system = mb.compile()
    flight = ist.Assembly("ascent", vehicle=system)
    flight.add("grain", Tank(of="grain"))
    flight.add("lox", Tank(of="lox", share=SHARE)).add("lh2", Tank(of="lh2", share=1.0 - SHARE))
    flight.add("motor", dev.Engine(body="nozzle", thrust=THRUST, flow=FLOW, level=1.0, lag="50 ms"))
    flight.add(
        "engine", dev.Engine(body=("ares", base), thrust=THRUST2, flow=FLOW2, throttle=0.0, lag="0.3 s")
    )
    path = [("ares", shapes.node_id("first", k)) for k in range(14, 0, -1)]
    flight.add("pipe", PipeFlow(at=path, share=[k / 14 for k in range(1, 15)]))
    flight.wire({"motor.mass_flow": "grain.flow", "grain.loss": "pipe.flow", "grain.feeds": "motor.throttle"})
    flight.wire({"engine.mass_flow": ["lox.flow", "lh2.flow"]})
    return flight, system


def damping(hz: float) -> float:
    """Half a percent, more above what the shapes were chosen for."""
    return 0.005 if hz < 12.0 else 0.05


def main(whole: bool = False) -> tuple[float, float]:
    """Fly; return the speed gained while the grain burnt and the rocket equation's."""
    v = build()
    attach = ["separation", ("first", 1, "yz")]
    shapes = v.shapes(below_hz=8.0, error=2e-3, levels=5, burning=["grain"], attach=attach)
    after = v.without("first").shapes(below_hz=12.0, error=2e-3, levels=3)
    print(shapes.report.title, f"frequencies within {shapes.report.frequency_error:.0e}", sep="\n")
    grain = GRAIN if whole else 3.0 * FLOW
    flight, system = flight_of(v, shapes, grain)
    x = system.state()
    x["nozzle"].q[:] = [0.0, 0.004]
    drop = v.staging("separation", when=v.empty("grain"), shapes=after, damping=damping)
    drop = replace(drop, action=[drop.action, {"engine.throttle": 1.0}])
    until = grain / FLOW + (470.0 if whole else 3.0)
    log = ist.simulate(
        flight, x, until=until, step="1 ms", method="ros2", log_step=1.0 if whole else 0.01, events=[drop]
    )
    staging = drop.action[0]
    print(log.phases[1].system.change, *staging.parts.values(), sep="\n")
    burn, coast = log.phases[0], log.phases[-1]
    gained = float(np.linalg.norm(burn["ares"].velocity[-1, 3:]))
    empty = system.mass_properties(x).mass - grain
    time = float(burn.t[-1])
    wanted = THRUST / FLOW * np.log((empty + grain) / empty) - 9.81 * time
    print(f"burnout at {time:.2f} s and {gained:.1f} m/s; rocket equation, straight up: {wanted:.1f} m/s")
    gap = coast["ares"].position[-1, 0] - coast["first"].position[-1, 0]
    print(
        f"the spent stage is {gap:.1f} m behind, {log.propellant['lox'][-1] / 1e3:.1f} t of oxygen are left"
    )
    draw(log, shapes, after)
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
