"""The demo's compilation, cut into jobs for two processes, and the results that its steps share.

What the demo compiles, cut into jobs that two processes share (`shared`): each can be done alone.

Jobs are what takes long: stages of the vehicle, loops of flights, functions of devices. What has no job here is
compiled where it is first used.

Two processes share the jobs of compiling: each takes the next one whenever it has nothing else to do.

Kernels land in the cache on disk, where both find them. The second process does jobs alone; this one does its own work,
and instead of waiting for what it needs next it does jobs, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from interstage.jit import COMPILED

Job = Callable[[], object]
Groups = dict[str, dict[str, Job]]
NUMBERS = {"real": np.dtype(float), "complex": np.dtype(complex)}
# kinds of stages (`handle.STAGES`) of vehicles with modes; those of the core beside them, and of one that burns
FLEXIBLE = {"all", "loads", "modes", "order 1", "other joints", "wide", "mixed"}
LOADED, BURNING = {"spin", "stiffening"}, {"tanks", "watched"}
# what takes longest goes first, so that nobody has to wait long for the last one
LONG = ("weigh", "eliminate_modes", "settle", "mode_answers", "joint_slopes", "inward", "joint_frame")


def groups() -> Groups:
    """Return all jobs by name, in two groups: of the core that flies a doublet, and of the ascent."""
    if not COMPILED:
        return {"doublet": {}, "ascent": {}}
    doublet = _doublet()
    ascent = {name: job for name, job in _ascent().items() if name not in doublet}
    return {"doublet": doublet, "ascent": ascent}


def _doublet() -> dict[str, Job]:
    from interstage.multibody.kernel_interface import DOORS, QUICK
    from interstage.multibody.kernels.derivative_entry import enter_slopes
    from interstage.simulation.run.integrators.integration_loop import WMETHOD
    from interstage.simulation.run.integrators.rosenbrock import ROS2

    seen = [DOORS[name][0] for name in ("prepare", "observe")]
    asked = [DOORS[name][0] for name in ("forward", "composite", "sums")]
    jobs = _stages([*seen, *QUICK.values(), *asked, enter_slopes], FLEXIBLE | LOADED, "real")
    jobs |= _stages(seen, FLEXIBLE, "complex")
    return jobs | _loop("ros2 without devices", WMETHOD, ROS2, "real", without=True)


def _ascent() -> dict[str, Job]:
    from interstage.multibody.kernel_interface import DOORS
    from interstage.simulation.run.integrators.explicit import RK4
    from interstage.simulation.run.integrators.integration_loop import EXPLICIT, WMETHOD
    from interstage.simulation.run.integrators.rosenbrock import ROS2

    jobs = {}
    for numbers in ("complex", "real"):
        jobs |= _loop("right-hand side", EXPLICIT, RK4, numbers)
    jobs |= _loop("ros2", WMETHOD, ROS2, "real")
    for numbers in NUMBERS:
        jobs |= _stages([EXPLICIT.door(), DOORS["prepare"][0]], FLEXIBLE | BURNING, numbers)
        jobs |= _functions(numbers)
    return jobs


def _stages(doors: Iterable[Callable], kinds: set[str], numbers: str) -> dict[str, Job]:
    """Return a job for each stage of some kinds that kernels call."""
    from interstage.compiled import stages_of
    from interstage.multibody.address_table import STAGES

    stages = {one.__name__: one for door in doors for one in stages_of(door)}
    names = [name for name in stages if STAGES[name] in kinds]
    names.sort(key=lambda name: LONG.index(name) if name in LONG else len(LONG))
    return {
        f"stage {name}, {numbers}": lambda one=stages[name]: one.compile(NUMBERS[numbers]) for name in names
    }


def _loop(name: str, flights, method, numbers: str, without: bool = False) -> dict[str, Job]:
    """Return the job of a loop."""
    m = method.data(False)
    return {f"loop {name}, {numbers}": lambda: flights.compile(m, NUMBERS[numbers], without)}


def _functions(numbers: str) -> dict[str, Job]:
    """Return a job for each class of devices in the ascent."""
    from interstage import devices
    from interstage.demo.ascent_plant import EngineCluster
    from interstage.simulation.plant.compiled_schedule import compile_function
    from interstage.simulation.plant.connection_blocks import Copy
    from interstage.staged_vehicle.propellant_devices import PipeFlow, PropellantTank

    names = (
        "Earth",
        "Gyro",
        "DrydenTurbulence",
        "Aero",
        "Engine",
        "HydraulicTVC",
        "Atmosphere",
        "DiscreteGust",
    )
    names += ("Accelerometer", "Thruster")
    classes = [*(getattr(devices, name) for name in names), PropellantTank, PipeFlow, EngineCluster, Copy]

    def job(cls):
        for name in ("outputs", "rates", "sample"):
            if name in cls.functions:
                compile_function(cls, name, NUMBERS[numbers])

    return {f"device {cls.__name__}, {numbers}": lambda cls=cls: job(cls) for cls in classes}


class Shared:
    """Jobs in groups, and a second process that does them in order."""

    def __init__(self, work: Groups, process: subprocess.Popen):
        self.process = process
        self._group = {name: group for group, jobs in work.items() for name in jobs}
        self._jobs = {name: job for jobs in work.values() for name, job in jobs.items()}
        self._left = list(self._jobs)
        self._undone = set(self._jobs)
        self._changed = threading.Condition()
        self._feeder = threading.Thread(target=self._feed, daemon=True)
        self._feeder.start()

    def finish(self, group: str) -> None:
        """Return when all jobs of a group are done; meanwhile do jobs here, of later groups if none is left in this."""
        wanted = {name for name, of in self._group.items() if of == group}
        while wanted & self._undone:
            name = self._take()
            if name is not None:
                self._jobs[name]()
                self._did(name)
                continue
            with self._changed:
                self._changed.wait_for(lambda: not wanted & self._undone)

    def _take(self) -> str | None:
        with self._changed:
            return self._left.pop(0) if self._left else None

    def _did(self, *names: str) -> None:
        with self._changed:
            self._undone.difference_update(names)
            self._changed.notify_all()

    def _feed(self) -> None:
        """Hand jobs to the second process, one after the other; what it leaves undone is compiled where it is used."""
        said, heard = self.process.stdin, self.process.stdout
        assert said is not None and heard is not None
        name = self._take()
        while name is not None:
            try:
                print(name, file=said, flush=True)
                answer = heard.readline().strip()
            except (OSError, ValueError):  # it has ended, or is being ended
                answer = ""
            self._did(name)
            if answer != name:
                return
            name = self._take()


@contextmanager
def sharing() -> Iterator[Shared | None]:
    """Compile in a second process meanwhile; nothing where there is one core only or no compiler is used."""
    if (os.cpu_count() or 1) < 2 or not COMPILED:
        yield None
        return
    process = subprocess.Popen(
        [sys.executable, "-m", "interstage.demo.shared"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
    )
    try:
        yield Shared(groups(), process)
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait()


def do_as_told() -> None:
    """Do the jobs whose names come in, and say each that is done."""
    jobs = {name: job for group in groups().values() for name, job in group.items()}
    for line in sys.stdin:
        jobs[line.strip()]()
        print(line.strip(), flush=True)


if __name__ == "__main__":
    do_as_told()
