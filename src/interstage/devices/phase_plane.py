"""Phase-plane logic of thrusters: on or off by attitude error and rate, each axis by itself.

    s = e + ω|ω|/2α       where a full thrust of angular acceleration α would bring the error to rest
    fire against s where |s| > deadband, and on until |s| < (1 - hysteresis) deadband; against ω where |ω| > rate_limit

(Bryson, Control of Spacecraft and Aircraft, 1994, ch. 7.) Outside the dead zone it is the time-optimal law.
"""

from __future__ import annotations

from typing import Any, cast

from interstage.system.device import Device, View
from interstage.system.limits import Limit, state_of
from interstage.system.ports import In, Integer, Out, Parameter, Value


class PhasePlane(Device):
    """Commands -1, 0, 1 for each axis (n,) of error and rate; see the module.

    deadband : of the error;  acceleration : α of the thrusters;  rate_limit : beyond it the rate is taken down
    """

    deadband = Parameter("rad", above=0.0)
    acceleration = Parameter("rad/s^2", above=0.0)
    rate_limit = Parameter("rad/s", 1e9, above=0.0)
    hysteresis = Parameter("", 0.1, least=0.0, most=1.0)
    error = In("rad", "n")
    rate = In("rad/s", "n")
    fire = Out("", "n")
    mode = Integer("n")

    def __init__(self, *, n: int = 3, **values: Value):
        super().__init__(**cast("dict[str, Any]", values | {"n": n}))

    def limits_at(self, d: View, t: float) -> list[Limit]:
        """Return that an on-off law has no derivative."""
        return [state_of("law", "is on or off: it has no linear model, and what it fires is held")]

    def sample(d, t):
        for i in range(len(d.fire)):
            w = d.rate[i].real
            size = w if w > 0.0 else -w
            s = d.error[i].real + 0.5 * w * size / d.acceleration.real
            edge = d.deadband.real
            if d.mode[i] != 0:
                edge = (1.0 - d.hysteresis.real) * edge
            d.mode[i] = 0
            if s > edge:
                d.mode[i] = -1
            elif s < -edge:
                d.mode[i] = 1
            if w > d.rate_limit.real:
                d.mode[i] = -1
            elif w < -d.rate_limit.real:
                d.mode[i] = 1
            d.fire[i] = float(d.mode[i])
