"""The check of a delivered component: each item tells a good body from a bad one."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

import interstage as ist
from interstage.cli.main import app
from interstage.nastran import deck_from_text
from interstage.nastran.builders import beam_deck

BEAM = beam_deck(6.0, diameter=0.1, wall=0.002, elements=8)


def verdict(component: ist.Component, subject: str, deck=None) -> str:
    return next(item.verdict for item in component.check(deck).items if item.subject == subject)


def made(text: str = BEAM, **options) -> ist.Component:
    return ist.Component.from_deck(deck_from_text(text), n_modes=4, **options)


def test_a_good_body_passes():
    for options in ({}, {"aset": {1: 123456}}, {"aset": {1: 123, 9: 123, 5: 123456}}):
        component = made(**options)
        assert component.check(deck_from_text(BEAM)).passed
        assert verdict(component, "grounding") == "ok"
    assert verdict(component, "interface rank") == "ok"


def test_a_spring_to_ground_is_seen():
    grounded = BEAM.replace("ENDDATA", "CELAS2,99,1.+5,5,2\nENDDATA")
    for options in ({}, {"aset": {1: 123456}}):
        component = made(grounded, **options)
        assert verdict(component, "grounding") == "fail"
        assert not component.check().passed


def test_a_stick_without_roll_inertia_is_noted():
    """Bars of lumped mass have none about their axis, wherever the frame is; a disc at the tip gives it."""
    stick = "SOL 103\nCEND\nBEGIN BULK\nMAT1,1,7.+10,,.3,2700.\nPBAR,1,1,.002,4.-6,9.-6,6.-6\n"
    stick += "".join(f"GRID,{k + 1},,3.,{k}.,2.\n" for k in range(4))
    stick += "".join(f"CBAR,{k + 1},1,{k + 1},{k + 2},1.,0.,0.\n" for k in range(3)) + "ENDDATA\n"
    note = next(item for item in made(stick).check().items if item.subject == "inertia")
    assert note.verdict == "note" and "about axis [0.0, 1.0, 0.0]" in note.found
    disc = stick.replace("ENDDATA", "CONM2,9,4,,0.\n,1.,,1.,,,1.\nENDDATA")
    assert not [item for item in made(disc).check().items if item.subject == "inertia"]


def test_an_interface_that_cannot_hold_the_body_is_noted():
    # on one line: nothing holds the roll; `from_deck` refuses such an interface, files of other tools may have it
    ends = replace(made(aset={1: 123456}), aset={1: 123, 9: 123})
    item = next(one for one in ends.check().items if one.subject == "interface rank")
    assert item.verdict == "note" and item.found.startswith("5 of 6")


def test_mass_is_that_of_the_deck_with_what_was_taken_out():
    heavy = BEAM.replace("ENDDATA", "CONM2,99,9,,25.\nENDDATA")
    component = made(heavy, separate_lumped=True)
    assert verdict(component, "mass", deck_from_text(heavy)) == "ok"
    assert verdict(component, "mass", deck_from_text(BEAM)) == "fail"
    assert verdict(component, "lumped bodies taken out") == "note"
    assert verdict(made(heavy), "lumped bodies inside") == "note"
    weighed = heavy.replace("BEGIN BULK", "BEGIN BULK\nPARAM,WTMASS,.5")
    assert verdict(made(weighed), "mass", deck_from_text(weighed)) == "ok"


def test_modes_that_are_not_normalized_are_seen():
    good = made()
    assert verdict(good, "modal mass") == "ok"
    assert verdict(replace(good, G0=1.01 * good.G0), "modal mass") == "fail"


def test_single_precision_is_noted():
    good = made()
    assert verdict(good, "precision") == "ok"
    short = replace(good, gamma=good.gamma.astype("f4").astype(float))
    assert verdict(short, "precision") == "note"


@pytest.mark.parametrize("right", [True, False])
def test_the_command_says_pass_or_fail(tmp_path, right):
    path, deck = tmp_path / "boom.h5", tmp_path / "boom.bdf"
    made(aset={1: 123456}).save(path)
    deck.write_text(BEAM if right else BEAM.replace("2810.", "2900."))
    done = CliRunner().invoke(app, ["check", str(path), "--deck", str(deck)])
    assert done.exit_code == (0 if right else 1), done.output
    assert ("pass" if right else "FAIL") in done.output
    listed = CliRunner().invoke(app, ["check", str(path), "--json"])
    assert json.loads(listed.output)["passed"]
