"""Runs in step with the clock on the wall, for hardware in the loop.

Before the samples of a tick the run waits until t/pace has passed since its start: it sleeps, and spins for the last
200 µs, since a sleep alone ends some 100 µs late. A tick that comes too late is an overrun; nothing is skipped, and the
run goes as fast as it can until it is on time again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from interstage.errors import InputError

SPIN = 200e-6  # seconds before a tick in which the run does not sleep


@dataclass(frozen=True)
class Pacing:
    """How well a run kept time, in seconds of the wall.

    pace : simulated seconds a second;  ticks : at which it waited;  overruns : ticks that were reached too late
    worst, mean : lateness of ticks, of those that were on time too
    """

    pace: float
    ticks: int
    overruns: int
    worst: float
    mean: float

    def __str__(self) -> str:
        return (
            f"{self.ticks} ticks at {self.pace:g} of real time, {self.overruns} overruns, "
            f"late by {1e6 * self.mean:.3g} µs in the mean, {1e6 * self.worst:.3g} µs at worst"
        )


class Pacer:
    """Wait for the time of each tick, and take notes."""

    __slots__ = ("begin", "last", "overruns", "pace", "ticks", "total", "worst", "zero")

    def __init__(self, pace: float):
        number = isinstance(pace, int | float | np.number) and not isinstance(pace, bool)
        if not number or not np.isfinite(pace) or pace <= 0.0:
            raise InputError("pace must be a positive number", expected="1.0 for real time", got=repr(pace))
        self.pace, self.zero, self.begin, self.last = float(pace), 0.0, 0.0, -np.inf
        self.ticks, self.overruns, self.total, self.worst = 0, 0, 0.0, 0.0

    def wait(self, t: float) -> None:
        """Return when it is time for t; the first call is on time."""
        if t == self.last:
            return
        if self.last == -np.inf:
            self.zero, self.begin = time.perf_counter(), t
        self.last = t
        due = self.zero + (t - self.begin) / self.pace
        ahead = due - time.perf_counter()
        if ahead < 0.0 and t > self.begin:
            self.overruns += 1
        if ahead > SPIN:
            time.sleep(ahead - SPIN)
        while (late := time.perf_counter() - due) < 0.0:
            pass
        self.ticks += 1
        self.total += late
        self.worst = max(self.worst, late)

    def result(self) -> Pacing:
        """Return how well the run kept time."""
        return Pacing(self.pace, self.ticks, self.overruns, self.worst, self.total / max(self.ticks, 1))
