"""Write a flight as a file of data, for programs without Python: `export_flight`.

Compiled code knows a vehicle by rows of addresses alone, so that the same functions fly every vehicle. A file is an
image of what these rows lead to, in three blocks,

    constant   the vehicle and the method, shared by all instances
    slots      the rows: places that the loader fills, by a list of links, with addresses in an instance, of constants
               and of functions, which the file has by name
    state      everything else: what an instance that is saved keeps; it holds no addresses

and a table of ports. `interstage.c` has the layout. A function's name has a print of the sources and layouts that it
was made from, so that a file of another version is refused, and never misread.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import struct
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

import interstage
from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.jit import COMPILED
from interstage.multibody import State, System
from interstage.multibody.address_table import FIRST_STAGE, STAGES, slots_of
from interstage.multibody.arrays import TREE_FIELDS, WORK_FIELDS
from interstage.multibody.state import check_belongs
from interstage.output import as_path, checked_target, write_bytes
from interstage.simulation.plant import coupled_kernels as kernels
from interstage.simulation.plant.assembly import Assembly, Member
from interstage.simulation.plant.clock import Period
from interstage.simulation.plant.coupled_arrays import LOOP_FIELDS, Loop
from interstage.simulation.plant.declarations import In, Look, Out, Parameter, Value, ZeroCrossing
from interstage.simulation.plant.device import Device
from interstage.simulation.plant.plan import ExecutionPlan
from interstage.simulation.plant.prescribed_inputs import Ahead
from interstage.simulation.plant.python_block import Law
from interstage.simulation.plant.vehicle_interface import holds_of
from interstage.simulation.run.event_handling import EventLocator, Switch
from interstage.simulation.run.event_location import FACTS
from interstage.simulation.run.events import Event
from interstage.simulation.run.integrators import METHODS, CompiledMethod, Method, method_of
from interstage.simulation.run.setup import RunParts
from interstage.simulation.run.spec import RunSpec
from interstage.simulation.run.step_stability import warn_of_fast_states
from interstage.simulation.run.time_edges import found_edges, moving_edges

if COMPILED:
    from interstage.compiled import (
        SLOTS,
        AddressedFunction,
        called,
        functions_by_address,
        reach,
        stages_of,
        trap,
    )

MAGIC = b"ISTFLY\0\2"
CONSTANT, SLOT, STATE = range(3)  # blocks of the image
TO_CONSTANT, TO_INSTANCE, TO_CODE = range(3)  # what a link leads to
NOTHING, OUTSIDE = -1, -2  # functions of links that are in no table
TAPES = ("ahead", "before", "after", "rates", "sample")
PORT_KINDS = {"input": 0, "output": 1, "parameter": 2, "z": 3, "w": 4, "n": 5, "q": 6, "v": 7}
LINE = 64  # bytes of a line of the cache: numbers keep their places in it


@dataclass(frozen=True)
class FlightFile:
    """A flight that was written.

    inputs : ports that are set from outside;  outputs : ports of devices;  laws : laws in Python, which stay outside:
    what they say is set as inputs, or by a function of the program that flies
    functions : how many functions the flight needs of the library;  size : of the file, bytes
    """

    path: Path
    inputs: list[str]
    outputs: list[str]
    laws: list[str]
    functions: int
    size: int


@dataclass(frozen=True)
class FlightData:
    """What a flight file holds, and the functions that it needs."""

    data: bytes
    functions: list[AddressedFunction]
    inputs: list[str]
    outputs: list[str]
    laws: list[str]


@dataclass
class _Image:
    """Memory that compiled code reaches, by address, and where it goes in the file."""

    found: dict[int, tuple[int, int]] = field(default_factory=dict)  # bytes and block by first address
    kept: list[np.ndarray] = field(default_factory=list)

    def add(self, array: np.ndarray, block: int) -> None:
        """Take the memory of an array into a block; what is in two goes into the later one."""
        if array.size:
            self.kept.append(array)
            at = array.__array_interface__["data"][0]
            size, before = self.found.get(at, (0, block))
            self.found[at] = max(size, array.nbytes), max(block, before)

    def place(self) -> None:
        """Join what overlaps, and give everything its place; addresses keep their remainder by a line."""
        joined: list[list[int]] = []
        for at in sorted(self.found):
            size, block = self.found[at]
            if joined and at < joined[-1][0] + joined[-1][1]:
                last = joined[-1]
                last[1], last[2] = max(last[1], at + size - last[0]), max(last[2], block)
            else:
                joined.append([at, size, block])
        self.sizes = [0, 0, 0]
        self.placed = []
        for at, size, block in joined:
            first = self.sizes[block] + (at - self.sizes[block]) % LINE
            self.placed.append((at, size, block, first))
            self.sizes[block] = first + size
        self.sizes = [-(-size // LINE) * LINE for size in self.sizes]
        self._starts = [one[0] for one in self.placed]

    def where(self, address: int) -> tuple[int, int] | None:
        """Return block and place of an address, None where it is not in the image."""
        k = bisect_right(self._starts, address) - 1
        if k < 0 or address >= self.placed[k][0] + self.placed[k][1]:
            return None
        at, _, block, first = self.placed[k]
        return block, first + address - at

    def in_instance(self, array: np.ndarray) -> int:
        """Return where an array lies in an instance: slots, then state."""
        found = self.where(array.ctypes.data) if array.size else (SLOT, 0)
        assert found is not None and found[0] != CONSTANT
        return found[1] + (self.sizes[SLOT] if found[0] == STATE else 0)

    def data(self, block: int) -> bytes:
        """Return the bytes of a block."""
        out = bytearray(self.sizes[block])
        for at, size, of, first in self.placed:
            if of == block:
                out[first : first + size] = ctypes.string_at(at, size)
        return bytes(out)


class _Text:
    """Words of the file, each once, by their places."""

    def __init__(self) -> None:
        self.bytes, self.known = b"", dict[str, int]()

    def place(self, word: str) -> int:
        if word not in self.known:
            self.known[word] = len(self.bytes)
            self.bytes += word.encode() + b"\0"
        return self.known[word]


@named_arguments
def export_flight(
    flight: System | Assembly,
    point: State | None,
    path: str | os.PathLike[str],
    *,
    step: Period | None = None,
    method: str | Method | None = None,
    max_step: Period | None = None,
    rtol: float = 1e-9,
    atol: float = 1e-9,
    set: Mapping[str, Value] | None = None,
    events: Event | Sequence[Event] | None = None,
    start: Period | None = None,
    until: Period = "1 h",
) -> FlightFile:
    """Write a flight that stands at a point as a file that `libinterstage` flies without Python, to the same bits.

    The file holds the vehicle, its devices, the method and its steps; no compiler is needed. Inputs that nothing is
    wired to are set from outside, and so are the outputs of laws in Python. What cannot leave Python is refused by
    name: methods of scipy, functions of time, devices that lock joints or call Python.

    Parameters
    ----------
    point : state or operating point at the start, as `simulate` takes it; its loads must be constant
    path : of the file, "vehicle.flight" say
    step, method, max_step, rtol, atol, set, start : as of `simulate`; without `step`, steps of the method's own
        ("dopri5" and "ros3" have them)
    events : as of `simulate`, at a time or where a port or state crosses a level; they end the flight ("stop"), set
        values of devices ({"engine.mode": 2}) or are noted alone. Functions, and what changes the vehicle, stay here
    until : time beyond which it does not fly: times at which devices turn are looked for up to there

    Returns
    -------
    FlightFile
        path, ports and size. `NativeFlight` flies it from Python, `interstage.h` from C.
    """
    target = checked_target(as_path(path, "flight file"), "flight file")[0]
    found = flight_data(flight, point, step, method, max_step, rtol, atol, set, start, until, events)
    write_bytes(target, found.data, "flight file")
    functions, size = len(found.functions), len(found.data)
    return FlightFile(target, found.inputs, found.outputs, found.laws, functions, size)


def flight_data(
    flight: System | Assembly,
    point: State | None,
    step: Period | None,
    method: str | Method | None = None,
    max_step: Period | None = None,
    rtol: float = 1e-9,
    atol: float = 1e-9,
    given: Mapping[str, Value] | None = None,
    start: Period | None = None,
    until: Period = "1 h",
    events: Event | Sequence[Event] | None = None,
) -> FlightData:
    """Return a flight that stands at a point as data; arguments as of `export_flight`."""
    if not COMPILED:
        raise InputError(
            "flights are exported as compiled", where="export_flight", hint="unset INTERSTAGE_PLAIN"
        )
    if isinstance(flight, System):
        if point is None or given:
            words = "a state" if point is None else "no set=, which goes with an Assembly"
            raise InputError("a vehicle alone", where="export_flight", expected=words)
        check_belongs(flight, point)
        made = Assembly(flight.model.name, vehicle=flight)
    elif isinstance(flight, Assembly):
        made = flight
    else:
        raise InputError("this is no flight", expected="a System or an Assembly", got=type(flight).__name__)
    chosen = method_of("rk4" if method is None else method)
    if not isinstance(chosen, CompiledMethod):
        raise InputError(f"the method {chosen} stays in Python", where="method", expected=_names_of_methods())
    if step is None and chosen.embedded is None:
        raise InputError(
            f"the method {chosen} needs a step", where="step", got="None", hint='step="10 ms", say'
        )
    happens = [events] if isinstance(events, Event) else list(events or ())
    if strange := [one for one in happens if not isinstance(one, Event)]:
        raise InputError(
            "this is no event", where="events", expected="as in ist.Event(...)", got=repr(strange[0])
        )
    spec = RunSpec(
        made, point, until, step, chosen, max_step, rtol, atol, start=start, given=given, events=happens
    )
    parts = RunParts(spec)
    try:
        if len(edges := found_edges(parts.integrator, parts.loads.acting)):
            before, parts = parts, RunParts(replace(spec, edges=edges))
            before.integrator.release()  # once: what is lent is given back to others
        warn_of_fast_states(parts.integrator)
        return _written(made.name, parts)
    finally:
        parts.integrator.release()


def _names_of_methods() -> str:
    return ", ".join(one.name for one in METHODS.values() if isinstance(one, CompiledMethod))


def _written(title: str, parts: RunParts) -> FlightData:
    """Return the flight of parts that stand at the start."""
    run = parts.integrator
    loop, plan = run.loop, run.plan
    _check_leaves(parts)
    events = _events_of(parts)
    arrays = _without_log(loop.loop, parts.locator)
    rows = slots_of(arrays)
    image = _Image()
    door = loop.by.method.flights.door(loop.without, loop.by.step is None)
    handle = loop.scratch.ready(door).view(np.int64)
    entry = loop.by.method.flights.entry(loop.without, loop.by.step is None)
    data = [np.ascontiguousarray(one) for one in loop.data]
    method = slots_of(data)
    laws = [part.path for part in plan.parts if isinstance(part.what, Law)]
    sampled = {plan.parts[e.part].path for e in plan.sampled}
    numbers = np.array(
        [int(path in sampled) for path in laws], dtype=np.int64
    )  # only there may a flight stop
    q, v, qdot, vdot = run.q.copy(), run.v.copy(), np.zeros_like(run.q), np.zeros_like(run.v)
    for row in (handle, rows, method, *loop.tapes.rows.values()):
        image.add(row, SLOT)
    for array in (*loop.scratch.tree, *data):
        image.add(array, CONSTANT)
    for array in loop.scratch.work:
        image.add(array, CONSTANT if any(array is one for one in loop.scratch.tree) else STATE)
    eyes = np.zeros(1 + (FACTS + 1) * len(events) if events else 0)
    known = (q, v, qdot, vdot, numbers, eyes)
    for array in (*loop.system.engine.settings.arrays().values(), *loop.tapes.vectors.values(), *known):
        image.add(array, STATE)
    tapes = {name for tape in TAPES for name in (tape, f"{tape}_row")}
    for (name, _, _), array in zip(LOOP_FIELDS, arrays):
        image.add(array, SLOT if name in tapes else STATE)
    image.place()
    links = _Links(image, entry, {path: numbers[k : k + 1] for k, path in enumerate(laws)})
    links.arrays(handle, len(TREE_FIELDS) + len(WORK_FIELDS))
    called = {FIRST_STAGE + list(STAGES).index(one.__name__) for one in stages_of(door) if one.slot >= 0}
    # others are of other algorithms on the same handle
    for slot in range(FIRST_STAGE, FIRST_STAGE + len(STAGES)):
        links.function(handle[slot : slot + 1], "a kernel", wanted=slot in called)
    links.arrays(rows, len(LOOP_FIELDS))
    links.arrays(method, len(data))
    for row in loop.tapes.rows.values():
        links.arrays(row, len(row) // SLOTS)
    for tape in TAPES:
        said = plan.sampled if tape == "sample" else getattr(plan, tape)
        links.tape(getattr(arrays, tape), getattr(arrays, f"{tape}_row"), [plan.parts[e.part] for e in said])
    text = _Text()
    ports = _ports_of(plan, image, loop.tapes.vectors, q, v)
    named = [(image.in_instance(row), plan.parts[k].path) for k, row in loop.tapes.rows.items()]
    outside = [(image.in_instance(numbers[k : k + 1]), path) for k, path in enumerate(laws)]
    devices = np.array([(at, text.place(path)) for at, path in (*named, *outside)], dtype=np.int64)
    happens, values = _packed(events, image, links, text)
    functions = np.array([text.place(made.name) for made in links.used.values()], dtype=np.int64)
    asked = {key: value for key, value in parts.spec.course.asked.items() if value is not None}
    about = json.dumps({"flight": title, "interstage": interstage.__version__, **asked}, default=str)
    places = [text.place(name) for name, *_ in ports], [text.place(unit) for _, unit, *_ in ports]
    where = text.place(about)
    text.bytes += bytes(-len(text.bytes) % 8)
    head = [
        len(functions), len(links.made), len(ports), len(named), len(outside), len(happens), len(values),
        len(text.bytes),
        *image.sizes, len(q), len(v), len(arrays.z),
        *map(image.in_instance, (handle, rows, method, q, v, qdot, vdot, arrays.pause, arrays.pace, arrays.option)),
        *map(image.in_instance, (arrays.flag, arrays.failed_at, arrays.inside, arrays.z, arrays.zdot, arrays.back)),
        *map(image.in_instance, (arrays.watch, eyes)), where,
    ]  # fmt: skip
    body = struct.pack(f"<{len(head)}qd", *head, float(run.until))
    body += functions.tobytes() + np.array(sorted(links.made), dtype=np.int64).tobytes()
    for word, measure, (_, _, *rest, low, high) in zip(*places, ports):
        body += struct.pack("<6q2d", word, measure, *rest, low, high)
    body += devices.tobytes() + b"".join([*happens, *values]) + text.bytes
    body += bytes(-(len(MAGIC) + 32 + len(body)) % LINE)
    body += b"".join(map(image.data, (CONSTANT, SLOT, STATE)))
    whole = MAGIC + hashlib.sha256(body).digest() + body
    kinds = {
        kind: [name for name, _, of, *_ in ports if of == PORT_KINDS[kind]] for kind in ("input", "output")
    }
    return FlightData(whole, list(links.used.values()), kinds["input"], kinds["output"], laws)


WATCHED, TIMED, AT_START = range(3)  # kinds of events


@dataclass(frozen=True)
class _Row:
    """What happens, and where.

    event : None: the function `switch` of a device runs at the start;  part : a device whose `switch` runs, at an
    address on a row
    number : what crosses a level;  parameter : the level, None: `level`
    values, rest : what is set then, and where the event accumulates (None: that is an error)
    """

    event: Event | None
    part: Member | None = None
    switch: tuple[int, np.ndarray] | None = None
    number: np.ndarray | None = None
    parameter: np.ndarray | None = None
    level: float = 0.0
    discrete: bool = False
    values: Sequence[tuple[np.ndarray, np.ndarray]] = ()
    rest: Sequence[tuple[np.ndarray, np.ndarray]] | None = None

    @property
    def kind(self) -> int:
        """Of `WATCHED`, `TIMED` and `AT_START`."""
        return AT_START if self.event is None else TIMED if self.event.at is not None else WATCHED


def _events_of(parts: RunParts) -> list[_Row]:
    """Return the events of a run in the order in which it looks at them, then switches that run at the start."""
    run, locator = parts.integrator, parts.locator
    if locator is None:
        return []
    tapes, found = run.loop.tapes, []

    def values(actions: Sequence[object]) -> list[tuple[np.ndarray, np.ndarray]]:
        given: dict[str, Value] = {}
        for one in actions:
            given |= one if isinstance(one, Mapping) else {}
        return [(tapes.array(name).reshape(-1), x.ravel()) for name, x in run.plan.values(given).items()]

    for eye in locator.watch.eyes:
        event, one = eye.event, locator.watch.signals[id(eye)]
        at = tapes.vectors[one.kind][one.place : one.place + 1]
        known = None if one.parameter is None else tapes.vectors["p"][one.parameter : one.parameter + 1]
        part = event.action.part if isinstance(event.action, Switch) else None
        switch = None if part is None else tapes.switch_of(part)
        rest = None if event.rest is None else values(event.rests)
        found.append(
            _Row(event, part, switch, at, known, one.level, one.kind == "w", values(event.actions), rest)
        )
    found += [_Row(event, values=values(event.actions)) for event in locator.timed]
    settling = [part for part in run.plan.parts if isinstance(part.what, Device) and part.what.settles]
    return found + [_Row(None, part, tapes.switch_of(part)) for part in settling]


def _packed(
    rows: Sequence[_Row], image: _Image, links: _Links, text: _Text
) -> tuple[list[bytes], list[bytes]]:
    """Return the tables of events and of the values that they set."""
    events: list[bytes] = []
    set_: list[bytes] = []

    def block(values: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[int, int]:
        first = len(set_)
        for array, numbers in values:
            at, whole = image.in_instance(array), int(array.dtype.kind == "i")
            set_.extend(struct.pack("<2qd", at + 8 * k, whole, float(x)) for k, x in enumerate(numbers))
        return first, len(set_) - first

    for one in rows:
        event, function, row = one.event, 0, 0
        label = event.label if event is not None else ""
        if one.part is not None and one.switch is not None:
            function, row = links.call(one.switch[0], f"'{one.part.path}'"), image.in_instance(one.switch[1])
        at, level_at = (
            0 if array is None else image.in_instance(array) for array in (one.number, one.parameter)
        )
        first, count = block(one.values)
        rest_first, rest_count = block(one.rest or ())
        direction, tolerance, once, time = 0, 1.0, 0, 0.0
        stops = rest_stops = 0
        if event is not None:
            direction, tolerance, once = event.direction, event.tolerance, int(event.fires_once)
            stops, rest_stops = int("stop" in event.actions), int("stop" in event.rests)
            time = 0.0 if event.at is None else float(event.at)
        events.append(
            struct.pack(
                "<16q3d", one.kind, function, row, text.place(label), at, level_at, direction, once, one.discrete,
                first, stops, count, rest_first, one.rest is not None, rest_stops, rest_count,
                one.level, tolerance, time,
            )
        )  # fmt: skip
    return events, set_


def _without_log(loop: Loop, locator: EventLocator | None) -> Loop:
    """Return the arrays of a loop that writes no log and goes on until told otherwise; the loop stays as it is."""
    names = (
        "group_every",
        "group_first",
        "group_s",
        "group_at",
        "group_rows",
        "group_most",
        "log_s",
        "log_z",
        "log_w",
        "log_n",
    )
    nothing = {name: np.zeros(0, dtype=np.int64) for name in names}
    watched = {}
    if locator is not None:
        watched = dict(zip(("watch_state", "watch_at", "watch"), locator.watched()))
    option = loop.option.copy()
    option[kernels.LOG_EVERY], option[kernels.SINGLE] = -1, 0
    return loop._replace(
        **nothing, log=np.zeros((0, loop.log.shape[1])), samples=np.zeros(0), group_column=np.zeros(1, dtype=np.int64),
        option=option, pause=np.full_like(loop.pause, np.inf), **watched,
    )  # fmt: skip


def _check_leaves(parts: RunParts) -> None:
    """Refuse what cannot leave Python, by name."""
    plan, stays = parts.integrator.plan, []
    stays += [f"'{p.path}', a function of time" for p in plan.parts if isinstance(p.what, Ahead)]
    if parts.locator is not None:
        stays += _events_that_stay(parts)
    if stays:
        raise InputError(
            "this flight cannot leave Python",
            where="export_flight",
            got=", ".join(stays[:5]) + (f" and {len(stays) - 5} more" if len(stays) > 5 else ""),
            hint="leave it out, or fly it with `simulate`",
        )


def _events_that_stay(parts: RunParts) -> list[str]:
    """Return what events of a flight keep it in Python, in words."""
    run, locator = parts.integrator, parts.locator
    assert locator is not None
    stays = []
    for event in locator.events:
        plain = all(
            one is None or isinstance(one, Mapping | Switch) or one == "stop"
            for one in (*event.actions, *event.rests)
        )
        if callable(event.condition) or not plain:
            stays.append(f"the event '{event.label}', which calls Python or changes the vehicle")
        elif event.samples is not None:
            stays.append(f"the event '{event.label}' with samples of its own")
    for part in run.plan.parts:
        if isinstance(part.what, Device) and "switch" in part.what.functions:
            if holds_of(part):
                stays.append(f"'{part.path}', which locks a joint")
            elif part.what.functions["switch"].__code__.co_argcount > 2:
                stays.append(f"'{part.path}', whose switch is told which crossing it is")
    if run.by.step is None:
        stays += [
            f"'{path}', whose edges in time events may move: give it a step" for path in moving_edges(run)
        ]
    return list(dict.fromkeys(stays))


class _Links:
    """Links of slots to what they lead to, and the functions among that."""

    def __init__(self, image: _Image, entry: int, laws: dict[str, np.ndarray]):
        self.image, self.laws = image, laws
        self.code = functions_by_address()
        self.used: dict[int, AddressedFunction] = {entry: self.code[entry]}
        self.made: list[tuple[int, int, int]] = []

    def _add(self, slot: int, kind: int, target: int) -> None:
        found = self.image.where(slot)
        assert found is not None and found[0] == SLOT
        self.made.append((found[1], kind, target))

    def arrays(self, row: np.ndarray, count: int) -> None:
        """Link the addresses of arrays in a row."""
        for k in range(count):
            if target := int(row[SLOTS * k]):
                self._data(row.ctypes.data + 8 * SLOTS * k, target)

    def _data(self, slot: int, target: int) -> None:
        found = self.image.where(target)
        assert found is not None, "a row leads out of the image"
        if found[0] == CONSTANT:
            self._add(slot, TO_CONSTANT, found[1])
        else:
            self._add(slot, TO_INSTANCE, found[1] + (self.image.sizes[SLOT] if found[0] == STATE else 0))

    def function(self, slot: np.ndarray, owner: str, wanted: bool = True) -> None:
        """Link the address of a function, in a slot (1,); one that is not `wanted` leads to an error."""
        target = int(slot[0])
        if not wanted or target == trap():
            self._add(slot.ctypes.data, TO_CODE, NOTHING)
        else:
            self._add(slot.ctypes.data, TO_CODE, self.call(target, owner))

    def call(self, target: int, owner: str) -> int:
        """Return the number of a function that the loader calls."""
        if target not in self.code or self.code[target].function is called:
            raise InputError(
                "this flight cannot leave Python", where="export_flight", got=f"{owner} calls Python"
            )
        self.used.setdefault(target, self.code[target])
        return list(self.used).index(target)

    def tape(self, addresses: np.ndarray, rows: np.ndarray, parts: Sequence[Member]) -> None:
        """Link functions of devices and their rows; laws stay outside."""
        for k, part in enumerate(parts):
            if isinstance(part.what, Law):
                self._add(addresses.ctypes.data + 8 * k, TO_CODE, OUTSIDE)
                self._data(rows.ctypes.data + 8 * k, self.laws[part.path].ctypes.data)
            else:
                self.function(addresses[k : k + 1], f"'{part.path}'")
                self._data(rows.ctypes.data + 8 * k, int(rows[k]))


def _ports_of(
    plan: ExecutionPlan, image: _Image, vectors: Mapping[str, np.ndarray], q: np.ndarray, v: np.ndarray
) -> list[tuple]:
    """Return name, unit, kind, place, size, whether whole numbers, least and largest value of what is set and seen."""
    found = []
    for part in plan.parts:
        read = _read_by(part.what) if isinstance(part.what, Device) else frozenset()
        for name, declared in part.what.fields.items():
            path = f"{part.path}.{name}"
            slot = plan.slots.get(path)
            if slot is None or isinstance(declared, Look) or not slot.size:
                continue
            law = isinstance(part.what, Law)
            if isinstance(declared, Parameter):
                kind = "parameter" if name in read else ""
            elif isinstance(declared, Out):
                kind = "input" if law else "output"
            elif isinstance(declared, In):
                kind = "input" if path in plan.unwired or path in plan.open else ""
            else:
                kind = slot.kind
            if law and isinstance(declared, In):
                kind = "output"  # what a law would be told
            if kind:
                low, high = _range_of(declared)
                at = image.in_instance(vectors[slot.kind][slot.where])
                whole = int(slot.kind == "n")
                found.append((path, slot.unit, PORT_KINDS[kind], at, slot.size, whole, low, high))
    for letter, numbers in (("q", q), ("v", v)):
        found.append(
            (letter, "", PORT_KINDS[letter], image.in_instance(numbers), len(numbers), 0, -np.inf, np.inf)
        )
    return [one for one in found if one[4]]


def _read_by(device: Device) -> frozenset[str]:
    """Return names that functions of a device, and kernels that they call, read; what else is set has no effect.

    Levels of crossings are read where these are watched.
    """
    texts = [f for one in type(device).functions.values() for f in reach(one, through_stages=False)[0]]
    levels = [one.level for one in device.fields.values() if isinstance(one, ZeroCrossing)]
    return frozenset([*levels, *(name for text in texts for name in text.__code__.co_names)])


def _range_of(declared: object) -> tuple[float, float]:
    """Return the least and the largest value that a parameter may have."""
    low, high = -np.inf, np.inf
    if isinstance(declared, Parameter):
        low = max(low, -np.inf if declared.least is None else declared.least)
        low = max(low, -np.inf if declared.above is None else float(np.nextafter(declared.above, np.inf)))
        high = np.inf if declared.most is None else declared.most
    return float(low), float(high)
