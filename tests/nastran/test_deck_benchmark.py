"""The reading benchmark runs, and its generated deck is what it says."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import deck_reading


def test_generated_deck_is_read_completely(tmp_path, capsys):
    count = deck_reading.write_deck(tmp_path / "a.bdf", 3000)
    assert deck_reading.read_columns(tmp_path / "a.bdf") == count
    rates = deck_reading.main(["--cards", "2000", "--repeat", "1"])
    assert rates["interstage"] > 0 and "cards/s" in capsys.readouterr().out
