"""One body, one set of mass properties and turns, whichever room is asked."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist

DECK = """SOL 103
CEND
BEGIN BULK
MAT1,1,7.0+10,,0.3,2700.
PBAR,1,1,1.0-3,1.0-6,1.0-6,2.0-6
CBAR,1,1,1,2,0.,0.,1.
CBAR,2,1,2,3,0.,1.,1.
CONM2,9,2,0,12.0,0.1,0.2,0.3,,
,1.5,0.1,2.5,-0.2,0.3,3.5
CONM2,8,3,0,2.0
GRID,1,0,0.,0.,0.
GRID,2,0,0.5,0.1,0.
GRID,3,0,1.0,0.6,0.4
ENDDATA
"""


def same(found, truth, tolerance=1e-12):
    for name in ("mass", "p_BBcm", "I_BBcm_B", "I_BBo_B"):
        a, b = np.asarray(getattr(found, name)), np.asarray(getattr(truth, name))
        np.testing.assert_allclose(a, b, atol=tolerance * np.abs(b).max(), err_msg=name)


def test_deck_component_rigid_body_and_mass_tree_agree(tmp_path):
    path = tmp_path / "part.bdf"
    path.write_text(DECK)
    fe = ist.FEModel.from_deck(ist.read_deck(path))
    truth = fe.mass_properties().rigid
    # by the parallel-axis theorem from the inertia about the basic origin
    c, J = truth.com, fe.mass_properties().inertia_about_reference
    by_hand = J - truth.mass * (c @ c * np.eye(3) - np.outer(c, c))
    np.testing.assert_allclose(truth.I_BBcm_B, by_hand, atol=1e-12 * np.abs(J).max())

    component = ist.Component.from_deck(path, n_modes=4, aset={1: 123456})  # grid 1 is at the basic origin
    same(component.rigid, truth)
    np.testing.assert_allclose(component.inertia, truth.I_BBo_B, atol=1e-12 * np.abs(J).max())

    # as a rigid body, and as a flexible one that is not deformed
    mb = ist.Multibody("part")
    mb.add_body("rigid", mass=truth.mass, com=truth.p_BBcm, inertia=truth.I_BBcm_B)
    system = mb.compile()
    same(system.mass_properties(system.state()), truth)
    mb = ist.Multibody("part")
    mb.add_body("flexible", component=component, node=1, joint=ist.Free())
    system = mb.compile()
    same(system.mass_properties(system.state()), truth, 1e-10)

    # in the mass tree, with body axes of its own: x_struct = R x_body
    R = ist.Rotation.from_euler("zyx", [0.3, -0.4, 0.7])
    part = ist.MassBody(
        "part",
        mass=truth.mass,
        position=truth.p_BBcm,
        inertia=truth.I_BBcm_B,
        inertia_spec="struct_cg",
        orientation=R,
    )
    for found in (part.core, part.composite):
        same(found.rigid, truth)
        np.testing.assert_allclose(found.inertia, R.matrix.T @ truth.I_BBcm_B @ R.matrix, atol=1e-12)
        np.testing.assert_allclose(found.rotation.matrix, R.matrix, atol=1e-15)
        np.testing.assert_allclose(found.T_parent_this, R.matrix.T, atol=1e-15)
    same(ist.RigidInertia(**ist.rigid_properties(part)), truth)


@pytest.mark.parametrize("by", ["orientation", "T_parent_child"])
def test_turns_go_the_same_way_in_vehicle_and_mass_tree(by):
    """A child turned by R, x_parent = R x_child, at an offset: the sum is the same from both rooms and by hand."""
    R, p = ist.Rotation.from_euler("xyz", [0.5, -0.8, 1.1]), np.array([1.0, -0.5, 2.0])
    bus = {"mass": 10.0, "com": [0.1, 0.2, 0.3], "inertia": np.diag([4.0, 5.0, 6.0])}
    box = {"mass": 3.0, "com": [0.4, 0.0, -0.1], "inertia": np.diag([1.0, 1.2, 1.7])}
    by_hand = ist.RigidInertia(**bus) + ist.RigidInertia(**box).transform(R, p)

    mb = ist.Multibody("stack")
    mb.add_body("bus", **bus, joint=ist.Free())
    mb.add_body("box", **box, parent="bus", at=p, rotation=R)
    system = mb.compile()
    x = system.state()
    same(system.mass_properties(x), by_hand)
    np.testing.assert_allclose(system.rotation(x, "box"), R.matrix, atol=1e-15)

    parts = [
        ist.MassBody(name, mass=d["mass"], position=d["com"], inertia=d["inertia"])
        for name, d in (("bus", bus), ("box", box))
    ]
    parts[1].attach_to(parts[0], offset=p, **{by: R if by == "orientation" else R.matrix.T})
    same(parts[0].composite.rigid, by_hand)
    point = parts[1].structure_point
    np.testing.assert_allclose(point.rotation.matrix, R.matrix, atol=1e-15)
    np.testing.assert_allclose(point.T_parent_this, R.matrix.T, atol=1e-15)
    seen = ist.relative_state(parts[1], parts[0])
    np.testing.assert_allclose(seen.rotation.matrix, R.matrix, atol=1e-15)
    np.testing.assert_allclose(seen.position, p, atol=1e-15)
