"""Accelerations and forces, mass matrix, energy and momentum; how joints move, and masses that change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Never

import numpy as np
from numpy import empty, ndarray
from numpy.typing import ArrayLike

from interstage.calls import NEEDED, blame, named_arguments, quick
from interstage.errors import InputError
from interstage.multibody import closing, impulse, inspection, prescribed
from interstage.multibody import refinement as refining
from interstage.multibody.api.kinematics import Kinematics
from interstage.multibody.engine import NO_SITES, Scratch, shut
from interstage.multibody.loads import (
    Forces,
    Loads,
    OperatingPoint,
    as_flown,
    as_forces,
    check_frame,
    of_all_kinds,
    wrench_rows,
)
from interstage.multibody.potential import GeometricEnergy
from interstage.multibody.recovered import recovered
from interstage.multibody.state import State, check_belongs
from interstage.multibody.types import Place, Rates
from interstage.spatial.checks import as_array


class Energies(NamedTuple):
    """Parts of the energy of a system."""

    kinetic: float
    strain: float
    gravity: float


@named_arguments
class Dynamics(Kinematics):
    """Algorithms on the equations of motion M v̇ + b = tau."""

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

        forces : {(body, node) or body: wrench [t; f]} at nodes, in the axes of `frame`; `Force` objects; or `Loads`,
            which bring tau and accelerations too
        tau : generalized forces (nv,) on joints and modes, or {body: of its joint}, beside springs, dampers and modal
            stiffness
        accelerations : {body: q̈ of its joint} of prescribed joints, zero where not given
        refine : add one step of iterative refinement, for mass ratios from a thousand on; up to five times the cost
        """
        try:
            if more or wrong:
                blame(Dynamics.forward_dynamics, locals())
            if x.__class__ is not State or x.layout is not self.layout:
                check_belongs(self, x)  # the kernel takes an address: it does not see where a state ends
                self = as_flown(self, x)
            if forces is not None and forces.__class__ is Loads:
                forces, tau, accelerations = of_all_kinds(forces, tau, accelerations)
            y = x.qv
            none = accelerations is None or (accelerations.__class__ is dict and not accelerations)
            if not none or self.any_held:
                tau = prescribed.generalized_input(self, tau, accelerations, y.dtype)
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
            blame(Dynamics.forward_dynamics, locals(), error)
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
            vdot = refining.refine(self, scratch, x, tau, sites, wrenches, vdot)
        return vdot, status

    def warn_of_fidelity(self) -> None:
        """Warn (`FidelityWarning`) of bodies that forward dynamics found with an indefinite mass matrix."""
        inspection.warn_of_fidelity(self)

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
                blame(Dynamics.inverse_dynamics, locals())
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
            blame(Dynamics.inverse_dynamics, locals(), error)
            raise

    @quick
    def bias(
        self, x: State = NEEDED, forces: Forces | None = None, *more: Never, **wrong: Never
    ) -> np.ndarray:
        """Return b (nv,) of M v̇ + b = tau: velocity terms, gravity, springs, dampers, less external forces."""
        try:
            if more or wrong:
                blame(Dynamics.bias, locals())
            return self.inverse_dynamics(x, np.zeros(self.nv), forces)
        except Exception as error:
            blame(Dynamics.bias, locals(), error)
            raise

    @quick
    def mass_matrix(self, x: State = NEEDED, *more: Never, **wrong: Never) -> np.ndarray:
        """Return M (nv, nv), full and symmetric."""
        try:
            if more or wrong:
                blame(Dynamics.mass_matrix, locals())
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
            blame(Dynamics.mass_matrix, locals(), error)
            raise

    def generalized_input(
        self,
        tau: ArrayLike | None = None,
        accelerations: Rates | None = None,
        dtype: type | np.dtype = np.float64,
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
        return inspection.damping_matrix(self, x)

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
        wrenches = self.finite(closing.joint_wrenches(self, x, vdot, forces, tau), x, vdot=vdot)
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

    # sums -------------------------------------------------------------------------------------------

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
        return inspection.operational_inertia(as_flown(self, x), x, places)
