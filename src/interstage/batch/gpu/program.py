"""The one kernel of a batch: what a thread does with sample k."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType

from interstage.batch import kernels
from interstage.batch.gpu.layout import Layout, Own, Place
from interstage.batch.gpu.text import Translator
from interstage.batch.plan import Plan, method_in
from interstage.batch.threads import flyers
from interstage.multibody.handle import stages_called
from interstage.multibody.kernels.flex import prepare
from interstage.multibody.kernels.joints import constant_subspaces

NAME = "fly_batch"
_TEXT = f"""
def {NAME}(given, whole, counts, table, history, reduced, end, status, stop, indefinite, h):
    k = place(1)
    if k >= len(end):
        return
    own = room()
    {{rooms}}
    begin(sample.own, patches, table, k)
    ground(tree, work)
    prepare(tree, work)
    found = Found(history, reduced, end, status, stop)
    fly(tree, work, method, acts, sample.calm, sample.load, law, stops, keep, counts, h, sample.y, step, k, found)
    tell(work, indefinite)
"""


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


def stages_of(plan: Plan) -> frozenset[str]:
    """Return the names of the stages that a plan's vehicle calls."""
    return stages_called(plan.system.tree, len(plan.sites) > 0)


def write(
    plan: Plan,
    layout: Layout,
    make: Callable[[FunctionType], Callable],
    mathematics: object,
    place: Callable,
    room: Callable[[int], Callable],
    refer: Callable[[str, Mapping[str, Place]], Callable],
) -> FunctionType:
    """Return the kernel as a Python function, f(given, whole, counts, table, *found, indefinite, h).

    make, mathematics : of kernels (`text.Translator`);  place : f(1), the number of the thread
    room : of a length, f() that returns a vector of the thread's own
    refer : of a name and places, f(own, given, whole) that returns something with their arrays
    """
    translate = Translator(stages_of(plan), make, mathematics)
    names: dict[str, object] = {f"{name}_of": refer(name, places) for name, places in layout.rooms.items()}
    names |= {"room": room(layout.own), "place": place, "Found": kernels.Found}
    names |= {"fly": translate(flyers(method_in(plan).implicit).one), "begin": translate(kernels.begin)}
    names |= {"ground": translate(ground), "tell": translate(tell)}
    work = layout.rooms["work"]
    names |= {"prepare": translate(_prepare(isinstance(work["mode_d"], Own), isinstance(work["H"], Own)))}
    rooms = "\n    ".join(f"{name} = {name}_of(own, given, whole)" for name in layout.rooms)
    exec(compile(_TEXT.format(rooms=rooms), f"<{NAME}>", "exec"), names)
    function = names[NAME]
    assert isinstance(function, FunctionType)
    return function
