"""PID controller from sample to sample, each axis by itself, with limits and an integral that does not wind up.

u = kp e + I + kd D,                          e = wanted - measured
I⁺ = I + ki T (e + e⁻)/2                      trapezoidal; held where u is at its limit and e would drive it further
D⁺ = [(2τ - T) D - 2 (y - y⁻)]/(2τ + T)       of the measurement y, through a lag τ; τ = 0: -(y - y⁻)/T
D = -rate                                     where a measured rate is used
"""

from __future__ import annotations

from typing import Any, cast

from interstage.devices.clipping import clipped
from interstage.system.device import Device, View
from interstage.system.limits import Limit, within
from interstage.system.ports import ANY, Discrete, In, Integer, Out, Parameter, Value

UNLIMITED = 1e300


class PID(Device):
    """Command u (n,) of a wanted and a measured value; see the module.

    kp, ki, kd : gains, one or n each;  lag : τ of the derivative;  limit : of each command, ±
    rated : use the input `rate` instead of differences of `measured`
    """

    kp = Parameter("", 0.0, size="n")
    ki = Parameter("1/s", 0.0, size="n", least=0.0)
    kd = Parameter("s", 0.0, size="n")
    lag = Parameter("s", 0.0, least=0.0)
    limit = Parameter("", UNLIMITED, size="n", above=0.0)
    rated = Integer()
    wanted = In(ANY, "n", default=0.0)
    measured = In(ANY, "n")
    rate = In(ANY, "n", default=0.0)
    u = Out(ANY, "n")
    integral = Discrete("", "n")
    before = Discrete("", ("n", 2))
    slope = Discrete("1/s", "n")
    begun = Integer()

    def __init__(self, *, n: int = 1, rated: bool = False, **values: Value):
        values |= {"n": n, "rated": int(rated)}
        super().__init__(**cast("dict[str, Any]", values))

    def limits_at(self, d: View, t: float) -> list[Limit]:
        """Return the limits of the commands."""
        most = [(k, float(limit)) for k, limit in enumerate(d.limit) if limit < UNLIMITED]
        return [one for k, limit in most for one in within(f"u[{k}]", d.u[k], limit)]

    def sample(d, t):
        T = d.period
        for i in range(len(d.u)):
            e, y = d.wanted[i] - d.measured[i], d.measured[i]
            if d.begun == 0 and d.ideal == 0:
                d.before[i, 0] = e
                d.before[i, 1] = y
            if d.rated == 1:
                slope = -d.rate[i]
            else:
                slope = ((2.0 * d.lag - T) * d.slope[i] - 2.0 * (y - d.before[i, 1])) / (2.0 * d.lag + T)
            if d.rated == 0 and d.lag.real == 0.0:
                slope = -(y - d.before[i, 1]) / T
            step = 0.5 * d.ki[i] * T * (e + d.before[i, 0])
            free = d.kp[i] * e + d.integral[i] + step + d.kd[i] * slope
            u = clipped(free, -d.limit[i], d.limit[i])
            if (free - u).real * e.real > 0.0:
                step = 0.0 * step
            d.integral[i] += step
            d.u[i] = clipped(d.kp[i] * e + d.integral[i] + d.kd[i] * slope, -d.limit[i], d.limit[i])
            d.slope[i] = slope
            d.before[i, 0] = e
            d.before[i, 1] = y
        d.begun = 1
