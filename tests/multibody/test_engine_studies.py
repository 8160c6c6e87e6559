"""The studies of the engine (folder validation) in their quick form: every comparison must hold."""

from __future__ import annotations

import importlib

import pytest

STUDIES = ("two_beams", "solar_array", "symbolic_beams", "spinning_beams")


@pytest.mark.parametrize("name", STUDIES)
def test_study_holds(name, tmp_path):
    result = importlib.import_module(f"validation.{name}").study(quick=True)
    assert result.rows
    failed = [
        f"{r.case}, {r.quantity}: {r.error:.2e} > {r.tolerance:.0e}" for r in result.rows if not r.passed
    ]
    assert not failed, "\n".join(failed)
    if name == "solar_array":  # the page and its picture, once
        assert result.write(tmp_path).read_text(encoding="utf-8").startswith("# Solar wings")
        assert (tmp_path / "solar_array.png").stat().st_size > 20_000
