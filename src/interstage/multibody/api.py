"""`System`: the algorithms on a compiled vehicle, by names.

Everything that goes in or comes out for a body or node is in world axes unless `frame` says "body" (axes of
the body frame) or "node" (axes that turn with the node). Spatial vectors are angular first. A place on a body
is None (its frame origin), a node of a flexible body, or a point (x, y, z) of a rigid one.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError, known_names
from interstage.multibody import (
    assembly,
    closing,
    diagnosis,
    impulse,
    inspection,
    places,
    prescribed,
    reroot,
    summary,
    system_modes,
    topology,
)
from interstage.multibody import refinement as refining
from interstage.multibody.closures import closure_sites
from interstage.multibody.compile import build_tree, flexible_bodies
from interstage.multibody.engine import FLOAT, NO_SITES, Engine, Scratch
from interstage.multibody.flex.reference import FlexibleBody
from interstage.multibody.joints import Joint
from interstage.multibody.kernels.closure import FIRST_ROW
from interstage.multibody.kernels.entry import UNFIT, enter_forward
from interstage.multibody.kernels.flex import clamps
from interstage.multibody.model import Multibody
from interstage.multibody.settings import Settings
from interstage.multibody.state import Layout, State, check_belongs, layout_of
from interstage.spatial import RigidInertia
from interstage.spatial.checks import as_array

Forces = dict[Any, ArrayLike]


class Energies(NamedTuple):
    """Parts of the energy of a system."""

    kinetic: float
    strain: float
    gravity: float


class System:
    """A compiled vehicle. Make one with `Multibody.compile()`.

    nq, nv : numbers of coordinates and velocities;  bodies : names in order
    settings : what can be switched (joint modes, masses, closures, stabilization), of this object alone

    The rest never changes, and asking changes nothing: threads may share a system as long as nobody switches
    its settings meanwhile; `with_settings` gives each his own.
    """

    def __init__(self, model: Multibody, known: dict | None = None):
        if not model.specs:
            raise InputError("a vehicle needs at least one body", where=f"'{model.name}'")
        self.model = model
        self.change: topology.Change | None = None  # how this system came from another, if it did
        self._known = {} if known is None else known  # flexible data about their nodes, shared by descendants
        self._flexes, self._owner = flexible_bodies(model, self._known)
        self._index = {name: i for i, name in enumerate(model.bodies)}
        keys, extra = closure_sites(model, self._flexes)
        tree = build_tree(model, self._flexes, self._owner, extra)
        self.engine = Engine(tree, Settings.of(model, self._flexes, tree))
        first = int(self.tree.sizes[1])
        self._closure_sites = keys
        self._sites: dict[tuple, int] = {key: first + k for k, key in enumerate(keys)}
        self._growing = Lock()  # while sites are added
        self._door: int | None = None  # address of scratch for accelerations alone, once it is made
        self._slices = layout_of(self)
        self.nq, self.nv = int(self.tree.sizes[3]), int(self.tree.sizes[4])
        self._no_tau = np.zeros(self.nv)
        self._no_wrenches = np.zeros((0, 6))
        prescribed.note_held(self)
        self._watched = bool(self.tree.body_watch.any())
        self._check_inertia()

    @property
    def tree(self):
        """The constant arrays."""
        return self.engine.tree

    @property
    def settings(self) -> Settings:
        """What is switched at run time, of this object alone."""
        return self.engine.settings

    def with_settings(self, settings: Settings | None = None) -> System:
        """Return a view of the same vehicle with (a copy of) other settings; None: as they are here.

        All that never changes is shared, states fit both, and what is switched in one does not touch the other.
        """
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        own = (self.settings if settings is None else settings).copy()
        new.engine, new._door = self.engine.with_settings(own), None
        new._growing = Lock()
        if settings is not None:
            inspection.note_masses(new, self)
        prescribed.note_held(new)
        return new

    def __copy__(self) -> System:
        return self.with_settings()

    def __deepcopy__(self, memo: dict) -> System:
        return self.with_settings()

    def __reduce__(self):
        # compiled code and addresses stay here: description and settings travel, and the order of sites
        asked = sorted(self._sites, key=self._sites.get)[len(self._closure_sites) :]
        return _restored, (self.model, self.settings, asked, self.change)

    def __repr__(self) -> str:
        return f"<System '{self.model.name}': {len(self._index)} bodies, nq {self.nq}, nv {self.nv}>"

    def __str__(self) -> str:
        return summary.of_system(self)

    @property
    def layout(self) -> Layout:
        """Where each body's numbers lie: `layout["panel"].v` is its slice of v."""
        return self._slices

    def flexible(self, body: str) -> FlexibleBody | None:
        """Return a flexible body about its inboard node (l, λ, γ of all nodes, integrals), None for a rigid one."""
        return self._flexes[self.body(body)]

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies in the order of addition."""
        return list(self._index)

    def body(self, name: str) -> int:
        """Return the number of a body."""
        if not isinstance(name, str) or name not in self._index:
            raise InputError(f"there is no body '{name}'", hint=known_names(self._index))
        return self._index[name]

    def velocity_names(self) -> list[str]:
        """Return a name for each entry of v, as in "panel.angle" and "panel.eta3"."""
        names = []
        for spec, flex in zip(self.model.specs, self._flexes):
            names += [f"{spec.name}.{c}" for c in spec.joint.coordinate_names()]
            names += [f"{spec.name}.eta{r + 1}" for r in range(0 if flex is None else flex.n_modes)]
        return names

    def body_frequencies_hz(self, name: str) -> np.ndarray:
        """Return the frequencies (n,) of a flexible body held at its inboard node."""
        flex = self._flexes[self.body(name)]
        return np.zeros(0) if flex is None else flex.frequencies_hz

    # state ------------------------------------------------------------------------------------------

    def state(self, q: ArrayLike | None = None, v: ArrayLike | None = None) -> State:
        """Return a state: the given arrays (copied), or joints at zero, no deformation, at rest."""
        if q is None:
            q = np.zeros(self.nq)
            for spec in self.model.specs:
                where = self._slices[spec.name]
                q[where.q] = spec.joint.nominal()
        q = as_array(q, (self.nq,), "q", allow_complex=True)
        v = as_array(np.zeros(self.nv) if v is None else v, (self.nv,), "v", allow_complex=True)
        kind = np.result_type(q, v)
        return State(self._slices, q.astype(kind), v.astype(kind))

    def _check_inertia(self) -> None:
        """Refuse bodies that no force could hold back: try the nominal state."""
        x = self.state()
        vdot = np.empty(self.nv)
        status = self.engine.forward(x.q, x.v, self._no_tau, NO_SITES, self._no_wrenches, vdot)
        if status != 0 and status > FIRST_ROW:
            self._refuse(status, x)

    def _refuse(self, status: int, x: State, tau: Any = None) -> NoReturn:
        """Say in a sentence what a kernel found."""
        self.engine.indefinite[:] = False
        diagnosis.refuse(self, status, x, tau)

    def _finite(self, found: np.ndarray, x: State, **given: Any) -> np.ndarray:
        """Return a result, or say which number that went in was none."""
        flat = found.ravel()
        size = flat.dot(flat)  # one quick number that is finite, or something in it is worth a look
        if size - size != 0.0 and not np.isfinite(found).all():
            diagnosis.check_numbers(self, q=x.q, v=x.v, **given)
            diagnosis.check_attitudes(self, x)
        return found

    # dynamics ---------------------------------------------------------------------------------------

    def forward_dynamics(
        self,
        x: State,
        forces: Forces | None = None,
        tau: ArrayLike | None = None,
        accelerations: dict[str, ArrayLike] | None = None,
        frame: str = "world",
        refine: bool = False,
    ) -> np.ndarray:
        """Return v̇ (nv,) at linear cost.

        forces : {(body, node) or body: wrench [t; f]} at nodes, in the axes of `frame`
        tau : generalized forces (nv,) on joints and modes, beside springs, dampers and modal stiffness
        accelerations : {body: q̈ of its joint} of prescribed joints, zero where not given
        refine : add one step of iterative refinement, for mass ratios from a thousand on; up to five times the cost
        """
        if x.__class__ is not State or x._slices is not self._slices:
            check_belongs(self, x)  # the kernel takes an address: it does not see where a state ends
        y = x._y
        if accelerations is not None or self._any_held:
            tau = prescribed.generalized_input(self, tau, accelerations, y.dtype)
        elif tau is None:
            tau = self._no_tau
        status = UNFIT
        if not forces and not refine and self._door is not None and y.dtype is FLOAT:
            vdot = np.empty(self.nv)
            try:
                status = enter_forward(self._door, x._address, tau, vdot)
            except TypeError:  # the door takes contiguous real vectors only
                status = UNFIT
        if status == UNFIT:  # or another thread is in the door
            loads = self._loads(forces, frame, x) if forces else (NO_SITES, self._empty(y.dtype))
            self._door = self.engine.door()
            with self.engine.borrow(y.dtype) as scratch:
                vdot, status = self._forward(scratch, x, tau, *loads, refine)
        if status != 0:
            self._refuse(status, x, tau)
        if self._watched:
            self.engine.gather_from_door()
            self.warn_of_fidelity()
        return vdot

    def _forward(
        self,
        scratch: Scratch,
        x: State,
        tau: Any,
        sites: np.ndarray,
        wrenches: np.ndarray,
        refine: bool = False,
    ) -> tuple[np.ndarray, int]:
        """Return v̇ and the status of forward dynamics on some scratch; tau as `generalized_input` makes it."""
        vdot, tau = np.empty(self.nv, x.q.dtype), self._vector(tau, x.q.dtype, "tau")
        status = scratch.forward(x.q, x.v, tau, sites, wrenches, vdot)
        if refine and status == 0:
            vdot = refining.refine(self, scratch, x, tau, sites, wrenches, vdot)
        return vdot, status

    def warn_of_fidelity(self) -> None:
        """Warn (`FidelityWarning`) of bodies that forward dynamics found with an indefinite mass matrix."""
        inspection.warn_of_fidelity(self)

    def inverse_dynamics(
        self, x: State, vdot: ArrayLike, forces: Forces | None = None, frame: str = "world"
    ) -> np.ndarray:
        """Return tau (nv,) that gives the accelerations `vdot` (nv,)."""
        q = x.q
        sites, wrenches = self._loads(forces, frame, x) if forces else (NO_SITES, self._empty(q.dtype))
        vdot = self._vector(vdot, q.dtype, "vdot")
        tau = np.empty(self.nv, q.dtype)
        self.engine.inverse(q, x.v, vdot, sites, wrenches, tau)
        return self._finite(tau, x, vdot=vdot)

    def generalized_input(
        self,
        tau: ArrayLike | None = None,
        accelerations: dict[str, ArrayLike] | None = None,
        dtype: Any = np.float64,
    ) -> np.ndarray:
        """Return the vector (nv,) that kernels take: forces, and accelerations at joints that are not free."""
        return prescribed.generalized_input(self, tau, accelerations, dtype)

    def set_joint_mode(self, body: str, mode: str) -> None:
        """Make the joint of a body "free", "prescribed" or "locked" in place, without compiling again.

        A locked joint has no acceleration; rates that a state has there are the caller's to set to zero.
        """
        prescribed.set_joint_mode(self, body, mode)

    def joint_mode(self, body: str) -> str:
        """Return "free", "prescribed" or "locked"."""
        return prescribed.MODES[self.settings.joint_mode[self.body(body)]]

    def _vector(self, value: ArrayLike, dtype: np.dtype, name: str) -> np.ndarray:
        """Return a vector as long as v that kernels can take, the given one where it will do."""
        fits = value.__class__ is np.ndarray and value.dtype == dtype and value.shape == (self.nv,)
        if fits and value.flags.carray:
            return value
        try:
            return as_array(value, (self.nv,), name, allow_complex=np.dtype(dtype).kind == "c").astype(dtype)
        except InputError:
            if np.shape(value) == (self.nv,) and np.asarray(value).dtype.kind in "iufc":
                diagnosis.check_numbers(self, **{name: np.asarray(value)})
            raise

    def _empty(self, dtype: np.dtype) -> np.ndarray:
        return self._no_wrenches if dtype == self._no_wrenches.dtype else self._no_wrenches.astype(dtype)

    def bias(self, x: State, forces: Forces | None = None) -> np.ndarray:
        """Return b (nv,) of M v̇ + b = tau: velocity terms, gravity, springs, dampers, less external forces."""
        return self.inverse_dynamics(x, np.zeros(self.nv), forces)

    def mass_matrix(self, x: State) -> np.ndarray:
        """Return M (nv, nv), full and symmetric."""
        M = np.empty((self.nv, self.nv), x.q.dtype)
        self.engine.mass_matrix(x.q, np.zeros_like(x.v), M)
        return self._finite(M, x)

    def body_modes(self, body: str) -> np.ndarray:
        """Return T (modes of the component, n) with η_component = T η of a flexible body.

        The identity where the body keeps the modes of its file (no inboard node, unit modal mass); otherwise its modes
        are those of the body held at its node, and γ_file T η is its deformation but for a rigid motion.
        """
        flex = self._flexes[self.body(body)]
        if flex is None:
            raise InputError(f"body '{body}' is rigid and has no modes", where="body_modes")
        return flex.T.copy()

    @property
    def units(self) -> dict[str, str]:
        """Units of mass, length and time of everything in the vehicle; {} where they are not known."""
        return dict(self.model.units)

    def damping_matrix(self, x: State | None = None) -> np.ndarray:
        """Return C (nv, nv) of the viscous forces -C v of joints and modes, and of dampers to ground at the state x.

        x : default the nominal state; only dampers from flexible bodies to ground depend on it
        """
        t = self.tree
        C = np.diag(t.v_damping)
        for i in np.flatnonzero((t.body_mixed >= 0) | (t.body_held >= 0) | (t.body_drag >= 0)):
            n, start, drag = int(t.body_modes[i]), int(t.body_mixed[i]), int(t.body_drag[i])
            held = int(t.body_held[i]) if clamps(self.settings.joint_mode[i], t.joint_nv[i]) else -1
            first = int(t.joint_v[i] + t.joint_nv[i])
            modes = slice(first, first + n)
            if start >= 0:
                C[modes, modes] += t.mixed_C[start : start + n * n].reshape(n, n)
            if held >= 0:
                C[modes, modes] += t.held_C[held : held + n * n].reshape(n, n)
            if drag >= 0:
                x = self.state() if x is None else x
                D = t.drag_C[drag : drag + 6 * (6 + n)].reshape(6, 6 + n)
                J = self.jacobian(x, self.bodies[i], frame="body")
                cross = J.T @ D[:, 6:]
                C += J.T @ D[:, :6] @ J
                C[:, modes] += cross
                C[modes, :] += cross.T
        return C

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
        vdot = self._vector(vdot, x.q.dtype, "vdot")
        wrenches = self._finite(closing.joint_wrenches(self, x, vdot, forces, tau), x, vdot=vdot)
        # the kernels' frame of a body sits in its joint
        wrenches[:, :3] += np.cross([spec.offset for spec in self.model.specs], wrenches[:, 3:])
        if inspection.check_frame(frame) == "world":
            R = impulse.frames_of(self, x).R
            wrenches = np.concatenate(
                [np.einsum("nij,nj->ni", R, wrenches[:, :3]), np.einsum("nij,nj->ni", R, wrenches[:, 3:])],
                axis=1,
            )
        return dict(zip(self._index, wrenches))

    def rates(self, x: State) -> np.ndarray:
        """Return q̇ (nq,): like v, but quaternion rates and world velocities of free positions."""
        qdot = np.empty(self.nq, x.q.dtype)
        self.engine.rates(x.q, x.v, qdot)
        return qdot

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
        return closing.errors(self, x, every)

    def closure_rate(self, x: State) -> np.ndarray:
        """Return the time derivative of C (n_closure,)."""
        return closing.rates(self, x)

    def closure_jacobian(self, x: State) -> np.ndarray:
        """Return J (n_closure, nv) with dC/dt = J v."""
        return closing.jacobian(self, x)

    def closure_names(self) -> list[tuple[str, str]]:
        """Return (closure, what it forbids) for each entry of C."""
        return closing.kept_names(self)

    def closure_forces(
        self,
        x: State,
        forces: Forces | None = None,
        tau: ArrayLike | None = None,
        accelerations: dict[str, ArrayLike] | None = None,
        frame: str = "world",
    ) -> dict[str, np.ndarray]:
        """Return {closure: [t; f]} on its second end, at its place, world axes, under loads as in forward dynamics.

        The first end feels the opposite. Rows that are left out carry no force.
        """
        return closing.forces_of(self, x, forces, tau, accelerations, frame)[0]

    def closure_multipliers(self, x: State, forces: Forces | None = None) -> np.ndarray:
        """Return the multiplier (n_closure,) of each row: a force along it, or a torque about it."""
        return closing.forces_of(self, x, forces)[1][closing.kept(self)]

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
        return closing.drive_forces(self, x, self._vector(vdot, x.q.dtype, "vdot"), forces, tau, frame)

    def assemble(self, x: State, fixed: Sequence[str] = ()) -> State:
        """Return a state near x whose closures hold in position and velocity.

        Coordinates of bodies in `fixed` and of joints that are not free stay as they are.
        """
        return assembly.assemble(self, x, fixed)

    def project(self, x: State) -> State:
        """Return x moved the least, in the metric of mass, to where closures hold; for small drift."""
        return closing.project(self, x)

    def check_closed(self, x: State) -> None:
        """Refuse a state whose closures are open."""
        closing.check_closed(self, x)

    def redundant_closures(self, x: State) -> list[tuple[str, str]]:
        """Return (closure, what it forbids) of rows that depend on others at x, for the modes at hand."""
        return closing.redundant(self, x)

    def drop_redundant(self, x: State) -> list[tuple[str, str]]:
        """Leave rows that depend on others at x out from now on, and return them. They must hold at x."""
        return closing.drop_redundant(self, x)

    def open_closure(self, name: str) -> None:
        """Let a closure hold nothing from now on, in place, without compiling again."""
        closing.set_closure(self, name, False)

    def close_closure(self, name: str) -> None:
        """Let a closure hold again, less what `drop_redundant` left out; a state has to fit (`project` makes it)."""
        closing.set_closure(self, name, True)

    def stabilize(self, method: str = "projection", rate: float = 20.0) -> None:
        """Choose how fixed steps hold closures: "projection" (default), "baumgarte" with a rate (1/s), or "none"."""
        closing.stabilize(self, method, rate)

    # kinematics -------------------------------------------------------------------------------------

    def site(self, body: str, place: Any = None) -> int:
        """Return the number of a node's site for the kernels; -1 - body for frame origins and rigid bodies."""
        return self.sites([(body, place)])[0]

    def sites(self, pairs: list[tuple[str, Any]]) -> list[int]:
        """Return the numbers of many sites (body, place); places alone cost the vehicle nothing."""
        return places.located(self, pairs)[0].tolist()

    def _loads(self, forces: Forces | None, frame: str, x: State) -> tuple[np.ndarray, np.ndarray]:
        return inspection.loads(self, forces, frame, x)

    def jacobian(self, x: State, body: str, node: Any = None, frame: str = "world") -> np.ndarray:
        """Return J (6, nv) with [ω; v] = J v of a place on a body."""
        J = places.jacobian(self, x, body, node)
        if inspection.check_frame(frame) != "world":
            R = inspection.axes_of(self, x, body, node, frame)
            J = np.concatenate([R.T @ J[:3], R.T @ J[3:]])
        return J

    def position(self, x: State, body: str, node: Any = None) -> np.ndarray:
        """Return the position (3,) of a place on a body in the world."""
        return inspection.pose(self, x, body, node)[1]

    def positions(self, x: State, body: str, nodes: ArrayLike | None = None) -> np.ndarray:
        """Return world positions (k, 3) of many nodes of a flexible body (None: all), or points of a rigid one."""
        return places.positions(self, x, body, nodes)

    def jacobians(self, x: State, body: str, nodes: ArrayLike | None = None) -> np.ndarray:
        """Return J (k, 6, nv) with [ω; v] = J v of many nodes or points of a body, world axes."""
        return places.jacobians(self, x, body, nodes)

    def rotation(self, x: State, body: str, node: Any = None) -> np.ndarray:
        """Return R (3, 3) of a body or node, x_world = R x."""
        return inspection.pose(self, x, body, node)[0]

    def velocity(self, x: State, body: str, node: Any = None, frame: str = "world") -> np.ndarray:
        """Return [ω; v] (6,) of a place on a body."""
        return inspection.motion(self, x, body, node, frame, np.zeros_like(x.v))[0]

    def acceleration(
        self, x: State, vdot: ArrayLike, body: str, node: Any = None, frame: str = "world"
    ) -> np.ndarray:
        """Return [ω̇; a] (6,) of a place on a body: a is the second derivative of its world position."""
        vdot = as_array(vdot, (self.nv,), "vdot", allow_complex=True).astype(x.q.dtype)
        return inspection.motion(self, x, body, node, frame, vdot)[1]

    # sums -------------------------------------------------------------------------------------------

    def energies(self, x: State) -> Energies:
        """Return kinetic, strain (modes and springs) and gravity energy."""
        out = np.empty(9, x.q.dtype)
        self.engine.sums(x.q, x.v, np.zeros(3), out)
        return Energies(*self._finite(out[:3], x).tolist())

    def energy(self, x: State) -> float:
        """Return the total energy."""
        return sum(self.energies(x))

    def momentum(self, x: State, about: ArrayLike = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Return [h; p] (6,): angular momentum about a world point, and linear momentum, world axes."""
        out = np.empty(9, x.q.dtype)
        self.engine.sums(x.q, x.v, as_array(about, (3,), "about"), out)
        return self._finite(out[3:], x).copy()

    def mass_properties(self, x: State) -> RigidInertia:
        """Return mass, centre of mass and inertia (about it) of the whole, world frame, as if frozen."""
        return inspection.mass_properties(self, x)

    def center_of_mass(self, x: State, inside: np.ndarray | None = None) -> np.ndarray:
        """Return the centre of mass (3,) in the world; modes move it at every fidelity.

        inside : mask (N,) of the bodies that count; default: all
        """
        return inspection.center_of_mass(self, x, inside)

    def operational_inertia(self, x: State, places: list[Any]) -> np.ndarray:
        """Return J M⁻¹ Jᵀ (6k, 6k) of k places, each (body, node) or body: acceleration for a unit wrench."""
        return inspection.operational_inertia(self, x, places)

    def modes(self, x: State | None = None, forces: Forces | None = None) -> system_modes.SystemModes:
        """Return the undamped modes about a rest state: frequencies_hz (m,), shapes (nv, m).

        Joints that are not free are held: m is nv less their velocities, where shapes are zero. An operating point (a
        trim) brings those of its forces that stand in the world; forces that follow a body have no symmetric stiffness,
        `linearize(system, x).modes(damped=False)` has it.
        """
        return system_modes.system_modes(self, x if x is not None else self.state(), forces)

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
        inspection.set_mass(self, body, mass, com, inertia, check)

    # changes ----------------------------------------------------------------------------------------

    def detach(self, body: str, x: State) -> tuple[System, State]:
        """Return the system in which a body left with all that it carries, as a Free root, and its state.

        No motion changes: poses, velocities, modal coordinates and rates stay as they are.
        """
        return topology.detach(self, body, x)

    def attach(
        self,
        body: str,
        place: Any,
        x: State,
        *,
        joint: Joint | None = None,
        rotation: Any = None,
        port: Any = None,
        snap: bool = False,
    ) -> tuple[System, State]:
        """Return the system in which a free body is docked, and its state after the plastic impact.

        place : (parent, node or point), or the name of a rigid parent: then where the body is; None: the ground
        joint : default Locked;  rotation : R_PC at zero coordinates, default so that coordinates are zero now
        port : node of a flexible body, point of a rigid one, that sits in the joint; default: the inboard node; of a
            rigid body the origin of its frame where `rotation` is given, else the point that is at the place now
        snap : move the body where the joint cannot take its present pose (otherwise that is an error)

        Linear and angular momentum are conserved, modal rates included; `change.energy_loss` tells the loss.
        """
        options = {"joint": joint, "rotation": rotation, "port": port, "snap": snap}
        return topology.attach(self, body, place, x, **options)

    def reattach(self, body: str, place: Any, x: State, **options: Any) -> tuple[System, State]:
        """Detach a body and attach it elsewhere; options as in `attach`."""
        return topology.reattach(self, body, place, x, **options)

    def replace_joint(
        self, body: str, joint: Joint, x: State, *, rotation: Any = None, snap: bool = False
    ) -> tuple[System, State]:
        """Return the system in which a body has another joint at the same place, and its state.

        Coordinates follow from the present pose; velocities that the new joint does not have are lost in a plastic
        impact that conserves momentum.
        """
        return topology.replace_joint(self, body, joint, x, rotation=rotation, snap=snap)

    def replace_component(self, body: str, component: Any, x: State, **options: Any) -> tuple[System, State]:
        """Return the system in which a flexible body has other data, and its state (see `multibody.reroot`).

        options : damping, order, n_modes as in `Multibody.add_body`
        """
        return reroot.replace_component(self, body, component, x, **options)

    def remove(self, body: str, x: State) -> tuple[System, State]:
        """Return the system without a free body and all that it carries, and its state."""
        return topology.remove(self, body, x)


def _restored(
    model: Multibody, settings: Settings, asked: list[tuple[int, int]], change: topology.Change | None
) -> System:
    """Return a system from what a copy brought along."""
    system = System(model).with_settings(settings)
    names = system.bodies
    places.located(system, [(names[i], node) for i, node in asked])
    system.change = change
    return system
