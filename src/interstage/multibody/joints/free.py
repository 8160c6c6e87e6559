"""Free: any turn and any travel."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from interstage.calls import named_arguments
from interstage.multibody.joints.constraint_rows import ConstraintRow
from interstage.multibody.joints.elementary_motions import FreePose
from interstage.multibody.joints.families import Sprung
from interstage.multibody.kernels.joints import FREE
from interstage.spatial import functions as spatial


@named_arguments
@dataclass(frozen=True)
class Free(Sprung):
    """No constraint at all; coordinates are a quaternion and a position."""

    kind = FREE
    words = "free"
    motions = (FreePose(),)

    def __post_init__(self) -> None:
        self._refuse("a free joint has no spring", "stiffness", "rest")

    def fit(self, R: np.ndarray, p: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        return np.concatenate([spatial.quaternion_from_matrix(R), p])

    def _reversed(self, R_PC: np.ndarray, where: str) -> Free:
        return replace(self)

    def closure_rows(self) -> list[ConstraintRow]:
        return []
