"""Part superelements: decks cut into parts against the same structure in one piece."""

from __future__ import annotations

import numpy as np
import pytest

from interstage import Component, FEModel, normal_modes, static
from interstage.cli.main import main
from interstage.errors import InterstageError
from interstage.fem.from_deck.parts import read_parts
from interstage.nastran import deck_from_text

COMMON = "MAT1,1,7.+10,,.3,2700.\nPSHELL,1,1,.01,1,,1\nPBAR,1,1,.001,2.-6,3.-6,4.-6\n"
HEAD = "SOL {sol}\nCEND\n{case}\nBEGIN BULK\nEIGRL,1,,,12\n"
CASE = "SPC = 1\nMETHOD = 1\nLOAD = 3"


def strip(first, last, number, move=np.array):
    """Plates from x = first/2 to last/2, y from 0 to 1: grids 10 i + j and elements from `number`."""
    out, eid = "", number
    for i in range(first, last + 1):
        for j in range(3):
            x = move([0.5 * i, 0.5 * j, 0.05 * i * i])
            out += f"GRID,{10 * i + j + 1},," + ",".join(f"{float(c):.10f}" for c in x) + "\n"
    for i in range(first, last):
        for j in range(2):
            a, b = 10 * i + j + 1, 10 * (i + 1) + j + 1
            out += f"CQUAD4,{eid},1,{a},{b},{b + 1},{a + 1}\n"
            eid += 1
    return out


MIDDLE = "CBAR,900,1,41,42,0.,0.,1.\nCBAR,901,1,42,43,0.,0.,1.\nCONM2,902,42,,30.\nPARAM,SNORM,0.\n"
TIP = "RBE2,950,81,123456,82,83\nCONM2,951,82,,5.\nCELAS2,952,1.+5,72,3\n"
HELD = "SPC1,1,123456,1,2,3\n"
PUSH = "FORCE,3,82,,100.,0.,0.,1.\n"
WEIGHT = "GRAV,3,,9.81,0.,0.,-1.\n"


def whole_text(sol=103, case=CASE, loads=PUSH + WEIGHT):
    return HEAD.format(sol=sol, case=case) + COMMON + strip(0, 8, 1) + MIDDLE + TIP + HELD + loads


def whole(sol=103):
    return FEModel.from_deck(deck_from_text(whole_text(sol)))


def residual(joins=""):
    grids = "".join(f"GRID,{40 + j},,2.,{0.5 * (j - 1)},.8\n" for j in (1, 2, 3))
    return COMMON + grids + MIDDLE + WEIGHT + joins


def parts(*arguments, **named):
    return deck_from_text(parts_text(*arguments, **named))


def parts_text(sol=103, case=CASE, joins="", left=None, right=None):
    text = HEAD.format(sol=sol, case=case) + residual(joins)
    text += "BEGIN SUPER=1\n" + COMMON + (left or strip(0, 4, 1)) + HELD + WEIGHT
    text += "BEGIN BULK SUPER = 2\n" + COMMON + (right or strip(4, 8, 1)) + TIP + PUSH + WEIGHT
    return text + "ENDDATA\n"


@pytest.fixture(scope="module")
def one():
    return normal_modes(whole()).frequencies_hz


def same_modes(deck, one):
    # 1e-8 of the frequencies: sums in another order, one factorization of another numbering
    np.testing.assert_allclose(normal_modes(FEModel.from_deck(deck)).frequencies_hz, one, rtol=1e-8)


def test_parts_at_one_place_are_joined(one):
    fe = FEModel.from_deck(parts())
    assert len(fe.grids) == 15 + 15 + 3 and any("2 parts are joined" in note for note in fe.notes)
    same_modes(parts(), one)
    assert fe.mass_properties().mass == pytest.approx(whole().mass_properties().mass, rel=1e-12)


def test_loads_of_parts_are_those_of_the_whole():
    wanted, found = static(whole(101)), static(FEModel.from_deck(parts(101)))
    for grid in (21, 42, 82):
        np.testing.assert_allclose(found[grid], wanted[grid], rtol=1e-8, atol=1e-10)
    by_case = "SUBCASE 1\nSUPER = 1\nSPC = 1\nLOAD = 3\nSUBCASE 2\nSUPER = 2\nLOAD = 3\nSUBCASE 3\nSUPER = 0\nLOAD = 3"
    found = static(FEModel.from_deck(parts(101, by_case)), 3)
    np.testing.assert_allclose(found[82], wanted[82], rtol=1e-8, atol=1e-10)
    only_first = by_case.replace("SUPER = 2\nLOAD = 3", "SUPER = 2").replace(
        "SUPER = 0\nLOAD = 3", "SUPER = 0"
    )
    deck = parts(101, only_first)
    light = static(FEModel.from_deck(deck), 3)
    alone = FEModel.from_deck(deck.parts[1])
    mass = alone.M_gg.diagonal()[alone.grids.dof]
    push = "".join(f"FORCE,3,{g},,{9.81 * m:.12E},0.,0.,-1.\n" for g, m in zip(alone.grids.id, mass))
    wanted = static(FEModel.from_deck(deck_from_text(whole_text(101, loads=push))))
    np.testing.assert_allclose(light[82], wanted[82], rtol=1e-8, atol=1e-10)


HOLDS = {
    "the residual in one subcase, a part in the other": ("SPC1,1,3,42\n", "SPC1,2,3,42\n", ""),
    "both in one subcase, none in the other": ("SPC1,1,3,42\n", "SPC1,1,3,42\n", ""),
    "two parts and not the residual": ("", "SPC1,1,3,42\n", "SPC1,1,3,42\n"),
    "moved by a part": ("SPC1,1,3,42\n", "SPC1,1,3,42\nSPCD,3,42,3,.01\n", ""),
}


@pytest.mark.parametrize("held", HOLDS)
def test_points_that_parts_share_stay_joined_whoever_holds_them(held):
    ends = "SPC1,2,123456,1,2,3\n"
    case = "LOAD = 3\nSUBCASE 1\nSPC = 1\nSUBCASE 2\nSPC = 2"
    cards = HOLDS[held]
    if "SPCD" in cards[1]:
        case = "SPC = 1\nSUBCASE 1\nLOAD = 3\nSUBCASE 2\nLOAD = 3"
    one_piece = FEModel.from_deck(
        deck_from_text(whole_text(101, case, PUSH + WEIGHT + ends + "".join(dict.fromkeys(cards))))
    )
    left, right = strip(0, 4, 1) + ends + cards[1], strip(4, 8, 1) + cards[2]
    fe = FEModel.from_deck(parts(101, case, joins=cards[0], left=left, right=right))
    for number in (1, 2):
        wanted, found = static(one_piece, number), static(fe, number)
        for grid in (21, 42, 82):
            np.testing.assert_allclose(found[grid], wanted[grid], rtol=1e-8, atol=1e-10)


HOLDS_TURNED = {
    "a part holds in its own axes": ("", "SPC1,1,2,42\n"),
    "both hold": ("SPC1,1,3,42\n", "SPC1,1,12,42\n"),
    "equations on both sides": ("MPC,4,42,3,1.,41,3,-1.\n", "MPC,4,42,1,1.,52,1,-.5\n"),
}


@pytest.mark.parametrize("held", HOLDS_TURNED)
def test_shared_points_of_other_axes_are_held_and_tied_by_anyone(held):
    """Against one piece, the cards of the turned part on a grid of its axes that is tied to the shared one."""
    axes = "CORD2R,5,,0.,0.,0.,0.,0.,1.\n,.8,.6,0.\n"
    main, own = HOLDS_TURNED[held]
    case = CASE + "\nMPC = 4"
    turned = axes + "GRDSET,,,,,,5\n"
    fe = FEModel.from_deck(parts(101, case, joins=main, right=turned + strip(4, 8, 1) + own))
    double = "GRID,742,,2.,.5,.8,5\nRBE2,743,42,123456,742\nGRID,752,,2.5,.5,1.25,5\nRBE2,753,52,123456,752\n"
    text = whole_text(101, case, PUSH + WEIGHT + axes + double + main)
    text += (
        own.replace(",42,", ",742,").replace(",52,", ",752,").replace(",42\n", ",742\n")
        + "PARAM,AUTOMSET,YES\n"
    )
    wanted, found = static(FEModel.from_deck(deck_from_text(text)), 1), static(fe, 1)
    for grid in (21, 42):
        np.testing.assert_allclose(found[grid], wanted[grid], rtol=1e-8, atol=1e-10)


def test_equations_of_one_part_that_conflict_are_an_error():
    twice = "MPC,4,52,1,1.,61,1,-1.\nMPC,4,52,1,1.,62,1,-1.\n"
    fe = FEModel.from_deck(parts(101, CASE + "\nMPC = 4", right=strip(4, 8, 1) + twice))
    with pytest.raises(InterstageError, match="dependent"):
        static(fe, 1)


def test_grids_of_other_axes(one):
    turned = "CORD2C,5,,2.,.4,0.,2.,.4,1.\n,3.,.4,0.\nGRDSET,,,,,,5\n"
    deck = parts(right=turned + strip(4, 8, 1))
    same_modes(deck, one)


def test_a_part_that_is_modelled_elsewhere_is_carried_to_its_place(one):
    angle = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])

    def away(x):
        return angle @ (np.asarray(x) - [2.0, 0.0, 0.0]) + [7.0, -3.0, 11.0]

    mark = "GRID,5,,2.5,0.,1.25\n"  # where grid 51 of the part has to be
    same_modes(parts(right=strip(4, 8, 1, away), joins="SELOC,2,41,43,51,41,43,5\n" + mark), one)


def test_named_connections(one):
    named = "SEBULK,1,PRIMARY,,MANUAL\nSEBULK,2,PRIMARY,,MANUAL\n"
    same_modes(
        parts(joins=named + "SECONCT,1,0\n,41,41,42,42,43,43\nSECONCT,2,0\n,41,THRU,43,41,THRU,43\n"), one
    )
    only = "SEBNDRY,2,0,41,43\nSEBNDRY,2,1,41,43\n"
    two = normal_modes(FEModel.from_deck(parts(joins=only))).frequencies_hz
    assert len(read_parts(parts(joins=only)).boundary(2)) == 2 and two[0] < one[0]
    left_out = read_parts(parts(joins="SEEXCLD,2,ALL,42\n"))
    assert left_out.boundary(2) == {41: 123456, 43: 123456}
    assert left_out.boundary(1) == {41: 123456, 42: 123456, 43: 123456}


def test_a_part_is_repeated():
    """Two equal arms on a bar: one section, carried to the second place."""
    arm = COMMON + "".join(f"GRID,{k},,0.,{0.25 * k},0.\n" for k in range(5))
    arm = arm.replace("GRID,0,", "GRID,9,") + "CBAR,1,1,9,1,1.,0.,0.\n"
    arm += "".join(f"CBAR,{k + 1},1,{k},{k + 1},1.,0.,0.\n" for k in range(1, 4))
    base = "GRID,101,,0.,0.,0.\nGRID,102,,1.,0.,0.\nCBAR,50,1,101,102,0.,1.,0.\nSPC1,1,123456,101\n"
    joins = "GRID,121,,1.,0.,1.,,123456\nGRID,122,,1.,1.,1.,,123456\nSEBULK,7,REPEAT,3\nSELOC,7,9,21,22,102,121,122\n"
    part = arm + "GRID,21,,0.,0.,1.,,123456\nGRID,22,,0.,1.,1.,,123456\n"
    text = HEAD.format(sol=103, case=CASE) + COMMON + base + joins + "BEGIN SUPER=3\n" + part
    fe = FEModel.from_deck(deck_from_text(text))
    written = HEAD.format(sol=103, case=CASE) + COMMON + base
    for first, x in ((200, 0.0), (300, 1.0)):
        root = 101 if x == 0.0 else 102
        ids = [root, *range(first + 1, first + 5)]
        written += "".join(f"GRID,{ids[k]},,{x},{0.25 * k},0.\n" for k in range(1, 5))
        written += "".join(f"CBAR,{first + k},1,{ids[k]},{ids[k + 1]},1.,0.,0.\n" for k in range(4))
    wanted = normal_modes(FEModel.from_deck(deck_from_text(written))).frequencies_hz
    np.testing.assert_allclose(normal_modes(fe).frequencies_hz, wanted, rtol=1e-8)


@pytest.mark.parametrize("angle", [0.0, 90.0, 200.0])
def test_a_copy_of_a_part_at_points_of_the_residual_structure(angle):
    """A dish with a heavy rim point on one side of a mast, and its copy, turned, on the other; all in one piece too."""

    def dish(first, system):
        places = [(0.0, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 0.4), (0.6, 0.1, 0.1), (0.7, 0.5, 0.3)]
        out = "".join(
            f"GRID,{first + k},{system},{x},{y},{z},{system}\n" for k, (x, y, z) in enumerate(places)
        )
        for eid, (a, b, g) in enumerate([(0, 3, 1), (1, 4, 0), (2, 3, 0), (3, 4, 0), (2, 4, 1)]):
            out += f"CBAR,{first + eid},1,{first + a},{first + b},{first + g}\n"
        return out + f"CONM2,{first + 9},{first + 4},,3.\n"

    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    system = f"CORD2R,5,,0.3,-.2,1.,{0.3 - s},-.2,{1.0 + c}\n,{0.3 + c},-.2,{1.0 + s}\n"
    mast = system + "".join(
        f"GRID,{base + k},{cid},{x},{y},{z},{cid}\n"
        for base, cid in ((100, ""), (200, 5))
        for k, (x, y, z) in enumerate([(0.0, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 0.4)])
    )
    for eid, (a, b) in enumerate([(100, 101), (101, 102), (100, 200), (102, 201), (200, 202), (201, 202)]):
        mast += f"CBAR,{500 + eid},1,{a},{b},.3,.5,.7\n"
    mast += "SPC1,1,123456,100\n"
    head = HEAD.format(sol=103, case=CASE) + COMMON
    cut = head + mast + "CSUPER,7,3,200,201,202\nBEGIN SUPER=3\n" + COMMON + dish(10, "")
    flat = head + mast + dish(10, "") + dish(20, 5)
    joints = zip((100, 101, 102, 200, 201, 202), (10, 11, 12, 20, 21, 22))
    flat += "".join(f"RBE2,{900 + a},{a},123456,{b}\n" for a, b in joints)
    wanted = normal_modes(FEModel.from_deck(deck_from_text(flat))).frequencies_hz
    found = normal_modes(FEModel.from_deck(deck_from_text(cut))).frequencies_hz
    np.testing.assert_allclose(found, wanted, rtol=1e-9)
    if angle:
        straight = cut.replace(",5\n", ",\n")
        with pytest.raises(InterstageError, match="do not lie as those of superelement 3 do"):
            FEModel.from_deck(deck_from_text(straight))


MISTAKES = {
    "SECONCT,1,0\n,41,42": "grids 41 and 42, which are not at one place",
    "SECONCT,9,0\n,41,42": "SECONCT names part 9, which is not in the deck",
    "SECONCT,1,0\n,41,777": "SECONCT refers to point 777",
    "SEBULK,5,PRIMARY": "SEBULK names superelement 5, which has no section",
    "SEBULK,1,PRIMARY,,AUTO,-1.": "TOL of this SEBULK is not possible",
    "SEBULK,1,PRIMARY,,AUTO,FAR": "TOL of this SEBULK is not possible",
    "SECONCT,1,0,-1.\n,41,41": "TOL of this SECONCT is not possible",
    "SEBNDRY,2,TIP,41": "SEBNDRY names no second superelement",
    "SEBULK,1,FRFOP2": "SEBULK of type FRFOP2 is not supported",
    "GRID,99,,2.,0.,.8": "points 41, 99 of part 0 would be one",
    "SELOC,1,1,11,21,41,42,43": "do not lie alike|lie on a line",
    "SELOC,1,1,11,,41,42,43": "a grid of this SELOC is missing",
    "RELEASE,1,4,42": "RELEASE is not supported: it cuts components",
    "CSUPER,5,2,41": "does not name one point for each exterior point of superelement 2",
    "CSUPER,5,0,41": "CSUPER of an external superelement is not supported",
    "CSUPER,5,9,41": "CSUPER copies superelement 9, which has no section",
    "CSUPER,2,1,41": "CSUPER does not name a new superelement",
    "CSUPER,5,2,41,42,777": "CSUPER refers to point 777",
    "CSUPER,5,2,43,42,41": "the points of CSUPER 5 do not lie as those of superelement 2 do",
}


@pytest.mark.parametrize("joins", MISTAKES)
def test_mistakes_are_named(joins):
    with pytest.raises(InterstageError, match=MISTAKES[joins]):
        FEModel.from_deck(parts(joins=joins + "\n"))


@pytest.mark.parametrize("card", ["SELOC,9,1,11,21,41,42,43", "SEBNDRY,9,0,41", "SEEXCLD,9,ALL,41"])
def test_cards_of_parts_that_are_not_there_are_noted(card):
    notes = FEModel.from_deck(parts(joins=card + "\n")).notes
    assert any("superelement 9, which is not in the deck" in note for note in notes)


def test_sections_that_are_no_parts():
    for text, words in (
        ("BEGIN BULK\nGRID,1\nBEGIN SUPER=1\nGRID,1\nBEGIN SUPER=1\nGRID,2\n", "a second BEGIN of part 1"),
        ("BEGIN SUPER=1\nGRID,1\n", "parts .BEGIN SUPER. but no main bulk data"),
        ("BEGIN BULK\nGRID,1\nBEGIN AUXMODEL=1\nGRID,1\n", "only the main bulk data .* got AUXMODEL 1"),
    ):
        with pytest.raises(InterstageError, match=words):
            deck_from_text("SOL 103\nCEND\n" + text)
    with pytest.raises(InterstageError, match="no section BEGIN SUPER"):
        FEModel.from_deck(deck_from_text("SOL 103\nCEND\nBEGIN BULK\nGRID,1\nSEBULK,5,EXTERNAL\n"))


def test_each_part_becomes_a_component(tmp_path):
    """Parts as components on a bus, their modes held at the boundary, against the part solved alone and held."""
    deck = parts()
    boundary = read_parts(deck).boundary(2)
    assert boundary == {41: 123456, 42: 123456, 43: 123456}
    made = Component.from_deck(deck.parts[2], 8, aset=boundary)
    held = strip(4, 8, 1) + TIP + "SPC1,1,123456,41,42,43\n"
    alone = normal_modes(
        FEModel.from_deck(deck_from_text(HEAD.format(sol=103, case=CASE) + COMMON + held)), 8
    )
    np.testing.assert_allclose(made.craig_bampton.frequencies_hz, alone.frequencies_hz, rtol=1e-8)
    path = tmp_path / "vehicle.bdf"
    path.write_text(parts_text())
    with pytest.raises(SystemExit) as stop:
        main(["component", str(path), "--part", "2", "--modes", "8", "-o", str(tmp_path / "wing.h5")])
    assert stop.value.code == 0
    np.testing.assert_allclose(
        Component.load(tmp_path / "wing.h5").frequencies_hz, made.frequencies_hz, rtol=1e-9
    )
    with pytest.raises(SystemExit) as stop:
        main(["component", str(path), "--part", "9", "-o", str(tmp_path / "wing.h5")])
    assert stop.value.code == 2
