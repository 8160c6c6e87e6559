"""Finite elements: from grids and elements to matrices, modes and static displacements.

>>> from interstage.nastran import deck_from_text
>>> deck = deck_from_text('''
... GRID,1,,0.,0.,0.,,123456
... GRID,2,,1.,0.,0.,,23456
... CROD,1,1,1,2
... PROD,1,1,1.
... MAT1,1,4.,,0.
... CONM2,2,2,,1.
... ''')
>>> fe = FEModel.from_deck(deck)
>>> round(float(normal_modes(fe, n_modes=1).eigenvalues[0]), 12)
4.0
"""

from interstage.fem.beams import lumped_beam
from interstage.fem.buckling import Buckling, buckling
from interstage.fem.complex_modes import ComplexModes, complex_modes
from interstage.fem.from_deck.extract import ExtractedDeck, extract
from interstage.fem.geometric import geometric_stiffness
from interstage.fem.groups import GroupEnergy, energy_by_group
from interstage.fem.measured import MeasuredModes, read_measured
from interstage.fem.model import FEModel
from interstage.fem.random_response import RandomResponse, random_response
from interstage.fem.recovery import Recovery, Table
from interstage.fem.response import (
    FrequencyResponse,
    TransientResponse,
    frequency_response,
    transient_response,
)
from interstage.fem.response_steps import shock_spectrum
from interstage.fem.solutions import (
    Displacements,
    Modes,
    dependency_matrix,
    normal_modes,
    static,
    static_subcases,
)

__all__ = [
    "Buckling",
    "ComplexModes",
    "Displacements",
    "ExtractedDeck",
    "FEModel",
    "FrequencyResponse",
    "GroupEnergy",
    "MeasuredModes",
    "Modes",
    "RandomResponse",
    "Recovery",
    "Table",
    "TransientResponse",
    "buckling",
    "complex_modes",
    "dependency_matrix",
    "energy_by_group",
    "extract",
    "frequency_response",
    "geometric_stiffness",
    "lumped_beam",
    "normal_modes",
    "random_response",
    "read_measured",
    "shock_spectrum",
    "static",
    "static_subcases",
    "transient_response",
]
