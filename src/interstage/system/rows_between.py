"""Rows of the log that lie between the ends of steps, by dense output."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from interstage.multibody import State
from interstage.multibody.diagnosis import refuse
from interstage.system import loop_kernels as kernels
from interstage.system.closed_loop import ClosedLoop
from interstage.system.kernels import flights

Inside = Callable[[float], State]


class RowsBetween:
    """Writes rows of the log at whole numbers of ticks inside of steps.

    every : ticks between rows;  flush : empties the buffer of the log
    """

    def __init__(self, loop: ClosedLoop, every: int, flush: Callable[[], None]):
        self.loop, self.every, self.flush = loop, every, flush

    def times(self, t0: float, t1: float) -> list[float]:
        """Return the times of rows after t0, up to t1."""
        num, den = (int(k) for k in self.loop.loop.clock)
        every, slack = self.every * num, flights.SLACK * (1.0 + abs(t1))
        first, last = (int((t + slack) * den / every) for t in (t0, t1))
        return [min(t1, k * every / den) for k in range(first + 1, last + 1)]

    def write(self, times: list[float], begin: float, inside: Inside, end: float) -> None:
        """Write rows up to an end to the log.

        inside : the state by the time since the step began
        """
        for t in times:
            if t > end:
                return
            loop = self.loop.loop
            if loop.now[kernels.ROWS] >= len(loop.log):
                self.flush()
            x = inside(t - begin)
            status = self.loop.right_side(x.q, x.v, t, np.empty_like(x.q), np.empty_like(x.v), row=True)
            if status != 0:
                refuse(self.loop.system, status, x)
            loop.pace[flights.LOGGED] = t
