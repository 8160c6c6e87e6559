"""`System`: the algorithms on a compiled vehicle, by names, and the changes that make another vehicle of it.

Everything that goes in or comes out for a body or node is in world axes unless `frame` says "body" (axes of
the body frame) or "node" (axes that turn with the node). Spatial vectors are angular first. A place on a body
is None (its frame origin), a node of a flexible body, or a point (x, y, z) of a rigid one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.component.component import Component
from interstage.multibody import places, reroot, summary, topology
from interstage.multibody.api.closures import Closures
from interstage.multibody.impulse import Change
from interstage.multibody.joints import Joint
from interstage.multibody.loads import as_flown
from interstage.multibody.model import Mounting, Multibody
from interstage.multibody.settings import Settings
from interstage.multibody.state import State
from interstage.multibody.topology import Docking, DockingOptions
from interstage.multibody.types import Node, Target
from interstage.spatial import RotationLike


@named_arguments
class System(Closures):
    """A compiled vehicle. Make one with `Multibody.compile()`.

    nq, nv : numbers of coordinates and velocities;  bodies : names in order
    settings : what can be switched (joint modes, masses, closures, stabilization), of this object alone

    The rest never changes, and asking changes nothing: threads may share a system as long as nobody switches
    its settings meanwhile; `with_settings` gives each his own.
    """

    def __reduce__(self) -> tuple[object, ...]:
        # compiled code and addresses stay here: description and settings travel, and the order of sites
        asked = sorted(self.site_rows, key=self.site_rows.__getitem__)[len(self.closure_places) :]
        return _restored, (self.model, self.settings, asked, self.change)

    def __repr__(self) -> str:
        return f"<System '{self.model.name}': {len(self._index)} bodies, nq {self.nq}, nv {self.nv}>"

    def __str__(self) -> str:
        return summary.of_system(self)

    def detach(self, body: str, x: State) -> tuple[System, State]:
        """Return the system in which a body left with all that it carries, as a Free root, and its state.

        No motion changes: poses, velocities, modal coordinates and rates stay as they are.
        """
        return topology.detach(as_flown(self, x), body, x)

    def attach(
        self,
        body: str,
        place: Target,
        x: State,
        *,
        joint: Joint | None = None,
        rotation: RotationLike | None = None,
        port: Node = None,
        snap: bool = False,
    ) -> tuple[System, State]:
        """Return the system in which a free body is docked, and its state after the plastic impact.

        place : (parent, node or point), or the name of a rigid parent: then where the body is; None: the ground
        joint : default Locked;  rotation : R_PC at zero coordinates, default so that coordinates are zero now
        port : node of a flexible body, point of a rigid one, that sits in the joint; default: the inboard node; of a
            rigid body the origin of its frame where `rotation` is given, else the point that is at the place now
        snap : move the body where the joint cannot take its present pose (otherwise that is an error)

        Linear and angular momentum are conserved, modal rates included; `change.energy_loss` tells the loss.
        """
        return topology.attach(as_flown(self, x), body, place, x, Docking(joint, rotation, port, snap))

    def reattach(
        self,
        body: str,
        place: Target,
        x: State,
        **how: Unpack[DockingOptions],
    ) -> tuple[System, State]:
        """Detach a body and attach it elsewhere; options as in `attach`."""
        return topology.reattach(as_flown(self, x), body, place, x, Docking(**how))

    def replace_joint(
        self, body: str, joint: Joint, x: State, *, rotation: RotationLike | None = None, snap: bool = False
    ) -> tuple[System, State]:
        """Return the system in which a body has another joint at the same place, and its state.

        Coordinates follow from the present pose; velocities that the new joint does not have are lost in a plastic
        impact that conserves momentum.
        """
        return topology.replace_joint(as_flown(self, x), body, joint, x, rotation=rotation, snap=snap)

    def replace_component(
        self,
        body: str,
        component: Component | str | Path,
        x: State,
        *,
        node: int | None = None,
        damping: ArrayLike | None = None,
        order: int | None = None,
        n_modes: int | None = None,
    ) -> tuple[System, State]:
        """Return the system in which a flexible body has other data, and its state (see `multibody.reroot`).

        node, damping, order, n_modes : as in `Multibody.add_body`; node : the one that it has
        """
        return reroot.replace_component(
            as_flown(self, x), body, component, x, Mounting(node, damping, order, n_modes)
        )

    def remove(self, body: str, x: State) -> tuple[System, State]:
        """Return the system without a free body and all that it carries, and its state."""
        return topology.remove(as_flown(self, x), body, x)


def _restored(
    model: Multibody, settings: Settings, asked: list[tuple[int, int]], change: Change | None
) -> System:
    """Return a system from what a copy brought along."""
    system = System(model).with_settings(settings)
    names = system.bodies
    places.located(system, [(names[i], node) for i, node in asked])
    system.change = change
    return system
