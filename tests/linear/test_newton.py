"""Newton's method of the trims on residuals of a few unknowns whose solutions are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from interstage.linear.newton import solve

LAG = 20.0  # 1/s of an engine that is told to push fully
PUSH, HELD, BENT = (
    3e5,
    1e6,
    4e3,
)  # load of the engine, stiffness that bears it, and what it is more at large loads


@dataclass
class Pushed:
    """An engine that pushes from its first part of thrust on against a spring that hardens.

    At rest nothing tells of the push (the slope below zero is taken there): the first step brings a load that no
    residual was near to, and the second one leaves more than there was at the start.
    """

    z: np.ndarray
    floor: float = 1e-13
    n = 2

    def residual(self) -> np.ndarray:
        level, place = self.z
        force = PUSH * max(level, 0.0)
        return np.array([LAG * (1.0 - level), HELD * place + BENT * place**3 - force])

    def jacobian(self) -> np.ndarray:
        level, place = self.z
        return np.array([[-LAG, 0.0], [-PUSH * (level > 0.0), HELD + 3.0 * BENT * place**2]])

    def moved(self, step: np.ndarray) -> Pushed:
        return Pushed(self.z + step)

    def n_own(self, r: np.ndarray) -> int:
        return len(r)

    def row_sizes(self, J: np.ndarray) -> np.ndarray:
        return np.linalg.norm(J, axis=1)

    def scale(self, before, J, step) -> np.ndarray:
        return np.ones(2)


def test_residuals_that_are_larger_beyond_a_kink_and_fall_are_followed():
    """The level is one, and the place that of the cubic spring by its closed form (Cardano)."""
    found = solve(Pushed(np.zeros(2)), 30)
    p, q = HELD / BENT, PUSH / BENT
    root = np.sqrt(q * q / 4.0 + p**3 / 27.0)
    place = np.cbrt(q / 2.0 + root) + np.cbrt(q / 2.0 - root)
    assert found.equations.z == pytest.approx([1.0, place], rel=1e-9)
    assert found.iterations < 10
