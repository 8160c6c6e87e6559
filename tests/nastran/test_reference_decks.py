"""Decks of the models of real runs are read, with the counts that their descriptions give."""

from __future__ import annotations

import json

import pytest

from conftest import reference_dir
from interstage.nastran import deck_from_text, read_deck
from validation import nastran_decks

CASES = [
    ("bar_beam_bush_plate", {"CBAR": 10, "CBEAM": 2, "CBUSH": 1, "CQUAD4": 4, "GRID": 20}, 111),
    ("beam_frame_conm2_free", {"CBEAM": 9, "CONM2": 5, "GRID": 10}, 103),
    ("beam_modes", {"CBAR": 9, "CBEAM": 1, "GRID": 12}, 103),
    ("buckling_column_statics", {"CBEAM": 420, "GRID": 421, "GRDSET": 1}, 105),
    ("buckling_plate_statics", {"CQUAD4": 2500, "GRID": 2601}, 105),
    ("cbush_bar_mass", {"CBAR": 5, "CBUSH": 1, "GRID": 7}, 111),
    ("craig_bampton_inboard", {"CBAR": 66, "GRID": 26, "QSET1": 1}, 103),
    ("craig_bampton_inboard_350hz", {"CBAR": 66, "GRID": 26}, 103),
    ("glider_tapered_cbeam", {"CBEAM": 51, "RBAR": 32, "PBEAML": 17, "CONM2": 1, "GRID": 84}, 146),
    ("gpsc_spacecraft", {"CQUAD4": 32, "CTRIA3": 8, "CBAR": 50, "GRID": 51, "RBE3": 1}, 103),
    ("kgg_solid_shell_bar", {"CHEXA": 1, "CPENTA": 2, "GRID": 25}, 101),
    ("plate_free_cquad4", {"CQUAD4": 200, "GRID": 231}, 103),
    ("plate_mixed_pcomp", {"CQUAD4": 24, "CTRIA3": 2, "GRID": 36}, 101),
    ("rbe2_springs_plate", {"CQUAD4": 84, "CELAS2": 2, "RBE2": 1, "GRID": 117}, 145),
    ("rbe3_1", {"RBE3": 1, "GRID": 17}, 103),
    ("rbe3_3", {"RBE3": 1, "GRID": 17}, 103),
    ("rbe3_um_1", {"RBE3": 1, "GRID": 17}, 103),
    ("rbe3_um_3", {"RBE3": 1, "GRID": 17}, 103),
    ("rod_coupled_mass_ten_bar", {"CROD": 10, "GRID": 6}, 103),
    ("solid_shell_bar_modes", {"CTETRA": 2, "CROD": 2, "GRID": 25}, 103),
    ("static_cbeam_offset", {"CBEAM": 10, "GRID": 11}, 101),
    ("static_chexa_pload4", {"CHEXA": 1, "PLOAD4": 24, "GRID": 8}, 101),
    ("static_rbe2_solid", {"CHEXA": 128, "RBE2": 2, "GRID": 252}, 101),
    ("static_solid_shell_bar", {"CTRIA3": 8, "GRID": 25}, 101),
    ("static_solid_shell_bar_cylindrical_cd", {"CTRIA3": 8, "GRID": 25}, 101),
]


@pytest.mark.parametrize(("case", "counts", "sol"), CASES)
def test_our_deck(case, counts, sol):
    """Same grids and elements as the published deck; its modes or statics where that goes on to something else."""
    deck = nastran_decks.read(case)
    plain = {105: 101, 111: 103, 145: 103, 146: 103}
    assert deck.sol == (sol if case == "bar_beam_bush_plate" else plain.get(sol, sol))
    assert {key: deck.counts.get(key) for key in counts} == counts


def published(case):
    if case.startswith("rbe3"):
        return reference_dir("nastran", "rbe3_gm_matrices", f"{case}.bdf")
    stability = {
        "buckling_column_statics": "buckling_column_cbeam",
        "buckling_plate_statics": "buckling_plate_2500",
    }
    if case in stability:
        return reference_dir("recovery", stability[case], "deck.bdf")
    return reference_dir("nastran", case, "deck.bdf")


def test_published_decks():
    """The published files themselves, where they are installed: solution, counts, and those of reference.json."""
    checked = 0
    for case, counts, sol in CASES:
        path = published(case)
        deck = read_deck(path)
        assert deck.sol == sol, case
        assert {key: deck.counts.get(key) for key in counts} == counts
        info = json.loads((path.parent / "reference.json").read_text()).get("deck_info") or {}
        for card, count in info.get("card_counts", {}).items():
            if card in deck.counts:
                assert deck.counts[card] == count, (case, card)
                checked += 1
    assert checked > 100


def test_tabs_and_blanks_in_the_small_field_format():
    """Fields may be set off by tabs on some lines and by blanks on others, or both on one."""
    deck = deck_from_text(
        "GRID     13             .5      .5      3.       12\nGRID     6               0.     1.      1.\t 12\n"
    )
    assert deck.cards("GRID").integer(6).tolist() == [12, 12]
    assert deck.cards("GRID").row(1)[:5] == [6, None, 0.0, 1.0, 1.0]


def test_large_field_values_that_touch():
    """Sixteen columns with no blank between numbers, an exponent without E."""
    text = (
        "GRID*                  3              2058.627998352050812.5690002441406\n"
        "*       12.7580003738403              10\n"
        "GRID*                  1              20             60.  2.399999924-14\n"
        "*                     0.              10\n"
    )
    grids = deck_from_text(text).cards("GRID")
    assert grids.row(0) == [3, 20, 58.6279983520508, 12.5690002441406, 12.7580003738403, 10]
    assert grids.row(1)[3] == 2.399999924e-14
