"""Responses of real Nastran runs, quantity by quantity at the tolerance that each case states.

Decks are our own text of the published models and figures stand beside them (`published_responses`), where the model is
short; longer ones need the published files.
"""

from __future__ import annotations

import re
import shutil

import numpy as np
import pytest
from published_responses import as_folder
from reference_cases import Response, arrays, responses

from conftest import reference_dir

CASES = [
    "bush_of_tables",
    "free_beam_in_steps",
    "phases_and_delays",
    "random_force",
    "shaken_base",
    "string_of_500",
]


@pytest.mark.parametrize("case", CASES)
def test_responses_hold(case, tmp_path):
    judged = list(responses(as_folder(case, tmp_path)))
    assert judged
    for asked, error in judged:
        assert error <= asked["tolerance"], asked["quantity"]


@pytest.mark.parametrize("case", ["random_force", "shaken_base"])
def test_crossing_rates_hold(case, tmp_path):
    """Positive crossings of what is more than rounding, which the cases do not judge."""
    folder = as_folder(case, tmp_path)
    found = Response(folder)
    given, rms = (
        arrays(folder / "crossings_acceleration.npz"),
        arrays(folder / "rms_acceleration.npz")["values"][0],
    )
    rates = found.random().acceleration.crossings
    ours = found.grids(rates[:, None], given["grid_id"])[0]
    large = rms > 1e-4 * rms.max(axis=0).max()
    assert large.any()
    np.testing.assert_allclose(ours[large], given["values"][0][large], rtol=1e-4)


def test_loose_dofs_end_no_response():
    """All five frequencies have an answer; rotations about normals of CQUAD8 and CTRIA6 are zero, as in the run."""
    folder = reference_dir("responses", "frequency_loose_dofs")
    response = Response(folder)
    found = response.steady(None)
    assert len(found.frequencies_hz) == 5 and np.isfinite(found.displacement).all()
    assert any("neither stiffness, mass nor damping" in note for note in found.notes)
    given = arrays(folder / "displacement.npz")
    plate = np.isin(given["grid_id"], range(60, 66))
    ours = response.grids(found.displacement, given["grid_id"])
    assert plate.sum() == 6
    assert not given["values"][:, plate, 4].any() and not ours[:, plate, 4].any()


def test_the_start_of_direct_steps(tmp_path):
    """The run beside this deck has none of the springs, dampers, rods and panels that follow the shells in it: without
    them it holds to 2e-6, with any of them it is far off.
    """
    folder = reference_dir("responses", "start_of_sol_109")
    for path in folder.iterdir():
        shutil.copyfile(path, tmp_path / path.name)
    deck = (tmp_path / "deck.bdf").read_text()
    (tmp_path / "deck.bdf").write_text(re.sub(r"(?m)^(CELAS|CSHEAR|CDAMP|CONROD)", r"$\1", deck))
    ((asked, error),) = responses(tmp_path)
    assert error <= 1e-5 < asked["tolerance"]


def test_ply_stresses_are_those_of_the_forces_that_the_run_printed(tmp_path):
    """Laminate theory takes the section forces of CTRIA3, CQUADR, CTRIAR and CTRIA6 of a run to its ply stresses to
    4e-7, and ours to ours: what differs between the two are the forces.
    """
    folder = as_folder("plies_of_two_kinds", tmp_path)
    E1, E2, nu, G = 3.0e7, 7.5e5, 0.25, 3.75e5
    plane = E1 / (1.0 - nu**2 * E2 / E1)
    Q = np.array(
        [[plane, nu * plane * E2 / E1, 0.0], [nu * plane * E2 / E1, plane * E2 / E1, 0.0], [0.0, 0.0, G]]
    )

    def turn(angle):
        c, s = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
        return np.array(
            [[c * c, s * s, c * s], [s * s, c * c, -c * s], [-2 * c * s, 2 * c * s, c * c - s * s]]
        )

    plies, section, at, z = [(0.033, 25.0), (0.033, 10.0), (0.034, 15.0)], np.zeros((6, 6)), [], -0.05
    for thickness, angle in plies:
        moduli = turn(angle).T @ Q @ turn(angle)
        A, B, D = (((z + thickness) ** k - z**k) / k * moduli for k in (1, 2, 3))
        section += np.block([[A, B], [B, D]])
        at.append(z + thickness / 2.0)
        z += thickness

    def stresses(forces, ply):
        strain = np.linalg.solve(section, forces * np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0]))
        return Q @ turn(plies[ply][1]) @ (strain[:3] + at[ply] * strain[3:])

    given, printed = arrays(folder / "forces.npz"), arrays(folder / "stresses.npz")
    steady = Response(folder).steady(None)
    for name in ("CTRIA3", "CQUADR", "CTRIAR", "CTRIA6"):
        center = given.get(f"{name}.node_id", np.zeros_like(given[f"{name}.element_id"])) == 0
        forces = dict(
            zip(given[f"{name}.element_id"][center], given[f"{name}.values"][0][center], strict=True)
        )
        ours = steady.forces[name]
        own = dict(zip(ours.element_ids[::-1].tolist(), ours.values[0][::-1]))  # the center comes first
        table = steady.stresses[f"{name}_COMPOSITE"]
        for i, element in enumerate(printed[f"{name}_COMPOSITE.element_id"].tolist()):
            for found, source, limit in (
                (printed[f"{name}_COMPOSITE.values"][0][i], forces[element], 4e-7),
                (table.values[0][i], own[element], 1e-9),
            ):
                wanted = stresses(source[:6], i % 3)
                assert np.abs(found[:3] - wanted).max() < limit * np.abs(wanted).max(), (name, element, i)
