"""Integrals as sums: equal to those of the interpolated matrices, and a hundred times cheaper than making them."""

import numpy as np
import pytest
from vehicle_models import beam_vehicle, launcher

from interstage.component.integrals import ModalIntegrals, mass_products, point_integrals, point_masses


@pytest.fixture(scope="module")
def shapes():
    return launcher().shapes(n_modes=12, levels=5, error=1e-2)


@pytest.mark.parametrize("part", [0.0, 0.37, 0.5, 0.81, 1.0])
def test_sums_are_the_integrals_of_the_interpolated_matrix(shapes, part):
    """The component's own functions on M of that fill; lumped masses without offsets, so that all orders are linear."""
    stack = shapes.stack
    fill = stack.propellant(part)
    found = shapes.integrals(fill)
    M, x = stack.node_mass(fill), stack.positions
    own = ModalIntegrals.of(*mass_products(M, x, shapes.nodes))
    points, _ = point_masses(M, len(x))
    Phi = shapes.nodes.reshape(len(x), 6, -1)
    p = point_integrals(points, x, Phi[:, :3], Phi[:, 3:])
    assert found.mass == pytest.approx(own.mass, rel=1e-13)
    for ours, theirs in (
        (found.com, own.com),
        (found.inertia, own.inertia),
        (found.E, own.E),
        (found.F0, own.F0),
        (found.G, own.G),
        (np.einsum("aar->r", found.A)[:, None, None] * np.eye(3) - np.einsum("abr->rab", found.A), p.J1),
        (found.B[1, 2] - found.B[2, 1], p.F1[:, 0]),
        (found.B[0, 0] + found.B[1, 1], p.J2[:, :, 2, 2]),
        (found.pm_E, p.E),
    ):
        np.testing.assert_allclose(ours, theirs, atol=2e-13 * np.abs(theirs).max() + 1e-12)


def test_tanks_that_stand_still_are_part_of_the_base(shapes):
    fill = shapes.stack.propellant({"grain": 21e3, "lox": 13e3, "lh2": 1e3})
    settled = shapes.partition.settled(("grain",), fill)
    assert settled.tanks == ("grain",)
    whole = shapes.partition.at(fill).pack()
    np.testing.assert_allclose(settled.packed(np.array([21e3])), whole, atol=1e-13 * np.abs(whole).max())


def test_an_update_touches_no_matrix(shapes, monkeypatch):
    """One burning tank: in flight sums of integrals are formed, and no mass matrix."""
    fill = shapes.stack.propellant(0.5)
    settled = shapes.partition.settled(("grain",), fill)
    half = np.array([31e3])
    wanted = np.array(settled.packed(half))
    for name in ("node_mass", "propellant"):
        monkeypatch.delattr(type(shapes.stack), name)
    np.testing.assert_array_equal(settled.packed(half), wanted)
    low, high = (np.array(settled.packed(np.array([m]))) for m in (30e3, 32e3))
    # between two levels of the tank the integrals are linear in its mass
    np.testing.assert_allclose(wanted, 0.5 * (low + high), rtol=1e-12, atol=1e-9 * np.abs(wanted).max())


def test_stiffness_of_tanks_is_a_sum_too():
    from interstage import Stage, StagedVehicle
    from interstage.fem import lumped_beam

    K, M, nodes = lumped_beam(6.0, 6, EA=1e6, GJ=1e4, EI=1e3, mass=[1, 1, 1, 0.1, 0.1, 0.1])
    stage = Stage("s", K=K, M=M, nodes=nodes)
    stage.add_tank("grain", levels={0.0: (0 * M, 0 * K), 14.0: (2 * M, 0.5 * K)})
    v = StagedVehicle("v")
    v.add(stage)
    shapes = v.shapes(n_modes=6, levels=3)
    stack = shapes.stack
    fill = {"grain": 4.0}
    wanted = shapes.q.T @ (stack.stiffness(fill) @ shapes.q)
    np.testing.assert_allclose(shapes.integrals(fill).K, wanted, atol=1e-12 * wanted.max())
    # stiffness and mass by one factor each: ω² ∝ (1 + s/2) / (1 + 2 s)
    ratio = np.sqrt((1 + 0.5 * 4 / 14) / (1 + 2 * 4 / 14))
    np.testing.assert_allclose(
        v.modes(fill, n_modes=6).frequencies_hz, ratio * v.modes(0.0, n_modes=6).frequencies_hz, rtol=1e-9
    )


def test_the_paper_takes_its_frequencies_from_integrals():
    """K and M_e of the sums have the frequencies of the matrices."""
    import scipy.linalg as la

    shapes = beam_vehicle().shapes(n_modes=10)
    for part in (0.0, 0.33, 1.0):
        one = shapes.integrals(part)
        hz = np.sqrt(la.eigh(one.K, one.effective_mass, eigvals_only=True)) / (2 * np.pi)
        np.testing.assert_allclose(hz, shapes.modes(part).frequencies_hz, rtol=1e-9)
