"""The decks of the reference runs are read, with the counts that their descriptions give."""

from __future__ import annotations

import json

import pytest

from conftest import reference_dir
from interstage.nastran import read_deck

CASES = [
    ("bar_beam_bush_plate", "deck", {"CBAR": 10, "CBEAM": 2, "CBUSH": 1, "CQUAD4": 4, "GRID": 20}, 111),
    ("beam_frame_conm2_free", "deck", {"CBEAM": 9, "CONM2": 5, "GRID": 10}, 103),
    ("beam_modes", "deck", {"CBAR": 9, "CBEAM": 1, "GRID": 12}, 103),
    ("cbush_bar_mass", "deck", {"CBAR": 5, "CBUSH": 1, "GRID": 7}, 111),
    ("craig_bampton_inboard", "deck", {"CBAR": 66, "GRID": 26, "QSET1": 1}, 103),
    ("craig_bampton_inboard_350hz", "deck", {"CBAR": 66, "GRID": 26, "SESET": 6}, 103),
    ("gpsc_spacecraft", "deck", {"CQUAD4": 32, "CTRIA3": 8, "CBAR": 50, "GRID": 51}, 103),
    ("kgg_solid_shell_bar", "deck", {"CHEXA": 1, "CPENTA": 2, "GRID": 25}, 101),
    ("plate_free_cquad4", "deck", {"CQUAD4": 200, "GRID": 231}, 103),
    ("rbe2_springs_plate", "deck", {"CQUAD4": 84, "CELAS2": 2, "RBE2": 1, "GRID": 117}, 145),
    ("rbe3_gm_matrices", "rbe3_1", {"RBE3": 1, "GRID": 17}, 103),
    ("rbe3_gm_matrices", "rbe3_3", {"RBE3": 1, "GRID": 17}, 103),
    ("rbe3_gm_matrices", "rbe3_um_1", {"RBE3": 1, "GRID": 17}, 103),
    ("rbe3_gm_matrices", "rbe3_um_3", {"RBE3": 1, "GRID": 17}, 103),
    ("solid_shell_bar_modes", "deck", {"CTETRA": 2, "CROD": 2, "GRID": 25}, 103),
    ("static_cbeam_offset", "deck", {"CBEAM": 10, "GRID": 11}, 101),
    ("static_chexa_pload4", "deck", {"CHEXA": 1, "PLOAD4": 24, "GRID": 8}, 101),
    ("static_rbe2_solid", "deck", {"CHEXA": 128, "RBE2": 2, "GRID": 252}, 101),
    ("static_solid_shell_bar", "deck", {"CTRIA3": 8, "GRID": 25}, 101),
    ("static_solid_shell_bar_cylindrical_cd", "deck", {"CTRIA3": 8, "GRID": 25}, 101),
]


@pytest.mark.parametrize(("case", "name", "counts", "sol"), CASES)
def test_reference_deck(case, name, counts, sol):
    deck = read_deck(reference_dir("nastran", case, f"{name}.bdf"))
    assert deck.sol == sol
    assert {key: deck.counts.get(key) for key in counts} == counts


def test_reference_card_counts():
    """Where reference.json states the number of cards of a name, we found as many."""
    checked = 0
    for case, name, _, _ in CASES:
        folder = reference_dir("nastran", case)
        info = json.loads((folder / "reference.json").read_text()).get("deck_info") or {}
        deck = read_deck(folder / f"{name}.bdf")
        for card, count in info.get("card_counts", {}).items():
            if card in deck.counts:
                assert deck.counts[card] == count, (case, card)
                checked += 1
    assert checked > 100


def test_tabs_in_a_reference_deck():
    deck = read_deck(reference_dir("nastran", "static_solid_shell_bar_cylindrical_cd", "deck.bdf"))
    assert set(deck.cards("GRID").integer(6).tolist()) == {12}


def test_large_field_values_of_the_spacecraft():
    grids = read_deck(reference_dir("nastran", "gpsc_spacecraft", "deck.bdf")).cards("GRID")
    third = grids.row(2)
    assert third == [3, 20, 58.6279983520508, 12.5690002441406, 12.7580003738403, 10]
    assert grids.row(0)[3] == 2.399999924e-14
