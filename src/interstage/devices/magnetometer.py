"""A magnetometer of three axes: the field of `MagneticField`, or one that is wired, in its own axes, with errors.

B = (1 + S)(1 + ε×) Cᵀ Rᵀ B_world + bias + noise n,   rounded to `step`
"""

from __future__ import annotations

from interstage.devices.inertial import mounted
from interstage.devices.mounted import Mounted
from interstage.devices.parts import rounded, turned_back
from interstage.system.noise import normal
from interstage.system.ports import In, Out, Parameter


class Magnetometer(Mounted):
    """The magnetic field at a place, sampled.

    at : place;  mount : attitude of the sensor's axes on the node;  scale_factor (3,), misalignment (3,) : S and ε
    bias (3,), noise, step : of the field;  field : in the world
    """

    scale_factor = Parameter("", [0.0, 0.0, 0.0])
    misalignment = Parameter("rad", [0.0, 0.0, 0.0])
    bias = Parameter("T", [0.0, 0.0, 0.0])
    noise = Parameter("T", 0.0, least=0.0)
    step = Parameter("T", 0.0, least=0.0)
    true_attitude = Mounted.at.attitude()
    field = In("T", 3, ambient="magnetic field")
    measured = Out("T", 3)
    node = Out("T", 3)

    def sample(d, t):
        turned_back(d.true_attitude, d.field, d.node)
        mounted(d.mount, d.scale_factor, d.misalignment, d.node, d.measured)
        for i in range(3):
            d.measured[i] += d.bias[i]
            if d.ideal == 0:
                d.measured[i] += d.noise * normal(d.seed, d.stream, d.tick, i)
                d.measured[i] = rounded(d.measured[i], d.step)
