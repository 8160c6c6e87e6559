"""Matrices of responses and complex modes that a deck gives directly: transfer functions and K2PP, B2PP, M2PP.

They stand on the p-set: the g-set, then extra points in ascending order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from interstage.errors import InterstageError, ModelError, known_names


class PSetMatrices(NamedTuple):
    """Stiffness, viscous damping and mass (p, p), neither symmetric nor real in general."""

    K: sp.csr_array
    B: sp.csr_array
    M: sp.csr_array


@dataclass(frozen=True)
class SearchRegion:
    """Where roots are looked for: near the line from `a` to `b` (a point if both are the same), `width` wide.

    count : number of roots, or None for all of a region
    """

    a: complex
    b: complex
    width: float = 0.0
    count: int | None = None

    @property
    def middle(self) -> complex:
        """Half way."""
        return 0.5 * (self.a + self.b)

    def distance(self, s: np.ndarray) -> np.ndarray:
        """Distances of roots from the line."""
        along = self.b - self.a
        if along == 0.0:
            return np.abs(s - self.a)
        t = np.clip(((s - self.a) * np.conj(along)).real / abs(along) ** 2, 0.0, 1.0)
        return np.abs(s - self.a - t * along)


@dataclass(frozen=True)
class ComplexRequest:
    """An EIGC: which roots are wanted.

    point : g-set dof (or extra point) whose component is 1 in each shape, or None for the largest
    """

    method: str
    count: int | None = None
    regions: tuple[SearchRegion, ...] = ()
    point: int | None = None


@dataclass
class DirectInput:
    """What a deck gives on the p-set.

    extra : (e,) ids of extra points (EPOINT), ascending
    transfer : TF by set; matrices : DMIG that K2PP, B2PP, M2PP may name, already scaled; requests : EIGC by set
    refused : the error to raise if any of this is asked for
    """

    extra: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    transfer: dict[int, PSetMatrices] = field(default_factory=dict)
    matrices: dict[str, sp.csr_array] = field(default_factory=dict)
    requests: dict[int, ComplexRequest] = field(default_factory=dict)
    refused: InterstageError | None = None

    def moved(self, dofs: np.ndarray, new: int) -> DirectInput:
        """The same on another g-set: old dof k is dofs[k] of `new`; extra points stay behind them."""
        place = np.concatenate([dofs, new + np.arange(len(self.extra))])
        p = new + len(self.extra)

        def on(A: sp.csr_array) -> sp.csr_array:
            C = sp.coo_array(A)
            rows, cols = C.coords
            return sp.csr_array(sp.coo_array((C.data, (place[rows], place[cols])), shape=(p, p)))

        return DirectInput(
            self.extra,
            {sid: PSetMatrices(*(on(A) for A in one)) for sid, one in self.transfer.items()},
            {name: on(A) for name, A in self.matrices.items()},
            {
                sid: one if one.point is None else replace(one, point=int(place[one.point]))
                for sid, one in self.requests.items()
            },
            self.refused,
        )

    def selected(self, n_dof: int, tfl: int, named: Sequence[list[tuple[str, float]]]) -> PSetMatrices:
        """Sum of the transfer functions of a set (0: none) and of the matrices named for K, B and M, with factors."""
        if self.refused is not None:
            raise self.refused
        p = n_dof + len(self.extra)
        total = [sp.csr_array((p, p), dtype=complex) for _ in range(3)]
        if tfl:
            if tfl not in self.transfer:
                raise ModelError(
                    f"TFL = {tfl} selects a TF that is not in the deck",
                    hint=known_names(sorted(self.transfer)),
                )
            total = [A + T for A, T in zip(total, self.transfer[tfl])]
        for k, wanted in enumerate(named):
            for name, factor in wanted:
                total[k] = total[k] + factor * self.matrices[name]
        return PSetMatrices(*(sp.csr_array(A) for A in total))
