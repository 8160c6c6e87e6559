"""Points along a burn and through a staging: masses, modes and linear models of every row, runs that go on from it."""

from __future__ import annotations

import numpy as np
import pytest
from vehicle_models import launcher

import interstage as ist
from interstage import devices as dev
from interstage.staged_vehicle import PropellantTank

GIVEN = {"step": 1e-3, "method": "ros2", "log_step": 0.01}
FLOW, FULL = 1200.0, 40e3


@pytest.fixture(scope="module")
def rocket():
    """Return the launcher, its shapes before and after the cut."""
    v = launcher()
    shapes = v.shapes(n_modes=3, levels=2, error=1.0, burning=["grain"])
    return v, shapes, v.without("first").shapes(n_modes=2, levels=2, error=1.0)


def made(rocket, propellant):
    """Return the flight with so much in its first stage."""
    v, shapes, _ = rocket
    system = v.multibody(shapes, propellant={"grain": propellant}, damping=0.01).compile()
    flight = ist.Assembly("ascent", vehicle=system, seed=3)
    foot, top = ("launcher", shapes.node_id("first", 1)), ("launcher", shapes.node_id("upper", 9))
    flight.add("grain", PropellantTank(of="grain"))
    flight.add("srm", dev.Engine(body=foot, thrust=3e6, flow=FLOW, level=1.0))
    flight.add("gyro", dev.Gyro(at=top, angle_random_walk=1e-3, bias_stability=1e-4, every="4 ms"))
    flight.add("lag", dev.LowPass(frequency="5 Hz"), every="8 ms")
    return flight.wire({"srm.mass_flow": "grain.flow", "gyro.rate[1]": "lag.u"})


def flown(rocket, **more):
    v, _, after = rocket
    flight = made(rocket, FULL)
    drop = v.staging("separation", when=0.05, shapes=after, damping=0.02)
    log = ist.simulate(flight, flight.vehicle.state(), until=0.1, events=[drop], **GIVEN, **more)
    return flight, log


@pytest.fixture(scope="module")
def ascent(rocket, tmp_path_factory):
    """Return the flight, its log in memory, and the same from its file."""
    path = tmp_path_factory.mktemp("ascent") / "a.h5"
    flight, log = flown(rocket, log=path)
    return flight, {"memory": log, "file": ist.load(path)}


def first_bending(frequencies):
    """Return the lowest frequency that is none of rigid motion (Hz)."""
    return float(np.min(frequencies[frequencies > 0.1]))


@pytest.mark.parametrize("where", ["memory", "file"])
@pytest.mark.parametrize("k", [0, 3, 5])
def test_modes_and_models_of_a_row_are_those_of_its_propellant(rocket, ascent, where, k):
    """Truth: another vehicle of the same shapes, compiled with the propellant of the row by hand."""
    flight, logs = ascent
    log = logs[where]
    left = FULL - FLOW * log.t[k]
    truth = made(rocket, left).vehicle
    # the level of the engine is constant: what is left is exact to the rounding of the sum of 50 steps
    assert log.propellant["grain"][k] == pytest.approx(left, rel=1e-13)
    point = log.point(k)
    wanted = first_bending(truth.modes().frequencies_hz)
    assert first_bending(point.system.modes(point).frequencies_hz) == pytest.approx(wanted, rel=1e-6)
    assert first_bending(flight.vehicle.modes(point).frequencies_hz) == pytest.approx(wanted, rel=1e-6)
    found = point.system.mass_properties(log.state(k))
    assert found.mass == pytest.approx(truth.mass_properties(truth.state()).mass, rel=1e-13)
    alone = ist.linearize(truth, truth.state(point.q, point.v))
    for system in (point.system, flight.vehicle):  # the settings are those of the point, whoever is asked
        found = ist.linearize(system, point)
        np.testing.assert_allclose(found.A, alone.A, atol=1e-10 * np.abs(alone.A).max())
    other = made(rocket, left)
    told = ist.linearize(other, other.vehicle.state(point.q, point.v))
    found = ist.linearize(flight, point)  # the gyro, which has been sampled there, keeps angles more
    own = [found.states.index(name) for name in told.states]
    np.testing.assert_allclose(found.A[np.ix_(own, own)], told.A, atol=1e-10 * np.abs(told.A).max())


@pytest.mark.parametrize("where", ["memory", "file"])
@pytest.mark.parametrize("k", [2, 5, 6, 8])
def test_a_run_goes_on_from_before_and_after_the_cut(rocket, ascent, where, k):
    """Row 5 stands before the staging (0.05 s), row 6 after it at the same time; samples fall between rows."""
    v, _, after = rocket
    flight, logs = ascent
    log, point = logs["memory"], logs[where].point(k)
    drop = v.staging("separation", when=0.05, shapes=after, damping=0.02)
    rest = ist.simulate(flight, point, until=0.1, events=[drop] if k < 6 else None, **GIVEN)
    assert rest.t[0] == log.t[k]
    for one, other in zip(reversed(log.phases), reversed(rest.phases)):
        n = len(other.t)
        for mine, its in ((one.q, other.q), (one.v, other.v)):
            np.testing.assert_array_equal(mine[-n:], its)
    for name in ("gyro.rate", "lag.y", "srm.push"):
        mine, its = log.series(name), rest.series(name)
        np.testing.assert_array_equal(mine.values[-len(its.t) :], its.values)
    if k < 6:  # after the cut the spent stage is rigid
        np.testing.assert_array_equal(log.propellant["grain"][-len(rest.t) :], rest.propellant["grain"])


@pytest.mark.parametrize("where", ["memory", "file"])
def test_mass_is_a_channel_through_burn_and_staging(rocket, ascent, where):
    """By hand: 12 t + 5 t dry, 24 t in the tanks that do not burn, and what is left of the grain."""
    _, logs = ascent
    log = logs[where]
    mass = log["mass.launcher"]
    grain = log.propellant["grain"]
    before = log.t < 0.05
    np.testing.assert_allclose(mass[before], 12e3 + 5e3 + 24e3 + grain[before], rtol=1e-12)
    assert mass[-1] == pytest.approx(5e3 + 24e3, rel=1e-12)  # the stage that stays
    left = log["mass.first"]
    assert np.isnan(left[before]).all()
    assert left[-1] == pytest.approx(12e3 + grain[5], rel=1e-3)
    assert log.series("mass.launcher").unit == "kg" and log.series("inertia.launcher").unit == "kg*m^2"
    with pytest.raises(ist.InterstageError, match=r"the log has several.*mass\.launcher"):
        log["mass"]
    # center of mass and inertia of a row: those of the vehicle as it was, seen from its first body
    for k in (0, 4, -1):
        point = log.point(k)
        whole = point.system.mass_properties(point)
        if len(point.system.bodies) > 1:
            continue
        R, p = point.system.rotation(point, "launcher"), point.system.position(point, "launcher")
        np.testing.assert_allclose(p + R @ log["com.launcher"][k], whole.com, atol=1e-9)
        inertia = R @ log["inertia.launcher"][k] @ R.T
        np.testing.assert_allclose(inertia, whole.inertia, atol=1e-9 * np.abs(whole.inertia).max())
