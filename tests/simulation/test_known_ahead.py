"""Motions and masses in assemblies: known ahead of the vehicle's motion, at every stage, by every method."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from closure_models import four_bar, pinned

import interstage as ist
from interstage.errors import InputError, MotionWarning

# options, and what is allowed beside closed forms: errors of the method
ALLOWED = {
    "rk4": ({"method": "rk4", "step": "10 ms"}, 1e-8),
    "ros2": ({"method": "ros2", "step": "5 ms"}, 1e-4),
    "ros3": ({"method": "ros3", "step": "10 ms"}, 1e-6),
    "ros3-own": ({"method": "ros3", "rtol": 1e-8, "atol": 1e-8}, 1e-6),
    "dopri5": ({"method": "dopri5"}, 1e-7),
    "dop853": ({"method": "dop853"}, 1e-7),
    "radau": ({"method": "radau", "rtol": 1e-8}, 1e-5),
}
EVERY = [pytest.param(*case, id=name) for name, case in ALLOWED.items()]
M0, FLOW, FORCE = 20.0, 3.0, 12.0


class Thrust(ist.Device):
    at = ist.Site()
    force = at.force("world")
    size = ist.Parameter("N", FORCE)

    def outputs(d, t):
        d.force[0] = d.size
        d.force[1] = 0.0
        d.force[2] = 0.0


def wagging(t):
    return 0.3 * np.sin(2.0 * t)


def burning(t):
    return M0 - FLOW * t, (0.0, 0.0, 0.0), (4.0, 4.0, 4.0)


def rocket():
    mb = ist.Multibody("rocket")
    mb.add_body("tank", mass=M0, inertia=[4.0, 4.0, 4.0], joint=ist.Free())
    return mb.compile()


def craft(panel="free"):
    mb = ist.Multibody("craft")
    mb.add_body("bus", mass=100.0, inertia=[50.0, 60.0, 70.0], joint=ist.Free())
    mb.add_body("rotor", mass=5.0, inertia=[2.0, 2.0, 3.0], parent="bus", joint=ist.Revolute("z"))
    mb.add_body(
        "panel", mass=6.0, com=[1.0, 0.0, 0.2], inertia=[1.0, 2.0, 2.5], parent="bus", at=[0.5, 0.0, 0.0],
        joint=ist.Revolute("y") if panel == "free" else ist.Locked(),
    )  # fmt: skip
    mb.add_body(
        "tank", mass=30.0, com=[0.0, 0.0, 0.5], inertia=[1.0, 1.0, 1.0], parent="bus", at=[0.0, 0.0, 1.0],
        joint=ist.Revolute("x", stiffness=20.0),
    )  # fmt: skip
    return mb.compile()


@pytest.mark.parametrize("options, allowed", EVERY)
def test_a_vehicle_turns_back_as_its_rotor_turns(options, allowed):
    """Angular momentum about the common axis stays zero: ω = -J θ̇ / ΣJ, and so the angles; θ is followed exactly."""
    mb = ist.Multibody("two")
    mb.add_body("bus", mass=100.0, inertia=[50.0, 60.0, 70.0], joint=ist.Revolute("z"))
    mb.add_body("rotor", mass=5.0, inertia=[2.0, 2.0, 3.0], parent="bus", joint=ist.Revolute("z"))
    system = mb.compile()
    made = ist.Assembly("x", vehicle=system).add("drive", ist.PrescribedMotion(angle=wagging), body="rotor")
    x = system.state()
    x["bus"].v[:] = -3.0 / 73.0 * 0.6  # θ̇(0) = 0.6
    log = ist.simulate(made, x, until=2, **options)
    assert np.abs(log["rotor"].q[:, 0] - wagging(log.t)).max() < 1e-15
    assert np.abs(log["bus"].q[:, 0] + 3.0 / 73.0 * wagging(log.t)).max() < allowed
    assert np.array_equal(log["drive.angle"], log["rotor"].q)
    assert system.joint_mode("rotor") == "free"  # the vehicle is not changed


@pytest.mark.parametrize("options, allowed", EVERY)
def test_a_burning_mass_under_a_constant_force(options, allowed):
    """m(t) v̇ = F with m = m0 - kt: v = F/k ln(m0/m); energies of the rows are those of the masses of then."""
    system = rocket()
    made = ist.Assembly("x", vehicle=system).add("thrust", Thrust(at="tank"))
    made.add("burning", ist.MassHistory(burning), body="tank")
    log = ist.simulate(made, system.state(), until=4, keep=["thrust"], **options)
    m = M0 - FLOW * log.t
    v = FORCE / FLOW * np.log(M0 / m)
    assert np.abs(log["tank"].v[:, 3] - v).max() < allowed
    assert np.abs(log.energy - 0.5 * m * log["tank"].v[:, 3] ** 2).max() < 1e-12 * log.energy.max()
    assert log.system.settings.body_inertia[0, 0] == pytest.approx(m[-1], rel=1e-14)
    assert system.settings.body_inertia[0, 0] == M0


def test_a_mass_that_follows_the_speed_is_followed_at_every_stage():
    """m = m0 exp(-v/c) under a constant force: c m0 (1 - exp(-v/c)) = F t."""
    system, c = rocket(), 3.0
    made = ist.Assembly("x", vehicle=system).add("thrust", Thrust(at="tank"))

    def of_speed(t, x):
        return M0 * np.exp(-x["tank"].v[3] / c), (0.0, 0.0, 0.0), (4.0, 4.0, 4.0)

    made.add("burning", ist.MassHistory(of_speed), body="tank")
    truth = -c * np.log1p(-FORCE * 3.0 / (c * M0))
    for options, allowed in (
        ({"step": "10 ms"}, 1e-9),
        ({"method": "dopri5"}, 1e-7),
        ({"method": "dop853"}, 1e-7),
    ):
        log = ist.simulate(made, system.state(), until=3, **options)
        assert log["tank"].v[-1, 3] == pytest.approx(truth, abs=allowed)


@pytest.mark.parametrize("options, allowed", EVERY)
def test_a_run_may_bring_motions_and_masses_for_itself(options, allowed):
    """The same numbers as of members of the assembly, and as of the vehicle alone (rounding: 1e-12)."""
    system = craft()
    x = system.state()
    x["tank"].v[:], x["bus"].v[:3] = 0.3, [0.1, -0.2, 0.05]
    times = np.linspace(0.0, 2.0, 41)
    given = {
        "panel": ist.PrescribedMotion(angle=wagging),
        "rotor": ist.PrescribedMotion(rate=(times, np.sin(times))),
    }
    masses = {"tank": lambda t: (30.0 - 2.0 * t, [0.0, 0.0, 0.5], [1.0, 1.0, 1.0])}
    alone = ist.simulate(system, x, until=2, motions=given, mass=masses, **options)
    bare = ist.Assembly("x", vehicle=system)
    one = ist.simulate(bare, x, until=2, motions=given, mass=masses, **options)
    made = ist.Assembly("x", vehicle=system).add("tank", ist.MassHistory(masses["tank"]), body="tank")
    for body, motion in given.items():
        made.add(body, motion, body=body)
    two = ist.simulate(made, x, until=2, **options)
    assert np.array_equal(one.q, two.q) and np.array_equal(one.v, two.v)
    assert np.abs(one.q[-1] - alone.q[-1]).max() < 1e-12 and np.abs(one.v[-1] - alone.v[-1]).max() < 1e-12
    assert np.abs(one.energy[-1] - alone.energy[-1]) < 1e-12


def test_closures_follow_a_driven_crank():
    system = four_bar()
    system.drop_redundant(pinned(system))
    x, crank = pinned(system), "crank"
    start = float(x[crank].q[0])
    drive = ist.PrescribedMotion(angle=lambda t: start + 0.2 * np.sin(t))
    made = ist.Assembly("x", vehicle=system).add("drive", drive, body=crank)
    for options in ({"step": "10 ms"}, {"method": "dopri5"}, {"method": "dop853"}):
        log = ist.simulate(made, x, until=1, **options)
        assert np.abs(log[crank].q[:, 0] - start - 0.2 * np.sin(log.t)).max() < 1e-12
        system.check_closed(log.state())


def test_linear_models_have_what_is_known_as_it_is():
    """A rotor of constant rate and a panel of constant angle: as a locked panel, and the gyroscopic terms of h = JΩ."""
    free, locked = craft(), craft("locked")
    made = ist.Assembly("x", vehicle=free).add(
        "spin", ist.PrescribedMotion(rate=lambda t: 40.0 + 0.0 * t), body="rotor"
    )
    made.add("panel", ist.PrescribedMotion(angle=lambda t: 0.0 * t), body="panel")
    other = ist.Assembly("x", vehicle=locked)
    other.add("spin", ist.PrescribedMotion(rate=lambda t: 40.0 + 0.0 * t), body="rotor")
    one, two = ist.linearize(made, free.state()), ist.linearize(other, locked.state())
    assert one.states == two.states and not any("rotor" in name for name in one.states)
    assert np.abs(one.A - two.A).max() < 1e-12 * np.abs(two.A).max()
    still = ist.linearize(
        ist.Assembly("x", vehicle=locked).add(
            "hold", ist.PrescribedMotion(rate=lambda t: 0.0 * t), body="rotor"
        ),
        locked.state(),
    )
    M = locked.mass_matrix(locked.state())
    h = 3.0 * 40.0
    gyro = np.zeros((6, 6))
    gyro[0, 1], gyro[1, 0] = -h, h  # ω̇ terms of -ω × h ẑ
    v = [one.states.index(name) for name in still.states if name.startswith("bus.w")]
    wanted = np.linalg.inv(np.delete(np.delete(M, 6, 0), 6, 1))
    found = (one.A - still.A)[np.ix_(v, v)]
    assert (
        np.abs(found - (wanted @ np.pad(gyro, ((0, 1), (0, 1))))[:3, :3]).max() < 1e-10 * np.abs(found).max()
    )


def test_linear_models_have_the_mass_of_their_time():
    free = craft()
    made = ist.Assembly("x", vehicle=free).add(
        "less", ist.MassHistory(lambda t: (12.0, [0.0, 0.0, 0.4], [0.5, 0.6, 0.7])), body="tank"
    )
    lighter = free.with_settings()
    lighter.set_mass("tank", 12.0, [0.0, 0.0, 0.4], [0.5, 0.6, 0.7])
    one = ist.linearize(made, free.state())
    two = ist.linearize(ist.Assembly("x", vehicle=lighter), lighter.state())
    assert np.abs(one.A - two.A).max() < 1e-12 * np.abs(two.A).max()


def test_adaptive_steps_end_at_corners_of_tables():
    """A short pulse of a table that is still before and after it is not passed unseen."""
    mb = ist.Multibody("two")
    mb.add_body("bus", mass=1.0, inertia=np.eye(3), joint=ist.Revolute("z"))
    mb.add_body("rotor", mass=1.0, inertia=np.eye(3), parent="bus", joint=ist.Revolute("z"))
    system = mb.compile()
    times = np.linspace(0.0, 100.0, 10001)
    bump = np.where(abs(times - 50.0) < 0.25, np.cos(2.0 * np.pi * (times - 50.0)) ** 2, 0.0)
    made = ist.Assembly("x", vehicle=system).add(
        "drive", ist.PrescribedMotion(acceleration=(times, bump)), body="rotor"
    )
    for method in ("dopri5", "dop853"):
        log = ist.simulate(made, system.state(), until=100, method=method)
        assert log["bus"].v[-1, 0] == pytest.approx(-0.5 * 0.25, abs=1e-6)


def test_a_jump_of_a_motion_is_told():
    system = craft()
    jumps = ist.PrescribedMotion(angle=lambda t: np.where(t > 0.5, 0.2, 0.0) + 0.0 * t)
    made = ist.Assembly("x", vehicle=system).add("drive", jumps, body="panel")
    with pytest.warns(MotionWarning, match="jumps"):
        ist.simulate(made, system.state(), until=1, step="10 ms")


def test_a_run_with_motions_and_masses_is_resumed_bit_for_bit(tmp_path):
    def made():
        system = rocket()
        found = ist.Assembly("x", vehicle=system).add("thrust", Thrust(at="tank"))
        return found.add("burning", ist.MassHistory(burning), body="tank")

    first = made()
    x = first.vehicle.state()
    whole = ist.simulate(first, x, until=2, step="4 ms", log=tmp_path / "a.h5", checkpoint="0.7 s")
    again = ist.resume(tmp_path / "a.ckpt.h5")  # functions of a module are found by name
    digests = {hashlib.sha256(np.c_[log.t, log.q, log.v].tobytes()).hexdigest() for log in (whole, again)}
    assert len(digests) == 1
    read = type(whole).load(tmp_path / "a.h5")
    assert np.array_equal(read.energy, whole.energy)


def test_conditions_see_the_mass_of_their_time():
    """Half of the mass is gone at t = m0/2k, found to the tolerance of the event; the burnt stage then leaves."""
    mb = ist.Multibody("two")
    mb.add_body("core", mass=5.0, inertia=[1.0, 1.0, 1.0], joint=ist.Free())
    mb.add_body("tank", mass=M0, inertia=[4.0, 4.0, 4.0], parent="core", at=[-1.0, 0.0, 0.0])
    system = mb.compile()
    made = ist.Assembly("x", vehicle=system).add("thrust", Thrust(at="core"))
    made.add("burning", ist.MassHistory(burning), body="tank")

    def half(t, x, system):
        return system.settings.body_inertia[system.body("tank"), 0] - M0 / 2.0

    leave = ist.Event(condition=half, action=ist.Detach("tank"), name="half")
    log = ist.simulate(made, system.state(), until=5, step="30 ms", events=[leave])
    (event,) = log.events
    when = M0 / (2.0 * FLOW)
    assert event.t == pytest.approx(when, abs=2e-9)
    assert log.phases[1].inertia["tank"][0, 0] == pytest.approx(M0 / 2.0, abs=1e-8)
    # before: the mass of both, burning; after: the core alone
    v = FORCE / FLOW * np.log((5.0 + M0) / (5.0 + M0 / 2.0))
    assert log.phases[0]["core"].v[-1, 3] == pytest.approx(v, abs=1e-8)
    assert log.phases[1]["core"].v[-1, 3] == pytest.approx(v + FORCE / 5.0 * (5.0 - when), abs=1e-7)


def test_what_does_not_fit_is_said():
    system = craft()
    bare = lambda: ist.Assembly("x", vehicle=system)  # noqa: E731
    still = ist.PrescribedMotion(angle=lambda t: 0.0 * t)
    run = lambda made, **more: ist.simulate(made, system.state(), until=0.1, step="10 ms", **more)  # noqa: E731
    twice = bare().add("a", still, body="panel").add("b", still, body="panel")
    for make, words in (
        (lambda: run(twice), "the motion of body 'panel' has two writers"),
        (lambda: run(bare().add("a", still, body="panel"), motions={"panel": still}), "two writers"),
        (lambda: run(bare().add("a", still, body="penal")), "did you mean panel"),
        (lambda: run(bare(), mass={"penal": burning}), "did you mean panel"),
        (lambda: bare().add("a", still), "does not fit body="),
        (lambda: bare().add("a", lambda t: None, body="panel"), "does not fit body="),
        (lambda: bare().add("a", still, body="panel", every="1 s"), "holds at every instant"),
        (lambda: run(bare().add("a", still, body="bus")), "no angles to prescribe"),
        (lambda: run(ist.Assembly("x").add("a", still, body="bus")), "and there is none"),
        (lambda: run(bare(), motions={"panel": lambda t: 0.0}), "not a motion"),
        (lambda: run(bare(), mass={"tank": 3.0}), "not a function"),
        (lambda: run(bare(), mass={"tank": lambda t: (-1.0,)}), "mass"),
        (lambda: run(bare(), motions={"panel": still}, log="x.h5", checkpoint="1 s"), "add them to the assembly"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=words):
            make()


@pytest.mark.kernels
def test_a_small_run_goes_without_compilation_too():
    system = rocket()
    made = ist.Assembly("x", vehicle=system).add("thrust", Thrust(at="tank"))
    made.add("burning", ist.MassHistory(burning), body="tank")
    log = ist.simulate(made, system.state(), until=0.1, step="50 ms")
    assert log["tank"].v[-1, 3] == pytest.approx(FORCE / FLOW * np.log(M0 / (M0 - 0.1 * FLOW)), rel=1e-9)
