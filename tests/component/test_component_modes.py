"""Free-free, Craig-Bampton and normalized component modes against what they must reproduce."""

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from component_models import bent, clamped_hz, frame, straight

import interstage as ist
from interstage.component import Component
from interstage.component.component_modes import craig_bampton, free_modes, frequency_hz, normalized_modes
from interstage.errors import InputError, ModelError
from interstage.linalg import eigen
from interstage.nastran import deck_from_text


def five_particles():
    """Mass and stiffness of the chain of five particles, NESC report A.3: m = 2, k = 1."""
    K = 2 * np.eye(5) - np.eye(5, k=1) - np.eye(5, k=-1)
    K[0, 0] = K[4, 4] = 1
    return K, 2 * np.eye(5)


def alike(a, b):
    """Largest difference of two sets of shapes up to sign."""
    return np.abs(np.abs(a) - np.abs(b)).max()


def test_five_particles_table_a1():
    """Table A1: orders of magnitude 1e-16, 1e-16, 1e-3..1e-4 (shapes 1e-2..1e-3), 1e-16."""
    K, M = five_particles()
    full, X = la.eigh(K, M)
    fixed, Y = la.eigh(K[1:, 1:], M[1:, 1:])
    for kept in (4, 3):
        cb = craig_bampton(K, M, [0], kept)
        basis = normalized_modes(cb)
        assert len(basis.rigid_hz) == 1
        n = len(basis.frequencies_hz)
        assert n == kept
        df = np.abs(basis.frequencies_hz - frequency_hz(full)[1 : n + 1])
        dx = np.abs(np.abs(basis.shapes) - np.abs(X[:, 1 : n + 1]))
        # held again at particle 1: rigid motion and the modes together, u_1 = 0
        Pi = np.hstack([np.ones((5, 1)), basis.shapes])
        Z = Pi @ la.null_space(Pi[:1])
        k, V = la.eigh(Z.T @ K @ Z, Z.T @ M @ Z)
        held = np.abs(frequency_hz(k) - frequency_hz(fixed)[: len(k)])
        assert held.max() < 1e-15
        assert alike((Z @ V)[1:], Y[:, : len(k)]) < 1e-14
        if kept == 4:
            assert df.max() < 1e-15
            assert dx.max() < 1e-14
        else:
            assert 1e-5 < df.max() < 1e-3
            assert 1e-3 < dx.max() < 1e-1


@pytest.mark.parametrize("lumped", [True, False])
@pytest.mark.parametrize("model", [straight, bent])
@pytest.mark.parametrize("n_modes", [0, 1, 2, 5, 10, 20, 36])
def test_clamped_interface_gives_fixed_base_modes(model, lumped, n_modes):
    """Held at their interface, the normalized modes are the fixed-base modes, however many are kept."""
    K, M, nodes = model(lumped=lumped)
    c = Component.from_matrices(K, M, nodes, n_modes=n_modes, aset={10: 123456})
    assert c.n_modes == n_modes
    got = clamped_hz(c, {10: 123456})
    assert len(got) == n_modes
    if n_modes:
        assert np.abs(got / c.craig_bampton.frequencies_hz - 1).max() < 1e-12
        f = np.arange(6, len(K))
        fixed = frequency_hz(la.eigh(K[np.ix_(f, f)], M[np.ix_(f, f)], eigvals_only=True))[:n_modes]
        # the plain dense solution itself has 16 digits of its highest frequency only
        assert np.abs(got**2 - fixed**2).max() < 1e-13 * fixed[-1] ** 2 + 2e-11 * fixed[0] ** 2


def test_two_interfaces_and_grounded_structure():
    K, M, nodes = bent(lumped=False)
    c = Component.from_matrices(K, M, nodes, n_modes=6, aset={10: 123456, 60: 123})
    assert (c.n_modes, c.n_rigid) == (6 + 9 - 6, 6)
    got = clamped_hz(c, {10: 123456, 60: 123})
    assert np.abs(got / c.craig_bampton.frequencies_hz - 1).max() < 1e-11
    g = Component.from_matrices(K, M, nodes, n_modes=6, aset={60: 123}, spc={10: 123456})
    assert (g.n_modes, g.n_rigid) == (9, 0)


def test_reduced_matrices_are_congruent():
    """The Craig-Bampton matrices are T' A T with T = [I 0; Psi Phi], damping matrices too."""
    K, M, _nodes = bent(lumped=False)
    B = 0.01 * K + np.diag(np.linspace(0, 1, len(K)))
    b = np.r_[30:36, 0:6]
    cb = craig_bampton(K, M, b, 8, B=B, K4=0.03 * K)
    T = cb.expand(np.eye(len(b) + 8))
    for A, reduced in ((K, cb.stiffness), (M, cb.mass), (B, cb.viscous), (0.03 * K, cb.structural)):
        want = T.T @ A @ T
        assert np.abs(want - reduced).max() < 1e-10 * np.abs(want).max()
    assert np.allclose(T[b, : len(b)], np.eye(12))


def test_sparse_and_dense_agree(monkeypatch):
    """The default solver's sparse branch gives the dense branch's frequencies."""
    K, M, nodes = straight(n_elements=40, length=4.0)
    options = {"n_modes": 5, "aset": {10: 123456}, "rvdof": {410: 2}}
    whole = Component.from_matrices(K, M, nodes, **options)
    monkeypatch.setattr(eigen, "DENSE_SIZE", 10)
    sparse = Component.from_matrices(sp.csr_matrix(K), sp.csr_matrix(M), nodes, **options)
    assert np.allclose(sparse.frequencies_hz, whole.frequencies_hz, rtol=1e-8)
    free = Component.from_matrices(sp.csr_matrix(K), sp.csr_matrix(M), nodes, n_modes=4, rvdof={410: 2})
    monkeypatch.undo()
    dense = Component.from_matrices(K, M, nodes, n_modes=4, rvdof={410: 2})
    assert np.allclose(free.frequencies_hz, dense.frequencies_hz, rtol=1e-7)


def test_free_modes_report_what_was_removed():
    K, M, nodes = bent(lumped=True)
    c = Component.from_matrices(K, M, nodes, n_modes=7)
    assert (c.n_modes, c.n_rigid, c.boundary) == (7, 6, "free")
    assert any("6 rigid modes removed" in note for note in c.notes)
    reference = frequency_hz(la.eigh(K, M, eigvals_only=True))[6:13]
    assert np.allclose(c.frequencies_hz, reference, rtol=1e-9)


def test_threshold_rises_above_rounding():
    """A stiff body's rigid modes are rounding noise above 1e-4 Hz; they are still recognized."""
    K, M, nodes = straight(EA=2e13, GJ=3e12, EIy=4e12, EIz=2.5e12)
    c = Component.from_matrices(K, M, nodes, n_modes=4)
    assert c.n_rigid == 6
    assert any("recognized by geometry" in note for note in c.notes)
    d = Component.from_matrices(K, M, nodes, n_modes=4, aset={10: 123456})
    assert d.n_rigid == 6


def test_more_modes_than_there_are():
    K, M, nodes = straight(n_elements=3)
    c = Component.from_matrices(K, M, nodes, n_modes=500)
    assert c.n_modes == 24 - 6
    assert any("500 flexible modes asked" in note for note in c.notes)


def test_truncation_after_normalization_is_refused():
    K, M, nodes = bent(lumped=True)
    c = Component.from_matrices(K, M, nodes, n_modes=5, aset={10: 123456})
    with pytest.raises(ModelError, match="cannot be truncated"):
        c.keep_modes([0, 1])
    n = c.n_modes - 1
    with pytest.raises(ModelError, match="truncated after normalization"):
        c.without_integrals().with_changes(
            gamma=c.gamma[:, :, :n], lam=c.lam[:, :, :n], frequencies_hz=c.frequencies_hz[:n], E=c.E[:, :n],
            F0=c.F0[:, :n], G0=c.G0[:n, :n], pm_E=c.pm_E[:, :n], damping_ratio=c.damping_ratio[:n],
            residual_vector=c.residual_vector[:n],
        )  # fmt: skip
    free = Component.from_matrices(K, M, nodes, n_modes=5).keep_modes(slice(0, 3))
    assert free.n_modes == 3
    assert free.J2.shape == (3, 3, 3, 3)


def test_massless_interface_rotations():
    """Interface rotations without mass have infinite frequencies: a typed error that names them."""
    K, M, nodes = frame([[0, 0, 0], [1, 0, 0]], [(0, 1)], rho_J=0.0)
    with pytest.raises(ModelError, match="without mass"):
        Component.from_matrices(K, M, nodes, n_modes=0, aset={10: 123456, 20: 123456}, massless="error")


def test_massless_interface_rotations_with_a_small_inertia():
    """By default they get a small inertia, far above the other modes, and the note says so; the clamp
    holds.
    """
    K, M, nodes = straight(n_elements=6, rho_J=0.0)
    held = {10: 123456, 70: 123456}
    c = Component.from_matrices(K, M, nodes, n_modes=4, aset=held)
    assert any("without mass" in note for note in c.notes)
    assert c.n_modes == 4 + 12 - 6
    assert np.abs(clamped_hz(c, held) / c.craig_bampton.frequencies_hz - 1).max() < 1e-6
    assert np.abs(c.G0 - np.eye(c.n_modes)).max() < 1e-9


def test_massless_spin_of_a_straight_bar():
    """A straight bar without torsional inertia turns about itself without mass: counted among the rigid
    modes.
    """
    K, M, nodes = straight(n_elements=6, rho_J=0.0)
    c = Component.from_matrices(K, M, nodes, n_modes=6, aset={10: 123456})
    assert (c.n_modes, c.n_rigid) == (6, 6)
    assert [note for note in c.notes if note.startswith("6 rigid modes removed, 1 of them without mass")]
    free = Component.from_matrices(K, M, nodes, n_modes=6)
    grounding = free.check().items[0]
    assert free.n_rigid == 5
    assert (grounding.subject, grounding.verdict) == ("grounding", "note")
    assert "rotation without inertia is no mode" in grounding.found
    assert np.abs(clamped_hz(c, {10: 123456}) / c.craig_bampton.frequencies_hz - 1).max() < 1e-9


def test_floating_interface_is_explained():
    K, M, nodes = bent(lumped=True)
    with pytest.raises(ModelError, match=r"mechanism.*grid 30 component 3"):
        Component.from_matrices(K, M, nodes, n_modes=3, aset={10: 123})


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"aset": {11: 123}}, "not in the model"),
        ({"aset": {10: 1237}}, "components"),
        ({"aset": {10: 11}}, "components"),
        ({"n_modes": -1}, "number of modes"),
        ({"axes": np.ones((3, 3))}, "rotation"),
        ({"reference": 77}, "not in the model"),
        ({"damping": [0.1]}, "damping"),
        ({"damping": "much"}, "damping"),
    ],
)
def test_wrong_arguments(change, word):
    K, M, nodes = bent(lumped=True)
    with pytest.raises(InputError, match=word):
        Component.from_matrices(K, M, nodes, **({"n_modes": 3} | change))


def test_wrong_matrices():
    K, M, nodes = bent(lumped=True)
    with pytest.raises(InputError, match="six dofs a node"):
        Component.from_matrices(K[:6, :6], M, nodes, n_modes=2)
    with pytest.raises(InputError, match="not symmetric"):
        Component.from_matrices(np.triu(K), M, nodes, n_modes=2)


def test_node_order_and_dependent_aset():
    """Nodes may come in any order; an interface component that is held is refused by name."""
    K, M, nodes = bent(lumped=True)
    ids = list(nodes)
    turn = [3, 0, 6, 1, 5, 2, 4]
    dof = (6 * np.array(turn)[:, None] + np.arange(6)).ravel()
    a = Component.from_matrices(K, M, nodes, n_modes=4)
    b = Component.from_matrices(
        K[np.ix_(dof, dof)], M[np.ix_(dof, dof)], {ids[i]: nodes[ids[i]] for i in turn}, n_modes=4
    )
    assert np.array_equal(a.node_ids, b.node_ids)
    assert np.allclose(np.abs(a.gamma), np.abs(b.gamma), atol=1e-9)
    with pytest.raises(ModelError, match="grid 10 component 1"):
        Component.from_matrices(K, M, nodes, n_modes=4, aset={10: 1}, spc={10: 123456})
    assert a.node_row(30) == 2
    with pytest.raises(InputError, match="node 31"):
        a.node_row(31)


def test_damping_forms():
    """Scalar, per mode, table; matrices give the same ratios as the formula of a proportional damping."""
    K, M, nodes = bent(lumped=True)
    a = Component.from_matrices(K, M, nodes, n_modes=4, damping=0.02)
    assert np.allclose(a.damping_ratio, 0.02)
    b = Component.from_matrices(K, M, nodes, n_modes=4, damping=[0.01, 0.02, 0.03, 0.04])
    assert np.allclose(b.damping_ratio, [0.01, 0.02, 0.03, 0.04])
    f = a.frequencies_hz
    t = Component.from_matrices(K, M, nodes, n_modes=4, damping=[(0.0, 0.01), (f[3], 0.05)])
    assert np.allclose(t.damping_ratio, 0.01 + 0.04 * f / f[3])
    w = 2 * np.pi * f
    c = Component.from_matrices(K, M, nodes, n_modes=4, damping=0.005, B=0.1 * M + 1e-4 * K, K4=0.03 * K)
    assert np.allclose(c.damping_ratio, 0.005 + 0.05 / w + 0.5e-4 * w + 0.015, rtol=1e-9)
    assert np.allclose(c.damping_matrix, np.diag(2 * c.damping_ratio * w), atol=1e-8)


def test_free_modes_function_on_arrays():
    K, M = five_particles()
    basis = free_modes(K, M, 3, n_rigid=1)
    assert len(basis.rigid_hz) == 1
    want = np.sqrt((2 - 2 * np.cos(np.pi * np.arange(1, 4) / 5)) / 2) / (2 * np.pi)
    assert np.allclose(basis.frequencies_hz, want, rtol=1e-12)


def plate(held=""):
    """A plate of 20 x 10 CQUAD4 with lumped mass, which has no inertia about its normal at any grid."""
    grids = "".join(
        f"GRID,{1 + i + 21 * j},,{0.05 * i},{0.05 * j},0.\n" for j in range(11) for i in range(21)
    )
    corners = [(20 * j + i + 1, 21 * j + i + 1) for j in range(10) for i in range(20)]
    shells = "".join(f"CQUAD4,{e},1,{a},{a + 1},{a + 22},{a + 21}\n" for e, a in corners)
    rest = "PSHELL,1,1,.005,1,,1\nMAT1,1,7.+10,,.3,2700.\nPARAM,K6ROT,100.\nEIGRL,1,,,8\nSPC1,1,123456,106\n"
    return deck_from_text(f"SOL 103\nCEND\nMETHOD = 1\n{held}BEGIN BULK\n{grids}{shells}{rest}ENDDATA\n")


@pytest.mark.parametrize("grid", [1, 106, 111])
def test_interface_grids_of_plates_without_drilling_inertia_are_normalized(grid, tmp_path):
    """Mass that is left about the normal is rounding, 1e-13 to 1e-12 of its parts: no mode may be scaled by it."""
    made = Component.from_deck(plate(), 8, aset={grid: 123456})
    made.save(tmp_path / "plate.h5")  # refuses modes that are not normalized
    assert any("small rotary inertia" in note for note in made.notes)


def test_a_plate_locked_at_a_grid_is_the_plate_held_there():
    """Within ten times what rounding of K does to each: its terms cancel by 1e9 in the first mode, a slow swing."""
    made = Component.from_deck(plate(), 8, aset={106: 123456})
    mb = ist.Multibody("plate")
    mb.add_body("plate", component=made, node=106, joint=ist.Locked())
    fe = ist.FEModel.from_deck(plate("SPC = 1\n"))
    held = ist.normal_modes(fe, n_modes=6)
    size = np.abs(held.shapes)
    rounding = 0.5 * np.finfo(float).eps * np.sum(size * (abs(fe.K_gg) @ size), axis=0) / held.eigenvalues
    error = np.abs(mb.compile().modes().frequencies_hz[:6] / held.frequencies_hz - 1.0)
    assert np.all(error < 10.0 * rounding) and rounding.max() < 1e-6
