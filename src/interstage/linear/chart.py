"""Minimal coordinates of small motions about a state: as many as there are velocities.

The error of a state about x0 is [δq; δv], both (nv,). Joints with angles and travels, and modes, simply add.
A quaternion (ball and free joints) turns by a rotation vector δθ in the axes of the body, and a free position
moves by δp in the axes of the joint's parent (or of the body):

    R = R0 exp([δθ]×),      p = p0 + δp     (or p0 + R0 δp)

The reference x0 may itself move with v0. To first order the error then moves with

    δθ̇ = δω - ω0×δθ,     δṗ = R0 (δv - v0×δθ)     (or δv - v0×δθ - ω0×δp in body axes),     δq̇ = δv otherwise

so that the kinematic half of a linear model is known without differencing.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError
from interstage.multibody.layout import BodySlices
from interstage.multibody.state import State
from interstage.spatial.rotvec import exp_coefficients

if TYPE_CHECKING:
    from interstage.multibody.api import System

POSITION_AXES = ("parent", "body")
# quantities that small motions of each kind are, and their rates
POSITIONS = {"angle": "angle", "length": "position", "modal": "modal coordinate"}
RATES = {"angle": "rate", "length": "velocity", "modal": "modal rate"}


def skew(a: np.ndarray) -> np.ndarray:
    """Return [a]× (3, 3)."""
    return np.array([[0.0 * a[0], -a[2], a[1]], [a[2], 0.0 * a[0], -a[0]], [-a[1], a[0], 0.0 * a[0]]])


def rotation_of(quaternion: np.ndarray) -> np.ndarray:
    """Return R (3, 3) of a unit quaternion, scalar first."""
    w, r = quaternion[0], quaternion[1:]
    X = skew(r)
    return np.eye(3) + 2.0 * (w * X + X @ X)


def turned(quaternion: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Return quaternion ∘ exp(θ/2): turned by the rotation vector θ (3,) in its own axes; real or complex."""
    half = 0.5 * theta
    x = half[0] * half[0] + half[1] * half[1] + half[2] * half[2]
    sine, versine = exp_coefficients(x)
    c, s = 1.0 - x * versine, sine * half
    w, r = quaternion[0], quaternion[1:]
    return np.concatenate([[w * c - r @ s], w * s + c * r + skew(r) @ s])


def with_unit_quaternions(x: State) -> State:
    """Return a bare copy of a real state, its quaternions brought to unit length: the chart turns from there."""
    out = State(x.layout, x.q, x.v)
    for name, where in x.layout.turning():
        quaternion = out.q[where.quaternion]
        size = float(np.linalg.norm(quaternion))
        if not (np.isfinite(size) and size > 0.0):
            raise InputError(f"the quaternion of body '{name}' has no direction", got=f"{quaternion}")
        if abs(size - 1.0) > 1e-12:
            quaternion /= size
    return out


class Chart:
    """Map small motions (δq, δv) about a state to states and back to rates."""

    def __init__(self, system: System, x0: State, position_axes: str = "parent"):
        if position_axes not in POSITION_AXES:
            raise InputError(
                "unknown axes", where="position_axes", expected="parent or body", got=repr(position_axes)
            )
        self.system, self.x0, self.body_axes = system, x0, position_axes == "body"
        self.round = [where for _, where in system.layout.turning()]

    @cached_property
    def _plain(self) -> tuple[np.ndarray, np.ndarray]:
        """Entries of δq that are added to coordinates, and these."""
        v_q = self.system.tree.v_q
        own = np.flatnonzero(v_q >= 0)
        return own, v_q[own]

    def state(self, dq: np.ndarray | None, dv: np.ndarray | None) -> State:
        """Return the state at an error; complex errors give a complex state."""
        if dq is None and dv is None:
            return self.x0.copy()
        kind = np.result_type(*(a for a in (dq, dv, self.x0.q) if a is not None))
        x = self.x0.copy(kind)
        if dv is not None:
            x.v += dv
        if dq is None:
            return x
        plain, places = self._plain
        x.q[places] += dq[plain]
        for where in self.round:
            q0 = self.x0.q[where.quaternion]
            x.q[where.quaternion] = turned(q0, dq[where.spin])
            if where.position is not None:
                step = dq[where.drift]
                x.q[where.position] += rotation_of(q0) @ step if self.body_axes else step
        return x

    def tangent(self) -> np.ndarray:
        """Return ∂q/∂δq (nq, nv) at the reference."""
        system = self.system
        N = np.zeros((system.nq, system.nv))
        plain, places = self._plain
        N[places, plain] = 1.0
        for where in self.round:
            q0 = self.x0.q[where.quaternion].real
            N[where.quaternion, where.spin] = 0.5 * np.vstack([-q0[1:], q0[0] * np.eye(3) + skew(q0[1:])])
            if where.position is not None:
                N[where.position, where.drift] = rotation_of(q0) if self.body_axes else np.eye(3)
        return N

    def turned_drift(self, where: BodySlices) -> np.ndarray:
        """Return R (3, 3) with δṗ = R δv + ...: from the axes of a free body to those of its position."""
        return np.eye(3) if self.body_axes else rotation_of(self.x0.q[where.quaternion].real)

    def kinematics(self) -> tuple[np.ndarray, np.ndarray]:
        """Return K, G (nv, nv) of δq̇ = K δq + G δv about the moving reference."""
        nv = self.system.nv
        both = np.zeros((nv, 2 * nv))
        self.write_kinematics(both)
        return both[:, :nv], both[:, nv:]

    def write_kinematics(self, A: np.ndarray) -> None:
        """Write K and G to the upper half of A (nv or more, 2 nv), of zeros and in order."""
        nv = self.system.nv
        K, G = A[:nv, :nv], A[:nv, nv:]
        A.reshape(-1)[nv : 2 * nv * nv : 2 * nv + 1] = 1.0
        v0 = self.x0.v.real
        for where in self.round:
            w, p = where.spin, where.drift
            K[w, w] = -skew(v0[w])
            if p is None:
                continue
            R = self.turned_drift(where)
            K[p, w] = -R @ skew(v0[p])
            G[p, p] = R
            if self.body_axes:
                K[p, p] = -skew(v0[w])


def turns(system: System, x0: State, x: State) -> np.ndarray:
    """Return δq (nv,) of x about x0: attitudes (turns to first order, 2 sin φ/2) and free positions; zero elsewhere."""
    out = np.zeros(system.nv, np.result_type(x0.q, x.q))
    for _, where in system.layout.turning():
        (w, *r), (w1, *r1) = x0.q[where.quaternion], x.q[where.quaternion]
        r, r1 = np.array(r), np.array(r1)
        out[where.spin] = 2.0 * (w * r1 - w1 * r - skew(r) @ r1)
        if where.position is not None:
            out[where.drift] = x.q[where.position] - x0.q[where.position]
    return out


def position_names(system: System) -> list[str]:
    """Return names of the entries of δq, as in "bus.rx", "engine.angle", "panel.eta3"."""
    return [c.name for c in system.layout.small_motions()]


def rate_names(system: System) -> list[str]:
    """Return names of the entries of δv, as in "bus.wx", "engine.angle_rate", "panel.eta3_rate"."""
    pairs = zip(system.layout.small_motions(), system.layout.velocities())
    return [f"{v.name}_rate" if v.name == small.name else v.name for small, v in pairs]
