"""A script as users write it, for the type checker: results have the types that are asserted, misuse is reported.

It is never run. An ignored line that the checker would accept is an error of its own (`warn_unused_ignores`).
"""

from __future__ import annotations

from typing import assert_type

import numpy as np

import interstage as ist
from interstage.multibody import State


def structures() -> None:
    """Deck to component file."""
    deck = ist.read_deck("panel.bdf")
    fe = ist.FEModel.from_deck(deck)
    modes = ist.normal_modes(fe, n_modes=20)
    assert_type(modes.frequencies_hz, np.ndarray)
    panel = ist.Component.load("panel.h5")
    assert_type(panel, ist.Component)
    ist.read_deck(3.5)  # type: ignore[arg-type]
    ist.normal_modes(fe, n_mode=20)  # type: ignore[call-arg]


def dynamics(J: np.ndarray, R_PC: ist.Rotation) -> None:
    """Components to a vehicle."""
    mb = ist.Multibody("observatory", gravity=[0, 0, 0])
    mb.add_body("bus", mass=1200.0, com=[0, 0, 0.4], inertia=J, joint=ist.Free())
    mb.add_body("panel", component="panel.h5", node=1, parent="bus", at=[0.8, 0, 0], rotation=R_PC)
    mb.close("strut", ("panel", 42), ("bus", [0.8, 2.0, 0]), joint=ist.Ball())
    system = mb.compile()
    assert_type(system, ist.System)
    x = system.state()
    assert_type(x, State)
    x["panel"].eta[:] = 0
    forces = {("panel", 57): [0.0, 0, 0, 0, 0, 1]}
    assert_type(system.forward_dynamics(x, forces=forces), np.ndarray)
    assert_type(system.energy(x), float)
    assert_type(system.momentum(x), np.ndarray)
    reactions = system.reactions(x, np.zeros(system.nv))
    assert_type(reactions, dict[str, np.ndarray])
    assert_type(system.modes(x).frequencies_hz, np.ndarray)
    system2, x2 = system.detach("panel", x)
    assert_type(system2, ist.System)
    system2.attach("panel", ("bus", 57), x2, snap=True)
    system.forward_dynamics(x, force=forces)  # type: ignore[arg-type]
    system.forward_dynamics(x.q)  # type: ignore[arg-type]
    system.joint_mode(3)  # type: ignore[arg-type]
    print(x["panel"].etas)  # type: ignore[attr-defined]
    mb.add_body("tip", mass=2.0, joint="ball")  # type: ignore[arg-type]


def runs(system: ist.System, x: State) -> None:
    """Time and linear models."""
    log = ist.simulate(system, x, until=20.0, step=1e-3)
    assert_type(log, ist.Log)
    assert_type(log.t, np.ndarray)
    x0 = ist.trim(system, x)
    lin = ist.linearize(
        system,
        x0,
        inputs=[ist.JointForce("engine"), ist.NodeForce("core", 52, "y")],
        outputs=[ist.NodeRate("core", 52), ist.JointAngle("engine")],
        method="complex-step",
    )
    assert_type(lin, ist.LinearModel)
    assert_type(lin.A, np.ndarray)
    ist.simulate(system, until=20.0)  # type: ignore[call-arg]
    ist.linearise(system, x0)  # type: ignore[attr-defined]


def mass_tree() -> None:
    """Parts and assemblies."""
    sm = ist.MassBody("service module", mass=1.0, inertia=[1, 1, 1])
    sm.add_point("dock", position=[2, 0, 0])
    assert_type(sm.composite.mass, float)
    sm.detach("now")  # type: ignore[call-arg]
