"""Shared by all tests: where the reference data lies, and settings of property-based tests."""

from __future__ import annotations

import gc
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]

settings.register_profile(
    "interstage", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("interstage")

# A collection of garbage visits what lives, here thousands of tests and all that was compiled: fewer, of more each time
gc.set_threshold(50_000, 20, 20)

# A shell that starts the suite in the background hands on that Ctrl-C is ignored, to the processes of tests too
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# For runs in several processes. While one compiles the kernels of dynamics, which all others then find on disk, the
# next does what needs none of them; long files begin before short ones, so that all processes end together.
FIRST = [
    "devices/test_shelf.py", "test_docs.py", "fem/test_buckling.py", "nastran/test_reader_fuzz.py",
    "cli/test_warm.py", "studies/test_workers.py", "test_compiled.py", "test_output.py", "test_examples.py",
    "test_docs_pages.py", "demo/test_demo.py", "simulation/test_known_ahead.py", "simulation/test_resuming.py",
    "simulation/test_one_vehicle.py", "simulation/test_histories.py", "kane/test_kane_jax.py",
    "multibody/test_engine_studies.py", "exchange/test_fmu.py", "exchange/test_fmu_model_exchange.py",
    "linalg/test_eigen_negative.py", "simulation/test_points_of_logs.py", "simulation/test_resuming_events.py",
    "simulation/test_full_disks.py", "staged_vehicle/test_equations.py", "test_hdf5.py", "test_benchmark_answers.py",
    "linear/test_digital_impulse.py", "native/test_native.py", "batch/test_batches.py",
    "report/test_report_browser.py", "simulation/test_prescribed_functions.py", "simulation/test_memory_of_runs.py",
    "staged_vehicle/test_stiffened_vehicle.py", "test_private_names.py", "batch/test_batches_on_gpu.py",
    "validation_models/test_pointing_study.py", "linalg/test_eigen_torture.py",
    "validation_models/test_ascent_study.py", "fuzz/test_hostile_files.py", "cli/test_closed_forms.py",
    "simulation/test_hostile_checkpoints.py", "simulation/test_methods.py", "cli/test_tables.py", "test_platforms.py",
    "simulation/test_killed_runs.py", "simulation/test_flight_files.py", "linear/test_margins.py",
    "linear/test_uncertainty.py", "simulation/test_gimbal_lock.py", "report/test_replay.py", "report/test_live.py",
    "multibody/test_closures_assembly.py", "cli/test_cli_demo.py", "cli/test_command.py",
    "simulation/test_interrupted_laws.py", "simulation/test_accumulating_events.py",
]  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of the files in `FIRST` first, in that order."""
    rank = {ROOT / "tests" / name: place for place, name in enumerate(FIRST)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))


def pytest_collection_finish() -> None:
    """Leave what lives as long as the run out of all collections of garbage."""
    gc.collect()
    gc.freeze()


def reference_dir(*parts: str) -> Path:
    """Path of reference data of real Nastran runs, or skip the test where they are not installed."""
    path = ROOT.parent.joinpath("shared", "reference", *parts)
    if not path.exists():
        pytest.skip(f"reference data {'/'.join(parts)} are not beside this checkout")
    return path
