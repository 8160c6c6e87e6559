"""CPENTA: Nastran's own matrices, patch tests, rank and mass."""

import numpy as np
import pytest
import solid_patches as patches

from interstage.fem.elements import solid_common as solid
from interstage.fem.elements.penta import PENTA6, PENTA15, penta6_stiffness
from validation import nastran_decks

pytestmark = pytest.mark.kernels
C = patches.isotropic(1e6, 0.25)
WEDGE = np.array([[0, 0, 0], [1.1, 0.1, 0], [0.2, 0.9, 0.1], [0.1, 0, 1], [1, 0, 1.2], [0.1, 1, 1.1]])


def penta15(xyz, C):
    return solid.shape_stiffness(PENTA15, (True,) * 15, xyz, C)


@pytest.mark.parametrize(
    "name, plane", [("kelm_CPENTA_2", [(0, 1), (1, 0), (1, 1)]), ("kelm_CPENTA_3", [(0, 1), (0, 0), (1, 0)])]
)
def test_matrix_of_nastran(name, plane):
    """The element matrix of a real run in its element system (right prisms)."""
    wanted = nastran_decks.matrix("kgg_solid_shell_bar", name)
    xyz = np.array([[(*p, z) for z in (1.0, 2.0) for p in plane]])
    K = penta6_stiffness(xyz, patches.isotropic(2.9e7, 0.32)[None])
    K = solid.rotate_matrix(K, solid.element_axes(PENTA6, xyz).transpose(0, 2, 1))[0]
    assert np.abs(K - wanted).max() < 1e-13 * np.abs(wanted).max()
    w = np.linalg.eigvalsh(K)[6:11]
    np.testing.assert_allclose(w, [630161.814, 1968226.406, 2754459.004, 3031337.970, 3545753.353], rtol=2e-9)


def test_patch_of_prisms():
    """Direct strains and the in-plane shear on prisms that are irregular in plan."""
    xyz, nodes = patches.penta_patch()
    assert patches.patch_error(xyz, nodes, penta6_stiffness, C, [(0, 0), (1, 1), (2, 2), (0, 1)]) < 1e-12


def test_linear_displacements_give_exact_energy_on_any_shape():
    """½ uᵀKu = ½ V εᵀCε for all six constant strains on a tapered, skewed wedge."""
    K = penta6_stiffness(WEDGE[None], C[None])[0]
    volume = solid.SolidBlock(PENTA6, [1], np.arange(6)[None], WEDGE[None], C[None], [0.0]).volumes()[0]
    pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))
    for row, (i, j) in enumerate(pairs):
        gradient = np.zeros((3, 3))
        gradient[i, j] = 1.0
        u = (WEDGE @ gradient.T).ravel()
        assert u @ K @ u == pytest.approx(volume * C[row, row], rel=1e-12)


@pytest.mark.parametrize("warp", [0.0, 1.0])
@pytest.mark.parametrize("moduli", [C, patches.orthotropic()], ids=["isotropic", "anisotropic"])
def test_patch_of_second_order(warp, moduli):
    xyz, nodes = patches.with_middles(PENTA15, *patches.penta_patch(warp))
    assert patches.patch_error(xyz, nodes, penta15, moduli) < 1e-11


def test_patch_of_standard_integration():
    xyz, nodes = patches.penta_patch(1.0)
    plain = lambda x, C: solid.plain_stiffness(PENTA6, (True,) * 6, x, C)  # noqa: E731
    assert patches.patch_error(xyz, nodes, plain, C) < 1e-12


@pytest.mark.parametrize(
    "stiffness, shape", [(penta6_stiffness, PENTA6), (penta15, PENTA15)], ids=["6", "15"]
)
def test_six_zero_eigenvalues_and_rotation(stiffness, shape):
    xyz, _ = patches.with_middles(shape, WEDGE, np.arange(6)[None])
    moduli = patches.orthotropic()
    K = stiffness(xyz[None], moduli[None])
    zero, seventh = patches.zero_energy(K[0])
    assert zero < 1e-13
    assert seventh > 1e-4
    assert np.abs(K[0] @ patches.rigid_motions(xyz)).max() < 1e-12 * np.abs(K).max()
    R = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    R *= np.linalg.det(R)
    turned = stiffness((xyz @ R.T)[None], solid.rotate_material(moduli[None], R[None]))
    np.testing.assert_allclose(turned, solid.rotate_matrix(K, R[None]), atol=1e-11 * np.abs(K).max())


@pytest.mark.parametrize("shape", [PENTA6, PENTA15], ids=["6", "15"])
def test_mass(shape):
    """Total mass; equal sixths on a right prism, as in the element masses of a real run."""
    prism = np.array([(*p, z) for z in (1.0, 2.0) for p in ((0, 1), (1, 0), (1, 1))])
    xyz, _ = patches.with_middles(shape, prism, np.arange(6)[None])
    block = solid.SolidBlock(shape, [7], np.arange(len(xyz))[None], xyz[None], C[None], [0.283])
    for coupled in (False, True):
        M = block.mass(slice(0, 1), coupled)[0]
        assert M[::3, ::3].sum() == pytest.approx(0.283 / 2, rel=1e-12)
        assert np.linalg.eigvalsh(M).min() > 0
    if shape is PENTA6:
        np.testing.assert_allclose(np.diag(block.mass(slice(0, 1), False)[0]), 0.0235833333333333, rtol=1e-12)


def test_a_modulus_of_zero_is_no_failure():
    moduli = np.diag([1e6, 1e6, 0.0, 0.0, 4e5, 4e5])
    assert np.isfinite(penta6_stiffness(WEDGE[None], moduli[None])).all()
