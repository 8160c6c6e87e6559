"""Fly a satellite around the Earth: oblateness, gravity gradient, sunlight and shadow, thin air.

Devices: Earth, Ephemeris, SolarRadiationPressure, FreeMolecularDrag. The node of the orbit drifts as the oblate Earth
turns it, a long satellite swings about the vertical, sunlight pushes its panels until the shadow takes it, thin air
takes its energy.

    python examples/around_the_earth.py

Draws the four into around_the_earth.png.
"""

from __future__ import annotations

import numpy as np

import interstage as ist
from interstage import devices as dev
from interstage.report.plots import BLUE, GREY, ORANGE, dress, new_figure

EPOCH, A, TILT = "2030-03-20T12:00:00", 6.9e6, np.radians(51.6)
PLATES = {"normals": [[1, 0, 0], [0, 0, 1]], "areas": [4.0, 12.0], "both": 1}


def satellite() -> ist.System:
    """Return a satellite of 400 kg, long along its z axis."""
    mb = ist.Multibody("satellite")
    mb.add_body("bus", mass=400.0, inertia=[900.0, 1000.0, 150.0], joint=ist.Free())
    return mb.compile()


def level(earth: dev.Earth, system: ist.System, tilt: float) -> ist.ContinuousState:
    """Return a state on the orbit, x along the track and z down, turned by a tilt about the normal."""
    position, velocity = earth.orbit(a=A, i=TILT, raan=0.6)
    down, track = -position / np.linalg.norm(position), velocity / np.linalg.norm(velocity)
    R = np.column_stack([track, np.cross(down, track), down])
    q = ist.quaternion.rotate_by(ist.Rotation.from_matrix(R).quaternion, [0.0, tilt, 0.0])
    x = system.state()
    x["bus"].position[:], x["bus"].quaternion[:] = position, q
    x["bus"].velocity[:3] = [0.0, -np.linalg.norm(velocity) / A, 0.0]
    x["bus"].velocity[3:] = ist.quaternion.rotate(ist.quaternion.inverse(q), velocity)
    return x


def flown(system: ist.System, tilt: float, hours: int, **devices: ist.Device) -> ist.Log:
    """Return a run of some hours with an Earth, and more."""
    earth = dev.Earth(gravity="J2", gravity_gradient=True, epoch=EPOCH)
    made = ist.Assembly("orbit", vehicle=system).add("earth", earth)
    for name, device in devices.items():
        made.add(name, device)
    return ist.simulate(made, level(earth, system, tilt), until=3600 * hours, step=10, log_step=30)


def main() -> None:
    """Fly, draw, and compare the drift of the node with theory."""
    system = satellite()
    day = flown(system, 0.3, 12)
    lit = flown(
        system,
        0.0,
        4,
        sky=dev.Ephemeris(EPOCH, days=2),
        light=dev.SolarRadiationPressure(at="bus", mirrored=0.2, **PLATES),
    )
    low = flown(system, 0.0, 12, drag=dev.FreeMolecularDrag(at="bus", density=2e-11, **PLATES))

    speed = day["earth.velocity"] + day["earth.ground"]
    h = np.cross(day["earth.position"], speed)
    node = np.degrees(np.unwrap(np.arctan2(h[:, 0], -h[:, 1])))
    n, J2, R = np.sqrt(3.986004418e14 / A**3), 1.0826267e-3, 6378137.0
    theory = np.degrees(-1.5 * n * J2 * (R / A) ** 2 * np.cos(TILT))
    pitch = [
        np.degrees(np.arcsin(ist.quaternion.rotate(q, [0, 0, 1]) @ v / np.linalg.norm(v)))
        for q, v in zip(day["bus"].quaternion, speed)
    ]
    energy = 0.5 * np.sum((low["earth.velocity"] + low["earth.ground"]) ** 2, axis=1)
    r = np.linalg.norm(low["earth.position"], axis=1)
    pole = dev.Earth(epoch=EPOCH).axes[:, 2]
    oblate = 1 - 0.5 * J2 * (R / r) ** 2 * (3 * (low["earth.position"] @ pole / r) ** 2 - 1)
    energy -= 3.986004418e14 / r * oblate

    figure = new_figure(11.0, 6.0)
    (drift, swing), (sun, air) = figure.subplots(2, 2)
    hours = day.t / 3600
    drift.plot(hours, node - node[0], color=BLUE, label="flown")
    drift.plot(hours, theory * day.t, color=GREY, ls="--", label="first order in J2")
    dress(drift, "time, h", "node, deg", "the oblate Earth turns the orbit", True)
    swing.plot(hours, pitch, color=BLUE)
    dress(swing, "time, h", "pitch from the vertical, deg", "gravity gradient")
    sun.plot(lit.t / 3600, 1e6 * np.linalg.norm(lit["light.force"], axis=1), color=ORANGE, label="force, µN")
    sun.plot(lit.t / 3600, 50 * lit["light.lit"], color=GREY, ls="--", label="50 × sun that is seen")
    sun.set_ylim(-3, 95)
    dress(sun, "time, h", "", "sunlight and shadow", True)
    air.plot(low.t / 3600, (energy - energy[0]) / 1e3, color=BLUE)
    dress(air, "time, h", "energy, kJ/kg", "thin air takes energy")
    figure.savefig("around_the_earth.png", dpi=110)

    found = np.polyfit(day.t, node, 1)[0]
    print(f"the node drifts {86400 * found:.3f} deg a day, first-order theory says {86400 * theory:.3f}")
    print(f"in shadow for {100 * np.mean(lit['light.lit'] < 0.5):.0f} % of the time")
    assert abs(found / theory - 1) < 0.01
    assert 0.25 < np.mean(lit["light.lit"] < 0.5) < 0.45
    assert max(pitch) < 25.0 and energy[-1] < energy[0]


if __name__ == "__main__":
    main()
