"""The tutorial and the how-to pages print what their code computes."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from conftest import reference_dir
from docs_pages import ROOT, blocks_of, check_page, run_block, same

DOCS = ROOT / "docs"
# pages with tests of their own
ELSEWHERE = {"index", "bring_your_own_deck", "external_nastran"}
PAGES = [DOCS / "tutorial.md", DOCS / "shelf.md", *sorted((DOCS / "howto").glob("*.md"))]
PAGES = [page for page in PAGES if page.stem not in ELSEWHERE]


@pytest.fixture
def folder(tmp_path):
    """An empty folder with the decks of the examples, as the pages ask for."""
    shutil.copytree(ROOT / "examples" / "decks", tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_page(page, folder):
    assert check_page(page, folder) > 0


def test_the_bode_plot_of_the_tutorial_is_kept():
    assert (DOCS / "_static" / "tutorial_bode.png").stat().st_size > 10_000


@pytest.mark.skipif(shutil.which("octave-cli") is None, reason="octave is not installed")
def test_octave_reads_the_files(folder, monkeypatch):
    page = (DOCS / "howto" / "read_in_matlab.md").read_text(encoding="utf-8")
    monkeypatch.chdir(folder)
    run_block(blocks_of(page)[0], {})
    scripts = re.findall(
        r"```matlab\n(.*?)```\n(?:\nprints, in Octave,\n)?\n```text\n(.*?)```", page, re.DOTALL
    )
    assert len(scripts) == 2
    for script, printed in scripts:
        path = folder / "page.m"
        path.write_text(script.replace("../examples", str(ROOT / "examples")), encoding="utf-8")
        done = subprocess.run(["octave-cli", "--norc", str(path)], capture_output=True, text=True)
        assert same(printed, done.stdout, noise=1e-12), done.stdout + done.stderr


def test_the_page_of_nastran_files_reads_those_of_real_runs(folder, monkeypatch):
    """Its files are those of runs by a commercial Nastran, where they are beside this checkout."""
    files, decks = reference_dir("nastran-files"), reference_dir("nastran", "craig_bampton_inboard")
    shutil.copytree(decks, folder, dirs_exist_ok=True)
    (folder / "deck.bdf").rename(folder / "inboard.dat")
    for name in ("inboard.op2", "inboard.op4"):
        shutil.copy(files / name, folder)
    shutil.copy(files / "beam_modes_m2.op2", folder / "beam_modes.op2")
    monkeypatch.chdir(folder)
    component, script, tables = blocks_of(
        (DOCS / "howto" / "external_nastran.md").read_text(encoding="utf-8")
    )
    run_block(component, {})
    made = (folder / "inboard.h5").read_bytes()
    run_block(script, {})
    assert len(made) > 10_000 and (folder / "inboard.h5").stat().st_size > 10_000
    # the last block names blocks of files of several kinds: those that a run of modes has
    kept = [line for line in tables.code.splitlines() if not re.match(r"static|K =|elements|raw", line)]
    names: dict = {}
    run_block(replace(tables, code="\n".join(kept)), names)
    assert names["modes"].values.shape[2] == len(names["table"].hz)


def test_the_comparison_sees_differences():
    assert same("mode 1.0000 Hz [1 -0.]", "mode 1.0001 Hz [ 1 0.]")
    assert not same("mode 1.0000 Hz", "mode 1.0002 Hz")
    assert not same("mode 1.0 Hz", "node 1.0 Hz")
    assert not same("1 2", "1 2 3") and not same("36 states", "37 states")
    assert same("4.131272e-04", "4.131273e-04") and not same("4.131272e-04", "4.131275e-04")
    assert same("left 7.5e-15", "left -1.1e-16") and not same("left 7.5e-15", "left 1e-4")


def test_the_script_of_the_readme_runs(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    names: dict = {}
    exec(
        re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1],
        names,
    )
    assert "damping" in capsys.readouterr().out and (folder / "kestrel.mat").exists()
    assert names["lin"].n_states == 60
    said = re.search(
        r"first bending comes out at ([\d.]+) Hz; .* has ([\d.]+) Hz", (ROOT / "README.md").read_text()
    )
    hz = np.abs(np.asarray(names["lin"].poles())) / (2.0 * np.pi)
    assert f"{hz[hz > 0.1].min():.3f}" == said[1]
    tutorial = (DOCS / "tutorial.md").read_text()
    assert f"marginal, {said[1]} to " in tutorial and f"come out at {said[2]} Hz" in tutorial


def test_readme_links_lead_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        assert target.startswith("http") or (ROOT / target).exists(), f"README.md links to {target}"
