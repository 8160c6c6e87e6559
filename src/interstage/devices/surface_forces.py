"""Forces on surfaces in orbit: free-molecular drag and solar radiation pressure.

Drag of thin air on plates, where molecules do not meet each other.

    F = -½ρ Cd A c V² v̂,    c = n·v̂ > 0,  v̂ the direction of the place's velocity V against the air

on each plate of area A and normal n (Montenbruck and Gill, Satellite Orbits, 2000, 3.5). Cd is 2 to 2.3.

Pressure of sunlight on plates, with the shadow of the Earth.

On a lit plate of area A and normal n, c = n·ŝ > 0, ŝ to the sun, ρ_s and ρ_d the parts that it mirrors and scatters:

    F = -p A c [ (1 - ρ_s) ŝ + 2 (ρ_s c + ρ_d/3) n ],      p = ν 4.5567e-6 N/m² (au/d)²

(Montenbruck and Gill, Satellite Orbits, 2000, 3.75), p of 1361 W/m² (Kopp and Lean 2011) over the speed of light. ν is
the part of the sun's disk that the Earth leaves free: disks of angular radii a (sun), b (Earth), c apart overlap by

    A = a² atan2(y, x) + b² atan2(y, c - x) - c y,   x = (c² + a² - b²)/2c,  y = √(a² - x²),  ν = 1 - A/πa²   (3.4.2)
"""

from __future__ import annotations

import numpy as np

from interstage._renamed import former_names
from interstage.devices.fields import cross3, dot3, turned_back
from interstage.errors import InputError
from interstage.jit import kernel
from interstage.simulation.plant.declarations import In, Out, Parameter, Site, Value
from interstage.simulation.plant.device import Device
from interstage.spatial.rotvec import arctan2


class FreeMolecularDrag(Device):
    """Force and torque of the air on plates of a body (`at`, its axes and origin); see the module.

    normals, centers (k, 3), areas (k,) : of the plates, in axes of the place;  coefficient : Cd
    both : plates are met on either side
    """

    at = Site()
    velocity, attitude = at.velocity("node"), at.attitude()
    force, torque = at.force("node"), at.torque("node")
    normals = Parameter("", size=("k", 3))
    centers = Parameter("m", 0.0, size=("k", 3))
    areas = Parameter("m^2", size="k", above=0.0)
    coefficient = Parameter("", 2.2, above=0.0)
    both = Parameter("", 0.0, least=0.0, most=1.0)
    density = In("kg/m^3", ambient="air density")
    air = In("m/s", 3, default=[0.0, 0.0, 0.0], ambient="air velocity")

    def __init__(self, **values: Value):
        super().__init__(**unit_normals(values, "FreeMolecularDrag"))

    def outputs(d, t):
        wind = turned_back(d.attitude, d.air)
        w = (d.velocity[0] - wind[0], d.velocity[1] - wind[1], d.velocity[2] - wind[2])
        for i in range(3):
            d.force[i] = 0.0
            d.torque[i] = 0.0
        for k in range(len(d.areas)):
            c = dot3(d.normals[k], w)
            if c.real < 0.0 and d.both.real > 0.5:
                c = -c
            if c.real <= 0.0:
                continue
            a = -0.5 * d.density * d.coefficient * d.areas[k] * c  # c = V times the cosine
            f = (a * w[0], a * w[1], a * w[2])
            tau = cross3(d.centers[k], f)
            for i in range(3):
                d.force[i] += f[i]
                d.torque[i] += tau[i]


AU, SUN_RADIUS = 149597870700.0, 6.957e8
PRESSURE = 1361.0 / 299792458.0


@kernel
def lit_part(r, sun, radius):
    """Return ν, the part of the sun's disk seen at r from the Earth's centre, the sun at `sun` from there."""
    to = (sun[0] - r[0], sun[1] - r[1], sun[2] - r[2])
    far, near = np.sqrt(dot3(to, to)), np.sqrt(dot3(r, r))
    one = 1.0 + 0.0 * near
    if near.real <= radius.real:
        return 0.0 * one
    x = SUN_RADIUS / far
    a = arctan2(x, np.sqrt(1.0 - x * x))
    x = radius / near
    b = arctan2(x, np.sqrt(1.0 - x * x))
    n = cross3(r, to)
    c = arctan2(np.sqrt(dot3(n, n)), -dot3(r, to))
    if c.real >= (a + b).real:
        return one
    if c.real <= (b - a).real:
        return 0.0 * one
    if c.real <= (a - b).real:
        return 1.0 - b * b / (a * a)
    x = ((c - b) * (c + b) + a * a) / (2.0 * c)
    y = np.sqrt((a - x) * (a + x))
    area = a * a * arctan2(y, x) + b * b * arctan2(y, c - x) - c * y
    return 1.0 - area / (np.pi * a * a)


class SolarRadiationPressure(Device):
    """Force and torque of sunlight on plates of a body (`at`, its axes and origin); see the module.

    normals, centers (k, 3), areas (k,) : of the plates, in axes of the place;  mirrored, scattered : ρ_s, ρ_d, one or k
    sun : from the Earth's centre, and `from_center` the vehicle, world axes: those of `Ephemeris` and `Earth`
    both : plates are lit on either side
    """

    at = Site()
    attitude = at.attitude()
    force, torque = at.force("node"), at.torque("node")
    normals = Parameter("", size=("k", 3))
    centers = Parameter("m", 0.0, size=("k", 3))
    areas = Parameter("m^2", size="k", above=0.0)
    mirrored = Parameter("", 0.0, size="k", least=0.0, most=1.0)
    scattered = Parameter("", 0.0, size="k", least=0.0, most=1.0)
    both = Parameter("", 0.0, least=0.0, most=1.0)
    radius = Parameter("m", 6378137.0, above=0.0)
    sun = In("m", 3, ambient="sun")
    from_center = In("m", 3, ambient="position from the Earth")
    lit = Out("")

    def __init__(self, **values: Value):
        super().__init__(**unit_normals(values, "SolarRadiationPressure"))
        if not (self.mirrored + self.scattered <= 1.0).all():
            raise InputError(
                "a plate mirrors and scatters more light than falls on it", where="SolarRadiationPressure"
            )

    def outputs(d, t):
        d.lit = lit_part(d.from_center, d.sun, d.radius)
        to = (d.sun[0] - d.from_center[0], d.sun[1] - d.from_center[1], d.sun[2] - d.from_center[2])
        far = np.sqrt(dot3(to, to))
        p = d.lit * PRESSURE * (AU / far) * (AU / far)
        s = turned_back(d.attitude, (to[0] / far, to[1] / far, to[2] / far))
        for i in range(3):
            d.force[i] = 0.0
            d.torque[i] = 0.0
        for k in range(len(d.areas)):
            c, side = dot3(d.normals[k], s), 1.0
            if c.real < 0.0 and d.both.real > 0.5:
                c, side = -c, -1.0
            if c.real <= 0.0:
                continue
            a = -p * d.areas[k] * c * (1.0 - d.mirrored[k])
            b = -2.0 * side * p * d.areas[k] * c * (d.mirrored[k] * c + d.scattered[k] / 3.0)
            f = (
                a * s[0] + b * d.normals[k, 0],
                a * s[1] + b * d.normals[k, 1],
                a * s[2] + b * d.normals[k, 2],
            )
            tau = cross3(d.centers[k], f)
            for i in range(3):
                d.force[i] += f[i]
                d.torque[i] += tau[i]


def unit_normals(values: dict[str, Value], name: str) -> dict:
    """Return values of a device with plates whose normals have length 1."""
    if "normals" not in values:
        raise InputError(f"{name} needs normals=", expected="(k, 3) numbers")
    normals = np.atleast_2d(np.asarray(values["normals"], dtype=float))
    size = np.linalg.norm(normals, axis=-1, keepdims=True)
    if normals.shape[-1] != 3 or not (size > 0.0).all():
        raise InputError("a plate has no normal", where=name, got=repr(values["normals"])[:60])
    return dict(values) | {"normals": normals / size}


__getattr__ = former_names(__name__)
