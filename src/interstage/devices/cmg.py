"""A single-gimbal control moment gyro: a rotor of constant speed on a gimbal that turns.

With the gimbal axis g and the momentum h s, s = s₀ cos δ + g × s₀ sin δ, all fixed in the node but for δ, and the
node's rate ω,

    torque on the node = -h (δ̇ g × s + ω × s) - J_g (δ̈ g + δ̇ ω × g),    δ̈ = (command - δ̇) / lag

which is the rate of change of the momentum h s + J_g δ̇ g, so that momentum is kept. The command of the gimbal's rate
is held within ±max_rate. The vehicle carries the mass and the inertia of rotor and gimbal.

Source: Wie, Space Vehicle Dynamics and Control, 2nd ed., 7.4.
"""

from __future__ import annotations

import numpy as np

from interstage.devices.parts import limited, with_directions
from interstage.system.device import Device, View
from interstage.system.limits import Limit, within
from interstage.system.ports import In, Out, Parameter, Place, State, Value


class CMG(Device):
    """A rotor whose momentum a gimbal turns.

    at : place;  gimbal (3,) : axis of the gimbal, node axes;  spin (3,) : of the rotor where the angle is zero
    momentum : of the rotor;  inertia : of rotor and gimbal about the gimbal's axis
    max_rate : of the gimbal, 0 is no limit;  lag : of its rate
    command : rate of the gimbal;  angle, rate : of the gimbal
    """

    at = Place()
    gimbal, spin = Parameter("", [0.0, 0.0, 1.0]), Parameter("", [1.0, 0.0, 0.0])
    momentum = Parameter("N*m*s", above=0.0)
    inertia = Parameter("kg*m^2", 0.0, least=0.0)
    max_rate, lag = Parameter("rad/s", 0.0, least=0.0), Parameter("s", 0.05, above=0.0)
    command = In("rad/s")
    omega = at.rate("node")
    on_torque = at.torque("node")
    along = Out("", 3)
    angle = State("rad")
    rate = State("rad/s")

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field: directions of length one, the spin across the gimbal."""
        return with_directions(values, "CMG", "gimbal", "spin", [0.0, 0.0, 1.0])

    def limits_at(self, d: View, t: float) -> list[Limit]:
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
