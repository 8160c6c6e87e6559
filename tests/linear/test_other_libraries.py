"""Linear models in scipy.signal and python-control: the same steps and gains, ours and theirs, as closed forms say."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

import interstage as ist
from interstage.linear.model import SampledModel

M, C, K = 2.0, 0.8, 50.0
WN, ZETA = np.sqrt(K / M), C / (2.0 * np.sqrt(K * M))


@pytest.fixture(scope="module")
def lin():
    """A mass on a spring and a damper, pushed; made by the engine."""
    mb = ist.Multibody("slide")
    mb.add_body(
        "mass", mass=M, inertia=np.eye(3), joint=ist.Prismatic("x", stiffness=K, damping=C), parent=None
    )
    system = mb.compile()
    return ist.linearize(
        system,
        system.state(),
        inputs=[ist.JointForce("mass")],
        outputs=[ist.JointAngle("mass"), ist.JointRate("mass")],
    )


def step(t):
    """Return how the mass moves under a unit force from rest: place and speed."""
    wd = WN * np.sqrt(1.0 - ZETA**2)
    fall = np.exp(-ZETA * WN * t)
    place = (1.0 - fall * (np.cos(wd * t) + ZETA * WN / wd * np.sin(wd * t))) / K
    return np.column_stack([place, fall * np.sin(wd * t) / (M * wd)])


def gain(f):
    s = 2j * np.pi * f
    place = 1.0 / (M * s**2 + C * s + K)
    return np.column_stack([place, s * place])


def sampled(lin, dt):
    A, B, Cm, D, _ = scipy.signal.cont2discrete((lin.A, lin.B, lin.C, lin.D), dt)
    return SampledModel(A, B, Cm, D, inputs=lin.inputs, outputs=["a.b", "a_b"], dt=dt)


def test_a_step_in_scipy_signal_is_ours_and_the_closed_form(lin):
    t = np.linspace(0.0, 3.0, 301)
    _, theirs = scipy.signal.step(scipy.signal.StateSpace(lin.A, lin.B, lin.C, lin.D), T=t)
    np.testing.assert_allclose(theirs, step(t), atol=1e-12)
    np.testing.assert_allclose(lin.time_response(t, np.ones((len(t), 1)), held=True), step(t), atol=1e-12)


@pytest.mark.filterwarnings("ignore::scipy.signal.BadCoefficients")  # it makes polynomials of matrices
def test_a_bode_plot_in_scipy_signal_is_ours_and_the_closed_form(lin):
    f = np.geomspace(0.01, 100.0, 60)
    for k in range(2):
        one = scipy.signal.StateSpace(lin.A, lin.B, lin.C[[k]], lin.D[[k]])
        _, decibels, degrees = scipy.signal.bode(one, w=2.0 * np.pi * f)
        np.testing.assert_allclose(decibels, 20.0 * np.log10(np.abs(gain(f)[:, k])), atol=1e-8)
        turns = (degrees - np.degrees(np.angle(gain(f)[:, k]))) / 360.0
        np.testing.assert_allclose(turns, np.round(turns), atol=1e-9)
    np.testing.assert_allclose(lin.frequency_response(f)[:, :, 0], gain(f), rtol=1e-12)


@pytest.mark.filterwarnings("ignore::scipy.signal.BadCoefficients")
def test_a_sampled_model_in_scipy_signal_moves_as_ours_and_as_the_closed_form(lin):
    """Held inputs: at the samples the motion is that of continuous time."""
    z = sampled(lin, 0.02)
    theirs = scipy.signal.dlti(z.A, z.B, z.C, z.D, dt=z.dt)
    t = 0.02 * np.arange(100)
    y = scipy.signal.dlsim(theirs, np.ones((100, 1)))[1]
    np.testing.assert_allclose(y, step(t), atol=1e-12)
    np.testing.assert_allclose(z.time_response(np.ones((100, 1))), step(t), atol=1e-12)
    f = np.array([0.3, 0.8, 5.0, 20.0])
    _, h = scipy.signal.dfreqresp(
        scipy.signal.dlti(z.A, z.B, z.C[[0]], z.D[[0]], dt=z.dt), 2.0 * np.pi * f * z.dt
    )
    np.testing.assert_allclose(z.frequency_response(f)[:, 0, 0], h, rtol=1e-9)


def test_python_control_has_both_kinds_of_time(lin):
    pytest.importorskip("control")
    f = np.array([0.3, 0.8, 5.0, 20.0])
    np.testing.assert_allclose(lin.to_control()(2j * np.pi * f)[:, 0].T, gain(f), rtol=1e-9)
    z = sampled(lin, 0.02)
    theirs = z.to_control()
    assert theirs.dt == 0.02 and theirs.isdtime(strict=True) and len(set(theirs.output_labels)) == 2
    np.testing.assert_allclose(
        theirs(np.exp(2j * np.pi * f * z.dt))[:, 0].T, z.frequency_response(f)[:, :, 0], rtol=1e-9
    )
