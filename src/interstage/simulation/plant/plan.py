"""An assembly made ready to run: every field has a slot in a flat vector, every function its place in an order.

Motions and masses of a run as parts beside those of its assembly, and the order: one writer for each.

An assembly made ready to run: every field has a slot in a flat vector, every function its place in an order.

    p  parameters      s  signals (outputs, and what the vehicle shows)      z, Z  states and their derivatives
    w  discrete states      n  integers

Wired ports share a slot; where numbers are joined, converted or delayed, a small device between does it. Continuous
functions run in three passes: *ahead* of kinematics (motions of prescribed joints, masses), *before* forward dynamics
(what gives forces) and *after* it (what feels accelerations). Sampled ones run at their ticks: sensors first, then as
signals flow, then in the order of addition.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from interstage.errors import InputError, did_you_mean
from interstage.multibody import System
from interstage.multibody.operating_point import NO_CHANGES, Changes
from interstage.simulation.plant.assembly import Assembly, Member
from interstage.simulation.plant.clock import Clock
from interstage.simulation.plant.connection_blocks import between, said_by
from interstage.simulation.plant.connections import matching
from interstage.simulation.plant.declarations import (
    ROOTS,
    In,
    Look,
    Out,
    Parameter,
    Push,
    Sites,
    Stored,
    Value,
    numbers,
    shaped,
)
from interstage.simulation.plant.device import Device
from interstage.simulation.plant.execution_order import FELT, Entry, ordered
from interstage.simulation.plant.faults import (
    ONCE,
    Fault,
    forced,
    insert,
    overridden,
    seen_apart,
)
from interstage.simulation.plant.noise import seed_or_run, stream_of
from interstage.simulation.plant.prescribed_inputs import LEVELS, MASS, Ahead, MassHistory
from interstage.simulation.plant.prescribed_motion import PrescribedMotion
from interstage.simulation.plant.python_block import Law
from interstage.simulation.run.events import Event, SetJointMode
from interstage.spatial import RigidInertia

MassFunction = Callable[..., RigidInertia | tuple[object, ...]]


def given_ahead(
    vehicle: System | None,
    motions: Mapping[str, PrescribedMotion],
    mass: Mapping[str, MassFunction],
) -> list[Member]:
    """Return motions and masses of a run, by the full names of bodies, as parts beside those of its assembly."""
    if (motions or mass) and vehicle is None:
        raise InputError(
            "motions and masses belong to a vehicle, and there is none", hint="give vehicle= a System"
        )
    found = []
    for kind, by_body in (("motion", motions), ("mass", {b: MassHistory(f) for b, f in mass.items()})):
        for body, given in by_body.items():
            made = Ahead(given, body, f"the {kind} of body '{body}'", vehicle)
            found.append(Member(f"{body} > {kind}", made, None, Fraction(0)))
    return found


def switched_ahead(vehicle: System | None, events: Sequence[Event]) -> list[Member]:
    """Return the motions that events begin as parts which say nothing until then."""
    actions = [action for event in events for action in (*event.actions, *event.rests)]
    given = [one for one in actions if isinstance(one, SetJointMode) and one.motion is not None]
    found: dict[tuple[str, int], Member] = {}
    for one in given:
        if vehicle is not None and one.motion is not None:
            made = Ahead(one.motion, one.body, f"the motion of body '{one.body}'", vehicle, later=True)
            part = Member(f"{one.body} > motion {len(found) + 1}", made, None, Fraction(0))
            found.setdefault((one.body, id(one.motion)), part)
    return list(found.values())


def ahead_of(parts: list[Member]) -> list[int]:
    """Return the numbers of the parts that run before kinematics; each joint and mass has one of them."""
    said: dict[tuple[object, str], str] = {}
    found = []
    for k, part in enumerate(parts):
        if isinstance(part.what, Ahead) and part.what.later:
            found.append(k)
            continue
        for name, declared in part.what.fields.items():
            if isinstance(declared, Push) and declared.quantity in (*LEVELS, MASS):
                what = MASS if declared.quantity == MASS else "motion"
                key, full = (part.place_of(declared.owner.name), what), f"{part.path}.{name}"
                other = said.setdefault(key, full)
                if other.rpartition(".")[0] != part.path:
                    raise InputError(
                        f"the {what} of body '{key[0]}' has two writers", got=f"{other} and {full}"
                    )
        if isinstance(part.what, Ahead):
            found.append(k)
    return found


KINDS = "pszwn"


@dataclass(frozen=True)
class SignalSlot:
    """Where the numbers of a field lie: vector, first, shape; and their unit."""

    kind: str
    start: int
    shape: tuple[int, ...]
    unit: str = ""

    @property
    def size(self) -> int:
        """How many numbers."""
        return int(np.prod(self.shape)) if self.shape else 1

    @property
    def where(self) -> slice:
        """The numbers in their vector."""
        return slice(self.start, self.start + self.size)


@dataclass(frozen=True)
class Touch:
    """A port at the vehicle: what, of which place (or body), in which axes, and its slot."""

    quantity: str
    place: object
    axes: str
    slot: SignalSlot
    port: str

    @property
    def path(self) -> str:
        """Path of the part whose port it is."""
        return self.port.rpartition(".")[0]


@dataclass
class ExecutionPlan:
    """What `planned` makes of an assembly; see the module. Names in `slots` are full names of fields."""

    assembly: Assembly
    parts: list[Member]
    slots: dict[str, SignalSlot]
    initial: dict[str, np.ndarray]
    open: list[str]
    ahead: list[Entry]
    before: list[Entry]
    after: list[Entry]
    rates: list[Entry]
    sampled: list[Entry]
    clock: Clock
    looks: list[Touch]
    felt: list[Touch]
    pushes: list[Touch]
    sample_feels: bool
    unwired: frozenset[str] = frozenset()
    aliases: dict[str, list[str]] = field(default_factory=dict)
    edges: np.ndarray = field(default_factory=lambda: np.zeros(0))
    switched: dict[Fraction, set[int]] = field(default_factory=dict)

    def find(self, pattern: str, kinds: str = "szw") -> list[str]:
        """Return the full names of fields that a name or pattern means."""
        names = [name for name, slot in self.slots.items() if slot.kind in kinds]
        meant = matching(pattern, [*names, *self.aliases])
        if not meant:
            raise InputError(
                f"there is no port or state '{pattern}'",
                where=f"assembly '{self.assembly.name}'",
                hint=did_you_mean(pattern, [*self.aliases, *names]),
            )
        return list(dict.fromkeys(inner for name in meant for inner in self.aliases.get(name, [name])))

    @property
    def corners(self) -> np.ndarray:
        """Times, rising, at which what is known ahead begins or ceases to bend, or functions of time turn (`edges`)."""
        found = [part.what.corners() for part in self.parts if isinstance(part.what, Ahead)]
        return np.unique(np.concatenate([self.edges, *found]))

    @cached_property
    def later(self) -> frozenset[str]:
        """Paths of the motions that begin by events."""
        return frozenset(p.path for p in self.parts if isinstance(p.what, Ahead) and p.what.later)

    @cached_property
    def sees(self) -> bool:
        """Whether something that is said ahead asks for the state of the vehicle."""
        return any(part.what.sees for part in self.parts if isinstance(part.what, Ahead))

    @cached_property
    def tanks(self) -> dict[str, SignalSlot]:
        """States that are the propellant of tanks, by the names of these; one for each."""
        found: dict[str, SignalSlot] = {}
        for part in self.parts:
            for name, declared in part.what.fields.items():
                if isinstance(declared, Stored):
                    tank = str(part.place_of(declared.owner.name))
                    if tank in found:
                        raise InputError(f"tank '{tank}' has two members", got=f"{part.path} is the second")
                    found[tank] = self.slots[f"{part.path}.{name}"]
        return found

    @property
    def acting(self) -> list[str]:
        """Paths of the devices that act on a vehicle: all but motions, masses and loads that are known ahead."""
        ahead = {part.path for part in self.parts if isinstance(part.what, Ahead)}
        return [path for path in dict.fromkeys(touch.path for touch in self.pushes) if path not in ahead]

    @cached_property
    def names(self) -> dict[int, int]:
        """Part by number of a signal: who writes it."""
        found: dict[int, int] = {}
        for k, part in enumerate(self.parts):
            for name, declared in part.what.fields.items():
                if isinstance(declared, Out):
                    slot = self.slots[f"{part.path}.{name}"]
                    found |= dict.fromkeys(range(slot.start, slot.start + slot.size), k)
        return found

    def parameters_set(self, p: np.ndarray) -> dict[str, np.ndarray]:
        """Return by full name the parameters whose values in the vector p are not those of their devices."""
        own = self.initial["p"]
        return {
            name: p[slot.where].reshape(slot.shape).copy()
            for name, slot in self.slots.items()
            if slot.kind == "p" and not np.array_equal(p[slot.where], own[slot.where], equal_nan=True)
        }

    def check_closed(self, held: Iterable[str] = ()) -> None:
        """Refuse inputs that nothing is wired to."""
        missing = [name for name in self.open if name not in set(held)]
        if missing:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise InputError(
                f"nothing is wired to '{missing[0]}'{more}",
                where=f"assembly '{self.assembly.name}'",
                hint=f"wire it, or hold it: set={{'{missing[0]}': …}}",
            )

    def _not_held(self, name: str) -> InputError:
        """Make the error for a signal that something writes: what is set there would be gone at once."""
        path, _, port = name.rpartition(".")
        what = next((part.what.fields.get(port) for part in self.parts if part.path == path), None)
        if isinstance(what, Look):
            words = "filled by the vehicle"
        elif isinstance(what, In):
            words = "wired"
        else:
            words = "an output: its device says it"
        return InputError(
            f"'{name}' cannot be set: it is {words}",
            where=f"set of assembly '{self.assembly.name}'",
            hint=f"{'leave the wire out, or ' if words == 'wired' else ''}override it: ist.Fault('{name}', …)",
        )

    def values(self, given: Mapping[str, Value], still: bool = False) -> dict[str, np.ndarray]:
        """Return values by full name of what is given by name or pattern, checked; strings are quantities.

        still : nothing runs, so that what laws outside of the model say can be given
        """
        found: dict[str, np.ndarray] = {}
        laws = [(p.path, p.what) for p in self.parts if still and isinstance(p.what, Law) and p.what.outside]
        free = {*self.unwired, *(f"{path}.{name}" for path, law in laws for name in law.outs)}
        bounded = {
            f"{part.path}.{name}": declared
            for part in self.parts
            for name, declared in part.what.fields.items()
            if given and isinstance(declared, Parameter)
        }
        for pattern, value in given.items():
            for name in self.find(pattern, "pszwn"):
                slot = self.slots[name]
                if slot.kind == "s" and name not in free:
                    raise self._not_held(name)
                found[name] = shaped(numbers(value, slot.unit, f"'{name}'"), slot.shape, f"'{name}'")
                if name in bounded:
                    bounded[name].check(found[name], f"'{name}'")
        return found


class _Layout:
    """Slots while they are given out."""

    def __init__(self) -> None:
        self.sizes = dict.fromkeys(KINDS, 0)
        self.first: dict[str, list[np.ndarray]] = {kind: [] for kind in KINDS}

    def take(
        self, kind: str, shape: tuple[int, ...] | None, value: np.ndarray | np.generic | float, unit: str = ""
    ) -> SignalSlot:
        """Return a new slot, filled with what it begins with; inputs have a shape by then."""
        assert shape is not None
        slot = SignalSlot(kind, self.sizes[kind], shape, unit)
        self.sizes[kind] += slot.size
        self.first[kind].append(np.broadcast_to(np.asarray(value, dtype=float), shape).ravel())
        return slot

    def initial(self) -> dict[str, np.ndarray]:
        """Return what every vector begins with."""
        found = {kind: np.concatenate([np.zeros(0), *self.first[kind]]) for kind in KINDS}
        return {**found, "n": found["n"].astype(np.int64)}


def planned(
    assembly: Assembly,
    cut: Collection[str] = (),
    faults: Sequence[Fault] = (),
    start: Fraction = Fraction(0),
    beat: tuple[Callable[[float], None], Fraction] | None = None,
    given: Mapping[str, Value] | None = None,
    beside: Sequence[Member] = (),
    changes: Changes = NO_CHANGES,
) -> ExecutionPlan:
    """Return the plan of an assembly, or say what is wrong with its wires.

    cut : full names of inputs whose wires are left out: they are held;  faults : of a run that begins at `start`
    beat : called with the time before the samples of every tick, with the period where nothing is sampled
    given : values of inputs by name or pattern; arguments of laws without a size are as large as these
    beside : motions and masses of a run (`given_ahead`)
    changes : of the vehicle, by events on the way
    """
    special = cut or faults or beat is not None or beside
    if not special and not assembly.parts() and not assembly.pieces():
        return without_devices(assembly)
    apart = overridden(faults, assembly)
    parts, links, unwired = between(assembly, cut, apart, changes)
    parts = [_reckoning(part, assembly, changes) for part in parts]
    own, seen = len(parts), seen_apart(assembly.ports() if apart else {}, apart)
    parts += seen.values()
    wrong = forced(faults, assembly, parts, links, start, given or {})
    parts += [one.part for one in wrong] + [one.back for one in wrong if one.back is not None]
    if beat is not None:
        parts.append(Member("> beat", Law(beat[0]), None, Fraction(0)))
    last = len(parts) - 1
    parts += beside
    ahead = ahead_of(parts)
    layout = _Layout()
    slots: dict[str, SignalSlot] = {}
    looks: dict[tuple, Touch] = {}
    pushes: list[Touch] = []
    for part in parts:
        _own_slots(part, layout, slots, looks, pushes, assembly, apart)
    touching = [touch.port for touch in (*looks.values(), *pushes)]
    if touching and assembly.vehicle is None:
        raise InputError(
            f"'{touching[0]}' belongs to a vehicle, and there is none",
            hint="give vehicle= a System, or add one",
        )
    times = [t for part in parts if part.every is not None for t in (part.every, part.offset)]
    times += [t for one in wrong for t in (one.begin, one.end, ONCE) if t is not None]
    clock = Clock.of([t for t in times if t] or ([] if beat is None else [beat[1]]))
    _alias(parts, links, layout, slots)
    opened = _open_inputs(parts, unwired, layout, slots, given or {})
    for name, part in seen.items():
        slots[f"{part.path}.u"] = slots.pop(f"{name} > seen raw")
        slots[f"{part.path}.y"] = slots[name]
    for one in wrong:
        slot = slots[one.port]
        slots[f"{one.part.path}.y"] = SignalSlot("s", slot.start + one.first, (one.count,), slot.unit)
        one.alias(slots)
    flow = ordered(parts[:own], links)
    entries = {k: _entry(parts[k], k, clock) for k in flow.sampled}
    rates = [Entry(k, "rates") for k, part in enumerate(parts) if "rates" in _functions(part)]
    aliases = {name: [n for n in inner if n in slots] for name, inner in assembly.exposed().items()}
    touched = list(looks.values())
    plan = ExecutionPlan(
        assembly,
        parts,
        slots,
        layout.initial(),
        opened,
        [Entry(k, "outputs") for k in ahead],
        [Entry(k, "outputs") for k in flow.before if k not in ahead],
        [Entry(k, "outputs") for k in flow.after],
        rates,
        [entries[k] for k in flow.sampled],
        clock,
        [touch for touch in touched if touch.quantity not in FELT],
        [touch for touch in touched if touch.quantity in FELT],
        pushes,
        flow.sample_feels,
        frozenset(f"{parts[k].path}.{name}" for k, name in unwired),
        aliases,
    )
    felt = {touch.slot for touch in plan.felt}
    copies = {own + k: slots[f"{p.path}.u"] in felt for k, p in enumerate(seen.values())}
    insert(plan, wrong, own + len(seen), copies)
    if beat is not None:
        when = dict.fromkeys((e.every, e.first) for e in plan.sampled) or {(clock.ticks(beat[1]), 0): None}
        plan.sampled = [Entry(last, "sample", *one) for one in when] + plan.sampled
    return plan


def _reckoning(part: Member, assembly: Assembly, changes: Changes) -> Member:
    """Return a part that reckons with bodies which may leave what carries them, or are not there yet."""
    scope, device = part.scope, part.what
    if assembly.vehicle is None or not isinstance(device, Device) or part.like:
        return part
    bodies = [
        body.removeprefix(scope) for body in (*changes.leaving, *changes.coming) if body.startswith(scope)
    ]
    device = device.also_at(bodies) if bodies else device
    return part if device is part.what else replace(part, what=device)


def without_devices(assembly: Assembly) -> ExecutionPlan:
    """Return the plan of an assembly without members: its vehicle alone."""
    initial = _Layout().initial()
    return ExecutionPlan(assembly, [], {}, initial, [], [], [], [], [], [], Clock.of([]), [], [], [], False)


def _functions(part: Member) -> Mapping[str, object]:
    return {} if isinstance(part.what, Law) else part.what.functions


def _entry(part: Member, k: int, clock: Clock) -> Entry:
    every = clock.ticks(part.every or Fraction(1))
    return Entry(k, "sample", every, clock.ticks(part.offset) if part.offset else 0)


def _own_slots(
    part: Member,
    layout: _Layout,
    slots: dict[str, SignalSlot],
    looks: dict[tuple, Touch],
    pushes: list[Touch],
    assembly: Assembly,
    apart: Collection[str] = (),
) -> None:
    """Give slots to what belongs to one part: all but inputs. What is seen twice has one, unless it is kept apart."""
    what = part.what
    for name, declared in what.fields.items():
        full = f"{part.path}.{name}"
        if isinstance(declared, Look) and isinstance(declared.owner, Sites):
            slots[full] = layout.take("s", what.shape_of(name), 0.0, declared.unit)
            looks |= {(full, k): touch for k, touch in enumerate(_touches(part, declared, slots[full], full))}
        elif isinstance(declared, Look):
            place = part.place_of(declared.owner.name)
            key = declared.quantity, _key(place), declared.axes
            if key not in looks:
                slot = layout.take("s", what.shape_of(name), 0.0, declared.unit)
                looks[key] = Touch(declared.quantity, place, declared.axes, slot, full)
            slots[full] = shown = looks[key].slot
            if full in apart:
                slots[f"{full} > seen raw"] = shown
                slots[full] = layout.take("s", shown.shape, 0.0, declared.unit)
        elif not isinstance(declared, In):
            value = 0.0 if isinstance(what, Law) else what.value_of(name)
            if part.like and isinstance(declared, Parameter):
                slots[full] = slots[f"{part.like}.{name}"]
                continue
            slots[full] = layout.take(declared.kind, what.shape_of(name) or (), value, declared.unit)
            if declared.kind == "z":
                slots[f"{full}dot"] = SignalSlot(
                    "Z", slots[full].start, slots[full].shape, f"{declared.unit or '1'}/s"
                )
            if isinstance(declared, Push) and not part.like:
                pushes += _touches(part, declared, slots[full], full)
    slots[f"{part.path}.period"] = layout.take("p", (), float(part.every or 0), "s")
    if isinstance(part.what, Device) and part.every:
        part.what.check_period(float(part.every))
    for name, value in (
        ("tick", 0),
        ("seed", seed_or_run(assembly.seed)),
        ("stream", stream_of(part.like or part.path)),
        ("ideal", 0),
    ):
        slots[f"{part.path}.{name}"] = layout.take("n", (), value)


def _touches(part: Member, declared: Look | Push, slot: SignalSlot, full: str) -> list[Touch]:
    """Return what a port touches: its place, or each of several places with its row of the slot."""
    given, quantity = part.place_of(declared.owner.name), declared.quantity
    if quantity == "gravity" and isinstance(part.what, Device) and part.what.of_roots:
        quantity = ROOTS
    if not isinstance(declared.owner, Sites):
        return [Touch(quantity, given, declared.axes, slot, full)]
    width = slot.shape[1]
    rows = [SignalSlot(slot.kind, slot.start + width * k, (width,), slot.unit) for k in range(slot.shape[0])]
    places = given if isinstance(given, list) else [given]
    return [Touch(quantity, place, declared.axes, row, full) for place, row in zip(places, rows)]


def _key(place: object) -> object:
    """Return a place as a key of a dictionary."""
    if isinstance(place, tuple | list | np.ndarray):
        return tuple(_key(item) for item in place)
    return place


def _alias(parts: list[Member], links: dict, layout: _Layout, slots: dict[str, SignalSlot]) -> None:
    """Give every connected input the slot of what is wired to it; joined ones have a slot of their own."""
    for (k, name), sources in links.items():
        part = parts[k]
        full = f"{part.path}.{name}"
        shape, unit = part.what.shape_of(name), part.what.fields[name].unit
        if len(sources) == 1 and sources[0].whole:
            link = sources[0]
            source = slots[f"{parts[link.part].path}.{link.out}"]
            shape = _shape_as_said(parts, links, sources, link.count) if shape is None else shape
            slots[full] = SignalSlot("s", source.start + link.first, shape, unit or source.unit)
        else:
            count = sum(link.count for link in sources)
            if shape is None:
                shape = _shape_as_said(parts, links, sources, count)
            slots[full] = layout.take("s", shape, 0.0, unit)
    for (k, name), sources in links.items():
        for link in sources:
            if not link.whole:  # a part between writes here
                slot = slots[f"{parts[k].path}.{name}"]
                slots[f"{parts[link.part].path}.y"] = SignalSlot(
                    "s", slot.start + link.at, (link.count,), slot.unit
                )


def _shape_as_said(parts: list[Member], links: dict, sources: list, count: int) -> tuple[int, ...]:
    """Return the shape of an input without one: that of a number where one number is all that is copied to it."""
    link = said_by(parts, links, sources[0])
    alone = len(sources) == 1 and parts[link.part].what.shape_of(link.out) == ()
    return () if alone else (count,)


def _open_inputs(
    parts: list[Member],
    unwired: list[tuple[int, str]],
    layout: _Layout,
    slots: dict[str, SignalSlot],
    given: Mapping[str, Value],
) -> list[str]:
    """Give slots to inputs that nothing is wired to; return those without a default."""
    opened = []
    for k, name in unwired:
        part = parts[k]
        full, shape = f"{part.path}.{name}", part.what.shape_of(name)
        if part.like:
            slots[full] = slots[f"{part.like}.{name}"]
            continue
        if isinstance(part.what, Law):
            held = [v for pattern, v in given.items() if matching(pattern, [full])]
            if name in part.what.defaults and not held:
                continue
            if shape is None and not held:
                raise InputError(
                    f"nothing is wired to '{full}'",
                    hint=f"wire it, hold it: set={{'{full}': …}}, or give it a default in the signature of the law",
                )
            if shape is None:
                shape = numbers(held[-1], "", f"'{full}'").shape
            value: np.ndarray | np.generic | float = 0.0
            opened.append(full)
        else:
            value = part.what.value_of(name)
            if not part.what.is_given(name):
                opened.append(full)
        slots[full] = layout.take("s", shape, value, part.what.fields[name].unit)
    return opened
