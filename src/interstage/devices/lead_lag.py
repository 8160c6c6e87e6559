"""Lead-lag compensator.

H = gain (1 + s/ω_z)/(1 + s/ω_p),    ω = 2π frequency; lead where zero < pole; kept at √(ω_z ω_p) by the samples
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from interstage.devices.biquad import check_below_nyquist, run_biquad, tustin
from interstage.system.device import Device
from interstage.system.ports import ANY, Discrete, In, Integer, Out, Parameter, Value


class LeadLag(Device):
    """Samples u (n,) with phase added (lead) or gain taken (lag) around √(zero·pole).

    zero, pole : frequencies of the corners, "1 Hz";  gain : at zero frequency
    """

    zero = Parameter("Hz", above=0.0)
    pole = Parameter("Hz", above=0.0)
    gain = Parameter("", 1.0)
    u = In(ANY, "n")
    y = Out(ANY, "n")
    state = Discrete("", ("n", 2))
    begun = Integer()

    def __init__(self, zero: float | str, pole: float | str, *, n: int = 1, **values: Value):
        values |= {"zero": zero, "pole": pole, "n": n}
        super().__init__(**cast("dict[str, Any]", values))
        check_below_nyquist(self, float(np.sqrt(self.zero * self.pole)), "√(zero·pole)")

    def sample(d, t):
        wz, wp = 2.0 * np.pi * d.zero, 2.0 * np.pi * d.pole
        c = tustin(np.sqrt(wz * wp), d.period, 0.0, d.gain / wz, d.gain, 0.0, 1.0 / wp, 1.0)
        run_biquad(c, d.u, d.y, d.state, d.begun == 0 and d.ideal == 0)
        d.begun = 1
