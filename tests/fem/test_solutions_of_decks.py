"""What a deck asks for: which subcase gives the modes, what statics holds and refuses, what is only listed."""

import numpy as np
import pytest

from interstage.errors import DeckError, InterstageError, ModelError
from interstage.fem import FEModel, buckling, normal_modes, static, static_subcases
from interstage.nastran import deck_from_text

E, I, A, RHO, LENGTH = 7e10, 1e-5, 0.01, 2700.0, 2.0
N = 8
BEAM = (
    "".join(f"GRID,{i + 1},,{LENGTH * i / N}\n" for i in range(N + 1))
    + "".join(f"CBAR,{i + 1},1,{i + 1},{i + 2},0.,1.,0.\n" for i in range(N))
    + "PBAR,1,1,.01,1.-5,1.-5,1.-5\nMAT1,1,7.+10,,.3,2700.\n"
    + f"SPC1,1,123456,1\nSPC1,2,123456,1,{N + 1}\nFORCE,5,{N + 1},,1000.,0.,1.\n"
)
# cantilever and clamped-clamped beam, roots of the frequency equations (Blevins 1979)
CANTILEVER, CLAMPED = 1.875104, 4.730041


def beam(case, sol=103, bulk="EIGRL,1,,,4\n"):
    return FEModel.from_deck(deck_from_text(f"SOL {sol}\nCEND\n{case}\nBEGIN BULK\n{bulk}{BEAM}ENDDATA\n"))


def theory(root):
    return root**2 / (2 * np.pi * LENGTH**2) * np.sqrt(E * I / (RHO * A))


def first(fe):
    return normal_modes(fe).frequencies_hz[0]


def test_the_subcase_of_modes_is_preferred_to_one_of_statics():
    """A design deck repeats METHOD for all subcases; lumped mass with eight elements is within 2 % of theory."""
    fe = beam(
        "METHOD=1\nSUBCASE 1\nANALYSIS=STATICS\nSPC=1\nLOAD=5\nSUBCASE 2\nANALYSIS=MODES\nSPC=2", sol=200
    )
    assert first(fe) == pytest.approx(theory(CLAMPED), rel=0.02)
    assert any("SOL 200" in note for note in normal_modes(fe).notes)
    # and statics takes the other one: P L³ / 3 E I
    (result,) = static_subcases(fe)
    assert result.subcase == 1
    assert result[N + 1][1] == pytest.approx(1000.0 * LENGTH**3 / (3 * E * I), rel=1e-9)


def test_requests_of_superelements_are_not_those_of_the_structure():
    case = "SPC=1\nSUBCASE 1\nSUPER=100\nMETHOD=1\nSUBCASE 2\nMETHOD=2"
    modes = normal_modes(beam(case, bulk="SESET,100,1,2,3\nEIGRL,1,,,2\nEIGRL,2,,,5\n"))
    assert len(modes.frequencies_hz) == 5


def test_a_buckling_deck_gives_modes_and_statics():
    """EIGB is no request for modes, the range of EIGRL is one of load factors, STATSUB adds no stiffness."""
    case = "SPC=1\nSUBCASE 1\nLOAD=5\nSUBCASE 2\nMETHOD=1\nSTATSUB=1"
    fe = beam(case, 105, "EIGB,1,INV,0.,3.,20,2,2\n")
    assert first(fe) == pytest.approx(theory(CANTILEVER), rel=0.02)
    modes = normal_modes(beam(case, 105, "EIGRL,1,0.,2.,3\n"))
    assert len(modes.frequencies_hz) == 3
    assert [result.subcase for result in static_subcases(fe)] == [1]


def test_a_missing_method_is_an_error_only_where_it_counts():
    with pytest.raises(ModelError, match="METHOD = 7 selects an EIGRL or EIGR that is not in the deck"):
        normal_modes(beam("SPC=1\nMETHOD=7"))
    assert first(beam("SPC=1\nMETHOD=7", sol=101)) == pytest.approx(theory(CANTILEVER), rel=0.02)


def test_a_set_zero_selects_nothing():
    fe = beam("SPC=0\nMPC=0\nSUPORT1=0\nMETHOD=1", bulk="EIGRL,1,,,6\n")
    assert np.abs(normal_modes(fe).frequencies_hz[:5]).max() < 1e-3


@pytest.mark.parametrize("case, bulk", [("SUPORT1=3", "SUPORT1,3,1,123456\n"), ("", "SUPORT,1,123456\n")])
def test_supported_dofs_are_held_in_statics(case, bulk):
    (result,) = static_subcases(beam(f"LOAD=5\n{case}", 101, bulk))
    assert result[N + 1][1] == pytest.approx(1000.0 * LENGTH**3 / (3 * E * I), rel=1e-9)


@pytest.mark.parametrize(
    "case, bulk, message",
    [
        ("TEMPERATURE(LOAD)=4", "TEMP,4,99,20.\n", r"TEMP refers to grid 99, which is not in the deck"),
        ("DEFORM=4", "", r"DEFORM in case control is not supported .*line 5"),
        ("", "PARAM,INREL,-3\n", "PARAM INREL = -3 is not supported"),
        ("", "PLOAD4,7,99,1.\n", "PLOAD4 acts on element 99, which is no shell or solid"),
        ("", "FORCE,7,99,,1.,1.\n", "FORCE refers to grid 99, which is not in the deck"),
        ("", "PLOAD4,X,1,1.\n", "PLOAD4.*is not a number"),
        ("", "SLOAD,X,1,1.\n", "SLOAD.*is not a number"),
    ],
)
def test_what_is_wrong_with_loads_stops_statics_but_not_modes(case, bulk, message):
    fe = beam(f"SPC=1\nLOAD=5\n{case}", 101, bulk)
    assert first(fe) == pytest.approx(theory(CANTILEVER), rel=0.02)
    with pytest.raises(DeckError, match=message):
        static_subcases(fe)


@pytest.mark.parametrize(
    "sets, root",
    [
        (f"BSET1,123456,1,{N + 1}\n", CLAMPED),
        (f"ASET1,123456,1,{N + 1}\n", CLAMPED),
        (f"ASET1,123456,1,{N + 1}\nCSET1,123456,{N + 1}\n", CANTILEVER),
        (f"BSET1,123456,1\nASET1,123456,{N + 1}\n", CANTILEVER),
    ],
)
def test_the_boundary_of_an_external_superelement_is_held(sets, root):
    """Rules for BSET, CSET and ASET of the Quick Reference Guide."""
    points = "SPOINT,101,THRU,103\nQSET1,0,101,THRU,103\nEIGRL,1,,,3\n"
    fe = beam("METHOD=1\nEXTSEOUT(ASMBULK,EXTID=10)", bulk=points + sets)
    assert first(fe) == pytest.approx(theory(root), rel=0.02)


def test_direct_matrices_hold_for_the_whole_deck():
    matrix = "DMIG,KX,0,6,1,0\nDMIG,KX,2,2,,2,2,1.+6\n"
    stiffer = beam("SPC=1\nK2GG=2.0*KX\nSUBCASE 1\nSUBCASE 2", bulk=matrix)
    assert (stiffer.K_gg - beam("SPC=1").K_gg).sum() == pytest.approx(2e6, rel=1e-6)
    with pytest.raises(DeckError, match="subcases 1 and 2 select different direct input matrices"):
        beam("SPC=1\nSUBCASE 1\nSUBCASE 2\nK2GG=KX", bulk=matrix)


def test_normalization_by_a_point_is_said_and_not_refused():
    modes = normal_modes(beam("SPC=1\nMETHOD=1", bulk="EIGR,1,GIV,,,,3\n,POINT,2,3\n"))
    assert len(modes.frequencies_hz) == 3
    np.testing.assert_allclose(modes.generalized_mass, 1.0, rtol=1e-9)
    assert any("normalization POINT" in note for note in modes.notes)


@pytest.mark.parametrize(
    "bulk, message",
    [
        ("MAT1,9,X,,.3\nCONROD,50,1,2,9,.1\n", "MAT1 9 has a word where a number belongs .*got X"),
        ("MAT1,9,7.+10,,Y\nCONROD,50,1,2,9,.1\n", "MAT1 9 has a word where a number belongs"),
        ("MAT10,9,1.,1.,1.\nCONROD,50,1,2,9,.1\n", "CONROD needs a MAT1 with id 9 .*got MAT10"),
        ("PBMSECT,9,1,GS\nCBEAM,50,9,1,2,0.,1.,0.\n", "PBMSECT 9 is not supported and a CBEAM refers"),
        ("SPOINT,7,THRU,3\n", "THRU runs backwards .*line"),
        (f"SPOINT,{N}\n", f"point {N} is both a GRID and an SPOINT"),
        ("SPOINT,7,WORD\n", "the list holds something that is not an integer"),
    ],
)
def test_mistakes_in_cards_are_sentences(bulk, message):
    with pytest.raises(InterstageError, match=message):
        normal_modes(beam("SPC=1", bulk=bulk))


def test_properties_and_materials_that_nothing_uses_are_listed():
    deck = deck_from_text(
        "PWSEAM,70,1\nPBUSH2D,71,3000.\nPLSOLID,1,9\nMATHP,9,1.\nPSEAM,2\nPBMSECT,9,1,GS\n" + BEAM
    )
    assert deck.ignored == dict.fromkeys(("MATHP", "PBMSECT", "PWSEAM", "PBUSH2D", "PSEAM", "PLSOLID"), 1)
    assert first(FEModel.from_deck(deck)) == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("name", ["EPZERO", "K6ROT", "WTMASS", "COUPMASS", "SNORM"])
def test_a_parameter_that_is_no_number_is_said(name):
    with pytest.raises(InterstageError, match=f"PARAM {name} is not a number .*got WORD"):
        normal_modes(beam("SPC=1", bulk=f"PARAM,{name},WORD\n"))


def test_an_element_without_a_finite_matrix_is_named():
    with np.errstate(all="ignore"), pytest.raises(ModelError, match="a matrix of CTRIA3 50 is not finite"):
        normal_modes(beam("SPC=1", bulk=THICK.format("1.+99")))


THICK = "GRID,99,,0.,3.,0.\nCTRIA3,50,9,1,2,99\nPSHELL,9,9,{},9\nMAT1,9,1.+50,,.3\n"


def test_numbers_beyond_the_range_are_refused_where_they_stand():
    with pytest.raises(
        InterstageError, match=r"PSHELL 9: field 4 is not a number up to 1e\+100 .*got '1\.\+300'"
    ):
        beam("SPC=1", bulk=THICK.format("1.+300"))
    with pytest.raises(ModelError, match="so large that they cannot be squared"):
        normal_modes(beam("SPC=1", bulk="CROD,50,9,1,2\nPROD,9,9,1.+60\nMAT1,9,1.+99,,.3\n"))


def test_negative_mass_is_named():
    text = "GRID,1,,0.,0.,0.,,23456\nCELAS2,1,5.,1,1\nCONM2,2,1,,-2.\n"
    with pytest.raises(ModelError, match="the mass at grid 1 component 1 is negative"):
        normal_modes(FEModel.from_deck(deck_from_text(text)), n_modes=1)


def test_free_structure_reduced_to_one_grid_and_a_scalar_point():
    """Guyan reduction leaves rounding alone where the structure moves rigidly; one mode is of the spring."""
    nx, ny = 8, 6
    grids = [
        f"GRID,{1 + i + j * (nx + 1)},,{0.1 * i:.1f},{0.1 * j:.1f},0."
        for j in range(ny + 1)
        for i in range(nx + 1)
    ]
    plates = []
    for e in range(nx * ny):
        a = 1 + e % nx + (e // nx) * (nx + 1)
        plates.append(f"CQUAD4,{e + 1},1,{a},{a + 1},{a + nx + 2},{a + nx + 1}")
    spring = [
        "SPOINT,5000",
        "CELAS2,900,1.+5,5000,,9,3",
        "CMASS2,901,.5,5000",
        "ASET1,123456,1",
        "ASET1,0,5000",
    ]
    rest = ["PSHELL,1,1,.01,1,,1", "MAT1,1,7.+10,,.3,2700.", "EIGRL,1,,,12", "ENDDATA"]
    text = "\n".join(["SOL 103", "CEND", "METHOD = 1", "BEGIN BULK", *grids, *plates, *spring, *rest])
    found = normal_modes(FEModel.from_deck(deck_from_text(text)))
    assert np.abs(found.frequencies_hz[:6]).max() < 1e-3 and found.frequencies_hz[6] > 100.0


@pytest.mark.parametrize("solve", [normal_modes, static, buckling])
def test_the_path_of_a_deck_is_no_model_and_the_error_names_the_door(solve):
    with pytest.raises(InterstageError, match=r"FEModel.from_deck.*got str 'panel.bdf'"):
        solve("panel.bdf")
