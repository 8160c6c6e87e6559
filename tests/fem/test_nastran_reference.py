"""Every reference case of a real Nastran run, through the library and through the command line."""

import json
import subprocess
import sys

import numpy as np
import pytest

from conftest import reference_dir
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


def run(*arguments):
    command = [sys.executable, "-m", "interstage.cli.main", *map(str, arguments), "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout)


def test_modes_command():
    folder = reference_dir("nastran", "beam_frame_conm2_free")
    reference = study.load("beam_frame_conm2_free")
    out = run("modes", folder / "deck.bdf")
    assert len(out["frequencies_hz"]) == 18
    np.testing.assert_allclose(out["frequencies_hz"][6:], reference["frequencies_hz"][6:], rtol=1e-6)
    assert out["mass"] == pytest.approx(reference["mass"], rel=1e-6)
    np.testing.assert_allclose(out["cg"], reference["cg"], rtol=1e-6)
    assert np.array(out["inertia"]).shape == (3, 3)
    assert len(run("modes", folder / "deck.bdf", "--modes", 9)["frequencies_hz"]) == 9


def test_fixed_interface_modes_of_a_superelement_deck():
    folder = reference_dir("nastran", "craig_bampton_inboard")
    out = run("modes", folder / "deck.bdf")
    # seven printed digits
    np.testing.assert_allclose(out["frequencies_hz"], study.load(folder.name)["frequencies_hz"], rtol=1e-6)


def test_static_command():
    folder = reference_dir("nastran", "static_cbeam_offset")
    data = np.load(folder / "displacement.npz")
    out = run("static", folder / "deck.bdf")["subcases"]["1"]
    found = np.array([out[str(gid)] for gid in data["grid_id"]])
    wanted = data["displacement"][:, :, 0]
    assert np.abs(found - wanted).max() < 1e-6 * np.abs(wanted).max()
