"""CTRIA3 against NASTRAN's own matrices, patch tests and invariances."""

import numpy as np
import pytest
from shell_patches import (
    PATCH_QUADS,
    PATCH_XY,
    curvature_field,
    isotropic,
    linear_field,
    patch_error,
    rigid_motions,
    rotation,
    triangles,
)

from interstage.fem.elements.laminate import Layer, laminate_section, section_table
from interstage.fem.elements.tria3 import Tria3Block

pytestmark = pytest.mark.kernels

ALL = slice(None)
CORNERS = np.array([[0, 0, 0.1], [1, 0.1, -0.08], [0.2, 0.9, 0.12]])


def one(x, sections=None, order=(0, 1, 2), **options):
    return Tria3Block("CTRIA3", [1], [list(order)], x, sections or isotropic(t=0.01), [0], **options)


def test_triangle_has_nastrans_eigenvalues():
    """Half a unit square, t = 0.25, E = 2.9e7, ν = 0.32, G = 1.1e7 for transverse shear: NX Nastran 2412."""
    factor = 5 / 6 * 1.1e7 / (2.9e7 / 2 / 1.32)
    sections = isotropic(E=2.9e7, nu=0.32, t=0.25, factor=factor)
    x = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]], dtype=float)
    got = np.linalg.eigvalsh(one(x, sections).stiffness(ALL)[0])[6:12]
    np.testing.assert_allclose(got, [274.621, 274.621, 892.486, 10559.36, 17207.42, 34676.71], rtol=2e-6)


@pytest.mark.parametrize("field", [linear_field, curvature_field])
@pytest.mark.parametrize("t", [0.001, 0.05])
def test_patch(field, t):
    """Constant strain and constant curvature are exact (tolerance: soft drilling springs)."""
    cells = triangles(PATCH_QUADS)
    x = np.column_stack([PATCH_XY, np.zeros(8)])
    make = lambda X: Tria3Block("CTRIA3", np.arange(10), cells, X, isotropic(t=t), np.zeros(10, int))  # noqa: E731
    assert patch_error(make, x, field, rotation()) < 1e-8


@pytest.mark.parametrize("offset", [0.0, 0.05])
def test_six_rigid_motions_and_no_other(offset):
    normals = np.array([0, 0, 1.0]) + 0.2 * np.random.default_rng(5).normal(size=(3, 3))
    K = one(CORNERS, normals=normals, offset=np.array([offset])).stiffness(ALL)[0]
    assert np.abs(K @ rigid_motions(CORNERS)).max() < 1e-13 * np.abs(K).max()
    values = np.linalg.eigvalsh(K)
    assert values[6] > 1e-9 * values[-1] > 1e4 * abs(values[5])


@pytest.mark.parametrize("order", [(1, 2, 0), (2, 1, 0)])
def test_first_corner_and_sense_do_not_matter(order):
    K = one(CORNERS).stiffness(ALL)[0]
    dof = np.concatenate([6 * k + np.arange(6) for k in order])
    other = one(CORNERS, order=order).stiffness(ALL)[0]
    np.testing.assert_allclose(other, K[np.ix_(dof, dof)], atol=1e-12 * np.abs(K).max())


def test_offset_equals_coupled_section():
    layer = Layer(isotropic(t=1.0).A[0], np.eye(2) * 4e5, 1.0, 0.01)
    plain = section_table([laminate_section([layer])])
    moved = section_table([laminate_section([layer], z0=-0.005 + 0.02)])
    K = one(CORNERS, plain, offset=np.array([0.02]), k6rot=0.0).stiffness(ALL)[0]
    other = one(CORNERS, moved, k6rot=0.0).stiffness(ALL)[0]
    np.testing.assert_allclose(K, other, atol=1e-11 * np.abs(K).max())


def test_mass_is_thirds():
    block = one(CORNERS, isotropic(t=0.01, rho=2.0))
    lumped, coupled = block.mass(ALL, False)[0], block.mass(ALL, True)[0]
    third = block.area()[0] * 0.01 * 2.0 / 3.0
    np.testing.assert_allclose(np.diag(lumped), np.tile([third] * 3 + [0.0] * 3, 3), rtol=1e-14)
    np.testing.assert_allclose(coupled.sum(axis=1), lumped.sum(axis=1), atol=1e-16)
