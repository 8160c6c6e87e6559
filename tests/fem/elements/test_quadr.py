"""CQUADR and CTRIAR: patch tests, rigid motions, and drilling rotations that carry moments."""

import numpy as np
import pytest
import shell_patches as patches

from interstage.fem.elements.quadr import QuadRBlock, TriaRBlock

pytestmark = pytest.mark.kernels

ALL = slice(None)
WARPED = np.array([[0, 0, 0.1], [1, 0.1, -0.08], [1.2, 0.9, 0.12], [-0.1, 1.1, -0.05]])


@pytest.mark.parametrize("family", [QuadRBlock, TriaRBlock])
@pytest.mark.parametrize("field", [patches.linear_field, patches.curvature_field])
def test_patch(family, field):
    """Constant strain and constant curvature are exact on a distorted mesh."""
    assert patches.patch_error_of(family, field, 0.001) < 1e-8


@pytest.mark.parametrize("family", [QuadRBlock, TriaRBlock])
def test_six_rigid_motions_and_no_other(family):
    x = WARPED[: family.corners]
    normals = np.array([0, 0, 1.0]) + 0.2 * np.random.default_rng(5).normal(size=x.shape)
    block = family(
        "R",
        [1],
        [np.arange(len(x))],
        x,
        patches.isotropic(t=0.01),
        [0],
        normals=normals,
        offset=np.array([0.03]),
    )
    K = block.stiffness(ALL)[0]
    patches.rigid_motion_check(K, x, 1e-8)


@pytest.mark.parametrize(("family", "tolerance"), [(QuadRBlock, 0.03), (TriaRBlock, 0.05)])
def test_moment_about_the_normal_bends_a_strip(family, tolerance):
    """A moment M on the drilling rotations of an end bends it by M L²/(2 E I), and a little at the load."""
    n, m, length, width = 20, 4, 1.0, 0.2
    x = np.array([[length * i / n, width * j / m, 0.0] for i in range(n + 1) for j in range(m + 1)])
    first = (np.arange(n)[:, None] * (m + 1) + np.arange(m)).ravel()
    cells = np.column_stack([first, first + m + 1, first + m + 2, first + 1])
    cells = cells if family is QuadRBlock else patches.triangles(cells)
    sections = patches.isotropic(E=1e6, nu=0.0, t=0.01)
    K = patches.assemble(
        family("R", np.arange(len(cells)), cells, x, sections, np.zeros(len(cells), int)), len(x)
    )
    free = np.repeat(x[:, 0] > 0, 6)
    force = np.zeros(6 * len(x))
    tip = np.flatnonzero(x[:, 0] == length)
    force[6 * tip + 5] = 1.0 / len(tip)
    u = np.zeros(6 * len(x))
    u[free] = np.linalg.solve(K[np.ix_(free, free)], force[free])
    theory = length**2 / 2 / (1e6 * 0.01 * width**3 / 12)
    assert u[6 * tip + 1].mean() == pytest.approx(theory, rel=tolerance)
