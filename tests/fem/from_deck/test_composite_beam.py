"""PBCOMP: beam sections of several materials, against PBEAM and sums over their areas."""

import numpy as np
import pytest

import interstage as ist
from interstage.errors import DeckError
from interstage.nastran import deck_from_text
from refusals import refusals

L = 3.0
HEAD = "GRID,1,,0.,0.,0.\nGRID,2,,3.,0.,0.\nMAT1,1,7.+10,,.3,2700.\nMAT1,2,2.+11,,.25,7800.\n"
BEAM = HEAD + "CBEAM,1,5,1,2,0.,1.,0.\nSPC1,1,123456,1\n"


def model(bulk):
    text = f"SOL 101\nCEND\nSPC=1\nLOAD=1\nBEGIN BULK\n{BEAM}{bulk}\nENDDATA\n"
    return ist.FEModel.from_deck(deck_from_text(text))


def end(bulk):
    return np.asarray(ist.static(model(bulk), subcase=1))[6:]


def test_without_areas_it_is_the_section_of_the_card():
    card = "{},5,1,.02,3.-5,5.-5,1.-5,2.-5,4.\n"
    ends = ",.4,.5,.01,.02,.03,.04\n"
    same = model(card.format("PBCOMP") + ends)
    beam = model(card.format("PBEAM") + ",NO,1.\n" + ",.4,.5\n,.01,.02,,,.03,.04\n")
    for one in ("K_gg", "M_gg"):
        a, b = (getattr(fe, one).toarray() for fe in (same, beam))
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12 * np.abs(b).max())


def test_two_flanges_of_unlike_material():
    """EA = ΣE_i A_i; the neutral axis moves to the stiff flange, so that a pull at the shear centre bends; mass is
    at its own centre, and both flanges twist with their own inertia."""
    card = (
        "PBCOMP,5,1,.02,,,,1.-4\n,,,,,,,5\n,.2,.01,.25,1\n,.2,-.01,.25,1\n,-.2,.01,.25,2\n,-.2,-.01,.25,2\n"
    )
    u = end(card + "FORCE,1,2,,1.+5,1.,0.,0.\n")
    ea = np.array([7e10, 2e11]) * 0.01
    y = np.array([0.2, -0.2])
    centre = ea @ y / ea.sum()
    bending = ea @ (y - centre) ** 2
    turn = 1e5 * centre * L / bending
    np.testing.assert_allclose(u[5], turn, rtol=1e-9)
    np.testing.assert_allclose(u[0], 1e5 * L / ea.sum() + centre * turn, rtol=1e-9)
    aside = end(card + "MOMENT,1,2,,1.,0.,1.,0.\n")
    np.testing.assert_allclose(aside[4], L / (ea.sum() * 0.01**2), rtol=1e-9)
    weight = model(card).mass_properties()
    mass = np.array([2700.0, 7800.0]) * 0.01
    assert weight.mass == pytest.approx(mass.sum() * L, rel=1e-12)
    assert weight.cg[1] == pytest.approx(mass @ y / mass.sum(), rel=1e-12)
    M = model(card).M_gg.toarray()
    assert M[3, 3] == pytest.approx(0.5 * L * mass @ (y**2 + 0.01**2), rel=1e-9)


@pytest.mark.parametrize(
    "kind, areas",
    [
        (1, ",.2,.1,.25"),
        (1, ",.2,.1,1."),
        (2, ",.2,.1,.25\n,-.2,.1,.25"),
        (3, ",.2,.1,.25\n,.2,-.1,.25"),
        (4, ",.2,.1,.25\n,-.2,.1,.25"),
        (5, ",.2,.1,.25\n,-.2,.1,.25\n,.2,-.1,.25\n,-.2,-.1,.25"),
    ],
)
def test_mirror_images_of_areas(kind, areas):
    """Four equal corners in every way to write them: I1 = A y², I2 = A z², and shear K G A."""
    u = end(f"PBCOMP,5,1,.02,,,,1.-4\n,.4,.5,,,,,{kind}\n{areas}\nFORCE,1,2,,1.,0.,1.,1.\n")
    G = 7e10 / 2.6
    truth = [L**3 / (3 * 7e10 * 0.02 * c**2) + L / (k * G * 0.02) for c, k in ((0.2, 0.4), (0.1, 0.5))]
    np.testing.assert_allclose(u[1:3], truth, rtol=1e-9)


@refusals(
    """
    PBCOMP,5,1,.02,,,,1.-4|,,,,,,,7 -> SECTION of this PBCOMP is not known
    PBCOMP,5,1,.02,,,,1.-4|,,,,,,,5|,.1,.1,.3 -> do not add up to one
    PBCOMP,5,1,.02,,,,1.-4|,,,,,,,5|,.1,.1,1.,9 -> PBCOMP needs a MAT1 with id 9
    PBCOMP,5,1,,1.,1.,,1.-4 -> A of this PBCOMP is not possible
    PBCOMP,5,1,.02,,,,1.-4|,,,,,,,5|,.1,.1,1. -> I1 of this PBCOMP is not possible
    PBCOMP,5,1,.02,,,,1.-4|,,,,,,,5|,1,.1,1. -> PBCOMP 5: field 2 of continuation 2 is an integer
    """
)
def test_mistakes_are_named(text, words):
    with pytest.raises(DeckError, match=words):
        model(text.replace("|", "\n"))
