"""CTRIA3 against NASTRAN's own matrices, patch tests and invariances."""

import numpy as np
import pytest
import shell_patches as patches

from interstage.fem.elements.tria3 import Tria3Block

pytestmark = pytest.mark.kernels

ALL = slice(None)
CORNERS = np.array([[0, 0, 0.1], [1, 0.1, -0.08], [0.2, 0.9, 0.12]])


def one(x, sections=None, order=(0, 1, 2), **options):
    return Tria3Block("CTRIA3", [1], [list(order)], x, sections or patches.isotropic(t=0.01), [0], **options)


def test_triangle_has_nastrans_eigenvalues():
    """Half a unit square, t = 0.25, E = 2.9e7, ν = 0.32, G = 1.1e7 for transverse shear: NX Nastran 2412."""
    factor = 5 / 6 * 1.1e7 / (2.9e7 / 2 / 1.32)
    sections = patches.isotropic(E=2.9e7, nu=0.32, t=0.25, factor=factor)
    x = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]], dtype=float)
    got = np.linalg.eigvalsh(one(x, sections).stiffness(ALL)[0])[6:12]
    np.testing.assert_allclose(got, [274.621, 274.621, 892.486, 10559.36, 17207.42, 34676.71], rtol=2e-6)


@pytest.mark.parametrize("field", [patches.linear_field, patches.curvature_field])
@pytest.mark.parametrize("t", [0.001, 0.05])
def test_patch(field, t):
    """Constant strain and constant curvature are exact (tolerance: soft drilling springs)."""
    assert patches.patch_error_of(Tria3Block, field, t) < 1e-8


@pytest.mark.parametrize("offset", [0.0, 0.05])
def test_six_rigid_motions_and_no_other(offset):
    normals = np.array([0, 0, 1.0]) + 0.2 * np.random.default_rng(5).normal(size=(3, 3))
    K = one(CORNERS, normals=normals, offset=np.array([offset])).stiffness(ALL)[0]
    patches.rigid_motion_check(K, CORNERS, 1e-9)


@pytest.mark.parametrize("order", [(1, 2, 0), (2, 1, 0)])
def test_first_corner_and_sense_do_not_matter(order):
    K = one(CORNERS).stiffness(ALL)[0]
    dof = np.concatenate([6 * k + np.arange(6) for k in order])
    other = one(CORNERS, order=order).stiffness(ALL)[0]
    np.testing.assert_allclose(other, K[np.ix_(dof, dof)], atol=1e-12 * np.abs(K).max())


def test_offset_equals_coupled_section():
    assert patches.offset_error(one, CORNERS) < 1e-11


def test_mass_is_thirds():
    block = one(CORNERS, patches.isotropic(t=0.01, rho=2.0))
    lumped, coupled = block.mass(ALL, False)[0], block.mass(ALL, True)[0]
    third = block.area()[0] * 0.01 * 2.0 / 3.0
    np.testing.assert_allclose(np.diag(lumped), np.tile([third] * 3 + [0.0] * 3, 3), rtol=1e-14)
    np.testing.assert_allclose(coupled.sum(axis=1), lumped.sum(axis=1), atol=1e-16)
