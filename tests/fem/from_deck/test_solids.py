"""CHEXA, CPENTA, CTETRA, CPYRAM and PSOLID from decks."""

import numpy as np
import pytest
from grid_cards import UNIT_CUBE

from interstage.errors import DeckError
from interstage.fem import FEModel, static
from interstage.fem.assembly import assemble
from interstage.fem.elements.hexa import CORNERS, reduced_shear_recovery, reduced_shear_stiffness
from interstage.fem.elements.solid_common import element_axes, rotate_material
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.solids import read
from interstage.nastran import deck_from_text
from validation import nastran_decks

CUBE = UNIT_CUBE + "GRID,9,,.5,0.,0.\nMAT1,1,2.9+7,,.32,.283\n"
HEXA = "CHEXA,1,2,1,2,3,4,5,6\n,7,8\n"
PSOLID = "PSOLID,2,1\n"


def blocks(text):
    return read(Context(deck_from_text(text)))


def test_stiffness_of_solids_in_a_real_deck():
    """Rows of the assembled KGG that only solids touch; 1e-9 is asked for."""
    ctx = Context(nastran_decks.read("kgg_solid_shell_bar"))
    found = read(ctx)
    assert sorted(b.name for b in found) == ["CHEXA", "CPENTA", "CTETRA"]
    assert all(b.dofs_per_node == 3 for b in found)
    K = assemble(ctx.grids, found, lambda b, rows: b.stiffness(rows)).toarray()
    inside = [ctx.grids.dof_of(g, c) for g in range(5, 14) for c in (1, 2, 3)]
    wanted = nastran_decks.matrix("kgg_solid_shell_bar", "kgg")[inside]
    assert np.abs(K[inside] - wanted).max() < 1e-13 * np.abs(wanted).max()


def test_lumped_mass_of_a_real_deck():
    ctx = Context(nastran_decks.read("kgg_solid_shell_bar"))
    M = assemble(ctx.grids, read(ctx), lambda b, rows: b.mass(rows, False), mostly_diagonal=True)
    inside = [ctx.grids.dof_of(g, c) for g in range(5, 14) for c in (1, 2, 3)]
    wanted = np.array(nastran_decks.figures("kgg_solid_shell_bar")["lumped_mass_diagonal"])[inside]
    np.testing.assert_allclose(M.diagonal()[inside], wanted, rtol=1e-12)


def test_absent_mid_edge_nodes_make_separate_blocks():
    text = CUBE + PSOLID + HEXA + "CHEXA,2,2,1,2,3,4,5,6\n,7,8,9\n"
    found = blocks(text)
    assert [(len(b), b.nodes.shape[1]) for b in found] == [(1, 8), (1, 9)]
    K = found[1].stiffness(slice(0, 1))[0]
    w = np.linalg.eigvalsh(K)
    assert np.abs(w[:6]).max() < 1e-12 * w[-1]
    assert w[6] > 1e-4 * w[-1]


@pytest.mark.parametrize(
    "card, nodes",
    [
        ("CPENTA,3,2,1,2,3,5,6,7", 6),
        ("CTETRA,3,2,1,2,3,6", 4),
        ("CTETRA,3,2,1,2,3,6,9", 5),
        ("CPYRAM,3,2,1,2,3,4,7", 5),
        ("CPYRAM,3,2,1,2,3,4,7,9", 6),
    ],
)
def test_other_families(card, nodes):
    (block,) = blocks(CUBE + PSOLID + card)
    assert block.nodes.shape == (1, nodes)
    w = np.linalg.eigvalsh(block.stiffness(slice(0, 1))[0])
    assert np.abs(w[:6]).max() < 1e-12 * w[-1]
    assert w[6] > 1e-4 * w[-1]


MAT9 = """
MAT9,7,10.,2.,3.,0.,0.,0.,20.
,4.,0.,0.,0.,30.,0.,0.,0.
,5.,0.,0.,6.,0.,7.,2.5
"""


def test_material_coordinate_systems():
    """MAT9 in basic (0, blank), rectangular, cylindrical (at the centroid) and element axes."""
    tilted = "CORD2R,11,,0.,0.,0.,0.,0.,1.\n,0.,1.,0.\nCORD2C,12,,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n"
    turned = HEXA.replace("1,2,1,2,3,4,5,6\n,7,8", "1,2,2,3,4,1,6,7\n,8,5")
    moduli = {}
    for cordm in ("", "0", "-1", "11", "12"):
        (block,) = blocks(CUBE + MAT9 + tilted + f"PSOLID,2,7,{cordm}\n" + turned)
        moduli[cordm] = block.C[0]
        assert block.rho[0] == 2.5
    C = moduli["0"]
    np.testing.assert_array_equal(np.diag(C), [10.0, 20.0, 30.0, 5.0, 6.0, 7.0])
    np.testing.assert_array_equal(C[0, :3], [10.0, 2.0, 3.0])
    np.testing.assert_array_equal(moduli[""], C)
    # x of the system is y of basic: the xx modulus appears in yy
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    np.testing.assert_allclose(moduli["11"], rotate_material(C[None], quarter[None])[0], atol=1e-12)
    assert moduli["11"][1, 1] == pytest.approx(10.0)
    assert element_axes(block.shape, block.xyz)[0] == pytest.approx(quarter, abs=1e-12)
    np.testing.assert_allclose(moduli["-1"], moduli["11"], atol=1e-12)
    c = np.sqrt(0.5)
    radial = np.array([[c, -c, 0], [c, c, 0], [0, 0, 1]])
    np.testing.assert_allclose(moduli["12"], rotate_material(C[None], radial[None])[0], atol=1e-12)


def test_integration_options():
    default = blocks(CUBE + PSOLID + HEXA)[0].stiffness(slice(0, 1))
    accepted = blocks(CUBE + "PSOLID,2,1,,BUBBLE,GRID,REDUCED,SMECH\n" + HEXA)[0].stiffness(slice(0, 1))
    np.testing.assert_array_equal(accepted, default)
    standard = blocks(CUBE + "PSOLID,2,1,,TWO,,FULL\n" + HEXA)[0].stiffness(slice(0, 1))
    # the compatible element is stiffer: the difference has no negative eigenvalue
    assert np.linalg.eigvalsh(standard[0] - default[0]).min() > -1e-6
    assert np.abs(standard - default).max() > 1e4
    # reduced shear alone lies between them
    reduced = blocks(CUBE + "PSOLID,2,1,,TWO\n" + HEXA)[0].stiffness(slice(0, 1))
    assert np.linalg.eigvalsh(standard[0] - reduced[0]).min() > -1e-6
    assert np.linalg.eigvalsh(reduced[0] - default[0]).min() > -1e-6
    assert np.abs(reduced - default).max() > 1e4 < np.abs(standard - reduced).max()


@pytest.mark.parametrize(
    "text, message",
    [
        (
            PSOLID + HEXA.replace("1,2,3,4,5,6\n,7,8", "5,6,7,8,1,2\n,3,4"),
            "CHEXA 1 is inside out.*wrong way round",
        ),
        (PSOLID + "CTETRA,4,2,1,3,2,6", "CTETRA 4 is inside out.*reverse the order"),
        (PSOLID + "CTETRA,4,2,1,2,3,4", "CTETRA 4 has no volume.*coplanar"),
        (PSOLID + HEXA.replace("1,2,3,4,5,6", "1,2,4,3,5,6"), "CHEXA 1 is folded"),
        (PSOLID + HEXA.replace("1,2,3,4,5,6", "1,2,3,3,5,6"), "CHEXA 1 names grid 3 twice.*CPENTA"),
        (PSOLID + HEXA.replace("1,2,3,4,5,6", "1,2,3,44,5,6"), "grid 44, which is not in the deck"),
        (PSOLID + HEXA + HEXA, "1 is defined twice"),
        (PSOLID + HEXA + "CTETRA,1,2,1,2,3,6", "element 1 is defined twice"),
        (HEXA, "CHEXA 1 needs a PSOLID with id 2.*no such property"),
        ("PSHELL,2,1,.1\n" + HEXA, "needs a PSOLID with id 2.*PSHELL"),
        ("PSOLID,2,5\n" + HEXA, "PSOLID 2.*no such material"),
        ("PSOLID,2,5\nMAT8,5,1.,1.,.3,1.\n" + HEXA, "PSOLID 2.*MAT8"),
        ("PSOLID,2,1,9\n" + HEXA, "coordinate system that is not in the deck"),
        ("PSOLID,2,1,,,,,PFLUID\n" + HEXA, "only structural solids.*PFLUID"),
        ("PSOLID,2,1,,SEVEN\n" + HEXA, "unknown integration"),
        ("PSOLID,2\n" + HEXA, "needs a material id"),
    ],
)
def test_mistakes(text, message):
    """Each mistake is one sentence that names the element."""
    with pytest.raises(DeckError, match=message):
        blocks(CUBE + text)


WEDGE = """
GRID,1,,0.,0.,0.
GRID,2,,2.,.1,0.
GRID,3,,.3,1.5,.1
GRID,4,,.1,0.,1.2
GRID,5,,2.1,0.,1.
GRID,6,,.2,1.4,1.1
GRID,7,,1.1,0.,0.
GRID,8,,0.,.1,.6
GRID,9,,1.2,.8,1.1
MAT1,1,7.+10,,.3,2700.
"""


def _wedge(card, integration=""):

    fe = FEModel.from_deck(deck_from_text(WEDGE + f"PSOLID,2,1,,{integration}\n" + card))
    return fe, fe.blocks[0]


@pytest.mark.parametrize(
    "right, left",
    [
        ("CPENTA,1,2,1,2,3,4,5,6", "CPENTA,1,2,4,5,6,1,2,3"),
        # mid-edge grids 1-2, 1-4 and 5-6
        ("CPENTA,1,2,1,2,3,4,5,6\n,7,,,8,,,,9", "CPENTA,1,2,4,5,6,1,2,3\n,,9,,8,,,7"),
    ],
)
def test_left_handed_wedges_are_taken_as_right_handed_ones(right, left):
    (fe, _), (other, _) = _wedge(right), _wedge(left)
    np.testing.assert_allclose(fe.K_gg.toarray(), other.K_gg.toarray(), rtol=1e-12, atol=1e-3)
    np.testing.assert_allclose(fe.M_gg.toarray(), other.M_gg.toarray(), rtol=1e-12)
    assert not any("left-handed" in note for note in fe.notes)
    assert any("left-handed" in note for note in other.notes)


def test_wedge_with_in_two_has_the_strains_of_its_displacements_but_for_shear():
    from interstage.fem.elements.penta import PENTA6, penta6_recovery
    from interstage.fem.elements.solid_common import plain_recovery

    _, block = _wedge("CPENTA,1,2,1,2,3,4,5,6", "2")
    _, usual = _wedge("CPENTA,1,2,1,2,3,4,5,6")
    C = np.eye(6)[None] * block.C[0, 3, 3]  # strains times a number
    u = np.random.default_rng(4).standard_normal(18)
    plain = (plain_recovery(PENTA6, (True,) * 6, block.xyz, C, PENTA6.places)[0] @ u).reshape(7, 6)
    ours = (penta6_recovery(block.xyz, C, PENTA6.places, bubbles=False)[0] @ u).reshape(7, 6)
    # the sum of the normal strains is the same in any axes, and the assumed shear has no part in it
    np.testing.assert_allclose(ours[:, :3].sum(axis=1), plain[:, :3].sum(axis=1), rtol=1e-10)
    # without the bubble functions it is the stiffer one
    stiff, soft = (np.linalg.eigvalsh(one.stiffness(slice(None))[0]) for one in (block, usual))
    assert (stiff >= soft * (1 - 1e-9) - 1e-3).all()
    assert stiff.sum() > 1.01 * soft.sum()


def test_a_cantilever_brick_with_in_two_is_that_of_nastran():
    """One brick .08 x .1 x 1 held at its root under a tip force of 1, as MSC Nastran printed it to seven digits.

    The bubble functions of the default give 3.6981e-3 along the force.
    """
    tip = {5: (-1, -1), 6: (-1, 1), 7: (1, -1), 8: (1, 1)}
    corners = [(0.0, 0.0, 0.0), (0.0, 0.08, 0.0), (0.0, 0.08, 0.1), (0.0, 0.0, 0.1)]
    grids = [f"GRID,{i + 1},,{x},{y},{z}" for i, (x, y, z) in enumerate(corners)]
    grids += [f"GRID,{i + 5},,1.,{y},{z}" for i, (x, y, z) in enumerate(corners)]
    for rule in ("2", "TWO", "3"):
        text = "\n".join(
            ["SOL 101", "CEND", "SPC=1", "LOAD=1", "BEGIN BULK", *grids, HEXA.strip(), f"PSOLID,2,1,,{rule}"]
            + ["MAT1,1,1.+7,,.3", "SPC1,1,123,1,2,3,4"]
            + [f"FORCE,1,{g},,-.25,0.,0.,1." for g in tip]
        )
        u = static(FEModel.from_deck(deck_from_text(text + "\n")), subcase=1)
        for g, (x, y) in tip.items():
            wanted = [x * 3.230769e-4, x * y * -8.307692e-6, -3.263269e-3]
            np.testing.assert_allclose(np.abs(u[g][:3]), np.abs(wanted), rtol=2e-7)
            assert np.sign(u[g][2]) == -1.0 and np.sign(u[g][0]) == x


def test_a_distorted_brick_with_in_two_passes_the_patch_test():
    """Displacements linear in place have the stress of Hooke's law everywhere, and nodal forces that balance it."""
    rng = np.random.default_rng(3)
    (block,) = blocks(CUBE + "PSOLID,2,1,,2\n" + HEXA)
    xyz = block.xyz + 0.15 * rng.standard_normal(block.xyz.shape)
    slope = rng.standard_normal((3, 3))
    u = (xyz[0] @ slope.T).ravel()
    tensor = (slope + slope.T) / 2.0
    strain = np.array([*np.diag(tensor), 2 * tensor[0, 1], 2 * tensor[1, 2], 2 * tensor[2, 0]])
    points = rng.uniform(-1.0, 1.0, (5, 3))
    stress = (reduced_shear_recovery(xyz, block.C, points)[0] @ u).reshape(5, 6)
    np.testing.assert_allclose(stress, np.tile(block.C[0] @ strain, (5, 1)), rtol=1e-10)
    # virtual work of the nodal forces in any other linear field is stress times strain times volume
    K = reduced_shear_stiffness(xyz, block.C)[0]
    volume = _volume(xyz[0])
    other = rng.standard_normal((3, 3))
    sym = (other + other.T) / 2.0
    virtual = np.array([*np.diag(sym), 2 * sym[0, 1], 2 * sym[1, 2], 2 * sym[2, 0]])
    work = (xyz[0] @ other.T).ravel() @ K @ u
    assert work == pytest.approx(virtual @ block.C[0] @ strain * volume, rel=1e-10)
    assert np.sum(np.abs(np.linalg.eigvalsh(K)) < 1e-9 * np.abs(K).max()) == 6


def _volume(x):
    """Volume of a brick with straight edges, det J integrated by three points each way."""
    at, w = np.polynomial.legendre.leggauss(3)
    total = 0.0
    for i, a in enumerate(at):
        for j, b in enumerate(at):
            for k, c in enumerate(at):
                f = 1.0 + CORNERS * np.array([a, b, c])
                d = CORNERS * np.column_stack([f[:, 1] * f[:, 2], f[:, 0] * f[:, 2], f[:, 0] * f[:, 1]]) / 8.0
                total += w[i] * w[j] * w[k] * np.linalg.det(d.T @ x)
    return total


def test_integrations_that_are_not_done_are_noted():
    def notes(card, integration):
        return FEModel.from_deck(deck_from_text(CUBE + f"PSOLID,2,1,,{integration}\n" + card)).notes

    assert not any("IN TWO" in note for note in notes(HEXA, "2"))
    assert any("CHEXA: IN THREE" in note and "parallelepipeds" in note for note in notes(HEXA, "3"))
    quadratic = "CHEXA,1,2,1,2,3,4,5,6\n,7,8,9\n"
    assert any("IN TWO" in note and "default integration" in note for note in notes(quadratic, "2"))
    assert not any("IN THREE" in note for note in notes(quadratic, "3"))
