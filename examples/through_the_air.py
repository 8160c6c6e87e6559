"""Fly a sounding rocket through wind and gusts: Earth, atmosphere, aerodynamics, guidance from a table, slosh.

A rocket of 6 t with fins flies from a site at 28.6° N. It stands in the moving frame of the Earth, feels the standard
atmosphere, a wind profile, turbulence and one large gust; forces of the air act at three places along it. Guidance is a
trajectory table of pitch, and a plain law turns the thrust, with gains of least cost. Its propellant sloshes in a
cylinder as a pendulum.

    python examples/through_the_air.py

Draws the flight into through_the_air.png.
"""

from __future__ import annotations

import numpy as np

import interstage as ist
from interstage import devices as dev
from interstage.report.plots import BLUE, COLORS, GREY, ORANGE, dress, new_figure

SITE, HEADING, UNTIL = (28.6, -80.6), "90 deg", 60
WIND = {
    "altitude": [0, 2e3, 6e3, 11e3, 16e3, 30e3],
    "north": [2, 4, 6, 10, 4, 0],
    "east": [3, 8, 22, 40, 18, 5],
}
MACH, ANGLE = np.array([0.0, 0.8, 1.1, 1.6, 3.0, 6.0]), np.radians([0.0, 5.0, 10.0, 20.0, 90.0, 180.0])
DRAG = np.array([0.30, 0.35, 0.65, 0.50, 0.35, 0.28])
THRUST, LEVER, INERTIA = 130e3, 5.0, 6.0e4


class Thrust(ist.Device):
    """A force along the body, turned by two small angles."""

    at = ist.Site()
    level = ist.Parameter("N", THRUST)
    gimbal = ist.In("rad", 2)
    force = at.force("node")

    def outputs(d, t):
        d.force[0] = d.level * (1.0 - 0.5 * (d.gimbal[0] ** 2 + d.gimbal[1] ** 2))
        d.force[1] = d.level * d.gimbal[0]
        d.force[2] = d.level * d.gimbal[1]


class Gyro(ist.Device):
    """Attitude and rate, sampled without errors."""

    at = ist.Site()
    q, w = at.attitude(), at.rate("body")
    attitude, rate = ist.Out("", 4), ist.Out("rad/s", 3)

    def sample(d, t):
        d.attitude[:] = d.q
        d.rate[:] = d.w


def rocket() -> ist.System:
    """Return the rocket, nose along x, with 2 t of fluid in a cylinder of 0.5 m radius."""
    mb = ist.Multibody("rocket")
    mb.add_body("core", mass=4000.0, com=[6.0, 0, 0], inertia=[900.0, 5.0e4, 5.0e4], joint=ist.Free())
    tank = dev.CylinderSlosh(radius=0.5, depth=2.2, mass=2000.0)
    dev.add_slosh(mb, "lox", tank, parent="core", bottom=[3.0, 0, 0], acceleration=20.0, damping=0.01)
    return mb.compile()


def coefficients() -> dict[str, np.ndarray | float]:
    """Return tables for nose, middle and fins: drag shared, normal force mostly behind."""
    axial = DRAG[:, None, None] * np.maximum(np.cos(ANGLE), 0.0)[:, None] * np.array([0.5, 0.2, 0.3])
    normal = np.sin(ANGLE)[:, None] * np.array([2.0, 0.5, 6.0]) * np.ones((len(MACH), 1, 1))
    return {"mach": MACH, "angle": ANGLE, "axial": axial, "normal": normal, "area": 0.8}


def autopilot(every: float = 0.02):
    """Return a law: gains of least cost for angle and rate about y and z, as gimbal angles."""
    A, B = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [THRUST * LEVER / INERTIA]])
    K = ist.lqr(A, B, Q=np.diag([4.0, 1.0]), R=[[1.0]], every=every)[0]

    def law(t, attitude, rate, commanded):
        error = ist.attitude_error(attitude, commanded)
        yaw, pitch = (K @ [error[k], rate[k]] for k in (2, 1))
        # a force along +y behind the centre of mass turns about -z, one along +z about +y
        return {"gimbal": np.clip([yaw, -pitch], -0.09, 0.09)}

    return law


def main() -> None:
    """Fly for a minute, draw it, and check that the flight follows its table."""
    system = rocket()
    earth = dev.Earth(gravity="J2", site=SITE, heading=HEADING)
    times = np.array([0.0, 5.0, 10.0, 20.0, 30.0, 45.0, 60.0])
    pitch = -np.radians([0.0, 0.0, 3.0, 12.0, 20.0, 28.0, 33.0])
    flight = ist.Assembly("ascent", vehicle=system, seed=4).add("earth", earth)
    gust = dev.DiscreteGust(amplitude=[0.0, 0.0, -9.0], start=25.0, duration=3.0)
    flight.add(
        "air", dev.Atmosphere("US76", wind=WIND, gusts=[dev.DrydenTurbulence(seed=1, sigma=2.0), gust])
    )
    flight.add("aero", dev.Aero(coefficients(), body="core", nodes=[[11.0, 0, 0], [6.0, 0, 0], [1.5, 0, 0]]))
    flight.add("guidance", dev.ReferenceTrajectory({"time": times, "pitch": pitch}))
    flight.add("thrust", Thrust(at=("core", [0.0, 0, 0]))).add("gyro", Gyro(at="core"), every="20 ms")
    flight.add("fsw", autopilot(), every="20 ms", out={"gimbal": "rad[2]"})
    flight.wire(
        {"gyro.attitude": "fsw.attitude", "gyro.rate": "fsw.rate", "guidance.attitude": "fsw.commanded"}
    )
    flight.wire({"fsw.gimbal": "thrust.gimbal"})
    x = system.state()
    x["core"].velocity[3:] = earth.ground_velocity([0, 0, 0])
    log = ist.simulate(flight, x, until=UNTIL, step="10 ms", log_step="50 ms")

    t, altitude = log.t, log["earth.altitude"]
    errors = np.degrees(
        [ist.attitude_error(q, c) for q, c in zip(log["core"].quaternion, log["guidance.attitude"])]
    )
    slosh = np.degrees(log["lox 1"].q)
    figure = new_figure(11.0, 8.0)
    axes = figure.subplots(3, 2)
    for k, name in ((1, "across"), (2, "along the heading")):
        axes[0, 0].plot(log["air.wind"][:, k], altitude / 1e3, color=COLORS[k - 1], lw=0.8, label=name)
    dress(axes[0, 0], "wind, m/s", "altitude, km", "profile, turbulence and a gust", True)
    axes[0, 1].semilogx(log["air.density"], altitude / 1e3, color=BLUE, label="density, kg/m³")
    axes[0, 1].semilogx(log["air.pressure"] / 1e5, altitude / 1e3, color=ORANGE, label="pressure, bar")
    dress(axes[0, 1], "", "altitude, km", "the standard atmosphere", True)
    axes[1, 0].plot(t, log["aero.dynamic_pressure"] / 1e3, color=BLUE, label="dynamic pressure, kPa")
    axes[1, 0].plot(t, 10 * log["aero.mach"], color=ORANGE, label="10 × Mach number")
    dress(axes[1, 0], "time, s", "", "the air passes", True)
    axes[1, 1].plot(t, np.degrees(log["aero.angle"]), color=BLUE)
    axes[1, 1].set_ylim(0, 12)
    dress(axes[1, 1], "time, s", "angle of attack, deg", "at the nose")
    for k, name in enumerate(("roll", "pitch", "yaw")):
        axes[2, 0].plot(t, errors[:, k], color=COLORS[k], label=name)
    dress(axes[2, 0], "time, s", "attitude error, deg", "guidance is followed", True)
    for k in range(2):
        axes[2, 1].plot(t, slosh[:, k], lw=0.8, color=COLORS[k])
    axes[2, 1].axvspan(25, 28, color=GREY, alpha=0.2)
    dress(axes[2, 1], "time, s", "pendulum, deg", "slosh; the gust is shaded")
    figure.savefig("through_the_air.png", dpi=110)

    print(f"after {UNTIL} s: {altitude[-1] / 1e3:.1f} km, Mach {log['aero.mach'][-1]:.2f}")
    most = log["aero.dynamic_pressure"].max() / 1e3
    print(f"most dynamic pressure {most:.1f} kPa, attitude error at most {np.abs(errors).max():.2f} deg")
    assert np.abs(errors[:, 1:]).max() < 5.0 and log["aero.mach"][-1] > 1.2
    assert np.isfinite(slosh).all() and 5e3 < altitude[-1] < 60e3


if __name__ == "__main__":
    main()
