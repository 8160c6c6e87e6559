"""Linearize the map of one frame of an assembly's samples, software and all.

    δx⁺ = A δx + B u      from one frame to the next; the frame is the least common multiple of all periods

States are small motions of the vehicle, continuous and discrete states of devices, sampled outputs that are held, and
what laws remember (numbers among the attributes of an object); those that say nothing about what comes are left out.
A frame begins before the samples of its first tick, where the last frame of a run from zero to the time of the point
does. Of a state that samples read from a mark on, the angle of a gyro say, only the difference matters: at the
beginning the state is where it was, and the mark is moved instead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from interstage.errors import InputError
from interstage.linear.chart import Chart
from interstage.linear.flight_plant import FlightPlant, jacobian_of, numbered, owner_of, span_of, split_parts
from interstage.linear.model import LinearModel
from interstage.linear.world_axes import in_world, sampled_in_world
from interstage.multibody.state import State
from interstage.system.assembly import Assembly
from interstage.system.closed_loop import ClosedLoop
from interstage.system.loop_kernels import HALT, LOG_EVERY
from interstage.system.ports import Out, Value
from interstage.system.stable_steps import STABLE, fastest_of, too_fast
from interstage.system.ticks import Period, period_of


class Frame:
    """The map of one frame as a function of changes at its beginning, before the samples of its first tick.

    ticks : of the frame;  first : the tick at which it begins
    """

    def __init__(self, plant: FlightPlant):
        self.plant, self.plan = plant, plant.plan
        if not self.plan.sampled:
            raise InputError("nothing in the assembly is sampled", where="sampled=True", hint="leave it out")
        self.ticks = math.lcm(*(e.every for e in self.plan.sampled))
        now = self.plan.clock.last(plant.t)
        self.first = now - now % self.ticks
        self.held = np.array(self._held(), dtype=np.int64)
        self.remembered = {
            k: [n for n, v in kept.items() if _is_number(v)] for k, kept in plant.memory.items()
        }
        self.start = {**plant.before, "s": plant.vectors["s"]}
        self.marks = self._marked()
        sizes = plant.sizes()
        self.sizes = {
            **{kind: sizes[kind] for kind in "qvz"},
            "w": len(plant.vectors["w"]),
            "s": len(self.held),
            "m": sum(np.size(plant.memory[k][n]) for k, names in self.remembered.items() for n in names),
            "u": sizes["u"],
        }
        self.end: State | None = None
        self.end = self._flown(split_parts(np.zeros(sum(self.sizes.values())), self.sizes))[1]
        self.inverse = np.linalg.pinv(Chart(plant.system, self.end).tangent())

    def _held(self) -> list[int]:
        """Return the signals that are sampled."""
        found: list[int] = []
        for entry in self.plan.sampled:
            part = self.plan.parts[entry.part]
            for name, field in part.what.fields.items():
                if isinstance(field, Out) and part.samples(name):
                    found += range(*span_of(self.plan, f"{part.path}.{name}"))
        return found

    def _marked(self) -> list[tuple[slice, slice]]:
        """Return where states and their marks lie, and begin with marks as a steady motion leaves them."""
        plant, found = self.plant, []
        entries = {self.plan.parts[e.part].path: e for e in self.plan.sampled}
        for kind in "wn":
            self.start[kind] = self.start[kind].copy()
        for path, pairs in plant.integrating().items():
            if path not in entries:
                continue
            entry = entries[path]
            ahead = (entry.first % entry.every) / entry.every  # of the first sample, in periods
            for span in plant.whole_numbers(path):
                self.start["n"][span] = plant.after["n"][span]
            for state, mark in pairs.items():
                z, w = (slice(*span_of(self.plan, f"{path}.{name}")) for name in (state, mark))
                gained = self.start["z"][z] - plant.after["w"][w]
                self.start["w"][w] = self.start["z"][z] - (1.0 - ahead) * gained
                found.append((z, w))
        return found

    def _flown(self, delta: Mapping[str, np.ndarray]) -> tuple[ClosedLoop, State]:
        """Return the loop and the state of the vehicle after a frame."""
        loop, x = self._begun(delta)
        inner = loop.loop
        loop.begin_at(self.first * self.plan.clock.tick)
        loop.end_at(self.plan.clock.seconds(self.first + self.ticks))
        inner.option[HALT], inner.option[LOG_EVERY] = 1, -1
        status = loop.stretch(x.q, x.v)
        self.plant.done(loop, status)
        return loop, x

    def _begun(self, delta: Mapping[str, np.ndarray]) -> tuple[ClosedLoop, State]:
        plant = self.plant
        plant.recall()
        loop, x = plant.begin(delta, self.start)
        loop.tapes.vectors["w"] += delta["w"]
        for z, _ in self.marks:
            loop.tapes.vectors["z"][z] = self.start["z"][z]
        loop.tapes.vectors["s"][self.held] += delta["s"]
        at = 0
        for k, names in self.remembered.items():
            owner = owner_of(self.plan.parts[k].what)
            for name in names:
                value = np.asarray(getattr(owner, name))
                new = value + delta["m"][at : at + value.size].reshape(value.shape)
                setattr(owner, name, new if new.ndim else new[()])
                at += value.size
        return loop, x

    def magnitudes(self) -> np.ndarray:
        """Return how large what the changes change is at the beginning (n,)."""
        known, memory = self.plant.magnitudes(), self.plant.memory
        kept = [np.ravel(memory[k][n]) for k, names in self.remembered.items() for n in names]
        motion = [known[kind] for kind in "qvz"]
        return np.abs(
            np.concatenate([*motion, self.start["w"], self.start["s"][self.held], *kept, known["u"]])
        )

    def __call__(self, delta: np.ndarray) -> np.ndarray:
        """Return the changes after a frame."""
        loop, x = self._flown(split_parts(delta, self.sizes))
        assert self.end is not None
        free, v = self.plant.free, {kind: loop.tapes.vectors[kind].copy() for kind in "zws"}
        for z, w in self.marks:
            v["w"][w] -= v["z"][z] - self.start["z"][z]
            v["z"][z] = self.start["z"][z]
        kept = [
            np.ravel(getattr(owner_of(self.plan.parts[k].what), name))
            for k, names in self.remembered.items()
            for name in names
        ]
        motion = (self.inverse @ (x.q - self.end.q))[free], x.v[free] - self.end.v[free]
        return np.concatenate([*motion, v["z"][self.plant.states], v["w"], v["s"][self.held], *kept])

    def outputs(self, delta: np.ndarray) -> np.ndarray:
        """Return outputs at the beginning of a frame, after its first samples."""
        loop, x = self._begun(split_parts(delta, self.sizes))
        t = self.plan.clock.seconds(self.first)
        loop.begin_at(self.first * self.plan.clock.tick)
        self.plant.done(loop, loop.sample(x.q, x.v, self.first))
        self.plant.done(loop, loop.right_side(x.q, x.v, t, np.empty_like(x.q), np.empty_like(x.v)))
        return np.concatenate([np.zeros(0), *(loop.tapes.array(n).ravel() for n in self.plant.outputs)])

    def names(self) -> list[str]:
        """Return names of the states."""
        plant = self.plant
        signals = plant.names_of("s")
        kept = [
            one
            for k, names in self.remembered.items()
            for n in names
            for one in numbered(f"{self.plan.parts[k].path}.{n}", np.shape(plant.memory[k][n]))
        ]
        return plant.state_names() + plant.names_of("w") + [f"held {signals[k]}" for k in self.held] + kept


def _is_number(value: object) -> bool:
    if isinstance(value, bool | int | str):
        return False
    return isinstance(value, float | complex) or (isinstance(value, np.ndarray) and value.dtype.kind in "fc")


def linearize_frame(
    assembly: Assembly,
    x0: State | None,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    given: Mapping[str, Value] | None = None,
    step: Period | None = None,
    name: str | None = None,
    velocity_axes: str = "body",
) -> LinearModel:
    """Return the map of one frame of an assembly, about a point; see the module."""
    turned = in_world(velocity_axes)
    plant = FlightPlant(assembly, x0, inputs, outputs, given, _step(assembly, step))
    try:
        frame = Frame(plant)
        total = sum(frame.sizes.values())
        chosen, T = plant.independent(total)
        n = len(chosen) - frame.sizes["u"]
        scale = frame.magnitudes()[chosen]
        J, how = jacobian_of(lambda d: frame(T @ d), scale, bool(plant.memory))
        H, _ = jacobian_of(lambda d: frame.outputs(T @ d), scale, bool(plant.memory))
        plant.recall()
    finally:
        plant.release()
    A, B, C, D = J[chosen[:n], :n], J[chosen[:n], n:], H[:, :n], H[:, n:]
    names, motions = frame.names(), frame.sizes["q"] + frame.sizes["v"]
    kept = _moving(A, B, C, int(np.sum(chosen < motions)))
    said = {w: plant.channel_names(ns) for w, ns in (("i", plant.inputs), ("o", plant.outputs))}
    A, B, C = A[np.ix_(kept, kept)], B[kept], C[:, kept]
    if turned:
        assert frame.end is not None
        A, B, C = sampled_in_world((A, B, C), plant.system, plant.x0, frame.end, plant.motions(chosen[kept]))
    return LinearModel(
        A,
        B,
        C,
        D,
        [names[k] for k in chosen[kept]],
        said["i"][0],
        said["o"][0],
        input_index=said["i"][2],
        output_index=said["o"][2],
        input_units=said["i"][1],
        output_units=said["o"][1],
        operating_point={"q": plant.x0.q, "v": plant.x0.v},
        method={"method": how},
        name=name or assembly.name,
        dt=float(frame.ticks * plant.plan.clock.tick),
    )


def _step(assembly: Assembly, given: Period | None) -> Fraction:
    """Return the step of RK4 inside a frame: what is given, or one that follows the vehicle's modes."""
    vehicle = assembly.vehicle
    fastest = 0.0 if vehicle is None else fastest_of(vehicle)
    if given is None:
        return min(Fraction(1, 100), Fraction(1, max(1, math.ceil(2.0 * fastest))))
    step = period_of(given, "step")
    # steps end at samples: none is longer than the shortest period
    longest = min([step, *(part.every for part in assembly.parts() if part.every)])
    if float(longest) * fastest > STABLE:
        raise InputError(
            "the step is too long for RK4 inside the frame",
            where="step",
            hint=too_fast(fastest).partition(":")[0],
        )
    return step


def _moving(A: np.ndarray, B: np.ndarray, C: np.ndarray, motions: int) -> np.ndarray:
    """Return the motions of the vehicle, and of the other states those that say something about what comes.

    The others are not overwritten unread, and not constant for ever.
    """
    n = len(A)
    kept, vehicle = np.ones(n, dtype=bool), np.arange(n) < motions
    while True:
        read = (A[kept][:, :] != 0.0).any(axis=0) | (C != 0.0).any(axis=0)
        still = np.array([(A[k] == np.eye(n)[k]).all() and not B[k].any() for k in range(n)])
        new = kept & (vehicle | (read & ~still))
        if (new == kept).all():
            return np.flatnonzero(kept)
        kept = new
