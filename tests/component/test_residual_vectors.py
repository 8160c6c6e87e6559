"""Residual vectors: static response under their loads is that of the whole model."""

import numpy as np
import pytest
import scipy.linalg as la
from component_models import bent, straight

from interstage.component import Component
from interstage.component.component_modes import craig_bampton, free_modes
from interstage.linalg.refine import load_columns, residual_vectors


def modal_static(c, node, component, held):
    """Static deflection at a loaded node component of a body held at `held`, in modal coordinates."""
    n = c.n_modes
    j, a = c.node_row(node), c.node_row(held)

    def rows(k):
        l = c.node_positions[k]
        lx = np.array([[0, -l[2], l[1]], [l[2], 0, -l[0]], [-l[1], l[0], 0]])
        return np.block([[-lx, np.eye(3), c.gamma[k]], [np.eye(3), np.zeros((3, 3)), c.lam[k]]])

    K = np.zeros((n + 6, n + 6))
    K[6:, 6:] = np.diag((2 * np.pi * c.frequencies_hz) ** 2)
    scale = np.concatenate([np.ones(6), 1 / (2 * np.pi * c.frequencies_hz)])
    Z = scale[:, None] * la.null_space(rows(a) * scale)
    load = rows(j)[component - 1] @ Z
    return load @ la.solve(Z.T @ K @ Z, load, assume_a="pos")


def test_cantilever_with_tip_force():
    """10 modes and 7 residual vectors are exact at the tip; 17 modes are not; both are near the truth."""
    K, M, nodes = straight(n_elements=20)
    tip = 210
    exact = np.linalg.inv(K[6:, 6:])
    plain = Component.from_matrices(K, M, nodes, n_modes=17, aset={10: 123456})
    loads = {tip: 123456, 110: 2}
    rich = Component.from_matrices(K, M, nodes, n_modes=10, aset={10: 123456}, rvdof=loads)
    assert plain.n_modes == rich.n_modes == 17
    assert rich.residual_vector.sum() == 7
    for component in (1, 2, 3, 4, 5, 6):
        want = exact[120 - 6 + component - 1, 120 - 6 + component - 1]
        with_residuals = modal_static(rich, tip, component, 10)
        assert with_residuals == pytest.approx(want, rel=1e-10)
        without = modal_static(plain, tip, component, 10)
        assert abs(without - want) > 1e3 * abs(with_residuals - want)


@pytest.mark.parametrize("lumped", [True, False])
def test_free_body_with_inertia_relief(lumped):
    """A free body under a balanced load: modes and residual vectors give K^+ (P - M a) exactly."""
    K, M, _nodes = bent(lumped=lumped)
    P = load_columns(len(K), np.array([6 * 4 + 1, 6 * 6 + 2]))
    basis = free_modes(K, M, 4, loads=P)
    assert basis.residual.sum() == 2
    w2 = (2 * np.pi * basis.frequencies_hz) ** 2
    assert np.allclose(basis.shapes.T @ M @ basis.shapes, np.eye(6), atol=1e-10)
    stiffness = basis.shapes.T @ K @ basis.shapes
    assert np.abs(stiffness - np.diag(w2)).max() < 1e-9 * w2.max()
    values, X = la.eigh(K, M)
    flexible = X[:, 6:] @ np.diag(1 / values[6:]) @ X[:, 6:].T
    reduced = basis.shapes @ np.diag(1 / w2) @ basis.shapes.T
    want, got = P.T @ flexible @ P, P.T @ reduced @ P
    assert np.abs(got - want).max() < 1e-10 * np.abs(want).max()


def test_dependent_loads_are_dropped_with_a_word():
    K, M, _ = bent(lumped=False)
    f = np.arange(6, len(K))
    K, M = K[np.ix_(f, f)], M[np.ix_(f, f)]
    _values, X = la.eigh(K, M)
    one = load_columns(len(K), np.array([20]))
    P = np.hstack([one, 2 * one, M @ X[:, :1]])
    R, hz, notes = residual_vectors(K, M, X[:, :3], P)
    assert R.shape[1] == len(hz) == 1
    assert any("linearly dependent" in note for note in notes)
    assert any("already" in note for note in notes)


def test_massless_load_is_dropped_with_a_word():
    """A torque on a rotation without mass adds no mode; the record says so."""
    K, M, nodes = straight(n_elements=4, rho_J=0.0)
    c = Component.from_matrices(K, M, nodes, n_modes=3, aset={10: 12356}, spc={10: 4}, rvdof={50: 4})
    assert not c.residual_vector.any()
    assert any("move no mass" in note for note in c.notes)


def test_residuals_are_orthonormal_in_the_reduction():
    K, M, _ = bent(lumped=False)
    loads = load_columns(len(K), np.array([26, 33]))
    cb = craig_bampton(K, M, np.arange(6), 5, loads=loads)
    Phi = cb.Phi_oq
    assert cb.n_residual == 2
    M_oo, K_oo = M[6:, 6:], K[6:, 6:]
    assert np.allclose(Phi.T @ M_oo @ Phi, np.eye(7), atol=1e-11)
    want = (2 * np.pi * cb.frequencies_hz) ** 2
    assert np.abs(Phi.T @ K_oo @ Phi - np.diag(want)).max() < 1e-11 * want.max()


def test_inertia_relief_loads():
    """Unit rigid accelerations as loads make the held body exact under its own weight."""
    K, M, nodes = bent(lumped=False)
    c = Component.from_matrices(K, M, nodes, n_modes=3, aset={10: 123456}, inertia_relief=True)
    assert c.residual_vector.sum() == 6
    cb = c.craig_bampton
    # sag under gravity along z: interface held, u = K_oo^-1 M_oo g; compliance of the load in the basis
    g = np.tile([0, 0, 1.0, 0, 0, 0], len(nodes))
    load = (M @ g)[6:]
    want = load @ np.linalg.solve(K[6:, 6:], load)
    reduced = craig_bampton(K, M, np.arange(6), 3, loads=np.array([M @ g]).T)
    p = reduced.Phi_oq.T @ load
    assert p @ (p / (2 * np.pi * reduced.frequencies_hz) ** 2) == pytest.approx(want, rel=1e-10)
    assert len(cb.frequencies_hz) == 9


@pytest.mark.parametrize("lumped", [True, False])
def test_a_free_body_has_no_residuals_of_its_own_acceleration(lumped):
    """M times a rigid motion is balanced to nothing: what a solution makes of it is rounding, and no vector."""
    K, M, nodes = bent(lumped=lumped)
    plain = Component.from_matrices(K, M, nodes, n_modes=6, rvdof={60: 13})
    asked = Component.from_matrices(K, M, nodes, n_modes=6, rvdof={60: 13}, inertia_relief=True)
    np.testing.assert_allclose(asked.frequencies_hz, plain.frequencies_hz, rtol=1e-9)
    assert any("6 residual loads dropped: they move the free body" in note for note in asked.notes)


def test_loads_on_the_interface_are_dropped_as_such():
    """A body that is held is not said to be free."""
    K, M, nodes = bent()
    c = Component.from_matrices(K, M, nodes, n_modes=3, aset={10: 123456}, rvdof={10: 13})
    assert c.residual_vector.sum() == 0
    assert any("residual vectors dropped" in note for note in c.notes)
    assert not any("free body" in note for note in c.notes)
