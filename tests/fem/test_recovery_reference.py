"""Forces, stresses and load factors of real Nastran runs, through the library and the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

import interstage as ist
from conftest import reference_dir
from interstage.cli.main import main

UNDEFINED = {"SMa", "SMt", "MS_tension", "MS_compression"}  # margins of safety


def arrays(path):
    with np.load(path) as data:
        return {key: data[key] for key in data.files}


def keys(eid, place):
    """(element, place, number) of rows, so that the two fibres of a place are told apart."""
    seen, out = {}, []
    for i, e in enumerate(eid):
        key = (int(e), 0 if place is None else int(place[i]))
        seen[key] = seen.get(key, -1) + 1
        out.append((*key, seen[key]))
    return out


def errors(found: dict, reference: dict, name: str, case: int = 0, sign: float = 1.0) -> dict[str, float]:
    """Largest error of each column, over the largest value of the column (1e-3 of the table's at least)."""
    place = reference.get(f"{name}.layer", reference.get(f"{name}.node_id"))
    at = {key: i for i, key in enumerate(keys(found["element_ids"], found["node_ids"]))}
    rows = [at[key] for key in keys(reference[f"{name}.element_id"], place)]
    values = reference[f"{name}.values"][case].astype(float)
    columns = [str(c) for c in reference[f"{name}.columns"]]
    kept = [j for j, c in enumerate(columns) if c not in UNDEFINED]
    ours = np.array(found["values"], dtype=float)[rows]
    ours = ours[
        :, [found["columns"].index(columns[j]) if columns[j] in found["columns"] else 0 for j in kept]
    ]
    values = values[:, kept]
    size = np.maximum(np.abs(values).max(axis=0), 1e-3 * np.abs(values).max())
    out = {}
    for j, k in enumerate(kept):
        signed = sign if columns[k] not in ("fiber_distance", "sd") else 1.0
        away = np.abs(signed * ours[:, j] - values[:, j])
        if columns[k] == "angle":
            away = np.minimum(away, np.abs(180.0 - away))
        out[columns[k]] = float(away.max() / size[j]) if size[j] else 0.0
    return out


def table(found) -> dict:
    return {
        "columns": list(found.columns),
        "element_ids": found.element_ids,
        "node_ids": found.node_ids,
        "values": found.values,
    }


@pytest.mark.parametrize("case", ["static_solid_shell_bar", "plate_mixed", "n95_hanging_cable"])
@pytest.mark.parametrize("kind", ["forces", "stresses"])
def test_tables_of_statics(case, kind):
    folder = reference_dir("recovery", case)
    if not (folder / f"{kind}.npz").exists():
        pytest.skip(f"the run of {case} stored no {kind}")
    stated = json.loads((folder / "reference.json").read_text())
    allowed = stated.get("tolerance", {}).get(kind, {})
    u = ist.static(ist.FEModel.from_deck(folder / "deck.bdf"), subcase=1)
    reference = arrays(folder / f"{kind}.npz")
    for name in sorted({key.split(".")[0] for key in reference}):
        for column, error in errors(table(getattr(u, kind)[name]), reference, name).items():
            limit = allowed.get(name, {}).get(column, 1e-5)
            assert error <= limit, (name, column)


def test_constraint_forces_and_balance_at_grids():
    folder = reference_dir("recovery", "static_solid_shell_bar")
    u = ist.static(ist.FEModel.from_deck(folder / "deck.bdf"), subcase=1)
    for name, found in (("spcforces", u.spcforces), ("applied_loads", u.applied_loads)):
        given = arrays(folder / f"{name}.npz")
        rows = np.searchsorted(found.node_ids, given["grid_id"])
        np.testing.assert_allclose(
            found.values[rows], given["values"][0], atol=1e-6 * np.abs(given["values"]).max()
        )
    given, found = arrays(folder / "gpforces.npz"), u.gpforces
    at = {(g, e): i for i, (g, e) in enumerate(zip(found.grid_ids, found.element_ids)) if e}
    rows = [(at[g, e], i) for i, (g, e) in enumerate(zip(given["grid_id"], given["element_id"])) if e]
    ours, theirs = np.array(rows).T
    assert len(rows) == 76
    np.testing.assert_allclose(found.values[ours], given["values"][0][theirs], atol=1e-3)  # of 10 000


@pytest.mark.parametrize("case", ["buckling_column_cbeam", "buckling_plate_2500"])
def test_load_factors(case, capsys):
    folder = reference_dir("recovery", case)
    stated = json.loads((folder / "reference.json").read_text())["load_factors"]
    np.testing.assert_allclose(
        run(capsys, "buckling", folder / "deck.bdf")["load_factors"], stated, rtol=1e-6
    )


def test_buckled_shape_of_the_plate():
    folder = reference_dir("recovery", "buckling_plate_2500")
    fe = ist.FEModel.from_deck(folder / "deck.bdf")
    given = arrays(folder / "eigenvectors.npz")
    shape = ist.buckling(fe).shapes[:, 0].reshape(-1, 6)[fe.grids.find(given["grid_id"])]
    sign = np.sign(np.sum(shape * given["values"][0]))
    np.testing.assert_allclose(sign * shape, given["values"][0], atol=1e-6)


def test_modes_of_a_compressed_beam(capsys):
    """NASTRAN-95 demonstration problem D13-01: frequencies to the digits of the print, bar forces to its 32 bits."""
    folder = reference_dir("recovery", "n95_prestressed_beam")
    stated = json.loads((folder / "reference.json").read_text())
    found = run(capsys, "modes", folder / "deck_statsub.bdf", "--forces")
    for ours, theirs in zip(found["frequencies_hz"], stated["frequencies_hz"], strict=True):
        assert f"{ours:.7g}" == f"{theirs:.7g}"
    reference = arrays(folder / "forces.npz")
    for mode in range(3):
        bars = found["modes"][str(mode + 1)]["forces"]["CBAR"]
        best = min(
            (errors(bars, reference, "CBAR", mode, sign) for sign in (1.0, -1.0)), key=lambda e: e["shear1"]
        )
        for column, limit in stated["tolerance"]["forces"]["CBAR"].items():
            assert limit is None or best[column] <= limit


def test_bars_of_fixed_interface_modes():
    """Force and stress recovery matrices of a Craig-Bampton run (NX 9.1): columns of its modes, signs aside."""
    folder = reference_dir("nastran", "craig_bampton_inboard")
    given, modes = (
        arrays(folder / "craig_bampton.npz"),
        ist.normal_modes(ist.FEModel.from_deck(folder / "deck.bdf")),
    )
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
        for ours, theirs in zip(picked, matrix[:, 24:27].T):
            sign = np.sign(ours @ theirs)
            np.testing.assert_allclose(sign * ours, theirs, atol=1e-6 * np.abs(theirs).max())


def run(capsys, *arguments) -> dict:
    with pytest.raises(SystemExit) as stop:
        main([*map(str, arguments), "--json"])
    assert stop.value.code == 0
    return json.loads(capsys.readouterr().out)


def test_static_command_on_one_of_each_element(capsys):
    folder = reference_dir("recovery", "static_solid_shell_bar")
    out = run(capsys, "static", folder / "deck.bdf", "--forces", "--stresses", "--spcforces")["subcases"]["1"]
    assert set(out) == {"displacements", "forces", "stresses", "spcforces"}
    for kind in ("forces", "stresses"):
        reference = arrays(folder / f"{kind}.npz")
        for name in sorted({key.split(".")[0] for key in reference}):
            assert out[kind][name]["columns"] == [str(c) for c in reference[f"{name}.columns"]]
            assert max(errors(out[kind][name], reference, name).values()) < 1e-5, name
    given = arrays(folder / "spcforces.npz")
    ours = np.array([out["spcforces"][str(g)] for g in given["grid_id"]])
    np.testing.assert_allclose(ours, given["values"][0], atol=1e-6 * np.abs(given["values"]).max())
