"""Staging in a run: an event cuts the flexible body of a vehicle in two, and all parts fly on.

The part that stays keeps the name of the vehicle, and its nodes keep their ids; what has left is a body of its own,
rigid or flexible, named after its stages. In a group of vehicles all names begin with that of the member. Bodies that
hang on nodes go with these, their joints as they are. Places and velocities of nodes are projected onto the new shapes
in the metric of the mass (`staging`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import overload

import numpy as np

from interstage.errors import InputError, ModelError, shown
from interstage.multibody import Free, Multibody, State, System, closing
from interstage.multibody.impulse import Change, frames_of, keep_motion, trees_of
from interstage.multibody.model import BodySpec
from interstage.multibody.together import named_under
from interstage.multibody.topology import carry_propellant
from interstage.spatial import RigidInertia
from interstage.system.plant.moved_sites import Heirs, Key
from interstage.system.run.events import Action
from interstage.vehicle.burn_log import BodyState
from interstage.vehicle.damping import Ratio
from interstage.vehicle.frozen import add_flexible
from interstage.vehicle.geometric import LoadPlaces, LoadStiffness, default_stiffness, load_stiffness
from interstage.vehicle.shapes import Shapes
from interstage.vehicle.stack import Stack
from interstage.vehicle.staging import Part, split
from interstage.vehicle.vehicle import Vehicle


class Staging(Action):
    """Cut the body of a vehicle in two.

    vehicle, shapes : before the cut;  after : shapes of what stays;  spent : "rigid", or shapes of what leaves
    damping : ratio of the modes of what stays, and of what leaves where it is flexible
    member : name of the vehicle in a group of several, None where it flies alone

    parts : {name: Part} once it has happened: jump, energies and momentum of each part before and after
    """

    def __init__(
        self,
        vehicle: Vehicle,
        shapes: Shapes,
        after: Shapes,
        spent: str | Shapes,
        damping: Ratio | None,
        member: str | None = None,
    ):
        self.vehicle, self.shapes, self.after, self.damping = vehicle, shapes, after, damping
        staying = {stage for stage, _ in after.stack.places}
        self.leaving = [stage for stage in vehicle.stages if stage not in staying]
        if not self.leaving or not staying <= set(vehicle.stages):
            raise InputError(
                "the shapes after a staging are those of some stages of the vehicle",
                where=f"staging of '{vehicle.name}'",
                expected='as in v.without("first").shapes(...)',
                got=f"shapes of {', '.join(sorted(staying))}",
            )
        rest = vehicle.without(*sorted(staying))
        if not isinstance(spent, Shapes) and spent != "rigid":
            raise InputError(
                "what leaves is not usable",
                where=f"staging of '{vehicle.name}'",
                expected='"rigid", or its shapes',
                got=shown(spent),
            )
        self.spent: Shapes | Vehicle = rest if isinstance(spent, str) else spent
        self.prefix = "" if member is None else f"{member}."
        self.body, self.name = self.prefix + vehicle.name, self.prefix + " ".join(self.leaving)
        self.parts: dict[str, Part] = {}
        self._stage_of = {int(shapes.node_id(*place)): place for place in shapes.stack.places}

    def made(self) -> list[str]:
        """Return what leaves."""
        return [self.name]

    def heirs(self) -> Heirs:
        """Return the nodes and results of what leaves, as it has them: points of it where it is rigid."""
        body, soft = self.body, isinstance(self.spent, Shapes)
        found: dict[Key, tuple[str, object]] = {}
        for node, (stage, _) in self._stage_of.items():
            if stage in self.leaving:
                found[body, node] = self._moved(body, node)
        results = self.vehicle.results
        for name, (stage, _) in results.wanted.items() if soft and results is not None else ():
            if stage in self.leaving:
                found[body, name] = self.name, name
        return found

    def apply(self, t: float, system: System, x: State) -> tuple[System, State]:
        """Return the vehicles after the cut and their state."""
        body = self.body
        spec, where = system.model.spec(body), system.layout[body]
        tanks = set() if spec.tanks is None else set(spec.tanks.names)
        if tanks != {self.prefix + tank for tank in self.shapes.stack.tanks} or len(x.q[where.eta]) != len(
            self.shapes
        ):
            raise ModelError(
                f"body '{body}' is not the vehicle with these shapes",
                where=str(self),
                hint="v.multibody(shapes) makes it; stage in the order of the events",
            )
        old = x[body]
        fill = {tank: system.propellant[self.prefix + tank] for tank in self.shapes.stack.tanks}
        state = BodyState(old.position, old.quaternion, old.velocity, old.eta, old.etadot, fill)
        self.parts = split(self.shapes, state, {body: self.after, self.name: self.spent})
        new = Multibody(system.model.name, gravity=system.model.gravity, units=system.model.units or None)
        self._add_bodies(new, system)
        made = new.compile()
        carry_propellant(system, made)
        made.settings.joint_mode[:] = [
            system.settings.joint_mode[system.body(name)] if name in system.bodies else 0
            for name in made.bodies
        ]
        made.note_held()
        closing.carry(system, made)
        y = made.state()
        for name, part in self.parts.items():
            mine = y[name]
            mine.position[:], mine.quaternion[:] = part.state.position, part.state.quaternion
            mine.velocity[:], mine.eta[:], mine.etadot[:] = (
                part.state.velocity,
                part.state.eta,
                part.state.etadot,
            )
        for name in system.bodies:
            if name not in self.parts:
                for there, here in ((y[name].q, x[name].q), (y[name].v, x[name].v)):
                    there[:] = here
                y[name].eta[:], y[name].etadot[:] = x[name].eta, x[name].etadot
        own = trees_of(system) == system.body(body)
        hung = [name for name, mine in zip(system.bodies, own) if mine and name != body]
        if hung:  # joints keep their rates, but nodes that carry them may move otherwise
            moved = frames_of(system, x)
            before = {made.body(name): (moved.R[i], moved.V[i]) for name in hung for i in [system.body(name)]}
            keep_motion(made, y, before)
            self._keep_centers(system, x, made, y, hung)
        if made.model.closures:  # nodes have moved by as much as the new shapes cannot hold
            y = closing.settled(system, x, made, y, body)
        made.change = Change(
            "staging of",
            body,
            system.momentum(x),
            made.momentum(y),
            float(sum(system.energies(x))),
            float(sum(made.energies(y))),
            max(part.jump for part in self.parts.values()),
        )
        return made, y

    def _keep_centers(self, old: System, x: State, new: System, y: State, hung: list[str]) -> None:
        """Move each part with what hangs on it so that their center of mass is where it was, though nodes jump."""
        roots = trees_of(new)
        for name in self.parts:
            along = [one for one in hung if roots[new.body(one)] == new.body(name)]
            off = np.zeros(3)
            for one in along:
                was, here = (
                    s.center_of_mass(z, np.array([b == one for b in s.bodies]))
                    for s, z in ((old, x), (new, y))
                )
                off += new.settings.body_inertia[new.body(one), 0] * (was - here)
            y[name].position[:] += off / new.settings.body_inertia[roots == new.body(name), 0].sum()

    def _add_parts(self, new: Multibody, spec: BodySpec) -> None:
        """Add what stays and what leaves as free bodies, with the names that they have alone."""
        for full, shapes in ((self.body, self.after), (self.name, self.spent)):
            name, fill = full.removeprefix(self.prefix), self.parts[full].state.propellant
            if isinstance(shapes, Shapes):
                ids = np.array([self.shapes.node_id(*place) for place in shapes.stack.places])
                loads = self._loads(shapes, spec)
                results = self.vehicle.results
                given = fill, self.damping, spec.order, loads, results, ids, spec.stiffening
                add_flexible(new, name, shapes, *given)
            else:
                rigid = _rigid(shapes.stack(), fill)
                new.add_body(name, mass=rigid.mass, com=rigid.com, inertia=rigid.inertia, joint=Free())

    def _loads(self, shapes: Shapes, spec: BodySpec) -> LoadStiffness | None:
        """Return how loads change the stiffness of a part, at the places that the body before the cut knows."""
        own = None if spec.component is None else spec.component.geometric_stiffness
        places = LoadPlaces(())
        if own is not None:
            stiff = set(own.load[:, 0].tolist())
            known = [(int(node), self._stage_of[int(node)]) for node in own.nodes]
            places = LoadPlaces(
                tuple(place for node, place in known if node in stiff), tuple(place for _, place in known)
            ).among(stage for stage, _ in shapes.stack.places)
        if spec.stiffening is None:
            return default_stiffness(shapes, places)
        if own is None:
            return None
        return load_stiffness(shapes, replace(places, stiff=(*places.stiff, *shapes.attached)))

    def _add_bodies(self, new: Multibody, system: System) -> None:
        """Add all bodies in their order, and closures: those on nodes of what leaves go with it."""
        for spec in system.model.specs:
            if spec.name == self.body:
                alone = Multibody(self.vehicle.name)
                self._add_parts(alone, spec)
                new.specs += [named_under(part, self.prefix) for part in alone.specs]
            else:
                parent, at = self._moved(spec.parent, spec.at)
                new.specs.append(replace(spec, parent=parent, at=at))
        for closure in system.model.closures:
            ends = self._moved(*closure.ends[0]), self._moved(*closure.ends[1])
            if {name for name, _ in ends} == {self.body, self.name}:
                raise ModelError(
                    f"closure '{closure.name}' holds what stays to what leaves",
                    where=str(self),
                    hint="open it by an event before, and leave it out of the vehicle; or let it hang on one of them",
                )
            new.closures.append(replace(closure, ends=ends))

    @overload
    def _moved(self, body: str, place: int | np.ndarray) -> tuple[str, int | np.ndarray]: ...

    @overload
    def _moved(self, body: str | None, place: int | np.ndarray) -> tuple[str | None, int | np.ndarray]: ...

    def _moved(self, body: str | None, place: int | np.ndarray) -> tuple[str | None, int | np.ndarray]:
        """Return where a place of a body is after the cut: nodes of what leaves are its own."""
        if body != self.body:
            return body, place
        stage = self._stage_of[int(place)]
        if stage[0] not in self.leaving:
            return body, place
        return self.name, place if isinstance(self.spent, Shapes) else self.vehicle.position(stage, str(self))

    def __str__(self) -> str:
        return f"staging of '{self.body}': {', '.join(self.leaving)} leaves"


def _rigid(stack: Stack, fill: dict[str, float]) -> RigidInertia:
    """Return stages with some propellant as a rigid body about its origin."""
    S = np.asarray(stack.V @ stack.rigid)
    M = S.T @ (stack.node_mass(stack.propellant(fill)) @ S)
    mass = float(np.trace(M[3:, 3:])) / 3.0
    moment = M[:3, 3:]
    com = np.array([moment[2, 1] - moment[1, 2], moment[0, 2] - moment[2, 0], moment[1, 0] - moment[0, 1]])
    return RigidInertia.from_about_point(mass, com / (2.0 * mass), M[:3, :3], np.zeros(3))
