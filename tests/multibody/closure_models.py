"""Vehicles with loops for the tests of closures."""

from __future__ import annotations

import numpy as np
from multibody_models import beam, random_inertia, random_rotation

from interstage.multibody import (
    Ball,
    Cylindrical,
    Free,
    Gimbal,
    Locked,
    Multibody,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Universal,
)

RELATIONS = [
    Locked(),
    Revolute("y"),
    Revolute([1.0, 2.0, -1.0]),
    Prismatic("x"),
    Cylindrical("z"),
    Universal("xy"),
    Universal([[1.0, 0.2, 0.0], [0.3, 1.0, 0.1]]),
    Gimbal("zyx"),
    Ball(),
    Planar("z"),
    Screw("y", pitch=0.7),
]
ROWS = [6, 5, 5, 5, 4, 4, 4, 3, 3, 3, 5]
BENT = beam(4, 8, bend=0.1, name="bent")


def rod(mass, length):
    """Return mass properties of a slender rod along x from its frame."""
    bend = mass * length**2 / 12.0
    return {"mass": mass, "com": [length / 2, 0, 0], "inertia": np.diag([1e-3 * bend, bend, bend])}


def mixed(relation, rng):
    """Return a tree of rigid and flexible bodies with two closures: to the ground, and between flexible bodies."""
    mb = Multibody("mixed", gravity=[0.3, -1.0, -9.0])
    mass, com, inertia = random_inertia(rng)
    mb.add_body("hub", mass=5 * mass, com=com, inertia=5 * inertia, joint=Free())
    mb.add_body("left", component=BENT, node=1, parent="hub", at=[0.3, 0, 0], joint=Ball(), damping=0.01)
    mb.add_body("right", component=BENT, node=1, parent="hub", at=[0, 0.4, 0], joint=Universal(), order=1)
    mass, com, inertia = random_inertia(rng)
    mb.add_body(
        "tip",
        mass=mass,
        com=com,
        inertia=inertia,
        parent="left",
        at=4,
        joint=Gimbal("zyx"),
        rotation=random_rotation(rng),
    )
    mb.close("cross", ("tip", [0.1, 0.2, -0.1]), ("right", 5), joint=relation, rotation=random_rotation(rng))
    mb.close("base", (None, [0.1, -0.2, 0.3]), ("left", 3), joint=relation, rotation=random_rotation(rng))
    return mb.compile()


def four_bar(joint=None, coupler=None, gravity=9.81, **options):
    """Return a plane four-bar of lengths 1, 3, 2 on ground points 3 apart; `coupler` a component along x."""
    mb = Multibody("four-bar", gravity=[0, -gravity, 0])
    mb.add_body("crank", **rod(1.0, 1.0), joint=Revolute("z"))
    if coupler is None:
        mb.add_body("coupler", **rod(2.0, 3.0), parent="crank", at=[1.0, 0, 0], joint=Revolute("z"))
        end = ("coupler", [3.0, 0, 0])
    else:
        mb.add_body(
            "coupler",
            component=coupler,
            node=1,
            parent="crank",
            at=[1.0, 0, 0],
            joint=Revolute("z"),
            **options,
        )
        end = ("coupler", int(coupler.node_ids[-1]))
    mb.add_body("rocker", **rod(1.5, 2.0), at=[3.0, 0, 0], joint=Revolute("z"))
    mb.close("pin", end, ("rocker", [2.0, 0, 0]), joint=joint or Revolute("z"))
    return mb.compile()


def pinned(system, angle=1.0, speed=0.0):
    """Return the assembled four-bar with its crank at an angle, turning."""
    x = system.state()
    x["crank"].q[:] = angle
    x["rocker"].q[:] = 2.0
    x["crank"].v[:] = speed
    return system.assemble(x, fixed=["crank"])
