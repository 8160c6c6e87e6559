"""The chain of flexible beams that Exudyn solved: tip after one second of fall."""

from __future__ import annotations

import numpy as np
import pytest
from exudyn_chain import CORNER, chain, exudyn_beam

from conftest import reference_dir
from interstage.simulation import simulate

# converged RK4 of an independent program, and what the reference allows against Exudyn itself
CASES = [
    (1, (-1.0001628, 0.0170502), (-1.000162, 0.017068), 3e-5),
    (2, (-1.6802057, -1.0229820), (-1.680197, -1.023016), 4e-5),
    (4, (-1.0174326, -3.5893530), (-1.017186, -3.589489), 3e-4),
]


@pytest.mark.parametrize(("k", "careful", "exudyn", "tolerance"), CASES)
def test_tip_after_one_second(k, careful, exudyn, tolerance):
    system = chain(exudyn_beam(reference_dir("exudyn") / "beam.npz"), k)
    log = simulate(system, system.state(), until=1.0, step=1e-4, method="ros2", log_step=1.0)
    tip = system.position(log.state(), f"beam{k - 1}", CORNER)
    np.testing.assert_allclose(tip[:2], careful, atol=1e-6 * 5**k)  # chaos lets step errors grow with k
    np.testing.assert_allclose(tip[:2], exudyn, atol=tolerance)
