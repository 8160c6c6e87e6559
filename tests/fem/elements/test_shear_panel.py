"""CSHEAR: closed-form panels, equilibrium, edge rods."""

import numpy as np
import pytest

from interstage.fem.elements.block import OutputOptions
from interstage.fem.elements.shear_panel import ShearPanelBlock, panel_flexibility

ALL = slice(None)


def panel(x, f1=0.0, f2=0.0, t=0.02, E=2.6e6, G=1e6, nu=0.3, mass=3.0):
    values = {"E": E, "G": G, "nu": nu, "t": t, "f1": f1, "f2": f2, "mass": mass}
    return ShearPanelBlock(
        [1], [[0, 1, 2, 3]], np.asarray(x, float), **{k: np.array([v]) for k, v in values.items()}
    )


def test_rectangle_in_pure_shear():
    """Energy of a shear angle γ is ½ G t γ² A; extension costs nothing."""
    K = panel([[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0]]).stiffness(ALL)[0]
    u = np.zeros((4, 3))
    u[2:, 0] = 0.01
    assert u.ravel() @ K @ u.ravel() == pytest.approx(1e6 * 0.02 * 0.01**2 * 2.0, rel=1e-12)
    u = np.zeros((4, 3))
    u[1:3, 0] = 0.01
    assert abs(u.ravel() @ K @ u.ravel()) < 1e-12
    assert np.linalg.matrix_rank(K) == 1


@pytest.mark.parametrize("shift", [[0.0, 0.0], [0.3, 0.3], [0.2, -0.4], [0.9, -0.3]])
@pytest.mark.parametrize("lift", [0.0, 0.15])
def test_rigid_motions_cost_nothing(shift, lift):
    """Parallelogram, trapezia and general quadrilaterals, warped too."""
    x = np.array(
        [[0, 0, lift], [2, 0, -lift], [2 + shift[0], 1 + 0.5 * shift[1], lift], [shift[1], 1, -lift]]
    )
    K = panel(x).stiffness(ALL)[0]
    for axis in np.eye(3):
        assert np.abs(K @ np.tile(axis, 4)).max() < 1e-12 * np.abs(K).max()
        assert np.abs(K @ np.cross(axis, x).ravel()).max() < 1e-12 * np.abs(K).max()
    assert np.linalg.eigvalsh(K)[-1] > 0


def test_formulas_of_the_shapes_join():
    """Where one shape passes into the next the flexibility changes by little (sides 6 degrees apart)."""
    flexibility = []
    for lift in np.linspace(0.0, 0.5, 11):
        xy = np.array([[[0, 0], [2, 0], [2.3, 1 + lift], [0.4, 1]]], dtype=float)
        area = np.array(
            [0.5 * abs(np.cross(np.append(xy[0, 2] - xy[0, 0], 0), np.append(xy[0, 3] - xy[0, 1], 0))[2])]
        )
        one = np.ones(1)
        Z = panel_flexibility(xy, area, one, 0.3 * one, one)[0][0]
        flexibility.append(Z / area[0])
    assert np.all(np.abs(np.diff(flexibility)) < 0.15 * np.abs(flexibility[:-1]))


def test_edge_rods():
    """F1 = 1 gives sides 1-2 and 3-4 half the panel's section each: E t A/(l12 + l34)·2/l = E t b/l."""
    x = [[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0]]
    u = np.zeros((4, 3))
    u[1:3, 0] = 0.01
    K = panel(x, f1=1.0).stiffness(ALL)[0]
    assert u.ravel() @ K @ u.ravel() == pytest.approx(2.6e6 * 0.02 * 1.0 / 2.0 * 0.01**2, rel=1e-12)
    K = panel(x, f1=50.0).stiffness(ALL)[0]
    assert u.ravel() @ K @ u.ravel() == pytest.approx(
        2 * 2.6e6 * (0.5 * 50 * 0.02**2) / 2.0 * 0.01**2, rel=1e-12
    )
    K = panel(x, f2=1.0).stiffness(ALL)[0]
    assert abs(u.ravel() @ K @ u.ravel()) < 1e-9


def test_mass_is_quarters():
    M = panel([[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0]]).mass(ALL, True)[0]
    np.testing.assert_allclose(M, np.eye(12) * 3.0 * 2.0 / 4.0)


SHAPES = {
    "rectangle": [[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0]],
    "parallelogram": [[0, 0, 0], [2, 0, 0], [2.5, 1, 0], [0.5, 1, 0]],
    "trapezium": [[0, 0, 0], [2, 0, 0], [1.6, 1, 0], [0.5, 1, 0]],
    "other trapezium": [[0, 0, 0], [2, 0, 0], [2, 1.5, 0], [0, 1, 0]],
    "quadrilateral": [[0, 0, 0], [2, 0, 0], [2.3, 1.6, 0], [0.4, 1, 0]],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_forces_of_the_sides_hold_the_corners(shape):
    """Along the sides that meet in a corner the printed forces add up to the force of the panel on its grid, -K u."""
    block, x = panel(SHAPES[shape]), np.array(SHAPES[shape], dtype=float)
    u = np.random.default_rng(1).normal(size=12)
    (table,) = block.force_tables(block.recovery(ALL) @ u[None, :, None], OutputOptions())
    value = dict(zip(table.columns, table.values[0, 0]))
    pull = -(block.stiffness(ALL)[0] @ u).reshape(4, 3)
    for corner in range(4):
        total = np.zeros(3)
        for other in ((corner + 1) % 4, (corner - 1) % 4):
            way = x[other] - x[corner]
            total += value[f"force{other + 1}{corner + 1}"] * way / np.linalg.norm(way)
        np.testing.assert_allclose(total, pull[corner], rtol=1e-9, atol=1e-9 * np.abs(pull).max())
    assert all(abs(value[f"kick_force{k}"]) < 1e-12 for k in (1, 2, 3, 4))


def test_stress_of_a_sheared_rectangle():
    """τ = G γ all over, the flow G γ t on every side."""
    block, u = panel(SHAPES["rectangle"]), np.zeros(12)
    u[[6, 9]] = 0.01  # u_x of corners 3 and 4
    results = block.recovery(ALL) @ u[None, :, None]
    (stress,), (force,) = (
        block.stress_tables(results, OutputOptions()),
        block.force_tables(results, OutputOptions()),
    )
    np.testing.assert_allclose(stress.values[0, 0, :2], [1e4, 1e4], rtol=1e-12)
    flows = [force.values[0, 0, force.columns.index(f"shear{pair}")] for pair in (12, 23, 34, 41)]
    np.testing.assert_allclose(flows, 200.0, rtol=1e-12)
    assert force.columns[:3] == ("force41", "force21", "force12")
    np.testing.assert_allclose(force.values[0, 0, :3], [100.0, 200.0, -200.0], rtol=1e-12)
