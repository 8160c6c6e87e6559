"""Runs in time: order of the integrators, conservation, stiff modes, determinism, control, dense output."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import beam

from interstage.errors import InputError, SolverError
from interstage.multibody import Ball, Free, Multibody, Revolute
from interstage.simulation import simulate

BEAM = beam(n_elements=5, n_modes=4)
SOFT = beam(n_elements=5, n_modes=2, E=2e7)


def _tree(order=2, component=BEAM, gravity=(0, 0, 0), damping=0.0):
    mb = Multibody("tree", gravity=gravity)
    mb.add_body("bus", mass=20.0, inertia=np.diag([1.0, 2.0, 2.5]), joint=Free())
    place = {"component": component, "order": order, "damping": damping, "parent": "bus"}
    mb.add_body("left", at=[0.3, 0, 0], joint=Revolute("z", stiffness=2.0), **place)
    mb.add_body("right", at=[-0.3, 0, 0], joint=Ball(), **place)
    system = mb.compile()
    x = system.state()
    x["bus"].velocity[:3] = [0.3, -0.2, 0.5]
    x["left"].v[:] = 0.4
    x["right"].v[:] = [0.1, 0.2, -0.3]
    return system, x


def _end(system, x, method, step, until=0.5):
    log = simulate(system, x, until, step, method=method, log_step=until)
    return np.concatenate([log.q[-1], log.v[-1]])


@pytest.mark.parametrize(("method", "order", "steps"), [("rk4", 4, (4e-4, 2e-4)), ("ros2", 2, (1e-3, 5e-4))])
def test_observed_order(method, order, steps):
    system, x = _tree(component=SOFT)
    reference = _end(system, x, "rk4", 2.5e-5)
    errors = [np.linalg.norm(_end(system, x, method, h) - reference) for h in steps]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_energy_and_momentum_of_a_tumbling_tree(order):
    """RK4 at 0.06 of the stability limit of its fastest mode: errors of order h⁴ stay below 1e-9."""
    system, x = _tree(order, SOFT)
    log = simulate(system, x, 10.0, 1e-3, log_step=0.5)
    assert abs(log.energy / log.energy[0] - 1).max() < 1e-9
    assert abs(log.momentum - log.momentum[0]).max() < 1e-9 * abs(log.momentum[0]).max()
    assert abs(np.linalg.norm(log["bus"].quaternion, axis=1) - 1).max() < 1e-15


def test_stiff_modes_do_not_limit_ros2():
    system, x = _tree(component=beam(n_elements=5, n_modes=14))
    fastest = np.sqrt(system.tree.v_stiffness.max())
    h = 1e-2
    assert h * fastest > 28.0  # ten times over the limit of RK4
    with pytest.raises(SolverError, match="ros2"):
        simulate(system, x, 2.0, h)
    log = simulate(system, x, 2.0, h, method="ros2")
    reference = simulate(system, x, 2.0, 2e-4, log_step=2.0)
    np.testing.assert_allclose(log["bus"].quaternion[-1], reference["bus"].quaternion[-1], atol=2e-3)


def test_same_input_same_bits():
    system, x = _tree()
    first = simulate(system, x, 0.1, 1e-3, method="ros2")
    second = simulate(system, x, 0.1, 1e-3, method="ros2")
    assert first.q.tobytes() == second.q.tobytes()
    # and the scratch is left as it was found: forward dynamics does not feel the implicit shift
    fresh, y = _tree()
    assert system.forward_dynamics(x).tobytes() == fresh.forward_dynamics(y).tobytes()


def test_adaptive_methods_agree_and_have_dense_output():
    system, x = _tree(component=SOFT)
    log = simulate(system, x, 0.5, rtol=1e-10, atol=1e-10)
    fixed = simulate(system, x, 0.5, 5e-5, log_step=0.25)
    np.testing.assert_allclose(log.q[-1], fixed.q[-1], atol=1e-7)
    np.testing.assert_allclose(log.at(0.25).q, fixed.q[1], atol=1e-7)
    stiff = simulate(system, x, 0.05, method="radau", rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(stiff.q[-1], log.at(0.05).q, atol=1e-5)


def test_free_fall_and_spin_of_a_rigid_body():
    mb = Multibody("stone", gravity=[0, 0, -9.81])
    mb.add_body("stone", mass=2.0, inertia=np.diag([1.0, 1.0, 2.0]), joint=Free())
    system = mb.compile()
    x = system.state()
    x["stone"].velocity[:] = [0.3, 0.0, 1.0, 1.0, 0, 0]
    log = simulate(system, x, 2.0, 1e-3, log_step=0.1)
    # symmetric top: the transverse rate turns at (Jz/Jx - 1) wz
    np.testing.assert_allclose(log["stone"].v[:, 0], 0.3 * np.cos(log.t), atol=1e-10)
    np.testing.assert_allclose(log["stone"].position[:, 2], -0.5 * 9.81 * log.t**2, atol=1e-9)


def test_control_law_is_sampled_and_held():
    mb = Multibody("wheel")
    mb.add_body("wheel", mass=1.0, inertia=np.eye(3) * 2.0, joint=Revolute("z"))
    system = mb.compile()
    seen = []

    def law(t, x):
        seen.append(t)
        return {"tau": [4.0 if t < 0.45 else 0.0]}

    log = simulate(system, system.state(), 1.0, 0.01, control=law, control_step=0.1)
    assert len(seen) == 10
    assert log["wheel"].v[-1, 0] == pytest.approx(0.5 * 4.0 / 2.0, rel=1e-12)
    assert len(log) == 101
    push = simulate(
        system, system.state(), 1.0, 0.01, forces={("wheel", (1.0, 0.0, 0.0)): [0, 0, 4.0, 0, 0, 0]}
    )
    assert push["wheel"].v[-1, 0] == pytest.approx(2.0, rel=1e-12)


def test_bad_runs_are_refused_in_words():
    system, x = _tree()
    for words, action in (
        ("until", lambda: simulate(system, x, -1.0, 0.1)),
        ("needs a positive step", lambda: simulate(system, x, 1.0, method="rk4")),
        ("unknown method", lambda: simulate(system, x, 1.0, 0.1, method="euler")),
        ("sampled", lambda: simulate(system, x, 1.0, control=lambda t, x: None)),
    ):
        with pytest.raises(InputError, match=words):
            action()


@pytest.mark.parametrize("method", ["rk4", "ros2", "dopri5"])
def test_a_run_ends_anywhere_by_a_short_last_step(method, tmp_path):
    """A spring of 1 rad/s: three steps of 0.3 s and one of 0.1 s, and the cosine within the error of the method."""
    mb = Multibody("spring")
    mb.add_body("mass", mass=1.0, inertia=np.eye(3), joint=Revolute("z", stiffness=1.0))
    system = mb.compile()
    x = system.state()
    x["mass"].q[:] = 0.2
    log = simulate(system, x, 1.0, 0.3, method=method)
    np.testing.assert_allclose(log.t, [0.0, 0.3, 0.6, 0.9, 1.0], rtol=1e-15)
    assert log.t[-1] == 1.0
    whole = simulate(system, x, 0.9, 0.3, method=method)
    short = simulate(system, whole.state(), 0.1, 0.1, method=method)
    for name in ("q", "v"):  # lengths of the last step differ by rounding
        np.testing.assert_allclose(getattr(log, name)[-1], getattr(short, name)[-1], atol=1e-15)
        flown = simulate(system, x, 1.0, 0.3, method=method, log=tmp_path / "a.h5")
        np.testing.assert_allclose(getattr(log, name), getattr(flown, name), atol=1e-15)
    # error of one step: h^(p+1) over about (p+1)! (a W-method: over 10), three times
    error = {"rk4": 3 * 0.3**5 / 120, "ros2": 3 * 0.3**3 / 10, "dopri5": 3 * 0.3**6 / 720}[method]
    assert abs(log["mass"].q[-1, 0] - 0.2 * np.cos(1.0)) < error
    tiny = simulate(system, x, 1e-9, 0.3, method=method)
    assert tiny.t[-1] == 1e-9 and tiny["mass"].v[-1, 0] == pytest.approx(-0.2e-9, rel=1e-6)


def test_times_may_be_texts_with_units():
    system, x = _tree()
    plain = simulate(system, x, 0.02, 1e-3, log_step=5e-3, control=lambda t, x: None, control_step=0.01)
    said = simulate(
        system, x, "20 ms", "1 ms", log_step="5 ms", control=lambda t, x: None, control_step="100 Hz"
    )
    np.testing.assert_array_equal(said.t, plain.t)
    np.testing.assert_array_equal(said.q, plain.q)
    with pytest.raises(InputError, match=r"step is not a time.*5 ms"):
        simulate(system, x, "1 s", "2 m")
