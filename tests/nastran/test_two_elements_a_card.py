"""Cards that hold two elements in one line."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.errors import DeckError
from interstage.nastran import deck_from_text

HEAD = "SOL 103\nCEND\nMETHOD=1\nBEGIN BULK\nEIGRL,1,,,20\n"


@pytest.mark.parametrize("by_property", [False, True])
def test_a_string_of_cells_written_two_a_card_has_all_its_modes(by_property):
    """Fixed at both ends, ω_k = 2 √(k/m) sin(k π / 2(n + 1)); CELAS4 and CMASS4, or CELAS3 and CMASS3."""
    n, stiffness, mass = 10, 100.0, 2.0
    spring, weight = ("CELAS3", "CMASS3") if by_property else ("CELAS4", "CMASS4")
    k, m = ("7", "8") if by_property else (str(stiffness), str(mass))
    cards = [HEAD, f"PELAS,7,{stiffness}\nPMASS,8,{mass}"]
    for e in range(1, n + 1, 2):
        cards.append(f"{spring},{e},{k},{e - 1 if e > 1 else ''},{e},{e + 1},{k},{e},{e + 1}")
        cards.append(f"{weight},{100 + e},{m},{e},,{101 + e},{m},{e + 1}")
    cards.append(f"{spring},{n + 1},{k},{n}")
    fe = ist.FEModel.from_deck(deck_from_text("\n".join(cards)))
    wanted = np.sqrt(stiffness / mass) / np.pi * np.sin(np.arange(1, n + 1) * np.pi / (2 * (n + 1)))
    np.testing.assert_allclose(ist.normal_modes(fe, n_modes=n).frequencies_hz, wanted, rtol=1e-12)


def test_rods_written_two_a_card_are_two_rods():
    grids = "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,2.,0.,0.\nPROD,1,1,1.\nMAT1,1,4.,,0.\n"
    two = ist.FEModel.from_deck(deck_from_text(HEAD + grids + "CROD,1,1,1,2,2,1,2,3\n"))
    one = ist.FEModel.from_deck(deck_from_text(HEAD + grids + "CROD,1,1,1,2\nCROD,2,1,2,3\n"))
    assert np.abs((two.K_gg - one.K_gg).toarray()).max() == 0.0 and one.K_gg.nnz


def test_errors_of_a_second_element_are_told():
    bad = HEAD + "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nPROD,1,1,1.\nMAT1,1,4.,,0.\nCROD,1,1,1,2,7,1,2,99\n"
    with pytest.raises(DeckError, match="grid 99"):
        ist.FEModel.from_deck(deck_from_text(bad))
