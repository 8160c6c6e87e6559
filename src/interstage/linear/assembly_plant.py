"""An assembly near a point, as functions of small changes, and their derivatives.

Devices run in their ideal mode: no noise, no quantizers. Derivatives are complex steps through all of it. A law that
cannot bear complex numbers, or drops them, is noticed; then everything is differenced (central, O(h²)).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from fractions import Fraction
from typing import Any

import numpy as np

from interstage.errors import InputError, caller_level
from interstage.linear.chart import (
    Chart,
    position_names,
    rate_names,
    with_unit_quaternions,
)
from interstage.linear.differences import EXACT, Scheme, jacobian_of
from interstage.linear.interface import mass_properties
from interstage.linear.memory import Hidden, Snapshot
from interstage.linear.model import LinearModel
from interstage.linear.plant import Derivatives, Matrices, independent_changes
from interstage.linear.validity import notes_on_limits
from interstage.multibody.joint_modes import LOCKED
from interstage.multibody.loads import Loads
from interstage.multibody.operating_point import NO_CHANGES, OperatingPoint, at_point
from interstage.multibody.queries import refuse
from interstage.multibody.state import State
from interstage.multibody.types import Place
from interstage.simulation.plant.assembly import Assembly
from interstage.simulation.plant.compiled_schedule import check_epochs, warn_beyond
from interstage.simulation.plant.connections import split_slice
from interstage.simulation.plant.declarations import IntegerState, Out, Value
from interstage.simulation.plant.plan import ExecutionPlan, planned
from interstage.simulation.plant.python_block import Law
from interstage.simulation.plant.serialization import memory_of
from interstage.simulation.plant.vehicle_interface import gravity_of_roots, view_of
from interstage.simulation.run.coupled_system import ClosedLoop
from interstage.simulation.run.operating_point import (
    base_loads,
    chain_of,
    changes_at,
    check_whole,
    known_values,
    recall,
    start_values,
    touching_at,
    unknown_laws,
)
from interstage.simulation.run.step_schedule import Steps


class AssemblyPlant:
    """An assembly near a point, as functions of small changes.

    inputs, outputs : full names of ports;  system, chart : the vehicle and its small motions
    states : places in z of the states of devices; the propellant of tanks is frozen, and not one of them
    t : time of the point;  commands : full names of what laws say
    """

    loads: Loads | None = None

    def __init__(
        self,
        assembly: Assembly,
        x0: State | None,
        inputs: Sequence[str],
        outputs: Sequence[str],
        given: Mapping[str, Value] | None,
        step: Fraction = Fraction(1),
        axes: str = "parent",
    ):
        self.axes, self.name = axes, assembly.name
        for pattern in inputs:
            port, part = split_slice(pattern)
            if part is not None:
                raise InputError(
                    "an input of a linear model is a whole port: opening one element would cut the others too",
                    where="inputs",
                    got=f"'{pattern}'",
                    hint=f"give '{port}', then keep some of its columns by lin.select(inputs=...)",
                )
        found = [name for pattern in inputs for name in assembly.find(pattern)]
        self.inputs = list(dict.fromkeys(found))
        check_whole(x0)
        if x0 is not None and (np.iscomplexobj(x0.q) or np.iscomplexobj(x0.v)):
            raise InputError("the operating point must be real", where="x0", got=f"{x0.q.dtype}")
        changes = changes_at(x0) if chain_of(assembly, x0) else NO_CHANGES
        self.plan = planned(assembly, self.inputs, given=known_values(x0, given), changes=changes)
        check_epochs(self.plan.parts)
        self.outputs = [name for pattern in outputs for name in self.plan.find(pattern, "szw")]
        self.touching = touching_at(self.plan, x0)
        vehicle = assembly.vehicle
        same = isinstance(x0, OperatingPoint) and vehicle is not None and x0.settings == vehicle.settings
        if isinstance(x0, OperatingPoint) and chain_of(assembly, x0):  # the vehicle has changed until then
            self.system = x0.system
        else:
            self.system = view_of(self.plan, x0)
            if x0 is not None and not same:  # else nobody but devices has switched anything
                self.system = at_point(self.system, x0)
        self.x0 = with_unit_quaternions(self.system.state() if x0 is None else x0)
        self.t = x0.t if isinstance(x0, OperatingPoint) else 0.0
        self.chart = Chart(self.system, self.x0, axes)
        base = None if x0 is None else base_loads(self.system, x0)
        self.loops = {
            kind: ClosedLoop(
                self.plan,
                self.system,
                kind,
                by=Steps(step=step),
                base=base,
                ideal=True,
                touching=self.touching,
            )
            for kind in (float, complex)
        }
        self.free = np.flatnonzero(self._moving())
        frozen = [k for slot in self.plan.tanks.values() for k in range(slot.start, slot.start + slot.size)]
        self.states = np.setdiff1d(np.arange(len(self.loops[float].tapes.vectors["z"])), frozen)
        self.exposed = assembly.exposed()
        laws = {k: part.what for k, part in enumerate(self.plan.parts) if isinstance(part.what, Law)}
        self.laws = {k: law for k, law in laws.items() if not law.outside}
        owners = [law.owner for law in self.laws.values()]
        self.found, self.hidden = Snapshot(owners), {k: Hidden(law.function) for k, law in self.laws.items()}
        for path in unknown_laws(self.plan, x0)[:1]:
            warnings.warn(
                f"the point does not say what '{path}' remembered there: it is taken with its memory of now",
                UserWarning,
                stacklevel=caller_level(),
            )
        recall(self.plan, x0, defaults=False)
        self.begins = Snapshot(owners)
        self.memory = {k: _memory(law) for k, law in laws.items() if not law.outside}
        self.commands = [
            f"{self.plan.parts[k].path}.{name}"
            for k, law in laws.items()
            for name, port in law.fields.items()
            if isinstance(port, Out)
        ]
        self.outside = {self.plan.parts[k].path: law for k, law in laws.items() if law.outside}
        self._refer(assembly, x0, given)

    def release(self) -> None:
        """Give scratch back, leave laws as they were found, and say which tables were asked beyond their ends."""
        self.found.restore()
        for hidden in self.hidden.values():
            hidden.restore()
        warn_beyond(self.loops[float].tapes)
        for loop in self.loops.values():
            loop.release()

    def _moving(self) -> np.ndarray:
        """Return a mask (nv,) of velocities that are neither locked nor known as functions of time."""
        moving, known = np.ones(self.system.nv, dtype=bool), self.loops[float].loop.known_to
        moving[known[known >= self.system.nq] - self.system.nq] = False
        for i in np.flatnonzero(self.system.settings.joint_mode == LOCKED):
            first, n = int(self.system.tree.joint_v[i]), int(self.system.tree.joint_nv[i])
            moving[first : first + n] = False
        return moving

    def _refer(self, assembly: Assembly, x0: State | None, given: Mapping[str, Value] | None) -> None:
        """Find the values at the point: of held inputs, and of what is sampled there."""
        known = start_values(self.plan, x0, given, still=True)
        warn_of_held(self.outside, known)
        held = self._of_wires(assembly, x0, given) | known
        loop = self.loops[float]
        loop.hold(held)
        self.before = {kind: vector.copy() for kind, vector in loop.tapes.vectors.items()}
        self.sample(loop, self.x0.q.copy(), self.x0.v.copy())
        self.vectors = {kind: vector.copy() for kind, vector in loop.tapes.vectors.items()}
        self.after = {kind: self.vectors[kind].copy() for kind in "wn"}
        for path in self.integrating():
            for span in self.whole_numbers(path):
                self.vectors["n"][span] = self.before["n"][span]
        self.recall()

    def integrating(self) -> dict[str, Mapping[str, str]]:
        """Return the devices whose samples read states from a mark on, by path: {state: mark}."""
        found = {part.path: getattr(part.what, "increments", {}) for part in self.plan.parts}
        return {path: marks for path, marks in found.items() if marks}

    def whole_numbers(self, path: str) -> list[slice]:
        """Return where the whole numbers of a device lie that it counts with."""
        part = next(part for part in self.plan.parts if part.path == path)
        declared = [n for n, field in part.what.fields.items() if isinstance(field, IntegerState)]
        return [slice(*span_of(self.plan, f"{path}.{n}")) for n in declared]

    def _of_wires(
        self, assembly: Assembly, x0: State | None, given: Mapping[str, Value] | None
    ) -> dict[str, np.ndarray]:
        """Return what the wires say that were cut."""
        if not any(piece.target in self.inputs for piece in assembly.pieces()):
            return {}
        given = {
            name: value
            for pattern, value in (given or {}).items()
            for name in self.plan.find(pattern, "pszwn")
            if name not in self.inputs
        }
        changes = changes_at(x0) if chain_of(assembly, x0) else NO_CHANGES
        whole = planned(assembly, given=known_values(x0, given), changes=changes)
        loop = ClosedLoop(whole, self.system, float, ideal=True, touching=touching_at(whole, x0))
        loop.hold(start_values(whole, x0, given, still=True))
        q, v = self.x0.q.copy(), self.x0.v.copy()
        self.sample(loop, q, v)
        self.done(loop, loop.right_side(q, v, self.t, np.empty_like(q), np.empty_like(v)))
        loop.release()
        self.recall()
        return {name: loop.tapes.array(name).real.copy() for name in self.inputs}

    def done(self, loop: ClosedLoop, status: int) -> None:
        """Raise what went wrong in a loop."""
        loop.tapes.check()
        if status != 0:
            refuse(self.system, status, self.x0)

    def sample(self, loop: ClosedLoop, q: np.ndarray, v: np.ndarray) -> None:
        """Run everything that is sampled, at the last tick before the time of the point."""
        tick = loop.plan.clock.last(self.t)
        loop.loop.sample_next[:] = tick
        self.done(loop, loop.sample(q, v, tick))

    def owner(self, k: int) -> Any:
        """Return the object that keeps what the law among the parts remembers."""
        law = self.plan.parts[k].what
        assert isinstance(law, Law)
        return law.owner

    def recall(self) -> None:
        """Let laws remember what they do at the point."""
        self.begins.restore()

    # functions of small changes ---------------------------------------------------------------------

    def sizes(self) -> dict[str, int]:
        """Return how many changes there are of q, v, z and u."""
        inputs = sum(self.plan.slots[name].size for name in self.inputs)
        return {"q": len(self.free), "v": len(self.free), "z": len(self.states), "u": inputs}

    def magnitudes(self) -> dict[str, np.ndarray]:
        """Return how large what the changes of q, v, z and u change is at the point; turns have no size."""
        q, v_q = np.zeros(self.system.nv), self.system.tree.v_q
        q[v_q >= 0] = np.abs(self.x0.q[v_q[v_q >= 0]])
        for _, where in self.system.layout.turning():
            if where.position is not None:
                q[where.drift] = np.abs(self.x0.q[where.position]).max()
        u = [np.abs(self.loops[float].tapes.array(name)).ravel() for name in self.inputs]
        z = np.abs(self.vectors["z"][self.states])
        found = {"q": q[self.free], "v": np.abs(self.x0.v[self.free]), "z": z}
        return {**found, "u": np.concatenate([np.zeros(0), *u])}

    def begin(
        self, delta: Mapping[str, np.ndarray], vectors: Mapping[str, np.ndarray]
    ) -> tuple[ClosedLoop, State]:
        """Return the loop for the number type of some changes, put there, and the state of the vehicle."""
        kind = complex if any(np.iscomplexobj(d) for d in delta.values()) else float
        loop = self.loops[kind]
        for name, vector in vectors.items():
            loop.tapes.vectors[name][:] = vector
        loop.tapes.vectors["z"][self.states] += delta["z"]
        at = 0
        for name in self.inputs:
            array = loop.tapes.array(name)
            array += delta["u"][at : at + array.size].reshape(array.shape)
            at += array.size
        x = self.moved(delta)
        return loop, State(x.layout, x.q.astype(kind), x.v.astype(kind))

    def moved(self, delta: Mapping[str, np.ndarray]) -> State:
        """Return the state of the vehicle at changes of q and v."""
        kind = np.result_type(delta["q"], delta["v"])
        dq, dv = np.zeros(self.system.nv, kind), np.zeros(self.system.nv, kind)
        dq[self.free], dv[self.free] = delta["q"], delta["v"]
        return self.chart.state(dq, dv)

    def at(self, x: State, vectors: Mapping[str, np.ndarray], t: float) -> AssemblyPlant:
        """Return this plant, with the same loops, at another instant: its small changes, without outputs."""
        new = copy(self)
        new.x0, new.t, new.outputs = with_unit_quaternions(x), t, []
        new.chart, new.vectors = Chart(self.system, new.x0, self.axes), dict(vectors)
        return new

    def moved_to(self, x: State) -> AssemblyPlant:
        """Return the plant at another state of the vehicle, without outputs."""
        return self.at(x, self.vectors, self.t)

    def settle(self) -> tuple[np.ndarray, np.ndarray]:
        """Evaluate the operating point; return v̇ (nv,) and the outputs (ny,)."""
        sizes, vdot = self.sizes(), np.zeros(self.system.nv)
        found = self.evaluate({kind: np.zeros(n) for kind, n in sizes.items()})
        m, n = sizes["q"], sizes["q"] + sizes["z"]
        vdot[self.free] = found[:m]
        return vdot, found[n : n + self._n_outputs()]

    def _n_outputs(self) -> int:
        return sum(self.plan.slots[name].size for name in self.outputs)

    def jacobian(self, chosen: np.ndarray, T: np.ndarray | None, scheme: Scheme = EXACT) -> Derivatives:
        """Differentiate v̇ (free ones), ż and outputs along independent changes and inputs."""
        sizes, k, known = self.sizes(), len(chosen), self.magnitudes()
        scale = np.concatenate([np.concatenate([known[kind] for kind in "qvz"])[chosen], known["u"]])

        def f(d: np.ndarray) -> np.ndarray:
            changes = d[:k] if T is None else T @ d[:k]
            return self.evaluate(split_parts(np.concatenate([changes, d[k:]]), sizes))

        J, how = jacobian_of(f, scale, bool(self.memory), scheme)
        n = sizes["q"] + sizes["z"]
        if found := self.held_parts():
            how["held"] = ", ".join(found)
        return Derivatives(J[:n], J[n : n + self._n_outputs()], how)

    def evaluate(
        self, delta: Mapping[str, np.ndarray], vectors: Mapping[str, np.ndarray] | None = None
    ) -> np.ndarray:
        """Return v̇ (free ones), ż, outputs, and what continuous laws say, at a change.

        vectors : of the devices, default those of the point
        """
        loop, x = self.begin(delta, self.vectors if vectors is None else vectors)
        qdot, vdot = np.empty_like(x.q), np.empty_like(x.v)
        self.done(loop, loop.right_side(x.q, x.v, self.t, qdot, vdot))
        zdot = loop.tapes.vectors["Z"][self.states]
        laws = [loop.tapes.array(name).ravel().copy() for name in self.commands]
        said = self._outputs(loop, x)
        return np.concatenate([vdot[self.free], zdot, *said, *laws])

    def openings(self, delta: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return how far closures are open (n_closure,) at a change."""
        if not self.system.n_closure:
            return np.zeros(0, delta["q"].dtype)
        dq = np.zeros(self.system.nv, delta["q"].dtype)
        dq[self.free] = delta["q"]
        return self.system.closure_error(self.chart.state(dq, None))

    def _outputs(self, loop: ClosedLoop, x: State) -> list[np.ndarray]:
        """Return outputs at a state: continuous ones as they are, sampled ones as a sample would say."""
        said = {name: loop.tapes.array(name).ravel().copy() for name in self.outputs}
        if any(self._is_sampled(name) for name in self.outputs):
            for kind in "wn":
                loop.tapes.vectors[kind][:] = self.before[kind]
            self.sample(loop, x.q, x.v)
            self.recall()
            said |= {n: loop.tapes.array(n).ravel().copy() for n in self.outputs if self._is_sampled(n)}
        return list(said.values())

    def _is_sampled(self, name: str) -> bool:
        slot = self.plan.slots[name]
        if slot.kind == "w":
            return True
        if slot.kind != "s" or slot.start not in self.plan.names:
            return False
        part = self.plan.parts[self.plan.names[slot.start]]
        outs = [n for n, field in part.what.fields.items() if isinstance(field, Out)]
        here = [n for n in outs if slot.start in range(*span_of(self.plan, f"{part.path}.{n}"))]
        return part.samples(here[0])

    def independent(
        self, wanted: Sequence[str] | None = None, n: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the places (k,) of independent ones among n changes [q; v; ...], and T (n, k) from them to all.

        The others follow by closures of the vehicle; without any all are independent.
        wanted : names of coordinates (or bodies) that shall be independent;  n : default those of q, v and z
        """
        n = 2 * len(self.free) + len(self.states) if n is None else n
        chosen, T = independent_changes(self, n, wanted)
        return chosen, np.eye(n) if T is None else T

    def motions(self, chosen: np.ndarray) -> np.ndarray:
        """Return where changes, by their places in [q; v; …], lie in [δq; δv] (2 nv) of the vehicle; -1: nowhere."""
        every = np.concatenate([self.free, self.system.nv + self.free])
        return np.array([every[k] if k < len(every) else -1 for k in chosen])

    def held_parts(self) -> dict[str, float]:
        """Return the sampled parts that drive others which run between samples, with their periods: open loops."""
        plan = self.plan
        every = {plan.parts[entry.part].path: float(entry.every * plan.clock.tick) for entry in plan.sampled}
        found = {}
        for piece in plan.assembly.pieces() if every else ():
            source, target = (name.rpartition(".")[0] for name in (piece.source, piece.target))
            if source in every and target not in every and piece.target not in self.inputs:
                found[source] = every[source]
        return found

    def notes(self) -> tuple[str, ...]:
        """Warn of limits that are active at the point, and return notes on these and on loops that are open."""
        parts = ", ".join(f"'{path}' (every {T:g} s)" for path, T in self.held_parts().items())
        held = (
            f"held, not in the loop: {parts}; the loop through what is sampled is open here, sampled=True closes it",
        )
        return (held if parts else ()) + notes_on_limits(self)

    def about(self) -> dict[str, np.ndarray]:
        """Return the time t (s) of the point and the values u of the inputs there."""
        values = [self.loops[float].tapes.array(name).ravel() for name in self.inputs]
        return {"t": np.array(self.t), "u": np.concatenate([np.zeros(0), *values])}

    def gravity(self) -> dict[str, np.ndarray]:
        """Return the gravity (3,) that devices say at the point, world axes, by body that hangs on nothing."""
        loop = self.loops[float]
        s, said = loop.tapes.vectors["s"].real, gravity_of_roots(self.system, loop.loop)
        return {root: sum((s[k : k + 3] for k in numbers), np.zeros(3)) for root, numbers in said.items()}

    def places(self, reference: Place | None) -> dict[str, object]:
        """Return mass properties of the vehicle about the reference, where there is one."""
        return {} if reference is None else {"mass_properties": mass_properties(self, reference)}

    def model(self, matrices: Matrices, chosen: np.ndarray, **others: Any) -> LinearModel:
        """Return a linear model whose states are chosen changes;  others : its other fields."""
        names = self.state_names()
        return self.named(matrices, [names[k] for k in chosen], **others)

    def named(self, matrices: Matrices, states: list[str], **others: Any) -> LinearModel:
        """Return a linear model with names of states, and with the names, units and groups of the ports."""
        inputs, input_units, input_index = self.channel_names(self.inputs)
        outputs, output_units, output_index = self.channel_names(self.outputs)
        return LinearModel(
            *matrices,
            states,
            inputs,
            outputs,
            input_index=input_index,
            output_index=output_index,
            input_units=input_units,
            output_units=output_units,
            **others,
        )

    # names ------------------------------------------------------------------------------------------

    def state_names(self) -> list[str]:
        """Return names of the changes of q, v and z."""
        positions, rates = position_names(self.system), rate_names(self.system)
        return [positions[k] for k in self.free] + [rates[k] for k in self.free] + self.device_states()

    def device_states(self) -> list[str]:
        """Return names of the changes of z."""
        names = self.names_of("z")
        return [names[k] for k in self.states]

    def names_of(self, kind: str) -> list[str]:
        """Return a name for each number of a vector."""
        found = [""] * len(self.vectors[kind])
        for name, slot in self.plan.slots.items():
            if slot.kind == kind:
                for k, one in enumerate(numbered(name, slot.shape)):
                    found[slot.start + k] = found[slot.start + k] or one
        return found

    def channel_names(self, names: Sequence[str]) -> tuple[list[str], list[str], dict[str, np.ndarray]]:
        """Return names, units and groups of the numbers of some ports; exposed ports are groups too."""
        found: list[str] = []
        units: list[str] = []
        groups: dict[str, np.ndarray] = {}
        for name in names:
            slot = self.plan.slots[name]
            groups[name] = np.arange(len(found), len(found) + slot.size)
            found += numbered(name, slot.shape)
            units += [slot.unit or "1"] * slot.size
        for name, ports in reversed(self.exposed.items()):  # inner groups first
            if groups.keys() >= {*ports}:
                groups[name] = np.concatenate([groups[port] for port in ports])
        return found, units, groups


def span_of(plan: ExecutionPlan, name: str) -> tuple[int, int]:
    """Return the first number of a field in its vector, and the one after its last."""
    slot = plan.slots[name]
    return slot.start, slot.start + slot.size


def numbered(name: str, shape: tuple[int, ...]) -> list[str]:
    """Return a name for each number of a field."""
    return [name] if not shape else [f"{name}[{', '.join(map(str, k))}]" for k in np.ndindex(*shape)]


def warn_of_held(outside: Mapping[str, Law], known: Mapping[str, np.ndarray]) -> None:
    """Say which outputs of laws outside of the model are held at zero, because nobody gives them."""
    for path, law in outside.items():
        unknown = [f"{path}.{name}" for name in law.outs if f"{path}.{name}" not in known]
        if unknown:
            warnings.warn(
                f"only runs call '{path}' ({type(law.owner).__name__}): {', '.join(unknown)} "
                f"held at 0 in this trim or linear model; give a point of a run, or set={{'{unknown[0]}': ...}}",
                stacklevel=caller_level(),
            )


def refuse_outside(assembly: Assembly, inputs: Sequence[str]) -> None:
    """Refuse a frame of samples on which laws act that only runs may call; wires to open inputs do not count."""
    opened = {name for pattern in inputs for name in assembly.find(pattern)}
    acting = {piece.source for piece in assembly.pieces() if piece.target not in opened}
    for part in assembly.parts():
        law = part.what
        if isinstance(law, Law) and law.outside and any(f"{part.path}.{n}" in acting for n in law.outs):
            raise InputError(
                f"'{part.path}' ({type(law.owner).__name__}) acts outside of the model: only runs call it",
                where="linearize(sampled=True)",
                hint="put a function in its place that does the same, open what it is wired to (inputs=), or linearize "
                "without sampled=True: its outputs are held",
            )


def _memory(law: Law) -> dict[str, Any]:
    """Return the attributes of a law, arrays as copies."""
    held = memory_of(law.owner)
    return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in held.items()}


def names_of_ports(given: object) -> list[str]:
    """Return names of ports, one or several, or say that they should be names."""
    found: list[str] = []
    for name in [given] if isinstance(given, str) or not isinstance(given, Sequence) else given:
        if not isinstance(name, str):
            raise InputError("inputs and outputs of an assembly are names of its ports", got=repr(name))
        found.append(name)
    return found


def split_parts(delta: np.ndarray, sizes: Mapping[str, int]) -> dict[str, np.ndarray]:
    """Return the parts of a vector by name."""
    ends = np.cumsum(list(sizes.values()))
    return dict(zip(sizes, np.split(delta, ends[:-1])))
