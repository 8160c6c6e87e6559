"""Compare cases of real Nastran runs (`compare` of their reference.json) with what the library computes."""

from __future__ import annotations

import json
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
