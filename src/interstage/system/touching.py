"""What devices touch of a vehicle that changes: places follow the names of bodies, forces of joints what can obey.

A device on a body that leaves goes on with it, and one at a node of a stage that leaves goes with that node. Where a
place or a joint is gone, what a device sees of it keeps its last value, and what it does acts on nothing: the record of
the event says so, and a warning where the body is there still. A joint that comes back as it was is seen and driven
again. Forces act on a joint as long as it is free (a lock carries them), a motion as long as it is prescribed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from interstage.multibody import System
from interstage.multibody.loads import split_place
from interstage.system.acting import bearer, refuse_turned
from interstage.system.ahead import Ahead
from interstage.system.followed import Carrier, Heirs, place_now, root_of
from interstage.system.histories import Motion
from interstage.system.plan import Plan, Touch
from interstage.system.ports import ROOTS, Look, Places, Push


def _pair(place: object) -> tuple[str, object]:
    """Return (body, node) of a place, or (body, result)."""
    return split_place(tuple(place) if isinstance(place, list) else place)


def _anywhere(declared: object) -> bool:
    """Return whether a field is said at bodies that the device finds by itself."""
    return isinstance(declared, Look | Push) and isinstance(declared.owner, Places) and declared.owner.root


@dataclass(frozen=True)
class Touching:
    """Which touches of a plan there are on a vehicle.

    changing : joints may be locked and freed on the way
    first : the vehicle at the start, None before anything has changed
    bearers : {body whose joint a device touches: body that has that joint now}
    idle : paths of motions that say nothing now;  coming : bodies that are not there at the start
    heirs : places that go to other bodies by events
    """

    plan: Plan
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

    def with_motions(self, motions: Mapping[str, Motion | None]) -> Touching:
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
