"""Residual vectors, mode acceleration and modal rigid formats of responses against static and direct solutions."""

from __future__ import annotations

import numpy as np
import pytest
from test_response import beam, model

import interstage as ist

# twelve masses in a line, held at one end, loaded at the other
CHAIN = "SPOINT,1,THRU,12\n" + "".join(f"CMASS2,{100 + k},1.,{k}\n" for k in range(1, 13))
CHAIN += "CELAS2,200,1000.,1\n" + "".join(f"CELAS2,{200 + k},1000.,{k},,{k + 1}\n" for k in range(1, 12))
LOADED = "DAREA,3,12,0,1.\nRLOAD1,5,3,,,4\nTABLED1,4\n,0.,1.,1000.,1.,ENDT\nFREQ,7,0.,.2,.5\n"
NO = "RESVEC = NO"


def test_two_modes_and_residual_vectors_have_the_static_limit():
    """At 0 Hz the deflection under the load is 12/k; two modes alone lack some of it."""
    found = ist.frequency_response(model(CHAIN + LOADED, 111, modes=2))
    np.testing.assert_allclose(found.displacement[:, 0], np.arange(1, 13) / 1000.0, rtol=1e-10)
    direct = ist.frequency_response(model(CHAIN + LOADED, 108))
    size = np.abs(direct.displacement).max()
    np.testing.assert_allclose(found.displacement, direct.displacement, atol=2e-4 * size)
    bare = ist.frequency_response(model(CHAIN + LOADED, 111, NO, modes=2))
    assert abs(bare.at(12)[0, 0]) < 0.97 * 12 / 1000.0
    assert len(found.residual_vectors_hz) == 1 and not len(
        bare.residual_vectors_hz
    )  # inertia moves no scalar points
    assert any("1 residual vectors at" in note for note in found.notes)


@pytest.mark.parametrize(
    ("case", "more", "count"),
    [
        ("", "", 1),
        ("RESVEC(NOAPPL) = YES", "", 0),
        ("RESVEC(NOAPPLOD) = SYSTEM", "", 0),
        ("RESVEC = (NOINRL,NOAPPLOAD) = SYSTEM", "", 0),
        ("RESVEC = NOSYSTEM", "", 0),
        ("", "PARAM,RESVEC,NO\n", 0),
        ("RESVEC = YES", "PARAM,RESVEC,NO\n", 1),  # case control rules
        ("", "RVDOF,5,0\nRVDOF1,0,7,8\n", 4),
        ("RESVEC(NORVDOF) = SYSTEM", "RVDOF,5,0\n", 1),
        ("", "CDAMP2,300,1.,4,,9\n", 2),
        ("RESVEC(NODAMP) = YES", "CDAMP2,300,1.,4,,9\n", 1),
    ],
)
def test_what_residual_vectors_are_made_of(case, more, count):
    found = ist.frequency_response(model(CHAIN + LOADED + more, 111, case, modes=2))
    assert len(found.residual_vectors_hz) == count


def test_vectors_that_stand_for_modes_left_out_are_noted():
    """With V1 above the first mode the static response holds that mode, and a note says so."""
    bulk = CHAIN + LOADED
    fe = model(bulk + "EIGRL,19,1.5,,2\n", 111, "METHOD = 19", modes=2)
    found = ist.frequency_response(fe)
    assert found.residual_vectors_hz.min() < 1.5 < found.modes_hz.min()
    assert any("lie below the highest mode" in note for note in found.notes)


def test_older_solutions_have_none_unless_asked():
    assert not len(ist.frequency_response(model(CHAIN + LOADED, 30, modes=2)).residual_vectors_hz)
    assert (
        len(ist.frequency_response(model(CHAIN + LOADED, 30, "RESVEC = YES", modes=2)).residual_vectors_hz)
        == 1
    )


@pytest.mark.parametrize("sol", [11, 30, 71])
def test_rigid_formats_by_modes(sol):
    """SOL 11, 30 and 71 are responses by modes: one of two masses moves with LMODES 1, and SDAMPING acts."""
    bulk = (
        "SPOINT,1,2\nCMASS2,1,1.,1\nCMASS2,2,1.,2\nCELAS2,3,100.,1\nCELAS2,4,900.,2\nDAREA,3,1,0,1.,2,0,1.\n"
    )
    bulk += "RLOAD1,5,3,,,4\nTABLED1,4\n,0.,1.,99.,1.,ENDT\nFREQ,7,1.5\nTABDMP1,6\n,0.,.1,99.,.1,ENDT\nPARAM,LMODES,1\n"
    found = ist.frequency_response(model(bulk, sol, "SDAMPING = 6", modes=2))
    w = 3.0 * np.pi
    assert found.at(1)[0, 0] == pytest.approx(1.0 / (100.0 - w**2 + 1j * w * 0.1 * 10.0), rel=1e-9)
    assert abs(found.at(2)[0, 0]) < 1e-12


def test_mode_acceleration_is_the_static_response_and_the_inertia_of_modes():
    """PARAM MODACC: u = K⁻¹ (P - M Φ q̈), which has the static limit with two modes alone."""
    found = ist.frequency_response(model(CHAIN + LOADED + "PARAM,MODACC,0\n", 111, NO, modes=2))
    bare = ist.frequency_response(model(CHAIN + LOADED, 111, NO, modes=2))
    K = np.diag(np.full(12, 2000.0)) - np.diag(np.full(11, 1000.0), 1) - np.diag(np.full(11, 1000.0), -1)
    K[-1, -1] = 1000.0
    P = np.zeros((12, 3))
    P[-1] = 1.0
    np.testing.assert_allclose(found.displacement, np.linalg.solve(K, P - bare.acceleration), rtol=1e-9)


def test_a_free_structure_and_its_time_response():
    """A free beam by six rigid and four elastic modes with residual vectors, against the direct solution."""
    more = "TLOAD1,15,3,,,14\nTABLED1,14\n,0.,0.,.01,1.,.02,0.,1.,0.,ENDT\nTSTEP,8,2000,1.-4,10\n"
    case = "DLOAD = 15"
    direct = ist.transient_response(beam(109, more=more, case=case))
    modal = ist.transient_response(beam(112, modes=10, more=more, case=case))
    assert len(modal.residual_vectors_hz)
    size = np.abs(direct.at(12)[1]).max()
    np.testing.assert_allclose(modal.at(12)[:3], direct.at(12)[:3], atol=2e-3 * size)


def test_vectors_without_mass_follow_their_load():
    """A load on a massless spring on an oscillator: the stroke of the spring is static at every frequency and time."""
    bulk = "SPOINT,1,2\nCMASS2,1,1.,1\nCELAS2,2,100.,1\nCELAS2,3,50.,1,,2\nDAREA,3,2,0,2.\n"
    steady = "RLOAD1,5,3,,,4\nTABLED1,4\n,0.,1.,99.,1.,ENDT\nFREQ,7,1.,3.\n"
    found = ist.frequency_response(model(bulk + steady, 111, modes=1))
    w = 2 * np.pi * np.array([1.0, 3.0])
    np.testing.assert_allclose(found.at(2)[0], 2.0 / (100.0 - w**2) + 2.0 / 50.0, rtol=1e-9)
    pulse = "TLOAD1,5,3,,,4\nTABLED1,4\n,0.,0.,.5,1.,2.,1.,ENDT\nTSTEP,8,100,.01,1\n"
    moved = ist.transient_response(model(bulk + pulse, 112, modes=1))
    load = 2.0 * np.interp(moved.time, [0.0, 0.5, 2.0], [0.0, 1.0, 1.0])
    np.testing.assert_allclose(moved.at(2)[0] - moved.at(1)[0], load / 50.0, atol=1e-12)


def test_feer_takes_modes_around_its_center():
    """EIGR FEER: the ND modes nearest to F1; springs of (2π n)² on unit masses have n Hz."""
    bulk = "SPOINT,1,THRU,9\n" + "".join(
        f"CMASS2,{n},1.,{n}\nCELAS2,{10 + n},{(2 * np.pi * n) ** 2:.9f},{n}\n" for n in range(1, 10)
    )
    for center, wanted in ((5.2, [4, 5, 6]), (1.2, [1, 2, 3]), (0.0, [1, 2, 3]), (30.0, [7, 8, 9])):
        fe = ist.FEModel.from_deck(_deck(f"EIGR,9,FEER,{center},,,3\n{bulk}"))
        np.testing.assert_allclose(ist.normal_modes(fe).frequencies_hz, wanted, rtol=1e-6)


def _deck(bulk):
    from interstage.nastran import deck_from_text

    return deck_from_text("SOL 103\nCEND\nMETHOD = 9\nBEGIN BULK\n" + bulk)


def test_one_singular_frequency_does_not_end_a_response():
    """Two masses on a spring without damping: at 0 Hz there is no steady motion, elsewhere there is."""
    pair = "SPOINT,1,2\nCMASS4,1,1.,1\nCMASS4,2,1.,2\nCELAS4,3,100.,1,2\n"
    load = "DAREA,3,1,0,1.\nRLOAD1,5,3,,,4\nTABLED1,4\n,0.,1.,9.,1.,ENDT\nFREQ,7,0.,1.\n"
    found = ist.frequency_response(model(pair + load))
    assert np.isnan(found.displacement[:, 0]).all() and np.isfinite(found.displacement[:, 1]).all()
    assert any("no steady motion at 0 Hz" in note for note in found.notes)


def test_dofs_without_any_term_stand_still():
    loose = "GRID,2,,0.,0.,0.\nSPOINT,1\nCMASS2,1,2.,1\nCELAS2,2,800.,1\nPARAM,AUTOSPC,NO\n"
    load = "DAREA,3,1,0,10.,2,1,5.\nRLOAD1,5,3,,,4\nTABLED1,4\n,0.,1.,9.,1.,ENDT\nFREQ,7,1.\n"
    found = ist.frequency_response(model(loose + load))
    assert found.at(1)[0, 0] == pytest.approx(10.0 / (800.0 - 2.0 * (2 * np.pi) ** 2))
    assert not found.at(2).any()
    assert any("6 dofs have neither stiffness, mass nor damping" in note for note in found.notes)


def test_a_large_mass_leaves_the_rigid_motion_rigid():
    """A beam shaken by a mass of 1e9 at its end: its rigid shape strains nothing, however small it is.

    So there are residual vectors of the inertia, and three modes give what the direct solution gives.
    """
    beam = "".join(f"GRID,{k + 1},,{0.5 * k},0.,0.\n" for k in range(5))
    beam += "".join(f"CBAR,{k},1,{k},{k + 1},0.,1.,0.\n" for k in (1, 2, 3, 4))
    beam += "PBAR,1,1,.01,2.-5,1.-5,3.-6\nMAT1,1,7.+10,2.6+10,,2700.\nSPC1,1,13456,1\nCMASS2,99,1.+9,1,2\n"
    beam += LOADED.replace("DAREA,3,12,0,1.", "DAREA,3,1,2,1.+9").replace("0.,.2,.5", "5.,20.")
    found, direct = (ist.frequency_response(model(beam, sol, "SPC = 1", modes=3)) for sol in (111, 108))
    assert len(found.residual_vectors_hz) == 5
    size = np.abs(direct.displacement).max(axis=0)
    assert (np.abs(found.displacement - direct.displacement).max(axis=0) / size).max() < 1e-4


@pytest.mark.parametrize("component", [4, 5])
def test_moments_on_bars_without_rotary_inertia_turn_them_as_statics_do(component):
    """All modes are kept: the residual vector moves no mass, and round-off of its mass is none. At rest 1/ky, 1/kt."""
    grids = "".join(
        f"GRID,{k},,{(k - 1) * 0.2},0.,0.\nCBAR,{k},1,{k},{k + 1},0.,0.,1.\n" for k in range(1, 6)
    )
    bulk = grids + "GRID,6,,1.,0.,0.\nPBAR,1,1,1.-4,1.-9,2.-9,3.-9\nMAT1,1,7.+10,,.3,2700.\nSPC1,9,123456,1\n"
    bulk += f"DAREA,3,3,{component},1.\nRLOAD1,5,3,,,4\nTABLED1,4\n,0.,1.,1000.,1.,ENDT\nFREQ,7,0.,40.\n"
    found = ist.frequency_response(model(bulk, 111, "SPC = 9", modes=15))
    assert len(found.modes_hz) == 15 and np.isposinf(found.residual_vectors_hz).all()
    stiff = {4: 7e10 / 2.6 * 3e-9, 5: 7e10 * 1e-9}[component]
    np.testing.assert_allclose(found.at(3)[component - 1, 0], 0.4 / stiff, rtol=1e-9)
    direct = ist.frequency_response(model(bulk, 108, "SPC = 9")).displacement
    np.testing.assert_allclose(found.displacement, direct, atol=1e-9 * np.abs(direct).max())


def test_modal_damping_that_is_structural_is_told_of_where_it_has_no_part_in_time():
    """With KDAMP -1 SDAMPING needs W4, as GE of elements does; the note names it."""
    bulk = "SPOINT,1\nCELAS2,1,1000.,1\nCMASS2,2,1.,1\nTABDMP1,3,CRIT\n,0.,.1,100.,.1,ENDT\n"
    bulk += (
        "TLOAD1,5,3,,,4\nTABLED1,4\n,0.,1.,100.,1.,ENDT\nDAREA,3,1,0,1.\nTSTEP,8,400,.005\nPARAM,KDAMP,-1\n"
    )
    found = ist.transient_response(model(bulk, 112, "SDAMPING = 3", modes=1))
    assert "SDAMPING (PARAM KDAMP -1): structural damping without W3, W4 has no part in time" in found.notes
    found = ist.transient_response(model(bulk.replace("KDAMP,-1", "W4,31.6"), 112, "SDAMPING = 3", modes=1))
    assert not any("no part in time" in note for note in found.notes)
    top = (1.0 + np.exp(-np.pi * 0.1 / np.sqrt(0.99))) / 1000.0  # overshoot of a step
    np.testing.assert_allclose(found.at(1)[0].max(), top, rtol=1e-4)
