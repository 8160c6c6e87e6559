"""Statics on small structures: springs, enforced motion, reactions, mechanisms."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import interstage as ist
from interstage.errors import InputError, ModelError
from interstage.fem.constraints import explicit
from interstage.fem.grids import Grids
from interstage.fem.reduction import Constraints, reduce_model
from interstage.fem.statics import solve_static
from interstage.nastran import deck_from_text


def cantilever(n: int, EI: float = 2.0, EA: float = 5.0, GJ: float = 3.0):
    """Straight beam of n elements along x, grid 1 at the root; bending in two planes, unit length."""
    grids = Grids(np.arange(1, n + 2), np.c_[np.linspace(0, 1, n + 1), np.zeros((n + 1, 2))])
    h = 1.0 / n
    K = sp.lil_array((6 * (n + 1), 6 * (n + 1)))
    b = (
        EI
        / h**3
        * np.array(
            [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h]]
            + [[-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]
        )
    )
    s = np.array([1.0, -1.0, 1.0, -1.0])
    for e in range(n):
        at = 6 * e
        for c, k in ((0, EA / h), (3, GJ / h)):
            d = [at + c, at + 6 + c]
            K[np.ix_(d, d)] += k * np.array([[1.0, -1.0], [-1.0, 1.0]])
        for w, r, sign in ((1, 5, np.ones(4)), (2, 4, s)):
            d = [at + w, at + r, at + 6 + w, at + 6 + r]
            K[np.ix_(d, d)] += b * np.outer(sign, sign)
    return grids, K.tocsr()


ROOT = Constraints(spc=np.arange(6))


def test_tip_loads_of_a_cantilever():
    grids, K = cantilever(10)
    F = np.zeros((66, 3))
    F[60, 0], F[61, 1], F[62, 2] = 1.0, 1.0, 1.0
    result = solve_static(reduce_model(K, None, grids, ROOT), F)
    # F L / EA, F L³ / 3 EI in both planes, with slopes ± F L² / 2 EI
    assert np.isclose(result.u[60, 0], 0.2, rtol=1e-12)
    assert np.isclose(result.u[61, 1], 1.0 / 6.0, rtol=1e-10) and np.isclose(
        result.u[65, 1], 0.25, rtol=1e-10
    )
    assert np.isclose(result.u[62, 2], 1.0 / 6.0, rtol=1e-10) and np.isclose(
        result.u[64, 2], -0.25, rtol=1e-10
    )
    # root reactions: force and moment F L
    assert np.allclose(result.spc_forces[[0], 0], -1.0)
    assert np.allclose(result.spc_forces[[1, 5], 1], [-1.0, -1.0])
    assert np.allclose(result.spc_forces[[2, 4], 2], [-1.0, 1.0])
    assert np.abs(result.epsilon).max() < 1e-9


def test_enforced_displacement_and_its_reaction():
    grids, K = cantilever(4)
    spc = np.append(np.arange(6), 25)
    values = np.append(np.zeros(6), 0.01)
    model = reduce_model(K, None, grids, Constraints(spc=spc, values=values))
    result = solve_static(model, np.zeros((30, 2)), enforced=[None, {25: 0.02}])
    # tip moved by δ needs 3 EI δ / L³
    assert np.allclose(result.u[25], [0.01, 0.02])
    assert np.allclose(result.spc_forces[25], [0.06, 0.12], rtol=1e-10)
    assert np.allclose(result.spc_forces[1], [-0.06, -0.12], rtol=1e-10)
    # as in Nastran, an enforced displacement of a dof that nothing holds is left out, with a sentence
    loose = solve_static(model, np.zeros(30), enforced=[{18: 1.0}])
    assert np.allclose(loose.u[:, 0], result.u[:, 0], rtol=1e-12)
    assert model.loose_values({18: 1.0, 25: 2.0}) == [
        "SPCD on dofs that no SPC holds is left out, as in Nastran: grid 4 component 1 (1)"
    ]


def test_load_on_a_dependent_dof_goes_to_its_masters():
    grids, K = cantilever(4)
    # grid 5 (tip) T2 is dependent on grid 4 T2: the beam's end is guided
    tie = explicit([25], [19], [[1.0]], "MPC set 1")
    F = np.zeros(30)
    F[25] = 1.0
    result = solve_static(reduce_model(K, None, grids, Constraints(tie, spc=np.arange(6))), F)
    assert np.isclose(result.u[25, 0], result.u[19, 0])
    assert np.isclose(result.spc_forces[1, 0], -1.0)


def test_missing_support_is_named():
    grids, K = cantilever(4)
    with pytest.raises(ModelError, match=r"can move without resistance.*grid \d.*supports \(SPC\)"):
        solve_static(reduce_model(K, None, grids, Constraints()), np.zeros(30))


def test_unconnected_grid_is_named_without_autospc():
    grids, K = cantilever(4)
    lone = Grids(np.append(grids.id, 77), np.vstack([grids.xyz, [5.0, 0.0, 0.0]]))
    K = sp.csr_array(sp.block_diag([K, sp.csr_array((6, 6))]))
    off = Constraints(spc=np.arange(6), autospc=False)
    with pytest.raises(ModelError, match=r"grid 77 component 1.*nothing is connected"):
        solve_static(reduce_model(K, None, lone, off), np.zeros(36))
    on = solve_static(reduce_model(K, None, lone, Constraints(spc=np.arange(6))), np.zeros(36))
    assert "AUTOSPC constrained 6 dofs" in on.notes[0]


def test_hinge_in_a_beam_is_found():
    # two beams joined at a grid without rotation about z being held by the second one
    grids, K = cantilever(4)
    K = K.tolil()
    K[29, :] = 0.0
    K[:, 29] = 0.0
    K = K.tocsr()
    with pytest.raises(ModelError, match=r"grid 5 component 6.*no element resists this rotation"):
        solve_static(reduce_model(K, None, grids, Constraints(spc=np.arange(6), autospc=False)), np.zeros(30))


def test_max_ratio_of_the_deck_is_kept():
    grids, K = cantilever(60)
    model = reduce_model(K, None, grids, ROOT)
    F = np.zeros(366)
    F[361] = 1.0
    free = solve_static(model, F)
    assert np.isclose(free.u[361, 0], 1.0 / 6.0, rtol=1e-6) and free.max_ratio > 1e3
    with pytest.raises(ModelError, match="can move without resistance"):
        solve_static(model, F, max_ratio=10.0)


def test_load_of_wrong_size_is_refused():
    grids, K = cantilever(2)
    with pytest.raises(InputError, match="18 rows"):
        solve_static(reduce_model(K, None, grids, ROOT), np.zeros(17))


@pytest.mark.parametrize(
    ("case", "words"),
    [("", "it selects no LOAD"), ("LOAD = 5\n", "LOAD = 5 moves nothing"), ("LOAD = 6\n", "")],
)
def test_a_subcase_in_which_nothing_acts_says_so(case, words):
    bulk = "GRID,1\nGRID,2,,1.,0.,0.\nCROD,1,1,1,2\nPROD,1,1,1.-4\nMAT1,1,7.+10,,.3\nSPC1,1,123456,1\nSPC1,1,23456,2\n"
    bulk += "FORCE,5,2,,1.,0.,1.,0.\nFORCE,6,2,,7.,1.,0.,0.\n"
    deck = deck_from_text(f"SOL 101\nCEND\nSPC = 1\n{case}BEGIN BULK\n{bulk}ENDDATA\n")
    found = ist.static(ist.FEModel.from_deck(deck))
    said = [note for note in found.notes if "all displacements of subcase 1 are zero" in note]
    assert [words in note for note in said] == ([True] if words else [])
    assert found.displacement[6] == (0.0 if words else pytest.approx(1e-6))
