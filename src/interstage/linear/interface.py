"""Names, units and indices of the states, inputs and outputs of linear models, whatever the state.

An interface is found once for the same inputs and outputs of one vehicle with the same joint modes (`interface_of`):
for small systems names and units would cost more than the numbers. Grid positions and mass properties are those at a
state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from interstage.component.units import SI_UNITS
from interstage.errors import InputError
from interstage.linear.chart import POSITIONS, RATES, position_names, rate_names
from interstage.linear.inputs import Input, InputChannel, JointForce
from interstage.linear.outputs import CustomOutput, OutputSpec
from interstage.multibody import queries
from interstage.multibody.joint_modes import PRESCRIBED
from interstage.multibody.loads import Wrench, split_place
from interstage.multibody.model import vehicle_units
from interstage.multibody.types import Node, Place

if TYPE_CHECKING:
    from interstage.linear.chart import Moving
    from interstage.linear.model import LinearModel
    from interstage.linear.vehicle_plant import VehiclePlant
    from interstage.multibody.state import State
    from interstage.multibody.system import System


class UnitNames:
    """Turn kinds of quantities into names of units: those of the vehicle, or names of quantities where not known."""

    def __init__(self, system: System):
        base = vehicle_units(system.model) or {"mass": "mass", "length": "length", "time": "s"}
        m, l, t = base["mass"], base["length"], base["time"]
        force = "N" if base == SI_UNITS else f"{m} {l}/{t}^2"
        self._units = {
            "angle": "rad",
            "attitude": "rad",
            "rate": f"rad/{t}",
            "angular acceleration": f"rad/{t}^2",
            "position": l,
            "velocity": f"{l}/{t}",
            "acceleration": f"{l}/{t}^2",
            "force": force,
            "torque": f"{force} {l}" if base == SI_UNITS else f"{m} {l}^2/{t}^2",
            "modal coordinate": f"{m}^0.5 {l}",
            "modal rate": f"{m}^0.5 {l}/{t}",
            "modal force": f"{m}^0.5 {l}/{t}^2",
        }
        known = base == SI_UNITS
        self._units |= {
            "angular torque": self._units["torque"],
            "moment": self._units["torque"],
            "force per length": f"{force}/{l}" if known else f"{m}/{t}^2",
            "moment per length": force,
            "stress": "Pa" if known else f"{m}/({l} {t}^2)",
            "displacement": l,
            "rotation": "rad",
            "strain": "1",
        }

    def __call__(self, kind: str) -> str:
        return self._units.get(kind, kind)


def state_names(system: System, kept: np.ndarray, unit: UnitNames) -> tuple[list[str], list[str]]:
    """Return names and units of states; `kept` are places in [δq; δv]."""
    names = position_names(system) + rate_names(system)
    kinds = [c.kind for c in system.layout.velocities()]
    kinds = [POSITIONS[kind] for kind in kinds] + [RATES[kind] for kind in kinds]
    return [names[k] for k in kept], [unit(kinds[k]) for k in kept]


def state_index(system: System, kept: np.ndarray) -> dict[str, np.ndarray]:
    """Return {group: indices}, named as in NESC App. G.4: bus_modal_pos, bus_rotational_vel, wheel_angle, ..."""
    groups: dict[str, list[int]] = {}
    for body, where in system.layout.items():
        plain = [*_numbers(where.v)]
        for word, part in (("rotational", where.spin), ("trans", where.drift)):
            if part is not None:
                groups[f"{body}_{word}"] = own = [*_numbers(part)]
                plain = [k for k in plain if k not in own]
        if plain:
            turns = where.joint.angles()
            word = "angle" if any(turns[k - where.v.start] for k in plain) else "travel"
            groups[f"{body}_{word}"] = plain
        groups[f"{body}_modal"] = [*_numbers(where.etadot)]
    place = {k: j for j, k in enumerate(kept.tolist())}
    found = {}
    for group, members in groups.items():
        if not members:
            continue
        body, word = group.rsplit("_", 1)
        pos, vel = f"{group}_pos", f"{group}_vel"
        if word in ("angle", "travel"):
            pos, vel = group, f"{body}_rate"
        for name, shift in ((pos, 0), (vel, system.nv)):
            index = [place[k + shift] for k in members if k + shift in place]
            if index:
                found[name] = np.array(index, dtype=np.int64)
    return found


def _numbers(part: slice) -> range:
    return range(part.start, part.stop)


def _reference(plant: Moving, reference: Place | None) -> tuple[str, Node]:
    return split_place(reference if reference is not None else plant.system.bodies[0])


def grid_positions(plant: VehiclePlant, reference: Place | None) -> dict[str, np.ndarray]:
    """Return {node: position (3,)} of the places of inputs and outputs, from the reference, in its axes."""
    system, x = plant.system, plant.x0
    places = plant.interface.grids
    if not places:
        return {}
    R, p = queries.pose(system, x, *_reference(plant, reference))
    single = len({body for body, node in places if isinstance(node, int | np.integer)}) <= 1
    found = {}
    for body, node in places:
        if isinstance(node, int | np.integer):
            key = f"{node}" if single else f"{body}.{node}"
        else:
            key = f"{body}.{np.asarray(node, dtype=float).tolist()}"
        found[key] = R.T @ (system.position(x, body, node) - p)
    return found


def mass_properties(plant: Moving, reference: Place | None) -> dict[str, float | np.ndarray]:
    """Return mass, cmoffset (3,), inertia (3, 3) of the whole about the reference, in its axes."""
    mass, offset, inertia = queries.whole_from(plant.system, plant.x0, *_reference(plant, reference))
    return {"mass": float(mass), "cmoffset": offset, "inertia": inertia}


MOST = 64  # interfaces of one vehicle that are kept


class Interface:
    """Scalar inputs, zero at the operating point, and outputs whose values are stacked.

    channels : scalar inputs;  every : places of all states in [δq; δv]
    picks : of each output the states that it is, None where it must be evaluated
    felt : outputs that must be evaluated;  expressions : those among them whose size is known by their values
    models : of states that were kept before, with all that is not of one operating point
    """

    def __init__(self, system: System, inputs: Sequence[Input], outputs: Sequence[OutputSpec]):
        self.nv, self.channels = system.nv, list[InputChannel]()
        # where in [q; v] of a state each of [δq; δv] is, where it is one number there
        self.moved = np.concatenate([system.tree.v_q, system.nq + np.arange(system.nv)])
        self.every = np.arange(2 * system.nv)
        groups: dict[str, list[int]] = {}
        for item in inputs:
            new = item.channels(system)
            first = len(self.channels)
            groups.setdefault(item.group, []).extend(range(first, first + len(new)))
            self.channels += new
        self.outputs: list[Any] = list(outputs)
        self.expressions = [o for o in outputs if isinstance(o, CustomOutput)]
        self._named: list[list[tuple[str, str]]] = [
            [] if isinstance(o, CustomOutput) else o.prepare(system) for o in self.outputs
        ]
        self.picks = [o.picks(system) if hasattr(o, "picks") else None for o in outputs]
        self.felt = [o for o, pick in zip(outputs, self.picks) if pick is None]
        self.unit = UnitNames(system)
        self.input_index = {k: np.array(v, dtype=np.int64) for k, v in groups.items()}
        self.inputs = unique([c.name for c in self.channels], "inputs")
        self.input_units = [self.unit(("angular " if c.turning else "") + c.kind) for c in self.channels]
        self.models: dict[bytes, LinearModel] = {}

    @cached_property
    def places(self) -> list[tuple[str, Node]]:
        """Places (body, node) of outputs."""
        return [(o.body, o.node) for o in self.outputs if hasattr(o, "node")]

    @cached_property
    def forces(self) -> tuple[list[int], list[Wrench]]:
        """Numbers of the inputs that are wrenches at places, and these."""
        found = [(k, c.force) for k, c in enumerate(self.channels) if c.force is not None]
        return [k for k, _ in found], [force for _, force in found]

    @cached_property
    def generalized(self) -> np.ndarray:
        """Change (nv, nu) of the forces of inverse dynamics with the inputs that are generalized forces."""
        found = np.zeros((self.nv, len(self.channels)))
        for k, channel in enumerate(self.channels):
            if channel.tau is not None:
                found[channel.tau, k] = -1.0
        return found

    @cached_property
    def grids(self) -> list[tuple[str, Node]]:
        """Places of inputs and outputs that are nodes or points."""
        places = [force.place for force in self.forces[1]] + self.places
        return [place for place in places if place[1] is not None]

    @cached_property
    def driven(self) -> list[tuple[int, str, int]]:
        """Number, body and velocity of its joint of the inputs that are accelerations of prescribed joints."""
        return [(k, *c.acceleration) for k, c in enumerate(self.channels) if c.acceleration is not None]

    @cached_property
    def _known_rows(self) -> OutputRows:
        return OutputRows(self, self._named)

    def rows(self, values: Sequence[np.ndarray]) -> OutputRows:
        """Return where the outputs stand; values : of `felt` at the operating point."""
        if not self.expressions:
            return self._known_rows
        named, seen = list(self._named), {id(output): len(y) for output, y in zip(self.felt, values)}
        for k, output in enumerate(self.outputs):
            if isinstance(output, CustomOutput):
                named[k] = _numbered(output, seen[id(output)])
        return OutputRows(self, named)


def _numbered(output: CustomOutput, n: int) -> list[tuple[str, str]]:
    """Return (name, unit) of the n channels of an expression."""
    names = [output.name] if n == 1 else [f"{output.name}.{k + 1}" for k in range(n)]
    return [(name, output.unit) for name in names]


class OutputRows:
    """Names and units of the channels of outputs, and where they stand among all.

    sizes : numbers of each output;  felt : rows of those that must be evaluated
    picked, columns : rows of those that are states, and which of [δq; δv] these are
    known (ny, columns) : slopes along [δq; δv] and inputs of those that are states, zero elsewhere
    """

    def __init__(self, interface: Interface, named: Sequence[list[tuple[str, str]]]):
        self.sizes = [len(own) for own in named]
        self.outputs = unique([name for own in named for name, _ in own], "outputs")
        self.output_units = [interface.unit(kind) for own in named for _, kind in own]
        index: dict[str, list[int]] = {}
        felt: list[int] = []
        picked: list[tuple[int, int]] = []
        at = 0
        for output, pick, n in zip(interface.outputs, interface.picks, self.sizes):
            rows = range(at, at + n)
            index.setdefault(output.group, []).extend(rows)
            if pick is None:
                felt += rows
            else:
                shift = interface.nv if pick[0] == "rate" else 0
                picked += zip(rows, (shift + int(place) for place in pick[1]))
            at += n
        self.output_index = {k: np.array(v, dtype=np.int64) for k, v in index.items()}
        self.stacked = interface.outputs
        self.felt = np.array(felt, dtype=np.int64)
        self.picked, self.columns = np.array(picked, dtype=np.int64).reshape(-1, 2).T
        self.known = np.zeros((len(self.outputs), 2 * interface.nv + len(interface.channels)))
        self.known[self.picked, self.columns] = 1.0
        self._sources = interface.moved[self.columns]

    def of(self, outputs: Sequence[OutputSpec]) -> np.ndarray:
        """Return the rows of some of the outputs, in the order of all."""
        ends = np.cumsum([0, *self.sizes])
        chosen = [k for k, one in enumerate(self.stacked) if any(one is other for other in outputs)]
        return np.concatenate([np.zeros(0, dtype=int), *(np.arange(*ends[k : k + 2]) for k in chosen)])

    def values(self, x: State, felt: Sequence[np.ndarray]) -> np.ndarray:
        """Return the values (ny,) of all outputs at a state, from those that must be evaluated."""
        if not felt:
            return x.qv.take(self._sources)
        y = np.empty(len(self.outputs))
        y[self.felt], y[self.picked] = np.concatenate(felt), x.qv[self._sources]
        return y


def interface_of(system: System, given_inputs: Any, given_outputs: Any) -> Interface:
    """Return the interface of inputs and outputs, each one or some, as it was found before where that is the same."""
    known = system.layout.interfaces
    inputs, outputs = _together(given_inputs), _together(given_outputs)
    try:
        key = inputs, outputs, system.settings.joint_mode.tobytes()
        kept = known.get(key)  # in one look: another thread may clear what is known
        if kept is not None:
            return kept
        hashed = True
    except TypeError:  # lists, which can change, among what they are made of
        hashed = False
    _check(inputs, "channels", "an input")
    _check(outputs, "values", "an output")
    found = Interface(system, inputs, outputs)
    if not hashed:
        return found
    mode = system.settings.joint_mode
    if any(isinstance(item, JointForce) and mode[system.body(item.body)] == PRESCRIBED for item in inputs):
        return found  # forces that do nothing are warned of whenever they are asked for
    if len(known) >= MOST:
        known.clear()
    known[key] = found
    return found


def _together(given: Any) -> tuple[Any, ...]:
    """Return inputs or outputs, one or some."""
    if given.__class__ is list or given.__class__ is tuple:
        return tuple(given)
    return tuple(given) if isinstance(given, Iterable) else (given,)


def _check(items: Sequence[Any], method: str, what: str) -> None:
    """Refuse what is no input or output; `method` is what each of them has."""
    for item in items:
        if not hasattr(item, method) or isinstance(item, type):
            raise InputError(
                f"not {what} of a linear model",
                expected="as in ist.NodeForce('core', 52, 'y')",
                got=repr(item),
            )


def unique(names: list[str], what: str) -> list[str]:
    """Return names, or say which one is used twice."""
    if len(set(names)) == len(names):
        return names
    twice = next(name for k, name in enumerate(names) if name in names[:k])
    raise InputError(f"two {what} have the name '{twice}'", hint="give one of them a name= of its own")
