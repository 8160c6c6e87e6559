"""Sudden changes of velocity: all joints, all changes, against a dense least-squares solution of Gauss's principle."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import beam, random_inertia, random_rotation, random_state

import interstage as ist
from interstage.errors import InterstageError
from interstage.simulation.run.events import Attach, Detach, Reattach, ReplaceJoint, SetJointMode

AXIS = (0.3, -0.5, 0.9)
JOINTS = {
    "Locked": lambda: ist.Locked(),
    "Revolute": lambda: ist.Revolute(AXIS),
    "Prismatic": lambda: ist.Prismatic(AXIS),
    "Screw": lambda: ist.Screw(AXIS, pitch=0.4),
    "Cylindrical": lambda: ist.Cylindrical(AXIS),
    "Universal": lambda: ist.Universal("yz"),
    "Gimbal": lambda: ist.Gimbal("zxy"),
    "Ball": lambda: ist.Ball(),
    "Planar": lambda: ist.Planar(AXIS),
    "Free": lambda: ist.Free(),
}
BEAM = beam(4, 4, aset=1, name="panel")


def two_trees(joint, flexible=False, root=None, seed=1):
    """Return two free trees of two bodies each; the first has `joint`, on a port of both bodies' frames."""
    rng = np.random.default_rng(seed)

    def rigid():
        return dict(zip(("mass", "com", "inertia"), random_inertia(rng)))

    mb = ist.Multibody("trees")
    mb.add_body("bus", **rigid(), joint=root or ist.Free())
    where = {"parent": "bus", "at": rng.normal(size=3), "rotation": random_rotation(rng)}
    if flexible:
        mb.add_body("arm", component=BEAM, node=1, joint=joint, **where)
    else:
        mb.add_body("arm", **rigid(), joint=joint, port=rng.normal(size=3), **where)
    mb.add_body("other", **rigid(), joint=ist.Free())
    mb.add_body("tail", **rigid(), parent="other", at=[0.3, 0, 0.1], joint=ist.Revolute("y"))
    system = mb.compile()
    return system, random_state(system, rng)


def tensors(system, x):
    """Return {body: (Jacobian of its centre of mass (6, nv), velocity (6,), inertia (6, 6))}, world axes."""
    out = {}
    for spec in system.model.specs:
        com, R = spec.inertia.com, system.rotation(x, spec.name)
        I = np.zeros((6, 6))
        I[:3, :3], I[3:, 3:] = R @ spec.inertia.inertia @ R.T, spec.inertia.mass * np.eye(3)
        J = system.jacobian(x, spec.name, com)
        out[spec.name] = J, J @ x.v, I
    return out


def nearest_motion(old, x, new, y):
    """Return the velocities (nv,) of the new system nearest to the motion of the old one, held joints at rest."""
    before, after = tensors(old, x), tensors(new, y)
    free = ~np.array(
        [new.joint_mode(s.name) == "locked" for s in new.model.specs for _ in range(s.joint.nv)], dtype=bool
    )
    rows, right = [], []
    for name, (J, _, I) in after.items():
        L = np.linalg.cholesky(I).T
        rows.append(L @ J[:, free])
        right.append(L @ before[name][1])
    v = np.zeros(new.nv)
    if free.any():
        v[free] = np.linalg.lstsq(np.concatenate(rows), np.concatenate(right), rcond=None)[0]
    return v


CHANGES = {
    "lock": lambda j: [SetJointMode("arm", "locked")],
    "replace": lambda j: [ReplaceJoint("arm", j)],
    "dock": lambda j: [Attach("other", "bus", joint=j)],
    "dock by the child": lambda j: [Attach("tail", "bus", joint=j)],
    "to ground": lambda j: [Attach("bus", None, joint=j)],
    "child to ground": lambda j: [Attach("arm", None, joint=j)],
    "both to ground": lambda j: [Attach("bus", None, joint=j), Attach("other", None, joint=j)],
    "detach": lambda j: [Detach("arm")],
    "detach and lock": lambda j: [Detach("arm"), SetJointMode("arm", "locked")],
    "lock and detach": lambda j: [SetJointMode("tail", "locked"), Detach("arm")],
    "reattach": lambda j: [Reattach("arm", "other", joint=j)],
    "lock all": lambda j: [SetJointMode(b, "locked") for b in ("arm", "tail", "other", "bus")],
}


def momentum_is_kept(change):
    return "ground" not in change and change not in ("detach and lock", "lock all")


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", JOINTS)
def test_every_joint_and_every_change(name, change):
    """v⁺ is the motion nearest to v⁻ in kinetic energy; it is finite, keeps momentum, and gains no energy."""
    for flexible in (False, True):
        first = ist.Revolute("x") if name in ("Locked", "Free") and change != "replace" else JOINTS[name]()
        system, x = two_trees(first if change != "replace" else ist.Ball(), flexible)
        for action in CHANGES[change](JOINTS[name]()):
            before, u = system, x
            system, x = action.apply(0.0, before, u)
            assert np.isfinite(x.q).all() and np.isfinite(x.v).all()
            assert system.energies(x).kinetic <= before.energies(u).kinetic * (1.0 + 1e-12)
            if not flexible:
                scale = np.abs(x.v).max(initial=1.0)
                np.testing.assert_allclose(
                    x.v, nearest_motion(before, u, system, x), rtol=0, atol=1e-10 * scale
                )
            if momentum_is_kept(change):
                wanted = before.momentum(u)
                np.testing.assert_allclose(
                    system.momentum(x), wanted, rtol=0, atol=1e-11 * np.abs(wanted).max()
                )
        assert np.isfinite(system.forward_dynamics(x)).all()


ELSEWHERE = {
    "dock": [Attach("other", "bus", joint=ist.Ball())],
    "snap": [Attach("other", ("bus", [0, 1, 0]), joint=ist.Locked(), rotation=np.eye(3), snap=True)],
    "back": [Detach("arm"), Attach("arm", ("bus", [0.5, 0.2, 0.1]), joint=ist.Revolute("y"), snap=True)],
    "another node": [Detach("arm"), Attach("arm", "other", port=4)],
    "turned round": [Attach("arm", "other")],
    "node to node": [Reattach("tail", ("arm", 3), snap=True)],
    "lock": [SetJointMode("arm", "locked")],
}


@pytest.mark.filterwarnings("ignore::interstage.errors.FidelityWarning")
@pytest.mark.parametrize("change", ELSEWHERE)
def test_where_and_how_fast_a_vehicle_flies_does_not_matter(change):
    """At 42,000 km from the origin and 3 km/s spins and velocities after a change are those of one at rest there."""
    seen = []
    for far, boost in (([0, 0, 0], [0, 0, 0]), ([4.2e7, 1e6, -3e5], [0, 3e3, 20.0])):
        system, x = two_trees(ist.Revolute("x"), flexible=True)
        for body in ("bus", "other"):
            x[body].position[:] += far
            x[body].linear_velocity[:] += system.rotation(x, body).T @ boost
        for action in ELSEWHERE[change]:
            system, x = action.apply(0.0, system, x)
        motion = [
            system.velocity(x, b) - np.array([0, 0, 0, *boost]) for b in ("bus", "arm", "other", "tail")
        ]
        seen.append(np.concatenate([*motion, x["arm"].etadot]))
    np.testing.assert_allclose(seen[1], seen[0], rtol=0, atol=1e-7)


@pytest.mark.parametrize("name", JOINTS)
def test_a_lone_body_that_is_held(name):
    """A single body is put on the ground and locked there: nothing is left to move."""
    rng = np.random.default_rng(2)
    mb = ist.Multibody("one")
    mb.add_body("ball", **dict(zip(("mass", "com", "inertia"), random_inertia(rng))), joint=ist.Free())
    system = mb.compile()
    x = random_state(system, rng)
    new, y = Attach("ball", None, joint=JOINTS[name]()).apply(0.0, system, x)
    np.testing.assert_allclose(y.v, nearest_motion(system, x, new, y), rtol=0, atol=1e-12 * np.abs(x.v).max())
    assert np.isfinite(new.forward_dynamics(y)).all()
    locked, z = SetJointMode("ball", "locked").apply(0.0, new, y)
    assert not z.v.any()
    assert not locked.forward_dynamics(z).any()
    assert locked.energy(z) == 0.0
    try:
        detached, w = locked.detach("ball", z)
    except InterstageError:
        assert name == "Free"
    else:
        assert not detached.forward_dynamics(w).any()


@pytest.mark.parametrize("name", JOINTS)
def test_closures_beside_a_change(name):
    """Two docked trees joined once more by a Ball closure: momentum is kept and the closure does not open."""
    mb = ist.Multibody("ring")
    mb.add_body("bus", mass=5.0, inertia=[1, 2, 2.5], joint=ist.Free())
    ball, on = ist.Ball(), {"parent": "bus"}
    mb.add_body("arm", mass=1.0, com=[0.5, 0, 0], inertia=[0.1, 0.2, 0.2], at=[1, 0, 0], joint=ball, **on)
    mb.add_body("rod", mass=2.0, com=[0.2, 0.1, 0], inertia=[0.2, 0.2, 0.3], at=[0, 1, 0], joint=ball, **on)
    mb.close("loop", ("arm", [0.5, 0.5, 0]), ("rod", [1.5, -0.5, 0]), joint=ist.Ball())
    mb.add_body("guest", mass=1.5, com=[0, 0.1, 0], inertia=[0.3, 0.2, 0.2], joint=ist.Free())
    system = mb.compile()
    x = system.assemble(system.state(v=np.random.default_rng(5).normal(size=system.nv)))
    for action in (Attach("guest", "arm", joint=JOINTS[name]()), SetJointMode("arm", "locked")):
        before, u = system, x
        system, x = action.apply(0.0, system, x)
        wanted = before.momentum(u)
        assert np.isfinite(x.v).all()
        assert np.abs(system.closure_rate(x)).max() < 1e-12
        np.testing.assert_allclose(system.momentum(x), wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())
        assert system.energy(x) <= before.energy(u) * (1 + 1e-12)
