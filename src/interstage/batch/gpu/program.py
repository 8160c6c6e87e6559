"""GPU programs: kernels of the engine bound to what a GPU has.

Kernels of the engine, bound to what a GPU has: the same text with other globals.

Kernels and stages that a kernel names are bound in turn, `np` is the mathematics that is given, and stages that a
vehicle does not call are left out: a compiler need not see them. Nothing of the engine is changed.

The one kernel of a batch: what a thread does with sample k.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import CodeType, FunctionType

import numpy as np

from interstage.batch import kernels
from interstage.batch.gpu.layout import Layout, Own, Place
from interstage.batch.plan import BatchPlan, method_in
from interstage.batch.threads import flyers
from interstage.jit import COMPILED
from interstage.multibody.address_table import STAGES, stages_called
from interstage.multibody.kernels.body_inertia import prepare
from interstage.multibody.kernels.joints import constant_subspaces

if COMPILED:
    from interstage.compiled import AddressedKernel


def plain(kernel: object) -> FunctionType | None:
    """Return the Python function of a kernel or stage, None of anything else."""
    if COMPILED and isinstance(kernel, AddressedKernel):
        return getattr(kernel, "function", None)
    found: object = getattr(kernel, "py_func", kernel)
    if not isinstance(found, FunctionType):
        return None
    return found if (found.__module__ or "").startswith("interstage.") else None


def _absent(*arguments):
    """Stand for a stage that is not called: find a fault."""
    return -1


class Translator:
    """Binds kernels, each once.

    called : names of the stages that the vehicle calls;  make : what is made of each bound function;  mathematics :
    stands for numpy
    """

    def __init__(
        self, called: frozenset[str], make: Callable[[FunctionType], Callable], mathematics: object = np
    ):
        self.called, self.make, self.mathematics = called, make, mathematics
        self.made: dict[FunctionType, Callable] = {}

    def __call__(self, kernel: object) -> Callable:
        """Return a kernel, bound."""
        function = plain(kernel)
        if function is None:
            raise TypeError(f"{kernel!r} is no kernel")
        if function not in self.made:
            if function.__name__ in STAGES and function.__name__ not in self.called:
                bound = FunctionType(_absent.__code__, {}, function.__name__)
            else:
                names = self._globals(function)
                bound = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
            bound.__module__, bound.__qualname__ = function.__module__, function.__qualname__
            self.made[function] = self.make(bound)
        return self.made[function]

    def _globals(self, function: FunctionType) -> dict[str, object]:
        found = dict(function.__globals__)
        for name in _names(function.__code__):
            value = found.get(name)
            if value is np:
                found[name] = self.mathematics
            elif value is not None and plain(value) is not None:
                found[name] = self(value)
        return found


def _names(code: CodeType) -> set[str]:
    """Return all names that code uses, those of inner functions too."""
    inner = (_names(part) for part in code.co_consts if isinstance(part, CodeType))
    return set(code.co_names).union(*inner)


NAME = "fly_batch"


def ground(tree, work):
    """Write what `prepare` and zeros leave in scratch that no kernel writes: the ground's row.

    Loads are written before they are read where there are any (`external_wrenches`), and constants where not.
    """
    for j in range(3):
        work.g[-1, j] = tree.gravity[j]
        work.pw[-1, j] = 0.0
    for j in range(9):
        work.Rw[-1, j] = 1.0 if j % 4 == 0 else 0.0
    for j in range(6):
        work.V[-1, j] = 0.0
        work.A[-1, j] = 0.0
    for j in range(len(work.indefinite)):
        work.indefinite[j] = 0.0


def subspaces(tree, work):
    """Write subspaces of joints: some vary, and a thread has all of them."""
    constant_subspaces(tree, work.H)


def nothing(tree, work):
    """Leave what `prepare` writes as it is: constants."""


def _prepare(modes: bool, joints: bool) -> Callable:
    """Return what writes the scratch that depends on constants, where a thread has it of its own."""
    return prepare if modes else subspaces if joints else nothing


def tell(work, indefinite):
    """Say which bodies (N,) had a mass matrix that is not definite; all samples say it to one array."""
    for j in range(len(work.indefinite)):
        if work.indefinite[j] != 0.0:
            indefinite[j] = 1.0


def stages_of(plan: BatchPlan) -> frozenset[str]:
    """Return the names of the stages that a plan's vehicle calls."""
    return stages_called(plan.system.tree, len(plan.sites) > 0)


def write(
    plan: BatchPlan,
    layout: Layout,
    make: Callable[[FunctionType], Callable],
    mathematics: object,
    place: Callable,
    room: Callable[[int], Callable],
    refer: Callable[[str, Mapping[str, Place]], Callable],
) -> Callable[..., None]:
    """Return the kernel as a Python function, f(given, whole, counts, table, *found, indefinite, h).

    make, mathematics : of kernels (`text.Translator`);  place : f(1), the number of the thread
    room : of a length, f() that returns a vector of the thread's own
    refer : of a name and places, f(own, given, whole) that returns something with their arrays
    """
    translate, work = Translator(stages_of(plan), make, mathematics), layout.rooms["work"]
    return _kernel(
        place,
        room(layout.own),
        {name: refer(name, places) for name, places in layout.rooms.items()},
        translate(kernels.begin),
        translate(ground),
        translate(_prepare(isinstance(work["mode_d"], Own), isinstance(work["H"], Own))),
        translate(flyers(method_in(plan).implicit).one),
        translate(tell),
    )


def _kernel(
    place: Callable,
    room: Callable,
    rooms: Mapping[str, Callable],
    begin: Callable,
    ground: Callable,
    prepare: Callable,
    fly: Callable,
    tell: Callable,
) -> Callable[..., None]:
    """Return what a thread does, with what it calls bound to it."""
    tree_of, work_of, sample_of, acts_of = (rooms[name] for name in ("tree", "work", "sample", "acts"))
    law_of, stops_of, keep_of = (rooms[name] for name in ("law", "stops", "keep"))
    method_of, step_of, patches_of = (rooms[name] for name in ("method", "step", "patches"))

    def fly_batch(given, whole, counts, table, history, reduced, end, status, stop, indefinite, h):
        k = place(1)
        if k >= len(end):
            return
        own = room()
        tree, work = tree_of(own, given, whole), work_of(own, given, whole)
        sample, acts = sample_of(own, given, whole), acts_of(own, given, whole)
        law, stops, keep = law_of(own, given, whole), stops_of(own, given, whole), keep_of(own, given, whole)
        method, step = method_of(own, given, whole), step_of(own, given, whole)
        begin(sample.own, patches_of(own, given, whole), table, k)
        ground(tree, work)
        prepare(tree, work)
        found = kernels.Found(history, reduced, end, status, stop)
        calm, load, y = sample.calm, sample.load, sample.y
        fly(tree, work, method, acts, calm, load, law, stops, keep, counts, h, y, step, k, found)
        tell(work, indefinite)

    return fly_batch
