"""Joints whose motion is given: the recursion against the partitioned dense equations."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from multibody_models import JOINTS, beam, random_state, random_tree

from interstage.errors import InputError, ModelError
from interstage.multibody import Ball, Free, Locked, Multibody, Prismatic, Revolute

STRAIGHT, BENT = beam(), beam(n_elements=4, n_modes=5, aset=3, bend=0.4, name="bent")
MOVING = [j for j in JOINTS if j.nv]


def _prescribed(joint):
    """Return the same joint, prescribed."""
    twin = object.__new__(type(joint))
    for name, value in {**vars(joint), "prescribed": True}.items():
        object.__setattr__(twin, name, value)
    return twin


def _dense(system, x, tau, given):
    """Return v̇ with M_ff v̇_f = τ_f - b_f - M_fp v̇_p, given v̇_p at the velocities `given` {index: value}."""
    M, b = system.mass_matrix(x), system.bias(x)
    vdot = np.zeros(system.nv, x.q.dtype)
    held = np.array(sorted(given), dtype=int)
    vdot[held] = [given[k] for k in held]
    free = np.setdiff1d(np.arange(system.nv), held)
    right = tau[free] - b[free] - M[np.ix_(free, held)] @ vdot[held]
    vdot[free] = np.linalg.solve(M[np.ix_(free, free)], right)
    return vdot


def _error(system, x, a, b):
    """Return |a - b| over |b| in the energy norm."""
    M = system.mass_matrix(x)
    d = a - b
    return np.sqrt(abs(d @ M @ d)) / (np.sqrt(abs(b @ M @ b)) + 1e-12)


def _random(seed, components=(STRAIGHT, BENT)):
    """Return a random tree with about half of its joints prescribed, a state, forces and accelerations."""
    rng = np.random.default_rng(seed)
    mb = random_tree(rng, int(rng.integers(1, 9)), components=components)
    for spec in mb.specs:
        if rng.random() < 0.5:
            spec.joint = _prescribed(spec.joint)
    system = mb.compile()
    x, tau = random_state(system, rng), rng.normal(size=system.nv)
    given, by_name = {}, {}
    for spec in mb.specs:
        where = system.layout[spec.name].v
        if spec.joint.prescribed and spec.joint.nv:
            by_name[spec.name] = rng.normal(size=spec.joint.nv)
            given.update(zip(range(where.start, where.stop), by_name[spec.name]))
    return system, x, tau, by_name, given


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_given_accelerations_solve_the_partitioned_equations(seed):
    system, x, tau, by_name, given = _random(seed)
    vdot = system.forward_dynamics(x, tau=tau, accelerations=by_name)
    held = np.array(sorted(given), dtype=int)
    np.testing.assert_array_equal(vdot[held], [given[k] for k in held])
    if system.nv:
        # random beams carry up to three times their mass: the dense solution is good to cond(M) ε, about 1e-11
        assert _error(system, x, vdot, _dense(system, x, tau, given)) < 1e-10


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_the_torque_needed_gives_the_motion_when_the_joint_is_freed(seed):
    system, x, tau, by_name, given = _random(seed)
    vdot = system.forward_dynamics(x, tau=tau, accelerations=by_name)
    needed = system.inverse_dynamics(x, vdot)
    free = np.setdiff1d(np.arange(system.nv), sorted(given))
    scale = abs(needed).max(initial=1.0) + abs(system.bias(x)).max(initial=0.0)
    np.testing.assert_allclose(needed[free], tau[free], rtol=0, atol=1e-10 * scale)
    for name in by_name:
        system.set_joint_mode(name, "free")
    if system.nv:
        assert _error(system, x, system.forward_dynamics(x, tau=needed), vdot) < 1e-9


def _pair(joint, *, flexible=True):
    """Return root - middle - tip, the middle one on the joint."""
    mb = Multibody("pair", gravity=[0.5, 0, -9.81])
    if flexible:
        mb.add_body("root", component=BENT, node=3, joint=Free())
        at = 5
    else:
        mb.add_body("root", mass=3.0, com=[0.1, 0, 0], inertia=np.eye(3), joint=Free())
        at = [0.3, 0.2, 0.1]
    mb.add_body("middle", component=STRAIGHT, node=1, parent="root", at=at, joint=joint)
    mb.add_body(
        "tip", mass=1.0, com=[0.1, 0, 0], inertia=np.eye(3), parent="middle", at=7, joint=Revolute("y")
    )
    return mb


@pytest.mark.parametrize("flexible", [False, True], ids=["rigid parent", "flexible parent"])
@pytest.mark.parametrize("joint", MOVING, ids=lambda j: type(j).__name__)
def test_every_joint_prescribed(joint, flexible):
    rng = np.random.default_rng(5)
    system = _pair(_prescribed(joint), flexible=flexible).compile()
    x, tau = random_state(system, rng), rng.normal(size=system.nv)
    where = system.layout["middle"].v
    a = rng.normal(size=joint.nv)
    vdot = system.forward_dynamics(x, tau=tau, accelerations={"middle": a})
    dense = _dense(system, x, tau, dict(zip(range(where.start, where.stop), a)))
    assert _error(system, x, vdot, dense) < 1e-10


@pytest.mark.parametrize("joint", MOVING, ids=lambda j: type(j).__name__)
def test_locked_is_the_locked_joint(joint):
    """A joint locked where it is, without rate, is a Locked joint with its pose in `rotation` and `at`."""
    rng = np.random.default_rng(6)
    moving = _pair(joint, flexible=False).compile()
    x = random_state(moving, rng)
    x["middle"].v[:] = 0.0
    fixed = _pair(Locked(), flexible=False)
    R_root, p_root = moving.rotation(x, "root"), moving.position(x, "root")
    fixed.spec("middle").rotation = R_root.T @ moving.rotation(x, "middle")
    fixed.spec("middle").at = R_root.T @ (moving.position(x, "middle") - p_root)
    fixed = fixed.compile()
    iq, iv = moving.layout["middle"].q, moving.layout["middle"].v
    rest = np.delete(np.arange(moving.nv), iv)
    y = fixed.state(np.delete(x.q, iq), x.v[rest])
    tau = rng.normal(size=fixed.nv)
    moving.set_joint_mode("middle", "locked")
    full = np.full(moving.nv, 7.0)  # forces on the locked joint do nothing
    full[rest] = tau
    vdot = moving.forward_dynamics(x, tau=full)
    expected = fixed.forward_dynamics(y, tau=tau)
    assert not vdot[iv].any()
    np.testing.assert_allclose(vdot[rest], expected, rtol=0, atol=1e-10 * abs(expected).max())
    np.testing.assert_allclose(
        moving.mass_matrix(x)[np.ix_(rest, rest)], fixed.mass_matrix(y), rtol=0, atol=1e-12
    )


def test_locked_modes_are_those_of_the_locked_joint():
    def arm(joint):
        mb = Multibody("arm")
        mb.add_body("root", component=BENT, node=3, joint=Locked())
        mb.add_body("tip", component=STRAIGHT, parent="root", at=5, joint=joint)
        return mb.compile()

    system, fixed = arm(Revolute("z", stiffness=5.0)), arm(Locked())
    system.set_joint_mode("tip", "locked")
    modes, expected = system.modes(), fixed.modes()
    np.testing.assert_allclose(modes.frequencies_hz, expected.frequencies_hz, rtol=1e-9)
    k = system.layout["tip"].v.start
    assert modes.shapes.shape == (system.nv, system.nv - 1)
    assert not modes.shapes[k].any()
    system.set_joint_mode("tip", "free")
    assert len(system.modes().frequencies_hz) == system.nv


def test_a_driven_root_shakes_a_beam_like_a_moving_frame():
    """Accelerating the root by a is gravity -a in its frame: forces of a still beam tell."""
    drive = np.array([0, 0, 0, 1.0, -2.0, 3.0])
    mb = Multibody("shaker")
    mb.add_body("beam", component=STRAIGHT, joint=Free(prescribed=True))
    mb.add_body("tip", mass=2.0, parent="beam", at=7, joint=Locked())
    system = mb.compile()
    x = system.state()
    a = system.forward_dynamics(x, accelerations={"beam": drive})
    clamp = Multibody("clamped", gravity=-drive[3:])
    clamp.add_body("beam", component=STRAIGHT, joint=Locked())
    clamp.add_body("tip", mass=2.0, parent="beam", at=7, joint=Locked())
    clamped = clamp.compile()
    expected = clamped.forward_dynamics(clamped.state())
    np.testing.assert_allclose(a[6:], expected, rtol=0, atol=1e-11 * abs(expected).max())
    needed = system.inverse_dynamics(x, a)
    reaction = clamped.reactions(clamped.state(), expected, frame="body")["beam"]
    np.testing.assert_allclose(needed[:6], reaction, atol=1e-10 * abs(reaction).max())


def test_complex_steps_go_through():
    system, x, tau, by_name, _ = _random(11)
    assert by_name
    rng = np.random.default_rng(2)
    dq, dv, dt = rng.normal(size=system.nq), rng.normal(size=system.nv), rng.normal(size=system.nv)
    da = {name: rng.normal(size=len(a)) for name, a in by_name.items()}

    def at(h, kind=float):
        y = x.copy(kind)
        y.q, y.v = x.q + h * dq, x.v + h * dv
        moved = {name: a + h * da[name] for name, a in by_name.items()}
        return system.forward_dynamics(y, tau=tau + h * dt, accelerations=moved)

    slope = at(1e-30j, complex).imag / 1e-30
    h = 1e-5
    difference = (at(h) - at(-h)) / (2 * h)
    # a central difference with h = 1e-5 is good to about 1e-7 of the largest entry
    np.testing.assert_allclose(slope, difference, rtol=0, atol=1e-6 * abs(difference).max())


def test_switching_at_run_time_returns_to_the_same_numbers():
    rng = np.random.default_rng(8)
    system = _pair(Ball(stiffness=1.0)).compile()
    x, tau = random_state(system, rng), rng.normal(size=system.nv)
    free, engine = system.forward_dynamics(x, tau=tau), system.engine
    where = system.layout["middle"].v
    system.set_joint_mode("middle", "prescribed")
    assert system.joint_mode("middle") == "prescribed"
    same = system.forward_dynamics(x, tau=tau, accelerations={"middle": free[where]})
    assert _error(system, x, same, free) < 1e-10
    system.set_joint_mode("middle", "locked")
    assert not system.forward_dynamics(x, tau=tau)[where].any()
    system.position(x, "root", 2)  # a new site leaves the modes as they are
    assert system.joint_mode("middle") == "locked"
    system.set_joint_mode("middle", "free")
    np.testing.assert_array_equal(system.forward_dynamics(x, tau=tau), free)
    assert engine.settings.joint_mode.any() == system.settings.joint_mode.any()


def test_generalized_input_merges_forces_and_accelerations():
    mb = Multibody("two")
    mb.add_body("a", mass=1.0, inertia=np.eye(3), joint=Revolute("z"))
    mb.add_body("b", mass=1.0, inertia=np.eye(3), parent="a", joint=Prismatic("x", prescribed=True))
    system = mb.compile()
    np.testing.assert_array_equal(system.generalized_input([3.0, 4.0], {"b": 5.0}), [3.0, 5.0])
    np.testing.assert_array_equal(system.generalized_input([3.0, 4.0]), [3.0, 0.0])
    assert system.generalized_input(None, {"b": [2.0 + 1j]}, complex)[1] == 2.0 + 1j
    assert dataclasses.fields(Ball)[-1].name == "prescribed"


def test_errors_name_the_joint():
    mb = Multibody("two")
    mb.add_body("a", mass=1.0, inertia=np.eye(3), joint=Revolute("z"))
    mb.add_body("b", mass=0.0, parent="a", joint=Prismatic("x", prescribed=True))
    mb.add_body("c", mass=1.0, parent="a", joint=Locked())
    system = mb.compile()  # a massless slider is no trouble while its motion is given
    x = system.state()
    with pytest.raises(InputError, match=r"'a' is not prescribed: it is free.*known: b"):
        system.forward_dynamics(x, accelerations={"a": 1.0})
    with pytest.raises(InputError, match="'b' does not fit"):
        system.forward_dynamics(x, accelerations={"b": [1.0, 2.0]})
    with pytest.raises(InputError, match="no body 'd'"):
        system.forward_dynamics(x, accelerations={"d": 1.0})
    with pytest.raises(InputError, match="free, prescribed, locked"):
        system.set_joint_mode("a", "stuck")
    with pytest.raises(InputError, match="'c' cannot move"):
        system.set_joint_mode("c", "free")
    with pytest.raises(ModelError, match="'b'"):
        system.set_joint_mode("b", "free")
    assert system.joint_mode("b") == "prescribed"
