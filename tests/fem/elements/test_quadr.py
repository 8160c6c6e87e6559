"""CQUADR and CTRIAR: patch tests, rigid motions, and drilling rotations that carry moments."""

import numpy as np
import pytest
from shell_patches import (
    PATCH_QUADS,
    PATCH_XY,
    assemble,
    curvature_field,
    isotropic,
    linear_field,
    patch_error,
    rigid_motions,
    rotation,
    triangles,
)

from interstage.fem.elements.quadr import QuadRBlock, TriaRBlock

pytestmark = pytest.mark.kernels

ALL = slice(None)
WARPED = np.array([[0, 0, 0.1], [1, 0.1, -0.08], [1.2, 0.9, 0.12], [-0.1, 1.1, -0.05]])


@pytest.mark.parametrize("family", [QuadRBlock, TriaRBlock])
@pytest.mark.parametrize("field", [linear_field, curvature_field])
def test_patch(family, field):
    """Constant strain and constant curvature are exact on a distorted mesh."""
    cells = PATCH_QUADS if family is QuadRBlock else triangles(PATCH_QUADS)
    x = np.column_stack([PATCH_XY, np.zeros(8)])

    def make(X):
        return family("R", np.arange(len(cells)), cells, X, isotropic(t=0.001), np.zeros(len(cells), int))

    assert patch_error(make, x, field, rotation()) < 1e-8


@pytest.mark.parametrize("family", [QuadRBlock, TriaRBlock])
def test_six_rigid_motions_and_no_other(family):
    x = WARPED[: family.corners]
    normals = np.array([0, 0, 1.0]) + 0.2 * np.random.default_rng(5).normal(size=x.shape)
    block = family(
        "R", [1], [np.arange(len(x))], x, isotropic(t=0.01), [0], normals=normals, offset=np.array([0.03])
    )
    K = block.stiffness(ALL)[0]
    assert np.abs(K @ rigid_motions(x)).max() < 1e-13 * np.abs(K).max()
    values = np.linalg.eigvalsh(K)
    assert values[6] > 1e-8 * values[-1] > 1e4 * abs(values[5])


@pytest.mark.parametrize(("family", "tolerance"), [(QuadRBlock, 0.03), (TriaRBlock, 0.05)])
def test_moment_about_the_normal_bends_a_strip(family, tolerance):
    """A moment M on the drilling rotations of an end bends it by M L²/(2 E I), and a little at the load."""
    n, m, length, width = 20, 4, 1.0, 0.2
    x = np.array([[length * i / n, width * j / m, 0.0] for i in range(n + 1) for j in range(m + 1)])
    first = (np.arange(n)[:, None] * (m + 1) + np.arange(m)).ravel()
    cells = np.column_stack([first, first + m + 1, first + m + 2, first + 1])
    cells = cells if family is QuadRBlock else triangles(cells)
    sections = isotropic(E=1e6, nu=0.0, t=0.01)
    K = assemble(family("R", np.arange(len(cells)), cells, x, sections, np.zeros(len(cells), int)), len(x))
    free = np.repeat(x[:, 0] > 0, 6)
    force = np.zeros(6 * len(x))
    tip = np.flatnonzero(x[:, 0] == length)
    force[6 * tip + 5] = 1.0 / len(tip)
    u = np.zeros(6 * len(x))
    u[free] = np.linalg.solve(K[np.ix_(free, free)], force[free])
    theory = length**2 / 2 / (1e6 * 0.01 * width**3 / 12)
    assert u[6 * tip + 1].mean() == pytest.approx(theory, rel=tolerance)
