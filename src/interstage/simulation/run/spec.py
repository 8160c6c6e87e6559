"""What is said of a run before it begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from interstage.multibody import State
from interstage.multibody.loads import Loads
from interstage.multibody.operating_point import OperatingPoint
from interstage.simulation.plant.assembly import Assembly
from interstage.simulation.plant.clock import Period, instant_of
from interstage.simulation.plant.faults import Fault, faults_of
from interstage.simulation.plant.plan import MassFunction
from interstage.simulation.plant.prescribed_motion import PrescribedMotion
from interstage.simulation.run.applied_loads import Control
from interstage.simulation.run.events import Event
from interstage.simulation.run.integrators import Method
from interstage.simulation.run.operating_point import begin_time
from interstage.simulation.run.step_schedule import StepSchedule

OPTIONS = (
    "until", "step", "max_step", "start", "log_step", "method", "rtol", "atol", "keep", "faults", "pace", "edges",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class RunSpec:
    """A run of an assembly: everything that determines it, and nothing that changes on its way.

    x : where it starts;  until, step, method, max_step, rtol, atol, start, log_step : as of `simulate`
    given : values of inputs, states and parameters by name;  keep : ports that are logged, None: all
    loads : what acts beside devices, where x does not bring it; of a run that goes on, on its last vehicle
    control : of a vehicle alone, law(t, x) of these loads, called every control_step;  frame : axes of its wrenches
    resumed : it goes on from a checkpoint: inputs that are held are those of then
    interpret : devices run as plain Python;  ideal : without noise and quantization
    dense : whether the motion between rows of steps of a method's own is kept;  edges : times at which such steps end
    """

    assembly: Assembly
    x: State | None
    until: Period
    step: Period | None = "10 ms"
    method: str | Method | None = None
    max_step: Period | None = None
    rtol: float = 1e-9
    atol: float = 1e-9
    start: Period | None = None
    log_step: Period | None = None
    given: Mapping[str, Any] | None = None
    keep: Sequence[str] | None = None
    resumed: bool = False
    interpret: bool = False
    ideal: bool = False
    faults: Sequence[Fault | Mapping[str, Any]] = ()
    pace: float | None = None
    events: Sequence[Event] = ()
    motions: Mapping[str, PrescribedMotion] = field(default_factory=dict)
    mass: Mapping[str, MassFunction] = field(default_factory=dict)
    loads: Loads | None = None
    control: Control | None = None
    control_step: Period | None = None
    frame: str = "world"
    dense: bool = False
    edges: np.ndarray | Sequence[float] = ()

    @cached_property
    def alone(self) -> bool:
        """Whether it is a run of a vehicle without devices."""
        return not self.assembly.parts()

    @cached_property
    def course(self) -> StepSchedule:
        """When and how it goes through time."""
        return StepSchedule.of(
            self.until,
            self.step,
            start=instant_of(begin_time(self.x)) if self.start is None else self.start,
            log_step=self.log_step,
            method=self.method,
            max_step=self.max_step,
            rtol=self.rtol,
            atol=self.atol,
            alone=self.alone,
        )

    @cached_property
    def overrides(self) -> list[Fault]:
        """The faults, checked."""
        return faults_of(self.faults)

    def loads_at_start(self) -> Loads | None:
        """Return what acts beside devices at the start, None: nothing."""
        loads = self.x.loads if isinstance(self.x, OperatingPoint) else self.loads
        if self.control is not None and loads is None and self.assembly.vehicle is not None:
            return Loads.of(self.assembly.vehicle)
        return loads

    def onward(self, x: State, until: Period) -> RunSpec:
        """Return the run from a point of this one to a time, with nothing but what determines the motion there."""
        return RunSpec(
            self.assembly,
            x,
            until,
            self.step,
            self.method,
            self.max_step,
            self.rtol,
            self.atol,
            faults=self.faults,
            motions=self.motions,
            mass=self.mass,
            interpret=self.interpret,
            ideal=self.ideal,
            edges=self.edges,
        )

    def options(self) -> dict[str, Any]:
        """Return what a checkpoint keeps of it; no others than `OPTIONS` are taken from one."""
        said = [fault.described() for fault in self.overrides]
        keep = None if self.keep is None else list(self.keep)
        edges = {"edges": np.asarray(self.edges).tolist()} if len(self.edges) else {}
        return self.course.asked | {"keep": keep, "faults": said, "pace": self.pace} | edges
