"""Tables of every command hold whole numbers, however narrow the terminal and also in a pipe."""

from __future__ import annotations

import json
import re

import pytest

from interstage.cli.main import main
from validation import nastran_decks
from validation.study import Row, Study

WIDTHS = ("12", "40", "80", "200")


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command in a terminal of some width; returns what it prints."""

    def call(*arguments, width="80"):
        monkeypatch.setenv("COLUMNS", width)
        with pytest.raises(SystemExit) as stop:
            main([*map(str, arguments)])
        assert stop.value.code == 0
        return capsys.readouterr().out

    return call


@pytest.fixture(scope="module")
def decks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("decks")
    for case in ("static_solid_shell_bar", "solid_shell_bar_modes"):
        (folder / f"{case}.bdf").write_text(nastran_decks.deck_text(case))
    return folder


@pytest.mark.parametrize("width", WIDTHS)
def test_static_prints_six_whole_components_of_every_grid(run, decks, width):
    deck = decks / "static_solid_shell_bar.bdf"
    wanted = json.loads(run("static", deck, "--json"))["subcases"]["1"]["displacements"]
    out = run("static", deck, width=width)
    assert "…" not in out
    rows = {}
    for line in out.splitlines():
        words = re.findall(r"[^\s│|]+", line)
        if len(words) == 7 and words[0].isdigit():
            rows[words[0]] = [float(word) for word in words[1:]]
    assert rows.keys() == wanted.keys()
    for grid, u in wanted.items():
        assert rows[grid] == [float(f"{value:.3e}") for value in u]


def test_static_fits_a_plain_terminal(run, decks):
    out = run("static", decks / "static_solid_shell_bar.bdf")
    assert max(len(line) for line in out.splitlines() if re.match(r"\W*\d+\W", line)) <= 80


@pytest.mark.parametrize("width", WIDTHS)
def test_modes_prints_whole_numbers(run, decks, width):
    deck = decks / "solid_shell_bar_modes.bdf"
    wanted = json.loads(run("modes", deck, "--json"))
    out = run("modes", deck, width=width)
    assert "…" not in out
    for frequency, value in zip(wanted["frequencies_hz"], wanted["eigenvalues"], strict=True):
        assert f"{frequency:.6g}" in out and f"{value:.6e}" in out


@pytest.mark.parametrize("width", WIDTHS)
def test_info_prints_whole_numbers(run, decks, width, tmp_path):
    path = tmp_path / "part.h5"
    out = run("component", decks / "static_solid_shell_bar.bdf", "-o", path, "--modes", "8", width=width)
    again = run("info", path, width=width)
    facts = json.loads(run("info", path, "--json"))
    for text in (out, again):
        assert "…" not in text
        assert f"{facts['mass']:.9g}" in text
        assert ", ".join(f"{f:.6g}" for f in facts["frequencies_hz"][:6]) in text


@pytest.mark.parametrize("width", WIDTHS)
def test_studies_print_whole_numbers(capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    row = Row(
        "a case with a long name",
        "14 frequencies, Hz",
        "25.23134, 92.25995",
        "25.23135, 92.25996",
        5.3e-8,
        1e-5,
    )
    Study("s", "S", "", [row]).show()
    out = capsys.readouterr().out
    assert "…" not in out
    assert all(
        text in out for text in ("25.23134, 92.25995", "25.23135, 92.25996", "5.3e-08", "1e-05", row.case)
    )


def test_names_are_text_and_never_markup(run, decks, tmp_path):
    deck = tmp_path / "[bold]x.bdf"
    deck.write_text((decks / "solid_shell_bar_modes.bdf").read_text())
    for command in ("modes", "static"):
        assert "[bold]x.bdf" in run(command, deck)
    path = tmp_path / "[dim]y.h5"
    assert "[dim]y.h5" in run("component", deck, "-o", path, "--modes", "4")
    assert "[dim]y.h5" in run("info", path)


def test_a_closed_output_takes_nothing(monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
