"""Components from decks: real Nastran reductions, lumped bodies, axes, the deck's own requests."""

import numpy as np
import pytest
import scipy.linalg as la
from component_models import clamped_hz
from deck_models import SIMPLE_BEAM, boom

from conftest import reference_dir
from interstage.component import Component
from interstage.component.from_nastran.external import punched_interface
from interstage.errors import DeckError, FidelityWarning, FileError, InputError, ModelError
from interstage.fem.model import FEModel
from interstage.multibody import Free, Multibody
from interstage.multibody.fidelity import load_share
from interstage.nastran import deck_from_text
from validation import nastran_decks
from validation.nastran_decks import figures, matrix

HELD = {3: 123456, 11: 123456, 19: 123456, 27: 123456}
FORCE_A, FORCE_B = [1.5, -1.5, 2.0], [-1.5, 10.0, -2.0]
LOADS = [{13: FORCE_A, 21: FORCE_B}, {12: FORCE_A, 20: FORCE_B}, {13: FORCE_A, 20: FORCE_B}]


def deck(text):
    return deck_from_text(text)


@pytest.mark.parametrize(
    ("case", "options"),
    [
        ("craig_bampton_inboard", {"n_modes": 3, "inertia_relief": True, "loads": LOADS}),
        ("craig_bampton_inboard_350hz", {"n_modes": 54, "inertia_relief": True}),
    ],
)
def test_reductions_of_nx_nastran(case, options):
    """kxx and mxx of NX Nastran 9.1, residual vectors included, to 1e-6 after aligning signs."""
    nb, modal = 24, np.array(figures(case)["modal_stiffness"])
    n = nb + len(modal)
    mxx = np.eye(n)
    mxx[:nb, :nb], mxx[:nb, nb:] = matrix(case, "boundary_mass"), matrix(case, "coupling_mass")
    mxx[nb:, :nb] = mxx[:nb, nb:].T
    cb = Component.from_deck(nastran_decks.read(case), aset=HELD, **options).craig_bampton
    assert np.array_equal(cb.uset[:nb], figures(case)["dof"])
    k, m = cb.stiffness[:n, :n], cb.mass[:n, :n]
    sign = np.ones(n)
    sign[nb:] = np.sign(np.einsum("ij,ij->j", m[:nb, nb:], mxx[:nb, nb:]))
    m = m * np.outer(sign, sign)
    assert np.abs(k[:nb, :nb] - matrix(case, "boundary_stiffness")).max() < 1e-6 * np.abs(k[:nb, :nb]).max()
    assert np.abs(m - mxx).max() < 1e-6 * np.abs(m).max()
    assert np.abs(np.diag(k)[nb:] / modal - 1).max() < 1e-6


def test_interface_and_range_from_the_deck(tmp_path):
    """BSET1 and EIGRL (50 Hz) of the deck decide where the caller does not."""
    path = tmp_path / "deck.bdf"
    path.write_text(nastran_decks.deck_text("craig_bampton_inboard"))
    c = Component.from_deck(path)
    assert c.aset == HELD
    assert np.allclose(c.craig_bampton.frequencies_hz, [6.129345, 6.130134, 23.63188], rtol=1e-6)
    assert c.mass == pytest.approx(1.755052, rel=1e-6)
    assert np.allclose(c.com, [1039.998, 150.0, 150.0], rtol=1e-6)
    assert c.provenance["deck"] == "deck.bdf"
    assert len(c.provenance["deck_sha256"]) == 64


def test_superelement_matrices_of_a_real_op4():
    """The op4 that NX wrote for the same truss: mass and clamped modes are those of our own reduction."""
    folder = reference_dir("nastran", "craig_bampton_inboard")
    op4 = reference_dir("nastran-files", "inboard.op4")
    c = Component.from_op4(folder / "deck.bdf", op4, nodes=[3, 4, 11, 16, 19, 27])
    ours = Component.from_deck(folder / "deck.bdf", 3, aset=HELD)
    assert c.mass == pytest.approx(ours.mass, rel=1e-6)
    assert np.allclose(c.inertia, ours.inertia, atol=1e-6 * np.abs(ours.inertia).max())
    held = clamped_hz(c, HELD)
    assert np.allclose(held, c.craig_bampton.frequencies_hz, rtol=1e-6)
    assert np.allclose(held[:3], ours.craig_bampton.frequencies_hz, rtol=1e-6)
    punch = reference_dir("nastran-files", "inboard.pch")
    assert punched_interface(punch) == HELD
    again = Component.from_op4(folder / "deck.bdf", op4, punch=punch, nodes=[3, 4, 11, 16, 19, 27])
    assert np.array_equal(again.frequencies_hz, c.frequencies_hz)
    with pytest.raises(FileError, match="EXTRN"):
        punched_interface(folder / "deck.bdf")
    with pytest.raises(InputError, match="MUG1"):
        Component.from_op4(folder / "deck.bdf", op4)


def test_simple_beam():
    """NESC report C.2: first flexible frequencies 0.764 and 2.054 Hz, each twice (0.05 %)."""
    c = Component.from_deck(deck(SIMPLE_BEAM), 30)
    assert (c.n_modes, c.n_rigid, c.reference_node) == (30, 6, 11)
    assert np.allclose(c.frequencies_hz[:4], [0.764, 0.764, 2.054, 2.054], rtol=5e-4)
    assert c.mass == pytest.approx(8000 * 1.5625e-2 * 9, rel=1e-12)
    fixed = Component.from_deck(deck(SIMPLE_BEAM), 10, aset={1: 123456})
    assert fixed.n_modes == 10
    assert np.abs(clamped_hz(fixed, {1: 123456}) / fixed.craig_bampton.frequencies_hz - 1).max() < 1e-9


def test_axes_and_reference():
    """csid turns the component, grdpnt moves its origin; CD systems of grids do not matter."""
    system = ["CORD2R,5,,1.,2.,3.,1.5,2.,3.", ",1.,3.,3.5"]
    plain = Component.from_deck(deck(boom(system)), 6, aset={1: 123456})
    turned = Component.from_deck(deck(boom(system)), 6, aset={1: 123456}, csid=5, grdpnt=4)
    cd = (
        boom(system)
        .replace("GRID,3,,1.0,0.0,0.0", "GRID,3,,1.0,0.0,0.0,5")
        .replace("GRID,1,,0.0,0.0,0.0", "GRID,1,,0.0,0.0,0.0,5")
    )
    other = Component.from_deck(deck(cd), 6, aset={1: 123456})
    assert np.allclose(plain.frequencies_hz, turned.frequencies_hz, rtol=1e-9)
    R = turned.axes
    assert np.allclose(turned.node_positions, (plain.node_positions - plain.node_positions[3]) @ R)
    assert np.allclose(turned.com, (plain.com - plain.node_positions[3]) @ R, atol=1e-12)
    sign = np.sign(np.einsum("nar,nbr,ab->r", plain.gamma, turned.gamma, R))
    assert np.allclose(turned.gamma, np.einsum("ba,nbr->nar", R, plain.gamma) * sign, atol=1e-8)
    sign = np.sign(np.einsum("nar,nar->r", plain.gamma, other.gamma))
    assert np.allclose(other.gamma, plain.gamma * sign, atol=1e-8)
    with pytest.raises(InputError, match="coordinate system 77"):
        Component.from_deck(deck(boom(system)), 6, csid=77)
    with pytest.raises(InputError, match="rectangular"):
        Component.from_deck(deck(boom(["CORD2C,6,,0.,0.,0.,0.,0.,1.", ",1.,0.,0."])), 6, csid=6)


def test_offset_conm2_moves_at_its_own_centre():
    """Lumped mass and an offset CONM2: T of the record is T of the points, and m com is the first moment."""
    extra = ["CONM2,99,5,,2.0,.1,.2,.3", ",.01,,.02,,,.03"]
    c = Component.from_deck(deck(boom(extra, coupled=-1)), 6, aset={1: 123456})
    assert c.pm_mass == pytest.approx(c.mass, rel=1e-12)
    assert np.allclose(c.pm_c, c.mass * c.com, rtol=1e-10, atol=1e-12)
    assert np.allclose(c.pm_E, c.E, atol=1e-9)
    rest = c.inertia - (np.trace(c.pm_S2) * np.eye(3) - c.pm_S2)
    assert np.allclose(rest, np.diag([0.01, 0.02, 0.03]), atol=1e-10)


CONNECTIONS = {
    "grid": ["CONM2,99,9,,2.0,.1,.2,.3", ",.01,,.02,,,.03"],
    "rbar": ["GRID,50,,3.0,1.0,.5", "RBAR,200,9,50,123456", "CONM2,99,50,,2.0,.1,.2,.3", ",.01,,.02,,,.03"],
    "rbe2": ["GRID,50,,3.0,1.0,.5", "RBE2,200,50,123456,8,9", "CONM2,99,50,,2.0,.1,.2,.3", ",.01,,.02,,,.03"],
    "rbe3": ["GRID,50,,2.6,.6,.5", "RBE3,200,,50,123456,1.0,123,6", ",7,9", "CONM2,99,50,,2.0,.1,.2,.3",
             ",.01,,.02,,,.03"],
}  # fmt: skip


def with_child(c, body):
    """System frequencies of a component with a child body fixed to its grid, free in space."""

    def cross(a):
        return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])

    px = c.mass * cross(c.com)
    M = np.block([
        [c.inertia, px, c.F0], [-px, c.mass * np.eye(3), c.E], [c.F0.T, c.E.T, c.G0],
    ])  # fmt: skip
    j = c.node_row(body.grid)
    turn = np.hstack([np.eye(3), np.zeros((3, 3)), c.lam[j]])
    move = np.hstack([-cross(c.node_positions[j]), np.eye(3), c.gamma[j]]) - cross(body.com) @ turn
    M += body.mass * move.T @ move + turn.T @ body.inertia @ turn
    K = np.zeros_like(M)
    K[6:, 6:] = np.diag((2 * np.pi * c.frequencies_hz) ** 2)
    return np.sqrt(np.abs(la.eigh(K, M, eigvals_only=True)))[6:] / (2 * np.pi)


@pytest.mark.parametrize("connection", list(CONNECTIONS))
def test_separated_bodies_give_the_system_back(connection):
    """Taken out and put back, a lumped body gives the modes of the whole (all fixed-interface modes kept)."""
    text = boom(CONNECTIONS[connection])
    whole = Component.from_deck(deck(text), 8, aset={})
    apart = Component.from_deck(
        deck(text), 60, aset={1: 123456}, separate_lumped=True, add_lumped_to_aset=True, modal_integrals=False
    )
    (body,) = apart.child_bodies
    assert (body.name, body.connection, body.joint, body.mass) == ("CONM2_99", connection, "locked", 2.0)
    assert np.allclose(body.com, [0.1, 0.2, 0.3])
    assert apart.mass == pytest.approx(whole.mass - 2.0, rel=1e-7)
    # bars have no torsional inertia: the small one that the interface then gets shifts by 1e-7
    assert np.allclose(with_child(apart, body)[:8], whole.frequencies_hz, rtol=1e-6)


def test_lumped_interface():
    """add_lumped_to_aset names the free grids that carry the body: parent of an RBAR, spider of an RBE3."""

    def aset_of(connection):
        text = boom(CONNECTIONS[connection])
        c = Component.from_deck(
            deck(text), 4, aset={1: 123456}, separate_lumped=True, add_lumped_to_aset=True
        )
        return c.aset, c.child_bodies[0]

    assert aset_of("grid")[0] == {1: 123456, 9: 123456}
    held, body = aset_of("rbar")
    assert held == {1: 123456, 9: 123456}
    assert list(body.parent_grids) == [9]
    held, body = aset_of("rbe2")
    assert held == {1: 123456, 50: 123456}
    assert list(body.parent_grids) == [8, 9]
    held, body = aset_of("rbe3")
    assert held == {1: 123456, 6: 123, 7: 123, 9: 123}
    assert list(body.parent_grids) == [6, 7, 9]
    assert np.allclose(body.weights, 1.0)


def test_constraints_of_the_deck():
    """SPC and rigid elements hold in the component; a grounded deck has no rigid modes."""
    text = boom(["SPC1,7,123456,1"]).replace("METHOD = 1", "METHOD = 1\nSPC = 7")
    c = Component.from_deck(deck(text), 5)
    assert c.n_rigid == 0
    assert np.abs(c.gamma[0]).max() == 0
    fe = FEModel.from_deck(deck(text))
    f = np.arange(6, fe.grids.n_dof)
    flexibility = la.eigh(fe.M_gg.toarray()[np.ix_(f, f)], fe.K_gg.toarray()[np.ix_(f, f)], eigvals_only=True)
    w2 = 1.0 / flexibility[::-1][:5]
    assert np.allclose(c.frequencies_hz, np.sqrt(w2) / (2 * np.pi), rtol=1e-8)
    with pytest.raises(ModelError, match=r"grid 1 component 1.*without SPC in the case control"):
        Component.from_deck(deck(text), 5, aset={1: 123456})
    with pytest.raises(InputError, match="subcase 9"):
        Component.from_deck(deck(text), 5, subcase=9)


def test_damping_of_the_deck():
    """Element GE and PARAM G become structural damping: a ratio of half their sum."""
    text = boom(["PARAM,G,0.04"]).replace("MAT1,1,7.+10,,.3,2700.", "MAT1,1,7.+10,,.3,2700.,,,.02")
    c = Component.from_deck(deck(text), 4, aset={1: 123456}, damping=0.01)
    assert np.allclose(c.damping_ratio, 0.01 + 0.02 + 0.01, rtol=1e-6)
    assert c.craig_bampton.structural is not None


def test_bad_requests(tmp_path):
    with pytest.raises(InputError, match="number of modes is not known"):
        Component.from_deck(deck(boom([]).replace("METHOD = 1\n", "").replace("EIGRL,1,,,8\n", "")))
    with pytest.raises(InputError, match="aset"):
        Component.from_deck(deck(boom([])), 4, aset={99: 123})
    with pytest.raises(ModelError, match="interface"):
        Component.from_deck(deck(boom([])), 4, aset={1: 123})
    with pytest.raises(ModelError, match="no mass"):
        Component.from_deck(deck(boom([]).replace(".3,2700.", ".3")), 4)
    with pytest.raises(DeckError):
        Component.from_deck(tmp_path / "none.bdf", 4)


def test_matrices_are_kept_on_request(tmp_path):
    c = Component.from_deck(deck(boom([])), 4, keep_matrices=True)
    c.save(tmp_path / "boom.h5")
    back = Component.load(tmp_path / "boom.h5", matrices=True)
    assert abs(back.gset.mass - c.gset.mass).max() == 0
    assert back.fset.stiffness.shape == (54, 54)
    assert list(back.gset.uset[7]) == [2, 2]


def test_more_modes_than_the_model_has():
    c = Component.from_deck(deck(boom([])), 500, aset={1: 123456})
    assert c.n_modes < 60
    assert any("500 fixed-interface modes asked" in note for note in c.notes)
    free = Component.from_deck(deck(boom([])), 500)
    assert any("500 flexible modes asked" in note for note in free.notes)


def test_range_of_the_deck_for_a_free_body():
    """EIGRL with a range alone: all modes up to its end."""
    text = boom([]).replace("EIGRL,1,,,8", "EIGRL,1,,800.")
    c = Component.from_deck(deck(text))
    more = Component.from_deck(deck(text), 40)
    assert c.n_modes == np.count_nonzero(more.frequencies_hz <= 800.0)
    assert c.n_modes > 3


def test_scalar_points_carry_modal_mass():
    """A mass on a spring from a grid to a scalar point is part of the modes, and of their unit modal mass."""
    extra = ["SPOINT,700", "CELAS2,300,5.+3,9,3,700", "CMASS2,301,1.5,700"]
    c = Component.from_deck(deck(boom(extra)), 6, aset={1: 123456})
    plain = Component.from_deck(deck(boom([])), 6, aset={1: 123456})
    assert np.abs(c.G0 - np.eye(c.n_modes)).max() < 1e-9
    assert not np.allclose(c.frequencies_hz[:3], plain.frequencies_hz[:3], rtol=1e-3)
    assert c.mass == pytest.approx(plain.mass)


def test_mass_that_rounding_spreads_over_axes():
    """Grids in a tilted cylindrical system: modes are orthonormal and those of the same deck in basic axes."""
    plain = Component.from_deck(nastran_decks.read("static_solid_shell_bar"), 12, aset={})
    turned = Component.from_deck(nastran_decks.read("static_solid_shell_bar_cylindrical_cd"), 12, aset={})
    assert np.abs(turned.G0 - np.eye(12)).max() < 1e-9
    assert np.allclose(turned.frequencies_hz, plain.frequencies_hz, rtol=1e-7)


@pytest.mark.parametrize("what", ["aset", "rvdof"])
@pytest.mark.parametrize("wrong", [[1], "1:123456", 1])
def test_interfaces_that_are_no_dictionaries_get_a_sentence(what, wrong):
    with pytest.raises(InputError, match=rf"{what} is not usable.*expected grid: components"):
        Component.from_deck(deck(SIMPLE_BEAM), n_modes=2, **{what: wrong})


def test_grids_that_are_attached_to_nothing_are_known():
    """One that orients bars moves with nothing: a force there is warned of. What rigid elements hold is attached."""
    bulk = "".join(f"GRID,{k},,{k - 1.0},0.,0.\n" for k in range(1, 6)) + "GRID,99,,2.,-30.,40.,,123456\n"
    bulk += "".join(f"CBAR,{k},1,{k},{k + 1},99\n" for k in range(1, 5))
    bulk += "PBAR,1,1,1.-3,2.-7,5.-7,4.-7\nMAT1,1,7.+10,,.3,2700.\nCONM2,7,1,,1.\n,.1,,.1,,,.1\n"
    bulk += "GRID,20,,5.,0.,0.\nGRID,21,,6.,0.,0.\nRBE2,30,5,123456,20\nRBE2,31,20,123456,21\n"
    c = Component.from_deck(deck_from_text(f"SOL 103\nCEND\nBEGIN BULK\n{bulk}ENDDATA\n"), n_modes=4, aset={})
    assert c.unattached_nodes == {99} and 99 in c.node_ids and not c.gamma[-1].any()
    # the body is 6 m long, not 47 m
    assert (
        load_share(c, 1e3, np.array([1.0, 0, 0]))[0]
        == load_share(c.keep_nodes([1, 2, 3, 4, 5, 20, 21]), 1e3, np.array([1.0, 0, 0]))[0]
    )
    mb = Multibody("bars")
    mb.add_body("bars", component=c, joint=Free())
    system = mb.compile()
    with pytest.warns(FidelityWarning, match="node 99 of body 'bars' is attached to nothing"):
        system.forward_dynamics(system.state(), forces={("bars", 99): [0, 0, 0, 1.0, 0, 0]})
