"""Write matrices of a model as DMIG cards, which K2GG, M2GG and B2GG of another deck add to it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from interstage.errors import InputError
from interstage.fem.grids import Grids
from interstage.output import write_text


def dmig_text(
    grids: Grids, matrices: Mapping[str, sp.spmatrix | np.ndarray], dofs: np.ndarray | None = None
) -> str:
    """Return symmetric matrices as DMIG cards in large field with sixteen digits, lower triangle by columns.

    Parameters
    ----------
    matrices : name (eight letters at most) -> (n, n) on the dofs
    dofs : (n,) g-set dofs that rows and columns belong to; the whole g-set by default
    """
    dofs = np.arange(grids.n_dof) if dofs is None else np.asarray(dofs, dtype=np.int64)
    point, component = _points(grids)
    lines: list[str] = []
    for name, matrix in matrices.items():
        A = sp.csc_matrix(matrix)
        if A.shape != (len(dofs), len(dofs)):
            raise InputError(
                f"matrix {name} does not fit its dofs",
                expected=f"{len(dofs)} rows and columns",
                got=str(A.shape),
            )
        if not (name.isalnum() and name[0].isalpha() and len(name) <= 8):
            wanted = "up to eight letters and digits"
            raise InputError("the name of a DMIG matrix is not possible", expected=wanted, got=name)
        if abs(A - A.T).max() > 1e-9 * abs(A).max():
            raise InputError(f"matrix {name} is not symmetric")
        lines.append(f"DMIG    {name:8}{0:8d}{6:8d}{2:8d}{0:8d}")
        lower = sp.tril(A).tocsc()
        lower.sort_indices()
        for j in range(len(dofs)):
            part = slice(lower.indptr[j], lower.indptr[j + 1])
            rows, values = dofs[lower.indices[part]], lower.data[part]
            keep = values != 0.0
            if not keep.any():
                continue
            lines.append(f"DMIG*   {name:16}{point[dofs[j]]:16d}{component[dofs[j]]:16d}")
            for row, value in zip(rows[keep], values[keep]):
                number = f"{value:.9E}" if abs(value) < 1e-99 or abs(value) >= 1e100 else _sixteen(value)
                lines.append(f"*       {point[row]:16d}{component[row]:16d}{number:>16}")
    return "\n".join(lines) + "\n"


def write_dmig(
    path: str | Path,
    grids: Grids,
    matrices: Mapping[str, sp.spmatrix | np.ndarray],
    dofs: np.ndarray | None = None,
) -> Path:
    """Write matrices as DMIG cards (`dmig_text`) into a file; returns its path."""
    return write_text(path, dmig_text(grids, matrices, dofs), "deck")


def _sixteen(value: float) -> str:
    """A real in sixteen columns, with as many digits as fit: NASTRAN needs no E before the exponent.

    >>> _sixteen(-1234.5678901234567)
    '-1.2345678901D+3'
    """
    for digits in range(14, 7, -1):
        mantissa, exponent = f"{value:.{digits}E}".split("E")
        text = f"{mantissa}D{int(exponent):+d}"
        if len(text) <= 16:
            return text
    return f"{value:.8E}"


def _points(grids: Grids) -> tuple[np.ndarray, np.ndarray]:
    """Point id and component (0 of a scalar point) of every g-set dof."""
    point, component = np.zeros((2, grids.n_dof), dtype=np.int64)
    at = grids.dof[:, None] + np.arange(6)
    point[at], component[at] = grids.id[:, None], np.arange(1, 7)
    point[grids.spoint_dof] = grids.spoint
    return point, component
