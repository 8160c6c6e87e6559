"""The command as a person meets it: exit status 2 and one sentence for bad input, never a traceback."""

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
