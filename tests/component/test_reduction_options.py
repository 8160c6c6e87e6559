"""Options of a component: one value, checked where it is made; doors with real signatures; messages in flags."""

import inspect
import typing
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
import typer
from deck_models import SIMPLE_BEAM, boom
from typer.testing import CliRunner

from interstage.cli import component as component_command
from interstage.component import Component, ReductionOptions
from interstage.errors import InputError, ModelError
from interstage.fmodal import Nastran
from interstage.nastran import deck_from_text


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"damping": 5}, r"above 1 .*got 5; write damping=0\.05"),
        ({"damping": [(0.0, 0.01), (100.0, 2.0)]}, "above 1"),
        ({"damping": -0.01}, "damping is not usable"),
        ({"damping": float("nan")}, "damping is not usable"),
        ({"damping": "light"}, "damping is not usable"),
        ({"n_modes": -1}, "number of modes must be a whole number"),
        ({"n_modes": 2.5}, "number of modes must be a whole number"),
        ({"n_modes": True}, "number of modes must be a whole number"),
        ({"csid": -1}, "csid must be a whole number"),
        ({"grdpnt": "one"}, "grdpnt must be a whole number"),
        ({"subcase": 1.5}, "subcase must be a whole number"),
        ({"aset": {1: 127}}, "components are not usable"),
        ({"aset": {1: 11}}, "components are not usable"),
        ({"aset": {"root": 123}}, "aset names no grid"),
        ({"aset": {-4: 123}}, "aset names no grid"),
        ({"rvdof": 57}, "rvdof is not usable"),
        ({"loads": [{9: [1, 2, 3, 4, 5, 6, 7]}]}, "up to six forces and moments"),
        ({"loads": [{9: [np.inf]}]}, "load is not usable"),
        ({"loads": [[9, 1.0]]}, "load pattern is not usable"),
        ({"loads": {9: [1.0]}}, r"expected a list of patterns.*got \{9: \[1\.0\]\}"),
        ({"loads": None}, "loads are not usable"),
        ({"loads": 5}, "loads are not usable"),
        ({"aset": {0: 123}}, "aset names no grid"),
        ({"aset": {10**30: 123}}, "aset names no grid"),
        ({"aset": {1: 12, "1": 3}}, "aset names a grid twice"),
        ({"rvdof": {1: 127}}, r"components are not usable \(rvdof\)"),
        ({"geometric_stiffness": "12"}, "geometric_stiffness is not usable"),
        ({"geometric_stiffness": {1: 123}}, "geometric_stiffness is not usable"),
        ({"massless": np.zeros(2)}, "massless is not known"),
        ({"units": {"mass": []}}, "unit of mass is not known"),
        ({"units": np.zeros(3)}, "units are not understood"),
        ({"n_modes": np.zeros((9, 9))}, r"got array\(\[\[0[^\n]{,80}\.\.\.$"),
        ({"modal_integrals": "yes"}, "modal_integrals is a switch"),
        ({"rotary_integrals": True, "modal_integrals": False}, "rotary nodes come with"),
        ({"massless": "ignore"}, "massless is not known.*known: add, error"),
        ({"rigid_threshold_hz": -1.0}, "threshold must be a number >= 0"),
        ({"rigid_threshold_hz": float("inf")}, "threshold must be a number >= 0"),
        ({"units": "stone"}, "units are not understood"),
        ({"units": "si-mm"}, "unit of mass is not known; expected \"SI\".*got 'si'; known: kg"),
        ({"name": ""}, "needs a name"),
    ],
)
def test_nonsense_is_refused_in_words(wrong, words):
    """By the value itself, and by a door before anything is solved."""
    with pytest.raises(InputError, match=words):
        ReductionOptions(**wrong)
    with pytest.raises(InputError, match=words):
        Component.from_deck("no such deck.bdf", **wrong)


@pytest.mark.parametrize("switch", [True, False])
def test_switches_of_numpy_are_switches(switch):
    plain = ReductionOptions(geometric_stiffness=switch, aset={1: 123})
    assert (
        ReductionOptions(geometric_stiffness=np.bool_(switch), aset={1: 123}).load_nodes == plain.load_nodes
    )


def test_options_are_a_value():
    given = {9: "31", 1: 123456}
    options = ReductionOptions(n_modes=np.int64(4), aset=given, damping={100.0: 0.02, 1.0: 0.01}, units="SI")
    assert (options.n_modes, dict(options.aset)) == (4, {1: 123456, 9: 13})
    assert np.array_equal(options.damping, [[1.0, 0.01], [100.0, 0.02]])
    given[5] = 1
    assert 5 not in options.aset
    with pytest.raises(FrozenInstanceError):
        options.n_modes = 5
    assert options.with_changes(n_modes=5).n_modes == 5
    assert options.n_modes == 4
    with pytest.raises(InputError):
        options.with_changes(n_modes=-5)


@pytest.mark.parametrize("door", ["from_deck", "from_matrices", "from_op4", "from_op2"])
def test_doors_have_real_signatures(door):
    """help() shows every name with its default and type; defaults are those of the options."""
    function = getattr(Component, door)
    shown = inspect.signature(function).parameters
    assert all(one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL) for one in shown.values())
    assert all(one.annotation is not one.empty for one in shown.values())
    defaults = {one.name: one.default for one in fields(ReductionOptions)}
    for name, one in shown.items():
        assert name in function.__doc__
        if name in defaults and (door, name) not in {("from_matrices", "n_modes"), ("from_matrices", "name")}:
            assert one.default == defaults[name], name
    if door == "from_deck":
        assert set(defaults) <= set(shown)
    with pytest.raises(TypeError, match="n_mode"):
        Component.from_deck("beam.bdf", n_mode=3)
    assert typing.get_type_hints(ReductionOptions)


def test_options_reach_the_component():
    """What is asked through the door is what the component has."""
    deck = deck_from_text(boom(["CORD2R,5,,0.,0.,0.,0.,1.,0.", ",1.,0.,0."]))
    c = Component.from_deck(
        deck, 3, aset={1: 123456}, rvdof={9: 2}, loads=[{5: [0, 0, 1.0]}], damping=0.03, csid=5, grdpnt=4,
        modal_integrals=False, keep_matrices=True, name="boom", units="t-mm-s",
    )  # fmt: skip
    assert (c.name, c.csid, c.reference_node, c.aset) == ("boom", 5, 4, {1: 123456})
    assert c.units["mass"] == "t" and c.gset is not None and not c.has_integrals
    assert c.residual_vector.sum() == 2 and np.allclose(c.damping_ratio, 0.03)


def test_scripts_refuse_unknown_options(tmp_path):
    path = tmp_path / "beam.dat"
    path.write_text(SIMPLE_BEAM)
    nast = Nastran()
    nast.read(path)
    with pytest.raises(InputError, match=r"'n_mode' is no option.*known: .*damping"):
        nast.run_103(n_modes=2, n_mode=3)
    with pytest.raises(InputError, match="above 1"):
        nast.run_103(n_modes=2, damping=2)


def said(deck, *arguments):
    """The error of the command, as text."""
    app = typer.Typer()
    app.command()(component_command.component)
    result = CliRunner().invoke(app, [str(a) for a in (deck, "-o", deck.with_suffix(".h5"), *arguments)])
    assert isinstance(result.exception, InputError | ModelError)
    return str(result.exception)


def test_messages_name_what_the_caller_wrote(tmp_path):
    """Parameters in Python, flags on the command line."""
    deck = tmp_path / "boom.bdf"
    text = boom([]).replace("METHOD = 1\n", "").replace("EIGRL,1,,,8\n", "")
    deck.write_text(text)
    with pytest.raises(InputError, match="give n_modes, or METHOD") as python:
        Component.from_deck(deck)
    assert "--" not in str(python.value)
    assert "give --modes, or METHOD" in said(deck)
    assert "write --damping 0.05 for 5 %" in said(deck, "--damping", 5)
    assert "--aset names a grid that is not in the model" in said(deck, "--modes", 2, "--aset", "77:1")
    assert "--aset names a grid twice" in said(deck, "--modes", 2, "--aset", "1:12,1:3")
    assert "--aset cannot be read" in said(deck, "--modes", 2, "--aset", "\u00b2:12")
    assert "components are not usable (--rvdof)" in said(deck, "--modes", 2, "--rvdof", "1:17")
    assert "--csid must be a whole number" in said(deck, "--modes", 2, "--csid", -3)
    scalar = tmp_path / "scalar.bdf"
    scalar.write_text(boom(["SPOINT,9001", "CELAS2,9001,10.,9001,0,3,1"]))
    text = said(scalar, "--modes", 2, "--aset", "9001:1")
    assert "by its grids in --aset" in text and "aset=" not in text
