"""Locked: no motion at all."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from interstage.calls import named_arguments
from interstage.multibody.joints.constraint_rows import ConstraintRow, no_travel, no_turn
from interstage.multibody.joints.families import Sprung
from interstage.multibody.kernels.joints import LOCKED


@named_arguments
@dataclass(frozen=True)
class Locked(Sprung):
    """No motion: the child is fixed to the node."""

    kind = LOCKED
    words = "locked"

    def __post_init__(self) -> None:
        self._refuse("a locked joint does not move", "stiffness", "damping", "rest", "prescribed")

    def fit(self, R: np.ndarray, p: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        return np.zeros(0)

    def _reversed(self, R_PC: np.ndarray, where: str) -> Locked:
        return replace(self)

    def closure_rows(self) -> list[ConstraintRow]:
        return no_travel() + no_turn()
