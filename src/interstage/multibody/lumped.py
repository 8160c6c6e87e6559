"""Lumped bodies of a component as bodies of the vehicle: hung on the joints that held them in the deck, each once.

A component declares which lumped masses left it (`child_bodies`) and which are in its modes (`lumped_inside`). A body
that is in the modes already would count twice, and so would one that hangs there already.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from interstage.component.component import NO_SHAPES, ChildBody, Component
from interstage.errors import FidelityWarning, InputError, InterstageError, caller_level, known_names
from interstage.multibody.joints import Ball, Joint, Locked, Prismatic, Revolute, Universal, as_joint

if TYPE_CHECKING:
    from interstage.multibody.model import BodySpec, Multibody

ENOUGH = 0.01  # short of the mass of a fluid from which masses are taken for it
SAME = 1e-6  # masses, and places beside the size of the body, closer than this are the same


@dataclass(frozen=True)
class HungFluid:
    """A fluid that hangs on a flexible body: its name, the body, its mass, and whether it stands at a point (3,) of it.

    bodies : names of the bodies that it is
    """

    name: str
    parent: str
    mass: float
    holds: Callable[[np.ndarray], bool]
    bodies: tuple[str, ...]


def add_lumped(
    model: Multibody, parent: str, children: str | Sequence[str] | None, joints: Mapping[str, Joint] | None
) -> list[BodySpec]:
    """Add child bodies of a component; see `Multibody.add_lumped`."""
    component = model.spec(parent, where="add_lumped").component
    if component is None:
        raise InputError(f"body '{parent}' is rigid and has no lumped masses", where="add_lumped")
    known = {child.name: child for child in component.child_bodies}
    wanted = list(known) if children is None else [children] if isinstance(children, str) else list(children)
    for name in [*wanted, *(joints or {})]:
        if name not in known:
            raise InputError(
                f"component '{component.name}' has no child body '{name}'",
                where=f"add_lumped, body '{parent}'",
                hint=known_names(known) if known else "make it with separate_lumped=True",
            )
    for name in wanted:
        _refuse_loose(known[name], [*wanted, *_hung(model, parent, known)], parent)
    ordered, before = sorted(wanted, key=lambda name: _depth(known, name)), list(model.specs)
    try:
        added = [_add(model, parent, component, known[name], (joints or {}).get(name)) for name in ordered]
    except InterstageError:  # all of them or none
        model.specs[:] = before
        raise
    _warn_stiff(component, [known[name] for name in ordered], parent)
    return added


def _warn_stiff(component: Component, children: Sequence[ChildBody], parent: str) -> None:
    """Warn of bodies on grids for whose loads the component has no static shapes."""
    without = component.provenance.get(NO_SHAPES, "").split(", ")
    stiff = [child for child in children if child.name in without]
    if stiff:
        warnings.warn(
            f"component '{component.name}' of body '{parent}' has no static shapes for loads at the grids that carry "
            f"{', '.join(child.name for child in stiff[:4])}: with the bodies added, frequencies are too high, by much "
            "where few modes reach the grid; make it with add_lumped_to_aset=True, or name the grids in rvdof",
            FidelityWarning,
            stacklevel=caller_level(),
        )


def _hung(model: Multibody, parent: str, known: Mapping[str, ChildBody]) -> list[str]:
    """Return the child bodies that a vehicle has already."""
    return [name for name in known if f"{parent}.{name}" in model.bodies]


def _depth(known: Mapping[str, ChildBody], name: str) -> int:
    """Return how many child bodies carry each other below this one."""
    seen: list[str] = []
    while name in known and name not in seen:
        seen.append(name)
        name = known[name].carrier
    return len(seen)


def _refuse_loose(child: ChildBody, there: Sequence[str], parent: str) -> None:
    """Refuse a child body without its carrier."""
    if child.carrier and child.carrier not in there:
        raise InputError(
            f"the lumped mass '{child.name}' is carried by '{child.carrier}', which is not part of the vehicle",
            where=f"add_lumped, body '{parent}'",
            hint=f"name '{child.carrier}' among children too",
        )


def _add(
    model: Multibody, parent: str, component: Component, child: ChildBody, joint: Joint | None
) -> BodySpec:
    at, position, own = _joined(component, child, parent)
    if joint is not None:
        as_joint(joint, f"add_lumped, joint of '{child.name}'")
    arm = position - child.position
    size = max(float(np.abs(component.node_positions).max(initial=0.0)), float(np.abs(position).max()))
    port = arm if np.abs(arm).max() > 1e-12 * size else None
    on: str = parent
    place: np.ndarray | int = at
    if child.carrier:
        on = f"{parent}.{child.carrier}"
        place = position - next(one for one in component.child_bodies if one.name == child.carrier).position
    return model.add_body(
        f"{parent}.{child.name}",
        mass=child.mass,
        com=child.com,
        inertia=child.inertia,
        parent=on,
        at=place,
        port=port,
        joint=own if joint is None else joint,
    )


def _joined(component: Component, child: ChildBody, parent: str) -> tuple[int, np.ndarray, Joint]:
    """Return node, position and joint of a child body."""
    kind, where = child.joint.split()[0], f"add_lumped, body '{parent}'"
    if child.joint_position is None:  # given as arrays, or from a file of an earlier release
        carriers = [int(grid) for grid in child.parent_grids] or [int(child.grid)]
        if str(child.components) != "123456":
            raise InputError(
                f"the joint of the lumped mass '{child.name}' is not known: it is held in components "
                f"{child.components}, and where is not in the record",
                where=where,
                hint="make the component from its deck again, or add the mass with add_body and its joint",
            )
        at = carriers[0] if len(carriers) == 1 else int(child.grid)
        return at, component.node_positions[component.node_row(at)], Locked()
    axes = np.zeros((0, 3)) if child.joint_axes is None else np.asarray(child.joint_axes)
    made: dict[str, Joint] = {"locked": Locked(), "ball": Ball()}
    if len(axes) == 1:
        made |= {"revolute": Revolute(tuple(axes[0])), "prismatic": Prismatic(tuple(axes[0]))}
    elif len(axes) == 2:
        made["universal"] = Universal([tuple(axis) for axis in axes])
    if kind not in made or (not child.node and not child.carrier):
        words = "nothing holds it" if kind == "free" else f"it is held as {child.joint}"
        raise InputError(
            f"the lumped mass '{child.name}' cannot be added by itself: {words}, by {child.connection} at grids "
            f"{child.parent_grids.tolist()}, and no node of the component moves as that joint does",
            where=where,
            hint="make the grid of the lumped mass the dependent one of its rigid element, or leave it in the body: "
            "separate_lumped takes a list of CONM2 ids",
        )
    if child.node:
        component.node_row(child.node)
    return child.node, np.asarray(child.joint_position), made[kind]


# each once --------------------------------------------------------------------------------------------------


def refuse_twice(model: Multibody, spec: BodySpec) -> None:
    """Refuse a rigid body on a flexible parent that the parent has in its modes, or that hangs there already."""
    parent = next((one for one in model.specs if one.name == spec.parent), None)
    if (
        parent is None
        or parent.component is None
        or spec.inertia is None
        or np.real(spec.inertia.mass) <= 0.0
    ):
        return
    c, mass, place = parent.component, float(np.real(spec.inertia.mass)), center_on(parent.component, spec)
    size = float(np.ptp(c.node_positions, axis=0).max(initial=0.0)) or 1.0

    def same(m: float, p: np.ndarray) -> bool:
        return abs(m - mass) <= SAME * mass and float(np.abs(p - place).max()) <= SAME * size

    _refuse_fluid(model, parent, spec, mass, place)
    out = [one.name for one in c.child_bodies if same(one.mass, one.position + one.com)]
    hung = [
        one.name
        for one in model.specs
        if one.parent == parent.name and one.inertia is not None
        if same(float(np.real(one.inertia.mass)), center_on(c, one))
    ]
    if out and len(hung) >= len(out):
        raise InputError(
            f"the lumped mass '{out[0]}' of component '{c.name}' hangs on body '{parent.name}' already, as "
            f"'{hung[0]}'",
            where=f"body '{spec.name}'",
            hint="leave one of them out, or pass check=False for a second body of the same mass at the same place",
        )
    inside = c.lumped_inside
    if out or inside is None:
        return
    held = [k for k in range(len(inside.names)) if same(float(inside.mass[k]), inside.position[k])]
    if held:
        raise InputError(
            f"component '{c.name}' has this body in its modes already: {inside.names[held[0]]} at grid "
            f"{inside.grid[held[0]]}, mass {mass:g}; added again it would count twice",
            where=f"body '{spec.name}'",
            hint="make the component with separate_lumped and use add_lumped, take the mass out with "
            "Component.without_rigid, or pass check=False for a second body of the same mass",
        )


def _refuse_fluid(model: Multibody, parent: BodySpec, spec: BodySpec, mass: float, place: np.ndarray) -> None:
    """Refuse a body that, with others, is the fluid of a tank which hangs on its parent already."""
    assert parent.component is not None
    for fluid in model.fluids:
        if fluid.parent != parent.name or not fluid.holds(place):
            continue
        beside = [
            float(np.real(one.inertia.mass))
            for one in model.specs
            if one.parent == parent.name and one.inertia is not None and one.name not in fluid.bodies
            if fluid.holds(center_on(parent.component, one))
        ]
        total = mass + sum(beside)
        if total >= fluid.mass * (1.0 - ENOUGH):
            raise InputError(
                f"the fluid '{fluid.name}', {fluid.mass:g}, hangs on body '{parent.name}' already, and masses of "
                f"{total:g} inside its tank would count it twice",
                where=f"body '{spec.name}'",
                hint="leave the lumped masses of the propellant out (add_lumped takes a list of children), or pass "
                "check=False to add_slosh or add_body where they are something else",
            )


def center_on(component: Component, spec: BodySpec) -> np.ndarray:
    """Return the center of mass (3,) of a rigid body on a node, joint at zero, from the component's reference point."""
    assert spec.inertia is not None
    at = component.node_positions[component.node_row(int(spec.at))]
    return at + spec.rotation @ (np.real(spec.inertia.com) - spec.offset)
