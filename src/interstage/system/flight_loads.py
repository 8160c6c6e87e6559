"""What acts on the vehicle of a run beside its devices: loads given, of an operating point, or of a law."""

from __future__ import annotations

from copy import copy
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from interstage.multibody import State
from interstage.multibody.calling import asks_system
from interstage.multibody.loads import Loads
from interstage.system.acting import Acting, InTime
from interstage.system.ahead import MASS
from interstage.system.assembly import Part
from interstage.system.phases import Inputs

if TYPE_CHECKING:
    from interstage.system.flight import Flight


class Beside:
    """Loads of a flight beside those of devices.

    acting : the loads of now, None: there are none;  base : the same for the kernels;  inputs : what acted since when
    foreseen : functions of time among them stand on the tape of what is known ahead
    """

    def __init__(self, flight: Flight):
        self.flight, self.foreseen = flight, False
        self.acting: Acting | None = None
        self.base: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
        self.inputs = Inputs()

    def foresee(self, loads: Loads | None, commanded: bool) -> None:
        """Let functions of time among loads be a part that writes them ahead of every stage.

        commanded : by a law, which may answer other functions
        """
        self.foreseen = loads is not None and loads.in_time
        if loads is not None and loads.in_time:
            parts = self.flight.beside
            masses = any(MASS in part.what.fields for part in parts)
            sees = masses and (commanded or (loads.law is not None and asks_system(loads.law, 1)))
            made = InTime(self._rows, self._row if sees else None, loads.corners, self._change)
            parts.append(Part("run > loads", made, None, Fraction(0)))

    def begin(self, t: float) -> None:
        """Find what acts on the vehicle of now from a time on, and note it."""
        self.inputs, self.base = Inputs(), None
        self._note(t, t)

    def change(self) -> None:
        """Let loads have changed now: note it where the last row of the log was."""
        t, every, clock = self.flight.t, self.flight.rows_every, self.flight.plan.clock
        self._note(t, clock.seconds(clock.last(t) // every * every) if every else t)

    def _note(self, t: float, row: float) -> None:
        if self.acting is not None:
            system = self.flight.system
            self.base = self.acting.vector(system, t), *self.acting.rows(system, t)
            self.inputs.add(t, *self.base, copy(self.acting), row)

    def _change(self) -> bool:
        """Return whether something is a function of time now."""
        return self.acting is None or self.acting.in_time

    def _rows(self, times: np.ndarray) -> np.ndarray:
        """Return what acts (T, nv + 6k) at some times."""
        assert self.acting is not None and self.base is not None
        return self.acting.table(times.tolist(), lambda t: self.flight.system, self.base[2])

    def _row(self, t: float, x: State) -> np.ndarray:
        """Return the same (nv + 6k,) at the time of a stage, whose masses are known."""
        self.flight.describe_masses()
        return self._rows(np.array([t]))[0]
