"""A system with its operating point, inputs and outputs as one function of small motions: (δq, δv, u) → (v̇, y).

Columns of a linear model: how accelerations and outputs change with every small motion and input.

Accelerations by slopes of inverse dynamics (`multibody.dynamics_derivatives`), outputs by complex steps at states and
accelerations that are moved along. Where a step is asked for, accelerations are complex steps of forward dynamics,
all in one compiled loop: one call of the engine costs microseconds, the way to it from Python more.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError, SolverError
from interstage.jit import COMPILED, kernel
from interstage.linear.chart import Chart
from interstage.linear.differences import COMPLEX_STEP
from interstage.linear.interface import Interface, OutputRows
from interstage.linear.outputs import CustomOutput, Observation, Output, gather_sites
from interstage.multibody.dynamics_derivatives import ClosedSlopes, Wrenches, closed_slopes, force_slopes
from interstage.multibody.kernel_interface import NO_SITES
from interstage.multibody.kernels.entry import enter_forward_loaded
from interstage.multibody.loads import Loads, wrench_rows
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.multibody.system import System


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
            if isinstance(output, CustomOutput) and (
                y.ndim != 1 or y.dtype.kind not in "biuf" or not np.isfinite(y).all()
            ):
                raise InputError(
                    f"the expression '{output.name}' must return finite real numbers at a real state",
                    got=repr(y)[:80],
                )
        self.origin, self.rows = seen, self.interface.rows(values)
        return vdot, self.rows.values(self.x0, values)


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


def along_chart(chart: Chart, slope: np.ndarray) -> np.ndarray:
    """Return ∂/∂δq (m, nv) of slopes along the axes of the joints: free positions move along other axes."""
    for where in chart.round:
        if where.position is not None:
            slope[:, where.drift] = slope[:, where.drift] @ chart.turned_drift(where).T
    return slope


def _joined(one: Wrenches, other: Wrenches) -> Wrenches:
    """Return sites and wrenches of two sets as one."""
    return np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1]])


class Columns:
    """Slopes of accelerations and outputs: columns 0..nv-1 along δq, nv..2nv-1 along δv, then inputs."""

    def __init__(self, plant: Plant, vdot: np.ndarray, step: float | None = None):
        self.plant, self.vdot0 = plant, vdot
        self.step = COMPLEX_STEP if step is None else step
        self.n = 2 * plant.system.nv + len(plant.channels)
        self.vdot = self._solved() if step is None else self._stepped()

    def _solved(self) -> np.ndarray:
        """Return dv̇ (nv, columns) by slopes of inverse dynamics; with closures their multipliers follow."""
        plant, system, nv = self.plant, self.plant.system, self.plant.system.nv
        face, loads = plant.interface, plant.loads.rows(system)
        acting, forces = face.forces
        inputs = wrench_rows(system, forces)
        closed = self._closed() if system.n_closure else None
        if closed is not None:
            loads = _joined((closed.sites, closed.wrenches), loads)
            inputs = _joined(inputs, closed.units)
        found = force_slopes(system, plant.x0, self.vdot0, loads, inputs)
        right = np.empty((nv, self.n))
        units = right[:, 2 * nv :]
        right[:, :nv], right[:, nv : 2 * nv] = along_chart(plant.chart, found.q), found.v
        units[:] = face.generalized
        if acting:
            units[:, acting] = found.inputs[:, : len(acting)]
        driven = [
            (k, int(system.tree.joint_v[system.body(body)]) + number) for k, body, number in face.driven
        ]
        for k, place in driven:
            units[place:, k], units[:place, k] = found.lower[place:, place], found.lower[place, :place]
            if found.stiffening is not None:
                units[:, k] += found.stiffening[:, place]
        if closed is not None:
            U = found.inputs[:, len(acting) :]
            right[:, : 2 * nv] += U @ closed.moved
        slopes = found.solved(right)
        for k, place in driven:
            slopes[place, 2 * nv + k] += 1.0
        if closed is not None:
            answers = found.solved(U @ closed.by_rows)
            slip = closed.J @ slopes
            slip[:, : 2 * nv] += closed.c
            slopes -= answers @ np.linalg.solve(closed.J @ answers, slip)
        return slopes

    def _closed(self) -> ClosedSlopes:
        """Return what closures do, and how that changes along δq and δv."""
        plant, moves = self.plant, 2 * self.plant.system.nv
        Q, V = self._states
        return closed_slopes(plant.system, plant.x0, self.vdot0, plant.loads, Q[:moves], V[:moves], self.step)

    @cached_property
    def _states(self) -> tuple[np.ndarray, np.ndarray]:
        """Complex states Q (columns, nq), V (columns, nv), one moved along each column."""
        plant, nv = self.plant, self.plant.system.nv
        Q = np.tile(plant.x0.q.astype(complex), (self.n, 1))
        V = np.tile(plant.x0.v.astype(complex), (self.n, 1))
        Q[:nv] += 1j * self.step * plant.chart.tangent().T
        V[nv : 2 * nv] += 1j * self.step * np.eye(nv)
        return Q, V

    @cached_property
    def _loads(self) -> list[Loads]:
        """What acts in each column."""
        plant, unit = self.plant, 1j * self.step
        more = [plant.loads.plus(channel.load(plant.system), unit) for channel in plant.channels]
        return [plant.loads] * (2 * plant.system.nv) + more

    def _stepped(self) -> np.ndarray:
        """Return dv̇ (nv, columns) by complex steps of forward dynamics."""
        plant, system, (Q, V) = self.plant, self.plant.system, self._states
        moves = 2 * system.nv
        sites, wrenches = plant.loads.rows(system)
        tau = np.array([loads.vector(system, complex) for loads in self._loads])
        # inputs have one place more, on the first body where it is not needed
        extra = np.full(len(plant.channels), -1, dtype=np.int64)
        rows = np.zeros((len(plant.channels), len(sites) + 1, wrenches.shape[1]), complex)
        rows[:, :-1] = wrenches
        for k, channel in enumerate(plant.channels):
            if channel.force is not None:
                (extra[k],), (rows[k, -1],) = wrench_rows(system, self._loads[moves + k].forces[-1:])
        places = np.hstack([np.tile(sites, (len(extra), 1)), extra[:, None]])
        vdot = forward_rows(system, Q[:moves], V[:moves], tau[:moves], sites[None], wrenches[None])
        if len(extra):
            more = forward_rows(system, Q[moves:], V[moves:], tau[moves:], places, rows)
            vdot = np.concatenate([vdot, more])
        return vdot.imag.T / self.step

    def outputs(self) -> np.ndarray:
        """Return dy (ny, columns), not to be changed; outputs that are states need no evaluation."""
        rows = self.plant.rows
        if not len(rows.felt):
            return rows.known
        found = rows.known.copy()
        found[rows.felt] = self._measured(self.plant.interface.felt)
        return found

    def _measured(self, outputs: list) -> np.ndarray:
        """Return dy (ny, columns) of outputs that must be evaluated."""
        plant = self.plant
        found = []
        moved = np.ascontiguousarray(self.vdot0 + 1j * self.step * self.vdot.T)
        for q, v, vdot, loads in zip(*self._states, moved, self._loads):
            x = State(plant.x0.layout, q, v)
            seen = Observation(plant.system, x, vdot, loads, plant.sites, plant.origin)
            found.append(plant.measure(seen, outputs).imag / self.step)
        return np.array(found).T
