"""An assembly and its vehicle as one loop of arrays: right-hand side, samples, stretches of steps."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from fractions import Fraction
from typing import Any

import numpy as np

from interstage.errors import InputError
from interstage.multibody import State, System
from interstage.multibody.address_table import slots_of
from interstage.multibody.state import StateLayout
from interstage.simulation.plant import coupled_kernels as kernels
from interstage.simulation.plant.compiled_schedule import Tapes
from interstage.simulation.plant.coupled_arrays import LOOP_FIELDS, Loop
from interstage.simulation.plant.plan import ExecutionPlan
from interstage.simulation.plant.prescribed_inputs import Ahead
from interstage.simulation.plant.vehicle_interface import Base, Touched, Touching
from interstage.simulation.run.applied_loads import InTime
from interstage.simulation.run.integrators import (
    integration_loop as flights,
)
from interstage.simulation.run.integrators import (
    step_control as stretch,
)
from interstage.simulation.run.integrators import (
    step_kernels as slope,
)
from interstage.simulation.run.step_schedule import BY_RK4, NONE, Rows, Steps, tolerance_of

FORESEEN = 256  # steps for which functions of time are asked at once
ON_GRID = 1e-9  # a time this near to a step (in steps) is that step


class Whole(State):
    """State of a vehicle, with the states z of devices."""

    __slots__ = ("z",)

    def __init__(self, layout: StateLayout, q: np.ndarray, v: np.ndarray, z: np.ndarray):
        super().__init__(layout, q, v)
        self.z = z.copy()


class ClosedLoop:
    """The arrays of a plan for one number type, ready for the kernels.

    tapes : vectors of the devices;  loop : `Loop`;  system : the vehicle;  scratch : of this loop alone
    touching : what devices touch of the vehicle;  carries : forces of joints are known after every right-hand side
    """

    def __init__(
        self,
        plan: ExecutionPlan,
        system: System,
        dtype: Any = float,
        *,
        by: Steps = BY_RK4,
        rows: Rows | None = None,
        base: Base | None = None,
        ideal: bool = False,
        interpret: bool = False,
        touching: Touching | None = None,
        carries: bool = False,
    ):
        self.plan, self.system, self.by, self.carries = plan, system, by, carries
        # no devices, and nobody asks what the vehicle carries
        self.without = not carries and all(isinstance(part.what, Ahead) for part in plan.parts)
        self.tapes = Tapes(plan, dtype, ideal, interpret)
        self.tapes.vehicle = system
        self.touching = touching or Touching(plan)
        self.touched = Touched(plan, system, self.touching, self.tapes.dtype, carries)
        arrays = self.touched.arrays(base)
        arrays |= self._tape_arrays(by.step or Fraction(1)) | self._log_arrays(rows or Rows())
        arrays |= by.arrays(plan, system, self.tapes.dtype, arrays["known_to"])
        arrays["turned"] = np.zeros((1, 9), self.tapes.dtype)
        self.loop = Loop(**arrays)
        self.slots = slots_of(self.loop)
        self.tapes.run_by(self._upcoming, self._state)
        self._write_in_time()
        self.data = by.method.data(by.step is None)
        self.scratch = system.engine.take(self.tapes.dtype)

    def on(self, system: System, base: Base | None, t: float) -> ClosedLoop:
        """Return the loop with the same devices at the same instant on a changed vehicle; this one is over."""
        new = copy(self)
        new.system = self.tapes.vehicle = system
        new.touching = self.touching.after(self.system, system, t)
        new.touched = Touched(self.plan, system, new.touching, self.tapes.dtype, self.carries)
        arrays = {name: getattr(self.loop, name) for name, _, _ in LOOP_FIELDS}
        rows, width = arrays["log"].shape
        more = system.nq + system.nv - self.system.nq - self.system.nv
        arrays |= new.touched.arrays(base)
        if self.plan.ahead:
            arrays |= new._ahead_arrays()
        arrays |= self.by.arrays(self.plan, system, self.tapes.dtype, arrays["known_to"])
        arrays |= {"pace": self.loop.pace, "log": np.zeros((rows, width + more))}
        new.loop = Loop(**arrays)
        new.slots = slots_of(new.loop)
        self.release()
        self.tapes.run_by(new._upcoming, new._state)
        new._write_in_time()
        new.scratch = system.engine.take(self.tapes.dtype)
        return new

    def again(self, plan: ExecutionPlan, system: System, base: Base | None, touching: Touching) -> ClosedLoop:
        """Return this loop of a vehicle without devices, which is over, as a new one on another view of it.

        plan : as empty as its own, on the same clock
        """
        self.plan = self.tapes.plan = self.touched.plan = plan
        self.system = self.touched.system = system
        self.touching = self.touched.touching = touching
        if len(self.loop.watch):
            self.loop = self.loop._replace(watch_state=NONE, watch_at=NONE, watch=np.zeros((0, 6)))
            self.slots = slots_of(self.loop)
        self.set_base(*base or (np.zeros(system.nv), NONE, np.zeros((0, 10))))
        loop = self.loop
        loop.pace[:], loop.shifted[:], loop.pause[:], loop.near[:] = self.by.pace(system), 0.0, np.inf, 0.0
        loop.now[kernels.ROWS] = 0
        if self.by.step is None:  # modes are measured by the mass of their body
            loop.floor[:] = tolerance_of(system, self.by.atol, loop.known_to).floor
        self.scratch = system.engine.take(self.tapes.dtype)
        return self

    def release(self) -> None:
        """Give the scratch of the vehicle back as it was found; nobody runs the devices any more."""
        self.tapes.leave()
        if self.by.method.implicit:
            self.scratch.set_shift(0.0)
        self.system.engine.give(self.scratch)

    # arrays -----------------------------------------------------------------------------------------

    def _tape_arrays(self, step: Fraction) -> dict[str, np.ndarray]:
        plan, tapes = self.plan, self.tapes
        found = {}
        for name in ("before", "after", "rates"):
            entries = getattr(plan, name)
            found[name], found[f"{name}_row"] = tapes.tape(entries)
        found |= self._ahead_arrays()
        found["sample"], found["sample_row"] = tapes.tape(plan.sampled)
        found["sample_every"] = np.array([e.every for e in plan.sampled], dtype=np.int64)
        found["sample_first"] = np.array([e.first for e in plan.sampled], dtype=np.int64)
        found["sample_next"] = found["sample_first"].copy()
        # the last part counts what is no sample: outputs that are said once more
        counters = [plan.parts[e.part if e.function == "sample" else -1].path for e in plan.sampled]
        ticks = [plan.slots[f"{path}.tick"].start for path in counters]
        found["sample_tick"] = np.array(ticks, dtype=np.int64)
        ratio = plan.clock.tick / step
        found["clock"] = np.array([plan.clock.num, plan.clock.den], dtype=np.int64)
        found["ratio"] = np.array([ratio.numerator, ratio.denominator], dtype=np.int64)
        found["now"], found["inside"] = np.zeros(7, dtype=np.int64), np.zeros(1, dtype=np.int64)
        found["pause"] = np.full(3, np.inf)
        found |= {"watch_state": NONE, "watch_at": NONE, "watch": np.zeros((0, 6))}
        v = tapes.vectors
        found |= {"flag": tapes.flag, "failed_at": tapes.failed_at}
        return found | {"s": v["s"], "z": v["z"], "zdot": v["Z"], "w": v["w"], "n": v["n"]}

    def _ahead_arrays(self) -> dict[str, np.ndarray]:
        """Return the tape of what is known ahead, without motions that say nothing now."""
        parts, idle = self.plan.parts, self.touching.idle
        said, rows = self.tapes.tape([e for e in self.plan.ahead if parts[e.part].path not in idle])
        return {"ahead": said, "ahead_row": rows}

    def _log_arrays(self, rows: Rows) -> dict[str, np.ndarray]:
        width = 1 + self.system.nq + self.system.nv + rows.width
        columns = [len(signals) for _, _, signals in rows.groups]
        most = max(rows.rows, 1)
        sizes = [(1 + n) * most for n in columns]
        return {
            "log": np.zeros((rows.rows, width)),
            "log_s": rows.s,
            "log_z": rows.z,
            "log_w": rows.w,
            "log_n": rows.n,
            "group_every": np.array([every for every, _, _ in rows.groups], dtype=np.int64),
            "group_first": np.array([first for _, first, _ in rows.groups], dtype=np.int64),
            "group_extra": np.array(rows.extra, dtype=np.int64).reshape(-1, 2),
            "group_column": np.cumsum([0, *columns]).astype(np.int64),
            "group_s": np.concatenate([NONE, *(signals for _, _, signals in rows.groups)]).astype(np.int64),
            "group_at": np.cumsum([0, *sizes])[:-1].astype(np.int64),
            "group_rows": np.zeros(len(columns), dtype=np.int64),
            "group_most": np.full(len(columns), most, dtype=np.int64),
            "samples": np.zeros(sum(sizes)),
            "option": np.array(
                [
                    int(self.plan.sample_feels),
                    rows.every,
                    0,
                    int(bool(self.plan.felt)),
                    0,
                    int(self.plan.sees),
                    0,
                ],
                dtype=np.int64,
            ),
        }

    def _upcoming(self, t: float) -> np.ndarray:
        """Return the times at which the stages of the coming equal steps stand, as the kernels count them."""
        now, pace = self.loop.now, self.loop.pace
        first, begin, h = int(now[kernels.STEP]), pace[flights.BEGIN], pace[flights.LENGTH]
        if self.by.step is None or h <= 0.0 or now[kernels.STEPS] <= first:
            return np.array([t])
        left = (kernels.plain(flights.target)(self.loop) - begin) / h - first  # whole ones alone are foreseen
        n = min(int(left + ON_GRID), FORESEEN)
        if n < 1:
            return np.array([t])
        starts = begin + np.arange(first, first + n + 1) * h
        inner = starts[:-1, None] + h * self.by.method.nodes[1:-1]
        look = kernels.plain(slope.just_after), kernels.plain(slope.just_before)
        return np.sort(np.concatenate([inner.ravel(), look[0](starts), look[1](starts[1:])]))

    def _state(self) -> State:
        """Return the state of the vehicle where the stage stands."""
        nq, nv = self.system.nq, self.system.nv
        return State(
            self.system.layout, self.loop.at[:nq].real.copy(), self.loop.at[nq : nq + nv].real.copy()
        )

    def set_base(self, tau: np.ndarray, sites: np.ndarray, wrenches: np.ndarray) -> None:
        """Let other loads act from now on, beside devices; only where there are no devices may they act elsewhere."""
        loop = self.loop
        if np.array_equal(sites, loop.sites):
            loop.base_tau[:], loop.base_wrenches[:] = tau, wrenches
        else:
            self.loop = loop._replace(**self.touched.wrenches([], (tau, sites, wrenches)))
            self.slots = slots_of(self.loop)
        self._write_in_time()

    def _write_in_time(self) -> None:
        """Let loads that are functions of time write to where the base loads are, beginning anew."""
        for part in self.plan.parts:
            if isinstance(part.what, InTime):
                part.what.write_to(self.touched.base, self.system.nv)

    # running ----------------------------------------------------------------------------------------

    def _perform(
        self, task: int, q: np.ndarray, v: np.ndarray, tick: int, t: float, qdot: np.ndarray, vdot: np.ndarray
    ) -> int:
        arguments = self.data, task, q, v, tick, t, qdot, vdot
        own = self.by.step is None
        return self.by.method.flights.perform(
            self.scratch, self.loop, self.slots, self.without, own, *arguments
        )

    def right_side(
        self, q: np.ndarray, v: np.ndarray, t: float, qdot: np.ndarray, vdot: np.ndarray, row: bool = False
    ) -> int:
        """Write q̇, v̇ and ż (in the vector Z of the tapes), and with `row` the log; return the status.

        Signals are those of this instant.
        """
        return self._perform(flights.ROW if row else flights.RIGHT_SIDE, q, v, 0, t, qdot, vdot)

    def sample(self, q: np.ndarray, v: np.ndarray, tick: int) -> int:
        """Run what is due at a tick; return the status."""
        return self._perform(flights.SAMPLE, q, v, tick, self.plan.clock.seconds(tick), q, v)

    def stretch(self, q: np.ndarray, v: np.ndarray) -> int:
        """Go on from where `loop.now` is; return how it ended."""
        return self._perform(flights.STRETCH, q, v, 0, 0.0, q, v)

    def step_from(self, q: np.ndarray, v: np.ndarray, t: float, h: float) -> int:
        """Take one step of h from t, q and v (and states of devices) changed in place; return the status."""
        self.loop.pace[stretch.TIME] = t
        return self._perform(flights.ONE_STEP, q, v, 0, h, q, v)

    def put_known(self, q: np.ndarray, v: np.ndarray, t: float) -> None:
        """Write what is known ahead at t into q and v, and masses; closures are left as they are."""
        option = self.system.settings.closure_option
        held, option[0] = option[0], 0.0
        self.arrive(q, v, t)
        option[0] = held

    def arrive(self, q: np.ndarray, v: np.ndarray, t: float) -> int:
        """Bring q and v to where they belong at t: what is known, unit quaternions, closures; return the status."""
        return self._perform(flights.ARRIVE, q, v, 0, t, q, v)

    def go_on_from(self, t: float) -> None:
        """Stand at a time inside the present interval; functions of time are asked anew."""
        y, nq = self.loop.y, self.system.nq
        q, v = y[:nq], y[nq : nq + self.system.nv]
        self._perform(flights.GO_ON, q, v, 0, t, q, v)
        self.tapes.forget()

    def watch(self, state: np.ndarray, at: np.ndarray, known: np.ndarray) -> None:
        """Let steps end where one of some numbers of s (or z, by `state`) might cross its level; (k,), (k,), (k, 6)."""
        self.loop = self.loop._replace(watch_state=state, watch_at=at, watch=known)
        self.slots = slots_of(self.loop)

    def end_steps_at(self, corners: np.ndarray) -> None:
        """Let steps of a method's own end at these times, rising."""
        self.loop = self.loop._replace(corners=corners)
        self.slots = slots_of(self.loop)

    def begin_at(self, start: Fraction, sampled: bool = False) -> None:
        """Stand at a time: what is sampled has its first sample there or at its next due tick after it.

        sampled : the samples of that time are done
        """
        loop, tick = self.loop, start // self.plan.clock.tick
        loop.now[:] = 0
        loop.now[kernels.TICK] = loop.now[kernels.START] = tick
        loop.pace[stretch.TIME], loop.pace[stretch.KNOWN] = float(start), 0.0
        past = np.maximum(0, -((loop.sample_first - tick) // loop.sample_every))
        loop.sample_next[:] = loop.sample_first + past * loop.sample_every
        if sampled or start % self.plan.clock.tick != 0:
            loop.sample_next[loop.sample_next == tick] += loop.sample_every[loop.sample_next == tick]
        loop.n[loop.sample_tick] = (loop.sample_next - loop.sample_first) // loop.sample_every - 1

    def check_place(self, t: float) -> None:
        """Refuse ticks and times that no run has that stands at t: those of a file may be any."""
        loop, due = self.loop, self.loop.sample_next
        tick, ahead = int(loop.now[kernels.TICK]), int(loop.now[kernels.NEXT])
        near, begin, length = 1e-9 * (1.0 + abs(t)), loop.pace[flights.BEGIN], loop.pace[flights.LENGTH]
        on_its_way = ahead > tick and self.by.step is not None
        whole = (
            abs(loop.pace[stretch.TIME] - t) <= near
            and self.plan.clock.seconds(tick) <= t + near
            and 0 <= ahead - min(tick, ahead) <= flights.FAR
            and 0 <= loop.now[kernels.ROWS] <= len(loop.log)
            and np.isfinite([begin, length]).all()
            and (length > 0.0 or not on_its_way)
            and ((due >= tick) & (due <= np.maximum(tick + loop.sample_every, loop.sample_first))).all()
        )
        if not whole:
            raise InputError("the ticks of the checkpoint are not of its time", got=f"t = {t:.9g} s")

    def end_at(self, end: float) -> None:
        """Let the run end at a time, after samples that are due there."""
        self.loop.pause[kernels.END] = end

    def hold(self, values: Mapping[str, np.ndarray]) -> None:
        """Write values of inputs, states and parameters by full name."""
        for name, value in values.items():
            self.tapes.array(name)[...] = value
