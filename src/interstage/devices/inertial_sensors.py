"""Inertial sensors: gyros, accelerometers, inertial measurement units, and their errors.

Errors of inertial sensors, the same for gyros and accelerometers: increments in, increments out.

In a sample of T seconds at time t the increment x of each axis (angle, or velocity) becomes

    x ← (1 + S)(1 + ε×) x                        scale factor, misalignment
    x += (b₀ + b + Σ g + R t) T + N √T n         bias, rate random walk, bias stability, ramp, random walk of the angle
    b += K √T n,   g ← e^(-T/τ) g + σ √(1 - e^(-2T/τ)) n
    θ += x,   y = θ + s n                        accumulated, white noise of the angle
    y ← q ⌊y / q⌉,   count = ⌊y / LSB⌉ mod 2^bits

The processes g have correlation times τ a half decade apart and σ² = B² ln(√10) / π each, so that their spectra add up
to B²/ω: flicker. Rounding keeps its residue, since θ is not rounded; q = √12 Q.

Where derivatives are taken the errors are left out. The first sample then says the rate of the instant, and leaves the
mark of the accumulated angle where a steady rate would have left it; samples after it are means, as in a run.

Source: the terms are those of the NESC report (NASA/TM-2020-5008164), D.1; the forms those of IEEE Std 952-1997, annex
C.

A triad of integrating accelerometers.

    Δv = ∫ f dt over a sample,   f = a - g + α × r + ω × (ω × r),   with the errors above

a is the acceleration of the node, g the gravity of its body, r the lever arm from the node to the sensor, all in the
axes of the node and then turned into those of the sensor.

A triad of rate-integrating gyros, and the attitude that follows from their increments.

    Δθ = ∫ ω dt over a sample, with the errors above,
    rate = Δθ / T,   q ← q ⊗ exp(Δθ)

ω is the rate of the node, turned into the axes of the sensor. The attitude starts from the true one.

An inertial measurement unit: gyros and accelerometers at one place, Δθ = ∫ω dt and Δv = ∫f dt.

Errors: `interstage.devices.inertial_sensors`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from interstage.calls import named_arguments
from interstage.devices.mounted import Mounted
from interstage.devices.parts import pair, rounded, turned_back, whole
from interstage.errors import InputError
from interstage.jit import kernel
from interstage.simulation.plant.assembly import Assembly
from interstage.simulation.plant.clock import Period
from interstage.simulation.plant.declarations import (
    ContinuousState,
    DiscreteState,
    Field,
    IntegerState,
    Out,
    Parameter,
    Value,
)
from interstage.simulation.plant.noise import normal
from interstage.spatial.quaternion import quaternion_multiply, quaternion_normalize, quaternion_step

FLICKERS = 9  # processes, from `flicker_from` over four decades of correlation times
_RATIO = np.sqrt(10.0)
_SHARE = np.sqrt(np.log(_RATIO) / np.pi)
_ROOT12 = np.sqrt(12.0)
# channels of random numbers: three axes each
_WALK, _DRIFT, _WHITE, _FLICKER = 0, 3, 6, 9


@kernel
def mounted(mount, scale, misalignment, x, out):
    """Write (1 + S)(1 + ε×) of a vector (3,) in node axes, in the axes of the sensor."""
    turned_back(mount, x, out)
    a, b, c = out[0], out[1], out[2]
    e = misalignment
    out[0] = (1.0 + scale[0]) * (a + e[1] * c - e[2] * b)
    out[1] = (1.0 + scale[1]) * (b + e[2] * a - e[0] * c)
    out[2] = (1.0 + scale[2]) * (c + e[0] * b - e[1] * a)


@kernel
def gained(mount, scale, misalignment, total, mark, out):
    """Write what was added to a total (3,) since a mark (3,), in the axes of the sensor, and move the mark there."""
    for i in range(3):
        mark[i] = total[i] - mark[i]
    mounted(mount, scale, misalignment, mark, out)
    mark[:] = total


@kernel
def wandered(keys, T, t, slow, N, drift, flicker, out):
    """Add to increments (3,) what bias, drifts and noise add in a sample.

    keys : seed, stream, tick, number of the sample from the first;  slow : bias (3,), K, B, R, shortest τ
    drift (3,), flicker (3, FLICKERS) : are changed
    """
    seed, stream, tick, nth = keys
    bias, K, B, R, shortest = slow
    root = np.sqrt(T)
    for i in range(3):
        rate = bias[i] + drift[i] + R * t
        if B.real > 0.0:
            tau = shortest
            for k in range(FLICKERS):
                n = B * _SHARE * normal(seed, stream, tick, _FLICKER + FLICKERS * i + k)
                keep = np.exp(-T / tau)
                flicker[i, k] = n if nth == 0 else keep * flicker[i, k] + np.sqrt(1.0 - keep * keep) * n
                rate += flicker[i, k]
                tau *= _RATIO
        drift[i] += K * root * normal(seed, stream, tick, _DRIFT + i)
        if nth > 0:
            out[i] += rate * T + N * root * normal(seed, stream, tick, _WALK + i)


@kernel
def counted(keys, rounding, total, before, count, counter, out):
    """Accumulate increments (3,) and replace them by what the register says: rounded, counted, wrapped.

    rounding : white noise s, Q, step and bits of the register
    total (3,) : what was accumulated;  before (3,) : what was read last;  count (3,), whole numbers
    counter (3,) : the register;  without a step it says nothing
    """
    seed, stream, tick, nth = keys
    white, Q, step, size_in_bits = rounding
    bits = int(size_in_bits.real)
    for i in range(3):
        total[i] += out[i]
        y = rounded(total[i] + white * normal(seed, stream, tick, _WHITE + i), _ROOT12 * Q)
        if step.real > 0.0:
            new = int(np.rint((y / step).real))
            gained = new - count[i]
            count[i] = new
            if bits > 0:
                size = 1 << bits
                gained = (gained + size // 2) % size - size // 2
                new = new % size
            counter[i] = new
            out[i] = gained * step if nth > 0 else 0.0 * out[i]
        else:
            out[i] = y - before[i] if nth > 0 else 0.0 * out[i]
        before[i] = y


@kernel
def sampled(keys, ideal, T, t, axes, slow, quick, kept, now, integral, increment, mean):
    """Write the increment (3,) and the mean rate (3,) of a sample, with errors unless it is ideal.

    axes : mount, scale factor, misalignment;  slow : bias (3,), K, B, R, shortest τ
    quick : N, white noise s, Q, step and bits of the register;  now, integral (3,) : true rate and its integral, node
    axes; `now` may be `increment`
    kept : mark of the integral, total, last reading, drift, flicker, counts, register; all are changed
    """
    mount, scale, misalignment = axes
    N, white, Q, step, bits = quick
    seen, total, before, drift, flicker, count, register = kept
    nth = keys[3]
    if nth == 0:
        if ideal == 1:
            for i in range(3):
                seen[i] = integral[i] - now[i] * T
        mounted(mount, scale, misalignment, now, mean)
        for i in range(3):
            increment[i] = mean[i] * T
    if nth > 0 or ideal == 0:
        gained(mount, scale, misalignment, integral, seen, increment)
    if ideal == 0:
        wandered(keys, T, t, slow, N, drift, flicker, increment)
        counted(keys, (white, Q, step, bits), total, before, count, register, increment)
    if nth > 0:
        for i in range(3):
            mean[i] = increment[i] / T


def rate_errors(rate: str, ramp: str) -> tuple[Parameter, ...]:
    """Declare the error terms of a rate: bias, random walk K, bias stability B, ramp R."""
    walk, stability = Parameter(f"{rate}/sqrt(s)", 0.0, least=0.0), Parameter(rate, 0.0, least=0.0)
    return Parameter(rate, [0.0, 0.0, 0.0]), walk, stability, Parameter(ramp, 0.0)


def increment_errors(unit: str) -> tuple[Parameter, ...]:
    """Declare the error terms of increments: random walk N, white noise s, Q, step of the register."""
    return tuple(Parameter(text, 0.0, least=0.0) for text in (f"{unit}/sqrt(s)", unit, unit, unit))


def memory_in(increment: str, rate: str) -> tuple[Field, ...]:
    """Declare what a sensor keeps: the integral; its mark, the total, the last reading; drift, and flicker."""
    marks = (DiscreteState(increment, 3) for _ in range(3))
    return (ContinuousState(increment, 3), *marks, DiscreteState(rate, 3), DiscreteState(rate, (3, FLICKERS)))


class Inertial(Mounted):
    """What gyros and accelerometers share: a place, axes, errors of scale, the register, counts."""

    scale_factor = Parameter("", [0.0, 0.0, 0.0])
    misalignment = Parameter("rad", [0.0, 0.0, 0.0])
    bits = Parameter("", 0.0, least=0.0, most=62.0)
    flicker_from = Parameter("s", 1.0, above=0.0)
    omega = Mounted.at.rate("node")
    count = IntegerState(3)
    nth = IntegerState()
    stands_for = MappingProxyType({"counter": ("step", "bits")})

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field: the pair of the counter, the mount as a quaternion."""
        found, name = dict(values), type(self).__name__
        if "counter" in found:
            found |= pair(found.pop("counter"), self.stands_for["counter"], f"{name}.counter")
        if "bits" in found:
            found["bits"] = whole(found["bits"], f"{name}.bits")
        return super().shorthands(found)


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


@named_arguments
def IMU(
    at: object,
    every: Period | None = None,
    *,
    offset: Period = 0,
    delay: Period = 0,
    mount: object = (1.0, 0.0, 0.0, 0.0),
    lever: object = (0.0, 0.0, 0.0),
    accelerometer: dict[str, object] | None = None,
    **gyro: object,
) -> Assembly:
    """Return an assembly of a `Gyro` and an `Accelerometer` at one place.

    at : place;  every, offset, delay : of the samples;  mount : attitude of the sensor's axes on the node
    lever (3,) : from the node to the accelerometers;  accelerometer : {argument: value} of its errors
    gyro : arguments of the errors of the gyros, as angle_random_walk="0.005 deg/sqrt(h)"

    It exposes rate, attitude, delta_angle, angle_register, acceleration, delta_velocity, velocity_register.
    """
    if every is None:
        raise InputError("an IMU is sampled", where="IMU", expected='a period, as in every="5 ms"')
    common: dict[str, Any] = {"at": at, "every": every, "offset": offset, "delay": delay, "mount": mount}
    turns: dict[str, Any] = {**common, **gyro}
    pushes: dict[str, Any] = {**common, "lever": lever, **(accelerometer or {})}
    made = Assembly("imu").add("gyro", Gyro(**turns)).add("accelerometer", Accelerometer(**pushes))
    return made.expose(
        rate="gyro.rate",
        attitude="gyro.attitude",
        delta_angle="gyro.delta_angle",
        angle_register="gyro.register",
        acceleration="accelerometer.acceleration",
        delta_velocity="accelerometer.delta_velocity",
        velocity_register="accelerometer.register",
    )
