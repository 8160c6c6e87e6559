"""Grids and coordinate systems: against a real run's rigid-body vectors, and every kind of mistake."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from interstage.errors import DeckError
from interstage.fem.coordinates import CoordinateSystem, cartesian
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.geometry import read_geometry
from interstage.nastran import deck_from_text
from refusals import refusals
from validation import nastran_decks


def rigid_vectors(grids, about):
    """Six rigid-body vectors of the g-set in CD axes, written out grid by grid."""
    out = np.zeros((grids.n_dof, 6))
    for i in range(len(grids)):
        x, y, z = grids.xyz[i] - about
        R, d = grids.R_basic_cd[i], grids.dof[i]
        arm = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
        out[d : d + 3, :3] = R.T
        out[d : d + 3, 3:] = R.T @ arm
        out[d + 3 : d + 6, 3:] = R.T
    return out


@pytest.mark.parametrize("name", ["rbe3_1", "rbe3_3", "rbe3_um_1", "rbe3_um_3"])
def test_nested_systems_give_the_rigid_body_vectors_of_a_real_run(name):
    grids = Context(nastran_decks.read(name)).grids
    wanted = nastran_decks.matrix(name, "rigid_body_about_124")
    found = rigid_vectors(grids, grids.xyz[grids.find(124)])
    # arms of up to 900 length units in double precision
    assert np.abs(found - wanted).max() < 1e-12 * np.abs(wanted).max()


angle = st.floats(-360.0, 360.0)


@given(st.floats(0.1, 10.0), angle, st.floats(1.0, 179.0), st.sampled_from("CS"))
def test_local_axes_are_the_derivatives_of_position(r, theta, polar, kind):
    """Axis i of a curvilinear system points along the change of position with coordinate i."""
    system = CoordinateSystem(kind, np.array([1.0, -2.0, 0.5]), np.linalg.qr(np.vander([1.0, 2.0, 4.0]))[0])
    q = np.array([[r, theta, 0.7]]) if kind == "C" else np.array([[r, polar, theta]])
    axes = system.axes(system.to_basic(q))[0]
    for i in range(3):
        h = 1e-5 * np.eye(3)[i]
        along = (system.to_basic(q + h) - system.to_basic(q - h))[0]
        # central difference: error of order h^2, and cancellation 1e-16/1e-5
        assert np.allclose(along / np.linalg.norm(along), axes[:, i], atol=1e-7)


def test_cartesian_of_spherical():
    assert np.allclose(cartesian("S", np.array([[2.0, 90.0, 90.0]])), [[0.0, 2.0, 0.0]], atol=1e-15)


def test_grdset_fills_blanks_and_zero_overrides():
    deck = deck_from_text(
        "CORD2R,5,,0.,0.,0.,0.,0.,1.\n,0.,1.,0.\nGRDSET,,5,,,,5,456\nGRID,1,,1.,0.,0.\nGRID,2,0,1.,0.,0.,0,0\n"
    )
    _, grids = read_geometry(deck)
    assert np.allclose(grids.xyz, [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    assert grids.ps.tolist() == [[False] * 3 + [True] * 3, [False] * 6]
    assert grids.cd.tolist() == [5, 0]


def test_cord1_through_grids_in_another_system_in_any_order():
    deck = deck_from_text(
        "CORD1R,7,1,2,3\nCORD2C,5,,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n"
        "GRID,1,5,1.,90.,0.\nGRID,2,5,1.,90.,2.\nGRID,3,5,2.,90.,0.\nGRID,9,7,1.,0.,0.\n"
    )
    _, grids = read_geometry(deck)
    assert np.allclose(grids.xyz[grids.find(9)], [0.0, 2.0, 0.0])


def test_scalar_points_are_numbered_between_grids_and_named():
    deck = deck_from_text("GRID,1,,0.,0.,0.\nGRID,9,,1.,0.,0.\nSPOINT,3,THRU,5\nCELAS4,100,1.,7,0\n")
    _, grids = read_geometry(deck)
    assert grids.spoint.tolist() == [3, 4, 5, 7]
    assert grids.n_dof == 16
    assert grids.dof.tolist() == [0, 10]
    assert [grids.name_of(d) for d in (0, 6, 9, 15)] == [
        "grid 1 component 1",
        "scalar point 3",
        "scalar point 7",
        "grid 9 component 6",
    ]


@refusals(
    """
    GRID,1,3,0.,0.,0. -> coordinate system 3, which is not in the deck
    GRID,1,,0.,0.,0.,8 -> coordinate system 8, which is not in the deck
    GRID,1,,0.,0.,0.,,178 -> PS is not a list of components
    CORD2R,5,6,0.,0.,0.,0.,0.,1.|,1.,0.,0. -> refers to system 6, which is not in the deck
    CORD2R,5,6,0.,0.,0.,0.,0.,1.|,1.,0.,0.|CORD2R,6,5,0.,0.,0.,0.,0.,1.|,1.,0.,0. -> refers to itself
    CORD2R,5,,0.,0.,0.,0.,0.,1.|,0.,0.,2. -> lie on a line
    CORD1R,5,1,2,3|GRID,1,,0.,0.,0. -> grid that is not in the deck
    GRID,1,,0.,0.,0.,-1 -> fluid
    """
)
def test_mistakes_are_named(text, words):
    with pytest.raises(DeckError, match=words) as caught:
        read_geometry(deck_from_text(text))
    assert caught.value.line is not None
