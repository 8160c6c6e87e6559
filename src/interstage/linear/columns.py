"""All complex steps of a linearization in one compiled loop.

One call of the engine costs microseconds, the way to it from Python more: states and forces of all columns are laid
out first. Inputs are zero at the operating point, so that the directions of their forces are those of the operating
point. Constant forces that follow a body turn with every step: such plants go the slow way (`usable`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import SolverError
from interstage.jit import kernel
from interstage.linear.differences import COMPLEX_STEP
from interstage.linear.loads import in_world
from interstage.linear.outputs import Observation
from interstage.multibody.handle import COMPILED
from interstage.multibody.kernels.entry import enter_forward_loaded
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.linear.plant import Plant


def usable(plant: Plant) -> bool:
    """Tell if the constant forces of a plant stand in the world."""
    return COMPILED and all(force.frame == "world" for force in plant.loads.forces)


@kernel
def _forward_all(handle, Q, V, tau, sites, wrenches, out):
    """Write v̇ of every row of Q, V, tau, wrenches; return 0, or 1 + the first row that failed."""
    for k in range(len(Q)):
        if enter_forward_loaded(handle, Q[k], V[k], tau[k], sites, wrenches[k], out[k]) != 0:
            return k + 1
    return 0


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
        self.vdot = np.empty_like(self.V)
        self.tau = np.empty_like(self.V)
        self.forces = [in_world(system, plant.x0, plant.loads.forces)] * (2 * nv)
        self.given = [plant.loads.tau] * (2 * nv)
        self._fill_inputs(2 * nv)
        self._run(slice(0, 2 * nv))
        if nu:
            self._run(slice(2 * nv, 2 * nv + nu))

    def _fill_inputs(self, first: int) -> None:
        """Write forces of the state columns (all alike) and of the inputs: one unit more of one of them."""
        plant, system, unit = self.plant, self.plant.system, 1j * self.step
        world = self.forces[0] if self.forces else in_world(system, plant.x0, plant.loads.forces)
        self.tau[:] = system.generalized_input(plant.loads.tau, plant.loads.accelerations or None, complex)
        for k, channel in enumerate(plant.channels):
            tau, forces = plant.loads.tau, world
            if channel.force is not None:
                pushed = replace(channel.force, wrench=unit * channel.force.wrench)
                ((place, wrench),) = in_world(system, plant.x0, [pushed]).items()
                forces = world | {place: world.get(place, 0.0) + wrench}
            elif channel.tau is not None:
                if not system._held[channel.tau]:  # there the engine reads accelerations
                    self.tau[first + k, channel.tau] += unit
                tau = tau.astype(complex)
                tau[channel.tau] += unit
            else:
                body, number = channel.acceleration
                self.tau[first + k, system.tree.joint_v[system.body(body)] + number] += unit
            self.given.append(tau)
            self.forces.append(forces)

    def _run(self, rows: slice) -> None:
        """Call the engine on some rows."""
        system = self.plant.system
        loads = self.forces[rows]
        places = sorted({place for world in loads for place in world}, key=repr)
        sites = np.array([system.site(*place) for place in places], dtype=np.int64)
        wrenches = np.zeros((len(loads), len(places), 6), complex)
        for k, world in enumerate(loads):
            for place, wrench in world.items():
                wrenches[k, places.index(place)] = wrench
        handle = system.engine.handle(np.complex128, "forward")
        Q, V, tau, out = self.Q[rows], self.V[rows], self.tau[rows], self.vdot[rows]
        if _forward_all(handle, Q, V, tau, sites, wrenches, out) != 0:
            raise SolverError(
                "accelerations near the operating point are not finite", hint="look at the state"
            )

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
        for q, v, vdot, world, tau in zip(self.Q, self.V, self.vdot, self.forces, self.given):
            x = State(plant.x0._slices, q, v)
            seen = Observation(plant.system, x, vdot, world, tau, plant.sites, plant.origin)
            found.append(plant.measure(seen, outputs).imag / self.step)
        return np.array(found).T
