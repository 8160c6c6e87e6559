"""CHEXA: Nastran's own matrix, patch tests, rank, invariance and mass."""

import numpy as np
import pytest
import solid_patches as patches

from interstage.fem.elements import solid_common as solid
from interstage.fem.elements.hexa import HEXA8, HEXA20, hexa8_stiffness
from validation import nastran_decks

pytestmark = pytest.mark.kernels
C = patches.isotropic(1e6, 0.25)
ALL_20 = (True,) * 20


def hexa20(xyz, C):
    return solid.shape_stiffness(HEXA20, ALL_20, xyz, C)


def test_matrix_of_nastran():
    """The element matrix of a real run (a cube) in its element system, to round-off."""
    xyz = np.array(
        [[[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0], [1, 0, 1], [1, 1, 1], [0, 1, 1], [0, 0, 1.0]]]
    )
    K = hexa8_stiffness(xyz, patches.isotropic(2.9e7, 0.32)[None])
    K = solid.rotate_matrix(K, solid.element_axes(HEXA8, xyz).transpose(0, 2, 1))[0]
    wanted = nastran_decks.matrix("kgg_solid_shell_bar", "kelm_CHEXA_1")
    assert np.abs(K - wanted).max() < 1e-13 * np.abs(wanted).max()


def test_eigenvalues_of_unit_cube():
    w = np.linalg.eigvalsh(hexa8_stiffness(patches.CUBE[None], patches.isotropic(2.9e7, 0.32)[None])[0])
    wanted = [1611111.11] * 3 + [1830808.08] * 2 + [3661616.16] * 3 + [7107843.137] * 3
    np.testing.assert_allclose(w[6:17], wanted, rtol=1e-8)


@pytest.mark.parametrize("moduli", [C, patches.orthotropic()], ids=["isotropic", "anisotropic"])
def test_patch_of_distorted_bricks(moduli):
    xyz, nodes = patches.hexa_patch()
    assert patches.patch_error(xyz, nodes, hexa8_stiffness, moduli) < 1e-12
    assert patches.patch_error(*patches.with_middles(HEXA20, xyz, nodes), hexa20, moduli) < 1e-11
    plain = lambda x, C: solid.plain_stiffness(HEXA20, ALL_20, x, C)  # noqa: E731
    assert patches.patch_error(*patches.with_middles(HEXA20, xyz, nodes), plain, moduli) < 1e-11


@pytest.mark.parametrize("stiffness, shape", [(hexa8_stiffness, HEXA8), (hexa20, HEXA20)], ids=["8", "20"])
def test_six_zero_eigenvalues_and_rigid_motions(stiffness, shape):
    """One element alone, cube and distorted, has no mechanism besides rigid motion."""
    for corners in (patches.CUBE, patches.INNER):
        xyz, _ = patches.with_middles(shape, corners, np.arange(8)[None])
        K = stiffness(xyz[None], C[None])[0]
        patches.rigid_motion_check(K, xyz, 1e-3)
        np.testing.assert_array_equal(K, K.T)


def test_stiffness_turns_with_the_element():
    """A rotated element with rotated material has the rotated matrix, for any moduli."""
    R = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    R *= np.linalg.det(R)
    moduli = patches.orthotropic()
    for stiffness, shape in ((hexa8_stiffness, HEXA8), (hexa20, HEXA20)):
        xyz, _ = patches.with_middles(shape, patches.INNER, np.arange(8)[None])
        K = stiffness(xyz[None], moduli[None])
        turned = stiffness((xyz @ R.T)[None], solid.rotate_material(moduli[None], R[None]))
        np.testing.assert_allclose(turned, solid.rotate_matrix(K, R[None]), atol=1e-11 * np.abs(K).max())


def test_pure_bending_of_one_brick_is_exact():
    """EAS bricks bend like a beam: energy of u = xy, v = -x²/2 - nu ... is that of pure bending (nu = 0)."""
    moduli = patches.isotropic(1e6, 0.0)
    xyz = patches.CUBE * [4.0, 1.0, 1.0] - [2.0, 0.5, 0.5]
    K = hexa8_stiffness(xyz[None], moduli[None])[0]
    u = np.zeros((8, 3))
    u[:, 0] = xyz[:, 0] * xyz[:, 1]
    u[:, 1] = -(xyz[:, 0] ** 2) / 2.0
    # curvature 1 over length 4: E I L with I = 1/12
    assert u.ravel() @ K @ u.ravel() == pytest.approx(1e6 / 12 * 4, rel=1e-12)


def test_absent_mid_edge_nodes():
    """With all mid-edge nodes absent the 20-node functions become the trilinear ones."""
    N20, _, _ = HEXA20.tables((True,) * 8 + (False,) * 12)
    N8 = HEXA8.functions(HEXA20.points)
    np.testing.assert_allclose(N20, N8, atol=1e-15)
    present = tuple(k not in (9, 13, 18) for k in range(20))
    xyz, _ = patches.with_middles(HEXA20, patches.INNER, np.arange(8)[None])
    xyz = xyz[list(present)]
    K = solid.shape_stiffness(HEXA20, present, xyz[None], C[None])[0]
    assert K.shape == (51, 51)
    assert patches.zero_energy(K)[0] < 1e-13 < 1e-3 < patches.zero_energy(K)[1]


def test_a_modulus_of_zero_is_no_failure():
    moduli = np.diag([1e6, 1e6, 1e6, 0.0, 4e5, 4e5])
    assert np.isfinite(hexa8_stiffness(patches.INNER[None], moduli[None])).all()


@pytest.mark.parametrize("shape", [HEXA8, HEXA20], ids=["8", "20"])
def test_mass(shape):
    """Lumped and coupled mass have the total mass, and the coupled one the exact first moment."""
    xyz, _ = patches.with_middles(shape, patches.INNER, np.arange(8)[None])
    block = solid.SolidBlock(shape, [7], np.arange(len(xyz))[None], xyz[None], C[None], [3.0])
    total = 3.0 * block.volumes()[0]
    lumped, coupled = block.mass(slice(0, 1), False)[0], block.mass(slice(0, 1), True)[0]
    ones = np.zeros((len(xyz), 3))
    ones[:, 0] = 1.0
    for M in (lumped, coupled):
        assert ones.ravel() @ M @ ones.ravel() == pytest.approx(total, rel=1e-12)
    assert np.count_nonzero(lumped - np.diag(np.diag(lumped))) == 0
    assert (np.diag(lumped) > 0).all()
    assert np.linalg.eigvalsh(coupled).min() > 0
    if shape is HEXA8:
        np.testing.assert_allclose(np.diag(lumped), coupled.sum(axis=1), rtol=1e-12)
