"""A discrete gust: one minus cosine, once.

v = ½ A (1 - cos(2π (t - t0)/duration)),   t0 ≤ t ≤ t0 + duration            (MIL-F-8785C, 3.7.1.3, as a full wave)
"""

from __future__ import annotations

import numpy as np

from interstage.system.device import Device
from interstage.system.ports import Out, Parameter


class Gust(Device):
    """Velocity of the air (3,), world axes, that comes and goes once.

    amplitude : A (3,), world axes;  start : t0;  duration : from calm to calm
    """

    amplitude = Parameter("m/s", size=3)
    start = Parameter("s", 0.0)
    duration = Parameter("s", above=0.0)
    gust = Out("m/s", 3, ambient="gust")

    def longest_step(self) -> float:
        """Return half of the duration: longer steps might pass over the gust."""
        return 0.5 * float(self.duration)

    def outputs(d, t):
        x = (t - d.start) / d.duration
        size = 0.0 * x
        if x.real > 0.0 and x.real < 1.0:
            size = 0.5 * (1.0 - np.cos(2.0 * np.pi * x))
        for i in range(3):
            d.gust[i] = size * d.amplitude[i]
