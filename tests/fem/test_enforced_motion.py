"""Enforced motion, delays, tables of frequency and element results of responses against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from test_response import CHAIN, model

import interstage as ist

M, C, K = 2.0, 3.0, 800.0
# a mass on a spring and a damper on a base that is held, and a second mass on the base itself
BASE = f"GRID,1\nGRID,2\nCELAS2,1,{K},1,1,2,1\nCDAMP2,2,{C},1,1,2,1\nCMASS2,3,{M},2,1\nCMASS2,4,5.,1,1\n"
BASE += "SPC1,1,23456,1,2\nSPC1,1,1,1\nSPCD,3,1,1,.5\n"
FLAT = "TABLED1,4\n,0.,1.,1000.,1.,ENDT\n"
HERTZ = np.array([0.5, 2.0, 3.0, 6.0])


@pytest.mark.parametrize("sol", [108, 111])
@pytest.mark.parametrize(("kind", "order"), [("DISP", 0), ("VELO", 1), ("ACCE", 2), ("3", 2)])
def test_a_shaken_base(sol, kind, order):
    """(k + iωc) u_base / (k - ω²m + iωc), and what holds the base: both masses' inertia."""
    bulk = BASE + f"RLOAD1,5,3,,,4,,{kind}\n" + FLAT + "FREQ,7,.5,2.,3.,6.\n"
    found = ist.frequency_response(model(bulk, sol, "SPC = 1", modes=1))
    w = 2 * np.pi * HERTZ
    base = 0.5 / (1j * w) ** order
    mass = (K + 1j * w * C) * base / (K - w**2 * M + 1j * w * C)
    np.testing.assert_allclose(found.at(1)[0], base, rtol=1e-12)
    np.testing.assert_allclose(found.at(2)[0], mass, rtol=1e-9)
    np.testing.assert_allclose(found.spc_forces[0], -(w**2) * (M * mass + 5.0 * base), rtol=1e-8)
    np.testing.assert_allclose(found.forces["CELAS2"].values[:, 0, 0], K * (base - mass), rtol=1e-8)


@pytest.mark.parametrize("sol", [109, 112])
@pytest.mark.parametrize("kind", ["DISP", "VELO", "ACCE"])
def test_a_base_that_moves_in_time(sol, kind):
    """The base follows 1 - cos, given as displacement, velocity or acceleration: a tight Runge-Kutta solution."""
    rate, step = 5.0, 0.0005
    t = np.arange(2001) * step
    motion = {
        "DISP": 1 - np.cos(rate * t),
        "VELO": rate * np.sin(rate * t),
        "ACCE": rate**2 * np.cos(rate * t),
    }
    rows = "".join(f",{a:.4f},{b:.8f},{c:.4f},{d:.8f}\n" for a, b, c, d in zip(
        t[:-1:2], motion[kind][:-1:2], t[1::2], motion[kind][1::2]))  # fmt: skip
    bulk = (
        BASE
        + f"TLOAD1,5,3,,{kind},4\nTABLED1,4\n{rows},1.,{motion[kind][-1]:.8f},ENDT\nTSTEP,8,2000,{step},40\n"
    )
    found = ist.transient_response(model(bulk, sol, "SPC = 1", modes=1), exact_start=True)

    def rates(t, y):
        u, v = 0.5 * (1 - np.cos(rate * t)), 0.5 * rate * np.sin(rate * t)
        return [y[1], (K * (u - y[0]) + C * (v - y[1])) / M]

    true = solve_ivp(rates, (0.0, 1.0), [0.0, 0.0], t_eval=found.time, rtol=1e-10, atol=1e-12).y
    base = 0.5 * (1 - np.cos(rate * found.time))
    np.testing.assert_allclose(found.at(1)[0], base, atol=2e-5)
    # the scheme lengthens periods by (ωh)²/8; differences of tables of eight digits are rough
    np.testing.assert_allclose(found.at(2)[0], true[0], atol=2e-3 * np.abs(true[0]).max())


def test_enforced_motion_of_a_flexible_part_beside_forces():
    """A chain held at both ends, one of them shaken and a mass loaded: by modes with residual vectors and directly."""
    bulk = "GRID,1\nGRID,5\nSPOINT,2,3,4\nCELAS2,1,100.,1,1,2\nCELAS2,2,80.,2,,3\nCELAS2,3,90.,3,,4\n"
    bulk += "CELAS2,4,70.,4,,5,1\nCMASS2,12,1.,2\nCMASS2,13,2.,3\nCMASS2,14,1.5,4\nCDAMP2,20,.6,1,1,3\n"
    bulk += "SPC1,1,123456,1,5\nSPCD,3,1,1,.5\nSPCD,3,2,0,9.\n"
    bulk += "DAREA,30,3,0,7.\nRLOAD1,21,3,,,4,,DISP\nRLOAD1,22,30,,,4\n"
    bulk += "DLOAD,5,1.,1.,21,2.,22\n" + FLAT + "FREQ,7,0.,.4,1.1,1.9\nPARAM,G,.03\n"
    direct = ist.frequency_response(model(bulk, 108, "SPC = 1"))
    modal = ist.frequency_response(model(bulk, 111, "SPC = 1", modes=3))
    np.testing.assert_allclose(modal.displacement, direct.displacement, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(modal.spc_forces, direct.spc_forces, rtol=1e-7, atol=1e-9)
    assert any("SPCD on scalar point 2 is left out" in note for note in direct.notes)


def test_delays_and_phases_point_by_point():
    """DELAY and DPHASE cards: two loads of one set, of which one is late and turned."""
    bulk = (
        "SPOINT,1,2\nCMASS2,1,1.,1\nCMASS2,2,1.,2\nCELAS2,3,100.,1\nCELAS2,4,100.,2\nDAREA,3,1,0,1.,2,0,1.\n"
    )
    late = "DELAY,31,2,0,.05\nDPHASE,32,2,0,-40.\n"
    steady = model(bulk + late + "RLOAD1,5,3,31,32,4\n" + FLAT + "FREQ,7,.5,1.\n")
    u = ist.frequency_response(steady).displacement
    turn = np.exp(1j * (np.deg2rad(-40.0) - 2 * np.pi * np.array([0.5, 1.0]) * 0.05))
    np.testing.assert_allclose(u[1], u[0] * turn, rtol=1e-12)
    ramp = "TABLED1,4\n,0.,0.,1.,1.,ENDT\nTSTEP,8,40,.01,1\n"
    moved = ist.transient_response(
        model(bulk + late + "TLOAD1,5,3,31,,4\n" + ramp, 112, modes=2)
    ).displacement
    np.testing.assert_allclose(moved[1, 5:], moved[0, :-5], atol=1e-12)
    assert not moved[1, :6].any()


@pytest.mark.parametrize("sol", [108, 111])
def test_springs_and_dampers_that_change_with_frequency(sol):
    """PELAST, PDAMPT and PBUSHT on masses: k(f) (1 + i ge(f)) + iω b(f); by modes the nominal ones make the modes."""
    tables = "TABLED1,21\n,0.,500.,10.,1500.,ENDT\nTABLED1,22\n,0.,.1,10.,.3,ENDT\nTABLED1,23\n,0.,1.,10.,4.,ENDT\n"
    bulk = "SPOINT,1\nGRID,2\nGRID,3\nCELAS1,1,8,1\nPELAS,8,800.,.05\nPELAST,8,21,22\n"
    bulk += "CDAMP1,2,9,1\nPDAMP,9,2.\nPDAMPT,9,23\n"
    bulk += "CMASS2,3,2.,1\nCMASS2,4,2.,3,1\nSPC1,1,123456,2\nSPC1,1,23456,3\nCBUSH,5,10,2,3,,,,0\n"
    bulk += "PBUSH,10,K,800.\n,,B,2.\n,,GE,.05\nPBUSHT,10,K,21\n,,B,23\n,,GE,22\n" + tables
    bulk += "DAREA,3,1,0,10.,3,1,10.\nRLOAD1,5,3,,,4\n" + FLAT + "FREQ,7,1.,3.,8.\n"
    found = ist.frequency_response(model(bulk, sol, "SPC = 1", modes=2))
    f = np.array([1.0, 3.0, 8.0])
    w = 2 * np.pi * f
    stiff = (500.0 + 100.0 * f) * (1 + 1j * (0.1 + 0.02 * f)) + 1j * w * (1.0 + 0.3 * f)
    wanted = 10.0 / (stiff - 2.0 * w**2)
    np.testing.assert_allclose(found.at(1)[0], wanted, rtol=1e-9)
    np.testing.assert_allclose(found.at(3)[0], wanted, rtol=1e-9)
    np.testing.assert_allclose(found.forces["CBUSH"].values[:, 0, 0], stiff * wanted, rtol=1e-9)
    at = found.grids.dof_of(2, 1)
    np.testing.assert_allclose(found.spc_forces[at], -stiff * wanted, rtol=1e-9)


def test_motion_from_initial_conditions_alone():
    """TIC without DLOAD: the free decay of an oscillator."""
    bulk = f"SPOINT,1\nCMASS2,1,{M},1\nCDAMP2,2,{C},1\nCELAS2,3,{K},1\nTIC,2,1,0,.01,0.\nTSTEP,8,100,.01,1\n"
    deck = "SOL 112\nCEND\nTSTEP = 8\nMETHOD = 9\nIC = 2\nBEGIN BULK\nEIGRL,9,,,1\n"
    from interstage.nastran import deck_from_text

    found = ist.transient_response(ist.FEModel.from_deck(deck_from_text(deck + bulk)))
    a, t = C / 2 / M, found.time
    wd = np.sqrt(K / M - a**2)
    np.testing.assert_allclose(
        found.at(1)[0], 0.01 * np.exp(-a * t) * (np.cos(wd * t) + a / wd * np.sin(wd * t)), atol=1e-10
    )


def test_the_later_of_two_requests_counts():
    """FREQ and FREQUENCY are one command; that of a subcase stands behind those above it."""
    bulk = CHAIN + "RLOAD1,31,12,,,4\nRLOAD1,32,19,,,4\n" + FLAT + "FREQ,7,1.\nFREQ,17,2.\nFREQ,27,3.\n"
    for case, wanted in (
        ("FREQUENCY = 17", 2.0),
        ("FREQUENCY = 17\nFREQ = 27", 3.0),
        ("FREQUENCY = 17\nSUBCASE 1\nFREQ = 27", 3.0),
        ("SUBCASE 1\nFREQU = 17", 2.0),
    ):
        assert ist.frequency_response(model(bulk, 108, case)).frequencies_hz.tolist() == [wanted]


def test_stresses_of_steady_and_of_moving_bars():
    """A rod with a tip mass: stress is force over area, in frequency, in time, and no principal values in frequency."""
    rod = "GRID,1\nGRID,2,,1.,0.,0.\nCBAR,1,1,1,2,0.,1.,0.\nPBAR,1,1,1.-4,1.-9,2.-9,1.-9\n,.01,0.\nMAT1,1,7.+10,,.3\n"
    rod += "CONM2,2,2,,.5\nSPC1,1,123456,1\nSPC1,1,23456,2\nFORCE,3,2,,3.,1.,0.,0.\n"
    case = "SPC = 1"
    found = ist.frequency_response(model(rod + "RLOAD1,5,3,,,4\n" + FLAT + "FREQ,7,10.,100.\n", 108, case))
    w = 2 * np.pi * np.array([10.0, 100.0])
    force = 3.0 * 7e6 / (7e6 - 0.5 * w**2)
    np.testing.assert_allclose(found.forces["CBAR"].column("axial")[:, 0], force, rtol=1e-9)
    stress = found.stresses["CBAR"]
    np.testing.assert_allclose(stress.column("axial")[:, 0], force / 1e-4, rtol=1e-9)
    assert not {"smaxa", "MS_tension"} & set(stress.columns)
    ramp = "TLOAD1,5,3,,,4\nTABLED1,4\n,0.,0.,1.,1.,ENDT\nTSTEP,8,10,.1,1\n"
    moved = ist.transient_response(model(rod + ramp, 112, case, modes=1))
    np.testing.assert_allclose(moved.stresses["CBAR"].column("axial")[:, 0], 7e10 * moved.at(2)[0], rtol=1e-9)
    np.testing.assert_allclose(moved.spcforces[1][:, 0], -7e6 * moved.at(2)[0], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    "load", ["TLOAD1,5,3,,ACCE,4,,.6", "TLOAD1,5,3,,VELO,4,.5", "TLOAD2,5,3,,ACCE,0.,1.,2.,0.\n,0.,0.,,.6"]
)
def test_initial_conditions_of_enforced_motion_are_refused(load):
    """US0 and VS0 change the motion; forces have no use for them."""
    bulk = BASE + load + "\n" + FLAT + "TSTEP,8,10,.01,1\nDAREA,3,2,1,1.\n"
    with pytest.raises(ist.InterstageError, match="begins its motion with US0 and VS0"):
        ist.transient_response(model(bulk, 109, "SPC = 1"))
    for name in ("VELO", "ACCE"):
        bulk = bulk.replace(name, "LOAD")
    assert ist.transient_response(model(bulk, 109, "SPC = 1")).at(2)[0, -1] > 0.0


@pytest.mark.parametrize(
    "case", ["IC(MODAL) = 2", "IC(STATSUB,DIFFK) = 2", "IC(TZERO) = 2", "SDAMPING(HYBRID) = 3"]
)
def test_commands_whose_brackets_mean_other_cards_are_refused(case):
    """Their numbers are those of modal initial conditions, of a subcase, and of HYBDAMP."""
    bulk = BASE + "TLOAD1,5,13,,,4\nDAREA,13,2,1,1.\n" + FLAT
    bulk += "TSTEP,8,10,.01,1\nTIC,2,2,1,.1\nTABDMP1,3\n,0.,.1,9.,.1,ENDT\n"
    with pytest.raises(ist.InterstageError, match="in case control is not supported in responses"):
        ist.transient_response(model(bulk, 112, f"SPC = 1\n{case}", modes=1))
    plain = case[: case.index("(")] + " = " + case[-1]
    assert ist.transient_response(model(bulk, 112, f"SPC = 1\n{plain}", modes=1)).at(2)[0].any()
