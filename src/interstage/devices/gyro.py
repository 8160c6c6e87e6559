"""A triad of rate-integrating gyros, and the attitude that follows from their increments.

    Δθ = ∫ ω dt over a sample, with the errors of `interstage.devices.inertial`,
    rate = Δθ / T,   q ← q ⊗ exp(Δθ)

ω is the rate of the node, turned into the axes of the sensor. The attitude starts from the true one.
"""

from __future__ import annotations

from types import MappingProxyType

from interstage.devices.inertial import FLICKERS, Inertial, counted, gained, mounted, wandered
from interstage.spatial.quaternion import quaternion_multiply, quaternion_normalize, quaternion_step
from interstage.system.ports import Discrete, Out, Parameter, State


class Gyro(Inertial):
    """Angles that a node turned by in each sample, about three axes, with errors; attitude by adding them up.

    at : place;  mount : attitude of the sensor's axes on the node, a rotation, matrix or quaternion
    angle_random_walk N, rate_random_walk K, bias_stability B, rate_ramp R, bias (3,) : of the rate; see the module
    quantization Q, angle_white_noise : of the angle;  counter : (step, bits) of the register, also as step and bits
    scale_factor (3,), misalignment (3,) : S and ε;  flicker_from : shortest correlation time of bias stability
    rate, delta_angle : mean rate and angle of a sample;  attitude : quaternion, world from sensor
    register : counts of the angle, from 0 to 2^bits (0 bits: no end)
    """

    bias = Parameter("rad/s", [0.0, 0.0, 0.0])
    angle_random_walk = Parameter("rad/sqrt(s)", 0.0, least=0.0)
    rate_random_walk = Parameter("rad/s/sqrt(s)", 0.0, least=0.0)
    bias_stability = Parameter("rad/s", 0.0, least=0.0)
    rate_ramp = Parameter("rad/s^2", 0.0)
    angle_white_noise = Parameter("rad", 0.0, least=0.0)
    quantization = Parameter("rad", 0.0, least=0.0)
    step = Parameter("rad", 0.0, least=0.0)
    true_attitude = Inertial.at.attitude()
    rate = Out("rad/s", 3)
    delta_angle = Out("rad", 3)
    attitude = Out("", 4, initial=[1.0, 0.0, 0.0, 0.0])
    register = Out("", 3)
    theta = State("rad", 3)
    seen = Discrete("rad", 3)
    total = Discrete("rad", 3)
    before = Discrete("rad", 3)
    drift = Discrete("rad/s", 3)
    flicker = Discrete("rad/s", (3, FLICKERS))

    increments = MappingProxyType({"theta": "seen"})

    def rates(d, t):
        if d.ideal == 1 and d.nth == 0:
            d.thetadot[:] = 0.0
        else:
            d.thetadot[:] = d.omega

    def sample(d, t):
        if d.ideal == 1 or d.nth == 0:
            quaternion_multiply(d.true_attitude, d.mount, d.attitude)
        if d.nth == 0:
            mounted(d.mount, d.scale_factor, d.misalignment, d.omega, d.rate)
            d.delta_angle[:] = d.rate * d.period
        if d.ideal == 1:
            if d.nth == 0:
                d.seen[:] = d.theta - d.omega * d.period
            else:
                gained(d.mount, d.scale_factor, d.misalignment, d.theta, d.seen, d.delta_angle)
                d.rate[:] = d.delta_angle / d.period
        else:
            gained(d.mount, d.scale_factor, d.misalignment, d.theta, d.seen, d.delta_angle)
            keys = (d.seed, d.stream, d.tick, d.nth)
            terms = (d.angle_random_walk, d.rate_random_walk, d.bias_stability, d.rate_ramp, d.flicker_from)
            wandered(keys, d.period, t, terms, d.bias, d.drift, d.flicker, d.delta_angle)
            counted(keys, d.angle_white_noise, d.quantization, d.step, int(d.bits.real),
                    d.total, d.before, d.count, d.register, d.delta_angle)  # fmt: skip
            if d.nth > 0:
                d.rate[:] = d.delta_angle / d.period
                quaternion_step(d.attitude, d.delta_angle, d.attitude)
                quaternion_normalize(d.attitude, d.attitude)
        d.nth += 1
