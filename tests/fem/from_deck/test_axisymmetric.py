"""CTRIAX6, MAT3 and PLOADX1: rings against Lamé, the spinning disc, breathing modes and orthotropic discs."""

import numpy as np
import pytest

import interstage as ist
from interstage.errors import DeckError, ModelError
from interstage.nastran import deck_from_text
from refusals import refusals

A, B, H = 1.0, 2.0, 0.5
E, NU, RHO = 2.0e11, 0.3, 7800.0
STEEL = f"MAT1,1,{E},,{NU},{RHO},1.2-5,20.\n"


def mesh(nr, nz, quadratic=True, a=A, b=B, h=H):
    """GRID and CTRIAX6 cards of a hollow cylinder; grid 1 + i + (2 nr + 1) j at fractions i/2nr, j/2nz."""
    step = 1 if quadratic else 2
    grids, used, cards = [], set(), []
    row = 2 * nr + 1

    def at(i, j):
        used.add((i, j))
        return 1 + i + row * j

    def middle(p, q):
        return at((p[0] + q[0]) // 2, (p[1] + q[1]) // 2) if step == 1 else ""

    for i in range(0, 2 * nr, 2):
        for j in range(0, 2 * nz, 2):
            p, q, r, s = (i, j), (i + 2, j), (i + 2, j + 2), (i, j + 2)
            for x, y, z in ((p, q, r), (p, r, s)):
                names = (at(*x), middle(x, y), at(*y), middle(y, z), at(*z), middle(z, x))
                cards.append(f"CTRIAX6,{len(cards) + 1},1," + ",".join(map(str, names)))
    for i, j in sorted(used):
        grids.append(f"GRID,{1 + i + row * j},,{a + (b - a) * i / 2 / nr},0.,{h * j / 2 / nz}")
    return "\n".join([*grids, *cards]) + "\n"


def model(bulk, case="", sol=101):
    text = f"SOL {sol}\nCEND\nSPC=1\nLOAD=1\nMETHOD=1\n{case}\nBEGIN BULK\n{bulk}\nENDDATA\n"
    return ist.FEModel.from_deck(deck_from_text(text))


def inner(nr, nz):
    """Elements and corner grids of the inner side, from below."""
    row = 2 * nr + 1
    return [(2 * j + 2, 1 + row * 2 * j, 1 + row * 2 * (j + 1)) for j in range(nz)]


def solved(bulk, case=""):
    fe = model(bulk, case)
    u = ist.static(fe, subcase=1)
    return fe, u, np.asarray(u)


@pytest.mark.parametrize("quadratic, tolerance", [(True, 3e-4), (False, 2e-2)])
def test_a_thick_cylinder_under_pressure(quadratic, tolerance):
    """Lamé with both ends held: u = (1+ν)/E pa²/(b²-a²) ((1-2ν) r + b²/r), σ_r, σ_θ and σ_z = ν(σ_r + σ_θ)."""
    nr, nz, p = 8, 1, 1.0e7
    press = "".join(f"PLOADX1,1,{e},{p},,{a},{b}\n" for e, a, b in inner(nr, nz))
    fe, u, x = solved(STEEL + mesh(nr, nz, quadratic) + press + "SPC1,1,3,1,THRU,51\n")
    r = fe.grids.xyz[:, 0]
    c = p * A**2 / (B**2 - A**2)
    truth = (1 + NU) / E * c * ((1 - 2 * NU) * r + B**2 / r)
    np.testing.assert_allclose(x[fe.grids.dof], truth, rtol=tolerance)
    table = u.stresses["CTRIAX6"]
    centre = table.node_ids == 0
    nodes = np.array([block.xz[:, :3, 0].mean(axis=1) for block in fe.blocks])[0]
    radial, around = c * (1 - B**2 / nodes**2), c * (1 + B**2 / nodes**2)
    wanted = np.column_stack([radial, around, NU * (radial + around)])
    np.testing.assert_allclose(table.values[centre, :3], wanted, atol=20 * tolerance * p)


def test_a_spinning_disc_and_its_mass():
    """Thin disc with a hole, ω about z: u(a) = ρω²a/4E ((3+ν) b² + (1-ν) a²); mass is that of the whole ring."""
    thin = 0.02
    fe, _, x = solved(STEEL + mesh(8, 1, h=thin) + "RFORCE,1,0,0,5.,0.,0.,1.\nSPC1,1,3,1\n")
    omega = 2 * np.pi * 5.0
    truth = RHO * omega**2 * A / (4 * E) * ((3 + NU) * B**2 + (1 - NU) * A**2)
    assert x[0] == pytest.approx(truth, rel=2e-3)  # lumped mass, eight elements along the radius
    assert fe.mass_properties().mass == pytest.approx(RHO * np.pi * (B**2 - A**2) * thin, rel=1e-9)


def test_a_force_is_that_on_the_whole_circle():
    """A pull F along the axis of a tube on a free-sliding base stretches it by F h/(E A)."""
    nr, nz = 2, 2
    row = 2 * nr + 1
    top = [1 + i + row * 2 * nz for i in range(row)]
    # tractions along the axis: PLOADX1 turned from the inward normal of the top
    sides = [(4 * nz * k // 2 + 2 * nz, top[2 * k], top[2 * k + 2]) for k in range(nr)]
    pull = "".join(f"PLOADX1,1,{e},1.+6,,{a},{b},180.\n" for e, a, b in sides)
    base = "SPC1,1,3,1,THRU,5\n"
    fe, u, x = solved(STEEL + mesh(nr, nz) + pull + base)
    np.testing.assert_allclose(x[fe.grids.dof[fe.grids.find(top)] + 2], 1e6 * H / E, rtol=1e-9)
    assert u.load[fe.grids.dof + 2].sum() == pytest.approx(np.pi * (B**2 - A**2) * 1e6, rel=1e-12)


@pytest.mark.parametrize("coupled, tolerance", [(-1, 5e-2), (1, 1e-4)])  # lumped: two elements across
def test_a_free_ring_rolls_and_breathes(coupled, tolerance):
    """Slender square ring: rigid along the axis, ω = sqrt(E/2ρ)/R as its section rolls, sqrt(E/ρ)/R as it breathes."""
    bulk = STEEL + mesh(2, 2, a=1.0, b=1.01, h=0.01) + f"PARAM,COUPMASS,{coupled}\nEIGRL,1,,,3\n"
    found = ist.normal_modes(model(bulk, "SPC=0", sol=103)).frequencies_hz
    breathing = np.sqrt(E / RHO) / 1.005 / 2 / np.pi
    np.testing.assert_allclose(found, [0.0, breathing / np.sqrt(2.0), breathing], rtol=tolerance, atol=1e-2)


def test_rings_make_no_component():
    bulk = STEEL + mesh(2, 2) + "EIGRL,1,,,3\n"
    text = f"SOL 103\nCEND\nMETHOD=1\nBEGIN BULK\n{bulk}\nENDDATA\n"
    with pytest.raises(ModelError, match="x is a radius"):
        ist.Component.from_deck(deck_from_text(text), n_modes=2, aset={})


def test_an_orthotropic_disc():
    """Plane stress, p at the hole: u = C r^k + D r^-k with k² = ETH/EX (Lekhnitskii), outer rim free."""
    ex, eth, ez, nuxth = 1.0e11, 2.5e11, 1.0e11, 0.2
    mat = f"MAT3,1,{ex},{eth},{ez},{nuxth},0.,0.,{RHO}\n,,,4.+10\n"
    nr, p = 12, 1.0e6
    press = "".join(f"PLOADX1,1,{e},{p},{p},{a},{b}\n" for e, a, b in inner(nr, 1))
    fe, _, x = solved(mat + mesh(nr, 1, h=0.02) + press + "SPC1,1,3,1\n")
    k, nuthx = np.sqrt(eth / ex), nuxth * eth / ex
    stiff = ex / (1 - nuxth * nuthx)

    def radial(power, r):  # σ_r of u = r^power
        return stiff * (power + nuthx) * r ** (power - 1)

    C, D = np.linalg.solve([[radial(k, A), radial(-k, A)], [radial(k, B), radial(-k, B)]], [-p, 0.0])
    r = fe.grids.xyz[:, 0]
    np.testing.assert_allclose(x[fe.grids.dof], C * r**k + D * r**-k, rtol=1e-4)


def test_heat():
    """Even heat is free of stress; T = T_a ln(b/r)/ln(b/a) gives σ_θ of Timoshenko at the hole of a long cylinder."""
    nr = 10
    bulk = STEEL + mesh(nr, 1)
    hot = solved(bulk + "TEMPD,5,120.\nSPC1,1,3,1\n", "LOAD=0\nTEMPERATURE(LOAD)=5")
    np.testing.assert_allclose(hot[2][hot[0].grids.dof], 1.2e-3 * hot[0].grids.xyz[:, 0], rtol=1e-9)
    assert np.abs(hot[1].stresses["CTRIAX6"].values).max() < 1e-3 * E * 1.2e-3
    fe = model(bulk)
    T = 100.0 * np.log(B / fe.grids.xyz[:, 0]) / np.log(B / A) + 20.0
    heat = "".join(f"TEMP,5,{g},{t}\n" for g, t in zip(fe.grids.id, T))
    held = "SPC1,1,3,1,THRU,63\n"
    _, u, _ = solved(bulk + heat + held, "LOAD=0\nTEMPERATURE(LOAD)=5")
    ratio = B / A
    factor = E * 1.2e-5 * 100.0 / (2 * (1 - NU) * np.log(ratio))
    truth = factor * (1 - 2 * ratio**2 / (ratio**2 - 1) * np.log(ratio))
    table = u.stresses["CTRIAX6"]
    at_hole = np.isin(table.node_ids, fe.grids.id[np.abs(fe.grids.xyz[:, 0] - A) < 1e-9])
    np.testing.assert_allclose(
        table.values[at_hole, 1].mean(), truth, rtol=3e-2
    )  # ten elements along the radius


def test_a_turned_material_and_one_that_cannot_expand():
    """θ = 90 exchanges EX and EZ; unlike expansion along and around is refused where temperatures act."""
    one = f"MAT3,1,1.+11,2.+11,3.+11,.1,.15,.2,{RHO}\n,,,4.+10,1.-5,2.-5,1.-5\n"
    other = f"MAT3,1,3.+11,2.+11,1.+11,{0.15 * 3 / 2},{0.1 * 2},{0.2 / 3},{RHO}\n,,,4.+10\n"
    bulk = mesh(1, 1)
    turned = "\n".join(line + "\n,90." * line.startswith("CTRIAX6") for line in bulk.split("\n"))
    flat = one.replace("1.-5,2.-5,1.-5", "")
    K = model(flat + turned).K_gg.toarray()
    np.testing.assert_allclose(K, model(other + bulk).K_gg.toarray(), atol=1e-9 * np.abs(K).max())
    with pytest.raises(ModelError, match="expands unlike along the radius and around"):
        solved(one + bulk + "TEMPD,5,9.\nSPC1,1,3,1\n", "LOAD=0\nTEMPERATURE(LOAD)=5")


@refusals(
    """
    GRID,1,,1.,0.,0.|GRID,2,,2.,.1,0.|GRID,3,,1.,0.,1.|CTRIAX6,1,1,1,,2,,3 -> grid 2 .* off the xz plane
    GRID,1,,-1.,0.,0.|GRID,2,,2.,0.,0.|GRID,3,,1.,0.,1.|CTRIAX6,1,1,1,,2,,3 -> grid 1 .* negative x
    GRID,1,,1.,0.,0.|GRID,2,,2.,0.,0.|GRID,3,,3.,0.,0.|CTRIAX6,1,1,1,,2,,3 -> has no area or is folded
    GRID,1,,1.,0.,0.|GRID,2,,2.,0.,0.|GRID,3,,1.,0.,1.|CTRIAX6,1,7,1,,2,,3 -> material 7 is needed as MAT1 or MAT3
    GRID,1,,1.,0.,0.|GRID,2,,2.,0.,0.|CTRIAX6,1,1,1,,2,,3 -> refers to grid 3
    GRID,1,,1.,0.,0.|GRID,2,,2.,0.,0.|CTRIAX6,1,1,1,,2,,1 -> names grid 1 twice
    MAT3,2,1.,1.,1.,.9,.9,.9|,,,1.|GRID,1,,1.,0.,0.|GRID,2,,2.,0.,0.|GRID,3,,1.,0.,1.|CTRIAX6,1,2,1,,2,,3 -> MAT3 is not
    """
)
def test_mistakes_are_named(text, words):
    with pytest.raises(DeckError, match=words):
        model(STEEL + text)


@refusals(
    """
    PLOADX1,1,9,1.,,1,3 -> CTRIAX6 9, which is not in the deck
    PLOADX1,1,1,1.,,1,2 -> are not two corners of CTRIAX6 1
    """
)
def test_pressures_on_sides_that_are_none(text, words):
    with pytest.raises(DeckError, match=words):
        solved(STEEL + mesh(1, 1) + text)


def test_rings_weigh_and_pull_on_their_axis():
    """A hollow cylinder: m = πρ(b² - a²)h, I_zz = m(a² + b²)/2, I_xx = m(3(a² + b²) + h²)/12, centre on the axis."""
    mass = np.pi * RHO * (B**2 - A**2) * H
    grid = "PARAM,COUPMASS,1\nSPC1,1,3,1,THRU,5\n"
    fe = model(STEEL + mesh(2, 2) + grid + "FORCE,1,21,,1.,5.,7.,100.\n")
    found = fe.mass_properties()
    assert found.mass == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(found.cg, [0.0, 0.0, H / 2], atol=1e-12)
    across = mass * (3 * (A**2 + B**2) + H**2) / 12
    wanted = np.diag([across, across, mass * (A**2 + B**2) / 2])
    np.testing.assert_allclose(found.inertia_about_cg, wanted, atol=1e-12 * across)
    np.testing.assert_allclose(found.inertia_about_reference, wanted + np.diag([1, 1, 0]) * mass * H**2 / 4)
    shifted = fe.mass_properties(grdpnt=1)  # a grid off the axis
    np.testing.assert_allclose(shifted.cg, found.cg, atol=1e-12)
    np.testing.assert_allclose(shifted.inertia_about_cg, wanted, atol=1e-11 * across)
    u = ist.static(fe, subcase=1)
    np.testing.assert_allclose(u.load_resultant(), [0, 0, 100, 0, 0, 7 * fe.grids.xyz[20, 0]], atol=1e-12)
    np.testing.assert_allclose(u.load_resultant([2.0, 0, 0])[3:], [0, 200, 7 * fe.grids.xyz[20, 0]])
    np.testing.assert_allclose(u.reaction_resultant()[:3], [0, 0, -100], atol=1e-9)


def test_pressures_that_modes_do_without_are_told():
    bulk = STEEL + mesh(1, 1) + "SPC1,1,3,1\nEIGRL,1,,,1\nPLOADX1,1,9,1.,,1,3\n"
    notes = model(bulk, sol=103).notes
    assert any("static loads cannot be used" in note and "CTRIAX6 9" in note for note in notes)


def test_rings_of_a_run_of_nastran():
    """Rings of five and six grids under pressure in a material whose G is not E/2(1+ν): the G of the card counts, in
    axes turned by 30 degrees. T1 and T3 as MSC Nastran stored them, seven digits.
    """
    deck = """GRID,5301,,6.,0.,0.,,2456
GRID,5302,,6.,0.,2.,,2456
GRID,5303,,6.,0.,4.,,2456
GRID,5304,,4.238,0.,3.,,2456
GRID,5305,,2.536,0.,2.,,2456
GRID,5306,,4.238,0.,1.,,2456
GRID,5311,,6.,0.,0.,,2456
GRID,5312,,6.,0.,2.,,2456
GRID,5313,,6.,0.,4.,,2456
GRID,5314,,3.402,0.,3.5,,2456
GRID,5315,,2.536,0.,2.,,2456
CTRIAX6,5301,1,5301,5302,5303,5304,5305,5306
,30.
CTRIAX6,5311,1,5311,5312,5313,5314,5315,
,30.
SPC1,1,3,5302,5312
PLOADX,1,.0222139,.0333209,5301,5302,5303
PLOADX1,1,5311,.0222139,.0333209,5311,5313
MAT1,1,1.,.8,.1
"""
    u = ist.static(model(deck), subcase=1)
    stored = {
        5301: (-0.2956416, -0.02246387),
        5303: (-0.6911054, 0.03682848),
        5306: (-0.3372660, -0.1605511),
        5311: (-0.5260662, -0.01578419),
        5314: (-0.1958890, 0.2311779),
        5315: (-0.3184438, 0.3062404),
    }
    for grid, value in stored.items():
        np.testing.assert_allclose(u[grid][[0, 2]], value, atol=2e-7)
