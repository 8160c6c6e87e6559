"""Arguments of devices: what is missing is said at once, what says the same twice is refused, `set` knows them all."""

from __future__ import annotations

import numpy as np
import pytest

from interstage import devices as dev
from interstage.errors import InputError


def wheel(**values):
    return dev.StictionReactionWheel(**{"at": "bus", "inertia": 0.02, "friction": (0.1, 0.01), **values})


def test_everything_that_is_missing_is_named_at_once():
    with pytest.raises(InputError, match=r"needs at=, inertia=, coulomb= .*at a place.*inertia in kg\*m\^2"):
        dev.StictionReactionWheel()
    with pytest.raises(InputError, match="needs inertia=, stiffness= "):
        dev.Motor(joint="arm")
    with pytest.raises(InputError, match=r"needs inertia= \(ReactionWheel\); expected in kg\*m\^2"):
        dev.ReactionWheel(at="bus")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"coulomb": 0.2}, "friction= and coulomb= of StictionReactionWheel say the same"),
        ({"imbalance": (1e-6, 1e-6), "dynamic_imbalance": 1e-6}, "imbalance= and dynamic_imbalance="),
        ({"speed": 100.0, "momentum": 1.0}, "speed= and momentum="),
        ({"stick": 0.1}, "StictionReactionWheel has no 'stick'"),
        ({"frction": 0.1}, "did you mean friction"),
        ({"static": 0.05}, "static must not be below"),
    ],
)
def test_what_contradicts_is_refused(values, words):
    with pytest.raises(InputError, match=words):
        wheel(**values)
    made = wheel() if "coulomb" not in values else wheel(friction=(0.3, 0.0))
    if "coulomb" not in values:
        before = {name: made.value_of(name) for name in made.fields}
        with pytest.raises(InputError, match=words):
            made.set(**values)
        assert all(np.array_equal(made.value_of(name), value) for name, value in before.items())


def test_bristles_that_are_not_given_break_away_at_a_hundredth_of_a_radian():
    assert np.isclose(wheel(static=0.3).bristle_stiffness, 30.0, rtol=1e-15)
    assert wheel(bristle_stiffness=7.0).bristle_stiffness == 7.0


def test_values_that_are_set_later_are_those_of_a_device_made_with_them():
    """Setting is making anew with other arguments: what follows from them follows."""
    pairs = [
        (wheel().set(coulomb=0.2), wheel(friction=(0.2, 0.01))),
        (wheel().set(friction=(0.3, 0.02)), wheel(friction=(0.3, 0.02))),
        (wheel(speed=100.0).set(inertia=0.04), wheel(speed=100.0, inertia=0.04)),
        (wheel(speed=100.0).set(momentum=1.0), wheel(momentum=1.0)),
        (wheel(momentum=1.0).set(speed="10 rpm"), wheel(speed="10 rpm")),
        (wheel().set(axis=[0, 3.0, 4.0]), wheel(axis=[0, 3.0, 4.0])),
        (wheel().set(imbalance=(1e-6, 2e-8)), wheel(static_imbalance=1e-6, dynamic_imbalance=2e-8)),
        (dev.Thruster(at="bus", thrust=4.0, min_impulse=0.1, every="0.1 s").set(thrust=8.0),)
        + (dev.Thruster(at="bus", thrust=8.0, min_impulse=0.1, every="0.1 s"),),
        (dev.Engine(body="core", thrust=9.0).set(thrust=7.0, axis=[0, 0, 2.0]),)
        + (dev.Engine(body="core", thrust=7.0, axis=[0, 0, 2.0]),),
    ]
    for changed, made in pairs:
        for name in made.fields:
            assert np.array_equal(changed.value_of(name), made.value_of(name)), name
    with pytest.raises(InputError, match="low must be below"):
        dev.JointStop(joint="arm", stiffness=1.0, low=-0.1, high=0.1).set(low=0.2)


def test_a_device_says_its_places_in_words():
    assert "node 4 of bus" in str(wheel(at=("bus", 4)))
    assert "point [0.5, 0, 0] of bus" in str(wheel(at=("bus", [0.5, 0.0, 0.0])))
