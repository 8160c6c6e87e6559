"""Vehicles with loops for the tests of closures."""

from __future__ import annotations

import numpy as np
from multibody_models import beam, random_inertia, random_rotation

import interstage as ist

STEP = 1e-30  # of complex steps
RELATIONS = [
    ist.Locked(),
    ist.Revolute("y"),
    ist.Revolute([1.0, 2.0, -1.0]),
    ist.Prismatic("x"),
    ist.Cylindrical("z"),
    ist.Universal("xy"),
    ist.Universal([[1.0, 0.2, 0.0], [0.3, 1.0, 0.1]]),
    ist.Gimbal("zyx"),
    ist.Ball(),
    ist.Planar("z"),
    ist.Screw("y", pitch=0.7),
    ist.Slot([1.0, 2.0, -1.0]),
]
ROWS = [6, 5, 5, 5, 4, 4, 4, 3, 3, 3, 5, 2]
BENT = beam(4, 8, bend=0.1, name="bent")


def rod(mass, length):
    """Return mass properties of a slender rod along x from its frame."""
    bend = mass * length**2 / 12.0
    return {"mass": mass, "com": [length / 2, 0, 0], "inertia": np.diag([1e-3 * bend, bend, bend])}


def hub_arm_and_port():
    """Return a free hub with a rod on a hinge about z, and a free body for the rod to dock to."""
    mb = ist.Multibody("docking")
    mb.add_body("hub", mass=10.0, inertia=[1, 2, 3.0], joint=ist.Free())
    mb.add_body("arm", **rod(1.0, 1.0), parent="hub", at=[1, 0, 0], joint=ist.Revolute("z"))
    mb.add_body("port", mass=20.0, inertia=[2, 2, 2.0], joint=ist.Free())
    return mb


def mixed(relation, rng):
    """Return a tree of rigid and flexible bodies with two closures: to the ground, and between flexible bodies."""
    mb = ist.Multibody("mixed", gravity=[0.3, -1.0, -9.0])
    mass, com, inertia = random_inertia(rng)
    mb.add_body("hub", mass=5 * mass, com=com, inertia=5 * inertia, joint=ist.Free())
    mb.add_body("left", component=BENT, node=1, parent="hub", at=[0.3, 0, 0], joint=ist.Ball(), damping=0.01)
    mb.add_body("right", component=BENT, node=1, parent="hub", at=[0, 0.4, 0], joint=ist.Universal(), order=1)
    mass, com, inertia = random_inertia(rng)
    mb.add_body(
        "tip",
        mass=mass,
        com=com,
        inertia=inertia,
        parent="left",
        at=4,
        joint=ist.Gimbal("zyx"),
        rotation=random_rotation(rng),
    )
    mb.close("cross", ("tip", [0.1, 0.2, -0.1]), ("right", 5), joint=relation, rotation=random_rotation(rng))
    mb.close("base", (None, [0.1, -0.2, 0.3]), ("left", 3), joint=relation, rotation=random_rotation(rng))
    return mb.compile()


def four_bar(joint=None, coupler=None, gravity=9.81, load=False, **options):
    """Return a plane four-bar of lengths 1, 3, 2 on ground points 3 apart.

    `coupler` is a component along x in place of a rod, with options of its body; `load` a small body on the coupler.
    """
    mb = ist.Multibody("four-bar", gravity=[0, -gravity, 0])
    mb.add_body("crank", **rod(1.0, 1.0), joint=ist.Revolute("z"))
    part, end = (rod(2.0, 3.0), [3.0, 0, 0]) if coupler is None else ({"component": coupler, "node": 1}, None)
    mb.add_body("coupler", **part, parent="crank", at=[1.0, 0, 0], joint=ist.Revolute("z"), **options)
    mb.add_body("rocker", **rod(1.5, 2.0), at=[3.0, 0, 0], joint=ist.Revolute("z"))
    if load:
        on = {"parent": "coupler", "at": [1.5, 0, 0], "joint": ist.Revolute("z")}
        mb.add_body("load", mass=0.3, inertia=[0.1, 0.1, 0.1], **on)
    end = int(coupler.node_ids[-1]) if end is None else end
    mb.close("pin", ("coupler", end), ("rocker", [2.0, 0, 0]), joint=joint or ist.Revolute("z"))
    return mb.compile()


def parallelogram(width, angles, gravity=0.0):
    """Return two cranks of length 1 on ground points `width` apart, a bar between them, and their state."""
    mb = ist.Multibody("parallelogram", gravity=[0, -gravity, 0])
    mb.add_body("left", **rod(1.0, 1.0), joint=ist.Revolute("z"))
    mb.add_body("bar", **rod(2.0, width), parent="left", at=[1, 0, 0], joint=ist.Revolute("z"))
    mb.add_body("right", **rod(1.0, 1.0), at=[width, 0, 0], joint=ist.Revolute("z"))
    mb.close("pin", ("bar", [width, 0, 0]), ("right", [1.0, 0, 0]), joint=ist.Ball())
    system = mb.compile()
    x = system.state()
    x["left"].q[:], x["bar"].q[:], x["right"].q[:] = angles
    system.drop_redundant(x)
    return system, x


def two_links(reach):
    """Return a chain of two rods of length 1 whose end is to lie at `reach` on the x axis."""
    mb = ist.Multibody("chain")
    mb.add_body("a", **rod(1.0, 1.0), joint=ist.Revolute("z"))
    mb.add_body("b", **rod(1.0, 1.0), parent="a", at=[1, 0, 0], joint=ist.Revolute("z"))
    mb.close("end", ("b", [1.0, 0, 0]), ("ground", [reach, 0, 0]), joint=ist.Ball())
    return mb.compile()


def pinned(system, angle=1.0, speed=0.0):
    """Return the assembled four-bar with its crank at an angle, turning."""
    x = system.state()
    x["crank"].q[:] = angle
    x["rocker"].q[:] = 2.0
    x["crank"].v[:] = speed
    return system.assemble(x, fixed=["crank"])


def along(system, x, v):
    """Return the state x with an imaginary step of its coordinates along velocities v."""
    z = x.copy(np.complex128)
    z.v[:] = v
    z.q = z.q + 1j * STEP * system.rates(z)
    z.v[:] = x.v
    return z


def dense(system, x, forces=None, tau=None):
    """Return accelerations and multipliers of the constrained equations, solved with the mass matrix."""
    J, M = system.closure_jacobian(x), system.mass_matrix(x)
    z = along(system, x, x.v)
    gamma = system.closure_jacobian(z).imag / STEP @ x.v
    load = -system.bias(x, forces) + (0.0 if tau is None else tau)
    X = np.linalg.solve(M, J.T)
    free = np.linalg.solve(M, load)
    f = -np.linalg.solve(J @ X, J @ free + gamma)
    return free + X @ f, f
