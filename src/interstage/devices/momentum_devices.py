"""Reaction wheels and control moment gyros.

What driven rotors share: their inertia, the motor's largest torque, and friction.

drag = coulomb sgn v + viscous v        at the speed v; the sign is smooth within ±stick

A reaction wheel: the rotor is a state of the device, not a body of the vehicle.

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

A reaction wheel whose bearing sticks: bristles in place of a smooth sign, so that crossing zero speed is right.

    ż = λ (g(Ω) sgn Ω/σ - z),   λ = σ|Ω|/g(Ω), at most 2√(σ/J),   g(Ω) = c + (s - c) exp(-(Ω/Ω_s)²)
    friction = σ z + σ₁(Ω) ż + b Ω

as in `friction` (LuGre, where λ has no bound; bristles of a rotor that runs fast need not be followed faster than it
rings on them); all else is that of `ReactionWheel`. Under a torque below s the rotor stands on its node, held by a
spring of stiffness σ, and does not creep; a torque that reverses slowly finds it standing from where its speed ends to
where s is reached. Steps must resolve √(σ/J).

A single-gimbal control moment gyro: a rotor of constant speed on a gimbal that turns.

With the gimbal axis g and the momentum h s, s = s₀ cos δ + g × s₀ sin δ, all fixed in the node but for δ, and the
node's rate ω,

    torque on the node = -h (δ̇ g × s + ω × s) - J_g (δ̈ g + δ̇ ω × g),    δ̈ = (command - δ̇) / lag

which is the rate of change of the momentum h s + J_g δ̇ g, so that momentum is kept. The command of the gimbal's rate
is held within ±max_rate. The vehicle carries the mass and the inertia of rotor and gimbal.

Source: Wie, Space Vehicle Dynamics and Control, 2nd ed., 7.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from interstage._renamed import former_names
from interstage.devices.joint_friction import bristle_rate, with_static
from interstage.devices.parts import limited, near_limit, pair, sign_near, with_directions
from interstage.jit import kernel
from interstage.simulation.plant.declarations import (
    ContinuousState,
    In,
    Limit,
    Out,
    Parameter,
    Site,
    Value,
    numbers,
    state_of,
    within,
)
from interstage.simulation.plant.device import Device, RecordView


@kernel
def drag_at(speed, coulomb, viscous, stick):
    """Return the friction of a rotor, against its motion."""
    return coulomb * sign_near(speed, stick) + viscous * speed


class Rotor(Device):
    """A rotor with friction behind a motor.

    inertia : about its axis;  max_torque : of the motor, 0 is no limit
    friction : (Coulomb, viscous), also as coulomb and viscous, smooth within ±stick
    """

    inertia = Parameter("kg*m^2", above=0.0)
    max_torque = Parameter("N*m", 0.0, least=0.0)
    coulomb, viscous = Parameter("N*m", 0.0, least=0.0), Parameter("N*m*s/rad", 0.0, least=0.0)
    stick = Parameter("rad/s", 0.1, above=0.0)
    stands_for = MappingProxyType({"friction": ("coulomb", "viscous")})

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field: the pair of friction."""
        found = dict(values)
        if "friction" in found:
            given = found.pop("friction")
            found |= pair(given, self.stands_for["friction"], f"{type(self).__name__}.friction")
        return found


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

    at = Site()
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
    momentum = ContinuousState("N*m*s")
    angle = ContinuousState("rad")
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

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return the limits of torque and speed."""
        speed = within("speed", d.speed, 0.99 * d.max_speed, "rad/s") if d.torque * d.speed >= 0.0 else []
        return within("torque", d.torque, d.max_torque, "N*m") + speed

    def following(
        self, values: Mapping[str, Value], now: Mapping[str, np.ndarray], period: float | None = None
    ) -> dict[str, np.ndarray | np.generic]:
        """Return what follows from other parameters; at a point a wheel of another inertia keeps its speed."""
        found = super().following(values, now, period)
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


BREAKS_AWAY = 0.01  # rad: bend of bristles under static friction where their stiffness is not given


@kernel
def bristle(v, z, stiffness, inertia, coulomb, static, stribeck):
    """Return ż of the bristles of a rotor, and exp(-(v/v_s)²)."""
    zdot, near = bristle_rate(v, z, stiffness, coulomb, static, stribeck)
    g, most = coulomb + (static - coulomb) * near, 2.0 * np.sqrt(stiffness / inertia)
    speed = v if v.real >= 0.0 else -v
    if (stiffness * speed).real > (most * g).real:
        zdot = most * ((g if v.real >= 0.0 else -g) / stiffness - z)
    return zdot, near


class StictionReactionWheel(ReactionWheel):
    """A reaction wheel with a bearing that sticks.

    friction : (Coulomb, viscous);  static : s, as large as Coulomb's where it is not given;  stribeck : Ω_s
    bristle_stiffness, bristle_damping : σ and σ₁; σ is s/0.01 rad where it is not given: bristles break away at 0.6°
    bend : z, a state;  the rest as `ReactionWheel`, without its `stick`
    """

    coulomb, static = Parameter("N*m", above=0.0), Parameter("N*m", above=0.0)
    stribeck = Parameter("rad/s", 0.1, above=0.0)
    bristle_stiffness = Parameter("N*m/rad", above=0.0)
    bristle_damping = Parameter("N*m*s/rad", 0.0, least=0.0)
    bend = ContinuousState("rad")
    derived = ("static", "bristle_stiffness")

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field, as of a `ReactionWheel`, and static friction."""
        found = with_static(type(self), super().shorthands(values))
        if "static" in found and "bristle_stiffness" not in found:
            found["bristle_stiffness"] = (
                numbers(found["static"], "N*m", "StictionReactionWheel.static") / BREAKS_AWAY
            )
        return found

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return the limits of a wheel, and whether the bearing sticks."""
        stuck = (
            [state_of("bearing", "sticks: its bristles hold the rotor as a spring")] if d.speed == 0.0 else []
        )
        return super().limits_at(d, t) + stuck

    def outputs(d, t):
        a, w = d.axis, d.omega
        turning = d.momentum / d.inertia
        speed = turning - (a[0] * w[0] + a[1] * w[1] + a[2] * w[2])
        zdot, near = bristle(speed, d.bend, d.bristle_stiffness, d.inertia, d.coulomb, d.static, d.stribeck)
        d.speed = speed
        d.drag = d.bristle_stiffness * d.bend + d.bristle_damping * near * zdot + d.viscous * speed
        gain = gained(d.torque, speed, d.drag, d.max_torque, d.max_speed)
        gyrostat(a, w, d.momentum, gain, d.on_torque)
        imbalance = (d.static_imbalance, d.dynamic_imbalance)
        off_balance(a, d.side, d.angle, turning, d.ideal, imbalance, d.on_force, d.on_torque)

    def rates(d, t):
        stiffness, drag, speed = d.bristle_stiffness, d.drag, d.speed
        d.benddot, _ = bristle(speed, d.bend, stiffness, d.inertia, d.coulomb, d.static, d.stribeck)
        d.momentumdot = gained(d.torque, speed, drag, d.max_torque, d.max_speed)
        d.angledot = speed


class CMG(Device):
    """A rotor whose momentum a gimbal turns.

    at : place;  gimbal (3,) : axis of the gimbal, node axes;  spin (3,) : of the rotor where the angle is zero
    momentum : of the rotor;  inertia : of rotor and gimbal about the gimbal's axis
    max_rate : of the gimbal, 0 is no limit;  lag : of its rate
    command : rate of the gimbal;  angle, rate : of the gimbal
    """

    at = Site()
    gimbal, spin = Parameter("", [0.0, 0.0, 1.0]), Parameter("", [1.0, 0.0, 0.0])
    momentum = Parameter("N*m*s", above=0.0)
    inertia = Parameter("kg*m^2", 0.0, least=0.0)
    max_rate, lag = Parameter("rad/s", 0.0, least=0.0), Parameter("s", 0.05, above=0.0)
    command = In("rad/s")
    omega = at.rate("node")
    on_torque = at.torque("node")
    along = Out("", 3)
    angle = ContinuousState("rad")
    rate = ContinuousState("rad/s")

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field: directions of length one, the spin across the gimbal."""
        return with_directions(values, "CMG", "gimbal", "spin", [0.0, 0.0, 1.0])

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return the limit of the gimbal's rate."""
        return within("command", d.command, d.max_rate, "rad/s")

    def outputs(d, t):
        g, s, w = d.gimbal, d.spin, d.omega
        cos, sin = np.cos(d.angle), np.sin(d.angle)
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            d.along[i] = s[i] * cos + (g[j] * s[k] - g[k] * s[j]) * sin
        turn = (limited(d.command, d.max_rate) - d.rate) / d.lag
        a, h, J = d.along, d.momentum, d.inertia
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            swept = d.rate * (g[j] * a[k] - g[k] * a[j]) + w[j] * a[k] - w[k] * a[j]
            d.on_torque[i] = -h * swept - J * (turn * g[i] + d.rate * (w[j] * g[k] - w[k] * g[j]))

    def rates(d, t):
        d.angledot = d.rate
        d.ratedot = (limited(d.command, d.max_rate) - d.rate) / d.lag


__getattr__ = former_names(__name__)
