"""A thruster whose pulses end steps: the impulse is exact where no step is longer than a pulse.

    F = x thrust,    ẋ = (open - x)/rise,    the next edge of the valve is a crossing

All else is that of `Thruster`. Edges are events: no step goes over one, equal or adaptive, as long as steps are not
longer than the shortest pulse and the delay (adaptive ones need `min_on`, `resolution` or max_step). Runs with events
look into every step, which takes time: where edges lie on steps anyway, `Thruster` is faster.
"""

from __future__ import annotations

from interstage.devices.thruster import QUEUE, Thruster, acting, asked, queued, valve
from interstage.jit import kernel
from interstage.system.ports import Crossing, Discrete, Integer

_EDGE = 1e-9  # s: instants nearer than this are one


@kernel
def next_edge(t, last, period, delay, widths, before):
    """Return the first time after t at which a valve opens or closes by commands (QUEUE,); `before`: there is none."""
    found, none = 0.0, True
    for j in range(QUEUE):
        opens = last.real - j * period.real + delay.real
        for edge in (opens, opens + widths[j].real):
            if widths[j].real > 0.0 and edge > t + _EDGE and (none or edge < found):
                found, none = edge, False
    return before.real if none else found


class EdgeThruster(Thruster):
    """Pulses of thrust at a place, with steps that end where they begin and end; arguments as of `Thruster`."""

    valve_open = Integer()
    edge = Discrete("s", initial=-1.0)
    passing = Crossing("s", direction=1)

    def longest_step(self) -> float:
        """Return the shortest pulse: a step that is not longer has its edges seen; 0: any pulse may come."""
        return max(float(self.min_on), float(self.resolution))

    def outputs(d, t):
        level = d.x
        if d.rise.real <= 0.0:
            if d.ideal == 1:
                level = d.widths[acting(t, d.last, d.period, d.valve_delay)] / d.period
            else:
                level = 0.0 * d.x + d.valve_open
        d.level = level
        d.mass_flow = level * d.thrust / (9.80665 * d.isp)
        for i in range(3):
            d.push[i] = level * d.thrust * d.axis[i]
        d.passing = t - d.edge

    def rates(d, t):
        d.xdot = 0.0 * d.x
        if d.rise.real > 0.0:
            now = 0.0 * d.x + d.valve_open
            if d.ideal == 1:
                now = d.widths[acting(t, d.last, d.period, d.valve_delay)] / d.period
            d.xdot = (now - d.x) / d.rise

    def sample(d, t):
        queued(d.widths, asked(d.width, d.period, d.resolution, d.min_on, d.ideal))
        d.last = t
        if d.ideal == 0:
            now = t + _EDGE
            d.valve_open = 1 if valve(now, d.last, d.period, d.valve_delay, d.widths) > 0.0 else 0
            d.edge = next_edge(t, d.last, d.period, d.valve_delay, d.widths, d.edge)

    def switch(d, t):
        now = t + _EDGE
        d.valve_open = 1 if valve(now, d.last, d.period, d.valve_delay, d.widths) > 0.0 else 0
        d.edge = next_edge(t, d.last, d.period, d.valve_delay, d.widths, d.edge)
