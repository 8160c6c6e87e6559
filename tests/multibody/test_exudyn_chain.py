"""The chain of flexible beams that Exudyn solved: tip after one second of fall."""

from __future__ import annotations

import numpy as np
import pytest
from exudyn_chain import CORNER, chain, exudyn_beam

from conftest import reference_dir
from interstage.component import Component
from interstage.simulation import simulate

# converged RK4 of an independent program, and what the reference allows against Exudyn itself
CASES = [
    (1, (-1.0001628, 0.0170502), (-1.000162, 0.017068), 3e-5),
    (2, (-1.6802057, -1.0229820), (-1.680197, -1.023016), 4e-5),
    (4, (-1.0174326, -3.5893530), (-1.017186, -3.589489), 3e-4),
]
FIRST_HZ = 11.44  # first clamped frequency of the published beam


def fallen(beam: Component, k: int, right: int, corner) -> np.ndarray:
    """Return x and y of the corner of the last beam after a second; `right` is the node of the next hinge."""
    system = chain(beam, k, right=right)
    log = simulate(system, system.state(), until=1.0, step=1e-4, method="ros2", log_step=1.0)
    return corner(system, log.state(), f"beam{k - 1}")[:2]


def test_tips_after_one_second():
    """Ten modes of the published solid mesh."""
    beam = exudyn_beam(reference_dir("exudyn") / "beam.npz")
    for k, careful, exudyn, tolerance in CASES:
        tip = fallen(beam, k, 2, lambda system, x, name: system.position(x, name, CORNER))
        np.testing.assert_allclose(tip, careful, atol=1e-6 * 5**k)  # chaos lets step errors grow with k
        np.testing.assert_allclose(tip, exudyn, atol=tolerance)


@pytest.mark.parametrize(("k", "careful", "exudyn", "tolerance"), CASES)
def test_tips_of_slender_beams_after_one_second(k, careful, exudyn, tolerance):
    """Twenty bars of the width and material of Exudyn's solids, with their first frequency, end where these do.

    What is left, below a millimeter of four meters, is the clamped end: a face that is held stiffens solids there.
    """
    side, E, density = 0.05, 2e9, 1000.0
    area, inertia = side**2, side**4 / 12.0
    slender = 3.5160153 / (2.0 * np.pi) * np.sqrt(E * inertia / (density * area))  # of theory, 1 m long
    assert slender == pytest.approx(FIRST_HZ, rel=2e-3)
    beam = Component.beam(
        1.0, EI=E * inertia * (FIRST_HZ / slender) ** 2, EA=E * area, GJ=0.1406 * E / 2.6 * side**4,
        mass_per_length=density * area, n_modes=6, aset={1: 123456}, rvdof={21: 123456},
    )  # fmt: skip

    def corner(system, x, name):
        return system.position(x, name, 21) - 0.5 * side * system.rotation(x, name, 21)[:, 1]

    np.testing.assert_allclose(fallen(beam, k, 21, corner), exudyn, atol=1e-3)
