"""CWELD and CFAST: welds and fasteners between plates, against the beam in them, rigid motion and CBUSH on RBE3."""

import numpy as np
import pytest

import interstage as ist
from interstage.errors import DeckError
from interstage.nastran import deck_from_text
from refusals import refusals

E, NU, RHO, GAP, D = 7.0e10, 0.3, 2700.0, 0.3, 0.2
G = E / 2 / (1 + NU)
N = 3  # elements along a side of each plate of side 3


def plate(z, first, pid, tilt=0.0):
    grids = [
        f"GRID,{first + 10 * j + i},,{i + 0.1 * j},{j + 0.05 * i * j},{z + tilt * i}"
        for j in range(N + 1)
        for i in range(N + 1)
    ]
    quads = [
        f"CQUAD4,{first + 10 * j + i},{pid},{first + 10 * j + i},{first + 10 * j + i + 1},"
        f"{first + 10 * j + i + 11},{first + 10 * j + i + 10}"
        for j in range(N)
        for i in range(N)
    ]
    return "\n".join([*grids, *quads, f"PSHELL,{pid},1,.05,1,,1"]) + "\n"


HEAD = f"MAT1,1,{E},,{NU},{RHO}\nMAT1,2,{E},,{NU},{RHO},,,.04\nPARAM,K6ROT,100.\n"
PLATES = HEAD + plate(0.0, 100, 1) + plate(GAP, 200, 2, 0.02) + "GRID,900,,1.52,1.62,.1\n"
WELD = f"PWELD,5,2,{D}\n"
WAYS = {
    "ELEMID": f"CWELD,1,5,900,ELEMID\n,111,211\n{WELD}",
    "GRIDID": f"CWELD,1,5,900,GRIDID,,,,QQ\n,111,112,122,121\n,211,212,222,221\n{WELD}",
    "PARTPAT": f"CWELD,1,5,900,PARTPAT\n,1,2\n{WELD}",
    "PLACE": f"CWELD,1,5,,PARTPAT\n,1,2\n,1.52,1.62,.1\n{WELD}",
    "ELPAT": f"CWELD,1,5,900,ELPAT\n,111,211\n{WELD}",
    "PROP": f"CFAST,1,6,PROP,1,2,900\nPFAST,6,{D},,,2.+9,3.+8,4.+8,5.+6\n,6.+6,7.+6,.8,.02\n",
    "ELEM": f"CFAST,1,6,ELEM,111,211,,,\n,1.52,1.62,.1\nPFAST,6,{D},,,2.+9,3.+8,4.+8,5.+6\n,6.+6,7.+6,.8,.02\n",
}


def model(bulk, case="SPC=1\nLOAD=1", sol=101):
    return ist.FEModel.from_deck(deck_from_text(f"SOL {sol}\nCEND\n{case}\nBEGIN BULK\n{bulk}\nENDDATA\n"))


def connector(way):
    fe = model(PLATES + WAYS[way])
    return fe, next(block for block in fe.blocks if block.name in ("CWELD", "CFAST"))


def rigid(fe, block):
    """Motions (6k, 6) of the grids of the only connector as a rigid body."""
    rows = block.nodes[0]
    out = np.zeros((len(rows), 6, 6))
    for k, row in enumerate(rows):
        if row >= 0:
            x, y, z = fe.grids.xyz[row]
            out[k] = np.eye(6)
            out[k, :3, 3:] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
    return out.reshape(-1, 6)


@pytest.mark.parametrize("way", WAYS)
def test_rigid_motion_strains_nothing_and_mass_is_kept(way):
    fe, block = connector(way)
    K = block.stiffness(slice(None))[0]
    assert np.abs(K @ rigid(fe, block)).max() < 1e-9 * np.abs(K).max()
    assert np.linalg.matrix_rank(K, tol=1e-9 * np.abs(K).max()) == 6
    M = block.mass(slice(None), False)[0]
    length = 0.3274  # the upper plate is at 0.3 + 0.02 i with i = 1.37 above the weld
    mass = 0.8 if way in ("PROP", "ELEM") else RHO * np.pi / 4 * D**2 * length
    weight = rigid(fe, block)[:, :3]
    np.testing.assert_allclose(weight.T @ M @ weight, mass * np.eye(3), rtol=1e-3, atol=1e-9)


FLAT = HEAD + plate(0.0, 100, 1) + plate(GAP, 200, 2) + "GRID,900,,1.65,1.575,.1\n"
HELD = "SPC1,1,123456,100,THRU,103\n"


@pytest.mark.parametrize("way", ["ELEMID", "PARTPAT", "ELPAT"])
def test_a_weld_of_stiff_plates_is_its_beam(way):
    """The upper plate as a rigid body on the weld, the lower one held: moments and shear strain of its middle act."""
    dependents = [200 + 10 * j + i for j in range(N + 1) for i in range(N + 1)]
    rbe = "GRID,901,,1.65,1.575,.3\nRBE2,50,901,123456," + ",".join(map(str, dependents[:4])) + "\n"
    rbe += "".join("," + ",".join(map(str, line)) + "\n" for line in (dependents[4:12], dependents[12:]))
    held = "SPC1,1,123456,100,THRU,133\nSPC1,1,123456,900\n"
    load = "FORCE,1,901,,1.,1.,0.,1.\nMOMENT,1,901,,1.,0.,0.,1.\n"
    u = ist.static(model(FLAT + WAYS[way] + rbe + held + load), subcase=1)
    area, inertia = np.pi / 4 * D**2, np.pi / 64 * D**4
    sway = GAP**3 / (4 * E * inertia) + GAP / (G * area)
    truth = [sway, 0.0, GAP / (E * area), 0.0, GAP**2 / (2 * E * inertia), GAP / (2 * G * inertia)]
    np.testing.assert_allclose(u[901], truth, rtol=1e-6, atol=1e-9 * sway)
    table = u.forces["CWELD"]
    found = dict(zip(table.columns, table.values[0]))
    np.testing.assert_allclose([found["axial"], found["torque"]], 1.0, rtol=1e-6)
    # the upper end carries no moment, the lower one that of the shear force
    ends = [found["bending_moment_a1"], found["bending_moment_b1"]]
    np.testing.assert_allclose(np.abs(ends), [GAP, 0.0], atol=1e-6)
    np.testing.assert_allclose(ends[0] - ends[1], found["shear1"] * GAP, rtol=1e-6)


def test_a_fastener_carries_what_hangs_on_it():
    """The upper plate hangs on the fastener alone: its springs carry the load and its moment about their place."""
    card = f"CFAST,1,6,PROP,1,2,900\nPFAST,6,{D},0,1,2.+9,3.+8,4.+8,5.+6\n,6.+6,7.+6\n"
    fe = model(FLAT + card + HELD + "FORCE,1,233,,1.,.3,.5,.7\n")
    u = ist.static(fe, subcase=1)
    forces = u.forces["CFAST"].values[0]
    arm = fe.grids.xyz[fe.grids.find(233)] - np.array([1.65, 1.575, GAP / 2])
    np.testing.assert_allclose(forces[:3], [0.3, 0.5, 0.7], rtol=1e-6)
    np.testing.assert_allclose(forces[3:], np.cross(arm, [0.3, 0.5, 0.7]), rtol=1e-6)


def test_lap_joint_follows_a_solid_pin():
    """Two strips joined by one weld: as stiff as the strips joined by a CBAR between RBE3 of the same corners."""
    bar = (
        "GRID,800,,1.65,1.575,0.\nGRID,801,,1.65,1.575,.3\nCBAR,1,7,800,801,1.,0.,0.\n"
        f"PBAR,7,2,{np.pi / 4 * D**2},{np.pi / 64 * D**4},{np.pi / 64 * D**4},{np.pi / 32 * D**4}\n,\n,.9,.9\n"
        "RBE3,60,,800,123456,1.,123,111,112\n,122,121\nRBE3,61,,801,123456,1.,123,211,212\n,222,221\n"
    )
    end = HELD + "FORCE,1,233,,1.,0.,1.,0.\n"
    truth = np.asarray(ist.static(model(FLAT + bar + end), subcase=1)[233])
    for way in ("ELEMID", "PARTPAT"):
        found = ist.static(model(FLAT + WAYS[way] + end), subcase=1)[233]
        np.testing.assert_allclose(found[:2], truth[:2], rtol=5e-2)  # corners against points inside the plate


def test_welds_from_grid_to_grid_and_to_a_patch():
    """ALIGN is the beam between two grids; a weld without a second patch ends at GS."""
    beam = f"CWELD,1,5,,ALIGN,100,200\n{WELD}"
    K = next(b for b in model(PLATES + beam).blocks if b.name == "CWELD").stiffness(slice(None))[0]
    bar = f"CBAR,1,7,100,200,1.,0.,0.\nPBAR,7,2,{np.pi / 4 * D**2},{np.pi / 64 * D**4},{np.pi / 64 * D**4},"
    bar += f"{np.pi / 32 * D**4}\n,\n,.9,.9\n"
    other = next(b for b in model(PLATES + bar).blocks if b.name == "CBAR").stiffness(slice(None))[0]
    # stretch, twist and bending are those of the bar; across it moves by the shear strain of its middle
    for component in (2, 3, 4, 5):
        apart = np.zeros(12)
        apart[[component, component + 6]] = 1.0, -1.0
        np.testing.assert_allclose(K @ apart, other @ apart, atol=1e-9 * np.abs(other @ apart).max())
    assert K[0, 0] == pytest.approx(G * np.pi / 4 * D**2 / GAP)
    fe = model(PLATES + f"CWELD,1,5,900,ELEMID\n,111\n{WELD}")
    block = next(b for b in fe.blocks if b.name == "CWELD")
    assert sorted(fe.grids.id[block.nodes[0]]) == [111, 112, 121, 122, 900]
    assert np.abs(block.stiffness(slice(None))[0] @ rigid(fe, block)).max() < 1e-3


def test_spot_welds_and_limits_of_length():
    """SPOT between plates has half the thickness of both as its length; others stay between LDMIN D and LDMAX D."""

    def axial(card, way="ELEMID"):
        fe = model(PLATES + WAYS[way].replace(WELD, card))
        return next(b for b in fe.blocks if b.name == "CWELD").springs[0, 0]

    area = np.pi / 4 * D**2
    assert axial(f"PWELD,5,2,{D},,,,,SPOT\n,.01") == pytest.approx(E * area / 0.05, rel=1e-9)
    assert axial(f"PWELD,5,2,{D},,,,,SPOT") == pytest.approx(E * area / 0.05, rel=1e-9)
    assert axial(f"PWELD,5,2,{D}\n,4.,5.") == pytest.approx(E * area / (4 * D), rel=1e-9)
    assert axial(f"PWELD,5,2,{D}\n,.1,.5") == pytest.approx(E * area / (0.5 * D), rel=1e-9)


def test_axes_of_fasteners():
    """MCID = -1: x along, y nearest a basic axis; MCID with MFLAG 0: y in its plane; MFLAG 1: the system itself."""
    system = "CORD2R,9,,0.,0.,0.,0.,1.,0.\n,1.,0.,0.\n"  # z along y, x along x: y along -z

    def axes(mcid):
        card = f"CFAST,1,6,PROP,1,2,900\nPFAST,6,{D},{mcid},1.,1.,1.\n"
        block = model(FLAT + system + card).blocks[-1]
        moved = np.zeros((block.nodes.shape[1], 6, 3))
        moved[:, :3] = np.eye(3)
        upper = model(FLAT + system).grids.xyz[block.nodes[0]][:, 2] > 0.1
        return block.relative[0][:3] @ (upper[:, None, None] * moved).reshape(-1, 3)

    np.testing.assert_allclose(axes(","), [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=1e-12)
    np.testing.assert_allclose(axes("9,1"), [[1, 0, 0], [0, 0, -1], [0, 1, 0]], atol=1e-12)
    np.testing.assert_allclose(axes("0,0"), [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], atol=1e-12)


@refusals(
    """
    CWELD,1,5,900,ELEMID|,111,999|PWELD,5,2,.2 -> refers to plate 999
    CWELD,1,5,900,ELEMID|,100,211|PWELD,5,2,.2 -> does not project onto its plates
    CWELD,1,5,,ELEMID|,111,211|PWELD,5,2,.2 -> has no place
    CWELD,1,5,900,SEAM|,111,211|PWELD,5,2,.2 -> the format of CWELD 1 is not known
    CWELD,1,5,900,PARTPAT|,1,9|PWELD,5,2,.2 -> a property of plates that is not in the deck
    CWELD,1,5,900,GRIDID|,111,112|PWELD,5,2,.2 -> needs three or four corners
    CWELD,1,5,900,GRIDID,,,,QQ|,111,111,111,111|,211,212,222,221|PWELD,5,2,.2 -> a patch of CWELD 1 has no area
    CWELD,1,5,900,GRIDID,,,,TT|,111,121,111|,211,212,222|PWELD,5,2,.2 -> a patch of CWELD 1 has no area
    CWELD,1,5,900,ELEMID|,111,111|PWELD,5,2,.2 -> CWELD 1 joins a plate or grid to itself
    CWELD,1,5,,ALIGN,100,100|PWELD,5,2,.2 -> CWELD 1 joins a plate or grid to itself
    CFAST,1,6,PROP,1,1,900|PFAST,6,.2,,,1.,1.,1. -> CFAST 1 joins a plate or grid to itself
    CWELD,1,5,900,ELEMID|,111,211|PWELD,5,2,0. -> D of this PWELD is not possible
    CWELD,1,5,,ALIGN,100|PWELD,5,2,.2 -> a grid of this CWELD is missing
    CWELD,1,5,,PARTPAT|,1,2|,1.5,1.6,X|PWELD,5,2,.2 -> needs three numbers XS, YS, ZS
    CFAST,1,6,GRID,1,2,900|PFAST,6,.2,,,1.,1.,1. -> the type of CFAST 1 is not known
    CFAST,1,6,PROP,1,2,907|PFAST,6,.2,,,1.,1.,1. -> refers to grid 907
    CFAST,1,6,PROP,1,2,900|PFAST,6,.2 -> PFAST 6: field 6 is missing
    CFAST,1,6,PROP,1,2,900|PFAST,6,.2,,,1.,1. -> PFAST 6: field 8 is missing
    CFAST,1,6,PROP,1,2,900|PFAST,6,.2,,,1.,-1.,1. -> KT2 of this PFAST is not possible
    CFAST,1,6,PROP,1,2,900|PFAST,6,.2,,,1.,1.,1.|,,,-.8 -> MASS of this PFAST is not possible
    """
)
def test_mistakes_are_named(text, words):
    with pytest.raises(DeckError, match=words):
        model(PLATES + text)
