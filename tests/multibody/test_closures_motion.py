"""Motion with closures: published and analytic mechanisms, drift, order of the methods, system modes."""

from __future__ import annotations

import numpy as np
import pytest
from closure_models import four_bar, parallelogram, pinned
from multibody_models import beam, beam_matrices

import interstage as ist
from interstage import Component
from interstage.errors import ModelError
from interstage.multibody import Ball, Free, Locked, Multibody, Revolute
from interstage.multibody.system_modes import accurate_modes

STEP = 1e-30


def four_bar_motion(angle, speed, side, gravity=9.81):
    """Return the crank's acceleration of the rigid four-bar from its one equation I θ̈ + ½I'θ̇² + V' = 0.

    side : ±1, where the rocker is beside the line from its hinge to the end of the crank
    """

    def angles(theta):
        corner = np.array([np.cos(theta), np.sin(theta)])
        d = corner - np.array([3.0, 0.0])
        square = d @ d
        # arccos and arctan2 are followed through a complex step by their derivatives
        c = (square + 4.0 - 9.0) / (4.0 * np.sqrt(square))
        inside = np.arccos(c.real) - 1j * c.imag / np.sqrt(1.0 - c.real**2)
        outside = (
            np.arctan2(d[1].real, d[0].real)
            + 1j * (d[0].real * d[1].imag - d[1].real * d[0].imag) / square.real
        )
        rocker = outside + side * inside
        end = np.array([3.0 + 2.0 * np.cos(rocker), 2.0 * np.sin(rocker)])
        e = end - corner
        coupler = (
            np.arctan2(e[1].real, e[0].real) + 1j * (e[0].real * e[1].imag - e[1].real * e[0].imag) / 9.0
        )
        return np.array([theta, coupler, rocker])

    def slopes(theta):
        """Return dangles/dθ from the loop's velocity equation."""
        t, c, r = angles(theta)
        A = np.array([[-3.0 * np.sin(c), 2.0 * np.sin(r)], [3.0 * np.cos(c), -2.0 * np.cos(r)]])
        s = np.linalg.solve(A, np.array([np.sin(t), -np.cos(t)]))
        return np.array([1.0, s[0], s[1]])

    def inertia(theta):
        t, c, _ = angles(theta)
        _, sc, sr = slopes(theta)
        coupler = 1.0 + (1.5 * sc) ** 2 + 2.0 * 1.5 * sc * np.cos(c - t)
        return 1.0 / 3.0 + 2.0 * coupler + 2.0 * 9.0 / 12.0 * sc**2 + 1.5 * 4.0 / 3.0 * sr**2

    def height(theta):
        t, c, r = angles(theta)
        return gravity * (0.5 * np.sin(t) + 2.0 * (np.sin(t) + 1.5 * np.sin(c)) + 1.5 * np.sin(r))

    z = angle + 1j * STEP
    bend, pull = inertia(z).imag / STEP, height(z).imag / STEP
    return -(0.5 * bend * speed**2 + pull) / inertia(complex(angle)).real


def test_four_bar_against_its_one_equation():
    system = four_bar()
    x = pinned(system)
    system.drop_redundant(x)
    for angle in (0.4, 1.0, 2.5, 4.0):
        x = pinned(system, angle, 2.0)
        to_crank = np.array([np.cos(angle) - 3.0, np.sin(angle)])
        rocker = np.array([np.cos(x["rocker"].q[0]), np.sin(x["rocker"].q[0])])
        side = np.sign(to_crank[0] * rocker[1] - to_crank[1] * rocker[0])
        wanted = four_bar_motion(angle, 2.0, side)
        assert system.forward_dynamics(x)[0] == pytest.approx(wanted, rel=1e-10), angle


def squeezer_accelerations(q, v, moment=0.033):
    """Return accelerations of Andrews' mechanism from the equations in its seven angles (Hairer and Wanner, VII.7)."""
    _, th, ga, ph, _, om, _ = q
    m, i = (0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498), (
        2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5,
    )  # fmt: skip
    rr, ra, d, da, ss, e, ea, zt, zf, fa, u = (
        0.007, 0.00092, 0.028, 0.0115, 0.035, 0.02, 0.01421, 0.04, 0.02, 0.01421, 0.04,
    )  # fmt: skip
    arm, foot = e - ea, zf - fa
    M = np.zeros((7, 7))
    M[0, 0] = m[0] * ra**2 + m[1] * (rr**2 - 2 * da * rr * np.cos(th) + da**2) + i[0] + i[1]
    M[0, 1] = M[1, 0] = m[1] * (da**2 - da * rr * np.cos(th)) + i[1]
    M[1, 1] = m[1] * da**2 + i[1]
    M[2, 2] = m[2] * (0.01874**2 + 0.01043**2) + i[2]
    M[3, 3] = m[3] * arm**2 + i[3]
    M[3, 4] = M[4, 3] = m[3] * (arm**2 + zt * arm * np.sin(ph)) + i[3]
    M[4, 4] = (
        m[3] * (zt**2 + 2 * zt * arm * np.sin(ph) + arm**2) + m[4] * (0.02308**2 + 0.00916**2) + i[3] + i[4]
    )
    M[5, 5] = m[5] * foot**2 + i[5]
    M[5, 6] = M[6, 5] = m[5] * (foot**2 - u * foot * np.sin(om)) + i[5]
    M[6, 6] = (
        m[5] * (foot**2 - 2 * u * foot * np.sin(om) + u**2) + m[6] * (0.01228**2 + 0.00449**2) + i[5] + i[6]
    )
    D = np.array(
        [0.02 * np.cos(ga) + 0.018 * np.sin(ga) - 0.03635, 0.02 * np.sin(ga) - 0.018 * np.cos(ga) + 0.03273]
    )
    stretch = D - [0.014, 0.072]
    length = np.linalg.norm(stretch)
    fx, fy = -4530.0 * (length - 0.07785) / length * stretch
    f = np.array([
        moment - m[1] * da * rr * v[1] * (v[1] + 2 * v[0]) * np.sin(th),
        m[1] * da * rr * v[0] ** 2 * np.sin(th),
        fx * (0.018 * np.cos(ga) - 0.02 * np.sin(ga)) + fy * (0.02 * np.cos(ga) + 0.018 * np.sin(ga)),
        m[3] * zt * arm * v[4] ** 2 * np.cos(ph),
        -m[3] * zt * arm * v[3] * (v[3] + 2 * v[4]) * np.cos(ph),
        -m[5] * u * foot * v[6] ** 2 * np.cos(om),
        m[5] * u * foot * v[5] * (v[5] + 2 * v[6]) * np.cos(om),
    ])  # fmt: skip

    def G(q):
        be, th, ga, ph, de, om, ep = q
        x = [-rr * np.sin(be) + d * np.sin(be + th), d * np.sin(be + th)]
        y = [rr * np.cos(be) - d * np.cos(be + th), -d * np.cos(be + th)]
        left, right = [e * np.cos(ph + de), e * np.sin(ph + de)], [zf * np.sin(om + ep), zf * np.cos(om + ep)]
        return np.array([
            [*x, -ss * np.cos(ga), 0, 0, 0, 0],
            [*y, -ss * np.sin(ga), 0, 0, 0, 0],
            [*x, 0, -left[0], -left[0] + zt * np.sin(de), 0, 0],
            [*y, 0, -left[1], -left[1] - zt * np.cos(de), 0, 0],
            [*x, 0, 0, 0, right[0], right[0] - u * np.cos(ep)],
            [*y, 0, 0, 0, -right[1], -right[1] - u * np.sin(ep)],
        ])  # fmt: skip

    J = G(q)
    gamma = G(q + 1j * STEP * v).imag / STEP @ v
    whole = np.block([[M, J.T], [J, np.zeros((6, 6))]])
    return np.linalg.solve(whole, np.concatenate([f, -gamma]))[:7]


def test_squeezer_against_its_equations_in_seven_angles():
    from validation import squeezer

    system = squeezer.mechanism()
    x = squeezer.start(system)
    assert len(system.drop_redundant(x)) == 9
    where = squeezer.slots(system)
    rng = np.random.default_rng(0)
    for _ in range(4):
        x.q[where[0]] += 0.3
        x.v[:] = 100.0 * rng.normal(size=7)
        x = system.assemble(x, fixed=["crank"])
        wanted = squeezer_accelerations(x.q[where], x.v[where])
        np.testing.assert_allclose(squeezer.accelerations(system, x), wanted, atol=1e-9 * abs(wanted).max())


def test_projection_holds_closures_and_energy_and_baumgarte_nearly():
    system = four_bar()
    x = pinned(system, 1.0, 2.0)
    system.drop_redundant(x)
    log = ist.simulate(system, x, 5.0, 5e-3)
    errors = [abs(system.closure_error(log.state(k), every=True)).max() for k in range(0, len(log), 50)]
    assert max(errors) < 1e-13
    assert abs(system.closure_rate(log.state())).max() < 1e-12
    assert np.ptp(log.energy) < 1e-4
    open_ended = {}
    for method in ("baumgarte", "none"):
        system.stabilize(method)
        end = ist.simulate(system, x, 5.0, 5e-3).state()
        open_ended[method] = abs(system.closure_error(end)).max()
    system.stabilize()
    assert open_ended["baumgarte"] < 1e-7
    assert 1e-13 < open_ended["baumgarte"] < open_ended["none"]


@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_adaptive_methods_stay_closed(method):
    system = four_bar()
    x = pinned(system, 1.0, 2.0)
    system.drop_redundant(x)
    log = ist.simulate(system, x, 1.0, method=method, rtol=1e-9, atol=1e-9)
    fine = ist.simulate(system, x, 1.0, 1e-3)
    np.testing.assert_allclose(log.q[-1], fine.q[-1], atol=1e-7)
    assert max(abs(system.closure_error(log.state(k))).max() for k in range(len(log))) < 1e-12


def test_a_dead_centre_stops_with_its_name():
    """A parallelogram that becomes flat loses rank there: the run says so, and where."""
    system, x = parallelogram(2.0, (0.5, -0.5, 0.5))
    x["left"].v[:], x["bar"].v[:], x["right"].v[:] = -1.0, 1.0, -1.0
    flat = x.copy()
    flat.q[:] = 0.0
    with pytest.raises(ModelError, match=r"'pin'.*dead centre"):
        system.forward_dynamics(flat)
    log = ist.simulate(system, x, 0.4, 1e-3)
    assert log.q[-1, 0] == pytest.approx(0.1, abs=1e-6)


def observed_order(system, x, method, until, steps, fine):
    """Return the slope of log error against log step, and errors of all coordinates in the mean over the run."""

    def run(n):
        return ist.simulate(system, x, until, until / n, method=method, log_step=until / 16).q

    reference = run(fine)
    errors = [np.sqrt(((run(n) - reference) ** 2).mean()) for n in steps]
    return np.polyfit(np.log(1.0 / np.array(steps)), np.log(errors), 1)[0], errors


def test_order_of_rk4_with_projection():
    system = four_bar()
    x = pinned(system, 1.0, 2.0)
    system.drop_redundant(x)
    slope, errors = observed_order(system, x, "rk4", 1.0, (32, 64, 128), 4096)
    assert 3.8 < slope < 4.5, errors


def test_order_of_ros2_with_stiff_modes_and_closures():
    """A flexible coupler with modes up to 1.8 kHz at steps of 1 to 4 ms: order 2, closed after every step."""
    coupler = beam(4, 24, length=3.0, E=2e10, lumped=True, aset=1, name="coupler")
    system = four_bar(coupler=coupler, damping=0.02)
    assert system.body_frequencies_hz("coupler").max() > 1800.0
    x = pinned(system, 1.0, 1.0)
    slope, errors = observed_order(system, x, "ros2", 0.512, (128, 256, 512), 8192)
    assert 1.9 < slope < 2.1, errors
    log = ist.simulate(system, x, 0.512, 4e-3, method="ros2")
    assert max(abs(system.closure_error(log.state(k))).max() for k in range(len(log))) < 1e-12
    rk4 = ist.simulate(system, x, 0.064, 2e-5).state()
    ros2 = ist.simulate(system, x, 0.064, 1e-4, method="ros2").state()
    np.testing.assert_allclose(ros2.q, rk4.q, atol=1e-5)


def test_fixed_fixed_beam():
    """Cantilever and locked closure against the finite-element matrices held at both ends: 1e-8 Hz, 2e-6 in shape."""
    K, M, nodes = beam_matrices(20, length=9.0, E=7e10, rho=2700.0, width=0.1)
    component = Component.from_matrices(K, M, nodes, n_modes=30, aset={1: 123456, 21: 123456}, name="beam")
    mb = Multibody("fixed-fixed")
    mb.add_body("beam", component=component, node=1, joint=Locked())
    mb.close("far end", ("beam", 21), ("ground", [9.0, 0, 0]), joint=Locked())
    system = mb.compile()
    modes = system.modes()
    free = np.arange(6, 6 * 20)
    square, shapes = accurate_modes(K[np.ix_(free, free)], M[np.ix_(free, free)])
    hz = np.sqrt(square[:10]) / (2 * np.pi)
    assert modes.shapes.shape == (36, 30)
    assert abs(modes.frequencies_hz[:10] - hz).max() < 1e-8
    ours = np.concatenate([np.roll(modes.at("beam", node)[:, :6], 3, axis=0) for node in range(2, 21)])
    total = 0.0
    # bending modes come in equal pairs: compare what each pair spans
    for pair in (slice(0, 2), slice(2, 4)):
        a, b = ours[:, pair], shapes[:, pair]
        fit = np.linalg.lstsq(a, b, rcond=None)[0]
        total += np.linalg.norm(a @ fit / np.abs(b).max() - b / np.abs(b).max()) ** 2
    assert np.sqrt(total) < 2e-6


def test_modes_under_load_know_the_forces_of_closures():
    """A hanging four-bar at rest: small oscillations from a simulation and from the modes agree."""
    system, x = parallelogram(1.0, (-np.pi / 2, np.pi / 2, -np.pi / 2), gravity=9.81)
    hz = system.modes(x).frequencies_hz
    # a parallelogram: the bar moves without turning; two pendula and a mass at their ends
    wanted = np.sqrt((2 * 0.5 + 2.0) * 9.81 / (2.0 / 3.0 + 2.0)) / (2 * np.pi)
    np.testing.assert_allclose(hz, [wanted], rtol=1e-9)


def test_free_beam_closed_in_a_ring_conserves():
    """Two free flexible links pinned at both ends tumble freely: momentum to rounding, energy to the method."""
    link = beam(3, 8, name="link")
    mb = Multibody("ring")
    mb.add_body("a", component=link, node=1, joint=Free())
    mb.add_body("b", component=link, node=1, parent="a", at=4, joint=Revolute("z"))
    mb.add_body("c", component=link, node=1, parent="b", at=4, joint=Revolute("z"))
    mb.close("corner", ("c", 4), ("a", 1), joint=Ball())
    system = mb.compile()
    x = system.state()
    x["b"].q[:], x["c"].q[:] = 2 * np.pi / 3, 2 * np.pi / 3
    x["a"].velocity[:] = [0.5, -0.3, 1.0, 0.2, 0.1, 0.0]
    x = system.assemble(x, fixed=["a"])
    fastest = 2 * np.pi * system.body_frequencies_hz("a").max()
    log = ist.simulate(system, x, 4000 * 0.5 / fastest, 0.5 / fastest, log_step=40 * 0.5 / fastest)
    drift = np.ptp(log.momentum, axis=0)
    assert drift.max() < 1e-9 * abs(log.momentum).max()
    assert np.ptp(log.energy) < 1e-5 * log.kinetic[0]
    assert abs(system.closure_error(log.state())).max() < 1e-13
