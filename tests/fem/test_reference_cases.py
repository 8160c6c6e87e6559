"""Static runs of real Nastran, quantity by quantity at the tolerance that each case states.

Those that need no files beside the checkout are in `test_recovery_reference`.
"""

from __future__ import annotations

import pytest
from reference_cases import statics

from conftest import reference_dir

CASES = [
    "cweld_gridid",
    "left_handed_cpenta",
    "p2g_k2gg_dmig",
    "spcd_on_free_dof",
    "thermal_ply_stresses",
]


@pytest.mark.parametrize("case", CASES)
def test_static_runs_hold(case):
    judged = list(statics(reference_dir("nastran", case)))
    assert judged
    for asked, error in judged:
        assert error <= asked["tolerance"], asked["quantity"]
