"""Mass properties from mass matrices, against point-mass sums and a real Nastran run's conventions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from interstage.errors import InputError
from interstage.fem.gpwg import grid_point_weight, rigid_body_matrix
from interstage.fem.grids import Grids


def random_rotations(rng, n: int) -> np.ndarray:
    Q, _ = np.linalg.qr(rng.standard_normal((n, 3, 3)))
    return Q * np.sign(np.linalg.det(Q))[:, None, None]


def points_with_mass(seed: int = 5, n: int = 7):
    rng = np.random.default_rng(seed)
    grids = Grids(np.arange(1, n + 1), rng.standard_normal((n, 3)), random_rotations(rng, n), spoint=[99])
    mass = rng.random(n) + 0.5
    M = sp.csr_array(sp.block_diag([np.diag([m] * 3 + [0.0] * 3) for m in mass] + [np.zeros((1, 1))]))
    return grids, mass, M


def tensor(mass, r) -> np.ndarray:
    return sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(mass, r))


def test_point_masses_in_any_axes():
    grids, mass, M = points_with_mass()
    found = grid_point_weight(M, grids)
    cg = mass @ grids.xyz / mass.sum()
    assert np.isclose(found.mass, mass.sum(), rtol=1e-13)
    assert np.allclose(found.mass_xyz, mass.sum(), rtol=1e-13)
    assert np.allclose(found.cg, cg, atol=1e-13)
    about = tensor(mass, grids.xyz - cg)
    assert np.allclose(found.inertia_about_cg, about, atol=1e-12)
    assert np.allclose(found.inertia_about_reference, tensor(mass, grids.xyz), atol=1e-12)
    # NASTRAN prints products with the other sign
    assert np.allclose(found.IS, 2 * np.diag(np.diag(about)) - about, atol=1e-12)
    assert np.allclose(
        found.principal_axes.T @ about @ found.principal_axes, np.diag(found.principal), atol=1e-12
    )
    assert np.allclose(found.cg_xyz[0, 1:], cg[1:]) and np.allclose(found.cg_xyz[1, [0, 2]], cg[[0, 2]])
    assert np.allclose(np.diag(found.cg_xyz), 0.0, atol=1e-12)


@pytest.mark.parametrize("reference", [3, [1.0, -2.0, 0.5]])
def test_reference_point_changes_m0_only(reference):
    grids, mass, M = points_with_mass()
    base, moved = grid_point_weight(M, grids), grid_point_weight(M, grids, reference=reference)
    point = grids.xyz[2] if reference == 3 else np.array(reference)
    assert np.allclose(moved.reference, point)
    assert np.allclose(moved.cg, base.cg) and np.allclose(moved.inertia_about_cg, base.inertia_about_cg)
    assert np.allclose(moved.inertia_about_reference, tensor(mass, grids.xyz - point), atol=1e-12)
    assert np.allclose(moved.cg_xyz[0, 1:], (base.cg - point)[1:])


def test_directional_masses_have_their_own_centres():
    # a mass that acts along x at one grid and along y, z at another
    grids = Grids([1, 2], [[0.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
    M = sp.csr_array(sp.diags_array([5.0, 0, 0, 0, 0, 0, 0, 4.0, 4.0, 0, 0, 0]))
    found = grid_point_weight(M, grids)
    assert np.allclose(found.mass_xyz, [5.0, 4.0, 4.0])
    assert np.allclose(found.cg_xyz, [[0.0, 2.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
    assert "mass by axis" in str(found)


def test_coupled_directional_mass_turns_the_axes():
    grids = Grids([1], [[0.0, 0.0, 0.0]])
    n = np.array([1.0, 1.0, 0.0]) / np.sqrt(2.0)
    M = np.zeros((6, 6))
    M[:3, :3] = np.eye(3) + 2.0 * np.outer(n, n)
    found = grid_point_weight(sp.csr_array(M), grids)
    assert np.allclose(np.sort(found.mass_xyz), [1.0, 1.0, 3.0])
    assert np.allclose(found.S.T @ M[:3, :3] @ found.S, np.diag(found.mass_xyz))


def test_rigid_body_matrix_is_a_rigid_motion():
    grids, _, _ = points_with_mass()
    S = rigid_body_matrix(grids, [0.0, 0.0, 0.0]).toarray()
    theta = np.array([0.1, -0.2, 0.3])
    u = S @ np.concatenate([[1.0, 2.0, 3.0], theta])
    for row, at in enumerate(grids.dof):
        basic = grids.R_basic_cd[row] @ u[at : at + 3]
        assert np.allclose(basic, [1.0, 2.0, 3.0] + np.cross(theta, grids.xyz[row]))
    assert not S[grids.spoint_dof].any()


def test_printed_form_and_missing_reference():
    grids, _, M = points_with_mass()
    text = str(grid_point_weight(M, grids))
    assert text.startswith("mass ") and "centre of gravity" in text and len(text.splitlines()) == 6
    with pytest.raises(InputError, match="reference grid"):
        grid_point_weight(M, grids, reference=1234)


def test_a_ring_is_shown_without_rounding():
    """Masses around a circle have their centre on its axis; sums of cosines leave 1e-16 beside it."""
    angle = 2.0 * np.pi * np.arange(12) / 12
    grids = Grids(np.arange(1, 13), np.stack([np.cos(angle), np.sin(angle), 0.3 * np.ones(12)], axis=1))
    found = grid_point_weight(sp.csr_array(sp.diags_array(np.tile([2.0, 2.0, 2.0, 0, 0, 0], 12))), grids)
    assert (np.abs(found.cg[:2]) > 0.0).any()  # the numbers stay as they are
    centre, *rows = (line[19:].split() for line in str(found).splitlines()[1:5])
    zero = "0.000000e+00"
    assert centre == [zero, zero, "3.000000e-01"]
    assert rows == [["1.200000e+01", zero, zero], [zero, "1.200000e+01", zero], [zero, zero, "2.400000e+01"]]
