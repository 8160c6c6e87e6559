"""A second opinion on a flexible vehicle: Kane's equations beside the recursive engine, reactions, and a sensitivity.

python examples/second_opinion.py
"""

from __future__ import annotations

import numpy as np

import interstage as ist
from interstage.fem import lumped_beam

NODES = 6


def boom_component() -> ist.Component:
    """Return a boom 3 m long along x as a chain of lumped masses on bending springs."""
    mass = [1.2, 1.2, 1.2, 0.02, 0.02, 0.02]
    K, M, nodes = lumped_beam(3.0, NODES - 1, EA=1e6, GJ=300.0, EI=(400.0, 520.0), mass=mass)
    return ist.Component.from_matrices(K, M, nodes, n_modes=6, aset={1: 123456}, name="boom")


def spacecraft() -> ist.Multibody:
    """Return a bus, a boom on a hinge, and an instrument on a universal joint at its tip."""
    mb = ist.Multibody("spacecraft")
    mb.add_body("bus", mass=300.0, com=[0, 0, 0.2], inertia=[80.0, 90.0, 70.0], joint=ist.Free())
    mb.add_body(
        "boom",
        component=boom_component(),
        parent="bus",
        at=[0.6, 0, 0],
        joint=ist.Revolute("z"),
        damping=0.005,
    )
    mb.add_body("instrument", mass=4.0, com=[0.1, 0, 0], inertia=[0.1, 0.2, 0.2], parent="boom", at=NODES,
                joint=ist.Universal("yz", stiffness=50.0))  # fmt: skip
    return mb


def main() -> None:
    """Ask both engines about one state, then Kane's formulation about a mass."""
    mb = spacecraft()
    system = mb.compile()
    kane = ist.Kane(mb, like=system)
    x = system.state()
    rng = np.random.default_rng(1)
    x.v[:] = 0.2 * rng.normal(size=system.nv)
    x["boom"].q[:], x["boom"].eta[:] = 0.4, 0.02 * rng.normal(size=6)
    forces = {("boom", NODES): [0, 0, 0, 0, 5.0, 0]}
    recursive = system.forward_dynamics(x, forces=forces)
    dense = kane.accelerations(x.q, x.v, forces=forces)
    worst = np.abs(dense - recursive).max() / np.abs(recursive).max()
    print(f"accelerations, Kane against the recursive engine  {worst:.1e}")
    ours, theirs = kane.reactions(x.q, x.v, dense, forces), system.reactions(x, recursive, forces)
    print("force and torque of the bus on the boom           ", np.round(ours["boom"], 3))
    apart = max(np.abs(ours[name] - theirs[name]).max() for name in ours)
    print(f"reactions, largest difference                     {apart:.1e}")
    # how the hinge's acceleration depends on the mass of the instrument: a complex step through pure functions
    bodies = list(kane.parameters.bodies)
    heavier = bodies[2]._replace(mass=bodies[2].mass + 1e-30j)
    p = kane.parameters._replace(bodies=(*bodies[:2], heavier))
    slope = kane.accelerations(x.q, x.v, forces=forces, parameters=p)[6].imag / 1e-30
    print(f"d(hinge acceleration)/d(mass of the instrument)   {slope:.6f} rad/s2/kg")
    assert worst < 1e-10
    assert apart < 1e-9


if __name__ == "__main__":
    main()
