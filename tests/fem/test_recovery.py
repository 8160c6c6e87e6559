"""Forces and stresses against closed forms, equilibrium and energy."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from deck_parts import TWO_BARS
from interstage.errors import InputError
from interstage.fem.elements.hexa import HEXA20
from interstage.fem.elements.penta import PENTA15
from interstage.fem.elements.pyramid import PYRAM13
from interstage.fem.elements.solid_common import SolidBlock
from interstage.fem.elements.tetra import TETRA10
from interstage.nastran import deck_from_text


def model(bulk: str, case: str = "SPC=1\nLOAD=1", sol: int = 101):
    return ist.FEModel.from_deck(deck_from_text(f"SOL {sol}\nCEND\n{case}\nBEGIN BULK\n{bulk}\nENDDATA\n"))


def cell(table, element, column, node=None):
    """One value of a table, by element, column and place."""
    rows = table.element_ids == element
    if node is not None:
        rows &= table.node_ids == node
    return table.column(column)[rows]


CANTILEVER = f"""
{TWO_BARS}
PBAR,1,1,2.-4,8.-9,5.-9,9.-9
,.01,.02,.01,-.02,-.01,-.02,-.01,.02
MAT1,1,7.+10,,.33,2700.
SPC1,1,123456,1
FORCE,1,3,,1.,30.,10.,-20.
MOMENT,1,3,,1.,4.,0.,0.
"""


def test_forces_and_stresses_of_a_cantilever():
    u = ist.static(model(CANTILEVER), subcase=1)
    t = u.forces["CBAR"]
    assert t.columns == (
        "bending_moment_a1", "bending_moment_a2", "bending_moment_b1", "bending_moment_b2",
        "shear1", "shear2", "axial", "torque",
    )  # fmt: skip
    assert t.node_ids is None
    # section moments of the tip forces: M1 = Fy (L - x), M2 = Fz (L - x)
    wanted = [[20, -40, 10, -20, 10, -20, 30, 4], [10, -20, 0, 0, 10, -20, 30, 4]]
    np.testing.assert_allclose(t.values, wanted, atol=1e-9)
    s = u.stresses["CBAR"]
    bending = [-(20 * y / 8e-9 - 40 * z / 5e-9) for y, z in ((0.01, 0.02), (0.01, -0.02))]
    np.testing.assert_allclose([cell(s, 1, c)[0] for c in ("s1a", "s2a")], bending)
    assert cell(s, 1, "axial")[0] == pytest.approx(30 / 2e-4)
    assert cell(s, 1, "smaxa")[0] == pytest.approx(max(abs(b) for b in bending) + 30 / 2e-4)
    assert cell(s, 1, "smina")[0] == pytest.approx(-max(abs(b) for b in bending) + 30 / 2e-4)


def test_product_of_inertia_couples_the_planes():
    """σ = -[(M1 I2 - M2 I12) y + (M2 I1 - M1 I12) z] / (I1 I2 - I12²): no stress along the neutral line."""
    bulk = CANTILEVER.replace("-.01,.02\n", "-.01,.02\n,,,2.-9\n").replace(
        "FORCE,1,3,,1.,30.", "FORCE,1,3,,1.,0."
    )
    u = ist.static(model(bulk), subcase=1)
    I1, I2, I12, M1, M2 = 8e-9, 5e-9, 2e-9, 20.0, -40.0
    y, z = 0.01, 0.02
    wanted = -((M1 * I2 - M2 * I12) * y + (M2 * I1 - M1 * I12) * z) / (I1 * I2 - I12**2)
    assert cell(u.stresses["CBAR"], 1, "s1a")[0] == pytest.approx(wanted)


def test_tapered_beam_at_its_stations():
    bulk = CANTILEVER.replace("CBAR", "CBEAM").replace(
        "PBAR,1,1,2.-4,8.-9,5.-9,9.-9\n,.01,.02,.01,-.02,-.01,-.02,-.01,.02",
        "PBEAM,1,1,2.-4,8.-9,5.-9,,9.-9\n,.01,.02,.01,-.02,-.01,-.02,-.01,.02\n"
        ",YESA,.25\n,YES,1.,1.-4,4.-9,2.-9,,4.-9\n,.005,.01",
    )
    u = ist.static(model(bulk), subcase=1)
    t = u.forces["CBEAM"]
    assert t.element_ids.tolist() == [1, 1, 1, 2, 2, 2] and t.node_ids.tolist() == [1, 0, 2, 2, 0, 3]
    np.testing.assert_allclose(t.column("sd"), [0, 0.25, 1] * 2)
    np.testing.assert_allclose(t.column("bending_moment1"), [20, 17.5, 10, 10, 7.5, 0], atol=1e-9)
    np.testing.assert_allclose(t.column("bending_moment2"), [-40, -35, -20, -20, -15, 0], atol=1e-9)
    s = u.stresses["CBEAM"].column("sxc")
    x = 0.25
    A, I1, I2 = 2e-4 - 1e-4 * x, 8e-9 - 4e-9 * x, 5e-9 - 3e-9 * x
    assert s[1] == pytest.approx(30 / A - 17.5 * 0.01 / I1 + 35 * 0.02 / I2)
    assert s[2] == pytest.approx(30 / 1e-4 - 10 * 0.005 / 4e-9 + 20 * 0.01 / 2e-9)


def test_beam_whose_neutral_axis_is_off_the_shear_centre():
    """A tension at the shear centres bends the section about its neutral axis: M1 = N y_n, σ uniform bending."""
    bulk = (
        CANTILEVER.replace("CBAR", "CBEAM").replace("30.,10.,-20.", "30.,0.,0.").replace("1.,4.,", "0.,4.,")
    )
    bulk = bulk.replace(
        "PBAR,1,1,2.-4,8.-9,5.-9,9.-9\n,.01,.02,.01,-.02,-.01,-.02,-.01,.02",
        "PBEAM,1,1,2.-4,8.-9,5.-9,,9.-9\n,.01,.02,.01,-.02,-.01,-.02,-.01,.02\n,YESA,1.\n,,,\n,,,,,.003,0.",
    )
    u = ist.static(model(bulk), subcase=1)
    np.testing.assert_allclose(u.forces["CBEAM"].column("bending_moment1"), 30 * 0.003, rtol=1e-9)
    sigma = 30 / 2e-4 - 30 * 0.003 * (0.01 - 0.003) / 8e-9
    np.testing.assert_allclose(u.stresses["CBEAM"].column("sxc"), sigma)


def test_rods_tubes_bushes_and_springs():
    bulk = """
GRID,1,,0.,0.,0.,,123456
GRID,2,,2.,0.,0.,,2356
GRID,3,,4.,0.,0.,,2356
GRID,4,,6.,0.,0.,,23456
CROD,1,1,1,2
PROD,1,1,2.,3.,.5
CTUBE,2,2,2,3
PTUBE,2,1,1.,.1
CBUSH,3,3,3,4,0.,1.,0.
PBUSH,3,K,1.+4,1.,1.,0.,1.,1.
,,RCV,2.,3.
CELAS2,4,100.,4,1,,,,.25
MAT1,1,1.+6,,.3
FORCE,1,4,,1.,50.,0.,0.
MOMENT,1,3,,1.,7.,0.,0.
SPC1,1,123456,1
"""
    u = ist.static(model(bulk), subcase=1)
    inner, outer = 0.8, 1.0
    A, J = np.pi / 4 * (outer**2 - inner**2), np.pi / 32 * (outer**4 - inner**4)
    k = 1 / (2 / 2e6 + 2 / (1e6 * A) + 1e-4)
    force = 50 * k / (k + 100)  # the spring to ground takes the rest
    np.testing.assert_allclose(u.forces["CROD"].values, [[force, 7]])
    np.testing.assert_allclose(u.forces["CTUBE"].values, [[force, 7]])
    np.testing.assert_allclose(u.forces["CBUSH"].column("fx"), force)
    np.testing.assert_allclose(u.stresses["CBUSH"].column("tx"), 2 * force)
    np.testing.assert_allclose(u.stresses["CROD"].values[0, [0, 2]], [force / 2, 7 * 0.5 / 3])
    np.testing.assert_allclose(u.stresses["CTUBE"].values[0, [0, 2]], [force / A, 7 * outer / 2 / J])
    np.testing.assert_allclose(u.forces["CELAS2"].values, [[50 - force]])
    np.testing.assert_allclose(u.stresses["CELAS2"].values, [[0.25 * (50 - force)]])


# a square of five elements that are no parallelograms
PATCH = """
GRID,1,,0.,0.,0.
GRID,2,,2.,0.,0.
GRID,3,,2.,1.,0.
GRID,4,,0.,1.,0.
GRID,5,,.4,.3,0.
GRID,6,,1.5,.2,0.
GRID,7,,1.3,.7,0.
GRID,8,,.6,.8,0.
PSHELL,1,1,.1,1,,1
MAT1,1,1.+6,,.25
"""
QUADS = "CQUAD4,1,1,1,2,6,5\nCQUAD4,2,1,2,3,7,6\nCQUAD4,3,1,3,4,8,7\nCQUAD4,4,1,4,1,5,8\nCQUAD4,5,1,5,6,7,8\n"
TRIAS = (
    "CTRIA3,1,1,1,2,6\nCTRIA3,2,1,1,6,5\nCTRIA3,3,1,2,3,7\nCTRIA3,4,1,2,7,6\nCTRIA3,5,1,3,4,8\n"
    "CTRIA3,6,1,3,8,7\nCTRIA3,7,1,4,1,5\nCTRIA3,8,1,4,5,8\nCTRIA3,9,1,5,6,7\nCTRIA3,10,1,5,7,8\n"
)


@pytest.mark.kernels
@pytest.mark.parametrize("elements", [QUADS, TRIAS], ids=["CQUAD4", "CTRIA3"])
def test_constant_stress_of_a_patch_of_shells(elements):
    """Linear displacements and constant curvature: N, M and both fibres, in axes of each element."""
    fe = model(PATCH + elements, case="STRESS(CORNER)=ALL")
    x, y = fe.grids.xyz[:, :2].T
    e, kap = np.array([1e-3, 4e-4, -6e-4]), np.array([2e-2, -1e-2, 4e-3])  # εx εy γxy, κ of w,xx w,yy 2w,xy
    u = np.zeros((len(fe.grids), 6))
    u[:, 0], u[:, 1] = e[0] * x + e[2] / 2 * y, e[1] * y + e[2] / 2 * x
    u[:, 2] = -(kap[0] * x**2 + kap[1] * y**2 + kap[2] * x * y) / 2
    u[:, 3], u[:, 4] = -(kap[1] * y + kap[2] * x / 2), kap[0] * x + kap[2] * y / 2
    recovery = ist.fem.Recovery(fe, u.ravel())
    E, nu, t = 1e6, 0.25, 0.1
    Q = E / (1 - nu**2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]])
    name = "CQUAD4" if elements is QUADS else "CTRIA3"
    forces, stress = recovery.forces[name], recovery.stresses[name]
    assert stress.column("fiber_distance")[:2].tolist() == [-0.05, 0.05]
    block = fe.blocks[0]
    axes = block.element_axes(slice(None))
    for eid, R in zip(block.eid, axes):
        c, s = R[0, 0], R[0, 1]
        turn = np.array(
            [[c * c, s * s, 2 * c * s], [s * s, c * c, -2 * c * s], [-c * s, c * s, c * c - s * s]]
        )
        rows = forces.element_ids == eid
        np.testing.assert_allclose(forces.values[rows, :3] - t * turn @ Q @ e, 0, atol=1e-7)
        np.testing.assert_allclose(forces.values[rows, 3:6] + t**3 / 12 * turn @ Q @ kap, 0, atol=1e-9)
        np.testing.assert_allclose(forces.values[rows, 6:], 0, atol=1e-8)
        for fibre, z in ((0, -0.05), (1, 0.05)):
            wanted = turn @ Q @ (e + z * kap)
            rows = np.flatnonzero(stress.element_ids == eid)[fibre::2]
            np.testing.assert_allclose(stress.values[rows, 1:4] - wanted, 0, atol=1e-6)
            sx, sy, txy = wanted
            mises = np.sqrt(sx**2 + sy**2 - sx * sy + 3 * txy**2)
            np.testing.assert_allclose(stress.values[rows, 7], mises)
            top, low = np.linalg.eigvalsh([[sx, txy], [txy, sy]])[::-1]
            np.testing.assert_allclose(stress.values[rows, 5:7] - [top, low], 0, atol=1e-6)
            a = np.deg2rad(stress.values[rows, 4])
            np.testing.assert_allclose(
                sx * np.cos(a) ** 2 + sy * np.sin(a) ** 2 + 2 * txy * np.sin(a) * np.cos(a), top
            )


def test_corners_and_maximum_shear_as_the_deck_asks():
    plain, full = model(PATCH + QUADS, case=""), model(PATCH + QUADS, case="STRESS(CORNER,SHEAR)=ALL")
    u = np.random.default_rng(1).standard_normal(plain.grids.n_dof)
    one, two = (ist.fem.Recovery(fe, u).stresses["CQUAD4"] for fe in (plain, full))
    assert (len(one), len(two)) == (10, 50)
    assert ist.fem.Recovery(plain, u).forces["CQUAD4"].node_ids is None
    assert two.node_ids[:10].tolist() == [0, 0, 1, 1, 2, 2, 6, 6, 5, 5]
    centre = two.node_ids == 0
    np.testing.assert_allclose(one.values[:, :7], two.values[centre, :7])
    np.testing.assert_allclose(two.column("max_shear"), (two.column("omax") - two.column("omin")) / 2)
    with pytest.raises(InputError, match="there is no column 'von_mises'"):
        two.column("von_mises")


@pytest.mark.kernels
def test_plies_of_a_cross_ply_laminate_in_tension():
    """Equal strain in all plies: σ11 of 0° plies = Q11 ε + Q12 ε', and in the 90° ply the axes change places."""
    bulk = PATCH.replace("PSHELL,1,1,.1,1,,1\nMAT1,1,1.+6,,.25", "") + QUADS
    bulk += "PCOMP,1\n,1,.02,0.,,1,.03,90.\n,1,.02,0.\nMAT8,1,1.+7,1.+6,.3,5.+5,4.+5,3.+5\n"
    bulk = bulk.replace("6,5\n", "6,5,0\n", 1)  # material axis of element 1 along basic x
    fe = model(bulk, case="")
    e = np.array([1e-3, -2e-4, 3e-4])
    u = np.zeros((len(fe.grids), 6))
    x, y = fe.grids.xyz[:, :2].T
    u[:, 0], u[:, 1] = e[0] * x + e[2] / 2 * y, e[1] * y + e[2] / 2 * x
    stresses = ist.fem.Recovery(fe, u.ravel()).stresses
    assert "CQUAD4_COMPOSITE" in stresses and "CQUAD4" not in stresses
    table = stresses["CQUAD4_COMPOSITE"]
    assert table.node_ids[:3].tolist() == [1, 2, 3]
    E1, E2, nu, G = 1e7, 1e6, 0.3, 5e5
    f = 1 - nu**2 * E2 / E1
    along = [(E1 * e[0] + nu * E2 * e[1]) / f, (nu * E2 * e[0] + E2 * e[1]) / f, G * e[2]]
    across = [(E1 * e[1] + nu * E2 * e[0]) / f, (nu * E2 * e[1] + E2 * e[0]) / f, -G * e[2]]
    rows = table.values[table.element_ids == 1][:, :3]
    np.testing.assert_allclose(rows, [along, across, along], rtol=1e-9)


def test_shear_between_plies_is_a_parabola_for_equal_plies():
    from interstage.fem.elements.laminate import interlaminar_shear

    z = np.linspace(-0.5, 0.5, 5)
    found = interlaminar_shear(np.repeat(np.diag([3.0, 2.0, 1.0])[None], 4, axis=0), z)
    np.testing.assert_allclose(found, np.repeat(1.5 * (1 - 4 * z[1:, None] ** 2), 2, axis=1), atol=1e-15)


SOLIDS = {
    "CHEXA": "CHEXA,1,1,1,2,3,4,5,6\n,7,8",
    "CPENTA": "CPENTA,1,1,1,2,3,5,6,7",
    "CTETRA": "CTETRA,1,1,1,2,3,5",
    "CPYRAM": "CPYRAM,1,1,1,2,3,4,5",
}


@pytest.mark.parametrize("name", SOLIDS)
def test_constant_stress_of_distorted_solids(name):
    corners = [
        (0, 0, 0),
        (1, 0.1, 0),
        (1.2, 0.9, 0.1),
        (-0.1, 1, 0),
        (0.1, 0, 1),
        (1, 0.2, 1.1),
        (0.9, 1, 1),
        (0, 0.8, 0.9),
    ]
    bulk = "".join(f"GRID,{i + 1},,{x:.2f},{y:.2f},{z:.2f}\n" for i, (x, y, z) in enumerate(corners))
    bulk += SOLIDS[name] + "\nPSOLID,1,1\nMAT1,1,1.+6,,.25\n"
    fe = model(bulk, case="")
    g = np.array([[1.0, 2.0, -1.0], [0.5, -1.5, 0.4], [0.3, 0.8, 2.0]]) * 1e-3  # displacement gradient
    u = np.zeros((len(fe.grids), 6))
    u[:, :3] = fe.grids.xyz @ g.T
    e, E, nu = (g + g.T) / 2, 1e6, 0.25
    sigma = E / (1 + nu) * (e + nu / (1 - 2 * nu) * np.trace(e) * np.eye(3))
    table = ist.fem.Recovery(fe, u.ravel()).stresses[name]
    wanted = [*np.diag(sigma), sigma[0, 1], sigma[1, 2], sigma[2, 0], *np.linalg.eigvalsh(sigma)[::-1]]
    deviator = sigma - np.trace(sigma) / 3 * np.eye(3)
    wanted.append(np.sqrt(1.5 * np.sum(deviator**2)))
    assert table.node_ids[0] == 0 and len(table) == 1 + fe.blocks[0].shape.n_corner
    np.testing.assert_allclose(table.values - wanted, 0, atol=1e-5 if name == "CPYRAM" else 1e-8)


@pytest.mark.parametrize("shape", [HEXA20, PENTA15, TETRA10, PYRAM13], ids=lambda s: f"{s.name}{s.n_nodes}")
def test_constant_stress_of_solids_with_mid_edge_nodes(shape):
    rng = np.random.default_rng(2)
    corners = shape.places[1:] + 0.1 * rng.standard_normal((shape.n_corner, 3))
    xyz = np.concatenate([corners, [(corners[a] + corners[b]) / 2 for a, b in shape.edges]])
    lame, G = 3.0, 2.0
    C = np.diag([2 * G] * 3 + [G] * 3)
    C[:3, :3] += lame
    block = SolidBlock(shape, [1], [np.arange(shape.n_nodes)], xyz[None], C[None], [0.0])
    g = rng.standard_normal((3, 3))
    found = block.recovery(slice(0, 1))[0] @ (xyz @ g.T).ravel()
    e = np.array([g[0, 0], g[1, 1], g[2, 2], g[0, 1] + g[1, 0], g[1, 2] + g[2, 1], g[2, 0] + g[0, 2]])
    np.testing.assert_allclose(found.reshape(-1, 6) - C @ e, 0, atol=1e-9 if shape.name != "CPYRAM" else 1e-5)


def test_bricks_in_bending_show_linear_stress():
    """A row of bricks under a couple: σ = M z/I at the corners, which the enhanced strains make exact."""
    bulk, n = "", 4
    for i in range(n + 1):
        for j, (y, z) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1))):
            bulk += f"GRID,{4 * i + j + 1},,{float(i)},{float(y)},{float(z)}\n"
    for i in range(n):
        a, b = 4 * i, 4 * i + 4
        bulk += f"CHEXA,{i + 1},1,{a + 1},{b + 1},{b + 2},{a + 2},{a + 4},{b + 4}\n,{b + 3},{a + 3}\n"
    bulk += "PSOLID,1,1\nMAT1,1,1.+6,,.3\nSPC1,1,123,1\nSPC1,1,13,2\nSPC1,1,1,3,4\nSPC1,1,456,1,THRU,20\n"
    tip = 4 * n
    bulk += "".join(
        f"FORCE,1,{tip + k},,{f},1.,0.,0.\n" for k, f in ((1, 3.0), (2, 3.0), (3, -3.0), (4, -3.0))
    )
    u = ist.static(model(bulk), subcase=1)
    table = u.stresses["CHEXA"]
    rows = table.node_ids > 0
    z = np.array([u.grids.xyz[u.grids.find(g), 2] for g in table.node_ids[rows]])
    np.testing.assert_allclose(table.column("oxx")[rows], 6.0 * (1 - 2 * z) * 6, rtol=1e-8)
    np.testing.assert_allclose(table.column("txz"), 0, atol=1e-8)
    np.testing.assert_allclose(table.column("oxx")[~rows], 0, atol=1e-8)


FRAME = (
    CANTILEVER.replace("SPC1,1,123456,1\n", "SPC1,1,123456,1\nSPC1,1,3,4\n")
    + """
CORD2R,5,,0.,0.,0.,1.,1.,1.,
,1.,0.,0.
GRID,4,,2.,1.,.5,5
RBE2,9,3,123456,4
CELAS2,8,1.+3,2,2
CROD,7,7,4,1
PROD,7,1,1.-5,1.-9
"""
)


def test_forces_at_every_grid_add_up_to_nothing():
    u = ist.static(model(FRAME.replace("SPC1,1,3,4\n", "")), subcase=1)
    g = u.gpforces
    assert {"APP-LOAD", "F-OF-SPC", "F-OF-MPC", "BAR", "ROD", "ELAS2"} <= set(g.origins)
    for grid in u.grids.id:
        np.testing.assert_allclose(g.values[g.grid_ids == grid].sum(axis=0), 0, atol=1e-8)
    # all loads together, and the rigid element, are in balance
    np.testing.assert_allclose(u.load_resultant()[:3], [30, 10, -20])
    spring = np.zeros(6)
    spring[[1, 5]] = -u.forces["CELAS2"].values[0, 0], -u.forces["CELAS2"].values[0, 0] * 1.0
    np.testing.assert_allclose(u.load_resultant() + u.reaction_resultant() + spring, 0, atol=1e-8)
    from interstage.fem.recovery import resultant

    np.testing.assert_allclose(resultant(u.grids, u.mpc_forces), 0, atol=1e-8)


def test_strain_energy_adds_up_to_the_work_of_the_loads():
    u = ist.static(model(FRAME.replace("SPC1,1,3,4\n", "")), subcase=1)
    tables = u.strain_energy
    total = sum(tables[name].column("strain_energy").sum() for name in tables)
    assert total == pytest.approx(0.5 * u.displacement @ u.load, rel=1e-9)
    assert sum(tables[name].column("percent").sum() for name in tables) == pytest.approx(100)


def test_modes_have_forces_by_mode_and_reactions_of_their_inertia():
    fe = model(CANTILEVER + "EIGRL,1,,,4\n", case="SPC=1\nMETHOD=1", sol=103)
    modes = ist.normal_modes(fe)
    table = modes.forces["CBAR"]
    assert table.values.shape == (4, 2, 8)
    one = ist.fem.Recovery(fe, modes.shapes[:, 2]).forces["CBAR"]
    np.testing.assert_allclose(table.values[2], one.values, atol=1e-12 * np.abs(one.values).max())
    rest = fe.K_gg @ modes.shapes - fe.M_gg @ modes.shapes * modes.eigenvalues
    np.testing.assert_allclose(modes.spcforces.values[:, 0], rest[:6].T, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(modes.spcforces[3], 0, atol=1e-9)


def test_results_do_not_depend_on_output_systems():
    """The same frame with its grids in turned displacement systems has the same element results."""
    turned = CANTILEVER + "CORD2R,5,,0.,0.,0.,1.,1.,1.\n,1.,0.,0.\n"
    turned = turned.replace("GRID,2,,1.,0.,0.", "GRID,2,,1.,0.,0.,5").replace(
        "GRID,3,,2.,0.,0.", "GRID,3,,2.,0.,0.,5"
    )
    # orientation vectors are read in the displacement system of end A: give a grid in their place
    turned = (
        turned.replace("0.,1.,0.\nCBAR", "9\nCBAR").replace("2,3,0.,1.,0.", "2,3,9")
        + "GRID,9,,0.,9.,0.\nSPC1,1,123456,9\n"
    )
    plain, other = (ist.static(model(bulk), subcase=1) for bulk in (CANTILEVER, turned))
    np.testing.assert_allclose(plain.forces["CBAR"].values, other.forces["CBAR"].values, atol=1e-9)


def test_effective_mass_and_energy_of_modes():
    """All modes of a held structure move all of its mass but that on held dofs; ½ω² is strain and kinetic energy."""
    bulk = CANTILEVER + "CONM2,5,3,,2.,.1,.2,.3\n,4.,,5.,,,6.\nEIGRL,1,,,12\n"
    fe = model(bulk, case="SPC=1\nMETHOD=1", sol=103)
    modes = ist.normal_modes(fe)
    found = modes.participation(about=[0.5, 0, 0])
    held = np.zeros(fe.grids.n_dof)
    held[:6] = fe.M_gg.diagonal()[:6]
    # half an element stands on the held grid at 0.5 from the point: mass in T, 0.5² of it in R2 and R3
    np.testing.assert_allclose(found.total[:3], 2.0 + 2 * 2e-4 * 2700)
    rest = found.total - found.effective_mass.sum(axis=0)
    at = held[0] * np.array([1, 1, 1, 0, 0.25, 0.25])
    np.testing.assert_allclose(rest, at, atol=1e-9 * found.total.max())
    np.testing.assert_allclose(found.cumulative[-1, :3], 1 - held[0] / found.total[:3])
    for tables, column in ((modes.strain_energy, "strain_energy"), (modes.kinetic_energy, "kinetic_energy")):
        total = sum(tables[name].column(column).sum(axis=1) for name in tables)
        np.testing.assert_allclose(total, 0.5 * modes.eigenvalues, rtol=1e-7)
    assert set(modes.kinetic_energy) == {"CBAR", "CONM2"}
