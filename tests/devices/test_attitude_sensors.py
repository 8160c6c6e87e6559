"""Star tracker, sun sensor, magnetometer, magnetic torquer: exact where they are ideal, their noise as declared."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev

ATTITUDE = np.array([0.5, -0.5, 0.5, 0.5])
MOUNT = ist.Rotation.from_rotation_vector([0.3, -0.2, 0.5])
R = ist.Rotation.from_quaternion(ATTITUDE).matrix @ MOUNT.matrix  # world from sensor


@pytest.fixture(scope="module")
def bus():
    mb = ist.Multibody("bus")
    mb.add_body("bus", mass=10.0, inertia=[2.0, 2.0, 2.0], joint=ist.Free())
    return mb.compile()


def run(bus, device, rate=(0, 0, 0), until=1, every="0.1 s", seed=0):
    x = bus.state()
    x["bus"].quaternion[:] = ATTITUDE
    x["bus"].velocity[:3] = rate
    made = ist.Assembly("x", vehicle=bus, seed=seed).add("s", device, every=every)
    return ist.simulate(made, x, until=until, step="0.1 s")


def test_a_star_tracker_says_the_attitude_and_its_error(bus):
    log = run(
        bus, dev.StarTracker(at="bus", mount=MOUNT, bias=[1e-3, 0, -2e-3], noise="20 arcsec"), until=500
    )
    truth = ist.Rotation.from_matrix(R)
    for k in (0, 7, -1):
        seen = ist.Rotation.from_quaternion(log["s.quaternion"][k])
        assert (truth.inverse @ seen).rotation_vector == pytest.approx(log["s.error"][k], abs=1e-12)
    sigma = 20.0 * np.pi / 648000.0
    assert log["s.error"].mean(axis=0) == pytest.approx([1e-3, 0, -2e-3], abs=5 * sigma / np.sqrt(5000))
    assert log["s.error"].std(axis=0) == pytest.approx(sigma, rel=0.05)  # 5,000 samples: 1 % each
    assert np.abs(np.corrcoef(log["s.error"].T) - np.eye(3)).max() < 0.06


def test_noise_belongs_to_the_seed(bus):
    def noise(seed):
        return run(bus, dev.StarTracker(at="bus", noise=1e-3), seed=seed)["s.error"]

    assert (noise(1) == noise(1)).all() and (noise(1) != noise(2)).all()


def test_a_star_tracker_is_blind_when_it_turns_fast(bus):
    for rate, valid in ((0.01, 1.0), (0.03, 0.0)):
        log = run(bus, dev.StarTracker(at="bus", max_rate=0.02), rate=[0, rate, 0])
        assert (log["s.valid"] == valid).all()


def test_a_late_star_tracker_is_seen_late(bus):
    """The law sees what was sampled 50 ms before: the turn of that time is its error."""
    made = ist.Assembly("x", vehicle=bus)
    made.add("s", dev.StarTracker(at="bus", delay="50 ms"), every="0.1 s")
    made.add("law", lambda t, q: q, every="50 ms", out={"seen": "1[4]"}).wire({"s.quaternion": "law.q"})
    x = bus.state()
    x["bus"].velocity[:3] = [0, 0, 0.2]
    log = ist.simulate(made, x, until=1, step="50 ms")
    seen = [ist.Rotation.from_quaternion(q).rotation_vector[2] for q in log["law.seen"][1:]]
    t = log.times("law.seen")[1:]
    assert seen == pytest.approx(0.2 * np.floor((t - 0.05) / 0.1 + 1e-9) * 0.1, abs=1e-9)


def test_a_sun_sensor_sees_two_angles(bus):
    sun = R @ (s := np.array([0.2, -0.3, 0.9]) / np.linalg.norm([0.2, -0.3, 0.9]))
    log = run(bus, dev.SunSensor(at="bus", mount=MOUNT, sun=sun))
    assert log["s.angles"][-1] == pytest.approx(np.arctan2(s[:2], s[2]), abs=1e-14)
    assert log["s.direction"][-1] == pytest.approx(s, abs=1e-14) and log["s.valid"].all()
    noisy = run(
        bus, dev.SunSensor(at="bus", mount=MOUNT, sun=sun, noise="0.1 deg", step="0.5 deg"), until=500
    )
    steps = noisy["s.angles"] / np.radians(0.5)
    assert steps == pytest.approx(np.rint(steps), abs=1e-9)
    assert noisy["s.angles"].mean(axis=0) == pytest.approx(np.arctan2(s[:2], s[2]), abs=np.radians(0.15))


@pytest.mark.parametrize(
    ("angle", "light", "valid"), [(59, 1, 1), (61, 1, 0), (10, 0.4, 0), (-59, 1, 1), (179, 1, 0)]
)
def test_a_sun_sensor_has_a_field_of_view_and_eclipses(bus, angle, light, valid):
    a = np.radians(angle)
    sun = R @ [np.sin(a), 0.0, np.cos(a)]
    log = run(bus, dev.SunSensor(at="bus", mount=MOUNT, sun=sun, light=light))
    assert (log["s.valid"] == valid).all()


@pytest.mark.parametrize(("beside", "valid"), [(-1.0, 0), (-0.1, 0), (0.1, 1), (1.1, 1)])
def test_a_sun_sensor_does_not_see_through_the_earth(bus, beside, valid):
    """The sun's centre is `beside` of its angular radii above the Earth's limb; at the limb half of the disk is lit.

    But for the limb's curvature: Earth and sun have angular radii of 19 and 0.27 deg, 0.3 % of the disk.
    """
    far, near, radius = 1.5e11, 2e7, 6378137.0
    angle = np.arcsin(radius / near) + beside * np.arcsin(6.957e8 / far)
    sun, r = R @ [0.0, 0.0, far], R @ [near * np.sin(angle), 0.0, -near * np.cos(angle)]
    log = run(bus, dev.SunSensor(at="bus", mount=MOUNT, sun=sun, from_center=r))
    assert (log["s.valid"] == valid).all()
    if valid:  # seen from where it is
        assert log["s.angles"][-1, 0] == pytest.approx(np.arctan2(-near * np.sin(angle), far), rel=1e-3)


def test_a_magnetometer_says_the_field_in_its_axes(bus):
    B, S, e, b = np.array([2e-5, -3e-5, 1e-5]), [1e-3, 2e-3, -1e-3], np.array([1e-3, -2e-3, 0]), 1e-7
    log = run(
        bus, dev.Magnetometer(at="bus", mount=MOUNT, field=B, scale_factor=S, misalignment=e, bias=[b] * 3)
    )
    skew = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    exact = (np.eye(3) + np.diag(S)) @ (np.eye(3) + skew) @ R.T @ B + b
    assert log["s.measured"][-1] == pytest.approx(exact, abs=1e-18)
    noisy = run(bus, dev.Magnetometer(at="bus", field=B, noise="10 nT", step="1 nT"), until=500)
    counts = noisy["s.measured"] / 1e-9
    assert counts == pytest.approx(np.rint(counts), abs=1e-6)
    assert noisy["s.measured"].std(axis=0) == pytest.approx(np.sqrt(1e-16 + 1e-18 / 12), rel=0.05)


def test_a_dipole_in_a_field_is_a_compass(bus):
    """A dipole along z beside a field along z of the world swings about it: ω² = m B / I, for small angles."""
    made = ist.Assembly("x", vehicle=bus)
    made.add("m", dev.MagneticTorquer(at="bus", dipole=[0, 0, 300.0], limit=200.0, field=[0, 0, 1e-2]))
    x = bus.state()
    x["bus"].quaternion[:] = ist.Rotation.from_rotation_vector([1e-3, 0, 0]).quaternion
    log = ist.simulate(made, x, until=10, step="10 ms")
    exact = -1e-3 * np.sqrt(200.0 * 1e-2 / 2.0) * np.sin(log.t)
    assert log["bus"].velocity[:, 0] == pytest.approx(exact, abs=2e-9)  # θ³/6 of 1e-3
    plain = dev.MagneticTorquer(
        at="bus", dipole=[1.0, 2.0, -3.0], residual=[0.1, 0, 0], field=[1e-5, 2e-5, -4e-5]
    )
    made = ist.Assembly("x", vehicle=bus).add("m", plain)
    x["bus"].quaternion[:] = ATTITUDE
    log = ist.simulate(made, x, until=1, step="1 s")
    B = ist.Rotation.from_quaternion(ATTITUDE).matrix.T @ [1e-5, 2e-5, -4e-5]
    assert log["m.torque"][0] == pytest.approx(np.cross([1.1, 2.0, -3.0], B), abs=1e-18)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: dev.StarTracker(at="x", noise="-2 arcsec"), "StarTracker.noise must be at least 0.0"),
        (lambda: dev.StarTracker(at="x", noise="2 m"), "the units do not fit"),
        (lambda: dev.StarTracker(at="x", every="0 s"), "StarTracker, every must be a positive time"),
        (
            lambda: dev.StarTracker(at="x", delay="-1 s"),
            "StarTracker, delay must be a time that is not negative",
        ),
        (lambda: dev.SunSensor(at="x", field_of_view=0), "SunSensor.field_of_view must be above 0.0"),
        (lambda: dev.Magnetometer(at="x", step=-1), "Magnetometer.step must be at least 0.0"),
        (lambda: dev.MagneticTorquer(at="x", limit=-1), "MagneticTorquer.limit must be at least 0.0"),
    ],
)
def test_sensors_that_cannot_be_are_refused(make, said):
    with pytest.raises(ist.InterstageError, match=said):
        make()


@pytest.mark.parametrize("s", [[0.5, -0.3, -0.4], [-0.2, 0.1, -0.9], [0.8, 0.6, 1e-3], [1.0, 0.0, 0.0]])
def test_a_wide_sun_sensor_points_at_the_sun_behind_it(bus, s):
    s = np.array(s) / np.linalg.norm(s)
    log = run(bus, dev.SunSensor(at="bus", mount=MOUNT, sun=R @ s, field_of_view="179 deg"))
    assert log["s.valid"].all()
    # angles have rounding of 1e-16; at 1e-3 of 90 deg the direction has a thousand times that
    assert log["s.direction"][-1] == pytest.approx(s, abs=1e-12)


def test_angles_that_say_no_direction_are_not_valid(bus):
    """At 90 deg in both axes any direction across gives the same angles."""
    log = run(bus, dev.SunSensor(at="bus", mount=MOUNT, sun=R @ [0.8, 0.6, 0.0], field_of_view="100 deg"))
    assert not log["s.valid"].any()
    s = np.array([0.8, 0.6, 2e-3]) / np.linalg.norm([0.8, 0.6, 2e-3])
    noisy = run(
        bus,
        dev.SunSensor(at="bus", mount=MOUNT, sun=R @ s, field_of_view="100 deg", noise="0.2 deg"),
        until=200,
    )
    valid = noisy["s.valid"] > 0.5
    assert 20 < valid.sum() < len(valid)
    # angles on different sides of 90 deg would point away: what is valid is on the sun's side across the boresight
    assert (noisy["s.direction"][valid, :2] > 0.0).all()
