"""`SampledModel`: a linear map from one instant to the next, with names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from interstage.linear.joining import sampled_response
from interstage.linear.model import LinearModel
from interstage.linear.poles import SampledPoles
from interstage.linear.response import response_at

if TYPE_CHECKING:
    from control import StateSpace


@dataclass(eq=False)
class SampledModel(LinearModel):
    """x⁺ = A x + B u, y = C x + D u for small deviations, from one frame of `dt` seconds to the next.

    >>> SampledModel([[0.5]], [[1.0]], [[1.0]], [[0.0]], dt=0.1).poles()
              real      imaginary       size           Hz    damping poles
               0.5              0   0.500000     1.103178   1.000000     1
    """

    dt: float = 1.0

    def poles(self) -> SampledPoles:
        """Return the eigenvalues of A, largest first: the loop is stable where all are inside the unit circle."""
        found = np.linalg.eigvals(self.A).astype(complex)
        poles = found[np.argsort(-np.abs(found), kind="stable")].view(SampledPoles)
        poles.dt = self.dt
        return poles

    def frequency_response(self, f_hz: ArrayLike) -> np.ndarray:  # type: ignore[override]
        """Return C (zI - A)⁻¹ B + D (k, ny, nu) at z = exp(2πi f dt)."""
        zs = np.exp(2j * np.pi * np.atleast_1d(np.asarray(f_hz, dtype=float)) * self.dt)
        # about one, where rigid-body poles are: (z - 1) - (A - 1)
        return response_at(self.A - np.eye(len(self.A)), self.B, self.C, self.D, zs - 1.0)

    def time_response(self, u: ArrayLike, x0: ArrayLike | None = None) -> np.ndarray:  # type: ignore[override]
        """Return outputs (nt, ny) for inputs (nt, nu), a row for each sample, from a state x0 (default zero)."""
        return sampled_response(self, u, x0)

    def to_control(self) -> StateSpace:
        """Return the model as a `StateSpace` of python-control, in discrete time."""
        found = super().to_control()
        found.dt = self.dt
        return found

    def __repr__(self) -> str:
        n, nu, ny = len(self.A), self.B.shape[1], len(self.C)
        return f"<SampledModel '{self.name}': {n} states, {nu} inputs, {ny} outputs, every {self.dt:g} s>"
