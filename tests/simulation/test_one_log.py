"""A log of a run, and the same log from its file: every public method and property returns the same.

Files are written on the way (`simulate(log=)`) and afterwards (`Log.save`); a log may also have been pickled.
"""

from __future__ import annotations

import pickle
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import interstage as ist
from interstage.fem import lumped_beam
from interstage.multibody.state import BodyState
from interstage.simulation.log.phases import Phase
from interstage.simulation.log.series import BodyHistory, Series

# of a log from a file: what the file does not say
NOT_IN_A_FILE = {"assembly", "fly", "store", "contents"}
ACTED = {"accelerations", "torque", "recovered"}


class Pusher(ist.Device):
    at = ist.Site()
    force = at.force("world")
    x, total = ist.ContinuousState("N"), ist.Out("N")

    def outputs(d, t):
        d.force[0] = d.x
        d.total = 2.0 * d.x

    def rates(d, t):
        d.xdot = 1.0 - d.x


class Count(ist.Device):
    n = ist.Out("1")

    def sample(d, t):
        d.n = d.n + 1.0


def vehicle():
    K, M, nodes = lumped_beam(4.0, 3, EA=4e6, GJ=3e4, EI=2e4, mass=[6.0] * 3 + [0.1] * 3)
    boom = ist.Component.from_matrices(K, M, nodes, n_modes=3, aset={1: 123456}, name="boom")
    mb = ist.Multibody("craft", gravity=[0, 0, -1.6])
    mb.add_body("bus", mass=100.0, com=[0.1, 0, 0], inertia=[80, 80, 90], joint=ist.Free())
    mb.add_body(
        "boom", component=boom, parent="bus", at=[1.0, 0, 0], joint=ist.Revolute("z", stiffness=100.0)
    )
    mb.add_body("pod", mass=5.0, inertia=[1, 1, 1], parent="bus", at=[0, 0, 1.0], joint=ist.Revolute("x"))
    system = mb.compile()
    x = system.state()
    x["boom"].q[:], x["pod"].v[:], x["bus"].velocity[:] = 0.2, 0.3, [0.1, 0.0, 0.2, 1.0, 0.0, 0.0]
    return system, x


def alone(path):
    system, x = vehicle()
    return ist.simulate(
        system, x, 0.4, "4 ms", log_step="20 ms", log=path, forces={("bus", (0, 1, 0)): [0, 0, 0, 5.0, 0, 0]},
        events=[ist.Event(at=0.21, action=ist.Detach("pod"), name="away")],
    )  # fmt: skip


def in_time(path):
    system, x = vehicle()
    forces = {("bus", (0, 1, 0)): lambda t: np.array([0, 0, 0, 5.0 * t, 0, 0])}
    motions = {"pod": ist.PrescribedMotion(angle=lambda t: 0.3 * t**2)}
    return ist.simulate(system, x, 0.4, "4 ms", log_step="20 ms", log=path, forces=forces, motions=motions)


def with_law(path):
    system, x = vehicle()
    law = lambda t, x: {"tau": {"boom": [-3.0 * float(x["boom"].q[0])]}}  # noqa: E731
    return ist.simulate(system, x, 0.2, "4 ms", log_step="20 ms", log=path, control=law, control_step="20 ms")


def devices(path):
    system, x = vehicle()
    flight = ist.Assembly("mission", vehicle=system).add("push", Pusher(at=("bus", (0, 1, 0))))
    flight.add("count", Count(), every="30 ms")
    return ist.simulate(
        flight, x, 0.4, "4 ms", log_step="20 ms", log=path,
        events=[ist.Event(at=0.21, action=ist.Detach("pod"), name="away")],
    )  # fmt: skip


def asked(log) -> dict:
    """Return all that a log can be asked, by name; what is refused is the error."""
    calls = {
        "len": lambda: len(log),
        "str": lambda: str(log),
        "repr": lambda: repr(log),
        "getitem": lambda: [log[name] for name in (*log.system.bodies, "mass", "com.boom", "inertia", *log.names())],
        "series": lambda: [log.series(name) for name in ("mass", "com[0:2]", *log.names())],
        "times": lambda: [log.times(name) for name in ("mass", *log.names())],
        "columns": log.columns,
        "written": log.written,
        "names": log.names,
        "state": lambda: [log.state(k) for k in range(-len(log), len(log))],
        "point": lambda: [log.point(k) for k in (0, 3, -1)] + [log.point(float(log.t[5]))],
        "operating_point": lambda: [log.operating_point(k) for k in (0, 7, -1)],
        "having": lambda: [len(phase) for phase in log.having("pod")],
        "component_eta": lambda: log.component_eta("boom"),
        "position": lambda: log.position("boom", 3),
        "velocity": lambda: [log.velocity("boom", 3, frame) for frame in ("world", "body")],
        "torque": lambda: [log.torque(body) for body in ("boom", "pod")],
        "recovered": lambda: log.recovered("boom", "none"),
        "at": lambda: log.at(0.1),
        "again": lambda: None,
        "load": lambda: None,
        "save": lambda: None,
        "note": lambda: None,
        "finished": lambda: None,
    }  # fmt: skip
    calls |= {
        name: (lambda name=name: getattr(log, name))
        for name in dir(type(log))
        if not name.startswith("_") and isinstance(getattr(type(log), name), property)
    }
    calls |= {name: (lambda name=name: getattr(log, name)) for name in ("phases", "events", "info")}
    found = {}
    for name, call in calls.items():
        try:
            found[name] = call()
        except ist.InterstageError as error:
            found[name] = str(error)
    return found


def plain(value):
    """Return what can be compared: numbers of states, points, series and events."""
    if isinstance(value, np.ndarray | float | int | str | None):
        return value
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items() if key != "file"}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, Phase):
        return [value.t, value.q, value.v, value.system.bodies]
    if isinstance(value, Series):
        return plain([getattr(value, f.name) for f in fields(value)])
    if isinstance(value, BodyState | BodyHistory):
        return [value.q, value.v, value.eta, value.etadot]
    if hasattr(value, "vdot"):  # a point
        return plain([value.q, value.v, value.t, value.values, value.loads.at(value.t, value.system)])
    if hasattr(value, "layout"):
        return [value.q, value.v] if hasattr(value, "q") else value.bodies
    if type(value).__name__ == "Loads":
        forces = [[f.body, f.frame, plain(np.asarray(f.numbers))] for f in value.forces]
        return [forces, value.tau]
    if is_dataclass(value):
        return plain([getattr(value, f.name) for f in fields(value)])
    return repr(value)


def same(one, other, name):
    if isinstance(one, dict):
        assert one.keys() == other.keys(), name
        for key in one:
            same(one[key], other[key], f"{name}[{key}]")
    elif isinstance(one, list):
        assert len(one) == len(other), name
        for k, pair in enumerate(zip(one, other)):
            same(*pair, f"{name}[{k}]")
    elif isinstance(one, str | None):
        assert one == other, name
    else:  # the last state of a joint that follows a motion is that of its row to rounding
        np.testing.assert_allclose(other, one, rtol=1e-12, atol=1e-15, err_msg=name)


@pytest.mark.parametrize("run", [alone, in_time, with_law, devices])
@pytest.mark.parametrize("how", ["growing", "saved", "pickled"])
def test_a_log_from_a_file_returns_what_the_log_of_the_run_does(run, how, tmp_path):
    path = tmp_path / "run.h5"
    log = run(path if how == "growing" else None)
    if how == "saved":
        log.save(path)
    if how == "pickled" and run is devices:
        pytest.skip("devices of a test module travel by its name; see test_points_after_changes")
    other = pickle.loads(pickle.dumps(log)) if how == "pickled" else ist.load(path)
    assert type(other) is type(log) is ist.Log
    mine, its = asked(log), asked(other)
    lacking = set(NOT_IN_A_FILE)
    if run is devices or (how == "growing" and run is not alone):
        lacking |= ACTED  # devices do not run again, and functions without names are not in a file
        assert all("does not have what acted" in its[name] for name in ("accelerations",))
    if how == "growing" and run is not alone:
        lacking |= {"point", "state", "operating_point", "end", "energy"} if run is not devices else set()
    for name in mine.keys() - lacking:
        same(plain(mine[name]), plain(its[name]), name)


def test_every_public_name_is_walked(tmp_path):
    log = alone(None)
    drawn = {"plot", "diagram", "to_csv", "to_xarray"}  # see below
    known = asked(log).keys() | drawn | NOT_IN_A_FILE
    assert {name for name in {*dir(ist.Log), *vars(log)} if not name.startswith("_")} <= known


def test_other_forms_of_a_log_from_a_file_are_those_of_the_run(tmp_path):
    log = devices(tmp_path / "run.h5")
    found = ist.load(tmp_path / "run.h5")
    for k, one in enumerate((log, found)):
        one.to_csv(tmp_path / f"{k}.csv")
    assert (tmp_path / "0.csv").read_bytes() == (tmp_path / "1.csv").read_bytes()
    assert log.diagram() == found.diagram()
    axes = [[line.get_ydata() for a in one.plot().axes for line in a.lines] for one in (log, found)]
    same(plain(axes[0]), plain(axes[1]), "plot")
    pytest.importorskip("xarray")
    assert log.to_xarray().equals(found.to_xarray())


def test_a_run_goes_on_from_a_saved_log_as_from_the_run(tmp_path):
    """With signals beside the ports; the vehicle of the second phase is in two parts."""
    log = alone(None)
    log.save(tmp_path / "run.h5", {"height, m": (log.position("bus")[:, 2], "m")})
    found = ist.load(tmp_path / "run.h5")
    np.testing.assert_array_equal(found["height, m"], log.position("bus")[:, 2])
    assert found.units == {"height, m": "m"} and len(found.phases) == 2
    ends = [ist.simulate(one.system, one.point(-1), 0.5, "4 ms").end for one in (log, found)]
    np.testing.assert_array_equal(ends[0].q, ends[1].q)
    again = tmp_path / "again.h5"
    found.save(again)
    same(plain(asked(found)), plain(asked(ist.load(again))), "saved again")
