"""A flexible panel braced by a strut: a loop, its modes, its forces under thrust, and how it is assembled.

python examples/strutted_panel.py

The panel hangs on a hinge of the bus; a strut on a universal joint of the bus holds it at mid-span by a ball joint,
which closes the loop. Draws frequencies against strut point and the force in the strut into strutted_panel.png.
"""

from __future__ import annotations

import numpy as np

import interstage as ist
from interstage.fem import lumped_beam
from interstage.multibody import State
from interstage.report.plots import BLUE, COLORS, dress, new_figure

NODES, LENGTH, MASS = 9, 4.0, 20.0  # of the panel: m, kg
HINGE, FOOT = np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.0, -1.0])  # on the bus, m
BUS, STRUT, THRUST = 600.0, 0.8, 300.0  # kg, kg, N


def panel() -> ist.Component:
    """Return the panel along x as lumped masses on bending, twisting and stretching springs."""
    mass = [MASS / NODES] * 3 + [0.4, 0.02, 0.4]
    K, M, nodes = lumped_beam(LENGTH, NODES - 1, EA=1e7, GJ=2e3, EI=(2e5, 3e3), mass=mass)
    return ist.Component.from_matrices(K, M, nodes, n_modes=12, aset={1: 123456}, name="panel")


def place(node: int) -> np.ndarray:
    """Return a node of the panel from its hinge."""
    return np.array([LENGTH * (node - 1) / (NODES - 1), 0.0, 0.0])


def spacecraft(component: ist.Component, node: int | None) -> tuple[ist.System, State]:
    """Return bus and panel, braced at a node of the panel (None: without strut, hinge locked), assembled."""
    mb = ist.Multibody("spacecraft")
    mb.add_body("bus", mass=BUS, inertia=[300.0, 250.0, 280.0], joint=ist.Free())
    joint = ist.Locked() if node is None else ist.Revolute("y")
    mb.add_body("panel", component=component, parent="bus", at=HINGE, joint=joint, damping=0.03)
    if node is not None:
        reach = HINGE + place(node) - FOOT
        long = np.linalg.norm(reach)
        rod = {"mass": STRUT, "com": [0, 0, long / 2], "inertia": [STRUT * long**2 / 12] * 2 + [1e-3]}
        mb.add_body("strut", parent="bus", at=FOOT, joint=ist.Universal("yx"), **rod)
        mb.close("brace", ("strut", [0, 0, long]), ("panel", node), joint=ist.Ball())
    system = mb.compile()
    # the strut starts upright: assembly turns it to the panel and leaves the bus where it is
    return system, system.assemble(system.state(), fixed=["bus"])


def push(system: ist.System, x: State, until: float) -> tuple[np.ndarray, np.ndarray]:
    """Return times and the force in the strut (tension positive) under a steady thrust along z, through the cg."""
    thrust = {("bus", tuple(system.center_of_mass(x))): [0, 0, 0, 0, 0, THRUST]}
    log = ist.simulate(system, x, until, 5e-3, method="ros2", forces=thrust, log_step=2e-2)
    force = []
    for k in range(len(log)):
        now = log.state(k)
        axis = system.rotation(now, "strut")[:, 2]
        force.append(-axis @ system.closure_forces(now, thrust)["brace"][3:])
    return log.t, np.array(force)


def main() -> None:
    """Compare modes with and without strut, then push."""
    component = panel()
    plain, x0 = spacecraft(component, None)
    print(
        f"hinge locked, no strut: {'  '.join(f'{f:7.3f}' for f in plain.modes(x0).frequencies_hz[6:11])} Hz"
    )
    table = {}
    for node in range(3, NODES + 1):
        system, x = spacecraft(component, node)
        table[node] = system.modes(x).frequencies_hz[6:11]
        print(f"strut at node {node}:        {'  '.join(f'{f:7.3f}' for f in table[node])} Hz")
    system, x = spacecraft(component, 5)
    angle = np.rad2deg(np.arccos(system.rotation(x, "strut")[2, 2]))
    print(
        f"\nassembled: strut {angle:.2f} deg from upright, error {abs(system.closure_error(x)).max():.1e} m"
    )
    t, force = push(system, x, 10.0)
    # steady thrust: the moment of the strut about the hinge carries the panel's and half the strut's own mass
    a = THRUST / (BUS + MASS + STRUT)
    reach = HINGE + place(5) - FOOT
    lever = np.linalg.norm(np.cross(place(5), reach)) / np.linalg.norm(reach)
    expected = -(MASS * a * LENGTH / 2 + 0.5 * STRUT * a * place(5)[0]) / lever
    settled = force[t > 8.0].mean()
    print(
        f"force in the strut: peak {abs(force).max():.3f} N, settled {settled:.3f} N, expected {expected:.3f} N"
    )
    best = max(table, key=lambda node: table[node][:2].sum())
    print(f"the stiffest place for the strut is node {best}")
    assert table[5][0] > 1.5 * plain.modes(x0).frequencies_hz[6]
    assert abs(settled / expected - 1.0) < 0.02
    draw(table, t, force, expected)


def draw(table: dict[int, np.ndarray], t: np.ndarray, force: np.ndarray, expected: float) -> None:
    """Draw frequencies against the node of the strut, and its force in time."""
    figure = new_figure(8.0, 3.4)
    left, right = figure.subplots(1, 2)
    for k, curve in enumerate(np.array(list(table.values())).T[:4]):
        left.plot(list(table), curve, "o-", color=COLORS[k], lw=1.4, ms=4)
    dress(left, "node of the strut", "frequency, Hz", "first four elastic modes")
    right.plot(t, force, color=BLUE, lw=1.2)
    right.axhline(expected, color="0.5", ls="--", lw=1)
    dress(right, "time, s", "force, N", "strut under steady thrust")
    figure.savefig("strutted_panel.png", dpi=110)


if __name__ == "__main__":
    main()
