"""Loads that jump in time keep their impulse: m Δv = F · width, where steps end at the edges."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.simulation.run.time_edges import edges_of

FORCE = 500.0
FIXED = [("rk4", 5e-4), ("ros2", 5e-4), ("ros3", 5e-4), ("dopri5", 5e-4), ("rk4", 1e-4)]


@pytest.fixture(scope="module")
def body():
    mb = ist.Multibody("b")
    mb.add_body("b", mass=1.0, inertia=np.eye(3), joint=ist.Free())
    return mb.compile()


class Pulse(ist.Device):
    """A push until a time."""

    at = ist.Site()
    end = ist.Parameter("s", 0.004)
    f = at.force("world")

    def outputs(d, t):
        d.f[0] = 0.0
        d.f[1] = 500.0 if t < d.end.real else 0.0
        d.f[2] = 0.0


def pushed(end):
    return {"b": lambda t: [0, 0, 0, 0, FORCE if t < end else 0.0, 0]}


@pytest.mark.parametrize("begin", [0.0, 0.057])  # 0.057 + 0.004 rounds
@pytest.mark.parametrize(("method", "step"), FIXED)
def test_pulses_whose_edges_are_ends_of_steps_have_their_impulse(body, method, step, begin):
    """By a function of time and by a device that asks for the time: to rounding."""
    given = {"until": 0.1, "step": step, "method": method}
    for end in (begin + 0.004, round(begin + 0.004, 3)):
        alone = ist.simulate(body, body.state(), start=begin, forces=pushed(end), **given)
        assert alone.velocity("b")[-1, 4] == pytest.approx(FORCE * 0.004, rel=1e-12)
        made = ist.Assembly("a", vehicle=body).add("p", Pulse(at="b", end=end))
        log = ist.simulate(made, body.state(), start=begin, **given)
        assert log.velocity("b")[-1, 4] == pytest.approx(FORCE * 0.004, rel=1e-12)


@pytest.mark.parametrize("options", [{"step": 5e-4}, {"method": "dopri5"}, {"method": "dop853"}], ids=str)
def test_an_event_at_the_time_of_an_edge_lets_any_step_end_there(body, options):
    """An edge between steps: nothing is done there but to end a step."""
    end = 0.00437
    edge = [ist.Event(at=end)]
    log = ist.simulate(body, body.state(), until=0.1, forces=pushed(end), events=edge, **options)
    # of adaptive steps rtol
    assert log.velocity("b")[-1, 4] == pytest.approx(FORCE * end, rel=1e-12 if "step" in options else 1e-8)
    made = ist.Assembly("a", vehicle=body).add("p", Pulse(at="b", end=end))
    log = ist.simulate(made, body.state(), until=0.1, events=edge, **options)
    assert log.velocity("b")[-1, 4] == pytest.approx(FORCE * end, rel=1e-12 if "step" in options else 1e-8)


class Shot(ist.Device):
    """A push for a moment, by a difference of times."""

    at = ist.Site()
    begin, width = ist.Parameter("s", 0.7), ist.Parameter("s", 0.004)
    f = at.force("world")

    def outputs(d, t):
        d.f[0] = d.f[2] = 0.0
        d.f[1] = 500.0 if 0.0 <= t - d.begin.real < d.width.real else 0.0


OWN = ["radau", "bdf", "lsoda", "rk45", "dop853", "dopri5", "ros3"]


@pytest.mark.parametrize("method", OWN)
def test_adaptive_steps_do_not_pass_a_pulse_of_a_function_of_time(body, method):
    """500 N for 4 ms in ten seconds, that nobody declares, in a device, in forces and, twice, in tau."""
    how = {"until": 10.0, "method": method}
    made = ist.Assembly("a", vehicle=body).add("p", Shot(at="b"))
    wanted = pytest.approx(FORCE * 0.004, rel=1e-9)
    assert ist.simulate(made, body.state(), **how).velocity("b")[-1, 4] == wanted
    once = {"b": lambda t: [0, 0, 0, 0, FORCE if 0.7 <= t < 0.704 else 0.0, 0]}
    assert ist.simulate(body, body.state(), forces=once, **how).velocity("b")[-1, 4] == wanted
    twice = ist.simulate(
        body, body.state(), tau=lambda t: [0, 0, 0, 0, 0.5 * FORCE * (t % 5.0 < 0.004), 0], **how
    )
    assert twice.velocity("b")[-1, 4] == wanted


def test_a_run_that_is_resumed_ends_its_steps_at_the_same_edges(body, tmp_path):
    made = ist.Assembly("a", vehicle=body).add("p", Shot(at="b", begin=6.3))
    how = {"until": 10.0, "method": "dopri5", "log_step": 0.5}
    whole = ist.simulate(made, body.state(), **how)
    point = whole.point(2.2)  # flown on from a row
    again = ist.simulate(made, point, **how)
    assert again.velocity("b")[-1, 4] == pytest.approx(FORCE * 0.004, rel=1e-9)
    assert ist.simulate(made, whole.point(6.302), **how).velocity("b")[-1, 4] == pytest.approx(
        FORCE * 0.004, rel=1e-9
    )


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda t: 1.0 if t < 0.3 else 2.0 if 2.0 * t + 1.0 >= 1.9 else 0.0, [0.3, 0.45]),
        (lambda t: np.where(t < np.array([0.2, 0.6]), 1.0, 0.0), [0.2, 0.6]),
        (lambda t: [1.0, 2.0, 3.0, 4.0][int(4 * t)], [0.25, 0.5, 0.75]),
        (lambda t: np.float64(0.5) - t > 0.1, [0.4]),
        (lambda t: abs(t - 0.5) < 0.1, [0.4, 0.5, 0.6]),
        (lambda t: t // 0.4, [0.4, 0.8]),
        (lambda t: np.heaviside(t - 0.7, 1.0) + np.sin(t) ** 2, [0.7]),
        (lambda t: max(0.0, min(1.0, 5 * t - 1.0)), [0.2, 0.4]),
        (lambda t: np.sin(3.0 * t) + t**2, []),
        (lambda t: t.nothing, []),
    ],
)
def test_edges_of_a_function_are_where_its_comparisons_turn(function, wanted):
    assert edges_of(function, 0.0, 1.0) == pytest.approx(wanted)


BEGIN, WIDTH = 0.0105, 0.004  # ends of steps of 0.5 ms


def during(t, value):
    """Return a value while the pulse lasts, zero else."""
    return value if BEGIN <= t < BEGIN + WIDTH else 0.0


class Push(ist.Device):
    """A force along y that is wired."""

    at = ist.Site()
    u, f = ist.In("N"), at.force("world")

    def outputs(d, t):
        d.f[0], d.f[1], d.f[2] = 0.0 * d.u, d.u, 0.0 * d.u


EDGE = 1e-9
TABLE = (
    [0.0, BEGIN - EDGE / 2, BEGIN + EDGE / 2, BEGIN + WIDTH - EDGE / 2, BEGIN + WIDTH + EDGE / 2, 1.0],
    np.outer([0.0, 0.0, FORCE, FORCE, 0.0, 0.0], [0, 0, 0, 0, 1, 0]),
)
FLOWN = [{"step": 5e-4, "method": name} for name in ("rk4", "ros2", "ros3", "dopri5")]


@pytest.mark.parametrize(
    "options", [*FLOWN, {"method": "dopri5"}, {"method": "ros3"}, {"method": "radau"}], ids=str
)
def test_every_way_to_push_for_a_moment_has_its_impulse(body, options):
    """m Δv = F w, J Δω = T w: tau, a table whose edges take 1 ns, laws at every instant and sampled every 0.5 ms.

    Adaptive steps end at rows of tables and at samples.
    """
    how = {"until": 0.05, **options}
    table = ist.simulate(body, body.state(), forces={"b": TABLE}, **how)
    assert table.velocity("b")[-1, 4] == pytest.approx(FORCE * WIDTH, rel=1e-9)
    sampled = ist.Assembly("s", vehicle=body).add("p", Push(at="b"))
    sampled.add("law", lambda t: during(t, FORCE), every="0.5 ms", out={"u": "N"}).wire({"law.u": "p.u"})
    log = ist.simulate(sampled, body.state(), **how)
    assert log.velocity("b")[-1, 4] == pytest.approx(FORCE * WIDTH, rel=1e-12)
    if "step" in options:
        torque = ist.simulate(body, body.state(), tau=lambda t: [0, 0, during(t, 3.0), 0, 0, 0], **how)
        assert torque["b"].velocity[-1, 2] == pytest.approx(3.0 * WIDTH, rel=1e-12)
        always = ist.Assembly("c", vehicle=body).add("p", Push(at="b"))
        always.add("law", lambda t: during(t, FORCE), out={"u": "N"}).wire({"law.u": "p.u"})
        log = ist.simulate(always, body.state(), **how)
        assert log.velocity("b")[-1, 4] == pytest.approx(FORCE * WIDTH, rel=1e-12)


class Look(ist.Device):
    """Where a place is, along x."""

    at = ist.Site()
    place, y = at.position(), ist.Out("m")

    def outputs(d, t):
        d.y = d.place[0]


@pytest.mark.parametrize("method", OWN)
def test_adaptive_steps_do_not_pass_a_pulse_of_a_law_that_reads_something(body, method):
    """500 N for 4 ms in ten seconds by a law with inputs, in a group; one that keeps a list is left to the run."""
    seen = []

    def law(t, y, gain):
        return (500.0 if 0.7 <= t < 0.704 else 0.0) * gain[0] + y

    def keeps(t, y):
        seen.append(t)
        return 0.0 * y

    inner = ist.Assembly("inner").add("p", Push(at="b")).add("look", Look(at="b"))
    inner.add("law", law, out={"u": "N"}, inputs={"gain": "[2]"}).wire({"law.u": "p.u", "look.y": "law.y"})
    inner.add("other", keeps, out={"u": "N"}).wire({"look.y": "other.y"})
    made = ist.Assembly("outer", vehicle=body).add("inner", inner)
    log = ist.simulate(made, body.state(), until=10.0, method=method, set={"inner.law.gain": [1.0, 7.0]})
    assert log.velocity("b")[-1, 4] == pytest.approx(FORCE * 0.004, rel=1e-9)
    assert seen and all(type(t) is float for t in seen)


class Late(ist.Device):
    """A push of 500 N for 4 ms from a time on, which is set on the way, or two seconds after it has come 2.5 m far."""

    at = ist.Site()
    begin = ist.In("s", default=1e9)
    touched = ist.DiscreteState("s", initial=1e9)
    place, f = at.position(), at.force("world")
    there = ist.ZeroCrossing("m", direction=1)

    def outputs(d, t):
        d.there = d.place[0] - 2.5
        first = d.begin.real if d.begin.real < d.touched.real + 2.0 else d.touched.real + 2.0
        for k in range(3):
            d.f[k] = 0.0
        if t >= first and t < first + 0.004:
            d.f[1] = 500.0

    def switch(d, t):
        d.touched = t


@pytest.mark.parametrize("method", OWN)
def test_adaptive_steps_do_not_pass_a_pulse_whose_time_an_event_or_a_switch_sets(body, method, tmp_path):
    made = ist.Assembly("a", vehicle=body).add("late", Late(at="b"))
    how = {"until": 10.0, "method": method, "log_step": "2.5 s"}
    wanted = pytest.approx(FORCE * 0.004, rel=1e-9)
    told = ist.Event(at=3.0, action={"late.begin": 5.0123})
    log = ist.simulate(made, body.state(), events=[told], **how)
    assert log.velocity("b")[-1, 4] == wanted
    assert log.point(6.0)["b"].velocity[4] == wanted  # flown to from the row at 5 s
    x = body.state()
    x["b"].velocity[3] = 1.0
    assert ist.simulate(made, x, **how).velocity("b")[-1, 4] == wanted
