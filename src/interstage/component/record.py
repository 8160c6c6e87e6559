"""The component record: everything a multibody tool needs about one flexible body, as arrays.

All vectors are in the component's axes and taken about its reference point (the origin of `l`).
With `n` flexible modes and `N` nodes, a node at `l` moves by `gamma @ eta` and turns by `lam @ eta`.
The inertia of the deformed body follows from the integrals (NESC report, App. E.3):

    J(eta)       = J0 + sum_r (J1_r + J1_r^T) eta_r + sum_rs J2_rs eta_r eta_s
    mp(eta)      = mass com + E eta
    F(eta)[:, s] = F0[:, s] + sum_r F1[r, :, s] eta_r
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from interstage.component.unit_names import labelled_units
from interstage.errors import InputError, ModelError, known_names


@dataclass
class CraigBampton:
    """Reduced matrices in Craig-Bampton coordinates, order `[u_b; q]`, and where each row belongs.

    frequencies_hz : (nq,) fixed-interface frequencies (residual vectors follow the modes)
    mass, stiffness, viscous, structural : (nb + nq, nb + nq)
    uset : (nb + nq, 2) grid id and component 1-6; a modal coordinate has id 0 and its number
    """

    frequencies_hz: np.ndarray
    mass: np.ndarray
    stiffness: np.ndarray
    uset: np.ndarray
    viscous: np.ndarray | None = None
    structural: np.ndarray | None = None

    @property
    def n_boundary(self) -> int:
        """Number of physical interface coordinates."""
        return len(self.uset) - len(self.frequencies_hz)


@dataclass
class MatrixSet:
    """Physical matrices of one set (g or f): sparse CSR, each row named by `uset` (grid id, component)."""

    mass: Any
    stiffness: Any
    uset: np.ndarray
    viscous: Any = None
    structural: Any = None


@dataclass
class ChildBody:
    """A lumped rigid body taken out of the flexible body, and how it is held.

    mass, com (3,) from `position`, inertia (3,3) about its own centre of mass, component axes.
    position : (3,) of its own grid from the reference point
    grid : id of its grid; parent_grids : grids of the flexible body that carry it
    connection : "grid", "rbar", "rbe2" or "rbe3"; components : held components, as in 123456
    weights : (len(parent_grids),) of an RBE3, else ones
    """

    name: str
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    grid: int
    position: np.ndarray
    connection: str = "grid"
    parent_grids: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    components: int = 123456
    weights: np.ndarray | None = None
    joint: str = "locked"


@dataclass(eq=False)
class Component:
    """One flexible body. Shapes with n modes, N nodes; sources are the dataset names of the component file.

    J1 (n,3,3) = P0(r) = sum m (l . gamma_r I - l gamma_r^T), so that sum m l gamma_r^T = tr(P0)/2 I - P0
    J2 (n,n,3,3) = P3(r,s) = sum m (gamma_r . gamma_s I - gamma_s gamma_r^T)
    F1 (n,3,n) = P5 = sum m gamma_r x gamma_s
    pm_mass, pm_c, pm_S2, pm_E : sum m, sum m l, sum m l l^T and sum m gamma of the point masses alone
    damping_ratio (n,) of the modes in the file, all kinds together; viscous, structural (n,n) Pi' B Pi and Pi' K4 Pi,
    None where there is none; what damping_ratio has beyond them are ratios that were given
    ground_damping (6, 6+n) S' B [S Pi] of dampers from a free body to ground, S = [rotations, translations]
    units of mass, length and time, as in "SI" or "t-mm-s"; {} where they are not known
    """

    name: str
    node_ids: np.ndarray
    node_positions: np.ndarray
    gamma: np.ndarray
    lam: np.ndarray
    frequencies_hz: np.ndarray
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    E: np.ndarray
    F0: np.ndarray
    G0: np.ndarray
    damping_ratio: np.ndarray | None = None
    units: dict[str, str] = field(default_factory=dict)
    has_integrals: bool = False
    J1: np.ndarray | None = None
    J2: np.ndarray | None = None
    F1: np.ndarray | None = None
    pm_mass: float = 0.0
    pm_c: np.ndarray = field(default_factory=lambda: np.zeros(3))
    pm_S2: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    pm_E: np.ndarray | None = None
    rotary: dict[str, np.ndarray] | None = None
    aset: dict[int, int] = field(default_factory=dict)
    boundary: str = "free"
    residual_vector: np.ndarray | None = None
    n_rigid: int = 0
    rigid_frequencies_hz: np.ndarray = field(default_factory=lambda: np.zeros(0))
    viscous: np.ndarray | None = None
    structural: np.ndarray | None = None
    ground_damping: np.ndarray | None = None
    craig_bampton: CraigBampton | None = None
    child_bodies: list[ChildBody] = field(default_factory=list)
    gset: MatrixSet | None = None
    fset: MatrixSet | None = None
    reference_node: int = 0
    reference_position: np.ndarray = field(default_factory=lambda: np.zeros(3))
    axes: np.ndarray = field(default_factory=lambda: np.eye(3))
    csid: int = 0
    bgpdt: np.ndarray | None = None
    coordinates: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    provenance: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        n = len(self.frequencies_hz)
        self.units = labelled_units(self.units)
        if self.damping_ratio is None:
            self.damping_ratio = np.zeros(n)
        if self.residual_vector is None:
            self.residual_vector = np.zeros(n, dtype=bool)
        if self.pm_E is None:
            self.pm_E = np.zeros((3, n))
        self._check_shapes()
        self._check_basis()

    def _check_basis(self) -> None:
        """Refuse normalized component modes of which some are missing."""
        cb = self.craig_bampton
        if cb is None or self.n_modes + self.n_rigid == len(cb.uset):
            return
        raise ModelError(
            "the basis was truncated after normalization, so that it can no longer be held at its interface",
            where=f"component '{self.name}'",
            expected=f"{len(cb.uset) - self.n_rigid} flexible modes",
            got=f"{self.n_modes}",
            hint="ask for fewer fixed-interface modes (n_modes) instead of dropping normalized ones",
        )

    def _check_shapes(self) -> None:
        n, N = self.n_modes, self.n_nodes
        wanted = {
            "node_positions": (N, 3),
            "gamma": (N, 3, n),
            "lam": (N, 3, n),
            "damping_ratio": (n,),
            "residual_vector": (n,),
            "com": (3,),
            "inertia": (3, 3),
            "E": (3, n),
            "F0": (3, n),
            "G0": (n, n),
            "pm_E": (3, n),
        }
        matrices = {"viscous": (n, n), "structural": (n, n), "ground_damping": (6, 6 + n)}
        wanted |= {key: shape for key, shape in matrices.items() if getattr(self, key) is not None}
        if self.has_integrals:
            wanted |= {"J1": (n, 3, 3), "J2": (n, n, 3, 3), "F1": (n, 3, n), "pm_S2": (3, 3), "pm_c": (3,)}
        for key, shape in wanted.items():
            got = np.shape(getattr(self, key))
            if got != shape:
                raise InputError(
                    f"the array '{key}' does not fit the component",
                    where=f"component '{self.name}', {N} nodes, {n} modes",
                    expected=f"shape {shape}",
                    got=f"{got}",
                )

    def __repr__(self) -> str:
        band = f" {self.frequencies_hz[0]:.4g} to {self.frequencies_hz[-1]:.4g} Hz" if self.n_modes else ""
        integrals = "all integrals" if self.has_integrals else "integrals of zero order"
        return (
            f"Component('{self.name}': {self.n_nodes} nodes, {self.n_modes} modes{band}, {self.boundary}, "
            f"mass {self.mass:.6g}, {integrals})"
        )

    @property
    def n_modes(self) -> int:
        """Number of flexible modes (residual vectors included)."""
        return len(self.frequencies_hz)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.node_ids)

    @property
    def damping_matrix(self) -> np.ndarray:
        """Viscous damping (n,n) in the modes and at the frequencies of the file: `component.damping`."""
        return import_module("interstage.component.damping").damping_matrix(self)

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

    def save(self, path: str | Path, **options: Any) -> None:
        """Write the component file (HDF5, layout of NESC report C.3), whole or not at all."""
        import_module("interstage.component.hdf5").write_component(self, path, **options)

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> Component:
        """Read a component file; units="SI" or {"length": "mm"} converts on load."""
        return import_module("interstage.component.hdf5").read_component(path, **options)

    @classmethod
    def from_matrices(cls, K: Any, M: Any, nodes: dict, **options: Any) -> Component:
        """Build a component from matrices of any finite-element code (see `component.matrices.from_matrices`)."""
        return import_module("interstage.component.matrices").from_matrices(K, M, nodes, **options)

    @classmethod
    def from_deck(cls, deck: Any, **options: Any) -> Component:
        """Build a component from a NASTRAN deck (see `interstage.component.from_nastran.deck.component_from_deck`)."""
        return import_module("interstage.component.from_nastran.deck").component_from_deck(deck, **options)

    def keep_modes(self, modes: Any) -> Component:
        """Keep some modes of a free body; normalized component modes cannot be dropped and are refused."""
        if self.boundary != "free":
            raise ModelError(
                "normalized component modes cannot be truncated: all are needed to hold the interface",
                where=f"component '{self.name}'",
                hint="ask for fewer fixed-interface modes (n_modes) when the component is made",
            )
        k = np.arange(self.n_modes)[modes]
        pair = np.ix_(k, k)
        some = {key: getattr(self, key)[k] for key in ("frequencies_hz", "damping_ratio", "residual_vector")}
        some |= {key: getattr(self, key)[:, k] for key in ("E", "F0", "pm_E")}
        some |= {"gamma": self.gamma[:, :, k], "lam": self.lam[:, :, k], "G0": self.G0[pair], "rotary": None}
        for key in ("viscous", "structural"):
            if getattr(self, key) is not None:
                some[key] = getattr(self, key)[pair]
        if self.ground_damping is not None:
            some["ground_damping"] = self.ground_damping[:, np.append(np.arange(6), 6 + k)]
        if self.has_integrals:
            some |= {"J1": self.J1[k], "J2": self.J2[pair], "F1": self.F1[k][:, :, k]}
        return replace(self, **some)

    def with_changes(self, **changes: Any) -> Component:
        """Copy the record with some fields replaced; a `damping_ratio` by itself replaces all damping."""
        if "damping_ratio" in changes and not changes.keys() & {"viscous", "structural", "ground_damping"}:
            changes |= {"viscous": None, "structural": None, "ground_damping": None}
        return replace(self, **changes)
