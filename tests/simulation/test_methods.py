"""Every method with everything that a run may have: laws, events, closures, motions, separations."""

from __future__ import annotations

import numpy as np
import pytest
from closure_models import four_bar, pinned
from multibody_models import beam

import interstage as ist
from interstage.errors import InputError
from interstage.simulation.run.integrators import Explicit

FINE = {"rtol": 1e-9, "atol": 1e-9}
# options and what is allowed beside the truth: errors of fixed steps, or of tolerances that add up
EVERY = [
    pytest.param({"method": "rk4", "step": 0.01}, 1e-7, id="rk4"),
    pytest.param({"method": "ros2", "step": 0.0025}, 1e-4, id="ros2"),
    pytest.param({"method": "ros3", "step": 0.01}, 1e-5, id="ros3"),
    pytest.param({"method": "dopri5", "step": 0.01}, 1e-8, id="dopri5"),
    pytest.param({"method": "ros3", "rtol": 1e-8, "atol": 1e-8}, 1e-6, id="ros3-adaptive"),
    pytest.param({"method": "dopri5", **FINE}, 1e-7, id="dopri5-adaptive"),
    pytest.param({"method": "dop853", **FINE}, 1e-7, id="dop853"),
    pytest.param({"method": "rk45", **FINE}, 1e-7, id="rk45"),
    pytest.param({"method": "radau", "rtol": 1e-7, "atol": 1e-9}, 1e-4, id="radau"),
    pytest.param({"method": "bdf", **FINE}, 1e-4, id="bdf"),
    pytest.param({"method": "lsoda", **FINE}, 1e-5, id="lsoda"),
]
OWN_STEPS = [{"method": "dopri5"}, {"method": "ros3"}]


def slider(**spring):
    mb = ist.Multibody("slider")
    mb.add_body("a", mass=2.0, joint=ist.Prismatic("x", **spring))
    return mb.compile()


@pytest.mark.parametrize(("options", "allowed"), EVERY)
def test_a_sampled_law(options, allowed):
    """PD on a mass, held between samples of 0.05 s: the exact recursion of a double integrator."""
    system, seen = slider(), []

    def law(t, x):
        seen.append(t)
        return [-8.0 * x["a"].q[0] - 4.0 * x["a"].v[0]]

    log = ist.simulate(
        system, system.state([1.0], [0.0]), 2.0, control=law, control_step=0.05, log_step=0.5, **options
    )
    q, v, T = 1.0, 0.0, 0.05
    for _ in range(40):
        a = (-8.0 * q - 4.0 * v) / 2.0
        q, v = q + v * T + 0.5 * a * T * T, v + a * T
    np.testing.assert_allclose(seen, 0.05 * np.arange(40), atol=1e-14)
    np.testing.assert_allclose(log.t, 0.5 * np.arange(5), atol=1e-14)
    assert abs(log.q[-1, 0] - q) < allowed and abs(log.v[-1, 0] - v) < allowed


@pytest.mark.parametrize(("options", "allowed"), EVERY)
def test_an_event_on_the_way(options, allowed):
    """cos t falls through zero at π/2 and comes back up at 3π/2; half of the speed is taken away there."""
    system = slider(stiffness=2.0)

    def slow(t, system, x):
        x["a"].v[:] *= 0.5

    crossing = ist.Event(lambda t, x: x["a"].q[0], slow, name="through zero")
    log = ist.simulate(system, system.state([1.0], [0.0]), 5.0, events=[crossing], **options)
    np.testing.assert_allclose([e.t for e in log.events], [np.pi / 2, 3 * np.pi / 2], atol=allowed + 2e-9)
    assert log.state()["a"].q[0] == pytest.approx(0.25 * np.cos(5.0), abs=allowed)


@pytest.mark.parametrize(("options", "allowed"), EVERY)
def test_a_loop_stays_closed(options, allowed):
    system = four_bar()
    x = pinned(system, 1.0, 2.0)
    system.drop_redundant(x)
    log = ist.simulate(system, x, 0.5, log_step=0.25, **options)
    fine = ist.simulate(system, x, 0.5, 2.5e-4, log_step=0.25)
    np.testing.assert_allclose(log.q, fine.q, atol=20.0 * allowed)
    assert max(abs(system.closure_error(log.state(k))).max() for k in range(len(log))) < 1e-12


@pytest.mark.parametrize(("options", "allowed"), EVERY)
def test_a_prescribed_motion(options, allowed):
    """A rotor that is driven on a free bus: the bus turns back by J2/(J1 + J2) of its angle."""
    mb = ist.Multibody("rotor")
    mb.add_body("bus", mass=5.0, inertia=[2, 2, 3.0], joint=ist.Revolute("z"))
    mb.add_body("rotor", mass=1.0, inertia=[1.5, 1.5, 2.0], parent="bus", joint=ist.Revolute("z"))
    system = mb.compile()

    def angle(t):
        return 0.3 * np.sin(2.0 * t) ** 2

    log = ist.simulate(
        system,
        system.state(),
        1.5,
        motions={"rotor": ist.PrescribedMotion(angle=angle)},
        log_step=0.25,
        **options,
    )
    np.testing.assert_allclose(log["rotor"].q[:, 0], angle(log.t), atol=1e-13)
    np.testing.assert_allclose(log["bus"].q[:, 0], -0.4 * angle(log.t), atol=allowed)


@pytest.mark.parametrize(("options", "allowed"), EVERY)
def test_a_separation(options, allowed):
    """6 N on 4 kg, then on 3 kg: the car coasts from the instant at which it is let go."""
    mb = ist.Multibody("train")
    mb.add_body("engine", mass=3.0, inertia=[1, 1, 1], joint=ist.Free())
    mb.add_body("car", mass=1.0, inertia=[1, 1, 1], parent="engine", at=[-1, 0, 0])
    system = mb.compile()
    log = ist.simulate(
        system,
        system.state(),
        2.0,
        forces={"engine": [0, 0, 0, 6.0, 0, 0]},
        events=[ist.Event(at=0.77, action=ist.Detach("car"))],
        **options,
    )
    assert [p.t[0] for p in log.phases] == [0.0, 0.77]
    x, coast = log.state(), 2.0 - 0.77
    start, speed = 0.5 * 1.5 * 0.77**2, 1.5 * 0.77
    assert x["engine"].position[0] == pytest.approx(start + speed * coast + coast**2, abs=allowed)
    assert x["car"].position[0] == pytest.approx(start - 1.0 + speed * coast, abs=allowed)


def tumbling():
    """Return a bus with two flexible panels that tumbles, and the state at the end by scipy to 1e-13."""
    component = beam(n_elements=5, n_modes=2, E=2e7)
    mb = ist.Multibody("tree")
    mb.add_body("bus", mass=20.0, inertia=[1.0, 2.0, 2.5], joint=ist.Free())
    mb.add_body(
        "left", component=component, parent="bus", at=[0.3, 0, 0], joint=ist.Revolute("z", stiffness=2.0)
    )
    mb.add_body("right", component=component, parent="bus", at=[-0.3, 0, 0], joint=ist.Ball())
    system = mb.compile()
    x = system.state()
    x["bus"].velocity[:3], x["left"].v[:], x["right"].v[:] = [0.3, -0.2, 0.5], 0.4, [0.1, 0.2, -0.3]
    return system, x


@pytest.mark.parametrize("options", OWN_STEPS, ids=str)
def test_errors_are_in_proportion_to_the_tolerance(options):
    """A thousandth of the tolerance gives about a thousandth of the error, which is no more than some tens of it."""
    system, x = tumbling()
    truth = ist.simulate(system, x, 0.5, method="dop853", rtol=1e-13, atol=1e-13, log_step=0.1)
    errors = []
    for tolerance in (1e-5, 1e-8):
        log = ist.simulate(system, x, 0.5, rtol=tolerance, atol=tolerance, log_step=0.1, **options)
        errors.append(max(abs(log.q - truth.q).max(), abs(log.v - truth.v).max()))
        assert errors[-1] < 100.0 * tolerance
    assert 50.0 < errors[0] / errors[1] < 2e4
    drift = abs(log.energy / log.energy[0] - 1.0).max()
    assert drift < 1e-6 and abs(log.momentum - log.momentum[0]).max() < 1e-7


def test_dense_output_of_compiled_steps():
    system, x = tumbling()
    truth = ist.simulate(system, x, 0.3, method="dop853", rtol=1e-12, atol=1e-12)
    for options, allowed in zip(OWN_STEPS, (1e-7, 1e-4)):
        log = ist.simulate(system, x, 0.3, rtol=1e-8, atol=1e-8, **options)
        for t in (0.0, 0.0521, 0.1234, 0.3):
            np.testing.assert_allclose(log.at(t).q, truth.at(t).q, atol=allowed)
            assert np.linalg.norm(log.at(t)["bus"].quaternion) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("options", OWN_STEPS, ids=str)
def test_steps_of_its_own_with_a_law_and_a_load_in_time(options):
    """Beside fixed steps that are a hundred times as fine: a law at 20 Hz, a torque in time, a mass that burns away."""
    system, x = tumbling()
    where = system.layout["left"].v

    def law(t, x):
        return {"forces": {"bus": [-3.0 * w for w in x["bus"].velocity[:3]] + [0.0, 0.0, 0.0]}}

    def torque(t):
        tau = np.zeros(system.nv)
        tau[where] = 0.5 * np.sin(7.0 * t)
        return tau

    given = {
        "control": law,
        "control_step": 0.05,
        "tau": torque,
        "mass": {"bus": lambda t: (20.0 - t, (0, 0, 0), np.diag([1, 2, 2.5]))},
    }
    truth = ist.simulate(system, x, 0.4, 2e-4, log_step=0.1, **given)
    log = ist.simulate(system, x, 0.4, rtol=1e-7, atol=1e-7, log_step=0.1, **given, **options)
    np.testing.assert_allclose(log.q, truth.q, atol=2e-6)
    np.testing.assert_allclose(log.v, truth.v, atol=2e-4)


def test_stiff_modes_limit_neither_fixed_nor_own_steps_of_ros3():
    """Modes up to some kilohertz: steps of 10 ms are ten times over the limit of RK4, and own steps are not its."""
    mb = ist.Multibody("stiff")
    mb.add_body("bus", mass=20.0, inertia=[1.0, 2.0, 2.5], joint=ist.Free())
    mb.add_body(
        "panel", component=beam(n_elements=5, n_modes=14), parent="bus", at=[0.3, 0, 0], joint=ist.Ball()
    )
    system = mb.compile()
    fastest = np.sqrt(system.tree.v_stiffness.max())
    x = system.state()
    x["bus"].velocity[:3], x["panel"].v[:] = [0.3, -0.2, 0.5], [0.1, 0.2, -0.3]
    truth = ist.simulate(system, x, 1.0, 1e-4, log_step=1.0)
    errors = {}
    for method in ("ros2", "ros3"):
        log = ist.simulate(system, x, 1.0, 1e-2, method=method, log_step=1.0)
        errors[method] = abs(log["bus"].quaternion[-1] - truth["bus"].quaternion[-1]).max()
    assert 1e-2 * fastest > 28.0 and errors["ros3"] < 0.2 * errors["ros2"] < 1e-3
    log = ist.simulate(system, x, 1.0, method="ros3", rtol=1e-4, atol=1e-4, log_step=1.0)
    assert log.info["steps"] < 0.05 * fastest / 2.8
    assert abs(log["bus"].quaternion[-1] - truth["bus"].quaternion[-1]).max() < 1e-3


@pytest.mark.kernels
@pytest.mark.parametrize("method", ["rk4", "ros2", "ros3", "dopri5"])
def test_kernels_of_all_methods_on_a_swing(method):
    """An oscillator of 1 rad/s for half a second, fixed and own steps: cos and sin."""
    system = slider(stiffness=2.0)
    x = system.state([1.0], [0.0])
    log = ist.simulate(system, x, 0.5, 0.05, method=method)
    np.testing.assert_allclose(log.q[:, 0], np.cos(log.t), atol=2e-3 if method == "ros2" else 2e-5)
    if method in ("ros3", "dopri5"):
        log = ist.simulate(system, x, 0.5, method=method, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(log.v[:, 0], -np.sin(log.t), atol=1e-5)


def test_a_method_of_ones_own():
    """Heun's third-order method by its tableau alone."""
    heun = Explicit("heun3", order=3, A=((), (1 / 3,), (0.0, 2 / 3)), b=(0.25, 0.0, 0.75))
    system = slider(stiffness=2.0)
    errors = []
    for step in (0.1, 0.05):
        log = ist.simulate(system, system.state([1.0], [0.0]), 2.0, step, method=heun)
        errors.append(abs(log.q[-1, 0] - np.cos(2.0)))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.2)
    assert log.info["method"] == "heun3"


def test_what_methods_cannot_do_is_said():
    system = slider()
    x = system.state()
    for method in ("dopri5", "dop853"):
        with pytest.raises(InputError, match=r"sampled.*control_step"):
            ist.simulate(system, x, 1.0, method=method, control=lambda t, x: None)
    with pytest.raises(InputError, match="ros2 needs a positive step"):
        ist.simulate(system, x, 1.0, method="ros2")


@pytest.mark.parametrize("method", ["rk4", "dopri5", "ros3", "dop853", "rk45", "radau", "bdf", "lsoda"])
def test_closures_without_determined_forces_are_refused_by_every_method(method):
    """A pin across the plane in which everything moves anyway."""
    mb = ist.Multibody("crank", gravity=[0, 0, -9.81])
    mb.add_body("bar", mass=3.0, com=[0, 0, -1], inertia=[1, 1, 0.1], joint=ist.Revolute("y"))
    mb.add_body("car", mass=1.0, inertia=[1, 1, 1], joint=ist.Prismatic("x"))
    mb.close("pin", ("bar", [0, 0, 0]), ("car", [0, 0, -1.5]), joint=ist.Slot("z"))
    system = mb.compile()
    x = system.state()
    x["bar"].q[:] = 0.3
    x = system.assemble(x, fixed=["bar"])
    with pytest.raises(ist.InterstageError, match="closures say the same thing twice"):
        ist.simulate(system, x, 0.1, 0.01 if method == "rk4" else None, method=method)


@pytest.mark.parametrize("method", ["dopri5", "ros3", "dop853"])
def test_steps_of_a_methods_own_do_not_pass_a_slew_of_a_table(method):
    """A mass that is moved by one metre between 50 and 52 s of rest: its carrier moves back by m2/(m1 + m2)."""
    mb = ist.Multibody("pair")
    mb.add_body("car", mass=3.0, joint=ist.Prismatic("x"))
    mb.add_body("load", mass=1.0, parent="car", joint=ist.Prismatic("x"))
    system = mb.compile()
    t = np.linspace(0.0, 100.0, 401)
    u = np.clip((t - 50.0) / 2.0, 0.0, 1.0)
    slew = ist.PrescribedMotion(angle=(t, u - np.sin(2.0 * np.pi * u) / (2.0 * np.pi)))
    end = ist.simulate(system, system.state(), 100.0, method=method, motions={"load": slew}).state()
    np.testing.assert_allclose(end.q, [-0.25, 1.0], atol=5e-7)


def test_rates_of_stiff_modes_below_the_tolerance_do_not_shorten_steps():
    """A kilohertz mode that deflects by a hundredth of `atol` has rates far above it: steps are those of the slow one.

    The floor of a rate is that of its deflection times ω; with `atol` alone ros3 takes some hundred steps.
    """
    mb = ist.Multibody("stiff")
    mb.add_body("panel", component=beam(n_elements=5, n_modes=14), joint=ist.Locked())
    system = mb.compile()
    fastest = np.sqrt(system.tree.v_stiffness[system.layout["panel"].etadot].max())
    mass = float(system.mass_properties(system.state()).mass)
    steps = []
    for size in (0.0, 1e-2):
        x = system.state()
        # a mode has unit modal mass: its coordinate is a deflection times the root of mass
        x["panel"].etadot[0], x["panel"].etadot[-1] = 1e-3, size * 1e-6 * np.sqrt(mass) * fastest
        log = ist.simulate(system, x, until=0.05, method="ros3", rtol=1e-6, atol=1e-6)
        steps.append(log.info["steps"])
    assert 1e-2 * fastest > 50.0 and steps[1] <= 2 * steps[0]
