"""Undamped modes of a whole system about a rest state.

M v̇ + K δ = 0, with δ the small motion along the velocities and K the slope of the static forces (modal
stiffness, joint springs, gravity, loads). Without gravity and loads K is the diagonal of stiffnesses, exactly;
otherwise it is found by a complex step through inverse dynamics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh

from interstage.errors import ModelError
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.multibody.api import System

STEP = 1e-40


@dataclass(frozen=True)
class SystemModes:
    """Modes in ascending order: frequencies_hz (m,), shapes (nv, m) with unit modal mass.

    An unstable direction (negative stiffness) has a negative frequency.
    """

    system: System
    state: State
    frequencies_hz: np.ndarray
    shapes: np.ndarray

    def at(self, body: str, node: Any = None) -> np.ndarray:
        """Return the motion [rotation; translation] (6, m) of a place in every mode, world axes."""
        return self.system.jacobian(self.state, body, node) @ self.shapes


def static_stiffness(system: System, x: State, forces: dict | None) -> np.ndarray:
    """Return K (nv, nv): slope of the static generalized forces along the velocities."""
    tree = system.tree
    springs = np.diag(tree.v_stiffness)
    round_joints = any(not spec.joint.linear and np.any(spec.joint.stiffness) for spec in system.model.specs)
    if not forces and not np.any(tree.gravity) and not round_joints:
        return springs
    z = system.state(x.q).copy(np.complex128)
    K = np.empty((system.nv, system.nv))
    for k in range(system.nv):
        z.q[:] = x.q
        z.v[:] = 0.0
        z.v[k] = 1.0
        z.q += 1j * STEP * system.rates(z)
        z.v[:] = 0.0
        K[:, k] = system.bias(z, forces).imag / STEP
    return 0.5 * (K + K.T)


def system_modes(system: System, x: State, forces: dict | None = None) -> SystemModes:
    """Solve K φ = λ M φ in the inverse form, which keeps the low modes exact when the highest are huge.

    M φ = μ (K + σM) φ, λ = 1/μ - σ; each λ is then refined as the Rayleigh quotient of its vector.
    """
    real = State(x._slices, x.q.real.copy(), np.zeros(system.nv))
    M, K = system.mass_matrix(real), static_stiffness(system, real, forces)
    if system.nv == 0:
        return SystemModes(system, real, np.zeros(0), np.zeros((0, 0)))
    stiff = np.diag(K)[np.diag(K) > 0.0]
    sigma = float(stiff.min()) / float(np.diag(M).max()) if len(stiff) else 1.0
    least = _least_curvature(K, M)
    if least < 0.0:
        sigma = max(sigma, -2.0 * least)
    try:
        mu, shapes = eigh(M, K + sigma * M)
    except np.linalg.LinAlgError:
        raise ModelError(
            "the mass matrix of the system is not positive definite",
            hint="deformations may be too large for fidelity 1, or the modes of a body take all of its inertia",
        ) from None
    mu, shapes = mu[::-1], shapes[:, ::-1]
    shapes = shapes / np.sqrt(mu)
    square = np.einsum("ik,ij,jk->k", shapes, K, shapes, optimize=True)
    order = np.argsort(square, kind="stable")
    square, shapes = square[order], shapes[:, order]
    hz = np.sign(square) * np.sqrt(np.abs(square)) / (2.0 * np.pi)
    return SystemModes(system, real, hz, shapes)


def _least_curvature(K: np.ndarray, M: np.ndarray) -> float:
    """Return a bound of the smallest λ, to shift unstable systems; zero where K is diagonal and not negative."""
    if np.count_nonzero(K - np.diag(np.diag(K))) == 0 and np.all(np.diag(K) >= 0.0):
        return 0.0
    return min(0.0, float(eigh(K, M, eigvals_only=True, subset_by_index=[0, 0])[0]))
