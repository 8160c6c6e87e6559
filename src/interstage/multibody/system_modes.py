"""Undamped modes of a whole system about a rest state.

M v̇ + K δ = 0, with δ the small motion along the velocities and K the slope of the static forces (modal
stiffness, joint springs, gravity, loads). Without gravity and loads K is the diagonal of stiffnesses, exactly;
otherwise it is found by a complex step through inverse dynamics.

A tree on a Free joint does not rest under gravity or loads: it falls. Its modes are those in a frame that falls with
it, r(q) = M(q) v̇ + b(q) with the acceleration a of its root fixed in the world (v̇ = Rᵀa), so that gravity alone changes
nothing, and a load through the center of mass acts against the inertia of the whole.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import cholesky, eigh, qr, solve_triangular

from interstage.errors import FidelityWarning, ModelError, caller_level
from interstage.multibody import closure_queries
from interstage.multibody.loads import Forces, as_forces, wrench_rows
from interstage.multibody.operating_point import OperatingPoint, as_flown, at_point, frozen, tell_of_devices
from interstage.multibody.state import State
from interstage.multibody.types import Node

if TYPE_CHECKING:
    from interstage.multibody.system import System

STEP = 1e-40
MOST = 60  # modes that are listed
UNSYMMETRIC = 1e-6  # of the largest stiffness or load: where a state is not one of balance
DEPENDENT = 1e-6  # pivots of unit rows below this belong to closures that say the same as others


@dataclass(frozen=True)
class SystemModes:
    """Modes in ascending order: frequencies_hz (m,), shapes (nv, m) with unit modal mass.

    An unstable direction (negative stiffness) has a negative frequency.
    """

    system: System
    state: State
    frequencies_hz: np.ndarray
    shapes: np.ndarray

    def __repr__(self) -> str:
        f = self.frequencies_hz
        lines = [f"{len(f)} modes of '{self.system.model.name}'", "mode  frequency, Hz"]
        lines += [f"{k + 1:4d}  {hz:13.6f}" for k, hz in enumerate(f[:MOST])]
        return "\n".join(lines + [f"... and {len(f) - MOST} more"] * (len(f) > MOST))

    def at(self, body: str, node: Node = None) -> np.ndarray:
        """Return the motion [rotation; translation] (6, m) of a place in every mode, world axes."""
        return self.system.jacobian(self.state, body, node) @ self.shapes


def static_stiffness(system: System, x: State, forces: Forces | None) -> np.ndarray:
    """Return K (nv, nv): slope of the static generalized forces along the velocities."""
    tree = system.tree
    springs = np.diag(tree.v_stiffness)
    round_joints = any(not spec.joint.linear and np.any(spec.joint.stiffness) for spec in system.model.specs)
    if not forces and not np.any(tree.gravity) and not round_joints and not tree.body_soft.any():
        return springs
    # forces of closures turn with what they hold
    closed = bool(system.model.closures)
    multipliers = closure_queries.forces_of(system, x, (forces, None, None))[1]
    z = system.state(x.q).copy(np.complex128)
    acting = wrench_rows(system, as_forces(forces), z.q.dtype)
    falling = [] if closed else _falling(system, x, forces)
    vdot = np.zeros_like(z.v)
    K = np.empty((system.nv, system.nv))
    for k in range(system.nv):
        z.q[:] = x.q
        z.v[:] = 0.0
        z.v[k] = 1.0
        z.q += 1j * STEP * system.rates(z)
        z.v[:] = 0.0
        if closed:
            with system.engine.borrow(z.q.dtype) as scratch:
                scratch.work.closure_f[:] = multipliers
                needed = closure_queries.closed_inverse(system, scratch, z, np.zeros_like(z.v), *acting)
        else:
            for name, drift, a in falling:
                vdot[drift] = system.rotation(z, name).T @ a
            needed = system.inverse_dynamics(z, vdot, forces)
        K[:, k] = needed.imag / STEP
    _tell_unbalanced(K, float(np.abs(system.bias(system.state(x.q), forces)).max(initial=0.0)))
    return 0.5 * (K + K.T)


def _falling(system: System, x: State, forces: Forces | None) -> list[tuple[str, slice, np.ndarray]]:
    """Return the roots that nothing holds: name, place of their velocity in v, acceleration (3,) in the world."""
    out = []
    needed = system.inverse_dynamics(x, np.zeros(system.nv), forces)
    M = system.mass_matrix(x)
    for spec in system.model.specs:
        drift = x.layout[spec.name].drift
        if spec.parent is None and drift is not None and not system.held[drift].any():
            own = -needed[drift] / M[drift.start, drift.start]
            out.append((spec.name, drift, system.rotation(x, spec.name) @ own))
    return out


def _tell_unbalanced(K: np.ndarray, load: float) -> None:
    """Warn where the static forces have no potential to second order: loads turn a body that nothing holds."""
    size = max(float(np.abs(K).max(initial=0.0)), load)
    if float(np.abs(K - K.T).max(initial=0.0)) > UNSYMMETRIC * size:
        warnings.warn(
            "the loads of this state are not in balance, so that its undamped modes are approximate: the stiffness "
            "that they make is not symmetric; linearize(...).modes(damped=False) has them exactly",
            FidelityWarning,
            stacklevel=caller_level(),
        )


def system_modes(system: System, x: State, forces: Forces | None = None) -> SystemModes:
    """Solve K φ = λ M φ about the state x, its velocities taken as zero; joints that are not free are held.

    An operating point brings those of its forces that stand in the world, unless forces are given.
    """
    system = as_flown(system, x)
    if forces is None and isinstance(x, OperatingPoint):
        system = at_point(system, x)
        acting = frozen(x.loads, x, system).forces
        forces = [force for force in acting if force.frame == "world"] or None
        _tell_followers([force.body for force in acting if force.frame != "world"])
        tell_of_devices(x, "linearize(flight, point).modes(damped=False)")
    real = State(x.layout, x.q.real, np.zeros(system.nv))
    system.check_closed(real)
    forces = as_forces(forces)
    wrench_rows(
        system, forces, np.float64
    )  # refuses complex ones: their imaginary part would count as a slope
    M, K = system.mass_matrix(real), static_stiffness(system, real, forces)
    free = np.flatnonzero(~system.held)
    M, K = M[np.ix_(free, free)], K[np.ix_(free, free)]
    try:
        if system.n_closure:
            square, part = held_modes(K, M, system.closure_jacobian(real)[:, free])
        else:
            square, part = accurate_modes(K, M)
        shapes = np.zeros((system.nv, part.shape[1]))
        shapes[free] = part
    except np.linalg.LinAlgError:
        raise ModelError(
            "the mass matrix of the system is not positive definite",
            hint="deformations may be too large for fidelity 1, or the modes of a body take all of its inertia",
        ) from None
    hz = np.sign(square) * np.sqrt(np.abs(square)) / (2.0 * np.pi)
    return SystemModes(system, real, hz, shapes)


def _tell_followers(bodies: list[str]) -> None:
    """Warn of loads that turn with bodies, which no symmetric stiffness has."""
    if bodies:
        warnings.warn(
            f"system modes leave out loads that follow a body (on {', '.join(sorted(set(bodies)))}): "
            "linearize(...).modes(damped=False) has them",
            FidelityWarning,
            stacklevel=caller_level(),
        )


def held_modes(K: np.ndarray, M: np.ndarray, J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return λ (n - m,) ascending and mass-normalized vectors (n, n - m) of the motions with J δ = 0.

    With A = LLᵀ the motions are δ = L⁻ᵀ N y, N an orthonormal basis of what J L⁻ᵀ leaves free. A = M makes
    NᵀL⁻¹K L⁻ᵀN y = λ y, with errors of ε λ_max; A = K + σM makes NᵀL⁻¹M L⁻ᵀN y = y/(λ + σ), which knows the low
    ones better. Each is taken from where it is better known, as in `accurate_modes`.
    """
    J = _independent(M, J)
    square, shapes = _projected(M, K, J)
    largest = float(np.abs(square).max(initial=0.0))
    elastic = square[square > 1e3 * np.finfo(float).eps * largest]
    if largest == 0.0 or len(elastic) == 0:
        return square, shapes
    sigma = max(float(elastic[0]), -2.0 * float(square[0]))
    low = None
    while low is None and sigma < largest:
        try:
            mu, low = _projected(K + sigma * M, M, J)
        except np.linalg.LinAlgError:
            sigma *= 4.0  # gravity may be unstable where closures hold: only among their motions it is not
    if low is None:
        return square, shapes
    mu, low = mu[::-1], low[:, ::-1]
    better = (1.0 / mu) ** 2 / sigma < largest
    square = np.where(better, 1.0 / mu - sigma, square)
    return square, np.where(better[None, :], low / np.sqrt(mu), shapes)


def _independent(M: np.ndarray, J: np.ndarray) -> np.ndarray:
    """Return the rows of J that span all of them: dependent ones hold nothing more."""
    G = solve_triangular(cholesky(M, lower=True), J.T, lower=True)
    lengths = np.sqrt((G**2).sum(axis=0))
    _, R, order = qr(G / np.where(lengths > 0.0, lengths, 1.0), mode="economic", pivoting=True)
    rank = int((np.abs(np.diag(R)) > DEPENDENT).sum())
    return J[np.sort(order[:rank])]


def _projected(A: np.ndarray, B: np.ndarray, J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues and vectors of B δ = μ A δ among the motions with J δ = 0."""
    L = cholesky(A, lower=True)
    G = solve_triangular(L, J.T, lower=True)
    N = qr(G / np.sqrt((G**2).sum(axis=0)))[0][:, len(J) :]
    half = solve_triangular(L, B, lower=True)
    inner = solve_triangular(L, half.T, lower=True)
    values, vectors = eigh(N.T @ (0.5 * (inner + inner.T)) @ N)
    return values, solve_triangular(L, N @ vectors, lower=True, trans="T")


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
