"""Warnings of fixed steps that are too long for states of devices, at the limits of the methods."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import interstage as ist
from interstage.errors import FidelityWarning
from interstage.simulation.run.integrators import method_of
from interstage.simulation.run.runner import Runner
from interstage.simulation.run.spec import RunSpec
from interstage.simulation.run.step_stability import growth

H = 0.01


class Fast(ist.Device):
    tau = ist.Parameter("s", 1.0)
    u, x, y = ist.In("", default=1.0), ist.ContinuousState(""), ist.Out("")

    def outputs(d, t):
        d.y = d.x

    def rates(d, t):
        d.xdot = (d.u - d.x) / d.tau


def run(method: str, tau: float, **more) -> ist.Log:
    made = ist.Assembly("x").add("slow", Fast(tau=5.0)).add("valve", Fast(tau=tau))
    return ist.simulate(made, None, until=2.0, step=H, method=method, **more)


def limit(method: str) -> float:
    """Return h/τ at which the error of a run neither grows nor decays: measured, from 20 steps of the method."""
    low, high = 1.0, 5.0
    for _ in range(12):
        ratio = 0.5 * (low + high)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y = run(method, H / ratio)["valve.y"] - 1.0
        low, high = (ratio, high) if abs(y[20]) < 1.0 else (low, ratio)
    return low


@pytest.mark.parametrize("method", ["rk4", "ros2", "ros3", "dopri5"])
def test_the_limit_is_where_runs_begin_to_grow(method):
    measured = limit(method)
    # bisection of an interval of 4, twelve times
    assert growth(method_of(method), -(measured - 2e-3)) < 1.0 < growth(method_of(method), -(measured + 2e-3))
    words = rf"steps of 0.01 s by {method} .* 'valve.x', whose time constant is .* explicit"
    with pytest.warns(FidelityWarning, match=words):
        run(method, H / (1.01 * measured))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(method, H / (0.99 * measured))


def test_samples_that_shorten_the_steps_count():
    made = (
        ist.Assembly("x").add("valve", Fast(tau=3e-3)).add("law", lambda t: 1.0, every="5 ms", out={"u": "1"})
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        log = ist.simulate(made.wire({"law.u": "valve.u"}), None, until=1.0, step=H)
    assert log["valve.y"][-1] == pytest.approx(1.0, abs=1e-9)


def test_a_look_at_the_start_changes_nothing():
    made = ist.Assembly("x").add("slow", Fast(tau=5.0)).add("valve", Fast(tau=0.05))
    unseen = Runner(RunSpec(made, None, 2.0, H)).run()
    assert np.array_equal(run("rk4", 0.05)["valve.y"], unseen["valve.y"])
