"""Closures against dense constrained equations, complex steps and equal vehicles without loops."""

from __future__ import annotations

import numpy as np
import pytest
from closure_models import BENT, RELATIONS, ROWS, STEP, along, dense, four_bar, mixed, pinned, rod
from multibody_models import beam, random_rotation, random_state

from interstage.multibody import Ball, Free, Locked, Multibody, Prismatic, Revolute, Screw
from interstage.spatial import Rotation

IDS = [f"{type(joint).__name__}{k}" for k, joint in enumerate(RELATIONS)]


@pytest.mark.parametrize(("relation", "rows"), list(zip(RELATIONS, ROWS)), ids=IDS)
def test_rows_and_accelerations_of_every_relation(relation, rows):
    """At random states far from closed: J is the derivative of C, v̇ solves the dense constrained equations."""
    rng = np.random.default_rng(7)
    system = mixed(relation, rng)
    assert system.n_closure == 2 * rows == len(system.closure_names())
    x = random_state(system, rng)
    J = system.closure_jacobian(x)
    slope = np.array([system.closure_error(along(system, x, e)).imag / STEP for e in np.eye(system.nv)]).T
    np.testing.assert_allclose(J, slope, atol=1e-13)
    np.testing.assert_allclose(system.closure_rate(x), J @ x.v, atol=1e-13)
    forces = {("left", 5): rng.normal(size=6), "hub": rng.normal(size=6)}
    tau = rng.normal(size=system.nv)
    vdot = system.forward_dynamics(x, forces, tau)
    wanted, f = dense(system, x, forces, tau)
    # the dense solution itself has errors of ε cond(M) ~ 1e-11
    np.testing.assert_allclose(vdot, wanted, atol=1e-9 * abs(wanted).max())
    assert f.shape == (2 * rows,)
    # forces of closures by name do the same work as the multipliers
    wrenches = system.closure_forces(x, forces, tau)
    power = wrenches["base"] @ system.velocity(x, "left", 3)
    work = f[rows:] @ system.closure_rate(x)[rows:]
    np.testing.assert_allclose(power, work, rtol=1e-8)


def test_closed_accelerations_have_exact_derivatives():
    """Complex steps through closures against central differences of the same (1e-6 is what those can do)."""
    rng = np.random.default_rng(3)
    system = mixed(Screw("y", pitch=0.7), rng)
    x = random_state(system, rng)
    direction = rng.normal(size=system.nv)
    z = along(system, x, direction)
    exact = system.forward_dynamics(z).imag / STEP
    values = []
    for sign in (1.0, -1.0):
        y = x.copy()
        y.v[:] = direction
        y.q = y.q + sign * 1e-6 * system.rates(y)
        y.v[:] = x.v
        values.append(system.forward_dynamics(y))
    difference = (values[0] - values[1]) / 2e-6
    np.testing.assert_allclose(exact, difference, atol=1e-6 * abs(exact).max())
    np.testing.assert_array_equal(system.forward_dynamics(x.copy(complex)).imag, 0.0)


@pytest.mark.parametrize("relation", RELATIONS, ids=IDS)
def test_a_closure_is_the_joint_it_is_made_of(relation):
    """A body on a joint, and the same body free but closed with that joint: positions, rates, accelerations agree."""
    rng = np.random.default_rng(11)
    R, place = random_rotation(rng), [0.2, -0.1, 0.4]

    def vehicle(joint, closed):
        mb = Multibody("one", gravity=[0.5, 0.1, -9.0])
        mb.add_body("arm", **rod(2.0, 1.0), joint=Ball())
        on = {"parent": None} if closed else {"parent": "arm", "at": place, "rotation": R}
        mb.add_body("beam", component=BENT, node=1, joint=joint, **on)
        if closed:
            mb.close("loop", ("arm", place), ("beam", 1), joint=relation, rotation=R)
        return mb.compile()

    tree, loop = vehicle(relation, False), vehicle(Free(), True)
    x = random_state(tree, rng)
    y = loop.state()
    y["arm"].q[:], y["arm"].v[:] = x["arm"].q, x["arm"].v
    y["beam"].eta[:], y["beam"].etadot[:] = x["beam"].eta, x["beam"].etadot
    attitude = tree.rotation(x, "beam")
    y["beam"].quaternion[:] = Rotation.of(attitude).quaternion
    y["beam"].position[:] = tree.position(x, "beam")
    y["beam"].velocity[:] = tree.velocity(x, "beam", frame="body")
    np.testing.assert_allclose(loop.closure_error(y), 0.0, atol=1e-13)
    np.testing.assert_allclose(loop.closure_rate(y), 0.0, atol=1e-12)
    forces = {("beam", 5): rng.normal(size=6)}
    a, b = tree.forward_dynamics(x, forces), loop.forward_dynamics(y, forces)
    size = abs(a).max()
    np.testing.assert_allclose(b[:3], a[:3], atol=1e-9 * size)
    eta = slice(-BENT.n_modes, None)
    np.testing.assert_allclose(b[eta], a[eta], atol=1e-9 * size)
    np.testing.assert_allclose(
        loop.acceleration(y, b, "beam", 5), tree.acceleration(x, a, "beam", 5), atol=1e-9 * size
    )
    # what the joint exerts on the beam is what the closure exerts, and the arm's own joint feels both alike
    wrench = loop.closure_forces(y, forces)["loop"]
    joint = tree.reactions(x, a, forces)
    np.testing.assert_allclose(wrench, joint["beam"], atol=1e-9 * (1.0 + abs(joint["beam"]).max()))
    np.testing.assert_allclose(
        loop.reactions(y, b, forces)["arm"], joint["arm"], atol=1e-8 * (1.0 + abs(joint["arm"]).max())
    )


def test_cantilever_by_hinges_and_by_closures():
    """Two free beams with locked closures against the cantilever of both by hinges, at random states: 1e-8."""
    component = beam(6, 20, name="beam")
    rng = np.random.default_rng(5)

    def vehicle(closed):
        mb = Multibody("double", gravity=[0, 0, -9.81])
        root, outer = (Free(), {"joint": Free()}) if closed else (
            Locked(), {"joint": Locked(), "parent": "first", "at": 7}
        )  # fmt: skip
        mb.add_body("first", component=component, node=1, joint=root)
        mb.add_body("second", component=component, node=1, **outer)
        if closed:
            mb.close("wall", ("ground", [0, 0, 0]), ("first", 1), joint=Locked())
            mb.close("middle", ("first", 7), ("second", 1), joint=Locked())
        return mb.compile()

    tree, loop = vehicle(False), vehicle(True)
    for _ in range(3):
        x, y = random_state(tree, rng, deflection=0.001), loop.state()
        for name in ("first", "second"):
            y[name].eta[:], y[name].etadot[:] = x[name].eta, x[name].etadot
            y[name].quaternion[:] = Rotation.of(tree.rotation(x, name)).quaternion
            y[name].position[:] = tree.position(x, name)
            y[name].velocity[:] = tree.velocity(x, name, frame="body")
        a, b = tree.forward_dynamics(x), loop.forward_dynamics(y)
        eta = np.concatenate([b[6 : 6 + 20], b[-20:]])
        assert abs(eta - a).max() < 1e-10 * abs(a).max()
        np.testing.assert_allclose(b[:6], 0.0, atol=1e-9 * abs(a).max())


def test_held_far_from_the_frame():
    """A beam whose frame is at one end, clamped by a closure at the other, against the cantilever: rest, loads."""
    component = beam(5, 30, aset=1, name="beam")

    def tip(system, place):
        x = system.state()
        forces = {("beam", 3): [0.3, 0.1, -0.2, 1.0, 2.0, -3.0]}
        return system.acceleration(x, system.forward_dynamics(x, forces), "beam", place)

    mb = Multibody("hinge")
    mb.add_body("beam", component=component, node=6, joint=Locked(), at=[1, 0, 0])
    held = mb.compile()
    mb = Multibody("closure")
    mb.add_body("beam", component=component, node=1, joint=Free())
    mb.close("clamp", ("beam", 6), ("ground", [1.0, 0, 0]), joint=Locked())
    closed = mb.compile()
    for place in (1, 2, 4):
        np.testing.assert_allclose(tip(closed, place), tip(held, place), rtol=1e-8, atol=1e-8)


def test_prescribed_and_locked_joints_with_closures():
    """A driven crank: motion of the rest as kinematics dictate, torque of the drive by the power of the whole."""
    system = four_bar()
    x = pinned(system, 0.8, 2.0)
    system.drop_redundant(x)
    free = system.forward_dynamics(x)
    system.set_joint_mode("crank", "prescribed")
    same = system.forward_dynamics(x, accelerations={"crank": free[0]})
    np.testing.assert_allclose(same, free, atol=1e-11)
    np.testing.assert_allclose(system.drive_forces(x, same)[0], 0.0, atol=1e-11)
    vdot = system.forward_dynamics(x, accelerations={"crank": 3.0})
    torque = system.drive_forces(x, vdot)
    np.testing.assert_allclose(torque[1:], 0.0, atol=1e-11)
    # power of the drive is the rate of the energy
    z = along(system, x, x.v)
    z.v = x.v + 1j * STEP * vdot
    assert torque[0] * x.v[0] == pytest.approx(system.energy(z).imag / STEP, rel=1e-11)
    system.set_joint_mode("crank", "locked")
    x.v[:] = 0.0
    np.testing.assert_allclose(system.forward_dynamics(x), 0.0, atol=1e-10)


def test_a_screw_counts_no_turns():
    """Three and a half turns on a screw closure stay closed: whole turns are left out of its error."""
    mb = Multibody("nut")
    mb.add_body("nut", mass=1.0, inertia=np.eye(3), joint=Free())
    mb.close("thread", ("ground", [0, 0, 0]), ("nut", [0, 0, 0]), joint=Screw("z", pitch=0.2))
    system = mb.compile()
    x = system.state()
    x["nut"].quaternion[:] = Rotation.from_axis_angle([0, 0, 1], 7 * np.pi).quaternion
    x["nut"].position[:] = [0, 0, 0.7]
    np.testing.assert_allclose(system.closure_error(x), 0.0, atol=1e-14)
    x["nut"].position[2] = 0.71
    assert system.closure_error(x)[-1] == pytest.approx(0.01, abs=1e-14)
    # a force along the axis works on mass and inertia through the thread
    x["nut"].position[2] = 0.7
    vdot = system.forward_dynamics(x, {"nut": [0, 0, 0, 0, 0, 1.0]})
    per_radian = 0.2 / (2 * np.pi)
    assert vdot[5] == pytest.approx(per_radian**2 / (per_radian**2 + 1.0), rel=1e-12)


def test_many_nodes_of_one_body():
    """Every node of a beam closed to a plate that is free: the beam is as stiff as the plate, momentum is kept."""
    component = beam(4, 24, name="beam")
    mb = Multibody("plate")
    mb.add_body("plate", mass=3.0, inertia=np.diag([1.0, 2.0, 3.0]), joint=Free())
    mb.add_body("beam", component=component, node=1, joint=Free())
    for node in (1, 2, 3, 4, 5):
        mb.close(f"bolt {node}", ("plate", [0.25 * (node - 1), 0, 0]), ("beam", node), joint=Ball())
    system = mb.compile()
    x = system.state()
    assert not system.redundant_closures(x)
    modes = system.modes(x)
    assert modes.shapes.shape == (system.nv, system.nv - 15)
    assert abs(modes.frequencies_hz[:6]).max() < 1e-4
    np.testing.assert_allclose(system.closure_jacobian(x) @ modes.shapes, 0.0, atol=1e-9)
    x["plate"].velocity[:] = [0.3, -0.2, 0.5, 1.0, 0.0, -1.0]
    x = system.assemble(x, fixed=["plate"])
    vdot = system.forward_dynamics(x)
    h = along(system, x, x.v)
    h.v = x.v + 1j * STEP * vdot
    np.testing.assert_allclose(system.momentum(h).imag / STEP, 0.0, atol=1e-10)


def test_prismatic_closure_carries_no_force_along_its_axis():
    rng = np.random.default_rng(2)
    system = mixed(Prismatic("x"), rng)
    x = system.assemble(random_state(system, rng, speed=0.3))
    wrench = system.closure_forces(x)["cross"]
    closure = system.model.closures[0]
    axis = system.rotation(x, "tip") @ closure.rotation @ [1.0, 0.0, 0.0]
    assert abs(wrench[3:] @ axis) < 1e-10 * abs(wrench).max()


def test_revolute_needs_its_own_axis():
    """Orientation of both ends counts: the error of a tilt is its sine, about the axis it is about."""
    mb = Multibody("hinge")
    mb.add_body("door", mass=1.0, inertia=np.eye(3), joint=Free())
    mb.close("hinge", ("ground", [0, 0, 0]), ("door", [0, 0, 0]), joint=Revolute("z"))
    system = mb.compile()
    for axis, row in (("x", 3), ("y", 4)):
        assert system.closure_names()[row] == ("hinge", f"tilt about {axis}")
        x = system.state()
        x["door"].quaternion[:] = Rotation.from_axis_angle(np.eye(3)["xyz".index(axis)], 0.1).quaternion
        wanted = np.zeros(5)
        wanted[row] = np.sin(0.1)
        np.testing.assert_allclose(system.closure_error(x), wanted, atol=1e-15)
