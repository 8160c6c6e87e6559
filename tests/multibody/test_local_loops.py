"""Many local loops: chains of four-bars against one pendulum, forests of branches against dense equations."""

from __future__ import annotations

import numpy as np
import pytest
from closure_models import dense
from multibody_models import beam, random_state

import interstage as ist
from interstage.multibody import Ball, Free, Multibody, Revolute, Universal

LENGTH, GRAVITY = 1.0, 9.81


def _four_bars(loops, order=None):
    """Return cranks on the ground, each with a coupler to the next one; closures listed in some order."""
    mb = Multibody("four-bars", gravity=[0.0, -GRAVITY, 0.0])
    rod = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": np.diag([0.0, 1 / 12, 1 / 12])}
    for i in range(loops + 1):
        mb.add_body(f"crank {i}", at=[float(i), 0, 0], joint=Revolute("z"), **rod)
    for i in range(loops):
        mb.add_body(f"coupler {i}", parent=f"crank {i}", at=[1.0, 0, 0], joint=Revolute("z"), **rod)
    for i in range(loops) if order is None else order:
        ends = (f"coupler {i}", [1.0, 0, 0]), (f"crank {i + 1}", [1.0, 0, 0])
        mb.close(f"loop {i}", *ends, joint=Revolute("z"))
    return mb.compile()


def _turned(system, loops, angle, rate):
    """Return the state with all cranks at an angle from x, turning at a rate; couplers stay level."""
    x = system.state()
    for i in range(loops + 1):
        place = system.layout[f"crank {i}"]
        x.q[place.q], x.v[place.v] = angle, rate
        if i < loops:
            place = system.layout[f"coupler {i}"]
            x.q[place.q], x.v[place.v] = -angle, -rate
    return x


def _pendulum(loops):
    """Return inertia and moment of weight of the one pendulum that the chain is."""
    return (loops + 1) / 3 + loops, GRAVITY * ((loops + 1) / 2 + loops)


@pytest.mark.kernels
@pytest.mark.parametrize("order", [None, [3, 0, 5, 1, 4, 2]])
def test_four_bars_move_as_one_pendulum(order):
    system = _four_bars(6, order)
    x = _turned(system, 6, 1.9, -0.7)
    system.drop_redundant(x)
    inertia, weight = _pendulum(6)
    vdot = system.forward_dynamics(x)
    for i in range(7):
        # the motion of one of seven, by forces across twelve pins: to rounding
        assert abs(vdot[system.layout[f"crank {i}"].v][0] + weight * np.cos(1.9) / inertia) < 1e-11


def test_singular_positions_of_forty_loops_are_passed():
    """Started upright at 1 m/s the cranks pass the line of centres ten times, where loops could branch: to 1e-6 m.

    What projections leave of the closures is magnified there, by the square of how near a step comes: 1e-13 m of it
    would be 1e-4 m at the end.
    """
    from scipy.integrate import solve_ivp

    loops, until = 40, 10.0
    system = _four_bars(loops)
    x = _turned(system, loops, np.pi / 2, -1.0)
    system.drop_redundant(x)
    log = ist.simulate(system, x, until=until, step=4e-3, log_step=1.0)
    inertia, weight = _pendulum(loops)
    truth = solve_ivp(
        lambda t, y: [y[1], -weight * np.cos(y[0]) / inertia],
        (0.0, until),
        [np.pi / 2, -1.0],
        rtol=1e-12,
        atol=1e-12,
    )
    assert np.sum(np.diff(np.sign(np.sin(truth.y[0]))) != 0) == 10
    angle = truth.y[0, -1]
    for i in (0, 20, 40):
        found = log.q[-1][system.layout[f"crank {i}"].q][0]
        error = np.hypot(np.cos(found) - np.cos(angle), np.sin(found) - np.sin(angle))
        assert error < 1e-6


def test_projections_go_down_to_the_rounding_of_places():
    """Errors far below the tolerance are not left: 1e-12 m in a chain of 40 m becomes what places of 40 m round to."""
    system = _four_bars(40)
    x = _turned(system, 40, 0.3, -1.0)
    system.drop_redundant(x)
    x.q[:] += 1e-12 * np.random.default_rng(0).normal(size=system.nq)
    assert np.abs(system.closure_error(x)).max() > 1e-12
    assert np.abs(system.closure_error(system.project(x))).max() < 4 * np.spacing(40.0)


def _forest(rng):
    """Return branches on the ground, free and hinged, every second one flexible, with closures between some of them."""
    mb = Multibody("forest", gravity=[0.3, -1.0, -9.81])
    part = beam(n_elements=4, n_modes=6)
    mass = {"mass": 1.0, "com": [0.4, 0.1, 0.0], "inertia": [0.1, 0.2, 0.25]}
    for b in range(5):
        if b % 2:
            mb.add_body(f"trunk {b}", component=part, node=1, joint=Free())
        else:
            mb.add_body(f"trunk {b}", at=rng.normal(size=3), joint=Ball(), **mass)
        at = 3 if b % 2 else [0.5, 0.2, 0.0]
        mb.add_body(f"arm {b}", parent=f"trunk {b}", at=at, joint=Universal("xy"), **mass)
    for a, b in ((0, 1), (3, 4), (1, 2), (1, 1), (0, 4)):
        other = ("trunk 1", 5) if a == b else (f"arm {b}", [0.7, 0.0, 0.0])
        mb.close(f"pin {a} {b}", (f"arm {a}", [0.5, 0.0, 0.0]), other, joint=Ball())
    mb.close("post", ("ground", [0.1, 0.2, 0.3]), ("trunk 3", 5), joint=Ball())
    return mb.compile()


@pytest.mark.kernels
def test_forest_agrees_with_dense_equations():
    """Closures couple where they share a branch; rows left out and taken back leave nothing behind."""
    rng = np.random.default_rng(4)
    system = _forest(rng)
    x = random_state(system, rng)
    for opened in (None, "pin 1 2", None):
        if opened:
            system.open_closure(opened)
        elif system.n_closure < 18:
            system.close_closure("pin 1 2")
        wanted, _ = dense(system, x)
        # the dense solution itself has errors of ε cond(M) ~ 1e-11
        np.testing.assert_allclose(system.forward_dynamics(x), wanted, atol=1e-9 * abs(wanted).max())
