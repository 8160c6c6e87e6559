"""Drag of thin air on plates, where molecules do not meet each other.

    F = -½ρ Cd A c V² v̂,    c = n·v̂ > 0,  v̂ the direction of the place's velocity V against the air

on each plate of area A and normal n (Montenbruck and Gill, Satellite Orbits, 2000, 3.5). Cd is 2 to 2.3.
"""

from __future__ import annotations

from interstage.devices.fields import cross3, dot3, turned_back
from interstage.devices.solar_pressure import unit_normals
from interstage.system.device import Device
from interstage.system.ports import In, Parameter, Place, Value


class Drag(Device):
    """Force and torque of the air on plates of a body (`at`, its axes and origin); see the module.

    normals, centers (k, 3), areas (k,) : of the plates, in axes of the place;  coefficient : Cd
    both : plates are met on either side
    """

    at = Place()
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
        super().__init__(**unit_normals(values, "Drag"))

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
