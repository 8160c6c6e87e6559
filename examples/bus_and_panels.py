"""A spacecraft with two flexible panels on drives: modes against drive angle, a slew, and what it does to the tips.

python examples/bus_and_panels.py

Draws frequencies against drive angle and the motion of a tip into bus_and_panels.png.
"""

from __future__ import annotations

import numpy as np

from interstage.component import Component
from interstage.fem import lumped_beam
from interstage.multibody import Free, Locked, Multibody, Revolute, System
from interstage.report.plots import BLUE, COLORS, dress, new_figure
from interstage.simulation import Log, simulate
from interstage.spatial import Rotation

NODES = 7


def panel_component() -> Component:
    """Return a panel 4 m long along x as a chain of lumped masses on bending springs."""
    mass = [20.0 / NODES] * 3 + [0.6, 0.05, 0.6]
    K, M, nodes = lumped_beam(4.0, NODES - 1, EA=1e6, GJ=200.0, EI=(12000.0, 600.0), mass=mass)
    return Component.from_matrices(K, M, nodes, n_modes=10, aset={1: 123456}, name="panel")


def spacecraft() -> System:
    """Return bus, two panels on drives about their long axis, and a sensor on the tip of one."""
    panel = panel_component()
    mb = Multibody("spacecraft")
    mb.add_body("bus", mass=800.0, com=[0, 0, 0.3], inertia=[400.0, 350.0, 300.0], joint=Free())
    turned = Rotation.from_axis_angle([0, 0, 1], 180, degrees=True)
    drive = Revolute("x", stiffness=500.0, damping=20.0)
    mb.add_body("left", component=panel, parent="bus", at=[1.0, 0, 0], joint=drive, damping=0.005)
    mb.add_body(
        "right", component=panel, parent="bus", at=[-1.0, 0, 0], rotation=turned, joint=drive, damping=0.005
    )
    mb.add_body("sensor", mass=1.5, parent="left", at=NODES, joint=Locked())
    return mb.compile()


def draw(system: System, push: Log, coast: Log) -> None:
    """Draw the first elastic frequencies against drive angle, and the left tip's bend in the slew."""
    figure = new_figure(8.0, 3.4)
    left, right = figure.subplots(1, 2)
    angles, x = np.arange(0.0, 91.0, 5.0), system.state()
    sweep = []
    for angle_deg in angles:
        x["left"].q[:] = x["right"].q[:] = np.deg2rad(angle_deg)
        sweep.append(system.modes(x).frequencies_hz[6:11])
    for k, curve in enumerate(np.array(sweep).T):
        left.plot(angles, curve, color=COLORS[k], lw=1.4)
    dress(left, "drive angle, deg", "frequency, Hz", "first five elastic modes")
    t, across = [], []
    for log, start in ((push, 0.0), (coast, push.t[-1])):
        for k in range(0, len(log), 4):
            x = log.state(k)
            tip = system.position(x, "left", NODES) - system.position(x, "left", 1)
            t.append(start + log.t[k])
            across.append(1e3 * system.rotation(x, "bus")[:, 1] @ tip)
    right.plot(t, across, color=BLUE, lw=1.2)
    dress(right, "time, s", "tip across the panel, mm", "a torque on the bus for one second")
    figure.savefig("bus_and_panels.png", dpi=110)


def main() -> None:
    """Sweep the drives, then turn the bus by a torque for one second."""
    system = spacecraft()
    x = system.state()
    print("drive angle    first five elastic frequencies, Hz")
    for angle_deg in (0.0, 45.0, 90.0):
        x["left"].q[:] = x["right"].q[:] = np.deg2rad(angle_deg)
        elastic = system.modes(x).frequencies_hz[6:11]
        print(f"{angle_deg:8.0f}       {'  '.join(f'{f:7.4f}' for f in elastic)}")
    x = system.state()
    h = 5e-3
    push = simulate(system, x, 1.0, h, method="ros2", forces={"bus": [0, 0, 40.0, 0, 0, 0]})
    coast = simulate(system, push.state(), 9.0, h, method="ros2", forces={})  # the push is over
    spin = system.momentum(push.state(), about=system.center_of_mass(push.state()))
    tip = np.array(
        [system.position(coast.state(k), "sensor") - system.position(coast.state(k), "left") for k in (0, -1)]
    )
    print(f"angular momentum after the push  {spin[2]:.6f} N m s")
    print(f"tip from hinge at the end        {np.linalg.norm(tip[1]):.4f} m")
    drift = np.abs(coast.momentum - coast.momentum[0]).max()
    print(f"drift of momentum while coasting {drift:.1e}")
    # 40 N m for one second about the world origin, where the bus frame stays to a few millimetres
    assert abs(push.momentum[-1, 2] - 40.0) < 1e-3
    assert drift < 1e-3
    draw(system, push, coast)


if __name__ == "__main__":
    main()
