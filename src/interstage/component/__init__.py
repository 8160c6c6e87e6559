"""The flexible body as data: modes, residual vectors, modal integrals, child bodies, one portable file.

`Component` is made from decks, matrices or NASTRAN runs (`constructors`), by options in one value (`ReductionOptions`);
each of its fields declares its dataset, shape and unit (`component`, `schema`). Only `from_nastran` knows of cards and
elements.
"""

from interstage.component.component import ChildBody, Component, CraigBampton, MatrixSet
from interstage.component.integrals import ModalIntegrals
from interstage.component.options import ReductionOptions

__all__ = ["ChildBody", "Component", "CraigBampton", "MatrixSet", "ModalIntegrals", "ReductionOptions"]
