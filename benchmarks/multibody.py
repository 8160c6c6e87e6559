"""Measure the multibody engine: rigid chains beside Pinocchio, flexible chains beside Exudyn, growth, start-up.

    python -m benchmarks multibody

One thread. Every figure is the best of several repeats in time of the processor, so that other work on the machine
counts little; ratios are of times measured side by side in one run.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

RIGID = (5, 20, 50, 100, 200, 500)
EXUDYN_US = {1: 142.0, 4: 847.0, 8: 1678.0}  # a step at h = 1e-3, cheapest interfaces, Exudyn 1.13.6


def best(action: Callable[[], object], least: float = 0.05, repeats: int = 7) -> float:
    """Return the shortest time of one call in microseconds."""
    count, spent = 1, 0.0
    while spent < least:
        start = time.thread_time()
        for _ in range(count):
            action()
        spent = time.thread_time() - start
        count *= 2
    count = max(1, count // 2)
    found = []
    for _ in range(repeats):
        start = time.thread_time()
        for _ in range(count):
            action()
        found.append((time.thread_time() - start) / count)
    return 1e6 * min(found)


def rigid_chain(n: int):
    """Return our system of n bodies on revolute joints about z, y, x in turn."""
    from interstage.multibody import Multibody, Revolute
    from interstage.spatial import Rotation

    mb = Multibody("chain", gravity=[0.0, 0.0, -9.81])
    R = Rotation.from_axis_angle([1, 0, 0], 0.3).matrix
    for i in range(n):
        place = {"parent": f"b{i - 1}" if i else None, "at": [1.0, 0.0, 0.0], "rotation": R}
        mb.add_body(
            f"b{i}",
            mass=1.0,
            com=[0.5, 0.1, 0.0],
            inertia=[0.1, 0.2, 0.25],
            joint=Revolute("zyx"[i % 3]),
            **place,
        )
    return mb.compile()


def pinocchio_chain(pin, n: int):
    """Return the same chain for Pinocchio."""
    model, joint = pin.Model(), 0
    kinds = (pin.JointModelRZ, pin.JointModelRY, pin.JointModelRX)
    place = pin.SE3(pin.utils.rotate("x", 0.3), np.array([1.0, 0.0, 0.0]))
    inertia = pin.Inertia(1.0, np.array([0.5, 0.1, 0.0]), np.diag([0.1, 0.2, 0.25]))
    for i in range(n):
        joint = model.addJoint(joint, kinds[i % 3](), place, f"j{i}")
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    return model


def against_pinocchio() -> None:
    """Print forward, inverse dynamics and mass matrix of rigid chains, called from Python."""
    if importlib.util.find_spec("pinocchio") is None:
        print("Pinocchio is not installed: no comparison (pip install pin)")
        return
    import pinocchio as pin

    print("Serial revolute chains, microseconds a call from Python (ours / Pinocchio = ratio)")
    print("     N   forward                  inverse                  mass matrix")
    for n in RIGID:
        row = f"{n:6d}"
        for ours, theirs in _pairs_of_calls(pin, n):
            a, b = best(ours), best(theirs)
            row += f"   {a:8.1f} /{b:8.1f} = {a / b:4.2f}"
        print(row, flush=True)


def _pairs_of_calls(pin, n: int) -> list[tuple[Callable, Callable]]:
    """Return forward, inverse dynamics and mass matrix of a chain, ours and Pinocchio's."""
    system, model = rigid_chain(n), pinocchio_chain(pin, n)
    data = model.createData()
    q, v, tau = np.random.default_rng(0).normal(size=(3, n))
    x = system.state(q, v)
    return [
        (lambda: system.forward_dynamics(x, tau=tau), lambda: pin.aba(model, data, q, v, tau)),
        (lambda: system.inverse_dynamics(x, tau), lambda: pin.rnea(model, data, q, v, tau)),
        (lambda: system.mass_matrix(x), lambda: pin.crba(model, data, q)),
    ]


def beam(n_modes: int, n_elements: int = 40, integrals: bool = True):
    """Return a beam component clamped at node 1, made of springs and lumped masses by a tiny FE code."""
    from interstage.modes import Component

    L, A, I, E, rho = 1.0 / n_elements, 2.5e-3, 5.2e-7, 2e9, 1000.0
    k, m = np.zeros((12, 12)), np.zeros((12, 12))
    for dofs, s in (((0, 6), E * A / L), ((3, 9), 0.65 * E * I / L)):
        k[np.ix_(dofs, dofs)] += s * np.array([[1, -1], [-1, 1]])
    bend = np.array([[12, 6 * L, -12, 6 * L], [6 * L, 4 * L**2, -6 * L, 2 * L**2]])
    bend = E * I / L**3 * np.vstack([bend, [-12, -6 * L, 12, -6 * L], [6 * L, 2 * L**2, -6 * L, 4 * L**2]])
    flip = np.diag([1.0, -1.0, 1.0, -1.0])
    k[np.ix_((1, 5, 7, 11), (1, 5, 7, 11))] += bend
    k[np.ix_((2, 4, 8, 10), (2, 4, 8, 10))] += flip @ bend @ flip
    m[np.diag_indices(12)] = rho * A * L / 2 * np.tile([1, 1, 1, 4e-4, 2e-4 + L**2 / 12, 2e-4 + L**2 / 12], 2)
    n = 6 * (n_elements + 1)
    K, M = np.zeros((n, n)), np.zeros((n, n))
    for e in range(n_elements):
        at = slice(6 * e, 6 * e + 12)
        K[at, at] += k
        M[at, at] += m
    nodes = {i + 1: [i * L, 0.0, 0.0] for i in range(n_elements + 1)}
    return Component.from_matrices(
        K, M, nodes, n_modes=n_modes, aset={1: 123456}, modal_integrals=integrals
    ), n_elements + 1


def flexible_chain(component, tip: int, bodies: int, order: int):
    """Return a chain of beams on revolute joints."""
    from interstage.multibody import Multibody, Revolute

    mb = Multibody("chain", gravity=[0.0, -9.81, 0.0])
    for i in range(bodies):
        place = {"parent": f"b{i - 1}", "at": tip} if i else {}
        mb.add_body(f"b{i}", component=component, node=1, joint=Revolute("z"), order=order, **place)
    return mb.compile()


def right_hand_side(system, x) -> float:
    """Return microseconds of one forward dynamics inside compiled code."""
    from interstage.system import simulate

    def steps(n):
        return lambda: simulate(system, x, n * 1e-7, 1e-7, log_step=n * 1e-7)

    n = max(2, int(2e4 / (4.0 * max(1.0, best(steps(2), 0.0, 2)))))
    return (best(steps(2 * n), 0.0, 5) - best(steps(n), 0.0, 5)) / (4.0 * n)


def flexible_growth() -> None:
    """Print right-hand sides of flexible chains and the exponents of growth."""
    print("\nFlexible chains, microseconds a right-hand side in compiled code, order 0 / 1 / 2")
    made = {n: beam(n, n_elements=max(40, n // 5)) for n in (10, 30, 100, 200)}
    times = {}
    for bodies, modes in ((8, 10), (8, 30), (32, 10), (1, 30), (1, 100), (1, 200), (8, 100)):
        row = []
        for order in (0, 1, 2):
            system = flexible_chain(*made[modes], bodies, order)
            x = system.state()
            x.q[:] = 1e-4
            times[bodies, modes, order] = right_hand_side(system, x)
            row.append(f"{times[bodies, modes, order]:7.2f}")
        print(f"  {bodies:3d} bodies x {modes:3d} modes   {' / '.join(row)}", flush=True)
    for order in (0, 1, 2):
        exponent = np.log(times[1, 200, order] / times[1, 30, order]) / np.log(200 / 30)
        print(f"  exponent in modes, 30 to 200, order {order}: {exponent:.2f}")
    found = {}
    for bodies in (2, 8, 32, 128):
        system = flexible_chain(*made[10], bodies, 2)
        found[bodies] = right_hand_side(system, system.state())
    print(
        f"  exponent in flexible bodies, 2 to 128: {np.log(found[128] / found[2]) / np.log(64):.2f}  {found}"
    )
    found = {n: right_hand_side(s := rigid_chain(n), s.state()) for n in (10, 100, 1000)}
    print(f"  exponent in rigid bodies, 10 to 1000: {np.log(found[1000] / found[10]) / np.log(100):.2f}")
    for grids in (40, 400):
        system = flexible_chain(*beam(10, n_elements=grids), 8, 2)
        print(
            f"  8 x 10 modes, {grids + 1} grids a beam: {right_hand_side(system, system.state()):.2f} microseconds"
        )


def against_exudyn() -> None:
    """Print the time of one ROS2 step of k flexible beams beside Exudyn's."""
    from interstage.system import simulate

    print("\nFlexible beams of 10 modes, order 2, ROS2 at h = 1e-3: microseconds a step")
    print("(Exudyn 1.13.6: its own figures on the same kind of machine)")
    component = beam(10)
    for k, theirs in EXUDYN_US.items():
        system = flexible_chain(*component, k, 2)
        x = system.state()
        ours = best(lambda: simulate(system, x, 0.5, 1e-3, method="ros2", log_step=0.5), 0.0, 5) / 500  # noqa: B023
        print(f"  k = {k}: {ours:7.1f}  Exudyn {theirs:7.0f}  ratio {theirs / ours:5.1f}", flush=True)


def start_up() -> None:
    """Print the time from import to the first answer of a flexible vehicle, cold and from disk."""
    code = (
        "import time; t = time.perf_counter()\n"
        "from benchmarks.multibody import beam, flexible_chain\n"
        "c = beam(4, 6); s = flexible_chain(*c, 2, 2); x = s.state(); s.forward_dynamics(x)\n"
        "s.inverse_dynamics(x, x.v); s.mass_matrix(x); s.energy(x); s.jacobian(x, 'b1')\n"
        "from interstage.system import simulate; simulate(s, x, 0.01, 0.001, method='ros2')\n"
        "print(time.perf_counter() - t)"
    )
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        run = [sys.executable, "-c", code]
        cold, warm = (
            float(
                subprocess.run(
                    run, env=environment, capture_output=True, text=True, check=True
                ).stdout.split()[-1]
            )
            for _ in range(2)
        )
    print(
        f"\nStart-up, import to first results (all algorithms, real numbers): cold {cold:.1f} s, cached {warm:.1f} s"
    )


def main(argv: list[str] | None = None) -> None:
    """Run all parts."""
    against_pinocchio()
    flexible_growth()
    against_exudyn()
    start_up()


if __name__ == "__main__":
    main()
