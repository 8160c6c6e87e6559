"""Assemblies: members with names, and wires between their ports.

    flight = ist.Assembly("ascent", vehicle=system)
    flight.add("imu", IMU(at=("core", 21)), every="5 ms")
    flight.add("fsw", law, every="20 ms", out={"gimbal": "rad[8]"})
    flight.wire({"imu.rate": "fsw.rate", "fsw.gimbal": "pod*.gimbal"})

A member is a device, a plain function, an object that can be called, a vehicle, or another assembly. Names of ports are
paths ("pod1.tvc.command"); `*` and `?` in a part of a path match names. A function that returns an assembly is a
reusable group: what it exposes are its ports.

An assembly may have several vehicles: `flight.add("chaser", system)` makes its bodies "chaser.bus", ... and a member
that is an assembly may have vehicles of its own, whose places its devices name as they are there. A group without
vehicles touches that of the assembly around it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError, did_you_mean, shown
from interstage.multibody import State, System
from interstage.multibody.topology import states_together, together
from interstage.output import write_svg
from interstage.simulation.plant.clock import Period, delay_of, period_of
from interstage.simulation.plant.connections import (
    ConnectionPiece,
    ambient_pieces,
    matching,
    pieces_of,
    split_slice,
)
from interstage.simulation.plant.declarations import Field, In, Look, Out, Push, Sites
from interstage.simulation.plant.device import Device, written
from interstage.simulation.plant.prescribed_inputs import Ahead, MassHistory
from interstage.simulation.plant.prescribed_motion import PrescribedMotion
from interstage.simulation.plant.python_block import Law, law_of


@dataclass(frozen=True)
class Member:
    """A device at its place in an assembly: full name, what it is, period and first sample (None: continuous).

    delay : how much later others see what it samples
    scope : what goes before the names of bodies that it touches;  root : the body where no place is given
    like : path of what it is a copy of, around another vehicle: it shares its parameters, and acts on nothing
    """

    path: str
    what: Device | Law
    every: Fraction | None
    offset: Fraction
    delay: Fraction = Fraction(0)
    scope: str = ""
    root: str | None = None
    like: str = ""

    def place_of(self, name: str) -> object:
        """Return a place that was given by the full name of its body, or a list of several."""
        given = self.what.place_of(name)
        if isinstance(self.what.places[name], Sites) and isinstance(given, list | tuple):
            return [self._placed(place) for place in given]
        return self._placed(given)

    def _placed(self, place: object) -> object:
        if place is None:
            return self.root
        if isinstance(place, tuple | list):
            return (f"{self.scope}{place[0]}", *place[1:])
        return f"{self.scope}{place}" if isinstance(place, str) else place

    def samples(self, name: str) -> bool:
        """Return whether an output is held between samples."""
        if isinstance(self.what, Law):
            return self.every is not None
        return name in written(type(self.what), "sample")


@dataclass(frozen=True)
class Port:
    """A port: full name, its part, its declaration, its shape (None: as large as what is wired to it)."""

    name: str
    part: Member
    field: Field
    shape: tuple[int, ...] | None

    @property
    def size(self) -> int | None:
        """How many numbers it has."""
        return None if self.shape is None else (self.shape[0] if self.shape else 1)


@dataclass(frozen=True)
class Surroundings:
    """The vehicle that devices touch, and what goes before the names of its bodies in the whole."""

    scope: str
    vehicle: System

    def part(self, member: Member, path: str) -> Member:
        """Return a device at its place, on this vehicle."""
        what = member.what.bound(self.vehicle)
        return replace(
            member, path=path, what=what, scope=self.scope, root=self.scope + self.vehicle.bodies[0]
        )


def _ahead(what: object, body: str | None, where: str) -> Ahead:
    """Return a motion or mass of a body as a member."""
    if not isinstance(what, PrescribedMotion | MassHistory) or not isinstance(body, str):
        words = "as in add('slew', ist.PrescribedMotion(angle=f), body='panel')"
        raise InputError(f"{where} does not fit body=", expected=words, got=f"{what!r}, body={body!r}"[:80])
    return Ahead(what, body, where)


@named_arguments
class Assembly:
    """Members and wires; see the module.

    name : of the whole;  vehicle : a compiled `System` whose places and joints the devices touch
    seed : of the noise of all devices, a non-negative integer below 2⁶³. Default: in a run of `monte_carlo` the seed of
        that run (`row.seed`), so that every run has different noise; 0 elsewhere
    """

    @named_arguments
    def __init__(self, name: str = "assembly", vehicle: System | None = None, seed: int | None = None):
        if vehicle is not None and not isinstance(vehicle, System):
            raise InputError("the vehicle is not compiled", expected="Multibody.compile()", got=repr(vehicle))
        whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
        if seed is not None and not (whole and 0 <= seed < 2**63):
            raise InputError(
                "Assembly: seed must be a non-negative integer below 2**63", where="seed", got=shown(seed)
            )
        self.name, self.seed = name, seed
        self._own = vehicle
        self._joined: tuple[dict[str, System], System | None] = {}, None
        self._members: dict[str, Assembly | Member | System] = {}
        self._pieces: list[ConnectionPiece] = []
        self._exposed: dict[str, list[str]] = {}

    # building ---------------------------------------------------------------------------------------

    @named_arguments
    def add(
        self,
        name: str,
        what: Device | Assembly | System | PrescribedMotion | MassHistory | Callable[..., object],
        *,
        body: str | None = None,
        every: Period | None = None,
        offset: Period | None = None,
        delay: Period | None = None,
        out: Mapping[str, str] | None = None,
        inputs: Mapping[str, str] | None = None,
    ) -> Assembly:
        """Add a member: device, assembly, vehicle, or Python that is called with time and its inputs; returns self.

        body : whose joint follows a `PrescribedMotion`, or whose mass properties a `MassHistory` gives
        every : period of its samples, as in "5 ms"; None: that of the device, or (a law) at every instant
        offset : time of the first sample, default 0;  delay : how much later others see what it samples
        out : {port: "unit[size]"} that a law returns;  inputs : the same of its arguments, where they shall be checked;
            an object may have both as attributes

        What a law remembers is its own, and goes over from one run to the next: a run that shall begin afresh takes an
        assembly with a new one. Only `resume` puts back what it remembered.
        """
        where = f"'{name}'"
        if not isinstance(name, str) or not name.replace("-", "_").isidentifier():
            raise InputError("not a name of a member", expected="letters, digits and _", got=repr(name))
        if name in self._members:
            raise InputError(f"there is a member {where} already", where=f"assembly '{self.name}'")
        if isinstance(what, Assembly | System):
            self._add_group(name, what, (every, offset, delay, out, inputs))
            return self
        if isinstance(what, PrescribedMotion | MassHistory) or body is not None:
            self._members[name] = Member(name, _ahead(what, body, where), None, Fraction(0))
            if any(value is not None for value in (every, offset, delay, out, inputs)):
                raise InputError(f"{where} holds at every instant: it has no period and no ports to declare")
            return self
        if isinstance(what, type) and issubclass(what, Device):
            raise InputError(f"{where} is a class", expected=f"a device, as {what.__name__}(…)")
        if isinstance(what, Device) and (out is not None or inputs is not None):
            raise InputError(
                f"{where} declares its ports itself", where="out" if out is not None else "inputs"
            )
        given = what if isinstance(what, Device) else law_of(what, out, inputs, where)
        period = None if every is None else period_of(every, f"{where}, every")
        first = None if offset is None else period_of(offset, f"{where}, offset", zero=True)
        if isinstance(given, Device):
            period, first = period or given.every, given.offset if first is None else first
            samples = "sample" in given.functions
            if not samples and period is not None:
                raise InputError(
                    f"{where} has no function sample(d, t): it is continuous", hint="leave every= out"
                )
        else:
            samples = getattr(what, "sampled", False) is True
        if samples and period is None:
            raise InputError(f"{where} samples, but has no period", hint='give every="5 ms"')
        if delay is not None and (
            period is None or (isinstance(given, Device) and not written(type(given), "sample"))
        ):
            raise InputError(f"{where} samples no output: only what is sampled can be delayed", where="delay")
        late = getattr(given, "delay", Fraction(0)) if delay is None else delay_of(delay, period)
        self._members[name] = Member(name, given, period, first or Fraction(0), late)
        for more, device in given.companions.items() if isinstance(given, Device) else ():
            self.add(f"{name}_{more}", device)
        return self

    def _add_group(self, name: str, what: Assembly | System, given: Sequence[object]) -> None:
        kind = "an assembly: its members have periods and ports"
        if any(value is not None for value in given):
            raise InputError(
                f"'{name}' is {kind if isinstance(what, Assembly) else 'a vehicle: it has no period'}"
            )
        if isinstance(what, Assembly) and (what is self or self in what.groups()):
            raise InputError(f"assembly '{self.name}' cannot be a member of itself", where=f"'{name}'")
        self._members[name] = what

    def expose(self, **ports: str | Sequence[str]) -> Assembly:
        """Give ports of members a name of this assembly, as in expose(gimbal="tvc.command"); returns self."""
        for name, inner in ports.items():
            if name in self._members or name in self._exposed:
                raise InputError(f"assembly '{self.name}' has '{name}' already", where="expose")
            found = [
                p.name for text in ([inner] if isinstance(inner, str) else inner) for p in self._find(text)
            ]
            self._exposed[name] = list(dict.fromkeys(found))
        return self

    def wire(
        self,
        wires: Mapping[str, str | Sequence[str]],
        delay: Period | None = None,
        every: Period | None = None,
    ) -> Assembly:
        """Connect outputs to inputs, {output: input or list of inputs}; returns self.

        Names may have `*`: a vector is split over the inputs that match, in the order of addition, or each gets all
        of it where sizes say so; several outputs are joined. `imu.rate[2]` and `imu.rate[0:2]` are parts.
        delay : how much later the inputs see what a sampled output says: a time, or as in "2 samples" of the output
        every : period at which continuous outputs are sampled on the way (and held, and delayed)
        """
        rate = None if every is None else period_of(every, "every")
        words = 'as in {"imu.rate": "fsw.rate"}'
        if not isinstance(wires, Mapping):
            raise InputError("wires cannot be read", where="wire", expected=words, got=repr(wires)[:60])
        for source, targets in wires.items():
            if not isinstance(targets, Sequence):
                raise InputError(
                    "a wire joins names", where=f"wire from {source!r}", expected=words, got=repr(targets)
                )
            for target in [targets] if isinstance(targets, str) else targets:
                self._connect(source, target, delay, rate)
        return self

    def _connect(self, source: str, target: str, delay: Period | None, every: Fraction | None) -> None:
        if not isinstance(source, str) or not isinstance(target, str):
            raise InputError(
                "a wire joins names",
                expected='as in {"imu.rate": "fsw.rate"}',
                got=f"{source!r} to {target!r}",
            )
        sources, targets = self._find(source, Out), self._find(target, In)
        for port in sources:
            if not isinstance(port.field, Out):
                raise InputError(
                    f"'{port.name}' is an input",
                    where=f"wire from '{source}'",
                    hint="wires go from output to input",
                )
            sampled = port.part.samples(port.field.name)
            if delay is not None and every is None and not sampled:
                raise InputError(
                    f"'{port.name}' is continuous: only what is sampled can be delayed",
                    where="delay",
                    hint='sample it on the way: every="10 ms"',
                )
            if every is not None and sampled:
                raise InputError(
                    f"'{port.name}' is sampled already", where="every", got=f"every {port.part.every} s"
                )
        for port in targets:
            if not isinstance(port.field, In):
                raise InputError(
                    f"'{port.name}' is an output: its device writes it", where=f"wire to '{target}'"
                )
            if isinstance(port.field, Look):
                raise InputError(f"'{port.name}' is filled by the vehicle", where=f"wire to '{target}'")
        late = {
            p.name: Fraction(0) if delay is None else delay_of(delay, every or p.part.every) for p in sources
        }
        new = [
            replace(piece, delay=late[piece.source], every=every)
            for piece in pieces_of(sources, targets, split_slice(source)[1], split_slice(target)[1])
        ]
        for piece in new:
            for old in self._pieces:
                if old.target == piece.target and old.overlaps(piece):
                    raise InputError(
                        f"'{piece.target}' has two writers",
                        got=f"{old.source} and {piece.source}",
                        hint="wire one",
                    )
        self._pieces += new

    # asking -----------------------------------------------------------------------------------------

    def vehicles(self, prefix: str = "") -> dict[str, System]:
        """Return all vehicles by what goes before the names of their bodies, "" or as "chaser."."""
        found = {} if self._own is None else {prefix: self._own}
        for name, member in self._members.items():
            if isinstance(member, System):
                found[f"{prefix}{name}."] = member
            elif isinstance(member, Assembly):
                found |= member.vehicles(f"{prefix}{name}.")
        return found

    @property
    def vehicle(self) -> System | None:
        """All vehicles as one system, None where there are none; the one that was given where it is the only one."""
        all_of_them = self.vehicles()
        if set(all_of_them) <= {""}:
            return self._own
        known, joined = self._joined
        if (
            joined is None
            or list(known) != list(all_of_them)
            or any(known[k] is not v for k, v in all_of_them.items())
        ):
            joined = together(self.name, all_of_them)
            self._joined = all_of_them, joined
        return joined

    def copy(self) -> Assembly:
        """Return an assembly of the same members and wires, to which others can be added; members stay who they are."""
        new = copy(self)
        new._members, new._pieces = dict(self._members), list(self._pieces)
        new._exposed = {name: list(ports) for name, ports in self._exposed.items()}
        return new

    def with_vehicle(self, system: System) -> Assembly:
        """Return a copy of the assembly whose vehicles together are another view of them, as with other constants."""
        new, vehicles = copy(self), self.vehicles()
        if set(vehicles) <= {""}:
            new._own = system
        else:
            new._joined = vehicles, system
        return new

    def state(self, states: Mapping[str, State] | None = None) -> State:
        """Return the state of all vehicles together, of those given by name ("" for `vehicle=`), others at rest."""
        system = self.vehicle
        if system is None:
            raise InputError(
                f"assembly '{self.name}' has no vehicle", hint="give vehicle= a System, or add one"
            )
        return states_together(system, self.vehicles(), states or {})

    def groups(self) -> list[Assembly]:
        """Return all assemblies inside this one."""
        own = [m for m in self._members.values() if isinstance(m, Assembly)]
        return own + [inner for group in own for inner in group.groups()]

    def parts(self, prefix: str = "", around: Surroundings | None = None) -> list[Member]:
        """Return all devices in order, by their full names; around : what they touch where there is no vehicle here."""
        vehicle = self.vehicle
        if vehicle is not None:
            around = Surroundings(prefix, vehicle)
        found: list[Member] = []
        for name, member in self._members.items():
            path = prefix + name
            if isinstance(member, Member):
                found.append(replace(member, path=path) if around is None else around.part(member, path))
            elif isinstance(member, Assembly):
                found += member.parts(path + ".", around)
        return found

    def pieces(self, prefix: str = "") -> list[ConnectionPiece]:
        """Return all wires, by full names."""
        found = [replace(p, source=prefix + p.source, target=prefix + p.target) for p in self._pieces]
        for name, member in self._members.items():
            if isinstance(member, Assembly):
                found += member.pieces(f"{prefix}{name}.")
        return found if prefix else found + ambient_pieces(self.ports(), found)

    def ports(self) -> dict[str, Port]:
        """Return all ports by their full names."""
        found = {}
        for part in self.parts():
            for name, field in part.what.fields.items():
                if isinstance(field, In | Out):
                    full = f"{part.path}.{name}"
                    found[full] = Port(full, part, field, part.what.shape_of(name))
        return found

    def exposed(self, prefix: str = "") -> dict[str, list[str]]:
        """Return names that were given by `expose`, here and inside, with the ports that they mean."""
        found = {prefix + name: [prefix + inner for inner in ports] for name, ports in self._exposed.items()}
        for name, member in self._members.items():
            if isinstance(member, Assembly):
                found |= member.exposed(f"{prefix}{name}.")
        return found

    def find(self, pattern: str) -> list[str]:
        """Return the full names of the ports that a name or pattern means, in the order of addition."""
        return [port.name for port in self._find(pattern)]

    def _find(self, pattern: str, kind: type[In] | type[Out] | None = None) -> list[Port]:
        """Return the ports that a name or pattern means; where there are none, names of a kind are put forward."""
        text = split_slice(pattern)[0]
        ports, aliases = self.ports(), self.exposed()
        meant = matching(text, [*ports, *aliases])

        def of_kind(name: str) -> bool:
            field = ports[aliases.get(name, [name])[0]].field
            return kind is None or (isinstance(field, kind) and not isinstance(field, Look | Push))

        if not meant:
            raise InputError(
                f"there is no port '{text}'",
                where=f"assembly '{self.name}'",
                hint=did_you_mean(text, [name for name in (*aliases, *ports) if of_kind(name)]),
            )
        names = {inner: None for name in meant for inner in aliases.get(name, [name])}
        order = {name: k for k, name in enumerate(ports)}
        return [ports[name] for name in sorted(names, key=order.__getitem__)]

    def __repr__(self) -> str:
        return f"<Assembly '{self.name}': {len(self.parts())} devices, {len(self.pieces())} wires>"

    def __str__(self) -> str:
        from interstage.simulation.plant.assembly_text import tree_text

        return tree_text(self)

    def diagram(self, path: str | Path | None = None) -> str:
        """Return the block diagram as SVG, and write it to a file where one is given.

        Blocks stand as signals flow; bars have the colours of rates, diamonds are ports at the vehicle.
        """
        picture = import_module("interstage.report.diagram").diagram_svg(self)
        if path is not None:
            write_svg(path, picture)
        return picture

    def _repr_svg_(self) -> str:
        return self.diagram()

    def members(self) -> dict[str, Assembly | Member | System]:
        """Return the members of this assembly by name."""
        return dict(self._members)
