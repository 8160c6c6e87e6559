"""An encoder on a joint: counts of its angle.

count = ⌊(q + zero + noise n) counts / 2π⌉,   angle = 2π count / counts,   rate = (angle - angle⁻) / T
"""

from __future__ import annotations

import numpy as np

from interstage.devices.parts import whole
from interstage.system.device import Device
from interstage.system.noise import normal
from interstage.system.ports import Discrete, Hinge, Integer, Out, Parameter, Value

_TURN = 2.0 * np.pi


class Encoder(Device):
    """Angle and rate of a joint with one axis, sampled, as counts of a disk.

    counts : of a full turn; 0 is a disk without steps;  zero : angle of the disk where the joint's is zero
    noise : standard deviation of each reading;  rate : difference of two readings over the period, 0 at the first
    """

    joint = Hinge()
    counts = Parameter("", 0.0, least=0.0)
    zero = Parameter("rad", 0.0)
    noise = Parameter("rad", 0.0, least=0.0)
    now = joint.coordinate()
    angle = Out("rad")
    rate = Out("rad/s")
    count = Integer()
    nth = Integer()
    before = Discrete("rad")

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field; counts are whole."""
        return {n: whole(v, "Encoder.counts") if n == "counts" else v for n, v in values.items()}

    def sample(d, t):
        angle = d.now + d.zero
        if d.ideal == 0:
            angle += d.noise * normal(d.seed, d.stream, d.tick, 0)
            if d.counts.real > 0.0:
                d.count = int(np.rint((angle * d.counts / _TURN).real))
                angle = d.count * _TURN / d.counts
        d.angle = angle
        if d.nth > 0 or d.ideal == 1:
            d.rate = (angle - d.before) / d.period
        d.before = angle
        d.nth += 1
