"""Components from NASTRAN decks and runs: where `nastran`, `fem` and the component record meet.

`component_from_deck` solves a deck with the built-in solver; `component_from_op4` and `component_from_op2` take what
an external NASTRAN wrote. Nothing else in `component` knows of cards or elements.
"""

from interstage.component.from_nastran.deck import component_from_deck
from interstage.component.from_nastran.op2 import component_from_op2
from interstage.component.from_nastran.op4 import component_from_op4

__all__ = ["component_from_deck", "component_from_op2", "component_from_op4"]
