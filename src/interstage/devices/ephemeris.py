"""Positions of Sun and Moon.

Where the sky stands: axes of the Earth, sun and moon at a date, by the routines of the IAU (pyerfa).

    x_fixed = R_z(ERA) Q x_GCRS,  Q of the IAU 2006/2000A precession and nutation, ERA = the Earth rotation angle

The difference of UT1 and UTC (below 0.9 s, 13.5 arcsec) and polar motion (below 0.5 arcsec) are left out: they are
measured, and come in files that nothing here fetches.

Sun and moon around the Earth: tables of pyerfa, made once, followed by cubics.

    r(t) = Hermite cubic of [r_k, v_k] every 6 h;  world axes = celestial axes of `Earth`, or those given

Tables reach `days` from the epoch. Between rows the cubic is good to 20 m (moon) and 1 m (sun); the theories are good
to 100 km (moon) and 15 km (sun).
"""

from __future__ import annotations

import re
import warnings
from types import MappingProxyType
from typing import Any, cast

import erfa
import numpy as np

from interstage._renamed import former_names
from interstage.devices.fields import dot3
from interstage.devices.tables import farthest, look_up
from interstage.errors import InputError
from interstage.simulation.plant.declarations import In, Out, Parameter, Value
from interstage.simulation.plant.device import Device

DAY = 86400.0
AU = 149597870700.0
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}(?:\.\d*)?))?)?Z?")


def dates(epoch: str) -> tuple[float, float]:
    """Return the two parts of a Julian date of UTC, given as in "2030-01-01T12:00:00".

    >>> dates("2000-01-01T12:00:00")
    (2451544.5, 0.5)
    """
    match = _DATE.fullmatch(epoch.strip()) if isinstance(epoch, str) else None
    try:
        if match is None:
            raise ValueError
        year, month, day, hour, minute = (int(match[k] or 0) for k in range(1, 6))
        with warnings.catch_warnings():  # leap seconds of years to come are not known yet
            warnings.simplefilter("ignore", erfa.ErfaWarning)
            a, b = erfa.dtf2d("UTC", year, month, day, hour, minute, float(match[6] or 0))
        return float(a), float(b)
    except (ValueError, erfa.ErfaError):
        raise InputError(
            "not a date", where="epoch", expected='as in "2030-01-01T00:00:00" (UTC)', got=repr(epoch)
        ) from None


def terrestrial(epoch: str) -> tuple[float, float]:
    """Return the two parts of a Julian date of terrestrial time (TT) of a date of UTC."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", erfa.ErfaWarning)
        a, b = erfa.taitt(*erfa.utctai(*dates(epoch)))
    return float(a), float(b)


def earth_axes(epoch: str) -> np.ndarray:
    """Return the axes (3, 3) of the Earth at a date in the celestial frame: x_GCRS = axes x_fixed."""
    a, b = dates(epoch)
    return np.asarray(erfa.c2t06a(*terrestrial(epoch), a, b, 0.0, 0.0)).T


def sun_and_moon(epoch: str, seconds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return [position, velocity] (k, 6) of the sun and of the moon from the Earth's centre, GCRS axes, m and m/s.

    Sun: -heliocentric Earth of `epv00` (to 15 km);
    moon: Meeus' series in `moon98` (to 100 km). Light time and aberration (20 arcsec of the sun) are left out.
    """
    a, b = terrestrial(epoch)
    days = b + np.asarray(seconds, dtype=float) / DAY
    earth, _ = erfa.epv00(a, days)
    moon = erfa.moon98(a, days)
    sun = [-earth["p"] * AU, -earth["v"] * AU / DAY]
    return np.hstack(sun), np.hstack([moon["p"] * AU, moon["v"] * AU / DAY])


ROW = 21600.0  # s


class Ephemeris(Device):
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
    ends = MappingProxyType({"beyond": "sun and moon stand still from there: give Ephemeris more days"})

    def __init__(self, epoch: str, *, days: float = 32.0, **values: Value):
        if not 0.0 < days <= 36525.0:
            raise InputError("days must be between 0 and a century", where="Ephemeris", got=repr(days))
        from interstage.devices.ephemeris import DAY, dates, sun_and_moon

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


__getattr__ = former_names(__name__)
