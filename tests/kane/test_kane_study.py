"""The study of Explorer I in its quick form: every comparison must hold."""

from __future__ import annotations

import importlib


def test_explorer_study_holds(tmp_path):
    result = importlib.import_module("validation.explorer").study(quick=True)
    failed = [
        f"{r.case}, {r.quantity}: {r.error:.2e} > {r.tolerance:.0e}" for r in result.rows if not r.passed
    ]
    assert result.rows
    assert not failed, "\n".join(failed)
    assert result.write(tmp_path).read_text(encoding="utf-8").startswith("# Explorer I")
    assert (tmp_path / "explorer.png").stat().st_size > 20_000
