"""Measure integration methods on a launch vehicle and a chain of beams: error of modes and rates against cost.

    python -m benchmarks methods

A stick of 38 flexible modes, damped 0.5 %, with four gimballed engines, 2 s of thrust with gimbals that move; and four
beams of 10 modes, damped 1 %, that fall from the level for 0.5 s. Errors of modal coordinates and of rates (of the
stick, of the hinges) beside a run of scipy's DOP853 to 1e-11, root mean square over the run, in parts of their own root
mean square. Seconds of the processor for a second of flight, best of three; evaluations of forward dynamics a second.
Fixed steps, and steps of the method's own to a tolerance. CVODE (BDF, of SUNDIALS by scikit-sundae) is called from
Python like scipy's methods, and begins anew where software sets the torques.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

LOG = 0.02
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


@dataclass
class Case:
    """A run to be made by every method.

    modes, rates : where the numbers lie in q and v whose errors are printed;  acting : arguments of `simulate`
    """

    title: str
    system: Any
    x: Any
    until: float
    modes: np.ndarray
    rates: np.ndarray
    acting: dict[str, Any]

    def run(self, **options: Any):
        """Return the log of a run."""
        import interstage as ist

        return ist.simulate(self.system, self.x, self.until, log_step=LOG, **self.acting, **options)


def launch() -> Case:
    """Return the vehicle in flight: thrust along the engines, and torques that software sets every 20 ms."""
    system, x = vehicle()
    thrust = {(f"engine{k}", None, "body"): [0, 0, 0, 9e5, 0, 0] for k in range(4)}
    where = [system.layout[f"engine{k}"].v.start for k in range(4)]

    def law(t, x):
        tau = np.zeros(system.nv)
        tau[where] = 2e6 * np.sin(6.0 * t) + (1e6 if t > 0.5 else 0.0)
        return tau

    core = system.layout["core"]
    acting = {"forces": thrust, "control": law, "control_step": LOG}
    return Case("Launch vehicle", system, x, 2.0, _of(core.eta), _of(core.v)[:3], acting)


def falling_beams() -> Case:
    """Return beams in a row on hinges, from the level at rest."""
    from benchmarks.multibody import beam
    from interstage.multibody import Multibody, Revolute

    component, tip = beam(10)
    mb = Multibody("chain", gravity=[0.0, -9.81, 0.0])
    for i in range(4):
        place = {"parent": f"b{i - 1}", "at": tip} if i else {}
        mb.add_body(f"b{i}", component=component, node=1, joint=Revolute("z"), damping=0.01, **place)
    system = mb.compile()
    parts = [system.layout[name] for name in system.bodies]
    modes, rates = (np.concatenate([_of(p) for p in found]) for found in zip(*((p.eta, p.v) for p in parts)))
    return Case("Four beams of 10 modes", system, system.state(), 0.5, modes, rates, {})


def _of(part: slice) -> np.ndarray:
    return np.arange(part.start, part.stop)


@dataclass
class CVODELog:
    """What the table needs of a run by CVODE."""

    q: np.ndarray
    v: np.ndarray
    info: dict[str, int]


def by_cvode(case: Case, tolerance: float) -> CVODELog:
    """Return a run by CVODE, from instant to instant of the log."""
    from sksundae.cvode import CVODE

    from interstage.multibody.loads import Loads
    from interstage.multibody.state import State

    system, nq, calls = case.system, case.system.nq, 0
    law = case.acting.get("control", lambda t, x: None)
    found, steps = [case.x.qv.copy()], 0

    def slope_of(loads: Loads, x: State) -> Callable[[float, np.ndarray, np.ndarray], None]:
        def slope(_t: float, y: np.ndarray, out: np.ndarray) -> None:
            nonlocal calls
            calls += 1
            x.qv[:] = y
            out[:nq], out[nq:] = system.rates(x), system.forward_dynamics(x, forces=loads)

        return slope

    for k in range(round(case.until / LOG)):
        x = system.state(found[-1][:nq], found[-1][nq:])
        loads = Loads.of(system, case.acting.get("forces"), law(k * LOG, x), None, "world")
        solver = CVODE(slope_of(loads, x), method="BDF", rtol=tolerance, atol=tolerance, max_num_steps=10**6)
        result = solver.solve(np.array([0.0, LOG]), found[-1])
        found.append(np.array(result.y[-1]))
        steps += int(getattr(result, "nsteps", 0) or 0)
    y = np.array(found)
    return CVODELog(y[:, :nq], y[:, nq:], {"evaluations": calls, "steps": steps})


def errors(case: Case, log, truth) -> tuple[float, float]:
    """Return the errors of modes and of rates, in parts of their size."""

    def part(a, b):
        return float(np.sqrt(((a - b) ** 2).sum() / (b**2).sum()))

    return tuple(
        part(a[:, where], b[:, where])
        for a, b, where in ((log.q, truth.q, case.modes), (log.v, truth.v, case.rates))
    )


def row(case: Case, truth, name: str, words: str, run: Callable[[], Any]) -> None:
    """Print one line of the table."""
    from interstage.errors import InterstageError

    spent = []
    try:
        for _ in range(4):  # the first may compile
            start = time.thread_time()
            log = run()
            spent.append(time.thread_time() - start)
            if len(spent) > 1 and spent[-1] > 3.0:
                break
    except InterstageError as err:
        print(f"  {name:8s} {words:16s} {str(err).split(':')[0]}")
        return
    stages = {"rk4": 4, "ros2": 2, "ros3": 4, "dopri5": 6}.get(name, 0)
    calls = log.info.get("evaluations", log.info["steps"] * stages) / case.until
    modes, rate = errors(case, log, truth)
    print(
        f"  {name:8s} {words:16s} modes {100 * modes:9.2g} %   rate {100 * rate:9.2g} %   "
        f"{min(spent) / case.until:8.4f} s/s   {calls:8.0f} evaluations/s"
    )


def table(case: Case) -> None:
    """Print the table of one case."""
    hz = case.system.modes().frequencies_hz
    hz = hz[hz > 0.1]
    size = case.system.nq + case.system.nv
    print(f"{case.title}: {size} states, modes from {hz.min():.2g} to {hz.max():.3g} Hz")
    truth = case.run(method="dop853", rtol=1e-11, atol=1e-11)
    print("\nFixed steps")
    for name, steps in FIXED.items():
        for step in steps:
            row(
                case, truth, name, f"h = {1e3 * step:g} ms", lambda n=name, h=step: case.run(method=n, step=h)
            )
    print("\nSteps of the method's own")
    for name, tolerances in OWN.items():
        for e in tolerances:
            row(case, truth, name, f"rtol {e:.0e}", lambda n=name, e=e: case.run(method=n, rtol=e, atol=e))
    for e in (1e-4, 1e-6):
        if find_spec("sksundae"):
            row(case, truth, "cvode", f"rtol {e:.0e}", lambda e=e: by_cvode(case, e))
    if not find_spec("sksundae"):
        print("  cvode    not installed")


def main(_arguments: list[str] | None = None) -> None:
    """Print the tables."""
    table(launch())
    print()
    table(falling_beams())
