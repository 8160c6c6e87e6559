"""A vehicle near an operating point, (δq, δv, u) → (v̇, y), and its derivatives.

Derivatives of accelerations are those of inverse dynamics (`multibody.dynamics_derivatives`); outputs are
differentiated by complex steps at states and accelerations that are moved along. With a given step accelerations are
complex steps of forward dynamics, all in one compiled loop: one call of the engine costs microseconds, the way to it
from Python more.
Outputs that do not carry complex numbers are differenced (central, of fourth order).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError, SolverError
from interstage.jit import COMPILED, kernel
from interstage.linear.chart import Chart
from interstage.linear.differences import COMPLEX_STEP, EXACT, How, Scheme, jacobian_of
from interstage.linear.interface import (
    Interface,
    OutputRows,
    grid_positions,
    interface_of,
    mass_properties,
    state_index,
    state_names,
)
from interstage.linear.model import LinearModel
from interstage.linear.outputs import CustomOutput, Observation, OutputSpec, gather_sites
from interstage.linear.plant import Derivatives, Matrices, independent_changes
from interstage.multibody.dynamics_derivatives import ClosedSlopes, Wrenches, closed_slopes, force_slopes
from interstage.multibody.joint_modes import LOCKED
from interstage.multibody.kernel_interface import NO_SITES
from interstage.multibody.kernels.entry import enter_forward_loaded
from interstage.multibody.loads import Loads, wrench_rows
from interstage.multibody.state import State
from interstage.multibody.types import Place
from interstage.spatial.checks import all_finite

if TYPE_CHECKING:
    from interstage.multibody.system import System


class VehiclePlant:
    """Evaluate accelerations and outputs of a vehicle near an operating point, and differentiate them.

    interface : inputs, zero at the operating point, and outputs, whose values are stacked
    vdot, rows : accelerations, and where the outputs stand, once the plant has settled
    """

    vdot: np.ndarray
    rows: OutputRows

    def __init__(self, system: System, x0: State, loads: Loads, interface: Interface, chart: Chart):
        self.system, self.x0, self.loads, self.chart = system, x0, loads, chart
        self.interface, self.name = interface, system.model.name
        self.channels, self.outputs = interface.channels, interface.outputs
        self.sites = gather_sites(system, interface.places) if interface.places else NO_SITES
        self.origin: Observation | None = None
        self.t: float | None = None  # of the point, where it has one
        every = interface.every
        self.free = np.flatnonzero(~locked_velocities(system)) if system.any_held else every[: system.nv]

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

    def measure(self, seen: Observation, outputs: list[OutputSpec] | None = None) -> np.ndarray:
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
        self.origin, self.rows, self.vdot = seen, self.interface.rows(values), vdot
        return vdot, self.rows.values(self.x0, values)

    def values(self, change: np.ndarray, outputs: list[OutputSpec] | None = None) -> np.ndarray:
        """Return v̇ and outputs, stacked, at a change [δq; δv; u]."""
        nv = self.system.nv
        vdot, seen = self.evaluate(change[:nv], change[nv : 2 * nv], change[2 * nv :])
        return np.concatenate([vdot, self.measure(seen, outputs)])

    def independent(self, wanted: Sequence[str] | None = None) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the places (k,) of independent changes, and T from them to all, None where all are independent."""
        n = 2 * len(self.free)
        if wanted is None and self.system.n_closure == 0 and n == len(self.interface.every):
            return self.interface.every, None
        return independent_changes(self, n, wanted)

    def jacobian(self, chosen: np.ndarray, T: np.ndarray | None, scheme: Scheme = EXACT) -> Derivatives:
        """Differentiate accelerations and outputs along independent changes and inputs."""
        nv, m = self.system.nv, len(self.free)
        vdot, y, how = self._derivatives(scheme)
        along = vdot[:, :nv]
        if m < nv:
            columns = np.concatenate([self.free, nv + self.free, np.arange(2 * nv, vdot.shape[1])])
            vdot, y = vdot[np.ix_(self.free, columns)], y[:, columns]
        if T is not None:
            vdot, y = (np.hstack([J[:, : 2 * m] @ T, J[:, 2 * m :]]) for J in (vdot, y))
        return Derivatives(vdot, y, how, along)

    def _derivatives(self, scheme: Scheme) -> tuple[np.ndarray, np.ndarray, How]:
        """Return derivatives of accelerations and outputs along all of [δq; δv; u], and how they were found."""
        nv = self.system.nv
        n = 2 * nv + len(self.channels)
        if scheme.method != "complex-step":
            J, how = jacobian_of(self.values, np.zeros(n), False, scheme)
            return _finite(J)[:nv], J[nv:], how
        rough = [o for o in self.interface.expressions if not self._carries_steps(scheme, o)]
        found = JacobianColumns(self, self.vdot, scheme.step)
        y = found.outputs(rough)
        if rough:
            central = jacobian_of(
                lambda d: self.values(d, rough)[nv:], np.zeros(n), False, Scheme("central-4")
            )
            y[self.rows.of(rough)] = central[0]
        return _finite(found.vdot), _finite(y) if self.interface.felt else y, scheme.how

    def _carries_steps(self, scheme: Scheme, output: CustomOutput) -> bool:
        """Return whether an expression carries complex steps, by one random direction."""
        nv = self.system.nv
        direction = np.random.default_rng(1).normal(size=2 * nv) / np.sqrt(2 * nv)

        def f(d: np.ndarray) -> np.ndarray:
            _, seen = self.evaluate(d[:nv], d[nv:])
            y = output.values(seen)
            if np.iscomplexobj(d) and not np.iscomplexobj(y):
                raise TypeError("complex numbers do not come through")
            return y

        try:
            exact, _ = scheme.along(f, direction)
        except (TypeError, ValueError, AttributeError, InputError):
            return False
        rough, error = Scheme("central-4", richardson=True, step=1e-2).along(f, direction)
        scale = np.abs(rough).max(initial=0.0) + np.abs(exact).max(initial=0.0)
        return bool(np.abs(exact - rough).max(initial=0.0) <= 1e-4 * scale + 100.0 * error)

    def moved_to(self, x: State) -> VehiclePlant:
        """Return the plant at another state, settled, without inputs and outputs."""
        system = self.system
        other = VehiclePlant(system, x, self.loads, interface_of(system, (), ()), Chart(system, x))
        other.settle()
        return other

    def motions(self, chosen: np.ndarray) -> np.ndarray:
        """Return where changes lie in [δq; δv] (2 nv)."""
        nv = self.system.nv
        return chosen if len(self.free) == nv else np.concatenate([self.free, nv + self.free])[chosen]

    def notes(self) -> tuple[str, ...]:
        """Return no notes: a vehicle has no limits."""
        return ()

    def about(self) -> dict[str, np.ndarray]:
        """Return the time t (s) of the point, where it has one; its inputs act in addition to its loads."""
        return {} if self.t is None else {"t": np.array(self.t)}

    def gravity(self) -> dict[str, np.ndarray]:
        """Return the gravity that devices say: there are none."""
        return {}

    def places(self, reference: Place | None) -> dict[str, object]:
        """Return grid positions of inputs and outputs, and mass properties, about the reference (the first body)."""
        return {
            "grid_positions": grid_positions(self, reference),
            "mass_properties": mass_properties(self, reference),
        }

    def model(self, matrices: Matrices, chosen: np.ndarray, **others: object) -> LinearModel:
        """Return a linear model whose states are chosen changes;  others : its other fields."""
        return self._template(self.motions(chosen)).with_matrices(*matrices, **others)

    def _template(self, kept: np.ndarray) -> LinearModel:
        """Return a model with names, units and places of states, inputs and outputs; kept : states in [δq; δv]."""
        face, rows, key = self.interface, self.rows, kept.tobytes()
        if key in face.models:
            return face.models[key]
        states, units = state_names(self.system, kept, face.unit)
        n, nu, ny = len(states), len(face.inputs), len(rows.outputs)
        found = LinearModel(
            np.zeros((n, n)),
            np.zeros((n, nu)),
            np.zeros((ny, n)),
            np.zeros((ny, nu)),
            states=states,
            inputs=face.inputs,
            outputs=rows.outputs,
            state_index=state_index(self.system, kept),
            input_index=face.input_index,
            output_index=rows.output_index,
            state_units=units,
            input_units=face.input_units,
            output_units=rows.output_units,
        )
        if not face.expressions and self.system.n_closure == 0:
            # one that nobody else has: what is passed on by it is copied when it is asked for
            face.models[key] = found.with_matrices(found.A, found.B, found.C, found.D)
        return found

    def release(self) -> None:
        """Give nothing back: a vehicle borrows nothing."""


def locked_velocities(system: System) -> np.ndarray:
    """Return a mask (nv,) of the velocities of locked joints."""
    tree = system.tree
    mask = np.zeros(system.nv, dtype=bool)
    for i in np.flatnonzero(system.settings.joint_mode == LOCKED):
        mask[tree.joint_v[i] : tree.joint_v[i] + tree.joint_nv[i]] = True
    return mask


def _finite(derivatives: np.ndarray) -> np.ndarray:
    if not all_finite(derivatives):
        raise SolverError(
            "the derivatives are not finite", hint="look at the state, and at expressions that divide by zero"
        )
    return derivatives


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


class JacobianColumns:
    """Slopes of accelerations and outputs: columns 0..nv-1 along δq, nv..2nv-1 along δv, then inputs."""

    def __init__(self, plant: VehiclePlant, vdot: np.ndarray, step: float | None = None):
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

    def outputs(self, left_out: Sequence[OutputSpec] = ()) -> np.ndarray:
        """Return dy (ny, columns), not to be changed where all are states; rows of outputs left out are not found."""
        plant, rows = self.plant, self.plant.rows
        if not len(rows.felt):
            return rows.known
        found, felt, places = rows.known.copy(), plant.interface.felt, rows.felt
        if left_out:
            felt = [o for o in felt if not any(o is other for other in left_out)]
            places = rows.of(felt)
        if felt:
            found[places] = self._measured(felt)
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
