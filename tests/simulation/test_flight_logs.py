"""What a log of a flight answers: names, patterns, differences, places; text, commas, xarray; also from its file."""

from __future__ import annotations

import csv
import sys
from types import ModuleType

import flight_laws as laws
import numpy as np
import pytest
from device_library import Counter, Lag

import interstage as ist
from interstage.errors import InputError


@pytest.fixture(scope="module")
def flown(tmp_path_factory):
    """The same flight twice: as the run left it, and from its file."""
    path = tmp_path_factory.mktemp("flown") / "flight.h5"
    flight = laws.made()
    fault = ist.Fault("gyro.rate[2]", 0.3, start="0.1 s", stop="0.2 s")
    log = ist.simulate(flight, laws.begun(flight), until=0.5, step="4 ms", log=path, faults=[fault])
    return log, ist.load(path)


def test_a_file_answers_as_the_run_does(flown):
    log, file = flown
    assert file.names() == log.names() and file.units == log.units and str(file) == str(log)
    for name in (*log.names(), "pod*.throttle", "pod1.throttle", "gyro.rate - mean.rate"):
        assert np.array_equal(file[name], log[name]) and np.array_equal(file.times(name), log.times(name))
    for ask in (
        lambda a: a.velocity("boom", 4),
        lambda a: a.position("boom", 5),
        lambda a: a["boom"].eta,
        lambda a: a.energy,
        lambda a: a.state(7).q,
        lambda a: np.array([e.t for e in a.events]),
    ):
        np.testing.assert_array_equal(ask(file), ask(log))
    assert [str(e) for e in file.events] == [str(e) for e in log.events] and len(log.events) == 2


def test_places_of_the_vehicle_are_what_devices_saw_there(flown):
    log, _ = flown
    spin = log.velocity("boom", 4, "node")[:, :3]
    np.testing.assert_allclose(spin, log["gyro.omega"], atol=1e-14)


def test_sums_and_differences_hold_what_is_sampled(flown):
    log, _ = flown
    both = log["gyro.omega - gyro.rate"]
    held = np.array([log["gyro.rate"][log.times("gyro.rate") <= t + 1e-12][-1] for t in log.t])
    np.testing.assert_array_equal(both, log["gyro.omega"] - held)
    np.testing.assert_array_equal(log["lag.y + lag.x"], 2.0 * log["lag.y"])
    with pytest.raises(InputError, match=r"units do not fit.*gyro.rate - lag.y"):
        log["gyro.rate - lag.y"]
    with pytest.raises(InputError, match="different sizes"):
        log["drag.force - pod*.jet.push"]


def test_names_that_a_log_does_not_have(flown):
    for log in flown:
        with pytest.raises(InputError, match=r"'gyro' in the log.*its ports are gyro.omega, gyro.rate"):
            log["gyro"]
        with pytest.raises(InputError, match=r"'pod\*.*' means ports with different times|different times"):
            log["*.u"]


def test_numbers_of_a_port_are_asked_for_as_in_wires(flown):
    for log in flown:
        rate = log["gyro.rate"]
        assert np.array_equal(log["gyro.rate[2]"], rate[:, 2])
        assert np.array_equal(log["gyro.rate[1:3]"], rate[:, 1:])
        assert np.array_equal(log["gyro.rate[2] - gyro.rate[0]"], rate[:, 2] - rate[:, 0])
        assert np.array_equal(log["pod*.jet.push[0]"], log["pod*.jet.push"][:, ::3])
        assert log.series("gyro.rate[1:3]").labels == ["gyro.rate[1]", "gyro.rate[2]"]
        assert np.array_equal(log.times("gyro.rate[2]"), log.times("gyro.rate"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gyro.rate[3]", r"'gyro.rate' has no \[3\]; expected \[0\] to \[2\]"),
        ("gyro.rate[2:5]", r"'gyro.rate' has no \[2:5\]"),
        ("lag.y[0]", "expected no brackets: it is one number"),
        ("gyro.raet[2]", "there is no port or state 'gyro.raet'.*did you mean gyro.rate"),
        ("boom[2]", r"'boom' is a body of the vehicle, not a port.*log\[\"boom\"\].q"),
        ("bom", "did you mean boom"),
    ],
)
def test_numbers_and_names_that_are_not_there(flown, name, said):
    for log in flown:
        with pytest.raises(InputError, match=said):
            log[name]


def test_the_end_of_a_flight_goes_on(flown):
    log, file = flown
    again = ist.simulate(laws.made(), log.state(), until=0.1, step="4 ms")
    assert again["lag.x"][0] == log["lag.x"][-1] != 0.0
    assert np.array_equal(file.state().q, log.state().q)


def test_text_with_commas_has_every_digit(flown, tmp_path):
    log, _ = flown
    log.to_csv(tmp_path / "all.csv")
    with open(tmp_path / "all.csv", newline="") as f:
        head, *rows = csv.reader(f)
    table = np.array(rows, dtype=float)
    assert head[0] == "time [s]" and np.array_equal(table[:, 0], log.t)
    assert np.array_equal(table[:, head.index("drag.force[1] [N]")], log["drag.force"][:, 1])
    held = table[:, head.index("slow.y [N]")]
    assert np.isnan(held[log.t < 1 / 3 - 1e-9]).all() and held[-1] == log["slow.y"][-1]
    log.to_csv(tmp_path / "gyro.csv", "gyro.rate")
    own = np.loadtxt(tmp_path / "gyro.csv", delimiter=",", skiprows=1)
    assert np.array_equal(own[:, 0], log.times("gyro.rate")) and np.array_equal(own[:, 1:], log["gyro.rate"])


def test_xarray_is_asked_for_only_when_it_is_needed(flown, monkeypatch):
    log, _ = flown
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(InputError, match="to_xarray needs xarray; install it"):
        log.to_xarray()


def test_a_dataset_has_times_of_every_rate(flown, monkeypatch):
    """What xarray is called with; where it is installed, the Dataset itself."""
    log, _ = flown
    if "xarray" not in sys.modules:
        stand_in = ModuleType("xarray")
        stand_in.Dataset = lambda variables, coordinates, attributes: (variables, coordinates, attributes)
        monkeypatch.setitem(sys.modules, "xarray", stand_in)
    variables, coordinates, attributes = log.to_xarray()
    for axes, values, _ in variables.values():
        assert len(axes) == values.ndim and len(coordinates[axes[0]][1]) == len(values)
    axes, values, units = variables["gyro.rate"]
    assert np.array_equal(coordinates[axes[0]][1], log.times("gyro.rate")) and units == {"units": "rad/s"}
    assert attributes == {"flight": "named"} and np.array_equal(variables["vehicle.q"][1], log.q)


def test_a_log_prints_rates_ranges_and_events(flown):
    text = str(flown[0])
    assert "log of flight 'named': t = 0 to 0.5 s" in text and "2 bodies" in text
    assert "every 0.01 s, 51 samples" in text and "fault (gyro.rate[2] is 0.3)" in text
    line = next(line for line in text.splitlines() if "gyro.rate[3]" in line)
    assert "rad/s" in line and "0.3" in line


# laws that fail -------------------------------------------------------------------------------------


class Fails:
    """A law that fails in one of many ways at the fourth sample."""

    def __init__(self, how):
        self.how, self.calls = how, 0

    def __call__(self, t, n):
        self.calls += 1
        if self.calls < 4:
            return {"y": 1.0}
        return (
            {
                "raise": None,
                "nothing": None,
                "nan": {"y": np.nan},
                "size": {"y": [1.0, 2.0]},
                "name": {"z": 1.0},
            }[self.how]
            if self.how != "raise"
            else 1 / 0
        )


@pytest.mark.parametrize("interpret", [False, True])
@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("raise", r"'law' failed at t = 0\.75.*ZeroDivisionError"),
        ("nothing", r"'law' returned nothing at t = 0\.75"),
        ("nan", r"'law'\.y at t = 0\.75 is not finite"),
        ("size", r"'law'\.y at t = 0\.75 has the wrong size"),
        ("name", r"'law' returned 'z' at t = 0\.75"),
    ],
)
def test_a_law_that_fails_leaves_the_log_up_to_then_and_says_who_and_when(tmp_path, how, words, interpret):
    from interstage.simulation.run.runner import Runner
    from interstage.simulation.run.spec import RunSpec

    flight = (
        ist.Assembly("x")
        .add("c", Counter(), every="1/4 s")
        .add("law", Fails(how), every="1/4 s", out={"y": "N"})
    )
    flight.add("lag", Lag()).wire({"c.n": "law.n", "law.y": "lag.u"})
    run = Runner(RunSpec(flight, None, 2, "0.05 s", interpret=interpret))
    run.write_to(tmp_path / "x.h5")
    with pytest.raises(ist.InterstageError, match=words) as caught:
        run.run()
    for log in (caught.value.log, ist.load(tmp_path / "x.h5")):
        assert log.t[-1] == pytest.approx(0.7) and len(log["c.n"]) == 3 and len(log["lag.y"]) == 15


def test_a_continuous_law_that_fails_says_so_too(tmp_path):
    def law(t, y):
        return 1.0 if t < 0.52 else 1 / 0

    flight = ist.Assembly("x").add("lag", Lag()).add("law", law, out={"u": "N"})
    flight.wire({"lag.y": "law.y", "law.u": "lag.u"})
    with pytest.raises(ist.InterstageError, match=r"'law' failed at t = 0\.525") as caught:
        ist.simulate(flight, None, until=2, step="0.05 s", log=tmp_path / "x.h5")
    assert caught.value.log.t[-1] == pytest.approx(0.5) == ist.load(tmp_path / "x.h5").t[-1]


class Breaks(ist.Device):
    u, y, x = ist.In("N"), ist.Out("N"), ist.ContinuousState("N", initial=1.0)

    def outputs(d, t):
        d.y = d.x

    def rates(d, t):
        d.xdot = np.log(d.x - 9.0) if t > 0.3 else -2.0 + d.u


def test_a_device_that_says_no_number_is_named():
    """A compiled device does not raise: what is not finite ends the run."""
    flight = ist.Assembly("x").add("bad", Breaks()).add("lag", Lag())
    flight.wire({"bad.y": "lag.u", "lag.y": "bad.u"})
    with pytest.raises(ist.InterstageError, match=r"went to infinity at t = .*'bad\.x'") as caught:
        ist.simulate(flight, None, until=2, step="0.05 s")
    assert np.isfinite(caught.value.log["bad.x"]).any()


# prints ---------------------------------------------------------------------------------------------


def test_bodies_print_their_numbers_and_over_time_their_ranges(flown):
    log, _ = flown
    over_time = str(log["boom"]).splitlines()
    assert over_time[0] == f"boom: Revolute joint, {len(log.t)} rows" and "smallest" in over_time[1]
    angle = next(line for line in over_time if line.split()[0] == "angle")
    assert float(angle.split()[-1]) == pytest.approx(log["boom"].q.max(), rel=1e-5)
    now = str(log.state()["bus"]).splitlines()
    assert now[0] == "bus: Free joint" and len(now) == 2 + 7 + 6


def test_devices_print_their_fields_units_and_values():
    text = str(laws.NoisyGyro(at=("boom", 4), every="10 ms", sigma="1 deg/s"))
    assert text.splitlines()[0] == "NoisyGyro, every 1/100 s"
    words = {line.split()[0]: line.split() for line in text.splitlines()[1:]}
    assert words["sigma"][1:3] == ["parameter", "rad/s"] and float(words["sigma"][3]) == pytest.approx(
        np.pi / 180, rel=1e-4
    )
    assert words["rate[3]"][1:] == ["output", "rad/s"] and "boom" in " ".join(words["omega[3]"])
