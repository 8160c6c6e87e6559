"""Bulk data entries: one `CardSpec` for each, from which the reader, its checks, result files and pictures derive.

    CARDS["CQUAD4"].properties      # ('PSHELL', 'PCOMP', 'PCOMPG')

The other names are selections of `CARDS` that are looked up often.
"""

from __future__ import annotations

from interstage.nastran.cards import elements, loads, properties, structure, unsupported
from interstage.nastran.cards.spec import CardSpec, ResultCodes, Topology, columns

DECLARED = (
    *structure.CARDS,
    *elements.CARDS,
    *properties.CARDS,
    *loads.CARDS,
    *unsupported.CARDS,
)
CARDS: dict[str, CardSpec] = {card.name: card for card in DECLARED}


def of_kind(kind: str) -> tuple[str, ...]:
    """Names of the supported cards of a kind."""
    return tuple(card.name for card in DECLARED if card.supported and card.kind == kind)


def of_family(*families: str) -> dict[str, CardSpec]:
    """Supported elements and masses of some families."""
    return {card.name: card for card in DECLARED if card.supported and card.family in families}


def topologies(*families: str) -> dict[str, Topology]:
    """Corners, edges and faces of the elements of some families."""
    return {name: card.topology for name, card in of_family(*families).items() if card.topology is not None}


SUPPORTED = frozenset(card.name for card in DECLARED if card.supported)
ELEMENTS, MASSES, RIGID = (
    frozenset(of_kind("element")),
    frozenset(of_kind("mass")),
    frozenset(of_kind("rigid")),
)
LOADS, DYNAMIC, MATERIALS = frozenset(of_kind("load")), frozenset(of_kind("dynamic")), of_kind("material")
OTHER_LOADS = frozenset(card.name for card in DECLARED if card.kind == "load" and not card.supported)
OTHER_MATERIALS = frozenset(card.name for card in DECLARED if card.kind == "material" and not card.supported)
# properties that may not share an identification number
PROPERTY_GROUPS = tuple(
    tuple(card.name for card in DECLARED if card.kind == "property" and (card.ids_with or card.name) == first)
    for first in dict.fromkeys(
        one.ids_with or one.name for one in DECLARED if one.name in of_kind("property")
    )
)
TWO_A_CARD = frozenset(card.name for card in DECLARED if card.two_a_card)
COMPONENTS = {card.name: card.components for card in DECLARED if card.components}

__all__ = [
    "CARDS",
    "COMPONENTS",
    "DECLARED",
    "DYNAMIC",
    "ELEMENTS",
    "LOADS",
    "MASSES",
    "MATERIALS",
    "OTHER_LOADS",
    "OTHER_MATERIALS",
    "PROPERTY_GROUPS",
    "RIGID",
    "SUPPORTED",
    "TWO_A_CARD",
    "CardSpec",
    "ResultCodes",
    "Topology",
    "columns",
    "of_family",
    "of_kind",
    "topologies",
]
