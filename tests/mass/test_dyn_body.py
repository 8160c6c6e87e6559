"""DynBody: one rigid body for a tree; momentum through attach, detach and moves; test Mass_10 (Apollo)."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mass_cases import close

from interstage.errors import InputError, ModelError
from interstage.mass import CylinderFill, MassBody, Orientation, Tank, rigid_properties
from interstage.mass.json_file import from_dict, to_dict
from interstage.multibody import Free, Multibody, Revolute
from interstage.multibody.dynbody import DynBody
from interstage.spatial import Rotation
from validation import apollo_stack

R = Rotation.from_euler("zyx", [0.3, -0.7, 1.1])


@pytest.fixture(scope="module")
def flight():
    return apollo_stack.fly()


@pytest.mark.parametrize("number", range(12))
def test_mass_10_sim_apollo(flight, number):
    what, errors = flight.events[number]
    for key, limit in apollo_stack.PRINTED.items():
        assert errors[key] <= limit, (what, key)
    if number:
        assert errors["linear momentum"] <= 1e-12
        assert errors["angular momentum"] <= 1e-12


def test_mass_10_momentum_over_the_whole_flight(flight):
    assert max(flight.drift.values()) < 1e-11


def pair():
    a = DynBody("a", 5.0, [0.2, 0, 0.1], [2, 3, 4], orientation=R)
    b = DynBody("b", 3.0, [0, 0.3, 0], [1, 1.5, 1.2])
    a.set_state([1, 2, 3], [0.1, -0.2, 0.3], R, [0.3, -0.1, 0.5])
    b.set_state([2, 1, 3], [-0.4, 0.2, 0.1], R.inverse, [-0.2, 0.4, 0.1])
    return a, b


def test_attach_conserves_centre_of_mass_and_momentum():
    a, b = pair()
    before = a.momentum() + b.momentum()
    places = [body.state(body.composite).position for body in (a, b)]
    com = (5 * places[0] + 3 * places[1]) / 8
    attitude = a.state().rotation.matrix
    b.attach_to(a, offset=[1, -1, 0.5], orientation=R)
    close(a.momentum(), before)
    close(a.state(a.composite).position, com)
    close(a.state().rotation.matrix, attitude)
    close(b.state().rotation.matrix, attitude @ R.matrix)


def test_detach_keeps_every_motion_and_the_sum_of_momenta():
    a, b = pair()
    b.attach_to(a, offset=[1, -1, 0.5], orientation=R)
    b.add_point("tip", [0, 0, 2], R)
    before, energy, tip, own = a.momentum(), a.energy(), b.state("tip"), a.state()
    b.detach()
    close(a.momentum() + b.momentum(), before)
    close(a.energy() + b.energy(), energy)
    for got, wanted in zip(b.state("tip") + a.state(), tip + own):
        close(np.asarray(got), np.asarray(wanted))


def test_moving_a_part_conserves_momentum():
    a, b = pair()
    b.attach_to(a, offset=[1, -1, 0.5])
    arm = MassBody("arm", 1.0, [0, 0, 1], [0.3, 0.3, 0.01])
    arm.attach_to(b, offset=[0, 0, 1])
    for move in (
        lambda: arm.reattach(offset=[0, 2, 0], orientation=R),
        lambda: arm.reattach(a, offset=[1, 0, 0]),
    ):
        before, com = a.momentum(), a.state(a.composite).position
        move()
        close(a.momentum(), before)
        close(a.state(a.composite).position, com)
    c = DynBody("c", 2.0, inertia=[1, 1, 1])
    c.set_state([0, 0, 5], [1, 0, 0], rate=[0, 0, 1])
    before = a.momentum() + c.momentum()
    b.reattach(c, offset=[0, 1, 0])
    close(a.momentum() + c.momentum(), before)
    assert b.parent is c


_vector = st.tuples(*[st.floats(-1.0, 1.0)] * 3)
_change = st.tuples(st.sampled_from("adr"), st.integers(0, 3), st.integers(0, 3), _vector, _vector)


@settings(max_examples=40)
@given(st.lists(_change, min_size=1, max_size=12))
def test_any_sequence_of_changes_conserves_momentum(changes):
    bodies = [DynBody(f"b{k}", 1.0 + k, [0.1, 0.2, 0.0], [1.0, 1.2, 1.4]) for k in range(4)]
    for k, body in enumerate(bodies):
        body.set_state([k, 0, 0], [0, 0.1 * k, -0.2], R, [0.1 * k, 0, 0.3])

    def total():
        return sum(body.momentum() for body in bodies if body.parent is None)

    before = total()
    for kind, i, j, offset, turn in changes:
        how = {"offset": offset, "orientation": Rotation.from_rotation_vector(turn)}
        try:
            if kind == "a":
                bodies[i].attach_to(bodies[j], **how)
            elif kind == "d":
                bodies[i].detach()
            else:
                bodies[i].reattach(bodies[j], **how)
        except ModelError:
            pass
        close(total(), before, 1e-11)
    root = bodies[0].root
    mass, place, velocity, spin = root.inventory()
    close(root.momentum(), np.concatenate([spin + np.cross(place, mass * velocity), mass * velocity]), 1e-11)


def test_a_part_attached_through_a_plain_one_moves_its_dynamic_root():
    a, b = pair()
    lug = MassBody("lug", 0.1)
    lug.attach_to(b, offset=[0, 0, 1])
    before = a.momentum() + b.momentum()
    lug.attach_to(a, offset=[2, 0, 0])
    assert b.parent is a and lug.parent is b
    close(a.momentum(), before)


def test_dynamic_bodies_are_not_under_plain_ones():
    a, plain = DynBody("a", 1.0, inertia=[1, 1, 1]), MassBody("crate", 1.0, inertia=[1, 1, 1])
    with pytest.raises(ModelError, match=r"'a' under 'crate'.*make it a DynBody"):
        a.attach_to(plain, offset=[0, 0, 0])
    plain.attach_to(a, offset=[1, 0, 0])
    with pytest.raises(ModelError, match="dynamic body"):
        DynBody("b", 1.0, inertia=[1, 1, 1]).attach_to(plain, offset=[1, 0, 0])


def test_trees_without_a_motion_take_that_of_the_other():
    a, b = DynBody("a", 1.0, inertia=[1, 1, 1]), DynBody("b", 2.0, inertia=[1, 1, 1])
    b.attach_to(a, offset=[1, 0, 0])
    close(a.state().position, 0)
    c = DynBody("c", 1.0, inertia=[1, 1, 1])
    a.set_state([1, 1, 1], [2, 0, 0], R, [0, 0, 1])
    motion = b.state()
    a.attach_to(c, offset=[0, 0, 3])
    for got, wanted in zip(b.state(), motion):
        close(np.asarray(got), np.asarray(wanted))


def test_free_motion_keeps_momentum_and_energy():
    a, b = pair()
    b.attach_to(a, offset=[1, -1, 0.5], orientation=R)
    before, energy = a.momentum(), a.energy()
    for _ in range(200):
        b.step(0.01)  # any part moves its tree
    close(a.momentum(), before, 1e-10)
    close(a.energy(), energy, 1e-11)
    middle = a.state(a.composite)
    close(middle.velocity, before[3:] / 8.0)


def test_order_of_the_integrator_is_four():
    ends = []
    for n in (20, 40, 80):
        a, _ = pair()
        for _ in range(n):
            a.step(2.0 / n, {None: [0.2, 0.1, -0.3, 1, 0, 0]}, frame="point")
        ends.append(np.concatenate([a.state().position, a.state().rate]))
    order = np.log2(np.abs(ends[0] - ends[1]).max() / np.abs(ends[1] - ends[2]).max())
    assert 3.7 < order < 4.4


def test_forces_act_at_points_and_follow_the_frame():
    body = DynBody("b", 2.0, [0.5, 0, 0], [1, 2, 3])
    body.add_point("jet", [0, 0, 1], R)
    body.set_state(rotation=R)
    f = np.array([1.0, -2.0, 0.5])
    world = body.acceleration({"jet": [0, 0, 0, *f]})
    turned = body.acceleration({"jet": [0, 0, 0, *R.inverse.apply(R.inverse.apply(f))]}, frame="point")
    close(world, turned)
    f_struct = R.inverse.apply(f)
    torque = np.cross(np.array([0, 0, 1]) - [0.5, 0, 0], f_struct)
    alpha = torque / [1, 2, 3]
    close(world[:3], alpha)
    close(world[3:], f_struct / 2.0 - np.cross(alpha, [0.5, 0, 0]))
    with pytest.raises(InputError, match="unknown frame"):
        body.step(0.1, frame="moon")
    with pytest.raises(InputError, match="outside the tree"):
        body.step(0.1, {DynBody("other", 1.0): [0] * 6})


def test_states_of_points():
    body = DynBody("b", 2.0, [0.5, 0, 0], [1, 2, 3])
    point = body.add_point("p", [0, 1, 0], Orientation.eigen_rotation([0, 0, 1], 90, degrees=True))
    body.set_state([1, 0, 0], [0, 0, 1], Rotation.identity(), [0, 0, 2], point=point)
    state = body.state("p")
    close(state.position, [1, 0, 0])
    close(state.velocity, [0, 0, 1])
    close(state.rate, [0, 0, 2])
    close(state.quaternion, [1, 0, 0, 0])
    close(body.state().position, [1, 0, 0] - body.state().rotation.apply([0, 1, 0]))
    close(body.state().velocity, [0, 0, 1] - np.cross([0, 0, 2], body.state().rotation.apply([0, 1, 0])))


def test_burning_changes_the_mass_that_is_moved():
    stage = DynBody("stage", 100.0, inertia=[50, 50, 10])
    tank = Tank("tank", CylinderFill(0.5, 2.0, 1000.0, axis="z"))
    tank.attach_to(stage, offset=[0, 0, 1])
    push = {None: [0, 0, 0, 0, 0, 100.0]}
    full = stage.acceleration(push)[5]
    close(full, 100.0 / stage.composite.mass)
    tank.burn(0.5 * tank.contents)
    close(stage.acceleration(push)[5], 100.0 / stage.composite.mass)
    assert stage.acceleration(push)[5] > full


def test_rocket_equation():
    errors = []
    for n in (100, 200):
        stage = DynBody("stage", 100.0, inertia=[50, 50, 10])
        tank = Tank("tank", CylinderFill(0.5, 1.0, 1000.0, axis="z"))
        tank.attach_to(stage, offset=[0, 0, 1])
        start, speed, dt = stage.composite.mass, 3000.0, 2.0 / n
        flow = tank.contents / 2.0
        for _ in range(n):  # half of a step's propellant goes before it and half after: second order
            tank.burn(0.5 * flow * dt)
            stage.step(dt, {None: [0, 0, 0, 0, 0, flow * speed]}, frame="point")
            tank.burn(0.5 * flow * dt)
        assert tank.contents == pytest.approx(0.0, abs=1e-9)
        errors.append(stage.state().velocity[2] / (speed * np.log(start / 100.0)) - 1.0)
    assert abs(errors[1]) < 5e-5
    assert 3.6 < errors[0] / errors[1] < 4.4


def test_a_tree_is_the_rigid_inertia_of_a_multibody():
    bus, box = (
        MassBody("bus", 5.0, [0.1, 0, 0], [2, 3, 4], orientation=R),
        MassBody("box", 1.0, inertia=[1, 1, 1]),
    )
    box.attach_to(bus, offset=[0, 2, 0], orientation=R)
    vehicle = Multibody("v")
    vehicle.add_body("bus", **rigid_properties(bus), joint=Free())
    vehicle.add_body("arm", mass=1.0, com=[0, 0, 1], parent="bus", at=[0, 0, 1], joint=Revolute("x"))
    system = vehicle.compile()
    system.state()
    by_parts = Multibody("v")
    core = bus.core
    by_parts.add_body("bus", mass=5.0, com=core.position, inertia=core.inertia_struct, joint=Free())
    by_parts.add_body("box", mass=1.0, inertia=np.eye(3), parent="bus", at=[0, 2, 0], rotation=R)
    by_parts.add_body("arm", mass=1.0, com=[0, 0, 1], parent="bus", at=[0, 0, 1], joint=Revolute("x"))
    other = by_parts.compile()
    close(system.mass_matrix(system.state()), other.mass_matrix(other.state()))
    box.burn(0.5)
    system.set_mass("bus", **rigid_properties(bus))
    other.set_mass("box", 0.5, inertia=0.5 * np.eye(3))
    close(system.mass_matrix(system.state()), other.mass_matrix(other.state()))


def test_dynamic_bodies_come_back_from_a_file():
    a, b = pair()
    b.attach_to(a, offset=[1, -1, 0.5], orientation=R)
    again = from_dict(to_dict(a))
    assert type(again) is DynBody and type(again.children[0]) is DynBody
    close(again.composite.inertia, a.composite.inertia)
    for name in ("position", "velocity", "rate"):
        close(getattr(again.state(), name), getattr(a.state(), name))


def test_unphysical_data_are_taken_when_asked():
    body = DynBody("cm", 5809.0, [2.65, 0, 0], [6631.7, 2723.3, 2723.3], check=False)
    body.set_state(rate=[0.1, 0.2, 0.3])
    before = body.momentum()
    body.step(0.1)
    close(body.momentum(), before, 1e-4)  # of 1e4
    with pytest.raises(ModelError, match="no mass"):
        DynBody("nothing").step(0.1)


def test_example_of_a_burning_stage(capsys):
    path = Path(__file__).resolve().parents[2] / "examples" / "burning_stage.py"
    gained, ideal = runpy.run_path(str(path))["main"]()
    assert gained == pytest.approx(ideal, rel=1e-4)
    assert "stage left at 60.2 s" in capsys.readouterr().out


def test_where_and_how_fast_trees_fly_does_not_matter_when_they_join():
    """Spin after docking at 42,000 km from the origin and 3 km/s is that of the same docking at rest there."""
    seen = []
    for far, boost in (([0, 0, 0], [0, 0, 0]), ([4.2e7, 1e6, -3e5], [0, 3e3, 20.0])):
        a = DynBody("a", mass=900.0, position=[0.1, 0, 0.3], inertia=[300, 400, 500])
        b = DynBody("b", mass=150.0, inertia=[40, 45, 50])
        a.set_state(np.array(far), np.add(boost, [0.1, 0.2, 0.3]), rate=[0.01, -0.02, 0.03])
        b.set_state(np.add(far, [2, 0, 1]), np.add(boost, [0, -0.3, 0.1]), rate=[0.1, 0.02, -0.03])
        b.attach_to(a, offset=[2, 0, 1])
        seen.append(np.concatenate([a.state().rate, a.state().velocity - boost]))
    np.testing.assert_allclose(seen[1], seen[0], rtol=0, atol=1e-8)
