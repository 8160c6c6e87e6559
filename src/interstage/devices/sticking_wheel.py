"""A reaction wheel whose bearing sticks: bristles in place of a smooth sign, so that crossing zero speed is right.

    ż = λ (g(Ω) sgn Ω/σ - z),   λ = σ|Ω|/g(Ω), at most 2√(σ/J),   g(Ω) = c + (s - c) exp(-(Ω/Ω_s)²)
    friction = σ z + σ₁(Ω) ż + b Ω

as in `friction` (LuGre, where λ has no bound; bristles of a rotor that runs fast need not be followed faster than it
rings on them); all else is that of `ReactionWheel`. Under a torque below s the rotor stands on its node, held by a
spring of stiffness σ, and does not creep; a torque that reverses slowly finds it standing from where its speed ends to
where s is reached. Steps must resolve √(σ/J).
"""

from __future__ import annotations

import numpy as np

from interstage.devices.friction import bristle_rate, with_static
from interstage.devices.reaction_wheel import ReactionWheel, gained, gyrostat, off_balance
from interstage.jit import kernel
from interstage.system.device import View
from interstage.system.limits import Limit, state_of
from interstage.system.ports import Parameter, State, Value, numbers

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


class StickingWheel(ReactionWheel):
    """A reaction wheel with a bearing that sticks.

    friction : (Coulomb, viscous);  static : s, as large as Coulomb's where it is not given;  stribeck : Ω_s
    bristle_stiffness, bristle_damping : σ and σ₁; σ is s/0.01 rad where it is not given: bristles break away at 0.6°
    bend : z, a state;  the rest as `ReactionWheel`, without its `stick`
    """

    coulomb, static = Parameter("N*m", above=0.0), Parameter("N*m", above=0.0)
    stribeck = Parameter("rad/s", 0.1, above=0.0)
    bristle_stiffness = Parameter("N*m/rad", above=0.0)
    bristle_damping = Parameter("N*m*s/rad", 0.0, least=0.0)
    bend = State("rad")
    derived = ("static", "bristle_stiffness")

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field, as of a `ReactionWheel`, and static friction."""
        found = with_static(type(self), super().shorthands(values))
        if "static" in found and "bristle_stiffness" not in found:
            found["bristle_stiffness"] = numbers(found["static"], "N*m", "StickingWheel.static") / BREAKS_AWAY
        return found

    def limits_at(self, d: View, t: float) -> list[Limit]:
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
