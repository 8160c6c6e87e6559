"""Forces and stresses inside flexible bodies, from recovery rows of their components (`component.recovery`).

    y = C T η - (S K⁻¹MΦ T - C T Ω'⁻² TᵀT) η̈ + (S K⁻¹p̂ - C T Ω'⁻² TᵀQ) c,      η_component = T η

c are products of the spin and forces and moments at nodes, body axes: those across the inboard joint, of children at
their ports, of external wrenches and loop closures. All but the first term is what the modes lack of the static answer
to loads and to inertia; left out are loads of second order, as those of ω×η̇.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError, ModelError
from interstage.multibody import closing
from interstage.multibody.loads import Forces

if TYPE_CHECKING:
    from interstage.component.record import RecoveryRows
    from interstage.multibody.api.dynamics import Dynamics
    from interstage.multibody.arrays import Work
    from interstage.multibody.state import State

FIRST = {0: 4, 1: 1}  # first component, R1 or T1, of the torque and the force of a wrench


def recovery_of(system: Dynamics, body: str) -> RecoveryRows:
    """Return the recovery rows of a body's component; say so where it has none."""
    component = system.model.specs[system.body(body)].component
    if component is None or component.recovery is None:
        raise InputError(
            f"body '{body}' has nothing to recover",
            hint="make its component with recover={name: (type, element, column)}",
        )
    return component.recovery


class BodyRecovery:
    """Recovery rows of one body of a system, for its modes and loads.

    names, quantities : of the results
    C, A (r, n) of the modes η of the body and their accelerations, P (r, k) of the sizes c of loads
    """

    def __init__(self, system: Dynamics, body: str):
        rows, flex = recovery_of(system, body), system.flexible(body)
        assert flex is not None and flex.T is not None
        self._system, self._body, self._number = system, body, system.body(body)
        self.names, self.quantities, self._nodes = rows.names, rows.quantities, rows.nodes
        self.C = rows.C @ flex.T
        soft = self.C / flex.stiffness
        self.A = soft @ (flex.T.T @ flex.T) - rows.inertia @ flex.T
        self.P = rows.static - soft @ (flex.T.T @ rows.modal)
        self._column = {(int(node), int(k)): j for j, (node, k) in enumerate(rows.load)}
        specs, tree = system.model.specs, system.tree
        self._node = specs[self._number].node
        self._ports = {int(s.at): int(tree.body_port[j]) for j, s in enumerate(specs) if s.parent == body}
        if not flex.n_modes and self._ports:
            raise ModelError(f"body '{body}' has no modes: forces at its ports are not known one by one")

    def __call__(
        self, work: Work, x: State, vdot: np.ndarray, sites: np.ndarray, wrenches: np.ndarray
    ) -> np.ndarray:
        """Return the results (r,) after inverse dynamics under wrenches (k, 10) at sites (k,)."""
        where = self._system.layout[self._body]
        modal = self.C @ x.q[where.eta] + self.A @ vdot[where.etadot]
        return modal + self.P @ self._loads(work, sites, wrenches)

    def at(
        self, x: State, vdot: np.ndarray, forces: Forces | None = None, tau: ArrayLike | None = None
    ) -> np.ndarray:
        """Return the results (r,) at a state with its accelerations and what acts."""
        with closing.joint_forces(self._system, x, vdot, forces, tau) as (work, sites, wrenches):
            return self(work, x, vdot, sites, wrenches)

    def _loads(self, work: Work, sites: np.ndarray, wrenches: np.ndarray) -> np.ndarray:
        """Return the sizes c (k,) of the unit loads."""
        i, c = self._number, np.zeros(self.P.shape[1], work.V.dtype)
        x, y, z = work.V[i, :3]
        for k, product in enumerate((x * x, y * y, z * z, x * y, x * z, y * z)):
            if (0, k + 1) in self._column:
                c[self._column[0, k + 1]] = product
        self._add(c, self._node, work.z[i])
        for node, s in self._ports.items():
            self._add(c, node, -work.site_z[s])
        nodes: dict[int, int | None] = {-1 - i: self._node}
        nodes.update((s, node) for node, s in self._ports.items())
        for (body, place), s in self._system.site_rows.items():
            if body == i and isinstance(place, int):
                nodes[s] = place
        for s, row in zip(sites.tolist(), wrenches):
            if s in nodes:
                axes = np.eye(3)
                if row[6] == 0.0:
                    axes = work.Rw[i].reshape(3, 3).T
                elif row[6] == 2.0 and s >= 0:
                    axes = work.site_R[s].reshape(3, 3)
                self._add(c, nodes[s], np.concatenate([axes @ row[:3], axes @ row[3:6]]))
        return c

    def _add(self, c: np.ndarray, node: int | None, wrench: np.ndarray) -> None:
        """Add a wrench [t; f] at a node, body axes, to the sizes of loads."""
        if node is None or node not in self._nodes:
            if wrench.any():
                raise ModelError(
                    f"the recovery of body '{self._body}' does not know loads at "
                    + ("its frame, which is at no node" if node is None else f"node {node}"),
                    expected=f"one of {self._nodes.tolist()}",
                    hint="make the component with load_grids=[...], or recover with residual=False",
                )
            return
        for k, value in enumerate(wrench):
            name = node, FIRST[k // 3] + k % 3
            if name in self._column:
                c[self._column[name]] += value


def recovered(
    system: Dynamics,
    x: State,
    vdot: np.ndarray,
    body: str,
    forces: Forces | None,
    tau: ArrayLike | None,
    residual: bool,
) -> dict[str, float]:
    """Return the results of a body by name at a state with its accelerations and what acts."""
    rows = BodyRecovery(system, body)
    found = rows.at(x, vdot, forces, tau) if residual else rows.C @ x[body].eta
    return dict(zip(rows.names, system.finite(found, x, vdot=vdot).tolist()))
