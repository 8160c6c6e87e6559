"""A sun sensor: two angles to the sun, where it is in view.

    s = Cᵀ Rᵀ s_world,    angles = (atan2(s_x, s_z), atan2(s_y, s_z)) + noise n,    z is the boresight

It sees the sun where s is within `field_of_view` (half angle) of the boresight and more than half of its disk is lit,
`light` times what the Earth leaves free (`solar_pressure`); elsewhere
it says its last angles again and `valid` is 0. Beyond 90° both angles are beyond 90°. Two angles near 90° say nothing
of the direction across: where noise puts them on different sides of it, or both within 1e-6 rad, `valid` is 0 too.
"""

from __future__ import annotations

import numpy as np

from interstage.devices.fields import dot3
from interstage.devices.mounted import Mounted
from interstage.devices.parts import rounded, turned_back
from interstage.devices.solar_pressure import lit_part
from interstage.spatial.rotvec import arctan2
from interstage.system.device import View
from interstage.system.limits import Limit, state_of
from interstage.system.noise import normal
from interstage.system.ports import In, Out, Parameter

FAR = 1e9  # m: a vector that is longer is a position of the sun
NEAR = 1e-6  # rad: of 90°, where two angles no longer say the direction


class SunSensor(Mounted):
    """Angles of the sun beside the boresight of a sensor, sampled.

    at : place;  mount : attitude of the sensor's axes on the node;  field_of_view : half angle
    noise : standard deviation of each angle;  step : of their rounding, 0: none
    sun (3,) : direction of the sun, or its position from the Earth's centre (`Sky`), world axes
    light : share of the sun's disk that is seen. Where `sun` is a position and `from_center` is known (`Earth`), the
        shadow of the Earth counts beside it, and the sun is seen from where the vehicle is
    angles (2,), direction (3,) : unit vector in the sensor's axes, as measured;  valid : 1 or 0
    """

    field_of_view = Parameter("rad", "60 deg", above=0.0, most=np.pi)
    noise = Parameter("rad", 0.0, least=0.0)
    step = Parameter("rad", 0.0, least=0.0)
    true_attitude = Mounted.at.attitude()
    sun = In("m", 3, ambient="sun")
    light = In("", default=1.0)
    from_center = In("m", 3, default=[0.0, 0.0, 0.0], ambient="position from the Earth")
    radius = Parameter("m", 6378137.0, above=0.0)
    angles = Out("rad", 2)
    direction = Out("", 3, initial=[0.0, 0.0, 1.0])
    valid = Out("")
    node = Out("", 3)
    seen = Out("", 3)

    def limits_at(self, d: View, t: float) -> list[Limit]:
        """Return whether it sees anything."""
        return [state_of("sensor", "is not valid: it says its last values again")] if d.valid == 0.0 else []

    def sample(d, t):
        light, r, sun = d.light.real, d.from_center, (d.sun[0], d.sun[1], d.sun[2])
        if dot3(sun, sun).real > FAR * FAR and dot3(r, r).real > 0.0:
            light *= lit_part(r, d.sun, d.radius).real
            sun = (sun[0] - r[0], sun[1] - r[1], sun[2] - r[2])
        turned_back(d.true_attitude, sun, d.node)
        turned_back(d.mount, d.node, d.seen)
        s = d.seen
        length = np.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2])
        d.valid = 0.0
        if s[2].real > length.real * np.cos(d.field_of_view.real) and light > 0.5:
            first, second = arctan2(s[0], s[2]), arctan2(s[1], s[2])
            if d.ideal == 0:
                first = rounded(first + d.noise * normal(d.seed, d.stream, d.tick, 0), d.step)
                second = rounded(second + d.noise * normal(d.seed, d.stream, d.tick, 1), d.step)
            # along (tan first, tan second, 1), times both cosines: finite at 90 deg, turned round behind it
            cx, cy = np.cos(first), np.cos(second)
            side = 1.0 if cx.real > 0.0 else -1.0
            x, y, z = side * np.sin(first) * cy, side * cx * np.sin(second), side * cx * cy
            n = np.sqrt(x * x + y * y + z * z)
            if (cx * cy).real > 0.0 and n.real > NEAR:
                d.valid = 1.0
                d.angles[0] = first
                d.angles[1] = second
                d.direction[0] = x / n
                d.direction[1] = y / n
                d.direction[2] = z / n
