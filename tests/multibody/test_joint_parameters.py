"""What is given to a joint is used, or refused in a sentence: nothing is ignored."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError
from interstage.kane import Kane
from interstage.multibody.joints import Joint
from interstage.spatial import Rotation

ALL = (
    ist.Locked,
    ist.Revolute,
    ist.Prismatic,
    ist.Screw,
    ist.Cylindrical,
    ist.Universal,
    ist.Gimbal,
    ist.Ball,
    ist.Slot,
    ist.Planar,
    ist.Free,
)
REST = Rotation.from_rotation_vector([0.4, -0.7, 0.3])


def carried(joint):
    mb = ist.Multibody("pair")
    mb.add_body("base", mass=4.0, inertia=[1, 2, 2.5], joint=ist.Free())
    mb.add_body("arm", mass=2.0, com=[0.2, 0.1, 0.4], inertia=[0.3, 0.2, 0.4], parent="base", joint=joint)
    return mb.compile()


def state(system):
    x = system.state(v=np.random.default_rng(1).normal(size=system.nv))
    q = x["arm"].q
    q[:] = np.linspace(0.3, 0.5, len(q)) + x["arm"].q
    if not system.model.spec("arm").joint.linear:
        q[:4] /= np.linalg.norm(q[:4])
    return x


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("name", ("stiffness", "damping", "rest", "prescribed"))
def test_every_parameter_acts_or_is_refused(kind, name):
    """A parameter changes the accelerations, or the joint says that it has no such thing."""
    joint = {"pitch": 0.3} if kind is ist.Screw else {}
    value = True if name == "prescribed" else (REST if kind is ist.Ball and name == "rest" else 0.7)
    spring = {"stiffness": 3.0} if name == "rest" and kind not in (ist.Free, ist.Locked) else {}
    plain = carried(kind(**joint, **spring))
    x = state(plain)
    try:
        other = carried(kind(**{**joint, **spring, name: value}))
    except InputError:
        assert kind is ist.Locked or (kind is ist.Free and name in ("stiffness", "rest"))
        return
    a, b = plain.forward_dynamics(x), other.forward_dynamics(other.state(x.q, x.v))
    assert np.abs(a - b).max() > 1e-3


def test_the_rest_of_a_ball_is_an_attitude():
    """Torque -k sin φ n and energy k (1 - cos φ) of the turn from rest; power balance, Kane, and turned round."""
    k = 5.0
    for rest in (REST, REST.quaternion, -REST.quaternion, 2.0 * np.asarray(REST.quaternion)):
        system = carried(ist.Ball(stiffness=k, rest=rest))
        x = system.state()
        x["arm"].quaternion[:] = REST.quaternion
        assert np.abs(system.forward_dynamics(x)).max() < 1e-14
        assert system.energies(x).strain < 1e-15
    x = state(system)
    turn = Rotation.of(REST.matrix.T @ Rotation.from_quaternion(x["arm"].quaternion).matrix)
    angle = np.linalg.norm(turn.rotation_vector)
    assert system.energies(x).strain == pytest.approx(k * (1 - np.cos(angle)), rel=1e-13)
    still = system.state(x.q)
    wanted = k * np.sin(angle) * turn.rotation_vector / angle
    np.testing.assert_allclose(system.bias(still)[6:], wanted, rtol=1e-12)
    kane = Kane(system.model, like=system)
    np.testing.assert_allclose(
        kane.accelerations(x.q, x.v), system.forward_dynamics(x), rtol=1e-11, atol=1e-11
    )
    assert kane.energy(x.q, x.v) == pytest.approx(system.energy(x), rel=1e-13)
    # energy is the integral of the torque: dE/dt = 0 along the motion
    qdot, vdot, h = system.rates(x), system.forward_dynamics(x), 1e-30
    z = x.copy(np.complex128)
    z.q += 1j * h * qdot
    z.v += 1j * h * vdot
    assert abs(system.energy(z).imag / h) < 1e-12
    # docked by the arm, the tree is turned round: accelerations of bodies stay
    free = ist.Multibody("pair")
    free.add_body("dock", mass=1.0, inertia=[1, 1, 1], joint=ist.Free())
    mb = replace(free)
    for spec in system.model.specs:
        mb.specs.append(replace(spec, rotation=Rotation.from_rotation_vector([0.2, 0.5, -0.3]).matrix))
    before = mb.compile()
    y = before.state(v=np.concatenate([np.zeros(6), x.v]))
    y["base"].q[:], y["arm"].q[:] = x["base"].q, x["arm"].q
    after, w = before.attach("arm", "dock", y, joint=ist.Free())
    assert after.model.spec("base").parent == "arm"
    a, b = before.forward_dynamics(y), after.forward_dynamics(w)
    for body in ("base", "arm"):
        np.testing.assert_allclose(
            after.acceleration(w, b, body), before.acceleration(y, a, body), rtol=1e-10, atol=1e-10
        )
    assert after.energy(w) == pytest.approx(before.energy(y), rel=1e-12)


@pytest.mark.parametrize("rest", (0.3, (0.1, 0.2, 0.3), (0, 0, 0, 0), (np.nan, 0, 0, 0), "up"))
def test_what_is_no_attitude_is_refused(rest):
    with pytest.raises((InputError, ValueError)):
        ist.Ball(stiffness=1.0, rest=rest)


class Strange(Joint):
    """A joint that nobody has told the engine of."""

    kind = 77
    nq = nv = 1


class Disguised(ist.Revolute):
    """A joint that says it is another one."""

    kind = 5


@pytest.mark.parametrize("joint", (Strange(), Joint(), Disguised(), "ball", None))
def test_unknown_joints_are_refused_everywhere(joint):
    """No table of kinds takes what it does not know for its last entry."""
    mb = ist.Multibody("pair")
    mb.add_body("a", mass=1.0, inertia=[1, 1, 1])
    mb.add_body("b", mass=1.0, inertia=[1, 1, 1])
    if joint is not None:
        with pytest.raises(InputError, match="not a joint"):
            mb.add_body("c", mass=1.0, parent="a", joint=joint)
        with pytest.raises(InputError, match="not a joint"):
            mb.close("loop", ("a", (0, 0, 0)), ("b", (0, 0, 0)), joint=joint)
        system = mb.compile()
        with pytest.raises(InputError, match="not a joint"):
            system.attach("b", "a", system.state(), joint=joint)
    system = mb.compile()
    with pytest.raises(InputError, match="not a joint"):
        system.replace_joint("b", joint, system.state())
    if isinstance(joint, Strange):
        with pytest.raises(NotImplementedError):
            joint.closure_rows()


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("value", ("soft", {}, 1j, None, [1.0, "two"]))
def test_what_is_no_number_is_refused(kind, value):
    for name in ("stiffness", "damping", "rest"):
        with pytest.raises(InputError):
            carried(kind(**{name: value}))


@pytest.mark.parametrize("axis", (["x"], ["a", "b", "c"], {}, None, 1j, [1, 0, [0]], [1j, 0, 0]))
def test_what_is_no_direction_is_refused(axis):
    for kind in (ist.Revolute, ist.Screw, ist.Slot):
        with pytest.raises(InputError, match="direction"):
            kind(axis)
    with pytest.raises(InputError):
        ist.Universal(("y", axis))
