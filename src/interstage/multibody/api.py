"""`System`: the algorithms on a compiled vehicle, by names.

Everything that goes in or comes out for a body or node is in world axes unless `frame` says "body" (axes of
the body frame) or "node" (axes that turn with the node). Spatial vectors are angular first. A place on a body
is None (its frame origin), a node of a flexible body, or a point (x, y, z) of a rigid one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError, ModelError, known_names
from interstage.multibody import inspection, system_modes
from interstage.multibody.compile import Site, build_tree, flexible_bodies, site_of
from interstage.multibody.engine import NO_SITES, Engine
from interstage.multibody.kernels.entry import enter_forward
from interstage.multibody.model import Multibody
from interstage.multibody.state import State, slices_of
from interstage.spatial import RigidInertia
from interstage.spatial.checks import as_array

Forces = dict[Any, ArrayLike]
FLOAT = np.dtype(np.float64)


class Energies(NamedTuple):
    """Parts of the energy of a system."""

    kinetic: float
    strain: float
    gravity: float


class System:
    """A compiled vehicle. Make one with `Multibody.compile()`.

    nq, nv : numbers of coordinates and velocities;  bodies : names in order
    """

    def __init__(self, model: Multibody):
        if not model.specs:
            raise InputError("a vehicle needs at least one body", where=f"'{model.name}'")
        self.model = model
        self._flexes, self._owner = flexible_bodies(model)
        self._index = {name: i for i, name in enumerate(model.bodies)}
        self._sites: dict[tuple, int] = {}
        self._extra: list[Site] = []
        self.engine = Engine(build_tree(model, self._flexes, self._owner))
        self._address: int | None = None  # of the handle of real numbers, once its stages are compiled
        self._slices = slices_of(self)
        self.nq, self.nv = int(self.tree.sizes[3]), int(self.tree.sizes[4])
        self._no_tau = np.zeros(self.nv)
        self._no_wrenches = np.zeros((0, 6))
        self._check_inertia()

    @property
    def tree(self):
        """The constant arrays."""
        return self.engine.tree

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies in the order of addition."""
        return list(self._index)

    def body(self, name: str) -> int:
        """Return the number of a body."""
        if name not in self._index:
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
        if status != 0:
            self._refuse(status, x)

    def _refuse(self, status: int, x: State) -> None:
        """Say in a sentence what a kernel found."""
        for what, values, names in (("q", x.q, None), ("v", x.v, self.velocity_names())):
            bad = np.flatnonzero(~np.isfinite(values))
            if len(bad):
                named = f" ({names[bad[0]]})" if names else ""
                raise InputError(f"the state is not finite: {what}[{bad[0]}]{named} is {values[bad[0]]}")
        if status > 0:
            spec = self.model.specs[status - 1]
            rigid = spec.component is None
            raise ModelError(
                f"body '{spec.name}' and what it carries have no inertia that its {type(spec.joint).__name__} joint"
                " could move",
                expected="a positive definite mass matrix",
                hint="give the body mass and inertia, or lock the joint"
                if rigid
                else "deformations may be too large for fidelity 1: use order=2, or smaller deformations",
            )
        raise InputError("accelerations are not finite", hint="look at tau, forces and the size of the state")

    # dynamics ---------------------------------------------------------------------------------------

    def forward_dynamics(
        self, x: State, forces: Forces | None = None, tau: ArrayLike | None = None, frame: str = "world"
    ) -> np.ndarray:
        """Return v̇ (nv,) at linear cost.

        forces : {(body, node) or body: wrench [t; f]} at nodes, in the axes of `frame`
        tau : generalized forces (nv,) on joints and modes, beside springs, dampers and modal stiffness
        """
        y = x._y
        real = y.dtype is FLOAT
        if tau is None and real:
            tau = self._no_tau
        elif not (
            real
            and tau.__class__ is np.ndarray
            and tau.dtype is FLOAT
            and tau.flags.carray
            and tau.shape == (self.nv,)
        ):
            tau = self._vector(self._no_tau if tau is None else tau, y.dtype, "tau")
        if real and not forces and self._address is not None:
            vdot = np.empty(self.nv)
            status = enter_forward(self._address, x._address, tau, vdot)
        else:
            vdot = np.empty(self.nv, y.dtype)
            sites, wrenches = self._loads(forces, frame, x) if forces else (NO_SITES, self._empty(y.dtype))
            status = self.engine.forward(x.q, x.v, tau, sites, wrenches, vdot)
            self._address = self.engine.forward_address(FLOAT)
        if status != 0:
            self._refuse(status, x)
        return vdot

    def inverse_dynamics(
        self, x: State, vdot: ArrayLike, forces: Forces | None = None, frame: str = "world"
    ) -> np.ndarray:
        """Return tau (nv,) that gives the accelerations `vdot` (nv,)."""
        q = x.q
        sites, wrenches = self._loads(forces, frame, x) if forces else (NO_SITES, self._empty(q.dtype))
        vdot = self._vector(vdot, q.dtype, "vdot")
        tau = np.empty(self.nv, q.dtype)
        self.engine.inverse(q, x.v, vdot, sites, wrenches, tau)
        return tau

    def _vector(self, value: ArrayLike, dtype: np.dtype, name: str) -> np.ndarray:
        """Return a vector as long as v that kernels can take, the given one where it will do."""
        fits = value.__class__ is np.ndarray and value.dtype == dtype and value.shape == (self.nv,)
        if fits and value.flags.carray:
            return value
        return as_array(value, (self.nv,), name, allow_complex=True).astype(dtype)

    def _empty(self, dtype: np.dtype) -> np.ndarray:
        return self._no_wrenches if dtype == self._no_wrenches.dtype else self._no_wrenches.astype(dtype)

    def bias(self, x: State, forces: Forces | None = None) -> np.ndarray:
        """Return b (nv,) of M v̇ + b = tau: velocity terms, gravity, springs, dampers, less external forces."""
        return self.inverse_dynamics(x, np.zeros(self.nv), forces)

    def mass_matrix(self, x: State) -> np.ndarray:
        """Return M (nv, nv), full and symmetric."""
        M = np.empty((self.nv, self.nv), x.q.dtype)
        self.engine.mass_matrix(x.q, np.zeros_like(x.v), M)
        return M

    def reactions(
        self, x: State, vdot: ArrayLike, forces: Forces | None = None, frame: str = "world"
    ) -> dict[str, np.ndarray]:
        """Return {body: [t; f]}: what the parent exerts on each body through its joint, at the body origin."""
        self.inverse_dynamics(x, vdot, forces)
        wrenches = self.engine.work(x.q.dtype).z[: len(self._index)].copy()
        if inspection.check_frame(frame) == "world":
            work = self.engine.observe(x.q, x.v, np.zeros_like(x.v), NO_SITES)
            R = work.Rw[:-1].reshape(-1, 3, 3)
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

    # kinematics -------------------------------------------------------------------------------------

    def site(self, body: str, place: Any = None) -> int:
        """Return the number of a site for the kernels, adding it if it is new; -1 - body for a frame origin."""
        i = self.body(body)
        flex = self._flexes[i]
        if place is None or (
            flex is not None
            and flex.n_modes == 0
            and np.isscalar(place)
            and place == self.model.specs[i].node
        ):
            return -1 - i
        if flex is None:
            place = tuple(as_array(place, (3,), f"point of rigid body '{body}'").tolist())
        elif not isinstance(place, int | np.integer):
            raise InputError(f"the flexible body '{body}' has nodes, not points", got=repr(place))
        key = (i, place)
        if key not in self._sites:
            new = site_of(self.model, self._flexes, i, place)
            self._extra.append(new)
            self._sites[key] = int(self.tree.sizes[2])
            self.engine = Engine(build_tree(self.model, self._flexes, self._owner, self._extra))
            self._address = None
        return self._sites[key]

    def _loads(self, forces: Forces | None, frame: str, x: State) -> tuple[np.ndarray, np.ndarray]:
        return inspection.loads(self, forces, frame, x)

    def jacobian(self, x: State, body: str, node: Any = None, frame: str = "world") -> np.ndarray:
        """Return J (6, nv) with [ω; v] = J v of a place on a body."""
        s, i = self.site(body, node), self.body(body)
        J = np.empty((6, self.nv), x.q.dtype)
        self.engine.jacobian(x.q, np.zeros_like(x.v), i, NO_SITES if s < 0 else np.array([s]), J)
        if inspection.check_frame(frame) != "world":
            R = inspection.axes_of(self, x, body, node, frame)
            J = np.concatenate([R.T @ J[:3], R.T @ J[3:]])
        return J

    def position(self, x: State, body: str, node: Any = None) -> np.ndarray:
        """Return the position (3,) of a place on a body in the world."""
        return inspection.pose(self, x, body, node)[1]

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
        return Energies(*out[:3].tolist())

    def energy(self, x: State) -> float:
        """Return the total energy."""
        return sum(self.energies(x))

    def momentum(self, x: State, about: ArrayLike = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Return [h; p] (6,): angular momentum about a world point, and linear momentum, world axes."""
        out = np.empty(9, x.q.dtype)
        self.engine.sums(x.q, x.v, as_array(about, (3,), "about"), out)
        return out[3:].copy()

    def mass_properties(self, x: State) -> RigidInertia:
        """Return mass, centre of mass and inertia (about it) of the whole, world frame, as if frozen."""
        return inspection.mass_properties(self, x)

    def center_of_mass(self, x: State) -> np.ndarray:
        """Return the centre of mass (3,) in the world; modes move it at every fidelity."""
        return inspection.center_of_mass(self, x)

    def operational_inertia(self, x: State, places: list[Any]) -> np.ndarray:
        """Return J M⁻¹ Jᵀ (6k, 6k) of k places, each (body, node) or body: acceleration for a unit wrench."""
        return inspection.operational_inertia(self, x, places)

    def modes(self, x: State | None = None, forces: Forces | None = None) -> system_modes.SystemModes:
        """Return the undamped modes about a rest state: frequencies_hz (nv,), shapes (nv, nv)."""
        return system_modes.system_modes(self, x if x is not None else self.state(), forces)

    def set_mass(
        self, body: str, mass: float, com: ArrayLike = (0, 0, 0), inertia: ArrayLike | None = None
    ) -> None:
        """Change the mass properties of a rigid body in place, without compiling again."""
        inspection.set_mass(self, body, mass, com, inertia)
