"""A stage burns its tank and leaves: mass, centre of mass and inertia follow, and momentum is kept.

A probe sits on a stage with a propellant tank. The engine burns for a minute, the centre of mass travels as
the tank empties, and then the stage is left behind.

    python examples/burning_stage.py

Draws mass, centre of mass, inertia and speed into burning_stage.png.
"""

from __future__ import annotations

import numpy as np

from interstage.mass import CylinderFill, MassBody, Tank, print_tree
from interstage.multibody.dynbody import DynBody
from interstage.report.plots import BLUE, dress, new_figure
from interstage.spatial import Rotation

EXHAUST = 3100.0  # m/s
FLOW = 20.0  # kg/s


def build() -> tuple[DynBody, DynBody, Tank]:
    """Return probe, stage and tank, joined; structure axes of all have z up the stack."""
    stage = DynBody("stage", mass=180.0, position=[0, 0, 1.0], inertia=[90.0, 90.0, 60.0])
    engine = MassBody("engine", mass=60.0, position=[0, 0, -0.4], inertia=[4.0, 4.0, 2.0])
    tank = Tank(
        "tank", CylinderFill(radius=0.6, length=1.8, density=700.0), dry_mass=40.0, dry_position=[0, 0, 0.9]
    )
    probe = DynBody("probe", mass=420.0, position=[0, 0, 0.8], inertia=[150.0, 140.0, 80.0])

    tank.attach_to(stage, offset=[0, 0, 0.3])
    engine.attach_to(stage, offset=[0, 0, 0])
    # Two points meet face to face: their x axes point at each other, their z axes agree.
    up = Rotation.from_axis_angle([0, 1, 0], -90, degrees=True)  # x of the point along +z of the stage
    down = Rotation.from_axis_angle([0, 1, 0], 90, degrees=True)  # x of the point along -z of the probe
    stage.add_point("adapter", [0, 0, 2.4], up)
    probe.add_point("base", [0, 0, 0], down @ Rotation.from_axis_angle([1, 0, 0], 180, degrees=True))
    stage.attach_to(probe, point="adapter", parent_point="base")
    return probe, stage, tank


def draw(rows: list[tuple[float, ...]]) -> None:
    """Draw the history: rows of time, mass, centre of mass, inertia across, speed."""
    t, *curves = np.array(rows).T
    names = ("mass, kg", "centre of mass, m", "inertia across, kg m²", "speed, m/s")
    figure = new_figure(7.5, 4.6)
    for axes, curve, name in zip(figure.subplots(2, 2, sharex=True).ravel(), curves, names):
        axes.plot(t, curve, color=BLUE, lw=1.4)
        dress(axes, "time, s" if name[0] in "is" else "", name)
    figure.savefig("burning_stage.png", dpi=110)


def main() -> tuple[float, float]:
    """Fly, print what happens, and return the speed gained and the rocket equation's."""
    probe, stage, tank = build()
    probe.set_state(velocity=[0, 0, 0], rate=[0, 0, 0.2])
    print_tree(probe)

    start = probe.composite.mass
    thrust = {stage.point("adapter"): [0, 0, 0, FLOW * EXHAUST, 0, 0]}  # along x of the point, up the stack
    print("\n  time s   fill   mass kg   centre of mass m   I across   I along   speed m/s")
    dt, t, rows = 0.25, 0.0, []
    for k in range(241):
        total, speed = probe.composite, probe.state().velocity[2]
        rows.append((t, total.mass, total.position[2], total.inertia[0, 0], speed))
        if k % 40 == 0:
            print(
                f"{t:8.1f} {tank.fill:6.3f} {total.mass:9.1f} {total.position[2]:18.4f}"
                f" {total.inertia[0, 0]:10.1f} {total.inertia[2, 2]:9.1f} {speed:11.2f}"
            )
        taken = tank.burn(0.5 * FLOW * dt)
        if taken:
            probe.step(dt, thrust, frame="point")
        else:
            probe.step(dt)
        tank.burn(0.5 * FLOW * dt)
        t += dt
    ideal = EXHAUST * np.log(start / probe.composite.mass)
    gained = float(probe.state().velocity[2])

    draw(rows)
    before = probe.momentum()
    stage.detach()
    lost = np.abs(probe.momentum() + stage.momentum() - before).max() / np.abs(before).max()
    print(f"\nstage left at {t:.1f} s; momentum of both, relative change {lost:.1e}")
    print_tree(probe)
    print_tree(stage)
    return gained, float(ideal)


if __name__ == "__main__":
    gained, ideal = main()
    print(f"\nspeed gained {gained:.2f} m/s, rocket equation {ideal:.2f} m/s")
    assert abs(gained / ideal - 1.0) < 1e-4
