"""A vehicle of stages that burns its propellant: one flexible body with constant shapes over changing mass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from interstage._renamed import former_names
from interstage.calls import named_arguments
from interstage.component.component import Component
from interstage.component.damping import warn_overcritical
from interstage.component.interface import components_of
from interstage.errors import InputError, did_you_mean, shown
from interstage.multibody import Multibody, System
from interstage.multibody.joints import Joint
from interstage.spatial import RigidInertia
from interstage.spatial.checks import as_array
from interstage.staged_vehicle.basis_selection import Ranking, rank
from interstage.staged_vehicle.geometric_stiffness import (
    LoadStiffness,
    default_stiffness,
    load_places,
    load_stiffness,
)
from interstage.staged_vehicle.integrals import Ratio
from interstage.staged_vehicle.interfaces import Join, Relation, Side, node_join, relation_join, sides
from interstage.staged_vehicle.propellant_devices import (
    EMPTY,
    EngineSpec,
    add_nozzles,
    assembly_of,
    engine_spec,
)
from interstage.staged_vehicle.reduced_basis import Each, Propellant, ReducedBasis, ShapeRequest, choose
from interstage.staged_vehicle.slosh import slosh_as_shapes
from interstage.staged_vehicle.stack import CoupledStructure, FreeModes, check_wanted
from interstage.staged_vehicle.stage import Stage
from interstage.staged_vehicle.to_component import StageResults, add_flexible, component_at
from interstage.units import quantity

if TYPE_CHECKING:
    from interstage.devices.slosh import Slosh
    from interstage.simulation.plant.assembly import Assembly
    from interstage.simulation.plant.declarations import Value
    from interstage.simulation.run.events import Event

Attachment: TypeAlias = str | tuple[str, int] | tuple[str, int, str | int]
"""A join, or a node (stage, node), or some of its components, as "yz" (forces) or 156."""


@named_arguments
class StagedVehicle:
    """Stages joined into one structure.

    Parameters
    ----------
    name : of the vehicle
    gravity : (3,) acceleration, world axes, which are those of the vehicle where its attitude is that of its start

    >>> from interstage.fem import lumped_beam
    >>> K, M, nodes = lumped_beam(10.0, 5, EA=1e7, GJ=1e4, EI=3e3, mass=[2, 2, 2, 0.1, 0.1, 0.1])
    >>> v = StagedVehicle("two")
    >>> v.add(Stage("first", K=K, M=M, nodes=nodes))
    >>> v.add(Stage("upper", K=K, M=M, nodes=nodes), at=[10.0, 0.0, 0.0])
    >>> v.join("separation", ("first", 6), ("upper", 1))
    >>> v
    <StagedVehicle 'two': stages first, upper; joins separation; mass 24>
    """

    def __init__(self, name: str, *, gravity: ArrayLike = (0.0, 0.0, 0.0)):
        self.name = name
        self.gravity = as_array(gravity, (3,), f"vehicle '{name}', gravity")
        self.stages: dict[str, Stage] = {}
        self.joins: dict[str, Join] = {}
        self.cut: dict[str, list[tuple[str, int]]] = {}
        self._at: dict[str, np.ndarray] = {}
        self._numbered: dict[str, Stage] = {}  # those that `without` has taken away too
        self.engines: dict[str, EngineSpec] = {}
        self.results: StageResults | None = None
        self._flown: ReducedBasis | None = None

    def add(self, stage: Stage, *, at: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Add a stage, moved by `at` from where its own nodes are."""
        where = f"vehicle '{self.name}'"
        if not isinstance(stage, Stage):
            raise InputError("not a stage", where=where, expected="ist.Stage(...)", got=shown(stage))
        if stage.name in self.stages:
            raise InputError(f"there is a stage '{stage.name}' already", where=where)
        taken = {tank for one in self.stages.values() for tank in one.tanks}
        for tank in stage.tanks:
            if tank in taken:
                raise InputError(
                    f"two stages have a tank '{tank}'",
                    where=where,
                    hint="give every tank of a vehicle a name of its own",
                )
        self.stages[stage.name] = self._numbered[stage.name] = stage
        self._at[stage.name] = as_array(at, (3,), f"{where}, place of stage '{stage.name}'")

    def join(
        self,
        name: str,
        a: Side | None = None,
        b: Side | None = None,
        *,
        rigid: bool = False,
        components: int | str = 123456,
        equations: Sequence[Relation] | None = None,
    ) -> None:
        """Join stages.

        Parameters
        ----------
        name : of the join
        a, b : (stage, node), or (stage, [nodes]) in pairs; nodes that do not meet are refused with their gap
        rigid : link nodes rigidly across a gap
        components : that are joined
        equations : in place of a and b: relations {(stage, node, component 1 to 6): coefficient} whose sums are zero
        """
        where = f"join '{name}'"
        if name in self.joins:
            raise InputError(f"there is a join '{name}' already", where=f"vehicle '{self.name}'")
        if equations is not None:
            if a is not None or b is not None:
                raise InputError("give two sides or equations, not both", where=where)
            found = relation_join(name, equations)
            for place in found.places:
                self.position(place, where)
        else:
            pairs = sides(name, a, b)
            gaps = np.array([self.position(q, where) - self.position(p, where) for p, q in pairs])
            found = node_join(name, pairs, gaps.reshape(-1, 3), components, rigid, self._size())
        self.joins[name] = found

    def add_engine(
        self,
        name: str,
        *,
        at: tuple[str, int],
        feeds: Mapping[str, float],
        flow: float | str,
        exhaust: float | str | None = None,
        thrust: float | str | None = None,
        nozzle: RigidInertia | None = None,
        gimbal: Joint | None = None,
        path: Sequence[tuple[str, int]] = (),
        throttle: float | None = None,
        **settings: Value,
    ) -> None:
        """Add an engine: a body "name nozzle" in `multibody`, and tanks, thrust and flow in `assembly`.

        Parameters
        ----------
        at : (stage, node) that carries it; thrust acts there along x, or on the nozzle along its own
        feeds : {tank: part of the flow that comes from it}, together 1
        flow, exhaust, thrust : at full level, kg/s, and the speed m/s or the force N in vacuum, or texts as "2.4 MN"
        nozzle, gimbal : its mass about the gimbal, and the joint on which it turns; a `TVC` may drive it
        path : places that the propellant passes from the far end of its tank to the exit (`PipeFlow`)
        throttle : level at first (default: full), which events and laws change; once one of its tanks is empty the
            engine is asked for nothing, whatever its throttle, and has its tail-off without propellant
        settings : of `interstage.devices.Engine`, as lag, exit_area, burn
        """
        where = f"engine '{name}'"
        if name in self.engines:
            raise InputError(f"there is an engine '{name}' already", where=f"vehicle '{self.name}'")
        for place in (at, *path):
            self.position(place, where)
        for tank in feeds:
            self._tank_stage(tank, where)
        self.engines[name] = engine_spec(
            name, at, feeds, thrust, flow, exhaust, nozzle, gimbal, path, throttle, settings
        )

    def add_slosh(
        self,
        tank: str,
        fluid: Slosh,
        *,
        node: int,
        bottom: ArrayLike,
        acceleration: float | str,
    ) -> list[tuple[str, int]]:
        """Let the fluid of a tank slosh: its waves are shapes of the vehicle, and follow the level of the tank.

        Parameters
        ----------
        fluid : of the full tank, as `interstage.devices.CylinderSlosh(radius, depth, mass, n)`
        node : of the stage, which carries the tank
        bottom : (3,) where the axis of the tank, along x, meets its bottom, in the axes of the stage
        acceleration : along x, m/s², from which waves have their stiffness

        Returns the places (stage, node) of the waves, in the order of `fluid.waves`. What the tank weighs across its
        axis is the fluid from then on (`interstage.staged_vehicle.slosh`). Waves attached to a node as bodies,
        pendulums too: `interstage.devices.add_slosh` on what `multibody` returns. Their masses stand still whatever
        flows, and are not to be in the tank as well: they are for tanks that keep their fluid in a phase, filled to
        the rest.
        """
        where = f"slosh of tank '{tank}'"
        stage = self._tank_stage(tank, where)
        foot = as_array(bottom, (3,), f"{where}, bottom")
        pull = quantity(acceleration, "m/s^2", f"{where}, acceleration")
        if not 0.0 < pull < np.inf:
            raise InputError(
                "waves need an acceleration", where=where, expected="above 0 m/s^2", got=shown(acceleration)
            )
        ids = slosh_as_shapes(stage, tank, fluid, node, foot, pull)
        return [(stage.name, i) for i in ids]

    def recover(self, results: Mapping[str, tuple[str | int | None, ...]]) -> None:
        """Ask for forces and stresses of elements, which bodies and components made from now on give back.

        results : {name: (stage, type, element, column)}, as in {"foot": ("first", "CBAR", 1, "axial")}; more after the
            column as in `Component.from_deck(recover=)`

        They are read as those of any flexible body (`system.recovered`, `log.recovered`, `ist.RecoveredLoad`, gauges),
        and are those of the shapes alone (`vehicle.to_component`): attach shapes where loads act. A staging leaves
        each part those of its own stages, where it is flexible.
        """
        self.results = StageResults.of(self.stages, results)

    def without(self, *names: str) -> StagedVehicle:
        """Return the vehicle without some stages; joins that are cut are kept in mind for their attachment shapes.

        Nodes keep the ids that they have in the whole vehicle (`ReducedBasis.node_id`).
        """
        for name in names:
            self._stage(name, f"vehicle '{self.name}'")
        out = StagedVehicle(self.name, gravity=self.gravity)
        for name, stage in self.stages.items():
            if name not in names:
                out.add(stage, at=self._at[name])
        out._numbered = dict(self._numbered)
        for name, join in self.joins.items():
            if not join.stages & set(names):
                out.joins[name] = join
            else:
                left = [place for place in join.places if place[0] not in names]
                if left:
                    out.cut[name] = left
        if self.results is not None:
            kept = {n: one for n, one in self.results.wanted.items() if one[0] in out.stages}
            out.results = StageResults(out.stages, kept)
        out.engines = {n: one for n, one in self.engines.items() if one.at[0] in out.stages}
        out.cut |= {n: p for n, p in self.cut.items() if all(place[0] in out.stages for place in p)}
        return out

    def stack(self) -> CoupledStructure:
        """Return the coupled structure: matrices of the coordinates that remain, dry and with every level."""
        return CoupledStructure.of(
            self.name, self.stages, self._at, list(self.joins.values()), self._numbered
        )

    def modes(
        self,
        propellant: Propellant | None = None,
        *,
        n_modes: int | None = None,
        below_hz: float | None = None,
    ) -> FreeModes:
        """Return flexible modes of the free vehicle; propellant {tank: mass} (others full), or a part 0 to 1 of all."""
        if (n_modes is None) == (below_hz is None):
            raise InputError("give n_modes or below_hz", where=f"modes of '{self.name}'")
        check_wanted(n_modes, below_hz, f"modes of '{self.name}'")
        stack = self.stack()
        return stack.modes(stack.propellant(propellant), n_modes, below_hz)

    def shapes(
        self,
        *,
        below_hz: float | None = None,
        n_modes: int | None = None,
        error: float = 1e-3,
        levels: int = 9,
        certify: int | None = None,
        attach: Sequence[Attachment] = (),
        reference: float = 0.5,
        each: Each | None = None,
        vectors: ArrayLike | None = None,
        burning: Sequence[str] | None = None,
    ) -> ReducedBasis:
        """Choose constant shapes for a phase of flight.

        Parameters
        ----------
        below_hz, n_modes : modes that are to be met at every fill: all below a frequency, or so many
        error : largest error of their frequencies, relative, and of 1 - MAC
        levels : fills from full to empty whose modes the shapes are chosen from
        certify : fills from full to empty at which the error is looked at (default: four for each step of a level)
        attach : joins, (stage, node) or (stage, node, components) whose attachment shapes are added; joins that
            `without` has cut are always among them
        reference : fill at which the shapes are of unit modal mass and without rigid parts
        each : in place of a choice by error, so many modes of each level, or {fill: modes}
        vectors : in place of a choice, given shapes (nq, n) in the coordinates of `stack()`
        burning : tanks that empty, all together (default: all); the others stay full
        """
        stack = self.stack()
        wanted = ShapeRequest(
            self.name,
            below_hz,
            n_modes,
            error,
            levels,
            certify,
            reference,
            each,
            vectors,
            burning,
            self.gravity,
            tuple(dict.fromkeys(place for place, _ in self._attached(attach))),
        )
        return choose(stack, wanted, self._loads(stack, attach))

    def ranking(
        self,
        actuator: tuple[str, int, str | int],
        sensor: tuple[str, int, str | int],
        *,
        below_hz: float,
        levels: int = 5,
        damping: float = 0.005,
        burning: Sequence[str] | None = None,
    ) -> Ranking:
        """Rank modes over the burn by their peak gain from a force to a rate.

        Parameters
        ----------
        actuator, sensor : (stage, node, component), as ("first", 1, "y") for a force along y and ("upper", 9, 6) for a
            rate about z
        below_hz : modes that are looked at;  levels : fills from full to empty
        damping : ratio of every mode
        burning : tanks that empty (default: all)
        """
        if not damping > 0.0 or not below_hz > 0.0 or levels < 1:
            raise InputError(
                "damping, below_hz and levels must be positive", where=f"ranking of '{self.name}'"
            )
        warn_overcritical(damping, f"ranking of '{self.name}', damping")
        stack = self.stack()
        b, c = (self._loads(stack, [one], cut=False) for one in (actuator, sensor))
        if b.shape[1] != 1 or c.shape[1] != 1:
            raise InputError(
                "an actuator and a sensor have one component each",
                where=f"ranking of '{self.name}'",
                expected='as in ("first", 1, "y")',
            )
        tanks = list(stack.tanks if burning is None else burning)
        return rank(stack, b[:, 0], c[:, 0], below_hz, levels, damping, tanks)

    def multibody(
        self,
        shapes: ReducedBasis,
        *,
        propellant: Propellant | None = None,
        damping: Ratio | None = None,
        order: int = 2,
        geometric_stiffness: bool | Sequence[tuple[str, int]] | None = None,
    ) -> Multibody:
        """Return the vehicle as the free body of a multibody, with tanks whose propellant may change.

        To it engines on gimbals, slosh and payloads are added as to any other; trim, linear models and devices follow.
        The modal coordinates are those of the shapes; `shapes.node_id(stage, node)` is a node's id in the body. The
        compiled system has its propellant by name: `system.propellant["grain"] = 600e3`.

        Parameters
        ----------
        shapes : of this vehicle
        propellant : {tank: mass} at first (others full), or a part 0 to 1 of all
        damping : ratio of the free modes at the current mass, a number or a function of the frequency in Hz
        order : fidelity of the deformed inertia, as in `Multibody.add_body`
        geometric_stiffness : let spin and loads change the stiffness, balanced by the inertia of the mass of now. None:
            where all stages are from decks (or know their stresses), loads at engines, at what shapes are attached to,
            and, of up to 64 nodes, at every one; where others act and matter, that is warned of. True: of engines and
            attachments, or an error that says why not. (stage, node), ...: of these besides. False: none
        """
        loads = self._load_stiffness(shapes, geometric_stiffness)
        start = shapes.stack.propellant(propellant)
        mb = Multibody(self.name, gravity=self.gravity)
        stiffening = None if geometric_stiffness is None else geometric_stiffness is not False
        add_flexible(mb, self.name, shapes, start, damping, order, loads, self.results, stiffening=stiffening)
        add_nozzles(mb, list(self.engines.values()), shapes, self.name)
        self._flown = shapes
        return mb

    def assembly(self, system: System, *, flow: bool = True, name: str | None = None) -> Assembly:
        """Return an assembly of the vehicle with its engines and the tanks that feed them, wired.

        Members have the names of tanks and engines; "grain_pipe" is the flow of the grain along its path. Drives,
        sensors and laws are added as to any other.

        system : compiled from `multibody`;  flow : whether what flows acts on the structure (jet damping)
        """
        if self._flown is None:
            raise InputError(
                "the vehicle has no shapes yet",
                where=f"assembly of '{self.name}'",
                hint="ask for multibody(shapes) before",
            )
        engines = list(self.engines.values())
        return assembly_of(name or self.name, engines, system, self._flown, self.name, flow)

    def empty(self, tank: str, *, member: str | None = None) -> Event:
        """Return the event at which a tank runs empty, for a run in which its propellant is a state.

        member : name of the `PropellantTank` in the assembly (default: that of the tank)
        """
        from interstage.simulation.run.events import Event

        known = {name: levels for stage in self.stages.values() for name, levels in stage.tanks.items()}
        if tank not in known:
            raise InputError(f"there is no tank '{tank}'", where="empty", hint=did_you_mean(tank, known))
        low, high = known[tank].masses[[0, -1]].tolist()
        level = low + EMPTY * (high - low)
        name = f"'{tank}' is empty"
        return Event(f"{member or tank}.mass", direction=-1, level=level, once=True, name=name)

    def staging(
        self,
        join: str,
        *,
        when: Event | float | str,
        shapes: ReducedBasis,
        spent: str | ReducedBasis = "rigid",
        before: ReducedBasis | None = None,
        damping: Ratio | None = None,
        member: str | None = None,
    ) -> Event:
        """Return the event that cuts the flexible body in two where a join is; both parts fly on in the same run.

        Parameters
        ----------
        join : that opens: some stages leave at it
        when : an event without action, as `empty`, or a time in s
        shapes : of what stays, as v.without("first").shapes(...) chooses them
        spent : "rigid", with the propellant that it has at the cut from then on, or shapes of what leaves
        before : shapes of the body that is cut (default: those that `multibody` was asked for last)
        damping : ratio of the modes of the parts
        member : name of the vehicle in an assembly of several, as "a" or "pair.a"; what leaves is "a.first" then

        The action of the event says what it has changed: `event.action.parts`, and `system.change` after it.
        """
        from interstage.simulation.run.events import Event
        from interstage.staged_vehicle.staging import Staging

        where = f"staging of '{self.name}'"
        if join not in self.joins:
            raise InputError(f"there is no join '{join}'", where=where, hint=did_you_mean(join, self.joins))
        for one in (shapes, before) if before is not None else (shapes,):
            if not isinstance(one, ReducedBasis):
                raise InputError(
                    "shapes are not usable",
                    where=where,
                    expected='as v.without("first").shapes(...) chooses them',
                    got=shown(one),
                )
        own = before if before is not None else self._flown
        if own is None:
            raise InputError(
                "the shapes of the body that is cut are not known", where=where, hint="give before="
            )
        action = Staging(self, own, shapes, spent, damping, member)
        sides = {stage for stage in self.joins[join].stages if stage in action.leaving}
        if not sides or sides == self.joins[join].stages:
            raise InputError(
                f"join '{join}' is not between what stays and what leaves",
                where=where,
                got=f"{', '.join(action.leaving)} would leave",
            )
        if isinstance(when, Event):
            return replace(when, action=action, once=True, name=join)
        return Event(at=quantity(when, "s", f"{where}, when"), action=action, once=True, name=join)

    def component(
        self,
        shapes: ReducedBasis,
        propellant: Propellant | None = None,
        *,
        geometric_stiffness: bool | Sequence[tuple[str, int]] | None = None,
    ) -> Component:
        """Return the vehicle at one fill as a component, in modes of unit modal mass at this fill.

        Its masses stand still; it is saved, and mounted in any multibody, as any other. geometric_stiffness : as in
        `multibody`.
        """
        fill = shapes.stack.propellant(propellant)
        loads = self._load_stiffness(shapes, geometric_stiffness)
        return component_at(shapes, fill, self.name, loads, self.results)

    def _load_stiffness(
        self, shapes: ReducedBasis, given: bool | Sequence[tuple[str, int]] | None
    ) -> LoadStiffness | None:
        """Return how loads at engines and other places change the stiffness, None where it is declined or unknown."""
        if given is False:
            return None
        engines = [(one.at, one.path) for one in self.engines.values()]
        if given is None:
            return default_stiffness(shapes, load_places(engines, []))
        more = [] if given is True else [(stage, int(node)) for stage, node in given]
        for place in more:
            self.position(place, "geometric_stiffness")
        return load_stiffness(shapes, load_places(engines, [*shapes.attached, *more]))

    def position(self, place: tuple[str, int], where: str) -> np.ndarray:
        """Return where a node of a stage is in the vehicle."""
        stage = self._stage(place[0], where)
        return stage.positions[stage.row_of(place[1], where)] + self._at[stage.name]

    def _attached(
        self, attach: Sequence[Attachment], cut: bool = True
    ) -> list[tuple[tuple[str, int], list[int]]]:
        """Return places of attachments and their components, those of joins that were cut first."""
        where = f"shapes of '{self.name}', attach"
        places: list[tuple[tuple[str, int], list[int]]] = [
            (place, list(range(6))) for one in self.cut.values() if cut for place in one
        ]
        for one in attach:
            if isinstance(one, str):
                if one not in self.joins and one not in self.cut:
                    hint = did_you_mean(one, [*self.joins, *self.cut])
                    raise InputError(f"there is no join '{one}'", where=where, hint=hint)
                found = self.joins[one].places[::2] if one in self.joins else self.cut[one]
                places += [(place, list(range(6))) for place in found]
            elif isinstance(one, tuple) and len(one) in (2, 3):
                places.append(
                    ((one[0], int(one[1])), _components(one[2] if len(one) == 3 else 123456, where))
                )
            else:
                raise InputError(
                    "an attachment is not usable",
                    where=where,
                    expected='a join, or (stage, node, components) as in ("first", 1, "yz")',
                    got=shown(one),
                )
        for place, _ in places:
            self.position(place, where)
        return places

    def _loads(self, stack: CoupledStructure, attach: Sequence[Attachment], cut: bool = True) -> np.ndarray:
        """Return unit loads (nq, p) of attachments, those of joins that were cut first."""
        rows: list[int] = []
        index = {place: i for i, place in enumerate(stack.places)}
        for place, components in self._attached(attach, cut):
            rows += [6 * index[place] + c for c in components]
        return np.asarray(stack.V[list(dict.fromkeys(rows))].T.toarray())

    def _tank_stage(self, tank: str, where: str) -> Stage:
        """Return the stage that has a tank."""
        for stage in self.stages.values():
            if tank in stage.tanks:
                return stage
        known = [name for stage in self.stages.values() for name in stage.tanks]
        raise InputError(f"there is no tank '{tank}'", where=where, hint=did_you_mean(tank, known))

    def _stage(self, name: str, where: str) -> Stage:
        if name not in self.stages:
            raise InputError(f"there is no stage '{name}'", where=where, hint=did_you_mean(name, self.stages))
        return self.stages[name]

    def _size(self) -> float:
        points = np.vstack([s.positions + self._at[name] for name, s in self.stages.items()])
        return float(np.linalg.norm(np.ptp(points, axis=0)))

    def __repr__(self) -> str:
        full = sum(s.mass + sum(float(t.masses[-1]) for t in s.tanks.values()) for s in self.stages.values())
        joins = f"; joins {', '.join(self.joins)}" if self.joins else ""
        return f"<StagedVehicle '{self.name}': stages {', '.join(self.stages)}{joins}; mass {full:g}>"


def _components(given: str | int, where: str) -> list[int]:
    """Return components 0 to 5 of "yz" (forces along axes) or of digits 1 to 6."""
    text = str(given)
    if text and not set(text) - set("xyz"):
        return ["xyz".index(c) for c in text]
    return components_of(text, where)


__getattr__ = former_names(__name__)
