"""A system with its operating point, inputs and outputs as one function of small motions: (δq, δv, u) → (v̇, y)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError
from interstage.linear.chart import Chart
from interstage.linear.interface import Interface, OutputRows
from interstage.linear.outputs import Expression, Observation, Output, gather_sites
from interstage.multibody.engine import NO_SITES
from interstage.multibody.loads import Loads
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.multibody.api import System


class Plant:
    """Evaluate accelerations and outputs near an operating point.

    interface : inputs, zero at the operating point, and outputs, whose values are stacked
    rows : where the outputs stand, once the plant has settled
    """

    rows: OutputRows

    def __init__(self, system: System, x0: State, loads: Loads, interface: Interface, chart: Chart):
        self.system, self.x0, self.loads, self.chart = system, x0, loads, chart
        self.interface = interface
        self.channels, self.outputs = interface.channels, interface.outputs
        self.sites = gather_sites(system, interface.places) if interface.places else NO_SITES
        self.origin: Observation | None = None

    def loads_with(self, u: np.ndarray | None) -> Loads:
        """Return the loads with the inputs added."""
        loads = self.loads
        for k in () if u is None else np.flatnonzero(u):
            loads = loads.plus(self.channels[k].load(self.system), u[k])
        return loads

    def evaluate(
        self, dq: np.ndarray | None = None, dv: np.ndarray | None = None, u: np.ndarray | None = None
    ) -> tuple[np.ndarray, Observation]:
        """Return v̇ (nv,) and what the outputs see, at a small motion and input."""
        loads, x = self.loads_with(u), self.chart.state(dq, dv)
        if loads.tau.dtype.kind == "c":
            x = x.copy(np.complex128)
        vdot = self.system.forward_dynamics(x, forces=loads)
        return vdot, Observation(self.system, x, vdot, loads, self.sites, self.origin)

    def measure(self, seen: Observation, outputs: list[Output] | None = None) -> np.ndarray:
        """Return the outputs (ny,)."""
        outputs = self.outputs if outputs is None else outputs
        parts = [o.values(seen) for o in outputs]
        return np.concatenate(parts) if parts else np.zeros(0, seen.x.q.dtype)

    def settle(self) -> tuple[np.ndarray, np.ndarray]:
        """Evaluate the operating point; return v̇0 and y0."""
        self.origin = None
        vdot, seen = self.evaluate()
        values = [o.values(seen) for o in self.interface.felt]
        for output, y in zip(self.interface.felt, values):
            if isinstance(output, Expression) and (
                y.ndim != 1 or y.dtype.kind not in "biuf" or not np.isfinite(y).all()
            ):
                raise InputError(
                    f"the expression '{output.name}' must return finite real numbers at a real state",
                    got=repr(y)[:80],
                )
        self.origin, self.rows = seen, self.interface.rows(values)
        return vdot, self.rows.values(self.x0, values)
