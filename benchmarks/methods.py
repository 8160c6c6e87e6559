"""Measure integration methods on a launch vehicle: error of modes and rates against cost.

    python -m benchmarks methods

A stick of 38 flexible modes, damped 0.5 %, with four gimballed engines, 2 s of thrust with gimbals that move: errors of
modal coordinates and of the rate of the stick beside a run of scipy's DOP853 to 1e-11, root mean square over the run,
in parts of their own root mean square. Seconds of the processor for a second of flight, best of three;
evaluations of forward dynamics a second. Fixed steps, and steps of the method's own to a tolerance.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

UNTIL, LOG = 2.0, 0.02
FIXED = {
    "rk4": (5e-4, 1e-3, 2.5e-3),
    "dopri5": (1e-3, 2.5e-3),
    "ros2": (5e-4, 1e-3, 2.5e-3, 5e-3),
    "ros3": (5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2),
}
OWN = {"dopri5": (1e-3, 1e-5, 1e-7), "ros3": (1e-2, 1e-3, 1e-5), "dop853": (1e-5,), "radau": (1e-3,)}


def vehicle(n_modes: int = 38):
    """Return the launch vehicle and its state before the engines move."""
    import interstage as ist
    from interstage.fem import lumped_beam

    n, length, mass = 40, 60.0, 3e5
    row = mass / n * np.array([1.0, 1.0, 1.0, 3.0, 2.0, 2.0])
    K, M, nodes = lumped_beam(length, n, EA=6e9, GJ=4e9, EI=2.4e10, mass=np.tile(row, (n + 1, 1)))
    stick = ist.Component.from_matrices(K, M, nodes, n_modes=n_modes, aset={1: 123456}, name="stick")
    mb = ist.Multibody("launch vehicle")
    mb.add_body("core", component=stick, node=1, joint=ist.Free(), damping=0.005)
    for k in range(4):
        spring = {"stiffness": 4e7, "damping": 2e5}
        mb.add_body(
            f"engine{k}", mass=3000.0, com=[-1.5, 0, 0], inertia=[900, 2500, 2500], parent="core", at=1,
            joint=ist.Universal("yz", **spring),
        )  # fmt: skip
    system = mb.compile()
    return system, system.state()


def run(system, x, **options: Any):
    """Fly: thrust along the engines, and torques of their actuators that software sets every 20 ms."""
    import interstage as ist

    thrust = {(f"engine{k}", None, "body"): [0, 0, 0, 9e5, 0, 0] for k in range(4)}
    where = [system.layout[f"engine{k}"].v.start for k in range(4)]

    def law(t, x):
        tau = np.zeros(system.nv)
        tau[where] = 2e6 * np.sin(6.0 * t) + (1e6 if t > 0.5 else 0.0)
        return tau

    return ist.simulate(
        system, x, UNTIL, forces=thrust, control=law, control_step=LOG, log_step=LOG, **options
    )


def errors(log, truth) -> tuple[float, float]:
    """Return the errors of modes and of the rate of the core, in parts of their size."""

    def part(a, b):
        return float(np.sqrt(((a - b) ** 2).sum() / (b**2).sum()))

    return part(log["core"].eta, truth["core"].eta), part(log["core"].v[:, :3], truth["core"].v[:, :3])


def row(system, x, truth, name: str, words: str, **options: Any) -> None:
    """Print one line of the table."""
    from interstage.errors import InterstageError

    spent = []
    try:
        for _ in range(3):
            start = time.thread_time()
            log = run(system, x, method=name, **options)
            spent.append(time.thread_time() - start)
            if spent[0] > 3.0:
                break
    except InterstageError as err:
        print(f"  {name:8s} {words:16s} {str(err).split(':')[0]}")
        return
    stages = {"rk4": 4, "ros2": 2, "ros3": 4, "dopri5": 6}.get(name, 0)
    calls = log.info.get("evaluations", log.info["steps"] * stages) / UNTIL
    modes, rate = errors(log, truth)
    print(
        f"  {name:8s} {words:16s} modes {100 * modes:9.2g} %   rate {100 * rate:9.2g} %   "
        f"{min(spent) / UNTIL:8.4f} s/s   {calls:8.0f} evaluations/s   {log.info['steps'] / UNTIL:7.0f} steps/s"
    )


def main() -> None:
    """Print the table."""
    system, x = vehicle()
    hz = system.modes().frequencies_hz
    hz = hz[hz > 0.1]
    print(f"Launch vehicle: {system.nq + system.nv} states, modes from {hz.min():.2g} to {hz.max():.3g} Hz")
    truth = run(system, x, method="dop853", rtol=1e-11, atol=1e-11)
    print("\nFixed steps")
    for name, steps in FIXED.items():
        for step in steps:
            row(system, x, truth, name, f"h = {1e3 * step:g} ms", step=step)
    print("\nSteps of the method's own")
    for name, tolerances in OWN.items():
        for tolerance in tolerances:
            row(system, x, truth, name, f"rtol {tolerance:.0e}", rtol=tolerance, atol=tolerance)
