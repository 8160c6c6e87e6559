"""Recovered forces and geometric stiffness of every shell family: constant fields, energy, finite differences."""

import numpy as np
import pytest
import shell_patches as patches

from interstage.fem.elements.quad4 import Quad4Block
from interstage.fem.elements.quad8 import Quad8Block
from interstage.fem.elements.quadr import QuadRBlock, TriaRBlock
from interstage.fem.elements.shell_curved import CurvedShellBlock
from interstage.fem.elements.tria3 import Tria3Block
from interstage.fem.elements.tria6 import Tria6Block

pytestmark = pytest.mark.kernels

ALL = slice(None)
FAMILIES = [Quad4Block, Tria3Block, QuadRBlock, TriaRBlock, Quad8Block, Tria6Block]
E, NU, T = 1e6, 0.25, 0.003
RIGIDITY = E * T**3 / 12 / (1 - NU**2)


def patch(family, **options):
    """Blocks of MacNeal and Harder's patch in a turned position, with what turns it: block, positions, R."""
    x = np.column_stack([patches.PATCH_XY, np.zeros(8)])
    cells = patches.PATCH_QUADS if family.corners == 4 else patches.triangles(patches.PATCH_QUADS)
    if issubclass(family, CurvedShellBlock):
        x, cells = patches.with_midsides(x, cells)
    R = patches.rotation()
    n = len(cells)
    options = {key: np.full(n, value) for key, value in options.items()}
    sections = patches.isotropic(E=E, nu=NU, t=T)
    return family("S", np.arange(n), cells, x @ R.T, sections, np.zeros(n, int), **options), x, R


def results(block, x, R, field):
    """Results (n, places, 8) of a field of motions that the nodes follow exactly."""
    u = field(x)
    u = np.concatenate([u[:, :3] @ R.T, u[:, 3:] @ R.T], axis=1)
    out = np.einsum("nrm,nm->nr", block.recovery(ALL), u[block.nodes].reshape(len(block), -1))
    return out.reshape(len(block), -1, 8)


def in_patch_axes(block, R, values):
    """Plane tensors (n, places, 3) from element axes to those of the patch."""
    axes = block.element_axes(ALL)[:, :2] @ R[:, :2]
    matrix = values[:, :, [0, 2, 2, 1]].reshape(*values.shape[:2], 2, 2)
    turned = np.einsum("nia,npij,njb->npab", axes, matrix, axes)
    return np.stack([turned[:, :, 0, 0], turned[:, :, 1, 1], turned[:, :, 0, 1]], axis=2)


@pytest.mark.parametrize("family", FAMILIES)
def test_constant_strain_gives_constant_membrane_forces(family):
    block, x, R = patch(family)
    found = results(block, x, R, patches.linear_field)
    strain = 1e-3 * np.array([1.0, 1.0, 0.5 + 0.9])
    N = E * T / (1 - NU**2) * np.array([1 + NU, 1 + NU, (1 - NU) / 2]) * strain
    wanted = np.broadcast_to(N, found[:, :, :3].shape)
    np.testing.assert_allclose(in_patch_axes(block, R, found[:, :, :3]), wanted, rtol=1e-9)
    assert np.abs(found[:, :, 3:6]).max() < 1e-9 * N[0] * T


@pytest.mark.parametrize("family", FAMILIES)
def test_constant_curvature_gives_constant_moments(family):
    """w = (x² + xy + y²)/2 in thousandths: M = D (1 + ν) and D (1 − ν)/2, positive for compression above."""
    block, x, R = patch(family)
    found = results(block, x, R, patches.curvature_field)
    wanted = 1e-3 * RIGIDITY * np.array([1 + NU, 1 + NU, (1 - NU) / 2])
    moments = in_patch_axes(block, R, found[:, :, 3:6])
    np.testing.assert_allclose(moments, np.broadcast_to(wanted, moments.shape), rtol=1e-6)
    # transverse shear vanishes beside M over the size of an element
    assert np.abs(found[:, :, 6:]).max() < 1e-4 * wanted[0] / 0.06


@pytest.mark.parametrize("family", [QuadRBlock, TriaRBlock, Quad8Block, Tria6Block])
def test_rigid_motion_gives_no_forces(family):
    block, x, R = patch(family, offset=0.01)
    moved = patches.rigid_motions(x @ R.T).reshape(-1, 6, 6)
    out = block.recovery(ALL) @ moved[block.nodes].reshape(len(block), -1, 6)
    assert np.abs(out).max() < 1e-9 * np.abs(block.recovery(ALL)).max() * np.abs(moved).max()


def preload(block, N):
    """Results (n, 8·places) with membrane forces N in the x axis of each element's own frame."""
    out = np.zeros((len(block), block.places, 8))
    out[:, :, :3] = N
    return out.reshape(len(block), -1)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("offset", [0.0, 0.02])
def test_full_geometric_stiffness_turns_forces_with_the_structure(family, offset):
    """Kg times a small rigid turn is the change of nodal forces that turn with it."""
    block, _, _ = patch(family, offset=offset)
    state = preload(block, [3.0, -1.0, 0.5])
    K = block.geometric_stiffness(ALL, state, True)
    np.testing.assert_allclose(K, K.transpose(0, 2, 1), atol=1e-12 * np.abs(K).max())
    n, k = block.nodes.shape
    place, arm = block.positions(ALL), block.arms(ALL)
    force = np.einsum("naibj,nbj->nai", K.reshape(n, k, 6, k, 6)[:, :, :3, :, :3], place + arm)
    moment = np.cross(arm, force)
    for axis in np.eye(3):
        turn = np.zeros((n, k, 6))
        turn[:, :, :3], turn[:, :, 3:] = np.cross(axis, place), axis
        got = (K @ turn.reshape(n, -1, 1)).reshape(turn.shape)
        np.testing.assert_allclose(got[:, :, :3], np.cross(axis, force), atol=1e-10 * np.abs(force).max())
        # moments of arms are semi-tangential: a symmetric stiffness has half of their turn
        half = 0.5 * np.cross(axis, moment)
        np.testing.assert_allclose(got[:, :, 3:], half, atol=1e-10 * np.abs(force).max() * 0.02)


@pytest.mark.parametrize("family", FAMILIES)
def test_geometric_stiffness_is_that_of_the_stretched_surface(family):
    """½ uᵀ Kg u = ∫ N_ab ½ u_i,a u_i,b dA for a linear field of displacements: closed form over the patch."""
    block, x, R = patch(family)
    N = np.array([3.0, -1.0, 0.5])
    gradient = np.random.default_rng(4).normal(size=(3, 2))
    u = np.zeros((len(x), 6))
    u[:, :3] = x[:, :2] @ gradient.T
    u[:, :3] = u[:, :3] @ R.T
    motion = u[block.nodes].reshape(len(block), -1)
    # forces that are the same in the axes of the patch, turned to each element
    axes = block.element_axes(ALL)[:, :2] @ R[:, :2]
    tensor = np.array([[N[0], N[2]], [N[2], N[1]]])
    turned = np.einsum("nia,ab,njb->nij", axes, tensor, axes)
    state = np.zeros((len(block), block.places, 8))
    state[:, :, :3] = np.stack([turned[:, 0, 0], turned[:, 1, 1], turned[:, 0, 1]], axis=1)[:, None]
    K = block.geometric_stiffness(ALL, state.reshape(len(block), -1), True)
    energy = 0.5 * np.einsum("ni,nij,nj->", motion, K, motion)
    wanted = 0.5 * 0.24 * 0.12 * np.einsum("ia,ab,ib->", gradient, tensor, gradient)
    assert energy == pytest.approx(wanted, rel=1e-12)
