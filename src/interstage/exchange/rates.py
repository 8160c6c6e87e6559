"""An assembly as other solvers see it: slopes and outputs at any time and state, samples as events of time.

    x = [q; v; z],    ẋ, y = f(t, x, u),    at an event: what is due is sampled, and held until the next

q are the coordinates that a flight integrates (quaternions of free bodies and ball joints among them), v velocities,
z states of devices. A solver knows nothing of unit quaternions, of closures, and of joints whose motion is given: f is
taken where x belongs, so that what it strays by stays of the size of its tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from interstage.errors import InputError, SolverError
from interstage.exchange.description import Channel
from interstage.linear.chart import POSITIONS, RATES, rate_names
from interstage.linear.flight_plant import numbered
from interstage.linear.interface import UnitNames
from interstage.multibody import State
from interstage.multibody.diagnosis import refuse
from interstage.multibody.joints import Coordinate
from interstage.multibody.model import vehicle_units
from interstage.system import Assembly
from interstage.system.assembly import Port
from interstage.system.device import Device
from interstage.system.flight import Flight
from interstage.system.library import LoopSlope
from interstage.system.ticks import ON_TICK

LATER = 10**6  # s: a flight is told an end, to which nobody goes
Answer = tuple[np.ndarray, ...]


class Rates:
    """The right-hand side of an assembly; see the module.

    start : (n,) where it begins;  n_inputs, n_outputs : how many numbers its ports are
    """

    def __init__(self, assembly: Assembly, x0: State, sent: Sequence[Port], seen: Sequence[Port]):
        held = {port.name: np.zeros(port.shape or ()) for port in sent}
        self.flight = Flight(assembly, x0, until=LATER, given=held, keep=())
        self._check()
        flight, tapes = self.flight, self.flight.loop.tapes
        self.inputs = [tapes.array(port.name) for port in sent]
        self.outputs = [tapes.array(port.name) for port in seen]
        self.n_inputs, self.n_outputs = (sum(a.size for a in of) for of in (self.inputs, self.outputs))
        self.start = np.concatenate([flight.q, flight.v, tapes.vectors["z"]])
        self.slope = LoopSlope(flight.loop)
        self.begun = False

    def _check(self) -> None:
        """Refuse what happens at events of the state, and between samples: only the flight itself finds it."""
        flight = self.flight
        switching = [] if flight.happening is None else [event.name for event in flight.happening.events]
        pulsing = [
            part.path
            for part in flight.plan.parts
            if isinstance(part.what, Device) and part.what.longest_step() < math.inf
        ]
        for found, words in ((switching, "switches at events"), (pulsing, "has pulses between its samples")):
            if found:
                raise InputError(
                    f"'{found[0]}' {words}, which the solver of another tool would step over",
                    where="FMU for model exchange",
                    hint='co-simulation runs it: give every="10 ms", say',
                )

    def states(self) -> list[Channel]:
        """Return a variable for each state."""
        system = self.flight.system
        n, names, known = system.nq + system.nv, UnitNames(system), vehicle_units(system.model) is not None

        def unit(c: Coordinate, kinds: Mapping[str, str]) -> str:
            return names(kinds.get(c.kind, "")) if known or c.kind == "angle" else ""

        speeds = zip(rate_names(system), system.layout.velocities())
        found = [(c.name, unit(c, POSITIONS)) for c in system.layout.coordinates()]
        found += [(name, unit(c, RATES)) for name, c in speeds] + [("", "")] * (len(self.start) - n)
        for name, slot in self.flight.plan.slots.items():
            if slot.kind == "z":
                for k, one in enumerate(numbered(name, slot.shape)):
                    found[n + slot.start + k] = one, slot.unit
        return [Channel(name, unit, float(x)) for (name, unit), x in zip(found, self.start)]

    def look(self, t: float, x: np.ndarray, u: np.ndarray) -> Answer:
        """Return whether states changed and when the next event is (2,), outputs, slopes and states."""
        q, v = self._put(x, u)
        loop, z = self.flight.loop, self.flight.loop.tapes.vectors["z"]
        if loop.arrive(q, v, t) != 0:
            raise SolverError(f"closures cannot be held at t = {t:.6g}")
        slopes = self.slope(t, np.concatenate([q, v, z]))
        if self.slope.refused is not None:
            (status, where), self.slope.refused = self.slope.refused, None
            refuse(self.flight.system, status, where)
        said = np.concatenate([np.zeros(0), *(a.ravel() for a in self.outputs)])
        return np.array([0.0, self._next()]), said, slopes, np.array(x)

    def event(self, t: float, x: np.ndarray, u: np.ndarray) -> Answer:
        """Sample what is due, and return what `look` does after it."""
        loop, clock = self.flight.loop, self.flight.plan.clock
        if not self.begun:
            loop.begin_at(math.ceil(t / float(clock.tick) - ON_TICK) * clock.tick)
            self.begun = True
        q, v = self._put(x, u)
        z, tick = loop.tapes.vectors["z"], clock.last(t)
        due = loop.loop.sample_next
        while len(due) and due.min() <= tick:
            status = loop.sample(q, v, int(due.min()))
            loop.tapes.check()
            if status != 0:
                refuse(self.flight.system, status, State(self.flight.system.layout, q, v))
            loop.loop.group_rows[:] = 0  # nothing is logged
        loop.tapes.forget()
        after = np.concatenate([x[: len(x) - len(z)], z])
        told, *others = self.look(t, after, u)
        told[0] = float(not np.array_equal(after, x))
        return told, *others

    def _put(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Let devices have their states and inputs; return q and v."""
        nq, n = self.flight.system.nq, self.flight.system.nq + self.flight.system.nv
        self.flight.loop.tapes.vectors["z"][:] = x[n:]
        at = 0
        for array in self.inputs:
            array[...] = u[at : at + array.size].reshape(array.shape)
            at += array.size
        return x[:nq].copy(), x[nq:n].copy()

    def _next(self) -> float:
        """Return the time of the next sample."""
        due = self.flight.loop.loop.sample_next
        return self.flight.plan.clock.seconds(int(due.min())) if len(due) else math.inf
