"""The flexible body as data: modes, residual vectors, modal integrals, child bodies, one portable file.

`Component` is made from decks, matrices or NASTRAN runs (`doors`), by options in one value (`ReductionOptions`); each
of its fields declares its dataset, shape and unit (`record`, `stored`). Only `from_nastran` knows of cards and
elements.
"""

from interstage.component.integrals import ModalIntegrals
from interstage.component.options import ReductionOptions
from interstage.component.record import ChildBody, Component, CraigBampton, MatrixSet

__all__ = ["ChildBody", "Component", "CraigBampton", "MatrixSet", "ModalIntegrals", "ReductionOptions"]
