"""Compare cases of real Nastran runs (`compare` of their reference.json) with what the library computes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from test_recovery_reference import arrays, errors, table

import interstage as ist

NOT_JUDGED = {"angle", "fiber_distance", "sd"}


def stated(folder: Path) -> dict:
    return json.loads((folder / "reference.json").read_text())


def deck_of(folder: Path) -> Path:
    return folder / (stated(folder).get("deck_for_check") or "deck.bdf")


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
                found = errors(table(getattr(u, kind)[name]), reference, name, k)
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
