"""What acts on the vehicle of a run besides its devices: loads given, of an operating point, or of a sampled law.

What acts on a run: wrenches by place, generalized forces, accelerations of prescribed joints.

One rule for all three, wherever they come from: what is not mentioned stays as it is. First stands what `simulate` was
given (or the operating point it started from), then what the law commanded last. Loads follow the names of bodies
through every change of the vehicle.

What acts on the vehicle of a run beside its devices: loads given, of an operating point, or of a law.

The law of a vehicle alone: asked between stretches for what acts until it is asked again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from interstage.errors import InputError, InterstageError, SolverError, raised
from interstage.multibody import State, System
from interstage.multibody.loads import KINDS, Loads, of_all_kinds, place_words, wrench_rows
from interstage.multibody.operating_point import Heirs
from interstage.multibody.topology import carried
from interstage.multibody.types import Node, asks_system, given_system
from interstage.simulation.log.phases import Inputs
from interstage.simulation.plant.assembly import Member
from interstage.simulation.plant.moved_sites import bearer, place_now, refuse_turned
from interstage.simulation.plant.prescribed_inputs import (
    MASS,
    Ahead,
    Foreseen,
    MassHistory,
    PrescribedTable,
    Told,
)
from interstage.simulation.run.integrators import Method
from interstage.simulation.run.integrators.integration_loop import SLACK

if TYPE_CHECKING:
    from interstage.simulation.run.integration import Integrator


Control = Callable[..., object]


class Acting:
    """The loads of a run (`Loads`), which a law may replace kind by kind, and which follow changes of the vehicle."""

    def __init__(self, loads: Loads, frame: str):
        self.loads, self.frame = loads, frame

    def take(self, system: System, answer: Mapping[str, object]) -> None:
        """Let what a law answered by kind (`commanded`) act from now on, checked; what is None stays as it is."""
        forces, tau, accelerations = of_all_kinds(*(answer.get(kind) for kind in KINDS))  # type: ignore[arg-type]
        new = Loads.of(system, forces, tau, accelerations, self.frame)
        old = self.loads
        taken = old if tau is None else new
        self.loads = Loads(
            old.forces if forces is None else new.forces,
            taken.tau,
            old.accelerations if accelerations is None else new.accelerations,
            new.names,
            taken.law,
        )

    @property
    def in_time(self) -> bool:
        """Whether something is a function of time."""
        return self.loads.in_time

    def vector(self, system: System, t: float) -> np.ndarray:
        """Return forces at free joints and accelerations at others (nv,), for the kernels."""
        tau = self.loads.tau_at(t, system)
        if self.loads.accelerations or system.any_held:
            return system.generalized_input(tau, self.loads.accelerations or None)
        return tau.copy()

    def rows(self, system: System, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Return sites (k,) and wrenches (k, 10) for the kernels at a time."""
        return wrench_rows(system, [force.at(t) for force in self.loads.forces], np.float64)

    def table(
        self, times: Sequence[float], seen: Callable[[float], System], wrenches: np.ndarray
    ) -> np.ndarray:
        """Return the vector for the kernels and the wrenches side by side (T, nv + 6k) at some times.

        seen : the system as it is at a time;  wrenches : (k, 10), those that are constant
        """
        tau = np.array([self.vector(seen(t), t) for t in times])
        rows = np.tile(wrenches[:, :6], (len(times), 1, 1))
        for k, force in enumerate(self.loads.forces):
            if force.in_time:
                rows[:, k] = [force.at(t).numbers for t in times]
        return np.concatenate([tau, rows.reshape(len(times), -1)], axis=1)

    def follow(self, old: System, new: System, t: float, heirs: Heirs) -> None:
        """Go over to another vehicle: loads follow names and `heirs`, those on bodies that are gone went with them."""
        here, tau, law = set(new.bodies), self.loads.tau, self.loads.law
        places = [(force, place_now(new, force.body, force.node, heirs)) for force in self.loads.forces]
        for force, place in places:
            if place is None and force.body in here:
                raise SolverError(
                    f"the force on {place_words(*force.place)} has no place from t = {t:.9g} on",
                    hint="let a device act there, or end the run at the change",
                )
        forces = tuple(
            replace(force, body=p[0], node=cast(Node, p[1])) for force, p in places if p is not None
        )
        if law is None and new is not old:
            given, tau = tau, carried(old, old.state(v=tau), new).v
            for body in old.bodies:
                name, a = bearer(old, new, body), old.layout[body].v
                if name != body and given[a].any():
                    if a.stop - a.start > 1:
                        refuse_turned(body, "force", t)
                    tau[new.layout[name].v] = given[a]
        kept = {}
        for body, value in self.loads.accelerations.items():
            name = bearer(old, new, body)
            if name != body and old.model.spec(body).joint.nv > 1:
                refuse_turned(body, "acceleration", t)
            same = name in here and new.model.spec(name).joint.nv == old.model.spec(body).joint.nv
            if same and new.joint_mode(name) == "prescribed":
                kept[name] = value
        self.loads = Loads(forces, tau, kept, tuple(new.velocity_names()), law)


class InTime(Ahead):
    """Loads of a run that are functions of time, written where they act ahead of every stage.

    rows(times) : (T, nv + 6k), the vector for the kernels and the wrenches side by side
    at(t, x) : the same at one time and state (n,), None where no load asks for the state
    times : at which steps of a method's own end
    now() : whether some load is a function of time, as long as a law has not changed that
    """

    def __init__(
        self,
        rows: Callable[[np.ndarray], np.ndarray],
        at: Callable[[float, State], np.ndarray] | None = None,
        times: np.ndarray | None = None,
        now: Callable[[], bool] = lambda: True,
    ):
        super().__init__(MassHistory(rows), "", "loads")  # type: ignore[arg-type]
        self.rows, self.at, self.now, self.fields, self.outs = rows, at, now, {}, ()
        self.times = np.zeros(0) if times is None else times
        self.told: Foreseen | None = None
        self.vector, self.to = np.zeros(0), np.zeros(0, dtype=np.int64)

    @property
    def sees(self) -> bool:
        """Whether it asks for the state of the vehicle."""
        return self.at is not None

    def corners(self) -> np.ndarray:
        """Return the times at which tables change their slope."""
        return self.times

    def write_to(self, vector: np.ndarray, nv: int) -> None:
        """Write to a vector of nv forces and rows of ten numbers, six of which are a wrench; ask anew."""
        if not self.now():
            self.to = np.zeros(0, dtype=np.int64)
            if self.told is not None:
                self.told.rest()
            return
        rows = (len(vector) - nv) // 10
        wrenches = nv + 10 * np.arange(rows)[:, None] + np.arange(6)
        self.vector, self.to = vector, np.append(np.arange(nv), wrenches.ravel())
        if self.told is not None:
            self.told.point_to(self.vector, self.to)

    def teller(self, sheet: PrescribedTable) -> Told:
        """Return a function of time that writes the loads, to where they go and not on the sheet."""
        if self.at is None:
            self.told = Foreseen(self.rows, self.vector, self.to, sheet.upcoming)
            return self.told
        at = self.at

        def tell(t: float) -> None:
            if len(self.to):
                self.vector[self.to] = at(t, sheet.state())

        return tell


def command(
    acting: Acting,
    law: Control,
    t: float,
    x: State,
    seen: System,
    system: System,
    load: Callable[[], None],
) -> None:
    """Ask a law for other loads, and let them act by `load`.

    seen : the system as the law sees it;  system : what they act on
    """
    answer = commanded(law, t, x, seen)
    if not answer:
        return
    try:
        acting.take(system, answer)
        load()
    except InputError as err:
        raise InputError(f"what the control law answered at t = {t:.9g} does not fit", got=str(err)) from err


def commanded(law: Callable, t: float, x: State, system: System) -> dict[str, Any]:
    """Return what a law(t, x, system) answers, by kind: nothing, a vector (tau), or a dictionary."""
    try:
        answer = law(t, x, system)
    except InterstageError:
        raise
    except Exception as err:
        raise SolverError(f"the control law failed at t = {t:.9g}", got=raised(err)) from err
    if answer is None:
        return {}
    if isinstance(answer, Loads):
        return {"forces": answer}
    if not isinstance(answer, dict):
        return {"tau": answer}
    unknown = set(answer) - set(KINDS)
    if unknown:
        raise InputError(
            "unknown result of the control law", expected=", ".join(sorted(KINDS)), got=f"{sorted(unknown)}"
        )
    return answer


class RunLoads:
    """Loads of a run beside those of devices.

    acting : the loads of now, None: there are none;  base : the same for the kernels;  inputs : what acted since when
    system : the vehicle that they act on;  describe_masses : gives it the masses of a stage
    foreseen : functions of time among them stand on the tape of what is known ahead
    """

    def __init__(self, describe_masses: Callable[[], None]):
        self.describe_masses, self.foreseen = describe_masses, False
        self.system: System
        self.acting: Acting | None = None
        self.base: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
        self.inputs = Inputs()

    def foresee(self, loads: Loads | None, commanded: bool, parts: list[Member]) -> None:
        """Add a part that writes functions of time among loads ahead of every stage, where there are any.

        commanded : by a law, which may answer other functions
        """
        self.foreseen = loads is not None and loads.in_time
        if loads is not None and loads.in_time:
            masses = any(MASS in part.what.fields for part in parts)
            sees = masses and (commanded or (loads.law is not None and asks_system(loads.law, 1)))
            made = InTime(self._rows, self._row if sees else None, loads.corners, self._change)
            parts.append(Member("run > loads", made, None, Fraction(0)))

    def begin(self, system: System, t: float) -> None:
        """Find what acts on a vehicle from a time on, and note it."""
        self.system, self.inputs, self.base = system, Inputs(), None
        self.note(t, t)

    def note(self, t: float, row: float) -> None:
        """Note what acts from a time on, and the row of the log before it."""
        if self.acting is not None:
            self.base = self.acting.vector(self.system, t), *self.acting.rows(self.system, t)
            self.inputs.add(t, *self.base, copy(self.acting), row)

    def _change(self) -> bool:
        """Return whether something is a function of time now."""
        return self.acting is None or self.acting.in_time

    def _rows(self, times: np.ndarray) -> np.ndarray:
        """Return what acts (T, nv + 6k) at some times."""
        assert self.acting is not None and self.base is not None
        return self.acting.table(times.tolist(), lambda t: self.system, self.base[2])

    def _row(self, t: float, x: State) -> np.ndarray:
        """Return the same (nv + 6k,) at the time of a stage, whose masses are known."""
        self.describe_masses()
        return self._rows(np.array([t]))[0]


def unsampled(method: Method) -> InputError:
    """Return what to say of a law that nobody says when to ask."""
    return InputError(
        f"a control law is sampled: method {method} takes steps of its own",
        where="control_step",
        expected="control_step=, the time between samples, or step= with a method of fixed steps",
    )


class SampledLaw:
    """Samples of a control law at whole periods of the clock.

    run : what it controls;  loads : what it says;  load : lets that act;  masses : whether they change in the run
    ahead : time of the next sample
    """

    def __init__(
        self,
        law: Control,
        period: Fraction,
        run: Integrator,
        loads: RunLoads,
        load: Callable[[], None],
        masses: bool,
    ):
        self.law, self.period, self.run = given_system(law, 2), period, run
        self.loads, self.load, self.masses = loads, load, masses
        self._number = math.ceil(run.start / period)

    @property
    def ahead(self) -> float:
        """Time of the next sample."""
        return self._number * self.period.numerator / self.period.denominator

    @property
    def now(self) -> bool:
        """Whether that has come."""
        t = self.run.t
        return self.ahead <= t + SLACK * (1.0 + abs(t))

    def due(self) -> None:
        """Ask the law where its time has come."""
        if self.now:
            self._number += 1
            if self.run.t < float(self.run.until):
                self.ask()

    def ask(self) -> None:
        """Ask the law for what acts from now on."""
        run, t = self.run, self.run.t
        assert self.loads.acting is not None
        x = State(run.system.layout, run.q.copy(), run.v.copy())
        if self.masses:  # steps and looks for events leave masses of other times
            run.bring(t, run.whole())
        command(self.loads.acting, self.law, t, x, run.seen(), run.system, self.load)
        if run.plan.parts:  # what was foreseen, a law may have changed
            run.loop.tapes.forget()
            run.begin_anew()
