"""Components from NASTRAN decks and runs: where `nastran`, `fem` and the component record meet.

`deck` solves a deck with the built-in solver; `op4` and `op2` take what an external NASTRAN wrote, which `external` can
run. The doors are `Component.from_deck`, `from_op4` and `from_op2`; nothing else in `component` knows of cards or
elements.
"""
