"""Linear laws of batches, and the conditions that end a sample.

Conditions that end a sample: a coordinate or velocity that passes a level.

Linear discrete laws with limits, compiled with the samples of a batch.

    x⁺ = A x + B e,     u = C x + D e  between the limits,     e = reference - y

y are coordinates and velocities of the vehicle, by name; u act as generalized forces or as forces at places.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from interstage._renamed import former_names
from interstage.calls import named_arguments
from interstage.errors import InputError, did_you_mean, shown
from interstage.multibody import State, System
from interstage.multibody.loads import Loads, Wrench
from interstage.simulation import Event
from interstage.simulation.plant.clock import Period

_TEXT = re.compile(r"\s*(\S+)\s*(<|>)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")


@dataclass(frozen=True)
class Stop:
    """A condition: y[at] rises above the level (sign 1) or falls below it (sign -1)."""

    text: str
    at: int
    level: float
    sign: float

    @classmethod
    def of(cls, text: object, system: System) -> Stop:
        """Read "q.arm.angle > 0.5" or "v.bus.wx < 0"."""
        match = _TEXT.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise InputError(
                "a condition cannot be read",
                where="stop",
                expected='as in "q.arm.angle > 0.5"',
                got=shown(text),
            )
        (at,) = places_of(system, [match[1]], "stop")
        return cls(text.strip(), at, float(match[3]), 1.0 if match[2] == ">" else -1.0)  # type: ignore[attr-defined]

    def event(self, nq: int) -> Event:
        """Return it as an event of `simulate`."""

        def height(t: float, x: State) -> float:
            value = x.q[self.at] if self.at < nq else x.v[self.at - nq]
            return self.sign * (value - self.level)

        return Event(height, "stop", direction=1, tolerance=1e-12, name=self.text)


def stops_of(texts: Sequence[str] | str, system: System) -> tuple[Stop, ...]:
    """Return conditions from their texts."""
    return tuple(Stop.of(text, system) for text in ([texts] if isinstance(texts, str) else texts))


Act: TypeAlias = str | Wrench
"""Where an output acts: "tau.arm.angle", a generalized force, or the `Wrench` of one unit of it."""


@named_arguments
@dataclass(frozen=True, eq=False)
class LinearController:
    """A discrete linear law; without A, B, C it is a gain.

    measures : names of what it sees, "q.arm.angle", "v.bus.wx" (as `system.layout` has them)
    acts : one for each output: "tau.arm.angle", or `ist.Wrench("core", [0, 0, 0, 0, 1, 0], node=52, frame="body")`
    D (outputs, measures), A (n, n), B (n, measures), C (outputs, n);  reference : one number for each measure
    limits : largest size of the outputs, one or one for each; or (low, high)
    every : time between its samples, default every step;  names : of the outputs, default u1, u2, ...

    >>> law = LinearController(["q.arm.angle", "v.arm.angle"], ["tau.arm.angle"], D=[[10.0, 4.0]], limits=2.0)
    >>> law.names
    ('u1',)
    """

    measures: Sequence[str]
    acts: Sequence[Act]
    D: ArrayLike
    A: ArrayLike | None = None
    B: ArrayLike | None = None
    C: ArrayLike | None = None
    reference: ArrayLike = 0.0
    limits: ArrayLike | tuple[ArrayLike, ArrayLike] = np.inf
    every: Period | None = None
    names: Sequence[str] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        for word in ("measures", "acts", "names"):
            value = getattr(self, word)
            if isinstance(value, str | Wrench):
                value = [value]
            put(self, word, tuple(value))
        m, k = len(self.measures), len(self.acts)
        if not m or not k:
            raise InputError("a law needs something to see and something to do", where="LinearController")
        put(self, "names", self.names or tuple(f"u{j + 1}" for j in range(k)))
        if len(self.names) != k or len(set(self.names)) != k:
            raise InputError(
                "names of outputs do not fit", where="LinearController", expected=f"{k} different ones"
            )
        n = 0 if self.A is None else len(np.atleast_2d(np.asarray(self.A, dtype=float)))
        for word, shape in (("A", (n, n)), ("B", (n, m)), ("C", (k, n)), ("D", (k, m))):
            put(self, word, _matrix(getattr(self, word), shape, word))
        put(self, "reference", _spread(self.reference, m, "reference"))
        both = self.limits if isinstance(self.limits, tuple) else (-np.asarray(self.limits), self.limits)
        if len(both) != 2:
            raise InputError(
                "limits are a size, or (low, high)", where="LinearController", got=shown(self.limits)
            )
        low, high = (_spread(side, k, "limits", finite=False) for side in both)
        if not (low <= high).all():
            raise InputError(
                "a lower limit is above the upper one", where="LinearController", got=shown(self.limits)
            )
        put(self, "limits", (low, high))

    def arrays(self) -> dict[str, np.ndarray]:
        """Return A, B, C, D and the reference by name."""
        return {word: np.asarray(getattr(self, word)) for word in ("A", "B", "C", "D", "reference")}

    def with_arrays(self, arrays: Mapping[str, np.ndarray]) -> LinearController:
        """Return the same law with another A, B, C, D and reference."""
        a, b, c, d, reference = (arrays[word] for word in self.arrays())
        return replace(self, A=a, B=b, C=c, D=d, reference=reference)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper limits (outputs,)."""
        assert isinstance(self.limits, tuple)
        return np.asarray(self.limits[0]), np.asarray(self.limits[1])

    def running(self, system: System, loads: Loads) -> RunningLaw:
        """Return it as a law of `simulate`, at rest, on top of other loads."""
        return RunningLaw(self, system, loads)


class RunningLaw:
    """A linear law on its way, as `simulate(control=...)` takes it."""

    def __init__(self, law: LinearController, system: System, loads: Loads):
        self.law, self.loads = law, loads
        self.x = np.zeros(len(law.arrays()["A"]))
        self.seen = places_of(system, law.measures, "measures")
        velocities = places_of(system, [a for a in law.acts if isinstance(a, str)], "acts", "tau")
        self.pushes = dict(zip([j for j, a in enumerate(law.acts) if isinstance(a, str)], velocities))

    def __call__(self, t: float, x: State) -> dict[str, object]:
        """Take one sample."""
        a = self.law.arrays()
        e = a["reference"] - np.concatenate([x.q, x.v])[self.seen]
        u = np.clip(a["C"] @ self.x + a["D"] @ e, *self.law.bounds)
        self.x = a["A"] @ self.x + a["B"] @ e
        loads = self.loads
        tau, forces = np.zeros(len(loads.tau)), list(loads.forces)
        for j, act in enumerate(self.law.acts):
            if isinstance(act, Wrench):
                forces.append(act.scaled(float(u[j])))
            else:
                tau[self.pushes[j]] += u[j]
        if loads.law is None:
            return {"tau": loads.tau + tau, "forces": forces}
        return {"tau": lambda t, system: loads.tau_at(t, system) + tau, "forces": forces}


def place_names(system: System) -> dict[str, int]:
    """Return where in y = [q; v] each name stands: "q.arm.angle", "v.bus.wx"."""
    q, v = system.layout.coordinates(), system.layout.velocities()
    names = [f"q.{c.name}" for c in q] + [f"v.{c.name}" for c in v]
    return {name: k for k, name in enumerate(names)}


def places_of(system: System, names: Sequence[str], where: str, kind: str = "") -> list[int]:
    """Return where in y (or, of kind "tau", in v) names stand, or say which there are."""
    known = place_names(system)
    if kind:
        known = {f"{kind}.{c.name}": k for k, c in enumerate(system.layout.velocities())}
    for name in names:
        if name not in known:
            raise InputError(
                f"there is nothing called {name!r}", where=where, hint=did_you_mean(str(name), known)
            )
    return [known[name] for name in names]


def _matrix(value: ArrayLike | None, shape: tuple[int, int], name: str) -> np.ndarray:
    array = np.zeros(shape) if value is None else np.asarray(value, dtype=float)
    if array.shape != shape or not np.isfinite(array).all():
        raise InputError(
            f"{name} does not fit the law",
            where="LinearController",
            expected=f"shape {shape}",
            got=shown(value),
        )
    return array


def _spread(value: ArrayLike, n: int, name: str, finite: bool = True) -> np.ndarray:
    array = np.asarray(value, dtype=float)
    if array.shape not in ((), (n,)) or np.isnan(array).any() or (finite and not np.isfinite(array).all()):
        raise InputError(
            f"{name} does not fit the law",
            where="LinearController",
            expected=f"one number or {n}",
            got=shown(value),
        )
    return np.broadcast_to(array, (n,)).copy()


__getattr__ = former_names(__name__)
