"""Friction of a joint that sticks and slips: bristles that bend, and slide where they are bent too far.

With the rate v of the joint and the mean bend z of the bristles (LuGre; Canudas de Wit, Olsson, Åström and
Lischinsky 1995),

    ż = v - σ|v| z / g(v),    F = σ z + σ₁(v) ż + b v,    g(v) = c + (s - c) exp(-(v/v_s)²)

c is Coulomb friction, s ≥ c what it takes to break away, v_s the speed of Stribeck's curve, b viscous friction; σ and
σ₁(v) = σ₁ exp(-(v/v_s)²) are stiffness and damping of the bristles. Below c nothing creeps: the joint is held by a
spring of stiffness σ. At a constant speed F = g(v) sgn v + b v. There is no switch, and the linear model at rest is
that of the stuck joint. Steps must resolve the bristles: √(σ/J) where it sticks, and σ v/c < 2.8/h for RK4 where it
slides with the speed v.
"""

from __future__ import annotations

import numpy as np

from interstage.errors import InputError
from interstage.jit import kernel
from interstage.system.device import Device, View
from interstage.system.limits import Limit, state_of
from interstage.system.ports import Hinge, Out, Parameter, State, Value, numbers


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


class Friction(DryFriction):
    """Friction of a hinge that sticks and slips.

    joint : body of the hinge;  coulomb : c;  static : s, as large as c where it is not given;  stribeck : v_s
    viscous : b;  stiffness, damping : of the bristles;  bend : z, a state
    drag : F, against the motion
    """

    joint = Hinge()
    coulomb, static = Parameter("N*m", above=0.0), Parameter("N*m", above=0.0)
    stribeck, viscous = Parameter("rad/s", 1e-3, above=0.0), Parameter("N*m*s/rad", 0.0, least=0.0)
    stiffness, damping = Parameter("N*m/rad", above=0.0), Parameter("N*m*s/rad", 0.0, least=0.0)
    rate, push = joint.rate(), joint.force()
    drag, bend = Out("N*m"), State("rad")

    def limits_at(self, d: View, t: float) -> list[Limit]:
        """Return whether the joint sticks."""
        return [state_of("joint", "sticks: bristles hold it as a spring")] if d.rate == 0.0 else []

    def outputs(d, t):
        zdot, near = bristle_rate(d.rate, d.bend, d.stiffness, d.coulomb, d.static, d.stribeck)
        d.drag = d.stiffness * d.bend + d.damping * near * zdot + d.viscous * d.rate
        d.push = -d.drag

    def rates(d, t):
        d.benddot, _ = bristle_rate(d.rate, d.bend, d.stiffness, d.coulomb, d.static, d.stribeck)


class SlideFriction(Friction):
    """Friction of a slide that sticks and slips, as `Friction` of a hinge."""

    joint = Hinge("m")
    coulomb, static = Parameter("N", above=0.0), Parameter("N", above=0.0)
    stribeck, viscous = Parameter("m/s", 1e-3, above=0.0), Parameter("N*s/m", 0.0, least=0.0)
    stiffness, damping = Parameter("N/m", above=0.0), Parameter("N*s/m", 0.0, least=0.0)
    rate, push = joint.rate(), joint.force()
    drag, bend = Out("N"), State("m")
