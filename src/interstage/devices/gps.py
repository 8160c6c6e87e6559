"""A receiver of satellite navigation: position and velocity of its antenna, with white and slow errors.

p = p_true + c + noise n,   c ← e^(-T/τ) c + σ √(1 - e^(-2T/τ)) n,   v = v_true + velocity_noise n
"""

from __future__ import annotations

import numpy as np

from interstage.system.device import Device
from interstage.system.noise import normal
from interstage.system.ports import Discrete, Integer, Out, Parameter, Place


class GPS(Device):
    """Position and velocity of a place in the world, sampled.

    at : place of the antenna;  noise, velocity_noise : standard deviations of each axis and sample
    drift : standard deviation of the slow error of position;  drift_time : its correlation time
    """

    at = Place()
    noise = Parameter("m", 0.0, least=0.0)
    velocity_noise = Parameter("m/s", 0.0, least=0.0)
    drift = Parameter("m", 0.0, least=0.0)
    drift_time = Parameter("s", 100.0, above=0.0)
    true_position = at.position()
    true_velocity = at.velocity("world")
    position = Out("m", 3)
    velocity = Out("m/s", 3)
    slow = Discrete("m", 3)
    nth = Integer()

    def sample(d, t):
        keep = np.exp(-d.period / d.drift_time)
        fresh = np.sqrt(1.0 - keep * keep)
        if d.nth == 0:
            keep, fresh = 0.0 * keep, 0.0 * keep + 1.0
        for i in range(3):
            d.position[i] = d.true_position[i]
            d.velocity[i] = d.true_velocity[i]
            if d.ideal == 0:
                d.slow[i] = keep * d.slow[i] + d.drift * fresh * normal(d.seed, d.stream, d.tick, i)
                d.position[i] += d.slow[i] + d.noise * normal(d.seed, d.stream, d.tick, 3 + i)
                d.velocity[i] += d.velocity_noise * normal(d.seed, d.stream, d.tick, 6 + i)
        if d.ideal == 0:
            d.nth += 1
