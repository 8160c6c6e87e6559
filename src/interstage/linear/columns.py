"""Many evaluations of the engine in one compiled loop: all complex steps of a linearization or a trim.

One call of the engine costs microseconds, the way to it from Python more: states and forces of all columns are laid
out first. Forces that follow a body or node are turned by the kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import SolverError
from interstage.jit import COMPILED, kernel
from interstage.linear.differences import COMPLEX_STEP
from interstage.linear.outputs import Observation
from interstage.multibody.kernels.entry import enter_forward_loaded
from interstage.multibody.loads import wrench_rows
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.linear.plant import Plant
    from interstage.multibody.api import System


@kernel
def _forward_all(handle, Q, V, tau, sites, wrenches, out):
    """Write v̇ of every row of Q, V, tau; sites and wrenches: a row each, or one for all. Return 0, or 1 + bad row."""
    for k in range(len(Q)):
        j = min(k, len(sites) - 1)
        if enter_forward_loaded(handle, Q[k], V[k], tau[k], sites[j], wrenches[j], out[k]) != 0:
            return k + 1
    return 0


def forward_rows(
    system: System, Q: np.ndarray, V: np.ndarray, tau: np.ndarray, sites: np.ndarray, wrenches: np.ndarray
) -> np.ndarray:
    """Return v̇ (m, nv) of m complex states Q (m, nq), V (m, nv) under tau (m, nv) for the kernels.

    sites (m or 1, k), wrenches (m or 1, k, 10) : at places, with the number of the axes that they keep to
    """
    out, wrenches = np.empty_like(V), wrenches.astype(complex)
    if COMPILED:
        with system.engine.borrow(out.dtype) as scratch:
            failed = _forward_all(
                scratch.ready(_forward_all, sites.size > 0), Q, V, tau, sites, wrenches, out
            )
    else:
        rows = (min(k, len(sites) - 1) for k in range(len(Q)))
        failed = any(
            system.engine.forward(Q[k], V[k], tau[k], sites[j], wrenches[j], out[k])
            for k, j in enumerate(rows)
        )
    if failed:
        raise SolverError(
            "accelerations near the operating point are not finite",
            hint="look at the state; geometric stiffness of a body that is bent far does not settle (stiffening=False)",
        )
    return out


class Columns:
    """States, forces and accelerations of all steps: rows 0..nv-1 along δq, nv..2nv-1 along δv, then inputs."""

    def __init__(self, plant: Plant, step: float = COMPLEX_STEP):
        self.plant, self.step = plant, step
        system, nv, nu = plant.system, plant.system.nv, len(plant.channels)
        self.Q = np.empty((2 * nv + nu, system.nq), complex)
        self.V = np.empty((2 * nv + nu, nv), complex)
        self.Q[:], self.V[:] = plant.x0.q, plant.x0.v
        self.Q[:nv] += 1j * step * plant.chart.tangent().T
        self.V[nv : 2 * nv] += 1j * step * np.eye(nv)
        self.loads = [plant.loads] * (2 * nv)
        sites, wrenches = plant.loads.rows(system)
        # inputs have one place more; it takes no part in the other columns
        self.tau, places, rows = self._inputs(sites, wrenches)
        loads = (sites[None], wrenches[None]), (places, rows)
        self.vdot = np.empty_like(self.V)
        for part, (where, what) in zip((slice(0, 2 * nv), slice(2 * nv, 2 * nv + nu)), loads):
            if part.stop > part.start:
                self.vdot[part] = forward_rows(
                    system, self.Q[part], self.V[part], self.tau[part], where, what
                )

    def _inputs(self, sites: np.ndarray, wrenches: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return tau (all columns), sites and wrenches (inputs): one unit more of one input."""
        plant, system, unit = self.plant, self.plant.system, 1j * self.step
        first = 2 * system.nv
        tau = np.tile(plant.loads.vector(system, complex), (len(self.Q), 1))
        extra = np.full(len(plant.channels), -1, dtype=np.int64)  # a wrench of zero on the first body
        rows = np.zeros((len(plant.channels), len(sites) + 1, wrenches.shape[1]), complex)
        rows[:, :-1] = wrenches
        for k, channel in enumerate(plant.channels):
            loads = plant.loads.plus(channel.load(system), unit)
            if channel.force is not None:
                (extra[k],), (rows[k, -1],) = wrench_rows(system, loads.forces[-1:])
            else:
                tau[first + k] = loads.vector(system, complex)
            self.loads.append(loads)
        places = np.hstack([np.tile(sites, (len(extra), 1)), extra[:, None]])
        return tau, places, rows

    def slopes(self, outputs: list) -> np.ndarray:
        """Return d[v̇; y] (nv + ny, columns); outputs that are states need no evaluation."""
        plant, nv = self.plant, self.plant.system.nv
        picked = [o.picks(plant.system) if hasattr(o, "picks") else None for o in outputs]
        felt = [o for o, p in zip(outputs, picked) if p is None]
        measured = self._measured(felt)
        rows, at = [self.vdot.imag.T / self.step], 0
        for output, pick in zip(outputs, picked):
            if pick is None:
                n = len(output.values(plant.origin))
                rows.append(measured[at : at + n])
                at += n
                continue
            kind, places = pick
            unit = np.zeros((len(places), len(self.Q)))
            unit[np.arange(len(places)), places + (nv if kind == "rate" else 0)] = 1.0
            rows.append(unit)
        return np.concatenate(rows)

    def _measured(self, outputs: list) -> np.ndarray:
        """Return dy (ny, columns) of outputs that must be evaluated."""
        if not outputs:
            return np.zeros((0, len(self.Q)))
        plant = self.plant
        found = []
        for q, v, vdot, loads in zip(self.Q, self.V, self.vdot, self.loads):
            x = State(plant.x0.layout, q, v)
            seen = Observation(plant.system, x, vdot, loads, plant.sites, plant.origin)
            found.append(plant.measure(seen, outputs).imag / self.step)
        return np.array(found).T
