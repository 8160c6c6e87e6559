"""The component record: everything a multibody tool needs about one flexible body, as arrays.

All vectors are in the component's axes and taken about its reference point (the origin of `l`).
With `n` flexible modes and `N` nodes, a node at `l` moves by `gamma @ eta` and turns by `lam @ eta`.
The inertia of the deformed body follows from the integrals (NESC report, App. E.3):

    J(eta)       = J0 + sum_r (J1_r + J1_r^T) eta_r + sum_rs J2_rs eta_r eta_s
    mp(eta)      = mass com + E eta
    F(eta)[:, s] = F0[:, s] + sum_r F1[r, :, s] eta_r
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.component.constructors import Constructors
from interstage.component.damping import damping_matrix
from interstage.component.integrals import ModalIntegrals, moment_of_inertia
from interstage.component.schema import FieldSchema, check_shapes, part, stored, taken
from interstage.component.units import SI_UNITS, labelled_units
from interstage.errors import InputError, ModelError, known_names, shown
from interstage.reading import is_whole

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from interstage.component.checks import ComponentCheck
    from interstage.component.interface import InterfaceMass
    from interstage.nastran import Deck
    from interstage.spatial import RigidInertia


# in the provenance: child bodies for whose loads a component has no static shapes
NO_SHAPES = "child_bodies_without_static_shapes"
# and grids that nothing attaches
UNATTACHED = "unattached_grids"


def _whole(numbers: object) -> np.ndarray:
    """Return whole numbers, or switches, as an array of one axis; raise ValueError for anything else."""
    found = np.asarray(numbers if isinstance(numbers, np.ndarray) else list(numbers))  # type: ignore[call-overload]
    if found.ndim != 1 or (found.dtype.kind not in "biu" and np.any(found != found.astype(np.int64))):
        raise ValueError
    return found if found.dtype.kind == "b" and len(found) else found.astype(np.int64)


def _integral(name: str, shape: str, unit: str) -> dict[str, FieldSchema]:
    return stored(f"ModalIntegral/{name}", shape, unit)


@dataclass
class CraigBampton:
    """Reduced matrices in Craig-Bampton coordinates, order `[u_b; q]`, and where each row belongs.

    frequencies_hz : (nq,) fixed-interface frequencies (residual vectors follow the modes)
    mass, stiffness, viscous, structural : (nb + nq, nb + nq)
    uset : (nb + nq, 2) grid id and component 1-6; a modal coordinate has id 0 and its number
    """

    frequencies_hz: np.ndarray = field(metadata=stored("FREQ", "any", "1/T"))
    mass: np.ndarray = field(metadata=stored("MassMatrix", "x x", "m L^2"))
    stiffness: np.ndarray = field(metadata=stored("StiffnessMatrix", "x x", "m L^2/T^2"))
    uset: np.ndarray = field(metadata=stored("USET", "x 2", kind="integer", counts="x"))
    viscous: np.ndarray | None = field(default=None, metadata=stored("ViscousDamping", "x x", "m L^2/T"))
    structural: np.ndarray | None = field(
        default=None, metadata=stored("StructuralDamping", "x x", "m L^2/T^2")
    )

    @property
    def n_boundary(self) -> int:
        """Number of physical interface coordinates."""
        return len(self.uset) - len(self.frequencies_hz)

    def interface_mass(self) -> InterfaceMass:
        """Return how much each fixed-interface mode is felt at the interface."""
        from interstage.component.interface import interface_mass

        return interface_mass(self.mass, self.frequencies_hz, self.uset)


@dataclass
class MatrixSet:
    """Physical matrices of one set (g or f): sparse CSR, each row named by `uset` (grid id, component)."""

    mass: csr_array = field(metadata=stored("MassMatrix", "x x", "m L^2", kind="sparse"))
    stiffness: csr_array = field(metadata=stored("StiffnessMatrix", "x x", "m L^2/T^2", kind="sparse"))
    uset: np.ndarray = field(metadata=stored("USET", "x 2", kind="integer", counts="x"))
    viscous: csr_array | None = field(
        default=None, metadata=stored("ViscousDamping", "x x", "m L^2/T", kind="sparse")
    )
    structural: csr_array | None = field(
        default=None, metadata=stored("StructuralDamping", "x x", "m L^2/T^2", kind="sparse")
    )


@dataclass
class GeometricStiffness:
    """How the loads that a free body carries change its modal stiffness: Σ c_p K_p for loads of sizes c_p.

    load (k, 2) : (0, 1 to 6) for the products ω_xω_x ω_yω_y ω_zω_z ω_xω_y ω_xω_z ω_yω_z of the spin, (grid, 1 to 6) for
        forces and moments T1 T2 T3 R1 R2 R3 at a grid, component axes; loads that change nothing are left out
    nodes : grids at which loads were looked at
    K (k, n, n) of the modes, KR (k, n, 3) of modes and rotations about the reference point, RR (k, 3, 3) of rotations
    """

    load: np.ndarray = field(metadata=stored("LOAD", "load 2", kind="integer", counts="load"))
    nodes: np.ndarray = field(metadata=stored("NODE", "any", kind="integer"))
    K: np.ndarray = field(metadata=stored("K", "load n n", "m L^2/T^2 eta^2"))
    KR: np.ndarray = field(metadata=stored("KR", "load n 3", "m L^2/T^2 eta"))
    RR: np.ndarray = field(metadata=stored("RR", "load 3 3", "m L^2/T^2"))


@dataclass
class RecoveryRows:
    """Forces and stresses in a free body from its modes and loads.

    y = C η - (inertia - C Ω⁻²) η̈ + (static - C Ω⁻² modal) c

    names (r), quantities (r) : of the results, quantities as in `stored.QUANTITIES`
    load (k, 2), nodes : unit loads of sizes c, as in GeometricStiffness
    C (r, n) of the modes; inertia (r, n), static (r, k) of the static displacements under the inertia MΦ of the modes
        and under the loads, balanced by inertia; modal (n, k) modal forces of these loads
    """

    names: list[str] = field(metadata=stored("NAME", kind="lines", counts="row"))
    quantities: list[str] = field(metadata=stored("QUANTITY", kind="lines"))
    load: np.ndarray = field(metadata=stored("LOAD", "load 2", kind="integer", counts="load"))
    nodes: np.ndarray = field(metadata=stored("NODE", "any", kind="integer"))
    C: np.ndarray = field(metadata=stored("C", "row n", "1/eta"))
    inertia: np.ndarray = field(metadata=stored("INERTIA", "row n", "T^2/eta"))
    static: np.ndarray = field(metadata=stored("STATIC", "row load", "1"))
    modal: np.ndarray = field(metadata=stored("MODAL", "n load", "m L^2/T^2 eta"))

    def row(self, name: str, where: str) -> int:
        """Return the number of a row by its name."""
        if name not in self.names:
            raise InputError(f"there is no recovered '{name}'", where=where, hint=known_names(self.names))
        return self.names.index(name)


@dataclass
class ChildBody:
    """A lumped rigid body taken out of the flexible body, and how it is held.

    mass, com (3,) from `position`, inertia (3,3) about its own centre of mass, component axes.
    position : (3,) of its own grid from the reference point
    grid : id of its grid; parent_grids : grids of the flexible body that carry it
    connection : "grid", "rbar", "rbe1", "rbe2" or "rbe3"; components : held components, as in 123456
    weights : (len(parent_grids),) of an RBE3, else ones
    joint : "locked", "ball", or "revolute", "universal" and "prismatic" with their axes in words
    joint_position (3,) from the reference point, joint_axes (k, 3), component axes; None: not known
    node : node of the flexible body that the joint belongs to, 0: not known
    carrier : child body that carries this one, "" for the flexible body itself
    """

    name: str
    mass: float = field(metadata=stored("mass", unit="m"))
    com: np.ndarray = field(metadata=stored("cmoffset", "3", "L"))
    inertia: np.ndarray = field(metadata=stored("inertia", "3 3", "m L^2"))
    grid: int = field(metadata=stored("GRID", kind="integer"))
    position: np.ndarray = field(metadata=stored("position", "3", "L"))
    connection: str = field(default="grid", metadata=stored("connection", kind="text", needed=True))
    parent_grids: np.ndarray = field(
        default_factory=lambda: np.zeros(0, dtype=np.int64),
        metadata=stored("parent_grids", "parents", kind="integer", counts="parents", needed=True),
    )
    components: int = field(default=123456, metadata=stored("components", kind="integer", needed=True))
    weights: np.ndarray | None = field(default=None, metadata=stored("weights", "parents"))
    joint: str = field(default="locked", metadata=stored("joint", kind="text", needed=True))
    joint_position: np.ndarray | None = field(default=None, metadata=stored("joint_position", "3", "L"))
    joint_axes: np.ndarray | None = field(default=None, metadata=stored("joint_axes", "any 3"))
    node: int = field(default=0, metadata=stored("NODE", kind="integer"))
    carrier: str = field(default="", metadata=stored("carrier", kind="text"))


@dataclass
class LumpedInside:
    """Lumped masses that are part of the flexible body and of its modes, as engines in an engine-in-the-modes model.

    names : as of the child bodies that they would be; grid (k,) that each sits on; mass (k,); position (k, 3) of the
    centers of mass from the reference point; inertia (k, 3, 3) about these, component axes
    """

    names: list[str] = field(metadata=stored("NAME", kind="lines", counts="lumped"))
    grid: np.ndarray = field(metadata=stored("GRID", "lumped", kind="integer"))
    mass: np.ndarray = field(metadata=stored("mass", "lumped", "m"))
    position: np.ndarray = field(metadata=stored("position", "lumped 3", "L"))
    inertia: np.ndarray = field(metadata=stored("inertia", "lumped 3 3", "m L^2"))


# integrals of nodes that turn: each a coefficient of an energy and of so many modal coordinates
ROTARY = {
    "G1": part("n n n", "m L^2/eta^3"),
    "G2": part("n n n n", "m L^2/eta^4"),
    "F1": part("n 3 n", "m L^2/eta^2"),
    "F2": part("n n 3 n", "m L^2/eta^3"),
    "E1": part("n 3 n", "m L/eta^2"),
    "J1": part("n 3 3", "m L^2/eta"),
    "J2": part("n n 3 3", "m L^2/eta^2"),
    "M0": part("3 3", "m L^2"),
    "M1": part("n 3 3 3", "m L^2/eta"),
    "M2": part("n n 3 3 3 3", "m L^2/eta^2"),
}
SYSTEMS = {"CoordinatePosition": part("3", "L"), "CoordinateRotation": part("3 3", "1")}


@named_arguments
@dataclass(eq=False)
class Component(Constructors):
    """One flexible body. Each field declares its dataset in the component file, its shape with n modes and N nodes,
    and its unit.

    J1 (n,3,3) = P0(r) = sum m (l . gamma_r I - l gamma_r^T), so that sum m l gamma_r^T = tr(P0)/2 I - P0
    J2 (n,n,3,3) = P3(r,s) = sum m (gamma_r . gamma_s I - gamma_s gamma_r^T)
    F1 (n,3,n) = P5 = sum m gamma_r x gamma_s
    pm_mass, pm_c, pm_S2, pm_E : sum m, sum m l, sum m l l^T and sum m gamma of the point masses alone
    damping_ratio (n,) of the modes in the file, all kinds together; viscous, structural (n,n) Pi' B Pi and Pi' K4 Pi,
    None where there is none; what damping_ratio has beyond them are ratios that were given
    ground_damping (6, 6+n) S' B [S Pi] of dampers from a free body to ground, S = [rotations, translations]
    units of mass, length and time, as in "SI" or "t-mm-s"; {} where they are not known
    """

    name: str = field(metadata=stored("NAME", kind="text"))
    node_ids: np.ndarray = field(metadata=stored("NODE_ID", "N", kind="integer", counts="N"))
    node_positions: np.ndarray = field(metadata=stored("NODE_POSITION", "N 3", "L"))
    gamma: np.ndarray = field(
        metadata=stored("ModalSolution/TransModeShape", "N 3 n", "L/eta", kind="by grid")
    )
    lam: np.ndarray = field(metadata=stored("ModalSolution/RotModeShape", "N 3 n", "1/eta", kind="by grid"))
    frequencies_hz: np.ndarray = field(metadata=stored("ModalSolution/FREQ", "n", "1/T", counts="n"))
    mass: float = field(metadata=stored("RigidBody/mass", unit="m"))
    com: np.ndarray = field(metadata=stored("RigidBody/cmoffset", "3", "L"))
    inertia: np.ndarray = field(metadata=stored("RigidBody/inertia", "3 3", "m L^2"))
    E: np.ndarray = field(metadata=_integral("P1", "3 n", "m L/eta"))
    F0: np.ndarray = field(metadata=_integral("P4", "3 n", "m L^2/eta"))
    G0: np.ndarray = field(metadata=_integral("P6", "n n", "m L^2/eta^2"))
    damping_ratio: np.ndarray | None = field(
        default=None, metadata=stored("ModalSolution/DAMPING_RATIO", "n")
    )
    units: dict[str, str] = field(
        default_factory=dict,
        metadata=stored("UNITS", kind="texts", parts=dict.fromkeys(SI_UNITS, part("", "1"))),
    )
    J1: np.ndarray | None = field(default=None, metadata=_integral("P0", "n 3 3", "m L^2/eta"))
    J2: np.ndarray | None = field(default=None, metadata=_integral("P3", "n n 3 3", "m L^2/eta^2"))
    F1: np.ndarray | None = field(default=None, metadata=_integral("P5", "n 3 n", "m L^2/eta^2"))
    pm_mass: float = field(default=0.0, metadata=stored("PointMass/mass", unit="m", along="J1", needed=True))
    pm_c: np.ndarray = field(
        default_factory=lambda: np.zeros(3),
        metadata=stored("PointMass/first_moment", "3", "m L", along="J1", needed=True),
    )
    pm_S2: np.ndarray = field(
        default_factory=lambda: np.zeros((3, 3)),
        metadata=stored("PointMass/second_moment", "3 3", "m L^2", along="J1", needed=True),
    )
    pm_E: np.ndarray | None = field(
        default=None, metadata=stored("PointMass/E", "3 n", "m L/eta", along="J1", needed=True)
    )
    rotary: dict[str, np.ndarray] | None = field(
        default=None, metadata=stored("RotaryIntegral", kind="table", parts=ROTARY, along="J1")
    )
    geometric_stiffness: GeometricStiffness | None = field(
        default=None, metadata=stored("GeometricStiffness", kind="record", record=GeometricStiffness)
    )
    aset: dict[int, int] = field(default_factory=dict, metadata=stored("ASET", kind="pairs"))
    boundary: str = field(default="free", metadata=stored("BOUNDARY", kind="text"))
    residual_vector: np.ndarray | None = field(
        default=None, metadata=stored("ModalSolution/RESIDUAL_VECTOR", "n", kind="flag")
    )
    n_rigid: int = field(default=0, metadata=stored("ModalSolution/N_RIGID_MODES", kind="integer"))
    rigid_frequencies_hz: np.ndarray = field(
        default_factory=lambda: np.zeros(0), metadata=stored("ModalSolution/RIGID_FREQ", "any", "1/T")
    )
    viscous: np.ndarray | None = field(
        default=None, metadata=stored("ModalSolution/ViscousDamping", "n n", "m L^2/T eta^2")
    )
    structural: np.ndarray | None = field(
        default=None, metadata=stored("ModalSolution/StructuralDamping", "n n", "m L^2/T^2 eta^2")
    )
    ground_damping: np.ndarray | None = field(
        default=None, metadata=stored("ModalSolution/GroundDamping", "s s+n", "m L^2/T")
    )
    recovery: RecoveryRows | None = field(
        default=None, metadata=stored("Recovery", kind="record", record=RecoveryRows)
    )
    craig_bampton: CraigBampton | None = field(
        default=None, metadata=stored("CraigBampton", kind="record", record=CraigBampton)
    )
    child_bodies: list[ChildBody] = field(
        default_factory=list, metadata=stored("ChildBodies", kind="records", record=ChildBody)
    )
    lumped_inside: LumpedInside | None = field(
        default=None, metadata=stored("LumpedInside", kind="record", record=LumpedInside)
    )
    gset: MatrixSet | None = field(default=None, metadata=stored("Gset", kind="record", record=MatrixSet))
    fset: MatrixSet | None = field(default=None, metadata=stored("Fset", kind="record", record=MatrixSet))
    reference_node: int = field(default=0, metadata=stored("GRDPNT", kind="integer"))
    reference_position: np.ndarray = field(
        default_factory=lambda: np.zeros(3), metadata=stored("REFERENCE_POSITION", "3", "L")
    )
    axes: np.ndarray = field(default_factory=lambda: np.eye(3), metadata=stored("AXES", "3 3"))
    csid: int = field(default=0, metadata=stored("CSID", kind="integer"))
    bgpdt: np.ndarray | None = field(default=None, metadata=stored("BGPDT", "any card", "L"))
    coordinates: dict[int, tuple[np.ndarray, np.ndarray]] = field(
        default_factory=dict, metadata=stored("CoordinatePosition", unit="L", kind="systems", parts=SYSTEMS)
    )
    provenance: dict[str, str] = field(default_factory=dict, metadata=stored("PROVENANCE", kind="texts"))
    notes: list[str] = field(default_factory=list, metadata=stored("NOTES", kind="lines"))

    def __post_init__(self) -> None:
        n = len(self.frequencies_hz)
        self.units = labelled_units(self.units)
        if self.damping_ratio is None:
            self.damping_ratio = np.zeros(n)
        if self.residual_vector is None:
            self.residual_vector = np.zeros(n, dtype=bool)
        if self.pm_E is None:
            self.pm_E = np.zeros((3, n))
        check_shapes(self, f"component '{self.name}', {self.n_nodes} nodes, {n} modes")
        self._check_integrals()
        self._check_basis()

    def _check_integrals(self) -> None:
        """Refuse integrals of which some are missing."""
        found = [key for key in ("J1", "J2", "F1") if getattr(self, key) is not None]
        if 0 < len(found) < 3:
            raise InputError(
                "the integrals of first and second order go together",
                where=f"component '{self.name}'",
                expected="J1, J2 and F1, or none of them",
                got=" and ".join(found) + " alone",
            )

    def _check_basis(self) -> None:
        """Refuse normalized component modes of which some are missing."""
        cb = self.craig_bampton
        if cb is None or self.n_modes + self.n_rigid == len(cb.uset):
            return
        raise ModelError(
            "the basis was truncated after normalization, so that it can no longer be held at its interface",
            where=f"component '{self.name}'",
            expected=f"{len(cb.uset) - self.n_rigid} flexible modes",
            got=str(self.n_modes),
            hint="ask for fewer fixed-interface modes (n_modes) instead of dropping normalized ones",
        )

    def __repr__(self) -> str:
        band = f" {self.frequencies_hz[0]:.4g} to {self.frequencies_hz[-1]:.4g} Hz" if self.n_modes else ""
        integrals = "all integrals" if self.has_integrals else "integrals of zero order"
        return (
            f"Component('{self.name}': {self.n_nodes} nodes, {self.n_modes} modes{band}, {self.boundary}, "
            f"mass {self.mass:.6g}, {integrals})"
        )

    def __str__(self) -> str:
        return "\n- ".join([repr(self), *self.notes])

    @property
    def rigid(self) -> RigidInertia:
        """The undeformed body in its own frame: `rigid.I_BBcm_B` is about its centre of mass, `inertia` about Bo."""
        from interstage.spatial import RigidInertia

        return RigidInertia.from_about_point(self.mass, self.com, self.inertia, np.zeros(3))

    @property
    def n_modes(self) -> int:
        """Number of flexible modes (residual vectors included)."""
        return len(self.frequencies_hz)

    @property
    def integrals(self) -> ModalIntegrals:
        """The modal integrals about the reference point, moments of the point masses included where it has them."""
        own = (self.mass, self.mass * np.asarray(self.com), self.inertia, self.E, self.F0, self.G0)
        if self.J1 is None or self.J2 is None:
            return ModalIntegrals(*own)
        A = moment_of_inertia(self.J1).transpose(1, 2, 0)
        B = moment_of_inertia(self.J2).transpose(3, 2, 0, 1)
        return ModalIntegrals(*own, None, A, B, self.pm_mass, self.pm_c, self.pm_S2, self.pm_E)

    @property
    def has_integrals(self) -> bool:
        """Whether there are integrals of first and second order."""
        return self.J1 is not None

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.node_ids)

    @property
    def damping_matrix(self) -> np.ndarray:
        """Viscous damping (n,n) in the modes and at the frequencies of the file: `component.damping`."""
        return damping_matrix(self)

    def node_row(self, node: int) -> int:
        """Find the row of a node by its id.

        Raises InputError that lists known ids where the node is not in the component.
        """
        row = int(np.searchsorted(self.node_ids, node))
        if row == self.n_nodes or self.node_ids[row] != node:
            raise InputError(
                f"node {node} is not in the component",
                where=f"component '{self.name}'",
                hint=known_names(self.node_ids),
            )
        return row

    @property
    def unattached_nodes(self) -> frozenset[int]:
        """Nodes whose grids no element, mass or constraint of the deck attaches, as those that orient bars."""
        said = self.provenance.get(UNATTACHED, "")
        return frozenset(int(one) for one in said.split(", ") if is_whole(one))

    def check(self, deck: Deck | str | os.PathLike[str] | None = None) -> ComponentCheck:
        """Check what a delivery of the component is asked for: grounding, interface, mass, lumped bodies, precision.

        Parameters
        ----------
        deck : deck that the component was made from, whose mass it is compared with (default: none)

        Returns
        -------
        ComponentCheck
            Its `passed` says whether no item fails; printed, it is a page.
        """
        from interstage.component.checks import check_component

        if deck is None:
            return check_component(self)
        from interstage.component.from_nastran.deck_common import deck_mass

        return check_component(self, deck_mass(deck))

    def keep_modes(self, modes: slice | Sequence[int] | np.ndarray) -> Component:
        """Keep some modes of a free body; normalized component modes cannot be dropped and are refused."""
        if self.boundary != "free":
            raise ModelError(
                "normalized component modes cannot be truncated: all are needed to hold the interface",
                where=f"component '{self.name}'",
                hint="ask for fewer fixed-interface modes (n_modes) when the component is made",
            )
        return replace(self, **taken(self, "n", self._chosen_modes(modes)))

    def _chosen_modes(self, modes: slice | Sequence[int] | np.ndarray) -> np.ndarray:
        try:
            chosen = np.arange(self.n_modes)[modes if isinstance(modes, slice) else _whole(modes)]
        except (IndexError, TypeError, ValueError):
            chosen = np.zeros((1, 1), dtype=np.int64)
        if chosen.ndim != 1 or len(np.unique(chosen)) != len(chosen):
            raise InputError(
                "the choice of modes is not usable",
                where=f"component '{self.name}'",
                expected=f"numbers from 0 to {self.n_modes - 1}, each once, or a slice, as in slice(4)",
                got=shown(modes),
            )
        return chosen

    def keep_nodes(self, nodes: Sequence[int]) -> Component:
        """Keep the positions and shapes of some nodes only."""
        try:
            ids = np.unique(_whole(nodes))
        except (TypeError, ValueError):
            raise InputError(
                "the choice of nodes is not usable",
                where=f"component '{self.name}'",
                expected="a list of node ids, as in [1, 52]",
                got=shown(nodes),
            ) from None
        rows = np.array([self.node_row(int(node)) for node in ids], dtype=np.int64)
        some = taken(self, "N", rows)
        if self.bgpdt is not None:
            some["bgpdt"] = self.bgpdt[np.isin(self.bgpdt[:, 0], some["node_ids"])]
        return replace(self, **some)

    def without_integrals(self) -> Component:
        """Copy the record without the integrals of first and second order."""
        return replace(self, J1=None, J2=None, F1=None, rotary=None)

    def without_rigid(
        self,
        node: int,
        mass: float,
        inertia: ArrayLike,
        offset: ArrayLike = (0.0, 0.0, 0.0),
        modes: bool = True,
    ) -> Component:
        """Take a rigid part at a node out of the body and out of its modes, to hang it on a joint of its own.

        mass, inertia (3, 3) or (3,) about its centre, offset (3,) of that from the node, in the component's axes
        modes : False leaves its share in the modes, where it then counts twice (as in Figure D.2.5 of the NESC report)

        The stiffness stays. Integrals of first and second order lose what the part put in, as a point at its center;
        those of rotary nodes, and with `modes=False` all of them, are dropped, which a warning and the notes say.
        The part is listed among `child_bodies`, so that `Multibody.add_lumped` hangs it. Geometric stiffness and
        recovery rows need the node among their loads; they hold for the rest as before, but for rotary inertia in
        the spin. Without it geometric stiffness is dropped as integrals are, and recovery is refused.
        """
        from interstage.component.remove_rigid_body import without_rigid

        return without_rigid(self, node, (mass, inertia, offset), modes)

    def with_changes(self, **changes: object) -> Component:
        """Copy the record with some fields replaced; a `damping_ratio` by itself replaces all damping."""
        if "damping_ratio" in changes and not changes.keys() & {"viscous", "structural", "ground_damping"}:
            changes |= {"viscous": None, "structural": None, "ground_damping": None}
        return replace(self, **changes)  # type: ignore[arg-type]
