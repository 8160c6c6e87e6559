"""The finite-element model: grids, elements, constraints, and their matrices on the g-set."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import scipy.sparse as sp

from interstage.calls import named_arguments
from interstage.fem.assembly import assemble
from interstage.fem.case import CaseSelections, SubcaseSelections
from interstage.fem.constraints import Equations
from interstage.fem.coordinates import Coordinates
from interstage.fem.direct_input import DirectInput
from interstage.fem.dynamics import Dynamics
from interstage.fem.elements.axisymmetric import AxisymmetricBlock
from interstage.fem.elements.block import ElementBlock
from interstage.fem.grids import Grids
from interstage.fem.loads import StaticLoadSets
from interstage.fem.rigid_elements import RigidLink
from interstage.fem.scalars import Springs, SystemTerms
from interstage.fem.sets import SetCards
from interstage.linalg.eigen_request import EigenRequest

if TYPE_CHECKING:
    from interstage.fem.from_deck.constraints import ConstraintCards
    from interstage.fem.gpwg import MassProperties
    from interstage.nastran.deck import Deck

Value: TypeAlias = int | float | str


@named_arguments
@dataclass
class FEModel:
    """A structure as arrays, with its matrices assembled when they are first asked for.

    `K_gg`, `M_gg`, `B_gg`, `K4_gg` are scipy.sparse CSR matrices (n_dof, n_dof) on the NASTRAN g-set: points
    in ascending id, six dofs a grid (T1 T2 T3 R1 R2 R3 in its CD system), one a scalar point. Mass is
    multiplied by PARAM WTMASS.

    Attributes
    ----------
    grids : points and dof numbers; coordinates : coordinate systems by id
    blocks : element families
    terms : scalar springs, masses, dampers and matrices given directly (DMIG)
    springs : scalar springs as elements, for their forces
    wtmass : factor from input mass to consistent mass
    coupled_mass : True for PARAM COUPMASS > 0
    constraints : SPC, MPC and set cards by id
    rigid : equations of rigid elements; links : which grids they connect
    loads : load sets
    sol : number of the solution sequence
    eigen_requests : EIGRL and EIGR by id
    buckling_requests : EIGB by id
    dynamics : loads in time and frequency, frequencies, time steps and damping tables by id
    direct : extra points, transfer functions and matrices of responses, EIGC
    case : case control
    params : PARAM values
    source : file name, for messages
    notes : sentences about choices made while building it
    """

    grids: Grids
    constraints: ConstraintCards
    rigid: Equations
    loads: StaticLoadSets
    case: CaseSelections
    blocks: list[ElementBlock] = field(default_factory=list)
    terms: SystemTerms = field(default_factory=lambda: SystemTerms([], [], [], []))
    wtmass: float = 1.0
    coupled_mass: bool = False
    sol: int | None = None
    params: dict[str, Value | tuple[Value, ...]] = field(default_factory=dict)
    eigen_requests: dict[int, EigenRequest] = field(default_factory=dict)
    source: str = "model"
    notes: list[str] = field(default_factory=list)
    springs: list[Springs] = field(default_factory=list)
    buckling_requests: dict[int, EigenRequest] = field(default_factory=dict)
    coordinates: Coordinates = field(default_factory=Coordinates)
    links: list[RigidLink] = field(default_factory=list)
    dynamics: Dynamics = field(default_factory=Dynamics)
    direct: DirectInput = field(default_factory=DirectInput)

    @classmethod
    def from_deck(cls, deck: Deck | str | PathLike[str], rotary_inertia: bool | None = None) -> FEModel:
        """Build the model of a deck (a Deck, or a path that `read_deck` can read).

        `rotary_inertia` adds the bending rotary inertia of CBEAM and of CBAR with PBARL to lumped mass, as Simcenter
        Nastran does since 2020; by default it is added where the deck says that it was written for such a version.
        """
        # loaded by name: the deck door imports this module, and only it knows NASTRAN cards
        return import_module("interstage.fem.from_deck.build").model_from_deck(deck, rotary_inertia)

    @cached_property
    def K_gg(self) -> sp.csr_matrix:
        """Stiffness (n_dof, n_dof)."""
        return assemble(self.grids, self.blocks, lambda b, rows: b.stiffness(rows), terms=self.terms.K)

    @cached_property
    def M_gg(self) -> sp.csr_matrix:
        """Mass (n_dof, n_dof), times WTMASS."""
        return self.wtmass * assemble(
            self.grids,
            self.blocks,
            lambda b, rows: b.mass(rows, self.coupled_mass),
            terms=self.terms.M,
            mostly_diagonal=not self.coupled_mass,
        )

    @cached_property
    def B_gg(self) -> sp.csr_matrix:
        """Viscous damping (n_dof, n_dof)."""
        return assemble(
            self.grids,
            self.blocks,
            lambda b, rows: b.damping(rows),
            terms=self.terms.B,
            mostly_diagonal=True,
        )

    @cached_property
    def K4_gg(self) -> sp.csr_matrix:
        """Structural damping (n_dof, n_dof), the sum of `ge * k` over elements."""
        return assemble(
            self.grids, self.blocks, lambda b, rows: b.structural_damping(rows), terms=self.terms.K4
        )

    @property
    def ring_grids(self) -> np.ndarray:
        """Which grids (grids,) stand for whole circles about the z axis: those of axisymmetric elements."""
        out = np.zeros(len(self.grids), dtype=bool)
        for block in self.blocks:
            if isinstance(block, AxisymmetricBlock):
                out[block.nodes.ravel()] = True
        return out

    def parameter(self, name: str, default: Value) -> Value:
        """A PARAM of the deck; the first value of one that has two."""
        value = self.params.get(name, default)
        return value[0] if isinstance(value, tuple) else value

    def set_cards(self, case: SubcaseSelections | None = None) -> SetCards:
        """Dofs named by ASET, BSET, QSET, ... cards, with the SUPORT1 set that a subcase selects."""
        return self.constraints.set_cards(case.suport1 if case else None)

    def mass_properties(self, grdpnt: int = 0) -> MassProperties:
        """Mass, centre of gravity and inertia in input mass units, about a grid or (0) the basic origin."""
        from interstage.fem.gpwg import grid_point_weight

        M = self.M_gg / self.wtmass
        return grid_point_weight(M, self.grids, reference=grdpnt or None, rings=self.ring_grids)

    def __repr__(self) -> str:
        counts: dict[str, int] = {}
        for block in self.blocks:
            counts[block.name] = counts.get(block.name, 0) + len(block)
        elements = ", ".join(f"{n} {name}" for name, n in sorted(counts.items())) or "no elements"
        return f"FEModel({self.source}: {len(self.grids)} grids, {self.grids.n_dof} dofs; {elements})"
