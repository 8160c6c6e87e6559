"""Line elements against results of real Nastran runs and published frequencies."""

import numpy as np
import pytest
import scipy.linalg as sl
from dense import build, free_dofs, frequencies, rigid_modes, static

from interstage.nastran import deck_from_text, read_deck
from validation import nastran_decks
from validation.beams import ARTEMIS_HZ, SIMPLE_BEAM, SIMPLE_BEAM_HZ, artemis_deck
from validation.nastran_decks import figures, matrix


def case(name):
    return nastran_decks.read(name), figures(name)


def test_beam_frame_with_point_masses():
    deck, reference = case("beam_frame_conm2_free")
    model = build(deck)
    np.testing.assert_allclose(frequencies(model)[6:18], reference["frequencies_hz"][6:], rtol=1e-7)
    rigid = rigid_modes(model.grids)
    # seven digits of the largest term
    np.testing.assert_allclose(
        rigid.T @ model.M0 @ rigid, reference["gpwg_mass_about_origin"], atol=1e-7 * 1122.4447
    )


def test_bars_and_a_beam_with_library_sections():
    deck, reference = case("beam_modes")
    model = build(deck)
    np.testing.assert_allclose(
        frequencies(model, {1: "123456"})[:10], reference["frequencies_hz"], rtol=1.5e-7
    )
    rigid = rigid_modes(model.grids)
    np.testing.assert_allclose(
        rigid.T @ model.M0 @ rigid, reference["gpwg_mass_about_origin"], atol=1e-7 * 1.049347
    )


def test_bush_bar_and_mass():
    """The run (version 2022.1) has rotary inertia in bars with a PBARL: 1.25e-5 without it, 1e-7 with it."""
    deck, reference = case("cbush_bar_mass")
    fixed = {9: "123456"}
    expected = reference["frequencies_hz"][:3]
    np.testing.assert_allclose(frequencies(build(deck), fixed)[:3], expected, rtol=1.3e-5)
    np.testing.assert_allclose(frequencies(build(deck, rotary=True), fixed)[:3], expected, rtol=2e-7)


def test_beam_with_offsets_and_neutral_axis():
    deck, _ = case("static_cbeam_offset")
    model = build(deck)
    u = static(model, {1: "123456"}, {(11, 3): -1000.0}).reshape(-1, 6)
    expected = np.array(list(nastran_decks.displacement("static_cbeam_offset")[1].values()))
    for part in (slice(0, 3), slice(3, 6)):
        error = np.abs(u[:, part] - expected[:, part]).max()
        assert error < 2e-7 * np.abs(expected[:, part]).max()


@pytest.mark.parametrize("name", ["craig_bampton_inboard", "craig_bampton_inboard_350hz"])
def test_craig_bampton_matrices(name):
    """Coupled mass of CBAR: boundary stiffness, boundary mass, coupling and frequencies."""
    deck, reference = case(name)
    model = build(deck)
    boundary = {g: "123456" for g, _ in reference["dof"]}
    i = free_dofs(model, boundary)
    b = ~i
    i[model.grids.spoint_dof] = False
    K, M = model.K, model.M
    constraint = np.zeros((len(K), b.sum()))
    constraint[b] = np.eye(b.sum())
    constraint[i] = -np.linalg.solve(K[np.ix_(i, i)], K[np.ix_(i, b)])
    kbb, mbb = matrix(name, "boundary_stiffness"), matrix(name, "boundary_mass")
    assert np.abs(constraint.T @ K @ constraint - kbb).max() < 1e-8 * np.abs(kbb).max()
    assert np.abs(constraint.T @ M @ constraint - mbb).max() < 1e-7 * np.abs(mbb).max()
    # mass may be singular (no torsional inertia): solve the inverse problem
    mu, shapes = sl.eigh(M[np.ix_(i, i)], K[np.ix_(i, i)])
    expected = np.array(reference["frequencies_hz"])
    found = 1.0 / np.sqrt(mu[::-1][: len(expected)]) / (2.0 * np.pi)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    modes = np.zeros((len(K), len(expected)))
    modes[i] = shapes[:, ::-1][:, : len(expected)]
    modes /= np.sqrt(np.einsum("ij,ij->j", modes, M @ modes))
    mbq = constraint.T @ M @ modes
    expected_mbq = matrix(name, "coupling_mass")[:, : len(expected)]
    assert np.abs(np.abs(mbq) - np.abs(expected_mbq)).max() < 1e-6 * np.abs(expected_mbq).max()


ELEMENTS = """
GRID,18,,0.,0.,-2.
GRID,22,,0.,0.,-3.
GRID,19,,0.,1.,-2.
GRID,23,,0.,1.,-3.
GRID,20,,1.,1.,-2.
GRID,24,,1.,1.,-3.
MAT1,1,2.9+7,1.1+7,.32,.283
CBEAM,12,5,18,22,0.,1.,0.
CBAR,13,1,19,23,0.,1.,0.
CROD,14,3,20,24
PBEAM          5       1     .25.0052083.0052083        .0087949
            -.25    -.25     .25    -.25     .25     .25    -.25     .25
             YES      1.     .25 .005208 .005208      0..0087949      0.
        .0087949      0.    -.25    -.25     .25    -.25     .25     .25
         .850116.8501160      0.      0.      0.      0.      0.      0.
              0.      0.      0.      0.      0.      0.      0.      0.
PBAR,1,1,0.25,.0052083,.0052083,.0088021
PROD,3,1,.1,.0088021,1.
"""


def test_element_matrices():
    """CBAR, CBEAM and CROD against matrices written by NX 2412, to round-off."""
    blocks = {block.name: block for block in build(deck_from_text(ELEMENTS), rotary=True).blocks}
    for name, eid in (("CBAR", 13), ("CBEAM", 12)):
        expected = matrix("kgg_solid_shell_bar", f"kelm_{name}_{eid}")
        found = blocks[name].stiffness(slice(0, 1))[0]
        assert np.abs(found - expected).max() < 1e-14 * np.abs(expected).max()
    rod = blocks["CROD"].stiffness(slice(0, 1))[0]
    expected = np.linalg.eigvalsh(
        matrix("kgg_solid_shell_bar", "kelm_CROD_14")
    )  # stored in an element system
    np.testing.assert_allclose(np.linalg.eigvalsh(rod), expected, atol=1e-9 * expected.max())
    for name, eid in (("CBAR", "13"), ("CBEAM", "12")):
        mass = blocks[name].mass(slice(0, 1), False)[0]
        expected = figures("kgg_solid_shell_bar")[f"lumped_mass_of_element_{eid}"]
        np.testing.assert_allclose(np.diag(mass), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("propellant, expected", ARTEMIS_HZ.items())
def test_artemis_beam(propellant, expected):
    """Coupled mass and shear factor 1 (blank on PBEAM): published frequencies to 1e-6."""
    model = build(deck_from_text(artemis_deck(propellant)))
    # bending in one plane: the axial and torsional modes are far above
    keep = dict.fromkeys(range(1, 7), "1345")
    found = frequencies(model, keep)[2:7]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    both_planes = np.sort(frequencies(model, dict.fromkeys(range(1, 7), "14")))[4:14]
    np.testing.assert_allclose(both_planes, np.repeat(expected, 2), rtol=1e-6)


def test_simple_beam():
    """The run deck of the NESC report (NASA/TM-2020-5008164, C.2): 0.764, 0.764, 2.054, 2.054 Hz."""
    found = frequencies(build(read_deck(SIMPLE_BEAM)))
    np.testing.assert_allclose(found[6:10], SIMPLE_BEAM_HZ, rtol=5e-4)
