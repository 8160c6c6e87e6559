"""Fly a spacecraft with wheels, and wings of hinged panels, beside Basilisk, Drake and MuJoCo.

    python -m benchmarks flights

RK4 at 0.01 s, one thread, microseconds of the processor a step, best of several runs; every tool in a process of its
own, in turns. Spacecraft: 750 kg in orbit about a point mass, three wheels, σ-ω law at 10 Hz, log at 1 Hz. Wings: a hub
with twice 4, 8, 16 panels on hinges with spring and damper. In the first row our law and Basilisk's are compiled; in
the second all are plain Python, ours the function that Drake and MuJoCo call, Basilisk's a Python module. For MuJoCo
and Drake the law is Python in both, between steps, and gravity is held for 0.1 s at its value in the middle. Drake has
no RK4 and takes RK3.

*Agrees* is the largest difference from ours at the end over the size of each quantity: attitude, rates, wheel speeds
or angles of the tips, position, velocity; Basilisk, MuJoCo and Drake integrate attitudes by different parameters, so
that what is left is the error of a step of 0.01 s. A difference above 1e-4, a limit set after these were seen, ends the
benchmark: times of runs that differ are not compared.

An idle Python law: what a run with one that does nothing takes more than one without, a call; it gets attitude and rate
as arrays and returns an array.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks import _flight_models as models
from benchmarks import _flight_peers as data
from benchmarks._peers import peer_python

PACKAGES = {"Basilisk": "Basilisk", "Drake": "pydrake", "MuJoCo": "mujoco"}
SIZES = (4, 8, 16)
ROUNDS = 2
WINGS = 60.0  # s
APART = 1e-4  # largest difference from a peer's end


def ours(action: Callable[[], object], seconds: float, repeats: int = 3) -> tuple[float, object]:
    """Return microseconds a step, and the log of the last run."""
    best, log = np.inf, None
    for _ in range(repeats):
        start = time.process_time()
        log = action()
        best = min(best, time.process_time() - start)
    return 1e6 * best * data.STEP / seconds, log


def theirs(tool: str, problem: str, size: int, seconds: float, law: bool) -> dict | None:
    """Return what a peer says in its own process."""
    python = peer_python(PACKAGES[tool])
    if python is None:
        return None
    script = str(Path(__file__).with_name("_flight_peers.py"))
    words = [python, script, tool.lower(), problem, str(size), str(seconds), str(int(law))]
    run = subprocess.run(words, capture_output=True, text=True, check=True)
    return json.loads(run.stdout.splitlines()[-1])


def difference(a: list[float], b: list[float], problem: str) -> float:
    """Return the largest difference over the size of each quantity."""
    cuts = (3, 6, 10, 13) if problem == "spacecraft" else (4, 7)
    parts = zip(np.split(np.array(a), cuts), np.split(np.array(b), cuts))
    return max(float(np.abs(x - y).max() / np.abs(x).max()) for x, y in parts)


def agreed(a: list[float], b: list[float], problem: str, tool: str) -> float:
    """Return the difference between two ends; end the benchmark where it is above `APART`."""
    off = difference(a, b, problem)
    if not off <= APART:
        raise SystemExit(f"{problem}: {tool} ends {off:.0e} from ours, more than {APART:.0e}")
    return off


def compare(
    name: str, problem: str, size: int, seconds: float, action: Callable[[], object], end, law
) -> dict[str, float]:
    """Run ours and the peers in turns, print a row, return the times."""
    best: dict[str, float] = {}
    said: dict[str, dict] = {}
    action()  # compiled
    for _ in range(ROUNDS):
        spent, log = ours(action, seconds)
        best["ours"] = min(spent, best.get("ours", np.inf))
        for tool in PACKAGES:
            found = theirs(tool, problem, size, seconds, law[tool])
            if found is not None:
                said[tool] = found
                best[tool] = min(found["us"], best.get(tool, np.inf))
    row = f"{name:22s} ours {best['ours']:6.2f}"
    for tool in PACKAGES:
        if tool not in best:
            row += f"   {tool} is not installed"
            continue
        off = agreed(end(log), said[tool]["end"], problem, tool)
        ratio = best["ours"] / best[tool]
        row += f"   {tool} {said[tool]['version']} {best[tool]:6.1f} = {ratio:.2f}, agrees to {off:.0e}"
    print(row, flush=True)
    return best


def laws(seconds: float = 100.0) -> None:
    """Print what a call of a Python law that does nothing costs."""

    both = {law: models.spacecraft(law) for law in (None, models.idle)}
    tools = [tool for tool in ("Basilisk", "Drake") if peer_python(PACKAGES[tool])]
    spent: dict[object, list[float]] = {}
    for _ in range(ROUNDS):
        for law, (made, x) in both.items():
            one, _ = ours(lambda made=made, x=x: flown(made, x, seconds), seconds)
            spent.setdefault(("ours", law is not None), []).append(one)
            for tool in tools:
                found = theirs(tool, "law", 0, seconds, law is not None)
                spent.setdefault((tool, law is not None), []).append(found["us"])
    each = data.FRAME / data.STEP
    row = ""
    for tool in ("ours", *tools):
        row += f"   {tool} {each * (min(spent[tool, True]) - min(spent[tool, False])):.1f}"
    print(f"an idle Python law, microseconds a call{row}", flush=True)


def flown(made, x, seconds: float):
    """Return the log of a run."""
    from interstage import simulate

    return simulate(made, x, until=seconds, step=data.STEP, log_step=1)


def main(argv: list[str] | None = None) -> None:
    """Run all problems."""
    from interstage import simulate

    print("microseconds a step, and ours over theirs")
    made, x = models.spacecraft()
    python = {"Basilisk": False, "Drake": True, "MuJoCo": True}
    end = models.spacecraft_end
    compare("spacecraft", "spacecraft", 0, 100.0, lambda: flown(made, x, 100.0), end, python)
    full, _ = models.spacecraft(shelf=True)
    flown(full, x, 1.0)
    print(f"{'':22s} ours {ours(lambda: flown(full, x, 100.0), 100.0, 6)[0]:6.2f} with wheels of the shelf")
    plain, _ = models.spacecraft(models.pointing)
    python["Basilisk"] = True
    compare("law in Python", "spacecraft", 0, 100.0, lambda: flown(plain, x, 100.0), end, python)
    for size in SIZES:
        vehicle, start = models.wings(size)

        def fly(v=vehicle, x=start):
            return simulate(v, x, WINGS, data.STEP, log_step=1)

        name = f"2 x {size} panels"
        compare(name, "panels", size, WINGS, fly, models.wings_end, dict.fromkeys(PACKAGES, False))
    laws()


if __name__ == "__main__":
    main()
