"""Where a thread of a GPU finds its arrays.

Numbers of the vehicle that all samples share are constants of the program as far as they fit; the others are a vector
of reals and one of integers that are handed over. What a sample changes (`own`) and the engine's scratch are a thread's
own; scratch that `prepare` writes from constants alone is shared too. All lengths are known when a program is written.

Negative indices do not wrap on a GPU: scratch of bodies has the ground, which kernels call row -1, before its first row
instead of behind its last (`ground`), and nothing else may be asked for below zero.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from interstage.batch.numbers import WRENCH
from interstage.batch.plan import BatchPlan, method_in
from interstage.batch.threads import step_scratch
from interstage.multibody.arrays import BODY_ROWS, SCRATCH_FIELDS, SETTING_FIELDS, TREE_FIELDS
from interstage.multibody.dispersed_parameters import MODAL, OF_TREE
from interstage.multibody.kernels.joints import VARYING

CONSTANT = (
    22_000  # bytes of constant memory that a program may take: what is read through caches is no slower
)
# scratch that `prepare` writes from constants and that explicit steps leave alone
PREPARED = ("mode_d", "shift", "EDE", "site_DE", "W0")
LOADS = ("ext", "mode_ext")  # what no loads at places write: zero


@dataclass(frozen=True, eq=False)
class Constant:
    """An array in constant memory; with `ground`, its last row stands before the first."""

    array: np.ndarray
    ground: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths."""
        return self.array.shape

    @property
    def whole(self) -> bool:
        """Whether its numbers are integers."""
        return self.array.dtype.kind in "iu"


@dataclass(frozen=True)
class VectorPart:
    """Numbers of a vector, from a place on: "own" of a sample; "given" reals and "whole" numbers, which all share.

    With `ground`, the last row stands before that place.
    """

    vector: str
    offset: int
    shape: tuple[int, ...]
    whole: bool = False
    ground: bool = False


@dataclass(frozen=True)
class Own:
    """Scratch of a thread, with whatever is in it; with `ground`, its last row stands before the first."""

    shape: tuple[int, ...]
    whole: bool = False
    ground: bool = False


@dataclass(frozen=True)
class Same:
    """The array of another field."""

    field: str
    shape: tuple[int, ...]
    whole: bool = False


Place = Constant | VectorPart | Own | Same


@dataclass(frozen=True, eq=False)
class Layout:
    """Places of all arrays that a sample is flown with.

    rooms : what `fly` takes, by its names, and the places of their fields
    own : how many reals of a sample there are;  given, whole (n,) : reals and integers that are handed over
    """

    rooms: Mapping[str, Mapping[str, Place]]
    own: int
    given: np.ndarray
    whole: np.ndarray

    @property
    def constants(self) -> int:
        """Bytes of constant memory."""
        places = {id(place): place for room in self.rooms.values() for place in room.values()}
        return sum(place.array.nbytes for place in places.values() if isinstance(place, Constant))

    def print(self) -> str:
        """Return a print of all that a program takes from here: places, lengths, and the numbers of constants."""
        found = hashlib.sha256(repr(self.own).encode())
        for room, places in self.rooms.items():
            for field, place in places.items():
                words = (
                    (place.array.dtype.str, place.shape, place.ground)
                    if isinstance(place, Constant)
                    else place
                )
                found.update(f"{room} {field} {words}\n".encode())
                if isinstance(place, Constant):
                    found.update(np.ascontiguousarray(place.array).tobytes())
        return found.hexdigest()


class _Writer:
    """Puts arrays to places; those that all share to constants, up to some bytes."""

    def __init__(self, plan: BatchPlan, constants: int) -> None:
        self.own, self.left = plan.own, constants
        self.vectors: dict[str, list[np.ndarray]] = {"given": [np.zeros(1)], "whole": [np.zeros(1, np.int64)]}
        self.known: dict[tuple[int, tuple[int, ...]], tuple[np.ndarray, Place]] = {}

    def of_all(self, array: np.ndarray) -> Place:
        """Return the place of an array that all samples share: one, wherever it is named."""
        key = (array.ctypes.data, array.shape)
        if not array.size or key not in self.known:
            self.known[key] = array, self._place(array)  # which is kept: its address stays its own
        return self.known[key][1]

    def _place(self, array: np.ndarray) -> Constant | VectorPart:
        whole = array.dtype.kind in "iu"
        numbers = np.array(array, dtype=np.int64 if whole else np.float64)
        if numbers.nbytes <= self.left:
            self.left -= numbers.nbytes
            return Constant(numbers)
        return self.handed(numbers)

    def of_bodies(self, array: np.ndarray) -> Place:
        """Return the place of scratch of bodies that all samples share."""
        place = self._place(np.roll(array, 1, axis=0))
        if isinstance(place, VectorPart):
            return replace(place, offset=place.offset + math.prod(array.shape[1:]), ground=True)
        return replace(place, ground=True)

    def handed(self, numbers: np.ndarray) -> Constant | VectorPart:
        """Return the place of an array that is handed over."""
        whole = numbers.dtype.kind in "iu"
        name = "whole" if whole else "given"
        offset = sum(map(len, self.vectors[name]))
        self.vectors[name].append(numbers.ravel())
        return VectorPart(name, offset, numbers.shape, whole)

    def of_sample(self, name: str) -> Place:
        """Return an array among the numbers of a sample."""
        return VectorPart("own", self.own.start[name], self.own.arrays[name].shape)

    def room(
        self, arrays: Mapping[str, np.ndarray], own: tuple[str, ...] = (), sample: tuple[str, ...] = ()
    ) -> dict[str, Place]:
        """Return places: scratch of the thread (`own`), numbers of the sample where it has them, others of all."""
        found: dict[str, Place] = {}
        for name, array in arrays.items():
            if name in own:
                found[name] = Own(array.shape, array.dtype.kind in "iu")
            elif name in sample and name in self.own.start:
                found[name] = self.of_sample(name)
            else:
                found[name] = self.of_all(array)
        return found


def lay_out(plan: BatchPlan, constants: int = CONSTANT) -> Layout:
    """Return the places of a plan's arrays; `constants`: bytes of constant memory."""
    w, system, method = _Writer(plan, constants), plan.system, method_in(plan)
    nv, base, load = system.nv, len(plan.own.base), plan.own.arrays["calm"].size
    law = plan.law_arrays(plan.own.arrays)._asdict()
    step = step_scratch(method, system.nq + nv, nv)._asdict()
    for name, kind, _ in TREE_FIELDS:
        if kind == "i":
            w.of_all(getattr(system.tree, name))
    work = _work(w, plan)  # what is read most comes first: integers of the tree, pairs of modes
    rooms = {
        "tree": w.room({name: getattr(system.tree, name) for name, _, _ in TREE_FIELDS}, sample=OF_TREE),
        "work": work,
        "sample": {
            "own": VectorPart("own", 0, (base,)),
            "load": VectorPart("own", base, (load,)),
            "calm": w.of_sample("calm"),
            "y": w.of_sample("y"),
        },
        "acts": _acts(w, plan, base),
        "law": w.room(law, ("x", "new", "u"), ("A", "B", "C", "D", "reference")),
        "stops": w.room(plan.stop_arrays()._asdict()),
        "keep": w.room(plan.keep_arrays()._asdict(), ("before",)),
        "method": w.room(method.data(False)._asdict()),
        "step": w.room(step, tuple(step)),
        "patches": w.room(plan.patches._asdict()),
    }
    given, whole = (np.concatenate(parts) for parts in w.vectors.values())
    return Layout(rooms, base + load, given, whole)


def _acts(w: _Writer, plan: BatchPlan, base: int) -> dict[str, Place]:
    """Return the places of loads: behind the numbers of a sample, from `base` on; tables of time are handed over."""
    nv, load, course = plan.system.nv, plan.own.arrays["calm"].size, plan.course
    return {
        "load": VectorPart("own", base, (load,)),
        "tau": VectorPart("own", base, (nv,)),
        "sites": w.of_all(plan.sites),
        "wrenches": VectorPart("own", base + nv, ((load - nv) // WRENCH, WRENCH)),
        "to": w.of_all(course.to),
        "still": Own(course.to.shape),
        "scale": w.of_sample("scale"),
        "times": w.handed(course.times),
        "values": w.handed(course.values),
    }


def _work(w: _Writer, plan: BatchPlan) -> dict[str, Place]:
    """Return the places of settings and scratch; arrays that are one on a CPU are one here."""
    tree = plan.system.tree
    prepared: tuple[str, ...] = ("shift",)
    if not any(name in w.own.start for name in MODAL):
        prepared = PREPARED if np.isin(tree.joint_kind, VARYING).any() else (*PREPARED, "H")
    if not len(plan.sites):
        prepared += LOADS
    settings = tuple(name for name, _, _ in SETTING_FIELDS)
    constants = {getattr(tree, name).ctypes.data: name for name in OF_TREE if name in w.own.start}
    found: dict[str, Place] = {}
    first: dict[int, str] = {}
    with plan.system.engine.borrow(np.dtype(np.float64)) as lent:
        for name, kind, _ in (*SETTING_FIELDS, *SCRATCH_FIELDS):
            array = getattr(lent.work, name)
            at = array.ctypes.data if array.size else -1
            if name == "body_inertia" and name in w.own.start:
                found[name] = w.of_sample(name)
            elif at in constants:
                found[name] = w.of_sample(constants[at])
            elif at in first:
                found[name] = Same(first[at], array.shape, array.dtype.kind in "iu")
            elif name in LOADS and name in prepared:
                found[name] = Constant(np.zeros(array.shape), name in BODY_ROWS)
            elif name in settings or name in prepared or kind == "f":
                found[name] = w.of_bodies(array) if name in BODY_ROWS else w.of_all(array)
            else:
                found[name] = Own(array.shape, array.dtype.kind in "iu", name in BODY_ROWS)
            if at >= 0:
                first.setdefault(at, name)
    return found
