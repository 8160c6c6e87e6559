"""The command as a newcomer meets it: unwritable places, a full disk, files that are no decks, Ctrl-C, completion."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from commands import Said, run

from conftest import ROOT
from interstage.cli.inputs import check_deck
from interstage.errors import FileError

DECK = ROOT / "examples" / "decks" / "SimpleBeam.dat"


def one_sentence(result, *words):
    """Exit status 2, one line on stderr, no traceback."""
    assert result.status == 2, result.stderr
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("interstage: ")
    assert all(word in lines[0] for word in words), lines[0]


@pytest.mark.parametrize(
    "command", ["demo", "report", "validate", "bench", "modes", "static", "component", "info", "warm"]
)
def test_every_command_has_help(command, capsys):
    result = run(capsys, command, "--help")
    assert result.status == 0 and "Example" in result.stdout


def test_shell_completion():
    words = {"_INTERSTAGE_COMPLETE": "complete_bash", "COMP_WORDS": "interstage de", "COMP_CWORD": "1"}
    command = {"args": [sys.executable, "-m", "interstage.cli.main"], "capture_output": True, "text": True}
    result = subprocess.run(**command, env=os.environ | words)
    assert result.stdout.split() == ["demo"]
    script = subprocess.run(**command, env=os.environ | {"_INTERSTAGE_COMPLETE": "source_bash"})
    assert "_INTERSTAGE_COMPLETE" in script.stdout


def test_demo_in_a_place_that_cannot_be_written(tmp_path, capsys):
    (tmp_path / "file").write_text("x")
    one_sentence(run(capsys, "demo", "--out", tmp_path / "file"), "folder", "file")
    one_sentence(run(capsys, "demo", "--out", "/proc/nowhere"), "/proc/nowhere")
    assert (tmp_path / "file").read_text() == "x"


def test_full_disk_on_standard_output():
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    for extra in ([], ["--json"]):
        command = [sys.executable, "-m", "interstage.cli.main", "validate", "--list", *extra]
        with open("/dev/full", "w") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT)
        one_sentence(Said(done.returncode, "", done.stderr), "No space left")


def test_ctrl_c_leaves_no_half_written_file(tmp_path):
    """Interrupted while the finite-element model is being made: status 130, one word, whole files only."""
    process = subprocess.Popen(
        [sys.executable, "-m", "interstage.cli.main", "demo", "--out", str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deck = tmp_path / "out" / "heron.bdf"
    while not deck.exists() and process.poll() is None:
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=60)[1]
    # Python dies of the signal itself where it came in code made from text; a shell shows 130 for both
    assert process.returncode in (130, -signal.SIGINT), rest
    assert rest.strip().splitlines()[-1] == "interstage: stopped"
    assert "Traceback" not in rest and "ignored" not in rest
    assert deck in deck.parent.iterdir()
    assert not [p.name for p in deck.parent.iterdir() if p.name.startswith(".") or ".part" in p.name]


@pytest.mark.parametrize(
    "content, words",
    [
        (b"\x89HDF\r\n\x1a\n....", "HDF5"),
        (b"\n<!DOCTYPE html><html>", "web page"),
        (b"\x00\x01\x02 binary", "binary"),
        (b'{"a": 1}', "JSON"),
    ],
)
def test_files_that_are_no_decks(tmp_path, content, words):
    path = tmp_path / "not_a_deck.bdf"
    path.write_bytes(content)
    with pytest.raises(FileError, match=words):
        check_deck(path)
    check_deck(DECK)
    check_deck(tmp_path / "missing")  # left to the reader


def test_commands_refuse_what_is_not_a_deck(tmp_path, capsys):
    path = tmp_path / "page.bdf"
    path.write_text("<html></html>")
    one_sentence(run(capsys, "modes", path), "not a NASTRAN deck")
    one_sentence(run(capsys, "component", path, "-o", tmp_path / "c.h5"), "not a NASTRAN deck")
    assert not (tmp_path / "c.h5").exists()


def test_report_of_what_is_not_there(tmp_path, capsys):
    one_sentence(run(capsys, "report", tmp_path / "no.h5"), "no.h5")
    (tmp_path / "notes.txt").write_text("first bending 2.4 Hz\n")
    one_sentence(run(capsys, "report", tmp_path / "notes.txt"), "notes.txt", "component file")


def test_component_to_report(tmp_path, capsys):
    """The two commands a newcomer needs: a deck to a file, the file to a page."""
    file, page = tmp_path / "beam.h5", tmp_path / "beam.html"
    made = run(capsys, "component", DECK, "-o", file, "--aset", "1:123456", "--modes", "8")
    assert made.status == 0, made.stderr
    result = run(capsys, "report", file, "--deck", DECK)
    assert result.status == 0 and str(page) in result.stdout
    assert "<canvas" not in page.read_text() and 'data-kind="scene"' in page.read_text()
    one_sentence(run(capsys, "report", file, "-o", file), "replace")
    one_sentence(run(capsys, "report", file, "-o", tmp_path / "no" / "x.html"), "does not exist")


def test_studies_and_benchmarks_by_name(capsys):
    names = json.loads(run(capsys, "validate", "--list", "--json").stdout)
    assert "two_beams" in names
    one_sentence(run(capsys, "validate", "no_such_study"), "no_such_study", "two_beams")
    assert "multibody" in run(capsys, "bench", "--list").stdout.split()
    one_sentence(run(capsys, "bench", "no_such_bench"), "multibody")


def test_studies_need_the_source(monkeypatch, tmp_path):
    from interstage.cli import source_tools

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(source_tools, "__file__", str(tmp_path / "a" / "b" / "c" / "d.py"))
    with pytest.raises(FileError, match="part of the source"):
        source_tools.source_package("validation", "the studies")


def test_a_study_as_json(capsys):
    result = run(capsys, "validate", "five_particles", "--json")
    found = json.loads(result.stdout)
    assert result.status == 0 and found["passed"] and found["studies"][0]["name"] == "five_particles"
