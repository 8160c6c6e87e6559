"""`normal_modes` and components read one deck the same way: subcase, EIGRL, EPZERO, sets."""

from __future__ import annotations

import numpy as np
import pytest
from deck_models import boom

from interstage.component import Component
from interstage.errors import InputError, ModelError
from interstage.fem import FEModel, normal_modes
from interstage.linalg import eigen
from interstage.nastran import deck_from_text

HELD = ["SPC1,1,123456,1", "SPC1,2,123,1", "SPC1,2,123,6"]


def both(text: str, **options):
    """Frequencies of `normal_modes` and of the component of one deck, rigid modes left out of both."""
    modes = normal_modes(FEModel.from_deck(deck_from_text(text)), **options)
    component = Component.from_deck(deck_from_text(text), aset={}, **options)
    hz = modes.frequencies_hz
    return hz[np.abs(hz) > 0.1], component


@pytest.mark.parametrize(
    "request_fields", [",,8", ",800.", "100.,800.", "100.,,5", "100.,2000.,4", ",2000.,40", "1.-3,,6", ",,1"]
)
@pytest.mark.parametrize("held", [True, False])
def test_range_and_number_mean_the_same(request_fields, held):
    text = boom(HELD).replace("EIGRL,1,,,8", f"EIGRL,1,{request_fields}")
    text = text.replace("METHOD = 1", "METHOD = 1\nSPC = 1") if held else text
    hz, component = both(text)
    assert np.allclose(component.frequencies_hz, hz, rtol=1e-8)
    assert "of the deck" in component.provenance["option_n_modes"]


def test_interface_modes_follow_the_range_too():
    text = boom([]).replace("EIGRL,1,,,8", "EIGRL,1,100.,900.")
    c = Component.from_deck(deck_from_text(text), aset={1: 123456})
    held = normal_modes(
        FEModel.from_deck(deck_from_text(boom(HELD).replace("METHOD = 1", "METHOD = 1\nSPC = 1"))), 40
    )
    inside = (held.frequencies_hz >= 100.0) & (held.frequencies_hz <= 900.0)
    assert np.allclose(c.craig_bampton.frequencies_hz, held.frequencies_hz[inside], rtol=1e-8)
    assert 0 < inside.sum() < len(inside)


@pytest.mark.parametrize(
    "cases",
    [
        "SUBCASE 1\nSPC = 2\nSUBCASE 2\nSPC = 1\nMETHOD = 1",
        "SUBCASE 1\nANALYSIS = STATICS\nSPC = 2\nMETHOD = 1\nSUBCASE 2\nANALYSIS = MODES\nSPC = 1\nMETHOD = 1",
        "SUBCASE 1\nSUPER = 10\nSPC = 2\nMETHOD = 1\nSUBCASE 2\nSPC = 1\nMETHOD = 1",
    ],
)
def test_the_same_subcase_is_chosen(cases):
    text = boom(HELD).replace("METHOD = 1", cases)
    hz, component = both(text)
    single, _ = both(boom(HELD).replace("METHOD = 1", "METHOD = 1\nSPC = 1"))
    assert np.allclose(hz, single) and np.allclose(component.frequencies_hz, single, rtol=1e-8)
    assert component.provenance["option_subcase"] == "2"
    first, chosen = both(text, subcase=1, n_modes=8)
    n = min(len(first), chosen.n_modes)
    assert np.allclose(chosen.frequencies_hz[:n], first[:n], rtol=1e-8)
    assert not np.allclose(first[:4], single[:4], rtol=1e-3)


def test_only_request_is_taken_without_method():
    hz, component = both(boom([]).replace("METHOD = 1\n", ""))
    assert np.allclose(component.frequencies_hz, hz, rtol=1e-8) and len(hz) == 2


@pytest.mark.parametrize("epzero", ["1.-8", "1.-1"])
def test_epzero_reaches_both(epzero):
    # a grid on a stiff and a weak spring: the weak direction is singular at a ratio of 0.1 and not at 1e-8
    extra = [
        "GRID,50,,0.,1.,0.,,456",
        "CELAS2,501,1.+6,50,1,1,1",
        "CELAS2,502,1.+4,50,2,1,2",
        "CELAS2,503,1.+6,50,3,1,3",
    ]
    extra += ["CONM2,504,50,,3.", f"PARAM,EPZERO,{epzero}"]
    hz, component = both(boom([*HELD, *extra]).replace("METHOD = 1", "METHOD = 1\nSPC = 1"))
    assert np.allclose(component.frequencies_hz, hz, rtol=1e-8)
    weak = np.sqrt(1e4 / 3.0) / (2 * np.pi)
    assert np.any(np.isclose(hz, weak, rtol=1e-2)) == (epzero == "1.-8")


@pytest.mark.parametrize("number", [3, 5000])
def test_scalar_points_of_the_aset(number):
    """A place for a modal coordinate is left out; a scalar point with a spring is refused by name."""
    renumbered = boom([]).replace("GRID,", "GRID,1").replace("CBAR,1,1,1,2", "CBAR,1,1,11,12")
    grids = "\n".join(_renumber(line) for line in renumbered.splitlines())
    empty = grids.replace("ENDDATA", f"SPOINT,{number}\nASET1,0,{number}\nASET1,123456,1001\nENDDATA\n")
    c = Component.from_deck(deck_from_text(empty), 4)
    assert c.aset == {1001: 123456}
    sprung = empty.replace("ENDDATA", f"CELAS2,900,1.+4,{number},,1009,3\nCMASS2,901,1.,{number}\nENDDATA")
    with pytest.raises(ModelError, match=f"scalar point {number}"):
        Component.from_deck(deck_from_text(sprung), 4)
    inside = Component.from_deck(deck_from_text(sprung), 4, aset={1001: 123456})
    assert inside.aset == {1001: 123456}
    for name in ("aset", "rvdof"):
        with pytest.raises(ModelError, match=f"{name} names scalar points"):
            Component.from_deck(deck_from_text(sprung), 4, **{name: {number: 1}})
    assert len(normal_modes(FEModel.from_deck(deck_from_text(sprung)), 4).frequencies_hz) == 4


def _renumber(line: str) -> str:
    """Grids 1, 2, ... become 1001, 1002, ..."""
    f = line.split(",")
    if f[0] == "GRID":
        f[1] = str(1000 + int(f[1][1:]))
    elif f[0] == "CBAR":
        f[3], f[4] = (str(1000 + int(value) % 10) for value in (f[1], str(int(f[1]) + 1)))
    return ",".join(f)


def test_notes_and_evidence_of_the_solver_reach_the_component(monkeypatch):
    from interstage.linalg import slicing

    monkeypatch.setattr(eigen, "DENSE_SIZE", 0)
    c = Component.from_deck(deck_from_text(boom([])), 4, aset={1: 123456})
    assert c.provenance["modes_counted"] == "yes"
    assert float(c.provenance["modes_residual"]) < 1e-6
    monkeypatch.setattr(slicing.Pencil, "counted", lambda self, factor: None)
    for aset in ({}, {1: 123456}):
        c = Component.from_deck(deck_from_text(boom([])), 4, aset=aset)
        assert any("number of modes was not checked" in note for note in c.notes)
        assert c.provenance["modes_counted"].startswith("no")


def test_method_that_is_not_there_is_named():
    text = boom([]).replace("METHOD = 1", "METHOD = 7")
    with pytest.raises(ModelError, match="METHOD = 7"):
        Component.from_deck(deck_from_text(text))
    with pytest.raises(InputError, match="subcase 9"):
        Component.from_deck(deck_from_text(boom([])), 4, subcase=9)
