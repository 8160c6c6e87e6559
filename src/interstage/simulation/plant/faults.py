"""Faults: ports that say something else than their devices from one time to another.

    ist.simulate(flight, x0, until=60, faults=[ist.Fault("imu.rate[2]", "3 deg/s", start=20, stop=25)])

A fault lies on the tape behind whoever writes the port, so that all that read it, the vehicle and the log see it, in
compiled stretches too. It begins and ends on ticks, before the samples of that tick; what is felt there is still the
acceleration before. An input that is overridden has
numbers of its own: its source says what it said to everyone else.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import FidelityWarning, InputError, caller_level
from interstage.simulation.plant.assembly import Assembly, Member, Port
from interstage.simulation.plant.clock import Period, on_ticks, period_of
from interstage.simulation.plant.connection_blocks import Copy, Links, said_by
from interstage.simulation.plant.connections import split_slice
from interstage.simulation.plant.declarations import (
    DiscreteState,
    IntegerState,
    Look,
    Out,
    Parameter,
    Value,
    numbers,
    shaped,
)
from interstage.simulation.plant.device import Device
from interstage.simulation.plant.execution_order import Entry
from interstage.simulation.run.events import EventRecord

if TYPE_CHECKING:
    from interstage.simulation.plant.plan import ExecutionPlan


ONCE = Fraction(10**6)  # seconds, nearly, after which a single instant would come again
NEVER = 1e30


@named_arguments
@dataclass(frozen=True)
class Fault:
    """A port, or all that a pattern means, that is overridden from `start` until `stop` (None: to the end).

    value : numbers, or a quantity as "3 deg/s", in the unit of the port; None: it sticks at what it says at the start
    """

    port: str
    value: Value | None = None
    start: Period = 0
    stop: Period | None = None

    def times(self) -> tuple[Fraction, Fraction | None]:
        """Return start and stop in seconds."""
        begin = period_of(self.start, f"fault of '{self.port}', start", zero=True)
        end = None if self.stop is None else period_of(self.stop, f"fault of '{self.port}', stop")
        if end is not None and end <= begin:
            raise InputError(
                f"the fault of '{self.port}' stops before it starts", got=f"{begin} s to {end} s"
            )
        return begin, end

    def records(self, start: float, end: float) -> list[EventRecord]:
        """Return what a run from start to end says about it; nothing is measured."""
        begin, stop = (None if time is None else float(time) for time in self.times())
        word = f"{self.port} {'sticks' if self.value is None else f'is {self.value}'}"
        if stop is not None and stop <= start:
            return []
        if begin is not None and begin > end:
            warnings.warn(
                f"the fault of '{self.port}' starts at {begin:g} s, and the run ended at {end:g} s: it did nothing",
                FidelityWarning,
                stacklevel=caller_level(),
            )
        found = [(max(begin or 0.0, start), word), (stop, f"{self.port} is itself again")]
        times = [(t, what) for t, what in found if t is not None and start <= t <= end]
        return [EventRecord.unmeasured(t, "fault", what) for t, what in times]

    def described(self) -> dict[str, object]:
        """Return the fault as plain numbers and words."""
        begin, end = self.times()
        value = self.value.tolist() if isinstance(self.value, np.ndarray | np.generic) else self.value
        stop = None if end is None else f"{end} s"
        return {"port": self.port, "value": value, "start": f"{begin} s", "stop": stop}


class Override(Device):
    """y is `held` while it is active, behind what writes it at every instant."""

    begin, end = Parameter("s", 0.0), Parameter("s", NEVER)
    stuck, active = IntegerState(), IntegerState()
    held = DiscreteState("", "k")
    y = Out("", "k")

    def outputs(d, t):
        if d.active == 1:
            for i in range(len(d.y)):
                d.y[i] = d.held[i]

    def sample(d, t):
        on = t >= d.begin.real and t < d.end.real
        if on and d.active == 0 and d.stuck == 1:
            for i in range(len(d.held)):
                d.held[i] = d.y[i]
        d.active = 1 if on else 0


class HeldOverride(Device):
    """The same of what is sampled or held; `said` is what its device said last, which comes back at the end.

    It comes back before every sample of the device too (`Restore`), which may go on from what it said itself.
    """

    begin, end = Parameter("s", 0.0), Parameter("s", NEVER)
    stuck, active = IntegerState(), IntegerState()
    held, said = DiscreteState("", "k"), DiscreteState("", "k")
    y = DiscreteState("", "k")  # it lies where the port does

    def sample(d, t):
        on = t >= d.begin.real and t < d.end.real
        for i in range(len(d.y)):
            if on:
                d.said[i] = d.y[i]
                if d.active == 0 and d.stuck == 1:
                    d.held[i] = d.y[i]
                d.y[i] = d.held[i]
            elif d.active == 1:
                d.y[i] = d.said[i]
        d.active = 1 if on else 0


class Restore(Device):
    """Let a device find what it said itself: `said` of a `HeldOverride` before its sample."""

    active = IntegerState()
    said, y = DiscreteState("", "k"), DiscreteState("", "k")  # they lie where those of the override do

    def sample(d, t):
        if d.active == 1:
            for i in range(len(d.y)):
                d.y[i] = d.said[i]


@dataclass(frozen=True)
class Forced:
    """Numbers of a port that a fault writes: `count` from `first` on, by a part, behind the part `writer`.

    writer : None where nothing writes, an input that is held;  sampled : whether it holds
    back : a part before the writer, where that samples
    """

    part: Member
    port: str
    first: int
    count: int
    writer: int | None
    sampled: bool
    begin: Fraction
    end: Fraction | None
    stuck: bool
    back: Member | None = None

    def alias(self, slots: dict[str, Any]) -> None:
        """Let the part before the writer work on the numbers of the one behind it."""
        if self.back is not None:
            for name in Restore.fields:
                slots[f"{self.back.path}.{name}"] = slots[f"{self.part.path}.{name}"]


def faults_of(given: Sequence[Fault | Mapping[str, Any]]) -> list[Fault]:
    """Return faults, of a checkpoint too, or say what they should be."""
    if isinstance(given, Fault | str) or not isinstance(given, Sequence):
        raise InputError(
            "faults cannot be read", where="faults", expected="[ist.Fault(…), …]", got=repr(given)
        )
    known = {one.name for one in dataclass_fields(Fault)}
    found: list[Fault] = []
    for one in given:
        if isinstance(one, Mapping) and {"port"} <= one.keys() <= known:
            one = Fault(**one)
        if not isinstance(one, Fault) or not isinstance(one.port, str):
            raise InputError(
                "not a fault", expected='as in ist.Fault("imu.rate", 0.0, start=1)', got=repr(one)
            )
        found.append(one)
    return found


def overridden(faults: Sequence[Fault], assembly: Assembly) -> list[str]:
    """Return the full names of the ports that faults mean."""
    return [name for fault in faults for name in assembly.find(fault.port)]


def forced(
    faults: Sequence[Fault],
    assembly: Assembly,
    parts: list[Member],
    links: Links,
    start: Fraction,
    known: Collection[str] = (),
) -> list[Forced]:
    """Return the parts that write the numbers of faults, of a run from a start; parts are not added.

    known : names of which the run has values: a fault among them is as it was, and need not begin with the run
    """
    number = {part.path: k for k, part in enumerate(parts)}
    ports = assembly.ports()
    # a run may start at any time (a row of a log): ticks meet it to a microsecond
    soonest = start if on_ticks(start) else Fraction(math.ceil(start * 10**6 - Fraction(1, 10**6)), 10**6)
    found: list[Forced] = []
    for n, fault in enumerate(faults):
        begin, end = fault.times()
        for name in assembly.find(fault.port):
            for piece in _pieces(fault, ports[name], number, parts, links):
                made = _forced(fault, piece, begin, end, n)
                if f"{made.part.path}.active" not in known:
                    if end is not None and end <= start:
                        continue
                    made = _forced(fault, piece, max(begin, soonest), end, n)
                _check_alone(made, found)
                found.append(made)
    return found


@dataclass(frozen=True)
class _Piece:
    port: Port
    first: int
    count: int
    writer: int | None
    sampled: bool
    unit: str


def _pieces(
    fault: Fault, port: Port, number: dict[str, int], parts: list[Member], links: Links
) -> list[_Piece]:
    """Return the meant numbers of a port by who writes them."""
    k, name = number[port.part.path], port.field.name
    writers: list[tuple[int, int, int | None, bool]] = []  # first, count, part, sampled
    if isinstance(port.field, Out):
        writers.append((0, port.size or 1, k, port.part.samples(name)))
    elif isinstance(port.field, Look):
        writers.append((0, port.size or 1, number[f"{port.name} > seen"], False))
    elif (k, name) in links:
        writers += [(a.at, a.count, a.part, parts[a.part].samples(a.out)) for a in links[k, name]]
    elif port.size is not None:
        writers.append((0, port.size, None, True))
    meant = split_slice(fault.port)[1] or (0, sum(count for _, count, _, _ in writers))
    unit = port.field.unit
    if not unit and (k, name) in links:  # an argument has that of what is wired to it
        link = said_by(parts, links, links[k, name][0])
        unit = parts[link.part].what.fields[link.out].unit
    found = []
    for first, count, writer, sampled in writers:
        low, high = max(first, meant[0]), min(first + count, meant[1])
        if low < high:
            found.append(_Piece(port, low, high - low, writer, sampled, unit))
    if sum(piece.count for piece in found) != meant[1] - meant[0] or not found:
        raise InputError(f"'{port.name}' has no [{meant[0]}:{meant[1]}]", where=f"fault of '{fault.port}'")
    return found


def _forced(fault: Fault, piece: _Piece, begin: Fraction, end: Fraction | None, n: int) -> Forced:
    """Return the part of a piece of the n-th fault; by that name a point of the run knows what it held."""
    port, kind = piece.port, HeldOverride if piece.sampled else Override
    where = f"fault of '{fault.port}'"
    value: Value = 0.0
    if fault.value is not None:
        given = numbers(fault.value, piece.unit, where)
        meant = split_slice(fault.port)[1]
        size = meant[1] - meant[0] if meant else port.size or given.size
        at = piece.first - (meant[0] if meant else 0)
        value = np.atleast_1d(shaped(given, (size,), where))[at : at + piece.count]
    device = kind(
        k=piece.count,
        begin=float(begin),
        end=NEVER if end is None else float(end),
        stuck=int(fault.value is None),
        held=value,
    )
    part = Member(f"{port.name}[{piece.first}] > fault {n}", device, None, Fraction(0))
    back = None
    if piece.sampled:
        back = Member(f"{part.path} back", Restore(k=piece.count), None, Fraction(0))
    return Forced(
        part,
        port.name,
        piece.first,
        piece.count,
        piece.writer,
        piece.sampled,
        begin,
        end,
        fault.value is None,
        back,
    )


def _check_alone(new: Forced, found: list[Forced]) -> None:
    """Refuse two faults of the same numbers at one time."""
    for old in found:
        apart = new.first >= old.first + old.count or old.first >= new.first + new.count
        later = (old.end is not None and new.begin >= old.end) or (
            new.end is not None and old.begin >= new.end
        )
        if old.port == new.port and not apart and not later:
            raise InputError(
                f"two faults of '{new.port}' at one time", hint="let one stop before the other starts"
            )


def seen_apart(ports: Mapping[str, Port], names: Collection[str]) -> dict[str, Member]:
    """Return parts that copy what the vehicle shows to ports that share it with others no more, by port."""
    found = {}
    for name in names:
        if isinstance(ports[name].field, Look):
            copy = Copy(k=ports[name].size or 1)
            found[name] = Member(f"{name} > seen", copy, None, Fraction(0))
    return found


def insert(plan: ExecutionPlan, found: Sequence[Forced], first: int, seen: Mapping[int, bool]) -> None:
    """Put faults on the tapes of a plan whose parts from number `first` on they are.

    seen : copies of what the vehicle shows, by number, and whether that is felt
    """
    for k, felt in seen.items():
        (plan.after if felt else plan.before).insert(0, Entry(k, "outputs"))
    once = int(ONCE // plan.clock.tick)
    switches: list[Entry] = []
    number = {part.path: k for k, part in enumerate(plan.parts)}
    for k, one in enumerate(found, first):
        times = [time for time in (one.begin, one.end) if time is not None]
        back = None if one.back is None else number[one.back.path]
        order = (
            [k] if back is None else [back, k]
        )  # a run that starts in a fault finds what its device said last
        switches += [Entry(j, "sample", once, plan.clock.ticks(time)) for time in times for j in order]
        if one.sampled:
            first_number = plan.slots[one.port].start + one.first
            for time in times:
                switched = plan.switched.setdefault(time, set())
                switched.update(range(first_number, first_number + one.count))
            plan.sampled = _behind(plan.sampled, one.writer, k, back)
        else:
            plan.sample_feels |= one.stuck and any(e.part == one.writer for e in plan.after)
            plan.ahead = _behind(plan.ahead, one.writer, k)
            plan.before = _behind(plan.before, one.writer, k)
            plan.after = _behind(plan.after, one.writer, k)
    # what is continuous says it once more behind the switches, for the samples of that tick
    walks = [*plan.ahead, *plan.before, *(plan.after if plan.sample_feels else [])]
    ticks = sorted({e.first for e in switches})
    again = [replace(e, every=once, first=tick) for tick in ticks for e in walks]
    plan.sampled = switches + again + plan.sampled


def _behind(tape: list[Entry], writer: int | None, k: int, back: int | None = None) -> list[Entry]:
    """Return a tape on which a part runs each time after another, and one (`back`) before it."""
    found: list[Entry] = []
    for entry in tape:
        if entry.part == writer and back is not None:
            found.append(replace(entry, part=back))
        found.append(entry)
        if entry.part == writer:
            found.append(replace(entry, part=k))
    return found
