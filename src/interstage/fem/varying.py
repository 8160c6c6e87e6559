"""Springs and dampers that change with frequency: PBUSHT, PELAST and PDAMPT.

Each of their components is a spring along one direction d of the g-set, so that at every frequency the matrices of the
model change by D' diag(δ) D, with the rows d in D and δ what the tables give less what the model holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from interstage.errors import ModelError
from interstage.fem.elements.bush import BushBlock

if TYPE_CHECKING:
    from interstage.fem.dynamics import Table
    from interstage.fem.model import FEModel

KEYS = ("K", "B", "GE")


class Varying:
    """What changes with frequency in a model.

    D : (r, n_dof) sparse; D u are strokes of the components
    """

    def __init__(self, fe: FEModel):
        self.fe = fe
        rows: list[sp.csr_array] = []
        self._nominal: list[np.ndarray] = []  # (r, 3) K, B, GE
        self._tables: list[dict[str, Table]] = []
        known = {name: dict(found) for name, found in fe.dynamics.varying.items()}
        for block in fe.blocks:
            if isinstance(block, BushBlock) and "CBUSH" in known:
                self._add_bushes(block, known["CBUSH"], rows)
        for name, found in known.items():
            if name != "CBUSH":
                self._add_scalars(name, found, rows)
        lost = [f"{name} {eid}" for name, found in known.items() for eid in found]
        if lost:
            raise ModelError(
                f"{lost[0]} changes with frequency, but is not in the model by that number", where=fe.source
            )
        n = fe.grids.n_dof
        self.D = sp.csr_array(sp.vstack(rows)) if rows else sp.csr_array((0, n))

    def __len__(self) -> int:
        return self.D.shape[0]

    def _add_bushes(self, block: BushBlock, known: dict, rows: list) -> None:
        grids = self.fe.grids
        for e, eid in enumerate(block.eid.tolist()):
            tables = known.pop(eid, None)
            if tables is None:
                continue
            relative = block.relative_motion(slice(e, e + 1))[0]
            D = np.zeros((6, grids.n_dof))
            for node, grid in enumerate(block.nodes[e]):
                if grid >= 0:
                    R = grids.R_basic_cd[grid]
                    for part in (0, 3):
                        at = grids.dof[grid] + part + np.arange(3)
                        D[:, at] += relative[:, 6 * node + part : 6 * node + part + 3] @ R
            rows.append(sp.csr_array(D))
            for c in range(6):
                self._nominal.append(np.array([block.k[e, c], block.b[e, c], block.ge_components[e, c]]))
                self._tables.append({key: tables[key, c] for key in KEYS if (key, c) in tables})

    def _add_scalars(self, name: str, known: dict, rows: list) -> None:
        """CELASi and CDAMPi: direction and nominal values are those of their terms in the matrices."""
        terms = self.fe.terms
        for eid in list(known):
            values, dofs = np.zeros(3), np.zeros(0, dtype=np.int64)
            for j, lists in enumerate((terms.K, terms.B, terms.K4)):
                for one in lists:
                    mine = np.flatnonzero((one.eid == eid) & (one.i == one.j))
                    if one.name == name and len(mine):
                        values[j], dofs = one.value[mine[0]], one.i[mine]
            if not len(dofs):
                continue
            values[2] = values[2] / values[0] if values[0] else 0.0
            signs = np.array([1.0, -1.0])[: len(dofs)]
            shape = (1, self.fe.grids.n_dof)
            rows.append(sp.csr_array((signs, (np.zeros(len(dofs), dtype=int), dofs)), shape=shape))
            self._nominal.append(values)
            tables = known.pop(eid)
            self._tables.append({key: tables[key, 0] for key in KEYS if (key, 0) in tables})

    def values(self, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Stiffness, damping and structural damping k ge (r, nf) at frequencies in Hz."""
        out = np.repeat(np.array(self._nominal).reshape(-1, 3)[:, :, None], len(f), axis=2)
        for r, tables in enumerate(self._tables):
            for j, key in enumerate(KEYS):
                if key in tables:
                    out[r, j] = tables[key](f)
        return out[:, 0], out[:, 1], out[:, 0] * out[:, 2]

    def changes(self, f: np.ndarray, G: float) -> np.ndarray:
        """Complex δ (r, nf) beside (1 + iG) K + iK4 + iωB at frequencies in Hz."""
        k, b, k4 = self.values(f)
        nominal = np.array(self._nominal).reshape(-1, 3)
        w = 2.0 * np.pi * np.asarray(f, dtype=float)
        k0, b0 = nominal[:, :1], nominal[:, 1:2]
        k40 = k0 * nominal[:, 2:]
        return (1.0 + 1j * G) * (k - k0) + 1j * (k4 - k40) + 1j * w * (b - b0)


def bush_forces(fe: FEModel, block: BushBlock, strokes: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Forces (n, 6, nf) of springs and dampers of bushes at frequencies, of strokes (n, 6, nf) in element axes."""
    w = 2.0 * np.pi * f
    k, b, ge = (np.repeat(x[:, :, None], len(f), axis=2) for x in (block.k, block.b, block.ge_components))
    for e, eid in enumerate(block.eid.tolist()):
        for (key, c), table in fe.dynamics.varying.get("CBUSH", {}).get(eid, {}).items():
            {"K": k, "B": b, "GE": ge}[key][e, c] = table(f)
    return (k * (1.0 + 1j * ge) + 1j * w * b) * strokes
