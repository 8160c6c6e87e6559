"""Responses in frequency and time against closed forms, dense solutions and scipy."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import signal
from scipy.integrate import solve_ivp

import interstage as ist
from interstage.cli.main import main
from interstage.errors import InterstageError, ModelError, SolverError
from interstage.fem.dynamics import FrequencyList, Tabulated, TimeLoad
from interstage.nastran import deck_from_text

M, C, K = 2.0, 3.0, 800.0
MASS = f"SPOINT,1\nCMASS2,1,{M},1\nCDAMP2,2,{C},1\nCELAS2,3,{K},1\n"
CASE = "DLOAD = 5\nFREQ = 7\nTSTEP = 8\nMETHOD = 9\n"
HEAD = "SOL {sol}\nCEND\n" + CASE + "{case}\nBEGIN BULK\nEIGRL,9,,,{modes}\n"


def model(bulk, sol=108, case="", modes=4):
    return ist.FEModel.from_deck(deck_from_text(HEAD.format(sol=sol, case=case, modes=modes) + bulk))


STEADY = "RLOAD1,5,3,,,4\nTABLED1,4\n,0.,1.,1000.,1.,ENDT\nDAREA,3,1,0,10.\nFREQ1,7,.5,.25,30\n"


@pytest.mark.parametrize("sol", [108, 111])
def test_one_mass_in_frequency(sol):
    """10 / (k - ω²m + iωc), directly and by its mode."""
    found = ist.frequency_response(model(MASS + STEADY, sol, modes=1))
    f = 0.5 + 0.25 * np.arange(31)
    w = 2 * np.pi * f
    np.testing.assert_allclose(found.frequencies_hz, f)
    np.testing.assert_allclose(found.at(1)[0], 10.0 / (K - w**2 * M + 1j * w * C), rtol=1e-9)
    np.testing.assert_allclose(found.acceleration[0], -(w**2) * found.at(1)[0])


def test_structural_damping_and_phases():
    """PARAM G, GE of the spring, RLOAD2 with an angle by frequency, delay and phase, and a sum of loads."""
    bulk = "SPOINT,1\nCMASS2,1,2.,1\nCELAS2,3,800.,1,,,,.04\nPARAM,G,.02\nFREQ,7,1.,3.,9.\n"
    bulk += "DLOAD,5,2.,1.,21,.5,22\nDAREA,3,1,0,10.\nRLOAD2,21,3,.01,30.,4,6\nRLOAD1,22,3,,,4,4\n"
    bulk += "TABLED1,4\n,0.,1.,10.,2.,ENDT\nTABLED2,6,1.\n,0.,0.,8.,80.,ENDT\n"
    f = np.array([1.0, 3.0, 9.0])
    size, angle = 1.0 + f / 10.0, np.deg2rad(10.0 * (f - 1.0))
    first = size * np.exp(1j * (angle + np.pi / 6 - 2 * np.pi * f * 0.01))
    load = 2.0 * 10.0 * (first + 0.5 * size * (1 + 1j))
    wanted = load / (800.0 * (1 + 0.02j + 0.04j) - (2 * np.pi * f) ** 2 * 2.0)
    np.testing.assert_allclose(ist.frequency_response(model(bulk)).at(1)[0], wanted, rtol=1e-12)


BEAM = "".join(f"GRID,{k + 1},,{0.1 * k:.1f},0.,0.\n" for k in range(11))
BEAM += "".join(f"CBAR,{k},1,{k},{k + 1},0.,1.,0.\n" for k in range(1, 11))
BEAM += "PBAR,1,1,1.-4,1.-9,2.-9,1.-9\nMAT1,1,7.+10,,.3,2700.,,,.03\nSPC1,1,123456,1\n"
BEAM += "CDAMP2,90,5.,6,2\nRBE2,91,11,123456,12\nGRID,12,,1.,.2,0.\nCONM2,92,12,,.05\n"


def beam(sol, modes=40, more="", case="SPC = 1"):
    bulk = (
        BEAM + "RLOAD1,5,3,,,4\nTABLED1,4\n,0.,1.,1000.,1.,ENDT\nFORCE,3,12,,2.,1.,1.,.5\nFREQ1,7,5.,20.,20\n"
    )
    return model(bulk + more, sol, case, modes)


def test_direct_response_is_the_dense_solution():
    fe = beam(108)
    found = ist.frequency_response(fe)
    m, n, G = ist.fem.dependency_matrix(fe)
    T = np.zeros((fe.grids.n_dof, len(n)))
    T[n, np.arange(len(n))] = 1.0
    T[m] = G.toarray()
    keep = [k for k, dof in enumerate(n) if dof >= 6]
    T = T[:, keep]
    P = T.T @ fe.loads.vector(3)
    parts = [T.T @ A.toarray() @ T for A in (fe.K_gg, fe.M_gg, fe.B_gg, fe.K4_gg)]
    for k, f in enumerate(found.frequencies_hz[::5]):
        w = 2 * np.pi * f
        Z = parts[0] + 1j * parts[3] - w**2 * parts[1] + 1j * w * parts[2]
        dense = T @ np.linalg.solve(Z, P)
        np.testing.assert_allclose(found.displacement[:, 5 * k], dense, atol=1e-9 * np.abs(dense).max())


def test_all_modes_give_the_direct_response():
    """Lumped mass: modes of all dofs with mass, coupled by the damper, against the direct solution with GE alike."""
    direct = ist.frequency_response(beam(108))
    by_modes = ist.frequency_response(beam(111, modes=31))
    peak = np.abs(direct.at(12)[:3]).max()
    np.testing.assert_allclose(by_modes.at(12)[:3], direct.at(12)[:3], atol=2e-3 * peak)
    assert any("modes up to" in note for note in by_modes.notes)


def test_tables_of_modal_damping():
    """TABDMP1 as g, critical ratio and Q are the same damping, 2ζω of each mode."""
    more = "TABDMP1,6,{}\n,0.,{},1000.,{},ENDT\n"
    answers = []
    for kind, value in (("G", 0.04), ("CRIT", 0.02), ("Q", 25.0)):
        fe = model(MASS + STEADY + more.format(kind, value, value), 111, "SDAMPING = 6", modes=1)
        answers.append(ist.frequency_response(fe).at(1)[0])
    w, w0 = 2 * np.pi * (0.5 + 0.25 * np.arange(31)), np.sqrt(K / M)
    wanted = 10.0 / (K - w**2 * M + 1j * w * (C + 0.04 * w0 * M))
    for one in answers:
        np.testing.assert_allclose(one, wanted, rtol=1e-9)


def test_frequencies_of_modes():
    fractions = FrequencyList("fractions", np.array([0.5, 1.0]), 2.0, 50.0).hertz([10.0, 60.0])
    assert np.sort(fractions).tolist() == [5.0, 10.0, 30.0]
    around = FrequencyList("around", np.zeros(0), 1.0, 100.0, 3, 0.1).hertz([10.0, 20.0])
    np.testing.assert_allclose(np.sort(around), [9.0, 10.0, 11.0, 18.0, 20.0, 22.0])
    between = FrequencyList("between", np.zeros(0), 1.0, 9.0, 5, 0.0, 1.0).hertz([5.0])
    np.testing.assert_allclose(np.unique(between), np.arange(1.0, 10.0))
    fe = model(
        MASS + STEADY.replace("FREQ1,7,.5,.25,30", "FREQ4,7,1.,9.,.1,3\nFREQ2,7,1.,4.,2"), 111, modes=1
    )
    f0 = np.sqrt(K / M) / 2 / np.pi
    found = ist.frequency_response(fe).frequencies_hz
    np.testing.assert_allclose(found, np.sort([1.0, 2.0, 4.0, 0.9 * f0, f0, 1.1 * f0]), rtol=1e-9)


def test_spreads_reach_into_the_range_from_beside_it():
    """FREQ4 takes frequencies, not modes, between F1 and F2: a mode at 1.59 Hz gives 1.75 of 1.7 to 2.0."""
    low = FrequencyList("around", np.zeros(0), 10.5, 19.0, 3, 0.1)
    np.testing.assert_allclose(np.sort(low.hertz([10.0, 20.0])), [11.0, 18.0])
    one = FrequencyList("around", np.zeros(0), 1.0, 100.0, 1, 0.1)  # NFM = 1: the modes themselves
    np.testing.assert_allclose(one.hertz([10.0, 20.0]), [10.0, 20.0])


@pytest.mark.parametrize(("param", "wanted"), [("", [1.0, 1.5, 2.0]), ("PARAM,DFREQ,.6\n", [1.0, 2.0])])
def test_frequencies_that_nearly_agree_count_once(param, wanted):
    steady = STEADY.replace("FREQ1,7,.5,.25,30\n", "FREQ,7,1.,1.000001,1.5,1.500001\nFREQ,7,2.\n")
    found = ist.frequency_response(model(MASS + steady + param)).frequencies_hz
    np.testing.assert_allclose(found, wanted)


UNDAMPED = "SPOINT,1,2\nCMASS4,1,1.,1\nCMASS4,2,1.,2\nCELAS4,3,100.,1,2\n"


def test_a_free_structure_at_rest_and_at_resonance():
    """At 0 Hz modes leave out rigid motion, ±1/400 of each mass; a natural frequency without damping is a sentence."""
    steady = STEADY.replace("10.\n", "1.\n")
    static = ist.frequency_response(model(UNDAMPED + steady.replace("FREQ1,7,.5,.25,30", "FREQ,7,0."), 111))
    np.testing.assert_allclose(static.displacement[:, 0], [1 / 400, -1 / 400], rtol=1e-12)
    assert "rigid modes have no part at 0 Hz" in static.notes
    for sol, card in ((108, "FREQ,7,0."), (111, "FREQ5,7,1.,9.,1.")):
        with pytest.raises(SolverError, match="no steady motion"):
            ist.frequency_response(model(UNDAMPED + steady.replace("FREQ1,7,.5,.25,30", card), sol, modes=2))


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ("FREQ,7,-1.", "below zero"),
        ("FREQ1,7,1.,-1.,3", "below zero"),
        ("FREQ3,7,0.,9.,LOG", "F1 above zero"),
        ("FREQ5,7,90.,99.,1.", "give no frequency"),
        ("FREQ,7,1.\nTABLED1,4,LOG\n,0.,1.,2.,3.,ENDT", "up to zero"),
        (
            "FREQ,7,1.\nTABLED1,4\n,0.,1.,2.,3.,1.5,3.,ENDT",
            "ascend or descend throughout.*got 2 and then 1.5",
        ),
    ],
)
def test_frequencies_that_are_none(card, words):
    bulk = MASS + STEADY.replace("FREQ1,7,.5,.25,30", card)
    bulk = bulk.replace("TABLED1,4\n,0.,1.,1000.,1.,ENDT\n", "") if "TABLED1" in card else bulk
    with pytest.raises(InterstageError, match=words):
        ist.frequency_response(model(bulk, 111, modes=1))


PULSE = "TLOAD1,5,3,,,4\nTABLED1,4\n,0.,0.,.1,1.,.2,0.,.3,0.\n,10.,0.,ENDT\nDAREA,3,1,0,10.\n"
STEPS = "TSTEP,8,{},{},1\n"


def exact(t, load):
    system = signal.lti([1.0], [M, C, K])
    return signal.lsim(system, load, t)[1]


def test_one_mass_in_time_by_its_mode_is_exact():
    found = ist.transient_response(model(MASS + PULSE + STEPS.format(100, 0.01), 112, modes=1))
    load = 10.0 * np.interp(found.time, [0.0, 0.1, 0.2], [0.0, 1.0, 0.0])
    np.testing.assert_allclose(found.at(1)[0], exact(found.time, load), atol=1e-12)
    a = (load - C * found.velocity[0] - K * found.displacement[0]) / M
    np.testing.assert_allclose(found.acceleration[0], a, atol=1e-9)


def test_direct_steps_are_of_second_order():
    """Newmark's scheme against the exact answer; halving the step quarters the error, of speed and acceleration too."""
    errors = []
    for count, step in ((400, 0.0025), (800, 0.00125)):
        found = ist.transient_response(model(MASS + PULSE + STEPS.format(count, step), 109))
        load = 10.0 * np.interp(found.time, [0.0, 0.1, 0.2], [0.0, 1.0, 0.0])
        errors.append(np.abs(found.at(1)[0] - exact(found.time, load)).max())
    # (ωh)²/5 of the amplitude in one second of 3 Hz
    assert errors[1] < 2e-3 * 10.0 / K and 3.5 < errors[0] / errors[1] < 4.5


def test_waves_start_values_and_runs_of_unlike_steps():
    """TLOAD2 with growth and a power, TIC, and two runs of steps, against a tight Runge-Kutta solution."""
    bulk = MASS + "TLOAD2,5,3,.05,,.1,.498148,3.,20.\n,-1.,1.\nDAREA,3,1,0,10.\nTIC,2,1,0,.01,-.2\n"
    bulk += "TSTEP,8,400,.001,10\n,,300,.002,20\n"
    load = TimeLoad(3, 0.05, None, 0.1, 0.498148, 3.0, np.deg2rad(20.0), -1.0, 1.0)

    def rate(t, y):
        return [y[1], (10.0 * float(load(np.array([t]))[0]) - C * y[1] - K * y[0]) / M]

    # Newmark: phase (ωh)²/8 a radian, 20 radians of h = 0.002; modes: loads straight between steps,
    # which end where their wave passes zero
    for sol, tolerance in ((109, 6e-3), (112, 3e-4)):
        found = ist.transient_response(model(bulk, sol, "IC = 2", modes=1), exact_start=True)
        np.testing.assert_allclose(found.time[[0, 1, 40, 41, -1]], [0.0, 0.01, 0.4, 0.44, 1.0])
        true = solve_ivp(
            rate, (0.0, 1.0), [0.01, -0.2], t_eval=found.time, rtol=1e-10, atol=1e-12, max_step=0.002
        ).y
        np.testing.assert_allclose(found.at(1)[0], true[0], atol=tolerance * np.abs(true[0]).max())
        np.testing.assert_allclose(found.velocity[0], true[1], atol=2 * tolerance * np.abs(true[1]).max())


def test_structural_damping_in_time():
    """PARAM G at W3 and GE at W4 are dampers g k / w; without them they have no part, and a note says so."""
    spring = (
        "SPOINT,1\nCMASS2,1,2.,1\nCELAS2,3,800.,1,,,,.04\nPARAM,G,.02\n" + PULSE + STEPS.format(200, 0.005)
    )
    viscous = f"SPOINT,1\nCMASS2,1,2.,1\nCELAS2,3,800.,1\nCDAMP2,2,{800 * 0.02 / 20 + 800 * 0.04 / 25},1\n"
    wanted = ist.transient_response(model(viscous + PULSE + STEPS.format(200, 0.005), 109))
    found = ist.transient_response(model(spring + "PARAM,W3,20.\nPARAM,W4,25.\n", 109))
    np.testing.assert_allclose(found.displacement, wanted.displacement, atol=1e-15)
    bare = ist.transient_response(model(spring, 109))
    assert "PARAM G and GE of elements: structural damping without W3, W4 has no part in time" in bare.notes


def test_modal_and_direct_time_responses_of_a_beam_agree():
    more = "TLOAD1,15,3,,,14\nTABLED1,14\n,0.,0.,.01,1.,.02,0.,1.,0.,ENDT\nTSTEP,8,2000,1.-4,10\n"
    case = "SPC = 1\nDLOAD = 15"
    direct = ist.transient_response(beam(109, more=more, case=case))
    modal = ist.transient_response(beam(112, modes=20, more=more, case=case))
    size = np.abs(direct.at(12)[1]).max()
    np.testing.assert_allclose(modal.at(12)[1], direct.at(12)[1], atol=5e-3 * size)


def test_steady_state_of_the_time_response_is_the_frequency_response():
    bulk = MASS + "TLOAD2,5,3,,,0.,100.,2.,0.\nDAREA,3,1,0,10.\nTSTEP,8,20000,.001,1\n"
    found = ist.transient_response(model(bulk, 112, modes=1))
    w = 2 * np.pi * 2.0
    z = 10.0 / (K - w**2 * M + 1j * w * C)
    late = found.time > 19.0  # what was there at the start has died down to 1e-6
    np.testing.assert_allclose(
        found.at(1)[0][late], (z * np.exp(1j * w * found.time[late])).real, atol=2e-5 * abs(z)
    )


def test_tables():
    table = Tabulated(np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.0, 1.0, 3.0, 3.0]))
    np.testing.assert_allclose(table(np.array([-1.0, 0.5, 1.0, 1.5, 3.0])), [-1.0, 0.5, 2.0, 3.0, 3.0])
    log = Tabulated(np.array([1.0, 100.0]), np.array([1.0, 1e4]), logarithmic=(True, True))
    np.testing.assert_allclose(log(np.array([10.0])), [100.0])
    assert Tabulated(np.array([0.0, 2.0]), np.array([0.0, 4.0]), 1.0, 0.5)(np.array([2.0])) == pytest.approx(
        4.0
    )


def test_loads_of_sequences_and_mistakes():
    fe = model(MASS + STEADY.replace("DAREA,3,1,0,10.", "LSEQ,30,3,31\nSLOAD,31,1,10."), case="LOADSET = 30")
    plain = ist.frequency_response(model(MASS + STEADY))
    alone = ist.frequency_response(
        model(MASS + STEADY.replace("DAREA,3,1,0,10.", "LSEQ,30,3,31\nSLOAD,31,1,10."))
    )
    np.testing.assert_allclose(alone.displacement, plain.displacement, rtol=1e-12)
    assert any("no LOADSET selects LSEQ set 30" in note for note in alone.notes)
    np.testing.assert_allclose(ist.frequency_response(fe).displacement, plain.displacement, rtol=1e-12)
    for bulk, words in (
        (STEADY.replace("RLOAD1,5", "RLOAD1,6"), "dynamic load 5 is selected but is not in the deck"),
        (STEADY.replace("DAREA,3", "DAREA,33"), "EXCITEID 3"),
        (STEADY + "LSEQ,30,3,31\nLSEQ,40,3,41\n", "has no LOADSET, and there are 2 sets"),
        (STEADY.replace("TABLED1,4", "TABLED1,44"), "table 4, which is not among"),
        (STEADY.replace("RLOAD1,5,3,,,4", "RLOAD1,5,3,,,4,,1"), "for which there is no SPCD"),
        (STEADY.replace("RLOAD1,5,3,,,4", "RLOAD1,5,3,,,4,,7"), "TYPE of this RLOAD1 is not known"),
        (STEADY.replace("RLOAD1,5,3,,,4", "RLOAD1,5,3,77,,4"), "names DELAY 77, which is not in the deck"),
        (STEADY.replace("FREQ1,7", "FREQ1,70"), "selects no frequencies"),
        (PULSE + "FREQ,7,1.\n", "wrong kind for this solution"),
    ):
        with pytest.raises(InterstageError, match=words):
            ist.frequency_response(model(MASS + bulk))
    with pytest.raises(ModelError, match="selects no TSTEP"):
        ist.transient_response(model(MASS + PULSE, 109))
    with pytest.raises(ModelError, match="SDAMPING = 6 selects a TABDMP1"):
        ist.frequency_response(model(MASS + STEADY, 111, "SDAMPING = 6", modes=1))


@pytest.mark.parametrize("sol", [108, 111])
def test_rayleigh_damping(sol):
    """PARAM ALPHA1 and ALPHA2: 10 / (k - ω²m + iω(c + α₁m + α₂k))."""
    found = ist.frequency_response(model(MASS + STEADY + "PARAM,ALPHA1,.5\nPARAM,ALPHA2,.01\n", sol, modes=1))
    w = 2 * np.pi * found.frequencies_hz
    wanted = 10.0 / (K - w**2 * M + 1j * w * (C + 0.5 * M + 0.01 * K))
    np.testing.assert_allclose(found.at(1)[0], wanted, rtol=1e-9)


PAIR = "SPOINT,1,2\nCMASS2,1,1.,1\nCELAS2,3,{soft},1\nCMASS2,11,1.,2\nCELAS2,12,4.+8,2\n"
PAIR += "DAREA,3,1,0,1.\nDAREA,3,2,0,1.\n"
EVEN = "RLOAD1,5,3,,,4\nTABLED1,4\n,0.,1.,1000.,1.,ENDT\n"


def test_modes_that_take_part():
    """LMODES takes the first, LFREQ and HFREQ those between; a slow mode among fast ones is no rigid body."""
    bulk = PAIR.format(soft=0.01) + EVEN + "FREQ,7,0.,.001\n"
    case = "RESVEC = NO"
    both = ist.frequency_response(model(bulk, 111, case, modes=2))
    # round-off of the stiffest spring, 4e8 x 2e-16, beside the softest
    np.testing.assert_allclose(both.at(1)[0], 1.0 / (0.01 - (2e-3 * np.pi * np.arange(2)) ** 2), rtol=1e-4)
    for params, kept in (("LMODES,1", (1, 0)), ("HFREQ,100.", (1, 0)), ("LFREQ,100.", (0, 1))):
        found = ist.frequency_response(model(f"{bulk}PARAM,{params}\n", 111, case, modes=2))
        for point in (1, 2):
            np.testing.assert_allclose(found.at(point), kept[point - 1] * both.at(point), rtol=1e-12)
    with pytest.raises(ModelError, match="no mode lies between"):
        ist.frequency_response(model(bulk + "PARAM,LFREQ,1.\nPARAM,HFREQ,2.\n", 111, modes=2))


def test_tables_held_at_their_ends():
    """EXTRAP 1 of TABLED1, 2 and 3; without it lines go on."""
    for card, held in (("TABLED1,4,,,{}", 20.0), ("TABLED2,4,5.,{}", 25.0), ("TABLED3,4,5.,2.,{}", 45.0)):
        for extrap in (0, 1):
            table = card.format(extrap) + "\n,10.,1.,20.,2.,ENDT\n"
            load = model("SPOINT,1\nRLOAD1,5,3,,,4\n" + table).dynamics.loads[5][0]
            slope = 0.05 if "TABLED3" in card else 0.1
            beyond = 2.0 if extrap else 2.0 + 10.0 * slope
            np.testing.assert_allclose(load(np.array([held, held + 10.0])), [2.0, beyond], rtol=1e-12)


def test_temperatures_in_time():
    """A bar that is heated slowly follows its free expansion, by EXCITEID or through LSEQ."""
    bar = "GRID,1\nGRID,2,,2.,0.,0.\nCROD,1,1,1,2\nPROD,1,1,.01\nMAT1,1,7.+10,,.3,2700.,2.3-5,20.\n"
    bar += "SPC1,1,123456,1\nSPC1,1,23456,2\nTEMPD,{0},70.\nRLOAD1,5,3,,,4\nTABLED1,4\n,0.,1.,9.,1.,ENDT\nFREQ,7,0.\n"
    for number, more in ((3, ""), (6, "LSEQ,2,3,,6\n")):
        found = ist.frequency_response(model(bar.format(number) + more, case="SPC = 1"))
        assert found.at(2)[0] == pytest.approx(2.0 * 2.3e-5 * 50.0, rel=1e-12)
        assert found.forces["CROD"].column("axial")[0, 0] == pytest.approx(
            7e10 * 0.01 * 2.3e-5 * 50.0, rel=1e-12
        )
        (note,) = [one for one in found.notes if "leave out the thermal strains" in one]
        assert note.endswith("EXCITEID 3")


def test_what_would_change_the_structure_unseen_is_refused():
    matrix = "DMIG,X,0,6,1,0\nDMIG,X,1,0,,1,0,500.\nTF,4,1,0,9.,0.,0.\n"
    for case in ("K2PP = X", "M2PP = X", "B2PP = X", "TFL = 4", "NONLINEAR = 4"):
        one = model(MASS + STEADY + matrix, case=case)
        with pytest.raises(InterstageError, match=f"{case.split()[0]} in case control is not supported"):
            ist.frequency_response(one)
    spring = MASS.replace("CELAS2,3,800.0,1", "CELAS1,3,8,1\nPELAS,8,800.") + STEADY
    assert "PELAS,8" in spring
    for card in ("PELAST,8,88", "PBUSHT,8,K,88", "PDAMPT,8,88"):
        with pytest.raises(InterstageError, match="refers to table 88, which is not among"):
            ist.frequency_response(model(spring + card + "\n"))
    ist.frequency_response(model(spring + "PELAST,8,,,88\nPBUSHT,9,KN,88\n"))


@pytest.mark.parametrize("lines", ["PBUSHT,8,K,88\n,B,88", "PBUSHT,8,88", "PBUSHT,8,KK,88"])
def test_tables_of_a_bush_in_the_wrong_fields_are_refused(lines):
    """The keyword of a continuation line stands in its third field; in the second it was passed over."""
    with pytest.raises(InterstageError, match="PBUSHT has a line without a keyword in its third field"):
        ist.frequency_response(model(MASS + STEADY + lines + "\nTABLED1,88\n,0.,1.,9.,1.,ENDT\n"))


CHAIN = """GRID,1,,0.,0.,0.,,23456
SPOINT,2,3,4
CELAS2,1,900.,1,1,,,.03
CELAS2,2,700.,1,1,2
CELAS4,3,1100.,2,3
PELAS,9,650.
CELAS3,4,9,3,4
CELAS2,5,400.,4,,1,1,.02
CDAMP2,11,.8,1,1
CDAMP4,12,.5,2,4
CMASS2,21,1.,1,1
CMASS4,22,2.,2
CMASS4,23,1.5,3
CMASS4,24,.7,4
PARAM,G,.04
PARAM,W3,25.
PARAM,W4,31.
DLOAD,5,2.,1.5,31,-.5,32
DAREA,12,1,1,3.,3,0,-2.
DAREA,19,4,0,1.
"""


def chain():
    """K, K4, B and M of CHAIN, by hand."""
    K = np.array(
        [[2000.0, -700, 0, -400], [-700, 1800, -1100, 0], [0, -1100, 1750, -650], [-400, 0, -650, 1050]]
    )
    K4 = np.zeros((4, 4))
    K4[0, 0], K4[3, 3] = 900 * 0.03 + 8, 8
    K4[0, 3] = K4[3, 0] = -8
    B = np.zeros((4, 4))
    B[0, 0], B[1, 1], B[3, 3] = 0.8, 0.5, 0.5
    B[1, 3] = B[3, 1] = -0.5
    return K, K4, B, np.diag([1.0, 2.0, 1.5, 0.7])


@pytest.mark.parametrize("sol", [108, 111])
def test_a_chain_under_loads_of_every_table(sol):
    """Four dofs with all kinds of damping, RLOAD1 and RLOAD2 by TABLED1 (LOG) to TABLED4: dense solutions."""
    loads = "RLOAD1,31,12,.013,35.,13,14\nRLOAD2,32,19,.02,-20.,15,16\nTABLED1,13,LOG,LOG\n,.1,1.,2.,3.,9.,.5,ENDT\n"
    loads += (
        "TABLED2,14,1.\n,0.,1.,3.,-2.,SKIP,7.,10.,2.\n,ENDT\nTABLED3,15,1.,2.\n,-1.,1.,2.,4.,5.,1.,ENDT\n"
    )
    loads += (
        "TABLED4,16,.5,2.,0.,5.\n,10.,20.,-3.,ENDT\nFREQ,7,.5,3.7,7.7\nFREQ2,7,1.,9.,4\nFREQ1,7,.25,.5,6\n"
    )
    found = ist.frequency_response(model(CHAIN + loads, sol))
    f = np.unique(np.r_[0.5, 3.7, 7.7, 9.0 ** (np.arange(5) / 4), 0.25 + 0.5 * np.arange(7)])
    np.testing.assert_allclose(found.frequencies_hz, f, rtol=1e-12)
    first = np.exp(np.interp(np.log(f), np.log([0.1, 2.0, 9.0]), np.log([1.0, 3.0, 0.5])))
    second = np.where(f < 1.0, 2.0 - f, np.interp(f - 1.0, [0.0, 3.0, 10.0], [1.0, -2.0, 2.0]))
    size = np.interp((f - 1.0) / 2.0, [-1.0, 2.0, 5.0], [1.0, 4.0, 1.0])
    x = (np.minimum(f, 5.0) - 0.5) / 2.0
    angle = np.deg2rad(10.0 + 20.0 * x - 3.0 * x**2)
    one = (first + 1j * second) * np.exp(1j * (np.deg2rad(35.0) - 2 * np.pi * f * 0.013))
    two = size * np.exp(1j * (angle - np.deg2rad(20.0) - 2 * np.pi * f * 0.02))
    P = 3.0 * np.outer([3.0, 0.0, -2.0, 0.0], one) - np.outer([0.0, 0.0, 0.0, 1.0], two)
    K, K4, B, mass = chain()
    for k, w in enumerate(2 * np.pi * f):
        wanted = np.linalg.solve((1 + 0.04j) * K + 1j * K4 + 1j * w * B - w**2 * mass, P[:, k])
        got = np.r_[found.at(1)[0, k], [found.at(point)[0, k] for point in (2, 3, 4)]]
        np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("sol", [109, 112])
def test_a_chain_in_time(sol):
    """TLOAD1 and TLOAD2 with delays, G and GE through W3 and W4, start values: scipy, and order two."""
    loads = "TLOAD1,31,12,.05,LOAD,17\nTLOAD2,32,19,.03,0,.1,5.,2.5,40.\n,-.7,2.\nTIC,3,1,1,.01,.2\nTIC,3,3,0,-.02\n"
    loads += "TABLED1,17\n,0.,0.,.2,2.,.35,-1.,9.,-1.,ENDT\n"
    K, K4, B, mass = chain()
    B = B + 0.04 / 25.0 * K + K4 / 31.0

    def slope(t, y):
        s = max(t - 0.13, 0.0)
        wave = s**2 * np.exp(-0.7 * s) * np.cos(5.0 * np.pi * s + np.deg2rad(40.0))
        ramp = np.interp(t - 0.05, [0.0, 0.2, 0.35], [0.0, 2.0, -1.0])
        force = 3.0 * ramp * np.array([3.0, 0.0, -2.0, 0.0]) - wave * np.array([0.0, 0.0, 0.0, 1.0])
        return np.r_[y[4:], (force - B @ y[4:] - K @ y[:4]) / np.diag(mass)]

    t = np.linspace(0.0, 1.0, 21)
    start = np.r_[0.01, 0.0, -0.02, 0.0, 0.2, 0.0, 0.0, 0.0]
    wanted = solve_ivp(slope, (0.0, 1.0), start, "DOP853", t, rtol=1e-10, atol=1e-13, max_step=0.005).y[:4]
    errors = []
    for n in (500, 1000):
        found = ist.transient_response(
            model(CHAIN + loads + f"TSTEP,8,{n},{1 / n},{n // 20}\n", sol, "IC = 3"), exact_start=True
        )
        got = np.vstack([found.at(1)[:1], *(found.at(point) for point in (2, 3, 4))])
        errors.append(np.abs(got - wanted).max() / np.abs(wanted).max())
    assert errors[1] < 3e-3 and errors[0] / errors[1] == pytest.approx(4.0, abs=0.3)


def test_command(tmp_path, capsys):
    """The command prints peaks, JSON and CSV of points, by the deck's solution or as it is told."""
    bulk = MASS + STEADY
    path = tmp_path / "a.bdf"
    path.write_text(HEAD.format(sol=108, case="", modes=1) + bulk)
    wanted = ist.frequency_response(model(bulk)).at(1)[0]
    with pytest.raises(SystemExit) as stop:
        main(["response", str(path), "--json", "--csv", str(tmp_path / "a.csv")])
    assert stop.value.code == 0
    found = json.loads(capsys.readouterr().out)
    np.testing.assert_allclose(found["points"]["1"]["real"][0], wanted.real, rtol=1e-12)
    rows = np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1)
    np.testing.assert_allclose(rows[:, 1] + 1j * rows[:, 2], wanted, rtol=1e-12)
    path.write_text(HEAD.format(sol=112, case="", modes=1) + MASS + PULSE + STEPS.format(20, 0.01))
    with pytest.raises(SystemExit) as stop:
        main(["response", str(path), "--point", "1"])
    assert stop.value.code == 0
    assert "21 values of time: 0 to 0.2" in capsys.readouterr().out


def test_nastran_begins_at_rest_under_the_load_that_holds_it():
    """A load that is there from t = 0 on: u of the first three steps by hand, and in the large a step late by h/2.

    (M/h² + C/2h + K/3) u₁ = P/3 + (2M/h² - K/3) u₀ + (-M/h² + C/2h - K/3) u₋₁ with u₀ = u₋₁ = 0 and P₀ = P₋₁ = 0.
    """
    step, bulk = 0.004, MASS + "TLOAD1,5,3,,,4\nTABLED1,4\n,0.,1.,9.,1.,ENDT\nDAREA,3,1,0,10.\n"
    found = ist.transient_response(model(bulk + STEPS.format(200, step), 109))
    left, two, old = (
        M / step**2 + C / (2 * step) + K / 3,
        2 * M / step**2 - K / 3,
        -M / step**2 + C / (2 * step) - K / 3,
    )
    u = [0.0, 0.0]
    for third in (10.0 / 3.0, 20.0 / 3.0, 10.0):
        u.append((third + two * u[-1] + old * u[-2]) / left)
    np.testing.assert_allclose(found.at(1)[0][:4], u[1:], rtol=1e-12)
    assert any("without acceleration" in note for note in found.notes)
    fine = np.arange(0, 0.8 + 1e-9, step / 2.0)
    late = signal.step(signal.lti([10.0], [M, C, K]), T=fine)[1][1:-1:2]  # at t - h/2
    at_once = signal.step(signal.lti([10.0], [M, C, K]), T=fine)[1][2::2]
    ours = found.at(1)[0][1:]
    size = np.abs(at_once).max()
    assert (
        np.abs(ours - late).max() < 0.2 * np.abs(ours - at_once).max()
        and np.abs(ours - late).max() < 5e-3 * size
    )


def test_exact_start_has_the_acceleration_of_the_load():
    bulk = MASS + "TLOAD1,5,3,,,4\nTABLED1,4\n,0.,1.,9.,1.,ENDT\nDAREA,3,1,0,10.\n"
    found = ist.transient_response(model(bulk + STEPS.format(200, 0.004), 109), exact_start=True)
    wanted = signal.step(signal.lti([10.0], [M, C, K]), T=found.time)[1]
    assert np.abs(found.at(1)[0] - wanted).max() < 5e-3 * np.abs(wanted).max()


# ground or base - 300 - mass 1 (omitted) - 600 - mass 2 (kept): u1 = 2/3 u2 + 1/3 of the base
OMITTED = "CMASS2,1,1.5,1\nCMASS2,2,2.,2\nCELAS2,3,600.,1,,2\nCDAMP2,4,9.,1\nOMIT1,0,1\n"
CONDENSED = {"k": 200.0, "m": 2.0 + 1.5 * 4 / 9, "b": 9.0 * 4 / 9}


def test_omitted_dofs_of_direct_responses_are_condensed():
    """OMIT in SOL 108, 109 and 107: Guyan's mass, damping and load, and u1 = 2/3 u2 at every frequency and time."""
    bulk = "SPOINT,1,2\nCELAS2,5,300.,1\n" + OMITTED
    load = "DAREA,3,1,0,6.,2,0,10.\n"
    found = ist.frequency_response(model(bulk + STEADY.replace("DAREA,3,1,0,10.\n", load)))
    w = 2 * np.pi * found.frequencies_hz
    k, m, b = CONDENSED.values()
    np.testing.assert_allclose(found.at(2)[0], 14.0 / (k - w**2 * m + 1j * w * b), rtol=1e-12)
    np.testing.assert_allclose(found.at(1), 2 / 3 * found.at(2), rtol=1e-12)
    assert any("1 dofs are omitted by static condensation" in note for note in found.notes)
    step = "TLOAD1,5,3,,,4\nTABLED1,4\n,0.,1.,1000.,1.,ENDT\nTSTEP,8,200,.01,1\nTIC,11,2,0,.1,.2\n"
    ours = ist.transient_response(model(bulk + load + step, 109, "IC = 11"))
    one = f"SPOINT,2\nCMASS2,2,{m},2\nCELAS2,3,{k},2\nCDAMP2,4,{b},2\nDAREA,3,2,0,14.\n"
    alone = ist.transient_response(model(one + step, 109, "IC = 11"))
    np.testing.assert_allclose(ours.at(2), alone.at(2), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.at(1), 2 / 3 * ours.at(2), rtol=1e-12)
    roots = ist.fem.complex_modes(model(bulk + "EIGC,12,HESS,MAX\n", 107, "CMETHOD = 12")).eigenvalues
    wanted = np.roots([m, b, k])
    assert min(abs(roots - wanted[0])) < 1e-9 * abs(wanted[0])


def test_omitted_dofs_follow_an_enforced_base():
    """The omitted mass between a moving base and the kept one: u1 = 2/3 u2 + 1/3 u3, in balance with both."""
    bulk = "SPOINT,1,2,3\nSPC,1,3,0\nCELAS2,5,300.,1,,3\n" + OMITTED
    bulk += "RLOAD1,5,6,,,4,,ACCE\nSPCD,6,3,0,1.\nTABLED1,4\n,0.,1.,1000.,1.,ENDT\nFREQ1,7,.5,.25,30\n"
    found = ist.frequency_response(model(bulk, case="SPC = 1"))
    w = 2 * np.pi * found.frequencies_hz
    k, m, b = CONDENSED.values()
    base = -1.0 / w**2
    load = k * base - (1.5 * 2 / 9 * -(w**2) + 9.0 * 2 / 9 * 1j * w) * base
    np.testing.assert_allclose(found.at(3)[0], base, rtol=1e-12)
    np.testing.assert_allclose(found.at(2)[0], load / (k - w**2 * m + 1j * w * b), rtol=1e-11)
    np.testing.assert_allclose(found.at(1)[0], 2 / 3 * found.at(2)[0] + base / 3, rtol=1e-11)


@pytest.mark.parametrize(
    ("sol", "card", "words"),
    [
        (108, "TABLED2,4,0.\n,0.,9.,9.,9.,ENDT", "table 4 is defined twice"),
        (108, "RLOAD2,5,3,,,4", "dynamic load 5 is defined twice"),
        (108, "DLOAD,5,1.,1.,6", "dynamic load 5 is defined twice"),
        (
            111,
            "TABDMP1,3\n,0.,.1,9.,.1,ENDT\nTABDMP1,3\n,0.,.2,9.,.2,ENDT",
            "damping table 3 is defined twice",
        ),
        (108, "DELAY,9,1,0,.1\nDELAY,9,1,0,.2", "DELAY 9 gives .*1.* two values"),
        (108, "TIC,9,1,0,.1\nTIC,9,1,0,.1,.2", "TIC 9 gives .*1.* two values"),
        (108, "LSEQ,9,3,1\nLSEQ,9,3,2", "LSEQ 9 names EXCITEID 3 twice"),
    ],
)
def test_numbers_of_dynamic_requests_are_used_once(sol, card, words):
    fe = model(MASS + STEADY + card + "\n", sol, modes=1)
    assert len(ist.normal_modes(fe).frequencies_hz) == 1
    with pytest.raises(InterstageError, match=words):
        ist.frequency_response(fe)


@pytest.mark.parametrize(("size", "load"), [("0.", 0.0), ("2.", 2.0), ("", 1.0), ("0", 1.0)])
def test_the_size_of_an_rload2_without_a_table(size, load):
    """A real number holds, 0. too; a blank beside a phase is a unit load."""
    bulk = MASS + f"RLOAD2,5,3,,,{size},4\nTABLED1,4\n,0.,0.,1000.,0.,ENDT\nDAREA,3,1,0,1.\nFREQ,7,0.\n"
    assert ist.frequency_response(model(bulk)).at(1)[0, 0] == pytest.approx(load / K)
