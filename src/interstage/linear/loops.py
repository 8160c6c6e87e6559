"""Open the feedback loops of an assembly: L = -(what comes back)/(what goes in) at inputs of devices.

The connection to an input is cut at its source, before its delay. What goes in takes the place of what the source
writes; what comes back is what the source writes then. All other connections stay as they are, so that unit negative
feedback around L gives the closed loop of `linearize`.

A loop through a sampled signal is a sampled model: what goes in is held over a frame. A signal that changes several
times in a frame, or continuously where other devices are sampled, has no transfer function from frame to frame and is
refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import cast, overload

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError, shown
from interstage.linear.chart import position_names, rate_names
from interstage.linear.joining import feedback
from interstage.linear.linearize import linearize
from interstage.linear.model import LinearModel
from interstage.linear.model_set import LinearModelSet, models_at
from interstage.multibody import State, System
from interstage.simulation.plant.assembly import Assembly, Member, Surroundings
from interstage.simulation.plant.clock import Period
from interstage.simulation.plant.connections import ConnectionPiece, split_slice
from interstage.simulation.plant.declarations import In, Out, Value
from interstage.simulation.plant.device import Device
from interstage.simulation.run.operating_point import vehicle_at

SAME_PERIOD = 1e-9  # relative difference of periods that are equal


class Relay(Device):
    """y = u, at every instant."""

    u = In("", "k")
    y = Out("", "k")

    def outputs(d, t):
        for i in range(len(d.y)):
            d.y[i] = d.u[i]


class HeldRelay(Device):
    """y = u, when u is sampled."""

    u = In("", "k")
    y = Out("", "k")
    sample = Relay.outputs


class ScalarRelay(Device):
    """The same of one number that is not a vector."""

    u = In("")
    y = Out("")

    def outputs(d, t):
        d.y = d.u


class HeldScalarRelay(Device):
    """The same of one number that is not a vector, when it is sampled."""

    u = In("")
    y = Out("")
    sample = ScalarRelay.outputs


@dataclass(frozen=True)
class _Cut:
    """A connection that is cut: what it was, the relay in its place, and how it is sampled.

    first, every : of the relay, in s; every None: continuous
    """

    piece: ConnectionPiece
    relay: Member
    first: Fraction
    every: Fraction | None

    @property
    def input(self) -> str:
        """Full name of the input of the relay, which is what is cut."""
        return f"{self.relay.path}.u"


class _Relayed(Assembly):
    """An assembly with relays in some connections: the source writes a relay, which the target reads.

    The delay of a connection stays between relay and target.
    """

    def __init__(self, flight: Assembly, cuts: Sequence[_Cut]):
        self.__dict__.update(flight.__dict__)
        self._cuts = {cut.piece: cut for cut in cuts}

    def parts(self, prefix: str = "", around: Surroundings | None = None) -> list[Member]:
        found = super().parts(prefix, around)
        return found if prefix else [*found, *(cut.relay for cut in self._cuts.values())]

    def pieces(self, prefix: str = "") -> list[ConnectionPiece]:
        found: list[ConnectionPiece] = []
        for piece in super().pieces(prefix):
            cut = None if prefix else self._cuts.get(piece)
            if cut is None:
                found.append(piece)
                continue
            path = cut.relay.path
            found.append(replace(piece, target=f"{path}.u", at=0, factor=1.0, delay=Fraction(0), every=None))
            found.append(replace(piece, source=f"{path}.y", first=0, every=None, ambient=False))
        return found


@overload
def open_loop(
    flight: Assembly,
    x0: State | None = None,
    at: str | Sequence[str] = (),
    *,
    sampled: bool | None = None,
    set: Mapping[str, Value] | None = None,
    step: Period | None = None,
    slosh: Sequence[str] | None = None,
    name: str | None = None,
) -> LinearModel: ...


@overload
def open_loop(
    flight: Assembly,
    x0: Sequence[State],
    at: str | Sequence[str] = (),
    *,
    sampled: bool | None = None,
    set: Mapping[str, Value] | None = None,
    step: Period | None = None,
    slosh: Sequence[str] | None = None,
    name: str | None = None,
) -> LinearModelSet: ...


@named_arguments
def open_loop(
    flight: Assembly,
    x0: State | Sequence[State] | None = None,
    at: str | Sequence[str] = (),
    *,
    sampled: bool | None = None,
    set: Mapping[str, Value] | None = None,
    step: Period | None = None,
    slosh: Sequence[str] | None = None,
    name: str | None = None,
) -> LinearModel | LinearModelSet:
    """Return the loop transfer function L = -(what comes back)/(what goes in) of an assembly, cut at inputs of devices.

    The closed loop is 1 + L = 0: `loop.margins()` has its margins, `loop.frequency_response` its Bode diagram. With
    several cuts all of them are open at once, and `margins` closes the others for each.

    Parameters
    ----------
    x0 : operating point, as from `trim` or `log.point`; several, as from `points`, give a `LinearModelSet`
    at : inputs of devices, by name, pattern or element, e.g. "tvc.command[0]" or ["pod*.gimbal"]. Elements that are
        not named stay connected
    sampled : True: the sampled model, `loop.dt` apart; False: continuous, with sampled devices held; default: sampled
        where anything in the assembly is
    set, step : as in `linearize`
    slosh : names or patterns of bodies that are propellant; default: those of `add_slosh`, and any with "slosh" in
        their name. Crossings are told as rigid, slosh or bending by them and by elastic coordinates

    Returns
    -------
    LinearModel
        As many outputs as inputs, one for each number that is cut, under the name of that input.

    Examples
    --------
    >>> loop = ist.open_loop(flight, point, at="tvc.command[0]")  # doctest: +SKIP
    >>> print(loop.margins())  # doctest: +SKIP
    """
    if not isinstance(flight, Assembly):
        raise InputError(
            "open_loop: a loop is opened in an Assembly",
            where="flight",
            got=shown(flight),
            hint="for matrices use ist.LinearModel(A, B, C, D, dt=None), for joined models interstage.linear.joining",
        )
    if isinstance(x0, Sequence) and not isinstance(x0, State | str):

        def loop_at(point: State) -> LinearModel:
            return open_loop(flight, point, at, sampled=sampled, set=set, step=step, slosh=slosh, name=name)

        return models_at(x0, loop_at, name)
    wanted = _elements(flight, at)
    pieces = [piece for piece in flight.pieces() if piece.target in wanted]
    for port in wanted:
        if not any(piece.target == port for piece in pieces):
            raise InputError(
                f"open_loop: nothing is connected to '{port}', so no loop passes through it",
                where="at",
                hint=_connected_inputs(flight),
            )
    if sampled is None:
        sampled = any(part.every is not None for part in flight.parts()) or any(
            piece.every is not None for piece in flight.pieces()
        )
    cuts = [cut for k, piece in enumerate(pieces) for cut in [_cut(flight, piece, k, sampled)]]
    sources = list(dict.fromkeys(piece.source for piece in pieces))
    model = linearize(
        _Relayed(flight, cuts),
        cast(State, x0),  # None where there is no vehicle
        inputs=[cut.input for cut in cuts],
        outputs=sources,
        set=set,
        sampled=sampled,
        step=step,
    )
    loop, names, units = _returned(model, cuts)
    chosen = [_is_chosen(name, wanted) for name in names]
    for port, elements in wanted.items():
        missing = [
            k for k in elements or () if f"{port}[{k}]" not in names and not (k == 0 and port in names)
        ]
        if missing:
            raise InputError(f"open_loop: nothing is connected to '{port}[{missing[0]}]'", where="at")
    rest, keep = ([k for k, yes in enumerate(chosen) if yes is value] for value in (False, True))
    if rest:
        loop = feedback(loop, np.eye(len(rest)), 1, inputs=rest, outputs=rest)
    loop = loop.select(keep, keep)
    names = [names[k] for k in keep]
    return replace(
        loop,
        C=-loop.C,
        D=-loop.D,
        inputs=names,
        outputs=list(names),
        input_units=[units[k] for k in keep],
        output_units=[units[k] for k in keep],
        input_index={},
        output_index={},
        operating_point={k: v for k, v in model.operating_point.items() if k != "y"},
        extras={**model.extras, "regions": _regions(vehicle_at(flight, x0), loop.states, slosh)},
        method=model.method,
        mass_properties=model.mass_properties,
        notes=model.notes,
        name=name or f"loop at {', '.join(names[:3])}{', ...' if len(names) > 3 else ''}",
    )


def _cut(flight: Assembly, piece: ConnectionPiece, number: int, sampled: bool) -> _Cut:
    """Return a cut of a connection, with a relay that samples as its source does."""
    path, _, out = piece.source.rpartition(".")
    source = next(part for part in flight.parts() if part.path == path)
    every, first, late = piece.every, Fraction(0), Fraction(0)
    if every is None and source.samples(out):
        every, first, late = source.every, source.offset, source.delay
    holds = sampled and every is not None
    if source.what.shape_of(out) == ():
        device: Device = HeldScalarRelay() if holds else ScalarRelay()
    else:
        device = HeldRelay(k=piece.count) if holds else Relay(k=piece.count)
    timing = (every, first, late) if holds else (None, Fraction(0), Fraction(0))
    relay = Member(f"{piece.target} > cut {number}", device, *timing)
    return _Cut(piece, relay, first, every)


def _returned(model: LinearModel, cuts: Sequence[_Cut]) -> tuple[LinearModel, list[str], list[str]]:
    """Return the model from what goes in to what comes back, in units of the targets, with their names and units."""
    names: list[str] = []
    units: list[str] = []
    rows: list[int] = []
    factors: list[float] = []
    later: list[bool] = []
    for cut in cuts:
        _check_rate(cut, model)
        piece = cut.piece
        source = model.output_index[piece.source]
        for k in range(piece.count):
            rows.append(int(source[piece.first + k]))
            names.append(f"{piece.target}[{piece.at + k}]")
            factors.append(piece.factor)
            units.append(model.output_units[rows[-1]] if piece.factor == 1.0 else "")
            later.append(model.dt is not None and cut.every is not None and cut.first % cut.every != 0)
    if len({one.piece.target for one in cuts}) == len(names):  # numbers, not vectors
        names = [name.rpartition("[")[0] for name in names]
    f, shift = np.array(factors), np.array(later)
    C, D = f[:, None] * model.C[rows], f[:, None] * model.D[rows] / f
    B = model.B / f
    # what samples within a frame is read at the beginning of the next one
    C[shift], D[shift] = C[shift] @ model.A, C[shift] @ B
    loop = LinearModel(model.A, B, C, D, list(model.states), list(names), list(names), dt=model.dt)
    return loop, names, units


def _is_chosen(name: str, wanted: Mapping[str, list[int] | None]) -> bool:
    """Tell if an element of an input is one of those that are cut."""
    port, bracket, index = name.rpartition("[")
    if not bracket:
        return True
    elements = wanted[port]
    return elements is None or int(index[:-1]) in elements


def _elements(flight: Assembly, at: object) -> dict[str, list[int] | None]:
    """Return {full name of an input: elements that are cut, None for all}."""
    given = [at] if isinstance(at, str) else at
    if not isinstance(given, Sequence) or not given or not all(isinstance(one, str) for one in given):
        raise InputError(
            "open_loop: at must name inputs of devices",
            where="at",
            expected='e.g. at="tvc.command[0]"',
            got=shown(at),
        )
    ports = flight.ports()
    found: dict[str, list[int] | None] = {}
    for text in given:
        part = split_slice(text)[1]
        for port in flight.find(text):
            if not isinstance(ports[port].field, In):
                sources = sorted({p.target for p in flight.pieces() if p.source == port})
                raise InputError(
                    f"open_loop: '{port}' is an output; a loop is opened at an input",
                    where="at",
                    hint=f"it is connected to {', '.join(sources[:4]) or 'nothing'}",
                )
            if part is None:
                found[port] = None
            elif found.get(port, []) is not None:
                found[port] = [*(found.get(port) or []), *range(*part)]
    return found


def _connected_inputs(flight: Assembly) -> str:
    targets = sorted({piece.target for piece in flight.pieces() if not piece.ambient})
    return f"connected inputs: {', '.join(targets[:8])}{', ...' if len(targets) > 8 else ''}"


def _check_rate(cut: _Cut, model: LinearModel) -> None:
    """Refuse a cut of a signal that changes within a frame: it has no transfer function from frame to frame."""
    if model.dt is None:
        return
    where = f"from '{cut.piece.source}' to '{cut.piece.target}'"
    if cut.every is None:
        raise InputError(
            f"open_loop: the signal {where} is continuous, and other devices are sampled",
            where="at",
            hint="cut at an input that a sampled output is connected to; sampled=False holds all sampled devices, "
            "which opens the loops through them as well",
        )
    if abs(float(cut.every) - model.dt) > SAME_PERIOD * model.dt:
        raise InputError(
            f"open_loop: the signal {where} changes every {float(cut.every):g} s, several times in a frame of "
            f"{model.dt:g} s",
            where="at",
            expected="a signal that changes once in a frame, the least common multiple of all periods",
            hint="cut where the slowest sampled device of the loop is connected",
        )


def _regions(
    system: System | None, states: Sequence[str], slosh: Sequence[str] | None
) -> dict[str, np.ndarray]:
    """Return which states are rigid motion, propellant slosh, and bending."""
    if system is None:
        return {}
    positions, rates = position_names(system), rate_names(system)
    kinds: dict[str, list[str]] = {"rigid": [], "slosh": [], "bending": []}
    for body, where in system.layout.items():
        joint = range(*where.v.indices(system.nv))
        modes = range(*where.etadot.indices(system.nv))
        kinds["bending"] += [names[k] for k in modes for names in (positions, rates)]
        if _is_slosh(body, list(system.layout), slosh):
            kinds["slosh"] += [names[k] for k in joint for names in (positions, rates)]
        elif body in system.model.roots:
            kinds["rigid"] += [names[k] for k in joint for names in (positions, rates)]
    place = {state: k for k, state in enumerate(states)}
    return {
        kind: np.array(sorted(place[one] for one in names if one in place), dtype=np.int64)
        for kind, names in kinds.items()
    }


def _is_slosh(body: str, bodies: Sequence[str], slosh: Sequence[str] | None) -> bool:
    """Tell if a body is a slosh mass: one that is named so, or "tank 1" beside a "tank rigid" of `add_slosh`."""
    if slosh is not None:
        return any(fnmatchcase(body, pattern) for pattern in slosh)
    match = re.fullmatch(r"(.+) \d+", body)
    return "slosh" in body.lower() or (match is not None and f"{match[1]} rigid" in bodies)
