"""Links, points, relative states, updates and errors of the mass tree."""

from __future__ import annotations

import numpy as np
import pytest
from mass_cases import PLATE, brute_force, close, plate

from interstage.errors import InertiaError, InputError, ModelError
from interstage.mass import (
    MassBody,
    Orientation,
    print_tree,
    relative_state,
    relative_states,
    rigid_properties,
)
from interstage.mass import tree as links
from interstage.spatial import Rotation

pytestmark = pytest.mark.kernels

R = Rotation.from_euler("zyx", [0.3, -0.7, 1.1])


def chain(n):
    bodies = [MassBody(f"b{k}", 1.0 + k, [0.1, 0.2, 0.3], [1, 1, 1]) for k in range(n)]
    for k in range(1, n):
        bodies[k].attach_to(bodies[k - 1], offset=[1, 0.1 * k, 0], orientation=R)
    return bodies


def test_orientation_inputs_agree_in_both_directions():
    T = R.matrix.T
    axis, angle = R.axis, R.angle
    same = [
        Orientation.of(R),
        Orientation.matrix(T),
        Orientation.matrix(T.T, "body_to_struct"),
        Orientation.quaternion(Rotation(T).quaternion),
        Orientation.quaternion(R.quaternion, direction="point_to_struct"),
        Orientation.eigen_rotation(axis, angle),
        Orientation.eigen_rotation(axis, -np.degrees(angle), degrees=True, direction="case_to_struct"),
        Orientation.euler("zyx", [0.3, -0.7, 1.1]),
        Orientation.euler("xyz", [-1.1, 0.7, -0.3], direction=1),
    ]
    for orientation in same:
        close(orientation.T_parent_this, T, 1e-14)
    body = MassBody("b", 1.0, inertia=PLATE, orientation=same[-1])
    close(body.core.T_parent_this, T, 1e-14)
    close(Rotation.from_quaternion(body.core.quaternion).matrix, T, 1e-14)
    point = body.add_point("p", [1, 2, 3], same[3])
    close(point.T_parent_this @ R.apply([1, 0, 0]), [1, 0, 0], 1e-14)
    close(Rotation.from_quaternion(point.quaternion).matrix, T, 1e-14)


def test_orientation_refuses_what_has_no_direction():
    with pytest.raises(InputError, match=r"Orientation.matrix\(T\)"):
        MassBody("b", 1.0).add_point("p", orientation=R.matrix)
    half = MassBody("b", 1.0).add_point("p", orientation=np.diag([-1, -1, 1]))  # the same both ways
    close(half.T_parent_this, np.diag([-1, -1, 1]))
    with pytest.raises(InputError, match="struct_to_body"):
        Orientation.matrix(np.eye(3), "sideways")
    with pytest.raises(InputError, match="given twice"):
        MassBody("b", 1.0).add_point("p", orientation=R, T_parent_this=np.eye(3))


@pytest.mark.parametrize("spec", ["body", "struct_cg", "struct", "spec_cg", "spec"])
def test_every_inertia_spec_gives_the_same_body(spec):
    I_body, com, mass = np.diag([2.0, 3.0, 4.0]) + 0.1, np.array([0.3, -0.2, 0.5]), 7.0
    axes, spec_axes = Orientation.of(R), Orientation.euler("xyz", [0.2, 0.4, -0.6])
    I_struct = R.matrix @ I_body @ R.matrix.T
    T = spec_axes.T_parent_this  # from the tensor's axes to body axes
    I_spec = T.T @ I_body @ T
    d = np.array([0.1, 0.9, -0.4])

    def steiner(x):
        return mass * (x @ x * np.eye(3) - np.outer(x, x))

    tensor = {
        "body": I_body,
        "struct_cg": I_struct,
        "struct": I_struct + steiner(com),
        "spec_cg": I_spec,
        "spec": I_spec + steiner(d),
    }[spec]
    extra = {}
    if spec.startswith("spec"):
        extra["inertia_orientation"] = spec_axes
    if spec == "spec":
        extra["inertia_offset"] = d
    body = MassBody("b", mass, com, tensor, spec, orientation=axes, **extra)
    close(body.core.inertia, I_body)
    close(body.core.inertia_struct, I_struct)
    close(body.composite.inverse_inertia @ I_body, np.eye(3))


def test_no_inertia_spec_leaves_the_tensor_out():
    with pytest.warns(UserWarning, match="left out"):
        body = MassBody("b", 1.0, inertia=np.eye(3), inertia_spec="none")
    assert not body.core.inertia.any()


def test_bad_inertia_says_which_rule():
    with pytest.raises(InertiaError, match=r"triangle inequality.*'b'"):
        MassBody("b", 1.0, inertia=[1, 1, 3])
    with pytest.raises(InertiaError, match="not symmetric"):
        MassBody("b", 1.0, inertia=[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]])
    with pytest.raises(InertiaError, match="not positive"):
        MassBody("b", 1.0, [2, 0, 0], [1, 1, 1], "struct")
    with pytest.raises(InertiaError, match="mass is not positive"):
        MassBody("b", -1.0)
    with pytest.raises(InertiaError, match="without mass has inertia"):
        MassBody("b", 0.0, inertia=[1, 1, 1])
    with pytest.raises(InputError, match=r"unknown inertia_spec.*struct_cg"):
        MassBody("b", 1.0, inertia=[1, 1, 1], inertia_spec="about")
    with pytest.raises(InputError, match="needs inertia_offset"):
        MassBody("b", 1.0, inertia=[1, 1, 1], inertia_spec="spec", inertia_orientation=R)
    with pytest.raises(InputError, match="does not use inertia_offset"):
        MassBody("b", 1.0, inertia=[1, 1, 1], inertia_offset=[0, 0, 0])


def test_points_are_named_once_and_known():
    body = plate("panel")
    body.add_point("dock", [1, 0, 0])
    body.add_point("lug")
    with pytest.raises(InputError, match="already a point 'dock'"):
        body.add_point("dock")
    with pytest.raises(InputError, match=r"there is no point 'port'.*'panel'.*known: dock, lug"):
        body.point("port")


def test_rules_of_attachment():
    a, b, c = (plate(name) for name in "abc")
    b.attach_to(a, offset=[1, 0, 0])
    c.attach_to(b, offset=[1, 0, 0])
    before = str(a)
    for child, parent in ((a, c), (c, a), (a, a), (c, b)):
        with pytest.raises(ModelError, match="loop"):
            child.attach_to(parent, offset=[0, 0, 0])
    with pytest.raises(ModelError, match="loop"):
        b.reattach(c, offset=[0, 0, 0])
    with pytest.raises(
        ModelError, match="'a' is the root of its tree and cannot be detached; attached to it: b"
    ):
        a.detach()
    with pytest.raises(ModelError, match="cannot be moved"):
        a.reattach(offset=[0, 0, 0])
    with pytest.raises(InputError, match="either point and parent_point, or offset"):
        plate("d").attach_to(a)
    with pytest.raises(InputError, match="not clear"):
        plate("d").attach_to(a, point="p", offset=[0, 0, 0])
    assert str(a) == before


def test_structure_points_and_relative_states():
    bodies = chain(5)
    bodies[1].add_point("p", [0.3, 0.1, -2.0], R)
    fork = plate("fork")
    fork.attach_to(bodies[1], offset=[0, 3, 0], orientation=R.inverse)
    fork.add_point("q", [1, 1, 1], R @ R)
    p, q = bodies[1].point("p"), fork.point("q")
    there, back = relative_state(q, p), p.relative_to(q)
    close(there.T_parent_this @ back.T_parent_this, np.eye(3), 1e-14)
    close(there.position + there.T_parent_this.T @ back.position, 0, 1e-14)
    # by hand: p and q both in the axes of b1
    q_1 = np.array([0, 3, 0]) + R.inverse.apply([1, 1, 1])
    close(there.position, R.inverse.apply(q_1 - p.position), 1e-14)
    close(there.rotation.matrix, (R.inverse @ R.inverse @ R @ R).matrix, 1e-14)
    com = relative_state(bodies[0].composite, bodies[0])
    close(com.position, bodies[0].composite.position, 1e-14)
    points = [p, q, bodies[4], bodies[2].core]
    a, b = np.divmod(np.arange(16), 4)
    position, T = relative_states(points, a, b)
    for k in range(16):
        one = relative_state(points[a[k]], points[b[k]])
        close(position[k], one.position, 1e-14)
        close(T[k], one.T_parent_this, 1e-14)
    bodies[2].detach()
    with pytest.raises(InputError, match=r"different trees.*'b2' and 'b0'"):
        relative_state(bodies[4], bodies[0])
    with pytest.raises(InputError, match="different trees"):
        relative_states(points, a, b)


def test_relative_states_follow_every_change_of_shape():
    bodies = chain(4)
    tip = bodies[3].add_point("tip", [1, 0, 0])
    first = relative_state(tip, bodies[0]).position
    bodies[1].reattach(offset=[5, 0, 0], orientation=R)
    close(relative_state(tip, bodies[0]).position - first, [4, -0.1, 0], 1e-14)
    bodies[1].detach()
    close(relative_state(tip, bodies[1]).position, relative_state(tip, bodies[1]).position)
    bodies[1].attach_to(bodies[0], offset=[1, 0.1, 0], orientation=R)
    close(relative_state(tip, bodies[0]).position, first, 1e-14)


def test_only_the_path_to_the_root_is_recomputed(monkeypatch):
    trunk = chain(6)
    side = [plate(f"s{k}") for k in range(6)]
    for body, parent in zip(side, trunk):
        body.attach_to(parent, offset=[0, 1, 0])
    assert trunk[0].composite.mass > 0
    sums = []
    real = links.combine
    monkeypatch.setattr(links, "combine", lambda rows, n, out: (sums.append(n), real(rows, n, out)))
    assert trunk[0].composite.mass == pytest.approx(27.0) and not sums
    side[2].set_core(mass=3.0)
    assert not sums  # nothing is done before someone asks
    close(trunk[0].composite.mass, 29.0)
    assert len(sums) == 4  # s2, b2, b1, b0
    sums.clear()
    side[5].burn(0.5)
    close(trunk[4].composite.mass, 5 + 6 + 1 + 0.5)
    assert len(sums) == 3  # s5, b5, b4: asked in the middle
    side[5].burn(0.25)
    close(trunk[0].composite.mass, 28.25)
    assert len(sums) == 3 + 3 + 4
    _, com, inertia = brute_force(trunk[0])
    close(trunk[0].composite.position, com)
    close(trunk[0].composite.inertia, inertia, 1e-10)


def test_a_chain_of_two_thousand_needs_no_recursion():
    bodies = chain(3)
    root = bodies[0]
    last = bodies[-1]
    for k in range(2000):
        body = MassBody(f"c{k}", 1.0)
        body.attach_to(last, offset=[1e-3, 0, 0])
        last = body
    close(root.composite.mass, 2006.0, 1e-9)
    assert relative_state(last, root).position.shape == (3,)
    assert len(root.walk()) == 2003


def test_massless_parts_carry_others():
    frame, load = MassBody("frame", position=[1, 2, 3]), plate("load")
    assert frame.composite.mass == 0.0
    close(frame.composite.position, [1, 2, 3])
    load.attach_to(frame, offset=[0, 0, 4])
    close(frame.composite.position, [0, 0, 4])
    close(frame.composite.inertia, PLATE)
    with pytest.raises(InputError, match="no inverse"):
        _ = MassBody("dot", 1.0).composite.inverse_inertia


def test_mass_changes():
    body = MassBody("stage", 10.0, [0, 0, 1], [4, 4, 2])
    assert body.burn(2.5) == 2.5
    close(body.core.mass, 7.5)
    close(body.core.inertia, np.diag([3, 3, 1.5]))
    body.set_core(position=[0, 0, 2])
    close(body.core.inertia, np.diag([3, 3, 1.5]))
    body.set_core(mass=0.0)
    assert body.core.mass == 0.0 and not body.core.inertia.any()
    with pytest.raises(InertiaError, match=r"cannot burn that much.*0 to 0"):
        body.burn(1.0)
    snapshot = body.core
    with pytest.raises(AttributeError):
        snapshot.mass = 3.0


def test_rigid_properties_are_those_of_the_structure_frame():
    a = MassBody("a", 2.0, [1, 0, 0], PLATE, orientation=R)
    b = MassBody("b", 1.0, [0, 1, 0], PLATE)
    b.attach_to(a, offset=[0, 0, 3], orientation=R)
    mass, com, inertia = brute_force(a)
    got = rigid_properties(a)
    close(got["mass"], mass)
    close(got["com"], com)
    close(got["inertia"], inertia)


def test_a_tree_prints_as_a_tree(capsys):
    a, b, c, d = (plate(name) for name in ("hull", "tank", "valve", "nozzle"))
    b.attach_to(a, offset=[1, 0, 0])
    c.attach_to(b, offset=[1, 0, 0])
    d.attach_to(a, offset=[0, 0, 1])
    b.add_point("port", [1, 2, 3])
    print_tree(a, points=True)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0].rstrip() for line in lines[:3]] == ["part", "hull", "├─ tank"]
    assert lines[3].startswith("│  │  · port") and "1, 2, 3" in lines[3]
    assert lines[4].startswith("│  └─ valve") and lines[5].startswith("└─ nozzle")
    assert "0.75, 0, 0.25" in lines[1]
    assert repr(a) == "<MassBody 'hull': mass 1, 2 children>"
