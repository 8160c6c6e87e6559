"""Prescribed motions, switches of joints, masses that change: inputs in time and what they need."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from multibody_models import beam

import interstage as ist
from interstage.errors import InputError
from interstage.multibody import Ball, Free, Multibody, Revolute, Universal
from interstage.simulation import simulate
from interstage.simulation.plant.prescribed_motion import Mass

BEAM = beam(n_elements=5, n_modes=3, E=2e8)


def pendulum(joint=None):
    """Return an arm with a flexible beam on a hinge, in gravity."""
    mb = Multibody("pendulum", gravity=[0, 0, -9.81])
    mb.add_body("arm", mass=2.0, com=[0.3, 0, 0], inertia=[0.1, 0.2, 0.2], joint=Revolute("y"))
    mb.add_body("beam", component=BEAM, parent="arm", at=[0.6, 0, 0], joint=joint or Revolute("y"))
    return mb.compile()


def test_prescribing_what_a_free_run_did_returns_its_torque():
    """Free motion under torques of 0.4 and 1.7; its angle history as input needs 1.7 again, to 1e-8."""
    system = pendulum()
    tau = np.zeros(system.nv)
    tau[:2] = 0.4, 1.7
    free = simulate(system, system.state(), 0.4, tau=tau, rtol=1e-12, atol=1e-12)
    at = functools.cache(free.at)
    motion = ist.PrescribedMotion(
        angle=lambda t: at(t)["beam"].q,
        rate=lambda t: at(t)["beam"].v,
        acceleration=lambda t: system.forward_dynamics(at(t), tau=tau)[1:2],
    )
    given = np.where(np.arange(system.nv) == 0, 0.4, 0.0)
    log = simulate(
        system,
        system.state(),
        0.4,
        tau=given,
        motions={"beam": motion},
        log_step=0.05,
        rtol=1e-12,
        atol=1e-12,
    )
    assert np.abs(log.torque("beam") - 1.7).max() < 1e-8
    assert np.abs(log.torque("arm") - 0.4).max() < 1e-9
    assert np.abs(log["arm"].q[-1] - free["arm"].q[-1]).max() < 1e-9
    assert system.joint_mode("beam") == "free"  # the run had a copy
    # fixed steps: the error of RK4 in the modes, fourth order
    errors = []
    for h in (1e-3, 5e-4):
        log = simulate(system, system.state(), 0.2, h, tau=given, motions={"beam": motion}, log_step=0.1)
        errors.append(np.abs(log.torque("beam")[-1] - 1.7).max())
    assert np.log2(errors[0] / errors[1]) > 3.5


@pytest.mark.parametrize(
    "options", [{"step": 2e-3, "method": "ros2"}, {"step": 5e-4}, {"rtol": 1e-10, "atol": 1e-10}]
)
def test_an_angle_history_is_followed_exactly(options):
    system = pendulum(Revolute("y", stiffness=5.0, damping=0.3))
    log = simulate(
        system,
        system.state(),
        0.4,
        motions={"beam": ist.PrescribedMotion(angle=lambda t: 0.3 * np.sin(5 * t))},
        **options,
    )
    np.testing.assert_allclose(log["beam"].q[:, 0], 0.3 * np.sin(5 * log.t), atol=1e-15)
    np.testing.assert_allclose(log["beam"].v[:, 0], 1.5 * np.cos(5 * log.t), atol=1e-14)
    slots = log.system.layout["beam"].v
    np.testing.assert_allclose(log.accelerations[:, slots][:, 0], -7.5 * np.sin(5 * log.t), atol=1e-9)


def test_the_drive_does_the_work():
    """Energy gained = work of the drive: ∫ τ q̇ dt by Simpson on 801 points, and the rates of all levels agree."""
    system = pendulum()
    ends = []
    for motion in (
        ist.PrescribedMotion(angle=lambda t: 0.3 * np.sin(5 * t)),
        ist.PrescribedMotion(rate=lambda t: 1.5 * np.cos(5 * t)),
        ist.PrescribedMotion(acceleration=lambda t: -7.5 * np.sin(5 * t)),
    ):
        x = system.state()
        x["beam"].v[:] = 1.5
        log = simulate(system, x, 0.4, motions={"beam": motion}, rtol=1e-11, atol=1e-12, log_step=5e-4)
        power = log.torque("beam")[:, 0] * log["beam"].v[:, 0]
        w = np.ones(len(power))
        w[1:-1:2], w[2:-1:2] = 4.0, 2.0
        assert 5e-4 / 3.0 * (w @ power) == pytest.approx(log.energy[-1] - log.energy[0], abs=1e-6)
        ends.append(log.q[-1])
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-8)
    np.testing.assert_allclose(ends[2], ends[0], atol=1e-8)


def test_tables_and_how_derivatives_are_found():
    t = np.linspace(0.0, 1.0, 101)
    table = ist.PrescribedMotion(angle=(t, 0.3 * np.sin(5 * t)))
    assert table.derivatives == {"rate": "spline", "acceleration": "spline"}
    exact = ist.PrescribedMotion(angle=lambda t: 0.3 * np.sin(5 * t))
    for (f, _), (g, _), tolerance in zip(table.levels, exact.levels, (1e-9, 1e-7, 1e-4)):
        assert abs(f(0.5) - g(0.5)).max() < tolerance
    assert exact.levels[2][0](0.2)[0] == pytest.approx(-7.5 * np.sin(1.0), abs=1e-10)
    real = ist.PrescribedMotion(angle=lambda t: 0.3 * np.sin(5 * float(t)))
    assert real.derivatives == {"rate": "differences", "acceleration": "differences"}
    assert real.levels[1][0](0.2)[0] == pytest.approx(1.5 * np.cos(1.0), abs=1e-10)
    assert real.levels[2][0](0.2)[0] == pytest.approx(-7.5 * np.sin(1.0), abs=1e-7)
    kink = ist.PrescribedMotion(angle=lambda t: np.abs(t - 0.37))
    assert [kink.levels[1][0](t)[0] for t in (0.0, 0.36, 0.38)] == [-1.0, -1.0, 1.0]
    given = ist.PrescribedMotion(angle=np.sin, rate=np.cos)
    assert given.derivatives == {"acceleration": "exact"}


def test_joints_of_several_degrees_of_freedom():
    system = pendulum(Universal("xy"))
    motion = ist.PrescribedMotion(angle=lambda t: np.array([0.2 * np.sin(3 * t), 0.1 * t * t]))
    log = simulate(system, system.state(), 0.3, 1e-3, motions={"beam": motion}, log_step=0.3)
    np.testing.assert_allclose(log["beam"].q[-1], [0.2 * np.sin(0.9), 0.009], atol=1e-14)
    assert log.torque("beam").shape == (2, 2)
    ball = pendulum(Ball())
    log = simulate(
        ball, ball.state(), 0.5, 1e-3, motions={"beam": ist.PrescribedMotion(rate=lambda t: [0, 2.0, 0])}
    )
    # a steady turn about y by one radian
    np.testing.assert_allclose(log["beam"].quaternion[-1], [np.cos(0.5), 0, np.sin(0.5), 0], atol=1e-12)


def test_free_locked_prescribed_at_run_time():
    """Locking stops the joint by an inner impulse; a rate history takes over by another; then it is free again."""
    mb = Multibody("engine")
    mb.add_body("core", mass=100.0, inertia=[10, 200, 200], joint=Free())
    engine = {"mass": 10.0, "com": [-0.8, 0, 0], "inertia": [1, 3, 3]}
    mb.add_body("engine", **engine, parent="core", at=[-3, 0, 0], joint=Revolute("z"))
    system = mb.compile()
    x = system.state()
    x["engine"].v[:] = 0.7
    x["core"].velocity[:] = [0.1, 0.2, 0.3, 4.0, 0.0, 0.0]
    events = [
        ist.Event(at=0.1, action=ist.SetJointMode("engine", "locked")),
        ist.Event(
            at=0.2,
            action=ist.SetJointMode(
                "engine", "prescribed", ist.PrescribedMotion(rate=lambda t: 0.5 * np.cos(t))
            ),
        ),
        ist.Event(at=0.3, action=ist.SetJointMode("engine", "free")),
    ]
    own = {"method": "dop853", "rtol": 1e-11, "atol": 1e-11}
    flight = ist.Assembly("engine", vehicle=system)
    for what, options in [(w, o) for w in (system, flight) for o in ({"step": 1e-3}, own)]:
        log = simulate(what, x, 0.4, events=events, **options)
        for event in log.events:
            size = np.abs(event.momentum_before).max()
            assert np.abs(event.momentum_after - event.momentum_before).max() < 1e-12 * size
        assert log.events[0].energy_loss > 0.0
        assert log.events[1].energy_loss < 0.0  # the drive sets the engine in motion
        assert log.events[2].energy_loss == 0.0
        one, two, three, four = log.phases
        assert np.abs(two["engine"].v).max() == 0.0 and np.ptp(two["engine"].q) == 0.0
        np.testing.assert_allclose(three["engine"].v[:, 0], 0.5 * np.cos(three.t), atol=1e-14)
        assert np.abs(log.torque("engine")[: len(one)]).max() < 1e-12
        assert np.abs(two.forces[:, 6]).max() > 1e-3  # what holds the locked joint
        assert np.abs(four.forces).max() < 1e-12
        assert np.abs(log.momentum - log.momentum[0]).max() < 1e-9 * np.abs(log.momentum[0]).max()


def test_a_control_law_commands_accelerations():
    system = pendulum(Revolute("y", prescribed=True))
    log = simulate(
        system,
        system.state(),
        0.2,
        1e-3,
        control=lambda t, x: {"accelerations": {"beam": 3.0}},
        control_step=0.1,
    )
    assert log["beam"].q[-1, 0] == pytest.approx(0.5 * 3.0 * 0.04, rel=1e-10)


def test_burning_mass_takes_its_momentum_with_it():
    """No thrust: velocity and spin stay while the mass goes; force/mass follows F t/m(t) exactly to 4th order."""
    mb = Multibody("tank")
    mb.add_body("tank", mass=10.0, com=[0.2, 0, 0], inertia=[1, 1, 1], joint=Free())
    system = mb.compile()
    x = system.state()
    x["tank"].velocity[3] = 3.0

    def burn(t):
        m = 10.0 - 4.0 * t
        return m, [0.2, 0, 0], np.eye(3) * m / 10.0

    for options in ({"step": 0.05}, {"rtol": 1e-11, "atol": 1e-12}):
        log = simulate(system, x, 1.0, mass={"tank": burn}, **options)
        np.testing.assert_allclose(log["tank"].velocity[:, 3], 3.0, rtol=1e-13)
        np.testing.assert_allclose(log.momentum[:, 3], 3.0 * (10.0 - 4.0 * log.t), rtol=1e-12)
        push = simulate(
            system,
            x,
            1.0,
            mass={"tank": burn},
            forces={("tank", (0.2, 0, 0)): [0, 0, 0, 5.0, 0, 0]},
            **options,
        )
        exact = 3.0 + 5.0 / 4.0 * np.log(10.0 / (10.0 - 4.0 * push.t))
        np.testing.assert_allclose(push["tank"].velocity[:, 3], exact, rtol=1e-7)
    assert system.model.spec("tank").inertia.mass == 10.0


def test_mass_as_a_function_of_the_state_and_in_other_forms():
    mb = Multibody("bucket", gravity=[0, 0, -9.81])
    mb.add_body("bucket", mass=2.0, inertia=[1, 1, 1], joint=Free())
    system = mb.compile()

    def leak(t, x):
        return ist.RigidInertia(2.0 + 0.1 * x["bucket"].position[2], [0, 0, 0], np.eye(3))

    log = simulate(system, system.state(), 1.0, 1e-2, mass={"bucket": leak})
    # falling mass falls as any mass does
    assert log["bucket"].position[-1, 2] == pytest.approx(-0.5 * 9.81, rel=1e-10)
    assert log.phases[0].inertia["bucket"][-1, 0] == pytest.approx(2.0 - 0.1 * 0.5 * 9.81, rel=1e-9)
    for words, f in (
        ("not a function", 3.0),
        ("failed at t = 0", lambda t: 1 / 0),
        ("mass history of 'bucket' returned .* expected RigidInertia or", lambda t: (1, 2, 3, 4)),
        (
            r"mass history of 'bucket' returned 3\.0: expected RigidInertia or \(mass, com, inertia\)",
            lambda t: 3.0,
        ),
    ):
        with pytest.raises(InputError, match=words):
            simulate(system, system.state(), 1.0, 1e-2, mass={"bucket": f})
    flexible = pendulum()
    with pytest.raises(InputError, match="flexible"):
        simulate(flexible, flexible.state(), 1.0, 1e-2, mass={"beam": lambda t: 1.0})


@pytest.mark.parametrize("options", [{"step": 1e-2}, {"method": "dopri5"}, {"method": "dop853"}], ids=str)
def test_mass_of_the_state_is_followed_at_every_stage(options):
    """(2 + z) z̈ = F gives ż²/2 = F ln(1 + z/2); a load of three times the mass of then gives z = 3 t²/2."""
    mb = Multibody("sled")
    mb.add_body("sled", mass=2.0, inertia=[1, 1, 1], joint=ist.Prismatic("z"))
    system = mb.compile()
    options = {**options, "mass": {"sled": lambda t, x: (2.0 + x["sled"].q[0], [0, 0, 0], np.eye(3))}}
    log = simulate(system, system.state(), 1.0, tau=[4.0], **options)
    z, rate = log["sled"].q[:, 0], log["sled"].v[:, 0]
    # errors of the methods: 4th order of 10 ms, tolerances of 1e-9
    np.testing.assert_allclose(0.5 * rate**2, 4.0 * np.log1p(z / 2.0), rtol=0, atol=2e-8)
    log = simulate(
        system, system.state(), 1.0, tau=lambda t, s: [3.0 * s.mass_matrix(s.state())[0, 0]], **options
    )
    np.testing.assert_allclose(log["sled"].q[:, 0], 1.5 * log.t**2, rtol=0, atol=2e-8)


def test_lumped_children_burn_and_separate_in_one_run():
    """A stage that empties, then leaves with what is left: the log keeps masses row by row."""
    mb = Multibody("stack")
    mb.add_body("core", component=BEAM, joint=Free(), node=1)
    mb.add_body("stage", mass=3.0, inertia=[0.1, 0.1, 0.1], parent="core", at=6)
    system = mb.compile()
    x = system.state()
    x["core"].velocity[:] = [0, 0, 0.2, 1.0, 0, 0]

    def burn(t):
        return 3.0 - 2.0 * t, [0, 0, 0], 0.1 * np.eye(3)

    log = simulate(
        system,
        x,
        1.0,
        1e-3,
        method="ros2",
        mass={"stage": burn},
        log_step=0.1,
        events=[ist.Event(at=0.5, action=ist.Detach("stage"))],
    )
    (event,) = log.events
    size = np.abs(event.momentum_before).max()
    assert np.abs(event.momentum_after - event.momentum_before).max() < 1e-12 * size
    assert log.phases[1].inertia["stage"][0, 0] == pytest.approx(2.0, rel=1e-12)
    assert log.phases[1].inertia["stage"][-1, 0] == pytest.approx(1.0, rel=1e-12)


def test_bad_motions_are_refused_in_words():
    system = pendulum()
    x = system.state()
    for words, motion in (
        ("not a motion", 3.0),
        ("does not cover the run", ist.PrescribedMotion(angle=(np.linspace(0.0, 0.1, 8), np.zeros(8)))),
        ("too short", ist.PrescribedMotion(angle=([0.0, 1.0], [0.0, 0.0]))),
        ("does not fit its joint", ist.PrescribedMotion(angle=lambda t: [t, t])),
        ("failed at t", ist.PrescribedMotion(rate=lambda t: 1 / 0, acceleration=lambda t: 0.0)),
    ):
        with pytest.raises(InputError, match=words):
            simulate(system, x, 1.0, 1e-2, motions={"beam": motion})
    for words, action in (
        ("needs a history", lambda: ist.PrescribedMotion()),
        (
            "rising times",
            lambda: simulate(
                system, x, 1.0, 0.1, motions={"beam": ist.PrescribedMotion(angle=([1, 0], [0, 1]))}
            ),
        ),
        (
            "no body 'nose'",
            lambda: simulate(system, x, 1.0, 0.1, motions={"nose": ist.PrescribedMotion(angle=np.sin)}),
        ),
        ("no body 'nose'", lambda: simulate(system, x, 1.0, 0.1, mass={"nose": lambda t: 1.0})),
    ):
        with pytest.raises(InputError, match=words):
            action()
    ball = pendulum(Ball())
    with pytest.raises(InputError, match="no angles to prescribe"):
        simulate(ball, ball.state(), 1.0, 0.1, motions={"beam": ist.PrescribedMotion(angle=np.sin)})
    start = ist.Event(
        at=0.1, action=ist.SetJointMode("beam", "prescribed", ist.PrescribedMotion(angle=lambda t: 2.0 + t))
    )
    with pytest.raises(ist.InterstageError, match="not where its motion starts"):
        simulate(system, x, 1.0, 1e-3, events=[start])


def test_a_mass_history_has_every_moment_of_its_particles():
    """Six particles whose center lies off in x, y and z: m, m c and all six moments about a point, by plain sums."""
    rng = np.random.default_rng(4)
    masses, places = rng.uniform(0.5, 2.0, 6), rng.normal(size=(6, 3)) + [0.7, -0.4, 1.1]
    origin = np.array([0.3, 0.2, -0.5])

    def cloud(t):
        m = masses * (1.0 - 0.1 * t)
        com = m @ places / m.sum()
        second = np.einsum("k,ki,kj->ij", m, places - com, places - com)
        return m.sum(), com, np.trace(second) * np.eye(3) - second

    times = np.array([0.0, 1.5, 4.0])
    found = Mass(cloud, "b").table(times, None, origin)
    for t, row in zip(times, found):
        m, (x, y, z) = masses * (1.0 - 0.1 * t), (places - origin).T
        moments = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z]
        wanted = [m.sum(), m @ x, m @ y, m @ z, *(m @ moment for moment in moments)]
        np.testing.assert_allclose(row, wanted, rtol=1e-13, atol=1e-13)
