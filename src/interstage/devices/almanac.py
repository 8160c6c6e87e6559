"""Where the sky stands: axes of the Earth, sun and moon at a date, by the routines of the IAU (pyerfa).

    x_fixed = R_z(ERA) Q x_GCRS,  Q of the IAU 2006/2000A precession and nutation, ERA = the Earth rotation angle

The difference of UT1 and UTC (below 0.9 s, 13.5 arcsec) and polar motion (below 0.5 arcsec) are left out: they are
measured, and come in files that nothing here fetches.
"""

from __future__ import annotations

import re
import warnings

import erfa
import numpy as np

from interstage.errors import InputError

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
