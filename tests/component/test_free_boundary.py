"""Interfaces that move in component modes: CSET and BNDFREE beside BSET and BNDFIX, against dense Ritz problems."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la

import interstage as ist
from interstage.nastran import deck_from_text

END = ",.01,0.,.01,0.,0.,.01\n"
BEAM = "".join(f"GRID,{k + 1},,{0.2 * k:.1f},0.,0.\n" for k in range(9))
BEAM += "".join(f"CBAR,{k},1,{k},{k + 1},0.,1.,0.\n" for k in range(1, 9))
BEAM += "PBAR,1,1,1.-4,1.-9,2.-9,1.-9\nMAT1,1,7.+10,,.3,2700.\nPARAM,COUPMASS,1\n"
BEAM += "".join(f"CONM2,{20 + k},{k},,.1\n{END}" for k in (1, 3, 6, 9))
N_MODES = 5


def dense(fe, held: list[int]) -> np.ndarray:
    """Frequencies of constraint modes and the lowest modes with `held` grids fixed, the other of 1 and 9 free."""
    K, M = fe.K_gg.toarray(), fe.M_gg.toarray()
    n = len(K)
    M += 1e-9 * np.eye(n)  # twist has no mass in the coupled matrix of bars
    b = np.r_[0:6, n - 6 : n]
    o = np.setdiff1d(np.arange(n), b)
    T = np.zeros((n, 12 + N_MODES))
    T[b, np.arange(12)] = 1.0
    T[o, :12] = -np.linalg.solve(K[np.ix_(o, o)], K[np.ix_(o, b)])
    moving = np.setdiff1d(np.arange(n), [6 * (g - 1) + c for g in held for c in range(6)])
    values, shapes = la.eigh(K[np.ix_(moving, moving)], M[np.ix_(moving, moving)])
    rigid = np.count_nonzero(values < 1e-3)
    T[moving, 12:] = shapes[:, rigid : rigid + N_MODES]
    return np.sqrt(np.abs(la.eigh(T.T @ K @ T, T.T @ M @ T, eigvals_only=True)[6:])) / 2 / np.pi


@pytest.mark.parametrize(
    ("cards", "held"),
    [
        ("ASET1,123456,1,9\n", [1, 9]),
        ("BSET1,123456,1\nCSET1,123456,9\n", [1]),
        ("BNDFIX,1,123456\nBNDFREE,9,123456\n", [1]),
        ("ASET1,123456,1,9\nBSET1,123456,1\n", [1]),
        ("ASET1,123456,1,9\nCSET,9,123456\n", [1]),
        ("BNDFRE1,123456,1,9\n", []),
    ],
)
def test_modes_hold_the_boundary_that_nastran_holds(cards, held, tmp_path):
    path = tmp_path / "beam.bdf"
    path.write_text("SOL 103\nCEND\nBEGIN BULK\n" + BEAM + cards + "ENDDATA\n")
    found = ist.Component.from_deck(path, n_modes=N_MODES)
    fe = ist.FEModel.from_deck(path)
    np.testing.assert_allclose(found.frequencies_hz, dense(fe, held), rtol=1e-5)
    assert (np.abs(found.frequencies_hz / dense(fe, [1, 9]) - 1.0).max() > 1e-3) == (held != [1, 9])
    moved = 12 - 6 * len(held)
    note = f"{moved} interface coordinates move in the fixed-interface modes (CSET, BNDFREE)"
    assert (note in found.notes) == bool(moved)


def test_an_interface_that_is_given_is_held():
    text = "SOL 103\nCEND\nBEGIN BULK\n" + BEAM + "CSET1,123456,1,9\nENDDATA\n"
    given = ist.Component.from_deck(deck_from_text(text), n_modes=N_MODES, aset={1: 123456, 9: 123456})
    assert not [note for note in given.notes if "CSET" in note]
