"""A simulation on its way: system, state, time, what acts on it, and what has been logged."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from fractions import Fraction
from typing import Any

import numpy as np

from interstage.errors import InputError
from interstage.multibody import State, System
from interstage.multibody.closing import open_by
from interstage.multibody.loads import Loads, acting_at
from interstage.system.acting import Acting, Control, InTime, bearer, command, refuse_turned
from interstage.system.ahead import Ahead
from interstage.system.ahead_parts import given_ahead
from interstage.system.assembly import Part
from interstage.system.dense import Dense
from interstage.system.events import Event, EventRecord, Outcome, note, perform
from interstage.system.flight_point import check_locked
from interstage.system.histories import BoundMotion, Mass, Motion
from interstage.system.log import Log
from interstage.system.phases import Inputs, Phase
from interstage.system.watch import Watch


class Run:
    """The state on its way, and the loads on it.

    system, x, t : where the run is;  acting : what acts;  loads : tau (nv,), sites, wrenches of it for the kernels
    """

    def __init__(
        self,
        system: System,
        x: State,
        forces: dict | None,
        tau: Any,
        motions: dict[str, Motion],
        mass: dict[str, Any],
        events: list[Event],
        frame: str = "world",
        accelerations: dict | None = None,
        dense: bool = True,
    ):
        self.system, self.t, self.keeps_dense = system, 0.0, dense
        self._view: tuple[System, System] | None = None
        self.x = State(system.layout, x.q.astype(np.float64), x.v.astype(np.float64))
        self.motions: dict[str, BoundMotion] = {}
        self.mass = {body: Mass(f, body) for body, f in mass.items()}
        for body in mass:
            if system.flexible(body) is not None:
                raise InputError(
                    f"body '{body}' is flexible: its mass belongs to its component", where="mass"
                )
        for body, motion in motions.items():
            self._follow(body, motion, start=True)
        if self.motions and system.model.closures:
            # the others follow joints that were put on their motion
            system.check_closed(State(system.layout, x.q.astype(np.float64), x.v.astype(np.float64)))
            if open_by(system, self.x) > 10.0:
                self.x = system.assemble(self.x)
        check_locked(system, self.x)
        self.timed = sorted((e for e in events if e.at is not None), key=lambda e: e.at)
        self.watch = Watch(events, system, self.seen)
        self.records: list[EventRecord] = []
        self.phases: list[Phase] = []
        self.stopped = False
        self.acting = Acting(Loads.of(system, *acting_at(x, forces, tau, accelerations), frame), frame)
        self._begin_phase()
        self.load()

    # loads ------------------------------------------------------------------------------------------

    def load(self) -> None:
        """Bring what acts before the kernels, from now on."""
        self.sites, self.wrenches = self.acting.rows(self.system, self.t)
        seen = self.seen(self.t, self.x) if self.acting.in_time else self.system
        self.tau = self.acting.vector(seen, self.t)
        since = self.rows[-1][0][-1]
        self.inputs.add(self.t, self.tau, self.sites, self.wrenches, copy(self.acting), since)

    def command(self, law: Control) -> None:
        """Ask the control law for new loads."""
        command(self.acting, law, self.t, self.x.copy(), self.seen(self.t, self.x), self.system, self.load)

    def seen(self, t: float, x: State) -> System:
        """Return the system as laws and conditions see it: a view with the masses of a time and state."""
        if self._view is None or self._view[0] is not self.system:
            self._view = self.system, self.system.with_settings()
        view = self._view[1]
        for body, mass in self.mass.items():
            i = view.body(body)
            view.settings.body_inertia[i] = mass.numbers(t, x, view.model.specs[i].offset)
        return view

    @property
    def loads(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Constant loads for the kernels."""
        return self.tau, self.sites, self.wrenches

    # histories --------------------------------------------------------------------------------------

    def _follow(self, body: str, motion: Motion, start: bool) -> None:
        """Let a joint follow a motion from now on; at the start the state is put on it."""
        bound = BoundMotion(motion, body, self.system.model.specs[self.system.body(body)].joint)
        if self.system.joint_mode(body) != "prescribed":
            self.system.set_joint_mode(body, "prescribed")
        self.motions[body] = bound
        if start:
            self._write_motion(bound, self.t, self.x.q, self.x.v)

    def _write_motion(self, bound: BoundMotion, t: float, q: np.ndarray, v: np.ndarray) -> None:
        where = self.system.layout[bound.body]
        angle, rate, _ = bound.at(t)
        if angle is not None:
            q[where.q] = angle
        if rate is not None:
            v[where.v] = rate

    def parts(self) -> list[Part]:
        """Return what is known ahead of the vehicle's motion: motions, masses, loads that are functions of time."""
        found = []
        for body, bound in self.motions.items():
            made = Ahead(bound.motion, body, f"the motion of body '{body}'", self.system, bound)
            found.append(Part(f"{body} > motion", made, None, Fraction(0)))
        found += given_ahead(self.system, {}, {body: mass.f for body, mass in self.mass.items()})
        if self.acting.in_time:
            sees = any(mass.of_state for mass in self.mass.values())  # functions tau(t, system) see masses
            found.append(
                Part(
                    "run > loads", InTime(self._loads_at, self._loads_in if sees else None), None, Fraction(0)
                )
            )
        return found

    def _loads_in(self, t: float, x: State) -> np.ndarray:
        """Return the vector for the kernels and the wrenches side by side (nv + 6k,) at a time and state."""
        return self.acting.table([t], lambda t: self.seen(t, x), self.wrenches)[0]

    def _loads_at(self, times: np.ndarray) -> np.ndarray:
        """Return the same (T, nv + 6k) at some times."""
        return self.acting.table(times.tolist(), lambda t: self.seen(t, self.x), self.wrenches)

    def set_masses(self, t: float) -> None:
        """Give bodies the mass that they have at a time."""
        for body, mass in self.mass.items():
            value = mass.inertia(t, self.x)
            self.system.set_mass(body, value.mass, value.com, value.inertia)

    # log --------------------------------------------------------------------------------------------

    def _begin_phase(self) -> None:
        """Start to log a new system, with the present state."""
        self.inputs = Inputs(accelerations=self._recall(dict(self.motions)))
        self.rows: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self.dense = Dense()
        self.set_masses(self.t)
        self.add_rows(np.array([self.t]), self.x.q[None].copy(), self.x.v[None].copy())

    def _recall(self, motions: dict[str, BoundMotion]) -> Callable[[float, np.ndarray], None] | None:
        """Return a function that writes accelerations of a phase's motions into a vector, later on."""
        slices = self.system.layout

        def write(t: float, tau: np.ndarray) -> None:
            for body, bound in motions.items():
                tau[slices[body].v] = bound.at(t)[2]

        return write if motions else None

    def add_rows(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Log states; the arrays are kept."""
        if len(t):
            self.rows.append((t, q, v))

    def add_now(self) -> None:
        """Log the present state, unless it was logged last."""
        if self.rows and self.rows[-1][0][-1] == self.t and np.array_equal(self.rows[-1][1][-1], self.x.q):
            return
        self.add_rows(np.array([self.t]), self.x.q[None].copy(), self.x.v[None].copy())

    def _end_phase(self, last: bool = False) -> None:
        t, q, v = (np.concatenate([row[k] for row in self.rows]) for k in range(3))
        inertia = {}
        for body, mass in self.mass.items():
            origin = self.system.model.spec(body).offset
            states = [State(self.system.layout, q[k], v[k]) if mass.of_state else None for k in range(len(t))]
            inertia[body] = mass.table(t, states, origin)
        system = self.system if last else self.system.with_settings()
        self.phases.append(Phase(system, t, q, v, self.dense or None, self.inputs, inertia))

    def log(self, info: dict[str, object]) -> Log:
        """Close the last phase and return the log."""
        self.set_masses(self.t)  # the system of the log has the masses of the end
        self._end_phase(last=True)
        return Log(self.phases, self.records, info)

    # events -----------------------------------------------------------------------------------------

    def due(self, tolerance: float) -> list[Event]:
        """Take timed events out whose time has come."""
        if not self.timed:
            return []
        now = [e for e in self.timed if e.at <= self.t + tolerance]
        self.timed = [e for e in self.timed if e.at > self.t + tolerance]
        return now

    def fire(self, events: list[Event], law: Control | None = None) -> bool:
        """Carry out events at the present time and state; return whether the vehicle or state changed."""
        self.add_now()
        self.set_masses(self.t)
        changed, crossed = False, self.watch.values(events, self.t, self.x)
        for event in events:
            before, at_rest = (self.system, self.x.copy()), self.watch.fires(event, self.t)
            out = perform(event, self.t, self.system, self.x, at_rest)
            self.stopped |= out.stop
            if out.values:
                raise InputError(
                    f"event '{event.label}' sets {', '.join(out.values)}", hint="only an assembly has devices"
                )
            if out.changed:
                self._take_over(out)
                changed = True
            self.records.append(note(event, self.t, before, (self.system, self.x), at_rest))
            if event.fires_once:
                self.watch.drop(event)
        if changed and law is not None:
            self.command(law)
        self.watch.restart(self.t, self.x, crossed)
        return changed

    def _take_over(self, out: Outcome) -> None:
        """Go on with another system or state."""
        old = self.system
        self._end_phase()
        self.system = self.watch.system = out.system
        self.x = State(self.system.layout, out.x.q.astype(np.float64), out.x.v.astype(np.float64))
        turned = [self._turned_round(old, bound) for bound in self.motions.values()]
        self.motions = {m.body: m for m in turned if self._still_prescribed(m.body, m)}
        self.mass = {b: m for b, m in self.mass.items() if b in self.system.layout}
        for body, motion in out.motions.items():
            self.motions.pop(body, None)
            if motion is not None:
                self._follow(body, motion, start=False)
        self._begin_phase()
        self.acting.follow(old, self.system, self.t)
        self.load()

    def _turned_round(self, old: System, bound: BoundMotion) -> BoundMotion:
        """Return the motion on the body that has its joint now.

        A joint of one axis keeps its coordinate when it is turned round, several axes change their order.
        """
        body = bearer(old, self.system, bound.body)
        if body == bound.body:
            return bound
        if bound.nv > 1:
            refuse_turned(bound.body, "motion", self.t)
        return BoundMotion(bound.motion, body, self.system.model.spec(body).joint)

    def _still_prescribed(self, body: str, motion: BoundMotion) -> bool:
        if body not in self.system.layout or self.system.model.spec(body).joint.nv != motion.nv:
            return False
        return self.system.joint_mode(body) == "prescribed"
