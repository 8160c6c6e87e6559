"""A flexible tree tumbles freely: energy and momentum stay at every fidelity of the modal integrals.

python examples/free_tumbling.py

Draws the tip deflection and the drift of energy into free_tumbling.png.
"""

from __future__ import annotations

import numpy as np

from interstage.component import Component
from interstage.fem import lumped_beam
from interstage.multibody import Ball, Free, Multibody, Revolute
from interstage.report.plots import COLORS, STYLES, dress, new_figure
from interstage.simulation import simulate

NODES, STEP, UNTIL = 6, 5e-4, 20.0


def boom() -> Component:
    """Return a boom of 2 m: point masses with a little rotary inertia on an elastic line."""
    mass = [0.5, 0.5, 0.5, 0.02, 0.02, 0.02]
    K, M, nodes = lumped_beam(2.0, NODES - 1, EA=800.0, GJ=30.0, EI=40.0, mass=mass)
    return Component.from_matrices(K, M, nodes, n_modes=6, aset={1: 123456}, name="boom")


def main() -> None:
    """Integrate twenty seconds at fidelity 0, 1 and 2."""
    part = boom()
    figure = new_figure(7.5, 4.6)
    above, below = figure.subplots(2, 1, sharex=True)
    print("order    energy drift    momentum drift    largest tip deflection")
    for order in (0, 1, 2):
        mb = Multibody("tumbler")
        mb.add_body("hub", mass=10.0, inertia=[1.0, 1.5, 2.0], joint=Free())
        mb.add_body("boom", component=part, parent="hub", at=[0.3, 0, 0], joint=Revolute("y"), order=order)
        mb.add_body("arm", component=part, parent="boom", at=NODES, joint=Ball(), order=order)
        system = mb.compile()
        x = system.state()
        x["hub"].velocity[:3] = [0.1, 0.2, 0.3]
        x["boom"].v[:] = 0.2
        x["arm"].v[:] = [0.0, 0.1, -0.2]
        log = simulate(system, x, UNTIL, STEP, log_step=0.1)
        energy = np.abs(log.energy / log.energy[0] - 1.0).max()
        momentum = np.abs(log.momentum - log.momentum[0]).max() / np.abs(log.momentum[0]).max()
        shapes = system.jacobian(system.state(), "boom", NODES)[3:, 7 : 7 + part.n_modes]
        tip = np.linalg.norm(log["boom"].eta @ shapes.T, axis=1)
        print(f"{order:5d}    {energy:12.1e}    {momentum:14.1e}    {tip.max():.4f} m")
        look = {"color": COLORS[order], "ls": STYLES[order], "lw": 1.2, "label": f"order {order}"}
        above.plot(log.t, 1e3 * tip, **look)
        below.semilogy(log.t[1:], np.abs(log.energy / log.energy[0] - 1.0)[1:] + 1e-17, **look)
        assert energy < 1e-8
        assert momentum < 1e-8
    dress(above, "", "deflection, mm", "tip of the boom at three fidelities", legend=True)
    dress(below, "time, s", "relative change of energy")
    figure.savefig("free_tumbling.png", dpi=110)


if __name__ == "__main__":
    main()
