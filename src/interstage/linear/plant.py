"""A system with its operating point, inputs and outputs as one function of small motions: (δq, δv, u) → (v̇, y)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from interstage.errors import InputError
from interstage.linear.chart import Chart
from interstage.linear.inputs import Channel
from interstage.linear.outputs import Expression, Observation, Output, gather_sites
from interstage.multibody.loads import Force, Loads, in_world
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
        places = [(o.body, o.node) for o in outputs if hasattr(o, "node")]
        self.sites = gather_sites(system, places)
        self.origin: Observation | None = None

    def inputs(self, u: np.ndarray | None) -> tuple[list[Force], np.ndarray, dict[str, np.ndarray]]:
        """Return forces, tau and accelerations with the inputs added."""
        loads = self.loads
        if u is None or not np.any(u):
            return loads.forces, loads.tau, loads.accelerations
        forces, tau = list(loads.forces), loads.tau.astype(np.result_type(loads.tau, u))
        accelerations = {body: a.astype(tau.dtype) for body, a in loads.accelerations.items()}
        for k in np.flatnonzero(u):
            channel = self.channels[k]
            if channel.force is not None:
                f = channel.force
                forces.append(Force(f.body, f.node, f.frame, u[k] * f.wrench))
            elif channel.tau is not None:
                tau[channel.tau] += u[k]
            else:
                body, number = channel.acceleration
                n = int(self.system.tree.joint_nv[self.system.body(body)])
                accelerations.setdefault(body, np.zeros(n, tau.dtype))[number] += u[k]
        return forces, tau, accelerations

    def evaluate(
        self, dq: np.ndarray | None = None, dv: np.ndarray | None = None, u: np.ndarray | None = None
    ) -> tuple[np.ndarray, Observation]:
        """Return v̇ (nv,) and what the outputs see, at a small motion and input."""
        forces, tau, accelerations = self.inputs(u)
        x = self.chart.state(dq, dv)
        arrays = [tau, *(f.wrench for f in forces), *accelerations.values()]
        if any(np.iscomplexobj(a) for a in arrays):
            x = x.copy(np.complex128)
        world = in_world(self.system, x, forces)
        vdot = self.system.forward_dynamics(
            x, forces=world or None, tau=tau, accelerations=accelerations or None
        )
        return vdot, Observation(self.system, x, vdot, forces, tau, self.sites, self.origin)

    def measure(self, seen: Observation, outputs: list[Output] | None = None) -> np.ndarray:
        """Return the outputs (ny,)."""
        outputs = self.outputs if outputs is None else outputs
        parts = [o.values(seen) for o in outputs]
        return np.concatenate(parts) if parts else np.zeros(0, seen.x.q.dtype)

    def settle(self) -> tuple[np.ndarray, np.ndarray, list[tuple[str, str]]]:
        """Evaluate the operating point; return v̇0, y0, and (name, kind) of every output."""
        self.origin = None
        vdot, seen = self.evaluate()
        names: list[tuple[str, str]] = []
        values = []
        for output in self.outputs:
            y = output.values(seen)
            values.append(y)
            if isinstance(output, Expression):
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
                names += output.prepare(self.system)
        self.origin = seen
        return vdot, np.concatenate(values).astype(float) if values else np.zeros(0), names


def unique(names: list[str], what: str) -> list[str]:
    """Return names, or say which one is used twice."""
    seen: dict[str, Any] = {}
    for name in names:
        if name in seen:
            raise InputError(f"two {what} have the name '{name}'", hint="give one of them a name= of its own")
        seen[name] = True
    return names
