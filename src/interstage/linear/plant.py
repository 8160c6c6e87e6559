"""The interface of what is linearized, a vehicle or an assembly near an operating point, and its state space.

With small changes δ = [δq; δv; z] of free coordinates, velocities and states of devices, and inputs u,

    δq̇ = K δq + G δv                      known exactly (`chart`)
    [δv̇; ż] = J_x δ + J_u u               derivatives that the plant computes
    y - y0 = H_x δ + H_u u

Under closures only some changes are independent: δ = T δ_i, and the model has the rows of these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from interstage.linear.chart import Chart, independent_coordinates, named_coordinates
from interstage.linear.differences import EXACT, How, Scheme
from interstage.multibody.loads import Loads
from interstage.multibody.state import State
from interstage.multibody.types import Place

if TYPE_CHECKING:
    from interstage.linear.model import LinearModel
    from interstage.multibody.system import System

Matrices = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class Derivatives(NamedTuple):
    """Derivatives of rates [v̇; ż] and outputs along k independent changes and nu inputs.

    rates (m + nz, k + nu), outputs (ny, k + nu)
    how : method, step, and estimate of the largest error
    coordinates : ∂v̇/∂δq (nv, nv) of all coordinates of a vehicle, closures not imposed on δq; None where not known
    """

    rates: np.ndarray
    outputs: np.ndarray
    how: How
    coordinates: np.ndarray | None = None


class Plant(Protocol):
    """A vehicle or an assembly near an operating point.

    free (m,) : velocities that are states: neither locked nor known as functions of time
    loads : what acts in addition to devices, None where that is not said
    """

    name: str
    system: System
    x0: State
    chart: Chart
    free: np.ndarray
    loads: Loads | None

    def settle(self) -> tuple[np.ndarray, np.ndarray]:
        """Evaluate the operating point; return v̇ (nv,) and the outputs (ny,)."""
        ...

    def independent(self, wanted: Sequence[str] | None = None) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the places (k,) of independent changes, and T from them to all, None where all are independent."""
        ...

    def jacobian(self, chosen: np.ndarray, T: np.ndarray | None, scheme: Scheme = EXACT) -> Derivatives:
        """Differentiate rates and outputs along independent changes and inputs."""
        ...

    def moved_to(self, x: State) -> Plant:
        """Return the plant at another state, settled, without outputs."""
        ...

    def motions(self, chosen: np.ndarray) -> np.ndarray:
        """Return where changes lie in [δq; δv] (2 nv) of the vehicle; -1: they are others."""
        ...

    def notes(self) -> tuple[str, ...]:
        """Warn of what is particular at the point, and return notes on it."""
        ...

    def about(self) -> dict[str, np.ndarray]:
        """Return what the operating point of a model has beside state and outputs: the time t (s), the inputs u."""
        ...

    def gravity(self) -> Mapping[str, np.ndarray]:
        """Return the gravity (3,) that devices say at the point, world axes, by body that hangs on nothing."""
        ...

    def places(self, reference: Place | None) -> dict[str, object]:
        """Return the fields of a model that say where things are: grid positions and mass properties."""
        ...

    def model(self, matrices: Matrices, chosen: np.ndarray, **others: object) -> LinearModel:
        """Return a linear model whose states are chosen changes;  others : its other fields."""
        ...

    def release(self) -> None:
        """Give back what the plant has borrowed."""
        ...


def independent_changes(
    plant: Plant, n: int, wanted: Sequence[str] | None = None
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the places (k,) of independent ones among n changes [q; v; ...], and T (n, k) from them to all.

    Without closures all are independent, and T is None.
    wanted : names of coordinates (or bodies) that shall be independent
    """
    named_coordinates(plant.system, wanted)
    if not plant.system.n_closure:
        return np.arange(n), None
    m, nv = len(plant.free), plant.system.nv
    fixed = np.ones(nv, dtype=bool)
    fixed[plant.free] = False
    places, S = independent_coordinates(plant, fixed, wanted)
    assert S is not None
    motions = np.concatenate([plant.free, nv + plant.free])
    kept = np.concatenate([np.searchsorted(motions, places), np.arange(2 * m, n)])
    T = np.zeros((n, len(kept)))
    T[: 2 * m, : len(places)] = S[motions]
    T[2 * m :, len(places) :] = np.eye(n - 2 * m)
    return kept, T


def state_space(plant: Plant, chosen: np.ndarray, T: np.ndarray | None, found: Derivatives) -> Matrices:
    """Return A, B, C, D of independent changes: known kinematics over computed derivatives."""
    m, k, nv = len(plant.free), len(chosen), plant.system.nv
    n = m + len(found.rates)
    A, B = np.zeros((n, k)), np.zeros((n, found.rates.shape[1] - k))
    if n == k == 2 * nv and T is None:
        plant.chart.write_kinematics(A)
    else:
        both = np.hstack([M[np.ix_(plant.free, plant.free)] for M in plant.chart.kinematics()])
        if T is None:
            A[:m, : 2 * m] = both
        else:
            A[:m] = both @ T[: 2 * m]
    A[m:], B[m:] = found.rates[:, :k], found.rates[:, k:]
    if k < n:
        A, B = A[chosen], B[chosen]
    return A, B, found.outputs[:, :k].copy(), found.outputs[:, k:].copy()


def state_matrix(plant: Plant) -> np.ndarray:
    """Return A of independent changes."""
    chosen, T = plant.independent()
    return state_space(plant, chosen, T, plant.jacobian(chosen, T))[0]
