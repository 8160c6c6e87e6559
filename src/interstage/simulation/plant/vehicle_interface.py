"""What devices touch of a vehicle: sites, joints, wrenches, gravity and masses, also after it has changed.

What devices touch of a vehicle that changes: places follow the names of bodies, forces of joints what can obey.

A device on a body that leaves goes on with it, and one at a node of a stage that leaves goes with that node. Where a
place or a joint is gone, what a device sees of it keeps its last value, and what it does acts on nothing: the record of
the event says so, and a warning where the body is there still. A joint that comes back as it was is seen and driven
again. Forces act on a joint as long as it is free (a lock carries them), a motion as long as it is prescribed.

The arrays that lead from a vehicle to the signals of devices and back: places, joints, wrenches, gravity, masses.

Joints that devices hold: `switch` says when, and sees then what the lock carries.

A device with a field of `JointRef.hold()` locks the joint where it writes 1, and lets it go where it writes 0. Rates of
a joint that is locked vanish by an impulse inside the vehicle. After that `switch` runs once more: what it feels is of
the locked joint, and where the lock carries too much it lets go at once.

The vehicle of a plan as a run has it: with settings of its own, joints as devices want them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from interstage.errors import InputError, did_you_mean
from interstage.multibody import Multibody, State, System
from interstage.multibody.impulse import set_rates
from interstage.multibody.joint_modes import LOCKED
from interstage.multibody.joints import Locked
from interstage.multibody.loads import split_place
from interstage.multibody.node_checks import check_held
from interstage.multibody.operating_point import Heirs, OperatingPoint
from interstage.multibody.sites import loaded, located
from interstage.simulation.plant import coupled_kernels as kernels
from interstage.simulation.plant.assembly import Member
from interstage.simulation.plant.declarations import AXES, GRAVITY, ROOTS, Hold, Look, Push, Sites
from interstage.simulation.plant.internal_loads import carried_arrays
from interstage.simulation.plant.moved_sites import Carrier, bearer, place_now, refuse_turned, root_of
from interstage.simulation.plant.plan import ExecutionPlan, Touch
from interstage.simulation.plant.prescribed_inputs import AHEAD, LEVELS, MASS, Ahead, is_si
from interstage.simulation.plant.prescribed_motion import PrescribedMotion
from interstage.simulation.plant.python_block import Law
from interstage.simulation.run.step_schedule import NONE

if TYPE_CHECKING:
    from interstage.simulation.run.integration import Integrator


def _pair(place: object) -> tuple[str, object]:
    """Return (body, node) of a place, or (body, result)."""
    return split_place(tuple(place) if isinstance(place, list) else place)


def _anywhere(declared: object) -> bool:
    """Return whether a field is said at bodies that the device finds by itself."""
    return isinstance(declared, Look | Push) and isinstance(declared.owner, Sites) and declared.owner.root


@dataclass(frozen=True)
class Touching:
    """Which touches of a plan there are on a vehicle.

    changing : joints may be locked and freed on the way
    first : the vehicle at the start, None before anything has changed
    bearers : {body whose joint a device touches: body that has that joint now}
    idle : paths of motions that say nothing now;  coming : bodies that are not there at the start
    heirs : places that go to other bodies by events
    """

    plan: ExecutionPlan
    changing: bool = False
    first: System | None = None
    bearers: dict[str, str] = field(default_factory=dict)
    idle: frozenset[str] = frozenset()
    coming: frozenset[str] = frozenset()
    heirs: Heirs = field(default_factory=dict)

    def after(self, old: System, new: System, t: float) -> Touching:
        """Return what is touched after a change at a time; joints of several axes cannot be turned round."""
        touched = {
            str(touch.place): touch
            for touch in (*self.plan.looks, *self.plan.felt, *self.plan.pushes)
            if touch.axes == "joint"
        }
        bearers = {}
        for body, touch in touched.items():
            now = self.joint(touch)
            bearers[body] = now if now not in old.bodies else bearer(old, new, now)
            if bearers[body] != now and old.model.spec(now).joint.nv > 1:
                refuse_turned(now, f"'{touch.port}'", t)
        return replace(self, changing=True, first=self.first or old, bearers=bearers)

    def with_motions(self, motions: Mapping[str, PrescribedMotion | None]) -> Touching:
        """Return what is touched where joints follow other motions from now on, or none: {body: motion}."""
        parts = {p.path: p.what for p in self.plan.parts if isinstance(p.what, Ahead)}
        touches = [t for t in self.plan.pushes if t.path in parts and t.axes == "joint"]
        idle = set(self.idle)
        for body, motion in motions.items():
            here = {t.path for t in touches if self.joint(t) == body}
            idle = (idle | here) - {path for path in here if parts[path].given is motion}
        return replace(self, idle=frozenset(idle))

    def joint(self, touch: Touch) -> str:
        """Return the body whose joint a touch means."""
        return self.bearers.get(str(touch.place), str(touch.place))

    def of(self, system: System) -> tuple[list[Touch], list[Touch], list[Touch]]:
        """Return what is seen, felt and pushed of a vehicle."""
        plan = self.plan
        seen, felt, pushed = (
            [self._placed(touch, system) for touch in touches if self._there(touch, system)]
            for touches in (plan.looks, plan.felt, plan.pushes)
        )
        return seen, felt, [touch for touch in pushed if self._obeyed(touch, system)]

    def _placed(self, touch: Touch, system: System) -> Touch:
        """Return a touch at its place as that is called now."""
        if isinstance(touch.place, Carrier):
            now = place_now(system, touch.place.body, touch.place.node, self.heirs)
            return touch if now is None else replace(touch, place=root_of(system, now[0]))
        if self.first is None or touch.axes == "joint" or touch.place is None:
            return touch
        now = place_now(system, *_pair(touch.place), self.heirs)
        return touch if now is None else replace(touch, place=now if now[1] is not None else now[0])

    def lost(self, old: System, before: Touching, new: System) -> tuple[list[str], list[str]]:
        """Return the ports that a change has left without a place or joint, and of these what is a surprise.

        before : what was touched of the vehicle before. It is a surprise where the body is there still, without the
        node. Fields that act on all bodies lose nothing.
        """
        every = {
            f"{part.path}.{name}"
            for part in self.plan.parts
            for name, declared in part.what.fields.items()
            if part.like or _anywhere(declared)
        }
        gone: list[str] = []
        odd: list[str] = []
        for touch in (*self.plan.looks, *self.plan.felt, *self.plan.pushes):
            if touch.port in every or not before._there(touch, old) or self._there(touch, new):
                continue
            gone.append(touch.port)
            if touch.axes != "joint" and touch.place is not None and _pair(touch.place)[0] in new.bodies:
                odd.append(touch.port)
        return list(dict.fromkeys(gone)), list(dict.fromkeys(odd))

    def _there(self, touch: Touch, system: System) -> bool:
        """Tell if the place or joint of a touch is there; at the start it has to be."""
        if isinstance(touch.place, Carrier):
            return place_now(system, touch.place.body, touch.place.node, self.heirs) is not None
        if self.first is None:
            body = None if touch.place is None else split_place(touch.place)[0]
            return body not in self.coming or body in system.bodies
        if touch.axes != "joint":
            return touch.place is None or place_now(system, *_pair(touch.place), self.heirs) is not None
        body = self.joint(touch)
        if body not in system.bodies:
            return False
        return type(system.model.spec(body).joint) is type(self.first.model.spec(str(touch.place)).joint)

    def _obeyed(self, touch: Touch, system: System) -> bool:
        """Tell if the vehicle can do what a device says."""
        if touch.path in self.idle:
            return False
        if touch.quantity == ROOTS:
            return system.model.spec(split_place(touch.place)[0]).parent is None
        if not self.changing or touch.axes != "joint":
            return True
        driven = system.joint_mode(self.joint(touch)) == "prescribed"
        return driven != (touch.quantity == "joint_force")


Base = tuple[np.ndarray, np.ndarray, np.ndarray]
# what joints show, and the vector it is taken from; accelerations beside
JOINT = {"coordinate": "q", "joint_rate": "v", "joint_reaction": "reaction"}
_NOTHING: dict[np.dtype, dict[str, np.ndarray]] = {}  # of vehicles without devices, by number type


class Touched:
    """What devices touch of a vehicle, as the kernels take it.

    base : what acts beside devices and rows for what they push, one behind the other, as `InTime` writes it
    """

    def __init__(
        self, plan: ExecutionPlan, system: System, touching: Touching, dtype: np.dtype, carries: bool
    ):
        self.plan, self.system, self.touching = plan, system, touching
        self.dtype, self.carries = dtype, carries
        self.base = np.zeros(0)
        self._places: dict[Any, int] = {}
        self._place_list: list[tuple[str, Any]] = []

    def _place(self, touch: Touch) -> int:
        """Return the number of a place of the vehicle."""
        try:
            given = self.system.bodies[0] if touch.place is None else touch.place
            body, node = split_place(tuple(given) if isinstance(given, list | tuple) else given)
            key = body, None if node is None else tuple(np.atleast_1d(node).tolist())
            if key not in self._places:
                located(self.system, [(body, node)])
                self._places[key] = len(self._place_list)
                self._place_list.append((body, node))
        except (InputError, TypeError) as err:
            raise InputError(f"'{touch.port}' has no place on the vehicle", got=str(err)) from None
        return self._places[key]

    def _joint(self, touch: Touch, coordinates: bool) -> range:
        """Return the numbers of a joint's coordinates in q, or of its velocities in v."""
        layout, body = self.system.layout, self.touching.joint(touch)
        if body not in layout:
            raise InputError(
                f"'{touch.port}' has no joint on the vehicle",
                got=f"body '{body}'",
                hint=did_you_mean(body, layout),
            )
        where = layout[body].q if coordinates else layout[body].v
        found = range(where.start, where.stop)
        if len(found) != touch.slot.size:
            raise InputError(
                f"'{touch.port}' does not fit the joint of body '{touch.place}'",
                expected=f"{len(found)} numbers",
                got=str(touch.slot.size),
            )
        return found

    def arrays(self, base: Base | None) -> dict[str, np.ndarray]:
        """Return what leads from the vehicle to signals and back; of vehicles without devices it is nothing."""
        plan = self.plan
        bare = not plan.parts and not self.carries
        if bare and self.dtype in _NOTHING:
            return _NOTHING[self.dtype] | self.wrenches([], base)
        seen, felt, pushes = self.touching.of(self.system)
        looks = self._looks(seen, "look") | self._looks(felt, "felt")
        pairs: dict[str, list] = {
            name: [] for name in ("q", "v", "a", "reaction", "tau", "motion", "known", "mass")
        }
        for touch in (*seen, *felt):
            if touch.axes == "joint":
                name = JOINT.get(touch.quantity, "a")
                pairs[name] += zip(self._joint(touch, name == "q"), _numbers(touch))
        for touch in pushes:
            if touch.quantity == MASS:
                pairs[MASS].append((self.system.body(str(touch.place)), touch.slot.start))
            elif touch.quantity in AHEAD:
                first = 0 if touch.quantity == LEVELS[0] else self.system.nq
                known = self._joint(touch, first == 0)
                pairs["known"] += zip((first + k for k in known), _numbers(touch))
            elif touch.axes == "joint":
                joint = self._joint(touch, False)
                check_held(self.system.model, self.touching.joint(touch))
                name = "tau" if touch.quantity == "joint_force" else "motion"
                self._check_mode(touch, "free" if name == "tau" else "prescribed")
                pairs[name] += zip(joint, _numbers(touch))
        wrenches = [t for t in pushes if t.axes != "joint" and t.quantity not in (*GRAVITY, MASS)]
        found = looks | self.wrenches(wrenches, base)
        found |= self._gravity([t for t in pushes if t.quantity in GRAVITY])
        for name, rows in pairs.items():
            table = np.array(rows, dtype=np.int64).reshape(-1, 2)
            a, b = ("to", "from") if name in ("tau", "motion", "known", "mass") else ("from", "to")
            found[f"{name}_{a}"], found[f"{name}_{b}"] = table[:, 0].copy(), table[:, 1].copy()
        tanks = list(self.system.propellant)
        fuel = {tank: slot.start for tank, slot in plan.tanks.items() if tank in tanks}
        found["fuel_to"] = np.array([tanks.index(tank) for tank in fuel], dtype=np.int64)
        found["fuel_from"] = np.array(list(fuel.values()), dtype=np.int64)
        found["fuel"], found["weight"] = np.zeros(len(tanks)), np.zeros(10)
        sites, arms = located(self.system, self._place_list)
        tree, kind = self.system.tree, self.dtype
        asked = [*seen, *felt], found["reaction_from"], found["sites"]
        found |= carried_arrays(self.system, *asked, kind, self.carries)
        bodies = [int(tree.site_body[s]) if s >= 0 else -1 - int(s) for s in sites]
        found["place_site"], found["place_body"] = sites, np.array(bodies, dtype=np.int64)
        found["place_l"], found["place_V"] = arms.astype(kind), np.zeros((len(sites), 6), kind)
        found["corners"] = plan.corners
        found["place_R"] = np.tile(np.eye(3).ravel(), (len(sites), 1)).astype(kind)
        if bare:
            _NOTHING[kind] = {**found, **dict.fromkeys(self.wrenches([], None), NONE)}
        return found

    def _check_mode(self, touch: Touch, wanted: str) -> None:
        """Refuse a joint that a device cannot drive as it wants to; one whose motion it says is prescribed by that."""
        body = self.touching.joint(touch)
        mode = self.system.joint_mode(body)
        if mode == "locked":
            return  # the lock carries what pushes
        if wanted == "prescribed" and mode == "free":
            self.system.set_joint_mode(body, wanted)
            return
        if mode != wanted:
            raise InputError(
                f"'{touch.port}' needs a {wanted} joint",
                where=f"body '{touch.place}'",
                got=f"a {mode} one",
                hint="a prescribed joint takes `motion`, a free one `force`",
            )

    def _looks(self, touches: Sequence[Touch], name: str) -> dict[str, np.ndarray]:
        rows = [
            (kernels.SEEN.index(t.quantity), self._place(t), AXES.index(t.axes), t.slot.start)
            for t in touches
            if t.axes not in ("joint", "inside")
        ]
        table = np.array(rows, dtype=np.int64).reshape(-1, 4).T
        names = ("kind", "place", "axes", "to")
        return {f"{name}_{what}": np.ascontiguousarray(table[k]) for k, what in enumerate(names)}

    def wrenches(self, touches: Sequence[Touch], base: Base | None) -> dict[str, np.ndarray]:
        """Return rows of wrenches: what acts beside devices, and one for each place and axes that they push."""
        nv, kind = self.system.nv, self.dtype
        tau, sites, wrenches = base or (np.zeros(nv), NONE, np.zeros((0, 10)))
        rows: dict[tuple[int, str], int] = {}
        pushed = []
        for touch in touches:
            key = self._place(touch), touch.axes
            row = rows.setdefault(key, len(sites) + len(rows))
            pushed.append((row, 0 if touch.quantity == "torque" else 3, touch.slot.start))
        places = [self._place_list[place] for place, _ in rows]
        own, arms = loaded(self.system, places)
        self.system.pushed |= {
            (body, int(node)) for body, node in places if isinstance(node, int | np.integer)
        }
        more = np.zeros((len(rows), 10))
        more[:, 6] = [AXES.index(axes) for _, axes in rows]
        more[:, 7:] = arms
        # one behind the other, for loads that are functions of time
        self.base = both = np.concatenate([np.asarray(tau), *wrenches, *more]).astype(kind)
        table = np.array(pushed, dtype=np.int64).reshape(-1, 3).T
        return {
            "sites": np.concatenate([sites, own]).astype(np.int64),
            "wrenches": both[nv:].reshape(-1, 10).copy(),
            "base_wrenches": both[nv:].reshape(-1, 10),
            "push_row": np.ascontiguousarray(table[0]),
            "push_column": np.ascontiguousarray(table[1]),
            "push_from": np.ascontiguousarray(table[2]),
            "tau": np.zeros(nv, kind),
            "base_tau": both[:nv],
        }

    def _gravity(self, touches: Sequence[Touch]) -> dict[str, np.ndarray]:
        """Return which signals are the gravity of which bodies."""
        if not touches:
            return {"gravity_first": NONE, "gravity_from": NONE}
        found: dict[int, list[int]] = {}
        for touch in touches:
            body = self.system.body(self._place_list[self._place(touch)][0])
            found.setdefault(body, []).append(touch.slot.start)
        counts = [len(found.get(i, ())) for i in range(len(self.system.bodies))]
        signals = [k for i in sorted(found) for k in found[i]]
        return {
            "gravity_first": np.cumsum([0, *counts]).astype(np.int64),
            "gravity_from": np.array(signals, dtype=np.int64),
        }


def gravity_of_roots(system: System, loop: Any) -> dict[str, list[int]]:
    """Return the first of three signals of each gravity, world axes, that devices say to bodies that hang on nothing.

    loop : record with the numbers of what says it
    """
    first, parents = loop.gravity_first, system.tree.body_parent
    roots = [i for i in range(len(first) - 1) if first[i + 1] > first[i] and parents[i] < 0]
    return {system.bodies[i]: loop.gravity_from[first[i] : first[i + 1]].tolist() for i in roots}


def _numbers(touch: Touch) -> range:
    return range(touch.slot.start, touch.slot.start + touch.slot.size)


def holds_of(part: Member) -> dict[str, str]:
    """Return the joints that a device holds, {full name of the field: body}."""
    if isinstance(part.what, Law):
        return {}
    found = {n: field for n, field in part.what.fields.items() if isinstance(field, Hold)}
    return {f"{part.path}.{n}": str(part.place_of(field.owner.name)) for n, field in found.items()}


def held_joints(plan: ExecutionPlan) -> Mapping[str, bool]:
    """Return {body: whether its joint is held at the beginning} of all joints that devices may hold."""
    found: dict[str, bool] = {}
    for part in plan.parts:
        for name, body in holds_of(part).items():
            found[body] = found.get(body, False) or bool(plan.initial["n"][plan.slots[name].start])
    return found


def settle(run: Integrator) -> None:
    """Let devices that ask for it find out, at the beginning of a run, how they stand."""
    for part in run.plan.parts:
        if not isinstance(part.what, Law) and part.what.settles:
            _lock(run, part)
            run.bring(run.t, run.whole())
            run.loop.tapes.switch(part, run.t)
            obey(run, part, run.t)


def obey(run: Integrator, part: Member, t: float) -> None:
    """Lock and free joints as a device says; ask it once more where it has locked one."""
    assert not isinstance(part.what, Law)
    if _lock(run, part):
        run.bring(t, run.whole())
        run.loop.tapes.switch(part, t)
        _lock(run, part)


def _lock(run: Integrator, part: Member) -> bool:
    """Give joints the modes that a device says; return whether one was locked."""
    locked = False
    for name, body in holds_of(part).items():
        mode = "locked" if run.loop.tapes.array(name) != 0 else "free"
        if run.system.joint_mode(body) == mode:
            continue
        if mode == "locked":
            x = State(run.system.layout, run.q, run.v)
            set_rates(run.system, x, body, np.zeros(len(x[body].v)))
            run.v[:], locked = x.v, True
        run.system.set_joint_mode(body, mode)
    return locked


def no_vehicle() -> System:
    """Return a vehicle that does not move, for assemblies without one."""
    mb = Multibody("no vehicle")
    mb.add_body("ground", mass=1.0, inertia=np.eye(3), joint=Locked())
    return mb.compile()


def view_of(plan: ExecutionPlan, x: State | None = None) -> System:
    """Return the vehicle of a plan with settings of its own: joints whose motion devices say are prescribed.

    x : where it begins; an operating point knows which joints devices hold there, and what was in tanks that are states
    """
    vehicle = plan.assembly.vehicle
    if vehicle is None:
        return no_vehicle()
    devices = any(not isinstance(part.what, Ahead) for part in plan.parts)
    if devices and not is_si(vehicle):
        raise InputError(
            "devices speak SI, the vehicle does not",
            where=f"vehicle '{vehicle.model.name}'",
            got="-".join(vehicle.units.values()),
            hint="convert its components: Component.converted or units= when they are made",
        )
    view = vehicle.with_settings()
    for touch in plan.pushes:
        if touch.path in plan.later:
            continue
        if touch.quantity == "motion" and view.joint_mode(str(touch.place)) == "free":
            view.set_joint_mode(str(touch.place), "prescribed")
    for body, holding in held_joints(plan).items():
        known = x.settings.joint_mode[view.body(body)] == LOCKED if isinstance(x, OperatingPoint) else holding
        if known:
            view.set_joint_mode(body, "locked")
    if isinstance(x, OperatingPoint) and len(x.settings.propellant) == len(view.propellant):
        rows = [k for k, tank in enumerate(view.propellant) if tank in plan.tanks]
        view.settings.propellant[rows] = x.settings.propellant[rows]
    return view
