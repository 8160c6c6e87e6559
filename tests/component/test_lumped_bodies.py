"""Lumped bodies given as arrays: taken out of a mass matrix and put back."""

import numpy as np
import pytest
import scipy.sparse as sp
from component_models import bent, lumped_block

from interstage.component import ChildBody, Component
from interstage.component.from_matrices import lumped_aset, lumped_matrix, mass_block, remove_lumped
from interstage.errors import InputError

INERTIA = np.diag([0.05, 0.08, 0.06]) + 0.01


def body(nodes, **changes):
    values = {"name": "tank", "mass": 0.7, "com": np.array([0.1, -0.2, 0.3]), "inertia": INERTIA, "grid": 60}
    return ChildBody(**(values | {"position": nodes[60]} | changes))


def test_block_is_that_of_a_rigid_body():
    offset = np.array([0.3, 0.1, -0.2])
    assert np.allclose(mass_block(2.0, offset, INERTIA), lumped_block(2.0, offset, INERTIA), atol=1e-15)


def test_removed_mass_leaves_the_bare_structure():
    """A component without its lumped body is the component that never had it; the child is in component axes."""
    K, M, nodes = bent(lumped=True)
    loaded = M.copy()
    loaded[30:36, 30:36] += lumped_block(0.7, np.array([0.1, -0.2, 0.3]), INERTIA)
    R = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    options = {"n_modes": 6, "aset": {10: 123456}, "axes": R, "reference": 20}
    bare = Component.from_matrices(K, M, nodes, **options)
    apart = Component.from_matrices(K, loaded, nodes, lumped=[body(nodes)], **options)
    assert np.allclose(apart.frequencies_hz, bare.frequencies_hz, rtol=1e-11)
    assert apart.mass == pytest.approx(bare.mass, rel=1e-13)
    (child,) = apart.child_bodies
    assert np.allclose(child.com, R.T @ [0.1, -0.2, 0.3])
    assert np.allclose(child.inertia, R.T @ INERTIA @ R)
    assert np.allclose(child.position, apart.node_positions[apart.node_row(60)])
    rest = remove_lumped(loaded, [body(nodes)], np.array(list(nodes)))
    assert abs(rest - sp.csr_matrix(M)).max() < 1e-14
    assert lumped_matrix([], np.array(list(nodes))).nnz == 0


def test_interface_of_lumped_bodies():
    K, M, nodes = bent(lumped=True)
    M[30:36, 30:36] += lumped_block(0.7, np.array([0.1, -0.2, 0.3]), INERTIA)
    c = Component.from_matrices(
        K, M, nodes, n_modes=4, aset={10: 123456}, lumped=[body(nodes)], add_lumped_to_aset=True
    )
    assert c.aset == {10: 123456, 60: 123456}
    two = [body(nodes, parent_grids=np.array([50, 60]), components=123), body(nodes, components=56)]
    assert lumped_aset(two) == {50: 123, 60: 12356}


def test_too_heavy_or_misplaced():
    K, M, nodes = bent(lumped=True)
    with pytest.raises(InputError, match="weigh more"):
        Component.from_matrices(K, M, nodes, n_modes=4, lumped=[body(nodes, mass=50.0)])
    with pytest.raises(InputError, match="not in the model"):
        Component.from_matrices(K, M, nodes, n_modes=4, lumped=[body(nodes, grid=61)])
