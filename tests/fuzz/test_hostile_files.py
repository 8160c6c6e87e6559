"""A seeded slice of what `make fuzz` does at night: hostile files are read or refused in one sentence, soon."""

from __future__ import annotations

import tempfile

import pytest
from hostile import TARGETS, flown, fuzz, read_log

from interstage.errors import FileError


@pytest.mark.parametrize("name", TARGETS)
def test_hostile_files_give_sentences(name):
    """Twenty inputs each; `make fuzz` tries a million."""
    found = fuzz(name, 20, seed=1)
    assert sum(found.values()) == 20 and found["refused"] > 2


def test_a_log_for_whose_vehicles_there_is_no_room_is_not_called_damaged(tmp_path, monkeypatch):
    path = tmp_path / "whole.h5"
    path.write_bytes(flown()["hostile.h5"])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(FileError, match=r"vehicles of a log cannot be unpacked .*none.; got No such file"):
        read_log(path)
