"""Closures of loops: errors, forces, assembly, rows that are left out; and the modes of a vehicle with them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.multibody import assembly, closed_rows, closing, system_modes
from interstage.multibody.api.dynamics import Dynamics
from interstage.multibody.loads import Forces, as_flown
from interstage.multibody.state import State
from interstage.multibody.types import Rates


@named_arguments
class Closures(Dynamics):
    """Conditions C(q) = 0 of the loops of a vehicle, and what holds them."""

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
        return closing.errors(as_flown(self, x), x, every)

    def closure_rate(self, x: State) -> np.ndarray:
        """Return the time derivative of C (n_closure,)."""
        return closing.rates(as_flown(self, x), x)

    def closure_jacobian(self, x: State) -> np.ndarray:
        """Return J (n_closure, nv) with dC/dt = J v."""
        return closing.jacobian(as_flown(self, x), x)

    def closure_names(self) -> list[tuple[str, str]]:
        """Return (closure, what it forbids) for each entry of C."""
        return closing.kept_names(self)

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
        return closing.forces_of(as_flown(self, x), x, (forces, tau, accelerations), frame)[0]

    def closure_multipliers(self, x: State, forces: Forces | None = None) -> np.ndarray:
        """Return the multiplier (n_closure,) of each row: a force along it, or a torque about it."""
        self = as_flown(self, x)
        return closing.forces_of(self, x, (forces, None, None))[1][closed_rows.kept(self)]

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
        return closing.drive_forces(self, x, self.vector(vdot, x.q.dtype, "vdot"), forces, tau, frame)

    def assemble(self, x: State, fixed: Sequence[str] = ()) -> State:
        """Return a state near x whose closures hold in position and velocity.

        Coordinates of bodies in `fixed` and of joints that are not free stay as they are.
        """
        return assembly.assemble(as_flown(self, x), x, fixed)

    def project(self, x: State) -> State:
        """Return x moved the least, in the metric of mass, to where closures hold; for small drift."""
        return closing.project(as_flown(self, x), x)

    def check_closed(self, x: State) -> None:
        """Refuse a state whose closures are open."""
        closing.check_closed(as_flown(self, x), x)

    def redundant_closures(self, x: State) -> list[tuple[str, str]]:
        """Return (closure, what it forbids) of rows that depend on others at x, for the modes at hand."""
        return closing.redundant(as_flown(self, x), x)

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

    def modes(self, x: State | None = None, forces: Forces | None = None) -> system_modes.SystemModes:
        """Return the undamped modes about a rest state: frequencies_hz (m,), shapes (nv, m).

        Joints that are not free are held: m is nv less their velocities, where shapes are zero. An operating point (a
        trim) brings those of its forces that stand in the world; forces that follow a body have no symmetric stiffness,
        `linearize(system, x).modes(damped=False)` has it.
        """
        return system_modes.system_modes(self, x if x is not None else self.state(), forces)
