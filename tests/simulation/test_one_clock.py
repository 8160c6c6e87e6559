"""One clock for vehicles alone and in assemblies: neither start, nor end, nor events move the grid of the steps."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from breaking import broken_off
from device_library import Counter, Lag

import interstage as ist
from interstage.errors import InputError
from interstage.simulation.plant.clock import period_of
from interstage.simulation.run.runner import Runner
from interstage.simulation.run.spec import RunSpec


def arm(damping=0.0):
    mb = ist.Multibody("arm", gravity=[0, 0, -9.81])
    mb.add_body("a", mass=2.0, com=[0.5, 0, 0], inertia=np.eye(3), joint=ist.Revolute("y", damping=damping))
    mb.add_body(
        "b", mass=1.0, com=[0.5, 0, 0], inertia=np.eye(3), parent="a", at=[1.0, 0, 0], joint=ist.Revolute("y")
    )
    return mb.compile()


def sampled():
    """Return a loop with samples of 0.2 and 0.3 s, and a delay."""
    made = ist.Assembly("loop").add("lag", Lag(tau=0.3)).add("count", Counter(), every="0.2 s")
    made.add("law", lambda t, y, n: 1.0 + 0.1 * n - y, every="0.3 s", out={"u": "N"})
    return made.wire({"lag.y": "law.y", "law.u": "lag.u"}).wire({"count.n": "law.n"}, delay="0.4 s")


def free():
    return ist.Assembly("free", vehicle=arm())


OPTIONS = {
    "samples": (sampled, {"step": "30 ms"}),
    "nothing due": (free, {"step": "30 ms"}),
    "rows": (free, {"step": "30 ms", "log_step": "0.07 s"}),
    "rows and samples": (sampled, {"step": "30 ms", "log_step": "0.07 s"}),
    "own steps": (sampled, {"step": None, "method": "dopri5"}),
    "scipy": (sampled, {"step": None, "method": "dop853"}),
}


@pytest.mark.parametrize("end", [Fraction(27181, 10000), Fraction(1, 3) + 2, Fraction(3)], ids=str)
@pytest.mark.parametrize("name", OPTIONS)
def test_a_resumed_run_ends_wherever_it_is_told_to(tmp_path, name, end):
    """The end is no tick of the run that was broken off; every bit is that of a run which knew it from the start."""
    build, options = OPTIONS[name]
    broken_off(Runner(RunSpec(build(), None, 2, **options)), tmp_path / "x.h5", "0.5 s", 3)
    again = ist.resume(tmp_path / "x.ckpt.h5", build(), until=end)
    # solvers of scipy begin anew where a checkpoint is
    saved = {"log": tmp_path / "y.h5", "checkpoint": "0.5 s"} if name == "scipy" else {}
    whole = ist.simulate(build(), None, until=end, **options, **saved)
    longer = ist.simulate(build(), None, until=end + 1, **options)
    assert again.t[-1] == float(end)
    for log, rows in ((whole, slice(None)), (longer, slice(0, len(again.t) - 1))):
        assert np.array_equal(again.t[rows], log.t[: len(again.t[rows])])
        for column in ("lag.y",) if build is sampled else ():
            assert np.array_equal(again[column][rows], log[column][: len(again.t[rows])])
        if build is free:
            assert np.array_equal(again.q[rows], log.q[: len(again.t[rows])])
        if options["step"] is None:
            break  # steps of a method's own are cut to end with the interval
    assert np.array_equal(again.t, whole.t)


ALIKE = [
    pytest.param(ist.Event(at=0.1234), id="timed"),
    pytest.param(ist.Event(condition=lambda t, x: x["b"].q[0] + 0.05), id="condition"),
]


@pytest.mark.parametrize("event", ALIKE)
@pytest.mark.parametrize("log_step", [None, 0.05])
def test_steps_go_back_to_their_grid_after_an_event(tmp_path, event, log_step):
    """A vehicle alone and in an assembly take the same steps: one to the event, one back to the grid."""
    system = arm()
    x, options = system.state(), {"until": 0.4, "step": 0.01, "events": [event], "log_step": log_step}
    x["a"].v[:] = 0.2
    alone = ist.simulate(system, x, **options)
    flown = ist.simulate(system, x, log=tmp_path / "x.h5", **options)
    assert len(alone.events) == len(flown.events) == 1
    every = log_step or 0.01
    on_grid = np.abs(alone.t / every - np.round(alone.t / every)) < 1e-9
    assert (~on_grid).sum() == len(alone.events) and on_grid.sum() == round(0.4 / every) + 1
    # events are found to 1 ns
    assert np.unique(flown.t) == pytest.approx(np.unique(alone.t), abs=2e-9)
    # rounding of times over forty steps
    assert np.abs(flown.q[-1] - alone.q[-1]).max() < 1e-13 and np.abs(flown.v[-1] - alone.v[-1]).max() < 1e-12


def test_samples_keep_to_the_times_of_a_run_from_zero_after_an_event():
    seen = []
    made = ist.Assembly("x", vehicle=arm()).add("law", lambda t: seen.append(t), every="0.1 s", out={})
    log = ist.simulate(made, None, until=0.5, step="30 ms", events=[ist.Event(at=0.137)])
    assert seen == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4, 0.5], abs=0)
    steps = np.diff(np.unique(log.t))
    # four equal steps from sample to sample, the one that the event is in is cut in two
    assert steps[:4] == pytest.approx(0.025) and steps[4:7] == pytest.approx([0.025, 0.012, 0.013])


def test_an_event_at_the_time_of_a_sample_comes_before_it():
    def turn(t, system, x):
        x["a"].v[:] = 7.0

    system, seen, events = arm(), {}, [ist.Event(at=0.2, action=turn)]

    def law(t, x):
        seen["alone", round(t, 9)] = float(x["a"].v[0])

    def read(t, rate):
        seen["assembly", round(t, 9)] = float(rate)

    ist.simulate(system, system.state(), until=0.3, step=0.02, control=law, control_step=0.1, events=events)
    made = ist.Assembly("x", vehicle=system).add("law", read, every="0.1 s", out={})
    made.add("gauge", JointRate(joint="a")).wire({"gauge.rate": "law.rate"})
    ist.simulate(made, system.state(), until=0.3, step=0.02, events=[ist.Event(at=0.2, action=turn)])
    assert seen["alone", 0.2] == seen["assembly", 0.2] == 7.0
    assert seen["alone", 0.1] == pytest.approx(seen["assembly", 0.1], abs=1e-14) and seen["alone", 0.1] != 7.0


class JointRate(ist.Device):
    """The rate of a joint."""

    joint = ist.JointRef()
    seen = joint.rate()
    rate = ist.Out("rad/s")

    def outputs(d, t):
        d.rate = d.seen


HOW = [
    {"step": 0.01},
    {"step": 0.01, "method": "ros2"},
    {"method": "dopri5"},
    {"method": "ros3"},
    {"method": "dop853"},
]


@pytest.mark.parametrize("options", HOW, ids=str)
@pytest.mark.parametrize("until", [0.2, 0.25])
def test_the_last_row_is_the_end_whatever_the_time_between_rows(tmp_path, options, until):
    system = arm()
    x, more = system.state(), {"until": until, "log_step": 0.06, **options}
    x["a"].v[:] = 0.2
    logs = [
        ist.simulate(system, x, **more),
        ist.simulate(system, x, log=tmp_path / "x.h5", **more),
        ist.simulate(ist.Assembly("x", vehicle=system), x, **{"step": None, **more}),
    ]
    wanted = [0.0, 0.06, 0.12, 0.18, *([0.24] if until > 0.24 else []), until]
    for log in logs:
        assert log.t == pytest.approx(wanted, abs=1e-15) and log.t[-1] == until
    # adaptive ones meet within their tolerances, others take the same steps
    assert np.abs(logs[1].q - logs[0].q).max() < 1e-8 and np.abs(logs[2].q - logs[0].q).max() < 1e-8


def test_fixed_steps_end_off_their_grid_where_the_run_does():
    """RK4 of order four: the last short step adds no error of its own."""
    system = arm()
    x = system.state()
    errors = []
    exact = ist.simulate(system, x, until=0.5123, rtol=1e-12, atol=1e-12).q[-1]
    for step in (0.02, 0.01):
        log = ist.simulate(ist.Assembly("x", vehicle=system), x, until=0.5123, step=step)
        assert log.t[-1] == 0.5123 and log.t[-2] == pytest.approx(step * int(0.5123 / step))
        errors.append(np.abs(log.q[-1] - exact).max())
    assert 12.0 < errors[0] / errors[1] < 20.0


class Burn:
    """A law that turns the flow of a tank up and down at samples, and the mass that follows."""

    def __init__(self):
        self.flow, self.mass, self.since = 0.0, 10.0, 0.0

    def __call__(self, t):
        self.mass, self.since = self.mass - self.flow * (t - self.since), t
        self.flow = 6.0 if round(t / 0.1) % 2 else 2.0
        return 0.0

    def history(self, t):
        return self.mass - self.flow * (t - self.since), [0.0, 0.0, 0.0], np.eye(3)


def pushed(step):
    """Return the speed after 0.4 s of a slider that a constant force pushes."""
    mb = ist.Multibody("slider")
    mb.add_body("tank", mass=10.0, inertia=np.eye(3), joint=ist.Prismatic("x"))
    system, law = mb.compile(), Burn()
    made = ist.Assembly("x", vehicle=system).add("law", law, every="0.1 s", out={"nothing": ""})
    made.add("mass", ist.MassHistory(law.history), body="tank")
    x = system.state()
    loads = ist.Loads.of(system, tau={"tank": 100.0})
    log = ist.simulate(made, ist.OperatingPoint(x, loads, np.zeros(1), system.settings.copy()), 0.4, step)
    return float(log.v[-1, 0])


def test_masses_know_at_once_what_a_law_has_changed():
    """v = Σ F/ṁ ln(m₀/m₁) from sample to sample; RK4 has order four, though the flow jumps at samples."""
    exact, mass = 0.0, 10.0
    for flow in (2.0, 6.0, 2.0, 6.0):
        exact += 100.0 / flow * np.log(mass / (mass - 0.1 * flow))
        mass -= 0.1 * flow
    errors = np.array([abs(pushed(step) - exact) for step in ("50 ms", "25 ms", "12.5 ms")])
    order = np.log2(errors[:-1] / errors[1:])
    assert np.all(np.abs(order - 4.0) < 0.1), (errors, order)


def by_joint(t):
    return {"a": 3.0 * np.cos(2.0 * t), "b": [-1.0]}


WAYS = {
    "vector": lambda t: [3.0 * np.cos(2.0 * t), -1.0],
    "vector with the system": lambda t, system: np.array([3.0 * np.cos(2.0 * t), -1.0])[: system.nv],
    "by joint": by_joint,
    "joints": {"a": lambda t: 3.0 * np.cos(2.0 * t), "b": -1.0},
    "joints with the system": {"a": lambda t, system: [3.0 * np.cos(2.0 * t)], "b": lambda t: -1.0},
}


@pytest.mark.parametrize("options", [{"step": 0.01}, {"method": "dopri5"}, {}], ids=str)
def test_forces_of_joints_in_time_are_said_in_any_way(options):
    """Every way gives the numbers of the first, for a vehicle alone and for one that is flown from its start on."""
    system = arm()
    first = ist.simulate(system, system.state(), until=0.3, tau=WAYS["vector"], **options)
    for name, tau in WAYS.items():
        alone = ist.simulate(system, system.state(), until=0.3, tau=tau, **options)
        assert np.array_equal(alone.q, first.q), name
        assert alone.phases[0].forces[:, 0] == pytest.approx(3.0 * np.cos(2.0 * alone.t), abs=1e-9)
    flown = ist.simulate(system, system.state(), until=0.3, start="0.1 s", tau=by_joint, **options)
    assert flown.t[0] == 0.1 and flown.phases[0].forces[:, 0] == pytest.approx(
        3.0 * np.cos(2.0 * flown.t), abs=1e-9
    )
    later = ist.simulate(system, system.state(), until=0.2, tau=lambda t: by_joint(t + 0.1), **options)
    assert flown.q[-1] == pytest.approx(later.q[-1], abs=1e-8)


def test_tables_of_one_joint_are_straight_between_their_rows():
    system = arm()
    tau = {"a": ([0.0, 0.15, 0.3], [0.0, 3.0, -3.0]), "b": ([0.0, 0.3], [[1.0], [0.0]])}
    log = ist.simulate(system, system.state(), until=0.3, tau=tau)
    assert log.phases[0].forces[:, 0] == pytest.approx(np.interp(log.t, *tau["a"]), abs=1e-9)
    assert log.phases[0].forces[:, 1] == pytest.approx(1.0 - log.t / 0.3, abs=1e-9) and 0.15 in log.t
    flown = ist.simulate(
        ist.Assembly("x", vehicle=system), point(system, tau), until=0.3, method="dopri5", step=None
    )
    assert flown.q[-1] == pytest.approx(log.q[-1], abs=1e-7) and 0.15 in flown.t


def point(system, tau):
    loads = ist.Loads.of(system, tau=tau)
    return ist.OperatingPoint(system.state(), loads, np.zeros(system.nv), system.settings.copy())


def test_functions_of_time_go_on_from_a_checkpoint(tmp_path):
    system = arm()
    files = {"log": tmp_path / "x.h5", "checkpoint": "0.15 s"}
    whole = ist.simulate(system, system.state(), 0.4, 0.01, tau=by_joint, **files)
    again = ist.resume(tmp_path / "x.ckpt.h5")
    assert np.array_equal(whole.q, again.q) and np.array_equal(whole.v, again.v)
    ist.simulate(system, system.state(), 0.4, 0.01, tau=lambda t: by_joint(t), **files)
    with pytest.raises(InputError, match="what acts cannot be made again"):
        ist.resume(tmp_path / "x.ckpt.h5")


@pytest.mark.parametrize(
    ("tau", "said"),
    [
        (lambda t: {"aa": 1.0}, r"there is no body 'aa'.*did you mean a"),
        ({"aa": lambda t: 1.0}, r"there is no body 'aa'.*did you mean a"),
        (lambda t: {"a": [1.0, 2.0]}, r"tau at t = 0 of 'a'"),
        ({"a": lambda t: [1.0, 2.0]}, r"tau at t = 0 of 'a'"),
        (lambda t: {"a": np.nan}, r"tau at t = 0 of 'a'"),
        ({"a": lambda t: 1.0 / 0.0}, r"tau of 'a' failed at t = 0.*ZeroDivisionError"),
        ({"a": lambda t: "much"}, r"tau at t = 0 of 'a'"),
        (lambda t: [1.0], r"tau at t = 0 does not fit.*expected 2 numbers"),
        (lambda t: [1.0, np.inf], r"tau at t = 0 is not finite"),
    ],
    ids=range(9),
)
@pytest.mark.parametrize("more", [{}, {"start": "0.1 s"}], ids=["alone", "flown"])
def test_forces_of_joints_that_cannot_be_are_refused(tau, said, more):
    system = arm()
    with pytest.raises(InputError, match=said.replace("t = 0", "t = 0.1") if more else said):
        ist.simulate(system, system.state(), until=0.3, step=0.01, tau=tau, **more)


@pytest.mark.parametrize(
    ("every", "step"), [("3 ms", "1 ms"), ("0.7 ms", "0.7 ms"), ("30 ms", "10 ms"), ("1/7 s", "1/7 s")]
)
def test_periods_of_any_length_are_sampled(every, step):
    """Alone in an assembly they are the tick of its clock, of which no round time need be a multiple."""
    period = period_of(every)
    seen = []
    flight = ist.Assembly("one").add("law", lambda t: seen.append(t) or 1.0, every=every, out={"y": "1"})
    fault = ist.Fault("law.y", value=5.0, start=5 * period, stop=7 * period)
    log = ist.simulate(flight, None, until=10 * period, step=step, faults=[fault])
    np.testing.assert_allclose(log.times("law.y"), float(period) * np.arange(11), rtol=1e-14)
    assert len(seen) == 11 and log["law.y"].tolist() == [1.0] * 5 + [5.0] * 2 + [1.0] * 4
