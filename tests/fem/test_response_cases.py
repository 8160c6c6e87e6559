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
# what does not hold: stresses of laminates (cause not known)
OPEN = {"pcompg_ply_labels": "response_stresses"}


@pytest.mark.parametrize("case", CASES)
def test_responses_hold(case, tmp_path):
    judged = list(responses(as_folder(case, tmp_path)))
    assert judged
    for asked, error in judged:
        assert error <= asked["tolerance"], asked["quantity"]


@pytest.mark.parametrize("case", ["panel_sol_108_forces", *OPEN])
def test_responses_of_published_files_hold(case):
    judged = 0
    for asked, error in responses(reference_dir("responses", case)):
        if not asked["quantity"].startswith(OPEN.get(case, "none")):
            assert error <= asked["tolerance"], asked["quantity"]
            judged += 1
    assert judged


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
    """All five frequencies have an answer. Translations are 3 % off, for a reason that is not known; rotations of grids
    of CQUAD8 and CTRIA6 are zero in that run.
    """
    found = Response(reference_dir("responses", "frequency_loose_dofs")).steady(None)
    assert len(found.frequencies_hz) == 5 and np.isfinite(found.displacement).all()
    assert any("neither stiffness, mass nor damping" in note for note in found.notes)


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
