"""The page that says what is there around the vehicle names things that are there."""

from __future__ import annotations

import re
from pathlib import Path

import interstage as ist
from interstage import devices as dev

PAGE = Path(__file__).resolve().parents[1] / "docs" / "framework.md"


def test_what_the_list_names_exists():
    text = PAGE.read_text(encoding="utf-8")
    known = {*dir(ist), *dev.__all__, "simulate", "set"}
    named = set(re.findall(r"`(?:ist\.)?(\w+)`", text))
    assert named and named <= known, sorted(named - known)
    for path in re.findall(r"\]\(([^)#]+)\)", text):
        assert (PAGE.parent / path).exists(), path
