"""What laws, conditions and logs see: the vehicle as it is at that instant, and nothing that is changed elsewhere."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.errors import InputError

K, M, C = 4.0e4, 2.0, 3.0


def oscillator(stiffness=K):
    """Return a mass on a spring along x, pulled by gravity."""
    mb = ist.Multibody("oscillator", gravity=[9.0, 0.0, 0.0])
    mb.add_body("cart", mass=M, joint=ist.Prismatic("x", stiffness=stiffness, damping=C))
    system = mb.compile()
    x = system.state(q=[0.01])
    return system, x


def truth(x):
    return 9.0 - (K * x["cart"].q[0] + C * x["cart"].v[0]) / M


def test_accelerations_in_laws_and_conditions_of_implicit_runs():
    system, x = oscillator()
    errors = []

    def law(t, x, system=system):
        errors.append(system.forward_dynamics(x)[0] - truth(x))
        return {"tau": [0.0]}

    def condition(t, x, seen):
        errors.append(seen.forward_dynamics(x)[0] - truth(x))
        errors.append(system.forward_dynamics(x)[0] - truth(x))
        return 1.0

    ist.simulate(system, x, 0.2, 0.01, method="ros2", control=law, events=[ist.Event(condition)])
    assert len(errors) > 60 and np.abs(errors).max() < 1e-9 * K


@pytest.mark.parametrize(
    "method",
    [
        {"step": 0.01},
        {"step": 0.5},
        {"step": 0.1, "method": "ros2"},
        {"step": 1.0, "method": "ros2"},
        {"method": "dop853"},
        {"method": "radau"},
    ],
)
def test_conditions_see_the_mass_of_their_time(method):
    mb = ist.Multibody("tank")
    mb.add_body("tank", mass=10.0, inertia=[1.0, 1.0, 1.0])
    system = mb.compile()
    x = system.state(v=[0.0, 0.1, 0.0, 1.0, 0.0, 0.0])
    seen = []
    event = ist.Event(lambda t, x, system: system.mass_properties(x).mass - 4.995, "stop")
    law = (
        {}
        if "step" not in method
        else {"control": lambda t, x, s: seen.append((t, s.mass_properties(x).mass))}
    )
    log = ist.simulate(
        system,
        x,
        8.0,
        mass={"tank": lambda t: (10.0 - t, [0, 0, 0], [1, 1, 1])},
        events=[event],
        **method,
        **law,
    )
    assert log.t[-1] == pytest.approx(5.005, abs=2e-9)
    for t, mass in seen:
        assert mass == pytest.approx(10.0 - t, abs=1e-12)
    assert system.mass_properties(x).mass == pytest.approx(10.0)


def arm():
    """Return two bodies on hinges in gravity, moving."""
    mb = ist.Multibody("arm", gravity=[0.0, 0.0, -9.81])
    rod = {"com": [0.5, 0, 0], "inertia": [0.1, 0.2, 0.2], "joint": ist.Revolute("y")}
    mb.add_body("a", mass=1.0, **rod)
    mb.add_body("b", mass=0.5, **rod, parent="a", at=[1, 0, 0])
    system = mb.compile()
    return system, system.state(q=[0.2, 0.4], v=[0.3, -0.1])


@pytest.mark.parametrize("options", [{"step": 0.01}, {}, {"step": 0.01, "method": "ros2"}])
def test_logs_do_not_change_with_the_system(options):
    system, x = arm()
    expected = ist.simulate(*arm(), 0.2, **options)
    log = ist.simulate(system, x, 0.2, **options)
    system.set_mass("a", 5.0, [0.5, 0, 0], [0.1, 0.2, 0.2])
    system.set_joint_mode("b", "locked")
    np.testing.assert_array_equal(log.energy, expected.energy)
    np.testing.assert_array_equal(log.accelerations, expected.accelerations)
    np.testing.assert_array_equal(log.torque("b"), expected.torque("b"))
    assert log.system.mass_properties(x).mass == pytest.approx(1.5)


def test_asking_one_phase_leaves_the_others_alone():
    system, x = arm()
    mass = {"a": lambda t: (1.0 + t, [0.5, 0, 0], [0.1, 0.2, 0.2])}
    lock = ist.Event(at=0.1, action=ist.SetJointMode("b", "locked"))
    log = ist.simulate(system, x, 0.2, 0.01, mass=mass, events=[lock])
    first, last = log.phases
    before = [phase.system.settings.copy() for phase in log.phases]
    assert first.system_at(0).mass_properties(x).mass == pytest.approx(1.5)
    assert last.system_at(-1).mass_properties(x).mass == pytest.approx(1.7)
    _ = first.sums, last.sums, first.accelerations, last.accelerations, log.position("b", (1.0, 0.0, 0.0))
    assert [phase.system.settings for phase in log.phases] == before
    assert first.system.joint_mode("b") == "free" and not last.accelerations[:, 1].any()
    # energy as by hand: T + V of the two bodies with the mass of their row
    for phase in log.phases:
        for k in (0, len(phase) - 1):
            view = system.with_settings()
            view.set_mass("a", 1.0 + phase.t[k], [0.5, 0, 0], [0.1, 0.2, 0.2])
            assert phase.sums[k, :3].sum() == pytest.approx(view.energy(phase.state(k)), rel=1e-12)


def test_sweeps_leave_the_system_as_it_was():
    mb = ist.Multibody("cart")
    mb.add_body("cart", mass=2.0, joint=ist.Prismatic("x", stiffness=8.0))
    system = mb.compile()
    x = system.state()
    found = ist.sweep_modes(system, x, [1.0, 8.0, 32.0], lambda s, x, m: s.set_mass("cart", m))
    np.testing.assert_allclose(
        2.0 * np.pi * found.frequencies_hz[:, 0], np.sqrt(8.0 / np.array([1.0, 8.0, 32.0]))
    )
    assert system.mass_matrix(x)[0, 0] == 2.0


def test_positions_of_a_log_are_those_of_its_states():
    system, x = arm()
    log = ist.simulate(system, x, 0.3, 0.01)
    for node in (None, (0.7, 0.1, -0.2)):
        expected = [system.position(log.state(k), "b", node) for k in range(len(log))]
        np.testing.assert_allclose(log.position("b", node), expected, atol=1e-14)


def test_dense_output_has_quaternions_of_unit_length():
    mb = ist.Multibody("top")
    mb.add_body("top", mass=1.0, inertia=[1.0, 2.0, 2.5])
    system = mb.compile()
    log = ist.simulate(system, system.state(v=[3.0, 1.0, 0.5, 0, 0, 0]), 5.0, rtol=1e-4, atol=1e-4)
    for t in np.linspace(0.0, 5.0, 37):
        assert np.linalg.norm(log.at(t)["top"].quaternion) == pytest.approx(1.0, abs=1e-15)


def test_a_log_survives_pickle_with_all_that_it_can_be_asked():
    system, x = arm()
    options = {
        "motions": {"b": ist.PrescribedMotion(angle=lambda t: 0.4 + 0.1 * np.sin(3.0 * t))},
        "mass": {"a": lambda t: (1.0 + t, [0.5, 0, 0], [0.1, 0.2, 0.2])},
        "tau": lambda t: [np.sin(t), 0.0],
        "forces": {("a", (1.0, 0.0, 0.0)): [0, 0, 0, 0, 0, 1.0]},
    }
    for method in ({"step": 0.01}, {}):
        log = ist.simulate(system, x, 0.2, **method, **options)
        for other in (pickle.loads(pickle.dumps(log)), copy.deepcopy(log)):
            np.testing.assert_array_equal(other.energy, log.energy)
            np.testing.assert_array_equal(other.accelerations, log.accelerations)
            np.testing.assert_array_equal(other.torque("b"), log.torque("b"))
            np.testing.assert_array_equal(other.position("b", (1, 0, 0)), log.position("b", (1, 0, 0)))
            assert other.t[-1] == log.t[-1]


@pytest.mark.parametrize("why", ["keep", "held"])
def test_a_log_without_accelerations_travels_and_says_why_it_has_none(why):
    system, x = arm()
    flight = ist.Assembly("arm", vehicle=system).add(
        "motor", dev.Motor(joint="b", inertia=0.1, stiffness=9.0)
    )
    if why == "held":
        flight.add("brake", dev.StickSlip(joint="a", coulomb=0.1))
    keep = ["motor.turned"] if why == "keep" else None
    log = ist.simulate(flight, x, until=0.1, step=0.01, keep=keep, set={"motor.command": 0.0})
    words = "does not have what" if why == "keep" else "devices hold and free joints"
    for other in (pickle.loads(pickle.dumps(log)), copy.deepcopy(log)):
        np.testing.assert_array_equal(other.q, log.q)
        with pytest.raises(InputError, match=words):
            _ = other.accelerations


@pytest.mark.parametrize(
    "options", [{"step": 0.01}, *({"method": m} for m in ("dop853", "rk45", "radau", "lsoda"))]
)
def test_every_method_names_the_body_that_stops_it(options):
    mb = ist.Multibody("pair", gravity=[0.0, 0.0, -9.81])
    mb.add_body("arm", mass=1.0, inertia=[1, 1, 1], joint=ist.Revolute("y"))
    mb.add_body("tank", mass=1.0, inertia=[1, 1, 1], parent="arm", at=[1, 0, 0], joint=ist.Revolute("y"))
    system = mb.compile()
    mass = {"tank": lambda t: (1.0, [0, 0, 0], max(0.0, 1.0 - 2.0 * t) * np.eye(3))}
    with pytest.raises(ist.InterstageError, match=r"body 'tank' .* have no inertia"):
        ist.simulate(system, system.state(), 1.0, mass=mass, **options)
