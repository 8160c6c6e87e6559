"""Small decks through the command line, each beside its closed form."""

from __future__ import annotations

import json

import numpy as np
import pytest

from interstage.cli.main import main

MATERIAL = "MAT1,1,7.+10,,.3,2700.,2.-5,20.\n"
M, K, C = 2.0, 800.0, 4.0
OSCILLATOR = f"SPOINT,1\nCMASS2,1,{M},1\nCELAS2,2,{K},1\nCDAMP2,3,{C},1\n"


@pytest.fixture
def answer(tmp_path, capsys):
    def run(command, head, bulk, *options):
        path = tmp_path / "a.bdf"
        path.write_text(f"{head}\nBEGIN BULK\n{bulk}ENDDATA\n")
        with pytest.raises(SystemExit) as stop:
            main([command, str(path), *options, "--json"])
        out = capsys.readouterr().out
        assert stop.value.code == 0, out
        return json.loads(out)

    return run


def moved(out: dict, grid: int) -> np.ndarray:
    return np.array(out["subcases"]["1"]["displacements"][str(grid)])


def harmonic(out: dict, point: str) -> np.ndarray:
    value = out["points"][point]
    return np.array(value["real"])[0] + 1j * np.array(value["imaginary"])[0]


def test_a_free_brick_of_twenty_grids_under_a_linear_temperature(answer):
    """T = cz: u = αc(xz, yz, (z² - x² - y²)/2)."""
    corners = [(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0), (0, 0, 1), (2, 0, 1), (2, 1, 1), (0, 1, 1)]
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 5), (2, 6), (3, 7), (4, 5), (5, 6), (6, 7), (7, 4)]
    x = np.array(corners, float)
    x = np.concatenate([x, [(x[a] + x[b]) / 2 for a, b in edges]])
    c, alpha = 100.0, 2e-5
    bulk = "MAT1,1,7.+10,,.3,2700.,2.-5\nPSOLID,1,1\nCHEXA,1,1,1,2,3,4,5,6\n"
    bulk += ",7,8,9,10,11,12,13,14\n,15,16,17,18,19,20\n"
    bulk += "".join(f"GRID,{i + 1},,{a},{b},{d}\nTEMP,5,{i + 1},{c * d}\n" for i, (a, b, d) in enumerate(x))
    bulk += (
        f"SPC1,1,123,1\nSPC1,1,23,2\nSPC1,1,3,4\nSPCD,9,2,3,{-2 * alpha * c}\nSPCD,9,4,3,{-alpha * c / 2}\n"
    )
    out = answer("static", "SOL 101\nCEND\nSPC=1\nLOAD=9\nTEMP(LOAD)=5", bulk)
    x, y, z = x.T
    exact = alpha * c * np.column_stack([x * z, y * z, (z**2 - x**2 - y**2) / 2])
    np.testing.assert_allclose([moved(out, i + 1)[:3] for i in range(20)], exact, atol=1e-12)


@pytest.mark.parametrize(
    ("element", "force"),
    [
        ("CROD,1,1,1,2\nPROD,1,1,.01", 0.01),
        ("CONROD,1,1,2,1,.01", 0.01),
        ("CTUBE,1,1,1,2\nPTUBE,1,1,.2,0.", np.pi * 0.01),
        ("CBAR,1,1,1,2,0.,1.,0.\nPBAR,1,1,.01,1.-5,1.-5,1.-5", 0.01),
        ("CBEAM,1,1,1,2,0.,1.,0.\nPBEAM,1,1,.01,1.-5,1.-5,,1.-5", 0.01),
    ],
)
def test_held_lines_that_are_heated(answer, element, force):
    """N = -EAα(T - T_ref), and with an initial set -EAα(T - T_initial)."""
    bulk = MATERIAL + f"GRID,1\nGRID,2,,2.\n{element}\nSPC1,1,123456,1,2\nTEMPD,5,120.\nTEMPD,6,50.\n"
    for case, rise in (("", 100.0), ("\nTEMP(INIT)=6", 70.0)):
        out = answer("static", f"SOL 101\nCEND\nSPC=1\nTEMP(LOAD)=5{case}", bulk, "--spcforces")
        pushed = np.array(out["subcases"]["1"]["spcforces"]["1"])
        np.testing.assert_allclose(pushed[:3], [7e10 * force * 2e-5 * rise, 0.0, 0.0], rtol=1e-12, atol=1e-6)


def test_weight_by_combined_gravity_and_wtmass(answer):
    bulk = (
        f"PARAM,WTMASS,.1\n{MATERIAL}GRID,1\nGRID,2,,2.\nCBAR,1,1,1,2,0.,1.,0.\nPBAR,1,1,.01,1.-5,2.-5,1.-5\n"
    )
    bulk += (
        "CONM2,5,2,,10.\nSPC1,1,123456,1\nGRAV,7,,9.81,0.,-1.,0.\nGRAV,8,,1.,0.,0.,1.\nLOAD,3,2.,1.,7,-3.,8\n"
    )
    out = answer("static", "SOL 101\nCEND\nSPC=1\nLOAD=3", bulk, "--spcforces")
    mass = 0.1 * (2700.0 * 0.01 * 2.0 + 10.0)
    held = np.array(out["subcases"]["1"]["spcforces"]["1"])
    np.testing.assert_allclose(held[:3], [0.0, 2 * 9.81 * mass, 6.0 * mass], rtol=1e-12, atol=1e-9)


def test_a_spinning_rod_and_a_bush_off_its_middle(answer):
    """N = m r Ω²; a spring at a quarter of the way: v = F(1/k + a²/k_θ), θ = F a/k_θ with a = 3/4 L."""
    bulk = (
        "MAT1,1,7.+10,,.3\nGRID,1\nGRID,2,,1.\nCROD,1,1,1,2\nPROD,1,1,.01\nCONM2,5,2,,5.\nSPC1,1,123456,1\n"
    )
    bulk += "SPC1,1,23456,2\nRFORCE,3,1,,2.,0.,0.,1.\n"
    out = answer("static", "SOL 101\nCEND\nSPC=1\nLOAD=3", bulk, "--forces")
    assert out["subcases"]["1"]["forces"]["CROD"]["values"][0][0] == pytest.approx(5.0 * (4 * np.pi) ** 2)
    bulk = "GRID,1\nGRID,2,,2.\nCBUSH,1,1,1,2,0.,1.,0.,,.25\nPBUSH,1,K,1.+3,2.+3,3.+3,4.+3,5.+3,6.+3\n"
    out = answer("static", "SOL 101\nCEND\nSPC=1\nLOAD=3", bulk + "SPC1,1,123456,1\nFORCE,3,2,,1.,0.,1.,0.\n")
    np.testing.assert_allclose(moved(out, 2)[[1, 5]], [1 / 2e3 + 1.5**2 / 6e3, 1.5 / 6e3], rtol=1e-12)


def test_a_delayed_force_of_given_phase_and_combined_tables(answer):
    """H = 3 e^{i(30° - ωτ)}/(k - mω² + iωc), and tables by their definitions on a spring of 1."""
    bulk = (
        OSCILLATOR + "DAREA,8,1,0,3.\nRLOAD1,5,8,.01,30.,9\nTABLED1,9\n,0.,1.,100.,1.,ENDT\nFREQ1,7,1.,1.,9\n"
    )
    out = answer("response", "SOL 108\nCEND\nDLOAD=5\nFREQ=7", bulk)
    w = 2 * np.pi * np.array(out["frequency_hz"])
    truth = 3.0 * np.exp(1j * (np.pi / 6 - 0.01 * w)) / (K - M * w**2 + 1j * C * w)
    np.testing.assert_allclose(harmonic(out, "1"), truth, rtol=1e-12)
    bulk = (
        "SPOINT,1\nCELAS2,2,1.,1\nDAREA,8,1,0,1.\nRLOAD1,5,8,,,9,10\nRLOAD1,6,8,,,11\nDLOAD,50,2.,1.,5,3.,6\n"
    )
    bulk += "TABLED2,9,5.\n,0.,1.,10.,3.,ENDT\nTABLED3,10,1.,2.\n,0.,1.,10.,2.,ENDT\n"
    bulk += "TABLED4,11,1.,2.,0.,100.\n,1.,2.,3.,ENDT\nFREQ1,7,6.,1.,5\n"
    out = answer("response", "SOL 108\nCEND\nDLOAD=50\nFREQ=7", bulk)
    f = np.array(out["frequency_hz"])
    v = (f - 1.0) / 2.0
    truth = 2.0 * (1 + 0.2 * (f - 5) + 1j * (1 + 0.1 * v) + 3 * (1 + 2 * v + 3 * v**2))
    np.testing.assert_allclose(harmonic(out, "1"), truth, rtol=1e-12)


def test_structural_damping_of_the_model_and_of_its_material(answer):
    bulk = "PARAM,G,.04\nMAT1,1,7.+10,,.3,2700.,,,.06\nGRID,1\nGRID,2,,1.\nCROD,1,1,1,2\nPROD,1,1,1.-6\n"
    bulk += "CONM2,3,2,,2.\nSPC1,2,123456,1\nSPC1,2,23456,2\nDAREA,8,2,1,1.\nRLOAD2,5,8,,,9\n"
    bulk += "TABLED1,9\n,0.,1.,100.,1.,ENDT\nFREQ,7,10.,20.,30.\n"
    out = answer("response", "SOL 108\nCEND\nDLOAD=5\nFREQ=7\nSPC=2", bulk)
    w = 2 * np.pi * np.array(out["frequency_hz"])
    truth = 1.0 / (7e4 * (1 + 0.1j) - (2 + 2700 * 1e-6 / 2) * w**2)
    np.testing.assert_allclose(harmonic(out, "2"), truth, rtol=1e-12)


def test_cross_spectrum_of_two_loads_on_one_mass(answer):
    """S = |H|²(S₁₁ + 9 S₂₂ + 6 Re S₁₂) for loads of 1 and 3."""
    head = "SOL 108\nCEND\nFREQ=7\nRANDOM=6\nSUBCASE 1\nDLOAD=5\nSUBCASE 2\nDLOAD=15"
    bulk = "SPOINT,1\nCELAS2,2,2.,1\nCMASS2,3,.01,1\nDAREA,8,1,0,1.\nDAREA,9,1,0,3.\nRLOAD1,5,8,,,9\n"
    bulk += "RLOAD1,15,9,,,9\nTABLED1,9\n,0.,1.,100.,1.,ENDT\nFREQ1,7,.1,.1,3\nRANDPS,6,1,1,2.,0.,4\n"
    bulk += "RANDPS,6,2,2,5.,0.,4\nRANDPS,6,1,2,.5,.7,4\nTABRND1,4\n,0.,2.,100.,2.,ENDT\n"
    found = answer("response", head, bulk)["random"]
    H = 1.0 / (2.0 - 0.01 * (2 * np.pi * np.array(found["frequency_hz"])) ** 2)
    psd = found["displacement"]["1"]["psd"][0]
    np.testing.assert_allclose(psd, H**2 * (2 * 2 + 5 * 2 * 9 + 2 * 0.5 * 2 * 3), rtol=1e-12)


def test_gyroscopic_and_two_a_card_roots(answer):
    """Roots of M s² + C s + K by dense algebra: unsymmetric B2PP, and CMASS4, CELAS4, CDAMP4 with two elements."""

    def roots(mass, damping, stiffness):
        n = len(mass)
        A = np.block(
            [[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(mass, one) for one in (stiffness, damping)]]
        )
        return np.sort_complex(np.round(np.linalg.eigvals(A), 9))

    def found(bulk, case=""):
        out = answer("modes", f"SOL 107\nCEND\nCMETHOD=1{case}", bulk + "EIGC,1,HESS,MAX,,,,6\n")
        return np.sort_complex(np.round([complex(*one) for one in out["complex_eigenvalues"]], 9))

    bulk = f"SPOINT,1,2\nCMASS2,1,{M},1\nCMASS2,4,{M},2\nCELAS2,2,{K},1\nCELAS2,3,{K},2\nCDAMP2,5,{C},1\n"
    bulk += f"CDAMP2,6,{C},2\nDMIG,GY,0,1,1,0\nDMIG,GY,1,0,,2,0,6.\nDMIG,GY,2,0,,1,0,-6.\n"
    truth = roots(M * np.eye(2), np.array([[C, -6.0], [6.0, C]]), K * np.eye(2))
    np.testing.assert_allclose(found(bulk, "\nB2PP=GY"), truth, atol=1e-7)
    bulk = "SPOINT,1,2,3\nCMASS4,1,2.,1,,2,3.,2\nCELAS4,3,50.,1,2,4,80.,2,3\nCDAMP4,5,1.,1,,6,2.,3\nCMASS4,7,1.,3\n"
    stiffness = np.array([[50.0, -50, 0], [-50, 130, -80], [0, -80, 80]])
    truth = roots(np.diag([2.0, 3.0, 1.0]), np.diag([1.0, 0.0, 2.0]), stiffness)
    np.testing.assert_allclose(found(bulk), truth, atol=1e-7)
