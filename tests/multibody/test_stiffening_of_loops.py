"""Geometric stiffness under the forces of closures: the same vehicle as a tree, and prestressed modes of FE."""

from __future__ import annotations

import numpy as np
import pytest
from beams import LENGTH, PULL, straight
from multibody_models import random_state

import interstage as ist
from interstage.spatial import functions as spatial

BARS = 8


@pytest.fixture(scope="module")
def part():
    return ist.Component.from_deck(
        straight(n=BARS, length=5.0), 8, aset={1: 123456, BARS + 1: 123456}, geometric_stiffness=True
    )


def chain(part, closed):
    """Two beams on a hub, the second one by a joint, or free and welded on by a closure."""
    mb = ist.Multibody("chain", gravity=[0, 0, -9.81])
    mb.add_body("hub", mass=1.0, inertia=np.eye(3), joint=ist.Revolute("z"))
    mb.add_body("a", component=part, node=1, parent="hub", joint=ist.Locked())
    if closed:
        mb.add_body("b", component=part, node=1, joint=ist.Free())
        mb.close("weld", ("a", BARS + 1), ("b", 1), joint=ist.Locked())
    else:
        mb.add_body("b", component=part, node=1, parent="a", at=BARS + 1, joint=ist.Locked())
    return mb.compile()


def same_state(tree, x, loop):
    """The state of the tree in the coordinates of the loop."""
    y, R = loop.state(), tree.rotation(x, "b")
    y["hub"].q[:], y["hub"].v[:] = x["hub"].q, x["hub"].v
    for body in "ab":
        y[body].eta[:], y[body].etadot[:] = x[body].eta, x[body].etadot
    y["b"].quaternion[:], y["b"].position[:] = spatial.quaternion_from_matrix(R), tree.position(x, "b")
    velocity = tree.velocity(x, "b")
    y["b"].v[:3], y["b"].v[3:] = R.T @ velocity[:3], R.T @ velocity[3:]
    return y


@pytest.fixture(scope="module")
def pair(part):
    tree, loop = chain(part, False), chain(part, True)
    x = random_state(tree, np.random.default_rng(3), deflection=2e-2)
    x["hub"].v[:] = 2.0
    return tree, x, loop, same_state(tree, x, loop)


def test_docking_is_the_nearest_motion(part):
    """Of all motions that the new joint allows the nearest in kinetic energy, dense: impulses do not stiffen."""
    mb = ist.Multibody("two")
    for name in "ab":
        mb.add_body(name, component=part, node=1, joint=ist.Free())
    system, rng = mb.compile(), np.random.default_rng(4)
    x = random_state(system, rng, deflection=5e-2)
    R = spatial.quaternion_from_matrix(system.rotation(x, "a", BARS + 1))
    x["b"].quaternion[:], x["b"].position[:] = R, system.position(x, "a", BARS + 1)
    C = system.jacobian(x, "b") - system.jacobian(x, "a", BARS + 1)
    W = np.linalg.solve(system.mass_matrix(x), C.T)
    wanted = system.state(x.q, x.v - W @ np.linalg.solve(C @ W, C @ x.v))
    docked, y = system.attach("b", ("a", BARS + 1), x)
    for name in "ab":
        rates = wanted[name].etadot
        np.testing.assert_allclose(y[name].etadot, rates, atol=1e-9 * np.abs(rates).max())
    assert docked.energies(y).kinetic == pytest.approx(system.energies(wanted).kinetic, rel=1e-10)


FORCES = {("b", BARS + 1): [1.0, 2.0, 3.0, 3.0, 200.0, 100.0]}


@pytest.mark.kernels
def test_loop_moves_as_the_tree(pair):
    """Deflections of 1 % of the length: the term is a few percent of the modal accelerations."""
    tree, x, loop, y = pair
    assert np.abs(loop.closure_error(y)).max() < 1e-13
    wanted, found = tree.forward_dynamics(x, forces=FORCES), loop.forward_dynamics(y, forces=FORCES)
    for body in "ab":
        w = wanted[tree.layout[body].etadot]
        np.testing.assert_allclose(found[loop.layout[body].etadot], w, atol=1e-10 * np.abs(w).max())


def test_forces_of_closures_go_with_accelerations(pair):
    """Forces across joints, of the closure and of drives, and the energy of loads: those of the tree."""
    tree, x, loop, y = pair
    wanted, found = tree.forward_dynamics(x, forces=FORCES), loop.forward_dynamics(y, forces=FORCES)
    across = tree.reactions(x, wanted, FORCES)
    size = np.abs(across["a"]).max()
    np.testing.assert_allclose(loop.reactions(y, found, FORCES)["a"], across["a"], atol=1e-10 * size)
    np.testing.assert_allclose(loop.closure_forces(y, FORCES)["weld"], across["b"], atol=1e-10 * size)
    assert np.abs(loop.drive_forces(y, found, FORCES)).max() < 1e-10 * size
    assert loop.energy(y, found, FORCES) == pytest.approx(tree.energy(x, wanted, FORCES), rel=1e-10)
    assert abs(tree.geometric_energy(x, wanted, FORCES)) > 1e-3 * tree.energies(x).strain


def test_run_of_a_loop_is_that_of_the_tree(pair):
    """Both by steps of fourth order, which do not make the same error."""
    tree, x, loop, y = pair
    ends = [
        ist.simulate(system, state, 0.01, 1e-5, method="rk4", log_step=1e-4, forces=FORCES)
        for system, state in ((tree, x), (loop, y))
    ]
    wanted = ends[0]["b"].eta
    np.testing.assert_allclose(ends[1]["b"].eta, wanted, atol=1e-7 * np.abs(wanted).max())
    np.testing.assert_allclose(ends[1].energy, ends[0].energy, rtol=1e-7)


@pytest.mark.parametrize("joint", [ist.Locked(), ist.Ball()], ids=["clamped", "pinned"])
def test_prestressed_modes_of_a_held_beam(joint):
    """A beam held at both ends, at one by a closure, and pushed along in the middle: half the push goes to each end."""
    n, mid, push = 16, 9, 30.0 * PULL
    c = ist.Component.from_deck(
        straight(n=n), 12, aset={1: 123456}, rvdof={mid: 123456, n + 1: 123456}, geometric_stiffness=True
    )
    mb = ist.Multibody("held")
    mb.add_body("beam", component=c, joint=ist.Locked())
    mb.close("end", ("beam", n + 1), (None, [LENGTH, 0, 0]), joint=joint)
    system, force = mb.compile(), {("beam", mid): [0, 0, 0, -push, 0, 0]}
    x0 = ist.trim(system, system.state(), forces=force)
    assert system.closure_forces(x0, force)["end"][3] == pytest.approx(-0.5 * push, rel=1e-9)
    hz = np.sort(ist.linearize(system, x0, inputs=[], outputs=[]).poles().imag / (2.0 * np.pi))
    held = "123456" if isinstance(joint, ist.Locked) else "123"
    more = f"SPC1,1,123456,1\nSPC1,1,{held},{n + 1}\nFORCE,1,{mid},,{-push:.6f},1.,0.,0.\n"
    fe = ist.FEModel.from_deck(straight(n=n, case="SPC = 1\nSUBCASE 1\nLOAD = 1\n", more=more))
    still, wanted = (ist.normal_modes(fe, n_modes=4, preload=p).frequencies_hz for p in (None, 1))
    np.testing.assert_allclose(hz[hz > 0.1][:4], wanted, rtol=1e-4)
    assert np.abs(wanted / still - 1.0).max() > 5e-3
    shaken = np.sort(system.modes(x0, force).frequencies_hz)[:4]
    np.testing.assert_allclose(shaken, wanted, rtol=1e-4)


@pytest.fixture(scope="module")
def column():
    """A column of 16 bars that knows loads at both ends."""
    return ist.Component.from_deck(straight(n=16), 12, aset={}, rvdof={1: 123456, 17: 123456})


def test_a_column_that_a_loop_holds_buckles_under_its_load(column):
    """Pinned at both ends, at one by a closure that lets it slide along: no frequency is left at π²EI/L²."""
    mb = ist.Multibody("column")
    mb.add_body("column", component=column, node=1, joint=ist.Revolute("z"))
    mb.close("guide", (None, [0, 0, 0]), ("column", 17), joint=ist.Slot("x"))
    system, euler = mb.compile(), np.pi**2 * PULL

    def first(load):
        x0 = ist.trim(system, system.state(), forces={("column", 17): [0, 0, 0, -load, 0, 0]})
        found = ist.linearize(system, x0, inputs=[], outputs=[]).poles()
        return np.min((found**2).real * -1.0)

    still = first(0.0)
    assert abs(first(euler)) < 2e-3 * still
    assert first(0.98 * euler) > 1e-2 * still and first(1.02 * euler) < -1e-2 * still


@pytest.mark.parametrize("tip", [0.02, 0.1])
def test_a_hinge_may_be_a_closure(column, tip):
    """A spinning beam on a free hinge, which makes the whole force of the hinge itself; and held by a closure."""
    tree, loop = ist.Multibody("tree"), ist.Multibody("loop")
    tree.add_body("b", component=column, node=1, joint=ist.Revolute("z"))
    loop.add_body("b", component=column, node=1, joint=ist.Free())
    loop.close("hinge", (None, [0, 0, 0]), ("b", 1), joint=ist.Revolute("z"))
    tree, loop = tree.compile(), loop.compile()
    x, y = tree.state(), loop.state()
    shapes = tree.jacobian(x, "b", 17)[4, 1:]
    x["b"].eta[:] = tip * LENGTH * shapes / (shapes @ shapes)
    x["b"].v[:] = 5.0
    y["b"].eta[:], y["b"].v[2] = x["b"].eta, 5.0
    assert np.abs(loop.closure_rate(y)).max() < 1e-12
    wanted, found = tree.forward_dynamics(x)[1:], loop.forward_dynamics(y)[6:]
    np.testing.assert_allclose(found, wanted, atol=1e-9 * np.abs(wanted).max())
    assert abs(tree.geometric_energy(x, tree.forward_dynamics(x))) > 1e-3 * tree.energies(x).strain


def test_a_loop_without_load_in_its_open_tree_has_slopes():
    """A braced beam at rest: all forces are those of the closure, in the slopes too (trim and linear model)."""
    n, mid = 8, 5
    c = ist.Component.from_deck(straight(n=n), 8, aset={1: 123456}, rvdof={mid: 123})
    mb = ist.Multibody("braced")
    mb.add_body("boom", component=c, node=1, joint=ist.Revolute("y"))
    strut = {"mass": 1.0, "com": [2.5, 0, 0], "inertia": [0.1, 2.0, 2.0]}
    half = 0.5 * LENGTH
    mb.add_body("strut", at=[0, 0, -half], joint=ist.Universal(("y", "z")), **strut)
    mb.close("pin", ("strut", [half * np.sqrt(2.0), 0, 0]), ("boom", mid), joint=ist.Ball())
    system = mb.compile()
    x = system.state()
    x["strut"].q[0] = -0.25 * np.pi
    x = system.assemble(x, fixed=["boom"])
    load = {("boom", mid): [0, 0, 0, 0, 0, -0.1 * PULL]}
    x0 = ist.trim(system, x, forces=load)
    assert system.closure_forces(x0, load)["pin"][3] == pytest.approx(0.1 * PULL, rel=1e-3)
    assert np.isfinite(ist.linearize(system, x0).A).all()
