"""Runs from operating points: what was trimmed stays at rest, through events too."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from multibody_models import beam

import interstage as ist
from interstage.errors import SolverError
from interstage.simulation import simulate

METHODS = [{"step": 1e-3}, {"step": 1e-3, "method": "ros2"}, {"rtol": 1e-10, "atol": 1e-12}]
BEAM = beam(4, n_modes=4, length=1.0, width=0.05, E=1e8)


def arm():
    """Return a flexible arm on a spring that carries a tank, and a driven joint."""
    mb = ist.Multibody("arm", gravity=[0, 0, -1.0])
    mb.add_body("arm", component=BEAM, joint=ist.Revolute("y", stiffness=300.0, damping=5.0), damping=0.02)
    mb.add_body("tank", mass=0.2, inertia=[0.01] * 3, parent="arm", at=5)
    mb.add_body("wheel", mass=0.3, inertia=[0.1] * 3, joint=ist.Revolute("x", prescribed=True))
    return mb.compile()


def trimmed(system):
    tau = np.zeros(system.nv)
    tau[0] = 2.0
    loads = {("arm", 5, "node"): [0.01, 0.02, 0, 1.0, 0.3, -2.0], ("arm", 3): [0, 0, 0, 0, 0, 0.5]}
    return ist.trim(system, system.state(), forces=loads, tau=tau, accelerations={"wheel": 0.0})


@pytest.mark.parametrize("options", METHODS)
def test_a_trim_stays_at_rest(options):
    system = arm()
    x0 = trimmed(system)
    for start in (x0, x0.copy(), pickle.loads(pickle.dumps(x0))):
        log = simulate(system, start, 0.2, **options)
        assert np.abs(log.q - x0.q).max() < 1e-10 and np.abs(log.v).max() < 1e-10
        assert np.abs(log.accelerations).max() < 1e-7 * 300.0
    # the bare state has no loads: it leaves at once
    assert np.abs(simulate(system, system.state(x0.q, x0.v), 0.2, **options).v).max() > 0.01


@pytest.mark.parametrize("options", METHODS)
def test_loads_of_a_trim_follow_names_through_events(options):
    """The tank leaves and takes nothing along: the run is that of the smaller vehicle with the same loads."""
    system = arm()
    x0 = trimmed(system)
    events = [ist.Event(at=0.1, action=ist.Detach("tank")), ist.Event(at=0.15, action=ist.RemoveBody("tank"))]
    log = simulate(system, x0, 0.3, events=events, **options)
    assert np.abs(log.phases[0].v).max() < 1e-10
    mb = ist.Multibody("arm", gravity=[0, 0, -1.0])
    mb.add_body("arm", component=BEAM, joint=ist.Revolute("y", stiffness=300.0, damping=5.0), damping=0.02)
    alone = mb.compile()
    forces = {(f.body, f.node, f.frame): f.wrench for f in x0.loads.forces}
    x = alone.state(x0.q[: alone.nq])
    truth = simulate(alone, x, 0.2, forces=forces, tau=x0.loads.tau[: alone.nv], **options)
    end, exact = log.state()["arm"], truth.state()["arm"]
    assert np.abs(exact.v).max() > 1e-3
    np.testing.assert_allclose(end.eta, exact.eta, atol=1e-8)
    np.testing.assert_allclose(end.v, exact.v, atol=1e-7)
    a = log.phases[-1].accelerations[:, : alone.nv]
    np.testing.assert_allclose(a[-1], truth.accelerations[-1], atol=1e-5 * np.abs(a).max())


def test_kinds_that_are_given_replace_those_of_the_trim():
    system = arm()
    x0 = trimmed(system)
    first = simulate(system, x0, 0.01, 1e-3, tau=np.zeros(system.nv)).accelerations[0]
    forces = {(f.body, f.node, f.frame): f.wrench for f in x0.loads.forces}
    bare = system.state(x0.q, x0.v)
    truth = simulate(system, bare, 0.01, 1e-3, forces=forces).accelerations[0]
    assert np.abs(first).max() > 1.0
    np.testing.assert_allclose(first, truth, atol=1e-9 * np.abs(truth).max())
    spun = simulate(system, x0, 0.01, 1e-3, accelerations={"wheel": 3.0})
    np.testing.assert_allclose(spun.accelerations[:, -1], 3.0, atol=1e-12)
    assert spun.state()["wheel"].v[0] == pytest.approx(0.03)
    assert np.abs(spun.state()["arm"].v).max() < 1e-10


def test_accelerations_of_an_operating_point_act():
    """A trim under an accelerating base: the arm hangs behind and stays so while the base is driven on."""
    mb = ist.Multibody("train")
    mb.add_body("cart", mass=1.0, joint=ist.Prismatic("x", prescribed=True))
    mb.add_body("bob", mass=1.0, com=[0, 0, -0.5], parent="cart", joint=ist.Revolute("y", stiffness=9.0))
    system = mb.compile()
    x0 = ist.trim(system, system.state(), accelerations={"cart": 2.0})
    q = x0["bob"].q[0]
    assert 9.0 * q == pytest.approx(1.0 * 2.0 * 0.5 * np.cos(q), rel=1e-12)
    log = simulate(system, x0, 1.0, 1e-3)
    assert np.abs(log["bob"].q - q).max() < 1e-10
    np.testing.assert_allclose(log["cart"].v[-1], 2.0, rtol=1e-12)
    # the drive goes over to another law of motion where a switch says so
    events = [ist.Event(at=0.5, action=ist.SetJointMode("cart", "locked"))]
    log = simulate(system, x0, 1.0, 1e-3, events=events)
    np.testing.assert_allclose(log.phases[1]["cart"].v, 0.0, atol=1e-15)


def test_a_force_on_a_joint_that_is_turned_round_goes_with_the_joint():
    """Docking by the child makes the parent hang on it: one axis keeps its torque, several are refused."""

    def ship(joint):
        mb = ist.Multibody("ship")
        mb.add_body("station", mass=50.0, inertia=[20, 30, 40], joint=ist.Free())
        mb.add_body("hull", mass=5.0, inertia=[2, 3, 4], joint=ist.Free())
        mb.add_body("arm", mass=1.0, inertia=[1, 1, 1], parent="hull", at=[1, 0, 0], joint=joint)
        return mb.compile()

    for joint, good in ((ist.Revolute("z"), True), (ist.Universal(["x", "y"]), False)):
        system = ship(joint)
        x = system.state()
        x["hull"].position[:] = [3.0, 0.0, 0.0]
        tau = np.zeros(system.nv)
        tau[12] = 0.7

        events = [ist.Event(at=0.1, action=ist.Attach("arm", "station"))]
        if not good:
            with pytest.raises(SolverError, match=r"turned round.*force has no meaning"):
                simulate(system, x, 0.2, 1e-2, tau=tau, events=events)
            continue
        log = simulate(system, x, 0.2, 1e-2, tau=tau, events=events)
        assert log.system.model.spec("hull").parent == "arm"
        np.testing.assert_allclose(log.phases[0].forces[:, 12], 0.7, atol=1e-12)
        where = log.system.layout["hull"].v
        np.testing.assert_allclose(log.phases[1].forces[:, where], 0.7, atol=1e-12)


def test_points_and_settings_of_another_vehicle_are_refused():
    systems = []
    for names in (("arm",), ("arm", "hand")):
        mb = ist.Multibody("v")
        for name, parent in zip(names, (None, "arm")):
            mb.add_body(
                name, mass=1.0, inertia=[1, 1, 1.0], parent=parent, joint=ist.Revolute("z", stiffness=1.0)
            )
        systems.append(mb.compile())
    for one, other in (systems, systems[::-1]):
        point = ist.trim(other, other.state())
        for ask in (ist.trim, ist.linearize, type(one).modes, lambda s, x: simulate(s, x, 0.1, 0.1)):
            with pytest.raises(ist.InterstageError, match="does not belong to this system"):
                ask(one, point)
        for ask in (one.with_settings, ist.trim(one, one.state()).with_settings):
            with pytest.raises(ist.InterstageError, match="settings belong to another vehicle"):
                ask(other.settings)
            with pytest.raises(ist.InterstageError, match="not settings"):
                ask(3)
