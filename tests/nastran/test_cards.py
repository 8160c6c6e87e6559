"""Declarations of bulk data entries: each once, consistent with each other and with the elements made of them."""

from __future__ import annotations

import pytest

from interstage.fem.elements.hexa import HEXA8, HEXA20
from interstage.fem.elements.penta import PENTA6, PENTA15
from interstage.fem.elements.pyramid import PYRAM5, PYRAM13
from interstage.fem.elements.tetra import TETRA4, TETRA10
from interstage.nastran.cards import CARDS, DECLARED, SUPPORTED, columns, of_family, of_kind
from interstage.nastran.cards.spec import FAMILIES, STATUSES

SOLIDS = [HEXA8, HEXA20, PENTA6, PENTA15, PYRAM5, PYRAM13, TETRA4, TETRA10]


def test_every_card_is_declared_once():
    assert len(CARDS) == len(DECLARED)
    assert all(0 < len(name) <= 8 and name == name.upper() for name in CARDS)
    assert {card.status for card in DECLARED} == set(STATUSES)


def test_declarations_refer_to_cards_that_are_supported():
    for card in DECLARED:
        named = (*card.properties, *card.users, *filter(None, (card.defaults, card.ids_with)))
        assert set(named) <= SUPPORTED, card.name
        assert all(CARDS[name].kind == "property" for name in card.properties)
        assert (card.selected_by != "") == (card.status == "refused if selected")
        assert not (card.honored and not card.supported)


def test_every_property_belongs_to_an_element():
    """A property that no element may refer to could not be used."""
    used = {name for card in DECLARED for name in card.properties}
    assert set(of_kind("property")) == used


def test_every_element_and_mass_has_a_family_and_its_grids():
    for name in (*of_kind("element"), *of_kind("mass")):
        card = CARDS[name]
        assert card.family in FAMILIES, name
        # patches of CWELD and CFAST and the lists of GENEL have no fixed fields
        assert bool(card.grids) != (name in ("CWELD", "CFAST", "GENEL")), name
        assert 2 not in columns(card.grids, 30) or not card.properties
        assert not set(columns(card.grids, 30)) & set(columns(card.reals, 30)), name


@pytest.mark.parametrize("shape", SOLIDS, ids=lambda one: f"{one.name}{one.n_nodes}")
def test_corners_edges_and_faces_are_those_of_the_elements(shape):
    topology = CARDS[shape.name].topology
    assert topology.corners == shape.n_corner
    assert {frozenset(face) for face in topology.faces} == {frozenset(face) for face in shape.faces}
    if shape.edges:  # in the order of the mid-edge grids
        assert [set(edge) for edge in topology.edges] == [set(edge) for edge in shape.edges]


@pytest.mark.parametrize("name", of_family("solid"))
def test_solids_are_closed_and_have_grids_for_corners_and_edges(name):
    """Every edge lies between two faces, and Euler's formula holds."""
    topology = CARDS[name].topology
    around = [frozenset((a, b)) for face in topology.faces for a, b in zip(face, face[1:] + face[:1])]
    assert sorted(map(sorted, around)) == sorted(2 * sorted(map(sorted, topology.edges)))
    assert topology.corners - len(topology.edges) + len(topology.faces) == 2
    assert len(list(columns(CARDS[name].grids, 30))) == topology.corners + len(topology.edges)


@pytest.mark.parametrize("name", of_family("shell", "panel", "ring"))
def test_shells_have_grids_for_corners_or_for_edges_too(name):
    topology = CARDS[name].topology
    assert len(list(columns(CARDS[name].grids, 30))) in (topology.corners, 2 * topology.corners)


def test_numbers_of_element_types_are_used_once():
    codes = [card.results for card in DECLARED if card.results is not None]
    numbers = [one.number for one in codes]
    assert len(numbers) == len(set(numbers))
    other = [n for one in codes for n in {one.center, one.corner, one.ply} - {0, one.number}]
    assert len(other) == len(set(other)) and not set(other) & set(numbers)
