"""Figures of flights draw what the log has."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError


class Ramp(ist.Device):
    angle, rate = ist.Out("rad", 3), ist.Out("rad/s")
    count = ist.IntegerState()

    def outputs(d, t):
        for k in range(3):
            d.angle[k] = (k + 1) * t

    def sample(d, t):
        d.count += 1
        d.rate = d.count


@pytest.fixture(scope="module")
def log():
    mb = ist.Multibody("bus")
    mb.add_body("bus", mass=2.0, inertia=[1.0, 1.0, 1.0], joint=ist.Free())
    flight = (
        ist.Assembly("ramp", vehicle=mb.compile())
        .add("a1", Ramp(), every="0.1 s")
        .add("a2", Ramp(), every="0.1 s")
    )
    x = flight.vehicle.state(v=[0, 0, 0.5, 1.0, 0, 0])
    return ist.simulate(flight, x, until=1, step="20 ms", faults=[ist.Fault("a1.rate", 0.0, start="0.5 s")])


def test_every_name_has_a_chart_with_its_curves_and_unit(log):
    figure = log.plot("a1.angle", "a*.rate", "a1.angle - a2.angle", place=("bus", [1.0, 0, 0]))
    charts = figure.axes
    assert [len(axes.lines) - len(log.events) for axes in charts] == [3, 2, 3, 3, 3]
    assert [axes.get_ylabel() for axes in charts] == ["rad", "rad/s", "rad", "m", "rad/s"]
    assert [text.get_text() for text in charts[1].get_legend().get_texts()] == ["a1", "a2"]
    np.testing.assert_array_equal(charts[0].lines[2].get_ydata(), log["a1.angle"][:, 2])
    assert charts[1].lines[0].get_drawstyle() == "steps-post"
    np.testing.assert_allclose(charts[4].lines[2].get_ydata(), 0.5)


def test_without_names_everything_that_was_written_is_drawn(log):
    assert len(log.plot().axes) == 4


def test_what_cannot_be_drawn_is_refused(log):
    with pytest.raises(InputError, match=r"there is no port or state 'a1\.angel'"):
        log.plot("a1.angel")
    with pytest.raises(InputError, match="there is no body 'mast'"):
        log.plot(place=("mast", 1))


def test_a_body_is_drawn_by_the_kinds_of_its_coordinates(log):
    charts = log.plot("bus", "a1.angle[2]").axes
    assert [axes.get_title(loc="left") for axes in charts[:-1]] == [
        "bus: quaternion", "bus: travel", "bus: rate of turn", "bus: rate of travel",
    ]  # fmt: skip
    assert [axes.get_ylabel() for axes in charts] == ["", "m", "rad/s", "m/s", "rad"]
    assert [text.get_text() for text in charts[2].get_legend().get_texts()] == ["wx", "wy", "wz"]
    np.testing.assert_array_equal(charts[2].lines[2].get_ydata(), log["bus"].v[:, 2])
    np.testing.assert_array_equal(charts[4].lines[0].get_ydata(), log["a1.angle"][:, 2])


def test_a_body_that_is_locked_has_nothing_to_draw():
    mb = ist.Multibody("rock")
    mb.add_body("rock", mass=1.0, inertia=[1.0, 1.0, 1.0], joint=ist.Locked())
    log = ist.simulate(
        ist.Assembly("x", vehicle=mb.compile()).add("a", Ramp(), every=1), None, until=1, step=1
    )
    with pytest.raises(InputError, match="the joint of 'rock' is locked"):
        log.plot("rock")
