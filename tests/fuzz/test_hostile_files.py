"""A seeded slice of what `make fuzz` does at night: hostile files are read or refused in one sentence, soon."""

from __future__ import annotations

import pytest
from hostile import TARGETS, fuzz


@pytest.mark.parametrize("name", TARGETS)
def test_hostile_files_give_sentences(name):
    """Twenty inputs each; `make fuzz` tries a million."""
    found = fuzz(name, 20, seed=1)
    assert sum(found.values()) == 20 and found["refused"] > 2
