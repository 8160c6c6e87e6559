"""Element forces and stresses of responses: complex in frequency, with dampers of bushes in both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from interstage.fem.elements.bush import BushBlock
from interstage.fem.model import FEModel
from interstage.fem.recovery import ElementTables, Recovery, Table
from interstage.fem.varying import bush_forces

# columns that are no linear function of the motion
DERIVED = frozenset(
    [
        "angle",
        "omax",
        "omid",
        "omin",
        "emax",
        "emin",
        "smax",
        "smin",
        "smaxa",
        "smina",
        "smaxb",
        "sminb",
        "emaxa",
        "emina",
        "emaxb",
        "eminb",
        "major",
        "minor",
        "max_shear",
        "von_mises",
        "max_principal",
        "MS_tension",
        "MS_compression",
        "SMa",
        "SMt",
        "margin",
    ]
)
PLACES = frozenset({"fiber_distance", "sd", "station"})  # columns that say where a result is


class ComplexTables(Mapping):
    """Tables by element type with complex values (frequencies, rows, columns), each computed when it is taken."""

    def __init__(self, real: ElementTables, imaginary: ElementTables):
        self._real, self._imaginary = real, imaginary

    @property
    def left_out(self) -> dict[str, int]:
        """Number of elements by type that carry load but have no results here."""
        return self._real.left_out

    def __getitem__(self, name: str) -> Table:
        real, imaginary = self._real[name], self._imaginary[name]
        kept = [j for j, column in enumerate(real.columns) if column not in DERIVED]
        values = real.values[..., kept].astype(complex)
        moving = [j for j, at in enumerate(kept) if real.columns[at] not in PLACES]
        values[..., moving] += 1j * imaginary.values[..., [kept[j] for j in moving]]
        return Table(tuple(real.columns[j] for j in kept), real.element_ids, real.node_ids, values)

    def __contains__(self, name: object) -> bool:
        return name in self._real

    def __iter__(self) -> Iterator[str]:
        return iter(self._real)

    def __len__(self) -> int:
        return len(self._real)


def steady_tables(fe: FEModel, u: np.ndarray, f: np.ndarray, kind: str) -> ComplexTables:
    """Forces or stresses of complex amplitudes u (n_dof, k) at frequencies f, Hz."""
    u = np.where(np.isfinite(u), u, 0.0)  # a frequency without steady motion has no results
    parts = Recovery(fe, u.real), Recovery(fe, u.imag)
    real, imaginary = {}, {}
    for k, block in enumerate(fe.blocks):
        if isinstance(block, BushBlock) and len(block):
            strokes = _strokes(block, parts[0]) + 1j * _strokes(block, parts[1])
            force = bush_forces(fe, block, strokes, f)
            real[k], imaginary[k] = force.real, force.imag
    tables = [getattr(Recovery(fe, one.u, given=given), kind) for one, given in zip(parts, (real, imaginary))]
    return ComplexTables(*tables)


def moving_recovery(fe: FEModel, u: np.ndarray, v: np.ndarray) -> Recovery:
    """Element results of motion u, v (n_dof, k) in time."""
    plain, speeds = Recovery(fe, u), Recovery(fe, v)
    given = {
        k: block.k[:, :, None] * _strokes(block, plain) + block.b[:, :, None] * _strokes(block, speeds)
        for k, block in enumerate(fe.blocks)
        if isinstance(block, BushBlock) and len(block) and block.b.any()
    }
    return Recovery(fe, u, given=given)


def _strokes(block: BushBlock, recovery: Recovery) -> np.ndarray:
    """Motion (n, 6, k) of end B less that of end A in element axes."""
    rows = slice(0, len(block))
    return block.relative_motion(rows) @ recovery.motion(block, rows)
