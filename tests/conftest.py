"""Shared by all tests: where the reference data lies, and settings of property-based tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]

settings.register_profile(
    "interstage", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("interstage")


def reference_dir(*parts: str) -> Path:
    """Path of reference data of real Nastran runs, or skip the test where they are not installed."""
    path = ROOT.parent.joinpath("shared", "reference", *parts)
    if not path.exists():
        pytest.skip(f"reference data {'/'.join(parts)} are not beside this checkout")
    return path
