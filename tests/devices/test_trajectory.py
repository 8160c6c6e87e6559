"""Trajectories from tables: smooth curves are followed, slopes are continuous, attitudes turn at their rate."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.errors import InputError

ARC = np.linspace(0.0, 10.0, 41)


def flown(source, until=10, **more):
    made = ist.Assembly("x").add("guidance", dev.ReferenceTrajectory(source, **more))
    return ist.simulate(made, None, until=until, step=0.05, log_step=0.05)


def test_smooth_columns_are_followed_with_their_rates():
    table = {"time": ARC, "x": np.sin(ARC), "y": ARC**2, "z": 0 * ARC, "pitch": 0.3 * np.sin(0.5 * ARC)}
    log = flown(table)
    t = log.t
    # cubic spline, h = 0.25 s: h⁴/384 of the curve inside, h³ of its slope at the ends
    assert log["guidance.position"][:, 0] == pytest.approx(np.sin(t), abs=2e-4)
    assert log["guidance.velocity"][:, 0] == pytest.approx(np.cos(t), abs=5e-3)
    pitch = [ist.attitude_error(q, [1, 0, 0, 0])[1] for q in log["guidance.attitude"]]
    assert pitch == pytest.approx(0.3 * np.sin(0.5 * t), abs=1e-5)
    assert log["guidance.rate"][:, 1] == pytest.approx(0.15 * np.cos(0.5 * t), abs=3e-4)


def test_velocities_of_the_file_are_slopes_of_its_positions():
    table = {
        "time": ARC,
        "x": np.sin(ARC),
        "y": 0 * ARC,
        "z": 0 * ARC,
        "vx": np.cos(ARC),
        "vy": 0 * ARC,
        "vz": 0 * ARC,
    }
    log = flown(table)
    assert log["guidance.position"][:, 0] == pytest.approx(np.sin(log.t), abs=1.1e-5)  # h⁴/384


def test_slopes_are_continuous_and_the_rate_is_that_of_the_attitude():
    rng = np.random.default_rng(3)
    times = np.array([0.0, 0.3, 1.0, 1.6, 2.4, 3.0])
    table = {
        "time": times,
        "yaw": rng.uniform(-1, 1, 6),
        "pitch": rng.uniform(-1, 1, 6),
        "roll": rng.uniform(-2, 2, 6),
        "other": rng.uniform(0, 1, 6),
    }
    made = ist.Assembly("x").add("g", dev.ReferenceTrajectory(table))
    log = ist.simulate(made, None, until=3, step="1 ms", log_step="1 ms")
    q = log["g.attitude"]
    rates = np.array([ist.attitude_error(b, a) for a, b in zip(q[:-2], q[2:])]) / 2e-3
    assert log["g.rate"][1:-1] == pytest.approx(rates, abs=2e-4)
    other = log["g.other"].reshape(-1)
    assert np.abs(np.diff(other, 2)).max() < 5e-5  # no kink: a step of slope would be 1e-3 of it
    assert other.max() <= table["other"].max() + 1e-12 and other.min() >= table["other"].min() - 1e-12


def test_outside_of_the_table_the_end_holds():
    log = flown({"time": [1.0, 2.0, 3.0], "x": [1.0, 2.0, 4.0], "throttle": [1.0, 0.5, 0.6]}, until=5)
    assert log["guidance.position"][0, 0] == 1.0 and log["guidance.position"][-1, 0] == 4.0
    assert log["guidance.throttle"][-1] == 0.6 and np.abs(log["guidance.rate"][-1]).max() == 0.0


def test_files_have_units(tmp_path):
    file = tmp_path / "post.csv"
    file.write_text(
        "time (min),x (km),pitch (deg),mass (t)\n0,0,0,500\n1,10,45,400\n2,30,90,320\n", encoding="utf-8"
    )
    device = dev.ReferenceTrajectory(file)
    assert device.names == ("mass",)
    log = ist.simulate(ist.Assembly("x").add("g", device), None, until=60, step=60)
    assert log["g.position"][-1, 0] == pytest.approx(1e4) and log["g.other"].ravel()[-1] == pytest.approx(4e5)
    assert ist.attitude_error(log["g.attitude"][-1], [1, 0, 0, 0]) == pytest.approx(
        [0, np.pi / 4, 0], abs=1e-12
    )


@pytest.mark.parametrize(
    ("head", "expected", "got"),
    [
        ("time,x (deg)", "as m", "deg"),
        ("time (m),x", "as s", "m"),
        ("time,throttle (kg)", "a plain number", "kg"),
    ],
)
def test_units_of_another_kind_are_refused(tmp_path, head, expected, got):
    file = tmp_path / "post.csv"
    file.write_text(f"{head}\n0,0\n1,10\n2,30\n", encoding="utf-8")
    with pytest.raises(InputError, match=f"has a unit of another kind; expected {expected}, got {got}"):
        dev.ReferenceTrajectory(file)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"x": [1, 2]}, "not a trajectory"),
        ({"time": [0, 1], "x": [1, 2, 3]}, "not a trajectory"),
        ({"time": [1, 0], "x": [1, 2]}, "increas"),
        ({"time": [0, 1], "vx": [1, 2]}, "all of vx, vy, vz"),
        ({"time": [0, 1], "qw": [1, 2], "qx": [0, 0], "qy": [0, 0], "qz": [0, 0]}, "has not length 1"),
    ],
)
def test_trajectories_that_cannot_be_are_refused(table, words):
    with pytest.raises(InputError, match=words):
        dev.ReferenceTrajectory(table)
