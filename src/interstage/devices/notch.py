"""Notch filter: takes a band around a frequency out.

H = (s² + 2 ζ_z ω s + ω²)/(s² + 2 ζ_p ω s + ω²),    ω = 2π frequency;   at ω H = ζ_z/ζ_p, kept by the samples
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from interstage.devices.biquad import check_below_nyquist, run_biquad, tustin
from interstage.system.device import Device
from interstage.system.ports import ANY, Discrete, In, Integer, Out, Parameter, Value


class Notch(Device):
    """Samples u (n,) without a band around a frequency.

    depth : damping ζ_z of the zeros, 0 takes the line out entirely;  width : damping ζ_p of the poles
    """

    frequency = Parameter("Hz", above=0.0)
    depth = Parameter("", 0.0, least=0.0)
    width = Parameter("", 0.5, above=0.0)
    u = In(ANY, "n")
    y = Out(ANY, "n")
    state = Discrete("", ("n", 2))
    begun = Integer()

    def __init__(self, frequency: float | str, *, n: int = 1, **values: Value):
        values |= {"frequency": frequency, "n": n}
        super().__init__(**cast("dict[str, Any]", values))
        check_below_nyquist(self, float(self.frequency), "frequency")

    def sample(d, t):
        w = 2.0 * np.pi * d.frequency
        c = tustin(w, d.period, 1.0, 2.0 * d.depth * w, w * w, 1.0, 2.0 * d.width * w, w * w)
        run_biquad(c, d.u, d.y, d.state, d.begun == 0 and d.ideal == 0)
        d.begun = 1
