"""Forces across joints against the balance of momentum of what hangs on them."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import beam, random_inertia, random_rotation, random_state

import interstage as ist
from interstage.kane import Kane

AXIS = (0.3, -0.5, 0.9)
JOINTS = {
    "Locked": ist.Locked(),
    "Revolute": ist.Revolute(AXIS, stiffness=30.0, damping=0.4),
    "Prismatic": ist.Prismatic(AXIS, stiffness=30.0),
    "Screw": ist.Screw(AXIS, pitch=0.4, damping=0.3),
    "Cylindrical": ist.Cylindrical(AXIS, damping=(0.2, 0.1)),
    "Universal": ist.Universal("yz", stiffness=(20.0, 10.0)),
    "Gimbal": ist.Gimbal("zxy"),
    "Ball": ist.Ball(stiffness=15.0),
    "Planar": ist.Planar(AXIS),
    "Free": ist.Free(damping=0.2),
}
BEAM = beam(4, 4, aset=1, name="panel")


def rigid(rng):
    return dict(zip(("mass", "com", "inertia"), random_inertia(rng)))


def vehicle(joint, flexible, closed, rng):
    """Return a free bus, an arm by `joint` (a port, or a beam), a tail on the arm with a port, perhaps a closure."""
    mb = ist.Multibody("vehicle", gravity=[0.4, -0.2, -3.0])
    mb.add_body("bus", **rigid(rng), joint=ist.Free(), port=rng.normal(size=3))
    where = {"parent": "bus", "at": rng.normal(size=3), "rotation": random_rotation(rng), "joint": joint}
    if flexible:
        mb.add_body("arm", component=BEAM, node=1, order=2, **where)
    else:
        mb.add_body("arm", **rigid(rng), port=rng.normal(size=3), **where)
    at = 5 if flexible else rng.normal(size=3)
    mb.add_body(
        "tail",
        **rigid(rng),
        port=rng.normal(size=3),
        parent="arm",
        at=at,
        joint=ist.Universal("xz", damping=0.1),
    )
    if closed:
        # a third body that hangs on the bus is tied to the tail in one direction
        mb.add_body("tie", **rigid(rng), parent="bus", at=rng.normal(size=3), joint=ist.Free())
        mb.close("loop", ("tie", rng.normal(size=3)), ("tail", rng.normal(size=3)), joint=ist.Ball())
    return mb.compile()


def outboard_momentum(system, x, body, about):
    """Return [h; p] (6,) about a world point of a body and all that it carries, as a vehicle of its own."""
    spec = system.model.spec(body)
    if spec.parent is not None:
        system, x = system.detach(body, x)
    for root in [s.name for s in system.model.specs if s.parent is None and s.name != body]:
        system, x = system.remove(root, x)
    return system.momentum(x, about)


def rate_of_momentum(system, x, vdot, body, about):
    """Return d/dt of that along the motion, by extrapolated central differences."""
    qdot = system.rates(x)
    found = []
    for h in (2e-4, 1e-4):
        ends = [
            outboard_momentum(system, system.state(x.q + s * h * qdot, x.v + s * h * vdot), body, about)
            for s in (1.0, -1.0)
        ]
        found.append((ends[0] - ends[1]) / (2.0 * h))
    return (4.0 * found[1] - found[0]) / 3.0


def moved(wrench, arm):
    """Return [t; f] about a point from which the force acts at `arm`."""
    return np.concatenate([wrench[:3] + np.cross(arm, wrench[3:]), wrench[3:]])


@pytest.mark.parametrize("closed", (False, True))
@pytest.mark.parametrize("flexible", (False, True))
@pytest.mark.parametrize("name", JOINTS)
def test_reactions_balance_every_free_body(name, flexible, closed):
    """d/dt [h; p] of what a joint carries = reaction at the body's origin + loads + gravity + forces of closures."""
    rng = np.random.default_rng(7)
    system = vehicle(JOINTS[name], flexible, closed, rng)
    x = random_state(system, rng, deflection=0.01)
    x = system.assemble(x) if closed else x
    loads = {
        ("arm", 3 if flexible else (0.2, -0.1, 0.4)): rng.normal(size=6),
        ("tail", (0.5, 0.1, 0.0)): rng.normal(size=6),
        "tail": rng.normal(size=6),
        "bus": rng.normal(size=6),
    }
    tau = rng.normal(size=system.nv)
    vdot = system.forward_dynamics(x, loads, tau)
    reactions = system.reactions(x, vdot, loads, tau=tau)
    turned = system.reactions(x, vdot, loads, frame="body", tau=tau)
    if not closed:
        kane = Kane(system.model, like=system).reactions(x.q, x.v, vdot, loads)
        # sums of forces of stiff modes that cancel: their rounding
        rounding = 1e-10 * max(np.abs(w).max() for w in reactions.values()) + 1e-14 * np.abs(vdot).max()
        for body, wrench in reactions.items():
            np.testing.assert_allclose(kane[body], wrench, rtol=0, atol=rounding)
    ties = system.closure_forces(x, loads, tau) if closed else {}
    carried = {"bus": system.bodies, "arm": ["arm", "tail"], "tail": ["tail"]}
    if closed:
        carried["tie"] = ["tie"]
    total = {}
    for body, bodies in carried.items():
        origin = system.position(x, body)
        right = reactions[body].copy()
        for key, wrench in loads.items():
            place = key if isinstance(key, tuple) else (key, None)
            if place[0] in bodies:
                right += moved(wrench, system.position(x, *place) - origin)
        for closure, wrench in ties.items():
            spec = next(c for c in system.model.closures if c.name == closure)
            for sign, (on, _) in zip((-1.0, 1.0), spec.ends):
                if on in bodies:
                    right += sign * moved(wrench, system.position(x, *spec.ends[1]) - origin)
        apart, y = system.detach(body, x) if body != "bus" else (system, x)
        for root in [s.name for s in apart.model.specs if s.parent is None and s.name != body]:
            apart, y = apart.remove(root, y)
        mass = apart.settings.body_inertia[:, 0].sum()
        right += moved(
            np.concatenate([np.zeros(3), mass * system.model.gravity]), apart.center_of_mass(y) - origin
        )
        left = rate_of_momentum(system, x, vdot, body, origin)
        total[body] = np.abs(left).max()
        np.testing.assert_allclose(right, left, rtol=0, atol=1e-6 * max(1.0, np.abs(left).max()))
        R = system.rotation(x, body)
        np.testing.assert_allclose(R @ turned[body][:3], reactions[body][:3], atol=1e-10)
        np.testing.assert_allclose(R @ turned[body][3:], reactions[body][3:], atol=1e-10)
    # a joint exerts nothing along what it leaves free, but its spring, damper and drive
    assert np.abs(reactions["bus"] - tau_of_root(system, x, tau)).max() < 1e-9 * max(total.values())


def tau_of_root(system, x, tau):
    """Return the generalized forces of the root's Free joint as a wrench at the body's origin, world axes."""
    port, origin = system.model.spec("bus").offset, system.position(x, "bus")
    R = system.rotation(x, "bus")
    at = system.position(x, "bus", port)
    return moved(np.concatenate([R @ tau[:3], R @ tau[3:6]]), at - origin)
