"""How a loop goes through time, and what of it goes to the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from interstage.multibody import System
from interstage.system.kernels import flights, stretch
from interstage.system.methods import Compiled
from interstage.system.methods.rk4 import RK4
from interstage.system.plan import Plan
from interstage.system.tolerance import first_step, tolerance_of

NONE = np.zeros(0, dtype=np.int64)


@dataclass
class Rows:
    """What goes to the log beside time, q and v: signals and states, what is discrete, groups of samples, buffers."""

    s: np.ndarray = field(default_factory=lambda: NONE)
    z: np.ndarray = field(default_factory=lambda: NONE)
    w: np.ndarray = field(default_factory=lambda: NONE)
    n: np.ndarray = field(default_factory=lambda: NONE)
    groups: Sequence[tuple[int, int, np.ndarray]] = ()  # period and first tick, signals
    rows: int = 0
    every: int = 0

    @property
    def width(self) -> int:
        """How many numbers a row has beside time, q and v."""
        return len(self.s) + len(self.z) + len(self.w) + len(self.n)


@dataclass(frozen=True)
class Steps:
    """How a loop goes through time: by a method, with equal steps of at most `step`, or (None) with steps of its own.

    first, longest : steps of its own;  rtol, atol : what errors of these are allowed
    room : how many steps of its own are taken at once;  slopes : whether those of each are kept
    """

    method: Compiled = RK4
    step: Fraction | None = Fraction(1)
    longest: float = np.inf
    rtol: float = 1e-9
    atol: float = 1e-9
    room: int = 1
    slopes: bool = False

    def pace(self, system: System) -> np.ndarray:
        """Return where a run is at its beginning, as the kernels note it."""
        pace = np.zeros(flights.PACE)
        pace[stretch.STEP], pace[stretch.ERROR] = self.longest, 1.0
        pace[flights.LOGGED] = np.nan
        if self.step is None:
            pace[stretch.STEP] = min(first_step(system), self.longest)
        return pace

    def arrays(self, plan: Plan, system: System, dtype: Any, known: np.ndarray) -> dict[str, np.ndarray]:
        """Return what the kernels need of it: scratch of a step, where the run is, tolerances.

        known : numbers of y = [q; v] that are not integrated
        """
        states = len(plan.initial["z"])
        n = system.nq + system.nv + states
        power = 0.0 if self.method.embedded is None else 1.0 / (self.method.embedded + 1)
        group, floor = np.zeros(0, dtype=np.int64), np.zeros(0)
        if self.step is None:
            group, floor, _ = tolerance_of(system, self.atol, known)
            own = np.zeros(states, dtype=np.int64)
            fields = [slot for slot in plan.slots.values() if slot.kind == "z"]
            for k, slot in enumerate(fields):
                own[slot.where] = 1 + group.max(initial=-1) + k
            group, floor = np.append(group, own), np.append(floor, np.full(states, self.atol))
        vectors = {name: np.zeros(n, dtype) for name in ("y", "stage", "u", "at", "back")}
        return vectors | {
            "K": np.zeros((self.method.slopes, n), dtype),
            "force": np.zeros(system.nv, dtype),
            "shifted": np.zeros(1),
            "pace": self.pace(system),
            "limits": np.array([self.longest, self.rtol, power]),
            "group": group,
            "floor": floor,
            "size": np.zeros(1 + group.max(initial=-1)),
            "times": np.zeros(self.room),
            "ends": np.zeros((self.room, n), dtype),
            "slopes": np.zeros((self.room if self.slopes else 0, self.method.slopes, n), dtype),
            "near": np.zeros((2, len(system.tree.gimbals))),
        }


BY_RK4 = Steps()
