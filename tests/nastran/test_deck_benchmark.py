"""Benchmarks of decks run, and their generated decks are what they say."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from interstage import FEModel
from interstage.nastran import deck_from_text

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import deck_reading
import launch_vehicle


def test_generated_deck_is_read_completely(tmp_path, capsys):
    count = deck_reading.write_deck(tmp_path / "a.bdf", 3000)
    assert deck_reading.read_columns(tmp_path / "a.bdf") == count
    rates = deck_reading.main(["--cards", "2000", "--repeat", "1"])
    assert rates["interstage"] > 0 and "cards/s" in capsys.readouterr().out


def test_a_launch_vehicle_is_refined_without_a_change_of_its_body():
    """A band of two plates on a cylinder, a tip and a bar on an edge, cut 3 x 3: counts and places."""
    text = "CORD2C,1,0,0.,0.,0.,1.,0.,0.\n,0.,1.,0.\nMAT1,1,7.+10,,.3,2700.\nPSHELL,1,1,.01,1\nPBAR,1,1,.1\n"
    places = [(angle, x) for x in (0.0, 1.0) for angle in (350.0, 0.0, 10.0)]
    text += "".join(f"GRID,{k},1,2.,{a},{x},0\n" for k, (a, x) in enumerate(places, 1))
    text += "GRID,7,0,2.,0.,0.,0\nCQUAD4,1,1,1,2,5,4\nCQUAD4,2,1,2,3,6,5\nCTRIA3,3,1,4,5,7\nCBAR,4,1,2,5,0.,1.,0.\n"
    fine = FEModel.from_deck(deck_from_text(launch_vehicle.refined_deck(text + "ENDDATA\n", 3)))
    assert {b.name: len(b) for b in fine.blocks} == {"CQUAD4": 18, "CTRIA3": 3, "CBAR": 3}
    assert len(fine.grids) == 7 * 4 + 1
    on_wall = fine.grids.id != 7
    np.testing.assert_allclose(np.hypot(*fine.grids.xyz[on_wall, 1:].T), 2.0, rtol=1e-8)
    bar = next(b for b in fine.blocks if b.name == "CBAR")
    assert bar.geometry.length.sum() == pytest.approx(1.0, rel=1e-8)
    assert np.abs(np.diff(np.sort(fine.grids.xyz[on_wall, 2]))).max() < 0.13  # not the long way round
