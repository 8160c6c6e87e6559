"""Components from the op2 file of an external superelement run: a real one, and data blocks of our own."""

import numpy as np
import pytest

from conftest import reference_dir
from interstage.component import Component
from interstage.errors import FileError, InputError
from interstage.fmodal import Nastran
from interstage.nastran import read_op4
from op2_writer import matrix_block, op2_file
from validation import nastran_decks


@pytest.fixture(scope="module")
def run():
    """Deck and files of the run of NX Nastran 9.1."""
    return reference_dir("nastran", "craig_bampton_inboard", "deck.bdf"), reference_dir("nastran-files")


def test_real_run_with_its_op4_beside(run):
    """Interface, recovery grids and version come from inboard.op2, and agree with the punch file and the deck."""
    deck, files = run
    c = Component.from_op2(deck, files / "inboard.op2")
    known = Component.from_op4(
        deck, files / "inboard.op4", punch=files / "inboard.pch", nodes=[3, 4, 11, 16, 19, 27]
    )
    assert c.aset == known.aset == {3: 123456, 11: 123456, 19: 123456, 27: 123456}
    assert c.node_ids.tolist() == [3, 4, 11, 16, 19, 27]
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
    deck, files = run
    matrices = {k: v for k, v in read_op4(files / "inboard.op4").items() if k in ("KXX", "MXX", "MUG1", "PX")}
    path = tmp_path / "own.op2"
    path.write_bytes(op2_file([matrix_block(name, m) for name, m in matrices.items()]))
    c = Component.from_op2(deck, path, nodes=[3, 4, 11, 16, 19, 27])
    known = Component.from_op4(deck, files / "inboard.op4", nodes=[3, 4, 11, 16, 19, 27])
    assert np.array_equal(c.frequencies_hz, known.frequencies_hz)
    assert np.array_equal(c.craig_bampton.mass, known.craig_bampton.mass)
    assert "option_op4" not in c.provenance


def test_script_loads_an_op2(run, tmp_path):
    deck, files = run
    nast = Nastran()
    nast.read(deck)
    nast.load_op2(fop2=files / "inboard.op2")
    assert nast.component.provenance["nastran_version"] == "NX9.1"
    assert not nast.component.has_integrals
    nast.write_hdf5(tmp_path / "inboard.h5")


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
    deck, files = run
    with pytest.raises(InputError, match="more rows than the grids"):
        Component.from_op2(deck, files / "inboard.op2", nodes=[3, 11, 19, 27], modal_integrals=False)
    with pytest.raises(InputError, match="do not fit the interface"):
        Component.from_op2(deck, files / "inboard.op2", nodes=[3, 11, 16, 19, 20, 27])
    with pytest.raises(InputError, match="leave out an interface grid"):
        Component.from_op2(deck, files / "inboard.op2", nodes=[3, 4, 11, 16, 19, 28])
