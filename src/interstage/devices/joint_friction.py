"""Friction in joints: LuGre, and stick-slip by events.

Friction of a joint that sticks and slips: bristles that bend, and slide where they are bent too far.

With the rate v of the joint and the mean bend z of the bristles (LuGre; Canudas de Wit, Olsson, Åström and
Lischinsky 1995),

    ż = v - σ|v| z / g(v),    F = σ z + σ₁(v) ż + b v,    g(v) = c + (s - c) exp(-(v/v_s)²)

c is Coulomb friction, s ≥ c what it takes to break away, v_s the speed of Stribeck's curve, b viscous friction; σ and
σ₁(v) = σ₁ exp(-(v/v_s)²) are stiffness and damping of the bristles. Below c nothing creeps: the joint is held by a
spring of stiffness σ. At a constant speed F = g(v) sgn v + b v. There is no switch, and the linear model at rest is
that of the stuck joint. Steps must resolve the bristles: √(σ/J) where it sticks, and σ v/c < 2.8/h for RK4 where it
slides with the speed v.

Dry friction of a joint that sticks or slips: which of them is decided by events, without bristles and steep curves.

    slips, v ≠ 0 :   F = g(v) sgn v + b v,      g(v) = c + (s - c) exp(-(v/v_s)²)    (v_s = 0: g = c)
    sticks, v = 0 :  the joint is locked; the lock carries F, which is not beyond ±s

Where v comes to zero the joint is locked, with all that acts on the vehicle there. If the lock carried more than the
static friction s, it slips at once, the other way or on; otherwise it stands until it carries s. Both are found
in time, and nothing creeps. Switch models of stick and slip: Karnopp (1985); Leine, van Campen, de
Kraker and van den Steen (1998); here with a lock in place of a band of small speeds.
"""

from __future__ import annotations

import numpy as np

from interstage._renamed import former_names
from interstage.errors import InputError
from interstage.jit import kernel
from interstage.simulation.plant.declarations import (
    ContinuousState,
    IntegerState,
    JointRef,
    Limit,
    Out,
    Parameter,
    Value,
    ZeroCrossing,
    numbers,
    state_of,
)
from interstage.simulation.plant.device import Device, RecordView


@kernel
def bristle_rate(v, z, stiffness, coulomb, static, stribeck):
    """Return ż of the bristles, and exp(-(v/v_s)²)."""
    near = np.exp(-(v * v) / (stribeck * stribeck))
    speed = v if v.real >= 0.0 else -v
    return v - stiffness * speed * z / (coulomb + (static - coulomb) * near), near


def with_static(cls: type[Device], values: dict[str, Value]) -> dict[str, Value]:
    """Return values with static friction, which is as large as that of Coulomb, or larger."""
    found = dict(values)
    if "stick" in found:
        raise InputError(
            f"{cls.__name__} has no 'stick'",
            got="a width within which friction is smooth",
            hint="here friction sticks: give static=, or use the device without sticking",
        )
    if "coulomb" in found:
        found.setdefault("static", found["coulomb"])
        unit = cls.fields["coulomb"].unit
        c, s = (numbers(found[name], unit, f"{cls.__name__}.{name}") for name in ("coulomb", "static"))
        if not np.all(s >= c):
            raise InputError(
                f"{cls.__name__}.static must not be below {cls.__name__}.coulomb", got=f"{s} and {c}"
            )
    return found


class DryFriction(Device):
    """What friction of joints shares: Coulomb's and static friction, the second not below the first."""

    derived = ("static",)
    coulomb, static = Parameter("N*m", above=0.0), Parameter("N*m", above=0.0)

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values with static friction."""
        return with_static(type(self), values)


class LuGreFriction(DryFriction):
    """Friction of a hinge that sticks and slips.

    joint : body of the hinge;  coulomb : c;  static : s, as large as c where it is not given;  stribeck : v_s
    viscous : b;  stiffness, damping : of the bristles;  bend : z, a state
    drag : F, against the motion
    """

    joint = JointRef()
    coulomb, static = Parameter("N*m", above=0.0), Parameter("N*m", above=0.0)
    stribeck, viscous = Parameter("rad/s", 1e-3, above=0.0), Parameter("N*m*s/rad", 0.0, least=0.0)
    stiffness, damping = Parameter("N*m/rad", above=0.0), Parameter("N*m*s/rad", 0.0, least=0.0)
    rate, push = joint.rate(), joint.force()
    drag, bend = Out("N*m"), ContinuousState("rad")

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return whether the joint sticks."""
        return [state_of("joint", "sticks: bristles hold it as a spring")] if d.rate == 0.0 else []

    def outputs(d, t):
        zdot, near = bristle_rate(d.rate, d.bend, d.stiffness, d.coulomb, d.static, d.stribeck)
        d.drag = d.stiffness * d.bend + d.damping * near * zdot + d.viscous * d.rate
        d.push = -d.drag

    def rates(d, t):
        d.benddot, _ = bristle_rate(d.rate, d.bend, d.stiffness, d.coulomb, d.static, d.stribeck)


class PrismaticFriction(LuGreFriction):
    """Friction of a slide that sticks and slips, as `LuGreFriction` of a hinge."""

    joint = JointRef("m")
    coulomb, static = Parameter("N", above=0.0), Parameter("N", above=0.0)
    stribeck, viscous = Parameter("m/s", 1e-3, above=0.0), Parameter("N*s/m", 0.0, least=0.0)
    stiffness, damping = Parameter("N/m", above=0.0), Parameter("N*s/m", 0.0, least=0.0)
    rate, push = joint.rate(), joint.force()
    drag, bend = Out("N"), ContinuousState("m")


@kernel
def stribeck_curve(v, coulomb, static, stribeck):
    """Return g(v) > 0."""
    if stribeck.real > 0.0:
        return coulomb + (static - coulomb) * np.exp(-(v * v) / (stribeck * stribeck))
    return coulomb + 0.0 * v


class StickSlip(DryFriction):
    """Dry friction of a hinge, stick and slip by events.

    joint : body of the hinge;  coulomb : c;  static : s, as large as c where it is not given
    stribeck : v_s, 0 is a jump from s to c;  viscous : b
    drag : F, against the motion, or against what pushes;  way : -1 or 1 where it slips;  held : 1 where it sticks
    """

    settles = True
    joint = JointRef()
    coulomb, static = Parameter("N*m", above=0.0), Parameter("N*m", above=0.0)
    stribeck, viscous = Parameter("rad/s", 0.0, least=0.0), Parameter("N*m*s/rad", 0.0, least=0.0)
    rate, reaction, push = joint.rate(), joint.reaction(), joint.force()
    drag, held, way = Out("N*m"), joint.hold(), IntegerState()
    stops, slips = ZeroCrossing("rad/s", direction=-1), ZeroCrossing("N*m", direction=-1)

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return whether the joint sticks."""
        stuck = f"sticks: it is locked below {d.static:.4g} {self.fields['static'].unit}"
        return [state_of("joint", stuck)] if d.held == 1 or d.rate == 0.0 else []

    def outputs(d, t):
        d.stops = d.way * d.rate
        d.slips = d.static - (d.reaction if d.reaction.real > 0.0 else -d.reaction)
        d.push = -d.way * stribeck_curve(d.rate, d.coulomb, d.static, d.stribeck) - d.viscous * d.rate
        rubs = d.way * stribeck_curve(d.rate, d.coulomb, d.static, d.stribeck) + d.viscous * d.rate
        d.drag = rubs - d.reaction

    def switch(d, t):
        if d.held == 1:
            if d.slips.real <= 0.0:
                d.held = 0
                d.way = -1 if d.reaction.real > 0.0 else 1
        elif d.way == 0 and d.rate.real != 0.0:  # the beginning of a run
            d.way = 1 if d.rate.real > 0.0 else -1
        else:
            d.held = 1
            d.way = 0


class PrismaticStickSlip(StickSlip):
    """Dry friction of a slide, as `StickSlip` of a hinge."""

    joint = JointRef("m")
    coulomb, static = Parameter("N", above=0.0), Parameter("N", above=0.0)
    stribeck, viscous = Parameter("m/s", 0.0, least=0.0), Parameter("N*s/m", 0.0, least=0.0)
    rate, reaction, push = joint.rate(), joint.reaction(), joint.force()
    drag, held = Out("N"), joint.hold()
    stops, slips = ZeroCrossing("m/s", direction=-1), ZeroCrossing("N", direction=-1)


__getattr__ = former_names(__name__)
