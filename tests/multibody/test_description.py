"""Descriptions: names, places, views, errors as sentences."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import beam

from interstage.errors import InputError, InterstageError, ModelError
from interstage.linear import linearize, trim
from interstage.multibody import Ball, Free, Gimbal, Locked, Multibody, Prismatic, Revolute, Screw, Universal
from interstage.simulation import simulate
from interstage.spatial import Rotation

pytestmark = pytest.mark.kernels
BEAM = beam(n_elements=4, n_modes=6)


def _bus():
    mb = Multibody("craft")
    mb.add_body("bus", mass=100.0, com=[0, 0, 0.4], inertia=np.diag([10.0, 12.0, 14.0]), joint=Free())
    mb.add_body(
        "panel", component=BEAM, node=1, parent="bus", at=[0.8, 0, 0], joint=Revolute("z"), damping=0.005
    )
    mb.add_body("tip", mass=2.0, parent="panel", at=5, joint=Locked())
    return mb


def test_views_by_name_share_memory_with_the_flat_arrays():
    system = _bus().compile()
    x = system.state()
    assert (system.nq, system.nv) == (7 + 1 + 6, 6 + 1 + 6)
    x["panel"].q[:] = 0.5
    x["panel"].eta[:] = 0.01
    x["bus"].position[:] = [1, 2, 3]
    x["bus"].velocity[:] = np.arange(6)
    np.testing.assert_array_equal(x.q, [1, 0, 0, 0, 1, 2, 3, 0.5, *[0.01] * 6])
    np.testing.assert_array_equal(x.v, [0, 1, 2, 3, 4, 5, *[0] * 7])
    assert system.velocity_names()[:8] == [
        *[f"bus.{c}" for c in ("wx", "wy", "wz", "vx", "vy", "vz")],
        "panel.angle",
        "panel.eta1",
    ]
    y = x.copy()
    y.q[0] = 7.0
    assert x.q[0] == 1.0
    x.v = np.ones(13)  # assigning copies
    assert x["panel"].etadot.tolist() == [1.0] * 6


def test_place_of_every_part():
    system = _bus().compile()
    x = system.state()
    x["bus"].position[:] = [1, 2, 3]
    x["bus"].quaternion[:] = Rotation.from_axis_angle([0, 0, 1], 90, degrees=True).quaternion
    x["panel"].q[:] = np.pi / 2
    np.testing.assert_allclose(system.position(x, "panel"), [1, 2.8, 3], atol=1e-14)
    np.testing.assert_allclose(system.position(x, "tip"), [0, 2.8, 3], atol=1e-14)
    np.testing.assert_allclose(system.position(x, "bus", (0.5, 0, 0)), [1, 2.5, 3], atol=1e-14)
    assert system.mass_properties(x).mass == pytest.approx(104.5)
    com = (100 * np.array([1, 2, 3.4]) + 2.5 * np.array([0.5, 2.8, 3]) + 2 * np.array([0, 2.8, 3])) / 104.5
    np.testing.assert_allclose(system.center_of_mass(x), com, atol=1e-12)
    np.testing.assert_allclose(system.mass_properties(x).com, com, atol=1e-12)


def test_screw_travels_its_pitch_each_turn():
    mb = Multibody("screw")
    mb.add_body("nut", mass=1.0, inertia=np.eye(3), joint=Screw("z", pitch=0.2))
    system = mb.compile()
    np.testing.assert_allclose(system.position(system.state([np.pi]), "nut"), [0, 0, 0.1], atol=1e-15)


def test_forces_are_jacobian_transposes_and_frames_agree():
    system = _bus().compile()
    rng = np.random.default_rng(0)
    x = system.state()
    x.q[7:] = 0.01 * rng.normal(size=7)
    x.v[:] = rng.normal(size=13)
    wrench = rng.normal(size=6)
    for frame in ("world", "body", "node"):
        J = system.jacobian(x, "panel", 5, frame=frame)
        a = system.forward_dynamics(x, forces={("panel", 5): wrench}, frame=frame)
        b = system.forward_dynamics(x, tau=J.T @ wrench)
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-9 * abs(b).max())


def test_reactions_carry_the_weight():
    mb = Multibody("hanging", gravity=[0, 0, -10.0])
    mb.add_body("top", mass=3.0, joint=Locked())
    mb.add_body("beam", component=BEAM, parent="top", joint=Locked())
    mb.add_body("tip", mass=2.0, parent="beam", at=5, joint=Locked())
    system = mb.compile()
    R = system.reactions(system.state(), np.zeros(system.nv))
    np.testing.assert_allclose(R["tip"], [0, 0, 0, 0, 0, 20], atol=1e-12)
    np.testing.assert_allclose(R["beam"], [0, -(0.5 * 25 + 20), 0, 0, 0, 45], atol=1e-10)
    np.testing.assert_allclose(R["top"][5], 75, atol=1e-10)


def test_operational_inertia_is_the_dense_one():
    system = _bus().compile()
    x = system.state()
    x.q[7:] = 0.003
    places = [("panel", 5), "bus"]
    J = np.concatenate([system.jacobian(x, "panel", 5), system.jacobian(x, "bus")])
    dense = J @ np.linalg.solve(system.mass_matrix(x), J.T)
    np.testing.assert_allclose(system.operational_inertia(x, places), dense, atol=1e-10 * abs(dense).max())


def test_mass_may_change_without_compiling_again():
    system = _bus().compile()
    system.set_mass("tip", 5.0)
    mb = _bus()
    mb.specs[-1].inertia = type(mb.specs[-1].inertia).point(5.0)
    x = system.state()
    np.testing.assert_array_equal(system.mass_matrix(x), mb.compile().mass_matrix(x))


def _raises(kind, words, action):
    with pytest.raises(kind) as found:
        action()
    for word in words:
        assert word in str(found.value), str(found.value)


def test_errors_are_sentences_that_name_the_part():
    mb = _bus()
    _raises(
        InputError,
        ["no body 'bas'", "known: bus, panel, tip"],
        lambda: mb.add_body("x", mass=1.0, parent="bas"),
    )
    _raises(InputError, ["already a body 'bus'"], lambda: mb.add_body("bus", mass=1.0))
    _raises(InputError, ["node 99", "known: 1, 2"], lambda: mb.add_body("x", mass=1.0, parent="panel", at=99))
    _raises(
        InputError, ["joined at a node"], lambda: mb.add_body("x", mass=1.0, parent="panel", at=[0, 0, 0])
    )
    _raises(InputError, ["points, not nodes"], lambda: mb.add_body("x", mass=1.0, parent="bus", at=3))
    _raises(InputError, ["either rigid or flexible"], lambda: mb.add_body("x"))
    _raises(InputError, ["not a joint"], lambda: mb.add_body("x", mass=1.0, joint="revolute"))
    _raises(InputError, ["rotation"], lambda: mb.add_body("x", mass=1.0, rotation=np.ones((3, 3))))
    _raises(
        InputError,
        ["inboard node"],
        lambda: mb.add_body("x", component=beam(n_modes=4, aset=None), joint=Ball()),
    )
    _raises(InputError, ["fidelity"], lambda: mb.add_body("x", component=BEAM, order=3))
    _raises(InterstageError, ["mass"], lambda: mb.add_body("x", mass=-1.0))
    _raises(InputError, ["axis"], lambda: Revolute("w"))
    _raises(InputError, ["parallel"], lambda: Universal("xx"))
    _raises(InputError, ["number of axes"], lambda: Gimbal("xy"))
    _raises(
        InputError,
        ["closes nothing", "strut"],
        lambda: mb.close("strut", ("panel", 4), ("bus", [0, 0, 0]), joint=Free()),
    )
    system = mb.compile()
    x = system.state()
    _raises(InputError, ["no body 'wing'", "known"], lambda: x["wing"])
    _raises(InputError, ["no quaternion", "Revolute"], lambda: x["panel"].quaternion)
    _raises(InputError, ["tau", "13"], lambda: system.forward_dynamics(x, tau=np.zeros(3)))
    _raises(InputError, ["frame"], lambda: system.jacobian(x, "bus", frame="moon"))
    _raises(InputError, ["node 77"], lambda: system.jacobian(x, "panel", 77))
    x.v[6] = np.nan
    _raises(InputError, ["not finite", "panel.angle"], lambda: system.forward_dynamics(x))


def test_bodies_that_nothing_holds_back_are_named():
    mb = Multibody("light")
    mb.add_body("arm", mass=1.0, inertia=np.eye(3), joint=Revolute("z"))
    mb.add_body("needle", mass=0.0, parent="arm", joint=Prismatic("x"))
    _raises(ModelError, ["'needle'", "Prismatic"], mb.compile)
    mb = Multibody("point")
    mb.add_body("bead", mass=1.0, joint=Ball())
    _raises(ModelError, ["'bead'", "Ball"], mb.compile)


def test_a_massless_body_may_carry_others():
    mb = Multibody("cross")
    mb.add_body("yoke", mass=0.0, joint=Revolute("z"))
    mb.add_body("arm", mass=1.0, com=[1, 0, 0], inertia=np.eye(3), parent="yoke", joint=Revolute("y"))
    one = mb.compile()
    other = Multibody("universal")
    other.add_body("arm", mass=1.0, com=[1, 0, 0], inertia=np.eye(3), joint=Universal("zy"))
    two = other.compile()
    q, v, tau = [0.3, 0.4], [0.5, -0.6], np.array([0.1, 0.2])
    np.testing.assert_allclose(
        one.forward_dynamics(one.state(q, v), tau=tau),
        two.forward_dynamics(two.state(q, v), tau=tau),
        atol=1e-13,
    )


def _on_node(component, node, at):
    mb = Multibody("solid")
    mb.add_body("beam", component=component, node=node, joint=Locked())
    mb.add_body("tip", mass=1.0, inertia=np.eye(3), parent="beam", at=at, joint=Revolute("z"))
    return mb


@pytest.mark.parametrize("aset", [1, None], ids=["interface modes", "free modes"])
def test_a_node_without_rotation_is_no_place_for_a_hinge(aset):
    """A node of solid elements translates but has no rotation of its own."""
    c = beam(n_elements=4, n_modes=6 if aset else 12, aset=aset)
    _on_node(c, 1, 4).compile()
    c.lam[3] = 0.0
    words = ["node 4 of body 'beam'", "not rigid enough to hinge", "no rotation in any mode", "'tip'", "RBE2"]
    _raises(ModelError, words, _on_node(c, 1, 4).compile)


def test_a_shell_does_not_turn_about_its_normal():
    """A node without drilling rotation shows in-plane translation and no rotation about z."""
    c = beam(n_elements=4, n_modes=12)
    c.lam[4, 2] = 0.0
    _raises(ModelError, ["node 5", "no rotation about z in any mode"], _on_node(c, 1, 5).compile)
    _on_node(c, 1, 4).compile()


def test_the_inboard_node_must_turn_too():
    c = beam(n_elements=4, n_modes=12, aset=None)
    c.lam[1] = 0.0
    _raises(ModelError, ["node 2 of body 'beam'", "inboard node"], _on_node(c, 2, 4).compile)


def test_mass_that_was_checked_elsewhere_is_not_checked_again():
    system = _bus().compile()
    flat = np.diag([1.0, 1.0, 3.0])  # no rigid body has it
    _raises(InterstageError, ["tip"], lambda: system.set_mass("tip", 5.0, inertia=flat))
    system.set_mass("tip", 5.0, inertia=flat, check=False)
    assert system.mass_properties(system.state()).mass == pytest.approx(107.5)
    _raises(InputError, ["flexible"], lambda: system.set_mass("panel", 5.0))


def test_many_places_at_once_are_the_single_ones():
    system = _bus().compile()
    rng = np.random.default_rng(1)
    for kind in (float, complex):
        x = system.state().copy(kind)
        x.q[4:] += 0.3 * rng.normal(size=10) * (1.0 if kind is float else 1.0 + 1e-30j)
        nodes = [5, 2, 3]
        np.testing.assert_allclose(
            system.positions(x, "panel", nodes), [system.position(x, "panel", n) for n in nodes], atol=1e-14
        )
        J = [system.jacobian(x, "panel", n) for n in nodes]
        np.testing.assert_allclose(system.jacobians(x, "panel", nodes), J, atol=1e-13)
        points = [[0.1, 0.2, 0.3], [1.0, 0.0, 0.0]]
        J = [system.jacobian(x, "bus", p) for p in points]
        np.testing.assert_allclose(system.jacobians(x, "bus", points), J, atol=1e-14)
    assert system.positions(x, "panel").shape == (5, 3)
    count = int(system.tree.sizes[2])
    numbers = system.sites([("panel", 4), ("bus", None), ("panel", 4), ("bus", (0, 0, 1))])
    assert numbers == [count, -1, count, -1]
    assert system.site("panel", 4) == count
    assert int(system.tree.sizes[2]) == count + 1


def test_printed_modes_list_their_frequencies():
    modes = _bus().compile().modes()
    title, _, *lines = repr(modes).splitlines()
    assert title == f"{len(modes.frequencies_hz)} modes of 'craft'"
    np.testing.assert_allclose([float(line.split()[1]) for line in lines], modes.frequencies_hz, atol=1e-6)


def test_a_printed_state_names_every_body_and_its_coordinates():
    system = _bus().compile()
    x = system.state()
    x["panel"].q[:], x["bus"].velocity[3:] = 0.25, [1.0, 2.0, 3.0]
    lines = [line.split() for line in str(x).splitlines()]
    assert [line[0] for line in lines if line[1:] == ["Free", "joint"]] == ["bus:"]
    assert ["angle", "0.25"] in lines and ["vy", "2"] in lines and lines[-1] == ["tip:", "Locked", "joint"]


def test_printed_settings_say_which_joints_are_locked():
    system = _bus().compile()
    words = [line.split()[:2] for line in str(system.settings).splitlines()[2:]]
    assert words == [["bus", "free"], ["panel", "free"], ["tip", "locked"]]
    assert "tip" in system.settings.copy().fixed


@pytest.mark.parametrize("door", [lambda mb, x: simulate(mb, x, 1.0, 0.1), trim, linearize])
def test_a_vehicle_that_is_not_compiled_is_refused_in_words(door):
    mb = _bus()
    with pytest.raises(InputError, match=r"mb\.compile\(\), got Multibody"):
        door(mb, mb.compile().state())
