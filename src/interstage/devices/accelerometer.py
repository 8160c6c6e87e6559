"""A triad of integrating accelerometers.

    Δv = ∫ f dt over a sample,   f = a - g + α × r + ω × (ω × r),   with the errors of `interstage.devices.inertial`

a is the acceleration of the node, g the gravity of its body, r the lever arm from the node to the sensor, all in the
axes of the node and then turned into those of the sensor.
"""

from __future__ import annotations

from types import MappingProxyType

from interstage.devices.inertial import FLICKERS, Inertial, counted, gained, mounted, wandered
from interstage.jit import kernel
from interstage.system.ports import Discrete, Out, Parameter, State


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
    bias = Parameter("m/s^2", [0.0, 0.0, 0.0])
    velocity_random_walk = Parameter("m/s/sqrt(s)", 0.0, least=0.0)
    acceleration_random_walk = Parameter("m/s^2/sqrt(s)", 0.0, least=0.0)
    bias_stability = Parameter("m/s^2", 0.0, least=0.0)
    ramp = Parameter("m/s^3", 0.0)
    velocity_white_noise = Parameter("m/s", 0.0, least=0.0)
    quantization = Parameter("m/s", 0.0, least=0.0)
    step = Parameter("m/s", 0.0, least=0.0)
    force = Inertial.at.specific_force("node")
    alpha = Inertial.at.angular_acceleration("node")
    acceleration = Out("m/s^2", 3)
    delta_velocity = Out("m/s", 3)
    register = Out("", 3)
    u = State("m/s", 3)
    seen = Discrete("m/s", 3)
    total = Discrete("m/s", 3)
    before = Discrete("m/s", 3)
    drift = Discrete("m/s^2", 3)
    flicker = Discrete("m/s^2", (3, FLICKERS))

    increments = MappingProxyType({"u": "seen"})

    def rates(d, t):
        if d.ideal == 1 and d.nth == 0:
            d.udot[:] = 0.0
        else:
            felt(d.force, d.omega, d.alpha, d.lever, d.udot)

    def sample(d, t):
        if d.nth == 0:
            felt(d.force, d.omega, d.alpha, d.lever, d.delta_velocity)
            if d.ideal == 1:
                d.seen[:] = d.u - d.delta_velocity * d.period
            mounted(d.mount, d.scale_factor, d.misalignment, d.delta_velocity, d.acceleration)
            d.delta_velocity[:] = d.acceleration * d.period
        elif d.ideal == 1:
            gained(d.mount, d.scale_factor, d.misalignment, d.u, d.seen, d.delta_velocity)
            d.acceleration[:] = d.delta_velocity / d.period
        if d.ideal == 0:
            gained(d.mount, d.scale_factor, d.misalignment, d.u, d.seen, d.delta_velocity)
            keys = (d.seed, d.stream, d.tick, d.nth)
            terms = (
                d.velocity_random_walk,
                d.acceleration_random_walk,
                d.bias_stability,
                d.ramp,
                d.flicker_from,
            )
            wandered(keys, d.period, t, terms, d.bias, d.drift, d.flicker, d.delta_velocity)
            counted(keys, d.velocity_white_noise, d.quantization, d.step, int(d.bits.real),
                    d.total, d.before, d.count, d.register, d.delta_velocity)  # fmt: skip
            if d.nth > 0:
                d.acceleration[:] = d.delta_velocity / d.period
        d.nth += 1
