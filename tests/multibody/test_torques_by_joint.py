"""Generalized forces by the name of the body whose joint they turn: the same as in a vector."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError


@pytest.fixture(scope="module")
def system():
    mb = ist.Multibody("arm", gravity=[0, 0, -9.81])
    mb.add_body("bus", mass=50.0, inertia=[5, 6, 7], joint=ist.Free())
    mb.add_body(
        "engine", mass=2.0, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01], parent="bus", joint=ist.Revolute("y")
    )
    mb.add_body("plate", mass=1.0, inertia=[0.1, 0.1, 0.1], parent="engine", at=[0, 0, -1])
    return mb.compile()


@pytest.mark.kernels
def test_torques_by_name_are_those_of_the_vector(system):
    x = system.state()
    tau = np.zeros(system.nv)
    tau[6] = 3.0
    by_name = system.forward_dynamics(x, tau={"engine": 3.0})
    np.testing.assert_array_equal(by_name, system.forward_dynamics(x, tau=tau))
    tau[:6] = np.arange(6.0)
    both = {"engine": [3.0], "bus": np.arange(6.0)}
    np.testing.assert_array_equal(system.forward_dynamics(x, tau=both), system.forward_dynamics(x, tau=tau))
    force = {"bus": [0, 0, 0, 1.0, 0, 0]}
    np.testing.assert_array_equal(
        system.forward_dynamics(x, force, tau=both), system.forward_dynamics(x, force, tau=tau)
    )
    np.testing.assert_array_equal(ist.Loads.of(system, tau=both).tau, tau)


def test_runs_take_them(system):
    logs = [
        ist.simulate(system, system.state(), 0.1, 0.01, tau=tau)
        for tau in ({"engine": 3.0}, np.r_[np.zeros(6), 3.0])
    ]
    np.testing.assert_array_equal(logs[0].q, logs[1].q)


@pytest.mark.parametrize(
    ("tau", "words"),
    [
        ({"motor": 1.0}, "no body 'motor'"),
        ({"plate": 1.0}, "does not move"),
        ({"bus": 1.0}, "tau of 'bus'"),
        ({"engine": [1.0, 2.0]}, "tau of 'engine'"),
        ({"engine": "x"}, "tau of 'engine'"),
    ],
)
def test_what_does_not_fit_is_said(system, tau, words):
    with pytest.raises(InputError, match=words):
        system.forward_dynamics(system.state(), tau=tau)
    with pytest.raises(InputError, match=words):
        ist.Loads.of(system, tau=tau)
