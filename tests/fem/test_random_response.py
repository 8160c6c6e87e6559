"""Random responses against closed forms: white noise on an oscillator, cross spectra, base motion."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.linalg import solve_continuous_lyapunov
from test_response import model

import interstage as ist
from interstage.cli.main import main
from interstage.errors import InterstageError
from interstage.fem.dynamics import Gust
from interstage.fem.random_response import moments

M, C, K = 2.0, 3.0, 800.0
MASS = f"SPOINT,1\nCMASS2,1,{M},1\nCDAMP2,2,{C},1\nCELAS2,3,{K},1\n"
STEADY = "RLOAD1,5,3,,,4\nTABLED1,4\n,0.,1.,1000.,1.,ENDT\nDAREA,3,1,0,1.\n"
WHITE = "RANDPS,11,1,1,.3,0.,12\nTABRND1,12\n,0.,2.,1000.,2.,ENDT\n"


def test_white_noise_on_an_oscillator():
    """Lyapunov's equation gives the rms of displacement and velocity; their ratio is the crossing rate."""
    fe = model(MASS + STEADY + WHITE + "FREQ1,7,0.,.01,8000\n", 108, "RANDOM = 11")
    found = ist.random_response(fe)
    A = np.array([[0.0, 1.0], [-K / M, -C / M]])
    intensity = 0.5 * 0.6  # of the two-sided spectrum over frequency in Hz
    P = solve_continuous_lyapunov(A, -np.array([[0.0, 0.0], [0.0, intensity / M**2]]))
    assert found.displacement.rms[0] == pytest.approx(np.sqrt(P[0, 0]), rel=2e-4)
    assert found.velocity.rms[0] == pytest.approx(
        np.sqrt(P[1, 1]), rel=3e-3
    )  # what lies above 80 Hz is missing
    assert found.displacement.crossings[0] == pytest.approx(np.sqrt(K / M) / 2 / np.pi, rel=3e-3)
    w = 2 * np.pi * found.frequencies_hz
    np.testing.assert_allclose(
        found.displacement.at(1)[0], 0.6 / np.abs(K - w**2 * M + 1j * w * C) ** 2, rtol=1e-9
    )
    lags, R = found.autocorrelation("displacement", 1, 1, [0.0, 0.1, 0.3])
    zeta, w0 = C / 2 / np.sqrt(K * M), np.sqrt(K / M)
    wd = w0 * np.sqrt(1 - zeta**2)
    wanted = P[0, 0] * np.exp(-zeta * w0 * lags) * (np.cos(wd * lags) + zeta * w0 / wd * np.sin(wd * lags))
    np.testing.assert_allclose(R, wanted, atol=3e-4 * P[0, 0])


@pytest.mark.parametrize(
    ("step", "number", "told"), [(0.01, 8000, False), (0.05, 1600, False), (0.8, 100, True)]
)
def test_frequencies_that_do_not_resolve_a_resonance_are_told_of(step, number, told):
    """Half-power bandwidth 0.24 Hz at 3.2 Hz: steps of 0.05 Hz see it, steps of 0.8 Hz do not."""
    fe = model(MASS + STEADY + WHITE + f"FREQ1,7,0.,{step},{number}\n", 108, "RANDOM = 11")
    assert any("rms values may be off" in note for note in ist.random_response(fe).notes) == told


def test_a_resonance_beside_slow_motions_of_the_base_is_told_of(tmp_path, capsys):
    """Steps of 10 Hz beside a half-power bandwidth of 2 Hz: displacements of the base hide it, accelerations do not."""
    bulk = "GRID,1,,,,,,12456\nGRID,2,,,,,,12456\nCELAS2,1,98696.044,1,3,2,3\nCONM2,2,2,,1.\nSPC1,1,3,1\n"
    bulk += "PARAM,G,.04\nEIGRL,9,,,1\nRLOAD1,5,3,,,4,,ACCE\nSPCD,3,1,3,1.\nTABLED1,4\n,0.,1.,9999.,1.,ENDT\n"
    bulk += "RANDPS,11,1,1,1.,0.,12\nTABRND1,12\n,1.,.1,2000.,.1,ENDT\nENDDATA\n"
    head = "SOL 111\nCEND\nMETHOD = 9\nSPC = 1\nDLOAD = 5\nFREQ = 7\nRANDOM = 11\nBEGIN BULK\n"

    def said(frequencies, *options, asked=""):
        case = head.replace("BEGIN", f"{asked}BEGIN")
        (tmp_path / "base.bdf").write_text(case + frequencies + bulk)
        with pytest.raises(SystemExit) as stop:
            main(["response", str(tmp_path / "base.bdf"), *options])
        assert stop.value.code == 0
        return " ".join(capsys.readouterr().out.split())

    coarse = "FREQ1,7,1.,10.,200\n"
    assert "rms acceleration of grid 2 component 3" in said(coarse)
    # quantities that neither case control nor an option asks for are not told of
    assert "rms acceleration" not in said(coarse, asked="DISP = ALL\n")
    assert "rms acceleration" not in said(coarse, "--quantity", "displacement")
    told = said(coarse, asked="ACCE = ALL\n")
    assert "rms acceleration" in told and "rms displacement" not in told
    assert "rms acceleration" not in said("FREQ1,7,1.,1.,1999\nFREQ4,7,1.,200.,.3,201\n")


def test_the_csv_of_random_loads_holds_spectra(tmp_path, capsys):
    """The column of the mass on a spring is its displacement spectrum 0.6/|K - ω²M + iωC|², as --json has it."""
    text = "SOL 108\nCEND\nRANDOM = 11\nDLOAD = 5\nFREQ = 7\nDISP = ALL\nBEGIN BULK\n"
    text += f"{MASS}{STEADY}{WHITE}FREQ1,7,1.,1.,5\n"
    (tmp_path / "a.bdf").write_text(text)
    with pytest.raises(SystemExit) as ended:
        main(["response", str(tmp_path / "a.bdf"), "--csv", str(tmp_path / "a.csv"), "--json"])
    assert ended.value.code == 0
    out = json.loads(capsys.readouterr().out)
    head, *rows = [line.split(",") for line in (tmp_path / "a.csv").read_text().splitlines()]
    assert head == ["frequency_hz", "1_t1_psd"]
    f, psd = np.array(rows, dtype=float).T
    w = 2 * np.pi * f
    np.testing.assert_allclose(psd, 0.6 / np.abs(K - w**2 * M + 1j * w * C) ** 2, rtol=1e-9)
    np.testing.assert_array_equal(psd, out["random"]["displacement"]["1"]["psd"][0])
    assert out["displacement"] == out["points"]


def test_the_command_refuses_random_loads_that_are_not_there(tmp_path, capsys):
    text = (
        f"SOL 108\nCEND\nRANDOM = 33\nDLOAD = 5\nFREQ = 7\nBEGIN BULK\n{MASS}{STEADY}{WHITE}FREQ1,7,1.,1.,5\n"
    )
    (tmp_path / "a.bdf").write_text(text)
    with pytest.raises(SystemExit) as ended:
        main(["response", str(tmp_path / "a.bdf")])
    assert ended.value.code == 2
    assert "RANDOM = 33 selects RANDPS cards that are not in the deck" in capsys.readouterr().err


def test_miles_equation_of_a_shaken_base():
    """Base acceleration of 0.04 g²/Hz on an oscillator: rms ≈ √(π/2 f Q S), here 1 % off with ζ = 0.02."""
    bulk = "GRID,1\nGRID,2\nCELAS2,1,394.784176,1,1,2,1\nCMASS2,2,.01,2,1\nSPC1,1,23456,1,2\nSPC1,1,1,1\n"
    bulk += "RLOAD1,5,3,,,4,,ACCE\nTABLED1,4\n,0.,1.,1000.,1.,ENDT\nSPCD,3,1,1,1.\n"
    bulk += "TABDMP1,6,CRIT\n,0.,.02,999.,.02,ENDT\n"
    bulk += "RANDPS,11,1,1,1.,0.,12\nTABRND1,12,LOG,LOG\n,1.,.04,1000.,.04,ENDT\nFREQ1,7,1.,.02,15000\n"
    found = ist.random_response(model(bulk, 111, "SPC = 1\nRANDOM = 11\nSDAMPING = 6", modes=1))
    f0, Q = np.sqrt(394.784176 / 0.01) / 2 / np.pi, 25.0
    assert found.acceleration.rms[6] == pytest.approx(np.sqrt(np.pi / 2 * f0 * Q * 0.04), rel=0.01)
    spring = found.forces["CELAS2"]
    assert spring.columns == ("spring_force",)
    # the spring carries the mass: force = m a but for the damper
    assert spring.rms[0, 0] == pytest.approx(0.01 * found.acceleration.rms[6], rel=2e-3)
    # its constraint carries both
    assert found.spc_forces.rms[0] == pytest.approx(spring.rms[0, 0], rel=1e-9)


PAIR = "SPOINT,1,2\nCMASS2,1,1.,1\nCMASS2,2,2.,2\nCELAS2,3,300.,1\nCELAS2,4,200.,1,,2\nCDAMP2,5,1.5,1\nCDAMP2,6,.7,2\n"
LOADS = (
    "DAREA,31,1,0,1.\nDAREA,32,2,0,1.\nRLOAD1,21,31,,,4\nRLOAD1,22,32,,,4\nTABLED1,4\n,0.,1.,99.,1.,ENDT\n"
)
TWO = "SUBCASE 1\nDLOAD = 21\nSUBCASE 2\nDLOAD = 22\n"
CROSS = "RANDPS,11,1,1,2.,0.\nRANDPS,11,2,2,1.,0.\nRANDPS,11,1,2,.5,.8,12\nTABRND1,12\n,0.,1.,10.,2.,ENDT\n"


def test_loads_that_belong_together():
    """Two loads with a complex cross spectrum: H S H* by hand, with the cross spectrum of two answers."""
    fe = model(PAIR + LOADS + CROSS + "FREQ,7,.5,1.,2.,3.\n", 108, "RANDOM = 11\n" + TWO)
    found = ist.random_response(fe)
    f = np.array([0.5, 1.0, 2.0, 3.0])
    np.testing.assert_allclose(found.frequencies_hz, f)
    for k, w in enumerate(2 * np.pi * f):
        Z = (
            np.array([[500.0, -200.0], [-200.0, 200.0]])
            - w**2 * np.diag([1.0, 2.0])
            + 1j * w * np.diag([1.5, 0.7])
        )
        H = np.linalg.inv(Z)
        s = (0.5 + 0.8j) * (1.0 + f[k] / 10.0)
        S = H @ np.array([[2.0, s], [s.conjugate(), 1.0]]) @ H.conj().T
        np.testing.assert_allclose(found.displacement.psd[:, k], np.diag(S).real, rtol=1e-10)
        cross = found.cross_spectrum(("velocity", 1, 1), ("displacement", 2, 1))[k]
        assert cross == pytest.approx(1j * w * S[0, 1], rel=1e-10)


def test_moments_of_straight_spectra():
    """∫ S and ∫ f² S of a spectrum with one corner, exactly, on any grid of frequencies that holds the corner."""
    f = np.array([1.0, 2.0, 3.5, 6.0])
    rms, rate = moments(np.interp(f, [1.0, 2.0, 6.0], [0.0, 4.0, 1.0]), f)
    fine = np.linspace(1.0, 6.0, 500_001)
    S = np.interp(fine, [1.0, 2.0, 6.0], [0.0, 4.0, 1.0])
    area = np.trapezoid(S, fine)
    assert rms == pytest.approx(np.sqrt(area)) and rate == pytest.approx(
        np.sqrt(np.trapezoid(fine**2 * S, fine) / area)
    )


def test_turbulence_has_its_rms():
    """Spectra of von Kármán and Dryden over frequency hold the mean square of the gust."""
    f = np.concatenate([[0.0], np.logspace(-4, 5, 200_000)])
    for k, p in ((1.339, 1.0 / 3.0), (1.0, 0.5)):
        assert np.trapezoid(Gust(0.2, 6.0, k, p)(f), f) == pytest.approx(36.0, rel=2e-3)


@pytest.mark.parametrize(
    ("bulk", "case", "words"),
    [
        (WHITE, "", "no subcase selects random loads"),
        (WHITE, "RANDOM = 13", "RANDOM = 13 selects RANDPS cards that are not"),
        (WHITE.replace("11,1,1", "11,1,4"), "RANDOM = 11", "names subcase 4"),
        (WHITE.replace("11,1,1", "11,2,1"), "RANDOM = 11", "J first"),
        (WHITE.replace(".3,0.", ".3,1."), "RANDOM = 11", "cannot have an imaginary part"),
        (WHITE.replace("TABRND1,12", "TABRND1,13"), "RANDOM = 11", "table 12, which is neither"),
        (WHITE.replace("0.,2.,", "0.,-2.,"), "RANDOM = 11", "a spectrum cannot be below zero"),
    ],
)
def test_mistakes_in_random_loads(bulk, case, words):
    with pytest.raises(InterstageError, match=words):
        ist.random_response(model(MASS + STEADY + bulk + "FREQ1,7,.5,.5,4\n", 108, case))


def test_random_response_from_the_command_line(tmp_path, capsys):
    """Spectra, rms, crossings and autocorrelation in JSON are those of Python; the table names what RANDPS gave."""
    text = "SOL 108\nCEND\nDLOAD = 5\nFREQ = 7\nRANDOM = 11\nBEGIN BULK\n" + MASS + STEADY + WHITE
    path = tmp_path / "shaken.bdf"
    path.write_text(text + "FREQ1,7,.5,.5,20\nRANDT1,11,4,0.,.4\nENDDATA\n")
    found = ist.random_response(ist.FEModel.from_deck(path))

    def run(*more):
        with pytest.raises(SystemExit) as stop:
            main(["response", str(path), *more])
        assert stop.value.code == 0
        return capsys.readouterr().out

    out = json.loads(run("--json", "--forces"))
    random = out["random"]
    np.testing.assert_allclose(random["displacement"]["1"]["psd"], found.displacement.at(1))
    assert random["acceleration"]["1"]["rms"][0] == pytest.approx(found.acceleration.rms[0])
    assert random["forces"]["CELAS2"]["rms"][0][0] == pytest.approx(found.forces["CELAS2"].rms[0, 0])
    np.testing.assert_allclose(
        random["autocorrelation"]["1"][0], found.autocorrelation("displacement", 1, 1)[1]
    )
    assert out["forces"]["CELAS2"]["values"]["real"]
    assert "random" not in json.loads(run("--json", "--no-random"))
    shown = run("--stresses")
    assert "random response, RANDPS 11" in shown and f"{found.velocity.rms[0]:.6g}" in shown
    assert "rms stresses of CELAS2" in shown and "largest forces of CELAS2" in run("--forces", "--no-random")


def test_spectra_that_fall_below_zero_are_refused():
    """A table that falls goes on beyond its end; two points at zero end it."""
    table = "RANDPS,11,1,1,.3,0.,12\nTABRND1,12\n,0.,2.,4.,2.,4.1,0.{end},ENDT\nFREQ1,7,0.,1.,9\n"
    with pytest.raises(InterstageError, match=r"RANDPS 11 \(table 12\) is below zero at 9 Hz"):
        ist.random_response(model(MASS + STEADY + table.format(end=""), 108, "RANDOM = 11"))
    found = ist.random_response(model(MASS + STEADY + table.format(end=",9.,0."), 108, "RANDOM = 11"))
    assert found.displacement.rms[0] > 0.0
    np.testing.assert_allclose(found.loads[0, 0], [0.6] * 5 + [0.0] * 5, atol=1e-15)
