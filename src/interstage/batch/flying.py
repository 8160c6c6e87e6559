"""Fly many samples of one vehicle at once."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from interstage.batch.gpu.fly import WORTH, fly_on_gpu, obstacle
from interstage.batch.law import LinearController, stops_of
from interstage.batch.log import BatchLog, number_of_samples
from interstage.batch.numbers import check_memory
from interstage.batch.plan import HISTORY, BatchPlan, Output, Pace, outputs_of, plan_of
from interstage.batch.threads import fly_in_threads
from interstage.calls import named_arguments
from interstage.errors import InputError, shown
from interstage.multibody import State, System
from interstage.multibody.loads import Forces, Generalized, Loads
from interstage.multibody.operating_point import acting_at, at_point, tell_of_devices
from interstage.multibody.topology import check_state
from interstage.simulation.plant.clock import Period, period_of
from interstage.simulation.run.integrators import CompiledMethod, Method, method_of
from interstage.simulation.run.operating_point import (
    begin_time,
    check_whole,
    tell_of_histories,
    tell_of_loads,
)
from interstage.studies.design import Design, Dispersions, draw

DEVICES = ("auto", "cpu", "cuda")
MOST_MIB = 16.0 * 1024.0  # histories of a batch that are larger are a mistake


@named_arguments
def simulate_batch(
    system: System,
    x0: State,
    until: Period,
    step: Period,
    *,
    samples: int,
    disperse: Dispersions | Mapping[str, ArrayLike] | None = None,
    outputs: Sequence[str] | str | None = None,
    device: str = "auto",
    log_step: Period | None = None,
    method: str | Method = "rk4",
    forces: Forces | None = None,
    frame: str = "world",
    tau: Generalized | None = None,
    control: LinearController | None = None,
    stop: Sequence[str] | str = (),
    seed: int = 0,
    sampling: str = "random",
    threads: int | None = None,
) -> BatchLog:
    """Integrate many samples of a vehicle that differ in some numbers; return the log of all of them.

    Every sample is what `simulate` gives for a vehicle with its numbers; `log.sample(k)` is that run.

    Parameters
    ----------
    system, x0 : the nominal vehicle, and the state (or operating point) from which samples start; from a point of a
        log they go on at its time, as `simulate` does
    until : the time at which samples end
    step, method : fixed steps of a compiled method: "rk4", "dopri5", "ros2", "ros3"
    samples, disperse, seed, sampling : how many, and what they differ by: distributions as in `monte_carlo`, which
        draws the same table, or an array of a number for each sample. Names: "q.arm.angle", "v.bus.wx" of the state at
        the start; factors "stiffness", "damping", "mass", "force", "tau", "gain", each alone for all, or with the name
        of a body, of one of its "modes" or "joint", of a velocity, place or output of the law (`batch.numbers`);
        "law.D[0,1]"
    outputs : what is kept: "q.arm.angle" (a row every `log_step`), or "final", "max", "min", "peak", "mean", "rms" of
        its rows, as "peak v.bus.wx"; "law.u1" is an output of the law. "mean" is 1/T ∫ y dt and "rms" √(1/T ∫ y² dt)
        by the trapezoidal rule over the rows and the end of the sample, as in `monte_carlo`: not the plain mean of the
        rows, which counts the first and last one twice as much. Default: "final" of all coordinates and velocities
    log_step : time between rows, default every step
    forces, frame, tau : loads, as in `simulate`: constant, tables over time, or functions of time (not of the vehicle),
        which are asked once, for the times of all steps
    control : a `LinearController`
    stop : conditions that end a sample, as "q.arm.angle > 0.5"
    device : "cpu", the cores of this machine; "cuda", its GPU (NVIDIA, with the extra `gpu`; explicit methods); "auto",
        the GPU where there is one and samples are many
    threads : of the CPU, default one for each core

    A sample that fails is marked (`log.failed`, `log.errors`), the others go on.
    """
    samples = number_of_samples(samples)
    if device not in DEVICES:
        raise InputError(
            f"there is no device {device!r}", where="device", expected=", ".join(map(repr, DEVICES))
        )
    if not isinstance(system, System):
        raise InputError(
            "a batch is of a vehicle",
            expected="a compiled system",
            got=shown(system),
            hint="assemblies of devices are flown many times by ist.monte_carlo",
        )
    chosen = method_of(method)
    if not isinstance(chosen, CompiledMethod):
        raise InputError(
            f"method {chosen} takes steps of its own",
            where="method",
            expected="rk4, dopri5, ros2 or ros3, with fixed steps",
        )
    if control is not None and not isinstance(control, LinearController):
        raise InputError(
            "the law of a batch is linear",
            where="control",
            expected="an ist.LinearController",
            got=shown(control),
        )
    check_state(system, x0)
    if np.iscomplexobj(x0.q):
        raise InputError("a run starts from a state of real numbers", where="x0", got=f"{x0.q.dtype}")
    view = at_point(system, x0).with_settings()
    view.check_closed(x0)
    loads = Loads.of(view, *acting_at(x0, forces, tau, None), frame)
    tell_of_histories(x0, (), (), None, batch=True)
    if forces is None and tau is None and control is None:
        check_whole(x0)
        tell_of_loads(x0)
        tell_of_devices(x0, "ist.monte_carlo of the flight")
    pace = _pace(until, step, log_step, control, begin_time(x0))
    kept = outputs_of(outputs, view, control)
    _check_size(kept, pace, samples)
    design = _design(disperse or {}, samples, seed, sampling)
    x = State(view.layout, x0.q.copy(), x0.v.copy())
    plan = plan_of(view, x, loads, control, stops_of(stop, view), kept, chosen, pace, design)
    return _flown(plan, device, threads)


def _flown(plan: BatchPlan, device: str, threads: int | None) -> BatchLog:
    """Fly a batch where it shall be flown."""
    begun = time.perf_counter()
    chosen = _device(plan, device)
    found, indefinite = fly_on_gpu(plan) if chosen == "cuda" else fly_in_threads(plan, threads)
    if indefinite.any():
        plan.system.engine.indefinite |= indefinite
        plan.system.warn_of_fidelity()
    return BatchLog(plan, found, chosen, time.perf_counter() - begun)


def _device(plan: BatchPlan, device: str) -> str:
    """Return where a batch flies, "cpu" or "cuda"."""
    if device == "cpu" or (device == "auto" and plan.samples < WORTH):
        return "cpu"
    why, hint = obstacle(plan)
    if why and device == "cuda":
        raise InputError(why, where='device="cuda"', hint=hint)
    return "cpu" if why else "cuda"


def _pace(
    until: Period, step: Period, log_step: Period | None, law: LinearController | None, start: float
) -> Pace:
    """Return the steps of a batch."""

    def seconds(value: Period | None, where: str) -> float | None:
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0.0:
            return float(value)
        return None if value is None else float(Fraction(period_of(value, where)))

    whole, each = seconds(until, "until"), seconds(step, "step")
    if whole is None or each is None:
        raise InputError(
            "a batch takes fixed steps", where="step", expected="a time, as 1e-3", got=shown(step)
        )
    hold = None if law is None else seconds(law.every, "every")
    return Pace.of(whole, each, seconds(log_step, "log_step"), hold, law is not None, start)


def _check_size(outputs: Sequence[Output], pace: Pace, samples: int) -> None:
    """Refuse histories that no memory holds."""
    histories = sum(one.how == HISTORY for one in outputs)
    numbers = float(histories) * len(pace.times) * samples
    hint = 'give log_step, or keep a reduced form, as "peak q.arm.angle"'
    check_memory(f"histories of {samples} samples", numbers, MOST_MIB, "outputs", hint)


def _design(disperse: object, samples: int, seed: int, sampling: str) -> Design:
    if not isinstance(disperse, Mapping):
        wanted = {"expected": "{name: distribution}", "got": shown(disperse)}
        raise InputError("dispersions are not given by name", where="disperse", **wanted)
    return replace(draw(disperse, samples, seed, sampling), build="")
