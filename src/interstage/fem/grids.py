"""The grid table: where the points of a model are and how their degrees of freedom are numbered."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError


class Grids:
    """Grid points and scalar points of a model, in the order of the NASTRAN g-set (ascending id).

    Attributes
    ----------
    id : (n,) grid ids, ascending
    xyz : (n, 3) positions in basic axes
    R_basic_cd : (n, 3, 3) axes of each grid's displacement (CD) system: x_basic = R @ x_cd
    cd : (n,) id of that system; cp : (n,) that of the system in which its position was given
    ps : (n, 6) bool, permanent single-point constraints
    spoint : (k,) scalar point ids, ascending
    dof : (n,) first g-set dof of each grid; its six dofs follow it
    spoint_dof : (k,) g-set dof of each scalar point
    n_dof : size of the g-set
    """

    def __init__(
        self,
        id: ArrayLike,
        xyz: ArrayLike,
        R_basic_cd: ArrayLike | None = None,
        cd: ArrayLike | None = None,
        ps: ArrayLike | None = None,
        spoint: ArrayLike = (),
        cp: ArrayLike | None = None,
    ):
        ids = np.asarray(id, dtype=np.int64)
        order = np.argsort(ids, kind="stable")
        n = len(ids)
        self.id = ids[order]
        self.xyz = np.asarray(xyz, dtype=float).reshape(n, 3)[order]
        self.R_basic_cd = (
            np.broadcast_to(np.eye(3), (n, 3, 3)) if R_basic_cd is None else np.asarray(R_basic_cd)[order]
        )
        self.cd = np.zeros(n, dtype=np.int64) if cd is None else np.asarray(cd, dtype=np.int64)[order]
        self.cp = np.zeros(n, dtype=np.int64) if cp is None else np.asarray(cp, dtype=np.int64)[order]
        self.ps = np.zeros((n, 6), dtype=bool) if ps is None else np.asarray(ps, dtype=bool)[order]
        self.spoint = np.unique(np.asarray(spoint, dtype=np.int64))
        points = np.concatenate([self.id, self.spoint])
        if len(np.unique(points)) != len(points):
            values, counts = np.unique(points, return_counts=True)
            raise InputError("two points have the same id", where=f"point {values[counts > 1][0]}")
        sizes = np.concatenate([np.full(n, 6), np.ones(len(self.spoint), dtype=np.int64)])
        sequence = np.argsort(points, kind="stable")
        first = np.empty(len(points), dtype=np.int64)
        first[sequence] = np.concatenate([[0], np.cumsum(sizes[sequence])[:-1]]) if len(points) else 0
        self.dof, self.spoint_dof = first[:n], first[n:]
        self.n_dof = int(sizes.sum())

    def __len__(self) -> int:
        return len(self.id)

    def find(self, ids: ArrayLike) -> np.ndarray:
        """Rows of grid ids; -1 where an id is not a grid. Any shape in, the same shape out."""
        return _rows(self.id, ids)

    def find_spoint(self, ids: ArrayLike) -> np.ndarray:
        """Positions of scalar point ids in `spoint`; -1 where an id is not a scalar point."""
        return _rows(self.spoint, ids)

    def dof_of(self, point: int, component: int) -> int:
        """g-set dof of component 1..6 of a grid (0 or 1 of a scalar point); -1 if there is no such point."""
        row = int(self.find(point))
        if row >= 0 and 1 <= component <= 6:
            return int(self.dof[row]) + component - 1
        at = int(self.find_spoint(point))
        return int(self.spoint_dof[at]) if at >= 0 and component in (0, 1) else -1

    def name_of(self, dof: int) -> str:
        """Say which point and component a g-set dof is: 'grid 12 component 3'."""
        row = int(np.searchsorted(self.dof, dof, side="right")) - 1
        if row >= 0 and dof < self.dof[row] + 6:
            return f"grid {self.id[row]} component {dof - self.dof[row] + 1}"
        return f"scalar point {self.spoint[int(np.searchsorted(self.spoint_dof, dof))]}"


def _rows(known: np.ndarray, ids) -> np.ndarray:
    """Positions of ids in a sorted table, -1 where they are not there."""
    ids = np.asarray(ids, dtype=np.int64)
    if not len(known):
        return np.full(ids.shape, -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(known, ids), len(known) - 1)
    return np.where(known[at] == ids, at, -1)
