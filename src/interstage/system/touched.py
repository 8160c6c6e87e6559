"""The arrays that lead from a vehicle to the signals of devices and back: places, joints, wrenches, gravity, masses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from interstage.errors import InputError, did_you_mean
from interstage.multibody import System
from interstage.multibody.loads import split_place
from interstage.multibody.places import loaded, located
from interstage.system import loop_kernels as kernels
from interstage.system.ahead import AHEAD, LEVELS, MASS
from interstage.system.inside import carried_arrays
from interstage.system.plan import Plan, Touch
from interstage.system.ports import AXES, GRAVITY
from interstage.system.steps import NONE
from interstage.system.touching import Touching

Base = tuple[np.ndarray, np.ndarray, np.ndarray]
# what joints show, and the vector it is taken from; accelerations beside
JOINT = {"coordinate": "q", "joint_rate": "v", "joint_reaction": "reaction"}
_NOTHING: dict[np.dtype, dict[str, np.ndarray]] = {}  # of vehicles without devices, by number type


class Touched:
    """What devices touch of a vehicle, as the kernels take it.

    base : what acts beside devices and rows for what they push, one behind the other, as `InTime` writes it
    """

    def __init__(self, plan: Plan, system: System, touching: Touching, dtype: np.dtype, carries: bool):
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


def _numbers(touch: Touch) -> range:
    return range(touch.slot.start, touch.slot.start + touch.slot.size)
