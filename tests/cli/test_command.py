"""The command as a person meets it: exit status 2 and one sentence for bad input, never a traceback."""

import json
import os
import subprocess
import sys

import pytest

from interstage import __version__


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "interstage.cli.main", *arguments], capture_output=True, text=True, timeout=300
    )


def test_version_and_help():
    assert run("--version").stdout.strip() == f"interstage {__version__}"
    text = run("--help").stdout
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
def test_bad_input_gets_one_sentence_and_status_2(arguments, words):
    result = run(*arguments)
    assert result.returncode == 2
    assert words in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stderr.startswith("interstage: ")
    assert "Traceback" not in result.stderr


def test_import_brings_in_no_plotting_and_no_compiler():
    code = "import sys, interstage; print([m for m in ('matplotlib', 'plotly', 'numba', 'scipy') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_the_first_linear_model_brings_in_none_of_the_slow_rooms_of_scipy():
    """They take half a second together, and a vehicle that flies and is linearized needs none of them."""
    slow = ("scipy.signal", "scipy.stats", "scipy.interpolate", "scipy.optimize", "scipy.integrate")
    code = f"import sys, interstage.linear, interstage.simulation; print([m for m in {slow} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_a_locale_without_unicode(tmp_path):
    """LC_ALL=C: names and paths with other letters go through every command, files and pages are UTF-8."""
    deck = tmp_path / "bâti.bdf"
    deck.write_text(
        "SOL 103\nCEND\nTITLE = bâti\nBEGIN BULK\nMAT1,1,7.+10,,.3,2700.\nPBAR,1,1,1.-3,1.-6,1.-6,2.-6\n"
        "CBAR,1,1,1,2,0.,0.,1.\nGRID,1,0,0.,0.,0.\nGRID,2,0,.5,0.,0.\nENDDATA\n",
        encoding="utf-8",
    )
    bare = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}

    def run(*words):
        command = [sys.executable, "-m", "interstage.cli.main", *(str(word) for word in words)]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, env=os.environ | bare, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.decode("ascii")

    assert "2 grids" in run("modes", deck.name, "--modes", 1)
    made = run("component", deck.name, "-o", "bâti.h5", "--aset", "1:123456", "--modes", 2)
    assert r"b\xe2ti" in made and r"b\xe2ti" in run("info", "bâti.h5")
    run("report", "bâti.h5", "--deck", deck.name)
    assert "bâti" in (tmp_path / "bâti.html").read_text(encoding="utf-8")
    assert json.loads(run("info", "--json", "bâti.h5"))["name"] == "bâti"


def test_the_package_is_the_command_and_hints_name_the_help_of_what_was_asked():
    asked = subprocess.run(
        [sys.executable, "-m", "interstage", "modes"], capture_output=True, text=True, timeout=300
    )
    assert asked.stderr.strip().endswith("see 'interstage modes --help'")
    bare = run()
    assert "Commands" in bare.stdout + bare.stderr
    assert "see '" not in bare.stderr
