"""What `make mutants` plants faults in is there: a package that was renamed is not left out in silence."""

from __future__ import annotations

from pathlib import Path

import pytest
from mutants import ROOT, SOURCES, listed, mutants


@pytest.mark.parametrize("package", SOURCES)
def test_every_package_has_lines_to_change_and_tests(package):
    files = sorted((ROOT / "src/interstage" / package).rglob("*.py"))
    assert sum(len(mutants(ROOT, file.relative_to(ROOT))) for file in files) > 100
    assert SOURCES[package] and all(list((ROOT / tests).rglob("test_*.py")) for tests in SOURCES[package])


def test_every_change_that_no_result_can_show_is_one_of_todays_lines():
    """Else its reason would stand for nothing, and the change would count as one that survives."""
    given = {name: Path(name.split(": ")[0]) for name in listed()}
    assert len(given) > 5
    for name, file in given.items():
        assert (ROOT / file).exists(), name
        text = (ROOT / file).read_text(encoding="utf-8")
        assert name in {mutant.written(text) for mutant in mutants(ROOT, file)}, name
