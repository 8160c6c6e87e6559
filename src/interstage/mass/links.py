"""What a body keeps about its place in a tree; `tree` and `relative` read and change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from interstage.calls import named_arguments
from interstage.mass.kernels import ROW

if TYPE_CHECKING:
    from interstage.mass.body import MassBody
    from interstage.mass.relative import Pose


@named_arguments
class Linked:
    """Links to the body above and the bodies below, and rows of mass properties as the kernels read them.

    above, below : the parent, None for a root, and the children;  slot : number among the parent's children
    R_PC (3, 3), p_PC (3,) : structure axes in those of the parent
    rows (k, 13) : row 0 the core, row k + 1 child k;  total (13,) : the composite
    stale : the composite row is old;  changed : children whose rows are old;  listed : whether the body is among them
    kept_pose : pose in the root when it was last asked for
    """

    name: str
    dynamic = False
    """Whether bodies of this class have a state of motion (see `DynBody`)."""

    def __init__(self) -> None:
        self.above: MassBody | None = None
        self.below: list[MassBody] = []
        self.slot = 0
        self.R_PC, self.p_PC = np.eye(3), np.zeros(3)
        self.rows, self.total = np.zeros((2, ROW)), np.zeros(ROW)
        self.stale, self.listed = True, False
        self.changed: list[MassBody] = []
        self.kept_pose: Pose | None = None
