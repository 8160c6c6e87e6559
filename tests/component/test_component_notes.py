"""What components say of themselves: inertia added at interfaces, tables of damping, interfaces that do not hold."""

from __future__ import annotations

import re

import h5py
import numpy as np
import pytest
from deck_models import SIMPLE_BEAM, boom

import interstage as ist
from interstage import Component, FEModel, normal_modes
from interstage.errors import InputError, ModelError
from interstage.nastran import deck_from_text


def test_the_effect_of_added_inertia_is_that_on_the_frequencies():
    """The note names the largest change; a component of all modes differs by it from the finite-element model."""
    deck = deck_from_text(SIMPLE_BEAM)
    c = Component.from_deck(deck, 400, aset={1: 123456})
    (note,) = [one for one in c.notes if "small rotary inertia" in one]
    said, at = re.search(r"lowers frequencies by up to (\S+) of them \(at (\S+) Hz\)", note).groups()
    own = float(re.search(r"modes from (\S+) Hz on are its own", note).group(1))
    whole = normal_modes(FEModel.from_deck(deck), n_modes=40).frequencies_hz
    whole = whole[whole > 1e-3]
    ours = c.frequencies_hz[c.frequencies_hz < 0.999 * own]
    assert len(ours) == len(whole[: len(ours)])
    change = 1.0 - ours / whole[: len(ours)]
    # the note has one digit of a first-order change
    assert change.max() == pytest.approx(float(said), rel=0.3)
    assert ours[change.argmax()] == pytest.approx(float(at), rel=1e-2)
    assert (c.frequencies_hz > 0.999 * own).any()


@pytest.mark.parametrize("aset", [{1: 12345}, {1: 123, 9: 23}])
def test_a_partial_interface_is_told_of_the_joint(aset):
    with pytest.raises(ModelError, match="123456 with a Revolute there is a hinge"):
        Component.from_deck(deck_from_text(boom([])), 4, aset=aset)


def test_a_table_of_damping_says_where_it_is_read():
    """The ratios of a free body's modes; held at its interface the body has other frequencies, which a note says."""
    table = {0.1: 0.01, 1e3: 0.05}
    held = Component.from_deck(deck_from_text(boom([])), 4, aset={1: 123456}, damping=table)
    (note,) = [one for one in held.notes if "table of damping" in one]
    assert f"{held.frequencies_hz.min():.4g} to {held.frequencies_hz.max():.4g} Hz" in note
    np.testing.assert_allclose(held.damping_ratio, np.interp(held.frequencies_hz, [0.1, 1e3], [0.01, 0.05]))
    for options in ({"damping": table}, {"damping": 0.01, "aset": {1: 123456}}):
        c = Component.from_deck(deck_from_text(boom([])), 4, **options)
        assert not any("table of damping" in one for one in c.notes)


def test_a_bad_point_of_a_mass_tree_names_both_points():
    lem, cm = (ist.MassBody(name, mass=1.0, inertia=np.eye(3)) for name in ("lem", "cm"))
    lem.add_point("port")
    cm.add_point("dock")
    words = r"'cm' has no point 'dok'.*point='port' of 'lem', parent_point='dok' of 'cm'.*port.*dock"
    with pytest.raises(InputError, match=words):
        lem.attach_to(cm, point="port", parent_point="dok")
    with pytest.raises(
        InputError, match=r"'lem' has no point 'prt'.*point='prt' of 'lem', parent_point='dock'"
    ):
        lem.attach_to(cm, point="prt", parent_point="dock")


def rewritten(path, source, dtype, digits=None, strip=True):
    """Write a component file anew with the names of the report alone, its numbers in another type or in text."""

    def copy(a, b):
        for name, item in a.items():
            named = ("BGPDT", "GRDPNT", "N_GRIDS", "FMODAL_VERSION", "NASTRAN_VERSION", "TIME_STAMP")
            if strip and name.isupper() and name not in named and a.name == "/":
                continue
            if isinstance(item, h5py.Group):
                copy(item, b.create_group(name))
                continue
            value = item[()]
            if getattr(value, "dtype", None) == np.float64:
                if digits and value.shape:
                    value = np.array([float(f"{v:.{digits - 1}e}") for v in value.ravel()]).reshape(
                        value.shape
                    )
                value = value.astype(dtype)
            b.create_dataset(name, data=value)

    with h5py.File(source) as a, h5py.File(path, "w") as b:
        copy(a, b)


@pytest.mark.parametrize(
    ("dtype", "digits", "words"),
    [("f4", None, "single precision in"), ("f8", 7, "7 decimal digits in"), ("f8", None, "")],
)
@pytest.mark.parametrize("lazy", [False, True])
def test_a_file_of_another_tool_says_how_precise_its_numbers_are(tmp_path, dtype, digits, words, lazy):
    """Provenance, notes, vehicle, and a file written of it; a file in double precision says nothing."""
    Component.from_deck(deck_from_text(boom([])), 6, aset={1: 123456}).save(tmp_path / "boom.h5")
    rewritten(tmp_path / "foreign.h5", tmp_path / "boom.h5", dtype, digits)
    found = Component.load(tmp_path / "foreign.h5", lazy=lazy)
    found.save(tmp_path / "again.h5")
    for one in (found, Component.load(tmp_path / "again.h5"), found.with_changes(units="SI")):
        assert ("precision" in one.provenance) == bool(words)
        assert any(words in note and "mode shapes" in note for note in one.notes) == bool(words)
        mb = ist.Multibody("vehicle")
        mb.add_body("boom", component=one, joint=ist.Free())
        assert any(words in note for note in mb.compile().model.notes) == bool(words)
    if dtype == "f4":  # our own names, in single precision
        rewritten(tmp_path / "own.h5", tmp_path / "boom.h5", dtype, strip=False)
        assert words in Component.load(tmp_path / "own.h5", lazy=lazy).provenance["precision"]
