"""The law of a vehicle alone: asked between stretches for what acts until it is asked again."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from interstage.errors import InputError
from interstage.multibody import State, System
from interstage.multibody.calling import given_system
from interstage.system.acting import Control, command
from interstage.system.kernels.flights import SLACK
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
        self._view: tuple[System, System] | None = None

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
        assert flight.acting is not None
        x = State(flight.system.layout, flight.q.copy(), flight.v.copy())
        command(flight.acting, self.law, t, x, self._seen(), flight.system, flight.load)

    def _seen(self) -> System:
        """Return the vehicle as the law sees it: a view of its own, with the masses of now."""
        flight = self.flight
        flight.describe_masses()
        if self._view is None or self._view[0] is not flight.system:
            self._view = flight.system, flight.system.with_settings()
        view = self._view[1]
        view.settings.body_inertia[:] = flight.system.settings.body_inertia
        return view
