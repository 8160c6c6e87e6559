"""Every published run whose files lie beside the checkout, at its own tolerance; exceptions with their cause.

`python tests/fem/reference_cases.py FOLDER...` prints them as a table. Runs that need no files are in
`test_reference_cases`, `test_response_cases` and `test_recovery_reference`.
"""

from __future__ import annotations

from reference_cases import judged

from conftest import ROOT, reference_dir

CASES = [
    "nastran/cweld_gridid",
    "nastran/eigb_range_without_factor",
    "nastran/left_handed_cpenta",
    "nastran/nested_load_cquad4",
    "nastran/p2g_k2gg_dmig",
    "nastran/pload1_cbar_cbeam",
    "nastran/pload1_cbar_nine_loads",
    "nastran/rsscon_elem",
    "nastran/rtrplt_many_elements",
    "nastran/spcd_on_free_dof",
    "nastran/stress_shear_fiber",
    "nastran/superelement_join_tolerance",
    "nastran/thermal_cquad4_corner_temperatures",
    "nastran/thermal_ply_stresses",
    "responses/actuator_transfer_function",
    "responses/bush_tables_of_frequency",
    "responses/dphase_delay_random_beam",
    "responses/enforced_base_random_cbush_bar",
    "responses/frequency_loose_dofs",
    "responses/modal_transient_rigid_format_12",
    "responses/panel_sol_108_forces",
    "responses/pcompg_ply_labels",
    "responses/residual_vectors_random_load",
    "responses/start_of_sol_109",
    "responses/two_dampers_per_card_complex_modes",
    "responses/two_elements_per_card_string",
]
# (case, quantity): largest error that is known, and its cause
EXCEPTIONS = {
    # the deck names no solver, so PBARL ROD has the shear factor 0.9 of NX and not 6/7 of MSC; a note says so, and with
    # a line that names MSC it holds (test_odd_requests)
    ("pload1_cbar_cbeam", "displacement"): 1.4e-4,
    # CTRIA6, CTRIAR, CQUADR and a CQUAD8 on a sphere are formulations of the literature (test_odd_requests)
    ("rtrplt_many_elements", "displacement"): 0.8,
    # a soft column held by one each of CQUADR, CTRIAR, CQUAD8 and CTRIA6, three of them of the literature
    ("frequency_loose_dofs", "response:displacement"): 0.13,
    # CQUADR, CTRIAR, CTRIA6 and a CTRIA3 beside them: of the literature
    ("pcompg_ply_labels", "response_stresses:CQUADR_COMPOSITE"): 5.0,
    ("pcompg_ply_labels", "response_stresses:CTRIA3_COMPOSITE"): 5.0,
    ("pcompg_ply_labels", "response_stresses:CTRIA6_COMPOSITE"): 5.0,
    ("pcompg_ply_labels", "response_stresses:CTRIAR_COMPOSITE"): 5.0,
    # the run has none of the springs, dampers, rods and panels of the deck; without them it holds (test_response_cases)
    ("start_of_sol_109", "response:displacement"): 1.0,
}


def test_every_run_holds():
    reference_dir("nastran")
    compared = 0
    for case in CASES:
        found = list(judged(reference_dir(*case.split("/"))))
        assert found, case
        compared += len(found)
        for asked, error in found:
            known = EXCEPTIONS.get((case.split("/")[1], asked["quantity"]))
            if known is None:
                assert error <= asked["tolerance"], (case, asked["quantity"])
            else:
                assert asked["tolerance"] < error <= known, (case, asked["quantity"])
    page = (ROOT / "docs" / "decks.md").read_text(encoding="utf-8")
    said = f"Of {compared} comparisons with published runs of Nastran, {compared - len(EXCEPTIONS)} hold"
    assert said in page
