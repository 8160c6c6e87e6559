"""Recovery rows of components: tables of the FE model, choices of modes, files and units, wrong requests."""

import h5py
import numpy as np
import pytest

import interstage as ist
from interstage.component.units import converted
from interstage.errors import FileError, InputError
from interstage.fem.elements.block import OutputOptions
from interstage.fem.recovery import Recovery
from interstage.nastran import deck_from_text


def panel():
    """A free plate of shells with a bar, a rod, a beam, a solid, a bush and a spring on it."""
    bulk = "".join(
        f"GRID,{10 * j + i + 1},,{0.5 * i:.3f},{0.4 * j:.3f},0.\n" for j in range(3) for i in range(4)
    )
    shells = [
        (10 * j + i + 1, 10 * j + i + 2, 10 * j + i + 12, 10 * j + i + 11) for j in range(2) for i in range(3)
    ]
    bulk += "".join(f"CQUAD4,{k + 1},1,{a},{b},{c},{d}\n" for k, (a, b, c, d) in enumerate(shells))
    bulk += "PSHELL,1,1,.01,1,,1\nMAT1,1,7.+10,,.3,2700.\n"
    bulk += "CBAR,21,2,1,2,0.,0.,1.\nPBAR,2,1,1.-4,2.-9,3.-9,4.-9\n,.01,.02\n"
    bulk += "CROD,31,3,2,13\nPROD,3,1,1.-4,1.-9\nCBEAM,41,4,3,4,0.,0.,1.\nPBEAM,4,1,1.-4,2.-9,3.-9,,4.-9\n,.01,.02\n"
    bulk += "GRID,90,,0.,0.,0.\nCBUSH,51,5,1,90,,,,0\nPBUSH,5,K,1.+5,1.+5,1.+5,1.+3,1.+3,1.+3\n"
    bulk += "CONM2,99,90,,2.\n,.1,,.1,,,.1\n"
    bulk += "CELAS2,61,1.+3,14,5,24,5\n"
    return deck_from_text(f"SOL 103\nCEND\nBEGIN BULK\n{bulk}ENDDATA\n")


WANTED = {
    "bar moment": ("CBAR", 21, "bending_moment_b2"),
    "bar stress": ("CBAR", 21, "s1b"),
    "rod force": ("CROD", 31, "axial"),
    "rod stress": ("stresses", "CROD", 31, "axial"),
    "beam shear": ("CBEAM", 41, "shear2", 4),
    "plate pull": ("CQUAD4", 2, "mx"),
    "plate bending": ("CQUAD4", 2, "bmxy", 13),
    "plate stress": ("CQUAD4", 5, "oyy", 0, 2),
    "bush moment": ("CBUSH", 51, "my"),
    "spring": ("CELAS2", 61, "spring_force"),
}
QUANTITIES = [
    "moment", "stress", "force", "stress", "force", "force per length", "moment per length", "stress", "moment",
    "moment",
]  # fmt: skip


@pytest.fixture(scope="module")
def made():
    return ist.Component.from_deck(panel(), 9, aset={}, load_grids=[1, 24], recover=WANTED, units="SI")


def picked(recovery):
    """The wanted numbers of tables (k, r): by hand."""
    f, s = recovery.forces, recovery.stresses

    def at(table, element, column, node=None, fibre=0):
        rows = table.element_ids == element
        if node is not None:
            rows &= table.node_ids == node
        return table.values[..., np.flatnonzero(rows)[fibre], table.columns.index(column)]

    return np.array([
        at(f["CBAR"], 21, "bending_moment_b2"), at(s["CBAR"], 21, "s1b"), at(f["CROD"], 31, "axial"),
        at(s["CROD"], 31, "axial"), at(f["CBEAM"], 41, "shear2", 4), at(f["CQUAD4"], 2, "mx", 0),
        at(f["CQUAD4"], 2, "bmxy", 13), at(s["CQUAD4"], 5, "oyy", 0, 1), at(f["CBUSH"], 51, "my"),
        at(f["CELAS2"], 61, "spring_force"),
    ])  # fmt: skip


def test_rows_are_those_of_the_tables(made):
    """Modes of the component through the tables of elements; the inertia of free modes is K⁻¹MΦ = ΦΩ⁻²."""
    fe = ist.FEModel.from_deck(panel())
    u = np.concatenate([made.gamma, made.lam], axis=1).reshape(-1, made.n_modes)
    truth = picked(Recovery(fe, u, OutputOptions(corners=True)))
    rows = made.recovery
    size = np.abs(truth).max(axis=1, keepdims=True)
    np.testing.assert_allclose(rows.C / size, truth / size, atol=1e-10)
    assert rows.quantities == QUANTITIES and rows.names == list(WANTED)
    squares = (2 * np.pi * made.frequencies_hz) ** 2
    np.testing.assert_allclose(rows.inertia * squares / size, rows.C / size, atol=1e-5)
    assert rows.nodes.tolist() == [1, 24] and len(rows.load) == 18


def test_static_answer_of_many_modes(made):
    """With all modes of the body there is nothing left for forces: C Ω⁻² Q is the static answer. (Moments turn grids
    without inertia, which no mode does.)
    """
    full = ist.Component.from_deck(panel(), 60, aset={}, load_grids=[1, 24], recover=WANTED)
    rows, squares = full.recovery, (2 * np.pi * full.frequencies_hz) ** 2
    np.testing.assert_allclose(rows.static, made.recovery.static, atol=1e-8 * np.abs(rows.static).max())
    forces = (rows.load[:, 0] > 0) & (rows.load[:, 1] < 4)
    static = rows.static[:, forces]
    size = np.abs(static).max(axis=1, keepdims=True)
    found = rows.C / squares @ rows.modal[:, forces]
    np.testing.assert_allclose(found / size, static / size, atol=1e-7)


def test_files_units_and_choices(made, tmp_path):
    made.save(tmp_path / "panel.h5")
    back = ist.Component.load(tmp_path / "panel.h5")
    for name in ("load", "nodes", "C", "inertia", "static", "modal"):
        np.testing.assert_array_equal(getattr(back.recovery, name), getattr(made.recovery, name))
    assert (back.recovery.names, back.recovery.quantities) == (list(WANTED), QUANTITIES)
    other = converted(converted(made, "slinch-in-s"), "SI").recovery
    np.testing.assert_allclose(other.static, made.recovery.static, rtol=1e-12)
    few = made.keep_modes([0, 3]).recovery
    np.testing.assert_array_equal(few.C, made.recovery.C[:, [0, 3]])
    np.testing.assert_array_equal(few.modal, made.recovery.modal[[0, 3]])
    np.testing.assert_array_equal(few.static, made.recovery.static)


def test_rows_of_matrices():
    """Rows that are given: the force of a spring between two points of a chain of masses."""
    n, k = 4, 100.0
    K = np.zeros((6 * n, 6 * n))
    for i in range(n - 1):
        for a in range(6):
            K[np.ix_([6 * i + a, 6 * i + 6 + a], [6 * i + a, 6 * i + 6 + a])] += k * np.array(
                [[1, -1], [-1, 1]]
            )
    row = np.zeros(6 * n)
    row[6], row[12] = -k, k
    c = ist.Component.from_matrices(
        K, np.eye(6 * n), {i + 1: [0.0, 0, 0] for i in range(n)}, n_modes=3,
        recover={"pull": (row, "force")}, load_grids=[1, 4],
    )  # fmt: skip
    pull = c.recovery.static[0][(c.recovery.load == (4, 1)).all(axis=1)]
    assert pull == pytest.approx(0.5)  # half of the masses are pulled along
    with pytest.raises(InputError, match=r"quantity of 'pull' is not known.*moment"):
        ist.Component.from_matrices(
            K, np.eye(6 * n), {i + 1: [0, 0, 0] for i in range(n)}, n_modes=3, recover={"pull": (row, "Nm")}
        )


@pytest.mark.parametrize(
    "wanted, words",
    [
        ("CBAR", "recover is not usable"),
        ({"a": ("CBAR", 21)}, "'a' is not usable"),
        ({"a": ("CBAR", "21", "axial")}, "'a' is not usable"),
        ({"a\nb": ("CBAR", 21, "axial")}, "name of one line"),
        ({"a": ("CHEXA", 1, "oxx")}, "no results of CHEXA"),
        ({"a": ("CBAR", 22, "axial")}, "CBAR 22 is not in the model"),
        ({"a": ("CBAR", 21, "axia")}, "no column 'axia'"),
        ({"a": ("CBEAM", 41, "shear1")}, r"place of the result .* not clear.*\[3, 4\]"),
        ({"a": ("CBAR", 21, "axial", 3)}, "have no places"),
        ({"a": ("CQUAD4", 1, "oxx", 0)}, "fibre .* is not clear.*1 to 2"),
        ({"a": ("CQUAD4", 1, "von_mises", 0, 1)}, "not linear in the motion"),
        ({"a": ("CQUAD4", 1, "fiber_distance", 0, 1)}, "not linear in the motion"),
        ({"a": ("CBAR", 21, "smaxa")}, "not linear in the motion"),
    ],
)
def test_wrong_requests_are_said(wanted, words):
    with pytest.raises(InputError, match=words):
        ist.Component.from_deck(panel(), 2, aset={}, recover=wanted)


@pytest.mark.parametrize(
    "dataset, value, words",
    [
        ("QUANTITY", "weight", "quantities of the recovered results are not usable"),
        ("LOAD", [[99, 1]] * 18, "loads of the recovery are not usable"),
        ("C", np.full((10, 9), np.nan), "not finite"),
    ],
)
def test_damaged_files_are_refused(made, tmp_path, dataset, value, words):
    path = tmp_path / "panel.h5"
    made.save(path)
    with h5py.File(path, "a") as f:
        del f[f"Recovery/{dataset}"]
        f[f"Recovery/{dataset}"] = np.bytes_("\n".join([value] * 10)) if isinstance(value, str) else value
    with pytest.raises(FileError, match=words):
        ist.Component.load(path)


def test_shear_flows_are_forces_a_length():
    """A panel in t-mm-s: flows and forces change units each in their own way."""
    deck = """SOL 103
CEND
BEGIN BULK
GRID,1,,0.,0.,0.
GRID,2,,500.,0.,0.
GRID,3,,500.,250.,0.
GRID,4,,0.,250.,0.
CSHEAR,1,1,1,2,3,4
PSHEAR,1,1,2.
MAT1,1,7.+4,,.3,2.7-9
CBAR,11,11,1,2,0.,0.,1.
CBAR,12,11,2,3,0.,0.,1.
CBAR,13,11,3,4,0.,0.,1.
CBAR,14,11,4,1,0.,0.,1.
PBAR,11,1,100.,1.+3,1.+3,2.+3
CONM2,21,3,,1.-3
ENDDATA"""
    asked = {"flow": ("CSHEAR", 1, "shear12"), "force": ("CSHEAR", 1, "force21")}
    made = ist.Component.from_deck(deck_from_text(deck), n_modes=8, aset={}, units="t-mm-s", recover=asked)
    ratios = [_flow_over_force(each) for each in (made, converted(made, "SI"))]
    assert ratios[0] == pytest.approx(2.0 / 500.0, rel=1e-12)  # a corner takes half of its side
    assert ratios[1] == pytest.approx(2.0 / 0.5, rel=1e-12)


def _flow_over_force(component) -> float:
    flow, force = component.recovery.C
    k = int(np.argmax(np.abs(force)))
    return float(abs(flow[k] / force[k]))


def test_a_straight_bar_whose_lumped_masses_are_taken_out():
    """Nothing is left that could be turned about its axis: the moment at the root under a force at the tip is F L."""
    bulk = "".join(f"GRID,{i + 1},,{float(i)},0.,0.\n" for i in range(7))
    bulk += "".join(f"CBAR,{i + 1},1,{i + 1},{i + 2},0.,1.,0.\n" for i in range(6))
    bulk += "PBAR,1,1,1.-2,1.-6,1.-6,2.-6\nMAT1,1,7.+10,,0.3,2700.\n"
    bulk += "".join(f"CONM2,{900 + i},{i},,2.\n,1.e-1,,1.e-1,,,1.e-1\n" for i in (1, 4, 7))
    deck = deck_from_text(f"SOL 103\nCEND\nBEGIN BULK\n{bulk}ENDDATA\n")
    wanted = {"root": ("CBAR", 1, "bending_moment_a1")}
    c = ist.Component.from_deck(
        deck, 4, aset={1: 123456}, load_grids=[7], separate_lumped=True, recover=wanted
    )
    assert c.mass == pytest.approx(162.0)
    mb = ist.Multibody("bar")
    mb.add_body("bar", component=c, joint=ist.Locked())
    system = mb.compile()
    x0 = ist.trim(system, system.state(), forces={("bar", 7): [0, 0, 0, 0, 2.0, 0]})
    assert abs(system.recovered(x0, "bar")["root"]) == pytest.approx(12.0, rel=1e-6)
