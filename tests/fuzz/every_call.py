"""Every public callable, and every method of the main classes, with plausible wrong arguments, seeded."""

from __future__ import annotations

import contextlib
import enum
import inspect
import io
import random
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import interstage as ist
from interstage import devices as dev

# a flag that is an array, a state that is a number, a number that is text, a path that is none, ragged lists, None
WRONG: list[Any] = [
    None, True, np.nan, np.inf, -1, 3, 0.5, 10**30, "x", "", b"x", [], [1], ["a", "b"], [[1, 2], [3]],
    np.zeros(3), np.zeros((3, 3)), np.zeros(0), np.full(3, np.nan), np.array(["a", "b"]),
    np.array([None, 1], dtype=object), np.array([1j, 2]),
    {}, {"x": 1}, {1: 2}, {"x": None}, (), 1j, object(), int, Path("."), lambda *a: None,
]  # fmt: skip
LEFT_OUT = ("workers", "cluster", "cosimulation")  # processes and compilers
# what compiled code or the package itself calls, with arrays of its own
NOT_METHODS = (
    "outputs",
    "rates",
    "sample",
    "switch",
    "fit",
    "fit_velocities",
    "misfit",
    "pose",
    "subspace",
)
NOT_CALLED = ("UDP", "InterstageError")  # opens a socket; speaks for itself
PACKAGES = (
    "batch", "component", "ensemble", "exchange", "fem", "fmodal", "kane", "linalg", "linear", "mass", "multibody",
    "nastran", "report", "spatial", "system", "units", "vehicle",
)  # fmt: skip


DECK = """SOL 103
CEND
BEGIN BULK
GRID,1,,0.0,0.0,0.0
GRID,2,,1.0,0.0,0.0
CBAR,1,1,1,2,0.0,1.0,0.0
PBAR,1,1,0.01,1.0-5,1.0-5,1.0-5
MAT1,1,7.0+10,,0.3,2700.0
ENDDATA
"""


def things() -> dict[str, Any]:
    """Return one small object of each main class, by its name; the folder we are in gets a deck."""
    Path("bar.bdf").write_text(DECK)
    multibody = ist.Multibody("m")
    multibody.add_body("a", mass=1.0, inertia=[1, 1, 1], joint=ist.Free())
    system = multibody.compile()
    body = ist.MassBody("b", mass=1.0, inertia=[1, 1, 1])
    body.add_point("p", position=[1, 0, 0])
    model = ist.FEModel.from_deck("bar.bdf")
    return {
        "Multibody": multibody,
        "System": system,
        "State": system.state(),
        "MassBody": body,
        "Assembly": ist.Assembly("s").add("m", system),
        "Rotation": ist.Rotation.identity(),
        "RigidInertia": ist.RigidInertia(1.0, [0, 0, 0], np.eye(3)),
        "LinearModel": ist.LinearModel(-np.eye(2), np.ones((2, 1)), np.ones((1, 2)), np.zeros((1, 1))),
        "FEModel": model,
        "Component": ist.Component.from_deck("bar.bdf", n_modes=8),
        "Log": ist.simulate(system, system.state(), until=0.02, step=0.01),
        "Device": dev.LowPass(frequency=1.0, every="10 ms"),
        "Joint": ist.Revolute("z"),
        "Study": ist.monte_carlo(
            lambda row: {"y": 1.0}, {"a": stats.norm()}, runs=2, workers=0, progress=False
        ),
    }


def callables(objects: dict[str, Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Return each public callable and each public method of the objects, with the name that users write."""
    seen = set()
    for package in (ist, dev, *(import_module(f"interstage.{name}") for name in PACKAGES)):
        for name in package.__all__:
            value = getattr(package, name)
            if id(value) in seen or not getattr(value, "__module__", "").startswith("interstage"):
                continue
            seen.add(id(value))
            silent = isinstance(value, type) and issubclass(value, BaseException | enum.Enum)
            if callable(value) and not silent and name not in NOT_CALLED:
                yield name, value
                if isinstance(value, type):
                    for method, held in inspect.getmembers_static(value):
                        if isinstance(held, classmethod | staticmethod) and not method.startswith("_"):
                            yield f"{name}.{method}", getattr(value, method)
    for name, thing in objects.items():
        for method, held in inspect.getmembers_static(type(thing)):
            if inspect.isfunction(held) and not method.startswith("_") and method not in NOT_METHODS:
                yield f"{name}.{method}", getattr(thing, method)


def walk(seed: int, each: int) -> tuple[int, dict[str, list[str]]]:
    """Call everything `each` times; return the number of calls and {callable: what came back that is no sentence}."""
    objects = things()
    fine = [*objects.values(), 1.0, 3, "z", "10 ms", [0, 0, 0], np.eye(3), {"a": 1.0}, "bar.bdf"]
    calls, raw = 0, {}
    for name, function in callables(objects):
        rng = random.Random(f"{seed} {name}")
        for n in range(each):
            given, named = arguments(function, rng, WRONG if n % 2 else WRONG + 2 * fine)
            calls += 1
            words = answer(function, given, named)
            if words:
                raw.setdefault(name, []).append(f"{words} | {given!r:.120} {named!r:.120}")
    return calls, raw


def arguments(
    function: Callable[..., Any], rng: random.Random, pool: list[Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Draw a value for each argument that must be given, and for up to two others."""
    asked = inspect.signature(function).parameters.values()
    must = [p for p in asked if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    may = [p.name for p in asked if p.default is not p.empty and p.name not in LEFT_OUT]
    given = [rng.choice(pool) for p in must if p.kind is not p.KEYWORD_ONLY]
    named = {p.name: rng.choice(pool) for p in must if p.kind is p.KEYWORD_ONLY}
    named |= {word: rng.choice(pool) for word in rng.sample(may, min(len(may), rng.choice((0, 1, 1, 2))))}
    return given, named


def answer(function: Callable[..., Any], given: list[Any], named: dict[str, Any]) -> str:
    """Return what a call raised that is no sentence of ours, or nothing."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            function(*given, **named)
    except ist.InterstageError:
        return ""
    except Exception as error:
        last = error.__traceback__
        while last.tb_next is not None:
            last = last.tb_next
        where = f"{Path(last.tb_frame.f_code.co_filename).name}:{last.tb_lineno}"
        return f"{type(error).__name__} {where} {str(error)[:90]!r}"
    return ""
