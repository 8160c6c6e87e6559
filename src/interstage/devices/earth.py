"""The Earth: its gravity on every body of a vehicle, its rotation, and where the vehicle is above it.

    gravity="uniform"   g = -9.80665 m/s² up, everywhere that of the site
    gravity="central"   g = -μ r/r³
    gravity="J2"        oblate as well: `interstage.devices.fields`
    gravity="field.gfc" harmonics of a file of the ICGEM to `degree`: `interstage.devices.harmonics`

The world is inertial. Without a site its origin is the centre of the Earth and z its pole; with an epoch its axes are
those of the celestial frame (GCRS). With a site the origin is there at t = 0, x up, z along `heading`, y to its right:
a vehicle that stands on the pad with its nose along x has a unit attitude, and moves with the ground,
v = ω × r = `ground_velocity`. Axes of the Earth turn by ωt about the pole: x_world = axes R_z(ωt) x_fixed.

With `gravity_gradient` every body feels the field at its own centre of mass, and the torque 3μ/r³ r̂ × I r̂ of a field
that changes over it (I undeformed, at the mass of now); otherwise the field at the centre of mass of the first body of
each vehicle (each body on the world) acts on all that it carries.

Constants: WGS 84 (NIMA TR8350.2), J2 = √5·4.84165143790815e-4 of EGM96.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.devices.fields import (
    cross3,
    dot3,
    geodetic,
    gradient_torque,
    oblate_gradient,
    oblate_gravity,
    turned,
    turned_back,
)
from interstage.devices.harmonics import harmonic_gravity, read_gfc
from interstage.errors import InputError
from interstage.multibody import System
from interstage.simulation.plant.declarations import IntegerState, Out, Parameter, Site, Sites, Value
from interstage.simulation.plant.device import Device
from interstage.spatial.rotvec import arctan2
from interstage.units import quantity

STANDARD_GRAVITY = 9.80665
UNIFORM, FIELD, HARMONICS = 0, 1, 2


@named_arguments
class Earth(Device):
    """Gravity of the Earth, and the place above it of the vehicle (`here`, default its first body).

    gravity : "uniform", "central", "J2", or a file "field.gfc", to `degree`;  gravity_gradient : on every body (to J2)
    site : latitude, longitude in degrees (or strings), and height in m;  heading : of the world's z axis, from north
    epoch : date of t = 0, as in "2030-01-01T00:00:00" (UTC): places the stars, and the site among them
    velocity : relative to the rotating Earth, world axes;  ground : velocity of the rotating Earth here, world axes
    north, east, up : unit vectors of the ellipsoid here, world axes;  from_center : world axes
    """

    at = Sites("n", root=True)
    here = Site(root=True)
    mu = Parameter("m^3/s^2", 3.986004418e14, above=0.0)
    radius = Parameter("m", 6378137.0, above=0.0)
    flattening = Parameter("", 1.0 / 298.257223563, least=0.0, most=0.5)
    J2 = Parameter("", np.sqrt(5.0) * 4.84165143790815e-4)
    spin = Parameter("rad/s", 7.292115e-5)
    center = Parameter("m", [0.0, 0.0, 0.0])
    axes = Parameter("", np.eye(3))
    celestial = Parameter("", np.eye(3))
    uniform = Parameter("m/s^2", [0.0, 0.0, 0.0])
    field_radius = Parameter("m", 6378136.3, above=0.0)
    C, S = Parameter("", 0.0, size=("deg", "deg")), Parameter("", 0.0, size=("deg", "deg"))
    model, gradient = IntegerState(), IntegerState()
    positions, attitudes = at.position(), at.attitude()
    com, inertia = at.center_of_mass(), at.inertia()
    pull, torque = at.gravity(), at.torque("body")
    place, moving = here.position(), here.velocity("world")
    position = Out("m", 3)
    velocity = Out("m/s", 3, ambient="velocity over the ground")
    ground = Out("m/s", 3, ambient="ground velocity")
    latitude = Out("rad", ambient="latitude")
    longitude = Out("rad", ambient="longitude")
    altitude = Out("m", ambient="altitude")
    north, east = Out("", 3, ambient="north"), Out("", 3, ambient="east")
    up = Out("", 3, ambient="up")
    from_center = Out("m", 3, ambient="position from the Earth")
    sky = Out("", 9, ambient="celestial axes")

    def __init__(
        self,
        gravity: str | Path = "J2",
        *,
        degree: int | None = None,
        site: Sequence[float | str] | None = None,
        heading: float | str = 0.0,
        epoch: str | None = None,
        gravity_gradient: bool = False,
        **values: Value,
    ):
        if str(gravity) not in ("uniform", "central", "J2") and not str(gravity).endswith(".gfc"):
            raise InputError(
                "unknown gravity",
                where="Earth",
                expected="uniform, central, J2 or a .gfc file",
                got=repr(gravity),
            )
        self.whole = gravity_gradient and gravity != "uniform"
        self.of_roots = not self.whole
        if gravity == "central":
            values["J2"] = 0.0
        values.setdefault("C", [[0.0]])
        values |= {"model": UNIFORM if gravity == "uniform" else FIELD, "gradient": int(self.whole)}
        if str(gravity).endswith(".gfc"):
            mu, radius, C, S = read_gfc(gravity, degree, epoch)
            values |= {"mu": mu, "field_radius": radius, "C": C, "S": S, "model": HARMONICS}
            values["J2"] = -np.sqrt(5.0) * C[2, 0] if len(C) > 2 else 0.0
        super().__init__(**cast("dict[str, Any]", values))
        celestial = np.eye(3)
        self.epoch, self.date, self.on_ground = epoch, (0.0, 0.0), site is not None
        if epoch is not None:
            from interstage.devices.ephemeris import dates, earth_axes

            self.date = dates(epoch)
            celestial = earth_axes(epoch)
            if site is None:
                self.set(axes=celestial)
        if site is not None or gravity == "uniform":
            self._stand((0.0, 0.0) if site is None else site, quantity(heading, "rad", "Earth, heading"))
        # from celestial axes to the world: by way of the axes of the Earth at t = 0
        self.set(celestial=self.axes @ celestial.T)

    def _stand(self, site: Sequence[float | str], heading: float) -> None:
        """Put the world's origin on the ground, x up and z along the heading."""
        lat, lon, height = _site(site)
        north, east, up = level_axes(lat, lon)
        ahead, right = (
            np.cos(heading) * north + np.sin(heading) * east,
            np.cos(heading) * east - np.sin(heading) * north,
        )
        axes = np.array([up, right, ahead])
        place = fixed_place(float(self.radius), float(self.flattening), lat, lon, height)
        self.set(axes=axes, center=-axes @ place, uniform=[-STANDARD_GRAVITY, 0.0, 0.0])

    def bound(self, vehicle: System) -> Earth:
        """Return the device on a vehicle: which bodies feel the field."""
        roots = [b for b, parent in zip(vehicle.bodies, vehicle.tree.body_parent) if parent < 0]
        return self.moved({"at": list(vehicle.bodies if self.whole else roots)})

    def elsewhere(self, place: object) -> Earth:
        """Return what says where another vehicle is above the Earth; the field is not said twice."""
        return self.moved({"at": [place], "here": place}, model=UNIFORM, gradient=0)

    def also_at(self, bodies: Sequence[str]) -> Earth:
        """Return the device with the field at bodies that may hang on nothing later: it acts on them once they do."""
        known = cast("list[str]", self.place_of("at"))
        return self.moved({"at": [*known, *(name for name in bodies if name not in known)]})

    def outputs(d, t):
        pole = (d.axes[0, 2], d.axes[1, 2], d.axes[2, 2])
        for k in range(len(d.pull)):
            arm = turned(d.attitudes[k], d.com[k])
            r = (
                d.positions[k, 0] + arm[0] - d.center[0],
                d.positions[k, 1] + arm[1] - d.center[1],
                d.positions[k, 2] + arm[2] - d.center[2],
            )
            if dot3(r, r).real == 0.0:  # of a body that is not there yet
                r = (r[0] + d.radius, r[1], r[2])
            g = (d.uniform[0], d.uniform[1], d.uniform[2])
            if d.model == 1:
                g = oblate_gravity(d.mu, d.radius, d.J2, pole, r)
            elif d.model == 2:
                x, y, z = dot3(d.axes[:, 0], r), dot3(d.axes[:, 1], r), dot3(d.axes[:, 2], r)
                cs, sn = np.cos(d.spin * t), np.sin(d.spin * t)
                a = harmonic_gravity(d.mu, d.field_radius, d.C, d.S, cs * x + sn * y, cs * y - sn * x, z)
                b = (cs * a[0] - sn * a[1], sn * a[0] + cs * a[1], a[2])
                g = (dot3(d.axes[0], b), dot3(d.axes[1], b), dot3(d.axes[2], b))
            for i in range(3):
                d.pull[k, i] = g[i]
                d.torque[k, i] = 0.0
            if d.gradient == 1:
                size = np.sqrt(dot3(r, r))
                a = turned_back(d.attitudes[k], (r[0] / size, r[1] / size, r[2] / size))
                p = turned_back(d.attitudes[k], pole)
                I = (d.inertia[k, 0:3], d.inertia[k, 3:6], d.inertia[k, 6:9])
                tau = gradient_torque(oblate_gradient(d.mu, d.radius, d.J2, pole, r), a, p, I)
                for i in range(3):
                    d.torque[k, i] = tau[i]
        for i in range(3):
            d.position[i] = d.place[i]
            d.from_center[i] = d.place[i] - d.center[i]
            for j in range(3):
                d.sky[3 * i + j] = d.celestial[i, j]
        moved = cross3(pole, d.from_center)
        for i in range(3):
            d.ground[i] = d.spin * moved[i]
            d.velocity[i] = d.moving[i] - d.ground[i]
        x, y, z = (
            dot3(d.axes[:, 0], d.from_center),
            dot3(d.axes[:, 1], d.from_center),
            dot3(d.axes[:, 2], d.from_center),
        )
        sine, cosine, angle, height = geodetic(d.radius, d.flattening, x, y, z)
        d.latitude = arctan2(sine, cosine)
        d.altitude = height
        # longitude between -π and π, counted in axes that have turned
        turn = angle - d.spin * t
        d.longitude = arctan2(np.sin(turn), np.cos(turn))
        cl, sl = np.cos(angle), np.sin(angle)
        for i in range(3):
            out = cl * d.axes[i, 0] + sl * d.axes[i, 1]
            d.east[i] = cl * d.axes[i, 1] - sl * d.axes[i, 0]
            d.up[i] = cosine * out + sine * d.axes[i, 2]
            d.north[i] = cosine * d.axes[i, 2] - sine * out

    # for scripts --------------------------------------------------------------------------------------

    def ground_velocity(self, position: ArrayLike) -> np.ndarray:
        """Return the velocity (3,) of the rotating Earth at a place (3,) of the world, world axes."""
        return float(self.spin) * np.cross(self.axes[:, 2], np.asarray(position, dtype=float) - self.center)

    def ground_motion(self, position: ArrayLike) -> np.ndarray:
        """Return how the ground at a place (3,) moves at t = 0: [ω; v] (6,), world axes."""
        return np.concatenate([float(self.spin) * self.axes[:, 2], self.ground_velocity(position)])

    def place_above(
        self, latitude: float | str, longitude: float | str, altitude: float | str = 0.0, t: float = 0.0
    ) -> np.ndarray:
        """Return the world position (3,) of a place: degrees or strings, and metres above the ellipsoid, at t."""
        lat, lon, height = _site((latitude, longitude, altitude))
        lon += float(self.spin) * t
        fixed = fixed_place(float(self.radius), float(self.flattening), lat, lon, height)
        return self.center + self.axes @ fixed

    def orbit(
        self,
        a: float | str,
        e: float = 0.0,
        i: float | str = 0.0,
        raan: float | str = 0.0,
        periapsis: float | str = 0.0,
        anomaly: float | str = 0.0,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return position and velocity (3,) in the world of an orbit about the Earth's axes, by its true anomaly.

        Numbers are in m and rad, strings say their unit, as in orbit("7000 km", i="28.5 deg").

        r = p/(1 + e cos ν), p = a(1 - e²), v = √(μ/p) [-sin ν, e + cos ν] in its plane; i from the equator, Ω from x.
        """
        a, e = quantity(a, "m", "Earth.orbit, a"), quantity(e, "", "Earth.orbit, e")
        i, raan = quantity(i, "rad", "Earth.orbit, i"), quantity(raan, "rad", "Earth.orbit, raan")
        periapsis = quantity(periapsis, "rad", "Earth.orbit, periapsis")
        anomaly = quantity(anomaly, "rad", "Earth.orbit, anomaly")
        if not (a > 0.0 and 0.0 <= e < 1.0):
            raise InputError(
                "not an ellipse", where="Earth.orbit", expected="a > 0, 0 <= e < 1", got=f"{a}, {e}"
            )
        p = a * (1.0 - e * e)
        plane = np.array([np.cos(anomaly), np.sin(anomaly), 0.0]) * p / (1.0 + e * np.cos(anomaly))
        speed = np.array([-np.sin(anomaly), e + np.cos(anomaly), 0.0]) * np.sqrt(float(self.mu) / p)
        R = self.axes @ _about(2, raan) @ _about(0, i) @ _about(2, periapsis)
        return self.center + R @ plane, R @ speed


def _about(axis: int, angle: float) -> np.ndarray:
    """Return the matrix (3, 3) of a turn about an axis of the frame."""
    c, s, j, k = np.cos(angle), np.sin(angle), (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[j, j], R[k, k], R[j, k], R[k, j] = c, c, -s, s
    return R


def _site(site: Sequence[float | str]) -> tuple[float, float, float]:
    """Return latitude, longitude (rad) and height of a site in degrees."""
    if isinstance(site, str) or not isinstance(site, Sequence | np.ndarray) or len(site) not in (2, 3):
        raise InputError(
            "a site is a latitude and a longitude", expected="as in (28.6, -80.6)", got=repr(site)
        )
    lat, lon = (quantity(x, "rad", "site") * (1.0 if isinstance(x, str) else np.pi / 180.0) for x in site[:2])
    if not abs(lat) <= 0.5 * np.pi or not abs(lon) <= 2.0 * np.pi:
        raise InputError("not a latitude and a longitude", where="site", expected="degrees", got=repr(site))
    return lat, lon, quantity(site[2], "m", "site") if len(site) == 3 else 0.0


def level_axes(lat: float, lon: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return north, east, up (3,) in axes of the Earth."""
    sl, cl, so, co = np.sin(lat), np.cos(lat), np.sin(lon), np.cos(lon)
    return np.array([-sl * co, -sl * so, cl]), np.array([-so, co, 0.0]), np.array([cl * co, cl * so, sl])


def fixed_place(radius: float, flattening: float, lat: float, lon: float, height: float) -> np.ndarray:
    """Return the place (3,) in axes of the Earth of a geodetic latitude, longitude and height."""
    e2 = flattening * (2.0 - flattening)
    N = radius / np.sqrt(1.0 - e2 * np.sin(lat) ** 2)
    up = level_axes(lat, lon)[2]
    return (N + height) * up - [0.0, 0.0, e2 * N * np.sin(lat)]
