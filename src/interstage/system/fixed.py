"""Run with fixed steps in compiled loops, stopping only where something has to be asked or done."""

from __future__ import annotations

import warnings

import numpy as np

from interstage.errors import InputError, InterstageError, LockWarning, SolverError
from interstage.multibody import State, System
from interstage.multibody.diagnosis import near_lock
from interstage.system.between import Between
from interstage.system.integrators import NEAR_LOCK, implicit_shift, no_feed, take_steps
from interstage.system.log import Log
from interstage.system.run import Control, Run

CHUNK = 64  # steps between looks at conditions: what is done beyond an event is thrown away
TABLE = 256  # steps of one table of histories
FAR = (
    0.2,
    0.05,
)  # turn of a gimbal near lock in one step, of RK4 and ROS2, that costs about 1e-5 of the energy
ON_GRID = 1e-9  # a time this near to a step (in steps) is that step


def count(total: float, part: float, what: str) -> int:
    """Return how many parts make the total, or say that they do not."""
    n = round(total / part)
    if n < 1 or abs(n * part - total) > 1e-6 * part:
        raise InputError(
            f"{what} is not a whole number of steps", expected=f"a multiple of {part:g}", got=f"{total:g}"
        )
    return n


class Stepper:
    """Fixed steps on the grid k·step, partial steps to events and back to the grid."""

    def __init__(self, run: Run, step: float, implicit: bool, every: int):
        self.run, self.step, self.implicit, self.every = run, step, implicit, every
        self.k, self.on_grid = 0, True
        self.kept: tuple | None = (
            None  # engine, scratch of the integrator's own, that of a step, empty tables
        )
        self.shift = 0.0  # step whose implicit shift is in the scratch
        self.locked: dict[str, float] = {}  # bodies whose gimbals passed near lock, and when

    def take(self, q: np.ndarray, v: np.ndarray, t: float, h: float, n: int, inner: int):
        """Take n steps of h from q, v (changed in place) at t; return every `inner`-th state."""
        run, engine = self.run, self.run.system.engine
        if self.kept is None or self.kept[0] is not engine:
            self.release()
            work = engine.take(np.dtype(np.float64))
            self.kept = (engine, work, np.empty((8, max(len(q), len(v), 1))), no_feed(run.system.nv))
        _, work, rows, empty = self.kept
        if self.implicit and self.shift != h:
            work.set_shift(implicit_shift(work.tree, h))
            self.shift = h
        # rows at the beginning, middle and end of each step, ends shared
        feed = run.feed(t + 0.5 * h * np.arange(2 * n + 1)) if run.needs_feed else empty
        status, taken, log_q, log_v, near = take_steps(
            work, self.implicit, q, v, run.loads, feed, h, n, inner, rows
        )
        if near.any():
            self.note_lock(t, h, near)
        if status != 0:
            self.failed(status, t + taken * h, q, v)
        return log_q, log_v

    def note_lock(self, t: float, h: float, near: np.ndarray) -> None:
        """Warn once of each gimbal that passed near lock in steps too long for it."""
        system = self.run.system
        for i, far, step in zip(system.tree.gimbals, *near):
            name = system.bodies[i]
            if far <= FAR[self.implicit] or name in self.locked or system.joint_mode(name) != "free":
                continue
            self.locked[name] = t + step * h
            shorter = (
                f"steps below {FAR[self.implicit] * h / far:.1g}" if far < 100.0 else "much smaller steps"
            )
            warnings.warn(
                f"the Gimbal joint of body '{name}' passes near lock at t = {self.locked[name]:.6g}: it turns {far:.2g}"
                f" radians in a step of {h:g}, energy is not kept; use {shorter}, an adaptive method or a Ball joint",
                LockWarning,
                stacklevel=2,
            )

    def release(self) -> None:
        """Give the scratch back as it was found."""
        if self.kept is not None:
            engine, work = self.kept[:2]
            if self.shift:
                work.set_shift(0.0)
            engine.give(work)
            self.kept, self.shift = None, 0.0

    def partial(self, q: np.ndarray, v: np.ndarray, t: float, h: float) -> State:
        """Return the state after one step of length h."""
        x = State(self.run.system.layout, q, v)
        if h > 0.0:
            self.take(x.q, x.v, t, h, 1, 1)
        return x

    def go(self, n: int) -> None:
        """Take up to n whole steps; stop at the first event."""
        run, step = self.run, self.step
        t0 = self.k * step
        if len(run.watch) == 0:
            ahead = self.every - self.k % self.every  # to the next logged step
            inner = self.every if ahead == self.every and n >= ahead else min(n, ahead)
            n = inner * (n // inner) if inner == self.every else inner
            log_q, log_v = self.take(run.x.q, run.x.v, t0, step, n, inner)
            numbers = self.k + inner * np.arange(1, n // inner + 1)
            self.arrive(self.k + n, numbers, log_q, log_v)
            return
        start_q, start_v = run.x.q.copy(), run.x.v.copy()
        log_q, log_v = self.take(run.x.q, run.x.v, t0, step, n, 1)
        for j in range(n):
            a_q, a_v = (start_q, start_v) if j == 0 else (log_q[j - 1], log_v[j - 1])
            hit = self.look(a_q, a_v, t0 + j * step, step, State(run.system.layout, log_q[j], log_v[j]))
            if hit is not None:
                self.arrive(self.k + j, self.k + np.arange(1, j + 1), log_q[:j].copy(), log_v[:j].copy())
                self.on_grid = False
                self.jump(a_q, a_v, t0 + j * step, *hit)
                return
        self.arrive(self.k + n, self.k + np.arange(1, n + 1), log_q, log_v)

    def arrive(self, k: int, numbers: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Log whole steps and stand on step k."""
        if self.every > 1:
            keep = numbers % self.every == 0
            numbers, q, v = numbers[keep], q[keep], v[keep]
        self.run.add_rows(self.step * numbers, q, v)
        self.k, self.on_grid, self.run.t = k, True, k * self.step

    def look(self, q: np.ndarray, v: np.ndarray, t: float, h: float, end: State):
        """Return the first event in a step from q, v, or None."""
        inside = Between(self.run.system, q, v, end, h)
        q, v = np.ascontiguousarray(q), np.ascontiguousarray(v)
        return self.run.watch.first_crossing(t, h, end, inside, lambda s: self.partial(q, v, t, s))

    def jump(self, q: np.ndarray, v: np.ndarray, t: float, s: float, events: list) -> None:
        """Go from q, v at t to events that lie s ahead, and let them happen."""
        run = self.run
        run.x, run.t = self.partial(q, v, t, s), t + s
        run.fire(events, self.law)

    def off_grid(self, t_end: float) -> None:
        """Take one step to t_end, or to an event before it."""
        run, t = self.run, self.run.t
        if t_end - t <= 1e-3 * ON_GRID * self.step:
            run.t = t_end
            return
        end = self.partial(run.x.q, run.x.v, t, t_end - t)
        hit = self.look(run.x.q, run.x.v, t, t_end - t, end) if len(run.watch) else None
        if hit is not None:
            self.jump(run.x.q, run.x.v, t, *hit)
            return
        run.x, run.t = end, t_end

    law: Control | None = None

    def failed(self, status: int, t: float, q: np.ndarray, v: np.ndarray) -> None:
        """Say why a run stopped."""
        system = self.run.system
        fastest = _fastest(system)
        hint = "use a smaller step"
        spun = [system.bodies[i] for i in system.tree.gimbals]
        spun = [b for b in spun if not self.step * np.abs(v[system.layout[b].v]).max() < 1.0]
        if locked := list(self.locked) or near_lock(system, q, NEAR_LOCK) or spun:
            hint = (
                f"gimbal lock of {', '.join(f'{b!r}' for b in locked)}: use a Ball joint, or a smaller step"
            )
        elif not self.implicit and fastest * self.step > 2.8:
            hz = fastest / (2.0 * np.pi)
            hint = f"the fastest mode ({hz:.3g} Hz) needs steps below {2.8 / fastest:.2g}: use method='ros2'"
        elif (status > 0 or status < -1) and max(
            np.abs(q).max(initial=0.0), np.abs(v).max(initial=0.0)
        ) < 1e6:
            system.refuse(status, State(system.layout, q, v))
        raise SolverError(f"the simulation went to infinity at t = {t:.6g}", hint=hint)


def _fastest(system: System) -> float:
    """Return the highest circular frequency: that of the vehicle as it is joined, above those of its parts."""
    parts = float(np.sqrt(system.tree.v_stiffness.max(initial=0.0)))
    if system.nv > 600:
        return parts
    try:
        return max(parts, 2.0 * np.pi * float(system.modes().frequencies_hz.max(initial=0.0)))
    except InterstageError:
        return parts


def run_fixed(
    run: Run,
    until: float,
    step: float,
    implicit: bool,
    law: Control | None,
    control_step: float | None,
    log_step: float | None,
) -> Log:
    """Take fixed steps, from one control sample, table or event to the next."""
    steps = count(until, step, "until")
    every = 1 if log_step is None else count(log_step, step, "log_step")
    chunk = (
        steps if law is None else (1 if control_step is None else count(control_step, step, "control_step"))
    )
    stepper = Stepper(run, step, implicit, every)
    stepper.law = law
    run.watch.start(0.0, run.x)
    sampled = -1
    try:
        while True:
            due = run.due(ON_GRID * step)
            if due:
                asked_next = stepper.on_grid and stepper.k % chunk == 0 and sampled != stepper.k
                run.fire(due, None if asked_next else law)
            if run.stopped or (stepper.on_grid and stepper.k >= steps):
                break
            if law is not None and stepper.on_grid and stepper.k % chunk == 0 and sampled != stepper.k:
                run.command(law)
                sampled = stepper.k
            _advance(stepper, steps, chunk)
    finally:
        stepper.release()
    if run.stopped:
        run.add_now()
    return run.log({"method": "ros2" if implicit else "rk4", "step": step, "steps": stepper.k})


def _advance(stepper: Stepper, steps: int, chunk: int) -> None:
    """Go on to the next control sample, table, timed event or grid point."""
    run, step, k = stepper.run, stepper.step, stepper.k
    when = run.timed[0].at / step if run.timed else np.inf
    if not stepper.on_grid or when < k + 1 - ON_GRID:
        end = min(k + 1, when)
        stepper.off_grid(run.timed[0].at if end < k + 1 - ON_GRID else (k + 1) * step)
        if run.t == (k + 1) * step:
            new = 1 if run.rows[-1][0][-1] != run.t else 0  # an event at a step has logged it already
            stepper.arrive(
                k + 1, np.array([k + 1])[:new], run.x.q[None][:new].copy(), run.x.v[None][:new].copy()
            )
        else:
            stepper.on_grid = False
        return
    n = min(steps - k, chunk - k % chunk)
    if np.isfinite(when):
        n = min(n, int(when + ON_GRID) - k)
    if run.needs_state:
        n = 1
    elif run.needs_feed:
        n = min(n, TABLE)
    if len(run.watch):
        n = min(n, CHUNK)
    stepper.go(n)
