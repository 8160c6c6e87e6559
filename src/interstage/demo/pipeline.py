"""The whole demo: deck → component → vehicle → modes → trim → linear model → design → ascent → report.

The core of shells flies a doublet; the ascent is that of the same launcher as two stages that burn (`ascent_vehicle`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from interstage.demo.shared import Shared, sharing
from interstage.output import make_folder

ASCENT_ROWS = "0.1 s"  # between rows of its log
Progress = Callable[[int, int, str], None]

STEPS = (
    "writing the NASTRAN deck",
    "assembling the finite-element model",
    "modes of the whole vehicle by finite elements",
    "component file: modes and integrals of the core, engines taken out",
    "multibody vehicle and its modes",
    "trim under thrust",
    "linear model",
    "20 s of flight, gimbal doublet",
    "ascent: reference, linear models at six times, gains and margins",
    "ascent to T+300 s: wind, gusts, burning, staging",
    "report",
)
FILES = {
    "deck": "heron.bdf",
    "component": "heron_core.h5",
    "linear": "heron_linear.h5",
    "log": "heron_flight.h5",
    "ascent": "heron_ascent.h5",
    "report": "report.html",
}


@dataclass
class DemoSettings:
    """Sizes of the demo: fixed-interface modes of the core, modes shown, seconds of the doublet and of the ascent."""

    component_modes: int = 80
    shown_modes: int = 20
    seconds: float = 20.0
    ascent: float = 300.0


@dataclass
class DemoResult:
    """Everything that the demo computed, and where the files are; compiled : s in which kernels were compiled."""

    folder: Path
    files: dict[str, Path] = field(default_factory=dict)
    walls: list[tuple[str, float]] = field(default_factory=list)
    fe: Any = None
    fe_modes: Any = None
    weight: Any = None
    component: Any = None
    locked: Any = None
    locked_modes: Any = None
    system: Any = None
    x0: Any = None
    lin: Any = None
    flight: Any = None
    ascent: Any = None
    margins: list[tuple[Any, list[Any]]] = field(default_factory=list)
    ascent_log: Any = None
    compiled: float = 0.0

    @property
    def wall_s(self) -> float:
        """Wall time of all steps."""
        return sum(seconds for _, seconds in self.walls)

    def frequency_errors(self, count: int) -> np.ndarray:
        """Return relative differences (count,) of the first elastic frequencies, multibody against FE."""
        ours, fe = self.locked_modes.frequencies_hz, self.fe_modes.frequencies_hz
        return ours[6 : 6 + count] / fe[6 : 6 + count] - 1.0


def run_demo(
    folder: str | Path, progress: Progress | None = None, settings: DemoSettings | None = None
) -> DemoResult:
    """Run the demo and write its files into a folder.

    progress : called as progress(number of steps done, number of steps, words on the next)
    """
    made = DemoResult(make_folder(folder))
    settings = settings or DemoSettings()
    made.files = {key: made.folder / name for key, name in FILES.items()}
    step = _Steps(made, progress or (lambda done, total, words: None))
    with _compiling(made), sharing() as shared:
        _structure(made, settings, step)
        _vehicle(made, step, shared)
        _flight(made, settings, step)
        _ascent(made, settings, step, shared)
    with step():
        from interstage.demo.compose import demo_report

        report = demo_report(made, settings.shown_modes)
    # the page shows the time of every step, its own included
    report().save(made.files["report"])
    return made


@contextmanager
def _compiling(made: DemoResult) -> Iterator[None]:
    """Take the time in which this process compiles kernels, and waits for the one that compiles beside it."""
    from interstage.compiled.disk import compiling_timed

    with compiling_timed(lambda seconds: setattr(made, "compiled", made.compiled + seconds)):
        yield


class _Steps:
    """Says what comes next and keeps the time of each step."""

    def __init__(self, made: DemoResult, progress: Progress):
        self.made, self.progress = made, progress

    @contextmanager
    def __call__(self) -> Iterator[None]:
        name = STEPS[len(self.made.walls)]
        self.progress(len(self.made.walls), len(STEPS), name)
        start = time.perf_counter()
        yield
        self.made.walls.append((name, time.perf_counter() - start))
        if len(self.made.walls) == len(STEPS):
            self.progress(len(STEPS), len(STEPS), "done")


def _structure(made: DemoResult, settings: DemoSettings, step: _Steps) -> None:
    from interstage.demo.heron_deck import write_heron_deck
    from interstage.demo.vehicle import core_component
    from interstage.fem import FEModel, normal_modes
    from interstage.nastran import read_deck

    with step():
        write_heron_deck(made.files["deck"])
    with step():
        deck = read_deck(made.files["deck"])
        made.fe = FEModel.from_deck(deck)
        made.weight = made.fe.mass_properties(0)
    with step():
        made.fe_modes = normal_modes(made.fe, n_modes=6 + settings.shown_modes)
    with step():
        made.component = core_component(deck, settings.component_modes)
        made.component.save(made.files["component"])


def _vehicle(made: DemoResult, step: _Steps, shared: Shared | None) -> None:
    from interstage.demo.vehicle import heron_vehicle

    with step():
        _compile(made, shared, "doublet")
        made.locked = heron_vehicle(made.component, locked=True)
        made.locked_modes = made.locked.modes()
        made.system = heron_vehicle(made.component)


def _flight(made: DemoResult, settings: DemoSettings, step: _Steps) -> None:
    from interstage.demo.flight import fly, linear_model, trimmed

    with step():
        made.x0 = trimmed(made.system)
    with step():
        made.lin = linear_model(made.system, made.x0)
        made.lin.save(made.files["linear"])
    with step():
        made.flight = fly(made.system, made.x0, made.lin, settings.seconds)
        flight = made.flight
        signals = {
            "gimbal command": (flight.command_deg, "deg"),
            "gimbal angle": (flight.gimbal_deg, "deg"),
            "forward gyro pitch rate": (flight.forward_deg_s, "deg/s"),
            "aft gyro pitch rate": (flight.aft_deg_s, "deg/s"),
            "nose deflection": (flight.nose_mm, "mm"),
        }
        flight.log.save(made.files["log"], signals)


def _compile(made: DemoResult, shared: Shared | None, group: str) -> None:
    """Compile, together with the process beside this one, what the next steps need."""
    from interstage.compiled.disk import compiling_timed

    if shared is not None:
        begun, counted = time.perf_counter(), [0.0]  # what is compiled here is counted already, as everywhere
        with compiling_timed(counted.append):
            shared.finish(group)
        made.compiled += time.perf_counter() - begun - sum(counted)


def _ascent(made: DemoResult, settings: DemoSettings, step: _Steps, shared: Shared | None) -> None:
    from interstage.demo import ascent_control as control
    from interstage.demo import ascent_flight as ascents
    from interstage.demo import ascent_points as points

    with step():
        points.reference()  # which compiles kernels of its own
        _compile(made, shared, "ascent")
        made.ascent = one = ascents.ascent()
        made.margins = [
            (at, control.margins_of(at, one.plan.upper if at.upper else one.plan.first))
            for at in ascents.thought()[2]
        ]
    with step():
        made.ascent_log = one.fly(settings.ascent, log=made.files["ascent"], log_step=ASCENT_ROWS)
