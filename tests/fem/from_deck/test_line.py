"""Line elements read from cards: orientation, offsets, properties and their errors."""

import numpy as np
import pytest
from dense import build, static

from interstage.errors import DeckError
from interstage.nastran import deck_from_text
from refusals import refusals

BASE = """
GRID,1,,0.,0.,0.
GRID,2,,2.,0.,0.
GRID,3,,0.,0.,5.
MAT1,1,2.+5,,.3,7.8
MAT8,9,1.,1.,.1,1.
PBAR,1,1,2.,3.,4.,5.,.5
,,,,,,,,
,.8,.7
"""


def block(text, base=BASE, index=0):
    return build(deck_from_text(base + text, strict=False)).blocks[index]


def stiffness(text, base=BASE):
    return block(text, base).stiffness(slice(0, 1))[0]


def test_bar_orientation_by_grid_and_by_vector():
    by_vector = stiffness("CBAR,1,1,1,2,0.,0.,1.")
    np.testing.assert_array_equal(stiffness("CBAR,1,1,1,2,3"), by_vector)
    # with y along basic z, I1 (and K1) resist bending in the xz plane
    E, G, L = 2.0e5, 2.0e5 / 2.6, 2.0
    u = np.linalg.solve(by_vector[6:, 6:], [0, 0, 1.0, 0, 0, 0])
    assert np.isclose(u[2], L**3 / (3 * E * 3.0) + L / (0.8 * 2.0 * G), rtol=1e-12)
    assert np.isclose(by_vector[0, 0], E * 2.0 / L)


def test_orientation_vector_is_in_the_displacement_system_of_the_first_grid():
    """CD 7 has its x axis along basic z: v = (1, 0, 0) there is basic z; OFFT B takes it as basic."""
    base = BASE.replace("GRID,1,,0.,0.,0.", "GRID,1,,0.,0.,0.,7").replace("GRID,3", "GRID,3")
    base += "CORD2R,7,,0.,0.,0.,1.,0.,0.\n,0.,0.,1.\n"
    np.testing.assert_allclose(
        stiffness("CBAR,1,1,1,2,1.,0.,0.", base), stiffness("CBAR,1,1,1,2,0.,0.,1."), atol=1e-9
    )
    np.testing.assert_allclose(
        stiffness("CBAR,1,1,1,2,0.,1.,0.,BGG", base), stiffness("CBAR,1,1,1,2,0.,1.,0."), atol=1e-9
    )


def test_defaults_from_baror():
    expected = stiffness("CBAR,1,1,1,2,0.,0.,1.")
    np.testing.assert_array_equal(stiffness("BAROR,,1,,,0.,0.,1.\nCBAR,1,,1,2"), expected)
    np.testing.assert_array_equal(stiffness("BAROR,,1,,,3\nCBAR,7,,1,2"), expected)
    # the element's own entries win; its property defaults to its own id without BAROR
    np.testing.assert_array_equal(stiffness("BAROR,,4,,,0.,1.,0.\nCBAR,1,1,1,2,3"), expected)
    np.testing.assert_array_equal(stiffness("CBAR,1,,1,2,0.,0.,1."), expected)


def test_offsets_in_every_system():
    """Offsets in the CD system, and in the offset system along the line of grids (x) and v (y)."""
    given = stiffness("CBAR,1,1,1,2,0.,0.,1.,GGG\n,,,0.,.2,.3,.1,.2,.3")
    # offset system: x basic x, y basic z, z -basic y
    offset = stiffness("CBAR,1,1,1,2,0.,0.,1.,GOO\n,,,0.,.3,-.2,.1,.3,-.2")
    mixed = stiffness("CBAR,1,1,1,2,0.,0.,1.,BGE\n,,,0.,.2,.3,.1,.3,-.2")
    np.testing.assert_allclose(offset, given, atol=1e-10 * np.abs(given).max())
    np.testing.assert_allclose(mixed, given, atol=1e-10 * np.abs(given).max())
    one = block("CBAR,1,1,1,2,0.,0.,1.,GGG\n,,,0.,.2,.3,.1,.2,.3")
    assert np.isclose(one.geometry.length[0], 2.1)


def test_pin_flags():
    one = block("CBAR,1,1,1,2,0.,0.,1.\n,56,4")
    np.testing.assert_array_equal(np.flatnonzero(one.geometry.pins[0]), [4, 5, 9])


def test_mass_and_structural_damping():
    base = BASE.replace("MAT1,1,2.+5,,.3,7.8", "MAT1,1,2.+5,,.3,7.8,,,.04")
    one = block("CBAR,1,1,1,2,0.,0.,1.", base)
    assert one.ge[0] == 0.04
    m = one.mass(slice(0, 1), False)[0]
    np.testing.assert_allclose(np.diag(m), [(7.8 * 2.0 + 0.5), *[7.8 * 2.0 + 0.5] * 2, 0, 0, 0] * 2)


def test_rods_and_tubes():
    text = """
CROD,1,21,1,2
PROD,21,1,.3,.4,,.5
CONROD,2,1,2,1,.3,.4,,.5
CTUBE,3,22,1,2
PTUBE,22,1,2.,.25
CTUBE,4,23,1,2
PTUBE,23,1,2.
"""
    model = build(deck_from_text(BASE + text))
    blocks = {one.name: one for one in model.blocks}
    np.testing.assert_array_equal(
        blocks["CROD"].stiffness(slice(0, 1)), blocks["CONROD"].stiffness(slice(0, 1))
    )
    assert np.isclose(blocks["CROD"].total_mass[0], 2.0 * (7.8 * 0.3 + 0.5))
    area = np.pi / 4 * (4 - 1.5**2)
    np.testing.assert_allclose(blocks["CTUBE"].EA, [2e5 * area, 2e5 * np.pi], rtol=1e-14)
    np.testing.assert_allclose(
        blocks["CTUBE"].GJ, 2e5 / 2.6 * np.pi / 32 * np.array([16 - 1.5**4, 16.0]), rtol=1e-14
    )


def test_viscous_rod_cards():
    model = build(deck_from_text(BASE + "CVISC,1,31,1,2\nCVISC,2,32,1,3\nPVISC,31,6.,7.,,32,8.,9.\n"))
    np.testing.assert_allclose(np.diag(model.B)[:6], [6.0, 0.0, 8.0, 7.0, 0.0, 9.0])


def beam_section(card):
    text = "GRID,1,,0.,0.,0.\nGRID,2,,2.,0.,0.\nMAT1,1,2.+5,,.3,7.8\nCBEAM,1,5,1,2,0.,1.,0.\n"
    return build(deck_from_text(text + card)).blocks[0].sections[0]


def test_pbeam_defaults():
    s = beam_section("PBEAM,5,1,2.,3.,4.,.1,5.,.6\n")
    for name, value in (("A", 2.0), ("I1", 3.0), ("I2", 4.0), ("I12", 0.1), ("J", 5.0), ("nsm", 0.6)):
        np.testing.assert_array_equal(getattr(s, name), [value, value])
    assert (s.K1, s.K2, s.S1, s.S2) == (1.0, 1.0, 0.0, 0.0)
    np.testing.assert_array_equal(s.x, [0.0, 1.0])


def test_pbeam_stations_and_tail():
    """Blanks at B repeat A; blanks between are interpolated; the tail follows the last station."""
    s = beam_section(
        "PBEAM,5,1,2.,3.,4.,,5.\n,1.,1.,,,,,,\n,NO,.25,,6.\n,YES,1.,1.,,8.\n,1.,1.,1.,,,,,\n"
        ",0.,.9,.1,.2,.3,.4\n,.5,.6,,,.7,.8,.9,1.\n"
    )
    np.testing.assert_array_equal(s.x, [0.0, 0.25, 1.0])
    np.testing.assert_allclose(s.A, [2.0, 1.75, 1.0])
    np.testing.assert_allclose(s.I1, [3.0, 6.0, 3.0])
    np.testing.assert_allclose(s.I2, [4.0, 5.0, 8.0])
    assert (s.K1, s.K2, s.S1, s.S2) == (0.0, 0.9, 0.1, 0.2)
    np.testing.assert_allclose(s.nsi, [0.3, 0.4])
    np.testing.assert_allclose(s.nsm_offset, [[0.5, 0.6], [0.5, 0.6]])
    np.testing.assert_allclose(s.neutral_axis, [[0.7, 0.8], [0.9, 1.0]])


def test_pbeam_without_stress_points_goes_straight_to_stations():
    s = beam_section("PBEAM,5,1,2.,3.,4.,,5.\n,YESA,1.,1.\n,.5,.6\n")
    np.testing.assert_allclose(s.A, [2.0, 1.0])
    assert (s.K1, s.K2) == (0.5, 0.6)


def test_pbeaml_sections_and_taper():
    s = beam_section("PBEAML,5,1,,BAR\n,2.,1.,.3,YES,.5,2.,2.,.4\n,NO,1.,1.,1.,.1\n")
    np.testing.assert_array_equal(s.x, [0.0, 0.5, 1.0])
    np.testing.assert_allclose(s.A, [2.0, 4.0, 1.0])
    np.testing.assert_allclose(s.nsm, [0.3, 0.4, 0.1])
    assert pytest.approx(5 / 6) == s.K1
    uniform = beam_section("PBEAML,5,1,,CHAN\n,4.,8.,.3,.5\n")
    assert uniform.neutral_axis[0, 1] == uniform.neutral_axis[1, 1] > 2.0


def test_pbarl_is_the_same_as_pbar():
    common = "CBAR,1,6,1,2,0.,1.,0.\n"
    given = stiffness(common + "PBARL,6,1,,BAR\n,2.,3.,.4\n")
    J = 3 * 2.0**3 * (1 / 3 - 0.21 * 2 / 3 * (1 - 2**4 / (12 * 3.0**4)))
    pbar = f"PBAR,6,1,6.,4.5,2.,{J!r},.4\n,,,,,,,,\n,.833333333333333,.833333333333333\n"
    expected = stiffness(common + pbar)
    np.testing.assert_allclose(given, expected, rtol=1e-12, atol=1e-9)


def test_beam_with_pins_and_offsets_from_cards():
    text = "PBEAM,5,1,2.,3.,4.,,5.\nCBEAM,1,5,1,2,0.,1.,0.,GGG\n,6,5,0.,.1,0.,0.,.1,0.\n"
    one = block(text)
    np.testing.assert_array_equal(np.flatnonzero(one.geometry.pins[0]), [5, 10])
    np.testing.assert_allclose(one.geometry.w_a[0], [0, 0.1, 0])


def test_a_frame_carries_load():
    """Portal of two bars: tip deflection of an L frame by hand (Euler-Bernoulli, no shear)."""
    text = """
GRID,1,,0.,0.,0.
GRID,2,,0.,3.,0.
GRID,3,,2.,3.,0.
MAT1,1,2.+5,,.3
PBAR,1,1,2.,3.,4.,5.
CBAR,1,1,1,2,0.,0.,1.
CBAR,2,1,2,3,0.,0.,1.
"""
    model = build(deck_from_text(text))
    u = static(model, {1: "123456"}, {(3, 2): 1.0}).reshape(-1, 6)
    E, A, I2 = 2.0e5, 2.0, 4.0
    # the column carries the moment P·2 and the pull P; the beam bends as a cantilever
    expected = 2.0**3 / (3 * E * I2) + 3.0 / (E * A) + 2.0 * 2.0 * 3.0 / (E * I2)
    assert np.isclose(u[2, 1], expected, rtol=1e-12)


@refusals(
    """
    CBAR,1,1,1,1,0.,1.,0. -> no length
    CBAR,1,1,1,2,1.,0.,0. -> parallel
    CBAR,1,1,1,2 -> no orientation
    CBAR,1,9,1,2,0.,1.,0. -> property 9
    CBAR,1,1,1,99,0.,1.,0. -> grid 99
    CBAR,1,6,1,2,0.,1.,0.|PBAR,6,7,1.,1.,1.,1. -> MAT1 with id 7
    CBAR,1,6,1,2,0.,1.,0.|PBAR,6,9,1.,1.,1.,1. -> MAT8
    CBAR,1,6,1,2,0.,1.,0.|PBAR,6,1,1.,1.,1.|,,,,,,,,|,,,2. -> I12
    CBAR,1,6,1,2,0.,1.,0.|PBAR,6,1,-1.,1.,1. -> A of this PBAR
    CBAR,1,1,1,2,0.,1.,0.|PBARL,1,1,,ROD|,1. -> defined twice
    CBAR,1,6,1,2,0.,1.,0.|PBARL,6,1,,STAR|,1. -> section type
    CBAR,1,6,1,2,0.,1.,0.|PBARL,6,1,,TUBE|,1.,2. -> outer radius
    CBAR,1,6,1,2,0.,1.,0.|PBARL,6,1,,TUBE|,1. -> needs a number
    CBAR,1,1,1,2,0.,1.,0.,GXG -> OFFT
    CBAR,1,1,1,2,0.,1.,0.|,17 -> pin flag
    CBAR,1,1,1,2,0.,1.,0.|CBAR,1,1,1,3,0.,1.,0. -> defined twice
    CBEAM,1,5,1,2,0.,1.,0.|PBEAM,5,1,0.,1.,1. -> A of this PBEAM
    CBEAM,1,5,1,2,0.,1.,0.|PBEAM,5,1,1.,1.,1.|,MAYBE,1. -> SO of PBEAM
    CBEAM,1,5,1,2,0.,1.,0.|PBEAM,5,1,1.,1.,1.|,NO,1.5 -> X/XB
    CBEAM,1,5,1,2,0.,1.,0.,.5|PBEAM,5,1,1.,1.,1. -> p-element
    SPOINT,51,52|CBEAM,1,5,1,2,0.,1.,0.|,,,,,,,,|,51,52|PBEAM,5,1,1.,1.,1.|,,,,,,,,|,,,,,,,3.,3. -> warping
    CROD,1,21,1,1|PROD,21,1,1. -> no length
    CROD,1,21,1,2 -> property 21
    CTUBE,1,21,1,2|PTUBE,21,1,1.,.6 -> OD/2
    CTUBE,1,21,1,2|PTUBE,21,1,1.,.1,,2. -> tapered
    """
)
def test_bad_cards_say_what_is_wrong(text, words):
    with pytest.raises(DeckError, match=words) as caught:
        block(text)
    assert "line" in str(caught.value)


def test_warping_coefficient_without_scalar_points_is_ignored():
    assert block("CBEAM,1,5,1,2,0.,1.,0.\nPBEAM,5,1,1.,1.,1.\n,,,,,,,,\n,,,,,,,3.,3.").name == "CBEAM"
