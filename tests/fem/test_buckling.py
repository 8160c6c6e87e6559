"""Buckling and preload against closed forms."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import interstage as ist
from interstage.errors import ModelError
from interstage.fem import geometric_stiffness
from interstage.fem.elements.block import ElementBlock
from interstage.fem.elements.line_common import line_geometric_stiffness
from interstage.fem.elements.shear_panel import ShearPanelBlock
from interstage.fem.geometric import projected_stiffness
from interstage.nastran import deck_from_text

E, I_WEAK, L = 7e10, 5e-9, 2.0


def buckle(bulk: str, common: str = "SPC=1", method: str = "EIGRL,1,0.,,1", **options):
    case = f"{common}\nSUBCASE 1\nLOAD=1\nSUBCASE 2\nMETHOD=1"
    text = f"SOL 105\nCEND\n{case}\nBEGIN BULK\n{bulk}\n{method}\nENDDATA\n"
    return ist.buckling(ist.FEModel.from_deck(deck_from_text(text)), **options)


def column(n: int, element: str, held: str, load: str, I1: float = 8e-9, J: float = 9e-9) -> str:
    """Grids 1 to n + 1 along x, weak bending in xz."""
    bulk = "".join(f"GRID,{i + 1},,{L * i / n:.6f},0.,0.\n" for i in range(n + 1))
    bulk += "".join(f"{element},{i + 1},1,{i + 1},{i + 2},0.,1.,0.\n" for i in range(n))
    gap = "," if element == "CBEAM" else ""
    bulk += f"P{element[1:]},1,1,2.-4,{I1},{I_WEAK},{gap}{J}\n"
    if element == "CBEAM":
        bulk += ",,,,,,,\n,YESA,1.\n,0.,0.\n"
    return bulk + f"MAT1,1,{E},,.25\n{held}\n{load}\n"


ENDS = {
    "pinned": ("SPC1,1,1234,1\nSPC1,1,234,21", np.pi**2),
    "cantilever": ("SPC1,1,123456,1", np.pi**2 / 4),
    "clamped": ("SPC1,1,123456,1\nSPC1,1,23456,21", 4 * np.pi**2),
    "clamped and pinned": ("SPC1,1,123456,1\nSPC1,1,234,21", 4.493409457909064**2),
    "clamped and guided": ("SPC1,1,123456,1\nSPC1,1,2456,21", np.pi**2),
}


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("element", ["CBAR", "CBEAM"])
def test_columns_of_all_ends(ends, element):
    held, k = ENDS[ends]
    found = buckle(column(20, element, held, "FORCE,1,21,,1.,-1.,0.,0."))
    assert found.load_factors[0] == pytest.approx(k * E * I_WEAK / L**2, rel=2e-5)
    assert found.sturm_checked and found.residuals[0] < 1e-8
    assert np.abs(found.shapes[:, 0]).max() == 1.0


def test_tension_buckles_with_its_sign_turned():
    bulk = column(20, "CBAR", ENDS["pinned"][0], "FORCE,1,21,,1.,1.,0.,0.")
    both = buckle(bulk, method="EIGRL,1,,,2")
    assert both.load_factors[0] == pytest.approx(-(np.pi**2) * E * I_WEAK / L**2, rel=1e-5)
    positive = buckle(bulk)
    assert len(positive.load_factors) == 0 and any("0 of 1" in note for note in positive.notes)


def test_lanczos_finds_what_the_dense_solver_finds(monkeypatch):
    """Few factors, many, of one sign, of both, and none of the wanted sign."""
    held = "SPC1,1,1234,1\nSPC1,1,234,21"
    pushed = column(20, "CBAR", held, "FORCE,1,11,,1.,-1.,0.,0.\nFORCE,1,21,,.3,1.,0.,0.")
    pulled = column(20, "CBAR", ENDS["pinned"][0], "FORCE,1,21,,1.,1.,0.,0.")
    requests = ("EIGRL,1,0.,,1", "EIGRL,1,0.,,6", "EIGRL,1,,0.,3", "EIGRL,1,,,5")
    for bulk in (pushed, pulled):
        dense = [buckle(bulk, method=one) for one in requests]
        with monkeypatch.context() as small:
            small.setattr(sys.modules["interstage.fem.buckling"], "DENSE", 10)
            sparse = [buckle(bulk, method=one) for one in requests]
        for a, b in zip(dense, sparse):
            np.testing.assert_allclose(b.load_factors, a.load_factors, rtol=1e-6)


def test_a_range_of_load_factors():
    bulk = column(40, "CBAR", "SPC1,1,1234,1\nSPC1,1,234,41", "FORCE,1,41,,1.,-1.,0.,0.", I1=1e-6)
    unit = np.pi**2 * E * I_WEAK / L**2
    found = buckle(bulk, method=f"EIGRL,1,{3 * unit:.1f},{17 * unit:.1f}")
    np.testing.assert_allclose(found.load_factors / unit, [4, 9, 16], rtol=1e-4)


def test_a_released_end_is_a_hinge():
    held = "SPC1,1,123456,1\nSPC1,1,23456,21"
    bulk = column(20, "CBAR", held, "FORCE,1,21,,1.,-1.,0.,0.")
    bulk = bulk.replace("CBAR,20,1,20,21,0.,1.,0.", "CBAR,20,1,20,21,0.,1.,0.\n,,56")
    assert buckle(bulk).load_factors[0] == pytest.approx(4.493409457909064**2 * E * I_WEAK / L**2, rel=2e-5)


def test_torsional_buckling_of_a_column():
    """An axial force twists a section of large polar radius: P = GJ A / I_p (Wagner)."""
    J, I1 = 1e-11, 8e-9
    bulk = column(20, "CBAR", "SPC1,1,123456,1\nSPC1,1,2356,2,THRU,21", "FORCE,1,21,,1.,-1.,0.,0.", J=J)
    wanted = E / 2.5 * J * 2e-4 / (I1 + I_WEAK)
    assert buckle(bulk).load_factors[0] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("form", ["nastran", "full"])
def test_a_narrow_strip_turns_over(form):
    """Cantilever with a tip force in its stiff plane: P = 4.0126 √(EI GJ)/L² (Timoshenko and Gere, 6.3)."""
    I1, J = 1e-4, 9e-9
    bulk = column(40, "CBAR", "SPC1,1,123456,1", "FORCE,1,41,,1.,0.,-1.,0.", I1=I1, J=J)
    found = buckle(bulk, method="EIGRL,1,,,2", form=form)
    wanted = 4.0126 * np.sqrt(E * I_WEAK * E / 2.5 * J) / L**2
    # the sense of the load does not matter: a pair of equal factors
    np.testing.assert_allclose(np.sort(found.load_factors), [-wanted, wanted], rtol=1e-3)


def test_a_strip_in_pure_bending_turns_over():
    """Ends held against twist, equal couples: M = π √(EI GJ)/L."""
    I1, J = 1e-4, 9e-9
    held = "SPC1,1,1234,1\nSPC1,1,234,41"
    couples = "MOMENT,1,1,,1.,0.,0.,-1.\nMOMENT,1,41,,1.,0.,0.,1."
    found = buckle(column(40, "CBAR", held, couples, I1=I1, J=J))
    assert found.load_factors[0] == pytest.approx(np.pi * np.sqrt(E * I_WEAK * E / 2.5 * J) / L, rel=1e-3)


def test_a_clamped_shaft_under_torque():
    """T = 8.9868 EI/L (tan x = x, x = TL/2EI; Ziegler) with ends that do not turn about the cross axes; full form."""
    held = "SPC1,1,123456,1\nSPC1,1,2356,41"
    bulk = column(40, "CBAR", held, "MOMENT,1,41,,1.,1.,0.,0.", I1=I_WEAK)
    found = buckle(bulk, form="full", method="EIGRL,1,0.,,1")
    assert found.load_factors[0] == pytest.approx(2 * 4.493409 * E * I_WEAK / L, rel=2e-3)


def test_two_rods_on_a_spring():
    bulk = """
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,3,,2.,0.,0.
CROD,1,1,1,2
CROD,2,1,2,3
PROD,1,1,1.
MAT1,1,1.+6,,.3
CELAS2,3,20.,2,2
SPC1,1,123456,1
SPC1,1,3456,2,3
SPC1,1,2,3
FORCE,1,3,,1.,-1.,0.,0.
"""
    # P (2/L) w = k w
    assert buckle(bulk).load_factors[0] == pytest.approx(10.0, rel=1e-9)


def test_a_rigid_post_on_a_bush():
    """A post of height 3 on a rotational spring: P = k/h; the bush sits at its foot."""
    bulk = """
GRID,1,,0.,0.,0.
GRID,2,,3.,0.,0.
CBUSH,1,1,1,2,0.,1.,0.
,0.
PBUSH,1,K,1.+9,1.+9,1.+9,1.+9,60.,90.
SPC1,1,123456,1
FORCE,1,2,,1.,-1.,0.,0.
"""
    found = buckle(bulk, method="EIGRL,1,0.,,2")
    np.testing.assert_allclose(found.load_factors, [20.0, 30.0], rtol=1e-6)


def plate(n: int, kind: str, t: float = 0.01) -> str:
    """Unit square of n by n cells in compression along x, simply supported, free to shorten."""
    m = 2 if kind in ("CQUAD8", "CTRIA6") else 1  # grids by the side of a cell
    last = m * n
    at = lambda i, j: 1 + i + (last + 1) * j  # noqa: E731
    used = lambda i, j: kind != "CQUAD8" or i % 2 == 0 or j % 2 == 0  # noqa: E731
    places = [(i, j) for j in range(last + 1) for i in range(last + 1) if used(i, j)]
    bulk = "".join(f"GRID,{at(i, j)},,{i / last:.6f},{j / last:.6f},0.\n" for i, j in places)
    eid = 0
    for j in range(0, last, m):
        for i in range(0, last, m):
            a, b, c, d = at(i, j), at(i + m, j), at(i + m, j + m), at(i, j + m)
            split = ((a, b, c), (a, c, d)) if (i + j) // m % 2 else ((a, b, d), (b, c, d))
            for cell in split if "TRIA" in kind else ((a, b, c, d),):
                eid += 1
                # grids are numbered along lines, so that the middle of a side is the mean of its ends
                middles = [(p + q) // 2 for p, q in zip(cell, (*cell[1:], cell[0]))] if m == 2 else []
                ids = [*cell, *middles]
                bulk += f"{kind},{eid},1,{','.join(map(str, ids[:6]))}\n"
                bulk += f",{','.join(map(str, ids[6:]))}\n" if ids[6:] else ""
        share = (0.5, 0.5) if m == 1 else (1 / 6, 4 / 6, 1 / 6)
        for i, sign in ((0, 1), (last, -1)):
            for k, part in enumerate(share):
                bulk += f"FORCE,1,{at(i, j + k)},,{part / n:.9f},{sign}.,0.,0.\n"
    edge = [at(i, j) for i, j in places if i in (0, last) or j in (0, last)]
    bulk += "".join(f"SPC1,1,3,{g}\n" for g in edge)
    # edges do not turn along themselves, as in the theory of thin plates
    bulk += "".join(f"SPC1,1,4,{at(i, j)}\n" for i, j in places if i in (0, last))
    bulk += "".join(f"SPC1,1,5,{at(i, j)}\n" for i, j in places if j in (0, last))
    bulk += f"SPC1,1,1,{at(last // 2, 0)},{at(last // 2, last)}\nSPC1,1,2,{at(0, last // 2)}\n"
    bulk += f"SPC1,1,6,1,THRU,{at(last, last)}\n"
    return bulk + f"PSHELL,1,1,{t},1,,1\nMAT1,1,7.+10,,.3\n"


# shear flexibility makes the plate 6e-4 softer than the theory of thin plates
PLATES = [("CQUAD4", 16, 3e-3), ("CTRIA3", 16, 4e-3), ("CQUADR", 16, 3e-3), ("CTRIAR", 16, 4e-3)]


@pytest.mark.parametrize(("kind", "n", "error"), [*PLATES, ("CQUAD8", 8, 1e-3), ("CTRIA6", 8, 1e-3)])
def test_square_plate_k_is_four(kind, n, error):
    D = 7e10 * 0.01**3 / 12 / (1 - 0.3**2)
    found = buckle(plate(n, kind))
    assert found.load_factors[0] == pytest.approx(4 * np.pi**2 * D, rel=error)


def box(n: int, t: float) -> str:
    """Square tube of side and length 1 along x in compression, n by n cells a wall, ends held in their planes."""
    around = [(j / n, 0.0) for j in range(n)] + [(1.0, j / n) for j in range(n)]
    around += [(1.0 - j / n, 1.0) for j in range(n)] + [(0.0, 1.0 - j / n) for j in range(n)]
    at = lambda i, k: 1 + i + (n + 1) * (k % (4 * n))  # noqa: E731
    bulk = f"PSHELL,1,1,{t},1,,1\nMAT1,1,7.+10,,0.\nSPC1,1,1,{at(n // 2, 0)},{at(n // 2, n)},{at(n // 2, 2 * n)}\n"
    for k, (y, z) in enumerate(around):
        own = (
            56 if k % n == 0 else 6 if k // n % 2 == 0 else 5
        )  # an edge does not turn along itself, a wall in its plane
        for i in range(n + 1):
            bulk += f"GRID,{at(i, k)},,{i / n:.6f},{y:.6f},{z:.6f},,{own}\n"
            if i < n:
                corners = at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)
                bulk += f"CQUAD4,{at(i, k)},1,{','.join(map(str, corners))}\n"
        for i, sign in ((0, 1), (n, -1)):
            bulk += f"FORCE,1,{at(i, k)},,{1 / n:.9f},{sign}.,0.,0.\nSPC1,1,234,{at(i, k)}\n"
    return bulk


def test_a_box_beam_buckles_wall_by_wall():
    """Walls of a thin square tube bend in and out by turns, each simply supported by its neighbours: k = 4.

    The same mesh of one wall alone is held to 1e-4; the theory of thin plates to what a mesh of 12 misses.
    """
    n, t = 12, 0.002
    wall = buckle(plate(n, "CQUAD4", t).replace("7.+10,,.3", "7.+10,,0.")).load_factors[0]
    found = buckle(box(n, t)).load_factors[0]
    assert found == pytest.approx(wall, rel=1e-4)
    assert found == pytest.approx(4 * np.pi**2 * 7e10 * t**3 / 12, rel=6e-3)


def test_an_offset_plate_buckles_like_a_moved_one():
    """A plate on grids beside it, ZOFFS back to where it was, held and loaded there by rigid arms: the same factor."""
    n, z = 4, 0.05
    plain = plate(n, "CQUAD4")
    grids = [line for line in plain.splitlines() if line.startswith("GRID")]
    others = [line for line in plain.splitlines() if not line.startswith("GRID")]
    moved = []
    for line in grids:
        fields = line.split(",")
        moved += [line, f"GRID,{1000 + int(fields[1])},,{fields[3]},{fields[4]},{-z}"]
        moved.append(f"RBE2,{5000 + int(fields[1])},{fields[1]},123456,{1000 + int(fields[1])}")
    cards = []
    for line in others:
        if line.startswith("CQUAD4"):
            name, eid, pid, *ids = line.split(",")
            line = ",".join([name, eid, pid, *(str(1000 + int(g)) for g in ids), "", f"{z}"])
        cards.append(line)
    wanted = buckle(plain, form="full").load_factors[0]
    found = buckle("\n".join([*moved, *cards]) + "\n", form="full").load_factors[0]
    # arms turn with their grids: to second order the moved forces push the plate no differently
    assert found == pytest.approx(wanted, rel=1e-6)


def test_a_column_of_bricks():
    """2 x 2 bricks across, 40 along, one end held: Euler's load with shear, within the mesh."""
    n, h = 40, 0.1
    bulk, number = "", {}
    for i in range(n + 1):
        for j in range(3):
            for k in range(3):
                number[i, j, k] = len(number) + 1
                y, z = h * (j - 1) / 2, h * (k - 1) / 2
                bulk += f"GRID,{number[i, j, k]},,{L * i / n:.6f},{y:.6f},{z:.6f}\n"
    eid = 0
    for i in range(n):
        for j in range(2):
            for k in range(2):
                eid += 1
                around = ((0, 0), (1, 0), (1, 1), (0, 1))
                a = [number[i + p, j + q, k + r] for r in (0, 1) for p, q in around]
                bulk += f"CHEXA,{eid},1,{','.join(map(str, a[:6]))}\n,{a[6]},{a[7]}\n"
    weight = {0: 0.25, 1: 0.5, 2: 0.25}
    for j in range(3):
        for k in range(3):
            bulk += (
                f"SPC1,1,1,{number[0, j, k]}\nFORCE,1,{number[n, j, k]},,{weight[j] * weight[k]},-1.,0.,0.\n"
            )
    bulk += f"SPC1,1,23,{number[0, 1, 1]}\nSPC1,1,3,{number[0, 0, 1]}\nPSOLID,1,1\nMAT1,1,{E},,0.\n"
    bulk += f"SPC1,1,456,1,THRU,{len(number)}\n"
    euler = np.pi**2 * E * h**4 / 12 / (4 * L**2)
    wanted = euler / (1 + 1.2 * euler / (E / 2 * h * h))
    for form in ("nastran", "full"):
        found = buckle(bulk, method="EIGRL,1,0.,,2", form=form)
        np.testing.assert_allclose(found.load_factors, wanted, rtol=2e-3)


def test_full_form_turns_the_forces_of_a_loaded_bar():
    """A rigid turn θ of a loaded bar gives θ × f at its ends and ½ θ × m (semi-tangential moments)."""
    rng, length = np.random.default_rng(3), 1.7
    F = np.zeros(12)
    F[6:] = rng.standard_normal(6)
    F[:3] = -F[6:9]
    F[3:6] = -F[9:] - np.cross([length, 0, 0], F[6:9])
    K = line_geometric_stiffness(np.array([length]), F[None], np.array([0.3]), True)[0]
    np.testing.assert_allclose(K, K.T, atol=1e-15)
    for theta in np.eye(3):
        motion = np.concatenate([np.zeros(3), theta, np.cross(theta, [length, 0, 0]), theta])
        wanted = [np.cross(theta, F[:3]), np.cross(theta, F[3:6]) / 2]
        wanted += [np.cross(theta, F[6:9]), np.cross(theta, F[9:]) / 2]
        np.testing.assert_allclose(K @ motion, np.concatenate(wanted), atol=1e-14)


@pytest.mark.kernels
@pytest.mark.parametrize("kind", ["CQUAD4", "CTRIA3", "CQUADR", "CTRIAR", "CQUAD8", "CTRIA6"])
def test_full_form_turns_the_forces_of_loaded_shells(kind):
    """A rigid turn of a plate under its own balanced forces: Kg S_θ = θ × p."""
    text = f"SOL 101\nCEND\nSPC=1\nLOAD=1\nBEGIN BULK\n{plate(4, kind)}\nENDDATA\n"
    fe = ist.FEModel.from_deck(deck_from_text(text))
    u = ist.static(fe, 1)
    Kg, notes = geometric_stiffness(fe, u.displacement, "full")
    assert not notes
    load = u.load.reshape(-1, 6)
    for theta in np.eye(3):
        motion = np.zeros((len(fe.grids), 6))
        motion[:, :3], motion[:, 3:] = np.cross(theta, fe.grids.xyz), theta
        turned = (Kg @ motion.ravel()).reshape(-1, 6)
        np.testing.assert_allclose(turned[:, :3], np.cross(theta, load[:, :3]), atol=1e-9)


def one_of_each() -> ist.FEModel:
    """An element of every family with geometric stiffness between eleven grids, two of which have axes of their own."""
    corners = [(x, y, z) for z in (0.0, 1.1) for x, y in ((0.0, 0.0), (1.2, 0.1), (1.0, 1.0), (-0.1, 0.9))]
    corners += [(0.55, -0.05, 0.1), (1.6, 0.4, 0.5), (2.0, 1.3, 0.8)]
    cards = ["CORD2R,7,,1.,2.,3.,2.,2.5,3.5", ",0.,4.,1."]
    cards += [f"GRID,{i + 1},,{x},{y},{z},{7 if i in (1, 6) else ''}" for i, (x, y, z) in enumerate(corners)]
    cards += ["MAT1,1,7.+10,,.3", "PBAR,1,1,1.-3,2.-8,5.-8,4.-8", "PROD,4,1,1.-3,1.-8", "PSOLID,5,1"]
    cards += ["CBAR,1,1,1,2,.1,.2,1.", ",,5,.01,.02,.03,.0,.1,.05", "CBAR,2,1,2,3,0.,0.,1."]
    cards += ["PBEAM,2,1,1.-3,2.-8,5.-8,,4.-8", ",,,,,,,,", ",NO,1.,2.-3,4.-8,7.-8,,6.-8"]
    cards += ["CBEAM,3,2,3,7,.1,.2,1.", ",,,.01,,.02,.03"]
    cards += [
        "CONROD,4,4,8,1,1.-3,1.-8",
        "CROD,5,4,2,6",
        "CBUSH,6,6,1,11,,,,7",
        "PBUSH,6,K,1.+6,2.+6,3.+6,4.,5.,6.",
    ]
    cards += ["CBUSH1D,7,7,2,10", "PBUSH1D,7,1.+6", "CSHEAR,8,8,1,2,6,5", "PSHEAR,8,1,.01"]
    cards += ["PSHELL,9,1,.01,1,,1", "CQUAD4,9,9,2,3,7,6,,.02", "CTRIA3,10,9,1,4,8", "CQUADR,11,9,5,6,7,8"]
    cards += ["CQUAD8,12,9,1,2,3,4,9", "CTRIA6,13,9,2,10,3,,11", "CHEXA,14,5,1,2,3,4,5,6", ",7,8,9"]
    cards += ["CTETRA,15,5,1,2,3,6", "CPENTA,16,5,1,2,3,5,6,7"]
    cards += ["CBEND,17,17,10,11,.3,.4,1.,2", "PBEND,17,1,1.-3,2.-8,5.-8,4.-8,2."]
    return ist.FEModel.from_deck(
        deck_from_text("SOL 101\nCEND\nBEGIN BULK\n" + "\n".join(cards) + "\nENDDATA\n")
    )


@pytest.mark.kernels
def test_projected_stiffness_is_that_of_the_assembled_model():
    """ΦᵀKgΦ of preloads, fewer than an element has results and more, of every family."""
    fe, rng = one_of_each(), np.random.default_rng(8)
    shapes, u = rng.normal(size=(fe.grids.n_dof, 5)), 1e-3 * rng.normal(size=(fe.grids.n_dof, 70))
    for form in ("nastran", "full"):
        whole = np.array([shapes.T @ (geometric_stiffness(fe, one, form)[0] @ shapes) for one in u.T])
        size = np.abs(whole).max()
        for k in (1, 3, 70):
            found, notes = projected_stiffness(fe, u[:, :k], shapes, form)
            assert not notes
            np.testing.assert_allclose(found, whole[:k], atol=1e-13 * size, rtol=0.0)


def test_frequency_of_a_compressed_beam():
    """f = f0 √(1 - P/P_cr) for every mode with its own Euler load; STATSUB and preload= mean the same."""
    n, rho = 40, 2700.0
    half = 0.5 * np.pi**2 * E * I_WEAK / L**2
    bulk = column(n, "CBAR", "SPC1,1,1234,1\nSPC1,1,234,41", f"FORCE,1,41,,{half},-1.,0.,0.", I1=1e-6)
    bulk = bulk.replace(",,.25\n", f",,.25,{rho}\n") + "EIGRL,1,,,3\n"
    head = "SOL 103\nCEND\nSPC=1\nSUBCASE 1\nLOAD=1\nSUBCASE 2\nMETHOD=1\n"
    fe = ist.FEModel.from_deck(deck_from_text(f"{head}STATSUB=1\nBEGIN BULK\n{bulk}ENDDATA\n"))
    plain = ist.FEModel.from_deck(deck_from_text(f"{head}BEGIN BULK\n{bulk}ENDDATA\n"))
    free = ist.normal_modes(plain).frequencies_hz
    loaded = ist.normal_modes(fe)
    k = np.arange(1, 4)
    f0 = k**2 * np.pi / 2 * np.sqrt(E * I_WEAK / (rho * 2e-4)) / L**2
    np.testing.assert_allclose(free, f0, rtol=2e-4)
    np.testing.assert_allclose(loaded.frequencies_hz, f0 * np.sqrt(1 - 0.5 / k**2), rtol=2e-4)
    np.testing.assert_allclose(
        ist.normal_modes(plain, preload=1).frequencies_hz, loaded.frequencies_hz, rtol=1e-9
    )
    np.testing.assert_allclose(ist.normal_modes(fe, preload=0).frequencies_hz, free, rtol=1e-9)
    assert any("subcase 1" in note for note in loaded.notes)


def test_a_component_of_a_preloaded_deck_is_refused():
    bulk = column(4, "CBAR", "", "FORCE,1,5,,1.,-1.,0.,0.").replace(",,.25\n", ",,.25,1.\n") + "EIGRL,1,,,3\n"
    head = "SOL 103\nCEND\nSUBCASE 1\nLOAD=1\nSUBCASE 2\nMETHOD=1\nSTATSUB=1\n"
    with pytest.raises(ModelError, match="STATSUB"):
        ist.Component.from_deck(deck_from_text(f"{head}BEGIN BULK\n{bulk}ENDDATA\n"), n_modes=2)


def test_messages():
    held = ENDS["pinned"][0]
    with pytest.raises(ModelError, match="no subcase has loads"):
        bulk = column(4, "CBAR", "SPC1,1,123456,1", "")
        text = f"SOL 105\nCEND\nSPC=1\nMETHOD=1\nBEGIN BULK\n{bulk}\nEIGRL,1,0.,,1\nENDDATA\n"
        ist.buckling(ist.FEModel.from_deck(deck_from_text(text)))
    with pytest.raises(ModelError, match="METHOD = 1 selects"):
        buckle(column(20, "CBAR", held, "FORCE,1,21,,1.,-1.,0.,0."), method="")


def identical_columns(copies: int, n: int, request: str) -> str:
    """Pinned columns of length 1 side by side, EI = 56 in both planes, each under a unit load."""
    lines = [
        "SOL 105",
        "CEND",
        "SPC = 1",
        "SUBCASE 1",
        "LOAD = 1",
        "SUBCASE 2",
        "METHOD = 1",
        "BEGIN BULK",
        request,
    ]
    for q in range(copies):
        first, last = 1000 * q + 1, 1000 * q + n + 1
        lines += [f"GRID,{first + i},,{i / n:.9f},{float(q)},0." for i in range(n + 1)]
        lines += [f"CBAR,{first + i},1,{first + i},{first + i + 1},0.,1.,0." for i in range(n)]
        lines += [f"SPC1,1,1234,{first}", f"SPC1,1,234,{last}", f"FORCE,1,{last},,1.,-1.,0.,0."]
    lines += ["PBAR,1,1,1.-4,8.-10,8.-10,1.6-9", "MAT1,1,7.+10,,.33,2700.", "ENDDATA"]
    return "\n".join(lines)


@pytest.mark.parametrize("count", [5, 30, 60])
def test_load_factors_of_many_identical_columns(count):
    fe = ist.FEModel.from_deck(deck_from_text(identical_columns(24, 8, "EIGRL,1,,,5")))
    result = ist.buckling(fe, n_modes=count)
    euler = np.repeat([1.0, 4.0], 48)[:count] * np.pi**2 * 56.0
    np.testing.assert_allclose(result.load_factors, euler, rtol=6e-4)
    assert result.sturm_checked and np.linalg.matrix_rank(result.shapes, tol=1e-6) == count


def test_range_of_load_factors_above_zero_is_counted():
    fe = ist.FEModel.from_deck(deck_from_text(identical_columns(24, 8, "EIGRL,1,600.,3000.")))
    result = ist.buckling(fe)
    assert result.sturm_checked and len(result.load_factors) == 48
    np.testing.assert_allclose(result.load_factors, 4.0 * np.pi**2 * 56.0, rtol=6e-4)


def test_elements_without_geometric_stiffness_are_named_where_nothing_else_is_loaded(monkeypatch):
    monkeypatch.setattr(ShearPanelBlock, "geometric_stiffness", ElementBlock.geometric_stiffness)
    grids = [f"GRID,{i + 1},,{x}.,{y}.,0." for i, (x, y) in enumerate([(0, 0), (1, 0), (1, 1), (0, 1)])]
    head = ["SOL 105", "CEND", "SPC = 1", "SUBCASE 1", "LOAD = 1", "SUBCASE 2", "METHOD = 1", "BEGIN BULK"]
    bulk = ["CSHEAR,1,1,1,2,3,4", "PSHEAR,1,1,.01,,1.,1.", "MAT1,1,7.+10,,.3", "EIGRL,1,,,1"]
    text = "\n".join([*head, *grids, *bulk, "SPC1,1,123456,1,4", "FORCE,1,2,,-1.,1.,0.,0.", "ENDDATA"])
    with pytest.raises(ModelError, match="CSHEAR has no geometric stiffness"):
        ist.buckling(ist.FEModel.from_deck(deck_from_text(text)))


@pytest.mark.parametrize(
    "corners",
    [
        [(0, 0), (2, 0), (2, 1), (0, 1)],
        [(0, 0), (3, 0), (2, 1), (0.5, 1)],
        [(0, 0), (2, 0.3), (2.6, 1.9), (-0.2, 1)],
    ],
    ids=["rectangle", "trapezium", "no parallel sides"],
)
def test_a_turn_of_a_loaded_shear_panel_turns_its_forces(corners):
    """Kg S_θ = θ × p with the forces p of the panel on its grids; under shear it holds its diagonals as strings do."""
    tilt = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    x = np.array([(*c, 0.0) for c in corners]) @ tilt.T
    bulk = "".join(f"GRID,{i + 1},,{p[0]:.14f},{p[1]:.14f},{p[2]:.14f}\n" for i, p in enumerate(x))
    bulk += "CSHEAR,1,1,1,2,3,4\nPSHEAR,1,1,.01\nMAT1,1,7.+10,,.3\n"
    fe = ist.FEModel.from_deck(deck_from_text(f"SOL 101\nCEND\nBEGIN BULK\n{bulk}ENDDATA\n"))
    u = 1e-3 * np.random.default_rng(3).normal(size=24)
    p = (fe.K_gg @ u).reshape(4, 6)[:, :3]
    for form in ("nastran", "full"):
        Kg, notes = geometric_stiffness(fe, u, form)
        assert not notes and abs(Kg - Kg.T).max() < 1e-12 * abs(Kg).max()
        for theta in np.eye(3):
            turn = np.zeros((4, 6))
            turn[:, :3] = np.cross(theta, x)
            found = (Kg @ turn.ravel()).reshape(4, 6)
            np.testing.assert_allclose(found[:, :3], np.cross(theta, p), atol=1e-9 * np.abs(p).max())
            assert not found[:, 3:].any()


def test_subcase_that_names_its_loads_is_the_one_that_buckles():
    bulk = column(20, "CBAR", ENDS["pinned"][0], "FORCE,1,21,,1.,-1.,0.,0.")
    text = f"SOL 105\nCEND\nSPC=1\nSUBCASE 1\nLOAD=1\nSUBCASE 2\nSTATSUB=7\nBEGIN BULK\n{bulk}\nENDDATA\n"
    with pytest.raises(ModelError, match="STATSUB = 7 names no subcase"):
        ist.buckling(ist.FEModel.from_deck(deck_from_text(text)))
    found = ist.buckling(ist.FEModel.from_deck(deck_from_text(text.replace("=7", "=1"))))
    assert found.load_factors[0] == pytest.approx(np.pi**2 * E * I_WEAK / L**2, rel=2e-5)


def test_thrust_through_the_root():
    """A cantilever whose tip is pulled along the line to its root buckles at π²EI/L², four times the dead load's."""
    bulk = column(20, "CBAR", "SPC1,1,123456,1", "FORCE1,1,21,1.,21,1")
    found = buckle(bulk)
    assert found.load_factors[0] == pytest.approx(np.pi**2 * E * I_WEAK / L**2, rel=1e-4)
    assert any("follow the structure" in note for note in found.notes)
    dead = buckle(bulk + "PARAM,FOLLOWK,NO\n")
    assert dead.load_factors[0] == pytest.approx(np.pi**2 / 4 * E * I_WEAK / L**2, rel=1e-4)


def ring(n: int = 96, radius: float = 1.0, t: float = 0.02, b: float = 0.05) -> str:
    """A narrow ring of shells in the xy plane, pressure 1 from outside, held where the second wave stands still."""
    bulk = ""
    for i in range(n):
        angle = 2 * np.pi * i / n
        for k, z in enumerate((0.0, b)):
            bulk += (
                f"GRID,{1 + i + 1000 * k},,{radius * np.cos(angle):.9f},{radius * np.sin(angle):.9f},{z}\n"
            )
        a, c = 1 + i, 1 + (i + 1) % n
        bulk += f"CQUAD4,{i + 1},1,{c},{a},{a + 1000},{c + 1000}\n"
    bulk += f"PSHELL,1,1,{t},1,,1\nMAT1,1,{E},,0.\nPLOAD4,1,1,1.,,,,THRU,{n}\n"
    bulk += f"SPC1,1,345,1,THRU,{n}\nSPC1,1,345,1001,THRU,{1000 + n}\n"
    still = (
        (1, n // 2 + 1, 1001, 1001 + n // 2),
        (n // 4 + 1, 1001 + n // 4, 3 * n // 4 + 1, 1001 + 3 * n // 4),
    )
    return bulk + "".join(f"SPC1,1,{c},{g}\n" for c, grids in zip((2, 1), still) for g in grids)


def test_ring_under_pressure():
    """p = 3EI/R³ with pressure that stays normal, 4EI/R³ with one that keeps its direction (Bodner 1958)."""
    bending = E * 0.02**3 / 12
    follows, dead = buckle(ring()), buckle(ring() + "PARAM,FOLLOWK,NO\n")
    assert follows.load_factors[0] == pytest.approx(3 * bending, rel=3e-3)  # flat sides
    assert dead.load_factors[0] == pytest.approx(4 * bending, rel=3e-3)


def test_stiffness_of_following_loads_by_differences():
    """K_f u against loads of the deck with its grids moved along u."""
    rng = np.random.default_rng(3)
    x = np.array([[0, 0, 0], [1, 0.1, 0], [1.1, 1, 0.1], [0, 1.2, 0], [0.3, 0.2, 1.0]])

    def model(x):
        bulk = "".join(f"GRID,{i + 1},,{p[0]:.12f},{p[1]:.12f},{p[2]:.12f}\n" for i, p in enumerate(x))
        bulk += "CQUAD4,1,1,1,2,3,4\nCTRIA3,2,1,1,2,5\nPSHELL,1,1,.01\nMAT1,1,7.+10,,.3\n"
        bulk += "FORCE1,1,3,2.,1,5\nFORCE2,1,4,3.,1,2,4,5\nMOMENT1,1,2,1.5,3,4\nPLOAD4,1,1,.7,.2,.3,.4\nPLOAD2,1,.5,2\n"
        return ist.FEModel.from_deck(deck_from_text(f"SOL 101\nCEND\nLOAD=1\nBEGIN BULK\n{bulk}ENDDATA\n"))

    fe, h = model(x), 1e-4
    slope = np.zeros((fe.grids.n_dof, 15))
    for j in range(15):
        step = np.zeros(15)
        step[j] = h
        one, two = (model(x + s * step.reshape(5, 3)).loads.vector(1) for s in (1, -1))
        slope[:, j] = (one - two) / (2 * h)
    columns = (fe.grids.dof[:, None] + np.arange(3)).ravel()
    whole = np.zeros((fe.grids.n_dof, fe.grids.n_dof))
    whole[:, columns] = -slope
    found = fe.loads.follower_stiffness(1).toarray()
    np.testing.assert_allclose(found, 0.5 * (whole + whole.T), atol=1e-6)
    u = rng.normal(size=fe.grids.n_dof)
    assert found @ u == pytest.approx(found.T @ u)


@pytest.mark.parametrize(
    "speed, published", [(0, (3.5160, 22.0345)), (4, (5.5850, 24.2734)), (12, (13.1702, 37.6031))]
)
def test_modes_of_a_spinning_blade(speed, published):
    """RFORCE as preload: flapping of a rotating cantilever (Wright et al. 1982); lagging² is Ω² less."""
    n, length, section, young, density = 64, 10.0, (1e-2, 1e-6), 7e10, 2700.0
    unit = np.sqrt(young * section[1] / (density * section[0] * length**4))
    bulk = "".join(f"GRID,{i + 1},,{length * i / n:.8f},0.,0.\n" for i in range(n + 1))
    bulk += "".join(f"CBAR,{i + 1},1,{i + 1},{i + 2},0.,1.,0.\n" for i in range(n))
    bulk += (
        f"PBAR,1,1,{section[0]},{section[1]},{section[1]},{2 * section[1]}\nMAT1,1,{young},,0.3,{density}\n"
    )
    bulk += f"SPC1,1,123456,1\nRFORCE,1,1,,{speed * unit / (2 * np.pi):.12e},0.,0.,1.\nPARAM,COUPMASS,1\n"
    head = "SOL 103\nCEND\nSPC=1\nSUBCASE 1\nLOAD=1\nSUBCASE 2\nSTATSUB=1\n"
    fe = ist.FEModel.from_deck(deck_from_text(f"{head}BEGIN BULK\n{bulk}ENDDATA\n"))
    found = 2 * np.pi * ist.normal_modes(fe, n_modes=4, preload=1).frequencies_hz / unit
    lag = np.sqrt(np.array(published) ** 2 - speed**2)
    np.testing.assert_allclose(found, np.sort([*published, *lag]), rtol=2e-4)
