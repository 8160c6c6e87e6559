"""Errors of inertial sensors, the same for gyros and accelerometers: increments in, increments out.

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
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from interstage.devices.mounted import Mounted
from interstage.devices.parts import pair, rounded, turned_back, whole
from interstage.jit import kernel
from interstage.system.noise import normal
from interstage.system.ports import Discrete, Field, Integer, Parameter, State, Value

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
    marks = (Discrete(increment, 3) for _ in range(3))
    return (State(increment, 3), *marks, Discrete(rate, 3), Discrete(rate, (3, FLICKERS)))


class Inertial(Mounted):
    """What gyros and accelerometers share: a place, axes, errors of scale, the register, counts."""

    scale_factor = Parameter("", [0.0, 0.0, 0.0])
    misalignment = Parameter("rad", [0.0, 0.0, 0.0])
    bits = Parameter("", 0.0, least=0.0, most=62.0)
    flicker_from = Parameter("s", 1.0, above=0.0)
    omega = Mounted.at.rate("node")
    count = Integer(3)
    nth = Integer()
    stands_for = MappingProxyType({"counter": ("step", "bits")})

    def shorthands(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return values by field: the pair of the counter, the mount as a quaternion."""
        found, name = dict(values), type(self).__name__
        if "counter" in found:
            found |= pair(found.pop("counter"), self.stands_for["counter"], f"{name}.counter")
        if "bits" in found:
            found["bits"] = whole(found["bits"], f"{name}.bits")
        return super().shorthands(found)
