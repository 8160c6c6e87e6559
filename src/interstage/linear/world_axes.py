"""Velocities of free bodies in axes that do not turn: for models about a vehicle that accelerates.

The velocity of a free body is a state in its own axes, v. Turned by δθ the vehicle then also moves across its way, at
R (v × δθ), and how much changes as it gains speed; a model whose coefficients are frozen leaves that change out, and
what it says about the path of a vehicle under thrust is wrong by v̇ × δθ. In the axes of the parent (the world)

    u = R v,    δu = R (δv - v×δθ),      d/dt at fixed δθ, δv:   R [ω×(δv - v×δθ) - v̇×δθ]

With x' = T x a model in continuous time becomes A' = (T A + Ṫ) T⁻¹, B' = T B, C' = C T⁻¹; that from sample to sample
A' = T₁ A T₀⁻¹, B' = T₁ B, T₁ at the end of the frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError
from interstage.linear.chart import rotation_of, skew
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.multibody.api import System

VELOCITY_AXES = ("body", "world")
Matrices = tuple[np.ndarray, np.ndarray, np.ndarray]


def in_world(axes: str) -> bool:
    """Return whether velocities are wanted in the axes of the world."""
    if axes not in VELOCITY_AXES:
        raise InputError("unknown axes", where="velocity_axes", expected="body or world", got=repr(axes))
    return axes == "world"


def turned_velocities(
    system: System, x: State, at: np.ndarray, vdot: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return T and Ṫ (n, n) for states at places `at` (n,) of [δq; δv] (2 nv), -1 for others; vdot (nv,) for Ṫ."""
    T, change = np.eye(len(at)), np.zeros((len(at), len(at)))
    nv = system.nv
    every = np.arange(nv)
    for name, where in system.layout.turning():
        if where.position is None:
            continue
        turn, move = (_rows(at, places, name) for places in (every[where.spin], nv + every[where.drift]))
        if turn is None or move is None:
            continue
        R = rotation_of(x.q[where.quaternion].real)
        w, v = x.v[where.spin].real, x.v[where.drift].real
        T[np.ix_(move, move)], T[np.ix_(move, turn)] = R, -R @ skew(v)
        if vdot is not None:
            change[np.ix_(move, move)] = R @ skew(w)
            change[np.ix_(move, turn)] = -R @ (skew(w) @ skew(v) + skew(vdot[where.drift].real))
    return T, change


def _rows(at: np.ndarray, places: np.ndarray, name: str) -> np.ndarray | None:
    """Return which states are at places; None where none of them is a state."""
    found = [np.flatnonzero(at == place) for place in places]
    if all(len(rows) == 0 for rows in found):
        return None
    if any(len(rows) == 0 for rows in found):
        raise InputError(
            f"a loop leaves only part of the motions of body '{name}' as states",
            where="velocity_axes",
            hint='leave velocity_axes="world" out, or keep its coordinates with independent=',
        )
    return np.concatenate(found)


def continuous_in_world(
    matrices: Matrices, system: System, x: State, at: np.ndarray, vdot: np.ndarray
) -> Matrices:
    """Return A, B, C of a model in continuous time with velocities in the axes of the world."""
    A, B, C = matrices
    T, change = turned_velocities(system, x, at, vdot)
    back = np.linalg.inv(T)
    return (T @ A + change) @ back, T @ B, C @ back


def sampled_in_world(matrices: Matrices, system: System, x: State, end: State, at: np.ndarray) -> Matrices:
    """Return A, B, C of a map from one frame to the next with velocities in the axes of the world."""
    A, B, C = matrices
    first, last = (turned_velocities(system, each, at)[0] for each in (x, end))
    back = np.linalg.inv(first)
    return last @ A @ back, last @ B, C @ back
