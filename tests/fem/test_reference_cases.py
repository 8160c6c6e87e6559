"""Static runs of real Nastran, quantity by quantity at the tolerance that each case states.

Decks are our own text of the published models and figures stand beside them (`published_responses`; more are in
`test_recovery_reference`).
"""

from __future__ import annotations

import pytest
from published_responses import as_folder
from reference_cases import statics

CASES = ["heated_laminate", "loose_tower", "prism_turned_inside_out", "trusses_and_matrices", "welded_shells"]


@pytest.mark.parametrize("case", CASES)
def test_static_runs_hold(case, tmp_path):
    judged = list(statics(as_folder(case, tmp_path)))
    assert judged
    for asked, error in judged:
        assert error <= asked["tolerance"], asked["quantity"]
