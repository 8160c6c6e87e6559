"""A vehicle of a group is staged: it flies as it does alone, and so do the others; masses, points, files, ambient."""

from __future__ import annotations

import numpy as np
import pytest
from test_what_leaves import Push, stack

import interstage as ist
from interstage import devices as dev
from interstage.staged_vehicle import PropellantTank

CUT, GIVEN = 0.02, {"step": 1e-3, "method": "ros2", "log_step": 0.01}
FLOW = 50.0
RADIUS = 6378137.0


@pytest.fixture(scope="module")
def rocket():
    """Return two stages with a tank each, their shapes, and those of what stays and leaves."""
    v = stack(("first", "upper"))
    few = {"n_modes": 4, "error": 1.0, "levels": 2}
    return v, v.shapes(**few), v.without("first").shapes(**few), v.without("upper").shapes(**few)


def craft(rocket, name, force, height=0.0, alone=False):
    """Return a vehicle that burns, with a force on its first stage and one on its nozzle, and its state."""
    v, shapes, _, _ = rocket
    mb = v.multibody(shapes, propellant={"of first": 20.0, "of upper": 25.0}, damping=0.02)
    foot = shapes.node_id("first", 1)
    hung = {"mass": 20.0, "com": [-0.4, 0, 0], "inertia": [3, 4, 5], "joint": ist.Universal("yz")}
    mb.add_body("nozzle", parent="v", at=foot, **hung)
    made = ist.Assembly(name, vehicle=mb.compile())
    made.add("tank", PropellantTank(of="of first"))
    made.add("engine", dev.Engine(body="nozzle", thrust=500.0, flow=FLOW, level=1.0, exit_area=0.01))
    made.add("retro", Push(at=("v", foot), force=force))
    made.wire({"engine.mass_flow": "tank.flow"})
    if alone:
        around(made)
    x = made.vehicle.state()
    x["v"].position[:], x["v"].velocity[3:] = [RADIUS + height, 0.0, 0.0], [0.0, 10.0, 0.0]
    x["v"].velocity[:3], x["nozzle"].q[:] = [0.0, 0.1, 0.2], [0.05, -0.02]
    return made, x


def around(made):
    """Add the Earth and its air."""
    return made.add("earth", dev.Earth(gravity="central")).add("air", dev.Atmosphere("US76"))


def staged(rocket, spent, member=None):
    v, _, after, soft = rocket
    return v.staging(
        "sep", when=CUT, shapes=after, spent=soft if spent == "soft" else "rigid", damping=0.02, member=member
    )


PUSH = {"a": ([0.0, 30.0, 0.0], 20e3), "b": ([-40.0, 10.0, 5.0], 60e3)}


def pair(rocket):
    """Return both vehicles under one Earth, 40 km apart."""
    flight, states = around(ist.Assembly("pair")), {}
    for name, (force, height) in PUSH.items():
        made, states[name] = craft(rocket, name, force, height)
        flight.add(name, made)
    return flight, flight.state(states)


@pytest.fixture(scope="module", params=["soft", "rigid"])
def flown(request, rocket, tmp_path_factory):
    """Return how the stage leaves, the log of both, the same from its file, and the logs of each alone."""
    path = tmp_path_factory.mktemp("pair") / "pair.h5"
    flight, x = pair(rocket)
    drop = staged(rocket, request.param, "b")
    log = ist.simulate(flight, x, until=0.06, events=[drop], log=path, checkpoint="0.03 s", **GIVEN)
    alone = {}
    for name, (force, height) in PUSH.items():
        one, y = craft(rocket, name, force, height, alone=True)
        events = [staged(rocket, request.param)] if name == "b" else []
        alone[name] = ist.simulate(one, y, until=0.06, events=events, **GIVEN)
    return request.param, log, path, alone


def test_each_vehicle_moves_as_it_does_alone(flown):
    """Positions, velocities and modes of all bodies through the cut; whole steps are the same numbers to rounding.

    A rounding at 6.4e6 m is 1e-9 m; the stiffest mode divides it by its step.
    """
    _, log, _, alone = flown
    for name, bodies in (("a", ["v", "nozzle"]), ("b", ["v", "nozzle", "first"])):
        mine, its = log.phases[-1], alone[name].phases[-1]
        for body in bodies:
            one, other = mine[f"{name}.{body}"], its[body]
            k = np.searchsorted(mine.t, its.t[-1])
            np.testing.assert_allclose(one.q[k], other.q[-1], rtol=1e-13, atol=1e-8)
            np.testing.assert_allclose(one.v[k], other.v[-1], rtol=1e-9, atol=1e-8)
            np.testing.assert_allclose(one.eta[k], other.eta[-1], atol=1e-8)
    assert log.phases[-1].system.bodies == ["a.v", "a.nozzle", "b.v", "b.first", "b.nozzle"]
    record = log.events[0]
    np.testing.assert_allclose(record.momentum_after, record.momentum_before, rtol=1e-12, atol=1e-3)
    assert record.what.startswith("staging of 'b.v': first leaves")


def test_devices_and_air_go_with_their_vehicle(flown):
    """Engine pressure and thrust of each vehicle, that of the stage that has left too, as alone; tanks burn on."""
    how, log, _, alone = flown
    for name in PUSH:
        for port in ("engine.pressure", "engine.net", "retro.seen"):
            found, wanted = log.series(f"{name}.{port}"), alone[name].series(port)
            np.testing.assert_allclose(found.values[-1], wanted.values[-1], rtol=1e-8, atol=1e-9)
    assert log["b.engine.pressure"][-1] < 0.1 * log["a.engine.pressure"][-1]
    assert log.propellant["a.of first"][-1] == pytest.approx(20.0 - FLOW * 0.06, rel=1e-12)
    left = 20.0 - FLOW * (0.06 if how == "soft" else CUT)  # a rigid stage keeps what it has
    assert log["mass.b.first"][-1] == pytest.approx(900.0 + 20.0 + left, rel=1e-9)
    assert log["mass.b.v"][-1] == pytest.approx(300.0 + 25.0, rel=1e-12)


@pytest.mark.parametrize("channel", ["mass", "com", "inertia"])
def test_masses_are_channels_of_each_vehicle(flown, channel):
    """As in the runs alone; what leaves is not there before."""
    _, log, path, alone = flown
    for one in (log, ist.load(path)):
        for name, body in (("a", "v"), ("b", "v"), ("b", "first")):
            found = one[f"{channel}.{name}.{body}"]
            own = alone[name]
            wanted = own[channel] if name == "a" else own[f"{channel}.{body}"]
            if name == "a":  # the row of the cut is there twice
                found = np.delete(found, 3, axis=0)
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("where", ["memory", "file"])
def test_runs_go_on_from_points_before_and_after(rocket, flown, where):
    """From row 1, before the cut, and row 4, after it: bit for bit the rest of the run."""
    how, log, path, _ = flown
    other = log if where == "memory" else ist.load(path)
    for k in (1, 4):
        flight, _ = pair(rocket)
        events = [staged(rocket, how, "b")] if k == 1 else []
        rest = ist.simulate(flight, other.point(k), until=0.06, events=events, **GIVEN)
        np.testing.assert_array_equal(rest.phases[-1].v[-1], log.phases[-1].v[-1])
        np.testing.assert_array_equal(rest.phases[-1].q[-1], log.phases[-1].q[-1])
        assert rest["b.engine.pressure"][-1] == log["b.engine.pressure"][-1]


def test_a_run_is_resumed_after_the_cut(rocket, flown):
    how, log, path, _ = flown
    flight, _ = pair(rocket)
    checkpoint = path.with_suffix(".ckpt.h5")
    again = ist.resume(checkpoint, flight, until=0.06, events=[staged(rocket, how, "b")])
    np.testing.assert_array_equal(again.phases[-1].v, log.phases[-1].v)


def test_a_vehicle_of_a_group_is_named(rocket):
    """It is said before the run begins, not at the cut."""
    flight, x = pair(rocket)
    with pytest.raises(ist.InterstageError, match=r"cuts body 'v', .* one of a\.v, a\.nozzle, .*member="):
        ist.simulate(flight, x, until=0.06, events=[staged(rocket, "rigid")], **GIVEN)
    with pytest.raises(ist.InterstageError, match=r"cuts body 'c\.v'"):
        ist.simulate(flight, x, until=0.06, events=[staged(rocket, "rigid", "c")], **GIVEN)


def test_rows_of_the_log_do_not_change_a_run_that_burns(rocket):
    """Gravity at the center of mass, which moves: rows are weighed at their time, steps in their middle."""
    ends = []
    for every in (1e-3, 0.03):
        flight, x = craft(rocket, "b", *PUSH["b"], alone=True)
        ends.append(ist.simulate(flight, x, until=0.03, **{**GIVEN, "log_step": every}).v[-1])
    np.testing.assert_array_equal(*ends)


def test_tanks_keep_their_propellant_when_a_body_leaves(rocket):
    """What was set in the tanks of a system is there after a body has been detached, and all momentum with it."""
    v, shapes, _, _ = rocket
    mb = v.multibody(shapes)
    mb.add_body("pod", mass=20.0, inertia=[3, 4, 5], parent="v", at=shapes.node_id("upper", 3))
    system = mb.compile()
    system.propellant["of first"] = 4.0
    x = system.state()
    x["v"].velocity[3:] = [1.0, 2.0, 3.0]
    new, y = system.detach("pod", x)
    assert new.propellant["of first"] == 4.0
    np.testing.assert_allclose(new.momentum(y)[3:], (1200.0 + 4.0 + 30.0 + 20.0) * np.array([1.0, 2.0, 3.0]))
