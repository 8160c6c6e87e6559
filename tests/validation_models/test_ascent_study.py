"""Tools of the studies of ascents: poles fitted to a ring-down, engines in and out of the modes, what ROS2 delays."""

import numpy as np
import pytest
from multibody_models import beam
from scipy.linalg import block_diag, eigh

import interstage as ist
from interstage.demo import heron
from interstage.demo.heron_deck import heron_deck
from interstage.fem import FEModel, normal_modes
from interstage.nastran import deck_from_text
from validation.ascent_models import CUTOFF_HZ, free_modes, held, without_engines
from validation.ascent_runs import fitted
from validation.heron_runs import lags


def test_poles_are_found_in_a_sum_of_damped_oscillations():
    known = np.array([-0.82 + 0.53j, -0.07 + 0.07j])
    t = np.arange(2.0, 14.0, 0.1)
    rng = np.random.default_rng(5)
    amplitude = rng.normal(size=(2, 3)) + 1j * rng.normal(size=(2, 3))
    y = (np.exp(np.outer(t, known)) @ amplitude).real
    found = fitted(t, y, [1.1 * s for s in known])
    assert found == pytest.approx(known, rel=1e-6)
    noisy = y + 1e-4 * np.abs(y).max(axis=0) * rng.normal(size=y.shape)
    assert fitted(t, noisy, [1.1 * s for s in known]) == pytest.approx(known, rel=0.02)


def test_the_deck_without_engines_lacks_their_masses_alone():
    lines = heron_deck().splitlines()
    kept = without_engines(heron_deck()).splitlines()
    gone = [line for line in lines if line not in kept and not line.startswith(" ")]
    assert [int(line[16:24]) for line in gone] == list(heron.ENGINE_GRIDS)
    assert all(line.startswith("CONM2") for line in gone)
    assert len(lines) - len(kept) == 2 * len(gone)  # each goes on in a second line


def carried(place):
    """Return how a point moves and turns (6, 6) as a rigid body turns about the origin."""
    x, y, z = place
    out = np.eye(6)
    out[:3, 3:] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
    return out


@pytest.mark.parametrize("inside", [True, False])
def test_engines_in_and_out_of_the_modes_by_matrices_of_the_deck(inside):
    """Rigid motions and free modes of the deck, engines added by hand; those in the modes are in them twice.

    M = [R Φ]ᵀ M_gg [R Φ] + Σ lᵀ M_e l, of which engines in the modes have their rigid part once: it was taken out.
    """
    text = heron_deck() if inside else without_engines(heron_deck())
    fe = FEModel.from_deck(deck_from_text(text))
    found = normal_modes(fe, n_modes=18)
    hz = np.asarray(found.frequencies_hz)
    elastic = np.flatnonzero((np.arange(len(hz)) >= 6) & (hz < CUTOFF_HZ))
    at = {int(grid): k for k, grid in enumerate(fe.grids.id)}
    rigid = np.zeros((fe.M_gg.shape[0], 6))
    for k, place in enumerate(fe.grids.xyz):
        rigid[fe.grids.dof[k] + np.arange(6)] = carried(place)
    M = block_diag(rigid.T @ (fe.M_gg @ rigid), np.eye(len(elastic)))
    K = block_diag(np.zeros((6, 6)), np.diag((2.0 * np.pi * hz[elastic]) ** 2))
    inertia = np.diag(heron.ENGINE_INERTIA) if np.ndim(heron.ENGINE_INERTIA) == 1 else heron.ENGINE_INERTIA
    arm = carried([-heron.ENGINE_CG, 0.0, 0.0])
    engine = arm.T @ block_diag(heron.ENGINE_MASS * np.eye(3), inertia) @ arm
    for gimbal in heron.GIMBAL_GRIDS:
        rows = fe.grids.dof[at[gimbal]] + np.arange(6)
        moves = np.hstack([rigid[rows], found.shapes[rows][:, elastic]])
        more = moves.T @ engine @ moves
        more[:6, :6] *= 0.0 if inside else 1.0
        M += more
    by_hand = np.sqrt(eigh(K, M, eigvals_only=True)[6:]) / (2.0 * np.pi)
    core = free_modes(text, len(elastic))
    if inside:
        for gimbal in heron.GIMBAL_GRIDS:
            offset = [-heron.ENGINE_CG, 0.0, 0.0]
            core = core.without_rigid(gimbal, heron.ENGINE_MASS, heron.ENGINE_INERTIA, offset, modes=False)
    assert held(core, len(elastic)) == pytest.approx(by_hand, rel=1e-7)


def test_ros2_has_fast_modes_late():
    """A mode of a beam in steps of 1.4 rad: angle and size after fifty of them are those of R(z)."""
    mb = ist.Multibody("beam")
    mb.add_body("beam", component=beam(n_elements=6, n_modes=1), joint=ist.Locked())
    system = mb.compile()
    hz = float(system.modes(system.state()).frequencies_hz[0])
    step, x = 1.4 / (2.0 * np.pi * hz), system.state()
    x["beam"].eta[:] = 1e-5
    log = ist.simulate(system, x, until=50 * step, step=step, method="ros2")
    late, shrinks = lags(hz, step)
    k = np.arange(51)
    assert late == pytest.approx(0.93 * hz, rel=5e-3)
    wanted = 1e-5 * shrinks**k * np.cos(2.0 * np.pi * late * step * k)
    np.testing.assert_allclose(log["beam"].eta[:, 0], wanted, atol=1e-10)
