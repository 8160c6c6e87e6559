"""The studies of closures, cut short, hold what they print."""

from __future__ import annotations

import importlib

import pytest


@pytest.mark.parametrize("name", ["closures", "mechanisms", "squeezer"])
def test_study_holds(name):
    result = importlib.import_module(f"validation.{name}").study(quick=True)
    assert len(result.rows) > 5
    assert [row for row in result.rows if not row.passed] == []
