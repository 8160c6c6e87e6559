"""An assembly and its vehicle as one loop of arrays: right-hand side, samples, stretches of steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from interstage.errors import InputError, did_you_mean
from interstage.multibody import Multibody, State, System
from interstage.multibody.handle import slots_of
from interstage.multibody.joints import Locked
from interstage.multibody.loads import OperatingPoint, split_place
from interstage.multibody.places import loaded, located
from interstage.multibody.prescribed import LOCKED
from interstage.system import loop_kernels as kernels
from interstage.system.acting import InTime
from interstage.system.ahead import AHEAD, LEVELS, MASS, Ahead
from interstage.system.holding import held_joints
from interstage.system.inside import carried_arrays
from interstage.system.kernels import flights, stretch
from interstage.system.loop_arrays import LOOP_FIELDS, Loop
from interstage.system.methods import Compiled
from interstage.system.methods.rk4 import RK4
from interstage.system.plan import Plan, Touch
from interstage.system.ports import AXES, GRAVITY
from interstage.system.tapes import Tapes
from interstage.system.tolerance import first_step, tolerance_of
from interstage.system.touching import Touching

NONE = np.zeros(0, dtype=np.int64)
# what joints show, and the vector it is taken from; accelerations beside
JOINT = {"coordinate": "q", "joint_rate": "v", "joint_reaction": "reaction"}
_NOTHING: dict[np.dtype, dict[str, np.ndarray]] = {}  # of vehicles without devices, by number type
FAR = 1 << 40  # ticks
FORESEEN = 256  # steps for which functions of time are asked at once


def no_vehicle() -> System:
    """Return a vehicle that does not move, for assemblies without one."""
    mb = Multibody("no vehicle")
    mb.add_body("ground", mass=1.0, inertia=np.eye(3), joint=Locked())
    return mb.compile()


def view_of(plan: Plan, x: State | None = None) -> System:
    """Return the vehicle of a plan with settings of its own: joints whose motion devices say are prescribed.

    x : where it begins; an operating point knows which joints devices hold there, and what was in tanks that are states
    """
    vehicle = plan.assembly.vehicle
    if vehicle is None:
        return no_vehicle()
    if vehicle.units and vehicle.units != {"mass": "kg", "length": "m", "time": "s"}:
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


@dataclass
class Rows:
    """What goes to the log: signals and states beside time, q and v, groups of sampled signals, buffers."""

    s: np.ndarray = field(default_factory=lambda: NONE)
    z: np.ndarray = field(default_factory=lambda: NONE)
    groups: Sequence[tuple[int, int, np.ndarray]] = ()  # period and first tick, signals
    rows: int = 0
    every: int = 0


@dataclass(frozen=True)
class Steps:
    """How a loop goes through time: by a method, with equal steps of at most `step`, or (None) with steps of its own.

    first, longest : steps of its own;  rtol, atol : what errors of these are allowed
    room : how many steps of its own are taken at once;  slopes : whether those of each are kept
    """

    method: Compiled = RK4
    step: Fraction | None = Fraction(1)
    longest: float = np.inf
    rtol: float = 1e-9
    atol: float = 1e-9
    room: int = 1
    slopes: bool = False

    def arrays(self, plan: Plan, system: System, dtype: Any, known: np.ndarray) -> dict[str, np.ndarray]:
        """Return what the kernels need of it: scratch of a step, where the run is, tolerances.

        known : numbers of y = [q; v] that are not integrated
        """
        states = len(plan.initial["z"])
        n = system.nq + system.nv + states
        pace = np.zeros(flights.PACE)
        pace[stretch.STEP], pace[stretch.ERROR] = min(first_step(system), self.longest), 1.0
        pace[flights.LOGGED] = np.nan
        power = 0.0 if self.method.embedded is None else 1.0 / (self.method.embedded + 1)
        group, floor = np.zeros(0, dtype=np.int64), np.zeros(0)
        if self.step is None:
            group, floor, _ = tolerance_of(system, self.atol, known)
            own = np.zeros(states, dtype=np.int64)
            fields = [slot for slot in plan.slots.values() if slot.kind == "z"]
            for k, slot in enumerate(fields):
                own[slot.where] = 1 + group.max(initial=-1) + k
            group, floor = np.append(group, own), np.append(floor, np.full(states, self.atol))
        vectors = {name: np.zeros(n, dtype) for name in ("y", "stage", "u", "at", "back")}
        return vectors | {
            "K": np.zeros((self.method.slopes, n), dtype),
            "force": np.zeros(system.nv, dtype),
            "shifted": np.zeros(1),
            "pace": pace,
            "limits": np.array([self.longest, self.rtol, power]),
            "group": group,
            "floor": floor,
            "size": np.zeros(1 + group.max(initial=-1)),
            "times": np.zeros(self.room),
            "ends": np.zeros((self.room, n), dtype),
            "slopes": np.zeros((self.room if self.slopes else 0, self.method.slopes, n), dtype),
            "near": np.zeros((2, len(system.tree.gimbals))),
        }


BY_RK4 = Steps()


class ClosedLoop:
    """The arrays of a plan for one number type, ready for the kernels.

    tapes : vectors of the devices;  loop : `Loop`;  system : the vehicle;  scratch : of this loop alone
    touching : what devices touch of the vehicle;  carries : forces of joints are known after every right-hand side
    """

    def __init__(
        self,
        plan: Plan,
        system: System,
        dtype: Any = float,
        *,
        by: Steps = BY_RK4,
        rows: Rows | None = None,
        base: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
        ideal: bool = False,
        interpret: bool = False,
        touching: Touching | None = None,
        carries: bool = False,
    ):
        self.plan, self.system, self.by, self.carries = plan, system, by, carries
        # no devices, and nobody asks what the vehicle carries
        self.without = not carries and all(isinstance(part.what, Ahead) for part in plan.parts)
        self.tapes = Tapes(plan, dtype, ideal, interpret)
        self.touching = touching or Touching(plan)
        self._places: dict[Any, int] = {}
        self._place_list: list[tuple[str, Any]] = []
        arrays = self._vehicle_arrays(base)
        arrays |= self._tape_arrays(by.step or Fraction(1)) | self._log_arrays(rows or Rows())
        arrays |= by.arrays(plan, system, self.tapes.dtype, arrays["known_to"])
        arrays["turned"] = np.zeros((1, 9), self.tapes.dtype)
        self.loop = Loop(**arrays)
        self.slots = slots_of(self.loop)
        self.tapes.run_by(self._upcoming, self._state)
        self._write_in_time()
        self.data = by.method.data(by.step is None)
        self.scratch = system.engine.take(self.tapes.dtype)

    def on(
        self, system: System, base: tuple[np.ndarray, np.ndarray, np.ndarray] | None, t: float
    ) -> ClosedLoop:
        """Return the loop with the same devices at the same instant on a changed vehicle; this one is over."""
        new = copy(self)
        new.system, new.touching = system, self.touching.after(self.system, system, t)
        new._places, new._place_list = {}, []
        arrays = {name: getattr(self.loop, name) for name, _, _ in LOOP_FIELDS}
        rows, width = arrays["log"].shape
        more = system.nq + system.nv - self.system.nq - self.system.nv
        arrays |= new._vehicle_arrays(base)
        if self.plan.ahead:
            arrays |= new._ahead_arrays()
        arrays |= self.by.arrays(self.plan, system, self.tapes.dtype, arrays["known_to"])
        arrays |= {"pace": self.loop.pace, "log": np.zeros((rows, width + more))}
        new.loop = Loop(**arrays)
        new.slots = slots_of(new.loop)
        self.release()
        self.tapes.run_by(new._upcoming, new._state)
        new.scratch = system.engine.take(self.tapes.dtype)
        return new

    def release(self) -> None:
        """Give the scratch of the vehicle back as it was found; nobody runs the devices any more."""
        self.tapes.leave()
        if self.by.method.implicit:
            self.scratch.set_shift(0.0)
        self.system.engine.give(self.scratch)

    # arrays -----------------------------------------------------------------------------------------

    def _tape_arrays(self, step: Fraction) -> dict[str, np.ndarray]:
        plan, tapes = self.plan, self.tapes
        found = {}
        for name in ("before", "after", "rates"):
            entries = getattr(plan, name)
            found[name], found[f"{name}_row"] = tapes.tape(entries)
        found |= self._ahead_arrays()
        found["sample"], found["sample_row"] = tapes.tape(plan.sampled)
        found["sample_every"] = np.array([e.every for e in plan.sampled], dtype=np.int64)
        found["sample_first"] = np.array([e.first for e in plan.sampled], dtype=np.int64)
        found["sample_next"] = found["sample_first"].copy()
        # the last part counts what is no sample: outputs that are said once more
        counters = [plan.parts[e.part if e.function == "sample" else -1].path for e in plan.sampled]
        ticks = [plan.slots[f"{path}.tick"].start for path in counters]
        found["sample_tick"] = np.array(ticks, dtype=np.int64)
        ratio = plan.clock.tick / step
        found["clock"] = np.array([plan.clock.num, plan.clock.den], dtype=np.int64)
        found["ratio"] = np.array([ratio.numerator, ratio.denominator], dtype=np.int64)
        found["now"] = np.zeros(8, dtype=np.int64)
        found["pause"] = np.full(2, np.inf)
        found |= {"watch_state": NONE, "watch_at": NONE, "watch": np.zeros((0, 6))}
        v = tapes.vectors
        return found | {"s": v["s"], "z": v["z"], "zdot": v["Z"], "n": v["n"], "flag": tapes.flag}

    def _ahead_arrays(self) -> dict[str, np.ndarray]:
        """Return the tape of what is known ahead, without motions that say nothing now."""
        parts, idle = self.plan.parts, self.touching.idle
        said, rows = self.tapes.tape([e for e in self.plan.ahead if parts[e.part].path not in idle])
        return {"ahead": said, "ahead_row": rows}

    def _log_arrays(self, rows: Rows) -> dict[str, np.ndarray]:
        width = 1 + self.system.nq + self.system.nv + len(rows.s) + len(rows.z)
        columns = [len(signals) for _, _, signals in rows.groups]
        most = max(rows.rows, 1)
        sizes = [(1 + n) * most for n in columns]
        return {
            "log": np.zeros((rows.rows, width)),
            "log_s": rows.s,
            "log_z": rows.z,
            "group_every": np.array([every for every, _, _ in rows.groups], dtype=np.int64),
            "group_first": np.array([first for _, first, _ in rows.groups], dtype=np.int64),
            "group_column": np.cumsum([0, *columns]).astype(np.int64),
            "group_s": np.concatenate([NONE, *(signals for _, _, signals in rows.groups)]).astype(np.int64),
            "group_at": np.cumsum([0, *sizes])[:-1].astype(np.int64),
            "group_rows": np.zeros(len(columns), dtype=np.int64),
            "group_most": np.full(len(columns), most, dtype=np.int64),
            "samples": np.zeros(sum(sizes)),
            "option": np.array(
                [
                    int(self.plan.sample_feels),
                    rows.every,
                    0,
                    int(bool(self.plan.felt)),
                    0,
                    int(self.plan.sees),
                    1,
                    0,
                ],
                dtype=np.int64,
            ),
        }

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

    def _vehicle_arrays(
        self, base: tuple[np.ndarray, np.ndarray, np.ndarray] | None
    ) -> dict[str, np.ndarray]:
        """Return what leads from the vehicle to signals and back; of vehicles without devices it is nothing."""
        plan = self.plan
        bare = not plan.parts and not self.carries
        if bare and self.tapes.dtype in _NOTHING:
            return _NOTHING[self.tapes.dtype] | self._wrenches([], base)
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
        found = looks | self._wrenches(wrenches, base)
        found |= self._gravity([t for t in pushes if t.quantity in GRAVITY])
        for name, rows in pairs.items():
            table = np.array(rows, dtype=np.int64).reshape(-1, 2)
            a, b = ("to", "from") if name in ("tau", "motion", "known", "mass") else ("from", "to")
            found[f"{name}_{a}"], found[f"{name}_{b}"] = table[:, 0].copy(), table[:, 1].copy()
        tanks = list(self.system.propellant)
        fuel = {tank: slot.start for tank, slot in plan.tanks.items() if tank in tanks}
        found["fuel_to"] = np.array([tanks.index(tank) for tank in fuel], dtype=np.int64)
        found["fuel_from"] = np.array(list(fuel.values()), dtype=np.int64)
        sites, arms = located(self.system, self._place_list)
        tree, kind = self.system.tree, self.tapes.dtype
        asked = [*plan.looks, *plan.felt], found["reaction_from"], found["sites"]
        found |= carried_arrays(self.system, *asked, kind, self.carries)
        bodies = [int(tree.site_body[s]) if s >= 0 else -1 - int(s) for s in sites]
        found["place_site"], found["place_body"] = sites, np.array(bodies, dtype=np.int64)
        found["place_l"], found["place_V"] = arms.astype(kind), np.zeros((len(sites), 6), kind)
        found["corners"] = plan.corners
        found["place_R"] = np.tile(np.eye(3).ravel(), (len(sites), 1)).astype(kind)
        if bare:
            _NOTHING[kind] = {**found, **dict.fromkeys(self._wrenches([], None), NONE)}
        return found

    def _check_mode(self, touch: Touch, wanted: str) -> None:
        """Refuse a joint that a device cannot drive as it wants to; one whose motion it says is prescribed by that."""
        body = self.touching.joint(touch)
        mode = self.system.joint_mode(body)
        if mode == "locked" and (self.touching.changing or body in held_joints(self.plan)):
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

    def _wrenches(
        self, touches: Sequence[Touch], base: tuple[np.ndarray, np.ndarray, np.ndarray] | None
    ) -> dict[str, np.ndarray]:
        """Return rows of wrenches: what acts beside devices, and one for each place and axes that they push."""
        nv, kind = self.system.nv, self.tapes.dtype
        tau, sites, wrenches = base or (np.zeros(nv), NONE, np.zeros((0, 10)))
        rows: dict[tuple[int, str], int] = {}
        pushed = []
        for touch in touches:
            key = self._place(touch), touch.axes
            row = rows.setdefault(key, len(sites) + len(rows))
            pushed.append((row, 0 if touch.quantity == "torque" else 3, touch.slot.start))
        own, arms = loaded(self.system, [self._place_list[place] for place, _ in rows])
        more = np.zeros((len(rows), 10))
        more[:, 6] = [AXES.index(axes) for _, axes in rows]
        more[:, 7:] = arms
        # one behind the other, for loads that are functions of time
        self._base = both = np.concatenate([np.asarray(tau), *wrenches, *more]).astype(kind)
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

    def _upcoming(self, t: float) -> np.ndarray:
        """Return the times at which the stages of the coming equal steps stand, as the kernels count them."""
        now, pace = self.loop.now, self.loop.pace
        first, left = int(now[kernels.STEP]), int(now[kernels.STEPS] - now[kernels.STEP])
        if self.by.step is None or left <= 0:
            return np.array([t])
        begin, h, n = pace[flights.BEGIN], pace[flights.LENGTH], min(left, FORESEEN)
        nodes = h * self.by.method.nodes[:-1]
        starts = begin + np.arange(first, first + n + 1) * h
        return np.append((starts[:-1, None] + nodes).ravel(), starts[-1])

    def _state(self) -> State:
        """Return the state of the vehicle where the stage stands."""
        nq, nv = self.system.nq, self.system.nv
        return State(
            self.system.layout, self.loop.at[:nq].real.copy(), self.loop.at[nq : nq + nv].real.copy()
        )

    def set_base(self, tau: np.ndarray, sites: np.ndarray, wrenches: np.ndarray) -> None:
        """Let other loads act from now on, beside devices; only where there are no devices may they act elsewhere."""
        loop = self.loop
        if np.array_equal(sites, loop.sites):
            loop.base_tau[:], loop.base_wrenches[:] = tau, wrenches
        else:
            self.loop = loop._replace(**self._wrenches([], (tau, sites, wrenches)))
            self.slots = slots_of(self.loop)
        self._write_in_time()

    def _write_in_time(self) -> None:
        """Let loads that are functions of time write to where the base loads are, beginning anew."""
        for part in self.plan.parts:
            if isinstance(part.what, InTime):
                part.what.write_to(self._base, self.system.nv)

    # running ----------------------------------------------------------------------------------------

    def _perform(
        self, task: int, q: np.ndarray, v: np.ndarray, tick: int, t: float, qdot: np.ndarray, vdot: np.ndarray
    ) -> int:
        arguments = self.data, task, q, v, tick, t, qdot, vdot
        own = self.by.step is None
        return self.by.method.flights.perform(
            self.scratch, self.loop, self.slots, self.without, own, *arguments
        )

    def right_side(
        self, q: np.ndarray, v: np.ndarray, t: float, qdot: np.ndarray, vdot: np.ndarray, row: bool = False
    ) -> int:
        """Write q̇, v̇ and ż (in the vector Z of the tapes), and with `row` the log; return the status.

        Signals are those of this instant.
        """
        return self._perform(flights.ROW if row else flights.RIGHT_SIDE, q, v, 0, t, qdot, vdot)

    def sample(self, q: np.ndarray, v: np.ndarray, tick: int) -> int:
        """Run what is due at a tick; return the status."""
        return self._perform(flights.SAMPLE, q, v, tick, self.plan.clock.seconds(tick), q, v)

    def stretch(self, q: np.ndarray, v: np.ndarray) -> int:
        """Go on from where `loop.now` is; return how it ended."""
        return self._perform(flights.STRETCH, q, v, 0, 0.0, q, v)

    def step_from(self, q: np.ndarray, v: np.ndarray, t: float, h: float) -> int:
        """Take one step of h from t, q and v (and states of devices) changed in place; return the status."""
        self.loop.pace[stretch.TIME] = t
        return self._perform(flights.ONE_STEP, q, v, 0, h, q, v)

    def put_known(self, q: np.ndarray, v: np.ndarray, t: float) -> None:
        """Write what is known ahead at t into q and v, and masses; closures are left as they are."""
        option = self.system.settings.closure_option
        held, option[0] = option[0], 0.0
        self.arrive(q, v, t)
        option[0] = held

    def arrive(self, q: np.ndarray, v: np.ndarray, t: float) -> int:
        """Bring q and v to where they belong at t: what is known, unit quaternions, closures; return the status."""
        return self._perform(flights.ARRIVE, q, v, 0, t, q, v)

    def begin_interval(self, t: float, h: float, steps: int, stride: int, stop: float = np.inf) -> None:
        """Stand where one interval begins, of so many equal steps, which `stretch` goes to the end of.

        stride : steps between rows of the log, from the first on; 0: there are none;  stop : of steps of a method's own
        """
        loop = self.loop
        now, pace, option = loop.now, loop.pace, loop.option
        now[:] = 0
        now[kernels.NEXT] = now[kernels.UNTIL] = FAR
        now[kernels.STEPS] = steps
        option[kernels.HALT], option[kernels.LOG_EVERY] = 1, 0 if stride else -1
        option[kernels.STRIDE] = stride or 1
        pace[stretch.TIME] = pace[flights.BEGIN] = t
        pace[flights.LENGTH], pace[stretch.KNOWN], pace[flights.LOGGED] = h, 0.0, np.nan
        loop.pause[kernels.HALT_AT], loop.near[:] = stop, 0.0
        self.tapes.forget()

    def go_on_from(self, t: float) -> None:
        """Stand at a time inside the present interval: equal steps lead from there to where they end."""
        kernels.plain(flights.head_for)(self.loop, t)

    def watch(self, state: np.ndarray, at: np.ndarray, known: np.ndarray) -> None:
        """Let steps end where one of some numbers of s (or z, by `state`) might cross its level; (k,), (k,), (k, 6)."""
        self.loop = self.loop._replace(watch_state=state, watch_at=at, watch=known)
        self.slots = slots_of(self.loop)

    def begin_at(self, tick: int) -> None:
        """Stand at a tick: what is sampled has its first sample there or at its next due tick after it."""
        loop = self.loop
        loop.now[:] = 0
        loop.now[kernels.TICK] = loop.now[kernels.START] = tick
        loop.pace[stretch.TIME], loop.pace[stretch.KNOWN] = self.plan.clock.seconds(tick), 0.0
        past = np.maximum(0, -((loop.sample_first - tick) // loop.sample_every))
        loop.sample_next[:] = loop.sample_first + past * loop.sample_every

    def hold(self, values: Mapping[str, np.ndarray]) -> None:
        """Write values of inputs, states and parameters by full name."""
        for name, value in values.items():
            self.tapes.array(name)[...] = value


def _numbers(touch: Touch) -> range:
    return range(touch.slot.start, touch.slot.start + touch.slot.size)
