"""Forces and stresses inside flexible bodies, from recovery rows of their components (`component.unit_loads`).

    y = C T η - (S K⁻¹MΦ T - C T Ω'⁻² TᵀM̂T) η̈ + (S K⁻¹p̂ - C T Ω'⁻² TᵀQ) c,      η_component = T η

M̂ = G - FEᵀM_rr⁻¹FE is the modal mass beside rigid motions: one for the modes of a free body.

c are products of the spin and forces and moments at nodes, body axes: those across the inboard joint, of children at
their ports, of external wrenches and loop closures. All but the first term is what the modes lack of the static answer
to loads and to inertia; left out are loads of second order, as those of ω×η̇.

Potential of the loads that bodies carry in the shortening that bending makes: ½ηᵀ(Σ c K)η of geometric stiffness.

The loads c are products of the spin, forces across joints, and external wrenches (`kernels.geometric_stiffness`). The
modal forces of geometric stiffness are what inverse dynamics asks for more than without it, at the same
accelerations:

    U = ½ Σ η·(τ - τ'),         d(T + V + U)/dt = ½ Σ ċ ηᵀKη + power of what acts

T + V being kinetic, strain and gravity energy. U is a potential where the loads do not change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError, ModelError
from interstage.multibody import closure_queries
from interstage.multibody.arrays import Tree
from interstage.multibody.kernel_interface import KernelInterface
from interstage.multibody.loads import Forces

if TYPE_CHECKING:
    from interstage.component.component import RecoveryRows
    from interstage.multibody.arrays import Work
    from interstage.multibody.state import State
    from interstage.multibody.system import System


FIRST = {0: 4, 1: 1}  # first component, R1 or T1, of the torque and the force of a wrench


def recovery_of(system: System, body: str) -> RecoveryRows:
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
    spin (r, 6) of the products ωx², ωy², ωz², ωxωy, ωxωz, ωyωz
    """

    def __init__(self, system: System, body: str):
        rows, flex = recovery_of(system, body), system.flexible(body)
        component = system.model.specs[system.body(body)].component
        assert flex is not None and flex.T is not None and component is not None
        self._system, self._body, self._number = system, body, system.body(body)
        self.names, self.quantities, self._nodes = rows.names, rows.quantities, rows.nodes
        self._T = flex.T
        self.C = rows.C @ flex.T
        soft = self.C / flex.stiffness
        own = component.integrals.zero_order()
        self.A = soft @ (flex.T.T @ own.effective_mass @ flex.T) - rows.inertia @ flex.T
        self.P = rows.static - soft @ (flex.T.T @ rows.modal)
        self._heavy = [np.abs(own.rigid_mass), np.abs(np.vstack([own.F0, own.E]))]
        self._known: dict[int, np.ndarray] = {}
        self._column = {(int(node), int(k)): j for j, (node, k) in enumerate(rows.load)}
        self.spin = self._columns([(0, k) for k in range(1, 7)])
        specs, tree = system.model.specs, system.tree
        self.node = specs[self._number].node
        self.ports = {int(tree.body_port[j]): int(s.at) for j, s in enumerate(specs) if s.parent == body}
        if not flex.n_modes and self.ports:
            raise ModelError(f"body '{body}' has no modes: forces at its ports are not known one by one")

    def __call__(
        self, work: Work, x: State, vdot: np.ndarray, sites: np.ndarray, wrenches: np.ndarray
    ) -> np.ndarray:
        """Return the results (r,) after inverse dynamics under wrenches (k, 10) at sites (k,)."""
        i, where = self._number, self._system.layout[self._body]
        a, b, c = work.V[i, :3]
        found = self.C @ x.q[where.eta] + self.A @ vdot[where.etadot]
        found = found + self.spin @ np.array([a * a, b * b, c * c, a * b, a * c, b * c])
        if self.node is not None or not self._is_rounding(
            work, wrenches, x.v[where.etadot], vdot[where.etadot]
        ):
            found += self._of(self.node, work.z[i])
        for s, node in self.ports.items():
            found -= self._of(node, work.site_z[s])
        nodes = self.nodes()
        for s, row in zip(sites.tolist(), wrenches):
            if s in nodes:
                axes = np.eye(3)
                if row[6] == 0.0:
                    axes = work.Rw[i].reshape(3, 3).T
                elif row[6] == 2.0 and s >= 0:
                    axes = work.site_R[s].reshape(3, 3)
                found += self._of(nodes[s], np.concatenate([axes @ row[:3], axes @ row[3:6]]))
        return found

    def at(
        self, x: State, vdot: np.ndarray, forces: Forces | None = None, tau: ArrayLike | None = None
    ) -> np.ndarray:
        """Return the results (r,) at a state with its accelerations and what acts."""
        with closure_queries.joint_forces(self._system, x, vdot, forces, tau) as (work, sites, wrenches):
            return self(work, x, vdot, sites, wrenches)

    def nodes(self) -> dict[int, int | None]:
        """Return the node of every site of the body that loads may have; that of its frame is -1 - body."""
        found: dict[int, int | None] = {-1 - self._number: self.node, **self.ports}
        for (body, place), s in self._system.site_rows.items():
            if body == self._number and isinstance(place, int):
                found[s] = place
        return found

    def wrench(self, node: int | None) -> np.ndarray:
        """Return the results (r, 6) of wrenches [t; f] at a node, body axes; refuse a node that is not known."""
        if node is None or node not in self._nodes:
            raise ModelError(
                f"the recovery of body '{self._body}' does not know loads at "
                + ("its frame, which is at no node" if node is None else f"node {node}"),
                expected=f"one of {self._nodes.tolist()}",
                hint="make the component with load_grids=[...], or recover with residual=False",
            )
        if node not in self._known:
            self._known[node] = self._columns([(node, FIRST[k // 3] + k % 3) for k in range(6)])
        return self._known[node]

    def _columns(self, loads: list[tuple[int, int]]) -> np.ndarray:
        """Return columns (r, 6) of P, zero for loads that do nothing."""
        none = np.zeros(len(self.P))
        return np.column_stack(
            [self.P[:, self._column[one]] if one in self._column else none for one in loads]
        )

    def _is_rounding(self, work: Work, wrenches: np.ndarray, etadot: np.ndarray, etaddot: np.ndarray) -> bool:
        """Whether the force of the inboard joint is nothing beside ports, wrenches, inertia: a free body at no node."""
        i = self._number
        spin, size = np.abs(work.V[i, :3]).max(), np.abs(work.site_z[list(self.ports)]).max(initial=0.0)
        frame, modes = self._heavy
        inertia = frame @ (np.abs(work.A[i]) + spin * np.abs(work.V[i]))
        inertia += modes @ np.abs(self._T @ etaddot) + 2.0 * spin * modes @ np.abs(self._T @ etadot)
        size = max(size, np.abs(wrenches[:, :6]).max(initial=0.0), inertia.max())
        return bool(np.abs(work.z[i]).max() <= 1e-9 * size)

    def _of(self, node: int | None, wrench: np.ndarray) -> np.ndarray | float:
        return self.wrench(node) @ wrench if wrench.any() else 0.0


def recovered(
    system: System,
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


class GeometricEnergy:
    """Geometric energy U at states of one system, with the settings that it has at the time."""

    def __init__(self, system: System):
        self._system = system
        self._of: Tree | None = None  # the tree that `_bare` is without stiffness
        self._bodies = [where for where in system.layout.values() if where.eta.stop > where.eta.start]

    def at(
        self, x: State, vdot: np.ndarray, forces: Forces | None = None, tau: ArrayLike | None = None
    ) -> float:
        """Return U at a state with its accelerations (nv,) and what acts."""
        needed, without = np.empty_like(vdot), np.empty_like(vdot)
        with closure_queries.joint_forces(self._system, x, vdot, forces, tau) as (_, sites, wrenches):
            self._system.engine.inverse(x.q, x.v, vdot, sites, wrenches, needed)
            self._bare_engine().inverse(x.q, x.v, vdot, sites, wrenches, without)
        more = needed - without
        return 0.5 * sum(x.q[body.eta] @ more[body.etadot] for body in self._bodies)

    def _bare_engine(self) -> KernelInterface:
        """Return the engine of the same vehicle without geometric stiffness; places may have been added."""
        tree = self._system.tree
        if self._of is not tree:
            none = np.full_like(tree.body_spin, -1)
            bare = tree._replace(
                body_spin=none,
                body_root=none,
                body_stiff=np.zeros_like(none),
                site_load=np.full_like(tree.site_load, -1),
            )
            self._of, self._bare = tree, KernelInterface(bare, self._system.settings)
        return self._bare
