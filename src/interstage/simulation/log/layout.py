"""What goes to a log: which numbers to which columns of which table, and under which names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError, did_you_mean
from interstage.multibody import System
from interstage.simulation.log.points import KeptState, discrete_numbers, kept_by
from interstage.simulation.plant.connections import matching
from interstage.simulation.plant.declarations import GRAVITY, Out
from interstage.simulation.plant.plan import ExecutionPlan, SignalSlot, Touch
from interstage.simulation.plant.prescribed_inputs import MASS, Ahead

if TYPE_CHECKING:
    from interstage.simulation.run.step_schedule import Rows


@dataclass
class LogColumns:
    """Which numbers go to which rows.

    s, z : signals and states in rows of steps;  groups : (period, first tick, signals) of what is sampled
    w, n : discrete states and integers of each row: points need them (`points`)
    extra : (group, tick) of rows beside those of samples: a fault begins or ends there
    """

    s: np.ndarray
    z: np.ndarray
    groups: list[tuple[int, int, np.ndarray]]
    width: int
    w: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    n: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    extra: list[tuple[int, int]] = field(default_factory=list)

    def rows(self, most: int) -> Rows:
        """Return what the loop needs to know, with buffers of so many rows."""
        from interstage.simulation.run.step_schedule import Rows

        return Rows(self.s, self.z, self.w, self.n, self.groups, most, extra=self.extra)


@dataclass(frozen=True)
class LogChannel:
    """A port or state in a log: its table, its columns there, its shape and unit."""

    table: int
    columns: tuple[int, ...]
    shape: tuple[int, ...]
    unit: str

    def part(self, first: int, stop: int, name: str) -> LogChannel:
        """Return some of its numbers, from `first` to before `stop`; one alone has no size."""
        if not (self.shape and first < stop <= len(self.columns)):
            some = f"[{first}]" if stop == first + 1 else f"[{first}:{stop}]"
            known = f"[0] to [{len(self.columns) - 1}]" if self.shape else "no brackets: it is one number"
            raise InputError(f"'{name}' has no {some}", expected=known)
        return LogChannel(
            self.table, self.columns[first:stop], (stop - first,) if stop > first + 1 else (), self.unit
        )


@dataclass
class Contents:
    """What a log holds.

    name : of the flight;  tables : names and units of the columns of each table, steps first
    channels : every port and state by name, inputs too;  exposed : names that assemblies gave to ports inside
    left_out : names of ports and states that were not kept
    inertia : {body: columns of steps} with the mass properties (10) of bodies whose mass changes
    propellant : {tank: column of steps}
    points : what whole points of rows need beside these, None in a file of a version that did not keep it
    alone : a vehicle without devices ran;  acted : what acted on it, of each phase, in a log that was saved (`points`)
    """

    name: str
    tables: list[tuple[list[str], list[str]]]
    channels: dict[str, LogChannel]
    exposed: dict[str, list[str]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    inertia: dict[str, list[int]] = field(default_factory=dict)
    propellant: dict[str, int] = field(default_factory=dict)
    points: KeptState | None = None
    alone: bool = False
    acted: list[list[list[object]] | None] | None = None

    def has(self, pattern: str) -> bool:
        """Return whether a name or pattern means anything."""
        return bool(matching(pattern, [*self.channels, *self.exposed]))

    def find(self, pattern: str, others: Sequence[str] = ()) -> list[str]:
        """Return the names of the channels that a name or pattern means; one that means none is an error.

        others : names that may have been meant, beside those of channels
        """
        known = [*self.channels, *self.exposed]
        meant = matching(pattern, known)
        if not meant and matching(pattern, self.left_out):
            raise InputError(f"'{pattern}' was not kept in the log", hint="give its name in keep=")
        if not meant:
            inside = matching(f"{pattern}.**", list(self.channels))
            hint = (
                f"its ports are {', '.join(inside[:8])}"
                if inside
                else did_you_mean(pattern, [*known, *others])
            )
            raise InputError(
                f"there is no port or state '{pattern}' in the log", where=f"flight '{self.name}'", hint=hint
            )
        return list(dict.fromkeys(inner for name in meant for inner in self.exposed.get(name, [name])))


def columns_of(plan: ExecutionPlan, system: System, keep: Sequence[str] | None) -> LogColumns:
    """Return the columns of all ports and states, or of those that fit the names and patterns in `keep`."""
    if keep is not None and not isinstance(keep, Iterable):
        raise InputError(
            "keep must be a list of names or patterns of ports",
            expected='e.g. ["imu.*"]',
            got=repr(keep)[:60],
        )
    kept = None if keep is None else {name for pattern in keep for name in _kept(plan, pattern)}
    in_group: dict[tuple[int, int, str], set[int]] = {}
    switched = [(plan.clock.ticks(time), numbers) for time, numbers in plan.switched.items()]
    sampled: set[int] = set()
    for entry in plan.sampled:
        part = plan.parts[entry.part]
        for name in part.what.fields:
            full = f"{part.path}.{name}"
            if entry.function == "sample" and _is_out(plan, entry.part, name):
                where = range(plan.slots[full].start, plan.slots[full].start + plan.slots[full].size)
                between = any((tick - entry.first) % entry.every and now & {*where} for tick, now in switched)
                own = full if between else ""  # it has rows that others do not have
                in_group.setdefault((entry.every, entry.first, own), set()).update(where)
                sampled.update(where)
    needed = [touch for touch in plan.pushes if touch.quantity in (MASS, *GRAVITY)]
    wanted_s = {k for touch in needed for k in range(touch.slot.start, touch.slot.start + touch.slot.size)}
    wanted_z = {slot.start for slot in plan.tanks.values()}
    for name, slot in plan.slots.items():
        if kept is None or name in kept:
            numbers = range(slot.start, slot.start + slot.size)
            if slot.kind == "s":
                wanted_s.update(numbers)
            elif slot.kind == "z":
                wanted_z.update(numbers)
    groups = [
        (every, first, np.array(sorted(numbers & wanted_s), dtype=np.int64))
        for (every, first, _), numbers in in_group.items()
    ]
    s = np.array(sorted(wanted_s - sampled), dtype=np.int64)
    z = np.array(sorted(wanted_z), dtype=np.int64)
    w, n = discrete_numbers(plan) if kept is None else (s[:0], s[:0])
    width = 1 + system.nq + system.nv + len(s) + len(z) + len(w) + len(n)
    groups = [g for g in groups if len(g[2])]
    extra = [
        (g, tick)
        for g, (every, first, own) in enumerate(groups)
        for tick, now in switched
        if (tick - first) % every and now & {*own.tolist()}
    ]
    return LogColumns(s, z, groups, width, w, n, extra)


def _masses(plan: ExecutionPlan) -> list[Touch]:
    """Return what gives bodies their masses: rows of the log need it."""
    return [touch for touch in plan.pushes if touch.quantity == MASS]


def _is_out(plan: ExecutionPlan, k: int, name: str) -> bool:
    part = plan.parts[k]
    return isinstance(part.what.fields[name], Out) and part.samples(name)


def _kept(plan: ExecutionPlan, pattern: str) -> list[str]:
    names = [name for name, slot in plan.slots.items() if slot.kind in "sz"]
    found = matching(pattern, [*names, *plan.aliases]) or matching(f"{pattern}.**", names)
    if not found:
        return plan.find(pattern, "sz")  # says what there is
    return [inner for name in found for inner in plan.aliases.get(name, [name])]


def contents_of(plan: ExecutionPlan, system: System, columns: LogColumns) -> Contents:
    """Return what a log with such columns holds."""
    s, z = _labels(plan, "s"), _labels(plan, "z")
    first = [("time", "s"), *((f"vehicle.q[{k}]", "") for k in range(system.nq))]
    first += [(f"vehicle.v[{k}]", "") for k in range(system.nv)]
    before = len(first)
    first += [s[k] for k in columns.s.tolist()] + [z[k] for k in columns.z.tolist()]
    tables = [first, *([("time", "s"), *(s[k] for k in g.tolist())] for _, _, g in columns.groups)]
    spots: dict[tuple[str, int], tuple[int, int]] = {}
    for kind, numbers, at in (("s", columns.s, before), ("z", columns.z, before + len(columns.s))):
        spots |= {(kind, n): (0, at + k) for k, n in enumerate(numbers.tolist())}
    for g, (_, _, numbers) in enumerate(columns.groups):
        spots |= {("s", n): (g + 1, 1 + k) for k, n in enumerate(numbers.tolist())}
    channels = {name: _channel(slot, spots) for name, slot in _named(plan, "sz").items()}
    found = {name: channel for name, channel in channels.items() if channel is not None}
    exposed = {name: inner for name, inner in plan.aliases.items() if inner and set(inner) <= set(found)}
    names = [([name for name, _ in table], [unit for _, unit in table]) for table in tables]
    inertia = {
        str(t.place): [spots["s", k][1] for k in range(t.slot.start, t.slot.start + t.slot.size)]
        for t in _masses(plan)
    }
    left_out = [n for n in channels if n not in found]
    points = kept_by(plan, spots, columns.w, columns.n)
    propellant = {tank: spots["z", slot.start][1] for tank, slot in plan.tanks.items()}
    alone = all(isinstance(part.what, Ahead) for part in plan.parts)
    return Contents(plan.assembly.name, names, found, exposed, left_out, inertia, propellant, points, alone)


def _channel(slot: SignalSlot, spots: dict[tuple[str, int], tuple[int, int]]) -> LogChannel | None:
    """Return where the numbers of a slot lie, None where they are not all kept in one table."""
    where = [spots.get((slot.kind, n)) for n in range(slot.start, slot.start + slot.size)]
    if any(spot is None or where[0] is None or spot[0] != where[0][0] for spot in where):
        return None
    both = [spot for spot in where if spot is not None]
    return LogChannel(both[0][0], tuple(column for _, column in both), slot.shape, slot.unit or "1")


def _labels(plan: ExecutionPlan, kind: str) -> dict[int, tuple[str, str]]:
    """Return name and unit of each number of a vector; who writes it names it."""
    found: dict[int, tuple[str, str]] = {}
    for name, slot in (_named(plan, kind) | plan.slots).items():
        if slot.kind == kind:
            for k in range(slot.size):
                one = f"{name}[{k}]" if slot.shape else name
                found.setdefault(slot.start + k, (one, slot.unit or "1"))
    return found


def _named(plan: ExecutionPlan, kinds: str) -> dict[str, SignalSlot]:
    """Return the slots of what users name: not those of the small devices between ports, whose names have spaces."""
    inner = [f"{part.path}." for part in plan.parts if " " in part.path]
    return {
        name: slot
        for name, slot in plan.slots.items()
        if slot.kind in kinds and not any(name.startswith(path) for path in inner)
    }
