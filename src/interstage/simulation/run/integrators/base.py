"""What an integration method is: a name, orders, data, and how it steps.

A `CompiledMethod` is data for a step kernel of its family (`explicit`, `rosenbrock`), which runs in compiled loops
with fixed steps, or with steps of its own where the method estimates its error. `Library` methods step by scipy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from interstage.simulation.run.integrators.integration_loop import Flights

SAME = 1e-12  # steps: times in a step that are one


@dataclass(frozen=True, eq=False)
class Method:
    """An integration method.

    order : of its error over a given time;  embedded : order of its error estimate, None where it has none
    """

    name: str
    order: int
    embedded: int | None = None

    # whether stiff modes do not limit the step
    implicit = False

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False)
class CompiledMethod(Method):
    """A method whose steps are compiled.

    turn : how far a gimbal near lock may turn in a fixed step before about 1e-5 of the energy is lost
    """

    turn: float = 0.2

    # compiled stretches of steps, those of its family
    flights: ClassVar[Flights]

    @property
    def c(self) -> np.ndarray:
        """Times of the stages (s,), in steps."""
        raise NotImplementedError

    @property
    def nodes(self) -> np.ndarray:
        """Times in a step, in steps, at which something is evaluated: 0, those of the stages, 1."""
        return nodes_of(self.c)

    @property
    def slopes(self) -> int:
        """Slopes that a step leaves."""
        raise NotImplementedError

    def data(self, estimate: bool) -> NamedTuple:
        """Return what the step kernel reads, with the weights of the error estimate where that is wanted."""
        raise NotImplementedError

    def polynomial(self) -> np.ndarray | None:
        """Return the dense output D (slopes, d), y(t + uh) = y + h Σ_i k_i Σ_j D[i, j] u^(j+1); None: it has none."""
        return None


@dataclass(frozen=True, eq=False)
class Library(Method):
    """An adaptive method of scipy, by the name of its class in `scipy.integrate`."""

    solver: str = ""


def nodes_of(c: np.ndarray) -> np.ndarray:
    """Return the times of a step at which its stages stand, rising, with both ends."""
    inner = (c > SAME) & (c < 1.0 - SAME)
    return np.unique(np.concatenate([[0.0, 1.0], c[inner]]))


DOP853 = Library("dop853", order=8, embedded=7, solver="DOP853")
RK45 = Library("rk45", order=5, embedded=4, solver="RK45")
RADAU = Library("radau", order=5, embedded=3, solver="Radau")
BDF = Library("bdf", order=5, embedded=5, solver="BDF")
LSODA = Library("lsoda", order=12, embedded=12, solver="LSODA")
