"""What a simulation leaves behind: times and states, by the names of bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from interstage.errors import InputError, known_names
from interstage.multibody import State, System
from interstage.multibody.state import BodyState


@dataclass
class Log:
    """States at times t (m,): q (m, nq), v (m, nv); `log["panel"].eta` is (m, n).

    `info` says how the run was made (method, step, steps, evaluations).
    """

    system: System
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    info: dict[str, Any] = field(default_factory=dict)
    dense: Callable[[float], np.ndarray] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, name: str) -> BodyState:
        slices = self.system._slices
        if name not in slices:
            raise InputError(f"there is no body '{name}'", hint=known_names(slices))
        return BodyState(name, slices[name], self.q, self.v)

    def state(self, k: int = -1) -> State:
        """Return a copy of the k-th state, the last by default."""
        return self.system.state(self.q[k], self.v[k])

    def at(self, t: float) -> State:
        """Return the state at any time of an adaptive run (its dense output)."""
        if self.dense is None:
            raise InputError(
                "only adaptive methods have dense output", hint="use method='dop853', or log.state(k)"
            )
        if not self.t[0] <= t <= self.t[-1]:
            raise InputError("time outside the run", expected=f"{self.t[0]} to {self.t[-1]}", got=f"{t}")
        y = self.dense(t)
        return self.system.state(y[: self.system.nq], y[self.system.nq :])

    @cached_property
    def _sums(self) -> np.ndarray:
        out = np.empty((len(self.t), 9))
        for k in range(len(self.t)):
            self.system.engine.sums(self.q[k], self.v[k], np.zeros(3), out[k])
        return out

    @property
    def energy(self) -> np.ndarray:
        """Total energy (m,)."""
        return self._sums[:, :3].sum(axis=1)

    @property
    def kinetic(self) -> np.ndarray:
        """Kinetic energy (m,)."""
        return self._sums[:, 0]

    @property
    def strain(self) -> np.ndarray:
        """Strain energy of modes and springs (m,)."""
        return self._sums[:, 1]

    @property
    def momentum(self) -> np.ndarray:
        """[h; p] (m, 6), angular momentum about the world origin, world axes."""
        return self._sums[:, 3:]

    def position(self, body: str, node: Any = None) -> np.ndarray:
        """Return the positions (m, 3) of a place on a body in the world."""
        return np.array([self.system.position(self.state(k), body, node) for k in range(len(self.t))])
