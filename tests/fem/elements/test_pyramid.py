"""CPYRAM: patch tests, rank, functions and mass."""

import numpy as np
import pytest
from solid_patches import (
    isotropic,
    orthotropic,
    patch_error,
    pyramid_patch,
    rigid_motions,
    with_middles,
    zero_energy,
)

from interstage.fem.elements.pyramid import PYRAM5, PYRAM13
from interstage.fem.elements.solid_common import SolidBlock, element_axes, shape_stiffness

pytestmark = pytest.mark.kernels
C = isotropic(1e6, 0.25)
PYRAMID = np.array([[0, 0, 0], [1, 0.1, 0], [1.1, 0.9, 0], [0, 1, 0.1], [0.4, 0.6, 0.9]])


def _stiffness(shape):
    return lambda xyz, C: shape_stiffness(shape, (True,) * shape.n_nodes, xyz, C)


@pytest.mark.parametrize("shape", [PYRAM5, PYRAM13], ids=["5", "13"])
@pytest.mark.parametrize("moduli", [C, orthotropic()], ids=["isotropic", "anisotropic"])
def test_patch(shape, moduli):
    xyz, nodes = with_middles(shape, *pyramid_patch())
    assert patch_error(xyz, nodes, _stiffness(shape), moduli) < 1e-11


@pytest.mark.parametrize("shape", [PYRAM5, PYRAM13], ids=["5", "13"])
def test_six_zero_eigenvalues(shape):
    xyz, _ = with_middles(shape, PYRAMID, np.arange(5)[None])
    K = _stiffness(shape)(xyz[None], C[None])[0]
    zero, seventh = zero_energy(K)
    assert zero < 1e-13
    assert seventh > 1e-4
    assert np.abs(K @ rigid_motions(xyz)).max() < 1e-12 * np.abs(K).max()


@pytest.mark.parametrize("shape", [PYRAM5, PYRAM13], ids=["5", "13"])
def test_functions_are_nodal_and_complete(shape):
    """Functions are one at their node and zero at the others; thirteen of them hold all quadratics."""
    nodes = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, 1.0]])
    collapsed = nodes.copy()
    if shape.edges:
        # the collapsed coordinates of a lateral mid-edge node are those of its base corner at half height
        middle = [(nodes[a] + nodes[b]) / 2 if b != 4 else [*nodes[a][:2], 0.5] for a, b in shape.edges]
        collapsed = np.concatenate([nodes, middle])
        nodes = np.concatenate([nodes, [(nodes[a] + nodes[b]) / 2 for a, b in shape.edges]])
    np.testing.assert_allclose(shape.functions(collapsed), np.eye(shape.n_nodes), atol=1e-15)
    points = np.random.default_rng(0).uniform([-1, -1, 0], [1, 1, 0.99], (50, 3))
    real = points * np.column_stack([1 - points[:, 2], 1 - points[:, 2], np.ones(50)])
    N = shape.functions(points)
    terms = [lambda p: p[:, 0], lambda p: p[:, 2]]
    if shape.edges:
        terms += [
            lambda p: p[:, 0] ** 2,
            lambda p: p[:, 0] * p[:, 1],
            lambda p: p[:, 1] * p[:, 2],
            lambda p: p[:, 2] ** 2,
        ]
    for term in terms:
        np.testing.assert_allclose(N @ term(nodes), term(real), atol=1e-14)


@pytest.mark.parametrize("shape", [PYRAM5, PYRAM13], ids=["5", "13"])
def test_volume_mass_and_axes(shape):
    nodes = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, 3.0]])
    xyz, _ = with_middles(shape, nodes, np.arange(5)[None])
    block = SolidBlock(shape, [1], np.arange(len(xyz))[None], xyz[None], C[None], [2.0])
    assert block.volumes()[0] == pytest.approx(4.0)
    for coupled in (False, True):
        M = block.mass(slice(0, 1), coupled)[0]
        assert M[::3, ::3].sum() == pytest.approx(8.0, rel=1e-12)
        assert np.linalg.eigvalsh(M).min() > 0
    np.testing.assert_allclose(element_axes(shape, xyz[None])[0], np.eye(3), atol=1e-12)
