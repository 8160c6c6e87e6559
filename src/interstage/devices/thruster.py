"""A thruster that fires pulses: width by command, valve delay, rise and decay, and a shortest pulse.

At each sample of period T a pulse of `width` seconds is asked for; the valve is open from t + valve_delay on for that
long (not longer than T, and not at all below `min_on`), and the thrust follows with a lag:

    ẋ = (open - x) / rise,    F = x thrust        (x = open without a rise),    flow = F / (isp g₀)

A pulse has the impulse thrust · width whatever the rise is. Where derivatives are taken the force is its mean over a
period, thrust · width / T. Steps of the integrator that end at the edges of pulses keep the impulse; equal steps
that do not are off by up to thrust · step: `EdgeThruster` has steps end there. Adaptive steps find the edges by
themselves where they see the pulse. Behind a valve delay it begins between samples: they are at most half of `min_on`
(or of `resolution`) then, and where neither is given the run needs max_step.
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from interstage.devices.parts import rounded, unit_vector
from interstage.errors import InputError
from interstage.jit import kernel
from interstage.system.device import Device, View
from interstage.system.limits import Limit
from interstage.system.ports import Discrete, In, Out, Parameter, Place, State, Value, numbers

_G0 = 9.80665
_EDGE = 1e-9  # s: instants nearer than this are one


@kernel
def valve(t, opens, closes, delayed):
    """Return 1 while a valve is open, 0 while it is closed, and a half at an edge.

    The last stage of the step before an edge and the first stage after it then add up to the impulse of the pulse. An
    edge without delay is a sample: no stage before it sees it.
    """
    if t < opens - _EDGE or t > closes + _EDGE:
        return 0.0
    if t > closes - _EDGE or (delayed and t < opens + _EDGE):
        return 0.5
    return 1.0


@kernel
def pulse(begin, width, period, delay, opens, closes):
    """Return when a valve opens and closes that shall be open for a width from `begin` on.

    One that is still open then goes on, or closes; a pulse of a whole period lasts until the next sample says more.
    """
    still_open = closes.real > begin.real - _EDGE
    if width.real <= 0.0:
        if still_open:
            return opens, begin if delay.real > 0.0 else begin - 1.0
        return opens, closes
    more = 3.0 * _EDGE if width.real > period.real - _EDGE else 0.0
    return opens if still_open else begin, begin + width + more


@kernel
def asked(width, period, resolution, min_on, ideal):
    """Return how wide a pulse is: not wider than a period; unless ideal, a multiple of the resolution and no stub."""
    if width.real > period.real:
        width = period + 0.0 * width
    if ideal == 0:
        width = rounded(width, resolution)
        if width.real < min_on.real:
            width = 0.0 * width
    return width


class Thruster(Device):
    """Pulses of thrust at a place, as wide as commanded in every sample.

    at : place;  axis (3,) : of the force on the vehicle, node axes;  thrust : when the valve is open
    min_on : shortest pulse, or min_impulse : its impulse;  resolution : widths are whole multiples of it, 0: any
    valve_delay : from command to valve;  rise : time constant of the thrust, 0: none;  isp : of the flow
    width : time that the valve shall be open in this period;  level : thrust now, as a share
    """

    at = Place()
    axis = Parameter("", [1.0, 0.0, 0.0])
    thrust = Parameter("N", above=0.0)
    min_on, resolution = Parameter("s", 0.0, least=0.0), Parameter("s", 0.0, least=0.0)
    stands_for = MappingProxyType({"min_impulse": ("min_on",)})
    valve_delay, rise = Parameter("s", 0.0, least=0.0), Parameter("s", 0.0, least=0.0)
    isp = Parameter("s", 220.0, above=0.0)
    width = In("s")
    level = Out("")
    mass_flow = Out("kg/s")
    push = at.force("node")
    x = State("")
    opens = Discrete("s", initial=-1.0)
    closes = Discrete("s", initial=-1.0)
    share = Discrete("")

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field: the shortest pulse by its impulse, a direction of length one."""
        found = dict(values)
        if "min_impulse" in found:
            if "thrust" not in found:
                raise InputError("Thruster.min_impulse goes with thrust")
            impulse = numbers(found.pop("min_impulse"), "N*s", "Thruster.min_impulse")
            found["min_on"] = impulse / numbers(found["thrust"], "N", "Thruster.thrust")
        return {**found, "axis": unit_vector(found.get("axis", [1.0, 0.0, 0.0]), "Thruster.axis")}

    def longest_step(self) -> float:
        """Return half of the shortest pulse where pulses begin between samples; 0: any pulse may come."""
        if self.valve_delay <= 0.0:
            return np.inf
        return 0.5 * max(float(self.min_on), float(self.resolution))

    def limits_at(self, d: View, t: float) -> list[Limit]:
        """Return the range of the width: below it no pulse comes, above it the valve stays open."""
        return (
            [Limit("width", float(d.width), float(d.min_on), float(d.period), "s")] if d.width != 0.0 else []
        )

    def outputs(d, t):
        level = d.x
        if d.ideal == 1:
            level = d.share
        elif d.rise.real <= 0.0:
            level = 0.0 * d.x + valve(t, d.opens.real, d.closes.real, d.valve_delay.real > 0.0)
        d.level = level
        d.mass_flow = level * d.thrust / (_G0 * d.isp)
        for i in range(3):
            d.push[i] = level * d.thrust * d.axis[i]

    def rates(d, t):
        d.xdot = 0.0 * d.x
        if d.ideal == 0 and d.rise.real > 0.0:
            now = valve(t, d.opens.real, d.closes.real, d.valve_delay.real > 0.0)
            d.xdot = (now - d.x) / d.rise

    def sample(d, t):
        width = asked(d.width, d.period, d.resolution, d.min_on, d.ideal)
        if d.ideal == 0:
            d.opens, d.closes = pulse(t + d.valve_delay, width, d.period, d.valve_delay, d.opens, d.closes)
        d.share = width / d.period
