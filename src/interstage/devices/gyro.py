"""A triad of rate-integrating gyros, and the attitude that follows from their increments.

    Δθ = ∫ ω dt over a sample, with the errors of `interstage.devices.inertial`,
    rate = Δθ / T,   q ← q ⊗ exp(Δθ)

ω is the rate of the node, turned into the axes of the sensor. The attitude starts from the true one.
"""

from __future__ import annotations

from types import MappingProxyType

from interstage.devices.inertial import Inertial, increment_errors, memory_in, rate_errors, sampled
from interstage.spatial.quaternion import quaternion_multiply, quaternion_normalize, quaternion_step
from interstage.system.ports import Out


class Gyro(Inertial):
    """Angles that a node turned by in each sample, about three axes, with errors; attitude by adding them up.

    at : place;  mount : attitude of the sensor's axes on the node, a rotation, matrix or quaternion
    angle_random_walk N, rate_random_walk K, bias_stability B, rate_ramp R, bias (3,) : of the rate; see the module
    quantization Q, angle_white_noise : of the angle;  counter : (step, bits) of the register, also as step and bits
    scale_factor (3,), misalignment (3,) : S and ε;  flicker_from : shortest correlation time of bias stability
    rate, delta_angle : mean rate and angle of a sample;  attitude : quaternion, world from sensor
    register : counts of the angle, from 0 to 2^bits (0 bits: no end)
    """

    bias, rate_random_walk, bias_stability, rate_ramp = rate_errors("rad/s", "rad/s^2")
    angle_random_walk, angle_white_noise, quantization, step = increment_errors("rad")
    true_attitude = Inertial.at.attitude()
    attitude = Out("", 4, initial=[1.0, 0.0, 0.0, 0.0])
    rate, delta_angle, register = Out("rad/s", 3), Out("rad", 3), Out("", 3)
    theta, seen, total, before, drift, flicker = memory_in("rad", "rad/s")

    increments = MappingProxyType({"theta": "seen"})

    def rates(d, t):
        d.thetadot[:] = d.omega
        if d.ideal == 1 and d.nth == 0:
            d.thetadot[:] = 0.0

    def sample(d, t):
        keys, axes = (d.seed, d.stream, d.tick, d.nth), (d.mount, d.scale_factor, d.misalignment)
        slow = (d.bias, d.rate_random_walk, d.bias_stability, d.rate_ramp, d.flicker_from)
        quick = (d.angle_random_walk, d.angle_white_noise, d.quantization, d.step, d.bits)
        kept = (d.seen, d.total, d.before, d.drift, d.flicker, d.count, d.register)
        sampled(keys, d.ideal, d.period, t, axes, slow, quick, kept, d.omega, d.theta, d.delta_angle, d.rate)
        if d.ideal == 1 or d.nth == 0:
            quaternion_multiply(d.true_attitude, d.mount, d.attitude)
        else:
            quaternion_step(d.attitude, d.delta_angle, d.attitude)
            quaternion_normalize(d.attitude, d.attitude)
        d.nth += 1
