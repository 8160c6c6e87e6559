"""Modes of vehicles that nothing holds: gravity changes nothing, loads act against the inertia of the whole."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.linalg import eigh

import interstage as ist
from interstage.errors import FidelityWarning


def vehicle(gravity=(0.0, 0.0, 0.0), boom_mass=20.0, joint=None) -> ist.System:
    """A bus with a point mass on a sprung arm along x."""
    mb = ist.Multibody("bus and boom", gravity=gravity)
    mb.add_body("bus", mass=100.0, inertia=[50.0, 60.0, 70.0], joint=joint or ist.Free())
    arm = ist.Revolute("y", stiffness=300.0)
    mb.add_body(
        "arm", mass=boom_mass, com=[3.0, 0, 0], inertia=[1.0, 1.0, 1.0], parent="bus", at=[1, 0, 0], joint=arm
    )
    return mb.compile()


def test_a_rigid_body_in_free_fall_has_no_frequencies():
    mb = ist.Multibody("stone", gravity=[0, 0, -9.81])
    mb.add_body("stone", mass=1000.0, inertia=[2000.0] * 3, joint=ist.Free())
    system = mb.compile()
    x = system.state()
    x["stone"].quaternion[:] = np.array([1.0, 0.2, -0.3, 0.5]) / np.linalg.norm([1.0, 0.2, -0.3, 0.5])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.abs(system.modes(x).frequencies_hz).max() < 1e-6


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (9.81, 0.0, 0.0), (3.0, -4.0, 5.0)])
def test_gravity_leaves_the_modes_of_a_falling_vehicle_as_they_are(gravity):
    free, falling = vehicle(), vehicle(gravity)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours = falling.modes(falling.state()).frequencies_hz
    assert np.allclose(ours, free.modes(free.state()).frequencies_hz, atol=1e-6)
    # its poles say the same
    lin = ist.linearize(free, free.state(), inputs=[], outputs=[])
    assert np.abs(lin.poles().imag).max() / (2 * np.pi) == pytest.approx(ours.max(), rel=1e-9)


def test_a_held_vehicle_feels_gravity_as_before():
    hanging = vehicle(
        (9.81, 0.0, 0.0), joint=ist.Locked()
    )  # along the arm: a pendulum that hangs, with a spring
    (hz,) = hanging.modes(hanging.state()).frequencies_hz
    inertia = 1.0 + 20.0 * 9.0
    assert hz == pytest.approx(np.sqrt((300.0 + 20.0 * 9.81 * 3.0) / inertia) / (2 * np.pi), rel=1e-9)


def test_a_load_along_the_arm_acts_against_the_inertia_of_the_whole():
    """Pushed along x at the bus, masses feel the field -F/m in its frame, whatever gravity is.

    With θ of the bus and φ of the arm, both about y or z, the mass of the arm is at cos θ + 3 cos(θ + φ) from the bus:
    V = 20 F/m (cos θ + 3 cos(θ + φ)) + 150 φ².
    """
    pushed, free = vehicle((0.0, 0.0, -9.81)), vehicle()
    weight = 20.0 * 60.0 / 120.0
    K = np.zeros((7, 7))
    K[1, 1] = K[2, 2] = -4.0 * weight
    K[1, 6] = K[6, 1] = -3.0 * weight
    K[6, 6] = 300.0 - 3.0 * weight
    square = eigh(K, free.mass_matrix(free.state()), eigvals_only=True)
    truth = np.sign(square) * np.sqrt(np.abs(square)) / (2 * np.pi)
    ours = pushed.modes(pushed.state(), forces={"bus": [0, 0, 0, 60.0, 0, 0]}).frequencies_hz
    assert np.allclose(ours, truth, atol=1e-6)


def test_loads_that_are_left_out_or_out_of_balance_are_told_of():
    system = vehicle()
    with pytest.warns(FidelityWarning, match="not in balance"):
        system.modes(system.state(), forces={"bus": [0, 0, 0, 0, 0, 500.0]})
    point = ist.trim(system, system.state(), forces={"bus": [0, 0, 0, 60.0, 0, 0]}, frame="body")
    with pytest.warns(FidelityWarning, match="leave out loads that follow a body \\(on bus\\)"):
        system.modes(point)
