"""Vehicles and exact derivatives for the tests of Kane's formulation."""

from __future__ import annotations

import numpy as np
from multibody_models import JOINTS, beam, random_rotation, random_state, random_tree

__all__ = [
    "BENT",
    "COMPONENTS",
    "JOINTS",
    "LUMPED",
    "STRAIGHT",
    "along_motion",
    "beam",
    "random_loads",
    "random_rotation",
    "vehicle",
]

STRAIGHT, BENT = beam(), beam(n_elements=4, n_modes=5, aset=3, bend=0.4, name="bent")
LUMPED = beam(lumped=True, n_modes=6, tip_mass=1.0, name="lumped")
COMPONENTS = [STRAIGHT, BENT, LUMPED]


def random_loads(mb, rng):
    """Return wrenches on about half of the bodies: at a node, a point or the origin."""
    out = {}
    for spec in mb.specs:
        pick = rng.random()
        if pick < 0.5:
            continue
        node = int(rng.choice(spec.component.node_ids)) if spec.component else tuple(rng.normal(size=3))
        out[(spec.name, node) if pick < 0.9 else spec.name] = rng.normal(size=6)
    return out


def vehicle(seed, **options):
    """Return a random tree, its compiled system, a random state, generalized forces and loads."""
    rng = np.random.default_rng(seed)
    options = {"components": COMPONENTS, **options}
    mb = random_tree(rng, int(rng.integers(1, 8)), **options)
    system = mb.compile()
    # deflections of a millimetre a mode: order 1 stays positive definite
    x = random_state(system, rng, deflection=0.001)
    return mb, system, x, rng.normal(size=system.nv), random_loads(mb, rng)


def along_motion(function, k, q, v, vdot):
    """Return the time derivative of function(q, v) along the motion, by a complex step: exact to rounding."""
    h = 1e-30
    value = function(q + 1j * h * k.rates(q, v), v + 1j * h * vdot)
    if isinstance(value, dict):
        return {name: np.imag(part) / h for name, part in value.items()}
    return np.imag(value) / h
