"""The door between structures and dynamics: flexible-body components made from NASTRAN decks and runs.

Where `nastran`, `fem` and `modes` meet: `component_from_deck` solves a deck with the built-in solver,
`component_from_op4` and `component_from_op2` take what an external NASTRAN wrote, and `Nastran` runs the scripts of the
FModal papers with their import line changed.
"""

from interstage.fmodal.from_deck import component_from_deck
from interstage.fmodal.from_op2 import component_from_op2
from interstage.fmodal.from_op4 import component_from_op4
from interstage.fmodal.nastran_script import Nastran

__all__ = ["Nastran", "component_from_deck", "component_from_op2", "component_from_op4"]
