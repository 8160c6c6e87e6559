"""Every reference case of a real Nastran run, through the library and through the command line."""

import json

import numpy as np
import pytest

from conftest import reference_dir
from interstage.cli.main import main
from validation import nastran_reference as study


@pytest.mark.parametrize("case", study.MODES)
def test_frequencies(case):
    reference_dir("nastran", case)
    row = study.compare_modes(case)
    assert row.error <= row.tolerance


@pytest.mark.parametrize("case", study.MODES)
def test_mass_properties(case):
    reference_dir("nastran", case)
    for row in study.compare_mass(case):
        assert row.error <= row.tolerance, row.quantity


@pytest.mark.parametrize("case", study.STATICS)
def test_displacements(case):
    reference_dir("nastran", case)
    row = study.compare_statics(case)
    assert row.error <= row.tolerance


def test_stiffness_of_the_model_and_of_every_element():
    reference_dir("nastran", "kgg_solid_shell_bar")
    rows = study.compare_kgg()
    assert len(rows) == 1 + 21
    for row in rows:
        assert row.error <= row.tolerance, row.quantity


@pytest.mark.parametrize("name", ["rbe3_1", "rbe3_3", "rbe3_um_1", "rbe3_um_3"])
def test_rbe3_constraint_matrices(name):
    reference_dir("nastran", "rbe3_gm_matrices")
    row = study.compare_rbe3(name)
    assert row.error <= row.tolerance


def run(capsys, *arguments) -> dict:
    """What the command prints with --json; its exit status must be 0."""
    with pytest.raises(SystemExit) as stop:
        main([*map(str, arguments), "--json"])
    assert stop.value.code == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("case", study.MODES)
def test_modes_command_on_every_case(case, capsys):
    folder = reference_dir("nastran", case)
    reference = study.load(case)
    wanted = np.array(reference["frequencies_hz"])[: reference["n_modes_within_eigrl_range"]]
    found = np.array(run(capsys, "modes", folder / "deck.bdf")["frequencies_hz"])
    flexible = np.abs(wanted) > 1e-4 * np.abs(wanted).max()
    assert len(found) == len(wanted)
    np.testing.assert_allclose(found[flexible], wanted[flexible], rtol=study.FREQUENCY_TOLERANCE)


@pytest.mark.parametrize("case", study.STATICS)
def test_static_command_on_every_case(case, capsys):
    folder = reference_dir("nastran", case)
    data = np.load(folder / "displacement.npz")
    subcases = run(capsys, "static", folder / "deck.bdf")["subcases"]
    for k, subcase in enumerate(data["subcase"]):
        found = np.array([subcases[str(subcase)][str(gid)] for gid in data["grid_id"]])
        wanted = data["displacement"][:, :, k]
        found, wanted = found[:, :3], wanted[:, :3]  # rotations have a scale of their own: see above
        limit = study.LOOSE.get(case, study.DISPLACEMENT_TOLERANCE) * np.abs(wanted).max()
        assert np.abs(found - wanted).max() <= limit


def test_modes_command(capsys):
    folder = reference_dir("nastran", "beam_frame_conm2_free")
    reference = study.load("beam_frame_conm2_free")
    out = run(capsys, "modes", folder / "deck.bdf")
    assert len(out["frequencies_hz"]) == 18
    np.testing.assert_allclose(out["frequencies_hz"][6:], reference["frequencies_hz"][6:], rtol=1e-6)
    assert out["mass"] == pytest.approx(reference["mass"], rel=1e-6)
    np.testing.assert_allclose(out["cg"], reference["cg"], rtol=1e-6)
    assert np.array(out["inertia"]).shape == (3, 3)
    assert len(run(capsys, "modes", folder / "deck.bdf", "--modes", 9)["frequencies_hz"]) == 9


def test_fixed_interface_modes_of_a_superelement_deck(capsys):
    folder = reference_dir("nastran", "craig_bampton_inboard")
    out = run(capsys, "modes", folder / "deck.bdf")
    # seven printed digits
    np.testing.assert_allclose(out["frequencies_hz"], study.load(folder.name)["frequencies_hz"], rtol=1e-6)
