"""Cut one flexible vehicle in two: every node keeps its place and its velocity, as far as the new shapes can hold them.

What a part has at its nodes before the cut is projected in the metric of its own mass onto [S Φ] of the part. The
rigid part of the fit of places is a finite move of the new frame, found by iteration; velocities are projected at the
deformed places. Release does no work: the strain of the parts stays and rings, and what the projection of velocities
loses, ½ r'Mr ≥ 0, is the part of the motion that the shapes cannot hold. Momentum is kept, and its moment about any
point that stands still: rigid motions are in the span, and a spin makes up for the places that have moved.
Attachment shapes of the interface hold the strain that the thrust has left there; free modes hold little of it.

Staging in a run: an event cuts the flexible body of a vehicle in two, and all parts fly on.

The part that stays keeps the name of the vehicle, and its nodes keep their ids; what has left is a body of its own,
rigid or flexible, named after its stages. In a group of vehicles all names begin with that of the member. Bodies that
hang on nodes go with these, their joints as they are. Places and velocities of nodes are projected onto the new shapes
in the metric of the mass (`staging`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import overload

import numpy as np
import scipy.sparse as sp

from interstage.calls import named_arguments
from interstage.component.integrals import rigid_motion
from interstage.errors import InputError, ModelError, SolverError, shown
from interstage.multibody import Free, Multibody, State, System, closure_queries
from interstage.multibody.impulse import Change, frames_of, keep_motion, trees_of
from interstage.multibody.model import BodySpec
from interstage.multibody.operating_point import Heirs, Key
from interstage.multibody.topology import carry_propellant, named_under
from interstage.simulation.run.events import Action
from interstage.spatial import RigidInertia
from interstage.spatial.functions import (
    matrix_from_quaternion,
    matrix_from_rotvec,
    quaternion_from_matrix,
    rotvec_from_matrix,
)
from interstage.staged_vehicle.free_flight import FreeFlightState
from interstage.staged_vehicle.geometric_stiffness import (
    LoadPlaces,
    LoadStiffness,
    default_stiffness,
    load_stiffness,
)
from interstage.staged_vehicle.integrals import Ratio
from interstage.staged_vehicle.reduced_basis import ReducedBasis
from interstage.staged_vehicle.stack import CoupledStructure, row_picker
from interstage.staged_vehicle.to_component import add_flexible
from interstage.staged_vehicle.vehicle import StagedVehicle


@dataclass(frozen=True, eq=False)
class SeparatedPart:
    """A part after the cut: its state, and what the cut has changed of it.

    jump : largest distance between a node before and after;  kinetic, strain : energies (before, after)
    momentum (2, 6) : [h; l] about the world's origin, before and after, world axes
    """

    name: str
    state: FreeFlightState
    jump: float
    kinetic: tuple[float, float]
    strain: tuple[float, float]
    momentum: np.ndarray

    def __str__(self) -> str:
        change = self.momentum[1] - self.momentum[0]
        return (
            f"{self.name}: jump {self.jump:.3g}, kinetic energy {self.kinetic[0]:.6g} -> {self.kinetic[1]:.6g}, "
            f"strain energy {self.strain[0]:.6g} -> {self.strain[1]:.6g}, momentum changes by "
            f"{np.linalg.norm(change[3:]):.2g}, its moment by {np.linalg.norm(change[:3]):.2g}"
        )


@named_arguments
def split(
    shapes: ReducedBasis, state: FreeFlightState, parts: Mapping[str, ReducedBasis | StagedVehicle]
) -> dict[str, SeparatedPart]:
    """Split a vehicle into parts.

    Parameters
    ----------
    shapes : of the vehicle before the cut
    state : of it at that moment
    parts : {name: shapes of the part}, flexible, or {name: the part as a vehicle}, rigid from now on; nodes of a part
        are found by stage and id, and the parts together need not be all of the vehicle
    """
    out = {}
    for name, part in parts.items():
        if isinstance(part, ReducedBasis):
            stack, Phi = part.stack, part.nodes
        elif isinstance(part, StagedVehicle):
            stack = part.stack()
            Phi = np.zeros((6 * len(stack.places), 0))
        else:
            raise InputError(
                "a part is not usable",
                where=f"part '{name}'",
                expected="its shapes, or a vehicle",
                got=shown(part),
            )
        out[name] = _projected(name, shapes, state, stack, Phi)
    return out


def _projected(
    name: str, shapes: ReducedBasis, state: FreeFlightState, stack: CoupledStructure, Phi: np.ndarray
) -> SeparatedPart:
    """Project places and velocities of the nodes of a part onto its rigid motions and shapes."""
    index = {place: i for i, place in enumerate(shapes.stack.places)}
    missing = [place for place in stack.places if place not in index]
    if missing:
        raise InputError(
            "a part has a node that the vehicle does not have",
            where=f"part '{name}', stage '{missing[0][0]}', node {missing[0][1]}",
        )
    rows = np.array([index[place] for place in stack.places])
    old = shapes.nodes.reshape(-1, 6, len(shapes))[rows]
    move, rate = old @ state.eta, old @ state.etadot  # (N, 6)
    places = shapes.stack.positions[rows] + move[:, :3]
    turns = np.array([matrix_from_rotvec(turn) for turn in move[:, 3:]])
    fill = {tank: state.propellant[tank] for tank in stack.tanks}
    M, K = stack.node_mass(fill), _node_stiffness(stack, fill)
    d, R, eta, u = _fit_places(name, stack, Phi, M, places, turns)
    w, v = state.velocity[:3], state.velocity[3:]
    speed = np.hstack([v + np.cross(w, places) + rate[:, :3], w + rate[:, 3:]]).reshape(-1, 2, 3) @ R
    speed = speed.reshape(-1)
    there = stack.positions + (Phi @ eta).reshape(-1, 6)[:, :3]
    S, S_now = rigid_motion(there), rigid_motion(stack.positions + u.reshape(-1, 6)[:, :3])
    found = _least(M, np.hstack([S, Phi]), speed)
    # places that the shapes cannot hold have moved: the least change of the motion that keeps its moment as well
    short = S_now.T @ (M @ speed) - S.T @ (M @ (np.hstack([S, Phi]) @ found))
    found[:6] += np.linalg.solve(S.T @ (M @ S), short)
    after = np.hstack([S, Phi]) @ found
    R_N = matrix_from_quaternion(state.quaternion)
    position = state.position + R_N @ d
    new = FreeFlightState(position, quaternion_from_matrix(R_N @ R), found[:6], eta, found[6:], {**fill})
    gap = (u - Phi @ eta).reshape(-1, 6)[:, :3]
    momenta = np.array([_momentum(s, M, one, position, R_N @ R) for s, one in ((S_now, speed), (S, after))])
    return SeparatedPart(
        name,
        new,
        float(np.linalg.norm(gap, axis=1).max()),
        (float(speed @ (M @ speed)) / 2, float(after @ (M @ after)) / 2),
        (float(u @ (K @ u)) / 2, float(eta @ (Phi.T @ (K @ (Phi @ eta)))) / 2),
        momenta,
    )


def _fit_places(
    name: str,
    stack: CoupledStructure,
    Phi: np.ndarray,
    M: sp.csr_matrix,
    places: np.ndarray,
    turns: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return where the frame goes (d, R in the old frame), η, and the displacements (6N,) as seen from there."""
    S = rigid_motion(stack.positions)
    basis = np.hstack([S, Phi])
    size = max(float(np.ptp(stack.positions, axis=0).max()), 1e-300)
    d, R = np.zeros(3), np.eye(3)
    for _ in range(50):
        travel = (places - d) @ R - stack.positions
        turn = np.array([rotvec_from_matrix(R.T @ one) for one in turns])
        u = np.hstack([travel, turn]).reshape(-1)
        found = _least(M, basis, u)
        if np.abs(found[3:6]).max() + size * np.abs(found[:3]).max() < 1e-14 * size:
            return d, R, found[6:], u
        d = d + R @ found[3:6]
        R = R @ matrix_from_rotvec(found[:3])
    raise SolverError(
        "the frame of a part was not found", where=f"part '{name}'", hint="look at the shapes before the cut"
    )


def _least(M: sp.csr_matrix, basis: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the coefficients that bring a basis nearest to u in the metric of M."""
    MB = M @ basis
    gram = basis.T @ MB
    s = 1.0 / np.sqrt(np.maximum(np.diag(gram), 1e-300))
    return s * np.linalg.solve(gram * np.outer(s, s), s * (MB.T @ u))


def _node_stiffness(stack: CoupledStructure, fill: Mapping[str, float]) -> sp.csr_matrix:
    K = stack.K_g
    for name, tank in stack.tanks.items():
        if tank.K:
            P = row_picker(tank.rows, K.shape[0])
            K = K + P.T @ tank.between(tank.K, fill[name]) @ P
    return sp.csr_matrix(K)


def _momentum(
    S: np.ndarray, M: sp.csr_matrix, speed: np.ndarray, position: np.ndarray, R: np.ndarray
) -> np.ndarray:
    """Return [h; l] about the world's origin of node velocities, world axes."""
    h, l = np.split(S.T @ (M @ speed), 2)
    return np.concatenate([R @ h + np.cross(position, R @ l), R @ l])


class Staging(Action):
    """Cut the body of a vehicle in two.

    vehicle, shapes : before the cut;  after : shapes of what stays;  spent : "rigid", or shapes of what leaves
    damping : ratio of the modes of what stays, and of what leaves where it is flexible
    member : name of the vehicle in a group of several, None where it flies alone

    parts : {name: Part} once it has happened: jump, energies and momentum of each part before and after
    """

    def __init__(
        self,
        vehicle: StagedVehicle,
        shapes: ReducedBasis,
        after: ReducedBasis,
        spent: str | ReducedBasis,
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
        if not isinstance(spent, ReducedBasis) and spent != "rigid":
            raise InputError(
                "what leaves is not usable",
                where=f"staging of '{vehicle.name}'",
                expected='"rigid", or its shapes',
                got=shown(spent),
            )
        self.spent: ReducedBasis | StagedVehicle = rest if isinstance(spent, str) else spent
        self.prefix = "" if member is None else f"{member}."
        self.body, self.name = self.prefix + vehicle.name, self.prefix + " ".join(self.leaving)
        self.parts: dict[str, SeparatedPart] = {}
        self._stage_of = {int(shapes.node_id(*place)): place for place in shapes.stack.places}

    def made(self) -> list[str]:
        """Return what leaves."""
        return [self.name]

    def heirs(self) -> Heirs:
        """Return the nodes and results of what leaves, as it has them: points of it where it is rigid."""
        body, soft = self.body, isinstance(self.spent, ReducedBasis)
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
        names = {self.prefix + tank for tank in self.shapes.stack.tanks}
        if tanks != names or len(x.q[where.eta]) != len(self.shapes) or not self._are_those_of(spec):
            raise ModelError(
                f"body '{body}' is not the vehicle with these shapes",
                where=str(self),
                hint="give before= those that v.multibody(shapes) made it of; stage in the order of the events",
            )
        old = x[body]
        fill = {tank: system.propellant[self.prefix + tank] for tank in self.shapes.stack.tanks}
        state = FreeFlightState(old.position, old.quaternion, old.velocity, old.eta, old.etadot, fill)
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
        closure_queries.carry(system, made)
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
            y = closure_queries.settled(system, x, made, y, body)
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

    def _are_those_of(self, spec: BodySpec) -> bool:
        """Return whether a body moves in the shapes of the vehicle before the cut, node by node."""
        one, order = spec.component, np.argsort(self.shapes.node_ids)
        if one is None or not np.array_equal(one.node_ids, self.shapes.node_ids[order]):
            return False
        own = self.shapes.nodes.reshape(len(order), 6, -1)[order]
        pairs = (one.gamma, own[:, :3]), (one.lam, own[:, 3:])  # those of another process differ by rounding
        return all(np.allclose(a, b, rtol=0.0, atol=1e-6 * np.abs(b).max(initial=0.0)) for a, b in pairs)

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
            if isinstance(shapes, ReducedBasis):
                ids = np.array([self.shapes.node_id(*place) for place in shapes.stack.places])
                loads = self._loads(shapes, spec)
                results = self.vehicle.results
                given = fill, self.damping, spec.order, loads, results, ids, spec.stiffening
                add_flexible(new, name, shapes, *given)
            else:
                rigid = _rigid(shapes.stack(), fill)
                new.add_body(name, mass=rigid.mass, com=rigid.com, inertia=rigid.inertia, joint=Free())

    def _loads(self, shapes: ReducedBasis, spec: BodySpec) -> LoadStiffness | None:
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
        return self.name, place if isinstance(self.spent, ReducedBasis) else self.vehicle.position(
            stage, str(self)
        )

    def __str__(self) -> str:
        return f"staging of '{self.body}': {', '.join(self.leaving)} leaves"


def _rigid(stack: CoupledStructure, fill: dict[str, float]) -> RigidInertia:
    """Return stages with some propellant as a rigid body about its origin."""
    S = np.asarray(stack.V @ stack.rigid)
    M = S.T @ (stack.node_mass(stack.propellant(fill)) @ S)
    mass = float(np.trace(M[3:, 3:])) / 3.0
    moment = M[:3, 3:]
    com = np.array([moment[2, 1] - moment[1, 2], moment[0, 2] - moment[2, 0], moment[1, 0] - moment[0, 1]])
    return RigidInertia.from_about_point(mass, com / (2.0 * mass), M[:3, :3], np.zeros(3))
