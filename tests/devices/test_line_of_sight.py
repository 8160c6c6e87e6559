"""The line of sight of a train of mirrors on a flexible tower, beside an exact trace of its rays."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import beam

import interstage as ist
from interstage import devices as dev

# the ray looks out along z of the detector, and is folded by two flat mirrors: z, then x, then z again
NORMALS = np.array([[1.0, 0, -1.0], [-1.0, 0, 1.0]]) / np.sqrt(2.0)


def reflected(ray, normal):
    return ray - 2.0 * (ray @ normal) * normal


def sensitivities():
    """Return (3, 2, 3) by differences of the trace in the detector's axes: angles along x and y of the last ray."""
    found = np.zeros((3, 2, 3))
    for k in range(2):
        for i in range(3):
            step = 1e-6 * np.eye(3)[i]
            ends = []
            for sign in (1, -1):
                normals = NORMALS.copy()
                normals[k] = ist.Rotation.from_rotation_vector(sign * step).matrix @ normals[k]
                ray = reflected(reflected(np.array([0, 0, 1.0]), normals[0]), normals[1])
                ends.append(ray[:2])
            found[k + 1, :, i] = (ends[0] - ends[1]) / 2e-6
    return found


@pytest.fixture(scope="module")
def tower():
    mb = ist.Multibody("tower")
    record = beam(n_elements=6, n_modes=6)
    mb.add_body("tower", component=record, joint=ist.Free())
    system = mb.compile()
    nodes = [int(record.node_ids[k]) for k in (0, 3, -1)]
    return system, [("tower", node) for node in nodes]


def test_small_motions_follow_the_exact_trace(tower):
    """Mirrors on a bending, turning tower: the linear train is the trace to second order of their turns."""
    system, places = tower
    x = system.state()
    x["tower"].quaternion[:] = [0.5, 0.5, -0.5, 0.5]
    x["tower"].velocity[:3] = [0.02, 0.01, -0.03]
    worst = []
    for size in (2.0, 1.0):
        x["tower"].eta[:] = size * 1e-3 * np.array([1.0, -0.8, 0.3, 0.2, -0.1, 0.1])
        los = dev.LineOfSight(at=places, rotation=sensitivities())
        made = ist.Assembly("x", vehicle=system).add("los", los)
        log = ist.simulate(made, x, until="2 ms", step="0.1 ms")
        errors, turns = [], []
        for k in range(len(log.t)):
            state = log.state(k)
            R = [system.rotation(state, *place) for place in places]
            ray = R[0] @ [0, 0, 1.0]
            for turn, normal in zip(R[1:], NORMALS):
                ray = reflected(ray, turn @ normal)
            errors.append(np.abs(ray - log["los.direction"][k]).max())
            turns.append(np.abs(log["los.angles"][k]).max())
        worst.append((max(errors), max(turns)))
    (coarse, turned), (fine, _) = worst
    assert turned > 1e-4 and coarse < 10.0 * turned**2
    assert coarse / fine == pytest.approx(4.0, rel=0.1)


def test_a_rigid_turn_moves_the_line_and_not_the_train(tower):
    system, places = tower
    los = dev.LineOfSight(at=places, rotation=sensitivities(), translation=np.ones((3, 6)))
    made = ist.Assembly("x", vehicle=system).add("los", los)
    x = system.state()
    x["tower"].velocity[2] = 1e-9  # it hardly moves
    x["tower"].quaternion[:] = np.array([1.0, -2.0, 0.5, 0.3]) / np.linalg.norm([1.0, -2.0, 0.5, 0.3])
    log = ist.simulate(made, x, until="0.2 ms", step="0.1 ms")
    assert np.abs(log["los.angles"]).max() < 1e-10
    assert log["los.direction"][0] == pytest.approx(system.rotation(x, *places[0]) @ [0, 0, 1.0], abs=1e-10)


def test_lines_of_sight_that_cannot_be_are_refused(tower):
    system, places = tower
    with pytest.raises(ist.InterstageError, match="LineOfSight needs rotation="):
        dev.LineOfSight(at=places)
    with pytest.raises(ist.InterstageError, match=r"the size does not fit \(LineOfSight.rotation\)"):
        dev.LineOfSight(at=places, rotation=np.zeros((2, 6)))
    one = dev.LineOfSight(at=places[:1], rotation=np.zeros((1, 6)))
    with pytest.raises(ist.InterstageError, match="a line of sight has two elements at least"):
        ist.simulate(ist.Assembly("x", vehicle=system).add("los", one), None, until=1)
