"""URDF and MJCF: the motion that Pinocchio and MuJoCo compute of the same files; hostile and unreadable ones in words.

What the peers say was written by `write_peers.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import interstage as ist
from interstage.errors import FileError, InputError

ROBOTS = Path(__file__).parent / "robots"
READERS = {"arm.urdf": ist.from_urdf, "crane.xml": ist.from_mjcf}
GRAVITY = {"arm.urdf": {"gravity": [0.3, -0.2, -9.7]}, "crane.xml": {}}


def matrix(w, x, y, z):
    return ist.Rotation.from_quaternion([w, x, y, z]).matrix


def joint_of_peer(kind, q, v):
    """Our q, v of one joint, v_peer = T v_ours, and what T's change adds to the peer's acceleration."""
    if kind == "JointModelRUBZ":
        return [np.arctan2(q[1], q[0])], v, np.eye(1), np.zeros(1)
    if kind == "JointModelPlanar":  # velocities in the moved frame
        angle = np.arctan2(q[3], q[2])
        R = matrix(np.cos(angle / 2), 0, 0, np.sin(angle / 2))[:2, :2]
        T = np.eye(3)
        T[:2, :2] = R.T
        own = np.linalg.solve(T, v)
        return [q[0], q[1], angle], own, T, np.array([v[2] * v[1], -v[2] * v[0], 0.0])
    if kind == "JointModelFreeFlyer":  # [v; ω], quaternion scalar last
        T = np.roll(np.eye(6), 3, axis=1)
        return [q[6], *q[3:6], *q[:3]], T.T @ v, T, np.zeros(6)
    if kind == "free":  # v in the world, ω in the body
        R = matrix(*q[3:])
        T = np.zeros((6, 6))
        T[:3, 3:], T[3:, :3] = R, np.eye(3)
        own = np.linalg.solve(T, v)
        return [*q[3:], *q[:3]], own, T, np.concatenate([R @ np.cross(own[:3], own[3:]), np.zeros(3)])
    return q, v, np.eye(len(v)), np.zeros(len(v))


def compared(made, told, state, start):
    """Return (ours, the peer's) of mass matrix and acceleration, in the peer's velocities."""
    system = made.model.compile()
    x, T, more = system.state(), np.zeros((system.nv, system.nv)), np.zeros(system.nv)
    q, v, tau = (np.array(state[key]) for key in ("q", "v", "tau"))
    for joint in told["joints"]:
        at = made.joints[joint["name"]]
        places = [slice(a, a + n) for a, n in (joint["q"], joint["v"])]
        offset = np.array(start)[places[0]] if joint["kind"] in ("hinge", "slide") else 0.0
        if joint["kind"] == "free":  # ours is measured from where the file puts the body
            p0, R0 = np.array(start)[places[0]][:3], matrix(*np.array(start)[places[0]][3:])
            R = R0.T @ matrix(*q[places[0]][3:])
            own = np.array([*(R0.T @ (q[places[0]][:3] - p0)), *ist.Rotation(R).quaternion])
            _, ov, oT, omore = joint_of_peer("free", q[places[0]], v[places[1]])
            oq = [*own[3:], *own[:3]]
        else:
            oq, ov, oT, omore = joint_of_peer(joint["kind"], q[places[0]] - offset, v[places[1]])
        where = system.layout[at.body]
        number = at.number
        x.q[where.q][number : number + len(oq)] = oq
        columns = np.arange(where.v.start, where.v.stop)[number : number + len(ov)]
        x.v[columns] = ov
        T[places[1], columns] = oT
        more[places[1]] = omore
    a = T @ system.forward_dynamics(x, tau=T.T @ tau) + more
    back = np.linalg.inv(T)
    return (back.T @ system.mass_matrix(x) @ back, a), (np.array(state["M"]), np.array(state["a"]))


@pytest.mark.parametrize("name", READERS)
def test_motion_is_that_of_the_peers(name):
    """Rounding of both: 1e-12 of the largest number; accelerations are through the mass matrix, 1e-10."""
    told = json.loads((ROBOTS / f"{name}.json").read_text())
    made = READERS[name](ROBOTS / name, **GRAVITY[name])
    start = told.get("start", np.zeros(len(told["states"][0]["q"])))
    for state in told["states"]:
        (M, a), (M_peer, a_peer) = compared(made, told, state, start)
        np.testing.assert_allclose(M, M_peer, atol=1e-12 * np.abs(M_peer).max())
        np.testing.assert_allclose(a, a_peer, atol=1e-10 * np.abs(a_peer).max())


def test_limits_and_what_is_left_out_are_told():
    arm = ist.from_urdf(ROBOTS / "arm.urdf")
    shoulder = arm.joints["shoulder"]
    assert (shoulder.body, shoulder.lower, shoulder.upper) == ("upper", -1.5, 2.0)
    assert (shoulder.effort, shoulder.rate, shoulder.kind) == (120.0, 3.0, "revolute")
    assert arm.joints["waist"].lower is None and arm.model.units["length"] == "m"
    crane = ist.from_mjcf(ROBOTS / "crane.xml")
    roll = crane.joints["roll"]
    assert (roll.body, roll.number) == ("jib", 1)
    np.testing.assert_allclose([roll.lower, roll.upper], np.deg2rad([-40.0, 60.0]))
    assert any("contacts" in note for note in crane.notes)
    assert any("actuators" in note for note in crane.notes)
    assert [type(s.joint).__name__ for s in crane.model.specs if s.name == "jib"] == ["Gimbal"]
    np.testing.assert_array_equal(crane.model.gravity, [0.3, 0.0, -9.6])


def panel():
    """A beam of three nodes by its matrices, and its component."""
    nodes = {k: [0.5 * (k - 1), 0.0, 0.0] for k in (1, 2, 3)}
    rng = np.random.default_rng(0)
    S = rng.normal(size=(12, 18))
    S -= (S @ rigid_motions(nodes)) @ np.linalg.pinv(rigid_motions(nodes))
    M = np.kron(np.eye(3), np.diag([2.0, 2.0, 2.0, 0.1, 0.1, 0.1]))
    return ist.Component.from_matrices(
        1e4 * S.T @ S, M, nodes=nodes, aset={1: 123456}, n_modes=4, units="SI", modal_integrals=True
    )


def rigid_motions(nodes):
    rows = []
    for p in nodes.values():
        lever = -np.cross(np.eye(3), p)
        rows.append(np.block([[np.eye(3), lever.T], [np.zeros((3, 3)), np.eye(3)]]))
    return np.vstack(rows)


URDF = """<robot name="r">
  <link name="bus"><inertial><mass value="50"/>
    <inertia ixx="5" iyy="6" izz="7" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="bus"/><child link="panel"/>
    <origin xyz="0.4 0 0" rpy="0 0 0.3"/><axis xyz="0 0 1"/></joint>
  <link name="panel"/>
  <joint name="end" type="fixed"><parent link="panel"/><child link="tip"/><origin xyz="{at} 0 0"/></joint>
  <link name="tip"><inertial><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>"""
MJCF = """<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
  <body name="bus"><freejoint/><inertial pos="0 0 0" mass="50" diaginertia="5 6 7"/>
    <body name="panel" pos="0.4 0 0" euler="0 0 0.3"><joint axis="0 0 1"/>
      <body name="tip" pos="{at} 0 0"><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body></body></body>
</worldbody></mujoco>"""


def test_bodies_by_name_are_flexible(tmp_path):
    """Both files and the same vehicle written by hand: the same mass matrix."""
    component = panel()
    component.save(tmp_path / "panel.h5")
    mb = ist.Multibody("hand", units="SI")
    mb.add_body("bus", mass=50.0, inertia=[5.0, 6.0, 7.0], joint=ist.Free())
    turn = ist.Rotation.from_axis_angle([0, 0, 1], 0.3)
    mb.add_body("panel", component=component, node=1, parent="bus", at=[0.4, 0, 0], rotation=turn,
                joint=ist.Revolute("z"), damping=0.01)  # fmt: skip
    mb.add_body("tip", mass=1.0, inertia=[0.1, 0.1, 0.1], parent="panel", at=3)
    hand = mb.compile()
    x = hand.state()
    x["panel"].eta[:] = 1e-3
    (tmp_path / "r.urdf").write_text(URDF.format(at=1.0))
    (tmp_path / "r.xml").write_text(MJCF.format(at=1.0))
    options = {"panel": {"component": tmp_path / "panel.h5", "node": 1, "damping": 0.01}}
    for made in (
        ist.from_urdf(tmp_path / "r.urdf", root=ist.Free(), flexible=options),
        ist.from_mjcf(tmp_path / "r.xml", flexible=options),
    ):
        system = made.model.compile()
        found = system.mass_matrix(system.state(x.q, x.v))
        np.testing.assert_allclose(found, hand.mass_matrix(x), atol=1e-12 * np.abs(found).max())
    (tmp_path / "r.urdf").write_text(URDF.format(at=0.9))
    with pytest.raises(FileError, match=r"r\.urdf, line 7.*no node|no node.*line 7"):
        ist.from_urdf(tmp_path / "r.urdf", flexible=options)
    with pytest.raises(InputError, match="no body 'wing'"):
        ist.from_urdf(tmp_path / "r.urdf", flexible={"wing": component})


LINK = '<link name="a"/><link name="b"/><joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{more}</joint>'
BAD_URDF = {
    "dry friction": LINK.format(kind="revolute", more='<dynamics friction="2"/>'),
    "follows another": LINK.format(kind="revolute", more='<mimic joint="k"/>'),
    "unknown type": LINK.format(kind="gearbox", more=""),
    "no direction": LINK.format(kind="revolute", more='<axis xyz="0 0 0"/>'),
    "3 numbers": LINK.format(kind="revolute", more='<axis xyz="0 0"/>'),
    "no link 'c'": LINK.format(kind="fixed", more="").replace('child link="b"', 'child link="c"'),
    "no <link>": "",
    "one root": '<link name="a"/><link name="b"/>',
    "already a link": '<link name="a"/><link name="a"/>',
    "xacro": '<xacro:macro name="x"/><link name="a"/>',
    "has no ixy": '<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>',
    "springStiffness": '<link name="a"/><gazebo reference="a"><springStiffness>3</springStiffness></gazebo>',
}


BODY = "<worldbody><body>{}</body></worldbody>"
BAD_MJCF = {
    "inertia of a rotor": BODY.format('<joint armature="0.1"/><geom size="1"/>'),
    "dry friction": BODY.format('<joint frictionloss="0.1"/><geom size="1"/>'),
    "mass of a mesh": BODY.format('<geom type="mesh" mesh="m"/>'),
    "linear in its angle": BODY.format('<joint type="ball" stiffness="1"/><geom size="1"/>'),
    "no class 'x'": BODY.format('<geom class="x" size="1"/>'),
    "unknown type": BODY.format('<joint type="screw"/><geom size="1"/>'),
    "<composite>": BODY.format('<composite type="cable"/>'),
    "<deformable>": "<deformable/>",
    "soft": "<equality><connect body1='a' anchor='0 0 0'/></equality>",
    "as the state says": "<actuator><position joint='a'/></actuator>",
    "viscosity": '<option viscosity="0.1"/>',
    "settotalmass": '<compiler settotalmass="2"/>',
    "more than one orientation": BODY.format('<geom size="1" euler="1 0 0" quat="1 0 0 0"/>'),
    "moved from outside": BODY.format("").replace("<body>", '<body mocap="true">'),
    "angle is no word": '<compiler angle="deg"/>',
    "inertiafromgeom is no word": '<compiler inertiafromgeom="yes"/>',
    "already a joint 'q'": BODY.format('<joint name="q"/><joint name="q" axis="1 0 0"/><geom size="1"/>'),
    "negative": BODY.format('<joint/><geom size="1" mass="-2"/>'),
    "density of a shape": BODY.format('<joint/><geom size="1" density="-2"/>'),
    "below 1e+30": BODY.format('<joint/><geom size="1e200"/>'),
    "expected a number": BODY.format('<joint/><geom type="capsule" size="" fromto="0 0 0 0 0 1"/>'),
    "must lie beside": '<include file="../../secret.xml"/>',
    "included twice": '<include file="bad.xml"/>',
}


BAD = {
    **{f"urdf: {words}": (ist.from_urdf, "robot", text) for words, text in BAD_URDF.items()},
    **{f"mjcf: {words}": (ist.from_mjcf, "mujoco", text) for words, text in BAD_MJCF.items()},
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_read_is_said_with_its_line(tmp_path, case):
    read, root, text = BAD[case]
    path = tmp_path / "bad.xml"
    path.write_text(f"<{root}>\n{text}\n</{root}>")
    with pytest.raises(FileError, match=r"bad\.xml, line \d") as told:
        read(path)
    assert case.split(": ")[1] in str(told.value) and "\n" not in str(told.value)


def test_what_is_ignored_is_noted(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text("<mujoco>" + BODY.format('<joint armature="0.1"/><geom size="1"/>') + "</mujoco>")
    made = ist.from_mjcf(path, ignore=["armature"])
    assert any("rotor" in note and "line 1" in note for note in made.notes)
    with pytest.raises(InputError, match="cannot be ignored"):
        ist.from_mjcf(path, ignore=["gravity"])
    with pytest.raises(InputError, match="cannot be ignored"):
        ist.from_mjcf(path, ignore=3)


def test_flexible_bodies_are_given_in_known_words():
    for given, words in (
        (["upper"], "a mapping"),
        ({"upper": {"component": "a.h5", "modes": 3}}, "'modes' is not known"),
        ({"upper": {"node": 3}}, "no component"),
    ):
        with pytest.raises(InputError, match=words):
            ist.from_urdf(ROBOTS / "arm.urdf", flexible=given)


LAUGHS = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><robot name="&b;"/>'
HOSTILE = {
    "entities": LAUGHS,
    "another file": '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot>&x;</robot>',
    "depth": "<robot>" + "<a>" * 5000 + "</a>" * 5000 + "</robot>",
    "no end": "<robot><link>",
    "no XML": "\x00\x01 not at all",
    "nothing": "",
    "other encoding": '<?xml version="1.0" encoding="utf-99"?><robot/>',
    "other root": "<html/>",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_xml_is_refused(tmp_path, kind):
    path = tmp_path / "hostile"
    path.write_text(HOSTILE[kind])
    for read in READERS.values():
        with pytest.raises(FileError) as told:
            read(path)
        assert "\n" not in str(told.value)


def test_large_xml_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "large.urdf"
    with open(path, "wb") as f:
        f.truncate(33 << 20)
    with pytest.raises(FileError, match="too large"):
        ist.from_urdf(path)
