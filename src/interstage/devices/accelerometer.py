"""A triad of integrating accelerometers.

    Δv = ∫ f dt over a sample,   f = a - g + α × r + ω × (ω × r),   with the errors of `interstage.devices.inertial`

a is the acceleration of the node, g the gravity of its body, r the lever arm from the node to the sensor, all in the
axes of the node and then turned into those of the sensor.
"""

from __future__ import annotations

from types import MappingProxyType

from interstage.devices.inertial import Inertial, increment_errors, memory_in, rate_errors, sampled
from interstage.jit import kernel
from interstage.system.ports import Out, Parameter


@kernel
def felt(f, w, a, r, out):
    """Write the specific force (3,) f + α × r + ω × (ω × r) at the end of a lever arm r."""
    along, square = w[0] * r[0] + w[1] * r[1] + w[2] * r[2], w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] = f[i] + a[j] * r[k] - a[k] * r[j] + w[i] * along - r[i] * square


class Accelerometer(Inertial):
    """Velocities that a place gained beside free fall in each sample, along three axes, with errors.

    at : place;  lever (3,) : from there to the sensor, node axes;  mount : attitude of the sensor's axes on the node
    velocity_random_walk N, acceleration_random_walk K, bias_stability B, ramp R, bias (3,) : see the module
    quantization Q, velocity_white_noise : of the velocity;  counter : (step, bits) of the register
    scale_factor (3,), misalignment (3,) : S and ε;  flicker_from : shortest correlation time of bias stability
    acceleration, delta_velocity : mean specific force and velocity of a sample;  register : counts of the velocity
    """

    lever = Parameter("m", [0.0, 0.0, 0.0])
    bias, acceleration_random_walk, bias_stability, ramp = rate_errors("m/s^2", "m/s^3")
    velocity_random_walk, velocity_white_noise, quantization, step = increment_errors("m/s")
    force = Inertial.at.specific_force("node")
    alpha = Inertial.at.angular_acceleration("node")
    acceleration, delta_velocity, register = Out("m/s^2", 3), Out("m/s", 3), Out("", 3)
    u, seen, total, before, drift, flicker = memory_in("m/s", "m/s^2")

    increments = MappingProxyType({"u": "seen"})

    def rates(d, t):
        felt(d.force, d.omega, d.alpha, d.lever, d.udot)
        if d.ideal == 1 and d.nth == 0:
            d.udot[:] = 0.0

    def sample(d, t):
        if d.nth == 0:
            felt(d.force, d.omega, d.alpha, d.lever, d.delta_velocity)
        keys, axes = (d.seed, d.stream, d.tick, d.nth), (d.mount, d.scale_factor, d.misalignment)
        slow = (d.bias, d.acceleration_random_walk, d.bias_stability, d.ramp, d.flicker_from)
        quick = (d.velocity_random_walk, d.velocity_white_noise, d.quantization, d.step, d.bits)
        kept = (d.seen, d.total, d.before, d.drift, d.flicker, d.count, d.register)
        sampled(keys, d.ideal, d.period, t, axes, slow, quick,
                kept, d.delta_velocity, d.u, d.delta_velocity, d.acceleration)  # fmt: skip
        d.nth += 1
