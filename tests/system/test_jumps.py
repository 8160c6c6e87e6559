"""Loads that jump in time keep their impulse: m Δv = F · width, where steps end at the edges."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist

FORCE = 500.0
FIXED = [("rk4", 5e-4), ("ros2", 5e-4), ("ros3", 5e-4), ("dopri5", 5e-4), ("rk4", 1e-4)]


@pytest.fixture(scope="module")
def body():
    mb = ist.Multibody("b")
    mb.add_body("b", mass=1.0, inertia=np.eye(3), joint=ist.Free())
    return mb.compile()


class Pulse(ist.Device):
    """A push until a time."""

    at = ist.Place()
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
