"""Steps of runs that follow what forces of devices let swing: closed forms of two carts on a spring."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.errors import FidelityWarning


@pytest.fixture(scope="module")
def carts():
    mb = ist.Multibody("two")
    for name in "ab":
        mb.add_body(name, mass=1.0, inertia=np.eye(3), joint=ist.Prismatic("x"))
    return mb.compile()


def on_a_spring(carts, hertz, zeta=0.0):
    w = 2 * np.pi * hertz
    spring = dev.Spring(a="a", b="b", stiffness=0.5 * w**2, damping=zeta * w, length=1.0)
    return ist.Assembly("x", vehicle=carts).add("k", spring)


def size(log):
    """Return the amplitude of the stretch over the last swings, beside that at the start."""
    stretch = log["b"].q[:, 0] - log["a"].q[:, 0] - 1.0
    return np.abs(stretch[log.t > log.t[-1] - 0.2]).max() / abs(stretch[0])


@pytest.mark.parametrize("hertz", [20.0, 100.0])
def test_an_undamped_spring_keeps_its_swing_where_nobody_chose_the_steps(carts, hertz):
    made, x = on_a_spring(carts, hertz), carts.state(q=[0.0, 1.001])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        log = ist.simulate(made, x, until=2)
    # 1 % is aimed at; rows are steps, which miss the peaks by (hω)²/8
    assert size(log) == pytest.approx(1.0, abs=0.03)
    assert log.info["step"] < 0.01


@pytest.mark.parametrize(("method", "words"), [("rk4", r"they take 9\d.* % of it"), ("ros2", "it grows")])
def test_steps_that_damp_or_raise_a_swing_are_told(carts, method, words):
    made, x = on_a_spring(carts, 20.0), carts.state(q=[0.0, 1.001])
    with pytest.warns(FidelityWarning, match=f"what devices let swing at 20 Hz .*: {words}") as told:
        ist.simulate(made, x, until=2, step="10 ms", method=method)
    below = float(str(told[0].message).split("below ")[1].split(" s")[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        log = ist.simulate(made, x, until=2, step=below, method=method)
    assert size(log) == pytest.approx(1.0, abs=0.03)


def test_a_swing_with_more_damping_than_steps_take_is_not_told_of(carts):
    """2 % of critical damping: steps of 4 ms (hω = 0.5) take 2e-4 of it a radian."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ist.simulate(on_a_spring(carts, 20.0, 0.02), carts.state(q=[0.0, 1.001]), until=2, step="4 ms")


def test_modes_of_the_vehicle_itself_are_not_told_of():
    """Its own springs are known: W-methods bear them, and explicit ones say where they do not."""
    mb = ist.Multibody("one")
    mb.add_body("a", mass=1.0, inertia=np.eye(3), joint=ist.Prismatic("x", stiffness=(40 * np.pi) ** 2))
    made = ist.Assembly("x", vehicle=mb.compile())
    made.add("t", dev.Engine(body="a", thrust=0.1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ist.simulate(made, None, until=1, step="10 ms", method="ros2", set={"t.throttle": 1.0})


def test_runs_of_too_many_steps_are_refused(carts):
    with pytest.raises(
        ist.InterstageError, match=r"needs steps of .* more than 1e\+07 of them.*method='radau'"
    ):
        ist.simulate(on_a_spring(carts, 1e5), carts.state(q=[0.0, 1.001]), until=100)


def test_an_unstable_hydraulic_engine_grows_in_runs_whose_steps_nobody_chose():
    """Its continuous model grows; steps of 10 ms would hide it."""
    mb = ist.Multibody("v")
    mb.add_body("core", mass=5000.0, inertia=[2000, 40000, 40000], joint=ist.Free())
    engine = {"mass": 100.0, "com": [-0.5, 0, 0], "inertia": [10, 20, 20]}
    mb.add_body("engine", parent="core", at=[-5, 0, 0], joint=ist.Universal(("y", "z")), **engine)
    system = mb.compile()
    given = {"bandwidth": "6 Hz", "rod_stiffness": 4e6, "fluid_stiffness": 2e6, "damping": 200.0}
    made = ist.Assembly("t", vehicle=system).add("tvc", dev.HydraulicTVC(joint="engine", **given))
    x = system.state()
    x["engine"].q[:] = [1e-6, 0]
    command = {"tvc.command": [0.0, 0.0]}
    rate = ist.linearize(made, system.state(), set=command).poles().real.max()
    log = ist.simulate(made, x, until=1, set=command)
    q = np.abs(log["engine"].q[:, 0])
    early, late = (q[(log.t > t) & (log.t <= t + 0.1)].max() for t in (0.4, 0.9))
    assert rate > 5.0
    assert np.log(late / early) / 0.5 == pytest.approx(rate, rel=0.03)


def test_free_bodies_on_a_spring_are_told_of():
    """A free body has fewer eigenvectors than eigenvalues of zero; 1 kg and 1 kg on k: ω² = 2k."""
    mb = ist.Multibody("two")
    for name in "ab":
        mb.add_body(name, mass=1.0, inertia=np.eye(3), joint=ist.Free())
    system, w = mb.compile(), 2 * np.pi * 20.0
    made = ist.Assembly("x", vehicle=system)
    made.add("k", dev.Spring(a="a", b="b", stiffness=0.5 * w**2, damping=0.0, length=1.0))
    x = system.state()
    x["b"].position[:] = [1.001, 0, 0]
    with pytest.warns(FidelityWarning, match="what devices let swing at 20 Hz"):
        ist.simulate(made, x, until=2, step="10 ms")
