"""A reaction wheel: the rotor is a state of the device, not a body of the vehicle.

With spin inertia J about the axis a (fixed in the node), speed Ω beside the node, and the node's rate ω, the rotor has
the momentum h a along its axis,

    h = J (Ω + a·ω),    ḣ = u - c sgn Ω - b Ω,    torque on the node = -ḣ a - ω × h a

so that momentum is kept and no acceleration is needed. u is the motor's torque on the rotor: what is commanded, not
more than `max_torque`, falling to zero over the last hundredth of `max_speed`. Imbalance turns with the angle θ,
e₁ and e₂ across the axis:

    force on the node = U_s (h/J)² (e₁ cos θ + e₂ sin θ),    torque = U_d (h/J)² (e₁ cos θ + e₂ sin θ)

These are the loads of a rotor whose mass is off its axis, to first order in the imbalance. They act from outside: what
such a rotor carries beside h, U_s Ω and U_d Ω across its axis, is no state, and momentum and energy of vehicle and
rotors change by their impulse and work.

Source: Hughes, Spacecraft Attitude Dynamics (1986), 3.3 and 6 (gyrostats); Masterson, Miller, Grogan, Development and
validation of reaction wheel disturbance models, JSV 249 (2002) (imbalance).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from interstage.devices.parts import limited, near_limit, pair, with_directions
from interstage.devices.rotor import Rotor, drag_at
from interstage.jit import kernel
from interstage.system.device import View
from interstage.system.limits import Limit, within
from interstage.system.ports import In, Out, Parameter, Place, State, Value, numbers


@kernel
def gained(torque, speed, drag, max_torque, max_speed):
    """Return ḣ of a rotor: what its motor gives within its limits, less friction."""
    motor = limited(torque, max_torque)
    return motor * near_limit(speed, motor, max_speed) - drag


@kernel
def gyrostat(a, w, momentum, gain, torque):
    """Write the torque (3,) of a rotor on its node: -ḣ a - ω × h a."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        torque[i] = -gain * a[i] - momentum * (w[j] * a[k] - w[k] * a[j])


@kernel
def off_balance(a, e, angle, rate, ideal, imbalance, force, torque):
    """Write the force (3,) of imbalance (static, dynamic) at a rate of the rotor, and add its torque.

    What turns with the rotor has no steady state: derivatives, which are ideal, are without it.
    """
    static, dynamic = imbalance
    cos, sin, square = np.cos(angle), np.sin(angle), 0.0 * rate if ideal == 1 else rate * rate
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out = (e[i] * cos + (a[j] * e[k] - a[k] * e[j]) * sin) * square  # e₁ cos θ + e₂ sin θ, e₂ = a × e₁
        torque[i] += dynamic * out
        force[i] = static * out


class ReactionWheel(Rotor):
    """A wheel at a place: the motor turns its rotor, and what the rotor gains the vehicle loses.

    The vehicle carries the rotor's mass and transverse inertia; its inertia about the axis is the wheel's alone: leave
    it out of the body.

    at : place of the wheel; axis (3,) and side (3,) are in the axes of its node
    inertia : of the rotor about its axis;  max_torque, max_speed : of the motor, 0 is no limit
    friction : (Coulomb, viscous), also as coulomb and viscous; the first changes its sign smoothly within ±stick
    imbalance : (static in kg m, dynamic in kg m²), also as static_imbalance and dynamic_imbalance; linear models and
        trimmed states are without it
    side : where the angle is zero;  speed : at the start, of a vehicle at rest. Another `inertia` (`set=` of a run, a
        dispersed number) keeps the speed, at a point of a flight too; one that is made with `momentum=` starts with it
    torque : on the rotor; the vehicle feels the opposite
    """

    at = Place()
    axis, side = Parameter("", [0.0, 0.0, 1.0]), Parameter("", [1.0, 0.0, 0.0])
    max_speed = Parameter("rad/s", 0.0, least=0.0)
    static_imbalance = Parameter("kg*m", 0.0, least=0.0)
    dynamic_imbalance = Parameter("kg*m^2", 0.0, least=0.0)
    torque = In("N*m", default=0.0)
    omega = at.rate("node")
    speed = Out("rad/s")
    drag = Out("N*m")
    on_torque = at.torque("node")
    on_force = at.force("node")
    momentum = State("N*m*s")
    angle = State("rad")
    imbalances = ("static_imbalance", "dynamic_imbalance")
    stands_for = MappingProxyType({**Rotor.stands_for, "imbalance": imbalances, "speed": ("momentum",)})

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field: pairs of friction and imbalance, a speed at the start, directions of length one."""
        found = super().shorthands(values)
        if "imbalance" in found:
            found |= pair(found.pop("imbalance"), self.imbalances, "ReactionWheel.imbalance")
        if "speed" in found and "inertia" in found:
            speed = numbers(found.pop("speed"), "rad/s", "ReactionWheel.speed")
            found["momentum"] = speed * numbers(found["inertia"], "kg*m^2", "ReactionWheel.inertia")
        return with_directions(found, "ReactionWheel", "axis", "side", [0.0, 0.0, 1.0])

    def limits_at(self, d: View, t: float) -> list[Limit]:
        """Return the limits of torque and speed."""
        speed = within("speed", d.speed, 0.99 * d.max_speed, "rad/s") if d.torque * d.speed >= 0.0 else []
        return within("torque", d.torque, d.max_torque, "N*m") + speed

    def following(self, values: Mapping[str, Value], now: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return what follows from other parameters; at a point a wheel of another inertia keeps its speed."""
        found = super().following(values, now)
        if "inertia" in values and "momentum" in now and "momentum" not in values:
            before = now.get("inertia", np.asarray(self.value_of("inertia")))
            found["momentum"] = now["momentum"] * found["inertia"] / before
        return found

    def outputs(d, t):
        a, w = d.axis, d.omega
        turning = d.momentum / d.inertia
        speed = turning - (a[0] * w[0] + a[1] * w[1] + a[2] * w[2])
        d.speed = speed
        d.drag = drag_at(speed, d.coulomb, d.viscous, d.stick)
        gain = gained(d.torque, speed, d.drag, d.max_torque, d.max_speed)
        gyrostat(a, w, d.momentum, gain, d.on_torque)
        imbalance = (d.static_imbalance, d.dynamic_imbalance)
        off_balance(a, d.side, d.angle, turning, d.ideal, imbalance, d.on_force, d.on_torque)

    def rates(d, t):
        d.momentumdot = gained(d.torque, d.speed, d.drag, d.max_torque, d.max_speed)
        d.angledot = d.speed
