"""Low-pass filter of first or second order.

order 1: H = ω/(s + ω)      order 2: H = ω²/(s² + 2ζωs + ω²),    ω = 2π frequency, kept exactly by the samples
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from interstage.devices.biquad import check_below_nyquist, run_biquad, tustin
from interstage.errors import InputError
from interstage.system.device import Device
from interstage.system.ports import ANY, Discrete, In, Integer, Out, Parameter, Value


class LowPass(Device):
    """Samples u (n,) without what is faster than a frequency.

    frequency : corner, "5 Hz";  order : 1 or 2;  damping : of order 2;  n : number of channels
    """

    frequency = Parameter("Hz", above=0.0)
    damping = Parameter("", 0.7071067811865476, above=0.0)
    order = Integer(initial=2)
    u = In(ANY, "n")
    y = Out(ANY, "n")
    state = Discrete("", ("n", 2))
    begun = Integer()

    def __init__(self, frequency: float | str, *, order: int = 2, n: int = 1, **values: Value):
        if order not in (1, 2):
            raise InputError("a low-pass filter has order 1 or 2", where="LowPass", got=repr(order))
        values |= {"frequency": frequency, "order": order, "n": n}
        super().__init__(**cast("dict[str, Any]", values))
        check_below_nyquist(self, float(self.frequency), "frequency")

    def sample(d, t):
        w = 2.0 * np.pi * d.frequency
        if d.order == 1:
            c = tustin(w, d.period, 0.0, 0.0, w, 0.0, 1.0, w)
        else:
            c = tustin(w, d.period, 0.0, 0.0, w * w, 1.0, 2.0 * d.damping * w, w * w)
        run_biquad(c, d.u, d.y, d.state, d.begun == 0 and d.ideal == 0)
        d.begun = 1
