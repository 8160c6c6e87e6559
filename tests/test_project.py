"""The project as others get it: the wheel in an environment of its own, and the files that say what it is."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml

import interstage as ist
from conftest import FIRST

ROOT = Path(__file__).resolve().parents[1]
DECK = ROOT / "examples" / "decks" / "SimpleBeam.dat"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy of what it is made of; without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(
        ROOT / "src" / "interstage",
        source / "src" / "interstage",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    build = "import setuptools.build_meta as b, sys; print(b.build_wheel(sys.argv[1]))"
    # PYTHONPATH goes with it: where the tools of this run lie
    done = subprocess.run(
        [sys.executable, "-c", build, str(folder)], cwd=source, capture_output=True, text=True
    )
    if "bdist_wheel" in done.stderr:
        pytest.skip("setuptools is older than 70.1 and makes no wheels")
    assert done.returncode == 0, done.stderr[-2000:]
    return next(folder.glob("*.whl"))


def test_the_wheel_has_every_file_of_the_package(wheel):
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("interstage/")}
    ours = (ROOT / "src" / "interstage").rglob("*")
    wanted = {str(p.relative_to(ROOT / "src")) for p in ours if p.is_file() and "__pycache__" not in p.parts}
    assert wanted - packed == set()


def test_the_wheel_runs_in_an_environment_of_its_own(wheel, tmp_path):
    """Installed beside the dependencies of this run, and nothing of this checkout: frequencies as here.

    Without compilation: a new place has no cache of kernels, and this test is about files.
    """
    venv.EnvBuilder(with_pip=False).create(tmp_path / "clean")
    site = next((tmp_path / "clean").rglob("site-packages"))
    zipfile.ZipFile(wheel).extractall(site)
    (site / "dependencies.pth").write_text("\n".join(p for p in sys.path if p.endswith("site-packages")))
    python = tmp_path / "clean" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")} | {"NUMBA_DISABLE_JIT": "1"}
    ask = "import interstage, sys; print(interstage.__file__, file=sys.stderr);"
    ask += "from interstage.cli.main import main; main()"
    command = [python, "-c", ask, "modes", str(DECK), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=clean, cwd=tmp_path)
    assert Path(done.stderr.splitlines()[0]).is_relative_to(tmp_path), done.stderr[-2000:]
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)["frequencies_hz"]
    here = ist.normal_modes(ist.FEModel.from_deck(ist.read_deck(DECK))).frequencies_hz
    np.testing.assert_allclose(found[6:], here[6:], rtol=1e-9)


def test_one_version_everywhere(wheel):
    """The package has it; the wheel takes it from there."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert "version" not in project and ist.__version__ == citation["version"]
    assert wheel.name.startswith(f"interstage-{ist.__version__}-")
    assert re.fullmatch(r"\d+\.\d+\.\d+", ist.__version__) and citation["license"] == "Apache-2.0"


def test_the_workflow_checks_pages_at_night_and_every_week():
    """Studies every night and benchmarks every week fail where a page would change; a push does not end them."""
    flow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text())
    night, week = (one["cron"] for one in flow[True]["schedule"])  # YAML reads the key `on` as true
    assert night.split()[2:] == ["*", "*", "*"] and week.split()[2:] == ["*", "*", "6"]
    commands = {"validate": (night, "-m validation --check"), "mutants": (night, "make mutants"),
                "fuzz": (night, "make fuzz"), "bench": (week, "make bench BENCH=--check")}  # fmt: skip
    for job, (when, command) in commands.items():
        assert (
            flow["jobs"][job]["if"] == f"github.event_name == 'schedule' && github.event.schedule == '{when}'"
        )
        assert any(command in step.get("run", "") for step in flow["jobs"][job]["steps"]), job
    assert "event.schedule" in flow["concurrency"]["group"]
    assert flow["concurrency"]["cancel-in-progress"] == "${{ github.event_name != 'schedule' }}"
    assert "benchmarks --write $(BENCH)" in (ROOT / "Makefile").read_text()


def test_the_workflow_runs_what_the_project_has():
    """Its commands name targets of the Makefile and folders that exist."""
    flow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text())
    makefile = (ROOT / "Makefile").read_text()
    steps = [step["run"] for job in flow["jobs"].values() for step in job["steps"] if "run" in step]
    for target in {word for step in steps for word in re.findall(r"make (\w+)", step)}:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for path in {word for step in steps for word in re.findall(r"tests/[\w./]+|tests\b", step)}:
        assert (ROOT / path).exists(), path
    assert flow["jobs"]["matrix"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    assert {"ruff-check", "ruff-format", "imports"} <= {hook["id"] for hook in hooks}


def test_the_files_that_begin_are_there():
    assert [name for name in FIRST if not (ROOT / "tests" / name).exists()] == []


def test_platforms_without_pardiso(monkeypatch):
    """The switch INTERSTAGE_SOLVER=superlu gives the same modes and component."""
    found = {}
    for solver in ("", "superlu"):
        monkeypatch.setenv("INTERSTAGE_SOLVER", solver)
        made = ist.Component.from_deck(DECK, n_modes=8, aset={1: 123456}, rvdof={10: 123})
        found[solver] = made.frequencies_hz
    # rounding of two solvers, against the largest
    np.testing.assert_allclose(found["superlu"], found[""], atol=1e-9 * found[""].max())
