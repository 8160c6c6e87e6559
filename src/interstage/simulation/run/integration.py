"""The plant of a run on its way through time: where it stands, and how it goes on."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from interstage.multibody import State, System
from interstage.multibody.closure_queries import open_by
from interstage.multibody.queries import rigid_of
from interstage.simulation.log.layout import LogColumns
from interstage.simulation.plant import coupled_kernels as kernels
from interstage.simulation.plant.declarations import Out
from interstage.simulation.plant.plan import ExecutionPlan
from interstage.simulation.plant.prescribed_inputs import MASS
from interstage.simulation.plant.vehicle_interface import Base, Touching
from interstage.simulation.run.coupled_system import ClosedLoop, Whole
from interstage.simulation.run.integrators import CompiledMethod, integration_loop, step_control
from interstage.simulation.run.integrators.scipy_solvers import ByScipy
from interstage.simulation.run.run_errors import Locks, check
from interstage.simulation.run.step_schedule import Steps, StepSchedule

BUFFER = 2**19  # numbers in the buffer of the log
OPEN = 10.0  # tolerances by which closures may be open before they are assembled


class Integrator:
    """Devices and vehicle in one loop, advanced by compiled steps or by a solver of scipy.

    plan, system, loop : what runs;  q, v : state of the vehicle;  start, until : times of the run
    step, method, by : how it steps;  single : steps end one by one, to be looked at
    scipy : the solver, None: compiled steps;  strayed : whether the loop has been elsewhere since the last step
    rows_every : ticks between rows of the log, 0: a row at every step
    """

    def __init__(self, plan: ExecutionPlan, system: System, course: StepSchedule, by: Steps, single: bool):
        self.plan, self.system, self.by, self.single = plan, system, by, single
        self.start, self.until, self.step = course.start, course.until, course.step
        self.method, self.every = course.method, course.every
        self.locks = Locks(self.method.turn if isinstance(self.method, CompiledMethod) else np.inf)
        self.loop: ClosedLoop
        self.scipy: ByScipy | None = None
        self.strayed, self.rows_every = False, 0
        self.q, self.v = np.zeros(system.nq), np.zeros(system.nv)
        self._view: tuple[System, System] | None = None
        self._pool: tuple[object, ...] | None = None

    # the loop ---------------------------------------------------------------------------------------

    def close(
        self, columns: LogColumns, base: Base | None, touching: Touching, interpret: bool, ideal: bool
    ) -> None:
        """Close the loop of devices and vehicle under what acts."""
        rows = columns.rows(max(16, min(4096, BUFFER // columns.width)))
        self.rows_every = 0 if self.every is None else self.plan.clock.ticks(self.every)
        rows.every = self.rows_every
        plain = not (self.plan.parts or interpret or ideal)
        self._pool = (self.by, rows.rows, rows.every, self.plan.clock) if plain else None
        self._idle = self.system.engine.idle
        idle = None if self._pool is None else self._idle.pop(self._pool, None)
        if isinstance(idle, ClosedLoop):
            self.loop = idle.again(self.plan, self.system, base, touching)
        else:
            self.loop = ClosedLoop(
                self.plan,
                self.system,
                by=self.by,
                rows=rows,
                base=base,
                interpret=interpret,
                ideal=ideal,
                touching=touching,
            )
        self.loop.loop.option[kernels.LOG_EVERY] = rows.every
        self.loop.loop.option[kernels.SINGLE] = int(self.single)

    def last_row(self) -> float:
        """Return the time of the last row of the log that was due."""
        every, clock = self.rows_every, self.plan.clock
        return clock.seconds(clock.last(self.t) // every * every) if every else self.t

    def use(self, plan: ExecutionPlan, columns: LogColumns, base: Base | None) -> None:
        """Go on with another plan of the same devices: of loads that are functions of time from now on."""
        old = self.loop
        plan.clock, self.plan = self.plan.clock, plan
        rows = columns.rows(len(old.loop.log))
        touching = replace(old.touching, plan=plan)
        self.loop = ClosedLoop(plan, self.system, by=self.by, rows=rows, base=base, touching=touching)
        self.loop.tapes.noting = old.tapes.noting
        for name in ("now", "pace", "pause"):
            getattr(self.loop.loop, name)[:] = getattr(old.loop, name)
        for k in (kernels.LOG_EVERY, kernels.SINGLE):
            self.loop.loop.option[k] = old.loop.option[k]
        self._pool = None
        old.release()
        self._tell_solver()

    def stand_on(self, system: System, base: Base | None) -> None:
        """Let devices and loads act on another vehicle."""
        self.system = system
        self.loop = self.loop.on(system, base, self.t)
        self._tell_solver()

    def _tell_solver(self) -> None:
        if self.scipy is not None:
            self.scipy.loop = self.loop

    def release(self) -> None:
        """Give back what was lent; one loop of a vehicle without devices is kept for other runs."""
        self.loop.release()
        if self._pool is not None and self.loop.system.engine.idle is self._idle:
            self._idle.clear()
            self._idle[self._pool] = self.loop

    # time -------------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """The time at which the run stands."""
        return float(self.loop.loop.pace[step_control.TIME])

    def advance(self, to: float) -> int:
        """Go on up to a time, or to where something is to be done before it; return why it ended there."""
        self.loop.loop.pause[kernels.BEFORE] = to
        status = (self.scipy or self.loop).stretch(self.q, self.v)
        near = self.loop.loop.near
        if near.size and near.any():  # gimbals that equal steps took too far near lock
            self.locks.note(self.system, float(self.step), near)
            near[:] = 0.0
        return status

    def check(self, status: int) -> None:
        """Refuse what forward dynamics refused, and numbers that are none."""
        check(self, status)

    def end_at(self, until: Fraction) -> None:
        """Give the run another end."""
        self.until = until
        self.loop.end_at(float(until))

    def go_on_from(self, t: float) -> None:
        """Stand inside the present interval."""
        self.loop.go_on_from(t)

    def resume_at(self, t: float) -> None:
        """Stand at the end of a step again, after looks into it."""
        self.loop.loop.pace[step_control.TIME], self.loop.loop.pace[step_control.KNOWN] = t, 0.0

    def begin_anew(self) -> None:
        """Let the next step begin with a slope of its own."""
        self.loop.loop.pace[step_control.KNOWN] = 0.0

    def changed(self) -> None:
        """Something has changed at this instant: it is logged anew."""
        self.loop.loop.pace[integration_loop.LOGGED] = np.nan

    def step_begun(self) -> float:
        """Return when the last step began."""
        return float(self.loop.loop.pace[integration_loop.BACK])

    # states -----------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """State of the vehicle: its own arrays."""
        return State(self.system.layout, self.q, self.v)

    def whole(self) -> Whole:
        """Return the state of the vehicle and of devices."""
        return Whole(self.system.layout, self.q, self.v, self.loop.tapes.vectors["z"])

    def beginning(self) -> Whole:
        """Return where the last step began."""
        loop, nq, n = self.loop.loop, self.system.nq, self.system.nq + self.system.nv
        return Whole(self.system.layout, loop.back[:nq].copy(), loop.back[nq:n].copy(), loop.back[n:])

    def put(self, x: Whole) -> None:
        """Stand at another state."""
        self.q[:], self.v[:] = x.q, x.v
        self.loop.tapes.vectors["z"][:] = x.z

    def bring(self, t: float, x: Whole) -> None:
        """Let all signals be those at a time and state."""
        self.strayed = True
        self.loop.tapes.vectors["z"][:] = x.z
        q, v = x.q.copy(), x.v.copy()
        self.check(self.loop.right_side(q, v, t, np.empty_like(q), np.empty_like(v)))

    def stepped(self, t: float, x: Whole, h: float) -> Whole:
        """Return the state after one step of h from another."""
        self.strayed = True
        q, v = x.q.copy(), x.v.copy()
        self.loop.tapes.vectors["z"][:] = x.z
        if h > 0.0:
            self.check(self.loop.step_from(q, v, t, h))
        return Whole(x.layout, q, v, self.loop.tapes.vectors["z"])

    def start_as_known(self) -> None:
        """Stand at the start on what is known ahead; the other joints of closures follow."""
        system, closed = self.system, bool(self.system.model.closures)
        if closed:
            system.check_closed(self.state)
        self.loop.put_known(self.q, self.v, float(self.start))
        self.loop.tapes.check()
        if closed and open_by(system, self.state) > OPEN:
            x = system.assemble(self.state)
            self.q[:], self.v[:] = x.q, x.v

    # the vehicle ------------------------------------------------------------------------------------

    def describe_masses(self) -> None:
        """Let the vehicle be described with the masses of now, as changes of it need them."""
        system = self.system
        for touch in self.loop.touching.of(system)[2]:
            if touch.quantity == MASS:
                body = str(touch.place)
                now = rigid_of(self.loop.tapes.vectors["s"][touch.slot.where], system.model.spec(body).offset)
                system.set_mass(body, now.mass, now.com, now.inertia, check=False)

    def seen(self) -> System:
        """Return the vehicle as laws and conditions see it: a view of its own, with the masses of now."""
        self.describe_masses()
        if self._view is None or self._view[0] is not self.system:
            self._view = self.system, self.system.with_settings()
        view, own = self._view[1], self.system.settings
        view.settings.body_inertia[:], view.settings.propellant[:] = own.body_inertia, own.propellant
        if not np.array_equal(view.settings.joint_mode, own.joint_mode):  # by a device that holds and frees
            view.settings.joint_mode[:] = own.joint_mode
            view.note_held()
        return view

    @cached_property
    def held(self) -> set[int]:
        """Numbers of the signals that change at samples alone."""
        slots = [
            self.plan.slots[f"{part.path}.{name}"]
            for part in self.plan.parts
            for name, one in part.what.fields.items()
            if isinstance(one, Out) and part.samples(name)
        ]
        return {k for slot in slots for k in range(slot.start, slot.start + slot.size)}

    def sampled_now(self) -> bool:
        """Return whether the samples of this time are done."""
        ticks = self.loop.loop.sample_next
        return not len(ticks) or self.plan.clock.seconds(int(ticks.min())) > self.t
