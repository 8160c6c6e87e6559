"""The law of a vehicle alone: asked between stretches for what acts until it is asked again."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from interstage.errors import InputError
from interstage.multibody import State
from interstage.multibody.calling import given_system
from interstage.system.acting import Control, command
from interstage.system.kernels.flights import SLACK
from interstage.system.kernels.stretch import KNOWN
from interstage.system.methods import Method

if TYPE_CHECKING:
    from interstage.system.flight import Flight


def unsampled(method: Method) -> InputError:
    """Return what to say of a law that nobody says when to ask."""
    return InputError(
        f"a control law is sampled: method {method} takes steps of its own",
        where="control_step",
        expected="control_step=, the time between samples, or step= with a method of fixed steps",
    )


class Commanding:
    """Samples of a law at whole periods of the clock.

    ahead : time of the next one
    """

    def __init__(self, law: Control, period: Fraction, flight: Flight):
        self.law, self.period, self.flight = given_system(law, 2), period, flight
        self._number = math.ceil(flight.start / period)

    @property
    def ahead(self) -> float:
        """Time of the next sample."""
        return self._number * self.period.numerator / self.period.denominator

    @property
    def now(self) -> bool:
        """Whether that has come."""
        t = self.flight.t
        return self.ahead <= t + SLACK * (1.0 + abs(t))

    def due(self) -> None:
        """Ask the law where its time has come."""
        if self.now:
            self._number += 1
            if self.flight.t < float(self.flight.until):
                self.ask()

    def ask(self) -> None:
        """Ask the law for what acts from now on."""
        flight, t = self.flight, self.flight.t
        assert flight.loads.acting is not None
        x = State(flight.system.layout, flight.q.copy(), flight.v.copy())
        if flight.log.contents.inertia:  # steps and looks for events leave masses of other times
            flight.bring(t, flight.whole())
        command(flight.loads.acting, self.law, t, x, flight.seen(), flight.system, flight.load)
        if flight.plan.parts:  # what was foreseen, a law may have changed
            flight.loop.tapes.forget()
            flight.loop.loop.pace[KNOWN] = 0.0
