"""Thermal loads against closed forms: free expansion without stress, held expansion, gradients, bimetals."""

from __future__ import annotations

import numpy as np
import pytest

from interstage import FEModel, normal_modes, static
from interstage.errors import ModelError
from interstage.fem.thermal import expansion_of_set
from interstage.nastran import deck_from_text

E, NU, ALPHA, T = 70e9, 0.3, 23e-6, 50.0
MATERIAL = "MAT1,1,7.+10,,.3,2700.,2.3-5,20.\n"


def solve(bulk, case="TEMPERATURE(LOAD) = 7", temperature="TEMPD,7,70."):
    text = f"SOL 101\nCEND\nSPC = 1\n{case}\nBEGIN BULK\n{MATERIAL}{temperature}\n{bulk}\nENDDATA\n"
    return static(FEModel.from_deck(deck_from_text(text)))


def line(card, prop, held_b=""):
    return f"GRID,1\nGRID,2,,2.,0.,0.\n{card}\n{prop}\nSPC1,1,123456,1\n{held_b}"


CBAR = "CBAR,1,1,1,2,0.,1.,0."
PBAR = "PBAR,1,1,.01,2.-5,3.-5,4.-5"
LINES = {
    "CROD": ("CROD,1,1,1,2", "PROD,1,1,.01,1.-5\nSPC1,1,2356,2\nSPC1,1,4,2"),
    "CONROD": ("CONROD,1,1,2,1,.01,1.-5", "SPC1,1,23456,2"),
    "CBAR": (CBAR, PBAR),
    "CBEAM": ("CBEAM,1,1,1,2,0.,1.,0.", "PBEAM,1,1,.01,2.-5,3.-5,0.,4.-5"),
}


@pytest.mark.parametrize("name", LINES)
def test_lines_expand_and_push(name):
    free = solve(line(*LINES[name]))
    assert free[2][0] == pytest.approx(2.0 * ALPHA * T, rel=1e-12)
    held = solve(line(*LINES[name], "SPC1,1,1,2"))
    assert held[2][0] == 0.0
    push = -E * 0.01 * ALPHA * T
    column = "axial_force" if name == "CBEAM" else "axial"
    np.testing.assert_allclose(held.forces[name].column(column), push, rtol=1e-12)
    assert np.abs(free.forces[name].column(column)).max() < 1e-9 * abs(push)
    assert held.spcforces[2][0] == pytest.approx(push, rel=1e-12)


@pytest.mark.parametrize("name", ["CBAR", "CBEAM"])
def test_gradients_bend_bars(name):
    """A cantilever of curvature -αT': deflection -αT'L²/2; linear along it -αL²(T'a/3 + T'b/6); held: M = EIαT'."""
    card, prop = LINES[name]
    bend = "TEMPD,7,20.\nTEMPRB,7,1,20.,20.,30.,30.,{}\n,,,,,,,,\n,1"
    tip = solve(line(card, prop), temperature=bend.format("0.,0."))[2]
    np.testing.assert_allclose(tip[[1, 5]], [-ALPHA * 30 * 2, -ALPHA * 30 * 2], rtol=1e-12)
    tip = solve(line(card, prop), temperature=bend.format("0.,12."))[2]
    np.testing.assert_allclose(tip[[2, 4]], [-ALPHA * 4 * 2, ALPHA * 12], rtol=1e-12)
    held = solve(line(card, prop, "SPC1,1,123456,2"), temperature=bend.format("0.,0."))
    assert abs(held.spcforces[2][5]) == pytest.approx(E * 2e-5 * ALPHA * 30, rel=1e-12)


PLATE = """GRID,1,,0.,0.,0.
GRID,2,,1.1,.1,0.
GRID,3,,1.,1.,0.
GRID,4,,-.1,.9,0.
"""
DETERMINATE = "SPC1,1,123,1\nSPC1,1,23,2\nSPC1,1,3,3,4\n"


@pytest.mark.parametrize(
    "card",
    ["CQUAD4,1,1,1,2,3,4", "CTRIA3,1,1,1,2,3\nCTRIA3,2,1,1,3,4", "CQUADR,1,1,1,2,3,4", "CQUAD8,1,1,1,2,3,4"],
)
def test_shells_expand_bend_and_push(card):
    shell = PLATE + card + "\nPSHELL,1,1,.01,1,,1\n"
    free = solve(shell + "SPC1,1,123456,1\n")
    for grid, x in ((2, (1.1, 0.1)), (3, (1.0, 1.0)), (4, (-0.1, 0.9))):
        np.testing.assert_allclose(
            free[grid][:2], np.array(x) * ALPHA * T, rtol=1e-6
        )  # drilling is held at a corner
        assert np.abs(free[grid][2:]).max() < 1e-7 * ALPHA * T
    ids = ",".join(str(k + 1) for k in range(card.count("CTRIA3") or 1))
    bent = solve(
        shell + "SPC1,1,123456,1\n",
        temperature=f"TEMPD,7,20.\nTEMPP1,7,1,20.,100.\n,{ids}",
    )
    for grid, x in ((2, (1.1, 0.1)), (3, (1.0, 1.0))):
        # w = -½ αT' |x|²; slopes turn with it
        np.testing.assert_allclose(bent[grid][2], -0.5 * ALPHA * 100 * np.dot(x, x), rtol=1e-6)
        np.testing.assert_allclose(bent[grid][3:5], ALPHA * 100 * np.array([-x[1], x[0]]), rtol=1e-6)
    held = solve(shell + "SPC1,1,123456,1,THRU,4\n")
    name = card.split(",")[0]
    if name in held.forces:
        N = -E * 0.01 * ALPHA * T / (1 - NU)
        np.testing.assert_allclose(held.forces[name].column("mx"), N, rtol=1e-9)
        np.testing.assert_allclose(held.forces[name].column("my"), N, rtol=1e-9)


def test_bimetal():
    """Two layers of one stiffness and unlike expansion: curvature 3/2 Δα T / h (Timoshenko 1925)."""
    bulk = PLATE + "CQUAD4,1,1,1,2,3,4\nMAT1,2,7.+10,,.3,2700.,1.-5\nMAT1,3,7.+10,,.3,2700.,3.-5\n"
    bulk += "PCOMP,1,,,,,20.\n,2,.005,0.,,3,.005,0.\nSPC1,1,123456,1\n"
    u = solve(bulk)
    curvature = 1.5 * 2e-5 * T / 0.01  # the upper layer expands more
    np.testing.assert_allclose(u[2][2], -0.5 * curvature * (1.1**2 + 0.1**2), rtol=1e-6)
    np.testing.assert_allclose(u[3][:2], 2e-5 * T * np.array([1.0, 1.0]), rtol=1e-6)


def test_orthotropic_shell_in_turned_axes():
    """Free strains A1 and A2 along and across an axis at 30 degrees."""
    bulk = PLATE + "CQUAD4,1,1,1,2,3,4,{theta}\nMAT8,8,1.+11,1.+10,.3,5.+9,,,,1.-6,3.-5\nPSHELL,1,8,.01,8\n"
    side = np.degrees(np.arctan2(0.1, 1.1))
    u = solve(bulk.format(theta=f"{30.0 - side:.12f}") + "SPC1,1,123456,1\n")
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    R = np.array([[c, -s], [s, c]])
    strain = R @ np.diag([1e-6, 3e-5]) @ R.T * 70.0  # TREF of MAT8 is blank
    for grid, x in ((2, (1.1, 0.1)), (3, (1.0, 1.0))):
        np.testing.assert_allclose(u[grid][:2], strain @ x, rtol=1e-5)


CUBE = "".join(
    f"GRID,{k + 1},,{x},{y},{z}\n"
    for k, (x, y, z) in enumerate(
        [(0.0, 0.0, 0.0), (1.0, 0.1, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)]
        + [(0.0, 0.0, 1.0), (1.0, 0.0, 1.1), (1.0, 1.0, 1.0), (0.0, 1.0, 0.9)]
    )
)
HEXA = CUBE + "CHEXA,1,1,1,2,3,4,5,6\n,7,8\nPSOLID,1,1\n"


def test_solids_expand_and_push():
    free = solve(HEXA + "SPC1,1,123,1\nSPC1,1,13,4\nSPC1,1,1,5\n")
    size = E * ALPHA * T / (1 - 2 * NU)
    assert np.abs(free.stresses["CHEXA"].column("oxx")).max() < 1e-9 * size
    np.testing.assert_allclose(free[7][:3], ALPHA * T, rtol=1e-9)
    held = solve(HEXA + "SPC1,1,123,1,THRU,8\n")
    for column in ("oxx", "oyy", "ozz"):
        np.testing.assert_allclose(held.stresses["CHEXA"].column(column), -size, rtol=1e-9)


def tetra10(field, given=10):
    """A tetrahedron of ten nodes with temperatures `field(x)`, held so that it can move but not be strained."""
    corners = np.array([[0, 0, 0], [1.0, 0, 0], [0.2, 1, 0], [0.1, 0.2, 1]])
    edges = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))
    x = np.concatenate([corners, [(corners[a] + corners[b]) / 2 for a, b in edges]])
    grids = "".join(f"GRID,{k + 1},,{p[0]},{p[1]},{p[2]}\n" for k, p in enumerate(x))
    heat = "".join(f"TEMP,7,{k + 1},{20.0 + field(p):.12f}\n" for k, p in enumerate(x[:given]))
    bulk = grids + "CTETRA,1,1,1,2,3,4,5,6\n,7,8,9,10\nPSOLID,1,1\nSPC1,1,123,1\nSPC1,1,23,2\nSPC1,1,3,3\n"
    return solve(bulk, temperature=heat)


def test_linear_temperature_leaves_second_order_solids_free_of_stress():
    u = tetra10(lambda p: 10.0 + 5.0 * p[0] - 3.0 * p[1] + 2.0 * p[2])
    stress = u.stresses["CTETRA"].values[:, :6]
    assert np.abs(stress).max() < 1e-9 * E * ALPHA * 10.0
    # the edge from grid 1 to grid 2 grows by the mean temperature along it
    assert u[2][0] == pytest.approx(ALPHA * 12.5, rel=1e-12)


def test_anything_free_to_expand_is_free_of_stress():
    """One model of offset bars, beams, warped shells and solids in turned systems, held as a free body is."""
    bulk = (
        HEXA
        + """CORD2C,5,,1.,1.,1.,1.,2.,1.
,2.,1.,1.
GRID,20,,2.,0.,0.
GRID,21,,3.,.5,.4,5
CBAR,20,2,3,20,0.,1.,.3
,,,.1,.2,-.1,.1,.2,-.1
PBAR,2,1,.01,2.-5,3.-5,4.-5
CBEAM,21,3,20,21,0.,1.,.3
PBEAM,3,1,.01,2.-5,3.-5,0.,4.-5
CROD,22,4,7,21
PROD,4,1,.01
CQUAD4,23,5,5,6,7,8
CTRIA3,24,5,3,7,20
PSHELL,5,1,.01,1,,1
SPC1,1,123,1
SPC1,1,23,2
SPC1,1,3,4
PARAM,K6ROT,0.
"""
    )
    u = solve(bulk)
    fe = u.recovery.fe
    # the supports leave the body free: forces of constraint are round-off beside what holding would need
    size = E * 0.01 * ALPHA * T
    assert np.abs(u.spc_forces).max() < 1e-8 * size
    assert np.abs(u.forces["CROD"].column("axial")).max() < 1e-8 * size
    assert np.abs(u.forces["CBAR"].values).max() < 1e-8 * size
    rows = fe.grids.find(np.array([3, 7]))
    distance = np.linalg.norm(fe.grids.xyz[rows[1]] - fe.grids.xyz[rows[0]])
    moved = np.linalg.norm(fe.grids.xyz[rows[1]] + u[7][:3] - fe.grids.xyz[rows[0]] - u[3][:3])
    assert moved / distance - 1.0 == pytest.approx(ALPHA * T, rel=1e-6)
    balance = u.gpforces
    total = np.zeros((len(fe.grids), 6))
    np.add.at(total, fe.grids.find(balance.grid_ids), balance.values)
    assert np.abs(total).max() < 1e-7 * size


def test_initial_temperatures_replace_tref():
    card, prop = LINES["CBAR"]
    u = solve(
        line(card, prop),
        case="TEMPERATURE(LOAD) = 7\nTEMPERATURE(INITIAL) = 8",
        temperature="TEMPD,7,70.,8,45.\nTEMP,8,1,35.",
    )
    assert u[2][0] == pytest.approx(2.0 * ALPHA * 30.0, rel=1e-12)


def test_mechanical_and_thermal_loads_add():
    card, prop = LINES["CBAR"]
    both = solve(line(card, prop) + "FORCE,3,2,,1000.,1.,0.,0.\n", case="TEMPERATURE(LOAD) = 7\nLOAD = 3")
    assert both[2][0] == pytest.approx(2.0 * ALPHA * T + 1000.0 * 2.0 / (E * 0.01), rel=1e-12)
    assert both.forces["CBAR"].column("axial")[0] == pytest.approx(1000.0, rel=1e-9)
    np.testing.assert_allclose(both.mpc_forces, 0.0, atol=1e-6)


def test_heat_softens_a_held_bar():
    """Frequencies of a bar pushed by its own expansion, N = -EAαT: those under an axial force of that size."""
    grids = "".join(f"GRID,{k + 1},,{0.1 * k:.1f},0.,0.\n" for k in range(11))
    bars = "".join(f"CBAR,{k},1,{k},{k + 1},0.,1.,0.\n" for k in range(1, 11))
    held = "SPC1,1,1234,1,11\nPBAR,1,1,1.-4,1.-9,1.-9,1.-9\nEIGRL,9,,,2\nTEMPD,7,30.\nSPC1,1,34,2,THRU,10\n"
    pushed = "SPC1,2,1234,1\nSPC1,2,234,11\nSPC1,2,34,2,THRU,10\nFORCE,3,11,,-1.,{},0.,0.\n"
    text = "SOL 103\nCEND\nSUBCASE 1\n SPC = {spc}\n {load}\nSUBCASE 2\n SPC = {spc}\n METHOD = 9\n STATSUB = 1\n"
    push = f"{E * 1e-4 * ALPHA * 10.0:.10E}"
    bulk = "BEGIN BULK\n" + MATERIAL + grids + bars + held + pushed.format(push)
    hot = normal_modes(
        FEModel.from_deck(deck_from_text(text.format(spc=1, load="TEMPERATURE(LOAD) = 7") + bulk))
    )
    cold = normal_modes(FEModel.from_deck(deck_from_text(text.format(spc=2, load="LOAD = 3") + bulk)))
    # bending alone: axial modes differ by the support at the end
    assert hot.frequencies_hz[0] == pytest.approx(cold.frequencies_hz[0], rel=1e-9)


def bar_of_bricks(n):
    """Ten by n bricks, T = 20 + 100 (y/h - 1/2); held so that they can bend freely."""
    bulk, ids = "", {}
    for i in range(11):
        for j in range(n + 1):
            for k in range(2):
                ids[i, j, k] = len(ids) + 1
                bulk += f"GRID,{ids[i, j, k]},,{i * 0.1:.3f},{j * 0.1 / n:.6f},{k * 0.1:.3f}\n"
                bulk += f"TEMP,7,{ids[i, j, k]},{20 + 100 * (j / n - 0.5):.8f}\n"
    for i in range(10):
        for j in range(n):
            face = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
            g = [ids[a, b, k] for k in (0, 1) for a, b in face]
            bulk += f"CHEXA,{i * n + j + 1},1," + ",".join(map(str, g[:6])) + f"\n,{g[6]},{g[7]}\n"
    bulk += f"PSOLID,1,1\nSPC1,1,123,{ids[0, 0, 0]}\nSPC1,1,13,{ids[0, n, 0]}\nSPC1,1,1,{ids[0, 0, 1]}"
    return solve(bulk, temperature=""), ids[10, 0, 0]


@pytest.mark.parametrize("n", [1, 4])
def test_bricks_bend_by_the_temperatures_of_their_grids(n):
    """Curvature αT' of a bar with a gradient across it, one element deep as well: tip -αT'L²/2, no stress."""
    u, tip = bar_of_bricks(n)
    assert u[tip][1] == pytest.approx(-0.5 * ALPHA * 1000.0, rel=1e-9)
    assert np.abs(u.stresses["CHEXA"].values[:, :6]).max() < 1e-8 * E * ALPHA * 50.0


SOLIDS = {
    "CHEXA": (CUBE, "CHEXA,1,1,1,2,3,4,5,6\n,7,8"),
    "CPENTA": (CUBE, "CPENTA,1,1,1,2,3,5,6,7"),
    "CPYRAM": (CUBE, "CPYRAM,1,1,1,2,3,4,7"),
    "CTETRA": (CUBE, "CTETRA,1,1,1,2,3,6"),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_uneven_temperatures_work_as_interpolated(name):
    """Forces of any temperatures do the work ε:C:α ∫ΣN_a T_a dV in motions of even strain, none in rigid ones."""
    grids, card = SOLIDS[name]
    grids = "\n".join(line for line in grids.splitlines() if int(line.split(",")[1]) in used(card))
    heat = "".join(f"TEMP,7,{g},{20.0 + 7.0 * (g % 3) - 2.0 * g}\n" for g in sorted(used(card)))
    text = f"SOL 101\nCEND\nBEGIN BULK\nPARAM,COUPMASS,1\n{MATERIAL}{grids}\n{heat}{card}\nPSOLID,1,1\n"
    fe = FEModel.from_deck(deck_from_text(text))
    load = expansion_of_set(fe, 7).load.reshape(-1, 6)[:, :3]
    volumes = np.asarray(fe.M_gg.sum(axis=1)).reshape(-1, 6)[:, 0] / 2700.0  # ∫N_a dV from the coupled mass
    change = fe.loads.temperatures[7].at_grids(fe.grids) - 20.0
    bulk_stress = E * ALPHA / (1 - 2 * NU) * volumes @ change
    work = fe.grids.xyz.T @ load  # of the nine motions u_i = x_j
    np.testing.assert_allclose(work, bulk_stress * np.eye(3), rtol=1e-9, atol=1e-9 * abs(bulk_stress))
    np.testing.assert_allclose(load.sum(axis=0), 0.0, atol=1e-9 * abs(bulk_stress))


def used(card):
    return {int(field) for field in card.replace("\n", "").split(",")[3:]}


def test_a_middle_node_without_a_temperature_has_that_of_its_edge():
    whole = tetra10(lambda p: 10.0 + 5.0 * p[0])
    bare = tetra10(lambda p: 10.0 + 5.0 * p[0], given=4)
    np.testing.assert_allclose(bare.displacement, whole.displacement, atol=1e-12 * abs(whole[2][0]))


def test_bushes_expand_along_their_axis():
    bush = "GRID,1\nGRID,2,,{},0.,0.\nCBUSH,1,1,1,2,{}\nSPC1,1,123456,1\n"
    bush += "PBUSH,1,K,1.+6,1.+6,1.+6,1.+6,1.+6,1.+6\n,,T,1.-5,20.,{}\n"
    free = solve(bush.format("2.", "0.,1.,0.", ""))
    assert free[2][0] == pytest.approx(2.0 * 1e-5 * T, rel=1e-12)
    held = solve(bush.format("2.", "0.,1.,0.", "") + "SPC1,1,123456,2\n")
    assert held.forces["CBUSH"].column("fx")[0] == pytest.approx(-1e6 * 2.0 * 1e-5 * T, rel=1e-12)
    close = solve(bush.format("0.", ",,,0", ".5"))  # COINL is the length of a bush between grids at one place
    assert close[2][0] == pytest.approx(0.5 * 1e-5 * T, rel=1e-12)


def test_temperatures_of_elements_that_take_none_are_told_of():
    card, prop = LINES["CBAR"]
    notes = solve(line(card, prop), temperature="TEMPD,7,20.\nTEMPP1,7,1,90.,0.\nTEMPRB,7,99,90.,90.").notes
    assert any("TEMPP1 of set 7 names 1 that are no plates" in note and "element 1" in note for note in notes)
    assert any("TEMPRB of set 7 names 1 that are no bars" in note and "element 99" in note for note in notes)


def test_mistakes_are_named():
    card, prop = LINES["CBAR"]
    with pytest.raises(ModelError, match=r"temperature set 7 is selected but is not in the deck .*known: 8"):
        solve(line(card, prop), temperature="TEMPD,8,1.")
    with pytest.raises(ModelError, match="CBAR 1 has no temperature at grid 2"):
        solve(line(card, prop), temperature="TEMP,7,1,1.")
    for bad, words in (
        ("TEMP,7,9,1.", "TEMP refers to grid 9"),
        ("TEMP,7,1", "TEMP needs pairs"),
        ("TEMPD,7,1.,7,2.", "two defaults"),
        ("TEMPP1,7,1", "TBAR of this TEMPP1 is missing"),
        ("TEMP,7,1,1.\nTEMP,7,1,2.", "a temperature twice"),
        ("TEMPD,7,1.\nTEMPP3,7,1,0.,9.", "temperature set 7 holds a TEMPP3, which is not supported"),
    ):
        with pytest.raises(Exception, match=words):
            solve(line(card, prop), temperature=bad)


def test_materials_that_depend_on_temperature_are_told_of():
    table = "TEMPD,7,70.\nMATT1,1,4\nTABLEM1,4\n,0.,7.+10,100.,1.+10,ENDT"
    for case, told in (
        ("TEMPERATURE = 7", 1),
        ("TEMPERATURE(MATERIAL) = 7", 1),
        ("TEMPERATURE(LOAD) = 7", 0),
    ):
        notes = solve(line(*LINES["CBAR"]), case, table).notes
        assert sum("MATT1 would change materials by temperature" in note for note in notes) == told
