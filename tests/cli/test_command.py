"""The command as a person meets it: exit status 2 and one sentence for bad input, never a traceback."""

import json
import os
import subprocess
import sys

import pytest
from commands import run

from interstage import __version__


def test_version_and_help(capsys):
    assert run(capsys, "--version").stdout.strip() == f"interstage {__version__}"
    text = run(capsys, "--help").stdout
    assert "Examples" in text and "modes" in text


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--wrong"], "No such option"),
        (["nonsense"], "No such command"),
        (["modes", "no-such-file.bdf"], "no-such-file.bdf"),
        (["modes", "."], "folder"),
        (["modes"], "DECK"),
    ],
)
def test_bad_input_gets_one_sentence_and_status_2(arguments, words, capsys):
    result = run(capsys, *arguments)
    assert result.status == 2
    assert words in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stderr.startswith("interstage: ")
    assert "Traceback" not in result.stderr


SLOW_ROOMS = ["scipy.signal", "scipy.stats", "scipy.interpolate", "scipy.optimize", "scipy.integrate"]


def test_imports_bring_in_nothing_that_is_not_needed_yet():
    """Of the toolkit: no plotting, no compiler. Of the command: no numbers; help and completion must not wait for them.

    Of a vehicle that flies and is linearized: none of the rooms of scipy that take half a second together.
    """
    steps = {
        "interstage": ["matplotlib", "plotly", "numba", "scipy"],
        "interstage.cli.main": ["numpy", "numba", "h5py"],
        "interstage.linear, interstage.simulation": SLOW_ROOMS,
    }
    code = "import sys\n" + "".join(
        f"import {step}\nprint([m for m in {refused} if m in sys.modules])\n"
        for step, refused in steps.items()
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["[]"] * 3


def test_a_locale_without_unicode(tmp_path):
    """LC_ALL=C: names and paths with other letters go through every command, files and pages are UTF-8."""
    deck = tmp_path / "bâti.bdf"
    deck.write_text(
        "SOL 103\nCEND\nTITLE = bâti\nBEGIN BULK\nMAT1,1,7.+10,,.3,2700.\nPBAR,1,1,1.-3,1.-6,1.-6,2.-6\n"
        "CBAR,1,1,1,2,0.,0.,1.\nGRID,1,0,0.,0.,0.\nGRID,2,0,.5,0.,0.\nENDDATA\n",
        encoding="utf-8",
    )
    bare = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}

    asked = (
        ["modes", deck.name, "--modes", "1"],
        ["component", deck.name, "-o", "bâti.h5", "--aset", "1:123456", "--modes", "2"],
        ["info", "bâti.h5"],
        ["report", "bâti.h5", "--deck", deck.name],
        ["info", "--json", "bâti.h5"],
    )
    words = [word for each in asked for word in [*each, ";"]]
    done = subprocess.run(
        [sys.executable, "-c", ONE_AFTER_ANOTHER, *words],
        cwd=tmp_path, capture_output=True, env=os.environ | bare, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    modes, made, told, _, as_json = done.stdout.decode("ascii").split(";\n")[:-1]
    assert "2 grids" in modes
    assert r"b\xe2ti" in made and r"b\xe2ti" in told
    assert "bâti" in (tmp_path / "bâti.html").read_text(encoding="utf-8")
    assert json.loads(as_json)["name"] == "bâti"


# commands that end with ; in one interpreter, which ends with the first that fails
ONE_AFTER_ANOTHER = """
import sys
from interstage.cli.main import main
words = sys.argv[1:]
while words:
    end = words.index(";")
    asked, words = words[:end], words[end + 1 :]
    try:
        main(asked)
    except SystemExit as stop:
        if stop.code:
            raise
    print(";")
"""


def test_the_package_is_the_command_and_hints_name_the_help_of_what_was_asked(capsys):
    asked = subprocess.run(
        [sys.executable, "-m", "interstage", "modes"], capture_output=True, text=True, timeout=300
    )
    assert asked.stderr.strip().endswith("see 'interstage modes --help'")
    bare = run(capsys)
    assert "Commands" in bare.stdout + bare.stderr
    assert "see '" not in bare.stderr
