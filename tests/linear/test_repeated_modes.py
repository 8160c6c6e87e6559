"""Equal appendages: frequencies coincide, shapes must not."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import beam
from scipy.linalg import subspace_angles

import interstage as ist
from interstage.linear.poles import damped_modes, undamped_modes

BEAM = beam(4, n_modes=4)


def star(n, damping=0.0):
    """Return a bus with n equal panels all round."""
    mb = ist.Multibody("star")
    mb.add_body("bus", mass=10.0, inertia=[5.0, 5.0, 5.0], joint=ist.Free())
    for k in range(n):
        c, s = np.cos(2.0 * np.pi * k / n), np.sin(2.0 * np.pi * k / n)
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        at = R @ [0.5, 0, 0]
        mb.add_body(f"p{k}", component=BEAM, parent="bus", at=at, rotation=R, damping=damping)
    return mb.compile()


def independence(shapes):
    """Return the smallest singular value of shapes of unit length: 0 where one is a sum of others."""
    return np.linalg.svd(shapes / np.linalg.norm(shapes, axis=0), compute_uv=False)[-1]


@pytest.mark.parametrize("n", [6, 12])
def test_equal_panels_have_independent_shapes(n):
    """The symmetric eigenproblem of the system has them all: frequency by frequency the same space."""
    system = star(n)
    modes, truth = ist.linearize(system, system.state()).modes(damped=False), system.modes()
    assert np.abs(modes.frequencies_hz[6:] / truth.frequencies_hz[6:] - 1.0).max() < 1e-12
    shapes = modes.shapes[: system.nv]
    assert independence(shapes[:, 6:]) > 0.1
    f, most = truth.frequencies_hz, 0
    for k in np.flatnonzero(np.diff(f[6:]) > 1e-6 * f[6:-1]) + 6:
        together = np.abs(f / f[k] - 1.0) < 1e-7
        most = max(most, together.sum())
        assert subspace_angles(shapes[:, together], truth.shapes[:, together]).max() < 1e-9
    assert most >= n - 3


@pytest.mark.parametrize("n", [6, 12])
def test_equal_damped_panels_have_independent_shapes(n):
    system = star(n, 0.01)
    lin = ist.linearize(system, system.state())
    modes = lin.modes()
    elastic = modes.frequencies_hz > 0.1
    assert elastic.sum() == 4 * n
    assert independence(modes.shapes[:, elastic]) > 0.1
    left = lin.A @ modes.shapes - modes.shapes * modes.poles
    assert np.abs(left[:, elastic]).max() < 1e-11 * np.abs(modes.poles).max()


def test_truncation_leaves_out_what_no_input_moves():
    """Two inputs move two of eight equal panels' combinations at each frequency: the rest goes at no loss."""
    system = star(8, 0.01)
    inputs = [ist.NodeForce("bus", axis="x"), ist.NodeForce("p0", 5, "z")]
    lin = ist.linearize(system, system.state(), inputs, [ist.NodeRate("bus"), ist.NodeAcceleration("p3", 5)])
    gains, f = lin.modal_gains(), np.geomspace(0.05, 200.0, 200)
    moved = int(np.sum(gains.coupling > 1e-9 * gains.coupling.max()))
    assert moved < len(gains.poles) - 8
    whole, small = lin.frequency_response(f), lin.truncate(moved).frequency_response(f)
    assert np.abs(small - whole).max() < 1e-9 * np.abs(whole).max()


def test_any_multiplicity_in_any_coordinates():
    """A = T blkdiag(λ) T⁻¹ with pairs of multiplicity 1, 2, 3 and 5 and a random T."""
    rng = np.random.default_rng(8)
    poles = (
        [complex(-0.1, 3.0)] * 3 + [complex(-0.2, 7.0)] * 5 + [complex(-1.0, 2.0)] * 2 + [complex(-0.5, 9.0)]
    )
    blocks = np.zeros((24, 24))
    for k, z in enumerate(poles):
        blocks[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = [[z.real, z.imag], [-z.imag, z.real]]
    blocks[22, 22] = blocks[23, 23] = -4.0
    T = rng.normal(size=(24, 24))
    A = T @ blocks @ np.linalg.inv(T)
    modes = damped_modes(A, [f"x{k}" for k in range(24)])
    assert len(modes) == 13
    # shapes and their conjugates together span everything, and each is an eigenvector
    pairs = modes.poles.imag > 0.0
    assert independence(np.hstack([modes.shapes, modes.shapes[:, pairs].conj()])) > 1e-3
    assert np.abs(A @ modes.shapes - modes.shapes * modes.poles).max() < 1e-10


def test_a_defective_pole_keeps_the_one_shape_that_it_has():
    """A double pole of a Jordan block is not made into two independent shapes."""
    A = np.array([[-1.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -3.0]])
    modes = damped_modes(A, ["a", "b", "c"])
    assert np.abs(A @ modes.shapes - modes.shapes * modes.poles).max() < 1e-7
    assert independence(modes.shapes[:, :2]) < 1e-7


def test_modes_that_flutter_are_told():
    """A follower force makes ω² complex: there is no real mode to return."""
    K = np.array([[4.0, 1.0], [-1.0, 4.0]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-K, np.zeros((2, 2))]])
    # |ω²| = √17, so that both are near 17^(1/4) / 2π = 0.32317 Hz
    with pytest.raises(ist.InterstageError, match=r"no real modes.*not conservative.*near 0\.3232 Hz"):
        undamped_modes(A, 2, ["a", "b", "c", "d"])
