"""Compare cases of real Nastran runs, at the tolerances that they state, with what the library computes.

`python tests/fem/reference_cases.py FOLDER...` prints the table of all cases below the folders.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import interstage as ist

UNDEFINED = {"SMa", "SMt", "MS_tension", "MS_compression"}  # margins of safety
NOT_JUDGED = {"angle", "fiber_distance", "sd"}


def stated(folder: Path) -> dict:
    return json.loads((folder / "reference.json").read_text())


def deck_of(folder: Path) -> Path:
    return folder / (stated(folder).get("deck_for_check") or "deck.bdf")


def arrays(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as data:
        return {key: data[key] for key in data.files}


def stored(reference: dict, name: str, case: int) -> dict:
    """Return a table of elements of stored arrays as `errors` takes it."""
    place = reference.get(f"{name}.layer", reference.get(f"{name}.node_id"))
    values = reference[f"{name}.values"][case].astype(float)
    return {
        "columns": reference[f"{name}.columns"],
        "element": reference[f"{name}.element_id"],
        "place": place,
        "values": values,
    }


def keys(eid, place):
    """(element, place, number) of rows, so that the two fibres of a place are told apart."""
    seen, out = {}, []
    for i, e in enumerate(eid):
        key = (int(e), 0 if place is None else int(place[i]))
        seen[key] = seen.get(key, -1) + 1
        out.append((*key, seen[key]))
    return out


def errors(found: dict, given: dict, sign: float = 1.0) -> dict[str, float]:
    """Largest error of each column, over the largest value of the column (1e-3 of the table's at least)."""
    at = {key: i for i, key in enumerate(keys(found["element_ids"], found["node_ids"]))}
    rows = [at[key] for key in keys(given["element"], given["place"])]
    columns = [str(c) for c in given["columns"]]
    kept = [j for j, c in enumerate(columns) if c not in UNDEFINED]
    ours = np.array(found["values"], dtype=float)[rows][:, [found["columns"].index(columns[j]) for j in kept]]
    values = given["values"][:, kept]
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


def grid_error(ours: np.ndarray, theirs: np.ndarray, scale: np.ndarray | None = None) -> float:
    """Largest difference (n, 6), of the largest translation and of the largest rotation."""
    worst = 0.0
    for part in (slice(0, 3), slice(3, 6)):
        size = np.abs(theirs[..., part]).max() if scale is None else np.abs(scale[..., part]).max()
        if size > 1e-9 * np.abs(theirs).max():  # below it is rounding of their run
            worst = max(worst, float(np.abs(ours[..., part] - theirs[..., part]).max() / size))
    return worst


def statics(folder: Path) -> Iterator[tuple[dict, float]]:
    """Yield what is judged of a static run, and its error."""
    fe = ist.FEModel.from_deck(deck_of(folder))
    for asked in stated(folder)["compare"]:
        kind, _, name = asked["quantity"].partition(":")
        reference = arrays(folder / f"{kind}.npz")
        cases = reference["case"] if not name else reference[f"{name}.case"]
        worst = 0.0
        for k, case in enumerate(cases.tolist()):
            if "cases" in asked and case not in asked["cases"]:
                continue
            u = ist.static(fe, subcase=int(case))
            if name:
                found = errors(table(getattr(u, kind)[name]), stored(reference, name, k))
                worst = max([worst, *(e for c, e in found.items() if c not in NOT_JUDGED)])
                continue
            theirs = reference["values"][k]
            if kind == "displacement":
                ours = np.array([u[int(g)] for g in reference["grid_id"]])
            else:
                at = getattr(u, kind)
                ours = np.zeros_like(theirs)
                known = {int(g): i for i, g in enumerate(at.node_ids)}
                for i, g in enumerate(reference["grid_id"].tolist()):
                    if g in known:
                        ours[i] = at.values[known[g]]
            worst = max(worst, grid_error(ours, theirs))
        yield asked, worst


def complex_errors(found, reference: dict, name: str, k: int) -> float:
    """Largest error of complex tables of one frequency, both parts over the largest size of the column."""
    columns = [str(c) for c in reference[f"{name}.columns"]]
    place = reference.get(f"{name}.layer", reference.get(f"{name}.node_id"))
    at = {key: i for i, key in enumerate(keys(found.element_ids, found.node_ids))}
    rows = [at[key] for key in keys(reference[f"{name}.element_id"], place)]
    theirs = reference[f"{name}.values"][k]
    ours = found.values[k][rows][:, [found.columns.index(c) for c in columns]]
    size = np.maximum(np.abs(theirs).max(axis=0), 1e-3 * np.abs(theirs).max())
    return float(np.max(np.abs(ours - theirs) / size))


def spectrum_error(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Largest difference of spectra or rms (..., columns), over the largest of the column or 1e-6 of the table's."""
    size = np.abs(theirs).reshape(-1, theirs.shape[-1]).max(axis=0)
    size = np.maximum(size, 1e-6 * size.max())
    return float((np.abs(ours - theirs) / size).max())


def columns_at(at: np.ndarray, case: np.ndarray) -> list[int]:
    """Columns of a result at given frequencies or times, all of which it has."""
    columns = [int(np.argmin(np.abs(at - one))) for one in case]
    assert np.allclose(at[columns], case, rtol=1e-5, atol=1e-9)
    return columns


def nearest_error(ours: np.ndarray, theirs: list[float]) -> float:
    """Largest relative difference of frequencies, each with the nearest that is left."""
    left, worst = list(ours), 0.0
    for one in theirs:
        best = min(range(len(left)), key=lambda i: abs(left[i] - one))
        worst = max(worst, abs(left.pop(best) - one) / max(abs(one), 1e-3))
    return worst


class Response:
    """Results of the library for a case, each computed once."""

    def __init__(self, folder: Path):
        self.folder, self.stated = folder, stated(folder)
        self.fe = ist.FEModel.from_deck(deck_of(folder))
        self.found: dict = {}

    def steady(self, subcase: int | None):
        """Response of a subcase in frequency or time."""
        if subcase not in self.found:
            run = ist.transient_response if self.stated["kind"] == "transient" else ist.frequency_response
            self.found[subcase] = run(self.fe, subcase=subcase)
        return self.found[subcase]

    def random(self):
        """Random response."""
        if "random" not in self.found:
            self.found["random"] = ist.random_response(self.fe)
        return self.found["random"]

    def grids(self, values: np.ndarray, ids: np.ndarray) -> np.ndarray:
        """Rows (k, n, 6) of g-set values (n_dof, k); scalar points stand in t1."""
        out = np.zeros((values.shape[1], len(ids), 6), dtype=values.dtype)
        for i, g in enumerate(ids.tolist()):
            if int(self.fe.grids.find(g)) < 0 and int(self.fe.grids.find_spoint(g)) < 0:
                continue
            rows = values[ist.fem.response.point_rows(self.fe.grids, g)]
            out[:, i, : len(rows)] = rows.T
        return out

    def error(self, asked: dict) -> float:
        kind, _, name = asked["quantity"].partition(":")
        if kind == "frequencies":
            modes = ist.normal_modes(self.fe).frequencies_hz
            return nearest_error(modes, self.stated["frequencies_hz"][: asked.get("first")])
        if kind == "residual_vector_frequencies":
            wanted = self.stated["frequencies_hz"][self.stated["n_modes_within_eigrl_range"] :]
            return nearest_error(self.steady(asked.get("subcase")).residual_vectors_hz, wanted)
        if kind == "ply_labels":
            return self.labels()
        if kind in ("response", "psd", "rms", "crossings"):
            return self.grid_error(asked, kind, name)
        of = {"response_forces": "forces", "response_stresses": "stresses", "psd_forces": "psd_forces"}[kind]
        reference = arrays(self.folder / f"{of}.npz")
        if kind == "psd_forces":
            found, case = self.random(), reference[f"{name}.case"]
            psd = found.forces[name].psd[columns_at(found.frequencies_hz, case)]
            return spectrum_error(psd, reference[f"{name}.values"].astype(float))
        found = getattr(self.steady(asked.get("subcase")), of)[name]
        return max(complex_errors(found, reference, name, k) for k in range(len(reference[f"{name}.case"])))

    def labels(self) -> float:
        reference, tables = arrays(self.folder / "stresses.npz"), ist.normal_modes(self.fe).stresses
        for key in [key for key in reference if key.endswith(".layer")]:
            name = key.partition(".")[0]
            theirs = {*zip(reference[f"{name}.element_id"].tolist(), reference[key].tolist())}
            if theirs != {*zip(tables[name].element_ids.tolist(), tables[name].node_ids.tolist())}:
                return 1.0
        return 0.0

    def grid_error(self, asked: dict, kind: str, name: str) -> float:
        several = f"_s{asked.get('subcase')}"
        stem = name if kind == "response" else f"{kind}_{name}"
        path = self.folder / f"{stem}{several}.npz"
        reference = arrays(path if path.exists() else self.folder / f"{stem}.npz")
        ids, theirs, case = reference["grid_id"], reference["values"], reference["case"]
        if kind != "response":
            found = getattr(getattr(self.random(), name), kind)
            found = found.reshape(len(found), -1)
            if kind == "psd":
                found = found[:, columns_at(self.random().frequencies_hz, case)]
            return spectrum_error(self.grids(found, ids), theirs.astype(float))
        found = self.steady(asked.get("subcase"))
        at = found.time if self.stated["kind"] == "transient" else found.frequencies_hz
        ours = self.grids(getattr(found, name)[:, columns_at(at, case)], ids)
        worst = 0.0
        for k in range(len(case)):
            if asked.get("since", -np.inf) <= case[k] <= asked.get("upto", np.inf):
                scale = theirs if asked.get("scale") == "all" else None
                worst = max(worst, grid_error(ours[k], theirs[k], scale))
        return worst


def responses(folder: Path) -> Iterator[tuple[dict, float]]:
    """Yield what is judged of a run in frequency or time, and its error."""
    response = Response(folder)
    for asked in response.stated["compare"]:
        yield asked, response.error(asked)


def roots(folder: Path) -> Iterator[tuple[dict, float]]:
    """Yield what is judged of complex modes or of buckling, and its error."""
    fe, given = ist.FEModel.from_deck(deck_of(folder)), stated(folder)
    for asked in given["compare"]:
        wanted = given[asked["quantity"]]
        if asked["quantity"] == "load_factors":
            yield asked, nearest_error(ist.buckling(fe).load_factors, wanted)
            continue
        ours = ist.fem.complex_modes(fe).eigenvalues
        if asked.get("conjugates"):
            ours = np.concatenate([ours, ours.conj()])
        yield asked, nearest_error(ours, [complex(*one) for one in wanted])


PRINTED = 1e-5  # of 32-bit numbers and prints of seven digits


def modes_and_mass(folder: Path) -> Iterator[tuple[dict, float]]:
    """Yield frequencies, shapes and mass of a run of normal modes, and static displacements, and their errors."""
    given, fe = stated(folder), ist.FEModel.from_deck(deck_of(folder))
    if given.get("frequencies_hz"):
        wanted = np.array(given["frequencies_hz"])[: given.get("n_modes_within_eigrl_range")]
        modes = ist.normal_modes(fe)
        flexible = np.abs(wanted) > 1e-4 * np.abs(wanted).max()
        asked = {"quantity": "frequencies", "tolerance": PRINTED}
        n = min(len(wanted), len(modes.frequencies_hz))
        away = np.abs(modes.frequencies_hz[:n] / wanted[:n] - 1.0)[flexible[:n]].max()
        yield asked, float(away) if n == len(wanted) else np.inf
        if (folder / "eigenvectors.npz").exists():
            yield (
                {"quantity": "eigenvectors", "tolerance": PRINTED},
                _shape_error(folder, fe, modes, flexible),
            )
    if given.get("mass"):
        weight = fe.mass_properties()
        printed = np.array(given["inertia_about_cg_IS"])
        tensor = 2.0 * np.diag(np.diag(printed)) - printed
        size = max(np.abs(given["cg"]).max(), (np.abs(tensor).max() / weight.mass) ** 0.5)
        for name, away in (
            ("mass", abs(weight.mass / given["mass"] - 1.0)),
            ("cg", np.abs(weight.cg - given["cg"]).max() / size),
            ("inertia", np.abs(weight.inertia_about_cg - tensor).max() / np.abs(tensor).max()),
        ):
            yield {"quantity": name, "tolerance": PRINTED}, float(away)
    if (folder / "displacement.npz").exists():
        yield {"quantity": "displacement", "tolerance": PRINTED}, _static_error(folder, fe)


def _shape_error(folder: Path, fe, modes, flexible: np.ndarray) -> float:
    """Largest distance of a flexible shape from the space of ours whose frequencies are within 1e-4, of its size."""
    given, worst = arrays(folder / "eigenvectors.npz"), 0.0
    rows = (fe.grids.dof[fe.grids.find(given["grid_id"])][:, None] + np.arange(6)).ravel()
    for k in np.flatnonzero(flexible):
        theirs = given["modes"][:, :, k].astype(float).ravel()
        hz = modes.frequencies_hz
        near = modes.shapes[rows][:, np.abs(hz / hz[k] - 1.0) < 1e-4]
        left = theirs - near @ np.linalg.lstsq(near, theirs, rcond=None)[0]
        worst = max(worst, float(np.abs(left).max() / np.abs(theirs).max()))
    return worst


def _static_error(folder: Path, fe) -> float:
    given, worst = arrays(folder / "displacement.npz"), 0.0
    size = np.ptp(fe.grids.xyz, axis=0).max()
    for k, case in enumerate(given["subcase"].tolist() if "subcase" in given else given["case"].tolist()):
        theirs = given["displacement"][:, :, k] if "displacement" in given else given["values"][k]
        u = ist.static(fe, subcase=int(case))
        away = np.abs(np.array([u[int(g)] for g in given["grid_id"]]) - theirs)
        most = np.abs(theirs[:, :3]).max()
        # rotations that move nothing across the model by as much as the largest translation are noise
        for part, floor in ((slice(0, 3), 0.0), (slice(3, 6), most / size)):
            scale = max(np.abs(theirs[:, part]).max(), floor) or 1.0
            worst = max(worst, float(away[:, part].max() / scale))
    return worst


def recovery(folder: Path) -> Iterator[tuple[dict, float]]:
    """Yield tables of elements and grids of a run of statics, modes or buckling, and their errors."""
    given, fe = stated(folder), ist.FEModel.from_deck(deck_of(folder))
    loose = given.get("tolerance") or {}
    if given["kind"] == "buckling":
        found = ist.buckling(fe)
        yield (
            {"quantity": "load_factors", "tolerance": PRINTED},
            nearest_error(found.load_factors, given["load_factors"]),
        )
    if given["kind"] == "modes":
        modes = ist.normal_modes(fe)
        yield (
            {"quantity": "frequencies", "tolerance": PRINTED},
            nearest_error(modes.frequencies_hz, given["frequencies_hz"]),
        )
        reference = arrays(folder / "forces.npz")
        for k in range(len(reference["CBAR.case"])):
            bars = modes.forces["CBAR"]
            ours = {
                "columns": list(bars.columns),
                "element_ids": bars.element_ids,
                "node_ids": None,
                "values": bars.values[k],
            }
            best = min(
                (errors(ours, stored(reference, "CBAR", k), sign) for sign in (1.0, -1.0)),
                key=lambda e: e["shear1"],
            )
            for column, limit in loose["forces"]["CBAR"].items():
                if limit:
                    yield {"quantity": f"mode {k + 1} {column}", "tolerance": limit}, best[column]
        return
    static = int(given.get("judged_cases", [1])[0])
    u = ist.static(fe, subcase=static)
    for name in ("displacement", "spcforces", "applied_loads"):
        if not (folder / f"{name}.npz").exists():
            continue
        reference = arrays(folder / f"{name}.npz")
        theirs = reference["values"][0]
        if name == "displacement":
            ours = np.array([u[int(g)] for g in reference["grid_id"]])
        else:
            at = getattr(u, name)
            known = {int(g): i for i, g in enumerate(at.node_ids)}
            ours = np.array(
                [at.values[known[g]] if g in known else np.zeros(6) for g in reference["grid_id"].tolist()]
            )
        if np.abs(theirs).max():
            yield {"quantity": name, "tolerance": 1e-4}, grid_error(ours, theirs)
    for kind in ("forces", "stresses"):
        if not (folder / f"{kind}.npz").exists():
            continue
        reference = arrays(folder / f"{kind}.npz")
        for name in sorted({key.partition(".")[0] for key in reference}):
            found = errors(table(getattr(u, kind)[name]), stored(reference, name, 0))
            limits = loose.get(kind, {}).get(name, {})
            away = max(e / limits.get(c, 1e-4) for c, e in found.items() if c not in NOT_JUDGED)
            yield {"quantity": f"{kind}:{name}", "tolerance": 1e-4}, 1e-4 * away


KINDS = {
    "static": statics,
    "buckling": roots,
    "complex_modes": roots,
    "frequency": responses,
    "transient": responses,
    "random": responses,
}


def judged(folder: Path) -> Iterator[tuple[dict, float]]:
    """Yield all that is judged of a case, and its error."""
    given = stated(folder)
    if "compare" in given:
        return KINDS[given["kind"]](folder)
    return recovery(folder) if "kind" in given else modes_and_mass(folder)


def main(folders: list[str]) -> None:
    """Print case, quantity, error, tolerance and verdict of every case below the folders."""
    warnings.simplefilter("ignore")
    held = count = 0
    for path in sorted(path for folder in folders for path in Path(folder).rglob("reference.json")):
        case = path.parent
        if stated(case).get("kind") == "matrices":
            continue
        try:
            for asked, error in judged(case):
                name = asked.get("label") or asked["quantity"] + (
                    f" s{asked['subcase']}" if "subcase" in asked else ""
                )
                ok = error <= asked["tolerance"]
                count, held = count + 1, held + ok
                print(
                    f"{case.name:38} {name:36} {error:9.1e} {asked['tolerance']:9.1e}  {'ok' if ok else 'NO'}",
                    flush=True,
                )
        except Exception as stop:  # a case that does not run is a row of the table
            count += 1
            print(f"{case.name:38} {type(stop).__name__}: {stop}".splitlines()[0], " NO", flush=True)
    print(f"{held} of {count} hold")


if __name__ == "__main__":
    main(sys.argv[1:])
