"""Components from the op2 file of an external superelement run: a real one, and data blocks of our own."""

import numpy as np
import pytest
import scipy.linalg as la

from conftest import reference_dir
from interstage.component import Component
from interstage.errors import FileError, InputError
from interstage.fem.model import FEModel
from interstage.fmodal import Nastran
from interstage.nastran import read_op4
from op2_writer import matrix_block, modes_block, op2_file, table_block
from op4_writer import binary_op4
from validation import nastran_decks

NODES, MODES = [3, 4, 11, 16, 19, 27], 3
HELD = dict.fromkeys((3, 11, 19, 27), 123456)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Deck, op2 and op4 of a run of our own: the truss reduced by dense algebra, bookkeeping and matrices apart."""
    folder = tmp_path_factory.mktemp("run")
    deck, op2, op4 = (folder / f"truss.{end}" for end in ("bdf", "op2", "op4"))
    text = nastran_decks.deck_text("craig_bampton_inboard")
    deck.write_text(text.replace("2995060", f"{2995000 + MODES}"))  # points of the modes
    fe = FEModel.from_deck(nastran_decks.read("craig_bampton_inboard"))
    K, M = fe.K_gg.toarray(), fe.M_gg.toarray()

    def rows(grids):
        return (fe.grids.dof[fe.grids.find(np.array(grids))][:, None] + np.arange(6)).ravel()

    b = rows(list(HELD))
    o = np.setdiff1d(rows(fe.grids.id), b)  # without the points of the q-set
    T = np.zeros((len(K), len(b) + MODES))
    T[b, np.arange(len(b))] = 1.0
    T[np.ix_(o, np.arange(len(b)))] = -np.linalg.solve(K[np.ix_(o, o)], K[np.ix_(o, b)])
    values, shapes = la.eigh(M[np.ix_(o, o)], K[np.ix_(o, o)])  # rotations have no mass
    T[o, len(b) :] = (shapes / np.sqrt(np.abs(values)))[:, : -MODES - 1 : -1]
    assert np.linalg.norm(K[o] @ T[:, : len(b)]) <= 1e-9 * np.linalg.norm(K)  # static shapes are in balance
    matrices = {"KXX": T.T @ K @ T, "MXX": T.T @ M @ T, "MUG1": T[rows(NODES)]}
    op4.write_bytes(b"".join(binary_op4(name, m) for name, m in matrices.items()))
    sets = [5561, 76, 215, *(word for pair in HELD.items() for word in pair)]
    op2.write_bytes(
        op2_file([table_block("GEOM4", [lambda form: form.ints(*sets)]), modes_block(grids=(4, 16))])
    )
    return deck, op2, op4


def test_a_run_with_its_op4_beside(run):
    """Interface and recovery grids come from the op2 file; the component is that of our own reduction of the deck."""
    deck, op2, op4 = run
    c = Component.from_op2(deck, op2)
    known = Component.from_deck(deck, MODES, aset=HELD)
    assert c.aset == HELD
    assert c.node_ids.tolist() == NODES
    assert c.provenance["nastran_version"] == "TEST"
    assert (c.provenance["option_op2"], c.provenance["option_op4"]) == (op2.name, op4.name)
    np.testing.assert_allclose(c.frequencies_hz, known.frequencies_hz, rtol=1e-5)  # dense, without refinement
    np.testing.assert_allclose(
        c.craig_bampton.frequencies_hz, [6.129345, 6.130134, 23.63188], rtol=1e-6
    )  # NX 9.1
    assert c.mass == pytest.approx(1.755052, rel=1e-6)  # of the published run
    at = [known.node_ids.tolist().index(n) for n in NODES]
    size = np.abs(np.asarray(known.gamma)).max()
    hz = known.frequencies_hz
    alone = [
        k for k in range(len(hz)) if np.sum(np.abs(hz / hz[k] - 1.0) < 0.02) == 1
    ]  # others turn among themselves
    assert len(alone) > 3
    for k in alone:
        ours, theirs = np.asarray(known.gamma)[at][:, :, k], np.asarray(c.gamma)[:, :, k]
        assert np.abs(ours * np.sign(np.sum(ours * theirs)) - theirs).max() <= 1e-6 * size, k


def test_real_run_with_its_op4_beside():
    """Interface, recovery grids and version come from inboard.op2, and agree with the punch file and the deck."""
    deck, files = (
        reference_dir("nastran", "craig_bampton_inboard", "deck.bdf"),
        reference_dir("nastran-files"),
    )
    c = Component.from_op2(deck, files / "inboard.op2")
    known = Component.from_op4(deck, files / "inboard.op4", punch=files / "inboard.pch", nodes=NODES)
    assert c.aset == known.aset == HELD
    assert c.node_ids.tolist() == NODES
    assert np.array_equal(c.frequencies_hz, known.frequencies_hz)
    assert np.array_equal(np.asarray(c.gamma), np.asarray(known.gamma))
    assert c.mass == known.mass
    assert c.provenance["nastran_version"] == "NX9.1"
    assert c.provenance["option_op2"] == "inboard.op2"
    assert c.provenance["option_op4"] == "inboard.op4"
    reference = np.load(deck.parent / "craig_bampton.npz")
    assert np.array_equal(c.craig_bampton.stiffness, reference["kxx"])
    assert np.array_equal(c.craig_bampton.mass, reference["mxx"])


def test_matrices_as_data_blocks(run, tmp_path):
    """The same matrices in the op2 file itself give the same component, with the interface of the deck."""
    deck, _, op4 = run
    path = tmp_path / "own.op2"
    path.write_bytes(op2_file([matrix_block(name, m) for name, m in read_op4(op4).items()]))
    c = Component.from_op2(deck, path, nodes=NODES)
    known = Component.from_op4(deck, op4, nodes=NODES)
    assert np.array_equal(c.frequencies_hz, known.frequencies_hz)
    assert np.array_equal(c.craig_bampton.mass, known.craig_bampton.mass)
    assert "option_op4" not in c.provenance


def test_script_loads_an_op2(run, tmp_path):
    deck, op2, _ = run
    nast = Nastran()
    nast.read(deck)
    nast.load_op2(fop2=op2)
    assert nast.component.provenance["nastran_version"] == "TEST"
    assert not nast.component.has_integrals
    nast.write_hdf5(tmp_path / "truss.h5")


def test_faults(tmp_path):
    deck, alone = tmp_path / "deck.bdf", tmp_path / "alone.op2"
    deck.write_text(nastran_decks.deck_text("craig_bampton_inboard"))
    alone.write_bytes(op2_file([matrix_block("CASECC", np.eye(2))]))
    with pytest.raises(FileError, match="no superelement matrices"):
        Component.from_op2(deck, alone)
    with pytest.raises(FileError, match="op4 file cannot be read"):
        Component.from_op2(deck, alone, op4=tmp_path / "none.op4")
    small = tmp_path / "small.op2"
    eye = np.eye(4)
    small.write_bytes(op2_file([matrix_block("KXX", eye), matrix_block("MXX", eye)]))
    with pytest.raises(FileError, match="op2 file lacks the matrix MUG1"):
        Component.from_op2(deck, small)
    small.write_bytes(op2_file([matrix_block(n, eye) for n in ("KXX", "MXX", "MUG1")]))
    with pytest.raises(InputError, match="six rows for each grid"):
        Component.from_op2(deck, small)
    tall = op2_file(
        [matrix_block("KXX", eye), matrix_block("MXX", eye), matrix_block("MUG1", np.ones((156, 4)))]
    )
    small.write_bytes(tall)
    with pytest.raises(InputError, match="more components than the reduced matrices"):
        Component.from_op2(deck, small)
    small.write_bytes(
        op2_file([matrix_block("KXX", eye), matrix_block("MXX", np.eye(3)), matrix_block("MUG1", eye)])
    )
    with pytest.raises(InputError, match="do not fit each other"):
        Component.from_op2(deck, small)


def test_nodes_that_do_not_fit_the_run(run):
    deck, op2, _ = run
    with pytest.raises(InputError, match="more rows than the grids"):
        Component.from_op2(deck, op2, nodes=[3, 11, 19, 27], modal_integrals=False)
    with pytest.raises(InputError, match="do not fit the interface"):
        Component.from_op2(deck, op2, nodes=[3, 11, 16, 19, 20, 27])
    with pytest.raises(InputError, match="leave out an interface grid"):
        Component.from_op2(deck, op2, nodes=[3, 4, 11, 16, 19, 28])
