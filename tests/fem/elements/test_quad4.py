"""CQUAD4 against NASTRAN's own matrices, patch tests and invariances."""

import numpy as np
import pytest
import shell_patches as patches

from interstage.fem.elements.laminate import Layer, laminate_section, section_table
from interstage.fem.elements.quad4 import Quad4Block

pytestmark = pytest.mark.kernels

ALL = slice(None)
WARPED = np.array([[0, 0, 0.1], [1, 0.1, -0.08], [1.2, 0.9, 0.12], [-0.1, 1.1, -0.05]])


def one(x, sections=None, order=(0, 1, 2, 3), **options):
    return Quad4Block("CQUAD4", [1], [list(order)], x, sections or patches.isotropic(t=0.01), [0], **options)


def test_square_has_nastrans_eigenvalues():
    """Unit square, t = 0.25, E = 2.9e7, ν = 0.32, G = 1.1e7 for transverse shear: NX Nastran 2412."""
    factor = 5 / 6 * 1.1e7 / (2.9e7 / 2 / 1.32)
    sections = patches.isotropic(E=2.9e7, nu=0.32, t=0.25, factor=factor)
    x = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)
    got = np.linalg.eigvalsh(one(x, sections).stiffness(ALL)[0])[6:14]
    known = [274.590, 274.590, 274.621, 823.864, 12586.81, 12586.81, 25374.77, 28606.38]
    np.testing.assert_allclose(got, known, rtol=2e-6)


@pytest.mark.parametrize("field", [patches.linear_field, patches.curvature_field])
@pytest.mark.parametrize("t", [0.001, 0.05])
def test_patch(field, t):
    """Constant strain and constant curvature are exact on a distorted mesh in any position, thin or thick.

    The tolerance is that of a solution with drilling springs a million times softer than the plate.
    """
    assert patches.patch_error_of(Quad4Block, field, t) < 1e-8


@pytest.mark.parametrize("offset", [0.0, 0.05])
def test_warped_element_has_six_rigid_motions_and_no_other(offset):
    rng = np.random.default_rng(5)
    normals = np.array([0, 0, 1.0]) + 0.2 * rng.normal(size=(4, 3))
    K = one(WARPED, normals=normals, offset=np.array([offset])).stiffness(ALL)[0]
    patches.rigid_motion_check(K, WARPED, 1e-9)
    np.testing.assert_array_equal(K, K.T)


def test_matrix_does_not_depend_on_position_or_first_corner():
    K = one(WARPED).stiffness(ALL)[0]
    R = patches.rotation()
    turned = np.kron(np.eye(8), R)
    moved = one(WARPED @ R.T + [3.0, -2.0, 1.0]).stiffness(ALL)[0]
    np.testing.assert_allclose(moved, turned @ K @ turned.T, atol=1e-12 * np.abs(K).max())
    dof = np.concatenate([6 * k + np.arange(6) for k in (1, 2, 3, 0)])
    shifted = one(WARPED, order=(1, 2, 3, 0)).stiffness(ALL)[0]
    np.testing.assert_allclose(shifted, K[np.ix_(dof, dof)], atol=1e-12 * np.abs(K).max())


def test_reversed_element_is_the_same_plate():
    K = one(WARPED).stiffness(ALL)[0]
    dof = np.concatenate([6 * k + np.arange(6) for k in (3, 2, 1, 0)])
    other = one(WARPED, order=(3, 2, 1, 0)).stiffness(ALL)[0]
    np.testing.assert_allclose(other, K[np.ix_(dof, dof)], atol=1e-12 * np.abs(K).max())


def test_offset_equals_coupled_section():
    """A plate moved by ZOFFS and a laminate with Z0 moved as much are the same in membrane and bending."""
    assert patches.offset_error(one, WARPED * [1, 1, 0]) < 1e-11


def test_material_axis_turns_with_the_material():
    """An orthotropic square with its material at 90 degrees is the turned element with material at 0."""
    Q = np.array([[1e7, 3e5, 0], [3e5, 1e6, 0], [0, 0, 5e5]])
    sections = section_table([laminate_section([Layer(Q, np.diag([4e5, 2e5]), 1.0, 0.05)])])
    x = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)
    K = one(x, sections, axis=np.array([[0.0, 1.0, 0.3]])).stiffness(ALL)[0]
    R = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    first = one(x @ R.T, sections, axis=np.array([[0.0, 1.0, 0.0]])).stiffness(ALL)[0]
    same = np.kron(np.eye(8), R)
    base = one(x, sections, axis=np.array([[1.0, 0.0, 0.0]])).stiffness(ALL)[0]
    np.testing.assert_allclose(first, same @ base @ same.T, atol=1e-12 * np.abs(K).max())
    dof = np.concatenate([6 * k + np.arange(6) for k in (3, 0, 1, 2)])
    np.testing.assert_allclose(K, first[np.ix_(dof, dof)], atol=1e-12 * np.abs(K).max())


def test_corner_thickness_scales_like_a_thicker_plate():
    x = WARPED * [1, 1, 0]
    taper = np.full((1, 4), 2.0)
    K = one(x, patches.isotropic(t=0.01), taper=taper).stiffness(ALL)[0]
    thick = one(x, patches.isotropic(t=0.02)).stiffness(ALL)[0]
    np.testing.assert_allclose(K, thick, atol=1e-12 * np.abs(K).max())


def test_constant_strain_of_an_element_whose_thickness_varies():
    """Internal modes take no part in constant strain, so forces are those of the thickness: N = t A ε, M = -t³ D κ.

    In the center t³ is the mean of the 2×2 points, as in a run of MSC Nastran (the case rtrplt_many_elements).
    """
    x, taper = WARPED * [1, 1, 0], np.array([1.0, 1.4, 1.1, 0.7])
    block = one(x, taper=taper[None])
    ((A, D),) = zip(block.sections.A, block.sections.D)
    E = block.element_axes(ALL)[0]
    local = (x - x.mean(axis=0)) @ E.T
    strain = np.array([[1.0, 0.3], [0.3, -0.4]])
    plane = local[:, :2] @ strain
    u = np.zeros((4, 6))
    u[:, :2] = plane
    membrane = np.concatenate([u[:, :3] @ E, u[:, 3:] @ E], axis=1).ravel()
    u[:] = 0.0
    u[:, 2] = -0.5 * np.einsum("ni,ni->n", plane, local[:, :2])
    u[:, 3], u[:, 4] = -plane[:, 1], plane[:, 0]
    bending = np.concatenate([u[:, :3] @ E, u[:, 3:] @ E], axis=1).ravel()
    found = (block.recovery(ALL)[0] @ np.stack([membrane, bending], axis=1)).reshape(5, 8, 2)
    points = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / np.sqrt(3.0)
    at = np.array([0.25 * np.prod(1.0 + np.sqrt(3.0) * points * p, axis=1) @ taper for p in points])
    t, t3 = np.r_[at.mean(), taper], np.r_[np.mean(at**3), taper**3]
    engineering = np.array([1.0, -0.4, 0.6])
    np.testing.assert_allclose(found[:, :3, 0], t[:, None] * (A @ engineering), rtol=1e-10)
    np.testing.assert_allclose(found[:, 3:6, 1], -t3[:, None] * (D @ engineering), rtol=1e-10)


def test_constant_shear_of_a_parallelogram():
    """γ of all points alike: V = G_s t γ, in axes that halve the angles between mid-edge lines and element axes.

    So soft in shear that the residual flexibility of bending takes 1e-8 of the strain.
    """
    xy = np.array([[0.0, 0.0], [2.0, 0.2], [2.5, 1.3], [0.5, 1.1]])
    block = one(np.column_stack([xy, np.zeros(4)]), patches.isotropic(t=0.01, factor=1e-12))
    E, gamma = block.element_axes(ALL)[0], np.array([3e-3, -2e-3])
    u = np.zeros((4, 6))
    u[:, 2] = xy @ (E[:2, :2].T @ gamma)  # w = γ·x without rotation
    V = (block.recovery(ALL)[0] @ u.ravel())[6:8]
    lines = np.array([[2.0, 0.2], [0.5, 1.1]]) @ E[:2, :2].T
    angles = np.arctan2(lines[0, 1], lines[0, 0]), np.arctan2(-lines[1, 0], lines[1, 1])
    c, s = np.cos(np.mean(angles)), np.sin(np.mean(angles))
    assert abs(s) > 0.01
    wanted = block.sections.shear[0] @ gamma
    np.testing.assert_allclose(V, np.array([[c, s], [-s, c]]) @ wanted, rtol=1e-6)


def test_mass_is_lumped_by_rows():
    """Row sums of a trapezoid are not quarters; rows of the coupled mass sum to the lumped ones."""
    x = np.array([[0, 0, 0], [3, 0, 0], [2, 1, 0], [0, 1, 0]], dtype=float)
    block = one(x, patches.isotropic(t=0.01, rho=2.0))
    lumped, coupled = block.mass(ALL, False)[0], block.mass(ALL, True)[0]
    diagonal = np.diag(lumped).reshape(4, 6)
    assert np.all(diagonal[:, 3:] == 0.0)
    np.testing.assert_allclose(diagonal[:, 0].sum(), 2.5 * 0.01 * 2.0, rtol=1e-14)
    assert diagonal[1, 0] != pytest.approx(diagonal[2, 0], rel=1e-3)
    np.testing.assert_allclose(coupled.sum(axis=1), lumped.sum(axis=1), atol=1e-16)
