"""The Newtonian airframe model holds on its own, and the eight launch-vehicle cases agree with it."""

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from validation import airframe, rods
from validation import launch_vehicle as study
from validation import launch_vehicle_fe as beam

F = np.geomspace(0.01, 1000.0, 241)


@pytest.fixture(scope="module")
def component():
    return beam.component()


@pytest.fixture(scope="module")
def body(component):
    return study.missile_of(component)


def test_the_beam_has_the_printed_numbers(component):
    assert component.mass == pytest.approx(1695.0, rel=1e-12)
    assert np.abs(component.com).max() < 1e-12
    gimbal, sensor = (component.node_positions[component.node_row(k)] for k in (41, 52))
    np.testing.assert_allclose(gimbal, [-8.581901, -0.003632793, -0.004860088], atol=1e-12)
    np.testing.assert_allclose(sensor, [11.418099, 0.996367, -0.0048601], atol=1e-6)
    assert component.n_modes == 24
    assert component.frequencies_hz.max() < 30.0


def test_the_twenty_fifth_mode_is_above_30_hz():
    from interstage import FEModel, normal_modes
    from interstage.nastran import deck_from_text

    hz = normal_modes(FEModel.from_deck(deck_from_text(beam.beam_deck())), n_modes=31).frequencies_hz
    assert hz[6 + 23] < 30.0 < hz[6 + 24]


def test_the_airframe_shares_no_code_with_the_engine():
    for module in (airframe, rods):
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        imported = {
            name.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in node.names
        }
        assert imported == {"annotations", "dataclass", "numpy"}


def test_its_linear_terms_are_the_slopes_of_its_balance(body):
    rng = np.random.default_rng(5)
    n, engine = body.n, study.engine_of(True)
    z = rng.normal(size=8 + 2 * n + 2)
    z[8 + n : 8 + 2 * n] *= 0.3
    rows = airframe.balance(body, engine, airframe.steady_of(z, n))[1]
    h = 1e-4
    for k in range(8 + 2 * n):
        step = h * np.eye(len(z))[k]
        ends = [airframe.balance(body, engine, airframe.steady_of(z + s * step, n))[0] for s in (1, -1)]
        slope = (ends[0] - ends[1]) / (2 * h)
        # the balance is at most cubic in small turns: what is left is the difference's own error
        np.testing.assert_allclose(slope, rows[:, k], atol=2e-7 * np.abs(rows[:, k]).max())


def test_its_rotation_formulas():
    theta, x = np.array([0.02, -0.03, 0.05]), np.array([1.0, 2.0, -1.0])
    R = airframe.turn(theta)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-12)
    for k in range(3):
        e = 1e-6 * np.eye(3)[k]
        spin = (airframe.turn(theta + e) - airframe.turn(theta - e)) @ R.T / 2e-6
        np.testing.assert_allclose(
            [spin[2, 1], spin[0, 2], spin[1, 0]], airframe.slope(theta)[:, k], atol=1e-9
        )
        change = (airframe.slope(theta + e) - airframe.slope(theta - e)) @ x / 2e-6
        np.testing.assert_allclose(change, airframe.slope_change(theta, x)[:, k], atol=1e-9)


def test_steady_engine_accelerations_are_those_printed(body):
    # 4.4 and 2.2 deg/s2, NESC report F.6; the beam's own bending matters little to them
    found = np.rad2deg(airframe.steady(body, study.engine_of(True), (True, True)).delta)
    np.testing.assert_allclose(found, [4.4, 2.2], atol=0.05)


def test_without_thrust_nothing_accelerates(body):
    s = airframe.steady(body, study.engine_of(False), (True, True))
    assert max(np.abs(part).max() for part in (s.a, s.alpha, s.delta, s.eta)) == 0.0


@pytest.mark.parametrize("case", study.CASES)
def test_every_case_agrees_with_the_airframe(component, body, case):
    lin = study.linear_model(study.vehicle(component, study.CASES[case][1]), case)
    ours, theirs = study.model_response(lin, F), study.Airframe(body, case).response(F)
    off = np.abs(study.difference_db(ours, theirs))
    # the report asks for 1e-3 dB; both models are exact, so that only round-off is left
    assert off.max() < 1e-6


@pytest.fixture(scope="module")
def loaded():
    """Component and airframe with geometric stiffness under the loads of the gimbal."""
    component = beam.component(stiffening=True)
    return component, study.stiffened(study.missile_of(component), component)


def test_rods_carry_what_the_elements_carry(loaded):
    """Second-order work of exact rods by statics alone, and Kg of bars under the stresses of a static solution."""
    component, body = loaded
    own = component.geometric_stiffness
    for k, number in enumerate((4, 5, 6, 1, 2, 3)):
        K = own.K[np.flatnonzero((own.load == (beam.GIMBAL, number)).all(axis=1))[0]]
        np.testing.assert_allclose(body.stiffening[k], K, atol=1e-9 * np.abs(K).max())


@pytest.mark.parametrize("case", study.CASES)
def test_every_case_agrees_with_geometric_stiffness(loaded, case):
    component, body = loaded
    lin = study.linear_model(study.vehicle(component, study.CASES[case][1]), case)
    ours, theirs = study.model_response(lin, F), study.Airframe(body, case).response(F)
    assert np.abs(study.difference_db(ours, theirs)).max() < 1e-6
    if study.CASES[case][2]:  # and it matters
        bare = study.Airframe(replace(body, stiffening=0.0 * body.stiffening), case).response(F)
        assert np.abs(study.difference_db(theirs, bare)).max() > 1e-2


def test_the_undeformed_vehicle_agrees_too(component, body):
    lin = study.linear_model(study.vehicle(component), 2, deformed=False)
    theirs = study.Airframe(body, 2, deformed=False).response(F)
    assert np.abs(study.difference_db(study.model_response(lin, F), theirs)).max() < 1e-6


def test_neglected_engine_accelerations_are_seen(body):
    exact = study.Airframe(body, 4)
    off = study.difference_db(exact.response(F[:1], engine_accelerations=0.0), exact.response(F[:1]))
    rates = dict(zip(airframe.OUTPUTS, np.abs(off[:, 0])))
    # NESC report F.6: about 0.003 dB on the primary response, more than 5 dB on pitch rate
    assert 0.001 < rates["yaw rate"] < 0.01
    assert rates["pitch rate"] > 5.0


def test_a_wrong_term_would_be_seen(body):
    exact = study.Airframe(body, 2)
    light = replace(exact.body, gimbal=replace(exact.body.gimbal, lam=0.999 * exact.body.gimbal.lam))
    off = study.difference_db(study.Airframe(light, 2).response(F), exact.response(F))
    assert np.abs(off).max() > 1e-3
