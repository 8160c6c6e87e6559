"""Measure the multibody engine beside Pinocchio, Exudyn and SUNDIALS; growth with bodies and modes; start-up.

    python -m benchmarks multibody

One thread. Every figure is the best of several repeats in time of the processor, so that other work on the machine
counts little; ratios are of times measured side by side in one run. Before a chain is timed, both engines compute its
accelerations, torques and mass matrix at the same state in the same process; the column on the right is the largest
difference, of each over its largest entry, and one above 1e-10 ends the benchmark.
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
APART = 1e-10  # largest difference from Pinocchio's answers


def best(
    action: Callable[[], object],
    least: float = 0.05,
    repeats: int = 7,
    clock: Callable[[], float] = time.thread_time,
) -> float:
    """Return the shortest time of one call in microseconds of `clock`: this thread, or the process with its workers."""
    count, spent = 1, 0.0
    while spent < least:
        start = clock()
        for _ in range(count):
            action()
        spent = clock() - start
        count *= 2
    count = max(1, count // 2)
    found = []
    for _ in range(repeats):
        start = clock()
        for _ in range(count):
            action()
        found.append((clock() - start) / count)
    return 1e6 * min(found)


def side_by_side(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float]:
    """Return the shortest times of two calls in microseconds, sampled in turns so that noise falls on both."""
    found = [(best(ours, 0.005, 5), best(theirs, 0.005, 5)) for _ in range(8)]
    return min(a for a, _ in found), min(b for _, b in found)


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
    print("     N   forward                  inverse                  mass matrix              apart by")
    for n in RIGID:
        row, off = f"{n:6d}", apart(*_answers(pin, n))
        for ours, theirs in _pairs_of_calls(pin, n):
            a, b = side_by_side(ours, theirs)
            row += f"   {a:8.1f} /{b:8.1f} = {a / b:4.2f}"
        print(f"{row}   {off:.0e}", flush=True)


def _answers(pin, n: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return accelerations, torques and mass matrix of a chain, ours and Pinocchio's."""
    pairs = _pairs_of_calls(pin, n)
    ours, theirs = ([np.array(call()) for call in calls] for calls in zip(*pairs))
    theirs[2] = np.triu(theirs[2]) + np.triu(theirs[2], 1).T  # it fills the upper triangle alone
    return ours, theirs


def apart(ours: list[np.ndarray], theirs: list[np.ndarray]) -> float:
    """Return the largest difference of accelerations, torques and mass matrix; end the benchmark above `APART`."""
    names = ("accelerations", "torques", "mass matrices")
    found = {name: float(np.abs(a - b).max() / np.abs(b).max()) for name, a, b in zip(names, ours, theirs)}
    for name, off in found.items():
        if not off <= APART:
            raise SystemExit(f"{name} differ from Pinocchio's by {off:.0e}, more than {APART:.0e}")
    return max(found.values())


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
    from interstage.component import Component
    from interstage.fem import lumped_beam

    L, A, I, E, rho = 1.0 / n_elements, 2.5e-3, 5.2e-7, 2e9, 1000.0
    mass = np.tile(
        rho * A * L * np.array([1, 1, 1, 4e-4, 2e-4 + L**2 / 12, 2e-4 + L**2 / 12]), (n_elements + 1, 1)
    )
    mass[[0, -1]] /= 2.0
    K, M, nodes = lumped_beam(1.0, n_elements, EA=E * A, GJ=0.65 * E * I, EI=E * I, mass=mass)
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
    """Return microseconds of one forward dynamics inside compiled code, the best of many short samples."""
    from benchmarks._right_hand_side import repeat

    scratch, vdot = system.engine.take(np.dtype(float)), np.empty(system.nv)
    arguments = (
        scratch.ready(repeat),
        x.q,
        x.v,
        np.zeros(system.nv),
        np.zeros(0, dtype=np.int64),
        np.zeros((0, 6)),
        vdot,
    )
    repeat(*arguments, 1)
    one = best(lambda: repeat(*arguments, 10), 0.0, 3) / 10
    n = max(1, int(2000 / one))
    return best(lambda: repeat(*arguments, n), 0.0, 40) / n


def _all_pairs(system):
    """Return a system whose sums read all pairs of modes, as of bodies with many mass points, and a state."""
    tables = system.with_constants({"body_thin": np.full_like(system.tree.body_thin, -1)}, system.settings)
    x = tables.state()
    x.q[:] = 1e-4
    return tables, x


def flexible_growth() -> None:
    """Print right-hand sides of flexible chains and the exponents of growth."""
    print("\nFlexible chains, microseconds a right-hand side in compiled code, order 0 / 1 / 2")
    made = {n: beam(n, n_elements=max(40, n // 5)) for n in (10, 30, 100, 200)}
    times = {}
    for bodies, modes in ((8, 10), (32, 10), (1, 30), (1, 100), (1, 200), (8, 30), (8, 100), (8, 200)):
        for order in (0, 1, 2):
            system = flexible_chain(*made[modes], bodies, order)
            x = system.state()
            x.q[:] = 1e-4
            times[bodies, modes, order] = right_hand_side(system, x)
        row = " / ".join(f"{times[bodies, modes, order]:7.2f}" for order in (0, 1, 2))
        print(f"  {bodies:3d} bodies x {modes:3d} modes   {row}", flush=True)
    for bodies in (1, 8):
        found = [np.log(times[bodies, 200, o] / times[bodies, 30, o]) / np.log(200 / 30) for o in (0, 1, 2)]
        row = " / ".join(f"{exponent:.2f}" for exponent in found)
        print(f"  exponent in modes, 30 to 200, {bodies} {'body' if bodies == 1 else 'bodies'}: {row}")
    found = {n: right_hand_side(*_all_pairs(flexible_chain(*made[n], 1, 2))) for n in (30, 100, 200)}
    row = ", ".join(f"{n} modes {spent:.2f}" for n, spent in found.items())
    exponent = np.log(found[200] / found[30]) / np.log(200 / 30)
    print(f"  1 body of order 2 with more mass points than modes: {row}; exponent {exponent:.2f}")
    found = {n: right_hand_side(s := flexible_chain(*made[10], n, 2), s.state()) for n in (2, 8, 32, 128)}
    print(f"  exponent in flexible bodies, 2 to 128: {np.log(found[128] / found[2]) / np.log(64):.2f}")
    found = {n: right_hand_side(s := rigid_chain(n), s.state()) for n in (10, 100, 1000)}
    print(f"  exponent in rigid bodies, 10 to 1000: {np.log(found[1000] / found[10]) / np.log(100):.2f}")
    for grids in (40, 400):
        system = flexible_chain(*beam(10, n_elements=grids), 8, 2)
        spent = right_hand_side(system, system.state())
        print(f"  8 x 10 modes, {grids + 1} grids a beam: {spent:.2f} microseconds")


def start_up() -> None:
    """Print the time from import to the first answer of a flexible vehicle, cold and from disk."""
    code = (
        "import time; t = time.perf_counter()\n"
        "from benchmarks.multibody import beam, flexible_chain\n"
        "c = beam(4, 6); s = flexible_chain(*c, 2, 2); x = s.state(); s.forward_dynamics(x)\n"
        "s.inverse_dynamics(x, x.v); s.mass_matrix(x); s.energy(x); s.jacobian(x, 'b1')\n"
        "from interstage.simulation import simulate; simulate(s, x, 0.01, 0.001, method='ros2')\n"
        "print(time.perf_counter() - t, time.process_time())"
    )
    print("\nStart-up, import to first results (all algorithms, real numbers)")
    with tempfile.TemporaryDirectory() as cache:
        settings = {"NUMBA_CACHE_DIR": cache, "PYTHONPYCACHEPREFIX": cache, "PYTHONDONTWRITEBYTECODE": ""}
        environment = {**os.environ, **settings}
        for name in ("cold", "cached"):
            run = subprocess.run(
                [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
            )
            wall, busy = (float(x) for x in run.stdout.split()[-2:])
            print(f"  {name:6s} {wall:6.1f} s, of which the processor works {busy:6.1f} s", flush=True)


def main(argv: list[str] | None = None) -> None:
    """Run all parts."""
    from benchmarks import _adaptive_methods, _exudyn_chain

    against_pinocchio()
    flexible_growth()
    _exudyn_chain.compare(*beam(10))
    _adaptive_methods.table()
    start_up()


if __name__ == "__main__":
    main()
