"""Stops, play and gears of joints: springs that act where they touch.

    JointStop  δ > 0 beyond a limit:  force back = k δ (1 + a δ̇), never outwards        (Hunt and Crossley 1975)
    Backlash   δ = |q| - gap/2 > 0:   force back = k δ + c δ̇, never outwards
    Gear       δ = q_a - n q_b, less the play of ±gap/2:  T = k δ + c δ̇,  -T on joint a and n T on joint b

What hits a stop with the speed v leaves it with e v, by a v (1 + e) = ln((1 + a v)/(1 - a v e)), whatever its mass
and the stiffness are (`contact`).
"""

from __future__ import annotations

from types import MappingProxyType

from interstage._renamed import former_names
from interstage.devices.contact import dissipation_of, pressed
from interstage.jit import kernel
from interstage.simulation.plant.declarations import JointRef, Limit, Out, Parameter, Value, state_of
from interstage.simulation.plant.device import Device, RecordView


@kernel
def stopped(q, rate, low, high, stiffness, dissipation):
    """Return the force of two stops on a joint."""
    if q.real > high.real:
        return -pressed(q - high, rate, stiffness, dissipation, 1.0)
    if q.real < low.real:
        return pressed(low - q, -rate, stiffness, dissipation, 1.0)
    return 0.0 * q


@kernel
def beyond(x, gap):
    """Return how far x is beyond a play of ±gap/2, zero inside."""
    if x.real > 0.5 * gap.real:
        return x - 0.5 * gap
    if x.real < -0.5 * gap.real:
        return x + 0.5 * gap
    return 0.0 * x


@kernel
def meshed(x, rate, gap, stiffness, damping):
    """Return k δ + c δ̇ of what touches with play: it never pulls."""
    depth = beyond(x, gap)
    f = stiffness * depth + damping * rate
    if (f * depth).real <= 0.0:
        return 0.0 * f
    return f


class JointStop(Device):
    """Limits of a hinge: beyond them a spring with a damper pushes back.

    joint : body of the hinge;  low, high : its limits
    dissipation : a, or restitution=(e, speed): what hits with that speed leaves with e times it
    """

    joint = JointRef()
    low, high = Parameter("rad", -1.0), Parameter("rad", 1.0)
    stiffness, dissipation = Parameter("N*m/rad", above=0.0), Parameter("s/rad", 0.0, least=0.0)
    q, rate, push = joint.coordinate(), joint.rate(), joint.force()

    stands_for = MappingProxyType({"restitution": ("dissipation",)})

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return the dissipation of a restitution; limits are in order."""
        return dissipation_of(values, self.fields["rate"].unit, type(self).__name__, limits=("low", "high"))

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return the stops."""
        unit = self.fields["low"].unit
        return [Limit("joint", float(d.q), float(d.low), float(d.high), unit)]

    def outputs(d, t):
        d.push = stopped(d.q, d.rate, d.low, d.high, d.stiffness, d.dissipation)


class PrismaticStop(JointStop):
    """Limits of a slide, as `JointStop` of a hinge."""

    joint = JointRef("m")
    low, high = Parameter("m", -1.0), Parameter("m", 1.0)
    stiffness, dissipation = Parameter("N/m", above=0.0), Parameter("s/m", 0.0, least=0.0)
    q, rate, push = joint.coordinate(), joint.rate(), joint.force()


class Backlash(Device):
    """A hinge with play: it is free within ±gap/2 and held by a spring and a damper beyond.

    joint : body of the hinge;  gap : all of the play;  stiffness, damping : of what touches
    """

    joint = JointRef()
    gap = Parameter("rad", least=0.0)
    stiffness = Parameter("N*m/rad", above=0.0)
    damping = Parameter("N*m*s/rad", 0.0, least=0.0)
    q, rate = joint.coordinate(), joint.rate()
    torque = joint.force()

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return the play, where the hinge is inside it."""
        free = abs(d.q) <= 0.5 * d.gap and d.gap > 0.0
        return [state_of("hinge", "is inside its play: nothing holds it")] if free else []

    def outputs(d, t):
        d.torque = -meshed(d.q, d.rate, d.gap, d.stiffness, d.damping)


class Gear(Device):
    """A pair of gears, or a belt: joint a turns n times as far as joint b, by teeth with stiffness and play.

    a, b : bodies of two hinges, as a rule on one housing, which feels what their torques leave over
    ratio : n, negative where they turn against each other;  gap : play of the teeth, at a
    twist : q_a - n q_b;  mesh : T, torque of the teeth, at a
    """

    a, b = JointRef(), JointRef()
    ratio = Parameter("", 1.0)
    stiffness = Parameter("N*m/rad", above=0.0)
    damping = Parameter("N*m*s/rad", 0.0, least=0.0)
    gap = Parameter("rad", 0.0, least=0.0)
    q_a, q_b, rate_a, rate_b = a.coordinate(), b.coordinate(), a.rate(), b.rate()
    twist, mesh = Out("rad"), Out("N*m")
    on_a, on_b = a.force(), b.force()

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return the play, where the teeth do not touch."""
        free = abs(d.twist) <= 0.5 * d.gap and d.gap > 0.0
        return [state_of("teeth", "are inside their play: they do not touch")] if free else []

    def outputs(d, t):
        d.twist = d.q_a - d.ratio * d.q_b
        rate = d.rate_a - d.ratio * d.rate_b
        if d.gap.real > 0.0:
            d.mesh = meshed(d.twist, rate, d.gap, d.stiffness, d.damping)
        else:
            d.mesh = d.stiffness * d.twist + d.damping * rate
        d.on_a = -d.mesh
        d.on_b = d.ratio * d.mesh


__getattr__ = former_names(__name__)
