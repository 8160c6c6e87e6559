"""The quick studies of `make validate` hold, and a study that fails says so."""

import importlib

import pytest

from validation.study import Row, Study

QUICK = ("beams", "macneal_harder_shells", "macneal_harder_solids")


@pytest.mark.parametrize("name", QUICK)
def test_study_holds(name):
    result = importlib.import_module(f"validation.{name}").study()
    assert result.rows
    assert [row for row in result.rows if not row.passed] == []


def test_a_broken_comparison_fails_its_study(tmp_path):
    good = Row("a", "f", "1", "1", 0.0, 1e-6)
    bad = Row("b", "f", "1", "2", 1.0, 1e-6)
    assert Study("s", "S", "", [good]).passed
    assert not Study("s", "S", "", [good, bad]).passed
    assert "| b | f | 1 | 2 |" in Study("s", "S", "", [bad]).write(tmp_path).read_text()
