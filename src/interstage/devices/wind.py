"""Wind: Dryden turbulence and discrete gusts.

Continuous gusts: the turbulence of Dryden, from white noise that belongs to the seed.

Spectra of the three components along the flight (u), to its right (v) and down (w), Ω = ω/V (MIL-F-8785C, 3.7.1.2):

    Φ_u = σ_u² (2L_u/π) 1/(1 + (L_uΩ)²)        Φ_v,w = σ² (L/π) (1 + 3(LΩ)²)/(1 + (LΩ)²)²

From sample to sample exactly, τ = L/V, φ = e^(-T/τ): u⁺ = φu + σ_u √(1 - φ²) n; v and w from states a, b with a double
pole, [a; b]⁺ = φ [1 T/τ; 0 1] [a; b] + noise that keeps them stationary. Below 1,000 ft lengths and intensities follow
from height and from the wind at 20 ft, above 2,000 ft L = 1,750 ft and σ is given; between them linear (3.7.3). The
axis is the vehicle's velocity over the ground; the gust is said in world axes.

A discrete gust: one minus cosine, once.

v = ½ A (1 - cos(2π (t - t0)/duration)),   t0 ≤ t ≤ t0 + duration            (MIL-F-8785C, 3.7.1.3, as a full wave)
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from interstage._renamed import former_names
from interstage.devices.fields import cross3, dot3
from interstage.jit import kernel
from interstage.simulation.plant.clock import Period
from interstage.simulation.plant.declarations import DiscreteState, In, IntegerState, Out, Parameter, Value
from interstage.simulation.plant.device import Device
from interstage.simulation.plant.noise import normal

FOOT, ROOT3 = 0.3048, np.sqrt(3.0)
SLOWEST = 1.0  # m/s


@kernel
def lengths_and_intensities(h, wind, sigma):
    """Return L_u, L_w (m) and σ_u, σ_w (m/s) at a height: wind at 20 ft and intensity above (MIL-F-8785C)."""
    feet = h / FOOT
    if feet.real > 2000.0:
        return 1750.0 * FOOT + 0.0 * h, 1750.0 * FOOT + 0.0 * h, sigma + 0.0 * h, sigma + 0.0 * h
    low = feet
    if feet.real > 1000.0:
        low = 1000.0 + 0.0 * feet
    elif feet.real < 10.0:
        low = 10.0 + 0.0 * feet
    ratio = 0.177 + 0.000823 * low
    L_u, L_w = low / ratio**1.2 * FOOT, low * FOOT
    s_w = 0.1 * wind
    s_u = s_w / ratio**0.4
    if feet.real > 1000.0:
        x = (feet - 1000.0) / 1000.0
        high = 1750.0 * FOOT
        return (
            L_u + x * (high - L_u),
            L_w + x * (high - L_w),
            s_u + x * (sigma - s_u),
            s_w + x * (sigma - s_w),
        )
    return L_u, L_w, s_u, s_w


@kernel
def across(a):
    """Return a unit vector across a unit vector."""
    zero = 0.0 * a[0]
    other = (zero, zero + 1.0, zero) if a[0].real * a[0].real > 0.5 else (zero + 1.0, zero, zero)
    n = cross3(a, other)
    size = np.sqrt(dot3(n, n))
    return n[0] / size, n[1] / size, n[2] / size


class DrydenTurbulence(Device):
    """Turbulence (3,), world axes; see the module.

    wind : at 20 ft (6 m), "15 kn" light, "30 kn" moderate, "45 kn" severe;  sigma : intensity above 2,000 ft
    seed : another draw;  every : period of the samples, "20 ms"
    """

    wind = Parameter("m/s", 15.4333, least=0.0)
    sigma = Parameter("m/s", 1.5, least=0.0)
    draw = IntegerState()
    altitude = In("m", default=1000.0, ambient="altitude")
    velocity = In("m/s", 3, default=[100.0, 0.0, 0.0], ambient="velocity over the ground")
    up = In("", 3, default=[0.0, 0.0, 1.0], ambient="up")
    gust = Out("m/s", 3, ambient="turbulence")
    along, right, down = Out("m/s"), Out("m/s"), Out("m/s")
    u = DiscreteState("")
    begun = IntegerState()
    lateral = DiscreteState("", (2, 2))

    def __init__(self, *, seed: int = 0, every: Period = "20 ms", **values: Value):
        super().__init__(every=every, **cast("dict[str, Any]", values | {"draw": seed}))

    def sample(d, t):
        speed = np.sqrt(dot3(d.velocity, d.velocity))
        moving = speed.real >= SLOWEST
        if not moving:
            speed = SLOWEST + 0.0 * speed
        L_u, L_w, s_u, s_w = lengths_and_intensities(d.altitude, d.wind, d.sigma)
        T, key = d.period, d.seed + 7919 * d.draw
        live = 1.0 if d.ideal == 0 else 0.0
        if d.begun == 0:
            d.u = live * normal(key, d.stream, d.tick, 5)
        else:
            phi = np.exp(-T * speed / L_u)
            d.u = phi * d.u + live * np.sqrt(1.0 - phi * phi) * normal(key, d.stream, d.tick, 0)
        d.along = s_u * d.u
        for k in range(2):
            tau = (L_u if k == 0 else L_w) / speed
            n1, n2 = normal(key, d.stream, d.tick, 1 + 2 * k), normal(key, d.stream, d.tick, 2 + 2 * k)
            # states a, b of unit white noise: ȧ = (b - a)/τ, ḃ = -b/τ + √(2/τ) n: variances ½, 1, covariance ½
            x = T / tau
            phi = np.exp(-x)
            if d.begun == 0:
                b = live * n1
                a = 0.5 * b + live * 0.5 * n2
            else:
                e = phi * phi
                q_bb = 1.0 - e
                q_ab = 0.5 - e * (0.5 + x)
                q_aa = 0.5 - e * (0.5 + x + x * x)
                root = np.sqrt(q_bb)
                rest = q_aa - q_ab * q_ab / q_bb  # T³/τ³ small: round-off must not make it negative
                left = np.sqrt(rest) if rest.real > 0.0 else 0.0 * rest
                a = phi * (d.lateral[k, 0] + x * d.lateral[k, 1]) + live * (q_ab / root * n1 + left * n2)
                b = phi * d.lateral[k, 1] + live * root * n1
            d.lateral[k, 0] = a
            d.lateral[k, 1] = b
        d.begun = 1
        # (1 + √3 τs)/(1 + τs)² of the noise: √3 b + (1 - √3) a, of variance 2 with these
        scale = 1.0 / np.sqrt(2.0)
        d.right = s_u * scale * (ROOT3 * d.lateral[0, 1] + (1.0 - ROOT3) * d.lateral[0, 0])
        d.down = s_w * scale * (ROOT3 * d.lateral[1, 1] + (1.0 - ROOT3) * d.lateral[1, 0])
        ahead = across(d.up)
        if moving:
            ahead = (d.velocity[0] / speed, d.velocity[1] / speed, d.velocity[2] / speed)
        side = cross3(ahead, d.up)
        size = np.sqrt(dot3(side, side))
        if size.real < 1e-6:  # straight up or down
            side = across(ahead)
            size = 1.0 + 0.0 * size
        side = (side[0] / size, side[1] / size, side[2] / size)
        below = cross3(ahead, side)
        for i in range(3):
            d.gust[i] = d.along * ahead[i] + d.right * side[i] + d.down * below[i]


class DiscreteGust(Device):
    """Velocity of the air (3,), world axes, that comes and goes once.

    amplitude : A (3,), world axes;  start : t0;  duration : from calm to calm
    """

    amplitude = Parameter("m/s", size=3)
    start = Parameter("s", 0.0)
    duration = Parameter("s", above=0.0)
    gust = Out("m/s", 3, ambient="gust")

    def longest_step(self) -> float:
        """Return half of the duration: longer steps might pass over the gust."""
        return 0.5 * float(self.duration)

    def outputs(d, t):
        x = (t - d.start) / d.duration
        size = 0.0 * x
        if x.real > 0.0 and x.real < 1.0:
            size = 0.5 * (1.0 - np.cos(2.0 * np.pi * x))
        for i in range(3):
            d.gust[i] = size * d.amplitude[i]


__getattr__ = former_names(__name__)
