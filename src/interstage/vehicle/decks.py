"""Stages and levels of propellant from decks: matrices of grids in basic axes, dependence as the deck has it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from interstage.component.from_nastran.deck import element_rows
from interstage.component.from_nastran.deck_common import as_deck, grid_turns
from interstage.component.options import ElementResult
from interstage.component.unit_loads import Recoverer
from interstage.errors import ModelError
from interstage.fem.geometric import geometric_stiffnesses
from interstage.fem.model import FEModel
from interstage.fem.reduction import ReducedModel
from interstage.fem.requests import modes_case
from interstage.fem.sets import SetCards
from interstage.fem.solutions import subcase_constraints
from interstage.nastran import Deck

DeckLike: TypeAlias = Deck | str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class DeckMatrices:
    """Matrices of a deck: nodes {id: xyz}, K and M (6N, 6N), six components a grid in basic axes, and its model."""

    fe: FEModel
    nodes: dict[int, np.ndarray]
    K: sp.csr_matrix
    M: sp.csr_matrix
    Q: sp.csr_matrix

    def free(self) -> tuple[sp.csr_matrix, sp.csr_matrix]:
        """Return T (6N, nf), motion of the grids from the free coordinates (rigid elements, MPC and SPC applied), and
        the pick (nf, 6N) of these coordinates from motion of the grids.
        """
        fe = self.fe
        constraints = subcase_constraints(fe, modes_case(fe, None), SetCards())
        reduced = ReducedModel(fe.K_gg, fe.M_gg, fe.grids, constraints)
        T = self.Q @ sp.csr_matrix(reduced.dependence.T_gn)[:, reduced.sets.within("f", "n")]
        return T.tocsr(), self.Q.T.tocsr()[reduced.sets.f]

    def stressed(self, u: np.ndarray) -> Iterator[sp.csr_matrix]:
        """Yield the geometric stiffness (6N, 6N) of the elements under each of displacements (6N, k), basic axes."""
        found, _ = geometric_stiffnesses(self.fe, self.Q.T @ u, "full")
        return ((self.Q @ Kg @ self.Q.T).tocsr() for Kg in found)

    def results(self, wanted: Mapping[str, ElementResult]) -> Recoverer | None:
        """Return results of elements as functions of displacements (6N, k), basic axes; None where none are wanted."""
        return element_rows(self.fe, sp.csr_matrix(self.Q.T), wanted)


def deck_matrices(deck: DeckLike) -> DeckMatrices:
    """Return the matrices of a deck."""
    fe = FEModel.from_deck(as_deck(deck, allow_outside=False))
    scalar = fe.grids.spoint_dof
    if len(scalar) and (fe.K_gg[scalar].nnz or fe.M_gg[scalar].nnz):
        raise ModelError(
            "a stage is made of grids: its deck has scalar points with stiffness or mass",
            where=f"{fe.source}, scalar point {fe.grids.spoint[0]}",
            hint="put them on grids",
        )
    Q = grid_turns(fe, np.eye(3))
    nodes = {int(i): xyz for i, xyz in zip(fe.grids.id, fe.grids.xyz)}
    return DeckMatrices(fe, nodes, (Q @ fe.K_gg @ Q.T).tocsr(), (Q @ fe.M_gg @ Q.T).tocsr(), Q)
