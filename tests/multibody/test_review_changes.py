"""What a demanding user runs into: states of other vehicles, struts from far away, changes of closed vehicles."""

from __future__ import annotations

import numpy as np
import pytest
from closure_models import four_bar, hub_arm_and_port, pinned
from multibody_models import beam, random_state

from interstage.errors import InputError, ModelError
from interstage.multibody import Ball, Cylindrical, Free, Locked, Multibody, Revolute

BEAM = beam(6, 8)


def observatory():
    """Return a bus with a panel on a hinge, held half-way by a strut that fits it turned by 90 degrees."""
    mb = Multibody("observatory")
    mb.add_body("bus", mass=120.0, com=[0, 0, 0.4], inertia=np.diag([50.0, 60, 70]), joint=Free())
    mb.add_body("panel", component=BEAM, node=1, parent="bus", at=[0.8, 0, 0], joint=Revolute("z"))
    mb.add_body("tip", mass=2.0, parent="panel", at=7, joint=Locked())
    mb.close("strut", ("panel", 4), ("bus", [0.8, 0.5, 0]), joint=Ball())
    return mb


def test_a_state_of_another_vehicle_is_refused_by_every_algorithm():
    """Kernels get addresses: a state that is too short would be read beyond its end."""
    system = observatory().compile()
    x = system.assemble(system.state())
    apart, y = system.detach("tip", x)
    vdot = np.zeros(apart.nv)
    apart.forward_dynamics(y)  # from here on the quick way
    for ask in (
        apart.forward_dynamics,
        apart.mass_matrix,
        apart.bias,
        apart.energy,
        apart.momentum,
        apart.rates,
        apart.closure_error,
        apart.closure_jacobian,
        apart.assemble,
        apart.project,
        lambda z: apart.position(z, "tip"),
        lambda z: apart.jacobian(z, "tip"),
        lambda z: apart.inverse_dynamics(z, vdot),
        lambda z: apart.detach("panel", z),
    ):
        with pytest.raises(InputError, match="belong"):
            ask(x)
    with pytest.raises(InputError, match="not a state"):
        system.forward_dynamics(x.q)


def test_a_compiled_system_and_its_description_go_their_own_ways():
    mb = observatory()
    system, twin = mb.compile(), mb.compile()
    system.set_mass("bus", 999.0, inertia=[9, 9, 9])
    mb.add_body("late", mass=1.0, inertia=[1, 1, 1], parent="bus", joint=Revolute("x"))
    mb.close("late strut", ("late", [1, 0, 0]), ("ground", [0, 0, 0]), joint=Ball())
    assert system.bodies == ["bus", "panel", "tip"] and system.closures == ["strut"]
    apart, _ = twin.detach("tip", twin.state())
    assert apart.bodies == ["bus", "panel", "tip"] and apart.closures == ["strut"]
    assert apart.model.spec("bus").inertia.mass == 120.0 == mb.spec("bus").inertia.mass


def test_a_strut_turns_the_panel_and_does_not_bend_it():
    """From 61 degrees away: the strut fits the straight panel at 90 degrees, so that no strain is left."""
    system = observatory().compile()
    x = system.state()
    x["panel"].q[:] = 0.5
    y = system.assemble(x)
    assert y["panel"].q[0] == pytest.approx(np.pi / 2, abs=1e-9)
    assert np.abs(y["panel"].eta).max() < 1e-12
    assert np.abs(system.closure_error(y)).max() < 1e-14


@pytest.mark.parametrize("seed", [1, 4])
def test_modes_yield_where_turning_does_not_help(seed):
    """A line on a slightly bent beam's tip: only unbending brings it together, however stiff modes are."""
    mb = Multibody("line")
    component = beam(4, 8, rho=2000.0)
    mb.add_body("bus", mass=12.0, com=[0, 0, 0.4], inertia=[5.0, 6, 7], joint=Free())
    mb.add_body("panel", component=component, node=1, parent="bus", at=[0.8, 0, 0], joint=Ball())
    mb.add_body("tip", mass=2.0, inertia=[0.1] * 3, parent="panel", at=5, joint=Revolute("y"))
    mb.close("line", ("tip", [0.1, 0, 0]), ("bus", [1.9, 0, 0]), joint=Cylindrical("x"))
    system = mb.compile()
    x = random_state(system, np.random.default_rng(seed), 1e-3, 0.3)
    x["bus"].q[:], x["panel"].q[:] = [1, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0]
    x["tip"].q[:] *= 0.1
    y = system.assemble(x)
    assert np.abs(system.closure_error(y)).max() < 1e-12
    assert np.abs(y["panel"].eta - x["panel"].eta).max() < 0.02


def test_a_strut_out_of_reach_is_not_reached_by_stretching():
    mb = observatory()
    mb.closures.clear()
    mb.close("far", ("panel", 4), ("bus", [9, 0, 0]), joint=Ball())
    system = mb.compile()
    with pytest.raises(ModelError, match=r"beyond its linear modes|cannot be brought together"):
        system.assemble(system.state())


def test_rows_left_out_stay_out_when_something_else_leaves():
    system = four_bar(load=True)
    x = pinned(system, speed=1.0)
    system.drop_redundant(x)
    left = system.n_closure
    apart, y = system.detach("load", x)
    assert apart.n_closure == left == 2
    assert np.isfinite(apart.forward_dynamics(y)).all()
    # a loop that is cut needs all of its rows again
    assert system.detach("coupler", x)[0].n_closure == 5


@pytest.mark.parametrize("ground", [False, True])
def test_docking_by_another_node_keeps_closures_shut(ground):
    """Held at another node the modes shift closures by second-order terms: they are closed again."""
    mb = Multibody("docking")
    mb.add_body("hub", mass=10.0, inertia=[1, 1, 1.0], joint=Free())
    mb.add_body("arm", component=BEAM, node=1, parent="hub", at=[1, 0, 0], joint=Revolute("z"))
    mb.add_body("port", mass=20.0, inertia=[2, 2, 2.0], joint=Free())
    if ground:
        mb.close("tie", ("hub", [0, 0, 0.3]), ("ground", [0, 0, 0.3]), joint=Ball())
    else:
        mb.close("tie", ("hub", [1, 0.5, 0]), ("arm", 4), joint=Ball())
    system, rng = mb.compile(), np.random.default_rng(3)
    x = system.state()
    x["arm"].q[:], x["arm"].eta[:] = np.pi / 2, 1e-3 * rng.normal(size=8)
    x.v[:] = 0.1 * rng.normal(size=system.nv)
    x = system.assemble(x, fixed=["port"])
    x["port"].position[:] = system.position(x, "arm", 7)
    docked, y = system.attach("arm", ("port", [0, 0, 0]), x, port=7)
    docked.check_closed(y)
    assert np.abs(docked.closure_error(y)).max() < 1e-12
    assert np.abs(docked.closure_rate(y)).max() < 1e-12
    assert docked.change.energy_loss > 0.0
    change = docked.change.momentum_after - docked.change.momentum_before
    if not ground:
        assert np.abs(change).max() < 1e-12
    for name in ("hub", "port"):
        assert np.abs(docked.position(y, name) - system.position(x, name)).max() < 1e-3
    # the same with a snap: a tree tied to the ground is not moved off it for the sake of momentum
    snapped, z = system.attach("port", ("hub", [1, 1.01, 0]), x, rotation=np.eye(3), snap=True)
    snapped.check_closed(z)


@pytest.mark.parametrize(
    "ask",
    [
        lambda s, x: s.assemble(x, fixed=3),
        lambda s, x: s.assemble(s.state(np.where(np.arange(s.nq) == 8, np.nan, x.q)), fixed=[]),
        lambda s, x: s.stabilize("baumgarte", "fast"),
        lambda s, x: s.drive_forces(x, np.zeros(s.nv), tau=np.zeros(2)),
        lambda s, x: s.reactions(x, np.zeros(s.nv), tau=np.zeros(2)),
        lambda s, x: s.detach(["tip"], x),
        lambda s, x: s.forward_dynamics(x, accelerations=[1.0]),
    ],
)
def test_wrong_input_is_a_sentence(ask):
    system = observatory().compile()
    with pytest.raises(InputError):
        ask(system, system.state())


def test_an_acceleration_must_be_a_number():
    system = observatory().compile()
    system.set_joint_mode("panel", "prescribed")
    with pytest.raises(InputError, match="does not fit"):
        system.forward_dynamics(system.state(), accelerations={"panel": "fast"})


def test_a_locked_joint_stays_locked_when_its_tree_is_turned_round():
    """Docking by the arm makes the hub hang on it: the joint between them is still the same locked one."""
    system = hub_arm_and_port().compile()
    system.set_joint_mode("arm", "locked")
    x = system.state()
    x["arm"].q[:] = 0.4
    x["port"].position[:] = [4.0, 0, 0]
    x["port"].velocity[:] = [0.1, 0.2, 0.3, -1.0, 0.1, 0]
    docked, y = system.attach("arm", "port", x, joint=Ball())
    assert docked.joint_mode("hub") == "locked" and docked.joint_mode("arm") == "free"
    assert y["hub"].v[0] == 0.0 and docked.forward_dynamics(y)[docked.layout["hub"].v][0] == 0.0
    change = docked.change
    assert np.abs(change.momentum_after - change.momentum_before).max() < 1e-12
    assert change.energy_loss >= 0.0
