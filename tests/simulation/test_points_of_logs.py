"""Every row of a log is a point of its flight: runs go on from it bit for bit, models see what was there."""

from __future__ import annotations

import pickle
import warnings

import flight_laws as laws
import h5py
import numpy as np
import pytest
from device_library import Lag

import interstage as ist
from interstage.errors import FidelityWarning, InputError

STEP = {"step": "4 ms"}


@pytest.fixture(scope="module")
def whole():
    """Return a flight with everything that a checkpoint has to bring back, and its log."""
    flight = laws.made()
    return flight, ist.simulate(flight, laws.begun(flight), until=1, **STEP)


def tail_differs(log, rest, k):
    """Return the greatest difference of a run from row k on and of the run that went on from there."""
    assert np.array_equal(log.t[k:], rest.t)
    worst = max(np.abs(log.q[k:] - rest.q).max(), np.abs(log.v[k:] - rest.v).max())
    for name in log.names():
        t, found = log.times(name), rest.series(name)
        mine = log[name][np.searchsorted(t, found.t)]
        assert set(t[t > log.t[k]]) <= set(found.t)
        worst = max(worst, np.abs(mine - found.values).max(initial=0.0))
    return worst


@pytest.mark.parametrize("k", [0, 1, 27, 100, 130, -2])
def test_a_run_goes_on_from_any_row_bit_for_bit(whole, k):
    """Noise, delays, integrators, laws with memory of many kinds, loads beside devices: nothing is lost.

    The rows 27 and 130 fall between samples, 100 (0.4 s) on those of three rates.
    """
    flight, log = whole
    rest = ist.simulate(flight, log.point(k), until=1, **STEP)
    assert tail_differs(log, rest, range(len(log.t))[k]) == 0.0


def test_a_time_between_rows_is_flown_to(whole):
    """Rows are 0.1 s apart; the point at 0.14 s is that of the run that logs every step, laws are as before."""
    _, log = whole
    flight = laws.made()
    coarse = ist.simulate(flight, laws.begun(flight), until=1, log_step="0.1 s", **STEP)
    law = flight.parts()[3].what.function
    calls = law.calls
    for t in (0.14, "560 ms"):
        here, there = coarse.point(t), log.point(t)
        assert here.t == there.t
        np.testing.assert_array_equal(here.qv, there.qv)
        for name, value in there.values.items():
            np.testing.assert_array_equal(here.values[name], value)
        assert here.memory["fsw"]["calls"] == there.memory["fsw"]["calls"] < calls
    assert law.calls == calls
    assert coarse.point("0.2 s").t == coarse.point(2).t == 0.2
    with pytest.raises(InputError, match=r"time outside the run.*0 to 1 s.*1\.5"):
        coarse.point(1.5)
    with pytest.raises(InputError, match="no such row"):
        coarse.point(99)
    with pytest.raises(InputError, match="is not a time"):
        coarse.point(None)


class Summing:
    """A law that sums up what it is shown."""

    def __init__(self):
        self.sum = 0.0

    def __call__(self, t, x):
        self.sum += x
        return self.sum


def lagging():
    made = ist.Assembly("lagging").add("lag", Lag()).add("total", Summing(), every="0.1 s", out={"y": "1"})
    return made.wire({"lag.y": "total.x"})


def test_rows_around_an_event_on_a_sample_know_whether_it_was_done():
    """An event comes before the samples of its time: the two rows there have yet to sample, those after have."""
    flight = lagging()
    turn = ist.Event(at=0.5, action={"lag.u": -1.0})
    log = ist.simulate(flight, None, until=1, step="50 ms", set={"lag.u": 1.0}, events=[turn])
    rows = np.flatnonzero(log.t == 0.5)
    assert len(rows) == 2 and [float(log.point(int(k)).values["lag.u"]) for k in rows] == [1.0, -1.0]
    for k in (rows[0] - 1, *rows, rows[1] + 1):
        point = log.point(int(k))
        rest = ist.simulate(flight, point, until=1, step="50 ms", events=[turn] if k <= rows[0] else None)
        mine, its = log.series("total.y"), rest.series("total.y")
        assert np.array_equal(mine.values[-len(its.t) :], its.values) and its.t[0] == (
            0.5 if k <= rows[1] else 0.6
        )
        assert np.array_equal(log["lag.y"][-len(rest.t) :], rest["lag.y"])


@pytest.mark.parametrize("where", ["memory", "file", "resumed"])
def test_what_laws_in_python_remember_goes_with_the_point(tmp_path, where):
    """Every row has it, in memory and in files, those of resumed runs too; asking changes no law."""
    flight = lagging()
    given = {"until": 1, "step": "50 ms", "set": {"lag.u": 1.0}}
    log = ist.simulate(flight, None, log=tmp_path / "a.h5", checkpoint="0.5 s", **given)
    total = flight.parts()[1].what.function
    assert total.sum == log["total.y"][-1]
    found = log
    if where == "resumed":
        found = ist.resume(tmp_path / "a.ckpt.h5", lagging())
    elif where == "file":
        found = ist.load(tmp_path / "a.h5")
    point = found.point(0.3)
    assert point.memory["total"]["sum"] == log["total.y"][3]
    ist.linearize(flight, point, sampled=True)
    assert total.sum == log["total.y"][-1]
    assert found.point(20).memory["total"]["sum"] == total.sum
    for k in (0, 3, 6, 13, 19):  # those of samples, and between them
        rest = ist.simulate(flight, found.point(k), until=1, step="50 ms")
        for name in ("total.y", "lag.y"):
            mine, its = log.series(name), rest.series(name)
            np.testing.assert_array_equal(mine.values[-len(its.t) :], its.values)


class Odd:
    """A law that keeps something without a name, or much that does not change."""

    def __init__(self, what):
        self.what, self.table, self.sum = what, np.arange(20_000.0), 0.0

    def __call__(self, t, x):
        self.sum += x
        return self.sum


def test_memory_without_a_name_is_refused_and_arrays_are_written_once(tmp_path):
    """A lambda is not kept in a file: runs from its rows say so. A table of 160 kB is there once, not at each of 10."""
    for what in (None, lambda: 0.0):
        made = ist.Assembly("odd").add("lag", Lag()).add("total", Odd(what), every="0.1 s", out={"y": "1"})
        made.wire({"lag.y": "total.x"})
        ist.simulate(made, None, until=1, step="50 ms", set={"lag.u": 1.0}, log=tmp_path / "a.h5")
        saved = ist.load(tmp_path / "a.h5").point(0.3)
        if what is None:
            assert saved.memory["total"]["sum"] > 0.0
            with h5py.File(tmp_path / "a.h5") as f:
                assert 160_000 < len(f["MEMORY"]) < 200_000
        else:
            with pytest.raises(InputError, match=r"what 'total' remembered"):
                ist.simulate(made, saved, until=1, step="50 ms")
            with pytest.warns(UserWarning, match="what 'total' remembered"):
                ist.linearize(made, saved)


@pytest.mark.parametrize("where", ["memory", "file"])
def test_memory_in_enclosed_variables_is_refused(tmp_path, where):
    """The sum in a closure is that of the end of the run: runs from rows before would go on with it."""
    total = 0.0

    def summing(t, x):
        nonlocal total
        total += x
        return total

    made = ist.Assembly("hidden").add("lag", Lag()).add("total", summing, every="0.1 s", out={"y": "1"})
    made.wire({"lag.y": "total.x"})
    log = ist.simulate(made, None, until=1, step="50 ms", set={"lag.u": 1.0}, log=tmp_path / "a.h5")
    saved = log if where == "memory" else ist.load(tmp_path / "a.h5")
    with pytest.raises(InputError, match=r"what 'total' remembered.*not what it writes to enclosed"):
        ist.simulate(made, saved.point(0.3), until=1, step="50 ms")
    if where == "memory":  # the end goes on: the law is there
        rest = ist.simulate(made, log.point(), until=1.5, step="50 ms")
        assert rest["total.y"][-1] > log["total.y"][-1]


def ramped(t):
    """Return a force that grows, until it stops."""
    return [0.0, 0.0, 0.0, 3.0 * t, 0.0, 0.0] if t < 0.75 else np.zeros(6)


def test_loads_over_time_are_in_files_of_logs(tmp_path):
    """A function with a name and a table act from rows of a file as in the run; one without a name is refused."""
    mb = ist.Multibody("body")
    mb.add_body("bus", mass=10.0, inertia=[1.0, 2.0, 3.0], joint=ist.Free())
    mb.add_body("arm", mass=1.0, inertia=[1.0, 2.0, 3.0], parent="bus", joint=ist.Revolute("z"))
    flight = ist.Assembly("pushed", vehicle=mb.compile())
    given = {"until": 1.0, "step": "10 ms", "log_step": "0.05 s"}
    table = [0.0, 0.3, 1.0], [[0.0], [1.0], [-2.0]]
    loads = {"forces": {"bus": ramped}, "tau": {"arm": table}}
    log = ist.simulate(flight, flight.vehicle.state(), log=tmp_path / "a.h5", **loads, **given)
    assert abs(log["bus"].velocity[-1, 3]) > 0.05 and abs(log["arm"].v[-1, 0]) > 0.1
    saved = ist.load(tmp_path / "a.h5")
    for k in (0, 7, 15):
        rest = ist.simulate(flight, saved.point(k), **given)
        np.testing.assert_array_equal(rest.v, log.v[k:])
    ist.simulate(
        flight, flight.vehicle.state(), log=tmp_path / "b.h5", forces={"bus": lambda t: np.ones(6)}, **given
    )
    with pytest.raises(InputError, match=r"functions of time acted, and .*lambda"):
        ist.load(tmp_path / "b.h5").point(3)


def test_states_that_do_not_say_enough_are_refused(tmp_path):
    """With keep= the log has not all that devices keep: its rows are states of the vehicle, for nothing else."""
    flight = laws.made()
    log = ist.simulate(flight, laws.begun(flight), until=0.1, keep=["gyro.rate"], **STEP)
    x = log.state(3)
    assert x.system.mass_properties(x).mass == pytest.approx(flight.vehicle.mass_properties(x).mass)
    for ask in (
        lambda: log.point(3),
        lambda: ist.linearize(flight, x),
        lambda: ist.trim(flight, x),
        lambda: ist.simulate(flight, x, until=1, **STEP),
    ):
        with pytest.raises(InputError, match=r"not a whole point.*keep="):
            ask()
    assert log.point().t == log.end.t  # the end is whole


def test_files_of_versions_before_say_what_they_lack(tmp_path):
    flight = lagging()
    ist.simulate(flight, None, until=0.2, step="50 ms", set={"lag.u": 1.0}, log=tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as f:
        sums = f["SUMS"][:]
        kept = sums[:, 0] < len([n for n in f if n.startswith("SAMPLES_")]) + 5
        f["SUMS"].resize(kept.sum(), axis=0)
        f["SUMS"][:] = sums[kept]
        f["SCHEMA_VERSION"][...] = 1
        f.attrs.pop("CONTENTS")
        for name in ("POINTS", "KEPT", "MEMORY", "REMEMBERED"):
            del f[name]
    old = ist.load(tmp_path / "a.h5")
    with pytest.raises(InputError, match="file is of a version that did not keep"):
        old.point(1)
    assert old.state(1).t == old.t[1]


# what was set -------------------------------------------------------------------------------------------


class Pull(ist.Device):
    """F = u - k x: a stiffness that may be set, and a force that has a default."""

    joint = ist.JointRef("m")
    k = ist.Parameter("N/m", 3.0)
    x, u, force = joint.coordinate(), ist.In("N", default=0.0), joint.force()

    def outputs(d, t):
        d.force = d.u - d.k * d.x


SPRING, WEIGHT = 5.0, 2.0


def pulled(law=False):
    mb = ist.Multibody("cart")
    mb.add_body("cart", mass=WEIGHT, inertia=np.eye(3), joint=ist.Prismatic("x", stiffness=SPRING))
    made = ist.Assembly("pulled", vehicle=mb.compile()).add("pull", Pull(joint="cart"))
    if law:
        made.add("total", Summing(), every="0.1 s", out={"y": "1"}).wire({"pull.force": "total.x"})
    return made


def harder(t, system, x):
    return {"pull.k": 11.0}


SETTINGS = {
    "parameter": ({"pull.k": 1.0}, None, (1.0, 0.0, 1.0, 0.0)),
    "input with a default": ({"pull.u": 0.8}, None, (3.0, 0.8, 3.0, 0.8)),
    "by an event": ({"pull.k": 1.0}, {"pull.k": 7.0, "pull.u": 0.4}, (1.0, 0.0, 7.0, 0.4)),
    "by a function": ({}, harder, (3.0, 0.0, 11.0, 0.0)),
}


@pytest.mark.parametrize("law", [False, True], ids=["devices", "law"])
@pytest.mark.parametrize("where", ["memory", "growing", "saved", "resumed"])
@pytest.mark.parametrize("case", SETTINGS)
def test_what_was_set_holds_at_points(tmp_path, case, where, law):
    """x(t) about u/(k + K) with √((K + k)/m), before and after an event at 0.5 s; poles, rest and runs that go on."""
    given, action, (k0, u0, k1, u1) = SETTINGS[case]
    flight = pulled(law)
    events = [ist.Event(at=0.5, action=action, name="set")] if action is not None else []
    run = {"until": 1.0, "step": "1 ms", "log_step": "0.1 s", "events": events}
    begin = flight.vehicle.state(q=[0.3])
    path = None if where in ("memory", "saved") else tmp_path / "a.h5"
    kept = {"checkpoint": "0.6 s"} if where == "resumed" else {}
    log = whole = ist.simulate(flight, begin, set=given, log=path, **kept, **run)
    if where == "resumed":
        log = ist.resume(tmp_path / "a.ckpt.h5", pulled(law), events=events)
    elif where != "memory":
        if where == "saved":
            log.save(tmp_path / "a.h5")
        log = ist.load(tmp_path / "a.h5")
    for t, k, u in ((0.0, k0, u0), (0.3, k0, u0), (0.7, k1, u1), (1.0, k1, u1)):
        point = log.point(t)
        hz = np.sqrt((SPRING + k) / WEIGHT) / (2.0 * np.pi)
        poles = ist.linearize(pulled(law), point).poles()
        assert poles.imag.max() / (2.0 * np.pi) == pytest.approx(hz, rel=1e-12)
        still = ist.trim(
            pulled(), ist.OperatingPoint(point, point.loads, point.vdot, point.settings, point.values)
        )
        assert still["cart"].q[0] == pytest.approx(u / (SPRING + k), abs=1e-12)
        if t < 1.0:
            more = {**run, "events": events if t < 0.5 else []}
            rest = ist.simulate(pulled(law), point, **more)
            np.testing.assert_array_equal(rest.q[-1], whole.q[-1])
    turn = np.sqrt((SPRING + k0) / WEIGHT)
    middle = u0 / (SPRING + k0)
    at = log.point(0.3)["cart"].q[0]
    assert at == pytest.approx(middle + (0.3 - middle) * np.cos(0.3 * turn), abs=1e-9)
    rest = ist.simulate(pulled(law), whole.end, start=1.0, until=1.2, step="1 ms")
    longer = ist.simulate(pulled(law), begin, set=given, **{**run, "until": 1.2})
    np.testing.assert_array_equal(rest.q[-1], longer.q[-1])


@pytest.mark.parametrize("where", ["memory", "file"])
def test_points_around_faults_go_on_bit_for_bit(tmp_path, where):
    """A fault of a sampled output holds at once, not from the next sample on; one that is over is none of the rest."""
    faults = [
        ist.Fault("total.y", start=0.02, stop=0.06, value=9.0),
        ist.Fault("total.y", start=0.14, stop=0.36),
    ]
    given = {"until": 1.0, "step": "20 ms", "faults": faults}

    def made():
        one = ist.Assembly("faulty").add("lag", Lag()).add("late", Lag())
        one.add("total", Summing(), every="0.1 s", out={"y": "N"})
        return one.wire({"lag.y": "total.x", "total.y": "late.u"})

    log = ist.simulate(made(), None, set={"lag.u": 1.0}, log=tmp_path / "a.h5", **given)
    found = log if where == "memory" else ist.load(tmp_path / "a.h5")
    for t in (0.02, 0.04, 0.08, 0.12, 0.14, 0.18, 0.2, 0.28, 0.34, 0.36, 0.38, 0.4, 0.44):
        rest = ist.simulate(made(), found.point(t), **given)
        np.testing.assert_array_equal(
            rest.t, log.t[-len(rest.t) :]
        )  # what began before is on no tick of its own
        np.testing.assert_array_equal(rest["late.y"], log["late.y"][-len(rest.t) :])


@pytest.mark.parametrize("where", ["memory", "file"])
def test_states_of_phases_and_of_dense_output_are_those_of_the_vehicle(tmp_path, where):
    """They do not have what devices keep: runs, trims and models of the assembly refuse them, the vehicle does not."""
    flight = pulled().add("lag", Lag())
    given = {"set": {"lag.u": 1.0, "pull.k": 1.0}, "method": "dop853", "log": tmp_path / "a.h5"}
    log = ist.simulate(flight, flight.vehicle.state(q=[0.3]), until=1.0, dense=True, **given)
    dense = [log.at(0.4)]
    log = log if where == "memory" else ist.load(tmp_path / "a.h5")
    phase = log.phases[0]
    for x in (phase.state(3), phase.point(3), phase.operating_point(3), *dense):
        for ask in (
            lambda x=x: ist.linearize(flight, x),
            lambda x=x: ist.trim(flight, x),
            lambda x=x: ist.simulate(flight, x, until=2.0),
        ):
            with pytest.raises(InputError, match=r"not a whole point.*without what devices keep; log\.point"):
                ask()
        assert phase.system.energy(x) > 0.0
    assert ist.linearize(flight, log.point(3)).A.shape == (3, 3)


# a vehicle alone ------------------------------------------------------------------------------------------


def burning(t):
    """Return 10 kg that lose 1 kg/s, their center that moves, and the inertia about it."""
    return 10.0 - t, [0.1 * t, 0.0, 0.0], np.diag([1.0, 2.0 - 0.1 * t, 2.0])


@pytest.mark.parametrize("where", ["memory", "file"])
def test_a_row_of_a_body_that_burns_has_the_mass_of_its_time(tmp_path, where):
    mb = ist.Multibody("candle")
    mb.add_body("b", mass=10.0, inertia=[1.0, 2.0, 2.0], joint=ist.Free())
    system = mb.compile()
    given = {"step": 0.1, "mass": {"b": burning}, "forces": {"b": [0, 0, 0, 1.0, 0, 0]}}
    log = ist.simulate(system, system.state(), until=5, log=tmp_path / "a.h5", **given)
    log = log if where == "memory" else ist.load(tmp_path / "a.h5")
    for k in (0, 17, -1):
        m, com, inertia = burning(log.t[k])
        for found in (log.system.mass_properties(log.state(k)), system.mass_properties(log.point(k))):
            assert found.mass == pytest.approx(m, rel=1e-15)
            np.testing.assert_allclose(found.inertia, inertia, atol=1e-14)
            np.testing.assert_allclose(found.com - log.position("b")[k], com, atol=1e-13)
        assert system.energies(log.state(k)).kinetic == pytest.approx(0.5 * m * log.velocity("b")[k, 3] ** 2)
    np.testing.assert_allclose(log["mass"], 10.0 - log.t, rtol=1e-15)
    np.testing.assert_allclose(log["com"][:, 0], 0.1 * log.t, atol=1e-15)
    np.testing.assert_allclose(log["inertia"][:, 1, 1], 2.0 - 0.1 * log.t, atol=1e-14)
    assert [log.series(name).unit for name in ("mass", "com", "inertia")] == ["kg", "m", "kg*m^2"]
    rest = ist.simulate(system, log.point(30), until=5, step=0.1, mass={"b": burning})
    np.testing.assert_array_equal(rest.q, log.q[30:])


@pytest.mark.parametrize("where", ["memory", "file"])
def test_the_frequency_of_a_row_is_that_of_its_mass(tmp_path, where):
    """m(t) on a spring: √(k/m)/2π, in modes and in poles."""
    mb = ist.Multibody("bob")
    mb.add_body("b", mass=10.0, inertia=[1.0, 2.0, 2.0], joint=ist.Prismatic("x", stiffness=90.0))
    system = mb.compile()
    lighter = {"b": lambda t: (10.0 - t, [0, 0, 0], np.eye(3))}
    log = ist.simulate(system, system.state(q=[0.1]), until=5, step=0.1, mass=lighter, log=tmp_path / "a.h5")
    log = log if where == "memory" else ist.load(tmp_path / "a.h5")
    for k in (0, 10, 33, -1):
        wanted = np.sqrt(90.0 / (10.0 - log.t[k])) / (2.0 * np.pi)
        assert log.system.modes(log.state(k)).frequencies_hz[0] == pytest.approx(wanted, rel=1e-14)
        poles = ist.linearize(system, log.point(k)).poles()
        assert np.abs(poles.imag).max() / (2.0 * np.pi) == pytest.approx(wanted, rel=1e-14)


def test_masses_of_two_vehicles_by_parallel_axes():
    """A hinge at angle q: by hand. Bodies are named where there are two vehicles."""
    mb = ist.Multibody("pair")
    mb.add_body("hull", mass=3.0, inertia=[1.0, 2.0, 3.0], joint=ist.Free())
    mb.add_body(
        "arm", mass=2.0, com=[1.0, 0, 0], inertia=[0.1, 0.2, 0.3], parent="hull", joint=ist.Revolute("z")
    )
    alone = mb.compile()
    mb.add_body("buoy", mass=7.0, inertia=[1.0, 1.0, 1.0], joint=ist.Free())
    system = mb.compile()
    q, far = 0.7, np.array([6.4e6, -1e6, 3e6])
    arm = np.array([np.cos(q), np.sin(q), 0.0])
    com = 2.0 * arm / 5.0
    turn = np.array([[np.cos(q), -np.sin(q), 0], [np.sin(q), np.cos(q), 0], [0, 0, 1]])
    about = turn @ np.diag([0.1, 0.2, 0.3]) @ turn.T + np.diag([1.0, 2.0, 3.0])
    about += sum(m * ((r @ r) * np.eye(3) - np.outer(r, r)) for m, r in ((3.0, -com), (2.0, arm - com)))
    for one in (alone, system):
        x = one.state()
        x["hull"].position[:], x["arm"].q[:] = far, q
        log = ist.simulate(one, x, until=0.1, step=0.05)
        name = "{}" if one is alone else "{}.hull"
        np.testing.assert_allclose(log[name.format("mass")], 5.0, rtol=1e-15)
        np.testing.assert_allclose(log[name.format("com")][0], com, atol=1e-14)
        np.testing.assert_allclose(log[name.format("inertia")][0], about, atol=1e-13)
        # seen from the arm: turned back by q
        np.testing.assert_allclose(log["com.arm"][0], turn.T @ com, atol=1e-14)
        np.testing.assert_allclose(log["inertia.arm"][0], turn.T @ about @ turn, atol=1e-13)
    np.testing.assert_allclose(log["mass.buoy"], 7.0, rtol=1e-15)
    # far from the origin of the world the inertia keeps its digits
    whole = alone.mass_properties(alone.state(x.q[: alone.nq]))
    np.testing.assert_allclose(whole.inertia, about, atol=1e-12)
    np.testing.assert_allclose(whole.com, far + com, rtol=1e-15)
    with pytest.raises(InputError, match=r"several.*hull, buoy.*mass\.hull"):
        log["mass"]
    with pytest.raises(InputError, match=r"no body 'bouy'.*buoy"):
        log["mass.bouy"]


def test_saved_logs_have_masses_and_points(tmp_path):
    """Masses by hand of a body that burns with an arm on it, beside another vehicle."""
    mb = ist.Multibody("pair")
    mb.add_body("b", mass=10.0, inertia=[1.0, 2.0, 2.0], joint=ist.Free())
    mb.add_body("arm", mass=2.0, com=[1.0, 0, 0], inertia=[0.1] * 3, parent="b", joint=ist.Revolute("z"))
    alone = mb.compile()
    mb.add_body("buoy", mass=7.0, inertia=[1.0] * 3, joint=ist.Free())
    for system, of in ((alone, ""), (mb.compile(), ".b")):
        ist.simulate(system, system.state(), until=5, step=0.1, mass={"b": burning}).save(tmp_path / "a.h5")
        log = ist.load(tmp_path / "a.h5")
        t, m = log.t, 10.0 - log.t
        com = (m * 0.1 * t + 2.0) / (m + 2.0)
        along = 2.0 - 0.1 * t + 0.1 + m * (0.1 * t - com) ** 2 + 2.0 * (1.0 - com) ** 2
        np.testing.assert_allclose(log[f"mass{of}"], m + 2.0, rtol=1e-14)
        np.testing.assert_allclose(log["mass.arm"], m + 2.0, rtol=1e-14)
        # nothing pushes and nothing turns: the arm stays at its angle
        np.testing.assert_allclose(log[f"com{of}"][:, 0], com, atol=1e-13)
        np.testing.assert_allclose(log[f"inertia{of}"][:, 1, 1], along, atol=1e-12)
        # the arm's frame stays that of the body
        np.testing.assert_allclose(log["com.arm"][:, 0], com, atol=1e-13)
        point = log.point(-1)
        whole = m[-1] + 2.0 + (7.0 if of else 0.0)
        assert point.system.mass_properties(point).mass == pytest.approx(whole, rel=1e-14)
    np.testing.assert_allclose(log["mass.buoy"], 7.0, rtol=1e-15)
    with pytest.raises(InputError, match=r"several.*b, buoy.*mass\.b"):
        log["mass"]


class Wind(ist.Device):
    """A torque on a joint, whoever holds it."""

    joint = ist.JointRef()
    torque = joint.force()

    def outputs(d, t):
        d.torque = 2.0


class Sweep(ist.Device):
    """The acceleration of a joint."""

    joint = ist.JointRef()
    acceleration = joint.motion()

    def outputs(d, t):
        d.acceleration = 2.0


@pytest.mark.parametrize("drive", [Wind, Sweep])
def test_points_behind_a_latch_keep_the_joint_locked_that_a_device_drives(drive, tmp_path):
    """Two coaxial rotors of 3 and 1 kg m², the first on 12 N m/rad: together they swing at √(12/4) rad/s, apart at 2.

    The latch keeps 3 ω₁ + ω₂ and leaves one rate; what the device pushes is carried by the latch.
    """
    mb = ist.Multibody("rotors")
    mb.add_body("drum", mass=1.0, inertia=[3, 3, 3], joint=ist.Revolute("z", stiffness=12.0))
    mb.add_body("arm", mass=1.0, inertia=[1, 1, 1], parent="drum", at=[0, 0, 0], joint=ist.Revolute("z"))
    vehicle = mb.compile()
    flight = ist.Assembly("x", vehicle=vehicle).add("drive", drive(joint="arm"))
    latch = ist.Event(at=0.5, action=ist.SetJointMode("arm", "locked"))
    log = ist.simulate(
        flight, vehicle.state(q=[0.1, 0.0]), until=1, events=[latch], log=tmp_path / "a.h5", **STEP
    )
    before, after = np.flatnonzero(log.t == 0.5)
    (drum, arm), (rate, left) = log.v[before], log.v[after]
    assert left == 0.0 and arm > 0.5
    assert rate == pytest.approx((3 * drum + (drum + arm)) / 4, rel=1e-12)
    for k in (int(after), -10):
        point = log.point(k)
        poles = np.linalg.eigvals(ist.linearize(flight, point).A)
        assert np.abs(poles.imag).max() == pytest.approx(np.sqrt(3.0), rel=1e-9)
        assert ist.trim(flight, point)["drum"].q == pytest.approx(0.0, abs=1e-9)
        rest = ist.simulate(flight, point, until=1, **STEP)
        assert np.array_equal(rest.q[-1], log.q[-1]) and not rest["arm"].v.any()
    assert np.array_equal(
        ist.simulate(flight, ist.load(tmp_path / "a.h5").point(-10), until=1, **STEP).q[-1], log.q[-1]
    )


def test_loads_that_come_along_with_a_state_of_a_log_are_told_of():
    """A force of 6 N on 2 kg: it acts on where nobody asked, which is said, and is gone where none are given."""
    mb = ist.Multibody("slider")
    mb.add_body("car", mass=2.0, joint=ist.Prismatic("x"))
    system = mb.compile()
    log = ist.simulate(system, system.state(), 0.5, 0.05, tau=[6.0])
    run = {"until": 0.5, "step": 0.05}
    with pytest.warns(FidelityWarning, match=r"brings its loads along: tau .*operating_point") as told:
        on = ist.simulate(system, log.state(), **run)
    assert told[0].filename == __file__
    assert on.v[-1, 0] == pytest.approx(3.0, rel=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        none = ist.simulate(system, log.state(), forces=ist.Loads.of(system), **run)
        same = ist.simulate(system, log.operating_point(), **run)
        ist.simulate(system, log.point(), until=1.0, step=0.05)
        ist.simulate(system, none.state(), **run)
    assert none.v[-1, 0] == pytest.approx(1.5, rel=1e-12) and np.array_equal(same.v, on.v)


# histories --------------------------------------------------------------------------------------------


def wave(t):
    return 0.1 * (1.0 - np.cos(3.0 * (t - 0.4)))


@pytest.mark.parametrize("by", ["motions", "event"])
@pytest.mark.parametrize("where", ["memory", "file"])
@pytest.mark.parametrize("kind", ["vehicle", "assembly"])
def test_histories_that_a_point_does_not_hold_are_asked_for(tmp_path, kind, where, by):
    """An arm on a wave, and a body that burns: given again, the run goes on along the wave; else it says so."""
    mb = ist.Multibody("pair")
    mb.add_body("bus", mass=10.0, inertia=[3.0, 4.0, 5.0], joint=ist.Free())
    mb.add_body(
        "arm", mass=2.0, com=[0.5, 0, 0], inertia=[0.1, 0.2, 0.2], parent="bus", joint=ist.Revolute("z")
    )
    system = mb.compile()
    system.set_joint_mode("arm", "locked" if by == "event" else "prescribed")
    follow = ist.PrescribedMotion(angle=wave)
    flown = system if kind == "vehicle" else ist.Assembly("a", vehicle=system)
    masses = {"bus": lambda t: (10.0 - t, [0, 0, 0], np.diag([3.0, 4.0, 5.0]))}
    x = system.state()
    start = 0.0 if by == "event" else 0.4
    how = {"step": 0.01, "start": start}
    if by == "event":
        how["events"] = [ist.Event(at=0.4, action=ist.SetJointMode("arm", "prescribed", follow))]
    else:
        how["motions"] = {"arm": follow}
    log = ist.simulate(flown, x, until=1.0, mass=masses, log=tmp_path / "a.h5", **how)
    log = log if where == "memory" else ist.load(tmp_path / "a.h5")
    for at in (0.7, log.t[-1]):
        point = log.point(float(at))
        rest = {"until": float(at) + 0.3, "step": 0.01}
        with pytest.warns(FidelityWarning, match=r"motions= for arm .*mass= for bus"):
            ist.simulate(flown, point, **rest)
        with pytest.warns(FidelityWarning, match=r"give mass= for bus"):
            ist.simulate(flown, point, motions={"arm": follow}, **rest)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            on = ist.simulate(flown, point, motions={"arm": follow}, mass=masses, **rest)
        assert on["arm"].q[-1, 0] == pytest.approx(wave(float(at) + 0.3), abs=1e-9)
        assert on["mass"][-1] == pytest.approx(12.0 - (float(at) + 0.3), rel=1e-12)
    if by == "event":  # before the event the joint is locked
        with pytest.warns(FidelityWarning, match=r"give mass= for bus"):
            ist.simulate(flown, log.point(0.2), until=0.3, step=0.01)


def test_histories_that_an_assembly_has_itself_are_not_asked_for():
    mb = ist.Multibody("pair")
    mb.add_body("bus", mass=10.0, inertia=[3.0, 4.0, 5.0], joint=ist.Free())
    mb.add_body("arm", mass=2.0, inertia=[0.1, 0.2, 0.2], parent="bus", joint=ist.Revolute("z"))
    system = mb.compile()
    system.set_joint_mode("arm", "prescribed")
    follow = ist.PrescribedMotion(angle=wave)

    def made(name):
        whole = ist.Assembly("a", vehicle=system)
        return whole.add("slew", follow, body=name) if name else whole

    how = {"until": 1.0, "step": 0.01}
    log = ist.simulate(made("arm"), system.state(), start=0.4, **how)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        on = ist.simulate(made("arm"), log.point(0.7), **how)
    assert on["arm"].q[-1, 0] == pytest.approx(wave(1.0), abs=1e-9)
    with pytest.warns(FidelityWarning, match="give motions= for arm"):
        ist.simulate(made(None), log.point(0.7), **how)


def test_the_vehicle_alone_at_a_point_of_its_flight_says_that_devices_do_not_act(tmp_path):
    """3 N·m on 1 kg·m²: the vehicle alone goes on with the rate that it has, and its trim does not know the moment."""

    class Motor(ist.Device):
        joint = ist.JointRef()
        torque = joint.force()

        def outputs(d, t):
            d.torque = 3.0

    mb = ist.Multibody("hinge")
    mb.add_body("a", mass=1.0, inertia=[1, 1, 1], joint=ist.Revolute("z", stiffness=6.0))
    hinge = mb.compile()
    flight = ist.Assembly("flight", vehicle=hinge).add("motor", Motor(joint="a"))
    path = tmp_path / "a.h5"
    log = ist.simulate(flight, None, until=0.2, step="10 ms", log=path)
    words = r"devices that act on the vehicle \(motor\).*nothing of what they do acts here"
    run = {"until": 0.4, "step": "10 ms"}
    batch = {"until": 0.4, "step": 1e-2, "samples": 1, "device": "cpu"}
    points = [log.point(5), log.point(0.055), log.point(-1), log.operating_point(5), ist.load(path).point(5)]
    for x in [*points, ist.trim(flight, None), pickle.loads(pickle.dumps(points[0]))]:
        with pytest.warns(FidelityWarning, match=words):
            ist.simulate(hinge, x, **run)
    x = points[0]
    for ask in (
        lambda: ist.simulate_batch(hinge, x, **batch),
        lambda: ist.linearize(hinge, x),
        lambda: ist.trim(hinge, x),
        lambda: hinge.modes(x),
    ):
        with pytest.warns(FidelityWarning, match=words):
            ask()
    with warnings.catch_warnings():
        warnings.simplefilter("error", FidelityWarning)
        rest = ist.simulate(flight, x, **run)
        same = ist.simulate(hinge, x, tau={"a": [3.0]}, **run)  # it is said what acts
        assert np.abs(same.q - rest.q).max() < 1e-12
        assert ist.trim(hinge, x, tau={"a": [3.0]}).q[0] == pytest.approx(0.5)
        ist.simulate(
            hinge, ist.simulate(hinge, hinge.state(), **run).operating_point(3), until=1, step="10 ms"
        )
    few = ist.simulate(ist.Assembly("few", vehicle=hinge).add("motor", Motor(joint="a")).add("lag", Lag()), None,
                       until=0.1, step="10 ms", keep=[], set={"lag.u": 0.0})  # fmt: skip
    with pytest.raises(InputError, match=r"not a whole point.*keep="):
        ist.simulate_batch(hinge, few.state(3), **batch)


def test_a_point_between_rows_knows_that_its_run_followed_histories():
    mb = ist.Multibody("hinge")
    mb.add_body("a", mass=1.0, inertia=[1, 1, 1], joint=ist.Revolute("z"))
    hinge = mb.compile()
    motions = {"a": ist.PrescribedMotion(angle=np.sin)}
    log = ist.simulate(hinge, hinge.state(), until=0.2, step="10 ms", log_step="0.1 s", motions=motions)
    with pytest.warns(FidelityWarning, match="motions= for a"):
        ist.simulate(hinge, log.point(0.15), until=0.3, step="10 ms")
