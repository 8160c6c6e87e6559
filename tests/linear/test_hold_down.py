"""Vehicles held down while they are trimmed, and groups of ports in linear models of assemblies."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.errors import InputError, SolverError
from interstage.nastran import deck_from_text

THRUST = 3.0e4


def column() -> ist.Component:
    """Return a column along x, 8 m, 800 kg lumped on nine grids, with all its modes."""
    lines = ["SOL 103", "CEND", "BEGIN BULK", "MAT1,1,7.0+9,2.7+9,,0.", "PBAR,1,1,2.-3,3.0-5,3.0-5,6.0-5"]
    for k in range(9):
        lump = 100.0 if 0 < k < 8 else 50.0
        lines += [f"GRID,{k + 1},0,{k}.,0.,0.,0", f"CONM2,{100 + k},{k + 1},0,{lump}", ",8.,0.,8.,0.,0.,8."]
        if k:
            lines.append(f"CBAR,{k},1,{k},{k + 1},0.,1.,0.")
    return ist.Component.from_deck(
        deck_from_text("\n".join([*lines, "ENDDATA"])), n_modes=48, aset={1: 123456}
    )


def flight(joint: ist.Free | ist.Locked, earth: dev.Earth | None = None) -> ist.Assembly:
    """Return the column, pushed at its upper half, on a joint."""
    mb = ist.Multibody("stand", gravity=[-9.81, 0.0, 0.0])
    mb.add_body("column", component=column(), node=1, joint=joint)
    made = ist.Assembly("pad", vehicle=mb.compile())
    if earth is not None:
        made.add("earth", earth)
    return made.add("engine", dev.Engine(body=("column", 6), thrust=THRUST, lag="0.2 s"))


@pytest.fixture(scope="module")
def held():
    made = flight(ist.Free())
    return made, ist.trim(made, "hold-down", set={"engine.throttle": 0.8})


def test_a_vehicle_held_down_is_as_deformed_as_one_that_is_locked_there(held):
    _, x0 = held
    locked = flight(ist.Locked())
    truth = ist.trim(locked, locked.vehicle.state(), set={"engine.throttle": 0.8})
    # the same equations by another joint: both end at round-off of Newton's method
    np.testing.assert_allclose(x0["column"].eta, truth["column"].eta, atol=1e-10 * np.abs(truth.q).max())
    assert x0.values["engine.level"] == pytest.approx(0.8, abs=1e-12)


def test_it_stretches_as_a_column_of_springs(held):
    made, x0 = held
    system = made.vehicle
    tip = system.position(x0, "column", 9)[0] - system.position(x0, "column", 1)[0] - 8.0
    # EA/l of each bay carries what stands above it, less the thrust at grid 6
    masses = np.array([100.0] * 7 + [50.0])
    carried = [0.8 * THRUST * (k < 5) - 9.81 * masses[k:].sum() for k in range(8)]
    assert tip == pytest.approx(sum(carried) / (7.0e9 * 2.0e-3), rel=1e-9)


def test_it_is_let_go_in_the_point(held):
    made, x0 = held
    assert made.vehicle.joint_mode("column") == "free"
    assert x0.settings.joint_mode[0] == 0
    # the whole accelerates with what acts on it: thrust less weight, over the mass
    m = made.vehicle.mass_properties(x0).mass
    log = ist.simulate(made, x0, until=0.01, step="0.1 ms")
    p = [made.vehicle.momentum(log.state(k))[3] for k in (0, -1)]
    assert (p[1] - p[0]) / 0.01 == pytest.approx(0.8 * THRUST - 9.81 * m, rel=1e-6)


def test_a_vehicle_on_the_turning_earth_stands_on_its_ground():
    made = flight(ist.Free(), dev.Earth(gravity="central", site=(40.0, 10.0), heading="30 deg"))
    x0 = ist.trim(made, "hold-down", set={"engine.throttle": 0.0})
    log = ist.simulate(made, x0, until=0.01, step="1 ms")
    assert np.abs(log["earth.velocity"][0]).max() < 1e-9
    assert np.linalg.norm(x0["column"].linear_velocity) == pytest.approx(
        7.292115e-5
        * 6378137.0
        / np.sqrt(1 - 0.00669437999 * np.sin(np.radians(40)) ** 2)
        * np.cos(np.radians(40)),
        rel=1e-9,
    )


def test_other_words_and_vehicles_that_nothing_frees_are_refused():
    with pytest.raises(InputError, match="hold-down"):
        ist.trim(flight(ist.Free()), "hold down")
    with pytest.raises(InputError, match="no body is free"):
        ist.trim(flight(ist.Locked()), "hold-down")


def test_exposed_ports_and_patterns_choose_channels(held):
    made = flight(ist.Free())
    made.add("imu", dev.IMU(at=("column", 3), every="10 ms"))
    side = dev.Engine(body=("column", 1), axis=[0, 1, 0], thrust=10.0)
    made.add("aft", ist.Assembly().add("side", side).expose(burn="side.throttle"))
    lin = ist.linearize(
        made, held[1], inputs=["aft.burn", "engine.throttle"], outputs=["imu.rate", "imu.attitude"]
    )
    assert list(lin.output_places("imu.rate")) == [0, 1, 2]
    assert list(lin.output_places("imu.gyro.rate")) == [0, 1, 2]
    assert list(lin.input_places("*.burn")) == [0] == list(lin.input_places("aft.burn"))
    assert list(lin.input_places("*throttle")) == [0, 1]
    with pytest.raises(InputError, match="no output"):
        lin.output_places("imu.speed*")


@pytest.mark.parametrize("step", [None, "10 ms"])
def test_an_undamped_column_neither_grows_nor_decays_in_a_frame(step):
    """In free fall every |z| is one: exponentials damp nothing, whatever the step."""
    made = flight(ist.Free())
    made.add("imu", dev.IMU(at=("column", 3), every="10 ms"))
    x, held = made.vehicle.state(), {"engine.throttle": 0.0}
    z = np.abs(ist.linearize(made, x, sampled=True, step=step, set=held).poles())
    lag = np.abs(z - np.exp(-0.01 / 0.2)) < 1e-9  # of the engine
    # double poles of six rigid motions: the root of rounding
    assert lag.sum() == 1
    assert z[~lag & (z > 1e-9)] == pytest.approx(np.ones(np.sum(~lag & (z > 1e-9))), abs=1e-6)


def test_a_step_that_the_modes_do_not_bear_is_said(held):
    with pytest.raises(
        SolverError, match=r"went to infinity at t = .* the fastest mode \(.* Hz\) needs steps below"
    ):
        ist.simulate(flight(ist.Free()), held[1], until=1, step="10 ms")


def test_the_report_of_a_trim_says_what_moved_and_what_is_left(held):
    _, point = held
    report = point.report
    assert report.iterations > 0 and np.abs(report.after).max() < 1e-9 * np.abs(report.before).max()
    moved = dict(zip(report.unknowns, report.values))
    eta = point["column"].eta
    assert moved["column.eta1"] == eta[0] and len(report.residuals) == len(report.unknowns)
    assert str(report) in str(point) and str(report).startswith(f"trimmed {len(report.unknowns)} unknowns")
    assert np.array_equal(point.copy().report.values, report.values)
