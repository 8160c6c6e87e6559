"""Values over time as a log returns them: of a channel, and of a body over several phases."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.multibody.state import BodyState
from interstage.simulation.log.phases import Phase
from interstage.simulation.plant.clock import SAME_TIME


@named_arguments
@dataclass
class Series:
    """Values (m, ...) of something in a log at times t (m,), with a name for each column.

    held : it keeps its value from one time to the next
    """

    name: str
    t: np.ndarray
    values: np.ndarray
    unit: str
    labels: list[str]
    held: bool = False

    @property
    def columns(self) -> np.ndarray:
        """The values (m, n) with everything beside time on one axis."""
        return self.values.reshape(len(self.values), math.prod(self.values.shape[1:]))

    def at(self, times: ArrayLike) -> np.ndarray:
        """Return the values that hold at other times, NaN before the first."""
        asked = np.asarray(times, dtype=float)
        if np.isnan(asked).any() or not len(self.t):
            raise InputError(f"'{self.name}' has no value at a time that is NaN, or without rows")
        rows = np.asarray(np.searchsorted(self.t, asked * (1.0 + SAME_TIME), "right")) - 1
        found = np.array(self.values[np.maximum(rows, 0)], dtype=float)
        found[rows < 0] = np.nan
        return found


class BodyHistory:
    """One body's part of a log over several phases; as `BodyState`, with time the first axis.

    t : times of the rows;  quantities that are not alike in all phases (a joint that changed) must be asked of a phase
    """

    def __init__(self, name: str, phases: list[Phase]):
        self._name, self._parts = name, [phase[name] for phase in phases]
        self.t = np.concatenate([phase.t for phase in phases])

    def __getattr__(self, key: str) -> np.ndarray:
        if key.startswith("_") or not hasattr(BodyState, key):
            raise AttributeError(
                f"a body has no '{key}'; known: q, v, eta, etadot, quaternion, position, velocity"
            )
        values = []
        for part in self._parts:
            try:
                values.append(getattr(part, key))
            except InputError as err:
                raise self._unlike(key) from err
        if len({value.shape[1:] for value in values}) > 1:
            raise self._unlike(key)
        return np.concatenate(values)

    def __repr__(self) -> str:
        span = f" from t = {self.t[0]:g} to {self.t[-1]:g}" if len(self.t) else ""
        lines = [f"body '{self._name}' at {len(self.t)} times{span}, in {len(self._parts)} phases"]
        return "\n".join(
            [*lines, *(f"  {line}" for part in self._parts for line in str(part).splitlines()[:1])]
        )

    def _unlike(self, key: str) -> InputError:
        return InputError(
            f"'{key}' of body '{self._name}' is not the same quantity in all phases of the log",
            hint=f"use log.phases[k]['{self._name}'].{key}, or log.position('{self._name}')",
        )
