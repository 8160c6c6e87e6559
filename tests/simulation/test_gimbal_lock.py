"""Gimbals near lock: what a run says when its steps are too long for them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import interstage as ist
from interstage.errors import GimbalLockWarning, ModelError, SolverError
from interstage.multibody import Ball, Gimbal, Multibody
from interstage.simulation import simulate

SEQUENCES = ("xyz", "zyx", [(1, 0, 0), (0.6, 0.8, 0), (0, 0.6, 0.8)])


def top(sequence="xyz", miss=0.02, start=0.6):
    """Return a body that turns freely, about to pass lock at a distance of about `miss` in 0.6 seconds."""
    mb = Multibody("top")
    joint = Gimbal(sequence)
    mb.add_body("top", mass=1.0, inertia=[1, 2, 2.5], joint=joint)
    system = mb.compile()
    # middle angle at which the outer axes come nearest
    angles = np.linspace(-np.pi, np.pi, 20001)
    volume = [abs(np.linalg.det(joint.subspace(np.array([0.0, t, 0.0]))[:3])) for t in angles[::20]]
    lock = angles[::20][int(np.argmin(volume))]
    x = system.state()
    x["top"].q[:] = 0.0, lock - start, 0.0
    H = joint.subspace(x["top"].q)[:3]
    across = np.cross(H[:, 1], [0.3, 0.5, 0.8])
    x["top"].v[:] = np.linalg.solve(H, H[:, 1] + miss * across / np.linalg.norm(across))
    return system, x


@pytest.mark.parametrize("method", ("rk4", "ros2"))
@pytest.mark.parametrize("sequence", SEQUENCES, ids=("xyz", "zyx", "oblique"))
def test_energy_is_not_lost_without_a_word(sequence, method):
    """Wherever a pass costs 1e-4 of the energy there is a warning with joint and time; where it costs little, none."""
    told = {}
    for miss in (0.3, 0.1, 0.05, 0.02, 0.01):
        for step in (1e-2, 1e-3, 2e-4):
            system, x = top(sequence, miss)
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                try:
                    log = simulate(system, x, 1.2, step, method=method, log_step=1.2)
                    loss = abs(log.energy[-1] / log.energy[0] - 1.0)
                except (SolverError, ModelError) as error:
                    assert "lock" in str(error)
                    loss = np.inf
            said = [str(w.message) for w in seen if w.category is GimbalLockWarning]
            told[miss, step] = loss, said
            assert len(said) <= 1
            if 1e-4 < loss < np.inf:
                assert said and "body 'top' passes near lock at t = 0." in said[0]
            if loss < 1e-8:
                assert not said
    if isinstance(sequence, str):  # axes across each other: passes at a distance, not all worth a word
        assert any(said for _, said in told.values()) and not all(said for _, said in told.values())


def test_steps_that_are_advised_do():
    system, x = top(miss=0.02)
    with pytest.warns(GimbalLockWarning, match=r"at t = 0\.[56].*use steps below 0\.00"):
        simulate(system, x, 1.2, 0.01)
    log = simulate(system, x, 1.2, 0.001)
    assert abs(log.energy[-1] / log.energy[0] - 1.0) < 1e-5


def test_flights_say_so_too():
    """With devices beside the vehicle the pass costs the same energy, and the same words are said, once."""
    system, x = top(miss=0.02)
    flight = ist.Assembly("top", vehicle=system).add("clock", lambda t: {"t": t}, every=0.1, out={"t": "s"})
    with pytest.warns(GimbalLockWarning) as seen:
        log = simulate(flight, x, 1.2, 0.01)
    with pytest.warns(GimbalLockWarning) as alone:
        bare = simulate(system, x, 1.2, 0.01)
    assert [str(w.message) for w in seen] == [str(w.message) for w in alone] and len(seen) == 1
    assert log.energy[-1] == pytest.approx(bare.energy[-1], rel=1e-9)


def test_a_ball_has_no_lock():
    mb = Multibody("top")
    mb.add_body("top", mass=1.0, inertia=[1, 2, 2.5], joint=Ball())
    system = mb.compile()
    x = system.state()
    x["top"].v[:] = 0.02, 1.0, 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error", GimbalLockWarning)
        log = simulate(system, x, 3.0, 0.01)
    assert abs(log.energy[-1] / log.energy[0] - 1.0) < 1e-8


@pytest.mark.parametrize("cosine, near", [(0.9, False), (0.1, True), (-0.1, True), (-0.9, False)])
def test_near_lock_is_near_on_both_sides(cosine, near):
    """A turn of 0.5 rad in a step matters where the cosine of the middle angle is small, of either sign."""
    mb = Multibody("top")
    mb.add_body("top", mass=1.0, inertia=[1, 1, 1], joint=Gimbal("xyz"))
    system = mb.compile()
    x = system.state()
    x["top"].q[1], x["top"].v[0] = np.arccos(cosine), 50.0
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        simulate(system, x, 0.01, 0.01)
    assert any(w.category is GimbalLockWarning for w in seen) is near
