"""Assembly, dependent and impossible closures, and sentences that name them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from closure_models import BENT, RELATIONS, four_bar, mixed, pinned, rod, two_links
from multibody_models import beam, random_state

import interstage as ist
from interstage.errors import InputError, ModelError
from interstage.multibody import Ball, Free, Locked, Multibody, Planar, Prismatic, Revolute, Universal
from interstage.spatial import Rotation

IDS = [f"{type(joint).__name__}{k}" for k, joint in enumerate(RELATIONS)]


@pytest.mark.parametrize("relation", RELATIONS, ids=IDS)
def test_assembly_from_far_away(relation):
    rng = np.random.default_rng(4)
    system = mixed(relation, rng)
    x = random_state(system, rng, deflection=1e-4)
    before = x.copy()
    y = system.assemble(x)
    np.testing.assert_array_equal(x.q, before.q)
    np.testing.assert_allclose(system.closure_error(y), 0.0, atol=1e-12)
    np.testing.assert_allclose(system.closure_rate(y), 0.0, atol=1e-11)
    # the modes, much stiffer than the joints, are hardly used
    for name in ("left", "right"):
        stiff = abs(y[name].eta - x[name].eta).max()
        assert stiff < 0.05, f"{name} deforms by {stiff}"
    system.check_closed(y)


def test_assembly_keeps_what_is_fixed_and_is_least():
    system = four_bar()
    x = system.state()
    x["crank"].q[:], x["crank"].v[:] = 1.0, 2.0
    x["rocker"].q[:] = 2.0
    y = system.assemble(x, fixed=["crank"])
    assert y["crank"].q == 1.0
    assert y["crank"].v == 2.0
    # the law of cosines: rocker angle of lengths 1, 3, 2 on a base of 3
    corner = np.array([np.cos(1.0), np.sin(1.0), 0.0])
    base = np.array([3.0, 0.0, 0.0])
    d = corner - base
    length = np.linalg.norm(d)
    inside = np.arccos((length**2 + 4.0 - 9.0) / (4.0 * length))
    assert y["rocker"].q[0] == pytest.approx(np.arctan2(d[1], d[0]) - inside, abs=1e-12)
    again = system.assemble(y)
    np.testing.assert_allclose(again.q, y.q, atol=1e-13)
    np.testing.assert_allclose(again.v, y.v, atol=1e-13)


def test_a_straight_chain_is_assembled_from_a_singular_start():
    """Links in line cannot shorten to first order: the search must leave the line."""
    system = two_links(1.2)
    x = system.assemble(system.state())
    np.testing.assert_allclose(system.position(x, "b", [1, 0, 0]), [1.2, 0, 0], atol=1e-12)


def test_upside_down_is_not_assembled():
    """A start turned by nearly half a turn finds the way back, not the mirror image where sines vanish too."""
    for joint in (Locked(), Revolute("z")):
        mb = Multibody("turned")
        mb.add_body("box", mass=1.0, inertia=np.eye(3), joint=Free())
        mb.close("seat", ("ground", [0, 0, 0]), ("box", [0, 0, 0]), joint=joint)
        system = mb.compile()
        x = system.state()
        x["box"].quaternion[:] = Rotation.from_axis_angle([1, 0.1, 0], 3.0).quaternion
        y = system.assemble(x)
        assert (system.rotation(y, "box") @ [0, 0, 1])[2] == pytest.approx(1.0, abs=1e-12)


def test_impossible_closures_are_named():
    system = two_links(2.5)
    with pytest.raises(ModelError) as found:
        system.assemble(system.state())
    assert "end" in str(found.value)
    # half a length remains, whatever the search does
    assert re.search(r"an error of 0\.(499|5)\d* in closure 'end' \(travel along x\)", str(found.value))


def test_redundant_rows_are_named_dropped_and_watched():
    """A rigid plane four-bar has rank 2 of 5; the rows that only say "plane" carry no force once left out."""
    system = four_bar()
    x = pinned(system, 1.0, 2.0)
    dependent = [("pin", "travel along z"), ("pin", "tilt about x"), ("pin", "tilt about y")]
    assert system.redundant_closures(x) == dependent
    with pytest.raises(ModelError) as found:
        system.forward_dynamics(x)
    assert all(words in str(found.value) for _, words in dependent)
    with pytest.raises(ModelError, match="travel along z"):
        system.reactions(x, np.zeros(3))
    assert system.drop_redundant(x) == dependent
    assert system.n_closure == 2
    assert system.closure_jacobian(x).shape == (2, 3)
    assert system.closure_error(x).shape == (2,)
    assert system.closure_error(x, every=True).shape == (5,)
    plane = four_bar(Ball())
    y = pinned(plane, 1.0, 2.0)
    assert plane.drop_redundant(y) == [("pin", "travel along z")]
    np.testing.assert_allclose(system.forward_dynamics(x), plane.forward_dynamics(y), atol=1e-11)
    np.testing.assert_allclose(system.closure_forces(x)["pin"], plane.closure_forces(y)["pin"], atol=1e-11)


def test_redundancy_depends_on_the_modes():
    """With a flexible coupler all five rows have something to move, unless its modes lack torsion."""
    coupler = beam(4, 12, length=3.0, aset=1, name="coupler")
    system = four_bar(coupler=coupler)
    x = pinned(system)
    assert system.redundant_closures(x) == []
    assert np.isfinite(system.forward_dynamics(x)).all()
    bending = four_bar(coupler=coupler, n_modes=4)
    assert bending.redundant_closures(pinned(bending)) == [("pin", "tilt about x")]
    rigid = four_bar(coupler=coupler, n_modes=0)
    y = pinned(rigid)
    assert len(rigid.redundant_closures(y)) == 3


def test_a_closure_said_twice():
    mb = Multibody("twice")
    mb.add_body("arm", component=BENT, node=1, joint=Free())
    mb.close("first", ("arm", 5), ("ground", [1.0, 0.1, 0.03]), joint=Locked())
    mb.close("second", ("arm", 5), ("ground", [1.0, 0.1, 0.03]), joint=Ball())
    system = mb.compile()
    x = system.state()
    assert system.redundant_closures(x) == [("second", f"travel along {axis}") for axis in "xyz"]
    system.drop_redundant(x)
    assert system.n_closure == 6
    # the same rows elsewhere contradict each other: assembly cannot hold both
    mb.close("third", ("arm", 5), ("ground", [1.0, 0.1, 0.04]), joint=Ball())
    with pytest.raises(ModelError, match=r"first|second|third"):
        mb.compile().assemble(x)
    other = mb.compile()
    with pytest.raises(ModelError, match="contradicts"):
        other.drop_redundant(x)


def test_two_nodes_of_one_flexible_body():
    """A tie between two nodes of one beam: they slide along the axis between them, and bend no more."""
    straight = beam(4, 24, name="beam")
    mb = Multibody("tied")
    mb.add_body("beam", component=straight, node=1, joint=Free())
    mb.close("tie", ("beam", 2), ("beam", 4), joint=Prismatic("x"))
    system = mb.compile()
    x = system.state()
    x["beam"].velocity[:] = [0.2, 0.1, -0.3, 0.5, 0.0, 0.1]
    wrench = {("beam", 5): [0.0, 3.0, 0.0, 0.0, 0.0, 1.0]}
    vdot = system.forward_dynamics(x, wrench)
    apart = system.acceleration(x, vdot, "beam", 4) - system.acceleration(x, vdot, "beam", 2)
    np.testing.assert_allclose(apart[:3], 0.0, atol=1e-9)
    # internal forces do no work in a motion of the whole
    np.testing.assert_allclose(system.closure_jacobian(x)[:, :6], 0.0, atol=1e-14)


def test_nothing_can_move():
    mb = Multibody("fixed")
    mb.add_body("base", mass=1.0, inertia=np.eye(3), joint=Locked())
    mb.add_body("arm", **rod(1.0, 1.0), joint=Revolute("z"))
    mb.close("weld", ("base", [0, 0, 0]), ("ground", [0, 0, 0]), joint=Planar("z"))
    mb.close("pin", ("arm", [1.0, 0, 0]), ("base", [1.0, 0, 0]), joint=Universal())
    system = mb.compile()
    x = system.state()
    found = system.redundant_closures(x)
    assert ("weld", "travel along z") in found
    assert ("pin", "travel along y") not in found
    with pytest.raises(ModelError, match="weld"):
        system.forward_dynamics(x)


def test_simulation_refuses_an_open_start():
    system = four_bar()
    x = pinned(system)
    system.drop_redundant(x)
    x["rocker"].q[:] += 0.01
    with pytest.raises(InputError, match="assemble"):
        ist.simulate(system, x, 1e-2, 1e-3)
    x = pinned(system)
    x["crank"].v[:] = 1.0
    with pytest.raises(InputError, match=r"velocity.*pin"):
        ist.simulate(system, x, 1e-2, 1e-3)


def test_errors_are_sentences_that_name_the_closure():
    mb = Multibody("craft")
    mb.add_body("bus", mass=10.0, inertia=np.eye(3), joint=Free())
    mb.add_body("panel", component=BENT, node=1, parent="bus", joint=Revolute("z"))

    def refused(words, *arguments, **options):
        with pytest.raises(InputError) as found:
            mb.close("strut", *arguments, **options)
        for word in words:
            assert word in str(found.value), str(found.value)

    refused(["strut", "no body 'wing'", "bus, panel"], ("wing", 1), ("bus", [0, 0, 0]))
    refused(["points, not nodes"], ("bus", 3), ("panel", 5))
    refused(["node"], ("panel", [1.0, 0, 0]), ("bus", [0, 0, 0]))
    refused(["99"], ("panel", 99), ("bus", [0, 0, 0]))
    refused(["closes nothing"], ("panel", 5), ("bus", [0, 0, 0]), joint=Free())
    refused(["no spring"], ("panel", 5), ("bus", [0, 0, 0]), joint=Revolute("z", stiffness=3.0))
    refused(["prescribed"], ("panel", 5), ("bus", [0, 0, 0]), joint=Revolute("z", prescribed=True))
    refused(["two different bodies"], ("panel", 5), ("panel", 5))
    refused(["two different bodies", "'ground'"], (None, [1, 0, 0]), ("ground", [0, 0, 0]))
    refused(["not an end"], "panel", ("bus", [0, 0, 0]))
    refused(["not a joint"], ("panel", 5), ("bus", [0, 0, 0]), joint="ball")
    mb.close("strut", ("panel", 5), ("bus", [1.0, 0.1, 0.03]))
    refused(["already a closure 'strut'"], ("panel", 5), ("bus", [0, 0, 0]))
    system = mb.compile()
    assert system.closures == ["strut"]
    with pytest.raises(InputError, match="no body 'wing'"):
        system.assemble(system.state(), fixed=["wing"])
    with pytest.raises(InputError, match="projection, baumgarte, none"):
        system.stabilize("glue")
    tree = Multibody("tree")
    tree.add_body("bus", mass=10.0, inertia=np.eye(3))
    plain = tree.compile()
    x = plain.state()
    assert plain.n_closure == 0
    assert plain.closure_error(x).shape == (0,)
    assert plain.closure_jacobian(x).shape == (0, 6)
    assert plain.closure_forces(x) == {}
    assert plain.redundant_closures(x) == []
    np.testing.assert_array_equal(plain.assemble(x).q, x.q)


def test_a_closure_may_open_and_close_while_running():
    """Opening frees at once; closing again is a plastic impact: energy falls, the state is closed."""
    system = four_bar(Ball())
    x = pinned(system, 1.0, 2.0)
    system.drop_redundant(x)
    system.open_closure("pin")
    assert system.n_closure == 0
    assert system.closure_forces(x) == {"pin": pytest.approx(np.zeros(6))}
    tree = np.linalg.solve(system.mass_matrix(x), -system.bias(x))
    np.testing.assert_allclose(system.forward_dynamics(x), tree, atol=1e-11)
    moved = ist.simulate(system, x, 0.1, 1e-3).state()
    assert abs(system.closure_error(moved, every=True)).max() > 1e-3
    assert system.assemble(moved).q == pytest.approx(moved.q)
    x.v[1] += 3.0
    before = system.energy(x)
    system.close_closure("pin")
    system.drop_redundant(x)
    y = system.project(x)
    assert system.energy(y) < before
    system.check_closed(y)
    with pytest.raises(InputError, match="known: pin"):
        system.open_closure("nail")


def test_copies_and_changed_vehicles_keep_choices():
    from interstage.multibody.topology import copy_of

    system = four_bar()
    x = pinned(system, 1.0, 2.0)
    system.drop_redundant(x)
    system.stabilize("baumgarte", rate=7.0)
    other = copy_of(system)
    assert other.n_closure == 2
    np.testing.assert_array_equal(other.settings.closure_option, [0.0, 14.0, 49.0])
    np.testing.assert_array_equal(other.forward_dynamics(x), system.forward_dynamics(x))


@pytest.mark.parametrize("closure", (Ball(), Locked(), Revolute("z")), ids=lambda j: type(j).__name__)
@pytest.mark.parametrize(
    "joint", (Free(), Ball(), Prismatic("x"), Planar("y")), ids=lambda j: type(j).__name__
)
def test_assembly_does_not_depend_on_units(joint, closure):
    """From a far start the same closed shape is found in metres, millimetres, kilometres and inches."""
    found = []
    for unit in (1.0, 1e3, 1e-3, 39.37):
        rng = np.random.default_rng(4)
        mb = Multibody("loop")
        body = {
            "mass": 2.0,
            "com": unit * np.array([0.2, 0.1, 0]),
            "inertia": unit**2 * np.array([0.4, 0.5, 0.6]),
        }
        mb.add_body("bus", **body, joint=Free())
        mb.add_body("arm", **body, parent="bus", at=unit * rng.normal(size=3), joint=joint)
        mb.add_body("rod", **body, parent="bus", at=unit * rng.normal(size=3), joint=Free())
        mb.close(
            "loop", ("arm", unit * rng.normal(size=3)), ("rod", unit * rng.normal(size=3)), joint=closure
        )
        system = mb.compile()
        x = system.state(v=np.where(travelling(system), unit, 1.0) * rng.normal(size=system.nv))
        for name in ("arm", "rod"):
            scale = np.where(travelling(system), unit, 1.0)[system.layout[name].v]
            q = rng.normal(size=len(x[name].q))
            if system.model.spec(name).joint.linear:
                x[name].q[:] = scale * q
            else:
                x[name].q[:] = np.concatenate([q[:4] / np.linalg.norm(q[:4]), unit * q[4:]])
        y = system.assemble(x)
        found.append(np.concatenate([system.position(y, b) / unit for b in system.bodies]))
        found[-1] = np.concatenate([found[-1], *(system.velocity(y, b)[:3] for b in system.bodies)])
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=0, atol=1e-8)


def travelling(system):
    """Return which velocities are lengths a time."""
    return np.array([name.rsplit(".", 1)[1] in ("travel", "travel1", "travel2", "vx", "vy", "vz")
                     for name in system.velocity_names()])  # fmt: skip


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
def test_a_far_bent_arch_closes_and_rests_alike_in_all_units(length):
    """Twelve bars on springs, bent until the ends of a 1 m strip are 0.3 m apart: the same shape in km, m and mm."""
    mb = ist.Multibody("arch", gravity=[0, -9.81 * length, 0])
    bar, inertia = length / 12, np.array([1e-5, 1e-4, 1e-4]) * length**2
    for i in range(12):
        joint = ist.Revolute("z", stiffness=2.0 * length**2 * (i > 0), damping=0.01 * length**2)
        more = {"parent": f"b{i - 1}", "at": [bar, 0, 0]} if i else {}
        mb.add_body(f"b{i}", mass=0.1, com=[bar / 2, 0, 0], inertia=inertia, joint=joint, **more)
    mb.close("pin", ("b11", [bar, 0, 0]), ("ground", [0.3 * length, 0, 0]), joint=ist.Cylindrical("z"))
    system = mb.compile()
    x = system.state()
    x.q[:] = [1.28, *np.full(11, -2.56 / 11)]
    system.drop_redundant(x)
    x = system.assemble(x)
    assert x.q[:3] == pytest.approx([2.01787, -0.27416, -0.31943], abs=5e-3)
    x0 = ist.trim(system, x)
    assert x0.q[:3] == pytest.approx([1.93866115, -0.17227464, -0.3041358], abs=1e-7)
    assert np.abs(system.forward_dynamics(x0)).max() < 1e-9
