"""Elastic strains: Hooke's law by itself, displacement fields that are known, and the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import interstage as ist
from interstage.cli.main import app
from interstage.fem.elements.block import OutputOptions
from interstage.fem.recovery import Recovery
from interstage.nastran import deck_from_text

E, NU, T = 7e10, 0.3, 0.01
EPS, KAPPA = np.array([1e-4, -3e-5, 5e-5]), np.array([2e-3, 1e-3, -4e-3])  # εx εy γxy and κx κy κxy


def plates(material="MAT1,1,7.+10,,.3", angle=0.0, fields=""):
    """A parallelogram and a triangle in a plane that is turned about x."""
    c, s = np.cos(0.4), np.sin(0.4)
    places = ((0.0, 0.0), (1.2, 0.0), (1.5, 0.8), (0.3, 0.8), (2.0, 0.1))
    bulk = "".join(f"GRID,{i + 1},,{x},{c * y:.12f},{s * y:.12f}\n" for i, (x, y) in enumerate(places))
    bulk += f"CQUAD4,1,1,1,2,3,4,{angle}\nCTRIA3,2,1,2,5,3,{angle}\nPSHELL,1,1,{T},1,,1{fields}\n{material}\n"
    return deck_from_text(f"SOL 101\nCEND\nSTRESS(CORNER) = ALL\nBEGIN BULK\n{bulk}ENDDATA\n")


def motion(fe):
    """Displacements of constant membrane strains and curvatures in axes (x, in-plane y) of the plates."""
    R = np.array([[1, 0, 0], [0, np.cos(0.4), -np.sin(0.4)], [0, np.sin(0.4), np.cos(0.4)]])
    x, y, _ = (fe.grids.xyz @ R).T
    u = np.zeros((len(x), 6))
    u[:, 0], u[:, 1] = EPS[0] * x + 0.5 * EPS[2] * y, EPS[1] * y + 0.5 * EPS[2] * x
    kx, ky, kxy = KAPPA
    u[:, 2] = -0.5 * (kx * x * x + ky * y * y + kxy * x * y)
    u[:, 3], u[:, 4] = -(ky * y + 0.5 * kxy * x), kx * x + 0.5 * kxy * y  # θx = w,y  θy = -w,x
    return np.concatenate([u[:, :3] @ R.T, u[:, 3:] @ R.T], axis=1).ravel()


def in_axes(e, turn):
    """Engineering strains in axes turned by an angle."""
    c, s = np.cos(turn), np.sin(turn)
    x, y, g = e
    return np.array(
        [
            c * c * x + s * s * y + c * s * g,
            s * s * x + c * c * y - c * s * g,
            2 * c * s * (y - x) + (c * c - s * s) * g,
        ]
    )


@pytest.mark.parametrize(
    ("material", "angle"),
    [("MAT1,1,7.+10,,.3", 0.0), ("MAT8,1,9.+10,2.+10,.25,8.+9,8.+9,8.+9", 25.0)],
    ids=["isotropic", "orthotropic"],
)
@pytest.mark.parametrize("name", ["CQUAD4", "CTRIA3"])
def test_fibres_of_a_known_field(name, material, angle):
    """ε + zκ whatever the material, at the centre and at all corners."""
    fe = ist.FEModel.from_deck(plates(material, angle))
    table = Recovery(fe, motion(fe)).strains[name]
    d13, d24 = np.array([1.5, 0.8]), np.array([-0.9, 0.8])
    along = d13 / np.linalg.norm(d13) - d24 / np.linalg.norm(d24)
    turn = np.arctan2(along[1], along[0]) if name == "CQUAD4" else np.arctan2(0.1, 0.8)
    for row in table.values:
        z = row[0]
        assert abs(z) == pytest.approx(T / 2)
        e = in_axes(EPS + z * KAPPA, turn)
        np.testing.assert_allclose(row[1:4], e, atol=1e-9 * 1e-4 + 1e-13)
        values = np.linalg.eigvalsh([[e[0], e[2] / 2], [e[2] / 2, e[1]]])
        np.testing.assert_allclose(row[5:7], values[::-1], atol=1e-12)
        mises = np.sqrt(4 / 9 * (e[0] ** 2 + e[1] ** 2 - e[0] * e[1]) + e[2] ** 2 / 3)
        assert row[7] == pytest.approx(mises, rel=1e-8)
    assert table.columns[1:4] == ("exx", "eyy", "exy")


@pytest.mark.parametrize("name", ["CQUAD4", "CTRIA3"])
def test_strain_and_curvature_of_a_known_field(name):
    """As a run of Nastran lists them: ε beside 0, and beside -1 what bending alone strains there, -κ."""
    fe = ist.FEModel.from_deck(plates())
    fibers = Recovery(fe, motion(fe), OutputOptions()).strains[name]
    table = Recovery(fe, motion(fe), OutputOptions(curvature=True)).strains[name]
    assert table.columns == ("fiber_curvature", *fibers.columns[1:])
    np.testing.assert_array_equal(table.values[:, 0], [0.0, -1.0])
    (low, high), (z0, z1) = fibers.values[:, 1:4], fibers.values[:, 0]
    np.testing.assert_allclose(table.values[0, 1:4], (low + high) / 2, atol=1e-13)
    np.testing.assert_allclose(table.values[1, 1:4], -(high - low) / (z1 - z0), atol=1e-11)
    # the sum of normal parts does not depend on axes
    assert table.values[0, 1:3].sum() == pytest.approx(EPS[:2].sum(), rel=1e-8)
    assert table.values[1, 1:3].sum() == pytest.approx(-KAPPA[:2].sum(), rel=1e-8)


def test_shells_obey_hookes_law():
    """Strains of any motion are the compliance times the stresses that are recovered beside them."""
    fe = ist.FEModel.from_deck(plates())
    found = Recovery(fe, 1e-3 * np.random.default_rng(1).normal(size=fe.grids.n_dof))
    for name in ("CQUAD4", "CTRIA3"):
        s, e = found.stresses[name].values, found.strains[name].values
        x, y, xy = s[:, 1], s[:, 2], s[:, 3]
        wanted = np.stack([x - NU * y, y - NU * x, 2 * (1 + NU) * xy], axis=1) / E
        np.testing.assert_allclose(e[:, 1:4], wanted, atol=1e-10 * np.abs(wanted).max())
        np.testing.assert_allclose(e[:, 4], s[:, 4], atol=1e-6)


BAR = """SOL 101
CEND
SPC = 1
LOAD = 1
BEGIN BULK
GRID,1,,0.,0.,0.
GRID,2,,2.,0.,0.
CBAR,1,1,1,2,0.,1.,0.
CBEAM,2,2,1,2,0.,1.,0.
PBARL,1,1,,BAR
,.04,.06
PBEAML,2,1,,BAR
,.04,.06
MAT1,1,7.+10,,.3
SPC1,1,123456,1
FORCE,1,2,,1.,3000.,40.,0.
ENDDATA
"""


def test_bars_and_beams(tmp_path):
    """Tip force on two equal bars: ε = N/EA ± M c/EI at the root, half of the load each."""
    u = ist.static(ist.FEModel.from_deck(deck_from_text(BAR)))
    A, I = 0.04 * 0.06, 0.04 * 0.06**3 / 12
    axial, bend = 1500.0 / (E * A), 20.0 * 2.0 * 0.03 / (E * I)
    bars, beams = u.strains["CBAR"], u.strains["CBEAM"]
    assert bars.column("axial")[0] == pytest.approx(axial, rel=1e-6)
    assert bars.column("emaxa")[0] == pytest.approx(
        axial + bend, rel=1e-3
    )  # shear shares out a little otherwise
    assert beams.column("smax")[0] == pytest.approx(axial + bend, rel=1e-3)
    np.testing.assert_allclose(beams.values[:, :6], u.stresses["CBEAM"].values[:, :6] / E, rtol=1e-12)
    deck = tmp_path / "bars.bdf"
    deck.write_text(BAR)
    said = CliRunner().invoke(app, ["static", str(deck), "--json", "--strains"])
    table = json.loads(said.stdout)["subcases"]["1"]["strains"]["CBAR"]
    assert table["columns"][:5] == ["e1a", "e2a", "e3a", "e4a", "axial"] and table["element_ids"] == [1]
