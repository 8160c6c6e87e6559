"""Bodies that leave, dock, change joints and data: motion kept, momentum conserved, energy never gained."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from multibody_models import JOINTS, beam, random_inertia, random_rotation, random_state, random_tree

from interstage.errors import FidelityWarning, InputError
from interstage.multibody import Ball, Free, Locked, Multibody, Planar, Prismatic, Revolute
from interstage.multibody.impulse import outboard, set_rates
from interstage.spatial import functions as spatial

BEAM = beam(n_elements=5, n_modes=4)
BENT = beam(n_elements=4, n_modes=3, bend=0.3, name="bent")
SEEDS = st.integers(0, 2**32 - 1)


def free_tree(rng, n_bodies=7):
    """Return a random system of free trees and a random state."""
    mb = random_tree(rng, n_bodies, components=[BEAM, BENT])
    for spec in mb.specs:
        if spec.parent is None:
            spec.joint = Free()
    system = mb.compile()
    return system, random_state(system, rng)


def hanging(system, rng):
    """Return the name of a random body with a parent, or None."""
    names = [spec.name for spec in system.model.specs if spec.parent is not None]
    return names[rng.integers(len(names))] if names else None


def tree_with_hanging(seed):
    """Return a generator, a random system with a state, and a body in it with a parent."""
    rng = np.random.default_rng(seed)
    system, x = free_tree(rng)
    body = hanging(system, rng)
    assume(body is not None)
    return rng, system, x, body


def relative(a, b):
    return np.abs(a - b).max() / max(np.abs(b).max(), 1e-300)


def assert_same_motion(one, x, two, y, tolerance=1e-12):
    """Poses and velocities of all bodies agree, relative to the largest speed (rounding of turned axes)."""
    for name in two.bodies:
        speed = 1.0 + np.abs(one.velocity(x, name)).max()
        assert np.abs(one.position(x, name) - two.position(y, name)).max() < tolerance
        assert np.abs(one.rotation(x, name) - two.rotation(y, name)).max() < tolerance
        assert np.abs(one.velocity(x, name) - two.velocity(y, name)).max() < tolerance * speed
        assert np.array_equal(x[name].eta, y[name].eta)


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_detach_keeps_all_motion_and_attach_brings_it_back(seed):
    _, system, x, body = tree_with_hanging(seed)
    spec = system.model.spec(body)
    apart, y = system.detach(body, x)
    assert_same_motion(system, x, apart, y)
    assert relative(apart.momentum(y), system.momentum(x)) < 1e-12
    # all but the spring that was cut
    assert apart.energies(y).kinetic == pytest.approx(system.energies(x).kinetic, rel=1e-12)
    assert apart.energies(y).gravity == pytest.approx(system.energies(x).gravity, rel=1e-12)
    back, z = apart.attach(body, (spec.parent, spec.at), y, joint=spec.joint, rotation=spec.rotation)
    assert_same_motion(system, x, back, z)
    assert back.bodies == system.bodies
    # angles may come back by whole turns or as the other pair of a gimbal, quaternions with the other sign
    assert np.abs(z.v - x.v).max() < 1e-11 * (1.0 + np.abs(x.v).max()) or spec.joint.nv == 3
    assert back.energies(z).kinetic == pytest.approx(system.energies(x).kinetic, rel=1e-12)


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_docking_conserves_momentum_and_never_gains_energy(seed):
    """Without springs in the new joint and without snapping; momentum to 1e-12 of its size."""
    rng, system, x, body = tree_with_hanging(seed)
    system, x = system.detach(body, x)
    x.v[:] = rng.normal(size=system.nv)
    inside = {system.bodies[k] for k in outboard(system, system.body(body))}
    target = rng.choice([name for name in system.bodies if name not in inside])
    on = system.model.spec(target).component
    if on is not None and system.model.spec(body).component is not None:
        return  # a gap between two flexible bodies: below
    place = str(target) if on is None else (str(target), int(rng.choice(on.node_ids)))
    plain = [j for j in JOINTS if not np.any(j.stiffness)]
    docked, y = system.attach(body, place, x, joint=plain[rng.integers(len(plain))])
    change = docked.change
    size = np.abs(change.momentum_before).max()
    assert np.abs(change.momentum_after - change.momentum_before).max() < 1e-12 * size
    assert change.energy_loss > -1e-11 * abs(change.energy_before)
    assert change.shift == 0.0
    for name in docked.bodies:
        assert np.abs(docked.position(y, name) - system.position(x, name)).max() < 1e-12
    # the answer is stationary: impulses act in the joint's constraints only (Gauss)
    gap = minimum_misfit(system, x, docked, y)
    for _ in range(3):
        other = y.copy()
        other.v += 1e-3 * rng.normal(size=docked.nv)
        assert minimum_misfit(system, x, docked, other) >= gap * (1.0 - 1e-12)


def minimum_misfit(system, x, docked, y):
    """Return the kinetic energy of the difference of two motions at the same pose, body by body in a free system."""
    loose, a = docked, y
    for spec in docked.model.specs:
        if not (spec.parent is None and isinstance(spec.joint, Free)):
            loose, a = loose.detach(spec.name, a)
    b = a.copy()
    for spec in loose.model.specs:
        name = spec.name
        V, R = system.velocity(x, name), system.rotation(x, name)
        b[name].v[:] = np.concatenate([R.T @ V[:3], R.T @ V[3:]])
        b[name].etadot[:] = x[name].etadot
    b.v -= a.v
    return loose.energies(b).kinetic


def test_two_balls_stick():
    """Perfectly plastic central impact: half the kinetic energy of two equal masses, one at rest, is lost."""
    mb = Multibody("balls")
    for name in ("a", "b"):
        mb.add_body(name, mass=2.0, inertia=[0.1, 0.1, 0.1])
    system = mb.compile()
    x = system.state()
    x["b"].position[:] = [1.0, 0.0, 0.0]
    x["a"].velocity[3:] = [3.0, 0.0, 0.0]
    docked, y = system.attach("b", "a", x)
    assert docked.change.energy_loss == pytest.approx(0.5 * system.energy(x), rel=1e-13)
    np.testing.assert_allclose(docked.velocity(y, "a"), [0, 0, 0, 1.5, 0, 0], atol=1e-14)
    # off centre: spin from the angular momentum, J = 2 J0 + 2 m (d/2)²
    x["b"].position[:] = [0.0, 1.0, 0.0]
    docked, y = system.attach("b", "a", x)
    spin = -(2.0 * 3.0 * 0.5) / (2 * 0.1 + 2 * 2.0 * 0.25)
    assert docked.velocity(y, "b")[2] == pytest.approx(-spin, rel=1e-13)


def flexible_pair(gap=0.0, seed=3):
    """Return two free beams in motion, root node of one at the tip of the other (deformed), `gap` away."""
    rng = np.random.default_rng(seed)
    mb = Multibody("pair")
    mb.add_body("chaser", component=BEAM, joint=Free())
    mb.add_body("target", component=BENT, joint=Free())
    mb.add_body("weight", mass=0.4, inertia=[0.01, 0.02, 0.02], parent="chaser", at=3, joint=Revolute("z"))
    system = mb.compile()
    x = random_state(system, rng, deflection=0.004)
    tip = system.position(x, "target", 5)
    x["chaser"].position[:] = tip + [gap, 0, 0]
    return system, x


def test_flexible_bodies_dock():
    """Modal velocities take part: momentum to 1e-12, energy lost, the two nodes move as one afterwards."""
    system, x = flexible_pair()
    docked, y = system.attach("chaser", ("target", 5), x)
    change = docked.change
    assert relative(change.momentum_after, change.momentum_before) < 1e-12
    assert change.energy_loss > 0.0
    assert np.abs(docked.velocity(y, "chaser") - docked.velocity(y, "target", 5)).max() < 1e-12
    assert np.abs(y["target"].etadot - x["target"].etadot).max() > 1e-3


def test_a_gap_is_refused_or_snapped_shut():
    system, x = flexible_pair(gap=0.02)
    with pytest.raises(InputError, match=r"0\.02 away.*snap=True"):
        system.attach("chaser", ("target", 5), x)
    docked, y = system.attach("chaser", ("target", 5), x, snap=True)
    assert docked.change.shift == pytest.approx(0.02, rel=1e-6)
    assert relative(docked.change.momentum_after, docked.change.momentum_before) < 1e-12
    assert np.abs(docked.center_of_mass(y) - system.center_of_mass(x)).max() < 1e-13


def test_a_rigid_body_snaps_without_a_port():
    """Its frame comes to the place in the attitude that it has; momentum about a fixed point and center are kept.

    The truth is that of two rigid bodies that become one: V = I⁻¹ h about the center of both.
    """
    mb = Multibody("pair")
    a, b = (50.0, [0.1, 0.0, 0.2], [20.0, 25.0, 30.0]), (30.0, [0.1, 0.2, -0.1], [3.0, 4.0, 5.0])
    for name, (mass, com, inertia) in (("a", a), ("b", b)):
        mb.add_body(name, mass=mass, com=com, inertia=inertia, joint=Free())
    system = mb.compile()
    x = random_state(system, np.random.default_rng(3))
    R = system.rotation(x, "a").T @ system.rotation(x, "b")
    docked, y = system.attach("b", ("a", [1.0, 0.3, 0.0]), x, snap=True)
    way = docked.position(y, "b") - docked.position(y, "a")
    np.testing.assert_allclose(docked.rotation(y, "a").T @ way, [1.0, 0.3, 0.0], atol=1e-13)
    np.testing.assert_allclose(docked.rotation(y, "a").T @ docked.rotation(y, "b"), R, atol=1e-13)
    np.testing.assert_allclose(docked.center_of_mass(y), system.center_of_mass(x), atol=1e-13)
    spin, linear = system.momentum(x)[:3], system.momentum(x)[3:]  # about the origin of the world
    center, inertia = docked.center_of_mass(y), np.zeros((3, 3))
    for name, (mass, com, own) in (("a", a), ("b", b)):
        turned = docked.rotation(y, name)
        arm = docked.position(y, name) + turned @ com - center
        inertia += turned @ np.diag(own) @ turned.T + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    rate = np.linalg.solve(inertia, spin - np.cross(center, linear))
    np.testing.assert_allclose(docked.velocity(y, "a")[:3], rate, rtol=1e-12)


def test_docking_by_another_node_of_a_flexible_body():
    """Held at its tip, a body keeps the pose of that node on the bus, centre of mass and momentum; the rest by η²."""
    losses = []
    for scale in (1.0, 0.1):
        rng = np.random.default_rng(5)
        mb = Multibody("pair")
        mb.add_body("bus", mass=9.0, inertia=[1, 2, 3], joint=Free())
        mb.add_body("beam", component=BEAM, joint=Free())
        mb.add_body("weight", mass=0.4, inertia=[0.01, 0.02, 0.02], parent="beam", at=3, joint=Revolute("z"))
        system = mb.compile()
        x = random_state(system, rng, deflection=0.003 * scale)
        R, p = system.rotation(x, "beam", 6), system.position(x, "beam", 6)
        docked, y = system.attach("beam", "bus", x, port=6, joint=Free())
        assert np.abs(docked.rotation(y, "beam") - R).max() < 1e-13
        off = docked.position(y, "bus") - system.position(x, "bus")
        assert np.abs(docked.position(y, "beam") - p - off).max() < 1e-13
        assert np.abs(docked.center_of_mass(y) - system.center_of_mass(x)).max() < 1e-14
        assert relative(docked.change.momentum_after, docked.change.momentum_before) < 1e-12
        assert docked.energies(y).strain == pytest.approx(system.energies(x).strain, rel=1e-10)
        shift = docked.position(y, "weight") - system.position(x, "weight")
        losses.append(np.abs(shift).max())
    assert losses[0] < 1e-4
    assert losses[1] == pytest.approx(losses[0] / 100.0, rel=0.2)


def bent_pair(deflection, boost=0.0, seed=5):
    """Return a bus and a bent, swinging beam with a weight on it, all of it flying `boost` faster."""
    mb = Multibody("pair")
    mb.add_body("bus", mass=9.0, inertia=[1, 2, 3], joint=Free())
    mb.add_body("beam", component=BEAM, joint=Free())
    mb.add_body("weight", mass=0.4, inertia=[0.01, 0.02, 0.02], parent="beam", at=3, joint=Revolute("z"))
    system = mb.compile()
    x = random_state(system, np.random.default_rng(seed), deflection=deflection)
    for name in ("bus", "beam"):
        x[name].linear_velocity[:] += system.rotation(x, name).T @ [boost, 0.0, 0.0]
    return system, x


@pytest.mark.filterwarnings("ignore::interstage.errors.FidelityWarning")
@pytest.mark.parametrize("joint", (Free(), Locked(), Ball()), ids=lambda j: type(j).__name__)
@pytest.mark.parametrize("deflection", (0.003, 0.01, 0.03))
def test_docking_a_bent_body_by_another_node(deflection, joint):
    """The jump is told, the centre of mass stays, kinetic energy does not rise, the speed of flight does not matter."""
    ends = []
    for boost in (0.0, 100.0):
        system, x = bent_pair(deflection, boost)
        docked, y = system.attach("beam", "bus", x, port=6, joint=joint)
        ids = BEAM.node_ids
        off = docked.position(y, "bus") - system.position(x, "bus")
        jump = docked.positions(y, "beam", ids) - system.positions(x, "beam", ids) - off
        assert docked.change.shift == pytest.approx(np.linalg.norm(jump, axis=1).max(), rel=1e-9)
        assert docked.change.shift == pytest.approx(1.1e-4 * (deflection / 0.003) ** 2, rel=0.1)
        assert np.abs(docked.center_of_mass(y) - system.center_of_mass(x)).max() < 1e-13
        assert relative(docked.change.momentum_after, docked.change.momentum_before) < 1e-12
        assert docked.energies(y).kinetic <= system.energies(x).kinetic * (1.0 + 1e-12)
        assert docked.energies(y).strain == pytest.approx(system.energies(x).strain, rel=1e-9)
        ends.append([docked.velocity(y, name)[:3] for name in docked.bodies])
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-9)


def test_a_body_bent_too_far_says_so():
    """Nodes that jump by more than a hundredth of the body are worth a warning, as is energy that cannot be kept."""
    system, x = bent_pair(0.06)
    with pytest.warns(FidelityWarning, match=r"beam: bent too far .* nodes move by 0\.04"):
        system.attach("beam", "bus", x, port=6)
    risen = []
    for seed in range(8):
        system, x = bent_pair(0.1, seed=seed)
        system.set_joint_mode(
            "weight", "prescribed"
        )  # a drive holds its rate: energy cannot be taken from it
        with pytest.warns(FidelityWarning) as seen:
            docked, y = system.attach("beam", "bus", x, port=6, joint=Free())
        risen.append(docked.energies(y).kinetic > system.energies(x).kinetic * (1 + 1e-9))
        assert any("kinetic energy rises by" in str(w.message) for w in seen) == risen[-1]
    assert any(risen)


@pytest.mark.parametrize("joint", JOINTS, ids=lambda j: type(j).__name__)
def test_a_rigid_tree_is_turned_round(joint):
    """Docking by a body that is not the root: joints on the way reverse, no pose and no momentum changes."""
    if isinstance(joint, Planar) and np.any(joint.stiffness):
        return
    rng = np.random.default_rng(7)
    mb = Multibody("turn")
    names = ["root", "middle", "end", "side"]
    joints = [Free(), joint, joint, Revolute("x")]
    parents = [None, "root", "middle", "middle"]
    for name, j, parent in zip(names, joints, parents):
        mass, com, inertia = random_inertia(rng)
        at = rng.normal(size=3) * 0.3
        place = {"parent": parent, "at": at, "rotation": random_rotation(rng), "joint": j}
        mb.add_body(name, mass=mass, com=com, inertia=inertia, **place)
    mb.add_body("station", mass=50.0, inertia=[30, 40, 50], joint=Free())
    system = mb.compile()
    x = random_state(system, rng)
    docked, y = system.attach("end", "station", x, joint=Free())
    assert_same_motion(system, x, docked, y)
    assert docked.model.spec("root").parent == "middle"
    assert docked.energy(y) == pytest.approx(system.energy(x), rel=1e-12)
    # the same equations of motion: accelerations of all bodies agree
    a, b = system.forward_dynamics(x), docked.forward_dynamics(y)
    for name in names:
        one, two = system.acceleration(x, a, name), docked.acceleration(y, b, name)
        assert np.abs(one - two).max() < 1e-9 * (1.0 + np.abs(one).max())


def test_a_flexible_tree_is_turned_round():
    rng = np.random.default_rng(8)
    mb = Multibody("turn")
    mb.add_body("root", mass=3.0, inertia=[1, 1, 1], joint=Free())
    mb.add_body("arm", component=BEAM, parent="root", at=[0.2, 0, 0], joint=Revolute("z"))
    mb.add_body("hand", mass=0.5, inertia=[0.01] * 3, parent="arm", at=6, joint=Ball())
    mb.add_body("station", mass=50.0, inertia=[30, 40, 50], joint=Free())
    system = mb.compile()
    x = random_state(system, rng, deflection=1e-4)
    docked, y = system.attach("hand", "station", x)
    assert docked.model.spec("arm").node == 6 and docked.model.spec("arm").parent == "hand"
    assert docked.model.spec("root").at == 1
    assert relative(docked.change.momentum_after, docked.change.momentum_before) < 1e-12
    # second order in the deflection of 1e-4
    assert np.abs(docked.position(y, "root") - system.position(x, "root")).max() < 1e-6


@pytest.mark.parametrize("joint", JOINTS, ids=lambda j: type(j).__name__)
def test_coordinates_and_velocities_of_a_joint_are_found_again(joint):
    rng = np.random.default_rng(11)
    for _ in range(5):
        q = joint.nominal() + 0.4 * rng.normal(size=joint.nq)
        if not joint.linear:
            q[:4] /= np.linalg.norm(q[:4])
        R, p = joint.pose(q)
        found = joint.fit(R, p, q if joint.linear else None)
        again, there = joint.pose(found)
        assert np.abs(again - R).max() < 1e-13 and np.abs(there - p).max() < 1e-13
        if joint.linear:
            assert np.abs(found - q).max(initial=0.0) < 1e-12
            # H is the derivative of the pose (central difference, error of order 1e-10)
            H = joint.subspace(q)
            for k in range(joint.nv):
                e = 1e-5 * np.eye(joint.nv)[k]
                (R1, p1), (R0, p0) = joint.pose(q + e), joint.pose(q - e)
                w = spatial.rotvec_from_matrix(R0.T @ R1) / 2e-5
                assert np.abs(w - H[:3, k]).max() < 1e-8
                assert np.abs(R.T @ (p1 - p0) / 2e-5 - H[3:, k]).max() < 1e-8


def swinging(joint=None):
    rng = np.random.default_rng(2)
    mb = Multibody("swing")
    mb.add_body("bus", mass=5.0, inertia=[1, 2, 2.5], joint=Free())
    mb.add_body("panel", component=BEAM, parent="bus", at=[0.3, 0, 0], joint=joint or Revolute("z"))
    mb.add_body("tip", mass=0.3, inertia=[0.01] * 3, parent="panel", at=6, joint=Prismatic("y"))
    system = mb.compile()
    return system, random_state(system, rng)


def test_replacing_joints():
    system, x = swinging()
    locked, y = system.replace_joint("panel", Locked(), x)
    change = locked.change
    assert relative(change.momentum_after, change.momentum_before) < 1e-12
    assert change.energy_loss > 0.0
    assert np.abs(locked.rotation(y, "panel") - system.rotation(x, "panel")).max() < 1e-13
    freed, z = locked.replace_joint("panel", Ball(), y)
    assert_same_motion(locked, y, freed, z)
    assert freed.change.energy_loss == pytest.approx(0.0, abs=1e-12 * system.energy(x))
    # a slider that stops where it is: rigid on a flexible parent, its port moves to the node
    stuck, w = system.replace_joint("tip", Locked(), x)
    assert np.abs(stuck.position(w, "tip") - system.position(x, "tip")).max() < 1e-13
    assert relative(stuck.change.momentum_after, stuck.change.momentum_before) < 1e-12
    _, u = system.replace_joint("panel", Revolute("z", stiffness=4.0), x)
    assert u["panel"].q[0] == pytest.approx(x["panel"].q[0], abs=1e-13)


def test_locking_a_moving_joint_is_a_momentum_conserving_impulse():
    """The same answer as a joint that is replaced by a Locked one."""
    system, x = swinging()
    locked, y = system.replace_joint("panel", Locked(), x)
    z = x.copy()
    set_rates(system, z, "panel", np.zeros(1))
    assert z["panel"].v[0] == 0.0
    for name in system.bodies:
        assert np.abs(system.velocity(z, name) - locked.velocity(y, name)).max() < 1e-11
    assert system.joint_mode("panel") == "free"


def test_ports_of_rigid_bodies_leave_their_points_alone():
    """A body joined at a point of its own: forces, velocities and mass are still given in its own frame."""
    rng = np.random.default_rng(4)
    system, x = swinging()
    mass, com, inertia = random_inertia(rng)
    mb = system.model
    mb.add_body("tank", mass=mass, com=com, inertia=inertia, joint=Free())
    system = mb.compile()
    x = random_state(system, rng)
    port = np.array([0.2, -0.1, 0.3])
    docked, y = system.attach("tank", "bus", x, joint=Revolute("y"), port=port)
    assert np.array_equal(docked.model.spec("tank").port, port)
    y["tank"].q[:] = 0.7
    R, p = docked.rotation(y, "tank"), docked.position(y, "tank")
    place = (0.1, 0.2, 0.3)
    np.testing.assert_allclose(docked.position(y, "tank", place), p + R @ place, atol=1e-14)
    at = docked.model.spec("tank").at
    np.testing.assert_allclose(docked.position(y, "tank", port), docked.position(y, "bus", at), atol=1e-13)
    J = docked.jacobian(y, "tank", place)
    np.testing.assert_allclose(J @ y.v, docked.velocity(y, "tank", place), atol=1e-12)
    wrench = rng.normal(size=6)
    base = docked.forward_dynamics(y)
    push = docked.forward_dynamics(y, forces={("tank", place): wrench}) - base
    np.testing.assert_allclose(
        push, np.linalg.solve(docked.mass_matrix(y), J.T @ wrench), rtol=1e-9, atol=1e-11
    )
    before = docked.mass_properties(y)
    docked.set_mass("tank", mass, com, inertia)
    np.testing.assert_allclose(docked.mass_properties(y).inertia, before.inertia, rtol=1e-13)


def test_other_data_for_a_flexible_body():
    """More modes of the same structure carry the deformation over; fewer lose energy and say how much."""
    rich = beam(n_elements=5, n_modes=9)
    system, x = swinging()
    x["panel"].etadot[:] *= 0.1
    better, y = system.replace_component("panel", rich, x)
    assert better.nv == system.nv + 5
    tip = [s.position(z, "panel", 6) for s, z in ((system, x), (better, y))]
    assert np.abs(tip[0] - tip[1]).max() < 1e-5
    assert relative(better.change.momentum_after, better.change.momentum_before) < 1e-12
    assert better.change.energy_after == pytest.approx(better.change.energy_before, rel=1e-3)
    _, z = better.replace_component("panel", BEAM, y)
    assert np.abs(z["panel"].eta - x["panel"].eta).max() < 1e-2 * np.abs(x["panel"].eta).max()
    _, w = system.replace_component("panel", beam(n_elements=5, n_modes=4), x)
    assert np.abs(w.q - x.q).max() < 1e-10 and np.abs(w.v - x.v).max() < 1e-10


def test_reattach_remove_and_order():
    system, x = swinging()
    moved, y = system.reattach("tip", "bus", x)
    assert moved.model.spec("tip").parent == "bus"
    assert relative(moved.momentum(y), system.momentum(x)) < 1e-12
    apart, z = system.detach("panel", x)
    rest, w = apart.remove("panel", z)
    assert rest.bodies == ["bus"]
    assert np.array_equal(w["bus"].v, x["bus"].v)
    # the bus docks to what came after it: parents still come first
    turned, u = apart.attach("bus", ("panel", 6), z, snap=False)
    assert turned.bodies.index("panel") < turned.bodies.index("bus")
    assert relative(turned.momentum(u), system.momentum(x)) < 1e-12


def test_the_old_system_and_joint_modes_are_kept():
    system, x = swinging()
    before = system.forward_dynamics(x)
    system.set_joint_mode("panel", "locked")
    apart, _ = system.detach("tip", x)
    assert apart.joint_mode("panel") == "locked"
    apart.set_mass("tip", 5.0, inertia=[1, 1, 1])
    apart.set_joint_mode("panel", "free")
    system.set_joint_mode("panel", "free")
    assert np.array_equal(system.forward_dynamics(x), before)


def test_a_point_mass_can_leave_and_come_back():
    """Without inertia of its own it turns with the spin it had; momentum feels nothing of that."""
    mb = Multibody("point")
    mb.add_body("bus", mass=5.0, inertia=[1, 2, 2.5], joint=Free())
    mb.add_body("tip", mass=2.0, parent="bus", at=[0.5, 0.2, 0.0])
    system = mb.compile()
    x = random_state(system, np.random.default_rng(0))
    apart, y = system.detach("tip", x)
    assert relative(apart.momentum(y), system.momentum(x)) < 1e-12
    _, z = apart.attach("tip", ("bus", [0.5, 0.2, 0.0]), y)
    assert np.abs(z.v - x.v).max() < 1e-12 and np.abs(z.q - x.q).max() < 1e-12


def test_lumped_masses_as_bodies():
    """A lumped mass taken out of the mesh and put back as a body: the frequencies of the mesh that kept it."""
    from multibody_models import beam_matrices

    from interstage.component import ChildBody, Component
    from interstage.component.from_matrices import mass_block

    K, M, nodes = beam_matrices(6)
    offset, inertia = np.array([0.0, 0.1, 0.0]), np.diag([0.002, 0.003, 0.004])
    loaded = M.copy()
    loaded[24:30, 24:30] += mass_block(0.5, offset, inertia)
    lump = ChildBody("tank", 0.5, offset, inertia, 5, np.asarray(nodes[5], dtype=float))
    options = {"n_modes": 24, "aset": {1: 123456, 5: 123456}}
    apart = Component.from_matrices(K, loaded, nodes, lumped=[lump], **options)
    mb = Multibody("loaded")
    mb.add_body("beam", component=apart, node=1, joint=Free())
    assert [spec.name for spec in mb.add_lumped("beam")] == ["beam.tank"]
    system = mb.compile()
    from scipy.linalg import eigh

    exact = np.sqrt(np.abs(eigh(K, loaded, eigvals_only=True)))[6:12] / (2 * np.pi)
    np.testing.assert_allclose(system.modes().frequencies_hz[6:12], exact, rtol=1e-4)


def test_docking_and_leaving_with_closures():
    """A strut stays where it is: impacts respect it, and a body that is detached still hangs on it."""
    mb = Multibody("strutted")
    mb.add_body("bus", mass=5.0, inertia=[1, 2, 2.5], joint=Free())
    mb.add_body("panel", component=BEAM, parent="bus", at=[0.3, 0, 0], joint=Revolute("z"))
    mb.add_body("strut", mass=0.2, inertia=[0.01] * 3, parent="bus", at=[0.3, -0.4, 0], joint=Revolute("z"))
    mb.add_body("lander", mass=1.0, inertia=[0.1] * 3, joint=Free())
    tip = np.array([0.2, 0.4, 0.0])  # of the strut, from its hinge to the panel's second node
    mb.close("pin", ("panel", 2), ("strut", tip), joint=Ball())
    system = mb.compile()
    rng = np.random.default_rng(3)
    x = system.state()
    x.v[:] = rng.normal(size=system.nv)
    x["lander"].position[:] = system.position(x, "panel", 6) + [0.1, 0.0, 0.0]
    x = system.assemble(x)
    docked, y = system.attach("lander", ("panel", 6), x)
    assert np.abs(docked.closure_rate(y)).max() < 1e-12
    assert relative(docked.change.momentum_after, docked.change.momentum_before) < 1e-12
    assert docked.change.energy_loss > 0.0
    assert np.abs(docked.velocity(y, "lander")[:3] - docked.velocity(y, "panel", 6)[:3]).max() < 1e-12
    loose, z = system.detach("panel", x)
    assert_same_motion(system, x, loose, z)
    assert np.abs(loose.closure_error(z)).max() < 1e-10
    gone, _ = system.detach("strut", x)[0].remove("strut", system.detach("strut", x)[1])
    assert gone.n_closure == 0


def test_refusals_are_sentences():
    system, x = swinging()
    free = system.detach("panel", x)
    for words, action in (
        ("no body 'nose'.*known: bus", lambda: system.detach("nose", x)),
        ("'bus' is a root.*'panel', 'tip'", lambda: system.detach("bus", x)),
        ("no body 'nose'", lambda: system.attach("bus", "nose", x)),
        ("'tip' hangs on it", lambda: system.attach("panel", ("tip", None), x)),
        ("both are in one tree", lambda: system.attach("tip", "bus", x)),
        ("joined at a node", lambda: free[0].attach("bus", "panel", free[1])),
        ("node 99 is not in the component", lambda: free[0].attach("bus", ("panel", 99), free[1])),
        ("node 99", lambda: free[0].attach("panel", "bus", free[1], port=99)),
        ("joined at a node", lambda: free[0].attach("panel", "bus", free[1], port=[0, 0, 0])),
        ("not a joint", lambda: free[0].attach("panel", "bus", free[1], joint="hinge")),
        ("is rigid", lambda: system.replace_component("tip", BEAM, x)),
        ("hangs on 'panel'", lambda: system.remove("tip", x)),
        ("not a place", lambda: free[0].attach("panel", 7, free[1])),
        ("does not belong to this system", lambda: system.attach("panel", "bus", free[1])),
    ):
        with pytest.raises(InputError, match=words):
            action()
    mb = Multibody("pinned")
    mb.add_body("post", mass=1.0, inertia=[1, 1, 1], joint=Revolute("z"))
    mb.add_body("stone", mass=1.0, inertia=[1, 1, 1])
    pinned = mb.compile()
    with pytest.raises(InputError, match="held on the ground by a Revolute"):
        pinned.attach("post", "stone", pinned.state())
    loose, _ = pinned.detach("post", pinned.state())
    assert isinstance(loose.model.spec("post").joint, Free)
