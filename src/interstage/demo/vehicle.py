"""Heron as a multibody vehicle: a flexible core, four engines on gimbals, the payload."""

from __future__ import annotations

from pathlib import Path

from interstage.component import Component
from interstage.component.options import Wanted
from interstage.demo import heron
from interstage.multibody import Free, Joint, Locked, Multibody, System, Universal

CORE, PAYLOAD = "core", "payload"
AXES = ("-y", "-z")  # of a gimbal
MODAL_DAMPING = 0.005


def core_component(deck, n_modes: int = 80, recover: Wanted | None = None) -> Component:
    """Return the core of the vehicle with engines and payload taken out, interfaces at gimbals and payload beam.

    recover : forces and stresses of elements that the component gives back
    """
    interface = dict.fromkeys((*heron.GIMBAL_GRIDS, heron.PAYLOAD_GRID), 123456)
    return Component.from_deck(
        deck,
        n_modes=n_modes,
        aset=interface,
        modal_integrals=True,
        geometric_stiffness=True,
        separate_lumped=True,
        recover=recover,
        load_grids=[
            heron.FORWARD_GYRO
        ],  # where the frame of the core is: devices of the whole vehicle act there
        name="heron core",
        units="SI",
    )


def child(component: Component, grid: int):
    """Return the lumped body that the component carries at a grid."""
    return next(body for body in component.child_bodies if body.grid == grid)


def heron_vehicle(
    component: Component | str | Path, locked: bool = False, gimbal: Joint | None = None
) -> System:
    """Return the compiled vehicle; engines gimballed in pitch, then yaw, on their actuators, on a `gimbal`, or locked.

    The frame of the core sits at the forward gyro platform. An engine's frame sits at its gimbal, x forward; a
    positive gimbal angle turns the vehicle about +y (first angle) or +z (second).
    """
    if not isinstance(component, Component):
        component = Component.load(component)
    mb = Multibody("Heron" + (", engines locked" if locked else ""))
    mb.add_body(
        CORE, component=component, node=heron.FORWARD_GYRO, joint=Free(), damping=MODAL_DAMPING,
        at=(heron.FORWARD_GYRO_X, 0.0, 0.0),
    )  # fmt: skip
    if gimbal is None:
        gimbal = Universal(AXES, stiffness=heron.actuator_stiffness(), damping=heron.actuator_damping())
    for name, at, grid in zip(heron.ENGINES, heron.GIMBAL_GRIDS, heron.ENGINE_GRIDS):
        body = child(component, grid)
        com = body.position + body.com - component.node_positions[component.node_row(at)]
        mb.add_body(
            name, mass=body.mass, com=com, inertia=body.inertia, parent=CORE, at=at,
            joint=Locked() if locked else gimbal,
        )  # fmt: skip
    body = child(component, heron.PAYLOAD_GRID)
    mb.add_body(
        PAYLOAD, mass=body.mass, com=body.com, inertia=body.inertia, parent=CORE, at=heron.PAYLOAD_GRID
    )
    return mb.compile()
