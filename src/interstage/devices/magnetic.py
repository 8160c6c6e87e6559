"""Magnetic field of the Earth, and magnetic torquers.

The magnetic field of the Earth: harmonics of the International Geomagnetic Reference Field (IGRF-14).

    B = -∇V,   V = a Σ (a/r)ⁿ⁺¹ (g_nm cos mλ + h_nm sin mλ) P_nm(sin φ),   a = 6371.2 km

with P_nm of Schmidt. It is summed by the code of gravity (`interstage.devices.harmonics`, μ = a², C = g/√(2n + 1)).
Degree 1 is the tilted dipole. Coefficients are those of 2020 and 2025, straight between, and with their yearly change
to 2030 (Alken et al., Earth, Planets and Space 73, 2021, of the 13th generation; IGRF-14: doi 10.5281/zenodo.14012302).
The field of currents above the Earth, tens of nT on quiet days, is not in it.

Magnetic torquers along three axes: a dipole in the field of `MagneticField`, or one that is wired.

torque = m × Rᵀ B_world,    m = the command within ±limit, and the residual dipole
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import numpy as np

from interstage.devices.fields import dot3
from interstage.devices.harmonics import harmonic_gravity
from interstage.devices.parts import limited, turned_back
from interstage.errors import InputError
from interstage.simulation.plant.declarations import In, Limit, Out, Parameter, Site, Value, within
from interstage.simulation.plant.device import Device, RecordView

RADIUS, TOP = 6371200.0, 13
# nT, of g_10, g_11, h_11, g_20, ... g_22, h_22, ...; and nT a year, to degree 8
YEAR_2020 = """
-29403.41 -1451.37 4653.35 -2499.78 2981.96 -2991.72 1676.85 -734.62 1363 -2380.8 -81.96 1236.06 241.8 525.6
-542.52 902.82 809.47 282.1 86.18 -158.5 -309.47 199.75 47.44 -350.3 -234.42 363.26 47.52 187.86 208.36 -140.73
-121.43 -151.16 32.09 13.98 99.14 65.97 65.56 -19.22 72.96 25.02 -121.57 52.76 -36.06 -64.4 13.6 8.96 -64.8
68.04 80.54 -76.63 -51.5 -8.23 -16.85 56.45 2.36 15.8 23.56 6.3 -2.19 -7.21 -27.19 9.77 -1.9 23.66 9.74 8.43
-17.49 -15.23 -0.49 12.83 -21.07 -11.76 15.28 14.94 13.65 3.62 -16.59 -6.9 -0.34 2.9 5.03 8.36 -23.44 2.84 11.04
-1.48 9.86 -1.14 -5.13 -13.22 -6.2 1.08 7.79 8.82 0.4 -9.23 -1.44 -11.86 9.6 -1.84 -6.25 3.38 -0.11 -0.18 1.66
3.5 -0.86 4.86 0.65 -8.62 -0.88 -0.11 1.88 -4.26 1.44 -3.43 -2.38 -0.1 -3.84 -8.84 2.96 -1.36 -0.02 -2.51 2.5
2.31 -0.55 -0.85 -0.39 0.28 0.62 -0.66 -0.21 -0.07 -1.66 1.44 -1.6 -0.59 -2.98 0.18 -1.97 3.09 -2.51 -2 -0.13
-1.15 0.43 0.52 1.28 1.37 -1.14 -1.81 0.71 0.08 0.31 0.71 0.49 -0.15 -0.26 0.55 -0.47 0.16 0.09 -0.93 -1.13
-0.04 -0.33 0.52 0.08 -0.93 -0.88 0.53 0.64 0.72 1.4 -0.3 -0.38 0.75 -1.31 -0.01 -0.09 0.76 0.29 -0.05 -0.11
0.37 0.47 0.13 0.54 0.45 -0.41 -0.46 -0.36 -0.4 -0.6
"""
YEAR_2025 = """
-29350 -1410.3 4545.5 -2556.2 2950.9 -3133.6 1648.7 -814.2 1360.9 -2404.2 -56.9 1243.8 237.6 453.4 -549.6 894.7
799.6 278.6 55.8 -134 -281.1 212 12 -375.4 -232.9 369 45.3 187.2 220 -138.7 -122.9 -141.9 42.9 20.9 106.2 64.3
63.8 -18.4 76.7 16.8 -115.7 48.9 -40.9 -59.8 14.9 10.9 -60.8 72.8 79.6 -76.9 -48.9 -8.8 -14.4 59.3 -1 15.8 23.5
2.5 -7.4 -11.2 -25.1 14.3 -2.2 23.1 10.9 7.2 -17.5 -12.6 2 11.5 -21.8 -9.7 16.9 12.7 14.9 0.7 -16.8 -5.2 1 3.9
4.7 8 -24.8 3 12.1 -0.2 8.3 -2.5 -3.4 -13.1 -5.3 2.4 7.2 8.6 -0.6 -8.7 0.8 -12.8 9.8 -1.3 -6.4 3.3 0.2 0.1 2 2.5
-1 5.4 -0.5 -9 -0.9 0.4 1.5 -4.2 0.9 -3.8 -2.6 0.9 -3.9 -9 3 -1.4 0 -2.5 2.8 2.4 -0.6 -0.6 0.1 0 0.5 -0.6 -0.3
-0.1 -1.2 1.1 -1.7 -1 -2.9 -0.1 -1.8 2.6 -2.3 -2 -0.1 -1.2 0.4 0.6 1.2 1 -1.2 -1.5 0.6 0 0.5 0.6 0.5 -0.2 -0.1
0.8 -0.5 0.1 -0.2 -0.9 -1.2 0.1 -0.7 0.2 0.2 -0.9 -0.9 0.6 0.7 0.7 1.2 -0.2 -0.3 0.5 -1.3 0.1 -0.1 0.7 0.2 0
-0.2 0.3 0.5 0.2 0.6 0.4 -0.6 -0.5 -0.3 -0.4 -0.5
"""
A_YEAR = """
12.6 10 -21.5 -11.2 -5.3 -27.3 -8.3 -11.1 -1.5 -4.4 3.8 0.4 -0.2 -15.6 -3.9 -1.7 -2.3 -1.3 -5.8 4.1 5.4 1.6 -6.8
-4.1 0.6 1.3 -0.5 0 2.1 0.7 0.5 2.3 1.7 1 1.9 -0.2 -0.3 0.3 0.8 -1.6 1.2 -0.4 -0.8 0.8 0.4 0.7 0.9 0.9 -0.1 -0.1
0.6 -0.1 0.5 0.5 -0.7 -0.1 0 -0.8 -0.9 -0.8 0.5 0.9 -0.3 -0.1 0.2 -0.3 0 0.4 0.4 -0.3 -0.1 0.4 0.3 -0.5 0.1 -0.6
0 0.3 0.3 0.2
"""


def _numbers(text: str) -> np.ndarray:
    found = np.array(text.split(), dtype=float)
    return np.append(found, np.zeros(TOP * (TOP + 2) - len(found)))


def igrf(year: float, degree: int = TOP) -> tuple[np.ndarray, np.ndarray]:
    """Return g and h (degree + 1, degree + 1), nT, at a date in years from 2020 to 2030; row n, column m."""
    if not 2020.0 <= year <= 2030.0:
        raise InputError("the magnetic field is known from 2020 to 2030", got=f"{year:.3f}")
    if not (isinstance(degree, int) and 1 <= degree <= TOP):
        raise InputError("unknown degree of the magnetic field", expected=f"1 to {TOP}", got=repr(degree))
    first, last = _numbers(YEAR_2020), _numbers(YEAR_2025)
    if year <= 2025.0:
        row = first + (year - 2020.0) / 5.0 * (last - first)
    else:
        row = last + (year - 2025.0) * _numbers(A_YEAR)
    g, h = np.zeros((degree + 1, degree + 1)), np.zeros((degree + 1, degree + 1))
    for n in range(1, degree + 1):
        found = row[n * n - 1 : (n + 1) ** 2 - 1]
        g[n, 0], g[n, 1 : n + 1], h[n, 1 : n + 1] = found[0], found[1::2], found[2::2]
    return g, h


def year_of(epoch: str) -> float:
    """Return a date as in "2025-06-30T12:00:00" in years."""
    try:
        date = datetime.fromisoformat(epoch).replace(tzinfo=UTC)
    except (TypeError, ValueError):
        raise InputError(
            "not a date", where="MagneticField.epoch", expected="as in 2025-06-30", got=repr(epoch)
        ) from None
    begin, end = datetime(date.year, 1, 1, tzinfo=UTC), datetime(date.year + 1, 1, 1, tzinfo=UTC)
    return date.year + (date - begin) / (end - begin)


class MagneticField(Device):
    """The magnetic field of the Earth where the vehicle is: that of `Earth`, which magnetometers and torquers find.

    epoch : date of t = 0, 2020 to 2030;  degree : 1 (tilted dipole) to 13;  field : in the world
    """

    radius = Parameter("m", RADIUS, above=0.0)
    C, S = Parameter("T", size=("k", "k")), Parameter("T", size=("k", "k"))
    from_center = In("m", 3, ambient="position from the Earth")
    latitude, longitude = In("rad", ambient="latitude"), In("rad", ambient="longitude")
    north, east = In("", 3, ambient="north"), In("", 3, ambient="east")
    up = In("", 3, ambient="up")
    field = Out("T", 3, ambient="magnetic field")

    def __init__(self, epoch: str = "2025-01-01", *, degree: int = TOP, **values: Value):
        g, h = igrf(year_of(epoch), degree)
        full = 1e-9 / np.sqrt(2.0 * np.arange(degree + 1) + 1.0)[:, None]
        values |= {"C": full * g, "S": full * h}
        super().__init__(**cast("dict[str, Any]", values))

    def outputs(d, t):
        sin, cos = np.sin(d.latitude), np.cos(d.latitude)
        east, along = np.sin(d.longitude), np.cos(d.longitude)
        # north, east and up in axes of the Earth, and the place there
        N, E, U = (-sin * along, -sin * east, cos), (-east, along, 0.0 * cos), (cos * along, cos * east, sin)
        n, e, u = dot3(d.from_center, d.north), dot3(d.from_center, d.east), dot3(d.from_center, d.up)
        x, y, z = (
            n * N[0] + e * E[0] + u * U[0],
            n * N[1] + e * E[1] + u * U[1],
            n * N[2] + e * E[2] + u * U[2],
        )
        B = harmonic_gravity(d.radius * d.radius, d.radius, d.C, d.S, x, y, z)
        n, e, u = dot3(B, N), dot3(B, E), dot3(B, U)
        for i in range(3):
            d.field[i] = -(n * d.north[i] + e * d.east[i] + u * d.up[i])


class MagneticTorquer(Device):
    """Torque of a dipole at a place, node axes.

    at : place;  limit : of each axis, 0 is none;  residual (3,) : dipole that is always there
    dipole : what is commanded;  field : in the world, that of `MagneticField` unless it is wired
    """

    at = Site()
    limit = Parameter("A*m^2", 0.0, least=0.0)
    residual = Parameter("A*m^2", [0.0, 0.0, 0.0])
    true_attitude = at.attitude()
    dipole = In("A*m^2", 3)
    field = In("T", 3, ambient="magnetic field")
    here = Out("T", 3)
    torque = at.torque("node")

    def limits_at(self, d: RecordView, t: float) -> list[Limit]:
        """Return the limits of the dipole."""
        return [one for k in range(3) for one in within(f"dipole[{k}]", d.dipole[k], d.limit, "A*m^2")]

    def outputs(d, t):
        turned_back(d.true_attitude, d.field, d.here)
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            m = limited(d.dipole[j], d.limit) + d.residual[j]
            n = limited(d.dipole[k], d.limit) + d.residual[k]
            d.torque[i] = m * d.here[k] - n * d.here[j]
