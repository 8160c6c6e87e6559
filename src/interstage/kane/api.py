"""`Kane`: the equations of a described vehicle by names, on numpy or jax arrays."""

from __future__ import annotations

from types import ModuleType
from typing import TypedDict, Unpack

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError, known_names
from interstage.kane import equations
from interstage.kane.equations import BodyFrames, NodeLoad, frames
from interstage.kane.joints import Array, concat
from interstage.kane.layout import HasModel, ModelConstants, Parameters, build, shapes_of
from interstage.multibody.loads import Forces, as_forces, of_all_kinds, place_words
from interstage.multibody.model import Multibody
from interstage.multibody.node_checks import check_loaded
from interstage.multibody.types import Node


class LoadArguments(TypedDict, total=False):
    """What acts on a vehicle, as in `Kane.accelerations`."""

    tau: Array | None
    forces: Forces | None
    accelerations: dict[str, Array] | None
    frame: str


@named_arguments
class Kane:
    """Kane's equations M v̇ = f of a tree of rigid and flexible bodies.

    Coordinates and velocities are those of `System`, in the same order. Every method is a pure function of the arrays
    that it is given: with `xp=jax.numpy` (extra `batch`; switch on `jax_enable_x64`) jit, vmap and grad apply as they
    stand, over states and over `parameters`.

    Parameters
    ----------
    model : the description of the vehicle
    xp : array module, numpy or jax.numpy
    like : a compiled system whose modal coordinates are to be used. Without it the modes of each body held at its
        node are found here: the same as the system's, but for sign and mixing where frequencies coincide.
        Masses and modes of joints are those of the description, not what `set_mass` or `set_joint_mode` made of them.

    >>> from interstage.multibody import Revolute
    >>> mb = Multibody("pendulum", gravity=[0, 0, -9.81])
    >>> arm = mb.add_body("arm", mass=2.0, com=[0, 0, -0.5], joint=Revolute("x"))
    >>> Kane(mb).accelerations([np.pi / 2], [0.0])
    array([-19.62])
    """

    def __init__(self, model: Multibody, *, xp: ModuleType = np, like: HasModel | None = None):
        if not isinstance(model, Multibody):
            raise InputError(
                "Kane's equations start from a description", expected="a Multibody", got=type(model).__name__
            )
        if like is not None and not isinstance(getattr(like, "model", None), Multibody):
            raise InputError(
                "`like` is not a compiled system", expected="mb.compile()", got=type(like).__name__
            )
        if like is not None and [s.name for s in like.model.specs] != model.bodies:
            raise InputError("`like` is a system of another vehicle", hint=known_names(model.bodies))
        if xp.asarray(1.0).dtype != np.float64:
            raise InputError(
                "the array module computes in single precision",
                where="xp",
                expected="double precision",
                hint='for jax: jax.config.update("jax_enable_x64", True)',
            )
        self.model, self.xp = model, xp
        self.shapes = shapes_of(model, like)
        self.layout: ModelConstants
        self.parameters: Parameters
        self.layout, numbers = build(model, self.shapes)
        self.parameters = Parameters(
            xp.asarray(numbers.gravity),
            tuple(type(body)(*(xp.asarray(value) for value in body)) for body in numbers.bodies),
        )
        self._index = {name: i for i, name in enumerate(model.bodies)}

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.layout.nq

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self.layout.nv

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies in order."""
        return list(self._index)

    def nominal(self) -> tuple[Array, Array]:
        """Return q, v with joints at zero, no deformation, at rest."""
        parts = []
        for spec, place in zip(self.model.specs, self.layout.places):
            parts += [spec.joint.nominal(), np.zeros(place.n_modes)]
        return self.xp.asarray(np.concatenate(parts)), self.xp.zeros(self.nv)

    def body_frequencies_hz(self, name: str) -> np.ndarray:
        """Return the frequencies (n,) of a flexible body held at its inboard node."""
        own = self.shapes[self._body(name)]
        return np.zeros(0) if own is None else np.sqrt(np.abs(own.stiffness)) / (2.0 * np.pi)

    # equations ----------------------------------------------------------------------------------------

    def accelerations(
        self,
        q: Array,
        v: Array,
        tau: Array | None = None,
        forces: Forces | None = None,
        accelerations: dict[str, Array] | None = None,
        *,
        frame: str = "world",
        parameters: Parameters | None = None,
    ) -> Array:
        """Return v̇ (nv,).

        tau : generalized forces (nv,) on joints and modes, beside springs, dampers and modal stiffness
        forces : {(body, node) or body: wrench [t; f]}, in the axes of `frame` ("world", "body", "node"); `Wrench`
            objects; or `Loads`, which bring tau and accelerations too
        accelerations : {body: v̇ of its joint} of prescribed joints, zero where not given
        parameters : other numbers than those of the description, a tree like `self.parameters`
        """
        forces, tau, accelerations = of_all_kinds(forces, tau, accelerations)
        M, f = self.equations(q, v, tau, forces, frame=frame, parameters=parameters)
        return equations.solve(self.layout, M, f, self._given(accelerations), self.xp)

    def equations(
        self,
        q: Array,
        v: Array,
        tau: Array | None = None,
        forces: Forces | None = None,
        *,
        frame: str = "world",
        parameters: Parameters | None = None,
    ) -> tuple[Array, Array]:
        """Return M (nv, nv) and f (nv,) of M v̇ = f.

        With geometric stiffness M is that of `mass_matrix` and what it adds through the forces across joints.
        """
        q, v, p = self._state(q, v, parameters)
        forces, tau, _ = of_all_kinds(forces, tau, None)
        loads = self._loads(forces, frame, p, q, v)
        tau = None if tau is None else self._vector(tau, self.nv, "tau")
        return equations.kane_equations(self.layout, p, q, v, tau, loads, self.xp)

    def mass_matrix(self, q: Array, *, parameters: Parameters | None = None) -> Array:
        """Return M (nv, nv)."""
        q, v, p = self._state(q, self.xp.zeros(self.nv), parameters)
        return equations.mass_matrix(equations.parts_of(self._at(p, q, v)))

    def bias(
        self, q: Array, v: Array, forces: Forces | None = None, *, parameters: Parameters | None = None
    ) -> Array:
        """Return b (nv,) of M v̇ + b = tau: velocity terms, gravity, springs, dampers, less external forces."""
        return -self.equations(q, v, None, forces, parameters=parameters)[1]

    def reactions(
        self,
        q: Array,
        v: Array,
        vdot: Array,
        forces: Forces | None = None,
        *,
        frame: str = "world",
        parameters: Parameters | None = None,
    ) -> dict[str, Array]:
        """Return {body: [t; f]}: what a parent exerts on each body through its joint, about its origin, world axes."""
        q, v, p = self._state(q, v, parameters)
        vdot = self._vector(vdot, self.nv, "vdot")
        loads = self._loads(forces, frame, p, q, v)
        found = dict(zip(self._index, equations.reactions(self._at(p, q, v, loads), vdot)))
        for spec in self.model.specs:
            if spec.port is not None:
                # the equations are about the point that sits in the joint
                arm = self.motion(q, v, spec.name, parameters=p).R @ spec.offset
                t, f = found[spec.name][:3], found[spec.name][3:]
                found[spec.name] = concat(self.xp, [t + self.xp.cross(arm, f), f])
        return found

    def rates(self, q: Array, v: Array) -> Array:
        """Return q̇ (nq,): like v, but quaternion rates and velocities of free positions."""
        q, v, _ = self._state(q, v, None)
        return equations.rates(self.layout, q, v, self.xp)

    # kinematics ---------------------------------------------------------------------------------------

    def partial_velocities(
        self, q: Array, body: str, node: Node = None, *, parameters: Parameters | None = None
    ) -> tuple[Array, Array]:
        """Return Ω and V (3, nv): ω = Ω v and ẋ = V v of a place on a body, world axes."""
        m = self.motion(q, self.xp.zeros(self.nv), body, node, parameters=parameters)
        return m.Omega, m.V

    def remainder_accelerations(
        self, q: Array, v: Array, body: str, node: Node = None, *, parameters: Parameters | None = None
    ) -> tuple[Array, Array]:
        """Return α and a (3,): what ω̇ and ẍ of a place are at zero v̇, world axes."""
        m = self.motion(q, v, body, node, parameters=parameters)
        return m.alpha, m.a

    def motion(
        self, q: Array, v: Array, body: str, node: Node = None, *, parameters: Parameters | None = None
    ) -> BodyFrames:
        """Return pose, velocity, partial velocities and remainder accelerations of a place, world axes."""
        q, v, p = self._state(q, v, parameters)
        i = self._body(body)
        here = NodeLoad(i, *self._site(i, node), self.xp.zeros(6))
        all_frames = frames(self.layout, p, q, v, (here,), self.xp)
        return BodyFrames(*(part[-1] for part in all_frames))

    # sums ---------------------------------------------------------------------------------------------

    def energy(
        self, q: Array, v: Array, *, parameters: Parameters | None = None, **acting: Unpack[LoadArguments]
    ) -> Array:
        """Return the total energy: kinetic, strain, gravity, and that of loads on bodies with geometric stiffness.

        acting : tau, forces, accelerations and frame as in `accelerations`; they matter to the energy of loads alone
        """
        q, v, p = self._state(q, v, parameters)
        total = sum(equations.energies(self._at(p, q, v)))
        if equations.stiffens(self.layout, p):
            vdot = self.accelerations(q, v, parameters=p, **acting)
            forces = of_all_kinds(acting.get("forces"), acting.get("tau"), None)[0]
            loads = self._loads(forces, acting.get("frame", "world"), p, q, v)
            total = total + equations.load_energy(self._at(p, q, v, loads), vdot)
        return total

    def momentum(self, q: Array, v: Array, *, parameters: Parameters | None = None) -> Array:
        """Return [h; p] (6,): angular momentum about the world's origin and linear momentum, world axes."""
        return sum(self.body_momenta(q, v, parameters=parameters).values())

    def body_momenta(self, q: Array, v: Array, *, parameters: Parameters | None = None) -> dict[str, Array]:
        """Return {body: [h; p]}, h about the world's origin, world axes."""
        q, v, p = self._state(q, v, parameters)
        return dict(zip(self._index, equations.momenta(self._at(p, q, v))))

    # names --------------------------------------------------------------------------------------------

    def _body(self, name: str) -> int:
        if name not in self._index:
            raise InputError(f"there is no body '{name}'", hint=known_names(self._index))
        return self._index[name]

    def _vector(self, value: Array, n: int, name: str) -> Array:
        value = self.xp.asarray(value)
        if value.shape != (n,):
            raise InputError(f"{name} has a wrong shape", expected=f"({n},)", got=f"{value.shape}")
        return value

    def _state(self, q: Array, v: Array, parameters: Parameters | None) -> tuple[Array, Array, Parameters]:
        p = self.parameters if parameters is None else parameters
        return self._vector(q, self.nq, "q"), self._vector(v, self.nv, "v"), p

    def _at(self, p: Parameters, q: Array, v: Array, loads: tuple[NodeLoad, ...] = ()) -> equations.At:
        return equations.At(self.layout, p, q, v, loads, self.xp)

    def _site(self, i: int, node: Node) -> tuple[Array, Array, Array]:
        """Return l, lam, gam of a node of a flexible body, a point of a rigid one, or the frame's origin (None)."""
        own, n, xp = self.shapes[i], self.layout.places[i].n_modes, self.xp
        if own is None:
            point = self._vector((0.0, 0.0, 0.0) if node is None else node, 3, "point")
            return point - self.model.specs[i].offset, xp.zeros((3, 0)), xp.zeros((3, 0))
        if node is None:
            return xp.zeros(3), xp.zeros((3, n)), xp.zeros((3, n))
        if not isinstance(node, int | np.integer):
            raise InputError(f"the flexible body '{self.bodies[i]}' has nodes, not points", got=repr(node))
        row = self.model.specs[i].component.node_row(node)
        return xp.asarray(own.l[row]), xp.asarray(own.lam[row]), xp.asarray(own.gamma[row])

    def _loads(self, forces: Forces | None, frame: str, p: Parameters, q: Array, v: Array) -> tuple:
        """Return forces turned to world axes."""
        out = []
        for force in as_forces(forces, frame):
            if force.in_time:
                raise InputError(
                    f"the force on {place_words(*force.place)} is a function of time", hint="use force.at(t)"
                )
            i, wrench = (
                self._body(force.body),
                self._vector(force.wrench, 6, f"force on {place_words(*force.place)}"),
            )
            if force.frame != "world":
                R = self.motion(
                    q, v, force.body, force.node if force.frame == "node" else None, parameters=p
                ).R
                wrench = concat(self.xp, [R @ wrench[:3], R @ wrench[3:]])
            out.append(NodeLoad(i, *self._site(i, force.node), wrench, self._stiffness(i, force.node)))
        return tuple(out)

    def _stiffness(self, i: int, node: Node) -> Array | None:
        """Return the geometric stiffness (6, n, n) of wrenches at a node, or at the frame (None)."""
        spec, own = self.model.specs[i], self.shapes[i]
        at = spec.node if node is None else node
        if own is None or not spec.stiffens or at is None:
            return None
        check_loaded(spec, int(at))
        return self.xp.asarray(own.loads(int(at)))

    def _given(self, accelerations: dict[str, Array] | None) -> Array:
        """Return given accelerations (nv,) of prescribed joints, zero elsewhere."""
        xp = self.xp
        values = dict(accelerations or {})
        parts = []
        for place in self.layout.places:
            n = place.v[1] - place.v[0]
            value = values.pop(place.name, None)
            if value is not None and (n == 0 or place.v[0] not in self.layout.held):
                raise InputError(f"the joint of body '{place.name}' is not prescribed", where="accelerations")
            parts.append(xp.zeros(n) if value is None else xp.zeros(n) + xp.asarray(value))
            parts.append(xp.zeros(place.n_modes))
        for name in values:
            self._body(name)
        return concat(xp, parts)
