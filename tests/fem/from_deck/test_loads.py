"""Static loads from decks: real runs, closed surfaces, directions, gravity, rotation, combinations."""

import numpy as np
import pytest
from grid_cards import UNIT_CUBE

from interstage.errors import DeckError, InputError
from interstage.fem.assembly import assemble
from interstage.fem.elements.block import ElementBlock
from interstage.fem.from_deck import solids
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.loads import read_loads
from interstage.nastran import deck_from_text
from refusals import refusals
from validation import nastran_decks

CUBE = UNIT_CUBE + "MAT1,1,2.9+7,,.32,2.0\nPSOLID,2,1\nCHEXA,1,2,1,2,3,4,5,6\n,7,8\n"


def loads_of(text, shells=()):
    """Loads, grids and mass of a deck; `shells` are (name, eid, grid ids)."""
    ctx = Context(deck_from_text(text))
    blocks = solids.read(ctx)
    for name, eid, ids in shells:
        blocks.append(ElementBlock(name, [eid], ctx.grids.find(np.array([ids]))))
    loads = read_loads(ctx, blocks)
    M = assemble(ctx.grids, blocks, lambda b, rows: b.mass(rows, False))
    return loads, ctx, M


def forces(loads, ctx, sid, M=None):
    """Forces (n, 3) and moments (n, 3) at grids, in CD axes."""
    f = loads.vector(sid, M)[ctx.grids.dof[:, None] + np.arange(6)]
    return f[:, :3], f[:, 3:]


def test_pressure_on_every_face_of_a_real_brick():
    """24 subcases of a Nastran run, to the 32 bits of its results."""
    ctx = Context(nastran_decks.read("static_chexa_pload4"))
    blocks = solids.read(ctx)
    loads = read_loads(ctx, blocks)
    K = assemble(ctx.grids, blocks, lambda b, rows: b.stiffness(rows)).toarray()
    free = [ctx.grids.dof_of(g, c) for g in (25, 26, 27, 28) for c in (1, 2, 3)]
    published = nastran_decks.displacement("static_chexa_pload4")
    assert len(published) == 24
    for sid, table in published.items():
        wanted = np.array(list(table.values()))
        u = np.zeros(ctx.grids.n_dof)
        u[free] = np.linalg.solve(K[np.ix_(free, free)], loads.vector(sid)[free])
        assert np.abs(u.reshape(-1, 6) - wanted).max() <= 2e-7 * np.abs(wanted).max()


SOLIDS = {
    "CHEXA,9,2,1,2,3,4,5,6\n,7,8\n": ["1,3", "5,7", "1,6", "2,7", "3,8", "4,5"],
    "CPENTA,9,2,1,2,3,5,6,7\n": ["1", "5", "1,6", "2,7", "3,5"],
    "CTETRA,9,2,1,2,3,6\n": ["1,6", "1,3", "2,1", "3,2"],
    "CPYRAM,9,2,1,2,3,4,7\n": ["1,3", "1,2", "2,3", "3,4", "1,4"],
}


@pytest.mark.parametrize("card", SOLIDS)
def test_pressure_on_all_faces_is_in_balance(card):
    """p n dA over a closed surface has no resultant; each face is pushed inward; x·f adds up to -3 p V."""
    text = CUBE + card + "".join(f"PLOAD4,{k},9,3.,,,,{g}\n" for k, g in enumerate(SOLIDS[card], 1))
    loads, ctx, _ = loads_of(text)
    block = next(b for b in solids.read(ctx) if 9 in b.eid)
    row = int(np.flatnonzero(block.eid == 9)[0])
    centre = block.xyz[row].mean(axis=0)
    total = np.zeros((len(ctx.grids), 3))
    for sid in range(1, len(SOLIDS[card]) + 1):
        f, m = forces(loads, ctx, sid)
        assert not m.any()
        on = np.abs(f).sum(axis=1) > 0
        assert (ctx.grids.xyz[on].mean(axis=0) - centre) @ f.sum(axis=0) < 0
        total += f
    np.testing.assert_allclose(total.sum(axis=0), 0, atol=1e-13)
    np.testing.assert_allclose(np.cross(ctx.grids.xyz, total).sum(axis=0), 0, atol=1e-13)
    assert (ctx.grids.xyz * total).sum() == pytest.approx(-3 * 3.0 * block.volumes()[row])


def test_pressure_by_corner_follows_the_face_from_g1():
    """P1 acts at G1; the others follow the right-hand rule about the outward normal (Quick Reference Guide)."""
    loads, ctx, _ = loads_of(CUBE + "PLOAD4,1,1,1.,2.,3.,4.,5,7\n")
    f, _ = forces(loads, ctx, 1)
    # outward from the top face is +z: around from grid 5 to 6, 7, 8
    p = np.zeros(8)
    p[[4, 5, 6, 7]] = [1.0, 2.0, 3.0, 4.0]
    face = [4, 5, 6, 7]
    weight = np.array([[4, 2, 1, 2], [2, 4, 2, 1], [1, 2, 4, 2], [2, 1, 2, 4]]) / 36
    np.testing.assert_allclose(f[face, 2], -weight @ p[face])
    assert not f[:4].any()


def test_pressure_by_corner_on_a_triangular_face_of_a_tetrahedron():
    """f_i = A/12 (2 p_i + p_j + p_k), inward, with P1 at G1 and P2 next about the outward normal."""
    loads, ctx, _ = loads_of(CUBE + "CTETRA,2,2,1,2,4,5\nPLOAD4,1,2,1.,2.,5.,,1,5\n")
    f, _ = forces(loads, ctx, 1)
    # the face 1-2-4 lies in z = 0 with grid 5 above it: outward is -z, so that 4 follows 1
    np.testing.assert_allclose(f[[0, 3, 1], 2], np.array([9.0, 10.0, 13.0]) / 24)


def test_pressure_along_a_direction():
    """CID, N1-N3 give the direction only; the load is p per unit of area."""
    text = CUBE + "CORD2R,3,,0.,0.,0.,1.,0.,0.\n,0.,1.,0.\nPLOAD4,1,1,2.,,,,5,7\n,3,0.,0.,5.\n"
    loads, ctx, _ = loads_of(text)
    np.testing.assert_allclose(forces(loads, ctx, 1)[0].sum(axis=0), [2.0, 0, 0], atol=1e-14)


def test_pressure_on_shells():
    """Along the normal of the node order; THRU takes the elements that exist; PLOAD2 and PLOAD agree."""
    shells = [("CQUAD4", 20, (1, 2, 3, 4)), ("CTRIA3", 24, (5, 6, 7))]
    text = (
        CUBE + "PLOAD4,1,20,2.,,,,THRU,30\nPLOAD4,2,24,1.,2.,4.\nPLOAD2,3,2.,20,24\nPLOAD2,4,2.,20,THRU,24\n"
    )
    loads, ctx, _ = loads_of(text + "PLOAD,5,2.,1,2,3,4\nPLOAD,5,2.,5,6,7\n", shells)
    f, _ = forces(loads, ctx, 1)
    np.testing.assert_allclose(f[:, 2], [0.5] * 4 + [1 / 3] * 3 + [0])
    for sid in (3, 4, 5):
        np.testing.assert_allclose(forces(loads, ctx, sid)[0], f)
    # consistent load of a linear pressure on a triangle: A/12 (2 p_i + p_j + p_k)
    np.testing.assert_allclose(forces(loads, ctx, 2)[0][4:7, 2], np.array([8.0, 9.0, 11.0]) / 24)


def test_pressure_on_second_order_faces():
    """Uniform pressure: -1/12 at corners, 1/3 at mid-edges of a square; thirds at mid-edges of a triangle."""
    grids = "GRID,11,,.5,0.,0.\nGRID,12,,1.,.5,0.\nGRID,13,,.5,1.,0.\nGRID,14,,0.,.5,0.\nGRID,15,,.5,.5,0.\n"
    shells = [("CQUAD8", 20, (1, 2, 3, 4, 11, 12, 13, 14)), ("CTRIA6", 21, (1, 2, 3, 11, 12, 15))]
    loads, ctx, _ = loads_of(CUBE + grids + "PLOAD4,1,20,1.\nPLOAD4,2,21,1.\n", shells)
    at = ctx.grids.find([1, 2, 3, 4, 11, 12, 13, 14])
    np.testing.assert_allclose(forces(loads, ctx, 1)[0][at, 2], [-1 / 12] * 4 + [1 / 3] * 4)
    at = ctx.grids.find([1, 2, 3, 11, 12, 15])
    np.testing.assert_allclose(forces(loads, ctx, 2)[0][at, 2], [0, 0, 0] + [1 / 6] * 3, atol=1e-16)
    # an absent mid-edge node leaves a linear edge
    shells = [("CQUAD8", 20, (1, 2, 3, 4, 11, 99, 99, 99))]
    loads, ctx, _ = loads_of(CUBE + grids + "PLOAD4,1,20,1.\n", shells)
    f = forces(loads, ctx, 1)[0][:, 2]
    assert f.sum() == pytest.approx(1.0)
    assert f[ctx.grids.find(11)] == pytest.approx(1 / 3)


def test_forces_and_moments():
    """FORCE and MOMENT in CID at the grid, along lines and normals, into the grid's CD system."""
    text = """
CORD2C,5,,0.,0.,0.,0.,0.,1.
,1.,0.,0.
GRID,1,,0.,2.,0.,5
GRID,2,,1.,0.,0.
GRID,3,,1.,0.,4.
GRID,4,,1.,3.,4.
FORCE,1,1,0,10.,0.,1.,0.
FORCE,2,2,5,10.,2.,0.,0.
MOMENT,3,1,5,3.,0.,0.,1.
FORCE1,4,2,7.,3,4
FORCE2,5,2,7.,2,3,3,4
MOMENT1,6,2,7.,3,4
MOMENT2,7,2,7.,2,3,3,4
LOAD,9,2.,1.,1,-3.,4
LOAD,10,1.,.5,9,3.,1
"""
    loads, ctx, _ = loads_of(text)
    # at (0, 2, 0) the radial direction is y
    np.testing.assert_allclose(forces(loads, ctx, 1)[0][0], [10, 0, 0], atol=1e-14)
    np.testing.assert_allclose(forces(loads, ctx, 2)[0][1], [20, 0, 0], atol=1e-14)
    np.testing.assert_allclose(forces(loads, ctx, 3)[1][0], [0, 0, 3], atol=1e-14)
    np.testing.assert_allclose(forces(loads, ctx, 4)[0][1], [0, 7, 0], atol=1e-14)
    np.testing.assert_allclose(forces(loads, ctx, 5)[0][1], [-7, 0, 0], atol=1e-14)
    np.testing.assert_allclose(forces(loads, ctx, 6)[1][1], [0, 7, 0], atol=1e-14)
    np.testing.assert_allclose(forces(loads, ctx, 7)[1][1], [-7, 0, 0], atol=1e-14)
    f, _ = forces(loads, ctx, 9)
    np.testing.assert_allclose(f[:2], [[20, 0, 0], [0, -42, 0]], atol=1e-13)
    # a LOAD card inside a LOAD card is left out, as in Nastran, and said to be
    np.testing.assert_allclose(loads.vector(10), 3.0 * loads.vector(1))
    assert "names set 9, which is a LOAD card itself" in loads.left_out(10)[0] and not loads.left_out(9)


def test_gravity_and_rotation():
    """Weight m g; centrifugal force m ω² r outward about the axis; torque of -α about the axis."""
    text = CUBE + "GRAV,1,,9.81,0.,0.,-2.\nRFORCE,2,1,,.5,0.,0.,2.\nRFORCE,3,,,,0.,0.,1.\n,.25\n"
    loads, ctx, M = loads_of(text)
    f, _ = forces(loads, ctx, 1, M)
    np.testing.assert_allclose(f.sum(axis=0), [0, 0, -2 * 9.81 * 2.0])
    f, _ = forces(loads, ctx, 2, M)
    omega = 2 * np.pi * 0.5 * 2.0
    np.testing.assert_allclose(f.sum(axis=0), [omega**2, omega**2, 0], atol=1e-10)
    f, _ = forces(loads, ctx, 3, M)
    inertia = (0.25 * (ctx.grids.xyz[:, :2] ** 2).sum(axis=1)).sum()
    torque = np.cross(ctx.grids.xyz, f).sum(axis=0)[2]
    assert torque == pytest.approx(-2 * np.pi * 0.25 * inertia)
    with pytest.raises(InputError, match="needs the mass matrix"):
        loads.vector(1)


def test_gravity_in_turned_grids():
    """The load is that of basic axes, turned into each grid's CD system."""
    turned = CUBE.replace("GRID,7,,1.0,1.0,1.0", "CORD2C,5,,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nGRID,7,,1.,1.,1.,5")
    loads, ctx, M = loads_of(turned + "GRAV,1,,8.,1.,1.,0.\n")
    f, _ = forces(loads, ctx, 1, M)
    np.testing.assert_allclose(f[6], [0.25 * 8 * np.sqrt(2), 0, 0], atol=1e-13)
    np.testing.assert_allclose(f[0], [2, 2, 0], atol=1e-13)


def test_enforced_displacements_and_scalar_loads():
    text = CUBE + "SPOINT,50\nSPCD,1,1,13,.5,2,2,-.25\nSPCD,2,3,3,1.\nSLOAD,1,50,4.\nLOAD,7,2.,1.,1,3.,2\n"
    loads, ctx, _ = loads_of(text)
    dof = ctx.grids.dof_of
    assert loads.enforced(1) == {dof(1, 1): 0.5, dof(1, 3): 0.5, dof(2, 2): -0.25}
    assert loads.enforced(7) == {dof(1, 1): 1.0, dof(1, 3): 1.0, dof(2, 2): -0.5, dof(3, 3): 6.0}
    assert loads.vector(7)[dof(50, 0)] == 8.0
    assert loads_of(CUBE + "SLOAD,1,3,4.\n")[0].vector(1)[dof(3, 1)] == 4.0  # on a grid along its first axis
    assert loads.ids == [1, 2, 7]


@pytest.mark.parametrize(
    "text, sid, message",
    [
        ("FORCE,1,1,0,1.,1.\n", 4, "no load set 4.*known: 1"),
        ("LOAD,1,1.,1.,6\n", 1, "LOAD 1 refers to load set 6, which is not in the deck"),
        ("ACCEL,1,0,0.,0.,1.,X\n", 1, "load set 1 holds a ACCEL, which is not supported"),
    ],
)
def test_sets_that_cannot_be_used(text, sid, message):
    """An error when the set is selected, not before."""
    loads, _, _ = loads_of(CUBE + text)
    with pytest.raises(DeckError, match=message):
        loads.vector(sid)
    with pytest.raises(DeckError, match=message):
        loads.enforced(sid)


@refusals(
    """
    FORCE,1,77,0,1.,1. -> grid 77, which is not in the deck
    FORCE,1,1,8,1.,1. -> coordinate system 8, which is not in the deck
    FORCE1,1,1,1.,2,2 -> has no direction: G1 and G2 coincide
    FORCE,1,1,0,1.,1.|LOAD,1,1.,1.,1 -> both a LOAD and a set of loads
    LOAD,1,1. -> combines no load set
    PLOAD4,1,55,1. -> element 55, which is no shell or solid
    PLOAD4,1,1,1. -> no face is given
    PLOAD4,1,1,1.,,,,1,2 -> do not name a face.*opposite corners
    PLOAD4,1,1,1.,,,,1,99 -> grid 99 is not a corner
    PLOAD4,1,1,1.,,,,1,3|,,,,,LINE -> along edges
    RFORCE,1,,,1.,0.,0.,0. -> no axis
    SPCD,1,1,7,.1 -> degree of freedom that is not there
    SPCD,1,1,1,.1,1,1,.2 -> grid 1 component 1 a displacement twice
    SLOAD,1,91,4. -> point that is not in the deck
    """
)
def test_mistakes(text, words):
    with pytest.raises(DeckError, match=words):
        loads_of(CUBE + text)
