"""Models behind the observatory and engine studies have the printed numbers, and their parts do what they say."""

import numpy as np
import pytest

from validation import engines_in_modes, observatory, observatory_fe


@pytest.fixture(scope="module")
def telescope():
    return observatory.component(n_modes=12)


def test_the_telescope_has_the_printed_mass_properties(telescope):
    # NESC report, Table G1
    assert telescope.mass == pytest.approx(34711.3, rel=1e-12)
    np.testing.assert_allclose(telescope.com, [0.014, -3.544, 1.467], atol=1e-10)
    np.testing.assert_allclose(telescope.inertia, observatory_fe.INERTIA, rtol=1e-9, atol=1e-3)


def test_thrusters_lie_on_the_bus_and_push_along_unit_vectors(telescope):
    lengths = np.linalg.norm(observatory_fe.THRUSTERS, axis=1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-4)  # printed to four decimals
    for node in observatory_fe.THRUSTER_NODES:
        place = telescope.node_positions[telescope.node_row(node)] - observatory_fe.BUS
        assert abs(place[1]) < 1e-9
        assert np.hypot(place[0], place[2]) == pytest.approx(3.0 * np.cos(np.pi / 8), rel=1e-6)


def test_wheels_turn_with_their_spin_inertia_and_push_back(telescope):
    lin = observatory.linear_model(observatory.observatory(telescope, 0.005))
    assert (lin.n_states, len(lin.inputs), len(lin.outputs)) == (2 * (6 + 12 + 4), 44, 10)
    assert list(lin.input_index["thruster_force"]) == list(range(28, 44))
    # far above the modes a motor turns its wheel alone: rate = torque / (J s), plus the structure's own answer
    H = lin.frequency_response([1e3], inputs="rw1_motor_torque", outputs="rw1_rate")[0, 0, 0]
    assert abs(H * 2j * np.pi * 1e3) >= 1.0 / 20.0
    # without modes in play the whole stays at rest in total angular momentum: structure and wheel turn oppositely
    low = lin.frequency_response([1e-4], inputs="rw2_motor_torque")[0, :, 0] * 2j * np.pi * 1e-4
    assert low[1].real > 0.0 > low[5].real


def test_rigid_parts_come_out_as_they_went_in():
    part = {
        "mass": 2400.0,
        "inertia": np.diag(engines_in_modes.ENGINE["inertia"]),
        "offset": (-1.5, 0.08, -0.05),
    }
    whole, bare = engines_in_modes.stage(True, 12), engines_in_modes.stage(False, 12)
    for gimbal in engines_in_modes.GIMBALS:
        whole = whole.without_rigid(gimbal, **part)
    assert whole.mass == pytest.approx(bare.mass, rel=1e-12)
    np.testing.assert_allclose(whole.com, bare.com, atol=1e-9)
    np.testing.assert_allclose(whole.inertia, bare.inertia, rtol=1e-9, atol=1e-4)


def test_engines_count_twice_only_in_the_modes_that_hold_them():
    found = engines_in_modes.run()
    n = len(found.truth)
    error = {name: np.abs(hz[:n] - found.truth[: len(hz)]) for name, hz in found.models.items()}
    shared = len(error["EOTM"])
    assert np.all(error["EOTM"] < error["EITM"][:shared])
    assert error["EITM, engines out of the modal mass"].max() < 1e-8
    assert error["EOTM, gimbals in the interface"].max() < 1e-3
