"""CTETRA: Nastran's own matrices, patch tests, rank and mass."""

import numpy as np
import pytest
import solid_patches as patches

from interstage.fem.elements.solid_common import SolidBlock, element_axes, rotate_matrix, shape_stiffness
from interstage.fem.elements.tetra import TETRA4, TETRA10, tetra4_stiffness
from validation import nastran_decks, solid_modes

pytestmark = pytest.mark.kernels
C = patches.isotropic(1e6, 0.25)
ALL_10 = (True,) * 10


def tetra10(xyz, C):
    return shape_stiffness(TETRA10, ALL_10, xyz, C)


@pytest.mark.parametrize(
    "name, base", [("kelm_CTETRA_4", [(0, 1), (1, 0), (1, 1)]), ("kelm_CTETRA_5", [(0, 1), (0, 0), (1, 0)])]
)
def test_matrix_of_nastran(name, base):
    """The element matrix of a real run in its element system."""
    wanted = nastran_decks.matrix("kgg_solid_shell_bar", name)
    xyz = np.array([[*((*p, 2.0) for p in base), (0.5, 0.5, 3.0)]])
    K = tetra4_stiffness(xyz, patches.isotropic(2.9e7, 0.32)[None])
    K = rotate_matrix(K, element_axes(TETRA4, xyz).transpose(0, 2, 1))[0]
    assert np.abs(K - wanted).max() < 1e-13 * np.abs(wanted).max()
    w = np.linalg.eigvalsh(K)
    np.testing.assert_allclose(w[[6, 11]], [3973954.157, 27470468.399], rtol=1e-9)


@pytest.mark.parametrize("moduli", [C, patches.orthotropic()], ids=["isotropic", "anisotropic"])
def test_patch(moduli):
    xyz, nodes = patches.tetra_patch()
    assert patches.patch_error(xyz, nodes, tetra4_stiffness, moduli) < 1e-12
    assert patches.patch_error(*patches.with_middles(TETRA10, xyz, nodes), tetra10, moduli) < 1e-11


@pytest.mark.parametrize(
    "stiffness, shape", [(tetra4_stiffness, TETRA4), (tetra10, TETRA10)], ids=["4", "10"]
)
def test_six_zero_eigenvalues(stiffness, shape):
    corners = np.array([[0, 0, 0], [1, 0.1, 0], [0.2, 0.9, 0.1], [0.3, 0.3, 0.8]])
    xyz, _ = patches.with_middles(shape, corners, np.arange(4)[None])
    K = stiffness(xyz[None], C[None])[0]
    patches.rigid_motion_check(K, xyz, 1e-4)


def test_linear_strain_is_exact_on_ten_nodes():
    """Energy of a quadratic displacement u = x² in a straight-edged tetrahedron: ½∫C11 (2x)² dV."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    xyz, _ = patches.with_middles(TETRA10, corners, np.arange(4)[None])
    u = np.zeros((10, 3))
    u[:, 0] = xyz[:, 0] ** 2
    K = tetra10(xyz[None], C[None])[0]
    # ∫x² dV over the corner tetrahedron is 2!/5! = 1/60
    assert u.ravel() @ K @ u.ravel() == pytest.approx(4.0 / 60.0 * C[0, 0], rel=1e-12)


def test_frequencies_of_a_sliding_block_converge():
    """Errors against exact plane waves: of coupled mass from above and of high order, of lumped mass of the second."""
    errors = {
        coupled: [np.abs(solid_modes.sliding_block(n, coupled)).max() for n in (2, 3)]
        for coupled in (False, True)
    }
    order = {coupled: np.log(a / b) / np.log(1.5) for coupled, (a, b) in errors.items()}
    assert errors[False][1] < 0.04 and errors[True][1] < 0.02
    assert 1.7 < order[False] < 2.3 and order[True] > 2.3
    assert solid_modes.sliding_block(2, True).min() > 0.0  # Rayleigh: conforming elements are too stiff


def test_absent_mid_edge_nodes():
    N, _, _ = TETRA10.tables((True,) * 4 + (False,) * 6)
    np.testing.assert_allclose(N, TETRA4.functions(TETRA10.points), atol=1e-15)


def test_mass():
    """Quarters lumped, coupled ρV/20 (1 + δ); ten nodes: coupled exact, lumped positive, right totals."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    for shape in (TETRA4, TETRA10):
        xyz, _ = patches.with_middles(shape, corners, np.arange(4)[None])
        block = SolidBlock(shape, [1], np.arange(len(xyz))[None], xyz[None], C[None], [6.0])
        lumped, coupled = (block.mass(slice(0, 1), kind)[0] for kind in (False, True))
        assert lumped[::3, ::3].sum() == pytest.approx(1.0, rel=1e-13)
        assert coupled[::3, ::3].sum() == pytest.approx(1.0, rel=1e-13)
        assert np.diag(lumped).min() > 0
        if shape is TETRA4:
            np.testing.assert_allclose(np.diag(lumped), 0.25)
            np.testing.assert_allclose(coupled[::3, ::3], (np.ones((4, 4)) + np.eye(4)) / 20, rtol=1e-13)
        else:
            # ∫N² of a corner function is V/70 (Zienkiewicz), of a mid-edge function 8V/105
            np.testing.assert_allclose(np.diag(coupled)[::3], [1 / 70] * 4 + [8 / 105] * 6, rtol=1e-12)


def test_a_massless_element_does_not_hide_the_others():
    """Assembly asks for the first row to see whether a block has mass at all."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    xyz, moduli = np.repeat(corners[None], 2, 0), np.repeat(C[None], 2, 0)
    block = SolidBlock(TETRA4, [1, 2], np.array([[0, 1, 2, 3]] * 2), xyz, moduli, [0.0, 6.0])
    assert block.mass(slice(0, 1), False) is not None
    block = SolidBlock(TETRA4, [1, 2], np.array([[0, 1, 2, 3]] * 2), xyz, moduli, [0.0, 0.0])
    assert block.mass(slice(0, 1), False) is None
