"""Modes of assembled beams against one finite-element model of the whole: complete bases, so errors are rounding."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import beam, beam_matrices
from scipy.linalg import eigh

from interstage.component import Component
from interstage.multibody import Free, Locked, Multibody, Revolute
from interstage.spatial import Rotation

N = 8  # elements a beam


def _complete():
    """Return a beam component with all fixed-interface modes of node 1."""
    K, M, nodes = beam_matrices(N)
    return Component.from_matrices(K, M, nodes, n_modes=6 * N, aset={1: 123456}, modal_integrals=False)


def _joined(angle, release=None, clamp=False):
    """Return frequencies (Hz) of two beams, the second from the end of the first, turned about z by `angle`."""
    K, M, _ = beam_matrices(N)
    R = Rotation.from_axis_angle([0, 0, 1], angle).matrix
    T = np.kron(np.eye(2 * (N + 1)), R)
    n = 6 * (N + 1)
    second = np.arange(n) + n - 6
    if release is not None:
        second[release] = 2 * n - 6
        second[6:] = np.arange(6, n) + n - 6
    size = 2 * n - 6 + (release is not None)
    K_all, M_all = np.zeros((size, size)), np.zeros((size, size))
    for A, whole in ((K, K_all), (M, M_all)):
        whole[:n, :n] += A
        whole[np.ix_(second, second)] += T @ A @ T.T
    keep = np.arange(6 if clamp else 0, size)
    square = eigh(K_all[np.ix_(keep, keep)], M_all[np.ix_(keep, keep)], eigvals_only=True)
    return np.sqrt(np.abs(square)) / (2 * np.pi)


@pytest.fixture(scope="module")
def component():
    return _complete()


def _assemble(component, angle, root, joint):
    mb = Multibody("two")
    mb.add_body("first", component=component, joint=root)
    R = Rotation.from_axis_angle([0, 0, 1], angle).matrix
    mb.add_body("second", component=component, parent="first", at=N + 1, joint=joint, rotation=R)
    return mb.compile()


@pytest.mark.parametrize("angle", [0.0, np.pi / 4])
def test_two_locked_beams_are_one_structure(component, angle):
    system = _assemble(component, angle, Free(), Locked())
    hz, fe = system.modes().frequencies_hz, _joined(angle)
    assert abs(hz[:6]).max() < 1e-4  # rigid
    np.testing.assert_allclose(hz[6:26], fe[6:26], rtol=0, atol=1e-7)


def test_two_pinned_beams(component):
    system = _assemble(component, 0.3, Free(), Revolute("z"))
    np.testing.assert_allclose(
        system.modes().frequencies_hz[7:27], _joined(0.3, release=5)[7:27], rtol=0, atol=1e-7
    )


def test_articulated_state_turns_the_second_beam(component):
    """The same component files and the same system, another joint angle."""
    system = _assemble(component, 0.0, Free(), Revolute("z"))
    x = system.state()
    x["second"].q[:] = 0.7
    np.testing.assert_allclose(
        system.modes(x).frequencies_hz[7:27], _joined(0.7, release=5)[7:27], rtol=0, atol=1e-7
    )


def test_double_length_cantilever_frequencies_and_shapes(component):
    system = _assemble(component, 0.0, Locked(), Locked())
    modes = system.modes()
    np.testing.assert_allclose(modes.frequencies_hz[:20], _joined(0.0, clamp=True)[:20], rtol=0, atol=5e-6)
    # shapes on nodes: the first axial mode is sin(πx/2L) at the nodes
    tip = np.array([modes.at("second", k + 1)[:, :30] for k in range(N + 1)])
    size = abs(tip).max(axis=0)
    axial = int(np.flatnonzero(size[3] > 1e3 * (size[4] + size[5]))[0])
    x = 1.0 + np.linspace(0.0, 1.0, N + 1)
    shape = tip[:, 3, axial] / tip[-1, 3, axial]
    np.testing.assert_allclose(shape, np.sin(np.pi * x / 4), atol=1e-9)


def test_fewer_modes_cost_accuracy_gradually(component):
    fe = _joined(np.pi / 4)
    errors = []
    R = Rotation.from_axis_angle([0, 0, 1], np.pi / 4).matrix
    for keep in (12, 24, 48):
        mb = Multibody("two")
        mb.add_body("first", component=component, joint=Free(), n_modes=keep)
        mb.add_body("second", component=component, parent="first", at=N + 1, rotation=R, n_modes=keep)
        errors.append(abs(mb.compile().modes().frequencies_hz[6:12] - fe[6:12]).max())
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-7


def test_frame_node_does_not_change_the_modes_of_a_free_body():
    c = beam(n_elements=N, n_modes=20, aset=None)
    found = []
    for node in (None, 1, 4, 9):
        mb = Multibody("one")
        mb.add_body("body", component=c, node=node, joint=Free())
        found.append(mb.compile().modes().frequencies_hz[6:])
    for hz in found:
        np.testing.assert_allclose(hz, c.frequencies_hz, rtol=1e-9)


def test_pendulum_frequency_comes_from_gravity():
    mb = Multibody("pendulum", gravity=[0, 0, -9.81])
    mb.add_body("bob", mass=2.0, com=[0, 0, -0.7], joint=Revolute("y"))
    hz = mb.compile().modes().frequencies_hz
    assert hz[0] == pytest.approx(np.sqrt(9.81 / 0.7) / (2 * np.pi), rel=1e-12)
