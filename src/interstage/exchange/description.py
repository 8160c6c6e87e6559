"""`modelDescription.xml` of a functional mock-up unit, in the words of FMI 2.0 and 3.0.

An assembly as other solvers see it: slopes and outputs at any time and state, samples as events of time.

    x = [q; v; z],    ẋ, y = f(t, x, u),    at an event: what is due is sampled, and held until the next

q are the coordinates that a flight integrates (quaternions of free bodies and ball joints among them), v velocities,
z states of devices. A solver knows nothing of unit quaternions, of closures, and of joints whose motion is given: f is
taken where x belongs, so that what it strays by stays of the size of its tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from xml.sax.saxutils import quoteattr

import numpy as np

from interstage import __version__
from interstage.errors import InputError, SolverError
from interstage.linear.assembly_plant import numbered
from interstage.linear.chart import POSITIONS, RATES, rate_names
from interstage.linear.interface import UnitNames
from interstage.multibody import State
from interstage.multibody.joints import Coordinate
from interstage.multibody.model import vehicle_units
from interstage.multibody.queries import refuse
from interstage.simulation import Assembly
from interstage.simulation.plant.assembly import Port
from interstage.simulation.plant.clock import ON_TICK
from interstage.simulation.plant.device import Device
from interstage.simulation.run.integrators.scipy_solvers import LoopSlope
from interstage.simulation.run.runner import Runner
from interstage.simulation.run.spec import RunSpec


@dataclass(frozen=True)
class Channel:
    """A variable: its name, its unit, and where it starts if it is a state."""

    name: str
    unit: str = ""
    start: float = 0.0


@dataclass
class Description:
    """What a unit says of itself.

    uses : {"A", "B", "C", "D": which columns each row depends on} of a linear model, none of an assembly
    every : the one step that an assembly or a sampled model takes as co-simulation, None: model exchange
    native : whether an assembly runs by itself, and not in a process of the installed Interstage
    """

    title: str
    identifier: str
    inputs: Sequence[Channel]
    outputs: Sequence[Channel]
    states: Sequence[Channel] = ()
    uses: Mapping[str, np.ndarray] = field(default_factory=dict)
    every: float | None = None
    native: bool = False

    @property
    def kinds(self) -> tuple[str, ...]:
        """What the unit can be."""
        if self.every is not None:
            return ("co-simulation",)
        return ("model exchange", "co-simulation") if self.uses else ("model exchange",)

    @property
    def _first(self) -> tuple[int, int, int, int]:
        """First references of inputs, outputs, states and derivatives; 0 is time."""
        u = 1
        y = u + len(self.inputs)
        x = y + len(self.outputs)
        return u, y, x, x + len(self.states)

    def xml(self, version: str, token: str) -> str:
        """Return the whole file."""
        body = self._two(token) if version == "2.0" else self._three(token)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + "\n".join(body) + "\n"

    def build_description(self) -> str:
        """Return `buildDescription.xml`, which tells tools of FMI 3.0 how to compile the sources."""
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n<fmiBuildDescription fmiVersion="3.0">\n'
            f'  <BuildConfiguration modelIdentifier="{self.identifier}">\n'
            '    <SourceFileSet language="C99"><SourceFile name="fmu.c"/><PreprocessorDefinition name="FMI_VERSION" '
            'value="3"/></SourceFileSet>\n  </BuildConfiguration>\n</fmiBuildDescription>\n'
        )

    def _about(self) -> str:
        return (
            f'modelName={_text(self.title)} generationTool="Interstage {__version__}" '
            'variableNamingConvention="flat"'
        )

    def _kinds(self, version: str) -> list[str]:
        """Return the elements of model exchange and of co-simulation."""
        state = "canGetAndSetFMUstate" if version == "2.0" else "canGetAndSetFMUState"
        name = f'modelIdentifier="{self.identifier}"'
        sources = '<SourceFiles><File name="fmu.c"/></SourceFiles>' if version == "2.0" else ""
        flags = 'needsExecutionTool="true" canBeInstantiatedOnlyOncePerProcess="false"'
        if self.kinds == ("model exchange",):
            return [f"  <ModelExchange {name} {flags}>{sources}</ModelExchange>"]
        if self.every is not None:
            flags = f'{state}="true"' if self.uses or self.native else flags
            sources = "" if self.native else sources
            flags += ' canHandleVariableCommunicationStepSize="false"'
            if version == "3.0":
                flags += f' fixedInternalStepSize="{self.every!r}"'
            return [f"  <CoSimulation {name} {flags}>{sources}</CoSimulation>"]
        any_step = 'canHandleVariableCommunicationStepSize="true"'
        return [
            f'  <ModelExchange {name} {state}="true">{sources}</ModelExchange>',
            f'  <CoSimulation {name} {state}="true" {any_step}>{sources}</CoSimulation>',
        ]

    def _units(self) -> list[str]:
        found = dict.fromkeys(c.unit for c in (*self.inputs, *self.outputs, *self.states) if c.unit)
        if not found:
            return []
        return [
            "  <UnitDefinitions>",
            *(f"    <Unit name={_text(u)}/>" for u in found),
            "  </UnitDefinitions>",
        ]

    def _experiment(self) -> list[str]:
        return (
            [] if self.every is None else [f'  <DefaultExperiment startTime="0" stepSize="{self.every!r}"/>']
        )

    def _depends(self, rows: str, columns: str, k: int) -> str:
        """Return the attribute of the states and inputs that output or derivative k depends on; none means all."""
        u, _, x, _ = self._first
        if self.kinds == ("model exchange",):
            return ""
        found: list[int] = []  # outputs of a unit that steps: sampled, not of inputs of the same time
        for table, first in ((rows, x), (columns, u)):
            if table in self.uses:
                found += [first + j for j in np.flatnonzero(self.uses[table][k]).tolist()]
        return f' dependencies="{" ".join(map(str, sorted(found)))}"'

    def _two(self, token: str) -> list[str]:
        """FMI 2.0: variables are counted from 1 in their order, which is that of the references."""
        _, y, _, dx = self._first
        out = [
            f'<fmiModelDescription fmiVersion="2.0" guid="{token}" numberOfEventIndicators="0" {self._about()}>',
            *self._kinds("2.0"),
            *self._units(),
            *self._experiment(),
            "  <ModelVariables>",
        ]
        out += [
            f"    <ScalarVariable {about}{begins}><Real{start}{'' if slope else unit}{slope}/></ScalarVariable>"
            for about, begins, start, unit, slope in self._attributes()
        ]
        out += ["  </ModelVariables>", "  <ModelStructure>"]
        outputs = [
            f'      <Unknown index="{y + k}"{self._depends("C", "D", k)}/>' for k in range(len(self.outputs))
        ]
        slopes = [
            f'      <Unknown index="{dx + k}"{self._depends("A", "B", k)}/>' for k in range(len(self.states))
        ]
        for name, rows in (
            ("Outputs", outputs),
            ("Derivatives", slopes),
            ("InitialUnknowns", outputs + slopes),
        ):
            if rows:
                out += [f"    <{name}>", *rows, f"    </{name}>"]
        return [*out, "  </ModelStructure>", "</fmiModelDescription>"]

    def _attributes(self) -> Iterator[tuple[str, str, str, str, str]]:
        """What the variables say of themselves, how they begin and start, their unit, and of what they are slopes."""
        _, _, x, dx = self._first
        reference = 1
        for causality, initial, group in self._groups():
            for k, c in enumerate(group):
                place = f'valueReference="{reference}" causality="{causality}" variability="continuous"'
                yield (
                    f"name={_text(c.name)} {place}",
                    f' initial="{initial}"' if initial else "",
                    f' start="{c.start:.17g}"' if initial in ("", "exact") else "",
                    f" unit={_text(c.unit)}" if c.unit else "",
                    f' derivative="{x + k}"' if reference >= dx else "",
                )
                reference += 1

    def _groups(self) -> list[tuple[str, str, list[Channel]]]:
        """Causality, how it begins, and variables of each group, in the order of their references; names differ."""
        taken = {"time"}
        rates = [Channel(f"der({c.name})") for c in self.states]
        groups = []
        for causality, initial, group in (
            ("input", "", self.inputs),
            ("output", "calculated", self.outputs),
            ("local", "exact", self.states),
            ("local", "calculated", rates),
        ):
            groups.append((causality, initial, [_fresh(c, causality, taken) for c in group]))
        return groups

    def _three(self, token: str) -> list[str]:
        _, y, _, dx = self._first
        out = [
            f'<fmiModelDescription fmiVersion="3.0" instantiationToken="{token}" {self._about()}>',
            *self._kinds("3.0"),
            *self._units(),
            *self._experiment(),
            "  <ModelVariables>",
            '    <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>',
        ]
        out += [f"    <Float64 {''.join(parts)}/>" for parts in self._attributes()]
        out += ["  </ModelVariables>", "  <ModelStructure>"]
        outputs = [(y + k, self._depends("C", "D", k)) for k in range(len(self.outputs))]
        slopes = [(dx + k, self._depends("A", "B", k)) for k in range(len(self.states))]
        for element, unknowns in (
            ("Output", outputs),
            ("ContinuousStateDerivative", slopes),
            ("InitialUnknown", outputs + slopes),
        ):
            out += [f'    <{element} valueReference="{v}"{d}/>' for v, d in unknowns]
        return [*out, "  </ModelStructure>", "</fmiModelDescription>"]


def _fresh(channel: Channel, causality: str, taken: set[str]) -> Channel:
    """Return a channel whose name no other has: a state and an output may be called alike."""
    name, k = channel.name, 2
    while name in taken:
        name, k = f"{channel.name} ({causality}{'' if k == 2 else f' {k - 1}'})", k + 1
    taken.add(name)
    return replace(channel, name=name)


def _text(text: str) -> str:
    return quoteattr(" ".join(text.split()))


LATER = 10**6  # s: a flight is told an end, to which nobody goes
Answer = tuple[np.ndarray, ...]


class Rates:
    """The right-hand side of an assembly; see the module.

    start : (n,) where it begins;  n_inputs, n_outputs : how many numbers its ports are
    given : values that hold from the start, by full name
    """

    def __init__(
        self,
        assembly: Assembly,
        x0: State,
        sent: Sequence[Port],
        seen: Sequence[Port],
        given: Mapping[str, np.ndarray] = MappingProxyType({}),
    ):
        held = {**{port.name: np.zeros(port.shape or ()) for port in sent}, **given}
        runner = Runner(RunSpec(assembly, x0, until=LATER, given=held, keep=()))
        self.run = runner.integrator
        self._check([] if runner.locator is None else [event.name for event in runner.locator.events])
        run, tapes = self.run, self.run.loop.tapes
        self.inputs = [tapes.array(port.name) for port in sent]
        self.outputs = [tapes.array(port.name) for port in seen]
        self.n_inputs, self.n_outputs = (sum(a.size for a in of) for of in (self.inputs, self.outputs))
        self.start = np.concatenate([run.q, run.v, tapes.vectors["z"]])
        self.slope = LoopSlope(run.loop)
        self.begun = False

    def _check(self, switching: Sequence[str]) -> None:
        """Refuse what happens at events of the state, and between samples: only the flight itself finds it."""
        run = self.run
        pulsing = [
            part.path
            for part in run.plan.parts
            if isinstance(part.what, Device) and part.what.longest_step() < math.inf
        ]
        for found, words in ((switching, "switches at events"), (pulsing, "has pulses between its samples")):
            if found:
                raise InputError(
                    f"'{found[0]}' {words}, which the solver of another tool would step over",
                    where="FMU for model exchange",
                    hint='co-simulation runs it: give every="10 ms", say',
                )

    def states(self) -> list[Channel]:
        """Return a variable for each state."""
        system = self.run.system
        n, names, known = system.nq + system.nv, UnitNames(system), vehicle_units(system.model) is not None

        def unit(c: Coordinate, kinds: Mapping[str, str]) -> str:
            return names(kinds.get(c.kind, "")) if known or c.kind == "angle" else ""

        speeds = zip(rate_names(system), system.layout.velocities())
        found = [(c.name, unit(c, POSITIONS)) for c in system.layout.coordinates()]
        found += [(name, unit(c, RATES)) for name, c in speeds] + [("", "")] * (len(self.start) - n)
        for name, slot in self.run.plan.slots.items():
            if slot.kind == "z":
                for k, one in enumerate(numbered(name, slot.shape)):
                    found[n + slot.start + k] = one, slot.unit
        return [Channel(name, unit, float(x)) for (name, unit), x in zip(found, self.start)]

    def look(self, t: float, x: np.ndarray, u: np.ndarray) -> Answer:
        """Return whether states changed and when the next event is (2,), outputs, slopes and states."""
        q, v = self._put(x, u)
        loop, z = self.run.loop, self.run.loop.tapes.vectors["z"]
        if loop.arrive(q, v, t) != 0:
            raise SolverError(f"closures cannot be held at t = {t:.6g}")
        slopes = self.slope(t, np.concatenate([q, v, z]))
        if self.slope.refused is not None:
            (status, where), self.slope.refused = self.slope.refused, None
            refuse(self.run.system, status, where)
        said = np.concatenate([np.zeros(0), *(a.ravel() for a in self.outputs)])
        return np.array([0.0, self._next()]), said, slopes, np.array(x)

    def event(self, t: float, x: np.ndarray, u: np.ndarray) -> Answer:
        """Sample what is due, and return what `look` does after it."""
        loop, clock = self.run.loop, self.run.plan.clock
        if not self.begun:
            loop.begin_at(math.ceil(t / float(clock.tick) - ON_TICK) * clock.tick)
            self.begun = True
        q, v = self._put(x, u)
        z, tick = loop.tapes.vectors["z"], clock.last(t)
        due = loop.loop.sample_next
        while len(due) and due.min() <= tick:
            status = loop.sample(q, v, int(due.min()))
            loop.tapes.check()
            if status != 0:
                refuse(self.run.system, status, State(self.run.system.layout, q, v))
            loop.loop.group_rows[:] = 0  # nothing is logged
        loop.tapes.forget()
        after = np.concatenate([x[: len(x) - len(z)], z])
        told, *others = self.look(t, after, u)
        told[0] = float(not np.array_equal(after, x))
        return told, *others

    def _put(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Let devices have their states and inputs; return q and v."""
        nq, n = self.run.system.nq, self.run.system.nq + self.run.system.nv
        self.run.loop.tapes.vectors["z"][:] = x[n:]
        at = 0
        for array in self.inputs:
            array[...] = u[at : at + array.size].reshape(array.shape)
            at += array.size
        return x[:nq].copy(), x[nq:n].copy()

    def _next(self) -> float:
        """Return the time of the next sample."""
        due = self.run.loop.loop.sample_next
        return self.run.plan.clock.seconds(int(due.min())) if len(due) else math.inf
