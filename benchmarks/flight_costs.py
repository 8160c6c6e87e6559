"""Measure what a flight costs: a launch vehicle of 128 states with sixteen devices and Python software.

    python -m benchmarks flight_costs

Core of 38 modes, four gimballed engines with servos (two axes, second order) and lags of thrust, atmosphere, gust,
drag at four nodes, gravity that falls with height, IMU at 200 Hz with noise; software in Python at 50 Hz; RK4 at
2.5 ms. Times are of the processor, best of several; what is compared is measured in turns in one process. Leaving and
re-entering is what a law at 200 Hz that gets two arrays, does nothing and returns one costs a call; at 50 Hz
the same difference is larger and noisier. A log costs the opening of its file, whatever the flight
and about as much as all else here, and its rows, committed twice a second. The controller is untuned: this measures
cost.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

SECONDS, LONG, ROUNDS = 10, 60, 5
NOTHING = np.zeros(8)
TARGETS = {
    "flight": "at least 30",
    "pass": "under 0.3",
    "wiring": "under 10",
    "entry": "under 10",
    "log": "under 5",
}


def best_in_turns(actions: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """Return the shortest time of each in seconds, in turns."""
    found = dict.fromkeys(actions, np.inf)
    for _ in range(rounds):
        for name, action in actions.items():
            start = time.process_time()
            action()
            found[name] = min(found[name], time.process_time() - start)
    return found


def states_of(made, system) -> int:
    """Return the number of continuous states."""
    from interstage.simulation.plant.plan import planned

    return system.nq + system.nv + len(planned(made).initial["z"])


def device_pass(made, system) -> tuple[int, float]:
    """Return the number of devices and microseconds of one pass over all their continuous functions."""
    from benchmarks._device_pass import passes
    from benchmarks.multibody import best
    from interstage.simulation.plant.plan import planned
    from interstage.simulation.run.coupled_system import ClosedLoop

    plan = planned(made)
    loop = ClosedLoop(plan, system)
    inner, n = loop.loop, 1000
    for name in ("before", "after", "rates"):
        passes(getattr(inner, name), getattr(inner, f"{name}_row"), 0.0, 1)

    def all_tapes():
        passes(inner.before, inner.before_row, 0.0, n)
        passes(inner.after, inner.after_row, 0.0, n)
        passes(inner.rates, inner.rates_row, 0.0, n)

    spent = best(all_tapes) / n
    loop.release()
    return len(plan.parts), spent


def main(argv: list[str] | None = None) -> None:
    """Print all figures."""
    import interstage as ist
    from benchmarks import _ascent_models as models
    from interstage.simulation.plant.plan import planned

    system = models.vehicle()
    x = system.state()
    flight, alone = models.ascent(system), models.ascent(system, None)
    idle = models.ascent(system, lambda t, rate, angle: NOTHING, every=models.IMU)
    held = {"servo*.command": [0.0, 0.0]}

    def fly(made, until=SECONDS, **more):
        return ist.simulate(made, x, until=until, step=models.STEP, **more)

    quiet = {"log_step": 1, "keep": []}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "flight.h5"
        for made, values in ((flight, None), (idle, None), (alone, held)):
            fly(made, 1, set=values)
        spent = best_in_turns(
            {
                "quiet": lambda: fly(flight, **quiet),
                "idle": lambda: fly(idle, **quiet),
                "alone": lambda: fly(alone, **quiet, set=held),
            }
        )
        logged = best_in_turns(
            {
                "quiet": lambda: fly(flight, LONG, **quiet),
                "logged": lambda: fly(flight, LONG, log=path, log_step=models.SOFTWARE),
            },
            9,
        )
    calls = SECONDS / 0.005
    n, each = device_pass(alone, system)
    started = best_in_turns({"wiring": lambda: planned(models.ascent(system))})["wiring"]
    rows = [
        (
            f"flight of {states_of(flight, system)} states, times real time",
            SECONDS / spent["quiet"],
            "flight",
        ),
        (f"{n} devices, microseconds a pass", each, "pass"),
        ("new wiring, milliseconds", 1e3 * started, "wiring"),
        ("leaving and re-entering, microseconds", 1e6 * (spent["idle"] - spent["alone"]) / calls, "entry"),
        (
            f"log of all to a file at 50 Hz, % of {LONG} s",
            100 * (logged["logged"] / logged["quiet"] - 1),
            "log",
        ),
    ]
    for what, value, target in rows:
        print(f"{what:48s} {value:8.2f}   {TARGETS[target]}")


if __name__ == "__main__":
    main()
