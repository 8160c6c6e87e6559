"""A thruster whose pulses end steps: the impulse is exact where no step is longer than a pulse.

    F = x thrust,    ẋ = (open - x)/rise,    open from `opens` to `closes`, two crossings

All else is that of `Thruster`. Edges are events: no step goes over one, equal or adaptive, as long as steps are not
longer than the shortest pulse and the delay (adaptive ones need `min_on`, `resolution` or max_step). Runs with events
look into every step, which takes time: where edges lie on steps anyway, `Thruster` is faster.
"""

from __future__ import annotations

from interstage.devices.thruster import Thruster, asked, pulse
from interstage.system.ports import Crossing, Integer


class EdgeThruster(Thruster):
    """Pulses of thrust at a place, with steps that end where they begin and end; arguments as of `Thruster`."""

    valve_open = Integer()
    opening, closing = Crossing("s", direction=1), Crossing("s", direction=1)

    def longest_step(self) -> float:
        """Return the shortest pulse: a step that is not longer has its edges seen; 0: any pulse may come."""
        return max(float(self.min_on), float(self.resolution))

    def outputs(d, t):
        level = d.x
        if d.ideal == 1:
            level = d.share
        elif d.rise.real <= 0.0:
            level = 0.0 * d.x + d.valve_open
        d.level = level
        d.mass_flow = level * d.thrust / (9.80665 * d.isp)
        for i in range(3):
            d.push[i] = level * d.thrust * d.axis[i]
        d.opening = t - d.opens
        d.closing = t - d.closes

    def rates(d, t):
        d.xdot = 0.0 * d.x
        if d.ideal == 0 and d.rise.real > 0.0:
            d.xdot = (d.valve_open - d.x) / d.rise

    def sample(d, t):
        width = asked(d.width, d.period, d.resolution, d.min_on, d.ideal)
        if d.ideal == 0:
            d.opens, d.closes = pulse(t + d.valve_delay, width, d.period, d.valve_delay, d.opens, d.closes)
            if d.valve_delay.real <= 0.0:
                d.valve_open = 1 if d.closes.real > t else 0
        d.share = width / d.period

    def switch(d, t):
        d.valve_open = 1 if t >= d.opens.real and t < d.closes.real else 0
