"""Thrusters: pulses in the averaged form, and with their edges as events.

A thruster that fires pulses: width by command, valve delay, rise and decay, and a shortest pulse.

At each sample of period T a pulse of `width` seconds is asked for; the valve is open from t + valve_delay on for that
long (not longer than T, and not at all below `min_on`), and the thrust follows with a lag:

    ẋ = (open - x) / rise,    F = x thrust        (x = open without a rise),    flow = F / (isp g₀)

Every pulse has the impulse thrust · width whatever rise, delay and period are: commands on their way wait in a queue,
so that the delay may be longer than the period (up to 30 of them). Where derivatives are taken the valve is open by its
mean over a period, width / T, from t + valve_delay to the next one's: the linear model has the gain thrust / T, the
delay and the lag of the rise.

Steps of the integrator that end at the edges of pulses keep the impulse; equal steps that do not are off by up to
thrust · step: `EventThruster` has steps end there. Adaptive steps find the edges by themselves where they see the
pulse. Behind a valve delay it begins between samples: they are at most half of `min_on` (or of `resolution`) then, and
where neither is given the run needs max_step.

A thruster whose pulses end steps: the impulse is exact where no step is longer than a pulse.

    F = x thrust,    ẋ = (open - x)/rise,    the next edge of the valve is a crossing

All else is that of `Thruster`. Edges are events: no step goes over one, equal or adaptive, as long as steps are not
longer than the shortest pulse and the delay (adaptive ones need `min_on`, `resolution` or max_step). Runs with events
look into every step, which takes time: where edges lie on steps anyway, `Thruster` is faster.
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from interstage._renamed import former_names
from interstage.devices.parts import rounded, unit_vector
from interstage.errors import InputError
from interstage.jit import kernel
from interstage.simulation.plant.declarations import (
    ContinuousState,
    DiscreteState,
    In,
    IntegerState,
    Limit,
    Out,
    Parameter,
    Site,
    Value,
    ZeroCrossing,
    numbers,
)
from interstage.simulation.plant.device import Device, RecordView

_G0 = 9.80665
QUEUE = 32  # commands that are kept: those on their way, the one that acts and the one before it


@kernel
def acting(t, last, period, delay):
    """Return which command acts at t, counted back from the newest one of the sample at `last`."""
    back = np.ceil((last.real + delay.real - t) / period.real)
    return int(min(max(back, 0.0), QUEUE - 1.0))


@kernel
def valve(t, last, period, delay, widths):
    """Return whether a valve is open (1) at t or closed (0), by the commands (QUEUE,) up to the sample at `last`."""
    k = acting(t, last, period, delay)
    for j in range(max(k - 1, 0), min(k + 2, QUEUE)):  # rounding may count one too many
        opens = last.real - j * period.real + delay.real
        if t >= opens and t < opens + widths[j].real:
            return 1.0
    return 0.0


@kernel
def queued(widths, width):
    """Put a command before those that were given already, the oldest of which is forgotten."""
    for j in range(QUEUE - 1, 0, -1):
        widths[j] = widths[j - 1]
    widths[0] = width


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

    at = Site()
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
    x = ContinuousState("")
    last, stamp = DiscreteState("s"), "last"
    widths = DiscreteState("s", QUEUE)

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

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return the range of the width: below it no pulse comes, above it the valve stays open."""
        return (
            [Limit("width", float(d.width), float(d.min_on), float(d.period), "s")] if d.width != 0.0 else []
        )

    def check_period(self, period: float) -> None:
        """Refuse a delay of more periods than commands are kept for."""
        if self.valve_delay > (QUEUE - 2) * period * (1.0 + 1e-9):
            raise InputError(
                f"{type(self).__name__}.valve_delay must not be longer than {QUEUE - 2} periods",
                expected=f"at most {(QUEUE - 2) * period:g} s",
                got=f"{float(self.valve_delay):g} s",
            )

    def jumps(self, period: float) -> tuple[float, ...]:
        """Return the time after a sample at which another command begins to act, where that is between samples."""
        late = float(self.valve_delay) % period
        return (late,) if 1e-9 * period < late < (1.0 - 1e-9) * period else ()

    def outputs(d, t):
        level = d.x
        if d.rise.real <= 0.0:
            if d.ideal == 1:
                level = d.widths[acting(t, d.last, d.period, d.valve_delay)] / d.period
            else:
                level = 0.0 * d.x + valve(t, d.last, d.period, d.valve_delay, d.widths)
        d.level = level
        d.mass_flow = level * d.thrust / (_G0 * d.isp)
        for i in range(3):
            d.push[i] = level * d.thrust * d.axis[i]

    def rates(d, t):
        d.xdot = 0.0 * d.x
        if d.rise.real > 0.0:
            now = 0.0 * d.x
            if d.ideal == 1:
                now = d.widths[acting(t, d.last, d.period, d.valve_delay)] / d.period
            else:
                now = 0.0 * d.x + valve(t, d.last, d.period, d.valve_delay, d.widths)
            d.xdot = (now - d.x) / d.rise

    def sample(d, t):
        queued(d.widths, asked(d.width, d.period, d.resolution, d.min_on, d.ideal))
        d.last = t


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


class EventThruster(Thruster):
    """Pulses of thrust at a place, with steps that end where they begin and end; arguments as of `Thruster`."""

    valve_open = IntegerState()
    edge = DiscreteState("s", initial=-1.0)
    passing = ZeroCrossing("s", direction=1)

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


__getattr__ = former_names(__name__)
