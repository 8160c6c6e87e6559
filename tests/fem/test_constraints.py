"""Constraint equations, sets, AUTOSPC and reduction on synthetic models."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from interstage.errors import ModelError
from interstage.fem.constraints import eliminate, equations, explicit, join
from interstage.fem.grids import Grids
from interstage.fem.reduction import Constraints, Guyan, find_singularities, reduce_model
from interstage.fem.sets import SetCards, make_sets
from interstage.linalg.eigen import eigenmodes


def test_chain_of_dependences_is_substituted():
    # u0 = 2 u1, u1 = 3 u2 + u4, u3 = u0 - u1
    parts = [
        explicit([0], [1], [[2.0]], "MPC 1"),
        explicit([1], [2, 4], [[3.0, 1.0]], "MPC 2"),
        explicit([3], [0, 1], [[1.0, -1.0]], "MPC 3"),
    ]
    found = eliminate(join(parts), 5)
    assert found.m.tolist() == [0, 1, 3] and found.n.tolist() == [2, 4]
    assert np.allclose(found.G_mn.toarray(), [[6.0, 2.0], [3.0, 1.0], [3.0, 1.0]])


def test_random_equations_are_satisfied():
    rng = np.random.default_rng(3)
    n, k = 60, 25
    R = rng.standard_normal((k, n)) * (rng.random((k, n)) < 0.15)
    dependent = rng.permutation(n)[:k]
    R[np.arange(k), dependent] += 3.0
    row, dof = np.nonzero(R)
    found = eliminate(equations(row, dof, R[row, dof], dependent, "MPC"), n)
    assert np.abs(R @ found.T_gn.toarray()).max() < 1e-12


def test_loops_and_repeated_dependents_are_named():
    loop = join([explicit([0], [1], [[1.0]], "RBE2 1"), explicit([1], [0], [[1.0]], "RBE2 2")])
    with pytest.raises(ModelError, match="RBE2 1, RBE2 2"):
        eliminate(loop, 3)
    twice = join([explicit([0], [1], [[1.0]], "RBE2 1"), explicit([0], [2], [[1.0]], "MPC set 4")])
    with pytest.raises(ModelError, match="dependent twice \\(RBE2 1 and MPC set 4\\)"):
        eliminate(twice, 3)


def test_sets_follow_nastran():
    m, s = np.array([1]), np.array([2, 3])
    plain = make_sets(10, m, s)
    assert plain.a.tolist() == plain.f.tolist() == [0, 4, 5, 6, 7, 8, 9] and not len(plain.o)
    asked = make_sets(10, m, s, SetCards(a=np.array([4, 5]), q=np.array([9]), r=np.array([6])))
    assert asked.a.tolist() == [4, 5, 6, 9] and asked.o.tolist() == [0, 7, 8]
    assert asked.t.tolist() == [4, 5, 6] and asked.l.tolist() == [4, 5] and asked.q.tolist() == [9]
    assert asked.within("a", "f").tolist() == [1, 2, 3, 6]
    omitted = make_sets(10, m, s, SetCards(o=np.array([0, 4])))
    assert omitted.a.tolist() == [5, 6, 7, 8, 9] and omitted.o.tolist() == [0, 4]
    with pytest.raises(ModelError, match="exclude each other"):
        make_sets(10, m, np.array([1]))
    with pytest.raises(ModelError, match="ASET"):
        make_sets(10, m, s, SetCards(a=np.array([2])))


def two_grids() -> Grids:
    return Grids([1, 2], [[0, 0, 0], [1, 0, 0]], spoint=[9])


def test_autospc_finds_zero_and_skew_singularities():
    grids = two_grids()
    K = np.zeros((13, 13))
    direction = np.array([1.0, 0.0, 0.1]) / np.sqrt(1.01)
    K[:3, :3] = np.eye(3) - np.outer(direction, direction)  # a plane without stiffness along a skew direction
    K[3:6, 3:6] = np.diag([1.0, 2.0, 1e-9])
    K[6:9, 6:9] = np.diag([5.0, 6.0, 7.0])
    free = np.arange(13)
    found = find_singularities(sp.csr_array(K), free, free, grids)
    # grid 1: T1 (nearest to the skew direction) and R3; grid 2: no rotation at all; the scalar point
    assert found.dof.tolist() == [0, 5, 9, 10, 11, 12]
    assert len(find_singularities(sp.csr_array(K), free, free, grids, epzero=1e-10)) == 5
    # a dof that is constrained or named by the user is not touched
    assert 0 not in find_singularities(sp.csr_array(K), free, free[1:], grids).dof


def chain_model(n: int):
    """Grids in a row with unit springs and masses along x."""
    grids = Grids(np.arange(1, n + 1), np.c_[np.arange(n), np.zeros((n, 2))])
    K = np.zeros((6 * n, 6 * n))
    for i in range(n - 1):
        d = [6 * i, 6 * i + 6]
        K[np.ix_(d, d)] += [[1.0, -1.0], [-1.0, 1.0]]
    M = np.zeros(6 * n)
    M[::6] = 1.0
    return grids, sp.csr_array(K), sp.csr_array(sp.diags_array(M))


def test_reduction_to_free_dofs_and_back():
    grids, K, M = chain_model(6)
    tie = explicit([6 * 3], [6 * 4], [[1.0]], "RROD 5")
    model = reduce_model(K, M, grids, Constraints(tie, spc=np.array([0, 1]), values=np.array([0.5, 0.0])))
    assert model.sets.m.tolist() == [18] and model.sets.f.tolist() == [6, 12, 24, 30]
    assert len(model.singularities) == 5 * 6 - 1
    assert "AUTOSPC" in model.notes[0]
    assert np.allclose(model.K_ff.toarray(), [[2, -1, 0, 0], [-1, 2, -1, 0], [0, -1, 2, -1], [0, 0, -1, 1]])
    assert np.allclose(model.M_ff.diagonal(), [1, 1, 2, 1])
    u = model.recover_f(np.array([[1.0], [2.0], [3.0], [4.0]]), np.full((len(model.sets.s), 1), 0.0))
    assert u[[6, 12, 18, 24, 30], 0].tolist() == [1, 2, 3, 3, 4]
    assert np.allclose((model.T_ga @ np.array([1.0, 2.0, 3.0, 4.0]))[18], 3.0)


def test_autospc_off_reports_singularities():
    grids, K, M = chain_model(3)
    model = reduce_model(K, M, grids, Constraints(spc=np.array([0]), autospc=False))
    assert len(model.sets.f) == 17 and "AUTOSPC is off" in model.notes[0]


def test_guyan_is_exact_for_massless_dofs_and_approximate_otherwise():
    grids, K, M = chain_model(40)
    kept = 6 * np.arange(3, 40, 4)
    cards = SetCards(a=kept)
    constraints = Constraints(spc=np.array([0]), cards=cards)
    light = np.zeros(240)
    light[kept] = 1.0
    light = sp.csr_array(sp.diags_array(light))
    reduced = reduce_model(K, light, grids, constraints)
    full = reduce_model(K, light, grids, Constraints(spc=np.array([0])))
    a = eigenmodes(reduced.K_aa, reduced.M_aa, 5)
    b = eigenmodes(full.K_aa, full.M_aa, 5)
    assert reduced.K_aa.shape == (10, 10) and np.allclose(a.eigenvalues, b.eigenvalues, rtol=1e-11)
    shapes = reduced.recover_a(a.vectors)
    assert np.allclose(np.abs(shapes), np.abs(full.recover_a(b.vectors)), atol=1e-8)
    # with mass everywhere Guyan's modes are upper bounds
    one = eigenmodes(*_pair(reduce_model(K, M, grids, constraints)), 5).eigenvalues
    two = eigenmodes(*_pair(reduce_model(K, M, grids, Constraints(spc=np.array([0])))), 5).eigenvalues
    assert (one > two).all() and np.allclose(one[0], two[0], rtol=5e-3)


def _pair(model):
    return model.K_aa, model.M_aa


def test_guyan_over_a_mechanism_names_the_dof():
    K = sp.csr_array(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, -1.0], [0.0, -1.0, 1.0]]))
    with pytest.raises(ModelError, match="the omitted dofs can move without resistance \\(mechanism\\)"):
        Guyan(K, np.array([0]), np.array([1, 2]))
