"""Sun and moon around the Earth: tables of pyerfa, made once, followed by cubics.

    r(t) = Hermite cubic of [r_k, v_k] every 6 h;  world axes = celestial axes of `Earth`, or those given

Tables reach `days` from the epoch. Between rows the cubic is good to 20 m (moon) and 1 m (sun); the theories are good
to 100 km (moon) and 15 km (sun).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, cast

import numpy as np

from interstage.devices.fields import dot3
from interstage.devices.tables import farthest, look_up
from interstage.errors import InputError
from interstage.system.device import Device
from interstage.system.ports import In, Out, Parameter, Value

ROW = 21600.0  # s


class Sky(Device):
    """Positions of sun and moon from the Earth's centre, world axes.

    epoch : date of t = 0, as in "2030-01-01T00:00:00" (UTC), that of `Earth`;  days : how far the tables reach: sun and
        moon stand still after that, and the run warns;  beyond : how long after them it was asked
    """

    axes = In("", 9, default=np.eye(3).ravel(), ambient="celestial axes")
    times = Parameter("s", size="n", increasing=True)
    table = Parameter("m", size=("n", 6))
    slopes = Parameter("m/s", size=("n", 6))
    sun = Out("m", 3, ambient="sun")
    moon = Out("m", 3, ambient="moon")
    beyond = Out("s")
    ends = MappingProxyType({"beyond": "sun and moon stand still from there: give Sky more days"})

    def __init__(self, epoch: str, *, days: float = 32.0, **values: Value):
        if not 0.0 < days <= 36525.0:
            raise InputError("days must be between 0 and a century", where="Sky", got=repr(days))
        from interstage.devices.almanac import DAY, dates, sun_and_moon

        self.epoch, self.date = epoch, dates(epoch)
        t = np.arange(0.0, days * DAY + ROW, ROW)
        sun, moon = sun_and_moon(epoch, t)
        values |= {"times": t, "table": np.hstack([sun[:, :3], moon[:, :3]])}
        values["slopes"] = np.hstack([sun[:, 3:], moon[:, 3:]])
        super().__init__(**cast("dict[str, Any]", values))

    def outputs(d, t):
        now = t + 0.0 * d.times[0]
        d.beyond = farthest(d.times[0], d.times[len(d.times) - 1], now, d.beyond)
        s = (
            look_up(d.times, d.table, d.slopes, 0, now),
            look_up(d.times, d.table, d.slopes, 1, now),
            look_up(d.times, d.table, d.slopes, 2, now),
        )
        m = (
            look_up(d.times, d.table, d.slopes, 3, now),
            look_up(d.times, d.table, d.slopes, 4, now),
            look_up(d.times, d.table, d.slopes, 5, now),
        )
        for i in range(3):
            row = (d.axes[3 * i], d.axes[3 * i + 1], d.axes[3 * i + 2])
            d.sun[i] = dot3(row, s)
            d.moon[i] = dot3(row, m)
