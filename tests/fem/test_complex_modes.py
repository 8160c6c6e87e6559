"""Complex modes against closed forms, polynomials and real Nastran runs."""

from __future__ import annotations

import json

import numpy as np
import pytest
from published_responses import DECKS
from published_runs import figures
from typer.testing import CliRunner

import interstage as ist
from interstage.cli.main import app
from interstage.errors import DeckError, ModelError
from interstage.fem import complex_modes
from interstage.nastran import deck_from_text


def model(text: str) -> ist.FEModel:
    return ist.FEModel.from_deck(deck_from_text(text))


def matched(ours: np.ndarray, theirs) -> float:
    """Largest relative distance of roots, each taking the nearest that is left."""
    left, worst = list(ours), 0.0
    for s in theirs:
        k = int(np.argmin(np.abs(np.array(left) - s)))
        worst = max(worst, abs(left.pop(k) - s) / abs(s))
    return worst


def string(n: int, eigc: str, damper: float = 0.3) -> str:
    """A string of n masses 2 between springs 50 (GE 0.02), each with a damper to ground; PARAM G 0.03."""
    cards = [f"SPOINT,1,THRU,{n}", "PARAM,G,.03", "PELAS,1,50.,.02", f"PDAMP,3,{damper}", "PMASS,2,2."]
    for k in range(1, n + 1):
        cards += [f"CELAS3,{k},1,{k - 1},{k}", f"CMASS3,{5000 + k},2,{k},0", f"CDAMP3,{9000 + k},3,{k},0"]
    return "\n".join(
        [
            "SOL 107",
            "CEND",
            "CMETHOD=1",
            "BEGIN BULK",
            *cards,
            f"CELAS3,4999,1,{n},0",
            *eigc.split("|"),
            "ENDDATA",
        ]
    )


def string_roots(n: int, damper: float = 0.3) -> np.ndarray:
    out = []
    for k in range(1, n + 1):
        stiffness = 4.0 * 50.0 * np.sin(k * np.pi / 2.0 / (n + 1)) ** 2 * (1.0 + 0.05j)
        out += np.roots([2.0, damper, stiffness]).tolist()
    return np.array(out)


def test_damped_string_has_all_its_roots():
    found = complex_modes(model(string(12, "EIGC,1,HESS,MAX")))
    assert len(found.eigenvalues) == 24
    assert matched(found.eigenvalues, string_roots(12)) < 1e-10
    assert found.residuals.max() < 1e-10
    assert np.all(np.diff(np.abs(found.eigenvalues)) > -1e-8)


@pytest.mark.parametrize("method", ["CLAN", "FEER"])
def test_long_string_near_a_shift(method):
    n, at = 330, -0.1 + 3.0j
    exact = string_roots(n)
    nearest = exact[np.argsort(np.abs(exact - at))[:6]]
    found = complex_modes(model(string(n, f"EIGC,1,{method},MAX|,-.1,3.,,,,,6")))
    assert len(found.eigenvalues) == 6
    assert matched(found.eigenvalues, nearest) < 1e-9


def test_long_string_without_a_shift_has_its_lowest_pairs():
    exact = string_roots(320)
    lowest = exact[np.argsort(np.abs(exact))][:6]
    found = complex_modes(model(string(320, "EIGC,1,CLAN,MAX,,,,3")))
    assert matched(found.eigenvalues, lowest) < 1e-8


ACTUATOR = """SOL {sol}
CEND
MPC = 100
TFL = 5
AUTOSPC = NO
METHOD = 1
CMETHOD = 2
K2PP = KSKEW
BEGIN BULK
EIGRL,1,,,3
EIGC,2,HESS,MAX,,,,8
SPOINT,10
EPOINT,20
GRID,1,,1.,0.,0.,,23456
GRID,2,,2.,0.,0.,,23456
GRID,3,,3.,0.,0.,,23456
CELAS2,21,3.,1,1
CELAS2,22,5.,1,1,2,1
CDAMP2,23,.4,1,1,2,1
CONM2,11,1,,1.
CONM2,12,2,,2.
CONM2,13,3,,.5
MPC,100,10,,1.,3,1,-1.
,,2,1,1.
TF,5,20,,1.,.2,.03
,10,,-.6,-.1
TF,5,10,,80.,1.
,20,,-70.
DMIG,KSKEW,0,1,3,0
DMIG,KSKEW,1,1,,2,1,.7,.2
DMIG,KSKEW,2,1,,1,1,-.7,.1
ENDDATA
"""


@pytest.mark.parametrize("sol", [107, 110])
@pytest.mark.parametrize("factor", [1.0, 2.5])
def test_actuator_with_transfer_functions_and_unsymmetric_complex_stiffness(sol, factor):
    # x1, x2, x3, e; the elongation x3 - x2 is the scalar point
    d = np.array([0.0, -1.0, 1.0, 0.0])
    K = np.zeros((4, 4), dtype=complex)
    K[:2, :2] = [[8.0, -5.0], [-5.0, 5.0]]
    K[1, 0] += factor * (0.7 + 0.2j)  # column 1, row 2 of the DMIG
    K[0, 1] += factor * (-0.7 + 0.1j)
    K += 80.0 * np.outer(d, d) - 70.0 * np.outer(d, [0, 0, 0, 1]) + np.outer([0, 0, 0, 1], -0.6 * d)
    K[3, 3] += 1.0
    B = np.zeros((4, 4))
    B[:2, :2] = [[0.4, -0.4], [-0.4, 0.4]]
    B += np.outer(d, d) + np.outer([0, 0, 0, 1], -0.1 * d)
    B[3, 3] += 0.2
    M = np.diag([1.0, 2.0, 0.5, 0.03])
    A = np.block([[np.zeros((4, 4)), np.eye(4)], [-np.linalg.solve(M, K), -np.linalg.solve(M, B)]])
    text = ACTUATOR.format(sol=sol).replace("K2PP = KSKEW", f"K2PP = {factor}*KSKEW")
    found = complex_modes(model(text))
    assert len(found.eigenvalues) == 8
    assert matched(found.eigenvalues, np.linalg.eigvals(A)) < 1e-9
    # shapes of grids, scalar and extra points satisfy the equation of the elongation
    assert np.allclose(found.at(10)[0], found.at(3)[0] - found.at(2)[0], atol=1e-12)
    assert found.at(20).shape == (1, 8)


def test_massless_dofs_add_no_roots_and_undamped_roots_are_frequencies():
    text = """SOL 107
CEND
CMETHOD=1
SPC=1
BEGIN BULK
EIGC,1,HESS,MAX,,,,4
MAT1,1,7.+10,,.3,2700.
PBAR,1,1,1.-4,1.-8,2.-8,1.-8
SPC1,1,123456,1
"""
    text += "".join(f"GRID,{k},,{0.1 * (k - 1)},0.,0.\n" for k in range(1, 6))
    text += "".join(f"CBAR,{k},1,{k},{k + 1},0.,1.,0.\n" for k in range(1, 5))
    fe = model(text + "ENDDATA\n")
    found = complex_modes(fe)
    real = ist.normal_modes(fe, n_modes=4)
    assert len(found.eigenvalues) == 8
    assert np.allclose(np.repeat(real.frequencies_hz, 2), found.frequencies_hz, rtol=1e-9)
    assert np.abs(found.eigenvalues.real).max() < 1e-6 * np.abs(found.eigenvalues).max()


def test_direct_input_moves_with_the_grids_of_joined_parts():
    fe = model(ACTUATOR.format(sol=107))
    n = fe.grids.n_dof
    moved = fe.direct.moved(np.arange(n) + 6, n + 6)
    before, after = fe.direct.transfer[5].K.toarray(), moved.transfer[5].K.toarray()
    assert np.array_equal(after[6:, 6:], before)
    assert not after[:6].any()
    assert not after[:, :6].any()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("CMETHOD = 2", "CMETHOD = 9", "CMETHOD = 9 selects an EIGC that is not in the deck"),
        ("TFL = 5", "TFL = 6", "TFL = 6 selects a TF that is not in the deck"),
        ("TF,5,20", "TF,5,21", "TF refers to a point or component that is not in the deck"),
        ("EIGC,2,HESS", "EIGC,2,HESSE", "EIGC needs a number and a METHOD"),
        ("K2PP = KSKEW", "K2PP = KSKIP", "case control names DMIG KSKIP"),
    ],
)
def test_what_is_missing_is_named(old, new, message):
    with pytest.raises((ModelError, DeckError), match=message):
        complex_modes(model(ACTUATOR.format(sol=107).replace(old, new)))


def test_responses_refuse_transfer_functions():
    text = ACTUATOR.format(sol=108).replace("K2PP = KSKEW\n", "FREQ = 1\n") + ""
    with pytest.raises(ModelError, match="TFL in case control is not supported in responses"):
        ist.frequency_response(model(text.replace("ENDDATA", "FREQ,1,1.\nENDDATA")))


def test_modes_command_prints_roots(tmp_path):
    path = tmp_path / "a.bdf"
    path.write_text(ACTUATOR.format(sol=110))
    shown = CliRunner().invoke(app, ["modes", str(path), "--json"])
    assert shown.exit_code == 0, shown.output
    found = json.loads(shown.output)
    assert len(found["complex_eigenvalues"]) == 8
    assert found["extra_points"] == [20]
    assert "EIGC" not in found["ignored"]


@pytest.mark.parametrize("case", ["actuator", "dampers_on_a_string"])
def test_runs_of_nastran_hold(case):
    stated = figures(case)
    found = complex_modes(model(DECKS[case]()))
    theirs = [complex(*s) for s in stated["complex_eigenvalues"]]
    (asked,) = stated["compare"]
    assert matched(found.eigenvalues, theirs) <= asked["tolerance"]
