"""Gauges inside a flexible body: the strain of a fibre, or the load of a section, from recovered results.

    ε = (1 + S) σ/E + bias + noise n,      y = (1 + S) x + bias + noise n,      rounded to `step`

σ, x are results of elements that the component of the body was made with (`recover`), by mode acceleration: what the
modes show, and what loads on the body and its inertia do beside (docs/theory/recovery.md). The stress along the gauge
is uniaxial, as in bars. Temperature is not part of it.
"""

from __future__ import annotations

import numpy as np

from interstage.jit import kernel
from interstage.system.device import Device
from interstage.system.noise import normal
from interstage.system.ports import ANY, Inside, Out, Parameter


@kernel
def gauged(x, scale_factor, bias, noise, step):
    """Return a value with errors, rounded where a step is given; `noise` is drawn."""
    y = (1.0 + scale_factor) * x + bias + noise
    if step.real > 0.0:
        return step * np.rint((y / step).real)
    return y


class LoadGauge(Device):
    """A force, moment or stress inside a flexible body, sampled, in SI.

    at : (body, result), as in ("boom", "root moment");  scale_factor : S;  bias, noise, step : of the load
    """

    at = Inside()
    scale_factor, bias = Parameter("", 0.0), Parameter(ANY, 0.0)
    noise, step = Parameter(ANY, 0.0, least=0.0), Parameter(ANY, 0.0, least=0.0)
    load = at.result()
    reading = Out(ANY)

    def sample(d, t):
        if d.ideal == 1:
            d.reading = gauged(d.load, d.scale_factor, d.bias, 0.0, 0.0)
        else:
            drawn = d.noise * normal(d.seed, d.stream, d.tick, 0)
            d.reading = gauged(d.load, d.scale_factor, d.bias, drawn, d.step)


class StrainGauge(Device):
    """The strain along a fibre of an element, sampled.

    at : (body, result), a stress, as in ("boom", "root fibre");  modulus : E
    scale_factor : S, error of the gauge factor;  bias, noise, step : of the strain
    """

    at = Inside("Pa")
    modulus = Parameter("Pa", above=0.0)
    scale_factor, bias = Parameter("", 0.0), Parameter("", 0.0)
    noise, step = Parameter("", 0.0, least=0.0), Parameter("", 0.0, least=0.0)
    stress = at.result()
    strain = Out("")

    def sample(d, t):
        true = d.stress / d.modulus
        if d.ideal == 1:
            d.strain = gauged(true, d.scale_factor, d.bias, 0.0, 0.0)
        else:
            drawn = d.noise * normal(d.seed, d.stream, d.tick, 0)
            d.strain = gauged(true, d.scale_factor, d.bias, drawn, d.step)
