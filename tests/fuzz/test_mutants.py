"""What `make mutants` plants faults in is there: a package that was renamed is not left out in silence."""

from __future__ import annotations

from pathlib import Path

import pytest
from mutants import ROOT, SOURCES, listed, mutants, stale


@pytest.mark.parametrize("package", SOURCES)
def test_every_package_has_lines_to_change_and_tests(package):
    files = sorted((ROOT / "src/interstage" / package).rglob("*.py"))
    assert sum(len(mutants(ROOT, file.relative_to(ROOT))) for file in files) > 100
    assert SOURCES[package] and all(list((ROOT / tests).rglob("test_*.py")) for tests in SOURCES[package])


def test_changes_that_no_result_can_show_are_of_files_that_are_there():
    """Lines may change (`make mutants` names those that are gone); a file that is renamed takes its entries along."""
    given = {name: Path(name.split(": ")[0]) for name in listed()}
    assert len(given) > 5
    assert [name for name, file in given.items() if not (ROOT / file).exists()] == []


def test_reasons_of_lines_that_are_gone_are_named(tmp_path):
    file = Path("src/interstage/spatial/one.py")
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text("def f(x):\n    return 2.0 * x\n")
    here, gone = f"{file}: return 4.0 * x", f"{file}: return 6.0 * x"
    assert stale(tmp_path, {here: "a reason", gone: "a reason"}) == [gone]
