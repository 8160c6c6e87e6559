"""Measure the ascent with everything on: seconds of flight a second of one core, and where the time goes.

    python -m benchmarks heron_ascent

The launcher of examples/heron_ascent.py from the pad to T + 300 s: it burns (30 shapes, then 13), five engines hang on
hydraulic actuators, forces of the air act on six nodes, with wind and turbulence, inertial unit and receiver at 50 Hz,
one staging, Python software at 50 Hz, by ROS2 in steps of 4 ms, a log row every 20 ms. Times are of the process, with
the model's own start (plan of the loop, compiled code loaded) but without the design before it. The software is timed
by a clock around its calls. Then stretches of 20 s: with everything, without software (gimbals held), and by RK4 in
steps of 2.5 ms.
"""

from __future__ import annotations

import inspect
import time

import numpy as np

STRETCH = 20.0  # s


def flight(**options: object) -> tuple[float, float]:
    """Return process seconds of the whole flight, and of the software in it."""
    from interstage.demo import ascent_flight as ascents
    from interstage.demo.ascent_control import AscentSoftware

    spent = [0.0]
    plain = AscentSoftware.__call__

    def timed(self, *args, **named):
        begin = time.thread_time()
        out = plain(self, *args, **named)
        spent[0] += time.thread_time() - begin
        return out

    one = ascents.ascent()
    begin = time.process_time()
    one.fly(**options)
    whole = time.process_time() - begin
    one = ascents.ascent()
    timed.__signature__ = inspect.signature(plain)
    AscentSoftware.__call__ = timed
    try:
        begin = time.process_time()
        one.fly(until=STRETCH)
        part = spent[0] / (time.process_time() - begin)
    finally:
        AscentSoftware.__call__ = plain
    return whole, part


def stretch(software: bool = True, **options: object) -> float:
    """Return process seconds a second of flight of the first seconds, best of three, less those of a short run."""
    from interstage import Assembly, simulate
    from interstage.demo import ascent_flight as ascents
    from interstage.demo import ascent_plant as ap

    given = {
        "step": ascents.STEP,
        "method": ascents.METHOD,
        "log_step": ascents.ROWS,
        "progress": False,
        **options,
    }
    best = np.full(2, np.inf)
    for _ in range(3):
        for k, until in enumerate((1.0, STRETCH)):
            one = ascents.ascent()
            made, held = one.assembly, {}
            if not software:
                made = Assembly("held", vehicle=one.stack.system())
                ap.surroundings(made, 1.0, 1)
                ap.add_first(made)
                ap.add_upper(made)
                ap.add_jets(made)
                held = {"*tvc*.command": 0.0, "engine5.throttle": 0.0, "jet*.width": 0.0}
            begin = time.process_time()
            simulate(made, one.start, until=until, set=held, **given)
            best[k] = min(best[k], time.process_time() - begin)
    return float(best[1] - best[0]) / (STRETCH - 1.0)


def main(argv: list[str] | None = None) -> None:
    """Print the figures."""
    from interstage.demo import ascent_flight as ascents

    ascents.ascent().fly(until=0.1)  # compiled
    whole, part = flight()
    print(f"pad to T + 300 s: {whole:.1f} s of the processor, {300.0 / whole:.1f} times real time")
    print(f"the software has {100 * part:.0f} % of it")
    print(f"\nfirst {STRETCH:g} s                          ms a second   times real time")
    for name, options in (
        ("everything", {}),
        ("without software, gimbals held", {"software": False}),
        ("RK4, 2.5 ms", {"method": "rk4", "step": "2.5 ms"}),
    ):
        each = stretch(**options)
        print(f"{name:35s}{1e3 * each:10.1f}{1.0 / each:15.1f}")


if __name__ == "__main__":
    main()
