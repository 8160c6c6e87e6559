"""CBEND and CBEAM3: curved beams against Castigliano's integrals, rings, polygons of CBAR and Euler's column."""

import numpy as np
import pytest
from dense import build

import interstage as ist
from interstage.errors import DeckError, ModelError
from interstage.nastran import deck_from_text
from refusals import refusals

R, E, NU, RHO = 2.0, 7.0e10, 0.3, 2700.0
G = E / 2.0 / (1.0 + NU)
A, I1, I2, J = 4.0e-3, 3.0e-6, 5.0e-6, 6.0e-6
MATERIAL = f"MAT1,1,{E},,{NU},{RHO},2.-5,20.\n"
QUARTER = f"GRID,1,,{R},0.,0.\nGRID,2,,0.,{R},0.\nGRID,9,,0.,0.,0.\n" + MATERIAL
ALL = slice(0, None)


def pbend(shift="0.", shear=(".4", ".6"), rb="", theta="", offsets=",,", points="0.,0.,0.,0.,0.,0.,0.,0."):
    return f"PBEND,1,1,{A},{I1},{I2},{J},{rb},{theta}\n,{points}\n,{shear[0]},{shear[1]},{offsets},{shift}\n"


def model(bulk, case="", sol=101):
    text = f"SOL {sol}\nCEND\nSPC=1\nLOAD=1\nMETHOD=1\n{case}\nBEGIN BULK\n{bulk}\nENDDATA\n"
    return ist.FEModel.from_deck(deck_from_text(text))


def tip(fe, component, grid=2):
    u = ist.static(fe, subcase=1)
    return u.displacement[fe.grids.dof_of(grid, component)]


@pytest.mark.parametrize("shift, coupled", [("0.", 0.0), ("", 1.0)])
def test_a_quarter_of_a_ring_under_a_force_in_its_plane(shift, coupled):
    """δ = ∫ (M²/EI + N²/EA + V²/KGA - 2MN/EAR) ds, the last term of Winkler's theory with the default DELTAN."""
    cards = "CBEND,1,1,1,2,9,,,1\n" + pbend(shift) + "SPC1,1,123456,1\nFORCE,1,2,,1.,1.,0.,0."
    truth = R**3 / (E * I1) * (3.0 * np.pi / 4.0 - 2.0)
    truth += np.pi / 4.0 * R * (1.0 / (E * A) + 1.0 / (0.4 * G * A))
    truth += coupled * 2.0 * (1.0 - np.pi / 4.0) * R / (E * A)
    assert tip(model(QUARTER + cards), 1) == pytest.approx(truth, rel=1e-9)


def test_a_quarter_of_a_ring_under_a_force_across_its_plane():
    """δ = PR³ (π/4 /EI2 + (3π/4 - 2)/GJ) + PR π/2 /KGA."""
    cards = "CBEND,1,1,1,2,9,,,1\n" + pbend() + "SPC1,1,123456,1\nFORCE,1,2,,1.,0.,0.,1."
    truth = R**3 * (np.pi / 4.0 / (E * I2) + (3.0 * np.pi / 4.0 - 2.0) / (G * J))
    truth += np.pi / 2.0 * R / (0.6 * G * A)
    assert tip(model(QUARTER + cards), 3) == pytest.approx(truth, rel=1e-9)


def test_every_way_to_give_the_arc_is_the_same_arc():
    """GEOM 1 to 4 by grid or vector; grids off the centroid (RC, ZC) give the same element on rigid arms."""
    out = -np.sqrt(0.5)

    def stiffness(card, **options):
        return build(deck_from_text(QUARTER + card + "\n" + pbend(**options))).blocks[0].stiffness(ALL)[0]

    first = stiffness("CBEND,1,1,1,2,9,,,1")
    for card, options in (
        ("CBEND,1,1,1,2,-1.,0.,0.,1", {}),
        ("CBEND,1,1,1,2,0.,1.,0.,2", {}),
        (f"CBEND,1,1,1,2,{-out},{-out},0.,3", {"rb": f"{R}"}),
        (f"CBEND,1,1,1,2,{-out},{-out},0.,4", {"theta": "90."}),
    ):
        np.testing.assert_allclose(
            stiffness(card, **options), first, rtol=1e-9, atol=1e-9 * np.abs(first).max()
        )
    moved = f"GRID,1,,{R - 0.1},0.,-.2\nGRID,2,,0.,{R - 0.1},-.2\nGRID,9,,0.,0.,-.2\n" + MATERIAL
    deck = deck_from_text(moved + "CBEND,1,1,1,2,9,,,1\n" + pbend(offsets=",.1,.2"))
    block = build(deck).blocks[0]
    np.testing.assert_allclose(block.arms[0], [[0.1, 0.0, 0.2], [0.0, 0.1, 0.2]], atol=1e-12)
    span = block.spans[0]
    np.testing.assert_allclose(span.stiffness()[0], first, rtol=1e-9, atol=1e-9 * np.abs(first).max())


def test_arcs_of_more_than_half_a_turn():
    """Three quarters of a ring: GEOM 2 with the tangent away from the chord, and GEOM 4, against three quarters."""
    three = MATERIAL + f"GRID,1,,{R},0.,0.\nGRID,2,,0.,{R},0.\nGRID,3,,{-R},0.,0.\nGRID,4,,0.,{-R},0.\n"
    bend = pbend(theta="270.")
    load = "\nSPC1,1,123456,1\nFORCE,1,4,,1.,.3,.5,.7"
    chain = "CBEND,1,2,1,2,-1.,0.,0.,1\nCBEND,2,2,2,3,0.,-1.,0.,1\nCBEND,3,2,3,4,1.,0.,0.,1\n"
    fine = ist.static(model(three + chain + pbend().replace("PBEND,1", "PBEND,2") + load), subcase=1)
    for card in ("CBEND,1,1,1,4,0.,1.,0.,2", "CBEND,1,1,1,4,-1.,1.,0.,4"):
        fe = model(three + card + "\n" + bend + load)
        u = ist.static(fe, subcase=1)
        at = fe.grids.dof_of(4, 1) + np.arange(6)
        np.testing.assert_allclose(u.displacement[at], fine.displacement[at], rtol=1e-7)


def ring(count, element):
    grids = "".join(
        f"GRID,{k},,{R * np.cos(2 * np.pi * k / count)},{R * np.sin(2 * np.pi * k / count)},0.\n"
        for k in range(1, count + 1)
    )
    elements = "".join(element.format(k, k % count + 1) + "\n" for k in range(1, count + 1))
    return MATERIAL + "GRID,900,,0.,0.,0.,,123456\n" + grids + elements + "EIGRL,1,,,14\nPARAM,COUPMASS,1\n"


def test_modes_of_a_free_ring():
    """Thin ring: ω² = EI n²(n²-1)² / (ρA R⁴ (n²+1)) in its plane, n² + EI/GJ in place of n² + 1 across it."""
    a, i1, i2, j = 1.0e-4, 1.0e-9, 4.0e-9, 2.0e-9
    bends = f"PBEND,1,1,{a},{i1},{i2},{j}\n"
    fe = model(ring(12, "CBEND,{0},1,{0},{1},900,,,1") + bends, sol=103, case="SPC=0")
    found = ist.normal_modes(fe).frequencies_hz
    n = np.array([2, 3])
    plane = np.sqrt(E * i1 * n**2 * (n**2 - 1) ** 2 / (RHO * a * R**4 * (n**2 + 1.0)))
    across = np.sqrt(E * i2 * n**2 * (n**2 - 1) ** 2 / (RHO * a * R**4 * (n**2 + E * i2 / G / j)))
    truth = np.sort(np.repeat(np.concatenate([plane, across]), 2)) / 2.0 / np.pi
    np.testing.assert_allclose(found[6:14], truth, rtol=2e-3)  # 12 elements, and the ring stretches a little
    bars = f"PBAR,1,1,{a},{i1},{i2},{j}\n"
    chain = model(ring(120, "CBAR,{0},1,{0},{1},900") + bars, sol=103, case="SPC=0")
    np.testing.assert_allclose(found[6:14], ist.normal_modes(chain).frequencies_hz[6:14], rtol=2e-3)


def test_mass_of_arcs():
    """Lumped and coupled mass have the mass of the arc; the coupled one its centre and inertia, too."""
    text = QUARTER + "CBEND,1,1,1,2,9,,,1\n" + pbend(offsets="12.,,")
    mass = (RHO * A + 12.0) * R * np.pi / 2.0
    assert model(text).mass_properties().mass == pytest.approx(mass, rel=1e-9)
    fine = model(text + "PARAM,COUPMASS,1\n").mass_properties()
    assert fine.mass == pytest.approx(mass, rel=1e-9)
    np.testing.assert_allclose(fine.cg[:2], 2.0 * R / np.pi, rtol=1e-9)


def test_free_expansion_and_stress_of_a_bend():
    """A hot arc on one support moves by αΔT x without stress; a moment gives Winkler's hyperbola and opens it."""
    height, width = 0.4, 0.1
    area, rn = height * width, height / np.log((R + height / 2) / (R - height / 2))
    e = R - rn
    points = f"{height / 2},0.,{-height / 2},0.,0.,.05,0.,-.05"
    card = f"PBEND,1,1,{area},{area * e * R},{I2},{J}\n,{points}\n,,,,,,{e}\n"
    bulk = (
        QUARTER + "CBEND,1,1,1,2,9,,,1\n" + card + "SPC1,1,123456,1\nMOMENT,1,2,,1.,0.,0.,-1.\nTEMPD,5,120.\n"
    )
    hot = ist.static(model(bulk, "LOAD=0\nTEMPERATURE(LOAD)=5"), subcase=1)
    moved = hot.displacement[6:12]
    np.testing.assert_allclose(moved, 2.0e-3 * np.array([-R, R, 0, 0, 0, 0]), atol=1e-15)
    assert np.abs(hot.stresses["CBEND"].values).max() < 1.0  # of 1.4e8 if it were held
    u = ist.static(model(bulk), subcase=1)
    r = R + np.array([height, -height]) / 2
    truth = -(r - rn) / (area * e * r)
    np.testing.assert_allclose(u.stresses["CBEND"].values[0, :2], truth, rtol=1e-9)
    assert u.displacement[7] > 0.0 and u.displacement[6] > 0.0  # it opens
    forces = u.forces["CBEND"]
    np.testing.assert_allclose(forces.column("bending_moment1"), 1.0, rtol=1e-9)
    np.testing.assert_allclose(forces.values[:, 1:], 0.0, atol=1e-9)


def test_bends_of_pipe():
    """FSI = 1: the tube; FSI = 2: bending is 1.65 rm²/(tR) times as flexible (ASME), less under pressure."""
    rm, t = 0.1, 0.002

    def turned(fsi, pressure=""):
        cards = f"CBEND,1,1,1,2,9,,,1\nPBEND,1,1,{fsi},{rm},{t},{pressure},{R}\nSPC1,1,123456,1\n"
        return tip(model(QUARTER + cards + "MOMENT,1,2,,1.,0.,0.,1."), 6)

    # Winkler: M L / (E A e R), the neutral axis at A / ∫ dA/r of the ring, here by quadrature
    at, w = np.polynomial.legendre.leggauss(40)
    radius, angle = rm + t / 2 * at, np.pi * at
    area = np.pi * t * (w @ radius)
    over = np.einsum(
        "i,j,ij->", w, w, radius[:, None] / (R + radius[:, None] * np.cos(angle)) * (t / 2 * np.pi)
    )
    e = R - area / over
    assert turned(1) == pytest.approx(np.pi / 2.0 / (E * area * e), rel=1e-8)
    factor = 1.65 * rm**2 / (t * R)
    assert turned(2) / turned(1) == pytest.approx(factor, rel=1e-9)
    held = 1.0 + 6.0 * 1.0e6 / E * (rm / t) ** (7 / 3) * (R / rm) ** (1 / 3)
    assert turned(2, "1.+6") / turned(1) == pytest.approx(factor / held, rel=1e-9)


def test_a_thick_pipe_in_a_run_of_nastran():
    """A quarter of a bend of pipe under a force in each direction, as MSC Nastran printed it to seven digits."""
    u = ist.static(
        model(
            "CBEND,1,1,1,2,1.,0.,0.,3\nGRID,1,,0.,0.,0.\nGRID,2,,1.,1.,0.\nSPC1,1,123456,1\n"
            "FORCE,1,2,,1.,0.,1.,1.\nFORCE,1,2,,1.,1.,0.,0.\nPBEND,1,9,2,.1,.05,100.,1.\nMAT1,9,1.+7,,.3\n"
        ),
        subcase=1,
    )
    printed = [1.7407564e-4, -7.5887045e-5, 7.7301665e-4, 6.8904721e-4, -3.0342990e-4, -2.4996270e-4]
    np.testing.assert_allclose(u[2], printed, rtol=3e-7)


BEAM3 = f"PBEAM3,1,1,{A},{I1},{I2},,{J}\n" + "," + ",".join(["0."] * 8) + "\n"
STRAIGHT = MATERIAL + "GRID,1,,0.,0.,0.\nGRID,2,,2.,0.,0.\nGRID,3,,1.,0.,0.\n" + BEAM3 + "SPC1,1,123456,1\n"


@pytest.mark.parametrize("middle", ["3", ""])
def test_a_straight_beam_of_three_grids(middle):
    """δ = PL³/3EI + PL/KGA in both planes with one element; load and torque at the end, K = 1 by default."""
    fe = model(
        STRAIGHT + f"CBEAM3,1,1,1,2,{middle},0.,1.,0.\nFORCE,1,2,,1.,0.,3.,5.\nMOMENT,1,2,,7.,1.,0.,0."
    )
    u = ist.static(fe, subcase=1)
    at = fe.grids.dof_of(2, 1)
    L = 2.0
    shear = L / (G * A)
    truth = [3.0 * (L**3 / (3 * E * I1) + shear), 5.0 * (L**3 / (3 * E * I2) + shear), 7.0 * L / (G * J)]
    np.testing.assert_allclose(u.displacement[at + 1 : at + 4], truth, rtol=1e-9)
    forces = u.forces["CBEAM3"]
    np.testing.assert_allclose(forces.column("bending_moment1")[[0, -1]], [6.0, 0.0], atol=1e-8)
    np.testing.assert_allclose(forces.column("torque"), 7.0, rtol=1e-9)


def test_a_parabolic_arch_is_that_of_many_bars():
    """Two CBEAM3 and 400 CBAR on the same parabola, held at both ends, pushed at a quarter, in the plane and across."""

    def place(t):
        return f"{4.0 * t},{4.0 * 0.8 * t * (1.0 - t)},0."

    def arch(count, cards):
        grids = "".join(f"GRID,{k + 1},,{place(k / count)}\n" for k in range(count + 1))
        quarter = count // 4 + 1
        load = f"SPC1,1,123456,1,{count + 1}\nFORCE,1,{quarter},,1.,.4,-1.,.7\n"
        fe = model(MATERIAL + grids + cards + load)
        u = ist.static(fe, subcase=1)
        return u.displacement[fe.grids.dof_of(count // 2 + 1, 1) + np.arange(6)]

    ours = arch(4, BEAM3 + "CBEAM3,1,1,1,3,2,0.,1.,0.\nCBEAM3,2,1,3,5,4,0.,1.,0.\n")
    bars = "".join(f"CBAR,{k},1,{k},{k + 1},0.,1.,0.\n" for k in range(1, 401))
    truth = arch(400, bars + f"PBAR,1,1,{A},{I1},{I2},{J}\n,\n,1.,1.\n")
    np.testing.assert_allclose(ours, truth, rtol=1e-4, atol=1e-4 * np.abs(truth).max())  # chords of 400 bars


def test_modes_and_buckling_of_a_column_of_three_grid_beams():
    """Cantilever: (1.8751)² sqrt(EI/ρA)/2πL² with coupled mass, π²EI/4L² with the axial force; slender section."""
    grids = "".join(f"GRID,{k},,{0.5 * (k - 1)},0.,0.\n" for k in range(1, 6))
    slender = f"PBEAM3,1,1,{A},1.-8,3.-8,,2.-8\n"
    beams = (
        slender + "CBEAM3,1,1,1,3,2,0.,1.,0.\nCBEAM3,2,1,3,5,4,0.,1.,0.\nSPC1,1,123456,1\nPARAM,COUPMASS,1\n"
    )
    fe = model(MATERIAL + grids + beams + "EIGRL,1,,,2\nFORCE,1,5,,1.,-1.,0.,0.\n", sol=103)
    modes = ist.normal_modes(fe).frequencies_hz
    truth = 1.8751040687**2 * np.sqrt(E * np.array([1e-8, 3e-8]) / (RHO * A)) / (2.0 * np.pi * 4.0)
    np.testing.assert_allclose(modes, truth, rtol=1e-4)  # four exact static shapes in place of the mode
    buckled = ist.buckling(fe, subcase=1, n_modes=1)
    assert buckled.load_factors[0] == pytest.approx(np.pi**2 * E * 1e-8 / (4.0 * 4.0), rel=1e-3)


def test_offsets_tapers_and_stresses_of_three_grid_beams():
    """Offsets are rigid arms; a section that halves in area along the beam has ∫ dx/EA; stress at the points."""
    taper = (
        f"PBEAM3,1,1,{A},{I1},{I2},,{J}\n,.1,0.,-.1,0.,0.,.2,0.,-.2\n,YESA,,{A / 2}\n,\n,YESA,,{0.75 * A}\n"
    )
    bulk = STRAIGHT.replace(BEAM3, taper) + "CBEAM3,1,1,1,2,3,0.,1.,0.\n"
    fe = model(bulk + "FORCE,1,2,,1.,1.,0.,0.")
    u = ist.static(fe, subcase=1)
    truth = 2.0 / (E * A) * 2.0 * np.log(2.0)
    assert u.displacement[fe.grids.dof_of(2, 1)] == pytest.approx(truth, rel=1e-6)
    np.testing.assert_allclose(u.stresses["CBEAM3"].values[[0, -1], 0], [1 / A, 2 / A], rtol=1e-9)
    bend = ist.static(model(bulk + "MOMENT,1,2,,1.,0.,0.,1."), subcase=1)
    np.testing.assert_allclose(bend.stresses["CBEAM3"].values[0, :4], [-0.1 / I1, 0.1 / I1, 0, 0], atol=1e-6)
    arm = model(STRAIGHT + "CBEAM3,1,1,1,2,3,0.,1.,0.\n,0.,.3,0.,0.,.3,0.,0.,.3\n,0.\nFORCE,1,2,,1.,1.,0.,0.")
    turned = ist.static(arm, subcase=1).displacement[arm.grids.dof_of(2, 1) + 5]
    assert turned == pytest.approx(0.3 * 2.0 / (E * I1), rel=1e-9)


def test_a_gradient_across_a_curved_beam_is_refused():
    bulk = QUARTER + "CBEND,1,1,1,2,9,,,1\n" + pbend() + "SPC1,1,123456,1\nTEMPRB,5,1,10.,10.,4.\n"
    with pytest.raises(ModelError, match="CBEND 1 has a gradient of temperature"):
        ist.static(model(bulk, "LOAD=0\nTEMPERATURE(LOAD)=5"), subcase=1)


@refusals(
    """
    CBEND,1,1,1,2,9|PBEND,1,1,1.,1.,1.,1. -> CBEND 1: field 9 is missing
    CBEND,1,1,1,2,9,,,7|PBEND,1,1,1.,1.,1.,1. -> needs the flag GEOM in field 9
    CBEND,1,1,1,2,-1.,1.,0.,1|PBEND,1,1,1.,1.,1.,1. -> has no orientation, or one along its chord
    CBEND,1,1,1,1,9,,,1|PBEND,1,1,1.,1.,1.,1. -> joins grids at one place
    CBEND,1,1,1,2,9,,,3|PBEND,1,1,1.,1.,1.,1.,1. -> longer than twice its bend radius
    CBEND,1,1,1,2,9,,,4|PBEND,1,1,1.,1.,1.,1. -> needs the angle THETAB
    CBEND,1,1,1,2,9,,,4|PBEND,1,1,1.,1.,1.,1.,1.,400. -> more than 0 and less than 360 degrees
    CBEND,1,1,1,2,9,,,1|PBEND,1,1,3,1.,.1 -> flexibility factors of this PBEND
    CBEND,1,1,1,2,9,,,1|PBEND,1,1,1.,0.,1.,1. -> I1 of this PBEND is not possible
    CBEND,1,1,1,2,9,,,1|PBEND,1,1,1.,9.,1.,1. -> the neutral axis of CBEND 1 is beyond its centre of curvature
    CBEND,1,1,1,2,9,,,1|PBEND,1,1,1.,1.,1.,1.|,|,,,,,,3. -> below the radius 2, got 3
    CBEND,1,1,1,2,9,,,1|PBEND,1,1,1,.1,.3 -> the wall of this PBEND is thicker than the pipe
    CBEND,1,1,1,8,9,,,1|PBEND,1,1,1.,1.,1.,1. -> refers to grid 8
    CBEND,1,6,1,2,9,,,1|PBEND,1,1,1.,1.,1.,1. -> refers to property 6
    CBEAM3,1,1,1,2,,0.,0.,1.|PBEAM3,1,1,0.,1.,1. -> A of this PBEAM3 is not possible
    CBEAM3,1,1,1,2,,-1.,1.,0.|PBEAM3,1,1,1.,1.,1. -> zero or parallel to its axis
    CBEAM3,1,1,1,2,1,0.,0.,1.|PBEAM3,1,1,1.,1.,1. -> has no length or turns back
    CBEAM3,1,1,1,2,,0.,0.,1.|,,,,,,,,|,,3.|PBEAM3,1,1,1.,1.,1. -> twist .* is not supported
    CBEAM3,1,1,1,2,,0.,0.,1.|PBEAML,1,1,,L|,1.,1.,.1,.1 -> neutral axis off the shear centre
    """
)
def test_mistakes_are_named(text, words):
    with pytest.raises(DeckError, match=words):
        build(deck_from_text(QUARTER + text.replace("|", "\n")))
