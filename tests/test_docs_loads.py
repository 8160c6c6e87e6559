"""The how-to on loads in the structure: its deck, its script and what it prints."""

from __future__ import annotations

import contextlib
import io

import numpy as np

from docs_pages import ROOT

PAGE = (ROOT / "docs" / "howto" / "loads_in_the_structure.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return [part.split("```")[0] for part in PAGE.split(f"```{kind}\n")[1:]]


def test_the_script_prints_what_the_page_shows(tmp_path, monkeypatch):
    deck, *_, printed = blocks("text")
    (tmp_path / "mast.bdf").write_text(deck)
    monkeypatch.chdir(tmp_path)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(blocks("python")[0], {})
    ours, shown = (
        [
            np.array(line.replace("[", " ").replace("]", " ").split(), float)
            for line in text.strip().splitlines()
        ]
        for text in (out.getvalue(), printed)
    )
    for found, wanted in zip(ours, shown, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-9)
