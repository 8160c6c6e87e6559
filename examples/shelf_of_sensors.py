"""Sensors of the shelf and their errors: gyros by their Allan deviation, star tracker, encoder, line of sight.

A gyro at rest is logged for a day with one error term at a time; its Allan deviation falls and rises as each term says.
The others look at a body that turns slowly.

    python examples/shelf_of_sensors.py

Draws shelf_of_sensors.png.
"""

from __future__ import annotations

import numpy as np

import interstage as ist
from interstage import devices as dev
from interstage.report.plots import BLUE, GREY, ORANGE, dress, new_figure

TERMS = {
    "angle_random_walk": (2e-4, lambda c, tau: c / np.sqrt(tau)),
    "rate_random_walk": (1e-6, lambda c, tau: c * np.sqrt(tau / 3.0)),
    "bias_stability": (2e-5, lambda c, tau: 0.664 * c + 0.0 * tau),
    "rate_ramp": (1e-9, lambda c, tau: c * tau / np.sqrt(2.0)),
    "angle_white_noise": (1e-4, lambda c, tau: np.sqrt(3.0) * c / tau),
}
HOURS = 24 * 3600
TAUS = np.unique(np.logspace(0, 4, 25).astype(int))


def allan_deviation(theta: np.ndarray, m: int) -> float:
    """Return the overlapping Allan deviation at m seconds of angles (n, axes), one a second."""
    second = theta[2 * m :] - 2.0 * theta[m:-m] + theta[: -2 * m]
    return float(np.sqrt((second**2).mean() / (2.0 * m**2)))


def resting_gyros() -> dict[str, np.ndarray]:
    """Return accumulated angles of gyros at rest, one error term each."""
    mb = ist.Multibody("bench")
    mb.add_body("bench", mass=1.0, inertia=np.eye(3), joint=ist.Locked())
    made = ist.Assembly("gyros", vehicle=mb.compile(), seed=5)
    for name, (value, _) in TERMS.items():
        made.add(name, dev.Gyro(at="bench", **{name: value}), every=1)
    log = ist.simulate(made, None, until=HOURS, step=1, log_step=HOURS, keep=["*.delta_angle"])
    return {name: np.cumsum(log[f"{name}.delta_angle"], axis=0) for name in TERMS}


def turning_body():
    """Return the log of a body that turns slowly under sensors of all kinds."""
    mb = ist.Multibody("bus", gravity=[0, 0, -9.80665])
    mb.add_body("bus", mass=50.0, inertia=[8, 8, 8], joint=ist.Revolute("x"))
    bus = mb.compile()
    made = ist.Assembly("sensors", vehicle=bus, seed=3)
    noise = {"angle_random_walk": 3e-4, "accelerometer": {"velocity_random_walk": 0.01}}
    made.add("imu", dev.IMU(at=("bus", [0, 1.0, 0]), every="0.1 s", **noise))
    made.add("star", dev.StarTracker(at="bus", noise="20 arcsec", max_rate=0.05), every="0.5 s")
    made.add("sun", dev.SunSensor(at="bus", sun=[0, 0, 1], noise="0.3 deg", step="0.5 deg"), every="0.5 s")
    made.add("encoder", dev.Encoder(joint="bus", counts=64), every="0.1 s")
    made.add(
        "gps", dev.GPS(at=("bus", [0, 5.0, 0]), noise="0.2 m", drift="0.4 m", drift_time="10 s"), every=1
    )
    made.add(
        "mag", dev.Magnetometer(at="bus", field=[2e-5, 0, 3e-5], noise="0.4 uT", step="0.2 uT"), every="0.5 s"
    )
    return ist.simulate(made, bus.state(v=[0.02]), until=60, step="0.1 s", log_step="0.1 s")


def steered_mirror():
    """Return the log of a fold mirror that swings on a spring, and of where its telescope looks."""
    mb = ist.Multibody("telescope")
    mb.add_body("bench", mass=20.0, inertia=[2, 2, 2], joint=ist.Locked())
    hinge = ist.Revolute("y", stiffness=4.0, damping=0.02)
    mb.add_body("mirror", mass=0.3, inertia=[0.01] * 3, parent="bench", at=[0, 0, 0.5], joint=hinge)
    telescope = mb.compile()
    twice = np.zeros((2, 2, 3))
    twice[1, 0, 1] = 2.0  # a mirror that turns about y moves the ray by twice its angle along x
    made = ist.Assembly("los", vehicle=telescope).add(
        "los", dev.LineOfSight(at=["bench", "mirror"], rotation=twice)
    )
    return ist.simulate(made, telescope.state(q=[1e-4]), until=4, step="5 ms")


def main() -> None:
    """Run, draw, and compare."""
    figure = new_figure(13.0, 6.4)
    panels = figure.subplots(2, 4)
    first, others = panels[0, 0], panels.ravel()[1:]
    angles = resting_gyros()
    for k, (name, (value, law)) in enumerate(TERMS.items()):
        found = [allan_deviation(angles[name], int(m)) for m in TAUS]
        first.loglog(TAUS, found, ".", color=f"C{k}", label=name.replace("_", " "), markersize=4)
        first.loglog(TAUS, law(value, TAUS.astype(float)), color=f"C{k}", linewidth=0.8)
    first.set_ylim(1e-9, 1e-3)
    dress(first, "averaging time, s", "rad/s", "Gyro: Allan deviation", legend=True)
    first.legend(frameon=False, fontsize=6)

    log = turning_body()
    angle = log["bus"].q[:, 0]
    exact = {
        name: np.interp(log.times(name), log.t, angle)
        for name in ("sun.angles", "encoder.angle", "gps.position")
    }
    t = log.times("imu.acceleration")
    others[0].plot(t, log["imu.acceleration"][:, 2], ".", color=GREY, markersize=2)
    others[0].plot(log.t, 9.80665 * np.cos(angle), color=BLUE)
    dress(others[0], "time, s", "m/s²", "Accelerometer (IMU): up")
    others[1].plot(log.times("star.error"), np.degrees(log["star.error"]) * 3600, ".", markersize=3)
    dress(others[1], "time, s", "arcsec", "StarTracker: error")
    others[2].plot(
        log.times("sun.angles"), np.degrees(log["sun.angles"][:, 1]), ".", color=ORANGE, markersize=3
    )
    others[2].plot(log.t, np.degrees(angle), color=GREY, linewidth=0.8)
    others[2].set_ylim(-5, 75)
    dress(others[2], "time, s", "deg", "SunSensor: 60 deg of view")
    others[3].step(log.times("encoder.angle"), np.degrees(log["encoder.angle"]), color=BLUE, where="post")
    others[3].plot(log.t, np.degrees(angle), color=GREY, linewidth=0.8)
    dress(others[3], "time, s", "deg", "Encoder: 64 counts a turn")
    others[4].plot(log["gps.position"][:, 1], log["gps.position"][:, 2], ".", color=ORANGE)
    others[4].plot(5 * np.cos(angle), 5 * np.sin(angle), color=GREY, linewidth=0.8)
    dress(others[4], "y, m", "z, m", "GPS: an antenna on an arm of 5 m")
    others[5].plot(log.times("mag.measured"), log["mag.measured"] * 1e6, linewidth=0.8)
    dress(others[5], "time, s", "µT", "Magnetometer")
    swing = steered_mirror()
    others[6].plot(swing.t, swing["los.angles"][:, 0] * 1e6, color=BLUE, label="line of sight")
    others[6].plot(swing.t, swing["mirror"].q[:, 0] * 1e6, color=GREY, linewidth=0.8, label="mirror")
    dress(others[6], "time, s", "µrad", "LineOfSight: a mirror on a spring", legend=True)
    figure.savefig("shelf_of_sensors.png", dpi=110)

    found = allan_deviation(angles["angle_random_walk"], 16) * 4.0
    print(f"angle random walk {found:.2e}, as set {TERMS['angle_random_walk'][0]:.2e} rad/sqrt(s)")
    worst = np.abs(log["encoder.angle"] - exact["encoder.angle"]).max() * 64 / (2 * np.pi)
    print(f"largest error of the encoder {worst:.3f} counts")
    assert abs(found / TERMS["angle_random_walk"][0] - 1.0) < 0.03
    assert worst < 0.5001
    assert np.abs(swing["los.angles"][:, 0] - 2.0 * swing["mirror"].q[:, 0]).max() < 1e-10


if __name__ == "__main__":
    main()
