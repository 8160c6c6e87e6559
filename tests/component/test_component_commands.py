"""`interstage component` and `interstage info`, and the example that reads a file with h5py alone."""

import importlib.util
import json
from pathlib import Path

import pytest
import typer
from deck_models import SIMPLE_BEAM, boom
from typer.testing import CliRunner

import interstage as ist
from interstage.cli import component as component_command
from interstage.cli import info as info_command
from interstage.component import Component
from interstage.errors import FileError, InputError

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(*arguments):
    """Run a command as the command line does; errors come through as exceptions."""
    app = typer.Typer()
    app.command("component")(component_command.component)
    app.command("info")(info_command.info)
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_component_then_info(tmp_path):
    deck, file = tmp_path / "beam.dat", tmp_path / "beam.h5"
    deck.write_text(SIMPLE_BEAM)
    made = run(
        "component",
        deck,
        "-o",
        file,
        "--modes",
        8,
        "--aset",
        "1:123456",
        "--rvdof",
        "10:2",
        "--modal-integrals",
    )
    assert made.exit_code == 0
    assert "1:123456" in made.stdout
    c = Component.load(file)
    assert (c.n_modes, c.has_integrals, c.residual_vector.sum()) == (9, True, 1)
    shown = run("info", file)
    assert "component 'beam'" in " ".join(shown.stdout.split())
    assert "9 flexible" in shown.stdout
    facts = json.loads(run("info", file, "--json").stdout)
    assert facts["modes"] == 9
    assert facts["aset"] == {"1": 123456}
    assert facts["mass"] == pytest.approx(1125.0)


def test_component_separates_lumped_bodies(tmp_path):
    deck, file = tmp_path / "boom.dat", tmp_path / "boom.h5"
    deck.write_text(boom(["CONM2,99,9,,2.0,.1,.2,.3"]))
    run(
        "component",
        deck,
        "-o",
        file,
        "--aset",
        "1:123456",
        "--separate-lumped",
        "--add-lumped-to-aset",
        "--grdpnt",
        3,
    )
    c = Component.load(file)
    assert [body.name for body in c.child_bodies] == ["CONM2_99"]
    assert c.aset == {1: 123456, 9: 123456}
    assert c.reference_node == 3
    run("component", deck, "-o", file, "--lumped", "99")
    assert [body.name for body in Component.load(file).child_bodies] == ["CONM2_99"]
    with pytest.raises(InputError, match=r"^--lumped names CONM2 98, which is not in the deck"):
        run("component", deck, "-o", file, "--lumped", "98")


def test_integrals_are_made_unless_they_are_declined(tmp_path):
    """The same default as `Component.from_deck`: a file of the command line flies with deformed inertia."""
    deck, file = tmp_path / "boom.dat", tmp_path / "boom.h5"
    deck.write_text(boom([]))
    run("component", deck, "-o", file, "--modes", 3)
    assert Component.load(file).has_integrals == Component.from_deck(deck, 3).has_integrals is True
    mb = ist.Multibody("boom")
    assert mb.add_body("boom", component=file).order == 2
    run("component", deck, "-o", file, "--modes", 3, "--no-modal-integrals")
    assert not Component.load(file).has_integrals
    with pytest.raises(InputError, match="rotary"):
        run("component", deck, "-o", file, "--no-modal-integrals", "--rotary-integrals")


def test_bad_options(tmp_path):
    deck = tmp_path / "boom.dat"
    deck.write_text(boom([]))
    with pytest.raises(InputError, match="--aset cannot be read"):
        run("component", deck, "-o", tmp_path / "x.h5", "--aset", "1=123")
    with pytest.raises(InputError, match="not in the model"):
        run("component", deck, "-o", tmp_path / "x.h5", "--aset", "77:123")
    with pytest.raises(FileError, match="folder"):
        run("component", deck, "-o", tmp_path / "no" / "x.h5")
    with pytest.raises(FileError):
        run("info", tmp_path / "absent.h5")
    assert not list(tmp_path.glob("*.h5"))


def test_h5py_example(capsys):
    """The example reads a file with h5py and numpy alone; clamped frequencies agree to 1e-10."""
    spec = importlib.util.spec_from_file_location("read_component_h5py", EXAMPLES / "read_component_h5py.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    assert example.main() < 1e-10
    assert "clamped" in capsys.readouterr().out


def test_subcase_and_rigid_threshold(tmp_path):
    deck, file = tmp_path / "boom.bdf", tmp_path / "boom.h5"
    cases = "SUBCASE 1\nSPC = 1\nMETHOD = 1\nSUBCASE 2\nMETHOD = 1"
    deck.write_text(boom(["SPC1,1,123456,1"]).replace("METHOD = 1", cases))
    run("component", deck, "-o", file)
    assert Component.load(file).n_rigid == 0
    made = run("component", deck, "-o", file, "--subcase", 2, "--rigid-threshold", 0.02)
    assert "threshold 0.02 Hz" in " ".join(made.output.split())
    back = Component.load(file)
    assert back.n_rigid == 6 and back.provenance["modes_counted"] == "yes"
