"""Modal integrals against brute-force sums, the kinetic energy of the whole velocity field, and
invariances.
"""

from dataclasses import replace

import numpy as np
import pytest
from component_models import bent, lumped_block

from interstage.component import Component
from interstage.component import integrals as mi
from interstage.errors import InputError

OFFSET = np.array([0.2, -0.15, 0.3])
INERTIA = np.diag([0.05, 0.08, 0.06]) + 0.01


def cross(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


@pytest.fixture(scope="module")
def body():
    """A bent lumped frame with an offset lumped mass on node 60, rotary integrals included."""
    K, M, nodes = bent(lumped=True)
    at = slice(30, 36)
    M[at, at] += lumped_block(0.7, OFFSET, INERTIA)
    c = Component.from_matrices(K, M, nodes, n_modes=9, spc={10: 123456}, rotary_integrals=True)
    return c, M


def points_of(c, M):
    """Mass, place and shapes of every point mass, one by one."""
    for j in range(c.n_nodes):
        block = M[6 * j : 6 * j + 6, 6 * j : 6 * j + 6]
        m = block[0, 0]
        o = np.array([block[1, 5], block[2, 3], block[0, 4]]) / m
        g = c.gamma[j] + np.array([np.cross(c.lam[j][:, r], o) for r in range(c.n_modes)]).T
        yield m, c.node_positions[j] + o, g


def test_offset_lumped_mass_is_found_at_its_own_centre(body):
    c, M = body
    found, _ = mi.point_masses(M, c.n_nodes)
    m = M[30, 30]
    assert np.allclose(found.offset[5], 0.7 * OFFSET / m, rtol=1e-14)


def test_brute_force_sums(body):
    """Each integral is a plain sum over point masses, Eq. E.3.1, to 1e-12 of its size."""
    c, M = body
    n = c.n_modes
    J1, J2, F1 = np.zeros((n, 3, 3)), np.zeros((n, n, 3, 3)), np.zeros((n, 3, n))
    S2, first, E = np.zeros((3, 3)), np.zeros(3), np.zeros((3, n))
    for m, l, g in points_of(c, M):
        S2 += m * np.outer(l, l)
        first += m * l
        E += m * g
        for r in range(n):
            J1[r] -= m * cross(g[:, r]) @ cross(l)
            for s in range(n):
                J2[r, s] -= m * cross(g[:, r]) @ cross(g[:, s])
                F1[r, :, s] += m * np.cross(g[:, r], g[:, s])
    for got, want in ((c.J1, J1), (c.J2, J2), (c.F1, F1), (c.pm_S2, S2), (c.pm_c, first), (c.pm_E, E)):
        assert np.abs(got - want).max() < 1e-12 * np.abs(want).max()
    A = np.array([0.5 * np.trace(p) * np.eye(3) - p for p in c.J1])
    want = sum(m * l[None, :, None] * g.T[:, None, :] for m, l, g in points_of(c, M))
    assert np.allclose(A, want, atol=1e-12)
    assert np.allclose(c.J2, c.J2.transpose(1, 0, 3, 2), atol=1e-15)


def mass_matrix(c, eta):
    """M(eta) = M0 + M1 + M2 of the record, order [w; v; etadot]."""
    J = c.inertia + np.einsum("rab,r->ab", c.J1 + c.J1.transpose(0, 2, 1), eta)
    J = J + np.einsum("rsab,r,s->ab", c.J2, eta, eta)
    mp = cross(c.mass * c.com + c.E @ eta)
    F = c.F0 + np.einsum("ras,r->as", c.F1, eta)
    return np.block([[J, mp, F], [-mp, c.mass * np.eye(3), c.E], [F.T, c.E.T, c.G0]])


@pytest.mark.parametrize("seed", range(5))
def test_kinetic_energy_of_the_whole_field(body, seed):
    """T = 1/2 u'M(eta)u equals the sum over nodes: points at deformed places, rotary inertia as in the
    matrix.
    """
    c, M = body
    rng = np.random.default_rng(seed)
    eta, rate = rng.normal(size=c.n_modes), rng.normal(size=c.n_modes)
    w, v = rng.normal(size=3), rng.normal(size=3)
    T = 0.0
    for j, (m, l, g) in enumerate(points_of(c, M)):
        u = v + np.cross(w, l + g @ eta) + g @ rate
        T += 0.5 * m * u @ u
        block = M[6 * j : 6 * j + 6, 6 * j : 6 * j + 6]
        o = np.array([block[1, 5], block[2, 3], block[0, 4]]) / m
        J_own = block[3:, 3:] + m * cross(o) @ cross(o)
        wj = w + c.lam[j] @ rate
        T += 0.5 * wj @ J_own @ wj
    u = np.concatenate([w, v, rate])
    assert 0.5 * u @ mass_matrix(c, eta) @ u == pytest.approx(T, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_rotary_nodes(body, seed):
    """With node inertia that turns as I + [lam eta]x, every block of Eq. E.2.6 holds exactly."""
    c, M = body
    rng = np.random.default_rng(100 + seed)
    n, r_ = c.n_modes, c.rotary
    eta, rate = rng.normal(size=n), rng.normal(size=n)
    w, v = rng.normal(size=3), rng.normal(size=3)
    T = 0.0
    for j in range(c.n_nodes):
        block = M[6 * j : 6 * j + 6, 6 * j : 6 * j + 6]
        m = block[0, 0]
        turn = np.eye(3) + cross(c.lam[j] @ eta)
        p = turn @ (np.array([block[1, 5], block[2, 3], block[0, 4]]) / m)
        J = turn @ block[3:, 3:] @ turn.T
        V = v + np.cross(w, c.node_positions[j] + c.gamma[j] @ eta) + c.gamma[j] @ rate
        W = w + c.lam[j] @ rate
        T += 0.5 * m * V @ V + m * V @ np.cross(W, p) + 0.5 * W @ J @ W
    G = c.G0 + np.einsum("rsl,l->rs", r_["G1"] + r_["G1"].transpose(1, 0, 2), eta)
    G = G + np.einsum("rslm,l,m->rs", r_["G2"], eta, eta)
    F = c.F0 + np.einsum("ras,r->as", r_["F1"], eta) + np.einsum("rlas,r,l->as", r_["F2"], eta, eta)
    E = c.E + np.einsum("ras,r->as", r_["E1"], eta)
    J = c.inertia + np.einsum("rab,r->ab", r_["J1"] + r_["J1"].transpose(0, 2, 1), eta)
    J = J + np.einsum("rsab,r,s->ab", r_["J2"], eta, eta)
    mp = cross(c.mass * c.com + c.E @ eta)
    full = np.block([[J, mp, F], [-mp, c.mass * np.eye(3), E], [F.T, E.T, G]])
    u = np.concatenate([w, v, rate])
    assert 0.5 * u @ full @ u == pytest.approx(T, rel=1e-12)


def test_free_modes_carry_no_momentum():
    """Free-free modes are M-orthogonal to rigid motion: E and F0 vanish, G0 is the identity."""
    K, M, nodes = bent(lumped=False)
    c = Component.from_matrices(K, M, nodes, n_modes=9)
    assert np.abs(c.E).max() < 1e-9
    assert np.abs(c.F0).max() < 1e-9
    assert np.abs(c.G0 - np.eye(c.n_modes)).max() < 1e-12


@pytest.mark.parametrize("lumped", [True, False])
def test_rigid_mode_identities(lumped):
    """A rigid motion put in the place of a mode gives the rigid-body values back."""
    _K, M, nodes = bent(lumped=lumped)
    import scipy.sparse as sp

    xyz = np.array(list(nodes.values()))
    S = mi.rigid_motion(xyz)
    own = mi.ModalIntegrals.of(*mi.mass_products(sp.csr_matrix(M), xyz, S))
    assert np.allclose(own.E[:, 3:], own.mass * np.eye(3), atol=1e-12)
    assert np.allclose(own.F0[:, :3], own.inertia, atol=1e-12)
    assert np.allclose(own.F0[:, 3:], cross(own.first), atol=1e-12)
    assert np.allclose(own.G[:3, :3], own.inertia, atol=1e-12)
    points, _ = mi.point_masses(M, len(xyz))
    p = mi.point_integrals(points, xyz, S.reshape(-1, 6, 6)[:, :3], S.reshape(-1, 6, 6)[:, 3:])
    for r in range(3):  # turning about axis r changes J0 by [e]x J - J [e]x
        e = cross(np.eye(3)[r])
        J = np.trace(p.pm_S2) * np.eye(3) - p.pm_S2
        assert np.allclose(p.J1[r] + p.J1[r].T, e @ J - J @ e, atol=1e-12)


@pytest.mark.parametrize("lumped", [True, False])
def test_change_of_reference(lumped):
    """Moving the reference point by d: F0 and J1 follow from E and the first moments; E, J2, F1 stay."""
    K, M, nodes = bent(lumped=lumped)
    d = np.array([0.4, -0.7, 0.25])
    options = {"n_modes": 8, "aset": {10: 123456}}
    a = Component.from_matrices(K, M, nodes, **options)
    b = Component.from_matrices(K, M, nodes, reference=d, **options)
    sign = np.sign(np.einsum("nar,nar->r", a.gamma, b.gamma))
    assert np.allclose(b.E, a.E * sign, atol=1e-11)
    assert np.allclose(b.F0, (a.F0 - cross(d) @ a.E) * sign, atol=1e-11)
    assert np.allclose(b.J2, a.J2 * np.outer(sign, sign)[:, :, None, None], atol=1e-11)
    shift = np.array([cross(a.pm_E[:, r]) @ cross(d) for r in range(a.n_modes)])
    assert np.allclose(b.J1, (a.J1 + shift) * sign[:, None, None], atol=1e-10)
    assert np.allclose(b.pm_c, a.pm_c - a.pm_mass * d, atol=1e-12)
    assert np.allclose(b.com, a.com - d, atol=1e-12)


def test_change_of_axes():
    """Turned axes turn every vector and tensor, and leave frequencies."""
    K, M, nodes = bent(lumped=True)
    R = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    R *= np.linalg.det(R)
    options = {"n_modes": 8, "aset": {10: 123456}}
    a = Component.from_matrices(K, M, nodes, **options)
    b = Component.from_matrices(K, M, nodes, axes=R, **options)
    sign = np.sign(np.einsum("nar,nbr,ab->r", a.gamma, b.gamma, R))
    assert np.allclose(a.frequencies_hz, b.frequencies_hz, rtol=1e-12)
    assert np.allclose(b.inertia, R.T @ a.inertia @ R, atol=1e-12)
    assert np.allclose(b.F0, R.T @ a.F0 * sign, atol=1e-11)
    assert np.allclose(b.J1, R.T @ (a.J1 * sign[:, None, None]) @ R, atol=1e-11)
    assert np.allclose(b.F1, np.einsum("ba,rbs->ras", R, a.F1) * sign[:, None, None] * sign, atol=1e-11)


def test_blocks_do_not_matter(body, monkeypatch):
    """The sums over blocks of two nodes are those over one block."""
    c, M = body
    monkeypatch.setattr(mi, "BLOCK", 2)
    points, _ = mi.point_masses(M, c.n_nodes)
    p = mi.point_integrals(points, c.node_positions, c.gamma, c.lam)
    assert np.allclose(p.J2, c.J2, atol=1e-14)
    assert np.allclose(p.J1, c.J1, atol=1e-14)


def test_rotary_needs_lumped_mass():
    K, M, nodes = bent(lumped=False)
    with pytest.raises(InputError, match="lumped mass matrix"):
        Component.from_matrices(K, M, nodes, n_modes=3, rotary_integrals=True)


def test_coupled_mass_keeps_mass_and_first_moment():
    K, M, nodes = bent(lumped=False)
    c = Component.from_matrices(K, M, nodes, n_modes=4)
    assert c.pm_mass == pytest.approx(c.mass, rel=1e-13)
    assert np.allclose(c.pm_c, c.mass * c.com, rtol=1e-12)


def test_point_masses_where_row_sums_are_negative():
    """Consistent mass of a 10-node tetrahedron, ρV/420 times whole numbers: corners sum to -ρV/20 each.

    Its scaled diagonal (Hinton, Rock and Zienkiewicz 1976) has 1/36 of the mass at each corner, 4/27 at each middle.
    """
    middles = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)]
    W = np.zeros((10, 10))
    for i in range(4):
        W[i, :4] = [6.0 if j == i else 1.0 for j in range(4)]
        for k, ends in enumerate(middles, start=4):
            W[i, k] = W[k, i] = -4.0 if i in ends else -6.0
    for k, a in enumerate(middles, start=4):
        for l, b in enumerate(middles, start=4):
            W[k, l] = {2: 32.0, 1: 16.0, 0: 8.0}[len(set(a) & set(b))]
    mass = 3.0
    W *= mass / 420.0
    np.testing.assert_allclose(W[:4].sum(axis=1), -mass / 20.0, rtol=1e-12)
    M = np.zeros((60, 60))
    for c in range(3):
        M[c::6, c::6] = W
    points, notes = mi.point_masses(M, 10)
    assert any("negative" in note for note in notes)
    np.testing.assert_allclose(points.mass, [mass / 36.0] * 4 + [mass * 4.0 / 27.0] * 6, rtol=1e-12)


def test_point_masses_of_coupled_mass_are_the_mean_of_their_directions():
    """Row sums of a mass that differs by direction, as of what slides along x: 2, 3 and 4 kg at the first node."""
    M = np.zeros((12, 12))
    for axis, (own, shared) in enumerate([(1.5, 0.5), (2.5, 0.5), (3.5, 0.5)]):
        M[axis, axis], M[axis, 6 + axis] = own, shared
        M[6 + axis, 6 + axis], M[6 + axis, axis] = 5.5, shared
    points, notes = mi.point_masses(M, 2)
    np.testing.assert_allclose(points.mass, [3.0, 6.0], rtol=1e-14)
    assert not notes


def parts_of(M, xyz, Pi):
    points, _ = mi.point_masses(M, len(xyz))
    shapes = Pi.reshape(len(xyz), 6, -1)
    own = mi.point_integrals(points, xyz, shapes[:, :3], shapes[:, 3:])
    return mi.ModalIntegrals.of(*mi.mass_products(M, xyz, Pi), Pi.T @ (M @ Pi), own)


def numbers_agree(found, wanted, atol):
    np.testing.assert_allclose(found.pack(), wanted.pack(), rtol=0.0, atol=atol * np.abs(wanted.pack()).max())


@pytest.fixture
def lumped_modes():
    """Return a lumped mass matrix, its nodes, and smooth shapes with rotations that are not those of any mode."""
    import scipy.sparse as sp

    _K, M, nodes = bent(lumped=True)
    xyz = np.array(list(nodes.values()))
    return sp.csr_matrix(M), xyz, np.random.default_rng(7).normal(size=(6 * len(xyz), 4))


def test_integrals_are_linear_in_the_mass(lumped_modes):
    """Parts that share modes: half of the nodes and the other half, twice the mass, the whole less a part."""
    M, xyz, Pi = lumped_modes
    one = M.multiply((np.arange(M.shape[0]) < M.shape[0] // 12 * 6)[:, None]).tocsr()
    whole, half, rest = (parts_of(matrix, xyz, Pi) for matrix in (M, one, (M - one).tocsr()))
    numbers_agree(half + rest, whole, 1e-15)
    numbers_agree(whole - half, rest, 1e-14)
    numbers_agree(2.0 * whole, parts_of(2.0 * M, xyz, Pi), 1e-15)
    assert (whole + whole.zero_order()).A is None


def test_integrals_of_a_change_of_basis(lumped_modes):
    M, xyz, Pi = lumped_modes
    T = np.random.default_rng(8).normal(size=(4, 3))
    numbers_agree(parts_of(M, xyz, Pi).in_basis(T), parts_of(M, xyz, Pi @ T), 1e-14)


def test_integrals_about_a_node_are_those_of_modes_that_vanish_there(lumped_modes):
    """Against the sums over all nodes with the motion of the node taken out of the shapes (`numerics`: 6e-12)."""
    M, xyz, Pi = lumped_modes
    a = 2
    motion = mi.motion_at(xyz[a], Pi[6 * a : 6 * a + 3], Pi[6 * a + 3 : 6 * a + 6])
    moved = Pi - mi.rigid_motion(xyz) @ motion
    assert np.abs(moved[6 * a : 6 * a + 6]).max() < 1e-14
    wanted = parts_of(M, xyz - xyz[a], moved)
    found = parts_of(M, xyz, Pi).about(xyz[a], motion)
    numbers_agree(found, replace(wanted, K=found.K), 1e-13)


def test_integrals_pack_into_one_vector_and_back(lumped_modes):
    whole = parts_of(*lumped_modes)
    again = mi.ModalIntegrals.unpack(whole.pack(), 4)
    for name in mi.SHAPES:
        np.testing.assert_array_equal(getattr(again, name), getattr(whole, name))


def test_effective_mass_is_that_of_the_modes_less_their_rigid_motion(lumped_modes):
    """A free frame takes the rigid part out of every shape: Pi less its M-projection on rigid motions."""
    M, xyz, Pi = lumped_modes
    S = mi.rigid_motion(xyz)
    free = Pi - S @ np.linalg.solve(S.T @ (M @ S), S.T @ (M @ Pi))
    wanted = free.T @ (M @ free)
    np.testing.assert_allclose(parts_of(M, xyz, Pi).effective_mass, wanted, rtol=0, atol=1e-12 * wanted.max())


def test_a_component_shows_its_integrals():
    K, M, nodes = bent(lumped=True)
    c = Component.from_matrices(K, M, nodes, n_modes=5, modal_integrals=True)
    own = c.integrals
    for name, value in own.fields().items():
        np.testing.assert_allclose(value, getattr(c, name), rtol=1e-14, atol=1e-14 * np.abs(value).max())
    assert c.without_integrals().integrals.A is None
