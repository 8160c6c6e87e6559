"""States inside a step, cheap enough to look for hidden crossings.

Coordinates follow the cubic through both ends and their rates; velocities the parabola through both ends and the
velocity v_m that the cubic has in the middle, so that a velocity that rises and falls within a step is seen to:

    q(u) = (1+2u)(1-u)² q0 + u(1-u)² h q̇0 + u²(3-2u) q1 + u²(u-1) h q̇1
    v(u) = (1-u) v0 + u v1 + 4u(1-u) (v_m - (v0+v1)/2),      N(q_m) v_m = q̇_m = 3(q1-q0)/2h - (q̇0+q̇1)/4
"""

from __future__ import annotations

import numpy as np

from interstage.multibody import State, System
from interstage.spatial.functions import matrix_from_quaternion, quaternion_product


class Between:
    """The motion inside a step of length h from q, v to another state."""

    def __init__(self, system: System, q: np.ndarray, v: np.ndarray, end: State, h: float):
        self.system, self.h, self.end = system, h, end
        self.q, self.v = np.ascontiguousarray(q), np.ascontiguousarray(v)
        self.rates: tuple[np.ndarray, np.ndarray] | None = None

    def __call__(self, s: float) -> State:
        """Return the state at s into the step."""
        if self.rates is None:
            self._prepare()
        u = s / self.h
        q = self._coordinates(u)
        v = (1.0 - u) * self.v + u * self.end.v + 4.0 * u * (1.0 - u) * self.bulge
        return State(self.system.layout, q, v)

    def _prepare(self) -> None:
        """Find rates at both ends, and how far velocities leave the straight line between them."""
        self.rates = np.empty(self.system.nq), np.empty(self.system.nq)
        self.system.engine.rates(self.q, self.v, self.rates[0])
        self.system.engine.rates(self.end.q, self.end.v, self.rates[1])
        middle = 1.5 * (self.end.q - self.q) / self.h - 0.25 * (self.rates[0] + self.rates[1])
        self.bulge = self._velocities(self._coordinates(0.5), middle) - 0.5 * (self.v + self.end.v)

    def _coordinates(self, u: float) -> np.ndarray:
        assert self.rates is not None
        a, b, c, d = (1 + 2 * u) * (1 - u) ** 2, u * (1 - u) ** 2, u * u * (3 - 2 * u), u * u * (u - 1)
        q = a * self.q + self.h * b * self.rates[0] + c * self.end.q + self.h * d * self.rates[1]
        self.system.layout.normalize(q)
        return q

    def _velocities(self, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        """Return v (nv,) with q̇ = N(q) v."""
        v_q = self.system.tree.v_q
        v = np.where(v_q >= 0, qdot[np.maximum(v_q, 0)], 0.0) if len(v_q) else np.zeros(0)
        for _, where in self.system.layout.turning():
            turn = q[where.quaternion]
            v[where.spin] = 2.0 * quaternion_product(turn * [1, -1, -1, -1], qdot[where.quaternion])[1:]
            if where.position is not None:
                v[where.drift] = matrix_from_quaternion(turn).T @ qdot[where.position]
        return v
