"""How many digits matrices from elsewhere have: single precision and short decimal text show in the numbers themselves.

A number of single precision is its own float32; one that was printed with d digits is its own decimal of d digits.
Numbers that any format has exactly (zeros, ones, small fractions) say nothing and are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

ENOUGH = 12  # different numbers that must agree
MOST = 4000  # numbers that are looked at
SHORT, LONG = 4, 10  # decimal digits: numbers of fewer are chosen by hand, of more are as good as double


def digits_of(matrix: Any) -> str:
    """Return what the numbers of a matrix show: "single precision", "6 decimal digits", or "" for double or unknown."""
    if matrix is None:
        return ""
    values = matrix.data if sp.issparse(matrix) else np.asarray(matrix)
    if np.asarray(values).dtype == np.float32:
        return "single precision"
    values = np.abs(np.asarray(values, dtype=float).ravel())
    values = np.unique(values[np.isfinite(values) & (values > 1e-30) & (values < 1e30)])
    mantissa = np.frexp(values)[0] * 2.0**11
    values = values[mantissa != np.round(mantissa)]  # not exact in eleven bits
    if len(values) < ENOUGH:
        return ""
    values = values[:: max(1, len(values) // MOST)]
    if np.array_equal(values, values.astype(np.float32).astype(float)):
        return "single precision"
    need = SHORT
    for value in values:
        while need < LONG and float(f"{value:.{need - 1}e}") != value:
            need += 1
        if need >= LONG:
            return ""
    return f"{need} decimal digits" if need > SHORT else ""


def source_precision(matrices: Mapping[str, Any]) -> str:
    """Say which matrices have less than double precision, in words for the notes; "" where none has."""
    found: dict[str, list[str]] = {}
    for name, matrix in matrices.items():
        digits = digits_of(matrix)
        if digits:
            found.setdefault(digits, []).append(name)
    if not found:
        return ""
    said = "; ".join(f"{digits} in {', '.join(names)}" for digits, names in found.items())
    return f"less than double precision in its source: {said}; all that is made of it is no better"


def with_precision(component: Any, matrices: Mapping[str, Any]) -> Any:
    """Return a component with notes and provenance on the precision of the matrices that it was made from."""
    said = source_precision(matrices)
    if not said:
        return component
    notes = [*component.notes, f"the component has {said}"]
    return component.with_changes(notes=notes, provenance={**component.provenance, "precision": said})
