"""What acted on a flight, once more at the rows of its log: accelerations, forces of joints, results inside bodies.

The log has every number that devices push the vehicle with. These are put where they were, and the vehicle is asked by
the right-hand side of the flight; devices do not run again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from interstage.errors import InputError
from interstage.multibody import State, System
from interstage.multibody.diagnosis import refuse
from interstage.multibody.loads import Loads
from interstage.multibody.recovered import recovery_of
from interstage.system.acting import Acting
from interstage.system.ahead import AHEAD, Ahead
from interstage.system.closed_loop import ClosedLoop
from interstage.system.dense import Dense
from interstage.system.holding import held_joints
from interstage.system.log_columns import Columns
from interstage.system.phases import Inputs, Phase
from interstage.system.plan import Plan, Slot, Touch
from interstage.system.ports import ANY
from interstage.system.touching import Touching


@dataclass(frozen=True)
class Acted:
    """What is known of a stretch of a flight: its plan, what is logged, what is touched, what acted beside devices.

    dense : the motion between its rows, where that is kept
    start : {port: value} of what is sampled as the run began, which holds until its first sample
    """

    plan: Plan
    columns: Columns
    touching: Touching
    inputs: Inputs | None
    dense: Dense | None = None
    start: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def alone(self) -> bool:
        """Whether the vehicle has no devices."""
        return all(isinstance(part.what, Ahead) for part in self.plan.parts)

    def inputs_at(self, system: System, steps: np.ndarray, samples: Sequence[np.ndarray]) -> Inputs:
        """Return what acted on a vehicle without devices at rows of steps: loads, and accelerations of motions."""
        inputs = self.inputs
        if inputs is None:  # nothing but those
            acting, t = Acting(Loads.of(system), "world"), float(steps[0, 0]) if len(steps) else 0.0
            inputs = Inputs()
            inputs.add(t, acting.vector(system, t), *acting.rows(system, t), acting, t)
        motions = [
            touch
            for touch in self.touching.of(system)[2]
            if touch.axes == "joint" and touch.quantity not in AHEAD
        ]
        if not motions:
            return inputs
        numbers, said = self.pushes(steps, samples)
        to = np.concatenate([np.arange(system.nv)[system.layout[self.touching.joint(t)].v] for t in motions])
        where = np.concatenate([np.arange(t.slot.start, t.slot.start + t.slot.size) for t in motions])
        return replace(inputs, driven=(to, said[:, np.searchsorted(numbers, where)]))

    def pushes(self, steps: np.ndarray, samples: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers (n,) of signals that push the vehicle, and what they said at rows of steps (m, n).

        samples : the tables of sampled signals, whose values are held
        """
        numbers = np.unique(
            [k for t in self.plan.pushes for k in range(t.slot.start, t.slot.start + t.slot.size)]
        )
        numbers = numbers.astype(np.int64)
        first = steps.shape[1] - len(self.columns.s) - len(self.columns.z)
        at = {int(n): steps[:, first + j] for j, n in enumerate(self.columns.s)}
        begun = self._begun()
        for (_, _, signals), table in zip(self.columns.groups, samples):
            last = np.searchsorted(table[:, 0], steps[:, 0], "right")  # row 0: before the first sample
            for j, n in enumerate(signals.tolist()):
                at[n] = np.append(begun[n], table[:, 1 + j])[last]
        for touch in self.plan.pushes:
            if not set(range(touch.slot.start, touch.slot.start + touch.slot.size)) <= set(at):
                raise InputError(
                    f"the log does not have what '{touch.port}' said",
                    hint="give its name in keep=, or leave keep= out",
                )
        return numbers, np.array([at[int(n)] for n in numbers]).reshape(len(numbers), len(steps)).T

    def _begun(self) -> np.ndarray:
        """Return all signals as the run began: those of a run from a point of another hold what they said there."""
        found = self.plan.initial["s"].copy()
        for name, value in self.start.items():
            slot = self.plan.slots[name]
            found[slot.start : slot.start + slot.size] = np.ravel(value)
        return found


class FlightPhase(Phase):
    """A phase of a flight with devices that knows what acted; rows of the tables of steps and samples are its own."""

    def __init__(
        self,
        system: System,
        t: np.ndarray,
        q: np.ndarray,
        v: np.ndarray,
        masses: tuple[dict[str, np.ndarray], dict[str, np.ndarray]],
        acted: Acted,
        tables: tuple[np.ndarray, Sequence[np.ndarray]],
    ):
        super().__init__(system, t, q, v, acted.dense or None, inertia=masses[0], propellant=masses[1])
        self._acted_on, self._logged = acted, tables
        self._once: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def acting(self) -> Inputs | None:
        """What acted beside devices, None where that is not known."""
        if self._acted_on is None:
            return None
        return Inputs() if self._acted_on.inputs is None else self._acted_on.inputs

    def __getstate__(self) -> dict[str, object]:
        # devices do not travel: what they did at the rows does
        if self._once is None and len(self.t):
            self._once = self._answers
        return {**super().__getstate__(), "_acted_on": None, "_logged": None}

    @property
    def _answers(self) -> tuple[np.ndarray, np.ndarray]:
        if self._once is None:
            vdot, forces, _ = self._replayed([])
            self._once = vdot, forces
        return self._once

    def _results(self, body: str) -> np.ndarray:
        names = recovery_of(self.system, body).names
        return self._replayed([(body, name) for name in names])[2]

    def _replayed(self, results: list[tuple[str, str]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return accelerations and forces of joints (m, nv), and results inside bodies (m, r), at all rows."""
        if self._acted_on is None:
            raise InputError("the log does not have what acted", hint="ask before it goes to another process")
        if held_joints(self._acted_on.plan):
            raise InputError(
                "devices hold and free joints of this flight: the log does not have what these carried",
                hint="let a device look at it: joint.reaction(), or a StrainGauge",
            )
        numbers, said = self._acted_on.pushes(*self._logged)
        view = self.system.with_settings()
        inputs = self._acted_on.inputs
        loop, first = _silent(self._acted_on, view, results, float(self.t[0]) if len(self.t) else 0.0)
        (bodies, inertia), tanks = self._masses, self._acted_on.plan.tanks
        vdot, forces, found = (
            np.empty_like(self.v),
            np.empty_like(self.v),
            np.empty((len(self.t), len(results))),
        )
        qdot, s = np.empty(view.nq), loop.tapes.vectors["s"]
        try:
            for k, t in enumerate(self.t.tolist()):
                view.settings.body_inertia[bodies] = inertia[k]
                for tank, rows in self.propellant.items():
                    loop.tapes.vectors["z"][tanks[tank].start] = rows[k]
                s[numbers] = said[k]
                if inputs is not None and inputs.changes:
                    loop.set_base(*inputs.at(t, k, view))
                status = loop.right_side(self.q[k].copy(), self.v[k].copy(), t, qdot, vdot[k])
                if status != 0:
                    refuse(view, status, State(view.layout, self.q[k], self.v[k]), loop.loop.tau)
                forces[k], found[k] = loop.loop.needed, s[first:]
        finally:
            loop.release()
        return vdot, forces, found


def _silent(acted: Acted, system: System, results: list[tuple[str, str]], t: float) -> tuple[ClosedLoop, int]:
    """Return the loop of a flight whose devices say nothing, and the first signal of some results inside bodies.

    t : time whose loads act beside them
    """
    plan, first = acted.plan, len(acted.plan.initial["s"])
    felt = [
        Touch("result", place, "inside", Slot("s", first + k, (), ANY), f"{place[0]}, {place[1]}")
        for k, place in enumerate(results)
    ]
    more = np.append(plan.initial["s"], np.zeros(len(results)))
    silent = replace(
        plan, ahead=[], before=[], after=[], rates=[], sampled=[], looks=[], felt=felt,
        initial={**plan.initial, "s": more}, sample_feels=False,
    )  # fmt: skip
    touching = replace(acted.touching, plan=silent)
    base = None if acted.inputs is None else acted.inputs.at(t, 0, system)
    return ClosedLoop(silent, system, base=base, touching=touching, carries=True), first
