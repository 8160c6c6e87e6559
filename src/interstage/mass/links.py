"""Compose mass properties along the links of a mass tree.

Sum mass properties in flat rows: mass, centre of mass (3), inertia about it (9, row by row).

A row belongs to one part and is in the structure axes of the body that holds it. Composite properties are
sums over rows (JEOD Mass Body, eqs. 3.1 to 3.7), taken about the common centre of mass so that nothing
cancels.

What a body keeps about its place in a tree; `tree` and `relative` read and change it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from interstage.calls import named_arguments
from interstage.jit import kernel
from interstage.spatial.vec3 import congruence, multiply_inverse, rotate, rotate_inverse

if TYPE_CHECKING:
    from interstage.mass.body import MassBody
    from interstage.mass.relative import Pose


ROW = 13


@kernel
def place(part, R, p, out):
    """Write the row of a part in its parent's structure axes: com' = p + R com, I' = R I Rᵀ.

    part : row (13,) in the child's structure axes;  R, p : R_PC (3, 3) and p_PC (3,) of those axes
    """
    out[0] = part[0]
    rotate(R, part[1:4], out[1:4])
    for i in range(3):
        out[1 + i] += p[i]
    congruence(R, part[4:13].reshape(3, 3), out[4:13].reshape(3, 3))


@kernel
def combine(rows, n, out):
    """Write the row of the first `n` rows (n, 13) together, about their common centre of mass.

    I = Σ I_k + m_k (d·d 1 − d dᵀ), d = com_k − com. A sum without mass keeps the centre of the first row,
    which is the body's own.
    """
    mass = 0.0
    x, y, z = 0.0, 0.0, 0.0
    for k in range(n):
        m = rows[k, 0]
        mass += m
        x += m * rows[k, 1]
        y += m * rows[k, 2]
        z += m * rows[k, 3]
    if mass > 0.0:
        x, y, z = x / mass, y / mass, z / mass
    else:
        x, y, z = rows[0, 1], rows[0, 2], rows[0, 3]
    xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        m, a, b, c = rows[k, 0], rows[k, 1] - x, rows[k, 2] - y, rows[k, 3] - z
        xx += rows[k, 4] + m * (b * b + c * c)
        yy += rows[k, 8] + m * (c * c + a * a)
        zz += rows[k, 12] + m * (a * a + b * b)
        xy += rows[k, 5] - m * a * b
        xz += rows[k, 6] - m * a * c
        yz += rows[k, 9] - m * b * c
    out[0], out[1], out[2], out[3] = mass, x, y, z
    out[4], out[5], out[6] = xx, xy, xz
    out[7], out[8], out[9] = xy, yy, yz
    out[10], out[11], out[12] = xz, yz, zz


@kernel
def relative(R_a, p_a, R_b, p_b, T, p):
    """Write position p (3,) of a seen from b in b's axes, and T (3, 3) with x_a = T x_b.

    R, p : axes and origin of a and of b, both in one frame;  p = R_bᵀ (p_a − p_b), T = R_aᵀ R_b
    """
    for i in range(3):
        p[i] = p_a[i] - p_b[i]
    rotate_inverse(R_b, p, p)
    multiply_inverse(R_a, R_b, T)


@kernel
def relative_many(R, p, a, b, T, position):
    """Write `relative` for pairs of rows a (n,), b (n,) of poses R (m, 3, 3), p (m, 3)."""
    for k in range(len(a)):
        relative(R[a[k]], p[a[k]], R[b[k]], p[b[k]], T[k], position[k])


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
