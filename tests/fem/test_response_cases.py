"""Responses of real Nastran runs, quantity by quantity at the tolerance that each case states.

Decks are our own text of the published models and figures stand beside them (`published_responses`), where the model is
short; longer ones need the published files.
"""

from __future__ import annotations

import re
import shutil

import numpy as np
import pytest
from published_responses import as_folder
from reference_cases import Response, arrays, responses

from conftest import reference_dir

CASES = [
    "bush_of_tables",
    "free_beam_in_steps",
    "phases_and_delays",
    "random_force",
    "shaken_base",
    "string_of_500",
]


@pytest.mark.parametrize("case", CASES)
def test_responses_hold(case, tmp_path):
    judged = list(responses(as_folder(case, tmp_path)))
    assert judged
    for asked, error in judged:
        assert error <= asked["tolerance"], asked["quantity"]


@pytest.mark.parametrize("case", ["random_force", "shaken_base"])
def test_crossing_rates_hold(case, tmp_path):
    """Positive crossings of what is more than rounding, which the cases do not judge."""
    folder = as_folder(case, tmp_path)
    found = Response(folder)
    given, rms = (
        arrays(folder / "crossings_acceleration.npz"),
        arrays(folder / "rms_acceleration.npz")["values"][0],
    )
    rates = found.random().acceleration.crossings
    ours = found.grids(rates[:, None], given["grid_id"])[0]
    large = rms > 1e-4 * rms.max(axis=0).max()
    assert large.any()
    np.testing.assert_allclose(ours[large], given["values"][0][large], rtol=1e-4)


def test_loose_dofs_end_no_response():
    """All five frequencies have an answer; rotations about normals of CQUAD8 and CTRIA6 are zero, as in the run."""
    folder = reference_dir("responses", "frequency_loose_dofs")
    response = Response(folder)
    found = response.steady(None)
    assert len(found.frequencies_hz) == 5 and np.isfinite(found.displacement).all()
    assert any("neither stiffness, mass nor damping" in note for note in found.notes)
    given = arrays(folder / "displacement.npz")
    plate = np.isin(given["grid_id"], range(60, 66))
    ours = response.grids(found.displacement, given["grid_id"])
    assert plate.sum() == 6
    assert not given["values"][:, plate, 4].any() and not ours[:, plate, 4].any()


def test_the_start_of_direct_steps(tmp_path):
    """The run beside this deck has none of the springs, dampers, rods and panels that follow the shells in it: without
    them it holds to 2e-6, with any of them it is far off.
    """
    folder = reference_dir("responses", "start_of_sol_109")
    for path in folder.iterdir():
        shutil.copyfile(path, tmp_path / path.name)
    deck = (tmp_path / "deck.bdf").read_text()
    (tmp_path / "deck.bdf").write_text(re.sub(r"(?m)^(CELAS|CSHEAR|CDAMP|CONROD)", r"$\1", deck))
    ((asked, error),) = responses(tmp_path)
    assert error <= 1e-5 < asked["tolerance"]
