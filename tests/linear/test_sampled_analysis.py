"""What a sampled model tells, beside closed forms, scipy and python-control."""

from __future__ import annotations

import control
import numpy as np
import pytest
import scipy.linalg
import scipy.signal

import interstage as ist
from interstage import devices as dev
from interstage.errors import InputError, SolverError

DT = 0.02
HZ = np.array([0.4, 1.7, 6.0])
ZETA = np.array([0.02, 0.05, 0.01])


def structure(seed: int = 0, rigid: bool = False) -> ist.LinearModel:
    """Return three light modes between two inputs and two outputs, and a free body beside them."""
    rng, w = np.random.default_rng(seed), 2.0 * np.pi * HZ
    n = len(w) + rigid
    K, damp = np.zeros(n), np.zeros(n)
    K[: len(w)], damp[: len(w)] = w**2, 2.0 * ZETA * w
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.diag(K), -np.diag(damp)]])
    B = np.vstack([np.zeros((n, 2)), rng.normal(size=(n, 2))])
    return ist.LinearModel(A, B, np.hstack([rng.normal(size=(2, n)), np.zeros((2, n))]), np.zeros((2, 2)))


def response(model: ist.LinearModel, hz: np.ndarray) -> np.ndarray:
    """Return C (zI - A)⁻¹ B + D by dense solves."""
    eye = np.eye(model.n_states)
    return np.array(
        [
            model.C @ np.linalg.solve(np.exp(2j * np.pi * f * DT) * eye - model.A, model.B) + model.D
            for f in hz
        ]
    )


def test_modes_have_the_frequencies_that_were_sampled():
    """z = exp(s dt) takes modes of the continuous model along: the same frequency, damping and shape."""
    lin = structure(rigid=True)
    z = lin.discretize(DT)
    modes, truth = z.modes(), lin.modes()
    assert modes.frequencies_hz[-3:] == pytest.approx(HZ, rel=1e-10)
    assert modes.damping[-3:] == pytest.approx(ZETA, rel=1e-8)
    assert modes.frequencies_hz[0] < 1e-6
    left = z.A @ modes.shapes - modes.shapes * modes.poles
    assert np.abs(left).max() < 1e-12
    like = ist.mac(modes.shapes[:, -3:], truth.shapes[:, -3:])
    assert np.diag(like) == pytest.approx(np.ones(3), abs=1e-9)
    with pytest.raises(InputError, match="a sampled model has no undamped modes"):
        z.modes(damped=False)


def test_modal_gains_are_the_peaks_on_the_circle_and_hankel_values_of_each_mode():
    """Of one mode alone the peak is near |cb|/(1 - |z|); Gramians by scipy's Lyapunov solver in discrete time."""
    z = structure().discretize(DT)
    found = z.modal_gains()
    assert found.frequencies_hz == pytest.approx(HZ, rel=1e-10)
    assert found.damping == pytest.approx(ZETA, rel=1e-8)
    for k, hz in enumerate(HZ):
        one = z.truncate(modes=[k], static_gain=False)
        P = scipy.linalg.solve_discrete_lyapunov(one.A, one.B @ one.B.T)
        Q = scipy.linalg.solve_discrete_lyapunov(one.A.T, one.C.T @ one.C)
        hankel = np.sqrt(np.linalg.eigvals(P @ Q).real.max())
        assert found.hankel[k] == pytest.approx(hankel, rel=1e-9)
        peak = np.abs(response(one, hz * np.linspace(0.98, 1.02, 2001))).max(axis=0)
        # the conjugate pole adds its part, about ζ of the peak
        assert found.gains[k] == pytest.approx(peak, rel=3.0 * ZETA[k])


def test_truncation_keeps_modes_sample_time_and_static_gain():
    z = structure(rigid=True).discretize(DT)
    whole = response(z, f := np.linspace(0.3, 2.5, 40))
    small = z.truncate(below_hz=3.0)
    assert small.dt == DT and small.n_states == 6
    assert np.abs(small.poles()).max() < 1.0 + 1e-7
    # what is left of the third mode is its static gain, right to (f/f3)²
    third = np.abs(response(z.truncate(modes=[2], static_gain=False), np.array([1e-9]))).max()
    assert np.abs(response(small, f) - whole).max() < 1.2 * third * (2.5 / 6.0) ** 2 / (
        1.0 - (2.5 / 6.0) ** 2
    )
    assert "mode2 1.7 Hz.a" in small.states


@pytest.mark.parametrize("seed", range(3))
def test_zeros_are_where_the_response_loses_rank(seed):
    lin = structure(seed)
    lin.D[:] = np.random.default_rng(seed).normal(size=(2, 2))
    z = lin.discretize(DT)
    found = z.zeros()
    n = z.n_states
    pencil = np.block([[z.A, z.B], [z.C, z.D]])
    truth = scipy.linalg.eigvals(pencil, scipy.linalg.block_diag(np.eye(n), np.zeros((2, 2))))
    truth = truth[np.isfinite(truth) & (np.abs(truth) < 1e6)]
    assert len(found) == len(truth) and found.dt == DT
    gap = np.abs(np.asarray(found)[:, None] - truth[None, :]).min(axis=1)
    assert gap.max() < 1e-9
    assert (np.diff(np.abs(found)) < 1e-9).all() and "size" in str(found)


def test_response_of_chosen_channels_and_python_control():
    z = structure(rigid=True).discretize(DT)
    f = np.array([0.05, 0.4, 3.0, 20.0])
    assert z.frequency_response(f) == pytest.approx(response(z, f), rel=1e-9)
    assert z.frequency_response(f, "u2", ["y1"])[:, 0, 0] == pytest.approx(response(z, f)[:, 0, 1], rel=1e-9)
    theirs = z.to_control()
    assert theirs.dt == DT
    mine = theirs(np.exp(2j * np.pi * f * DT)).transpose(2, 0, 1)
    assert mine == pytest.approx(z.frequency_response(f), rel=1e-8)
    assert control.ss(structure().to_control()).dt == 0
    theirs = scipy.signal.dlti(z.A, z.B[:, [0]], z.C[[0]], z.D[:1, :1], dt=DT)
    u = np.random.default_rng(1).normal(size=60)
    assert z.select("u1", "y1").time_response(u)[:, 0] == pytest.approx(
        theirs.output(u, None)[1][:, 0], abs=1e-10
    )


def test_a_delay_of_several_samples_has_no_modes_and_says_so():
    A = np.zeros((4, 4))
    A[:3, :3], A[3, 3] = np.eye(3, k=1), 0.9
    z = ist.LinearModel(A, [[0.0], [0.0], [1.0], [0.1]], [[1.0, 0.0, 0.0, 1.0]], [[0.0]], dt=0.1)
    assert z.poles().rows()[0] == (0j, 0.0, 0.0, 3) and z.poles().stable
    for asked in (z.modal_gains, lambda: z.truncate(1)):
        with pytest.raises(SolverError, match="the modes of the model cannot be separated"):
            asked()
    f = np.array([0.3, 2.0])
    late, lag = np.exp(-6j * np.pi * f * 0.1), 0.1 / (np.exp(2j * np.pi * f * 0.1) - 0.9)
    assert z.frequency_response(f).ravel() == pytest.approx(late + lag, rel=1e-12)
    assert z.reduce(error=1e-9).frequency_response(f).ravel() == pytest.approx(late + lag, rel=1e-9)


# rigid motion -----------------------------------------------------------------------------------------


def test_effectiveness_of_samples_is_in_seconds():
    """A flexible axis and one without bending: J of both together, α = 1/J a unit of torque, whatever the period."""
    J, bend = 4.0, 0.5
    w, c = 2.0 * np.pi * 5.0, 0.3
    A = np.zeros((4, 4))
    A[0, 1] = A[2, 3] = 1.0
    A[3, 2], A[3, 3] = -(w**2), -c
    B, C = np.array([[0.0], [1.0 / J], [0.0], [bend]]), np.array([[1.0, 0, 0.2, 0], [0, 1.0, 0, 0.2]])
    lin = ist.LinearModel(
        A, B, C, np.zeros((2, 1)), outputs=["angle", "rate"], output_units=["rad", "rad/s"], name="axis"
    )
    for dt in (0.01, 0.07):
        z = lin.discretize(dt)
        assert z.effectiveness("rate") == pytest.approx(np.array([[1.0 / J]]), rel=1e-9)
        assert z.effectiveness("angle") == pytest.approx(np.zeros((1, 1)), abs=1e-9)
        rigid = z.rigid()
        assert rigid.dt == dt and pytest.approx(np.array([[1.0, dt], [0.0, 1.0]]), abs=1e-9) == rigid.A
        assert pytest.approx(np.array([[dt**2 / 2.0], [dt]]), abs=1e-9) == rigid.B


class Torque(ist.Device):
    at = ist.Site()
    u = ist.In("N*m", 3)
    torque = at.torque("body")

    def outputs(d, t):
        d.torque[:] = d.u


def test_effectiveness_of_a_sampled_vehicle_is_one_over_its_inertia():
    """A gyro and a star tracker on a bus with an arm on a spring: (J about the center of mass)⁻¹, in seconds."""
    mb = ist.Multibody("s")
    mb.add_body("bus", mass=10.0, inertia=[2, 3, 4], joint=ist.Free())
    hinge = ist.Revolute("z", stiffness=50.0, damping=0.1)
    mb.add_body(
        "arm", mass=2.0, com=[0.5, 0, 0], inertia=[0.1, 0.2, 0.2], parent="bus", at=[0.3, 0, 0], joint=hinge
    )
    system = mb.compile()
    flight = ist.Assembly("a", vehicle=system).add("w", Torque(at="bus"))
    flight.add("gyro", dev.Gyro(at="bus", every="20 ms")).add(
        "star", dev.StarTracker(at="bus", every="20 ms")
    )
    z = ist.linearize(
        flight, system.state(), inputs="w.u", outputs=["gyro.rate", "star.quaternion"], sampled=True
    )
    # bus and arm, the arm at rest on its spring
    offset = np.array([0.8, 0.0, 0.0])
    reduced = 10.0 * 2.0 / 12.0
    J = np.diag([2.1, 3.2, 4.2]) + reduced * (offset @ offset * np.eye(3) - np.outer(offset, offset))
    assert z.effectiveness("gyro.rate") == pytest.approx(np.linalg.inv(J), abs=1e-9)
    rigid = z.rigid()
    dt = 0.02
    assert (
        pytest.approx(np.block([[np.eye(3), dt * np.eye(3)], [np.zeros((3, 3)), np.eye(3)]]), abs=1e-8)
        == rigid.A
    )
    assert rigid.dt == dt


# as devices ---------------------------------------------------------------------------------------------


def test_a_filter_that_is_sampled_runs_as_it_is():
    z = ist.LinearModel([[-2.0, 1.0], [0.0, -5.0]], [[0.0], [3.0]], [[1.0, 0.5]], [[0.2]]).discretize("50 ms")
    for device in (dev.LinearFilter(z), dev.LinearFilter(z, every="50 ms")):
        run = ist.Assembly("a").add("one", lambda t: np.cos(3.0 * t), every="50 ms", out={"u": "1"})
        run.add("filter", device).wire({"one.u": "filter.u"})
        log = ist.simulate(run, None, until=1.0, step="50 ms", progress=False)
        u = np.cos(3.0 * 0.05 * np.arange(21))
        assert log["filter.y"].ravel() == pytest.approx(z.time_response(u)[:, 0], abs=1e-12)
    with pytest.raises(InputError, match="a sampled filter keeps its sample time"):
        dev.LinearFilter(z, every="20 ms")
    with pytest.raises(InputError, match="the filter is sampled already"):
        dev.LinearFilter(z, method="tustin")
    with pytest.raises(InputError, match="a continuous filter needs a period"):
        dev.LinearFilter(ist.LinearModel([[-1.0]], [[1.0]], [[1.0]], [[0.0]]))
    with pytest.raises(InputError, match="a filter without states is a gain"):
        dev.LinearFilter(
            ist.LinearModel(np.zeros((0, 0)), np.zeros((0, 1)), np.zeros((1, 0)), [[2.0]]), every="1 s"
        )
