"""A system with its operating point, inputs and outputs as one function of small motions: (δq, δv, u) → (v̇, y)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from interstage.errors import InputError
from interstage.linear.chart import Chart
from interstage.linear.inputs import Channel
from interstage.linear.outputs import Expression, Observation, Output, gather_sites
from interstage.multibody.loads import Loads
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.multibody.api import System


class Plant:
    """Evaluate accelerations and outputs near an operating point.

    channels : scalar inputs, zero at the operating point;  outputs : objects whose values are stacked
    """

    def __init__(
        self,
        system: System,
        x0: State,
        loads: Loads,
        channels: list[Channel],
        outputs: list[Output],
        chart: Chart,
    ):
        self.system, self.x0, self.loads, self.chart = system, x0, loads, chart
        self.channels, self.outputs = channels, outputs
        # (name, kind) of channels, known before their first values but for expressions
        self._names = [None if isinstance(o, Expression) else o.prepare(system) for o in outputs]
        self.picks = [o.picks(system) if hasattr(o, "picks") else None for o in outputs]
        self.sizes: list[int] = []  # numbers of each output, once it has settled
        places = [(o.body, o.node) for o in outputs if hasattr(o, "node")]
        self.sites = gather_sites(system, places)
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
        if np.iscomplexobj(loads.tau):
            x = x.copy(np.complex128)
        vdot = self.system.forward_dynamics(x, forces=loads)
        return vdot, Observation(self.system, x, vdot, loads, self.sites, self.origin)

    def measure(self, seen: Observation, outputs: list[Output] | None = None) -> np.ndarray:
        """Return the outputs (ny,)."""
        outputs = self.outputs if outputs is None else outputs
        parts = [o.values(seen) for o in outputs]
        return np.concatenate(parts) if parts else np.zeros(0, seen.x.q.dtype)

    def _picked(self, kind: str, places: np.ndarray) -> np.ndarray:
        """Return what outputs that are states are at the operating point."""
        return self.x0.v[places] if kind == "rate" else self.x0.q[self.system.tree.v_q[places]]

    def settle(self) -> tuple[np.ndarray, np.ndarray, list[tuple[str, str]]]:
        """Evaluate the operating point; return v̇0, y0, and (name, kind) of every output."""
        self.origin = None
        vdot, seen = self.evaluate()
        names: list[tuple[str, str]] = []
        values = []
        for output, pick, named in zip(self.outputs, self.picks, self._names):
            y = output.values(seen) if pick is None else self._picked(*pick)
            values.append(y)
            if named is None:
                if y.ndim != 1 or y.dtype.kind not in "biuf" or not np.isfinite(y).all():
                    raise InputError(
                        f"the expression '{output.name}' must return finite real numbers at a real state",
                        got=repr(y)[:80],
                    )
                single = len(y) == 1
                names += [
                    (output.name if single else f"{output.name}.{k + 1}", output.unit) for k in range(len(y))
                ]
            else:
                names += named
        self.origin, self.sizes = seen, [len(y) for y in values]
        return vdot, np.concatenate(values).astype(float) if values else np.zeros(0), names


def unique(names: list[str], what: str) -> list[str]:
    """Return names, or say which one is used twice."""
    seen: dict[str, Any] = {}
    for name in names:
        if name in seen:
            raise InputError(f"two {what} have the name '{name}'", hint="give one of them a name= of its own")
        seen[name] = True
    return names
