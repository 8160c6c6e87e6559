"""Where the rows of a run go: out of the buffer of compiled steps, into its log."""

from __future__ import annotations

import numpy as np

from interstage.interrupts import uninterrupted
from interstage.simulation.log.log import Log
from interstage.simulation.log.phase_storage import Acted
from interstage.simulation.plant import coupled_kernels as kernels
from interstage.simulation.run.integration import Integrator
from interstage.simulation.run.integrators.integration_loop import LOGGED
from interstage.simulation.run.step_stability import RowsToLookAt


class LogSink:
    """Takes rows of an integrator to a log.

    looked : sees the rows of a run with equal steps, None: nobody asks
    """

    def __init__(self, run: Integrator, log: Log):
        self.run, self.log = run, log
        self.looked: RowsToLookAt | None = None

    def flush(self) -> None:
        """Move full rows to the log."""
        loop = self.run.loop.loop
        if self.looked is not None:
            self.looked.note()
        store = self.log.store
        if store.memories is not None and not store.memories.laws and store.memories.parameters:
            store.memories.note()  # else calls of laws do
        with uninterrupted():
            try:
                store.take(loop)
            finally:
                loop.now[kernels.ROWS] = 0
                loop.group_rows[:] = 0

    def write_row(self, t: float) -> None:
        """Log where the run stands, unless it is in the log: signals as they are there."""
        run, pace = self.run, self.run.loop.loop.pace
        self.flush()  # a row that is there may be in the buffer still, which a change or an end would leave behind
        if pace[LOGGED] == t:
            return
        run.check(run.loop.right_side(run.q, run.v, t, np.empty_like(run.q), np.empty_like(run.v), row=True))
        self.flush()
        pace[LOGGED] = t

    def end_phase(self) -> None:
        """Let rows up to here be those of a phase that is over."""
        self.flush()
        if self.looked is not None:
            self.looked.tell()

    def begin_phase(self, acted: Acted) -> None:
        """Let rows from here on be those of another phase."""
        self.log.store.begin_phase(self.run.system, acted)
        if self.looked is not None:
            self.looked.begin()

    def finish(self) -> None:
        """Log where the run ends: signals as they are there."""
        self.write_row(self.run.t)
        if self.looked is not None:
            self.looked.tell()
