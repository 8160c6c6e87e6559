"""The troubleshooting page has the sentences of the code."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import interstage as ist
from interstage.errors import InputError

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs"))
from sentences import MARK, by_room, page  # noqa: E402


def test_every_room_has_its_sentences():
    found = by_room(ROOT / "src" / "interstage")
    assert sum(len(said) for said in found.values()) > 700
    assert {"nastran", "fem", "component", "multibody", "simulation", "linear", "exchange"} <= set(found)
    text = page(ROOT / "src" / "interstage")
    assert MARK in (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    assert "there is no body '…'" in text and "a linear model needs … different names of …" in text


def test_a_sentence_that_is_raised_is_on_the_page():
    with pytest.raises(InputError) as caught:
        ist.LinearModel([[-1.0]], [[1.0]], [[1.0]], [[0.0]]).reduce()
    assert caught.value.what in page(ROOT / "src" / "interstage")
