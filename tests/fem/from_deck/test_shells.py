"""Shell cards: NASTRAN's own matrices and modes, property rules, and errors."""

import numpy as np
import pytest
import scipy.linalg
from grid_cards import grid_cards

import interstage as ist
from interstage.errors import DeckError
from interstage.fem.from_deck import shells
from interstage.fem.from_deck.context import Context
from interstage.nastran import deck_from_text
from validation import nastran_decks

ALL = slice(None)
CORNERS = [(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0)]
MIDSIDES = [(1, 0, 0), (2, 0.5, 0), (1, 1, 0), (0, 0.5, 0)]
GRIDS = grid_cards((float(x), float(y), float(z)) for x, y, z in CORNERS + MIDSIDES)
MATERIAL = "MAT1,1,7.+10,,.3,2700.\nMAT8,8,1.4+11,1.+10,.3,5.+9,5.+9,3.+9,1600.\n"


def blocks(text, **options):
    """Blocks of a deck with the grids and materials above, by card name."""
    ctx = Context(deck_from_text("BEGIN BULK\n" + GRIDS + MATERIAL + text + "ENDDATA\n"))
    return {block.name: block for block in shells.read(ctx, **options)}


def stiffness(text, name="CQUAD4", **options):
    return blocks(text, **options)[name].stiffness(ALL)[0]


def same_stiffness(known, tolerance, *texts):
    """Assert that decks of one CQUAD4 have the stiffness `known`."""
    for text in texts:
        np.testing.assert_allclose(stiffness(text), known, atol=tolerance * np.abs(known).max())


def assembled(ctx, parts, matrix):
    n = ctx.grids.n_dof
    total = np.zeros((n, n))
    for block in parts:
        for nodes, k in zip(block.nodes, matrix(block)):
            dof = (ctx.grids.dof[nodes][:, None] + np.arange(6)).ravel()
            total[np.ix_(dof, dof)] += k
    return total


def test_element_matrices_are_nastrans():
    """Every CQUAD4 and CTRIA3 of a real run (PSHELL, PCOMP) to 1e-9: eigenvalues, and the assembled part."""
    case = "kgg_solid_shell_bar"
    ctx = Context(nastran_decks.read(case))
    parts = shells.read(ctx)
    assert {b.name: len(b) for b in parts} == {"CQUAD4": 4, "CTRIA3": 8}
    for block in parts:
        for eid, k in zip(block.eid, block.stiffness(ALL)):
            known = np.linalg.eigvalsh(nastran_decks.matrix(case, f"kelm_{block.name}_{eid}"))
            np.testing.assert_allclose(np.linalg.eigvalsh(k)[6:], known[6:], rtol=1e-9)
    # grids 14 to 17 belong to shells only
    K = assembled(ctx, parts, lambda b: b.stiffness(ALL))
    rows = np.concatenate([ctx.grids.dof[ctx.grids.find(g)] + np.arange(6) for g in (14, 15, 16, 17)])
    known = nastran_decks.matrix(case, "kgg")[np.ix_(rows, rows)]
    np.testing.assert_allclose(K[np.ix_(rows, rows)], known, atol=1e-9 * np.abs(known).max())


def test_modes_of_a_thick_free_plate_are_nastrans():
    """200 CQUAD4, lumped mass: four flexible modes to 1e-5 (the reference has seven digits)."""
    ctx = Context(nastran_decks.read("plate_free_cquad4"))
    parts = shells.read(ctx)
    K = assembled(ctx, parts, lambda b: b.stiffness(ALL))
    M = assembled(ctx, parts, lambda b: b.mass(ALL, False))
    a, o = np.flatnonzero(np.diag(M) > 0), np.flatnonzero(np.diag(M) == 0)
    reduced = K[np.ix_(a, a)] - K[np.ix_(a, o)] @ np.linalg.solve(K[np.ix_(o, o)], K[np.ix_(o, a)])
    found = scipy.linalg.eigh(reduced, M[np.ix_(a, a)], eigvals_only=True, subset_by_index=[6, 9])
    known = nastran_decks.figures("plate_free_cquad4")["frequencies_hz"][6:]
    np.testing.assert_allclose(np.sqrt(found) / (2 * np.pi), known, rtol=1e-5)


def test_corner_thickness_rules():
    """Ti replace T; with TFLAG 1 they are fractions of T; without T every corner needs its own."""
    plain = stiffness("CQUAD4,1,1,1,2,3,4\nPSHELL,1,1,.02,1,,1\n")
    same_stiffness(
        plain,
        1e-12,
        "CQUAD4,1,1,1,2,3,4\n,,,.02,.02,.02,.02\nPSHELL,1,1,.01,1,,1\n",
        "CQUAD4,1,1,1,2,3,4\n,,1,2.,2.,2.,2.\nPSHELL,1,1,.01,1,,1\n",
        "CQUAD4,1,1,1,2,3,4\n,,,.02,.02,.02,.02\nPSHELL,1,1,,1,,1\n",
    )
    with pytest.raises(DeckError, match="has no thickness"):
        blocks("CQUAD4,1,1,1,2,3,4\n,,,.02,.02,.02\nPSHELL,1,1,,1,,1\n")


def test_membrane_bending_and_plane_strain():
    membrane = stiffness("CQUAD4,1,1,1,2,3,4\nPSHELL,1,1,.01\n", k6rot=0.0)
    assert np.linalg.matrix_rank(membrane, tol=1.0) == 5
    bending = stiffness("CQUAD4,1,1,1,2,3,4\nPSHELL,1,,.01,1,,1\n")
    assert np.linalg.matrix_rank(bending, tol=1e-3) == 9
    strain = stiffness("CQUAD4,1,1,1,2,3,4\nPSHELL,1,1,.01,-1\n", k6rot=0.0)
    u = np.zeros(24)
    u[0::6] = [0, 2, 2, 0]
    E, nu = 7e10, 0.3
    np.testing.assert_allclose(u @ membrane @ u, 2 * 0.01 * E / (1 - nu**2), rtol=1e-12)
    np.testing.assert_allclose(u @ strain @ u, 2 * 0.01 * E * (1 - nu) / (1 + nu) / (1 - 2 * nu), rtol=1e-12)


def test_blank_shear_material_means_no_shear_flexibility():
    """MID3 blank is the limit of a large TS/T."""
    rigid = stiffness("CQUAD4,1,1,1,2,3,4\nPSHELL,1,1,.2,1\n")
    limit = stiffness("CQUAD4,1,1,1,2,3,4\nPSHELL,1,1,.2,1,,1,1.+9\n")
    np.testing.assert_allclose(rigid, limit, atol=1e-6 * np.abs(rigid).max())


def test_inertia_ratio_and_coupling():
    """12I/T**3 scales bending; MID4 G4 = −z A / T² is a plate moved by z (NASTRAN's sign: ε = ε₀ − zχ)."""
    a = stiffness("CQUAD4,1,1,1,2,3,4\nPSHELL,1,1,.02,1,8.,1,.833333333333333\n")
    b = stiffness("CQUAD4,1,1,1,2,3,4\nPSHELL,1,1,.04,1,,1,.416666666666667\n")
    bend = np.concatenate([6 * k + np.array([2, 3, 4]) for k in range(4)])
    np.testing.assert_allclose(a[np.ix_(bend, bend)], b[np.ix_(bend, bend)], rtol=1e-9, atol=1e-3)
    t, z = 0.02, 0.005
    c = 7e10 / 0.91
    g = [-z * v / t for v in (c, 0.3 * c, 0.0, c, 0.0, 0.35 * c)]
    card = (
        "MAT2*,4,"
        + ",".join(f"{v:.12e}" for v in g[:3])
        + "\n*,"
        + ",".join(f"{v:.12e}" for v in g[3:])
        + "\n"
    )
    moved = stiffness(
        f"CQUAD4,1,1,1,2,3,4\nPSHELL,1,1,{t},1,{1 + 12 * z**2 / t**2:.13},1\n,,,4\n" + card, k6rot=0.0
    )
    offset = stiffness(f"CQUAD4,1,1,1,2,3,4,,{z}\nPSHELL,1,1,{t},1,,1\n", k6rot=0.0)
    np.testing.assert_allclose(moved, offset, atol=1e-9 * np.abs(offset).max())


def test_material_direction():
    """THETA from side 1-2, or the x axis of MCID; a ply angle adds to it."""
    base = stiffness("CQUAD4,1,1,1,2,3,4,30.\nPCOMP,1\n,8,.01,0.\n")
    same_stiffness(
        base,
        1e-9,
        "CQUAD4,1,1,1,2,3,4\nPCOMP,1\n,8,.01,30.\n",
        "CQUAD4,1,1,1,2,3,4,7\nCORD2R,7,,0.,0.,0.,0.,0.,1.\n,.866025403784439,.5,0.\nPCOMP,1\n,8,.01,0.\n",
        "CQUAD4,1,1,1,2,3,4,30.\nPSHELL,1,8,.01,8,,8\n",
    )
    other = stiffness("CQUAD4,1,1,1,2,3,4\nPCOMP,1\n,8,.01,0.\n")
    assert np.abs(other - base).max() > 1e-2 * np.abs(base).max()
    # a system normal to the element gives no direction: side 1-2 stays
    normal = "CQUAD4,1,1,1,2,3,4,7\nCORD2R,7,,0.,0.,0.,1.,0.,0.\n,0.,0.,1.\nPCOMP,1\n,8,.01,0.\n"
    np.testing.assert_array_equal(stiffness(normal), other)


def test_plies_repeat_and_pcompg_agrees():
    """Blank MID and T repeat the ply before; PCOMPG gives the same laminate; SYM mirrors it."""
    full = stiffness("CQUAD4,1,1,1,2,3,4\nPCOMP,1,,1.5\n,8,.001,0.,YES,8,.001,90.\n,8,.001,90.,,8,.001,0.\n")
    for text in (
        "PCOMP,1,,1.5\n,8,.001,0.,YES,,,90.\n,,,90.,,8,.001,0.\n",
        "PCOMP,1,,1.5,,,,,SYM\n,8,.001,0.,YES,8,.001,90.\n",
        "PCOMPG,1,,1.5\n,11,8,.001,0.,YES\n,12,8,.001,90.\n,13,8,.001,90.\n,14,8,.001,0.\n",
    ):
        got = blocks("CQUAD4,1,1,1,2,3,4\n" + text)["CQUAD4"]
        np.testing.assert_allclose(got.stiffness(ALL)[0], full, atol=1e-12 * np.abs(full).max())
        np.testing.assert_allclose(got.mass(ALL, False)[0][::6, ::6].sum(), 2 * (4 * 1.6 + 1.5), rtol=1e-12)


def test_damping_and_mass():
    parts = blocks("CQUAD4,1,1,1,2,3,4\nPSHELL,1,9,.01,9,,9,,2.5\nMAT1,9,7.+10,,.3,2700.,,,.02\n")
    assert parts["CQUAD4"].ge[0] == 0.02
    np.testing.assert_allclose(
        np.trace(parts["CQUAD4"].mass(ALL, False)[0]) / 3, 2 * (27.0 + 2.5), rtol=1e-12
    )


def test_given_normal_is_used():
    """An SNORM card tilts the normal at one grid; the default has flat normals."""
    text = "CQUAD4,1,1,1,2,3,4\nPSHELL,1,1,.01,1,,1\n"
    tilted = blocks(text + "SNORM,1,,0.1,0.,1.\n")["CQUAD4"]
    np.testing.assert_allclose(tilted.normals[0], np.array([0.1, 0, 1]) / np.hypot(0.1, 1.0))
    assert np.abs(tilted.stiffness(ALL) - blocks(text)["CQUAD4"].stiffness(ALL)).max() > 1.0


def test_every_card_is_read():
    text = """
CQUAD4,1,1,1,2,3,4
CQUADR,2,1,1,2,3,4
CTRIA3,3,1,1,2,3
CTRIAR,4,1,1,2,3
CQUAD8,5,1,1,2,3,4,5,6
,7,8
CTRIA6,6,1,1,2,4,5,,8
CSHEAR,7,2,1,2,3,4
PSHELL,1,1,.01,1,,1
PSHEAR,2,1,.01
"""
    parts = blocks(text)
    sizes = {name: block.stiffness(ALL).shape[1] for name, block in parts.items()}
    assert sizes == {
        "CQUAD4": 24,
        "CQUADR": 24,
        "CTRIA3": 18,
        "CTRIAR": 18,
        "CQUAD8": 48,
        "CTRIA6": 36,
        "CSHEAR": 12,
    }
    for name, block in parts.items():
        expected = {"CTRIA3": 1.0, "CTRIAR": 1.0, "CTRIA6": 1.0}.get(name, 2.0) * 27.0
        for coupled in (False, True):
            mass = block.mass(ALL, coupled)[0]
            step = block.dofs_per_node
            np.testing.assert_allclose(mass[::step, ::step].sum(), expected, rtol=1e-12, err_msg=name)


SHELL = "PSHELL,1,1,.01,1,,1\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CQUAD4,9,1,1,2,3,4\n", "CQUAD4 refers to property 1, which is not in the deck"),
        ("CQUAD4,9,1,1,3,2,4\n" + SHELL, "CQUAD4 9 has no area"),
        ("CQUAD4,9,1,1,5,2,4\n" + SHELL, "CQUAD4 9 has an interior angle of 180 degrees or more at grid 5"),
        ("CTRIA3,9,1,1,5,2\n" + SHELL, "CTRIA3 9 has no area"),
        ("CTRIA3,9,1,1,2,2\n" + SHELL, "CTRIA3 9 uses a grid twice"),
        ("CTRIA3,9,1,1,2,77\n" + SHELL, "grid 77, which is not in the deck"),
        ("CQUAD4,9,1,1,2,3,4\nPSHELL,1,1,-.1,1\n", "thickness T of this PSHELL is not possible"),
        ("CQUAD4,9,1,1,2,3,4\nPSHELL,1,5,.1,1\n", "material 5, which is not in the deck"),
        ("CQUAD4,9,1,1,2,3,4\nPSHELL,1,5,.1,1\nMAT9,5,1.+9\n", "material 5 cannot be used in a shell"),
        ("CQUAD4,9,1,1,2,3,4\nPSHELL,1,,.1\n", "neither MID1 nor MID2"),
        ("CQUAD4,9,1,1,2,3,4\nPCOMP,1\n,8,,0.\n", "ply 1 of this PCOMP has no thickness"),
        ("CQUAD4,9,1,1,2,3,4\nPCOMP,1,,,,,,,ODD\n,8,.1,0.\n", "LAM of this PCOMP is not known"),
        ("CQUAD4,9,1,1,2,3,4\nPCOMP,1\n", "has no plies"),
        ("CQUAD4,9,1,1,2,3,4,30\n" + SHELL, "coordinate system 30, which is not in the deck"),
        ("CQUAD4,9,1,1,2,3,4\n,,3,.1,.1,.1,.1\n" + SHELL, "TFLAG is not possible"),
        ("CQUAD8,9,1,1,2,3,4,6,8\n,7,5\n" + SHELL, "CQUAD8 9 is folded"),
        ("CSHEAR,9,1,1,2,3,4\nPSHEAR,1,1,0.\n", "this PSHEAR has no thickness"),
    ],
)
def test_mistakes_are_explained(text, message):
    with pytest.raises(DeckError, match=message):
        blocks(text)


def test_a_square_of_eight_nodes_as_in_a_run_of_nastran():
    """CQUAD8 6401 of pyNastran's model d200obus (MSC.Nastran 2005, seven digits): soft in shear, three edge forces.

    Nothing holds the rotations about the normal, as in that run.
    """
    places = np.array([[0, 0], [2, 0], [2, 2], [0, 2], [1, 0], [2, 1], [1, 2], [0, 1]]) / 2
    text = "SOL 101\nCEND\nSPC=1\nLOAD=1\nBEGIN BULK\nMAT1,1,1.,.8,.1\nPSHELL,1,1,1.,1,120.,1,1.\n"
    text += "".join(f"GRID,{k + 1},,{x},{y},0.\n" for k, (x, y) in enumerate(places))
    text += "CQUAD8,1,1,1,2,3,4,5,6\n,7,8\nSPC1,1,1256,2,3\nSPC1,1,123456,1,8,4\nSPC1,1,6,5,6,7\n"
    text += "".join(f"FORCE,1,{grid},0,1.,0.,0.,1.\n" for grid in (2, 6, 3)) + "ENDDATA\n"
    u = ist.static(ist.FEModel.from_deck(deck_from_text(text)))
    for grid, motion in {
        2: (4.285220, -0.07472489, 0.0),
        5: (2.134029, 0.005288228, -0.03899312),
        6: (3.572958, 0.0, -0.1029654),
    }.items():
        np.testing.assert_allclose(u[grid][2:5], motion, rtol=1e-6, atol=1e-12)
