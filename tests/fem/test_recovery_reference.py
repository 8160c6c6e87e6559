"""Forces, stresses, reactions and load factors of real Nastran runs, through the library and the command line.

Decks are our own text of the published models and figures stand beside them (`published_runs`), so nothing is skipped
in a clone; where the published files lie beside the checkout, deck and figures are held against them.
"""

from __future__ import annotations

import json

import numpy as np
import published_responses as responses
import published_runs as runs
import pytest
from reference_cases import errors, grid_error, table

import interstage as ist
from conftest import reference_dir
from interstage.cli.main import main
from interstage.nastran import deck_from_text, read_deck

THIN = {
    "forces": {"axial": 0.05},
    "stresses": dict.fromkeys(("axial", "smaxa", "smina", "smaxb", "sminb"), 0.05),
}


def model(case: str) -> ist.FEModel:
    return ist.FEModel.from_deck(deck_from_text({**runs.DECKS, **responses.DECKS}[case]()))


def of_grids(found, grids: list[int]) -> np.ndarray:
    """Rows of a table of grids, zero where it has none."""
    known = {int(g): i for i, g in enumerate(found.node_ids)}
    return np.array([found.values[known[g]] if g in known else np.zeros(6) for g in grids])


@pytest.mark.parametrize(
    ("case", "kind", "count"),
    [
        ("one_of_each", "forces", 5),
        ("one_of_each", "stresses", 10),
        ("mixed_plate", "stresses", 3),
        ("hanging_cable", "forces", 1),
        ("hanging_cable", "stresses", 1),
        ("shear_and_fibers", "stresses", 5),
    ],
)
def test_tables_of_statics(case, kind, count):
    found, names = getattr(ist.static(model(case), subcase=1), kind), runs.figures(case)[kind]
    assert len(names) == count
    allowed = THIN[kind] if case == "hanging_cable" else {}
    for name in names:
        for column, error in errors(table(found[name]), runs.of_elements(case, kind, name)).items():
            assert error <= allowed.get(column, 1e-5), (name, column)


# what is compared, and its tolerance; displacements of the loop of superelements are soft in rotation
STATICS = {
    "nested_loads": {"spcforces": 1e-5},
    "loads_along_a_bar": {"displacement": 1e-5, "spcforces": 1e-5, "forces": 1e-4},
    "loop_of_superelements": {"displacement": 1e-4},
    "temperatures_of_corners": {"displacement": 1e-5, "spcforces": 1e-5, "stresses": 1e-4},
    "hanging_cable": {"spcforces": 1e-5},
}


@pytest.mark.parametrize("case", STATICS)
def test_every_subcase_of_static_runs(case):
    fe, seen = model(case), 0
    for kind, tolerance in STATICS[case].items():
        names = runs.figures(case)[kind] if kind in ("forces", "stresses") else [""]
        for name in names:
            for subcase in runs.cases_of(case, kind, name):
                u, seen = ist.static(fe, subcase=subcase), seen + 1
                if name:
                    given = runs.of_elements(case, kind, name, subcase)
                    found = errors(table(getattr(u, kind)[name]), given)
                    assert max(e for c, e in found.items() if c != "angle") <= tolerance, (subcase, name)
                    continue
                grids, theirs = runs.at_grids(case, kind, subcase)
                ours = (
                    np.array([u[g] for g in grids])
                    if kind == "displacement"
                    else of_grids(getattr(u, kind), grids)
                )
                assert grid_error(ours, theirs) <= tolerance, (subcase, kind)
    assert seen == {"nested_loads": 8, "loads_along_a_bar": 27, "temperatures_of_corners": 9}.get(case, 1)


def test_constraint_forces_and_balance_at_grids():
    u = ist.static(model("one_of_each"), subcase=1)
    for name, found in (("spcforces", u.spcforces), ("applied_loads", u.applied_loads)):
        grids, given = runs.at_grids("one_of_each", name)
        np.testing.assert_allclose(of_grids(found, grids), given, atol=1e-6 * np.abs(given).max())
    given, found = runs.figures("one_of_each")["gpforces"], u.gpforces
    at = {(g, e): i for i, (g, e) in enumerate(zip(found.grid_ids, found.element_ids)) if e}
    assert len(given) == 76
    rows = [at[g, e] for g, e, *_ in given]
    np.testing.assert_allclose(found.values[rows], [row[2:] for row in given], atol=1e-3)  # of 10 000


def run(capsys, *arguments) -> dict:
    with pytest.raises(SystemExit) as stop:
        main([*map(str, arguments), "--json"])
    assert stop.value.code == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def deck_file(tmp_path):
    """Write the deck of a case; returns its path."""

    def write(case):
        path = tmp_path / f"{case}.bdf"
        path.write_text(runs.DECKS[case]())
        return path

    return write


def test_load_factor_of_a_column(capsys, deck_file):
    found = run(capsys, "buckling", deck_file("buckling_column"))["load_factors"]
    np.testing.assert_allclose(found, runs.figures("buckling_column")["load_factors"], rtol=1e-6)


def test_load_factor_and_buckled_shape_of_a_plate():
    """The shape at 36 of 2,601 grids."""
    fe, (grids, given) = model("buckling_plate"), runs.at_grids("buckling_plate", "eigenvectors")
    found = ist.buckling(fe)
    np.testing.assert_allclose(found.load_factors, runs.figures("buckling_plate")["load_factors"], rtol=1e-6)
    shape = found.shapes[:, 0].reshape(-1, 6)[fe.grids.find(np.array(grids))]
    sign = np.sign(np.sum(shape * given))
    assert len(grids) == 36
    np.testing.assert_allclose(sign * shape, given, atol=1e-6)


def test_modes_of_a_compressed_beam(capsys, deck_file):
    """NASTRAN-95 demonstration problem D13-01: frequencies to the digits of the print, bar forces to its 32 bits."""
    found = run(capsys, "modes", deck_file("compressed_beam"), "--forces")
    for ours, theirs in zip(
        found["frequencies_hz"], runs.figures("compressed_beam")["frequencies_hz"], strict=True
    ):
        assert f"{ours:.7g}" == f"{theirs:.7g}"
    for mode in (1, 2, 3):
        bars, given = (
            found["modes"][str(mode)]["forces"]["CBAR"],
            runs.of_elements("compressed_beam", "forces", "CBAR", mode),
        )
        best = min((errors(bars, given, sign) for sign in (1.0, -1.0)), key=lambda e: e["shear1"])
        for column, limit in {"bending_moment_a1": 0.002, "bending_moment_b1": 0.002, "shear1": 0.05}.items():
            assert best[column] <= limit


def test_bars_of_fixed_interface_modes():
    """Force and stress recovery matrices of a Craig-Bampton run (NX 9.1): columns of its modes, signs aside."""
    given, modes = runs.figures("bars_of_a_truss"), ist.normal_modes(model("bars_of_a_truss"))
    linear = [
        f"s{i}{end}" if i else "axial"
        for end, items in (("a", (1, 2, 3, 4, 0)), ("b", (1, 2, 3, 4)))
        for i in items
    ]
    for matrix, found, elements, columns in (
        (given["mef1"], modes.forces["CBAR"], (10, 97), modes.forces["CBAR"].columns),
        (given["mes1"], modes.stresses["CBAR"], (11, 23, 89), linear),
    ):
        rows = [found.element_ids.tolist().index(e) for e in elements]
        picked = found.values[:, rows][:, :, [found.columns.index(c) for c in columns]].reshape(3, -1)
        for ours, theirs in zip(picked, np.array(matrix).T, strict=True):
            sign = np.sign(ours @ theirs)
            np.testing.assert_allclose(sign * ours, theirs, atol=1e-6 * np.abs(theirs).max())


def test_static_command_on_one_of_each_element(capsys, deck_file):
    out = run(capsys, "static", deck_file("one_of_each"), "--forces", "--stresses", "--spcforces")[
        "subcases"
    ]["1"]
    assert set(out) == {"displacements", "forces", "stresses", "spcforces", "extremes"}
    for kind in ("forces", "stresses"):
        for name in runs.figures("one_of_each")[kind]:
            given = runs.of_elements("one_of_each", kind, name)
            assert out[kind][name]["columns"] == given["columns"]
            assert max(errors(out[kind][name], given).values()) < 1e-5, name
    grids, given = runs.at_grids("one_of_each", "spcforces")
    ours = np.array([out["spcforces"][str(g)] for g in grids])
    np.testing.assert_allclose(ours, given, atol=1e-6 * np.abs(given).max())


PUBLISHED = {
    "bars_of_a_truss": "nastran/craig_bampton_inboard/deck.bdf",
    "compressed_beam": "recovery/n95_prestressed_beam/deck_statsub.bdf",
    "hanging_cable": "recovery/n95_hanging_cable/deck.bdf",
    "loads_along_a_bar": "nastran/pload1_cbar_nine_loads/deck.bdf",
    "loop_of_superelements": "nastran/superelement_join_tolerance/deck.bdf",
    "mixed_plate": "recovery/plate_mixed/deck.bdf",
    "nested_loads": "nastran/nested_load_cquad4/deck.bdf",
    "one_of_each": "recovery/static_solid_shell_bar/deck.bdf",
    "shear_and_fibers": "nastran/stress_shear_fiber/deck.bdf",
    "temperatures_of_corners": "nastran/thermal_cquad4_corner_temperatures/deck.bdf",
}


def figures_are_published(case: str, folder) -> None:
    """Compare the numbers of `published_responses`, some rows of each given, with the published arrays."""
    for name, given in runs.figures(case).get("tables", {}).items():
        with np.load(folder / f"{name}.npz") as data:
            for key in [key for key in given if key.endswith("values")]:
                ours, stem = responses.as_array(given[key]), key.removesuffix("values")
                at = [int(np.argmin(np.abs(data[f"{stem}case"] - one))) for one in given[f"{stem}case"]]
                theirs = data[key][at]
                if "grid_id" in given and not stem:
                    theirs = theirs[:, [data["grid_id"].tolist().index(g) for g in given["grid_id"]]]
                np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-7 * np.abs(theirs).max())


def test_decks_and_figures_are_the_published_ones():
    """Where the published files are installed; buckling models are compared as statics in `test_nastran_reference`."""
    reference_dir("nastran")
    for case, path in {**PUBLISHED, **responses.PUBLISHED}.items():
        folder = reference_dir(*path.split("/")[:-1])
        ours, theirs = (
            model(case),
            ist.FEModel.from_deck(read_deck(folder / path.rsplit("/", maxsplit=1)[-1])),
        )
        order = ours.grids.find(theirs.grids.id)
        assert len(ours.grids) == len(theirs.grids)
        mine, others = (
            (g.dof[o][:, None] + np.arange(6)).ravel()
            for g, o in ((ours.grids, order), (theirs.grids, slice(None)))
        )
        if not len(order):  # scalar points alone
            mine = others = np.arange(theirs.K_gg.shape[0])
        wanted, found = theirs.K_gg.tocsr()[others][:, others], ours.K_gg.tocsr()[mine][:, mine]
        assert abs(found - wanted).max() <= 1e-14 * abs(wanted).max(), case
        if case in responses.PUBLISHED:
            figures_are_published(case, folder)
            continue
        for kind, tables in runs.figures(case).items():
            if kind not in ("displacement", "spcforces", "forces", "stresses"):
                continue
            with np.load(folder / f"{kind}.npz") as data:
                for name in tables if kind in ("forces", "stresses") else []:
                    given = runs.of_elements(case, kind, name, runs.cases_of(case, kind, name)[0])
                    kept = np.isin(data[f"{name}.element_id"], given["element"])
                    np.testing.assert_allclose(
                        given["values"], data[f"{name}.values"][0][kept], rtol=1e-7, atol=1e-40
                    )
                for k, subcase in enumerate(
                    data["case"].tolist() if kind in ("displacement", "spcforces") else []
                ):
                    if str(int(subcase)) in tables:
                        grids, values = runs.at_grids(case, kind, int(subcase))
                        rows = np.searchsorted(data["grid_id"], grids)
                        np.testing.assert_allclose(values, data["values"][k][rows], rtol=1e-7, atol=1e-40)
