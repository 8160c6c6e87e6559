"""The common shape of all elements that stand on grids."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class OutputOptions(NamedTuple):
    """What element tables show: corner values of shells, and maximum shear in place of von Mises stress.

    curvature : strains of shells are membrane strain and curvature, not those of two fibers
    heat : (n, 2) change of temperature and gradient through the thickness of the elements, for stresses of plies
    """

    corners: bool = False
    max_shear: bool = False
    curvature: bool = False
    heat: np.ndarray | None = None


class Heat(NamedTuple):
    """Changes of temperature of n elements from the state in which they are free of stress.

    mean : (n,); nodes : (n, k) at the grids; gradient : (n,) through the thickness of shells
    ends : (n, 4) gradients of bars in plane 1 at A and B, and in plane 2 at A and B
    """

    mean: np.ndarray
    nodes: np.ndarray
    gradient: np.ndarray
    ends: np.ndarray


@dataclass(frozen=True)
class ResultRows:
    """Rows of one output table from one block.

    Attributes
    ----------
    name : key of the table, e.g. "CBAR" or "CQUAD4_COMPOSITE"
    columns : names of the columns
    eid : (r,) element id of each row
    values : (k, r, columns) for k load cases or modes
    nodes : (r,) grid row of each result, -1 for the centre; None where the table has no places
    layers : (r,) ply numbers of a laminate, or None
    """

    name: str
    columns: tuple[str, ...]
    eid: np.ndarray
    values: np.ndarray
    nodes: np.ndarray | None = None
    layers: np.ndarray | None = None


class ElementBlock:
    """Elements of one family with the same number of nodes, held as arrays.

    A family subclasses this, keeps what its kernels need as arrays of n rows, and returns element
    matrices for a slice of its rows. Matrices are in basic axes, dofs node by node in the order
    T1 T2 T3 R1 R2 R3 (or T1 T2 T3 where `dofs_per_node` is 3); assembly turns them into each grid's
    CD system and scales mass by WTMASS.

    Attributes
    ----------
    name : the card, e.g. "CQUAD4"
    eid : (n,) element ids
    nodes : (n, k) rows of the grid table; -1 where there is no grid (ground)
    dofs_per_node : 6 or 3
    ge : (n,) structural damping coefficient of each element, zero by default
    expansion : strains of unit temperature, (n,) for lines, (n, 3, 3) in basic axes for solids, (n, 6, 2) for shells,
        whose rows are membrane strains and curvatures in material axes and whose columns are mean and gradient; or None
    reference_temperature : (n,) at which elements are free of stress
    """

    name: str = "?"
    dofs_per_node: int = 6
    expansion: np.ndarray | None = None
    reference_temperature: np.ndarray

    def __init__(self, name: str, eid: np.ndarray, nodes: np.ndarray, ge: np.ndarray | None = None):
        self.name = name
        self.eid = np.asarray(eid, dtype=np.int64)
        self.nodes = np.atleast_2d(np.asarray(nodes, dtype=np.int64))
        self.ge = np.zeros(len(self.eid)) if ge is None else np.asarray(ge, dtype=float)
        self.reference_temperature = np.zeros(len(self.eid))

    def placed(self, rows: np.ndarray, eid: np.ndarray, n_grids: int) -> ElementBlock:
        """The same elements in a larger grid table: `rows` (old grids,) of the new one, ids `eid` (n,)."""
        out = copy(self)
        out.nodes = np.ascontiguousarray(
            np.where(self.nodes < 0, -1, rows[self.nodes]) if len(rows) else self.nodes
        )
        out.eid = eid
        return out

    @property
    def corner_count(self) -> int:
        """Number of nodes that are corners."""
        return self.nodes.shape[1]

    def __len__(self) -> int:
        return len(self.eid)

    def stiffness(self, rows: slice) -> np.ndarray | None:
        """Stiffness (len(rows), m, m) in basic axes, or None for a family without stiffness."""
        return None

    def mass(self, rows: slice, coupled: bool) -> np.ndarray | None:
        """Mass (len(rows), m, m) in basic axes, lumped or coupled (PARAM COUPMASS), with non-structural mass."""
        return None

    def structural_damping(self, rows: slice) -> np.ndarray | None:
        """Structural damping `ge * K` (len(rows), m, m) in basic axes; None if no element of the block has any."""
        return self.ge[rows, None, None] * self.stiffness(rows) if self.ge.any() else None

    def damping(self, rows: slice) -> np.ndarray | None:
        """Viscous damping (len(rows), m, m) in basic axes."""
        return None

    def thermal_motion(self, heat: Heat) -> np.ndarray:
        """Motion (n, m) of the grids, basic axes, with which elements of changed temperature expand freely."""
        raise NotImplementedError(self.name)

    def recovery(self, rows: slice) -> np.ndarray | None:
        """Operator (len(rows), r, m) from element motion in basic axes to the r results of an element.

        Results are what forces, stresses and geometric stiffness are made of; each family says which they are.
        None for a family without output.
        """
        return None

    def force_tables(self, results: np.ndarray, options: OutputOptions) -> list[ResultRows]:
        """Tables of element forces from the results (n, r, k) of all elements in k cases."""
        return []

    def stress_tables(self, results: np.ndarray, options: OutputOptions) -> list[ResultRows]:
        """Tables of stresses from the results (n, r, k)."""
        return []

    def strain_tables(self, results: np.ndarray, options: OutputOptions) -> list[ResultRows]:
        """Tables of elastic strains from the results (n, r, k)."""
        return []

    def geometric_stiffness(self, rows: slice, results: np.ndarray, full: bool) -> np.ndarray | None:
        """Geometric stiffness (len(rows), m, m) in basic axes from the results (len(rows), r) of a preload.

        `full` asks for the form of complete displacement gradients in place of NASTRAN's.
        """
        return None


def by_element(values: np.ndarray) -> np.ndarray:
    """Table values (k, n, columns) from element values (n, columns, k)."""
    return np.ascontiguousarray(values.transpose(2, 0, 1))
