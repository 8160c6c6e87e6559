"""Measure a launcher that burns: steps of a flexible vehicle whose mass changes at each of them, on one core.

    python -m benchmarks burning

The launcher of examples/burning_ascent.py (620 t of grain, 5 t/s, internal flow, damping at the current mass, nozzle on
its gimbal, tanks watched for their end) at 1 kHz by ROS2, order 2. Shapes grow with the frequency that they are chosen
to. Slosh is four masses, as eight of the shapes (a wave in both planes) or as four bodies on the two tanks. Times are
of the thread, best of several, as differences of two runs; in brackets the same without a burn. How a step grows with
shapes is said as a power of their number. Then the update of the integrals of one burning tank beside taking them anew
from the matrices of the vehicle, as the finite-element model grows: dofs of the component cost nothing in flight.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

SHORT, LONG, STEP = 0.1, 0.6, 1e-3  # s


def _runs(flight, start, burns: bool) -> tuple[float, float]:
    """Return the time of a short and of a long run."""
    import interstage as ist

    found, flow = [], {} if burns else {"motor.flow": 0.0}
    for until in (SHORT, LONG):
        begin = time.thread_time()
        ist.simulate(flight, start(), until=until, step=STEP, method="ros2", log_step=0.1, set=flow)
        found.append(time.thread_time() - begin)
    return found[0], found[1]


def _flight(v, shapes, hung: bool):
    """Return the launcher in flight, and its state at first."""
    import burning_ascent as ascent

    from interstage import devices as dev

    rest, full = ascent.RESIDUAL, {"lox": ascent.LOX, "lh2": ascent.LH2}
    kept = {tank: rest * mass for tank, mass in full.items()} if hung else {}  # what hangs is not in its tank
    mb = v.multibody(shapes, propellant={"grain": 400e3, **kept}, damping=ascent.damping)
    if hung:
        for tank, depth, node in (("lox", 4.5, 4), ("lh2", 12.0, 8)):
            fluid = dev.CylinderSlosh(radius=2.7, depth=depth, mass=(1.0 - rest) * full[tank], n=2)
            at = {"parent": v.name, "node": shapes.node_id("upper", node), "bottom": [-3.0, 0.0, 0.0]}
            dev.add_slosh(mb, f"{tank} slosh", fluid, kind="pendulum", **at)
    system = mb.compile()
    flight = v.assembly(system)

    def start():
        x = system.state()
        x["motor nozzle"].q[:] = [0.0, 0.002]
        return x

    return flight, start


def steps(cases: tuple[tuple[float, bool], ...], repeats: int = 8) -> None:
    """Print the time of a step, burning and not, for shapes chosen to frequencies, with waves hung or as shapes."""
    import burning_ascent as ascent

    print("slosh       shapes    nv   us a step   real time   (without a burn: us, real time)")
    burning_n: tuple[int, float] | None = None
    grown: list[float] = []
    for below, hung in cases:
        v = ascent.build(slosh=not hung)
        attach = ["separation", ("first", 1, "yz")]
        shapes = v.shapes(below_hz=below, error=2e-3, levels=5, burning=["grain"], attach=attach)
        flight, start = _flight(v, shapes, hung)
        best = np.full((2, 2), np.inf)
        for _ in range(repeats):
            for k in range(2):
                best[k] = np.minimum(best[k], _runs(flight, start, k == 0))
        each = (best[:, 1] - best[:, 0]) / ((LONG - SHORT) / STEP)
        words = "4 bodies" if hung else "4 waves"
        nv = len(start().v)
        if burning_n and not hung:
            grown.append(np.log(each[0] / burning_n[1]) / np.log(len(shapes) / burning_n[0]))
        burning_n = burning_n if hung or burning_n else (len(shapes), each[0])
        print(
            f"{words:10s}{len(shapes):8d}{nv:6d}{each[0] * 1e6:12.1f}{STEP / each[0]:11.1f}x"
            f"{each[1] * 1e6:16.1f}{STEP / each[1]:8.1f}x"
        )
    if grown:
        print(f"with waves as shapes a step grows as their number to the power {grown[-1]:.1f}")


def updates(sizes: tuple[int, ...] = (50, 200, 800)) -> None:
    """Print the cost of new integrals of a burning tank: from sums, and from matrices."""
    import interstage as ist
    from interstage.fem import lumped_beam
    from interstage.staged_vehicle.integrals import Partition

    print("\nintegrals of one burning tank   component dofs   shapes   from sums, us   anew, us   ratio")
    for n in sizes:
        K, M, nodes = lumped_beam(50.0, n, EA=3e10, GJ=1e10, EI=1e11, mass=[9e4 / n] * 3 + [2e5 / n] * 3)
        stage = ist.Stage("core", K=K, M=M, nodes=nodes)
        stage.add_tank("grain", levels={m: m / 9e4 * M * n / (n + 1) for m in (0.0, 9e4)})
        v = ist.StagedVehicle("v")
        v.add(stage)
        shapes = v.shapes(n_modes=30, levels=1)
        part, masses, best = shapes.partition, np.array([4e4]), [np.inf, np.inf]
        for _ in range(20):
            begin = time.thread_time()
            for _ in range(20):
                part.packed(masses)
            best[0] = min(best[0], (time.thread_time() - begin) / 20)
        for _ in range(2):
            begin = time.thread_time()
            Partition.of(shapes.stack, shapes.q, shapes.nodes)
            best[1] = min(best[1], time.thread_time() - begin)
        sums, anew = best[0] * 1e6, best[1] * 1e6
        print(f"{'':29s}{6 * (n + 1):17d}{len(shapes):9d}{sums:16.1f}{anew:11.0f}{anew / sums:8.0f}")


def main(argv: list[str] | None = None) -> None:
    """Print what a step costs as shapes grow, and what new integrals cost."""
    steps(((8.0, False), (20.0, False), (36.0, False), (60.0, False), (20.0, True), (36.0, True)))
    updates()
