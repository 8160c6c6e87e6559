"""Static runs of real Nastran, quantity by quantity at the tolerance that each case states."""

from __future__ import annotations

import pytest
from reference_cases import statics

from conftest import reference_dir

CASES = [
    "nested_load_cquad4",
    "p2g_k2gg_dmig",
    "pload1_cbar_nine_loads",
    "spcd_on_free_dof",
    "stress_shear_fiber",
    "superelement_join_tolerance",
    "thermal_cquad4_corner_temperatures",
]


@pytest.mark.parametrize("case", CASES)
def test_static_runs_hold(case):
    judged = list(statics(reference_dir("nastran", case)))
    assert judged
    for asked, error in judged:
        assert error <= asked["tolerance"], asked["quantity"]
