"""What the demo compiles, cut into jobs that two processes share (`shared`): each can be done alone.

Jobs are what takes long: stages of the vehicle, loops of flights, functions of devices. What has no job here is
compiled where it is first used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

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
    from interstage.multibody.engine import DOORS, QUICK
    from interstage.multibody.kernels.linear_entry import enter_slopes
    from interstage.system.run.integrators.integration_loop import WMETHOD
    from interstage.system.run.integrators.rosenbrock import ROS2

    seen = [DOORS[name][0] for name in ("prepare", "observe")]
    asked = [DOORS[name][0] for name in ("forward", "composite", "sums")]
    jobs = _stages([*seen, *QUICK.values(), *asked, enter_slopes], FLEXIBLE | LOADED, "real")
    jobs |= _stages(seen, FLEXIBLE, "complex")
    return jobs | _loop("ros2 without devices", WMETHOD, ROS2, "real", without=True)


def _ascent() -> dict[str, Job]:
    from interstage.multibody.engine import DOORS
    from interstage.system.run.integrators.explicit import RK4
    from interstage.system.run.integrators.integration_loop import EXPLICIT, WMETHOD
    from interstage.system.run.integrators.rosenbrock import ROS2

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
    from interstage.multibody.handle import STAGES

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
    from interstage.demo.ascent_plant import Cluster
    from interstage.system.plant.compiled_schedule import compile_function
    from interstage.system.plant.connection_blocks import Copy
    from interstage.vehicle.tank import PipeFlow, Tank

    names = ("Earth", "Gyro", "Dryden", "Aero", "Engine", "HydraulicTVC", "Atmosphere", "Gust")
    names += ("Accelerometer", "Thruster")
    classes = [*(getattr(devices, name) for name in names), Tank, PipeFlow, Cluster, Copy]

    def job(cls):
        for name in ("outputs", "rates", "sample"):
            if name in cls.functions:
                compile_function(cls, name, NUMBERS[numbers])

    return {f"device {cls.__name__}, {numbers}": lambda cls=cls: job(cls) for cls in classes}
