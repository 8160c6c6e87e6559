"""Linearize the map of one frame of an assembly's samples, including control laws.

    δx⁺ = A δx + B u      from one frame to the next; the frame is the least common multiple of all periods

States are small motions of the vehicle, continuous and discrete states of devices, sampled outputs that are held, and
what laws remember (numbers among the attributes of an object); those that say nothing about what comes are left out.
A frame begins before the samples of its first tick, where the last frame of a run from zero to the time of the point
does, and has all samples of a period that repeats: also those of a part that a run lets begin later. Of a state that
samples read from a mark on, the angle of a gyro say, only the difference matters: at the beginning the state is where
it was, and the mark is moved instead.

Between samples changes follow the linear flow along the motion of the point (`flow`): however fast devices are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np

from interstage.errors import InputError
from interstage.linear.assembly_plant import AssemblyPlant, span_of, split_parts
from interstage.linear.balance import SampledMemory
from interstage.linear.chart import in_world, sampled_in_world
from interstage.linear.differences import Scheme, jacobian_of
from interstage.linear.flow import FlowInterval, independent_at
from interstage.linear.memory import (
    Path,
    Remembered,
    as_numbers,
    copied,
    is_whole,
    moved,
    numbers_in,
    said,
)
from interstage.linear.model import LinearModel
from interstage.linear.validity import notes_on_limits, notes_on_point
from interstage.multibody.state import State
from interstage.simulation.plant.clock import Period, period_of
from interstage.simulation.plant.connection_blocks import Delay
from interstage.simulation.plant.declarations import Out
from interstage.simulation.plant.device import Device
from interstage.simulation.run.coupled_system import ClosedLoop

Leaves = dict[tuple[int, Path], object]
LONGEST = 0.01  # s: over which a motion that is not steady is followed at once


class Frame:
    """The map of one frame as a function of changes at its beginning, before the samples of its first tick.

    step : longest time over which a motion that is not steady is followed at once
    ticks : of the frame;  first : the tick at which it begins
    legs : from one tick at which something is sampled to the next;  end : state of the vehicle where the frame ends
    """

    def __init__(self, plant: AssemblyPlant, step: float):
        self.plant, self.plan = plant, plant.plan
        if not self.plan.sampled:
            raise InputError("nothing in the assembly is sampled", where="sampled=True", hint="leave it out")
        self.ticks = math.lcm(*(e.every for e in self.plan.sampled))
        now = self.plan.clock.last(plant.t)
        self.first = now - now % self.ticks
        self._keep_rhythm()
        self.held = np.array(self._held(), dtype=np.int64)
        self.start = {**plant.before, "s": plant.vectors["s"]}
        self.marks = self._marked()
        self._stamp()
        sizes, self.times = plant.sizes(), self._times()
        self.ticked = [tick for _, tick, _ in self.times if tick is not None]
        self.remembered = self._remembering()
        self.sizes = {
            **{kind: sizes[kind] for kind in "qvz"},
            "w": len(plant.vectors["w"]),
            "s": len(self.held),
            "m": len(self.remembered),
            "u": sizes["u"],
        }
        self.legs = self._flown_by_the_point(step)
        end, n = self.legs[-1], sum(self.sizes[kind] for kind in "qvz")
        self.end = end.end
        self.last = independent_at(plant.at(end.end, end.held, 0.0), n, end.stand)[1]

    def _keep_rhythm(self) -> None:
        """Let every frame have all samples, also before the first one of a part whose offset is a period or more.

        So it is behind a delay: what is left of it beside whole periods is added to the offset of what is delayed.
        """
        for loop in self.plant.loops.values():
            loop.loop.sample_first[:] %= loop.loop.sample_every

    def late(self) -> tuple[str, ...]:
        """Return a note on the parts of the assembly that a run lets begin only after the time of the point."""
        tick, parts = self.plan.clock.tick, self.plan.parts
        begins = {
            parts[e.part].path: float(e.first * tick)
            for e in self.plan.sampled
            if e.first >= e.every
            and e.first * tick > self.plant.t
            and not isinstance(parts[e.part].what, Delay)
        }
        if not begins:
            return ()
        words = ", ".join(f"'{path}' (at {t:g} s)" for path, t in begins.items())
        return (f"the model has samples that begin after the time of its point: {words}",)

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

    def _stamp(self) -> None:
        """Let devices that keep the time of their last sample have that of the one before the frame."""
        for entry in self.plan.sampled:
            part = self.plan.parts[entry.part]
            if isinstance(part.what, Device) and part.what.stamp and entry.function == "sample":
                last = self.first - 1 - (self.first - 1 - entry.first) % entry.every
                where = slice(*span_of(self.plan, f"{part.path}.{part.what.stamp}"))
                self.start["w"][where] = float(last * self.plan.clock.tick)

    # what laws remember ---------------------------------------------------------------------------------

    def _path(self, k: int) -> str:
        return self.plan.parts[k].path

    def _sampled(
        self, deltas: Sequence[Mapping[tuple[int, Path], np.ndarray]], shaken: float = 0.0
    ) -> tuple[np.ndarray, Leaves]:
        """Return signals and the numbers of laws after the samples of frames in which the vehicle stands still.

        deltas : changes of numbers of laws before each of the frames;  shaken : size of changes of all else
        """
        plant, rng = self.plant, np.random.default_rng(4)
        known = plant.magnitudes()
        plant.recall()
        away = {k: shaken * np.maximum(1.0, v) * rng.uniform(0.5, 1.0, v.shape) for k, v in known.items()}
        loop, x = plant.begin(away, self.start)
        loop.begin_at(self.first * self.plan.clock.tick)
        vectors = loop.tapes.vectors
        for kind, places in (("w", slice(None)), ("s", self.held)):
            vectors[kind][places] += shaken * rng.uniform(0.5, 1.0, vectors[kind][places].shape)
        owners = {k: plant.owner(k) for k in plant.laws}
        for j, changes in enumerate(deltas):
            for (k, path), delta in changes.items():
                moved(owners[k], path, delta)
            for tick in self.ticked:
                plant.done(loop, loop.sample(x.q, x.v, tick + j * self.ticks))
        signals, leaves = loop.tapes.vectors["s"].copy(), copied(numbers_in(owners))
        plant.recall()
        return signals, leaves

    def _remembering(self) -> Remembered:
        """Return the numbers of laws that samples change, or say which memory cannot be followed.

        Numbers that samples leave as they are, changed or not, are parameters. Integers count, unless a sample makes
        them floats.
        """
        owners = {k: self.plant.owner(k) for k in self.plant.laws}
        before = copied(numbers_in(owners))
        rng = np.random.default_rng(5)
        changes = {
            place: 1e-6 * np.maximum(1.0, np.abs(as_numbers(v))) * rng.uniform(0.5, 1.0, len(as_numbers(v)))
            for place, v in before.items()
            if not is_whole(v)
        }
        after = self._sampled([changes], 1e-6)[1]
        paths = [
            place
            for place, old in before.items()
            if place in after and not is_whole(after[place])
            and not np.array_equal(as_numbers(after[place]), as_numbers(old) + changes.get(place, 0.0))
        ]  # fmt: skip
        self._refuse_growth(before, after)
        return Remembered(owners, paths)

    def _refuse_growth(self, before: Leaves, after: Leaves) -> None:
        """Refuse numbers that laws begin to remember within a frame, and forget, where the next frame reads them."""
        new = {
            place: 1e-3 * (1.0 + np.abs(as_numbers(value)))
            for place, value in after.items()
            if not is_whole(value)
            and (place not in before or len(as_numbers(before[place])) != len(as_numbers(value)))
        }
        if not new:
            return
        plain, other = self._sampled([{}, {}]), self._sampled([{}, new])
        same = [
            np.array_equal(as_numbers(value), as_numbers(other[1][place]))
            for place, value in plain[1].items()
            if place in other[1] and place not in new
        ]
        if np.array_equal(plain[0], other[0]) and all(same):
            return
        k, path = next(iter(new))
        raise InputError(
            f"what '{self._path(k)}' remembers is not there yet at the point, or grows from frame to frame",
            where=said(path),
            expected="as many numbers before a frame as after it",
            hint="let it begin with all its numbers, as in a deque that is full of zeros",
        )

    def refuse_hidden_memory(self) -> None:
        """Refuse laws that do not repeat themselves: they remember something that no attribute of theirs leads to."""
        if not self.plant.laws:
            return
        rng, n = np.random.default_rng(6), sum(self.sizes.values())
        first = self(np.zeros(n))
        self(1e-6 * np.maximum(1.0, self.magnitudes()) * rng.uniform(0.5, 1.0, n))
        if np.array_equal(first, self(np.zeros(n))):
            return
        suspects = {
            self._path(k): words for k, hidden in self.plant.hidden.items() if (words := hidden.changed())
        }
        path, words = next(iter(suspects.items()), (", ".join(map(self._path, self.plant.laws)), []))
        kept = "; ".join(dict.fromkeys(words)) or "a variable that it encloses, a global, a generator"
        raise InputError(
            f"'{path}' remembers something outside of its attributes: asked again, it answers differently",
            where="linearize(sampled=True)",
            got=kept,
            hint="keep memory in attributes of an object that is called: numbers, lists, dictionaries, deques, arrays",
        )

    def _flown_by_the_point(self, step: float) -> list[FlowInterval]:
        """Return the motion of the point from one tick at which something is sampled to the next, and its flow."""
        loop, x = self._begun(split_parts(np.zeros(sum(self.sizes.values())), self.sizes))
        loop.begin_at(self.first * self.plan.clock.tick)
        legs = list[FlowInterval]()
        for t, tick, h in self.times:
            if tick is not None:
                self.plant.done(loop, loop.sample(x.q, x.v, tick))
            legs.append(FlowInterval(self.plant, x, t, h, step, legs[-1] if legs else None))
            x = self._held_after(loop, legs[-1])
        return legs

    def _times(self) -> list[tuple[float, int | None, float]]:
        """Return when legs begin, their tick (None: only what a device says jumps there), and how long they are.

        Lengths are those of ticks where both ends are some, so that equal ones have equal bits.
        """
        clock, end = self.plan.clock, self.first + self.ticks
        ticks, late = {self.first, end}, set[Fraction]()
        for entry in self.plan.sampled:
            at = self.first + (entry.first - self.first) % entry.every
            ticks |= {*range(at, end, entry.every)}
            what = self.plan.parts[entry.part].what
            for after in what.jumps(float(entry.every * clock.tick)) if isinstance(what, Device) else ():
                share = Fraction(after) / clock.tick
                share = Fraction(round(share)) if abs(share - round(share)) < 1e-9 else share
                late |= {k + share for k in range(at - entry.every, end, entry.every)}
        inner = {one for one in late if self.first < one < end and one not in ticks}
        every = sorted(ticks | inner)
        return [
            (float(a * clock.tick), None if a in inner else int(a), float((b - a) * clock.tick))
            for a, b in itertools.pairwise(every)
        ]

    @staticmethod
    def _held_after(loop: ClosedLoop, leg: FlowInterval) -> State:
        """Let a loop have what the point has at the end of a leg; return the state of the vehicle."""
        for kind, vector in leg.held.items():
            loop.tapes.vectors[kind][:] = vector
        loop.tapes.vectors["z"][:] = leg.z
        return State(leg.end.layout, leg.end.q.copy(), leg.end.v.copy())

    def _flown(self, delta: Mapping[str, np.ndarray]) -> tuple[ClosedLoop, np.ndarray]:
        """Return the loop and the changes of q, v and z after a frame."""
        loop, x = self._begun(delta)
        loop.begin_at(self.first * self.plan.clock.tick)
        vectors, chosen = loop.tapes.vectors, self.legs[0].stand.chosen
        d = np.concatenate(
            [delta[kind] for kind in "qv"] + [(vectors["z"] - self.start["z"])[self.plant.states]]
        )
        d = d[chosen]
        for leg, (_, tick, _) in zip(self.legs, self.times):
            x, dz = leg.begun(d)
            vectors["z"][:] = leg.held["z"]
            vectors["z"][self.plant.states] += dz
            if tick is not None:
                self.plant.done(loop, loop.sample(x.q.astype(d.dtype), x.v.astype(d.dtype), tick))
            held = {kind: vectors[kind].copy() for kind in "sw"}
            d = leg.flown(d, held)
            vectors["s"][:], vectors["w"][:] = held["s"], held["w"]
        d = self.last @ d
        vectors["z"][:] = self.legs[-1].z
        vectors["z"][self.plant.states] += d[len(d) - self.sizes["z"] :]
        return loop, d

    def _begun(self, delta: Mapping[str, np.ndarray]) -> tuple[ClosedLoop, State]:
        plant = self.plant
        plant.recall()
        loop, x = plant.begin(delta, self.start)
        loop.tapes.vectors["w"] += delta["w"]
        for z, _ in self.marks:
            loop.tapes.vectors["z"][z] = self.start["z"][z]
        loop.tapes.vectors["s"][self.held] += delta["s"]
        self.remembered.add(delta["m"])
        return loop, x

    def magnitudes(self) -> np.ndarray:
        """Return how large what the changes change is at the beginning (n,)."""
        known, kept = self.plant.magnitudes(), self.remembered.start
        motion = [known[kind] for kind in "qvz"]
        return np.abs(
            np.concatenate([*motion, self.start["w"], self.start["s"][self.held], kept, known["u"]])
        )

    def __call__(self, delta: np.ndarray) -> np.ndarray:
        """Return the changes after a frame."""
        loop, d = self._flown(split_parts(delta, self.sizes))
        v = {kind: loop.tapes.vectors[kind].copy() for kind in "zws"}
        for z, w in self.marks:
            v["w"][w] -= v["z"][z] - self.start["z"][z]
            v["z"][z] = self.start["z"][z]
        kept = self.remembered.read(self._path)
        motion = d[: self.sizes["q"] + self.sizes["v"]]
        return np.concatenate([motion, v["z"][self.plant.states], v["w"], v["s"][self.held], kept])

    def after(self, kept: SampledMemory) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return v̇ (nv,), ż and what samples keep after a frame of the point and the samples at its end."""
        loop, x = self._begun(split_parts(np.zeros(sum(self.sizes.values())), self.sizes))
        loop.begin_at(self.first * self.plan.clock.tick)
        for leg, (_, tick, _) in zip(self.legs, self.times):
            if tick is not None:
                self.plant.done(loop, loop.sample(x.q, x.v, tick))
            x = self._held_after(loop, leg)
        tick, qdot, vdot = self.first + self.ticks, np.empty_like(x.q), np.empty_like(x.v)
        self.plant.done(loop, loop.sample(x.q, x.v, tick))
        self.plant.done(loop, loop.right_side(x.q, x.v, self.plan.clock.seconds(tick), qdot, vdot))
        return vdot, loop.tapes.vectors["Z"][self.plant.states].copy(), kept.read(loop)

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
        kept = self.remembered.names(self._path)
        return plant.state_names() + plant.names_of("w") + [f"held {signals[k]}" for k in self.held] + kept


def sampled_model(
    plant: AssemblyPlant,
    scheme: Scheme,
    velocity_axes: str = "body",
    independent: Sequence[str] | None = None,
    step: Period | None = None,
    others: Mapping[str, Any] = MappingProxyType({}),
) -> LinearModel:
    """Return the map of one frame of an assembly about a point;  others : more fields of the model."""
    turned = in_world(velocity_axes)
    frame = Frame(plant, LONGEST if step is None else float(period_of(step, "step")))
    frame.refuse_hidden_memory()
    total = sum(frame.sizes.values())
    chosen, T = plant.independent(independent, total)
    n = len(chosen) - frame.sizes["u"]
    scale = frame.magnitudes()[chosen]
    J, how = jacobian_of(lambda d: frame(T @ d), scale, bool(plant.memory), scheme)
    H, _ = jacobian_of(lambda d: frame.outputs(T @ d), scale, bool(plant.memory), scheme)
    y = frame.outputs(T @ np.zeros(len(chosen)))
    plant.recall()
    vdot, _ = plant.settle()
    notes = notes_on_point(plant, (*frame.late(), *notes_on_limits(plant)), vdot)
    A, B, C, D = J[chosen[:n], :n], J[chosen[:n], n:], H[:, :n], H[:, n:]
    names, motions = frame.names(), frame.sizes["q"] + frame.sizes["v"]
    kept = _moving(A, B, C, int(np.sum(chosen < motions)))
    A, B, C = A[np.ix_(kept, kept)], B[kept], C[:, kept]
    if turned:
        A, B, C = sampled_in_world((A, B, C), plant.system, plant.x0, frame.end, plant.motions(chosen[kept]))
    return plant.named(
        (A, B, C, D),
        [names[k] for k in chosen[kept]],
        operating_point={"q": plant.x0.q, "v": plant.x0.v, "vdot": vdot, "y": y, **plant.about()},
        method=how,
        notes=notes,
        dt=float(frame.ticks * plant.plan.clock.tick),
        **others,
    )


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
