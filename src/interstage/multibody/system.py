"""`System`: the algorithms on a compiled vehicle, by names, and the changes that make another vehicle of it.

Everything that goes in or comes out for a body or node is in world axes unless `frame` says "body" (axes of
the body frame) or "node" (axes that turn with the node). Spatial vectors are angular first. A place on a body
is None (its frame origin), a node of a flexible body, or a point (x, y, z) of a rigid one.

Where places on bodies are and how they move; mass, centre and inertia of the whole.

Accelerations and forces, mass matrix, energy and momentum; how joints move, and masses that change.

Closures of loops: errors, forces, assembly, rows that are left out; and the modes of a vehicle with them.

The algorithms on a compiled vehicle, by names: `System`, built up from what it is to how it changes.

`ModelData` (arrays, settings, states) - `Kinematics` (places) - `Dynamics` (forces, sums) - `Closures` (loops) -
`System` (changes of the vehicle): each layer uses the ones before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Never, Unpack

import numpy as np
from numpy import empty, ndarray
from numpy.typing import ArrayLike

from interstage.calls import NEEDED, blame, named_arguments, quick
from interstage.component.component import Component
from interstage.errors import InputError
from interstage.multibody import (
    closure_queries,
    impulse,
    joint_modes,
    loop_assembly,
    queries,
    reroot,
    sites,
    summary,
    system_modes,
    topology,
)
from interstage.multibody.closures import kept
from interstage.multibody.dispersed_parameters import with_factors
from interstage.multibody.impulse import Change
from interstage.multibody.joints import Joint
from interstage.multibody.kernel_interface import NO_SITES, Scratch, refined, shut
from interstage.multibody.load_recovery import GeometricEnergy, recovered
from interstage.multibody.loads import Forces, Loads, as_forces, check_frame, of_all_kinds, wrench_rows
from interstage.multibody.model import Mounting, Multibody
from interstage.multibody.model_data import ModelData
from interstage.multibody.operating_point import OperatingPoint, as_flown
from interstage.multibody.settings import RuntimeSettings
from interstage.multibody.state import State, check_belongs
from interstage.multibody.topology import Docking, DockingOptions
from interstage.multibody.types import Node, Place, Rates, Target
from interstage.spatial import RigidInertia, RotationLike
from interstage.spatial.checks import as_array


class Energies(NamedTuple):
    """Parts of the energy of a system."""

    kinetic: float
    strain: float
    gravity: float


@named_arguments
class System(ModelData):
    """A compiled vehicle. Make one with `Multibody.compile()`.

    nq, nv : numbers of coordinates and velocities;  bodies : names in order
    settings : what can be switched (joint modes, masses, closures, stabilization), of this object alone

    The rest never changes, and asking changes nothing: threads may share a system as long as nobody switches
    its settings meanwhile; `with_settings` gives each his own.
    """

    def __reduce__(self) -> tuple[object, ...]:
        # compiled code and addresses stay here: description and settings travel, and the order of sites
        asked = sorted(self.site_rows, key=self.site_rows.__getitem__)[len(self.closure_places) :]
        return _restored, (self.model, self.settings, asked, self.change, self.factors)

    def __repr__(self) -> str:
        return f"<System '{self.model.name}': {len(self._index)} bodies, nq {self.nq}, nv {self.nv}>"

    def __str__(self) -> str:
        return summary.of_system(self)

    # places -----------------------------------------------------------------------------------------

    def site(self, body: str, place: Node = None) -> int:
        """Return the number of a node's site for the kernels; -1 - body for frame origins and rigid bodies."""
        return self.sites([(body, place)])[0]

    def sites(self, pairs: Sequence[tuple[str, Node]]) -> list[int]:
        """Return the numbers of many sites (body, place); places alone cost the vehicle nothing."""
        return sites.located(self, pairs)[0].tolist()

    def jacobian(self, x: State, body: str, node: Node = None, frame: str = "world") -> np.ndarray:
        """Return J (6, nv) with [ω; v] = J v of a place on a body."""
        J = sites.jacobian(self, x, body, node)
        if check_frame(frame) != "world":
            R = queries.axes_of(self, x, body, node, frame)
            J = np.concatenate([R.T @ J[:3], R.T @ J[3:]])
        return J

    def position(self, x: State, body: str, node: Node = None) -> np.ndarray:
        """Return the position (3,) of a place on a body in the world."""
        return queries.pose(self, x, body, node)[1]

    def positions(self, x: State, body: str, nodes: ArrayLike | None = None) -> np.ndarray:
        """Return world positions (k, 3) of many nodes of a flexible body (None: all), or points of a rigid one."""
        return sites.positions(self, x, body, nodes)

    def jacobians(self, x: State, body: str, nodes: ArrayLike | None = None) -> np.ndarray:
        """Return J (k, 6, nv) with [ω; v] = J v of many nodes or points of a body, world axes."""
        return sites.jacobians(self, x, body, nodes)

    def rotation(self, x: State, body: str, node: Node = None) -> np.ndarray:
        """Return R (3, 3) of a body or node, x_world = R x."""
        return queries.pose(self, x, body, node)[0]

    def velocity(self, x: State, body: str, node: Node = None, frame: str = "world") -> np.ndarray:
        """Return [ω; v] (6,) of a place on a body."""
        return queries.motion(self, x, body, node, frame, np.zeros_like(x.v))[0]

    def acceleration(
        self, x: State, vdot: ArrayLike, body: str, node: Node = None, frame: str = "world"
    ) -> np.ndarray:
        """Return [ω̇; a] (6,) of a place on a body: a is the second derivative of its world position."""
        vdot = as_array(vdot, (self.nv,), "vdot", allow_complex=True).astype(x.q.dtype)
        return queries.motion(self, x, body, node, frame, vdot)[1]

    def rates(self, x: State) -> np.ndarray:
        """Return q̇ (nq,): like v, but quaternion rates and world velocities of free positions."""
        qdot = np.empty(self.nq, x.q.dtype)
        self.engine.rates(x.q, x.v, qdot)
        return qdot

    def mass_properties(self, x: State) -> RigidInertia:
        """Return mass, centre of mass and inertia (about it) of the whole, world frame, as if frozen."""
        return queries.mass_properties(as_flown(self, x), x)

    def center_of_mass(self, x: State, inside: np.ndarray | None = None) -> np.ndarray:
        """Return the centre of mass (3,) in the world; modes move it at every fidelity.

        inside : mask (N,) of the bodies that count; default: all
        """
        return queries.center_of_mass(as_flown(self, x), x, inside)

    # dynamics ---------------------------------------------------------------------------------------

    @quick
    def forward_dynamics(
        self,
        x: State = NEEDED,
        forces: Forces | None = None,
        tau: ArrayLike | Mapping[str, ArrayLike] | None = None,
        accelerations: Rates | None = None,
        frame: str = "world",
        refine: bool = False,
        *more: Never,
        **wrong: Never,
    ) -> np.ndarray:
        """Return v̇ (nv,) at linear cost.

        forces : {(body, node) or body: wrench [t; f]} at nodes, in the axes of `frame`; `Wrench` objects; or `Loads`,
            which bring tau and accelerations too
        tau : generalized forces (nv,) on joints and modes, or {body: of its joint}, beside springs, dampers and modal
            stiffness
        accelerations : {body: q̈ of its joint} of prescribed joints, zero where not given
        refine : add one step of iterative refinement, for mass ratios from a thousand on; up to five times the cost
        """
        try:
            if more or wrong:
                blame(System.forward_dynamics, locals())
            if x.__class__ is not State or x.layout is not self.layout:
                check_belongs(self, x)  # the kernel takes an address: it does not see where a state ends
                self = as_flown(self, x)
            if forces is not None and forces.__class__ is Loads:
                forces, tau, accelerations = of_all_kinds(forces, tau, accelerations)
            y = x.qv
            none = accelerations is None or (accelerations.__class__ is dict and not accelerations)
            if not none or self.any_held:
                tau = joint_modes.generalized_input(self, tau, accelerations, y.dtype)
            elif tau is None:
                tau = self._no_tau
            elif tau.__class__ is dict:
                tau = self.by_joint(tau, "tau")
            if not forces and not refine:
                vdot = self._forward_door(y, tau)
                if vdot.__class__ is not ndarray and self._forward_door is shut:
                    self._forward_door = self.engine.door("forward")
                    vdot = self._forward_door(y, tau)
                if vdot.__class__ is ndarray:
                    if self.watched:
                        self.engine.gather_from_door()
                        self.warn_of_fidelity()
                    return vdot
            acting = self._acting(forces, frame, y.dtype)
            with self.engine.borrow(y.dtype) as scratch:
                vdot, status = self.forward_on(scratch, x, tau, *acting, refine)
            if status != 0:
                self.refuse(status, x, tau)
            if self.watched:
                self.warn_of_fidelity()
            return vdot
        except Exception as error:
            blame(System.forward_dynamics, locals(), error)
            raise

    def _acting(self, forces: Forces | None, frame: str, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
        """Return sites and wrenches of forces for the kernels."""
        if not forces:
            return NO_SITES, self._empty(dtype)
        return wrench_rows(self, as_forces(forces, frame), dtype)

    def forward_on(
        self,
        scratch: Scratch,
        x: State,
        tau: np.ndarray,
        sites: np.ndarray,
        wrenches: np.ndarray,
        refine: bool = False,
    ) -> tuple[np.ndarray, int]:
        """Return v̇ and the status of forward dynamics on some scratch; tau as `generalized_input` makes it."""
        vdot, tau = np.empty(self.nv, x.q.dtype), self.vector(tau, x.q.dtype, "tau")
        status = scratch.forward(x.q, x.v, tau, sites, wrenches, vdot)
        if refine and status == 0:
            vdot = refined(self, scratch, x, tau, sites, wrenches, vdot)
        return vdot, status

    def warn_of_fidelity(self) -> None:
        """Warn (`FidelityWarning`) of bodies that forward dynamics found with an indefinite mass matrix."""
        queries.warn_of_fidelity(self)

    @quick
    def inverse_dynamics(
        self,
        x: State = NEEDED,
        vdot: ArrayLike = NEEDED,
        forces: Forces | None = None,
        frame: str = "world",
        *more: Never,
        **wrong: Never,
    ) -> np.ndarray:
        """Return tau (nv,) that gives the accelerations `vdot` (nv,)."""
        try:
            if more or wrong:
                blame(System.inverse_dynamics, locals())
            if x.__class__ is not State:
                self = as_flown(self, x)
            own = not forces and x.layout is self.layout
            if own:
                tau = self._inverse_door(x.qv, vdot)
                if tau.__class__ is ndarray:
                    return tau
                if self._inverse_door is shut:
                    self._inverse_door = self.engine.door("inverse")
            q = x.q
            vdot = self.vector(vdot, q.dtype, "vdot")
            if own:
                tau = self.engine.through("inverse", x.qv, vdot)
                if tau.__class__ is ndarray:
                    return tau
            sites, wrenches = self._acting(forces, frame, q.dtype)
            tau = empty(self.nv, q.dtype)
            self.engine.inverse(q, x.v, vdot, sites, wrenches, tau)
            return self.finite(tau, x, vdot=vdot)
        except Exception as error:
            blame(System.inverse_dynamics, locals(), error)
            raise

    @quick
    def bias(
        self, x: State = NEEDED, forces: Forces | None = None, *more: Never, **wrong: Never
    ) -> np.ndarray:
        """Return b (nv,) of M v̇ + b = tau: velocity terms, gravity, springs, dampers, less external forces."""
        try:
            if more or wrong:
                blame(System.bias, locals())
            return self.inverse_dynamics(x, np.zeros(self.nv), forces)
        except Exception as error:
            blame(System.bias, locals(), error)
            raise

    @quick
    def mass_matrix(self, x: State = NEEDED, *more: Never, **wrong: Never) -> np.ndarray:
        """Return M (nv, nv), full and symmetric."""
        try:
            if more or wrong:
                blame(System.mass_matrix, locals())
            if x.__class__ is not State:
                self = as_flown(self, x)
            if x.layout is self.layout:
                M = self._mass_door(x.qv)
                if M.__class__ is ndarray:
                    return M
                if self._mass_door is shut:
                    self._mass_door = self.engine.door("mass_matrix")
                M = self.engine.through("mass_matrix", x.qv)
                if M.__class__ is ndarray:
                    return M
            M = empty((self.nv, self.nv), x.q.dtype)
            self.engine.mass_matrix(x.q, np.zeros_like(x.v), M)
            return self.finite(M, x)
        except Exception as error:
            blame(System.mass_matrix, locals(), error)
            raise

    def mass_matrix_derivative(self, x: State) -> np.ndarray:
        """Return dM[k, i, j], how M(i, j) changes as the vehicle moves along velocity k alone (nv, nv, nv).

        dM/dt is the sum of dM[k] v[k]: rotations change along their angular velocities. By complex steps, exact.
        """
        check_belongs(self, x)
        if np.iscomplexobj(x.q):
            raise InputError("mass_matrix_derivative: the state must be real", where="x", got=f"{x.q.dtype}")
        self, step = as_flown(self, x), 1e-40
        found = np.empty((self.nv, self.nv, self.nv))
        for k, way in enumerate(np.eye(self.nv)):
            along = self.rates(State(self.layout, x.q, way))
            found[k] = (
                self.mass_matrix(State(self.layout, x.q + 1j * step * along, x.v.astype(complex))).imag / step
            )
        return found

    def generalized_input(
        self,
        tau: ArrayLike | None = None,
        accelerations: Rates | None = None,
        dtype: type | np.dtype = np.float64,
    ) -> np.ndarray:
        """Return the vector (nv,) that kernels take: forces, and accelerations at joints that are not free."""
        return joint_modes.generalized_input(self, tau, accelerations, dtype)

    def set_joint_mode(self, body: str, mode: str) -> None:
        """Make the joint of a body "free", "prescribed" or "locked" in place, without compiling again.

        A locked joint has no acceleration; rates that a state has there are the caller's to set to zero.
        """
        joint_modes.set_joint_mode(self, body, mode)

    def joint_mode(self, body: str) -> str:
        """Return "free", "prescribed" or "locked"."""
        return joint_modes.MODES[self.settings.joint_mode[self.body(body)]]

    def set_mass(
        self,
        body: str,
        mass: float,
        com: ArrayLike = (0, 0, 0),
        inertia: ArrayLike | None = None,
        check: bool = True,
    ) -> None:
        """Change the mass properties of a rigid body in place, without compiling again.

        check : look whether a rigid body can have them; not needed for sums of bodies that were checked
        """
        queries.set_mass(self, body, mass, com, inertia, check)

    def body_modes(self, body: str) -> np.ndarray:
        """Return T (modes of the component, n) with η_component = T η of a flexible body.

        The identity where the body keeps the modes of its file (no inboard node, unit modal mass); otherwise its modes
        are those of the body held at its node, and γ_file T η is its deformation but for a rigid motion.
        """
        flex = self.flexes[self.body(body)]
        if flex is None:
            raise InputError(f"body '{body}' is rigid and has no modes", where="body_modes")
        return flex.T.copy()

    def damping_matrix(self, x: State | None = None) -> np.ndarray:
        """Return C (nv, nv) of the viscous forces -C v of joints and modes, and of dampers to ground at the state x.

        x : default the nominal state; only dampers from flexible bodies to ground depend on it
        """
        return queries.damping_matrix(self, x)

    def reactions(
        self,
        x: State,
        vdot: ArrayLike,
        forces: Forces | None = None,
        frame: str = "world",
        tau: ArrayLike | None = None,
    ) -> dict[str, np.ndarray]:
        """Return {body: [t; f]}: what the parent exerts on each body through its joint, about the body's origin.

        The origin is that of the body's own frame (of a flexible one: its inboard node), wherever its joint sits.

        With closures their forces act too: those that go with `vdot` under `forces` and `tau`.
        """
        self = as_flown(self, x)
        vdot = self.vector(vdot, x.q.dtype, "vdot")
        wrenches = self.finite(closure_queries.joint_wrenches(self, x, vdot, forces, tau), x, vdot=vdot)
        # the kernels' frame of a body sits in its joint
        wrenches[:, :3] += np.cross([spec.offset for spec in self.model.specs], wrenches[:, 3:])
        if check_frame(frame) == "world":
            R = impulse.frames_of(self, x).R
            wrenches = np.concatenate(
                [np.einsum("nij,nj->ni", R, wrenches[:, :3]), np.einsum("nij,nj->ni", R, wrenches[:, 3:])],
                axis=1,
            )
        return dict(zip(self._index, wrenches))

    def recovered(
        self,
        x: State,
        body: str,
        vdot: ArrayLike | None = None,
        forces: Forces | None = None,
        tau: ArrayLike | None = None,
        residual: bool = True,
    ) -> dict[str, float]:
        """Return {name: value} of the forces and stresses that the component of a body recovers.

        x : a state, or an operating point, whose loads act and whose accelerations hold where none are given
        vdot : accelerations (nv,) (default: those under `forces` and `tau`)
        residual : False leaves out what loads do besides moving the modes (mode displacement)
        """
        self = as_flown(self, x)
        vdot, forces = self._accelerations(x, vdot, forces, tau)
        return recovered(self, x, vdot, body, forces, tau, residual)

    def _accelerations(
        self, x: State, vdot: ArrayLike | None, forces: Forces | None, tau: ArrayLike | None
    ) -> tuple[np.ndarray, Forces | None]:
        """Return accelerations (nv,) and forces: given, else of an operating point, else by forward dynamics."""
        if isinstance(x, OperatingPoint) and forces is None and tau is None:
            forces = x.loads
            vdot = x.vdot if vdot is None else vdot
        if vdot is None:
            vdot = self.forward_dynamics(x, forces=forces, tau=tau)
        return self.vector(vdot, x.q.dtype, "vdot"), forces

    def energies(self, x: State) -> Energies:
        """Return kinetic, strain (modes and springs) and gravity energy."""
        out = np.empty(9, x.q.dtype)
        as_flown(self, x).engine.sums(x.q, x.v, np.zeros(3), out)
        return Energies(*self.finite(out[:3], x).tolist())

    def geometric_energy(
        self,
        x: State,
        vdot: ArrayLike | None = None,
        forces: Forces | None = None,
        tau: ArrayLike | None = None,
    ) -> float:
        """Return ½ηᵀ(Σ c K)η of the loads c that bodies with geometric stiffness carry: spin, joints, what acts.

        x, vdot, forces, tau : as in `recovered`
        """
        if not self.stiffens:
            return 0.0
        self = as_flown(self, x)
        vdot, forces = self._accelerations(x, vdot, forces, tau)
        return self.finite(np.atleast_1d(GeometricEnergy(self).at(x, vdot, forces, tau)), x, vdot=vdot).item()

    def energy(
        self,
        x: State,
        vdot: ArrayLike | None = None,
        forces: Forces | None = None,
        tau: ArrayLike | None = None,
    ) -> float:
        """Return the total energy: kinetic, strain, gravity, and that of loads on bodies with geometric stiffness.

        vdot, forces, tau : as in `recovered`; they matter to `geometric_energy` alone
        """
        return sum(self.energies(x)) + self.geometric_energy(x, vdot, forces, tau)

    def momentum(self, x: State, about: ArrayLike = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Return [h; p] (6,): angular momentum about a world point, and linear momentum, world axes."""
        out = np.empty(9, x.q.dtype)
        as_flown(self, x).engine.sums(x.q, x.v, as_array(about, (3,), "about"), out)
        return self.finite(out[3:], x).copy()

    def operational_inertia(self, x: State, places: Sequence[Place]) -> np.ndarray:
        """Return J M⁻¹ Jᵀ (6k, 6k) of k places, each (body, node) or body: acceleration for a unit wrench."""
        return queries.operational_inertia(as_flown(self, x), x, places)

    # closures ---------------------------------------------------------------------------------------

    @property
    def closures(self) -> list[str]:
        """Names of the closures in the order of addition."""
        return [spec.name for spec in self.model.closures]

    @property
    def n_closure(self) -> int:
        """Number of scalar conditions of closures, less those that are left out."""
        return int(self.settings.row_keep.sum())

    def closure_error(self, x: State, every: bool = False) -> np.ndarray:
        """Return C (n_closure,): travels (lengths) and turns (radians) that closures forbid; `every`: left out too."""
        return closure_queries.errors(as_flown(self, x), x, every)

    def closure_rate(self, x: State) -> np.ndarray:
        """Return the time derivative of C (n_closure,)."""
        return closure_queries.rates(as_flown(self, x), x)

    def closure_jacobian(self, x: State) -> np.ndarray:
        """Return J (n_closure, nv) with dC/dt = J v."""
        return closure_queries.jacobian(as_flown(self, x), x)

    def closure_names(self) -> list[tuple[str, str]]:
        """Return (closure, what it forbids) for each entry of C."""
        return closure_queries.kept_names(self)

    def closure_forces(
        self,
        x: State,
        forces: Forces | None = None,
        tau: ArrayLike | None = None,
        accelerations: Rates | None = None,
        frame: str = "world",
    ) -> dict[str, np.ndarray]:
        """Return {closure: [t; f]} on its second end, at its place, world axes, under loads as in forward dynamics.

        The first end feels the opposite. Rows that are left out carry no force.
        """
        return closure_queries.forces_of(as_flown(self, x), x, (forces, tau, accelerations), frame)[0]

    def closure_multipliers(self, x: State, forces: Forces | None = None) -> np.ndarray:
        """Return the multiplier (n_closure,) of each row: a force along it, or a torque about it."""
        self = as_flown(self, x)
        return closure_queries.forces_of(self, x, (forces, None, None))[1][kept(self)]

    def drive_forces(
        self,
        x: State,
        vdot: ArrayLike,
        forces: Forces | None = None,
        tau: ArrayLike | None = None,
        frame: str = "world",
    ) -> np.ndarray:
        """Return the generalized forces (nv,) that drives must give for v̇, the forces of closures taken out.

        tau : forces that are known to act on free joints; what joints that are not free need is the result.
        """
        self = as_flown(self, x)
        return closure_queries.drive_forces(self, x, self.vector(vdot, x.q.dtype, "vdot"), forces, tau, frame)

    def assemble(self, x: State, fixed: Sequence[str] = ()) -> State:
        """Return a state near x whose closures hold in position and velocity.

        Coordinates of bodies in `fixed` and of joints that are not free stay as they are.
        """
        return loop_assembly.assemble(as_flown(self, x), x, fixed)

    def project(self, x: State) -> State:
        """Return x moved the least, in the metric of mass, to where closures hold; for small drift."""
        return closure_queries.project(as_flown(self, x), x)

    def check_closed(self, x: State) -> None:
        """Refuse a state whose closures are open."""
        closure_queries.check_closed(as_flown(self, x), x)

    def redundant_closures(self, x: State) -> list[tuple[str, str]]:
        """Return (closure, what it forbids) of rows that depend on others at x, for the modes at hand."""
        return closure_queries.redundant(as_flown(self, x), x)

    def drop_redundant(self, x: State) -> list[tuple[str, str]]:
        """Leave rows that depend on others at x out from now on, and return them. They must hold at x."""
        return closure_queries.drop_redundant(self, x)

    def open_closure(self, name: str) -> None:
        """Let a closure hold nothing from now on, in place, without compiling again."""
        closure_queries.set_closure(self, name, False)

    def close_closure(self, name: str) -> None:
        """Let a closure hold again, less what `drop_redundant` left out; a state has to fit (`project` makes it)."""
        closure_queries.set_closure(self, name, True)

    def stabilize(self, method: str = "projection", rate: float = 20.0) -> None:
        """Choose how fixed steps hold closures: "projection" (default), "baumgarte" with a rate (1/s), or "none"."""
        closure_queries.stabilize(self, method, rate)

    def modes(self, x: State | None = None, forces: Forces | None = None) -> system_modes.SystemModes:
        """Return the undamped modes about a rest state: frequencies_hz (m,), shapes (nv, m).

        Joints that are not free are held: m is nv less their velocities, where shapes are zero. An operating point (a
        trim) brings those of its forces that stand in the world; forces that follow a body have no symmetric stiffness,
        `linearize(system, x).modes(damped=False)` has it.
        """
        return system_modes.system_modes(self, x if x is not None else self.state(), forces)

    # changes of the vehicle ---------------------------------------------------------------------------

    def detach(self, body: str, x: State) -> tuple[System, State]:
        """Return the system in which a body left with all that it carries, as a Free root, and its state.

        No motion changes: poses, velocities, modal coordinates and rates stay as they are.
        """
        return topology.detach(as_flown(self, x), body, x)

    def attach(
        self,
        body: str,
        place: Target,
        x: State,
        *,
        joint: Joint | None = None,
        rotation: RotationLike | None = None,
        port: Node = None,
        snap: bool = False,
    ) -> tuple[System, State]:
        """Return the system in which a free body is docked, and its state after the plastic impact.

        place : (parent, node or point), or the name of a rigid parent: then where the body is; None: the ground
        joint : default Locked;  rotation : R_PC at zero coordinates, default so that coordinates are zero now
        port : node of a flexible body, point of a rigid one, that sits in the joint; default: the inboard node; of a
            rigid body the origin of its frame where `rotation` or `snap` is given, else the point at the place now
        snap : move the body where the joint cannot take its present pose (otherwise that is an error)

        Linear and angular momentum are conserved, modal rates included; `change.energy_loss` tells the loss.
        """
        return topology.attach(as_flown(self, x), body, place, x, Docking(joint, rotation, port, snap))

    def reattach(
        self,
        body: str,
        place: Target,
        x: State,
        **how: Unpack[DockingOptions],
    ) -> tuple[System, State]:
        """Detach a body and attach it elsewhere; options as in `attach`."""
        return topology.reattach(as_flown(self, x), body, place, x, Docking(**how))

    def replace_joint(
        self, body: str, joint: Joint, x: State, *, rotation: RotationLike | None = None, snap: bool = False
    ) -> tuple[System, State]:
        """Return the system in which a body has another joint at the same place, and its state.

        Coordinates follow from the present pose; velocities that the new joint does not have are lost in a plastic
        impact that conserves momentum.
        """
        return topology.replace_joint(as_flown(self, x), body, joint, x, rotation=rotation, snap=snap)

    def replace_component(
        self,
        body: str,
        component: Component | str | Path,
        x: State,
        *,
        node: int | None = None,
        damping: ArrayLike | None = None,
        order: int | None = None,
        n_modes: int | None = None,
    ) -> tuple[System, State]:
        """Return the system in which a flexible body has other data, and its state (see `multibody.reroot`).

        node, damping, order, n_modes : as in `Multibody.add_body`; node : the one that it has
        """
        return reroot.replace_component(
            as_flown(self, x), body, component, x, Mounting(node, damping, order, n_modes)
        )

    def remove(self, body: str, x: State) -> tuple[System, State]:
        """Return the system without a free body and all that it carries, and its state."""
        return topology.remove(as_flown(self, x), body, x)


def _restored(
    model: Multibody,
    settings: RuntimeSettings,
    asked: list[tuple[int, int]],
    change: Change | None,
    factors: Mapping[str, float] | None = None,
) -> System:
    """Return a system from what a copy brought along."""
    system = System(model)
    if factors:
        system = with_factors(system, factors)
    system = system.with_settings(settings)
    names = system.bodies
    sites.located(system, [(names[i], node) for i, node in asked])
    system.change = change
    return system
