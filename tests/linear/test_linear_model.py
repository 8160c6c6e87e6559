"""Linear models: responses, poles, zeros, ranking, truncation, tracking, against dense solves and python-control."""

from __future__ import annotations

import control
import numpy as np
import pytest
from multibody_models import beam

import interstage as ist
from interstage.linear import response
from interstage.linear.design import track_modes


def chain(masses=(1.0, 1.0, 1.0), k=100.0, c=0.4, free=True):
    """Return masses in a row between springs; the first one free or held by a spring."""
    n = len(masses)
    K = np.zeros((n, n))
    for j in range(n - 1):
        K[j : j + 2, j : j + 2] += k * np.array([[1, -1], [-1, 1]])
    if not free:
        K[0, 0] += k
    M = np.diag(masses)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, c / k * K)]])
    B = np.vstack([np.zeros((n, n)), np.linalg.inv(M)])
    C = np.hstack([np.eye(n), np.zeros((n, n))])
    return ist.LinearModel(A, B, C, np.zeros((n, n)))


def spacecraft():
    mb = ist.Multibody("spacecraft")
    mb.add_body("bus", mass=50.0, inertia=[20, 30, 25.0], joint=ist.Free())
    panel = beam(8, n_modes=12, length=4.0, width=0.04)
    mb.add_body("panel", component=panel, parent="bus", at=[0.5, 0, 0], joint=ist.Revolute("x"), damping=0.01)
    system = mb.compile()
    inputs = [ist.NodeTorque("bus", name="torque"), ist.JointForce("panel"), ist.NodeForce("panel", 9, "z")]
    outputs = [
        ist.NodeRate("bus", name="gyro"),
        ist.NodeAcceleration("panel", 9, "z"),
        ist.JointAngle("panel"),
    ]
    return ist.linearize(system, system.state(), inputs, outputs)


@pytest.fixture(scope="module")
def lin():
    return spacecraft()


F = np.concatenate([[0.01], np.logspace(-1, 3, 120)])


def channel_gap(H, exact):
    """Return the largest difference, relative to the peak of each channel, or 1e-3 of the peak of its output."""
    peaks = np.abs(exact).max(axis=0)
    return (np.abs(H - exact) / np.maximum(peaks, 1e-3 * peaks.max(axis=1, keepdims=True))).max()


@pytest.mark.parametrize("form", ["modal", "schur", "auto"])
def test_response_against_dense_solves(lin, form):
    """Relative to the largest gain of each channel; of its output where it is zero by symmetry."""
    H, exact = lin.frequency_response(F, form=form), response.direct(lin.A, lin.B, lin.C, lin.D, F)
    assert channel_gap(H, exact) < 1e-10
    assert H.shape == (len(F), 5, 5)


def test_response_is_modal_although_rigid_poles_are_defective(lin):
    form = response.modal_form(lin.A)
    assert form.condition < response.GOOD
    assert len(form.A_slow) >= 14  # six rigid motions and the hinge, twice


def test_more_inputs_than_outputs_and_the_reverse_agree(lin):
    few = lin.select(outputs=["gyro.x"])
    H = few.frequency_response(F, form="schur")
    wide = lin.frequency_response(F, form="schur")[:, :1]
    assert np.abs(H - wide).max() < 1e-11 * np.abs(wide).max()


def test_python_control_agrees(lin):
    ss = lin.to_control()
    assert list(ss.input_labels) == [n.replace(".", "_") for n in lin.inputs]
    ours, theirs = np.asarray(lin.poles()), ss.poles()
    fast = np.abs(ours) > 1.0
    gap = np.abs(ours[fast][:, None] - theirs[None, :]).min(axis=1)
    assert (gap / np.abs(ours[fast])).max() < 1e-10
    w = 2 * np.pi * F
    theirs = control.frequency_response(ss, w).frdata.transpose(2, 0, 1)
    assert channel_gap(lin.frequency_response(F), theirs) < 1e-10


def test_poles_as_a_table():
    A = [[0, 1, 0], [-4.0, -0.4, 0], [0, 0, -3.0]]
    lin = ist.LinearModel(A, np.zeros((3, 0)), np.zeros((0, 3)), np.zeros((0, 0)))
    poles = lin.poles()
    assert poles.frequency_hz == pytest.approx([1 / np.pi, 1 / np.pi, 1.5 / np.pi])
    assert poles.damping == pytest.approx([0.1, 0.1, 1.0]) and poles.stable
    assert "damping" in str(poles) and "0.3183099" in str(poles)
    assert len(poles.rows()) == 2


def test_zeros_of_a_chain_are_the_poles_of_what_is_held():
    """From force to position of the same mass: zeros are the modes with that mass held (c = 0: on the axis)."""
    lin = chain(c=0.0)
    zeros = lin.zeros(0, 0)
    held = np.sqrt(np.linalg.eigvalsh(100.0 * np.array([[2.0, -1], [-1, 1]])))
    assert np.sort(np.abs(zeros)) == pytest.approx(np.repeat(held, 2), rel=1e-10)
    # through the whole chain there are no finite zeros without damping
    assert len(lin.zeros(0, 2)) == 0
    assert len(lin.zeros()) == 0


def test_zeros_block_the_channel(lin):
    """At a zero that is no pole (of a mode that the channel does not see) the gain vanishes."""
    siso = lin.select("torque.y", "gyro.y")
    zeros, poles = np.asarray(siso.zeros()), np.asarray(siso.poles())
    apart = np.abs(zeros[:, None] - poles).min(axis=1) > 1e-4 * np.abs(zeros)
    found = zeros[apart & (np.abs(zeros) > 0.1)]
    assert len(found) >= 10

    def gain(s):
        return (siso.C @ np.linalg.solve(s * np.eye(lin.n_states) - siso.A, siso.B.astype(complex)) + siso.D)[
            0, 0
        ]

    for z in found[:6]:
        assert abs(gain(z)) < 1e-7 * abs(gain(1.01 * z))


def test_zeros_of_a_model_that_is_not_square():
    """Two outputs, one input, numerators (s + 2) and (s + 2)(s + 7) over (s + 1)(s + 3)(s + 5): one common zero."""
    at = np.array([-1.0, -3.0, -5.0])
    below = np.array([8.0, -4.0, 8.0])  # products of differences of the poles
    C = np.array([(at + 2) / below, (at + 2) * (at + 7) / below])
    found = ist.LinearModel(np.diag(at), np.ones((3, 1)), C, np.zeros((2, 1))).zeros()
    assert np.asarray(found) == pytest.approx([-2.0], rel=1e-10)


def test_truncation_keeps_what_matters_and_the_static_gain(lin):
    siso = lin.select("panel.joint_force", "gyro.x")
    full = siso.frequency_response(F)
    gains = lin.modal_gains()
    assert gains.gains.shape == (len(gains.poles), 5, 5)
    everything = lin.truncate(len(gains.poles))
    assert (
        np.abs(everything.frequency_response(F) - lin.frequency_response(F)).max() < 1e-9 * np.abs(full).max()
    )
    small = lin.truncate(4)
    assert small.n_states == lin.n_states - 2 * (len(gains.poles) - 4)
    low = F < 0.5
    for by in ("gramian", "gain", "frequency"):
        kept = lin.truncate(3, by=by).frequency_response(F[low])
        exact = lin.frequency_response(F[low])
        # static gains of what is left out are in D: the error at low frequency falls with f²
        assert np.abs(kept - exact).max() < 2e-3 * np.abs(exact).max()
    with_gain, without = (lin.truncate(below_hz=2.0, static_gain=g) for g in (True, False))
    exact = lin.frequency_response([0.2])
    assert (
        np.abs(with_gain.frequency_response([0.2]) - exact).max()
        < np.abs(without.frequency_response([0.2]) - exact).max()
    )


def test_hankel_values_of_one_mode_are_exact():
    """One oscillator: the Gramians solve AW + WAᵀ + BBᵀ = 0."""
    from scipy.linalg import solve_continuous_lyapunov as lyapunov

    A, B, C = np.array([[0, 1], [-9.0, -0.6]]), np.array([[0], [2.0]]), np.array([[1.0, 0.5]])
    W_c, W_o = lyapunov(A, -B @ B.T), lyapunov(A.T, -C.T @ C)
    exact = np.sqrt(np.linalg.eigvals(W_c @ W_o).real.max())
    assert ist.LinearModel(A, B, C, [[0.0]]).modal_gains().hankel[0] == pytest.approx(exact, rel=1e-12)


def test_modes_are_followed_through_a_crossing():
    """Two uncoupled oscillators, one stiffened: by order of frequency the curves would swap."""
    mb = ist.Multibody("two")
    mb.add_body("a", mass=1.0, joint=ist.Prismatic("x", stiffness=100.0))
    mb.add_body("b", mass=1.0, joint=ist.Prismatic("y", stiffness=100.0))
    system = mb.compile()

    def lighten(system, x, mass):
        system.set_mass("b", mass)

    masses = np.linspace(2.0, 0.5, 7)
    found = ist.sweep_modes(system, system.state(), masses, lighten)
    exact = np.sqrt(100.0 / masses) / (2 * np.pi)
    curves = found.frequencies_hz
    assert curves[:, 0] == pytest.approx(exact, rel=1e-9)  # b is the lower one at the start
    assert curves[:, 1] == pytest.approx(np.full(7, 10 / (2 * np.pi)), rel=1e-9)
    assert found.likeness.min() > 0.999
    damped = track_modes([chain(c=c, free=False).modes() for c in (0.1, 0.2, 0.4)], values=[0.1, 0.2, 0.4])
    assert np.all(np.diff(damped.damping, axis=0) > 0)


def test_selection_by_name_group_and_number(lin):
    part = lin.select(inputs=["torque", 4], outputs="gyro")
    assert part.inputs == ["torque.x", "torque.y", "torque.z", "panel.9.force.z"]
    assert part.outputs == ["gyro.x", "gyro.y", "gyro.z"]
    assert part.input_index["torque"].tolist() == [0, 1, 2]
    assert np.array_equal(part.D, lin.D[:3][:, [0, 1, 2, 4]])
    with pytest.raises(ist.InterstageError, match=r"no input 'push'.*torque"):
        lin.select("push")


def test_wrong_shapes_are_told():
    with pytest.raises(ist.InterstageError, match=r"B of a linear model.*expected 2 x 1, got 3 x 1"):
        ist.LinearModel(np.eye(2), np.ones((3, 1)), np.ones((1, 2)), [[0.0]])
    with pytest.raises(ist.InterstageError, match="cannot be separated"):
        jordan = np.array([[-1.0, 1, 0], [0, -1, 1], [0, 0, -1]])
        ist.LinearModel(
            np.kron(np.eye(9), jordan) - 0.0, np.ones((27, 1)), np.ones((1, 27)), [[0.0]]
        ).modal_gains()
