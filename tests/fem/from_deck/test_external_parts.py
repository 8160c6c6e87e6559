"""Parts given by their matrices (SEBULK EXTERNAL with DMIG) against the same structure written out."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la

from interstage import FEModel, normal_modes, static
from interstage.errors import DeckError
from interstage.fem.from_deck.dmig_text import dmig_text
from interstage.fem.grids import Grids
from interstage.nastran import deck_from_text

HEAD = "SOL 103\nCEND\nSPC = 1\nMETHOD = 1\nLOAD = 3\nBEGIN BULK\nEIGRL,1,,,8\n"
BARS = "MAT1,1,7.+10,,.3,2700.\nPBAR,1,1,.002,4.-6,9.-6,6.-6\n,\n,.5,.5,2.-6\n"


def chain(first, last):
    """A crooked chain of bars with coupled planes; every grid and bar by its number."""
    places = ((0, 0, 0), (1, 0, 0.2), (2, 0.3, 0.2), (2.6, 1, 0.4), (3, 2, 0.4), (3.2, 3, 1))
    used = enumerate(places[first : last + 1], first + 1)
    out = "".join(f"GRID,{k},,{float(x)},{float(y)},{float(z)}\n" for k, (x, y, z) in used)
    return out + "".join(f"CBAR,{k + 1},1,{k + 1},{k + 2},.1,.2,1.,BGG\n" for k in range(first, last))


ROOT = BARS + chain(0, 2) + "SPC1,1,123456,1\nFORCE,3,3,,100.,1.,2.,3.\n"


@pytest.fixture(scope="module")
def whole():
    return FEModel.from_deck(deck_from_text(HEAD + ROOT + chain(2, 5).split("\n", 1)[1] + "ENDDATA\n"))


def reduced(n_modes, first_point=3001):
    """Boundary grid 3, q-set points and Craig-Bampton matrices of grids 3 to 6, as EXTSEOUT(DMIGPCH) writes them."""
    fe = FEModel.from_deck(
        deck_from_text("SOL 103\nCEND\nBEGIN BULK\n" + BARS + chain(2, 5) + "CONM2,90,6,,.1\n")
    )
    K, M = fe.K_gg.toarray(), fe.M_gg.toarray()
    b, i = np.arange(6), np.arange(6, len(K))
    hang = -np.linalg.solve(K[np.ix_(i, i)], K[np.ix_(i, b)])
    # massless turns have no modes: of finite ones there are as many as dofs with mass
    values, modes = la.eigh(M[np.ix_(i, i)], K[np.ix_(i, i)])
    order = np.argsort(-values)[:n_modes]
    modes = modes[:, order] / np.sqrt(values[order])
    T = np.zeros((len(K), 6 + n_modes))
    T[b, b], T[np.ix_(i, b)], T[i, 6:] = 1.0, hang, modes
    points = np.arange(first_point, first_point + n_modes)
    grids = Grids([3], [fe.grids.xyz[0]], spoint=points)
    matrices = {name: T.T @ A @ T for name, A in (("KAAX", K), ("MAAX", M))}
    matrices = {name: 0.5 * (A + A.T) for name, A in matrices.items()}
    place = ",".join(str(float(c)) for c in fe.grids.xyz[0])
    cards = f"GRID,3,,{place}\nSPOINT,{points[0]},THRU,{points[-1]}\nQSET1,,{points[0]},THRU,{points[-1]}\n"
    dofs = np.concatenate([grids.dof[0] + np.arange(6), grids.spoint_dof])
    return cards.replace("QSET1,,", "QSET1,0,") + dmig_text(grids, matrices, dofs)


MASS = "DMIG    MAAX           0       6       2       0\nDMIG,MAAX,3,1,,3,1,2.\n"


def joined(section, bulk="SEBULK,9,EXTERNAL\n"):
    return FEModel.from_deck(deck_from_text(HEAD + ROOT + bulk + "BEGIN SUPER=9\n" + section + "ENDDATA\n"))


def test_modes_and_statics_of_a_part_given_by_its_matrices(whole):
    """With every mode that has mass the reduction is exact; grid 3 moves as in one piece."""
    lumped = FEModel.from_deck(
        deck_from_text(HEAD + ROOT + chain(2, 5).split("\n", 1)[1] + "CONM2,90,6,,.1\nENDDATA\n")
    )
    fe = joined(reduced(9))
    wanted = normal_modes(lumped).frequencies_hz
    np.testing.assert_allclose(
        normal_modes(fe).frequencies_hz, wanted, rtol=1e-6
    )  # sixteen columns of digits
    np.testing.assert_allclose(static(fe, 1)[3], static(whole, 1)[3], rtol=1e-7)
    few = normal_modes(joined(reduced(3))).frequencies_hz
    assert few[0] == pytest.approx(wanted[0], rel=1e-3) and few[0] >= wanted[0] * (1 - 1e-7)


def test_what_an_external_part_needs():
    with pytest.raises(DeckError, match=r"part 9 is EXTERNAL and has no stiffness .*got MAAX"):
        joined(reduced(3).split("DMIG")[0] + MASS)
    with pytest.raises(DeckError, match=r"structural damping .DMIG K4AAX. of the external part 9"):
        joined(reduced(3) + "DMIG    K4AAX          0       6       2       0\nDMIG,K4AAX,3,1,,3,1,2.\n")
    with pytest.raises(DeckError, match="SEBULK names superelement 8, which has no section"):
        joined(reduced(3), "SEBULK,8,EXTERNAL\n")
    fe = joined(reduced(3) + "DMIG    PAX            0       9       2       0                       1\n")
    assert any("loads (DMIG PAX) of the external part 9 are not applied" in note for note in fe.notes)
