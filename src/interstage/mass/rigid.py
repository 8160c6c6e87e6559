"""Hand the mass of a tree to other models."""

from __future__ import annotations

from typing import TypedDict

import numpy as np

from interstage.calls import named_arguments
from interstage.mass.body import MassBody


class RigidProperties(TypedDict):
    """Keywords of a rigid body: mass, com (3,), inertia (3, 3) about it."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray


@named_arguments
def rigid_properties(body: MassBody) -> RigidProperties:
    """Return mass, com (3,) and inertia (3, 3) about it of a body and all below it, in its structure axes.

    The structure frame becomes the body frame of `Multibody.add_body("bus", **rigid_properties(bus),
    joint=...)`; the same keywords go to `System.set_mass` after the tree has changed.
    """
    rigid = body.composite.rigid
    return {"mass": rigid.mass, "com": rigid.com, "inertia": rigid.inertia}
