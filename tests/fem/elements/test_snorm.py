"""Shell normals at grids."""

import numpy as np
import pytest
from shell_patches import assemble, isotropic, rigid_motions

from interstage.fem.elements.quad4 import Quad4Block
from interstage.fem.elements.shell_common import grid_normals
from interstage.fem.elements.tria3 import Tria3Block

pytestmark = pytest.mark.kernels


def cylinder(step_deg, n=4):
    """n x n quadrilaterals on a cylinder of radius 1 about z, `step_deg` a facet."""
    angle = np.deg2rad(step_deg) * np.arange(n + 1)
    x = np.array([[np.cos(a), np.sin(a), 0.2 * k] for a in angle for k in range(n + 1)])
    first = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    return x, np.column_stack([first, first + n + 1, first + n + 2, first + 1])


def quads(x, cells):
    return Quad4Block("CQUAD4", np.arange(len(cells)), cells, x, isotropic(t=0.01), np.zeros(len(cells), int))


def test_cylinder_has_radial_normals_inside():
    x, cells = cylinder(10.0)
    n = grid_normals([quads(x, cells)], len(x), 20.0)
    inner = slice(5, 20)
    radial = x[inner] * [1, 1, 0]
    np.testing.assert_allclose(np.abs(np.einsum("ij,ij->i", n[inner], radial)), 1.0, rtol=1e-14)


def test_sense_of_elements_does_not_matter():
    """Reversed elements and triangles among quadrilaterals: the same stiffness and the same normals."""
    x, cells = cylinder(10.0)
    flipped = cells.copy()
    flipped[::3] = flipped[::3, ::-1]
    a, b = quads(x, cells), quads(x, flipped)
    a.normals, b.normals = (grid_normals([one], len(x), 20.0) for one in (a, b))
    np.testing.assert_allclose(assemble(a, len(x)), assemble(b, len(x)), atol=1e-9)
    tria = Tria3Block("CTRIA3", [1, 2], [cells[0, [0, 1, 2]], cells[0, [3, 2, 0]]], x, a.sections, [0, 0])
    mixed = grid_normals([quads(x, cells[1:]), tria], len(x), 20.0)
    np.testing.assert_allclose(np.abs(np.einsum("ij,ij->i", mixed, a.normals))[6:], 1.0, atol=1e-3)


def test_fold_has_no_normal():
    """Facets 50 degrees apart: every normal is 25 degrees from the mean, beyond 20; edges keep theirs."""
    x, cells = cylinder(50.0, n=2)
    n = grid_normals([quads(x, cells)], len(x), 20.0)
    assert np.all(n[3:6] == 0.0)
    np.testing.assert_allclose(np.linalg.norm(n[[0, 1, 2, 6, 7, 8]], axis=1), 1.0, rtol=1e-14)
    assert np.all(grid_normals([quads(x, cells)], len(x), 0.0) == 0.0)
    assert np.all(np.linalg.norm(grid_normals([quads(x, cells)], len(x), 26.0), axis=1) > 0.99)


def test_curved_patch_keeps_rigid_motions():
    x, cells = cylinder(12.0)
    x = x + 0.01 * np.random.default_rng(1).normal(size=x.shape)
    block = quads(x, cells)
    block.normals = grid_normals([block], len(x), 20.0)
    K = assemble(block, len(x))
    assert np.abs(K @ rigid_motions(x)).max() < 1e-12 * np.abs(K).max()
    assert np.sum(np.linalg.eigvalsh(K) < 1e-10 * np.abs(K).max()) == 6
