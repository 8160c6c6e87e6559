"""Matrices of external superelements in the op2 and op4 files of a NASTRAN run (EXTSEOUT)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from interstage.errors import FileError, InputError
from interstage.nastran.op2 import Op2, read_op2
from interstage.nastran.op4 import SparseMatrix, read_op4

# names by the solver and its version, the preferred one first
MATRIX_NAMES = {
    "K": ("KXX", "KAAX", "KAA"),
    "M": ("MXX", "MAAX", "MAA"),
    "B": ("BXX1", "BAAX", "BAA"),
    "K4": ("K4XX1", "K4AAX", "K4AA"),
    "U": ("MUG1",),
}
LOADS = ("PX", "PAX", "PA")


def read_matrices(path: Path) -> dict[str, Any]:
    """Read the matrices of EXTSEOUT and the recovery of displacements from an op4 file."""
    return superelement_matrices(read_op4(path), path)


def read_reduced(path: Path, op2: bool) -> tuple[dict[str, np.ndarray], bool]:
    """Read K, M, B and K4 (n, n) of an external superelement, where the file has them, and whether it holds loads.

    op2 : the file is an op2 file, an op4 file otherwise
    """
    found: Mapping[str, Any] = op2_matrices(read_op2(path)) if op2 else read_op4(path)
    matrices = superelement_matrices(found, path, needed=("K",), kind="op2" if op2 else "op4")
    loads = [found[name] for name in LOADS if name in found]
    loaded = any(isinstance(one, SparseMatrix) or np.any(one) for one in loads)
    return {key: one for key, one in matrices.items() if one is not None and key != "U"}, loaded


def op2_matrices(read: Op2) -> dict[str, np.ndarray]:
    """Matrices of an op2 file that an external superelement may have, by name."""
    wanted = {*LOADS, *(name for names in MATRIX_NAMES.values() for name in names)}
    return {block.name: block.matrix() for block in read.blocks if block.is_matrix and block.name in wanted}


def superelement_matrices(
    found: Mapping[str, Any],
    path: Path,
    needed: tuple[str, ...] = ("K", "M", "U"),
    kind: str | None = None,
) -> dict[str, Any]:
    """Pick K, M, B, K4 and the recovery of displacements U out of matrices by their NASTRAN names.

    needed : those that must be there; kind : op2 or op4, for messages; the ending of the path otherwise
    """
    kind = kind or ("op2" if path.suffix.lower() == ".op2" else "op4")
    out: dict[str, Any] = {}
    for key, options in MATRIX_NAMES.items():
        matrix = next((found[n] for n in options if n in found and _filled(found[n])), None)
        if isinstance(matrix, SparseMatrix):
            raise FileError(
                f"the matrix {options[0]} of the {kind} file is too large for a reduced model",
                where=str(path),
                got=f"{matrix.shape[0]} by {matrix.shape[1]}",
            )
        if matrix is None and key in needed:
            raise FileError(
                f"the {kind} file lacks the matrix {options[0]}",
                where=str(path),
                hint="it must come from EXTSEOUT"
                + ("(MATOP4=...)" if kind == "op4" else ", or name its op4 file"),
            )
        out[key] = matrix
    n = len(out["K"])
    square = (out[key] for key in ("K", "M", "B", "K4") if out[key] is not None)
    whole = out["U"] is None or out["U"].shape[1] == n
    if not whole or any(matrix.shape != (n, n) for matrix in square):
        raise InputError(f"the matrices of the {kind} file do not fit each other", where=str(path))
    for key, matrix in out.items():
        if matrix is not None and np.iscomplexobj(matrix):
            raise InputError(
                f"the matrix {MATRIX_NAMES[key][0]} of the {kind} file is complex", where=str(path)
            )
        if matrix is not None and not np.isfinite(matrix).all():
            raise FileError(
                f"the matrix {MATRIX_NAMES[key][0]} of the {kind} file holds values that are not finite",
                where=str(path),
            )
        out[key] = None if matrix is None else np.asarray(matrix, dtype=float)
    return out


def _filled(matrix: np.ndarray | SparseMatrix) -> bool:
    """Whether a matrix is more than the single zero that NASTRAN writes for one that is not there."""
    if isinstance(matrix, SparseMatrix):
        return True
    return matrix.size > 1 or bool(np.any(matrix))
