"""Inertia relief, combinations of subcases and effective masses, against closed forms."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import interstage as ist
from interstage.cli.main import app
from interstage.errors import ModelError
from interstage.nastran import deck_from_text

N, L, EA, RHO_A = 20, 2.0, 7e6, 2.7


def rod(extra: str, head: str = "") -> str:
    """A free rod along x, pulled at its end by 10."""
    text = f"SOL 101\nCEND\n{head}LOAD=1\nBEGIN BULK\nMAT1,1,7.+10,,.3,27000.\nPROD,1,1,1.-4\n"
    text += f"FORCE,1,{N + 1},,10.,1.,0.,0.\n"
    text += "".join(f"GRID,{k + 1},,{L * k / N},0.,0.,,23456\n" for k in range(N + 1))
    return text + "".join(f"CROD,{k},1,{k},{k + 1}\n" for k in range(1, N + 1)) + extra


def model(text: str) -> ist.FEModel:
    return ist.FEModel.from_deck(deck_from_text(text))


def test_free_rod_pulled_at_its_end():
    """N = P x / L along the rod: u = P x² / (2 L EA), to the shift; lumped masses at its ends halve the first step."""
    x = np.linspace(0.0, L, N + 1)
    exact = 10.0 * x**2 / (2.0 * L * EA)
    tied = ist.static(model(rod("PARAM,INREL,-1\nSUPORT,1,1\n")))
    u = np.array([tied[k + 1][0] for k in range(N + 1)])
    assert u[0] == 0.0
    np.testing.assert_allclose(u, exact, atol=1e-12 + 1e-9 * exact[-1])
    free = ist.static(model(rod("PARAM,INREL,-2\n")))
    v = np.array([free[k + 1][0] for k in range(N + 1)])
    np.testing.assert_allclose(np.diff(v), np.diff(u), rtol=1e-8)
    mass = np.full(N + 1, 1.0)
    mass[[0, -1]] = 0.5
    assert abs(mass @ v) < 1e-9 * np.abs(v).max()
    for one in (tied, free):
        # nothing holds the rod: loads and inertia balance
        assert np.abs(one.spc_forces).max() < 1e-9
        assert abs(one.load.sum()) < 1e-10
        assert any("inertia relief" in note for note in one.notes)


def test_a_free_plate_of_bars_in_space_keeps_its_shape_whatever_is_held():
    """Strains do not depend on which dofs hold it."""
    frame = "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,.2\nGRID,4,,0.,1.,0.\nMAT1,1,7.+10,,.3,2700.\n"
    frame += "PBAR,1,1,1.-3,1.-6,2.-6,1.-6\n" + "".join(
        f"CBAR,{k},1,{a},{b},0.,0.3,1.\n" for k, (a, b) in enumerate([(1, 2), (2, 3), (3, 4), (4, 1)], 1)
    )
    frame = "LOAD=1\nBEGIN BULK\n" + frame + "FORCE,1,3,,5.,1.,2.,3.\nMOMENT,1,2,,4.,1.,0.,1.\n"
    ways = ("PARAM,INREL,-2\n", "PARAM,INREL,-1\nSUPORT,1,123456\n", "PARAM,INREL,-1\nSUPORT,3,123456\n")
    forces = [ist.static(model(frame + way)).forces["CBAR"].values for way in ways]
    assert np.abs(forces[0]).max() > 0.1
    for other in forces[1:]:
        np.testing.assert_allclose(other, forces[0], rtol=1e-6, atol=1e-7)


def test_supports_that_do_not_fit_are_named():
    with pytest.raises(ModelError, match="INREL -1 needs SUPORT"):
        ist.static(model(rod("PARAM,INREL,-1\n")))
    with pytest.raises(ModelError, match="do not hold the rigid motions"):
        ist.static(model(rod("PARAM,INREL,-1\nSUPORT,1,1,2,1\n")))
    with pytest.raises(ModelError, match="leave no rigid motion free"):
        ist.static(model(rod("PARAM,INREL,-2\nSPC1,4,1,1\n", "SPC=4\n")))


COMBINED = """SOL 101
CEND
SPC=1
SUBCASE 10
LOAD=1
SUBCASE 20
LOAD=2
SUBCOM 30
SUBSEQ=-2.,3.
SUBCOM 40
SUBSEQ=5.
BEGIN BULK
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
SPC1,1,123456,1
MAT1,1,7.+10,,.3
PBAR,1,1,1.-3,1.-6,2.-6,1.-6
CBAR,1,1,1,2,0.,1.,0.
FORCE,1,2,,7.,1.,2.,0.
PLOAD1,2,1,FY,FR,0.,3.,1.,5.
"""


def test_combinations_of_subcases():
    fe = model(COMBINED)
    one, two, both, last = (ist.static(fe, subcase=k) for k in (10, 20, 30, 40))
    np.testing.assert_allclose(np.asarray(both), -2.0 * np.asarray(one) + 3.0 * np.asarray(two), rtol=1e-14)
    np.testing.assert_allclose(
        np.asarray(last), 5.0 * np.asarray(two), rtol=1e-14
    )  # the last subcases before it
    found, parts = both.forces["CBAR"].values, [u.forces["CBAR"].values for u in (one, two)]
    np.testing.assert_allclose(found, -2.0 * parts[0] + 3.0 * parts[1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        both.spc_forces, -2.0 * one.spc_forces + 3.0 * two.spc_forces, rtol=1e-12, atol=1e-12
    )
    assert [u.subcase for u in ist.fem.static_subcases(fe)] == [10, 20, 30, 40]


def test_effective_masses_are_printed_and_add_up(tmp_path):
    path = tmp_path / "a.bdf"
    text = rod("SPC1,4,1,1\nEIGRL,3,,,20\n", "SPC=4\nMETHOD=3\nMEFFMASS(GRID=1,SUMMARY)=YES\n")
    path.write_text(text.replace("SOL 101", "SOL 103") + "ENDDATA\n")
    run = CliRunner()
    found = json.loads(run.invoke(app, ["modes", str(path), "--json"]).output)
    effective = found["effective_mass"]
    free = RHO_A * L * (1.0 - 0.5 / N)  # half an element stands on the held grid
    assert effective["total"][0] == pytest.approx(free, rel=1e-9)
    assert effective["rigid_body_mass"][0] == pytest.approx(RHO_A * L, rel=1e-9)
    assert effective["about"] == "grid 1"
    assert "MEFFMASS" not in found["ignored_requests"]
    shown = run.invoke(app, ["modes", str(path)]).output
    assert "modal effective mass about grid 1" in shown
    rows = [
        line.split("│")
        for line in shown.split("modal effective mass")[1].splitlines()
        if line.startswith("│")
    ]
    assert {cell.strip() for cell in rows[0][3:8]} == {"0"}  # a rod moves along itself alone
    # first mode of the held rod of lumped masses: sines, about 8/π² of the mass
    m = np.full(N, RHO_A * L / N)
    m[-1] *= 0.5
    shape = np.sin(0.5 * np.pi * np.arange(1, N + 1) / N)
    assert effective["effective_mass"][0][0] == pytest.approx((m @ shape) ** 2 / (m @ shape**2), rel=1e-8)
