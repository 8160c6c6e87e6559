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
    """Solve K φ = λ M φ about the state x, its velocities taken as zero."""
    real = State(x._slices, x.q.real, np.zeros(system.nv))
    M, K = system.mass_matrix(real), static_stiffness(system, real, forces)
    try:
        square, shapes = accurate_modes(K, M)
    except np.linalg.LinAlgError:
        raise ModelError(
            "the mass matrix of the system is not positive definite",
            hint="deformations may be too large for fidelity 1, or the modes of a body take all of its inertia",
        ) from None
    hz = np.sign(square) * np.sqrt(np.abs(square)) / (2.0 * np.pi)
    return SystemModes(system, real, hz, shapes)


def accurate_modes(K: np.ndarray, M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return λ (n,) ascending and mass-normalized vectors (n, n), low and high ones to full accuracy.

    K φ = λ M φ leaves errors of ε λ_max in every λ. The inverse form M φ = μ (K + σM) φ, λ = 1/μ - σ, leaves
    ε(λ + σ)²/σ: with σ at the lowest elastic mode it is better for the low ones. Each λ is taken from where it
    is better known.
    """
    n = len(K)
    if n == 0:
        return np.zeros(0), np.zeros((0, 0))
    square, shapes = eigh(K, M)
    largest = float(np.abs(square).max())
    elastic = square[square > 1e3 * np.finfo(float).eps * largest]
    if largest == 0.0 or len(elastic) == 0:
        return square, shapes
    sigma = max(float(elastic[0]), -2.0 * float(square[0]))
    mu, inverse = eigh(M, K + sigma * M)
    mu, inverse = mu[::-1], inverse[:, ::-1]
    better = (1.0 / mu) ** 2 / sigma < largest
    square = np.where(better, 1.0 / mu - sigma, square)
    shapes = np.where(better[None, :], inverse / np.sqrt(mu), shapes)
    return square, shapes
