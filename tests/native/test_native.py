"""Flights without Python: bits as `simulate`, laws outside, hostile files, instances in threads, a program in C."""

import ctypes
import json
import os
import shutil
import struct
import subprocess
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from closure_models import parallelogram
from typer.testing import CliRunner

import interstage as ist
import interstage.devices as dev
from interstage.cli.main import app
from interstage.errors import SolverError
from interstage.jit import COMPILED
from interstage.native import NativeLibrary, build_library
from interstage.native.native_flight import load_library
from interstage.staged_vehicle import PropellantTank
from validation import burning_beam

pytestmark = [
    pytest.mark.skipif(not COMPILED, reason="flights leave as compiled code"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
]


class Spring(ist.Device):
    """A spring with a stop in its constant, for what a library may hold beside the shelf."""

    joint = ist.JointRef()
    angle = joint.coordinate()
    stiffness = ist.Parameter("N*m", 3.0, least=0.0)
    torque = joint.force()

    def outputs(d, t):
        d.torque = -d.stiffness * d.angle


class Relay(ist.Device):
    """A lag that is switched off above a level, and on again below another."""

    x, on = ist.ContinuousState(), ist.IntegerState(initial=1)
    low, high = ist.Parameter("", 0.3), ist.Parameter("", 0.7)
    up, down = ist.ZeroCrossing(direction=1, state="x", level="high"), ist.ZeroCrossing(direction=-1)

    def outputs(d, t):
        d.up = d.x - d.high
        d.down = d.x - d.low

    def rates(d, t):
        d.xdot = 1.3 * d.on - d.x

    def switch(d, t):
        d.on = 1 - d.on


class Ball(ist.Device):
    """A ball that bounces on a floor: its last bounces accumulate."""

    height, speed = ist.ContinuousState("m", initial=1.0), ist.ContinuousState("m/s")
    e = ist.Parameter("", 0.8)
    hit = ist.ZeroCrossing("m", direction=-1)

    def outputs(d, t):
        d.hit = d.height

    def rates(d, t):
        d.heightdot = d.speed
        d.speeddot = 0.0 * d.speed - 9.81

    def switch(d, t):
        d.speed = -d.e * d.speed


class Fails(ist.Device):
    """It raises from 1 s on."""

    joint = ist.JointRef()
    angle = joint.coordinate()
    seen = ist.Out("rad")

    def sample(d, t):
        if t > 1.0:
            raise ValueError("too late")
        d.seen = d.angle


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """A library of one method and few devices; the study of native flights has all."""
    path = tmp_path_factory.mktemp("native") / "libinterstage.so"
    devices = [dev.Gyro, dev.ReactionWheel, dev.EventThruster, PropellantTank, Spring, Relay, Ball, Fails]
    made = build_library(path, devices=devices, methods=["rk4"])
    assert made.left_out == {}
    assert (path.parent / "interstage.h").exists()
    return path


@pytest.fixture(scope="module")
def satellite():
    mb = ist.Multibody("satellite")
    mb.add_body("bus", mass=800.0, inertia=[400.0, 350.0, 300.0], joint=ist.Free())
    mb.add_body(
        "panel", mass=20.0, inertia=[9.0, 1.0, 9.0], parent="bus", at=[1, 0, 0], joint=ist.Revolute("y")
    )
    system = mb.compile()
    x = system.state()
    x["bus"].velocity[:3] = [0.01, 0.02, -0.015]
    x["panel"].q[:] = 0.3
    return system, x


def agile(system, law=lambda t, rate: {"torque": 50.0 * rate[0]}):
    flight = ist.Assembly("agile", vehicle=system, seed=7)
    flight.add("gyro", dev.Gyro(at="bus", angle_random_walk=1e-5), every="20 ms")
    flight.add("law", law, every="20 ms", out={"torque": "N*m"})
    flight.add(
        "wheel", dev.ReactionWheel(at="bus", axis=[1, 0, 0], side=[0, 1, 0], inertia=0.05, max_torque=1.0)
    )
    flight.add("spring", Spring(joint="panel"))
    return flight.wire({"gyro.rate": "law.rate", "law.torque": "wheel.torque"})


def law_outside(t, flight):
    return {"torque": 50.0 * flight["gyro.rate"][0]}


@pytest.fixture(scope="module")
def file(satellite, tmp_path_factory):
    system, x = satellite
    return ist.export_flight(agile(system), x, tmp_path_factory.mktemp("f") / "agile.flight", step="5 ms")


def flown(file, library, until=4.0):
    one = ist.NativeFlight(file.path, library)
    one.on_law("law", law_outside)
    one.advance(until)
    return one


def same(one, log):
    x = log.state()
    return np.array_equal(one["q"], x.q) and np.array_equal(one["v"], x.v)


def test_the_command_builds_the_library(tmp_path, monkeypatch):
    made, target = (
        NativeLibrary(tmp_path / "lib.so", ["f|0"], {"Mine.outputs": "it calls Python"}, 2_000_000),
        [],
    )
    monkeypatch.setattr(
        "interstage.native.build_library", lambda path, **given: target.append((path, given)) or made
    )
    said = CliRunner().invoke(app, ["library", str(tmp_path / "lib.so"), "--cpu", "x86-64-v3"]).output
    assert target == [(tmp_path / "lib.so", {"cpu": "x86-64-v3", "target": None})]
    assert "1 functions, 2.00 MB" in said and "left out: Mine.outputs (it calls Python)" in said
    assert json.loads(CliRunner().invoke(app, ["library", "--json"]).output)["bytes"] == 2_000_000


def test_a_closed_loop_with_its_law_outside_has_the_bits_of_simulate(satellite, file, library):
    system, x = satellite
    log = ist.simulate(agile(system), x, 4.0, "5 ms", progress=False)
    one = flown(file, library)
    assert one.t == 4.0 and same(one, log)
    for name in ("gyro.rate", "wheel.speed", "spring.torque", "wheel.on_torque"):
        assert np.array_equal(one[name], np.ravel(log[name][-1])), name
    assert file.laws == ["law"] and "law.torque" in file.inputs and "gyro.rate" in file.outputs


def test_a_look_on_the_way_and_a_pause_change_no_bit(satellite, file, library):
    whole = flown(file, library)
    one = flown(file, library, 1.0)
    for t in np.arange(1.02, 4.01, 0.02):
        one.advance(round(t, 2))
        one["spring.torque"], one["q"]
    assert one.t == 4.0
    assert np.array_equal(one["q"], whole["q"]) and np.array_equal(one["v"], whole["v"])


def test_a_vehicle_alone(satellite, library, tmp_path):
    system, x = satellite
    made = ist.export_flight(system, x, tmp_path / "alone.flight", step="10 ms", method="rk4")
    one = ist.NativeFlight(made.path, library)
    one.advance(3.0)
    assert same(one, ist.simulate(system, x, 3.0, "10 ms", method="rk4"))
    assert made.laws == [] and set(one.ports) == {"q", "v"}


def test_flexible_bodies_and_closed_loops(library, tmp_path):
    mb = ist.Multibody("boom", gravity=[0, 0, -1.0])
    boom = ist.Component.beam(6.0, diameter=0.1, wall=0.002, n_modes=4, aset={1: 123456})
    mb.add_body("bus", mass=50.0, inertia=[9.0, 8.0, 7.0], joint=ist.Free())
    mb.add_body("boom", component=boom, node=1, parent="bus", joint=ist.Revolute("y"))
    x = mb.compile().state()
    x["bus"].velocity[:3] = [0.01, 0.02, -0.015]
    linkage, bent = parallelogram(2.0, [0.5, -0.5, 0.5], gravity=9.81)
    for system, start in ((mb.compile(), x), (linkage, bent)):
        how = {"step": "0.2 ms", "method": "rk4"}
        one = ist.NativeFlight(ist.export_flight(system, start, tmp_path / "f.flight", **how).path, library)
        one.advance(0.2)
        log = ist.simulate(system, start, 0.2, **how)
        assert same(one, log) and not np.array_equal(one["v"], start.v)


def test_a_point_on_the_way_goes_on_as_the_run_did(satellite, library, tmp_path):
    system, x = satellite
    log = ist.simulate(agile(system), x, 4.0, "5 ms", progress=False)
    made = ist.export_flight(agile(system), log.point(2.0), tmp_path / "later.flight", step="5 ms")
    one = ist.NativeFlight(made.path, library)
    assert one.t == 2.0
    one.on_law("law", law_outside)
    one.advance(4.0)
    assert same(one, log)


def test_switches_of_devices_run_where_simulate_finds_them(satellite, library, tmp_path):
    """Bits of a relay, of a ball that bounces, of pulses between samples, in one flight; and on from a save between."""
    system, x = satellite
    flight = ist.Assembly("switched", vehicle=system, seed=3)
    flight.add("relay", Relay()).add("ball", Ball())
    flight.add("gyro", dev.Gyro(at="bus", angle_random_walk=1e-3), every="0.1 s")
    jet = dev.EventThruster(at="panel", thrust=5.0, min_on=0.01, width=0.04, valve_delay=0.003)
    flight.add("jet", jet, every="0.1 s")
    log = ist.simulate(flight, x, 3.0, "10 ms", progress=False)
    assert len(log.events) > 60
    one = ist.NativeFlight(ist.export_flight(flight, x, tmp_path / "s.flight", step="10 ms").path, library)
    one.advance(0.5)
    other = one.another()
    other.restore(one.save())
    for each in (one, other):
        each.advance(3.0)
        assert same(each, log)
        for name in ("relay.x", "ball.height", "ball.speed", "gyro.rate"):
            assert np.array_equal(each[name], np.ravel(log[name][-1])), name
    with pytest.raises(SolverError, match="shorter intervals") as error:
        one.advance(6.0)
    with pytest.raises(SolverError, match="accumulates") as python:
        ist.simulate(flight, x, 6.0, "10 ms", progress=False)
    assert "t = 4.06371234" in str(error.value) and "t = 4.06371234" in str(python.value)


def test_a_level_is_that_of_its_parameter_now(satellite, library, tmp_path):
    system, x = satellite
    flight = ist.Assembly("relay", vehicle=system).add("relay", Relay())
    one = ist.NativeFlight(ist.export_flight(flight, x, tmp_path / "r.flight", step="10 ms").path, library)
    one.set({"relay.high": 0.9})
    one.advance(2.0)
    for how in ({"set": {"relay.high": 0.9}}, {"events": [ist.Event(at=0.1, action={"relay.high": 0.9})]}):
        log = ist.simulate(flight, x, 2.0, "10 ms", progress=False, **how)
        first = next(event.t for event in log.events if "up" in event.name)
        assert first == pytest.approx(np.log(1.3 / 0.4), abs=1e-7)
    # a level that is set across the state on the way is no crossing, there as in an event
    for t, values in ((0.6, {"relay.high": 0.4}), (1.2345, {"relay.x": 0.1})):
        events = [ist.Event(at=t, action=values)]
        log = ist.simulate(flight, x, 3.0, "10 ms", progress=False, events=events)
        other = one.another()
        other.advance(t)
        other.set(values)
        other.advance(3.0)
        assert other["relay.x"] == log["relay.x"][-1]
        said = {event.name: event.t for event in log.events if "relay" in event.name}
        assert {name: at for at, name in other.events} == said


def test_events_set_values_and_end_flights_as_in_simulate(satellite, library, tmp_path):
    system, x = satellite
    flight = ist.Assembly("events", vehicle=system, seed=3).add("relay", Relay()).add("ball", Ball())
    flight.add("gyro", dev.Gyro(at="bus", angle_random_walk=1e-3), every="0.1 s")
    stops = ist.Event("ball.speed", level=1.0, direction=1, action="stop", name="end")
    for events in (
        [ist.Event(at=0.5, action={"relay.high": 0.8}), ist.Event(at=0.5, action={"relay.on": 0}), stops],
        [
            ist.Event("relay.x", level=0.61, action={"relay.low": 0.1}, once=True),
            ist.Event(at=1.2345, action="stop"),
        ],
        [
            ist.Event("gyro.rate[0]", level=0.01, direction=1, name="seen"),
            ist.Event(at=0.0, action={"ball.e": 0.9}),
        ],
        [ist.Event("ball.height", direction=-1, action={"ball.speed": 1.0}, rest="stop", name="at last")],
    ):
        log = ist.simulate(flight, x, 2.0, "10 ms", events=events, progress=False)
        made = ist.export_flight(flight, x, tmp_path / "e.flight", step="10 ms", events=events)
        one = ist.NativeFlight(made.path, library)
        assert one.advance(2.0) == (log.t[-1] == 2.0) and one.t == log.t[-1] and same(one, log)
        assert one["relay.x"] == log["relay.x"][-1] and one["ball.height"] == log["ball.height"][-1]
        last = {event.name: event.t for event in log.events}
        assert {name: t for t, name in one.events} == last
        again = one.another()
        again.restore(one.save())
        assert again.advance(2.0) == (log.t[-1] == 2.0) and again.t == one.t
    alone = ist.export_flight(
        flight, x, tmp_path / "e.flight", step="10 ms", events=ist.Event(at=0.3, action="stop")
    )
    one = ist.NativeFlight(alone.path, library)
    assert not one.advance(1.0) and one.t == 0.3
    with pytest.raises(ist.InterstageError, match="no event"):
        ist.export_flight(flight, x, tmp_path / "no.flight", step="10 ms", events=["stop"])
    for event in (
        ist.Event(at=1.0, action=lambda t, system, x: None, name="mine"),
        ist.Event(lambda t, x: 1.0 - t, action="stop", name="mine"),
        ist.Event(at=1.0, action=ist.SetJointMode("panel", "locked"), name="mine"),
        ist.Event("relay.x", level=0.5, samples=9, name="mine"),
    ):
        with pytest.raises(ist.InterstageError, match="the event 'mine'"):
            ist.export_flight(flight, x, tmp_path / "no.flight", step="10 ms", events=[event])


def test_a_tank_that_runs_empty(library, tmp_path):
    """A body that burns: bits of its propellant, its mass and its motion, through the end of the propellant."""
    vehicle = burning_beam.beam_vehicle()
    system = vehicle.multibody(vehicle.shapes(n_modes=4, levels=3)).compile()
    x = system.state()
    x[system.bodies[0]].velocity[:] = [0.05, -0.1, 0.08, 1.0, 0.5, 0.2]
    flight = ist.Assembly("burn", vehicle=system).add("tank", PropellantTank(of="propellant", flow=40.0))
    log = ist.simulate(flight, x, 0.2, "1 ms", method="rk4", progress=False)
    assert log.propellant["propellant"][-1] == 0.0 and len(log.events) == 1
    one = ist.NativeFlight(ist.export_flight(flight, x, tmp_path / "b.flight", step="1 ms").path, library)
    one.advance(0.2)
    assert same(one, log) and one["tank.mass"] == 0.0 and one["tank.runs"] == 0.0


def test_what_is_saved_goes_on_in_another_instance_to_the_bit(file, library):
    one = flown(file, library, 1.5)
    saved = one.save()
    other = one.another()
    other.on_law("law", law_outside)
    other.restore(saved)
    assert other.t == 1.5
    for each in (one, other):
        each.advance(4.0)
    assert np.array_equal(one["v"], other["v"]) and other.save() == one.save()
    other.reset()
    assert other.t == 0.0
    other.advance(4.0)
    assert np.array_equal(one["v"], other["v"])
    for bad in (saved[:-1], saved[:-1] + bytes([saved[-1] ^ 1]), b"", saved[:5] + b"x" + saved[6:]):
        with pytest.raises(ist.InterstageError, match=r"saved is (damaged|of another flight)"):
            other.restore(bad)
    assert other.t == 4.0


def test_inputs_and_parameters_are_set_in_their_ranges(satellite, file, library):
    system, x = satellite
    one = ist.NativeFlight(file.path, library)  # nobody says what the law says: it is held
    one.set({"law.torque": 0.25, "spring.stiffness": 7.0})
    one.advance(2.0)
    flight = agile(system, lambda t, rate: {"torque": 0.25})
    log = ist.simulate(flight, x, 2.0, "5 ms", set={"spring.stiffness": 7.0}, progress=False)
    assert same(one, log)
    before = one.save()
    for values, words in (
        ({"spring.stiffness": -1.0}, "spring.stiffness"),
        ({"law.torque": 1.0, "spring.stiffness": np.nan}, "spring.stiffness"),
        ({"gyro.rate": [0, 0, 0]}, "written by a device"),
        ({"gyro.rat": 1.0}, "did you mean gyro.rate"),
        ({"q": [1.0, 2.0]}, "8 numbers"),
        ({"q": "no"}, "numbers"),
    ):
        with pytest.raises(ist.InterstageError, match=words):
            one.set(values)
    assert one.save() == before


def test_samples_see_what_is_set_before_them(satellite, library, tmp_path):
    """Stopped before the samples of a tick: a law that answers there is no tick late."""
    system, x = satellite
    flight = agile(system)
    log = ist.simulate(flight, x, 1.0, "5 ms", progress=False)
    one = ist.NativeFlight(ist.export_flight(flight, x, tmp_path / "f.flight", step="5 ms").path, library)
    told = []
    one.on_law("law", lambda t, f: told.append(t) or law_outside(t, f))
    one.advance(0.02, before_samples=True)
    assert told == [0.0]
    one.advance(1.0, before_samples=True)
    assert len(told) == 50
    one.advance(1.0)
    assert len(told) == 51 and same(one, log)


def test_a_flight_stops_where_a_law_is_sampled_in_the_middle_of_a_tick(satellite, file, library):
    """The gyro before the law is sampled, the wheel after it is not; saved and taken up there by another instance."""
    system, x = satellite
    log = ist.simulate(agile(system), x, 1.0, "5 ms", progress=False)
    one, stops = ist.NativeFlight(file.path, library), []
    one.stop_at("law")
    while not one.advance(1.0):
        stops.append(one.t)
        one.set({f"law.{name}": value for name, value in law_outside(one.t, one).items()})
        if len(stops) == 20:
            other = one.another()
            other.stop_at("law")
            other.restore(one.save())
            one = other
    assert np.allclose(stops, log.times("gyro.rate"), rtol=0.0, atol=1e-12) and same(one, log)
    assert np.array_equal(one["gyro.rate"], log["gyro.rate"][-1])


def test_a_law_without_samples_is_asked_at_every_stage(satellite, library, tmp_path):
    system, x = satellite
    flight = ist.Assembly("always", vehicle=system).add("spring", Spring(joint="panel"))
    flight.add(
        "wheel", dev.ReactionWheel(at="bus", axis=[1, 0, 0], side=[0, 1, 0], inertia=0.05, max_torque=1.0)
    )
    flight.add("law", lambda t: 0.1 * np.sin(t), out={"torque": "N*m"}).wire({"law.torque": "wheel.torque"})
    one = ist.NativeFlight(ist.export_flight(flight, x, tmp_path / "f.flight", step="5 ms").path, library)
    with pytest.raises(ist.InterstageError, match="no flight stops there: law"):
        one.stop_at("law")
    one.on_law("law", lambda t, f: {"torque": 0.1 * np.sin(t)})
    one.advance(1.0)
    assert same(one, ist.simulate(flight, x, 1.0, "5 ms", progress=False))


def test_threads_fly_their_own(file, library):
    whole = flown(file, library)
    with ThreadPoolExecutor(4) as pool:
        ends = list(pool.map(lambda _: flown(file, library)["v"], range(8)))
    assert all(np.array_equal(v, whole["v"]) for v in ends)


def test_times_that_cannot_be(file, library, satellite, tmp_path):
    one = flown(file, library, 1.0)
    for t in (0.5, np.nan, np.inf, 1e300, "soon", None):
        with pytest.raises(ist.InterstageError):
            one.advance(t)
    assert one.t == 1.0
    short = ist.export_flight(
        satellite[0], satellite[1], tmp_path / "s.flight", step="10 ms", method="rk4", until=2.0
    )
    with pytest.raises(ist.InterstageError, match="ends before that"):
        ist.NativeFlight(short.path, library).advance(2.5)


def test_errors_of_devices_and_laws_end_the_flight_with_words(satellite, file, library, tmp_path):
    system, x = satellite
    flight = ist.Assembly("breaks", vehicle=system).add("bad", Fails(joint="panel"), every="20 ms")
    one = ist.NativeFlight(ist.export_flight(flight, x, tmp_path / "b.flight", step="5 ms").path, library)
    for _ in range(2):  # and stays ended
        with pytest.raises(ist.InterstageError, match=r"raised by bad at t = 1\.02"):
            one.advance(3.0)
    one.reset()
    one.advance(1.0)
    assert np.isclose(one["bad.seen"][0], one["q"][7])
    other = ist.NativeFlight(file.path, library)

    def broken(t, f):
        raise KeyError("mine")

    other.on_law("law", broken)
    with pytest.raises(KeyError, match="mine"):
        other.advance(1.0)


def test_what_cannot_leave_is_named(satellite, library, tmp_path):
    system, x = satellite
    path = tmp_path / "no.flight"

    def refused(flight=system, x=x, **how):
        with pytest.raises(ist.InterstageError) as error:
            ist.export_flight(flight, x, path, **how)
        assert not path.exists()
        return str(error.value)

    assert "dop853 stays in Python" in refused(method="dop853")
    assert "needs a step" in refused(method="ros2")
    assert "no flight" in refused(3)
    assert "a state" in refused(x=None, step="10 ms")
    pulsed = ist.Assembly("p", vehicle=system)
    pulsed.add("jet", dev.EventThruster(at="bus", thrust=1.0, min_on=0.1, width=0.1), every="1 s")
    assert "'jet', whose edges in time" in refused(pulsed, method="dopri5")
    rubbed = ist.Assembly("r", vehicle=system).add("hinge", dev.StickSlip(joint="panel", coulomb=0.1))
    assert "'hinge', which locks a joint" in refused(rubbed, step="10 ms")
    moved = ist.Assembly("m", vehicle=system)
    moved.add(
        "wheel", dev.ReactionWheel(at="bus", axis=[1, 0, 0], side=[0, 1, 0], inertia=0.05, max_torque=1.0)
    )
    made = ist.export_flight(
        moved, x, tmp_path / "m.flight", step="5 ms", method="ros2", set={"wheel.torque": 0.0}
    )
    with pytest.raises(ist.InterstageError, match=r"does not have .*w_step"):
        ist.NativeFlight(made.path, library)
    for target in ("", "arm; rm", "-x-y", "mars-rover"):
        with pytest.raises(ist.InterstageError, match=r"system to build for|no such compiler"):
            build_library(tmp_path / "no.so", devices=[], methods=["rk4"], target=target)
    with pytest.raises(ist.InterstageError, match="not the native library"):
        ist.NativeFlight(made.path, __file__)
    with pytest.raises(ist.InterstageError, match="cannot be read"):
        ist.NativeFlight(tmp_path / "nothing.flight", library)


def test_damaged_files_are_refused_and_those_with_a_true_digest_never_crash_the_loader(file, library):
    """Bytes that are changed anywhere: the digest tells; and where it is made true again, places are checked."""
    whole, c = file.path.read_bytes(), load_library(str(library))
    why = ctypes.create_string_buffer(256)
    rng = np.random.default_rng(5)

    def opens(data):
        handle = c.ist_open_bytes(data, len(data), why, 256)
        if handle:
            c.ist_close(handle)
        return bool(handle)

    assert opens(whole)
    for _ in range(1500):
        data = bytearray(whole)
        kind = rng.integers(3)
        if kind == 0:
            data[rng.integers(len(data))] ^= 1 << rng.integers(8)
        elif kind == 1:
            data = data[: rng.integers(len(data))]
        else:
            data += bytes(rng.integers(0, 256, rng.integers(1, 50), dtype=np.uint8))
        assert not opens(bytes(data)) and why.value
    import hashlib

    head = 40 + 8 * 34  # of the tables: lengths and places; then names and links
    opened = 0
    for _ in range(1500):
        data = bytearray(whole)
        at = 40 + 8 * int(rng.integers((head - 40) // 8 + 60))
        value = int(
            rng.choice(
                [-1, 0, 1, 7, 1 << 40, -(1 << 62), (1 << 63) - 1, len(data), int(rng.integers(1 << 20))]
            )
        )
        data[at : at + 8] = struct.pack("<q", value)
        data[8:40] = hashlib.sha256(data[40:]).digest()
        opened += opens(bytes(data))
    assert opened < 750


ARM, QEMU = "aarch64-linux-gnu", shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")


@pytest.mark.skipif(not (shutil.which(f"{ARM}-gcc") and QEMU), reason="no compiler and emulator of aarch64")
def test_the_same_file_flies_on_another_processor(satellite, tmp_path):
    """Built for aarch64, flown by an emulator, with noise, crossings and bounces: `simulate` but for last digits."""
    system, x = satellite
    flight = ist.Assembly("arm", vehicle=system, seed=3).add("relay", Relay()).add("ball", Ball())
    flight.add("gyro", dev.Gyro(at="bus", angle_random_walk=1e-3), every="0.1 s")
    log = ist.simulate(flight, x, 2.0, "10 ms", progress=False)
    build_library(
        tmp_path / "libinterstage.so",
        devices=[Relay, Ball, dev.Gyro],
        methods=["rk4"],
        target="aarch64-linux-gnu",
    )
    ist.export_flight(flight, x, tmp_path / "a.flight", step="10 ms")
    (tmp_path / "fly.c").write_text(
        """
        #include "interstage.h"
        #include <stdio.h>
        int main(int count, char **words) {
            char why[256];
            double y[16];
            IstFlight *flight = ist_open(words[1], why, sizeof why);
            IstInstance *one = flight ? ist_new(flight) : 0;
            if (!one || ist_advance(one, 2.0, 0)) return puts(one ? ist_message(one) : why), 1;
            ist_get(one, ist_find(flight, "v"), y);
            for (int k = 0; k < 7; k++) printf("%a\\n", y[k]);
            for (int k = 2; k < count; k++) ist_get(one, ist_find(flight, words[k]), y), printf("%a\\n", y[0]);
            return 0;
        }
        """
    )
    subprocess.run([f"{ARM}-gcc", "fly.c", "-L.", "-linterstage", "-o", "fly"], cwd=tmp_path, check=True)
    names = ["relay.x", "ball.height", "gyro.rate"]
    words = [QEMU, "-L", f"/usr/{ARM}", "-E", "LD_LIBRARY_PATH=.", "./fly", "a.flight", *names]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    found = [float.fromhex(line) for line in done.stdout.split()]
    wanted = [*log.state().v, *(np.ravel(log[name][-1])[0] for name in names)]
    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-13)


def test_a_program_in_c_flies_it_alone(satellite, library, tmp_path):
    """Without Python in the process, from the header alone."""
    system, x = satellite
    flight = ist.Assembly("c", vehicle=system)
    flight.add(
        "wheel", dev.ReactionWheel(at="bus", axis=[1, 0, 0], side=[0, 1, 0], inertia=0.05, max_torque=1.0)
    )
    flight.add("spring", Spring(joint="panel"))
    made = ist.export_flight(flight, x, tmp_path / "c.flight", step="5 ms", set={"wheel.torque": 0.2})
    log = ist.simulate(flight, x, 2.0, "5 ms", set={"wheel.torque": 0.2}, progress=False)
    (tmp_path / "fly.c").write_text(
        """
        #include "interstage.h"
        #include <stdio.h>
        int main(int count, char **words) {
            char why[256];
            double v[16];
            IstFlight *flight = ist_open(words[1], why, sizeof why);
            if (!flight) { puts(why); return 1; }
            IstInstance *one = ist_new(flight);
            int port = ist_find(flight, "v");
            IstPort said;
            if (ist_advance(one, 2.0, 0) || ist_port(flight, port, &said) || ist_get(one, port, v)) {
                puts(ist_message(one));
                return 2;
            }
            for (int k = 0; k < said.size; k++) printf("%a\\n", v[k]);
            ist_free(one);
            ist_close(flight);
            return 0;
        }
        """
    )
    order = [
        "cc",
        "-std=c11",
        "-Wall",
        "-Werror",
        "fly.c",
        "-I",
        str(library.parent),
        str(library),
        "-o",
        "fly",
    ]
    subprocess.run([*order, f"-Wl,-rpath,{library.parent}"], cwd=tmp_path, check=True)
    done = subprocess.run(
        ["./fly", str(made.path)], cwd=tmp_path, capture_output=True, text=True, env={}, check=True
    )
    assert np.array_equal([float.fromhex(line) for line in done.stdout.split()], log.state().v)
    needs = subprocess.run(["ldd", str(library)], capture_output=True, text=True, env=dict(os.environ)).stdout
    assert "python" not in needs and "LLVM" not in needs


def test_a_file_of_other_kernels_is_refused_by_name(file, library):
    data = bytearray(file.path.read_bytes())
    at = data.index(b"enter_tableau|") + len(b"enter_tableau|")
    data[at : at + 4] = b"0000" if data[at : at + 4] != b"0000" else b"1111"
    import hashlib

    data[8:40] = hashlib.sha256(data[40:]).digest()
    changed = file.path.with_name("changed.flight")
    changed.write_bytes(data)
    with pytest.raises(ist.InterstageError, match=r"does not have .*enter_tableau\|"):
        ist.NativeFlight(changed, library)
