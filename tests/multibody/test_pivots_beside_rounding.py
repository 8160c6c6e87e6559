"""Mass matrices that are singular are refused whatever the rounding; light bodies and long chains are not."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import random_inertia, random_rotation

import interstage as ist
from interstage.errors import ModelError

JOINTS = {
    "Revolute": lambda rng: ist.Revolute(rng.normal(size=3)),
    "Prismatic": lambda rng: ist.Prismatic(rng.normal(size=3)),
    "Ball": lambda rng: ist.Ball(),
    "Free": lambda rng: ist.Free(),
}


def _carried(rng, mass, outer, inner, at, length=1.0):
    """Return a description: a base, a carrier of a given share of mass, and a load on it."""
    mb = ist.Multibody("carrier", gravity=[0, 0, -1.0])
    m, c, J = random_inertia(rng)
    mb.add_body("base", mass=100.0, inertia=np.diag([10, 20, 30.0]) * length**2, joint=ist.Free())
    own = {"mass": mass * m, "inertia": mass * J * length**2} if mass else {"mass": 0.0}
    rotation = random_rotation(rng)
    mb.add_body("carrier", **own, parent="base", at=[0.1, 0.2, 0.3], joint=inner, rotation=rotation)
    part = {"mass": m, "com": c * length, "inertia": J * length**2}
    mb.add_body("load", **part, parent="carrier", at=at, joint=outer, rotation=random_rotation(rng))
    return mb


@pytest.mark.parametrize("name", ["Revolute", "Prismatic", "Ball"])
def test_a_carrier_without_mass_that_is_free_twice_is_refused(name):
    """A free carrier of no mass under a joint moves with the joint held back: no force is needed for that."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        at, outer, length = 0.2 * rng.normal(size=3), JOINTS[name](rng), 10.0 ** rng.integers(-3, 4)
        mb = _carried(rng, 0.0, outer, ist.Free(), at * length, length)
        with pytest.raises(ModelError, match="body 'carrier' and what it carries have no inertia"):
            mb.compile().forward_dynamics(mb.compile().state())


def test_two_coaxial_hinges_without_mass_between_are_refused_at_any_axis():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        axis, turned = rng.normal(size=3), random_rotation(rng)
        mb = ist.Multibody("coaxial")
        mass, com, inertia = random_inertia(rng)
        mb.add_body("inner", mass=0.0, joint=ist.Revolute(axis), rotation=random_rotation(rng))
        at = 0.3 * axis  # on the axis of the inner hinge
        on = {"parent": "inner", "at": at, "rotation": turned, "joint": ist.Revolute(turned.T @ axis)}
        mb.add_body("outer", mass=mass, com=com, inertia=inertia, **on)
        with pytest.raises(ModelError, match="body 'inner' and what it carries have no inertia"):
            mb.compile()


@pytest.mark.parametrize("share", [1e-8, 1e-4, 1e8])
@pytest.mark.parametrize("name", sorted(JOINTS))
def test_light_carriers_are_moved(name, share):
    """Well posed with masses that differ by 1e8: M v̇ gives back the forces.

    Rounding of 1e-16 beside 1 is 1e-8 of a carrier of 1e-8: forces within 1e-6 of the largest.
    """
    for seed in range(4):
        rng = np.random.default_rng(seed)
        mb = _carried(rng, share, JOINTS[name](rng), ist.Free(), 0.2 * rng.normal(size=3))
        system = mb.compile()
        x = system.state()
        tau = rng.normal(size=system.nv)
        vdot = system.forward_dynamics(x, tau=tau)
        back = system.inverse_dynamics(x, vdot)
        assert np.abs(back - tau).max() <= 1e-6 * max(1.0, np.abs(system.mass_matrix(x) @ vdot).max())


@pytest.mark.parametrize("joint", [ist.Revolute("y"), ist.Ball()], ids=["Revolute", "Ball"])
def test_long_chains_keep_their_inertia(joint):
    """A chain of a thousand links hangs and swings: the last link is 1e-9 of the turning inertia of the whole."""
    mb, parent = ist.Multibody("chain", gravity=[0, 0, -9.81]), None
    for k in range(1000):
        link = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": np.diag([1e-3, 1 / 12, 1 / 12])}
        mb.add_body(f"b{k}", **link, parent=parent, at=[1.0, 0, 0] if parent else None, joint=joint)
        parent = f"b{k}"
    system = mb.compile()
    x = system.state()
    vdot = system.forward_dynamics(x)
    assert np.abs(system.inverse_dynamics(x, vdot)).max() < 1e-6  # of 1e3 links of 10 N
