"""Gyros, accelerometers, the IMU: increments in closed form, and every error term found again by its Allan variance."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import Motor, Rail, Wrench, cart

import interstage as ist
from interstage import devices as dev

N = 2**17


def allan(theta: np.ndarray, T: float, m: int) -> float:
    """Return the overlapping Allan variance of the rate at τ = mT, from angles (n, axes) (IEEE Std 952, C.2)."""
    second = theta[2 * m :] - 2.0 * theta[m:-m] + theta[: -2 * m]
    return float((second**2).mean() / (2.0 * (m * T) ** 2))


@pytest.fixture(scope="module")
def ground():
    mb = ist.Multibody("ground", gravity=[0, 0, -9.80665])
    mb.add_body("ground", mass=1.0, inertia=np.eye(3), joint=ist.Locked())
    return mb.compile()


TERMS = {
    "angle_random_walk": 3e-4,
    "rate_random_walk": 2e-5,
    "bias_stability": 4e-4,
    "rate_ramp": 1e-7,
    "angle_white_noise": 5e-5,
}


@pytest.fixture(scope="module")
def angles(ground):
    """Accumulated angles (n, 3) of a gyro at rest for each term alone, one second a sample, all in one run."""
    made = ist.Assembly("all", vehicle=ground, seed=11)
    for name, value in TERMS.items():
        made.add(name, dev.Gyro(at="ground", flicker_from=2.0, **{name: value}), every=1)
    log = ist.simulate(made, None, until=N, step=1, log_step=N, keep=["*.delta_angle"])
    return {name: np.cumsum(log[f"{name}.delta_angle"], axis=0) for name in TERMS}


# σ²(τ) of each term (IEEE Std 952-1997, C.3), averaging times in samples, and what scatter leaves: the relative
# error of a variance is about √(m / n) for n = 3·2¹⁷ samples
LAWS = {
    "angle_random_walk": (lambda c, tau: c**2 / tau, [1, 2, 4, 8, 16], 0.02),
    "rate_random_walk": (lambda c, tau: c**2 * tau / 3.0, [16, 32, 64, 128], 0.05),
    "bias_stability": (lambda c, tau: c**2 * 2.0 * np.log(2.0) / np.pi, [16, 32, 64, 128, 256], 0.1),
    "rate_ramp": (lambda c, tau: c**2 * tau**2 / 2.0, [8, 64, 512, 4096], 1e-5),
    "angle_white_noise": (lambda c, tau: 3.0 * c**2 / tau**2, [1, 2, 4, 8, 16], 0.02),
}


@pytest.mark.parametrize("name", TERMS)
def test_allan_variance_finds_each_coefficient(name, angles):
    law, lengths, tolerance = LAWS[name]
    found = [allan(angles[name], 1.0, m) / law(TERMS[name], float(m)) for m in lengths]
    if name == "rate_random_walk":
        # the drift is constant in a sample: 1/m² of the variance
        lengths = np.array(lengths)
        found = np.array(found) / (1.0 + 0.5 / lengths**2)
    assert np.sqrt(found) == pytest.approx(1.0, abs=tolerance)


@pytest.mark.parametrize("name", TERMS)
def test_another_estimator_of_the_allan_deviation_agrees(name, angles):
    allantools = pytest.importorskip("allantools")
    lengths = [1, 4, 16, 64, 256]
    for axis in range(3):
        theta = angles[name][:, axis]
        taus, theirs, _, _ = allantools.oadev(theta, rate=1.0, data_type="phase", taus=lengths)
        ours = [np.sqrt(allan(theta[:, None], 1.0, int(m))) for m in taus]
        assert ours == pytest.approx(theirs, rel=1e-9)


@pytest.fixture(scope="module")
def sweep():
    """A disk whose rate sweeps, with gyros that round; and the exact angle."""
    mb = ist.Multibody("disk")
    mb.add_body("disk", mass=1.0, inertia=[1, 1, 1], joint=ist.Revolute("z"))
    disk = mb.compile()
    lsb = 1e-3
    made = ist.Assembly("sweep", vehicle=disk).add("torque", Torque(joint="disk"))
    made.add("rounds", dev.Gyro(at="disk", quantization=lsb / np.sqrt(12.0)), every="10 ms")
    made.add("counts", dev.Gyro(at="disk", counter=(lsb, 6)), every="10 ms")
    log = ist.simulate(made, disk.state(v=[0.1]), until=200, step="10 ms", log_step="10 ms")
    return log, lsb


class Torque(ist.Device):
    joint = ist.JointRef()
    torque = joint.force()

    def outputs(d, t):
        d.torque = 0.0123


def test_quantization_of_a_sweeping_rate(sweep):
    """Rounding keeps its residue: white noise of LSB/√12 of the angle, 3Q²/τ², and no drift."""
    log, lsb = sweep
    for name in ("rounds", "counts"):
        error = np.cumsum(log[f"{name}.delta_angle"][:, 2]) - log["disk"].q[:, 0]
        assert np.abs(error).max() < 0.5001 * lsb
        for m in (1, 2, 4):
            size = np.sqrt(allan(error[:, None], 0.01, m) * (m * 0.01) ** 2 / 3.0)
            assert size == pytest.approx(lsb / np.sqrt(12.0), rel=0.03)  # 20,000 samples


def test_the_register_wraps_and_increments_do_not(sweep):
    log, lsb = sweep
    exact = np.rint(log["disk"].q[:, 0] / lsb)
    off = np.abs(log["counts.register"][:, 2] - exact % 64)
    assert np.minimum(off, 64 - off).max() <= 1 and (off > 0).mean() < 1e-3  # ties of rounding
    assert log["counts.register"].max() < 64 and np.abs(np.diff(exact)).max() < 32


def test_scale_factor_misalignment_bias_and_mount():
    """Δθ = (1 + S)(1 + ε×) Cᵀ ω T + b T, found by regression on known rates."""
    mb = ist.Multibody("ball")
    mb.add_body("ball", mass=1.0, inertia=[1, 1, 1], joint=ist.Free())
    ball = mb.compile()
    S, e, b = np.array([1e-3, -2e-3, 3e-3]), np.array([2e-3, -1e-3, 4e-3]), np.array([1e-4, 2e-4, -3e-4])
    C = ist.Rotation.from_rotation_vector([0.3, -0.2, 0.5])
    gyro = dev.Gyro(at="ball", mount=C, scale_factor=S, misalignment=e, bias=b)
    made = ist.Assembly("x", vehicle=ball).add("g", gyro, every="0.1 s")
    rates = np.vstack([np.eye(3), np.zeros(3)])
    found = []
    for w in rates:
        x = ball.state()
        x["ball"].velocity[:3] = w
        found.append(ist.simulate(made, x, until=1, step="10 ms")["g.delta_angle"][-1])
    found = np.array(found)
    skew = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    M = (found[:3] - found[3]).T / 0.1
    np.testing.assert_allclose(M, np.diag(1 + S) @ (np.eye(3) + skew) @ C.matrix.T, atol=1e-12)
    assert found[3] / 0.1 == pytest.approx(b, abs=1e-15)


def test_attitude_by_increments_follows_the_body():
    """Increments are added as if the axis stood still in a sample: coning of T² ω × ω̇ / 12 a second, and no more."""
    mb = ist.Multibody("top")
    mb.add_body("top", mass=1.0, inertia=[1.0, 2.0, 2.5], joint=ist.Free())
    top = mb.compile()
    C = ist.Rotation.from_rotation_vector([0.4, 0.0, -0.7])
    made = ist.Assembly("x", vehicle=top)
    for name, every in (("slow", "20 ms"), ("quick", "10 ms")):
        made.add(name, dev.Gyro(at="top", mount=C), every=every)
    x = top.state()
    x["top"].quaternion[:] = [0.5, 0.5, -0.5, 0.5]
    x["top"].velocity[:3] = [0.4, 0.02, -0.3]
    log = ist.simulate(made, x, until=5, step="5 ms")
    exact = top.rotation(log.state(-1), "top") @ C.matrix
    slow, quick = (
        np.abs(ist.Rotation.from_quaternion(log[f"{name}.attitude"][-1]).matrix - exact).max()
        for name in ("slow", "quick")
    )
    assert quick < 2e-6 and slow / quick == pytest.approx(4.0, rel=0.01)
    start = top.rotation(x, "top") @ C.matrix
    assert ist.Rotation.from_quaternion(log["slow.attitude"][0]).matrix == pytest.approx(start, abs=1e-14)


def test_accelerometers_feel_all_but_gravity(ground):
    made = ist.Assembly("x", vehicle=ground).add("a", dev.Accelerometer(at="ground"), every="10 ms")
    log = ist.simulate(made, None, until=0.1, step="5 ms")
    assert log["a.acceleration"] == pytest.approx(np.tile([0, 0, 9.80665], (11, 1)), abs=1e-12)
    mb = ist.Multibody("falling", gravity=[1, 2, -9.80665])
    mb.add_body("bus", mass=10.0, com=[0.1, 0, 0], inertia=[1, 2, 2.5], joint=ist.Free())
    bus = mb.compile()
    x = bus.state()
    x["bus"].velocity[:3] = [0.5, -0.4, 0.3]
    point = [0.3, -0.2, 0.6]
    made = ist.Assembly("x", vehicle=bus)
    made.add("com", dev.Accelerometer(at=("bus", [0.1, 0, 0])), every="10 ms")
    made.add("there", dev.Accelerometer(at=("bus", point)), every="10 ms")
    made.add("lever", dev.Accelerometer(at="bus", lever=point), every="10 ms")
    log = ist.simulate(made, x, until=1, step="5 ms", log_step="10 ms")
    assert np.abs(log["com.acceleration"]).max() < 1e-12
    # the lever arm by α × r + ω × (ω × r), the point itself by the kinematics of the engine
    assert log["lever.acceleration"] == pytest.approx(log["there.acceleration"], abs=1e-12)
    assert np.abs(log["there.acceleration"]).max() > 0.1
    w = log["bus"].velocity[0, :3]
    alpha = -np.cross(w, [1.0, 2.0, 2.5] * w) / [1.0, 2.0, 2.5]
    r = np.array(point) - [0.1, 0, 0]
    assert log["there.acceleration"][0] == pytest.approx(
        np.cross(alpha, r) + np.cross(w, np.cross(w, r)), abs=1e-12
    )


def test_errors_of_accelerometers_are_those_of_gyros(ground):
    """One text for both: the same numbers for the same coefficients, but for the specific force."""
    names = ("velocity_random_walk", "acceleration_random_walk", "bias_stability", "ramp")
    pushes = dev.Accelerometer(at="ground", **dict.fromkeys(names, 1e-3), counter=(1e-4, 12))
    names = ("angle_random_walk", "rate_random_walk", "bias_stability", "rate_ramp")
    turns = dev.Gyro(at="ground", **dict.fromkeys(names, 1e-3), counter=(1e-4, 12))
    found = []
    for what, name in ((pushes, "delta_velocity"), (turns, "delta_angle")):
        made = ist.Assembly("x", vehicle=ground, seed=2).add("it", what, every="10 ms")
        log = ist.simulate(made, None, until=20, step="10 ms")
        found.append(np.cumsum(log[f"it.{name}"][:, :2], axis=0)[-1])
    assert found[0] == pytest.approx(found[1], abs=1e-12) and np.abs(found[0]).min() > 1e-3


def test_an_imu_is_both_and_ideal_where_derivatives_are_taken():
    mb = ist.Multibody("rocket", gravity=[0, 0, -9.81])
    mb.add_body("bus", mass=10.0, inertia=[4.0, 4.0, 1.0], joint=ist.Free())
    bus = mb.compile()
    imu = dev.IMU(
        at=("bus", [0, 0, 1.0]), every="5 ms", angle_random_walk="0.005 deg/sqrt(h)", counter=("1e-7 rad", 16)
    )
    made = ist.Assembly("x", vehicle=bus).add("imu", imu).add("push", Wrench(at=("bus", [0, 0, -1.0])))
    x0 = ist.trim(made, bus.state(), set={"push.force": [0, 0, 98.1]})
    lin = ist.linearize(made, x0, inputs="push.force", outputs=["imu.rate", "imu.acceleration"])
    assert len(lin.states) == 12  # what an ideal sensor integrates is no state
    at_hover = lin.frequency_response([1.0])[0]
    # a side force of 1 N at 1 m below turns by 1/(4 s) and pushes by 1/10 at the centre, and by 1/4 at the sensor
    s = 2j * np.pi
    expected = -0.25 / s
    assert at_hover[1, 0] == pytest.approx(expected, rel=1e-9)
    assert at_hover[3, 0].real == pytest.approx(0.1 - 0.25, rel=1e-9)
    log = ist.simulate(made, x0, until=1, step="5 ms")
    assert log["imu.rate"].shape == (201, 3) and log["imu.acceleration"][-1, 2] == pytest.approx(
        9.81, abs=1e-9
    )


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: dev.Gyro(at="x", angle_random_walk=-1), "Gyro.angle_random_walk must be at least 0.0"),
        (lambda: dev.Gyro(at="x", angle_random_walk="1 deg/h"), "the units do not fit"),
        (lambda: dev.Gyro(at="x", flicker_from=0), "Gyro.flicker_from must be above 0.0"),
        (lambda: dev.Gyro(at="x", counter=(1e-7, 99)), "Gyro.bits must be at most 62.0"),
        (lambda: dev.Gyro(at="x", counter=(1e-7, 16.5)), "Gyro.bits is a whole number; got 16.5"),
        (lambda: dev.IMU(at="x"), "an IMU is sampled .*; expected a period"),
        (lambda: dev.Gyro(at="x", counter=(1, 2, 3)), r"Gyro.counter does not fit; expected \(step, bits\)"),
        (lambda: dev.Gyro(at="x", mount=[0, 0, 0, 0]), "Gyro.mount is no attitude"),
        (lambda: dev.Accelerometer(at="x", lever=[1, 2]), r"the size does not fit \(Accelerometer.lever\)"),
        (lambda: dev.IMU(at="x", every=0), "Gyro, every must be a positive time"),
        (lambda: dev.IMU(at="x", every=1, accelerometer={"noise": 1}), "Accelerometer has no 'noise'"),
    ],
)
def test_inertial_sensors_that_cannot_be_are_refused(make, said):
    with pytest.raises(ist.InterstageError, match=said):
        make()


@pytest.mark.parametrize("offset", ["0 s", "50 ms"])
def test_samples_of_a_gyro_are_means_where_a_frame_is_linearized(offset):
    """Rate feedback through a delay of one sample: J ω̇ = -K ω̄, z³ - z² + k/2 z + k/2 = 0, k = KT/J, with the mean ω̄.

    Where the gyro samples half a period after the software, the mean of (n-½) is that of a ramp of which the software's
    command changes the slope half way: compared with the growth of a run.
    """
    mb = ist.Multibody("wheel")
    mb.add_body("bus", mass=10.0, inertia=[2.0, 2.0, 2.0], joint=ist.Revolute("z"))
    wheel = mb.compile()
    made = ist.Assembly("a", vehicle=wheel).add("imu", dev.IMU(at="bus", every="100 ms", offset=offset))
    made.add("motor", Motor(joint="bus")).add(
        "law", lambda t, w: -18.0 * w[2], every="100 ms", out={"u": "N*m"}
    )
    made.wire({"imu.rate": "law.w"}).wire({"law.u": "motor.command"}, delay="1 samples")
    lin = ist.linearize(made, wheel.state(), sampled=True, step="10 ms")
    moving = np.sort_complex([z for z in lin.poles() if abs(z - 1.0) > 1e-9 and abs(z) > 1e-9])
    largest = np.abs(moving).max()
    if offset == "0 s":
        assert moving == pytest.approx(np.sort_complex(np.roots([1.0, -1.0, 0.45, 0.45])), abs=1e-9)
        assert np.sum(np.abs(lin.poles() - 1.0) < 1e-9) == 1  # the angle, and nothing that the sensor keeps
    x = wheel.state()
    x["bus"].v[:] = 1e-3
    log = ist.simulate(made, x, until=40, step="10 ms")
    w = np.abs(log["bus"].v[:, 0])
    assert (w[-1000:].max() / w[2000:3000].max()) ** 0.01 == pytest.approx(largest, rel=2e-3)  # by peaks
    assert largest > 1.0


def test_samples_of_an_accelerometer_are_means_where_a_frame_is_linearized():
    """Force of -k ā, half a period late, on a mass of 1 kg: ā⁺⁺ = -k (ā⁺ + ā)/2, z² + k/2 z + k/2 = 0."""
    system = cart(1.0)
    made = ist.Assembly("a", vehicle=system).add("acc", dev.Accelerometer(at="cart"), every="100 ms")
    made.add("motor", Rail(joint="cart"))
    made.add("law", lambda t, a: -0.8 * a[0], every="100 ms", offset="50 ms", out={"u": "N"})
    made.wire({"acc.acceleration": "law.a", "law.u": "motor.command"})
    poles = ist.linearize(made, system.state(), sampled=True, step="10 ms").poles()
    moving = np.sort_complex([z for z in poles if 1e-6 < abs(z) < 1.0 - 1e-6])
    assert moving == pytest.approx(np.sort_complex(np.roots([1.0, 0.4, 0.4])), abs=1e-9)
