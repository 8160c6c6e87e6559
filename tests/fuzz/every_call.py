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
from interstage.component.options import ReductionOptions
from interstage.fem import lumped_beam
from interstage.linalg import Factor
from interstage.multibody.loads import Wrench
from interstage.units import unit


class Frame:
    """Look like a table of another library: columns, and an array of objects."""

    columns, index, shape, values = (
        ["a", "b"],
        [0, 1],
        (2, 2),
        np.array([[1, "x"], [None, 2.0]], dtype=object),
    )

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.values if dtype is None else self.values.astype(dtype)

    def __getitem__(self, name: str) -> list[Any]:
        return [1, None] if name == "a" else {}[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return 2


class Once:
    """Stand for a generator; a new one in each call."""

    def __init__(self, *items: Any) -> None:
        self.items = items or (1, 2, 3)


# a flag that is an array, a state that is a number, a number that is text, a path that is none, ragged lists, None
WRONG: list[Any] = [
    None, True, np.nan, np.inf, -1, 3, 0.5, 10**30, "x", "", b"x", [], [1], ["a", "b"], [[1, 2], [3]],
    np.zeros(3), np.zeros((3, 3)), np.zeros(0), np.full(3, np.nan), np.array(["a", "b"]),
    np.array([None, 1], dtype=object), np.array([1j, 2]),
    {}, {"x": 1}, {1: 2}, {"x": None}, (), 1j, object(), int, Path("."), lambda *a: None,
    0, -0.5, 1e308, -np.inf, 2**63, complex("nan"), "3 parsec", "5 m/", "-1 s", "nan", "1e999 N", "\x00", "é \ud800",
    "a" * 300, "no/such/file.bdf", bytearray(b"bdf"), np.float32(2.0), np.int8(3), np.bool_(True), np.array(3.0),
    np.array([True, False]), np.zeros((2, 3, 4)), np.zeros((3, 0)), np.full((3, 3), np.inf), -np.eye(3),
    np.eye(3, dtype=complex), np.array("x"), [None], [np.nan, 1, 2], [[1, 2, 3]], [[]], [1, "a"], ["a", "a"],
    [[1, 2, 3], [4, 5, 6]], ("a", 1), {"a"}, frozenset(), {"a": [[1, 2], [3]]}, {"a": "x"}, {"a": np.zeros((3, 3))},
    {("a", "b"): 1}, {"": 1.0}, range(3), range(0), slice(3), ..., dict, print, len, np, io.StringIO("x"),
    np.datetime64("2020-01-01"), Frame(), Once(), Once("a"),
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
WRITTEN = ("__getitem__", "__setitem__", "__call__", "__contains__", "__matmul__", "__mul__", "__add__")
NOT_CALLED = ("UDP", "InterstageError")  # opens a socket; speaks for itself
PACKAGES = (
    "batch", "component", "exchange", "fem", "fmodal", "kane", "linalg", "linear", "mass", "multibody",
    "nastran", "report", "simulation", "spatial", "staged_vehicle", "studies", "units",
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

HELD = """SOL 101
CEND
SPC = 1
LOAD = 2
BEGIN BULK
""" + DECK.split("BEGIN BULK\n")[1].replace("ENDDATA", "SPC1,1,123456,1\nFORCE,2,2,,1.0,0.0,0.0,1.0\nENDDATA")
SHAKEN = (
    HELD.replace("SOL 101", "SOL 108")
    .replace("LOAD = 2", "DLOAD = 3\nFREQUENCY = 4")
    .replace(
        "ENDDATA",
        "RLOAD1,3,5,,,6\nDAREA,5,2,3,1.0\nTABLED1,6\n,0.0,1.0,100.0,1.0,ENDT\nFREQ,4,1.0,2.0\nENDDATA",
    )
)


class Rail(ist.Device):
    """Push a body along its rail, as commanded."""

    joint = ist.JointRef("m")
    command, force = ist.In("N"), joint.force()

    def outputs(d: Any, t: float) -> None:
        """Pass the command on."""
        d.force = d.command


class Ruler(ist.Device):
    """Measure where a body is on its rail, at every sample."""

    joint = ist.JointRef("m")
    x, v = joint.coordinate(), joint.rate()
    place, speed = ist.Out("m"), ist.Out("m/s")

    def sample(d: Any, t: float) -> None:
        """Hold the position and the speed."""
        d.place = d.x
        d.speed = d.v


def push(t: float, x: float, v: float) -> float:
    """Return the force that brings a cart back."""
    return -3.0 * x - 2.0 * v


def controlled_cart() -> tuple[ist.Assembly, ist.State]:
    """Return a cart on a rail whose sampled loop is closed, off its place."""
    mb = ist.Multibody("cart")
    mb.add_body("cart", mass=2.0, inertia=[1, 1, 1], joint=ist.Prismatic("x"))
    system = mb.compile()
    flight = ist.Assembly("pd", vehicle=system).add("rail", Rail(joint="cart"))
    flight.add("sensor", Ruler(joint="cart"), every="50 ms")
    flight.add("law", push, every="50 ms", out={"u": "N"})
    flight.wire({"sensor.place": "law.x", "sensor.speed": "law.v", "law.u": "rail.command"})
    x = system.state()
    x["cart"].q[0] = 0.1
    return flight, x


def things() -> dict[str, Any]:
    """Return one small object of each main class, by its name; the folder we are in gets a deck."""
    Path("bar.bdf").write_text(DECK)
    Path("held.bdf").write_text(HELD)
    Path("shaken.bdf").write_text(SHAKEN)
    multibody = ist.Multibody("m")
    multibody.add_body("a", mass=1.0, inertia=[1, 1, 1], joint=ist.Free())
    system = multibody.compile()
    body = ist.MassBody("b", mass=1.0, inertia=[1, 1, 1])
    body.add_point("p", position=[1, 0, 0])
    model = ist.FEModel.from_deck("bar.bdf")
    held = ist.FEModel.from_deck("held.bdf")
    x = system.state()
    K, M, nodes = lumped_beam(2.0, 3, EA=1e7, GJ=1e5, EI=1e5, mass=[1.0, 1.0, 1.0, 0.1, 0.1, 0.1])
    stage = ist.Stage("s", K=K, M=M, nodes=nodes)
    vehicle = ist.StagedVehicle("v")
    vehicle.add(stage)
    two = ist.LinearModel(-np.eye(2), np.ones((2, 1)), np.ones((1, 2)), np.zeros((1, 1)))
    tank = ist.Tank("t", ist.SphereFill(radius=1.0, density=1000.0), fill=0.5)
    cart, off = controlled_cart()
    steps = {"until": 0.2, "step": 0.01, "progress": False}
    events = [ist.Event(at=0.1, name="halfway")]
    flown = ist.simulate(cart, off, log="cart.h5", checkpoint="0.1 s", events=events, **steps)
    opened = ist.open_loop(cart, off, at="rail.command")
    return {
        "cart": cart,
        "FlightLog": flown,
        "FlightPoint": flown.point(-1),
        "Series": flown.series("law.u"),
        "BodyHistory": flown["cart"],
        "Phase": flown.phases[0],
        "Checkpoint": ist.load("cart.ckpt.h5"),
        "FlightTrim": ist.trim(cart, off),
        "Loop": opened,
        "Margins": opened.margins(regions={"rigid": (0.0, 1.0)}),
        "Deck": (deck := ist.read_deck("held.bdf")),
        "CardTable": deck.cards("GRID"),
        "CaseControl": deck.case,
        "Modes": ist.normal_modes(held, n_modes=2),
        "Displacements": ist.static(held),
        "FrequencyResponse": ist.frequency_response(ist.FEModel.from_deck("shaken.bdf")),
        "DynBody": ist.DynBody("d", mass=1.0, inertia=[1, 1, 1]),
        "Tank": tank,
        "SphereFill": tank.law if hasattr(tank, "law") else ist.SphereFill(1.0, 1.0),
        "Kane": ist.Kane(multibody),
        "Loads": ist.Loads((), np.zeros(6)),
        "Wrench": Wrench("a", np.zeros(6)),
        "OperatingPoint": ist.trim(system, x),
        "BatchLog": ist.simulate_batch(system, x, until=0.02, step=0.01, samples=2),
        "Factor": Factor(np.eye(3)),
        "Stage": stage,
        "StagedVehicle": vehicle,
        "Stack": vehicle.stack(),
        "ReducedBasis": vehicle.shapes(n_modes=2),
        "Options": ReductionOptions(),
        "Unit": unit("kg*m/s"),
        "Points": ist.points(ist.simulate(system, x, until=0.02, step=0.01), [0.0, 0.01]),
        "Multibody": multibody,
        "System": system,
        "State": system.state(),
        "MassBody": body,
        "Assembly": ist.Assembly("s").add("m", system),
        "Rotation": ist.Rotation.identity(),
        "RigidInertia": ist.RigidInertia(1.0, [0, 0, 0], np.eye(3)),
        "LinearModel": two,
        "Poles": two.poles() if hasattr(two, "poles") else two,
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
            spoken = not method.startswith("_") or method in WRITTEN
            own = str(getattr(held, "__module__", "")).startswith("interstage")
            if inspect.isfunction(held) and own and spoken and method not in NOT_METHODS:
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
                raw.setdefault(name, []).append(f"{words} | {printed(given)} {printed(named)}")
    return calls, raw


def printed(values: object) -> str:
    """Return what was given, shortened; an object that a call has spoilt cannot even be printed."""
    try:
        return f"{values!r:.120}"
    except Exception as error:
        return f"cannot be printed: {error!r:.120}"


def arguments(
    function: Callable[..., Any], rng: random.Random, pool: list[Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Draw a value for each argument that must be given, and for up to two others."""
    asked = inspect.signature(function).parameters.values()
    must = [p for p in asked if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    may = [p.name for p in asked if p.default is not p.empty and p.name not in LEFT_OUT]
    given = [drawn(pool, rng) for p in must if p.kind is not p.KEYWORD_ONLY]
    named = {p.name: drawn(pool, rng) for p in must if p.kind is p.KEYWORD_ONLY}
    named |= {word: drawn(pool, rng) for word in rng.sample(may, min(len(may), rng.choice((0, 1, 1, 2))))}
    return given, named


def drawn(pool: list[Any], rng: random.Random) -> Any:
    """Draw a value; a generator is a new one each time."""
    value = rng.choice(pool)
    return (one for one in value.items) if isinstance(value, Once) else value


def answer(function: Callable[..., Any], given: list[Any], named: dict[str, Any]) -> str:
    """Return what a call raised that is no sentence of ours, or nothing."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", np.exceptions.ComplexWarning)  # an imaginary part is lost
            function(*given, **named)
    except ist.InterstageError as error:
        return "several lines" if "\n" in str(error) else ""
    except Exception as error:
        if isinstance(error, IndexError) and getattr(function, "__name__", "") == "__getitem__":
            return ""  # as every sequence of Python says it
        last = error.__traceback__
        while last.tb_next is not None:
            last = last.tb_next
        where = f"{Path(last.tb_frame.f_code.co_filename).name}:{last.tb_lineno}"
        return f"{type(error).__name__} {where} {str(error)[:90]!r}"
    return ""
