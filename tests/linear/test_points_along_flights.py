"""Operating points along a run: masses of their time, structure at rest under its thrust, active limits named."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.fem import lumped_beam

LENGTH, N = 30.0, 5
MASS, FULL, FLOW, THRUST = 900.0, 6e3, 600.0, 1e5
TIMES = [1.0, 4.5, "9 s"]


def rocket():
    """Return a beam of 5 nodes with an even tank and an engine at its foot, its shapes and its assembly."""
    K, M, nodes = lumped_beam(LENGTH, 4, EA=4e9, GJ=2e9, EI=6e9, mass=[MASS] * 3 + [800.0] * 3)
    stage = ist.Stage("s", K=K, M=M, nodes=nodes)
    grain = np.kron(np.eye(N), np.diag([1, 1, 1, 0.02, 0.02, 0.02])) / N
    stage.add_tank("p", levels={0.0: 0.0 * grain, FULL: FULL * grain})
    v = ist.StagedVehicle("r")
    v.add(stage)
    v.add_engine("m", at=("s", 1), feeds={"p": 1.0}, flow=FLOW, thrust=THRUST, level=1.0, lag=0.05)
    shapes = v.shapes(below_hz=60, levels=3)
    return K, M, grain, v, shapes, v.assembly(v.multibody(shapes, damping=0.002).compile())


@pytest.fixture(scope="module")
def flown(tmp_path_factory):
    K, M, grain, _, shapes, flight = rocket()
    path = tmp_path_factory.mktemp("points") / "a.h5"
    given = {"until": 9.5, "step": "1 ms", "method": "ros2", "log_step": 0.5, "log": path}
    return (K, M, grain, shapes), flight, ist.simulate(flight, flight.vehicle.state(), **given), path


def bending(K, M):
    """Return the first free frequency of a structure (Hz) by scipy."""
    from scipy.linalg import eigh

    w = np.sqrt(np.maximum(eigh(K, M, eigvals_only=True), 0.0)) / (2 * np.pi)
    return w[w > 0.5][0]


@pytest.mark.parametrize("where", ["memory", "file"])
def test_modes_of_points_are_those_of_the_structure_then(flown, where):
    """All dofs with the mass of the time, by scipy: 14.358 Hz at 4.5 s; shapes below 60 Hz miss it by 1e-3."""
    (K, M, grain, _), flight, log, path = flown
    if where == "memory":
        found = ist.points(log, times=TIMES)
    else:
        found = ist.points(ist.load(path), times=TIMES, flight=flight)
    assert len(found) == 3 and found.t.tolist() == [1.0, 4.5, 9.0]
    for point in found:
        left = FULL - FLOW * point.t
        truth = bending(K, M + left * grain)
        assert point.system.propellant["p"] == pytest.approx(left, rel=1e-9)
        hz = point.system.modes(point).frequencies_hz
        assert hz[hz > 0.5][0] == pytest.approx(truth, rel=1e-3)
        lin = ist.linearize(flight, point)
        poles = np.abs(lin.poles()) / (2 * np.pi)
        assert np.abs(poles - truth).min() < 1e-2 * truth
    assert bending(K, M + (FULL - FLOW * 4.5) * grain) == pytest.approx(14.358, abs=1e-3)


def test_models_at_points_are_a_set_whose_poles_are_followed(flown, tmp_path):
    """One bending mode through the burn: frequencies of the whole structure by scipy; one file gives all back."""
    (K, M, grain, _), flight, log, _ = flown
    points = ist.points(log, times=TIMES)
    models = ist.linearize(flight, points, inputs=["m.throttle"])
    assert isinstance(models, ist.LinearModelSet) and models.t.tolist() == models.values.tolist() == [
        1,
        4.5,
        9,
    ]
    np.testing.assert_array_equal(models[1].A, ist.linearize(flight, points[1], inputs=["m.throttle"]).A)
    poles = models.poles()
    truth = [bending(K, M + (FULL - FLOW * t) * grain) for t in models.t]
    column = int(np.abs(poles.frequency_hz[0] - truth[0]).argmin())
    assert poles.frequency_hz[:, column] == pytest.approx(truth, rel=1e-2)
    assert truth[2] > 1.05 * truth[0]
    models.save(tmp_path / "models.h5")
    back = ist.load(tmp_path / "models.h5")
    assert back.t.tolist() == models.t.tolist() and back.inputs == ["m.throttle"]
    np.testing.assert_array_equal(back.poles().poles, poles.poles)


def test_points_are_at_rest_under_their_thrust(flown):
    """The column under axial thrust in uniform acceleration: the full structure by statics with inertia relief."""
    (K, M, grain, shapes), flight, log, _ = flown
    flying, steady = (ist.points(log, times=[4.5], balance=how)[0] for how in (False, True))
    assert np.abs(flying["r"].etadot).max() > 0.0 and not steady["r"].etadot.any()
    now = M + (FULL - FLOW * 4.5) * grain
    f = np.zeros(6 * N)
    f[0] = THRUST
    rigid = np.zeros(6 * N)
    rigid[::6] = 1.0
    a = (rigid @ f) / (rigid @ now @ rigid)
    u = np.linalg.lstsq(K, f - now @ rigid * a, rcond=1e-12)[0]
    shortened = u[-6] - u[0]
    place = [steady.system.position(steady, "r", shapes.node_id("s", k)) for k in (1, N)]
    # axial modes below 60 Hz hold a part of the strain at the foot: within 15 %
    assert place[1][0] - place[0][0] - LENGTH == pytest.approx(shortened, rel=0.15)
    assert steady.report.accelerating and np.abs(steady.report.after).max() < 1e-9
    with warnings.catch_warnings():
        warnings.simplefilter("error", ist.FidelityWarning)
        ist.linearize(flight, steady)
    rest = ist.simulate(flight, steady, until=4.6, step="1 ms", method="ros2")
    assert rest.t[0] == 4.5
    assert np.ptp(rest["r"].eta, axis=0).max() < 0.05 * np.abs(steady["r"].eta).max()


def test_a_vehicle_alone_and_refusals(flown):
    """A mass that hangs on a spring in uniform acceleration: the spring carries m a, with the mass of the time."""
    mb = ist.Multibody("cart")
    mb.add_body("cart", mass=10.0, joint=ist.Prismatic("x"))
    mb.add_body("ball", mass=2.0, parent="cart", joint=ist.Prismatic("x", stiffness=50.0))
    system = mb.compile()

    def burning(t):
        return 10.0 - t, np.zeros(3), np.zeros((3, 3))

    log = ist.simulate(
        system, system.state(), until=4.0, step=0.01, tau={"cart": lambda t: 3.0 + t}, mass={"cart": burning}
    )
    for point in ist.points(log, [1.0, 3.0]):
        a = (3.0 + point.t) / (12.0 - point.t)
        assert point["ball"].q[0] == pytest.approx(-2.0 * a / 50.0, rel=1e-9)
        assert point.vdot[0] == pytest.approx(a, rel=1e-9)
    for call, words in (
        (lambda: ist.points(system, [1.0]), "log must be the log of a run"),
        (lambda: ist.points(log, 1.0), "times must be a list of times"),
        (lambda: ist.points(log, [9.0]), "time outside the run"),
        (lambda: ist.points(ist.load(flown[3]), [1.0]), "needs the assembly that flew"),
    ):
        with pytest.raises(ist.InterstageError, match=words):
            call()


def test_active_limits_are_named():
    """A gimbal whose command goes beyond its limit of 0.1 rad at t = 1 s: not at 0.5 s, but at 2 s."""
    mb = ist.Multibody("gimballed")
    mb.add_body("core", mass=100.0, inertia=[50, 50, 50], joint=ist.Free())
    mb.add_body("bell", mass=1.0, inertia=[1, 1, 1], parent="core", joint=ist.Universal("yz"))
    flight = ist.Assembly("gimballed", vehicle=mb.compile())
    flight.add("tvc", dev.TVC(joint="bell", bandwidth="5 Hz", limit=0.1))
    flight.add("ramp", lambda t: [0.1 * t, 0.0], out={"y": "rad[2]"}).wire({"ramp.y": "tvc.command"})
    log = ist.simulate(flight, flight.vehicle.state(), until=3.0, step="10 ms", log_step="0.5 s")
    with pytest.warns(ist.FidelityWarning, match=r"active at 1 of 2 points.*t = 2 s: 'tvc' \(TVC\): command"):
        found = ist.points(log, times=[0.5, 2.0], balance=False)
    assert found.limits[0] == () and "command[0] = 0.2 rad is not within" in found.limits[1][0]
    assert str(found).splitlines()[1].endswith("none")
