"""Matrices written as DMIG and read back by K2GG and M2GG: the model that they came from."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from interstage import FEModel, normal_modes
from interstage.errors import InputError
from interstage.fem.from_deck.dmig_text import dmig_text, write_dmig
from interstage.nastran import deck_from_text, read_deck

POINTS = (
    "GRID,1\nGRID,2,,1.,.3,0.\nGRID,3,,2.,0.,.5\nSPOINT,9\nEIGRL,1,,,5\nSPC1,1,123456,1\nPARAM,WTMASS,.5\n"
)
MODEL = "CBAR,1,1,1,2,0.,1.,0.\nCBAR,2,1,2,3,0.,1.,0.\nPBAR,1,1,.01,2.-5,3.-5,4.-5\nMAT1,1,7.+10,,.3,2700.\n"
MODEL += "CELAS2,5,1.+3,9,0,3,2\nCMASS2,6,2.,9\n"
CASE = "SOL 103\nCEND\nSPC = 1\nMETHOD = 1\n{}\nBEGIN BULK\n"


def test_round_trip(tmp_path):
    fe = FEModel.from_deck(deck_from_text(CASE.format("") + POINTS + MODEL))
    write_dmig(tmp_path / "k.pch", fe.grids, {"KX": fe.K_gg, "MX": fe.M_gg})
    main = tmp_path / "main.bdf"
    main.write_text(CASE.format("K2GG = KX\nM2GG = MX") + POINTS + "INCLUDE 'k.pch'\n")
    back = FEModel.from_deck(read_deck(main))
    for name in ("K_gg", "M_gg"):
        wanted = getattr(fe, name).toarray()
        # ten digits or more fit into a field
        np.testing.assert_allclose(
            getattr(back, name).toarray(), wanted, rtol=1e-9, atol=1e-12 * np.abs(wanted).max()
        )
    np.testing.assert_allclose(normal_modes(back).frequencies_hz, normal_modes(fe).frequencies_hz, rtol=1e-8)


def test_reduced_matrices_name_their_dofs():
    fe = FEModel.from_deck(deck_from_text(POINTS + MODEL))
    text = dmig_text(fe.grids, {"KAAX": np.array([[2.0, -1.0], [-1.0, 3.0]])}, dofs=np.array([7, 18]))
    lines = text.splitlines()
    assert lines[0].split() == ["DMIG", "KAAX", "0", "6", "2", "0"]
    assert lines[1].split() == ["DMIG*", "KAAX", "2", "2"]
    terms = [line for line in lines if line.startswith("* ")]
    found = [(int(x[8:24]), int(x[24:40]), float(x[40:56].replace("D", "E"))) for x in terms]
    assert found == [(2, 2, 2.0), (9, 0, -1.0), (9, 0, 3.0)]
    assert max(len(line) for line in text.splitlines()) <= 72


def test_mistakes_are_named():
    fe = FEModel.from_deck(deck_from_text(POINTS + MODEL))
    for matrices, words in (
        ({"KX": np.eye(3)}, "does not fit its dofs"),
        ({"K X": fe.K_gg}, "name of a DMIG matrix"),
        ({"KX": sp.csr_matrix(np.triu(np.ones((19, 19))))}, "is not symmetric"),
    ):
        with pytest.raises(InputError, match=words):
            dmig_text(fe.grids, matrices)
