"""Records of element forces, stresses and strains in op2 files, as OEF1X, OES1X1, OSTR1X and OES1C have them.

A shell has a row for its centre, and with corner output one for each corner; each holds eight forces, or eight stresses
at each of two fibers. A solid has its stress tensor, principal values, their directions and the mean pressure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# type of NASTRAN and words an element, by kind of result and card
_FORCES = {"CROD": (1, 3), "CTUBE": (3, 3), "CONROD": (10, 3), "CBAR": (34, 9), "CBEAM": (2, 100)}
_FORCES |= {f"CELAS{k}": (10 + k, 2) for k in (1, 2, 3, 4)}
_FORCES |= {"CBUSH": (102, 7), "CTRIA3": (74, 9), "CQUAD4": (33, 9), "CTRIAR": (227, 9), "CQUADR": (228, 9)}
_STRESSES = {"CROD": (1, 5), "CTUBE": (3, 5), "CONROD": (10, 5), "CBAR": (34, 16), "CBEAM": (2, 111)}
_STRESSES |= {f"CELAS{k}": (10 + k, 2) for k in (1, 2, 3)}
_STRESSES |= {"CBUSH": (102, 7), "CSHEAR": (4, 4)}
_STRESSES |= {"CTRIA3": (74, 17), "CQUAD4": (33, 17), "CTRIAR": (227, 17), "CQUADR": (228, 17)}
_TYPES = {"forces": _FORCES, "stresses": _STRESSES, "strains": _STRESSES}
# shells with rows at their centre and corners, and solids: type of NASTRAN, corners
_CORNERS = {"CQUAD4": (144, 4), "CQUAD8": (64, 4), "CQUADR": (82, 4), "CTRIA6": (75, 3), "CTRIAR": (70, 3)}
_SOLIDS = {"CTETRA": (39, 4), "CPYRAM": (255, 5), "CPENTA": (68, 6), "CHEXA": (67, 8)}
_PLIES = {"CQUAD4": 95, "CQUAD8": 96, "CTRIA3": 97, "CTRIA6": 98, "CQUADR": 232, "CTRIAR": 233}
_PLIES = {f"{name}_COMPOSITE": kind for name, kind in _PLIES.items()}
_SHELLS = {*_CORNERS, "CTRIA3"}

_CENTRE = int.from_bytes(b"CEN/", "little")
_GRID = int.from_bytes(b"GRID", "little")
_STATIONS = 11  # of a CBEAM, the ends first and last
_UNKNOWN = 1  # an integer where a margin of safety is not known
# columns of our tables of solids in the order of the records, from the first after the grid on
_TENSOR = {1: 0, 2: 3, 3: 6, 8: 9, 9: 1, 10: 4, 11: 7, 15: 2, 16: 5, 17: 8}
_COSINES = ((4, 5, 6), (12, 13, 14), (18, 19, 20))  # of x, y and z with the three principal directions


@dataclass(frozen=True)
class ElementResults:
    """Forces, stresses or strains of the elements of one type, of load cases or modes.

    kind : "forces", "stresses" or "strains"
    name : the card, of plies with _COMPOSITE after it
    columns : names of the columns
    subcase, number : (k,) subcase, and load set or number of the mode
    ids : (r,) element of each row; nodes : (r,) its grid, 0 at the centre, or its ply; None where it has no place
    values : (k, r, columns); those of a CBEAM from its place along the element on
    eigenvalues : (k,) of modes; None otherwise
    systems : (elements,) coordinate systems of stresses of solids
    """

    kind: str
    name: str
    columns: tuple[str, ...]
    subcase: np.ndarray
    number: np.ndarray
    ids: np.ndarray
    nodes: np.ndarray | None
    values: np.ndarray
    eigenvalues: np.ndarray | None = None
    systems: np.ndarray | None = None

    @property
    def table(self) -> str:
        """Name of the table that holds these results."""
        if self.kind == "stresses" and self.name in _PLIES:
            return "OES1C"
        return {"forces": "OEF1X", "stresses": "OES1X1", "strains": "OSTR1X"}[self.kind]

    @property
    def _fibers(self) -> int:
        return 2 if self.kind != "forces" and self.name in _SHELLS else 1

    @property
    def _places(self) -> int:
        """Rows an element, its fibers taken together; those of a CBEAM differ."""
        if self.name == "CBEAM" or self.name in _PLIES or not len(self.ids):
            return 1
        return int(np.sum(self.ids == self.ids[0])) // self._fibers

    @property
    def record(self) -> tuple[int, int] | None:
        """Type of NASTRAN and words an element, or None where these files have no place for the results."""
        places = self._places
        if self.name in _PLIES:
            return (_PLIES[self.name], 11) if self.kind == "stresses" else None
        if self.name in _SOLIDS:
            kind, corners = _SOLIDS[self.name]
            return (kind, 4 + 21 * (corners + 1)) if places == corners + 1 and self.kind != "forces" else None
        if self.name in _CORNERS and places == _CORNERS[self.name][1] + 1:
            return _CORNERS[self.name][0], 2 + places * (1 + 8 * self._fibers)
        return _TYPES[self.kind].get(self.name) if places == 1 else None

    @property
    def code(self) -> int:
        """NASTRAN's stress code: von Mises or maximum shear, stress or strain, at fibers or as curvature."""
        if self.kind == "forces":
            return 0
        out = int("von_mises" in self.columns)
        if self.kind == "strains":
            out += 10 if "fiber_curvature" in self.columns else 14
        return out

    def rows(self, k: int) -> bytes:
        """The record of case or mode k."""
        record = self.record
        assert record is not None
        value = self.values[k].astype(np.float32).view(np.int32)
        value = np.where(np.isnan(self.values[k]), _UNKNOWN, value)
        if self.name in _PLIES:
            out = np.column_stack([10 * self.ids + 2, np.asarray(self.nodes), value])
        elif self.name == "CBEAM":
            out = self._stations(value, record[1])
        elif self.name in _SOLIDS:
            out = self._solid(k, value, record[1])
        elif self._places > 1:
            out = self._corners(value, record[1])
        else:
            eid = self.ids[:: self._fibers]
            out = np.column_stack([10 * eid + 2, value.reshape(len(eid), -1)])
        return out.astype(np.int32).tobytes()

    def _corners(self, value: np.ndarray, words: int) -> np.ndarray:
        """Shells: number, CEN/, and at each place its grid (at the centre the number of corners) and values."""
        each = self._places * self._fibers
        out = np.zeros((len(self.ids) // each, words), np.int32)
        out[:, 0], out[:, 1] = 10 * self.ids[::each] + 2, _CENTRE
        rows = out[:, 2:].reshape(len(out), self._places, -1)
        rows[:, :, 0] = np.asarray(self.nodes)[:: self._fibers].reshape(len(out), -1)
        rows[:, 0, 0] = self._places - 1
        rows[:, :, 1:] = value.reshape(len(out), self._places, -1)
        return out

    def _stations(self, value: np.ndarray, words: int) -> np.ndarray:
        """CBEAM: number, and eleven stations; between the ends as they come, the second end is the last."""
        ids, first, count = np.unique(self.ids, return_index=True, return_counts=True)
        out = np.zeros((len(ids), words), np.int32)
        out[:, 0] = 10 * ids + 2
        stations = out[:, 1:].reshape(len(ids), _STATIONS, -1)
        for e, (start, rows) in enumerate(zip(first, count)):
            at = np.append(np.arange(rows - 1), _STATIONS - 1)
            stations[e, at, 0] = np.asarray(self.nodes)[start : start + rows]
            stations[e, at, 1:] = value[start : start + rows]
        return out

    def _solid(self, k: int, value: np.ndarray, words: int) -> np.ndarray:
        """Solids: number, coordinate system, GRID, corners; for the centre and each corner its grid and 20 values."""
        places = self._places
        out = np.zeros((len(self.ids) // places, words), np.int32)
        out[:, 0], out[:, 2], out[:, 3] = 10 * self.ids[::places] + 2, _GRID, places - 1
        out[:, 1] = 0 if self.systems is None else self.systems
        rows = np.zeros((len(self.ids), 21), np.int32)
        rows[:, 0] = np.asarray(self.nodes)
        for word, column in _TENSOR.items():
            rows[:, word] = value[:, column]
        x, y, z, xy, yz, xz = self.values[k, :, :6].T
        tensor = np.stack([x, xy, xz, xy, y, yz, xz, yz, z], axis=1).reshape(-1, 3, 3)
        along = np.linalg.eigh(tensor)[1][:, :, ::-1]  # the largest first, as in the tables
        real = rows.view(np.float32)
        real[:, 7] = -(x + y + z) / 3.0
        for axis, where in enumerate(_COSINES):
            real[:, where] = along[:, axis]
        out[:, 4:] = rows.reshape(len(out), -1)
        return out
