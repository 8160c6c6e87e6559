"""The page "Bring your own deck" prints what the code computes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from interstage import FEModel, InterstageError, normal_modes, read_deck
from interstage.fem import static_subcases
from interstage.nastran import deck_from_text

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "howto" / "bring_your_own_deck.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
CANTILEVER = next(block for block in BLOCKS if block.startswith("SOL 101"))


@pytest.fixture(scope="module")
def beam():
    return FEModel.from_deck(read_deck(ROOT / "examples" / "decks" / "SimpleBeam.dat"))


def test_the_table_of_modes(beam):
    table = next(block for block in BLOCKS if block.startswith("$ interstage modes"))
    printed = [float(x) for x in re.findall(r"^│ +\d+ │ +(\S+) │", table, re.MULTILINE)]
    found = normal_modes(beam).frequencies_hz
    np.testing.assert_allclose(found[6:], printed[6:], rtol=1e-5)  # six printed digits
    assert len(found) == len(printed) and np.abs(found[:6]).max() < 1e-5
    mass = beam.mass_properties(grdpnt=11)
    assert f"mass               {mass.mass: .6e}" in table
    assert all(f"{value: .6e}" in table for value in mass.principal)


def test_the_script(beam):
    printed = next(block for block in BLOCKS if block.startswith("Deck SimpleBeam"))
    for text in (repr(beam), f"{beam.K_gg.shape} {beam.K_gg.nnz} {beam.M_gg.nnz}"):
        assert text in printed
    modes = normal_modes(beam, n_modes=12)
    row = next(line for line in printed.splitlines() if line.startswith("[0.76"))
    np.testing.assert_allclose(modes.frequencies_hz[6:], np.array(row.strip("[]").split(), float), rtol=1e-7)
    assert modes.sturm_checked


def test_the_statics():
    printed = json.loads(next(block for block in BLOCKS if block.startswith('{"deck"')))["subcases"]
    fe = FEModel.from_deck(deck_from_text(CANTILEVER))
    for result in static_subcases(fe):
        for grid, wanted in printed[str(result.subcase)]["displacements"].items():
            np.testing.assert_allclose(result[int(grid)], wanted, rtol=1e-12, atol=1e-15)


CHANGES = {
    "number the PBAR 7": ("PBAR,1,", "PBAR,7,"),
    "CSEAM for a CBAR": ("CBAR,2,", "CSEAM,2,"),
    "7.1.0 for 7.+10": ("7.+10", "7.1.0"),
    "drop the SPC": ("SPC = 1\n", ""),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_messages(change):
    """Each message but for the place, which names the reader's file."""
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| {change} |"))
    what, *_, hint = row.split("|")[2].strip().split("; ")
    deck = CANTILEVER.replace(*CHANGES[change])
    assert deck != CANTILEVER
    with pytest.raises(InterstageError) as caught:
        static_subcases(FEModel.from_deck(deck_from_text(deck)))
    assert str(caught.value).startswith(what.split(" (")[0])
    assert hint in str(caught.value)
